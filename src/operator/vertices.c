#include "operator/vertices.h"
#include "operator/assembled.h"
#include "element/element.h"
#include "mesh/mesh.h"
#include <string.h>

bool hk_vertices_exist(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (hk_shape_linear(mesh->block[b].shape) != mesh->block[b].shape) return true;
  return false;
}

/* number[padded]: of the vertices, in internal order; -1: others */
static hk_status find_vertices(const hk_space *space, hk_vertices *v, hk_index *number)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = space->mesh;
  for (hk_index i = 0; i < space->padded; i++) number[i] = -1;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int corners = hk_element_of(block->shape)->vertices;
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < corners; n++) {
#pragma omp atomic write
        number[space->node[block->node[e * block->nodes + n]]] = 0;
      }
  }
  for (hk_index i = 0; i < space->padded; i++)
    if (number[i] == 0) number[i] = v->count++;
  HK_TRY(hk_get(&v->node, v->count));
  for (hk_index i = 0; i < space->padded; i++)
    if (number[i] >= 0) v->node[number[i]] = i;
cleanup:
  return status;
}

typedef struct stencil { /* of a node of an element: linear shape functions there that are not 0 */
  int count, corner[8];
  double weight[8];
} stencil;

static void find_stencils(const hk_element *element, stencil *to)
{
  const hk_element *low = hk_element_of(hk_shape_linear(element->shape));
  double n[8];
  for (int k = 0; k < element->nodes; k++) {
    to[k].count = 0;
    low->shape_functions(element->reference[k], n);
    for (int c = 0; c < low->nodes; c++)
      if (n[c] > 1e-12) to[k].corner[to[k].count] = c, to[k].weight[to[k].count++] = n[c];
  }
}

/* Where each node may be found: place[internal number] = element * HK_MOST_NODES + node in it. Any of its elements will do: they agree on
 * the vertices, which are then put in order. */
static void find_places(const hk_space *space, hk_count *place)
{
  const hk_mesh *mesh = space->mesh;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      for (int n = 0; n < block->nodes; n++) {
#pragma omp atomic write
        place[space->node[block->node[e * block->nodes + n]]] =
            (block->first + e) * HK_MOST_NODES + n;
      }
  }
}

typedef struct interpolation {
  const hk_space *space;
  const hk_index *number;
  const hk_count *place;     /* -1: no node */
  stencil *of[HK_SHAPE_END]; /* [nodes] of the shapes that there are, else NULL */
} interpolation;

/* The vertices that node i takes its value from, ascending; their number. */
static int find_entries(const interpolation *k, hk_index i, hk_index *vertex, double *weight)
{
  int count = 0;
  if (k->place[i] < 0) return 0;
  if (k->number[i] >= 0) {
    vertex[0] = k->number[i], weight[0] = 1;
    return 1;
  }
  const hk_count e = k->place[i] / HK_MOST_NODES;
  const hk_index *node = hk_mesh_nodes_of(k->space->mesh, e);
  const stencil *s =
      &k->of[hk_mesh_block_of(k->space->mesh, e)->shape][k->place[i] % HK_MOST_NODES];
  for (int c = 0; c < s->count; c++) {
    const hk_index at = k->number[k->space->node[node[s->corner[c]]]];
    int to = count++;
    for (; to > 0 && vertex[to - 1] > at; to--)
      vertex[to] = vertex[to - 1], weight[to] = weight[to - 1];
    vertex[to] = at, weight[to] = s->weight[c];
  }
  return count;
}

static hk_status fill_interpolation(const interpolation *k, hk_vertices *v)
{
  enum { MOST = 8 };
  hk_status status = HK_OK;
  const hk_index padded = k->space->padded;
  HK_TRY(hk_get(&v->begin, padded + 1));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < padded; i++) {
    hk_index vertex[MOST];
    double weight[MOST];
    v->begin[i + 1] = find_entries(k, i, vertex, weight);
  }
  for (hk_index i = 0; i < padded; i++) v->begin[i + 1] += v->begin[i];
  HK_TRY(hk_get(&v->weight, v->begin[padded]));
  HK_TRY(hk_get(&v->vertex, v->begin[padded]));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < padded; i++)
    find_entries(k, i, v->vertex + v->begin[i], v->weight + v->begin[i]);
cleanup:
  return status;
}

