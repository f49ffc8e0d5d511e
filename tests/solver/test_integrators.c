/* Steps of free bodies, without forces: errors of Lame's modes as published and of second order, constant energy, and each time integrator of
 * the list at its limit. */
#include "fixture.h"
#include "solver/explicit/integrator.h"
#include <stdio.h>

static const double PI = 3.14159265358979323846;

/* Lame's mode of a free square or cube: u = (cos kx sin ky, -sin kx cos ky) cos wt, k = pi / L, w =
 * sqrt(2) k c_s */
static void lame_mode(const fixture *f, double *u)
{
  for (hk_index i = 0; i < f->space->nodes; i++) {
    const double *x = f->mesh->x + (hk_count)f->space->mesh_node[i] * f->space->dim;
    double *v = u + (hk_count)i * f->space->components;
    v[0] = cos(PI * x[0]) * sin(PI * x[1]), v[1] = -sin(PI * x[0]) * cos(PI * x[1]);
    if (f->space->dim == 3) v[2] = 0;
  }
}

/* mass-weighted L2 error of one period */
static double lame_error(const char *method, hk_shape shape, hk_count cells, double jitter,
                         bool double_precision)
{
  fixture f;
  double *u = NULL, *got = NULL, error = 0, norm = 0;
  fixture_create(&f, method, shape, cells, jitter, 1, 0.3, 1, double_precision, 2);
  const hk_count dofs = (hk_count)f.space->padded * f.space->components;
  const double c_s = sqrt(1 / 2.6), period = 2 * PI / (sqrt(2) * PI * c_s),
               c_p = sqrt(0.7 / (1.3 * 0.4));
  double dt = 0.3 / (double)cells / c_p;
  if (jitter > 0) dt = 0.9 * f.limit;
  const hk_count steps = (hk_count)ceil(period / dt);
  ok(hk_get(&u, dofs));
  ok(hk_get(&got, dofs));
  lame_mode(&f, u);
  fixture_start(&f, period / (double)steps, steps, u, NULL);
  ok(hk_explicit_advance(f.solver, steps));
  ok(hk_explicit_read(f.solver, 0, HK_STATE_DISPLACEMENT, got));
  for (hk_count i = 0; i < f.space->nodes * f.space->components; i++) {
    const double m = f.mass[i / f.space->components];
    error += m * (got[i] - u[i]) * (got[i] - u[i]), norm += m * u[i] * u[i];
  }
  hk_free(&u);
  hk_free(&got);
  fixture_destroy(&f);
  return sqrt(error / norm);
}

/* W1: the errors of Lame's mode after one period are those published for quad4 and hex8
 * (VERIFICATION 2), to 1 % */
static void lame_published(void **state)
{
  (void)state;
  static const struct {
    hk_shape shape;
    hk_count cells;
    double error;
  } row[] = {{HK_QUAD4, 8, 2.04e-2},  {HK_QUAD4, 16, 6.77e-3}, {HK_QUAD4, 32, 1.80e-3},
             {HK_QUAD4, 64, 4.56e-4}, {HK_HEX8, 4, 1.45e-1},   {HK_HEX8, 8, 2.04e-2},
             {HK_HEX8, 16, 5.17e-3}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const double got = lame_error("stored", row[i].shape, row[i].cells, 0, true);
    print_message("%s %d: %.3e (published %.3e)\n", hk_shape_name(row[i].shape), (int)row[i].cells,
                  got, row[i].error);
    assert_true(fabs(got - row[i].error) <= 0.01 * row[i].error);
  }
}

/* W1: order 2 on triangles and tetrahedra: the error falls fourfold when the mesh is halved */
static void lame_order(void **state)
{
  (void)state;
  const hk_shape shape[] = {HK_TRI3, HK_TET4};
  const hk_count cells[] = {32, 12};
  for (int i = 0; i < 2; i++) {
    const double coarse = lame_error("stored", shape[i], cells[i], 0, true);
    const double fine = lame_error("stored", shape[i], 2 * cells[i], 0, true);
    print_message("%s: %.3e %.3e order %.2f\n", hk_shape_name(shape[i]), coarse, fine,
                  log2(coarse / fine));
    assert_true(fabs(log2(coarse / fine) - 2) <= 0.15);
  }
}

static void single_precision(void **state)
{
  (void)state;
  const double d = lame_error("stored", HK_QUAD4, 32, 0, true),
               s = lame_error("stored", HK_QUAD4, 32, 0, false);
  assert_true(fabs(d - s) <= 1e-5);
}

/* Takes the rigid translations and the rotation out of a plane velocity field, in the mass's inner
 * product. */
static void remove_rigid_motion(const fixture *f, double *v)
{
  double centre[2] = {0}, mass = 0;
  for (int pass = 0; pass < 4; pass++) { /* x, y, then the rotation, then once more */
    double top = 0, bottom = 0;
    for (hk_index i = 0; i < f->space->nodes && pass == 0; i++) {
      const double *x = f->mesh->x + (hk_count)f->space->mesh_node[i] * 2;
      mass += f->mass[i], centre[0] += f->mass[i] * x[0], centre[1] += f->mass[i] * x[1];
    }
    for (int apply = 0; apply < 2; apply++)
      for (hk_index i = 0; i < f->space->nodes; i++) {
        const double *x = f->mesh->x + (hk_count)f->space->mesh_node[i] * 2;
        const double turn[2] = {-(x[1] - centre[1] / mass), x[0] - centre[0] / mass};
        const double mode[2] = {pass < 2 ? pass == 0 : turn[0], pass < 2 ? pass == 1 : turn[1]};
        for (int c = 0; c < 2; c++) {
          if (apply)
            v[2 * i + c] -= top / bottom * mode[c];
          else
            top += f->mass[i] * v[2 * i + c] * mode[c], bottom += f->mass[i] * mode[c] * mode[c];
        }
      }
  }
}

