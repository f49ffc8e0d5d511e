/* The discrete system of a model: what is given to others is what a run computes with. */
#include <hooke/hooke.h>
#include "base/base.h"
#include "result/result.h"
#include "support/check.h"

#define STEEL "materials: {m: {density: 2, young: 3, poisson: 0.3}}\n"
#define PLATE "mesh: {rectangle: {size: [2, 1], cells: [4, 2], shape: %s, jitter: 0.2}}\n" STEEL
static const char plate[] = PLATE "boundary:\n"
                                  "  - {set: left, fix: x}\n"
                                  "  - {set: bottom, move: 0, direction: [0.3, 1]}\n"
                                  "  - {set: top, move: {y: 0.1}}\n"
                                  "  - {set: right, traction: [1, 0.5]}\n"
                                  "equations: [{terms: [{node: 5, component: x}, {node: 15, "
                                  "component: x, factor: -1}], value: 0.2}]\n"
                                  "solve: {static: {tolerance: 1e-12}}\n";
static const char box[] = "mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2], shape: %s}}\n" STEEL
                          "boundary: [{set: bottom, fix: [x, y, z]}, {set: top, pressure: 1}]\n"
                          "solve: {static: {tolerance: 1e-12}}\n";
static const char warm[] =
    "mesh: {rectangle: {size: [2, 1], cells: [4, 2], shape: %s}}\nphysics: heat\n"
    "materials: {m: {conductivity: 3}}\n"
    "boundary: [{set: left, temperature: 5}, {set: right, film: {coefficient: 2, sink: 300}},\n"
    "  {set: top, flux: 1}]\n"
    "solve: {heat: {tolerance: 1e-12}}\n";
static const char wave[] =
    PLATE "boundary: [{set: left, fix: [x, y]}, {set: right, move: {x: 0.5}, signal: {ricker: "
          "{frequency: 0.2, t0: 5}}}]\n"
          "sources: [{set: top, force: 2, direction: [0, -1], signal: {ricker: {frequency: 0.2, "
          "t0: 5}}}]\n"
          "solve: {explicit: {end: 20}}\n";
static const char water[] =
    "mesh: {rectangle: {size: [2, 1], cells: [4, 2]}}\nelement: {order: 3}\n"
    "materials: {water: {density: 2, bulk: 4}}\n"
    "sources: [{at: [1, 0.5], volume_rate: 1, signal: {ricker: {frequency: 0.2}}}]\n"
    "solve: {explicit: {end: 20}}\n";

typedef struct fixture {
  hk_model *model;
  hk_system *system;
  hk_count dofs;
} fixture;

static hk_status try_create(const char *format, const char *shape, const char *set, fixture *f)
{
  char text[2000];
  snprintf(text, sizeof text, format, shape);
  *f = (fixture){0};
  hk_status status = hk_model_create(
      &(hk_model_desc){.text = text, .set = &set, .set_count = set != NULL}, NULL, &f->model);
  if (status == HK_OK)
    status =
        hk_system_create(f->model, &(hk_run_desc){.device = "cpu", .threads = 2}, NULL, &f->system);
  if (status == HK_OK) f->dofs = hk_system_dofs(f->system);
  return status;
}

static void destroy(fixture *f)
{
  hk_system_destroy(&f->system);
  hk_model_destroy(&f->model);
}

static double *noise(hk_count n)
{
  double *v = vector(n);
  for (hk_count i = 0; i < n; i++) v[i] = sin(1.7 * (double)i + 0.3);
  return v;
}

/* y = M x */
static void multiply(const hk_matrix *m, const double *x, double *y)
{
  const int c = m->size;
  for (hk_count i = 0; i < m->rows * c; i++) y[i] = 0;
  for (hk_count i = 0; i < m->rows; i++)
    for (hk_count k = m->row_start[i]; k < m->row_start[i + 1]; k++)
      for (int a = 0; a < c; a++)
        for (int b = 0; b < c; b++)
          y[i * c + a] += m->value[(k * c + a) * c + b] * x[(hk_count)m->column[k] * c + b];
}

