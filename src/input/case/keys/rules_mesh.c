/* Keys of meshes that are made by hooke, of their elements and of cracks. */
#include "input/case/keys/rules.h"
#include "input/case/keys/words.h"
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
                                     .doc = "element shape",
                                     .usual = "quad",
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
                               .doc = "element shape",
                               .usual = "hex",
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
                                    .doc = "element shape",
                                    .usual = "hex",
                                    .form = HK_FORM_CHOICE,
                                    .choice = shapes_3d},
                                   JITTER,
                                   SHUFFLE,
                                   END};

static const hk_rule place = {.doc = "a point", LIST_OF(length), .least = 2, .most = 3};
static const hk_rule corner = {.doc = "name of a point", TEXT};
static const hk_rule ratio = {.doc = "last cell over first", NUMBER, .range = HK_POSITIVE};
#define AS_FORMULA(c)                                                                              \
  {                                                                                                \
    .key = c, .doc = "formula in x, y, z of the straight edge that gives this coordinate instead", \
    TEXT                                                                                           \
  }
static const hk_rule edge[] = {{.key = "ends",
                                .doc = "the two points that it joins",
                                LIST_OF(corner),
                                .least = 2,
                                .most = 2,
                                .required = true},
                               {.key = "arc",
                                .doc = "an arc of a circle, through this point between the ends",
                                LIST_OF(length),
                                .least = 2,
                                .most = 3},
                               {.key = "polyline",
                                .doc = "straight pieces through these points",
                                LIST_OF(place),
                                .least = 1,
                                .most = 1e6},
                               {.key = "spline",
                                .doc = "natural cubic spline through these points",
                                LIST_OF(place),
                                .least = 1,
                                .most = 1e6},
                               AS_FORMULA("x"),
                               AS_FORMULA("y"),
                               AS_FORMULA("z"),
                               END};
static const hk_rule one_edge = {.doc = "a curved edge", MAP(edge)};
static const hk_rule part[] = {
    {.key = "name", .doc = "set of its elements; several may have one", TEXT, .required = true},
    {.key = "corners",
     .doc = "4 points counterclockwise; 3D: 8, those of one side, then those opposite",
     LIST_OF(corner),
     .least = 4,
     .most = 8,
     .required = true},
    {.key = "cells",
     .doc =
         "from the first corner to the second, from there to the third; 3D: from the first to the "
         "fifth; or one number",
     LIST_OF(cells),
     .least = 2,
     .most = 3,
     .required = true,
     .other = &cells},
    {.key = "grading",
     .doc = "last cell over first in each direction; 1 unless given",
     LIST_OF(ratio),
     .least = 2,
     .most = 3},
    END};
static const hk_rule one_part = {.doc = "a block", MAP(part)};
static const hk_rule one_side = {
    .doc = "corners of a side of a block", LIST_OF(corner), .least = 2, .most = 4};
static const hk_rule side = {
    .doc = "sides of blocks that make a set of faces", LIST_OF(one_side), .least = 1, .most = 1e6};
static const hk_rule blocks[] = {
    {.key = "points", .doc = "corners by name", NAMED(place), .required = true},
    {.key = "edges", .doc = "edges that are not straight", LIST_OF(one_edge)},
    {.key = "blocks",
     .doc = "blocks; where two meet they share a whole side",
     LIST_OF(one_part),
     .least = 1,
     .most = 1e6,
     .required = true},
    {.key = "sides", .doc = "sets of faces and nodes by name", NAMED(side)},
    END};

#define RECTANGLE                                                                                  \
  {                                                                                                \
    .key = "rectangle", .doc = "a rectangle in 2D with the sets left right bottom top all",        \
    MAP(rectangle)                                                                                 \
  }

#define BLOCKS                                                                                     \
  {                                                                                                \
    .key = "blocks",                                                                               \
    .doc = "deformed blocks of quadrilaterals or hexahedra, which share the nodes that coincide",  \
    MAP(blocks)                                                                                    \
  }

static const hk_rule flat_generator[] = {RECTANGLE, BLOCKS, END};
static const hk_rule flat = {.doc = "a 2D mesh made by hooke", MAP(flat_generator), .one_of = true};

static const hk_rule layer[] = {{.key = "name", .doc = "set of its elements", TEXT},
                                {.key = "height",
                                 .doc = "height along z",
                                 NUMBER,
                                 LENGTH,
                                 .range = HK_POSITIVE,
                                 .required = true},
                                {.key = "cells",
                                 .doc = "elements over the height",
                                 .usual = "1",
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
    {.key = "from", .doc = "z of the lowest plane", .usual = "0", NUMBER, LENGTH},
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
     .doc = "a 2D mesh extruded along z, with the sets front and back (the lowest and the highest "
            "plane), those of its layers and all",
     MAP(extrude)},
    BLOCKS,
    END};

const hk_rule hk_generator_rule = {
    .doc = "a mesh made by hooke: one of these", MAP(generator), .one_of = true};

#define SPRINGS(dimension_)                                                                        \
  {                                                                                                \
    {.key = "normal",                                                                              \
     .doc = "stiffness along the normal",                                                          \
     NUMBER,                                                                                       \
     dimension_,                                                                                   \
     .range = HK_NOT_NEGATIVE,                                                                     \
     .required = true},                                                                            \
        {.key = "tangential",                                                                      \
         .doc = "stiffness across the normal",                                                     \
         NUMBER,                                                                                   \
         dimension_,                                                                               \
         .range = HK_NOT_NEGATIVE,                                                                 \
         .required = true},                                                                        \
        END                                                                                        \
  }
static const hk_rule area_springs[] = SPRINGS(SPRING_PER_AREA);
static const hk_rule node_springs[] = SPRINGS(SPRING);
static const hk_rule face_set = {.doc = "a set of inner faces", TEXT};
static const char *const no_yes[] = {"no", "yes", NULL};
const hk_rule hk_crack_rules[] = {
    {.key = "sets",
     .doc = "face sets (2D: of edges), from one side or both; their border stays shared inside the "
            "mesh",
     LIST_OF(face_set),
     .least = 1,
     .most = 1e6,
     .required = true},
    {.key = "springs",
     .doc = "stiffness per area that joins the two sides, which are otherwise free",
     MAP(area_springs)},
    {.key = "node_springs",
     .doc = "the same per pair of nodes, independent of its area; or give springs",
     MAP(node_springs)},
    {.key = "closed",
     .doc = "yes: the crack is closed, as if it did not exist",
     .usual = "no",
     .form = HK_FORM_CHOICE,
     .choice = no_yes},
    END};
static const hk_rule crack = {.doc = "a crack", MAP(hk_crack_rules)};
const hk_rule hk_crack_list = {.doc = "cracks, which may meet and cross", LIST_OF(crack)};

static const char *const integrations[] = {"full", "reduced", "incompatible", NULL};
const hk_rule hk_element_rules[] = {
    {.key = "order",
     .doc = "1: as meshed; quads and hexahedra to 10, prisms 7, simplices 2",
     INTEGER,
     .least = 1,
     .most = 10},
    {.key = "integration",
     .doc = "points of the element matrices in static solutions",
     .usual = "full",
     .form = HK_FORM_CHOICE,
     .choice = integrations},
    END};
