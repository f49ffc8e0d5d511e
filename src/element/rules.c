/* Tables of the quadrature rules of listed shapes.
 * Lines, quadrilaterals and hexahedra use products of 1, 2 or 3 Gauss points. Triangles use rules
 * of 1 and 3 points (Strang and Fix) and of 6 points (Dunavant 1985), tetrahedra rules of 1, 4
 * (Keast 1986) and 14 points (Walkington 2000), wedges the products of a triangle's rule and Gauss
 * points. */
#include "element/basis.h"

#define A 0.57735026918962576451 /* sqrt(1/3) */
#define B 0.77459666924148337704 /* sqrt(3/5) */

#define X2(y, z)                                                                                   \
  {-A, y, z},                                                                                      \
  {                                                                                                \
    A, y, z                                                                                        \
  }
#define X3(y, z)                                                                                   \
  {-B, y, z}, {0, y, z},                                                                           \
  {                                                                                                \
    B, y, z                                                                                        \
  }
#define XY2(z) X2(-A, z), X2(A, z)
#define XY3(z) X3(-B, z), X3(0, z), X3(B, z)
#define W3(w) (w) * 5 / 9, (w)*8 / 9, (w)*5 / 9
#define W9(w) W3((w)*5 / 9), W3((w)*8 / 9), W3((w)*5 / 9)

const double hk_rule_quad1[1][3] = {{0, 0, 0}};
const double hk_rule_quad1_weight[1] = {4};
const double hk_rule_quad4[4][3] = {XY2(0)};
const double hk_rule_quad4_weight[4] = {1, 1, 1, 1};
const double hk_rule_quad9[9][3] = {XY3(0)};
const double hk_rule_quad9_weight[9] = {W9(1.0)};
const double hk_rule_hex1[1][3] = {{0, 0, 0}};
const double hk_rule_hex1_weight[1] = {8};
const double hk_rule_hex8[8][3] = {XY2(-A), XY2(A)};
const double hk_rule_hex8_weight[8] = {1, 1, 1, 1, 1, 1, 1, 1};
const double hk_rule_hex27[27][3] = {XY3(-B), XY3(0), XY3(B)};
const double hk_rule_hex27_weight[27] = {W9(5.0 / 9), W9(8.0 / 9), W9(5.0 / 9)};

#define C (1.0 / 6)
#define D (2.0 / 3)
#define T3(z)                                                                                      \
  {C, C, z}, {D, C, z},                                                                            \
  {                                                                                                \
    C, D, z                                                                                        \
  }

const double hk_rule_tri1[1][3] = {{1.0 / 3, 1.0 / 3, 0}};
const double hk_rule_tri1_weight[1] = {0.5};
const double hk_rule_tri3[3][3] = {T3(0)};
const double hk_rule_tri3_weight[3] = {C, C, C};
#define T1 (1.0 / 3)
#define C5 (C * 5 / 9)
#define C8 (C * 8 / 9)
const double hk_rule_wedge2[2][3] = {{T1, T1, -A}, {T1, T1, A}};
const double hk_rule_wedge2_weight[2] = {0.5, 0.5};
const double hk_rule_wedge9[9][3] = {T3(-B), T3(0), T3(B)};
const double hk_rule_wedge9_weight[9] = {C5, C5, C5, C8, C8, C8, C5, C5, C5};
const double hk_rule_wedge6[6][3] = {T3(-A), T3(A)};
const double hk_rule_wedge6_weight[6] = {C, C, C, C, C, C};

#define E 0.44594849091596488632
#define F 0.09157621350977074346
#define T6(z)                                                                                      \
  {E, E, z}, {1 - 2 * E, E, z}, {E, 1 - 2 * E, z}, {F, F, z}, {1 - 2 * F, F, z},                   \
  {                                                                                                \
    F, 1 - 2 * F, z                                                                                \
  }
#define WE (0.22338158967801146570 / 2)
#define WF (0.10995174365532186764 / 2)
#define V6(w) (w) * WE, (w)*WE, (w)*WE, (w)*WF, (w)*WF, (w)*WF

const double hk_rule_tri6[6][3] = {T6(0)};
const double hk_rule_tri6_weight[6] = {V6(1.0)};
const double hk_rule_wedge18[18][3] = {T6(-B), T6(0), T6(B)};
const double hk_rule_wedge18_weight[18] = {V6(5.0 / 9), V6(8.0 / 9), V6(5.0 / 9)};

#define G 0.13819660112501051518 /* (5 - sqrt(5)) / 20 */

const double hk_rule_tet1[1][3] = {{0.25, 0.25, 0.25}};
const double hk_rule_tet1_weight[1] = {1.0 / 6};
const double hk_rule_tet4[4][3] = {
    {G, G, G}, {1 - 3 * G, G, G}, {G, 1 - 3 * G, G}, {G, G, 1 - 3 * G}};
const double hk_rule_tet4_weight[4] = {1.0 / 24, 1.0 / 24, 1.0 / 24, 1.0 / 24};

#define T 0.31088591926330060980
#define U 0.09273525031089122640
#define V 0.45449629587435035051
#define WT (0.11268792571801585080 / 6)
#define WU (0.07349304311636194955 / 6)
#define WV (0.04254602077708146644 / 6)
const double hk_rule_tet14[14][3] = {{T, T, T},
                                     {1 - 3 * T, T, T},
                                     {T, 1 - 3 * T, T},
                                     {T, T, 1 - 3 * T},
                                     {U, U, U},
                                     {1 - 3 * U, U, U},
                                     {U, 1 - 3 * U, U},
                                     {U, U, 1 - 3 * U},
                                     {V, V, 0.5 - V},
                                     {V, 0.5 - V, V},
                                     {0.5 - V, V, V},
                                     {V, 0.5 - V, 0.5 - V},
                                     {0.5 - V, V, 0.5 - V},
                                     {0.5 - V, 0.5 - V, V}};
const double hk_rule_tet14_weight[14] = {WT, WT, WT, WT, WU, WU, WU, WU, WV, WV, WV, WV, WV, WV};
