/* Pictures of the frames of a field. A gallery opens the field and the surface once, chooses evenly spaced frames
 * among those that were written, and finds one range of colours for each quantity: the median over the frames of their
 * largest values, so that one strong frame does not hide the others, unless the user fixed it (choice.c). What differs from picture to picture is in a sketch: threads draw pictures
 * of one gallery beside each other. */
#include "picture/picture.h"
#include "base/file.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  FEW = 10000,            /* values that one thread alone goes through */
  LARGE = 100000,         /* triangles from which on several threads draw one picture */
  CANVAS_BYTES = 64 << 20 /* at most, of a raster and a picture */
};

/* The component that is drawn of a quantity; -1: its size. */
static int component_of(const hk_gallery *g, int quantity)
{
  const char *name = g->choice.component;
  return name ? hk_scalar_component(&g->field->quantity[quantity], name) : -1;
}

static hk_status load_frame(const hk_gallery *g, hk_sketch *s, int quantity, hk_count frame)
{
  const hk_field_info *q = &g->field->quantity[quantity];
  HK_PASS(hk_field_read(g->field, frame, quantity, s->nodal));
  hk_surface_spread(g->surface, q->wide, s->nodal, s->spread);
  hk_scalars(q, component_of(g, quantity), g->surface->corners, s->spread, s->value);
  return HK_OK;
}

/* Components of the widest quantity. */
static int widest(const hk_gallery *g)
{
  int wide = 1;
  for (int q = 0; q < g->field->count; q++)
    if (g->field->quantity[q].wide > wide) wide = g->field->quantity[q].wide;
  return wide;
}

static hk_count sketch_bytes(const hk_gallery *g)
{
  const hk_count nodes = g->field->grid->nodes, corners = g->surface->corners;
  return 8 * (nodes * widest(g) + corners * (widest(g) + 4 + 3 * g->moves)) +
         4 * g->surface->triangles + CANVAS_BYTES;
}

static hk_status get_sketch(const hk_gallery *g, hk_sketch *s)
{
  const hk_count nodes = g->field->grid->nodes, corners = g->surface->corners;
  HK_PASS(hk_pool_get(&s->pool, &s->nodal, nodes * widest(g)));
  HK_PASS(hk_pool_get(&s->pool, &s->spread, corners * widest(g)));
  HK_PASS(hk_pool_get(&s->pool, &s->value, corners));
  return g->moves ? hk_pool_get(&s->pool, &s->moved, corners * 3) : HK_OK;
}

static void clear_sketch(hk_sketch *s)
{
  hk_raster_destroy(&s->raster);
  hk_pool_clear(&s->pool);
  *s = (hk_sketch){0};
}

static int threads_for(const hk_gallery *g, hk_count tasks)
{
  const hk_count room = hk_memory_available() / 4 / sketch_bytes(g);
  hk_count threads = omp_get_max_threads();
  if (threads > tasks) threads = tasks;
  if (threads > room) threads = room;
  return threads > 1 ? (int)threads : 1;
}

static hk_status keep_sketches(hk_gallery *g, int count)
{
  if (count <= g->sketches) return HK_OK;
  HK_PASS(hk_pool_resize(&g->pool, &g->sketch, count));
  g->sketches = count;
  return HK_OK;
}

