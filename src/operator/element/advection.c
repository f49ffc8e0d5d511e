/* Integrals of carried heat point by point (advection.h): gradients, the coefficients of the region at the point, tau, and for each shape function
 * its derivative along the stream and its residual. div(k g_m) is the divergence of sum over nodes a of N_a k(x_a) g_m(x_a), which is zero for
 * linear simplices of one conductivity and left out where an element is folded at a node. */
#include "operator/element/advection.h"
#include "operator/element/integrand.h"
#include "operator/element/lumped.h"
#include <math.h>
#include <string.h>

typedef struct stream {
  const hk_region *region;
  hk_integrand f;
  bool bends;                                        /* flux is filled */
  double flux[HK_LISTED_NODES][HK_LISTED_NODES * 3]; /* flux[a][m, c] = (k g_m)_c at node a */
} stream;

typedef struct point {
  const double *shape;
  double w, beta, tau, peclet;
  double at[3], law[9], g[3 * HK_LISTED_NODES];
  /* a . g_m; with beta N_m - div(k g_m) */
  double along[HK_LISTED_NODES], residual[HK_LISTED_NODES];
} point;

static void find_flux(stream *s)
{
  const hk_element *e = s->f.element;
  const int dim = e->dim, nodes = e->nodes;
  double g[3 * HK_LISTED_NODES], law[9], at[3] = {0};
  hk_region there = *s->region;
  s->bends = s->region->material.advection.stabilisation != HK_STABILISATION_NONE &&
             !(e->simplex && e->order == 1 && !s->region->varies);
  for (int a = 0; a < nodes && s->bends; a++) {
    memcpy(at, s->f.x + a * dim, (size_t)dim * sizeof *at);
    if (s->region->varies) hk_region_at(s->region, at, &there);
    hk_region_conductivity(&there, dim, law);
    s->bends = hk_element_physical(e, e->reference[a], s->f.x, g) > 0;
    for (int m = 0; m < nodes; m++)
      for (int c = 0; c < dim; c++) {
        s->flux[a][m * dim + c] = 0;
        for (int d = 0; d < dim; d++) s->flux[a][m * dim + c] += law[c * dim + d] * g[m * dim + d];
      }
  }
}

static void begin(const hk_region *region, const hk_element *element, const double *x, stream *s)
{
  const hk_integration integration = hk_conduction_integration(element, region);
  s->region = region;
  s->f = (hk_integrand){.element = element,
                        .x = x,
                        .rule = hk_element_rule(element, integration),
                        .integration = integration,
                        .functions = element->nodes};
  find_flux(s);
}

/* (A.31) */
static double find_tau(hk_stabilisation word, double speed, double h, double beta, double peclet)
{
  if (word == HK_STABILISATION_NONE || !(speed > 0)) return 0;
  if (word == HK_STABILISATION_AUTO && peclet <= 1) return 0;
  const double upwind = peclet < 1e-3 ? peclet / 3 : 1 / tanh(peclet) - 1 / peclet;
  return 1 / (2 * speed / (h * upwind) + beta);
}

/* Speed, and k_a along it. */
static double speed_of(int dim, const double *a, const double *law, double *along)
{
  double sum = 0, flux = 0;
  for (int c = 0; c < dim; c++) {
    sum += a[c] * a[c];
    for (int d = 0; d < dim; d++) flux += a[c] * law[c * dim + d] * a[d];
  }
  *along = sum > 0 ? flux / sum : 0;
  return sqrt(sum);
}

/* False where the element is folded. */
static bool find_point(const stream *s, int q, hk_values *values, point *p)
{
  const hk_element *e = s->f.element;
  const int dim = e->dim, nodes = e->nodes;
  const double thickness = dim == 2 ? s->region->thickness : 1;
  hk_region there = *s->region;
  double a[3] = {0}, sum = 0, conductivity;
  p->w = hk_integrand_gradients(&s->f, q, p->g);
  if (!(p->w > 0)) return false;
  p->shape = hk_element_n(e, s->f.integration, q, values);
  hk_integrand_place(&s->f, q, p->at);
  if (s->region->varies) hk_region_at(s->region, p->at, &there);
  const hk_material *m = &there.material;
  hk_region_conductivity(&there, dim, p->law);
  p->beta = m->reaction * thickness;
  for (int c = 0; c < dim; c++)
    a[c] = m->density * m->specific_heat * m->advection.velocity[c] * thickness;
  for (int n = 0; n < nodes; n++) {
    p->along[n] = 0;
    for (int c = 0; c < dim; c++) p->along[n] += a[c] * p->g[n * dim + c];
    sum += fabs(p->along[n]);
  }
  const double speed = speed_of(dim, a, p->law, &conductivity), h = speed > 0 ? 2 * speed / sum : 0;
  p->peclet = speed > 0 ? speed * h / (2 * conductivity) : 0;
  p->tau = find_tau(m->advection.stabilisation, speed, h, p->beta, p->peclet);
  for (int n = 0; n < nodes; n++) {
    p->residual[n] = p->along[n] + p->beta * p->shape[n];
    for (int b = 0; s->bends && p->tau > 0 && b < nodes; b++)
      for (int c = 0; c < dim; c++) p->residual[n] -= s->flux[b][n * dim + c] * p->g[b * dim + c];
  }
  return true;
}

