/* Opens the result of a run for reading: run.h5 with its traces and energies, and run.json beside
 * it (docs/reference/results.md). Each quantity of each request becomes one trace with its unit,
 * components, receivers and samples; their ranks and sizes are checked here. Values are read on
 * demand, with or without an axis of shots. static_read.c finds the arrays of static solutions. */
#include "base/file.h"
#include "result/result.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

hk_status hk_run_json_read(const char *folder, json_t **out)
{
  hk_status status = HK_OK;
  char *path = NULL;
  json_error_t error;
  FILE *file = NULL;
  if (folder) {
    HK_TRY(hk_format(&path, "%s/run.json", folder));
    if (hk_open_input_stream(path, &file) == HK_OK) *out = json_loadf(file, 0, &error);
  }
  if (!json_is_object(*out)) {
    json_decref(*out);
    *out = json_object();
  }
  HK_CHECK(*out, HK_NO_RESOURCES, "out of memory: run.json");
cleanup:
  if (file) fclose(file);
  hk_free(&path);
  return status;
}

enum { MOST_COMPONENTS = 9 };

static hk_status describe_trace(hk_result *r, const char *request, const char *quantity,
                                hk_result_trace *t)
{
  hk_status status = HK_OK;
  hk_hdf_array array;
  char *time = NULL;
  HK_TRY(hk_copy_text(&t->request, request));
  HK_TRY(hk_copy_text(&t->quantity, quantity));
  HK_TRY(hk_format(&t->path, "/traces/%s/%s", request, quantity));
  HK_TRY(hk_format(&time, "/traces/%s/time", request));
  HK_TRY(hk_hdf_text_read(r->file, t->path, "unit", &t->unit));
  HK_TRY(hk_hdf_text_read(r->file, t->path, "components", &t->components));
  HK_TRY(hk_hdf_text_read(r->file, time, "unit", &t->time_unit));
  HK_TRY(hk_hdf_array_find(r->file, t->path, &array));
  HK_CHECK(array.rank == 3 || array.rank == 4, HK_BAD_INPUT,
           "%s has %d dimensions: receiver, component and step are "
           "expected, or shot before them",
           t->path, array.rank);
  const hk_count *size = array.size + array.rank - 3;
  HK_CHECK(size[1] >= 1 && size[1] <= MOST_COMPONENTS, HK_BAD_INPUT,
           "%s has %lld components: there are 1 to %d", t->path, (long long)size[1],
           MOST_COMPONENTS);
  t->shots = array.rank == 4 ? array.size[0] : 0;
  t->receivers = size[0], t->count = (int)size[1], t->samples = size[2];
  t->rows = t->shots ? t->shots * t->receivers : t->receivers;
  HK_TRY(hk_hdf_array_find(r->file, time, &array));
  HK_CHECK(array.count == t->samples, HK_BAD_INPUT, "%s has %lld samples, its time has %lld",
           t->path, (long long)t->samples, (long long)array.count);
cleanup:
  hk_free(&time);
  return status;
}

static hk_status add_request(hk_result *r, const char *request, hk_count *capacity)
{
  hk_status status = HK_OK;
  char *group = NULL, **name = NULL;
  int count = 0;
  HK_TRY(hk_format(&group, "/traces/%s", request));
  HK_TRY(hk_hdf_names(r->file, group, &count, &name));
  for (int i = 0; i < count; i++) {
    if (!strcmp(name[i], "time") || !strcmp(name[i], "node") || !strcmp(name[i], "coordinates"))
      continue;
    HK_TRY(hk_reserve(&r->trace, r->count + 1, capacity));
    r->count++;
    HK_TRY(describe_trace(r, request, name[i], &r->trace[r->count - 1]));
  }
cleanup:
  hk_names_free(count, &name);
  hk_free(&group);
  return status;
}

