/* `plane_wave` of a source: direction, kind and amplitude of a wave that comes into the model (load/wave/wave.h). Azimuths count from north (y) towards east
 * (x). What depends on materials and on the surface of the total field is checked where the forces are made (run/acts/inject.c). */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

/* `level` of a direction: x in 2D, else its part across up; of a vertical one that of the azimuth. */
static void find_level(int dim, double azimuth, hk_plane_wave *w)
{
  double size = 0;
  w->level[0] = dim == 2 ? 1 : sin(azimuth), w->level[1] = dim == 2 ? 0 : cos(azimuth);
  for (int c = 0; dim == 3 && c < 2; c++) size = hypot(size, w->along[c]);
  for (int c = 0; size > 1e-12 && c < 2; c++) w->level[c] = w->along[c] / size;
}

static void aim(int dim, double incidence, double azimuth, double along[3])
{
  along[dim - 1] = cos(incidence);
  along[0] = sin(incidence) * (dim == 2 ? 1 : sin(azimuth));
  if (dim == 3) along[1] = sin(incidence) * cos(azimuth);
}

static bool take_direction(hk_case *c, const hk_node *what, hk_plane_wave *w)
{
  const int dim = c->model->mesh->dim;
  const double degree = M_PI / 180, azimuth = degree * hk_case_number(what, "azimuth", 0);
  const hk_node *direction = hk_node_find(what, "direction"),
                *incidence = hk_node_find(what, "incidence"),
                *turned = hk_node_find(what, "azimuth");
  if (!hk_case_either(c, what, "direction", "incidence")) return false;
  if (turned && dim == 2 && !c->any_dim)
    hk_case_error(c, turned, "azimuth is for 3D: give a negative incidence for waves towards -x");
  if (turned && direction)
    hk_case_error(c, turned, "azimuth belongs to incidence: the direction is given");
  if ((direction && direction->refused) || (incidence && incidence->refused)) return false;
  if (direction && c->any_dim) return hk_case_vector(c, direction, w->along);
  if (direction && !hk_case_unit(c, direction, dim, w->along)) return false;
  if (incidence) aim(dim, degree * incidence->number, azimuth, w->along);
  find_level(dim, azimuth, w);
  return true;
}

static hk_status take(hk_case *c, const hk_node *what, hk_plane_wave *w, bool *good)
{
  const hk_node *kind = hk_case_value(what, "kind"), *surface = hk_case_value(what, "free_surface"),
                *through = hk_case_value(what, "through");
  *good = take_direction(c, what, w) && kind;
  if (kind) w->kind = (hk_wave_kind)kind->number;
  w->amplitude = hk_case_number(what, "displacement", 0);
  w->below = surface != NULL;
  w->surface = surface ? surface->number : 0;
  w->has_from = through != NULL;
  return through && !hk_case_vector(c, through, w->from) ? (*good = false, HK_OK) : HK_OK;
}

/* Keys that it does not take. */
static void refuse_others(hk_case *c, const hk_node *map)
{
  hk_case_refuse(c, map,
                 HK_WORDS("force", "total_force", "displacement", "velocity", "volume_rate",
                          "fault", "injection", "moment", "explosion", "double_couple", "gravity",
                          "body_force", "centrifugal"),
                 "the source has plane_wave and ", ": give one of them");
  hk_case_refuse(c, map, HK_WORDS("at", "direction", "axes"), "the source has plane_wave, and ",
                 " does not belong to it: give set, and direction within plane_wave");
}

static hk_status add(hk_case *c, const hk_node *map, const hk_plane_wave *wave, int signal)
{
  hk_load *l;
  hk_plane_wave *kept;
  HK_PASS(
      hk_step_add_load(c->model, c->step, HK_LOAD_PLANE_WAVE, signal, hk_case_place(c, map), &l));
  HK_PASS(hk_pool_get(&c->model->pool, &kept, 1));
  *kept = *wave;
  l->wave = kept;
  l->medium = hk_case_medium(c);
  if (hk_node_find(map, "set")) HK_PASS(hk_case_find_volume(c, map, &l->target));
  return hk_case_delay(c, map, NULL, &l->delay, &l->delays);
}

hk_status hk_case_fill_wave(hk_case *c, const hk_node *map, bool *taken)
{
  const hk_node *what = hk_node_find(map, "plane_wave");
  hk_plane_wave wave = {.kind = HK_WAVE_P};
  int signal;
  bool good = false;
  *taken = what != NULL;
  if (!what) return HK_OK;
  refuse_others(c, map);
  HK_PASS(hk_case_signal(c, map, &signal));
  if (c->still) hk_case_error(c, what, "plane_wave is for solve: explicit");
  if (hk_case_spatial(c)) hk_case_error(c, what, "plane_wave is not for plane: three-components");
  if (hk_case_ring(c))
    hk_case_error(
        c, what,
        "plane_wave is not for axisymmetric models: a wave along the axis is a traction or a "
        "velocity on an end, with x fixed at the side");
  if (!hk_node_find(map, "signal"))
    hk_case_error(c, what, "plane_wave needs a signal, that of its displacement");
  if (what->refused || what->kind != HK_NODE_MAP) return HK_OK;
  HK_PASS(take(c, what, &wave, &good));
  return good && signal >= 0 ? add(c, map, &wave, signal) : HK_OK;
}
