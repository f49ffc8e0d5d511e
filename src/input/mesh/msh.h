/* Gmsh's files: what the sections of versions 2.2 and 4.1 share. A section is read value by value;
 * the same code reads ASCII and binary. Long tables are taken in by all threads (msh_table.c). */
#pragma once
#include "input/mesh/rows.h"
#include "mesh/format/raw_mesh.h"

typedef struct hk_msh {
  hk_source *source;
  const char *path;
  hk_messages *list;
  int version; /* 2 or 4 */
  bool binary, packed;
  char *at, *end; /* rest of the present line (ASCII) */
  char section[32];
  hk_count read; /* binary bytes of this section so far */
  bool nodes_done;
  hk_raw_mesh raw;
  hk_rows rows; /* of the present section (ASCII) */
} hk_msh;

/* Sets an error with the place and returns HK_BAD_INPUT. */
hk_status hk_msh_bad(hk_msh *s, const char *format, ...) HK_PRINTF(2, 3);

/* Next value of a section; `what` names it in messages. ASCII: the next word, on this line or a
 * later one; binary: 4 (int), 8 (size, double) bytes. */
hk_status hk_msh_int(hk_msh *s, const char *what, int64_t *value);
hk_status hk_msh_size(hk_msh *s, const char *what, int64_t *value);
hk_status hk_msh_double(hk_msh *s, const char *what, double *value);

/* A count of things of at least ascii (binary) bytes each: HK_BAD_INPUT when the file is too small
 * to hold them. *likely: how many it can be trusted for before they are seen. */
hk_status hk_msh_count(hk_msh *s, const char *what, int64_t count, int ascii, int binary,
                       hk_count *likely);

/* Words about a type of element that is not read. */
hk_status hk_msh_bad_type(hk_msh *s, int64_t type);

/* Reads a cell's node labels by `next` and adds it. */
hk_status hk_msh_cell(hk_msh *s, int kind, int64_t label, hk_index entity,
                      hk_status (*next)(hk_msh *, const char *, int64_t *));

/* Records of a table that all threads take in at once: integers, then numbers, as they lie in a binary file, or as hk_rows has them. */
typedef struct hk_msh_table {
  int integers, numbers; /* of a record */
  int width;             /* bytes of an integer: 4 or 8 */
  const char *integer;   /* of record i at integer + i * integer_step */
  const char *number;    /* numbers of 8 bytes, at number + i * number_step */
  hk_count integer_step, number_step;
  hk_count count;  /* records at hand */
  hk_count length; /* bytes of the file */
} hk_msh_table;

/* The records that follow, whole and at most `most`; count 0: none is at hand, or in an ASCII file some row is not as described or not as `serves`
 * says (hk_rows): the caller reads the next one value by value and tells what is wrong with it. t has integers, numbers and, of a binary file,
 * width. Takes nothing from a binary file: hk_msh_pass does. */
hk_status hk_msh_table_find(hk_msh *s, hk_msh_table *t, hk_count most,
                            bool (*serves)(const void *user, const int64_t *integer),
                            const void *user);
void hk_msh_pass(hk_msh *s, const hk_msh_table *t);
/* Integer k of record i. */
int64_t hk_msh_integer_of(const hk_msh_table *t, hk_count i, int k);
/* Whether there are nodes of these numbers, tag[nodes]. */
bool hk_msh_has_nodes(const hk_msh *s, const int64_t *tag, int nodes);
/* Labels, integer 0 of the records, and coordinates, their first three numbers, of nodes behind the last one, node_count + first ...; of those that the
 * records have. The caller has reserved room and accepts them. */
void hk_msh_take_nodes(hk_msh *s, const hk_msh_table *t, hk_count first);
/* Cells of one kind: integer 0 of a record is the label, the last ones are nodes. */
typedef struct hk_msh_cells {
  int kind;
  int tag;         /* which integer; < 0: none, they are 0 */
  hk_index entity; /* of all, where find is NULL; else that of the tag */
  hk_status (*find)(hk_msh *s, int dim, int64_t tag, hk_index *entity);
} hk_msh_cells;
/* *good = false, and nothing is added, where a node is not there. */
hk_status hk_msh_take_cells(hk_msh *s, const hk_msh_cells *cells, const hk_msh_table *t,
                            bool *good);

hk_status hk_msh2_nodes(hk_msh *s);
hk_status hk_msh2_elements(hk_msh *s);
hk_status hk_msh4_entities(hk_msh *s);
hk_status hk_msh4_partitioned_entities(hk_msh *s);
hk_status hk_msh4_nodes(hk_msh *s);
hk_status hk_msh4_elements(hk_msh *s);
