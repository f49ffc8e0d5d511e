/* How the stiffness of elements is integrated: what a deck's element type asks for. */
#ifndef HK_BASE_INTEGRATION_H
#define HK_BASE_INTEGRATION_H

typedef enum hk_integration {
  HK_INTEGRATION_FULL,
  HK_INTEGRATION_REDUCED, /* one point less per direction; hourglass stiffness where that is one point
                                 (CPE4R, CPS4R, C3D8R) */
  HK_INTEGRATION_INCOMPATIBLE, /* the full rule, with Wilson's and Taylor's modes (CPE4I, CPS4I,
                                 C3D8I); other shapes than quad4 and hex8: full */
  HK_INTEGRATION_MASS /* of conductance with a reaction: exact for products of shape functions */
} hk_integration;

#endif
