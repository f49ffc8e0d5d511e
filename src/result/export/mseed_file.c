/* miniSEED 2.4 (FDSN, SEED reference manual 2012): FOLDER/<request>_<quantity>[_shot0001].mseed, a file for each shot with a channel for each
 * receiver and component. A record has 4096 bytes, or 512 where they take the whole channel, most significant byte first:
 *
 *    0 number, 6 digits   6 "D "   8 station (5)   13 location (2)   15 channel (3)   18 network (2), "XX"
 *   20 year 22 day 24 hour 25 minute 26 second 28 0.1 ms   30 samples   32 factor 34 multiplier of the rate   39 blockettes
 *   44 where samples begin: 128   46 where blockettes begin: 48
 *   48 blockette 1000: encoding (4 float, 5 double), order of bytes, length   56 blockette 1001: microseconds
 *   64 blockette 100: the rate as a float, where factor and multiplier do not give it to 1e-9
 *
 * The model's time 0 is 1970-01-01T00:00:00. Records say when they begin to a microsecond: readers join records to a channel if the times fit to half
 * an interval, so intervals below 2 microseconds are refused. A location is the shot, where two digits hold all shots.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "result/export/bytes.h"
#include "result/export/codes.h"
#include "result/written.h"

enum { SMALL = 512, LARGE = 4096, DATA = 128, MOST_FACTOR = 32767 };
static const double least_interval = 2e-6;

static hk_status check(const hk_gather *g, hk_messages *list)
{
  (void)list;
  HK_NEED(
      g->dt >= least_interval, HK_BAD_INPUT,
      "%s: the sampling interval of %.9g s is below 2 microseconds, and .mseed files tell times "
      "in whole microseconds: thin the traces with every:, or use --sac",
      g->name, g->dt);
  return hk_code_check(g, ".mseed");
}

/* The last convergent p / q of the continued fraction of x with p and q up to MOST_FACTOR. */
static void fraction(double x, int *p, int *q)
{
  double rest = x, p0 = 1, p1 = floor(x), q0 = 0, q1 = 1;
  for (int k = 0; k < 30 && fabs(p1 / q1 - x) > 1e-13 * x; k++) {
    rest = 1 / (rest - floor(rest));
    const double p2 = floor(rest) * p1 + p0, q2 = floor(rest) * q1 + q0;
    if (!(p2 <= MOST_FACTOR && q2 <= MOST_FACTOR)) break;
    p0 = p1, p1 = p2, q0 = q1, q1 = q2;
  }
  *p = (int)p1, *q = (int)q1;
}

/* x > MOST_FACTOR as a product of two factors, exact where a small one divides it. */
static void product(double x, int *factor, int *times)
{
  int found = (int)ceil(x / MOST_FACTOR);
  for (int m = found; m < found + 1000 && m <= MOST_FACTOR; m++)
    if (fabs(x / m - nearbyint(x / m)) <= 1e-10 * x / m) {
      found = m;
      break;
    }
  *factor = (int)nearbyint(x / found), *times = found;
}

/* The rate's factor and multiplier; false where these do not give it to 1e-9. */
static bool rate_factors(double rate, int *factor, int *times)
{
  double got;
  if (rate > MOST_FACTOR) {
    product(rate, factor, times);
    got = (double)*factor * *times;
  } else if (1 / rate > MOST_FACTOR) {
    product(1 / rate, factor, times);
    got = 1 / ((double)*factor * *times);
    *factor = -*factor, *times = -*times;
  } else {
    int p, q;
    if (rate >= 1)
      fraction(rate, &p, &q);
    else
      fraction(1 / rate, &q, &p);
    got = (double)p / q;
    *factor = p, *times = -q;
    if (q == 1) *times = 1;
    if (p == 1 && q > 1) *factor = -q, *times = 1;
  }
  return fabs(got - rate) <= 1e-9 * rate;
}

