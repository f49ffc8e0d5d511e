/* Dashpots of faces that absorb, C_n = sum over faces of Z area_n (W.17): faces are checked to lie on the boundary, integrated by hk_face_rule at
 * their nodes (quad8, whose vertices have less than nothing: in proportion to int N^2), with Z the impedance of the region along the normal at
 * that place. hk_stacey_reflection gives the reflection of plane waves at an angle, for warnings. */
#include "load/absorb/stacey.h"
#include "element/face.h"
#include "element/gll.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct one_face { /* of domain, element, face of the element */
  int domain, face;
  hk_index element;
} one_face;

static int by_face(const void *a, const void *b)
{
  const one_face *p = a, *q = b;
  if (p->element != q->element) return p->element < q->element ? -1 : 1;
  return p->face - q->face;
}

/* The faces of all domains, each once, ascending. */
static hk_status list_faces(int domains, const hk_load_domain *domain, one_face **out,
                            hk_count *count)
{
  one_face *list = NULL;
  hk_count all = 0, kept = 0;
  for (int k = 0; k < domains; k++) all += domain[k].count;
  HK_PASS(hk_get(&list, all));
  for (int k = 0; k < domains; k++)
    for (hk_count i = 0; i < domain[k].count; i++)
      list[kept++] = (one_face){k, domain[k].face[i], domain[k].element[i]};
  if (all) qsort(list, (size_t)all, sizeof *list, by_face);
  kept = 0;
  for (hk_count i = 0; i < all; i++)
    if (!i || by_face(&list[i], &list[i - 1])) list[kept++] = list[i];
  *out = list, *count = kept;
  return HK_OK;
}

static hk_status check_boundary(const hk_mesh *mesh, hk_count count, const one_face *list)
{
  hk_status status = HK_OK;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  hk_count faces, at = 0;
  HK_TRY(hk_mesh_boundary(mesh, &faces, &element, &face)); /* ascending, as the list */
  for (hk_count i = 0; i < count; i++, at++) {
    while (at < faces && (element[at] < list[i].element ||
                          (element[at] == list[i].element && face[at] < list[i].face)))
      at++;
    HK_CHECK(
        at < faces && element[at] == list[i].element && face[at] == list[i].face, HK_BAD_INPUT,
        "face %d of element %lld lies inside the body: kind stacey needs faces of its boundary",
        list[i].face + 1, (long long)hk_mesh_element_label(mesh, list[i].element));
  }
cleanup:
  hk_free(&element);
  hk_free(&face);
  return status;
}

typedef struct builder {
  const hk_space *space;
  const hk_mesh *mesh;
  const bool *without;
  hk_index *place; /* place[padded]: of an internal node in the dashpots, + 1; 0: not there */
  hk_face_rule *rule;
  double normal[3], z[9]; /* impedance of region `known` at that normal */
  const hk_region *known;
  hk_dashpots *dashpots;
} builder;

static const hk_element_face *face_of(const builder *b, const one_face *f)
{
  return &hk_element_of(hk_mesh_block_of(b->mesh, f->element)->shape)->face[f->face];
}

/* The nodes, ascending, and their places. */
static hk_status find_nodes(builder *b, hk_count count, const one_face *list)
{
  hk_dashpots *d = b->dashpots;
  HK_PASS(hk_get(&b->place, b->space->padded));
  for (hk_count i = 0; i < count; i++) {
    const hk_element_face *face = face_of(b, &list[i]);
    const hk_index *node = hk_mesh_nodes_of(b->mesh, list[i].element);
    for (int k = 0; k < face->nodes; k++)
      b->place[b->space->node[node[face->node[k]]]] =
          !b->without || !b->without[node[face->node[k]]];
  }
  for (hk_index i = 0; i < b->space->padded; i++) d->count += b->place[i];
  HK_PASS(hk_get(&d->node, d->count));
  d->count = 0;
  for (hk_index i = 0; i < b->space->padded; i++)
    if (b->place[i]) d->node[d->count++] = i, b->place[i] = d->count;
  return HK_OK;
}

