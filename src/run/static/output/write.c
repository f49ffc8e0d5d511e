/* Writes the results of a frame to run.h5 and to the field file: values at nodes, and values
 * at the integration points of all elements. The latter are computed from the nodal displacements
 * for some thousands of elements at a time, so that memory does not grow with the mesh: one thread
 * writes the points of the elements before, while the others compute. */
#include "element/element.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "operator/measure/nodal_mean.h"
#include "operator/measure/stress.h"
#include "run/static/static.h"
#include <float.h>
#include <math.h>

enum { POINTS = 1 << 16 }; /* of the elements that are computed at a time */

static hk_integration integration_in(const hk_static *s, const hk_element *element,
                                     const hk_region *region)
{
  return hk_static_heats(s) ? hk_conduction_integration(element, region) : region->integration;
}

static hk_integration integration_of(const hk_static *s, hk_index e)
{
  return integration_in(s, hk_element_of(hk_mesh_block_of(s->on.model->mesh, e)->shape),
                        &s->on.model->region[s->on.model->element_region[e]]);
}

const hk_rule *hk_static_rule(const hk_static *s, hk_index e)
{
  const hk_block *block = hk_mesh_block_of(s->on.model->mesh, e);
  return hk_element_rule(hk_element_of(block->shape), integration_of(s, e));
}

hk_status hk_static_points(const hk_static *s, hk_index e, double *stress, double *strain,
                           double *at)
{
  const hk_mesh *mesh = s->on.model->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_region *region = &s->on.model->region[s->on.model->element_region[e]];
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_NODES], u[3 * HK_MOST_NODES];
  hk_element_gather(mesh, block, e - block->first, x);
  for (int i = 0; i < element->nodes * s->components; i++)
    u[i] = s->nodal
               .displacement[(hk_count)node[i / s->components] * s->components + i % s->components];
  return hk_static_heats(s) ? hk_flux_points(region, element, x, u, stress, at)
                            : hk_stress_points(region, element, x, u, strain, stress, at);
}

/* Of elements [first, first + elements). */
typedef struct points {
  hk_count first, elements, before; /* before: points of the elements before */
  hk_count *begin;                  /* begin[elements + 1] */
  int64_t *element, *number;
  double *value[HK_POINT_QUANTITIES];
} points;

/* Elements that are computed at a time, and the most points that one of them has. */
typedef struct piece_size {
  hk_count elements;
  int points;
} piece_size;

static piece_size size_piece(const hk_static *s)
{
  const hk_model *model = s->on.model;
  int most = 1, nodes = 1;
  for (int b = 0; b < model->mesh->block_count; b++) {
    const hk_element *element = hk_element_of(model->mesh->block[b].shape);
    if (element->nodes > nodes) nodes = element->nodes;
    for (int r = 0; r < model->region_count; r++) {
      const hk_rule *rule = hk_element_rule(element, integration_in(s, element, &model->region[r]));
      if (rule->points > most) most = rule->points;
    }
  }
  const hk_count some = POINTS / (most > nodes ? most : nodes) + 1,
                 all = model->mesh->element_count;
  return (piece_size){some < all ? some : all, most};
}

static hk_status get_points(const hk_static *s, piece_size size, hk_pool *pool, points *p)
{
  const hk_static_layout *layout = &s->files.layout;
  const hk_count most = size.elements * size.points;
  HK_PASS(hk_pool_get(pool, &p->begin, size.elements + 1));
  HK_PASS(hk_pool_get(pool, &p->element, most));
  HK_PASS(hk_pool_get(pool, &p->number, most));
  for (int k = 0; k < layout->point_count; k++)
    HK_PASS(hk_pool_get(pool, &p->value[k], most * layout->point[k].count));
  return HK_OK;
}

double hk_static_points_room(const hk_static *s)
{
  const piece_size size = size_piece(s);
  const double values = (hk_static_solid(s) ? 2 : 1) * s->tensor + s->on.model->mesh->dim;
  return 2 * (double)(size.elements * size.points) * (8 * values + 16);
}

