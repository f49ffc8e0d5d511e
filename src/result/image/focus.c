/* The total focusing method. The region is a rectangle of points along two axes of space; each point takes from each trace the analytic signal at the
 * time of flight from the source to the point and on to the receiver. Points are shared out among the threads; a point's sum always goes
 * over shots, then receivers. */
#include "result/image/image.h"
#include <math.h>
#include <omp.h>

void hk_image_clear(hk_image *image)
{
  hk_pool_clear(&image->pool);
  *image = (hk_image){0};
}

static const char *const axis_name[] = {"x", "y", "z"};

/* The two axes along which the region has an extent. */
static hk_status find_axes(const hk_capture *c, const hk_image_how *how, int *axis)
{
  int count = 0;
  for (int d = 0; d < c->dim; d++) {
    HK_NEED(isfinite(how->from[d]) && isfinite(how->to[d]) && how->to[d] >= how->from[d],
            HK_BAD_INPUT, "region: %s goes from %g to %g: the second must not be below the first",
            axis_name[d], how->from[d], how->to[d]);
    if (how->to[d] > how->from[d] && count < 2) axis[count] = d;
    count += how->to[d] > how->from[d];
  }
  HK_NEED(count == 2, HK_BAD_INPUT,
          "region: has an extent along %d axes: an image is a rectangle along two, and the third "
          "coordinate of both corners is the same",
          count);
  return HK_OK;
}

static hk_status set_axis(hk_image *i, int which, int d, const hk_capture *c,
                          const hk_image_how *how)
{
  enum { MOST = 20000 };
  hk_image_axis *a = &i->axis[which];
  const double extent = how->to[d] - how->from[d], cells = extent / how->spacing;
  HK_NEED(how->spacing > 0 && cells < MOST, HK_BAD_INPUT,
          "spacing %g: must be above 0 and give at most %d points along %s", how->spacing, MOST,
          axis_name[d]);
  *a = (hk_image_axis){axis_name[d], c->length_unit, 1 + (hk_count)floor(cells + 1e-9), NULL};
  HK_NEED(a->count > 1, HK_BAD_INPUT, "spacing %g: the region is only %g wide along %s",
          how->spacing, extent, axis_name[d]);
  HK_PASS(hk_pool_get(&i->pool, &a->at, a->count));
  for (hk_count k = 0; k < a->count; k++) a->at[k] = how->from[d] + (double)k * how->spacing;
  return HK_OK;
}

static double distance(const double *a, const double *b)
{
  double square = 0;
  for (int d = 0; d < 3; d++) square += (a[d] - b[d]) * (a[d] - b[d]);
  return sqrt(square);
}

/* flight[shots + receivers]: from the sources, then to the receivers. */
static void find_flights(const hk_capture *c, const double *p, double speed, double *flight)
{
  for (hk_count s = 0; s < c->shots; s++) flight[s] = distance(p, c->source[s]) / speed;
  for (hk_count r = 0; r < c->receivers; r++)
    flight[c->shots + r] = distance(p, c->receiver[r]) / speed;
}

/* |sum of signals at the times of flight| / (shots receivers); places in samples from `low` to `high` count. */
static double focus_at(const hk_capture *c, double delay, const double *flight, double low,
                       double high)
{
  const double *out = flight, *back = flight + c->shots;
  double re = 0, im = 0;
  for (hk_count s = 0; s < c->shots; s++)
    for (hk_count r = 0; r < c->receivers; r++) {
      const double place = (out[s] + back[r] + delay - c->start) / c->step;
      if (!(place >= low && place <= high)) continue;
      hk_count k = (hk_count)place;
      if (k > c->samples - 2) k = c->samples - 2;
      const hk_complex *z = c->signal + (s * c->receivers + r) * c->samples + k;
      re += z[0].re + (place - (double)k) * (z[1].re - z[0].re);
      im += z[0].im + (place - (double)k) * (z[1].im - z[0].im);
    }
  return hypot(re, im) / ((double)c->shots * (double)c->receivers);
}

hk_status hk_image_focus(const hk_capture *c, const hk_image_how *how, hk_image *i)
{
  hk_status status = HK_OK;
  int axis[2];
  double *room = NULL;
  const hk_count ends = c->shots + c->receivers;
  const double low = fmax(0, (how->gate[0] - c->start) / c->step);
  const double high = fmin((double)c->samples - 1, (how->gate[1] - c->start) / c->step);
  HK_CHECK(how->speed > 0 && isfinite(how->speed), HK_BAD_INPUT, "speed %g: must be above 0",
           how->speed);
  HK_TRY(find_axes(c, how, axis));
  for (int k = 0; k < 2; k++) HK_TRY(set_axis(i, k, axis[k], c, how));
  const hk_count wide = i->axis[0].count, tall = i->axis[1].count;
  HK_TRY(hk_pool_get(&i->pool, &i->value, wide * tall));
  HK_TRY(hk_get(&room, omp_get_max_threads() * ends));
#pragma omp parallel for schedule(dynamic, 64)
  for (hk_count k = 0; k < wide * tall; k++) {
    double p[3] = {how->from[0], how->from[1], how->from[2]};
    double *flight = room + omp_get_thread_num() * ends;
    p[axis[0]] = i->axis[0].at[k % wide], p[axis[1]] = i->axis[1].at[k / wide];
    find_flights(c, p, how->speed, flight);
    i->value[k] = focus_at(c, how->delay, flight, low, high);
  }
  i->unit = c->unit, i->plane = true;
cleanup:
  hk_free(&room);
  return status;
}

double hk_image_peak(const hk_image *i, double *place)
{
  const hk_count wide = i->axis[0].count, count = wide * i->axis[1].count;
  hk_count most = 0;
  for (hk_count k = 1; k < count; k++)
    if (i->value[k] > i->value[most]) most = k;
  place[0] = i->axis[0].at[most % wide], place[1] = i->axis[1].at[most / wide];
  return i->value[most];
}
