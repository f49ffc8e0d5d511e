/* The sections $Entities, $PartitionedEntities, $Nodes and $Elements of Gmsh's MSH 4.1. Nodes and elements come in blocks, each of one entity
 * (point, curve, surface or volume); entities name their physical groups, so an element finds its groups through its entity. A block of nodes
 * lists all numbers before all coordinates. Boxes, bounding entities and parameters on entities are skipped. */
#include "input/mesh/msh.h"

static hk_status read_counts(hk_msh *s, const char *what, int64_t *count, int n)
{
  for (int i = 0; i < n; i++) HK_PASS(hk_msh_size(s, what, &count[i]));
  return HK_OK;
}

/* Tags that follow their count: the entity joins the physical group of each; entity < 0: they are passed over. */
static hk_status read_tags(hk_msh *s, const char *what, int dim, hk_index entity)
{
  int64_t count = 0, tag = 0;
  hk_count likely;
  hk_index group;
  HK_PASS(hk_msh_size(s, what, &count));
  HK_PASS(hk_msh_count(s, what, count, 2, 4, &likely));
  for (int64_t i = 0; i < count; i++) {
    HK_PASS(hk_msh_int(s, what, &tag));
    if (entity < 0) continue;
    HK_PASS(hk_raw_mesh_group(&s->raw, dim, tag < 0 ? -tag : tag, NULL, &group));
    HK_PASS(hk_raw_mesh_join(&s->raw, entity, group));
  }
  return HK_OK;
}

static hk_status read_entity(hk_msh *s, int dim, bool partitioned)
{
  int64_t tag = 0, parent = 0;
  hk_index entity;
  double box;
  HK_PASS(hk_msh_int(s, "an entity's tag", &tag));
  if (partitioned) {
    HK_PASS(hk_msh_int(s, "the parent's dimension", &parent));
    HK_PASS(hk_msh_int(s, "the parent's tag", &parent));
    HK_PASS(read_tags(s, "a partition", dim, -1));
  }
  for (int i = 0; i < (dim ? 6 : 3); i++) HK_PASS(hk_msh_double(s, "an entity's box", &box));
  HK_PASS(hk_raw_mesh_entity(&s->raw, dim, tag, &entity));
  HK_PASS(read_tags(s, "a physical tag", dim, entity));
  if (dim) HK_PASS(read_tags(s, "a bounding entity", dim, -1));
  return HK_OK;
}

static hk_status read_entities(hk_msh *s, bool partitioned)
{
  int64_t count[4];
  hk_count likely;
  HK_PASS(read_counts(s, "a number of entities", count, 4));
  for (int dim = 0; dim < 4; dim++)
    HK_PASS(hk_msh_count(s, "entities", count[dim], 10, 36, &likely));
  for (int dim = 0; dim < 4; dim++)
    for (int64_t i = 0; i < count[dim]; i++) HK_PASS(read_entity(s, dim, partitioned));
  return HK_OK;
}

hk_status hk_msh4_entities(hk_msh *s)
{
  return read_entities(s, false);
}

hk_status hk_msh4_partitioned_entities(hk_msh *s)
{
  int64_t count = 0, ghost[2];
  hk_count likely;
  HK_PASS(hk_msh_size(s, "the number of partitions", &count));
  HK_PASS(hk_msh_size(s, "the number of ghost entities", &count));
  HK_PASS(hk_msh_count(s, "ghost entities", count, 4, 8, &likely));
  for (int64_t i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) HK_PASS(hk_msh_int(s, "a ghost entity", &ghost[k]));
  return read_entities(s, true);
}

static hk_status read_block_head(hk_msh *s, int64_t *dim, int64_t *tag, int64_t *third)
{
  HK_PASS(hk_msh_int(s, "an entity's dimension", dim));
  HK_PASS(hk_msh_int(s, "an entity's tag", tag));
  HK_PASS(hk_msh_int(s, "a block's type", third));
  if (*dim < 0 || *dim > 3)
    return hk_msh_bad(s, "entity dimension %lld: must be 0 to 3", (long long)*dim);
  return HK_OK;
}

static hk_status read_labels(hk_msh *s, int64_t count)
{
  int64_t label = 0;
  for (int64_t i = 0; i < count;) {
    hk_msh_table t = {.integers = 1, .width = 8};
    HK_PASS(hk_msh_table_find(s, &t, count - i, NULL, NULL));
    if (t.count) {
      HK_PASS(hk_raw_mesh_reserve_nodes(&s->raw, t.count));
      hk_msh_take_nodes(s, &t, 0);
      HK_PASS(hk_raw_mesh_accept_nodes(&s->raw, t.count));
      hk_msh_pass(s, &t);
      i += t.count;
    } else {
      HK_PASS(hk_msh_size(s, "a node number", &label));
      HK_PASS(hk_raw_mesh_add_node(&s->raw, label, (const double[3]){0}));
      i++;
    }
  }
  return HK_OK;
}

/* Of the last `count` nodes, each with so many parameters on the entity. */
static hk_status read_coordinates(hk_msh *s, int64_t count, int parameters)
{
  double parameter;
  for (int64_t i = 0; i < count;) {
    hk_msh_table t = {.numbers = 3 + parameters, .width = 8};
    HK_PASS(hk_msh_table_find(s, &t, count - i, NULL, NULL));
    hk_msh_take_nodes(s, &t, i - count);
    hk_msh_pass(s, &t);
    i += t.count;
    if (t.count) continue;
    double *x = s->raw.x + 3 * (s->raw.node_count - count + i);
    for (int d = 0; d < 3; d++) HK_PASS(hk_msh_double(s, "a coordinate", &x[d]));
    for (int d = 0; d < parameters; d++) HK_PASS(hk_msh_double(s, "a parameter", &parameter));
    i++;
  }
  return HK_OK;
}

