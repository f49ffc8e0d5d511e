/* Reads the traces of an array and turns each into its analytic signal. Times must be even: focusing finds a sample by its time. A shot is read at
 * once; the threads transform its traces, two at a time. */
#include "result/image/hilbert.h"
#include "result/image/image.h"
#include "base/file.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>

void hk_capture_clear(hk_capture *c)
{
  hk_pool_clear(&c->pool);
  *c = (hk_capture){0};
}

static hk_status read_times(hk_result *r, int trace, hk_messages *list, hk_capture *c)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  double *time = NULL;
  c->samples = t->samples;
  HK_CHECK(c->samples > 1, HK_BAD_INPUT, "%s: has %lld samples: an image needs two or more",
           t->path, (long long)t->samples);
  HK_TRY(hk_get(&time, c->samples));
  HK_TRY(hk_result_time(r, trace, time));
  if (c->samples > 3 && !hk_result_is_even(time, c->samples) &&
      hk_result_is_even(time, c->samples - 1)) {
    c->samples--;
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "%s: the last sample is closer to the one before it than the others: it is "
                    "left out of the image",
                    t->path);
  }
  HK_CHECK(hk_result_is_even(time, c->samples), HK_BAD_INPUT,
           "%s: its %lld samples are not evenly spaced in time: request traces at all steps, or "
           "with `every`",
           t->path, (long long)t->samples);
  c->start = time[0];
  c->step = (time[c->samples - 1] - time[0]) / (double)(c->samples - 1);
cleanup:
  hk_free(&time);
  return status;
}

/* run.json's `sources`; a shot without a place is at the receiver of its number. */
static hk_status read_sources(const hk_result *r, hk_capture *c)
{
  for (hk_count s = 0; s < c->shots; s++) {
    const bool known = hk_result_source(r, s, c->source[s]) == c->dim;
    HK_NEED(known || c->shots == c->receivers, HK_BAD_INPUT,
            "shot %lld: run.json does not tell where its source is, and there are %lld shots and "
            "%lld receivers: an array's full matrix has as many of both",
            (long long)s + 1, (long long)c->shots, (long long)c->receivers);
    for (int d = 0; d < 3 && !known; d++) c->source[s][d] = c->receiver[s][d];
  }
  return HK_OK;
}

double hk_capture_size(const hk_capture *c)
{
  double size = 0;
  for (int d = 0; d < c->dim; d++) {
    double low = INFINITY, high = -INFINITY;
    for (hk_count i = 0; i < c->receivers; i++)
      low = fmin(low, c->receiver[i][d]), high = fmax(high, c->receiver[i][d]);
    size = fmax(size, high - low);
  }
  return size;
}

static bool same_place(const double *a, const double *b, double near)
{
  return fabs(a[0] - b[0]) <= near && fabs(a[1] - b[1]) <= near && fabs(a[2] - b[2]) <= near;
}

/* own[receivers]: the shot whose source is at the receiver, to a millionth of the array's size. */
static hk_status find_own(const hk_capture *c, hk_count *own)
{
  const double near = 1e-6 * hk_capture_size(c);
  for (hk_count e = 0; e < c->receivers; e++) {
    const double *x = c->receiver[e];
    char place[64];
    hk_count k = 0; /* that of the receiver's number first */
    while (k < c->shots && !same_place(c->source[(e + k) % c->shots], x, near)) k++;
    own[e] = (e + k) % c->shots;
    snprintf(place, sizeof place, c->dim == 3 ? "%g, %g, %g" : "%g, %g", x[0], x[1], x[2]);
    HK_NEED(k < c->shots, HK_BAD_INPUT,
            "receiver %lld at (%s): no shot has its source there, so no trace is an "
            "element's own echo: place the receivers at the sources; of what receivers elsewhere "
            "hear, tfm makes an image, or cscan with --shot",
            (long long)e + 1, place);
  }
  return HK_OK;
}

typedef struct transform { /* of the traces of a shot */
  const hk_hilbert *plan;
  hk_count length, offset, samples; /* values[receiver][length], its component from offset on */
  const double *values;
  hk_complex *room; /* room[threads][plan->fft.n] */
} transform;

