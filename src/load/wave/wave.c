/* Rays of a plane wave (W.25). The free surface sends back rays with the same slowness along it, so that the sum of their tractions and that
 * of the wave vanishes at all times (W.26): two equations for P and SV, whose solutions are the coefficients of Aki and Richards (2002,
 * 5.27 to 5.32). SH comes back as it is, the pressure of a fluid with the opposite sign. */
#include "load/wave/wave.h"
#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool hk_wave_body_of(const hk_region *region, int dim, hk_wave_body *out)
{
  const hk_material *m = &region->material;
  *out = (hk_wave_body){.dim = dim, .fluid = m->fluid, .density = m->density};
  if (region->varies || m->law || region->plane == HK_AXISYMMETRIC) return false;
  out->antiplane = dim == 2 && region->plane == HK_ANTIPLANE;
  if (m->fluid) out->lambda = m->bulk;
  if (out->antiplane) out->mu = hk_region_scalar_wave(region).stiffness;
  return m->fluid || out->antiplane || hk_region_lame(region, dim, &out->lambda, &out->mu);
}

static double speed_of(hk_wave_kind kind, const hk_wave_body *b)
{
  return sqrt((kind == HK_WAVE_P ? b->lambda + 2 * b->mu : b->mu) / b->density);
}

double hk_wave_speed(const hk_plane_wave *wave, const hk_wave_body *body)
{
  return speed_of(wave->kind, body);
}

/* Unit vector of the motion of a wave along n = a level + b up: P n, SV b level - a up, SH up x level; z where waves move across the plane. */
static void polarise(const hk_wave_body *b, const hk_plane_wave *w, hk_wave_kind kind,
                     const double n[3], double out[3])
{
  const int up = b->dim - 1;
  const double along = dot(n, w->level);
  memset(out, 0, 3 * sizeof *out);
  if (kind == HK_WAVE_P) memcpy(out, n, 3 * sizeof *out);
  if (kind == HK_WAVE_SV) {
    for (int c = 0; c < b->dim; c++) out[c] = n[up] * w->level[c];
    out[up] -= along;
  }
  if (kind == HK_WAVE_SH && b->antiplane) out[2] = 1;
  if (kind == HK_WAVE_SH && !b->antiplane) out[0] = -w->level[1], out[1] = w->level[0];
}

/* Traction on a plane with the normal up by motion s(t - slowness . x), over -s': lambda up (s . m) + mu (s (m . up) + m (s . up)). */
static void traction(const hk_wave_body *b, const hk_ray *r, double out[3])
{
  const int up = b->dim - 1;
  for (int c = 0; c < 3; c++)
    out[c] = b->mu * (r->slowness[c] * r->motion[up] + r->motion[c] * r->slowness[up]);
  out[up] += b->lambda * dot(r->slowness, r->motion);
}

/* The ray of a wave of this kind that leaves the surface downwards with the slowness p along `level`. */
static hk_ray send_back(const hk_plane_wave *w, const hk_wave_body *b, hk_wave_kind kind, double p)
{
  const int up = b->dim - 1;
  const double c = speed_of(kind, b), q = sqrt(fmax(1 / (c * c) - p * p, 0));
  double n[3];
  hk_ray r = {.start = 0};
  for (int d = 0; d < 3; d++) n[d] = c * p * w->level[d];
  n[up] = -c * q;
  for (int d = 0; d < 3; d++) r.slowness[d] = n[d] / c;
  polarise(b, w, kind, n, r.motion);
  return r;
}

static void scale(hk_ray *r, double by)
{
  for (int c = 0; c < 3; c++) r->motion[c] *= by;
}

/* P and SV behind the wave so that no traction is left on the surface. */
static void free_of_traction(const hk_plane_wave *w, const hk_wave_body *b, double p, hk_ray *ray)
{
  const int up = b->dim - 1;
  double t[3][3];
  ray[1] = send_back(w, b, HK_WAVE_P, p), ray[2] = send_back(w, b, HK_WAVE_SV, p);
  for (int k = 0; k < 3; k++) traction(b, &ray[k], t[k]);
  const double a[3] = {dot(t[0], w->level), dot(t[1], w->level), dot(t[2], w->level)};
  const double det = a[1] * t[2][up] - a[2] * t[1][up];
  scale(&ray[1], -(a[0] * t[2][up] - a[2] * t[0][up]) / det);
  scale(&ray[2], -(a[1] * t[0][up] - a[0] * t[1][up]) / det);
}

/* Rays meet at the surface: start + slowness . (x - from) is the same there. */
static void begin(const hk_plane_wave *w, int up, const double from[3], hk_ray *ray, int count)
{
  for (int k = 1; k < count; k++)
    ray[k].start = (ray[0].slowness[up] - ray[k].slowness[up]) * (w->surface - from[up]);
}

hk_status hk_wave_check(const hk_plane_wave *w, const hk_wave_body *b)
{
  static const char *const name[] = {"P", "SV", "SH"};
  const bool there = b->fluid       ? w->kind == HK_WAVE_P
                     : b->antiplane ? w->kind == HK_WAVE_SH
                                    : b->dim == 3 || w->kind != HK_WAVE_SH;
  HK_NEED(there, HK_BAD_INPUT, "%s waves do not run in %s: give kind: %s", name[w->kind],
          b->fluid       ? "a fluid"
          : b->antiplane ? "a model of plane: antiplane"
                         : "a 2D model that moves in its plane",
          b->fluid       ? "p"
          : b->antiplane ? "sh"
                         : "p or sv, or plane: antiplane");
  HK_NEED(!w->below || w->along[b->dim - 1] > 1e-6, HK_BAD_INPUT,
          "the wave does not come to the free surface from below: give a direction that points "
          "upwards, or an incidence below 90 degrees");
  return HK_OK;
}

bool hk_wave_is_beyond(const hk_plane_wave *w, const hk_wave_body *b)
{
  return w->below && w->kind == HK_WAVE_SV && !b->fluid &&
         fabs(dot(w->along, w->level)) * speed_of(HK_WAVE_P, b) >= speed_of(HK_WAVE_SV, b);
}

void hk_wave_across(const hk_plane_wave *w, const hk_wave_body *b, double out[3])
{
  polarise(b, w, HK_WAVE_SH, w->along, out);
}

void hk_wave_rays(const hk_plane_wave *w, const hk_wave_body *b, const double from[3],
                  hk_ray ray[HK_MOST_RAYS], int *count)
{
  const double c = hk_wave_speed(w, b);
  const int up = b->dim - 1;
  ray[0] = (hk_ray){.start = 0};
  for (int d = 0; d < 3; d++) ray[0].slowness[d] = w->along[d] / c;
  polarise(b, w, w->kind, w->along, ray[0].motion);
  *count = w->below ? 2 : 1;
  if (w->below && w->kind != HK_WAVE_SH && !b->fluid)
    free_of_traction(w, b, dot(ray[0].slowness, w->level), ray), *count = 3;
  else if (w->below) {
    ray[1] = ray[0];
    ray[1].slowness[up] = -ray[0].slowness[up];
  }
  begin(w, up, from, ray, *count);
  for (int k = 0; k < *count && b->fluid; k++) /* displacement = integral of grad q / density */
    ray[k].motion[0] = k ? b->density * c : -b->density * c,
    ray[k].motion[1] = ray[k].motion[2] = 0;
  for (int k = 0; k < *count; k++) scale(&ray[k], w->amplitude);
}
