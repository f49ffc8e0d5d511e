/* `injection` of a source: a wave recorded at points, from a file, that comes into the elements of the set (docs/sources.md). An HDF5 file has it as hooke
 * records traces: /traces/NAME with coordinates[point][dimension], time[sample] and displacement, velocity or pressure[point][component][sample], each
 * with the attribute `unit`. Velocities and pressures are integrated, for the unknowns are u and q = -int p dt. What depends on the mesh's nodes and on the
 * end of the run is checked where the forces are made (run/acts/recorded.c). */
#include "hdf/hdf.h"
#include "input/case/case.h"
#include <math.h>
#include <string.h>

enum { DISPLACEMENT, VELOCITY, PRESSURE, QUANTITIES };
static const char *const word[QUANTITIES] = {"displacement", "velocity", "pressure"};
static const hk_dimension length = {{1, 0, 0, 0}}, duration = {{0, 0, 1, 0}},
                          of[QUANTITIES] = {{{1, 0, 0, 0}}, {{1, 0, -1, 0}}, {{-1, 1, -2, 0}}};

typedef struct reading {
  hk_case *c;
  const hk_node *map; /* of `injection` */
  const char *path;   /* of the model's files */
  hk_hdf *file;
  char *group; /* "/traces/NAME" */
  int quantity;
  hk_count shots, shot, times; /* shots 0: the values have no such axis; times of the file */
  double unit;                 /* of the values */
  double beyond
      [5]; /* weights of the last samples in one more, behind a last one off the grid; 0: none */
  double largest;
  hk_count strongest; /* trace, point * components + component */
  hk_recorded *out;
} reading;

/* beyond[] reaches so many samples back */
enum { BEYOND = 5 };

#define REFUSE(r, ...) return hk_error_set(HK_BAD_INPUT, __VA_ARGS__)

/* One of a dataset in the model's units. */
static hk_status find_unit(const reading *r, const char *path, const hk_dimension *d, double *out)
{
  hk_status status = HK_OK;
  char *text = NULL;
  *out = 1;
  HK_TRY(hk_hdf_text_read(r->file, path, "unit", &text));
  if (r->c->plain) {
    HK_CHECK(!*text, HK_BAD_INPUT,
             "%s: %s has the unit \"%.40s\", and the case has units: none: give the case units",
             r->path, path, text);
    goto cleanup;
  }
  HK_CHECK(*text, HK_BAD_INPUT, "%s: %s has no attribute `unit`: write it, such as \"m\" or \"km\"",
           r->path, path);
  HK_CHECK(hk_case_unit_of(r->c, text, *d, out), HK_BAD_INPUT,
           "%s: the unit \"%.40s\" of %s is not one of %s", r->path, text, path,
           d == &length     ? "length"
           : d == &duration ? "time"
                            : word[r->quantity]);
cleanup:
  hk_free(&text);
  return status;
}

/* The only group of traces, or the one that the case names. */
static hk_status find_group(reading *r)
{
  hk_status status = HK_OK;
  int count = 0;
  char **name = NULL;
  const char *given = hk_case_text(r->map, "traces", NULL);
  HK_CHECK(hk_hdf_exists(r->file, "/traces"), HK_BAD_INPUT,
           "%s: has no group /traces (docs/sources.md describes such files)", r->path);
  HK_TRY(hk_hdf_names(r->file, "/traces", &count, &name));
  HK_CHECK(count, HK_BAD_INPUT, "%s: the group /traces is empty", r->path);
  HK_CHECK(given || count == 1, HK_BAD_INPUT,
           "%s: has %d groups of traces (%s, %s%s): name one by `traces`", r->path, count, name[0],
           name[count > 1], count > 2 ? ", ..." : "");
  HK_TRY(hk_format(&r->group, "/traces/%s", given ? given : name[0]));
  HK_CHECK(hk_hdf_exists(r->file, r->group), HK_BAD_INPUT, "%s: has no group %s; it has %s%s%s",
           r->path, r->group, name[0], count > 1 ? ", " : "", count > 1 ? name[1] : "");
cleanup:
  hk_names_free(count, &name);
  return status;
}

