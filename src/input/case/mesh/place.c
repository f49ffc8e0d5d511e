/* Sets by place: `sets:` names nodes, faces or elements of the mesh that lie within a box, a sphere, a cylinder, or near a plane or a
 * line, or that are nearest to given points. A node lies there by its coordinates, a face by all its nodes, an element by the mean of its
 * vertices. Where several shapes are given all of them must hold. The sets are made of the mesh as it was read or generated, before its
 * elements are raised, and are then sets as any others. A draft, whose few cells may lie nowhere near, takes what it has. */
#include "element/element.h"
#include "input/case/case.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES, FACES, ELEMENTS, INNER_FACES }; /* the words of `what` */
static const char *const one_of_them[] = {"node", "face", "element", "inner face"};

typedef struct
    ball { /* or, with a second point, what lies within a distance of the line between them */
  bool given, line;
  double at[2][3], radius;
} ball;

typedef struct place { /* where the members of a set are */
  bool boxed, flat;
  double from[3], to[3];              /* boxed */
  double point[3], normal[3], within; /* flat: |normal . (x - point)| <= within */
  ball sphere, cylinder, line;
  double size, slack; /* of the mesh; added to each distance: rounding */
} place;

typedef struct members { /* of a set, or what may be one; face NULL: of nodes or elements */
  hk_count count;
  hk_index *item;
  uint8_t *face;
} members;

/* How far x lies outside a ball, or outside what lies within the radius of the line; not above 0: within it. */
static double beyond_ball(const ball *b, const double x[3])
{
  double along[3], off[3], length2 = 0, s = 0, distance2 = 0;
  for (int d = 0; d < 3; d++) {
    along[d] = b->at[1][d] - b->at[0][d], off[d] = x[d] - b->at[0][d];
    length2 += along[d] * along[d], s += along[d] * off[d];
  }
  for (int d = 0; d < 3; d++) {
    const double away = b->line ? off[d] - s / length2 * along[d] : off[d];
    distance2 += away * away;
  }
  const double aside = sqrt(distance2) - b->radius, length = sqrt(length2);
  const double past = b->line ? fmax(-s / length, s / length - length) : aside;
  return aside > 0 && past > 0 && b->line ? hypot(aside, past) : fmax(aside, past);
}

static double beyond_box(const place *p, const double x[3])
{
  double square = 0, inside = -INFINITY;
  for (int d = 0; d < 3; d++) {
    const double away = fmax(p->from[d] - x[d], x[d] - p->to[d]);
    inside = fmax(inside, away);
    if (away > 0) square += away * away;
  }
  return inside > 0 ? sqrt(square) : inside;
}

/* How far x lies outside the place: of several shapes, outside the one from which it is farthest. Not above 0: it lies there. */
static double beyond(const place *p, const double x[3])
{
  const ball *const balls[] = {&p->sphere, &p->cylinder, &p->line};
  double most = -INFINITY, away = 0;
  if (p->boxed) most = beyond_box(p, x);
  for (int i = 0; i < 3; i++)
    if (balls[i]->given) most = fmax(most, beyond_ball(balls[i], x));
  for (int d = 0; d < 3; d++) away += p->normal[d] * (x[d] - p->point[d]);
  return p->flat ? fmax(most, fabs(away) - p->within) : most;
}

static void coordinates_of(const hk_mesh *mesh, hk_index node, double x[3])
{
  for (int d = 0; d < 3; d++) x[d] = d < mesh->dim ? mesh->x[(hk_count)node * mesh->dim + d] : 0;
}

/* Nodes by which a member is judged: nodes[*count], in the numbers of the mesh. */
static void nodes_of(const hk_mesh *mesh, int what, const members *of, hk_count i, int *count,
                     hk_index nodes[HK_MOST_FACE_NODES])
{
  if (what == NODES) {
    *count = 1, nodes[0] = of->item[i];
    return;
  }
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, of->item[i])->shape);
  const hk_index *own = hk_mesh_nodes_of(mesh, of->item[i]);
  const hk_element_face *face = what == ELEMENTS ? NULL : &element->face[of->face[i]];
  *count = face ? face->nodes : element->vertices;
  for (int n = 0; n < *count; n++) nodes[n] = own[face ? face->node[n] : n];
}

