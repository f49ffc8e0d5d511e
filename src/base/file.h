/* Files that are either the old or the new one, never half of it. */
#pragma once
#include "base/base.h"
#include <stdio.h>

/* *fd: the plain file at `path`, open for reading; a folder, a pipe or a device is HK_BAD_INPUT, and is not waited for. */
hk_status hk_open_input(const char *path, int *fd);
/* The same as a stream. */
hk_status hk_open_input_stream(const char *path, FILE **file);
/* *fd: the plain file at `path`, open for reading and writing with these flags of open() beside; never one that a symbolic link of
 * that name leads to, nor one in place of a standard descriptor that is closed. HK_NOT_WRITABLE. */
hk_status hk_open_output(const char *path, int flags, int *fd);

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
/* Writes text beside `path`, syncs it and renames it to `path`. HK_NOT_WRITABLE with the system's
 * words. */
hk_status hk_write_text_file(const char *path, const char *text);

/* Files of this size in bytes and above are deleted by a thread of their own. */
enum { HK_LARGE_FILE = 16 << 20 };
/* Deletes the file at `path` if there is one. The system takes as long to drop the pages of a large file as to write them: a thread does that, and the
 * name is free at once. False where it cannot be deleted (errno). */
bool hk_file_delete(const char *path);
/* Closes fd. If its file is large and has been deleted, a thread closes it, as that frees the disk and takes long. */
void hk_file_let_go(int fd);
/* How many large files threads have deleted so far. A writer asks for it before it writes; where that fails, hk_disk_freed looks at errno and, if the
 * disk or the quota is full, waits for the deletions under way. True: some ended since *deleted, which is brought up to date: write again. */
hk_count hk_files_deleted(void);
bool hk_disk_freed(hk_count *deleted);

/* value with `digits` significant digits and a point whatever the locale: text[32]. */
const char *hk_number_text(char *text, int digits, double value);
/* Makes the folder, and those it lies in, where they are not there. HK_NOT_WRITABLE names the one that cannot be made. */
hk_status hk_make_folder(const char *path);
/* The folder that this library lies in, with its last '/': path[size]; false where the system does not tell. */
bool hk_library_folder(char *path, size_t size);
/* The library's own file. */
bool hk_library_file(char *path, size_t size);
