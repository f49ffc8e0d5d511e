/* hex20: hexahedron with 20 nodes, serendipity functions (hk_basis_serendipity). Stiffness 3 x 3 x
 * 3 points, reduced 2 x 2 x 2.
 *
 *      7-------6     faces (Abaqus's numbers, turned outward):
 *     /|      /|       0: 0 3 2 1 (-z), 1: 4 5 6 7 (+z), 2: 0 1 5 4 (-y),
 *    4-------5 |       3: 1 2 6 5 (+x), 4: 2 3 7 6 (+y), 5: 3 0 4 7 (-x),
 *    | 3-----|-2     vertices at (-1, -1, -1) ... (1, 1, 1)
 *    |/      |/      edges: 8: 0-1, 9: 1-2, 10: 2-3, 11: 3-0; 12: 4-5, 13: 5-6, 14: 6-7, 15: 7-4;
 *    0-------1              16: 0-4, 17: 1-5, 18: 2-6, 19: 3-7
 */
#include "element/basis.h"

static const double reference[20][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}};

const hk_element hk_element_hex20 = {
    .name = "hex20",
    .shape = HK_HEX20,
    .dim = 3,
    .order = 2,
    .nodes = 20,
    .vertices = 8,
    .steps = true,
    .volume = 8,
    .faces = 6,
    .face = {{HK_QUAD8, 8, {0, 3, 2, 1, 11, 10, 9, 8}},
             {HK_QUAD8, 8, {4, 5, 6, 7, 12, 13, 14, 15}},
             {HK_QUAD8, 8, {0, 1, 5, 4, 8, 17, 12, 16}},
             {HK_QUAD8, 8, {1, 2, 6, 5, 9, 18, 13, 17}},
             {HK_QUAD8, 8, {2, 3, 7, 6, 10, 19, 14, 18}},
             {HK_QUAD8, 8, {3, 0, 4, 7, 11, 16, 15, 19}}},
    .reference = reference,
    .functions = hk_basis_serendipity,
    .exact = HK_RULE_OF(hk_rule_hex27),
    .full = HK_RULE_OF(hk_rule_hex27),
    .reduced = HK_RULE_OF(hk_rule_hex8),
    .mass = HK_RULE_OF(hk_rule_hex27),
};
