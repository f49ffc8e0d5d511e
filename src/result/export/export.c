/* Exports a result to RUN/export/ (docs/export.md). Traces and static steps are written as CSV
 * here, frames of fields as .vtu with a .pvd, or as packed copies of the .vtkhdf files; gather.c
 * writes traces in the formats of seismology, and picture/ draws the pictures. A request of traces gives one CSV file per shot with its quantities, or their spectra, side by
 * side; a static step gives one file for the nodes and one for the integration points. */
#include <hooke/result.h>
#include "result/export/gather.h"
#include "result/result.h"
#include "result/spectrum.h"
#include "base/file.h"
#include "result/vtu_file.h"
#include "result/written.h"
#include "base/units.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* CSV: one file per request, its quantities side by side: traces [first, last) of a result. */

typedef struct table {
  int first, last;
  bool spectra;  /* of them, over frequency: */
  hk_count rows; /* samples, or frequencies */
  double *across, **values;
  char frequency[HK_UNIT_TEXT];
} table;

static void write_quoted(FILE *to, const char *text)
{
  fputc('"', to);
  for (; *text; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  fputc('"', to);
}

/* "mm", or "mm/Hz" */
static void unit_of(const hk_result_trace *t, const table *of, char *unit)
{
  const bool over = of->spectra && *of->frequency;
  snprintf(unit, 2 * HK_UNIT_TEXT, "%.60s%s%s", over && !*t->unit ? "1" : t->unit, over ? "/" : "",
           over ? of->frequency : "");
}

static hk_status write_columns(hk_result *r, int trace, const table *of, FILE *to)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  char unit[2 * HK_UNIT_TEXT];
  unit_of(t, of, unit);
  char *receiver = NULL, *head = NULL, component[16];
  for (hk_count i = 0; i < t->receivers; i++) {
    HK_TRY(hk_result_receiver(r, trace, i, &receiver));
    for (int c = 0; c < t->count; c++) {
      hk_component_name(t->components, c, component);
      HK_TRY(hk_format(&head, "%s%s%s %s%s%s%s", t->quantity, *component ? " " : "", component,
                       receiver, *unit ? " (" : "", unit, *unit ? ")" : ""));
      fputc(',', to);
      write_quoted(to, head);
      hk_free(&head);
    }
    hk_free(&receiver);
  }
cleanup:
  hk_free(&receiver);
  hk_free(&head);
  return status;
}

static void write_rows(const hk_result *r, const table *of, FILE *to)
{
  char number[32];
  for (hk_count i = 0; i < of->rows; i++) {
    fputs(hk_number_text(number, 12, of->across[i]), to);
    for (int k = of->first; k < of->last; k++) {
      const hk_count columns = r->trace[k].receivers * r->trace[k].count;
      for (hk_count j = 0; j < columns; j++)
        fprintf(to, ",%s", hk_number_text(number, 12, of->values[k - of->first][j * of->rows + i]));
    }
    fputc('\n', to);
  }
}

/* Times and samples of the table become frequencies and amplitudes. */
static hk_status to_spectra(hk_result *r, hk_pool *pool, table *of)
{
  hk_status status = HK_OK;
  hk_spectrum plan = {0};
  HK_TRY(hk_spectrum_create(r, of->first, INFINITY, &plan));
  for (int k = of->first; k < of->last; k++) {
    const hk_result_trace *t = &r->trace[k];
    double *amplitude, *samples = of->values[k - of->first];
    HK_TRY(hk_pool_get(pool, &amplitude, t->receivers * t->count * plan.count));
    for (hk_count j = 0; j < t->receivers * t->count; j++) {
      double *row = amplitude + j * plan.count;
      hk_spectrum_run(&plan, samples + j * t->samples, 1, row);
      HK_CHECK(isfinite(row[0]), HK_BAD_INPUT,
               "%s: has no spectrum: some samples are not-a-number; if the run was stopped, "
               "go on with it",
               t->request);
    }
    of->values[k - of->first] = amplitude;
  }
  HK_TRY(hk_pool_get(pool, &of->across, plan.count));
  for (hk_count j = 0; j < plan.count; j++) of->across[j] = (double)j * plan.interval;
  of->rows = plan.count;
  hk_unit_frequency(r->trace[of->first].time_unit, of->frequency);
cleanup:
  hk_spectrum_clear(&plan);
  return status;
}