/* *path = group/name, and what it is; the caller frees it. */
static hk_status find(const reading *r, const char *name, char **path, hk_hdf_array *array)
{
  HK_PASS(hk_format(path, "%s/%s", r->group, name));
  HK_NEED(hk_hdf_exists(r->file, *path), HK_BAD_INPUT, "%s: has no %s (docs/sources.md)", r->path,
          *path);
  return hk_hdf_array_find(r->file, *path, array);
}

static hk_status read_points(reading *r)
{
  hk_status status = HK_OK;
  char *path = NULL;
  hk_hdf_array a;
  double unit;
  hk_recorded *o = r->out;
  const int dim = o->ring ? 2 : r->c->model->mesh->dim;
  HK_TRY(find(r, "coordinates", &path, &a));
  HK_TRY(find_unit(r, path, &length, &unit));
  HK_CHECK(a.rank == 2 && a.size[0] > 0 && (a.size[1] == dim || (r->c->any_dim && a.size[1] <= 3)),
           HK_BAD_INPUT, "%s: %s must have the shape [points][%d]%s", r->path, path, dim,
           o->ring ? ", radius and height" : "");
  o->points = a.size[0], o->dim = (int)a.size[1];
  HK_TRY(hk_pool_get(&r->c->model->pool, &o->x, o->points * o->dim));
  HK_TRY(hk_hdf_read(r->file, path, o->dim, 0, o->points, o->x));
  for (hk_count i = 0; i < o->points * o->dim; i++) {
    HK_CHECK(isfinite(o->x[i]), HK_BAD_INPUT, "%s: point %lld of %s is not a number", r->path,
             (long long)(i / o->dim), path);
    o->x[i] *= unit;
  }
cleanup:
  hk_free(&path);
  return status;
}

/* A last sample at the part s of an interval, off the grid: the polynomial through it and the four before it leads to the end of the interval. */
static void reach_beyond(reading *r, double s)
{
  const double at[BEYOND] = {-3, -2, -1, 0, s};
  for (int i = 0; i < BEYOND; i++) {
    r->beyond[i] = 1;
    for (int k = 0; k < BEYOND; k++)
      if (k != i) r->beyond[i] *= (1 - at[k]) / (at[i] - at[k]);
  }
}

static hk_status judge_times(reading *r, const double *t, const char *path)
{
  const double even = 1e-4;
  hk_recorded *o = r->out;
  const hk_count n = r->times;
  const double step = (t[n - 2] - t[0]) / (double)(n - 2), s = (t[n - 1] - t[n - 2]) / step;
  for (hk_count k = 0; k < n; k++)
    if (!(k ? t[k] > t[k - 1] : isfinite(t[0])) ||
        (k < n - 1 ? !(fabs(t[k] - t[0] - (double)k * step) <= even * step) : s > 1 + even))
      REFUSE(r, "%s: %s[%lld]: samples must ascend with equal steps (the last one may be shorter)",
             r->path, path, (long long)k);
  o->begin = t[0], o->step = step, o->end = t[n - 1], o->samples = n;
  if (s < 1 - even && s > 1e-3) reach_beyond(r, s);
  if (s <= 1e-3) o->samples = n - 1;
  return HK_OK;
}

static hk_status read_times(reading *r)
{
  hk_status status = HK_OK;
  char *path = NULL;
  double *t = NULL, unit;
  hk_hdf_array a;
  HK_TRY(find(r, "time", &path, &a));
  HK_TRY(find_unit(r, path, &duration, &unit));
  HK_CHECK(a.rank == 1 && a.count > HK_RECORDED_LEAST + 1, HK_BAD_INPUT,
           "%s: %s must have the shape [samples], with at least %d of them", r->path, path,
           HK_RECORDED_LEAST + 2);
  r->times = a.count;
  HK_TRY(hk_get(&t, a.count));
  HK_TRY(hk_hdf_read(r->file, path, 1, 0, a.count, t));
  for (hk_count k = 0; k < a.count; k++) t[k] *= unit;
  HK_TRY(judge_times(r, t, path));
cleanup:
  hk_free(&path);
  hk_free(&t);
  return status;
}

