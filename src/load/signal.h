/* Signals: amplitude against time, s(t), dimensionless. s(t) = 0 for t < 0 unless stated.
 *   toneburst  s = w(t) sin(2 pi f t), 0 <= t <= cycles / f;  w = Hann (1 - cos(2 pi f t / cycles))
 * / 2, or 1 gaussian   s = exp(-a (t - t0)^2)            (all t) ricker     s = (1 - 2 A (t -
 * t0)^2) exp(-A (t - t0)^2), A = (pi f)^2     (all t; t0 = 1.2 / f unless given) step       s = 1,
 * t >= 0 table      linear between the given points, the first (last) value before (after) them;
 * smooth: Abaqus's SMOOTH STEP, s = a + (b - a) x^3 (10 - 15 x + 6 x^2) */
#ifndef HK_LOAD_SIGNAL_H
#define HK_LOAD_SIGNAL_H
#include "base/base.h"

typedef enum hk_signal_kind {
  HK_SIGNAL_STEP,
  HK_SIGNAL_TONEBURST,
  HK_SIGNAL_GAUSSIAN,
  HK_SIGNAL_RICKER,
  HK_SIGNAL_TABLE,
  HK_SIGNAL_RAMP /* t / period from 0 to 1: a step's default amplitude; stays at 1 */
} hk_signal_kind;

typedef struct hk_signal {
  char *name; /* of the amplitude; may be NULL */
  hk_signal_kind kind;
  double frequency, cycles, t0, a, period;
  bool hann;   /* toneburst's window */
  bool smooth; /* table */
  hk_count count;
  double *time, *value; /* table: time[count] ascending, value[count] */
  double scale;         /* s is multiplied by it; 1 */
} hk_signal;

double hk_signal_value(const hk_signal *signal, double t);
/* First and second integral and derivative are not needed: motions are integrated by the time
 * scheme itself. */

/* Highest frequency above -40 dB of the peak of the amplitude spectrum over [0, end]; 0 for a step
 * (no limit known). */
hk_status hk_signal_highest_frequency(const hk_signal *signal, double end, double *frequency);
/* Table from a CSV file of two columns: time, value (a header line is allowed). */
hk_status hk_signal_read_csv(const char *path, double time_unit, hk_signal *out);
void hk_signal_clear(hk_signal *signal);
#endif
