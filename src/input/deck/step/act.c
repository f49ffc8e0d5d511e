/* The loads that act in each step of a deck (OP=MOD and OP=NEW, as in Abaqus). Each node and component, or element and face, remembers the
 * last step that gave it a load of that kind: loads of earlier steps leave it out, lines of one step add. Films replace one another. An
 * amplitude in step time stops at its value at the end of its step. Cases in which CalculiX does otherwise are told. */
#include "input/deck/make.h"
#include <math.h>
#include <string.h>

enum {
  SLOT_FORCE = 0,    /* + component; by node */
  SLOT_PRESSURE = 3, /* + face; by element, like all that follow */
  SLOT_BODY = 9,     /* + component */
  SLOT_GRAVITY = 12,
  SLOT_SURFACE = 13,  /* + face: *DSLOAD P */
  SLOT_TRACTION = 19, /* + face */
  SLOT_CENTRIFUGAL = 25,
  SLOT_FLUX = 26, /* + face */
  SLOT_HEAT = 32
};

static int slot_of(const deck_active *a, hk_count i)
{
  const hk_target *t = &a->load.target;
  switch (a->load.kind) {
  case HK_LOAD_FORCE: return SLOT_FORCE + a->from->component;
  case HK_LOAD_BODY: return SLOT_BODY + a->from->component;
  case HK_LOAD_TRACTION: return SLOT_TRACTION + t->face[i];
  case HK_LOAD_PRESSURE:
    return (a->from->type == DECK_DLOAD ? SLOT_PRESSURE : SLOT_SURFACE) + t->face[i];
  case HK_LOAD_CENTRIFUGAL: return SLOT_CENTRIFUGAL;
  case HK_LOAD_FLUX: return SLOT_FLUX + t->face[i];
  case HK_LOAD_HEAT: return SLOT_HEAT;
  default: return SLOT_GRAVITY;
  }
}

/* A film takes the place of any other on its face, of its own step too: two layers of air do not add. The next load kept will be it. */
static hk_status mark_film(deck_maker *m, const deck_active *a)
{
  const hk_target *t = &a->load.target;
  bool told = false;
  for (hk_count i = 0; i < t->count; i++) {
    hk_index **film = &m->film[t->face[i]];
    if (!*film) HK_PASS(hk_pool_get(&m->pool, film, m->model->mesh->element_count));
    const deck_active *before = (*film)[t->item[i]] ? &m->load.at[(*film)[t->item[i]] - 1] : NULL;
    if (before && before->step == a->step && !told)
      hk_inp_say(m->d->reader, HK_WARNING, a->from->on.place,
                 "*FILM: face %d of element %lld has another film at line %lld; this one is used",
                 t->face[i] + 1, (long long)hk_mesh_element_label(m->model->mesh, t->item[i]),
                 (long long)before->from->on.place.line);
    told = told || (before && before->step == a->step);
    (*film)[t->item[i]] = (hk_index)m->load.count + 1;
  }
  return HK_OK;
}

/* The step in which the load is given becomes the last one of its nodes or faces. */
static hk_status mark(deck_maker *m, const deck_active *a)
{
  const hk_mesh *mesh = m->model->mesh;
  if (a->load.kind == HK_LOAD_FILM) return mark_film(m, a);
  for (hk_count i = 0; i < a->load.target.count; i++) {
    int16_t **given = &m->given[slot_of(a, i)];
    if (!*given)
      HK_PASS(hk_pool_get(&m->pool, given,
                          a->load.kind == HK_LOAD_FORCE ? mesh->node_count : mesh->element_count));
    (*given)[a->load.target.item[i]] = (int16_t)a->step;
  }
  return HK_OK;
}

/* ABSOLUTE amplitudes give the magnitude: the line's own counts as 1. */
static void make_unit(double vector[3])
{
  const double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  for (int i = 0; i < 3 && length > 0; i++) vector[i] /= length;
}

/* Lines that differ only in the node become one load. */
static bool continues(const deck_active *a, const deck_load *from, const hk_load *load)
{
  return (from->type == DECK_CLOAD || from->type == DECK_CFLUX) && a->from->type == from->type &&
         a->from->component == from->component && a->load.signal == load->signal &&
         a->load.place.file == load->place.file && a->load.vector[0] == load->vector[0] &&
         a->load.vector[1] == load->vector[1] && a->load.vector[2] == load->vector[2];
}

