/* What acts in a static step, at its end: constraints and loads on degrees of freedom. */
#include "base/formula.h"
#include "element/face.h"
#include "load/rows.h"
#include "run/static/static.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

hk_index hk_static_dof(const hk_static *s, hk_index node, int component)
{
  const int components = s->space->components;
  if (s->space->node[node] >= 0) return s->space->node[node] * components + component;
  const hk_index *at =
      s->extra_count ? bsearch(&node, s->extra, (size_t)s->extra_count, sizeof *s->extra, by_value)
                     : NULL;
  return at ? (hk_index)(s->dofs + (at - s->extra) * components + component) : -1;
}

double hk_static_signal(const hk_static *s, int signal, bool total_time, double start, double delay)
{
  const double t = s->model->step[s->step].duration + (total_time ? start : 0) - delay;
  if (t < 0) return 0;
  return signal < 0 ? 1 : hk_signal_value(&s->model->signal[signal], t);
}

/* Rows of a node along a direction, or of one component: returns the terms, 0 if it has no degree of freedom. */
static int terms_of(const hk_static *s, hk_index node, int component, const double *direction,
                    double weight, hk_index *dof, double *coefficient)
{
  const int dim = s->components;
  int terms = 0;
  if (hk_static_dof(s, node, 0) < 0) return 0;
  for (int c = 0; c < dim; c++) {
    const double w = component >= 0 ? c == component : direction[c];
    if (fabs(w) <= 1e-12) continue;
    dof[terms] = hk_static_dof(s, node, c);
    coefficient[terms++] = weight * w;
  }
  return terms;
}

static hk_status add_point_motion(const hk_static *s, const hk_motion *m, double value,
                                  hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  hk_rows point = {0};
  hk_index dof[81];
  double coefficient[81];
  int terms = 0;
  status = hk_rows_of_points(s->model->mesh, 1, m->at, &point);
  if (status == HK_BAD_INPUT)
    status = hk_model_error(s->model, s->list, m->place, status, "%s", hk_error());
  HK_TRY(status);
  for (hk_count k = 0; k < point.begin[1]; k++)
    terms += terms_of(s, point.node[k], m->component, m->direction, point.weight[k], dof + terms,
                      coefficient + terms);
  HK_TRY(
      hk_constraint_rows_add(rows, terms, dof, coefficient, value, m->place.file, m->place.line));
cleanup:
  hk_rows_clear(&point);
  return status;
}

static hk_status add_motion(const hk_static *s, const hk_motion *m, double start,
                            hk_constraint_rows *rows, hk_count *orphans)
{
  hk_status status = HK_OK;
  hk_index dof[3];
  double coefficient[3];
  if (m->component >= s->space->components) return HK_OK;
  if (m->has_point)
    return add_point_motion(
        s, m, m->value * hk_static_signal(s, m->signal, m->total_time, start, m->delay), rows);
  for (hk_count i = 0; i < m->target.count; i++) {
    const double delay = m->delay + (m->delays ? m->delays[i] : 0);
    const double given = m->values ? m->values[i] : m->value;
    double value =
        given == 0 ? 0 : given * hk_static_signal(s, m->signal, m->total_time, start, delay);
    const int terms =
        terms_of(s, m->target.item[i], m->component,
                 m->directions ? m->directions + 3 * i : m->direction, 1, dof, coefficient);
    *orphans += !terms;
    for (int k = 0; m->frozen && k < terms; k++) value += coefficient[k] * s->u[dof[k]];
    if (terms)
      HK_TRY(hk_constraint_rows_add(rows, terms, dof, coefficient, value, m->place.file,
                                    m->place.line));
  }
cleanup:
  return status;
}

static hk_status add_equation(const hk_static *s, const hk_equation *e, hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  hk_index *dof = NULL;
  HK_TRY(hk_get(&dof, e->terms));
  for (int k = 0; k < e->terms; k++) dof[k] = hk_static_dof(s, e->node[k], e->component[k]);
  HK_TRY(hk_constraint_rows_add(rows, e->terms, dof, e->coefficient, e->value, e->place.file,
                                e->place.line));
cleanup:
  hk_free(&dof);
  return status;
}

