/* Absorbing boundaries of an explicit model: dashpots on faces (Stacey, W.17) and perfectly matched
 * layers (docs/theory/spectral.md, "The matched layer"). It finds their nodes and profiles and
 * tells how much they reflect. Faces with dashpots must not meet a matched layer. A layer is
 * refused where the P speed exceeds the S speed beyond the ratio to which it is stable. */
#include "run/explicit/problem.h"
#include "load/absorb/pml.h"
#include "load/absorb/stacey.h"
#include "physics/law.h"
#include <math.h>
#include <string.h>

/* What a plane wave sends back, of the first face's material. */
static void tell(const hk_model *model, const hk_absorb *a, hk_messages *list)
{
  enum { ANGLES = 2 };
  static const int degrees[ANGLES] = {30, 60};
  const hk_region *region = &model->region[model->element_region[a->target.item[0]]];
  double lambda, mu, part[2][ANGLES];
  if (hk_region_is_scalar(region)) {
    for (int i = 0; i < ANGLES; i++)
      part[0][i] = 100 * hk_stacey_fluid_reflection(degrees[i] * M_PI / 180);
    hk_messages_add(list, HK_NOTE, a->place.file, a->place.line, 0,
                    "absorbing faces: they reflect no plane waves at normal incidence, in the "
                    "%s %.2g %% of the energy at %d degrees and %.2g %% at %d",
                    region->material.fluid ? "fluid" : "solid", part[0][0], degrees[0], part[0][1],
                    degrees[1]);
    return;
  }
  if (region->varies || !hk_region_lame(region, model->mesh->dim, &lambda, &mu)) return;
  const double p = sqrt((lambda + 2 * mu) / region->material.density),
               s = sqrt(mu / region->material.density);
  for (int i = 0; i < ANGLES; i++)
    for (int wave = 0; wave < 2; wave++)
      part[wave][i] = 100 * hk_stacey_reflection(p, s, wave ? HK_STACEY_S : HK_STACEY_P,
                                                 degrees[i] * M_PI / 180);
  hk_messages_add(list, HK_NOTE, a->place.file, a->place.line, 0,
                  "absorbing faces: they reflect no plane waves at normal incidence, %.2g %% of "
                  "the energy of P and %.2g %% of S waves at %d degrees, %.2g %% and %.2g %% at %d",
                  part[0][0], part[1][0], degrees[0], part[0][1], part[1][1], degrees[1]);
}

/* Of the first one of the kind, which there is. */
static hk_place place_of(const hk_model *model, hk_absorb_kind kind)
{
  int i = 0;
  while (model->absorb.at[i].kind != kind) i++;
  return model->absorb.at[i].place;
}

/* Nodes of elements of perfectly matched layers; dashpots do not go into these. */
static hk_status find_within(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = p->on.model->mesh;
  if (!p->pml.stretch) return HK_OK;
  HK_TRY(hk_pool_get(&p->pool, &p->in_layer, mesh->node_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    if (!hk_pml_has(mesh, &p->pml, e)) continue;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++)
      p->in_layer[hk_mesh_nodes_of(mesh, e)[n]] = true;
  }
  for (hk_index i = 0; i < p->dashpots.count && status == HK_OK; i++)
    if (p->in_layer[p->on.space->mesh_node[p->dashpots.node[i]]])
      status = hk_model_error(p->on.model, p->on.list, place_of(p->on.model, HK_ABSORB_STACEY),
                              HK_BAD_INPUT,
                              "faces of kind stacey meet the perfectly matched layer: give these "
                              "kind pml as well");
cleanup:
  return status;
}

hk_status hk_problem_find_dashpots(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  hk_load_domain *domain = NULL;
  int count = 0;
  HK_TRY(hk_get(&domain, model->absorb.count));
  for (int i = 0; i < model->absorb.count; i++) {
    const hk_absorb *a = &model->absorb.at[i];
    if (a->kind != HK_ABSORB_STACEY) continue;
    domain[count] = (hk_load_domain){.mesh = model->mesh,
                                     .region = model->region,
                                     .element_region = model->element_region,
                                     .count = a->target.count,
                                     .element = a->target.item,
                                     .face = a->target.face};
    count++;
    tell(model, a, p->on.list);
  }
  if (count) HK_TRY(hk_stacey_create(p->on.space, count, domain, p->on_fsi, &p->dashpots));
  HK_TRY(find_within(p));
cleanup:
  hk_free(&domain);
  return status;
}

