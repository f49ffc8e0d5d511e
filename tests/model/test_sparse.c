/* Matrices in sparse formats: all formats hold the matrix of hk_system_matrix, refills give the bits of a new matrix. */
#include <hooke/hooke.h>
#include "device/device.h"
#include "support/check.h"
#include <unistd.h>

static const char *const element_meshes[] = {"tri3", "quad4", "tet4",  "hex8",  "wedge6",
                                             "tri6", "quad8", "tet10", "hex20", "wedge15"};

#define STEEL "materials: {m: {density: 2, young: 3, poisson: 0.3}}\n"
#define HELD(direction)                                                                            \
  "boundary: [{set: left, fix: x}, {set: bottom, move: 0, direction: " direction                   \
  "}, {set: top, move: {y: 0.1}}]\n"                                                               \
  "equations: [{terms: [{node: 5, component: x}, {node: 6, component: x, factor: -0.25}, {node: "  \
  "7, component: y, factor: -0.5}], value: 0.2}]\n"                                                \
  "solve: {static: {}}\n"
static const char plane[] =
    "mesh: {rectangle: {size: [2, 1], cells: [4, 3], jitter: 0.2, shuffle: 3}}\n" STEEL HELD(
        "[0.3, 1]");
static const char body[] =
    "mesh: {box: {size: [2, 1, 1], cells: [3, 3, 2], jitter: 0.2, shuffle: 3}}\n" STEEL HELD(
        "[0.3, 1, 0.2]");
static const char prisms[] =
    "mesh: {extrude: {mesh: {rectangle: {size: [2, 1], cells: [2, 2], shape: tri}}, layers: "
    "[{height: 1, cells: 2}]}}\n" STEEL
    "boundary: [{set: left, fix: [x, y, z]}]\nsolve: {static: {}}\n";
static const char warm[] =
    "mesh: {rectangle: {size: [2, 1], cells: [4, 3], jitter: 0.2}}\nphysics: heat\n"
    "materials: {m: {conductivity: 3, reaction: 0.5}}\n"
    "boundary: [{set: left, temperature: 5}, {set: right, film: {coefficient: 2, sink: 300}}]\n"
    "solve: {heat: {}}\n";
static const char wave[] = "mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}\n" STEEL
                           "boundary: [{set: left, fix: [x, y]}]\n"
                           "solve: {explicit: {end: 20}}\n";
static const char two[] =
    "mesh: {extrude: {mesh: {rectangle: {size: [2, 1], cells: [3, 2]}}, layers: [{height: 1, "
    "cells: 2, name: low}, {height: 1, cells: 1, name: high}]}}\n"
    "materials: {a: {density: 1, young: 3, poisson: 0.3}, b: {density: 1, young: 5, poisson: "
    "0.2}}\n"
    "regions: {low: a, high: b}\nboundary: [{set: left, fix: [x, y, z]}]\nsolve: {static: {}}\n";

typedef struct fixture {
  hk_model *model;
  hk_system *system;
} fixture;

static void create_on(const char *device, const char *text, const char *set, fixture *f)
{
  *f = (fixture){NULL, NULL};
  ok(hk_model_create(&(hk_model_desc){.text = text, .set = &set, .set_count = set != NULL}, NULL,
                     &f->model));
  ok(hk_system_create(f->model, &(hk_run_desc){.device = device, .threads = 2}, NULL, &f->system));
}

static void create(const char *text, const char *set, fixture *f)
{
  create_on("cpu", text, set, f);
}

static void destroy(fixture *f)
{
  hk_system_destroy(&f->system);
  hk_model_destroy(&f->model);
}

static double number(const hk_sparse_view *v, hk_count k)
{
  return v->value_bytes == 8 ? ((const double *)v->value)[k] : (double)((const float *)v->value)[k];
}

