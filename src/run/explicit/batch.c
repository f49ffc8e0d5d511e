/* Chooses how many shots are stepped together in one batch: as many as the model asks for, else up
 * to eight that fit into a part of the device's memory, in batches of about equal size. Together
 * they read K once per step. The memory of a batch is its state, the rings of its receivers and the
 * snapshots of its shots with frames. Where devices share the shots, each has about as many
 * batches as the others. Results do not depend on the batches. */
#include "run/explicit/stage.h"

enum { MOST = 8 }; /* more gain little: the state is then most of what is read */
/* Of the room that a batch may take; the host's own holds the state twice more while a checkpoint is
 * written. */
static const double PART = 0.9, PART_HOST = 0.3;

hk_count hk_batch_bytes(const hk_problem *p, const hk_stage *stage, int stages, int shots)
{
  hk_count rings = 0;
  for (int i = 0; i < stages; i++) {
    hk_count sum = 0;
    for (int w = 0; w < stage[i].group_count; w++) {
      const hk_count rows = (hk_count)stage[i].receiver_group[w].rows * shots;
      sum += 12 * rows * hk_receiver_room(rows);
    }
    if (sum > rings) rings = sum;
  }
  return rings + hk_problem_state_plan(p, shots);
}

int hk_batch_snapshots(const hk_step *step, int at_once)
{
  const hk_field_request *field = &step->field;
  int most = 0;
  if (!step->shot_count) return 1;
  for (int i = 0, first = 0; i < field->shot_count; i++) {
    if (field->shot[i] / at_once != field->shot[first] / at_once) first = i;
    if (i - first + 1 > most) most = i - first + 1;
  }
  return most;
}

/* Snapshots of the shots that have frames. */
static hk_count snapshot_bytes(const hk_problem *p, const hk_step *step, int shots)
{
  const hk_count snapshots = hk_batch_snapshots(step, shots);
  const hk_field_layout layout = {
      .mesh = p->on.model->mesh, .quantity_count = 1, .quantity = {{"velocity", "", 3}}};
  return snapshots ? snapshots * hk_frames_plan(p, &layout) : 0;
}

/* Dofs of a batch are counted in hk_index. */
static bool countable(const hk_problem *p, int shots)
{
  return hk_discretisation_dofs(&p->on) * shots <= INT32_MAX;
}

int hk_batch_choose(const hk_problem *p, const hk_stage *stage, int stages, hk_count room)
{
  const hk_step *step = stage[0].step;
  const int shots = step->shot_count, asked = step->shots_at_once;
  const bool host = !hk_device_describe(p->on.device)->own_memory;
  const int devices = p->several.queued ? p->several.count : 1;
  int most = asked ? asked : MOST;
  if (host) room /= devices;
  if (most > shots) most = shots;
  while (most > 1 && !countable(p, most)) most--;
  while (most > 1 && !asked &&
         (double)(hk_batch_bytes(p, stage, stages, most) + snapshot_bytes(p, step, most)) >
             (host ? PART_HOST : PART) * (double)room)
    most--;
  if (most <= 1) return 1;
  const int rounds = (shots + most * devices - 1) / (most * devices), batches = rounds * devices;
  return asked ? most : (shots + batches - 1) / batches;
}
