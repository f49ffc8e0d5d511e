/* Any bytes as a table of a signal: read, with a value at all times, or refused in words. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "load/signal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const double time[] = {-1, 0, 0.3, 1e30};
  char path[64];
  hk_signal signal = {0};
  const int fd = memfd_create("signal", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const hk_status status = hk_signal_read_csv(path, 1e-6, &signal);
  assert(status == HK_OK || (status == HK_BAD_INPUT && hk_error()[0]));
  for (int i = 0; status == HK_OK && i < 4; i++)
    assert(isfinite(hk_signal_value(&signal, time[i])));
  hk_signal_clear(&signal);
  assert(hk_memory_held() == 0);
  close(fd);
  return 0;
}
