/* The part of the table of keys (rules.h) that describes `mesh` where hooke makes it (rectangle, box,
 * cylinder, extrude, blocks, map), sets by place, spaced points, `crack`, and `element` with order and integration. The words are those
 * of docs/reference/case.md. */
#include "input/case/keys/words.h"

static const hk_key length = RULE("a length", NUMBER, LENGTH);
static const hk_key cells = RULE("cells in one direction", INTEGER, FROM_TO(1, 2147483647));
static const char *const shapes_2d[] = {"tri", "quad", NULL};
static const char *const shapes_3d[] = {"tet", "hex", NULL};

#define FROM KEY("from", "least corner; the origin unless given", LIST_OF(length), FROM_TO(2, 3))
#define TO KEY("to", "greatest corner; or give `size`", LIST_OF(length), FROM_TO(2, 3))
#define EXTENT                                                                                     \
  KEY("size", "side lengths from `from` on; or give `to`", LIST_OF(length), FROM_TO(2, 3))
#define CELLS                                                                                      \
  KEY("cells", "cells per direction, a list or one number for all; or give `element`",             \
      LIST_OF(cells), FROM_TO(2, 3), OR(cells))
#define ELEMENT_SIZE KEY("element", "edge length wanted: sets the cells", NUMBER, LENGTH, POSITIVE)
#define JITTER                                                                                     \
  KEY("jitter", "inner nodes are moved at random by this part of a cell, 0 to 0.3", NUMBER,        \
      FROM_TO(0, 0.3))
#define SHUFFLE                                                                                    \
  KEY("shuffle", "not 0: nodes and elements are renumbered at random with this seed", INTEGER,     \
      FROM_TO(0, 9007199254740992.0))

static const hk_key rectangle[] = {
    FROM,   TO,           EXTENT,
    CELLS,  ELEMENT_SIZE, KEY("shape", "element shape", CHOICE(shapes_2d), USUAL("quad")),
    JITTER, SHUFFLE,      END,
};

static const hk_key box[] = {
    FROM,   TO,           EXTENT,
    CELLS,  ELEMENT_SIZE, KEY("shape", "element shape", CHOICE(shapes_3d), USUAL("hex")),
    JITTER, SHUFFLE,      END,
};

static const hk_key cylinder[] = {
    KEY("radius", "radius; the axis is z, the base lies at the origin", NUMBER, LENGTH, POSITIVE,
        REQUIRED),
    KEY("length", "length along z", NUMBER, LENGTH, POSITIVE, REQUIRED),
    KEY("across", "cells over the diameter; or give `element`", INTEGER, FROM_TO(1, 2147483647)),
    KEY("along", "cells along the axis; or give `element`", INTEGER, FROM_TO(1, 2147483647)),
    ELEMENT_SIZE,
    KEY("shape", "element shape", CHOICE(shapes_3d), USUAL("hex")),
    JITTER,
    SHUFFLE,
    END,
};

static const hk_key place = RULE("a point", LIST_OF(length), FROM_TO(2, 3));
static const hk_key corner = RULE("name of a point", TEXT);
static const hk_key ratio_of_lengths = RULE("a plain number", NUMBER);
static const hk_key ratio = RULE("last cell over first", NUMBER, POSITIVE);
#define AS_FORMULA(c)                                                                              \
  KEY(c, "formula in x, y, z of the straight edge that gives this coordinate instead", TEXT)
static const hk_key edge[] = {
    KEY("ends", "the two points that it joins", LIST_OF(corner), FROM_TO(2, 2), REQUIRED),
    KEY("arc", "an arc of a circle, through this point between the ends", LIST_OF(length),
        FROM_TO(2, 3)),
    KEY("polyline", "straight pieces through these points", LIST_OF(place), FROM_TO(1, 1e6)),
    KEY("spline", "natural cubic spline through these points", LIST_OF(place), FROM_TO(1, 1e6)),
    AS_FORMULA("x"),
    AS_FORMULA("y"),
    AS_FORMULA("z"),
    END,
};
static const hk_key one_edge = RULE("a curved edge", MAP(edge));
static const hk_key part[] = {
    KEY("name", "set of its elements; several may have one", TEXT, REQUIRED),
    KEY("corners", "4 points counterclockwise; 3D: 8, those of one side, then those opposite",
        LIST_OF(corner), FROM_TO(4, 8), REQUIRED),
    KEY("cells",
        "from the first corner to the second, from there to the third; 3D: from the first to the "
        "fifth; or one number",
        LIST_OF(cells), FROM_TO(2, 3), REQUIRED, OR(cells)),
    KEY("grading", "last cell over first in each direction; 1 unless given", LIST_OF(ratio),
        FROM_TO(2, 3)),
    END,
};
static const hk_key one_part = RULE("a block", MAP(part));
static const hk_key one_side = RULE("corners of a side of a block", LIST_OF(corner), FROM_TO(2, 4));
static const hk_key side =
    RULE("sides of blocks that make a set of faces", LIST_OF(one_side), FROM_TO(1, 1e6));
