/* Writes run.h5 of an explicit run: traces and energies, with a shot axis if there are shots
 * (docs/reference/results.md). All datasets are made in full size, filled with not-a-number, before
 * the first step; later only raw data is written, so that a killed run leaves a readable file. The
 * same functions visit the layout to create the datasets or, on reopening, to compare them with the
 * file. The attribute `samples` of /traces says whether time dispersion has been removed; its words
 * have one length and are overwritten in place. */
#include "result/run_file.h"
#include <stdio.h>
#include <string.h>

enum { MOST_QUANTITIES = 8, TIMES = 1 << 15, NARROW = 1024 /* at a time */ };

typedef struct trace_place {
  hk_count receivers, samples;
  int quantities, components[MOST_QUANTITIES];
  hk_hdf_array data[MOST_QUANTITIES];
} trace_place;

struct hk_run_file {
  hk_hdf *file;
  hk_count shots; /* 1 without a shot axis */
  hk_count energies;
  int trace_count;
  trace_place *trace;
  hk_hdf_array energy[HK_ENERGY_COUNT];
  hk_run_samples samples;
  hk_count word_at; /* byte of the file at which it says so */
};

static const char *const energy_name[HK_ENERGY_COUNT] = {"kinetic", "strain", "work", "damping"};

/* Of one length: a change is written over what was there. */
static const char *const samples_word[] = {[HK_AS_COMPUTED] = "as computed",
                                           [HK_IN_PROGRESS] = "in progress",
                                           [HK_TRANSFORMED] = "transformed"};
enum { SAMPLES_WORDS = sizeof samples_word / sizeof *samples_word };

hk_status hk_trace_path(hk_pool *pool, char **out, const char *request, const char *part)
{
  static const char group[] = "/traces/";
  const char *name = *request && strcmp(request, ".") != 0 ? request : "_";
  const size_t begin = sizeof group - 1, end = begin + strlen(name);
  const size_t bytes = end + (part ? 1 + strlen(part) : 0) + 1;
  HK_PASS(hk_pool_take(pool, bytes, (void **)out));
  snprintf(*out, bytes, part ? "%s%s/%s" : "%s%s", group, name, part);
  for (size_t i = begin; i < end; i++)
    if ((*out)[i] == '/') (*out)[i] = '_';
  return HK_OK;
}

/* The datasets of a layout, made or (make == false) compared with those of the file. */

typedef struct visit {
  hk_hdf *file;
  bool make;
  hk_count shots;      /* 0: no shot axis */
  hk_hdf_type samples; /* of traces */
  hk_pool *pool;       /* of names */
} visit;

static bool same_array(const hk_hdf_array *a, hk_hdf_type type, int rank, const hk_count *size)
{
  bool same = a->offset >= 0 && a->type == type && a->rank == rank;
  for (int k = 0; same && k < rank; k++) same = a->size[k] == size[k];
  return same;
}

hk_status hk_layout_array(hk_hdf *file, bool make, const char *name, hk_hdf_type type, int rank,
                          const hk_count *size, hk_hdf_array *out)
{
  if (make) return hk_hdf_array_create(file, name, type, rank, size, out);
  const hk_status status = hk_hdf_array_find(file, name, out);
  if (status != HK_OK || same_array(out, type, rank, size)) return status;
  return hk_error_set(HK_BAD_INPUT,
                      "%s does not have the shape that this model requires: it comes from another "
                      "model; start again or give another --output",
                      name);
}

/* With a shot axis before the others, if there is one. */
static hk_status visit_shots(const visit *v, const char *name, hk_hdf_type type, int rank,
                             const hk_count *size, hk_hdf_array *out)
{
  hk_count all[4] = {v->shots};
  const int axis = v->shots > 0;
  for (int k = 0; k < rank; k++) all[axis + k] = size[k];
  return hk_layout_array(v->file, v->make, name, type, axis + rank, all, out);
}

static hk_status visit_text(const visit *v, const char *object, const char *name, const char *text)
{
  hk_status status = HK_OK;
  char *found = NULL;
  if (!text) text = "";
  if (v->make) return hk_hdf_text(v->file, object, name, text);
  HK_TRY(hk_hdf_text_read(v->file, object, name, &found));
  HK_CHECK(strcmp(found, text) == 0, HK_BAD_INPUT,
           "%s has %s \"%s\", this model requires \"%s\": it comes from another model", object,
           name, found, text);
cleanup:
  hk_free(&found);
  return status;
}

