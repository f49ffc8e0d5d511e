/* A restart with a later end, other traces or other frames: checks whether the checkpoint allows
 * it, and lays out run.h5, computed.h5 and the field files anew with what they hold so far
 * (result/restart/carry.c). It warns about receivers and frames whose earlier part is missing.
 * Refused are changes that would need the past, such as new receivers of displacement in fluids, and other traces where one is a cable. */
#include "run/march/march.h"
#include "model/unit_names.h"
#include "result/restart/carry.h"

/* The unknowns of fluids are integrals over time of what is recorded: a receiver that begins late does not know what came before. */
static bool integrates(const hk_march *s)
{
  bool any = false;
  for (int i = 0; i < s->stage_count; i++)
    for (int w = 0; w < s->stage[i].group_count; w++) {
      const hk_receiver_group *receiver_group = &s->stage[i].receiver_group[w];
      for (hk_index r = 0; r < receiver_group->rows; r++)
        any = any || (receiver_group->kind == HK_RECEIVER_DISPLACEMENT && s->stage[i].of_rate &&
                      s->stage[i].of_rate[receiver_group->first_row + r]);
    }
  return any;
}

/* Channels of a cable are told apart by their middles alone, which do not say its gauge length and its direction. */
static bool has_cable(const hk_march *s)
{
  bool any = false;
  for (int i = 0; i < s->stage_count; i++)
    for (int t = 0; t < s->stage[i].step->trace_count; t++)
      any = any || s->stage[i].step->trace[t].fibre;
  return any;
}

static bool differs(const hk_march *s, const hk_checkpoint *head, hk_key_part part)
{
  return s->checkpoint.key[part] != head->part[part];
}

hk_status hk_march_check_carry(const hk_march *s, const char *path, const hk_checkpoint *head)
{
  const hk_stage *stage =
      head->stage >= 0 && head->stage < s->stage_count ? &s->stage[head->stage] : NULL;
  if (!hk_march_outputs_differ(s->checkpoint.key, head->part)) return HK_OK;
  const hk_unit_words unit = hk_unit_words_of(&s->model->units);
  HK_NEED(!stage || !differs(s, head, HK_KEY_END) || head->step <= stage->steps, HK_BAD_INPUT,
          "%s: the checkpoint is of step %lld, t = %g%s, after the end of this run, t = %g%s: "
          "give a later end",
          path, (long long)head->step, stage->start + (double)head->step * stage->dt, unit.time,
          stage->start + (double)stage->steps * stage->dt, unit.time);
  HK_NEED(!differs(s, head, HK_KEY_END) || head->first_shot == 0, HK_BAD_INPUT,
          "%s: %lld shots are complete up to the former end time: give that end time again", path,
          (long long)head->first_shot);
  HK_NEED(!differs(s, head, HK_KEY_END) || (double)head->step <= head->steps, HK_BAD_INPUT,
          "%s: the checkpoint is of step %lld, after the former end, where only traces continue: "
          "give the former end time again",
          path, (long long)head->step);
  HK_NEED(!differs(s, head, HK_KEY_TRACES) || !integrates(s), HK_BAD_INPUT,
          "%s: displacements of fluids in traces are integrals from the start, and the traces "
          "differ from those of the run: give the former traces again",
          path);
  HK_NEED(!differs(s, head, HK_KEY_TRACES) || !has_cable(s), HK_BAD_INPUT,
          "%s: traces of cables cannot begin later, and the traces differ from those of the run: "
          "give the former traces again",
          path);
  HK_NEED(
      !differs(s, head, HK_KEY_FRAMES) || !hk_session_wants_vtu(s->session), HK_BAD_INPUT,
      "%s: hooke cannot change the frames of .vtu files: give the former end time and frames again",
      path);
  return HK_OK;
}

static hk_status carry_traces(hk_march *s, const char *name, const hk_run_layout *layout,
                              double now, bool warn)
{
  hk_status status = HK_OK;
  hk_count *missing = NULL;
  HK_TRY(hk_get(&missing, layout->trace_count));
  HK_TRY(hk_carry_run(hk_session_path(s->session, name).text, layout, missing));
  const hk_unit_words unit = hk_unit_words_of(&s->model->units);
  for (int i = 0; i < layout->trace_count && warn; i++)
    if (missing[i])
      hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0,
                      "trace %s: %lld receivers begin at t = %g%s, where the run continues: before "
                      "that they are not-a-number%s",
                      layout->trace[i].name, (long long)missing[i], now, unit.time,
                      s->stage[0].kept ? "" : ", and time dispersion stays in them");
cleanup:
  hk_free(&missing);
  return status;
}

static hk_status carry_snapshots(hk_march *s, const hk_snapshots *f, double now)
{
  hk_count missing = 0;
  const hk_unit_words unit = hk_unit_words_of(&s->model->units);
  HK_PASS(hk_carry_frames(s->session->desc->output, &f->layout, now, &missing));
  if (missing)
    hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0,
                    "%s: %lld frames before t = %g%s, where the run continues, were not written, "
                    "or not with all quantities: they are not-a-number",
                    f->name, (long long)missing, now, unit.time);
  return HK_OK;
}

hk_status hk_march_carry(hk_march *s, const hk_checkpoint *head)
{
  const hk_stage *stage = &s->stage[head->stage];
  const double now = stage->start + (double)head->step * stage->dt;
  if (!hk_march_outputs_differ(s->checkpoint.key, head->part)) return HK_OK;
  HK_PASS(carry_traces(s, "run.h5", &s->files.layouts.run, now, true));
  if (!stage->kept) HK_PASS(carry_traces(s, "computed.h5", &s->files.layouts.computed, now, false));
  HK_PASS(hk_snapshots_name(s));
  for (int i = 0; i < s->snapshots_count; i++) HK_PASS(carry_snapshots(s, &s->snapshots[i], now));
  s->files.carried = true;
  s->files.fresh_traces = differs(s, head, HK_KEY_TRACES);
  hk_session_log(s->session, "files laid out again: another end, other traces or other frames");
  return HK_OK;
}