static const hk_key blocks[] = {
    KEY("points", "corners by name", NAMED(place), REQUIRED),
    KEY("edges", "edges that are not straight", LIST_OF(one_edge)),
    KEY("blocks", "blocks; where two meet they share a whole side", LIST_OF(one_part),
        FROM_TO(1, 1e6), REQUIRED),
    KEY("sides", "sets of faces and nodes by name", NAMED(side)),
    END,
};

#define RECTANGLE                                                                                  \
  KEY("rectangle", "a rectangle in 2D with the sets left right bottom top all", MAP(rectangle))

#define BLOCKS                                                                                     \
  KEY("blocks",                                                                                    \
      "deformed blocks of quadrilaterals or hexahedra, which share the nodes that coincide",       \
      MAP(blocks))

static const hk_key flat_generator[] = {
    RECTANGLE,
    BLOCKS,
    END,
};
static const hk_key flat = RULE("a 2D mesh made by hooke", MAP(flat_generator), ONE_OF);

static const hk_key layer[] = {
    KEY("name", "set of its elements", TEXT),
    KEY("height", "height along z", NUMBER, LENGTH, POSITIVE, REQUIRED),
    KEY("cells", "elements over the height", INTEGER, FROM_TO(1, 1000000), USUAL("1")),
    END,
};
static const hk_key one_layer = RULE("a layer of elements", MAP(layer));

static const hk_key extrude[] = {
    KEY("mesh",
        "2D mesh file, or a generator; its triangles become prisms, its quadrilaterals hexahedra, "
        "its sets those of what stands above them",
        TEXT, REQUIRED, OR(flat)),
    KEY("from", "z of the lowest plane", NUMBER, LENGTH, USUAL("0")),
    KEY("layers", "layers upwards", LIST_OF(one_layer), FROM_TO(1, 1000), REQUIRED),
    END,
};

#define ALL_GENERATORS                                                                             \
  RECTANGLE,                                                                                       \
      KEY("box", "a box in 3D with the sets left right bottom top front back all", MAP(box)),      \
      KEY("cylinder", "a cylinder in 3D with the sets bottom top side all", MAP(cylinder)),        \
      KEY("extrude",                                                                               \
          "a 2D mesh extruded along z, with the sets front and back (the lowest and the highest "  \
          "plane), those of its layers and all",                                                   \
          MAP(extrude)),                                                                           \
      BLOCKS

static const hk_key unmapped_generator[] = {ALL_GENERATORS, END};
static const hk_key unmapped = RULE("a mesh made by hooke", MAP(unmapped_generator), ONE_OF);

#define NEW_PLACE(c)                                                                               \
  KEY(c, "formula in x, y, z, the old coordinates in the file's units; the old one unless given",  \
      TEXT)
static const hk_key map[] = {
    KEY("mesh", "mesh file, or a generator; its sets stay", TEXT, REQUIRED, OR(unmapped)),
    NEW_PLACE("x"),
    NEW_PLACE("y"),
    NEW_PLACE("z"),
    END,
};

static const hk_key generator[] = {
    ALL_GENERATORS,
    KEY("map", "a mesh whose nodes are moved by formulas", MAP(map)),
    END,
};

const hk_key hk_generator_rule = RULE("a mesh made by hooke: one of these", MAP(generator), ONE_OF);

#define SPRINGS(dimension_)                                                                        \
  {                                                                                                \
    KEY("normal", "stiffness along the normal", NUMBER, dimension_, NOT_NEGATIVE, REQUIRED),       \
        KEY("tangential", "stiffness across the normal", NUMBER, dimension_, NOT_NEGATIVE,         \
            REQUIRED),                                                                             \
        END                                                                                        \
  }
static const hk_key area_springs[] = SPRINGS(SPRING_PER_AREA);
static const hk_key node_springs[] = SPRINGS(SPRING);
static const hk_key face_set = RULE("a set of inner faces", TEXT);
static const char *const no_yes[] = {"no", "yes", NULL};
const hk_key hk_crack_rules[] = {
    KEY("sets",
        "face sets (2D: of edges), from one side or both; their border stays shared inside the "
        "mesh",
        LIST_OF(face_set), FROM_TO(1, 1e6), REQUIRED),
    KEY("springs", "stiffness per area that joins the two sides, which are otherwise free",
        MAP(area_springs)),
    KEY("node_springs", "the same per pair of nodes, independent of its area; or give springs",
        MAP(node_springs)),
    KEY("closed", "yes: the crack is closed, as if it did not exist", CHOICE(no_yes), USUAL("no")),
    END,
};
static const hk_key crack = RULE("a crack", MAP(hk_crack_rules));
const hk_key hk_crack_list = RULE("cracks, which may meet and cross", LIST_OF(crack));

