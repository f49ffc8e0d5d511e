/* Levels of a multigrid preconditioner (solver/linear/multigrid/level.c): steps of Chebyshev's iteration (A.9) with blocks D of one node or of 16,
 * the inverses of these blocks, products with the matrix of a level, transfers between levels (A.11), and the product with the inverse of the
 * coarsest matrix. Nodes have BLOCK unknowns each; vectors are [nodes][BLOCK], nodes a multiple of WIDTH. Lists are sliced by WIDTH
 * (graph/sliced.h). */

/* One step of a Chebyshev iteration for A x = b, D the diagonal blocks of A:
 *   r = from - ad (ad: A d or A x; left out where ad is not asked for),  d = c1 d + c2 D^-1 r (c1 0: d is not read),  x = d or x + d
 *   inverse [nodes / WIDTH][BLOCK][BLOCK][WIDTH] = D^-1, zero rows and columns for unknowns that are held */
#define WITH_PRODUCT 1
#define ADD_TO_X 2
#define RESIDUAL_ONLY 4 /* r alone */
KERNEL level_smooth(GROUP_PARAM GLOBAL const real *from, GLOBAL const real *ad, GLOBAL real *r,
                    GLOBAL real *RESTRICT d, GLOBAL real *RESTRICT x,
                    GLOBAL const real *RESTRICT inverse, const real c1, const real c2,
                    const int mode, const int nodes)
{
  FOR_ITEMS(k, NODES / LANES) {
    const int i = GROUP_ID * NODES + k * LANES;
    if (i < nodes) {
      LANE_LINE(real, left, BLOCK);
      LANE_LINE(real, step, BLOCK);
      if (mode & WITH_PRODUCT)
        FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) {
        const long o = (long)(i + l) * BLOCK + c;
        left[c * LANES + l] = from[o] - ad[o];
        r[o] = left[c * LANES + l];
      }
      else FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) {
        const long o = (long)(i + l) * BLOCK + c;
        left[c * LANES + l] = from[o];
      }
      if (mode & RESIDUAL_ONLY) continue;
      GLOBAL const real *m = inverse + (long)(i / WIDTH) * (BLOCK * BLOCK * WIDTH) + i % WIDTH;
      FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) {
        real sum = 0;
        UNROLL
        for (int b = 0; b < BLOCK; b++) sum += m[(c * BLOCK + b) * WIDTH + l] * left[b * LANES + l];
        step[c * LANES + l] = c2 * sum;
      }
      if (c1 != 0)
        FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) {
        step[c * LANES + l] += c1 * d[(long)(i + l) * BLOCK + c];
      }
      FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) d[(long)(i + l) * BLOCK + c] = step[c * LANES + l];
      if (mode & ADD_TO_X)
        FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) x[(long)(i + l) * BLOCK + c] += step[c * LANES + l];
      else FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) x[(long)(i + l) * BLOCK + c] = step[c * LANES + l];
    }
  }
}

/* The same step with larger blocks of D, of `PATCH` nodes each: d = c1 d + c2 D^-1 r, x = d or x + d.
 *   list [lists][PATCH]  nodes, each in one list; -1: none;  inverse [lists][PATCH * BLOCK][PATCH * BLOCK] = D^-1, symmetric, 0 for unknowns that are held
 * A group has NODES / PATCH lists. */
#define PATCH 16
#define PATCH_ROWS (PATCH * BLOCK)
KERNEL level_patches(GROUP_PARAM GLOBAL const real *r, GLOBAL real *RESTRICT d, GLOBAL real *x,
                     GLOBAL const int *RESTRICT list, GLOBAL const real *RESTRICT inverse,
                     const real c1, const real c2, const int mode, const int lists)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, value, NODES * BLOCK);
  FOR_ITEMS(k, NODES * BLOCK) {
    const long from = (long)GROUP_ID * NODES + k / BLOCK;
    const int node = from / PATCH < lists ? list[from] : -1;
    value[k] = node < 0 ? 0 : r[(long)node * BLOCK + k % BLOCK];
  }
  BARRIER();
  FOR_ITEMS(k, NODES * BLOCK / LANES) {
    const int own = k * LANES / PATCH_ROWS, row = k * LANES % PATCH_ROWS;
    const long p = (long)GROUP_ID * (NODES / PATCH) + own;
    if (p < lists) {
      GLOBAL const real *m = inverse + p * (PATCH_ROWS * PATCH_ROWS) + row;
      LANE_ARRAY(real, sum);
      FOR_LANES(l) sum[l] = 0;
      for (int c = 0; c < PATCH_ROWS; c++)
        FOR_LANES(l) sum[l] += m[c * PATCH_ROWS + l] * value[own * PATCH_ROWS + c];
      FOR_LANES(l) {
        const int node = list[p * PATCH + (row + l) / BLOCK];
        const long o = (long)node * BLOCK + (row + l) % BLOCK;
        if (node >= 0) {
          d[o] = c2 * sum[l] + (c1 != 0 ? c1 * d[o] : 0);
          x[o] = mode & ADD_TO_X ? x[o] + d[o] : d[o];
        }
      }
    }
  }
}

