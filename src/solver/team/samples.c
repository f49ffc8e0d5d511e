/* What a team gives as it steps: energies, added granule by granule whoever owns them, and samples of receivers, which lie by rows of the whole. Ranks
 * but the first send theirs to it. */
#include "solver/team/parts.h"

/* The table of another rank, in the pool. */
static hk_status take_table(const hk_team *t, int k, int shots, hk_pool *pool, hk_energy_table *out)
{
  hk_index granules = 0, *granule;
  hk_energy *energy;
  HK_PASS(hk_ranks_take(t->ranks, k, &granules, sizeof granules));
  HK_PASS(hk_pool_get(pool, &granule, granules));
  HK_PASS(hk_pool_get(pool, &energy, (hk_count)granules * shots));
  HK_PASS(hk_ranks_take(t->ranks, k, granule, granules * (hk_count)sizeof *granule));
  HK_PASS(
      hk_ranks_take(t->ranks, k, energy, (hk_count)granules * shots * (hk_count)sizeof *energy));
  *out = (hk_energy_table){.granules = granules, .granule = granule, .energy = energy};
  return HK_OK;
}

static hk_status send_table(const hk_team *t, int shots, const hk_energy_table *own)
{
  const hk_count granules = own->granules;
  HK_PASS(hk_ranks_send(t->ranks, 0, &own->granules, sizeof own->granules));
  HK_PASS(hk_ranks_send(t->ranks, 0, own->granule, granules * (hk_count)sizeof *own->granule));
  return hk_ranks_send(t->ranks, 0, own->energy, granules * shots * (hk_count)sizeof *own->energy);
}

/* energy[shots] at rank 0. */
static hk_status join_energies(hk_team *t, hk_energy *energy)
{
  hk_status status = HK_OK;
  const int shots = t->desc.shots ? t->desc.shots : 1;
  hk_energy_table *table = t->table;
  hk_pool pool = {0};
  for (int k = t->first; k < t->first + t->own; k++)
    HK_TRY(hk_explicit_energies(t->solver[k], &table[k]));
  if (hk_team_helps(t)) {
    HK_TRY(send_table(t, shots, &table[t->first]));
    goto cleanup;
  }
  for (int k = t->own; k < t->parts; k++) HK_TRY(take_table(t, k, shots, &pool, &table[k]));
  hk_energy_join(table, t->parts, shots, energy);
cleanup:
  hk_pool_clear(&pool);
  return hk_team_tear(t, status);
}

hk_status hk_team_energy_end(hk_team *t, hk_energy *energy)
{
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_ENERGY_END}));
  return join_energies(t, energy);
}

hk_status hk_team_totals(hk_team *t, int shot, double *work, double *damping)
{
  hk_status status = HK_OK;
  hk_energy *energy = NULL;
  HK_TRY(hk_get(&energy, t->desc.shots ? t->desc.shots : 1));
  HK_TRY(hk_team_tell(t, &(hk_command){.what = HK_TEAM_TOTALS, .shot = shot}));
  for (int k = t->first; k < t->first + t->own; k++)
    HK_TRY(hk_team_tear(t, hk_explicit_totals_begin(t->solver[k])));
  HK_TRY(join_energies(t, energy));
  *work = energy[shot].work, *damping = energy[shot].damping;
cleanup:
  hk_free(&energy);
  return status;
}

hk_status hk_team_get_samples(hk_team *t)
{
  const int shots = t->desc.shots ? t->desc.shots : 1;
  HK_PASS(hk_pool_get(&t->pool, &t->sample, t->desc.group_count));
  HK_PASS(hk_pool_get(&t->pool, &t->coming, t->desc.group_count));
  for (int g = 0; g < t->desc.group_count; g++) {
    const hk_count rows = (hk_count)t->desc.receiver_group[g].rows * shots;
    HK_PASS(hk_pool_get(&t->pool, &t->sample[g], hk_receiver_room(rows) / 2 * rows));
  }
  return HK_OK;
}

hk_count hk_team_room(const hk_team *t, int g)
{
  return hk_explicit_room(t->solver[t->first], g);
}

hk_count hk_team_complete(const hk_team *t, int g)
{
  return hk_explicit_complete(t->solver[t->first], g);
}

hk_status hk_team_samples_begin(hk_team *t, int g, hk_count first, hk_count count)
{
  HK_PASS(hk_team_tell(
      t, &(hk_command){.what = HK_TEAM_SAMPLES_BEGIN, .part = g, .first = first, .count = count}));
  if (t->coming) t->coming[g] = count;
  for (int k = t->first; k < t->first + t->own; k++)
    HK_PASS(hk_team_tear(t, hk_explicit_samples_begin(t->solver[k], g, first, count)));
  return HK_OK;
}

/* values [count][shots][rows of the group], of a part: row[rows] of the whole. */
static void join_samples(const hk_team *t, int g, hk_index rows, const hk_index *row,
                         const double *values)
{
  const hk_receiver_group *w = &t->desc.receiver_group[g];
  const hk_count lines = t->coming[g] * (t->desc.shots ? t->desc.shots : 1);
  for (hk_count i = 0; i < lines; i++)
    for (hk_index r = 0; r < rows; r++)
      t->sample[g][i * w->rows + row[r] - w->first_row] = values[i * rows + r];
}

static hk_count lines_of(const hk_team *t, int g)
{
  return t->coming[g] * (t->desc.shots ? t->desc.shots : 1);
}

static hk_status send_samples(const hk_team *t, int g, const double *values)
{
  const hk_share *own = &t->share[t->first];
  const hk_index rows = own->group[g].rows;
  HK_PASS(hk_ranks_send(t->ranks, 0, &rows, sizeof rows));
  HK_PASS(
      hk_ranks_send(t->ranks, 0, own->row + own->group_row[g], rows * (hk_count)sizeof *own->row));
  return hk_ranks_send(t->ranks, 0, values, lines_of(t, g) * rows * (hk_count)sizeof *values);
}

static hk_status take_samples(const hk_team *t, int k, int g)
{
  hk_status status = HK_OK;
  hk_index rows = 0, *row = NULL;
  double *values = NULL;
  HK_TRY(hk_ranks_take(t->ranks, k, &rows, sizeof rows));
  HK_TRY(hk_get(&row, rows));
  HK_TRY(hk_get(&values, lines_of(t, g) * rows));
  HK_TRY(hk_ranks_take(t->ranks, k, row, rows * (hk_count)sizeof *row));
  HK_TRY(hk_ranks_take(t->ranks, k, values, lines_of(t, g) * rows * (hk_count)sizeof *values));
  join_samples(t, g, rows, row, values);
cleanup:
  hk_free(&row);
  hk_free(&values);
  return status;
}

static hk_status end_samples(hk_team *t, int g)
{
  const double *own;
  for (int k = t->first; k < t->first + t->own; k++) {
    const hk_share *share = &t->share[k];
    HK_PASS(hk_explicit_samples_end(t->solver[k], g, &own));
    if (hk_team_helps(t)) return send_samples(t, g, own);
    join_samples(t, g, share->group[g].rows, share->row + share->group_row[g], own);
  }
  for (int k = t->own; k < t->parts; k++) HK_PASS(take_samples(t, k, g));
  return HK_OK;
}

hk_status hk_team_samples_end(hk_team *t, int g, const double **values)
{
  if (!t->division) return hk_explicit_samples_end(t->solver[0], g, values);
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_SAMPLES_END, .part = g}));
  HK_PASS(hk_team_tear(t, end_samples(t, g)));
  *values = t->sample[g];
  return HK_OK;
}
