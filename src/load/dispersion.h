/* The time-dispersion transforms: what central differences do to frequencies is taken out of signals and traces, exactly.
 *
 * Central differences turn M u'' + K u = f into K u = W(w)^2 M u + f, W(w) = 2 / dt sin(w dt / 2) (D.1): the response computed at the
 * frequency w is the exact one at W(w). So the solver is given f_num(w) = f(W(w)) (D.3), and u(W) = u_num(w(W)) (D.4) is what it has
 * found (Wang and Xu 2015; Koene et al. 2018). Traces begin at t = 0: they are taken as odd there, or even where they begin with a jump (D.5). docs/theory/dispersion.md.
 *
 *   HK_TRY(hk_excitation_filter(&excitation, dt));                   before the first step
 *   ...
 *   HK_TRY(hk_restore_create(steps, &restore));                  after step number steps + hk_restore_beyond(steps)
 *   HK_TRY(hk_restore_room_create(&restore, &room));
 *   hk_restore_run(&restore, &room, trace, false); */
#pragma once
#include "base/fft.h"
#include "load/excitation.h"

/* Most steps over which a signal changes: memory for more is not taken. */
enum { HK_LONGEST_FILTER = 1 << 21 };
/* Whether the signal is filtered for a run of `steps`: it has ceased to change after HK_LONGEST_FILTER steps, or the run has ended long before. */
bool hk_signal_filterable(const hk_source_signal *signal, double dt, hk_count steps);
/* The part of its own time in which the signal changes, [*from, *to]; equal for a step. */
void hk_signal_support(const hk_signal *signal, double *from, double *to);

/* `filtered` of all signals of the excitation: functions of the signal, its start and dt alone. What is constant from t = 0 on stays as it is.
 * Cost: a transform of twice the steps until a signal ends, for each. HK_NO_RESOURCES. */
hk_status hk_excitation_filter(hk_excitation *excitation, double dt);

/* for traces of steps + 1 samples, of every step, computed for some more */
typedef struct hk_restore {
  hk_count steps, length; /* length: samples with those beyond the end */
  hk_count period;        /* of the transform that leads back to time */
  hk_count points;        /* frequencies W_j dt = 2 pi j / period */
  double *theta,
      *keep;    /* theta[points]: w(W_j) dt; keep[points]: 1, falling to 0 at the stability limit */
  double *lift; /* lift[points]: keep / cos(w dt / 2) */
  hk_pool pool;
  hk_fourier fourier;
  hk_fft fft;
} hk_restore;
typedef struct hk_restore_room { /* of one thread */
  hk_complex *x, *spread, *spectrum, *back;
  hk_pool pool;
} hk_restore_room;
/* Steps beyond the end of a record of so many that are computed for it: 3.5 cbrt(steps) + 12 (D.9). */
hk_count hk_restore_beyond(hk_count steps);
hk_status hk_restore_create(hk_count steps, hk_restore *out);
void hk_restore_clear(hk_restore *restore);
hk_status hk_restore_room_create(const hk_restore *restore, hk_restore_room *out);
void hk_restore_room_clear(hk_restore_room *room);
/* sample[length] as computed; its first steps + 1 numbers are replaced. rate: it is a first difference over two steps, or a sum by the trapezoid rule, and is divided by
 * cos(w dt / 2), (D.8). */
void hk_restore_run(const hk_restore *restore, hk_restore_room *room, double *sample, bool rate);
/* Bytes of a plan, and of the room and two rows of so many threads. */
hk_count hk_restore_plan(hk_count steps, int threads);
