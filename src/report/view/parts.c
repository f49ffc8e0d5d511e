/* Regions and sets on the surface of a model. A triangle is of the element whose face it is part of; it belongs to a set if the set has all of its nodes,
 * as does an edge of a 2D model. The centre of a face belongs to a set with all nodes around it. A set without triangles and edges is shown by
 * its nodes. */
#include "report/view/view.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 400 };

/* element[cells of the surface's grid]: cells of order p are several. */
static hk_status number_cells(const hk_mesh *mesh, hk_pool *pool, hk_index **out)
{
  hk_count cells = 0;
  for (int b = 0; b < mesh->block_count; b++)
    cells += mesh->block[b].count * hk_lagrange_parts(mesh->block[b].shape);
  HK_PASS(hk_pool_get(pool, out, cells));
  hk_index *to = *out;
  for (int b = 0; b < mesh->block_count; b++) {
    const int parts = hk_lagrange_parts(mesh->block[b].shape);
    for (hk_count e = 0; e < mesh->block[b].count; e++)
      for (int k = 0; k < parts; k++) *to++ = (hk_index)(mesh->block[b].first + e);
  }
  return HK_OK;
}

hk_status hk_view_parts(const hk_surface *s, const hk_view_model *model, uint8_t **out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  const hk_mesh_regions *regions = &model->regions;
  hk_index *element;
  HK_TRY(number_cells(model->mesh, &pool, &element));
  HK_TRY(hk_get(out, s->triangles));
  hk_index centre = -1;
  hk_count polygon = -1;
  for (hk_count i = 0; i < s->triangles;
       i++) { /* a face is one triangle, or several around a centre */
    const hk_index last = s->triangle[i][2];
    polygon += last < s->nodes || last != centre;
    centre = last;
    const hk_index e = element[s->cell[polygon]];
    (*out)[i] = regions->count ? (uint8_t)(1 + regions->region(regions->of, e)) : 0;
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static void mark_faces(const hk_mesh *mesh, const hk_set *set, uint8_t *node)
{
  for (hk_count i = 0; i < set->count; i++) {
    const hk_block *block = hk_mesh_block_of(mesh, set->item[i]);
    const hk_element_face *face = &hk_element_of(block->shape)->face[set->face[i]];
    const hk_index *of = hk_mesh_nodes_of(mesh, set->item[i]);
    for (int k = 0; k < face->nodes; k++) node[of[face->node[k]]] = 1;
  }
}

/* among[corner] by node[node of the mesh]. */
static void mark_corners(const hk_surface *s, const uint8_t *node, uint8_t *among)
{
  const hk_index *around = s->around;
  for (hk_count i = 0; i < s->nodes; i++) among[i] = node[hk_surface_node(s, i)];
  for (hk_count i = 0; i < s->centres; i++) {
    const int count = hk_surface_around(s, i);
    bool all = true;
    for (int k = 0; k < count; k++) all = all && node[around[k]];
    among[s->nodes + i] = all;
    around += count;
  }
}

static hk_status list_triangles(const hk_surface *s, const hk_view_body *b, const uint8_t *among,
                                hk_pool *pool, hk_view_set *set)
{
  HK_PASS(hk_pool_get(pool, &set->item[0], b->triangles));
  for (hk_count i = 0; i < b->triangles; i++) {
    const hk_index *t = s->triangle[b->whose[i]];
    if (among[t[0]] && among[t[1]] && among[t[2]]) set->item[0][set->count[0]++] = (hk_index)i;
  }
  return HK_OK;
}

static hk_status list_edges(const hk_surface *s, const hk_view_body *b, const uint8_t *among,
                            hk_pool *pool, hk_view_set *set)
{
  HK_PASS(hk_pool_get(pool, &set->item[1], b->edges));
  for (hk_count i = 0; i < b->edges; i++) {
    const hk_index *ends = s->edge[b->line[i]];
    if (among[ends[0]] && among[ends[1]]) set->item[1][set->count[1]++] = (hk_index)i;
  }
  return HK_OK;
}

static hk_status list_points(const hk_surface *s, const hk_view_body *b, const uint8_t *among,
                             hk_pool *pool, hk_view_set *set)
{
  HK_PASS(hk_pool_get(pool, &set->item[2], MOST_POINTS));
  for (hk_count i = 0; i < s->nodes && set->count[2] < MOST_POINTS; i++)
    if (among[i] && b->vertex[i] >= 0) set->item[2][set->count[2]++] = b->vertex[i];
  return HK_OK;
}

/* node[nodes], among[corners]: room. */
static hk_status make_set(const hk_surface *s, const hk_mesh *mesh, const hk_set *from,
                          const hk_view_body *b, uint8_t *node, uint8_t *among, hk_pool *pool,
                          hk_view_set *set)
{
  *set = (hk_view_set){.name = from->name};
  memset(node, 0, (size_t)mesh->node_count);
  if (from->kind == HK_FACE_SET)
    mark_faces(mesh, from, node);
  else
    for (hk_count i = 0; i < from->count; i++) node[from->item[i]] = 1;
  mark_corners(s, node, among);
  HK_PASS(s->flat ? list_edges(s, b, among, pool, set) : list_triangles(s, b, among, pool, set));
  return set->count[0] + set->count[1] ? HK_OK : list_points(s, b, among, pool, set);
}

/* Faces before nodes, which may be the vertices alone. */
static int by_name(const void *a, const void *b)
{
  const hk_set *x = *(const hk_set *const *)a, *y = *(const hk_set *const *)b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (int)y->kind - (int)x->kind;
}

/* shown[*count]: sets of nodes and faces, but the whole mesh, by their names. */
static hk_status choose_sets(const hk_mesh *mesh, hk_pool *pool, const hk_set ***shown, int *count)
{
  int kept = 0;
  HK_PASS(hk_pool_get(pool, shown, mesh->set_count));
  for (int i = 0; i < mesh->set_count; i++) {
    const hk_set *set = &mesh->set[i];
    const bool whole = set->kind == HK_NODE_SET && set->count == mesh->node_count;
    if (set->kind != HK_ELEMENT_SET && !whole) (*shown)[kept++] = set;
  }
  if (kept) qsort(*shown, (size_t)kept, sizeof **shown, by_name);
  *count = kept;
  return HK_OK;
}

hk_status hk_view_sets(const hk_surface *s, const hk_mesh *mesh, const hk_view_body *b, int most,
                       hk_pool *pool, int *count, hk_view_set **out)
{
  hk_status status = HK_OK;
  uint8_t *node = NULL, *among = NULL;
  const hk_set **shown;
  int sets;
  *count = 0;
  HK_TRY(hk_pool_get(pool, out, most));
  HK_TRY(choose_sets(mesh, pool, &shown, &sets));
  HK_TRY(hk_get(&node, mesh->node_count));
  HK_TRY(hk_get(&among, s->corners));
  for (int i = 0; i < sets && *count < most; i++) {
    hk_view_set *set = &(*out)[*count];
    /* sides of generated meshes are sets of nodes and of faces */
    if (*count && !strcmp(set[-1].name, shown[i]->name)) continue;
    HK_TRY(make_set(s, mesh, shown[i], b, node, among, pool, set));
    *count += set->count[0] + set->count[1] + set->count[2] > 0;
  }
cleanup:
  hk_free(&node);
  hk_free(&among);
  return status;
}
