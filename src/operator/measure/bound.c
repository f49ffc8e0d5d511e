/* Bound of the largest frequency by the element theorem (W.11), with the mass of each node shared out unevenly (W.12).
 *
 * Any split of the lumped mass into positive parts, M = sum of M_e, makes the largest eigenvalue of the eigenvalues (K_e, M_e) a bound.
 * The usual split, M_e the element's own mass m_e, is the worst for a stiff element among soft ones. Here the node's mass goes to
 * its elements in proportion to m_e F_e, F_e the Frobenius norm of M^-1/2 K M^-1/2 of the element alone: small and stiff ones get
 * more of it. On jittered meshes the bound falls by a quarter to a third; a mesh of equal elements has the same bound.
 *
 * Node n gives element e the mass m_e F_e / s_n with s_n = sum m_e F_e / sum m_e over its elements. As F_e bounds the eigenvalues
 * with m_e, the largest s_n of the element's nodes bounds those of its eigenvalue, without a look at the element. So the bound begins
 * with the exact one of a likely element, and a part of the mesh looks at those elements alone that have a larger s_n; it keeps the
 * lambda that has served all its elements so far, and raises it where one fails. Elements that are like the last one served are not looked at (alike.h). */
#include "mesh/scatter.h"
#include "operator/element/lumped.h"
#include "operator/measure/alike.h"
#include "operator/measure/eigenvalue.h"
#include <math.h>

enum { PART = HK_ELEMENT_PART, AHEAD = 12 };

static const double rounding = 1 + 1e-10;      /* of K, A and the factorisation: n^2 eps */
static const double float_rounding = 1 + 1e-6; /* of the norms that are kept, and of the sums */

typedef struct share { /* of a node */
  double mass;
  double stiffness; /* sum over its elements of m_e F_e; then s_n */
} share;

typedef struct pass {
  const hk_mesh *mesh;
  const hk_region_law *law;
  const hk_index *element_region;
  const hk_block *block;
  hk_slopes *slopes;
  float *norm;  /* norm[element] = F_e */
  share *share; /* share[node] */
  hk_scatter *by;
  hk_pool pool; /* these arrays, and the laws */
} pass;

/* mass[0..count)[nodes] and norms of the elements [from, from + count); the first folded element of
 * them, or count. */
static hk_count measure_part(const pass *p, hk_count from, hk_count count, double *mass)
{
  hk_count folded = count;
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_count i = 0; i < count; i++) {
    double x[3 * HK_LISTED_NODES];
    const hk_count e = p->block->first + from + i;
    hk_element_gather(p->mesh, p->block, from + i, x);
    p->norm[e] = (float)hk_eigenvalue_norm(p->slopes, p->law + p->element_region[e], x,
                                           mass + i * p->block->nodes);
    if (!(p->norm[e] > 0) && i < folded) folded = i;
  }
  return folded;
}

static void add_part(const pass *p, hk_count from, hk_count count, const double *mass)
{
  const int nodes = p->block->nodes;
  const hk_index *node = p->block->node + from * nodes, *place = p->by->place;
  const float *norm = p->norm + p->block->first + from;
  hk_scatter_sort(p->by, count * nodes, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = p->by->begin[o], end = p->by->begin[o + 1]; k < end; k++) {
      share *to = &p->share[node[place[k]]];
      if (k + AHEAD < end) __builtin_prefetch(&p->share[node[place[k + AHEAD]]], 1);
      to->mass += mass[place[k]];
      to->stiffness += mass[place[k]] * (double)norm[place[k] / nodes];
    }
}

static hk_status measure_block(const pass *p, double *mass)
{
  for (hk_count from = 0, count; from < p->block->count; from += count) {
    count = hk_scatter_part(p->block->count - from, p->block->nodes);
    const hk_count folded = measure_part(p, from, count, mass);
    if (folded < count) return hk_element_folded(p->mesh, p->block->first + from + folded);
    add_part(p, from, count, mass);
  }
  return HK_OK;
}

/* The first of those with the largest norm. */
static hk_index find_stiffest(const pass *p)
{
  const hk_count elements = p->mesh->element_count;
  hk_count stiffest = elements;
  float most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (hk_count e = 0; e < elements; e++)
    if (p->norm[e] > most) most = p->norm[e];
#pragma omp parallel for schedule(static) reduction(min : stiffest)
  for (hk_count e = 0; e < elements; e++)
    if (e < stiffest && p->norm[e] == most) stiffest = e;
  return (hk_index)stiffest;
}

static const hk_region_law *law_of(const pass *p, hk_count i)
{
  return p->law + p->element_region[p->block->first + i];
}