/* max |a - b| <= tolerance max |b| */
static void same(const double *a, const double *b, hk_count n, double tolerance)
{
  double error = 0, most = 0;
  for (hk_count i = 0; i < n; i++) {
    error = hk_larger(error, fabs(a[i] - b[i]));
    most = hk_larger(most, fabs(b[i]));
  }
  if (!(error <= tolerance * most) || !(most > 0))
    fail_msg("%g, expected at most %g of %g", error, tolerance, most);
}

/* rows are ascending; M = M^T to rounding */
static void expect_symmetric(const hk_matrix *m)
{
  double *x = noise(m->rows * m->size), *y = vector(m->rows * m->size),
         *z = vector(m->rows * m->size), left = 0, right = 0, scale = 0;
  for (hk_count i = 0; i < m->rows; i++)
    for (hk_count k = m->row_start[i] + 1; k < m->row_start[i + 1]; k++)
      assert_true(m->column[k] > m->column[k - 1]);
  for (hk_count i = 0; i < m->rows * m->size; i++) z[i] = cos(2.3 * (double)i);
  multiply(m, x, y);
  for (hk_count i = 0; i < m->rows * m->size; i++) left += z[i] * y[i], scale += fabs(z[i] * y[i]);
  multiply(m, z, y);
  for (hk_count i = 0; i < m->rows * m->size; i++) right += x[i] * y[i];
  if (!(fabs(left - right) <= 1e-13 * scale)) fail_msg("%g and %g", left, right);
  hk_free(&x);
  hk_free(&y);
  hk_free(&z);
}

/* K r = 0 of translations and rotations; of heat without films of a constant */
static void expect_rigid(const fixture *f, const hk_matrix *k)
{
  const hk_mesh *mesh = hk_system_mesh(f->system);
  const int dim = mesh->dim, c = hk_system_components(f->system);
  double *r = vector(f->dofs), *y = vector(f->dofs), *some = noise(f->dofs), most = 0;
  multiply(k, some, y);
  for (hk_count i = 0; i < f->dofs; i++) most = fmax(most, fabs(y[i]));
  for (int mode = 0; mode < (c == 1 ? 1 : c * (c + 1) / 2); mode++) {
    for (hk_count n = 0; n < mesh->node_count; n++) {
      const double *x = mesh->x + n * dim;
      const int about = mode - c, a = dim == 2 ? 0 : (about + 1) % 3,
                b = dim == 2 ? 1 : (about + 2) % 3;
      for (int d = 0; d < c; d++) r[n * c + d] = mode == d;
      if (mode >= c) r[n * c + a] = -x[b], r[n * c + b] = x[a];
    }
    ok(hk_system_apply(f->system, r, y));
    for (hk_count i = 0; i < f->dofs; i++)
      if (!(fabs(y[i]) <= 1e-12 * most)) fail_msg("mode %d: %g of %g", mode, y[i], most);
  }
  hk_free(&r);
  hk_free(&y);
  hk_free(&some);
}

static const struct {
  const char *text, *shape, *set;
} model[] = {
    {plate, "tri", NULL}, {plate, "quad", NULL}, {plate, "quad", "solve.static.form=assembled"},
    {box, "tet", NULL},   {box, "hex", NULL},    {box, "hex", "element.order=3"},
    {warm, "tri", NULL},  {warm, "quad", NULL},  {wave, "tri", NULL},
    {wave, "quad", NULL}};
enum { MODELS = sizeof model / sizeof *model };

