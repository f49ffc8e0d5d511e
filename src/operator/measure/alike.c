/* Elements alike. With the Jacobian J = sum_n x_n dN_n^T of a point, coordinates that differ by delta change J by at most
 * delta sum |dN|, and so J^-1, K_e and |J| by a part delta sum |dN| |J^-1| of them, times small numbers. The closeness is a delta that makes this
 * part 1e-9 at every point. Masses of nodes change by a part 1e-6 at most, that of their shares, which are kept in single precision. So the
 * eigenvalues of A = M^-1/2 K M^-1/2 differ by less than HK_ALIKE_MARGIN. */
#include "operator/measure/alike.h"
#include <math.h>

static const double same_share = 1e-6, same_jacobian = 1e-9;

bool hk_alike_pays(const hk_slopes *slopes, const hk_region_law *law)
{
  return slopes->element->order == 1 && !slopes->element->simplex && !law->ring;
}

void hk_alike_keep(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                   const double *share, hk_alike *alike)
{
  const int dim = slopes->element->dim, nodes = slopes->element->nodes;
  alike->law = law, alike->closeness = 0;
  for (int n = 0; n < nodes; n++) {
    alike->share[n] = share[n];
    for (int c = 0; c < dim; c++) alike->x[n * dim + c] = x[n * dim + c] - x[c];
  }
}

bool hk_alike_shares(const hk_alike *alike, const hk_region_law *law, int nodes,
                     const double *share)
{
  if (alike->law != law) return false;
  for (int n = 0; n < nodes; n++)
    if (!(fabs(share[n] - alike->share[n]) <= same_share * alike->share[n])) return false;
  return true;
}

/* |J^-1|, the root of the sum of squares, times sum |dN|, at point q. */
static double steepness(const hk_slopes *slopes, const double *x, int q)
{
  const int dim = slopes->element->dim;
  double j[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, slope = 0, squares = 0;
  for (int n = 0; n < slopes->element->nodes; n++)
    for (int d = 0; d < dim; d++) {
      const double dn = slopes->dn[n * dim + d][q];
      slope += fabs(dn);
      for (int c = 0; c < dim; c++) j[c][d] += x[n * dim + c] * dn;
    }
  double det = 0;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      const double cofactor = j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
      if (r == 0) det += j[0][c] * cofactor;
      if (r < dim && c < dim) squares += cofactor * cofactor;
    }
  return slope * sqrt(squares) / det;
}

bool hk_alike_places(hk_alike *alike, const hk_slopes *slopes, const double *x)
{
  const int dim = slopes->element->dim, nodes = slopes->element->nodes;
  double steepest = 0;
  for (int q = 0; alike->closeness == 0 && q < slopes->rule->points; q++)
    steepest = fmax(steepest, steepness(slopes, alike->x, q));
  if (alike->closeness == 0) alike->closeness = same_jacobian / steepest;
  for (int n = 1; n < nodes; n++)
    for (int c = 0; c < dim; c++)
      if (!(fabs(x[n * dim + c] - x[c] - alike->x[n * dim + c]) <= alike->closeness)) return false;
  return true;
}
