/* How well a material's quality factors hold (docs/attenuation.md): for each kind of waves the error of 1 / Q over the band, the phase speed at
 * the reference frequency and at the band's ends, and the modulus at the reference frequency, for a slow and for a sudden strain. Of an anisotropic
 * material these are of the isotropic body nearest to it, which has its mechanisms; of constants by formulas those of one element, which is named. Of a
 * Kelvin-Voigt solid t, and Q at the sources' frequency. */
#include "run/estimate/estimate.h"
#include "base/json.h"
#include "physics/law.h"
#include "run/explicit/problem.h"
#include "physics/viscoelastic/fit.h"
#include <math.h>
#include <string.h>

enum { CURVE_POINTS = 61 };

typedef struct wave {
  const char *name;
  double modulus; /* for a sudden strain */
  const double *strength;
  double sudden, wanted;
} wave;

static bool attenuates(const hk_region *region)
{
  const hk_material *m = &region->material;
  return m->constant[HK_QUALITY_AT] > 0 && (m->fluid || hk_law_relaxes(region));
}

/* Whether an earlier region is of the same material. */
static bool seen(const hk_model *model, int region)
{
  const char *name = model->region[region].material.name;
  for (int i = 0; name && i < region; i++)
    if (model->region[i].material.name && !strcmp(model->region[i].material.name, name))
      return true;
  return false;
}

/* Frequencies for curves: the band, and a third of it in the logarithm beyond either end. */
static void list_frequencies(const hk_quality *q, double frequency[CURVE_POINTS])
{
  const double span = q->band[1] / q->band[0], first = q->band[0] / cbrt(span);
  for (int k = 0; k < CURVE_POINTS; k++)
    frequency[k] = first * pow(span, 5.0 / 3 * k / (CURVE_POINTS - 1));
}

/* Q of a wave there. */
static json_t *curve_in_json(const hk_quality *q, const hk_relaxation *r, const double *strength)
{
  double frequency[CURVE_POINTS], quality[CURVE_POINTS], m[2];
  list_frequencies(q, frequency);
  for (int k = 0; k < CURVE_POINTS; k++) {
    hk_relaxation_modulus(r, strength, 2 * M_PI * frequency[k], m);
    quality[k] = m[0] / m[1];
  }
  return hk_json_reals(CURVE_POINTS, quality);
}

static json_t *wave_in_json(const hk_quality *q, const hk_relaxation *r, const wave *w,
                            double density)
{
  const hk_wave_fit fit = hk_relaxation_measure(r, w->strength, w->sudden, q, w->wanted);
  const double modulus = w->modulus / w->sudden, speed = sqrt(modulus / density);
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "wave", w->name,
                   "quality", hk_json_real(fit.quality), "largest_error", hk_json_real(fit.largest),
                   "rms_error", hk_json_real(fit.rms), "speed", hk_json_real(speed), "speed_low",
                   hk_json_real(speed * fit.speed[0]), "speed_high",
                   hk_json_real(speed * fit.speed[1]), "dispersion",
                   hk_json_real(fit.speed[1] / fit.speed[0] - 1), "modulus", hk_json_real(modulus),
                   "modulus_relaxed", hk_json_real(w->modulus * fit.relaxed), "modulus_unrelaxed",
                   hk_json_real(w->modulus));
}

/* Of a fluid alone, or of pressure and shear waves. */
static json_t *waves_in_json(const hk_model *model, int region, const hk_quality *q,
                             const hk_relaxation *r, bool curves)
{
  hk_region one = model->region[region];
  const hk_material *m = &one.material;
  double d[36], lambda = 0, mu = 0;
  one.thickness = 1;
  if (one.plane == HK_AXISYMMETRIC) one.plane = HK_PLANE_STRAIN;
  if (!m->fluid) {
    hk_region_stiffness(&one, model->mesh->dim, d);
    hk_stiffness_means(model->mesh->dim, d, &lambda, &mu);
  }
  const wave sound = {"sound", m->bulk, r->s, r->s_sudden, q->p},
             pressure = {"p", lambda + 2 * mu, r->p, r->p_sudden, q->p},
             shear = {"s", mu, r->s, r->s_sudden, q->s};
  const wave *const all[] = {m->fluid ? &sound : &pressure, &shear};
  json_t *list = json_array();
  for (int k = one.plane == HK_ANTIPLANE; k < (m->fluid ? 1 : 2); k++) {
    json_t *one_wave = wave_in_json(q, r, all[k], m->density);
    if (curves) json_object_set_new(one_wave, "quality_at", curve_in_json(q, r, all[k]->strength));
    json_array_append_new(list, one_wave);
  }
  return list;
}

static json_t *material_in_json(const hk_model *model, int region, const hk_quality *q,
                                const hk_relaxation *r, bool curves)
{
  const hk_material *m = &model->region[region].material;
  double turns[HK_MECHANISMS], frequency[CURVE_POINTS];
  for (int l = 0; l < HK_MECHANISMS; l++) turns[l] = r->rate[l] / (2 * M_PI);
  json_t *out = json_pack(
      "{s:s, s:o, s:o, s:o, s:o}", "material", m->name ? m->name : "", "band",
      hk_json_reals(2, q->band), "reference_frequency", hk_json_real(q->frequency), "mechanisms",
      hk_json_reals(HK_MECHANISMS, turns), "waves", waves_in_json(model, region, q, r, curves));
  list_frequencies(q, frequency);
  if (curves) json_object_set_new(out, "frequency", hk_json_reals(CURVE_POINTS, frequency));
  return out;
}

/* The label of the first element that is of the region; -1: none is. */
static json_int_t first_element(const hk_model *model, int region)
{
  for (hk_count e = 0; e < model->mesh->element_count; e++)
    if (model->element_region[e] == region)
      return (json_int_t)hk_mesh_element_label(model->mesh, e);
  return -1;
}

/* t, and Q = 1 / (w t) at the centre of the sources' spectrum. */
static json_t *delay_in_json(const hk_model *model, const hk_region *region)
{
  const double delay = hk_law_delay(region);
  double frequency;
  const bool known = hk_model_centre_frequency(model, &frequency) == HK_OK && frequency > 0;
  return json_pack("{s:s, s:o, s:o, s:o}", "material",
                   region->material.name ? region->material.name : "", "kelvin_voigt",
                   hk_json_real(delay), "reference_frequency",
                   known ? hk_json_real(frequency) : json_null(), "quality",
                   known ? hk_json_real(1 / (2 * M_PI * frequency * delay)) : json_null());
}

void hk_check_add_attenuation(const hk_model *model, bool curves, json_t *root)
{
  json_t *list = json_array();
  for (int i = 0; i < model->region_count; i++) {
    const hk_material *m = &model->region[i].material;
    hk_quality q;
    hk_relaxation r;
    if (seen(model, i)) continue;
    if (hk_law_delay(&model->region[i]) > 0)
      json_array_append_new(list, delay_in_json(model, &model->region[i]));
    if (!attenuates(&model->region[i])) continue;
    if (hk_relaxation_of(m->constant, m->fluid, &q, &r) != HK_OK) continue; /* it was fitted once */
    json_t *one = material_in_json(model, i, &q, &r, curves);
    if (model->region[i].spread)
      json_object_set_new(one, "of_element", json_integer(first_element(model, i)));
    json_array_append_new(list, one);
  }
  if (json_array_size(list)) json_object_set(root, "attenuation", list);
  json_decref(list);
}
