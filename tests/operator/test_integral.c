/* Element matrices by every way (operator/integral.h) beside Algorithm 1 of Banas, Plaszewski and Maciol. */
#include "operator/integral.h"
#include "sanitized.h"
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { ELEMENTS = 3, MOST_CORNERS = 18 };

static void ok(hk_status status)
{
  if (status != HK_OK) fail_msg("%s", hk_error());
}

/* In [-0.5, 0.5), the same in each run. */
static double noise(uint32_t k)
{
  k = (k ^ 61) ^ (k >> 16);
  k *= 9;
  k ^= k >> 4;
  k *= 0x27d4eb2d;
  k ^= k >> 15;
  return (double)k / 4294967296.0 - 0.5;
}

/* Prisms with nodes moved by up to a tenth of their edges. */
static void distort(hk_shape geometry, double (*x)[MOST_CORNERS * 3])
{
  const hk_element *element = hk_element_of(geometry);
  double *at = x[0];
  for (int e = 0; e < ELEMENTS; e++)
    for (int n = 0; n < element->nodes; n++)
      for (int d = 0; d < 3; d++)
        *at++ = element->reference[n][d] + 0.2 * noise((uint32_t)((e * 18 + n) * 3 + d)) + 5 * d;
}

static const double *coefficients_at(const hk_integral_desc *d, hk_count e, int q, double *full)
{
  const hk_coefficients *k = &d->coefficients;
  const int constants = k->elastic ? 2 : k->equations * k->equations * 16;
  const hk_count set = k->spread == HK_SPREAD_SAME      ? 0
                       : k->spread == HK_SPREAD_ELEMENT ? e
                                                        : e * d->reference->points + q;
  const double *c = k->c + set * constants;
  if (!k->elastic) return c;
  memset(full, 0, 144 * sizeof *full);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
          full[(i * 3 + j) * 16 + (a + 1) * 4 + b + 1] =
              c[0] * (i == a) * (j == b) + c[1] * ((i == j) * (a == b) + (i == b) * (a == j));
  return full;
}

/* Algorithm 1, of the test function n alone: row[equations][shapes][equations]. */
static void algorithm_1(const hk_integral_desc *d, hk_count e, int n, double *row)
{
  const hk_reference *r = d->reference;
  const int equations = d->coefficients.equations;
  memset(row, 0, (size_t)(equations * r->shapes * equations) * sizeof *row);
  for (int q = 0; q < r->points; q++) {
    double terms[10], full[144], psi[4][HK_PRISM_NODES];
    const double *phi = r->phi + (hk_count)q * 4 * r->shapes;
    const double *c = coefficients_at(d, e, q, full);
    hk_reference_jacobian(r, q, d->x + e * r->corners * 3, terms);
    for (int m = 0; m < r->shapes; m++) {
      psi[0][m] = phi[m];
      for (int k = 0; k < 3; k++)
        psi[k + 1][m] = phi[r->shapes + m] * terms[k] + phi[2 * r->shapes + m] * terms[3 + k] +
                        phi[3 * r->shapes + m] * terms[6 + k];
    }
    for (int m = 0; m < r->shapes; m++)
      for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
          for (int i = 0; i < equations; i++)
            for (int j = 0; j < equations; j++)
              row[(i * r->shapes + m) * equations + j] += terms[9] * r->weight[q] *
                                                          c[(i * equations + j) * 16 + a * 4 + b] *
                                                          psi[a][n] * psi[b][m];
  }
}

typedef struct result {
  bool real;
  hk_count size;
  double *matrix; /* [ELEMENTS][size] */
  int launches;
} result;

static hk_status keep(void *user, hk_count first, hk_count count, const void *matrix)
{
  result *r = user;
  r->launches++;
  for (hk_count k = 0; k < count * r->size; k++)
    r->matrix[first * r->size + k] =
        r->real ? ((const double *)matrix)[k] : (double)((const float *)matrix)[k];
  return HK_OK;
}

