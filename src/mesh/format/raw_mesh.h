/* What a file holds before it is a mesh: nodes with three coordinates, cells of all dimensions in
 * piles by kind, and groups of cells. hk_raw_mesh_convert makes the mesh and its sets.
 *
 * A group of the mesh's dimension becomes an element set, one of a dimension less a face set and a
 * node set, any lower one a node set. Cells of lower dimension serve for sets only. */
#pragma once
#include "mesh/format/cell_type.h"
#include "mesh/format/label_map.h"

enum { HK_MOST_GROUPS = 10000, HK_MOST_GROUPS_OF_ENTITY = 64 };

typedef struct hk_raw_pile { /* cells of one kind */
  hk_count count, node_room, label_room;
  hk_index *node; /* node[count][nodes], Abaqus's order, owned */
  int64_t *label; /* label[count], owned */
} hk_raw_pile;

typedef struct hk_raw_run { /* cells [first, first + count) of a pile, of one entity */
  int kind;
  hk_index entity; /* -1: none */
  hk_count first, count;
} hk_raw_run;

typedef struct hk_raw_group {
  int dim;
  const char *name;
  bool named; /* its name was given; else it is the tag */
  hk_count cells;
} hk_raw_group;

typedef struct hk_raw_entity {
  hk_index groups;
  hk_index *group; /* group[groups] */
} hk_raw_entity;

typedef struct hk_raw_mesh {
  const char *path; /* borrowed, for messages */
  hk_messages *list;
  hk_pool pool; /* holds runs, groups and entities */
  hk_count node_count, x_room, label_room;
  double *x;      /* x[node_count][3], owned */
  int64_t *label; /* label[node_count], owned */
  hk_raw_pile pile[HK_KIND_COUNT];
  HK_LIST(hk_raw_run) run;
  HK_LIST(hk_raw_group) group;
  HK_LIST(hk_raw_entity) entity;
  hk_label_map group_of, entity_of; /* 4 * tag + dim -> group, entity */
  hk_label_map node_of;             /* node label -> node; built by hk_raw_mesh_index */
  /* a cell is written once for each of its groups (MSH 2, and VTK files made of it): join the copies */
  bool repeats;
} hk_raw_mesh;

/* Room for count more nodes (cells) in all, where a header may be believed that far. */
hk_status hk_raw_mesh_reserve_nodes(hk_raw_mesh *raw, hk_count count);
hk_status hk_raw_mesh_reserve_cells(hk_raw_mesh *raw, int kind, hk_count count);
hk_status hk_raw_mesh_add_node(hk_raw_mesh *raw, int64_t label, const double x[3]);
/* Takes in nodes (cells) that were written behind the last ones, after reserve. */
hk_status hk_raw_mesh_accept_nodes(hk_raw_mesh *raw, hk_count count);
hk_status hk_raw_mesh_accept_cells(hk_raw_mesh *raw, int kind, hk_index entity, hk_count count);
/* After the last node; HK_BAD_INPUT when a label repeats. */
hk_status hk_raw_mesh_index(hk_raw_mesh *raw);
/* node[]: places of nodes in Abaqus's order. */
hk_status hk_raw_mesh_add_cell(hk_raw_mesh *raw, int kind, int64_t label, hk_index entity,
                               const hk_index *node);

/* The group of that dimension and tag, made when it is new; name NULL: the tag is the name.
 * HK_BAD_INPUT beyond HK_MOST_GROUPS. */
hk_status hk_raw_mesh_group(hk_raw_mesh *raw, int dim, int64_t tag, const char *name,
                            hk_index *out);
/* The entity of that dimension and tag, made when it is new. Tags within +-2^60. */
hk_status hk_raw_mesh_entity(hk_raw_mesh *raw, int dim, int64_t tag, hk_index *out);
hk_status hk_raw_mesh_join(hk_raw_mesh *raw, hk_index entity, hk_index group);

/* Makes the mesh, without hk_mesh_finish; raw is left empty or partly so. */
hk_status hk_raw_mesh_convert(hk_raw_mesh *raw, hk_mesh **out);
void hk_raw_mesh_free(hk_raw_mesh *raw);

/* raw_sets.c: adds the groups as sets. first[kind]: number of the first element of the pile;
 * number[kind][cell], or NULL where the cell's number is its place. */
hk_status hk_raw_mesh_add_sets(hk_raw_mesh *raw, hk_mesh *mesh, const hk_count *first,
                               hk_index *const *number);
