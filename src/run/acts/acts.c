/* Loads, motions, equations and initial values translated to sparse rows over degrees of freedom: sum weight u[dof] = value s(t) and
 * F[dof] += coefficient s(t). Loads on faces and elements are integrated by load/load.h into forces at nodes, the right side of (W.2). Where the
 * analysis stands still, signals are replaced by their value at the end of the step. */
#include "run/acts/push.h"
#include "base/sort.h"
#include "base/formula.h"
#include "physics/words.h"
#include <math.h>
#include <stdlib.h>

/* Whether the one unknown of a node is u_z, component 2 of vectors. */
static bool across(const hk_acts_on *on)
{
  return hk_model_is_antiplane(on->model);
}

/* Components of vectors that may have degrees of freedom (hk_acts_dof). */
static int components_of(const hk_acts_on *on)
{
  return across(on) ? 3 : on->space->components;
}

hk_index hk_acts_dof(const hk_acts_on *on, hk_medium medium, hk_index node, int component)
{
  const hk_space *space = on->space;
  const int components = space->components;
  if (!hk_model_acts(on->model, medium, node) || (medium == HK_FLUID && component > 0)) return -1;
  if (across(on)) component = component == 2 ? 0 : components;
  if (component >= components) return -1;
  if (space->node[node] >= 0) return space->node[node] * components + component;
  const hk_index *at = on->extra_count ? bsearch(&node, on->extra, (size_t)on->extra_count,
                                                 sizeof node, hk_compare_index)
                                       : NULL;
  return at ? (hk_index)((space->padded + (at - on->extra)) * components + component) : -1;
}

/* Still: the value at the end of the step of what begins `start` after its begin; signal -1: constant 1. */
static double value_at_end(const hk_acts_on *on, int signal, double start)
{
  const double t = on->end - start;
  if (t < 0) return 0;
  return signal < 0 ? 1 : hk_signal_value(&on->model->signal.at[signal], t);
}

/* The signal of node i of an act: its row of the table, and 1; or 0, and its value where the analysis stands still. The last rows are looked
 * through first. */
static hk_status find_signal(hk_acts *a, const hk_act *act, hk_count i, hk_role role, hk_index *row,
                             double *scale)
{
  const hk_acts_on *on = a->on;
  const hk_signal *s = act->signal < 0 ? NULL : &on->model->signal.at[act->signal];
  const double start = hk_act_start(act, on->start, i);
  *scale = on->still ? value_at_end(on, act->signal, start) : 1;
  *row = 0;
  if (on->still) return HK_OK;
  for (hk_count k = a->signal.count - 1; k >= 0 && k >= a->signal.count - 64; k--) {
    const hk_source_signal *d = &a->signal.at[k];
    *row = (hk_index)k;
    if (d->signal == s && d->start == start && d->role == role) return HK_OK;
  }
  HK_PASS(hk_list_more(&a->signal));
  *row = (hk_index)a->signal.count;
  a->signal.at[a->signal.count++] = (hk_source_signal){.signal = s, .start = start, .role = role};
  return HK_OK;
}

/* Row of the point at which an act acts. Acts are taken nearly in the order of their points. */
static hk_count point_of(hk_acts *a, const void *act)
{
  const hk_count count = a->points->rows.row_count;
  while (a->points->act[a->point % count] != act) a->point++;
  return a->point % count;
}

/* A row without terms. */
static hk_status open_row(hk_acts *a, const hk_motion *motion, hk_place place)
{
  HK_PASS(hk_list_more(&a->row));
  a->row.at[a->row.count++] =
      (hk_act_row){.motion = motion, .place = place, .begin = a->dof.count, .signal = -1};
  return HK_OK;
}

static hk_act_row *last_row(hk_acts *a)
{
  return &a->row.at[a->row.count - 1];
}

/* One more term of the row whose terms lie last, where the degree of freedom exists. */
static hk_status add_term(hk_acts *a, hk_act_row *row, hk_index dof, double weight)
{
  if (dof < 0) return HK_OK;
  HK_PASS(hk_list_more(&a->dof));
  HK_PASS(hk_list_more(&a->weight));
  a->dof.at[a->dof.count++] = a->first_dof + dof;
  a->weight.at[a->weight.count++] = weight;
  row->terms++;
  return HK_OK;
}

