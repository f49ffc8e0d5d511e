/* Rigid-body motions about joints: parts of a mesh that meet only at a node or an edge can turn about it. Elements that share a face
 * are of one part (hk_mesh_join_faces). A node that several parts share gets a copy in each part but its first, and each component
 * of the copy is tied to that of the original. The mesh with these copies, the given constraints and the ties go to hk_rigid_find (A.3), which
 * then finds the motions of hinges among the rigid-body motions. */
#include "load/joints.h"
#include "base/sort.h"
#include "mesh/topology.h"
#include <string.h>

typedef struct joints {
  hk_pool pool;
  const hk_mesh *mesh;
  hk_index *up;    /* up[element]: the lowest element of its part */
  hk_index *first; /* first[mesh node]: its first part; -1: none */
  uint64_t *key;   /* key[count], ascending: node and part of each node that is added */
  hk_count count;
  hk_mesh *open; /* the mesh with them, behind its own */
  hk_space *space;
  hk_constraints held;
} joints;

static void clear(joints *j)
{
  hk_pool_clear(&j->pool);
  hk_constraints_clear(&j->held);
  hk_space_destroy(&j->space);
  hk_mesh_destroy(&j->open);
}

static bool is_whole(const joints *j)
{
  hk_count parts = 0;
#pragma omp parallel for schedule(static) reduction(+ : parts)
  for (hk_count e = 0; e < j->mesh->element_count; e++) parts += j->up[e] == e;
  return parts <= 1;
}

static uint64_t key_of(hk_index node, hk_index part)
{
  return (uint64_t)node << 32 | (uint32_t)part;
}

/* Nodes of elements of another part than the node's first; key NULL: their number alone. */
static hk_count list(joints *j, uint64_t *key)
{
  const hk_mesh *mesh = j->mesh;
  hk_count count = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index part = j->up[e], *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) {
      if (j->first[node[n]] < 0) j->first[node[n]] = part;
      if (j->first[node[n]] == part) continue;
      if (key) key[count] = key_of(node[n], part);
      count++;
    }
  }
  return count;
}

static hk_status find_shared(joints *j)
{
  HK_PASS(hk_pool_get(&j->pool, &j->first, j->mesh->node_count));
  for (hk_count n = 0; n < j->mesh->node_count; n++) j->first[n] = -1;
  const hk_count listed = list(j, NULL);
  HK_PASS(hk_pool_get(&j->pool, &j->key, listed));
  list(j, j->key);
  HK_PASS(hk_mesh_sort(listed, j->key, NULL));
  for (hk_count k = 0; k < listed; k++)
    if (!j->count || j->key[k] != j->key[j->count - 1]) j->key[j->count++] = j->key[k];
  return HK_OK;
}

/* The node of an element of `part` in the open mesh. */
static hk_index node_of(const joints *j, hk_index node, hk_index part)
{
  const uint64_t key = key_of(node, part);
  hk_count low = 0, high = j->count;
  if (j->first[node] == part) return node;
  while (high - low > 1) {
    const hk_count middle = (low + high) / 2;
    if (j->key[middle] <= key)
      low = middle;
    else
      high = middle;
  }
  return (hk_index)(j->mesh->node_count + low);
}

static hk_status open_mesh(joints *j)
{
  const hk_mesh *mesh = j->mesh;
  const int dim = mesh->dim;
  HK_PASS(hk_mesh_begin(dim, &j->open));
  HK_PASS(hk_get(&j->open->block, mesh->block_count));
  j->open->node_count = mesh->node_count + j->count;
  HK_PASS(hk_get(&j->open->x, j->open->node_count * dim));
  memcpy(j->open->x, mesh->x, (size_t)(mesh->node_count * dim) * sizeof *mesh->x);
  for (hk_count k = 0; k < j->count; k++)
    memcpy(j->open->x + (mesh->node_count + k) * dim, mesh->x + (hk_count)(j->key[k] >> 32) * dim,
           (size_t)dim * sizeof *mesh->x);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *from = &mesh->block[b];
    hk_block *to = &j->open->block[j->open->block_count++];
    *to = *from, to->node = NULL;
    HK_PASS(hk_get(&to->node, from->count * from->nodes));
    for (hk_count e = 0; e < from->count; e++)
      for (int n = 0; n < from->nodes; n++)
        to->node[e * from->nodes + n] =
            node_of(j, from->node[e * from->nodes + n], j->up[from->first + e]);
  }
  j->open->element_count = mesh->element_count;
  return hk_space_create(j->open, &(hk_space_desc){.patch = 64, .slice = 16}, &j->space);
}

/* The constraints in the open mesh's numbers, and ties of the nodes that were added. */
static hk_status hold(joints *j, const hk_rigid_desc *desc)
{
  hk_status status = HK_OK;
  const hk_space *old = desc->space, *new = j->space;
  const hk_constraints *c = desc->constraints;
  const int dim = j->mesh->dim;
  hk_constraint_rows rows = {0};
  hk_index *dof = NULL;
  double *weight = NULL;
  hk_count room[2] = {0};
  for (hk_index i = 0; i < c->count; i++) {
    const int terms = c->begin[i + 1] - c->begin[i] + 1;
    HK_TRY(hk_reserve(&dof, terms, &room[0]));
    HK_TRY(hk_reserve(&weight, terms, &room[1]));
    for (int k = 0; k < terms; k++) {
      const hk_index at = k ? c->master[c->begin[i] + k - 1] : c->dof[i];
      dof[k] = new->node[old->mesh_node[at / dim]] * dim + at % dim;
      weight[k] = k ? -c->weight[c->begin[i] + k - 1] : 1;
    }
    HK_TRY(hk_constraint_rows_add(&rows, terms, dof, weight, 0, NULL, 0));
  }
  for (hk_count k = 0; k < j->count; k++)
    for (int d = 0; d < dim; d++) {
      const hk_index pair[2] = {new->node[j->mesh->node_count + k] * dim + d,
                                new->node[j->key[k] >> 32] * dim + d};
      HK_TRY(hk_constraint_rows_add(&rows, 2, pair, (double[]){1, -1}, 0, NULL, 0));
    }
  HK_TRY(hk_constraints_build(&rows, (hk_count) new->padded *dim, 0, NULL, &j->held, NULL));
cleanup:
  hk_constraint_rows_clear(&rows);
  hk_free(&dof);
  hk_free(&weight);
  return status;
}

hk_status hk_joints_find(const hk_rigid_desc *desc, hk_count *modes, hk_index *node)
{
  hk_status status = HK_OK;
  joints j = {.mesh = desc->space->mesh};
  hk_rigid_desc open = *desc;
  hk_loose *loose = NULL;
  hk_count parts, count;
  *modes = 0, *node = -1;
  HK_TRY(hk_pool_get(&j.pool, &j.up, j.mesh->element_count));
  HK_TRY(hk_mesh_join_faces(j.mesh, j.up));
  if (is_whole(&j)) goto cleanup;
  HK_TRY(find_shared(&j));
  if (!j.count) goto cleanup;
  *node = (hk_index)(j.key[0] >> 32);
  HK_TRY(open_mesh(&j));
  HK_TRY(hold(&j, desc));
  open.space = j.space, open.constraints = &j.held;
  HK_TRY(hk_rigid_find(&open, &parts, &count, &loose));
  for (hk_count i = 0; i < count; i++) *modes += loose[i].modes;
cleanup:
  hk_free(&loose);
  clear(&j);
  return status;
}
