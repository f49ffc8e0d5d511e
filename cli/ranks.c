/* Ranks of MPI: which launcher started this process, from what it says in the environment, and so which plug-in is opened. HOOKE_MPI names another
 * one (openmpi, mpich, a path), or none. Ranks but the first write to /dev/null: what they say, all say. */
#include "cli.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int spoken = -1; /* standard error of a rank that is silent; -1: it is not */

static bool several(const char *variable)
{
  const char *count = getenv(variable);
  return count && atoi(count) > 1;
}

/* mpirun of Open MPI sets its own, that of MPICH PMI_SIZE. Slurm's srun sets PMIX_RANK with --mpi=pmix, and PMI_SIZE with --mpi=pmi2. */
static const char *find_mpi(void)
{
  const char *named = getenv("HOOKE_MPI");
  if (named && !strcmp(named, "none")) return NULL;
  if (named && *named) return named;
  if (getenv("OMPI_COMM_WORLD_SIZE")) return several("OMPI_COMM_WORLD_SIZE") ? "openmpi" : NULL;
  if (getenv("PMI_SIZE")) return several("PMI_SIZE") ? "mpich" : NULL;
  return getenv("PMIX_RANK") ? "openmpi" : NULL;
}

static void be_silent(void)
{
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout), fflush(stderr);
  spoken = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

hk_status cli_ranks_begin(void)
{
  const char *mpi = find_mpi(), *patience = getenv("HOOKE_MPI_PATIENCE");
  if (!mpi) return HK_OK;
  const hk_status status = hk_ranks_begin(mpi, patience ? atof(patience) : 0);
  if (status == HK_OK && hk_ranks_rank() > 0) be_silent();
  return status;
}

void cli_ranks_speak(void)
{
  if (spoken >= 0) dup2(spoken, STDERR_FILENO);
}

int cli_ranks_end(int code)
{
  return hk_ranks_end(code);
}
