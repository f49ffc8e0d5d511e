/* Measures the seconds of an explicit step on a part of the mesh with about 65 536 nodes, built
 * with the same form of K, damping and share of matched layer as the model. Warm steps follow each
 * other, so that the part stays in the caches. Before each cold step other memory is swept through
 * the caches; quartiles of the cold times give the spread. */
#include "run/estimate/estimate.h"
#include "device/bandwidth.h"
#include "element/element.h"
#include "solver/explicit/explicit.h"
#include <math.h>
#include <stdlib.h>

enum { NODES = 65536, WARM = 3, BATCH = 4, MOST_TIMES = 64, SWEEP = 128 << 20 };
static const double WARM_SECONDS = 0.1, COLD_SECONDS = 0.2;

typedef struct part {
  hk_part_mesh cut;
  hk_space *space;
  hk_operator *op;
  double *mass, *damping;
  hk_pml pml; /* in as large a share of the elements as in the mesh */
  hk_excitation excitation;
  hk_explicit *solver;
} part;

static hk_count layered(const hk_problem *p)
{
  hk_count count = 0;
  for (hk_count e = 0; p->pml.stretch && e < p->on.model->mesh->element_count; e++)
    count += hk_pml_has(p->on.model->mesh, &p->pml, e);
  return count;
}

static bool supports_layer(const hk_problem *p, const part *t, hk_count e)
{
  const hk_region *region = &p->on.model->region[t->cut.region[e]];
  return region->plane != HK_ANTIPLANE || !region->material.law;
}

/* A layer in the first elements of the part that it supports, none where there are no such elements (SH waves with attenuation); a node inside an element
 * makes it one of the layer, where it has such nodes. */
static hk_status set_layer(const hk_problem *p, part *t)
{
  const hk_mesh *mesh = t->cut.mesh;
  const double share = (double)layered(p) / (double)p->on.model->mesh->element_count;
  hk_count wanted = (hk_count)ceil(share * (double)mesh->element_count), e = 0;
  while (e < mesh->element_count && !supports_layer(p, t, e)) e++;
  if (!wanted || e == mesh->element_count) return HK_OK;
  t->pml.alpha = p->pml.alpha;
  HK_PASS(hk_get(&t->pml.stretch, mesh->node_count * mesh->dim));
  HK_PASS(hk_get(&t->pml.held, mesh->node_count));
  if (p->pml.around) HK_PASS(hk_get(&t->pml.around, mesh->node_count));
  for (; e < mesh->element_count && wanted; e++) {
    if (!supports_layer(p, t, e)) continue;
    wanted--;
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const int inner = (shape->nodes - 1) / shape->order; /* 1, 1 (, 1) */
    if (!hk_pml_has(mesh, &t->pml, e))
      t->pml.stretch[(hk_count)hk_mesh_nodes_of(mesh, e)[shape->lattice[inner]] * mesh->dim] = 1;
  }
  return HK_OK;
}

static hk_status build(const hk_problem *p, part *t)
{
  hk_operator_desc desc = hk_discretisation_desc(&p->on);
  HK_PASS(hk_problem_number(p, t->cut.mesh, t->cut.region, NULL, &t->space));
  desc.space = t->space, desc.element_region = t->cut.region;
  desc.terms = (hk_operator_terms){0};
  HK_PASS(hk_operator_create(p->on.kind, &desc, &t->op));
  HK_PASS(hk_get(&t->mass, t->space->padded));
  for (hk_index i = 0; i < t->space->padded; i++) t->mass[i] = 1;
  if (p->damping) HK_PASS(hk_get(&t->damping, t->space->padded));
  HK_PASS(set_layer(p, t));
  HK_PASS(hk_explicit_create(&(hk_explicit_desc){.op = t->op,
                                                 .integrator = p->integrator,
                                                 .dt = 1,
                                                 .steps = INT32_MAX,
                                                 .mass = t->mass,
                                                 .damping = t->damping,
                                                 .pml = &t->pml,
                                                 .excitation = &t->excitation},
                             &t->solver));
  return hk_explicit_start(t->solver, NULL, NULL);
}

static hk_status time_warm(hk_explicit *solver, double *best)
{
  HK_PASS(hk_explicit_advance(solver, WARM));
  *best = HUGE_VAL;
  for (const double begin = hk_seconds(); hk_seconds() - begin < WARM_SECONDS;) {
    const double before = hk_seconds();
    HK_PASS(hk_explicit_advance(solver, hk_explicit_step(solver) + BATCH));
    *best = fmin(*best, (hk_seconds() - before) / BATCH);
  }
  return HK_OK;
}

static int compare_times(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static hk_status time_cold(hk_device *device, hk_explicit *solver, hk_timing *out)
{
  hk_status status = HK_OK;
  hk_sweep sweep = {0};
  double time[MOST_TIMES];
  int count = 0;
  HK_TRY(hk_sweep_create(device, SWEEP, &sweep));
  for (const double begin = hk_seconds();
       count < 3 || (count < MOST_TIMES && hk_seconds() - begin < COLD_SECONDS); count++) {
    HK_TRY(hk_sweep_run(device, &sweep));
    const double before = hk_seconds();
    HK_TRY(hk_explicit_advance(solver, hk_explicit_step(solver) + 1));
    HK_TRY(hk_device_finish(device));
    time[count] = hk_seconds() - before;
  }
  qsort(time, (size_t)count, sizeof *time, compare_times);
  out->cold = time[count / 2], out->least = time[count / 4], out->most = time[3 * count / 4];
cleanup:
  hk_sweep_destroy(&sweep);
  return status;
}

hk_status hk_timing_measure(const hk_problem *p, hk_timing *out)
{
  hk_status status = HK_OK;
  part t = {0};
  HK_TRY(hk_part_mesh_first(&p->on, NODES, &t.cut));
  HK_TRY(build(p, &t));
  HK_TRY(time_warm(t.solver, &out->warm));
  HK_TRY(time_cold(p->on.device, t.solver, out));
  out->warm = fmin(out->warm, out->least); /* on a busy machine few batches are measured */
  out->nodes = t.space->nodes;
  out->operator_bytes = (double)t.op->bytes;
  out->state_bytes =
      (double)hk_explicit_plan(&(hk_explicit_size){.space = t.space,
                                                   .pml = &t.pml,
                                                   .double_precision = p->on.double_precision,
                                                   .damped = p->damping != NULL,
                                                   .shots = 1,
                                                   .laws = t.op->state});
cleanup:
  hk_explicit_destroy(&t.solver);
  hk_operator_destroy(&t.op);
  hk_space_destroy(&t.space);
  hk_free(&t.mass);
  hk_free(&t.damping);
  hk_pml_clear(&t.pml);
  hk_part_mesh_clear(&t.cut);
  return status;
}