/* p: the elements behind those of `last`. */
static void count_next(const hk_static *s, const points *last, hk_count most, points *p)
{
  const hk_count left = s->on.model->mesh->element_count - (last->first + last->elements);
  p->first = last->first + last->elements, p->elements = left < most ? left : most;
  p->before = last->before + last->begin[last->elements];
  p->begin[0] = 0;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < p->elements; i++)
    p->begin[i + 1] = hk_static_rule(s, (hk_index)(p->first + i))->points;
  for (hk_count i = 0; i < p->elements; i++) p->begin[i + 1] += p->begin[i];
}

/* The i-th element of p, at its points and extrapolated to its nodes. */
static hk_status compute_element(const hk_static *s, hk_nodal_mean *mean, hk_count i, points *p)
{
  const hk_mesh *mesh = s->on.model->mesh;
  double *stress = p->value[HK_POINT_STRESS], *strain = p->value[HK_POINT_STRAIN],
         *x = p->value[HK_POINT_COORDINATES];
  const hk_count at = p->begin[i];
  for (hk_count q = at; q < p->begin[i + 1]; q++) {
    p->element[q] = hk_mesh_element_label(mesh, p->first + i);
    p->number[q] = q - at + 1;
  }
  stress += at * s->tensor;
  if (strain) strain += at * s->tensor;
  HK_PASS(hk_static_points(s, (hk_index)(p->first + i), stress, strain, x + at * mesh->dim));
  hk_nodal_mean_fit(mean, p->first + i, integration_of(s, (hk_index)(p->first + i)), s->tensor,
                    stress, strain);
  return HK_OK;
}

static hk_status write_piece(const hk_static *s, const points *p)
{
  const int frame = (int)s->frames.now;
  const hk_count count = p->begin[p->elements];
  if (!count) return HK_OK;
  HK_PASS(
      hk_static_file_write_labels(s->files.run, frame, p->before, count, p->element, p->number));
  for (int k = 0; k < s->files.layout.point_count; k++)
    HK_PASS(hk_static_file_write_points(s->files.run, frame, k, p->before, count, p->value[k]));
  return HK_OK;
}

/* Computes `next` while the first thread that is there writes `ready`. */
static hk_status work_on(const hk_static *s, hk_nodal_mean *mean, const points *ready, points *next)
{
  hk_failure failure = {0};
  hk_nodal_mean_begin(mean, next->first, next->elements);
#pragma omp parallel
  {
#pragma omp single nowait
    hk_failure_keep(&failure, write_piece(s, ready));
#pragma omp for schedule(dynamic, 64)
    for (hk_count i = 0; i < next->elements; i++)
      hk_failure_keep(&failure, compute_element(s, mean, i, next));
  }
  HK_PASS(hk_failure_tell(&failure));
  hk_nodal_mean_add(mean);
  return HK_OK;
}

