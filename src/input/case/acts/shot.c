/* The key `shots` of a case (docs/shots.md): a list of shots, each with its own sources, or an array whose elements fire one after the other.
 * An array takes its load or motion from its own keys, or from the sources on its set, else from all sources. Loads on volumes (gravity,
 * body_force, centrifugal) do not belong to elements of the array and act in every shot. */
#include "input/case/case.h"
#include <string.h>

static const hk_node *array_of(const hk_case *c)
{
  const hk_node *shots = hk_case_value(c->tree.root, "shots");
  return shots && shots->kind == HK_NODE_MAP ? hk_case_value(shots, "array") : NULL;
}

/* The array says itself what its elements do. */
static bool acts(const hk_node *array)
{
  static const char *const key[] = {"force",     "displacement", "velocity",
                                    "direction", "signal",       "volume_rate"};
  for (int i = 0; i < 6; i++)
    if (hk_node_find(array, key[i])) return true;
  return false;
}

/* Gravity and its like act on elements of the mesh, faults at points of their own: not on elements of the array. */
static bool on_volume(const hk_node *source)
{
  return hk_node_find(source, "gravity") || hk_node_find(source, "body_force") ||
         hk_node_find(source, "centrifugal") || hk_node_find(source, "plane_wave") ||
         hk_node_find(source, "fault");
}

/* A source on the array's set, or nowhere. */
static bool on_array(const hk_node *source, const hk_node *array)
{
  if (on_volume(source)) return false;
  const char *set = hk_case_text(source, "set", NULL), *own = hk_case_text(array, "set", NULL);
  return set ? own && strcmp(set, own) == 0 : !hk_node_find(source, "at");
}

/* Some source is on the array; if none is, all sources are fired wherever they are. */
static bool any_on_array(const hk_case *c, const hk_node *array)
{
  const hk_node *list = hk_case_value(c->tree.root, "sources");
  for (const hk_node *n = list ? list->child : NULL; n; n = n->next)
    if (on_array(n, array)) return true;
  return false;
}

bool hk_case_fires(const hk_case *c, const hk_node *source)
{
  const hk_node *array = array_of(c);
  if (!array || acts(array) || on_volume(source)) return false;
  return on_array(source, array) || !any_on_array(c, array);
}

static hk_status fill_alone(hk_case *c, const hk_node *map)
{
  return hk_case_fill_source(c, map, NULL);
}

static hk_status fill_list(hk_case *c, const hk_node *list)
{
  hk_status status = HK_OK;
  hk_step *step = c->step;
  HK_TRY(hk_pool_get(&c->model->pool, &step->shot, list->count));
  for (const hk_node *n = list->child; n && status == HK_OK; n = n->next) {
    hk_step own = {0};
    if (n->refused) continue;
    c->step = &own;
    status = hk_case_each(c, n, fill_alone);
    c->step = step, step->shot[step->shot_count++] = hk_step_acts(&own);
  }
cleanup:
  return status;
}

typedef struct elements {
  hk_case_where where; /* nodes of all */
  int count;
  double (*at)[3]; /* at[count]; or NULL: nodes */
} elements;

static hk_status read_points(hk_case *c, hk_pool *pool, const hk_node *at, elements *e)
{
  hk_count count;
  HK_PASS(hk_case_points(c, pool, at, &count, &e->at));
  e->count = (int)count;
  return HK_OK;
}

static hk_status read_elements(hk_case *c, hk_pool *pool, const hk_node *array, elements *e)
{
  const hk_node *set = hk_node_find(array, "set"), *at = hk_node_find(array, "at");
  if (!hk_case_either(c, array, "set", "at"))
    e->count = 0;
  else if (at && hk_node_find(array, "each"))
    hk_case_error(c, hk_node_find(array, "each"),
                  "each is for a set: in a list of points, every point is an element");
  else if (at && hk_node_find(array, "order"))
    hk_case_error(c, hk_node_find(array, "order"), "order is for the nodes of a set");
  else if (at && !at->refused)
    HK_PASS(read_points(c, pool, at, e));
  else if (set && !set->refused) {
    HK_PASS(hk_case_find_vertices(c, set, &e->where.nodes));
    HK_PASS(hk_case_order_nodes(c, array, &e->where.nodes));
    e->count = e->where.nodes.item ? (int)e->where.nodes.count : 0;
  }
  e->where.point = at != NULL;
  e->where.found = e->count > 0;
  return HK_OK;
}

