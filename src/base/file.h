/* Files that are either the old or the new one, never half of it. */
#ifndef HK_BASE_FILE_H
#define HK_BASE_FILE_H
#include "base/base.h"
#include <stdio.h>

/* Writes any bytes beside `path` and renames that to `path`; left to the system to bring to disk.
 * HK_NOT_WRITABLE with the system's words. */
hk_status hk_write_file(const char *path, const void *data, size_t size);
/* As a stream: *file is open for writing beside `path`; hk_stream_end renames it (status
 * so far HK_OK; after a sync if `synced`) or removes it, closes and frees. */
typedef struct hk_stream {
  FILE *file;
  char *path, *beside;
  bool synced;
} hk_stream;
hk_status hk_stream_begin(const char *path, hk_stream *out);
hk_status hk_stream_end(hk_stream *stream, hk_status status);
#endif
