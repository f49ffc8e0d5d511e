/* Points of receivers and of arrays: a list of them, those of a file, or equally spaced ones on a line, an arc, a circle or a grid. Each must lie in the
 * body. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

typedef struct points {
  hk_count count;
  double (*at)[3];
} points;

static bool take(hk_case *c, const hk_node *map, const char *key, double at[3])
{
  const hk_node *list = hk_case_value(map, key);
  at[2] = 0;
  return list && hk_case_vector(c, list, at);
}

static hk_status reserve(hk_pool *pool, const hk_node *map, points *p)
{
  p->count = (hk_count)hk_case_number(map, "count", 0);
  return hk_pool_get(pool, &p->at, p->count);
}

static hk_status on_line(hk_case *c, hk_pool *pool, const hk_node *map, points *p)
{
  double from[3], to[3];
  if (!take(c, map, "from", from) || !take(c, map, "to", to)) return HK_OK;
  HK_PASS(reserve(pool, map, p));
  for (hk_count i = 0; i < p->count; i++) {
    const double s = (double)i / (double)(p->count - 1);
    for (int d = 0; d < 3; d++) p->at[i][d] = (1 - s) * from[d] + s * to[d];
  }
  return HK_OK;
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
  for (int d = 0; d < 3; d++)
    out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* center + cos(angle) u + sin(angle) v at `count` angles from 0 on. */
static void turn(points *p, const double center[3], const double u[3], const double v[3],
                 double step)
{
  for (hk_count i = 0; i < p->count; i++)
    for (int d = 0; d < 3; d++)
      p->at[i][d] = center[d] + cos((double)i * step) * u[d] + sin((double)i * step) * v[d];
}

/* The circle through three points: its center, from which u points to the first, v as long across it, towards the second. Returns the angle from
 * the first over the second to the third; 0 where they lie on a line. */
static double circle_through(const double a[3], const double b[3], const double e[3],
                             double center[3], double u[3], double v[3])
{
  double p[3], q[3], n[3], pn[3], nq[3], w[3];
  for (int d = 0; d < 3; d++) p[d] = b[d] - a[d], q[d] = e[d] - a[d];
  cross(p, q, n);
  const double n2 = dot(n, n), p2 = dot(p, p), q2 = dot(q, q);
  if (!(n2 > 1e-20 * p2 * q2)) return 0;
  cross(q, n, pn), cross(n, p, nq);
  for (int d = 0; d < 3; d++) {
    const double away = (p2 * pn[d] + q2 * nq[d]) / (2 * n2);
    center[d] = a[d] + away, u[d] = -away, w[d] = e[d] - center[d];
  }
  cross(n, u, v);
  for (int d = 0; d < 3; d++) v[d] /= sqrt(n2);
  const double angle = atan2(dot(w, v), dot(w, u));
  return angle > 0 ? angle : angle + 6.283185307179586;
}

static hk_status on_arc(hk_case *c, hk_pool *pool, const hk_node *map, points *p)
{
  double from[3], through[3], to[3], center[3], u[3], v[3];
  if (!take(c, map, "from", from) || !take(c, map, "through", through) || !take(c, map, "to", to))
    return HK_OK;
  const double angle = circle_through(from, through, to, center, u, v);
  if (!(angle > 0)) {
    hk_case_error(c, map,
                  "from, through and to lie on a straight line: give line, or other points");
    return HK_OK;
  }
  HK_PASS(reserve(pool, map, p));
  turn(p, center, u, v, angle / (double)(p->count - 1));
  return HK_OK;
}

/* The radius towards the first point, across the normal; false, with an error, where that has no length. */
static bool find_start(hk_case *c, const hk_node *map, const double center[3],
                       const double normal[3], double radius, double u[3])
{
  const hk_node *toward = hk_case_value(map, "toward");
  double away[3] = {1, 0, 0};
  if (toward && !hk_case_vector(c, toward, away)) return false;
  for (int d = 0; toward && d < 3; d++)
    away[d] = d < c->model->mesh->dim || c->any_dim ? away[d] - center[d] : 0;
  const double off = dot(away, normal);
  for (int d = 0; d < 3; d++) u[d] = away[d] - off * normal[d];
  const double length = sqrt(dot(u, u));
  for (int d = 0; d < 3; d++) u[d] *= radius / length;
  if (length > 1e-9 * sqrt(dot(away, away))) return true;
  hk_case_error(c, toward ? toward : map,
                "the first point of the circle is not known: give toward, a point beside its axis");
  return false;
}