hk_status hk_acts_link(hk_acts *a, int count, const hk_equation *equation)
{
  for (const hk_equation *e = equation; e < equation + count; e++) {
    HK_PASS(open_row(a, NULL, e->place));
    last_row(a)->value = e->value;
    for (int k = 0; k < e->terms; k++)
      HK_PASS(add_term(a, last_row(a), hk_acts_dof(a->on, HK_SOLID, e->node[k], e->component[k]),
                       e->coefficient[k]));
  }
  return HK_OK;
}

hk_status hk_acts_tie(hk_acts *a)
{
  const hk_ties *t = a->on->ties;
  for (hk_index i = 0; t && i < t->count; i++)
    for (int c = across(a->on) ? 2 : 0; c < components_of(a->on); c++) {
      HK_PASS(open_row(a, NULL, a->on->model->solve.orders));
      HK_PASS(add_term(a, last_row(a), hk_acts_dof(a->on, HK_SOLID, t->node[i], c), 1));
      for (hk_count k = t->begin[i]; k < t->begin[i + 1]; k++)
        HK_PASS(
            add_term(a, last_row(a), hk_acts_dof(a->on, HK_SOLID, t->master[k], c), -t->weight[k]));
    }
  return HK_OK;
}

/* Marks the nodes of the motion, so that moves_masters can ask for them. */
static hk_status mark_moved(hk_acts *a, const hk_motion *m, int number)
{
  if (!a->on->ties || !a->on->ties->count) return HK_OK;
  if (!a->moved) HK_PASS(hk_get(&a->moved, a->on->model->mesh->node_count));
  for (hk_count i = 0; i < m->target.count; i++) a->moved[m->target.item[i]] = number;
  return HK_OK;
}

/* Whether the node is tied to others that the motion names too: these move it. */
static bool moves_masters(const hk_acts *a, hk_index node, int number)
{
  const hk_ties *t = a->on->ties;
  const hk_index *at =
      t && t->count ? bsearch(&node, t->node, (size_t)t->count, sizeof node, hk_compare_index)
                    : NULL;
  bool all = at != NULL;
  for (hk_count k = all ? t->begin[at - t->node] : 0; all && k < t->begin[at - t->node + 1]; k++)
    all = a->moved[t->master[k]] == number;
  return all;
}

static hk_role role_of(hk_motion_kind kind)
{
  static const hk_role role[] = {[HK_MOVE_DISPLACEMENT] = HK_ROLE_DISPLACEMENT,
                                 [HK_MOVE_VELOCITY] = HK_ROLE_VELOCITY,
                                 [HK_MOVE_ACCELERATION] = HK_ROLE_ACCELERATION};
  return role[kind];
}

/* A node's part of the last row: along a component, or along a direction. */
static hk_status add_node(hk_acts *a, const hk_motion *m, const double *direction, hk_index node,
                          double share)
{
  for (int c = 0; c < components_of(a->on); c++) {
    const double w = m->component < 0 ? direction[c] : (c == m->component);
    if (fabs(w) > 1e-12)
      HK_PASS(add_term(a, last_row(a), hk_acts_dof(a->on, m->medium, node, c), share * w));
  }
  return HK_OK;
}

/* The goal of the last row: that of node i of the motion. */
static hk_status set_goal(hk_acts *a, const hk_motion *m, hk_count i)
{
  const hk_act act = hk_act_of_motion(m);
  const double given = m->values ? m->values[i] : m->value;
  hk_act_row *row = last_row(a);
  hk_index signal;
  double scale;
  HK_PASS(find_signal(a, &act, i, role_of(m->kind), &signal, &scale));
  row->value = given == 0 ? 0 : given * scale;
  if (!a->on->still && (given != 0 || m->kind != HK_MOVE_DISPLACEMENT)) row->signal = signal;
  return HK_OK;
}