/* Waves slower than a quarter of the centre of the spectrum are held rather than absorbed. */
static double alpha_of(const hk_absorb_wave *wave, const hk_absorb_layer *layer)
{
  const double frequency = wave->frequency > 0 ? wave->frequency : wave->speed / layer->thickness;
  return M_PI / 2 * frequency;
}

/* Errors have the line of the first layer. */
static hk_status find_profile(const hk_problem *p, const hk_absorb_wave *wave, int count,
                              hk_absorb_layer *layer, bool warn)
{
  const hk_model *model = p->on.model;
  const hk_status status = hk_pml_profile(model->mesh, wave, count, layer, warn ? p->on.list : NULL,
                                          p->pml.stretch, p->pml.held);
  if (status != HK_BAD_INPUT) return status;
  return hk_model_error(model, p->on.list, place_of(model, HK_ABSORB_PML), status, "%s",
                        hk_error());
}

/* Largest ratio of the wave speeds of one solid in the layer, to `ratio`; refused beyond what the layer was shown to be stable for. */
static hk_status find_ratio(const hk_problem *p, const hk_absorb_wave *wave, int count,
                            hk_absorb_layer *layer, double *ratio)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  const hk_mesh *mesh = model->mesh;
  bool *seen = NULL;
  *ratio = 1;
  HK_TRY(hk_get(&seen, model->region_count));
  HK_TRY(find_profile(p, wave, count, layer, false));
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (hk_pml_has(mesh, &p->pml, e)) seen[model->element_region[e]] = true;
  for (int r = 0; r < model->region_count; r++) {
    const hk_region *region = &model->region[r];
    if (!seen[r] || hk_region_is_scalar(region)) continue;
    const double own = hk_region_fastest(region, mesh->dim) / hk_region_slowest(region, mesh->dim);
    if (own > HK_PML_MOST_RATIO)
      status = hk_model_error(model, p->on.list, place_of(model, HK_ABSORB_PML), HK_BAD_INPUT,
                              "the fastest wave of region %s is %.3g times as fast as the slowest "
                              "(nearly incompressible), and the perfectly matched layer is stable "
                              "only to %g: use kind stacey or layer there",
                              region->name ? region->name : "1", own, HK_PML_MOST_RATIO);
    if (status != HK_OK) goto cleanup;
    *ratio = fmax(*ratio, own);
  }
  memset(p->pml.stretch, 0, (size_t)(mesh->node_count * mesh->dim) * sizeof *p->pml.stretch);
  memset(p->pml.held, 0, (size_t)mesh->node_count * sizeof *p->pml.held);
cleanup:
  hk_free(&seen);
  return status;
}

/* h of run/march/balance.h: strain in the layer is counted unstretched. Under slow loads it is up to the largest stretch at frequency 0 times what
 * went in (3 times was measured at 8), and fields that are free of volume change once stretched are not so unstretched. */
static double hidden_of(const hk_problem *p, double ratio)
{
  const hk_mesh *mesh = p->on.model->mesh;
  const double even = 8; /* ratio from which the latter counts: measured */
  double most = 0;
  for (hk_count i = 0; i < mesh->node_count * mesh->dim; i++) most = fmax(most, p->pml.stretch[i]);
  return (1 + most / p->pml.alpha) * fmax(1, ratio * ratio / (even * even));
}

/* What comes back of a force inside the layer, measured (tests/verification/test_absorbing.py). */
static void tell_depth(const hk_absorb_layer *layer, const hk_absorb_wave *wave, hk_messages *list)
{
  const double waves = wave->frequency * layer->thickness / wave->speed;
  if (wave->frequency > 0)
    hk_messages_add(list, HK_NOTE, layer->file, layer->line, 0,
                    "perfectly matched layer of depth %.4g%s, %.2g wavelengths of the fastest "
                    "wave, fixed outside: it reflects about %.2g %% of the amplitude of a source "
                    "two wavelengths away, more of waves along the layer",
                    layer->thickness, wave->unit, waves, 100 * hk_pml_reflection(waves));
  else
    hk_messages_add(list, HK_NOTE, layer->file, layer->line, 0,
                    "perfectly matched layer of depth %.4g%s, fixed outside; the frequency of the "
                    "sources is not known: it reflects about 0.2 %% of the amplitude if its depth "
                    "is a wavelength of the fastest wave, 1 %% at half of that",
                    layer->thickness, wave->unit);
}

