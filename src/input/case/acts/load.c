/* The lists `boundary:` and `sources:` of a case file become loads and motions of the step: `fix` and `move` act on
 * nodes, pressure and traction on faces, forces, displacements, velocities and volume rates on a set or at a point. Local axes turn
 * them at each node, and a list of delays gives each node of the set its own. Errors are told at the key. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

/* delays[nodes->count]: the list's, one per vertex of the set, and between them what the vertices' shape functions make of them. None where the
 * list has another length. */
static hk_status spread_delays(const hk_case *c, const hk_node *list, const hk_target *nodes,
                               double **delays)
{
  hk_status status = HK_OK;
  hk_reach *reach = NULL;
  double *own = NULL, *of_node = NULL;
  hk_count vertices = 0, i = 0;
  HK_TRY(hk_mesh_reach(c->model->mesh, nodes->count, nodes->item, &reach));
  for (hk_count k = 0; k < nodes->count; k++) vertices += reach[k].vertices == 1;
  if (vertices != list->count) goto cleanup;
  HK_TRY(hk_get(&own, vertices));
  HK_TRY(hk_get(&of_node, c->model->mesh->node_count));
  HK_TRY(hk_pool_get(&c->model->pool, delays, nodes->count));
  for (const hk_node *n = list->child; n; n = n->next) own[i++] = n->number;
  for (hk_count k = 0; k < nodes->count; k++)
    for (int v = 0; v < reach[k].vertices; v++)
      of_node[reach[k].node] += reach[k].weight[v] * own[reach[k].rank[v] - 1];
  for (hk_count k = 0; k < nodes->count; k++) (*delays)[k] = of_node[nodes->item[k]];
cleanup:
  hk_free(&reach);
  hk_free(&own);
  hk_free(&of_node);
  return status;
}

hk_status hk_case_delay(hk_case *c, const hk_node *map, const hk_target *nodes, double *delay,
                        double **delays)
{
  const hk_node *node = hk_case_value(map, "delay");
  hk_count i = 0;
  if (!node) return HK_OK;
  if (!hk_node_find(map, "signal")) {
    hk_case_error(c, node, "delay needs a signal");
    return HK_OK;
  }
  if (node->kind == HK_NODE_SCALAR) {
    *delay = node->number;
    return HK_OK;
  }
  if (c->draft && nodes) return HK_OK; /* how many nodes the set has is not known */
  if (nodes && nodes->item && node->count != nodes->count && hk_case_raised(c)) {
    HK_PASS(spread_delays(c, node, nodes, delays));
    if (*delays) return HK_OK;
  }
  if (!nodes || node->count != nodes->count) {
    if (nodes && !nodes->item) return HK_OK; /* its error is known */
    if (nodes)
      hk_case_error(c, node, "delay has %d values, but the set has %lld nodes: give one per node",
                    node->count, (long long)nodes->count);
    else
      hk_case_error(c, node, "delay is a list: give one number here; a list is for sets of nodes");
    return HK_OK;
  }
  HK_PASS(hk_pool_get(&c->model->pool, delays, nodes->count));
  for (const hk_node *n = node->child; n; n = n->next) (*delays)[i++] = n->number;
  return HK_OK;
}

/* along a direction in `axes` (NULL: global), of the nodes of a set or of a point */
typedef struct motion {
  hk_motion_kind kind;
  hk_medium medium;
  const hk_case_where *where;
  const hk_axes *axes;
  double along[3], value;
  int signal;
  const hk_node *delayed; /* the map that has its delay; NULL: none */
} motion;

/* (*out)[node] = sum over local components of along[l] row[l], row the axes at the node. */
static hk_status turn(const hk_case *c, const hk_axes *axes, const double along[3],
                      const hk_target *nodes, double **out)
{
  double row[3][3];
  HK_PASS(hk_pool_get(&c->model->pool, out, 3 * nodes->count));
  for (hk_count i = 0; i < nodes->count; i++) {
    hk_case_axes_at(c, axes, nodes->item[i], row);
    for (int d = 0; d < 3; d++)
      for (int l = 0; l < 3; l++) (*out)[3 * i + d] += along[l] * row[l][d];
  }
  return HK_OK;
}

