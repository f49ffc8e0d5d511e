/* Round numbers along an axis, for pictures and SVG alike. */
#ifndef HK_PICTURE_AXIS_H
#define HK_PICTURE_AXIS_H
#include "base/base.h"

typedef struct hk_axis {
  double low, high;   /* of the axis */
  double first, step; /* ticks at first + i step, i < count, all within [low, high] */
  int count;
  int decimals; /* of a label */
  int power;    /* labels show value / 10^power; 0 or a multiple of 3 */
} hk_axis;

/* About `ticks` ticks (1, 2 or 5 times a power of ten apart) on [low, high]; `round`: the ends are
 * moved out to ticks. An empty or damaged range becomes one around its value. */
hk_axis hk_axis_make(double low, double high, int ticks, bool round);
double hk_axis_tick(const hk_axis *axis, int i);
/* text[32] */
const char *hk_axis_label(const hk_axis *axis, int i, char *text);
/* text[96] = "name (unit)", "name (10^-6 unit)" or "name (10^-6)". */
const char *hk_axis_title(const hk_axis *axis, const char *name, const char *unit, char *text);
#endif