/* signal[count][samples] of traces i and i + 1; false where a value is not a number. */
static bool transform_pair(const transform *t, hk_count i, bool second, hk_complex *signal)
{
  hk_complex *room = t->room + omp_get_thread_num() * t->plan->fft.n;
  const double *a = t->values + i * t->length + t->offset, *b = second ? a + t->length : NULL;
  bool good = true;
  for (hk_count k = 0; k < t->samples; k++) {
    room[k] = (hk_complex){a[k], b ? b[k] : 0};
    good = good && isfinite(room[k].re) && isfinite(room[k].im);
  }
  if (!good) return false;
  hk_hilbert_run(t->plan, room);
  for (hk_count k = 0; k < t->samples; k++) {
    signal[k] = (hk_complex){a[k], room[k].re};
    if (b) signal[t->samples + k] = (hk_complex){b[k], room[k].im};
  }
  return true;
}

static hk_status transform_rows(const transform *t, hk_count count, hk_complex *signal,
                                const char *path)
{
  bool good = true;
#pragma omp parallel for schedule(static) reduction(&& : good)
  for (hk_count i = 0; i < count; i += 2)
    good = transform_pair(t, i, i + 1 < count, signal + i * t->samples) && good;
  HK_NEED(good, HK_BAD_INPUT, "%s: some values are not numbers; the run was stopped?", path);
  return HK_OK;
}

/* Rows shot by shot with all receivers, or receiver by receiver of the shot that is its own. */
static hk_status read_signals(hk_result *r, int trace, int component, int part, hk_capture *c)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  const hk_count wide = t->count * t->samples, each = part == HK_CAPTURE_OWN ? 1 : c->receivers;
  hk_pool pool = {0};
  hk_hilbert plan = {0};
  double *values;
  hk_count *own;
  HK_TRY(hk_pool_get(&pool, &own, c->receivers));
  if (part == HK_CAPTURE_OWN) HK_TRY(find_own(c, own));
  HK_TRY(hk_hilbert_create(c->samples, &plan));
  transform how = {&plan, wide, component * t->samples, c->samples, NULL, NULL};
  HK_TRY(hk_pool_get(&pool, &values, each * wide));
  HK_TRY(hk_pool_get(&pool, &how.room, omp_get_max_threads() * plan.fft.n));
  how.values = values;
  for (hk_count row = 0, s = 0; row < c->rows; row += each, s++) {
    const hk_count shot = part >= HK_CAPTURE_FIRST ? part - HK_CAPTURE_FIRST : s;
    const hk_count first =
        part == HK_CAPTURE_OWN ? own[row] * c->receivers + row : shot * c->receivers;
    HK_TRY(hk_result_values(r, trace, first, each, values));
    HK_TRY(transform_rows(&how, each, c->signal + row * c->samples, t->path));
  }
cleanup:
  hk_hilbert_clear(&plan);
  hk_pool_clear(&pool);
  return status;
}

static hk_status check_part(const hk_result_trace *t, int part, const hk_capture *c)
{
  HK_NEED(part != HK_CAPTURE_OWN || c->shots == c->receivers, HK_BAD_INPUT,
          "%s: has %lld shots and %lld receivers: an array whose elements fire one by one while "
          "all listen has as many of both; cscan with --shot=1 takes all receivers of one shot",
          t->path, (long long)c->shots, (long long)c->receivers);
  HK_NEED(part - HK_CAPTURE_FIRST < c->shots, HK_BAD_INPUT, "%s: shot %lld: must be from 1 to %lld",
          t->path, (long long)part - HK_CAPTURE_FIRST + 1, (long long)c->shots);
  return HK_OK;
}

hk_status hk_capture_read(hk_result *r, int trace, int component, int part, hk_messages *list,
                          hk_capture *c)
{
  const hk_result_trace *t = &r->trace[trace];
  const char *length =
      json_string_value(json_object_get(json_object_get(r->run, "units"), "length"));
  *c = (hk_capture){.shots = t->shots ? t->shots : 1,
                    .receivers = t->receivers,
                    .unit = t->unit,
                    .time_unit = t->time_unit,
                    .length_unit = length ? length : ""};
  HK_PASS(check_part(t, part, c));
  c->rows = part == HK_CAPTURE_ALL   ? c->shots * c->receivers
            : part == HK_CAPTURE_OWN ? c->shots
                                     : c->receivers;
  HK_PASS(read_times(r, trace, list, c));
  HK_PASS(hk_pool_get(&c->pool, &c->receiver, c->receivers));
  HK_PASS(hk_pool_get(&c->pool, &c->source, c->shots));
  HK_PASS(hk_pool_get(&c->pool, &c->signal, c->rows * c->samples));
  HK_PASS(hk_result_places(r, trace, &c->dim, c->receiver));
  if (part < HK_CAPTURE_FIRST) HK_PASS(read_sources(r, c));
  return read_signals(r, trace, component, part, c);
}