static int by_code(const void *a, const void *b)
{
  return strcmp(a, b);
}

/* *out = the codes of all stations in order, for the caller (hk_free). */
static hk_status list_stations(const hk_gather *g, char (**out)[HK_STATION + 1])
{
  HK_PASS(hk_get(out, g->receivers));
  for (hk_count i = 0; i < g->receivers; i++) hk_code_station(g, i, (*out)[i]);
  qsort(*out, (size_t)g->receivers, sizeof **out, by_code);
  return HK_OK;
}

/* text[HK_STATION + 1]: a station of both; "": there is none. */
static hk_status find_common(const hk_gather *a, const hk_gather *b, char *text)
{
  hk_status status = HK_OK;
  char(*of_a)[HK_STATION + 1] = NULL, (*of_b)[HK_STATION + 1] = NULL;
  *text = 0;
  HK_TRY(list_stations(a, &of_a));
  HK_TRY(list_stations(b, &of_b));
  for (hk_count i = 0, k = 0; i < a->receivers && k < b->receivers && !*text;) {
    const int order = strcmp(of_a[i], of_b[k]);
    if (order == 0) memcpy(text, of_a[i], HK_STATION + 1);
    i += order<0, k += order> 0;
  }
cleanup:
  hk_free(&of_a);
  hk_free(&of_b);
  return status;
}

/* A trace of `b` that has the channels of one of `a`; -1: none. */
static int same_channels(const hk_result *r, const hk_gather *a, const hk_gather *b)
{
  char one[4], other[4];
  for (int k = b->first; k < b->last; k++)
    for (int i = a->first; i < a->last; i++) {
      hk_code_channel(a, &r->trace[i], 0, one);
      hk_code_channel(b, &r->trace[k], 0, other);
      if (!strcmp(one, other)) return k;
    }
  return -1;
}

/* Of each request the first earlier one with the same ids is told. */
static hk_status compare(const hk_result *r, int requests, const hk_gather *g, hk_messages *list)
{
  char station[HK_STATION + 1];
  for (int b = 1; b < requests; b++)
    for (int a = 0; a < b; a++) {
      char code[4];
      const int k = same_channels(r, &g[a], &g[b]);
      if (k < 0) continue;
      HK_PASS(find_common(&g[a], &g[b], station));
      if (!*station) continue;
      hk_code_channel(&g[b], &r->trace[k], 0, code);
      hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                      "%s and %s: .mseed files of both have traces named XX.%s..%s: read one of "
                      "them at a time, or ask for the receivers of both in one request",
                      g[a].name, g[b].name, station, code);
      break;
    }
  return HK_OK;
}

static void put_time(char *record, double seconds)
{
  const int64_t us = llrint(seconds * 1e6), day_us = (int64_t)86400 * 1000000;
  int64_t day = us / day_us, rest = us % day_us;
  int year = 1970;
  if (rest < 0) day--, rest += day_us;
  for (; day < 0; year--) day += (year - 1) % 4 || (year - 1) == 1900 ? 365 : 366;
  for (int length; day >= (length = year % 4 || year == 1900 ? 365 : 366); year++) day -= length;
  hk_put16(record + 20, true, year);
  hk_put16(record + 22, true, (int)day + 1);
  record[24] = (char)(rest / 3600000000), record[25] = (char)(rest / 60000000 % 60);
  record[26] = (char)(rest / 1000000 % 60);
  hk_put16(record + 28, true, (int)(rest % 1000000 / 100));
  record[61] = (char)(rest % 100);
}

typedef struct channel { /* what all its records share */
  char header[DATA];
  int size; /* of a record */
  bool wide;
} channel;

