/* The first signal asks the run to write a checkpoint and stop; the second ends the process. */
#include "cli.h"
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
  caught = number;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

void cli_signals_catch(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN); /* a closed pipe must not end a run */
}

bool cli_signals_stop(void *user)
{
  (void)user;
  return caught != 0;
}

int cli_signals_exit_code(void)
{
  return 128 + (caught ? caught : SIGINT);
}