/* Along an axis a motion is one of a component. */
static void take_direction(hk_motion *m, const double along[3])
{
  m->component = -1;
  memcpy(m->direction, along, sizeof m->direction);
  for (int d = 0; d < 3 && !m->has_point; d++)
    if (fabs(along[d]) == 1) m->component = d, m->value *= along[d];
}

static hk_status add_motion(hk_case *c, const hk_node *place, const motion *what)
{
  const hk_case_where *w = what->where;
  hk_motion *m;
  HK_PASS(
      hk_step_add_motion(c->model, c->step, what->kind, what->signal, hk_case_place(c, place), &m));
  m->medium = what->medium;
  m->value = what->value;
  m->has_point = w->point;
  memcpy(m->at, w->at, sizeof m->at);
  m->target = w->nodes;
  m->component = -1;
  if (what->axes && what->medium == HK_SOLID && !w->point)
    HK_PASS(turn(c, what->axes, what->along, &m->target, &m->directions));
  else
    take_direction(m, what->along);
  if (what->delayed)
    HK_PASS(hk_case_delay(c, what->delayed, w->point ? NULL : &m->target, &m->delay, &m->delays));
  return HK_OK;
}

/* Unit vector; false, with an error, when there is none. */
static bool read_direction(hk_case *c, const hk_node *map, double *direction)
{
  const hk_node *node = hk_node_find(map, "direction");
  double square = 0;
  if (!node && hk_case_antiplane(c)) {
    direction[2] = 1;
    return true;
  }
  if (!node)
    hk_case_error(c, map, "%s lacks \"direction\"",
                  hk_node_find(map, "move") ? "move" : "the source");
  if (!node || node->refused || !hk_case_motion(c, node, direction)) return false;
  for (int d = 0; d < 3; d++) square = hypot(square, direction[d]);
  if (!(square > 0) || !isfinite(square)) {
    hk_case_error(c, node, "the direction has no length");
    return false;
  }
  for (int d = 0; d < 3; d++) direction[d] /= square;
  return true;
}

static void set_component(motion *m, int d)
{
  for (int k = 0; k < 3; k++) m->along[k] = k == d;
}

static bool in_space(hk_case *c, const hk_node *node, int component)
{
  const bool across = hk_case_antiplane(c);
  if (across && component != 2)
    hk_case_error(c, node, "component %c: plane: antiplane moves along z alone", 'x' + component);
  if (across) return component == 2;
  if (component < c->model->mesh->dim || c->any_dim || hk_case_spatial(c)) return true;
  hk_case_error(c, node, "component z: the mesh is 2D");
  return false;
}

enum { PRESSURE = 3 }; /* among the words of `fix:` */

static bool may_hold(hk_case *c, const hk_node *node, int what)
{
  if (what == PRESSURE) return hk_case_needs_fluid(c, node, "fix: pressure");
  if (!in_space(c, node, what)) return false;
  if (hk_case_medium(c) == HK_SOLID) return true;
  hk_case_error(c, node,
                "a fluid has no displacement to fix: its walls are rigid by default; fix: pressure "
                "makes a free surface");
  return false;
}

static hk_status fill_fixed(hk_case *c, const hk_node *map, motion held)
{
  bool seen[PRESSURE + 1] = {false};
  const hk_node *fix = hk_case_value(map, "fix");
  const hk_node *first = fix && fix->kind == HK_NODE_LIST ? fix->child : fix;
  for (const hk_node *n = first; n; n = fix->kind == HK_NODE_LIST ? n->next : NULL) {
    const int d = (int)n->number;
    if (n->refused || !may_hold(c, n, d) || seen[d]) continue;
    seen[d] = true;
    if (d == PRESSURE && hk_node_find(map, "axes"))
      hk_case_error(c, hk_node_find(map, "axes"), "fix: pressure does not take axes: remove them");
    held.medium = d == PRESSURE ? HK_FLUID : HK_SOLID;
    set_component(&held, d == PRESSURE ? 0 : d);
    HK_PASS(add_motion(c, fix, &held));
  }
  return HK_OK;
}

