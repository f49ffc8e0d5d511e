/* The table of a study, vary.csv: a line for each run with its parameters, how it ended, its key figures and its folder. Key figures are numbers of
 * run.json and the largest absolute values of the results in run.h5. */
#include "study.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether it is a result on its own: no place, no time, and no value at integration points, which those at nodes stand for */
static bool is_figure(const char *path)
{
  const char *name = strrchr(path, '/');
  const bool place = !strcmp(name, "/coordinates"), time = !strcmp(name, "/time");
  if (!strncmp(path, "/static/", 8))
    return strcmp(path, "/static/coordinates") && !strstr(path, "/points/");
  return (!strncmp(path, "/traces/", 8) || !strncmp(path, "/energy/", 8)) && !place && !time;
}

/* The largest absolute value of an array; not-a-number where it holds one, or cannot be read. */
static double peak_of(const char *path, const json_t *array)
{
  const bool wide = !strcmp(json_string_value(json_object_get(array, "type")), "float64");
  const json_t *offset = json_object_get(array, "offset"), *size = json_object_get(array, "size");
  double count = 1, most = 0, number = 0;
  float narrow;
  FILE *file = json_is_integer(offset) ? fopen(path, "rb") : NULL;
  for (size_t i = 0; i < json_array_size(size); i++)
    count *= json_number_value(json_array_get(size, i));
  if (!file || fseeko(file, (off_t)json_integer_value(offset), SEEK_SET) != 0) count = NAN;
  for (double k = 0; k < count && !isnan(most); k++) {
    if (fread(wide ? (void *)&number : &narrow, wide ? 8 : 4, 1, file) != 1)
      number = NAN;
    else if (!wide)
      number = (double)narrow;
    most = isnan(number) ? NAN : fmax(most, fabs(number));
  }
  if (file) fclose(file);
  return isnan(count) ? NAN : most;
}

/* {"peak NAME": number} of the arrays of run.h5 */
static void add_peaks(const char *path, json_t *figures)
{
  char *text = NULL, name[300];
  json_t *root, *array;
  size_t i;
  if (hk_arrays(path, &text) != HK_OK) return;
  root = json_loads(text, 0, NULL);
  json_array_foreach(json_object_get(root, "arrays"), i, array)
  {
    const char *where = json_string_value(json_object_get(array, "path")),
               *type = json_string_value(json_object_get(array, "type"));
    if (!where || !type || strncmp(type, "float", 5) != 0 || !is_figure(where)) continue;
    const double peak = peak_of(path, array);
    snprintf(name, sizeof name, "peak %s", where + 1);
    json_object_set_new(figures, name, isfinite(peak) ? json_real(peak) : json_null());
  }
  json_decref(root);
  hk_text_free(&text);
}

/* The key figures of a run that has left any. */
static json_t *figures_of(const study *s, int run)
{
  json_t *figures = json_object(), *root;
  char *summary = study_path(s, s->run[run].folder, "run.json"),
       *results = study_path(s, s->run[run].folder, "run.h5");
  root = summary && s->run[run].code >= 0 ? json_load_file(summary, 0, NULL) : NULL;
  const json_t *counts = json_object_get(root, "counts");
  json_object_set(figures, "status", json_object_get(root, "status"));
  json_object_set(figures, "nodes", json_object_get(counts, "nodes"));
  json_object_set(figures, "steps", json_object_get(counts, "steps"));
  json_object_set(figures, "dt", json_object_get(root, "dt"));
  json_object_set(figures, "end_time", json_object_get(root, "end_time"));
  json_object_set(figures, "seconds", json_object_get(json_object_get(root, "seconds"), "total"));
  if (results && root) add_peaks(results, figures);
  json_decref(root);
  free(summary);
  free(results);
  return figures;
}

static void put_text(FILE *to, const char *text)
{
  const bool plain = !strpbrk(text, ",\"\n");
  if (!plain) putc('"', to);
  for (; *text; text++) {
    if (*text == '"') putc('"', to);
    putc(*text, to);
  }
  if (!plain) putc('"', to);
}

static void put_value(FILE *to, const json_t *value)
{
  if (json_is_integer(value)) fprintf(to, "%lld", (long long)json_integer_value(value));
  if (json_is_real(value)) fprintf(to, "%.12g", json_real_value(value));
  if (json_is_string(value)) put_text(to, json_string_value(value));
}