/* a[n][n] of the view, n = rows * size, also of a triangle whole; entries of a place count once */
static double *dense_of(const hk_sparse_view *v)
{
  const hk_count n = v->rows * v->size, block = (hk_count)v->size * v->size;
  double *a = vector(n * n);
  for (hk_count k = 0, i = 0; k < v->entries; k++) {
    if (v->row_start)
      while (k >= v->row_start[i + 1]) i++;
    else
      i = v->row ? v->row[k] : k % v->rows;
    if (v->column[k] < 0) {
      assert_true(v->width && number(v, k) == 0);
      continue;
    }
    for (hk_count b = 0; b < block; b++) {
      const hk_count r = i * v->size + b / v->size,
                     c = (hk_count)v->column[k] * v->size + b % v->size;
      assert_true(a[r * n + c] == 0 || (v->symmetric && i == v->column[k]));
      a[r * n + c] = number(v, k * block + b);
      if (v->symmetric) a[c * n + r] = a[r * n + c];
    }
  }
  return a;
}

/* The same of hk_system_matrix, at the degrees of freedom of the view. */
static double *expected(hk_system *system, const hk_sparse_view *v, bool reduced)
{
  hk_matrix m;
  const hk_count n = v->rows * v->size, dofs = hk_system_dofs(system);
  double *a = vector(n * n);
  hk_index *at = NULL;
  ok(hk_get(&at, dofs));
  for (hk_count i = 0; i < dofs; i++) at[i] = -1;
  for (hk_count i = 0; i < n; i++) at[v->dof[i]] = (hk_index)i;
  ok(hk_system_matrix(system, reduced ? HK_MATRIX_FREE : HK_MATRIX_ROWS, &m));
  if (reduced) assert_int_equal(m.rows, n);
  for (hk_count i = 0; i < m.rows; i++)
    for (hk_count k = m.row_start[i]; k < m.row_start[i + 1]; k++) {
      const hk_index r = at[m.dof ? m.dof[i] : i], c = at[m.dof ? m.dof[m.column[k]] : m.column[k]];
      assert_true(r >= 0 && c >= 0);
      a[r * n + c] = m.value[k];
    }
  hk_matrix_clear(&m);
  hk_free(&at);
  return a;
}

static void expect(hk_system *system, const hk_sparse_desc *desc)
{
  hk_sparse_matrix *m = NULL;
  hk_sparse_view v;
  ok(hk_sparse_matrix_create(system, desc, &m));
  ok(hk_sparse_matrix_read(m, &v));
  assert_int_equal(v.format, desc->format);
  assert_int_equal(v.value_bytes, desc->precision == HK_SINGLE ? 4 : 8);
  const hk_count n = v.rows * v.size;
  double *got = dense_of(&v), *right = expected(system, &v, desc->reduced);
  const double error = difference_of(got, right, n * n);
  if (!(error <= (desc->precision == HK_SINGLE ? 2e-6 : 1e-13)))
    fail_msg("%s%s%s: %g", hk_sparse_format_name(desc->format), desc->symmetric ? ", half" : "",
             desc->reduced ? ", reduced" : "", error);
  hk_free(&got);
  hk_free(&right);
  hk_sparse_matrix_destroy(&m);
}

/* Every format, triangle, precision, with and without constraints, is the matrix of the system. */
static void expect_all(const char *device, const char *text, const char *set)
{
  fixture f;
  create_on(device, text, set, &f);
  for (int format = 0; format < HK_SPARSE_FORMATS; format++)
    for (int k = 0; k < 8; k++) {
      const hk_sparse_desc desc = {.format = (hk_sparse_format)format,
                                   .precision = k & 1 ? HK_SINGLE : HK_PRECISION_DEFAULT,
                                   .symmetric = k & 2,
                                   .reduced = k & 4};
      if (!(desc.reduced && desc.format == HK_SPARSE_BSR)) expect(f.system, &desc);
    }
  destroy(&f);
}

