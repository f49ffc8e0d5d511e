/* Keeps written.txt, the list of the files that hooke wrote to a result folder. Only listed files
 * may be replaced or deleted, so that hooke never overwrites a file of the user. The first line
 * says what the file is, then each line is a name. A line is appended by one write: a killed run
 * leaves whole lines, and two programs may append at a time. A name that is listed twice does no
 * harm. */
#include "result/written.h"
#include "base/base.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "Files of this folder that hooke wrote, and may replace or delete:\n";

typedef struct names {
  char *text;
  const char **name; /* ascending */
  hk_count count;
} names;

static int compare(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool holds(const names *n, const char *name)
{
  return n->count && bsearch(&name, n->name, (size_t)n->count, sizeof *n->name, compare);
}

static void clear(names *n)
{
  hk_free(&n->text);
  hk_free(&n->name);
  n->count = 0;
}

static hk_status read_text(const char *path, char **out)
{
  hk_status status = HK_OK;
  struct stat info;
  FILE *file = NULL;
  char *text = NULL;
  HK_TRY(hk_open_input_stream(path, &file));
  HK_CHECK(fstat(fileno(file), &info) == 0, HK_NOT_WRITABLE, "%s: cannot be read: %s", path,
           strerror(errno));
  HK_TRY(hk_get(&text, (hk_count)info.st_size + 1));
  const size_t length = fread(text, 1, (size_t)info.st_size, file);
  text[length] = 0;
  HK_CHECK(!length || !strncmp(text, head, strlen(head)), HK_NOT_WRITABLE,
           "%s: hooke lists the files that it wrote in a file of this name, and this is not such a "
           "list: move it, or give another --output",
           path);
  *out = text, text = NULL;
cleanup:
  if (file) fclose(file);
  hk_free(&text);
  return status;
}

/* The list of a folder; none is an empty one. */
static hk_status read_list(const char *path, names *out)
{
  hk_status status = HK_OK;
  names n = {0};
  if (access(path, F_OK) != 0) return HK_OK;
  HK_TRY(read_text(path, &n.text));
  hk_count lines = 0;
  for (const char *c = n.text; *c; c++) lines += *c == '\n';
  HK_TRY(hk_get(&n.name, lines));
  for (char *line = n.text, *end; (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    if (line > n.text) n.name[n.count++] = line;
  }
  if (n.count) qsort(n.name, (size_t)n.count, sizeof *n.name, compare);
  *out = n, n = (names){0};
cleanup:
  clear(&n);
  return status;
}

/* Parts FOLDER/NAME. */
static hk_status part_path(const char *path, char **list, const char **name)
{
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  return hk_format(list, "%.*s%s", (int)(*name - path), path, HK_WRITTEN);
}

static hk_status add_line(const char *list, const char *name)
{
  hk_status status = HK_OK;
  struct stat info;
  char *line = NULL;
  int fd = -1;
  HK_TRY(hk_open_output(list, O_CREAT | O_APPEND, &fd));
  HK_CHECK(fstat(fd, &info) == 0, HK_NOT_WRITABLE, "%s: cannot be written: %s", list,
           strerror(errno));
  HK_TRY(hk_format(&line, "%s%s\n", info.st_size ? "" : head, name));
  errno = ENOSPC;
  if (write(fd, line, strlen(line)) == (ssize_t)strlen(line)) goto cleanup;
  status = hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", list, strerror(errno));
  if (ftruncate(fd, info.st_size) != 0) /* no half of a line, if it can be helped */
    hk_error_set(status, "%s: cannot be written", list);
cleanup:
  if (fd >= 0) close(fd);
  hk_free(&line);
  return status;
}

static hk_status look(const char *list, const char *name, bool *listed)
{
  hk_status status = HK_OK;
  char *text = NULL, *line = NULL;
  *listed = false;
  if (access(list, F_OK) != 0) return HK_OK;
  HK_TRY(read_text(list, &text));
  HK_TRY(hk_format(&line, "\n%s\n", name));
  *listed = strstr(text, line) != NULL;
cleanup:
  hk_free(&text);
  hk_free(&line);
  return status;
}

static hk_status enter(const char *path, bool known, bool add)
{
  hk_status status = HK_OK;
  struct stat info;
  const char *name;
  char *list = NULL;
  bool listed = false;
  HK_TRY(part_path(path, &list, &name));
  const bool there = lstat(path, &info) == 0;
  if (there || add) HK_TRY(look(list, name, &listed));
  HK_CHECK(known || !there || listed, HK_NOT_WRITABLE,
           "%s: is not among the files that hooke wrote (%s), and would be overwritten: move it, "
           "or give another --output",
           path, HK_WRITTEN);
  if (add && !listed) HK_TRY(add_line(list, name));
cleanup:
  hk_free(&list);
  return status;
}

hk_status hk_written_claim(const char *path)
{
  return enter(path, false, true);
}

hk_status hk_written_adopt(const char *path)
{
  return enter(path, true, true);
}

hk_status hk_written_check(const char *path)
{
  return enter(path, false, false);
}

bool hk_written_has_list(const char *path)
{
  const char *name;
  char *list = NULL;
  const bool there = part_path(path, &list, &name) == HK_OK && access(list, F_OK) == 0;
  hk_free(&list);
  return there;
}

hk_status hk_written_stream(const char *path, hk_stream *out)
{
  const hk_status status = hk_written_claim(path);
  return status == HK_OK ? hk_stream_begin(path, out) : status;
}

/* Whether the entry is on the list, or a half of one that is: NAME.part, NAME.NUMBER.tmp. */
static bool is_listed(const names *n, const char *entry)
{
  char stem[NAME_MAX + 1];
  if (holds(n, entry)) return true;
  snprintf(stem, sizeof stem, "%s", entry);
  char *dot = strrchr(stem, '.');
  if (!dot) return false;
  if (!strcmp(dot, ".tmp")) {
    *dot = 0, dot = strrchr(stem, '.');
    if (!dot || !dot[1] || dot[1 + strspn(dot + 1, "0123456789")]) return false;
  } else if (strcmp(dot, ".part") != 0) {
    return false;
  }
  *dot = 0;
  return holds(n, stem);
}

void hk_written_clear(const char *folder, const char *keep)
{
  names n = {0};
  char *list = NULL, *path = NULL;
  if (hk_format(&list, "%s/%s", folder, HK_WRITTEN) != HK_OK) return;
  DIR *files = read_list(list, &n) == HK_OK ? opendir(folder) : NULL;
  const struct dirent *entry;
  while (files && (entry = readdir(files))) {
    if (keep && !strcmp(entry->d_name, keep)) continue;
    if (is_listed(&n, entry->d_name) && hk_format(&path, "%s/%s", folder, entry->d_name) == HK_OK)
      hk_file_delete(path);
    hk_free(&path);
  }
  if (files) {
    const bool kept = keep && holds(&n, keep);
    closedir(files);
    if (n.text) unlink(list);
    if (kept) add_line(list, keep);
  }
  clear(&n);
  hk_free(&list);
}
