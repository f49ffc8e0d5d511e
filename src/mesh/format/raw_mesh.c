/* What a mesh file holds, gathered while it is read, and its conversion to a mesh. The highest dimension of cells is that of the mesh; in 2D
 * all nodes must lie in one plane z = const, to 1e-8 of the extent. Each shape becomes a block. Cells that repeat the nodes of an earlier cell
 * go where the format lists a cell once for each of its groups (MSH 2.2). Labels of nodes and elements are kept unless they are 1, 2, ...;
 * labels of elements that repeat or lie below 1 are replaced. Groups become sets in raw_sets.c. */
#include "mesh/format/raw_mesh.h"
#include "base/sort.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

hk_status hk_raw_mesh_reserve_nodes(hk_raw_mesh *raw, hk_count count)
{
  HK_PASS(hk_reserve(&raw->x, 3 * (raw->node_count + count), &raw->x_room));
  return hk_reserve(&raw->label, raw->node_count + count, &raw->label_room);
}

hk_status hk_raw_mesh_reserve_cells(hk_raw_mesh *raw, int kind, hk_count count)
{
  hk_raw_pile *pile = &raw->pile[kind];
  const hk_count all = pile->count + count;
  HK_PASS(hk_reserve(&pile->node, all * hk_cell_type_of(kind)->nodes, &pile->node_room));
  return hk_reserve(&pile->label, all, &pile->label_room);
}

hk_status hk_raw_mesh_accept_nodes(hk_raw_mesh *raw, hk_count count)
{
  HK_NEED(count <= INT32_MAX - raw->node_count, HK_BAD_INPUT, "%s: more than %d nodes", raw->path,
          INT32_MAX);
  raw->node_count += count;
  return HK_OK;
}

hk_status hk_raw_mesh_add_node(hk_raw_mesh *raw, int64_t label, const double x[3])
{
  HK_PASS(hk_raw_mesh_reserve_nodes(raw, 1));
  memcpy(raw->x + 3 * raw->node_count, x, 3 * sizeof *x);
  raw->label[raw->node_count] = label;
  return hk_raw_mesh_accept_nodes(raw, 1);
}

hk_status hk_raw_mesh_index(hk_raw_mesh *raw)
{
  hk_count repeated, below = 0;
#pragma omp parallel for schedule(static) reduction(+ : below)
  for (hk_count i = 0; i < raw->node_count; i++) below += raw->label[i] < 1;
  for (hk_count i = 0; below && i < raw->node_count; i++)
    HK_NEED(raw->label[i] >= 1, HK_BAD_INPUT, "%s: a node has number %lld: numbers begin at 1",
            raw->path, (long long)raw->label[i]);
  HK_PASS(hk_label_map_build(&raw->node_of, raw->label, raw->node_count, &repeated));
  HK_NEED(repeated < 0, HK_BAD_INPUT, "%s: node %lld is given twice: node numbers must differ",
          raw->path, (long long)raw->label[repeated]);
  return HK_OK;
}

hk_status hk_raw_mesh_accept_cells(hk_raw_mesh *raw, int kind, hk_index entity, hk_count count)
{
  hk_raw_pile *pile = &raw->pile[kind];
  hk_raw_run *last = raw->run.count ? &raw->run.at[raw->run.count - 1] : NULL;
  if (!last || last->kind != kind || last->entity != entity) {
    HK_PASS(hk_pool_more(&raw->pool, &raw->run));
    last = &raw->run.at[raw->run.count++];
    *last = (hk_raw_run){kind, entity, pile->count, 0};
  }
  last->count += count;
  pile->count += count;
  return HK_OK;
}

hk_status hk_raw_mesh_add_cell(hk_raw_mesh *raw, int kind, int64_t label, hk_index entity,
                               const hk_index *node)
{
  hk_raw_pile *pile = &raw->pile[kind];
  const int nodes = hk_cell_type_of(kind)->nodes;
  HK_PASS(hk_raw_mesh_reserve_cells(raw, kind, 1));
  memcpy(pile->node + pile->count * nodes, node, (size_t)nodes * sizeof *node);
  pile->label[pile->count] = label;
  return hk_raw_mesh_accept_cells(raw, kind, entity, 1);
}

