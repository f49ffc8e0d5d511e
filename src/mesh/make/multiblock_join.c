/* Nodes of blocks that coincide become one. Places on the surfaces of lattices are kept in a hash table of cubes with edges of four
 * tolerances; a node looks into the eight cubes around it. Two nodes coincide within 1e-5 of the shortest distance of lattice neighbours in
 * any block. Only nodes of earlier blocks are candidates, so a block never joins nodes of its own. */
#include "mesh/make/multiblock_parts.h"
#include <math.h>
#include <string.h>

static const double COINCIDE = 1e-5; /* of the shortest distance between neighbours in a lattice */

typedef struct joiner {
  hk_multiblock_maker *m;
  hk_pool pool;   /* holds the arrays */
  double (*x)[3]; /* x[nodes] */
  hk_count nodes, slots;
  hk_index *slot; /* slot[slots] = 1 + a node; of the same hash: */
  hk_index *next; /* next[nodes] = 1 + another; 0: none */
  double near;
} joiner;

static double distance(const double *a, const double *b)
{
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

static double shortest(const hk_lattice *l, const double (*x)[3])
{
  const hk_count step[3] = {1, l->line[0], l->line[0] * l->line[1]};
  double least = INFINITY;
  for (hk_count p = 0; p < l->points; p++) {
    const hk_count at[3] = {p % l->line[0], p / l->line[0] % l->line[1],
                            p / (l->line[0] * l->line[1])};
    for (int d = 0; d < 3; d++)
      if (at[d] + 1 < l->line[d]) least = fmin(least, distance(x[p], x[p + step[d]]));
  }
  return least;
}

/* Of the cube around x, moved by side (-1, 1) times half its length. */
static hk_count slot_of(const joiner *j, const double x[3], const int side[3])
{
  int64_t cube[3];
  for (int c = 0; c < 3; c++) cube[c] = (int64_t)floor((x[c] + side[c] * j->near) / (4 * j->near));
  const uint64_t hash = hk_hash(cube, sizeof cube, 0);
  return (hk_count)((hash ^ hash >> 32) & (uint64_t)(j->slots - 1));
}

/* The node at x; -1. */
static hk_index find(const joiner *j, const double x[3])
{
  for (int k = 0; k < 8; k++) {
    const int side[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
    for (hk_index n = j->slot[slot_of(j, x, side)]; n; n = j->next[n - 1])
      if (distance(j->x[n - 1], x) <= j->near) return n - 1;
  }
  return -1;
}

static hk_index add(joiner *j, const double x[3], bool outer)
{
  const hk_index n = (hk_index)j->nodes++;
  memcpy(j->x[n], x, sizeof j->x[n]);
  if (outer) {
    const hk_count slot = slot_of(j, x, (int[3]){0});
    j->next[n] = j->slot[slot], j->slot[slot] = n + 1;
  }
  return n;
}

static void join_part(joiner *j, int b, const double (*x)[3])
{
  const hk_lattice *l = &j->m->lattice[b];
  const hk_count before = j->nodes;
  for (hk_count p = 0; p < l->points; p++) {
    const hk_count at[3] = {p % l->line[0], p / l->line[0] % l->line[1],
                            p / (l->line[0] * l->line[1])};
    bool outer = false;
    for (int d = 0; d < j->m->desc->dim; d++)
      outer = outer || at[d] == 0 || at[d] == l->line[d] - 1;
    const hk_index there = outer ? find(j, x[p]) : -1;
    l->node[p] = there >= 0 && there < before ? there : add(j, x[p], outer);
  }
}

static hk_status begin(joiner *j, double (*x)[3])
{
  hk_count all = 0;
  double least = INFINITY;
  for (int b = 0; b < j->m->desc->parts; b++) {
    hk_multiblock_map(j->m, b, x);
    const double own = shortest(&j->m->lattice[b], (const double(*)[3])x);
    HK_NEED(own > 0 && isfinite(own), HK_BAD_INPUT,
            "block %s is tangled: two of its nodes coincide", j->m->desc->part[b].name);
    least = fmin(least, own);
    all += j->m->lattice[b].points;
  }
  j->near = COINCIDE * least;
  for (j->slots = 16; j->slots < all;) j->slots *= 2;
  HK_PASS(hk_pool_get(&j->pool, &j->slot, j->slots));
  HK_PASS(hk_pool_get(&j->pool, &j->next, all));
  return hk_pool_get(&j->pool, &j->x, all);
}

hk_status hk_multiblock_join(hk_multiblock_maker *m)
{
  hk_status status = HK_OK;
  joiner j = {.m = m};
  hk_count most = 0;
  double(*x)[3];
  for (int b = 0; b < m->desc->parts; b++)
    if (m->lattice[b].points > most) most = m->lattice[b].points;
  HK_TRY(hk_pool_get(&j.pool, &x, most));
  HK_TRY(begin(&j, x));
  for (int b = 0; b < m->desc->parts; b++) {
    hk_multiblock_map(m, b, x);
    join_part(&j, b, (const double(*)[3])x);
  }
  m->mesh->node_count = j.nodes;
  HK_TRY(hk_get(&m->mesh->x, j.nodes * m->desc->dim));
  for (hk_count n = 0; n < j.nodes; n++)
    memcpy(m->mesh->x + n * m->desc->dim, j.x[n], (size_t)m->desc->dim * sizeof(double));
cleanup:
  hk_pool_clear(&j.pool);
  return status;
}