/* Stored numbers equal expected[count] (labels are exact in double below 2^53). */
static hk_status compare_numbers(const visit *v, const char *name, hk_count rows, hk_count count,
                                 const double *expected, const int64_t *label)
{
  hk_status status = HK_OK;
  double *found = NULL;
  HK_TRY(hk_get(&found, count));
  HK_TRY(hk_hdf_read(v->file, name, rows ? count / rows : 1, 0, rows, found));
  for (hk_count i = 0; i < count; i++)
    HK_CHECK(label ? found[i] == (double)label[i] : found[i] == expected[i], HK_BAD_INPUT,
             "%s differs from what this model requires: it comes from another model", name);
cleanup:
  hk_free(&found);
  return status;
}

/* time[0..returned) of the samples from `first` on, at most TIMES of them. */
static hk_count fill_times(const hk_trace_layout *t, hk_count first, double *time)
{
  const hk_count left = t->samples - first, count = left < TIMES ? left : TIMES;
  for (hk_count k = 0; k < count; k++) {
    time[k] = t->start + (double)((first + k) * t->every) * t->dt;
  }
  return count;
}

/* Writes the times of a trace, or (make == false) compares them with those of the file. */
static hk_status visit_times(hk_hdf *file, bool make, const hk_trace_layout *t, const char *name,
                             const hk_hdf_array *at)
{
  hk_status status = HK_OK;
  double *time = NULL, *found = NULL;
  HK_TRY(hk_get(&time, TIMES));
  HK_TRY(hk_get(&found, make ? 0 : TIMES));
  for (hk_count first = 0, count; first < t->samples; first += count) {
    count = fill_times(t, first, time);
    if (make)
      HK_TRY(hk_hdf_write(file, at, first, count, time));
    else
      HK_TRY(hk_hdf_read(file, name, 1, first, count, found));
    HK_CHECK(make || !memcmp(found, time, (size_t)count * sizeof *time), HK_BAD_INPUT,
             "%s differs from what this model requires: it comes from another model", name);
  }
cleanup:
  hk_free(&time);
  hk_free(&found);
  return status;
}

/* The type of the samples in an existing file: earlier builds stored those of single runs as float64. */
static hk_status find_samples(hk_hdf *file, const char *path, hk_hdf_type *type)
{
  hk_hdf_array found;
  HK_PASS(hk_hdf_array_find(file, path, &found));
  *type = found.type == HK_F32 ? HK_F32 : HK_F64;
  return HK_OK;
}

static hk_status visit_quantity(const visit *v, const hk_trace_layout *t, int q, hk_hdf_array *out)
{
  char *path;
  const hk_count size[3] = {t->receivers, t->quantity[q].count, t->samples};
  hk_hdf_type type = v->samples;
  HK_PASS(hk_trace_path(v->pool, &path, t->name, t->quantity[q].name));
  if (!v->make) HK_PASS(find_samples(v->file, path, &type));
  HK_PASS(visit_shots(v, path, type, 3, size, out));
  HK_PASS(visit_text(v, path, "unit", t->quantity[q].unit));
  return visit_text(v, path, "components", t->quantity[q].components);
}

typedef struct trace_head {
  char *group, *time; /* names */
  hk_hdf_array time_at, node_at, coordinates_at;
} trace_head;

static hk_status visit_head(const visit *v, const hk_trace_layout *t, trace_head *head)
{
  char *node, *coordinates;
  HK_PASS(hk_trace_path(v->pool, &head->group, t->name, NULL));
  HK_PASS(hk_trace_path(v->pool, &head->time, t->name, "time"));
  HK_PASS(hk_trace_path(v->pool, &node, t->name, "node"));
  HK_PASS(hk_trace_path(v->pool, &coordinates, t->name, "coordinates"));
  if (v->make) {
    HK_NEED(!hk_hdf_exists(v->file, head->group), HK_BAD_INPUT,
            "two trace requests are named \"%s\"", t->name);
    HK_PASS(hk_hdf_group(v->file, head->group));
  }
  HK_PASS(hk_layout_array(v->file, v->make, head->time, HK_F64, 1, &t->samples, &head->time_at));
  HK_PASS(visit_text(v, head->time, "unit", t->time_unit));
  HK_PASS(hk_layout_array(v->file, v->make, node, HK_I64, 1, &t->receivers, &head->node_at));
  HK_PASS(hk_layout_array(v->file, v->make, coordinates, HK_F64, 2,
                          (hk_count[]){t->receivers, t->dim}, &head->coordinates_at));
  if (v->make) HK_PASS(visit_text(v, coordinates, "unit", t->length_unit));
  if (v->make) return HK_OK;
  HK_PASS(visit_times(v->file, false, t, head->time, &head->time_at));
  HK_PASS(compare_numbers(v, node, t->receivers, t->receivers, NULL, t->node));
  return compare_numbers(v, coordinates, t->receivers, t->receivers * t->dim, t->coordinates, NULL);
}