/* factor[nodes] = F_e / s_n of the i-th element of the block. */
static void find_shares(const pass *p, hk_count i, double *factor)
{
  const hk_index *node = p->block->node + i * p->block->nodes;
  for (int n = 0; n < p->block->nodes; n++)
    factor[n] = (double)p->norm[p->block->first + i] / p->share[node[n]].stiffness;
}

/* x[nodes][dim] of the i-th element of the block and the mass that its nodes give it. */
static const hk_region_law *find_eigenvalue(const pass *p, hk_count i, double *x, double *mass)
{
  double factor[HK_LISTED_NODES];
  hk_element_gather(p->mesh, p->block, i, x);
  hk_eigenvalue_mass(p->slopes, law_of(p, i), x, mass);
  find_shares(p, i, factor);
  for (int n = 0; n < p->block->nodes; n++) mass[n] *= factor[n];
  return law_of(p, i);
}

static double bound_element(const pass *p, hk_count i)
{
  double x[3 * HK_LISTED_NODES], mass[HK_LISTED_NODES];
  const hk_region_law *law = find_eigenvalue(p, i, x, mass);
  return hk_eigenvalue_bound(p->slopes, law, x, mass);
}

/* The largest and the sum of s_n of the i-th element of the block. */
static double look_ahead(const pass *p, hk_count i, double *sum)
{
  const int nodes = p->block->nodes;
  const hk_index *node = p->block->node + i * nodes;
  double largest = 0;
  *sum = 0;
  if (i + AHEAD < p->block->count)
    for (int n = 0; n < nodes; n++) __builtin_prefetch(&p->share[node[AHEAD * nodes + n]]);
  for (int n = 0; n < nodes; n++) {
    const double s = p->share[node[n]].stiffness;
    *sum += s;
    if (s > largest) largest = s;
  }
  return largest;
}

/* Of the elements [from, to) of the block the one with the largest sum of s_n. */
static hk_count likely_element(const pass *p, hk_count from, hk_count to)
{
  hk_count best = from;
  double most = 0, sum;
  for (hk_count i = from; i < to; i++) {
    look_ahead(p, i, &sum);
    if (sum > most) most = sum, best = i;
  }
  return best;
}

/* Whether lambda exceeds the eigenvalue of the i-th element, which is like the last one for which this was found, or is found to stand for
 * others. */
static bool exceeds_alike(const pass *p, hk_count i, double lambda, hk_alike *alike)
{
  const hk_region_law *law = law_of(p, i);
  double x[3 * HK_LISTED_NODES], mass[HK_LISTED_NODES], factor[HK_LISTED_NODES];
  find_shares(p, i, factor);
  if (hk_alike_shares(alike, law, p->block->nodes, factor)) {
    hk_element_gather(p->mesh, p->block, i, x);
    if (hk_alike_places(alike, p->slopes, x)) return true;
  }
  find_eigenvalue(p, i, x, mass);
  if (!hk_eigenvalue_exceeded(p->slopes, law, x, mass, lambda / HK_ALIKE_MARGIN)) return false;
  hk_alike_keep(p->slopes, law, x, factor, alike);
  return true;
}

static double bound_part(const pass *p, hk_count from, hk_count to, double lambda)
{
  double x[3 * HK_LISTED_NODES], mass[HK_LISTED_NODES], sum;
  hk_alike alike = {.law = NULL};
  for (hk_count i = from; i < to; i++) {
    if (look_ahead(p, i, &sum) * float_rounding <= lambda) continue;
    const bool pays = hk_alike_pays(p->slopes, law_of(p, i));
    if (pays && exceeds_alike(p, i, lambda, &alike)) continue;
    const hk_region_law *law = find_eigenvalue(p, i, x, mass);
    if (!hk_eigenvalue_exceeded(p->slopes, law, x, mass, lambda))
      lambda = fmax(lambda, hk_eigenvalue_bound(p->slopes, law, x, mass));
  }
  return lambda;
}

/* *lambda raised to what the block needs. */
static hk_status bound_block(const pass *p, double *lambda)
{
  hk_status status = HK_OK;
  const hk_count count = p->block->count, parts = (count + PART - 1) / PART;
  double *part = NULL, start = *lambda;
  HK_TRY(hk_get(&part, parts));
#pragma omp parallel for schedule(static)
  for (hk_count k = 0; k < parts; k++) {
    const hk_count from = k * PART, to = from + PART < count ? from + PART : count;
    part[k] = bound_element(p, likely_element(p, from, to));
  }
  for (hk_count k = 0; k < parts; k++) start = fmax(start, part[k]);
#pragma omp parallel for schedule(dynamic)
  for (hk_count k = 0; k < parts; k++) {
    const hk_count from = k * PART, to = from + PART < count ? from + PART : count;
    part[k] = bound_part(p, from, to, start);
  }
  for (hk_count k = 0; k < parts; k++) *lambda = fmax(*lambda, part[k]);
cleanup:
  hk_free(&part);
  return status;
}