static hk_status read_table(hk_result *r, hk_count shot, hk_pool *pool, table *of)
{
  of->rows = r->trace[of->first].samples;
  HK_PASS(hk_pool_get(pool, &of->values, of->last - of->first));
  HK_PASS(hk_pool_get(pool, &of->across, of->rows));
  HK_PASS(hk_result_time(r, of->first, of->across));
  for (int k = of->first; k < of->last; k++) {
    const hk_result_trace *t = &r->trace[k];
    double **values = &of->values[k - of->first];
    HK_PASS(hk_pool_get(pool, values, t->receivers * t->count * t->samples));
    HK_PASS(hk_result_values(r, k, shot * t->receivers, t->receivers, *values));
  }
  return of->spectra ? to_spectra(r, pool, of) : HK_OK;
}

/* Of one shot. */
static hk_status write_csv(hk_result *r, table of, hk_count shot, const char *folder)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[of.first];
  const char *kind = of.spectra ? "_spectra" : "", *unit = t->time_unit;
  char *path = NULL;
  hk_pool pool = {0};
  hk_stream stream = {0};

  HK_TRY(read_table(r, shot, &pool, &of));
  HK_TRY(t->shots ? hk_format(&path, "%s/%s%s_shot%04lld.csv", folder, t->request, kind,
                              (long long)shot + 1)
                  : hk_format(&path, "%s/%s%s.csv", folder, t->request, kind));
  HK_TRY(hk_written_stream(path, &stream));
  if (of.spectra) unit = of.frequency;
  fputs(of.spectra ? "frequency" : "time", stream.file);
  if (*unit) fprintf(stream.file, " (%s)", unit);
  for (int k = of.first; k < of.last; k++) HK_TRY(write_columns(r, k, &of, stream.file));
  fputc('\n', stream.file);
  write_rows(r, &of, stream.file);
cleanup:
  status = hk_stream_end(&stream, status);
  hk_pool_clear(&pool);
  hk_free(&path);
  return status;
}

/* The column heads and the values of the arrays [first, last): those at nodes, or those at points. */
static void write_table(const hk_result *r, int first, int last, double *const *values, FILE *to)
{
  char component[16], number[32];
  for (int k = first; k < last; k++)
    for (int c = 0; c < r->array[k].count; c++) {
      const hk_result_array *a = &r->array[k];
      const char *name = strncmp(a->name, "points/", 7) ? a->name : a->name + 7;
      hk_component_name(a->components, c, component);
      fprintf(to, ",%s%s%s%s%s%s", name, *component ? " " : "", component, *a->unit ? " (" : "",
              a->unit, *a->unit ? ")" : "");
    }
  fputc('\n', to);
  for (hk_count i = 0; i < r->array[first].rows; i++) {
    fputs(hk_number_text(number, 17, values[0][i]), to);
    for (int k = first; k < last; k++)
      for (int c = 0; c < r->array[k].count; c++)
        fprintf(to, ",%s",
                hk_number_text(number, 12, values[k - first + 1][i * r->array[k].count + c]));
    fputc('\n', to);
  }
}