/* Largest difference to Algorithm 1 in some rows, over the largest entry. */
static double difference(const hk_integral_desc *d, const double *matrix)
{
  static double row[HK_PRISM_NODES * 25];
  const int equations = d->coefficients.equations, shapes = d->reference->shapes;
  const int width = shapes * equations, step = shapes > 18 ? 13 : 1;
  double largest = 0, off = 0;
  for (hk_count e = 0; e < d->elements; e++)
    for (int n = 0; n < shapes; n += step) {
      algorithm_1(d, e, n, row);
      const double *own = matrix + ((hk_count)e * width + n * equations) * width;
      for (int k = 0; k < equations * width; k++) {
        largest = hk_larger(largest, fabs(row[k]));
        off = hk_larger(off, fabs(row[k] - own[k]));
      }
    }
  return off / largest;
}

static void integrate(const hk_integral_desc *d, result *r)
{
  hk_integral *t = NULL;
  const hk_count width = (hk_count)d->reference->shapes * d->coefficients.equations;
  *r = (result){.real = d->double_precision, .size = width * width};
  ok(hk_get(&r->matrix, d->elements * r->size));
  ok(hk_integral_create(d, &t));
  ok(hk_integral_run(t, false, keep, r));
  hk_integral_destroy(&t);
}

static void check(const hk_integral_desc *d)
{
  result r;
  integrate(d, &r);
  const double off = difference(d, r.matrix), most = d->double_precision ? 1e-12 : 1e-5;
  if (!(off <= most))
    fail_msg("%s on %s, %d shapes, %d points, %d equations%s: off by %g, at most %g",
             hk_integral_way_name(d->way), hk_device_describe(d->device)->backend,
             d->reference->shapes, d->reference->points, d->coefficients.equations,
             d->coefficients.elastic ? ", elastic" : "", off, most);
  hk_free(&r.matrix);
}

static hk_device *open_device(const char *name)
{
  hk_device *device = NULL;
  if (hk_device_open(name, 2, &device) != HK_OK) skip();
  return device;
}

static const double lame[ELEMENTS][2] = {{1.2, 0.7}, {0.4, 0.9}, {2, 0.5}};

/* Isotropic elasticity at order p by the rule k, each way, both precisions; where kernels are compiled, which is slow, a third of the ways
 * by `turn`, each in one precision. */
static void check_elastic(hk_device *device, int p, int k, int turn, hk_integral_limits limits)
{
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(p, k, HK_WEDGE6, &reference));
  const bool all = hk_device_describe(device)->compiles;
  for (int way = all ? HK_INTEGRAL_REG_JAC : HK_INTEGRAL_POINTS; way < HK_INTEGRAL_WAYS; way++)
    for (int real = 0; real < 2; real++) {
      if (all && ((way + turn) % 3 || real != (way + p) % 2)) continue;
      check(&(hk_integral_desc){.device = device,
                                .double_precision = real,
                                .reference = &reference,
                                .elements = all ? 2 : ELEMENTS,
                                .x = x[0],
                                .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                                .way = (hk_integral_way)way,
                                .limits = limits});
    }
  hk_reference_clear(&reference);
}

static void elastic_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  for (int p = 1; p <= (SANITIZED ? 4 : 7); p++)
    check_elastic(device, p, p, p, (hk_integral_limits){0});
  hk_device_close(&device);
}

/* High orders with fewer points: what a kernel does does not depend on them, and PoCL is slow. */
static void elastic_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p++) check_elastic(device, p, p > 2 ? 1 : p, p, (hk_integral_limits){0});
  hk_device_close(&device);
}

/* what is taken unless a way is named, with all points of each order, as in a run; single precision at two of them */
static void orders_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  double x[ELEMENTS][MOST_CORNERS * 3];
  (void)state;
  distort(HK_WEDGE6, x);
  for (int p = 1; p <= 7; p++)
    for (int real = p % 3 != 1; real < 2; real++) {
      hk_reference reference;
      ok(hk_reference_prism(p, p, HK_WEDGE6, &reference));
      check(&(hk_integral_desc){.device = device,
                                .double_precision = real,
                                .reference = &reference,
                                .elements = p > 4 ? 1 : ELEMENTS,
                                .x = x[0],
                                .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]}});
      hk_reference_clear(&reference);
    }
  hk_device_close(&device);
}

