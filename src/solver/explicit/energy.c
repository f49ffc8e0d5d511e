/* Energies: of the state, and what drove and damped it so far. All sums are made on the device; a few numbers leave it. */
#include "solver/explicit/parts.h"

enum {
  TOTALS = 9,
  LAYER = 7,
  RANGES = 2 * TOTALS,
  EACH = 4096,
  MOST_GROUPS = 64
}; /* solver/explicit/vectors.k.h */

/* The arrays that are summed, in the order of the totals. */
static void list_arrays(const hk_explicit *s, const hk_buffer *array[TOTALS])
{
  const hk_buffer *const list[TOTALS] = {
      s->kinetic,
      s->strain,
      s->small[HK_FORCE_WORK],
      s->small[HK_MOTION_WORK],
      s->small[HK_FORCE_LOSS],
      s->small[HK_MOTION_LOSS],
      s->small[HK_DASH_LOSS],
      s->small[HK_LAYER_LOSS],
      s->small[HK_LOSS],
  };
  for (int k = 0; k < TOTALS; k++) array[k] = list[k];
}

/* Of shot k: first and count of its part of each array but the loss, the loss's count, and the groups that sum them: one
 * for each EACH numbers of the longest. */
static hk_status find_ranges(const hk_explicit *s, int k, int32_t range[RANGES])
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count lanes = (hk_count)info->group_threads * info->lanes, of_state = s->groups * lanes,
                 of_loss = s->damped ? s->op->groups * hk_loss_run(info) : 0;
  const hk_index force = s->force_first[k], motion = s->motion_first[k],
                 forces = s->force_first[k + 1] - force, motions = s->motion_first[k + 1] - motion;
  const hk_count part[RANGES] = {k * of_state,
                                 of_state,
                                 k * of_state,
                                 of_state,
                                 force,
                                 forces,
                                 motion,
                                 motions,
                                 force,
                                 forces,
                                 motion,
                                 motions,
                                 (hk_count)k * s->dashpots,
                                 s->dashpots,
                                 (hk_count)k * s->layer.nodes,
                                 s->layer.nodes,
                                 of_loss};
  hk_count most = of_loss;
  for (int i = 0; i < RANGES - 1; i++) HK_TRY(hk_narrow(part[i], "parts of a sum", &range[i]));
  for (int i = 1; i < RANGES - 2; i += 2)
    if (part[i] > most) most = part[i];
  const hk_count groups = (most + EACH - 1) / EACH;
  range[RANGES - 1] = groups < 1 ? 1 : (groups < MOST_GROUPS ? (int32_t)groups : MOST_GROUPS);
cleanup:
  return status;
}

static hk_status create_ranges(hk_explicit *s)
{
  hk_status status = HK_OK;
  int32_t *range = NULL;
  HK_TRY(hk_get(&range, s->shots * RANGES));
  for (int k = 0; k < s->shots; k++) {
    HK_TRY(find_ranges(s, k, range + k * RANGES));
    const int groups = range[(k + 1) * RANGES - 1];
    if (groups > s->total_groups) s->total_groups = groups;
  }
  HK_TRY(hk_buffer_create(s->device, s->shots * RANGES * 4, &s->range));
  HK_TRY(hk_buffer_write(s->range, 0, s->shots * RANGES * 4, range));
cleanup:
  hk_free(&range);
  return status;
}

static hk_status create_kernels(hk_explicit *s, int threads)
{
  hk_status status = HK_OK;
  hk_kernel_desc desc = {.text = "vectors",
                         .double_precision = s->double_precision,
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"DAMPED", s->damped},
                                    {"DIM", s->space->components},
                                    {"FORM", (int)s->form}}};
  desc.function = "vectors_energy";
  HK_TRY(hk_kernel_create(s->device, &desc, &s->energy));
  desc.function = "vectors_total";
  HK_TRY(hk_kernel_create(s->device, &desc, &s->totalled));
  desc.function = "vectors_part", desc.local = hk_local_bytes(threads * TOTALS, 8);
  HK_TRY(hk_kernel_create(s->device, &desc, &s->parts));
cleanup:
  return status;
}

