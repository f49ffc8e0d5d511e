/* Runs one bench. The device and the processor are measured first, by the speed of a copy; then the bench adds its
 * rows, each of which is also appended to rows.jsonl as soon as the next one comes, so that a stopped bench leaves
 * what it has measured. The result is one JSON object with the rows in a list. */
#include "bench.h"
#include "base/commit.h"
#include "device/bandwidth.h"
#include "base/file.h"
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  hk_status (*run)(hk_bench_job *job);
} benches[] = {{"pogo", hk_bench_pogo},
               {"assembly", hk_bench_assembly},
               {"integration", hk_bench_integration},
               {"femses", hk_bench_femses},
               {"sem", hk_bench_sem}};

enum { BENCHES = sizeof benches / sizeof *benches };

static const char lines_name[] = "rows.jsonl";

/* The last row, which is complete by now, behind the lines of those before it: a bench that is stopped leaves what it has measured. */
static void keep_last(const hk_bench_job *job)
{
  const size_t rows = json_array_size(job->rows);
  char *path = hk_bench_path(job, lines_name),
       *line = rows ? json_dumps(json_array_get(job->rows, rows - 1),
                                 JSON_COMPACT | JSON_REAL_PRECISION(6))
                    : NULL;
  FILE *file = path && line ? fopen(path, "a") : NULL;
  if (file) fprintf(file, "%s\n", line), fclose(file);
  free(line);
  hk_free(&path);
}

void hk_bench_add(hk_bench_job *job, json_t *row)
{
  keep_last(job);
  json_array_append_new(job->rows, row);
}

json_t *hk_bench_row(const char *name, const char *table, const char *method, const char *device,
                     bool double_precision, hk_count dofs, hk_count elements)
{
  json_t *row =
      json_pack("{s:s, s:s, s:s, s:s, s:s}", "case", name, "table", table, "method", method,
                "device", device, "precision", double_precision ? "double" : "single");
  if (dofs) hk_bench_set_integer(row, "dofs", dofs);
  if (elements) hk_bench_set_integer(row, "elements", elements);
  return row;
}

void hk_bench_set(json_t *row, const char *key, double value)
{
  json_object_set_new(row, key, hk_json_real(value));
}

void hk_bench_set_integer(json_t *row, const char *key, hk_count value)
{
  json_object_set_new(row, key, json_integer((json_int_t)value));
}

void hk_bench_set_text(json_t *row, const char *key, const char *value)
{
  json_object_set_new(row, key, json_string(value));
}

void hk_bench_set_interval(json_t *row, const char *key, hk_interval value)
{
  char name[64];
  snprintf(name, sizeof name, "%s_95", key);
  hk_bench_set(row, key, value.mean);
  if (isfinite(value.half)) hk_bench_set(row, name, value.half);
}

void hk_bench_set_bytes(const hk_bench_job *job, int place, json_t *row, double bytes,
                        double seconds)
{
  hk_bench_set_integer(row, "bytes", (hk_count)bytes);
  hk_bench_set(row, "gb_per_s", bytes / seconds * 1e-9);
  hk_bench_set(row, "share_of_copy", bytes / seconds * 1e-9 / job->copy_gb_per_s[place]);
}

hk_status hk_bench_open(const hk_bench_job *job, const char *name, int group_threads,
                        int local_share, hk_device **out)
{
  const hk_bench_desc *d = job->desc;
  return hk_device_create(&(hk_device_desc){.name = name,
                                            .threads = d->threads,
                                            .toolkit = d->toolkit,
                                            .cache = d->cache,
                                            .group_threads = group_threads,
                                            .local_share = local_share},
                          out);
}

bool hk_bench_is_beside(const hk_bench_job *job)
{
  return strcmp(job->device, "cpu") != 0;
}

hk_status hk_bench_on(hk_bench_job *job, int place,
                      hk_status (*measure)(hk_bench_job *job, hk_device *device, int place,
                                           void *data),
                      void *data)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  const int threads_before = omp_get_max_threads();
  HK_TRY(hk_bench_open(job, place ? "cpu" : job->desc->device, 0, 0, &device));
  omp_set_num_threads(hk_device_describe(device)->threads);
  HK_TRY(measure(job, device, place, data));