/* x: the mean of the nodes of a member. How far it lies outside the place. */
static double look_at(const hk_mesh *mesh, const place *p, int what, const members *of, hk_count i,
                      double x[3])
{
  hk_index nodes[HK_MOST_FACE_NODES];
  double most = -INFINITY;
  int count;
  x[0] = x[1] = x[2] = 0;
  nodes_of(mesh, what, of, i, &count, nodes);
  for (int n = 0; n < count; n++) {
    double at[3];
    coordinates_of(mesh, nodes[n], at);
    if (what != ELEMENTS) most = fmax(most, beyond(p, at));
    for (int d = 0; d < 3; d++) x[d] += at[d] / count;
  }
  return what == ELEMENTS ? beyond(p, x) : most;
}

/* Lengths by which rounding of coordinates is told: of the mesh's own size. */
static double size_of(const hk_mesh *mesh)
{
  double largest = 0;
  for (int d = 0; d < mesh->dim; d++) {
    double low = INFINITY, high = -INFINITY;
    for (hk_count n = 0; n < mesh->node_count; n++) {
      const double x = mesh->x[n * mesh->dim + d];
      low = fmin(low, x), high = fmax(high, x);
    }
    largest = fmax(largest, high - low);
  }
  return largest;
}

/* Every face of every element that is shared with another: both sides. */
static hk_status find_inner_faces(const hk_mesh *mesh, hk_pool *pool, members *out)
{
  hk_status status = HK_OK;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  hk_count outer, all = 0, next = 0, k = 0;
  HK_TRY(hk_mesh_boundary(mesh, &outer, &element, &face));
  for (hk_count e = 0; e < mesh->element_count; e++)
    all += hk_element_of(hk_mesh_block_of(mesh, e)->shape)->faces;
  HK_TRY(hk_pool_get(pool, &out->item, all - outer));
  HK_TRY(hk_pool_get(pool, &out->face, all - outer));
  for (hk_count e = 0; e < mesh->element_count; e++) /* the boundary ascends */
    for (int f = 0; f < hk_element_of(hk_mesh_block_of(mesh, e)->shape)->faces; f++) {
      const bool is_outer = k < outer && element[k] == e && face[k] == f;
      if (is_outer)
        k++;
      else
        out->item[next] = (hk_index)e, out->face[next++] = (uint8_t)f;
    }
  out->count = next;
cleanup:
  hk_free(&element);
  hk_free(&face);
  return status;
}

static hk_status find_outer_faces(const hk_mesh *mesh, hk_pool *pool, members *out)
{
  hk_status status = HK_OK;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  HK_TRY(hk_mesh_boundary(mesh, &out->count, &element, &face));
  HK_TRY(hk_pool_get(pool, &out->item, out->count));
  HK_TRY(hk_pool_get(pool, &out->face, out->count));
  memcpy(out->item, element, (size_t)out->count * sizeof *element);
  memcpy(out->face, face, (size_t)out->count * sizeof *face);
cleanup:
  hk_free(&element);
  hk_free(&face);
  return status;
}

/* What the members are taken from; none after an error. */
static hk_status find_candidates(hk_case *c, const hk_node *map, int what, members *out)
{
  const hk_node *of = hk_case_value(map, "of");
  hk_target target = {0};
  const hk_mesh *mesh = c->model->mesh;
  if (what == INNER_FACES && of)
    hk_case_error(c, of, "inner-faces are those between any two elements: remove `of`");
  else if (what == INNER_FACES)
    return find_inner_faces(mesh, c->scratch, out);
  else if (what == FACES && !of)
    return find_outer_faces(mesh, c->scratch, out);
  else if (!of)
    HK_PASS(
        hk_target_all(c->scratch, what == NODES ? mesh->node_count : mesh->element_count, &target));
  else
    HK_PASS(what == NODES   ? hk_case_find_nodes(c, of, &target)
            : what == FACES ? hk_case_find_faces(c, of, &target)
                            : hk_case_find_elements(c, of, &target));
  *out =
      (members){.count = target.item ? target.count : 0, .item = target.item, .face = target.face};
  return HK_OK;
}

