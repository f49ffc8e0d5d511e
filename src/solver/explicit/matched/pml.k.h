/* A perfectly matched layer of spectral elements, beside an operator that knows nothing of it. Coordinates across the layer are stretched by
 * s_j = 1 + d_j / (alpha + i w) (S.10); times s = prod s_j the equation is (S.11), m third and n the last direction beside j
 * (2D: one of them, the other's d 0),
 *   s rho u'' = d_j F_j,  F_j = C : h^(j),   column j of h^(j) = s / s_j^2 du/dx_j,   column l of h^(j) = s_m du/dx_l  (l, m other than j; 2D: as ever)
 * With w_1' + alpha w_1 = u, w_k+1' + alpha w_k+1 = w_k all is ordinary differential equations in time at each node:
 *   s / s_j^2 du/dx_j = du/dx_j + e_j,  e_j' + (alpha + d_j) e_j = (d_m + d_n - d_j) du/dx_j + d_m d_n dw_1/dx_j,   s_m du/dx_l = du/dx_l + d_m dw_1/dx_l
 *   s u'' = u'' + (sum d) u' + t_0 u + t_1 w_1 + t_2 w_2 + t_3 w_3
 * (sum d) u' is damping of the epilogue; what is left are forces that are added to the operator's. x' + g x = y is stepped by
 * x_n = q + c y_n, q <- a x_n + c y_n,  a = exp(-g dt), c = (1 - a) / (2 g) (S.12): second order, one number kept. Nodes of the outer faces are held.
 * Solids with attenuation (RELAXED) have C - sum over l of C_l w_l / (w_l + i w) in place of C: their mechanisms follow C_l : h^(j) as they follow the
 * strain in the body (V.1), (V.3), so that the layer is matched to it at all frequencies.
 * RING, of axisymmetric models (r = x, z = y): the circumference is stretched too, s_2 = 1 + d_2 / (alpha + i w) (S.18), the third
 * direction of all of the above. Across it solids have u_r / r in place of a slope, at points on the axis du_r/dr, and F_2 = its stress, which acts
 * on u_r / r; memory has e_2 of u_r behind all else, law the upper triangle of the 4 x 4 stiffness of (E.13).
 * Fluids have one component, q: F_j = k (s / s_j^2) dq/dx_j alone, k = 1 / density, and 1 / K for rho. In a body of both q is component 0 of
 * STATE, elements of fluids are batches behind those of solids, and pml_fsi couples the two.
 * After Komatitsch and Martin 2007, Meza-Fajardo and Papageorgiou 2008 (d has parts across), in second order as Grote and Sim 2010.
 *   place    [batches][points][LANES]   node of the layer;  node [nodes]: its internal number;  points = side^DIM, i + side j + side^2 k
 *   shape    [batches][points][SHAPES][LANES]   d xi_a / d x_c by rows a, then w det J (RING: times 2 pi r; then 1 / r, 0 on the axis)
 *   law      [batches][LAWS][LANES]: by rows, or k
 *   stretch  [nodes][WAYS][3]: d, a and c of e;  line [side][side]: derivatives of the shape functions; RING: some of them, those of direction a at
 *            lines[batches][DIM]
 *   memory   [shots][batches][points][MEMORIES][LANES]: q of e_j, component k, at j COMPONENTS + k;  COMPONENTS: DIM, or 1 (fluids);
 *            with RELAXED then s of mechanism l of F_j, half a step before: component k at ((1 + l) DIM + j) COMPONENTS + k
 *   past     [shots][nodes][STATE][WAYS]: q of w_1, w_2 (w_3);  slot [shots][slots]: [batches][points][STATE][LANES], then those of interface nodes
 * STATE: components of a node, DIM, 1 in a body of fluids alone, or 3 in 2D (law spatial), which are COMPONENTS too.
 *   head: numbers (LIST_*), then the places of arrays in list, all integers */