static hk_status keep(deck_maker *m, const deck_load *from, const hk_load *load, int s)
{
  deck_active *last = m->load.count ? &m->load.at[m->load.count - 1] : NULL;
  if (last && last->step == s && continues(last, from, load)) {
    hk_target *t = &last->load.target;
    if (last->room < t->count) last->room = t->count;
    HK_PASS(hk_pool_reserve(&m->pool, (void **)&t->item, t->count + load->target.count, &last->room,
                            sizeof *t->item));
    memcpy(t->item + t->count, load->target.item, (size_t)load->target.count * sizeof *t->item);
    t->count += load->target.count;
    return HK_OK;
  }
  HK_PASS(hk_pool_more(&m->pool, &m->load));
  last = &m->load.at[m->load.count++];
  *last = (deck_active){.load = *load, .from = from, .step = s};
  return hk_target_copy(&m->pool, &load->target, &last->load.target);
}

/* True where the two have an element in common: both ascend. */
static bool overlap(const hk_target *a, const hk_target *b)
{
  for (hk_count i = 0, k = 0; i < a->count && k < b->count;) {
    if (a->item[i] == b->item[k]) return true;
    if (a->item[i] < b->item[k])
      i++;
    else
      k++;
  }
  return false;
}

static bool same_direction(const double a[3], const double b[3])
{
  double cross = 0, dot = 0, aa = 0, bb = 0;
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3;
    cross += pow(a[i] * b[k] - a[k] * b[i], 2);
    dot += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  }
  return dot > 0 && cross <= 1e-18 * aa * bb;
}

/* One line of points: the direction of both, and the way from one point to the other. */
static bool same_axis(const hk_load *a, const hk_load *b)
{
  double way[3], length = 0, back[3];
  for (int i = 0; i < 3; i++) {
    way[i] = b->at[i] - a->at[i], back[i] = -way[i];
    length += way[i] * way[i];
  }
  double opposite[3] = {-b->vector[0], -b->vector[1], -b->vector[2]};
  if (!same_direction(a->vector, b->vector) && !same_direction(a->vector, opposite)) return false;
  return length == 0 || same_direction(a->vector, way) || same_direction(a->vector, back);
}

static bool same_name(const char *a, const char *b)
{
  return a && b ? hk_same_text(a, b) : !a && !b;
}

/* Lines of one step that CalculiX makes one load of, with the amplitude of the last. */
static void warn_of_amplitudes(deck_maker *m, const deck_load *from, deck_active *before)
{
  if (same_name(before->from->amplitude, from->amplitude)) return;
  before->told = true;
  hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
             "*DLOAD, %s: adds to that of line %lld, each with its own amplitude; CalculiX gives "
             "both the amplitude of the last one",
             from->kind == HK_LOAD_CENTRIFUGAL ? "CENTRIF" : "GRAV",
             (long long)before->from->on.place.line);
}

/* The same direction of gravity, or the same axis, as it is written: what CalculiX makes one load of. */
static bool written_alike(const deck_load *a, const deck_load *b)
{
  if (a->kind == HK_LOAD_GRAVITY) return same_direction(a->at, b->at);
  return same_direction(a->vector, b->vector) && a->at[0] == b->at[0] && a->at[1] == b->at[1] &&
         a->at[2] == b->at[2];
}

/* Gravity and rotation of lines before, where CalculiX does otherwise: the lines of one step add; one
 * of a later step takes the place of those before it on the same elements. */
static void warn_of_bodies(deck_maker *m, const deck_load *from, const hk_load *load, int s)
{
  const bool turns = load->kind == HK_LOAD_CENTRIFUGAL;
  if (load->kind != HK_LOAD_GRAVITY && !turns) return;
  for (hk_count i = 0; i < m->load.count; i++) {
    deck_active *a = &m->load.at[i];
    if (a->told || a->load.kind != load->kind || a->step < m->renewed[from->type]) continue;
    const bool same = written_alike(a->from, from);
    const bool one = same && same_name(a->from->on.name, from->on.name);
    if (one && a->step == s) warn_of_amplitudes(m, from, a);
    if (one || (a->step == s && !turns) || !overlap(&a->load.target, &load->target)) continue;
    a->told = true;
    const long long line = (long long)a->from->on.place.line;
    if (a->step == s)
      hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
                 "*DLOAD, CENTRIF: the same elements rotate about %s at line %lld: hooke adds the "
                 "two forces%s; CalculiX uses only the first",
                 same_axis(&a->load, load) ? "this axis, written differently or for another set,"
                                           : "another axis",
                 line,
                 same_axis(&a->load, load) ? ""
                                           : ", although one body cannot rotate about two axes");
    else
      hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
                 "*DLOAD, %s: replaces that of line %lld, of an earlier step, on the same "
                 "elements, as in Abaqus; CalculiX %s: give all of them in this step, with OP=NEW",
                 turns ? "CENTRIF" : "GRAV", line,
                 turns ? "uses only the first" : "adds the two, because direction or set differ");
  }
}