static bool take_point(hk_case *c, const hk_node *map, const char *key, double at[3])
{
  const hk_node *list = hk_case_value(map, key);
  at[2] = 0;
  return list && hk_case_vector(c, list, at);
}

static bool take_ball(hk_case *c, const hk_node *map, const char *from, const char *to,
                      const char *radius, double otherwise, ball *out)
{
  if (!map) return true;
  const hk_node *far = hk_case_value(map, to ? to : from);
  bool good = take_point(c, map, from, out->at[0]), apart = false;
  out->given = true, out->line = to != NULL;
  out->radius = hk_case_number(map, radius, otherwise);
  if (to) good = take_point(c, map, to, out->at[1]) && good;
  for (int d = 0; d < 3; d++) apart = apart || out->at[0][d] != out->at[1][d];
  if (!good || !to || apart) return good;
  hk_case_error(c, far, "%s and %s are the same point", from, to);
  return false;
}

static bool take_box(hk_case *c, const hk_node *map, place *p)
{
  if (!map) return true;
  p->boxed = true;
  if (!take_point(c, map, "from", p->from) || !take_point(c, map, "to", p->to)) return false;
  for (int d = 0; d < 3; d++)
    if (p->from[d] > p->to[d]) {
      hk_case_error(c, hk_case_value(map, "to"), "to is below from along %c", "xyz"[d]);
      return false;
    }
  return true;
}

static bool take_plane(hk_case *c, const hk_node *map, place *p)
{
  const hk_node *normal = hk_case_value(map, "normal");
  if (!map) return true;
  p->flat = true, p->within = hk_case_number(map, "within", p->within);
  const int dim = c->any_dim && normal ? (int)normal->count : c->model->mesh->dim;
  return take_point(c, map, "point", p->point) && normal && hk_case_unit(c, normal, dim, p->normal);
}

static bool take_place(hk_case *c, const hk_node *map, place *p)
{
  const double size = size_of(c->model->mesh);
  *p = (place){.size = size, .slack = 1e-9 * size, .within = 1e-6 * size};
  const hk_node *line = hk_case_value(map, "line");
  bool good = take_box(c, hk_case_value(map, "box"), p);
  good =
      take_ball(c, hk_case_value(map, "sphere"), "center", NULL, "radius", 0, &p->sphere) && good;
  good =
      take_ball(c, hk_case_value(map, "cylinder"), "from", "to", "radius", 0, &p->cylinder) && good;
  good = take_ball(c, line, "from", "to", "within", p->within, &p->line) && good;
  return take_plane(c, hk_case_value(map, "plane"), p) && good;
}

/* Takes of the candidates those that lie in the place. *nearest: of those that do not, how far the nearest lies outside, and its middle. */
typedef struct nearest {
  double away, x[3];
} nearest;
static void choose_in(const hk_mesh *mesh, const place *p, int what, members *of, nearest *out)
{
  hk_count kept = 0;
  *out = (nearest){.away = INFINITY};
  for (hk_count i = 0; i < of->count; i++) {
    double x[3];
    const double away = look_at(mesh, p, what, of, i, x);
    if (!(away <= p->slack)) {
      if (away < out->away) out->away = away, memcpy(out->x, x, sizeof x);
      continue;
    }
    of->item[kept] = of->item[i];
    if (of->face) of->face[kept] = of->face[i];
    kept++;
  }
  of->count = kept;
}

static void take_member(members *to, const members *of, hk_count i)
{
  to->item[to->count] = of->item[i];
  if (of->face) to->face[to->count] = of->face[i];
  to->count++;
}

static double distance_to(const hk_mesh *mesh, int what, const members *of, hk_count i,
                          const double at[3])
{
  const place everywhere = {0};
  double x[3];
  look_at(mesh, &everywhere, what, of, i, x);
  return hypot(hypot(x[0] - at[0], x[1] - at[1]), x[2] - at[2]);
}

