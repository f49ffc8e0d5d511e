/* The result folder of a run: whether it may be written, and which files a new run removes. A
 * finished or an interrupted run is overwritten only with --force. Files of the user and files that
 * the model is read from are never overwritten. hooke deletes only files that it wrote
 * (result/written.h). */
#include "run/session/session.h"
#include "base/file.h"
#include "hdf/hdf.h"
#include "result/field_file.h"
#include "result/written.h"
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "status" of the folder's run.json; "" when there is none. */
static void read_status(const hk_session *s, char *word, size_t size)
{
  const hk_path path = hk_session_path(s, "run.json");
  FILE *file = NULL;
  json_t *root = hk_open_input_stream(path.text, &file) == HK_OK ? json_loadf(file, 0, NULL) : NULL;
  const char *text = json_string_value(json_object_get(root, "status"));
  snprintf(word, size, "%s", text ? text : "");
  json_decref(root);
  if (file) fclose(file);
}

bool hk_session_has(const hk_session *s, const char *name)
{
  return access(hk_session_path(s, name).text, F_OK) == 0;
}

/* Some file, though none that a run begins with: the folder is used for something else. */
static bool is_foreign(const hk_session *s)
{
  static const char *const first[] = {"run.h5", "run.json", "checkpoint.h5", "checkpoint.h5.old"};
  bool holds = false;
  DIR *folder = opendir(s->desc->output);
  const struct dirent *entry;
  while (folder && !holds && (entry = readdir(folder))) {
    holds = *entry->d_name != '.' && strcmp(entry->d_name, HK_WRITTEN) != 0 &&
            hk_written_check(hk_session_path(s, entry->d_name).text) != HK_OK;
  }
  if (folder) closedir(folder);
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (hk_session_has(s, first[i])) return false;
  return holds;
}

/* A name that a run may write, run.h5 aside. */
static bool is_ours(const char *name)
{
  static const char *const begins[] = {"run.json", "report.html", "checkpoint.h5",
                                       "log.txt",  "computed.h5", "field.",
                                       "field_",   "trace_",      "convergence."},
                           *const ends[] = {".json", ".html",   ".h5",  ".old",  ".txt", ".png",
                                            ".vtu",  ".vtkhdf", ".pvd", ".part", ".tmp"};
  const char *end = strrchr(name, '.');
  bool begun = false, ended = false;
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    begun = begun || !strncmp(name, begins[i], strlen(begins[i]));
  for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
    ended = ended || !strcmp(end, ends[i]);
  return begun && ended;
}

static bool is_hdf(const hk_session *s, const char *name)
{
  hk_hdf *file = NULL;
  const bool opened = hk_hdf_open(hk_session_path(s, name).text, false, &file) == HK_OK;
  if (file) hk_hdf_close(&file);
  return opened;
}

/* Results that no run.json tells the end of, or a file that only bears the name: whose they are is not known. */
static hk_status check_unknown(const hk_session *s, const char *word)
{
  if (!hk_session_has(s, "run.h5")) return HK_OK;
  HK_NEED(is_hdf(s, "run.h5"), HK_NOT_WRITABLE,
          "%s/run.h5: is not a result of hooke: move it, or give another --output",
          s->desc->output);
  HK_NEED(*word, HK_NOT_WRITABLE,
          "%s: has results, but no run.json that says how the run ended: give --force to "
          "overwrite them, or another --output",
          s->desc->output);
  return HK_OK;
}

/* A file that the model was read from is never one that the run writes, whatever --force says. */
static hk_status check_inputs(const hk_session *s)
{
  struct stat folder, beside, file;
  if (!s->model || stat(s->desc->output, &folder) != 0) return HK_OK; /* not read yet */
  for (int i = 0; i < s->model->file.count; i++) {
    const char *name = strrchr(s->model->file.at[i], '/');
    name = name ? name + 1 : s->model->file.at[i];
    const bool there = stat(hk_session_path(s, name).text, &beside) == 0 &&
                       stat(s->model->file.at[i], &file) == 0 && beside.st_dev == file.st_dev &&
                       beside.st_ino == file.st_ino;
    HK_NEED(!there || !(is_ours(name) || !strcmp(name, "run.h5") || hk_ends_with(name, ".dat")),
            HK_NOT_WRITABLE,
            "%s: the model is read from this file, and the run would overwrite it: give another "
            "--output",
            s->model->file.at[i]);
  }
  return HK_OK;
}