/* K u by apply = rows times u = blocks times u; symmetric; rigid motions are in the null space */
static void products_and_matrices_agree(void **state)
{
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    fixture f;
    hk_matrix rows, blocks;
    ok(try_create(model[i].text, model[i].shape, model[i].set, &f));
    ok(hk_system_matrix(f.system, HK_MATRIX_ROWS, &rows));
    ok(hk_system_matrix(f.system, HK_MATRIX_BLOCKS, &blocks));
    assert_int_equal(rows.rows, f.dofs);
    assert_int_equal(blocks.size, hk_system_components(f.system));
    assert_int_equal(rows.entries, blocks.entries * blocks.size * blocks.size);
    double *u = noise(f.dofs), *a = vector(f.dofs), *b = vector(f.dofs);
    ok(hk_system_apply(f.system, u, a));
    multiply(&rows, u, b);
    same(a, b, f.dofs, 1e-13);
    multiply(&blocks, u, a);
    same(a, b, f.dofs, 1e-14);
    expect_symmetric(&rows);
    expect_symmetric(&blocks);
    if (model[i].text != warm) expect_rigid(&f, &rows);
    hk_matrix_clear(&rows);
    hk_matrix_clear(&blocks);
    hk_free(&u);
    hk_free(&a);
    hk_free(&b);
    destroy(&f);
  }
}

/* x = A^-1 b by Cholesky's factors, dense */
static void solve_dense(const hk_matrix *m, const double *b, double *x)
{
  const hk_count n = m->rows;
  double *a = vector(n * n);
  for (hk_count i = 0; i < n; i++)
    for (hk_count k = m->row_start[i]; k < m->row_start[i + 1]; k++)
      a[i * n + m->column[k]] += m->value[k];
  for (hk_count j = 0; j < n; j++) {
    for (hk_count k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 0)) fail_msg("pivot %g", a[j * n + j]);
    a[j * n + j] = sqrt(a[j * n + j]);
    for (hk_count i = j + 1; i < n; i++) {
      for (hk_count k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  for (hk_count i = 0; i < n; i++) {
    x[i] = b[i];
    for (hk_count k = 0; k < i; k++) x[i] -= a[i * n + k] * x[k];
    x[i] /= a[i * n + i];
  }
  for (hk_count i = n - 1; i >= 0; i--) {
    for (hk_count k = i + 1; k < n; k++) x[i] -= a[k * n + i] * x[k];
    x[i] /= a[i * n + i];
  }
  hk_free(&a);
}

/* u of a step of what hk_run writes */
static void run(const hk_model *m, int step, double *u)
{
  char path[80];
  hk_result *result = NULL;
  const hk_result_array *a = NULL;
  ok(hk_run(m,
            &(hk_run_desc){.output = "system.hooke",
                           .device = "cpu",
                           .threads = 1,
                           .force = true,
                           .no_pictures = true},
            NULL, NULL));
  ok(hk_result_open("system.hooke", &result));
  snprintf(path, sizeof path, "/static/%04d/", step + 1);
  for (int i = 0; i < result->array_count; i++)
    if (!strncmp(result->array[i].path, path, strlen(path)) &&
        (!strcmp(result->array[i].name, "displacement") ||
         !strcmp(result->array[i].name, "temperature")))
      a = &result->array[i];
  if (!a) fail_msg("no displacement of step %d", step + 1);
  ok(hk_hdf_read(result->file, a->path, a->count, 0, a->rows, u));
  hk_result_close(&result);
}

/* u = T w + offset, (T^T K T) w = T^T (f - K offset) */
static void solve_free(const fixture *f, double *u)
{
  hk_matrix m;
  double *b = vector(f->dofs);
  ok(hk_system_matrix(f->system, HK_MATRIX_FREE, &m));
  expect_symmetric(&m);
  ok(hk_system_right(f->system, b));
  double *right = vector(m.rows), *w = vector(m.rows);
  for (hk_count i = 0; i < m.rows; i++) right[i] = b[m.dof[i]];
  solve_dense(&m, right, w);
  for (hk_count i = 0; i < f->dofs; i++) u[i] = 0;
  for (hk_count i = 0; i < m.rows; i++) u[m.dof[i]] = w[i];
  hk_system_fill(f->system, u);
  hk_free(&right);
  hk_free(&w);
  hk_free(&b);
  hk_matrix_clear(&m);
}

/* dense solution of the free matrix = hk_system_solve = what hk_run writes */
static void solutions_agree(void **state)
{
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    fixture f;
    if (model[i].text == wave) continue;
    ok(try_create(model[i].text, model[i].shape, model[i].set, &f));
    double *dense = vector(f.dofs), *own = vector(f.dofs), *written = vector(f.dofs);
    solve_free(&f, dense);
    ok(hk_system_solve(f.system, own));
    run(f.model, 0, written);
    same(own, dense, f.dofs, 1e-9);
    same(written, dense, f.dofs, 1e-9);
    ok(hk_system_solve(f.system, own)); /* again */
    same(own, dense, f.dofs, 1e-9);
    hk_free(&dense);
    hk_free(&own);
    hk_free(&written);
    destroy(&f);
  }
}

/* prescribed values, a linked pair and a direction are there as the case says, in the mesh's numbers */
static void held_ones_are_those_of_the_case(void **state)
{
  fixture f;
  (void)state;
  ok(try_create(plate, "quad", NULL, &f));
  const hk_held h = hk_system_held(f.system);
  const hk_mesh *mesh = hk_system_mesh(f.system);
  double *u = noise(f.dofs);
  hk_system_fill(f.system, u);
  for (hk_index i = 1; i < h.count; i++) assert_true(h.dof[i] > h.dof[i - 1]);
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const double *x = mesh->x + 2 * n, *v = u + 2 * n;
    if (x[0] == 0) assert_true(v[0] == 0);
    if (x[1] == 1) assert_true(v[1] == 0.1);
    if (x[1] == 0) assert_true(fabs(0.3 * v[0] + v[1]) <= 1e-15);
  }
  assert_true(fabs(u[2 * 4] - u[2 * 14] - 0.2) <= 1e-15);
  const double *load = hk_system_load(f.system);
  double sum[2] = {0};
  for (hk_count i = 0; i < f.dofs; i++) sum[i % 2] += load[i];
  assert_true(fabs(sum[0] - 1) <= 1e-14 && fabs(sum[1] - 0.5) <= 1e-14);
  hk_free(&u);
  destroy(&f);
}

