/* Residuals of every iteration are those of the textbook's algorithm on dense matrices: which preconditioner, which polynomial, which
 * scaling acts is seen here, where solutions alone would not tell. */
#include "sanitized.h"
#include "solver/linear_fixture.h"

enum { LOOKED_AT = 12 };

/* to = A x */
static void multiply(const dense_system *s, const double *x, double *to)
{
  for (hk_index i = 0; i < s->n; i++) to[i] = dot(s->n, s->a + (hk_count)i * s->n, x);
}

/* to = D^-1 x, D: blocks of `block` rows of A, whose nodes are free or held as a whole; by Gauss's elimination of each */
static void divide(const dense_system *s, int block, const double *x, double *to)
{
  for (hk_index i = 0; i < s->n; i += block) {
    double m[3][4];
    for (int r = 0; r < block; r++) {
      for (int c = 0; c < block; c++) m[r][c] = s->a[(hk_count)(i + r) * s->n + i + c];
      m[r][block] = x[i + r];
    }
    for (int k = 0; k < block; k++)
      for (int r = 0; r < block; r++) {
        const double part = m[r][k] / m[k][k];
        for (int c = k; r != k && c <= block; c++) m[r][c] -= part * m[k][c];
      }
    for (int r = 0; r < block; r++) to[i + r] = m[r][block] / m[r][r];
  }
}

/* of D^-1 A, by the power method until it stands */
static double largest_eigenvalue(const dense_system *s, int block)
{
  double *x = vector(s->n), *y = vector(s->n), value = 0, before;
  for (hk_index i = 0; i < s->n; i++) x[i] = sin(1 + 12.9898 * i);
  do {
    before = value;
    for (int k = 0; k < 50; k++) {
      multiply(s, x, y);
      divide(s, block, y, x);
      value = sqrt(dot(s->n, x, x));
      for (hk_index i = 0; i < s->n; i++) x[i] /= value;
    }
  } while (fabs(value - before) > 1e-6 * value);
  hk_free(&x);
  hk_free(&y);
  return value;
}

/* of D^-1 A, D its diagonal, by inverse iteration */
static double smallest_eigenvalue(const dense_system *s)
{
  double *a = vector((hk_count)s->n * s->n), *x = vector(s->n), value = 0;
  memcpy(a, s->a, (size_t)s->n * (size_t)s->n * sizeof *a);
  dense_factor(s->n, a);
  for (hk_index i = 0; i < s->n; i++) x[i] = sin(1 + 12.9898 * i);
  for (int k = 0; k < 60; k++) {
    for (hk_index i = 0; i < s->n; i++) x[i] *= s->a[(hk_count)i * (s->n + 1)];
    dense_substitute(s->n, a, x);
    value = sqrt(dot(s->n, x, x));
    for (hk_index i = 0; i < s->n; i++) x[i] /= value;
  }
  hk_free(&a);
  hk_free(&x);
  return 1 / value;
}

typedef struct way {
  const dense_system *s;
  int block, degree;
  double most, ratio; /* of the interval [most / ratio, most] of Chebyshev's polynomial */
} way;

/* z = p(D^-1 A) D^-1 r, Chebyshev's polynomial of the degree (Saad, Iterative Methods, algorithm 12.1) */
static void precondition(const way *w, const double *r, double *z)
{
  const hk_index n = w->s->n;
  const double least = w->most / w->ratio, theta = (w->most + least) / 2,
               delta = (w->most - least) / 2, sigma = theta / delta;
  double *left = vector(n), *d = vector(n), *q = vector(n), rho = 1 / sigma;
  divide(w->s, w->block, r, z);
  if (w->degree > 1) {
    for (hk_index i = 0; i < n; i++) z[i] /= theta, d[i] = z[i], left[i] = r[i];
    for (int k = 1; k < w->degree; k++) {
      const double next = 1 / (2 * sigma - rho);
      multiply(w->s, d, q);
      for (hk_index i = 0; i < n; i++) left[i] -= q[i];
      divide(w->s, w->block, left, q);
      for (hk_index i = 0; i < n; i++)
        d[i] = next * rho * d[i] + 2 * next / delta * q[i], z[i] += d[i];
      rho = next;
    }
  }
  hk_free(&left);
  hk_free(&d);
  hk_free(&q);
}

