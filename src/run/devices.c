/* hk_devices lists the devices with their memory and measured bandwidth. hk_selftest checks whether
 * devices compute correctly. The self-test steps a Lame mode of a unit body through one period, by
 * several forms of K, shapes and precisions, and compares with the initial state
 * (validation/small_run.c). The tolerance of each test is the discretisation error of its mesh with
 * a margin of 10 %. */
#include <hooke/run.h>
#include "device/bandwidth.h"
#include "link/measure.h"
#include "link/ranks.h"
#include "run/validation/validation.h"
#include "solver/linear/petsc/petsc.h"
#include "base/json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Arrays of 1/64 of the memory, between what a processor's caches hold and 1 GB; small ones where a processor
 * plays the device, slowly. */
static hk_count array_bytes(const hk_device_info *info)
{
  const hk_count least = 128 << 20, most = 1 << 30, part = info->memory / 64;
  if (info->unoptimised) return 8 << 20;
  return info->own_memory && part > least ? (part < most ? part : most) : least;
}

static hk_status describe(const hk_device_desc *desc, json_t **out)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  hk_bandwidth speed;
  HK_TRY(hk_device_create(desc, &device));
  const hk_device_info *info = hk_device_describe(device);
  HK_TRY(hk_device_check(device));
  HK_TRY(hk_bandwidth_measure(device, array_bytes(info), &speed));
  *out = json_pack("{s:s, s:s, s:s, s:I, s:i, s:f, s:f}", "device", desc->name, "name", info->name,
                   "instruction_set", info->isa, "memory_bytes", (json_int_t)info->memory,
                   "threads", info->threads, "copy_gb_per_s", speed.copy_gb_per_s,
                   "stream_gb_per_s", speed.step_gb_per_s);
cleanup:
  hk_device_close(&device);
  return status;
}

/* The link from a device to another that computes beside the host; nothing for others. */
static hk_status describe_link(const hk_device_desc *how, const char *from, const char *to,
                               json_t *list)
{
  static const char *const names[] = {"peers", "memory"};
  hk_status status = HK_OK;
  hk_device *device[2] = {NULL, NULL};
  hk_device_desc desc = *how;
  hk_link_speed speed;
  for (int k = 0; k < 2; k++) {
    desc.name = k ? to : from;
    HK_TRY(hk_device_create(&desc, &device[k]));
    if (!hk_device_describe(device[k])->overlaps) goto cleanup;
  }
  for (int k = 0; k < 2; k++) {
    if (k == 0 && !hk_device_reaches(device[0], device[1])) continue;
    HK_TRY(hk_link_measure(names[k], device[0], device[1], &speed));
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:f, s:f}", "to", to, "link", speed.name,
                                    "latency_us", speed.latency_us, "gb_per_s", speed.gb_per_s));
  }
cleanup:
  for (int k = 0; k < 2; k++) hk_device_close(&device[k]);
  return status;
}

/* Links to the devices that come behind it in the list. */
static void add_links(const hk_device_desc *how, int k, json_t *line)
{
  char from[16], to[16];
  json_t *list = json_array();
  if (!hk_device_list(how, k, from)) return;
  for (int i = k + 1; hk_device_list(how, i, to); i++)
    if (strcspn(from, ":") == strcspn(to, ":") && !strncmp(from, to, strcspn(to, ":")) &&
        describe_link(how, from, to, list) != HK_OK)
      json_array_append_new(list, json_pack("{s:s, s:s}", "to", to, "error", hk_error()));
  if (json_array_size(list)) json_object_set(line, "links", list);
  json_decref(list);
}

/* "PETSc 3.18.5 (Open MPI)", where hooke's plug-in for it is there. */
static void add_petsc(json_t *line)
{
  char found[512];
  if (hk_petsc_find(found, sizeof found)) json_object_set_new(line, "petsc", json_string(found));
}

/* "openmpi, mpich": implementations of MPI that are there, with hooke's plug-ins for them. */
static void add_mpi(json_t *line)
{
  static const char *const names[] = {"openmpi", "mpich"};
  char path[1024], found[64] = "";
  size_t at = 0;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (hk_ranks_find(names[k], path, sizeof path))
      at += (size_t)snprintf(found + at, sizeof found - at, "%s%s", at ? ", " : "", names[k]);
  if (at) json_object_set_new(line, "mpi", json_string(found));
}

