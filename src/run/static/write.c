/* Results of a static step: run.h5 and the frame of the field file. */
#include "element/element.h"
#include "run/static/static.h"
#include "operator/element/element_matrix.h"
#include "operator/measure/stress.h"
#include "picture/pictures.h"
#include "result/written.h"
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { DISPLACEMENT, REACTION, STRESS, STRAIN, NODAL_COUNT };
enum { POINT_COORDINATES, POINT_STRESS, POINT_STRAIN, POINT_COUNT };
enum { FIELD_DISPLACEMENT, FIELD_REACTION, FIELD_STRESS, FIELD_MISES, FIELD_COUNT };
/* Of heat the first of each: temperature, reaction, heat flux. */
enum { HEAT_NODAL = STRESS + 1, HEAT_POINT = POINT_STRESS + 1, HEAT_FIELD = FIELD_STRESS + 1 };
enum { CHUNK = 4096 }; /* elements whose points are computed at a time */

static const hk_rule *rule_of(const hk_static *s, hk_shape shape, hk_index e)
{
  const hk_element *element = hk_element_of(shape);
  const hk_region *region = &s->model->region[s->model->element_region[e]];
  return hk_element_rule(element, s->heat ? hk_conduction_integration(element, region)
                                          : region->integration);
}

static hk_count count_points(const hk_static *s)
{
  const hk_mesh *mesh = s->model->mesh;
  hk_count points = 0;
  for (int b = 0; b < mesh->block_count; b++)
    for (hk_count e = 0; e < mesh->block[b].count; e++)
      points += rule_of(s, mesh->block[b].shape, (hk_index)(mesh->block[b].first + e))->points;
  return points;
}

static void name_units(hk_static *s)
{
  const hk_units *u = &s->model->units;
  if (s->heat) {
    hk_units_name(u, (hk_dimension){{2, 1, -3, 0}}, s->force_unit);
    hk_units_name(u, (hk_dimension){{0, 1, -3, 0}}, s->stress_unit);
    return;
  }
  hk_units_name(u, (hk_dimension){{1, 1, -2, 0}}, s->force_unit);
  hk_units_name(u, (hk_dimension){{-1, 1, -2, 0}}, s->stress_unit);
  hk_units_name(u, (hk_dimension){{2, 1, -2, 0}}, s->energy_unit);
}

/* Names, units and components of what heat conduction gives, in the places of what statics gives. */
static void lay_out_heat(hk_static *s, const char *vector)
{
  const char *temperature = s->model->units.temperature;
  const int dim = s->model->mesh->dim;
  hk_static_layout *l = &s->layout;
  hk_field_layout *f = &s->fields;
  l->nodal_count = HEAT_NODAL, l->point_count = HEAT_POINT, f->quantity_count = HEAT_FIELD;
  l->nodal[DISPLACEMENT] = (hk_static_quantity){"temperature", temperature, "t", 1};
  l->nodal[REACTION] = (hk_static_quantity){"reaction", s->force_unit, "t", 1};
  l->nodal[STRESS] = (hk_static_quantity){"heat_flux", s->stress_unit, vector, dim};
  l->point[POINT_STRESS] = l->nodal[STRESS];
  f->quantity[FIELD_DISPLACEMENT] = (hk_field_quantity){"temperature", temperature, 1};
  f->quantity[FIELD_REACTION] = (hk_field_quantity){"reaction", s->force_unit, 1};
  f->quantity[FIELD_STRESS] = (hk_field_quantity){"heat_flux", s->stress_unit, dim};
}

/* node may be NULL: sizes alone. */
static void make_layout(hk_static *s, const int64_t *node)
{
  const hk_mesh *mesh = s->model->mesh;
  const int dim = mesh->dim;
  const char *vector = dim == 2 ? "x y" : "x y z",
             *tensor = dim == 2 ? "xx yy zz xy" : "xx yy zz xy xz yz",
             *length = s->model->units.length;
  name_units(s);
  s->layout =
      (hk_static_layout){.steps = s->model->step_count,
                         .nodes = mesh->node_count,
                         .node = node,
                         .coordinates = mesh->x,
                         .dim = dim,
                         .length_unit = length,
                         .nodal_count = NODAL_COUNT,
                         .point_count = POINT_COUNT,
                         .nodal = {[DISPLACEMENT] = {"displacement", length, vector, dim},
                                   [REACTION] = {"reaction", s->force_unit, vector, dim},
                                   [STRESS] = {"stress", s->stress_unit, tensor, s->tensor},
                                   [STRAIN] = {"strain", "", tensor, s->tensor}},
                         .points = count_points(s),
                         .point = {[POINT_COORDINATES] = {"coordinates", length, vector, dim},
                                   [POINT_STRESS] = {"stress", s->stress_unit, tensor, s->tensor},
                                   [POINT_STRAIN] = {"strain", "", tensor, s->tensor}}};
  s->fields = (hk_field_layout){.mesh = mesh,
                                .frames = s->model->step_count,
                                .time = s->frame_time,
                                .quantity_count = FIELD_COUNT,
                                .quantity = {[FIELD_DISPLACEMENT] = {"displacement", length, dim},
                                             [FIELD_REACTION] = {"reaction", s->force_unit, dim},
                                             [FIELD_STRESS] = {"stress", s->stress_unit, s->tensor},
                                             [FIELD_MISES] = {"von_mises", s->stress_unit, 1}}};
  if (s->heat) lay_out_heat(s, vector);
}

