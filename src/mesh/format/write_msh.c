/* Gmsh's MSH 4.1 in ASCII (Gmsh reference manual, "MSH file format"): $PhysicalNames, $Entities, $Nodes and $Elements. Sets become physical
 * groups. An entity of Gmsh belongs to fixed groups, so the items of each dimension are split into entities by the sets that they are in:
 * nodes are points, faces cells of a dimension less. A node set that a face set of the same name implies is left out, as the reader makes it
 * again. */
#include <string.h>
#include "element/element.h"
#include "mesh/format/cell_type.h"
#include "mesh/format/format.h"
#include "base/sort.h"

typedef struct share {           /* items that are in the same sets: those of `parent` and `set` */
  hk_index parent;               /* -1: the part of no set */
  hk_index set, split_by, split; /* the last set that split it, and the part that came of it */
  hk_count members;
  int64_t tag; /* of its entity; 0: empty */
} share;

typedef struct split { /* the items of one dimension */
  hk_set_kind kind;
  int dim;
  hk_count count;
  uint64_t *key;     /* faces: key[count] = 8 * element + face, ascending */
  hk_index *part_of; /* part_of[count] */
  HK_LIST(share) part;
  hk_count entities;
} split;

typedef struct writer {
  const hk_mesh *mesh;
  hk_pool pool; /* holds the arrays */
  hk_out *out;
  split of[3];    /* nodes, elements, faces, by hk_set_kind */
  bool *left_out; /* left_out[set] */
  int64_t next_label;
  double low[3], high[3];
} writer;

static hk_count face_place(const split *s, uint64_t key)
{
  hk_count low = 0, high = s->count - 1;
  while (low < high) {
    const hk_count middle = low + (high - low) / 2;
    if (s->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint64_t face_key(const hk_set *set, hk_count i)
{
  return 8 * (uint64_t)set->item[i] + set->face[i];
}

/* All faces of the face sets, each once. */
static hk_status list_faces(const hk_mesh *mesh, hk_pool *pool, split *s)
{
  hk_count all = 0, kept = 0;
  for (int k = 0; k < mesh->set_count; k++)
    if (mesh->set[k].kind == HK_FACE_SET) all += mesh->set[k].count;
  HK_PASS(hk_pool_get(pool, &s->key, all));
  for (int k = 0; k < mesh->set_count; k++)
    for (hk_count i = 0; mesh->set[k].kind == HK_FACE_SET && i < mesh->set[k].count; i++)
      s->key[s->count++] = face_key(&mesh->set[k], i);
  HK_PASS(hk_mesh_sort(all, s->key, NULL));
  for (hk_count i = 0; i < all; i++)
    if (!kept || s->key[i] != s->key[kept - 1]) s->key[kept++] = s->key[i];
  s->count = kept;
  return HK_OK;
}

static hk_status split_by_set(hk_pool *pool, split *s, const hk_set *set, hk_index number)
{
  for (hk_count i = 0; i < set->count; i++) {
    const hk_count item = s->key ? face_place(s, face_key(set, i)) : set->item[i];
    const hk_index old = s->part_of[item];
    if (s->part.at[old].split_by != number) {
      HK_PASS(hk_pool_more(pool, &s->part));
      s->part.at[s->part.count] = (share){.parent = old, .set = number, .split_by = -1};
      s->part.at[old].split_by = number;
      s->part.at[old].split = (hk_index)s->part.count++;
    }
    s->part_of[item] = s->part.at[old].split;
  }
  return HK_OK;
}

static hk_status make_split(writer *w, split *s)
{
  const hk_mesh *mesh = w->mesh;
  HK_PASS(hk_pool_get(&w->pool, &s->part_of, s->count));
  HK_PASS(hk_pool_more(&w->pool, &s->part));
  s->part.at[s->part.count++] = (share){.parent = -1, .set = -1, .split_by = -1};
  for (int k = 0; k < mesh->set_count; k++)
    if (mesh->set[k].kind == s->kind && !w->left_out[k])
      HK_PASS(split_by_set(&w->pool, s, &mesh->set[k], (hk_index)k));
  for (hk_count i = 0; i < s->count; i++) s->part.at[s->part_of[i]].members++;
  if (s->kind != HK_ELEMENT_SET) s->part.at[0].members = 0;
  for (hk_count p = 0; p < s->part.count; p++)
    if (s->part.at[p].members) s->part.at[p].tag = ++s->entities;
  return HK_OK;
}

/* A node set that a face set of the same name implies is not written. */
static hk_status leave_out_implied(writer *w)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = w->mesh;
  hk_index *stamp = NULL;
  HK_TRY(hk_get(&stamp, mesh->node_count));
  for (int k = 0; k < mesh->set_count; k++) {
    const hk_set *nodes = &mesh->set[k];
    const hk_set *faces = hk_mesh_find_set(mesh, nodes->name, HK_FACE_SET);
    if (nodes->kind != HK_NODE_SET || !faces || strcmp(faces->name, nodes->name) != 0) continue;
    hk_count implied = 0, inside = 0;
    for (hk_count i = 0; i < faces->count; i++) {
      const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, faces->item[i])->shape);
      const hk_element_face *face = &element->face[faces->face[i]];
      for (int n = 0; n < face->nodes; n++) {
        hk_index *mark = &stamp[hk_mesh_nodes_of(mesh, faces->item[i])[face->node[n]]];
        implied += *mark != k + 1;
        *mark = k + 1;
      }
    }
    for (hk_count i = 0; i < nodes->count; i++) inside += stamp[nodes->item[i]] == k + 1;
    w->left_out[k] = inside == nodes->count && implied == nodes->count;
  }
cleanup:
  hk_free(&stamp);
  return status;
}

