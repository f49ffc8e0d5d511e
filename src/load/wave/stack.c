/* Layers over a half-space at each frequency: one dense system for the amplitudes of the waves in all layers, (W.28) and (W.29), and the
 * inverse transform at a height. Dependence on time and place is exp(i w (t - p x - q z)) with q = sqrt(1 / c^2 - p^2), or -i sqrt(p^2 - 1 / c^2) beyond
 * the critical angle. */
#include "load/wave/stack.h"
#include "base/fft.h"
#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex number;

enum { DIRECTIONS = 2, PER_PERIOD = 64, BAND = 8 };

typedef struct
    mode { /* a wave of one kind and direction in a layer: displacement and traction over -i w */
  number q, motion[2], traction[2];
} mode;

struct hk_wave_stack {
  hk_wave_stack_desc desc;
  hk_pool pool, *tables;
  double *time;                   /* time[fft.n / 2] of all tables */
  int kinds;                      /* of waves: 2, or 1 of SH */
  double p, period, step, growth; /* slowness; of the transform; between its samples; rate of exp */
  hk_fft fft;
  hk_count frequencies;
  mode (*mode)[DIRECTIONS][2]; /* mode[layer][up, down][kind] */
  number *amplitude;           /* amplitude[frequencies][layers][DIRECTIONS][kinds] */
  hk_complex *room, *value;
};

static number vertical(double c, double p)
{
  const double square = 1 / (c * c) - p * p;
  return square >= 0 ? sqrt(square) : -I * sqrt(-square);
}

static mode mode_of(const hk_wave_body *b, hk_wave_kind kind, double p, bool down)
{
  const double c = sqrt((kind == HK_WAVE_P ? b->lambda + 2 * b->mu : b->mu) / b->density);
  mode m = {.q = vertical(c, p)};
  const number q = down ? -m.q : m.q;
  if (kind == HK_WAVE_SH) {
    m.motion[0] = 1, m.traction[0] = b->mu * q;
    return m;
  }
  m.motion[0] = c * (kind == HK_WAVE_P ? p : q), m.motion[1] = c * (kind == HK_WAVE_P ? q : -p);
  m.traction[0] = b->mu * (p * m.motion[1] + m.motion[0] * q);
  m.traction[1] = b->lambda * (p * m.motion[0] + q * m.motion[1]) + 2 * b->mu * q * m.motion[1];
  return m;
}

static double bottom_of(const hk_wave_stack *s, int layer)
{
  return s->desc.layer[layer + 1 < s->desc.layers ? layer + 1 : layer].top;
}

/* exp at a height of a wave whose amplitude is that at the side from which it comes; of the half-space all are at its top. */
static number reach(const hk_wave_stack *s, const mode *m, number w, int layer, bool down, double z)
{
  const double from = down ? s->desc.layer[layer].top : bottom_of(s, layer);
  return cexp(-I * w * m->q * fabs(z - from) * (down || z >= from ? 1 : -1));
}

/* Unknown of a wave; -1: the waves that come. */
static int unknown_of(const hk_wave_stack *s, int layer, int direction, int kind)
{
  const bool last = layer == s->desc.layers - 1;
  if (last && direction == 0) return -1;
  return layer * DIRECTIONS * s->kinds + (last ? 0 : direction * s->kinds) + kind;
}

/* The wave that comes, at the top of the half-space. */
static number incoming(const hk_wave_stack *s, number w, int kind)
{
  const int last = s->desc.layers - 1, own = s->desc.wave->kind == HK_WAVE_SV;
  if (kind != own) return 0;
  return s->desc.wave->amplitude *
         cexp(-I * w * s->mode[last][0][kind].q * (s->desc.layer[last].top - s->desc.from));
}

/* Adds to rows [row, row + 2 kinds), or the tractions alone to kinds rows, what the waves of a layer have at a height. */
static void add_layer(const hk_wave_stack *s, number w, int layer, double z, double sign, bool free,
                      int row, int size, number *a, number *b)
{
  for (int d = 0; d < DIRECTIONS; d++)
    for (int k = 0; k < s->kinds; k++) {
      const mode *m = &s->mode[layer][d][k];
      const number e = reach(s, m, w, layer, d == 1, z);
      const int column = unknown_of(s, layer, d, k);
      for (int c = 0; c < s->kinds; c++)
        for (int t = free; t < 2; t++) {
          const int i = row + c + (free ? 0 : t * s->kinds);
          const number x = sign * e * (t ? m->traction[c] : m->motion[c]);
          if (column >= 0)
            a[i * size + column] += x;
          else
            b[i] -= x * incoming(s, w, k);
        }
    }
}

