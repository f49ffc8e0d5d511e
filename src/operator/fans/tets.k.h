/* Heat conduction of linear tetrahedra without a matrix: tetrahedra around an edge are a fan, which loads one more node for each of them.
 * Tetrahedron (a, b, e, c) of the fan around edge a, b, all relative to a, with d the temperatures:
 *   det = b . (e x c),  G = d_b (e x c) + d_e (c x b) + d_c (b x e) = det grad T,  q = -k G / (6 |det|)
 *   f_b += q . (e x c),  f_e += q . (c x b),  f_c += q . (b x e),  f_a -= the three   (K.9)
 * One without a volume adds nothing. A group finishes nodes that follow each other, and computes all tetrahedra around them; fans of one
 * colour have no node in common, so that they add to their nodes' sums side by side, colour after colour: reproducible.
 *   group  [groups][8]      first node | nodes | first in halo | halos | first in slice | colours | first in list, in units of WIDTH | -
 *   slice  [colours + 1]    first slice of a colour; then [slices + 1], first row of a slice, counted from `first in list`
 *   halo   [..]             nodes beyond the group's own: local numbers go on with them, and with one of padding
 *   list   per slice [3 + entries][WIDTH]   local numbers of a and b, law, then the nodes around: a tetrahedron for each two that follow each
 *                           other; a itself where they do not, and as padding
 *   place  [padded][3]      coordinates of nodes
 *   law    [laws][6]        parameters of the law of tensors (physics/heat/law.k.h) */
#define DIM 3
#define COMPONENTS 1
#define PARAMETER_PLACE PRIVATE
#define PARAMETER_STRIDE LANES
#include "physics/law.k.h"

/* Where component c of the i-th record of LOAD_QUADS lies, unless the device's dialect tells. */
#ifndef QUAD
#define QUAD(i, c) ((i)*4 + (c))
#endif

/* The flux of the gradient g at a point of one lane. */
DEVICE void conduct(PRIVATE const real *k, const real gx, const real gy, const real gz,
                    PRIVATE real *qx, PRIVATE real *qy, PRIVATE real *qz)
{
  const real gradient[3] = {gx, gy, gz};
  real flux[3];
  tensor_conduction_flux(k, 1, gradient, 0, flux);
  *qx = flux[0], *qy = flux[1], *qz = flux[2];
}

/* f += the heat of LANES fans; n: their column of the slice's list, of `entries` nodes around. */
DEVICE void tets_fan(LOCAL const real *s, LOCAL real *f, GLOBAL const unsigned short *n,
                     GLOBAL const real *law, const int entries)
{
  LANE_LINE(real, a, 4); /* x, y, z, temperature */
  LANE_LINE(real, b, 4);
  LANE_LINE(real, e, 4);
  LANE_LINE(real, c, 4);
  LANE_LINE(real, w, 3); /* b x e */
  LANE_LINE(real, k, tensor_conduction_PARAMETERS);
  LANE_LINE(real, sum, 4); /* of a, of b, of e by this tetrahedron, by the one before */
  LOAD_QUADS(s, n, a);
  LOAD_QUADS(s, n + WIDTH, b);
  LOAD_QUADS(s, n + 3 * WIDTH, e);
  FOR_LANES(l) {
    UNROLL
    for (int m = 0; m < 4; m++)
      b[m * LANES + l] -= a[m * LANES + l], e[m * LANES + l] -= a[m * LANES + l];
    const real bx = b[l], by = b[LANES + l], bz = b[2 * LANES + l];
    const real ex = e[l], ey = e[LANES + l], ez = e[2 * LANES + l];
    w[l] = by * ez - bz * ey, w[LANES + l] = bz * ex - bx * ez;
    w[2 * LANES + l] = bx * ey - by * ex;
    UNROLL
    for (int m = 0; m < tensor_conduction_PARAMETERS; m++)
      k[m * LANES + l] =
          REAL(-0.16666666666666667) * law[n[2 * WIDTH + l] * tensor_conduction_PARAMETERS + m];
    sum[l] = sum[LANES + l] = sum[3 * LANES + l] = 0;
  }
  for (int p = 1; p < entries; p++) {
    GLOBAL const unsigned short *at = n + (3 + p) * WIDTH;
    LOAD_QUADS(s, at, c);
    FOR_LANES(l) {
      const real bx = b[l], by = b[LANES + l], bz = b[2 * LANES + l];
      const real ex = e[l], ey = e[LANES + l], ez = e[2 * LANES + l];
      const real cx = c[l] - a[l], cy = c[LANES + l] - a[LANES + l],
                 cz = c[2 * LANES + l] - a[2 * LANES + l], dc = c[3 * LANES + l] - a[3 * LANES + l];
      const real vx = by * cz - bz * cy, vy = bz * cx - bx * cz, vz = bx * cy - by * cx;
      const real nx = ey * cz - ez * cy, ny = ez * cx - ex * cz, nz = ex * cy - ey * cx;
      const real det = bx * nx + by * ny + bz * nz, size = det < 0 ? -det : det,
                 over = size > 0 ? RECIPROCAL(size) : 0;
      const real db = b[3 * LANES + l], de = e[3 * LANES + l];
      const real gx = over * (db * nx - de * vx + dc * w[l]),
                 gy = over * (db * ny - de * vy + dc * w[LANES + l]),
                 gz = over * (db * nz - de * vz + dc * w[2 * LANES + l]);
      real qx, qy, qz;
      conduct(k + l, gx, gy, gz, &qx, &qy, &qz);
      const real tb = qx * nx + qy * ny + qz * nz, te = -(qx * vx + qy * vy + qz * vz),
                 tc = qx * w[l] + qy * w[LANES + l] + qz * w[2 * LANES + l];
      sum[l] -= tb + te + tc, sum[LANES + l] += tb;
      sum[2 * LANES + l] = sum[3 * LANES + l] + te, sum[3 * LANES + l] = tc;
      e[l] = cx, e[LANES + l] = cy, e[2 * LANES + l] = cz, e[3 * LANES + l] = dc;
      w[l] = vx, w[LANES + l] = vy, w[2 * LANES + l] = vz;
    }
    FOR_LANES(l) f[at[l - WIDTH]] += sum[2 * LANES + l];
  }
  FOR_LANES(l) f[n[(2 + entries) * WIDTH + l]] += sum[3 * LANES + l];
  FOR_LANES(l) f[n[WIDTH + l]] += sum[LANES + l];
  FOR_LANES(l) f[n[l]] += sum[l];
}

