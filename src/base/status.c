#include "base/base.h"
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[1024];

hk_status hk_error_set(hk_status code, const char *format, ...)
{
  char text[sizeof last_error]; /* the arguments may hold the old words */
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(last_error, sizeof last_error, "%s", text);
  return code;
}

const char *hk_error(void)
{
  return last_error;
}

const char *hk_status_name(hk_status status)
{
  static const char *const name[] = {
      "ok",           "internal error", "usage error",   "bad input",    "check failed",
      "no resources", "unstable",       "not converged", "not writable", "stopped"};
  return (unsigned)status < sizeof name / sizeof *name ? name[status] : "unknown";
}