static int by_element(const void *a, const void *b)
{
  const hk_exchange *x = a, *y = b;
  return x->element != y->element ? (x->element > y->element) - (x->element < y->element)
                                  : (x->face > y->face) - (x->face < y->face);
}

/* The coefficient of a film at the end of the step. */
static hk_status film_of(const hk_static *s, const hk_load *load, double start, double *film)
{
  *film = load->film;
  if (load->film_signal >= 0)
    *film *= hk_static_signal(s, load->film_signal, load->film_total, start, 0);
  if (*film >= 0) return HK_OK;
  return hk_model_error(s->model, s->list, load->place, HK_BAD_INPUT,
                        "the film's coefficient is %g at the end of the step: must be 0 or above",
                        *film);
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
static hk_status find_exchange(hk_static *s, const hk_step *step, double start)
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
    HK_TRY(film_of(s, load, start, &film));
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
                  "node %lld belongs to no element, and the equations do not settle its %s%s (%lld "
                  "such): 0 is taken; prescribe it, or give the equations that are missing",
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
  const hk_step *from = &s->model->step[step];
  const hk_count extra = s->extra_count * s->space->components;
  hk_count orphans = 0;
  s->step = step;
  hk_constraints_clear(&s->held);
  hk_constraints_clear(&s->extras);
  hk_constraints_clear(&s->lead);
  for (int i = 0; i < s->model->equation_count; i++)
    HK_TRY(add_equation(s, &s->model->equation[i], &rows));
  for (int i = 0; i < from->motion_count; i++)
    HK_TRY(add_motion(s, &from->motion[i], start, &rows, &orphans));
  if (orphans && step == 0)
    hk_messages_add(s->list, HK_WARNING, from->place.file, from->place.line, 0,
                    "%lld prescribed %s are of nodes that belong to no element, and are left out",
                    (long long)orphans, hk_words_of(s->heat)->values);
  HK_TRY(hk_constraints_build(&rows, s->dofs, extra, s->list, &s->held, &s->extras));
  HK_TRY(tell_open(s, &rows));
  if (s->model->equation_count) HK_TRY(hk_constraints_lead(&rows, s->dofs, extra, &s->lead));
  HK_TRY(find_exchange(s, from, start));
cleanup:
  hk_constraint_rows_clear(&rows);
  return status;
}

/* A force on a node that nothing carries is not left out. */
static hk_status add_nodal(hk_static *s, const hk_load *load, double start)
{
  const int dim = s->space->components;
  for (hk_count i = 0; i < load->target.count; i++) {
    const double *vector = load->vectors ? load->vectors + 3 * i : load->vector;
    const double delay = load->delay + (load->delays ? load->delays[i] : 0);
    const double scale = hk_static_signal(s, load->signal, load->total_time, start, delay);
    const hk_index dof = hk_static_dof(s, load->target.item[i], 0);
    for (int c = 0; c < dim && dof >= 0; c++) s->f[dof + c] += scale * vector[c];
    if (dof < 0 && scale != 0)
      return hk_model_error(s->model, s->list, load->place, HK_BAD_INPUT,
                            "%s node %lld, which belongs to no element: take it away",
                            hk_words_of(s->heat)->load,
                            (long long)hk_mesh_node_label(s->model->mesh, load->target.item[i]));
  }
  return HK_OK;
}

static hk_status add_point(hk_static *s, const hk_load *load, double scale)
{
  hk_rows point = {0};
  hk_status status = hk_rows_of_points(s->model->mesh, 1, load->at, &point);
  if (status == HK_BAD_INPUT)
    status = hk_model_error(s->model, s->list, load->place, status, "%s", hk_error());
  HK_TRY(status);
  for (hk_count k = 0; k < point.begin[1]; k++)
    for (int c = 0; c < s->space->components; c++)
      s->f[hk_static_dof(s, point.node[k], c)] += scale * point.weight[k] * load->vector[c];
cleanup:
  hk_rows_clear(&point);
  return status;
}

static hk_status check_density(const hk_static *s, const hk_load *load)
{
  for (hk_count i = 0; i < load->target.count; i++) {
    const int region = s->model->element_region[load->target.item[i]];
    const hk_material *m = &s->model->region[region].material;
    if (m->density > 0) continue;
    return hk_model_error(s->model, s->list, load->place, HK_BAD_INPUT,
                          "material %s: gravity and centrifugal loads need a density above 0",
                          m->name ? m->name : s->model->region[region].name);
  }
  return HK_OK;
}

