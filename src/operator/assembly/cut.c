/* A mesh of some elements over the nodes of the whole, with the regions of these elements and what terms add to them. Elements keep their order, in which rows sum. */
#include "operator/assembly/cut.h"
#include "mesh/mesh.h"
#include <string.h>

typedef struct cutting {
  const hk_operator_desc *on;
  hk_pool *pool;
  hk_mesh *mesh;
  hk_index *region;
  hk_index *number; /* number[element of the whole]; -1: it is not here */
} cutting;

static bool touches(const cutting *k, const hk_block *block, hk_count e)
{
  const hk_space *space = k->on->space;
  const hk_index *node = block->node + e * block->nodes;
  for (int n = 0; n < block->nodes; n++)
    if (hk_sharing_owns(k->on->share, space->node[node[n]])) return true;
  return false;
}

/* number = 0 of the elements that are here; their count. */
static hk_count choose(cutting *k)
{
  const hk_mesh *whole = k->on->space->mesh;
  hk_count all = 0;
  for (int b = 0; b < whole->block_count; b++) {
    const hk_block *block = &whole->block[b];
    hk_count count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (hk_count e = 0; e < block->count; e++) {
      const bool here = touches(k, block, e);
      k->number[block->first + e] = here ? 0 : -1;
      count += here;
    }
    all += count;
  }
  if (!all && whole->element_count) k->number[0] = 0, all = 1;
  return all;
}

static hk_status take_block(cutting *k, const hk_block *from)
{
  hk_mesh *mesh = k->mesh;
  hk_block *to = &mesh->block[mesh->block_count];
  hk_count count = 0;
  for (hk_count e = 0; e < from->count; e++) count += k->number[from->first + e] >= 0;
  if (!count) return HK_OK;
  *to = *from, to->count = count, to->first = mesh->element_count;
  mesh->block_count++;
  HK_PASS(hk_pool_get(k->pool, &to->node, count * to->nodes));
  hk_index *node = to->node;
  for (hk_count e = 0; e < from->count; e++) {
    if (k->number[from->first + e] < 0) continue;
    memcpy(node, from->node + e * from->nodes, (size_t)from->nodes * sizeof *node);
    node += from->nodes;
    k->number[from->first + e] = (hk_index)mesh->element_count;
    k->region[mesh->element_count++] = k->on->element_region[from->first + e];
  }
  return HK_OK;
}

/* Coordinates are those of the whole. */
static hk_status take_elements(cutting *k, hk_count count)
{
  const hk_mesh *whole = k->on->space->mesh;
  HK_PASS(hk_pool_get(k->pool, &k->mesh, 1));
  HK_PASS(hk_pool_get(k->pool, &k->mesh->block, whole->block_count));
  HK_PASS(hk_pool_get(k->pool, &k->region, count));
  k->mesh->dim = whole->dim, k->mesh->node_count = whole->node_count, k->mesh->x = whole->x;
  for (int b = 0; b < whole->block_count; b++) HK_PASS(take_block(k, &whole->block[b]));
  return HK_OK;
}

/* Labels are for messages. */
static hk_status take_labels(cutting *k)
{
  const hk_mesh *whole = k->on->space->mesh;
  HK_PASS(hk_pool_get(k->pool, &k->mesh->element_label, k->mesh->element_count));
  for (hk_count e = 0; e < whole->element_count; e++)
    if (k->number[e] >= 0) k->mesh->element_label[k->number[e]] = hk_mesh_element_label(whole, e);
  k->mesh->node_label = whole->node_label;
  return HK_OK;
}

/* Entries begin with their element (operator/term.h). Terms between nodes stay as they are. */
static hk_status take_term(const cutting *k, const hk_operator_term *from, hk_operator_term *to)
{
  char *entry;
  *to = *from;
  if (!from->kind || !from->kind->bytes || !from->count) return HK_OK;
  const size_t bytes = from->kind->bytes;
  HK_PASS(hk_pool_get(k->pool, &entry, from->count * (hk_count)bytes));
  to->entry = entry, to->count = 0;
  for (hk_count i = 0; i < from->count; i++) {
    const char *own = (const char *)from->entry + (size_t)i * bytes;
    hk_index element;
    memcpy(&element, own, sizeof element);
    if (k->number[element] < 0) continue;
    char *place = entry + (size_t)to->count++ * bytes;
    memcpy(place, own, bytes);
    memcpy(place, &k->number[element], sizeof element);
  }
  return HK_OK;
}

static hk_status take_space(const cutting *k, hk_operator_desc *own)
{
  hk_space *space;
  HK_PASS(hk_pool_get(k->pool, &space, 1));
  *space = *k->on->space, space->mesh = k->mesh;
  own->space = space, own->element_region = k->region;
  return HK_OK;
}

hk_status hk_assembly_cut(const hk_operator_desc *on, hk_pool *pool, hk_operator_desc *own)
{
  hk_status status = HK_OK;
  cutting k = {.on = on, .pool = pool};
  HK_TRY(hk_get(&k.number, on->space->mesh->element_count));
  HK_TRY(take_elements(&k, choose(&k)));
  HK_TRY(take_labels(&k));
  *own = *on;
  for (int t = 0; t < HK_OPERATOR_TERMS; t++)
    HK_TRY(take_term(&k, &on->terms.term[t], &own->terms.term[t]));
  HK_TRY(take_space(&k, own));
cleanup:
  hk_free(&k.number);
  return status;
}
