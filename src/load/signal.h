/* Signals: amplitude against time, s(t), dimensionless (W.9). s(t) = 0 for t < 0 unless stated.
 *   step       s = 1, t >= 0
 *   toneburst  s = w(t) sin(2 pi f t), 0 <= t <= cycles / f, with Hann's window
 *              w = (1 - cos(2 pi f t / cycles)) / 2, or w = 1
 *   gaussian   s = exp(-a (t - t0)^2)                                 for all t
 *   ricker     s = (1 - 2 A (t - t0)^2) exp(-A (t - t0)^2), A = (pi f)^2, for all t
 *   table      linear between the given points, the first (last) value before (after) them; smooth:
 *              Abaqus's SMOOTH STEP, s = a + (b - a) x^3 (10 - 15 x + 6 x^2), x from 0 to 1
 *   ramp       s = t / period up to 1, then 1
 *   spline     cubic between samples at t0, t0 + period, ... (load/wave/recorded.h); 0 before them, the last one after them */
#pragma once
#include "base/base.h"

typedef enum hk_signal_kind {
  HK_SIGNAL_STEP,
  HK_SIGNAL_TONEBURST,
  HK_SIGNAL_GAUSSIAN,
  HK_SIGNAL_RICKER,
  HK_SIGNAL_TABLE,
  HK_SIGNAL_RAMP, /* a step's default amplitude in decks */
  HK_SIGNAL_SPLINE
} hk_signal_kind;

typedef struct hk_signal {
  const char *name; /* of the amplitude, borrowed; may be NULL */
  hk_signal_kind kind;
  double frequency, cycles, t0, a, period;
  bool hann;   /* toneburst's window */
  bool smooth; /* table */
  hk_count count;
  /* table: time[count] ascending (equal times: a jump), value[count]; spline: value[count] are the coefficients of count - 2 samples */
  double *time, *value;
  double scale; /* s is multiplied by it; 1 */
} hk_signal;

double hk_signal_value(const hk_signal *signal, double t);
/* Whether it acts at t: its value is above 1e-12 of its scale, below which lie the tails of pulses alone; of a table, not 0. */
bool hk_signal_acts(const hk_signal *signal, double t);
/* Whether two signals, or constants (NULL), have the same kind, numbers and tables: their names do not matter. */
bool hk_signals_are_alike(const hk_signal *a, const hk_signal *b);

/* Upper end of the band of the amplitude spectrum |S(f)|, in the unit 1 / time:
 *   the band ends where |S| falls below -40 dB of its peak; lobes above it that stay below -25 dB
 *   are side lobes and do not count.
 *   gaussian   |S| ~ exp(-w^2 / (4 a)):  f = sqrt(a ln 100) / pi
 *   ricker     |S| ~ x^2 exp(-x^2), x = f / f0:  x^2 exp(1 - x^2) = 0.01, x = 2.764
 *   toneburst  the null after the last lobe that counts: f (1 + 2 / cycles) for Hann's (side lobes
 *              from -31 dB), f (1 + 6 / cycles) without a window (|S| = sinc: -13, -18, ... dB)
 *   ramp       that of its derivative: 6 / period
 *   table      sampled over the part of [0, end] in which it changes, by a Fourier transform; a
 *              table that does not come back to its first value is judged by its derivative
 *   spline     likewise of all samples, the last quarter tapered
 * 0, no limit known: step, and a table that is constant. HK_NO_RESOURCES. */
hk_status hk_signal_highest_frequency(const hk_signal *signal, double end, double *frequency);

/* Table from a text file of two columns, time (times time_unit) and value, separated by comma,
 * semicolon or blanks; times ascend. One header line, empty lines and lines with # are allowed.
 * HK_BAD_INPUT with file:line. *out is then as before. */
hk_status hk_signal_read_csv(const char *path, double time_unit, hk_signal *out);

/* Frees the table of a signal of hk_signal_read_csv; *signal is then zero. Tables of a model's signals
 * lie in its pool and are not freed so. */
void hk_signal_clear(hk_signal *signal);