/* history[k] = |r_k| / |r_0| of preconditioned conjugate gradients, x_0 = 0 */
static void conjugate_gradients(const way *w, int count, double *history)
{
  const hk_index n = w->s->n;
  double *r = vector(n), *z = vector(n), *p = vector(n), *q = vector(n), rz = 0;
  memcpy(r, w->s->b, (size_t)n * sizeof *r);
  const double first = sqrt(dot(n, r, r));
  for (int k = 0; k < count; k++) {
    history[k] = sqrt(dot(n, r, r)) / first;
    precondition(w, r, z);
    const double now = dot(n, r, z), beta = k ? now / rz : 0;
    for (hk_index i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
    multiply(w->s, p, q);
    const double alpha = now / dot(n, p, q);
    for (hk_index i = 0; i < n; i++) r[i] -= alpha * q[i];
    rz = now;
  }
  hk_free(&r);
  hk_free(&z);
  hk_free(&p);
  hk_free(&q);
}

/* history[k] = |r_k| / |r_0| of d = c1 d + c2 D^-1 r, x += d; ratio 0: c1 = 0, c2 = 1 / most (Jacobi); else Chebyshev's */
static void relaxation(const way *w, int count, double *history)
{
  const hk_index n = w->s->n;
  const double least = w->ratio > 0 ? w->most / w->ratio : w->most, theta = (w->most + least) / 2,
               delta = (w->most - least) / 2, sigma = theta / delta;
  double *r = vector(n), *d = vector(n), *q = vector(n), rho = w->ratio > 0 ? 1 / sigma : 0;
  memcpy(r, w->s->b, (size_t)n * sizeof *r);
  const double first = sqrt(dot(n, r, r));
  for (int k = 0; k < count; k++) {
    const double next = w->ratio > 0 && k ? 1 / (2 * sigma - rho) : rho;
    const double c1 = k ? next * rho : 0, c2 = k && w->ratio > 0 ? 2 * next / delta : 1 / theta;
    history[k] = sqrt(dot(n, r, r)) / first;
    divide(w->s, w->block, r, q);
    for (hk_index i = 0; i < n; i++) d[i] = c1 * d[i] + c2 * q[i];
    multiply(w->s, d, q);
    for (hk_index i = 0; i < n; i++) r[i] -= q[i];
    rho = next;
  }
  hk_free(&r);
  hk_free(&d);
  hk_free(&q);
}

typedef void algorithm(const way *w, int count, double *history);

static double mismatch(algorithm *by, const way *w, const hk_linear_report *report, int count)
{
  double history[LOOKED_AT], worst = 0;
  by(w, count, history);
  for (int k = 0; k < count; k++)
    worst = hk_larger(worst, fabs(report->history[k] - history[k]) / history[k]);
  return worst;
}

/* w->most in [low, high] for which the first residuals match: scanned, then by thirds */
static void fit(algorithm *by, way *w, double low, double high, const hk_linear_report *report)
{
  enum { POINTS = 60 };
  double best = low, least = INFINITY;
  for (int k = 0; k <= POINTS; k++) {
    w->most = low + (high - low) * k / POINTS;
    const double own = mismatch(by, w, report, 3);
    if (own < least) least = own, best = w->most;
  }
  low = best - (high - low) / POINTS, high = best + (best - low);
  while (high - low > 1e-12 * high) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    w->most = a;
    const double left = mismatch(by, w, report, 3);
    w->most = b;
    if (left < mismatch(by, w, report, 3))
      high = b;
    else
      low = a;
  }
  w->most = (low + high) / 2;
}

