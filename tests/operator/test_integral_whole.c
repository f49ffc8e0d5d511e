/* Whole element matrices in LOCAL memory (operator/integration/whole.k.h), by each plan that there is, are those of Algorithm 1: elastic and without any
 * symmetry, 1 to 5 equations, of the functions or their gradients alone, odd numbers of functions; groups that are full and not, of one element,
 * launched in parts to places behind the first. In a dialect that runs items backwards: the order within a phase does not matter, and LOCAL
 * memory is as large as the plan says. */
#define FOR_ITEMS(i, n) for (int i = (n)-1; i >= 0; i--)
#include "device/host/dialect.h"
#undef LOCAL_ARRAY
#undef KEEP
static long long used; /* bytes of LOCAL memory */
#define LOCAL_ARRAY(T, name, n)                                                                    \
  used += ((n) * (long long)sizeof(T) + 15) / 16 * 16;                                             \
  T name[n]
#define KEEP(T, name, n, d) T name[(n)*LANES * (d)]
#define real float
#define BLOCKS 4
#define CORNERS 6
#define DIRECTIONS 4
#define ELASTIC 0
#define ELEMENTS 16
#define EQUATIONS 2
#define POINTS 6
#define SHAPES 6
#define SPLIT 1
#include "operator/integration/points.k.h"
#include "operator/integration/whole.k.h"
#undef ELEMENTS
#undef real
#include "operator/integral_fixture.h"
#include "operator/integration/parts.h"

enum { MANY = 37, FIRST = 2, PART = 16 };
static double constants[MANY * 400];

/* Operations of an element as operator/integration/whole.k.h has them: sums of all items' pairs, Jacobians, each gradient once, and times the weight. */
static double operations_of(const hk_integral_desc *d, const hk_integral_plan *plan, int directions)
{
  const hk_reference *r = d->reference;
  double sum = 0;
  for (int q = 0; q < r->points; q++) {
    sum += 18 * r->corners + 42;
    for (int n = 0; n < r->shapes; n++) {
      sum += 15;
      for (int item = 0; item < plan->split; item++)
        sum += directions + 2 * plan->blocks * directions * directions;
    }
  }
  return sum;
}

static void check_plan(const hk_integral_desc *d, const hk_integral_plan *plan)
{
  const hk_count width = (hk_count)d->reference->shapes * d->coefficients.equations,
                 size = width * width;
  hk_integral *t = NULL;
  hk_buffer *buffer = NULL;
  double *matrix = NULL, useful, performed;
  ok(hk_get(&matrix, d->elements * size));
  ok(hk_buffer_create(d->device, (d->elements + FIRST) * size * 8, &buffer));
  ok(hk_integral_make(d, plan, &t));
  assert_int_equal(hk_integral_describe(t)->launch, d->elements == MANY ? PART : d->elements);
  hk_integral_operations(t, &useful, &performed);
  assert_float_equal(performed, operations_of(d, plan, t->directions), 0);
  ok(hk_integral_fill(t, 0, d->elements, buffer, FIRST));
  ok(hk_buffer_read_reals(buffer, d->double_precision, FIRST * size, d->elements * size, matrix));
  const double off = difference(d, matrix), most = d->double_precision ? 1e-12 : 1e-5;
  if (!(off <= most))
    fail_msg("%d shape functions, %d items, %d elements in a group, %d equations: off by %g",
             d->reference->shapes, plan->split, plan->most_elements, d->coefficients.equations,
             off);
  hk_integral_destroy(&t);
  hk_buffer_destroy(&buffer);
  hk_free(&matrix);
}

/* Both kinds are among the candidates of an integral that has a plan of whole matrices, tiles first; on a GPU among the first of them. */
static void check_others(const hk_integral_desc *d, const hk_integral_plan *plan)
{
  hk_integral_plan list[HK_INTEGRAL_CANDIDATES];
  hk_integral *t = NULL;
  int whole[2] = {0};
  ok(hk_integral_make(d, plan, &t));
  const int count = hk_integral_candidates(t, list), first = HK_INTEGRAL_CANDIDATES / 2;
  for (int k = 0; k < count; k++) whole[k >= first] += list[k].split > 0;
  assert_true(whole[0] + whole[1] > 0 && whole[0] + whole[1] < count);
  assert_int_equal(list[0].split, 0);
  if (!hk_device_describe(d->device)->unoptimised) assert_true(whole[0] > 0);
  hk_integral_destroy(&t);
}

