/* Springs of cracks, k_i = integral N_i (k_t I + (k_n - k_t) n n^T) dA (W.22), face by face: by the rule at the nodes for quadrilaterals of order p and
 * lines, else by the face's quadrature, with N_i^2 scaled to the area where an integral of N_i is not positive. Shares of faces are then
 * summed by pair of nodes, in a fixed order. */
#include "load/springs.h"
#include "element/face.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair of nodes, as one face sees it. */
typedef struct share {
  hk_index node[2];
  hk_count number;           /* order of finding: sums are reproducible */
  double normal[3], k[3][3]; /* a mean normal out of the side of node[0]; k_i */
} share;

typedef struct finder {
  const hk_springs_desc *desc;
  hk_face_rule *rule; /* of the face before */
  share *share;
  hk_count count, room;
} finder;

/* A face with what is found at its nodes: the spring, and a mean normal. */
typedef struct sums {
  const hk_element *element;
  const hk_element_face *face;
  double x[3 * HK_MOST_FACE_NODES];
  double k[HK_MOST_FACE_NODES][3][3], normal[HK_MOST_FACE_NODES][3];
} sums;

/* Adds the share w of node n, where the normal times dA / d(xi) is given. */
static void add_point(const hk_springs_desc *desc, sums *s, int n, double w, const double normal[3])
{
  const double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]),
               along = (desc->normal - desc->tangential) / (area > 0 ? area : 1);
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++)
      s->k[n][c][d] += w * (along * normal[c] * normal[d] + (c == d) * desc->tangential * area);
}

static void add_normal(sums *s, int n, double w, const double normal[3])
{
  for (int c = 0; c < 3; c++) s->normal[n][c] += w * normal[c];
}

/* At the nodes of the face, the points of its own rule. */
static void add_at_nodes(const hk_springs_desc *desc, hk_face_rule *rule, sums *s)
{
  double area[HK_MOST_FACE_NODES][3];
  hk_face_rule_find(s->element, s->face, rule);
  hk_face_areas(rule, s->x, area);
  for (int n = 0; n < s->face->nodes; n++) {
    add_point(desc, s, n, 1, area[n]);
    add_normal(s, n, 1, area[n]);
  }
}

/* own[nodes], squares: integrals of N_i and of the sum of N_i^2; returns the face's area. */
static double measure(const sums *s, double *own, double *squares)
{
  double n[HK_MOST_FACE_NODES], normal[3], area = 0;
  *squares = 0;
  for (int i = 0; i < s->face->nodes; i++) own[i] = 0;
  for (int q = 0; q < hk_face_points(s->element, s->face, false); q++) {
    const double w = hk_face_point(s->element, s->face, false, q, s->x, n, normal),
                 dA = w *
                      sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    area += dA;
    for (int i = 0; i < s->face->nodes; i++) own[i] += n[i] * dA, *squares += n[i] * n[i] * dA;
  }
  return area;
}

/* By the face's own quadrature: of N_i; of N_i^2 to the same sum where the integral of some N_i is zero or below (vertices of quad8 and of
 * triangles of order 2, 4 and 6). */
static void add_by_rule(const hk_springs_desc *desc, sums *s)
{
  const double least = 1e-6; /* of the area; least of those above zero: 2e-3 */
  double n[HK_MOST_FACE_NODES], own[HK_MOST_FACE_NODES], normal[3], squares;
  const double area = measure(s, own, &squares);
  bool positive = true;
  for (int i = 0; i < s->face->nodes; i++) positive = positive && own[i] > least * area;
  for (int q = 0; q < hk_face_points(s->element, s->face, false); q++) {
    const double w = hk_face_point(s->element, s->face, false, q, s->x, n, normal);
    for (int i = 0; i < s->face->nodes; i++) {
      add_point(desc, s, i, w * (positive ? n[i] : n[i] * n[i] * area / squares), normal);
      add_normal(s, i, w * n[i] * n[i], normal);
    }
  }
}

static void integrate(finder *f, sums *s)
{
  const hk_element *of = s->element->dim == 2 ? s->element : hk_element_of(s->face->shape);
  if (of->lattice && of->vertices == 4)
    add_at_nodes(f->desc, f->rule, s);
  else
    add_by_rule(f->desc, s);
}