static hk_status find_interpolation(const hk_space *space, const hk_index *number, hk_vertices *v)
{
  hk_status status = HK_OK;
  interpolation *k = NULL;
  hk_count *place = NULL;
  HK_TRY(hk_new(&k));
  HK_TRY(hk_get(&place, space->padded));
  for (hk_index i = 0; i < space->padded; i++) place[i] = -1;
  find_places(space, place);
  k->space = space, k->number = number, k->place = place;
  for (int b = 0; b < space->mesh->block_count; b++) {
    const hk_shape shape = space->mesh->block[b].shape;
    if (!k->of[shape]) HK_TRY(hk_get(&k->of[shape], hk_element_of(shape)->nodes));
    find_stencils(hk_element_of(shape), k->of[shape]);
  }
  HK_TRY(fill_interpolation(k, v));
cleanup:
  for (int s = 0; k && s < HK_SHAPE_END; s++) hk_free(&k->of[s]);
  hk_free(&k);
  hk_free(&place);
  return status;
}

/* The mesh of linear elements, vertices numbered as here. */
static hk_status create_mesh(const hk_space *space, const hk_vertices *v, const hk_index *number,
                             hk_mesh **out)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = space->mesh;
  const int dim = mesh->dim;
  hk_mesh *m = NULL;
  HK_TRY(hk_mesh_create(dim, &m));
  HK_TRY(hk_get(&m->x, (hk_count)v->count * dim));
  HK_TRY(hk_get(&m->block, mesh->block_count));
  m->node_count = v->count, m->element_count = mesh->element_count;
  for (hk_index i = 0; i < v->count; i++)
    memcpy(m->x + (hk_count)i * dim, mesh->x + (hk_count)space->mesh_node[v->node[i]] * dim,
           (size_t)dim * sizeof *m->x);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *from = &mesh->block[b];
    hk_block *to = &m->block[m->block_count++];
    const int corners = hk_element_of(from->shape)->vertices;
    *to = (hk_block){hk_shape_linear(from->shape), corners, from->first, from->count, NULL};
    HK_TRY(hk_get(&to->node, from->count * corners));
#pragma omp parallel for schedule(static)
    for (hk_count k = 0; k < from->count * corners; k++)
      to->node[k] = number[space->node[from->node[k / corners * from->nodes + k % corners]]];
  }
  *out = m, m = NULL;
cleanup:
  hk_mesh_destroy(&m);
  return status;
}

static hk_status copy_regions(const hk_operator_desc *desc, hk_region **out)
{
  hk_status status = HK_OK;
  int regions = 0;
  for (hk_count e = 0; e < desc->space->mesh->element_count; e++)
    if (desc->element_region[e] >= regions) regions = desc->element_region[e] + 1;
  HK_TRY(hk_get(out, regions));
  for (int r = 0; r < regions; r++) {
    (*out)[r] = desc->region[r];
    if ((*out)[r].integration == HK_INTEGRATION_REDUCED)
      (*out)[r].integration = HK_INTEGRATION_FULL;
  }
cleanup:
  return status;
}

static hk_status assemble(const hk_operator_desc *desc, const hk_mesh *mesh, hk_csr *out)
{
  hk_status status = HK_OK;
  const hk_index nodes = (hk_index)mesh->node_count;
  hk_index *same = NULL;
  hk_region *region = NULL; /* owns nothing of its own */
  HK_TRY(hk_get(&same, nodes));
  HK_TRY(copy_regions(desc, &region));
  for (hk_index i = 0; i < nodes; i++) same[i] = i;
  const hk_space space = {.mesh = mesh,
                          .dim = mesh->dim,
                          .components = desc->space->components,
                          .nodes = nodes,
                          .patch = nodes,
                          .patches = 1,
                          .padded = nodes,
                          .mesh_node = same,
                          .node = same};
  const hk_operator_desc low = {.device = desc->device,
                                .space = &space,
                                .region = region,
                                .element_region = desc->element_region,
                                .double_precision = true,
                                .exchange = desc->exchange,
                                .exchange_count = desc->exchange_count};
  HK_TRY(hk_csr_find(NULL, &low, out));
cleanup:
  hk_free(&same);
  hk_free(&region);
  return status;
}

hk_status hk_vertices_create(const hk_operator_desc *desc, hk_vertices *out)
{
  hk_status status = HK_OK;
  hk_vertices v = {0};
  hk_mesh *mesh = NULL;
  hk_index *number = NULL;
  HK_TRY(hk_get(&number, desc->space->padded));
  HK_TRY(find_vertices(desc->space, &v, number));
  HK_TRY(find_interpolation(desc->space, number, &v));
  HK_TRY(create_mesh(desc->space, &v, number, &mesh));
  HK_TRY(assemble(desc, mesh, &v.matrix));
  *out = v, v = (hk_vertices){0};
cleanup:
  hk_vertices_clear(&v);
  hk_mesh_destroy(&mesh);
  hk_free(&number);
  return status;
}

void hk_vertices_clear(hk_vertices *v)
{
  hk_free(&v->node);
  hk_free(&v->begin);
  hk_free(&v->vertex);
  hk_free(&v->weight);
  hk_csr_clear(&v->matrix);
}
