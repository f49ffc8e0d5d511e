/* SIGINT and SIGTERM. The first signal asks the run to write a checkpoint and stop; the second one
 * ends the process.
 * If the run does not ask for the stop flag within PATIENCE seconds, the first signal ends the
 * process too: the run is then still in set-up, and there is nothing to save. */
#include "cli.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 4 };

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
  caught = number;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  alarm(PATIENCE);
}

static void on_alarm(int number)
{
  static const char words[] = "\nhooke: stopped during set-up: files written before are kept\n";
  const ssize_t said = write(STDERR_FILENO, words, sizeof words - 1);
  (void)number, (void)said;
  _exit(128 + (caught ? caught : SIGINT));
}

void cli_signals_catch(void)
{
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, NULL,
            &before); /* whoever began the command may have chosen that it ignores it */
  if (before.sa_handler != SIG_IGN) sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGALRM, on_alarm);
  signal(SIGPIPE, SIG_IGN); /* a closed pipe must not end a run */
}

bool cli_signals_stop(void *user)
{
  (void)user;
  if (caught) alarm(0);
  return caught != 0;
}

int cli_signals_exit_code(void)
{
  if (!caught && hk_ranks_count() > 1) return 128 + SIGTERM; /* another rank has caught it */
  return 128 + (caught ? caught : SIGINT);
}