/* static_0001.csv: a line per node; static_0001_points.csv: a line per integration point, the element first. */
static hk_status write_static_csv(hk_result *r, int first, int last, bool points,
                                  const char *folder)
{
  hk_status status = HK_OK;
  const hk_count rows = r->array[first].rows;
  char *path = NULL;
  double **values;
  hk_pool pool = {0};
  hk_stream stream = {0};
  HK_TRY(hk_pool_get(&pool, &values, last - first + 1));
  HK_TRY(hk_pool_get(&pool, &values[0], rows));
  if (points)
    for (hk_count i = 0; i < rows; i++) values[0][i] = (double)i + 1;
  else
    HK_TRY(hk_hdf_read(r->file, "/static/node", 1, 0, rows, values[0]));
  for (int k = first; k < last; k++) {
    const hk_result_array *a = &r->array[k];
    HK_TRY(hk_pool_get(&pool, &values[k - first + 1], a->rows * a->count));
    HK_TRY(hk_hdf_read(r->file, a->path, a->count, 0, a->rows, values[k - first + 1]));
  }
  HK_TRY(hk_format(&path, "%s/static_%s%s.csv", folder, r->array[first].step,
                   points ? "_points" : ""));
  HK_TRY(hk_written_stream(path, &stream));
  fputs(points ? "row" : "node", stream.file);
  write_table(r, first, last, values, stream.file);
cleanup:
  status = hk_stream_end(&stream, status);
  hk_pool_clear(&pool);
  hk_free(&path);
  return status;
}

static bool is_point(const hk_result_array *a)
{
  return !strncmp(a->name, "points/", 7);
}

static hk_status write_all_static(hk_result *r, const char *folder)
{
  for (int i = 0, next; i < r->array_count; i = next) {
    const hk_result_array *a = &r->array[i];
    for (next = i; next < r->array_count && !strcmp(r->array[next].step, a->step) &&
                   is_point(&r->array[next]) == is_point(a);)
      next++;
    HK_PASS(write_static_csv(r, i, next, is_point(a), folder));
  }
  return HK_OK;
}

static hk_status write_all_csv(const char *run, bool spectra, const char *folder)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  HK_TRY(hk_result_open(run, &r));
  for (int i = 0, next; i < r->count; i = next) {
    for (next = i; next < r->count && !strcmp(r->trace[next].request, r->trace[i].request);) next++;
    for (hk_count k = 0; k == 0 || k < r->trace[i].shots; k++)
      HK_TRY(write_csv(r, (table){.first = i, .last = next, .spectra = spectra}, k, folder));
  }
  if (!spectra) HK_TRY(write_all_static(r, folder));
cleanup:
  hk_result_close(&r);
  return status;
}

/* A request that is named like another one's spectra would take their file. */
static hk_status check_names(const hk_result *r)
{
  for (int i = 0; i < r->count; i++)
    for (int k = 0; k < r->count; k++) {
      const char *name = r->trace[i].request, *other = r->trace[k].request;
      const size_t length = strlen(name);
      HK_NEED(strncmp(other, name, length) != 0 || strcmp(other + length, "_spectra") != 0,
              HK_BAD_INPUT,
              "%s: the table of %s and the spectra of %s have one name: export csv and spectra one "
              "after the other, and move the files of the first away",
              r->folder, other, name);
    }
  return HK_OK;
}

typedef struct frame_room { /* for the values of a frame */
  hk_vtu_array *array;
  double *wide;
  float **values;
  bool compress;
} frame_room;

