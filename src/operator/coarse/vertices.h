/* The level of the vertices below a mesh of second order: linear elements on the same vertices, and linear interpolation from them to all
 * nodes, for multigrid. Where elements are straight and integrated exactly, the matrix is P^T K P. */
#pragma once
#include "operator/assembly/assembly.h"
#include "operator/coarse/coarse.h"

typedef struct hk_vertices {
  hk_index count;
  hk_index *node;      /* node[count], ascending: internal numbers */
  hk_interpolation up; /* from vertices to all nodes */
  hk_csr matrix;       /* rows: vertices; of ranks that share K's rows, own ones are complete */
  hk_assembly
      *rows; /* the same on a device with its own memory, and `matrix` is empty; else NULL */
  hk_sharing *share; /* of these ranks: of the vertices; else NULL */
  hk_mesh *mesh;     /* private, as what follows: of linear elements */
  hk_space space;
  hk_pool pool;
} hk_vertices;

/* Whether there are elements of second order. */
bool hk_vertices_exist(const hk_mesh *mesh);
/* Full integration, or that of incompatible modes where a region asks for it. *out is zero, and stays where it is until it is cleared.
 * HK_BAD_INPUT names a folded element; HK_NO_RESOURCES. */
hk_status hk_vertices_create(const hk_operator_desc *desc, hk_vertices *out);
void hk_vertices_clear(hk_vertices *vertices);
