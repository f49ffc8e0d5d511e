/* Rounding noise of K u and its bound, element by element: some thousands of elements are computed in parallel, then added to their nodes in order. The
 * noise is a hash of places: the same on any machine. */
#include "operator/measure/noise.h"
#include "element/element.h"
#include "mesh/scatter.h"
#include <math.h>
#include <string.h>

enum { BOUND, NOISE, PARTS };

typedef struct sums {
  const hk_space *space;
  bool whole; /* K_ii is multiplied itself */
  const double *weight, *u;
  double most;
  double *bound, *noise;
  double (*part)[PARTS]; /* part[HK_SCATTER_MOST][components] at most */
  hk_scatter *by;
} sums;

/* In [-1, 1): the same on any machine. */
static double random_of(hk_count i)
{
  return (double)(hk_hash(&i, sizeof i, 0) >> 11) / (1LL << 52) - 1;
}

/* Component c of element e: part[nodes][components]. u[n], scale[n] = sqrt(D_n) of its nodes. */
static void find_component(const sums *s, int nodes, const double *u, const double *scale,
                           hk_count seed, double (*part)[PARTS])
{
  const bool whole = s->whole;
  const int components = s->space->components;
  double sum = 0, low = whole ? 0 : u[0], high = low, mean = 0;
  for (int n = 0; n < nodes; n++) {
    sum += scale[n];
    low = fmin(low, u[n]), high = fmax(high, u[n]);
  }
  for (int n = 0; n < nodes; n++) {
    double *own = part[n * components];
    own[NOISE] = random_of(seed + n) * scale[n] * scale[n] * fmax(high - u[n], u[n] - low);
    mean += whole ? 0 : own[NOISE] / nodes;
    own[BOUND] = components * scale[n] * sum * s->most;
  }
  for (int n = 0; n < nodes; n++) part[n * components][NOISE] -= mean;
}

static void find_element(const sums *s, const hk_block *block, hk_count e, double (*part)[PARTS])
{
  const int components = s->space->components, nodes = block->nodes;
  double scale[HK_MOST_NODES], u[HK_MOST_NODES];
  for (int n = 0; n < nodes; n++)
    scale[n] = sqrt(fabs(s->weight[s->space->node[block->node[e * nodes + n]]]));
  for (int c = 0; c < components; c++) {
    for (int n = 0; n < nodes; n++)
      u[n] = s->u[(hk_count)s->space->node[block->node[e * nodes + n]] * components + c];
    find_component(s, nodes, u, scale, ((block->first + e) * components + c) * nodes, part + c);
  }
}

static void add_part(const sums *s, hk_count places, const hk_index *node)
{
  const int components = s->space->components;
  hk_scatter_sort(s->by, places, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = s->by->begin[o]; k < s->by->begin[o + 1]; k++) {
      const hk_index place = s->by->place[k];
      const hk_count to = (hk_count)s->space->node[node[place]] * components;
      for (int c = 0; c < components; c++) {
        const double *own = s->part[(hk_count)place * components + c];
        s->bound[to + c] += own[BOUND], s->noise[to + c] += own[NOISE];
      }
    }
}

static void add_block(const sums *s, const hk_block *block)
{
  const hk_count each = (hk_count)block->nodes * s->space->components;
  for (hk_count from = 0, count; from < block->count; from += count) {
    count = hk_scatter_part(block->count - from, block->nodes);
#pragma omp parallel for schedule(static)
    for (hk_count i = 0; i < count; i++) find_element(s, block, from + i, s->part + i * each);
    add_part(s, count * block->nodes, block->node + from * block->nodes);
  }
}

hk_status hk_noise_add(const hk_space *space, bool differences, const double *weight,
                       const double *u, double most, double *bound, double *noise)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = space->mesh;
  hk_count places = 1;
  sums s = {.space = space,
            .whole = !differences,
            .weight = weight,
            .u = u,
            .most = most,
            .bound = bound,
            .noise = noise};
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_count own = hk_scatter_part(block->count, block->nodes) * block->nodes;
    if (own > places) places = own;
  }
  HK_TRY(hk_get(&s.part, places * space->components));
  HK_TRY(hk_scatter_create(places, &s.by));
  for (int b = 0; b < mesh->block_count; b++) add_block(&s, &mesh->block[b]);
cleanup:
  hk_scatter_destroy(&s.by);
  hk_free(&s.part);
  return status;
}

void hk_noise_uses(const hk_space *space, hk_index *uses)
{
  const hk_mesh *mesh = space->mesh;
  memset(uses, 0, (size_t)space->padded * sizeof *uses);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count k = 0; k < block->count * block->nodes; k++) {
      hk_index *own = &uses[space->node[block->node[k]]];
#pragma omp atomic
      ++*own;
    }
  }
}