static hk_status write_frame(hk_field *f, hk_count frame, const char *folder, const char *name,
                             const frame_room *room)
{
  hk_status status = HK_OK;
  char *path = NULL;
  for (int q = 0; q < f->count; q++) {
    const hk_field_info *info = &f->quantity[q];
    float *values = room->values[q];
    HK_TRY(hk_field_read(f, frame, q, room->wide));
    for (hk_count i = 0; i < f->grid->nodes * info->wide; i++) values[i] = (float)room->wide[i];
    room->array[q] = (hk_vtu_array){info->name, info->unit, info->components, info->wide, values};
  }
  HK_TRY(hk_vtu_path(&path, folder, name, frame));
  HK_TRY(hk_vtu_write(path, f->grid, f->count, room->array, room->compress));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status write_frames(hk_field *f, const char *folder, const char *name, bool compress)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  frame_room room = {.compress = compress};
  bool *written;
  hk_count most = 0;

  HK_TRY(hk_pool_get(&pool, &room.array, f->count));
  HK_TRY(hk_pool_get(&pool, &room.values, f->count));
  HK_TRY(hk_pool_get(&pool, &written, f->frames));
  for (int q = 0; q < f->count; q++) {
    const hk_count items = f->grid->nodes * f->quantity[q].wide;
    HK_TRY(hk_pool_get(&pool, &room.values[q], items));
    if (items > most) most = items;
  }
  HK_TRY(hk_pool_get(&pool, &room.wide, most));
  for (hk_count k = 0; k < f->frames; k++) {
    HK_TRY(write_frame(f, k, folder, name, &room));
    written[k] = true;
  }
  HK_TRY(hk_pvd_write(folder, name, f->frames, f->time, written));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status no_frames(const char *run)
{
  return hk_error_set(HK_BAD_INPUT,
                      "%s: has no frames of fields: request them with outputs: {field: ...}", run);
}

static hk_status write_all_vtu(const char *run, const char *folder, bool compress)
{
  hk_status status = HK_OK;
  hk_field *f = NULL;
  char **name = NULL;
  int names = 0, found = 0;
  HK_TRY(hk_field_list(run, &names, &name));
  for (int i = 0; i < names; i++) {
    HK_TRY(hk_field_open(run, name[i], &f));
    if (!f) continue;
    found++;
    HK_TRY(write_frames(f, folder, name[i], compress));
    hk_field_close(&f);
  }
  if (!found) status = no_frames(run);
cleanup:
  hk_names_free(names, &name);
  hk_field_close(&f);
  return status;
}

/* A copy of a .vtkhdf file with its arrays packed; the whole file, or none. */
static hk_status pack_field(const char *run, const char *folder, const char *name)
{
  hk_status status = HK_OK;
  char *from = NULL, *to = NULL, *beside = NULL;
  HK_TRY(hk_format(&from, "%s/%s.vtkhdf", run, name));
  HK_TRY(hk_format(&to, "%s/%s.vtkhdf", folder, name));
  HK_TRY(hk_format(&beside, "%s.part", to));
  HK_CHECK(access(from, F_OK) == 0, HK_BAD_INPUT,
           "%s: the frames of %s were written as .vtu: name vtu as well, and they are packed by "
           "zlib",
           run, name);
  HK_TRY(hk_written_claim(to));
  status = hk_hdf_pack(from, beside);
  if (status == HK_OK && rename(beside, to) != 0)
    status = hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", to, strerror(errno));
  if (status != HK_OK) unlink(beside);
cleanup:
  hk_free(&from);
  hk_free(&to);
  hk_free(&beside);
  return status;
}

static hk_status pack_fields(const char *run, const char *folder)
{
  hk_status status = HK_OK;
  char **name = NULL;
  int names = 0;
  HK_TRY(hk_field_list(run, &names, &name));
  if (!names) status = no_frames(run);
  for (int i = 0; i < names; i++) HK_TRY(pack_field(run, folder, name[i]));
cleanup:
  hk_names_free(names, &name);
  return status;
}

/* .su, .segy, .sac, .mseed, ASDF */
static hk_status write_gathers(const char *run, const hk_export_desc *desc, const char *folder)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  const hk_gather_format *format[5];
  int formats = 0;
  if (desc->su) format[formats++] = &hk_su_format;
  if (desc->segy) format[formats++] = &hk_segy_format;
  if (desc->sac) format[formats++] = &hk_sac_format;
  if (desc->mseed) format[formats++] = &hk_mseed_format;
  if (desc->asdf) format[formats++] = &hk_asdf_format;
  if (!formats) goto cleanup;
  HK_TRY(hk_result_open(run, &r));
  HK_TRY(hk_gather_write(r, formats, format, folder, desc->list));
cleanup:
  hk_result_close(&r);
  return status;
}

static bool says_something(const hk_picture_desc *p)
{
  return p && (p->quantity || p->component || p->low != 0 || p->high != 0 || p->decibels != 0 ||
               p->at_time || p->section || p->scale != 0 || p->frame_rate != 0);
}

