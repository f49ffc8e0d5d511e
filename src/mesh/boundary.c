/* The boundary of a mesh: faces that belong to one element only. Each face is listed at its lowest vertex by its element; the faces at a
 * vertex are sorted by their vertices, and one that no other meets is of the boundary. All threads count, list and compare. The order within a
 * list depends on the threads, and the result does not. Faces that do meet join their elements to parts. */
#include "mesh/topology.h"
#include <math.h>

typedef struct faces { /* of all elements, by their lowest vertex */
  const hk_mesh *mesh;
  const uint8_t *among; /* among[node]: faces whose vertices are all marked; NULL: all faces */
  hk_count *begin;      /* those at vertex i: [begin[i], begin[i + 1]) */
  hk_index *element;    /* element[begin[node_count]], and */
  uint8_t *face;        /* its face */
} faces;

/* The lowest of the face's `vertices` vertices; -1 of a face that a collapsed element has lost: it has too few. */
static hk_index lowest(const hk_element *shape, const hk_index *node, int face, int vertices)
{
  const int *at = shape->face[face].node;
  hk_index least = node[at[0]], vertex[HK_FACE_VERTICES];
  bool twice = false;
  for (int v = 1; v < vertices; v++) {
    for (int w = 0; w < v; w++) twice |= node[at[v]] == node[at[w]];
    if (node[at[v]] < least) least = node[at[v]];
  }
  return twice && hk_mesh_face_vertices(shape, node, face, vertex) < shape->dim ? -1 : least;
}

static bool is_among(const faces *f, const int *at, const hk_index *node, int vertices)
{
  for (int v = 0; f->among && v < vertices; v++)
    if (!f->among[node[at[v]]]) return false;
  return true;
}

/* Counts the faces at vertex i in begin[i + 1]; or, `list`, puts them where that tells, so that it tells where the list ends. */
static void visit_faces(const faces *f, const hk_block *block, bool list)
{
  const hk_element *shape = hk_element_of(block->shape);
  int vertices[6];
  for (int k = 0; k < shape->faces; k++)
    vertices[k] = shape->dim == 2 ? 2 : hk_element_of(shape->face[k].shape)->vertices;
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < block->count; e++)
    for (int k = 0; k < shape->faces; k++) {
      const hk_index *node = block->node + e * block->nodes;
      if (!is_among(f, shape->face[k].node, node, vertices[k])) continue;
      const hk_index i = lowest(shape, node, k, vertices[k]);
      hk_count to;
      if (i < 0) continue;
#pragma omp atomic capture
      to = f->begin[i + 1]++;
      if (list) f->element[to] = (hk_index)(block->first + e), f->face[to] = (uint8_t)k;
    }
}

static hk_status gather(faces *f, hk_pool *pool)
{
  const hk_mesh *mesh = f->mesh;
  hk_count sum = 0;
  HK_PASS(hk_pool_get(pool, &f->begin, mesh->node_count + 1));
  for (int b = 0; b < mesh->block_count; b++) visit_faces(f, &mesh->block[b], false);
  for (hk_count i = 0; i < mesh->node_count; i++) {
    const hk_count count = f->begin[i + 1];
    f->begin[i + 1] = sum, sum += count;
  }
  HK_PASS(hk_pool_get(pool, &f->element, sum));
  HK_PASS(hk_pool_get(pool, &f->face, sum));
  for (int b = 0; b < mesh->block_count; b++) visit_faces(f, &mesh->block[b], true);
  return HK_OK;
}

/* side[faces with lowest vertex i]: those that meet are neighbours. */
static hk_status list_node(const faces *f, hk_count i, hk_face **side, hk_count *room)
{
  const hk_count first = f->begin[i], count = f->begin[i + 1] - first;
  HK_PASS(hk_reserve(side, count, room));
  for (hk_count k = 0; k < count; k++) {
    hk_face *to = &(*side)[k];
    to->element = f->element[first + k], to->face = f->face[first + k];
    const hk_block *block = hk_mesh_block_of(f->mesh, to->element);
    hk_mesh_face_vertices(hk_element_of(block->shape),
                          block->node + (to->element - block->first) * block->nodes, to->face,
                          to->vertex);
  }
  hk_sort_faces(count, *side);
  return HK_OK;
}