static hk_status key_of(const hk_raw_mesh *raw, int dim, int64_t tag, int64_t *key)
{
  if (tag < -(INT64_C(1) << 60) || tag > INT64_C(1) << 60)
    return hk_error_set(HK_BAD_INPUT, "%s: tag %lld is too large", raw->path, (long long)tag);
  *key = 4 * tag + dim;
  return HK_OK;
}

hk_status hk_raw_mesh_group(hk_raw_mesh *raw, int dim, int64_t tag, const char *name, hk_index *out)
{
  int64_t key = 0;
  char number[24];
  HK_PASS(key_of(raw, dim, tag, &key));
  *out = hk_label_map_find(&raw->group_of, key);
  if (*out >= 0) return HK_OK;
  HK_NEED(raw->group.count < HK_MOST_GROUPS, HK_BAD_INPUT, "%s: more than %d groups", raw->path,
          HK_MOST_GROUPS);
  snprintf(number, sizeof number, "%lld", (long long)tag);
  HK_PASS(hk_pool_more(&raw->pool, &raw->group));
  hk_raw_group *group = &raw->group.at[raw->group.count];
  *group = (hk_raw_group){.dim = dim, .named = name != NULL};
  HK_PASS(hk_pool_text(&raw->pool, name ? name : number, &group->name));
  HK_PASS(hk_label_map_add(&raw->group_of, key, (hk_index)raw->group.count));
  *out = (hk_index)raw->group.count++;
  return HK_OK;
}

hk_status hk_raw_mesh_entity(hk_raw_mesh *raw, int dim, int64_t tag, hk_index *out)
{
  int64_t key = 0;
  HK_PASS(key_of(raw, dim, tag, &key));
  *out = hk_label_map_find(&raw->entity_of, key);
  if (*out >= 0) return HK_OK;
  HK_NEED(raw->entity.count < INT32_MAX, HK_BAD_INPUT, "%s: too many entities", raw->path);
  HK_PASS(hk_pool_more(&raw->pool, &raw->entity));
  HK_PASS(hk_label_map_add(&raw->entity_of, key, (hk_index)raw->entity.count));
  *out = (hk_index)raw->entity.count;
  raw->entity.at[raw->entity.count++] = (hk_raw_entity){0};
  return HK_OK;
}

hk_status hk_raw_mesh_join(hk_raw_mesh *raw, hk_index entity, hk_index group)
{
  hk_raw_entity *e = &raw->entity.at[entity];
  for (hk_index i = 0; i < e->groups; i++)
    if (e->group[i] == group) return HK_OK;
  HK_NEED(e->groups < HK_MOST_GROUPS_OF_ENTITY, HK_BAD_INPUT,
          "%s: an entity is in more than %d groups", raw->path, HK_MOST_GROUPS_OF_ENTITY);
  HK_PASS(hk_pool_resize(&raw->pool, &e->group, e->groups + 1));
  e->group[e->groups++] = group;
  return HK_OK;
}

void hk_raw_mesh_free(hk_raw_mesh *raw)
{
  hk_free(&raw->x);
  hk_free(&raw->label);
  for (int kind = 0; kind < HK_KIND_COUNT; kind++) {
    hk_free(&raw->pile[kind].node);
    hk_free(&raw->pile[kind].label);
  }
  hk_pool_clear(&raw->pool);
  hk_label_map_free(&raw->group_of);
  hk_label_map_free(&raw->entity_of);
  hk_label_map_free(&raw->node_of);
}

static void sorted_nodes(const hk_raw_pile *pile, int nodes, hk_count cell, hk_index *out)
{
  memcpy(out, pile->node + cell * nodes, (size_t)nodes * sizeof *out);
  hk_sort_few(nodes, out);
}

/* number[cell] = place of the cell after copies of an earlier cell (same nodes) have gone; the pile
 * is closed up. *number stays NULL when all differ. */