/* a device with 32 kB of local memory and 256 threads per group runs all orders */
static void small_device(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p += 3)
    check_elastic(device, p, 1, p / 3,
                  (hk_integral_limits){.threads = 256, .local_memory = 32 << 10, .groups = 1});
  hk_device_close(&device);
}

/* Largest difference of the first matrix to its transpose, over its largest entry. */
static double asymmetry(const double *matrix, int width)
{
  double off = 0, largest = 0;
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) {
      largest = hk_larger(largest, fabs(matrix[i * width + j]));
      off = hk_larger(off, fabs(matrix[i * width + j] - matrix[j * width + i]));
    }
  return off / largest;
}

/* Sum factorisation of straight prisms by the rule p, or of curved ones by p + 1; of few points and in one precision where that is slow. */
static void check_factorised(hk_device *device, int p, bool curved, hk_integral_limits limits)
{
  const bool few = hk_device_describe(device)->compiles || SANITIZED;
  const hk_shape shape = !curved ? HK_WEDGE6 : p % 2 ? HK_WEDGE15 : HK_WEDGE18;
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  distort(shape, x);
  ok(hk_reference_prism(p, few ? 1 + (p + curved) % 2 : p + curved, shape, &reference));
  for (int real = 0; real < 2; real++) {
    result r;
    const hk_integral_desc d = {.device = device,
                                .double_precision = real,
                                .reference = &reference,
                                .elements = p > 4 ? 1 : ELEMENTS,
                                .x = x[0],
                                .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                                .way = HK_INTEGRAL_FACTORISED,
                                .limits = limits};
    if (few && (p / 2 + curved) % 2 == real) continue;
    integrate(&d, &r);
    const double off = difference(&d, r.matrix);
    if (!(off <= (real ? 1e-12 : 1e-5))) fail_msg("order %d, curved %d: off by %g", p, curved, off);
    assert_true(asymmetry(r.matrix, 3 * reference.shapes) <= (real ? 1e-14 : 1e-6));
    hk_free(&r.matrix);
  }
  hk_reference_clear(&reference);
}

static void factorised_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  for (int p = 1; p <= 7; p++)
    for (int curved = 0; curved < 2; curved++)
      check_factorised(device, p, curved, (hk_integral_limits){0});
  hk_device_close(&device);
}

static void factorised_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p++) check_factorised(device, p, p % 2, (hk_integral_limits){0});
  hk_device_close(&device);
}

/* 32 kB of local memory and 256 threads per group */
static void factorised_on_small_device(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  for (int p = 1; p <= 7; p += 2)
    check_factorised(device, p, p % 4 == 3,
                     (hk_integral_limits){.threads = 256, .local_memory = 32 << 10});
  hk_device_close(&device);
}

/* without factors, or where coefficients vary in elements, it is refused, with what to take instead */
static void factorised_is_refused(void **state)
{
  hk_device *device = open_device("cpu");
  const hk_element *hexahedron = hk_element_of(HK_HEX8);
  hk_reference reference[2];
  hk_integral *t = NULL;
  double x[18 * 3] = {0}, c[2 * 6] = {0};
  (void)state;
  ok(hk_reference_element(hexahedron, &hexahedron->full, &reference[0]));
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &reference[1]));
  for (int k = 0; k < 2; k++) {
    const hk_integral_desc d = {
        .device = device,
        .reference = &reference[k],
        .elements = 1,
        .x = x,
        .coefficients = {3, true, k ? HK_SPREAD_POINT : HK_SPREAD_ELEMENT, c},
        .way = HK_INTEGRAL_FACTORISED};
    assert_int_equal(hk_integral_create(&d, &t), HK_BAD_INPUT);
    assert_non_null(strstr(hk_error(), "take another way"));
    hk_reference_clear(&reference[k]);
  }
  hk_device_close(&device);
}

