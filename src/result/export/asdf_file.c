/* ASDF, the Adaptable Seismic Data Format, version 1.0.3 (Krischer and others 2016; seismic-data.org): FOLDER/<request>_<quantity>.asdf.h5, HDF5 with
 *
 *   /Waveforms/XX.N17/XX.N17..JHX__<first second>__<last second>__<tag>   samples; starttime (ns since 1970), sampling_rate (Hz)
 *   /AuxiliaryData/Coordinates/receivers, sources                         x, y, z in metres
 *
 * and the empty group /Provenance. A tag is the quantity, with shots "velocity_shot0001". The model's time 0 is 1970-01-01T00:00:00. Coordinates
 * are not geographic, so there is no StationXML. All datasets are made before the first sample is written; the file gets its name when it is whole. */
#include "result/export/codes.h"
#include "result/written.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SETS = 200000, SECOND_TEXT = 64 };

static hk_status check(const hk_gather *g, hk_messages *list)
{
  (void)list;
  return hk_code_check(g, ".asdf.h5");
}

/* Of all requests, before anything is written. */
static hk_status count_sets(const hk_result *r, int requests, const hk_gather *g, hk_messages *list)
{
  (void)list;
  for (int i = 0; i < requests; i++)
    for (int k = g[i].first; k < g[i].last; k++)
      HK_NEED(g[i].shots * g[i].receivers * r->trace[k].count <= MOST_SETS, HK_BAD_INPUT,
              "%s: %lld receivers in %lld shots with %d components are more than %d waveforms, too "
              "many for ASDF, which has a dataset for each: use --segy, or read run.h5",
              g[i].name, (long long)g[i].receivers, (long long)g[i].shots, r->trace[k].count,
              MOST_SETS);
  return HK_OK;
}

/* text[SECOND_TEXT]: "1970-01-01T00:00:00", and nanoseconds if `fine`. */
static void put_second(double seconds, bool fine, char *text)
{
  const double whole = floor(seconds);
  const time_t second = (time_t)whole;
  struct tm parts;
  gmtime_r(&second, &parts);
  const size_t used = strftime(text, SECOND_TEXT - 16, "%Y-%m-%dT%H:%M:%S", &parts);
  if (fine)
    snprintf(text + used, SECOND_TEXT - used, ".%09d",
             (int)fmin(999999999, nearbyint((seconds - whole) * 1e9)));
}

/* Letters that tags may have. */
static void put_tag(const hk_result_trace *t, hk_count shot, char *text, size_t size)
{
  snprintf(text, size, "%.60s", t->quantity);
  for (char *c = text; *c; c++)
    *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
  const size_t used = strlen(text);
  if (t->shots) snprintf(text + used, size - used, "_shot%04lld", (long long)shot + 1);
}

/* The dataset of a component, with its attributes; group: "/Waveforms/XX.N17", of `station`. */
static hk_status make_channel(const hk_gather *g, const hk_result_trace *t, const char *group,
                              const char *station, hk_count shot, int c, hk_gather_files *files)
{
  hk_status status = HK_OK;
  const double end = g->start + (double)(g->samples - 1) * g->dt;
  const bool fine = floor(g->start) == floor(end);
  const int64_t begin_ns = llrint(g->start * 1e9);
  char code[4], tag[96], from[SECOND_TEXT], to[SECOND_TEXT], *path = NULL;
  hk_hdf_array *array = &files->array[files->arrays];
  hk_code_channel(g, t, c, code);
  put_tag(t, shot, tag, sizeof tag);
  put_second(g->start, fine, from), put_second(end, fine, to);
  HK_TRY(hk_format(&path, "%s/XX.%s..%s__%s__%s__%s", group, station, code, from, to, tag));
  HK_CHECK(!hk_hdf_exists(files->hdf, path), HK_BAD_INPUT,
           "%s: two receivers are named %s in ASDF files: record the node once", g->name, station);
  HK_TRY(hk_hdf_array_create(files->hdf, path, files->wide ? HK_F64 : HK_F32, 1,
                             (hk_count[]){g->samples}, array));
  HK_TRY(hk_hdf_integers(files->hdf, path, "starttime", 0, &begin_ns));
  HK_TRY(hk_hdf_real(files->hdf, path, "sampling_rate", 1 / g->dt));
  HK_TRY(hk_hdf_text(files->hdf, path, "unit", t->unit));
  files->arrays++;
cleanup:
  hk_free(&path);
  return status;
}