/* A source of the other medium alone. */
static hk_status refuse_idle(const hk_acts_on *on, hk_place place, hk_medium medium)
{
  return hk_model_error(
      on->model, on->list, place, HK_BAD_INPUT,
      medium == HK_FLUID
          ? "this source acts on no fluid: volume_rate is for fluids, force for solids"
          : "this source acts on no solid: give volume_rate in a fluid");
}

static hk_status move_point(hk_acts *a, const hk_motion *m)
{
  const hk_rows *rows = &a->points->rows;
  const hk_count point = point_of(a, m);
  HK_PASS(open_row(a, m, m->place));
  for (hk_count k = rows->begin[point]; k < rows->begin[point + 1]; k++)
    HK_PASS(add_node(a, m, m->direction, rows->node[k], rows->weight[k]));
  if (!last_row(a)->terms) return refuse_idle(a->on, m->place, m->medium);
  return set_goal(a, m, 0);
}

/* Of a set of the other medium alone. */
static hk_status refuse_idle_motion(const hk_acts_on *on, const hk_motion *m)
{
  return hk_model_error(
      on->model, on->list, m->place, HK_BAD_INPUT,
      m->medium == HK_FLUID
          ? "fix: pressure acts on no fluid here: the set has only nodes of solids"
          : "this condition acts on no solid here: the set has only nodes of fluids, whose walls "
            "are rigid by default");
}

/* Nodes without a degree of freedom are left out, and those that follow others. */
static hk_status move_nodes(hk_acts *a, const hk_motion *m, int number)
{
  const hk_count first = a->row.count;
  HK_PASS(mark_moved(a, m, number));
  for (hk_count i = 0; i < m->target.count; i++) {
    if (moves_masters(a, m->target.item[i], number)) continue;
    HK_PASS(open_row(a, m, m->place));
    HK_PASS(
        add_node(a, m, m->directions ? m->directions + 3 * i : m->direction, m->target.item[i], 1));
    if (last_row(a)->terms)
      HK_PASS(set_goal(a, m, i));
    else
      a->row.count--, a->orphans++;
  }
  if (a->on->model->media.fluid && m->target.count && a->row.count == first)
    return refuse_idle_motion(a->on, m);
  return HK_OK;
}

hk_status hk_acts_move(hk_acts *a, int count, const hk_motion *motion)
{
  for (const hk_motion *m = motion; m < motion + count; m++)
    if (m->has_point)
      HK_PASS(move_point(a, m));
    else if (m->component < a->on->model->mesh->dim || m->component < components_of(a->on))
      HK_PASS(move_nodes(a, m, (int)(m - motion) + 1));
  return HK_OK;
}

hk_status hk_acts_aim(hk_acts *a, hk_act_row *row, hk_index first, const double w[3])
{
  row->begin = a->dof.count, row->terms = 0;
  for (int c = 0; c < a->on->space->components; c++)
    if (fabs(w[c]) > 1e-12) HK_PASS(add_term(a, row, first - a->first_dof + c, w[c]));
  return HK_OK;
}

hk_status hk_acts_add_force(hk_acts *a, hk_index dof, hk_index signal, double coefficient)
{
  if (dof >= 0 && a->on->still) a->f[a->first_dof + dof] += coefficient;
  if (dof < 0 || a->on->still) return HK_OK;
  HK_PASS(hk_list_more(&a->force));
  a->force.at[a->force.count++] = (hk_force_entry){a->first_dof + dof, signal, coefficient};
  return HK_OK;
}

/* F += scale vector on a node */
static hk_status push_node(hk_acts *a, hk_medium medium, hk_index node, hk_index signal,
                           double scale, const double *vector)
{
  for (int c = 0; c < components_of(a->on); c++)
    if (scale * vector[c] != 0)
      HK_PASS(hk_acts_add_force(a, hk_acts_dof(a->on, medium, node, c), signal, scale * vector[c]));
  return HK_OK;
}

