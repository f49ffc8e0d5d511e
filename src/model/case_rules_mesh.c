/* Keys of meshes that are made by hooke. */
#include "model/case_rules.h"
#include "model/case_words.h"
#include <stddef.h>

static const hk_rule length = {.doc = "a length", NUMBER, LENGTH};
static const hk_rule cells = {
    .doc = "cells in one direction", INTEGER, .least = 1, .most = 2147483647};
static const char *const shapes_2d[] = {"tri", "quad", NULL};
static const char *const shapes_3d[] = {"tet", "hex", NULL};

#define FROM                                                                                       \
  {                                                                                                \
    .key = "from", .doc = "least corner; the origin unless given", LIST_OF(length), .least = 2,    \
    .most = 3                                                                                      \
  }
#define TO                                                                                         \
  {                                                                                                \
    .key = "to", .doc = "greatest corner; or give `size`", LIST_OF(length), .least = 2, .most = 3  \
  }
#define EXTENT                                                                                     \
  {                                                                                                \
    .key = "size", .doc = "side lengths from `from` on; or give `to`", LIST_OF(length),            \
    .least = 2, .most = 3                                                                          \
  }
#define CELLS                                                                                      \
  {                                                                                                \
    .key = "cells", .doc = "cells per direction, a list or one number for all; or give `element`", \
    LIST_OF(cells), .least = 2, .most = 3, .other = &cells                                         \
  }
#define ELEMENT_SIZE                                                                               \
  {                                                                                                \
    .key = "element", .doc = "edge length wanted: sets the cells", NUMBER, LENGTH,                 \
    .range = HK_POSITIVE                                                                           \
  }
#define JITTER                                                                                     \
  {                                                                                                \
    .key = "jitter", .doc = "inner nodes are moved at random by this part of a cell, 0 to 0.3",    \
    NUMBER, .least = 0, .most = 0.3                                                                \
  }
#define SHUFFLE                                                                                    \
  {                                                                                                \
    .key = "shuffle", .doc = "not 0: nodes and elements are renumbered at random with this seed",  \
    INTEGER, .least = 0, .most = 9007199254740992.0                                                \
  }

static const hk_rule rectangle[] = {FROM,
                                    TO,
                                    EXTENT,
                                    CELLS,
                                    ELEMENT_SIZE,
                                    {.key = "shape",
                                     .doc = "element shape; quad unless given",
                                     .form = HK_FORM_CHOICE,
                                     .choice = shapes_2d},
                                    JITTER,
                                    SHUFFLE,
                                    END};

static const hk_rule box[] = {FROM,
                              TO,
                              EXTENT,
                              CELLS,
                              ELEMENT_SIZE,
                              {.key = "shape",
                               .doc = "element shape; hex unless given",
                               .form = HK_FORM_CHOICE,
                               .choice = shapes_3d},
                              JITTER,
                              SHUFFLE,
                              END};

static const hk_rule cylinder[] = {{.key = "radius",
                                    .doc = "radius; the axis is z, the base lies at the origin",
                                    NUMBER,
                                    LENGTH,
                                    .range = HK_POSITIVE,
                                    .required = true},
                                   {.key = "length",
                                    .doc = "length along z",
                                    NUMBER,
                                    LENGTH,
                                    .range = HK_POSITIVE,
                                    .required = true},
                                   {.key = "across",
                                    .doc = "cells over the diameter; or give `element`",
                                    INTEGER,
                                    .least = 1,
                                    .most = 2147483647},
                                   {.key = "along",
                                    .doc = "cells along the axis; or give `element`",
                                    INTEGER,
                                    .least = 1,
                                    .most = 2147483647},
                                   ELEMENT_SIZE,
                                   {.key = "shape",
                                    .doc = "element shape; hex unless given",
                                    .form = HK_FORM_CHOICE,
                                    .choice = shapes_3d},
                                   JITTER,
                                   SHUFFLE,
                                   END};

#define RECTANGLE                                                                                  \
  {                                                                                                \
    .key = "rectangle", .doc = "a rectangle in 2D with the sets left right bottom top all",        \
    MAP(rectangle)                                                                                 \
  }

static const hk_rule flat_generator[] = {RECTANGLE, END};
static const hk_rule flat = {.doc = "a 2D mesh made by hooke", MAP(flat_generator), .one_of = true};

static const hk_rule layer[] = {
    {.key = "name", .doc = "set of its elements", TEXT},
    {.key = "height", .doc = "along z", NUMBER, LENGTH, .range = HK_POSITIVE, .required = true},
    {.key = "cells",
     .doc = "elements over the height; 1 unless given",
     INTEGER,
     .least = 1,
     .most = 1000000},
    END};
static const hk_rule one_layer = {.doc = "a layer of elements", MAP(layer)};

static const hk_rule extrude[] = {
    {.key = "mesh",
     .doc = "2D mesh file, or a generator; its triangles become prisms, its quadrilaterals "
            "hexahedra, its sets those of what stands above them",
     TEXT,
     .required = true,
     .other = &flat},
    {.key = "from", .doc = "z of the lowest plane; 0 unless given", NUMBER, LENGTH},
    {.key = "layers",
     .doc = "layers upwards",
     LIST_OF(one_layer),
     .least = 1,
     .most = 1000,
     .required = true},
    END};

static const hk_rule generator[] = {
    RECTANGLE,
    {.key = "box",
     .doc = "a box in 3D with the sets left right bottom top front back all",
     MAP(box)},
    {.key = "cylinder", .doc = "a cylinder in 3D with the sets bottom top side all", MAP(cylinder)},
    {.key = "extrude",
     .doc = "a 2D mesh drawn out along z, with the sets front and back (the lowest and the highest "
            "plane), those of its layers and all",
     MAP(extrude)},
    {.key = "blocks",
     .doc = "meshes of blocks are not built yet: use rectangle, box, cylinder or a mesh file",
     .form = HK_FORM_REFUSED},
    END};

const hk_rule hk_generator_rule = {
    .doc = "a mesh made by hooke: one of these", MAP(generator), .one_of = true};