/* Labels of the block's nodes first, then their coordinates (and parameters on the entity). */
static hk_status read_node_block(hk_msh *s, int64_t left, int64_t *count)
{
  int64_t dim = 0, tag = 0, parametric = 0;
  hk_count likely;
  HK_PASS(read_block_head(s, &dim, &tag, &parametric));
  HK_PASS(hk_msh_size(s, "a block's number of nodes", count));
  HK_PASS(hk_msh_count(s, "nodes", *count, 8, 32, &likely));
  if (*count > left)
    return hk_msh_bad(s, "a block of %lld nodes, although only %lld of those announced are left",
                      (long long)*count, (long long)left);
  HK_PASS(read_labels(s, *count));
  return read_coordinates(s, *count, parametric ? (int)dim : 0);
}

hk_status hk_msh4_nodes(hk_msh *s)
{
  int64_t head[4], left, count = 0;
  hk_count likely;
  HK_PASS(read_counts(s, "a count", head, 4)); /* blocks, nodes, least and greatest label */
  HK_PASS(hk_msh_count(s, "blocks of nodes", head[0], 8, 20, &likely));
  HK_PASS(hk_msh_count(s, "nodes", head[1], 8, 32, &likely));
  HK_PASS(hk_raw_mesh_reserve_nodes(&s->raw, likely));
  left = head[1];
  for (int64_t b = 0; b < head[0]; b++, left -= count) HK_PASS(read_node_block(s, left, &count));
  if (left)
    return hk_msh_bad(s, "%lld nodes are announced, the blocks hold %lld", (long long)head[1],
                      (long long)(head[1] - left));
  return HK_OK;
}

typedef struct block_row {
  const hk_msh *s;
  int nodes;
} block_row;

static bool serves(const void *user, const int64_t *integer)
{
  const block_row *row = user;
  return hk_msh_has_nodes(row->s, integer + 1, row->nodes);
}

static hk_status read_cells(hk_msh *s, int kind, hk_index entity, int64_t count)
{
  const int nodes = hk_cell_type_of(kind)->nodes;
  const block_row row = {s, nodes};
  const hk_msh_cells cells = {.kind = kind, .tag = -1, .entity = entity};
  int64_t label = 0;
  for (int64_t i = 0; i < count;) {
    hk_msh_table t = {.integers = 1 + nodes, .width = 8};
    bool good = true;
    HK_PASS(hk_msh_table_find(s, &t, count - i, serves, &row));
    if (t.count) HK_PASS(hk_msh_take_cells(s, &cells, &t, &good));
    if (t.count && good) {
      hk_msh_pass(s, &t);
      i += t.count;
      continue;
    }
    for (hk_count k = 0; k < (t.count ? t.count : 1); k++, i++) {
      HK_PASS(hk_msh_size(s, "an element number", &label));
      HK_PASS(hk_msh_cell(s, kind, label, entity, hk_msh_size));
    }
  }
  return HK_OK;
}

static hk_status read_element_block(hk_msh *s, int64_t left, int64_t *count)
{
  hk_status status = HK_OK;
  int64_t dim = 0, tag = 0, type = 0;
  hk_count likely;
  hk_index entity;
  HK_TRY(read_block_head(s, &dim, &tag, &type));
  HK_TRY(hk_msh_size(s, "a block's number of elements", count));
  const int kind = hk_kind_of_gmsh(type);
  if (kind < 0) {
    status = hk_msh_bad_type(s, type);
    goto cleanup;
  }
  const hk_cell_type *cell = hk_cell_type_of(kind);
  HK_TRY(hk_msh_count(s, "elements", *count, 2 + 2 * cell->nodes, 8 + 8 * cell->nodes, &likely));
  if (*count > left || dim != cell->dim) {
    status =
        dim != cell->dim
            ? hk_msh_bad(s, "elements of type %lld in an entity of dimension %lld", (long long)type,
                         (long long)dim)
            : hk_msh_bad(s,
                         "a block of %lld elements, although only %lld of those announced are left",
                         (long long)*count, (long long)left);
    goto cleanup;
  }
  HK_TRY(hk_raw_mesh_entity(&s->raw, (int)dim, tag, &entity));
  HK_TRY(hk_raw_mesh_reserve_cells(&s->raw, kind, likely));
  HK_TRY(read_cells(s, kind, entity, *count));
cleanup:
  return status;
}

hk_status hk_msh4_elements(hk_msh *s)
{
  int64_t head[4], left, count = 0;
  hk_count likely;
  HK_PASS(read_counts(s, "a count", head, 4));
  HK_PASS(hk_msh_count(s, "blocks of elements", head[0], 8, 20, &likely));
  HK_PASS(hk_msh_count(s, "elements", head[1], 4, 16, &likely));
  left = head[1];
  for (int64_t b = 0; b < head[0]; b++, left -= count) HK_PASS(read_element_block(s, left, &count));
  if (left)
    return hk_msh_bad(s, "%lld elements are announced, the blocks hold %lld", (long long)head[1],
                      (long long)(head[1] - left));
  return HK_OK;
}
