/* Layers that damp, d(x) = d_max (x / L)^3 (W.19): chooses L and d_max, sets damping[node] to the largest of the layers over it, and predicts
 * the reflection at normal incidence by carrying (u, u_x) of u'' + d u' = c^2 u_xx through the layer; warns of layers that are too thin.
 * Distances to the faces come from distance.h. */
#include "load/absorb/absorb.h"
#include "load/absorb/distance.h"
#include <complex.h>
#include <math.h>

static const double attenuation = 6.907755278982137; /* ln(1 / R_0), R_0 = 1e-3 */
static const double wavelengths = 1.5;               /* of the layer that is chosen */
static const double steep = 0.05; /* reflection from which a layer is warned of */

/* State (u, u_x) at depth x of the layer. */
typedef struct wave_state {
  double complex u, slope;
} wave_state;

static wave_state along(wave_state s, double h, wave_state rate)
{
  return (wave_state){s.u + h * rate.u, s.slope + h * rate.slope};
}

double hk_absorb_reflection(double speed, double frequency, double thickness, double d_max)
{
  const double w = 2 * M_PI * frequency, k = w / speed;
  const double over = k * thickness + d_max * thickness / speed; /* phase and decay to resolve */
  const int steps = (int)fmin(100000, 200 + 40 * over);
  const double h = -thickness / steps;
  wave_state s = {1, 0};
  for (int i = 0; i < steps; i++) {
    wave_state rate[4];
    double complex factor[3];
    for (int j = 0; j < 3; j++) {
      const double x = 1 - (i + 0.5 * j) / steps;
      factor[j] = -(w * w - I * w * d_max * x * x * x) / (speed * speed);
    }
    rate[0] = (wave_state){s.slope, factor[0] * s.u};
    const wave_state a = along(s, h / 2, rate[0]);
    rate[1] = (wave_state){a.slope, factor[1] * a.u};
    const wave_state b = along(s, h / 2, rate[1]);
    rate[2] = (wave_state){b.slope, factor[1] * b.u};
    const wave_state c = along(s, h, rate[2]);
    rate[3] = (wave_state){c.slope, factor[2] * c.u};
    s.u += h / 6 * (rate[0].u + 2 * rate[1].u + 2 * rate[2].u + rate[3].u);
    s.slope += h / 6 * (rate[0].slope + 2 * rate[1].slope + 2 * rate[2].slope + rate[3].slope);
  }
  /* u = A exp(i (w t - k x)) + B exp(i (w t + k x)) before the layer; all comes back from one that
   * is too hard for numbers */
  const double reflection = cabs(I * k * s.u + s.slope) / cabs(I * k * s.u - s.slope);
  return isfinite(reflection) ? reflection : 1;
}

hk_absorb_box hk_absorb_box_of(const hk_mesh *mesh)
{
  hk_absorb_box b = {.least = INFINITY};
  for (int c = 0; c < mesh->dim; c++) {
    b.end[0][c] = INFINITY, b.end[1][c] = -INFINITY;
    for (hk_count n = 0; n < mesh->node_count; n++) {
      b.end[0][c] = fmin(b.end[0][c], mesh->x[n * mesh->dim + c]);
      b.end[1][c] = fmax(b.end[1][c], mesh->x[n * mesh->dim + c]);
    }
    b.least = fmin(b.least, b.end[1][c] - b.end[0][c]);
  }
  return b;
}

static void choose(const hk_absorb_wave *wave, double extent, hk_absorb_layer *layer)
{
  if (!(layer->thickness > 0)) {
    const double wanted =
        wave->frequency > 0 ? wavelengths * wave->speed / wave->frequency : extent;
    layer->thickness = fmin(wanted, extent / 4);
  }
  if (!(layer->d_max > 0)) layer->d_max = 4 * wave->speed * attenuation / layer->thickness;
  layer->reflection = wave->frequency > 0 ? hk_absorb_reflection(wave->speed, wave->frequency,
                                                                 layer->thickness, layer->d_max)
                                          : 0;
}

typedef struct layer_nodes {  /* numbers of nodes */
  hk_count damped, off_faces; /* inside the layer; of them, not on its faces */
} layer_nodes;

static void warn(const hk_mesh *mesh, const hk_absorb_wave *wave, const hk_absorb_layer *layer,
                 layer_nodes nodes, hk_messages *list)
{
  const char *unit = wave->unit ? wave->unit : "";
  if (layer->reflection > steep)
    hk_messages_add(list, HK_WARNING, layer->file, layer->line, 0,
                    "the absorbing layer is too steep: it is %g%s thick, %.2g wavelengths of the "
                    "fastest wave, and reflects %.2g %% of it: make it %g%s thick%s",
                    layer->thickness, unit, layer->thickness * wave->frequency / wave->speed,
                    100 * layer->reflection, wavelengths * wave->speed / wave->frequency, unit,
                    layer->thickness * wave->frequency < wavelengths * wave->speed
                        ? ""
                        : " and leave out d_max");
  if (nodes.damped == mesh->node_count)
    hk_messages_add(list, HK_WARNING, layer->file, layer->line, 0,
                    "the absorbing layer, %g%s thick, contains every node of the mesh: nothing is "
                    "left undamped, and no wave crosses its whole depth; make it thinner",
                    layer->thickness, unit);
  if (nodes.off_faces == 0)
    hk_messages_add(list, HK_WARNING, layer->file, layer->line, 0,
                    "the absorbing layer, %g%s thick, contains only the nodes of its faces: make "
                    "it several elements thick",
                    layer->thickness, unit);
}

/* damping = max(damping, d) over the nodes. */
static layer_nodes add_layer(const hk_mesh *mesh, const hk_absorb_layer *layer,
                             const hk_distance *distance, double *damping)
{
  const double thickness = layer->thickness;
  hk_count damped = 0, off_faces = 0;
#pragma omp parallel for schedule(static) reduction(+ : damped, off_faces)
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const double away = hk_distance_to(distance, mesh->x + n * mesh->dim, thickness);
    const double x = 1 - away / thickness;
    damping[n] = fmax(damping[n], layer->d_max * x * x * x);
    damped += x > 0;
    off_faces += x > 0 && away > 1e-6 * thickness;
  }
  return (layer_nodes){damped, off_faces};
}

hk_status hk_absorb_profile(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                            hk_absorb_layer *layer, hk_messages *list, double *damping)
{
  hk_status status = HK_OK;
  hk_distance *distance = NULL;
  const double extent = hk_absorb_box_of(mesh).least;

  HK_CHECK(isfinite(wave->speed) && wave->speed > 0, HK_BAD_INPUT,
           "absorbing layers need the speed of the fastest wave, above 0, not %g", wave->speed);
  for (int i = 0; i < layer_count; i++) {
    HK_CHECK(layer[i].count > 0, HK_BAD_INPUT,
             "absorbing layer %d has no faces or nodes: name a set with faces or nodes", i + 1);
    choose(wave, extent, &layer[i]);
    HK_TRY(hk_distance_create(mesh, layer[i].count, layer[i].item, layer[i].face, &distance));
    warn(mesh, wave, &layer[i], add_layer(mesh, &layer[i], distance, damping), list);
    hk_distance_destroy(&distance);
  }
cleanup:
  hk_distance_destroy(&distance);
  return status;
}
