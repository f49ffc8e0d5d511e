/* Lines of a text file, plain or gzip-compressed, streamed through one buffer.
 * CRLF, CR at the end and a byte-order mark are removed; a line of any length is returned whole. */
#pragma once
#include "base/base.h"

typedef struct hk_source hk_source;

/* HK_BAD_INPUT when the file cannot be opened or is a folder. */
hk_status hk_source_open(const char *path, hk_source **out);
void hk_source_close(hk_source **source);

/* *line = the next line, NUL-terminated, without its end; valid until the next call; NULL at the
 * end of the file. *length = its length. HK_BAD_INPUT on a read error or a damaged gzip stream. */
hk_status hk_source_line(hk_source *source, char **line, size_t *length);

/* Reads `size` raw bytes from the place after the last line (binary sections). HK_BAD_INPUT when
 * fewer are left. */
hk_status hk_source_bytes(hk_source *source, void *to, size_t size);

/* *text[*length] = the whole lines at hand, as they stand in the file, behind the last line that was returned; valid until the next call.
 * *length = 0 where there is none: the last line of the file, without an end, is left to hk_source_line. */
hk_status hk_source_peek(hk_source *source, const char **text, size_t *length);
/* *bytes[*length] = the bytes at hand behind what was read, at least `least` of them but where the file ends before; valid until the next call. */
hk_status hk_source_peek_bytes(hk_source *source, hk_count least, const char **bytes,
                               hk_count *length);
/* Passes over `length` bytes of either, which end `lines` lines. */
void hk_source_pass(hk_source *source, size_t length, hk_count lines);

hk_count hk_source_line_number(const hk_source *source); /* of the last line returned, 1-based */
const char *hk_source_path(const hk_source *source);
/* Bytes of the file on disk (compressed size for gzip, times 1032 = most bytes it can hold): bounds
 * what a header may claim. */
hk_count hk_source_size(const hk_source *source);