static hk_status create_laws(pass *p, const hk_region *region)
{
  const hk_mesh *mesh = p->mesh;
  hk_region_law *law;
  const int regions = hk_element_regions(mesh, p->element_region);
  const hk_status status = hk_pool_get(&p->pool, &law, regions);
  for (int r = 0; status == HK_OK && r < regions; r++)
    hk_region_law_find(region + r, mesh->dim, law + r);
  p->law = law;
  return status;
}

static hk_status measure(pass *p, double *mass)
{
  hk_status status = HK_OK;
  double *part = NULL;
  HK_TRY(hk_get(&part, p->by->most));
  for (int b = 0; b < p->mesh->block_count; b++) {
    p->block = p->mesh->block + b;
    hk_slopes_find(hk_element_of(p->block->shape), HK_INTEGRATION_FULL, p->slopes);
    HK_TRY(measure_block(p, part));
  }
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < p->mesh->node_count; n++) {
    mass[n] = p->share[n].mass;
    if (mass[n] > 0) p->share[n].stiffness /= mass[n];
  }
cleanup:
  hk_free(&part);
  return status;
}

hk_status hk_mass_and_bound(const hk_mesh *mesh, const hk_region *region,
                            const hk_index *element_region, double *mass, double *omega_max,
                            hk_index *element)
{
  hk_status status = HK_OK;
  pass p = {.mesh = mesh, .element_region = element_region};
  const int before = hk_clock_begin("regions");
  double lambda = 0;

  HK_TRY(hk_element_region_check(mesh, region, element_region));
  HK_TRY(create_laws(&p, region));
  HK_TRY(hk_pool_get(&p.pool, &p.slopes, 1));
  HK_TRY(hk_pool_get(&p.pool, &p.norm, mesh->element_count));
  HK_TRY(hk_pool_get(&p.pool, &p.share, mesh->node_count));
  HK_TRY(hk_scatter_create(hk_mesh_entries(mesh), &p.by));
  hk_clock_next("masses");
  HK_TRY(measure(&p, mass));
  hk_clock_next("bound");
  for (int b = 0; b < mesh->block_count; b++) {
    p.block = mesh->block + b;
    hk_slopes_find(hk_element_of(p.block->shape), HK_INTEGRATION_FULL, p.slopes);
    HK_TRY(bound_block(&p, &lambda));
  }
  *omega_max = sqrt(lambda * rounding);
  *element = find_stiffest(&p);
cleanup:
  hk_clock_end(before);
  hk_scatter_destroy(&p.by);
  hk_pool_clear(&p.pool);
  return status;
}

hk_status hk_element_bound(const hk_mesh *mesh, const hk_region *region,
                           const hk_index *element_region, double *omega_max, hk_index *element)
{
  double *mass = NULL;
  hk_status status = hk_get(&mass, mesh->node_count);
  if (status == HK_OK)
    status = hk_mass_and_bound(mesh, region, element_region, mass, omega_max, element);
  hk_free(&mass);
  return status;
}

/* Least distance between neighbours in the lattice of an element at x[nodes][2]. */
static double least_gap(const hk_element *element, const double *x)
{
  const int side = element->order + 1;
  double least = INFINITY;
  for (int q = 0; q < element->nodes; q++)
    for (int d = 0, step = 1; d < 2; d++, step *= side) {
      if (q / step % side == side - 1) continue;
      const double *a = x + 2 * element->lattice[q], *b = x + 2 * element->lattice[q + step];
      least = fmin(least, hypot(a[0] - b[0], a[1] - b[1]));
    }
  return least;
}

hk_index hk_element_tightest(const hk_mesh *mesh, const hk_region *region,
                             const hk_index *element_region)
{
  double x[2 * HK_MOST_NODES], least = INFINITY;
  hk_index found = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_block *block = hk_mesh_block_of(mesh, e);
    hk_element_gather(mesh, block, e - block->first, x);
    const double time = least_gap(hk_element_of(block->shape), x) /
                        hk_region_fastest(region + element_region[e], 2);
    if (time < least) least = time, found = (hk_index)e;
  }
  return found;
}
