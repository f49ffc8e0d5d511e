/* Prepares the traces of a request for the formats of seismology, .su, .segy, .sac, .mseed and ASDF (docs/export.md):
 * times in seconds, coordinates in metres, values in single precision (.mseed and ASDF: as the run stored them). These formats need even
 * sampling, so a last sample off the grid is left out with a warning, and other uneven samples are
 * refused. All requests are checked before the first file is written. A text file beside them holds
 * what the headers cannot: units, sampling and coordinates with 17 digits. */
#include "result/export/gather.h"
#include "base/units.h"
#include "base/file.h"
#include "result/written.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* *si = SI value of one `unit`; 1 where there is none. */
static hk_status unit_of(const char *unit, int dimension, double *si)
{
  hk_unit found;
  hk_dimension expected = {{0}};
  expected.power[dimension] = 1;
  *si = 1;
  if (!unit || !*unit) return HK_OK;
  HK_PASS(hk_unit_parse(unit, &found));
  HK_NEED(hk_same_dimension(found.dimension, expected), HK_BAD_INPUT, "\"%s\" is not a unit of %s",
          unit, dimension == HK_TIME ? "time" : "length");
  *si = hk_unit_si(&found);
  return HK_OK;
}

static const char *length_unit(const hk_result *r)
{
  return json_string_value(json_object_get(json_object_get(r->run, "units"), "length"));
}

static hk_status read_times(hk_result *r, hk_messages *list, hk_gather *g)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[g->first];
  double *time = NULL, second;
  hk_count n = t->samples;
  HK_TRY(unit_of(t->time_unit, HK_TIME, &second));
  HK_TRY(hk_get(&time, n));
  HK_TRY(hk_result_time(r, g->first, time));
  if (n > 2 && !hk_result_is_even(time, n)) {
    n--;
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: the last sample is closer to the one before it than the others, and these "
                    "formats need even sampling: it is left out",
                    g->name);
  }
  HK_CHECK(hk_result_is_even(time, n), HK_BAD_INPUT,
           "%s: its %lld samples are not evenly spaced, and these formats need two or more that "
           "are; use --csv",
           g->name, (long long)t->samples);
  g->samples = n;
  g->start = time[0] * second, g->dt = (time[n - 1] - time[0]) / (double)(n - 1) * second;
cleanup:
  hk_free(&time);
  return status;
}

static hk_status read_receivers(hk_result *r, double metre, hk_gather *g)
{
  hk_status status = HK_OK;
  char *path = NULL;
  int dim;
  HK_TRY(hk_format(&path, "/traces/%s/node", g->name));
  HK_TRY(hk_get(&g->node, g->receivers));
  HK_TRY(hk_hdf_read_integers(r->file, path, 0, g->receivers, g->node));
  HK_TRY(hk_get(&g->at, g->receivers));
  HK_TRY(hk_result_places(r, g->first, &dim, g->at));
  for (hk_count i = 0; i < g->receivers; i++)
    for (int d = 0; d < dim; d++) g->at[i][d] *= metre;
cleanup:
  hk_free(&path);
  return status;
}

/* run.json's `sources`. */
static hk_status read_sources(const hk_result *r, double metre, hk_gather *g)
{
  const hk_status status = hk_get(&g->source, g->shots);
  if (status != HK_OK) return status;
  for (hk_count k = 0; k < g->shots; k++) {
    const bool known = hk_result_source(r, k, g->source[k]) > 0;
    for (int d = 0; d < 3; d++) g->source[k][d] = known ? g->source[k][d] * metre : NAN;
  }
  return HK_OK;
}

hk_status hk_gather_read(hk_result *r, int first, hk_messages *list, hk_gather *g)
{
  const hk_result_trace *t = &r->trace[first];
  double metre;
  *g = (hk_gather){.receivers = t->receivers,
                   .shots = t->shots ? t->shots : 1,
                   .first = first,
                   .last = first,
                   .name = t->request};
  while (g->last < r->count && !strcmp(r->trace[g->last].request, g->name)) g->last++;
  HK_PASS(unit_of(length_unit(r), HK_LENGTH, &metre));
  HK_PASS(read_times(r, list, g));
  HK_PASS(read_receivers(r, metre, g));
  return read_sources(r, metre, g);
}