hk_status hk_gallery_each(hk_gallery *g, hk_count tasks, hk_gallery_task task, void *user)
{
  hk_failure failure = {0};
  const int threads = threads_for(g, tasks), levels = omp_get_max_active_levels();
  const int within = g->surface->triangles < LARGE
                         ? 1
                         : (omp_get_max_threads() + threads / 2) / threads; /* a picture */
  HK_PASS(keep_sketches(g, threads));
  omp_set_max_active_levels(within > 1 ? 2 : 1);
#pragma omp parallel num_threads(threads)
  {
    omp_set_num_threads(within);
    hk_sketch *sketch = &g->sketch[omp_get_thread_num()];
    hk_status status = sketch->nodal ? HK_OK : get_sketch(g, sketch);
    if (status != HK_OK) clear_sketch(sketch);
#pragma omp for schedule(dynamic)
    for (hk_count i = 0; i < tasks; i++)
      if (status == HK_OK) status = task(g, sketch, i, user);
    hk_failure_keep(&failure, status);
  }
  omp_set_max_active_levels(levels);
  return hk_failure_tell(&failure);
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

/* Least and largest value of a picture; least > largest where there is none. */
typedef struct extremes {
  double low, high;
} extremes;

typedef struct ranging { /* extremes of the quantities whose range is wanted */
  int count, *quantity;
  extremes *found; /* found[count][g->count] */
} ranging;

static void widen(extremes *e, hk_count count, const double *value)
{
  double low = e->low, high = e->high;
#pragma omp parallel for schedule(static) if (count > FEW) reduction(min                           \
                                                                     : low) reduction(max          \
                                                                                      : high)
  for (hk_count i = 0; i < count; i++) {
    if (!isfinite(value[i])) continue;
    if (value[i] < low) low = value[i];
    if (value[i] > high) high = value[i];
  }
  *e = (extremes){low, high};
}

/* By the nodes too that are not seen, of solids. */
static void widen_inside(extremes *e, const hk_field_info *q, int component, hk_count nodes,
                         const double *nodal)
{
  enum { AT_ONCE = 512 };
  double low = e->low, high = e->high;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
  for (hk_count n = 0; n < nodes; n += AT_ONCE) {
    double value[AT_ONCE];
    extremes part = {low, high};
    const hk_count count = nodes - n < AT_ONCE ? nodes - n : AT_ONCE;
    hk_scalars(q, component, count, nodal + n * q->wide, value);
    widen(&part, count, value);
    low = part.low, high = part.high;
  }
  *e = (extremes){low, high};
}

static hk_status find_extremes(const hk_gallery *g, hk_sketch *s, hk_count i, void *user)
{
  const ranging *r = user;
  const int quantity = r->quantity[i / g->count];
  extremes *e = &r->found[i];
  *e = (extremes){INFINITY, -INFINITY};
  HK_PASS(load_frame(g, s, quantity, g->frame[i % g->count]));
  widen(e, g->surface->corners, s->value);
  if (g->surface->node)
    widen_inside(e, &g->field->quantity[quantity], component_of(g, quantity), g->field->grid->nodes,
                 s->nodal);
  return HK_OK;
}

/* Largest values of the pictures in which something is seen, in ascending order. */
static int sort_largest(const extremes *e, int count, double *most)
{
  int used = 0;
  for (int k = 0; k < count; k++) {
    const double largest = fmax(fabs(e[k].low), fabs(e[k].high));
    if (e[k].low <= e[k].high && largest > 0) most[used++] = largest;
  }
  if (used) qsort(most, (size_t)used, sizeof *most, ascending);
  return used;
}

static void set_scale(hk_gallery *g, double most)
{
  double size = 0;
  for (int d = 0; d < 3; d++) size = fmax(size, g->surface->high[d] - g->surface->low[d]);
  const double scale = .04 * size / most, power = pow(10, floor(log10(scale)));
  g->displacement_scale = power * (scale >= 5 * power ? 5 : scale >= 2 * power ? 2 : 1);
}

/* Colours that the user chose: fixed ends, or decibels below the largest size. */
static void choose_range(const hk_picture_desc *choice, double lowest, double highest,
                         double largest, hk_gallery_range *r)
{
  if (choice->low < choice->high)
    *r = (hk_gallery_range){.map = choice->low < 0 && choice->high > 0 ? HK_MAP_DIVERGING
                                                                       : HK_MAP_SEQUENTIAL,
                            .low = choice->low,
                            .high = choice->high,
                            .beyond_low = lowest<choice->low, .beyond_high = highest> choice->high};
  else if (choice->decibels > 0)
    *r = (hk_gallery_range){.map = HK_MAP_SEQUENTIAL,
                            .low = -choice->decibels,
                            .reference = largest > 0 ? largest : 1,
                            .beyond_low = true};
}