static hk_status visit_trace(const visit *v, const hk_trace_layout *t, trace_head *head,
                             trace_place *place)
{
  hk_status status = HK_OK;
  int found = 0;
  char **names = NULL;
  *place = (trace_place){t->receivers, t->samples, t->quantity_count, {0}, {{0}}};
  HK_TRY(visit_head(v, t, head));
  for (int q = 0; q < t->quantity_count; q++) {
    HK_TRY(visit_quantity(v, t, q, &place->data[q]));
    place->components[q] = t->quantity[q].count;
  }
  HK_TRY(hk_hdf_names(v->file, head->group, &found, &names));
  HK_CHECK(found == 3 + t->quantity_count, HK_BAD_INPUT,
           "%s has %d quantities, this model requires %d: it comes from another model", head->group,
           found - 3, t->quantity_count);
cleanup:
  hk_names_free(found, &names);
  return status;
}

static hk_status visit_energy(const visit *v, const hk_run_layout *layout, hk_run_file *run,
                              hk_hdf_array *time)
{
  *time = (hk_hdf_array){0};
  if (!layout->energy_samples) return HK_OK;
  if (v->make) HK_PASS(hk_hdf_group(v->file, "/energy"));
  HK_PASS(
      hk_layout_array(v->file, v->make, "/energy/time", HK_F64, 1, &layout->energy_samples, time));
  HK_PASS(visit_text(v, "/energy/time", "unit", layout->time_unit));
  for (int k = 0; k < HK_ENERGY_COUNT; k++) {
    char path[32];
    snprintf(path, sizeof path, "/energy/%s", energy_name[k]);
    HK_PASS(visit_shots(v, path, HK_F64, 1, &layout->energy_samples, &run->energy[k]));
    HK_PASS(visit_text(v, path, "unit", layout->energy_unit));
  }
  if (!v->make)
    HK_PASS(compare_numbers(v, "/energy/time", layout->energy_samples, layout->energy_samples,
                            layout->energy_time, NULL));
  return HK_OK;
}

/* What computed.h5 says of its last samples. */
static hk_status visit_beyond(const visit *v, hk_count beyond)
{
  char words[80];
  snprintf(words, sizeof words, "the last %lld samples, which the transform needs",
           (long long)beyond);
  return beyond ? visit_text(v, "/traces", "beyond_end", words) : HK_OK;
}

static hk_status visit_all(const visit *v, const hk_run_layout *layout, hk_run_file *run,
                           trace_head *head, hk_hdf_array *energy_time)
{
  hk_status status = HK_OK;
  int found = 0;
  char **names = NULL;
  if (v->make) {
    HK_TRY(hk_hdf_group(v->file, "/traces"));
    HK_TRY(hk_hdf_text(v->file, "/traces", "samples", samples_word[HK_AS_COMPUTED]));
  }
  HK_TRY(visit_beyond(v, layout->beyond));
  for (int i = 0; i < layout->trace_count; i++)
    HK_TRY(visit_trace(v, &layout->trace[i], &head[i], &run->trace[i]));
  HK_TRY(visit_energy(v, layout, run, energy_time));
  HK_TRY(hk_hdf_names(v->file, "/traces", &found, &names));
  HK_CHECK(found == layout->trace_count, HK_BAD_INPUT,
           "/traces holds %d requests, this model has %d: it comes from another model", found,
           layout->trace_count);
cleanup:
  hk_names_free(found, &names);
  return status;
}

/* What is known before the first step: times, receivers. */
static hk_status write_heads(hk_run_file *run, const hk_run_layout *layout, const trace_head *head,
                             const hk_hdf_array *energy_time)
{
  for (int i = 0; i < layout->trace_count; i++) {
    const hk_trace_layout *t = &layout->trace[i];
    HK_PASS(visit_times(run->file, true, t, head[i].time, &head[i].time_at));
    HK_PASS(hk_hdf_write(run->file, &head[i].node_at, 0, t->receivers, t->node));
    HK_PASS(
        hk_hdf_write(run->file, &head[i].coordinates_at, 0, t->receivers * t->dim, t->coordinates));
  }
  if (layout->energy_samples)
    HK_PASS(hk_hdf_write(run->file, energy_time, 0, layout->energy_samples, layout->energy_time));
  return HK_OK;
}