static hk_status fill_moved(hk_case *c, const hk_node *map, motion moved)
{
  const hk_node *move = hk_case_value(map, "move");
  if (move && move->kind == HK_NODE_SCALAR) {
    moved.value = move->number;
    return read_direction(c, map, moved.along) ? add_motion(c, move, &moved) : HK_OK;
  }
  if (hk_node_find(map, "direction"))
    hk_case_error(c, hk_node_find(map, "direction"),
                  "direction is for move with a length; components need none");
  if (move && !move->count) hk_case_error(c, move, "move has no component: give x, y or z");
  for (const hk_node *n = move ? move->child : NULL; n; n = n->next) {
    const int d = n->key[0] - 'x';
    if (n->refused || !in_space(c, n, d)) continue;
    set_component(&moved, d);
    moved.value = n->number;
    HK_PASS(add_motion(c, n, &moved));
  }
  return HK_OK;
}

static hk_status fill_on_nodes(hk_case *c, const hk_node *map, int signal)
{
  hk_case_where where = {.found = true};
  hk_axes axes;
  bool local;
  HK_PASS(hk_case_find_held(c, hk_case_value(map, "set"), &where.nodes));
  hk_case_axes(c, map, &axes, &local);
  motion m = {.where = &where, .axes = local ? &axes : NULL, .signal = -1};
  HK_PASS(fill_fixed(c, map, m));
  m.signal = signal, m.delayed = signal >= 0 ? map : NULL;
  return fill_moved(c, map, m);
}

static hk_status fill_on_faces(hk_case *c, const hk_node *map, const hk_node *what, int signal)
{
  hk_load *l;
  HK_PASS(
      hk_step_add_load(c->model, c->step, HK_LOAD_PRESSURE, signal, hk_case_place(c, what), &l));
  HK_PASS(hk_case_find_faces(c, hk_case_value(map, "set"), &l->target));
  if (what->kind == HK_NODE_SCALAR)
    l->vector[0] = what->number;
  else {
    l->kind = HK_LOAD_TRACTION;
    hk_case_motion(c, what, l->vector);
  }
  return hk_case_delay(c, map, NULL, &l->delay, &l->delays);
}

static hk_status fill_condition(hk_case *c, const hk_node *map)
{
  int signal;
  static const char *const face_key[] = {"pressure", "traction"};
  const bool on_nodes = hk_node_find(map, "fix") || hk_node_find(map, "move");
  const bool on_faces = hk_node_find(map, "pressure") || hk_node_find(map, "traction");
  if (hk_case_coupled(c)) return hk_case_fill_coupled_condition(c, map);
  hk_case_refuse_coupled(c, map);
  if (c->heat) return hk_case_fill_heat_condition(c, map);
  hk_case_refuse_heat(c, map);
  hk_case_refuse_fluid(c, map);
  if (!(hk_case_value(map, "pressure") && hk_case_value(map, "pressure")->kind == HK_NODE_LIST))
    hk_case_refuse_plane(c, map);
  if (!on_nodes && !on_faces)
    hk_case_error(c, map, "the condition is empty: give fix, move, pressure or traction");
  if (hk_node_find(map, "axes") && !on_nodes)
    hk_case_error(c, hk_node_find(map, "axes"), "axes are for fix and move");
  if (!hk_node_find(map, "move") && !on_faces)
    hk_case_refuse(c, map, HK_WORDS("signal", "delay"), "fix does not take ", ": give move");
  if (hk_node_find(map, "direction") && !hk_node_find(map, "move"))
    hk_case_error(c, hk_node_find(map, "direction"),
                  "direction is for move with a length; pressure acts along the normal, traction "
                  "has components");
  HK_PASS(hk_case_signal(c, map, &signal));
  if (!hk_case_value(map, "set")) return HK_OK;
  if (on_nodes) HK_PASS(fill_on_nodes(c, map, signal));
  for (int i = 0; i < 2; i++) {
    const hk_node *what = hk_case_value(map, face_key[i]);
    if (what) HK_PASS(fill_on_faces(c, map, what, signal));
  }
  return HK_OK;
}

