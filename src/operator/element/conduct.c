/* The matrix of an element that conducts heat (E.5): integral g^T k g, closed for linear simplices, plus reactions and capacities,
 * integral beta N^T N, lumped ones on the diagonal (E.12). Constants by temperature are taken at each point of quadrature. Heat that is stored in a
 * step follows the enthalpy H: its capacity is the chord (H(T1) - H(T0)) / (T1 - T0) (A.26), so that no heat is lost over a peak.
 * The tangent of Newton's method (A.25) adds dk/dT (grad T . g_n) N_m and d(beta)/dT T N_n N_m, and has the capacity dH/dT at T1. */
#include "operator/element/advection.h"
#include "operator/element/coupled.h"
#include "operator/element/element_matrix.h"
#include "operator/element/integrand.h"
#include "operator/element/ring.h"
#include "operator/element/simplex.h"
#include <string.h>

hk_integration hk_conduction_integration(const hk_element *element, const hk_region *region)
{
  const bool product = element->shape == HK_QUAD4 || element->shape == HK_HEX8;
  const hk_coupled *coupled = region->material.coupled;
  if (hk_material_reacts(&region->material) || region->material.advection.flows ||
      (coupled && !hk_coupled_diffuses(coupled)))
    return HK_INTEGRATION_MASS;
  return product ? HK_INTEGRATION_FULL : region->integration;
}

/* A point of quadrature: times the thickness (axisymmetric 2 pi r) where the laws are. */
typedef struct point {
  const double *shape;
  double w, at[3], g[3 * HK_MOST_NODES];
  double depth;                           /* that thickness */
  double t, law[9], beta, stored, lumped; /* temperature, k, reaction, capacities */
} point;

static hk_integrand conduction_of(const hk_region *region, const hk_element *element,
                                  const double *x)
{
  const hk_integration integration = hk_conduction_integration(element, region);
  return (hk_integrand){.element = element,
                        .x = x,
                        .rule = hk_element_rule(element, integration),
                        .integration = integration,
                        .functions = element->nodes};
}

/* The value of nodes where the functions have these values. */
static double interpolate(int nodes, const double *shape, const double *value)
{
  double here = 0;
  for (int n = 0; n < nodes; n++) here += shape[n] * value[n];
  return here;
}

/* Factor of the capacities at a point: the chord of the enthalpy between T0 and T1, of the tangent its slope at T1; steady that at T. */
static double capacity_at(const hk_region *region, const hk_warmth *warm, int nodes, const point *p)
{
  const hk_material *m = &region->material;
  if (!warm || !warm->before) return hk_material_capacity(m, p->at, p->t, p->t);
  const double before = interpolate(nodes, p->shape, warm->before),
               after = before + (p->t - before) / warm->theta;
  return hk_material_capacity(m, p->at, warm->tangent || warm->slope ? after : before, after);
}

/* The depth normal to the plane of a 2D element at point q; on the axis of a body of revolution its limit (S.17). */
static double depth_of(const hk_integrand *f, const hk_region *region, int q, const double *at)
{
  hk_values own;
  const bool ring = f->element->dim == 2 && region->plane == HK_AXISYMMETRIC;
  if (!ring || hk_ring_radius(f->element, f->x, at[0]) > 0)
    return hk_region_depth(region, f->element->dim, at);
  return hk_ring_depth(f->element, f->x, 0, hk_element_dn(f->element, f->integration, q, &own));
}