static void formats_hold_the_matrix_of_each_shape(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof element_meshes / sizeof *element_meshes; k++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "mesh: " TEST_DATA "/mesh/%s.msh\n" STEEL
        "equations: [{terms: [{node: 1, component: x}], value: 0}, {terms: [{node: 2, component: "
        "y}, {node: 3, component: x, factor: 0.5}], value: 0}]\nsolve: {static: {}}\n",
        element_meshes[k]);
    expect_all("cpu", text, NULL);
  }
}

static void formats_hold_the_matrix_of_each_model(void **state)
{
  (void)state;
  static const char *const sets[] = {NULL, "mesh.rectangle.shape=tri", "element.order=2",
                                     "element.order=3"};
  for (int k = 0; k < 4; k++) {
    expect_all("cpu", plane, sets[k]);
    expect_all("cpu", warm, sets[k]);
  }
  expect_all("cpu", body, NULL);
  expect_all("cpu", body, "mesh.box.shape=tet");
  expect_all("cpu", body, "element.order=2");
  expect_all("cpu", prisms, NULL);
  expect_all("cpu", prisms, "element.order=2");
  expect_all("cpu", wave, NULL);
}

static void opencl_holds_the_same(void **state)
{
  hk_sparse_matrix *m = NULL;
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 0, &device) != HK_OK) skip();
  hk_device_close(&device);
  expect_all("opencl", body, "mesh.box.shape=tet");
  expect_all("opencl", warm, NULL);
  fixture f;
  create_on("opencl", plane, NULL, &f);
  ok(hk_sparse_matrix_create(f.system, &(hk_sparse_desc){.symmetric = true}, &m));
  const hk_sparse_view v = hk_sparse_matrix_view(m);
  assert_int_equal(v.device, 4);
  assert_non_null(v.value);
  hk_sparse_matrix_destroy(&m);
  destroy(&f);
}

/* The lower triangle of a matrix = what the matrix of the lower triangle holds, bit by bit. */
static void half_is_half_of_the_whole(void **state)
{
  (void)state;
  for (int reduced = 0; reduced < 2; reduced++) {
    fixture f;
    hk_sparse_matrix *whole = NULL, *half = NULL;
    create(body, NULL, &f);
    ok(hk_sparse_matrix_create(f.system, &(hk_sparse_desc){.reduced = reduced}, &whole));
    ok(hk_sparse_matrix_create(f.system, &(hk_sparse_desc){.reduced = reduced, .symmetric = true},
                               &half));
    const hk_sparse_view w = hk_sparse_matrix_view(whole), h = hk_sparse_matrix_view(half);
    hk_count at = 0;
    assert_int_equal(w.rows, h.rows);
    for (hk_count i = 0; i < w.rows; i++) {
      assert_int_equal(h.row_start[i], at);
      for (hk_count k = w.row_start[i]; k < w.row_start[i + 1] && w.column[k] <= i; k++, at++) {
        assert_int_equal(h.column[at], w.column[k]);
        assert_true(number(&h, at) == number(&w, k));
      }
    }
    assert_int_equal(at, h.entries);
    hk_sparse_matrix_destroy(&whole);
    hk_sparse_matrix_destroy(&half);
    destroy(&f);
  }
}

static void same_bits(hk_sparse_matrix *a, hk_sparse_matrix *b)
{
  hk_sparse_view v, w;
  ok(hk_sparse_matrix_read(a, &v));
  ok(hk_sparse_matrix_read(b, &w));
  assert_int_equal(v.entries, w.entries);
  assert_memory_equal(v.value, w.value,
                      (size_t)(v.entries * v.size * v.size) * (size_t)v.value_bytes);
}