hk_status hk_case_fill_boundary(hk_case *c)
{
  return hk_case_each(c, hk_case_value(c->tree.root, "boundary"), fill_condition);
}

/* How often a force on a set acts is said where that is not once per node. */
static void note_vertices(hk_case *c, const hk_node *set, const hk_target *vertices)
{
  const hk_place place = hk_case_place(c, set);
  if (vertices->count && hk_case_raised(c) && !c->draft)
    hk_messages_add(c->list, HK_NOTE, place.file, place.line, 0,
                    "the source acts on each of the %lld vertices of set \"%.60s\", not on the "
                    "nodes that element: {order: ...} puts between them",
                    (long long)vertices->count, set->text);
}

/* A set of nodes, with those between its vertices where they are held, or a point. */
static hk_status read_where(hk_case *c, const hk_node *map, bool held, hk_case_where *w)
{
  const hk_node *set = hk_node_find(map, "set"), *point = hk_node_find(map, "at");
  w->point = point != NULL;
  if (!hk_case_either(c, map, "set", "at")) return HK_OK;
  if (set && !set->refused) {
    HK_PASS(held ? hk_case_find_held(c, set, &w->nodes) : hk_case_find_vertices(c, set, &w->nodes));
    if (!held) note_vertices(c, set, &w->nodes);
    w->found = w->nodes.item != NULL;
  } else if (point)
    HK_PASS(hk_case_point(c, point, w->at, &w->found));
  return HK_OK;
}

/* Each node of the set has its part of the force. */
static hk_status weigh(hk_case *c, const hk_node *map, hk_load *l)
{
  double *weight;
  HK_PASS(hk_case_apodise(c, map, &l->target, &weight));
  if (!weight) return HK_OK;
  if (!l->vectors) {
    HK_PASS(hk_pool_get(&c->model->pool, &l->vectors, 3 * l->target.count));
    for (hk_count i = 0; i < 3 * l->target.count; i++) l->vectors[i] = l->vector[i % 3];
  }
  for (hk_count i = 0; i < 3 * l->target.count; i++) l->vectors[i] *= weight[i / 3];
  return HK_OK;
}

static hk_status add_force(hk_case *c, const hk_node *map, double size, const double *direction,
                           int signal, const hk_case_where *w)
{
  hk_axes axes;
  bool local;
  hk_load *l;
  HK_PASS(hk_step_add_load(c->model, c->step, w->point ? HK_LOAD_POINT : HK_LOAD_FORCE, signal,
                           hk_case_place(c, map), &l));
  for (int d = 0; d < 3; d++) l->vector[d] = size * direction[d];
  memcpy(l->at, w->at, sizeof l->at);
  l->target = w->nodes;
  hk_case_axes(c, map, &axes, &local);
  if (local && !w->point) HK_PASS(turn(c, &axes, l->vector, &l->target, &l->vectors));
  if (!w->point) HK_PASS(weigh(c, map, l));
  if (w->found) HK_PASS(hk_case_delay(c, map, w->point ? NULL : &l->target, &l->delay, &l->delays));
  return HK_OK;
}

/* What enters a fluid is minus the force on its potential. */
static hk_status add_rate(hk_case *c, const hk_node *map, double rate, int signal,
                          const hk_case_where *w)
{
  static const double one[3] = {1, 0, 0};
  HK_PASS(add_force(c, map, -rate, one, signal, w));
  c->step->load[c->step->load_count - 1].medium = HK_FLUID;
  return HK_OK;
}

static bool check_rate(hk_case *c, const hk_node *map, const hk_node *rate)
{
  hk_case_refuse(c, map, HK_WORDS("direction", "axes"), "volume_rate does not take ",
                 ": remove it");
  return hk_case_needs_fluid(c, rate, "volume_rate") && !rate->refused;
}