/* What a formula has added is a number at every node. */
static hk_status check_formula(const hk_static *s, const hk_load *load, const double *distributed)
{
  const hk_mesh *mesh = s->model->mesh;
  const int components = s->space->components;
  for (hk_count i = 0; load->by && i < mesh->node_count * components; i++) {
    const double *x = mesh->x + i / components * mesh->dim;
    if (isfinite(distributed[i])) continue;
    return hk_model_error(s->model, s->list, load->place, HK_BAD_INPUT,
                          "%s is not a finite number near (%g, %g, %g)", hk_formula_text(load->by),
                          x[0], x[1], mesh->dim == 3 ? x[2] : 0);
  }
  return HK_OK;
}

/* distributed[mesh node][components] += the load */
static hk_status add_distributed(const hk_static *s, const hk_load *load, double start,
                                 double scale, double *distributed)
{
  hk_status status = HK_OK;
  const hk_model *model = s->model;
  const double v[3] = {scale * load->vector[0], scale * load->vector[1], scale * load->vector[2]};
  double film = 0;
  const hk_load_domain domain = {.mesh = model->mesh,
                                 .region = model->region,
                                 .element_region = model->element_region,
                                 .count = load->target.count,
                                 .element = load->target.item,
                                 .face = load->target.face,
                                 .by = {load->by, load->film_by}};
  switch (load->kind) {
  case HK_LOAD_PRESSURE: hk_load_pressure(&domain, v[0], distributed); break;
  case HK_LOAD_TRACTION: hk_load_traction(&domain, v, distributed); break;
  case HK_LOAD_BODY: hk_load_body(&domain, v, distributed); break;
  case HK_LOAD_FLUX: hk_load_flux(&domain, v[0], distributed); break;
  case HK_LOAD_HEAT: hk_load_heat(&domain, v[0], distributed); break;
  case HK_LOAD_FILM:
    HK_TRY(film_of(s, load, start, &film));
    hk_load_flux(&domain, film * v[0], distributed);
    break;
  case HK_LOAD_GRAVITY:
    HK_TRY(check_density(s, load));
    hk_load_gravity(&domain, v, distributed);
    break;
  default:
    HK_TRY(check_density(s, load));
    hk_load_centrifugal(&domain, scale * load->omega2, load->at, load->vector, distributed);
  }
  HK_TRY(check_formula(s, load, distributed));
cleanup:
  return status;
}

static hk_status add_loads(hk_static *s, const hk_step *step, double start, double *distributed)
{
  hk_status status = HK_OK;
  for (int i = 0; i < step->load_count; i++) {
    const hk_load *load = &step->load[i];
    const double scale = hk_static_signal(s, load->signal, load->total_time, start, load->delay);
    if (load->kind == HK_LOAD_FORCE)
      HK_TRY(add_nodal(s, load, start));
    else if (load->kind == HK_LOAD_POINT)
      HK_TRY(add_point(s, load, scale));
    else if (scale != 0)
      HK_TRY(add_distributed(s, load, start, scale, distributed));
  }
cleanup:
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
    HK_CHECK(
        s->f[s->dofs + i] == 0, HK_BAD_INPUT,
        "%s: %s node %lld, which belongs to no element, in a direction that no equation links: "
        "take it away",
        s->model->path, hk_words_of(s->heat)->load,
        (long long)hk_mesh_node_label(s->model->mesh, s->extra[i / dim]));
cleanup:
  return status;
}

hk_status hk_static_load(hk_static *s, int step, double start)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->model->mesh;
  const int dim = s->components;
  double *distributed = NULL;
  HK_TRY(hk_get(&distributed, mesh->node_count * dim));
  memset(s->f, 0, (size_t)(s->dofs + s->extra_count * dim) * sizeof *s->f);
  HK_TRY(add_loads(s, &s->model->step[step], start, distributed));
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int c = 0; c < dim && s->space->node[n] >= 0; c++)
      s->f[(hk_count)s->space->node[n] * dim + c] += distributed[n * dim + c];
  HK_TRY(carry_extras(s));
cleanup:
  hk_free(&distributed);
  return status;
}
