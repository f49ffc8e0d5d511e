/* Energies, summed on the device: kinetic 1/2 d^T M d / dt^2 and strain 1/2 u_n^T K~ u_n+1 (W.14) take one more product with the integrator's K~;
 * work of forces and motions and the losses of damping, dashpots and layer are arrays that steps add to (hk_sum_add). Each
 * group sums EACH numbers, a second launch folds the groups in a fixed order; TOTALS numbers per shot go to the host. */
#include "solver/explicit/parts.h"

enum {
  TOTALS =
      3 +
      HK_MOST_SUMS, /* solver/explicit/vectors.k.h: kinetic, strain, the sums, the loss of the operator's groups */
  SUMS = 2,
  RANGES = 2 * TOTALS,
  EACH = 4096,
  MOST_GROUPS = 64
};

hk_status hk_sum_add(hk_explicit *s, hk_sum_kind kind, const hk_buffer *array,
                     const hk_index *first)
{
  hk_energies *e = &s->energies;
  if (!array) return HK_OK;
  HK_NEED(e->sums < HK_MOST_SUMS, HK_INTERNAL,
          "too many arrays of work and loss: at most %d are summed", HK_MOST_SUMS);
  e->sum[e->sums++] = (hk_sum){kind, array, first};
  return HK_OK;
}

/* The arrays that are summed, in the order of the totals; NULL: none. */
static void list_arrays(const hk_explicit *s, const hk_buffer *array[TOTALS])
{
  const hk_energies *e = &s->energies;
  array[0] = e->kinetic, array[1] = e->strain, array[TOTALS - 1] = s->vector.loss;
  for (int k = 0; k < HK_MOST_SUMS; k++) array[SUMS + k] = k < e->sums ? e->sum[k].array : NULL;
}

/* Of shot k: first and count of its part of each array but the loss, the loss's count, and the groups that sum them: one
 * for each EACH numbers of the longest. */
static hk_status find_ranges(const hk_explicit *s, int k, int32_t range[RANGES])
{
  const hk_energies *e = &s->energies;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count lanes = (hk_count)info->group_threads * info->lanes, of_state = e->groups * lanes;
  hk_count part[RANGES] = {k * of_state, of_state, k * of_state, of_state}, most = 0;
  for (int i = 0; i < e->sums; i++) {
    part[2 * (SUMS + i)] = e->sum[i].first[k];
    part[2 * (SUMS + i) + 1] = e->sum[i].first[k + 1] - e->sum[i].first[k];
  }
  if (s->scheme.damped) most = part[RANGES - 2] = s->op->groups * hk_loss_run(info);
  for (int i = 0; i < RANGES - 1; i++) HK_PASS(hk_narrow(part[i], "parts of a sum", &range[i]));
  for (int i = 1; i < RANGES - 2; i += 2)
    if (part[i] > most) most = part[i];
  const hk_count groups = (most + EACH - 1) / EACH;
  range[RANGES - 1] = groups < 1 ? 1 : (groups < MOST_GROUPS ? (int32_t)groups : MOST_GROUPS);
  return HK_OK;
}

static hk_status create_ranges(hk_explicit *s)
{
  hk_status status = HK_OK;
  int32_t *range = NULL;
  HK_TRY(hk_get(&range, s->shots * RANGES));
  for (int k = 0; k < s->shots; k++) {
    HK_TRY(find_ranges(s, k, range + k * RANGES));
    const int groups = range[(k + 1) * RANGES - 1];
    if (groups > s->energies.total_groups) s->energies.total_groups = groups;
  }
  HK_TRY(hk_buffer_create(s->device, s->shots * RANGES * 4, &s->energies.range));
  HK_TRY(hk_buffer_write(s->energies.range, 0, s->shots * RANGES * 4, range));
cleanup:
  hk_free(&range);
  return status;
}

static hk_status create_kernels(hk_explicit *s, int threads)
{
  hk_kernel_desc desc = {.text = "vectors",
                         .double_precision = s->double_precision,
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"DAMPED", s->scheme.damped},
                                    {"DIM", s->space->components},
                                    {"FORM", (int)s->scheme.form}}};
  desc.function = "vectors_energy";
  HK_PASS(hk_kernel_create(s->device, &desc, &s->energies.energy));
  desc.function = "vectors_total";
  HK_PASS(hk_kernel_create(s->device, &desc, &s->energies.totalled));
  desc.function = "vectors_part", desc.local = hk_local_bytes(threads * TOTALS, 8);
  return hk_kernel_create(s->device, &desc, &s->energies.parts);
}

