/* Attenuation of a material of a case (docs/attenuation.md): q_s, q_p and their band become the mechanisms of the law "viscoelastic", and the
 * constants of the medium, which hold at q_frequency, those for a sudden strain, from which bounds of the time step and absorbing faces follow. A solid with
 * kelvin_voigt has the same law without mechanisms. */
#include "input/case/physics/attenuation.h"
#include <math.h>
#include <string.h>

static const char *const keys[] = {"q_s", "q_p", "q_band", "q_frequency"};
enum { KEYS = sizeof keys / sizeof *keys, LARGE_ERROR = 10 /* per cent */ };

/* The first of the keys that the material has; NULL: none. */
static const hk_node *first_key(const hk_node *map)
{
  for (int i = 0; i < KEYS; i++)
    if (hk_node_find(map, keys[i])) return hk_node_find(map, keys[i]);
  return NULL;
}

static bool in_plane_stress(const hk_case *c)
{
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  return c->model->mesh->dim == 2 && plane && plane->number == HK_PLANE_STRESS;
}

/* *good = the keys make sense together, and q is what they say. */
static void read_quality(hk_case *c, const hk_node *map, const hk_material *m, hk_quality *q,
                         bool *good)
{
  const hk_node *first = first_key(map), *band = hk_case_value(map, "q_band");
  const hk_count errors = c->tree.errors;
  *q = (hk_quality){.s = hk_case_number(map, "q_s", 0), .p = hk_case_number(map, "q_p", INFINITY)};
  if (m->fluid) q->s = q->p;
  if (!m->elastic && !m->fluid)
    hk_case_error(c, first,
                  "material %s: attenuation (q_s, q_p) is of waves: a conductor of heat "
                  "has none",
                  map->key);
  else if (m->fluid && hk_node_find(map, "q_s"))
    hk_case_error(c, hk_node_find(map, "q_s"),
                  "material %s: q_s is of shear waves, and a fluid has none: give q_p", map->key);
  else if (c->still)
    hk_case_error(c, first, "material %s: attenuation (q_s, q_p) acts in explicit steps alone",
                  map->key);
  else if (!(q->s > 0) || (m->fluid && !isfinite(q->s)) || !band)
    hk_case_error(c, first, "material %s: attenuation needs %s", map->key,
                  band       ? m->fluid ? "q_p" : "q_s"
                  : m->fluid ? "q_band, the frequencies between which q_p holds"
                             : "q_band, the frequencies between which q_s holds");
  else if (hk_case_numbers(band, 2, q->band) != 2 || !(q->band[0] < q->band[1]))
    hk_case_error(c, band, "material %s: q_band needs two frequencies, the lower one first",
                  map->key);
  else if (!m->fluid && in_plane_stress(c) && q->p != q->s)
    hk_case_error(c, first,
                  "material %s: plane stress supports one quality factor: give q_p and q_s the "
                  "same value",
                  map->key);
  q->frequency = hk_case_number(map, "q_frequency", sqrt(q->band[0] * q->band[1]));
  *good = c->tree.errors == errors;
}

/* Moduli for a sudden strain: C grows by the isotropic body in which waves become faster so; as a whole where both are alike. */
static void make_sudden(const hk_relaxation *r, double lambda, double mu, bool alike,
                        hk_material *m)
{
  const double p = (lambda + 2 * mu) * (r->p_sudden - 1), s = mu * (r->s_sudden - 1);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      if (alike) m->c[i][j] *= r->s_sudden;
      if (!alike && i == j) m->c[i][j] += i < 3 ? p : s;
      if (!alike && i != j && i < 3 && j < 3) m->c[i][j] += p - 2 * s;
    }
}

/* Warns where the constants hold where Q does not. */
static void judge_frequency(hk_case *c, const hk_node *map, const hk_quality *q)
{
  if (q->frequency < q->band[0] || q->frequency > q->band[1])
    hk_messages_add(c->list, HK_WARNING, c->tree.path, hk_node_find(map, "q_frequency")->line, 0,
                    "material %s: q_frequency lies outside q_band, where Q is not constant: waves "
                    "within the band get other speeds than those of a constant Q",
                    map->key);
}

void hk_case_judge_fit(hk_case *c, const hk_node *map, double error)
{
  if (100 * error > LARGE_ERROR)
    hk_messages_add(c->list, HK_WARNING, c->tree.path, first_key(map)->line, 0,
                    "material %s: the quality factors hold within %.0f %% over q_band: a narrower "
                    "band makes them more exact",
                    map->key, 100 * error);
}

/* *fit is made for the ratio (lambda + 2 mu) / mu. The last 12 bits of the ratio are rounding of the constants. */
static hk_status fit_ratio(const hk_quality *q, double ratio, hk_case_fit *fit)
{
  int exponent;
  const double bits = ldexp(1, 40), m = frexp(ratio, &exponent),
               rounded = ldexp(round(m * bits) / bits, exponent);
  if (rounded == fit->ratio) return HK_OK;
  fit->ratio = 0;
  HK_PASS(hk_quality_fit(q, rounded, &fit->relaxation));
  fit->ratio = rounded;
  return HK_OK;
}

