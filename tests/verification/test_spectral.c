/* Spectral elements: Lame's mode, and a standing wave of a fluid, to order p + 1 on curved meshes, energies, precisions, shots, and the step that is stable. */
#include "solver/fixture.h"
#include "run/explicit/problem.h"

static const double PI = 3.14159265358979323846;

/* The unit square or cube, its inside deformed by a smooth map that leaves the boundary in place. */
static void create_medium(fixture *f, const char *device, int dim, int order, hk_count cells,
                          bool real, bool fluid)
{
  const hk_operator_kind *kind;
  double *nodal = NULL, omega;
  uint8_t *part = NULL;
  hk_index none = 0;
  bool converged;
  memset(f, 0, sizeof *f);
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                         .to = {1, 1, 1},
                                         .cells = {cells, cells, cells},
                                         .shape = dim == 2 ? HK_QUAD4 : HK_HEX8},
                         &f->mesh));
  ok(hk_mesh_raise_to(f->mesh, order));
  for (hk_count n = 0; n < f->mesh->node_count; n++) {
    double *x = f->mesh->x + n * dim;
    const double bump = 0.06 * sin(PI * x[0]) * sin(PI * x[1]) * (dim == 3 ? sin(PI * x[2]) : 1);
    for (int c = 0; c < dim; c++) x[c] += bump;
  }
  f->region.material.density = 1, f->region.thickness = 1;
  if (fluid)
    ok(hk_material_fluid(1, &f->region.material));
  else
    ok(hk_material_isotropic(1, 0.3, &f->region.material));
  ok(hk_get(&f->element_region, f->mesh->element_count));
  ok(hk_get(&part, f->mesh->element_count));
  memset(part, fluid, (size_t)f->mesh->element_count);
  ok(hk_device_open(device, 2, &f->device));
  ok(hk_operator_choose("auto", f->mesh, f->device, &kind));
  hk_space_desc numbering = kind->space(f->mesh, f->device, real);
  numbering.components = fluid ? 1 : dim, numbering.element_part = part;
  ok(hk_space_create(f->mesh, &numbering, &f->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = f->device,
                                            .space = f->space,
                                            .region = &f->region,
                                            .element_region = f->element_region,
                                            .double_precision = real},
                        &f->op));
  ok(hk_get(&nodal, f->mesh->node_count));
  ok(hk_get(&f->mass, f->space->padded));
  ok(kind->mass(f->mesh, &f->region, f->element_region, nodal, &none));
  hk_space_to_internal(f->space, 1, nodal, f->mass);
  for (hk_index i = 0; i < f->space->padded; i++)
    if (f->space->mesh_node[i] < 0) f->mass[i] = 1;
  none = 0;
  ok(hk_largest_frequency(f->op, f->mass, &(hk_sparse){.begin = &none}, HK_FREQUENCY_ITERATIONS,
                          HK_FREQUENCY_OF_LIMIT, &omega, &converged));
  assert_true(converged);
  f->limit = 2 / omega;
  hk_free(&nodal);
  hk_free(&part);
}

static void create(fixture *f, const char *device, int dim, int order, hk_count cells, bool real)
{
  create_medium(f, device, dim, order, cells, real, false);
}

/* Potential of a fluid between rigid walls: cos kx cos ky (cos kz), which swings at w = sqrt(dim) k c. */
static double *standing(const fixture *f)
{
  double *q = NULL;
  ok(hk_get(&q, f->space->padded));
  for (hk_index i = 0; i < f->space->padded; i++) {
    if (f->space->mesh_node[i] < 0) continue;
    const double *x = f->mesh->x + (hk_count)f->space->mesh_node[i] * f->space->dim;
    q[i] = cos(PI * x[0]) * cos(PI * x[1]) * (f->space->dim == 3 ? cos(PI * x[2]) : 1);
  }
  return q;
}

/* u = (cos kx sin ky, -sin kx cos ky, 0), k = pi: with it the square and the cube swing freely at w = sqrt(2) k c_s. */
static double *mode(const fixture *f)
{
  double *u = NULL;
  if (f->space->components == 1) return standing(f);
  const int dim = f->space->dim;
  ok(hk_get(&u, (hk_count)f->space->padded * dim));
  for (hk_index i = 0; i < f->space->padded; i++) {
    if (f->space->mesh_node[i] < 0) continue;
    const double *x = f->mesh->x + (hk_count)f->space->mesh_node[i] * dim;
    u[i * dim] = cos(PI * x[0]) * sin(PI * x[1]), u[i * dim + 1] = -sin(PI * x[0]) * cos(PI * x[1]);
  }
  return u;
}