/* the mass is density times volume in each direction; omega is that of dense power iteration; dt is within 2 / omega */
static void mass_and_frequency(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture f;
    double sum = 0, omega, most = 0;
    hk_matrix k;
    ok(try_create(i ? wave : plate, "quad", NULL, &f));
    double *m = vector(f.dofs), *v = noise(f.dofs), *w = vector(f.dofs);
    ok(hk_system_mass(f.system, m));
    for (hk_count d = 0; d < f.dofs; d += 2) sum += m[d], assert_true(m[d] == m[d + 1]);
    assert_true(fabs(sum - 2 * 2) <= 1e-14);
    ok(hk_system_frequency(f.system, &omega));
    ok(hk_system_matrix(f.system, HK_MATRIX_ROWS, &k));
    const hk_held h = hk_system_held(f.system);
    for (int step = 0; step < 4000; step++) {
      double norm = 0;
      for (hk_index j = 0; i && j < h.count; j++) v[h.dof[j]] = 0; /* at rest in explicit steps */
      for (hk_count d = 0; d < f.dofs; d++) norm = fmax(norm, fabs(v[d]));
      for (hk_count d = 0; d < f.dofs; d++) v[d] /= norm;
      multiply(&k, v, w);
      double above = 0, below = 0;
      for (hk_count d = 0; d < f.dofs; d++) above += v[d] * w[d], below += v[d] * m[d] * v[d];
      most = sqrt(above / below);
      for (hk_count d = 0; d < f.dofs; d++) v[d] = w[d] / m[d];
    }
    if (!(fabs(omega - most) <= 2e-3 * most)) fail_msg("%g, expected %g", omega, most);
    const double dt = hk_system_time_step(f.system);
    assert_true(i ? dt > 0.5 / omega && dt < 2 / omega : dt == 0);
    hk_matrix_clear(&k);
    hk_free(&m);
    hk_free(&v);
    hk_free(&w);
    destroy(&f);
  }
}

