/* tet4: tetrahedron with 4 nodes, linear functions (hk_basis_simplex). Stiffness 1 point, mass 4
 * points.
 *
 *        3           faces (Abaqus's numbers, turned outward):
 *       /|\            0: 0 2 1 (below), 1: 0 1 3, 2: 1 2 3, 3: 0 3 2
 *      / | \
 *     /  2  \        vertices at the origin and at 1 on the axes x (1), y (2), z (3)
 *    / /   \ \
 *   0---------1
 */
#include "element/basis.h"

static const double reference[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

const hk_element hk_element_tet4 = {
    .name = "tet4",
    .shape = HK_TET4,
    .dim = 3,
    .order = 1,
    .nodes = 4,
    .vertices = 4,
    .simplex = true,
    .steps = true,
    .volume = 1.0 / 6,
    .faces = 4,
    .face = {{HK_TRI3, 3, {0, 2, 1}},
             {HK_TRI3, 3, {0, 1, 3}},
             {HK_TRI3, 3, {1, 2, 3}},
             {HK_TRI3, 3, {0, 3, 2}}},
    .reference = reference,
    .functions = hk_basis_simplex,
    .exact = HK_RULE_OF(hk_rule_tet1),
    .full = HK_RULE_OF(hk_rule_tet1),
    .reduced = HK_RULE_OF(hk_rule_tet1),
    .mass = HK_RULE_OF(hk_rule_tet4),
};