/* Points from which the nearest member is farther than a tenth of the mesh's size are most often in other units. */
static void warn_of_far(hk_case *c, const hk_node *point, double size, int what, double away)
{
  if (c->draft || !(away > 0.1 * size)) return;
  hk_messages_add(c->list, HK_WARNING, c->tree.path, point->line, 0,
                  "near: the nearest %s lies %.4g%s%s from this point: check its units",
                  one_of_them[what], away, *c->model->units.length ? " " : "",
                  c->model->units.length);
}

/* The member whose middle is nearest to a point, the first of several; of inner faces the other side of it too. */
static double take_nearest(const hk_mesh *mesh, int what, const double at[3], const members *of,
                           members *to)
{
  const place everywhere = {0};
  double middle[3], least = INFINITY;
  hk_count best = 0;
  for (hk_count i = 0; i < of->count; i++) {
    const double away = distance_to(mesh, what, of, i, at);
    if (away < least) least = away, best = i;
  }
  look_at(mesh, &everywhere, what, of, best, middle);
  take_member(to, of, best);
  for (hk_count i = best + 1; what == INNER_FACES && i < of->count; i++) {
    if (distance_to(mesh, what, of, i, middle) > 1e-9 * hk_mesh_longest_edge(mesh, of->item[i]))
      continue;
    take_member(to, of, i);
    break;
  }
  return least;
}

/* Takes of the members those that are nearest to the points. */
static hk_status choose_nearest(hk_case *c, const hk_node *points, double size, int what,
                                members *of)
{
  const hk_count most = what == INNER_FACES ? 2 * points->count : points->count;
  members near = {0};
  HK_PASS(hk_pool_get(c->scratch, &near.item, most));
  if (of->face) HK_PASS(hk_pool_get(c->scratch, &near.face, most));
  for (const hk_node *n = points->child; n && of->count; n = n->next) {
    double at[3] = {0};
    if (!n->refused && hk_case_vector(c, n, at))
      warn_of_far(c, n, size, what, take_nearest(c->model->mesh, what, at, of, &near));
  }
  *of = near;
  return HK_OK;
}

typedef struct ranked {
  double away;
  hk_count i;
} ranked;

static int by_distance(const void *one, const void *other)
{
  const ranked *a = one, *b = other;
  if (a->away != b->away) return a->away < b->away ? -1 : 1;
  return (a->i > b->i) - (a->i < b->i);
}

/* Takes of the members as many as `count` says, those whose middles are nearest to one point. */
static hk_status choose_several(hk_case *c, const hk_node *map, double size, int what, members *of)
{
  const hk_node *count = hk_case_value(map, "count"), *point = hk_case_value(map, "point");
  double at[3] = {0};
  ranked *order;
  members near = {0};
  if (what == INNER_FACES) {
    hk_case_error(c, map, "near with a count is not for inner-faces: list points");
    return HK_OK;
  }
  if (!count || !point || !hk_case_vector(c, point, at) || c->draft || !of->count) return HK_OK;
  if (count->number > (double)of->count) {
    hk_case_error(c, count, "count is %.0f, and %lld %ss lie there", count->number,
                  (long long)of->count, one_of_them[what]);
    return HK_OK;
  }
  const hk_count most = (hk_count)count->number;
  HK_PASS(hk_pool_get(c->scratch, &order, of->count));
  HK_PASS(hk_pool_get(c->scratch, &near.item, most));
  if (of->face) HK_PASS(hk_pool_get(c->scratch, &near.face, most));
  for (hk_count i = 0; i < of->count; i++)
    order[i] = (ranked){distance_to(c->model->mesh, what, of, i, at), i};
  qsort(order, (size_t)of->count, sizeof *order, by_distance);
  for (hk_count i = 0; i < most; i++) take_member(&near, of, order[i].i);
  warn_of_far(c, point, size, what, order[0].away);
  *of = near;
  return HK_OK;
}

