/* Energies: of the state, and what drove and damped it so far. All sums are made on the device; a few numbers leave it. */
#include "solver/explicit_parts.h"

enum { TOTALS = 7, EACH = 4096, MOST_GROUPS = 64 }; /* kernels/vectors.k.h */

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
      s->small[HK_LOSS],
  };
  for (int k = 0; k < TOTALS; k++) array[k] = list[k];
}

static hk_count size_of(const hk_buffer *buffer)
{
  return buffer ? hk_buffer_bytes(buffer) / 8 : 0;
}

/* Groups that sum the parts: one for each EACH numbers of the longest array. */
static hk_count count_groups(const hk_explicit *s)
{
  const hk_buffer *array[TOTALS];
  hk_count most = 1;
  list_arrays(s, array);
  for (int k = 0; k < TOTALS; k++)
    if (size_of(array[k]) > most) most = size_of(array[k]);
  const hk_count groups = (most + EACH - 1) / EACH;
  return groups < MOST_GROUPS ? groups : MOST_GROUPS;
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
  HK_TRY(hk_buffer_create(s->device, s->groups * lanes * 8, &s->kinetic));
  HK_TRY(hk_buffer_create(s->device, s->groups * lanes * 8, &s->strain));
  HK_TRY(hk_buffer_create(s->device, MOST_GROUPS * TOTALS * 8, &s->part));
  HK_TRY(hk_buffer_create(s->device, TOTALS * 8, &s->total));
  HK_TRY(hk_fetch_create(s->device, TOTALS * 8, &s->totals));
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
  hk_kernel_destroy(&s->energy);
  hk_kernel_destroy(&s->parts);
  hk_kernel_destroy(&s->totalled);
}

static hk_status begin_totals(hk_explicit *s)
{
  hk_status status = HK_OK;
  const int groups = (int)count_groups(s);
  const hk_buffer *array[TOTALS];
  hk_argument argument[2 * TOTALS + 2];
  list_arrays(s, array);
  for (int k = 0; k < TOTALS; k++) {
    hk_index count;
    HK_TRY(hk_narrow(size_of(array[k]), "parts of a sum", &count));
    argument[k] = hk_arg_buffer(array[k]), argument[TOTALS + k] = hk_arg_int(count);
  }
  argument[2 * TOTALS] = hk_arg_buffer(s->part), argument[2 * TOTALS + 1] = hk_arg_int(groups);
  HK_TRY(hk_kernel_launch(s->parts, 0, groups, argument, 2 * TOTALS + 2));
  const hk_argument last[] = {hk_arg_buffer(s->part), hk_arg_buffer(s->total), hk_arg_int(groups)};
  HK_TRY(hk_kernel_launch(s->totalled, 0, 1, last, 3));
  HK_TRY(hk_fetch_begin(s->totals, 0, s->total, 0, TOTALS * 8));
cleanup:
  return status;
}

hk_status hk_explicit_energy_begin(hk_explicit *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_operator_apply(s->op,
                           &(hk_epilogue){.form = HK_FORM_STORE, .u = s->x[s->now], .out = s->ku}));
  HK_TRY(hk_explicit_advance(s, s->n + 1));
  const hk_argument argument[] = {hk_arg_buffer(s->x[s->now]),     hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[1 - s->now]), hk_arg_buffer(s->ku),
                                  hk_arg_buffer(s->half_mass),     hk_arg_buffer(s->kinetic),
                                  hk_arg_buffer(s->strain),        hk_arg_int(s->space->padded)};
  HK_TRY(hk_kernel_launch(s->energy, 0, s->groups, argument, 8));
  HK_TRY(begin_totals(s));
  s->sampled = s->n;
cleanup:
  return status;
}

hk_status hk_explicit_energy_end(hk_explicit *s, hk_energy *energy)
{
  const void *data;
  const hk_status status = hk_fetch_wait(s->totals, &data);
  if (status != HK_OK) return status;
  const double *total = data;
  *energy = (hk_energy){.time = ((double)s->sampled - 0.5) * s->dt,
                        .kinetic = total[0],
                        .strain = total[1],
                        .work = total[2] + total[3],
                        .damping = total[4] + total[5] + total[6]};
  return HK_OK;
}

hk_status hk_explicit_energy_step(hk_explicit *s, hk_energy *energy)
{
  const hk_status status = hk_explicit_energy_begin(s);
  return status == HK_OK ? hk_explicit_energy_end(s, energy) : status;
}

hk_status hk_explicit_totals(hk_explicit *s, double *work, double *damping)
{
  hk_energy energy;
  hk_status status = begin_totals(s);
  if (status == HK_OK) status = hk_explicit_energy_end(s, &energy);
  if (status == HK_OK) *work = energy.work, *damping = energy.damping;
  return status;
}
