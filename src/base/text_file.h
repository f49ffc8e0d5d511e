/* Small text files that are either the old or the new one, never half of it. */
#ifndef HK_BASE_TEXT_FILE_H
#define HK_BASE_TEXT_FILE_H
#include "base/file.h"

/* Writes text beside `path`, syncs it and renames it to `path`. HK_NOT_WRITABLE with the system's
 * words. */
hk_status hk_write_text_file(const char *path, const char *text);

/* value with `digits` significant digits and a point whatever the locale: text[32]. */
const char *hk_number_text(char *text, int digits, double value);
/* Makes the folder, and those it lies in, where they are not there. HK_NOT_WRITABLE names the one that cannot be made. */
hk_status hk_make_folder(const char *path);
#endif
