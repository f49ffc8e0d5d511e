/* Smoothed aggregation (solver/linear/sparse/aggregate.h) after Vanek, Mandel and Brezina (1996): strongly coupled nodes (A.10) are joined to
 * aggregates, and P0, the near-null space B restricted to each aggregate and orthonormalised, is smoothed to P (A.11). The matrix A has blocks
 * [HEIGHT][HEIGHT] (solver/linear/sparse/sparse.k.h), and B has MODES columns. A group has CHUNK rows or aggregates, one per thread. */

DEVICE double aggregate_near(GLOBAL const double *RESTRICT x, const int i, const int j,
                             const int dim)
{
  double square = 0;
  for (int d = 0; d < dim; d++) {
    const double by = x[(long)i * dim + d] - x[(long)j * dim + d];
    square += by * by;
  }
  return square > 0 ? 1 / square : 1e300;
}

/* w_ij = 1 / |x_i - x_j|^2. Nodes at one place, the sides of a crack, are joined by springs alone, whose stiffness may be anything: softer
 * ones than half of the elements' leave the sides bodies of their own, w_ij = 0. Below 1e-6 of it they do not: what moves a body that so
 * little holds has too small a part in the coarsest matrix, whose inverse may be in single precision. */
DEVICE double aggregate_link(GLOBAL const double *RESTRICT x, const int i, const int j,
                             const int dim, GLOBAL const double *RESTRICT a,
                             GLOBAL const double *RESTRICT diagonal)
{
  const double w = aggregate_near(x, i, j, dim);
  double link = 0, one = 0, other = 0;
  if (w < 1e300) return w;
  for (int q = 0; q < HEIGHT; q++) {
    const int at = q * (HEIGHT + 1);
    link -= a[at];
    one += diagonal[(long)i * HEIGHT * HEIGHT + at];
    other += diagonal[(long)j * HEIGHT * HEIGHT + at];
  }
  const double share = link * link;
  return 4 * share > one * other || share < 1e-12 * one * other ? w : 0;
}

/* nearest[i] = w_ii, the largest w_ij: a measure that does not depend on how many neighbours there are. */
KERNEL aggregate_nearest(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                         GLOBAL const int *RESTRICT column, GLOBAL const double *RESTRICT x,
                         GLOBAL const double *RESTRICT a, GLOBAL const double *RESTRICT diagonal,
                         GLOBAL double *RESTRICT nearest, const int rows, const int dim)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      double own = 0;
      for (long e = begin[i]; e < begin[i + 1]; e++) {
        const double w = column[e] == i ? 0
                                        : aggregate_link(x, i, column[e], dim,
                                                         a + e * HEIGHT * HEIGHT, diagonal);
        own = w > own ? w : own;
      }
      nearest[i] = own;
    }
  }
}

/* weight[e] = w_ij^2 / (w_ii w_jj) of strongly coupled nodes, above `least`, at most 1; of weak ones 0; of the diagonal 2. */
KERNEL aggregate_weigh(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                       GLOBAL const int *RESTRICT column, GLOBAL const double *RESTRICT x,
                       GLOBAL const double *RESTRICT a, GLOBAL const double *RESTRICT diagonal,
                       GLOBAL const double *RESTRICT nearest, GLOBAL float *RESTRICT weight,
                       const double least, const int rows, const int dim)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows)
      for (long e = begin[i]; e < begin[i + 1]; e++) {
        const int j = column[e];
        if (i == j) {
          weight[e] = 2;
          continue;
        }
        const double w = aggregate_link(x, i, j, dim, a + e * HEIGHT * HEIGHT, diagonal);
        const double value =
            w / (i < j ? nearest[i] : nearest[j]) * (w / (i < j ? nearest[j] : nearest[i]));
        weight[e] = value > least ? (float)(value < 1 ? value : 1) : 0;
      }
  }
}

/* A maximal set of roots no two of which are within two strong links (Bell, Dalton, Olson, SIAM J. Sci. Comput. 34, 2012): key of a node that
 * is no root, 0; of one that may be, 2^32 + a number of its own; of a root, 2^33 + it; of one without an unknown, -1. */
#define FREE_KEY 4294967296L
#define ROOT_KEY 8589934592L
KERNEL aggregate_begin(GROUP_PARAM GLOBAL const double *RESTRICT diagonal,
                       GLOBAL long *RESTRICT key, const int rows, const int size)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      unsigned mixed = (unsigned)i;
      int unknown = 0;
      for (int q = 0; q < size; q++) unknown |= diagonal[(long)i * size + q] != 0;
      mixed = (mixed ^ mixed >> 16) * 0x7feb352du;
      mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
      key[i] = unknown ? FREE_KEY + (long)(mixed ^ mixed >> 16) : -1;
    }
  }
}

/* to[i] = the largest key among i and its strong neighbours; -1 stays. */
KERNEL aggregate_reach(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                       GLOBAL const int *RESTRICT column, GLOBAL const float *RESTRICT weight,
                       GLOBAL const long *RESTRICT key, GLOBAL long *RESTRICT to, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      long most = key[i];
      for (long e = begin[i]; most >= 0 && e < begin[i + 1]; e++)
        if (weight[e] > 0 && key[column[e]] > most) most = key[column[e]];
      to[i] = most;
    }
  }
}

