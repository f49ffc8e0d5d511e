/* The table of cell types: how Gmsh, VTK and Abaqus call each shape, and in which order Gmsh and VTK list its nodes against Abaqus's order,
 * which is the library's (cell_type.h has the edges and the sources). SAME stands for an equal order. Gmsh's types that are known and not read
 * are listed by name, so that a message can say what the file holds. */
#include "mesh/format/cell_type.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define SAME                                                                                       \
  {                                                                                                \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,  \
        26                                                                                         \
  }

static const hk_cell_type table[HK_KIND_COUNT] = {
    [HK_TRI3] = {2, 3, 3, 2, 5, "CPE3", SAME, SAME},
    [HK_TRI6] = {2, 6, 3, 9, 22, "CPE6", SAME, SAME},
    [HK_QUAD4] = {2, 4, 4, 3, 9, "CPE4", SAME, SAME},
    [HK_QUAD8] = {2, 8, 4, 16, 23, "CPE8", SAME, SAME},
    [HK_QUAD9] = {2, 9, 4, 10, 28, NULL, SAME, SAME},
    [HK_TET4] = {3, 4, 4, 4, 10, "C3D4", SAME, SAME},
    [HK_TET10] = {3, 10, 4, 11, 24, "C3D10", {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}, SAME},
    [HK_HEX8] = {3, 8, 8, 5, 12, "C3D8", SAME, SAME},
    [HK_HEX20] = {3,
                  20,
                  8,
                  17,
                  25,
                  "C3D20",
                  {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14},
                  SAME},
    [HK_HEX27] = {3,
                  27,
                  8,
                  12,
                  29,
                  NULL,
                  {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 16, 9,  17, 10,
                   18, 19, 12, 15, 13, 14, 21, 23, 26, 24, 25, 22, 20},
                  {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                   14, 15, 16, 17, 18, 19, 26, 24, 23, 25, 21, 22, 20}},
    [HK_WEDGE6] = {3, 6, 6, 6, 13, "C3D6", SAME, SAME},
    [HK_WEDGE15] =
        {3, 15, 6, 18, 26, "C3D15", {0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10}, SAME},
    [HK_WEDGE18] = {3,
                    18,
                    6,
                    13,
                    32,
                    NULL,
                    {0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10, 15, 17, 16},
                    SAME},
    [HK_LINE2] = {1, 2, 2, 1, 3, NULL, SAME, SAME},
    [HK_LINE3] = {1, 3, 2, 8, 21, NULL, SAME, SAME},
    [HK_POINT] = {0, 1, 1, 15, 1, NULL, SAME, SAME},
};

const hk_cell_type *hk_cell_type_of(int kind)
{
  return &table[kind];
}

int hk_kind_of_gmsh(int64_t type)
{
  for (int kind = 0; kind < HK_KIND_COUNT; kind++)
    if (table[kind].gmsh == type) return kind;
  return -1;
}

int hk_kind_of_vtk(int64_t type)
{
  for (int kind = 0; kind < HK_KIND_COUNT; kind++)
    if (table[kind].vtk == type) return kind;
  return -1;
}

const char *hk_gmsh_type_name(int64_t type, int *nodes)
{
  static const struct {
    int type, nodes;
    const char *name;
  } other[] = {{7, 5, "5-node pyramid"},        {14, 14, "14-node pyramid"},
               {19, 13, "13-node pyramid"},     {20, 9, "9-node triangle"},
               {21, 10, "10-node triangle"},    {22, 12, "12-node triangle"},
               {23, 15, "15-node triangle"},    {24, 15, "15-node triangle"},
               {25, 21, "21-node triangle"},    {26, 4, "4-node line"},
               {27, 5, "5-node line"},          {28, 6, "6-node line"},
               {29, 20, "20-node tetrahedron"}, {30, 35, "35-node tetrahedron"},
               {31, 56, "56-node tetrahedron"}, {36, 16, "16-node quadrangle"},
               {37, 25, "25-node quadrangle"},  {38, 36, "36-node quadrangle"},
               {90, 40, "40-node prism"},       {92, 64, "64-node hexahedron"},
               {93, 125, "125-node hexahedron"}};
  for (int i = 0; i < COUNT(other); i++)
    if (other[i].type == type) {
      *nodes = other[i].nodes;
      return other[i].name;
    }
  *nodes = 0;
  return NULL;
}
