/* A quadrature point of an element: its Jacobian, physical gradients, and what coefficients make of them. Arrays of all kernels that
 * integrate element matrices (Banas, Plaszewski, Maciol, Algorithms 1 to 4):
 *   phi [points][4][stride]         N and its derivatives to xi_0, xi_1, xi_2 of each shape function
 *   slope [corners][3][points]      derivatives of the functions of the geometry;  weight [points]
 *   x [elements][corners][3]        nodes of the geometry, from the element's first one on
 *   c                               ELASTIC 1: lambda, mu;  0: [EQUATIONS][EQUATIONS][4][4], test function first; of an element and a
 *                                   point c_element and c_point reals further on
 *   matrix [elements][shapes * EQUATIONS][shapes * EQUATIONS]  rows (n, iE), columns (m, jE)
 *     A[(n, iE)][(m, jE)] = sum over q, iD, jD of w_q |J_q| c[iE][jE][iD][jD] psi_n[iD] psi_m[jD],  psi = (N, dN/dx_0, dN/dx_1, dN/dx_2)
 * DIRECTIONS 3: iD and jD begin at 1, for coefficients of derivatives alone; FROM is the first of them.
 *   sizes: what all launches of an integral have in common, SIZE_* */
#define SIZE_SHAPES 0
#define SIZE_STRIDE 1
#define SIZE_POINTS 2
#define SIZE_CORNERS 3
#define SIZE_C_ELEMENT 4
#define SIZE_C_POINT 5
#define SIZE_MIRRORED 6
#define SIZE_PER_GROUP 7
#define SIZE_PARTS 8
#define NAME_SIZES                                                                                 \
  const int shapes = sizes[SIZE_SHAPES], stride = sizes[SIZE_STRIDE], points = sizes[SIZE_POINTS], \
            corners = sizes[SIZE_CORNERS], c_element = sizes[SIZE_C_ELEMENT],                      \
            c_point = sizes[SIZE_C_POINT];
#ifdef EQUATIONS /* given where a kernel uses this */
#define FROM (4 - DIRECTIONS)
#define SQUARE (EQUATIONS * EQUATIONS)

/* j[c][d] += x_c slope_d of a node of the geometry, `apart` reals between the directions of its slope. */
DEVICE void points_stretch(const real x0, const real x1, const real x2,
                           GLOBAL const real *RESTRICT slope, const int apart, PRIVATE real *j)
{
  UNROLL
  for (int d = 0; d < 3; d++) {
    const real s = slope[d * apart];
    j[d] += x0 * s, j[3 + d] += x1 * s, j[6 + d] += x2 * s;
  }
}

/* terms[10]: a[d][c] = dxi_d / dx_c, then |J|, of j[c][d] = dx_c / dxi_d. */
DEVICE void points_invert(PRIVATE const real *j, PRIVATE real *terms)
{
  UNROLL
  for (int r = 0; r < 3; r++) UNROLL
  for (int c = 0; c < 3; c++) {
    const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    terms[c * 3 + r] = j[r1 * 3 + c1] * j[r2 * 3 + c2] - j[r1 * 3 + c2] * j[r2 * 3 + c1];
  }
  terms[9] = j[0] * terms[0] + j[1] * terms[3] + j[2] * terms[6];
  const real inverse = RECIPROCAL(terms[9]);
  UNROLL
  for (int p = 0; p < 9; p++) terms[p] *= inverse;
}

/* Those terms from x[corners][3] in LOCAL memory; slope begins at the point. */
DEVICE void points_jacobian(LOCAL const real *x, GLOBAL const real *RESTRICT slope,
                            const int corners, const int points, PRIVATE real *terms)
{
  real j[9];
  UNROLL
  for (int p = 0; p < 9; p++) j[p] = 0;
  for (int n = 0; n < corners; n++)
    points_stretch(x[n * 3], x[n * 3 + 1], x[n * 3 + 2], slope + n * 3 * points, points, j);
  points_invert(j, terms);
}

/* The same of an element in GLOBAL memory; folded[0]: 1 + `element` where |J| is not above 0. */
DEVICE void points_terms(GLOBAL const real *RESTRICT x, GLOBAL const real *RESTRICT slope,
                         const int corners, const int points, GLOBAL int *RESTRICT folded,
                         const int element, PRIVATE real *terms)
{
  real j[9];
  UNROLL
  for (int p = 0; p < 9; p++) j[p] = 0;
  for (int n = 0; n < corners; n++)
    points_stretch(x[n * 3], x[n * 3 + 1], x[n * 3 + 2], slope + (long)n * 3 * points, points, j);
  points_invert(j, terms);
  if (!(terms[9] > 0)) folded[0] = 1 + element;
}

/* psi[DIRECTIONS] of shape function n, whose row of phi begins at phi, stride apart. */
DEVICE void points_gradient(GLOBAL const real *RESTRICT phi, LOCAL const real *terms,
                            const int stride, PRIVATE real *psi)
{
  const real d0 = phi[stride], d1 = phi[2 * stride], d2 = phi[3 * stride];
  if (FROM == 0) psi[0] = phi[0];
  UNROLL
  for (int c = 0; c < 3; c++)
    psi[1 - FROM + c] = d0 * terms[c] + d1 * terms[3 + c] + d2 * terms[6 + c];
}

/* f[SQUARE][DIRECTIONS] = w sum over iD of c[iE][jE][iD][jD] psi[iD]: what the test function asks of the trial function's jD. */
DEVICE void points_left(GLOBAL const real *RESTRICT c, PRIVATE const real *psi, const real w,
                        PRIVATE real *f)
{
#if ELASTIC
  const real lambda = w * c[0], mu = w * c[1];
  UNROLL
  for (int i = 0; i < 3; i++) UNROLL
  for (int j = 0; j < 3; j++) UNROLL
  for (int d = 0; d < 3; d++)
    f[(i * 3 + j) * 3 + d] =
        (d == j ? lambda * psi[i] : 0) + (d == i ? mu * psi[j] : 0) + (i == j ? mu * psi[d] : 0);
#else
  for (int k = 0; k < SQUARE; k++) UNROLL
  for (int d = 0; d < DIRECTIONS; d++) {
    real sum = 0;
    UNROLL
    for (int i = 0; i < DIRECTIONS; i++) sum += c[k * 16 + (i + FROM) * 4 + d + FROM] * psi[i];
    f[k * DIRECTIONS + d] = w * sum;
  }
#endif
}

/* k[SQUARE] = sum of c[iE][jE][iD][jD] m[iD][jD] of m[DIRECTIONS][DIRECTIONS]. */
DEVICE void points_contract(GLOBAL const real *RESTRICT c, PRIVATE const real *m, PRIVATE real *k)
{
#if ELASTIC
  const real lambda = c[0], mu = c[1], trace = mu * (m[0] + m[4] + m[8]);
  UNROLL
  for (int i = 0; i < 3; i++) UNROLL
  for (int j = 0; j < 3; j++)
    k[i * 3 + j] = lambda * m[i * 3 + j] + mu * m[j * 3 + i] + (i == j ? trace : 0);
#else
  for (int e = 0; e < SQUARE; e++) {
    real sum = 0;
    UNROLL
    for (int i = 0; i < DIRECTIONS; i++) UNROLL
    for (int j = 0; j < DIRECTIONS; j++)
      sum += c[e * 16 + (i + FROM) * 4 + j + FROM] * m[i * DIRECTIONS + j];
    k[e] = sum;
  }
#endif
}
#endif
