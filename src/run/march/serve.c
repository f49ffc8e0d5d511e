/* Ranks of MPI but the first. They prepare the model as rank 0 does, hold theirs against it, and then make solvers and step as rank 0 tells them
 * (solver/team/serve.c), until it says that the run has ended. They write no files. */
#include "run/march/march.h"
#include <string.h>

hk_status hk_march_share_checkpoint(hk_march *s)
{
  int32_t resumes = s->checkpoint.resumes;
  HK_PASS(hk_ranks_broadcast(hk_ranks_now(), &resumes, sizeof resumes));
  s->checkpoint.resumes = resumes;
  return hk_ranks_broadcast(hk_ranks_now(), &s->checkpoint.head, sizeof s->checkpoint.head);
}

hk_status hk_march_compare_keys(const hk_march *s)
{
  uint64_t first[HK_KEY_PARTS];
  char what[512];
  memcpy(first, s->checkpoint.key, sizeof first);
  HK_PASS(hk_ranks_broadcast(hk_ranks_now(), first, sizeof first));
  HK_NEED(
      !hk_march_differs(s->checkpoint.key, first, what, sizeof what), HK_BAD_INPUT,
      "this rank has another model than rank 0 (what differs: %s): give all the same files, the "
      "same hooke and one folder of kept kernels (XDG_CACHE_HOME)",
      what);
  return HK_OK;
}

static hk_status create(hk_march *s, const hk_command *c)
{
  hk_team_destroy(&s->solver);
  s->current = c->part, s->shots.first = c->first, s->shots.batch = (int)c->count;
  const bool shots = s->current == 0 && s->files.layouts.run.shots;
  const hk_status taken =
      shots ? hk_stage_take(s->problem, s->shots.first, s->shots.batch, &s->stage[0]) : HK_OK;
  if (taken != HK_OK) return hk_ranks_agree(taken); /* rank 0 goes to an agreement next */
  return hk_march_create_solver(s);
}

/* While it waits: whether this process is asked to stop, which rank 0 learns at the next agreement. */
static void look(void *user)
{
  const hk_march *s = user;
  hk_ranks *r = hk_ranks_now();
  r->stop_here = r->stop_here || hk_session_stops(s->session);
}

hk_status hk_march_serve(void *march)
{
  hk_march *s = march;
  for (;;) {
    hk_command command = {0};
    HK_PASS(hk_ranks_await(hk_ranks_now(), &command, look, s));
    if (command.what == HK_RUN_END)
      return command.flag ? hk_error_set((hk_status)command.flag, "rank 0 has ended the run")
                          : HK_OK;
    HK_PASS(command.what == HK_MARCH_CREATE ? create(s, &command)
                                            : hk_team_serve(s->solver, &command));
  }
}
