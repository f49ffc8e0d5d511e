/* Factors on a device, by a vendor's library that the test plays: what it is given, and what is made of its answers. */
#include "device/cuda/solvers.h"
#include "device/table.h"
#include "solver/linear/direct/factor.h"
#include "solver/linear_fixture.h"
#include <stdio.h>
#include <unistd.h>

static struct {
  bool absent[3];
  hk_library last;
  hk_library_order order;
  int created;
} vendor;

/* The factor l[n][n] of what the device holds: rows ascending, each place once, symmetric. */
static double *factor_of(const hk_device_factor_desc *d)
{
  const hk_count n = d->n;
  double *a = NULL;
  ok(hk_get(&a, n * n));
  if (d->library == HK_LIBRARY_DENSE) {
    memcpy(a, d->value->memory, (size_t)(n * n) * sizeof *a);
    dense_factor(n, a);
    return a;
  }
  const int32_t *begin = d->begin->memory, *column = d->column->memory;
  const double *value = d->value->memory;
  assert_int_equal(begin[n], d->entries);
  for (hk_count i = 0; i < n; i++)
    for (int32_t e = begin[i]; e < begin[i + 1]; e++) {
      assert_true(column[e] >= 0 && column[e] < n);
      assert_true(e == begin[i] || column[e] > column[e - 1]);
      a[i * n + column[e]] = value[e];
    }
  for (hk_count i = 0; i < n; i++)
    for (int32_t e = begin[i]; e < begin[i + 1]; e++)
      assert_true(fabs(value[e] - a[column[e] * n + i]) <= 1e-12);
  dense_factor(n, a);
  return a;
}

static bool there(const hk_device *device, hk_library library, const char **why)
{
  (void)device;
  *why = "the vendor of this test has no such library";
  return !vendor.absent[library];
}

static hk_status create(hk_device_factor *f)
{
  vendor.last = f->desc.library, vendor.order = f->desc.order, vendor.created++;
  f->data = factor_of(&f->desc), f->bytes = 1000;
  snprintf(f->name, sizeof f->name, "vendor 1.2");
  return HK_OK;
}

static hk_status answer(hk_device_factor *f, hk_buffer *x)
{
  dense_substitute(f->desc.n, f->data, x->memory);
  return HK_OK;
}

static void destroy(hk_device_factor *f)
{
  hk_memory_free(&f->data);
}

static const hk_library_table library = {there, create, answer, destroy};

static hk_status solve_by(problem *p, const char *method, const char *name, const char *ordering,
                          hk_linear_report *report)
{
  hk_linear *linear = NULL;
  hk_status status = hk_linear_create(&(hk_linear_desc){.op = p->op,
                                                        .constraints = &p->constraints,
                                                        .method = method,
                                                        .library = name,
                                                        .ordering = ordering,
                                                        .tolerance = 1e-12},
                                      &linear);
  if (status == HK_OK) status = hk_linear_solve(linear, p->f, p->u, report);
  hk_linear_destroy(&linear);
  return status;
}

typedef struct row {
  const char *method, *library, *ordering;
  hk_library taken;
  hk_library_order order;
} row;

/* cholesky takes cuDSS, or cuSOLVER by name with its own orderings; dense its potrf: all give the dense solution */
static void the_vendor_is_asked(void **state)
{
  static const row rows[] = {
      {"cholesky", NULL, NULL, HK_LIBRARY_CUDSS, HK_ORDER_METIS},
      {"cholesky", "cusolver", "rcm", HK_LIBRARY_CUSOLVER, HK_ORDER_RCM},
      {"cholesky", "cusolver", "natural", HK_LIBRARY_CUSOLVER, HK_ORDER_NONE},
      {"direct", "cudss", NULL, HK_LIBRARY_CUDSS, HK_ORDER_METIS},
      {"direct", "cusolver", NULL, HK_LIBRARY_CUSOLVER, HK_ORDER_METIS},
      {"dense", NULL, NULL, HK_LIBRARY_DENSE, HK_ORDER_METIS},
      {"dense", "cusolver", NULL, HK_LIBRARY_DENSE, HK_ORDER_METIS},
      {"dense-to-sparse", NULL, NULL, HK_LIBRARY_CUDSS, HK_ORDER_METIS},
      {"dense-to-sparse", "cusolver", NULL, HK_LIBRARY_CUSOLVER, HK_ORDER_METIS}};
  (void)state;
  problem p;
  hk_device_table table = hk_device_host;
  problem_create(
      &p, &(problem_desc){.shape = HK_TET4, .cells = {3, 3, 2}, .jitter = .2, .equations = true});
  double *expected = dense_solution(&p);
  table.library = &library;
  p.device->table = &table;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hk_linear_report report = {0};
    memset(p.u, 0, (size_t)p.dofs * sizeof *p.u);
    ok(solve_by(&p, rows[k].method, rows[k].library, rows[k].ordering, &report));
    assert_int_equal(vendor.last, rows[k].taken);
    assert_int_equal(vendor.order, rows[k].order);
    assert_non_null(strstr(report.method, "(vendor 1.2)"));
    assert_true(report.note[0] == 0 && report.bytes > 1000);
    assert_true(difference_of(p.u, expected, p.dofs) <= 1e-10);
    hk_linear_report_clear(&report);
  }
  assert_int_equal(solve_by(&p, "cholesky", "cudss", "rcm", NULL), HK_USAGE);
  p.device->table = &hk_device_host;
  hk_free(&expected);
  problem_destroy(&p);
}

