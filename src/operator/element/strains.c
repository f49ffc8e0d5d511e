/* Sums w B^T D B over the points of an element, B by the columns that are not 0: at a node of an element of order p those of the nodes on its two lines. Spatial
 * regions have five strains, of three components and two directions (W.30), and no mean gradients or modes. */
#include "operator/element/strains.h"
#include <string.h>

enum { MOST_STRAINS = HK_SPATIAL_STRAINS, MOST = 3 * HK_MOST_NODES };

/* used[]: the columns of b that are not 0, ascending; how many. */
static int find_used(int strains, int size, const double *b, int *used)
{
  int count = 0;
  for (int i = 0; i < size; i++) {
    bool any = false;
    for (int s = 0; s < strains; s++) any = any || b[s * size + i] != 0;
    if (any) used[count++] = i;
  }
  return count;
}

void hk_strains_add(int strains, int size, double w, const double *b, const double *d, double *k)
{
  int used[MOST];
  const int count = find_used(strains, size, b, used);
  for (int m = 0; m < count; m++) {
    double stress[MOST_STRAINS] = {0};
    const int i = used[m];
    for (int s = 0; s < strains; s++)
      for (int t = 0; t < strains; t++) stress[s] += w * d[t * strains + s] * b[t * size + i];
    double *row = k + (size_t)i * (size_t)size;
    for (int n = m; n < count; n++)
      for (int s = 0; s < strains; s++) row[used[n]] += stress[s] * b[s * size + used[n]];
  }
}

void hk_strains_mirror(int size, double *k)
{
  for (int a = 0; a < size; a++)
    for (int c = 0; c < a; c++) k[(size_t)a * (size_t)size + c] = k[(size_t)c * (size_t)size + a];
}

/* d[5][5] at point q of the integrand, times the thickness. */
static void find_law(const hk_integrand *i, int q, double *d)
{
  hk_region there = *i->region;
  double at[3];
  if (i->region->varies) {
    hk_integrand_place(i, q, at);
    hk_region_at(i->region, at, &there);
  }
  hk_region_spatial_stiffness(&there, d);
}

/* b[5][nodes * 3] of the gradients g[nodes][2]. */
static void find_strains(int nodes, const double *g, double *b)
{
  const int size = 3 * nodes;
  memset(b, 0, (size_t)(MOST_STRAINS * size) * sizeof *b);
  for (int n = 0; n < nodes; n++) {
    b[3 * n] = b[4 * size + 3 * n + 1] = b[3 * size + 3 * n + 2] = g[2 * n];
    b[size + 3 * n + 1] = b[4 * size + 3 * n] = b[2 * size + 3 * n + 2] = g[2 * n + 1];
  }
}

double hk_spatial_matrix(const hk_integrand *i, double *k)
{
  enum { PLANE = 3 * 121 }; /* of the largest shape of two dimensions */
  const int nodes = i->element->nodes, size = 3 * nodes;
  double g[PLANE], b[MOST_STRAINS * PLANE], d[MOST_STRAINS * MOST_STRAINS], area = 0;
  memset(k, 0, (size_t)size * (size_t)size * sizeof *k);
  for (int q = 0; q < i->rule->points; q++) {
    const double w = hk_integrand_gradients(i, q, g);
    if (!(w > 0)) return -1;
    area += w;
    if (q == 0 || i->region->varies) find_law(i, q, d);
    find_strains(nodes, g, b);
    hk_strains_add(MOST_STRAINS, size, w, b, d, k);
  }
  hk_strains_mirror(size, k);
  return area;
}