#define LIST_SIDE 0
#define LIST_POINTS 1
#define LIST_NODES 2
#define LIST_BATCHES 3
#define LIST_SLOTS 4
#define LIST_FIRST_FSI 5
#define LIST_FSI_FLUIDS 6
#define LIST_PLACE 7 /* places */
#define LIST_NODE 8
#define LIST_BEGIN 9
#define LIST_FROM 10
#define LIST_FSI_BEGIN 11
#define LIST_FSI_FLUID 12
#define LIST_FSI_SOLID 13
#define LIST_SHOTS 14 /* numbers of the solver */
#define LIST_PADDED 15
#define LIST_FORCE_ROWS 16
#define LIST_ANY_LOADED 17 /* whether any force acts on the layer */
#define LIST_LINES 19
#define LISTED(name, place) GLOBAL const int *RESTRICT name = list + head.at[place];
#include "physics/law.k.h"
#ifndef RELAXED
#define RELAXED 0
#endif
#ifndef RING
#define RING 0
#endif
#define RING_LAW 10
#define SOLID                                                                                      \
  (RING          ? RING_LAW                                                                        \
   : STATE > DIM ? spatial_PARAMETERS                                                              \
   : RELAXED     ? viscoelastic_anisotropic_PARAMETERS                                             \
                 : anisotropic_PARAMETERS)
#define LAWS (STATE == 1 ? fluid_PARAMETERS : SOLID)
#define MEMORY (RELAXED ? (1 + MECHANISMS) * DIM : DIM)
#define MEMORIES (MEMORY * STATE + RING)
#define SHAPES (DIM * DIM + 1 + RING)
#define WAYS (DIM + RING) /* directions that are stretched */
#define AT(a, m) (a)[(m)*LANES + l]

#if RING
#define LINES(a) lines[a]
#else
#define LINES(a) 0
#endif

/* s[k][a] = d from_k / d xi_a at point i of an element in local memory. */
DEVICE void slopes_at(LOCAL const real *from, GLOBAL const real *RESTRICT line,
                      GLOBAL const int *RESTRICT lines, const int side, const int i,
                      PRIVATE real *s)
{
  for (int a = 0, step = 1; a < DIM; a++, step *= side) {
    const int row = i / step % side;
    GLOBAL const real *d = line + LINES(a) + row * side;
    LOCAL const REALS *x = (LOCAL const REALS *)from + (i - row * step) * COMPONENTS;
    REALS sum[COMPONENTS];
    UNROLL
    for (int k = 0; k < COMPONENTS; k++) sum[k] = d[0] * x[k];
    for (int m = 1; m < side; m++) UNROLL
    for (int k = 0; k < COMPONENTS; k++) sum[k] += d[m] * x[m * step * COMPONENTS + k];
    UNROLL
    for (int k = 0; k < COMPONENTS; k++) ((PRIVATE REALS *)s)[k * DIM + a] = sum[k];
  }
}

/* g[k][c] = sum_a s[k][a] shape[a][c] */
DEVICE void turn(PRIVATE const real *s, GLOBAL const real *RESTRICT shape, PRIVATE real *g)
{
  FOR_LANES(l) UNROLL
  for (int k = 0; k < COMPONENTS; k++) UNROLL
  for (int c = 0; c < DIM; c++) {
    real sum = 0;
    UNROLL
    for (int a = 0; a < DIM; a++) sum += AT(s, k * DIM + a) * AT(shape, a * DIM + c);
    AT(g, k * DIM + c) = sum;
  }
}

/* t[k][a] = w det J sum_j shape[a][j] f[k][j] */
DEVICE void turn_back(PRIVATE const real *f, GLOBAL const real *RESTRICT shape, LOCAL real *t)
{
  FOR_LANES(l) UNROLL
  for (int k = 0; k < COMPONENTS; k++) UNROLL
  for (int a = 0; a < DIM; a++) {
    real sum = 0;
    UNROLL
    for (int j = 0; j < DIM; j++) sum += AT(shape, a * DIM + j) * AT(f, k * DIM + j);
    AT(t, k * DIM + a) = sum * AT(shape, DIM * DIM);
  }
}

/* d, a and c of the nodes `at`. */
DEVICE void stretch_at(GLOBAL const real *RESTRICT stretch, GLOBAL const int *RESTRICT at,
                       PRIVATE real *d, PRIVATE real *fade, PRIVATE real *gain)
{
  FOR_LANES(l) UNROLL
  for (int c = 0; c < WAYS; c++) {
    AT(d, c) = stretch[(at[l] * WAYS + c) * 3];
    AT(fade, c) = stretch[(at[l] * WAYS + c) * 3 + 1];
    AT(gain, c) = stretch[(at[l] * WAYS + c) * 3 + 2];
  }
}