/* an explicit step's load and motions follow their signals */
static void loads_go_with_time(void **state)
{
  fixture f;
  (void)state;
  ok(try_create(wave, "quad", NULL, &f));
  const double times[] = {0, 4, 5};
  for (int i = 0; i < 3; i++) {
    const double a = pow(M_PI * 0.2 * (times[i] - 5), 2), ricker = (1 - 2 * a) * exp(-a);
    double sum = 0;
    ok(hk_system_take(f.system, 0, times[i]));
    const double *load = hk_system_load(f.system);
    for (hk_count d = 1; d < f.dofs; d += 2) sum += load[d];
    /* the forces on 5 nodes of the top, of which the left one is held */
    if (!(fabs(sum + 4 * 2 * ricker) <= 1e-12)) fail_msg("%g, expected %g", sum, -8 * ricker);
    const hk_held h = hk_system_held(f.system);
    assert_int_equal(h.count, 3 * 2 + 3);
    double moved = 0;
    for (hk_index k = 0; k < h.count; k++) moved += h.offset[k];
    if (!(fabs(moved - 3 * 0.5 * ricker) <= 1e-12))
      fail_msg("%g, expected %g", moved, 1.5 * ricker);
  }
  destroy(&f);
}

/* a prescribed velocity has moved its nodes by velocity times time, to a step */
static void velocities_are_summed(void **state)
{
  static const char text[] =
      PLATE "sources: [{set: left, velocity: 3, direction: [1, 0], signal: step}]\n"
            "solve: {explicit: {end: 20}}\n";
  fixture f;
  (void)state;
  ok(try_create(text, "quad", NULL, &f));
  for (int i = 0; i < 3; i++) {
    const double time = 7. * i;
    ok(hk_system_take(f.system, 0, time));
    const hk_held h = hk_system_held(f.system);
    assert_int_equal(h.count, 3);
    for (int k = 0; k < 3; k++)
      if (!(fabs(h.offset[k] - 3 * time) <= 3 * hk_system_time_step(f.system)))
        fail_msg("%g, expected %g", h.offset[k], 3 * time);
  }
  destroy(&f);
}

/* spectral elements of a fluid: K u is symmetric, nothing for a constant; mass = volume / bulk; no matrix */
static void fluids_have_products(void **state)
{
  fixture f;
  hk_matrix k;
  double left = 0, right = 0, scale = 0, sum = 0, omega;
  (void)state;
  ok(try_create(water, "", NULL, &f));
  assert_int_equal(hk_system_components(f.system), 1);
  assert_string_equal(hk_system_form(f.system), "spectral");
  assert_int_equal(f.dofs, 13 * 7);
  double *u = noise(f.dofs), *v = vector(f.dofs), *ku = vector(f.dofs), *kv = vector(f.dofs);
  for (hk_count i = 0; i < f.dofs; i++) v[i] = cos(2.3 * (double)i);
  ok(hk_system_apply(f.system, u, ku));
  ok(hk_system_apply(f.system, v, kv));
  for (hk_count i = 0; i < f.dofs; i++)
    left += v[i] * ku[i], right += u[i] * kv[i], scale += fabs(v[i] * ku[i]);
  assert_true(fabs(left - right) <= 1e-13 * scale && scale > 0);
  for (hk_count i = 0; i < f.dofs; i++) v[i] = 1;
  ok(hk_system_apply(f.system, v, kv));
  for (hk_count i = 0; i < f.dofs; i++) assert_true(fabs(kv[i]) <= 1e-13 * scale);
  ok(hk_system_mass(f.system, v));
  for (hk_count i = 0; i < f.dofs; i++) sum += v[i];
  assert_true(fabs(sum - 2. / 4) <= 1e-14);
  ok(hk_system_frequency(f.system, &omega));
  assert_true(hk_system_time_step(f.system) < 2 / omega);
  assert_int_equal(hk_system_matrix(f.system, HK_MATRIX_ROWS, &k), HK_BAD_INPUT);
  error_says("never assembled");
  hk_free(&u);
  hk_free(&v);
  hk_free(&ku);
  hk_free(&kv);
  destroy(&f);
}

