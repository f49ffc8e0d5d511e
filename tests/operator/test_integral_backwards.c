/* The order of a phase's items does not matter: kernels/products.k.h, factorised.k.h and quadrature.k.h in a dialect that runs them, and the
 * groups, backwards give what forward launches give. On a device where they run side by side, an item that needs another one of its
 * phase would be a race. */
#define FOR_ITEMS(i, n) for (int i = (n)-1; i >= 0; i--)
#define HOST_ISA backwards
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "device/host/kernels/products.c"
#undef LINE
#undef SELF
#undef ELEMENTS
#undef SPAN
#undef TILE
#undef CORNERS
#undef JACOBIAN
#undef CHUNK
#undef POINTWISE
#include "device/host/kernels/factorised.c"
#undef ROW
#undef SELF
#undef CHUNK
#undef ELEMENTS
#define real double
#define PRECISION d
#define CORNERS 6
#define DIRECTIONS 3
#define ELASTIC 1
#define EQUATIONS 3
#define JACOBIAN 1
#define MOST 40
#define PART 96
#define STORE 0
#include "points.k.h"
#include "quadrature.k.h"
#undef STORE
#undef BLOCK
#undef BLOCK_PLACE
#undef APART
#define STORE 1
#define quadrature_update quadrature_update_shm
#define quadrature_parts quadrature_parts_shm
#include "quadrature.k.h"
#undef quadrature_parts
#undef real
#include "operator/integral.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { N = 3, P = 3, SHAPES = 40, POINTS = 48, STRIDE = 64, SIZE = 120 * 120 };

static hk_reference reference;
static double x[N * 18], relative[N * 18], lame[N * 2], expected[N * SIZE], matrix[N * SIZE];
static double phi[POINTS * 4 * STRIDE], tight[POINTS * 4 * SHAPES], slope[18 * POINTS],
    terms[N * POINTS * 10];
static int folded;

static hk_status keep(void *user, hk_count first, hk_count count, const void *from)
{
  (void)user;
  memcpy(expected + first * SIZE, from, (size_t)(count * SIZE) * sizeof(double));
  return HK_OK;
}

static int set_up(void **state)
{
  hk_device *device = NULL;
  hk_integral *t = NULL;
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  (void)state;
  assert_int_equal(hk_reference_prism(P, P, HK_WEDGE6, &reference), HK_OK);
  for (int k = 0; k < N * 18; k++)
    x[k] = wedge->reference[k / 3 % 6][k % 3] + 0.1 * sin(12.9898 * k);
  for (int k = 0; k < N * 18; k++) relative[k] = x[k] - x[k / 18 * 18 + k % 3];
  for (int k = 0; k < N * 2; k++) lame[k] = 1 + 0.1 * k;
  for (int k = 0; k < POINTS * 4; k++)
    memcpy(phi + k * STRIDE, reference.phi + k * SHAPES, SHAPES * sizeof(double));
  memcpy(tight, reference.phi, sizeof tight);
  for (int k = 0; k < 18 * POINTS; k++) slope[k % 18 * POINTS + k / 18] = reference.slope[k];
  assert_int_equal(hk_device_open("cpu", 1, &device), HK_OK);
  assert_int_equal(
      hk_integral_create(&(hk_integral_desc){.device = device,
                                             .double_precision = true,
                                             .reference = &reference,
                                             .elements = N,
                                             .x = x,
                                             .coefficients = {3, true, HK_SPREAD_ELEMENT, lame},
                                             .way = HK_INTEGRAL_PRODUCTS},
                         &t),
      HK_OK);
  assert_int_equal(hk_integral_run(t, false, keep, NULL), HK_OK);
  hk_integral_destroy(&t);
  hk_device_close(&device);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hk_reference_clear(&reference);
  return 0;
}

static void compare(void)
{
  assert_int_equal(folded, 0);
  for (int k = 0; k < N * SIZE; k++) assert_true(fabs(matrix[k] - expected[k]) <= 1e-12);
  memset(matrix, 0, sizeof matrix);
}

/* products and points, groups backwards, of all pairs of tiles or half of them */
static void products_backwards(void **state)
{
  (void)state;
  for (int mirrored = 0; mirrored < 2; mirrored++)
    for (int pointwise = 0; pointwise < 2; pointwise++) {
      const int pairs = mirrored ? 3 : 4;
      for (int g = (N * POINTS + 127) / 128; g-- > 0;)
        products_terms_3_3_1_0_d(g, slope, reference.weight, relative, terms, &folded, 0, N, POINTS,
                                 6);
      for (int g = N * pairs; g-- > 0;)
        (pointwise ? products_elements_3_3_1_1_d : products_elements_3_3_1_0_d)(
            g, phi, slope, reference.weight, relative, terms, lame, matrix, &folded, 0, 0, N,
            SHAPES, STRIDE, POINTS, 6, 2, 0, mirrored);
      compare();
    }
}

/* sum factorisation, of all pairs of tiles or half of them */
static void factorised_backwards(void **state)
{
  enum { NODES = 10, LINE_NODES = 4, PAD = 12, TRIANGLE_POINTS = 12, TABLE = 10 };
  static _Alignas(64) double own[POINTS * 10 * 8];
  static double triangle[TRIANGLE_POINTS * 3 * PAD], line[LINE_NODES * 2 * TABLE];
  const hk_factors *f = &reference.factors;
  (void)state;
  assert_int_equal(f->nodes * f->layers, SHAPES);
  for (int k = 0; k < TRIANGLE_POINTS * 3; k++)
    memcpy(triangle + k * PAD, f->triangle + k * NODES, NODES * sizeof(double));
  for (int k = 0; k < LINE_NODES * 2; k++)
    memcpy(line + k * TABLE, f->line + k * LINE_NODES, LINE_NODES * sizeof(double));
  for (int g = 1; g-- > 0;)
    factorised_terms_3_3_1_d(g, slope, reference.weight, relative, own, &folded, 0, N, POINTS, 6);
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    for (int g = mirrored ? 6 : 9; g-- > 0;)
      factorised_elements_3_3_1_d(g, triangle, line, f->place, own, lame, matrix, 0, N, NODES, PAD,
                                  LINE_NODES, TRIANGLE_POINTS, LINE_NODES, 2, mirrored);
    compare();
  }
}

/* Algorithms 3 and 4, two elements per group */
static void quadrature_backwards(void **state)
{
  const int parts = (SHAPES * SHAPES + PART - 1) / PART;
  (void)state;
  for (int g = 2; g-- > 0;)
    quadrature_parts(g, tight, slope, reference.weight, relative, NULL, lame, matrix, &folded, 0, 0,
                     N, 2, parts, SHAPES, SHAPES, POINTS, 6, 2, 0);
  compare();
  for (int g = 2; g-- > 0;)
    quadrature_parts_shm(g, tight, slope, reference.weight, relative, NULL, lame, matrix, &folded,
                         0, 0, N, 2, parts, SHAPES, SHAPES, POINTS, 6, 2, 0);
  compare();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_backwards),
                                     cmocka_unit_test(factorised_backwards),
                                     cmocka_unit_test(quadrature_backwards)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