static void matches(algorithm *by, const way *w, const hk_linear_report *report, int count,
                    double tolerance)
{
  const double worst = mismatch(by, w, report, count);
  if (!(worst <= tolerance))
    fail_msg("%s: residuals differ by %g, tolerance %g", report->method, worst, tolerance);
}

/* the last residual alone is below the 95 % of what is asked for at which iterations end */
static void ends_at_the_tolerance(const hk_linear_report *report, double tolerance)
{
  assert_int_equal(report->history_count, report->iterations + 1);
  for (int k = 0; k < report->history_count; k++)
    assert_true((report->history[k] <= 0.95 * tolerance) == (k == report->history_count - 1));
}

static void plain_create(problem *p, hk_shape shape)
{
  problem_create(p, &(problem_desc){.shape = shape, .cells = {5, 4, 3}, .jitter = 0.3});
}

static const hk_shape shapes[] = {HK_TRI3, HK_HEX8};
static const double asked = 1e-9;

static void cg_with_jacobi(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++)
    for (int blocks = 0; blocks < 2; blocks++) {
      problem p;
      plain_create(&p, shapes[s]);
      dense_system dense = dense_create(&p);
      hk_linear_report report;
      ok(solve(&p, "cg", blocks ? "block-jacobi" : "jacobi", asked, 500, &report));
      const way w = {&dense, blocks ? p.space->components : 1, 1, 1, 2};
      matches(conjugate_gradients, &w, &report, LOOKED_AT, 1e-8);
      ends_at_the_tolerance(&report, asked);
      hk_linear_report_clear(&report);
      dense_clear(&dense);
      problem_destroy(&p);
    }
}

/* of degree 6 on [most / 20, most], most: 15 % beyond a measured eigenvalue that has 15 % added */
static void cg_with_chebyshev(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++) {
    problem p;
    plain_create(&p, shapes[s]);
    dense_system dense = dense_create(&p);
    hk_linear_report report;
    ok(solve(&p, "cg", "chebyshev", asked, 500, &report));
    way w = {&dense, p.space->components, 6, 0, 20};
    const double largest = largest_eigenvalue(&dense, w.block);
    fit(conjugate_gradients, &w, largest, 1.5 * largest, &report);
    matches(conjugate_gradients, &w, &report, report.history_count < 8 ? report.history_count : 8,
            1e-6);
    assert_true(w.most > 1.2 * largest && w.most < 1.15 * 1.15 * largest * (1 + 1e-3));
    ends_at_the_tolerance(&report, asked);
    hk_linear_report_clear(&report);
    dense_clear(&dense);
    problem_destroy(&p);
  }
}

/* A box of heat by elements, its left side held */
static void heat_create(problem *p, hk_shape shape)
{
  const double one = 1, conductivity = 2.5;
  const hk_operator_kind *kind = NULL;
  const bool flat = shape == HK_TRI3 || shape == HK_QUAD4;
  *p = (problem){0};
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = flat ? 2 : 3,
                                         .to = {1, 1.2, 0.9},
                                         .cells = {7, 6, 4},
                                         .shape = shape,
                                         .jitter = 0.3,
                                         .shuffle = 5},
                         &p->mesh));
  ok(hk_material_conduct(1, &conductivity, &p->region.material));
  p->region.thickness = 1;
  ok(hk_get(&p->element_region, p->mesh->element_count));
  ok(hk_device_open("cpu", 0, &p->device));
  ok(hk_operator_choose("elements", p->mesh, p->device, &kind));
  hk_space_desc space = kind->space(p->mesh, p->device, true);
  space.components = 1;
  ok(hk_space_create(p->mesh, &space, &p->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = p->device,
                                            .space = p->space,
                                            .region = &p->region,
                                            .element_region = p->element_region,
                                            .double_precision = true},
                        &p->op));
  p->dofs = p->space->padded;
  ok(hk_get(&p->f, p->dofs));
  ok(hk_get(&p->u, p->dofs));
  for (hk_count n = 0; n < p->mesh->node_count; n++) {
    const double *x = p->mesh->x + n * p->mesh->dim;
    const hk_index i = p->space->node[n];
    p->f[i] = sin(7 * x[0] + 3 * x[1]);
    if (x[0] < 1e-9) ok(hk_constraint_rows_add(&p->rows, 1, &i, &one, 0, NULL, 0));
  }
  ok(hk_constraints_build(&p->rows, p->dofs, 0, NULL, &p->constraints, NULL));
}