void hk_gather_clear(hk_gather *g)
{
  hk_free(&g->at);
  hk_free(&g->node);
  hk_free(&g->source);
}

typedef struct buffers { /* of one receiver */
  double *wide;          /* wide[components][samples of the result] */
  float *single;         /* NULL where doubles are wanted */
} buffers;

/* The values of a receiver in a shot, not-a-number where the run did not come so far: in single precision, or as they are, then in
 * rows of the gather's samples. */
static hk_status read_values(const hk_gather *g, hk_result *r, int trace, hk_count shot,
                             hk_count receiver, const buffers *room)
{
  const hk_result_trace *t = &r->trace[trace];
  HK_PASS(hk_result_values(r, trace, shot * g->receivers + receiver, 1, room->wide));
  for (int c = 0; c < t->count; c++)
    for (hk_count k = 0; k < g->samples; k++) {
      const double value = room->wide[c * t->samples + k];
      HK_NEED(!room->single || !(fabs(value) > FLT_MAX), HK_BAD_INPUT,
              "%s: a %s of %g is too large for the single precision of these files; use --csv",
              g->name, t->quantity, value);
      if (room->single)
        room->single[c * g->samples + k] = (float)value;
      else
        room->wide[c * g->samples + k] = value;
    }
  return HK_OK;
}

void hk_gather_station(const hk_gather *g, hk_count receiver, char *text)
{
  const int64_t label = g->node[receiver];
  const bool node = label >= 0 && label <= 9999999;
  const unsigned number = (unsigned)((uint64_t)(node ? label : receiver + 1) % 10000000);
  snprintf(text, 9, "%c%u", node ? 'n' : 'p', number);
}

static void put_point(FILE *to, const double *x)
{
  char number[32];
  for (int d = 0; d < 3; d++) fprintf(to, " %s", hk_number_text(number, 17, x[d]));
  fputc('\n', to);
}

static void describe(const hk_gather *g, const hk_result *r, FILE *to)
{
  char number[32], station[9];
  const char *title = json_string_value(json_object_get(r->run, "title"));
  fprintf(to, "Exact values that the headers of these files cannot hold.\n");
  fprintf(to, "request %s\n", g->name);
  if (title) fprintf(to, "title %s\n", title);
  for (int k = g->first; k < g->last; k++)
    fprintf(to, "quantity %s, components %s, unit %s\n", r->trace[k].quantity,
            *r->trace[k].components ? r->trace[k].components : "(one)",
            hk_gather_unit(&r->trace[k]));
  fprintf(to, "samples %lld\n", (long long)g->samples);
  fprintf(to, "first sample at (s) %s\n", hk_number_text(number, 17, g->start));
  fprintf(to, "time between samples (s) %s\n", hk_number_text(number, 17, g->dt));
  fprintf(to, "receivers: number, station, node (-1: a point), x y z (m)\n");
  for (hk_count i = 0; i < g->receivers; i++) {
    hk_gather_station(g, i, station);
    fprintf(to, "%lld %s %lld", (long long)i + 1, station, (long long)g->node[i]);
    put_point(to, g->at[i]);
  }
  fprintf(to, "sources: shot, x y z (m; nan: nowhere in particular)\n");
  for (hk_count k = 0; k < g->shots; k++) {
    fprintf(to, "%lld", (long long)k + 1);
    put_point(to, g->source[k]);
  }
}

/* *out: the run stored the trace in double precision, and the format takes it so. */
static hk_status keeps_doubles(hk_result *r, int trace, const hk_gather_format *format, bool *out)
{
  hk_hdf_array array;
  HK_PASS(hk_hdf_array_find(r->file, r->trace[trace].path, &array));
  *out = format->doubles && array.type == HK_F64;
  return HK_OK;
}