/* Marks, in bit f of mark[element], the faces that one element alone has. */
static void mark_sides(const hk_face *side, hk_count count, uint8_t *mark)
{
  for (hk_count k = 0, next; k < count; k = next) {
    for (next = k + 1; next < count && hk_faces_meet(&side[k], &side[next]);) next++;
    if (next != k + 1) continue;
#pragma omp atomic
    mark[side[k].element] |= (uint8_t)(1 << side[k].face);
  }
}

static void join_sides(const hk_face *side, hk_count count, hk_index *parent)
{
  for (hk_count k = 1; k < count; k++)
    if (hk_faces_meet(&side[k - 1], &side[k]))
      hk_mesh_join(parent, side[k - 1].element, side[k].element);
}

/* mark[element], parent[element]: one of them is NULL. */
static hk_status visit_nodes(const faces *f, uint8_t *mark, hk_index *parent)
{
  hk_failure failure = {0};
#pragma omp parallel
  {
    hk_status status = HK_OK;
    hk_face *side = NULL;
    hk_count room = 0;
#pragma omp for schedule(dynamic, 1024)
    for (hk_count i = 0; i < f->mesh->node_count; i++) {
      const hk_count count = f->begin[i + 1] - f->begin[i];
      if (!count) continue;
      if (status == HK_OK) status = list_node(f, i, &side, &room);
      if (status == HK_OK && mark) mark_sides(side, count, mark);
      if (status == HK_OK && parent) join_sides(side, count, parent);
    }
    hk_failure_keep(&failure, status);
    hk_free(&side);
  }
  return hk_failure_tell(&failure);
}

enum { RUN = 1 << 14 }; /* elements whose marked faces a thread counts and lists at a time */

static hk_count run_end(hk_count elements, hk_count run)
{
  return (run + 1) * RUN < elements ? (run + 1) * RUN : elements;
}

/* begin[run + 1] = faces that are marked up to the end of the run, of begin[runs + 1]. */
static void count_marks(hk_count elements, const uint8_t *mark, hk_count runs, hk_count *begin)
{
#pragma omp parallel for schedule(static)
  for (hk_count r = 0; r < runs; r++) {
    hk_count sum = 0;
    for (hk_count e = r * RUN; e < run_end(elements, r); e++)
      for (int bits = mark[e]; bits; bits &= bits - 1) sum++;
    begin[r + 1] = sum;
  }
  for (hk_count r = 0; r < runs; r++) begin[r + 1] += begin[r];
}

static void list_marks(hk_count elements, const uint8_t *mark, hk_count runs, const hk_count *begin,
                       hk_index *element, uint8_t *face)
{
#pragma omp parallel for schedule(static)
  for (hk_count r = 0; r < runs; r++) {
    hk_count to = begin[r];
    for (hk_count e = r * RUN; e < run_end(elements, r); e++)
      for (int k = 0; mark[e] >> k; k++)
        if (mark[e] >> k & 1) element[to] = (hk_index)e, face[to++] = (uint8_t)k;
  }
}

hk_status hk_mesh_boundary(const hk_mesh *mesh, hk_count *count, hk_index **element, uint8_t **face)
{
  return hk_mesh_boundary_among(mesh, NULL, count, element, face);
}

