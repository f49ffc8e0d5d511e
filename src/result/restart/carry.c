/* Copies the results of an interrupted run into files of a new layout, when a restart has a later
 * end, other traces or other frames. The new file is made beside the old one and then takes its
 * name. Receivers are matched by label and coordinates, quantities by name, samples and frames by
 * equal times. What the old file lacks stays not-a-number and is counted. The positions of all old
 * arrays are found first, because HDF5 cannot be asked any more after hk_hdf_finish. */
#include "result/restart/carry.h"
#include "result/written.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct receiver { /* of the old file */
  int64_t label;
  double x[3];
  hk_count index;
} receiver;

typedef struct carrying {
  hk_hdf *from;
  hk_run_file *to;
  const hk_run_layout *layout;
  hk_count shots;
  hk_pool *pool; /* of names, and of what is found in the old file */
} carrying;

/* of[k]: the old sample at the time of the new sample k; -1. Both ascend. Returns 1 + the last that is found. */
static hk_count match_times(hk_count count, const double *time, hk_count old_count,
                            const double *old, hk_count *of)
{
  hk_count last = 0, j = 0;
  for (hk_count k = 0; k < count; k++) {
    while (j < old_count && old[j] < time[k]) j++;
    of[k] = j < old_count && old[j] == time[k] ? j : -1;
    if (of[k] >= 0) last = k + 1;
  }
  return last;
}

static int by_place(const void *a, const void *b)
{
  const receiver *p = a, *q = b;
  if (p->label != q->label) return p->label < q->label ? -1 : 1;
  for (int c = 0; c < 3; c++)
    if (p->x[c] != q->x[c]) return p->x[c] < q->x[c] ? -1 : 1;
  return 0;
}

static int in_order(const void *a, const void *b)
{
  const int first = by_place(a, b);
  const hk_count p = ((const receiver *)a)->index, q = ((const receiver *)b)->index;
  return first ? first : (p > q) - (p < q);
}

static void put_place(receiver *r, int64_t label, int dim, const double *x)
{
  r->label = label;
  for (int c = 0; c < 3; c++) r->x[c] = c < dim ? x[c] : 0;
}

