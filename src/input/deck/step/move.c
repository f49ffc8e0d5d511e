/* The prescribed motions that act in each step of a deck: each node and component follows one setting at most, the one given last, until
 * OP=NEW releases all. A step lists one motion for each setting that nodes follow, two where some of them have axes of their own (*TRANSFORM),
 * with the nodes in ascending order. An amplitude in step time stops at its value at the end of its step. In heat conduction the only
 * component is the temperature, degree of freedom 11. */
#include "input/deck/make.h"
#include <string.h>

static hk_status own_component(deck_maker *m, int c)
{
  return m->own[c] ? HK_OK : hk_pool_get(&m->pool, &m->own[c], m->model->mesh->node_count);
}

static bool same_motion(const hk_motion *a, const hk_motion *b)
{
  return a->kind == b->kind && a->component == b->component && a->value == b->value &&
         a->frozen == b->frozen && a->signal == b->signal && a->total_time == b->total_time &&
         a->place.file == b->place.file;
}

static void tell_another(const deck_maker *m, const deck_setting *now, const deck_setting *before,
                         hk_index node)
{
  const long long label = (long long)hk_mesh_node_label(m->model->mesh, node),
                  line = (long long)before->motion.place.line;
  if (hk_deck_is_heat(m->d))
    hk_inp_say(m->d->reader, HK_WARNING, now->from->on.place,
               "*BOUNDARY: node %lld has another temperature at line %lld; this one is used", label,
               line);
  else
    hk_inp_say(
        m->d->reader, HK_WARNING, now->from->on.place,
        "*BOUNDARY: node %lld, component %d has another motion at line %lld; this one is used",
        label, now->motion.component + 1, line);
}

/* The nodes follow the setting from now on. A node that another line of the same step gave another
 * motion is warned of. */
static hk_status follow(deck_maker *m, const hk_target *target, hk_index setting, bool *told)
{
  deck_setting *now = &m->setting.at[setting];
  const int c = now->motion.component;
  HK_PASS(own_component(m, c));
  for (hk_count i = 0; i < target->count; i++) {
    hk_index *own = &m->own[c][target->item[i]];
    if (*own) {
      deck_setting *before = &m->setting.at[*own - 1];
      before->nodes--;
      if (!*told && before->step == now->step && before != now &&
          !same_motion(&before->motion, &now->motion)) {
        tell_another(m, now, before, target->item[i]);
        *told = true;
      }
    }
    *own = setting + 1;
    now->nodes++;
  }
  return HK_OK;
}

static hk_status keep(deck_maker *m, const deck_motion *from, const hk_motion *motion, int s,
                      hk_index *setting)
{
  /* lines that differ only in the node, among those of the components just given, become one */
  for (hk_count i = m->setting.count - 1; i >= 0 && i >= m->setting.count - 3; i--)
    if (m->setting.at[i].step == s && same_motion(&m->setting.at[i].motion, motion)) {
      *setting = (hk_index)i;
      return HK_OK;
    }
  HK_PASS(hk_pool_more(&m->pool, &m->setting));
  m->setting.at[m->setting.count] = (deck_setting){.motion = *motion, .from = from, .step = s};
  *setting = (hk_index)m->setting.count++;
  return HK_OK;
}

/* Temperatures belong to heat conduction, displacements to all else. */
static bool belongs(deck_maker *m, const deck_motion *from)
{
  const bool heat = hk_deck_is_heat(m->d), temperature = from->last == DECK_TEMPERATURE;
  if (heat == temperature) return true;
  if (temperature)
    hk_inp_error(m->d->reader, from->on.place,
                 "*BOUNDARY: static and explicit steps have no temperatures (11)");
  else
    hk_inp_say(m->d->reader, HK_NOTE, from->on.place,
               "*BOUNDARY: displacements change nothing in *HEAT TRANSFER steps");
  return false;
}

static hk_status give(deck_maker *m, const deck_motion *from, int s, int ramp)
{
  hk_status status = HK_OK;
  const bool heat = hk_deck_is_heat(m->d);
  const int dim = m->model->mesh->dim, first = heat ? 0 : from->first, last = heat ? 0 : from->last;
  hk_pool own = {0};
  hk_target target = {0};
  bool absolute, told = false;
  hk_motion motion = {.kind = from->kind,
                      .value = from->frozen ? 0 : from->value,
                      .frozen = from->frozen,
                      .place = from->on.place};
  if (!hk_deck_signal(m, from->amplitude, from->on.place, ramp, &motion.signal, &motion.total_time,
                      &absolute))
    return HK_OK;
  motion.grows = ramp >= 0 && motion.signal == ramp && m->d->step.at[s].marches;
  if (motion.grows) motion.signal = -1;
  const deck_use use = {motion.signal, motion.total_time, absolute, {from->value}, from->on.place};
  hk_deck_warn_of_amplitude(m, &use, s);
  if (absolute) motion.value = 1;
  if (motion.value == 0) motion.signal = -1, motion.total_time = false;
  if (from->kind != HK_MOVE_DISPLACEMENT && hk_deck_is_static(m->d)) {
    hk_inp_error(m->d->reader, from->on.place,
                 "*BOUNDARY: static steps have no velocities and accelerations");
    return HK_OK;
  }
  if (!belongs(m, from)) return HK_OK;
  if (from->first >= dim && !from->symmetry && !heat)
    hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
               "*BOUNDARY: degree of freedom %d does not exist in this model and is ignored",
               from->first + 1);
  HK_TRY(hk_deck_nodes(m->d, &own, "*BOUNDARY", &from->on, &target));
  for (int c = first; c <= last && c < dim && target.count; c++) {
    hk_index setting;
    motion.component = c;
    HK_TRY(keep(m, from, &motion, s, &setting));
    HK_TRY(follow(m, &target, setting, &told));
  }