/* Whether the step and the model's elements have such loads; else an error is told. */
static bool is_served(deck_maker *m, const deck_load *from)
{
  if ((from->type >= DECK_CFLUX) != hk_deck_is_heat(m->d))
    hk_inp_error(m->d->reader, from->on.place,
                 from->type >= DECK_CFLUX
                     ? "*STATIC and *DYNAMIC, EXPLICIT steps have no heat loads: remove it"
                     : "*HEAT TRANSFER steps have no forces: remove them");
  else if (from->kind == HK_LOAD_CENTRIFUGAL && !hk_deck_is_static(m->d))
    hk_inp_error(m->d->reader, from->on.place,
                 "*DLOAD, CENTRIF: only static steps compute centrifugal loads");
  else if ((from->kind == HK_LOAD_FORCE || from->kind == HK_LOAD_BODY) &&
           from->component >= m->model->mesh->dim)
    hk_inp_error(m->d->reader, from->on.place, "component %d of a load: plane elements have two",
                 from->component + 1);
  else
    return true;
  return false;
}

/* The amplitudes of the load and of its film's sink become signals; those that are absolute replace the values. False where one is wrong,
 * which is then told. */
static bool give_signals(deck_maker *m, const deck_load *from, int s, int ramp, hk_load *load)
{
  bool absolute;
  if (!hk_deck_signal(m, from->amplitude, from->on.place, ramp, &load->signal, &load->total_time,
                      &absolute))
    return false;
  deck_use use = {load->signal, load->total_time, absolute, {0}, from->on.place};
  memcpy(use.value, load->vector, sizeof use.value);
  if (from->kind == HK_LOAD_CENTRIFUGAL)
    use.value[0] = load->omega2, use.value[1] = use.value[2] = 0;
  hk_deck_warn_of_amplitude(m, &use, s);
  if (absolute) make_unit(load->vector), load->omega2 = 1;
  if (absolute && from->type == DECK_FILM) load->vector[0] = 1;
  if (!hk_deck_signal(m, from->film_amplitude, from->on.place, -1, &load->film_signal,
                      &load->film_total, &absolute))
    return false;
  use = (deck_use){load->film_signal, load->film_total, absolute, {load->film}, from->on.place};
  hk_deck_warn_of_amplitude(m, &use, s);
  if (absolute) load->film = 1;
  return true;
}

static hk_status find_target(deck_maker *m, hk_pool *own, const deck_load *from, hk_target *out)
{
  if (from->type == DECK_CLOAD || from->type == DECK_CFLUX)
    return hk_deck_nodes(m->d, own, hk_deck_keyword(from->type), &from->on, out);
  return from->surface ? hk_deck_find_faces(m, own, from, out)
                       : hk_deck_find_elements(m, own, from, out);
}

/* A transient step of AMPLITUDE=RAMP: loads of later steps would grow from those before. */
static bool ramps_well(const deck_maker *m, const deck_load *from, int s, int ramp,
                       const hk_load *load)
{
  if (ramp < 0 || load->signal != ramp || !m->d->step.at[s].marches) return true;
  if (s > 0)
    return hk_inp_error(m->d->reader, from->on.place,
                        "*STEP, AMPLITUDE=RAMP: a load of a transient step after another grows "
                        "from that of the step before, which is not supported: give *AMPLITUDE");
  if (load->kind == HK_LOAD_FILM)
    hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
               "*STEP, AMPLITUDE=RAMP: the sink of this film grows from 0 to its value, as in "
               "CalculiX; give *AMPLITUDE for another beginning");
  return true;
}