/* of[receivers]: the old receiver of each new one; -1. */
static hk_status match_receivers(hk_hdf *from, const hk_trace_layout *t, const char *label_name,
                                 const char *place_name, hk_count *of)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_hdf_array labels, places;
  receiver *old;
  int64_t *label;
  double *x;
  HK_TRY(hk_hdf_array_find(from, label_name, &labels));
  HK_TRY(hk_hdf_array_find(from, place_name, &places));
  HK_CHECK(labels.rank == 1 && places.rank == 2 && places.size[0] == labels.count &&
               places.size[1] == t->dim,
           HK_BAD_INPUT, "%s and %s contradict each other", label_name, place_name);
  HK_TRY(hk_pool_get(&pool, &old, labels.count));
  HK_TRY(hk_pool_get(&pool, &label, labels.count));
  HK_TRY(hk_pool_get(&pool, &x, places.count));
  HK_TRY(hk_hdf_read_integers(from, label_name, 0, labels.count, label));
  HK_TRY(hk_hdf_read(from, place_name, t->dim, 0, labels.count, x));
  for (hk_count i = 0; i < labels.count; i++) {
    put_place(&old[i], label[i], t->dim, x + i * t->dim);
    old[i].index = i;
  }
  qsort(old, (size_t)labels.count, sizeof *old, in_order);
  for (hk_count i = 0; i < t->receivers; i++) {
    receiver wanted;
    put_place(&wanted, t->node[i], t->dim, t->coordinates + i * t->dim);
    const receiver *found = bsearch(&wanted, old, (size_t)labels.count, sizeof *old, by_place);
    of[i] = found ? found->index : -1;
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

typedef struct trace { /* one that both files have */
  const hk_trace_layout *layout;
  int number;
  hk_count old_receivers, old_samples, filled;
  hk_count *receiver, *sample; /* receiver[receivers], sample[samples]: the old ones; -1 */
  double *from, *to;           /* rows */
} trace;

/* The samples of one quantity, row by row. */
static hk_status carry_quantity(const carrying *c, const trace *t, int q, const hk_hdf_array *old)
{
  const int components = t->layout->quantity[q].count;
  for (hk_count shot = 0; shot < c->shots; shot++)
    for (hk_count row = 0; row < t->layout->receivers * components; row++) {
      const hk_count own = t->receiver[row / components];
      if (own < 0) continue;
      const hk_count old_row = (shot * t->old_receivers + own) * components + row % components;
      HK_PASS(hk_samples_read(c->from, old, old_row * t->old_samples, t->old_samples, t->from));
      for (hk_count k = 0; k < t->filled; k++)
        t->to[k] = t->sample[k] < 0 ? NAN : t->from[t->sample[k]];
      HK_PASS(hk_run_file_write_row(c->to, shot, t->number, q, row, 0, t->filled, t->to));
    }
  return HK_OK;
}

static bool fits(const carrying *c, const trace *t, int components, const hk_hdf_array *a)
{
  const int axis = c->layout->shots > 0;
  return a->offset >= 0 && (a->type == HK_F64 || a->type == HK_F32) && a->rank == 3 + axis &&
         (!axis || a->size[0] == c->shots) && a->size[axis] == t->old_receivers &&
         a->size[axis + 1] == components && a->size[axis + 2] == t->old_samples;
}

/* *missing = all receivers where the quantity is not there. */
static hk_status find_quantity(const carrying *c, const trace *t, int q, hk_hdf_array *old,
                               hk_count *missing)
{
  char *path;
  const hk_trace_quantity *quantity = &t->layout->quantity[q];
  *old = (hk_hdf_array){.offset = -1};
  HK_PASS(hk_trace_path(c->pool, &path, t->layout->name, quantity->name));
  if (hk_hdf_exists(c->from, path)) HK_PASS(hk_hdf_array_find(c->from, path, old));
  if (!fits(c, t, quantity->count, old)) old->offset = -1, *missing = t->layout->receivers;
  return HK_OK;
}

static hk_status read_times(hk_hdf *from, hk_pool *pool, const char *name, hk_count *count,
                            double **time)
{
  hk_hdf_array a;
  HK_PASS(hk_hdf_array_find(from, name, &a));
  HK_PASS(hk_pool_get(pool, time, a.count));
  HK_PASS(hk_hdf_read(from, name, 1, 0, a.count, *time));
  *count = a.count;
  return HK_OK;
}

static hk_status match_samples(const carrying *c, trace *t, const char *time_name)
{
  hk_status status = HK_OK;
  const hk_trace_layout *l = t->layout;
  hk_pool times = {0};
  double *old, *time;
  HK_TRY(read_times(c->from, &times, time_name, &t->old_samples, &old));
  HK_TRY(hk_pool_get(&times, &time, l->samples));
  HK_TRY(hk_pool_get(c->pool, &t->sample, l->samples));
  HK_TRY(hk_pool_get(c->pool, &t->from, t->old_samples));
  HK_TRY(hk_pool_get(c->pool, &t->to, l->samples));
  for (hk_count k = 0; k < l->samples; k++) time[k] = l->start + (double)(k * l->every) * l->dt;
  t->filled = match_times(l->samples, time, t->old_samples, old, t->sample);
cleanup:
  hk_pool_clear(&times);
  return status;
}

/* What is found in the file that the old one is: where its arrays lie. HDF5 answers that before hk_hdf_finish, numbers are read after it. */
static hk_status find_trace(const carrying *c, int i, trace *t, hk_hdf_array *quantity,
                            hk_count *missing)
{
  const hk_trace_layout *l = &c->layout->trace[i];
  hk_hdf_array labels;
  char *group, *time, *node, *coordinates;
  *t = (trace){.layout = l, .number = i};
  *missing = 0;
  HK_PASS(hk_pool_get(c->pool, &t->receiver, l->receivers));
  HK_PASS(hk_trace_path(c->pool, &group, l->name, NULL));
  HK_PASS(hk_trace_path(c->pool, &time, l->name, "time"));
  HK_PASS(hk_trace_path(c->pool, &node, l->name, "node"));
  HK_PASS(hk_trace_path(c->pool, &coordinates, l->name, "coordinates"));
  if (!hk_hdf_exists(c->from, group)) {
    *missing = l->receivers;
    return HK_OK;
  }
  HK_PASS(match_samples(c, t, time));
  HK_PASS(hk_hdf_array_find(c->from, node, &labels));
  t->old_receivers = labels.count;
  HK_PASS(match_receivers(c->from, l, node, coordinates, t->receiver));
  for (hk_count r = 0; r < l->receivers; r++) *missing += t->receiver[r] < 0;
  for (int q = 0; q < l->quantity_count; q++)
    HK_PASS(find_quantity(c, t, q, &quantity[q], missing));
  return HK_OK;
}

enum { MOST_QUANTITIES = 8 };

typedef struct energies {
  hk_count old_samples, filled;
  hk_count *sample;
  hk_hdf_array old[HK_ENERGY_COUNT];
} energies;

static hk_status find_energies(const carrying *c, energies *e)
{
  static const char *const name[HK_ENERGY_COUNT] = {"/energy/kinetic", "/energy/strain",
                                                    "/energy/work", "/energy/damping"};
  double *old;
  if (!c->layout->energy_samples || !hk_hdf_exists(c->from, "/energy/time")) return HK_OK;
  HK_PASS(read_times(c->from, c->pool, "/energy/time", &e->old_samples, &old));
  HK_PASS(hk_pool_get(c->pool, &e->sample, c->layout->energy_samples));
  e->filled = match_times(c->layout->energy_samples, c->layout->energy_time, e->old_samples, old,
                          e->sample);
  for (int k = 0; k < HK_ENERGY_COUNT; k++) {
    HK_PASS(hk_hdf_array_find(c->from, name[k], &e->old[k]));
    HK_NEED(e->old[k].offset >= 0 && e->old[k].type == HK_F64 &&
                e->old[k].count == c->shots * e->old_samples,
            HK_BAD_INPUT, "%s and its times contradict each other", name[k]);
  }
  return HK_OK;
}

static hk_status carry_energies(const carrying *c, const energies *e)
{
  double *old, *values;
  HK_PASS(hk_pool_get(c->pool, &old, e->old_samples));
  HK_PASS(hk_pool_get(c->pool, &values, HK_ENERGY_COUNT * e->filled));
  for (hk_count shot = 0; shot < c->shots && e->filled; shot++) {
    for (int k = 0; k < HK_ENERGY_COUNT; k++) {
      HK_PASS(hk_hdf_read_back(c->from, &e->old[k], shot * e->old_samples, e->old_samples, old));
      for (hk_count i = 0; i < e->filled; i++)
        values[k * e->filled + i] = e->sample[i] < 0 ? NAN : old[e->sample[i]];
    }
    HK_PASS(hk_run_file_write_energy(c->to, shot, 0, e->filled, values));
  }
  return HK_OK;
}

static hk_status carry_all(const carrying *c, hk_count *missing)
{
  const int count = c->layout->trace_count;
  trace *t;
  hk_hdf_array *quantity;
  energies e = {0};
  HK_PASS(hk_pool_get(c->pool, &t, count));
  HK_PASS(hk_pool_get(c->pool, &quantity, (hk_count)count * MOST_QUANTITIES));
  for (int i = 0; i < count; i++)
    HK_PASS(find_trace(c, i, &t[i], quantity + i * MOST_QUANTITIES, &missing[i]));
  HK_PASS(find_energies(c, &e));
  HK_PASS(hk_hdf_finish(c->from));
  for (int i = 0; i < count; i++)
    for (int q = 0; t[i].filled && q < t[i].layout->quantity_count; q++)
      if (quantity[i * MOST_QUANTITIES + q].offset >= 0)
        HK_PASS(carry_quantity(c, &t[i], q, &quantity[i * MOST_QUANTITIES + q]));
  return carry_energies(c, &e);
}

static hk_status take_name(const char *beside, const char *path)
{
  if (rename(beside, path) == 0) return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE, "%s: cannot be renamed to %s: %s", beside, path,
                      strerror(errno));
}