/* Copies, which the mesh takes over. */
static hk_status add(hk_mesh *mesh, const char *name, int what, const members *of)
{
  static const hk_set_kind kind[] = {HK_NODE_SET, HK_FACE_SET, HK_ELEMENT_SET, HK_FACE_SET};
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  HK_TRY(hk_get(&item, of->count));
  memcpy(item, of->item, (size_t)of->count * sizeof *item);
  if (of->face) HK_TRY(hk_get(&face, of->count));
  if (of->face) memcpy(face, of->face, (size_t)of->count);
  HK_TRY(hk_mesh_add_set(mesh, name, kind[what], of->count, &item, of->face ? &face : NULL));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

/* Whether the name is free, else an error. */
static bool is_free(hk_case *c, const hk_node *map)
{
  bool taken = strcmp(map->key, "all") == 0;
  for (int kind = HK_NODE_SET; kind <= HK_FACE_SET; kind++)
    taken = taken || hk_mesh_find_set(c->model->mesh, map->key, (hk_set_kind)kind);
  if (taken)
    hk_case_error(c, map, "the mesh has a set \"%.60s\" already: give another name", map->key);
  return !taken;
}

static void tell_empty(hk_case *c, const hk_node *map, int what, const nearest *n)
{
  char coordinates[HK_CASE_PLACE_TEXT], where[160] = "";
  const char *unit = c->model->units.length;
  if (isfinite(n->away))
    snprintf(where, sizeof where, "; the nearest, at %s, lies %.4g%s%s outside",
             hk_case_place_text(c, n->x, coordinates), n->away, *unit ? " " : "", unit);
  hk_case_error(c, map,
                "set \"%.60s\": no %s lies there%s: check its units, or its size beside that of "
                "the elements",
                map->key, one_of_them[what], where);
}

/* In a draft, whose cells may lie nowhere near, the number-th set has one element or a face of it, each set another as far as there are
 * enough, or the first node. */
static hk_status add_drafted(hk_case *c, const hk_node *map, int what, hk_count number)
{
  hk_index item = 0;
  uint8_t face = 0;
  const bool faces = what == FACES || what == INNER_FACES;
  if (what != NODES) item = (hk_index)(number % c->model->mesh->element_count);
  return add(c->model->mesh, map->key, what,
             &(members){.count = 1, .item = &item, .face = faces ? &face : NULL});
}

static hk_status make_set(hk_case *c, const hk_node *map, hk_count number)
{
  members found = {0};
  nearest outside;
  place p;
  const int what = (int)hk_case_number(map, "what", NODES);
  const hk_node *near = hk_case_value(map, "near");
  const hk_count errors = c->tree.errors;
  const bool drafted = c->draft && !c->sampling;
  if (!is_free(c, map)) return HK_OK;
  if (!take_place(c, map, &p)) return add_drafted(c, map, what, number); /* it is known, at least */
  HK_PASS(find_candidates(c, map, what, &found));
  choose_in(c->model->mesh, &p, what, &found, &outside);
  if (near)
    HK_PASS((near->kind == HK_NODE_MAP ? choose_several : choose_nearest)(c, near, p.size, what,
                                                                          &found));
  if (drafted || c->tree.errors > errors) return add_drafted(c, map, what, number);
  if (found.count) return add(c->model->mesh, map->key, what, &found);
  if (!c->draft) tell_empty(c, map, what, &outside);
  return add_drafted(c, map, what, number);
}

hk_status hk_case_fill_sets(hk_case *c)
{
  hk_status status = HK_OK;
  const hk_node *sets = hk_case_value(c->tree.root, "sets");
  hk_pool own = {0}, *before = c->scratch;
  hk_count number = 0;
  c->scratch = &own;
  for (const hk_node *n = sets ? sets->child : NULL; n; n = n->next, number++)
    if (!n->refused && n->kind == HK_NODE_MAP) HK_TRY(make_set(c, n, number));
cleanup:
  c->scratch = before;
  hk_pool_clear(&own);
  return status;
}
