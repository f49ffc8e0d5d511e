/* A jittered block of three materials. */
#pragma once
#include "support/body.h"

/* Three layers, the last of them anisotropic, or one material. */
static inline void layers_create(body *b, hk_shape shape, bool one_material)
{
  const bool flat = hk_element_of(shape)->dim == 2;
  srand(11);
  *b = (body){.mesh = make_grid((hk_mesh_grid){.cells = {flat ? 41 : 12, flat ? 30 : 10, 9},
                                               .shape = shape,
                                               .jitter = 0.2,
                                               .shuffle = 5})};
  ok(hk_get(&b->region, 3));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  for (int r = 0; r < 3; r++) {
    b->region[r].thickness = 0.7, b->region[r].material.density = 1;
    ok(hk_material_isotropic(1 + 0.5 * r, 0.2 + 0.1 * r, &b->region[r].material));
  }
  if (one_material) return;
  anisotropic(&b->region[2].material);
  for (hk_count e = 0; e < b->mesh->element_count; e++)
    b->element_region[e] = (hk_index)(3 * e / b->mesh->element_count);
}
