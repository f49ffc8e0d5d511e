/* Begin and end of a program of hooke.
 * cli_begin opens closed standard descriptors, so that messages never go into a result file, and
 * ignores SIGXFSZ, so that a file size limit is an error of the write.
 * cli_threads settles how many threads OpenMP may use before it starts one.
 * cli_end checks that standard output took the result. After a stop, and under a limit of the
 * address space, it ends the process without exit handlers: threads of libraries may still run, or
 * wait for memory. */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STOPPED = 128 };

/* A descriptor that is closed would be given to the next file that is opened, and messages written into a result. It is held by one
 * that cannot be used in its direction: writing fails as before. */
static void hold_descriptors(void)
{
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
      _exit(HK_INTERNAL);
}

void cli_begin(void)
{
  hold_descriptors();
  signal(SIGXFSZ,
         SIG_IGN); /* a file beyond `ulimit -f` is an error of the write, as a full disk is */
}

static void *wait_for_end(void *end)
{
  pthread_mutex_lock(end);
  pthread_mutex_unlock(end);
  return NULL;
}

/* OpenMP's library ends the process where it cannot start a thread. So as many are started here at once, and OpenMP starts its own
 * while their room is known to be there. */
void cli_threads(int wanted)
{
  enum { MOST = 1024 };
  pthread_t started[MOST];
  pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
  int count = 0;
  if (!wanted) wanted = omp_get_max_threads();
  pthread_mutex_lock(&end);
  while (count + 1 < wanted && count < MOST &&
         !pthread_create(&started[count], NULL, wait_for_end, &end))
    count++;
  pthread_mutex_unlock(&end);
  for (int k = 0; k < count; k++) pthread_join(started[k], NULL);
  omp_set_num_threads(count + 1);
#pragma omp parallel
  {
  }
}

/* Then threads of libraries may wait for memory that never comes, and exit() for them. After a stop, too, a library may go on in a thread:
 * what it uses must stay till the end. */
static bool memory_is_limited(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int cli_end(int code)
{
  bool written = !ferror(stdout);
  if (fclose(stdout) != 0) written = false;
  if (!written) {
    fprintf(stderr, "hooke: error: the result could not be written to standard output: %s\n",
            strerror(errno));
    if (code == HK_OK) code = HK_NOT_WRITABLE;
  }
  if (code > STOPPED || memory_is_limited()) {
    fflush(stderr);
    _exit(code);
  }
  return code;
}