/* A force on a node that nothing carries is not left out. */
static hk_status refuse_lost(const hk_acts_on *on, const hk_load *load, hk_index node)
{
  return hk_model_error(on->model, on->list, load->place, HK_BAD_INPUT,
                        "%s node %lld, which belongs to no element: remove it",
                        hk_words_of(on->space->unknowns)->load,
                        (long long)hk_mesh_node_label(on->model->mesh, node));
}

static hk_status push_nodes(hk_acts *a, const hk_load *load, const hk_act *act)
{
  for (hk_count i = 0; i < load->target.count; i++) {
    const hk_index node = load->target.item[i];
    hk_index signal;
    double scale;
    HK_PASS(find_signal(a, act, i, HK_ROLE_FORCE, &signal, &scale));
    if (a->on->still && scale != 0 && hk_acts_dof(a->on, load->medium, node, 0) < 0)
      return refuse_lost(a->on, load, node);
    HK_PASS(push_node(a, load->medium, node, signal, scale,
                      load->vectors ? load->vectors + 3 * i : load->vector));
  }
  return HK_OK;
}

/* moment[3][3] . slope of a node whose weight at the point is n; of a ring of radius r also moment_zz n / r, on the axis its limit (E.13) */
static void apply(const double *moment, const double slope[3], bool ring, double r, double n,
                  double force[3])
{
  for (int c = 0; c < 3; c++)
    force[c] =
        moment[3 * c] * slope[0] + moment[3 * c + 1] * slope[1] + moment[3 * c + 2] * slope[2];
  if (ring) force[0] += moment[8] * (r > 0 ? n / r : slope[0]);
}

static hk_status push_point(hk_acts *a, const hk_load *load, const hk_act *act)
{
  const hk_rows *rows = &a->points->rows;
  const hk_count point = point_of(a, load);
  const bool ring = hk_model_is_axisymmetric(a->on->model);
  hk_index signal;
  double scale;
  HK_PASS(find_signal(a, act, 0, HK_ROLE_FORCE, &signal, &scale));
  for (hk_count k = rows->begin[point]; k < rows->begin[point + 1]; k++) {
    double force[3];
    if (load->moment)
      apply(load->moment, rows->slope[k], ring, load->at[0], rows->weight[k], force);
    HK_PASS(load->moment ? push_node(a, load->medium, rows->node[k], signal, scale, force)
                         : push_node(a, load->medium, rows->node[k], signal,
                                     scale * rows->weight[k], load->vector));
  }
  return HK_OK;
}

/* Faces and elements of solids, with a density where the load is in proportion to it. */
static hk_status check_materials(const hk_acts_on *on, const hk_load *load)
{
  const hk_model *model = on->model;
  const bool weighs = load->kind == HK_LOAD_GRAVITY || load->kind == HK_LOAD_CENTRIFUGAL;
  for (hk_count i = 0; i < load->target.count && (weighs || model->media.fluid); i++) {
    const hk_count e = load->target.item[i];
    const hk_region *region = &model->region[model->element_region[e]];
    const hk_material *m = &region->material;
    if (m->fluid)
      return hk_model_error(
          model, on->list, load->place, HK_BAD_INPUT,
          "this load acts on element %lld, a fluid: only solids bear pressure and traction; for "
          "fluids use volume_rate in sources or fix: pressure in boundary",
          (long long)hk_mesh_element_label(model->mesh, e));
    if (weighs && !(m->density > 0))
      return hk_model_error(model, on->list, load->place, HK_BAD_INPUT,
                            "material %s: gravity and centrifugal loads need a density above 0",
                            m->name ? m->name : region->name);
  }
  return HK_OK;
}

/* What a formula has added is a number at every node. */
static hk_status check_formula(const hk_acts *a, const hk_load *load)
{
  const hk_mesh *mesh = a->on->model->mesh;
  const int components = a->on->space->components;
  for (hk_count i = 0; load->by && i < mesh->node_count * components; i++) {
    const double *x = mesh->x + i / components * mesh->dim;
    if (isfinite(a->spread[i])) continue;
    return hk_model_error(a->on->model, a->on->list, load->place, HK_BAD_INPUT,
                          "%s is not a finite number near (%g, %g, %g)", hk_formula_text(load->by),
                          x[0], x[1], mesh->dim == 3 ? x[2] : 0);
  }
  return HK_OK;
}

