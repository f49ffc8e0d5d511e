/* SAC, version 6 of the binary form: a file per receiver, component and shot: 70 floats, 40 integers, 192 characters, the samples, in the
 * machine's byte order. The header by its words: 0 delta, 1 2 56 least, largest, mean, 5 b, 6 e, 7 o, 40-42 receiver x y z in m, 43-45
 * source x y z, 46 shot; 76 version, 79 samples, 85 time series, 86 what it is (unknown), 105 evenly sampled, 107 may be
 * overwritten; then words of 8 characters, from the second on 16 kevnm: kstnm, kuser0 unit, kuser1 quantity, kcmpnm component, kinst.
 * -12345 says "not given". Stations' latitudes and longitudes stay so: the model's coordinates are no places on the globe. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "result/export/gather.h"
#include "result/written.h"

enum {
  FLOATS = 70,
  INTEGERS = 40,
  TEXT = 192,
  STATION = 0,
  EVENT = 8,
  USER0 = 136,
  USER1 = 144,
  COMPONENT = 160,
  INSTRUMENT = 184
};

typedef struct sac_header {
  float real[FLOATS];
  int32_t integer[INTEGERS];
  char text[TEXT];
} sac_header;
_Static_assert(sizeof(sac_header) == 632, "the header has no gaps");

static void put_text(sac_header *h, int at, int width, const char *text)
{
  const size_t length = strlen(text);
  memset(h->text + at, ' ', (size_t)width);
  memcpy(h->text + at, text, length < (size_t)width ? length : (size_t)width);
}

static void fill_common(const hk_gather *g, const hk_result_trace *t, sac_header *h)
{
  for (int i = 0; i < FLOATS; i++) h->real[i] = -12345;
  for (int i = 0; i < INTEGERS; i++) h->integer[i] = -12345;
  for (int i = 0; i < TEXT; i += 8) put_text(h, i, 8, "-12345");
  put_text(h, EVENT, 16, "-12345");
  h->real[0] = (float)g->dt, h->real[5] = (float)g->start, h->real[7] = 0;
  h->real[6] = (float)(g->start + (double)(g->samples - 1) * g->dt);
  h->integer[6] = 6, h->integer[9] = (int32_t)g->samples;
  h->integer[15] = 1, h->integer[16] = 5;
  h->integer[35] = 1, h->integer[36] = 0, h->integer[37] = 1, h->integer[38] = 0,
  h->integer[39] = 0;
  put_text(h, USER0, 8, t->unit);
  put_text(h, USER1, 8, t->quantity);
  put_text(h, INSTRUMENT, 8, "hooke");
}

static void fill_place(const hk_gather *g, hk_count shot, hk_count receiver, bool shots,
                       sac_header *h)
{
  char text[32];
  hk_gather_station(g, receiver, text);
  put_text(h, STATION, 8, text);
  for (int d = 0; d < 3; d++) {
    h->real[40 + d] = (float)g->at[receiver][d];
    h->real[43 + d] = isfinite(g->source[shot][d]) ? (float)g->source[shot][d] : -12345;
  }
  if (!shots) return;
  h->real[46] = (float)(shot + 1);
  snprintf(text, sizeof text, "shot %lld", (long long)shot + 1);
  put_text(h, EVENT, 16, text);
}

static void fill_range(const float *values, hk_count count, sac_header *h)
{
  double least = values[0], most = values[0], sum = 0;
  for (hk_count k = 0; k < count; k++) {
    least = fmin(least, values[k]), most = fmax(most, values[k]);
    sum += values[k];
  }
  h->real[1] = (float)least, h->real[2] = (float)most, h->real[56] = (float)(sum / (double)count);
}

static hk_status write_trace(const hk_gather *g, const hk_result_trace *t, hk_count shot,
                             sac_header *h, const char *station, int c, const float *values,
                             const char *folder)
{
  hk_status status = HK_OK;
  char *path = NULL, component[16], ending[32] = "";
  hk_stream stream = {0};
  hk_component_name(t->components, c, component);
  put_text(h, COMPONENT, 8, *component ? component : t->quantity);
  fill_range(values, g->samples, h);
  if (t->shots) snprintf(ending, sizeof ending, "_shot%04lld", (long long)shot + 1);
  HK_TRY(hk_format(&path, "%s/%s_%s_%s%s%s%s.sac", folder, g->name, station, t->quantity,
                   *component ? "_" : "", component, ending));
  HK_TRY(hk_written_stream(path, &stream));
  fwrite(h, 1, sizeof *h, stream.file);
  fwrite(values, sizeof *values, (size_t)g->samples, stream.file);
cleanup:
  status = hk_stream_end(&stream, status);
  hk_free(&path);
  return status;
}

static hk_status put(const hk_gather *g, const hk_result_trace *t, hk_count shot, hk_count receiver,
                     const hk_gather_values *values, hk_gather_files *files)
{
  sac_header header;
  char station[9];
  fill_common(g, t, &header);
  fill_place(g, shot, receiver, t->shots > 0, &header);
  hk_gather_station(g, receiver, station);
  for (int c = 0; c < t->count; c++)
    HK_PASS(write_trace(g, t, shot, &header, station, c, values->single + c * g->samples,
                        files->folder));
  return HK_OK;
}

static hk_status check(const hk_gather *g, hk_messages *list)
{
  (void)list;
  if (g->samples <= INT32_MAX) return HK_OK;
  return hk_error_set(HK_BAD_INPUT, "%s: %lld samples, .sac files hold at most %d", g->name,
                      (long long)g->samples, INT32_MAX);
}

const hk_gather_format hk_sac_format = {.check = check, .put = put};
