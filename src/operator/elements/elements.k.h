/* K by elements: the matrix of each element times the values at its nodes. What that leaves at each corner is summed by its node
 * (operator/patches/scatter.k.h), so that nothing is added by two at once.
 *   node   [count / WIDTH][nodes][WIDTH]        of the elements of one shape, padding repeats a node
 *   matrix [count / WIDTH][packed][WIDTH]       lower triangle, row by row, of K_e [size][size]; rows are (n, c), size = nodes DIM
 *   corner [..][count / WIDTH][nodes DIM][WIDTH]  from `first` on
 * DIFFERENCES: a translation leaves no force, so that the first node's rows and columns are not kept:
 *   y_n = sum over m > 0 of K_nm (u_m - u_0),  y_0 = - sum over n > 0 of y_n
 * TRIANGLES 0: of an unsymmetric K matrix is all of K_e, row by row, without differences.
 * EXACT: elements have NODES nodes; else so many at most. A group has ELEMENTS of them. */
#define SIZE (NODES * DIM)
#if EXACT && NODES * DIM <= 24
#define OFTEN UNROLL
#else
#define OFTEN
#endif

/* x = u at the nodes of LANES elements, from lane w of the slice on; with DIFFERENCES of the first node's all but it, as they are. */
DEVICE void elements_take(GLOBAL const int *RESTRICT node, GLOBAL const real *RESTRICT u,
                          PRIVATE real *x, const int nodes)
{
  OFTEN
  for (int n = 0; n < nodes; n++)
    FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++)
    x[(n * DIM + c) * LANES + l] = u[(long)node[n * WIDTH + l] * DIM + c];
#if DIFFERENCES
  OFTEN
  for (int n = 1; n < nodes; n++)
    FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) x[(n * DIM + c) * LANES + l] -= x[c * LANES + l];
#endif
}

/* y = K_e x, of the rows that are kept; m: the element's own lane. */
DEVICE void elements_times(GLOBAL const real *RESTRICT m, PRIVATE const real *x, PRIVATE real *y,
                           const int nodes)
{
  const int size = nodes * DIM;
  int p = 0;
  OFTEN
  for (int i = 0; i < size; i++)
    FOR_LANES(l) y[i * LANES + l] = 0;
#if !TRIANGLES
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++, p++) {
      GLOBAL const real *k = m + (long)p * WIDTH;
      FOR_LANES(l) y[i * LANES + l] += k[l] * x[j * LANES + l];
    }
#else
  OFTEN
  for (int i = DIFFERENCES ? DIM : 0; i < size; i++) {
    OFTEN
    for (int j = DIFFERENCES ? DIM : 0; j < i; j++, p++) {
      GLOBAL const real *k = m + (long)p * WIDTH;
      FOR_LANES(l) {
        y[i * LANES + l] += k[l] * x[j * LANES + l];
        y[j * LANES + l] += k[l] * x[i * LANES + l];
      }
    }
    GLOBAL const real *k = m + (long)p++ * WIDTH;
    FOR_LANES(l) y[i * LANES + l] += k[l] * x[i * LANES + l];
  }
#endif
#if DIFFERENCES
  OFTEN
  for (int n = 1; n < nodes; n++)
    FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) y[c * LANES + l] -= y[(n * DIM + c) * LANES + l];
#endif
}

/* Numbers that are kept of a matrix of `nodes` nodes. */
DEVICE int elements_packed(const int nodes)
{
  const int size = (DIFFERENCES ? nodes - 1 : nodes) * DIM;
  return TRIANGLES ? size * (size + 1) / 2 : size * size;
}

/* own = K_(n,c)(n,d) of node n, as the product keeps it. */
DEVICE void elements_own(GLOBAL const real *RESTRICT m, PRIVATE real *own, const int n, const int c,
                         const int d, const int nodes)
{
#if DIFFERENCES
  const int size = (nodes - 1) * DIM;
  if (n == 0) { /* the sum of all that is kept of these components */
    FOR_LANES(l) own[l] = 0;
    for (int i = c; i < size; i += DIM)
      for (int j = d; j < size; j += DIM) {
        const int row = i > j ? i : j, column = i > j ? j : i;
        GLOBAL const real *k = m + (long)(row * (row + 1) / 2 + column) * WIDTH;
        FOR_LANES(l) own[l] += k[l];
      }
    return;
  }
  const int at = (n - 1) * DIM;
#else
  const int at = n * DIM;
#endif
  const int row = at + (c > d ? c : d), column = at + (c > d ? d : c);
  const int place = TRIANGLES ? row * (row + 1) / 2 + column : (at + c) * nodes * DIM + at + d;
  GLOBAL const real *k = m + (long)place * WIDTH;
  FOR_LANES(l) own[l] = k[l];
}

