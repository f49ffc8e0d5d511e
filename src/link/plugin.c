/* Finds and opens plug-ins (plugin.h), and among them that of an implementation of MPI. Open MPI opens parts of its own that need its symbols: they are
 * made known to all. */
#include "link/plugin.h"
#include "base/file.h"
#include "link/ranks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool open_path(hk_plugin *p, bool global, const char *words, int length, const char *name)
{
  snprintf(p->path, sizeof p->path, "%.*s%s", length, words, name);
  p->library = dlopen(p->path, global ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
  return p->library != NULL;
}

bool hk_plugin_open(const char *name, bool global, hk_plugin *plugin, char *why, size_t size)
{
  char file[64];
  char beside[512];
  const bool known = hk_library_folder(beside, sizeof beside);
  why[0] = 0;
  if (strchr(name, '/')) {
    const bool there = open_path(plugin, global, "", 0, name);
    if (!there) snprintf(why, size, "%s", dlerror());
    return there;
  }
  const char *const in[] = {"", "hooke/"};
  for (int k = 0; known && k < 2; k++) {
    snprintf(file, sizeof file, "%slibhooke-%.24s.so", in[k], name);
    if (open_path(plugin, global, beside, (int)strlen(beside), file)) return true;
    const bool there = access(plugin->path, F_OK) == 0;
    if (k == 0 || there) snprintf(why, size, "%s", dlerror());
    if (there) return false; /* what it links is not */
  }
  snprintf(file, sizeof file, "libhooke-%.24s.so", name);
  if (open_path(plugin, global, "", 0, file)) return true;
  if (!why[0]) snprintf(why, size, "%s", dlerror());
  return false;
}

/* "openmpi" is mpi-openmpi. */
static bool open_mpi(const char *mpi, bool global, hk_plugin *p, char *why, size_t size)
{
  char name[32];
  if (strchr(mpi, '/')) return hk_plugin_open(mpi, global, p, why, size);
  snprintf(name, sizeof name, "mpi-%.20s", mpi);
  return hk_plugin_open(name, global, p, why, size);
}

bool hk_ranks_find(const char *mpi, char *path, size_t size)
{
  hk_plugin p = {0}; /* not global: several may be looked for, and their names are the same */
  if (!open_mpi(mpi, false, &p, path, size)) return false;
  snprintf(path, size, "%s", p.path);
  dlclose(p.library);
  return true;
}

hk_status hk_ranks_begin(const char *mpi, double patience)
{
  hk_plugin p = {0};
  char why[512] = "";
  HK_NEED(!hk_ranks_now(), HK_USAGE, "MPI was begun before");
  HK_NEED(open_mpi(mpi, true, &p, why, sizeof why), HK_USAGE,
          "MPI %s: no plug-in of hooke for it can be opened (%s): install hooke-mpi, or name one "
          "by HOOKE_MPI (openmpi, mpich, or a path)",
          mpi, why);
  const hk_mpi *table = dlsym(p.library, "hk_mpi_plugin");
  HK_NEED(table && table->version == HK_MPI_VERSION, HK_USAGE,
          "%s: is not a plug-in of this version of hooke", p.path);
  return hk_ranks_open(table, patience);
}
