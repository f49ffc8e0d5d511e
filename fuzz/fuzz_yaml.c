/* Case files: any bytes give a model or HK_BAD_INPUT, never a fault. */
#include "input/case/case.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char path[64];
  hk_model *model = NULL;
  if (!*path) {
    snprintf(path, sizeof path, "/tmp/fuzz_yaml.%d.yaml", (int)getpid());
    hk_memory_limit(8 << 20); /* a few letters may ask for a mesh of any size */
  }
  FILE *file = fopen(path, "wb");
  if (!file) return 0;
  const bool whole = fwrite(data, 1, size, file) == size;
  if (fclose(file) != 0 || !whole) return 0;
  const hk_status status = hk_case_read(&(hk_model_desc){.path = path}, NULL, &model);
  if (status != HK_OK && status != HK_BAD_INPUT && status != HK_NO_RESOURCES) abort();
  if ((status == HK_OK) != (model != NULL)) abort();
  hk_model_destroy(&model);
  if (hk_memory_held() != 0) abort();
  unlink(path);
  return 0;
}