/* The files of one quantity in one format. */
static hk_status write_quantity(const hk_gather *g, hk_result *r, int trace,
                                const hk_gather_format *format, const char *folder)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  hk_gather_files files = {.folder = folder};
  hk_pool pool = {0};
  buffers room = {0};
  bool doubles;
  HK_TRY(keeps_doubles(r, trace, format, &doubles));
  HK_TRY(hk_pool_get(&pool, &room.wide, t->count * t->samples));
  if (!doubles) HK_TRY(hk_pool_get(&pool, &room.single, t->count * g->samples));
  files.wide = doubles;
  if (format->begin) HK_TRY(format->begin(g, t, &files));
  for (hk_count i = 0; i < g->shots * g->receivers; i++) {
    const hk_count shot = i / g->receivers, receiver = i % g->receivers;
    HK_TRY(read_values(g, r, trace, shot, receiver, &room));
    HK_TRY(format->put(g, t, shot, receiver,
                       &(hk_gather_values){room.single, doubles ? room.wide : NULL}, &files));
  }
cleanup:
  for (int c = 0; c < HK_GATHER_FILES; c++) status = hk_stream_end(&files.stream[c], status);
  if (format->end) status = format->end(&files, status);
  hk_pool_clear(&pool);
  return status;
}

static hk_status write_description(const hk_gather *g, const hk_result *r, const char *folder)
{
  hk_status status = HK_OK;
  char *path = NULL;
  hk_stream stream = {0};
  HK_TRY(hk_format(&path, "%s/%s.txt", folder, g->name));
  HK_TRY(hk_written_stream(path, &stream));
  describe(g, r, stream.file);
cleanup:
  status = hk_stream_end(&stream, status);
  hk_free(&path);
  return status;
}

/* What is true of all requests. */
static void tell(const hk_result *r, hk_messages *list)
{
  const char *how = json_string_value(json_object_get(r->run, "status"));
  if (how && strcmp(how, "ok") != 0)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "the run's status is \"%s\": samples that it did not reach are not-a-number",
                    how);
  if (!*r->trace[0].time_unit)
    hk_messages_add(
        list, HK_NOTE, NULL, 0, 0,
        "the run names no units: hooke takes its times as seconds, its lengths as metres");
}

/* All requests, g[*requests] to be cleared; what is wrong with them is told before anything is written. */
static hk_status look(hk_result *r, int formats, const hk_gather_format *const *format,
                      hk_messages *list, hk_gather *g, int *requests)
{
  for (int i = 0; i < r->count; i = g[*requests - 1].last) {
    hk_gather *one = &g[(*requests)++];
    HK_PASS(hk_gather_read(r, i, list, one));
    for (int f = 0; f < formats; f++) HK_PASS(format[f]->check(one, list));
  }
  for (int f = 0; f < formats; f++)
    if (format[f]->compare) HK_PASS(format[f]->compare(r, *requests, g, list));
  return HK_OK;
}

hk_status hk_gather_write(hk_result *r, int formats, const hk_gather_format *const *format,
                          const char *folder, hk_messages *list)
{
  hk_status status = HK_OK;
  hk_gather *g = NULL;
  int requests = 0;
  HK_CHECK(r->count > 0, HK_BAD_INPUT,
           "%s: has no traces: request them with outputs: {traces: ...} or *OUTPUT, HISTORY",
           r->folder ? r->folder : "the result");
  tell(r, list);
  HK_TRY(hk_get(&g, r->count));
  HK_TRY(look(r, formats, format, list, g, &requests));
  for (int i = 0; i < requests; i++) {
    for (int f = 0; f < formats; f++)
      for (int k = g[i].first; k < g[i].last; k++)
        HK_TRY(write_quantity(&g[i], r, k, format[f], folder));
    HK_TRY(write_description(&g[i], r, folder));
  }
cleanup:
  for (int i = 0; i < requests; i++) hk_gather_clear(&g[i]);
  hk_free(&g);
  return status;
}
