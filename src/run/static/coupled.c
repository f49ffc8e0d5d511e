/* Coupled equations as a static run (A.40): which unknowns nothing determines, fluxes at nodes, and the quantities of the result files, which have
 * the user's names: NAME, reaction_NAME and flux_NAME of each unknown. */
#include "operator/element/coupled.h"
#include "operator/element/lumped.h"
#include "run/static/static.h"
#include "base/sort.h"
#include <stdio.h>
#include <string.h>

typedef struct parts { /* connected parts of the mesh, and what is known of their unknowns */
  hk_index *up;        /* up[mesh node] */
  uint8_t *held;       /* held[mesh node of a root]: bit b, something determines unknown b */
} parts;

/* Terms that a constant value of an unknown is felt by: not those that its gradient multiplies alone. */
static uint8_t felt_by(const hk_coupled *coupled)
{
  uint8_t felt = 0;
  for (int t = 0; t < coupled->steady; t++)
    if (coupled->term[t].j == 0) felt |= (uint8_t)(1u << coupled->term[t].unknown);
  return felt;
}

static void hold(parts *p, hk_index node, uint8_t bits)
{
  p->held[hk_union_root(p->up, node)] |= bits;
}

static void find_held(const hk_static *s, parts *p)
{
  const hk_model *model = s->on.model;
  const hk_mesh *mesh = model->mesh;
  const hk_space *space = s->on.space;
  for (hk_count n = 0; n < mesh->node_count; n++) p->up[n] = (hk_index)n;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 1; n < hk_mesh_block_of(mesh, e)->nodes; n++)
      hk_union_join(p->up, node[0], node[n]);
  }
  for (hk_count e = 0; e < mesh->element_count; e++)
    hold(p, hk_mesh_nodes_of(mesh, e)[0],
         felt_by(model->region[model->element_region[e]].material.coupled));
  for (hk_index i = 0; i < s->held.own.count; i++) {
    const hk_index node = space->mesh_node[s->held.own.dof[i] / s->components];
    if (node >= 0) hold(p, node, (uint8_t)(1u << s->held.own.dof[i] % s->components));
  }
  for (hk_count i = 0; i < s->films.count; i++)
    if (s->films.face[i].coefficient > 0)
      hold(p, hk_mesh_nodes_of(mesh, s->films.face[i].element)[0],
           (uint8_t)(1u << s->films.face[i].component));
}

