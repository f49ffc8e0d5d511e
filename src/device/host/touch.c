/* First touch. OpenMP's threads write the pages: where OMP_PROC_BIND binds them, thread k of the device runs on the same processors
 * (device/host/threads.h), and else the pages are spread over the sockets at least. On a machine with one node of memory, and for small buffers,
 * pages are left to whoever writes first. */
#include "device/host/touch.h"
#include <stdio.h>
#include <string.h>

enum { PAGE = 4096, LARGE = 4 << 20 };
enum nodes { UNKNOWN, ONE, SEVERAL };

void hk_touch(void *memory, hk_count bytes, int threads)
{
  volatile char *byte = memory;
  const hk_count pages = (bytes + PAGE - 1) / PAGE;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (hk_count k = 0; k < pages; k++) byte[k * PAGE] = 0;
}

bool hk_touch_several(const char *list)
{
  return strpbrk(list, "-,") != NULL;
}

static enum nodes count_nodes(void)
{
  char list[256] = "";
  FILE *file = fopen(HK_NODES_FILE, "r");
  const bool read = file && fgets(list, sizeof list, file);
  if (file) fclose(file);
  return read && hk_touch_several(list) ? SEVERAL : ONE;
}

void hk_touch_new(void *memory, hk_count bytes, int threads)
{
  static _Atomic int nodes = UNKNOWN;
  if (bytes < LARGE) return;
  if (nodes == UNKNOWN) nodes = count_nodes();
  if (nodes == SEVERAL) hk_touch(memory, bytes, threads);
}
