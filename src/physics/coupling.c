/* Whether a plane model leaves its plane. In plane strain the constants c14, c15, c24, c25, c46 and c56 turn strains in the plane into shear
 * stresses across it, and motion along z would follow, in axisymmetry c34 and c35 do too; in heat conduction k_xz and k_yz do the same. Each is compared with 1e-6 of the
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

/* Whether one of the ties of c[size][size] is too large; those that are stand in `words`. */
static bool leaves(int count, const tie *ties, int size, const double *c, char *words)
{
  bool any = false;
  for (const tie *t = ties; t < ties + count; t++) {
    const double value = c[t->row * size + t->column];
    const double mean = sqrt(c[t->row * size + t->row] * c[t->column * size + t->column]);
    if (!(fabs(value) > none * mean)) continue;
    append(words, t->name, value);
    any = true;
  }
  return any;
}

bool hk_region_leaves_plane(const hk_region *region, bool heat, char words[HK_COUPLING_TEXT])
{
  static const tie elastic[] = {{"c14", 0, 3}, {"c15", 0, 4}, {"c24", 1, 3},
                                {"c25", 1, 4}, {"c46", 3, 5}, {"c56", 4, 5}};
  static const tie around[] = {{"c34", 2, 3}, {"c35", 2, 4}};
  static const tie conducting[] = {{"k_xz", 0, 2}, {"k_yz", 1, 2}};
  const hk_material *m = &region->material;
  *words = 0;
  if (heat) return m->conducts && leaves(2, conducting, 3, &m->conductivity[0][0], words);
  if (!m->elastic || region->plane == HK_PLANE_STRESS || region->plane == HK_SPATIAL) return false;
  const bool left = leaves(6, elastic, 6, &m->c[0][0], words);
  return (region->plane == HK_AXISYMMETRIC && leaves(2, around, 6, &m->c[0][0], words)) || left;
}
