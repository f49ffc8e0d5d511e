/* What the degrees of freedom of a node are: displacements, one number (a temperature, the potential of a fluid), or unknowns of coupled equations. */
#ifndef HK_BASE_UNKNOWNS_H
#define HK_BASE_UNKNOWNS_H

typedef enum hk_unknowns {
  HK_UNKNOWNS_DISPLACEMENTS,
  HK_UNKNOWNS_SCALAR,
  HK_UNKNOWNS_COUPLED
} hk_unknowns;

#endif
