/* Creates a mesh from arrays of the caller, or as a copy of another mesh.
 * Everything that could lead an index out of an array is checked first: counts, shapes, node
 * numbers, members of sets. All errors are reported. The mesh then goes through the same checks as
 * a mesh from a file (finish.c). */
#include "element/element.h"
#include "mesh/mesh.h"
#include <stdint.h>
#include <string.h>

typedef struct creator {
  const hk_mesh_desc *desc;
  const char *name; /* in messages */
  hk_messages *list;
  hk_mesh *mesh;
  hk_count errors;
} creator;

/* The first one is what hk_error says. */
#define REFUSE(c, ...)                                                                             \
  do {                                                                                             \
    hk_messages_add((c)->list, HK_ERROR, (c)->name, 0, 0, __VA_ARGS__);                            \
    if (!(c)->errors++) hk_error_set(HK_BAD_INPUT, __VA_ARGS__);                                   \
  } while (0)

static hk_status copy_bytes(void **to, const void *from, hk_count count, size_t size)
{
  const hk_status status = hk_memory_get(to, count, size);
  if (status == HK_OK && count) memcpy(*to, from, (size_t)count * size);
  return status;
}

/* *to = copy of from[count]; nothing of nothing. */
#define COPY(to, from, count)                                                                      \
  ((from) ? copy_bytes((void **)(to), (from), (count), sizeof **(to)) : HK_OK)

static hk_status check_desc(const hk_mesh_desc *d)
{
  HK_NEED(d->node_count >= 0 && d->block_count >= 0 && d->set_count >= 0, HK_USAGE,
          "a mesh of %lld nodes, %d blocks and %d sets: must be 0 or more",
          (long long)d->node_count, d->block_count, d->set_count);
  HK_NEED((d->x || !d->node_count) && (d->block || !d->block_count) && (d->set || !d->set_count),
          HK_USAGE, "the mesh lacks coordinates, blocks or sets that its counts announce");
  for (int b = 0; b < d->block_count; b++)
    HK_NEED(d->block[b].count >= 0 && (d->block[b].node || !d->block[b].count), HK_USAGE,
            "block %d has %lld elements without their nodes", b, (long long)d->block[b].count);
  for (int s = 0; s < d->set_count; s++)
    HK_NEED(d->set[s].name && d->set[s].count >= 0 && (d->set[s].item || !d->set[s].count),
            HK_USAGE, "set %d lacks its name, or members that its count announces", s);
  return hk_narrow(d->node_count, "the number of nodes", &(hk_index){0});
}

static hk_status take_nodes(creator *c)
{
  hk_mesh *m = c->mesh;
  m->node_count = c->desc->node_count;
  HK_PASS(COPY(&m->x, c->desc->x, m->node_count * m->dim));
  return COPY(&m->node_label, c->desc->node_label, m->node_count);
}

static bool shape_is_good(creator *c, int b)
{
  const hk_shape shape = c->desc->block[b].shape;
  const hk_count before = c->errors;
  if (!hk_shape_nodes(shape)) REFUSE(c, "block %d: there is no shape %d", b, (int)shape);
  if (hk_shape_axis(shape) >= 0)
    REFUSE(c,
           "block %d: %s elements are made from linear ones by element: {order: p} of an "
           "axisymmetric model: give quad4",
           b, hk_shape_name(shape));
  for (int a = 0; a < b; a++)
    if (c->desc->block[a].shape == shape)
      REFUSE(c, "block %d: %s elements stand in block %d already: give them as one block", b,
             hk_shape_name(shape), a);
  return c->errors == before;
}

static hk_status take_blocks(creator *c)
{
  hk_mesh *m = c->mesh;
  HK_PASS(hk_get(&m->block, c->desc->block_count));
  for (int b = 0; b < c->desc->block_count; b++) {
    const hk_mesh_block_desc *from = &c->desc->block[b];
    if (!shape_is_good(c, b)) continue;
    hk_block *to = &m->block[m->block_count++];
    *to = (hk_block){.shape = from->shape,
                     .nodes = hk_shape_nodes(from->shape),
                     .first = m->element_count,
                     .count = from->count};
    m->element_count += from->count;
    HK_PASS(hk_narrow(m->element_count, "the number of elements", &(hk_index){0}));
    HK_PASS(COPY(&to->node, from->node, from->count * to->nodes));
  }
  return COPY(&m->element_label, c->desc->element_label, m->element_count);
}

