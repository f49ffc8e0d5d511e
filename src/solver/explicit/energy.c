/* Energies, summed on the device: kinetic 1/2 d^T M d / dt^2 and strain 1/2 u_n^T K~ u_n+1 (W.14) take one more product with the integrator's K~;
 * work of forces and motions and the losses of damping, dashpots and layer are arrays that steps add to (hk_sum_add). Each
 * granule (space/space.h) sums its own in a fixed order; the table of TOTALS numbers of each granule and shot goes to the host, which adds them in
 * the order of granules, those of all parts of a model. */
#include "solver/explicit/parts.h"

enum {
  TOTALS =
      3 +
      HK_MOST_SUMS, /* solver/explicit/vectors.k.h: kinetic, strain, the sums, the loss of the operator's groups */
  SUMS = 2
};

hk_status hk_sum_add(hk_explicit *s, const hk_sum *sum)
{
  hk_energies *e = &s->energies;
  if (!sum->array) return HK_OK;
  HK_NEED(e->sums < HK_MOST_SUMS, HK_INTERNAL,
          "too many arrays of work and loss: at most %d are summed", HK_MOST_SUMS);
  e->sum[e->sums++] = *sum;
  return HK_OK;
}

static hk_status create_kernels(hk_explicit *s, const hk_device_info *info)
{
  hk_kernel_desc desc = {.text = "vectors",
                         .double_precision = s->double_precision,
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"DAMPED", s->scheme.damped},
                                    {"DIM", s->space->components},
                                    {"FORM", (int)s->scheme.form}}};
  desc.function = "vectors_energy";
  desc.local = hk_local_bytes(2LL * info->group_threads * info->lanes, 8);
  HK_PASS(hk_kernel_create(s->device, &desc, &s->energies.energy));
  desc.function = "vectors_table";
  desc.local = hk_local_bytes((hk_count)info->group_threads * TOTALS, 8);
  return hk_kernel_create(s->device, &desc, &s->energies.tabled);
}

static hk_status send_lists(hk_explicit *s, const hk_sum_lists *l, hk_buffer **begin,
                            hk_buffer **item)
{
  HK_PASS(hk_explicit_send(s, l->begin.count * 4, l->begin.at, begin));
  return hk_explicit_send(s, l->item.count * 4, l->item.at, item);
}

static hk_status create_lists(hk_explicit *s)
{
  hk_status status = HK_OK;
  hk_energies *e = &s->energies;
  hk_sum_lists pieces = {0}, sums = {0};
  HK_TRY(hk_granules_list(s, &pieces));
  HK_TRY(send_lists(s, &pieces, &e->piece_begin, &e->piece));
  HK_TRY(hk_sum_lists_create(s, &sums));
  HK_TRY(send_lists(s, &sums, &e->begin, &e->item));
cleanup:
  hk_pool_clear(&pieces.pool);
  hk_pool_clear(&sums.pool);
  return status;
}

hk_status hk_energy_create(hk_explicit *s)
{
  hk_energies *e = &s->energies;
  HK_PASS(create_lists(s));
  const hk_count all = (hk_count)e->granules * s->shots;
  HK_PASS(hk_buffer_create(s->device, all * 8, &e->kinetic));
  HK_PASS(hk_buffer_create(s->device, all * 8, &e->strain));
  HK_PASS(hk_buffer_create(s->device, all * TOTALS * 8, &e->table));
  HK_PASS(hk_fetch_create(s->device, all * TOTALS * 8, &e->totals));
  HK_PASS(hk_get(&e->summed, all));
  return create_kernels(s, hk_device_describe(s->device));
}

void hk_energy_destroy(hk_explicit *s)
{
  hk_energies *e = &s->energies;
  hk_buffer **const all[] = {&e->kinetic, &e->strain,      &e->table, &e->begin,
                             &e->item,    &e->piece_begin, &e->piece};
  hk_fetch_destroy(&e->totals);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
  hk_kernel_destroy(&e->energy);
  hk_kernel_destroy(&e->tabled);
  hk_free(&e->granule);
  hk_free(&e->summed);
}

/* The arrays that are summed, in the order of the totals; NULL: none. */
static void list_arrays(const hk_explicit *s, hk_argument array[TOTALS])
{
  const hk_energies *e = &s->energies;
  array[0] = hk_arg_buffer(e->kinetic), array[1] = hk_arg_buffer(e->strain);
  array[TOTALS - 1] = hk_arg_buffer(s->vector.loss);
  for (int k = 0; k < HK_MOST_SUMS; k++)
    array[SUMS + k] = hk_arg_buffer(k < e->sums ? e->sum[k].array : NULL);
}