static hk_status join_copies(hk_raw_mesh *raw, int kind, hk_index **number)
{
  hk_status status = HK_OK;
  hk_raw_pile *pile = &raw->pile[kind];
  const int nodes = hk_cell_type_of(kind)->nodes;
  hk_index *seen = NULL, *to = NULL, mine[27], other[27];
  hk_count slots = 16, kept = 0;
  while (slots < 2 * pile->count) slots *= 2;
  HK_TRY(hk_get(&seen, slots));
  HK_TRY(hk_get(&to, pile->count));
  for (hk_count cell = 0; cell < pile->count; cell++) {
    sorted_nodes(pile, nodes, cell, mine);
    const size_t size = (size_t)nodes * sizeof *mine;
    const uint64_t hash = hk_hash(mine, size, 0);
    hk_count slot = (hk_count)((hash ^ hash >> 32) & (uint64_t)(slots - 1));
    for (; seen[slot]; slot = (slot + 1) & (slots - 1)) {
      sorted_nodes(pile, nodes, seen[slot] - 1, other);
      if (!memcmp(mine, other, size)) break;
    }
    if (seen[slot]) {
      to[cell] = seen[slot] - 1;
      continue;
    }
    memmove(pile->node + kept * nodes, pile->node + cell * nodes, size);
    pile->label[kept] = pile->label[cell];
    to[cell] = (hk_index)kept++;
    seen[slot] = (hk_index)kept;
  }
  if (kept < pile->count) *number = to, to = NULL;
  pile->count = kept;
cleanup:
  hk_free(&seen);
  hk_free(&to);
  return status;
}

/* Two dimensions need one plane z = const, to 1e-8 of the mesh's extent. */
static hk_status check_plane(const hk_raw_mesh *raw)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  hk_index worst = 0;
  for (int kind = 0; kind < HK_SHAPE_COUNT; kind++) {
    const hk_raw_pile *pile = &raw->pile[kind];
    for (hk_count i = 0; i < pile->count * hk_cell_type_of(kind)->nodes; i++) {
      const double *x = raw->x + 3 * (hk_count)pile->node[i];
      for (int d = 0; d < 3; d++) {
        if (x[d] < low[d]) low[d] = x[d];
        if (x[d] > high[d]) high[d] = x[d], worst = d == 2 ? pile->node[i] : worst;
      }
    }
  }
  const double extent = fmax(high[0] - low[0], high[1] - low[1]);
  HK_NEED(!(high[2] - low[2] > 1e-8 * extent), HK_BAD_INPUT,
          "%s: the mesh has two-dimensional elements only, but z runs from %g to %g (node %lld): "
          "a 2D mesh must lie in a plane z = const; curved surfaces and shells are not supported",
          raw->path, low[2], high[2], (long long)raw->label[worst]);
  return HK_OK;
}

static hk_status check_finite(const hk_raw_mesh *raw)
{
  hk_count bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (hk_count i = 0; i < 3 * raw->node_count; i++) bad += !(fabs(raw->x[i]) <= 1e150);
  for (hk_count node = 0; bad && node < raw->node_count; node++)
    for (int d = 0; d < 3; d++)
      if (!(fabs(raw->x[3 * node + d]) <= 1e150))
        return hk_error_set(HK_BAD_INPUT,
                            "%s: node %lld has the coordinate %g: must be a finite number",
                            raw->path, (long long)raw->label[node], raw->x[3 * node + d]);
  return HK_OK;
}

/* Whether the labels are first, first + 1, ... */
static bool counts_from(const int64_t *label, hk_count count, int64_t first)
{
  bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all)
  for (hk_count i = 0; i < count; i++) all = all && label[i] == first + i;
  return all;
}

/* Labels 1, 2, ... of all elements in their order are not kept. */
static bool drop_plain_labels(hk_raw_mesh *raw, const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    if (!counts_from(raw->pile[block->shape].label, block->count, block->first + 1)) return false;
  }
  for (int b = 0; b < mesh->block_count; b++) hk_free(&raw->pile[mesh->block[b].shape].label);
  return true;
}

static hk_status move_nodes(hk_raw_mesh *raw, hk_mesh *mesh)
{
  const int dim = mesh->dim;
  if (dim == 2) {
    for (hk_count i = 0; i < raw->node_count; i++)
      raw->x[2 * i] = raw->x[3 * i], raw->x[2 * i + 1] = raw->x[3 * i + 1];
    HK_PASS(hk_resize(&raw->x, 2 * raw->node_count));
  }
  mesh->node_count = raw->node_count;
  mesh->x = raw->x, raw->x = NULL;
  if (!counts_from(raw->label, raw->node_count, 1))
    mesh->node_label = raw->label, raw->label = NULL;
  return HK_OK;
}