hk_status hk_static_check_determined(const hk_static *s)
{
  hk_status status = HK_OK;
  const hk_model *model = s->on.model;
  const hk_mesh *mesh = model->mesh;
  const unsigned all = (1u << s->components) - 1;
  hk_pool pool = {0};
  parts p;
  HK_TRY(hk_pool_get(&pool, &p.up, mesh->node_count));
  HK_TRY(hk_pool_get(&pool, &p.held, mesh->node_count));
  find_held(s, &p);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const unsigned open = all & ~p.held[hk_union_root(p.up, hk_mesh_nodes_of(mesh, e)[0])];
    int b = 0;
    while (open && !(open >> b & 1)) b++;
    HK_CHECK(!open, HK_BAD_INPUT,
             "%s: nothing determines the unknown \"%s\" of the part of element %lld: only its "
             "gradient is in the equations; prescribe its value on a set, or give a film or a "
             "reaction",
             model->path, model->solve.unknown.name[b], (long long)hk_mesh_element_label(mesh, e));
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

enum { CHUNK = 4096 }; /* elements whose fluxes are computed at a time */

/* own[nodes][tensor] at the nodes of element e. */
static void find_fluxes(const hk_static *s, hk_count e, double *own)
{
  const hk_model *model = s->on.model;
  const hk_block *block = hk_mesh_block_of(model->mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = hk_mesh_nodes_of(model->mesh, e);
  const hk_region *region = &model->region[model->element_region[e]];
  double x[3 * HK_MOST_NODES], u[HK_MOST_EQUATIONS * HK_MOST_NODES];
  hk_element_gather(model->mesh, block, e - block->first, x);
  for (int n = 0; n < block->nodes; n++)
    memcpy(u + n * s->components, s->nodal.displacement + (hk_count)node[n] * s->components,
           (size_t)s->components * sizeof *u);
  for (int n = 0; n < block->nodes; n++)
    hk_element_coupled_flux(region, element, x, element->reference[n], u, own + n * s->tensor);
}

/* flux[mesh node][N][dim]: the mean over the elements around it. */
hk_status hk_static_coupled_fluxes(const hk_static *s, double *flux)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->on.model->mesh;
  const int tensor = s->tensor;
  hk_pool pool = {0};
  int *around;
  double *own;
  int most = 0;
  for (int b = 0; b < mesh->block_count; b++)
    most = mesh->block[b].nodes > most ? mesh->block[b].nodes : most;
  HK_TRY(hk_pool_get(&pool, &around, mesh->node_count));
  HK_TRY(hk_pool_get(&pool, &own, (hk_count)CHUNK * most * tensor));
  memset(flux, 0, (size_t)(mesh->node_count * tensor) * sizeof *flux);
  for (hk_count first = 0; first < mesh->element_count; first += CHUNK) {
    const hk_count end = first + CHUNK < mesh->element_count ? first + CHUNK : mesh->element_count;
#pragma omp parallel for schedule(static)
    for (hk_count e = first; e < end; e++) find_fluxes(s, e, own + (e - first) * most * tensor);
    for (hk_count e = first; e < end; e++)
      for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) {
        const hk_index node = hk_mesh_nodes_of(mesh, e)[n];
        around[node]++;
        for (int k = 0; k < tensor; k++)
          flux[(hk_count)node * tensor + k] += own[((e - first) * most + n) * tensor + k];
      }
  }
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int k = 0; around[n] && k < tensor; k++) flux[n * tensor + k] /= around[n];
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Texts of the layouts live in `names`, of the run's pool. */
hk_status hk_static_coupled_names(hk_static *s)
{
  static const char *const before[HK_COUPLED_KINDS] = {"", "reaction_", "flux_"};
  const hk_names *unknown = &s->on.model->solve.unknown;
  for (int b = 0; b < s->components; b++)
    for (int kind = 0; kind < HK_COUPLED_KINDS; kind++) {
      char text[HK_NAME_TEXT + 16];
      snprintf(text, sizeof text, "%s%s", before[kind], unknown->name[b]);
      HK_PASS(hk_pool_text(&s->pool, text, &s->files.name[b * HK_COUPLED_KINDS + kind]));
    }
  return HK_OK;
}

void hk_static_coupled_layout(const hk_static *s, hk_static_files *f)
{
  const hk_mesh *mesh = s->on.model->mesh;
  f->layout = (hk_static_layout){.steps = (int)s->frames.count,
                                 .mesh = mesh,
                                 .length_unit = s->on.model->units.length,
                                 .nodal_count = s->components * HK_COUPLED_KINDS};
  f->field_layout = (hk_field_layout){.mesh = mesh,
                                      .regions = hk_model_regions(s->on.model),
                                      .frames = s->frames.count,
                                      .time = f->frame_time,
                                      .quantity_count = s->components * HK_COUPLED_KINDS};
  for (int q = 0; q < f->layout.nodal_count; q++) {
    const bool flux = q % HK_COUPLED_KINDS == HK_COUPLED_FLUX;
    const int count = flux ? mesh->dim : 1;
    f->layout.nodal[q] = (hk_static_quantity){s->files.name[q], "",
                                              !flux            ? "value"
                                              : mesh->dim == 2 ? "x y"
                                                               : "x y z",
                                              count};
    f->field_layout.quantity[q] = (hk_field_quantity){s->files.name[q], "", count};
  }
}

hk_status hk_static_coupled_write(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_count nodes = s->on.model->mesh->node_count;
  const int dim = s->on.model->mesh->dim, n = s->components;
  const double *from[HK_COUPLED_KINDS] = {s->nodal.displacement, s->nodal.reaction,
                                          s->nodal.stress};
  double *values = NULL;
  HK_TRY(hk_get(&values, nodes * dim));
  for (int q = 0; q < n * HK_COUPLED_KINDS; q++) {
    const int kind = q % HK_COUPLED_KINDS, b = q / HK_COUPLED_KINDS,
              count = kind == HK_COUPLED_FLUX ? dim : 1;
    for (hk_count i = 0; i < nodes * count; i++) {
      values[i] = from[kind][(i / count * n + b) * count + i % count];
      s->files.frame[i] = (float)values[i];
    }
    HK_TRY(hk_static_file_write(s->files.run, (int)s->frames.now, q, values));
    HK_TRY(hk_field_file_write(s->files.fields, s->frames.now, q, s->files.frame));
  }
cleanup:
  hk_free(&values);
  return status;
}
