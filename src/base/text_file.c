/* Writes small text files as a whole (beside the old file, synced, renamed) and creates folders
 * with their parents.
 * hk_number_text prints a number with a decimal point, whatever the locale. */
#include "base/text_file.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

hk_status hk_write_text_file(const char *path, const char *text)
{
  hk_stream stream = {0};
  const hk_status status = hk_stream_begin(path, &stream);
  stream.synced = true;
  if (status == HK_OK) fwrite(text, 1, strlen(text), stream.file);
  return hk_stream_end(&stream, status);
}

const char *hk_number_text(char *text, int digits, double value)
{
  snprintf(text, 32, "%.*g", digits, value);
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  return text;
}

/* part: the path, or a folder on the way to it */
static hk_status make_one(const char *path, const char *part)
{
  struct stat info;
  if (mkdir(part, 0777) == 0) return HK_OK;
  const int failed = errno;
  const bool there = stat(part, &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE, "%s: the folder cannot be made: %s%s%s", path,
                      strcmp(part, path) ? part : "", strcmp(part, path) ? ": " : "",
                      strerror(there ? ENOTDIR : failed));
}

hk_status hk_make_folder(const char *path)
{
  hk_status status = HK_OK;
  char *part = NULL;
  HK_TRY(hk_format(&part, "%s", path));
  for (char *c = part; *c; c++) {
    if (*c != '/' || c == part || c[-1] == '/') continue;
    *c = 0;
    HK_TRY(make_one(path, part));
    *c = '/';
  }
  HK_TRY(make_one(path, part));
cleanup:
  hk_free(&part);
  return status;
}
