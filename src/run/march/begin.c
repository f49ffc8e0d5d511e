/* Begins a stage: creates its solver and sets the state that it starts from, which is the initial
 * values, the end of the stage before, or a checkpoint. The next stage continues with u and with
 * the velocity between the last two steps. Prescribed velocities and accelerations are integrated
 * from the position and velocity at the start. */
#include "run/march/march.h"
#include <math.h>
#include <string.h>

/* Other ranks make theirs too, from where the motions of rank 0 begin. */
static hk_status tell_ranks(hk_march *s)
{
  hk_ranks *r = s->problem->division ? s->problem->division->ranks : NULL;
  hk_excitation *e = &s->stage[s->current].excitation;
  const hk_count bytes = e->motion.rows * (hk_count)sizeof(double);
  if (!r) return HK_OK;
  if (r->place.rank == 0)
    HK_PASS(hk_ranks_command(r, &(hk_command){.what = HK_MARCH_CREATE,
                                              .part = s->current,
                                              .first = s->shots.first,
                                              .count = s->shots.batch}));
  HK_PASS(hk_ranks_broadcast(r, e->motion_base, bytes));
  return hk_ranks_broadcast(r, e->motion_drift, bytes);
}

/* What is said of the way in which parts exchange rows: once. */
static void keep_link(hk_march *s)
{
  const hk_links *links = hk_team_links(s->solver);
  hk_several *several = &s->problem->several;
  char words[512];
  if (!links) return;
  several->link = links->kind->name;
  if (several->trials || !links->trials) return;
  several->trials = links->trials;
  memcpy(several->trial, links->trial, sizeof several->trial);
  hk_links_tell(links, words, sizeof words);
  if (hk_ranks_rank() == 0) hk_messages_add(s->problem->on.list, HK_NOTE, NULL, 0, 0, "%s", words);
}

static hk_status make_solver(hk_march *s)
{
  hk_stage *stage = &s->stage[s->current];
  const hk_problem *p = s->problem;
  const hk_status status =
      stage->kept ? HK_OK : hk_excitation_filter(&stage->excitation, stage->dt);
  if (status != HK_OK) return status;
  HK_PASS(hk_team_create(&(hk_explicit_desc){.op = p->on.op,
                                             .integrator = p->integrator,
                                             .dt = stage->dt,
                                             .steps = stage->sampled,
                                             .shots = stage->shots,
                                             .mass = p->mass,
                                             .damping = p->damping,
                                             .dashpots = &p->dashpots,
                                             .relaxing = &p->relaxing,
                                             .pml = &p->pml,
                                             .excitation = &s->stage[s->current].excitation,
                                             .receivers = &stage->receivers,
                                             .of_rate = stage->of_rate,
                                             .integrals = hk_frames_integrate(p),
                                             .peaks = hk_peaks_kept(p),
                                             .receiver_group = stage->receiver_group,
                                             .group_count = stage->group_count},
                         p->division, &s->solver));
  keep_link(s);
  return HK_OK;
}

hk_status hk_march_create_solver(hk_march *s)
{
  HK_PASS(tell_ranks(s));
  return hk_ranks_agree(make_solver(s));
}

static double along(const hk_sparse *rows, hk_index r, hk_index dofs, const double *vector)
{
  double sum = 0;
  for (hk_index p = rows->begin[r]; vector && p < rows->begin[r + 1]; p++)
    sum += rows->weight[p] * vector[rows->dof[p] % dofs];
  return sum;
}

/* Velocity and acceleration are integrated from where the nodes are now, acceleration from how fast
 * they are too. u, v: [dofs], of every shot alike, or NULL: zero. */
static void set_bases(hk_excitation *d, hk_index dofs, const double *u, const double *v)
{
  for (hk_index r = 0; r < d->motion.rows; r++) {
    const hk_index signal = d->motion_signal[r];
    if (signal < 0 || d->signal[signal].role == HK_ROLE_DISPLACEMENT) continue;
    d->motion_base[r] = along(&d->motion, r, dofs, u);
    if (d->signal[signal].role == HK_ROLE_ACCELERATION)
      d->motion_drift[r] = along(&d->motion, r, dofs, v);
  }
}