/* Which quantity the group has, and its shape. */
static hk_status find_values(reading *r, char **path)
{
  hk_hdf_array a;
  hk_recorded *o = r->out;
  bool has[QUANTITIES];
  for (int q = 0; q < QUANTITIES; q++) {
    HK_PASS(hk_format(path, "%s/%s", r->group, word[q]));
    has[q] = hk_hdf_exists(r->file, *path);
    hk_free(path);
  }
  r->quantity = has[PRESSURE] && hk_case_medium(r->c) == HK_FLUID ? PRESSURE
                : has[DISPLACEMENT]                               ? DISPLACEMENT
                : has[VELOCITY]                                   ? VELOCITY
                                                                  : PRESSURE;
  HK_NEED(has[r->quantity], HK_BAD_INPUT, "%s: %s has no displacement, velocity or pressure",
          r->path, r->group);
  o->fluid = r->quantity == PRESSURE;
  o->components = o->fluid || hk_case_antiplane(r->c) ? 1 : o->dim;
  HK_PASS(find(r, word[r->quantity], path, &a));
  const int own = a.rank - 3;
  HK_NEED((own == 0 || own == 1) && a.size[own] == o->points && a.size[own + 1] == o->components &&
              a.size[own + 2] == r->times,
          HK_BAD_INPUT,
          "%s: %s must have the shape [points][components][samples], here [%lld][%d][%lld]%s",
          r->path, *path, (long long)o->points, o->components, (long long)r->times,
          own == 1 ? " behind an axis of shots" : "");
  r->shots = own ? a.size[0] : 0;
  r->shot = (hk_count)hk_case_number(r->map, "shot", 0) - 1;
  HK_NEED(r->shots ? r->shots == 1 || r->shot >= 0 : r->shot < 0, HK_BAD_INPUT,
          r->shots ? "%s: has %lld shots: give shot, which of them"
                   : "%s: has no shots: remove shot",
          r->path, (long long)r->shots);
  HK_NEED(r->shot < r->shots || !r->shots, HK_BAD_INPUT, "%s: has no shot %lld: it has %lld",
          r->path, (long long)r->shot + 1, (long long)r->shots);
  return find_unit(r, *path, &of[r->quantity], &r->unit);
}

/* One trace y[times + 1] becomes a spline c[samples + 2]. room[2][samples] */
static hk_status take_trace(reading *r, hk_count trace, double *y, double *room, double *c)
{
  const hk_recorded *o = r->out;
  const hk_count n = o->samples;
  for (hk_count k = 0; k < r->times; k++) {
    if (!isfinite(y[k]))
      REFUSE(r, "%s: %s of point %lld, sample %lld, is not a number", r->path, word[r->quantity],
             (long long)(trace / o->components), (long long)k);
    y[k] *= r->unit;
  }
  if (r->beyond[BEYOND - 1] != 0) {
    double sum = 0;
    for (int k = 0; k < BEYOND; k++) sum += r->beyond[k] * y[n - BEYOND + k];
    y[n - 1] = sum;
  }
  hk_spline_fit(n, y, room, c);
  if (r->quantity != DISPLACEMENT) {
    hk_spline_integrate(n, r->quantity == PRESSURE ? -o->step : o->step, c, room + n);
    hk_spline_fit(n, room + n, room, c);
  }
  for (hk_count k = 1; k <= n; k++)
    if (fabs(c[k]) > r->largest) r->largest = fabs(c[k]), r->strongest = trace;
  return HK_OK;
}

static hk_status read_values(reading *r)
{
  hk_status status = HK_OK;
  char *path = NULL;
  double *y = NULL, *room = NULL;
  hk_recorded *o = r->out;
  HK_TRY(find_values(r, &path));
  const hk_count row = o->components * r->times, size = o->samples + 2, most = 1 + (1 << 20) / row;
  HK_TRY(hk_pool_get(&r->c->model->pool, &o->c, o->points * o->components * size));
  HK_TRY(hk_get(&y, most * row));
  HK_TRY(hk_get(&room, 2 * o->samples));
  for (hk_count first = 0; first < o->points; first += most) {
    const hk_count count = o->points - first < most ? o->points - first : most;
    HK_TRY(r->shots
               ? hk_hdf_read_within(r->file, path, r->shot > 0 ? r->shot : 0, row, first, count, y)
               : hk_hdf_read(r->file, path, row, first, count, y));
    for (hk_count k = 0; k < count * o->components; k++) {
      const hk_count trace = first * o->components + k;
      HK_TRY(take_trace(r, trace, y + k * r->times, room, o->c + trace * size));
    }
  }
  HK_CHECK(r->largest > 0, HK_BAD_INPUT, "%s: all values of %s are 0", r->path, path);
cleanup:
  hk_free(&path);
  hk_free(&y);
  hk_free(&room);
  return status;
}

