/* The sections $Nodes and $Elements of Gmsh's MSH 2.2. An element has its number, type, tags and nodes; the first tag is its physical group, 0
 * for none, and the others are skipped. An element in several groups stands in the file once for each. Counts are text in binary files too;
 * binary elements come in blocks of one type. */
#include "input/mesh/msh.h"

hk_status hk_msh2_nodes(hk_msh *s)
{
  hk_status status = HK_OK;
  int64_t count = 0, label = 0;
  hk_count likely;
  const bool binary = s->binary;
  s->binary = false; /* the count is text in both */
  status = hk_msh_int(s, "the number of nodes", &count);
  s->binary = binary;
  HK_TRY(status);
  HK_TRY(hk_msh_count(s, "nodes", count, 8, 28, &likely));
  HK_TRY(hk_raw_mesh_reserve_nodes(&s->raw, likely));
  for (int64_t i = 0; i < count; i++) {
    double x[3];
    HK_TRY(hk_msh_int(s, "a node number", &label));
    for (int d = 0; d < 3; d++) HK_TRY(hk_msh_double(s, "a coordinate", &x[d]));
    HK_TRY(hk_raw_mesh_add_node(&s->raw, label, x));
  }
cleanup:
  return status;
}

/* Entity that stands for the physical group `tag`; -1 for none. */
static hk_status entity_of_tag(hk_msh *s, int dim, int64_t tag, hk_index *entity)
{
  hk_index group;
  *entity = -1;
  if (tag < 0) tag = -tag;
  if (!tag) return HK_OK;
  HK_PASS(hk_raw_mesh_entity(&s->raw, dim, tag, entity));
  if (s->raw.entity.at[*entity].groups) return HK_OK;
  HK_PASS(hk_raw_mesh_group(&s->raw, dim, tag, NULL, &group));
  return hk_raw_mesh_join(&s->raw, *entity, group);
}

static hk_status read_element(hk_msh *s, int64_t type, int64_t label, int64_t tags)
{
  hk_index entity;
  int64_t physical = 0, other;
  const int kind = hk_kind_of_gmsh(type);
  if (kind < 0) return hk_msh_bad_type(s, type);
  for (int64_t i = 0; i < tags; i++) HK_PASS(hk_msh_int(s, "a tag", i ? &other : &physical));
  HK_PASS(entity_of_tag(s, hk_cell_type_of(kind)->dim, physical, &entity));
  return hk_msh_cell(s, kind, label, entity, hk_msh_int);
}

static hk_status read_tag_count(hk_msh *s, int64_t *tags)
{
  hk_status status = hk_msh_int(s, "the number of tags", tags);
  if (status != HK_OK) return status;
  hk_count likely;
  return hk_msh_count(s, "tags", *tags, 2, 4, &likely);
}

static hk_status read_ascii(hk_msh *s, int64_t count)
{
  int64_t label = 0, type = 0, tags = 0;
  for (int64_t i = 0; i < count; i++) {
    HK_PASS(hk_msh_int(s, "an element number", &label));
    HK_PASS(hk_msh_int(s, "an element type", &type));
    HK_PASS(read_tag_count(s, &tags));
    HK_PASS(read_element(s, type, label, tags));
  }
  return HK_OK;
}

/* Blocks of elements of one type, each with the header (type, number, tags). */
static hk_status read_binary(hk_msh *s, int64_t count)
{
  hk_status status = HK_OK;
  int64_t type = 0, block = 0, tags = 0, label = 0;
  for (int64_t i = 0; i < count;) {
    HK_TRY(hk_msh_int(s, "an element type", &type));
    HK_TRY(hk_msh_int(s, "a number of elements", &block));
    HK_TRY(read_tag_count(s, &tags));
    if (block < 1 || block > count - i) {
      status = hk_msh_bad(s, "a block of %lld elements: must be 1 to %lld", (long long)block,
                          (long long)(count - i));
      goto cleanup;
    }
    for (int64_t k = 0; k < block; k++, i++) {
      HK_TRY(hk_msh_int(s, "an element number", &label));
      HK_TRY(read_element(s, type, label, tags));
    }
  }
cleanup:
  return status;
}

hk_status hk_msh2_elements(hk_msh *s)
{
  int64_t count = 0;
  hk_count likely;
  const bool binary = s->binary;
  s->binary = false;
  hk_status status = hk_msh_int(s, "the number of elements", &count);
  s->binary = binary;
  if (status != HK_OK) return status;
  status = hk_msh_count(s, "elements", count, 8, 8, &likely);
  if (status != HK_OK) return status;
  return binary ? read_binary(s, count) : read_ascii(s, count);
}