hk_status hk_energy_create(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count lanes = (hk_count)info->group_threads * info->lanes;
  s->groups = (s->space->padded + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
  HK_TRY(hk_buffer_create(s->device, s->groups * s->shots * lanes * 8, &s->kinetic));
  HK_TRY(hk_buffer_create(s->device, s->groups * s->shots * lanes * 8, &s->strain));
  HK_TRY(create_ranges(s));
  HK_TRY(hk_buffer_create(s->device, s->shots * s->total_groups * TOTALS * 8, &s->part));
  HK_TRY(hk_buffer_create(s->device, s->shots * TOTALS * 8, &s->total));
  HK_TRY(hk_fetch_create(s->device, s->shots * TOTALS * 8, &s->totals));
  HK_TRY(create_kernels(s, info->group_threads));
cleanup:
  return status;
}

void hk_energy_destroy(hk_explicit *s)
{
  hk_fetch_destroy(&s->totals);
  hk_buffer_destroy(&s->kinetic);
  hk_buffer_destroy(&s->strain);
  hk_buffer_destroy(&s->part);
  hk_buffer_destroy(&s->total);
  hk_buffer_destroy(&s->range);
  hk_kernel_destroy(&s->energy);
  hk_kernel_destroy(&s->parts);
  hk_kernel_destroy(&s->totalled);
}

static hk_status begin_totals(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_buffer *array[TOTALS];
  hk_argument argument[TOTALS + 5];
  list_arrays(s, array);
  for (int k = 0; k < TOTALS; k++) argument[k] = hk_arg_buffer(array[k]);
  argument[TOTALS] = hk_arg_buffer(s->range), argument[TOTALS + 1] = hk_arg_buffer(s->part);
  argument[TOTALS + 2] = hk_arg_int(s->total_groups), argument[TOTALS + 3] = hk_arg_int(s->shots);
  argument[TOTALS + 4] = hk_arg_int(hk_loss_run(info));
  HK_TRY(hk_kernel_launch(s->parts, 0, s->total_groups * s->shots, argument, TOTALS + 5));
  const hk_argument last[] = {hk_arg_buffer(s->part), hk_arg_buffer(s->range),
                              hk_arg_buffer(s->total), hk_arg_int(s->total_groups)};
  HK_TRY(hk_kernel_launch(s->totalled, 0, s->shots, last, 4));
  HK_TRY(hk_fetch_begin(s->totals, 0, s->total, 0, s->shots * TOTALS * 8));
cleanup:
  return status;
}

hk_status hk_explicit_energy_begin(hk_explicit *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_operator_apply(
      s->op,
      &(hk_epilogue){.form = HK_FORM_STORE, .shots = s->shots, .u = s->x[s->now], .out = s->ku}));
  HK_TRY(hk_explicit_advance(s, s->n + 1));
  const hk_argument argument[] = {hk_arg_buffer(s->x[s->now]),     hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[1 - s->now]), hk_arg_buffer(s->ku),
                                  hk_arg_buffer(s->half_mass),     hk_arg_buffer(s->kinetic),
                                  hk_arg_buffer(s->strain),        hk_arg_int(s->space->padded)};
  HK_TRY(hk_kernel_launch(s->energy, 0, s->groups * s->shots, argument, 8));
  HK_TRY(begin_totals(s));
  s->sampled = s->n;
cleanup:
  return status;
}

static double lost(const double *total)
{
  double sum = 0;
  for (int k = 4; k < TOTALS; k++) sum += total[k];
  return sum;
}

hk_status hk_explicit_energy_end(hk_explicit *s, hk_energy *energy)
{
  const void *data;
  const hk_status status = hk_fetch_wait(s->totals, &data);
  if (status != HK_OK) return status;
  const double *total = data;
  for (int k = 0; k < s->shots; k++, total += TOTALS)
    energy[k] = (hk_energy){.time = ((double)s->sampled - 0.5) * s->dt,
                            .kinetic = total[0],
                            .strain = total[1],
                            .work = total[2] + total[3],
                            .damping = lost(total),
                            .layer = total[LAYER]};
  return HK_OK;
}

hk_status hk_explicit_energy_step(hk_explicit *s, hk_energy *energy)
{
  const hk_status status = hk_explicit_energy_begin(s);
  return status == HK_OK ? hk_explicit_energy_end(s, energy) : status;
}

hk_status hk_explicit_totals(hk_explicit *s, int shot, double *work, double *damping)
{
  hk_status status = HK_OK;
  const void *data;
  HK_TRY(begin_totals(s));
  HK_TRY(hk_fetch_wait(s->totals, &data));
  const double *total = (const double *)data + shot * TOTALS;
  *work = total[2] + total[3], *damping = lost(total);
cleanup:
  return status;
}
