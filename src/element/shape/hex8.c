/* hex8: hexahedron with 8 nodes, trilinear functions (hk_basis_tensor). Stiffness 2 x 2 x 2 points,
 * reduced 1 point with hourglass stiffness (E.7).
 *
 *      7-------6     faces (Abaqus's numbers, turned outward):
 *     /|      /|       0: 0 3 2 1 (-z), 1: 4 5 6 7 (+z), 2: 0 1 5 4 (-y),
 *    4-------5 |       3: 1 2 6 5 (+x), 4: 2 3 7 6 (+y), 5: 3 0 4 7 (-x)
 *    | 3-----|-2
 *    |/      |/      vertices at (-1, -1, -1) ... (1, 1, 1)
 *    0-------1
 */
#include "element/basis.h"

static const double reference[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

const hk_element hk_element_hex8 = {
    .name = "hex8",
    .shape = HK_HEX8,
    .dim = 3,
    .order = 1,
    .nodes = 8,
    .vertices = 8,
    .steps = true,
    .volume = 8,
    .faces = 6,
    .face = {{HK_QUAD4, 4, {0, 3, 2, 1}},
             {HK_QUAD4, 4, {4, 5, 6, 7}},
             {HK_QUAD4, 4, {0, 1, 5, 4}},
             {HK_QUAD4, 4, {1, 2, 6, 5}},
             {HK_QUAD4, 4, {2, 3, 7, 6}},
             {HK_QUAD4, 4, {3, 0, 4, 7}}},
    .reference = reference,
    .functions = hk_basis_tensor,
    .exact = HK_RULE_OF(hk_rule_hex8),
    .full = HK_RULE_OF(hk_rule_hex8),
    .reduced = HK_RULE_OF(hk_rule_hex1),
    .mass = HK_RULE_OF(hk_rule_hex8),
};