/* The layer computes its elements by the linear law of all solids, with their mechanisms where they have attenuation. */
static hk_status check_laws(const hk_problem *p)
{
  const hk_model *model = p->on.model;
  for (hk_count e = 0; e < model->mesh->element_count; e++) {
    const hk_region *region = &model->region[model->element_region[e]];
    const bool served = hk_law_relaxes(region) && !hk_region_is_scalar(region);
    HK_NEED(region->plane != HK_ANTIPLANE || !region->material.law ||
                !hk_pml_has(model->mesh, &p->pml, e),
            HK_BAD_INPUT,
            "material %s: a perfectly matched layer of plane: antiplane does not support "
            "attenuation: use kind stacey or layer",
            region->material.name ? region->material.name : region->name);
    if (region->material.law && !served && hk_pml_has(model->mesh, &p->pml, e))
      HK_PASS(hk_law_check(hk_region_is_scalar(region), region, model->mesh->dim,
                           "a perfectly matched layer",
                           "let the layer be of another material, or use kind stacey or layer"));
  }
  return HK_OK;
}

/* Spectral elements, also those of axisymmetric models, whose K is stored. */
static hk_status check_elements(const hk_problem *p)
{
  const hk_model *model = p->on.model;
  const bool ring = hk_model_is_axisymmetric(model);
  if (p->on.kind->mass || (ring && hk_mesh_quad_families(model->mesh))) return HK_OK;
  return hk_model_error(model, p->on.list, place_of(model, HK_ABSORB_PML), HK_BAD_INPUT,
                        "a perfectly matched layer needs spectral elements%s: give element: "
                        "{order: 2 .. 10} on quadrilaterals%s, or use kind stacey or layer",
                        ring ? "" : ", method spectral", ring ? "" : " or hexahedra");
}

/* Around a hole a layer would let waves in that grow toward the axis. */
static hk_status find_around(hk_problem *p, const hk_absorb_wave *wave, int count,
                             const hk_absorb_layer *layer)
{
  const hk_model *model = p->on.model;
  for (int i = 0; i < count; i++)
    if (layer[i].side[0])
      return hk_model_error(model, p->on.list, place_of(model, HK_ABSORB_PML), HK_BAD_INPUT,
                            "a perfectly matched layer of an axisymmetric model lies at the outer "
                            "radius, the lower or the upper end, not around the axis or a hole: "
                            "use kind stacey there");
  HK_PASS(hk_get(&p->pml.around, model->mesh->node_count));
  hk_pml_around(model->mesh, wave, count, layer, p->pml.stretch, p->pml.around);
  return HK_OK;
}

hk_status hk_problem_find_pml(hk_problem *p, const hk_absorb_wave *wave, double *d)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  const hk_mesh *mesh = model->mesh;
  hk_absorb_layer *layer = NULL;
  hk_absorb_wave of = *wave;
  int count = 0;
  HK_TRY(hk_get(&layer, model->absorb.count));
  for (int i = 0; i < model->absorb.count; i++) {
    const hk_absorb *a = &model->absorb.at[i];
    if (a->kind != HK_ABSORB_PML) continue;
    layer[count] = (hk_absorb_layer){.count = a->target.count,
                                     .item = a->target.item,
                                     .face = a->target.face,
                                     .thickness = a->thickness,
                                     .file = a->place.file,
                                     .line = a->place.line};
    count++;
  }
  if (!count) goto cleanup;
  HK_TRY(check_elements(p));
  HK_TRY(hk_get(&p->pml.stretch, mesh->node_count * mesh->dim));
  HK_TRY(hk_get(&p->pml.held, mesh->node_count));
  HK_TRY(find_ratio(p, wave, count, layer, &of.ratio));
  HK_TRY(find_profile(p, &of, count, layer, true));
  HK_TRY(check_laws(p));
  p->pml.alpha = alpha_of(wave, layer);
  if (hk_model_is_axisymmetric(model)) HK_TRY(find_around(p, &of, count, layer));
  p->hidden = hidden_of(p, of.ratio);
  hk_pml_ends(mesh, count, layer, p->pml.outer, p->pml.inner);
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double stretch[3];
    hk_pml_stretch_at(&p->pml, mesh->dim, n, stretch);
    d[n] += stretch[0] + stretch[1] + stretch[2];
  }
  for (int i = 0; i < count; i++) tell_depth(&layer[i], wave, p->on.list);
cleanup:
  hk_free(&layer);
  return status;
}
