/* tet10: tetrahedron with 10 nodes, quadratic functions (hk_basis_simplex). Stiffness 4 points,
 * mass 14 points.
 *
 *        3           faces (Abaqus's numbers, turned outward):
 *       /|\            0: 0 2 1 (below), 1: 0 1 3, 2: 1 2 3, 3: 0 3 2,
 *      7 9 8           then the nodes on their edges in the same order
 *     /  2  \        edges: 4: 0-1, 5: 1-2, 6: 2-0, 7: 0-3, 8: 1-3, 9: 2-3
 *    / 6   5 \       vertices at the origin and at 1 on the axes x (1), y (2), z (3)
 *   0----4----1
 */
#include "element/basis.h"

static const double reference[10][3] = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                                        {0.5, 0, 0},   {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5},
                                        {0.5, 0, 0.5}, {0, 0.5, 0.5}};

const hk_element hk_element_tet10 = {
    .name = "tet10",
    .shape = HK_TET10,
    .dim = 3,
    .order = 2,
    .nodes = 10,
    .vertices = 4,
    .simplex = true,
    .steps = true,
    .volume = 1.0 / 6,
    .faces = 4,
    .face = {{HK_TRI6, 6, {0, 2, 1, 6, 5, 4}},
             {HK_TRI6, 6, {0, 1, 3, 4, 8, 7}},
             {HK_TRI6, 6, {1, 2, 3, 5, 9, 8}},
             {HK_TRI6, 6, {0, 3, 2, 7, 9, 6}}},
    .reference = reference,
    .functions = hk_basis_simplex,
    .exact = HK_RULE_OF(hk_rule_tet4),
    .full = HK_RULE_OF(hk_rule_tet4),
    .reduced = HK_RULE_OF(hk_rule_tet4),
    .mass = HK_RULE_OF(hk_rule_tet14),
};
