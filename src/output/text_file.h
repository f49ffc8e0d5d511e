/* Small text files that are either the old or the new one, never half of it. */
#ifndef HK_OUTPUT_TEXT_FILE_H
#define HK_OUTPUT_TEXT_FILE_H
#include "base/base.h"
#include <stdio.h>

/* Writes text beside `path`, syncs it and renames it to `path`. HK_NOT_WRITABLE with the system's
 * words. */
hk_status hk_write_text_file(const char *path, const char *text);
/* The same for any bytes, left to the system to bring to disk. */
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

/* value with `digits` significant digits and a point whatever the locale: text[32]. */
const char *hk_number_text(char *text, int digits, double value);
/* Makes the folder if it is not there. */
hk_status hk_make_folder(const char *path);
#endif
