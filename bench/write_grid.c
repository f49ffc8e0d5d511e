/* Writes a mesh of CELLS x CELLS squares, each cut into two triangles, as a deck: "write_grid CELLS
 * FILE".
 * bench/run.py reads it with read_file to measure the speed of the reader. */
#include "mesh/mesh.h"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word)
{
  hk_mesh *mesh = NULL;
  if (count != 3) {
    fprintf(stderr, "usage: write_grid CELLS FILE\n");
    return HK_USAGE;
  }
  const hk_count cells = atoll(word[1]);
  const hk_mesh_grid grid = {.dim = 2,
                             .to = {1, 1},
                             .cells = {cells, cells},
                             .shape = HK_TRI3,
                             .jitter = 0.2,
                             .shuffle = 1};
  hk_status status = hk_mesh_create_grid(&grid, &mesh);
  if (status == HK_OK) status = hk_mesh_write(mesh, word[2]);
  if (status != HK_OK) fprintf(stderr, "%s\n", hk_error());
  hk_mesh_destroy(&mesh);
  return (int)status;
}