/* Files of the user with names that the run is going to need. Those of pictures are looked at when the names are known
 * (hk_pictures_check_field). */
static hk_status check_names(const hk_session *s)
{
  const bool pictures = !s->desc->no_pictures;
  const char *const name[] = {"run.h5",
                              "run.json",
                              "log.txt",
                              "checkpoint.h5",
                              "checkpoint.h5.old",
                              "computed.h5",
                              hk_session_wants_vtu(s) ? "field.pvd" : "field.vtkhdf",
                              pictures ? "report.html" : NULL,
                              pictures ? "convergence.png" : NULL};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    if (name[i]) HK_PASS(hk_written_check(hk_session_path(s, name[i]).text));
  return HK_OK;
}

/* A finished run, or one that can go on, is not overwritten without being told to. One that was stopped while its pictures were
 * drawn still has its checkpoint: it can go on from there. */
static hk_status check_folder(const hk_session *s)
{
  char word[64];
  HK_PASS(check_inputs(s));
  HK_PASS(hk_hdf_check_idle(hk_session_path(s, "run.h5").text));
  if (s->desc->force) return check_names(s);
  HK_NEED(!is_foreign(s), HK_NOT_WRITABLE,
          "%s: has other files, but no run: give an empty or a new folder to --output, or --force "
          "to write among them",
          s->desc->output);
  read_status(s, word, sizeof word);
  HK_NEED(strcmp(word, "ok") || (s->desc->restart && hk_session_has(s, "checkpoint.h5")), HK_USAGE,
          "%s: holds a finished run: give --force to overwrite it, or another --output",
          s->desc->output);
  HK_NEED(s->desc->restart ||
              !(hk_session_has(s, "checkpoint.h5") || hk_session_has(s, "checkpoint.h5.old")),
          HK_USAGE,
          "%s: holds an interrupted run: give --restart to continue, or --force to start again",
          s->desc->output);
  HK_PASS(check_unknown(s, word));
  if (!s->desc->restart) HK_PASS(check_names(s));
  return HK_OK;
}

bool hk_session_wants_vtu(const hk_session *s)
{
  return hk_field_format_vtu(s->desc->field_format);
}

hk_status hk_session_check(const hk_session *s)
{
  const char *format = s->desc->field_format;
  HK_NEED(!format || hk_session_wants_vtu(s) || !strcmp(format, "vtkhdf"), HK_USAGE,
          "field format %s: give vtkhdf or vtu", format);
  return check_folder(s);
}

void hk_session_clean(const hk_session *s)
{
  struct stat info;
  const hk_path exports = hk_session_path(s, "export");
  hk_written_clear(s->desc->output, "run.h5");
  if (lstat(exports.text, &info) != 0 || !S_ISDIR(info.st_mode)) return;
  hk_written_clear(exports.text, NULL);
  rmdir(exports.text); /* what is not hooke's keeps it */
}

hk_status hk_session_adopt(const hk_session *s)
{
  hk_status status = HK_OK;
  DIR *folder = NULL;
  const struct dirent *entry;
  if (hk_session_has(s, HK_WRITTEN)) return HK_OK;
  folder = opendir(s->desc->output);
  while (folder && (entry = readdir(folder)))
    if (is_ours(entry->d_name) || !strcmp(entry->d_name, "run.h5"))
      HK_TRY(hk_written_adopt(hk_session_path(s, entry->d_name).text));
cleanup:
  if (folder) closedir(folder);
  return status;
}
