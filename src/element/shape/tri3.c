/* tri3: triangle with 3 nodes, linear functions (hk_basis_simplex). Stiffness 1 point, mass 3
 * points.
 *
 *   2            faces: 0: 0-1, 1: 1-2, 2: 2-0
 *   | \
 *   |   \
 *   0-----1        vertices at (0, 0), (1, 0), (0, 1)
 */
#include "element/basis.h"

static const double reference[3][3] = {{0, 0}, {1, 0}, {0, 1}};

const hk_element hk_element_tri3 = {
    .name = "tri3",
    .shape = HK_TRI3,
    .dim = 2,
    .order = 1,
    .nodes = 3,
    .vertices = 3,
    .simplex = true,
    .steps = true,
    .volume = 0.5,
    .faces = 3,
    .face = {{HK_SHAPE_COUNT, 2, {0, 1}}, {HK_SHAPE_COUNT, 2, {1, 2}}, {HK_SHAPE_COUNT, 2, {2, 0}}},
    .reference = reference,
    .functions = hk_basis_simplex,
    .exact = HK_RULE_OF(hk_rule_tri1),
    .full = HK_RULE_OF(hk_rule_tri1),
    .reduced = HK_RULE_OF(hk_rule_tri1),
    .mass = HK_RULE_OF(hk_rule_tri3),
};
