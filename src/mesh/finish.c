/* Checks a mesh that was read or created and completes it. Each check needs the ones before it:
 * node numbers, coordinates, Jacobians of elements, labels, sets, connection.
 * Elements with a negative Jacobian are refused; clockwise 2D elements are reversed, with their
 * face sets. Elements given twice and nodes at one place are refused. Nodes without elements and
 * several parts give a warning. At most ten elements are listed for each fault; all are counted. */
#include "mesh/jacobian.h"
#include "mesh/topology.h"
#include <math.h>
#include <omp.h>

enum { MOST_LISTED = 10, CHUNK = 1 << 12 }; /* elements that a thread judges at a time */
static const double THIN = 1e-9;            /* of Jacobians at two vertices of an element */

typedef struct finisher {
  hk_mesh *mesh;
  const char *path;
  hk_messages *list;
  bool made; /* by a generator */
  hk_count inverted, zero, shut, turned, corner;
  hk_index first_turned, first_corner;
  double corner_det;  /* of the first one */
  uint8_t *is_turned; /* is_turned[element_count]; NULL: none */
} finisher;

#define SAY(f, severity, ...) hk_messages_add((f)->list, (severity), (f)->path, 0, 0, __VA_ARGS__)

/* The first place in block->node that holds no node of the mesh; -1: none. */
static hk_count first_undefined(const hk_mesh *m, const hk_block *block)
{
  const hk_count entries = block->count * block->nodes;
  const uint32_t last = (uint32_t)m->node_count - 1;
  const hk_count parts = omp_get_max_threads();
  bool good = true;
#pragma omp parallel for schedule(static) reduction(&& : good)
  for (hk_count p = 0; p < parts; p++) {
    const hk_count first = entries * p / parts, end = entries * (p + 1) / parts;
    good = good && hk_numbers_within(block->node + first, end - first, 0, (hk_index)m->node_count);
  }
  for (hk_count i = 0; !good && i < entries; i++)
    if ((uint32_t)block->node[i] > last) return i;
  return -1;
}

/* Blocks cover the elements without gaps, hold shapes of the mesh's dimension and nodes that exist.
 */
static hk_status check_blocks(const finisher *f)
{
  hk_status status = HK_OK;
  const hk_mesh *m = f->mesh;
  hk_count first = 0;

  HK_CHECK(m->element_count > 0 && m->node_count > 0, HK_BAD_INPUT,
           "%s: the mesh has %lld nodes and %lld elements: nothing to compute on", f->path,
           (long long)m->node_count, (long long)m->element_count);
  for (int b = 0; b < m->block_count; b++) {
    const hk_block *block = &m->block[b];
    const hk_element *element = hk_element_of(block->shape);
    HK_CHECK(element->dim == m->dim, HK_BAD_INPUT, "%s: %s elements in a mesh of %d dimensions",
             f->path, element->name, m->dim);
    HK_CHECK(block->first == first && block->nodes == element->nodes, HK_INTERNAL,
             "%s: block %d does not continue the one before", f->path, b);
    first += block->count;
    const hk_count bad = first_undefined(m, block);
    HK_CHECK(bad < 0, HK_BAD_INPUT, "%s: element %lld has a node that is not defined", f->path,
             (long long)hk_mesh_element_label(m, block->first + bad / block->nodes));
  }
  HK_CHECK(first == m->element_count, HK_INTERNAL, "%s: %lld elements in blocks, %lld in the mesh",
           f->path, (long long)first, (long long)m->element_count);
cleanup:
  if (status != HK_OK) SAY(f, HK_ERROR, "%s", hk_error());
  return status;
}

static bool all_finite(const hk_mesh *m)
{
  hk_count bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)
  for (hk_count i = 0; i < m->node_count * m->dim; i++) bad += !isfinite(m->x[i]);
  return bad == 0;
}

static hk_status check_coordinates(const finisher *f)
{
  const hk_mesh *m = f->mesh;
  hk_count bad = 0, first = 0;
  if (all_finite(m)) return HK_OK;
  for (hk_count i = 0; i < m->node_count; i++) {
    const double *x = m->x + i * m->dim;
    if (isfinite(x[0]) && isfinite(x[1]) && (m->dim == 2 || isfinite(x[2]))) continue;
    if (bad == 0) first = i;
    if (bad++ < MOST_LISTED)
      SAY(f, HK_ERROR, "node %lld has a coordinate that is not a finite number: %g %g %g",
          (long long)hk_mesh_node_label(m, i), x[0], x[1], m->dim == 3 ? x[2] : 0);
  }
  if (bad > MOST_LISTED)
    SAY(f, HK_ERROR, "%lld nodes have such coordinates; the first %d are listed", (long long)bad,
        MOST_LISTED);
  return hk_error_set(HK_BAD_INPUT,
                      "%s: %lld nodes have coordinates that are not finite numbers (first: node "
                      "%lld)",
                      f->path, (long long)bad, (long long)hk_mesh_node_label(m, first));
}

