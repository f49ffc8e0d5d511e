/* The queue of a study: each device runs the next variation when it is free, as a process `hooke run` of its own, so that one that fails stops no other.
 * A signal is handed on to the processes, which write checkpoints. */
#include "study.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 64 };

typedef struct place { /* of a device */
  pid_t process;       /* 0: free */
  int run;
} place;

/* What the process says goes to output.txt beside its folder. */
static void become(const char *log, const char *const *word)
{
  const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666), in = open("/dev/null", O_RDONLY);
  signal(SIGINT, SIG_IGN); /* from the terminal: the study hands it on once, as SIGTERM */
  if (in >= 0) dup2(in, STDIN_FILENO);
  if (out >= 0) dup2(out, STDOUT_FILENO), dup2(out, STDERR_FILENO);
  execv("/proc/self/exe", (char *const *)word); /* which changes none of them */
  _exit(HK_INTERNAL);
}

static bool has_checkpoint(const study *s, const char *folder)
{
  char *path = study_path(s, folder, "checkpoint.h5");
  const bool has = path && access(path, F_OK) == 0;
  free(path);
  return has;
}

/* Begins a run on a device; false: no memory, or no process. */
static bool begin(const study *s, const study_jobs *jobs, int device, place *at)
{
  char *sets[MOST_WORDS] = {NULL};
  const char *word[5 * MOST_WORDS] = {"hooke", "run", s->path};
  const char *folder = s->run[at->run].folder;
  char *output = study_path(s, folder, ""), *log = study_path(s, folder, "txt");
  int n = 3;
  bool good = output && log && study_sets(s, at->run, sets);
  if (log) *strrchr(log, '/') = '.';
  for (int k = 0; k < jobs->words; k++) word[n++] = jobs->word[k];
  for (int k = 0; k < s->keys; k++) word[n++] = "--set", word[n++] = sets[k];
  if (jobs->device[device]) word[n++] = "--device", word[n++] = jobs->device[device];
  word[n++] = "--output", word[n++] = output;
  word[n++] = has_checkpoint(s, folder) ? "--restart=auto" : "--force";
  fflush(NULL);
  at->process = good ? fork() : -1;
  if (!at->process) become(log, word);
  good = at->process > 0;
  if (!good) at->process = 0;
  for (int k = 0; k < s->keys; k++) free(sets[k]);
  free(output);
  free(log);
  return good;
}

/* A run that has ended frees its device; how many go on. */
static int collect(study *s, const study_jobs *jobs, place *at)
{
  int busy = 0, how;
  for (int d = 0; d < jobs->devices; d++) {
    if (!at[d].process) continue;
    const pid_t ended = waitpid(at[d].process, &how, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) {
      busy++;
      continue;
    }
    s->run[at[d].run].code = ended < 0        ? HK_INTERNAL
                             : WIFEXITED(how) ? WEXITSTATUS(how)
                                              : 128 + WTERMSIG(how);
    at[d].process = 0;
    jobs->told(jobs->user, at[d].run);
  }
  return busy;
}

static void stop_all(const study_jobs *jobs, const place *at)
{
  for (int d = 0; d < jobs->devices; d++)
    if (at[d].process) kill(at[d].process, SIGTERM);
}

int study_run_all(study *s, const study_jobs *jobs)
{
  signal(SIGCHLD, SIG_DFL);          /* else nobody could wait for a process */
  setenv("HOOKE_MPI", "none", true); /* no process is a rank of the launcher's */
  place *at = calloc((size_t)jobs->devices, sizeof *at);
  int next = 0, busy = 0;
  bool stopped = false, failed = !at || s->keys > MOST_WORDS || jobs->words > MOST_WORDS;
  while (!failed) {
    busy = collect(s, jobs, at);
    if (!stopped && cli_signals_stop(NULL)) stop_all(jobs, at), stopped = true;
    for (int d = 0; d < jobs->devices && !stopped && !failed; d++) {
      while (next < s->runs && s->run[next].code >= 0) next++;
      if (at[d].process || next == s->runs) continue;
      at[d].run = next++, busy++;
      failed = !begin(s, jobs, d, &at[d]);
    }
    if (!busy) break;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  if (failed && at) {
    stop_all(jobs, at);
    while (collect(s, jobs, at)) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  free(at);
  return failed ? HK_NO_RESOURCES : stopped ? HK_STOPPED : HK_OK;
}
