/* The list of writers of mesh files, by the ending of the name: .msh, .inp, .vtu, .vtkhdf. Elements of order p (Gauss-Lobatto points) are
 * refused, as none of these formats has them.
 * A new format is a line here and a file with its writer. */
#include <string.h>
#include "element/element.h"
#include "mesh/format/format.h"

static const struct {
  const char *ending;
  hk_status (*write)(const hk_mesh *mesh, const char *path);
} writers[] = {{".msh", hk_mesh_write_msh},
               {".inp", hk_mesh_write_inp},
               {".vtu", hk_mesh_write_vtu},
               {".vtkhdf", hk_mesh_write_vtkhdf}};

hk_status hk_mesh_write(const hk_mesh *mesh, const char *path)
{
  const char *ending = strrchr(path, '.');
  for (int b = 0; b < mesh->block_count; b++)
    if (!hk_shape_listed(mesh->block[b].shape))
      return hk_error_set(HK_BAD_INPUT,
                          "%s: mesh files hold no elements of order p (%s): write the mesh of "
                          "which the case made them",
                          path, hk_shape_name(mesh->block[b].shape));
  for (size_t i = 0; ending && i < sizeof writers / sizeof *writers; i++)
    if (hk_same_text(ending, writers[i].ending)) return writers[i].write(mesh, path);
  return hk_error_set(
      HK_USAGE, "%s: unknown extension of a mesh file: use .msh, .inp, .vtu or .vtkhdf", path);
}