/* where the vendor has no library the host's makes the factors, which the report says; direct asks it by name alone */
static void without_it_the_host_serves(void **state)
{
  (void)state;
  problem p;
  hk_linear_report report = {0};
  hk_device_table table = hk_device_host;
  problem_create(&p, &(problem_desc){.shape = HK_QUAD4, .cells = {5, 4}});
  table.library = &library;
  p.device->table = &table;
  vendor.created = 0;
  ok(solve_by(&p, "direct", NULL, NULL, &report));
  assert_true(vendor.created == 0 && report.note[0] == 0);
  hk_linear_report_clear(&report);
  for (int k = 0; k < 3; k++) vendor.absent[k] = true;
  for (int k = 0; k < 2; k++) {
    ok(solve_by(&p, k ? "dense" : "cholesky", NULL, NULL, &report));
    assert_non_null(strstr(report.note, "the host computes the factors"));
    hk_linear_report_clear(&report);
  }
  assert_int_equal(solve_by(&p, "cholesky", "cudss", NULL, NULL), HK_USAGE);
  assert_non_null(strstr(hk_error(), "the vendor of this test"));
  for (int k = 0; k < 3; k++) vendor.absent[k] = false;
  p.device->table = &hk_device_host;
  problem_destroy(&p);
}

static void a_failing_allocation_is_told(void **state)
{
  static const char *const method[] = {"cholesky", "dense", "dense-to-sparse"};
  (void)state;
  problem p;
  hk_device_table table = hk_device_host;
  problem_create(&p, &(problem_desc){.shape = HK_QUAD4, .cells = {4, 3}, .form = "assembled"});
  ok(hk_operator_bind(p.op, HK_FORM_STORE, false, 1));
  table.library = &library;
  p.device->table = &table;
  for (int m = 0; m < 3; m++) {
    hk_status status = HK_NO_RESOURCES;
    for (hk_count k = 1; status == HK_NO_RESOURCES; k++) {
      hk_linear_report report = {0};
      const hk_count held = hk_memory_held();
      hk_device_fail_at(k);
      status = solve_by(&p, method[m], NULL, NULL, &report);
      hk_device_fail_at(0);
      hk_linear_report_clear(&report);
      assert_int_equal(hk_memory_held(), held);
    }
    ok(status);
  }
  p.device->table = &hk_device_host;
  problem_destroy(&p);
}

/* where a toolkit is installed each function of cuSOLVER and cuSPARSE is found in it, without a GPU */
static void cusolver_is_found(void **state)
{
  (void)state;
  if (access("/usr/local/cuda/lib64/libcusolver.so", R_OK) != 0 &&
      access("/usr/local/cuda/lib/libcusolver.so", R_OK) != 0)
    skip();
  const hk_cuda_solvers *s = hk_cuda_solvers_load(NULL);
  assert_true(s->dense);
  assert_true(s->sparse);
  assert_true(s->product);
  print_message("cuDSS: %s\n", s->cudss ? "found" : "not found");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_vendor_is_asked),
      cmocka_unit_test(without_it_the_host_serves),
      cmocka_unit_test(a_failing_allocation_is_told),
      cmocka_unit_test(cusolver_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