cleanup:
  hk_device_close(&device);
  omp_set_num_threads(threads_before);
  return status;
}

void hk_bench_say(const hk_bench_job *job, const char *format, ...)
{
  char words[160];
  va_list values;
  if (!job->desc->progress) return;
  va_start(values, format);
  vsnprintf(words, sizeof words, format, values);
  va_end(values);
  job->desc->progress(words, job->desc->user);
}

char *hk_bench_path(const hk_bench_job *job, const char *name)
{
  char *path = NULL;
  return hk_format(&path, "%s/%s", job->desc->output, name) == HK_OK ? path : NULL;
}

hk_status hk_bench_write(const hk_bench_job *job, const char *name, json_t *value)
{
  hk_status status = HK_OK;
  char *path = hk_bench_path(job, name);
  HK_CHECK(path && value && !json_dump_file(value, path, JSON_COMPACT | JSON_REAL_PRECISION(6)),
           HK_NO_RESOURCES, "%s cannot be written into %s", name, job->desc->output);
cleanup:
  json_decref(value);
  hk_free(&path);
  return status;
}

/* Name and copy speed of a device. */
static hk_status measure_device(const hk_bench_job *job, const char *name, hk_device_info *info,
                                double *copy)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  hk_bandwidth speed;
  const bool brief = job->seconds < 0.1; /* as tests are: no rates to compare */
  HK_TRY(hk_bench_open(job, name, 0, 0, &device));
  *info = *hk_device_describe(device);
  HK_TRY(hk_bandwidth_measure(device, info->unoptimised || brief ? 8 << 20 : 256 << 20, &speed));
  *copy = speed.copy_gb_per_s;
cleanup:
  hk_device_close(&device);
  return status;
}

hk_status hk_bench(const hk_bench_desc *desc, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  hk_bench_job job = {.desc = desc,
                      .list = list,
                      .rows = json_array(),
                      .seconds = desc->seconds > 0 ? desc->seconds : 0.5,
                      .trace_seconds = desc->trace_seconds > 0 ? desc->trace_seconds : 5,
                      .scale = desc->scale > 0 ? desc->scale : 1};
  hk_device_info info, host;
  json_t *root = NULL;
  char *lines = NULL;
  int which = 0;
  while (which < BENCHES && strcmp(benches[which].name, desc->name)) which++;
  HK_CHECK(which < BENCHES, HK_USAGE,
           "unknown bench %s: there are pogo, assembly, integration, femses and sem", desc->name);
  HK_TRY(hk_make_folder(desc->output));
  lines = hk_bench_path(&job, lines_name);
  HK_TRY(lines ? hk_write_text_file(lines, "") : HK_NO_RESOURCES);
  HK_TRY(measure_device(&job, desc->device, &info, &job.copy_gb_per_s[0]));
  snprintf(job.device, sizeof job.device, "%s", info.backend);
  job.copy_gb_per_s[1] = job.copy_gb_per_s[0];
  if (hk_bench_is_beside(&job)) HK_TRY(measure_device(&job, "cpu", &host, &job.copy_gb_per_s[1]));
  HK_TRY(benches[which].run(&job));
  keep_last(&job);
  root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:s, s:s, s:O}", "bench", desc->name,
                   "device", job.device, "device_name", info.name, "cpu_name",
                   hk_bench_is_beside(&job) ? host.name : info.name, "instruction_set", info.isa,
                   "copy_gb_per_s", job.copy_gb_per_s[0], "cpu_copy_gb_per_s", job.copy_gb_per_s[1],
                   "hooke_version", HK_VERSION, "commit", HK_COMMIT, "rows", job.rows);
  HK_TRY(hk_json_dump(root, 6, json));
cleanup:
  hk_free(&lines);
  json_decref(root);
  json_decref(job.rows);
  return status;
}