static const hk_key place_box[] = {
    KEY("from", "least corner", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("to", "greatest corner", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    END,
};
static const hk_key place_sphere[] = {
    KEY("center", "its center", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("radius", "its radius", NUMBER, LENGTH, POSITIVE, REQUIRED),
    END,
};
static const hk_key place_cylinder[] = {
    KEY("from", "center of one end", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("to", "center of the other end", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("radius", "its radius", NUMBER, LENGTH, POSITIVE, REQUIRED),
    END,
};
#define WITHIN                                                                                     \
  KEY("within", "largest distance from it; 1e-6 of the mesh's size unless given", NUMBER, LENGTH,  \
      NOT_NEGATIVE)
static const hk_key place_plane[] = {
    KEY("point", "a point of it", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("normal", "its normal, of any length", LIST_OF(ratio_of_lengths), FROM_TO(2, 3), REQUIRED),
    WITHIN,
    END,
};
static const hk_key place_line[] = {
    KEY("from", "one end", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("to", "the other end", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    WITHIN,
    END,
};
static const hk_key place_near[] = {
    KEY("point", "a point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("count", "how many", INTEGER, FROM_TO(1, 1e9), REQUIRED),
    END,
};
static const hk_key several_near = RULE("so many nearest to one point", MAP(place_near));
static const char *const placed[] = {"nodes", "faces", "elements", "inner-faces", NULL};
const hk_key hk_place_rules[] = {
    KEY("what",
        "nodes; faces of the body's surface, by all their nodes; elements, by the mean of their "
        "vertices; inner-faces between two elements, as cracks need them",
        CHOICE(placed), USUAL("nodes")),
    KEY("of", "the set that they are taken from: of the mesh, or one above", TEXT),
    KEY("box", "they lie in this box", MAP(place_box)),
    KEY("sphere", "they lie in this sphere (2D: circle)", MAP(place_sphere)),
    KEY("cylinder", "they lie in this cylinder (2D: strip)", MAP(place_cylinder)),
    KEY("plane", "they lie on this plane (2D: line)", MAP(place_plane)),
    KEY("line", "they lie on this line between two points", MAP(place_line)),
    KEY("near", "of those the nearest to each of these points; or so many nearest to one point",
        LIST_OF(place), FROM_TO(1, 1e6), OR(several_near)),
    END,
};

static const hk_key points_line[] = {
    KEY("from", "first point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("to", "last point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("count", "number of points, equally spaced", INTEGER, FROM_TO(2, 1e6), REQUIRED),
    END,
};
static const hk_key points_arc[] = {
    KEY("from", "first point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("through", "a point of the arc between them", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("to", "last point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("count", "number of points, equally spaced", INTEGER, FROM_TO(2, 1e6), REQUIRED),
    END,
};
static const hk_key points_circle[] = {
    KEY("center", "its center", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("radius", "its radius", NUMBER, LENGTH, POSITIVE, REQUIRED),
    KEY("normal", "3D: the direction about which the points go round, counter-clockwise",
        LIST_OF(ratio_of_lengths), FROM_TO(3, 3)),
    KEY("toward", "a point on the side of the first one; that of x unless given", LIST_OF(length),
        FROM_TO(2, 3)),
    KEY("count", "number of points, equally spaced", INTEGER, FROM_TO(1, 1e6), REQUIRED),
    END,
};
static const hk_key points_along = RULE("points in one direction", INTEGER, FROM_TO(1, 1e6));
static const hk_key points_grid[] = {
    KEY("from", "first point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("to", "last point", LIST_OF(length), FROM_TO(2, 3), REQUIRED),
    KEY("count", "numbers of points along x, y, z; x runs fastest", LIST_OF(points_along),
        FROM_TO(2, 3), REQUIRED),
    END,
};
const hk_key hk_spaced_rules[] = {
    KEY("line", "on a straight line", MAP(points_line)),
    KEY("arc", "on an arc through three points", MAP(points_arc)),
    KEY("circle", "round a whole circle", MAP(points_circle)),
    KEY("grid", "on a grid", MAP(points_grid)),
    KEY("file",
        "of a CSV file, relative to the case file: a line of names (x, y and z, units in brackets "
        "behind them), then a line for each point",
        TEXT),
    END,
};

static const char *const integrations[] = {"full", "reduced", "incompatible", NULL};
static const hk_key set_order = RULE("1 to 10", INTEGER, FROM_TO(1, 10));
const hk_key hk_element_rules[] = {
    KEY("order", "1: as meshed; quads and hexahedra to 10, prisms 7, simplices 2", INTEGER,
        FROM_TO(1, 10)),
    KEY("orders",
        "static and heat steps: orders of element sets, by their names, in place of `order`; where "
        "orders meet the field is of the lower one",
        NAMED(set_order)),
    KEY("error",
        "largest relative error of traces after a path as long as the mesh's diagonal; the least "
        "order that keeps to it is chosen (explicit steps on quads and hexahedra); or give order",
        NUMBER, POSITIVE),
    KEY("integration", "points of the element matrices in static solutions", CHOICE(integrations),
        USUAL("full"), INTO(hk_region, integration)),
    END,
};