static bool wants_vtu(const hk_static *s)
{
  return hk_field_format_vtu(s->session->desc->field_format);
}

hk_status hk_static_open(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->model->mesh;
  int64_t *node = NULL;
  char *path = hk_session_path(s->session, "run.h5");
  double end = 0;
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_get(&node, mesh->node_count));
  for (hk_count n = 0; n < mesh->node_count; n++) node[n] = hk_mesh_node_label(mesh, n);
  HK_TRY(hk_get(&s->frame_time, s->model->step_count));
  for (int i = 0; i < s->model->step_count; i++)
    s->frame_time[i] = end += s->model->step[i].duration;
  HK_TRY(hk_get(&s->frame, mesh->node_count * 6));
  make_layout(s, node);
  HK_TRY(hk_written_claim(path));
  HK_TRY(hk_static_file_create(path, &s->layout, &s->file));
  HK_TRY(hk_field_file_open(s->session->desc->output, wants_vtu(s), false, &s->fields,
                            &s->field_file));
cleanup:
  s->layout.node = NULL;
  hk_free(&node);
  hk_free(&path);
  return status;
}

hk_status hk_static_close(hk_static *s)
{
  const hk_status field = s->field_file ? hk_field_file_close(&s->field_file) : HK_OK,
                  file = s->file ? hk_static_file_close(&s->file) : HK_OK;
  return field != HK_OK ? field : file;
}

hk_status hk_static_pictures_ready(const hk_static *s)
{
  hk_static copy = *s;
  if (s->session->desc->no_pictures) return HK_OK;
  make_layout(&copy, NULL);
  return hk_pictures_check_field(s->session->desc->output, &copy.fields);
}

hk_count hk_static_disk(const hk_static *s)
{
  hk_static copy = *s;
  make_layout(&copy, NULL);
  return hk_static_file_plan(&copy.layout) + hk_field_file_plan(&copy.fields, wants_vtu(s));
}

/* Degrees of freedom, extra ones behind, that are prescribed themselves. */
static void find_prescribed(const hk_static *s, bool *prescribed)
{
  for (hk_index i = 0; i < s->held.count; i++)
    prescribed[s->held.dof[i]] = s->held.begin[i] == s->held.begin[i + 1];
  for (hk_index i = 0; i < s->extras.count; i++)
    prescribed[s->extras.dof[i]] = s->extras.begin[i] == s->extras.begin[i + 1];
  for (hk_index i = 0; i < s->lead.count; i++) prescribed[s->lead.dof[i]] = false;
}

/* Whether a dependent moves as those that lead it: all prescribed, in its own direction, weights that sum to 1. */
static bool moves_alike(const hk_static *s, hk_index i, const bool *prescribed)
{
  const hk_constraints *lead = &s->lead;
  const int dim = s->space->components;
  double sum = 0;
  for (hk_index k = lead->begin[i]; k < lead->begin[i + 1]; k++) {
    const hk_index h = lead->master[k];
    if (!prescribed[h] || h % dim != lead->dof[i] % dim) return false;
    sum += lead->weight[k];
  }
  return fabs(sum - 1) <= 1e-9;
}

/* Forces stand where a displacement is prescribed: what is on nodes that equations tie to it goes there, force[h] += weight force[dependent]
 * (virtual work); to a node of an element only from what moves alike, so that forces balance. A dependent that prescribed ones alone lead
 * keeps nothing. force[dofs and extra ones]: K u - f */
static hk_status pass_on(const hk_static *s, double *force)
{
  hk_status status = HK_OK;
  const hk_constraints *lead = &s->lead;
  bool *prescribed = NULL;
  HK_TRY(hk_get(&prescribed, s->dofs + s->extra_count * s->space->components));
  find_prescribed(s, prescribed);
  for (hk_index i = 0; i < lead->count; i++) {
    const bool alike = moves_alike(s, i, prescribed);
    bool all = lead->begin[i] < lead->begin[i + 1];
    for (hk_index k = lead->begin[i]; k < lead->begin[i + 1]; k++) {
      const hk_index h = lead->master[k];
      const bool takes = prescribed[h] && (alike || h >= s->dofs);
      all = all && takes;
      if (takes) force[h] += lead->weight[k] * force[lead->dof[i]];
    }
    if (all) force[lead->dof[i]] = 0;
  }
cleanup:
  hk_free(&prescribed);
  return status;
}

