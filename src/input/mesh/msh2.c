/* The sections $Nodes and $Elements of Gmsh's MSH 2.2. An element has its number, type, tags and nodes; the first tag is its physical group, 0
 * for none, and the others are skipped. An element in several groups stands in the file once for each. Counts are text in binary files too;
 * binary elements come in blocks of one type. */
#include "input/mesh/msh.h"

static hk_status read_node(hk_msh *s)
{
  int64_t label = 0;
  double x[3];
  HK_PASS(hk_msh_int(s, "a node number", &label));
  for (int d = 0; d < 3; d++) HK_PASS(hk_msh_double(s, "a coordinate", &x[d]));
  return hk_raw_mesh_add_node(&s->raw, label, x);
}

hk_status hk_msh2_nodes(hk_msh *s)
{
  hk_status status = HK_OK;
  int64_t count = 0;
  hk_count likely;
  const bool binary = s->binary;
  s->binary = false; /* the count is text in both */
  status = hk_msh_int(s, "the number of nodes", &count);
  s->binary = binary;
  HK_TRY(status);
  HK_TRY(hk_msh_count(s, "nodes", count, 8, 28, &likely));
  HK_TRY(hk_raw_mesh_reserve_nodes(&s->raw, likely));
  for (int64_t i = 0; i < count;) {
    hk_msh_table t = {.integers = 1, .numbers = 3, .width = 4};
    HK_TRY(hk_msh_table_find(s, &t, count - i, NULL, NULL));
    if (t.count) {
      HK_TRY(hk_raw_mesh_reserve_nodes(&s->raw, t.count));
      hk_msh_take_nodes(s, &t, 0);
      HK_TRY(hk_raw_mesh_accept_nodes(&s->raw, t.count));
      hk_msh_pass(s, &t);
      i += t.count;
    } else {
      HK_TRY(read_node(s));
      i++;
    }
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

enum { MOST_TAGS = 64 }; /* of elements that threads take in */

/* Elements of one type with as many tags: a record has the label, in ASCII files type and number of tags, the tags, then the nodes. */
typedef struct alike {
  const hk_msh *s;
  int64_t type, tags;
  int before; /* integers before the tags */
} alike;

static bool serves(const void *user, const int64_t *integer)
{
  const alike *a = user;
  return integer[1] == a->type && integer[2] == a->tags &&
         hk_msh_has_nodes(a->s, integer + a->before + a->tags,
                          hk_cell_type_of(hk_kind_of_gmsh(a->type))->nodes);
}

/* Those that follow and all threads can take in, at most `most`: *count. Otherwise *one_by_one are to be read value by value. */
static hk_status take_alike(hk_msh *s, const alike *a, int64_t most, hk_count *count,
                            hk_count *one_by_one)
{
  const int kind = hk_kind_of_gmsh(a->type);
  bool good = true;
  *count = 0, *one_by_one = 1;
  if (kind < 0 || a->tags > MOST_TAGS) return HK_OK;
  hk_msh_table t = {.integers = a->before + (int)a->tags + hk_cell_type_of(kind)->nodes,
                    .width = 4};
  const hk_msh_cells cells = {.kind = kind, .tag = a->tags ? a->before : -1, .find = entity_of_tag};
  HK_PASS(hk_msh_table_find(s, &t, most, serves, a));
  if (!t.count) return HK_OK;
  HK_PASS(hk_msh_take_cells(s, &cells, &t, &good));
  if (good) hk_msh_pass(s, &t);
  *(good ? count : one_by_one) = t.count;
  return HK_OK;
}

static hk_status read_ascii(hk_msh *s, int64_t count)
{
  alike a = {.s = s, .type = -1, .before = 3};
  int64_t label = 0;
  for (int64_t i = 0; i < count;) {
    hk_count taken, one_by_one;
    HK_PASS(take_alike(s, &a, count - i, &taken, &one_by_one));
    i += taken;
    if (taken) continue;
    HK_PASS(hk_msh_int(s, "an element number", &label));
    HK_PASS(hk_msh_int(s, "an element type", &a.type));
    HK_PASS(read_tag_count(s, &a.tags));
    HK_PASS(read_element(s, a.type, label, a.tags));
    i++;
  }
  return HK_OK;
}

static hk_status read_block(hk_msh *s, int64_t type, int64_t tags, int64_t count)
{
  const alike a = {.s = s, .type = type, .tags = tags, .before = 1};
  int64_t label = 0;
  for (int64_t i = 0; i < count;) {
    hk_count taken, one_by_one;
    HK_PASS(take_alike(s, &a, count - i, &taken, &one_by_one));
    i += taken;
    for (hk_count k = 0; !taken && k < one_by_one; k++, i++) {
      HK_PASS(hk_msh_int(s, "an element number", &label));
      HK_PASS(read_element(s, type, label, tags));
    }
  }
  return HK_OK;
}

/* Blocks of elements of one type, each with the header (type, number, tags). */
static hk_status read_binary(hk_msh *s, int64_t count)
{
  int64_t type = 0, block = 0, tags = 0;
  for (int64_t i = 0; i < count; i += block) {
    HK_PASS(hk_msh_int(s, "an element type", &type));
    HK_PASS(hk_msh_int(s, "a number of elements", &block));
    HK_PASS(read_tag_count(s, &tags));
    if (block < 1 || block > count - i)
      return hk_msh_bad(s, "a block of %lld elements: must be 1 to %lld", (long long)block,
                        (long long)(count - i));
    HK_PASS(read_block(s, type, tags, block));
  }
  return HK_OK;
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
