/* tri6: triangle with 6 nodes, quadratic functions (hk_basis_simplex). Stiffness 3 points, mass 6
 * points.
 *
 *   2            faces: 0: 0-1, 1: 1-2, 2: 2-0, then the node in the middle
 *   | \
 *   5   4
 *   |     \
 *   0--3--1        vertices at (0, 0), (1, 0), (0, 1)
 */
#include "element/basis.h"

static const double reference[6][3] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};

const hk_element hk_element_tri6 = {
    .name = "tri6",
    .shape = HK_TRI6,
    .dim = 2,
    .order = 2,
    .nodes = 6,
    .vertices = 3,
    .simplex = true,
    .steps = true,
    .volume = 0.5,
    .faces = 3,
    .face = {{HK_SHAPE_COUNT, 3, {0, 1, 3}},
             {HK_SHAPE_COUNT, 3, {1, 2, 4}},
             {HK_SHAPE_COUNT, 3, {2, 0, 5}}},
    .reference = reference,
    .functions = hk_basis_simplex,
    .exact = HK_RULE_OF(hk_rule_tri3),
    .full = HK_RULE_OF(hk_rule_tri3),
    .reduced = HK_RULE_OF(hk_rule_tri3),
    .mass = HK_RULE_OF(hk_rule_tri6),
};