static double *advance(fixture *f, const double *u, double dt, hk_count steps)
{
  double *got = NULL;
  ok(hk_get(&got, (hk_count)f->space->padded * f->space->components));
  fixture_start(f, dt, steps, u, NULL);
  ok(hk_explicit_advance(f->solver, steps));
  ok(hk_explicit_read(f->solver, 0, HK_STATE_DISPLACEMENT, got));
  hk_explicit_destroy(&f->solver);
  return got;
}

/* ||a - s b|| / ||b|| with the mass as weight */
static double distance(const fixture *f, const double *a, const double *b, double s)
{
  double sum = 0, norm = 0;
  const int c = f->space->components;
  for (hk_count i = 0; i < (hk_count)f->space->padded * c; i++) {
    const double d = a[i] - s * b[i], m = f->mass[i / c];
    sum += m * d * d, norm += m * b[i] * b[i];
  }
  return sqrt(sum / norm);
}

/* After most of a period; central differences turn cos wt into cos n q with 2 sin(q / 2) = w dt, so that the error is that of space alone. */
static double mode_error(int dim, int order, hk_count cells, bool fluid)
{
  fixture f;
  create_medium(&f, "cpu", dim, order, cells, true, fluid);
  const double omega = PI * (fluid ? sqrt(dim) : sqrt(2 / 2.6)), dt = 0.5 * f.limit;
  const hk_count steps = (hk_count)ceil(0.8 * 2 * PI / omega / dt);
  double *u = mode(&f), *got = advance(&f, u, dt, steps);
  const double error = distance(&f, got, u, cos((double)steps * 2 * asin(omega * dt / 2)));
  hk_free(&u);
  hk_free(&got);
  fixture_destroy(&f);
  return error;
}

/* W1: || u - exact || = O(h^(p+1)): halving the cells lowers it by 2^(p+1), less a third at most */
static void mode_order(bool fluid)
{
  static const hk_count cells[] = {0, 16, 8, 8, 6, 5, 4, 3, 2}, solid[] = {0, 10, 5, 2, 2};
  for (int p = 1; p <= 8; p++) {
    const double coarse = mode_error(2, p, cells[p], fluid),
                 fine = mode_error(2, p, 2 * cells[p], fluid), order = log2(coarse / fine);
    print_message("2D, order %d: errors %.2e, %.2e: order %.2f\n", p, coarse, fine, order);
    assert_true(order >= p + 0.6);
  }
  for (int p = 1; p <= (fluid ? 3 : 4); p++) {
    const double coarse = mode_error(3, p, solid[p], fluid),
                 fine = mode_error(3, p, 2 * solid[p], fluid), order = log2(coarse / fine);
    print_message("3D, order %d: errors %.2e, %.2e: order %.2f\n", p, coarse, fine, order);
    assert_true(order >= p + 0.6);
  }
}

static void lame_order(void **state)
{
  (void)state;
  mode_order(false);
}

static void standing_wave_order(void **state)
{
  (void)state;
  mode_order(true);
}

/* W12: the discrete energy of a free body stays the same, to 1e-11 over 2000 steps */
static void energy_is_conserved(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const int dim = 2 + k / 2;
    fixture f;
    hk_energy first, last;
    create_medium(&f, "cpu", dim, dim == 2 ? 6 : 3, 3, true, k % 2);
    double *u = mode(&f);
    fixture_start(&f, 0.98 * f.limit, 2002, u, NULL);
    ok(hk_explicit_energy_step(f.solver, &first));
    ok(hk_explicit_advance(f.solver, 2001));
    ok(hk_explicit_energy_step(f.solver, &last));
    const double before = first.kinetic + first.strain, after = last.kinetic + last.strain;
    print_message("%dD: energy %.15g, %.15g\n", dim, before, after);
    assert_true(fabs(after - before) <= 1e-11 * before);
    hk_free(&u);
    fixture_destroy(&f);
  }
}

/* The Courant limit: a step 1 % above 2 / omega grows beyond all bounds, one at the limit does not */
static void limit_is_sharp(void **state)
{
  (void)state;
  for (int above = 0; above < 2; above++) {
    fixture f;
    create(&f, "cpu", 2, 5, 4, true);
    double *u = mode(&f);
    u[0] += 1e-3;
    double *got = advance(&f, u, (above ? 1.01 : 0.995) * f.limit, 3000);
    const double size = distance(&f, got, u, 0);
    assert_true(above ? !(size <= 1e6) : size <= 2);
    hk_free(&u);
    hk_free(&got);
    fixture_destroy(&f);
  }
}