#if RELAXED && COMPONENTS > 1
/* Column j of C : h^(j) becomes that of the mechanisms too, whose s they bring to the end of the step. p: lambda_l, mu_l, e_l of each. */
DEVICE void column_relax(GLOBAL const real *p, PRIVATE const real *strain, GLOBAL real *memory,
                         const int j, PRIVATE real *h)
{
  UNROLL
  for (int l = 0; l < MECHANISMS; l++) {
    const real keep = PARAMETER(3 * l + 2);
    real stress[VOIGTS], g[DIM * DIM];
    isotropic_stress(PARAMETER(3 * l), PARAMETER(3 * l + 1), strain, stress);
    tensor_of(stress, g);
    UNROLL
    for (int i = 0; i < DIM; i++) {
      GLOBAL real *s = memory + (((1 + l) * DIM + j) * DIM + i) * LANES;
      const real after = keep * *s + (1 - keep) * g[i * DIM + j];
      h[i * DIM + j] -= REAL(0.5) * (*s + after);
      *s = after;
    }
  }
}
#endif

/* e_j at the end of the step; y: its right side, gain and fade its c and a. */
DEVICE real column_step(GLOBAL real *last, const real gain, const real fade, const real y)
{
  const real e = *last + gain * y;
  *last = fade * e + gain * y;
  return e;
}

/* The right side of e_j: slope and its w are those across j, m and n the other directions. */
#define COLUMN_SIDE(j, m, n, slope, w)                                                             \
  ((d[(m)*LANES] + d[(n)*LANES] - d[(j)*LANES]) * (slope) + d[(m)*LANES] * d[(n)*LANES] * (w))

#if RING && COMPONENTS > 1
/* f[i][j] and hoop = F_2 of one lane, as column_flux; around: u_r / r, and that of w_1. */
DEVICE void ring_flux(PRIVATE const real *g, PRIVATE const real *w, const real around,
                      const real around_w, PRIVATE const real *d, PRIVATE const real *fade,
                      PRIVATE const real *gain, GLOBAL const real *p, GLOBAL real *memory,
                      PRIVATE real *f, PRIVATE real *hoop)
{
  const real d0 = d[0], d1 = d[LANES], d2 = d[2 * LANES];
  real e[4], strain[4], flux[4];
  UNROLL
  for (int j = 0; j < 2; j++) UNROLL
  for (int k = 0; k < 2; k++)
    e[k * 2 + j] =
        column_step(memory + (j * 2 + k) * LANES, gain[j * LANES], fade[j * LANES],
                    COLUMN_SIDE(j, 1 - j, 2, g[(k * 2 + j) * LANES], w[(k * 2 + j) * LANES]));
  strain[0] = e[0], strain[1] = d2 * w[3 * LANES];
  strain[2] = e[2] + d2 * w[LANES], strain[3] = d1 * around_w;
  matrix_flux(4, p, 1, strain, 0, flux);
  f[0] = flux[0], f[2 * LANES] = flux[2];
  strain[0] = d2 * w[0], strain[1] = e[3];
  strain[2] = e[1] + d2 * w[2 * LANES], strain[3] = d0 * around_w;
  matrix_flux(4, p, 1, strain, 0, flux);
  f[LANES] = flux[2], f[3 * LANES] = flux[1];
  strain[0] = d1 * w[0], strain[1] = d0 * w[3 * LANES];
  strain[2] = d0 * w[LANES] + d1 * w[2 * LANES];
  strain[3] = column_step(memory + MEMORY * STATE * LANES, gain[2 * LANES], fade[2 * LANES],
                          COLUMN_SIDE(2, 0, 1, around, around_w));
  matrix_flux(4, p, 1, strain, 0, flux);
  *hoop = flux[3];
}