/* Where the word is, and (an existing file) which one. */
static hk_status find_mark(hk_run_file *run)
{
  hk_status status = HK_OK;
  char *word = NULL;
  hk_count length;
  HK_TRY(hk_hdf_text_place(run->file, "/traces", "samples", &run->word_at, &length));
  HK_TRY(hk_hdf_text_read(run->file, "/traces", "samples", &word));
  HK_CHECK(length == (hk_count)strlen(samples_word[0]), HK_BAD_INPUT,
           "/traces: its attribute samples is \"%s\"", word);
  for (int k = 0; k < SAMPLES_WORDS; k++)
    if (!strcmp(word, samples_word[k])) run->samples = (hk_run_samples)k;
cleanup:
  hk_free(&word);
  return status;
}

static hk_status open_run(const char *path, bool make, const hk_run_layout *layout,
                          hk_run_file **out)
{
  hk_status status = HK_OK;
  hk_run_file *run = NULL;
  trace_head *head = NULL;
  hk_hdf_array energy_time;
  hk_pool pool = {0};

  HK_TRY(hk_new(&run));
  HK_TRY(hk_get(&run->trace, layout->trace_count));
  HK_TRY(hk_pool_get(&pool, &head, layout->trace_count));
  run->trace_count = layout->trace_count;
  run->shots = layout->shots ? layout->shots : 1, run->energies = layout->energy_samples;
  HK_TRY(make ? hk_hdf_create(path, hk_run_file_plan(layout), &run->file)
              : hk_hdf_open(path, true, &run->file));
  const visit v = {run->file, make, layout->shots, layout->single ? HK_F32 : HK_F64, &pool};
  HK_TRY(visit_all(&v, layout, run, head, &energy_time));
  HK_TRY(find_mark(run));
  HK_TRY(hk_hdf_lay_out(run->file));
  if (make) HK_TRY(write_heads(run, layout, head, &energy_time));
  if (make) HK_TRY(hk_hdf_complete(run->file, false, NULL, NULL));
  *out = run, run = NULL;
cleanup:
  hk_pool_clear(&pool);
  hk_run_file_close(&run);
  return status;
}

hk_count hk_run_file_plan(const hk_run_layout *layout)
{
  const hk_count shots = layout->shots ? layout->shots : 1;
  const hk_count size = (hk_count)hk_hdf_type_size(layout->single ? HK_F32 : HK_F64);
  hk_count objects = 8, items = layout->energy_samples * (1 + shots * HK_ENERGY_COUNT), bytes = 0;
  for (int i = 0; i < layout->trace_count; i++) {
    const hk_trace_layout *t = &layout->trace[i];
    objects += 4 + t->quantity_count;
    items += t->samples + t->receivers * (1 + t->dim);
    for (int q = 0; q < t->quantity_count; q++)
      bytes += size * shots * t->receivers * t->quantity[q].count * t->samples;
  }
  return hk_hdf_plan(objects, 8 * items + bytes);
}

hk_status hk_run_file_create(const char *path, const hk_run_layout *layout, hk_run_file **out)
{
  return open_run(path, true, layout, out);
}

hk_status hk_run_file_reopen(const char *path, const hk_run_layout *layout, hk_run_file **out)
{
  return open_run(path, false, layout, out);
}

hk_run_samples hk_run_file_samples(const hk_run_file *run)
{
  return run->samples;
}

hk_status hk_run_file_mark(hk_run_file *run, hk_run_samples samples)
{
  const char *word = samples_word[samples];
  if (samples == run->samples) return HK_OK;
  HK_PASS(hk_hdf_flush(run->file)); /* what the word says is there before it */
  HK_PASS(hk_hdf_write_bytes(run->file, run->word_at, (hk_count)strlen(word), word));
  HK_PASS(hk_hdf_flush(run->file));
  run->samples = samples;
  return HK_OK;
}