/* Datasets in the order in which values come: shot by shot, receiver by receiver. */
static hk_status make_waveforms(const hk_gather *g, const hk_result_trace *t,
                                hk_gather_files *files)
{
  for (hk_count shot = 0; shot < g->shots; shot++)
    for (hk_count i = 0; i < g->receivers; i++) {
      char station[HK_STATION + 1], group[32];
      hk_code_station(g, i, station);
      snprintf(group, sizeof group, "/Waveforms/XX.%s", station);
      if (shot == 0 && !hk_hdf_exists(files->hdf, group)) HK_PASS(hk_hdf_group(files->hdf, group));
      for (int c = 0; c < t->count; c++)
        HK_PASS(make_channel(g, t, group, station, shot, c, files));
    }
  return HK_OK;
}

static hk_status make_places(hk_hdf *hdf, const char *path, hk_count count, hk_hdf_array *out)
{
  HK_PASS(hk_hdf_array_create(hdf, path, HK_F64, 2, (hk_count[]){count, 3}, out));
  return hk_hdf_text(hdf, path, "unit", "m");
}

static hk_status lay_out(const hk_gather *g, const hk_result_trace *t, hk_gather_files *files)
{
  static const char *const group[] = {"/Waveforms", "/Provenance", "/AuxiliaryData",
                                      "/AuxiliaryData/Coordinates"};
  hk_hdf_array receivers, sources;
  HK_PASS(hk_hdf_ascii(files->hdf, "/", "file_format", "ASDF"));
  HK_PASS(hk_hdf_ascii(files->hdf, "/", "file_format_version", "1.0.3"));
  for (size_t i = 0; i < sizeof group / sizeof *group; i++)
    HK_PASS(hk_hdf_group(files->hdf, group[i]));
  HK_PASS(make_waveforms(g, t, files));
  HK_PASS(
      make_places(files->hdf, "/AuxiliaryData/Coordinates/receivers", g->receivers, &receivers));
  HK_PASS(make_places(files->hdf, "/AuxiliaryData/Coordinates/sources", g->shots, &sources));
  HK_PASS(hk_hdf_lay_out(files->hdf));
  HK_PASS(hk_hdf_write(files->hdf, &receivers, 0, 3 * g->receivers, g->at));
  return hk_hdf_write(files->hdf, &sources, 0, 3 * g->shots, g->source);
}

static hk_status begin(const hk_gather *g, const hk_result_trace *t, hk_gather_files *files)
{
  const hk_count sets = g->shots * g->receivers * t->count;
  const hk_count bytes = sets * g->samples * (files->wide ? 8 : 4) + 24 * (g->receivers + g->shots);
  HK_PASS(hk_format(&files->path, "%s/%s_%s.asdf.h5", files->folder, g->name, t->quantity));
  HK_PASS(hk_format(&files->beside, "%s.part", files->path));
  HK_PASS(hk_written_claim(files->path));
  HK_PASS(hk_get(&files->array, sets));
  HK_PASS(
      hk_hdf_create(files->beside, hk_hdf_plan(2 * sets + g->receivers + 8, bytes), &files->hdf));
  return lay_out(g, t, files);
}

static hk_status put(const hk_gather *g, const hk_result_trace *t, hk_count shot, hk_count receiver,
                     const hk_gather_values *values, hk_gather_files *files)
{
  for (int c = 0; c < t->count; c++) {
    const hk_hdf_array *array = &files->array[(shot * g->receivers + receiver) * t->count + c];
    const hk_count row = c * g->samples;
    const void *data =
        values->wide ? (const void *)(values->wide + row) : (const void *)(values->single + row);
    HK_PASS(hk_hdf_write(files->hdf, array, 0, g->samples, data));
  }
  return HK_OK;
}

static hk_status end(hk_gather_files *files, hk_status status)
{
  const bool made = files->hdf != NULL;
  if (made && status == HK_OK) status = hk_hdf_complete(files->hdf, false, NULL, NULL);
  const hk_status closed = hk_hdf_close(&files->hdf);
  if (status == HK_OK) status = closed;
  if (made && status == HK_OK && rename(files->beside, files->path) != 0)
    status =
        hk_error_set(HK_NOT_WRITABLE, "%s: cannot be replaced: %s", files->path, strerror(errno));
  if (made && status != HK_OK) unlink(files->beside);
  hk_free(&files->path);
  hk_free(&files->beside);
  hk_free(&files->array);
  return status;
}

const hk_gather_format hk_asdf_format = {
    .check = check, .compare = count_sets, .begin = begin, .put = put, .end = end, .doubles = true};