/* new values after others = those of a new matrix, bit by bit; without factors those of the first fill; the same arrays */
static void refills_are_new_matrices(void **state)
{
  static const char *const text[] = {plane, body, body, warm, prisms},
                           *const set[] = {"mesh.rectangle.shape=tri", "mesh.box.shape=tet", NULL,
                                           NULL, "element.order=2"};
  (void)state;
  for (int k = 0; k < 5; k++)
    for (int format = 0; format < 2 * HK_SPARSE_FORMATS; format++) {
      fixture f;
      hk_sparse_matrix *a = NULL, *b = NULL, *c = NULL;
      const hk_sparse_desc desc = {.format = (hk_sparse_format)(format / 2),
                                   .symmetric = format % 2,
                                   .reduced = format % 2 && format / 2 != HK_SPARSE_BSR};
      create(text[k], set[k], &f);
      const hk_count elements = hk_system_mesh(f.system)->element_count;
      double *scale = vector(elements);
      for (hk_count e = 0; e < elements; e++) scale[e] = 1.5 + sin((double)e);
      ok(hk_sparse_matrix_create(f.system, &desc, &a));
      ok(hk_sparse_matrix_create(f.system, &desc, &b));
      ok(hk_sparse_matrix_create(f.system, &desc, &c));
      const hk_sparse_view before = hk_sparse_matrix_view(a);
      ok(hk_sparse_matrix_refill(a, scale, NULL));
      ok(hk_sparse_matrix_refill(a, NULL, NULL));
      same_bits(a, c);
      scale[0] = 0;
      ok(hk_sparse_matrix_refill(a, scale, NULL));
      ok(hk_sparse_matrix_refill(b, scale, NULL));
      same_bits(a, b);
      const hk_sparse_view after = hk_sparse_matrix_view(a), other = hk_sparse_matrix_view(c);
      assert_memory_not_equal(after.value, other.value, (size_t)after.value_bytes);
      assert_ptr_equal(before.value, after.value);
      assert_ptr_equal(before.column, after.column);
      hk_sparse_matrix_destroy(&a);
      hk_sparse_matrix_destroy(&b);
      hk_sparse_matrix_destroy(&c);
      hk_free(&scale);
      destroy(&f);
    }
}

/* sum of s_e K(1_e) = K(s), 1_e the factors of element e alone, whose K has its own nodes alone */
static void elements_add_up(void **state)
{
  static const char *const text[] = {plane, body, plane, warm}, *const set[] = {
                                                                    "mesh.rectangle.shape=tri",
                                                                    "mesh.box.shape=tet", NULL,
                                                                    NULL};
  (void)state;
  for (int k = 0; k < 4; k++) {
    fixture f;
    hk_sparse_matrix *m = NULL;
    create(text[k], set[k], &f);
    const hk_mesh *mesh = hk_system_mesh(f.system);
    ok(hk_sparse_matrix_create(f.system, &(hk_sparse_desc){.format = HK_SPARSE_COO}, &m));
    const hk_sparse_view v = hk_sparse_matrix_view(m);
    const int c = hk_system_components(f.system);
    double *scale = vector(mesh->element_count), *sum = vector(v.entries);
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const hk_index *node = mesh->block[0].node + e * mesh->block[0].nodes;
      hk_count there = 0;
      scale[e] = 1;
      ok(hk_sparse_matrix_refill(m, scale, NULL));
      scale[e] = 0;
      for (hk_count i = 0; i < v.entries; i++) {
        int own = 0;
        for (int n = 0; n < mesh->block[0].nodes; n++)
          own += (node[n] == v.dof[v.row[i]] / c) + (node[n] == v.dof[v.column[i]] / c);
        assert_true(own == 2 || number(&v, i) == 0);
        there += number(&v, i) != 0;
        sum[i] += (1.5 + sin((double)e)) * number(&v, i);
      }
      assert_true(there > 0);
    }
    for (hk_count e = 0; e < mesh->element_count; e++) scale[e] = 1.5 + sin((double)e);
    ok(hk_sparse_matrix_refill(m, scale, NULL));
    assert_true(difference_of(v.value, sum, v.entries) <= 1e-13);
    hk_free(&scale);
    hk_free(&sum);
    hk_sparse_matrix_destroy(&m);
    destroy(&f);
  }
}