typedef struct row {
  hk_shape shape; /* of the element, or of the prism's geometry */
  int order;      /* of a prism; 0: none */
  int equations;  /* 0: elastic */
  bool values;    /* c of the functions too, not of their gradients alone */
  hk_spread spread;
  bool real;
  int elements, plans; /* that there are at least */
} row;

static const row rows[] = {
    {HK_WEDGE6, 1, 0, false, HK_SPREAD_ELEMENT, true, MANY, 3},
    {HK_WEDGE6, 1, 2, true, HK_SPREAD_ELEMENT, false, MANY, 3},
    {HK_WEDGE6, 2, 0, false, HK_SPREAD_ELEMENT, false, MANY, 1},
    {HK_WEDGE6, 2, 2, true, HK_SPREAD_ELEMENT, true, MANY, 1},
    {HK_WEDGE15, 2, 3, false, HK_SPREAD_SAME, false, 3, 1},
    {HK_WEDGE6, 3, 1, false, HK_SPREAD_ELEMENT, false, 3, 1},
    {HK_WEDGE15, 0, 1, true, HK_SPREAD_SAME, true, MANY, 3},
    {HK_WEDGE15, 0, 5, true, HK_SPREAD_ELEMENT, false, MANY, 2},
    {HK_TET4, 0, 4, true, HK_SPREAD_SAME, true, 1, 2},
    {HK_WEDGE6, 1, 0, false, HK_SPREAD_SAME, false, 1, 3},
};

static void check_row(hk_device *device, const row *w)
{
  const hk_element *element = hk_element_of(w->shape);
  const int equations = w->equations ? w->equations : 3;
  hk_reference reference;
  hk_integral *t = NULL;
  hk_integral_plan plan[HK_INTEGRAL_CANDIDATES];
  double x[MANY * 18 * 3];
  ok(w->order ? hk_reference_prism(w->order, w->order, w->shape, &reference)
              : hk_reference_element(element, &element->full, &reference));
  for (int k = 0; k < w->elements * element->nodes * 3; k++)
    x[k] = element->reference[k / 3 % element->nodes][k % 3] + 0.1 * noise((uint32_t)k);
  for (int k = 0; k < MANY * 400; k++)
    constants[k] = w->values || !w->equations || (k / 4 % 4 && k % 4) ? 1 + noise((uint32_t)k) : 0;
  hk_integral_desc d = {.device = device,
                        .double_precision = w->real,
                        .reference = &reference,
                        .elements = w->elements,
                        .x = x,
                        .coefficients = {equations, !w->equations, w->spread, constants},
                        .way = HK_INTEGRAL_PRODUCTS,
                        .resident = true};
  const hk_count width = (hk_count)reference.shapes * equations;
  d.limits.memory = 2 * PART * width * width * (w->real ? 8 : 4);
  ok(hk_integral_create(&d, &t));
  const int count = hk_integral_whole_candidates(t, plan);
  hk_integral_destroy(&t);
  if (count < w->plans)
    fail_msg("%d shape functions, %d equations: %d plans", reference.shapes, equations, count);
  for (int k = 0; k < count; k++) check_plan(&d, &plan[k]);
  check_others(&d, &plan[0]);
  hk_reference_clear(&reference);
}

static void every_plan_on(const char *name)
{
  hk_device *device = NULL;
  if (hk_device_open(name, 2, &device) != HK_OK) return;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) check_row(device, &rows[k]);
  hk_device_close(&device);
}

static void every_plan(void **state)
{
  (void)state;
  every_plan_on("opencl");
  every_plan_on("cuda");
}

