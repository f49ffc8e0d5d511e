/* hk_check of static models: what holds them, and what a run will take. */
#include "device/bandwidth.h"
#include "load/rigid.h"
#include "mesh/mesh.h"
#include "run/estimate/check.h"
#include "run/estimate/idle.h"
#include "run/estimate/resolution.h"
#include "run/static/static.h"
#include "model/unit_names.h"
#include "base/json.h"
#include "solver/linear/direct/factor.h"
#include "solver/linear/method.h"
#include <math.h>
#include <string.h>

/* Code and tables of the libraries (HDF5 before all) and stacks that a run touches after it has been
 * prepared; measured. */
static const double RUN_BYTES = 6e6;

/* Passes over K: an iteration with a preconditioner of several, as many as usual ones take; and what
 * unusual models take. */
enum { USUAL_PASSES = 150, MOST_PASSES = 3000 };

/* Of the methods that make a dense matrix, and its copy for the host's library where the device is another. */
static double dense_bytes(const hk_static *s)
{
  const hk_method *method = hk_linear_method(s->model->solve.how.method);
  const hk_factor_desc factor = {.device = s->device, .library = s->model->solve.how.library};
  const bool made = method && method->makes_dense,
             copied = made && !(method->options & HK_OPTION_ORDERING) &&
                      hk_device_describe(s->device)->own_memory &&
                      !hk_factor_on_device(&factor, true);
  return made ? (1 + copied) * hk_dense_bytes((double)s->dofs, true) : 0;
}

/* Vectors of the iteration and of its preconditioner, and the matrix that it is made from, beside K and
 * the vectors that hk_static_plan counts. */
static double solver_bytes(const hk_static *s, double k)
{
  return 12.0 * 8 * (double)s->dofs + 1.5 * k + dense_bytes(s);
}

/* A dense matrix that the run would refuse. */
static void check_dense(const hk_static *s)
{
  const double need = dense_bytes(s), room = (double)hk_device_available(s->device);
  if (need > room)
    hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0,
                    "method %s: a dense matrix of %lld unknowns needs %.3f GB, and %.3f GB are "
                    "free, so the run will end with 5: use the method cholesky or cg",
                    s->model->solve.how.method, (long long)s->dofs, need / 1e9, room / 1e9);
}

static hk_status measure_bandwidth(const hk_static *s, double *gb_per_s)
{
  hk_bandwidth measured;
  const hk_status status = hk_bandwidth_measure(s->device, 64 << 20, &measured);
  if (status == HK_OK) *gb_per_s = measured.copy_gb_per_s;
  return status;
}

static hk_status try_steps(hk_static *s)
{
  hk_status status = HK_OK;
  double start = 0;
  bool told = s->heat;
  for (int i = 0; i < s->model->step_count; i++) {
    HK_TRY(hk_static_hold(s, i, start));
    HK_TRY(hk_static_check_rigid(s));
    if (!told) HK_TRY(hk_static_check_joints(s, &told));
    HK_TRY(hk_static_load(s, i, start));
    start += s->model->step[i].duration;
  }
cleanup:
  return status;
}

hk_status hk_static_predict(const hk_model *model, const hk_run_desc *desc, const hk_growth *growth,
                            hk_messages *list, char **json)
{
  const double nodes = growth ? growth->nodes : 1;
  hk_status status = HK_OK;
  hk_session run = {.model = model, .desc = desc, .list = list, .start = hk_seconds()};
  hk_static s = {.session = &run, .model = model, .list = list};
  const hk_mesh *mesh = model->mesh;
  hk_count now, peak, k, all;
  double bandwidth;
  json_t *root = json_object();

  HK_TRY(hk_static_prepare(&s));
  HK_TRY(hk_static_check_laws(&s));
  HK_TRY(hk_static_vectors(&s));
  HK_TRY(try_steps(&s));
  HK_TRY(measure_bandwidth(&s, &bandwidth));
  check_dense(&s);
  hk_model_warn_idle(model, list);
  hk_memory_resident(&now, &peak);
  HK_TRY(hk_static_plan(&s, true, &k, &all));
  const double pass = (double)k / (1e9 * bandwidth) * model->step_count,
               own = (double)(now - hk_memory_held()) + RUN_BYTES,
               grown = hk_static_grow(&s, k, nodes),
               rest = (double)hk_memory_held() + (double)(all - k) + solver_bytes(&s, 0),
               memory = own + grown + solver_bytes(&s, grown) - solver_bytes(&s, 0) + nodes * rest;
  json_object_set_new(root, "model", json_string(model->path));
  hk_check_add_units(model, list, root);
  json_object_set_new(root, "analysis", json_string(s.heat ? "heat" : "static"));
  json_object_set_new(root, "quality", hk_check_quality(mesh, list));
  json_object_set_new(root, "rigid_body_modes", json_integer(0)); /* else the check has ended */
  json_object_set_new(root, "method", json_string(s.kind->name));
  json_object_set_new(root, "precision", json_string(s.double_precision ? "double" : "single"));
  json_object_set_new(root, "counts",
                      json_pack("{s:I, s:I, s:I, s:I, s:i}", "nodes", (json_int_t)mesh->node_count,
                                "elements", (json_int_t)mesh->element_count, "dofs",
                                (json_int_t)s.space->nodes * s.space->components,
                                "constrained_dofs", (json_int_t)s.held.count, "steps",
                                model->step_count));
  json_object_set_new(root, "memory_bytes",
                      hk_json_real(growth ? memory : fmax(memory, (double)peak)));
  json_object_set_new(root, "memory_free_bytes", json_integer((json_int_t)hk_memory_available()));
  json_object_set_new(root, "disk_bytes", hk_json_real(nodes * (double)hk_static_disk(&s)));
  json_object_set_new(root, "seconds", hk_json_real(nodes * USUAL_PASSES * pass));
  json_object_set_new(root, "seconds_low", hk_json_real(nodes * USUAL_PASSES / 5. * pass));
  json_object_set_new(root, "seconds_high", hk_json_real(nodes * MOST_PASSES * pass));
  json_object_set_new(root, "estimated", json_boolean(growth != NULL));
  if (!s.heat && !growth) hk_resolution_check_speeds(model, list);
  HK_TRY(hk_json_dump(root, 12, json));
cleanup:
  json_decref(root);
  hk_static_clear(&s);
  return status;
}
