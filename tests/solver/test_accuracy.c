/* What the error of a solution is estimated from: the noise of rounding element by element, and powers of two near a vector. */
#include "operator/measure/noise.h"
#include "solver/linear/scale.h"
#include "support/body.h"
#include <float.h>
#include <omp.h>

/* The sums as solver/linear/accuracy.h has them, element after element. */
static void add_plainly(const hk_space *space, const double *weight, const double *u, double most,
                        double *bound, double *noise)
{
  const int c = space->components;
  for (int b = 0; b < space->mesh->block_count; b++) {
    const hk_block *block = &space->mesh->block[b];
    for (hk_count e = 0; e < block->count; e++)
      for (int k = 0; k < c; k++) {
        double rho[HK_MOST_NODES], far[HK_MOST_NODES] = {0}, roots = 0, mean = 0;
        hk_count at[HK_MOST_NODES];
        for (int n = 0; n < block->nodes; n++) {
          at[n] = (hk_count)space->node[block->node[e * block->nodes + n]] * c + k;
          roots += sqrt(weight[at[n] / c]);
        }
        for (int n = 0; n < block->nodes; n++) {
          const hk_count place = ((block->first + e) * c + k) * block->nodes + n;
          for (int m = 0; m < block->nodes; m++) far[n] = fmax(far[n], fabs(u[at[n]] - u[at[m]]));
          if (!hk_space_solid(space)) far[n] = fmax(far[n], fabs(u[at[n]]));
          rho[n] = ((double)(hk_hash(&place, sizeof place, 0) >> 11) / (1LL << 52) - 1) *
                   weight[at[n] / c] * far[n];
          if (hk_space_solid(space)) mean += rho[n] / block->nodes;
        }
        for (int n = 0; n < block->nodes; n++) {
          bound[at[n]] += c * sqrt(weight[at[n] / c]) * roots * most;
          noise[at[n]] += rho[n] - mean;
        }
      }
  }
}

typedef struct sums {
  hk_space *space;
  hk_index *uses;
  double *weight, *u, *bound, *noise, *plain_bound, *plain_noise;
  hk_pool pool;
} sums;

static void open_sums(sums *s, const hk_mesh *mesh, int components)
{
  ok(hk_space_create(mesh, &(hk_space_desc){.patch = 64, .components = components}, &s->space));
  const hk_count nodes = s->space->padded, dofs = nodes * components;
  double **of_dofs[] = {&s->u, &s->bound, &s->noise, &s->plain_bound, &s->plain_noise};
  ok(hk_pool_get(&s->pool, &s->weight, nodes));
  ok(hk_pool_get(&s->pool, &s->uses, nodes));
  for (int k = 0; k < 5; k++) ok(hk_pool_get(&s->pool, of_dofs[k], dofs));
  for (hk_count i = 0; i < nodes; i++) s->weight[i] = 1 + fabs(sin(7.0 * (double)i));
  for (hk_count i = 0; i < dofs; i++) s->u[i] = cos(3.0 * (double)i);
}

/* the sums of several threads are those of a plain loop to rounding, and have the same bits for any number of threads: of more elements than are
 * computed at a time, of solids and of heat */
