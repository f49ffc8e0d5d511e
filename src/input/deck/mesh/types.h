/* Abaqus's and CalculiX's element names. */
#ifndef HK_INPUT_DECK_MESH_TYPES_H
#define HK_INPUT_DECK_MESH_TYPES_H
#include "mesh/mesh.h"

typedef enum hk_inp_use {
  HK_INP_PLANE_STRAIN,
  HK_INP_PLANE_STRESS,
  HK_INP_SOLID,
  HK_INP_AXISYMMETRIC,
  HK_INP_HEAT,
  HK_INP_ACOUSTIC,
  HK_INP_SIDE /* trusses, beams, shells, membranes: of use as parts of the boundary alone */
} hk_inp_use;

enum { /* kinds of elements in piles: shapes, and lines, which are no shapes of the mesh */
       HK_INP_LINE2 = HK_SHAPE_COUNT,
       HK_INP_LINE3,
       HK_INP_KINDS
};

typedef struct hk_inp_type {
  const char *name;
  hk_shape shape; /* or HK_INP_LINE2, HK_INP_LINE3 */
  hk_inp_use use;
  bool reduced; /* one quadrature point less per direction */
  bool variant; /* incompatible modes, modified or hybrid: not the plain element */
} hk_inp_type;

/* Dimension and nodes of a shape or a line. */
int hk_inp_kind_dim(int kind);
int hk_inp_kind_nodes(int kind);
/* NULL: unknown. */
const hk_inp_type *hk_inp_type_of(const char *name);
const char *hk_inp_type_near(const char *name);
#endif
