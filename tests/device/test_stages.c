/* Each way of papers/stages.k.h gives sum_q c w_q J (grad N_n . grad u)(q), for every order and number of lanes. */
#include "device/device.h"
#include "element/gll.h"
#include "support/check.h"

enum { ORDERS = 10, SIDE = ORDERS + 1, POINTS = SIDE * SIDE, LANES = 16, BATCHES = 64 };

/* One element of map DF = {dx/dr, dx/ds, dy/dr, dy/ds}. */
static void expect(int order, const double *df, const double *u, double *out)
{
  const hk_gll *g = hk_gll_of(order);
  const int side = order + 1, points = side * side;
  const double det = df[0] * df[3] - df[1] * df[2];
  const double inverse[4] = {df[3] / det, -df[1] / det, -df[2] / det, df[0] / det};
  for (int q = 0; q < points; q++) {
    const int i = q % side, j = q / side;
    double slope[2][POINTS] = {{0}}, grad[2] = {0};
    for (int m = 0; m < side; m++)
      slope[0][j * side + m] += g->d[i * side + m], slope[1][m * side + i] += g->d[j * side + m];
    for (int n = 0; n < points; n++) {
      const double r = slope[0][n], s = slope[1][n];
      slope[0][n] = inverse[0] * r + inverse[2] * s;
      slope[1][n] = inverse[1] * r + inverse[3] * s;
      grad[0] += slope[0][n] * u[n], grad[1] += slope[1][n] * u[n];
    }
    for (int n = 0; n < points; n++)
      out[n] += 2 * g->w[i] * g->w[j] * det * (slope[0][n] * grad[0] + slope[1][n] * grad[1]);
  }
}

static hk_buffer *send(hk_device *device, bool real, hk_count count, const void *from)
{
  hk_buffer *b = NULL;
  ok(hk_buffer_create(device, count * 4, &b));
  if (real)
    ok(hk_buffer_write_reals(b, false, 0, count, from));
  else
    ok(hk_buffer_write(b, 0, count * 4, from));
  return b;
}

/* isa: NULL, or a set by name; false where the host has no kernels of it. */
static bool check(hk_device *device, int order, int way, int lanes, const char *isa)
{
  const bool host = !hk_device_describe(device)->compiles;
  const int side = order + 1, points = side * side, entries = 2 * points * side;
  double u[LANES * POINTS], wanted[LANES * POINTS] = {0}, found[LANES * POINTS], map[4 * LANES];
  double coefficient[2 * POINTS * SIDE], most = 0;
  hk_index node[LANES * POINTS], column[2 * POINTS * SIDE];
  hk_kernel *kernel = NULL;
  hk_kernel_desc desc = {
      .text = "stages", .function = "stages_product", .threads = host ? 1 : 64, .isa = isa};
  srand(5);
  hk_kernel_define(&desc, "BATCHES", BATCHES);
  hk_kernel_define(&desc, "ORDER", order);
  if (host) hk_kernel_define(&desc, "SIMD", lanes);
  hk_kernel_define(&desc, "WAY", way);
  if (hk_kernel_create(device, &desc, &kernel) == HK_NO_RESOURCES && isa) return false;
  assert_non_null(kernel);
  for (int l = 0; l < lanes; l++) {
    const double df[4] = {1 + 0.3 * uniform(), 0.3 * uniform(), 0.3 * uniform(), 0.7};
    for (int k = 0; k < 4; k++) map[k * lanes + l] = df[k];
    for (int n = 0; n < points; n++)
      node[n * lanes + l] = l * points + n, u[l * points + n] = uniform();
    expect(order, df, u + l * points, wanted + l * points);
  }
  for (int k = 0; k < entries; k++) {
    const int m = k % side, n = k / side % points, last = k / side / points;
    column[k] = last ? m * side + n % side : n / side * side + m;
    coefficient[k] = hk_gll_of(order)->d[(last ? n / side : n % side) * side + m];
  }
  hk_buffer *in = send(device, true, (hk_count)lanes * points, u),
            *to = send(device, false, (hk_count)lanes * points, (int[LANES * POINTS]){0}),
            *of = send(device, false, (hk_count)lanes * points, node),
            *at = send(device, true, 4LL * lanes, map),
            *columns = send(device, false, entries, column),
            *coefficients = send(device, true, entries, coefficient);
  ok(hk_kernel_launch(kernel, 0, 1,
                      (hk_argument[]){hk_arg_buffer(in), hk_arg_buffer(to), hk_arg_buffer(of),
                                      hk_arg_buffer(at), hk_arg_buffer(columns),
                                      hk_arg_buffer(coefficients), hk_arg_real(2), hk_arg_int(0),
                                      hk_arg_int(1)},
                      9));
  ok(hk_buffer_read_reals(to, false, 0, (hk_count)lanes * points, found));
  for (int n = 0; n < lanes * points; n++) most = fmax(most, fabs(wanted[n]));
  for (int n = 0; n < lanes * points; n++)
    if (!(fabs(found[n] - wanted[n]) <= 1e-5 * most))
      fail_msg("order %d, way %d, %d lanes: point %d is %g, not %g", order, way, lanes, n, found[n],
               wanted[n]);
  hk_kernel_destroy(&kernel);
  hk_buffer *all[] = {in, to, of, at, columns, coefficients};
  for (int k = 0; k < 6; k++) hk_buffer_destroy(&all[k]);
  return true;
}

static void host_has_every_variant(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  for (int order = 1; order <= ORDERS; order++)
    for (int way = 0; way < 3; way++)
      for (int lanes = 1; lanes <= 8; lanes *= 2)
        if (lanes == 1 || lanes == 8 || (way == 2 && order >= 2 && order <= 5))
          check(device, order, way, lanes, NULL);
  hk_device_close(&device);
}

/* Those of single instruction sets too, where this build and the processor have them. */
static void sets_compute_the_same(void **state)
{
  static const struct {
    const char *isa;
    int lanes;
  } sets[] = {{"x86_sse4_2", 1},   {"x86_sse4_2", 4},  {"x86_avx2", 8},
              {"x86_avx2_fma", 8}, {"x86_avx512", 16}, {"x86_avx512_fma", 16}};
  hk_device *device = NULL;
  int found = 0;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  for (int k = 0; k < 6; k++)
    for (int order = 2; order <= ORDERS; order++)
      found += check(device, order, 2, sets[k].lanes, sets[k].isa);
  hk_device_close(&device);
  if (!found) skip();
}

static void compiled_kernels_compute_the_same(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 1, &device) != HK_OK) skip();
  for (int way = 0; way < 3; way++) check(device, 2, way, 1, NULL);
  check(device, 3, 2, 1, NULL);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(host_has_every_variant),
      cmocka_unit_test(sets_compute_the_same),
      cmocka_unit_test(compiled_kernels_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
