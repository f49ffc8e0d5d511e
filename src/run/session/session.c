/* What a run and its result folder share: paths in the folder, the log with the seconds since the
 * start, progress for the caller at most ten times a second, and the question whether to stop.
 * Control characters in log lines are escaped, so that a terminal that shows the log obeys none of
 * them. */
#include "run/session/session.h"
#include "base/file.h"
#include "link/ranks.h"
#include "result/written.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

hk_path hk_session_path(const hk_session *s, const char *name)
{
  hk_path path;
  snprintf(path.text, sizeof path.text, "%s/%s", s->desc->output, name);
  return path;
}

hk_status hk_session_claim(const hk_session *s, const char *name, hk_path *path)
{
  *path = hk_session_path(s, name);
  return hk_written_claim(path->text);
}

void hk_session_log(const hk_session *s, const char *format, ...)
{
  char text[2048];
  int fd = -1;
  hk_path path;
  if (hk_ranks_rank() > 0) return;
  FILE *file = hk_session_claim(s, "log.txt", &path) == HK_OK &&
                       hk_open_output(path.text, O_CREAT | O_APPEND, &fd) == HK_OK
                   ? fdopen(fd, "a")
                   : NULL;
  if (!file && fd >= 0) close(fd);
  if (!file) return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(file, "%.3f s: ", hk_seconds() - s->start);
  for (const char *p = text; *p;) { /* a terminal that shows the file obeys nothing in it */
    const size_t plain = hk_text_plain(p);
    fwrite(p, 1, plain, file);
    p += plain;
    if (*p) fprintf(file, "\\x%02x", (unsigned char)*p++);
  }
  fputc('\n', file);
  fclose(file);
}

void hk_session_tell(const hk_session *s, const char *stage, double left)
{
  const hk_progress p = {.stage = stage, .seconds_left = left > 0 ? left : -1};
  if (s->desc->progress) s->desc->progress(&p, s->desc->user);
}

void hk_session_stage(const hk_session *s, const char *stage)
{
  hk_clock_begin_top(stage);
  hk_session_tell(s, stage, 0);
}

void hk_session_progress(hk_session *s, const hk_progress *p, bool last)
{
  const double now = hk_seconds();
  if (!s->desc->progress || (!last && now - s->last_progress < 0.1)) return;
  s->last_progress = now;
  s->desc->progress(p, s->desc->user);
}

bool hk_session_stops(const hk_session *s)
{
  const hk_ranks *ranks = hk_ranks_now();
  return (s->desc->stop && s->desc->stop(s->desc->user)) || (ranks && ranks->stop_asked);
}
