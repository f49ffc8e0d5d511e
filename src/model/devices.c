/* hk_devices and hk_selftest: what there is to compute on, and whether it computes right. */
#include <hooke/run.h>
#include "device/bandwidth.h"
#include "model/problem.h"
#include "operator/element_matrix.h"
#include "output/json.h"
#include "solver/explicit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Arrays of 1/64 of the memory, between what a processor's caches hold and 1 GB; small ones where a processor
 * plays the device, slowly. */
static hk_count array_bytes(const hk_device_info *info)
{
  const hk_count least = 128 << 20, most = 1 << 30, part = info->memory / 64;
  if (info->emulated) return 8 << 20;
  return info->compiles && part > least ? (part < most ? part : most) : least;
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
    json_array_append_new(root, line);
  }
  HK_TRY(hk_json_dump(root, 6, json));
cleanup:
  json_decref(root);
  return status;
}

/* Lame's mode of a free square or cube, u = (cos kx sin ky, -sin kx cos ky) cos wt, k = pi / L, w = sqrt(2) k c_s: after a
 * period it has come back. *error: mass-weighted L2 difference over the norm. */
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
};

typedef struct trial {
  hk_mesh *mesh;
  hk_region region;
  int16_t *element_region;
  hk_space *space;
  hk_operator *op;
  double *mass, *u, *result;
  hk_drive drive;
  hk_explicit *solver;
} trial;

static void clear_trial(trial *t)
{
  hk_explicit_destroy(&t->solver);
  hk_operator_destroy(&t->op);
  hk_space_destroy(&t->space);
  hk_free(&t->element_region);
  hk_free(&t->mass);
  hk_free(&t->u);
  hk_free(&t->result);
  hk_mesh_destroy(&t->mesh);
}

static hk_status build_trial(trial *t, hk_device *device, const known_answer *a)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  const int dim = a->shape == HK_TRI3 || a->shape == HK_QUAD4 ? 2 : 3;
  double *nodal = NULL;
  HK_TRY(hk_mesh_create_grid(
      &(hk_mesh_grid){
          .dim = dim, .to = {1, 1, 1}, .cells = {a->cells, a->cells, a->cells}, .shape = a->shape},
      &t->mesh));
  t->region.material.density = 1, t->region.thickness = 1;
  HK_TRY(hk_material_isotropic(1, 0.3, &t->region.material));
  HK_TRY(hk_get(&t->element_region, t->mesh->element_count));
  HK_TRY(hk_operator_choose(a->method, t->mesh, device, &kind));
  const hk_space_desc numbering = kind->space(t->mesh, device);
  HK_TRY(hk_space_create(t->mesh, &numbering, &t->space));
  HK_TRY(hk_operator_create(kind,
                            &(hk_operator_desc){.device = device,
                                                .space = t->space,
                                                .region = &t->region,
                                                .element_region = t->element_region,
                                                .double_precision = a->double_precision},
                            &t->op));
  HK_TRY(hk_get(&nodal, t->mesh->node_count));
  HK_TRY(hk_get(&t->mass, t->space->padded));
  HK_TRY(hk_mass_lumped(t->mesh, &t->region, t->element_region, nodal));
  hk_space_to_internal(t->space, 1, nodal, t->mass);
cleanup:
  hk_free(&nodal);
  return status;
}

static hk_status start_mode(trial *t)
{
  hk_status status = HK_OK;
  const double pi = acos(-1);
  const int dim = t->space->dim;
  HK_TRY(hk_get(&t->u, (hk_count)t->space->padded * dim));
  HK_TRY(hk_get(&t->result, (hk_count)t->space->padded * dim));
  for (hk_index i = 0; i < t->space->padded; i++) {
    if (t->space->mesh_node[i] < 0) continue;
    const double *x = t->mesh->x + (hk_count)t->space->mesh_node[i] * dim;
    t->u[(hk_count)i * dim] = cos(pi * x[0]) * sin(pi * x[1]);
    t->u[(hk_count)i * dim + 1] = -sin(pi * x[0]) * cos(pi * x[1]);
  }
cleanup:
  return status;
}

static hk_status run_trial(hk_device *device, const known_answer *a, double *error)
{
  hk_status status = HK_OK;
  trial t = {0};
  double difference = 0, norm = 0;
  const double period = sqrt(2) * sqrt(2.6), dt = 0.3 / (double)a->cells * sqrt(1.3 * 0.4 / 0.7);
  const hk_count steps = (hk_count)ceil(period / dt);
  HK_TRY(build_trial(&t, device, a));
  HK_TRY(start_mode(&t));
  HK_TRY(hk_explicit_create(&(hk_explicit_desc){.op = t.op,
                                                .dt = period / (double)steps,
                                                .steps = steps,
                                                .mass = t.mass,
                                                .drive = &t.drive},
                            &t.solver));
  HK_TRY(hk_explicit_start(t.solver, t.u, NULL));
  HK_TRY(hk_explicit_advance(t.solver, steps));
  HK_TRY(hk_explicit_read(t.solver, 0, HK_STATE_DISPLACEMENT, t.result));
  for (hk_count i = 0; i < (hk_count)t.space->padded * t.space->components; i++) {
    const double m = t.mass[i / t.space->components], d = t.result[i] - t.u[i];
    difference += m * d * d, norm += m * t.u[i] * t.u[i];
  }
  *error = sqrt(difference / norm);
cleanup:
  clear_trial(&t);
  return status;
}

static bool is_known(const char *method)
{
  for (int i = 0; hk_operator_name(i); i++)
    if (!strcmp(hk_operator_name(i), method)) return true;
  return false;
}

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
    if (!is_known(a->method)) continue;
    HK_TRY(run_trial(device, a, &error));
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