hk_status hk_explicit_totals_begin(hk_explicit *s)
{
  hk_energies *e = &s->energies;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count all = (hk_count)e->granules * s->shots;
  hk_argument argument[TOTALS + 6];
  for (int k = 0; k < HK_TERMS; k++)
    if (s->term[k].data && s->term[k].kind->sample) HK_PASS(s->term[k].kind->sample(&s->term[k]));
  list_arrays(s, argument);
  argument[TOTALS] = hk_arg_buffer(e->begin), argument[TOTALS + 1] = hk_arg_buffer(e->item);
  argument[TOTALS + 2] = hk_arg_buffer(e->table), argument[TOTALS + 3] = hk_arg_int(e->granules);
  argument[TOTALS + 4] = hk_arg_int(s->shots), argument[TOTALS + 5] = hk_arg_int(hk_loss_run(info));
  HK_PASS(hk_kernel_launch(e->tabled, 0, all, argument, TOTALS + 6));
  s->energies.sampled = s->n;
  return hk_fetch_begin(e->totals, 0, e->table, 0, all * TOTALS * 8);
}

hk_status hk_explicit_energy_begin(hk_explicit *s)
{
  const hk_energies *e = &s->energies;
  HK_PASS(s->scheme.integrator->multiply(s, s->shots, s->vector.x[s->now], s->vector.ku));
  HK_PASS(hk_explicit_advance(s, s->n + 1));
  HK_PASS(hk_kernel_launch(e->energy, 0, (hk_count)e->granules * s->shots,
                           HK_ARGUMENTS(s->vector.x[s->now], s->vector.v, s->vector.x[1 - s->now],
                                        s->vector.ku, s->vector.half_mass, e->piece_begin, e->piece,
                                        e->kinetic, e->strain, s->space->patch, s->space->padded,
                                        e->granules)));
  return hk_explicit_totals_begin(s);
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

hk_status hk_explicit_energies(hk_explicit *s, hk_energy_table *out)
{
  hk_energies *e = &s->energies;
  const void *data;
  HK_PASS(hk_fetch_wait(e->totals, &data));
  for (hk_count k = 0; k < (hk_count)e->granules * s->shots; k++) {
    e->summed[k] = sum_up(s, (const double *)data + k * TOTALS);
    e->summed[k].time = ((double)e->sampled - 0.5) * s->scheme.dt;
  }
  *out = (hk_energy_table){.granules = e->granules, .granule = e->granule, .energy = e->summed};
  return HK_OK;
}

/* The part that has the lowest granule which is not added yet; NULL: none. */
static hk_energy_table *next_part(hk_energy_table *part, int parts)
{
  hk_energy_table *next = NULL;
  for (int p = 0; p < parts; p++)
    if (part[p].at < part[p].granules &&
        (!next || part[p].granule[part[p].at] < next->granule[next->at]))
      next = &part[p];
  return next;
}

void hk_energy_join(hk_energy_table *part, int parts, int shots, hk_energy *energy)
{
  for (int shot = 0; shot < shots; shot++) energy[shot] = (hk_energy){0};
  for (hk_energy_table *t; (t = next_part(part, parts)); t->at++)
    for (int shot = 0; shot < shots; shot++) {
      const hk_energy *own = &t->energy[(hk_count)shot * t->granules + t->at];
      hk_energy *sum = &energy[shot];
      sum->time = own->time;
      sum->kinetic += own->kinetic, sum->strain += own->strain, sum->work += own->work;
      sum->damping += own->damping, sum->layer += own->layer;
    }
}

hk_status hk_explicit_energy_end(hk_explicit *s, hk_energy *energy)
{
  hk_energy_table table;
  HK_PASS(hk_explicit_energies(s, &table));
  hk_energy_join(&table, 1, s->shots, energy);
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
  hk_energy *energy = NULL;
  HK_TRY(hk_get(&energy, s->shots));
  HK_TRY(hk_explicit_totals_begin(s));
  HK_TRY(hk_explicit_energy_end(s, energy));
  *work = energy[shot].work, *damping = energy[shot].damping;
cleanup:
  hk_free(&energy);
  return status;
}
