/* K_e = integral B^T D B over an element, in double: integrand.h gives the gradients at the points, modes of incompatible elements are
 * eliminated (condense, (E.9)), hourglass stiffness is added. Heat: integral g^T k g, closed for linear simplices, plus
 * reactions integral beta N^T N. Results are [size][size] row by row, size = nodes * components, symmetric
 * unless the material moves (advection.h). */
#include "operator/element/element_matrix.h"
#include "operator/element/advection.h"
#include "operator/element/integrand.h"
#include "operator/element/simplex.h"
#include <string.h>

enum { MOST_CONDENSED = 3 * (8 + 3) }; /* of hex8 with modes */

double hk_element_stiffness(const hk_element *element, const double *x, const double *d, double *k)
{
  const hk_integrand f = {.element = element,
                          .x = x,
                          .rule = &element->full,
                          .integration = HK_INTEGRATION_FULL,
                          .functions = element->nodes,
                          .law = d};
  return hk_integrand_matrix(&f, k);
}

hk_integration hk_conduction_integration(const hk_element *element, const hk_region *region)
{
  const bool product = element->shape == HK_QUAD4 || element->shape == HK_HEX8;
  if (hk_material_reacts(&region->material) || region->material.advection.flows)
    return HK_INTEGRATION_MASS;
  return product ? HK_INTEGRATION_FULL : region->integration;
}

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

/* The region at point q with the temperature t, where it varies. */
static void find_there(const hk_integrand *f, const hk_region *region, int q, double t,
                       hk_region *there)
{
  double at[3];
  if (!region->varies) return;
  hk_integrand_place(f, q, at);
  hk_region_at_warm(region, at, t, there);
}

/* The temperature where the functions have these values. */
static double find_warmth(int nodes, const double *shape, const double *t)
{
  double here = 0;
  for (int n = 0; n < nodes; n++) here += shape[n] * t[n];
  return here;
}

