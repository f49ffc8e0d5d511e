/* The points of spectral elements (spectral.k.h, which includes this behind its macros): the map of a point from its element's data, and the law
 * there, by rows. Parts STATES and POINTS: the host compiles them once for all orders. */
#include "physics/law.k.h"
#include "operator/element/cofactors.k.h"

/* Values that laws keep (spectral.k.h): how far those of a row are apart, and the first one of a point of it, of the row's energies at i = N. A GPU
 * has loaded those of STATES_AHEAD points before it treats one. */
#if ITEMS_TOGETHER
#define TO_NEXT_VALUE ((ELEMS * COLUMNS + 7) / 8 * 8)
#ifndef STATES_AHEAD
#define STATES_AHEAD 2
#endif
#else
#define TO_NEXT_VALUE LANES
#define STATES_AHEAD 0
#endif
#define STATE_OF(i) (memory + (i)*law_most_states() * TO_NEXT_VALUE)
#define STATE_OR_NONE(i) (memory ? STATE_OF(i) : 0)

/* Of the map through the vertices x along the row at y (and z), per coordinate: dx/dr (constant along it), then dx/ds and its growth from one end to the other,
 * and in 3D the same of dx/dt: axis[DIM][2 DIM - 1]. */
DEVICE void axes_of_row(GLOBAL const real *x, const real y, const real z, PRIVATE real *axis)
{
  const real h = REAL(0.5);
  (void)z;
  UNROLL
  for (int c = 0; c < DIM; c++)
    FOR_LANES(l) {
      const real x0 = AT(x, c), x1 = AT(x, DIM + c), x2 = AT(x, 2 * DIM + c),
                 x3 = AT(x, 3 * DIM + c);
      PRIVATE real *to = axis + c * (2 * DIM - 1) * LANES;
#if DIM == 3
      const real x4 = AT(x, 4 * DIM + c), x5 = AT(x, 5 * DIM + c), x6 = AT(x, 6 * DIM + c),
                 x7 = AT(x, 7 * DIM + c);
      const real b0 = x0 + y * (x2 - x0), b1 = x1 + y * (x3 - x1);
      const real t0 = x4 + y * (x6 - x4), t1 = x5 + y * (x7 - x5);
      const real s0 = (x2 - x0) + z * ((x6 - x4) - (x2 - x0)),
                 s1 = (x3 - x1) + z * ((x7 - x5) - (x3 - x1));
      AT(to, 0) = h * ((b1 - b0) + z * ((t1 - t0) - (b1 - b0)));
      AT(to, 1) = h * s0, AT(to, 2) = h * (s1 - s0);
      AT(to, 3) = h * (t0 - b0), AT(to, 4) = h * ((t1 - b1) - (t0 - b0));
#else
      AT(to, 0) = h * ((x1 - x0) + y * ((x3 - x2) - (x1 - x0)));
      AT(to, 1) = h * (x2 - x0), AT(to, 2) = h * ((x3 - x1) - (x2 - x0));
#endif
    }
}

/* Map of a point, one lane: g[DIM][DIM], with sqrt(w |J|) but for what the result has, the factor of g . flux. own: J^-1 of the point, or
 * axis: axes_of_row; h: place along the row, weight: of the point. */
DEVICE real point_map(GLOBAL const real *own, PRIVATE const real *axis, const real h,
                      const real weight, const int geometry, const int order, PRIVATE real *g)
{
  real a[SHAPE];
  (void)order;
  if (geometry != 1) {
    UNROLL
    for (int m = 0; m < SHAPE; m++)
      g[m] = own[m * (ITEMS_TOGETHER && geometry ? COLUMNS : 1) * LANES];
    return geometry ? 1 : weight;
  }
  UNROLL
  for (int d = 0; d < DIM; d++) {
    PRIVATE const real *of = axis + d * (2 * DIM - 1) * LANES;
    a[d] = of[0];
    UNROLL
    for (int k = 1; k < DIM; k++) a[k * DIM + d] = of[(2 * k - 1) * LANES] + h * of[2 * k * LANES];
  }
  cofactors(a, g);
  return weight * RECIPROCAL(determinant(a, g));
}