/* reaction[mesh node][components]; those of extra nodes are in NAME.dat too, where K u of them would be nothing. */
static hk_status find_reactions(hk_static *s, double **extra)
{
  hk_status status = HK_OK;
  const int dim = s->space->components;
  const hk_count all = s->dofs + s->extra_count * dim;
  bool *held = NULL;
  double *force = NULL;
  HK_TRY(hk_get(&held, s->dofs));
  HK_TRY(hk_get(&force, all));
  HK_TRY(hk_get(extra, s->extra_count * dim));
  for (hk_index i = 0; i < s->held.count; i++) held[s->held.dof[i]] = true;
  for (hk_index k = 0; k < s->held.begin[s->held.count]; k++) held[s->held.master[k]] = true;
  for (hk_count i = 0; i < s->dofs; i++) force[i] = held[i] ? s->ku[i] - s->f[i] : 0;
  if (s->lead.count) HK_TRY(pass_on(s, force));
  hk_space_from_internal(s->space, dim, force, s->reaction);
  for (hk_count i = 0; i < s->extra_count * dim; i++) {
    (*extra)[i] = force[s->dofs + i];
    s->reaction[(hk_count)s->extra[i / dim] * dim + i % dim] =
        force[s->dofs + i] - s->extra_load[i];
  }
cleanup:
  hk_free(&held);
  hk_free(&force);
  return status;
}

/* Displacements and forces of the step in mesh order. Reactions are those of what is held; elsewhere K u - f is the residual. */
static hk_status take_vectors(hk_static *s)
{
  hk_status status = HK_OK;
  const int dim = s->space->components;
  double *extra = NULL;
  HK_TRY(find_reactions(s, &extra));
  if (s->heat) {
    memset(s->right, 0, (size_t)s->dofs * sizeof *s->right);
    hk_static_exchanged(s, s->right);
    for (hk_count i = 0; i < s->dofs; i++) s->ku[i] -= s->right[i]; /* what is conducted */
  }
  hk_space_from_internal(s->space, dim, s->ku, s->internal);
  hk_space_from_internal(s->space, dim, s->u, s->displacement);
  hk_constraints_apply(&s->extras, s->u);
  for (hk_count i = 0; i < s->extra_count * dim; i++) {
    const hk_count at = (hk_count)s->extra[i / dim] * dim + i % dim;
    s->displacement[at] = s->u[s->dofs + i];
    s->internal[at] = extra[i];
  }
cleanup:
  hk_free(&extra);
  return status;
}

typedef struct points { /* of at most CHUNK elements */
  hk_count count;
  hk_count begin[CHUNK + 1];
  int64_t *element, *number;
  double *value[POINT_COUNT];
} points;

static void clear_points(points *p)
{
  hk_free(&p->element);
  hk_free(&p->number);
  for (int k = 0; k < POINT_COUNT; k++) hk_free(&p->value[k]);
}

static hk_status get_points(const hk_static *s, points *p)
{
  hk_status status = HK_OK;
  hk_count most = 0;
  for (int b = 0; b < s->model->mesh->block_count; b++) {
    const hk_block *block = &s->model->mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    for (int w = 0; w <= HK_INTEGRATION_MASS; w++) {
      const hk_rule *rule = hk_element_rule(element, (hk_integration)w);
      if ((hk_count)CHUNK * rule->points > most) most = (hk_count)CHUNK * rule->points;
    }
  }
  HK_TRY(hk_get(&p->element, most));
  HK_TRY(hk_get(&p->number, most));
  for (int k = 0; k < s->layout.point_count; k++)
    HK_TRY(hk_get(&p->value[k], most * s->layout.point[k].count));
cleanup:
  return status;
}

static hk_status compute_element(const hk_static *s, hk_index e, hk_count at, points *p)
{
  const hk_mesh *mesh = s->model->mesh;
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const int dim = mesh->dim;
  double x[3 * HK_MOST_NODES], u[3 * HK_MOST_NODES];
  for (int n = 0; n < element->nodes; n++)
    for (int c = 0; c < dim; c++) {
      x[n * dim + c] = mesh->x[(hk_count)node[n] * dim + c];
      if (c < s->components)
        u[n * s->components + c] = s->displacement[(hk_count)node[n] * s->components + c];
    }
  if (s->heat)
    return hk_flux_points(&s->model->region[s->model->element_region[e]], element, x, u,
                          p->value[POINT_STRESS] + at * s->tensor,
                          p->value[POINT_COORDINATES] + at * dim);
  return hk_stress_points(&s->model->region[s->model->element_region[e]], element, x, u,
                          p->value[POINT_STRAIN] + at * s->tensor,
                          p->value[POINT_STRESS] + at * s->tensor,
                          p->value[POINT_COORDINATES] + at * dim);
}