static hk_index origin_of(const hk_springs_desc *desc, hk_index node)
{
  return node < desc->before ? node : desc->origin[node - desc->before];
}

/* The nodes of the far side of a face: what was one with the n-th node of the near side. */
static hk_index partner_of(const hk_springs_desc *desc, const hk_element_face *face,
                           const hk_index *node, hk_index near)
{
  const hk_index was = origin_of(desc, near);
  for (int m = 0; m < face->nodes; m++)
    if (origin_of(desc, node[face->node[m]]) == was) return node[face->node[m]];
  return near;
}

static hk_status add_face(finder *f, const hk_crack_face *pair)
{
  const hk_springs_desc *desc = f->desc;
  const hk_mesh *mesh = desc->mesh;
  const hk_index *near = hk_mesh_nodes_of(mesh, pair->element[0]),
                 *far = hk_mesh_nodes_of(mesh, pair->element[1]);
  const hk_element *other = hk_element_of(hk_mesh_block_of(mesh, pair->element[1])->shape);
  sums s = {.element = hk_element_of(hk_mesh_block_of(mesh, pair->element[0])->shape)};
  s.face = &s.element->face[pair->face[0]];
  for (int n = 0; n < s.face->nodes; n++)
    for (int c = 0; c < mesh->dim; c++)
      s.x[n * mesh->dim + c] = mesh->x[(hk_count)near[s.face->node[n]] * mesh->dim + c];
  integrate(f, &s);
  HK_PASS(hk_reserve(&f->share, f->count + s.face->nodes, &f->room));
  for (int n = 0; n < s.face->nodes; n++) {
    const hk_index a = near[s.face->node[n]],
                   b = partner_of(desc, &other->face[pair->face[1]], far, a);
    share *to = &f->share[f->count];
    if (a == b) continue;
    *to = (share){.node = {a < b ? a : b, a < b ? b : a}, .number = f->count};
    memcpy(to->k, s.k[n], sizeof to->k);
    for (int c = 0; c < 3; c++) to->normal[c] = a < b ? s.normal[n][c] : -s.normal[n][c];
    f->count++;
  }
  return HK_OK;
}

static int by_nodes(const void *p, const void *q)
{
  const share *a = p, *b = q;
  for (int s = 0; s < 2; s++)
    if (a->node[s] != b->node[s]) return a->node[s] < b->node[s] ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static void finish(const hk_springs_desc *desc, const double normal[3], hk_spring *spring)
{
  const double thickness = desc->mesh->dim == 2 ? desc->thickness : 1,
               square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
  for (int c = 0; c < 3; c++)
    for (int d = 0; d < 3; d++)
      spring->k[c][d] = desc->per_node ? (c == d) * desc->tangential +
                                             (desc->normal - desc->tangential) * normal[c] *
                                                 normal[d] / (square > 0 ? square : 1)
                                       : thickness * spring->k[c][d];
}

hk_status hk_springs_add(const hk_springs_desc *desc, hk_count *springs, hk_spring **spring)
{
  hk_status status = HK_OK;
  finder f = {.desc = desc};
  hk_count at = *springs;
  HK_TRY(hk_new(&f.rule));
  for (hk_count k = 0; k < desc->count; k++) HK_TRY(add_face(&f, &desc->face[k]));
  if (f.count) qsort(f.share, (size_t)f.count, sizeof *f.share, by_nodes);
  HK_TRY(hk_resize(spring, at + f.count));
  for (hk_count first = 0, end; first < f.count; first = end, at++) {
    const share *own = &f.share[first];
    hk_spring *to = &(*spring)[at];
    double normal[3] = {0};
    *to = (hk_spring){.node = {own->node[0], own->node[1]}};
    for (end = first; end < f.count && f.share[end].node[0] == own->node[0] &&
                      f.share[end].node[1] == own->node[1];
         end++)
      for (int c = 0; c < 3; c++) {
        normal[c] += f.share[end].normal[c];
        for (int d = 0; d < 3; d++) to->k[c][d] += f.share[end].k[c][d];
      }
    finish(desc, normal, to);
  }
  *springs = at;
cleanup:
  hk_free(&f.rule);
  hk_free(&f.share);
  return status;
}
