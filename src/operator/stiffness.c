#include "operator/stiffness.h"

/* g[4][3]: gradients; returns the volume. */
static double tetrahedron(const double *x, double *g)
{
  double e[3][3];
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 3; d++) e[i][d] = x[(i + 1) * 3 + d] - x[d];
  const double det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                     e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
  for (int i = 0; i < 3; i++) {
    const double *a = e[(i + 1) % 3], *b = e[(i + 2) % 3];
    for (int d = 0; d < 3; d++)
      g[(i + 1) * 3 + d] =
          (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]) / det;
  }
  for (int d = 0; d < 3; d++) g[d] = -(g[3 + d] + g[6 + d] + g[9 + d]);
  return det / 6;
}

static double triangle(const double *x, double *g)
{
  const double ax = x[2] - x[0], ay = x[3] - x[1], bx = x[4] - x[0], by = x[5] - x[1];
  const double det = ax * by - ay * bx;
  g[2] = by / det, g[3] = -bx / det;
  g[4] = -ay / det, g[5] = ax / det;
  g[0] = -g[2] - g[4], g[1] = -g[3] - g[5];
  return det / 2;
}

void hk_simplex_stiffness(int dim, const double *x, double lambda, double mu, double *k)
{
  double g[12];
  const double volume = dim == 2 ? triangle(x, g) : tetrahedron(x, g);
  const int nodes = dim + 1, rows = nodes * dim;
  for (int i = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++) {
      double dot = 0;
      for (int d = 0; d < dim; d++) dot += g[i * dim + d] * g[j * dim + d];
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++) {
          const double value =
              volume * (lambda * g[i * dim + c] * g[j * dim + d] +
                        mu * g[i * dim + d] * g[j * dim + c] + (c == d ? mu * dot : 0));
          k[(i * dim + c) * rows + j * dim + d] = value;
          k[(j * dim + d) * rows + i * dim + c] = value;
        }
    }
}