#if STATES_AHEAD
/* state[law_states] of a point from memory; NULL: no step. */
DEVICE void load_state(GLOBAL const real *memory, const int kind, PRIVATE real *state)
{
  EACH_STATE(m, law_states(kind / 3)) state[m] = memory ? memory[m * TO_NEXT_VALUE] : 0;
}
#endif

/* One point, one lane: slopes along the row, along s (3D) and along the last direction become fluxes, by the law. p: its parameters; memory: of
 * the point's state, NULL: no step; ahead: the state, NULL: it is still in memory, which is not NULL; energy: what the law adds is added, LANES
 * apart. */
DEVICE void point_fluxes(GLOBAL const real *own, PRIVATE const real *axis, const real h,
                         const real weight, const int kind, GLOBAL const real *p,
                         GLOBAL real *memory, PRIVATE const real *ahead, PRIVATE real *energy,
                         PRIVATE real *r, LOCAL real *b, LOCAL real *d, const int order)
{
  real g[SHAPE], s[COMPONENTS * DIM], gradient[COMPONENTS * DIM], strain[STRAINS], flux[STRAINS];
  real state[MOST_STATES];
  const int states = law_states(kind / 3);
  const real factor = point_map(own, axis, h, weight, kind % 3, order, g);
  UNROLL
  for (int c = 0; c < COMPONENTS; c++) {
    s[c * DIM] = r[c * LANES], s[c * DIM + DIM - 1] = d[c * C_ALL];
    if (DIM == 3) s[c * DIM + 1] = b[c * C_SOME];
  }
  gradients(s, g, COMPONENTS, gradient);
  strain_of(gradient, strain);
  EACH_STATE(m, states) state[m] = ahead ? ahead[m] : memory[m * TO_NEXT_VALUE];
  UNROLL
  for (int m = 0; m < LAW_ENERGIES && states; m++) state[states + m] = energy[m * LANES];
  law_flux(kind / 3, p, factor, strain, state, flux);
  UNROLL
  for (int m = 0; m < LAW_ENERGIES && states; m++) energy[m * LANES] = state[states + m];
  if (!ahead || memory) EACH_STATE(m, states) memory[m * TO_NEXT_VALUE] = state[m];
  tensor_of(flux, gradient);
  slope_forces(gradient, g, COMPONENTS, s);
  UNROLL
  for (int c = 0; c < COMPONENTS; c++) {
    r[c * LANES] = s[c * DIM], d[c * C_ALL] = s[c * DIM + DIM - 1];
    if (DIM == 3) b[c * C_SOME] = s[c * DIM + 1];
  }
}

/* Brings the row's energies, one lane, to the end of the step. step: what the law has added at its points. */
DEVICE void row_energies(GLOBAL real *memory, PRIVATE const real *step)
{
  GLOBAL real *lost = memory, *heat = memory + TO_NEXT_VALUE, *held = memory + 2 * TO_NEXT_VALUE;
  const real all = *heat + step[0], now = step[LANES];
  *lost = all + now + REAL(0.5) * (now - *held);
  *heat = all, *held = now;
}

/* The law at the points of row n, y (and z) of the element: slopes r[N][COMPONENTS] along the row, b along s (3D), d along the last direction
 * become fluxes. memory: of the row, NULL: no step; weight: of the row; kind: a constant. */