static int dim_of(const writer *w, hk_set_kind kind)
{
  return w->of[kind].dim;
}

static void write_names(const writer *w)
{
  int count = 0;
  for (int k = 0; k < w->mesh->set_count; k++) count += w->mesh->set[k].count && !w->left_out[k];
  if (!count) return;
  hk_out_text(w->out, "$PhysicalNames\n%d\n", count);
  for (int k = 0; k < w->mesh->set_count; k++)
    if (w->mesh->set[k].count && !w->left_out[k])
      hk_out_text(w->out, "%d %d \"%s\"\n", dim_of(w, w->mesh->set[k].kind), k + 1,
                  w->mesh->set[k].name);
  hk_out_text(w->out, "$EndPhysicalNames\n");
}

static void write_box(const writer *w, bool point)
{
  for (int side = 0; side < (point ? 1 : 2); side++)
    for (int d = 0; d < 3; d++) {
      hk_out_text(w->out, " ");
      hk_out_number(w->out, side ? w->high[d] : w->low[d]);
    }
}

static void write_entities(const writer *w)
{
  const split *at[4] = {NULL};
  for (int k = 0; k < 3; k++) at[w->of[k].dim] = &w->of[k];
  hk_out_text(w->out, "$Entities\n");
  for (int dim = 0; dim < 4; dim++)
    hk_out_text(w->out, "%s%lld", dim ? " " : "", at[dim] ? (long long)at[dim]->entities : 0);
  hk_out_text(w->out, "\n");
  for (int dim = 0; dim < 4; dim++) {
    for (hk_count p = 0; at[dim] && p < at[dim]->part.count; p++) {
      const share *part = at[dim]->part.at;
      if (!part[p].tag) continue;
      int groups = 0;
      for (hk_index q = (hk_index)p; part[q].parent >= 0; q = part[q].parent) groups++;
      hk_out_integer(w->out, part[p].tag);
      write_box(w, dim == 0);
      hk_out_text(w->out, " %d", groups);
      for (hk_index q = (hk_index)p; part[q].parent >= 0; q = part[q].parent)
        hk_out_text(w->out, " %d", part[q].set + 1);
      hk_out_text(w->out, dim ? " 0\n" : "\n");
    }
  }
  hk_out_text(w->out, "$EndEntities\n");
}

