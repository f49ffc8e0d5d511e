/* The first 118 bytes of the trace headers of SEG-Y (rev 1, SEG 2002), which Seismic Unix (Cohen and Stockwell, segy.h) shares.
 *
 *   byte  0 tracl  4 tracr   trace in the file         68 scalel 70 scalco  < 0: divide, > 0: multiply by it
 *         8 fldr  16 ep      shot                      72 sx 76 sy 80 gx 84 gy   source, receiver
 *        12 tracf            receiver                  88 counit          1: metres
 *        28 trid             1: seismic data          108 delrt           first sample, ms
 *        36 offset           distance, m              114 ns 116 dt       samples, microseconds between them
 *        40 gelev 44 selev   z of receiver, source
 */
#include <math.h>
#include <string.h>
#include "result/export/bytes.h"
#include "result/export/segy_header.h"
#include "result/written.h"

static int whole(double value) /* 0 where the header has no room for it */
{
  return fabs(value) < 32767 ? (int)nearbyint(value) : 0;
}

int hk_segy_interval(const hk_gather *g, const hk_segy_kind *kind)
{
  const double us = g->dt * 1e6, near = nearbyint(us);
  return near >= 1 && near <= kind->most && fabs(near - us) <= 1e-3 * us ? (int)near : 0;
}

typedef struct span { /* of all coordinates */
  double largest, extent;
  int power; /* coordinates are written times 10^power */
  double loss;
} span;

static void add_coordinates(hk_count count, double (*const x)[3], double *low, double *high)
{
  for (hk_count i = 0; i < count; i++)
    for (int d = 0; d < 3; d++) {
      if (!isfinite(x[i][d])) continue;
      if (x[i][d] < low[d]) low[d] = x[i][d];
      if (x[i][d] > high[d]) high[d] = x[i][d];
    }
}

static double rounding(hk_count count, double (*const x)[3], int power)
{
  const double ten = pow(10, power);
  double most = 0;
  for (hk_count i = 0; i < count; i++)
    for (int d = 0; d < 3; d++)
      if (isfinite(x[i][d])) most = fmax(most, fabs(nearbyint(x[i][d] * ten) / ten - x[i][d]));
  return most;
}

/* The finest of the powers 4 .. -4, which are all that the standard knows, that 32 bits hold. */
static span measure(const hk_gather *g)
{
  span s = {.power = 4};
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  add_coordinates(g->receivers, g->at, low, high);
  add_coordinates(g->shots, g->source, low, high);
  for (int d = 0; d < 3; d++) {
    s.largest = fmax(s.largest, fmax(fabs(low[d]), fabs(high[d])));
    s.extent = fmax(s.extent, high[d] - low[d]);
  }
  while (s.power > -4 && s.largest * pow(10, s.power) > INT32_MAX - 1) s.power--;
  s.loss = fmax(rounding(g->receivers, g->at, s.power), rounding(g->shots, g->source, s.power));
  return s;
}

static void tell_interval(const hk_gather *g, const hk_segy_kind *kind, hk_messages *list)
{
  const int us = hk_segy_interval(g, kind);
  if (!us)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: the sampling interval of %.9g s is not a whole number of microseconds "
                    "from 1 to %d, as a .%s header needs: its dt is 0, unset; %s has the "
                    "interval; give programs dt=%.9g",
                    g->name, g->dt, kind->most, kind->ending, kind->exact, g->dt);
  else if (fabs(g->dt * 1e6 - us) > 1e-6 * us)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: the sampling interval of %.9g s is rounded to %d microseconds in the dt "
                    "of .%s headers; %s has it exactly; give programs dt=%.9g",
                    g->name, g->dt, us, kind->ending, kind->exact, g->dt);
}

hk_status hk_segy_check(const hk_gather *g, const hk_segy_kind *kind, hk_messages *list)
{
  const span s = measure(g);
  HK_NEED(g->samples <= kind->most, HK_BAD_INPUT,
          "%s: %lld samples, and .%s files hold at most %d: thin the traces with every: %lld, or "
          "use --sac",
          g->name, (long long)g->samples, kind->ending, kind->most,
          (long long)(g->samples + kind->most - 1) / kind->most);
  HK_NEED(g->receivers * g->shots <= INT32_MAX, HK_BAD_INPUT, "%s: too many traces for a .%s file",
          g->name, kind->ending);
  HK_NEED(s.largest * pow(10, s.power) < INT32_MAX, HK_BAD_INPUT,
          "%s: a coordinate of %g m is too large for .%s files", g->name, s.largest, kind->ending);
  tell_interval(g, kind, list);
  if (s.loss > 1e-4 * s.extent)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: coordinates in .%s headers are rounded to %g m; %s.txt has them exactly",
                    g->name, kind->ending, pow(10, -s.power), g->name);
  return HK_OK;
}

hk_status hk_segy_begin(const hk_gather *g, const hk_result_trace *t, const hk_segy_kind *kind,
                        hk_gather_files *files)
{
  hk_status status = HK_OK;
  char *path = NULL, component[16];
  HK_CHECK(t->count <= HK_GATHER_FILES, HK_BAD_INPUT,
           "%s has %d components, too many for .%s files", t->path, t->count, kind->ending);
  files->power = measure(g).power;
  for (int c = 0; c < t->count; c++) {
    hk_component_name(t->components, c, component);
    HK_TRY(hk_format(&path, "%s/%s_%s%s%s.%s", files->folder, g->name, t->quantity,
                     *component ? "_" : "", component, kind->ending));
    HK_TRY(hk_written_stream(path, &files->stream[c]));
    hk_free(&path);
  }
cleanup:
  hk_free(&path);
  return status;
}

static void put_places(const hk_segy_kind *kind, const double *source, const double *receiver,
                       int power, char *header)
{
  static const int source_at[3] = {72, 76, 44}, receiver_at[3] = {80, 84, 40};
  const double ten = pow(10, power);
  const bool big = kind->big;
  double square = 0;
  hk_put16(header + 68, big, (int)(power > 0 ? -ten : 1 / ten));
  hk_put16(header + 70, big, (int)(power > 0 ? -ten : 1 / ten));
  hk_put16(header + 88, big, 1);
  for (int d = 0; d < 3; d++) hk_put32(header + receiver_at[d], big, llrint(receiver[d] * ten));
  if (!isfinite(source[0])) return;
  for (int d = 0; d < 3; d++) {
    hk_put32(header + source_at[d], big, llrint(source[d] * ten));
    square += (receiver[d] - source[d]) * (receiver[d] - source[d]);
  }
  hk_put32(header + 36, big, llrint(fmin(sqrt(square), INT32_MAX)));
}

void hk_segy_fill(const hk_gather *g, const hk_segy_kind *kind, int power, hk_count shot,
                  hk_count receiver, char header[HK_SEGY_HEADER])
{
  const hk_count number = shot * g->receivers + receiver + 1;
  const bool big = kind->big;
  memset(header, 0, HK_SEGY_HEADER);
  hk_put32(header + 0, big, number);
  hk_put32(header + 4, big, number);
  hk_put32(header + 8, big, shot + 1);
  hk_put32(header + 12, big, receiver + 1);
  hk_put32(header + 16, big, shot + 1);
  hk_put16(header + 28, big, 1);
  put_places(kind, g->source[shot], g->at[receiver], power, header);
  hk_put16(header + 108, big, whole(g->start * 1e3));
  hk_put16(header + 114, big, (int)g->samples);
  hk_put16(header + 116, big, hk_segy_interval(g, kind));
}
