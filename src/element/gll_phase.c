/* How far a line of elements delays a plane wave: the dynamic stiffness S = K - w^2 M of one element of length 1 and speed 1 is condensed to its two ends
 * by elimination of the nodes between them. Bloch's theorem then gives cos(k_h) = -S_00 / S_01 for the wave number k_h of the elements, where w is the exact
 * one (Ainsworth and Wajid 2009). */
#include "element/gll.h"
#include <math.h>

/* S with the two ends first. */
static void fill(const hk_gll *g, double w, double s[HK_LINE_NODES][HK_LINE_NODES])
{
  const int n = g->order + 1;
  int place[HK_LINE_NODES];
  for (int i = 0; i < n; i++) place[i] = i == 0 ? 0 : i == n - 1 ? 1 : i + 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int q = 0; q < n; q++) sum += g->w[q] * g->d[q * n + i] * g->d[q * n + j];
      s[place[i]][place[j]] = 2 * sum - (i == j ? w * w * g->w[i] / 2 : 0);
    }
}

double hk_gll_phase_error(int order, double phase)
{
  const int n = order + 1;
  double s[HK_LINE_NODES][HK_LINE_NODES];
  fill(hk_gll_of(order), phase, s);
  for (int k = n - 1; k > 1; k--)
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) s[i][j] -= s[i][k] * s[k][j] / s[k][k];
  const double cosine = -s[0][0] / s[0][1], half_waves = floor(phase / M_PI);
  if (!(fabs(cosine) <= 1)) return 1;
  const double rest = fmod(half_waves, 2) == 0 ? acos(cosine) : M_PI - acos(cosine);
  return fmin(1, fabs(half_waves * M_PI + rest - phase) / phase);
}