/* The laws at point q. False where the element is folded. */
static bool find_point(const hk_integrand *f, const hk_region *region, const hk_warmth *warm, int q,
                       hk_values *values, point *p)
{
  const int dim = f->element->dim, nodes = f->element->nodes;
  const hk_material *m = &region->material;
  hk_region there = *region;
  p->w = hk_integrand_gradients(f, q, p->g);
  if (!(p->w > 0)) return false;
  p->shape = hk_element_n(f->element, f->integration, q, values);
  memset(p->at, 0, sizeof p->at);
  p->t = warm ? interpolate(nodes, p->shape, warm->t) : 0;
  if (region->varies) {
    hk_integrand_place(f, q, p->at);
    hk_region_at_warm(region, p->at, p->t, &there);
  }
  p->depth = depth_of(f, region, q, p->at);
  if (dim == 2) there.thickness = p->depth;
  const double factor = warm ? hk_table_at(m->at[HK_AT_CONDUCTIVITY], p->t) : 1,
               capacity = m->stored > 0 || m->lumped > 0
                              ? p->depth * capacity_at(region, warm, nodes, p)
                              : 0;
  hk_region_conductivity(&there, dim, p->law);
  for (int i = 0; i < dim * dim; i++) p->law[i] *= factor;
  p->beta = p->depth * there.material.reaction;
  p->stored = capacity * m->stored, p->lumped = capacity * m->lumped;
  return true;
}

/* upper triangle of k += w g_n . law g_m */
static void add_flux(int dim, int nodes, const point *p, double *k)
{
  double flux[3];
  for (int n = 0; n < nodes; n++) {
    for (int c = 0; c < dim; c++) {
      flux[c] = 0;
      for (int d = 0; d < dim; d++) flux[c] += p->w * p->law[c * dim + d] * p->g[n * dim + d];
    }
    for (int m = n; m < nodes; m++)
      for (int c = 0; c < dim; c++) k[n * nodes + m] += flux[c] * p->g[m * dim + c];
  }
}

/* upper triangle of k += beta_w N_n N_m */
static void add_reaction(int nodes, double beta_w, const double *shape, double *k)
{
  for (int n = 0; n < nodes; n++)
    for (int m = n; m < nodes; m++) k[n * nodes + m] += beta_w * (shape[n] * shape[m]);
}

/* k[n][n] += heat M_nn / sum over m of M_mm, of the diagonal of M and the heat of all nodes */
static void add_lumped(int nodes, double heat, const double *diagonal, double *k)
{
  double sum = 0;
  for (int n = 0; n < nodes; n++) sum += diagonal[n];
  for (int n = 0; n < nodes; n++) k[n * nodes + n] += heat / sum * diagonal[n];
}

/* det V_1 / det^2 g_n . law g_m, g the cofactors; the volume. */
static double conduct_simplex(const hk_element *element, const double *law, const double *x,
                              double *k)
{
  const int dim = element->dim, nodes = dim + 1;
  double g[12], flux[3];
  const double det = dim == 3 ? hk_simplex_cofactors(3, x, g) : hk_simplex_cofactors(2, x, g),
               scale = element->volume / det;
  for (int n = 0; n < nodes; n++) {
    for (int c = 0; c < dim; c++) {
      flux[c] = 0;
      for (int d = 0; d < dim; d++) flux[c] += law[c * dim + d] * g[n * dim + d];
    }
    for (int m = n; m < nodes; m++) {
      double sum = 0;
      for (int c = 0; c < dim; c++) sum += flux[c] * g[m * dim + c];
      k[n * nodes + m] = k[m * nodes + n] = scale * sum;
    }
  }
  return element->volume * det;
}

/* Of point q, per unit of N_m: flux[dim] = dk/dT grad T, the derivative of beta T without beta. */
static double find_slopes(const hk_region *region, int dim, int nodes, const double *t,
                          const point *p, double flux[3])
{
  const hk_material *m = &region->material;
  double k[9], slope[3] = {0}, by_k = 0, by_beta = 0;
  const hk_formula *conductivity = m->by[HK_BY_CONDUCTIVITY], *reaction = m->by[HK_BY_REACTION];
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < dim; c++) slope[c] += t[n] * p->g[n * dim + c];
  if (conductivity) hk_formula_value_warm(conductivity, p->at, p->t, &by_k);
  if (reaction) hk_formula_value_warm(reaction, p->at, p->t, &by_beta);
  const double factor = hk_table_at(m->at[HK_AT_CONDUCTIVITY], p->t);
  const double steep = hk_table_slope(m->at[HK_AT_CONDUCTIVITY], p->t) / factor;
  memcpy(k, p->law, sizeof k);
  for (int c = 0; c < dim; c++) {
    flux[c] = p->depth * by_k * slope[c];
    for (int d = 0; d < dim; d++) flux[c] += steep * k[c * dim + d] * slope[d];
  }
  return p->depth * by_beta * p->t;
}

