/* tri3: triangle with 3 nodes, linear functions (hk_basis_simplex). Stiffness 1 point, mass 3
 * points.
 *
 *   2            faces: 0: 0-1, 1: 1-2, 2: 2-0
 *   | \
 *   |   \
 *   0-----1        vertices at (0, 0), (1, 0), (0, 1)
 */
#include "element/basis.h"
#include "element/element.h"
#include "element/rules.h"

static const double reference[3][3] = {{0, 0}, {1, 0}, {0, 1}};

static void shape_functions(const double *xi, double *n)
{
  hk_basis_simplex(2, 1, xi, n, NULL);
}

static void gradients(const double *xi, double *dn)
{
  hk_basis_simplex(2, 1, xi, NULL, dn);
}

const hk_element hk_element_tri3 = {
    .name = "tri3",
    .shape = HK_TRI3,
    .dim = 2,
    .order = 1,
    .nodes = 3,
    .vertices = 3,
    .simplex = true,
    .steps = true,
    .volume = 0.5,
    .faces = 3,
    .face = {{HK_SHAPE_COUNT, 2, {0, 1}}, {HK_SHAPE_COUNT, 2, {1, 2}}, {HK_SHAPE_COUNT, 2, {2, 0}}},
    .reference = reference,
    .shape_functions = shape_functions,
    .gradients = gradients,
    .points = 1,
    .point = hk_rule_tri1,
    .weight = hk_rule_tri1_weight,
    .full = HK_RULE_OF(hk_rule_tri1),
    .reduced = HK_RULE_OF(hk_rule_tri1),
    .mass = HK_RULE_OF(hk_rule_tri3),
};