static void sums_over_elements(void **state)
{
  const int threads_before = omp_get_max_threads();
  (void)state;
  for (int heat = 0; heat < 2; heat++) {
    hk_mesh *mesh = make_grid((hk_mesh_grid){
        .to = {1, 1}, .cells = {301, 297}, .shape = HK_TRI3, .jitter = 0.2, .shuffle = 3});
    sums s = {0};
    double *first = NULL;
    open_sums(&s, mesh, heat ? 1 : 2);
    const hk_count dofs = (hk_count)s.space->padded * s.space->components;
    ok(hk_pool_get(&s.pool, &first, dofs));
    add_plainly(s.space, s.weight, s.u, 3, s.plain_bound, s.plain_noise);
    for (int threads = 1; threads <= 5; threads += 2) {
      omp_set_num_threads(threads);
      memset(s.bound, 0, (size_t)dofs * sizeof *s.bound);
      memset(s.noise, 0, (size_t)dofs * sizeof *s.noise);
      ok(hk_noise_add(s.space, !heat, s.weight, s.u, 3, s.bound, s.noise));
      for (hk_count i = 0; i < dofs; i++) {
        near(s.bound[i], s.plain_bound[i], 1e-13 * s.plain_bound[i]);
        near(s.noise[i], s.plain_noise[i], 1e-13);
      }
      if (threads == 1) memcpy(first, s.noise, (size_t)dofs * sizeof *first);
      assert_memory_equal(first, s.noise, (size_t)dofs * sizeof *first);
    }
    omp_set_num_threads(threads_before);
    hk_space_destroy(&s.space);
    hk_pool_clear(&s.pool);
    hk_mesh_destroy(&mesh);
  }
}

/* the elements around a node: as many as name it */
static void uses_of_nodes(void **state)
{
  sums s = {0};
  hk_mesh *mesh = make_grid((hk_mesh_grid){.to = {1, 1, 1}, .cells = {9, 8, 7}, .shape = HK_TET4});
  (void)state;
  open_sums(&s, mesh, 3);
  memset(s.uses, 1, (size_t)s.space->padded * sizeof *s.uses);
  hk_noise_uses(s.space, s.uses);
  const hk_block *block = &mesh->block[0];
  for (hk_count k = 0; k < block->count * block->nodes; k++)
    s.uses[s.space->node[block->node[k]]]--;
  for (hk_index i = 0; i < s.space->padded; i++) assert_int_equal(s.uses[i], 0);
  hk_space_destroy(&s.space);
  hk_pool_clear(&s.pool);
  hk_mesh_destroy(&mesh);
}

/* 2^e v is what ldexp gives, bit for bit: also where it is subnormal, infinite or no number, and where 2^e itself is not normal */
static void powers_of_two(void **state)
{
  enum { N = 9 };
  static const double v[N] = {1, -3.7, DBL_MAX, DBL_MIN, 4.9e-324, 1e-310, INFINITY, NAN, 0};
  static const int exponents[] = {0, 1, -1, 60, -60, 1022, -1022, 1023, -1073, 2000, -2000};
  (void)state;
  for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
    double got[N], expected[N], in_place[N];
    memcpy(in_place, v, sizeof v);
    for (int i = 0; i < N; i++) expected[i] = ldexp(v[i], exponents[k]);
    hk_scale_by(exponents[k], v, N, got);
    hk_scale_by(exponents[k], in_place, N, in_place);
    assert_memory_equal(got, expected, sizeof got);
    assert_memory_equal(in_place, expected, sizeof got);
  }
}

/* the largest component without its sign; NaN where there is one, wherever it is; no exponent where that is no number, 0 or near 1 */
static void largest_component(void **state)
{
  enum { N = 20000 }; /* of several threads */
  double v[N] = {0};
  (void)state;
  near(hk_scale_most(v, N), 0, 0);
  assert_int_equal(hk_scale_find(v, N), 0);
  v[700] = -0x1.8p40, v[3] = 2;
  near(hk_scale_most(v, N), 0x1.8p40, 0);
  assert_int_equal(hk_scale_find(v, N), 41);
  assert_int_equal(hk_scale_find(v, 700), 0);
  v[0] = NAN;
  assert_true(isnan(hk_scale_most(v, N)));
  assert_int_equal(hk_scale_find(v, N), 0);
  v[0] = INFINITY;
  assert_int_equal(hk_scale_find(v, N), 0);
  near(hk_scale_most(v, 0), 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_over_elements),
      cmocka_unit_test(uses_of_nodes),
      cmocka_unit_test(powers_of_two),
      cmocka_unit_test(largest_component),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
