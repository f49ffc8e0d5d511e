/* Finds the outer boundary of a mesh and cuts it into pieces of about B nodes, the first rows of
 * the aligned partitioner (Huthwaite 2014, section 3.1). Nodes of one boundary face are neighbours
 * in a graph, whose connected parts are loops (shells in 3D). A loop is an outer one if it holds
 * the node of least x of a part of the mesh. Boundaries of holes start no front. */
#include "element/element.h"
#include "papers/pogo/methods.h"

typedef struct boundary {
  const hk_mesh *mesh;
  const hk_adjacency *graph;
  hk_index *number;   /* number[node]: among the boundary's nodes; -1 */
  hk_index *node;     /* node[edges.nodes] */
  hk_adjacency edges; /* nodes of one face are neighbours; pairs may come twice */
  hk_pool pool;       /* these arrays */
} boundary;

static const int *face_of(const hk_mesh *mesh, hk_index element, uint8_t face, int *count,
                          const hk_index **node)
{
  const hk_element_face *f = &hk_element_of(hk_mesh_block_of(mesh, element)->shape)->face[face];
  *count = f->nodes;
  *node = hk_mesh_nodes_of(mesh, element);
  return f->node;
}

static hk_status number_nodes(boundary *b, hk_count faces, const hk_index *element,
                              const uint8_t *face)
{
  const hk_index *node;
  hk_index count = 0;
  int width;
  HK_PASS(hk_pool_get(&b->pool, &b->number, b->mesh->node_count));
  for (hk_count i = 0; i < b->mesh->node_count; i++) b->number[i] = -1;
  for (hk_count f = 0; f < faces; f++) {
    const int *local = face_of(b->mesh, element[f], face[f], &width, &node);
    for (int n = 0; n < width; n++)
      if (b->number[node[local[n]]] < 0) b->number[node[local[n]]] = count++;
  }
  HK_PASS(hk_pool_get(&b->pool, &b->node, count));
  for (hk_index i = 0; i < b->graph->nodes; i++)
    if (b->number[i] >= 0) b->node[b->number[i]] = i;
  b->edges.nodes = count;
  return HK_OK;
}

/* Counts pairs into begin (edges.node not there yet) or fills them in. */
static void visit_pairs(boundary *b, hk_count faces, const hk_index *element, const uint8_t *face)
{
  const hk_index *node;
  int width;
  for (hk_count f = 0; f < faces; f++) {
    const int *local = face_of(b->mesh, element[f], face[f], &width, &node);
    for (int n = 0; n < width; n++)
      for (int m = 0; m < width; m++) {
        const hk_index from = b->number[node[local[n]]], to = b->number[node[local[m]]];
        if (n == m) continue;
        if (b->edges.node)
          b->edges.node[b->edges.begin[from]++] = to;
        else
          b->edges.begin[from]++;
      }
  }
}

static hk_status join_nodes(boundary *b, hk_count faces, const hk_index *element,
                            const uint8_t *face)
{
  hk_index total;
  hk_count sum = 0;
  HK_PASS(hk_pool_get(&b->pool, &b->edges.begin, (hk_count)b->edges.nodes + 1));
  visit_pairs(b, faces, element, face);
  for (hk_index i = 0; i < b->edges.nodes; i++) sum += b->edges.begin[i];
  HK_PASS(hk_narrow(sum, "pairs of nodes on the boundary", &total));
  for (hk_index i = 0, at = 0; i <= b->edges.nodes; i++) {
    const hk_index count = b->edges.begin[i];
    b->edges.begin[i] = at;
    at += count;
  }
  HK_PASS(hk_pool_get(&b->pool, &b->edges.node, total));
  visit_pairs(b, faces, element, face);
  for (hk_index i = b->edges.nodes; i > 0; i--) b->edges.begin[i] = b->edges.begin[i - 1];
  b->edges.begin[0] = 0;
  return HK_OK;
}

static bool left_of(const hk_mesh *mesh, hk_count a, hk_count b)
{
  return mesh->x[a * mesh->dim] < mesh->x[b * mesh->dim];
}