/* most[g->count]: room. */
static void set_range(hk_gallery *g, int quantity, const extremes *e, double *most)
{
  const int used = sort_largest(e, g->count, most);
  hk_gallery_range *r = &g->range[quantity];
  double lowest = INFINITY, highest = -INFINITY;
  for (int k = 0; k < g->count; k++)
    lowest = fmin(lowest, e[k].low), highest = fmax(highest, e[k].high);
  r->high = used ? most[g->moves ? used - 1 : used / 2] : 1; /* static steps: nothing beyond */
  r->beyond_high = used && most[used - 1] > r->high;
  r->map = lowest < 0 ? HK_MAP_DIVERGING : HK_MAP_SEQUENTIAL;
  r->low = lowest < 0 ? -r->high : 0;
  r->beyond_low = r->beyond_high && lowest < 0;
  if (!strcmp(g->field->quantity[quantity].name, "temperature") && highest > lowest)
    *r = (hk_gallery_range){
        .low = lowest, .high = highest, .map = HK_MAP_SEQUENTIAL}; /* 0 means nothing */
  choose_range(&g->choice, lowest, highest, used ? most[used - 1] : 0, r);
  if (moves(&g->field->quantity[quantity]) && used) set_scale(g, most[used - 1]);
}

static hk_status find_ranges(hk_gallery *g)
{
  hk_status status = HK_OK;
  const int moving = displacement_of(g);
  hk_pool pool = {0};
  ranging r = {0};
  bool shown = false;
  double *most;
  HK_TRY(hk_pool_get(&pool, &r.quantity, g->shown + 1));
  HK_TRY(hk_pool_get(&pool, &r.found, (hk_count)(g->shown + 1) * g->count));
  HK_TRY(hk_pool_get(&pool, &most, g->count));
  for (int i = 0; i < g->shown; i++) {
    r.quantity[r.count++] = g->quantity[i];
    shown = shown || g->quantity[i] == moving;
  }
  if (moving >= 0 && !shown) r.quantity[r.count++] = moving; /* bodies are drawn displaced */
  HK_TRY(hk_gallery_each(g, (hk_count)r.count * g->count, find_extremes, &r));
  for (int i = 0; i < r.count; i++)
    set_range(g, r.quantity[i], r.found + (hk_count)i * g->count, most);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* A frame was written when a value at a node is a number. */
static hk_status was_written(const hk_gallery *g, hk_sketch *s, hk_count frame, bool *yes)
{
  const hk_count items = g->field->grid->nodes * g->field->quantity[0].wide;
  hk_count i = 0;
  HK_PASS(hk_field_read(g->field, frame, 0, s->nodal));
  while (i < items && isnan(s->nodal[i])) i++;
  *yes = i < items;
  return HK_OK;
}

/* The time that was chosen must lie between those of the frames. */
static hk_status check_time(const hk_gallery *g, hk_count written)
{
  const double *time = g->field->time, wanted = g->choice.time;
  const double last = time[written - 1], slack = 1e-6 * fabs(last - time[0]);
  HK_NEED(wanted >= time[0] - slack && wanted <= last + slack, HK_USAGE,
          "time %g: the frames go from %g to %g", wanted, time[0], last);
  return HK_OK;
}

/* The written frame that is nearest to the time that was chosen. */
static hk_status pick_time(hk_gallery *g, hk_count written)
{
  const double *time = g->field->time, wanted = g->choice.time;
  hk_count nearest = 0;
  HK_PASS(check_time(g, written));
  for (hk_count k = 1; k < written; k++)
    if (fabs(time[k] - wanted) < fabs(time[nearest] - wanted)) nearest = k;
  g->count = 1;
  HK_PASS(hk_pool_get(&g->pool, &g->frame, 1));
  g->frame[0] = nearest;
  return HK_OK;
}

/* The written frames from the first to the last time that were chosen: [*first, *end). */
static hk_status pick_span(const hk_gallery *g, hk_count written, hk_count *first, hk_count *end)
{
  const double *time = g->field->time, slack = 1e-6 * fabs(time[written - 1] - time[0]);
  *first = 0, *end = written;
  if (!g->choice.until) return HK_OK;
  while (*first < written && time[*first] < g->choice.time - slack) (*first)++;
  while (*end > *first && time[*end - 1] > g->choice.last_time + slack) (*end)--;
  HK_NEED(*first < *end, HK_USAGE, "time from %g to %g: no frame lies there, they go from %g to %g",
          g->choice.time, g->choice.last_time, time[0], time[written - 1]);
  return HK_OK;
}

static hk_status pick_frames(hk_gallery *g, int most)
{
  hk_status status = HK_OK;
  hk_count written = g->field->frames, first = 0, end = 0;
  hk_sketch sketch = {0};
  HK_TRY(get_sketch(g, &sketch));
  for (bool yes = false; written > 0 && !yes; written -= !yes)
    HK_TRY(was_written(g, &sketch, written - 1, &yes));
  if (g->choice.at_time && !g->choice.until && written > 0) {
    status = pick_time(g, written);
    goto cleanup;
  }
  if (written > 0) HK_TRY(pick_span(g, written, &first, &end));
  g->count = (int)(end - first < most ? end - first : most);
  HK_TRY(hk_pool_get(&g->pool, &g->frame, g->count));
  for (int k = 0; k < g->count; k++)
    g->frame[k] = first + hk_gallery_pick(end - first, g->count, k);
cleanup:
  clear_sketch(&sketch);
  return status;
}

/* The quantity that was chosen, which the field has, in as many pictures as there may be. */
static void pick_one(hk_gallery *g, hk_gallery_most most, int count, const char *const *name,
                     int *frames)
{
  for (int q = 0; q < count && !g->shown; q++)
    if (!strcmp(name[q], g->choice.quantity)) g->quantity[g->shown++] = q;
  *frames = most.pictures < most.frames ? most.pictures : most.frames;
}

/* A component must be one of all that is drawn, and fixed ends suit one quantity alone. */
static hk_status check_choice(const hk_gallery *g)
{
  for (int i = 0; g->choice.component && i < g->shown; i++) {
    const hk_field_info *q = &g->field->quantity[g->quantity[i]];
    HK_NEED(component_of(g, g->quantity[i]) >= 0, HK_USAGE,
            "component \"%s\": %s has %s; name a quantity", g->choice.component, q->name,
            q->wide > 1 ? q->components : "one, without a name");
  }
  HK_NEED(!(g->choice.low < g->choice.high) || g->shown == 1, HK_USAGE,
          "range: the frames have %d quantities: name one", g->shown);
  return HK_OK;
}

/* Whether something of the field is wanted. Several fields need not all have the quantity (hk_picture_check_fields). */
static bool is_wanted(const hk_gallery *g, const char *field)
{
  bool found = !g->choice.quantity;
  for (int q = 0; q < g->field->count && !found; q++)
    found = !strcmp(g->field->quantity[q].name, g->choice.quantity);
  return found && !hk_picture_leaves_out(&g->choice, field);
}

static hk_status pick_quantities(hk_gallery *g, hk_gallery_most most, int *frames)
{
  hk_status status = HK_OK;
  const int count = g->field->count;
  const char **name = NULL;
  HK_TRY(hk_get(&name, count));
  for (int q = 0; q < count; q++) name[q] = g->field->quantity[q].name;
  HK_TRY(hk_pool_get(&g->pool, &g->quantity, count));
  if (g->choice.quantity) {
    pick_one(g, most, count, name, frames);
    goto cleanup;
  }
  const hk_gallery_choice choice = hk_gallery_choose(most, count, name);
  for (int q = 0; q < count; q++)
    if (hk_gallery_draws(choice, count, name, q)) g->quantity[g->shown++] = q;
  *frames = choice.frames;
cleanup:
  hk_free(&name);
  return status;
}

/* steps without time */
static bool is_still(const json_t *run)
{
  const char *analysis = json_string_value(json_object_get(run, "analysis"));
  return analysis && (!strcmp(analysis, "static") || !strcmp(analysis, "heat"));
}

static hk_status open_field(hk_gallery *g, const char *run, const char *field,
                            const hk_scene *scene)
{
  HK_PASS(hk_field_open_values(run, field, &g->field));
  if (!g->field || (scene && hk_scene_shows(scene, g->field->grid))) return HK_OK;
  hk_field_close(&g->field);
  return hk_field_open(run, field, &g->field);
}

static hk_status set_scene(hk_gallery *g, const hk_scene *scene)
{
  const bool given = scene && hk_scene_shows(scene, g->field->grid);
  if (!given) HK_PASS(hk_scene_create(g->field->grid, &g->own));
  g->surface = hk_scene_surface(given ? scene : g->own);
  g->corner = hk_scene_corners(given ? scene : g->own);
  return hk_pool_get(&g->pool, &g->range, g->field->count);
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

/* What is drawn of an open field, in how many frames: 0 where nothing is. */
static hk_status choose(hk_gallery *g, const char *run, const char *field, hk_gallery_most most,
                        const hk_picture_desc *choice, int *frames)
{
  *frames = 0;
  HK_PASS(hk_run_json_read(run, &g->run));
  HK_PASS(hk_picture_choose(g->run, choice, &g->choice));
  g->peak = !strcmp(field, "field_peak");
  g->shots = g->peak && json_object_get(json_object_get(g->run, "counts"), "shots");
  if (!is_wanted(g, field)) return HK_OK;
  HK_PASS(pick_quantities(g, most, frames));
  return *frames ? check_choice(g) : HK_OK;
}

hk_status hk_gallery_check(const char *run, const char *field, const hk_picture_desc *choice)
{
  hk_status status = HK_OK;
  const hk_gallery_most all = {HK_GALLERY_ALL, HK_GALLERY_ALL};
  hk_gallery *g = NULL;
  hk_count first, end;
  int frames = 0;
  HK_TRY(hk_new(&g));
  HK_TRY(hk_field_open_values(run, field, &g->field));
  if (g->field) HK_TRY(choose(g, run, field, all, choice, &frames));
  if (!frames || !g->choice.at_time || !g->field->frames) goto cleanup;
  status = g->choice.until ? pick_span(g, g->field->frames, &first, &end)
                           : check_time(g, g->field->frames);
cleanup:
  hk_gallery_destroy(&g);
  return status;
}

hk_status hk_gallery_create(const char *run, const char *field, const hk_scene *scene,
                            hk_gallery_most most, const hk_picture_desc *choice, hk_gallery **out)
{
  hk_status status = HK_OK;
  hk_gallery *g = NULL;
  int frames = 0;
  *out = NULL;
  HK_TRY(hk_new(&g));
  HK_TRY(open_field(g, run, field, scene));
  if (!g->field) goto cleanup;
  HK_TRY(choose(g, run, field, most, choice, &frames));
  if (!frames) goto cleanup;
  g->moves = is_still(g->run) && displacement_of(g) >= 0;
  HK_TRY(read_time_unit(run, &g->time_unit));
  HK_TRY(set_scene(g, scene));
  HK_TRY(pick_frames(g, frames));
  if (g->count) HK_TRY(find_ranges(g));
  if (g->count) *out = g, g = NULL;
cleanup:
  hk_gallery_destroy(&g);
  return status;
}

void hk_gallery_destroy(hk_gallery **gallery)
{
  hk_gallery *g = *gallery;
  if (!g) return;
  for (int k = 0; k < g->sketches; k++) clear_sketch(&g->sketch[k]);
  hk_field_close(&g->field);
  hk_scene_destroy(&g->own);
  json_decref(g->run);
  hk_free(&g->time_unit);
  hk_pool_clear(&g->pool);
  hk_free(gallery);
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

const char *hk_gallery_length_unit(const hk_gallery *g)
{
  const char *text = json_string_value(json_object_get(json_object_get(g->run, "units"), "length"));
  return text ? text : "";
}

void hk_gallery_name(const hk_gallery *g, int quantity, char *name, size_t size)
{
  const hk_field_info *q = &g->field->quantity[quantity];
  hk_scalar_name(q, component_of(g, quantity), name, size);
  if (g->peak) snprintf(name, size, "largest |%.40s|", q->name);
}

const char *hk_gallery_unit(const hk_gallery *g, int quantity)
{
  return g->range[quantity].reference > 0 ? "dB" : g->field->quantity[quantity].unit;
}

void hk_gallery_when(const hk_gallery *g, int quantity, int k, char *time, size_t size)
{
  char number[32];
  if (g->shots)
    snprintf(time, size, "shot %lld", (long long)g->frame[k] + 1);
  else if (is_still(g->run))
    snprintf(time, size, "%s %lld",
             strcmp(g->field->quantity[quantity].name, "mechanism") ? "step" : "mode",
             (long long)g->frame[k] + 1);
  else
    snprintf(time, size, "t = %s%s%.16s", hk_number_text(number, 4, hk_gallery_time(g, k)),
             *g->time_unit ? " " : "", g->time_unit);
}

hk_status hk_gallery_load(const hk_gallery *g, hk_sketch *s, int quantity, int k)
{
  const double reference = g->range[quantity].reference;
  HK_PASS(load_frame(g, s, quantity, g->frame[k]));
  if (reference > 0)
    hk_scalars_decibels(g->surface->corners, reference, g->choice.decibels, s->value);
  return HK_OK;
}

hk_status hk_gallery_draw(const hk_gallery *g, hk_sketch *s, int quantity, int k, int width,
                          hk_canvas **out)
{
  char name[64], note[128], time[80], number[32];
  const hk_field_info *q = &g->field->quantity[quantity];
  const hk_gallery_range *r = &g->range[quantity];
  const bool moved = moves(q) && g->displacement_scale > 0;

  if (g->moves) {
    HK_PASS(load_frame(g, s, displacement_of(g), g->frame[k]));
    memcpy(s->moved, s->spread, (size_t)g->surface->corners * 3 * sizeof *s->moved);
  }
  HK_PASS(hk_gallery_load(g, s, quantity, k));
  hk_gallery_name(g, quantity, name, sizeof name);
  hk_gallery_when(g, quantity, k, time, sizeof time);
  snprintf(note, sizeof note, "%s", name);
  if (r->reference > 0)
    snprintf(note, sizeof note, "%s, 0 dB = %s %.20s", name,
             hk_number_text(number, 3, r->reference), q->unit);
  const hk_figure figure = {.surface = g->surface,
                            .corner = g->corner,
                            .value = s->value,
                            .title = run_text(g, "title", ""),
                            .time = time,
                            .name = name,
                            .note = note,
                            .unit = hk_gallery_unit(g, quantity),
                            .length_unit = hk_gallery_length_unit(g),
                            .map = r->map,
                            .low = r->low,
                            .high = r->high,
                            .beyond_high = r->beyond_high,
                            .beyond_low = r->beyond_low,
                            .displacement = g->moves ? s->moved
                                            : moved  ? s->spread
                                                     : NULL,
                            .displaced = g->moves,
                            .displacement_scale = g->displacement_scale};
  return hk_figure_draw(&figure, width, &s->raster, out);
}
