/* Faces that exchange heat with what is around the body: heat flux out of it = coefficient (T - T_sink) (Robin's condition).
 * T's part belongs to the matrix, that of T_sink to the load. */
#ifndef HK_PHYSICS_EXCHANGE_H
#define HK_PHYSICS_EXCHANGE_H
#include <hooke/mesh.h>

typedef struct hk_exchange {
  hk_index element;
  uint8_t face;
  double coefficient; /* heat per area, time and temperature */
} hk_exchange;
#endif
