/* Coefficients of coupled equations at a place (A.40), and what they say of the matrix: symmetric and positive semidefinite coefficients, seen as a
 * matrix of rows (a, i) and columns (b, j), give a K that is so too. That is decided by Cholesky's factors with the largest pivot first. */
#include "physics/coupled.h"
#include <math.h>
#include <string.h>

enum { MOST_ROWS = HK_MOST_EQUATIONS * 4 };

void hk_coupled_at(const hk_coupled *k, double storage, const double x[3], double *c)
{
  const int count = storage > 0 ? k->count : k->steady;
  memset(c, 0, (size_t)(k->equations * k->equations * 16) * sizeof *c);
  for (int t = 0; t < count; t++) {
    const hk_coupled_term *term = &k->term[t];
    double value = t < k->steady ? term->value : term->value * storage;
    if (term->by) value *= hk_formula_value(term->by, x);
    c[(term->equation * k->equations + term->unknown) * 16 + term->i * 4 + term->j] += value;
  }
}

bool hk_coupled_varies(const hk_coupled *k)
{
  bool varies = false;
  for (int t = 0; t < k->count; t++) varies = varies || k->term[t].by;
  return varies;
}

bool hk_coupled_diffuses(const hk_coupled *k)
{
  bool diffuses = k->count == k->steady;
  for (int t = 0; t < k->steady; t++) diffuses = diffuses && k->term[t].i > 0 && k->term[t].j > 0;
  return diffuses;
}

hk_coupled hk_coupled_capacity(const hk_coupled *k)
{
  return (hk_coupled){.equations = k->equations,
                      .count = k->count - k->steady,
                      .term = k->term ? k->term + k->steady : NULL};
}

/* a[rows][rows] := what is left of it without row and column p, which are eliminated by the pivot a[p][p]. */
static void eliminate(int rows, int p, double a[MOST_ROWS][MOST_ROWS])
{
  const double pivot = a[p][p];
  double line[MOST_ROWS];
  memcpy(line, a[p], sizeof line);
  for (int r = 0; r < rows; r++)
    for (int s = 0; s < rows; s++) a[r][s] -= line[r] * line[s] / pivot;
  for (int r = 0; r < rows; r++) a[p][r] = a[r][p] = 0;
}

/* a[rows][rows] of c, each row and column over the root of its diagonal entry; false where it is not symmetric, or has a negative diagonal entry or
 * one of 0 in a row that is not. */
static bool scale(int equations, const double *c, double a[MOST_ROWS][MOST_ROWS])
{
  const int rows = 4 * equations;
  bool good = true;
  for (int r = 0; r < rows; r++)
    for (int s = 0; s < rows; s++) {
      const double one = c[(r / 4 * equations + s / 4) * 16 + r % 4 * 4 + s % 4],
                   other = c[(s / 4 * equations + r / 4) * 16 + s % 4 * 4 + r % 4],
                   own = c[(r / 4 * equations + r / 4) * 16 + r % 4 * 5],
                   across = c[(s / 4 * equations + s / 4) * 16 + s % 4 * 5];
      good = good && fabs(one - other) <= 1e-12 * fmax(fabs(one), fabs(other)) && own >= 0;
      good = good && (one == 0 || (own > 0 && across > 0));
      a[r][s] = one == 0 || !good ? 0 : one / sqrt(own) / sqrt(across);
    }
  return good;
}

bool hk_coupled_definite(int equations, const double *c)
{
  const int rows = 4 * equations;
  double a[MOST_ROWS][MOST_ROWS];
  if (!scale(equations, c, a)) return false;
  for (int step = 0; step < rows; step++) {
    int p = 0;
    for (int r = 1; r < rows; r++)
      if (a[r][r] > a[p][p]) p = r;
    if (!(a[p][p] > 1e-12)) break;
    eliminate(rows, p, a);
  }
  bool good = true;
  for (int r = 0; r < rows; r++)
    for (int s = 0; s < rows; s++) good = good && fabs(a[r][s]) <= 1e-11;
  return good;
}