KERNEL tets_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT group,
                 GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT halo,
                 GLOBAL const unsigned short *RESTRICT list, GLOBAL const real *RESTRICT place,
                 GLOBAL const real *RESTRICT law)
{
  LOCAL_BEGIN
  STATE_BEGIN
  GLOBAL const int *g = group + PATCH_ID * 8;
  GLOBAL const int *h = halo + g[2];
  GLOBAL const int *colour = slice + g[4];
  const int first = g[0], nodes = g[1], halos = g[3], colours = g[5];
  GLOBAL const int *row = colour + colours + 1;
  GLOBAL const unsigned short *own = list + (long)g[6] * WIDTH;
  LOCAL_ARRAY(real, s, MAX_LOCAL * 4);
  LOCAL_ARRAY(real, f, MAX_LOCAL);

  FOR_ITEMS(k, nodes) UNROLL
  for (int c = 0; c < 3; c++) s[QUAD(k, c)] = place[(long)(first + k) * 3 + c];
  FOR_ITEMS(k, halos) UNROLL
  for (int c = 0; c < 3; c++) s[QUAD(nodes + k, c)] = place[(long)h[k] * 3 + c];
  FOR_ITEMS(k, 4) s[QUAD(nodes + halos, k)] = 0;
  FOR_ITEMS(k, nodes + halos + 1) f[k] = 0;
  STATE_GRID_WAIT;
  FOR_ITEMS(k, nodes) s[QUAD(k, 3)] = u[first + k];
  FOR_ITEMS(k, halos) s[QUAD(nodes + k, 3)] = u[h[k]];
  BARRIER();
  for (int c = 0; c < colours; c++) {
    const int begin = colour[c], slices = colour[c + 1] - begin;
    FOR_ITEMS(k, slices * (WIDTH / LANES)) {
      const int which = begin + k * LANES / WIDTH, at = row[which];
      tets_fan(s, f, own + (long)at * WIDTH + k * LANES % WIDTH, law, row[which + 1] - at - 3);
    }
    BARRIER();
  }
  FOR_ITEMS(k, nodes / LANES)
    FOR_LANES(l) {
      const int n = k * LANES + l, i = first + n;
      finish(out, v, i, s[QUAD(n, 3)], f[n], LAST(i), FACTOR(i), DAMPING(i), LOSS);
    }
  LOSS_END
}