static hk_status read_file(reading *r)
{
  hk_status status = HK_OK;
  HK_TRY(hk_hdf_open(r->path, false, &r->file));
  HK_TRY(find_group(r));
  HK_TRY(read_points(r));
  HK_TRY(read_times(r));
  HK_TRY(read_values(r));
cleanup:
  hk_hdf_close(&r->file);
  hk_free(&r->group);
  return status;
}

/* The wave of the file, and as a signal its strongest trace, by which mesh and boundaries are judged. */
static hk_status add_recorded(reading *r, const hk_node *map)
{
  hk_model *model = r->c->model;
  hk_plane_wave *wave;
  hk_load *l;
  int signal = -1;
  HK_PASS(hk_pool_get(&model->pool, &wave, 1));
  *wave = (hk_plane_wave){.recorded = r->out, .amplitude = r->largest};
  if (r->out->points) {
    const hk_count size = r->out->samples + 2;
    const hk_signal strongest = hk_spline_signal(r->out, r->out->c + r->strongest * size);
    HK_PASS(hk_model_add_signal(model, &strongest, &signal));
  }
  HK_PASS(hk_step_add_load(model, r->c->step, HK_LOAD_PLANE_WAVE, signal, hk_case_place(r->c, map),
                           &l));
  l->wave = wave, l->medium = r->out->fluid ? HK_FLUID : HK_SOLID;
  l->delay = hk_case_number(map, "delay", 0);
  return hk_case_find_volume(r->c, map, &l->target);
}

static hk_status take(hk_case *c, const hk_node *map, const hk_node *what, const char *name)
{
  hk_status status = HK_OK;
  char *path = NULL;
  const hk_node *axis = hk_case_value(what, "axis");
  reading r = {.c = c, .map = what};
  HK_TRY(hk_pool_get(&c->model->pool, &r.out, 1));
  r.out->ring = axis != NULL;
  if (axis) hk_case_numbers(axis, 2, r.out->axis);
  HK_TRY(hk_case_beside(c, name, &path));
  if (!c->desc->without_injections) {
    HK_TRY(hk_model_add_file(c->model, path));
    r.path = r.out->path = c->model->file.at[c->model->file.count - 1];
    HK_TRY(read_file(&r));
  }
  HK_TRY(add_recorded(&r, map));
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_case_fill_injection(hk_case *c, const hk_node *map, bool *taken)
{
  const hk_node *what = hk_node_find(map, "injection"), *set = hk_node_find(map, "set"),
                *delay = hk_case_value(map, "delay");
  *taken = what != NULL;
  if (!what) return HK_OK;
  hk_case_refuse(c, map,
                 HK_WORDS("force", "total_force", "displacement", "velocity", "volume_rate",
                          "fault", "plane_wave", "moment", "explosion", "double_couple", "gravity",
                          "body_force", "centrifugal"),
                 "the source has injection and ", ": give one of them");
  hk_case_refuse(c, map, HK_WORDS("at", "direction", "axes", "signal"),
                 "the source has injection, and ",
                 " does not belong to it: the file has the wave over time");
  if (delay && delay->kind == HK_NODE_LIST)
    hk_case_error(c, delay, "a list of delays is for nodes: give one delay");
  if (c->still) hk_case_error(c, what, "injection is for solve: explicit");
  if (hk_case_spatial(c)) hk_case_error(c, what, "injection is not for plane: three-components");
  if (hk_case_ring(c)) hk_case_error(c, what, "injection is not for axisymmetric models");
  if (!set) hk_case_error(c, what, "injection needs a set, the elements that have the total field");
  if (what->refused || what->kind != HK_NODE_MAP || !set || set->refused || c->still ||
      hk_case_spatial(c))
    return HK_OK;
  const hk_node *file = hk_case_value(what, "file"), *axis = hk_case_value(what, "axis");
  if (axis && c->model->mesh->dim == 2 && !c->any_dim) {
    hk_case_error(c, axis, "axis is for 3D models, into which an axisymmetric wave comes");
    return HK_OK;
  }
  return file ? hk_case_forgive(c, file, take(c, map, what, file->text)) : HK_OK;
}