/* The inverses that level_patches reads, by Gauss and Jordan as level_invert, in place of the blocks [lists][PATCH_ROWS][PATCH_ROWS] of K. Blocks of one node are
 * those of diagonal [nodes][BLOCK][BLOCK]; what has no own entry above 0 there is held. A group has one list. */
#ifdef DOUBLE
#define TINY REAL(1e-12)
#else
#define TINY REAL(1e-6)
#endif
#define PATCH_LINE (PATCH_ROWS + 1) /* columns lie in different banks */
KERNEL level_patches_invert(GROUP_PARAM GLOBAL const int *RESTRICT list,
                            GLOBAL const real *RESTRICT diagonal, GLOBAL real *RESTRICT inverse)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, a, PATCH_ROWS * PATCH_LINE);
  LOCAL_ARRAY(real, scale, PATCH_ROWS);
  LOCAL_ARRAY(real, row, PATCH_ROWS);
  LOCAL_ARRAY(real, column, PATCH_ROWS);
  GLOBAL real *own = inverse + (long)GROUP_ID * (PATCH_ROWS * PATCH_ROWS);
  FOR_ITEMS(i, PATCH_ROWS) {
    const int node = list[(long)GROUP_ID * PATCH + i / BLOCK], c = i % BLOCK;
    scale[i] = node < 0 ? 0 : diagonal[((long)node * BLOCK + c) * BLOCK + c];
  }
  BARRIER();
  FOR_ITEMS(k, PATCH_ROWS * PATCH_ROWS) {
    const int i = k / PATCH_ROWS, j = k % PATCH_ROWS;
    const long node = list[(long)GROUP_ID * PATCH + i / BLOCK];
    real value = 0;
    if (scale[i] > 0 && scale[j] > 0)
      value = i / BLOCK == j / BLOCK ? diagonal[(node * BLOCK + i % BLOCK) * BLOCK + j % BLOCK]
                                     : own[k];
    a[i * PATCH_LINE + j] = value;
  }
  BARRIER();
  for (int p = 0; p < PATCH_ROWS; p++) {
    FOR_ITEMS(i, PATCH_ROWS) {
      row[i] = i == p ? 1 : a[p * PATCH_LINE + i];
      column[i] = a[i * PATCH_LINE + p];
    }
    BARRIER();
    FOR_ITEMS(k, PATCH_ROWS * PATCH_ROWS) {
      const int i = k / PATCH_ROWS, j = k % PATCH_ROWS, at = i * PATCH_LINE + j;
      const real pivot =
          scale[p] > 0 && column[p] > TINY * scale[p] ? RECIPROCAL(column[p]) : REAL(0.0);
      const real left = j == p ? REAL(0.0) : a[at];
      a[at] = i == p ? row[j] * pivot : left - column[i] * pivot * row[j];
    }
    BARRIER();
  }
  FOR_ITEMS(k, PATCH_ROWS * PATCH_ROWS) own[k] = a[k / PATCH_ROWS * PATCH_LINE + k % PATCH_ROWS];
}

/* y = A x, or where there is a `from`, which may be y:  y = from + sign A x;  of blocks [BLOCK][COLUMNS]:
 *   slice [..]  first entry of a slice of WIDTH rows;  column [entries][WIDTH]
 *   block [entries][BLOCK * COLUMNS][WIDTH]; padding repeats any column, its blocks are zero
 * A thread has ROWS of the BLOCK rows of a node. */
KERNEL level_multiply(GROUP_PARAM GLOBAL const int *RESTRICT slice,
                      GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT block,
                      GLOBAL const real *RESTRICT x, GLOBAL const real *from, GLOBAL real *y,
                      const real sign, const int nodes)
{
  FOR_ITEMS(k, NODES / LANES * (BLOCK / ROWS)) {
    const int line = k / (WIDTH / LANES * (BLOCK / ROWS)),
              rest = k % (WIDTH / LANES * (BLOCK / ROWS)), row = rest / (WIDTH / LANES) * ROWS,
              w = rest % (WIDTH / LANES) * LANES, i = GROUP_ID * NODES + line * WIDTH + w;
    if (i < nodes) {
      LANE_LINE(real, sum, ROWS);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < ROWS; c++) sum[c * LANES + l] = 0;
      for (int p = slice[i / WIDTH]; p < slice[i / WIDTH + 1]; p++) {
        GLOBAL const int *j = column + (long)p * WIDTH + w;
        GLOBAL const real *m =
            block + (long)p * (BLOCK * COLUMNS * WIDTH) + row * COLUMNS * WIDTH + w;
        PREFETCH(m, ROWS * COLUMNS * WIDTH);
        FOR_LANES(l) {
          UNROLL
          for (int b = 0; b < COLUMNS; b++) {
            const real value = x[(long)j[l] * COLUMNS + b];
            UNROLL
            for (int c = 0; c < ROWS; c++)
              sum[c * LANES + l] += m[(c * COLUMNS + b) * WIDTH + l] * value;
          }
        }
      }
      FOR_LANES(l) UNROLL
      for (int c = 0; c < ROWS; c++) {
        const long o = (long)(i + l) * BLOCK + row + c;
        y[o] = from ? from[o] + sign * sum[c * LANES + l] : sum[c * LANES + l];
      }
    }
  }
}

