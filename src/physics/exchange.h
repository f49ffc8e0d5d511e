/* Faces that exchange heat with what is around the body: heat flux out of it = coefficient (T - T_sink) (Robin's condition), T the temperature or an
 * unknown of coupled equations.
 * T's part belongs to the matrix, that of T_sink to the load (A.13). */
#pragma once
#include "base/formula.h"
#include <hooke/mesh.h>

typedef struct hk_exchange {
  hk_index element;
  uint8_t face;
  double coefficient; /* heat per area, time and temperature; 0 where `by` is 0 all over the face */
  const hk_formula *by; /* the coefficient is times this at each point; borrowed; or NULL */
  double
      sink; /* where `by` depends on temperature: T_sink, times `sink_by` or NULL, which Newton's tangent needs */
  const hk_formula *sink_by;
  uint8_t component, components; /* of coupled equations, which of how many; 0, 0: the only one */
} hk_exchange;

/* Heat into the body, scale by(x, T) per area of a face or per volume of an element, that depends on temperature: the tangent of Newton's method
 * loses its derivative, integral scale d(by)/dT N_i N_j (A.25). */
typedef struct hk_feedback {
  hk_index element;
  int face; /* -1: heat per volume */
  double scale;
  const hk_formula *by; /* borrowed */
} hk_feedback;