static const char deck[] =
    "*NODE, NSET=ALL\n1, 0., 0.\n2, 1., 0.\n3, 2., 0.\n4, 0., 1.\n5, 1., 1.\n6, 2., 1.\n9, 5., 5.\n"
    "*ELEMENT, TYPE=CPE4, ELSET=BODY\n1, 1, 2, 5, 4\n2, 2, 3, 6, 5\n"
    "*NSET, NSET=LEFT\n1, 4\n"
    "*EQUATION\n2\n3, 1, 1., 9, 1, -1.\n*EQUATION\n2\n6, 1, 1., 9, 1, -1.\n"
    "*MATERIAL, NAME=M\n*ELASTIC\n1., 0.3\n*SOLID SECTION, ELSET=BODY, MATERIAL=M\n,\n"
    "*STEP\n*STATIC\n*BOUNDARY\nLEFT, 1, 2\n*CLOAD\n9, 1, 1.\n*END STEP\n"
    "*STEP\n*STATIC\n*BOUNDARY, FIXED\n5, 1, 2\n*CLOAD\n9, 1, 3.\n*END STEP\n";

/* steps in turn: a node of no element that equations hold, and what a step before has left */
static void steps_are_taken_in_turn(void **state)
{
  double u[14], dense[14], written[14], m[14], omega;
  fixture f = {0};
  (void)state;
  FILE *file = fopen("test_system.inp", "w");
  assert_true(file && fputs(deck, file) >= 0 && fclose(file) == 0);
  ok(hk_model_read("test_system.inp", NULL, 0, NULL, &f.model));
  ok(hk_system_create(f.model, NULL, NULL, &f.system));
  f.dofs = hk_system_dofs(f.system);
  assert_int_equal(f.dofs, 14);
  assert_int_equal(hk_system_take(f.system, 1, 0), HK_USAGE);
  error_says("solve that one first");
  assert_int_equal(hk_system_apply(f.system, u, dense), HK_USAGE);
  assert_int_equal(hk_system_take(f.system, 2, 0), HK_USAGE);
  for (int step = 0; step < 2; step++) {
    ok(hk_system_take(f.system, step, 0));
    solve_free(&f, dense);
    ok(hk_system_solve(f.system, u));
    run(f.model, step, written);
    same(u, dense, 14, 1e-8);
    same(written, dense, 14, 1e-8);
    assert_true(u[12] != 0 && u[12] == u[4]); /* node 9 goes with node 3 */
  }
  assert_int_equal(hk_system_mass(f.system, m), HK_BAD_INPUT);
  assert_int_equal(hk_system_frequency(f.system, &omega), HK_BAD_INPUT);
  destroy(&f);
}

static void refuse(const char *text, const char *set, hk_status status, const char *words)
{
  fixture f;
  const hk_status got = try_create(text, "quad", set, &f);
  if (got != status || !strstr(hk_error(), words))
    fail_msg("status %d: %s; expected %d: %s", got, hk_error(), status, words);
  assert_null(f.system);
  destroy(&f);
}

