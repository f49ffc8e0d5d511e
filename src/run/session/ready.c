/* Checks that can be made before a model is read: the result folder can be written, the checkpoint
 * and the block file can be opened, and the device exists. They save the time of reading a large
 * model for a run that cannot begin. */
#include "device/device.h"
#include "run/session/session.h"
#include "run/session/several.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder, or the nearest one above it that is there, can be written. */
static hk_status check_writable(const char *output)
{
  hk_status status = HK_OK;
  struct stat info;
  char *path = NULL;
  HK_TRY(hk_copy_text(&path, output));
  while (stat(path, &info) != 0) {
    HK_CHECK(errno == ENOENT || errno == ENOTDIR, HK_NOT_WRITABLE,
             "%s: the folder cannot be made: %s", output, strerror(errno));
    char *slash = strrchr(path, '/');
    while (slash && slash[1] == 0 && slash > path) *slash = 0, slash = strrchr(path, '/');
    if (!slash)
      strcpy(path, ".");
    else
      slash[slash == path] = 0;
  }
  const bool below = strcmp(path, output) != 0;
  HK_CHECK(S_ISDIR(info.st_mode), HK_NOT_WRITABLE, "%s: the folder cannot be made: %s%s%s", output,
           below ? path : "", below ? ": " : "", strerror(ENOTDIR));
  HK_CHECK(access(path, W_OK | X_OK) == 0, HK_NOT_WRITABLE, "%s: cannot be written: %s", output,
           strerror(errno));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status check_readable(const char *path)
{
  if (!path || access(path, R_OK) == 0) return HK_OK;
  return hk_error_set(HK_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
}

/* A device that is named and found is not opened for this: it will be. */
static hk_status check_one(const hk_run_desc *desc, const char *asked)
{
  const hk_device_desc wanted = {.name = asked, .threads = desc->threads, .toolkit = desc->toolkit};
  hk_device *device = NULL;
  if (!asked || !strcmp(asked, "auto") || !strcmp(asked, "cpu") || hk_device_found(&wanted))
    return HK_OK;
  const hk_status status = hk_device_create(&wanted, &device);
  hk_device_close(&device);
  return status;
}

static hk_status check_device(const hk_run_desc *desc)
{
  char name[16];
  if (!hk_several_named(desc->device)) return check_one(desc, desc->device);
  for (int k = 0; hk_several_name(desc, k, name); k++) {
    HK_PASS(hk_several_check(desc, name));
    HK_PASS(check_one(desc, name));
  }
  return HK_OK;
}

hk_status hk_run_ready(const hk_run_desc *desc, hk_messages *list)
{
  const hk_session s = {.desc = desc, .list = list};
  const bool from_file = desc->restart && strcmp(desc->restart, "auto") != 0;
  HK_NEED(desc->output && desc->output[0], HK_USAGE, "no output folder was given");
  HK_PASS(check_writable(desc->output));
  HK_PASS(hk_session_check(&s));
  if (from_file) HK_PASS(check_readable(desc->restart));
  HK_PASS(check_readable(desc->blocks));
  return check_device(desc);
}
