/* Abaqus's and CalculiX's element names. */
#ifndef HK_MESH_FORMAT_INP_TYPES_H
#define HK_MESH_FORMAT_INP_TYPES_H
#include "mesh/mesh.h"

typedef enum hk_inp_use {
  HK_INP_PLANE_STRAIN,
  HK_INP_PLANE_STRESS,
  HK_INP_SOLID,
  HK_INP_AXISYMMETRIC,
  HK_INP_HEAT,
  HK_INP_ACOUSTIC
} hk_inp_use;

typedef struct hk_inp_type {
  const char *name;
  hk_shape shape;
  hk_inp_use use;
  bool reduced; /* one quadrature point less per direction */
  bool variant; /* incompatible modes, modified or hybrid: not the plain element */
} hk_inp_type;

/* NULL: unknown. */
const hk_inp_type *hk_inp_type_of(const char *name);
const char *hk_inp_type_near(const char *name);
#endif
