/* Values of signals s(t) (W.9), whether they act at all,
 * and tables of two columns (time, value) read from CSV files, line by line.
 * Between their points tables are linear or smooth steps. */
#include "load/signal.h"
#include "base/source.h"
#include <math.h>

static double toneburst(const hk_signal *s, double t)
{
  if (!(t >= 0 && t * s->frequency <= s->cycles)) return 0;
  const double phase = 2 * M_PI * s->frequency * t;
  return (s->hann ? (1 - cos(phase / s->cycles)) / 2 : 1) * sin(phase);
}

static double ricker(const hk_signal *s, double t)
{
  const double x = M_PI * s->frequency * (t - s->t0);
  return fabs(x) > 40 ? 0 : (1 - 2 * x * x) * exp(-x * x); /* 40: exp() has become 0 */
}

static double table(const hk_signal *s, double t)
{
  hk_count low = 0, high = s->count - 1; /* time[low] <= t < time[high] */
  if (s->count == 0) return 0;
  if (t < s->time[0]) return s->value[0];
  if (t >= s->time[high]) return s->value[high];
  while (high - low > 1) {
    const hk_count middle = low + (high - low) / 2;
    if (s->time[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  double x = (t - s->time[low]) / (s->time[high] - s->time[low]);
  if (s->smooth) x = x * x * x * (10 - 15 * x + 6 * x * x);
  return s->value[low] + (s->value[high] - s->value[low]) * x;
}

/* Cubic B-splines (load/wave/recorded.h); the samples are those of all coefficients but the first and the last. */
static double spline(const hk_signal *s, double t)
{
  const hk_count last = s->count - 3; /* intervals */
  double x = (t - s->t0) / s->period;
  if (!(x >= 0)) return 0;
  if (x > (double)last) x = (double)last;
  hk_count k = (hk_count)x;
  if (k == last) k--;
  const double *c = s->value + k, y = x - (double)k, z = 1 - y;
  return (z * z * z * c[0] + (3 * y * y * (y - 2) + 4) * c[1] + (3 * z * z * (z - 2) + 4) * c[2] +
          y * y * y * c[3]) /
         6;
}

double hk_signal_value(const hk_signal *signal, double t)
{
  double s = 0;
  switch (signal->kind) {
  case HK_SIGNAL_STEP: s = t >= 0; break;
  case HK_SIGNAL_TONEBURST: s = toneburst(signal, t); break;
  case HK_SIGNAL_GAUSSIAN: s = exp(-signal->a * (t - signal->t0) * (t - signal->t0)); break;
  case HK_SIGNAL_RICKER: s = ricker(signal, t); break;
  case HK_SIGNAL_TABLE: s = table(signal, t); break;
  case HK_SIGNAL_RAMP: s = t <= 0 ? 0 : t < signal->period ? t / signal->period : 1; break;
  case HK_SIGNAL_SPLINE: s = spline(signal, t); break;
  }
  return signal->scale * s;
}

bool hk_signal_acts(const hk_signal *signal, double t)
{
  const double tail = signal->kind == HK_SIGNAL_TABLE || signal->kind == HK_SIGNAL_SPLINE
                          ? 0
                          : 1e-12 * fabs(signal->scale);
  return fabs(hk_signal_value(signal, t)) > tail;
}

bool hk_signals_are_alike(const hk_signal *a, const hk_signal *b)
{
  if (a == b || !a || !b) return a == b;
  const double x[] = {a->frequency, a->cycles, a->t0, a->a, a->period, a->scale};
  const double y[] = {b->frequency, b->cycles, b->t0, b->a, b->period, b->scale};
  bool alike =
      a->kind == b->kind && a->hann == b->hann && a->smooth == b->smooth && a->count == b->count;
  for (int k = 0; k < 6; k++) alike = alike && x[k] == y[k];
  for (hk_count k = 0; alike && k < a->count; k++)
    alike = (!a->time || a->time[k] == b->time[k]) && a->value[k] == b->value[k];
  return alike;
}

void hk_signal_clear(hk_signal *signal)
{
  hk_free(&signal->time);
  hk_free(&signal->value);
  *signal = (hk_signal){0};
}

static const char *skip_blanks(const char *p)
{
  while (*p == ' ' || *p == '\t') p++;
  return p;
}

/* Two numbers and nothing else; the number of columns that could be read otherwise. */
static int parse_row(const char *line, size_t length, double row[2])
{
  const char *p = skip_blanks(line), *end = line + length;
  for (int column = 0; column < 2; column++) {
    const size_t used = hk_parse_number(p, (size_t)(end - p), &row[column]);
    if (used == 0 || !isfinite(row[column])) return column;
    p = skip_blanks(p + used);
    if (column == 0 && (*p == ',' || *p == ';')) p = skip_blanks(p + 1);
  }
  return p == end ? 2 : 3;
}

static hk_status read_rows(hk_source *source, double time_unit, hk_signal *s)
{
  hk_count time_room = 0, value_room = 0;
  char *line = NULL;
  size_t length = 0;
  bool first = true;

  for (;;) {
    double row[2];
    HK_PASS(hk_source_line(source, &line, &length));
    if (!line) break;
    const char *p = skip_blanks(line);
    if (*p == '\0' || *p == '#') continue;
    const int columns = parse_row(line, length, row);
    const bool header = first && columns == 0;
    first = false;
    if (header) continue;
    const char *path = hk_source_path(source);
    const long long number = (long long)hk_source_line_number(source);
    HK_NEED(columns == 2, HK_BAD_INPUT,
            "%s:%lld: error: expected two numbers, time and value, and nothing else", path, number);
    HK_NEED(s->count == 0 || row[0] * time_unit > s->time[s->count - 1], HK_BAD_INPUT,
            "%s:%lld: error: time %g is not above that of the line before: times must ascend", path,
            number, row[0]);
    HK_PASS(hk_reserve(&s->time, s->count + 1, &time_room));
    HK_PASS(hk_reserve(&s->value, s->count + 1, &value_room));
    s->time[s->count] = row[0] * time_unit;
    s->value[s->count++] = row[1];
  }
  HK_NEED(s->count >= 2, HK_BAD_INPUT,
          "%s:%lld: error: the file ends after %lld rows: a table needs at least two",
          hk_source_path(source), (long long)hk_source_line_number(source), (long long)s->count);
  return HK_OK;
}

hk_status hk_signal_read_csv(const char *path, double time_unit, hk_signal *out)
{
  hk_status status = HK_OK;
  hk_signal s = {.kind = HK_SIGNAL_TABLE, .scale = 1};
  hk_source *source = NULL;

  HK_TRY(hk_source_open(path, &source));
  HK_TRY(read_rows(source, time_unit, &s));
  *out = s, s = (hk_signal){0};
cleanup:
  hk_source_close(&source);
  hk_signal_clear(&s);
  return status;
}
