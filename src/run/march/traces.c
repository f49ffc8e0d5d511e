/* Moves samples of the receivers from the rings on the device to the files, half a ring at a time,
 * so that the copy overlaps the steps. They are turned from [sample][row] to [row][sample]. If time
 * dispersion is removed at the end, all samples go to computed.h5 and a thinned copy to run.h5. */
#include "run/march/march.h"

/* Of traces[rows][count], samples from `first` on, those that run.h5 has, none beyond step `last`, first in each row: traces[rows][returned]. */
static hk_count thin(double *traces, hk_count rows, hk_count first, hk_count count, hk_count last,
                     hk_count every)
{
  const hk_count skip = (every - first % every) % every,
                 end = count < last + 1 - first ? count : last + 1 - first,
                 kept = skip < end ? (end - skip + every - 1) / every : 0;
  for (hk_count r = 0; r < rows; r++)
    for (hk_count k = 0; k < kept; k++) traces[r * kept + k] = traces[r * count + skip + k * every];
  return kept;
}

/* Samples of one quantity, traces[batch][rows][count]: all to computed.h5, thinned to run.h5. */
static hk_status write_samples(hk_march *s, const hk_group_output *to, hk_count of_shot,
                               hk_count count)
{
  hk_count first = to->written;
  for (int k = 0; s->files.computed && k < s->shots.batch; k++)
    HK_PASS(hk_run_file_write_trace(s->files.computed, s->shots.first + k, to->trace, to->quantity,
                                    first, count, s->files.room + k * of_shot * count));
  if (s->files.computed) {
    count =
        thin(s->files.room, of_shot * s->shots.batch, first, count, s->stage[0].steps, to->every);
    first = (first + to->every - 1) / to->every;
  }
  for (int k = 0; count && k < s->shots.batch; k++)
    HK_PASS(hk_run_file_write_trace(s->files.run, s->shots.first + k, to->trace, to->quantity,
                                    first, count, s->files.room + k * of_shot * count));
  return HK_OK;
}

/* Writes the samples of a receiver group that were on their way, [count][shots][receivers][components], turned. */
static hk_status end_drain(hk_march *s, int w)
{
  const hk_stage *stage = &s->stage[s->current];
  const hk_count of_shot = stage->receiver_group[w].rows, rows = of_shot * s->shots.batch;
  hk_group_output *to = &stage->group_output[w];
  const hk_count count = to->coming;
  const double *sample;
  if (!count) return HK_OK;
  HK_PASS(hk_team_samples_end(s->solver, w, &sample));
  for (hk_count k = 0; k < count; k++)
    for (hk_count r = 0; r < rows; r++) s->files.room[r * count + k] = sample[k * rows + r];
  HK_PASS(write_samples(s, to, of_shot, count));
  to->written += count, to->coming = 0;
  return HK_OK;
}

/* Complete samples that were not sent for. */
static hk_count left_of(const hk_march *s, int w)
{
  const hk_group_output *to = &s->stage[s->current].group_output[w];
  return hk_team_complete(s->solver, w) - to->written - to->coming;
}

/* Sends for samples that are complete: half a ring, or what there is. */
static hk_status begin_drain(hk_march *s, int w)
{
  hk_group_output *to = &s->stage[s->current].group_output[w];
  const hk_count half = hk_team_room(s->solver, w) / 2, ready = left_of(s, w);
  if (!ready) return HK_OK;
  to->coming = ready < half ? ready : half;
  return hk_team_samples_begin(s->solver, w, to->written, to->coming);
}

/* Those on their way are waited for when half a ring is full again: until then the device has steps before it. */
hk_status hk_march_drain(hk_march *s, bool all)
{
  for (int w = 0; w < s->stage[s->current].group_count; w++) {
    const hk_group_output *to = &s->stage[s->current].group_output[w];
    if (!all && left_of(s, w) < hk_team_room(s->solver, w) / 2 - 2) continue;
    do {
      HK_PASS(end_drain(s, w));
      HK_PASS(begin_drain(s, w));
    } while (all && to->coming);
  }
  return HK_OK;
}