hk_status hk_carry_run(const char *path, const hk_run_layout *layout, hk_count *missing)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  carrying c = {.layout = layout, .shots = layout->shots ? layout->shots : 1, .pool = &pool};
  char *beside = NULL;
  HK_TRY(hk_format(&beside, "%s.part", path));
  HK_TRY(hk_hdf_open(path, true, &c.from));
  HK_TRY(hk_written_claim(beside));
  HK_TRY(hk_run_file_create(beside, layout, &c.to));
  HK_TRY(carry_all(&c, missing));
  HK_TRY(hk_run_file_flush(c.to));
  HK_TRY(hk_run_file_close(&c.to));
  HK_TRY(take_name(beside, path));
cleanup:
  if (c.to) hk_run_file_close(&c.to);
  if (c.from) hk_hdf_close(&c.from);
  if (status != HK_OK && beside && hk_written_check(beside) == HK_OK) remove(beside);
  hk_pool_clear(&pool);
  hk_free(&beside);
  return status;
}

/* Frames are read and written in pieces of so many numbers. */
enum { PIECE = 1 << 16 };

static hk_status carry_frame(hk_hdf *from, const hk_hdf_array *old, hk_count first, hk_hdf *to,
                             const hk_hdf_array *fresh, hk_count at, hk_count count, float *piece)
{
  for (hk_count k = 0; k < count; k += PIECE) {
    const hk_count n = count - k < PIECE ? count - k : PIECE;
    HK_PASS(hk_hdf_read_back(from, old, first + k, n, piece));
    HK_PASS(hk_hdf_write(to, fresh, at + k, n, piece));
  }
  return HK_OK;
}