/* upper triangle of k += w g_n . law g_m */
static void add_flux(int dim, int nodes, double w, const double *law, const double *g, double *k)
{
  double flux[3];
  for (int n = 0; n < nodes; n++) {
    for (int c = 0; c < dim; c++) {
      flux[c] = 0;
      for (int d = 0; d < dim; d++) flux[c] += w * law[c * dim + d] * g[n * dim + d];
    }
    for (int m = n; m < nodes; m++)
      for (int c = 0; c < dim; c++) k[n * nodes + m] += flux[c] * g[m * dim + c];
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

double hk_element_conduct(const hk_region *region, const hk_element *element, const double *x,
                          const hk_warmth *warm, double *k)
{
  const int dim = element->dim, nodes = element->nodes;
  const hk_integrand f = conduction_of(region, element, x);
  const hk_material *m = &region->material;
  const bool reacts = hk_material_reacts(m);
  const double thickness = dim == 2 ? region->thickness : 1;
  hk_region there = *region;
  double volume = 0, heat = 0, g[3 * HK_MOST_NODES], law[9], diagonal[HK_MOST_NODES] = {0};
  hk_values values;
  if (region->material.advection.flows) return hk_element_advect(region, element, x, k);
  hk_region_conductivity(region, dim, law);
  if (!hk_material_by_temperature(m)) warm = NULL;
  if (element->simplex && element->order == 1 && !region->varies && !reacts && !warm)
    return conduct_simplex(element, law, x, k);
  memset(k, 0, (size_t)(nodes * nodes) * sizeof *k);
  for (int q = 0; q < f.rule->points; q++) {
    const double w = hk_integrand_gradients(&f, q, g);
    if (!(w > 0)) return -1;
    const double *shape = hk_element_n(element, f.integration, q, &values);
    const double here = warm ? find_warmth(nodes, shape, warm->t) : 0,
                 wk = w * (warm ? hk_table_at(m->at[HK_AT_CONDUCTIVITY], here) : 1);
    find_there(&f, region, q, here, &there);
    if (region->varies) hk_region_conductivity(&there, dim, law);
    add_flux(dim, nodes, wk, law, g, k);
    volume += w;
    if (!reacts) continue;
    const double wc = w * (warm ? hk_table_at(m->at[HK_AT_SPECIFIC_HEAT], here) : 1),
                 lumped = wc * there.material.lumped;
    add_reaction(nodes, thickness * (w * there.material.reaction + wc * there.material.stored),
                 shape, k);
    heat += lumped;
    for (int n = 0; n < nodes; n++) diagonal[n] += lumped * shape[n] * shape[n];
  }
  if (m->lumped > 0) add_lumped(nodes, thickness * heat, diagonal, k);
  for (int n = 0; n < nodes; n++)
    for (int p = 0; p < n; p++) k[n * nodes + p] = k[p * nodes + n];
  return volume;
}

void hk_element_react(const hk_region *region, const hk_element *element, const double *x,
                      const double *t, double *heat)
{
  const int nodes = element->nodes;
  const hk_integrand f = conduction_of(region, element, x);
  const double thickness = element->dim == 2 ? region->thickness : 1;
  hk_region there = *region;
  hk_values values;
  double g[3 * HK_MOST_NODES];
  if (!hk_material_reacts(&region->material)) return;
  for (int q = 0; q < f.rule->points; q++) {
    const double w = hk_integrand_gradients(&f, q, g) * thickness;
    const double *shape = hk_element_n(element, f.integration, q, &values);
    const double here = find_warmth(nodes, shape, t);
    find_there(&f, region, q, here, &there);
    for (int n = 0; n < nodes; n++) heat[n] += w * there.material.reaction * here * shape[n];
  }
}

bool hk_element_plain(const hk_region *region, const hk_element *element)
{
  const bool product = element->shape == HK_QUAD4 || element->shape == HK_HEX8;
  return !region->varies && !(product && region->integration != HK_INTEGRATION_FULL);
}

hk_status hk_element_plain_check(const hk_mesh *mesh, const hk_region *region,
                                 const int16_t *element_region, const char *method)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = mesh->block + b;
    int last = -1;
    for (hk_count e = block->first; e < block->first + block->count; e++) {
      if (element_region[e] == last) continue;
      last = element_region[e];
      HK_NEED(last < 0 || hk_element_plain(region + last, hk_element_of(block->shape)),
              HK_BAD_INPUT,
              "element %lld has one integration point, incompatible modes or cylindrical material "
              "axes, which method %s does not support: give auto or assembled",
              (long long)hk_mesh_element_label(mesh, e), method);
    }
  }
  return HK_OK;
}

/* Eliminates the last of `size` rows down to `keep`, row by row: K_aa - K_ab K_bb^-1 K_ba, in the upper left corner. */
/* k := k_uu - k_ua k_aa^-1 k_au (E.9), u the first `keep`, a the others, which are eliminated from the last one on. */
static void condense(int size, int keep, double *k)
{
  for (int p = size - 1; p >= keep; p--)
    for (int i = 0; i < p; i++) {
      const double factor = k[p * size + i] / k[p * size + p];
      for (int j = 0; j <= i; j++) k[i * size + j] -= factor * k[p * size + j];
    }
  for (int i = 0; i < keep; i++)
    for (int j = 0; j < i; j++) k[j * size + i] = k[i * size + j];
}

double hk_element_integrate(const hk_region *region, const hk_element *element, const double *x,
                            double *k)
{
  const int keep = element->nodes * element->dim;
  double all[MOST_CONDENSED * MOST_CONDENSED];
  hk_integrand f;
  if (!hk_integrand_find(region, element, x, &f)) return -1;
  const int size = f.functions * element->dim;
  const double volume = hk_integrand_matrix(&f, size > keep ? all : k);
  if (!(volume > 0)) return -1;
  if (size > keep) {
    condense(size, keep, all);
    for (int i = 0; i < keep; i++) memcpy(k + i * keep, all + i * size, (size_t)keep * sizeof *k);
  }
  hk_integrand_hourglass(&f, k);
  return volume;
}