cleanup:
  hk_pool_clear(&own);
  return status;
}

static void hold(deck_maker *m, int s)
{
  for (hk_count i = 0; i < m->setting.count; i++) {
    hk_motion *motion = &m->setting.at[i].motion;
    motion->grows = false;
    if (motion->signal < 0 || motion->total_time) continue;
    motion->value *= hk_deck_last_value(m, motion->signal, s - 1);
    motion->signal = -1;
  }
}

/* of a setting's motions in the step: of nodes with global axes, with others */
typedef struct places {
  hk_count count[2];
  hk_index at[2];
} places;

static bool turned(const deck_maker *m, hk_count node)
{
  return !hk_deck_is_heat(m->d) && m->axes_of && m->axes_of[node];
}

static void count_nodes(const deck_maker *m, places *p)
{
  for (int c = 0; c < 3; c++)
    for (hk_count node = 0; m->own[c] && node < m->model->mesh->node_count; node++)
      if (m->own[c][node]) p[m->own[c][node] - 1].count[turned(m, node)]++;
}

static hk_status open_motion(hk_pool *pool, hk_step *step, const deck_setting *setting,
                             hk_count count, bool local)
{
  hk_motion *motion = &step->motion[step->motion_count];
  *motion = setting->motion;
  motion->target = (hk_target){0};
  step->motion_count++;
  HK_PASS(hk_pool_get(pool, &motion->target.item, count));
  if (!local) return HK_OK;
  motion->component = -1;
  return hk_pool_get(pool, &motion->directions, 3 * count);
}

static void add_node(const deck_maker *m, hk_motion *motion, int c, hk_index node)
{
  double row[3][3];
  if (motion->directions) {
    hk_deck_node_axes(m, node, row);
    memcpy(motion->directions + 3 * motion->target.count, row[c], sizeof row[c]);
  }
  motion->target.item[motion->target.count++] = node;
}

/* Whether component c of the node is held at 0, or where it is. */
static bool still(const deck_maker *m, int c, hk_count node)
{
  const hk_index own = m->own[c] ? m->own[c][node] : 0;
  const hk_motion *motion = own ? &m->setting.at[own - 1].motion : NULL;
  return motion && (motion->frozen || motion->value == 0);
}

/* On the axis of its cylinder a node may be held, as a whole or along the axis, and nothing else. The first one that is not is told. */
static void check_axes(const deck_maker *m)
{
  for (hk_count node = 0; m->axes_of && node < m->model->mesh->node_count; node++)
    for (int c = 0; c < 2; c++) {
      const hk_index own = m->own[c] ? m->own[c][node] : 0;
      if (!own || !turned(m, node) || !hk_deck_on_axis(m, (hk_index)node)) continue;
      if (still(m, 0, node) && still(m, 1, node)) continue;
      hk_deck_tell_axis(m, (hk_index)node, "*BOUNDARY", m->setting.at[own - 1].from->on.place);
      return;
    }
}

/* One motion for each setting that nodes follow (two where some have axes of their own), with those
 * nodes in ascending order. */
static hk_status list(deck_maker *m, int s)
{
  hk_status status = HK_OK;
  hk_step *step = &m->model->step[s];
  places *place = NULL; /* place[setting] */
  hk_count count = 0;
  HK_TRY(hk_get(&place, m->setting.count));
  count_nodes(m, place);
  for (hk_count i = 0; i < m->setting.count; i++)
    count += (place[i].count[0] > 0) + (place[i].count[1] > 0);
  m->items += count;
  HK_CHECK(m->items <= DECK_MOST_ITEMS, HK_BAD_INPUT,
           "%s: more than %d loads and motions in all steps", m->d->path, DECK_MOST_ITEMS);
  HK_TRY(hk_pool_get(&m->model->pool, &step->motion, count));
  for (hk_count i = 0; i < m->setting.count; i++)
    for (int local = 0; local < 2; local++) {
      if (!place[i].count[local]) continue;
      if (local)
        HK_TRY(hk_deck_count(m->d, m->model->mesh, 7 * place[i].count[1],
                             m->setting.at[i].from->on.place));
      place[i].at[local] = step->motion_count;
      HK_TRY(
          open_motion(&m->model->pool, step, &m->setting.at[i], place[i].count[local], local == 1));
    }
  for (int c = 0; c < 3; c++)
    for (hk_count node = 0; m->own[c] && node < m->model->mesh->node_count; node++)
      if (m->own[c][node])
        add_node(m, &step->motion[place[m->own[c][node] - 1].at[turned(m, node)]], c,
                 (hk_index)node);
cleanup:
  hk_free(&place);
  return status;
}

static void renew(deck_maker *m)
{
  for (int c = 0; c < 3; c++)
    if (m->own[c]) memset(m->own[c], 0, (size_t)m->model->mesh->node_count * sizeof *m->own[c]);
  for (hk_count i = 0; i < m->setting.count; i++) m->setting.at[i].nodes = 0;
}

hk_status hk_deck_act_motions(deck_maker *m, int s, int ramp)
{
  const deck_step *from = &m->d->step.at[s];
  if (s == 0) /* those before the first step; it may take them over without a word */
    for (hk_count i = 0; i < m->d->acts.model_motions; i++)
      HK_PASS(give(m, &m->d->acts.motion.at[i], -1, -1));
  if (from->renew_motion) renew(m);
  if (s) hold(m, s);
  for (hk_count i = from->motions.first; i < from->motions.last; i++)
    HK_PASS(give(m, &m->d->acts.motion.at[i], s, ramp));
  check_axes(m);
  return list(m, s);
}