/* The law of a solid. */
static hk_status relax_solid(const hk_quality *q, int dim, hk_case_fit *fit, hk_material *out)
{
  double d[36], lambda, mu;
  const hk_relaxation *r = &fit->relaxation;
  const hk_region region = {.material = *out, .plane = HK_PLANE_STRAIN, .thickness = 1};
  hk_region_stiffness(&region, dim, d);
  hk_stiffness_means(dim, d, &lambda, &mu);
  HK_PASS(fit_ratio(q, (lambda + 2 * mu) / mu, fit));
  make_sudden(r, lambda, mu, q->p == q->s, out);
  out->law = "viscoelastic";
  memcpy(out->constant, r->rate, sizeof r->rate);
  memcpy(out->constant + HK_MECHANISMS, r->p, sizeof r->p);
  memcpy(out->constant + 2 * HK_MECHANISMS, r->s, sizeof r->s);
  return HK_OK;
}

/* The bulk modulus of a fluid for a sudden strain, and in its constants rates and b of the creep, and the modulus over that at q_frequency. */
static hk_status relax_fluid(const hk_quality *q, hk_case_fit *fit, hk_material *out)
{
  const double any = 2; /* a fluid has one kind of waves, fitted as if it were shear */
  const hk_relaxation *r = &fit->relaxation;
  const hk_quality one = {
      .band = {q->band[0], q->band[1]}, .frequency = q->frequency, .p = INFINITY, .s = q->p};
  HK_PASS(fit_ratio(&one, any, fit));
  out->bulk *= r->s_sudden;
  hk_relaxation_creep(r, r->s, out->constant, out->constant + HK_MECHANISMS);
  out->constant[2 * HK_MECHANISMS] = r->s_sudden;
  return HK_OK;
}

/* What was asked for, for `hooke check` and the report. */
static void keep_quality(const hk_quality *q, hk_material *out)
{
  const double given[] = {q->band[0], q->band[1], q->frequency, q->p, q->s};
  memcpy(out->constant + HK_QUALITY_AT, given, sizeof given);
}

hk_status hk_case_attenuate(const hk_quality *q, int dim, hk_case_fit *fit, hk_material *out)
{
  HK_PASS(out->fluid ? relax_fluid(q, fit, out) : relax_solid(q, dim, fit, out));
  keep_quality(q, out);
  return HK_OK;
}

/* Whether something moves a body at t = 0: its strain would have come within one step, and its rate would be that of a blow. */
static bool begins_strained(const hk_case *c)
{
  const hk_node *list = hk_case_value(c->tree.root, "initial");
  for (const hk_node *n = list ? list->child : NULL; n; n = n->next)
    if (hk_node_find(n, "displacement")) return true;
  return false;
}

/* A Kelvin-Voigt solid. */
static void read_delay(hk_case *c, const hk_node *map, const hk_node *node, hk_material *out)
{
  const char *words = !out->elastic     ? "is of solids"
                      : c->still        ? "acts in explicit steps alone"
                      : first_key(map)  ? "stands for q_s and q_p: give one of both"
                      : !out->isotropic ? "needs an isotropic material"
                      : begins_strained(c)
                          ? "cannot begin with a displacement: give a velocity, or a motion in time"
                          : NULL;
  if (words) {
    hk_case_error(c, node, "material %s: kelvin_voigt %s", map->key, words);
    return;
  }
  out->law = "viscoelastic";
  out->constant[HK_DELAY_AT] = node->number;
}

bool hk_case_quality(hk_case *c, const hk_node *map, const hk_material *m, hk_quality *q)
{
  bool good;
  if (hk_node_find(map, "kelvin_voigt") || !first_key(map)) return false;
  read_quality(c, map, m, q, &good);
  return good;
}

hk_status hk_case_read_attenuation(hk_case *c, const hk_node *map, bool spreads, hk_material *out)
{
  hk_quality q;
  hk_case_fit fit = {0};
  const hk_node *delay = hk_node_find(map, "kelvin_voigt");
  if (delay && !delay->refused) read_delay(c, map, delay, out);
  if (!hk_case_quality(c, map, out, &q)) return HK_OK;
  hk_quality asked = q;
  if (spreads && !out->fluid) asked.p = INFINITY; /* the largest q_p depends on the constants */
  HK_PASS(hk_case_forgive(c, first_key(map),
                          hk_case_attenuate(&asked, c->model->mesh->dim, &fit, out)));
  judge_frequency(c, map, &q);
  if (!spreads) hk_case_judge_fit(c, map, fit.relaxation.error);
  return HK_OK;
}

const hk_node *hk_case_quality_key(const hk_node *map)
{
  return first_key(map);
}
