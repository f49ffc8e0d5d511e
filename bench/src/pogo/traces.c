/* Displacements at receivers, recorded whole while a solver steps, and how far two recordings lie apart. The
 * discrepancy is max |a - b| / max |a| of a receiver, |.| over components (Huthwaite 2014, Figures 9, 11 and 13); the
 * worst receiver with a signal counts. It is drawn over time. */
#include "pogo/traces.h"
#include "picture/trace_plot.h"
#include <math.h>
#include <stdio.h>

#define SIGNAL                                                                                     \
  1e-4 /* of the largest displacement of the model: a receiver with less has none yet */

void hk_traces_clear(hk_traces *t)
{
  for (int w = 0; t->value && w < t->groups; w++) hk_free(&t->value[w]);
  hk_free(&t->value);
  hk_free(&t->rows);
  hk_free(&t->samples);
  hk_free(&t->dt);
  *t = (hk_traces){0};
}

static hk_status begin(const hk_stage *stage, int components, hk_count steps, hk_traces *t)
{
  t->steps = steps, t->components = components;
  HK_PASS(hk_get(&t->rows, stage->group_count));
  HK_PASS(hk_get(&t->samples, stage->group_count));
  HK_PASS(hk_get(&t->dt, stage->group_count));
  HK_PASS(hk_get(&t->value, stage->group_count));
  for (int w = 0; w < stage->group_count; w++) {
    const hk_receiver_group *receiver_group = &stage->receiver_group[w];
    if (receiver_group->kind != HK_RECEIVER_DISPLACEMENT) continue;
    const int k = t->groups++;
    t->rows[k] = receiver_group->rows, t->samples[k] = steps / receiver_group->every + 1;
    t->dt[k] = stage->dt * (double)receiver_group->every;
    t->receivers += receiver_group->rows / components;
    HK_PASS(hk_get(&t->value[k], t->samples[k] * t->rows[k]));
  }
  return HK_OK;
}

/* Takes what has become ready of each receiver group. */
static hk_status drain(hk_explicit *solver, const hk_stage *stage, hk_count *taken, hk_traces *t)
{
  for (int w = 0, k = 0; w < stage->group_count; w++) {
    if (stage->receiver_group[w].kind != HK_RECEIVER_DISPLACEMENT) continue;
    hk_count ready = hk_explicit_complete(solver, w);
    if (ready > t->samples[k]) ready = t->samples[k];
    HK_PASS(hk_explicit_samples(solver, w, taken[k], ready - taken[k],
                                t->value[k] + taken[k] * t->rows[k]));
    taken[k++] = ready;
  }
  return HK_OK;
}

/* The largest displacement of the state; the padding is 0. */
static hk_status find_largest(const hk_explicit *solver, const hk_space *space, double *largest)
{
  hk_status status = HK_OK;
  const hk_count count = (hk_count)space->padded * space->components;
  double *u = NULL;
  HK_TRY(hk_get(&u, count));
  HK_TRY(hk_explicit_read(solver, 0, HK_STATE_DISPLACEMENT, u));
  for (hk_count i = 0; i < count; i++) *largest = hk_larger(*largest, fabs(u[i]));
cleanup:
  hk_free(&u);
  return status;
}

hk_status hk_traces_record(hk_explicit *solver, const hk_stage *stage, const hk_space *space,
                           hk_count steps, hk_traces *out)
{
  hk_status status = HK_OK;
  hk_traces t = {0};
  hk_count room = steps, *taken = NULL;
  HK_TRY(begin(stage, space->components, steps, &t));
  HK_TRY(hk_get(&taken, t.groups));
  for (int w = 0; w < stage->group_count; w++)
    if (stage->receiver_group[w].every * (hk_explicit_room(solver, w) - 2) < room)
      room = stage->receiver_group[w].every * (hk_explicit_room(solver, w) - 2);
  while (hk_explicit_step(solver) < steps) {
    const hk_count to = hk_explicit_step(solver) + room;
    HK_TRY(hk_explicit_advance(solver, to < steps ? to : steps));
    HK_TRY(drain(solver, stage, taken, &t));
  }
  HK_TRY(find_largest(solver, space, &t.largest));
  *out = t, t = (hk_traces){0};
cleanup:
  hk_traces_clear(&t);
  hk_free(&taken);
  return status;
}

/* |a - b| of one receiver at one sample; b NULL: |a| */
static double apart(const hk_traces *a, const hk_traces *b, int w, hk_count receiver,
                    hk_count sample)
{
  double sum = 0;
  for (int c = 0; c < a->components; c++) {
    const hk_count at = sample * a->rows[w] + receiver * a->components + c;
    const double d = a->value[w][at] - (b ? b->value[w][at] : 0);
    sum += d * d;
  }
  return sqrt(sum);
}

double hk_traces_discrepancy(const hk_traces *a, const hk_traces *b)
{
  double worst = -1;
  for (int w = 0; w < a->groups; w++)
    for (hk_count r = 0; r < a->rows[w] / a->components; r++) {
      double largest = 0, difference = 0;
      for (hk_count k = 0; k < a->samples[w]; k++) {
        largest = fmax(largest, apart(a, NULL, w, r, k));
        difference = hk_larger(difference, apart(a, b, w, r, k));
      }
      if (largest > 0 && largest >= SIGNAL * a->largest)
        worst = hk_larger(worst, difference / largest);
    }
  return worst < 0 ? NAN : worst;
}

static hk_status add_receiver(const hk_traces *a, const hk_traces *b, int w, hk_count r,
                              hk_curves *curves)
{
  hk_status status = HK_OK;
  double *time = NULL, *value = NULL;
  char label[48];
  HK_TRY(hk_get(&time, a->samples[w]));
  HK_TRY(hk_get(&value, a->samples[w]));
  for (hk_count k = 0; k < a->samples[w]; k++) {
    time[k] = a->dt[w] * (double)k;
    value[k] = apart(a, b, w, r, k);
  }
  snprintf(label, sizeof label, "receiver %d", curves->count + 1);
  HK_TRY(hk_curves_add(curves, label, a->samples[w], time, value, 2000));
cleanup:
  hk_free(&time);
  hk_free(&value);
  return status;
}

hk_status hk_traces_plot(const hk_traces *a, const hk_traces *b, const char *title,
                         const char *time_unit, const char *unit, const char *path)
{
  hk_status status = HK_OK;
  hk_curves *curves = NULL;
  hk_canvas *canvas = NULL;
  HK_TRY(hk_curves_create(&curves));
  for (int w = 0; w < a->groups; w++)
    for (hk_count r = 0; r < a->rows[w] / a->components && curves->count < HK_MOST_CURVES; r++)
      HK_TRY(add_receiver(a, b, w, r, curves));
  curves->left_out = a->receivers - curves->count;
  HK_TRY(hk_curves_plot(
      curves,
      &(hk_curves_words){
          .title = title, .time_unit = time_unit, .name = "discrepancy", .unit = unit},
      1000, &canvas));
  HK_TRY(hk_canvas_write(canvas, path));
cleanup:
  hk_curves_destroy(&curves);
  hk_canvas_destroy(&canvas);
  return status;
}
