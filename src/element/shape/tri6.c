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
#include "element/element.h"
#include "element/rules.h"

static const double reference[6][3] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};

static void shape_functions(const double *xi, double *n)
{
  hk_basis_simplex(2, 2, xi, n, NULL);
}

static void gradients(const double *xi, double *dn)
{
  hk_basis_simplex(2, 2, xi, NULL, dn);
}

const hk_element hk_element_tri6 = {
    .name = "tri6",
    .shape = HK_TRI6,
    .dim = 2,
    .order = 2,
    .nodes = 6,
    .vertices = 3,
    .simplex = true,
    .volume = 0.5,
    .faces = 3,
    .face = {{HK_SHAPE_COUNT, 3, {0, 1, 3}},
             {HK_SHAPE_COUNT, 3, {1, 2, 4}},
             {HK_SHAPE_COUNT, 3, {2, 0, 5}}},
    .reference = reference,
    .shape_functions = shape_functions,
    .gradients = gradients,
    .points = 3,
    .point = hk_rule_tri3,
    .weight = hk_rule_tri3_weight,
    .full = HK_RULE_OF(hk_rule_tri3),
    .reduced = HK_RULE_OF(hk_rule_tri3),
    .mass = HK_RULE_OF(hk_rule_tri6),
};
