/* A hollow cylinder about z: rings of quadrilaterals between the two radii, which generate.c splits into the wanted shape and draws out along
 * z. Angles go round without a seam: the last cell of a ring joins its first. The sides are bottom, top and side, which has all faces that
 * neither of the others took, inside and outside. */
#include "mesh/make/generate.h"
#include <math.h>

static const double whole_turn = 6.283185307179586;

static hk_status check_tube(const hk_mesh_tube *t)
{
  hk_index fits;
  HK_NEED(t->shape == HK_TET4 || t->shape == HK_HEX8, HK_BAD_INPUT,
          "tube: elements are tet4 or hex8, not %s", hk_shape_name(t->shape));
  HK_NEED(
      t->inner > 0 && t->outer > t->inner && t->length > 0, HK_BAD_INPUT,
      "tube: radii %g and %g, length %g: all must be above 0, the second radius above the first",
      t->inner, t->outer, t->length);
  HK_NEED(t->through >= 1 && t->around >= 3 && t->along >= 1, HK_BAD_INPUT,
          "tube: %lld x %lld x %lld cells: must be at least 1 across the wall, 3 around, 1 along",
          (long long)t->through, (long long)t->around, (long long)t->along);
  HK_PASS(hk_narrow(t->along, "number of cells", &fits));
  return hk_narrow((t->through + 1) * t->around, "number of nodes", &fits);
}

hk_status hk_mesh_create_tube(const hk_mesh_tube *t, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_section section;
  const hk_side side[3] = {{"bottom", 2, 0}, {"top", 2, t->length}, {"side", -1, 0}};
  HK_TRY(check_tube(t));
  HK_TRY(hk_section_create(&pool, (t->through + 1) * t->around, t->through * t->around, &section));
  for (hk_count r = 0; r <= t->through; r++)
    for (hk_count k = 0; k < t->around; k++) {
      const double radius = t->inner + (t->outer - t->inner) * (double)r / (double)t->through,
                   angle = whole_turn * (double)k / (double)t->around;
      section.x[2 * (r * t->around + k)] = radius * cos(angle);
      section.x[2 * (r * t->around + k) + 1] = radius * sin(angle);
    }
  for (hk_count r = 0; r < t->through; r++)
    for (hk_count k = 0; k < t->around; k++) {
      hk_index *quad = section.quad + 4 * (r * t->around + k);
      const hk_count next = (k + 1) % t->around;
      quad[0] = (hk_index)(r * t->around + k), quad[1] = quad[0] + (hk_index)t->around;
      quad[2] = (hk_index)((r + 1) * t->around + next), quad[3] = quad[2] - (hk_index)t->around;
    }
  HK_TRY(hk_mesh_generate(&section,
                          &(hk_generate){.name = "tube",
                                         .shape = t->shape,
                                         .layers = t->along,
                                         .to = t->length,
                                         .side = side,
                                         .sides = 3},
                          out));
cleanup:
  hk_pool_clear(&pool);
  return status;
}