/* k += w (g_n . dk/dT grad T + dbeta/dT T N_n) N_m, unsymmetric (A.25) */
static void add_slopes(const hk_region *region, int dim, int nodes, const double *t, const point *p,
                       double *k)
{
  double flux[3];
  const double beta = find_slopes(region, dim, nodes, t, p, flux);
  for (int n = 0; n < nodes; n++) {
    double row = beta * p->shape[n];
    for (int c = 0; c < dim; c++) row += p->g[n * dim + c] * flux[c];
    for (int m = 0; m < nodes; m++) k[n * nodes + m] += p->w * row * p->shape[m];
  }
}

/* The lower triangle of the symmetric part as the upper one, before what is not symmetric. */
static void mirror(int nodes, double *k)
{
  for (int n = 0; n < nodes; n++)
    for (int m = 0; m < n; m++) k[n * nodes + m] = k[m * nodes + n];
}

static double tangent_of(const hk_integrand *f, const hk_region *region, const hk_warmth *warm,
                         double *k)
{
  const int dim = f->element->dim, nodes = f->element->nodes;
  point p;
  hk_values values;
  for (int q = 0; q < f->rule->points; q++) {
    if (!find_point(f, region, warm, q, &values, &p)) return -1;
    add_slopes(region, dim, nodes, warm->t, &p, k);
  }
  return 1;
}

double hk_element_conduct(const hk_region *region, const hk_element *element, const double *x,
                          const hk_warmth *warm, double *k)
{
  const int nodes = element->nodes;
  const hk_integrand f = conduction_of(region, element, x);
  const bool reacts = hk_material_reacts(&region->material);
  double volume = 0, heat = 0, law[9], diagonal[HK_MOST_NODES] = {0};
  point p;
  hk_values values;
  if (region->material.coupled) return hk_element_couple(region, element, x, k);
  if (region->material.advection.flows) return hk_element_advect(region, element, x, k);
  if (!hk_material_by_temperature(&region->material)) warm = NULL;
  if (element->simplex && element->order == 1 && !region->varies && !reacts && !warm) {
    hk_region_conductivity(region, element->dim, law);
    return conduct_simplex(element, law, x, k);
  }
  memset(k, 0, (size_t)(nodes * nodes) * sizeof *k);
  for (int q = 0; q < f.rule->points; q++) {
    if (!find_point(&f, region, warm, q, &values, &p)) return -1;
    volume += p.w;
    add_flux(element->dim, nodes, &p, k);
    if (!reacts) continue;
    add_reaction(nodes, p.w * (p.beta + p.stored), p.shape, k);
    heat += p.w * p.lumped;
    for (int n = 0; n < nodes; n++) diagonal[n] += p.w * p.lumped * p.shape[n] * p.shape[n];
  }
  if (region->material.lumped > 0) add_lumped(nodes, heat, diagonal, k);
  mirror(nodes, k);
  return warm && warm->tangent && !(tangent_of(&f, region, warm, k) > 0) ? -1 : volume;
}

void hk_element_react(const hk_region *region, const hk_element *element, const double *x,
                      const double *t, double *heat)
{
  const int nodes = element->nodes;
  const hk_integrand f = conduction_of(region, element, x);
  const hk_warmth warm = {.t = t};
  hk_values values;
  point p;
  if (!hk_material_reacts(&region->material)) return;
  for (int q = 0; q < f.rule->points && find_point(&f, region, &warm, q, &values, &p); q++)
    for (int n = 0; n < nodes; n++) heat[n] += p.w * p.beta * p.t * p.shape[n];
}