hk_status hk_devices(const hk_run_desc *how, char **json)
{
  hk_status status = HK_OK;
  char name[16];
  json_t *root = json_array();
  const hk_device_desc desc = {
      .name = name, .threads = how->threads, .toolkit = how->toolkit, .cache = how->cache};
  for (int k = 0; hk_device_list(&desc, k, name); k++) {
    json_t *line = NULL;
    if (describe(&desc, &line) != HK_OK)
      line = json_pack("{s:s, s:s}", "device", name, "error", hk_error());
    add_links(&desc, k, line);
    if (k == 0) add_mpi(line), add_petsc(line);
    json_array_append_new(root, line);
  }
  HK_TRY(hk_json_dump(root, 6, json));
cleanup:
  json_decref(root);
  return status;
}

typedef struct known_answer {
  const char *method;
  hk_shape shape;
  hk_count cells;
  bool double_precision;
  double tolerance; /* discretisation error of this mesh, with 10 % on top */
} known_answer;

static const known_answer answers[] = {
    {"stored", HK_TRI3, 16, true, 4.1e-2},       {"stored", HK_QUAD4, 16, false, 7.5e-3},
    {"stored", HK_TET4, 8, true, 1.7e-1},        {"stored", HK_HEX8, 8, false, 2.3e-2},
    {"edges", HK_TRI3, 16, false, 4.1e-2},       {"edges", HK_QUAD4, 16, true, 7.5e-3},
    {"edges", HK_TET4, 8, false, 1.7e-1},        {"edges", HK_HEX8, 8, true, 2.3e-2},
    {"matrix-free", HK_TRI3, 16, false, 4.1e-2}, {"matrix-free", HK_QUAD4, 16, true, 7.5e-3},
    {"matrix-free", HK_TET4, 8, false, 1.7e-1},  {"matrix-free", HK_HEX8, 8, true, 2.3e-2},
    {"blocks", HK_TRI3, 16, true, 4.1e-2},       {"blocks", HK_QUAD4, 16, false, 7.5e-3},
    {"blocks", HK_TET4, 8, false, 1.7e-1},       {"blocks", HK_HEX8, 8, true, 2.3e-2},
};

/* All answers on one device onto the list; *failed counts those that are wrong. */
static hk_status test_device(const hk_device_desc *desc, json_t *root, int *failed)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  HK_TRY(hk_device_create(desc, &device));
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    const known_answer *a = &answers[i];
    double error = NAN;
    char name[96];
    if (!hk_operator_find(a->method)) continue; /* left out of this build */
    HK_TRY(hk_run_small(device,
                        &(hk_small_run){.method = a->method,
                                        .shape = a->shape,
                                        .cells = a->cells,
                                        .double_precision = a->double_precision},
                        &error, NULL, NULL));
    const bool passed = error <= a->tolerance;
    *failed += !passed;
    snprintf(name, sizeof name, "Lame mode, %s, %s, %s", hk_shape_name(a->shape), a->method,
             a->double_precision ? "double" : "single");
    json_array_append_new(root, json_pack("{s:s, s:s, s:o, s:f, s:b}", "device",
                                          hk_device_describe(device)->backend, "test", name,
                                          "error", hk_json_real(error), "tolerance", a->tolerance,
                                          "passed", passed));
  }
cleanup:
  hk_device_close(&device);
  return status;
}

hk_status hk_selftest(const hk_run_desc *how, char **json)
{
  hk_status status = HK_OK;
  char name[16];
  json_t *root = json_array();
  hk_device_desc desc = {
      .name = how->device, .threads = how->threads, .toolkit = how->toolkit, .cache = how->cache};
  int failed = 0;
  if (desc.name) HK_TRY(test_device(&desc, root, &failed));
  for (int k = 0; !how->device && hk_device_list(&desc, k, name); k++) {
    desc.name = name;
    HK_TRY(test_device(&desc, root, &failed));
  }
  HK_TRY(hk_json_dump(root, 6, json));
  HK_CHECK(!failed, HK_CHECK_FAILED, "%d self-tests failed", failed);
cleanup:
  json_decref(root);
  return status;
}