/* c of any values: with mass, convection and diffusion, or diffusion alone; symmetric or not. */
static void fill_coefficients(int equations, bool values, bool symmetric, hk_count sets, double *c)
{
  for (hk_count s = 0; s < sets; s++)
    for (int i = 0; i < equations; i++)
      for (int j = 0; j < equations; j++)
        for (int k = 0; k < 16; k++) {
          const int here = (i * 5 + j) * 16 + k, there = (j * 5 + i) * 16 + k % 4 * 4 + k / 4;
          const int of = symmetric && there < here ? there : here;
          const bool zero = !values && (k < 4 || k % 4 == 0);
          *c++ = zero ? 0 : noise((uint32_t)(s * 400 + of));
        }
}

static void check_general(hk_device *device)
{
  enum { POINTS = 18 };
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3], *c = NULL;
  const bool all = hk_device_describe(device)->compiles;
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(2, 2, HK_WEDGE6, &reference));
  ok(hk_get(&c, ELEMENTS * POINTS * 400));
  for (int equations = 1; equations <= 5; equations++)
    for (int variant = 0; variant < 4; variant++) {
      const hk_spread spread = (hk_spread)((equations + variant) % 3);
      fill_coefficients(equations, variant % 2, variant / 2, ELEMENTS * POINTS, c);
      for (int way = HK_INTEGRAL_AUTO; way < HK_INTEGRAL_WAYS; way++) {
        const bool paper = way > HK_INTEGRAL_AUTO && way < HK_INTEGRAL_POINTS;
        if (paper && (!all || (way + 3 * equations + variant) % 8)) continue;
        if (all && !paper && (way == HK_INTEGRAL_AUTO || equations % 2 != variant / 2)) continue;
        if (way >= HK_INTEGRAL_PRODUCTS && spread == HK_SPREAD_POINT) continue;
        check(&(hk_integral_desc){.device = device,
                                  .double_precision = !all || variant < 3,
                                  .reference = &reference,
                                  .elements = ELEMENTS,
                                  .x = x[0],
                                  .coefficients = {equations, false, spread, c},
                                  .way = (hk_integral_way)way});
      }
    }
  hk_free(&c);
  hk_reference_clear(&reference);
}

static void any_coefficients_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  check_general(device);
  hk_device_close(&device);
}

static void any_coefficients_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  check_general(device);
  hk_device_close(&device);
}

/* curved prisms with more points; K = K^T; K (a + b x x) = 0 for the six motions of a rigid body, an identity of the space if its nodes
 * are placed by the geometry: order 2 with wedge18 */
static void rigid_motions(void **state)
{
  hk_device *device = open_device("cpu");
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3], n[MOST_CORNERS], at[18][3];
  const hk_element *wedge = hk_element_of(HK_WEDGE18);
  const hk_prism *prism = hk_prism_of(2);
  result r;
  (void)state;
  distort(HK_WEDGE18, x);
  ok(hk_reference_prism(2, 4, HK_WEDGE18, &reference));
  hk_integral_desc d = {.device = device,
                        .double_precision = true,
                        .reference = &reference,
                        .elements = 1,
                        .x = x[0],
                        .coefficients = {3, true, HK_SPREAD_SAME, lame[0]}};
  integrate(&d, &r);
  assert_true(difference(&d, r.matrix) <= 1e-12);
  for (int i = 0; i < 18; i++) {
    wedge->shape_functions(prism->reference[i], n);
    for (int c = 0; c < 3; c++) {
      at[i][c] = -5 * c;
      for (int k = 0; k < 18; k++) at[i][c] += n[k] * x[0][k * 3 + c];
    }
  }
  for (int row = 0; row < 54; row++)
    for (int motion = 0; motion < 6; motion++) {
      const int a = motion % 3, b = (motion + 1) % 3;
      double sum = 0;
      for (int i = 0; i < 18; i++)
        sum += motion < 3 ? r.matrix[row * 54 + i * 3 + a]
                          : r.matrix[row * 54 + i * 3 + a] * at[i][b] -
                                r.matrix[row * 54 + i * 3 + b] * at[i][a];
      assert_true(fabs(sum) <= 1e-12);
      for (int i = 0; i < 54; i++)
        assert_true(fabs(r.matrix[row * 54 + i] - r.matrix[i * 54 + row]) <= 1e-13);
    }
  hk_free(&r.matrix);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