/* At a point of radius 1 / own[DIM DIM + 1], node i of the element; on the axis F_2 acts on du_r/dr, and hoop is 0. */
DEVICE void ring_fluxes(PRIVATE const real *g, PRIVATE const real *w, LOCAL const real *now,
                        LOCAL const real *was, GLOBAL const real *RESTRICT own,
                        PRIVATE const real *d, PRIVATE const real *fade, PRIVATE const real *gain,
                        GLOBAL const real *RESTRICT law, GLOBAL real *RESTRICT memory,
                        PRIVATE real *f, LOCAL real *hoop)
{
  FOR_LANES(l) {
    const real pace = AT(own, DIM * DIM + 1);
    real force;
    ring_flux(g + l, w + l, pace > 0 ? pace * now[l] : g[l], pace > 0 ? pace * was[l] : w[l], d + l,
              fade + l, gain + l, law + l, memory + l, f + l, &force);
    f[l] += pace > 0 ? 0 : force;
    hoop[l] = pace * AT(own, DIM * DIM) * force;
  }
}
#else
/* Column j of f[i][j] of one lane, whose values are LANES apart: what the layer adds to F_j, h^(j) without du/dx. d, fade, gain [WAYS];
 * memory [MEMORY][COMPONENTS]; g, w: slopes of u and (three directions) w_1. */
DEVICE void column_flux(PRIVATE const real *g, PRIVATE const real *w, PRIVATE const real *d,
                        PRIVATE const real *fade, PRIVATE const real *gain, GLOBAL const real *p,
                        GLOBAL real *memory, const int j, PRIVATE real *f)
{
  real h[COMPONENTS * DIM], strain[STRAINS], flux[STRAINS];
  const int m = (j + 1) % DIM, n = RING ? 2 : (j + 2) % DIM;
  UNROLL
  for (int k = 0; k < COMPONENTS; k++) {
#if WAYS == 3
    const real y = COLUMN_SIDE(j, m, n, g[(k * DIM + j) * LANES], w[(k * DIM + j) * LANES]);
#else
    const real y = (d[m * LANES] - d[j * LANES]) * g[(k * DIM + j) * LANES];
#endif
#if DIM == 3
    h[k * DIM + m] = d[n * LANES] * w[(k * DIM + m) * LANES];
    h[k * DIM + n] = d[m * LANES] * w[(k * DIM + n) * LANES];
#else
    h[k * DIM + m] = 0;
#endif
    h[k * DIM + j] =
        column_step(memory + (j * COMPONENTS + k) * LANES, gain[j * LANES], fade[j * LANES], y);
  }
  strain_of(h, strain);
#if COMPONENTS == 1
  fluid_flux(p, 1, strain, 0, flux);
#elif COMPONENTS > DIM
  spatial_flux(p, 1, strain, 0, flux);
#else
  anisotropic_flux(p, 1, strain, 0, flux);
#endif
  tensor_of(flux, h);
#if RELAXED && COMPONENTS > 1
  column_relax(p + anisotropic_PARAMETERS * PARAMETER_STRIDE, strain, memory, j, h);
#endif
  UNROLL
  for (int i = 0; i < COMPONENTS; i++) f[(i * DIM + j) * LANES] = h[i * DIM + j];
}

DEVICE void fluxes(PRIVATE const real *g, PRIVATE const real *w, PRIVATE const real *d,
                   PRIVATE const real *fade, PRIVATE const real *gain,
                   GLOBAL const real *RESTRICT law, GLOBAL real *RESTRICT memory, PRIVATE real *f)
{
  UNROLL
  for (int j = 0; j < DIM; j++)
    FOR_LANES(l)
      column_flux(g + l, w + l, d + l, fade + l, gain + l, law + l, memory + l, j, f + l);
}
#endif

