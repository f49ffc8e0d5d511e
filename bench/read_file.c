/* Measures the time to read a mesh or deck: "read_file FILE".
 * The file is read three times; the best time and the counts of the mesh are printed as one JSON
 * object. bench/run.py compares it with `wc` on the same file. */
#include <hooke/mesh.h>
#include "base/base.h"
#include <stdio.h>

int main(int count, char **word)
{
  hk_mesh *mesh = NULL;
  double best = 1e30;
  if (count != 2) {
    fprintf(stderr, "usage: read_file FILE\n");
    return HK_USAGE;
  }
  for (int run = 0; run < 3; run++) {
    hk_mesh_destroy(&mesh);
    const double start = hk_seconds();
    const hk_status status = hk_mesh_read(word[1], NULL, &mesh);
    if (status != HK_OK) {
      fprintf(stderr, "%s\n", hk_error());
      return (int)status;
    }
    const double time = hk_seconds() - start;
    if (time < best) best = time;
  }
  printf("{\"nodes\": %lld, \"elements\": %lld, \"seconds\": %.6f}\n", (long long)mesh->node_count,
         (long long)mesh->element_count, best);
  hk_mesh_destroy(&mesh);
  return HK_OK;
}