/* W12: kinetic + strain of a free body is constant: drift at most 1e-12 in 1e5 steps (a vibrating
 * body; a drifting one loses digits to its growing displacement). From u = 0 it is v.M v / 2, and there is neither work nor loss. */
static void energy_constant(void **state)
{
  (void)state;
  fixture f;
  double *v = NULL;
  hk_energy first, last;
  double expected = 0;
  fixture_create(&f, "stored", HK_TRI3, 8, 0.2, 1, 0.3, 1, true, 1);
  const hk_count dofs = (hk_count)f.space->padded * 2, steps = 100000;
  ok(hk_get(&v, dofs));
  srand(3);
  for (hk_count i = 0; i < f.space->nodes * 2; i++) v[i] = (double)rand() / RAND_MAX - 0.5;
  remove_rigid_motion(&f, v);
  fixture_start(&f, 0.9 * f.limit, steps, NULL, v);
  ok(hk_explicit_energy_step(f.solver, &first));
  ok(hk_explicit_advance(f.solver, steps - 1));
  ok(hk_explicit_energy_step(f.solver, &last));
  const double drift = (last.kinetic + last.strain) / (first.kinetic + first.strain) - 1;
  print_message("drift %.2e\n", drift);
  assert_true(fabs(drift) <= 1e-12);
  for (hk_index i = 0; i < f.space->nodes * 2; i++) expected += f.mass[i / 2] * v[i] * v[i] / 2;
  assert_true(fabs(first.kinetic + first.strain - expected) <= 1e-12 * expected);
  assert_true(last.work == 0 && last.damping == 0);
  hk_free(&v);
  fixture_destroy(&f);
}

/* w of the mode u of K v = w^2 M v, by Rayleigh's quotient */
static double mode_frequency(const fixture *f, const double *u)
{
  const hk_count dofs = (hk_count)f->space->padded * f->space->components;
  const bool precise = f->op->desc.double_precision;
  hk_buffer *in = NULL, *out = NULL;
  double *ku = NULL, strain = 0, kinetic = 0;
  ok(hk_get(&ku, dofs));
  ok(hk_buffer_create(f->device, dofs * (precise ? 8 : 4), &in));
  ok(hk_buffer_create(f->device, dofs * (precise ? 8 : 4), &out));
  ok(hk_buffer_write_reals(in, precise, 0, dofs, u));
  ok(hk_operator_apply(f->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = in, .out = out}));
  ok(hk_device_finish(f->device));
  ok(hk_buffer_read_reals(out, precise, 0, dofs, ku));
  for (hk_count i = 0; i < dofs; i++)
    strain += u[i] * ku[i], kinetic += f->mass[i / f->space->components] * u[i] * u[i];
  hk_buffer_destroy(&in);
  hk_buffer_destroy(&out);
  hk_free(&ku);
  return sqrt(strain / kinetic);
}

static void check_integrator(const hk_integrator *integrator, bool double_precision)
{
  enum { STEPS = 60 };
  fixture f;
  hk_energy first, last;
  double *u = NULL, *got = NULL, uu = 0, gu = 0;
  fixture_create(&f, "stored", HK_QUAD4, 1, 0, 1, 0.3, 1, double_precision, 1);
  const hk_count dofs = (hk_count)f.space->padded * f.space->components;
  const double dt = 0.98 * integrator->limit * f.limit / 2;
  ok(hk_get(&u, dofs));
  ok(hk_get(&got, dofs));
  for (hk_index i = 0; i < f.space->nodes; i++)
    for (int c = 0; c < 2; c++)
      u[2 * i + c] = f.mesh->x[2 * (hk_count)f.space->mesh_node[i] + c] - 0.5;
  fixture_start_by(&f, integrator, dt, STEPS, u, NULL);
  const double w = mode_frequency(&f, u), computed = w * integrator->frequency(w * dt);
  ok(hk_explicit_energy_step(f.solver, &first));
  ok(hk_explicit_advance(f.solver, STEPS - 1));
  ok(hk_explicit_energy_step(f.solver, &last));
  ok(hk_explicit_read(f.solver, 0, HK_STATE_DISPLACEMENT, got));
  for (hk_count i = 0; i < dofs; i++) uu += u[i] * u[i], gu += got[i] * u[i];
  print_message("%s: w dt %.3f, computed over w %.6f\n", integrator->name, w * dt, computed / w);
  near(gu / uu, cos(STEPS * computed * dt), double_precision ? 1e-10 : 1e-3);
  near_relative(last.kinetic + last.strain, first.kinetic + first.strain,
                double_precision ? 1e-12 : 1e-5);
  hk_free(&u);
  hk_free(&got);
  fixture_destroy(&f);
}

/* Each integrator of the list, at 0.98 of its limit, moves a square of one element by its mode u = x - centre of K v = w^2 M v as
 * u_n = cos(n w~ dt) u, with the frequency w~ that it names, and keeps its energy: both to rounding. */
static void every_integrator(void **state)
{
  (void)state;
  const hk_integrator *const all[] = {HK_INTEGRATOR_LIST};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int precise = 0; precise < 2; precise++) check_integrator(all[i], precise);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lame_published), cmocka_unit_test(lame_order),
                                     cmocka_unit_test(single_precision),
                                     cmocka_unit_test(energy_constant),
                                     cmocka_unit_test(every_integrator)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
