/* A small explicit run with a known answer: a Lame mode u = (cos pi x sin pi y, -sin pi x cos pi y)
 * of a unit body returns to its initial state after one period. The error is the difference in the
 * norm of the mass. With `loaded` a force, a dashpot, damping and, for spectral elements, a matched
 * layer are added, so that their kernels run; such runs are compared between devices only. */
#include "run/validation/validation.h"
#include "operator/element/element_matrix.h"
#include "solver/explicit/explicit.h"
#include <math.h>

enum { SAMPLES = 2 }; /* receivers that are sampled but not read: their kernel runs */

typedef struct body {
  hk_pool pool; /* of the arrays */
  hk_mesh *mesh;
  hk_region region;
  hk_index *element_region;
  hk_space *space;
  hk_operator *op;
  double *mass, *damping, *u, *result;
  hk_excitation excitation;
  hk_dashpots dashpots;
  hk_pml pml;
  hk_explicit *solver;
} body;

static void clear(body *t)
{
  hk_explicit_destroy(&t->solver);
  hk_operator_destroy(&t->op);
  hk_space_destroy(&t->space);
  hk_excitation_clear(&t->excitation);
  hk_dashpots_clear(&t->dashpots);
  hk_pml_clear(&t->pml);
  hk_mesh_destroy(&t->mesh);
  hk_pool_clear(&t->pool);
}

/* Prisms are triangles drawn out along z. */
static hk_status mesh_body(const hk_element *shape, hk_count cells, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL, *flat = NULL;
  const bool prisms = shape->dim == 3 && shape->vertices == 6;
  HK_TRY(hk_mesh_create_grid(
      &(hk_mesh_grid){.dim = prisms ? 2 : shape->dim,
                      .to = {1, 1, 1},
                      .cells = {cells, cells, cells},
                      .shape = prisms ? HK_TRI3 : hk_shape_linear(shape->shape)},
      prisms ? &flat : &mesh));
  if (prisms)
    HK_TRY(hk_mesh_extrude(flat, 0, 1, &(hk_mesh_layer){.height = 1, .cells = cells}, &mesh));
  if (!hk_shape_listed(shape->shape))
    HK_TRY(hk_mesh_raise_to(mesh, shape->order)); /* also of order 1: spectral elements of fluids */
  else if (shape->order > 1)
    HK_TRY(hk_mesh_raise(mesh));
  *out = mesh, mesh = NULL;
cleanup:
  hk_mesh_destroy(&flat);
  hk_mesh_destroy(&mesh);
  return status;
}

static hk_status build(body *t, hk_device *device, const hk_small_run *a)
{
  const hk_operator_kind *kind;
  double *nodal;
  hk_index unused;
  HK_PASS(mesh_body(hk_element_of(a->shape), a->cells, &t->mesh));
  t->region.material.density = 1, t->region.thickness = 1;
  HK_PASS(hk_material_isotropic(1, 0.3, &t->region.material));
  HK_PASS(hk_pool_get(&t->pool, &t->element_region, t->mesh->element_count));
  HK_PASS(hk_operator_choose(a->method, t->mesh, device, &kind));
  const hk_space_desc numbering = kind->space(t->mesh, device, a->double_precision);
  HK_PASS(hk_space_create(t->mesh, &numbering, &t->space));
  HK_PASS(hk_operator_create(kind,
                             &(hk_operator_desc){.device = device,
                                                 .space = t->space,
                                                 .region = &t->region,
                                                 .element_region = t->element_region,
                                                 .double_precision = a->double_precision},
                             &t->op));
  HK_PASS(hk_pool_get(&t->pool, &nodal, t->mesh->node_count));
  HK_PASS(hk_pool_get(&t->pool, &t->mass, t->space->padded));
  HK_PASS(kind->mass ? kind->mass(t->mesh, &t->region, t->element_region, nodal, &unused)
                     : hk_mass_lumped(t->mesh, &t->region, t->element_region, nodal));
  hk_space_to_internal(t->space, 1, nodal, t->mass);
  for (hk_index i = 0; i < t->space->padded; i++)
    if (t->space->mesh_node[i] < 0) t->mass[i] = 1;
  return HK_OK;
}

static hk_status set_mode(body *t)
{
  const double pi = acos(-1);
  const int dim = t->space->dim;
  HK_PASS(hk_pool_get(&t->pool, &t->u, (hk_count)t->space->padded * dim));
  HK_PASS(hk_pool_get(&t->pool, &t->result, (hk_count)t->space->padded * dim));
  for (hk_index i = 0; i < t->space->padded; i++) {
    if (t->space->mesh_node[i] < 0) continue;
    const double *x = t->mesh->x + (hk_count)t->space->mesh_node[i] * dim;
    t->u[(hk_count)i * dim] = cos(pi * x[0]) * sin(pi * x[1]);
    t->u[(hk_count)i * dim + 1] = -sin(pi * x[0]) * cos(pi * x[1]);
  }
  return HK_OK;
}

