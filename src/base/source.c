/* Lines of a text file, plain or compressed by gzip, read through one growing buffer. zlib unpacks;
 * of a plain file each thread reads a part of the buffer.
 * CRLF, CR and a byte-order mark are removed, and lines are counted for messages. Binary sections
 * are read from the place after the last line. A read error or a damaged gzip stream is reported
 * with file and line. */
#include "base/file.h"
#include "base/source.h"
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Bytes of the buffer, LARGE of large plain files; the least that a thread reads. */
enum { SMALL = 1 << 20, LARGE = 1 << 22, SHARE = 1 << 19, MOST_SHARES = LARGE / SHARE };

struct hk_source {
  gzFile file;
  int plain; /* descriptor of a file that is not compressed, whose bytes from `place` on are not read; -1: it is */
  hk_count place;
  char *path;
  char *buffer; /* buffer[begin..end): read, not yet returned; one byte more for the NUL */
  hk_count capacity, begin, end;
  hk_count line, size;
  bool finished;
};

hk_status hk_source_open(const char *path, hk_source **out)
{
  hk_status status = HK_OK;
  hk_source *s = NULL;
  struct stat info;
  int fd = -1;

  HK_TRY(hk_open_input(path, &fd));
  HK_CHECK(fstat(fd, &info) == 0, HK_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  HK_TRY(hk_new(&s));
  HK_TRY(hk_copy_text(&s->path, path));
  s->size = info.st_size;
  s->file = gzdopen(fd, "rb");
  HK_CHECK(s->file, HK_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  gzbuffer(s->file, 1 << 18);
  s->plain = gzdirect(s->file) ? fd : -1;
  fd = -1;
  s->capacity = s->size > LARGE && s->plain >= 0 ? LARGE : SMALL;
  HK_TRY(hk_get(&s->buffer, s->capacity + 1));
  *out = s, s = NULL;
cleanup:
  if (fd >= 0) close(fd);
  hk_source_close(&s);
  return status;
}

void hk_source_close(hk_source **source)
{
  hk_source *s = *source;
  if (!s) return;
  if (s->file) gzclose(s->file);
  hk_free(&s->buffer);
  hk_free(&s->path);
  hk_free(source);
}

/* to[length] = the file's bytes from `place` on: how many there are; -1: they cannot be read. */
static hk_count read_at(int fd, char *to, hk_count length, hk_count place)
{
  hk_count done = 0;
  while (done < length) {
    const ssize_t got = pread(fd, to + done, (size_t)(length - done), place + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += got;
  }
  return done;
}

/* The same of a plain file's next bytes, by threads that read a part each. */
static hk_count read_plain(hk_source *s, char *to, hk_count length)
{
  const hk_count left = s->size > s->place ? s->size - s->place : 0;
  hk_count got[MOST_SHARES], sum = 0, wanted = (left < length ? left : length) / SHARE + 1;
  if (wanted > omp_get_max_threads()) wanted = omp_get_max_threads();
  const int parts = (int)(wanted < MOST_SHARES ? wanted : MOST_SHARES);
#pragma omp parallel for schedule(static) if (parts > 1)
  for (int p = 0; p < parts; p++) {
    const hk_count first = length * p / parts, end = length * (p + 1) / parts;
    got[p] = read_at(s->plain, to + first, end - first, s->place + first);
  }
  for (int p = 0; p < parts; p++) {
    if (got[p] < 0) return -1;
    sum += got[p];
    if (got[p] < length * (p + 1) / parts - length * p / parts) break; /* the file ends */
  }
  s->place += sum;
  return sum;
}

static hk_count read_some(hk_source *s, char *to, hk_count length)
{
  return s->plain >= 0 ? read_plain(s, to, length)
                       : gzread(s->file, to, length > 1 << 30 ? 1 << 30 : (unsigned)length);
}

/* Moves what is left to the front and reads more; a full buffer is doubled. */
static hk_status fill(hk_source *s)
{
  if (s->begin) {
    memmove(s->buffer, s->buffer + s->begin, (size_t)(s->end - s->begin));
    s->end -= s->begin, s->begin = 0;
  }
  if (s->end == s->capacity) {
    HK_PASS(hk_resize(&s->buffer, 2 * s->capacity + 1));
    s->capacity *= 2;
  }
  const hk_count got = read_some(s, s->buffer + s->end, s->capacity - s->end);
  int code = Z_OK;
  if (got <= 0) gzerror(s->file, &code);
  HK_NEED(got >= 0 && code != Z_BUF_ERROR, HK_BAD_INPUT,
          "%s:%lld: the file is damaged or cut short", s->path, (long long)s->line + 1);
  if (got == 0) s->finished = true;
  s->end += got;
  return HK_OK;
}

static void return_line(hk_source *s, hk_count end, hk_count next, char **line, size_t *length)
{
  char *text = s->buffer + s->begin;
  hk_count size = end - s->begin;
  if (s->line == 0 && size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, size -= 3;
  if (size && text[size - 1] == '\r') size--;
  text[size] = 0;
  s->begin = next;
  s->line++;
  *line = text, *length = (size_t)size;
}

hk_status hk_source_line(hk_source *s, char **line, size_t *length)
{
  hk_count scanned = 0;
  *line = NULL, *length = 0;
  for (;;) {
    const hk_count from = s->begin + scanned;
    const char *newline = memchr(s->buffer + from, '\n', (size_t)(s->end - from));
    if (newline) {
      const hk_count end = newline - s->buffer;
      return_line(s, end, end + 1, line, length);
      return HK_OK;
    }
    scanned = s->end - s->begin;
    if (s->finished) break;
    HK_PASS(fill(s));
  }
  if (s->begin < s->end) return_line(s, s->end, s->end, line, length);
  return HK_OK;
}

/* Fills the buffer when hk_source_line would. */
hk_status hk_source_peek(hk_source *s, const char **text, size_t *length)
{
  const char *last = NULL;
  for (hk_count scanned = 0; !last;) {
    const hk_count from = s->begin + scanned;
    last = memrchr(s->buffer + from, '\n', (size_t)(s->end - from));
    if (last || s->finished) break;
    scanned = s->end - s->begin;
    HK_PASS(fill(s));
  }
  *text = s->buffer + s->begin;
  *length = last ? (size_t)(last + 1 - *text) : 0;
  return HK_OK;
}

hk_status hk_source_peek_bytes(hk_source *s, hk_count least, const char **bytes, hk_count *length)
{
  while (s->end - s->begin < least && !s->finished) HK_PASS(fill(s));
  *bytes = s->buffer + s->begin, *length = s->end - s->begin;
  return HK_OK;
}

void hk_source_pass(hk_source *s, size_t length, hk_count lines)
{
  s->begin += (hk_count)length, s->line += lines;
}

hk_status hk_source_bytes(hk_source *s, void *to, size_t size)
{
  char *place = to;
  while (size) {
    if (s->begin == s->end) {
      HK_NEED(!s->finished, HK_BAD_INPUT, "%s: %zu more bytes were expected: the file is cut short",
              s->path, size);
      HK_PASS(fill(s));
      continue;
    }
    const size_t have = (size_t)(s->end - s->begin), part = have < size ? have : size;
    memcpy(place, s->buffer + s->begin, part);
    s->begin += (hk_count)part, place += part, size -= part;
  }
  return HK_OK;
}

hk_count hk_source_line_number(const hk_source *s)
{
  return s->line;
}

const char *hk_source_path(const hk_source *s)
{
  return s->path;
}

hk_count hk_source_size(const hk_source *s)
{
  return s->size;
}
