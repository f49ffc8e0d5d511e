/* What the viewer draws of a surface. A surface with too many corners is simplified: space is divided into cubes, one corner of each cube
 * stands for all of them, and the triangles are kept whose corners lie in three cubes (Rossignac and Borrel 1993). Where edges turn or end, or else on
 * an edge, is the corner that stands for its cube, so that outlines stay. Cubes grow until few enough have corners. */
#include "report/view/view.h"
#include <math.h>
#include <string.h>

typedef struct cubes { /* those with corners, by a table of their keys: open addressing */
  uint64_t *key;       /* key[size], 0: free */
  hk_index *number;    /* number[size] */
  hk_index size, count, most;
} cubes;

enum { INSIDE, ON_EDGE, ON_CORNER };

/* rank[corner]: on an edge of the surface, or where edges end or turn: the directions of a smooth edge sum up to about 0. */
static hk_status rank_corners(const hk_surface *s, const double *corner, hk_pool *pool,
                              uint8_t **rank)
{
  double(*sum)[3];
  HK_PASS(hk_pool_get(pool, rank, s->corners));
  HK_PASS(hk_pool_get(pool, &sum, s->corners));
  for (hk_count i = 0; i < s->edges; i++) {
    const hk_index from = s->edge[i][0], to = s->edge[i][1];
    double way[3], size = 0;
    for (int d = 0; d < 3; d++)
      way[d] = corner[3 * (hk_count)to + d] - corner[3 * (hk_count)from + d],
      size += way[d] * way[d];
    for (int d = 0; size > 0 && d < 3; d++)
      sum[from][d] += way[d] / sqrt(size), sum[to][d] -= way[d] / sqrt(size);
    (*rank)[from] = (*rank)[to] = ON_EDGE;
  }
  for (hk_count i = 0; i < s->corners; i++)
    if (sum[i][0] * sum[i][0] + sum[i][1] * sum[i][1] + sum[i][2] * sum[i][2] > .25)
      (*rank)[i] = ON_CORNER;
  return HK_OK;
}

/* The number of the cube; -1: more than `most`. */
static hk_index find_cube(cubes *c, uint64_t key)
{
  uint64_t at = key * 0x9e3779b97f4a7c15u >> 40;
  for (at %= (uint64_t)c->size; c->key[at]; at = (at + 1) % (uint64_t)c->size)
    if (c->key[at] == key) return c->number[at];
  if (c->count == c->most) return -1;
  c->key[at] = key, c->number[at] = c->count;
  return c->count++;
}

static uint64_t key_of(const hk_surface *s, const double *x, double cube)
{
  uint64_t key = 1;
  for (int d = 0; d < 3; d++) key = key << 21 | (uint64_t)((x[d] - s->low[d]) / cube);
  return key;
}

/* cube[corner] by cubes of this size; false: too many. first[cube]: the corner that stands for it. */
static bool assign(const hk_surface *s, const double *corner, const uint8_t *rank, double size,
                   cubes *c, hk_index *cube, hk_index *first)
{
  memset(c->key, 0, (size_t)c->size * sizeof *c->key);
  c->count = 0;
  for (hk_count i = 0; i < s->corners; i++) {
    const hk_index before = c->count, found = find_cube(c, key_of(s, corner + 3 * i, size));
    if (found < 0) return false;
    cube[i] = found;
    if (found == before || rank[i] > rank[first[found]]) first[found] = (hk_index)i;
  }
  return true;
}

static double longest(const hk_surface *s)
{
  double size = 0;
  for (int d = 0; d < 3; d++) size = fmax(size, s->high[d] - s->low[d]);
  return size;
}

/* cube[corner], first[cubes]: each corner alone where there are few. */
static hk_status make_cubes(const hk_surface *s, const double *corner, hk_count most, hk_pool *pool,
                            hk_index *cube, hk_index **first, hk_count *count)
{
  cubes c = {.size = (hk_index)(4 * most + 1), .most = (hk_index)most};
  uint8_t *rank;
  *count = s->corners < most ? s->corners : most;
  HK_PASS(hk_pool_get(pool, first, *count));
  if (s->corners <= most) {
    for (hk_count i = 0; i < s->corners; i++) cube[i] = (*first)[i] = (hk_index)i;
    return HK_OK;
  }
  HK_PASS(rank_corners(s, corner, pool, &rank));
  HK_PASS(hk_pool_get(pool, &c.key, c.size));
  HK_PASS(hk_pool_get(pool, &c.number, c.size));
  double size = fmax(longest(s), 1e-300) / sqrt((double)most * 16);
  while (!assign(s, corner, rank, size, &c, cube, *first)) size *= 1.2;
  *count = c.count;
  return HK_OK;
}