/* Connected parts of a graph: part[nodes], -1 for nodes without neighbours. */
static hk_status find_parts(const hk_adjacency *graph, hk_index **part, hk_index *parts)
{
  HK_PASS(hk_get(part, graph->nodes));
  for (hk_index i = 0; i < graph->nodes; i++) (*part)[i] = -1;
  *parts = 0;
  return hk_pieces_grow(graph, graph->nodes, 0, NULL, *part, parts);
}

/* piece[] = -1 (free) for the nodes of the loops that hold the least x of a part of the mesh, -2 for
 * those of the others. seed[parts] = where those have it. */
static hk_status find_outer(boundary *b, hk_index *piece, hk_index **seed, hk_index *seeds)
{
  hk_status status = HK_OK;
  hk_index loops, parts = 1, *loop = NULL, *part = NULL;
  bool *outer = NULL;

  HK_TRY(find_parts(&b->edges, &loop, &loops));
  if (loops > 1) HK_TRY(find_parts(b->graph, &part, &parts));
  HK_TRY(hk_get(seed, parts));
  HK_TRY(hk_get(&outer, loops));
  for (hk_index p = 0; p < parts; p++) (*seed)[p] = -1;
  for (hk_index i = 0; i < b->edges.nodes; i++) {
    hk_index *least = &(*seed)[part ? part[b->node[i]] : 0];
    if (*least < 0 || left_of(b->mesh, b->node[i], b->node[*least])) *least = i;
  }
  *seeds = 0;
  for (hk_index p = 0; p < parts; p++)
    if ((*seed)[p] >= 0) outer[loop[(*seed)[p]]] = true, (*seed)[(*seeds)++] = (*seed)[p];
  for (hk_index i = 0; i < b->edges.nodes; i++) piece[i] = outer[loop[i]] ? -1 : -2;
cleanup:
  hk_free(&loop);
  hk_free(&part);
  hk_free(&outer);
  return status;
}

/* The pieces of all outer loops are of one length, near `length`. */
static hk_status cut(boundary *b, hk_index length, hk_outline *out)
{
  hk_status status = HK_OK;
  hk_index *piece = NULL, *seed = NULL, seeds;
  HK_TRY(hk_get(&piece, b->edges.nodes));
  HK_TRY(find_outer(b, piece, &seed, &seeds));
  for (hk_index i = 0; i < b->edges.nodes; i++) out->count += piece[i] == -1;
  HK_TRY(hk_get(&out->node, out->count));
  HK_TRY(hk_get(&out->piece, out->count));
  const hk_index pieces = out->count > length ? (out->count + length / 2) / length : 1;
  HK_TRY(hk_pieces_grow(&b->edges, (out->count + pieces - 1) / pieces, seeds, seed, piece,
                        &out->pieces));
  for (hk_index i = 0, k = 0; i < b->edges.nodes; i++)
    if (piece[i] >= 0) out->node[k] = b->node[i], out->piece[k++] = piece[i];
cleanup:
  hk_free(&piece);
  hk_free(&seed);
  return status;
}

hk_status hk_outline_find(const hk_mesh *mesh, const hk_adjacency *graph, hk_index length,
                          hk_outline *out)
{
  hk_status status = HK_OK;
  boundary b = {.mesh = mesh, .graph = graph};
  hk_count faces = 0;
  hk_index *element = NULL;
  uint8_t *face = NULL;

  *out = (hk_outline){0};
  HK_TRY(hk_mesh_boundary(mesh, &faces, &element, &face));
  HK_TRY(number_nodes(&b, faces, element, face));
  HK_TRY(join_nodes(&b, faces, element, face));
  HK_TRY(cut(&b, length, out));
cleanup:
  if (status != HK_OK) hk_outline_clear(out);
  hk_pool_clear(&b.pool);
  hk_free(&element);
  hk_free(&face);
  return status;
}

void hk_outline_clear(hk_outline *outline)
{
  hk_free(&outline->node);
  hk_free(&outline->piece);
  *outline = (hk_outline){0};
}