/* *rows: receivers times components, of a trace that has the samples [first, first + count). */
static hk_status count_rows(const hk_run_file *run, hk_count shot, int trace, int quantity,
                            hk_count first, hk_count count, hk_count *rows)
{
  HK_NEED(trace >= 0 && trace < run->trace_count && quantity >= 0 &&
              quantity < run->trace[trace].quantities && shot >= 0 && shot < run->shots,
          HK_INTERNAL, "there is no trace %d with a quantity %d in a shot %lld", trace, quantity,
          (long long)shot);
  const trace_place *t = &run->trace[trace];
  HK_NEED(first >= 0 && count >= 0 && first <= t->samples - count, HK_INTERNAL,
          "samples %lld to %lld lie outside a trace of %lld samples", (long long)first,
          (long long)(first + count), (long long)t->samples);
  *rows = t->receivers * t->components[quantity];
  return HK_OK;
}

/* The first item of a part of one row of a trace, in its dataset. */
static hk_status find_row(const hk_run_file *run, hk_count shot, int trace, int quantity,
                          hk_count row, hk_count first, hk_count count, hk_count *item)
{
  hk_count rows;
  HK_PASS(count_rows(run, shot, trace, quantity, first, count, &rows));
  HK_NEED(row >= 0 && row < rows, HK_INTERNAL, "a trace of %lld rows has no row %lld",
          (long long)rows, (long long)row);
  *item = (shot * rows + row) * run->trace[trace].samples + first;
  return HK_OK;
}

hk_status hk_samples_read(hk_hdf *file, const hk_hdf_array *array, hk_count item, hk_count count,
                          double *values)
{
  float narrow[NARROW];
  if (array->type == HK_F64) return hk_hdf_read_back(file, array, item, count, values);
  for (hk_count k = 0; k < count; k += NARROW) {
    const hk_count n = count - k < NARROW ? count - k : NARROW;
    HK_PASS(hk_hdf_read_back(file, array, item + k, n, narrow));
    for (hk_count i = 0; i < n; i++) values[k + i] = narrow[i];
  }
  return HK_OK;
}

static hk_status write_samples(hk_hdf *file, const hk_hdf_array *array, hk_count item,
                               hk_count count, const double *values)
{
  float narrow[NARROW];
  if (array->type == HK_F64) return hk_hdf_write(file, array, item, count, values);
  for (hk_count k = 0; k < count; k += NARROW) {
    const hk_count n = count - k < NARROW ? count - k : NARROW;
    for (hk_count i = 0; i < n; i++) narrow[i] = (float)values[k + i];
    HK_PASS(hk_hdf_write(file, array, item + k, n, narrow));
  }
  return HK_OK;
}

hk_status hk_run_file_read_trace(hk_run_file *run, hk_count shot, int trace, int quantity,
                                 hk_count row, hk_count first, hk_count count, double *values)
{
  hk_count item = 0;
  HK_PASS(find_row(run, shot, trace, quantity, row, first, count, &item));
  return hk_samples_read(run->file, &run->trace[trace].data[quantity], item, count, values);
}

hk_status hk_run_file_write_row(hk_run_file *run, hk_count shot, int trace, int quantity,
                                hk_count row, hk_count first, hk_count count, const double *values)
{
  hk_count item = 0;
  HK_PASS(find_row(run, shot, trace, quantity, row, first, count, &item));
  return write_samples(run->file, &run->trace[trace].data[quantity], item, count, values);
}

hk_status hk_run_file_write_trace(hk_run_file *run, hk_count shot, int trace, int quantity,
                                  hk_count first, hk_count count, const double *values)
{
  hk_count rows;
  HK_PASS(count_rows(run, shot, trace, quantity, first, count, &rows));
  for (hk_count i = 0; i < rows; i++)
    HK_PASS(hk_run_file_write_row(run, shot, trace, quantity, i, first, count, values + i * count));
  return HK_OK;
}

hk_status hk_run_file_write_energy(hk_run_file *run, hk_count shot, hk_count first, hk_count count,
                                   const double *values)
{
  for (int k = 0; k < HK_ENERGY_COUNT; k++)
    HK_PASS(hk_hdf_write(run->file, &run->energy[k], shot * run->energies + first, count,
                         values + k * count));
  return HK_OK;
}

hk_status hk_run_file_flush(hk_run_file *run)
{
  return hk_hdf_flush(run->file);
}

hk_status hk_run_file_close(hk_run_file **pointer)
{
  hk_run_file *run = *pointer;
  if (!run) return HK_OK;
  const hk_status status = hk_hdf_close(&run->file);
  hk_free(&run->trace);
  hk_free(pointer);
  return status;
}