hk_status hk_result_open(const char *path, hk_result **out)
{
  hk_status status = HK_OK;
  hk_result *r = NULL;
  char *file = NULL, **request = NULL;
  int count = 0;
  hk_count capacity = 0;
  hk_hdf_array energy;

  HK_TRY(hk_new(&r));
  if (is_folder(path)) HK_TRY(hk_copy_text(&r->folder, path));
  HK_TRY(hk_format(&file, r->folder ? "%s/run.h5" : "%s", path));
  HK_CHECK(access(file, F_OK) == 0, HK_BAD_INPUT, "%s: there is no such result", file);
  HK_TRY(hk_hdf_open(file, false, &r->file));
  HK_TRY(hk_run_json_read(r->folder, &r->run));
  if (hk_hdf_exists(r->file, "/traces")) HK_TRY(hk_hdf_names(r->file, "/traces", &count, &request));
  for (int i = 0; i < count; i++) HK_TRY(add_request(r, request[i], &capacity));
  if (hk_hdf_exists(r->file, "/energy/time")) {
    HK_TRY(hk_hdf_array_find(r->file, "/energy/time", &energy));
    r->energies = energy.count;
    HK_TRY(hk_hdf_array_find(r->file, "/energy/kinetic", &energy));
    if (energy.rank == 2) r->shots = energy.size[0];
  }
  if (hk_hdf_exists(r->file, "/static")) HK_TRY(hk_result_find_arrays(r));
  *out = r, r = NULL;
cleanup:
  hk_names_free(count, &request);
  hk_free(&file);
  hk_result_close(&r);
  return status;
}

void hk_result_close(hk_result **result)
{
  hk_result *r = *result;
  if (!r) return;
  for (int i = 0; i < r->count; i++) {
    hk_result_trace *t = &r->trace[i];
    char **text[] = {&t->request, &t->quantity, &t->unit, &t->components, &t->time_unit, &t->path};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) hk_free(text[k]);
  }
  hk_free(&r->trace);
  hk_result_clear_arrays(r);
  hk_hdf_close(&r->file);
  json_decref(r->run);
  hk_free(&r->folder);
  hk_free(result);
}

hk_status hk_result_time(hk_result *r, int trace, double *time)
{
  hk_status status = HK_OK;
  char *path = NULL;
  HK_TRY(hk_format(&path, "/traces/%s/time", r->trace[trace].request));
  HK_TRY(hk_hdf_read(r->file, path, 1, 0, r->trace[trace].samples, time));
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_result_values(hk_result *r, int trace, hk_count first, hk_count count, double *values)
{
  const hk_result_trace *t = &r->trace[trace];
  const hk_count row = t->count * t->samples;
  if (!t->shots) return hk_hdf_read(r->file, t->path, row, first, count, values);
  for (hk_count n; count > 0; first += n, count -= n, values += n * row) {
    const hk_count shot = first / t->receivers, at = first % t->receivers;
    n = count < t->receivers - at ? count : t->receivers - at;
    HK_PASS(hk_hdf_read_within(r->file, t->path, shot, row, at, n, values));
  }
  return HK_OK;
}

static hk_status point_text(hk_result *r, int trace, hk_count receiver, char **text)
{
  hk_status status = HK_OK;
  char *path = NULL, number[3][32];
  double x[3] = {0};
  hk_hdf_array array;
  HK_TRY(hk_format(&path, "/traces/%s/coordinates", r->trace[trace].request));
  HK_TRY(hk_hdf_array_find(r->file, path, &array));
  HK_CHECK(array.rank == 2 && array.size[1] <= 3, HK_BAD_INPUT, "%s is not a list of points", path);
  HK_TRY(hk_hdf_read(r->file, path, array.size[1], receiver, 1, x));
  for (int d = 0; d < 3; d++) hk_number_text(number[d], 6, x[d]);
  HK_TRY(hk_format(text, array.size[1] == 3 ? "point (%s %s %s)" : "point (%s %s)", number[0],
                   number[1], number[2]));
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_result_receiver(hk_result *r, int trace, hk_count receiver, char **text)
{
  hk_status status = HK_OK;
  char *path = NULL;
  int64_t node;
  HK_TRY(hk_format(&path, "/traces/%s/node", r->trace[trace].request));
  HK_TRY(hk_hdf_read_integers(r->file, path, receiver, 1, &node));
  HK_TRY(node < 0 ? point_text(r, trace, receiver, text)
                  : hk_format(text, "node %lld", (long long)node));
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_result_energy(hk_result *r, const char *name, hk_count shot, double *values)
{
  char path[64];
  snprintf(path, sizeof path, "/energy/%s", name);
  if (!r->shots || !strcmp(name, "time"))
    return hk_hdf_read(r->file, path, 1, 0, r->energies, values);
  return hk_hdf_read_within(r->file, path, shot, 1, 0, r->energies, values);
}

void hk_component_name(const char *components, int c, char *text)
{
  const char *word = components;
  for (; c > 0 && *word; c--) {
    word += strcspn(word, " ");
    word += strspn(word, " ");
  }
  snprintf(text, 16, "%.*s", (int)strcspn(word, " "), word);
}
