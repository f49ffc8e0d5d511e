/* Banas, Plaszewski, Maciol, Algorithms 3 and 4: element matrices in parts of PART blocks, an element after the other per group, points as
 * the inner loop; arrays as in operator/integration/points.k.h. A block is that of a pair n, m of shape functions, number n * shapes + m.
 *   STORE 0: REG, a block is summed in registers, PART = THREADS;  1: SHM, in LOCAL memory, PART / THREADS blocks per thread
 *   JACOBIAN 1: JAC, one item computes the Jacobian terms of a point from x;  0: NOJAC, they are read: [elements][points][10], a[d][c] =
 *   dxi_d / dx_c and |J|
 * CORNERS: nodes of the geometry that LOCAL memory is laid out for, JAC; 1: NOJAC.
 * The bars of Figure 1 are the barriers. MOST: `shapes`, known to the compiler, for dividing by it.
 *   folded [1]: 1 + first_element + an element whose |J| is not above 0 somewhere, if any */
#if STORE
#define BLOCK(k) (part_sums + (k))
#define BLOCK_PLACE LOCAL
#define APART PART
#else
#define BLOCK(k) KEPT(sums, k, SQUARE)
#define BLOCK_PLACE PRIVATE
#define APART 1
#endif

/* block[SQUARE], apart APART, += w c : psi_n psi_m^T, elastic (I.6); functions psi[4][MOST]. */
DEVICE void quadrature_update(GLOBAL const real *RESTRICT c, LOCAL const real *psi, const real w,
                              const int n, const int m, BLOCK_PLACE real *block)
{
#if ELASTIC
  const real lambda = c[0], mu = c[1];
  real g[3], h[3], dot = 0;
  UNROLL
  for (int d = 0; d < 3; d++) {
    g[d] = w * psi[(d + 1) * MOST + n];
    h[d] = psi[(d + 1) * MOST + m];
    dot += g[d] * h[d];
  }
  UNROLL
  for (int i = 0; i < 3; i++) UNROLL
  for (int j = 0; j < 3; j++)
    block[(i * 3 + j) * APART] +=
        lambda * (g[i] * h[j]) + mu * (g[j] * h[i]) + (i == j ? mu * dot : 0);
#else
  real products[DIRECTIONS * DIRECTIONS];
  UNROLL
  for (int i = 0; i < DIRECTIONS; i++) UNROLL
  for (int j = 0; j < DIRECTIONS; j++)
    products[i * DIRECTIONS + j] = w * psi[(i + FROM) * MOST + n] * psi[(j + FROM) * MOST + m];
  UNROLL
  for (int k = 0; k < SQUARE; k++) {
    real sum = 0;
    UNROLL
    for (int i = 0; i < DIRECTIONS; i++) UNROLL
    for (int j = 0; j < DIRECTIONS; j++)
      sum += c[k * 16 + (i + FROM) * 4 + j + FROM] * products[i * DIRECTIONS + j];
    block[k * APART] += sum;
  }
#endif
}

KERNEL quadrature_parts(GROUP_PARAM GLOBAL const real *RESTRICT phi,
                        GLOBAL const real *RESTRICT slope, GLOBAL const real *RESTRICT weight,
                        GLOBAL const real *RESTRICT x, GLOBAL const real *RESTRICT jacobian,
                        GLOBAL const real *RESTRICT c, GLOBAL real *RESTRICT matrix,
                        GLOBAL int *RESTRICT folded, GLOBAL const int *RESTRICT sizes,
                        const int first_element, const int at, const int elements)
{
  const int per_group = sizes[SIZE_PER_GROUP], parts = sizes[SIZE_PARTS];
  NAME_SIZES
  LOCAL_BEGIN
  LOCAL_ARRAY(real, psi, 4 * MOST);
  LOCAL_ARRAY(real, place, CORNERS * 3);
  LOCAL_ARRAY(real, terms, 12);
#if STORE
  LOCAL_ARRAY(real, part_sums, PART * SQUARE);
#else
  KEEP(real, sums, PART, SQUARE);
#endif
  const int width = shapes * EQUATIONS;

  const int e0 = GROUP_ID * per_group, e1 = e0 + per_group < elements ? e0 + per_group : elements;
  for (int e = e0; e < e1; e++) {
    BARRIER();
    FOR_ITEMS(k, JACOBIAN ? corners * 3 : 0) place[k] = x[(long)e * corners * 3 + k];
    for (int part = 0; part < parts; part++) {
      const int first = part * PART;
      const int blocks = shapes * shapes - first < PART ? shapes * shapes - first : PART;
      FOR_EACH(k, blocks, PART)
      {
        UNROLL
        for (int p = 0; p < SQUARE; p++) BLOCK(k)[p * APART] = 0;
      }
      for (int q = 0; q < points; q++) {
        GLOBAL const real *law = c + (long)e * c_element + (long)q * c_point;
        BARRIER();
        FOR_ITEMS(k, 4 * MOST) psi[k] = phi[((long)q * 4 + k / MOST) * stride + k % MOST];
#if JACOBIAN
        FOR_ITEMS(k, 1) {
          real own_terms[10];
          points_jacobian(place, slope + q, corners, points, own_terms);
          if (!(own_terms[9] > 0)) folded[0] = 1 + first_element + e;
          UNROLL
          for (int p = 0; p < 10; p++) terms[p] = own_terms[p];
        }
#else
        FOR_ITEMS(k, 10) terms[k] = jacobian[((long)e * points + q) * 10 + k];
#endif
        BARRIER();
        FOR_ITEMS(n, shapes) {
          const real d0 = psi[MOST + n], d1 = psi[2 * MOST + n], d2 = psi[3 * MOST + n];
          UNROLL
          for (int d = 0; d < 3; d++)
            psi[(d + 1) * MOST + n] = d0 * terms[d] + d1 * terms[3 + d] + d2 * terms[6 + d];
        }
        BARRIER();
        const real w = weight[q] * terms[9];
        FOR_EACH(k, blocks, PART)
        quadrature_update(law, psi, w, (first + k) / MOST, (first + k) % MOST, BLOCK(k));
      }
      FOR_EACH(k, blocks, PART)
      {
        const int n = (first + k) / MOST, m = (first + k) % MOST;
        GLOBAL real *to = matrix + ((long)(at + e) * width + n * EQUATIONS) * width + m * EQUATIONS;
        UNROLL
        for (int i = 0; i < EQUATIONS; i++) UNROLL
        for (int j = 0; j < EQUATIONS; j++)
          to[(long)i * width + j] = BLOCK(k)[(i * EQUATIONS + j) * APART];
      }
    }
  }
}
