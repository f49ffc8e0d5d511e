/* Seismic Unix: traces one after the other, each a header of 240 bytes and its samples, in the machine's byte order. The header is that
 * of Cohen and Stockwell's segy.h: SEG-Y's trace header with d1, f1 and what follows from byte 180 on.
 *
 *   byte  0 tracl  4 tracr   trace in the file         68 scalel 70 scalco  < 0: divide, > 0: multiply by it
 *         8 fldr  16 ep      shot                      72 sx 76 sy 80 gx 84 gy   source, receiver
 *        12 tracf            receiver                  88 counit          1: metres
 *        28 trid             1: seismic data          108 delrt           first sample, ms
 *        36 offset           distance, m              114 ns 116 dt       samples, microseconds between them
 *        40 gelev 44 selev   z of receiver, source    180 d1 184 f1 204 ntr   float s, float s, traces in the file
 */
#include <math.h>
#include <string.h>
#include "result/export/gather.h"
#include "result/written.h"

enum { HEADER = 240, MOST_SAMPLES = 65535 };

static void put16(char *header, int at, int value)
{
  const uint16_t bits = (uint16_t)value;
  memcpy(header + at, &bits, sizeof bits);
}

static void put32(char *header, int at, hk_count value)
{
  const int32_t bits = (int32_t)value;
  memcpy(header + at, &bits, sizeof bits);
}

static void put_float(char *header, int at, double value)
{
  const float bits = (float)value;
  memcpy(header + at, &bits, sizeof bits);
}

static int whole(double value) /* 0 where the header has no room for it */
{
  return fabs(value) < 32767 ? (int)nearbyint(value) : 0;
}

/* dt in microseconds, rounded if that changes it by at most 0.1 %; else 0, which means not set:
 * SU's programs then warn instead of computing with a wrong value. */
static int header_dt(double dt)
{
  const double us = dt * 1e6, near = nearbyint(us);
  return near >= 1 && near <= MOST_SAMPLES && fabs(near - us) <= 1e-3 * us ? (int)near : 0;
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

static hk_status check(const hk_gather *g, hk_messages *list)
{
  const span s = measure(g);
  const int us = header_dt(g->dt);
  HK_NEED(g->samples <= MOST_SAMPLES, HK_BAD_INPUT,
          "%s: %lld samples, and .su files hold at most %d: thin the traces with every: %lld, or "
          "use --sac",
          g->name, (long long)g->samples, MOST_SAMPLES,
          (long long)(g->samples + MOST_SAMPLES - 1) / MOST_SAMPLES);
  HK_NEED(g->receivers * g->shots <= INT32_MAX, HK_BAD_INPUT, "%s: too many traces for a .su file",
          g->name);
  HK_NEED(s.largest * pow(10, s.power) < INT32_MAX, HK_BAD_INPUT,
          "%s: a coordinate of %g m is too large for .su files", g->name, s.largest);
  if (!us)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: the sampling interval of %.9g s is not a whole number of microseconds "
                    "from 1 to 65535, as a .su header needs: its dt is 0, unset; d1 has the "
                    "interval; give SU programs dt=%.9g",
                    g->name, g->dt, g->dt);
  else if (fabs(g->dt * 1e6 - us) > 1e-6 * us)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: the sampling interval of %.9g s is rounded to %d microseconds in the dt "
                    "of .su headers; d1 has it exactly; give SU programs dt=%.9g",
                    g->name, g->dt, us, g->dt);
  if (s.loss > 1e-4 * s.extent)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: coordinates in .su headers are rounded to %g m; %s.txt has them exactly",
                    g->name, pow(10, -s.power), g->name);
  return HK_OK;
}

static void put_places(char *header, const double *source, const double *receiver, int power)
{
  static const int source_at[3] = {72, 76, 44}, receiver_at[3] = {80, 84, 40};
  const double ten = pow(10, power);
  double square = 0;
  put16(header, 68, (int)(power > 0 ? -ten : 1 / ten));
  put16(header, 70, (int)(power > 0 ? -ten : 1 / ten));
  put16(header, 88, 1);
  for (int d = 0; d < 3; d++) put32(header, receiver_at[d], llrint(receiver[d] * ten));
  if (!isfinite(source[0])) return;
  for (int d = 0; d < 3; d++) {
    put32(header, source_at[d], llrint(source[d] * ten));
    square += (receiver[d] - source[d]) * (receiver[d] - source[d]);
  }
  put32(header, 36, llrint(fmin(sqrt(square), INT32_MAX)));
}

static void fill_header(const hk_gather *g, int power, hk_count shot, hk_count receiver,
                        char *header)
{
  const hk_count number = shot * g->receivers + receiver + 1;
  memset(header, 0, HEADER);
  put32(header, 0, number);
  put32(header, 4, number);
  put32(header, 8, shot + 1);
  put32(header, 12, receiver + 1);
  put32(header, 16, shot + 1);
  put16(header, 28, 1);
  put_places(header, g->source[shot], g->at[receiver], power);
  put16(header, 108, whole(g->start * 1e3));
  put16(header, 114, (int)g->samples);
  put16(header, 116, header_dt(g->dt));
  put_float(header, 180, g->dt);
  put_float(header, 184, g->start);
  put32(header, 204, g->receivers * g->shots);
}

static hk_status begin(const hk_gather *g, const hk_result_trace *t, hk_gather_files *files)
{
  hk_status status = HK_OK;
  char *path = NULL, component[16];
  HK_CHECK(t->count <= HK_GATHER_FILES, HK_BAD_INPUT,
           "%s has %d components, too many for .su files", t->path, t->count);
  files->power = measure(g).power;
  for (int c = 0; c < t->count; c++) {
    hk_component_name(t->components, c, component);
    HK_TRY(hk_format(&path, "%s/%s_%s%s%s.su", files->folder, g->name, t->quantity,
                     *component ? "_" : "", component));
    HK_TRY(hk_written_stream(path, &files->stream[c]));
    hk_free(&path);
  }
cleanup:
  hk_free(&path);
  return status;
}

static hk_status put(const hk_gather *g, const hk_result_trace *t, hk_count shot, hk_count receiver,
                     const float *values, hk_gather_files *files)
{
  char header[HEADER];
  fill_header(g, files->power, shot, receiver, header);
  for (int c = 0; c < t->count; c++) {
    fwrite(header, 1, HEADER, files->stream[c].file);
    fwrite(values + c * g->samples, sizeof *values, (size_t)g->samples, files->stream[c].file);
  }
  return HK_OK;
}

const hk_gather_format hk_su_format = {check, begin, put};
