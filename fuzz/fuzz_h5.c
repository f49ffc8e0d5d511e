/* Any bytes as an HDF5 file: as a mesh, as a result, as a checkpoint it is read or refused in words. The signature is put right first, or
 * little but that would ever be read. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "input/mesh/read.h"
#include "result/restart/checkpoint.h"
#include "result/result.h"

enum { SIGNATURE = 8, MOST = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(hk_status status, bool made)
{
  assert((status == HK_OK) == made);
  assert(status == HK_OK || hk_error()[0]);
}

static void try_values(hk_result *r)
{
  static double value[MOST];
  char *text = NULL;
  for (int i = 0; i < r->count; i++) {
    const hk_result_trace *t = &r->trace[i];
    if (t->samples < 0 || t->count < 0 || t->samples > MOST || t->samples * t->count > MOST)
      continue;
    hk_result_time(r, i, value);
    if (t->rows > 0) hk_result_values(r, i, 0, 1, value);
    if (t->receivers > 0 && hk_result_receiver(r, i, 0, &text) == HK_OK) hk_free(&text);
  }
  if (r->energies > 0 && r->energies <= MOST) hk_result_energy(r, "kinetic", 0, value);
}

static void try_file(const char *path)
{
  hk_mesh *mesh = NULL;
  hk_result *result = NULL;
  hk_checkpoint head;
  char *state = NULL;
  hk_status status = hk_mesh_read_vtkhdf(path, NULL, &mesh);
  judge(status, mesh != NULL);
  status = hk_result_open(path, &result);
  judge(status, result != NULL);
  if (result) try_values(result);
  status = hk_checkpoint_read(path, &head, &state);
  judge(status, state != NULL);
  hk_free(&state);
  hk_result_close(&result);
  hk_mesh_destroy(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  const int fd = memfd_create("h5", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) return 0;
  if (size > SIGNATURE && pwrite(fd, "\x89HDF\r\n\x1a\n", SIGNATURE, 0) != SIGNATURE) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  hk_memory_limit(256 << 20); /* far above what a few kilobytes need */
  try_file(path);
  assert(hk_memory_held() == 0);
  close(fd);
  return 0;
}
