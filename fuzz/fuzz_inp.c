/* Decks: any bytes give a model (and a mesh) or HK_BAD_INPUT, never a fault. */
#include <hooke/mesh.h>
#include "input/deck/deck.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(hk_status status, bool made)
{
  if (status != HK_OK && status != HK_BAD_INPUT && status != HK_NO_RESOURCES) abort();
  if ((status == HK_OK) != made) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  hk_model *model = NULL;
  hk_mesh *mesh = NULL;
  const int file = memfd_create("deck", 0);
  if (file < 0) return 0;
  if (write(file, data, size) == (ssize_t)size) {
    hk_memory_limit(64 << 20); /* far above what a few kilobytes need */
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hk_status status = hk_deck_read(path, NULL, NULL, &model);
    judge(status, model != NULL);
    if (status == HK_NO_RESOURCES) abort();
    status = hk_mesh_read(path, NULL, &mesh);
    judge(status, mesh != NULL);
  }
  hk_model_destroy(&model);
  hk_mesh_destroy(&mesh);
  close(file);
  if (hk_memory_held() != 0) abort();
  return 0;
}
