/* A file that appears under its name only when it is whole: it grows as NAME.part and is renamed at the end. Errors of writing are kept by the
 * stream and told once, when the file is finished. Numbers are written with the fewest of 15 to 17 digits that give the same double back, with
 * a point in any locale; formats with narrow fields cut digits until the text fits. */
#include "base/file.h"
#include "mesh/format/format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct hk_out {
  FILE *file;
  char *path, *part; /* final name, name while it grows; owned */
  bool made;         /* `part` exists */
};

hk_status hk_out_open(const char *path, hk_out **out)
{
  hk_status status = HK_OK;
  hk_out *o = NULL;
  int fd = -1;
  HK_TRY(hk_new(&o));
  HK_TRY(hk_copy_text(&o->path, path));
  HK_TRY(hk_format(&o->part, "%s.part", path));
  unlink(o->part);
  HK_TRY(hk_open_output(o->part, O_CREAT | O_EXCL, &fd));
  o->made = true;
  o->file = fdopen(fd, "wb");
  HK_CHECK(o->file, HK_NO_RESOURCES, "%s: cannot be written: %s", path, strerror(errno));
  fd = -1;
  *out = o, o = NULL;
cleanup:
  if (fd >= 0) close(fd);
  hk_out_close(&o);
  return status;
}

void hk_out_close(hk_out **out)
{
  hk_out *o = *out;
  if (!o) return;
  if (o->file) fclose(o->file);
  if (o->made) remove(o->part);
  hk_free(&o->path);
  hk_free(&o->part);
  hk_free(out);
}

void hk_out_text(hk_out *out, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vfprintf(out->file, format, args);
  va_end(args);
}

void hk_out_bytes(hk_out *out, const void *data, size_t size)
{
  fwrite(data, 1, size, out->file);
}

void hk_out_integer(hk_out *out, int64_t value)
{
  char text[24], *p = text + sizeof text;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do *--p = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) *--p = '-';
  fwrite(p, 1, (size_t)(text + sizeof text - p), out->file);
}

/* %.*g with a point, whatever the locale */
static void put_digits(char text[40], int digits, double value)
{
  snprintf(text, 40, "%.*g", digits, value);
  for (char *p = text; *p; p++)
    if (*p == ',') *p = '.';
}

void hk_out_number_within(hk_out *out, int most, double value)
{
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    double back = 0;
    put_digits(text, digits, value);
    hk_parse_number(text, strlen(text), &back);
    if (back == value) break;
  }
  for (int digits = 16; strlen(text) > (size_t)most && digits > 1; digits--)
    put_digits(text, digits, value);
  fputs(text, out->file);
}

void hk_out_number(hk_out *out, double value)
{
  hk_out_number_within(out, 39, value);
}

hk_status hk_out_finish(hk_out *o)
{
  const bool good = fflush(o->file) == 0 && !ferror(o->file);
  const bool closed = fclose(o->file) == 0;
  o->file = NULL;
  HK_NEED(good && closed, HK_NOT_WRITABLE, "%s: could not be written completely: %s", o->path,
          strerror(errno));
  HK_NEED(rename(o->part, o->path) == 0, HK_NOT_WRITABLE, "%s: cannot be written: %s", o->path,
          strerror(errno));
  o->made = false;
  return HK_OK;
}
