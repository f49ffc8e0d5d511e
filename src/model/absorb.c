/* Faces of a model that absorb to first order, and perfectly matched layers. */
#include "model/problem.h"
#include "load/pml.h"
#include "load/stacey.h"
#include <math.h>
#include <string.h>

/* What a plane wave sends back, of the first face's material. */
static void tell(const hk_model *model, const hk_absorb *a, hk_messages *list)
{
  enum { ANGLES = 2 };
  static const int degrees[ANGLES] = {30, 60};
  const hk_region *region = &model->region[model->element_region[a->target.item[0]]];
  double lambda, mu, part[2][ANGLES];
  if (region->material.fluid) {
    for (int i = 0; i < ANGLES; i++)
      part[0][i] = 100 * hk_stacey_fluid_reflection(degrees[i] * M_PI / 180);
    hk_messages_add(list, HK_NOTE, a->place.file, a->place.line, 0,
                    "absorbing faces: reflect nothing of plane waves at normal incidence, in the "
                    "fluid %.2g %% of the energy at %d degrees, %.2g %% at %d",
                    part[0][0], degrees[0], part[0][1], degrees[1]);
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
                  "absorbing faces: reflect nothing of plane waves at normal incidence, %.2g %% of "
                  "the energy of P and %.2g %% of S waves at %d degrees, %.2g %% and %.2g %% at %d",
                  part[0][0], part[1][0], degrees[0], part[0][1], part[1][1], degrees[1]);
}

/* Nodes of elements of perfectly matched layers; dashpots do not go into these. */
static hk_status find_within(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = p->model->mesh;
  if (!p->pml.stretch) return HK_OK;
  HK_TRY(hk_get(&p->in_layer, mesh->node_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    if (!hk_pml_has(mesh, &p->pml, e)) continue;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++)
      p->in_layer[hk_mesh_nodes_of(mesh, e)[n]] = true;
  }
  for (hk_index i = 0; i < p->dashpots.count; i++)
    HK_CHECK(!p->in_layer[p->space->mesh_node[p->dashpots.node[i]]], HK_BAD_INPUT,
             "faces of kind stacey meet the perfectly matched layer: give these kind pml as well");
cleanup:
  return status;
}

hk_status hk_problem_find_dashpots(hk_problem *p, hk_messages *list)
{
  hk_status status = HK_OK;
  const hk_model *model = p->model;
  hk_load_domain *domain = NULL;
  int count = 0;
  HK_TRY(hk_get(&domain, model->absorb_count));
  for (int i = 0; i < model->absorb_count; i++) {
    const hk_absorb *a = &model->absorb[i];
    if (a->kind != HK_ABSORB_STACEY) continue;
    domain[count] = (hk_load_domain){.mesh = model->mesh,
                                     .region = model->region,
                                     .element_region = model->element_region,
                                     .count = a->target.count,
                                     .element = a->target.item,
                                     .face = a->target.face};
    count++;
    tell(model, a, list);
  }
  if (count) HK_TRY(hk_stacey_create(p->space, count, domain, p->is_wet, &p->dashpots));
  HK_TRY(find_within(p));
cleanup:
  hk_free(&domain);
  return status;
}

/* Waves slower than a quarter of the centre of the spectrum are held rather than absorbed. */
static double alpha_of(const hk_absorb_wave *wave, const hk_pml_layer *layer)
{
  const double frequency = wave->frequency > 0 ? wave->frequency : wave->speed / layer->thickness;
  return M_PI / 2 * frequency;
}

hk_status hk_problem_find_pml(hk_problem *p, const hk_absorb_wave *wave, hk_messages *list,
                              double *d)
{
  hk_status status = HK_OK;
  const hk_model *model = p->model;
  const hk_mesh *mesh = model->mesh;
  hk_pml_layer *layer = NULL;
  int count = 0;
  HK_TRY(hk_get(&layer, model->absorb_count));
  for (int i = 0; i < model->absorb_count; i++) {
    const hk_absorb *a = &model->absorb[i];
    if (a->kind != HK_ABSORB_PML) continue;
    layer[count] = (hk_pml_layer){.count = a->target.count,
                                  .item = a->target.item,
                                  .face = a->target.face,
                                  .thickness = a->thickness,
                                  .file = a->place.file,
                                  .line = a->place.line};
    count++;
  }
  if (!count) goto cleanup;
  HK_CHECK(p->kind->mass, HK_BAD_INPUT,
           "a perfectly matched layer needs spectral elements, method spectral: give element: "
           "{order: 2 .. 10} on quadrilaterals or hexahedra, or take kind stacey or layer");
  HK_TRY(hk_get(&p->pml.stretch, mesh->node_count * mesh->dim));
  HK_TRY(hk_get(&p->pml.held, mesh->node_count));
  HK_TRY(hk_pml_profile(mesh, wave, count, layer, list, p->pml.stretch, p->pml.held));
  p->pml.alpha = alpha_of(wave, layer);
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int c = 0; c < mesh->dim; c++) d[n] += p->pml.stretch[n * mesh->dim + c];
  for (int i = 0; i < count; i++)
    hk_messages_add(list, HK_NOTE, layer[i].file, layer[i].line, 0,
                    "perfectly matched layer of depth %.4g, held outside: about 0.5 %% of the "
                    "amplitude comes back where that is a wavelength of the fastest wave",
                    layer[i].thickness);
cleanup:
  hk_free(&layer);
  return status;
}