KERNEL elements_product(GROUP_PARAM GLOBAL const int *RESTRICT node,
                        GLOBAL const real *RESTRICT matrix, GLOBAL const real *RESTRICT u,
                        GLOBAL real *RESTRICT corner, const int first, const int count,
                        const int given_nodes, const int shots, const int stride,
                        const int corner_stride)
{
  const int nodes = EXACT ? NODES : given_nodes;
  const int group = GROUP_ID / shots, shot = GROUP_ID % shots;
  u += (long)shot * stride;
  corner += (long)shot * corner_stride + first;
  FOR_ITEMS(k, ELEMENTS / LANES) {
    const int e = group * ELEMENTS + k * LANES;
    if (e < count) {
      const int s = e / WIDTH, w = e % WIDTH;
      LANE_LINE(real, x, SIZE);
      LANE_LINE(real, y, SIZE);
      GLOBAL real *to = corner + (long)s * nodes * DIM * WIDTH + w;
      elements_take(node + (long)s * nodes * WIDTH + w, u, x, nodes);
      elements_times(matrix + (long)s * elements_packed(nodes) * WIDTH + w, x, y, nodes);
      OFTEN
      for (int i = 0; i < nodes * DIM; i++)
        FOR_LANES(l) to[(long)i * WIDTH + l] = y[i * LANES + l];
    }
  }
}

/* corner = K_(n,c)(n,d) in the places of component 0. */
KERNEL elements_diagonal(GROUP_PARAM GLOBAL const real *RESTRICT matrix,
                         GLOBAL real *RESTRICT corner, const int first, const int count,
                         const int given_nodes, const int c, const int d)
{
  const int nodes = EXACT ? NODES : given_nodes;
  FOR_ITEMS(k, ELEMENTS / LANES) {
    const int e = GROUP_ID * ELEMENTS + k * LANES;
    if (e < count) {
      const int s = e / WIDTH, w = e % WIDTH;
      GLOBAL const real *m = matrix + (long)s * elements_packed(nodes) * WIDTH + w;
      GLOBAL real *to = corner + first + (long)s * nodes * DIM * WIDTH + w;
      for (int n = 0; n < nodes; n++) {
        LANE_ARRAY(real, own);
        elements_own(m, own, n, c, d, nodes);
        FOR_LANES(l) to[(long)n * DIM * WIDTH + l] = own[l];
      }
    }
  }
}

/* Keating (4.2), (A.14): the local solutions of one Jacobi step, each node of each element by itself from the estimate u of all:
 *   u_r = (b_r - sum over s != r of A_rs u_s) / A_rr,   b_r = f_i A_rr / w_i,  w_i = 1 / inverse_i the sum of A_rr over the elements of i
 * (the loads of an element add up to f whatever their shares are). Then the corners are A_rr u_r, which scatter_weigh divides by w_i:
 * (4.3), (4.4). As sum A_rs u_s without s = r is (A u)_r - A_rr u_r, the product above serves. */
KERNEL elements_jacobi(GROUP_PARAM GLOBAL const int *RESTRICT node,
                       GLOBAL const real *RESTRICT matrix, GLOBAL const real *RESTRICT u,
                       GLOBAL const real *RESTRICT f, GLOBAL const real *RESTRICT inverse,
                       GLOBAL real *RESTRICT corner, const int first, const int count,
                       const int given_nodes)
{
  const int nodes = EXACT ? NODES : given_nodes;
  FOR_ITEMS(k, ELEMENTS / LANES) {
    const int e = GROUP_ID * ELEMENTS + k * LANES;
    if (e < count) {
      const int s = e / WIDTH, w = e % WIDTH;
      GLOBAL const int *of = node + (long)s * nodes * WIDTH + w;
      GLOBAL const real *m = matrix + (long)s * elements_packed(nodes) * WIDTH + w;
      GLOBAL real *to = corner + first + (long)s * nodes * DIM * WIDTH + w;
      LANE_LINE(real, x, SIZE);
      LANE_LINE(real, y, SIZE);
      elements_take(of, u, x, nodes);
      elements_times(m, x, y, nodes);
      OFTEN
      for (int n = 0; n < nodes; n++) UNROLL
      for (int c = 0; c < DIM; c++) {
        LANE_ARRAY(real, own);
        elements_own(m, own, n, c, c, nodes);
        FOR_LANES(l) {
          const long o = (long)of[n * WIDTH + l] * DIM + c;
          const real a = own[l], share = f[o] * a * inverse[o];
          const real others = y[(n * DIM + c) * LANES + l] - a * u[o];
#if TRIANGLES
          const real solution = a > 0 ? (share - others) / a : u[o];
          to[(long)(n * DIM + c) * WIDTH + l] = a * solution;
#else /* A_rr of an element may be 0 or below: A_rr u_r is defined all the same */
          to[(long)(n * DIM + c) * WIDTH + l] = share - others;
#endif
        }
      }
    }
  }
}