/* Columns in the order in which they first appear. */
static json_t *columns_of(const study *s, json_t *const *figures)
{
  json_t *columns = json_object(), *value;
  const char *name;
  for (int r = 0; r < s->runs; r++) json_object_foreach(figures[r], name, value)
    {
      if (!json_object_get(columns, name)) json_object_set_new(columns, name, json_true());
    }
  return columns;
}

static void put_table(FILE *to, const study *s, json_t *const *figures, const json_t *columns)
{
  const char *name;
  json_t *unused;
  fputs("run", to);
  for (int k = 0; k < s->keys; k++) putc(',', to), put_text(to, s->key[k].name);
  fputs(",exit_code", to);
  json_object_foreach((json_t *)columns, name, unused)
  {
    putc(',', to);
    put_text(to, name);
  }
  fputs(",folder\n", to);
  for (int r = 0; r < s->runs; r++) {
    fprintf(to, "%d", r + 1);
    for (int k = 0; k < s->keys; k++) putc(',', to), put_text(to, study_value(s, r, k));
    putc(',', to);
    if (s->run[r].code >= 0) fprintf(to, "%d", s->run[r].code);
    json_object_foreach((json_t *)columns, name, unused)
    {
      putc(',', to);
      put_value(to, json_object_get(figures[r], name));
    }
    fprintf(to, ",%s\n", s->run[r].folder);
  }
}

static int write_csv(const study *s, json_t *const *figures, const json_t *columns)
{
  char *path = study_path(s, "", "vary.csv");
  FILE *file = path ? fopen(path, "w") : NULL;
  bool good = file != NULL;
  if (file) put_table(file, s, figures, columns);
  if (file && ferror(file)) good = false;
  if (file && fclose(file) != 0) good = false;
  if (!manner.json && !manner.quiet) put_table(stdout, s, figures, columns);
  if (!good) fprintf(stderr, "hooke: error: %s: cannot be written\n", path ? path : "vary.csv");
  free(path);
  return good ? HK_OK : HK_NOT_WRITABLE;
}

/* A run with its figures, which it takes over. */
static json_t *json_of(const study *s, int run, json_t *figures)
{
  json_t *one = json_object(), *values = json_object();
  const int code = s->run[run].code;
  for (int k = 0; k < s->keys; k++)
    json_object_set_new(values, s->key[k].name, json_string(study_value(s, run, k)));
  json_object_set_new(one, "run", json_integer(run + 1));
  json_object_set_new(one, "values", values);
  json_object_set_new(one, "exit_code", code >= 0 ? json_integer(code) : json_null());
  json_object_set_new(one, "folder", json_string(s->run[run].folder));
  json_object_update(one, figures);
  return one;
}

/* A signal ended a run whose exit code is no hk_status. */
static const char *status_of(int code)
{
  return hk_status_name(code > HK_STOPPED ? HK_STOPPED : (hk_status)code);
}

static void print_json(const study *s, json_t *const *figures, int code)
{
  json_t *root = json_object(), *runs = json_array();
  for (int r = 0; r < s->runs; r++) json_array_append_new(runs, json_of(s, r, figures[r]));
  json_object_set_new(root, "status", json_string(status_of(code)));
  json_object_set_new(root, "exit_code", json_integer(code));
  json_object_set_new(root, "case", json_string(s->path));
  json_object_set_new(root, "folder", json_string(s->output));
  json_object_set_new(root, "runs", runs);
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  if (text) cli_print_result(text);
  free(text);
  json_decref(root);
}

int study_write(const study *s, int code)
{
  json_t **figures = calloc((size_t)s->runs, sizeof(json_t *));
  if (!figures) return HK_NO_RESOURCES;
  for (int r = 0; r < s->runs; r++) figures[r] = figures_of(s, r);
  json_t *columns = columns_of(s, figures);
  const int written = write_csv(s, figures, columns);
  if (manner.json) print_json(s, figures, code != HK_OK ? code : written);
  json_decref(columns);
  for (int r = 0; r < s->runs; r++) json_decref(figures[r]);
  free(figures);
  return written;
}