static hk_linear_report relaxed(problem *p, const char *name)
{
  hk_linear *linear = NULL;
  hk_linear_report report;
  ok(hk_linear_create(&(hk_linear_desc){.op = p->op,
                                        .constraints = &p->constraints,
                                        .method = "femses",
                                        .relaxation = name,
                                        .tolerance = asked,
                                        .iterations = 5000},
                      &linear));
  ok(hk_linear_solve(linear, p->f, p->u, &report));
  hk_linear_destroy(&linear);
  return report;
}

/* x += omega D^-1 r, omega stable and no less than half of what is */
static void femses_with_jacobi(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++) {
    problem p;
    heat_create(&p, shapes[s]);
    dense_system dense = dense_create(&p);
    hk_linear_report report = relaxed(&p, "jacobi");
    way w = {&dense, 1, 1, 0, 0};
    const double largest = largest_eigenvalue(&dense, 1);
    fit(relaxation, &w, largest / 2, 2 * largest, &report);
    matches(relaxation, &w, &report, LOOKED_AT, 1e-8);
    assert_true(w.most > largest / 2 && w.most <= largest);
    /* a residual is known once its step is made */
    const int last = report.history_count - 2;
    assert_true(report.history[last] <= 0.95 * asked && report.history[last - 1] > 0.95 * asked);
    hk_linear_report_clear(&report);
    dense_clear(&dense);
    problem_destroy(&p);
  }
}

/* on [most / 100, most] to begin with; in all no more than 1.65 times the iterations of the best interval:
 * sqrt(largest / smallest) / 2 ln(2 / tolerance) */
static void femses_with_chebyshev(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++) {
    problem p;
    heat_create(&p, shapes[s]);
    dense_system dense = dense_create(&p);
    hk_linear_report report = relaxed(&p, "chebyshev");
    way w = {&dense, 1, 1, 0, 100};
    const double largest = largest_eigenvalue(&dense, 1);
    fit(relaxation, &w, 0.9 * largest, 2 * largest, &report);
    matches(relaxation, &w, &report, 8, 1e-7);
    assert_true(w.most >= 0.999 * largest && w.most <= 2 * largest);
    const double best = sqrt(w.most / smallest_eigenvalue(&dense)) / 2 * log(2 / asked);

    assert_true(report.iterations <= 1.65 * best);
    hk_linear_report_clear(&report);
    dense_clear(&dense);
    problem_destroy(&p);
  }
}

static void femses_with_conjugate_gradients(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++) {
    problem p;
    heat_create(&p, shapes[s]);
    dense_system dense = dense_create(&p);
    hk_linear_report report = relaxed(&p, "conjugate");
    const way w = {&dense, 1, 1, 1, 2};
    matches(conjugate_gradients, &w, &report, LOOKED_AT, 1e-8);
    ends_at_the_tolerance(&report, asked);
    hk_linear_report_clear(&report);
    dense_clear(&dense);
    problem_destroy(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cg_with_jacobi),
      cmocka_unit_test(cg_with_chebyshev),
      cmocka_unit_test(femses_with_jacobi),
      cmocka_unit_test(femses_with_chebyshev),
      cmocka_unit_test(femses_with_conjugate_gradients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