/* factors of 4 on the elements of a material = that material with 4 times Young's modulus, bit by bit; and so do its laws in a refill */
static void factors_are_those_of_the_law(void **state)
{
  static const char *const shape[] = {"mesh.extrude.mesh.rectangle.shape=quad",
                                      "mesh.extrude.mesh.rectangle.shape=tri"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    fixture f, g;
    hk_sparse_matrix *a = NULL, *b = NULL;
    const char *sets[] = {shape[k], "materials.b.young=20"};
    create(two, shape[k], &f);
    ok(hk_model_create(&(hk_model_desc){.text = two, .set = sets, .set_count = 2}, NULL, &g.model));
    ok(hk_system_create(g.model, &(hk_run_desc){.device = "cpu"}, NULL, &g.system));
    const hk_mesh *mesh = hk_system_mesh(f.system);
    double *scale = vector(mesh->element_count);
    for (hk_count e = 0; e < mesh->element_count; e++) scale[e] = 1;
    for (int s = 0; s < mesh->set_count; s++)
      for (hk_count e = 0; !strcmp(mesh->set[s].name, "high") &&
                           mesh->set[s].kind == HK_ELEMENT_SET && e < mesh->set[s].count;
           e++)
        scale[mesh->set[s].item[e]] = 4;
    ok(hk_sparse_matrix_create(f.system, &(hk_sparse_desc){.format = HK_SPARSE_COO}, &a));
    ok(hk_sparse_matrix_create(g.system, &(hk_sparse_desc){.format = HK_SPARSE_COO}, &b));
    ok(hk_sparse_matrix_refill(a, scale, NULL));
    same_bits(a, b);
    ok(hk_sparse_matrix_refill(a, NULL, NULL));
    ok(hk_sparse_matrix_refill(a, NULL, g.model));
    same_bits(a, b);
    ok(hk_sparse_matrix_refill(b, NULL, f.model));
    ok(hk_sparse_matrix_refill(a, NULL, NULL));
    same_bits(a, b);
    hk_free(&scale);
    hk_sparse_matrix_destroy(&a);
    hk_sparse_matrix_destroy(&b);
    destroy(&f);
    destroy(&g);
  }
}

/* The mass matrix has hk_system_mass on its diagonal alone; T^T M T adds masses of tied nodes: rigid motions keep their energy. */
static void masses_are_those_of_the_system(void **state)
{
  fixture f;
  (void)state;
  create(plane, NULL, &f);
  double *m = vector(hk_system_dofs(f.system));
  ok(hk_system_mass(f.system, m));
  for (int format = 0; format < HK_SPARSE_FORMATS; format++) {
    hk_sparse_matrix *k = NULL;
    const hk_sparse_desc desc = {.format = (hk_sparse_format)format, .mass = true};
    ok(hk_sparse_matrix_create(f.system, &desc, &k));
    const hk_sparse_view v = hk_sparse_matrix_view(k);
    double *a = dense_of(&v);
    const hk_count n = v.rows * v.size;
    if (format != HK_SPARSE_BSR) assert_int_equal(v.entries, n);
    for (hk_count i = 0; i < n * n; i++) assert_true(a[i] == (i % (n + 1) ? 0 : m[v.dof[i / n]]));
    fails_with(hk_sparse_matrix_refill(k, NULL, NULL), HK_USAGE, "no refill");
    hk_free(&a);
    hk_sparse_matrix_destroy(&k);
  }
  hk_free(&m);
  destroy(&f);
}

static void refuse(hk_system *system, const hk_sparse_desc *desc, hk_status status,
                   const char *words)
{
  hk_sparse_matrix *m = NULL;
  fails_with(hk_sparse_matrix_create(system, desc, &m), status, words);
  assert_null(m);
}