double hk_acts_scale(const hk_acts_on *on, const hk_load *load)
{
  const hk_act act = hk_act_of_load(load);
  return value_at_end(on, act.signal, hk_act_start(&act, on->start, 0));
}

hk_status hk_acts_film(const hk_acts_on *on, const hk_load *load, double *film)
{
  *film = load->film;
  if (load->film_signal >= 0)
    *film *= value_at_end(on, load->film_signal, load->film_total ? -on->start : 0);
  if (*film >= 0) return HK_OK;
  return hk_model_error(on->model, on->list, load->place, HK_BAD_INPUT,
                        "the film coefficient is %g at the end of the step: must be 0 or above",
                        *film);
}

/* The force in all becomes that per area or volume. */
static hk_status share(const hk_acts *a, const hk_load *load, const hk_load_domain *domain,
                       hk_load_density *what)
{
  const double size = hk_load_measure(domain);
  if (!(size > 0))
    return hk_model_error(
        a->on->model, a->on->list, load->place, HK_BAD_INPUT,
        "total_force: the faces or elements of the set have no area or volume: give "
        "another set");
  for (int d = 0; d < 3; d++) what->vector[d] /= size;
  return HK_OK;
}

/* spread += scale times the load */
static hk_status integrate(hk_acts *a, const hk_load *load, double scale)
{
  const hk_model *model = a->on->model;
  hk_load_density what = {
      .component = load->component,
      .components = a->on->space->components,
      .vector = {scale * load->vector[0], scale * load->vector[1], scale * load->vector[2]}};
  double film;
  const hk_load_domain domain = {.mesh = model->mesh,
                                 .region = model->region,
                                 .element_region = model->element_region,
                                 .count = load->target.count,
                                 .element = load->target.item,
                                 .face = load->target.face,
                                 .by = {load->by, load->film_by},
                                 .t = a->on->t};
  switch (load->kind) {
  case HK_LOAD_PRESSURE:
    what = (hk_load_density){.components = what.components, .pressure = what.vector[0]};
    break;
  case HK_LOAD_FLUX:
  case HK_LOAD_HEAT: what.scalar = true; break;
  case HK_LOAD_FILM:
    HK_PASS(hk_acts_film(a->on, load, &film));
    what.scalar = true, what.vector[0] *= film;
    break;
  case HK_LOAD_TOTAL: HK_PASS(share(a, load, &domain, &what)); break;
  case HK_LOAD_GRAVITY: what.by_density = true; break;
  case HK_LOAD_CENTRIFUGAL:
    what = (hk_load_density){.components = what.components,
                             .omega2 = scale * load->omega2,
                             .at = load->at,
                             .axis = load->vector,
                             .by_density = true};
    break;
  default: break;
  }
  if (across(a->on)) what.scalar = true, what.vector[0] = what.vector[2];
  hk_load_spread(&domain, &what, a->spread);
  return HK_OK;
}

/* What is spread becomes forces. */
static hk_status gather(hk_acts *a, hk_index signal)
{
  hk_status status = HK_OK;
  const hk_count nodes = a->on->model->mesh->node_count;
  const int components = a->on->space->components;
  for (hk_count n = 0; a->spread && n < nodes; n++) {
    const double z[3] = {0, 0, a->spread[n * components]};
    HK_TRY(push_node(a, HK_SOLID, (hk_index)n, signal, 1,
                     across(a->on) ? z : a->spread + n * components));
  }
cleanup:
  hk_free(&a->spread);
  return status;
}

static hk_status push_spread(hk_acts *a, const hk_load *load, const hk_act *act)
{
  const hk_count size = a->on->model->mesh->node_count * a->on->space->components;
  hk_index signal;
  double scale;
  HK_PASS(find_signal(a, act, 0, HK_ROLE_FORCE, &signal, &scale));
  if (scale == 0) return HK_OK;
  HK_PASS(check_materials(a->on, load));
  if (!a->spread) HK_PASS(hk_get(&a->spread, size));
  HK_PASS(integrate(a, load, scale));
  HK_PASS(check_formula(a, load));
  if (!a->on->still) HK_PASS(gather(a, signal));
  return HK_OK;
}

