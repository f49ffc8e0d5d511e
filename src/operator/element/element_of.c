/* The matrix of element e of an operator: its coordinates, region and law, K_e by element_matrix.h, and integral h N^T N of its faces that
 * exchange heat. Says also which elements need no more than a plain rule (hk_operator_plain), which kernels of devices integrate
 * themselves, and checks laws that formulas give at the points. */
#include "operator/element/element_of.h"
#include "operator/element/coupled.h"
#include "operator/element/lumped.h"
#include <math.h>
#include <stdio.h>

static bool flows_in(const hk_operator_desc *desc, hk_count e)
{
  const int r = desc->element_region[e];
  return !hk_space_solid(desc->space) && r >= 0 && desc->region[r].material.advection.flows;
}

bool hk_operator_tangent(const hk_operator_desc *desc, hk_count e)
{
  const int r = desc->element_region[e];
  return !hk_space_solid(desc->space) && r >= 0 && desc->warm && desc->warm->newton &&
         hk_material_by_temperature(&desc->region[r].material);
}

bool hk_operator_translates(const hk_operator_desc *desc, hk_count e)
{
  const int r = desc->element_region[e];
  const bool reacts =
      !hk_space_solid(desc->space) && r >= 0 && hk_material_reacts(&desc->region[r].material);
  const bool coupled = desc->space->unknowns == HK_UNKNOWNS_COUPLED;
  const bool ring = hk_space_solid(desc->space) && desc->space->mesh->dim == 2 && r >= 0 &&
                    desc->region[r].plane == HK_AXISYMMETRIC;
  return !coupled && !ring && !reacts && !hk_terms_touch(&desc->terms, e) && !flows_in(desc, e) &&
         !hk_operator_tangent(desc, e);
}

hk_count hk_integrate_bytes(const hk_element *element, const hk_rule *rule, int components,
                            bool double_precision, bool by_temperature, int many)
{
  const int real = double_precision ? 8 : 4, dim = element->dim;
  const hk_count nodes = element->nodes, points = rule->points, gradients = points * dim * nodes,
                 width = nodes * components, whole = width * (width + 1);
  return hk_local_bytes(many, 4) + hk_local_bytes(many * nodes * dim, real) +
         (by_temperature ? 3 : 1) * hk_local_bytes(many * points, real) +
         hk_local_bytes(many * (gradients > whole ? gradients : whole), real);
}

static bool fits(const hk_operator_desc *desc, const hk_element *element, const hk_region *region)
{
  const hk_device_info *info = desc->device ? hk_device_describe(desc->device) : NULL;
  const int components = desc->space->components;
  const hk_integration integration = !hk_space_solid(desc->space)
                                         ? hk_conduction_integration(element, region)
                                         : region->integration;
  return !info || !info->local_memory ||
         hk_integrate_bytes(element, hk_element_rule(element, integration), components,
                            desc->double_precision, desc->warm != NULL, 1) <= info->local_memory;
}

bool hk_operator_plain(const hk_operator_desc *desc, hk_count e)
{
  const hk_region *region = &desc->region[desc->element_region[e]];
  const hk_element *element = hk_element_of(hk_mesh_block_of(desc->space->mesh, e)->shape);
  if (!hk_shape_listed(element->shape) || !fits(desc, element, region)) return false;
  if (!hk_space_solid(desc->space) && (region->varies || region->material.coupled)) return false;
  if (hk_terms_touch(&desc->terms, e) || flows_in(desc, e) || hk_operator_tangent(desc, e))
    return false;
  return !hk_space_solid(desc->space) || hk_element_plain(region, element);
}

/* That of a formula at x[3] and the temperature t is finite, and above 0, a reaction 0 or above. */
static hk_status check_value(const hk_mesh *mesh, hk_count e, const hk_region *region, int which,
                             double value, const double x[3], double t)
{
  static const char *const word[HK_FORMULAS] = {[HK_BY_CONDUCTIVITY] = "conductivity",
                                                [HK_BY_SPECIFIC_HEAT] = "specific_heat",
                                                [HK_BY_REACTION] = "reaction"};
  const hk_material *m = &region->material;
  const hk_formula *by = m->by[which];
  const bool zero = which == HK_BY_REACTION;
  char warmth[40] = "";
  if (!by || (isfinite(value) && (value > 0 || (zero && value == 0)))) return HK_OK;
  if (hk_formula_warm(by)) snprintf(warmth, sizeof warmth, " and temperature %g", t);
  return hk_error_set(
      HK_BAD_INPUT,
      "material %s: %s %s is %g at (%g, %g, %g)%s, in element %lld of region %s: must be finite "
      "and %s",
      m->name ? m->name : region->name, word[which], hk_formula_text(by), value, x[0], x[1], x[2],
      warmth, (long long)hk_mesh_element_label(mesh, e), region->name,
      zero ? "0 or above" : "above 0");
}