/* Single precision is double precision to 0.01 % after 500 steps (the paper's claim), and compiled kernels are the host's */
static void precisions_and_devices_agree(void **state)
{
  static const struct {
    const char *device;
    bool real;
    double tolerance;
  } cases[] = {{"cpu", false, 1e-4}, {"opencl", true, 1e-12}, {"opencl", false, 1e-4}};
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      fixture a, b;
      hk_device *there = NULL;
      if (hk_device_open(cases[k].device, 1, &there) != HK_OK) continue;
      hk_device_close(&there);
      create(&a, "cpu", dim, 4, dim == 2 ? 5 : 2, true);
      create(&b, cases[k].device, dim, 4, dim == 2 ? 5 : 2, cases[k].real);
      double *u = mode(&a), *v = mode(&b), *one = advance(&a, u, 0.9 * a.limit, 500),
             *two = advance(&b, v, 0.9 * a.limit, 500), *x = NULL, *y = NULL;
      const hk_count dofs = a.mesh->node_count * dim;
      double most = 0, error = 0;
      ok(hk_get(&x, dofs));
      ok(hk_get(&y, dofs));
      hk_space_from_internal(a.space, dim, one, x);
      hk_space_from_internal(b.space, dim, two, y);
      for (hk_count i = 0; i < dofs; i++) {
        most = fmax(most, fabs(x[i]));
        if (!(fabs(x[i] - y[i]) <= error)) error = fabs(x[i] - y[i]);
      }
      print_message("%dD, %s, double %d: off by %.1e\n", dim, cases[k].device, cases[k].real,
                    error / most);
      assert_true(error <= cases[k].tolerance * most);
      double *all[] = {u, v, one, two, x, y};
      for (int m = 0; m < 6; m++) hk_free(&all[m]);
      fixture_destroy(&a);
      fixture_destroy(&b);
    }
}

/* u[node][component] after so many steps */
static double *advance_mesh(fixture *f, double dt, hk_count steps)
{
  double *u = mode(f), *got = advance(f, u, dt, steps), *out = NULL;
  ok(hk_get(&out, f->mesh->node_count * f->space->components));
  hk_space_from_internal(f->space, f->space->components, got, out);
  hk_free(&u);
  hk_free(&got);
  return out;
}

/* Single precision is double precision to 0.1 % of the amplitude, 1, after 5000 steps, at every order (Carrascal-Manzanares et al. 2017, 4.1) */
static void single_stays_close(void **state)
{
  (void)state;
  for (int order = 1; order <= 10; order++)
    for (int fluid = 0; fluid < 2; fluid++) {
      fixture f[2]; /* double, single */
      double *u[2], error = 0;
      for (int k = 0; k < 2; k++) {
        create_medium(&f[k], "cpu", 2, order, 1 + 12 / order, !k, fluid);
        u[k] = advance_mesh(&f[k], 0.9 * f[0].limit, 5000);
      }
      for (hk_count i = 0; i < f->mesh->node_count * f->space->components; i++)
        if (!(fabs(u[1][i] - u[0][i]) <= error)) error = fabs(u[1][i] - u[0][i]);
      print_message("order %d, %s: off by %.1e\n", order, fluid ? "fluid" : "solid", error);
      assert_true(error > 0 && error <= 1e-3);
      for (int k = 0; k < 2; k++) {
        hk_free(&u[k]);
        fixture_destroy(&f[k]);
      }
    }
}

/* Shots stepped together are those stepped alone, bit by bit */
static void shots_are_independent(void **state)
{
  enum { SHOTS = 3 };
  fixture f;
  (void)state;
  create(&f, "cpu", 2, 3, 6, false);
  const hk_count dofs = (hk_count)f.space->padded * 2;
  double *u = mode(&f), *alone = advance(&f, u, 0.9 * f.limit, 50), *got = NULL;
  ok(hk_get(&got, dofs));
  ok(hk_explicit_create(&(hk_explicit_desc){.op = f.op,
                                            .dt = 0.9 * f.limit,
                                            .steps = 50,
                                            .mass = f.mass,
                                            .excitation = &f.excitation,
                                            .shots = SHOTS},
                        &f.solver));
  ok(hk_explicit_start(f.solver, u, NULL));
  ok(hk_explicit_advance(f.solver, 50));
  for (int shot = 0; shot < SHOTS; shot++) {
    ok(hk_explicit_read(f.solver, shot, HK_STATE_DISPLACEMENT, got));
    assert_memory_equal(got, alone, (size_t)dofs * sizeof *got);
  }
  hk_free(&u);
  hk_free(&alone);
  hk_free(&got);
  fixture_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lame_order),
      cmocka_unit_test(standing_wave_order),
      cmocka_unit_test(energy_is_conserved),
      cmocka_unit_test(limit_is_sharp),
      cmocka_unit_test(precisions_and_devices_agree),
      cmocka_unit_test(single_stays_close),
      cmocka_unit_test(shots_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
