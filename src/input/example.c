/* The examples of `hooke new`: writes the text of one (example_text.c) into a folder, never over an existing file. The
 * example "weld" also writes its mesh file: a grid of quadrilaterals whose lines are moved to follow the flanks of the
 * weld, with the element sets plate and weld. */
#include <hooke/example.h>
#include "mesh/mesh.h"
#include "input/example_text.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const hk_example example[] = {
    {"plate", "2D triangles, a toneburst at a point, traces, frames, an absorbing boundary"},
    {"block", "3D hexahedra, a pressure pulse on a face"},
    {"weld", "2D mesh file with two regions, one of them anisotropic, sources with delays"},
    {"bracket", "3D hexahedra, a static solution: clamped, pressed and under its own weight"},
    {"plume",
     "3D hexahedra, steady heat conduction: a flux, a film, a source that a formula gives"}};
static const char *const text[] = {hk_example_plate, hk_example_block, hk_example_weld,
                                   hk_example_bracket, hk_example_plume};
enum { EXAMPLES = sizeof example / sizeof *example };

const hk_example *hk_example_list(int *count)
{
  *count = EXAMPLES;
  return example;
}

/*     -20   -h(y)  h(y)   20
 *  10  +------\------/------+
 *      | plate \weld/ plate |      h(y) = 1.5 + 0.29 y: grid lines follow the flanks
 *   0  +--------\--/--------+                                                        */
static hk_status make_weld(hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_index *item[2] = {NULL, NULL};
  hk_count count[2] = {0, 0};
  const hk_mesh_grid grid = {
      .dim = 2, .from = {-20, 0}, .to = {20, 10}, .cells = {160, 40}, .shape = HK_QUAD4};
  const double flank = 3;
  HK_TRY(hk_mesh_create_grid(&grid, &mesh));
  for (int i = 0; i < 2; i++) HK_TRY(hk_get(&item[i], mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    double x = 0;
    for (int n = 0; n < 4; n++) x += mesh->x[2 * hk_mesh_nodes_of(mesh, e)[n]] / 4;
    const int in_weld = fabs(x) < flank;
    item[in_weld][count[in_weld]++] = (hk_index)e;
  }
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double *x = mesh->x + 2 * n;
    const double h = 1.5 + 0.29 * x[1], far = fabs(x[0]);
    const double at = far <= flank ? far * h / flank : h + (far - flank) * (20 - h) / (20 - flank);
    x[0] = copysign(at, x[0]);
  }
  HK_TRY(hk_mesh_add_set(mesh, "plate", HK_ELEMENT_SET, count[0], &item[0], NULL));
  HK_TRY(hk_mesh_add_set(mesh, "weld", HK_ELEMENT_SET, count[1], &item[1], NULL));
  *out = mesh, mesh = NULL;
cleanup:
  hk_free(&item[0]);
  hk_free(&item[1]);
  hk_mesh_destroy(&mesh);
  return status;
}

static hk_status write_weld_mesh(const char *folder)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  char *path = NULL;
  HK_TRY(hk_format(&path, "%s/weld.msh", folder));
  HK_CHECK(access(path, F_OK) != 0, HK_NOT_WRITABLE, "%s: already exists: remove it", path);
  HK_TRY(make_weld(&mesh));
  HK_TRY(hk_mesh_write(mesh, path));
cleanup:
  hk_mesh_destroy(&mesh);
  hk_free(&path);
  return status;
}

static hk_status write_text(const char *path, const char *words)
{
  const size_t length = strlen(words);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  HK_NEED(file >= 0, HK_NOT_WRITABLE, "%s: %s", path,
          errno == EEXIST ? "already exists: remove it or name another folder" : strerror(errno));
  const bool whole = write(file, words, length) == (ssize_t)length;
  HK_NEED(close(file) == 0 && whole, HK_NOT_WRITABLE, "%s: cannot be written", path);
  return HK_OK;
}

static hk_status unknown(const char *name)
{
  const char *names[EXAMPLES];
  char all[128];
  size_t used = 0;
  for (int i = 0; i < EXAMPLES; i++) names[i] = example[i].name;
  const int near = hk_nearest(name, names, EXAMPLES);
  if (near >= 0)
    return hk_error_set(HK_USAGE, "no example \"%s\": did you mean \"%s\"?", name, names[near]);
  for (int i = 0; i < EXAMPLES && used < sizeof all; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
  return hk_error_set(HK_USAGE, "no example \"%s\": there are %s", name, all);
}

hk_status hk_example_write(const char *name, const char *folder, char **written)
{
  hk_status status = HK_OK;
  char *path = NULL;
  int i = 0;
  if (!folder || !*folder) folder = ".";
  while (i < EXAMPLES && strcmp(example[i].name, name) != 0) i++;
  if (i == EXAMPLES) return unknown(name);
  HK_TRY(hk_make_folder(folder));
  HK_TRY(hk_format(&path, "%s/%s.yaml", folder, name));
  HK_CHECK(access(path, F_OK) != 0, HK_NOT_WRITABLE,
           "%s: already exists: remove it or name another folder", path);
  if (strcmp(name, "weld") == 0) HK_TRY(write_weld_mesh(folder));
  HK_TRY(write_text(path, text[i]));
  if (written) *written = path, path = NULL;
cleanup:
  hk_free(&path);
  return status;
}
