/* The amplitude spectra of traces: a pulse whose spectrum is known, and traces that have none. */
#include <hooke/result.h>
#include "result/result.h"
#include "result/run_file.h"
#include "result/spectrum.h"
#include "files.h"
#include "support/check.h"
#include <hdf5.h>

/* A run of one receiver at `samples` times of step dt, the last of which is moved by `late`, with the traces x and y. */
static void make_trace(char *folder, hk_count samples, double dt, double late, const double *values)
{
  const int64_t node = 7;
  const double at[2] = {0};
  const hk_trace_layout trace = {.name = "rx",
                                 .receivers = 1,
                                 .node = &node,
                                 .coordinates = at,
                                 .dim = 2,
                                 .samples = samples,
                                 .dt = dt,
                                 .every = 1,
                                 .steps = samples - 1,
                                 .time_unit = "us",
                                 .quantity_count = 1,
                                 .quantity = {{"velocity", "mm/us", "x y", 2}}};
  hk_run_file *file = NULL;
  new_folder(folder);
  ok(hk_run_file_create(in(folder, "run.h5"), &(hk_run_layout){.trace_count = 1, .trace = &trace},
                        &file));
  ok(hk_run_file_write_trace(file, 0, 0, 0, 0, samples, values));
  ok(hk_run_file_close(&file));
  const hid_t h5 = H5Fopen(in(folder, "run.h5"), H5F_ACC_RDWR, H5P_DEFAULT),
              set = H5Dopen2(h5, "/traces/rx/time", H5P_DEFAULT);
  double *time = calloc((size_t)samples, sizeof *time);
  for (hk_count k = 0; k < samples; k++) time[k] = dt * (double)k;
  time[samples - 1] += late;
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) >= 0);
  free(time);
  H5Dclose(set), H5Fclose(h5);
}

/* |X(f)| of a Ricker pulse is 2 / sqrt(pi) f^2 / f0^3 exp(-f^2 / f0^2), and integral of x^2 dt = 2 integral of |X|^2 df; with the last sample off the grid
 * too, which counts for nothing. */
static void spectrum_is_the_closed_one(void **state)
{
  (void)state;
  enum { LENGTH = 101 };
  const double f0 = 2, dt = .02, t0 = 1, a = M_PI * M_PI * f0 * f0;
  double x[2 * LENGTH], amplitude[129];
  for (int k = 0; k < LENGTH; k++) {
    const double q = a * (dt * k - t0) * (dt * k - t0);
    x[k] = 0, x[LENGTH + k] = (1 - 2 * q) * exp(-q);
  }
  for (int late = 0; late < 2; late++) {
    char folder[64];
    hk_result *r = NULL;
    hk_spectrum plan;
    double energy = 0, sum = 0;
    make_trace(folder, LENGTH, dt, late * dt / 3, x);
    ok(hk_result_open(folder, &r));
    ok(hk_spectrum_create(r, 0, INFINITY, &plan));
    assert_int_equal(plan.samples, LENGTH - late);
    assert_int_equal(plan.count, 129);
    near(plan.interval, 1 / (256 * dt), 1e-12);
    hk_spectrum_run(&plan, x + LENGTH, 1, amplitude);
    for (hk_count j = 0; j < plan.count; j++) {
      const double f = plan.interval * (double)j / f0;
      near(amplitude[j], 2 / sqrt(M_PI) * f * f / f0 * exp(-f * f), 1e-13);
      sum += (j == 0 || j == plan.count - 1 ? 1 : 2) * amplitude[j] * amplitude[j] * plan.interval;
    }
    for (int k = 0; k < plan.samples; k++) energy += dt * x[LENGTH + k] * x[LENGTH + k];
    near(sum, energy, 1e-13);
    near(energy, 3 / (4 * sqrt(2 * M_PI) * f0), 1e-13); /* integral of the pulse's square */
    hk_spectrum_clear(&plan);
    hk_result_close(&r);
    remove_folder(folder);
  }
}

/* Two samples at equal intervals there must be, and a table of a stopped run is refused. */
static void no_spectrum_without_samples(void **state)
{
  (void)state;
  const double x[8] = {1, 2, 3, 4, 1, NAN, 3, 4};
  const hk_export_desc spectra = {.spectra = true};
  char folder[64];
  make_trace(folder, 1, 1, 0, x);
  assert_int_equal(hk_export(folder, &spectra), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "two samples at least, at equal intervals"));
  remove_folder(folder);
  make_trace(folder, 4, 1, 0, x);
  assert_int_equal(hk_export(folder, &spectra), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "rx: has no spectrum: some samples are not-a-number"));
  assert_int_not_equal(access(in(folder, "export/rx_spectra.csv"), F_OK), 0);
  remove_folder(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(spectrum_is_the_closed_one),
                                     cmocka_unit_test(no_spectrum_without_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
