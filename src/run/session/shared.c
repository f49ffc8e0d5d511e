/* Ranks of MPI that share systems of equations. By PETSc rank 0 alone prepares the model, makes K, writes the files and begins solutions; the others hold rows of the
 * system and solve it with rank 0, as it commands (solver/linear/petsc/system.c). By hooke's own conjugate gradients every rank prepares the model and makes its rows of
 * K, and all take each step together; rank 0 writes the files. In both ways the others serve until rank 0 says that the run has ended. */
#include "link/ranks.h"
#include "run/session/session.h"
#include "solver/linear/petsc/petsc.h"

void hk_session_tell_ranks(const hk_session *s)
{
  const hk_ranks *r = hk_ranks_now();
  if (r)
    hk_messages_add(s->list, HK_NOTE, NULL, 0, 0,
                    "%d ranks of %s share the systems of equations; rank 0 makes them",
                    r->place.ranks, r->place.library);
}

static int asks(void *user)
{
  return hk_session_stops(user);
}

/* While it waits: whether this process is asked to stop, which rank 0 learns at the next agreement. */
static void look(void *user)
{
  hk_ranks *r = hk_ranks_now();
  r->stop_here = r->stop_here || asks(user);
}

bool hk_session_stops_together(const hk_session *s)
{
  hk_ranks *r = hk_ranks_now();
  r->stop_here = r->stop_here || (s->desc->stop && s->desc->stop(s->desc->user));
  return hk_ranks_agree(HK_OK) != HK_OK || r->stop_asked;
}

hk_status hk_session_serve(hk_session *s, hk_status (*does)(void *user), void *user)
{
  hk_petsc_part part = {0};
  for (;;) {
    hk_command command = {0};
    HK_PASS(hk_ranks_await(hk_ranks_now(), &command, look, s));
    if (command.what == HK_RUN_END)
      return command.flag ? hk_error_set((hk_status)command.flag, "rank 0 has ended the run")
                          : HK_OK;
    HK_PASS(does ? does(user) : hk_petsc_serve(&command, asks, s, &part));
  }
}
