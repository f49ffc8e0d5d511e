/* Whether a plane model leaves its plane. In plane strain the constants c14, c15, c24, c25, c46 and c56 turn strains in the plane into shear
 * stresses across it, and motion along z would follow; in heat conduction k_xz and k_yz do the same. Each is compared with 1e-6 of the
 * geometric mean of the two terms of the diagonal in its row and column (stress: Cauchy-Schwarz bounds it by that mean). Those that are larger
 * are named with their values. */
#include "physics/material.h"
#include <math.h>
#include <stdio.h>

static const double none = 1e-6; /* of the geometric mean of the diagonal */

typedef struct tie {
  const char *name;
  int row, column;
} tie;

static void append(char *words, const char *name, double value)
{
  size_t used = 0;
  while (words[used]) used++;
  snprintf(words + used, HK_COUPLING_TEXT - used, "%s%s = %.4g", used ? ", " : "", name, value);
}

static bool leaves_elastic(const hk_material *m, char *words)
{
  static const tie ties[] = {{"c14", 0, 3}, {"c15", 0, 4}, {"c24", 1, 3},
                             {"c25", 1, 4}, {"c46", 3, 5}, {"c56", 4, 5}};
  bool any = false;
  for (int i = 0; i < 6; i++) {
    const double c = m->c[ties[i].row][ties[i].column];
    const double mean = sqrt(m->c[ties[i].row][ties[i].row] * m->c[ties[i].column][ties[i].column]);
    if (!(fabs(c) > none * mean)) continue;
    append(words, ties[i].name, c);
    any = true;
  }
  return any;
}

static bool leaves_heat(const hk_material *m, char *words)
{
  static const tie ties[] = {{"k_xz", 0, 2}, {"k_yz", 1, 2}};
  bool any = false;
  for (int i = 0; i < 2; i++) {
    const double k = m->conductivity[ties[i].row][2];
    if (!(fabs(k) > none * sqrt(m->conductivity[ties[i].row][ties[i].row] * m->conductivity[2][2])))
      continue;
    append(words, ties[i].name, k);
    any = true;
  }
  return any;
}

bool hk_region_leaves_plane(const hk_region *region, bool heat, char words[HK_COUPLING_TEXT])
{
  const hk_material *m = &region->material;
  *words = 0;
  if (heat) return m->conducts && leaves_heat(m, words);
  return m->elastic && region->plane == HK_PLANE_STRAIN && leaves_elastic(m, words);
}
