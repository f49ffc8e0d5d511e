/* Progress of a run on standard error.
 * On a terminal one line is rewritten in place and cut to the width of the terminal: how far the
 * steps are, or the stage before and after them. Otherwise a
 * line appears when a stage begins and after each 10 % of the steps. With --progress json each
 * report is one JSON object on a line. */
#include "cli.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum { PROGRESS_NONE, PROGRESS_TERMINAL, PROGRESS_LINES, PROGRESS_JSON } kind;
static int last_tenth = -1;
static char last_stage[32];
static bool line_open;

bool cli_progress_mode(const char *mode)
{
  if (!strcmp(mode, "none"))
    kind = PROGRESS_NONE;
  else if (!strcmp(mode, "json"))
    kind = PROGRESS_JSON;
  else if (!strcmp(mode, "auto"))
    kind = isatty(STDERR_FILENO) ? PROGRESS_TERMINAL : PROGRESS_LINES;
  else
    return false;
  if (manner.quiet && kind != PROGRESS_JSON) kind = PROGRESS_NONE;
  return true;
}

static json_t *real(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

static void print_json(const hk_progress *p)
{
  json_t *object = json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "stage", p->stage,
                             "step", (json_int_t)p->step, "steps", (json_int_t)p->steps, "time",
                             real(p->time), "end_time", real(p->end_time), "seconds_left",
                             p->seconds_left < 0 ? json_null() : real(p->seconds_left),
                             "dof_updates_per_second", real(p->dofs_per_second), "energy",
                             real(p->energy), "energy_error", real(p->energy_error));
  if (object && p->iteration > 0) {
    json_object_set_new(object, "iteration", json_integer(p->iteration));
    json_object_set_new(object, "residual", real(p->residual));
  }
  char text[1024];
  const size_t length = object ? json_dumpb(object, text, sizeof text, JSON_COMPACT) : 0;
  if (length > 0 && length < sizeof text) fprintf(stderr, "%.*s\n", (int)length, text);
  json_decref(object);
}

/* left[32] = "3 min 20 s" */
static void write_left(double seconds_left, char *left)
{
  enum { SIZE = 32 };
  const int seconds = seconds_left < 0 ? -1 : (int)fmin(seconds_left + .5, 360000);
  snprintf(left, SIZE, "?");
  if (seconds >= 3600)
    snprintf(left, SIZE, "%d h %02d min", seconds / 3600, seconds / 60 % 60);
  else if (seconds >= 60)
    snprintf(left, SIZE, "%d min %02d s", seconds / 60, seconds % 60);
  else if (seconds >= 0)
    snprintf(left, SIZE, "%d s", seconds);
}

/* "pictures, 3 s left ..."; nothing of the last second. */
static void describe_stage(const hk_progress *p, char *text, size_t size)
{
  char left[32];
  write_left(p->seconds_left, left);
  if (p->seconds_left >= 1)
    snprintf(text, size, "%s, %s left ...", p->stage, left);
  else
    snprintf(text, size, "%s ...", p->stage);
}

static void describe(const hk_progress *p, char *text, size_t size)
{
  char left[32];
  write_left(p->seconds_left, left);
  if (p->iteration > 0) {
    snprintf(text, size, "step %lld of %lld  iteration %d  residual %.2e", (long long)p->step,
             (long long)p->steps, p->iteration, p->residual);
    return;
  }
  snprintf(text, size,
           "%3d %%  step %lld of %lld  time %.4g of %.4g  %s left  %.3g Mdof/s  energy %.4g",
           (int)(100 * p->step / p->steps), (long long)p->step, (long long)p->steps, p->time,
           p->end_time, left, p->dofs_per_second / 1e6, p->energy);
}

/* A line that is longer than the terminal is wide would not be written over: its last parts are left out. */
static void fit_terminal(char *text)
{
  struct winsize window = {0};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col < 2) return;
  const size_t room = window.ws_col - 1U;
  if (strlen(text) <= room) return;
  text[room] = 0;
  for (char *p = text + room; p > text + 1; p--)
    if (p[-1] == ' ' && p[-2] == ' ') {
      p[-2] = 0;
      return;
    }
}

void cli_progress_end(void)
{
  if (line_open) fputs("\r\033[K", stderr);
  line_open = false;
}

static void rewrite_line(char *text)
{
  fit_terminal(text);
  fprintf(stderr, "\r%s\033[K", text);
  line_open = true;
}

static void say_stage(const hk_progress *p)
{
  if (!strcmp(last_stage, p->stage)) return;
  snprintf(last_stage, sizeof last_stage, "%s", p->stage);
  last_tenth = -1;
  if (!manner.verbose || kind == PROGRESS_NONE || kind == PROGRESS_JSON) return;
  cli_progress_end();
  fprintf(stderr, "hooke: %s\n", p->stage);
}

void cli_progress(const hk_progress *p)
{
  char text[256];
  if (kind == PROGRESS_JSON) {
    print_json(p);
    return;
  }
  say_stage(p);
  if (kind == PROGRESS_NONE || (kind == PROGRESS_LINES && p->steps <= 0)) return;
  if (p->steps > 0)
    describe(p, text, sizeof text);
  else
    describe_stage(p, text, sizeof text);
  if (kind == PROGRESS_TERMINAL) {
    rewrite_line(text);
    return;
  }
  const int tenth = p->iteration > 0 ? 100 * (int)p->step - (int)floor(log10(p->residual))
                                     : (int)(10 * p->step / p->steps); /* a line per digit */
  if (tenth == last_tenth) return;
  last_tenth = tenth;
  fprintf(stderr, "%s\n", text);
}
