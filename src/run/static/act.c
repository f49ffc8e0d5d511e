/* What acts in a static step, at its end: constraints and loads on degrees of freedom. */
#include "base/formula.h"
#include "element/face.h"
#include "run/acts/acts.h"
#include "run/static/static.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The degrees of freedom of the run, and when the step ends. */
static hk_acts_on acts_on(const hk_static *s, int step, double start)
{
  return (hk_acts_on){.model = s->model,
                      .list = s->list,
                      .space = s->space,
                      .extra = s->extra,
                      .extra_count = s->extra_count,
                      .start = start,
                      .still = true,
                      .end = s->model->step[step].duration};
}

/* What is frozen is held where the step before has left it. */
static hk_status add_rows(const hk_static *s, const hk_acts *acts, hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  for (const hk_act_row *r = acts->row; r < acts->row + acts->rows; r++) {
    const hk_index *dof = acts->dof + r->begin;
    const double *weight = acts->weight + r->begin;
    double value = r->value;
    for (int k = 0; r->motion && r->motion->frozen && k < r->terms; k++)
      value += weight[k] * s->u[dof[k]];
    HK_TRY(
        hk_constraint_rows_add(rows, r->terms, dof, weight, value, r->place.file, r->place.line));
  }
cleanup:
  return status;
}

/* Rows of the model's equations, and of the step's motions. */
static hk_status constrain(const hk_static *s, const hk_acts_on *on, int step,
                           hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  const hk_step *from = &s->model->step[step];
  hk_points points = {0};
  hk_acts acts = {.on = on, .points = &points};
  const hk_shot motions = {.motion = from->motion, .motion_count = from->motion_count};
  HK_TRY(hk_points_find(s->model, s->list, 1, &motions, &points));
  HK_TRY(hk_acts_link(&acts, s->model->equation.count, s->model->equation.at));
  HK_TRY(hk_acts_move(&acts, from->motion_count, from->motion));
  if (acts.orphans && step == 0)
    hk_messages_add(s->list, HK_WARNING, from->place.file, from->place.line, 0,
                    "%lld prescribed %s are at nodes that belong to no element, and are ignored",
                    (long long)acts.orphans, hk_words_of(s->heat)->values);
  HK_TRY(add_rows(s, &acts, rows));
cleanup:
  hk_acts_clear(&acts);
  hk_points_clear(&points);
  return status;
}

static int by_element(const void *a, const void *b)
{
  const hk_exchange *x = a, *y = b;
  return x->element != y->element ? (x->element > y->element) - (x->element < y->element)
                                  : (x->face > y->face) - (x->face < y->face);
}

/* The formula of a film's coefficient at the points of a face: *some where it is above 0 at one. HK_BAD_INPUT where it has no
 * value, or one below 0. */
static hk_status check_film(const hk_static *s, const hk_load *load, hk_count k, bool *some)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->model->mesh;
  const hk_count e = load->target.item[k];
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_element_face *face = &element->face[load->target.face[k]];
  const hk_region *region = &s->model->region[s->model->element_region[e]];
  const bool reduced = hk_face_reduced(element, region->integration);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_FACE_NODES], n[HK_MOST_FACE_NODES], normal[3], at[3];
  *some = false;
  for (int i = 0; i < face->nodes * mesh->dim; i++)
    x[i] = mesh->x[(hk_count)node[face->node[i / mesh->dim]] * mesh->dim + i % mesh->dim];
  for (int q = 0; q < hk_face_points(element, face, reduced); q++) {
    hk_face_point(element, face, reduced, q, x, n, normal);
    hk_element_place(mesh->dim, face->nodes, n, x, at);
    const double value = hk_formula_value(load->film_by, at);
    *some = *some || value > 0;
    if (isfinite(value) && value >= 0) continue;
    HK_TRY(
        hk_model_error(s->model, s->list, load->place, HK_BAD_INPUT,
                       "film: the coefficient %s is %g at (%g, %g, %g), on element %lld: must be "
                       "finite and 0 or above",
                       hk_formula_text(load->film_by), value, at[0], at[1], at[2],
                       (long long)hk_mesh_element_label(mesh, e)));
  }
cleanup:
  return status;
}

/* The faces of the step's films. */
static hk_status find_exchange(hk_static *s, const hk_acts_on *on, const hk_step *step)
{
  hk_status status = HK_OK;
  hk_count count = 0;
  hk_free(&s->exchange);
  s->exchange_count = 0;
  for (int i = 0; i < step->load_count; i++)
    if (step->load[i].kind == HK_LOAD_FILM) count += step->load[i].target.count;
  HK_TRY(hk_get(&s->exchange, count));
  for (int i = 0; i < step->load_count; i++) {
    const hk_load *load = &step->load[i];
    double film;
    if (load->kind != HK_LOAD_FILM) continue;
    HK_TRY(hk_acts_film(on, load, &film));
    for (hk_count k = 0; k < load->target.count; k++) {
      bool some = true;
      if (load->film_by) HK_TRY(check_film(s, load, k, &some));
      s->exchange[s->exchange_count++] =
          (hk_exchange){load->target.item[k], load->target.face[k], some ? film : 0, load->film_by};
    }
  }
  if (count) qsort(s->exchange, (size_t)count, sizeof *s->exchange, by_element);
cleanup:
  return status;
}

