/* wedge15: wedge with 15 nodes, serendipity functions (hk_basis_wedge15). Stiffness 6 x 3 points,
 * reduced 3 x 3.
 *
 *        5           faces (Abaqus's numbers, turned outward):
 *      / | \           0: 0 2 1 (-z), 1: 3 4 5 (+z), 2: 0 1 4 3, 3: 1 2 5 4, 4: 2 0 3 5
 *     3-----4        vertices at (0, 0), (1, 0), (0, 1), below at z = -1, above at z = 1
 *     |  2  |        edges: 6: 0-1, 7: 1-2, 8: 2-0; 9: 3-4, 10: 4-5, 11: 5-3;
 *     |/   \|               12: 0-3, 13: 1-4, 14: 2-5
 *     0-----1
 */
#include "element/basis.h"

static const double reference[15][3] = {{0, 0, -1},   {1, 0, -1},  {0, 1, -1},    {0, 0, 1},
                                        {1, 0, 1},    {0, 1, 1},   {0.5, 0, -1},  {0.5, 0.5, -1},
                                        {0, 0.5, -1}, {0.5, 0, 1}, {0.5, 0.5, 1}, {0, 0.5, 1},
                                        {0, 0, 0},    {1, 0, 0},   {0, 1, 0}};

const hk_element hk_element_wedge15 = {
    .name = "wedge15",
    .shape = HK_WEDGE15,
    .dim = 3,
    .order = 2,
    .nodes = 15,
    .vertices = 6,
    .steps = true,
    .volume = 1,
    .faces = 5,
    .face = {{HK_TRI6, 6, {0, 2, 1, 8, 7, 6}},
             {HK_TRI6, 6, {3, 4, 5, 9, 10, 11}},
             {HK_QUAD8, 8, {0, 1, 4, 3, 6, 13, 9, 12}},
             {HK_QUAD8, 8, {1, 2, 5, 4, 7, 14, 10, 13}},
             {HK_QUAD8, 8, {2, 0, 3, 5, 8, 12, 11, 14}}},
    .reference = reference,
    .functions = hk_basis_wedge15,
    .exact = HK_RULE_OF(hk_rule_wedge18),
    .full = HK_RULE_OF(hk_rule_wedge9),
    .reduced = HK_RULE_OF(hk_rule_wedge9),
    .mass = HK_RULE_OF(hk_rule_wedge18),
};
