/* The table of element types of a deck: the name, the shape, what it is used for (plane strain, plane stress, axisymmetric, solid, heat,
 * acoustic, or side), whether it is integrated reduced (R), and whether it is a variant (I: incompatible modes, M: modified). Trusses, beams,
 * shells and membranes are sides: they are read on the boundary of other elements as sets and never computed
 * (docs/reference/element_types.md). */
#include "input/deck/mesh/deck.h"
#include "element/element.h"

static const hk_inp_type types[] = {
    {"CPE3", HK_TRI3, HK_INP_PLANE_STRAIN, false, false},
    {"CPE4", HK_QUAD4, HK_INP_PLANE_STRAIN, false, false},
    {"CPE4R", HK_QUAD4, HK_INP_PLANE_STRAIN, true, false},
    {"CPE4I", HK_QUAD4, HK_INP_PLANE_STRAIN, false, true},
    {"CPE6", HK_TRI6, HK_INP_PLANE_STRAIN, false, false},
    {"CPE6M", HK_TRI6, HK_INP_PLANE_STRAIN, false, true},
    {"CPE8", HK_QUAD8, HK_INP_PLANE_STRAIN, false, false},
    {"CPE8R", HK_QUAD8, HK_INP_PLANE_STRAIN, true, false},
    {"CPS3", HK_TRI3, HK_INP_PLANE_STRESS, false, false},
    {"CPS4", HK_QUAD4, HK_INP_PLANE_STRESS, false, false},
    {"CPS4R", HK_QUAD4, HK_INP_PLANE_STRESS, true, false},
    {"CPS4I", HK_QUAD4, HK_INP_PLANE_STRESS, false, true},
    {"CPS6", HK_TRI6, HK_INP_PLANE_STRESS, false, false},
    {"CPS6M", HK_TRI6, HK_INP_PLANE_STRESS, false, true},
    {"CPS8", HK_QUAD8, HK_INP_PLANE_STRESS, false, false},
    {"CPS8R", HK_QUAD8, HK_INP_PLANE_STRESS, true, false},
    {"CAX3", HK_TRI3, HK_INP_AXISYMMETRIC, false, false},
    {"CAX4", HK_QUAD4, HK_INP_AXISYMMETRIC, false, false},
    {"CAX4R", HK_QUAD4, HK_INP_AXISYMMETRIC, true, false},
    {"CAX6", HK_TRI6, HK_INP_AXISYMMETRIC, false, false},
    {"CAX8", HK_QUAD8, HK_INP_AXISYMMETRIC, false, false},
    {"CAX8R", HK_QUAD8, HK_INP_AXISYMMETRIC, true, false},
    {"C3D4", HK_TET4, HK_INP_SOLID, false, false},
    {"C3D6", HK_WEDGE6, HK_INP_SOLID, false, false},
    {"C3D8", HK_HEX8, HK_INP_SOLID, false, false},
    {"C3D8R", HK_HEX8, HK_INP_SOLID, true, false},
    {"C3D8I", HK_HEX8, HK_INP_SOLID, false, true},
    {"C3D10", HK_TET10, HK_INP_SOLID, false, false},
    {"C3D10M", HK_TET10, HK_INP_SOLID, false, true},
    {"C3D10T", HK_TET10, HK_INP_SOLID, false, false},
    {"C3D15", HK_WEDGE15, HK_INP_SOLID, false, false},
    {"C3D20", HK_HEX20, HK_INP_SOLID, false, false},
    {"C3D20R", HK_HEX20, HK_INP_SOLID, true, false},
    {"C3D27", HK_HEX27, HK_INP_SOLID, false, false},
    {"C3D27R", HK_HEX27, HK_INP_SOLID, true, false},
    {"DC2D3", HK_TRI3, HK_INP_HEAT, false, false},
    {"DC2D4", HK_QUAD4, HK_INP_HEAT, false, false},
    {"DC2D6", HK_TRI6, HK_INP_HEAT, false, false},
    {"DC2D8", HK_QUAD8, HK_INP_HEAT, false, false},
    {"DCAX3", HK_TRI3, HK_INP_HEAT_RING, false, false},
    {"DCAX4", HK_QUAD4, HK_INP_HEAT_RING, false, false},
    {"DCAX6", HK_TRI6, HK_INP_HEAT_RING, false, false},
    {"DCAX8", HK_QUAD8, HK_INP_HEAT_RING, false, false},
    {"DC3D4", HK_TET4, HK_INP_HEAT, false, false},
    {"DC3D6", HK_WEDGE6, HK_INP_HEAT, false, false},
    {"DC3D8", HK_HEX8, HK_INP_HEAT, false, false},
    {"DC3D10", HK_TET10, HK_INP_HEAT, false, false},
    {"DC3D15", HK_WEDGE15, HK_INP_HEAT, false, false},
    {"DC3D20", HK_HEX20, HK_INP_HEAT, false, false},
    {"AC2D3", HK_TRI3, HK_INP_ACOUSTIC, false, false},
    {"AC2D4", HK_QUAD4, HK_INP_ACOUSTIC, false, false},
    {"AC2D4R", HK_QUAD4, HK_INP_ACOUSTIC, true, false},
    {"AC3D4", HK_TET4, HK_INP_ACOUSTIC, false, false},
    {"AC3D6", HK_WEDGE6, HK_INP_ACOUSTIC, false, false},
    {"AC3D8", HK_HEX8, HK_INP_ACOUSTIC, false, false},
    {"AC3D8R", HK_HEX8, HK_INP_ACOUSTIC, true, false},
    {"AC3D10", HK_TET10, HK_INP_ACOUSTIC, false, false},
    {"AC3D15", HK_WEDGE15, HK_INP_ACOUSTIC, false, false},
    {"AC3D20", HK_HEX20, HK_INP_ACOUSTIC, false, false},
    {"T3D2", (hk_shape)HK_INP_LINE2, HK_INP_SIDE, false, false},
    {"T3D3", (hk_shape)HK_INP_LINE3, HK_INP_SIDE, false, false},
    {"T2D2", (hk_shape)HK_INP_LINE2, HK_INP_SIDE, false, false},
    {"T2D3", (hk_shape)HK_INP_LINE3, HK_INP_SIDE, false, false},
    {"B21", (hk_shape)HK_INP_LINE2, HK_INP_SIDE, false, false},
    {"B22", (hk_shape)HK_INP_LINE3, HK_INP_SIDE, false, false},
    {"B31", (hk_shape)HK_INP_LINE2, HK_INP_SIDE, false, false},
    {"B31R", (hk_shape)HK_INP_LINE2, HK_INP_SIDE, false, false},
    {"B32", (hk_shape)HK_INP_LINE3, HK_INP_SIDE, false, false},
    {"B32R", (hk_shape)HK_INP_LINE3, HK_INP_SIDE, false, false},
    {"S3", HK_TRI3, HK_INP_SIDE, false, false},
    {"S3R", HK_TRI3, HK_INP_SIDE, false, false},
    {"S4", HK_QUAD4, HK_INP_SIDE, false, false},
    {"S4R", HK_QUAD4, HK_INP_SIDE, false, false},
    {"S6", HK_TRI6, HK_INP_SIDE, false, false},
    {"S8", HK_QUAD8, HK_INP_SIDE, false, false},
    {"S8R", HK_QUAD8, HK_INP_SIDE, false, false},
    {"STRI3", HK_TRI3, HK_INP_SIDE, false, false},
    {"STRI65", HK_TRI6, HK_INP_SIDE, false, false},
    {"M3D3", HK_TRI3, HK_INP_SIDE, false, false},
    {"M3D4", HK_QUAD4, HK_INP_SIDE, false, false},
    {"M3D4R", HK_QUAD4, HK_INP_SIDE, false, false},
    {"M3D6", HK_TRI6, HK_INP_SIDE, false, false},
    {"M3D8", HK_QUAD8, HK_INP_SIDE, false, false},
    {"M3D8R", HK_QUAD8, HK_INP_SIDE, false, false},
    {"SFM3D3", HK_TRI3, HK_INP_SIDE, false, false},
    {"SFM3D4", HK_QUAD4, HK_INP_SIDE, false, false},
    {"SFM3D4R", HK_QUAD4, HK_INP_SIDE, false, false},
    {"SFM3D6", HK_TRI6, HK_INP_SIDE, false, false},
    {"SFM3D8", HK_QUAD8, HK_INP_SIDE, false, false},
    {"SFM3D8R", HK_QUAD8, HK_INP_SIDE, false, false},
};
enum { TYPES = sizeof types / sizeof *types };

const hk_inp_type *hk_inp_type_of(const char *name)
{
  for (int i = 0; i < TYPES; i++)
    if (hk_same_text(types[i].name, name)) return &types[i];
  return NULL;
}

const char *hk_inp_type_near(const char *name)
{
  const char *names[TYPES];
  int count = 0;
  for (int i = 0; i < TYPES; i++)
    if (types[i].use != HK_INP_SIDE) names[count++] = types[i].name;
  const int near = hk_nearest(name, names, count);
  return near < 0 ? NULL : names[near];
}

int hk_inp_kind_dim(int kind)
{
  return kind >= HK_INP_LINE2 ? 1 : hk_element_of((hk_shape)kind)->dim;
}

int hk_inp_kind_nodes(int kind)
{
  return kind == HK_INP_LINE2 ? 2 : kind == HK_INP_LINE3 ? 3 : hk_element_of((hk_shape)kind)->nodes;
}
