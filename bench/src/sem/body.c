/* The unit square or cube of spectral elements that the bench measures. Nodes are moved by a multilinear map, which
 * keeps elements straight, and by a wave, which makes them curved. The operator is the form `spectral`, by slots or by
 * colours, and the mass is that form's own. */
#include "sem/sem.h"
#include "mesh/mesh.h"
#include "operator/spectral/tune.h"
#include "physics/viscoelastic/fit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const hk_sem_scatter_name[] = {"chosen", "slots", "colours"};

hk_status hk_sem_body_create(double nodes, hk_sem_body *b)
{
  const double side = pow(nodes, 1.0 / b->dim) / b->order;
  b->cells = side < 2 ? 2 : (hk_count)side;
  HK_PASS(
      hk_mesh_create_grid(&(hk_mesh_grid){.dim = b->dim,
                                          .to = {1, 1, 1},
                                          .cells = {b->cells, b->cells, b->dim == 3 ? b->cells : 0},
                                          .shape = b->dim == 3 ? HK_HEX8 : HK_QUAD4},
                          &b->mesh));
  HK_PASS(hk_mesh_raise_to(b->mesh, b->order));
  HK_PASS(hk_get(&b->x, b->mesh->node_count * b->dim));
  memcpy(b->x, b->mesh->x, (size_t)b->mesh->node_count * (size_t)b->dim * sizeof *b->x);
  HK_PASS(hk_get(&b->element_region, b->mesh->element_count));
  b->region.thickness = 1, b->region.material.density = 1;
  if (b->fluid)
    HK_PASS(hk_material_fluid(1, &b->region.material));
  else
    HK_PASS(hk_material_isotropic(1, 0.3, &b->region.material));
  return HK_OK;
}

/* Multilinear in x, so that cells along the axes stay straight; a wave makes them curved. */
static void move_nodes(hk_sem_body *b)
{
  for (hk_count n = 0; n < b->mesh->node_count; n++) {
    const double *from = b->x + n * b->dim, z = b->dim == 3 ? from[2] : 0;
    double *to = b->mesh->x + n * b->dim;
    memcpy(to, from, (size_t)b->dim * sizeof *to);
    if (b->map == HK_MAP_AFFINE) continue;
    to[0] += 0.2 * from[0] * from[1] + 0.1 * from[0] * z;
    to[1] += 0.1 * from[0] * from[1] + 0.2 * from[1] * z;
    if (b->dim == 3) to[2] += 0.2 * z * from[0];
    if (b->map == HK_MAP_CURVED) to[0] += 0.03 * sin(3 * from[1] + z);
  }
}

static void clear_assembled(hk_sem_body *b)
{
  hk_operator_destroy(&b->op);
  hk_space_destroy(&b->space);
  hk_free(&b->mass);
}

/* Q = 40 and 80 over two decades around the frequencies of the bench's steps; the moduli are those for a sudden strain. */
static hk_status attenuate(const hk_sem_body *b, hk_material *m)
{
  const double middle = 0.05 * (double)b->cells, ratio = m->c[0][0] / m->c[3][3];
  const hk_quality q = {.band = {0.1 * middle, 10 * middle}, .frequency = middle, .s = 40, .p = 80};
  hk_relaxation r;
  m->law = NULL;
  if (!b->attenuates) return HK_OK;
  HK_PASS(hk_quality_fit(&q, ratio, &r));
  m->law = "viscoelastic";
  memcpy(m->constant, r.rate, sizeof r.rate);
  memcpy(m->constant + HK_MECHANISMS, r.p, sizeof r.p);
  memcpy(m->constant + 2 * HK_MECHANISMS, r.s, sizeof r.s);
  return HK_OK;
}

hk_status hk_sem_body_assemble(hk_map_class map, bool real, const int *option, hk_sem_body *b)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  double *nodal = NULL;
  uint8_t *part = NULL;
  hk_index unused;
  clear_assembled(b);
  b->map = map, b->real = real;
  HK_TRY(attenuate(b, &b->region.material));
  move_nodes(b);
  HK_TRY(hk_operator_choose("spectral", b->mesh, b->device, &kind));
  if (!option && !hk_device_describe(b->device)->unoptimised)
    HK_TRY(kind->tune(b->mesh, b->device, real));
  hk_space_desc numbering = hk_spectral_space(b->mesh, b->device, real, option);
  if (b->scatter)
    numbering.element_colours = b->scatter == HK_SEM_COLOURS, numbering.element_patch = 0;
  if (numbering.element_colours) numbering.element_chunk = 0;
  if (b->fluid) {
    HK_TRY(hk_get(&part, b->mesh->element_count));
    memset(part, 1, (size_t)b->mesh->element_count);
    numbering.components = 1, numbering.element_part = part;
  }
  HK_TRY(hk_space_create(b->mesh, &numbering, &b->space));
  HK_TRY(hk_operator_create(kind,
                            &(hk_operator_desc){.device = b->device,
                                                .space = b->space,
                                                .region = &b->region,
                                                .element_region = b->element_region,
                                                .double_precision = real,
                                                .choice = option},
                            &b->op));
  HK_TRY(hk_get(&nodal, b->mesh->node_count));
  HK_TRY(hk_get(&b->mass, b->space->padded));
  HK_TRY(kind->mass(b->mesh, &b->region, b->element_region, nodal, &unused));
  hk_space_to_internal(b->space, 1, nodal, b->mass);
  for (hk_index i = 0; i < b->space->padded; i++)
    if (b->space->mesh_node[i] < 0) b->mass[i] = 1;
cleanup:
  hk_free(&nodal);
  hk_free(&part);
  return status;
}

hk_status hk_sem_body_wave(const hk_sem_body *b, double **u)
{
  const int d = b->space->components;
  HK_PASS(hk_get(u, (hk_count)b->space->padded * d));
  for (hk_index i = 0; i < b->space->padded; i++) {
    if (b->space->mesh_node[i] < 0) continue;
    const double *x = b->x + (hk_count)b->space->mesh_node[i] * b->dim;
    for (int c = 0; c < d; c++) (*u)[(hk_count)i * d + c] = sin(5 * x[c] + 4 * x[(c + 1) % b->dim]);
  }
  return HK_OK;
}

void hk_sem_body_clear(hk_sem_body *b)
{
  clear_assembled(b);
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->x);
  hk_free(&b->element_region);
}

json_t *hk_sem_row(const hk_sem_body *b, const char *table, const char *method)
{
  char name[32];
  snprintf(name, sizeof name, "%dD %s, p = %d", b->dim, b->fluid ? "acoustic" : "elastic",
           b->order);
  json_t *row =
      hk_bench_row(name, table, method, hk_device_describe(b->device)->backend, b->real,
                   (hk_count)b->space->nodes * b->space->components, b->mesh->element_count);
  hk_bench_set_integer(row, "dimension", b->dim);
  hk_bench_set_integer(row, "order", b->order);
  if (b->space->interior->coloured)
    hk_bench_set_integer(row, "colours", b->space->interior->colours);
  return row;
}