static hk_status on_circle(hk_case *c, hk_pool *pool, const hk_node *map, points *p)
{
  double center[3], normal[3] = {0, 0, 1}, u[3], v[3];
  const hk_node *given = hk_case_value(map, "normal");
  const double radius = hk_case_number(map, "radius", 0);
  if (!take(c, map, "center", center) || !(radius > 0)) return HK_OK;
  if (!given && c->model->mesh->dim == 3 && !c->any_dim) {
    hk_case_error(c, map, "circle lacks \"normal\": its plane in 3D");
    return HK_OK;
  }
  if (given && !hk_case_unit(c, given, 3, normal)) return HK_OK;
  if (!find_start(c, map, center, normal, radius, u)) return HK_OK;
  cross(normal, u, v);
  HK_PASS(reserve(pool, map, p));
  turn(p, center, u, v, 6.283185307179586 / (double)p->count);
  return HK_OK;
}

/* x runs fastest. */
static hk_status on_grid(hk_case *c, hk_pool *pool, const hk_node *map, points *p)
{
  double from[3], to[3], n[3] = {1, 1, 1};
  const hk_node *count = hk_case_value(map, "count");
  if (!take(c, map, "from", from) || !take(c, map, "to", to) || !count) return HK_OK;
  if (!hk_case_vector(c, count, n)) return HK_OK;
  if (count->count < 3) n[2] = 1;
  if (!(n[0] * n[1] * n[2] <= 1e9)) {
    hk_case_error(c, count, "%.3g points: at most 1e9 are possible", n[0] * n[1] * n[2]);
    return HK_OK;
  }
  for (int d = 0; d < 3; d++)
    if (n[d] == 1 && from[d] != to[d]) {
      hk_case_error(c, count, "one point along %c, and from and to differ there", "xyz"[d]);
      return HK_OK;
    }
  p->count = (hk_count)(n[0] * n[1] * n[2]);
  HK_PASS(hk_pool_get(pool, &p->at, p->count));
  for (hk_count i = 0; i < p->count; i++) {
    hk_count rest = i;
    for (int d = 0; d < 3; d++) {
      const hk_count k = rest % (hk_count)n[d];
      const double s = n[d] > 1 ? (double)k / (n[d] - 1) : 0;
      p->at[i][d] = (1 - s) * from[d] + s * to[d];
      rest /= (hk_count)n[d];
    }
  }
  return HK_OK;
}

static hk_status spaced(hk_case *c, hk_pool *pool, const hk_node *map, points *p)
{
  const hk_node *given;
  if ((given = hk_case_value(map, "line"))) return on_line(c, pool, given, p);
  if ((given = hk_case_value(map, "arc"))) return on_arc(c, pool, given, p);
  if ((given = hk_case_value(map, "circle"))) return on_circle(c, pool, given, p);
  if ((given = hk_case_value(map, "grid"))) return on_grid(c, pool, given, p);
  if ((given = hk_case_value(map, "file")))
    return hk_case_forgive(c, given, hk_case_point_file(c, pool, given->text, &p->count, &p->at));
  return HK_OK;
}

/* Where the body is known all that lie outside are counted, and the first is told. */
static hk_status check_spaced(hk_case *c, const hk_node *map, const points *p)
{
  hk_pool own = {0};
  hk_status status = HK_OK;
  hk_index *element;
  double *xi;
  hk_count outside = 0, first = 0;
  char place[HK_CASE_PLACE_TEXT];
  if (c->draft > HK_DRAFT_BOX || !p->count) return HK_OK;
  HK_TRY(hk_pool_get(&own, &element, p->count));
  HK_TRY(hk_pool_get(&own, &xi, 3 * p->count));
  HK_TRY(hk_case_locate(c, p->count, p->at[0], element, xi));
  for (hk_count i = 0; i < p->count; i++)
    if (element[i] < 0 && !outside++) first = i;
  if (outside && !c->wrong_units)
    hk_case_error(
        c, map, "%lld of %lld points lie outside the mesh, the first at %s: check its units",
        (long long)outside, (long long)p->count, hk_case_place_text(c, p->at[first], place));
cleanup:
  hk_pool_clear(&own);
  return status;
}

hk_status hk_case_points(hk_case *c, hk_pool *pool, const hk_node *at, hk_count *count,
                         double (**out)[3])
{
  points p = {0};
  *count = 0, *out = NULL;
  if (at->kind == HK_NODE_MAP) {
    HK_PASS(spaced(c, pool, at, &p));
    HK_PASS(check_spaced(c, at, &p));
  } else {
    HK_PASS(hk_pool_get(pool, &p.at, at->count));
    for (const hk_node *n = at->child; n; n = n->next) {
      bool found;
      if (n->refused || n->kind != HK_NODE_LIST) continue;
      HK_PASS(hk_case_point(c, n, p.at[p.count], &found));
      p.count += found;
    }
  }
  *count = p.count, *out = p.at;
  return HK_OK;
}
