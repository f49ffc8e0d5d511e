/* What the files inp*.c share of a deck's mesh. */
#pragma once
#include "element/element.h"
#include "mesh/format/face_match.h"
#include "input/deck/mesh/deck.h"
#include "input/deck/mesh/reader.h"
#include "base/base.h"
#include "mesh/format/label_map.h"

enum { HK_INP_ROOT = 0, HK_INP_MOST_LABEL = INT32_MAX - 1, HK_INP_FREE = 255 };

typedef enum hk_inp_member_kind {
  HK_INP_LISTED,         /* labels from..to, each must exist */
  HK_INP_GENERATED,      /* labels from, from + step, ... to; those that exist */
  HK_INP_NODES,          /* nodes [from, to) of the part, in order of reading */
  HK_INP_ELEMENTS,       /* elements [from, to) of the shape `step`, in order of reading */
  HK_INP_SET,            /* the set called text[from] */
  HK_INP_NODES_OF_ELSET, /* nodes of the element set called text[from] */
} hk_inp_member_kind;

typedef struct hk_inp_member {
  int32_t from, to, step, line;
  int16_t file, piece; /* piece: INSTANCE=; -1: the part itself */
  uint8_t kind, face;  /* face of surfaces: 0-based, or HK_INP_FREE */
} hk_inp_member;

typedef struct hk_inp_set {
  const char *name;
  hk_set_kind kind;
  hk_place place;
  hk_inp_member *member;
  hk_count count, capacity;
  hk_count missing; /* members that do not exist: an error where the set is used */
  char what[96];    /* the first of them */
  hk_place missing_place;
  bool sorted, unsorted;  /* of node sets: a line without, with UNSORTED was given */
  bool twice_told, mixed; /* mixed: of elements of the mesh and sides */
  int sides_of;           /* number of the element set whose sides these are + 1; 0: no such set */
  hk_count twice;         /* members that are listed again; first_twice: label of the first */
  int64_t first_twice;
} hk_inp_set;

typedef struct hk_inp_pile { /* elements of one shape */
  hk_count count, label_room, node_room;
  int64_t *label; /* label[count] */
  hk_index *node; /* node[count][nodes]: labels while reading, then nodes of the part */
} hk_inp_pile;

typedef struct hk_inp_cells {     /* elements of the mesh, or sides: elements of lower dimension */
  hk_inp_pile pile[HK_INP_KINDS]; /* by shape */
  hk_count first[HK_INP_KINDS + 1]; /* number in the part of the first of each kind */
  int64_t *label;                   /* of all kinds */
  hk_label_map of;                  /* label -> number in the part */
} hk_inp_cells;

typedef struct hk_inp_run { /* elements of one *ELEMENT line */
  const hk_inp_type *type;
  hk_place place;
  hk_count first, count; /* in the pile of type->shape */
} hk_inp_run;

typedef struct hk_inp_part {
  const char *name;
  hk_count node_count, label_room, x_room;
  int64_t *label;             /* label[node_count] */
  double *x;                  /* x[node_count][3] */
  hk_inp_cells element, side; /* all are elements until the sides are set apart */
  HK_LIST(hk_inp_run) run;
  HK_LIST(hk_inp_set) set;
  hk_inp_names names; /* of sets, kind hk_set_kind */
  hk_place nodes;     /* the last *NODE line */
  hk_label_map node_of;
} hk_inp_part;

typedef struct hk_inp_piece {
  const char *name;
  int part;
  hk_place place;
  double shift[3], axes[3][3]; /* x_global = turn(x + shift): rows of axes are the turned x, y, z */
  double about[3];             /* a point of the rotation's axis */
  hk_count node_first;         /* in the mesh */
  hk_count element_first[HK_SHAPE_COUNT];
  int64_t node_add, element_add; /* to the part's labels */
  int set_first;                 /* in the mesh */
} hk_inp_piece;

typedef struct hk_inp_side { /* an element of lower dimension in a piece */
  int piece, kind;
  hk_count at; /* in the pile */
} hk_inp_side;

typedef struct hk_inp_boundary { /* faces of one element only; found when asked for */
  hk_count count;
  hk_index *element;
  uint8_t *face;
} hk_inp_boundary;

typedef struct hk_inp_sides { /* elements of lower dimension than the mesh's */
  bool any, is[HK_INP_KINDS];
  hk_face_match match; /* of the faces of all sides */
} hk_inp_sides;

