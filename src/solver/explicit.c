#include "solver/explicit_parts.h"

enum { EVERY_PART = HK_PARTS_PUSH | HK_PARTS_WATCH };

/* The launches of a step, from x[from]. */
static hk_status launch_step(hk_explicit *s, int from, int parts)
{
  hk_status status = HK_OK;
  HK_TRY(hk_operator_apply(s->op, &(hk_epilogue){.form = s->form,
                                                 .damped = s->damped,
                                                 .u = s->x[from],
                                                 .out = s->x[1 - from],
                                                 .v = s->v,
                                                 .b = s->b,
                                                 .a = s->a,
                                                 .loss = s->small[HK_LOSS]}));
  HK_TRY(hk_drive_follow(s, from, parts));
cleanup:
  return status;
}

static hk_status launch_steps(void *user)
{
  hk_status status = HK_OK;
  for (int k = 0; k < HK_GRAPH_STEPS; k++) HK_TRY(launch_step(user, k % 2, EVERY_PART));
cleanup:
  return status;
}

hk_status hk_explicit_record(hk_explicit *s)
{
  return hk_graph_record(s->device, launch_steps, s, &s->graph);
}

hk_status hk_explicit_one_step(hk_explicit *s, int parts)
{
  hk_status status = HK_OK;
  HK_TRY(hk_drive_load(s, 1));
  HK_TRY(launch_step(s, s->now, parts));
  s->now = 1 - s->now;
  s->n++;
cleanup:
  return status;
}

/* The recorded steps; x[0] is u_n before and after. */
static hk_status many_steps(hk_explicit *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_drive_load(s, HK_GRAPH_STEPS));
  HK_TRY(hk_graph_launch(s->graph));
  s->n += HK_GRAPH_STEPS;
cleanup:
  return status;
}

hk_status hk_explicit_advance(hk_explicit *s, hk_count to)
{
  hk_status status = HK_OK;
  while (s->n < to)
    if (s->now == 0 && to - s->n >= HK_GRAPH_STEPS)
      HK_TRY(many_steps(s));
    else
      HK_TRY(hk_explicit_one_step(s, EVERY_PART));
cleanup:
  return status;
}

static hk_status sum_buffer(const hk_buffer *buffer, double *sum)
{
  *sum = 0;
  if (!buffer) return HK_OK;
  const hk_count count = hk_buffer_bytes(buffer) / 8;
  double part[512];
  for (hk_count i = 0; i < count; i += 512) {
    const hk_count n = count - i < 512 ? count - i : 512;
    const hk_status status = hk_buffer_read(buffer, i * 8, n * 8, part);
    if (status != HK_OK) return status;
    for (hk_count k = 0; k < n; k++) *sum += part[k];
  }
  return HK_OK;
}

hk_status hk_explicit_totals(const hk_explicit *s, double *work, double *damping)
{
  hk_status status = HK_OK;
  double part[HK_SMALL_COUNT] = {0};
  HK_TRY(hk_device_finish(s->device));
  for (int i = 0; i < HK_SMALL_COUNT; i++) HK_TRY(sum_buffer(s->small[i], &part[i]));
  *work = part[HK_FORCE_WORK] + part[HK_MOTION_WORK];
  *damping = part[HK_LOSS] + part[HK_FORCE_LOSS] + part[HK_MOTION_LOSS];
cleanup:
  return status;
}

hk_status hk_explicit_energy_step(hk_explicit *s, hk_energy *energy)
{
  hk_status status = HK_OK;
  const hk_count count = hk_buffer_bytes(s->sums) / 8;

  HK_TRY(hk_operator_apply(s->op,
                           &(hk_epilogue){.form = HK_FORM_STORE, .u = s->x[s->now], .out = s->ku}));
  HK_TRY(hk_explicit_advance(s, s->n + 1));
  const hk_argument argument[] = {hk_arg_buffer(s->x[s->now]),     hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[1 - s->now]), hk_arg_buffer(s->ku),
                                  hk_arg_buffer(s->half_mass),     hk_arg_buffer(s->sums),
                                  hk_arg_int(s->space->padded)};
  HK_TRY(hk_kernel_launch(s->energy, 0, s->groups, argument, 7));
  HK_TRY(hk_device_finish(s->device));
  HK_TRY(hk_buffer_read(s->sums, 0, count * 8, s->sums_host));
  *energy = (hk_energy){.time = ((double)s->n - 0.5) * s->dt};
  for (hk_count i = 0; i < count; i += 2)
    energy->kinetic += s->sums_host[i], energy->strain += s->sums_host[i + 1];
  HK_TRY(hk_explicit_totals(s, &energy->work, &energy->damping));
cleanup:
  return status;
}