/* f[k] -= sum over the lines through point i of the slopes of its function times flux[k][a]. */
DEVICE void take_slopes(LOCAL const real *flux, GLOBAL const real *RESTRICT line,
                        GLOBAL const int *RESTRICT lines, const int side, const int i,
                        PRIVATE real *f)
{
  for (int a = 0, step = 1; a < DIM; a++, step *= side) {
    const int row = i / step % side;
    LOCAL const REALS *x = (LOCAL const REALS *)flux + (i - row * step) * COMPONENTS * DIM + a;
    REALS sum[COMPONENTS];
    UNROLL
    for (int k = 0; k < COMPONENTS; k++) sum[k] = ((PRIVATE REALS *)f)[k];
    for (int m = 0; m < side; m++) UNROLL
    for (int k = 0; k < COMPONENTS; k++)
      sum[k] -= line[LINES(a) + m * side + row] * x[(m * step * COMPONENTS + k) * DIM];
    UNROLL
    for (int k = 0; k < COMPONENTS; k++) ((PRIVATE REALS *)f)[k] = sum[k];
  }
}

/* The forces of one batch of elements on their nodes, to slots. */
KERNEL pml_forces(GROUP_PARAM GLOBAL const real *RESTRICT u, const integers head,
                  GLOBAL const int *RESTRICT list, GLOBAL const real *RESTRICT shape,
                  GLOBAL const real *RESTRICT law, GLOBAL const real *RESTRICT stretch,
                  GLOBAL const real *RESTRICT line, GLOBAL real *RESTRICT memory,
                  GLOBAL real *RESTRICT past, GLOBAL real *RESTRICT slot, const real gain_w)
{
  const int side = head.at[LIST_SIDE], points = head.at[LIST_POINTS], nodes = head.at[LIST_NODES],
            batches = head.at[LIST_BATCHES], slots = head.at[LIST_SLOTS],
            shots = head.at[LIST_SHOTS], padded = head.at[LIST_PADDED];
  LISTED(place, LIST_PLACE)
  LISTED(node, LIST_NODE)
  const int batch = GROUP_ID / shots, shot = GROUP_ID % shots;
  GLOBAL const int *RESTRICT lines = list + head.at[LIST_LINES] + batch * DIM;
  LOCAL_BEGIN
  LOCAL_ARRAY(real, now, MOST * COMPONENTS * LANES);
#if WAYS == 3
  LOCAL_ARRAY(real, was, MOST * COMPONENTS * LANES);
#endif
  LOCAL_ARRAY(real, flux, MOST * COMPONENTS * DIM * LANES);
#if RING && COMPONENTS > 1
  LOCAL_ARRAY(real, hoop, MOST * LANES);
#endif
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(u);
  FOR_ITEMS(i, points) {
    GLOBAL const int *at = place + ((long)batch * points + i) * LANES;
    FOR_LANES(l) {
      const long o = ((long)shot * padded + node[at[l]]) * STATE;
      UNROLL
      for (int c = 0; c < COMPONENTS; c++) now[(i * COMPONENTS + c) * LANES + l] = u[o + c];
#if WAYS == 3
      UNROLL
      for (int c = 0; c < COMPONENTS; c++)
        was[(i * COMPONENTS + c) * LANES + l] =
            past[(((long)shot * nodes + at[l]) * STATE + c) * WAYS] + gain_w * u[o + c];
#endif
    }
  }
  BARRIER();
  FOR_ITEMS(i, points) {
    const long q = (long)batch * points + i;
    GLOBAL const int *at = place + q * LANES;
    GLOBAL const real *own = shape + q * SHAPES * LANES;
    GLOBAL real *last = memory + (((long)shot * batches + batch) * points + i) * MEMORIES * LANES;
    LANE_LINE(real, s, COMPONENTS * DIM);
    LANE_LINE(real, g, COMPONENTS * DIM);
    LANE_LINE(real, w, COMPONENTS * DIM);
    LANE_LINE(real, f, COMPONENTS * DIM);
    LANE_LINE(real, d, WAYS);
    LANE_LINE(real, fade, WAYS);
    LANE_LINE(real, gain, WAYS);
    stretch_at(stretch, at, d, fade, gain);
    slopes_at(now, line, lines, side, i, s);
    turn(s, own, g);
#if WAYS == 3
    slopes_at(was, line, lines, side, i, s);
    turn(s, own, w);
#endif
#if RING && COMPONENTS > 1
    ring_fluxes(g, w, now + i * COMPONENTS * LANES, was + i * COMPONENTS * LANES, own, d, fade,
                gain, law + (long)batch * LAWS * LANES, last, f, hoop + i * LANES);
#else
    fluxes(g, w, d, fade, gain, law + (long)batch * LAWS * LANES, last, f);
#endif
    turn_back(f, own, flux + i * COMPONENTS * DIM * LANES);
  }
  BARRIER();
  FOR_ITEMS(i, points) {
    LANE_LINE(real, f, COMPONENTS);
    GLOBAL real *to = slot + (long)shot * slots + ((long)batch * points + i) * STATE * LANES;
    FOR_LANES(l) UNROLL
    for (int k = 0; k < COMPONENTS; k++) AT(f, k) = 0;
#if RING && COMPONENTS > 1
    FOR_LANES(l) AT(f, 0) = -hoop[i * LANES + l];
#endif
    take_slopes(flux, line, lines, side, i, f);
    FOR_LANES(l) UNROLL
    for (int k = 0; k < COMPONENTS; k++) AT(to, k) = AT(f, k);
  }
}