/* launches of one element where memory is for two matrices; the same bits */
static void several_launches(void **state)
{
  hk_device *device = open_device("cpu"), *other = NULL;
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  result whole, parts;
  (void)state;
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(2, 2, HK_WEDGE6, &reference));
  if (hk_device_open("opencl", 2, &other) != HK_OK) other = NULL;
  for (int k = 0; k < (other ? 2 : 1); k++) {
    hk_integral_desc d = {.device = k ? other : device,
                          .double_precision = true,
                          .reference = &reference,
                          .elements = ELEMENTS,
                          .x = x[0],
                          .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]}};
    integrate(&d, &whole);
    d.limits.memory = 2 * whole.size * 8;
    integrate(&d, &parts);
    assert_int_equal(whole.launches, 1);
    assert_int_equal(parts.launches, ELEMENTS);
    assert_memory_equal(whole.matrix, parts.matrix, (size_t)whole.size * ELEMENTS * 8);
    hk_free(&whole.matrix);
    hk_free(&parts.matrix);
  }
  hk_reference_clear(&reference);
  hk_device_close(&device);
  hk_device_close(&other);
}

/* geometries of many nodes: hex20, and the prism of order 3 whose nodes its own functions place */
static void check_shapes(hk_device *device)
{
  const hk_element *element[2] = {hk_element_of(HK_HEX20),
                                  hk_element_of(hk_shape_raised(HK_WEDGE6, 3))};
  const bool all = hk_device_describe(device)->compiles;
  for (int s = 0; s < 2; s++) {
    hk_reference reference;
    double x[2 * 40 * 3];
    ok(hk_reference_element(element[s], &element[s]->full, &reference));
    for (int k = 0; k < 2 * 3 * element[s]->nodes; k++)
      x[k] = element[s]->reference[k / 3 % element[s]->nodes][k % 3] + 0.1 * noise((uint32_t)k);
    for (int way = HK_INTEGRAL_REG_JAC; way < HK_INTEGRAL_WAYS; way++)
      if (way == HK_INTEGRAL_FACTORISED ? s == 1
                                        : way >= HK_INTEGRAL_POINTS || (all && way % 2 == s))
        check(&(hk_integral_desc){.device = device,
                                  .double_precision = true,
                                  .reference = &reference,
                                  .elements = 2,
                                  .x = x,
                                  .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                                  .way = (hk_integral_way)way});
    hk_reference_clear(&reference);
  }
}

static void shapes_on_host(void **state)
{
  hk_device *device = open_device("cpu");
  (void)state;
  check_shapes(device);
  hk_device_close(&device);
}

static void shapes_on_opencl(void **state)
{
  hk_device *device = open_device("opencl");
  (void)state;
  check_shapes(device);
  hk_device_close(&device);
}

static hk_status drop(void *user, hk_count first, hk_count count, const void *matrix)
{
  (void)user, (void)first, (void)count, (void)matrix;
  return HK_OK;
}

/* an element turned inside out is named */
static void folded_elements_are_named(void **state)
{
  hk_device *device = open_device("cpu");
  hk_reference reference;
  hk_integral *t = NULL;
  double x[ELEMENTS][MOST_CORNERS * 3], *third = x[0] + 36;
  (void)state;
  distort(HK_WEDGE6, x);
  for (int k = 2; k < 18; k += 3) third[k] = -third[k];
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &reference));
  ok(hk_integral_create(&(hk_integral_desc){.device = device,
                                            .double_precision = true,
                                            .reference = &reference,
                                            .elements = ELEMENTS,
                                            .x = x[0],
                                            .coefficients = {3, true, HK_SPREAD_SAME, lame[0]}},
                        &t));
  assert_int_equal(hk_integral_run(t, false, drop, NULL), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "element 3"));
  hk_integral_destroy(&t);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

