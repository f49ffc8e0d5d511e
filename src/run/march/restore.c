/* Removes time dispersion from the traces at the end of a run (D.4, load/dispersion.h): each row is
 * read from computed.h5, transformed, thinned to the samples of run.h5 and written there, in
 * parallel by rows. A mark in run.h5 says whether its samples are as computed, in progress or
 * transformed. A killed run continues with --restart, since computed.h5 keeps the original samples. */
#include "load/dispersion.h"
#include "run/march/march.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>

typedef struct place { /* of one row: receiver and component */
  hk_count shot, row;
  const hk_stage *stage;
  int receiver_group;
} place;

typedef struct pass {
  hk_march *s;
  const hk_restore *restore;
  hk_restore_room *room; /* room[threads] */
  double *sample;        /* sample[threads][sampled + 1] */
} pass;

static hk_count rows_of(const hk_march *s)
{
  hk_count rows = 0;
  for (int w = 0; w < s->stage[0].group_count; w++) rows += s->stage[0].receiver_group[w].rows;
  return rows;
}

/* Row number k of all shots. */
static place find(const hk_march *s, hk_count k)
{
  const hk_count of_shot = rows_of(s);
  place p = {.shot = k / of_shot, .row = k % of_shot, .stage = &s->stage[0]};
  while (p.row >= p.stage->receiver_group[p.receiver_group].rows)
    p.row -= p.stage->receiver_group[p.receiver_group++].rows;
  return p;
}

static hk_status read_row(hk_march *s, const place *p, hk_count count, double *sample)
{
  const hk_group_output *w = &p->stage->group_output[p->receiver_group];
  return hk_run_file_read_trace(s->files.computed, p->shot, w->trace, w->quantity, p->row, 0, count,
                                sample);
}

/* sample[count] of every step: those that run.h5 has. */
static hk_status write_row(hk_march *s, const place *p, hk_count count, double *sample)
{
  const hk_group_output *w = &p->stage->group_output[p->receiver_group];
  const hk_count kept = (count + w->every - 1) / w->every;
  for (hk_count k = 0; k < kept; k++) sample[k] = sample[k * w->every];
  return hk_run_file_write_row(s->files.run, p->shot, w->trace, w->quantity, p->row, 0, kept,
                               sample);
}

/* Odd derivatives of what is stepped are differences over two steps, or sums by the trapezoid rule: see solver/explicit/receivers.c. */
static bool is_rate(const place *p)
{
  const hk_receiver_group *receiver_group = &p->stage->receiver_group[p->receiver_group];
  const bool flows = p->stage->of_rate && p->stage->of_rate[receiver_group->first_row + p->row];
  return ((int)receiver_group->kind - flows) % 2 != 0;
}

static hk_status restore_row(const pass *all, hk_count k)
{
  const int thread = omp_get_thread_num();
  double *sample = all->sample + thread * all->restore->length;
  const place p = find(all->s, k);
  HK_PASS(read_row(all->s, &p, all->restore->length, sample));
  if (isnan(sample[0])) return HK_OK; /* it began late, and stays as computed */
  hk_restore_run(all->restore, &all->room[thread], sample, is_rate(&p));
  return write_row(all->s, &p, all->restore->steps + 1, sample);
}

static hk_status restore_rows(const pass *all, int threads)
{
  hk_failure failure = {0};
  const hk_count rows = rows_of(all->s) * all->s->shots.all;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (hk_count k = 0; k < rows; k++)
    if (failure.status == HK_OK) hk_failure_keep(&failure, restore_row(all, k));
  return hk_failure_tell(&failure);
}

/* After a failure: run.h5 has what was computed again, and a checkpoint of the last step lets the run go on from here. */
static hk_status keep_computed(hk_march *s, hk_status status)
{
  char words[1024];
  snprintf(words, sizeof words, "%s", hk_error());
  const bool kept = hk_march_unrestore(s) == HK_OK && hk_march_checkpoint_write(s) == HK_OK;
  return hk_error_set(
      status, "%s; time dispersion could not be removed from the traces: %s", words,
      kept ? "they stay as computed, and a checkpoint was written: continue with --restart"
           : "computed.h5 has them as computed");
}

hk_status hk_march_restore(hk_march *s)
{
  hk_status status = HK_OK;
  const int before = hk_clock_begin("time dispersion");
  const int threads = hk_device_describe(s->problem->on.device)->threads;
  hk_pool pool = {0};
  hk_restore restore = {0};
  pass all = {.s = s, .restore = &restore};
  if (!s->files.computed) return HK_OK;
  HK_TRY(hk_restore_create(s->stage[0].steps, &restore));
  HK_TRY(hk_pool_get(&pool, &all.room, threads));
  for (int i = 0; i < threads; i++) HK_TRY(hk_restore_room_create(&restore, &all.room[i]));
  HK_TRY(hk_pool_get(&pool, &all.sample, threads * restore.length));
  HK_TRY(hk_run_file_mark(s->files.run, HK_IN_PROGRESS));
  HK_TRY(restore_rows(&all, threads));
  HK_TRY(hk_run_file_mark(s->files.run, HK_TRANSFORMED));
  s->files.restored = true;
cleanup:
  for (int i = 0; all.room && i < threads; i++) hk_restore_room_clear(&all.room[i]);
  hk_pool_clear(&pool);
  hk_restore_clear(&restore);
  if (status != HK_OK) status = keep_computed(s, status);
  hk_clock_end(before);
  return status;
}

hk_status hk_march_unrestore(hk_march *s)
{
  hk_status status = HK_OK;
  double *sample = NULL;
  if (!s->files.computed ||
      (hk_run_file_samples(s->files.run) == HK_AS_COMPUTED && !s->files.carried))
    return HK_OK;
  HK_TRY(hk_run_file_mark(s->files.run, HK_IN_PROGRESS));
  HK_TRY(hk_get(&sample, s->stage[0].steps + 1));
  for (hk_count k = 0; k < rows_of(s) * s->shots.all; k++) {
    const place p = find(s, k);
    HK_TRY(read_row(s, &p, s->stage[0].steps + 1, sample));
    HK_TRY(write_row(s, &p, s->stage[0].steps + 1, sample));
  }
  HK_TRY(hk_run_file_mark(s->files.run, HK_AS_COMPUTED));
cleanup:
  hk_free(&sample);
  return status;
}