static hk_status compute_points(const hk_static *s, hk_count first, hk_count count, points *p)
{
  const hk_mesh *mesh = s->model->mesh;
  hk_failure failure = {0};
  p->begin[0] = 0;
  for (hk_count i = 0; i < count; i++) {
    const hk_index e = (hk_index)(first + i);
    const int n = rule_of(s, hk_mesh_block_of(mesh, e)->shape, e)->points;
    p->begin[i + 1] = p->begin[i] + n;
    for (int q = 0; q < n; q++) {
      p->element[p->begin[i] + q] = hk_mesh_element_label(mesh, e);
      p->number[p->begin[i] + q] = q + 1;
    }
  }
  p->count = p->begin[count];
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++)
    hk_failure_keep(&failure, compute_element(s, (hk_index)(first + i), p->begin[i], p));
  return hk_failure_tell(&failure);
}

static hk_status write_points(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_count elements = s->model->mesh->element_count;
  hk_count at = 0;
  points *p = NULL;
  HK_TRY(hk_new(&p));
  HK_TRY(get_points(s, p));
  for (hk_count first = 0; first < elements; first += CHUNK) {
    HK_TRY(compute_points(s, first, elements - first < CHUNK ? elements - first : CHUNK, p));
    HK_TRY(hk_static_file_write_labels(s->file, s->step, at, p->count, p->element, p->number));
    for (int k = 0; k < s->layout.point_count; k++)
      HK_TRY(hk_static_file_write_points(s->file, s->step, k, at, p->count, p->value[k]));
    at += p->count;
  }
cleanup:
  if (p) clear_points(p);
  hk_free(&p);
  return status;
}

/* Displacements (temperatures) that single precision takes for 0, or keeps fewer digits of. */
static void check_small(const hk_static *s, hk_count count, const double *values)
{
  double most = 0;
  for (hk_count i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  if (most > 0 && most < FLT_MIN)
    hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0,
                    "%s is at most %.3g, below 1.2e-38, where the single precision of field files "
                    "loses digits: run.h5 has it in double",
                    s->fields.quantity[FIELD_DISPLACEMENT].name, most);
}

static hk_status write_field(hk_static *s, int quantity, int components, const double *values)
{
  const hk_count count = s->model->mesh->node_count * components;
  if (quantity == FIELD_DISPLACEMENT) check_small(s, count, values);
  for (hk_count i = 0; i < count; i++) s->frame[i] = (float)values[i];
  return hk_field_file_write(s->field_file, s->step, quantity, s->frame);
}

static hk_status write_fields(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->model->mesh;
  HK_TRY(write_field(s, FIELD_DISPLACEMENT, s->components, s->displacement));
  HK_TRY(write_field(s, FIELD_REACTION, s->components, s->reaction));
  HK_TRY(write_field(s, FIELD_STRESS, s->tensor, s->stress));
  for (hk_count n = 0; n < mesh->node_count && !s->heat; n++)
    s->frame[n] = (float)hk_stress_mises(s->tensor, s->stress + n * s->tensor);
  if (!s->heat) HK_TRY(hk_field_file_write(s->field_file, s->step, FIELD_MISES, s->frame));
  HK_TRY(hk_field_file_flush(s->field_file));
cleanup:
  return status;
}

hk_status hk_static_write(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_model *model = s->model;
  const double before = hk_seconds();
  HK_TRY(take_vectors(s));
  HK_TRY(s->heat ? hk_flux_nodes(model->mesh, model->region, model->region_count,
                                 model->element_region, s->displacement, s->stress)
                 : hk_stress_nodes(model->mesh, model->region, model->region_count,
                                   model->element_region, s->displacement, s->stress, s->strain));
  HK_TRY(hk_static_file_write(s->file, s->step, DISPLACEMENT, s->displacement));
  HK_TRY(hk_static_file_write(s->file, s->step, REACTION, s->reaction));
  HK_TRY(hk_static_file_write(s->file, s->step, STRESS, s->stress));
  if (!s->heat) HK_TRY(hk_static_file_write(s->file, s->step, STRAIN, s->strain));
  HK_TRY(write_points(s));
  HK_TRY(hk_static_file_flush(s->file));
  HK_TRY(write_fields(s));
  HK_TRY(hk_static_print(s));
cleanup:
  s->session->seconds.output += hk_seconds() - before;
  return status;
}
