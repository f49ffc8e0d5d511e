/* Any bytes as a .vtu file: hk_mesh_read_vtu gives a mesh or refuses in words. */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "input/mesh/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  hk_mesh *mesh = NULL;
  const int fd = memfd_create("vtu", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const hk_status status = hk_mesh_read_vtu(path, NULL, &mesh);
  assert((status == HK_OK) == (mesh != NULL));
  assert(status == HK_OK || hk_error()[0]);
  hk_mesh_destroy(&mesh);
  assert(hk_memory_held() == 0);
  close(fd);
  return 0;
}
