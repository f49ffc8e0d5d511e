/* A 2D mesh drawn out along z: triangles become wedges and quadrilaterals hexahedra, of first or second order. Each cell of a layer adds one
 * plane of nodes (order 1) or two (order 2); node n of the solid is node flat[n] of plane plane[n]. Sets of elements and nodes are repeated on
 * all planes, sets of edges become faces 2 and up of the solids; "front" is the lowest plane, "back" the highest. The key is mesh: {extrude:
 * ...} of case files (docs/reference/case.md). */
#include "element/element.h"
#include "mesh/mesh.h"

/* How a flat element becomes a solid one: node n of the solid is node `flat[n]` of plane `plane[n]` of the cell's (0 below). */
typedef struct drawing {
  hk_shape solid;
  int8_t flat[27], plane[27];
} drawing;

static const drawing drawings[HK_SHAPE_COUNT] = {
    [HK_TRI3] = {HK_WEDGE6, {0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}},
    [HK_QUAD4] = {HK_HEX8, {0, 1, 2, 3, 0, 1, 2, 3}, {0, 0, 0, 0, 1, 1, 1, 1}},
    [HK_TRI6] = {HK_WEDGE18,
                 {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 0, 1, 2, 3, 4, 5},
                 {0, 0, 0, 2, 2, 2, 0, 0, 0, 2, 2, 2, 1, 1, 1, 1, 1, 1}},
    [HK_QUAD9] = {HK_HEX27,
                  {0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 0, 1, 2, 3, 8, 8, 8, 4, 5, 6, 7},
                  {0, 0, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0, 2, 2,
                   2, 2, 1, 1, 1, 1, 1, 0, 2, 1, 1, 1, 1}},
};

typedef struct maker {
  const hk_mesh *flat;
  const hk_mesh_layer *layer;
  int layers, per_cell; /* planes of nodes that a cell adds */
  double from;
  hk_count cells, planes;
  hk_mesh *mesh;
} maker;

static hk_status begin(maker *m)
{
  hk_index fits;
  HK_NEED(m->flat->dim == 2, HK_BAD_INPUT, "extrude: the mesh is 3D: must be 2D");
  m->per_cell = 1;
  for (int b = 0; b < m->flat->block_count; b++) {
    const hk_shape shape = m->flat->block[b].shape;
    HK_NEED(hk_shape_listed(shape) && drawings[shape].flat[1], HK_BAD_INPUT,
            "extrude: the mesh has %s elements: must be tri3, tri6, quad4 or quad9",
            hk_shape_name(shape));
    const int own = hk_element_of(shape)->order;
    HK_NEED(b == 0 || own == m->per_cell, HK_BAD_INPUT,
            "extrude: the mesh has elements of first and of second order: use one order");
    m->per_cell = own;
  }
  for (int l = 0; l < m->layers; l++) {
    HK_NEED(m->layer[l].height > 0 && m->layer[l].cells >= 1, HK_BAD_INPUT,
            "extrude: layer %d is %g high and has %lld cells: both must be above 0", l + 1,
            m->layer[l].height, (long long)m->layer[l].cells);
    m->cells += m->layer[l].cells;
  }
  m->planes = m->cells * m->per_cell + 1;
  HK_PASS(hk_narrow(m->planes, "number of planes", &fits));
  HK_PASS(hk_narrow(m->planes * m->flat->node_count, "number of nodes", &fits));
  return hk_narrow(m->cells * m->flat->element_count, "number of elements", &fits);
}

static hk_status place_nodes(maker *m)
{
  hk_count plane = 0;
  double z = m->from;
  const hk_count nodes = m->flat->node_count;
  m->mesh->node_count = m->planes * nodes;
  HK_PASS(hk_get(&m->mesh->x, 3 * m->mesh->node_count));
  for (int l = 0; l < m->layers; l++) {
    const hk_count planes = m->layer[l].cells * m->per_cell;
    for (hk_count k = l ? 1 : 0; k <= planes; k++, plane++)
      for (hk_count n = 0; n < nodes; n++) {
        double *x = m->mesh->x + 3 * (plane * nodes + n);
        x[0] = m->flat->x[2 * n], x[1] = m->flat->x[2 * n + 1];
        x[2] = z + m->layer[l].height * (double)k / (double)planes;
      }
    z += m->layer[l].height;
  }
  return HK_OK;
}