static hk_status give(deck_maker *m, const deck_load *from, int s, int ramp)
{
  hk_status status = HK_OK;
  hk_pool own = {0}; /* of the target, which many lines share later */
  hk_load load = {.kind = from->kind, .place = from->on.place};
  memcpy(load.vector, from->vector, sizeof load.vector);
  if (from->kind != HK_LOAD_GRAVITY) memcpy(load.at, from->at, sizeof load.at);
  load.omega2 = from->omega2, load.film = from->film;
  if (!is_served(m, from) || !give_signals(m, from, s, ramp, &load) ||
      !ramps_well(m, from, s, ramp, &load))
    return HK_OK;
  HK_TRY(find_target(m, &own, from, &load.target));
  if (load.target.count) {
    HK_TRY(hk_deck_count(m->d, m->model->mesh, load.target.count, from->on.place));
    hk_deck_warn_of_twice(m, from);
    warn_of_bodies(m, from, &load, s);
    const deck_active whole = {.load = load, .from = from, .step = s};
    HK_TRY(mark(m, &whole));
    HK_TRY(keep(m, from, &load, s));
  }
cleanup:
  hk_pool_clear(&own);
  return status;
}

/* Whether item i of the load's target has not been taken over. */
static bool holds(const deck_maker *m, const deck_active *a, hk_count i)
{
  const hk_target *t = &a->load.target;
  if (a->load.kind == HK_LOAD_FILM) return m->film[t->face[i]][t->item[i]] == a - m->load.at + 1;
  return m->given[slot_of(a, i)][t->item[i]] == a->step;
}

static hk_count count_held(const deck_maker *m, const deck_active *a)
{
  hk_count count = 0;
  for (hk_count i = 0; i < a->load.target.count; i++) count += holds(m, a, i);
  return count;
}

/* A copy of the load on the `count` items that no other load has taken over. */
static hk_status copy_active(const deck_maker *m, const deck_active *a, hk_count count,
                             hk_load *out)
{
  hk_pool *pool = &m->model->pool;
  const hk_target *from = &a->load.target;
  hk_load copy = a->load;
  copy.target = (hk_target){0};
  HK_PASS(hk_pool_get(pool, &copy.target.item, count));
  if (from->face) HK_PASS(hk_pool_get(pool, &copy.target.face, count));
  for (hk_count i = 0; i < from->count; i++) {
    if (!holds(m, a, i)) continue;
    copy.target.item[copy.target.count] = from->item[i];
    if (from->face) copy.target.face[copy.target.count] = from->face[i];
    copy.target.count++;
  }
  if (a->from->type == DECK_CLOAD) HK_PASS(hk_deck_turn_forces(m, &copy));
  *out = copy;
  return HK_OK;
}

/* A step-time amplitude stops at the end of its step. */
static void hold(deck_maker *m, int s)
{
  for (hk_count i = 0; i < m->load.count; i++) {
    hk_load *l = &m->load.at[i].load;
    if (l->kind == HK_LOAD_FILM && l->film_signal >= 0 && !l->film_total) {
      l->film *= hk_deck_last_value(m, l->film_signal, s - 1);
      l->film_signal = -1;
    }
    if (l->signal < 0 || l->total_time) continue;
    const double value = hk_deck_last_value(m, l->signal, s - 1);
    for (int c = 0; c < 3 && l->kind != HK_LOAD_CENTRIFUGAL; c++) l->vector[c] *= value;
    l->omega2 *= value;
    l->signal = -1;
  }
}

static hk_status list(deck_maker *m, int s)
{
  hk_step *step = &m->model->step[s];
  hk_load *to;
  for (hk_count i = 0; i < m->load.count; i++) {
    const deck_active *a = &m->load.at[i];
    const double *v = a->load.vector;
    if (a->step < m->renewed[a->from->type]) continue;
    if (v[0] == 0 && v[1] == 0 && v[2] == 0 && !(a->load.film > 0)) continue;
    HK_NEED(++m->items <= DECK_MOST_ITEMS, HK_BAD_INPUT,
            "%s: more than %d loads and motions in all steps", m->d->path, DECK_MOST_ITEMS);
    HK_PASS(hk_deck_count(m->d, m->model->mesh, a->load.target.count, a->from->on.place));
    const hk_count count = count_held(m, a);
    if (!count) continue;
    HK_PASS(hk_step_add_load(m->model, step, a->load.kind, a->load.signal, a->load.place, &to));
    HK_PASS(copy_active(m, a, count, to));
  }
  return HK_OK;
}

hk_status hk_deck_act_loads(deck_maker *m, int s, int ramp)
{
  const deck_step *from = &m->d->step.at[s];
  for (int t = 0; t < DECK_LOAD_TYPES; t++)
    if (from->renew[t]) m->renewed[t] = s;
  if (s) hold(m, s);
  for (hk_count i = from->loads.first; i < from->loads.last; i++)
    HK_PASS(give(m, &m->d->acts.load.at[i], s, ramp));
  return list(m, s);
}
