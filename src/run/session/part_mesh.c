/* Cuts a part of a model out as a mesh of its own. Predictions step such a part, and devices are
 * compared with the host on one. The caller numbers the nodes of the part. The elements whose nodes
 * are all numbered belong to it and keep their order, shapes and regions. */
#include "mesh/mesh.h"
#include "run/session/discretisation.h"
#include <string.h>

/* Whether all nodes of element number i of the block belong to the part. */
static bool inside(const hk_block *block, hk_count i, const hk_index *number)
{
  for (int n = 0; n < block->nodes; n++)
    if (number[block->node[i * block->nodes + n]] < 0) return false;
  return true;
}

static hk_status copy_block(const hk_model *model, const hk_block *from, const hk_index *number,
                            hk_part_mesh *part)
{
  hk_mesh *mesh = part->mesh;
  hk_block *to = &mesh->block[mesh->block_count];
  hk_count count = 0, end = 0; /* elements of the part are before `end` */
#pragma omp parallel for schedule(static) reduction(+ : count) reduction(max : end)
  for (hk_count i = 0; i < from->count; i++)
    if (inside(from, i, number)) count++, end = i + 1;
  if (!count) return HK_OK;
  *to = *from, to->node = NULL, to->count = count, to->first = mesh->element_count;
  mesh->block_count++;
  HK_PASS(hk_get(&to->node, count * to->nodes));
  HK_PASS(hk_resize(&part->region, to->first + count));
  hk_index *node = to->node;
  for (hk_count i = 0; i < end; i++) {
    if (!inside(from, i, number)) continue;
    for (int n = 0; n < from->nodes; n++) *node++ = number[from->node[i * from->nodes + n]];
    part->region[mesh->element_count++] = model->element_region[from->first + i];
  }
  return HK_OK;
}

hk_status hk_part_mesh_cut(const hk_model *model, const hk_index *number, hk_index nodes,
                           hk_part_mesh *part)
{
  const hk_mesh *mesh = model->mesh;
  const int dim = mesh->dim;
  HK_PASS(hk_mesh_begin(dim, &part->mesh));
  HK_PASS(hk_get(&part->mesh->x, (hk_count)nodes * dim));
  HK_PASS(hk_get(&part->mesh->block, mesh->block_count));
  part->mesh->node_count = nodes;
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (number[n] >= 0)
      memcpy(part->mesh->x + (hk_count)number[n] * dim, mesh->x + n * dim,
             (size_t)dim * sizeof *mesh->x);
  for (int b = 0; b < mesh->block_count; b++)
    HK_PASS(copy_block(model, &mesh->block[b], number, part));
  return HK_OK;
}

/* Marks so many nodes, or all: those that come first, or of the elements that do. */
static void mark(const hk_space *space, hk_index wanted, hk_index *number)
{
  const hk_interior *by = space->interior;
  hk_index marked = 0;
  for (hk_index k = 0; !by && k < space->padded && marked < wanted; k++) {
    const hk_index i = hk_space_place(space, k / space->patch, k % space->patch);
    if (space->mesh_node[i] >= 0) number[space->mesh_node[i]] = 0, marked++;
  }
  for (hk_count e = 0; by && e < (hk_count)by->batches * by->lanes && marked < wanted; e++) {
    if (by->element[e] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(space->mesh, by->element[e]);
    for (int n = 0; n < hk_mesh_block_of(space->mesh, by->element[e])->nodes; n++) {
      marked += number[node[n]] < 0;
      number[node[n]] = 0;
    }
  }
}

hk_status hk_part_mesh_first(const hk_discretisation *on, hk_index wanted, hk_part_mesh *out)
{
  hk_status status = HK_OK;
  const hk_space *space = on->space;
  hk_index *number = NULL, nodes = 0;
  HK_TRY(hk_get(&number, space->mesh->node_count));
  for (hk_count n = 0; n < space->mesh->node_count; n++) number[n] = -1;
  mark(space, wanted, number);
  for (hk_index k = 0; k < space->padded; k++) {
    const hk_index n = space->mesh_node[hk_space_place(space, k / space->patch, k % space->patch)];
    if (n >= 0 && number[n] >= 0) number[n] = nodes++;
  }
  HK_TRY(hk_part_mesh_cut(on->model, number, nodes, out));
cleanup:
  hk_free(&number);
  return status;
}

void hk_part_mesh_clear(hk_part_mesh *part)
{
  hk_mesh_destroy(&part->mesh);
  hk_free(&part->region);
}
