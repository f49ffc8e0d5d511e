/* The energies of one shot as its run goes on, and whether they can be those of the model. With E = kinetic + strain, W the work of sources
 * and motions so far and D the losses, E + D - W = E_0 holds to rounding (W.14). Four things are judged at each sample:
 *
 *   off      |E + D - W - E_0| > 5 % of the largest of |E + D| and |W| so far (1 % at the end, but in
 *            materials with attenuation, whose losses are exact to second order in dt): the step, the forces or the rounding are wrong.
 *   excess   E > h (1.1 max(E_0 + W)): the losses are negative. D >= 0 holds for damping and dashpots, hence h = 1. A matched layer
 *            counts the unstretched strain in it as strain, which is more than it took while its loads change slowly: h is above 1 there, and in materials with
 *            attenuation, whose strain is counted by the moduli for a sudden strain.
 *   split    kinetic > 1000 h max(E_0 + W): kinetic and strain grow with opposite signs while their sum stays, beyond the limit of dt.
 *   growth   windows of 64 samples: the largest E of one > 10 (that of a window before + h times the work done since). Without
 *            work E only falls; slow growth is found here long before it passes the work.
 *
 * Kelvin-Voigt solids count strain up to c = 1 + t / dt times, elastic ones beside them once. Excess and growth then take E = kinetic + strain / c, which is
 * never above the energy of the body, and growth c times that of the window before, which is never below it.
 *
 * The balance alone cannot find what grows by a loss that is negative, as that loss closes it. */
#pragma once
#include "solver/explicit/explicit.h"

typedef struct hk_balance_window { /* all are doubles: a checkpoint keeps them */
  double samples, top, gain;       /* of the window that is open: samples, largest E, work done */
  double low, since, low_layer;    /* lowest `top` of a closed window (0: none); work done since it
                                     opened; the layer's loss when it closed */
  double work;                     /* of the last sample */
} hk_balance_window;

typedef struct hk_balance {
  hk_energy energy;                  /* last, with the stages before */
  double baseline, largest, balance; /* balance: of kinetic + strain + damping - work */
  double given;                      /* the most that was ever put in: max of baseline + work */
  double earlier_work, earlier_damping, earlier_layer; /* of the stages before */
  double has_baseline;                                 /* 0: not yet */
  hk_balance_window window;
} hk_balance;

typedef struct hk_balance_bounds {
  double floor;   /* largest below this: rounding of the excitation, not judged */
  double hidden;  /* h; at least 1 */
  double counted; /* strain is counted up to so many times (Kelvin-Voigt: 1 + t / dt); at least 1 */
  double noise;   /* growth below this part of `largest` is rounding */
  bool inexact;   /* losses are exact to second order in dt only */
} hk_balance_bounds;

#define HK_BALANCE_OFF_AT_END 0.01 /* of the largest work */

typedef enum hk_balance_verdict {
  HK_BALANCE_SOUND,
  HK_BALANCE_NAN,
  HK_BALANCE_OFF,
  HK_BALANCE_EXCESS,
  HK_BALANCE_SPLIT,
  HK_BALANCE_GROWTH
} hk_balance_verdict;

/* A stage begins: its first sample is the new E_0. work, damping: of the stage before. */
void hk_balance_continue(hk_balance *balance, double work, double damping);
/* Takes a sample of the stage, and judges. */
hk_balance_verdict hk_balance_add(hk_balance *balance, const hk_energy *of_stage,
                                  const hk_balance_bounds *bounds);
/* At the end: off by more than 1 %, or than 5 % where losses are inexact. */
bool hk_balance_off_at_end(const hk_balance *balance, const hk_balance_bounds *bounds);
/* Whether the energy that is too much came out of the matched layer. */
bool hk_balance_blames_layer(const hk_balance *balance, hk_balance_verdict verdict);