#if THREADS > 1
#define ROWS THREADS
#else
#define ROWS CHUNK
#endif

/* w[m] = w_m+1 of one component of a node, x its u; q its part of past. */
DEVICE void convolve(GLOBAL const real *RESTRICT q, const real x, const real gain_w,
                     PRIVATE real *w)
{
  real before = x;
  UNROLL
  for (int m = 0; m < WAYS; m++) {
    before = q[m] + gain_w * before;
    w[m] = before;
  }
}

/* t_0 x + t_1 w_1 + t_2 w_2 (+ t_3 w_3) */
DEVICE real weigh(GLOBAL const real *RESTRICT t, const real x, PRIVATE const real *w)
{
  real sum = t[0] * x;
  UNROLL
  for (int m = 0; m < WAYS; m++) sum += t[m + 1] * w[m];
  return sum;
}

#if STATE == COMPONENTS

/* The forces of the layer on its nodes: those of its elements in the order of the lists, and -t of the node; increments, state, what they
 * lose, and the work of forces on them (loaded, as of dashpots in solver/explicit/sources.k.h).
 *   begin [nodes + 1], from: offsets in a shot's slots of component 0, further ones LANES apart, those of pml_fsi last;  term [nodes][4]: mass times t
 *   hold [shots][nodes]: bit c: component c is held by a condition, and no force
 *   acts along it; bit COMPONENTS: its other components are held here;  then loaded [shots][nodes][COMPONENTS]
 *   last [shots][nodes][COMPONENTS]: the increment before;  behind it loss [shots][nodes];  change: see solver/explicit/sources.k.h */