/* by the plan of two equations that the kernel above is built for */
static void backwards(void **state)
{
  enum { GROUP = 16 };
  static double x[MANY * 18], matrix[MANY * SIZE];
  static float near[MANY * 18], c[MANY * 64], phi[POINTS * 4 * SHAPES], slope[18 * POINTS],
      weight[POINTS], summed[MANY * SIZE];
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  hk_device *device = open_device("opencl");
  hk_integral_plan plan[HK_INTEGRAL_CANDIDATES];
  hk_integral *t = NULL;
  hk_reference r;
  int folded = 0, found = 0;
  (void)state;
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &r));
  for (int k = 0; k < MANY * 18; k++)
    x[k] = wedge->reference[k / 3 % 6][k % 3] + 0.1 * noise((uint32_t)k);
  for (int k = 0; k < MANY * 18; k++) near[k] = (float)(x[k] - x[k / 18 * 18 + k % 3]);
  for (int k = 0; k < MANY * 64; k++)
    constants[k] = 1 + noise((uint32_t)k), c[k] = (float)constants[k];
  for (int k = 0; k < POINTS * 4 * SHAPES; k++) phi[k] = (float)r.phi[k];
  for (int k = 0; k < 18 * POINTS; k++) slope[k % 18 * POINTS + k / 18] = (float)r.slope[k];
  for (int q = 0; q < POINTS; q++) weight[q] = (float)r.weight[q];
  const hk_integral_desc d = {.device = device,
                              .reference = &r,
                              .elements = MANY,
                              .x = x,
                              .coefficients = {2, false, HK_SPREAD_ELEMENT, constants},
                              .way = HK_INTEGRAL_PRODUCTS,
                              .resident = true};
  ok(hk_integral_create(&d, &t));
  for (int g = (MANY + GROUP - 1) / GROUP; g-- > 0;) {
    used = 0;
    whole_elements(g, phi, slope, weight, near, c, summed, &folded, 0, 0, MANY, SHAPES, 64);
  }
  assert_int_equal(folded, 0);
  for (int k = 0; k < MANY * SIZE; k++) matrix[k] = (double)summed[k];
  assert_true(difference(&d, matrix) <= 1e-5);
  for (int k = hk_integral_whole_candidates(t, plan); k-- > 0;)
    if (plan[k].split == SPLIT && plan[k].most_elements == GROUP) {
      found++;
      assert_int_equal(plan[k].blocks, BLOCKS);
      assert_int_equal(plan[k].threads, GROUP * SHAPES * SPLIT);
      assert_int_equal(plan[k].local, used);
    }
  assert_int_equal(found, 1);
  hk_integral_destroy(&t);
  hk_reference_clear(&r);
  hk_device_close(&device);
}

/* matrices too large for LOCAL memory: no plan */
static void limits_are_kept(void **state)
{
  hk_device *device = NULL;
  hk_reference reference;
  hk_integral *t = NULL;
  hk_integral_plan plan[HK_INTEGRAL_CANDIDATES];
  double x[18];
  (void)state;
  if (hk_device_open("opencl", 2, &device) != HK_OK) return;
  for (int k = 0; k < 18; k++) x[k] = hk_element_of(HK_WEDGE6)->reference[k / 3][k % 3];
  for (int p = 2; p <= 4; p += 2) {
    ok(hk_reference_prism(p, p, HK_WEDGE6, &reference));
    ok(hk_integral_create(&(hk_integral_desc){.device = device,
                                              .double_precision = true,
                                              .reference = &reference,
                                              .elements = 1,
                                              .x = x,
                                              .coefficients = {3, true, HK_SPREAD_SAME, lame[0]},
                                              .way = HK_INTEGRAL_PRODUCTS,
                                              .limits = {.local_memory = p < 4 ? 20 << 10 : 0}},
                          &t));
    assert_int_equal(hk_integral_whole_candidates(t, plan), 0);
    hk_integral_destroy(&t);
    hk_reference_clear(&reference);
  }
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_plan), cmocka_unit_test(backwards),
                                     cmocka_unit_test(limits_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
