/* Quadrature rules: point[points][3] and weight[points], which sum to the reference volume. Exact
 * to the degree that is named, for polynomials of that total degree (simplices) or of that degree
 * in each direction (products). */
#ifndef HK_ELEMENT_RULES_H
#define HK_ELEMENT_RULES_H

/* The hk_rule of one of these names. */
#define HK_RULE_OF(name)                                                                           \
  {                                                                                                \
    sizeof name##_weight / sizeof *name##_weight, name, name##_weight                              \
  }

#define HK_RULE(name, points) extern const double name[points][3], name##_weight[points]
HK_RULE(hk_rule_tri1, 1);     /* degree 1 */
HK_RULE(hk_rule_tri3, 3);     /* degree 2 */
HK_RULE(hk_rule_tri6, 6);     /* degree 4 */
HK_RULE(hk_rule_tet1, 1);     /* degree 1 */
HK_RULE(hk_rule_tet4, 4);     /* degree 2 */
HK_RULE(hk_rule_tet14, 14);   /* degree 5 */
HK_RULE(hk_rule_quad1, 1);    /* degree 1 */
HK_RULE(hk_rule_quad4, 4);    /* degree 3 */
HK_RULE(hk_rule_quad9, 9);    /* degree 5 */
HK_RULE(hk_rule_hex1, 1);     /* degree 1 */
HK_RULE(hk_rule_hex8, 8);     /* degree 3 */
HK_RULE(hk_rule_hex27, 27);   /* degree 5 */
HK_RULE(hk_rule_wedge2, 2);   /* degree 1 over the triangle, 3 along */
HK_RULE(hk_rule_wedge6, 6);   /* degree 2 over the triangle, 3 along */
HK_RULE(hk_rule_wedge9, 9);   /* degree 2 over the triangle, 5 along */
HK_RULE(hk_rule_wedge18, 18); /* degree 4 over the triangle, 5 along */
#undef HK_RULE

#endif
