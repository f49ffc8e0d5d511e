/* Gmsh's files: what the sections of versions 2.2 and 4.1 share. A section is read value by value;
 * the same code reads ASCII and binary. */
#ifndef HK_INPUT_MESH_MSH_H
#define HK_INPUT_MESH_MSH_H
#include "base/source.h"
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

hk_status hk_msh2_nodes(hk_msh *s);
hk_status hk_msh2_elements(hk_msh *s);
hk_status hk_msh4_entities(hk_msh *s);
hk_status hk_msh4_partitioned_entities(hk_msh *s);
hk_status hk_msh4_nodes(hk_msh *s);
hk_status hk_msh4_elements(hk_msh *s);

#endif