typedef struct frames {
  hk_hdf *from, *to;
  hk_pool pool;
  hk_count old_count, *frame; /* frame[frames]: the old one; -1 */
  hk_hdf_array old[MOST_QUANTITIES], fresh[MOST_QUANTITIES];
} frames;

static hk_status find_frames(const hk_field_layout *layout, frames *f)
{
  hk_status status = HK_OK;
  double *time;
  char *path = NULL;
  HK_TRY(read_times(f->from, &f->pool, "/VTKHDF/Steps/Values", &f->old_count, &time));
  HK_TRY(hk_pool_get(&f->pool, &f->frame, layout->frames));
  match_times(layout->frames, layout->time, f->old_count, time, f->frame);
  for (int q = 0; q < layout->quantity_count; q++) {
    hk_free(&path);
    HK_TRY(hk_format(&path, "/VTKHDF/PointData/%s", layout->quantity[q].name));
    f->old[q].offset = -1;
    if (!hk_hdf_exists(f->from, path)) continue;
    HK_TRY(hk_hdf_array_find(f->from, path, &f->old[q]));
    HK_TRY(hk_hdf_array_find(f->to, path, &f->fresh[q]));
    /* as many numbers a frame in both */
    if (f->old[q].type != HK_F32 || !layout->frames || !f->old_count ||
        f->old[q].count / f->old_count != f->fresh[q].count / layout->frames)
      f->old[q].offset = -1;
  }
cleanup:
  hk_free(&path);
  return status;
}

static hk_status carry_frames(const hk_field_layout *layout, frames *f)
{
  float *piece;
  HK_PASS(hk_pool_get(&f->pool, &piece, PIECE));
  HK_PASS(hk_hdf_finish(f->from));
  HK_PASS(hk_hdf_finish(f->to));
  for (hk_count k = 0; k < layout->frames; k++)
    for (int q = 0; q < layout->quantity_count; q++) {
      const hk_count each = f->fresh[q].count / layout->frames;
      if (f->frame[k] >= 0 && f->old[q].offset >= 0)
        HK_PASS(carry_frame(f->from, &f->old[q], f->frame[k] * each, f->to, &f->fresh[q], k * each,
                            each, piece));
    }
  return hk_hdf_flush(f->to);
}

static hk_count count_missing(const hk_field_layout *layout, const frames *f, double now)
{
  hk_count missing = 0;
  bool whole = f->frame != NULL;
  for (int q = 0; q < layout->quantity_count; q++) whole = whole && f->old[q].offset >= 0;
  for (hk_count k = 0; k < layout->frames; k++)
    missing += layout->time[k] < now && !(whole && f->frame[k] >= 0);
  return missing;
}

hk_status hk_carry_frames(const char *folder, const hk_field_layout *layout, double now,
                          hk_count *missing)
{
  hk_status status = HK_OK;
  frames f = {0};
  hk_field_file *made = NULL;
  hk_field_layout beside = *layout;
  char *path = NULL, *name = NULL, *fresh = NULL;
  *missing = count_missing(layout, &f, now);
  HK_TRY(hk_format(&path, "%s/%s.vtkhdf", folder, layout->name));
  HK_TRY(hk_format(&name, "%s.part", layout->name));
  HK_TRY(hk_format(&fresh, "%s/%s.vtkhdf", folder, name));
  if (access(path, F_OK) != 0) goto cleanup;
  beside.name = name;
  HK_TRY(hk_hdf_open(path, true, &f.from));
  HK_TRY(hk_field_file_open(folder, false, false, &beside, &made));
  HK_TRY(hk_field_file_close(&made));
  HK_TRY(hk_hdf_open(fresh, true, &f.to));
  HK_TRY(find_frames(layout, &f));
  *missing = count_missing(layout, &f, now);
  HK_TRY(carry_frames(layout, &f));
  HK_TRY(hk_hdf_close(&f.to));
  HK_TRY(take_name(fresh, path));
cleanup:
  if (made) hk_field_file_close(&made);
  if (f.to) hk_hdf_close(&f.to);
  if (f.from) hk_hdf_close(&f.from);
  if (status != HK_OK && fresh && hk_written_check(fresh) == HK_OK) remove(fresh);
  hk_pool_clear(&f.pool);
  hk_free(&path);
  hk_free(&name);
  hk_free(&fresh);
  return status;
}
