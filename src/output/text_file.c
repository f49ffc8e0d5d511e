#include "output/text_file.h"
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

hk_status hk_make_folder(const char *path)
{
  struct stat info;
  if (mkdir(path, 0777) == 0 ||
      (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
    return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE, "%s: the folder cannot be made: %s", path, strerror(errno));
}
