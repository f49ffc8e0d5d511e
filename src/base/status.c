/* The message of a thread's last failure, names of statuses, and two helpers of loops.
 * hk_failure keeps the first failure of an OpenMP loop, with its message, for the thread that
 * continues after the loop. hk_stop asks the caller's stop function, and turns its answer into
 * HK_STOPPED. */
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

const char *hk_version(void)
{
  return HK_VERSION;
}

void hk_failure_keep(hk_failure *failure, hk_status status)
{
  if (status == HK_OK) return;
#pragma omp critical(hk_failure)
  if (failure->status == HK_OK) {
    failure->status = status;
    snprintf(failure->words, sizeof failure->words, "%s", last_error);
  }
}

hk_status hk_failure_tell(const hk_failure *failure)
{
  if (failure->status == HK_OK) return HK_OK;
  return hk_error_set(failure->status, "%s", failure->words);
}

bool hk_stop_asked(const hk_stop *stop)
{
  return stop && stop->asked && stop->asked(stop->user);
}

hk_status hk_stop_look(const hk_stop *stop, const char *doing)
{
  return hk_stop_asked(stop) ? hk_error_set(HK_STOPPED, "stopped while %s", doing) : HK_OK;
}

const char *hk_status_name(hk_status status)
{
  static const char *const name[] = {
      "ok",           "internal error", "usage error",   "bad input",    "check failed",
      "no resources", "unstable",       "not converged", "not writable", "stopped"};
  return (unsigned)status < sizeof name / sizeof *name ? name[status] : "unknown";
}