/* with a cache folder candidates are timed; one file of it says which was the fastest, and serves the second time */
static void tuned_plans_are_remembered(void **state)
{
  hk_device *device = open_device("opencl");
  char folder[] = "/tmp/hooke_integral_XXXXXX", path[512];
  hk_reference reference;
  double x[ELEMENTS][MOST_CORNERS * 3];
  int files = 0;
  (void)state;
  assert_non_null(mkdtemp(folder));
  distort(HK_WEDGE6, x);
  ok(hk_reference_prism(1, 1, HK_WEDGE6, &reference));
  const hk_integral_desc d = {.device = device,
                              .double_precision = true,
                              .reference = &reference,
                              .elements = ELEMENTS,
                              .x = x[0],
                              .coefficients = {3, true, HK_SPREAD_ELEMENT, lame[0]},
                              .cache = folder};
  check(&d);
  check(&d);
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (const struct dirent *entry; (entry = readdir(list));) {
    if (entry->d_name[0] == '.') continue;
    files++;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    remove(path);
  }
  closedir(list);
  rmdir(folder);
  assert_int_equal(files, 1);
  hk_reference_clear(&reference);
  hk_device_close(&device);
}

/* the k-th allocation fails, k = 1, 2, ... until none does */
static void allocations_may_fail(void **state)
{
  hk_device *device = open_device("cpu");
  double x[ELEMENTS][MOST_CORNERS * 3];
  hk_status status = HK_NO_RESOURCES;
  (void)state;
  distort(HK_WEDGE6, x);
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_reference reference = {0};
    hk_integral *t = NULL;
    assert_true(k < 100);
    hk_memory_fail_at(k);
    status = hk_reference_prism(1, 1, HK_WEDGE6, &reference);
    if (status == HK_OK)
      status = hk_integral_create(
          &(hk_integral_desc){.device = device,
                              .reference = &reference,
                              .elements = 1,
                              .x = x[0],
                              .coefficients = {3, true, HK_SPREAD_SAME, lame[0]}},
          &t);
    hk_memory_fail_at(0);
    hk_integral_destroy(&t);
    hk_reference_clear(&reference);
  }
  hk_device_close(&device);
}

/* sets of equal order and colour, elements ascending in each */
static void sets_by_order_and_colour(void **state)
{
  const int8_t order[6] = {3, 1, 3, 1, 3, 1};
  const int32_t colour[6] = {0, 1, 1, 0, 0, 1};
  const hk_index expected[6] = {3, 1, 5, 0, 4, 2}, begins[5] = {0, 1, 3, 5, 6};
  hk_index *element = NULL, *set = NULL;
  hk_count sets;
  (void)state;
  ok(hk_integral_sets(6, order, colour, &element, &set, &sets));
  assert_int_equal(sets, 4);
  assert_memory_equal(element, expected, sizeof expected);
  assert_memory_equal(set, begins, sizeof begins);
  hk_free(&element);
  hk_free(&set);
  ok(hk_integral_sets(6, order, NULL, &element, &set, &sets));
  assert_int_equal(sets, 2);
  assert_int_equal(set[1], 3);
  hk_free(&element);
  hk_free(&set);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(elastic_on_host),
                                     cmocka_unit_test(elastic_on_opencl),
                                     cmocka_unit_test(orders_on_opencl),
                                     cmocka_unit_test(small_device),
                                     cmocka_unit_test(factorised_on_host),
                                     cmocka_unit_test(factorised_on_opencl),
                                     cmocka_unit_test(factorised_on_small_device),
                                     cmocka_unit_test(factorised_is_refused),
                                     cmocka_unit_test(any_coefficients_on_host),
                                     cmocka_unit_test(any_coefficients_on_opencl),
                                     cmocka_unit_test(shapes_on_host),
                                     cmocka_unit_test(shapes_on_opencl),
                                     cmocka_unit_test(rigid_motions),
                                     cmocka_unit_test(several_launches),
                                     cmocka_unit_test(folded_elements_are_named),
                                     cmocka_unit_test(tuned_plans_are_remembered),
                                     cmocka_unit_test(allocations_may_fail),
                                     cmocka_unit_test(sets_by_order_and_colour)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