typedef struct element_warmth { /* of its nodes */
  hk_warmth warm;
  double t[HK_MOST_NODES], before[HK_MOST_NODES];
} element_warmth;

/* NULL: temperatures are not known. */
static const hk_warmth *gather_warmth(const hk_operator_desc *desc, hk_count e, element_warmth *own)
{
  const hk_index *node = hk_mesh_nodes_of(desc->space->mesh, e);
  const int nodes = hk_mesh_block_of(desc->space->mesh, e)->nodes;
  const hk_warmth *warm = desc->warm;
  if (!warm || hk_space_solid(desc->space)) return NULL;
  own->warm = *warm, own->warm.t = own->t;
  for (int n = 0; n < nodes; n++) own->t[n] = warm->t[desc->space->node[node[n]]];
  if (!warm->before) return &own->warm;
  own->warm.before = own->before;
  for (int n = 0; n < nodes; n++) own->before[n] = warm->before[desc->space->node[node[n]]];
  return &own->warm;
}

/* Laws that formulas give: HK_BAD_INPUT where heat would flow from cold to hot. */
static hk_status check_laws(const hk_mesh *mesh, hk_count e, const hk_region *region,
                            const hk_element *element, const double *x, const hk_warmth *warm)
{
  const hk_material *m = &region->material;
  const hk_integration integration = hk_conduction_integration(element, region);
  const hk_rule *rule = hk_element_rule(element, integration);
  hk_values values;
  if (m->coupled) return hk_element_coupled_check(region, mesh, e, NULL);
  if (!hk_material_by_formula(m)) return HK_OK;
  for (int q = 0; q < rule->points; q++) {
    const double *n = hk_element_n(element, integration, q, &values);
    double at[3], t = 0;
    hk_region there;
    hk_element_place(element->dim, element->nodes, n, x, at);
    for (int i = 0; warm && i < element->nodes; i++) t += n[i] * warm->t[i];
    hk_region_at_warm(region, at, t, &there);
    const double value[HK_FORMULAS] = {[HK_BY_CONDUCTIVITY] = there.material.conductivity[0][0],
                                       [HK_BY_SPECIFIC_HEAT] = there.material.specific_heat,
                                       [HK_BY_REACTION] = there.material.reaction};
    for (int k = 0; k < HK_FORMULAS; k++) HK_PASS(check_value(mesh, e, region, k, value[k], at, t));
    const double *v = there.material.advection.velocity;
    HK_NEED(isfinite(v[0] + v[1] + v[2]), HK_BAD_INPUT,
            "material %s: the velocity is (%g, %g, %g) at (%g, %g, %g), in element %lld of region "
            "%s: must be finite",
            m->name ? m->name : region->name, v[0], v[1], v[2], at[0], at[1], at[2],
            (long long)hk_mesh_element_label(mesh, e), region->name);
  }
  return HK_OK;
}

hk_status hk_operator_check_laws(const hk_operator_desc *desc)
{
  const hk_mesh *mesh = desc->space->mesh;
  double x[3 * HK_MOST_NODES];
  element_warmth own;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_block *block = hk_mesh_block_of(mesh, e);
    const int r = desc->element_region[e];
    if (r < 0 || !hk_material_by_formula(&desc->region[r].material)) continue;
    hk_element_gather(mesh, block, e - block->first, x);
    HK_PASS(check_laws(mesh, e, &desc->region[r], hk_element_of(block->shape), x,
                       gather_warmth(desc, e, &own)));
  }
  return HK_OK;
}

hk_status hk_operator_element(const hk_operator_desc *desc, hk_count e, double *k)
{
  const hk_mesh *mesh = desc->space->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const int r = desc->element_region[e];
  double x[3 * HK_MOST_NODES];
  element_warmth own;
  HK_NEED(r >= 0, HK_BAD_INPUT, "element %lld has no section: give it a material",
          (long long)hk_mesh_element_label(mesh, e));
  hk_element_gather(mesh, block, e - block->first, x);
  const hk_region *region = &desc->region[r];
  const bool conducts = !hk_space_solid(desc->space) || hk_region_is_scalar(region);
  const hk_warmth *warm = gather_warmth(desc, e, &own);
  if (conducts) HK_PASS(check_laws(mesh, e, region, element, x, warm));
  HK_NEED((conducts ? hk_element_conduct(region, element, x, warm, k)
                    : hk_element_integrate(region, element, x, k)) > 0,
          HK_BAD_INPUT, "element %lld is folded or has no volume: mesh it again",
          (long long)hk_mesh_element_label(mesh, e));
  hk_terms_add(&desc->terms, region, element, e, x, warm, k);
  return HK_OK;
}