hk_status hk_energy_create(hk_explicit *s)
{
  hk_energies *e = &s->energies;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count lanes = (hk_count)info->group_threads * info->lanes;
  e->groups = (s->space->padded + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
  HK_PASS(hk_buffer_create(s->device, e->groups * s->shots * lanes * 8, &e->kinetic));
  HK_PASS(hk_buffer_create(s->device, e->groups * s->shots * lanes * 8, &e->strain));
  HK_PASS(create_ranges(s));
  HK_PASS(hk_buffer_create(s->device, s->shots * e->total_groups * TOTALS * 8, &e->part));
  HK_PASS(hk_buffer_create(s->device, s->shots * TOTALS * 8, &e->total));
  HK_PASS(hk_fetch_create(s->device, s->shots * TOTALS * 8, &e->totals));
  return create_kernels(s, info->group_threads);
}

void hk_energy_destroy(hk_explicit *s)
{
  hk_energies *e = &s->energies;
  hk_fetch_destroy(&e->totals);
  hk_buffer_destroy(&e->kinetic);
  hk_buffer_destroy(&e->strain);
  hk_buffer_destroy(&e->part);
  hk_buffer_destroy(&e->total);
  hk_buffer_destroy(&e->range);
  hk_kernel_destroy(&e->energy);
  hk_kernel_destroy(&e->parts);
  hk_kernel_destroy(&e->totalled);
}

static hk_status begin_totals(hk_explicit *s)
{
  hk_energies *e = &s->energies;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_buffer *array[TOTALS];
  hk_argument argument[TOTALS + 5];
  for (int k = 0; k < HK_TERMS; k++)
    if (s->term[k].data && s->term[k].kind->sample) HK_PASS(s->term[k].kind->sample(&s->term[k]));
  list_arrays(s, array);
  for (int k = 0; k < TOTALS; k++) argument[k] = hk_arg_buffer(array[k]);
  argument[TOTALS] = hk_arg_buffer(e->range), argument[TOTALS + 1] = hk_arg_buffer(e->part);
  argument[TOTALS + 2] = hk_arg_int(e->total_groups), argument[TOTALS + 3] = hk_arg_int(s->shots);
  argument[TOTALS + 4] = hk_arg_int(hk_loss_run(info));
  HK_PASS(hk_kernel_launch(e->parts, 0, e->total_groups * s->shots, argument, TOTALS + 5));
  HK_PASS(hk_kernel_launch(e->totalled, 0, s->shots,
                           HK_ARGUMENTS(e->part, e->range, e->total, e->total_groups)));
  return hk_fetch_begin(e->totals, 0, e->total, 0, s->shots * TOTALS * 8);
}

hk_status hk_explicit_energy_begin(hk_explicit *s)
{
  HK_PASS(s->scheme.integrator->multiply(s, s->shots, s->vector.x[s->now], s->vector.ku));
  HK_PASS(hk_explicit_advance(s, s->n + 1));
  HK_PASS(hk_kernel_launch(s->energies.energy, 0, s->energies.groups * s->shots,
                           HK_ARGUMENTS(s->vector.x[s->now], s->vector.v, s->vector.x[1 - s->now],
                                        s->vector.ku, s->vector.half_mass, s->energies.kinetic,
                                        s->energies.strain, s->space->padded,
                                        hk_space_rows(s->space))));
  HK_PASS(begin_totals(s));
  s->energies.sampled = s->n;
  return HK_OK;
}

/* One shot's energies from its totals. */
static hk_energy sum_up(const hk_explicit *s, const double *total)
{
  hk_energy energy = {.kinetic = total[0], .strain = total[1]};
  for (int k = 0; k < s->energies.sums; k++) {
    const hk_sum_kind kind = s->energies.sum[k].kind;
    if (kind == HK_SUM_WORK) energy.work += total[SUMS + k];
    if (kind != HK_SUM_WORK) energy.damping += total[SUMS + k];
    if (kind == HK_SUM_EXCHANGE) energy.layer += total[SUMS + k];
  }
  energy.damping += total[TOTALS - 1];
  return energy;
}

hk_status hk_explicit_energy_end(hk_explicit *s, hk_energy *energy)
{
  const void *data;
  const hk_status status = hk_fetch_wait(s->energies.totals, &data);
  if (status != HK_OK) return status;
  const double *total = data;
  for (int k = 0; k < s->shots; k++, total += TOTALS) {
    energy[k] = sum_up(s, total);
    energy[k].time = ((double)s->energies.sampled - 0.5) * s->scheme.dt;
  }
  return HK_OK;
}

hk_status hk_explicit_energy_step(hk_explicit *s, hk_energy *energy)
{
  const hk_status status = hk_explicit_energy_begin(s);
  return status == HK_OK ? hk_explicit_energy_end(s, energy) : status;
}

hk_status hk_explicit_totals(hk_explicit *s, int shot, double *work, double *damping)
{
  const void *data;
  HK_PASS(begin_totals(s));
  HK_PASS(hk_fetch_wait(s->energies.totals, &data));
  const hk_energy energy = sum_up(s, (const double *)data + shot * TOTALS);
  *work = energy.work, *damping = energy.damping;
  return HK_OK;
}