/* 0 1 2 3 | 4 5 6 7 | 8 becomes 0 3 2 1 | 7 6 5 4 | 8, so that face k becomes vertices - 1 - k. */
static void turn_nodes(const hk_element *element, hk_index *node)
{
  const int v = element->vertices;
  for (int a = 1, b = v - 1; a < b; a++, b--) {
    const hk_index n = node[a];
    node[a] = node[b], node[b] = n;
  }
  for (int a = v, b = 2 * v - 1; element->order == 2 && a < b; a++, b--) {
    const hk_index n = node[a];
    node[a] = node[b], node[b] = n;
  }
}

static void list_element(const finisher *f, hk_count e, const hk_element *element,
                         hk_element_state state, double det)
{
  const long long label = hk_mesh_element_label(f->mesh, e);
  if (state == HK_ZERO)
    SAY(f, HK_ERROR, "element %lld (%s) has no volume: Jacobian %.3g; remove it or mesh it again",
        label, element->name, det);
  else
    SAY(f, HK_ERROR,
        "element %lld (%s) is %s: Jacobian %.3g; mesh it again, move its nodes, or "
        "correct their order",
        label, element->name, state == HK_FLIPPED || element->simplex ? "inverted" : "folded", det);
}

/* 1 or -1 where the Jacobian has that sign at all integration points, else 0. */
static int sign_at_points(const hk_jacobian *points, const double (*x)[3])
{
  int above = 0, below = 0;
  for (int p = 0; p < points->points; p++) {
    const double det = hk_jacobian_det(points, p, x, NULL);
    above += det > 0, below += det < 0;
  }
  return above == points->points ? 1 : below == points->points ? -1 : 0;
}

/* Two nodes of the element that differ and lie in one place. */
static bool find_shut(const hk_block *block, const hk_index *node, const double (*x)[3],
                      int pair[2])
{
  double size = 0;
  for (int n = 1; n < block->nodes; n++)
    for (int d = 0; d < 3; d++) size = fmax(size, fabs(x[n][d] - x[0][d]));
  for (int n = 1; n < block->nodes; n++)
    for (int m = 0; m < n; m++) {
      double apart = 0;
      for (int d = 0; d < 3; d++) apart = fmax(apart, fabs(x[n][d] - x[m][d]));
      if (node[n] == node[m] || apart > 1e-12 * size) continue;
      pair[0] = m, pair[1] = n;
      return true;
    }
  return false;
}

/* Where the Jacobian is not above 0 at a corner nodes may lie in one place: those of two parts that were not merged. A corner with one node
 * twice is meant. */
static bool refuse_shut(finisher *f, const hk_block *block, hk_count e, const double (*x)[3])
{
  const hk_index *node = block->node + e * block->nodes;
  const hk_element *element = hk_element_of(block->shape);
  const long long label = hk_mesh_element_label(f->mesh, block->first + e);
  int pair[2];
  if (!hk_shape_listed(block->shape) || !find_shut(block, node, x, pair)) return false;
  const long long one = hk_mesh_node_label(f->mesh, node[pair[0]]),
                  other = hk_mesh_node_label(f->mesh, node[pair[1]]);
  if (f->inverted + f->zero + f->shut < MOST_LISTED)
    SAY(f, HK_ERROR,
        "element %lld (%s): its nodes %lld and %lld lie in one place: merge them, or "
        "mesh it again",
        label, element->name, one, other);
  if (!f->inverted && !f->zero && !f->shut)
    hk_error_set(HK_BAD_INPUT, "element %lld (%s), whose nodes %lld and %lld lie in one place",
                 label, element->name, one, other);
  f->shut++;
  return true;
}

static hk_status turn(finisher *f, const hk_block *block, hk_count e)
{
  if (!f->is_turned) HK_PASS(hk_get(&f->is_turned, f->mesh->element_count));
  if (f->turned++ == 0) f->first_turned = (hk_index)(block->first + e);
  f->is_turned[block->first + e] = 1;
  turn_nodes(hk_element_of(block->shape), block->node + e * block->nodes);
  return HK_OK;
}

static void refuse(finisher *f, const hk_block *block, hk_count e, hk_element_state state,
                   double det)
{
  const hk_element *element = hk_element_of(block->shape);
  if (f->inverted + f->zero + f->shut < MOST_LISTED)
    list_element(f, block->first + e, element, state, det);
  if (f->inverted + f->zero + f->shut == 0)
    hk_error_set(HK_BAD_INPUT, "element %lld (%s), Jacobian %.3g",
                 (long long)hk_mesh_element_label(f->mesh, block->first + e), element->name, det);
  f->inverted += state != HK_ZERO;
  f->zero += state == HK_ZERO;
}