typedef struct making {
  const hk_surface *surface;
  const hk_index *cube, *first;
  int parts;
  hk_index *vertex; /* vertex[cube][part] + 1; 0: not made */
  hk_count room[6]; /* of the arrays of the body that grow */
} making;

static hk_status find_vertex(making *m, hk_view_body *b, hk_index corner, int part, hk_index *out)
{
  hk_index *v = &m->vertex[(hk_count)m->cube[corner] * m->parts + part];
  if (!*v) {
    HK_PASS(hk_reserve(&b->corner, b->vertices + 1, &m->room[0]));
    HK_PASS(hk_reserve(&b->region, b->vertices + 1, &m->room[1]));
    b->corner[b->vertices] = m->first[m->cube[corner]];
    b->region[b->vertices] = (uint8_t)part;
    *v = (hk_index)++b->vertices;
  }
  *out = *v - 1;
  return HK_OK;
}

static hk_status put_triangles(making *m, const uint8_t *part, hk_view_body *b)
{
  for (hk_count i = 0; i < m->surface->triangles; i++) {
    const hk_index *t = m->surface->triangle[i];
    const hk_index a = m->cube[t[0]], c = m->cube[t[1]], d = m->cube[t[2]];
    if (a == c || c == d || d == a) continue;
    HK_PASS(hk_reserve(&b->triangle, b->triangles + 1, &m->room[2]));
    HK_PASS(hk_reserve(&b->whose, b->triangles + 1, &m->room[3]));
    for (int k = 0; k < 3; k++)
      HK_PASS(find_vertex(m, b, t[k], part ? part[i] : 0, &b->triangle[b->triangles][k]));
    b->whose[b->triangles++] = (hk_index)i;
  }
  return HK_OK;
}

/* A vertex of the cube, of any region; -1: none. */
static hk_index any_vertex(const making *m, hk_index corner)
{
  const hk_index *v = m->vertex + (hk_count)m->cube[corner] * m->parts;
  for (int p = 0; p < m->parts; p++)
    if (v[p]) return v[p] - 1;
  return -1;
}

static hk_status put_edges(making *m, hk_view_body *b)
{
  for (hk_count i = 0; i < m->surface->edges; i++) {
    const hk_index *ends = m->surface->edge[i];
    const hk_index from = b->vertex[ends[0]], to = b->vertex[ends[1]];
    if (from < 0 || to < 0 || from == to) continue;
    HK_PASS(hk_reserve(&b->edge, b->edges + 1, &m->room[4]));
    HK_PASS(hk_reserve(&b->line, b->edges + 1, &m->room[5]));
    b->edge[b->edges][0] = from, b->edge[b->edges][1] = to;
    b->line[b->edges++] = (hk_index)i;
  }
  return HK_OK;
}

hk_status hk_view_body_make(const hk_surface *s, const double *corner, const uint8_t *part,
                            int parts, hk_count most, hk_view_body *out)
{
  hk_status status = HK_OK;
  hk_view_body b = {0};
  hk_pool pool = {0};
  making m = {.surface = s, .parts = part ? parts : 1};
  hk_index *cube, *first;
  hk_count cells;
  HK_TRY(hk_pool_get(&pool, &cube, s->corners));
  HK_TRY(make_cubes(s, corner, most, &pool, cube, &first, &cells));
  HK_TRY(hk_pool_get(&pool, &m.vertex, cells * m.parts));
  m.cube = cube, m.first = first;
  HK_TRY(put_triangles(&m, part, &b));
  HK_TRY(hk_get(&b.vertex, s->corners));
  for (hk_count i = 0; i < s->corners; i++) b.vertex[i] = any_vertex(&m, (hk_index)i);
  HK_TRY(put_edges(&m, &b));
  *out = b, b = (hk_view_body){0};
cleanup:
  hk_view_body_clear(&b);
  hk_pool_clear(&pool);
  return status;
}

void hk_view_body_clear(hk_view_body *b)
{
  hk_free(&b->corner);
  hk_free(&b->region);
  hk_free(&b->triangle);
  hk_free(&b->whose);
  hk_free(&b->edge);
  hk_free(&b->line);
  hk_free(&b->vertex);
  *b = (hk_view_body){0};
}
