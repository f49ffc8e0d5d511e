/* The order of a phase's items does not matter: operator/integration/products.k.h, factorised.k.h and quadrature.k.h in a dialect that runs them, and the
 * groups, backwards give what forward launches give. On a device where they run side by side, an item that needs another one of its
 * phase would be a race. */
#define FOR_ITEMS(i, n) for (int i = (n)-1; i >= 0; i--)
#define HOST_ISA backwards
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "variants/products.c"
#include "variants/factorised.c"
#include "support/check.h"
#define real double
#define PRECISION d
#define CORNERS 6
#define DIRECTIONS 3
#define ELASTIC 1
#define EQUATIONS 3
#define JACOBIAN 1
#define MOST 40
#define PART 96
#undef STORE /* of device/host/records.h */
#define STORE 0
#include "operator/integration/points.k.h"
#include "papers/quadrature.k.h"
#undef STORE
#undef BLOCK
#undef BLOCK_PLACE
#undef APART
#define STORE 1
#define quadrature_update quadrature_update_shm
#define quadrature_parts quadrature_parts_shm
#include "papers/quadrature.k.h"
#undef quadrature_parts
#undef real
#include "operator/integration/integral.h"

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
  ok(hk_reference_prism(P, P, HK_WEDGE6, &reference));
  for (int k = 0; k < N * 18; k++)
    x[k] = wedge->reference[k / 3 % 6][k % 3] + 0.1 * sin(12.9898 * k);
  for (int k = 0; k < N * 18; k++) relative[k] = x[k] - x[k / 18 * 18 + k % 3];
  for (int k = 0; k < N * 2; k++) lame[k] = 1 + 0.1 * k;
  for (int k = 0; k < POINTS * 4; k++)
    memcpy(phi + k * STRIDE, reference.phi + k * SHAPES, SHAPES * sizeof(double));
  memcpy(tight, reference.phi, sizeof tight);
  for (int k = 0; k < 18 * POINTS; k++) slope[k % 18 * POINTS + k / 18] = reference.slope[k];
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_integral_create(&(hk_integral_desc){.device = device,
                                            .double_precision = true,
                                            .reference = &reference,
                                            .elements = N,
                                            .x = x,
                                            .coefficients = {3, true, HK_SPREAD_ELEMENT, lame},
                                            .way = HK_INTEGRAL_PRODUCTS},
                        &t));
  ok(hk_integral_run(t, false, keep, NULL));
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

static hk_host_run *find(const hk_host_kernel *k, const char *key)
{
  for (; k->key; k++)
    if (!strcmp(k->key, key)) return k->run;
  fail_msg("no kernel %s", key);
  return NULL;
}

/* Addresses of a pointer and of an int, as a launch passes them. */
#define POINTER(p) (&(void *){(void *)(p)})
#define INT(i) (&(int){i})
#define PRODUCTS(kernel, chunk, pointwise)                                                         \
  find(hk_host_products_backwards,                                                                 \
       "products_" kernel " d BATCH=" chunk " CHUNK=" chunk " CORNERS=1 DIRECTIONS=3 ELASTIC=1 "   \
       "ELEMENTS=1 EQUATIONS=3 JACOBIAN=0 POINTWISE=" pointwise " SPAN=32 TILE=1")
#define FACTORISED(kernel)                                                                         \
  find(hk_host_factorised_backwards,                                                               \
       "factorised_" kernel " d CHUNK=8 DEPTH=10 DIRECTIONS=3 ELASTIC=1 ELEMENTS=1 EQUATIONS=3 "   \
       "LAYERS=0 PAIRS=16 PLANES=1 ROWS=2 TILE=4")

/* products and points, groups backwards, of all pairs of tiles or half of them */
static void products_backwards(void **state)
{
  hk_host_run *find_terms = PRODUCTS("terms", "16", "0");
  hk_host_run *way[] = {PRODUCTS("elements", "16", "0"), PRODUCTS("elements", "8", "1")};
  (void)state;
  for (int mirrored = 0; mirrored < 2; mirrored++)
    for (int pointwise = 0; pointwise < 2; pointwise++) {
      void *of_terms[] = {POINTER(slope),
                          POINTER(reference.weight),
                          POINTER(relative),
                          POINTER(terms),
                          POINTER(&folded),
                          INT(0),
                          INT(N),
                          INT(POINTS),
                          INT(6)};
      const int sizes[] = {SHAPES, STRIDE, POINTS, 6, 2, 0, mirrored};
      void *of_way[] = {POINTER(phi),
                        POINTER(slope),
                        POINTER(reference.weight),
                        POINTER(relative),
                        POINTER(terms),
                        POINTER(lame),
                        POINTER(matrix),
                        POINTER(&folded),
                        POINTER(sizes),
                        INT(0),
                        INT(0),
                        INT(N)};
      for (int g = (N * POINTS + 127) / 128; g-- > 0;) find_terms(g, of_terms);
      for (int g = N * (mirrored ? 3 : 4); g-- > 0;) way[pointwise](g, of_way);
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
  hk_host_run *find_terms = FACTORISED("terms"), *find_elements = FACTORISED("elements");
  (void)state;
  assert_int_equal(f->nodes * f->layers, SHAPES);
  for (int k = 0; k < TRIANGLE_POINTS * 3; k++)
    memcpy(triangle + k * PAD, f->triangle + k * NODES, NODES * sizeof(double));
  for (int k = 0; k < LINE_NODES * 2; k++)
    memcpy(line + k * TABLE, f->line + k * LINE_NODES, LINE_NODES * sizeof(double));
  void *of_terms[] = {POINTER(slope),
                      POINTER(reference.weight),
                      POINTER(relative),
                      POINTER(own),
                      POINTER(&folded),
                      INT(0),
                      INT(N),
                      INT(POINTS),
                      INT(6)};
  find_terms(0, of_terms);
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    void *of_elements[] = {POINTER(triangle),
                           POINTER(line),
                           POINTER(f->place),
                           POINTER(own),
                           POINTER(lame),
                           POINTER(matrix),
                           INT(0),
                           INT(N),
                           INT(NODES),
                           INT(PAD),
                           INT(LINE_NODES),
                           INT(TRIANGLE_POINTS),
                           INT(LINE_NODES),
                           INT(2),
                           INT(mirrored)};
    for (int g = mirrored ? 6 : 9; g-- > 0;) find_elements(g, of_elements);
    compare();
  }
}

/* Algorithms 3 and 4, two elements per group */
static void quadrature_backwards(void **state)
{
  const int sizes[] = {SHAPES, SHAPES, POINTS, 6, 2, 0, 0, 2, (SHAPES * SHAPES + PART - 1) / PART};
  (void)state;
  for (int g = 2; g-- > 0;)
    quadrature_parts(g, tight, slope, reference.weight, relative, NULL, lame, matrix, &folded,
                     sizes, 0, 0, N);
  compare();
  for (int g = 2; g-- > 0;)
    quadrature_parts_shm(g, tight, slope, reference.weight, relative, NULL, lame, matrix, &folded,
                         sizes, 0, 0, N);
  compare();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_backwards),
                                     cmocka_unit_test(factorised_backwards),
                                     cmocka_unit_test(quadrature_backwards)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
