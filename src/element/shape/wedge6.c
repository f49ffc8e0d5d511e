/* wedge6: wedge with 6 nodes, linear triangle times linear line (hk_basis_wedge). Stiffness 3 x 2
 * points, reduced 1 x 2.
 *
 *        5           faces (Abaqus's numbers, turned outward):
 *      / | \           0: 0 2 1 (-z), 1: 3 4 5 (+z), 2: 0 1 4 3, 3: 1 2 5 4, 4: 2 0 3 5
 *     3-----4        vertices at (0, 0), (1, 0), (0, 1), below at z = -1, above at z = 1
 *     |  2  |
 *     |/   \|
 *     0-----1
 */
#include "element/basis.h"

static const double reference[6][3] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1},
                                       {0, 0, 1},  {1, 0, 1},  {0, 1, 1}};

const hk_element hk_element_wedge6 = {
    .name = "wedge6",
    .shape = HK_WEDGE6,
    .dim = 3,
    .order = 1,
    .nodes = 6,
    .vertices = 6,
    .volume = 1,
    .faces = 5,
    .face = {{HK_TRI3, 3, {0, 2, 1}},
             {HK_TRI3, 3, {3, 4, 5}},
             {HK_QUAD4, 4, {0, 1, 4, 3}},
             {HK_QUAD4, 4, {1, 2, 5, 4}},
             {HK_QUAD4, 4, {2, 0, 3, 5}}},
    .reference = reference,
    .functions = hk_basis_wedge,
    .exact = HK_RULE_OF(hk_rule_wedge6),
    .full = HK_RULE_OF(hk_rule_wedge2),
    .reduced = HK_RULE_OF(hk_rule_wedge2),
    .mass = HK_RULE_OF(hk_rule_wedge6),
};
