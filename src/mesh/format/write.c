/* Which format is written is seen from the name's ending. */
#include <string.h>
#include "mesh/format/format.h"

static const struct {
  const char *ending;
  hk_status (*write)(const hk_mesh *mesh, const char *path);
} writers[] = {{".msh", hk_msh_write},
               {".inp", hk_inp_write},
               {".vtu", hk_vtu_write},
               {".vtkhdf", hk_vtkhdf_write}};

hk_status hk_mesh_write(const hk_mesh *mesh, const char *path)
{
  const char *ending = strrchr(path, '.');
  for (size_t i = 0; ending && i < sizeof writers / sizeof *writers; i++)
    if (hk_same_text(ending, writers[i].ending)) return writers[i].write(mesh, path);
  return hk_error_set(HK_USAGE,
                      "%s: the ending names no mesh format: use .msh, .inp, .vtu or .vtkhdf", path);
}