/* A source of the other medium alone, or one where both meet. */
static hk_status check_media(const hk_acts *a, const hk_load *load, hk_count first)
{
  const hk_acts_on *on = a->on;
  const hk_space *space = on->space;
  const bool source = load->kind == HK_LOAD_FORCE || load->kind == HK_LOAD_POINT;
  for (hk_count k = first; on->fsi && k < a->force.count; k++) {
    const hk_index node = space->mesh_node[a->force.at[k].dof / space->components % space->padded];
    if (node >= 0 && on->fsi[node])
      return hk_model_error(
          on->model, on->list, load->place, HK_BAD_INPUT,
          "this source acts on nodes of a fluid-solid interface: place it an element away");
  }
  if (!on->model->media.fluid || a->force.count > first || !source) return HK_OK;
  return refuse_idle(on, load->place, load->medium);
}

hk_status hk_acts_push(hk_acts *a, int count, const hk_load *load)
{
  for (const hk_load *l = load; l < load + count; l++) {
    const hk_act act = hk_act_of_load(l);
    const hk_count first = a->force.count;
    if (l->kind == HK_LOAD_FORCE)
      HK_PASS(push_nodes(a, l, &act));
    else if (l->kind == HK_LOAD_POINT)
      HK_PASS(push_point(a, l, &act));
    else if (l->kind == HK_LOAD_PLANE_WAVE)
      HK_PASS(hk_acts_inject(a, l, &act));
    else
      HK_PASS(push_spread(a, l, &act));
    HK_PASS(check_media(a, l, first));
  }
  HK_PASS(gather(a, 0)); /* of what stands still; nothing is left in time */
  return HK_OK;
}

hk_status hk_acts_begin(const hk_acts_on *on, hk_motion_kind kind, const bool *without,
                        double **out)
{
  const hk_model *model = on->model;
  for (const hk_initial *v = model->initial.at; v < model->initial.at + model->initial.count; v++) {
    if (v->kind != kind) continue;
    if (!*out) HK_PASS(hk_get(out, (hk_count)on->space->padded * on->space->components));
    for (hk_count k = 0; v->component < components_of(on) && k < v->target.count; k++) {
      const hk_index dof = hk_acts_dof(on, v->medium, v->target.item[k], v->component);
      if (dof < 0 || (without && without[v->target.item[k]])) continue;
      (*out)[dof] = v->values ? v->values[k] : v->value;
    }
  }
  return HK_OK;
}

static bool prescribe_alike(const hk_acts *acts, const hk_act_row *a, const hk_act_row *b,
                            double dot)
{
  if (!(fabs(a->value * dot - b->value) <= 1e-12 * fabs(b->value))) return false;
  if (a->signal < 0 || b->signal < 0) return a->signal == b->signal;
  const hk_source_signal *s = &acts->signal.at[a->signal], *o = &acts->signal.at[b->signal];
  return hk_signals_are_alike(s->signal, o->signal) && s->start == o->start && s->role == o->role;
}

void hk_acts_tell_replaced(const hk_acts *acts, hk_count earlier, hk_count row, double dot)
{
  const hk_act_row *a = &acts->row.at[earlier], *b = &acts->row.at[row];
  if (prescribe_alike(acts, a, b, dot)) return;
  hk_messages_add(acts->on->list, HK_WARNING, b->place.file ? b->place.file : acts->on->model->path,
                  b->place.line, 0,
                  "degrees of freedom are prescribed twice: this motion is used, and not that of "
                  "line %lld",
                  (long long)a->place.line);
}

void hk_acts_clear(hk_acts *a)
{
  hk_free(&a->row.at);
  hk_free(&a->dof.at);
  hk_free(&a->weight.at);
  hk_free(&a->force.at);
  hk_free(&a->signal.at);
  hk_free(&a->spread);
  hk_free(&a->moved);
  hk_pool_clear(&a->pool);
  *a = (hk_acts){0};
}
