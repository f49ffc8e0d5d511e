/* Pictures of the frames of a field. A gallery opens the field and the surface once, chooses evenly spaced frames
 * among those that were written, and finds one range of colours for each quantity: the median over the frames of their
 * largest values, so that one strong frame does not hide the others. Vectors are shown by their length, stresses by
 * von Mises, other tensors e by sqrt(e : e). */
#include "picture/picture.h"
#include "base/file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stress(const hk_field_info *q)
{
  return q->wide == 6 && !strcmp(q->name, "stress");
}

/* von Mises stress sqrt(((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2) / 2 + 3 (xy^2 + yz^2 + xz^2)) */
static double von_mises(const double *s)
{
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* Vectors: length. Stress: von Mises. Other tensors e: sqrt(e : e). One component: itself. */
static double scalar_of(const hk_field_info *q, const double *v)
{
  double sum = 0;
  if (q->wide == 1) return v[0];
  if (is_stress(q)) return von_mises(v);
  for (int c = 0; c < q->wide; c++) sum += v[c] * v[c] * (q->wide == 6 && c > 2 ? 2 : 1);
  return sqrt(sum);
}

static void display_name(const hk_field_info *q, char *text, size_t size)
{
  const bool mises = !strcmp(q->name, "von_mises");
  snprintf(text, size,
           mises || q->wide == 1 ? "%.40s"
           : is_stress(q)        ? "von Mises %.40s"
                                 : "|%.40s|",
           mises ? "von Mises stress" : q->name);
}

static hk_status load_frame(hk_gallery *g, int quantity, hk_count frame)
{
  const hk_field_info *q = &g->field->quantity[quantity];
  HK_PASS(hk_field_read(g->field, frame, quantity, g->nodal));
  hk_surface_spread(g->surface, g->field->grid->nodes, q->wide, g->nodal, g->spread);
  for (hk_count i = 0; i < g->surface->corners; i++)
    g->value[i] = scalar_of(q, g->spread + i * q->wide);
  return HK_OK;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* A mode of a mechanism is drawn as displacements are. */
static bool moves(const hk_field_info *q)
{
  return q->wide == 3 && (!strcmp(q->name, "displacement") || !strcmp(q->name, "mechanism"));
}

static int displacement_of(const hk_gallery *g)
{
  for (int q = 0; q < g->field->count; q++)
    if (moves(&g->field->quantity[q])) return q;
  return -1;
}

static hk_status find_range(hk_gallery *g, int quantity)
{
  hk_status status = HK_OK;
  double *most = NULL, lowest = INFINITY, highest = -INFINITY;
  int used = 0;
  bool negative = false;
  hk_gallery_range *r = &g->range[quantity];

  HK_TRY(hk_get(&most, g->count));
  for (int k = 0; k < g->count; k++) {
    double largest = 0;
    HK_TRY(load_frame(g, quantity, g->frame[k]));
    for (hk_count i = 0; i < g->surface->corners; i++) {
      if (!isfinite(g->value[i])) continue;
      largest = fmax(largest, fabs(g->value[i]));
      lowest = fmin(lowest, g->value[i]), highest = fmax(highest, g->value[i]);
      negative = negative || g->value[i] < 0;
    }
    if (largest > 0) most[used++] = largest;
  }
  qsort(most, (size_t)used, sizeof *most, ascending);
  r->high = used ? most[g->moved ? used - 1 : used / 2] : 1; /* static steps: nothing beyond */
  r->beyond = used && most[used - 1] > r->high;
  r->map = negative ? HK_MAP_DIVERGING : HK_MAP_SEQUENTIAL;
  r->low = negative ? -r->high : 0;
  if (!strcmp(g->field->quantity[quantity].name, "temperature") && highest > lowest)
    *r = (hk_gallery_range){
        .low = lowest, .high = highest, .map = HK_MAP_SEQUENTIAL}; /* 0 means nothing */
  if (moves(&g->field->quantity[quantity]) && used) {
    double size = 0;
    for (int d = 0; d < 3; d++) size = fmax(size, g->surface->high[d] - g->surface->low[d]);
    const double scale = .04 * size / most[used - 1], power = pow(10, floor(log10(scale)));
    g->displacement_scale = power * (scale >= 5 * power ? 5 : scale >= 2 * power ? 2 : 1);
  }
cleanup:
  hk_free(&most);
  return status;
}

/* A frame was written when a value at a node is a number. */
static hk_status was_written(hk_gallery *g, hk_count frame, bool *yes)
{
  const hk_count items = g->field->grid->nodes * g->field->quantity[0].wide;
  hk_count i = 0;
  HK_PASS(hk_field_read(g->field, frame, 0, g->nodal));
  while (i < items && isnan(g->nodal[i])) i++;
  *yes = i < items;
  return HK_OK;
}

hk_count hk_gallery_pick(hk_count frames, hk_count count, hk_count k)
{
  return (k + 1) * frames / count - 1;
}

static hk_status pick_frames(hk_gallery *g, int most)
{
  hk_count written = g->field->frames;
  for (bool yes = false; written > 0 && !yes; written -= !yes)
    HK_PASS(was_written(g, written - 1, &yes));
  g->count = (int)(written < most ? written : most);
  HK_PASS(hk_pool_get(&g->pool, &g->frame, g->count));
  for (int k = 0; k < g->count; k++) g->frame[k] = hk_gallery_pick(written, g->count, k);
  return HK_OK;
}

/* steps without time */
static bool is_still(const json_t *run)
{
  const char *analysis = json_string_value(json_object_get(run, "analysis"));
  return analysis && (!strcmp(analysis, "static") || !strcmp(analysis, "heat"));
}

static hk_status get_arrays(hk_gallery *g)
{
  const hk_count nodes = g->field->grid->nodes, corners = g->surface->corners;
  HK_PASS(hk_pool_get(&g->pool, &g->corner, corners * 3));
  HK_PASS(hk_pool_get(&g->pool, &g->nodal, nodes * 9));
  HK_PASS(hk_pool_get(&g->pool, &g->spread, corners * 9));
  HK_PASS(hk_pool_get(&g->pool, &g->value, corners));
  if (is_still(g->run) && displacement_of(g) >= 0)
    HK_PASS(hk_pool_get(&g->pool, &g->moved, corners * 3));
  HK_PASS(hk_pool_get(&g->pool, &g->range, g->field->count));
  hk_surface_spread(g->surface, nodes, 3, g->field->grid->point, g->corner);
  return HK_OK;
}

/* Of run.h5; "" when there is none. */
static hk_status read_time_unit(const char *run, char **out)
{
  hk_status status = HK_OK;
  char *path = NULL;
  hk_hdf *file = NULL;
  HK_TRY(hk_format(&path, "%s/run.h5", run));
  if (access(path, R_OK) == 0) HK_TRY(hk_hdf_open(path, false, &file));
  HK_TRY(file && hk_hdf_exists(file, "/energy/time")
             ? hk_hdf_text_read(file, "/energy/time", "unit", out)
             : hk_copy_text(out, ""));
cleanup:
  hk_hdf_close(&file);
  hk_free(&path);
  return status;
}

hk_status hk_gallery_create(const char *run, const char *field, int frames, hk_gallery **out)
{
  hk_status status = HK_OK;
  hk_gallery *g = NULL;

  *out = NULL;
  HK_TRY(hk_new(&g));
  HK_TRY(hk_field_open(run, field, &g->field));
  if (!g->field) goto cleanup;
  HK_TRY(hk_run_json_read(run, &g->run));
  HK_TRY(read_time_unit(run, &g->time_unit));
  HK_TRY(hk_surface_create(g->field->grid, &g->surface));
  HK_TRY(get_arrays(g));
  HK_TRY(pick_frames(g, frames));
  for (int q = 0; q < g->field->count; q++) HK_TRY(find_range(g, q));
  if (g->count) *out = g, g = NULL;
cleanup:
  hk_gallery_destroy(&g);
  return status;
}

void hk_gallery_destroy(hk_gallery **gallery)
{
  hk_gallery *g = *gallery;
  if (!g) return;
  hk_field_close(&g->field);
  hk_surface_destroy(&g->surface);
  json_decref(g->run);
  hk_free(&g->time_unit);
  hk_pool_clear(&g->pool);
  hk_free(gallery);
}

bool hk_gallery_shows(const hk_gallery *g, int quantity)
{
  return !g->moved || !is_stress(&g->field->quantity[quantity]);
}

double hk_gallery_time(const hk_gallery *g, int k)
{
  return g->field->time[g->frame[k]];
}

static const char *run_text(const hk_gallery *g, const char *key, const char *otherwise)
{
  const char *text = json_string_value(json_object_get(g->run, key));
  return text ? text : otherwise;
}

static const char *length_unit(const hk_gallery *g)
{
  const char *text = json_string_value(json_object_get(json_object_get(g->run, "units"), "length"));
  return text ? text : "";
}

hk_status hk_gallery_draw(hk_gallery *g, int quantity, int k, int width, hk_canvas **out)
{
  char name[64], time[80], number[32];
  const hk_field_info *q = &g->field->quantity[quantity];
  const hk_gallery_range *r = &g->range[quantity];
  const bool moved = moves(q) && g->displacement_scale > 0;

  if (g->moved) {
    HK_PASS(load_frame(g, displacement_of(g), g->frame[k]));
    memcpy(g->moved, g->spread, (size_t)g->surface->corners * 3 * sizeof *g->moved);
  }
  HK_PASS(load_frame(g, quantity, g->frame[k]));
  display_name(q, name, sizeof name);
  if (is_still(g->run))
    snprintf(time, sizeof time, "%s %lld", strcmp(q->name, "mechanism") ? "step" : "mode",
             (long long)g->frame[k] + 1);
  else
    snprintf(time, sizeof time, "t = %s%s%.16s", hk_number_text(number, 4, hk_gallery_time(g, k)),
             *g->time_unit ? " " : "", g->time_unit);
  const hk_figure figure = {.surface = g->surface,
                            .corner = g->corner,
                            .value = g->value,
                            .title = run_text(g, "title", ""),
                            .time = time,
                            .name = name,
                            .unit = q->unit,
                            .length_unit = length_unit(g),
                            .map = r->map,
                            .low = r->low,
                            .high = r->high,
                            .beyond_high = r->beyond,
                            .beyond_low = r->beyond && r->map == HK_MAP_DIVERGING,
                            .displacement = g->moved ? g->moved
                                            : moved  ? g->spread
                                                     : NULL,
                            .displaced = g->moved != NULL,
                            .displacement_scale = g->displacement_scale};
  return hk_figure_draw(&figure, width, out);
}