/* Elements cell by cell upwards, in each as in the flat block. */
static hk_status make_blocks(maker *m)
{
  HK_PASS(hk_get(&m->mesh->block, m->flat->block_count));
  for (int b = 0; b < m->flat->block_count; b++) {
    const hk_block *from = &m->flat->block[b];
    const drawing *d = &drawings[from->shape];
    hk_block *to = &m->mesh->block[m->mesh->block_count++];
    *to = (hk_block){.shape = d->solid,
                     .nodes = hk_element_of(d->solid)->nodes,
                     .first = from->first * m->cells,
                     .count = from->count * m->cells};
    HK_PASS(hk_get(&to->node, to->count * to->nodes));
    m->mesh->element_count += to->count;
    for (hk_count k = 0; k < to->count * to->nodes; k++) {
      const hk_count element = k / to->nodes, cell = element / from->count,
                     plane = cell * m->per_cell + d->plane[k % to->nodes];
      to->node[k] =
          (hk_index)(plane * m->flat->node_count +
                     from->node[element % from->count * from->nodes + d->flat[k % to->nodes]]);
    }
  }
  return HK_OK;
}

/* The element above flat element e in a cell. */
static hk_index above(const maker *m, hk_index e, hk_count cell)
{
  const hk_block *block = hk_mesh_block_of(m->flat, e);
  return (hk_index)(block->first * m->cells + cell * block->count + e - block->first);
}

static hk_status draw_set(maker *m, const hk_set *set)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_count at = 0;
  const bool nodes = set->kind == HK_NODE_SET, faces = set->kind == HK_FACE_SET;
  const hk_count copies = nodes ? m->planes : m->cells;
  HK_TRY(hk_get(&item, set->count * copies));
  if (faces) HK_TRY(hk_get(&face, set->count * copies));
  for (hk_count k = 0; k < copies; k++)
    for (hk_count i = 0; i < set->count; i++, at++) {
      item[at] =
          nodes ? (hk_index)(k * m->flat->node_count + set->item[i]) : above(m, set->item[i], k);
      if (faces) face[at] = (uint8_t)(2 + set->face[i]);
    }
  HK_TRY(hk_mesh_add_set(m->mesh, set->name, set->kind, at, &item, faces ? &face : NULL));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

static hk_status add_end(maker *m, const char *name, bool top)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  const hk_count nodes = m->flat->node_count, elements = m->flat->element_count;
  HK_TRY(hk_get(&item, elements));
  HK_TRY(hk_get(&face, elements));
  for (hk_count e = 0; e < elements; e++)
    item[e] = above(m, (hk_index)e, top ? m->cells - 1 : 0), face[e] = top;
  HK_TRY(hk_mesh_add_set(m->mesh, name, HK_FACE_SET, elements, &item, &face));
  HK_TRY(hk_get(&item, nodes));
  for (hk_count n = 0; n < nodes; n++) item[n] = (hk_index)((top ? m->planes - 1 : 0) * nodes + n);
  HK_TRY(hk_mesh_add_set(m->mesh, name, HK_NODE_SET, nodes, &item, NULL));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

/* Elements of the cells [first, first + cells). */
static hk_status add_cells(maker *m, const char *name, hk_count first, hk_count cells)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  hk_count at = 0;
  HK_TRY(hk_get(&item, cells * m->flat->element_count));
  for (hk_count k = first; k < first + cells; k++)
    for (hk_count e = 0; e < m->flat->element_count; e++) item[at++] = above(m, (hk_index)e, k);
  HK_TRY(hk_mesh_add_set(m->mesh, name, HK_ELEMENT_SET, at, &item, NULL));
cleanup:
  hk_free(&item);
  return status;
}

static hk_status make_sets(maker *m)
{
  hk_count first = 0;
  for (int s = 0; s < m->flat->set_count; s++) HK_PASS(draw_set(m, &m->flat->set[s]));
  HK_PASS(add_end(m, "front", false));
  HK_PASS(add_end(m, "back", true));
  for (int l = 0; l < m->layers; first += m->layer[l++].cells)
    if (m->layer[l].name) HK_PASS(add_cells(m, m->layer[l].name, first, m->layer[l].cells));
  return add_cells(m, "all", 0, m->cells);
}

hk_status hk_mesh_extrude(const hk_mesh *flat, double from, int layers, const hk_mesh_layer *layer,
                          hk_mesh **out)
{
  hk_status status = HK_OK;
  maker m = {.flat = flat, .layer = layer, .layers = layers, .from = from};
  hk_messages *list = NULL;
  HK_TRY(begin(&m));
  HK_TRY(hk_mesh_begin(3, &m.mesh));
  HK_TRY(place_nodes(&m));
  HK_TRY(make_blocks(&m));
  HK_TRY(make_sets(&m));
  HK_TRY(hk_messages_create(&list));
  HK_TRY(hk_mesh_finish_made(m.mesh, "extrude", list));
  *out = m.mesh, m.mesh = NULL;
cleanup:
  hk_messages_destroy(&list);
  hk_mesh_destroy(&m.mesh);
  return status;
}