KERNEL pml_nodes(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                 GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT b,
                 GLOBAL const real *RESTRICT a, const integers head,
                 GLOBAL const int *RESTRICT list, GLOBAL const int *RESTRICT hold,
                 GLOBAL const real *RESTRICT term, GLOBAL real *RESTRICT slot,
                 GLOBAL real *RESTRICT past, GLOBAL double *RESTRICT last,
                 GLOBAL double *RESTRICT change, const real fade_w, const real gain_w)
{
  const int nodes = head.at[LIST_NODES], slots = head.at[LIST_SLOTS], shots = head.at[LIST_SHOTS],
            padded = head.at[LIST_PADDED], force_rows = head.at[LIST_FORCE_ROWS],
            any_loaded = head.at[LIST_ANY_LOADED];
  LISTED(node, LIST_NODE)
  LISTED(begin, LIST_BEGIN)
  LISTED(from, LIST_FROM)
  GLOBAL const int *RESTRICT loaded = hold + (long)shots * nodes;
  GLOBAL double *RESTRICT loss = last + (long)shots * nodes * COMPONENTS;
  GLOBAL const double *RESTRICT force_now = change;
  GLOBAL double *RESTRICT force_last = change + force_rows;
  GLOBAL double *RESTRICT force_work = change + 2 * (long)force_rows;
  const int shot = GROUP_ID % shots, first = GROUP_ID / shots * ROWS, left = nodes - first,
            rows = left > ROWS ? ROWS : left;
  GLOBAL const real *own = slot + (long)shot * slots;
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(u);
  FOR_EACH(k, rows, ROWS)
  {
    const int i = first + k, r = shot * nodes + i, n = node[i],
              origin = (shot * padded + n) * COMPONENTS;
    const double B = (double)b[n];
    const int holds = hold[r];
    double lost = 0;
    real sum[COMPONENTS];
    UNROLL
    for (int c = 0; c < COMPONENTS; c++) sum[c] = 0;
    for (int p = begin[i]; p < begin[i + 1]; p++) UNROLL
    for (int c = 0; c < COMPONENTS; c++) sum[c] += own[from[p] + c * LANES];
    UNROLL
    for (int c = 0; c < COMPONENTS; c++) {
      const int o = origin + c, held = holds >> COMPONENTS & 1 && !(holds >> c & 1);
      GLOBAL real *q = past + ((long)r * COMPONENTS + c) * WAYS;
      real w[WAYS];
      convolve(q, u[o], gain_w, w);
      real f = sum[c] - weigh(term + i * 4, u[o], w);
      UNROLL
      for (int m = 0; m < WAYS; m++) q[m] = fade_w * w[m] + gain_w * (m ? w[m - 1] : u[o]);
      if (holds >> c & 1) f = 0;
      const double before = last[r * COMPONENTS + c], free = INCREMENT(o);
#if FORM == 2
      v[o] = held ? 0 : (real)(free + B * (double)f);
      out[o] = u[o] + v[o];
#else
      out[o] = held ? u[o] : (real)((double)out[o] + B * (double)f);
#endif
      const double after = INCREMENT(o);
      lost += LOSS_CORRECTION(DECAY(n), B, before, free, after) -
              (held ? 0 : 0.5 * (double)f * (after + before));
      last[r * COMPONENTS + c] = after;
      if (any_loaded && loaded[r * COMPONENTS + c] >= 0) {
        const int pushed = loaded[r * COMPONENTS + c];
        force_work[pushed] += force_now[pushed] * 0.5 * (after - free);
        force_last[pushed] = after;
      }
    }
    loss[r] += lost;
  }
}

#if STATE > 1
/* The elements' forces on component c of node i of the layer, and -t of it; w: its convolutions. */
DEVICE real layer_force(GLOBAL const real *slot, GLOBAL const int *RESTRICT begin,
                        GLOBAL const int *RESTRICT from, GLOBAL const real *RESTRICT term,
                        const int first_slot, const int i, const int c, const real x,
                        PRIVATE const real *w)
{
  real sum = 0;
  for (int p = begin[i]; p < begin[i + 1] && from[p] < first_slot; p++)
    sum += slot[from[p] + c * LANES];
  return sum - weigh(term + i * 4, x, w);
}

/* e(x) of the step that the operator's kernel has left: r_0 x averaged, and its convolutions (S.14, S.15). */
DEVICE real layer_rate(GLOBAL const real *RESTRICT rate, const real x, const real change,
                       PRIVATE const real *w)
{
  return rate[0] * (x + change / 4) + rate[1] * w[0] + rate[2] * w[1];
}
#define BEFORE(r, c) last[(r)*STATE + (c)]

/* Where a fluid meets a solid in the layer, between pml_forces and pml_nodes. Stretched, the forces on each other (S.8) are
 *   fluid  sum_c a_c (u_c' + e(u_c)),   solid  -a_c (q' + e(q)),   e(x) = r_0 x + r_1 w_1 + r_2 w_2   (S.14)
 * with r of direction c; x is averaged, (x_n-1 + 2 x_n + x_n+1) / 4 (S.15). The operator's kernel has solved for q' and u' of the step without the
 * layer; what the layer's forces change is solved here as there (operator/spectral/fsi.k.h, S.9). Forces of q' and u' do no work in sum: what these
 * here do is no loss.
 *   fsi_begin [fluids + 1]    of each fluid node's entries
 *   fluid [fluids], solid [entries]   nodes of the layer;   normal [entries][DIM] a;   rates [fluids][DIM][3] r
 *   slots from first_slot on: of fluid node p number p, of entry j number fluids + j;   rate  1 / (2 dt) */