/* a x = b by elimination with pivots; x in place of b. */
static void solve(int size, number *a, number *b)
{
  for (int k = 0; k < size; k++) {
    int best = k;
    for (int i = k + 1; i < size; i++)
      if (cabs(a[i * size + k]) > cabs(a[best * size + k])) best = i;
    for (int j = 0; j < size && best != k; j++) {
      const number swap = a[k * size + j];
      a[k * size + j] = a[best * size + j], a[best * size + j] = swap;
    }
    const number other = b[k];
    b[k] = b[best], b[best] = best == k ? b[best] : other;
    for (int i = k + 1; i < size; i++) {
      const number f = a[i * size + k] / a[k * size + k];
      for (int j = k; j < size && f != 0; j++) a[i * size + j] -= f * a[k * size + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    for (int j = k + 1; j < size; j++) b[k] -= a[k * size + j] * b[j];
    b[k] /= a[k * size + k];
  }
}

/* The scale of tractions is that of displacements: rows of tractions are divided by the impedance of the half-space. */
static void solve_frequency(const hk_wave_stack *s, number w, int size, number *a, number *b)
{
  const hk_wave_body *half = &s->desc.layer[s->desc.layers - 1].body;
  const double impedance = half->density * hk_wave_speed(s->desc.wave, half);
  memset(a, 0, (size_t)(size * size) * sizeof *a), memset(b, 0, (size_t)size * sizeof *b);
  add_layer(s, w, 0, s->desc.layer[0].top, 1, true, 0, size, a, b);
  for (int k = 0; k + 1 < s->desc.layers; k++) {
    const int row = s->kinds + k * 2 * s->kinds;
    add_layer(s, w, k, s->desc.layer[k + 1].top, 1, false, row, size, a, b);
    add_layer(s, w, k + 1, s->desc.layer[k + 1].top, -1, false, row, size, a, b);
  }
  for (int i = 0; i < size; i++) {
    if (i >= s->kinds && (i - s->kinds) / s->kinds % 2 == 0) continue;
    for (int j = 0; j < size; j++) a[i * size + j] /= impedance;
    b[i] /= impedance;
  }
  solve(size, a, b);
}

static number frequency_of(const hk_wave_stack *s, hk_count k)
{
  return 2 * M_PI * (double)k / s->period - I * s->growth;
}

/* amplitude[frequency]: of all waves, for a signal of spectrum 1. */
static hk_status solve_all(hk_wave_stack *s)
{
  hk_status status = HK_OK;
  const int size = DIRECTIONS * s->kinds * (s->desc.layers - 1) + s->kinds;
  number *a = NULL, *b = NULL, *to = s->amplitude;
  HK_TRY(hk_get(&a, (hk_count)size * size));
  HK_TRY(hk_get(&b, size));
  for (hk_count f = 0; f < s->frequencies; f++) {
    solve_frequency(s, frequency_of(s, f), size, a, b);
    for (int k = 0; k < s->desc.layers; k++)
      for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; i < s->kinds; i++) {
          const int u = unknown_of(s, k, d, i);
          *to++ = u >= 0 ? b[u] : incoming(s, frequency_of(s, f), i);
        }
  }
cleanup:
  hk_free(&a);
  hk_free(&b);
  return status;
}

/* Of s(t) exp(-growth t), into the amplitudes. */
static hk_status take_signal(hk_wave_stack *s)
{
  hk_status status = HK_OK;
  const hk_count n = s->fft.n;
  const int each = s->desc.layers * DIRECTIONS * s->kinds;
  hk_complex *z = NULL;
  HK_TRY(hk_get(&z, n));
  for (hk_count k = 0; k < n; k++) {
    const double t = (double)k * s->step;
    z[k].re = hk_signal_value(s->desc.signal, t) * exp(-s->growth * t) / (double)n;
  }
  hk_fft_run(&s->fft, -1, z);
  for (hk_count f = 0; f < s->frequencies; f++)
    for (int i = 0; i < each; i++) s->amplitude[f * each + i] *= z[f].re + I * z[f].im;
cleanup:
  hk_free(&z);
  return status;
}

static void find_modes(hk_wave_stack *s)
{
  static const hk_wave_kind kind[] = {HK_WAVE_P, HK_WAVE_SV};
  for (int k = 0; k < s->desc.layers; k++)
    for (int d = 0; d < DIRECTIONS; d++)
      for (int i = 0; i < s->kinds; i++)
        s->mode[k][d][i] =
            mode_of(&s->desc.layer[k].body, s->kinds == 1 ? HK_WAVE_SH : kind[i], s->p, d == 1);
}

hk_status hk_wave_stack_create(const hk_wave_stack_desc *desc, hk_pool *pool, hk_wave_stack **out)
{
  hk_status status = HK_OK;
  hk_wave_stack *s = NULL;
  double highest, along = 0;
  HK_TRY(hk_signal_highest_frequency(desc->signal, desc->end, &highest));
  HK_CHECK(highest > 0, HK_BAD_INPUT,
           "the signal has no highest frequency, which layers and waves beyond the critical angle "
           "need: give another one");
  HK_TRY(hk_new(&s));
  s->desc = *desc, s->tables = pool;
  for (int c = 0; c < 3; c++) along += desc->wave->along[c] * desc->wave->level[c];
  s->p = along / hk_wave_speed(desc->wave, &desc->layer[desc->layers - 1].body);
  s->kinds = desc->wave->kind == HK_WAVE_SH ? 1 : 2;
  s->period = 2 * desc->end, s->growth = log(100) / s->period;
  HK_TRY(hk_fft_create(hk_power_of_two(PER_PERIOD * highest * s->period), &s->fft));
  s->step = s->period / (double)s->fft.n;
  s->frequencies = (hk_count)ceil(BAND * highest * s->period);
  if (s->frequencies > s->fft.n / 2) s->frequencies = s->fft.n / 2;
  HK_TRY(hk_pool_get(&s->pool, &s->mode, desc->layers));
  HK_TRY(
      hk_pool_get(&s->pool, &s->amplitude, s->frequencies * desc->layers * DIRECTIONS * s->kinds));
  HK_TRY(hk_pool_get(&s->pool, &s->value, s->fft.n / 2));
  HK_TRY(hk_pool_get(&s->pool, &s->room, s->fft.n / 2 + 1));
  HK_TRY(hk_pool_get(pool, &s->time, s->fft.n / 2));
  for (hk_count k = 0; k < s->fft.n / 2; k++) s->time[k] = (double)k * s->step;
  find_modes(s);
  HK_TRY(solve_all(s));
  HK_TRY(take_signal(s));
  *out = s, s = NULL;
cleanup:
  hk_wave_stack_destroy(&s);
  return status;
}

void hk_wave_stack_destroy(hk_wave_stack **stack)
{
  if (!*stack) return;
  hk_fft_clear(&(*stack)->fft);
  hk_pool_clear(&(*stack)->pool);
  hk_free(stack);
}

double hk_wave_stack_slowness(const hk_wave_stack *s)
{
  return s->p;
}

static int layer_at(const hk_wave_stack *s, double height)
{
  int k = 0;
  while (k + 1 < s->desc.layers && height < s->desc.layer[k + 1].top) k++;
  return k;
}

hk_status hk_wave_stack_at(hk_wave_stack *s, double height, int component, hk_signal *out)
{
  const int layer = layer_at(s, height), each = DIRECTIONS * s->kinds;
  const hk_count kept = s->fft.n / 2;
  memset(s->value, 0, (size_t)kept * sizeof *s->value);
  for (hk_count f = 0; f < s->frequencies; f++) {
    const number *a = s->amplitude + (f * s->desc.layers + layer) * each;
    number sum = 0;
    for (int d = 0; d < DIRECTIONS; d++)
      for (int k = 0; k < s->kinds; k++) {
        const mode *m = &s->mode[layer][d][k];
        sum += a[d * s->kinds + k] * m->motion[component] *
               reach(s, m, frequency_of(s, f), layer, d == 1, height);
      }
    s->value[f] = (hk_complex){creal(sum), cimag(sum)};
  }
  hk_fft_run_real(&s->fft, s->value, s->room);
  const double *x = (const double *)s->value;
  *out = (hk_signal){.kind = HK_SIGNAL_TABLE, .time = s->time, .count = kept, .scale = 1};
  HK_PASS(hk_pool_get(s->tables, &out->value, kept));
  for (hk_count k = 0; k < kept; k++) out->value[k] = x[k] * exp(s->growth * s->time[k]);
  return HK_OK;
}
