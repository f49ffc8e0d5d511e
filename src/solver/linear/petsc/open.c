/* Opens the plug-in of PETSc. Its symbols stay its own: MUMPS is in the process in another kind too (factor_mumps.c), whose MPI is a stub. */
#include "link/plugin.h"
#include "solver/linear/list.h"
#include "solver/linear/petsc/petsc.h"
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* OpenBLAS, which PETSc calls, tries again for ever where it gets no memory for its buffers (factor_open.c). */
static const hk_count ROOM = 512LL << 20;

static const hk_petsc *table; /* NULL: not opened, or not there */

/* The name of the plug-in says which MPI it takes: libraries of two kinds in a process end it. */
static bool open_of(const char *mpi, char *why, size_t size)
{
  char name[32];
  hk_plugin p = {0};
  snprintf(name, sizeof name, "petsc-%.16s", mpi);
  if (!hk_plugin_open(name, false, &p, why, size)) return false;
  const hk_petsc *own = dlsym(p.library, "hk_petsc_plugin");
  if (own && own->version == HK_PETSC_VERSION)
    table = own;
  else
    snprintf(why, size, "%s is not a plug-in of this version of hooke", p.path);
  return table != NULL;
}

/* mpi: of the ranks; NULL: there are none, and any serves. why: of the first that was tried. */
static const hk_petsc *load(const char *mpi, char *why, size_t size)
{
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  char other[512];
  pthread_mutex_lock(&once);
  if (!table && !open_of(mpi ? mpi : "openmpi", why, size) && !mpi)
    open_of("mpich", other, sizeof other);
  pthread_mutex_unlock(&once);
  return table;
}

bool hk_petsc_find(char *text, size_t size)
{
  char name[64];
  const hk_petsc *petsc = load(NULL, text, size);
  if (!petsc) return false;
  petsc->name(name, sizeof name);
  snprintf(text, size, "%s%s%s%s", name, petsc->mpi[0] ? " (" : "", petsc->mpi,
           petsc->mpi[0] ? ")" : "");
  return true;
}

/* PETSc ends before MPI does. */
static void close_petsc(void)
{
  if (table) table->close();
}

static hk_status find_table(const hk_ranks *ranks, const hk_petsc **petsc)
{
  char why[512] = "";
  const char *library = ranks ? ranks->place.library : NULL,
             *mpi = !ranks                             ? NULL
                    : !strncmp(library, "Open MPI", 8) ? "openmpi"
                                                       : "mpich";
  HK_NEED(table || hk_memory_available() >= ROOM, HK_NO_RESOURCES,
          "method petsc: PETSc and its libraries need %lld MB, and %lld MB are free",
          (long long)(ROOM >> 20), (long long)(hk_memory_available() >> 20));
  *petsc = load(mpi, why, sizeof why);
  HK_NEED(*petsc || !ranks, HK_USAGE,
          "method petsc: the ranks are of %s, and hooke has no plug-in for a PETSc that is "
          "compiled with "
          "it (%s): start them by the mpirun of PETSc's own MPI, in Debian Open MPI's",
          library, why);
  HK_NEED(*petsc, HK_USAGE,
          "method petsc: hooke's plug-in for PETSc cannot be opened (%s): install hooke-petsc, or "
          "libpetsc-real-dev and libopenmpi-dev before hooke is built, or give method: cg",
          why);
  return HK_OK;
}

hk_status hk_petsc_open(const hk_petsc **out)
{
  const hk_petsc *petsc = NULL;
  hk_ranks *ranks = hk_ranks_now();
  HK_PASS(find_table(ranks, &petsc));
  if (ranks) ranks->closing = close_petsc;
  const int kind = petsc->open(ranks != NULL);
  if (kind) return hk_petsc_fail(petsc, kind, "");
  *out = petsc;
  return HK_OK;
}

hk_status hk_petsc_ready(void)
{
  const hk_petsc *petsc;
  return hk_petsc_open(&petsc);
}

/* As PETSc tells names from values, which may be negative numbers. */
static bool is_name(const char *word)
{
  return word[0] == '-' && (isalpha((unsigned char)word[1]) || word[1] == '-');
}

hk_status hk_petsc_check_options(const char *options)
{
  static const char blank[] = " \t\n";
  bool may_be_value = false;
  for (const char *word = options + strspn(options, blank); *word;) {
    const int length = (int)strcspn(word, blank);
    HK_NEED(
        is_name(word) || may_be_value, HK_BAD_INPUT,
        "options of PETSc: %.*s is neither an option nor the value of one: give -name value -name "
        "...",
        length > 60 ? 60 : length, word);
    may_be_value = is_name(word);
    word += length;
    word += strspn(word, blank);
  }
  HK_NEED(strlen(options) < HK_PETSC_OPTIONS, HK_BAD_INPUT,
          "options of PETSc: give at most %d characters", HK_PETSC_OPTIONS - 1);
  return HK_OK;
}

hk_status hk_petsc_fail(const hk_petsc *petsc, int kind, const char *options)
{
  const char *words = petsc->words();
  switch (kind) {
  case HK_PETSC_BAD_OPTIONS:
    return hk_error_set(HK_BAD_INPUT, "options of PETSc (%.200s): %s", options, words);
  case HK_PETSC_NO_MEMORY: return hk_error_set(HK_NO_RESOURCES, "PETSc: %s", words);
  case HK_PETSC_UNSOLVED:
    return hk_error_set(HK_NOT_CONVERGED, "PETSc finds no solution: %s", words);
  default: return hk_error_set(HK_NO_RESOURCES, "PETSc fails: %s", words);
  }
}
