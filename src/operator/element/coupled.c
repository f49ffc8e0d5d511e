/* Integrals of coupled equations point by point (coupled.h): the coefficients at the point, once where they are the same everywhere, and for each pair
 * of equations that has some the products of psi, (I.1). */
#include "operator/element/coupled.h"
#include "operator/element/integrand.h"
#include "operator/element/lumped.h"
#include "operator/element/element_matrix.h"
#include <math.h>
#include <string.h>

typedef struct coupling {
  const hk_coupled *coupled;
  double storage;
  bool varies;
  hk_integrand f;
  double c[HK_MOST_COEFFICIENTS];
} coupling;

static void begin(const hk_region *region, const hk_element *element, const double *x, coupling *s)
{
  const hk_integration integration = hk_conduction_integration(element, region);
  static const double anywhere[3] = {0};
  s->coupled = region->material.coupled, s->storage = region->material.stored;
  s->varies = hk_coupled_varies(s->coupled);
  s->f = (hk_integrand){.element = element,
                        .x = x,
                        .rule = hk_element_rule(element, integration),
                        .integration = integration,
                        .functions = element->nodes};
  if (!s->varies) hk_coupled_at(s->coupled, s->storage, anywhere, s->c);
}

/* Where the place is another one. */
static void renew(coupling *s, int q)
{
  double at[3] = {0};
  if (!s->varies) return;
  hk_integrand_place(&s->f, q, at);
  hk_coupled_at(s->coupled, s->storage, at, s->c);
}

/* k[n * step * size + m * step] += w sum over i, j of c[i][j] psi_n[i] psi_m[j] */
static void add_pair(int dim, int nodes, int step, double w, const double *c, const double *shape,
                     const double *g, double *k)
{
  const size_t size = (size_t)(nodes * step);
  for (int m = 0; m < nodes; m++) {
    double flux[4] = {0};
    for (int i = 0; i <= dim; i++) {
      flux[i] = c[i * 4] * shape[m];
      for (int j = 0; j < dim; j++) flux[i] += c[i * 4 + j + 1] * g[m * dim + j];
      flux[i] *= w;
    }
    for (int n = 0; n < nodes; n++) {
      double sum = flux[0] * shape[n];
      for (int i = 0; i < dim; i++) sum += flux[i + 1] * g[n * dim + i];
      k[(size_t)(n * step) * size + (size_t)(m * step)] += sum;
    }
  }
}

static bool is_empty(const double *c)
{
  bool empty = true;
  for (int k = 0; k < 16; k++) empty = empty && c[k] == 0;
  return empty;
}

double hk_element_couple(const hk_region *region, const hk_element *element, const double *x,
                         double *k)
{
  const int dim = element->dim, nodes = element->nodes;
  const double thickness = dim == 2 ? region->thickness : 1;
  coupling s;
  begin(region, element, x, &s);
  const int equations = s.coupled->equations, size = nodes * equations;
  double volume = 0, g[3 * HK_MOST_NODES];
  hk_values values;
  memset(k, 0, (size_t)size * (size_t)size * sizeof *k);
  for (int q = 0; q < s.f.rule->points; q++) {
    const double w = hk_integrand_gradients(&s.f, q, g);
    if (!(w > 0)) return -1;
    const double *shape = hk_element_n(element, s.f.integration, q, &values);
    volume += w;
    renew(&s, q);
    for (int a = 0; a < equations; a++)
      for (int b = 0; b < equations; b++) {
        const double *c = s.c + (a * equations + b) * 16;
        if (!is_empty(c))
          add_pair(dim, nodes, equations, w * thickness, c, shape, g, k + a * size + b);
      }
  }
  return volume;
}

void hk_element_coupled_flux(const hk_region *region, const hk_element *element, const double *x,
                             const double xi[3], const double *u, double *flux)
{
  const int dim = element->dim, nodes = element->nodes;
  const hk_coupled *coupled = region->material.coupled;
  const int equations = coupled->equations;
  double g[3 * HK_MOST_NODES], shape[HK_MOST_NODES], c[HK_MOST_COEFFICIENTS],
      at[3] = {0}, d[HK_MOST_EQUATIONS][4] = {{0}};
  memset(flux, 0, (size_t)(equations * dim) * sizeof *flux);
  if (!(hk_element_physical(element, xi, x, g) > 0)) return;
  hk_element_functions(element, xi, shape, NULL);
  hk_element_place(dim, nodes, shape, x, at);
  hk_coupled_at(coupled, 0, at, c);
  for (int b = 0; b < equations; b++)
    for (int n = 0; n < nodes; n++) {
      const double value = u[n * equations + b];
      d[b][0] += shape[n] * value;
      for (int j = 0; j < dim; j++) d[b][j + 1] += g[n * dim + j] * value;
    }
  for (int a = 0; a < equations; a++)
    for (int b = 0; b < equations; b++)
      for (int i = 0; i < dim; i++)
        for (int j = 0; j <= dim; j++)
          flux[a * dim + i] -= c[(a * equations + b) * 16 + (i + 1) * 4 + j] * d[b][j];
}

hk_status hk_element_coupled_check(const hk_region *region, const hk_mesh *mesh, hk_count e,
                                   bool *definite)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_material *m = &region->material;
  double x[3 * HK_MOST_NODES];
  coupling s;
  hk_element_gather(mesh, block, e - block->first, x);
  begin(region, element, x, &s);
  const int entries = s.coupled->equations * s.coupled->equations * 16;
  for (int q = 0; q < (s.varies ? s.f.rule->points : 1); q++) {
    double at[3] = {0};
    renew(&s, q);
    for (int k = 0; k < entries; k++) {
      if (isfinite(s.c[k])) continue;
      hk_integrand_place(&s.f, q, at);
      return hk_error_set(
          HK_BAD_INPUT,
          "material %s: a coefficient of equation %d is not a finite number at (%g, %g, %g), in "
          "element %lld of region %s: correct its formula",
          m->name ? m->name : region->name, k / 16 / s.coupled->equations + 1, at[0], at[1], at[2],
          (long long)hk_mesh_element_label(mesh, e), region->name);
    }
    if (definite) *definite = *definite && hk_coupled_definite(s.coupled->equations, s.c);
  }
  return HK_OK;
}

/* Those that vary are looked at in each element, others in the first of a run of elements. */
hk_status hk_coupled_check(const hk_operator_desc *desc, bool *unsymmetric)
{
  const hk_mesh *mesh = desc->space->mesh;
  bool definite = true;
  int last = -1;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const int r = desc->element_region[e];
    if (r < 0) continue; /* told where its matrix is made */
    const hk_region *region = &desc->region[r];
    const hk_coupled *coupled = region->material.coupled;
    HK_NEED(coupled && coupled->equations == desc->space->components, HK_BAD_INPUT,
            "material %s has %d coupled equations, and the model %d: give terms for each",
            region->material.name ? region->material.name : region->name,
            coupled ? coupled->equations : 0, desc->space->components);
    if (r == last && !hk_coupled_varies(coupled)) continue;
    last = r;
    HK_PASS(hk_element_coupled_check(region, mesh, e, &definite));
  }
  *unsymmetric = !definite;
  return HK_OK;
}
