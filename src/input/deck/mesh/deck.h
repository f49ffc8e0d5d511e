/* The mesh part of a deck while it is read, shared with the reader of the model part:
 *
 *   hk_inp_create(path, &files, list, &inp);
 *   while (hk_inp_next(hk_inp_reader_of(inp), &line) == HK_OK && line.keyword)
 *     hk_inp_mesh_keyword(inp, &line, &taken);  not taken: the model's
 *   hk_inp_finish(inp, &mesh);                  all sets, then queries by name and label
 *
 * A deck is one root (nodes, elements, sets of a flat deck, or those of *ASSEMBLY) and parts; each
 * *INSTANCE is a piece of the mesh. References are resolved at the end, so order matters only for
 * sets of sets. */
#pragma once
#include "input/deck/mesh/reader.h"
#include "mesh/mesh.h"

/* Abaqus's and CalculiX's element names. */

typedef enum hk_inp_use {
  HK_INP_PLANE_STRAIN,
  HK_INP_PLANE_STRESS,
  HK_INP_SOLID,
  HK_INP_AXISYMMETRIC,
  HK_INP_HEAT,
  HK_INP_HEAT_RING, /* axisymmetric */
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

typedef struct hk_inp hk_inp;

/* Names of files lie in `files`, which outlives it. */
hk_status hk_inp_create(const char *path, hk_pool *files, hk_messages *list, hk_inp **out);
void hk_inp_destroy(hk_inp **inp);
hk_inp_reader *hk_inp_reader_of(hk_inp *inp);

hk_status hk_inp_mesh_keyword(hk_inp *inp, const hk_inp_line *line, bool *taken);
/* Number of the part that is being read; 0: the root. */
int hk_inp_scope(const hk_inp *inp);
/* Title: the first line after *HEADING; NULL: none. */
const char *hk_inp_title(const hk_inp *inp);

/* Makes the mesh (hk_mesh_finish included), the caller's. Errors of the input are only reported
 * where a mesh can be made, and *out is NULL where not: ask hk_inp_verdict. */
hk_status hk_inp_finish(hk_inp *inp, hk_mesh **out);

typedef struct hk_inp_group { /* elements of one *ELEMENT line in one piece */
  const hk_inp_type *type;
  hk_place place;
  hk_count first, count; /* numbers in the mesh */
} hk_inp_group;
int hk_inp_group_count(const hk_inp *inp);
/* Nodes and elements read so far, of all parts. */
hk_count hk_inp_size(const hk_inp *inp);
/* Before hk_inp_finish: an error where no set of any kind has that name. */
void hk_inp_check_set(hk_inp *inp, hk_place place, const char *what, const char *name,
                      hk_set_kind kind, int scope);
const hk_inp_group *hk_inp_group_at(const hk_inp *inp, int g);

/* Pieces made from a part: their number; 1 for the root. */
int hk_inp_piece_count(const hk_inp *inp, int scope);

/* The set called `name` in the root, in "instance.name", or (scope > 0) in the k-th piece of a
 * part. NULL after an error at `place` (unknown, or members that do not exist). */
const hk_set *hk_inp_find_set(hk_inp *inp, hk_place place, const char *what, const char *name,
                              hk_set_kind kind, int scope, int k);
/* Like it, without an error: NULL if there is none. */
const hk_set *hk_inp_peek_set(const hk_inp *inp, const char *name, hk_set_kind kind, int scope,
                              int k);
/* Members of a set of nodes or elements that was found, the caller's. As the deck lists them, again
 * where they are listed again (which CalculiX prints), or, `sorted`, in Abaqus's order: by ascending
 * labels and once each, but as listed where the set is UNSORTED. */
hk_status hk_inp_members(hk_inp *inp, const hk_set *set, bool sorted, hk_count *count,
                         hk_index **item);
/* Warns, once, of a set whose members are listed more than once, where it takes a load. */
void hk_inp_warn_of_twice(hk_inp *inp, hk_place place, const char *what, const hk_set *set);
/* Number in the mesh of the node (element) "12" or "instance.12"; -1 after an error at `place`. */
hk_index hk_inp_find_node(hk_inp *inp, hk_place place, const char *label);
hk_index hk_inp_find_element(hk_inp *inp, hk_place place, const char *label);
/* True for "12" and "instance.12". */
bool hk_inp_is_label(const hk_inp *inp, const char *name);
/* Face (0-based, as the mesh has the element now) that the deck calls `face` of element e. */
uint8_t hk_inp_face(const hk_inp *inp, hk_index e, uint8_t face);
/* Where the k-th piece of a part has the point x of the part. */
void hk_inp_piece_point(const hk_inp *inp, int scope, int k, const double x[3], double to[3]);
