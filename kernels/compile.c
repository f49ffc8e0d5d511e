/* Code of the kernels of a list, for one target, as files of a folder that devices read (device/cache.h). By all threads, each with a kernel. The file
 * that says which compiler made them is written last: a folder without it is not used. */
#include "base/file.h"
#include "device/cuda/nvrtc.h"
#include "kernels.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static hk_status compile_one(const hk_nvrtc *nvrtc, const hk_wanted *w, const char *target,
                             const char *folder)
{
  char *code = NULL;
  hk_count size = 0;
  HK_PASS(hk_nvrtc_compile(nvrtc, w->function, w->source, target, &code, &size));
  hk_cache_write(folder, hk_nvrtc_key(target, w->source), code, size);
  hk_free(&code);
  return HK_OK;
}

static hk_status check_written(const char *folder, const char *target, const char *source)
{
  char *code = NULL;
  hk_count size = 0;
  const bool there = hk_cache_read(folder, hk_nvrtc_key(target, source), &code, &size);
  hk_free(&code);
  if (there) return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE,
                      "%s: a kernel cannot be written: the disk is full, or others may write "
                      "the folder",
                      folder);
}

static hk_status count_bytes(const char *folder, hk_count *bytes)
{
  char path[1400];
  struct stat info;
  DIR *open = opendir(folder);
  HK_NEED(open, HK_NOT_WRITABLE, "%s: cannot be read", folder);
  for (const struct dirent *d = readdir(open); d; d = readdir(open)) {
    snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
    if (!stat(path, &info) && S_ISREG(info.st_mode)) *bytes += info.st_size;
  }
  closedir(open);
  return HK_OK;
}

/* By all threads. */
static hk_status compile_all(const hk_wanted_list *list, const hk_nvrtc *nvrtc, const char *target,
                             const char *folder)
{
  hk_failure failure = {0};
#pragma omp parallel for schedule(dynamic, 1)
  for (hk_count i = 0; i < list->all.count; i++)
    hk_failure_keep(&failure, compile_one(nvrtc, &list->all.at[i], target, folder));
  HK_PASS(hk_failure_tell(&failure));
  for (hk_count i = 0; i < list->all.count; i++)
    HK_PASS(check_written(folder, target, list->all.at[i].source));
  return HK_OK;
}

hk_status hk_wanted_compile(const hk_wanted_list *list, const char *toolkit, const char *target,
                            const char *folder, hk_count *bytes)
{
  char path[1100], made[32];
  hk_nvrtc nvrtc;
  const char *number = strchr(target, '_');
  HK_PASS(hk_nvrtc_open(toolkit, number ? atoi(number + 1) : 0, 0, &nvrtc));
  HK_PASS(hk_make_folder(folder));
  snprintf(path, sizeof path, "%.1000s/%s", folder, target);
  HK_PASS(compile_all(list, &nvrtc, target, path));
  snprintf(made, sizeof made, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
  hk_cache_write(path, hk_nvrtc_key(target, HK_NVRTC_MADE), made, (hk_count)strlen(made) + 1);
  HK_PASS(check_written(path, target, HK_NVRTC_MADE));
  return count_bytes(path, bytes);
}