hk_status hk_mesh_boundary_among(const hk_mesh *mesh, const uint8_t *among, hk_count *count,
                                 hk_index **element, uint8_t **face)
{
  hk_status status = HK_OK;
  faces f = {.mesh = mesh, .among = among};
  hk_pool pool = {0};
  hk_index *e_out = NULL;
  uint8_t *mark, *f_out = NULL;
  const hk_count elements = mesh->element_count, runs = (elements + RUN - 1) / RUN;
  hk_count *begin;

  HK_TRY(hk_pool_get(&pool, &mark, mesh->element_count));
  HK_TRY(gather(&f, &pool));
  HK_TRY(visit_nodes(&f, mark, NULL));
  HK_TRY(hk_pool_get(&pool, &begin, runs + 1));
  count_marks(elements, mark, runs, begin);
  HK_TRY(hk_get(&e_out, begin[runs]));
  HK_TRY(hk_get(&f_out, begin[runs]));
  list_marks(elements, mark, runs, begin, e_out, f_out);
  *count = begin[runs];
  *element = e_out, e_out = NULL;
  *face = f_out, f_out = NULL;
cleanup:
  hk_pool_clear(&pool);
  hk_free(&e_out);
  hk_free(&f_out);
  return status;
}

hk_status hk_mesh_join_faces(const hk_mesh *mesh, hk_index *parent)
{
  hk_status status = HK_OK;
  faces f = {.mesh = mesh};
  hk_pool pool = {0};
  HK_TRY(gather(&f, &pool));
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < mesh->element_count; e++) parent[e] = (hk_index)e;
  HK_TRY(visit_nodes(&f, NULL, parent));
  hk_mesh_shorten(mesh->element_count, parent);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static double length_of(const hk_mesh *mesh, hk_index a, hk_index b, double edge[3])
{
  double square = 0;
  edge[2] = 0;
  for (int d = 0; d < mesh->dim; d++) {
    edge[d] = mesh->x[(hk_count)b * mesh->dim + d] - mesh->x[(hk_count)a * mesh->dim + d];
    square += edge[d] * edge[d];
  }
  return sqrt(square);
}

/* Twice the area of a face, between its vertices; in 2D its length. */
static double extent_of(const hk_mesh *mesh, const hk_element_face *f, const hk_index *node)
{
  double u[3], v[3];
  const double length = length_of(mesh, node[f->node[0]], node[f->node[1]], u);
  if (mesh->dim == 2) return length;
  const bool quad = hk_element_of(f->shape)->vertices == 4;
  length_of(mesh, node[f->node[0]], node[f->node[2]], u);
  length_of(mesh, node[f->node[1]], node[f->node[quad ? 3 : 0]], v);
  return sqrt(pow(u[1] * v[2] - u[2] * v[1], 2) + pow(u[2] * v[0] - u[0] * v[2], 2) +
              pow(u[0] * v[1] - u[1] * v[0], 2));
}

/* The least extent of the faces of an element over the size of the element, in 3D over its square. */
static double narrowest_face(const hk_mesh *mesh, const hk_element *shape, const hk_index *node)
{
  double size = 0, least = INFINITY, edge[3];
  for (int a = 0; a < shape->vertices; a++)
    for (int b = 0; b < a; b++) size = fmax(size, length_of(mesh, node[a], node[b], edge));
  for (int f = 0; f < shape->faces; f++)
    least = fmin(least, extent_of(mesh, &shape->face[f], node));
  return least / (mesh->dim == 2 ? size : size * size);
}

hk_status hk_mesh_is_one_piece(const hk_mesh *mesh, double narrow, bool *yes)
{
  hk_status status = HK_OK;
  hk_index *parent = NULL;
  bool all = true;
  *yes = false;
#pragma omp parallel for schedule(static) reduction(&& : all)
  for (hk_count e = 0; e < mesh->element_count; e++)
    all = all && narrowest_face(mesh, hk_element_of(hk_mesh_block_of(mesh, e)->shape),
                                hk_mesh_nodes_of(mesh, e)) >= narrow;
  if (!all) return HK_OK;
  HK_TRY(hk_get(&parent, mesh->element_count));
  HK_TRY(hk_mesh_join_faces(mesh, parent));
#pragma omp parallel for schedule(static) reduction(&& : all)
  for (hk_count e = 0; e < mesh->element_count; e++) all = all && parent[e] == parent[0];
  *yes = all;
cleanup:
  hk_free(&parent);
  return status;
}