/* *mean: that of stress and strain, or of flux, at the nodes. */
static hk_status write_points(const hk_static *s, hk_nodal_mean **mean)
{
  hk_status status = HK_OK;
  const hk_model *model = s->on.model;
  const piece_size size = size_piece(s);
  hk_pool pool = {0};
  const hk_nodal_mean_desc nodal = {.mesh = model->mesh,
                                    .region = model->region,
                                    .region_count = model->region_count,
                                    .element_region = model->element_region,
                                    .fits = true,
                                    .values = (hk_static_solid(s) ? 2 : 1) * s->tensor,
                                    .elements = size.elements};
  points piece[2] = {{0}};
  HK_TRY(hk_nodal_mean_create(&nodal, mean));
  for (int k = 0; k < 2; k++) HK_TRY(get_points(s, size, &pool, &piece[k]));
  for (int k = 0; piece[k].first < model->mesh->element_count;
       k = 1 - k) { /* the last round only writes */
    count_next(s, &piece[k], size.elements, &piece[1 - k]);
    HK_TRY(work_on(s, *mean, &piece[k], &piece[1 - k]));
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Displacements (temperatures) that single precision takes for 0, or keeps fewer digits of. */
static void check_small(const hk_static *s, hk_count count, const double *values)
{
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (hk_count i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  if (most > 0 && most < FLT_MIN)
    hk_messages_add(s->on.list, HK_WARNING, s->on.model->path, 0, 0,
                    "%s is at most %.3g, below 1.2e-38, where the single precision of field files "
                    "loses digits: run.h5 has it in double",
                    s->files.field_layout.quantity[HK_FIELD_DISPLACEMENT].name, most);
}

static hk_status write_field(hk_static *s, int quantity, int components, const double *values)
{
  const hk_count count = s->on.model->mesh->node_count * components;
  if (quantity == HK_FIELD_DISPLACEMENT) check_small(s, count, values);
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++) s->files.frame[i] = (float)values[i];
  return hk_field_file_write(s->files.fields, s->frames.now, quantity, s->files.frame);
}

static hk_status write_fields(hk_static *s)
{
  const hk_mesh *mesh = s->on.model->mesh;
  HK_PASS(write_field(s, HK_FIELD_DISPLACEMENT, s->components, s->nodal.displacement));
  HK_PASS(write_field(s, HK_FIELD_REACTION, s->components, s->nodal.reaction));
  HK_PASS(write_field(s, HK_FIELD_STRESS, s->tensor, s->nodal.stress));
  if (!hk_static_solid(s)) return HK_OK;
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++)
    s->files.frame[n] = (float)hk_stress_mises(s->tensor, s->nodal.stress + n * s->tensor);
  return hk_field_file_write(s->files.fields, s->frames.now, HK_FIELD_MISES, s->files.frame);
}

/* Of coupled equations fields too. */
static hk_status write_nodes(hk_static *s)
{
  const hk_nodal_results *r = &s->nodal;
  const int frame = (int)s->frames.now;
  HK_PASS(hk_static_gather(s));
  if (hk_static_coupled(s)) return hk_static_coupled_write(s);
  HK_PASS(hk_static_file_write(s->files.run, frame, HK_NODAL_DISPLACEMENT, r->displacement));
  return hk_static_file_write(s->files.run, frame, HK_NODAL_REACTION, r->reaction);
}

/* Stress and strain, or flux. */
static hk_status write_means(hk_static *s)
{
  const hk_nodal_results *r = &s->nodal;
  const int frame = (int)s->frames.now;
  HK_PASS(hk_static_file_write(s->files.run, frame, HK_NODAL_STRESS, r->stress));
  return hk_static_solid(s) ? hk_static_file_write(s->files.run, frame, HK_NODAL_STRAIN, r->strain)
                            : HK_OK;
}

/* At points first, of which the means at the nodes are made. */
static hk_status write_derived(hk_static *s)
{
  hk_status status = HK_OK;
  hk_nodal_mean *mean = NULL;
  hk_nodal_results *r = &s->nodal;
  if (!s->files.layout.points) {
    HK_TRY(hk_static_means(s));
    return write_means(s);
  }
  hk_clock_next("points");
  HK_TRY(write_points(s, &mean));
  hk_clock_next("nodes");
  hk_nodal_mean_find(mean, 0, s->tensor, r->stress);
  if (r->strain) hk_nodal_mean_find(mean, s->tensor, s->tensor, r->strain);
  HK_TRY(write_means(s));
cleanup:
  hk_nodal_mean_destroy(&mean);
  return status;
}

/* What is large comes first: the disk takes it while the rest is computed, and one wait is for all. */
hk_status hk_static_write(hk_static *s)
{
  hk_status status = HK_OK;
  const int before = hk_clock_begin_top("output");
  hk_clock_begin("nodes");
  HK_TRY(write_nodes(s));
  if (!hk_static_coupled(s)) HK_TRY(write_derived(s));
  hk_clock_next("fields");
  if (!hk_static_coupled(s)) HK_TRY(write_fields(s));
  hk_clock_next("traces");
  HK_TRY(hk_static_write_traces(s));
  hk_clock_next("sync");
  HK_TRY(hk_static_file_flush(s->files.run));
  HK_TRY(hk_field_file_flush(s->files.fields));
  hk_clock_next("print");
  HK_TRY(hk_static_print(s));
cleanup:
  hk_clock_end(before);
  return status;
}