static hk_target target_of(const elements *e, int k)
{
  hk_target target = {0};
  if (!e->at) target.count = 1, target.item = e->where.nodes.item + k;
  return target;
}

/* Element k does alone what all do in `act`. */
static hk_status fire(hk_pool *pool, const elements *e, int k, const hk_step *act, hk_shot *shot)
{
  HK_PASS(hk_pool_few(pool, &shot->load, act->load_count));
  HK_PASS(hk_pool_few(pool, &shot->motion, act->motion_count));
  for (int i = 0; i < act->load_count; i++) {
    hk_load *l = &shot->load[shot->load_count++];
    *l = act->load[i], l->target = target_of(e, k);
    if (l->delays) l->delay += l->delays[k], l->delays = NULL;
    if (l->vectors) memcpy(l->vector, l->vectors + 3 * k, sizeof l->vector), l->vectors = NULL;
    if (e->at) memcpy(l->at, e->at[k], sizeof l->at);
  }
  for (int i = 0; i < act->motion_count; i++) {
    hk_motion *m = &shot->motion[shot->motion_count++];
    *m = act->motion[i], m->target = target_of(e, k);
    if (m->delays) m->delay += m->delays[k], m->delays = NULL;
    if (m->directions)
      memcpy(m->direction, m->directions + 3 * k, sizeof m->direction), m->directions = NULL;
    if (e->at) memcpy(m->at, e->at[k], sizeof m->at);
  }
  return HK_OK;
}

/* What every element does, on all of them. */
static hk_status read_act(hk_case *c, const hk_node *array, const elements *e)
{
  const hk_node *list = hk_case_value(c->tree.root, "sources");
  const hk_count count = list ? list->count : 0;
  if (acts(array)) return hk_case_fill_source(c, array, &e->where);
  if (!count)
    hk_case_error(c, array,
                  "the array has nothing to fire: give force, displacement or velocity with a "
                  "direction, or volume_rate, here, or a source in sources");
  else if (e->count && !any_on_array(c, array))
    hk_messages_add(c->list, HK_WARNING, c->tree.path, array->line, 0,
                    "no source is on the array: each element fires all sources, instead of at "
                    "their own sets and points");
  for (const hk_node *n = count ? list->child : NULL; n; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP && hk_case_fires(c, n))
      HK_PASS(hk_case_fill_source(c, n, &e->where));
  return HK_OK;
}

static hk_status fill_array(hk_case *c, const hk_node *array)
{
  hk_status status = HK_OK;
  elements e = {.count = 0};
  hk_pool own = {0};
  hk_step act = {0}, *step = c->step;
  HK_TRY(read_elements(c, &own, array, &e));
  c->step = &act;
  status = read_act(c, array, &e);
  c->step = step;
  if (status == HK_OK) status = hk_pool_get(&c->model->pool, &step->shot, e.count);
  for (int k = 0; k < e.count && status == HK_OK; k++)
    status = fire(&c->model->pool, &e, k, &act, &step->shot[step->shot_count++]);
cleanup:
  hk_pool_clear(&own);
  return status;
}

hk_status hk_case_fill_shots(hk_case *c)
{
  const hk_node *shots = hk_case_value(c->tree.root, "shots"), *array = array_of(c);
  const hk_node *solve = hk_case_value(c->tree.root, "solve");
  if (!hk_node_find(c->tree.root, "shots"))
    hk_case_refuse(c, hk_case_value(solve, "explicit"), HK_WORDS("shots_at_once"), "",
                   ": the case has no shots");
  if (array && array->kind == HK_NODE_MAP) return fill_array(c, array);
  return shots && shots->kind == HK_NODE_LIST ? fill_list(c, shots) : HK_OK;
}
