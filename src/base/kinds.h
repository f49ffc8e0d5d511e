/* Kinds and numbers that folders beside one another name: how the stiffness of elements is integrated, as a deck's element type asks for; what the
 * degrees of freedom of a node are; how many receivers of a trace are drawn as curves. */
#pragma once

typedef enum hk_integration {
  HK_INTEGRATION_FULL,
  HK_INTEGRATION_REDUCED, /* one point less per direction; hourglass stiffness where that is one point
                                 (CPE4R, CPS4R, C3D8R) */
  HK_INTEGRATION_INCOMPATIBLE, /* the full rule, with Wilson's and Taylor's modes (CPE4I, CPS4I,
                                 C3D8I); other shapes than quad4 and hex8: full */
  HK_INTEGRATION_MASS, /* of conductance with a reaction: exact for products of shape functions */
  HK_INTEGRATION_NODES /* quadrilaterals of order p: at their nodes (S.3), (S.16) */
} hk_integration;

typedef enum hk_unknowns {
  HK_UNKNOWNS_DISPLACEMENTS,
  HK_UNKNOWNS_SCALAR, /* a temperature, the potential of a fluid */
  HK_UNKNOWNS_COUPLED /* those of coupled equations */
} hk_unknowns;

enum { HK_MOST_CURVES = 8 }; /* a trace of more receivers is drawn as a section */