/* A constant force on the first node, with a dashpot, and damping. */
static hk_status set_excitation(body *t)
{
  const int dim = t->space->components;
  hk_force_entry entry = {.dof = t->space->node[0] * dim, .coefficient = 0.1};
  t->dashpots.count = 1;
  HK_PASS(hk_get(&t->dashpots.node, 1));
  HK_PASS(hk_get(&t->dashpots.c, dim * dim));
  t->dashpots.node[0] = t->space->node[0];
  for (int i = 0; i < dim * dim; i++) t->dashpots.c[i] = i % (dim + 1) ? 0.01 : 0.03;
  HK_PASS(hk_pool_get(&t->pool, &t->damping, t->space->padded));
  for (hk_index i = 0; i < t->space->padded; i++) t->damping[i] = 0.1;
  HK_PASS(hk_get(&t->excitation.signal, 1));
  t->excitation.signal_count = 1;
  t->excitation.signal[0] = (hk_source_signal){.role = HK_ROLE_FORCE};
  return hk_force_rows_build(&entry, 1, &t->excitation.motion, &t->excitation.force);
}

/* A perfectly matched layer in half of the body, whose damping is the larger. */
static hk_status set_layer(body *t)
{
  const int dim = t->space->dim;
  HK_PASS(hk_get(&t->pml.stretch, t->mesh->node_count * dim));
  HK_PASS(hk_get(&t->pml.held, t->mesh->node_count));
  t->pml.alpha = 0.5;
  for (hk_count n = 0; n < t->mesh->node_count; n++) {
    double *d = t->pml.stretch + n * dim;
    for (int c = 0; c < dim; c++) d[c] = 0.1 * (c + 1) * fmax(0, t->mesh->x[n * dim] - 0.5);
    for (int c = 0; c < dim; c++) t->damping[t->space->node[n]] += d[c];
  }
  return HK_OK;
}

static hk_status step(body *t, const hk_small_run *a)
{
  hk_index begin[SAMPLES + 1] = {0, 1, 2}, dof[SAMPLES] = {0, 1};
  double weight[SAMPLES] = {1, 1};
  const hk_sparse receivers = {.rows = SAMPLES, .begin = begin, .dof = dof, .weight = weight};
  const hk_receiver_group receiver_group = {
      .rows = SAMPLES, .kind = HK_RECEIVER_VELOCITY, .every = 1};
  const double period = sqrt(2) * sqrt(2.6), dt = 0.3 / (double)a->cells * sqrt(1.3 * 0.4 / 0.7);
  const int order = hk_element_of(a->shape)->order;
  const hk_count steps = (hk_count)ceil(period / dt * order * order);
  HK_PASS(hk_explicit_create(&(hk_explicit_desc){.op = t->op,
                                                 .dt = period / (double)steps,
                                                 .steps = steps,
                                                 .mass = t->mass,
                                                 .damping = t->damping,
                                                 .dashpots = &t->dashpots,
                                                 .pml = &t->pml,
                                                 .excitation = &t->excitation,
                                                 .receivers = &receivers,
                                                 .receiver_group = &receiver_group,
                                                 .group_count = 1},
                             &t->solver));
  HK_PASS(hk_explicit_start(t->solver, t->u, NULL));
  HK_PASS(hk_explicit_advance(t->solver, steps));
  return hk_explicit_read(t->solver, 0, HK_STATE_DISPLACEMENT, t->result);
}

static double difference(const body *t)
{
  double sum = 0, norm = 0;
  for (hk_count i = 0; i < (hk_count)t->space->padded * t->space->components; i++) {
    const double m = t->mass[i / t->space->components], d = t->result[i] - t->u[i];
    sum += m * d * d, norm += m * t->u[i] * t->u[i];
  }
  return sqrt(sum / norm);
}

hk_status hk_run_small(hk_device *device, const hk_small_run *a, double *error, double **u,
                       hk_count *count)
{
  hk_status status = HK_OK;
  body t = {0};
  HK_TRY(build(&t, device, a));
  HK_TRY(set_mode(&t));
  if (a->loaded) HK_TRY(set_excitation(&t));
  if (a->loaded && t.op->kind->mass) HK_TRY(set_layer(&t));
  HK_TRY(step(&t, a));
  *error = difference(&t);
  if (u) {
    *count = t.mesh->node_count * t.space->components;
    HK_TRY(hk_get(u, *count));
    hk_space_from_internal(t.space, t.space->components, t.result, *u);
  }
cleanup:
  clear(&t);
  return status;
}