static void what_is_not_served_is_told(void **state)
{
  fixture f, other;
  hk_sparse_matrix *m = NULL;
  double scale[12] = {1, 1, NAN};
  (void)state;
  create(plane, NULL, &f);
  refuse(f.system, &(hk_sparse_desc){.format = HK_SPARSE_FORMATS}, HK_USAGE, "no matrix format");
  refuse(f.system, &(hk_sparse_desc){.format = HK_SPARSE_BSR, .reduced = true}, HK_USAGE,
         "no blocks of whole nodes");
  ok(hk_sparse_matrix_create(f.system, &(hk_sparse_desc){.reduced = true}, &m));
  fails_with(hk_sparse_matrix_refill(m, scale, NULL), HK_BAD_INPUT, "must be finite");
  create(warm, NULL, &other);
  fails_with(hk_sparse_matrix_refill(m, NULL, other.model), HK_BAD_INPUT, "another mesh");
  destroy(&other);
  create(plane, "mesh.rectangle.size=[2, 1.5]", &other);
  fails_with(hk_sparse_matrix_refill(m, NULL, other.model), HK_BAD_INPUT, "another mesh");
  destroy(&other);
  ok(hk_system_take(f.system, 0, 0));
  fails_with(hk_sparse_matrix_refill(m, NULL, NULL), HK_USAGE, "another step");
  fails_with(hk_sparse_matrix_write(m, "k.txt", NULL), HK_USAGE, ".mtx, .npz or .h5");
  fails_with(hk_sparse_matrix_write(m, "k.mtx", NULL), HK_USAGE, "coo");
  fails_with(hk_sparse_matrix_write(m, "no/such/k.h5", NULL), HK_NOT_WRITABLE, "no/such");
  hk_sparse_matrix_destroy(&m);
  destroy(&f);
  create(warm, NULL, &f);
  refuse(f.system, &(hk_sparse_desc){.mass = true}, HK_BAD_INPUT, "no capacity");
  destroy(&f);
  create(wave, "element.order=3", &f);
  refuse(f.system, &(hk_sparse_desc){.format = HK_SPARSE_CSR}, HK_BAD_INPUT, "never assembled");
  destroy(&f);
}

/* the k-th allocation fails: HK_NO_RESOURCES, nothing is held, and no file is left that holds a part */
static void short_memory_is_told(void **state)
{
  fixture f;
  hk_status status = HK_NO_RESOURCES;
  (void)state;
  create(plane, NULL, &f);
  remove("short.h5");
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_sparse_matrix *m = NULL;
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    status = hk_sparse_matrix_create(
        f.system, &(hk_sparse_desc){.format = HK_SPARSE_ELL, .symmetric = true, .reduced = true},
        &m);
    if (status == HK_OK) status = hk_sparse_matrix_refill(m, NULL, NULL);
    if (status == HK_OK) status = hk_sparse_matrix_write(m, "short.npz", NULL);
    if (status == HK_OK) status = hk_sparse_matrix_write(m, "short.h5", NULL);
    hk_memory_fail_at(0);
    if (status != HK_OK && status != HK_NO_RESOURCES)
      fail_msg("allocation %lld: %d %s", (long long)k, status, hk_error());
    assert_true((access("short.h5", F_OK) == 0) == (status == HK_OK));
    hk_sparse_matrix_destroy(&m);
    assert_int_equal(hk_memory_held(), held);
    assert_true(k < 20000);
  }
  destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_hold_the_matrix_of_each_shape),
      cmocka_unit_test(formats_hold_the_matrix_of_each_model),
      cmocka_unit_test(opencl_holds_the_same),
      cmocka_unit_test(half_is_half_of_the_whole),
      cmocka_unit_test(refills_are_new_matrices),
      cmocka_unit_test(elements_add_up),
      cmocka_unit_test(factors_are_those_of_the_law),
      cmocka_unit_test(masses_are_those_of_the_system),
      cmocka_unit_test(what_is_not_served_is_told),
      cmocka_unit_test(short_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