static hk_status add_source_motion(hk_case *c, const hk_node *map, const hk_node *what,
                                   const double *direction, int signal, const hk_case_where *w)
{
  hk_axes axes;
  bool local;
  const bool velocity = strcmp(what->key, "velocity") == 0;
  motion m = {.kind = velocity ? HK_MOVE_VELOCITY : HK_MOVE_DISPLACEMENT,
              .where = w,
              .value = what->number,
              .signal = signal,
              .delayed = w->found ? map : NULL};
  memcpy(m.along, direction, sizeof m.along);
  hk_case_axes(c, map, &axes, &local);
  if (local) m.axes = &axes;
  return add_motion(c, map, &m);
}

hk_status hk_case_fill_source(hk_case *c, const hk_node *map, const hk_case_where *where)
{
  static const char *const key[] = {"force",  "displacement", "velocity",     "volume_rate",
                                    "moment", "explosion",    "double_couple"};
  enum { KEYS = sizeof key / sizeof *key };
  const hk_node *what = NULL;
  int given = 0, signal;
  bool body, total, taken;
  double direction[3] = {0};
  hk_case_where own = {.found = false};
  hk_case_check_apodisation(c, map, where ? !where->point : hk_node_find(map, "set") != NULL);
  if (hk_case_coupled(c)) return hk_case_fill_coupled_source(c, map);
  hk_case_refuse_coupled(c, map);
  if (c->heat) return hk_case_fill_heat_source(c, map);
  hk_case_refuse_heat(c, map);
  hk_case_refuse_fluid(c, map);
  hk_case_refuse_plane(c, map);
  HK_PASS(hk_case_fill_wave(c, map, &taken));
  if (!taken) HK_PASS(hk_case_fill_injection(c, map, &taken));
  if (!taken) HK_PASS(hk_case_fill_fault(c, map, &taken));
  if (taken) return HK_OK;
  HK_PASS(hk_case_fill_total(c, map, where != NULL, &total));
  if (total) return HK_OK;
  HK_PASS(hk_case_fill_body(c, map, &body));
  if (body) return HK_OK;
  for (int i = 0; i < KEYS; i++) {
    const hk_node *node = hk_node_find(map, key[i]);
    if (node) what = node, given++;
  }
  if (given != 1)
    hk_case_error(c, map,
                  "the source has %d of force, total_force, displacement, velocity, volume_rate, "
                  "plane_wave, injection, fault, "
                  "moment, explosion, double_couple: give exactly one",
                  given);
  HK_PASS(hk_case_signal(c, map, &signal));
  const hk_node *rate = hk_node_find(map, "volume_rate");
  const bool tensor = hk_case_moment_of(map) != NULL;
  const bool directed = rate     ? check_rate(c, map, rate)
                        : tensor ? true
                                 : read_direction(c, map, direction);
  const bool held = hk_node_find(map, "displacement") || hk_node_find(map, "velocity");
  if (!where) HK_PASS(read_where(c, map, held, &own));
  const hk_case_where *w = where ? where : &own;
  if (tensor) return given == 1 ? hk_case_add_moment(c, map, signal, w) : HK_OK;
  if (hk_node_find(map, "axes") && w->point)
    hk_case_error(c, hk_node_find(map, "axes"),
                  "axes are for sets: give the direction in global "
                  "components");
  if (hk_node_find(map, "velocity") && c->still)
    hk_case_error(c, hk_node_find(map, "velocity"), "a static solution has no velocities");
  if (given != 1 || !directed) return HK_OK;
  return rate                              ? add_rate(c, map, rate->number, signal, w)
         : strcmp(what->key, "force") == 0 ? add_force(c, map, what->number, direction, signal, w)
                                           : add_source_motion(c, map, what, direction, signal, w);
}

static hk_status fill_own_source(hk_case *c, const hk_node *map)
{
  return hk_case_fires(c, map) ? HK_OK : hk_case_fill_source(c, map, NULL);
}

hk_status hk_case_fill_sources(hk_case *c)
{
  return hk_case_each(c, hk_case_value(c->tree.root, "sources"), fill_own_source);
}
