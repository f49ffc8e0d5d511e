/* quad8: quadrilateral with 8 nodes, serendipity functions (hk_basis_serendipity). Stiffness 3 x 3
 * points, reduced 2 x 2.
 *
 *   3--6--2        faces: 0: 0-1, 1: 1-2, 2: 2-3, 3: 3-0, then the node in the middle
 *   |     |
 *   7     5
 *   |     |
 *   0--4--1        vertices at (-1, -1) ... (1, 1)
 */
#include "element/basis.h"

static const double reference[8][3] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                       {0, -1},  {1, 0},  {0, 1}, {-1, 0}};

const hk_element hk_element_quad8 = {
    .name = "quad8",
    .shape = HK_QUAD8,
    .dim = 2,
    .order = 2,
    .nodes = 8,
    .vertices = 4,
    .steps = true,
    .volume = 4,
    .faces = 4,
    .face = {{HK_SHAPE_COUNT, 3, {0, 1, 4}},
             {HK_SHAPE_COUNT, 3, {1, 2, 5}},
             {HK_SHAPE_COUNT, 3, {2, 3, 6}},
             {HK_SHAPE_COUNT, 3, {3, 0, 7}}},
    .reference = reference,
    .functions = hk_basis_serendipity,
    .exact = HK_RULE_OF(hk_rule_quad9),
    .full = HK_RULE_OF(hk_rule_quad9),
    .reduced = HK_RULE_OF(hk_rule_quad4),
    .mass = HK_RULE_OF(hk_rule_quad9),
};