/* The impedance per area of a region along n at x; faces mostly go on as the one before. */
static const double *impedance(builder *b, const hk_region *region, const double *x,
                               const double n[3])
{
  const int dim = b->mesh->dim;
  hk_region here;
  if (region == b->known && n[0] == b->normal[0] && n[1] == b->normal[1] && n[2] == b->normal[2])
    return b->z;
  double at[3] = {x[0], x[1], dim == 3 ? x[2] : 0};
  hk_region_at(region, at, &here);
  here.thickness = 1;
  hk_region_impedance(&here, dim, n, b->z);
  b->known = region->varies ? NULL : region;
  memcpy(b->normal, n, sizeof b->normal);
  return b->z;
}

/* Weights in proportion to int N_n^2 with the same sum: positive for every shape, as the masses of such elements (W.4). */
static void weigh_by_squares(const hk_element *face, hk_face_rule *rule)
{
  double n[HK_MOST_FACE_NODES], area = 0, squares = 0;
  for (int k = 0; k < rule->nodes; k++) area += rule->weight[k], rule->weight[k] = 0;
  for (int q = 0; q < face->mass.points; q++) {
    hk_element_functions(face, face->mass.point[q], n, NULL);
    for (int k = 0; k < rule->nodes; k++) {
      rule->weight[k] += face->mass.weight[q] * n[k] * n[k];
      squares += face->mass.weight[q] * n[k] * n[k];
    }
  }
  for (int k = 0; k < rule->nodes; k++) rule->weight[k] *= area / squares;
}

/* Vertices of tri6 keep their share, nothing: waves at normal incidence meet the force that the elements exert. */
static void find_rule(builder *b, const one_face *f)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(b->mesh, f->element)->shape);
  const hk_element_face *face = &element->face[f->face];
  double least = 0;
  if (b->rule->face == face) return;
  hk_face_rule_find(element, face, b->rule);
  for (int k = 0; k < b->rule->nodes; k++) {
    if (fabs(b->rule->weight[k]) < 1e-12) b->rule->weight[k] = 0;
    least = fmin(least, b->rule->weight[k]);
  }
  if (least < 0) weigh_by_squares(hk_element_of(face->shape), b->rule);
}

/* The depth normal to the plane of a 2D mesh at node k of a face at x[nodes][2]: the thickness, or the circumference, so that linear edges have the integral of
 * N_k 2 pi r, which goes with their lumped masses; at an end on the axis with a weight of (S.16) the circumference per length of the line. */
static double thickness_at(const builder *b, const hk_region *region, const double *x, int k)
{
  const hk_element_face *face = b->rule->face;
  const int nodes = b->rule->nodes;
  double slope = 0;
  if (b->mesh->dim == 3) return 1;
  if (region->plane != HK_AXISYMMETRIC) return region->thickness;
  if (face->axis && k == (face->axis == HK_AXIS_LAST)) {
    for (int n = 0; n < nodes; n++) slope += b->rule->dn[k * nodes + n] * x[2 * n];
    return 2 * M_PI * fabs(slope);
  }
  return 2 * M_PI * (nodes > 2 ? x[2 * k] : (2 * x[2 * k] + x[2 * (1 - k)]) / 3);
}

static void add_face(builder *b, const hk_region *region, const one_face *f)
{
  const int dim = b->mesh->dim;
  const hk_element_face *face = face_of(b, f);
  const hk_index *node = hk_mesh_nodes_of(b->mesh, f->element);
  double x[3 * HK_MOST_FACE_NODES], area[HK_MOST_FACE_NODES][3];
  find_rule(b, f);
  for (int k = 0; k < face->nodes; k++)
    memcpy(x + k * dim, b->mesh->x + (hk_count)node[face->node[k]] * dim, (size_t)dim * sizeof *x);
  hk_face_areas(b->rule, x, area);
  const int block = b->space->components * b->space->components;
  for (int k = 0; k < face->nodes; k++) {
    double *a = area[k];
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]),
                 size = length * thickness_at(b, region, x, k);
    const hk_index place = b->place[b->space->node[node[face->node[k]]]] - 1;
    if (!(size > 0) || place < 0) continue;
    double *c = b->dashpots->c + (hk_count)place * block;
    if (hk_region_is_scalar(region)) {
      const hk_scalar_wave wave = hk_region_scalar_wave(region);
      c[0] += size * sqrt(wave.stiffness * wave.inertia);
      continue;
    }
    const double n[3] = {a[0] / length, a[1] / length, a[2] / length};
    const double *z = impedance(b, region, x + k * dim, n);
    for (int i = 0; i < block; i++) c[i] += size * z[i];
  }
}