static void write_nodes(const writer *w)
{
  const hk_mesh *mesh = w->mesh;
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const int64_t label = hk_mesh_node_label(mesh, n);
    least = label < least ? label : least, most = label > most ? label : most;
  }
  hk_out_text(w->out, "$Nodes\n1 %lld %lld %lld\n%d 1 0 %lld\n", (long long)mesh->node_count,
              (long long)least, (long long)most, mesh->dim, (long long)mesh->node_count);
  for (hk_count n = 0; n < mesh->node_count; n++) {
    hk_out_integer(w->out, hk_mesh_node_label(mesh, n));
    hk_out_text(w->out, "\n");
  }
  for (hk_count n = 0; n < mesh->node_count; n++) {
    for (int d = 0; d < mesh->dim; d++) {
      hk_out_number(w->out, mesh->x[n * mesh->dim + d]);
      hk_out_text(w->out, d < 2 ? " " : "\n");
    }
    if (mesh->dim == 2) hk_out_text(w->out, "0\n");
  }
  hk_out_text(w->out, "$EndNodes\n");
}

static void write_cell(const writer *w, int kind, int64_t label, const hk_index *node)
{
  const hk_cell_type *type = hk_cell_type_of(kind);
  hk_out_integer(w->out, label);
  for (int k = 0; k < type->nodes; k++) {
    hk_out_bytes(w->out, " ", 1);
    hk_out_integer(w->out, hk_mesh_node_label(w->mesh, node[type->gmsh_node[k]]));
  }
  hk_out_bytes(w->out, "\n", 1);
}

/* Kind and nodes of item i. */
static int item_cell(const writer *w, const split *s, hk_count i, hk_index *node)
{
  if (s->kind == HK_NODE_SET) {
    node[0] = (hk_index)i;
    return HK_POINT;
  }
  const hk_count e = s->key ? (hk_count)(s->key[i] / 8) : i;
  const hk_block *block = hk_mesh_block_of(w->mesh, e);
  const hk_index *all = block->node + (e - block->first) * block->nodes;
  if (!s->key) {
    memcpy(node, all, (size_t)block->nodes * sizeof *node);
    return (int)block->shape;
  }
  const hk_element_face *face = &hk_element_of(block->shape)->face[s->key[i] % 8];
  for (int n = 0; n < face->nodes; n++) node[n] = all[face->node[n]];
  if (face->shape != HK_SHAPE_COUNT) return (int)face->shape;
  return face->nodes == 2 ? HK_LINE2 : HK_LINE3;
}

/* Items by kind and part: order[begin[kind * parts + p]..] */
typedef struct order {
  hk_count *begin;
  hk_index *item;
} order;

static hk_status sort_items(writer *w, const split *s, order *o)
{
  hk_index node[27];
  const hk_count bins = HK_KIND_COUNT * s->part.count;
  HK_PASS(hk_pool_get(&w->pool, &o->begin, bins + 2));
  HK_PASS(hk_pool_get(&w->pool, &o->item, s->count));
  for (hk_count i = 0; i < s->count; i++)
    o->begin[item_cell(w, s, i, node) * s->part.count + s->part_of[i] + 2]++;
  for (hk_count b = 0; b < bins; b++) o->begin[b + 2] += o->begin[b + 1];
  for (hk_count i = 0; i < s->count; i++)
    o->item[o->begin[item_cell(w, s, i, node) * s->part.count + s->part_of[i] + 1]++] = (hk_index)i;
  return HK_OK;
}

static hk_count count_blocks(const split *s, const order *o)
{
  hk_count blocks = 0;
  for (hk_count b = 0; b < HK_KIND_COUNT * s->part.count; b++)
    blocks += s->part.at[b % s->part.count].tag && o->begin[b + 1] > o->begin[b];
  return blocks;
}