/* An element that is folded at a corner alone is integrated as it should be. */
static hk_status judge_element(finisher *f, const hk_block *block, hk_count e,
                               const hk_jacobian *vertices, const hk_jacobian *points)
{
  const hk_element *element = hk_element_of(block->shape);
  const bool turns = element->dim == 2 && hk_shape_listed(element->shape);
  double x[HK_MOST_NODES][3], least, most;
  hk_jacobian_gather(f->mesh, block->nodes, block->node + e * block->nodes, x);
  const hk_element_state state = hk_jacobian_judge(vertices, x, &least, &most);
  if (state == HK_GOOD && least > THIN * most) return HK_OK;
  const bool near_zero = fmin(fabs(least), fabs(most)) <= THIN * fmax(fabs(least), fabs(most));
  if (state != HK_ZERO && (near_zero || state == HK_INVERTED) && refuse_shut(f, block, e, x))
    return HK_OK;
  if (state == HK_GOOD) return HK_OK;
  const int sign =
      state == HK_INVERTED && hk_shape_listed(element->shape) ? sign_at_points(points, x) : 0;
  if ((state == HK_FLIPPED || sign < 0) && turns) HK_PASS(turn(f, block, e));
  if (sign > 0 || (sign < 0 && turns)) {
    if (f->corner++ == 0)
      f->first_corner = (hk_index)(block->first + e),
      f->corner_det = sign * (sign > 0 ? least : most);
  } else if (state != HK_FLIPPED || !turns)
    refuse(f, block, e, state, least);
  return HK_OK;
}

static hk_count chunk_end(const hk_block *block, hk_count chunk)
{
  return (chunk + 1) * CHUNK < block->count ? (chunk + 1) * CHUNK : block->count;
}

/* Whether all elements of a chunk are sound: what judge_element passes at once. */
static bool chunk_is_good(const hk_mesh *mesh, const hk_block *block, hk_count chunk,
                          const hk_jacobian *vertices)
{
  double x[HK_MOST_NODES][3], least, most;
  for (hk_count e = chunk * CHUNK; e < chunk_end(block, chunk); e++) {
    hk_mesh_ask_ahead(mesh, block, e, block->nodes);
    hk_jacobian_gather(mesh, block->nodes, block->node + e * block->nodes, x);
    if (hk_jacobian_judge(vertices, x, &least, &most) != HK_GOOD || !(least > THIN * most))
      return false;
  }
  return true;
}

/* All threads look for chunks with elements that are not sound; these are judged one after the other. */
static hk_status judge_block(finisher *f, const hk_block *block)
{
  hk_status status = HK_OK;
  const hk_element *element = hk_element_of(block->shape);
  const hk_count chunks = (block->count + CHUNK - 1) / CHUNK;
  hk_jacobian vertices, points;
  uint8_t *good = NULL;

  hk_jacobian_at_vertices(element, &vertices);
  hk_jacobian_at_points(element, &points);
  HK_TRY(hk_get(&good, chunks));
#pragma omp parallel for schedule(dynamic)
  for (hk_count chunk = 0; chunk < chunks; chunk++)
    good[chunk] = hk_jacobian_all_good(&vertices, f->mesh, block, chunk * CHUNK,
                                       chunk_end(block, chunk), THIN) ||
                  chunk_is_good(f->mesh, block, chunk, &vertices);
  for (hk_count chunk = 0; chunk < chunks; chunk++)
    for (hk_count e = chunk * CHUNK; !good[chunk] && e < chunk_end(block, chunk); e++)
      HK_TRY(judge_element(f, block, e, &vertices, &points));
cleanup:
  hk_free(&good);
  return status;
}

/* Face sets follow the elements that were turned. */
static hk_status turn_sets(const finisher *f)
{
  for (int s = 0; s < f->mesh->set_count; s++) {
    const hk_set *set = &f->mesh->set[s];
    for (hk_count i = 0; set->face && i < set->count; i++) {
      if (!f->is_turned[set->item[i]]) continue;
      const hk_block *block = hk_mesh_block_of(f->mesh, set->item[i]);
      set->face[i] = (uint8_t)(hk_element_of(block->shape)->faces - 1 - set->face[i]);
    }
  }
  return hk_mesh_order_sets(f->mesh);
}

