/* Finds and opens the plug-in of an implementation of MPI: libhooke-mpi-NAME.so beside libhooke, in the folder hooke/ there, or where the system
 * looks for libraries. Open MPI opens parts of its own that need its symbols: they are made known to all. */
#include "base/file.h"
#include "link/ranks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct opened {
  int how; /* of dlopen */
  void *library;
  char path[1024];
} opened;

static bool open_path(opened *o, const char *words, int length, const char *name)
{
  snprintf(o->path, sizeof o->path, "%.*s%s", length, words, name);
  o->library = dlopen(o->path, o->how);
  return o->library != NULL;
}

/* why[size]: of the file that is there but cannot be opened, or of the last that was tried. */
static bool open_plugin(const char *mpi, opened *o, char *why, size_t size)
{
  char name[64];
  char beside[512];
  const bool known = hk_library_folder(beside, sizeof beside);
  why[0] = 0;
  if (strchr(mpi, '/')) {
    const bool there = open_path(o, "", 0, mpi);
    if (!there) snprintf(why, size, "%s", dlerror());
    return there;
  }
  const char *const in[] = {"", "hooke/"};
  for (int k = 0; known && k < 2; k++) {
    snprintf(name, sizeof name, "%slibhooke-mpi-%.20s.so", in[k], mpi);
    if (open_path(o, beside, (int)strlen(beside), name)) return true;
    const bool there = access(o->path, F_OK) == 0;
    if (k == 0 || there) snprintf(why, size, "%s", dlerror());
    if (there) return false; /* its MPI is not */
  }
  snprintf(name, sizeof name, "libhooke-mpi-%.20s.so", mpi);
  if (open_path(o, "", 0, name)) return true;
  if (!why[0]) snprintf(why, size, "%s", dlerror());
  return false;
}

bool hk_ranks_find(const char *mpi, char *path, size_t size)
{
  opened o = {.how =
                  RTLD_LAZY | RTLD_LOCAL}; /* several may be looked for: their names are the same */
  if (!open_plugin(mpi, &o, path, size)) return false;
  snprintf(path, size, "%s", o.path);
  dlclose(o.library);
  return true;
}

hk_status hk_ranks_begin(const char *mpi, double patience)
{
  opened o = {.how = RTLD_NOW | RTLD_GLOBAL};
  char why[512] = "";
  HK_NEED(!hk_ranks_now(), HK_USAGE, "MPI was begun before");
  HK_NEED(open_plugin(mpi, &o, why, sizeof why), HK_USAGE,
          "MPI %s: no plug-in of hooke for it can be opened (%s): install hooke-mpi, or name one "
          "by HOOKE_MPI (openmpi, mpich, or a path)",
          mpi, why);
  const hk_mpi *table = dlsym(o.library, "hk_mpi_plugin");
  HK_NEED(table && table->version == HK_MPI_VERSION, HK_USAGE,
          "%s: is not a plug-in of this version of hooke", o.path);
  return hk_ranks_open(table, patience);
}
