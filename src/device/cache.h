/* Compiled kernels kept as files between runs, and those that hooke was installed with. A file that is broken, or cannot be read or written, is
 * as good as none. */
#pragma once
#include "device/device.h"

/* Of everything that matters: what (device, compiler, their versions) and the source. */
typedef struct hk_cache_key {
  uint64_t word[2];
} hk_cache_key;

hk_cache_key hk_cache_key_of(const char *what, const char *source);
/* *data[*size], owned by the caller (hk_free); false where folder (may be NULL) holds none. */
bool hk_cache_read(const char *folder, hk_cache_key key, char **data, hk_count *size);
/* The same out of a folder that was installed: it belongs to root, to the user, or to the owner of this library, and nobody may write it who may
 * not write the library too. */
bool hk_cache_read_installed(const char *folder, hk_cache_key key, char **data, hk_count *size);
/* The folder that a device was opened with; NULL: none. */
const char *hk_device_cache(const hk_device *device);
/* Makes the folder if its parent is there; another process never sees half a file. */
void hk_cache_write(const char *folder, hk_cache_key key, const char *data, hk_count size);