/* What is chosen must be of something that is drawn. */
static hk_status check_picture(const char *run, const hk_export_desc *desc)
{
  const hk_picture_desc *p = desc->picture;
  HK_NEED(desc->png || desc->movie || !says_something(p), HK_USAGE,
          "%s: no pictures are exported, and only these have a quantity, colours, a time or a "
          "section: name png or movie",
          run);
  HK_NEED(desc->png || !p || !(p->section || p->scale != 0), HK_USAGE,
          "%s: a movie has no sections of traces: name png, or leave section and scale out", run);
  HK_NEED(!desc->movie || !p || !p->at_time || p->until, HK_USAGE,
          "%s: a movie has many frames: give a first and a last time, leave time out, or name png "
          "alone",
          run);
  HK_NEED(desc->movie || !p || p->frame_rate == 0, HK_USAGE,
          "%s: no moving picture is written, and only these have a frame rate: name movie", run);
  return HK_OK;
}

/* The run has what each format is made of: told before the first file is written. */
static hk_status check_contents(const char *run, const hk_export_desc *desc, const hk_result *r)
{
  const bool gathers = desc->su || desc->segy || desc->sac || desc->mseed;
  HK_NEED(r->count || !gathers, HK_BAD_INPUT,
          "%s: has no traces: request them with outputs: {traces: ...} or *OUTPUT, HISTORY", run);
  HK_NEED(r->count || !desc->spectra, HK_BAD_INPUT,
          "%s: has no traces, and so no spectra: request them with outputs: {traces: ...}", run);
  HK_NEED(r->count || r->array_count || !desc->csv, HK_BAD_INPUT,
          "%s: has no tables for csv: request traces with outputs: {traces: ...} or *OUTPUT, "
          "HISTORY, or name vtu for the frames of fields",
          run);
  return desc->csv && desc->spectra ? check_names(r) : HK_OK;
}

static hk_status check_fields(const char *run, const hk_export_desc *desc)
{
  hk_status status = HK_OK;
  char **name = NULL;
  int names = 0;
  HK_TRY(hk_field_list(run, &names, &name));
  if (!names && (desc->vtu || desc->compress || desc->movie)) status = no_frames(run);
  const bool drawn = desc->png || desc->movie;
  if (status == HK_OK && drawn) status = hk_pictures_check(run, desc->picture);
cleanup:
  hk_names_free(names, &name);
  return status;
}

hk_status hk_export(const char *run, const hk_export_desc *desc)
{
  hk_status status = HK_OK;
  char *folder = NULL;
  hk_result *r = NULL;
  HK_CHECK(desc->csv || desc->vtu || desc->png || desc->su || desc->segy || desc->sac ||
               desc->mseed || desc->asdf || desc->compress || desc->movie || desc->spectra,
           HK_USAGE,
           "%s: no format to export: name at least one of csv, vtu, png, movie, su, segy, sac, "
           "mseed, asdf, spectra, compress",
           run);
  HK_TRY(check_picture(run, desc));
  HK_TRY(hk_result_open(run, &r)); /* before a folder is made beside it */
  HK_CHECK(r->folder, HK_BAD_INPUT, "%s: is not a result folder: give the folder with run.h5", run);
  HK_TRY(check_contents(run, desc, r));
  hk_result_close(&r);
  HK_TRY(check_fields(run, desc));
  HK_TRY(hk_format(&folder, "%s/export", run));
  HK_TRY(hk_make_folder(folder));
  if (desc->csv) HK_TRY(write_all_csv(run, false, folder));
  if (desc->spectra) HK_TRY(write_all_csv(run, true, folder));
  HK_TRY(write_gathers(run, desc, folder));
  if (desc->vtu) HK_TRY(write_all_vtu(run, folder, desc->compress));
  if (desc->compress && !desc->vtu) HK_TRY(pack_fields(run, folder));
  if (desc->png) HK_TRY(hk_pictures_write(run, folder, -1, desc->picture));
  if (desc->movie) HK_TRY(hk_movies_write(run, folder, desc->picture));
cleanup:
  hk_result_close(&r);
  hk_free(&folder);
  return status;
}