static hk_status check_elements(finisher *f)
{

  for (int b = 0; b < f->mesh->block_count; b++) HK_PASS(judge_block(f, &f->mesh->block[b]));
  if (f->turned) {
    HK_PASS(turn_sets(f));
    SAY(f, HK_WARNING,
        "%lld elements are numbered clockwise (first: element %lld); hooke reversed them",
        (long long)f->turned, (long long)hk_mesh_element_label(f->mesh, f->first_turned));
  }
  if (f->corner)
    SAY(f, HK_WARNING,
        "%lld elements are folded at a corner (first: element %lld, Jacobian %.3g there) but at no "
        "integration point: hooke computes them, less accurately than others",
        (long long)f->corner, (long long)hk_mesh_element_label(f->mesh, f->first_corner),
        f->corner_det);
  const hk_count refused = f->inverted + f->zero + f->shut;
  if (f->inverted == f->mesh->element_count && refused > 1)
    SAY(f, HK_ERROR,
        "all %lld elements are inverted, as in a mirror image of the mesh: exchange two "
        "coordinates "
        "or change the sign of one",
        (long long)refused);
  if (refused > MOST_LISTED)
    SAY(f, HK_ERROR,
        "%lld inverted or folded and %lld zero-volume elements, %lld with two nodes in one place; "
        "the first %d are listed",
        (long long)f->inverted, (long long)f->zero, (long long)f->shut, MOST_LISTED);
  HK_NEED(refused == 0, HK_BAD_INPUT,
          "%s: %lld inverted or folded and %lld zero-volume elements, %lld with two nodes in one "
          "place; the first: %s",
          f->path, (long long)f->inverted, (long long)f->zero, (long long)f->shut, hk_error());
  return HK_OK;
}

static hk_status warn_of_parts(const finisher *f)
{
  hk_connection c;

  HK_PASS(hk_mesh_connect(f->mesh, &c));
  if (c.orphans)
    SAY(f, HK_WARNING,
        "%lld nodes belong to no element (first: node %lld): they have no mass, and "
        "only equations can move them",
        (long long)c.orphans, (long long)hk_mesh_node_label(f->mesh, c.first_orphan));
  if (c.parts > 1)
    SAY(f, HK_WARNING,
        "the mesh has %lld parts that share no node: only equations and springs join "
        "them; merge the nodes at the joints if this is not intended",
        (long long)c.parts);
  return HK_OK;
}

/* Their stiffness and mass would count twice. */
static hk_status refuse_twice(const finisher *f)
{
  hk_status status = HK_OK;
  hk_count count;
  hk_index pair[2] = {0, 0};
  if (f->made) return HK_OK;
  HK_TRY(hk_mesh_find_twice(f->mesh, &count, pair));
  if (!count) goto cleanup;
  status = hk_error_set(HK_BAD_INPUT,
                        "%lld elements occur twice (first: element %lld has the nodes of element "
                        "%lld): their stiffness and mass would count twice; remove them",
                        (long long)count, (long long)hk_mesh_element_label(f->mesh, pair[1]),
                        (long long)hk_mesh_element_label(f->mesh, pair[0]));
  SAY(f, HK_ERROR, "%s", hk_error());
cleanup:
  return status;
}

static hk_status finish(hk_mesh *mesh, bool made, const char *path, hk_messages *list)
{
  hk_status status = HK_OK, elements;
  finisher f = {.mesh = mesh, .made = made, .path = path, .list = list};

  HK_TRY(check_blocks(&f));
  HK_TRY(check_coordinates(&f));
  elements = check_elements(&f);
  status = hk_mesh_index_labels(mesh);
  if (status == HK_BAD_INPUT) hk_messages_add(list, HK_ERROR, path, 0, 0, "%s", hk_error());
  if (status != HK_OK) goto cleanup;
  HK_TRY(elements);
  HK_TRY(refuse_twice(&f));
  HK_TRY(warn_of_parts(&f));
cleanup:
  hk_free(&f.is_turned);
  return status;
}

hk_status hk_mesh_finish(hk_mesh *mesh, const char *path, hk_messages *list)
{
  const int before = hk_clock_begin("checks");
  const hk_status status = finish(mesh, false, path, list);
  hk_clock_end(before);
  return status;
}

hk_status hk_mesh_finish_made(hk_mesh *mesh, const char *path, hk_messages *list)
{
  const int before = hk_clock_begin("checks");
  const hk_status status = finish(mesh, true, path, list);
  hk_clock_end(before);
  return status;
}

hk_status hk_mesh_finish_moved(hk_mesh *mesh, const char *path, hk_messages *list)
{
  hk_status status = HK_OK;
  finisher f = {.mesh = mesh, .path = path, .list = list};
  HK_TRY(check_coordinates(&f));
  HK_TRY(check_elements(&f));
  HK_CHECK(f.turned == 0 || f.turned == mesh->element_count, HK_BAD_INPUT,
           "the mesh is folded: %lld of its %lld elements are reversed (first: element %lld)",
           (long long)f.turned, (long long)mesh->element_count,
           (long long)hk_mesh_element_label(mesh, f.first_turned));
cleanup:
  hk_free(&f.is_turned);
  return status;
}
