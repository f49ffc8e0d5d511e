/* The lines of the table for families of shapes: see hk_shape. */
#ifndef HK_ELEMENT_FAMILY_H
#define HK_ELEMENT_FAMILY_H
#include "element/element.h"

/* shape: HK_TRI_P + p, HK_QUAD_P + p, HK_HEX_P + p or HK_WEDGE_P + p. */
const hk_element *hk_family_of(hk_shape shape);

#endif