/* Extra nodes have no stiffness: what the step's equations name and do not settle is taken as 0. Told once. */
static hk_status tell_open(hk_static *s, const hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  const hk_place place = s->model->step[s->step].place;
  const int components = s->space->components;
  const hk_count extra = s->extra_count * components;
  static const char *const along[] = {" along x", " along y", " along z"};
  bool *open = NULL;
  hk_count count = 0, first = -1;
  if (!extra || s->open_told) return HK_OK;
  HK_TRY(hk_get(&open, extra));
  for (hk_count k = 0; k < rows->entries; k++)
    if (rows->dof[k] >= s->dofs) open[rows->dof[k] - s->dofs] = true;
  for (hk_index i = 0; i < s->extras.count; i++) open[s->extras.dof[i] - s->dofs] = false;
  for (hk_count i = 0; i < extra; i++)
    if (open[i] && !count++) first = i;
  if (!count) goto cleanup;
  s->open_told = true;
  hk_messages_add(s->list, HK_WARNING, place.file, place.line, 0,
                  "node %lld belongs to no element, and the equations do not determine its %s%s "
                  "(%lld such): hooke takes 0; prescribe it, or give the missing equations",
                  (long long)hk_mesh_node_label(s->model->mesh, s->extra[first / components]),
                  s->heat ? "temperature" : "displacement",
                  s->heat ? "" : along[first % components], (long long)count);
cleanup:
  hk_free(&open);
  return status;
}

hk_status hk_static_hold(hk_static *s, int step, double start)
{
  hk_status status = HK_OK;
  hk_constraint_rows rows = {0};
  const hk_acts_on on = acts_on(s, step, start);
  const hk_count extra = s->extra_count * s->space->components;
  s->step = step;
  hk_constraints_clear(&s->held);
  hk_constraints_clear(&s->extras);
  hk_constraints_clear(&s->lead);
  HK_TRY(constrain(s, &on, step, &rows));
  HK_TRY(hk_constraints_build(&rows, s->dofs, extra, s->list, &s->held, &s->extras));
  HK_TRY(tell_open(s, &rows));
  if (s->model->equation.count) HK_TRY(hk_constraints_lead(&rows, s->dofs, extra, &s->lead));
  HK_TRY(find_exchange(s, &on, &s->model->step[step]));
cleanup:
  hk_constraint_rows_clear(&rows);
  return status;
}

static hk_status add_loads(hk_static *s, int step, double start)
{
  hk_status status = HK_OK;
  const hk_step *from = &s->model->step[step];
  const hk_acts_on on = acts_on(s, step, start);
  hk_points points = {0};
  hk_acts acts = {.on = &on, .points = &points, .f = s->f};
  const hk_shot loads = {.load = from->load, .load_count = from->load_count};
  HK_TRY(hk_points_find(s->model, s->list, 1, &loads, &points));
  HK_TRY(hk_acts_push(&acts, from->load_count, from->load));
cleanup:
  hk_acts_clear(&acts);
  hk_points_clear(&points);
  return status;
}

/* Forces on extra nodes go where their equations lead; on those that are prescribed, into their reactions. */
static hk_status carry_extras(hk_static *s)
{
  hk_status status = HK_OK;
  const int dim = s->space->components;
  memset(s->extra_load, 0, (size_t)(s->extra_count * dim) * sizeof *s->extra_load);
  for (hk_index i = 0; i < s->extras.count; i++)
    if (s->extras.begin[i] == s->extras.begin[i + 1])
      s->extra_load[s->extras.dof[i] - s->dofs] = s->f[s->extras.dof[i]];
  for (hk_count i = 0; i < s->extra_count * dim; i++)
    if (s->f[s->dofs + i] != 0) goto some;
  return HK_OK;
some:
  hk_constraints_transpose(&s->extras, s->f);
  for (hk_count i = 0; i < s->extra_count * dim; i++)
    HK_CHECK(s->f[s->dofs + i] == 0, HK_BAD_INPUT,
             "%s: %s node %lld, which belongs to no element, in a direction that no equation uses: "
             "remove it",
             s->model->path, hk_words_of(s->heat)->load,
             (long long)hk_mesh_node_label(s->model->mesh, s->extra[i / dim]));
cleanup:
  return status;
}

hk_status hk_static_load(hk_static *s, int step, double start)
{
  hk_status status = HK_OK;
  memset(s->f, 0, (size_t)(s->dofs + s->extra_count * s->space->components) * sizeof *s->f);
  HK_TRY(add_loads(s, step, start));
  HK_TRY(carry_extras(s));
cleanup:
  return status;
}