static hk_status start_first(hk_march *s)
{
  hk_status status = HK_OK;
  const hk_index dofs = (hk_index)hk_discretisation_dofs(&s->problem->on);
  const hk_acts_on on = {.model = s->model, .space = s->problem->on.space};
  double *u = NULL, *v = NULL;
  HK_TRY(hk_acts_begin(&on, HK_MOVE_DISPLACEMENT, s->problem->pml.held, &u));
  HK_TRY(hk_acts_begin(&on, HK_MOVE_VELOCITY, s->problem->pml.held, &v));
  set_bases(&s->stage[0].excitation, dofs, u, v);
  HK_TRY(hk_march_create_solver(s));
  HK_TRY(hk_team_start(s->solver, u, v));
cleanup:
  hk_free(&u);
  hk_free(&v);
  return status;
}

/* The next stage goes on with u and the velocity between the last two steps. Models of several stages
 * have no shots. */
static hk_status start_next(hk_march *s)
{
  hk_status status = HK_OK;
  const hk_index dofs = (hk_index)hk_discretisation_dofs(&s->problem->on);
  const double before = s->stage[s->current - 1].dt, dt = s->stage[s->current].dt;
  double *u = NULL, *d = NULL, work, damping;
  HK_TRY(hk_get(&u, dofs));
  HK_TRY(hk_get(&d, dofs));
  HK_TRY(hk_team_read(s->solver, 0, HK_STATE_DISPLACEMENT, u));
  HK_TRY(hk_team_read(s->solver, 0, HK_STATE_INCREMENT, d));
  HK_TRY(hk_team_totals(s->solver, 0, &work, &damping));
  hk_balance_continue(s->energy.balance, work, damping);
  for (hk_index i = 0; i < dofs; i++) d[i] /= before;
  set_bases(&s->stage[s->current].excitation, dofs, u, d);
  for (hk_index i = 0; i < dofs; i++) d[i] *= dt;
  hk_team_destroy(&s->solver);
  HK_TRY(hk_march_create_solver(s));
  HK_TRY(hk_team_continue(s->solver, u, d));
cleanup:
  hk_free(&u);
  hk_free(&d);
  return status;
}

static hk_status resume_stage(hk_march *s)
{
  hk_march_batch *batch = hk_queue_batch(s);
  hk_stage *stage = &s->stage[s->current];
  HK_PASS(hk_march_create_solver(s));
  const bool same = !s->files.fresh_traces;
  const hk_count needs = hk_team_state_bytes(s->solver, same);
  const size_t balances = (size_t)s->shots.batch * sizeof *s->energy.balance;
  const hk_count state = batch->bytes - (hk_count)balances;
  HK_NEED(same ? state == needs : state >= needs, HK_BAD_INPUT,
          "the checkpoint does not fit this model%s",
          s->files.carried
              ? ": displacements of fluids in frames are integrals from the start, which "
                "this run has not kept"
              : "");
  HK_PASS(hk_team_restore(s->solver, batch->step, same, batch->state));
  for (size_t i = 0; i < balances / sizeof(double); i++) {
    double number;
    memcpy(&number, batch->state + state + i * sizeof number, sizeof number);
    HK_NEED(isfinite(number), HK_BAD_INPUT, "the energies of the checkpoint are not numbers");
  }
  memcpy(s->energy.balance, batch->state + state, balances);
  if (!s->queue->lanes) hk_free(&batch->state);
  for (int w = 0; w < stage->group_count; w++) {
    const hk_count every = stage->receiver_group[w].every;
    stage->group_output[w].written =
        same ? hk_team_complete(s->solver, w) : (batch->step + every - 1) / every;
  }
  while (s->frame < stage->frames.count && stage->frames.step[s->frame] < batch->step) s->frame++;
  return HK_OK;
}

hk_status hk_march_begin_stage(hk_march *s)
{
  const bool resumes = s->checkpoint.resumes;
  s->frame = 0;
  s->checkpoint.resumes = false;
  if (resumes) return resume_stage(s);
  return s->current == 0 ? start_first(s) : start_next(s);
}