hk_status hk_stacey_create(const hk_space *space, int domains, const hk_load_domain *domain,
                           const bool *without, hk_dashpots *out)
{
  hk_status status = HK_OK;
  hk_dashpots dashpots = {0};
  builder b = {.space = space, .mesh = domain->mesh, .without = without, .dashpots = &dashpots};
  one_face *list = NULL;
  hk_count count;
  HK_TRY(list_faces(domains, domain, &list, &count));
  HK_TRY(check_boundary(b.mesh, count, list));
  HK_TRY(find_nodes(&b, count, list));
  HK_TRY(hk_get(&dashpots.c, (hk_count)dashpots.count * space->components * space->components));
  HK_TRY(hk_new(&b.rule));
  for (hk_count i = 0; i < count; i++) {
    const hk_load_domain *d = &domain[list[i].domain];
    add_face(&b, d->region + d->element_region[list[i].element], &list[i]);
  }
  *out = dashpots, dashpots = (hk_dashpots){0};
cleanup:
  hk_free(&list);
  hk_free(&b.place);
  hk_free(&b.rule);
  hk_dashpots_clear(&dashpots);
  return status;
}

double hk_stacey_fluid_reflection(double angle)
{
  const double r = (1 - cos(angle)) / (1 + cos(angle));
  return r * r;
}

/* A plane wave exp(i w (s . x - t)) with slowness s and polarisation a of length 1 (complex where it fades), in a body of density 1. */
typedef struct plane_wave {
  double complex s[2], a[2];
} plane_wave;

/* Towards +x or -x with the slowness sy along the face. */
static plane_wave wave_along(double speed, hk_stacey_wave kind, double sy, int towards)
{
  const double complex sx = towards * csqrt((double complex)(1 / (speed * speed) - sy * sy));
  const double complex along = speed * sx, across = speed * sy;
  if (kind == HK_STACEY_P) return (plane_wave){{sx, sy}, {along, across}};
  return (plane_wave){{sx, sy}, {-across, along}};
}

/* (t + Z v) / (i w) on the face x = 0 with the normal +x. */
static void residual(double p, double s, const plane_wave *w, double complex r[2])
{
  const double mu = s * s, lambda = p * p - 2 * mu;
  const double complex spread = w->a[0] * w->s[0] + w->a[1] * w->s[1];
  r[0] = lambda * spread + 2 * mu * w->a[0] * w->s[0] - p * w->a[0];
  r[1] = mu * (w->a[1] * w->s[0] + w->a[0] * w->s[1]) - s * w->a[1];
}

double hk_stacey_reflection(double p_speed, double s_speed, hk_stacey_wave wave, double angle)
{
  const double speed = wave == HK_STACEY_P ? p_speed : s_speed, sy = sin(angle) / speed;
  const plane_wave in = wave_along(speed, wave, sy, 1),
                   p = wave_along(p_speed, HK_STACEY_P, sy, -1),
                   s = wave_along(s_speed, HK_STACEY_S, sy, -1);
  double complex r[2], a[2], b[2];
  residual(p_speed, s_speed, &in, r);
  residual(p_speed, s_speed, &p, a);
  residual(p_speed, s_speed, &s, b);
  const double complex det = a[0] * b[1] - a[1] * b[0];
  const double complex rp = (b[0] * r[1] - b[1] * r[0]) / det,
                       rs = (a[1] * r[0] - a[0] * r[1]) / det;
  /* energy flows with rho c^2 s_x |amplitude|^2 */
  const double flow = speed * speed * creal(in.s[0]), of_p = -p_speed * p_speed * creal(p.s[0]),
               of_s = -s_speed * s_speed * creal(s.s[0]);
  return (creal(rp * conj(rp)) * of_p + creal(rs * conj(rs)) * of_s) / flow;
}