#define FSI_SLOT(k) (first_slot + (k) / LANES * (STATE * LANES) + (k) % LANES)
KERNEL pml_fsi(GROUP_PARAM GLOBAL const real *RESTRICT out, GLOBAL const real *RESTRICT v,
               GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT b, const integers head,
               GLOBAL const int *RESTRICT list, GLOBAL const real *RESTRICT term, GLOBAL real *slot,
               GLOBAL const real *RESTRICT past, GLOBAL double *last,
               GLOBAL const real *RESTRICT normal, GLOBAL const real *RESTRICT rates,
               const real rate, const real gain_w)
{
  const int nodes = head.at[LIST_NODES], slots = head.at[LIST_SLOTS],
            first_slot = head.at[LIST_FIRST_FSI], fluids = head.at[LIST_FSI_FLUIDS],
            shots = head.at[LIST_SHOTS], padded = head.at[LIST_PADDED];
  LISTED(node, LIST_NODE)
  LISTED(begin, LIST_BEGIN)
  LISTED(from, LIST_FROM)
  LISTED(fsi_begin, LIST_FSI_BEGIN)
  LISTED(fluid, LIST_FSI_FLUID)
  LISTED(solid, LIST_FSI_SOLID)
  GLOBAL double *RESTRICT loss = last + (long)shots * nodes * STATE;
  const int shot = GROUP_ID % shots, first = GROUP_ID / shots * ROWS, left = fluids - first,
            rows = left > ROWS ? ROWS : left;
  GLOBAL real *own = slot + (long)shot * slots;
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(out);
  RELOAD(v);
  RELOAD(u);
  RELOAD(past);
  RELOAD(last);
  FOR_EACH(k, rows, ROWS)
  {
    const int p = first + k, i = fluid[p], n = node[i], r = shot * nodes + i,
              o = (shot * padded + n) * STATE;
    GLOBAL const real *e = rates + p * DIM * 3;
    const real x = u[o], change = (real)(INCREMENT(o) - BEFORE(r, 0));
    real w[WAYS], sum = 0, share = 1;
    convolve(past + (long)r * STATE * WAYS, x, gain_w, w);
    sum = layer_force(own, begin, from, term, first_slot, i, 0, x, w);
    for (int j = fsi_begin[p]; j < fsi_begin[p + 1]; j++)
      for (int c = 0; c < DIM; c++) {
        const int h = solid[j], at = shot * nodes + h, s = (shot * padded + node[h]) * STATE + c;
        const real a = normal[j * DIM + c], all = a * (rate + e[c * 3] / 4), y = u[s];
        real z[WAYS];
        convolve(past + ((long)at * STATE + c) * WAYS, y, gain_w, z);
        sum += a * layer_rate(e + c * 3, y, (real)(INCREMENT(s) - BEFORE(at, c)), z) +
               all * b[node[h]] *
                   (layer_force(own, begin, from, term, first_slot, h, c, y, z) -
                    a * layer_rate(e + c * 3, x, change, w));
        share += all * all * b[n] * b[node[h]];
      }
    const real more = b[n] * sum / share;
    const double both = INCREMENT(o) + BEFORE(r, 0) + (double)more;
    real force = 0;
    double lost = 0;
    for (int j = fsi_begin[p]; j < fsi_begin[p + 1]; j++)
      for (int c = 0; c < DIM; c++) {
        const int h = solid[j], at = shot * nodes + h, s = (shot * padded + node[h]) * STATE + c;
        const real a = normal[j * DIM + c], all = a * (rate + e[c * 3] / 4), y = u[s];
        real z[WAYS];
        convolve(past + ((long)at * STATE + c) * WAYS, y, gain_w, z);
        const real f = -a * layer_rate(e + c * 3, x, change, w) - all * more,
                   then = b[node[h]] *
                          (layer_force(own, begin, from, term, first_slot, h, c, y, z) + f);
        own[FSI_SLOT(fluids + j) + c * LANES] = f;
        force += a * layer_rate(e + c * 3, y, (real)(INCREMENT(s) - BEFORE(at, c)), z) + all * then;
        lost +=
            0.5 * (double)(a * rate) *
            ((double)then * both - (double)more * (INCREMENT(s) + BEFORE(at, c) + (double)then));
      }
    own[FSI_SLOT(p)] = force;
    loss[r] += lost;
  }
}
#endif
#endif