/* reach: of the reach of keys. *open = 1 where any node is still free. */
KERNEL aggregate_decide(GROUP_PARAM GLOBAL const long *RESTRICT reach, GLOBAL long *RESTRICT key,
                        GLOBAL int *RESTRICT open, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows && key[i] >= FREE_KEY && key[i] < ROOT_KEY) {
      if (reach[i] == key[i])
        key[i] += ROOT_KEY - FREE_KEY;
      else if (reach[i] >= ROOT_KEY)
        key[i] = 0;
      else
        STORE_RELAXED(open, 1);
    }
  }
}

/* count[i] = 1 of roots, else 0 */
KERNEL aggregate_roots(GROUP_PARAM GLOBAL const long *RESTRICT key, GLOBAL int *RESTRICT count,
                       const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) count[i] = key[i] >= ROOT_KEY;
  }
}

/* of[i]: aggregate of a root or of a strong neighbour of one, there is one at most; -1 of others. number: sums of aggregate_roots. */
KERNEL aggregate_found(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                       GLOBAL const int *RESTRICT column, GLOBAL const float *RESTRICT weight,
                       GLOBAL const long *RESTRICT key, GLOBAL const long *RESTRICT number,
                       GLOBAL int *RESTRICT of, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      int own = key[i] >= ROOT_KEY ? (int)number[i] : -1;
      for (long e = begin[i]; key[i] == 0 && own < 0 && e < begin[i + 1]; e++)
        if (weight[e] > 0 && key[column[e]] >= ROOT_KEY) own = (int)number[column[e]];
      of[i] = own;
    }
  }
}

/* joined[i]: those that are left join the neighbour that they are coupled with most; count[i] = 1 of nodes of aggregates. */
KERNEL aggregate_join(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                      GLOBAL const int *RESTRICT column, GLOBAL const float *RESTRICT weight,
                      GLOBAL const long *RESTRICT key, GLOBAL const int *RESTRICT of,
                      GLOBAL int *RESTRICT joined, GLOBAL int *RESTRICT count, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      int own = of[i];
      float most = 0;
      for (long e = begin[i]; key[i] == 0 && of[i] < 0 && e < begin[i + 1]; e++)
        if (weight[e] > most && of[column[e]] >= 0) {
          most = weight[e];
          own = of[column[e]];
        }
      joined[i] = own;
      count[i] = own >= 0;
    }
  }
}

/* Columns of P0: one entry in the row of each node of an aggregate. */
KERNEL aggregate_list(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT of,
                      GLOBAL int *RESTRICT column, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows && of[i] >= 0) column[begin[i]] = of[i];
  }
}

/* to[g][dim] = middle of the nodes of aggregate g */
KERNEL aggregate_middle(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                        GLOBAL const int *RESTRICT node, GLOBAL const double *RESTRICT x,
                        GLOBAL double *RESTRICT to, const int count, const int dim)
{
  FOR_ITEMS(k, CHUNK) {
    const int g = GROUP_ID * CHUNK + k;
    if (g < count)
      for (int d = 0; d < dim; d++) {
        double sum = 0;
        for (long p = begin[g]; p < begin[g + 1]; p++) sum += x[(long)node[p] * dim + d];
        to[(long)g * dim + d] = sum / (double)(begin[g + 1] - begin[g]);
      }
  }
}

/* near_null[i][HEIGHT][MODES] of the finest level: 1 of one component; else translations, and rotations about the middle m, over the largest
 * extent. */
KERNEL aggregate_modes(GROUP_PARAM GLOBAL const double *RESTRICT x,
                       GLOBAL double *RESTRICT near_null, const double mx, const double my,
                       const double mz, const double scale, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      GLOBAL double *own = near_null + (long)i * (HEIGHT * MODES);
      for (int q = 0; q < HEIGHT * MODES; q++) own[q] = q % MODES == q / MODES;
#if HEIGHT == 2 && MODES == 3
      own[2] = -(x[(long)i * 2 + 1] - my) * scale;
      own[5] = (x[(long)i * 2] - mx) * scale;
#elif HEIGHT == 3 && MODES == 6
      const double at[3] = {(x[(long)i * 3] - mx) * scale, (x[(long)i * 3 + 1] - my) * scale,
                            (x[(long)i * 3 + 2] - mz) * scale};
      for (int r = 0; r < 3; r++) { /* about axis r */
        own[(r + 1) % 3 * MODES + 3 + r] = -at[(r + 2) % 3];
        own[(r + 2) % 3 * MODES + 3 + r] = at[(r + 1) % 3];
      }
#endif
    }
  }
}

/* Place of row r of the nodes of an aggregate, from `first` on, in P0's blocks. */
#define ROW_AT(r) (block + (p0[node[first + (r) / HEIGHT]] * HEIGHT + (r) % HEIGHT) * MODES)

