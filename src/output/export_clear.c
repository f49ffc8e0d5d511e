#include "output/export_clear.h"
#include "base/base.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *name, const char *end)
{
  const size_t length = strlen(name), tail = strlen(end);
  return length > tail && !strcmp(name + length - tail, end);
}

/* NAME.txt describes NAME_....su and .sac: alone it is somebody's notes. */
static bool is_described(const char *folder, const char *text)
{
  DIR *files = opendir(folder);
  const struct dirent *entry;
  const size_t stem = strlen(text) - strlen(".txt");
  bool found = false;
  while (files && !found && (entry = readdir(files))) {
    const char *name = entry->d_name;
    found = !strncmp(name, text, stem) && name[stem] == '_' &&
            (ends_with(name, ".su") || ends_with(name, ".sac"));
  }
  if (files) closedir(files);
  return found;
}

static bool is_ours(const char *folder, const char *name)
{
  static const char *const ends[] = {".csv", ".vtu", ".pvd",  ".png",
                                     ".su",  ".sac", ".part", ".tmp"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ends_with(name, ends[i])) return true;
  return ends_with(name, ".txt") && is_described(folder, name);
}

static bool is_dot(const char *name)
{
  return !strcmp(name, ".") || !strcmp(name, "..");
}

static bool holds_ours_alone(const char *folder)
{
  DIR *files = opendir(folder);
  const struct dirent *entry;
  bool ours = files != NULL;
  while (ours && (entry = readdir(files)))
    ours = is_dot(entry->d_name) || is_ours(folder, entry->d_name);
  if (files) closedir(files);
  return ours;
}

void hk_export_clear(const char *run)
{
  struct stat about;
  char *folder = NULL;
  DIR *files = NULL;
  const struct dirent *entry;
  if (hk_format(&folder, "%s/export", run) != HK_OK) return;
  if (lstat(folder, &about) == 0 && S_ISDIR(about.st_mode) && holds_ours_alone(folder))
    files = opendir(folder);
  while (files && (entry = readdir(files))) {
    char *path = NULL;
    if (!is_dot(entry->d_name) && hk_format(&path, "%s/%s", folder, entry->d_name) == HK_OK)
      unlink(path);
    hk_free(&path);
  }
  if (files) closedir(files), rmdir(folder);
  hk_free(&folder);
}
