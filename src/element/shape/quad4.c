/* quad4: quadrilateral with 4 nodes, bilinear functions (hk_basis_tensor). Stiffness 2 x 2 points,
 * reduced 1 point with hourglass stiffness (E.7).
 *
 *   3-----2        faces: 0: 0-1, 1: 1-2, 2: 2-3, 3: 3-0
 *   |     |
 *   |     |
 *   0-----1        vertices at (-1, -1) ... (1, 1)
 */
#include "element/basis.h"

static const double reference[4][3] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

const hk_element hk_element_quad4 = {
    .name = "quad4",
    .shape = HK_QUAD4,
    .dim = 2,
    .order = 1,
    .nodes = 4,
    .vertices = 4,
    .steps = true,
    .volume = 4,
    .faces = 4,
    .face = {{HK_SHAPE_COUNT, 2, {0, 1}},
             {HK_SHAPE_COUNT, 2, {1, 2}},
             {HK_SHAPE_COUNT, 2, {2, 3}},
             {HK_SHAPE_COUNT, 2, {3, 0}}},
    .reference = reference,
    .functions = hk_basis_tensor,
    .exact = HK_RULE_OF(hk_rule_quad4),
    .full = HK_RULE_OF(hk_rule_quad4),
    .reduced = HK_RULE_OF(hk_rule_quad1),
    .mass = HK_RULE_OF(hk_rule_quad4),
};