struct hk_inp {
  hk_pool pool; /* holds lists and texts, but not nodes and elements */
  hk_inp_reader *reader;
  hk_messages *list;
  const char *path, *title;
  HK_LIST(hk_inp_part) part;   /* part.at[0]: the root */
  HK_LIST(hk_inp_piece) piece; /* piece.at[0]: the root */
  hk_inp_names part_names, piece_names;
  HK_LIST(const char *) text; /* names of sets that are members */
  int now;                    /* part being read */
  hk_inp_id inside;           /* *PART, *ASSEMBLY or *INSTANCE that is open; HK_INP_HEADING: none */
  hk_place inside_place;
  HK_LIST(hk_inp_group) group;
  const hk_mesh *mesh; /* borrowed, after hk_inp_finish */
  hk_count members;    /* of all sets so far */
  hk_inp_boundary boundary;
  hk_inp_sides sides;
  /* second[element]: second node as the deck has it, of plane meshes; else NULL */
  hk_index *second;
};

hk_status hk_inp_read_nodes(hk_inp *inp, const hk_inp_line *line);
hk_status hk_inp_read_elements(hk_inp *inp, const hk_inp_line *line);
hk_status hk_inp_read_set(hk_inp *inp, const hk_inp_line *line);
hk_status hk_inp_read_surface(hk_inp *inp, const hk_inp_line *line);

static inline hk_inp_part *hk_inp_part_of(const hk_inp *inp, hk_count piece)
{
  return &inp->part.at[inp->piece.at[piece].part];
}

/* mesh/cells.c: kind of the cell with that number in its part. */
int hk_inp_kind_of(const hk_inp_cells *cells, hk_count number);
/* The line of the *ELEMENT that gave element `at` of a pile. */
hk_place hk_inp_place_of(const hk_inp_part *part, int kind, hk_count at);
/* Labels of all kinds in one array; *unique = false, with an error, where one is given twice. */
hk_status hk_inp_index_cells(hk_inp *inp, hk_inp_part *part, hk_inp_cells *cells, bool *unique);
/* Labels of the cells' nodes become numbers of the part's nodes. *reported: those that are not defined so far; the first ten are told. */
void hk_inp_number_nodes(hk_inp *inp, hk_inp_part *part, hk_inp_cells *cells, hk_count *reported);
enum { HK_INP_MOST_REPORTED = 10 };

/* The set of that name and kind of the part being read, made when it is new. Pointer valid until
 * the next. */
hk_status hk_inp_open_set(hk_inp *inp, const char *name, hk_set_kind kind, hk_place place,
                          hk_inp_set **out);
hk_status hk_inp_add_member(hk_inp *inp, hk_inp_set *set, hk_inp_member member);

/* What the name of a member stands for in a piece: a set, or in the root "instance.set" or "instance.label". */
typedef struct hk_inp_named {
  int piece, set; /* set: number in the part of `piece`; -1: none */
  bool labelled;
  int64_t label;
} hk_inp_named;
void hk_inp_resolve(const hk_inp *inp, int piece, const char *name, hk_set_kind kind,
                    hk_inp_named *out);

/* Fills mesh->set from the parts' sets. mesh/order.c has the order of their members. */
hk_status hk_inp_make_sets(hk_inp *inp, hk_mesh *mesh);
/* mesh/sides.c: elements of lower dimension than `dim` are set apart. */
void hk_inp_set_sides_apart(hk_inp *inp, int dim);
/* Their nodes and labels, once nodes and elements have numbers. *whole = false after an error. */
hk_status hk_inp_number_sides(hk_inp *inp, bool *whole);
/* Element sets of sides become sets of faces and nodes. The mesh has its elements. */
hk_status hk_inp_make_side_sets(hk_inp *inp, const hk_mesh *mesh);
/* Nodes of a side in the mesh: how many. */
int hk_inp_side_nodes(const hk_inp *inp, const hk_inp_side *side, hk_index node[HK_MOST_NODES]);
/* Its face of an element. */
void hk_inp_side_face(const hk_inp *inp, const hk_inp_side *side, hk_matched_face *out);
/* Sides in the element set `set` of piece p, the caller's; *elements: how many elements of the mesh it
 * has. */
hk_status hk_inp_sides_of(hk_inp *inp, int p, const hk_inp_set *set, hk_count *count,
                          hk_inp_side **side, hk_count *elements);
/* The part's point x, moved and turned as the piece is. */
void hk_inp_place_point(const hk_inp_piece *piece, const double x[3], double to[3]);
/* Element of the mesh that is number `local` of the part in a piece. */
hk_index hk_inp_element_of(const hk_inp *inp, const hk_inp_piece *piece, hk_index local);
/* Faces of the elements of `set` that belong to one element of the mesh only, as owned lists, in the
 * numbering before hk_mesh_finish. */
hk_status hk_inp_free_faces(hk_inp *inp, const hk_mesh *mesh, const hk_set *set, hk_count *count,
                            hk_index **item, uint8_t **face);