/* The same of one weight for all components of a pair of nodes: y = W x, or y += W x. Linear interpolation between a mesh and that of its
 * vertices, and its transpose. */
KERNEL level_transfer(GROUP_PARAM GLOBAL const int *RESTRICT slice,
                      GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT weight,
                      GLOBAL const real *RESTRICT x, GLOBAL real *RESTRICT y, const int add,
                      const int nodes)
{
  FOR_ITEMS(k, NODES / LANES) {
    const int i = GROUP_ID * NODES + k * LANES, w = i % WIDTH;
    if (i < nodes) {
      LANE_LINE(real, sum, BLOCK);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) sum[c * LANES + l] = 0;
      for (int p = slice[i / WIDTH]; p < slice[i / WIDTH + 1]; p++)
        FOR_LANES(l) {
          const long o = (long)p * WIDTH + w + l;
          UNROLL
          for (int c = 0; c < BLOCK; c++)
            sum[c * LANES + l] += weight[o] * x[(long)column[o] * BLOCK + c];
        }
      FOR_LANES(l) UNROLL
      for (int c = 0; c < BLOCK; c++) {
        const long o = (long)(i + l) * BLOCK + c;
        y[o] = add ? y[o] + sum[c * LANES + l] : sum[c * LANES + l];
      }
    }
  }
}

/* y = A x of the coarsest level: matrix [n][n] symmetric, n a multiple of LANES. */
KERNEL level_dense(GROUP_PARAM GLOBAL const real *RESTRICT matrix, GLOBAL const real *RESTRICT x,
                   GLOBAL real *RESTRICT y, const int n)
{
  FOR_ITEMS(k, NODES / LANES) {
    const int i = GROUP_ID * NODES + k * LANES;
    if (i < n) {
      LANE_ARRAY(real, sum);
      FOR_LANES(l) sum[l] = 0;
      for (int j = 0; j < n; j++) {
        const real value = x[j];
        FOR_LANES(l) sum[l] += matrix[(long)j * n + i + l] * value;
      }
      FOR_LANES(l) y[i + l] = sum[l];
    }
  }
}

/* Rows and columns of dof[count] in the blocks [nodes][BLOCK][BLOCK] become zero. */
KERNEL level_hold(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL real *RESTRICT diagonal,
                  const int count)
{
  FOR_ITEMS(k, NODES) {
    const int i = GROUP_ID * NODES + k;
    if (i < count) {
      GLOBAL real *own = diagonal + (long)(dof[i] / BLOCK) * (BLOCK * BLOCK);
      const int c = dof[i] % BLOCK;
      for (int b = 0; b < BLOCK; b++) {
        own[c * BLOCK + b] = 0;
        own[b * BLOCK + c] = 0;
      }
    }
  }
}

/* inverse (as level_smooth reads it) of the blocks [nodes][BLOCK][BLOCK], by Gauss and Jordan without pivots, for they are positive definite;
 * rows and columns whose own entry is, or becomes, TINY times what it was are zero. pointwise: of the diagonal alone. */
KERNEL level_invert(GROUP_PARAM GLOBAL const real *RESTRICT diagonal, GLOBAL real *RESTRICT inverse,
                    const int pointwise, const int nodes)
{
  FOR_ITEMS(k, NODES / LANES) {
    const int i = GROUP_ID * NODES + k * LANES;
    if (i < nodes) {
      GLOBAL real *m = inverse + (long)(i / WIDTH) * (BLOCK * BLOCK * WIDTH) + i % WIDTH;
      FOR_LANES(l) {
        real a[BLOCK][BLOCK], scale[BLOCK];
        for (int c = 0; c < BLOCK; c++) {
          for (int b = 0; b < BLOCK; b++)
            a[c][b] = pointwise && b != c ? 0 : diagonal[((long)(i + l) * BLOCK + c) * BLOCK + b];
          scale[c] = a[c][c];
        }
        for (int p = 0; p < BLOCK; p++) {
          const real pivot =
              a[p][p] > TINY * scale[p] && scale[p] > 0 ? REAL(1.0) / a[p][p] : REAL(0.0);
          a[p][p] = 1;
          for (int b = 0; b < BLOCK; b++) a[p][b] *= pivot;
          for (int c = 0; c < BLOCK; c++) {
            const real factor = a[c][p];
            if (c == p) continue;
            a[c][p] = 0;
            for (int b = 0; b < BLOCK; b++) a[c][b] -= factor * a[p][b];
          }
        }
        for (int c = 0; c < BLOCK; c++)
          for (int b = 0; b < BLOCK; b++) m[(c * BLOCK + b) * WIDTH + l] = a[c][b];
      }
    }
  }
}