static bool set_is_good(creator *c, int s)
{
  const hk_mesh *m = c->mesh;
  const hk_mesh_set_desc *set = &c->desc->set[s];
  const hk_count before = c->errors;
  const hk_count most = set->kind == HK_NODE_SET ? m->node_count : m->element_count;
  static const char *const of[] = {"node", "element", "element"};
  if ((unsigned)set->kind > HK_FACE_SET) {
    REFUSE(c, "set %s: there is no kind %d of sets", set->name, (int)set->kind);
    return false;
  }
  if (!*set->name) REFUSE(c, "set %d has no name", s);
  for (int k = 0; k < m->set_count; k++)
    if (m->set[k].kind == set->kind && strcmp(m->set[k].name, set->name) == 0)
      REFUSE(c, "set %s is given twice: rename or join them", set->name);
  if (set->count && (set->kind == HK_FACE_SET) != (set->face != NULL))
    REFUSE(c, "set %s: face sets, and only they, contain faces", set->name);
  for (hk_count i = 0; i < set->count && c->errors == before; i++) {
    const hk_index item = set->item[i];
    if (item < 0 || item >= most) {
      REFUSE(c, "set %s: its member %lld is %s %d: there are only %lld, counted from 0", set->name,
             (long long)i, of[set->kind], item, (long long)most);
    } else if (set->face) {
      const int faces = hk_shape_faces(hk_mesh_block_of(m, item)->shape);
      if (set->face[i] >= faces)
        REFUSE(c, "set %s: its member %lld is face %d of an element of %d faces, counted from 0",
               set->name, (long long)i, set->face[i], faces);
    }
  }
  return c->errors == before;
}

static hk_status take_set(creator *c, const hk_mesh_set_desc *set)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  HK_TRY(hk_get(&item, set->count));
  if (set->kind == HK_FACE_SET) HK_TRY(hk_get(&face, set->count));
  if (set->count) memcpy(item, set->item, (size_t)set->count * sizeof *item);
  if (face && set->count) memcpy(face, set->face, (size_t)set->count);
  HK_TRY(hk_mesh_add_set(c->mesh, set->name, set->kind, set->count, &item, &face));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

hk_status hk_mesh_create(const hk_mesh_desc *desc, hk_messages *list, hk_mesh **out)
{
  hk_status status = HK_OK;
  creator c = {.desc = desc, .name = desc->name ? desc->name : "mesh", .list = list};
  hk_messages_renew(list);
  HK_TRY(check_desc(desc));
  HK_TRY(hk_mesh_begin(desc->dim, &c.mesh));
  HK_TRY(take_nodes(&c));
  HK_TRY(take_blocks(&c));
  for (int s = 0; s < desc->set_count && !c.errors; s++)
    if (set_is_good(&c, s)) HK_TRY(take_set(&c, &desc->set[s]));
  status = c.errors ? HK_BAD_INPUT : hk_mesh_finish(c.mesh, c.name, list);
  HK_TRY(status);
  *out = c.mesh, c.mesh = NULL;
cleanup:
  hk_mesh_destroy(&c.mesh);
  return status;
}

static hk_status copy_sets(const hk_mesh *from, hk_mesh *to)
{
  creator c = {.mesh = to};
  for (int s = 0; s < from->set_count; s++) {
    const hk_set *set = &from->set[s];
    HK_PASS(
        take_set(&c, &(hk_mesh_set_desc){set->name, set->kind, set->count, set->item, set->face}));
  }
  return HK_OK;
}

hk_status hk_mesh_copy(const hk_mesh *from, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *m = NULL;
  HK_TRY(hk_mesh_begin(from->dim, &m));
  m->node_count = from->node_count, m->element_count = from->element_count;
  HK_TRY(COPY(&m->x, from->x, m->node_count * m->dim));
  HK_TRY(COPY(&m->node_label, from->node_label, m->node_count));
  HK_TRY(COPY(&m->element_label, from->element_label, m->element_count));
  HK_TRY(hk_get(&m->block, from->block_count));
  for (int b = 0; b < from->block_count; b++) {
    const hk_block *block = &from->block[b];
    m->block[b] = *block, m->block[b].node = NULL, m->block_count = b + 1;
    HK_TRY(COPY(&m->block[b].node, block->node, block->count * block->nodes));
  }
  HK_TRY(copy_sets(from, m));
  HK_TRY(hk_mesh_index_labels(m));
  *out = m, m = NULL;
cleanup:
  hk_mesh_destroy(&m);
  return status;
}