static void what_is_not_served_is_told(void **state)
{
  fixture f;
  double omega, *m;
  (void)state;
  refuse(
      "mesh: {extrude: {mesh: {rectangle: {size: [1, 1], cells: 1}}, layers: [{height: 1, cells: "
      "1, name: low}, {height: 1, cells: 1, name: high}]}}\nelement: {order: 2}\n"
      "materials: {w: {density: 1, bulk: 1}, s: {density: 1, young: 1, poisson: 0.3}}\n"
      "regions: {low: w, high: s}\nsolve: {explicit: {end: 1}}\n",
      NULL, HK_BAD_INPUT, "a fluid beside a solid");
  refuse(wave, "solve.explicit.dt=10", HK_UNSTABLE, "above the stability limit");
  ok(try_create(warm, "quad", NULL, &f));
  m = vector(f.dofs);
  assert_int_equal(hk_system_mass(f.system, m), HK_BAD_INPUT);
  error_says("no capacity");
  destroy(&f);
  hk_free(&m);
  ok(try_create(
      "mesh: {rectangle: {size: [2, 1], cells: [3, 2]}}\nmaterials: {m: {conductivity: 1, density: "
      "2, specific_heat: 5}}\nboundary: [{set: left, temperature: 4, signal: {table: {time: [0, "
      "1], "
      "value: [0, 1]}}}]\nsolve: {heat: {end: 1, dt: 0.1, theta: 0.5}}\n",
      "quad", NULL, &f));
  m = vector(f.dofs);
  ok(hk_system_take(f.system, 0, 0.25)); /* M u' + K u = f(t): rho c V, and the signal at t */
  ok(hk_system_mass(f.system, m));
  omega = 0;
  for (hk_count i = 0; i < f.dofs; i++) omega += m[i];
  assert_true(fabs(omega - 2 * 1 * 2 * 5) <= 1e-12);
  assert_true(fabs(hk_system_held(f.system).offset[0] - 1) <= 1e-12);
  destroy(&f);
  hk_free(&m);
  ok(try_create(wave, "quad", NULL, &f));
  m = vector(f.dofs);
  assert_int_equal(hk_system_solve(f.system, m), HK_USAGE);
  assert_int_equal(hk_system_take(f.system, 0, -1), HK_USAGE);
  assert_int_equal(hk_system_take(f.system, 0, NAN), HK_USAGE);
  assert_int_equal(hk_system_frequency(f.system, &omega), HK_USAGE);
  destroy(&f);
  hk_free(&m);
}

/* the k-th allocation fails: HK_NO_RESOURCES, and nothing is held */
static void short_memory_is_told(void **state)
{
  (void)state;
  static const char *const text[] = {plate, wave, warm};
  for (int i = 0; i < 3; i++) {
    shortage memory = {0};
    while (next_shortage(&memory)) {
      fixture f;
      hk_matrix m = {0};
      double omega, b[30];
      memory.status = try_create(text[i], "quad", NULL, &f);
      if (memory.status == HK_OK) memory.status = hk_system_matrix(f.system, HK_MATRIX_FREE, &m);
      hk_matrix_clear(&m);
      if (memory.status == HK_OK) memory.status = hk_system_matrix(f.system, HK_MATRIX_ROWS, &m);
      if (memory.status == HK_OK && i < 2) memory.status = hk_system_frequency(f.system, &omega);
      if (memory.status == HK_OK) memory.status = hk_system_right(f.system, b);
      if (memory.status == HK_OK && i != 1) memory.status = hk_system_solve(f.system, b);
      hk_matrix_clear(&m);
      destroy(&f);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_and_matrices_agree),
                                     cmocka_unit_test(solutions_agree),
                                     cmocka_unit_test(held_ones_are_those_of_the_case),
                                     cmocka_unit_test(mass_and_frequency),
                                     cmocka_unit_test(loads_go_with_time),
                                     cmocka_unit_test(velocities_are_summed),
                                     cmocka_unit_test(fluids_have_products),
                                     cmocka_unit_test(steps_are_taken_in_turn),
                                     cmocka_unit_test(what_is_not_served_is_told),
                                     cmocka_unit_test(short_memory_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