/* P0 and B_coarse: the rows of B of an aggregate's nodes, those of unknowns that are held zero, made orthonormal column by column (Gram and
 * Schmidt, twice); columns that depend on those before are zero in both. coarse_null [count][MODES][MODES], zero before. P0 is
 * then larger, and B_coarse smaller, by the square root of the aggregate's nodes, so that B_coarse is alike in all of them, constant where B is:
 * what is lumped for weak links then leaves B as it was. */
KERNEL aggregate_orthonormalise(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                                GLOBAL const int *RESTRICT node, GLOBAL const long *RESTRICT p0,
                                GLOBAL const double *RESTRICT diagonal,
                                GLOBAL const double *RESTRICT near_null, GLOBAL double *block,
                                GLOBAL double *RESTRICT coarse_null, const int count)
{
  FOR_ITEMS(k, CHUNK) {
    const int g = GROUP_ID * CHUNK + k;
    if (g < count) {
      const long first = begin[g];
      const int lines = (int)(begin[g + 1] - first) * HEIGHT;
      GLOBAL double *r = coarse_null + (long)g * (MODES * MODES);
      for (int s = 0; s < lines; s++) {
        const long i = node[first + s / HEIGHT];
        const int c = s % HEIGHT, held = !(diagonal[(i * HEIGHT + c) * HEIGHT + c] > 0);
        for (int m = 0; m < MODES; m++)
          ROW_AT(s)[m] = held ? 0 : near_null[(i * HEIGHT + c) * MODES + m];
      }
      for (int m = 0; m < MODES; m++) {
        double norm = 0, before = 0;
        for (int s = 0; s < lines; s++) before += ROW_AT(s)[m] * ROW_AT(s)[m];
        for (int twice = 0; twice < 2; twice++)
          for (int j = 0; j < m; j++) {
            double dot = 0;
            for (int s = 0; s < lines; s++) dot += ROW_AT(s)[j] * ROW_AT(s)[m];
            for (int s = 0; s < lines; s++) ROW_AT(s)[m] -= dot * ROW_AT(s)[j];
            r[j * MODES + m] += dot;
          }
        for (int s = 0; s < lines; s++) norm += ROW_AT(s)[m] * ROW_AT(s)[m];
        const int dependent = !(norm > 1e-16 * before) || !(norm > 0);
        const double length = dependent ? 0 : sqrt(norm), over = dependent ? 0 : 1 / length;
        r[m * MODES + m] = length;
        for (int s = 0; s < lines; s++) ROW_AT(s)[m] *= over;
      }
      const double nodes = (double)lines / HEIGHT;
      for (int q = 0; q < MODES * MODES; q++) r[q] *= sqrt(1 / nodes);
      for (int q = 0; q < lines * MODES; q++) ROW_AT(q / MODES)[q % MODES] *= sqrt(nodes);
    }
  }
}

/* block of P, F P0 without weak entries on entry, becomes that of P0 - omega D^-1 F P0: weak blocks count to F's diagonal.
 *   inverse  as solver/linear/multigrid/level.k.h has it */
KERNEL aggregate_smooth(GROUP_PARAM GLOBAL const long *RESTRICT a_begin,
                        GLOBAL const double *RESTRICT a_block, GLOBAL const float *RESTRICT weight,
                        GLOBAL const long *RESTRICT p0_begin, GLOBAL const int *RESTRICT of,
                        GLOBAL const double *RESTRICT p0_block,
                        GLOBAL const double *RESTRICT inverse, GLOBAL const long *RESTRICT begin,
                        GLOBAL const int *RESTRICT column, GLOBAL double *RESTRICT block,
                        const double omega, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      GLOBAL const double *d = inverse + (long)(i / WIDTH) * (HEIGHT * HEIGHT * WIDTH) + i % WIDTH;
      GLOBAL const double *own = p0_block + p0_begin[i] * (HEIGHT * MODES);
      double weak[HEIGHT * HEIGHT];
      for (int q = 0; q < HEIGHT * HEIGHT; q++) weak[q] = 0;
      for (long e = a_begin[i]; e < a_begin[i + 1]; e++)
        for (int q = 0; !(weight[e] > 0) && q < HEIGHT * HEIGHT; q++)
          weak[q] += a_block[e * (HEIGHT * HEIGHT) + q];
      for (long e = begin[i]; e < begin[i + 1]; e++) {
        const int mine = column[e] == of[i];
        for (int m = 0; m < MODES; m++) {
          double sum[HEIGHT];
          for (int c = 0; c < HEIGHT; c++) {
            sum[c] = block[(e * HEIGHT + c) * MODES + m];
            for (int b = 0; mine && b < HEIGHT; b++)
              sum[c] += weak[c * HEIGHT + b] * own[b * MODES + m];
          }
          for (int c = 0; c < HEIGHT; c++) {
            double value = 0;
            for (int b = 0; b < HEIGHT; b++) value -= d[(c * HEIGHT + b) * WIDTH] * sum[b];
            block[(e * HEIGHT + c) * MODES + m] = omega * value + (mine ? own[c * MODES + m] : 0);
          }
        }
      }
    }
  }
}