static void add_point(int dim, int nodes, const point *p, double *k)
{
  for (int m = 0; m < nodes; m++) {
    const double carried = p->w * (p->along[m] + p->beta * p->shape[m]),
                 left = p->w * p->tau * p->residual[m];
    double flux[3];
    for (int c = 0; c < dim; c++) {
      flux[c] = 0;
      for (int d = 0; d < dim; d++) flux[c] += p->w * p->law[c * dim + d] * p->g[m * dim + d];
    }
    for (int n = 0; n < nodes; n++) {
      k[n * nodes + m] += p->shape[n] * carried + p->along[n] * left;
      for (int c = 0; c < dim; c++) k[n * nodes + m] += p->g[n * dim + c] * flux[c];
    }
  }
}

double hk_element_advect(const hk_region *region, const hk_element *element, const double *x,
                         double *k)
{
  stream s;
  point p;
  hk_values values;
  double volume = 0;
  begin(region, element, x, &s);
  memset(k, 0, (size_t)(element->nodes * element->nodes) * sizeof *k);
  for (int q = 0; q < s.f.rule->points; q++) {
    if (!find_point(&s, q, &values, &p)) return -1;
    volume += p.w;
    add_point(element->dim, element->nodes, &p, k);
  }
  return volume;
}

void hk_element_carry(const hk_region *region, const hk_element *element, const double *x,
                      const double *t, double *heat)
{
  const int nodes = element->nodes;
  stream s;
  point p;
  hk_values values;
  if (!region->material.advection.flows) return;
  begin(region, element, x, &s);
  for (int q = 0; q < s.f.rule->points && find_point(&s, q, &values, &p); q++) {
    double carried = 0, left = 0;
    for (int m = 0; m < nodes; m++) {
      carried += p.along[m] * t[m];
      left += p.tau * p.residual[m] * t[m];
    }
    for (int n = 0; n < nodes; n++) heat[n] += p.w * (p.shape[n] * carried + p.along[n] * left);
  }
}

void hk_element_carry_source(const hk_region *region, const hk_element *element, const double *x,
                             double amount, const hk_formula *by, double *f)
{
  const double thickness = element->dim == 2 ? region->thickness : 1;
  stream s;
  point p;
  hk_values values;
  if (!region->material.advection.flows) return;
  begin(region, element, x, &s);
  for (int q = 0; q < s.f.rule->points && find_point(&s, q, &values, &p); q++) {
    const double heat = amount * (by ? hk_formula_value(by, p.at) : 1) * thickness;
    for (int n = 0; n < element->nodes; n++) f[n] += p.w * p.tau * p.along[n] * heat;
  }
}

bool hk_advection_any(const hk_region *region, int count)
{
  for (int r = 0; r < count; r++)
    if (region[r].material.advection.flows) return true;
  return false;
}

void hk_advection_survey_find(const hk_mesh *mesh, const hk_region *region,
                              const hk_index *element_region, hk_advection_survey *out)
{
  double x[3 * HK_LISTED_NODES], peclet = 0;
  *out = (hk_advection_survey){0};
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_block *block = hk_mesh_block_of(mesh, e);
    const hk_element *element = hk_element_of(block->shape);
    const int r = element_region[e];
    bool stabilised = false;
    stream s;
    point p;
    hk_values values;
    if (r < 0 || !region[r].material.advection.flows || block->nodes > HK_LISTED_NODES) continue;
    hk_element_gather(mesh, block, e - block->first, x);
    begin(&region[r], element, x, &s);
    for (int q = 0; q < s.f.rule->points && find_point(&s, q, &values, &p); q++) {
      stabilised = stabilised || p.tau > 0;
      peclet = fmax(peclet, p.peclet);
    }
    out->flowing++, out->stabilised += stabilised;
  }
  out->peclet = peclet;
}