static void write_blocks(writer *w, const split *s, const order *o)
{
  hk_index node[27];
  for (hk_count b = 0; b < HK_KIND_COUNT * s->part.count; b++) {
    const share *part = &s->part.at[b % s->part.count];
    const hk_count count = o->begin[b + 1] - o->begin[b];
    if (!part->tag || !count) continue;
    const int kind = (int)(b / s->part.count);
    hk_out_text(w->out, "%d %lld %d %lld\n", s->dim, (long long)part->tag,
                hk_cell_type_of(kind)->gmsh, (long long)count);
    for (hk_count i = o->begin[b]; i < o->begin[b + 1]; i++) {
      const hk_count item = o->item[i];
      item_cell(w, s, item, node);
      write_cell(w, kind,
                 s->kind == HK_ELEMENT_SET ? hk_mesh_element_label(w->mesh, item) : w->next_label++,
                 node);
    }
  }
}

static hk_status write_elements(writer *w)
{
  order o[3] = {{0}};
  hk_count blocks = 0, cells = 0;
  int64_t least = INT64_MAX, most = 0;
  for (hk_count e = 0; e < w->mesh->element_count; e++) {
    const int64_t label = hk_mesh_element_label(w->mesh, e);
    least = label < least ? label : least, most = label > most ? label : most;
  }
  w->next_label = most + 1;
  for (int k = 0; k < 3; k++) {
    const split *s = &w->of[k];
    HK_PASS(sort_items(w, s, &o[k]));
    blocks += count_blocks(s, &o[k]);
    for (hk_count p = 0; p < s->part.count; p++) cells += s->part.at[p].members;
  }
  hk_out_text(w->out, "$Elements\n%lld %lld %lld %lld\n", (long long)blocks, (long long)cells,
              (long long)least, (long long)(most + cells - w->mesh->element_count));
  for (int k = 0; k < 3; k++) write_blocks(w, &w->of[k], &o[k]);
  hk_out_text(w->out, "$EndElements\n");
  return HK_OK;
}

static hk_status check_names(const hk_mesh *mesh, const char *path)
{
  for (int k = 0; k < mesh->set_count; k++)
    if (strpbrk(mesh->set[k].name, "\"\r\n"))
      return hk_error_set(HK_USAGE,
                          "%s: the set name '%s' has a quotation mark or a line end in it, which "
                          ".msh cannot hold: rename the set",
                          path, mesh->set[k].name);
  return HK_OK;
}

static void measure_box(writer *w)
{
  const hk_mesh *mesh = w->mesh;
  for (hk_count i = 0; i < mesh->node_count * mesh->dim; i++) {
    const int d = (int)(i % mesh->dim);
    if (i < mesh->dim || mesh->x[i] < w->low[d]) w->low[d] = mesh->x[i];
    if (i < mesh->dim || mesh->x[i] > w->high[d]) w->high[d] = mesh->x[i];
  }
}

hk_status hk_mesh_write_msh(const hk_mesh *mesh, const char *path)
{
  hk_status status = HK_OK;
  writer w = {.mesh = mesh,
              .of = {[HK_NODE_SET] = {HK_NODE_SET, .dim = 0, .count = mesh->node_count},
                     [HK_ELEMENT_SET] = {HK_ELEMENT_SET, mesh->dim, mesh->element_count},
                     [HK_FACE_SET] = {HK_FACE_SET, .dim = mesh->dim - 1}}};
  HK_TRY(check_names(mesh, path));
  HK_TRY(hk_pool_get(&w.pool, &w.left_out, mesh->set_count));
  HK_TRY(leave_out_implied(&w));
  HK_TRY(list_faces(mesh, &w.pool, &w.of[HK_FACE_SET]));
  for (int k = 0; k < 3; k++) HK_TRY(make_split(&w, &w.of[k]));
  measure_box(&w);
  HK_TRY(hk_out_open(path, &w.out));
  hk_out_text(w.out, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
  write_names(&w);
  write_entities(&w);
  write_nodes(&w);
  HK_TRY(write_elements(&w));
  HK_TRY(hk_out_finish(w.out));
cleanup:
  hk_out_close(&w.out);
  hk_pool_clear(&w.pool);
  return status;
}