DEVICE void row_fluxes(GLOBAL const real *data, GLOBAL real *memory, const int n, const real y,
                       const real z, const real weight, PRIVATE real *r, LOCAL real *b,
                       LOCAL real *d, const int order, const int kind)
{
  GLOBAL const real *parameter = data + (LINES(kind) - law_parameters(kind / 3)) * LANES;
  LANE_LINE(real, axis, DIM * (2 * DIM - 1));
  LANE_LINE(real, energy, LAW_ENERGIES);
  const int states = law_states(kind / 3);
#if STATES_AHEAD
  real ahead[(STATES_AHEAD + 1) * MOST_STATES];
  UNROLL
  for (int i = 0; i < STATES_AHEAD && i < N; i++)
    load_state(STATE_OR_NONE(i), kind, ahead + i * MOST_STATES);
#else
  LANE_LINE(real, zeros, MOST_STATES);
#endif
  (void)b, (void)order;
  UNROLL
  for (int m = 0; m < LAW_ENERGIES; m++)
    FOR_LANES(l) AT(energy, m) = 0;
  if (kind % 3 == 1) axes_of_row(data, y, z, axis);
  UNROLL_PRIVATE
  for (int i = 0; i < N; i++) {
    const real h = REAL(0.5) + REAL(0.5) * GLL_X[FIRST + i], wi = GLL_W[FIRST + i] * weight;
    GLOBAL const real *own = data + (kind % 3 == 2 ? CURVED(n, i, 0) * LANES : 0);
#if STATES_AHEAD
    if (i + STATES_AHEAD < N)
      load_state(STATE_OR_NONE(i + STATES_AHEAD), kind, ahead + STATES_AHEAD * MOST_STATES);
    point_fluxes(own, axis, h, wi, kind, parameter, STATE_OR_NONE(i), ahead, energy,
                 r + i * COMPONENTS, b + i * NODE, d + i * NODE, order);
    UNROLL
    for (int k = 0; k < STATES_AHEAD; k++)
      EACH_STATE(m, states) ahead[k * MOST_STATES + m] = ahead[(k + 1) * MOST_STATES + m];
#else
    GLOBAL real *state = memory ? STATE_OF(i) : zeros;
    for (int m = 0; m < states && !memory; m++)
      FOR_LANES(l) AT(zeros, m) = 0;
    FOR_LANES(l)
      point_fluxes(own + l, axis + l, h, wi, kind, parameter + l, state + l, 0, energy + l,
                   r + i * COMPONENTS * LANES + l, b + i * NODE + l, d + i * NODE + l, order);
#endif
  }
  if (states && memory)
    FOR_LANES(l) row_energies(STATE_OF(N) + l, energy + l);
}

/* The same for a kind that is no constant. Laws that keep state are a part of their own, which the host compiles once for all orders. */
#define TREAT(of)                                                                                  \
  if ((unsigned)(KINDS) >> (of)&1u && kind == (of))                                                \
    row_fluxes(data, memory, n, y, z, weight, r, b, d, order, of);
#define TREAT_LAW TREAT(3 * law) TREAT(3 * law + 1) TREAT(3 * law + 2)
#ifndef STATES_MADE
DEVICE_CALL void treat_states(GLOBAL const real *data, GLOBAL real *memory, const int n,
                              const real y, const real z, const real weight, PRIVATE real *r,
                              LOCAL real *b, LOCAL real *d, const int order, const int kind)
{
  int law = 0;
#define EACH_LAW(name, components)                                                                 \
  if (COMPONENTS == (components)) {                                                                \
    if (name##_STATES) {                                                                           \
      TREAT_LAW                                                                                    \
    }                                                                                              \
    law++;                                                                                         \
  }
#include "physics/list.k.h"
#undef EACH_LAW
}
#endif

#ifndef POINTS_MADE
DEVICE_CALL void treat_points(GLOBAL const real *data, GLOBAL real *memory, const int n,
                              const real y, const real z, const real weight, PRIVATE real *r,
                              LOCAL real *b, LOCAL real *d, const int order, const int kind)
{
  int law = 0;
#define EACH_LAW(name, components)                                                                 \
  if (COMPONENTS == (components)) {                                                                \
    if (!name##_STATES) {                                                                          \
      TREAT_LAW                                                                                    \
    } else if ((unsigned)(KINDS) >> 3 * law & 7u && kind / 3 == law) {                             \
      treat_states(data, memory, n, y, z, weight, r, b, d, order, kind);                           \
    }                                                                                              \
    law++;                                                                                         \
  }
#include "physics/list.k.h"
#undef EACH_LAW
}
#endif