static void begin_channel(const hk_gather *g, const hk_result_trace *t, hk_count shot,
                          hk_count receiver, int c, bool wide, channel *out)
{
  char station[HK_STATION + 1], code[4], text[32], *h = out->header;
  int factor, times;
  const bool exact = rate_factors(1 / g->dt, &factor, &times);
  out->wide = wide;
  out->size = g->samples <= (SMALL - DATA) / (wide ? 8 : 4) ? SMALL : LARGE;
  memset(h, 0, DATA);
  hk_code_station(g, receiver, station);
  hk_code_channel(g, t, c, code);
  snprintf(text, sizeof text, "000001D %-5s  %sXX", station, code);
  memcpy(h, text, 20);
  if (t->shots && t->shots <= 99)
    h[13] = (char)('0' + (shot + 1) / 10), h[14] = (char)('0' + (shot + 1) % 10);
  hk_put16(h + 32, true, factor);
  hk_put16(h + 34, true, times);
  h[39] = exact ? 2 : 3;
  hk_put16(h + 44, true, DATA);
  hk_put16(h + 46, true, 48);
  hk_put16(h + 48, true, 1000), hk_put16(h + 50, true, 56);
  h[52] = wide ? 5 : 4, h[53] = 1, h[54] = out->size == SMALL ? 9 : 12;
  hk_put16(h + 56, true, 1001), hk_put16(h + 58, true, exact ? 0 : 64);
  h[60] = 100; /* quality of time, per cent */
  if (exact) return;
  hk_put16(h + 64, true, 100);
  hk_put_float(h + 68, true, (float)(1 / g->dt));
}

/* values of component c: records numbered from *number on. */
static void put_channel(const hk_gather *g, const channel *of, int c,
                        const hk_gather_values *values, hk_count *number, FILE *to)
{
  char record[LARGE], text[32];
  const int wide = of->wide ? 8 : 4;
  const hk_count most = (of->size - DATA) / wide, row = c * g->samples;
  for (hk_count first = 0; first < g->samples; first += most, ++*number) {
    const hk_count count = g->samples - first < most ? g->samples - first : most;
    memset(record, 0, sizeof record);
    memcpy(record, of->header, DATA);
    snprintf(text, sizeof text, "%06d", (int)(*number % 999999) + 1);
    memcpy(record, text, 6);
    put_time(record, g->start + (double)first * g->dt);
    hk_put16(record + 30, true, (int)count);
    for (hk_count k = 0; k < count; k++) {
      char *at = record + DATA + k * wide;
      if (of->wide)
        hk_put_double(at, true, values->wide[row + first + k]);
      else
        hk_put_float(at, true, values->single[row + first + k]);
    }
    fwrite(record, 1, (size_t)of->size, to);
  }
}

/* The file of a shot is open until the next one begins. */
static hk_status begin_shot(const hk_gather *g, const hk_result_trace *t, hk_count shot,
                            hk_gather_files *files)
{
  hk_status status = HK_OK;
  char *path = NULL, ending[32] = "";
  HK_TRY(hk_stream_end(&files->stream[0], HK_OK));
  if (t->shots) snprintf(ending, sizeof ending, "_shot%04lld", (long long)shot + 1);
  HK_TRY(hk_format(&path, "%s/%s_%s%s.mseed", files->folder, g->name, t->quantity, ending));
  HK_TRY(hk_written_stream(path, &files->stream[0]));
  files->records = 0;
cleanup:
  hk_free(&path);
  return status;
}

static hk_status put(const hk_gather *g, const hk_result_trace *t, hk_count shot, hk_count receiver,
                     const hk_gather_values *values, hk_gather_files *files)
{
  channel of;
  if (receiver == 0) HK_PASS(begin_shot(g, t, shot, files));
  for (int c = 0; c < t->count; c++) {
    begin_channel(g, t, shot, receiver, c, values->wide != NULL, &of);
    put_channel(g, &of, c, values, &files->records, files->stream[0].file);
  }
  return HK_OK;
}

const hk_gather_format hk_mseed_format = {
    .check = check, .compare = compare, .put = put, .doubles = true};