/* Labels of the elements in their order; 1, 2, ... when the file's repeat or are below 1. */
static hk_status move_labels(hk_raw_mesh *raw, hk_mesh *mesh)
{
  hk_status status = HK_OK;
  hk_label_map map = {0};
  int64_t *label = NULL;
  hk_count e = 0, repeated, below = -1;
  if (drop_plain_labels(raw, mesh)) return HK_OK;
  HK_TRY(hk_get(&label, mesh->element_count));
  for (int b = 0; b < mesh->block_count; b++) {
    hk_raw_pile *pile = &raw->pile[mesh->block[b].shape];
    memcpy(label + e, pile->label, (size_t)pile->count * sizeof *label);
    for (hk_count i = 0; i < pile->count; i++, e++)
      if (label[e] < 1) below = e;
    hk_free(&pile->label);
  }
  HK_TRY(hk_label_map_build(&map, label, mesh->element_count, &repeated));
  if (repeated < 0 && below < 0)
    mesh->element_label = label, label = NULL;
  else
    hk_messages_add(raw->list, HK_WARNING, raw->path, 0, 0,
                    "element number %lld is %s: hooke renumbers the elements from 1",
                    (long long)label[repeated < 0 ? below : repeated],
                    repeated < 0 ? "below 1" : "used twice");
cleanup:
  hk_label_map_free(&map);
  hk_free(&label);
  return status;
}

static hk_status make_blocks(hk_raw_mesh *raw, hk_mesh *mesh, hk_count *first)
{
  hk_index all;
  HK_PASS(hk_get(&mesh->block, HK_SHAPE_COUNT));
  for (int kind = 0; kind < HK_SHAPE_COUNT; kind++) {
    hk_raw_pile *pile = &raw->pile[kind];
    const hk_cell_type *type = hk_cell_type_of(kind);
    if (type->dim != mesh->dim || !pile->count) continue;
    first[kind] = mesh->element_count;
    mesh->block[mesh->block_count++] = (hk_block){.shape = (hk_shape)kind,
                                                  .nodes = type->nodes,
                                                  .first = mesh->element_count,
                                                  .count = pile->count,
                                                  .node = pile->node};
    pile->node = NULL;
    mesh->element_count += pile->count;
  }
  return hk_narrow(mesh->element_count, "elements", &all);
}

static int top_dimension(const hk_raw_mesh *raw)
{
  int dim = 0;
  for (int kind = 0; kind < HK_KIND_COUNT; kind++)
    if (raw->pile[kind].count && hk_cell_type_of(kind)->dim > dim) dim = hk_cell_type_of(kind)->dim;
  return dim;
}

hk_status hk_raw_mesh_convert(hk_raw_mesh *raw, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_index *number[HK_KIND_COUNT] = {0};
  hk_count first[HK_KIND_COUNT] = {0};
  const int dim = top_dimension(raw);

  HK_CHECK(dim >= 2, HK_BAD_INPUT,
           "%s: has no two- or three-dimensional elements: mesh the surfaces or volumes, and if "
           "there are physical groups put the elements into one",
           raw->path);
  HK_TRY(check_finite(raw));
  if (dim == 2) HK_TRY(check_plane(raw));
  hk_label_map_free(&raw->node_of);
  if (raw->repeats && raw->group.count > 1)
    for (int kind = 0; kind < HK_SHAPE_COUNT; kind++)
      if (hk_cell_type_of(kind)->dim == dim && raw->pile[kind].count)
        HK_TRY(join_copies(raw, kind, &number[kind]));
  HK_TRY(hk_mesh_begin(dim, &mesh));
  HK_TRY(move_nodes(raw, mesh));
  HK_TRY(make_blocks(raw, mesh, first));
  HK_TRY(move_labels(raw, mesh));
  HK_TRY(hk_raw_mesh_add_sets(raw, mesh, first, number));
  *out = mesh, mesh = NULL;
cleanup:
  for (int kind = 0; kind < HK_KIND_COUNT; kind++) hk_free(&number[kind]);
  hk_mesh_destroy(&mesh);
  return status;
}
