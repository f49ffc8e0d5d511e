/* `hooke check` of a static model: tests whether it is held, and predicts the costs of a run.
 * Memory is planned from the form of K, and from a part of the mesh that is solved for it (trial.c). Time is a number of passes
 * over K, as usual preconditioned conjugate gradients need, at the measured bandwidth of the
 * device. For a sample all that grows with the nodes is scaled to the larger model. */
#include "device/bandwidth.h"
#include "device/held.h"
#include "run/static/static.h"
#include "solver/linear/direct/factor.h"
#include "solver/linear/list.h"
#include <math.h>

/* Code and tables of the library HDF5 that a run touches from the opening of its files on; measured. */
static const double RUN_BYTES = 4e6;

/* Passes over K: an iteration with a preconditioner of several, as many as usual ones take; and what
 * unusual models take. */
enum { USUAL_PASSES = 150, MOST_PASSES = 3000 };

/* Of the methods that make a dense matrix, and its copy for the host's library where the device is another. */
static double dense_bytes(const hk_static *s)
{
  const hk_method *method = hk_linear_method(s->on.model->solve.how.method);
  const hk_factor_desc factor = {.device = s->on.device, .library = s->on.model->solve.how.library};
  const bool made = method && method->makes_dense,
             copied = made && !(method->options & HK_OPTION_ORDERING) &&
                      hk_device_describe(s->on.device)->own_memory &&
                      !hk_factor_on_device(&factor, true);
  return made ? (1 + copied) * hk_dense_bytes((double)s->vector.dofs, true) : 0;
}

/* A dense matrix that the run would refuse. */
static void check_dense(const hk_static *s)
{
  const double need = dense_bytes(s), room = (double)hk_device_available(s->on.device);
  if (need > room)
    hk_messages_add(s->on.list, HK_WARNING, s->on.model->path, 0, 0,
                    "method %s: a dense matrix of %lld unknowns needs %.3f GB, and %.3f GB are "
                    "free, so the run will end with 5: use the method cholesky or cg",
                    s->on.model->solve.how.method, (long long)s->vector.dofs, need / 1e9,
                    room / 1e9);
}

/* By arrays as large as the matrix, which stays in a cache if it is small, and 64 MB at most. */
static hk_status measure_bandwidth(const hk_static *s, double matrix_bytes, double *gb_per_s)
{
  hk_bandwidth measured;
  const hk_count bytes = (hk_count)fmin(fmax(matrix_bytes, 1 << 20), 64 << 20);
  const hk_status status = hk_bandwidth_measure(s->on.device, bytes, &measured);
  if (status == HK_OK) *gb_per_s = measured.copy_gb_per_s;
  return status;
}

static void widen(double span[2], double t)
{
  span[0] = fmin(span[0], t), span[1] = fmax(span[1], t);
}

/* Temperatures that are known before the solution: initial and prescribed ones, and constant sinks of films. */
static void find_span(const hk_static *s, const hk_step *step, double span[2])
{
  const hk_constraints *held = &s->held.own;
  for (hk_index i = 0; s->time.t && hk_model_marches(s->on.model) && i < s->on.space->padded; i++)
    if (s->on.space->mesh_node[i] >= 0) widen(span, s->time.t[i]);
  const double theta = hk_static_theta(s, (int)(step - s->on.model->step));
  for (hk_index i = 0; i < held->count; i++) {
    /* what is held is theta times the temperature at the end and 1 - theta times that at the begin */
    const double begun = theta > 0 ? s->time.t[held->dof[i]] : 0,
                 ended = theta > 0 ? (held->offset[i] - (1 - theta) * begun) / theta : 0;
    if (held->begin[i] == held->begin[i + 1]) widen(span, theta > 0 ? ended : held->offset[i]);
  }
  for (const hk_load *l = step->load; l < step->load + step->load_count; l++)
    if (l->kind == HK_LOAD_FILM && !l->by && l->signal < 0) widen(span, l->vector[0]);
}

/* Tables that these temperatures leave. CalculiX takes the first or the last value there too. */
static void tell_spans(const hk_static *s, const double span[2])
{
  static const char *const of[HK_TABLES] = {
      [HK_AT_CONDUCTIVITY] = "conductivity", [HK_AT_SPECIFIC_HEAT] = "specific heat"};
  const hk_model *model = s->on.model;
  for (int r = 0; hk_static_heats(s) && r < model->region_count; r++)
    for (int k = 0; k < HK_TABLES; k++) {
      const hk_material *m = &model->region[r].material;
      const hk_table *table = m->at[k];
      if (!table || table->rows < 2) continue;
      const int last = table->rows - 1;
      const double low = table->row[0][0], high = table->row[last][0];
      /* an end that is a jump is one of latent heat on a constant, and no end of data */
      if ((low < table->row[1][0] && span[0] < low) ||
          (table->row[last - 1][0] < high && span[1] > high))
        hk_messages_add(
            s->on.list, HK_NOTE, model->path, 0, 0,
            "material %s: the table of its %s is for temperatures of %g to %g, and "
            "those that are given (initial, prescribed, sinks) go from %g to %g: beyond "
            "its ends the table is constant",
            m->name ? m->name : model->region[r].name, of[k], low, high, span[0], span[1]);
    }
}

static hk_status try_steps(hk_static *s)
{
  double span[2] = {INFINITY, -INFINITY};
  bool told = !hk_static_solid(s);
  for (int i = 0; i < s->on.model->step_count; i++) {
    const double start = hk_model_step_start(s->on.model, i);
    s->time.increment = hk_static_increments(&s->on.model->step[i]);
    HK_PASS(hk_static_hold(s, i, start));
    if (!(hk_static_theta(s, i) > 0)) HK_PASS(hk_static_check_rigid(s));
    if (!told) HK_PASS(hk_static_check_joints(s, &told));
    HK_PASS(hk_static_load(s, start));
    find_span(s, &s->on.model->step[i], span);
  }
  tell_spans(s, span);
  return HK_OK;
}

/* Bytes of K, of vectors that come with it, of what the solver and the results take of the host beside them; code and tables of libraries that a
 * trial leaves behind, as a run does. */
typedef struct needs {
  hk_count plan, vectors;
  hk_trial trial;
  double k, code;
  double making, on_device; /* of the device: the most while K is made, and K then */
} needs;

/* As in a run, which finds the kernels in the cache: without the compiler. */
static hk_count resident(const hk_device *device)
{
  hk_count now, peak;
  hk_memory_trim();
  hk_memory_resident(&now, &peak);
  return now - hk_device_compiler(device);
}

static hk_status find_needs(const hk_static *s, double nodes, needs *out)
{
  hk_assembled_room k;
  hk_count all;
  HK_PASS(hk_static_plan(s, true, &k, &all));
  out->plan = (hk_count)(hk_static_share(s) * (double)k.bytes);
  out->k = hk_static_grow(&k, hk_static_share(s), nodes);
  out->vectors = s->on.in ? 0 : 2 * hk_discretisation_bytes(&s->on);
  const hk_count before = resident(s->on.device);
  HK_PASS(hk_static_try(s, &k, nodes, &out->trial));
  /* PETSc does not give all back that it took of the part */
  out->code = out->trial.library > 0 ? out->trial.library
                                     : fmax(0, (double)(resident(s->on.device) - before));
  out->making = out->k * out->trial.device_making;
  out->on_device = out->k + out->trial.device_k;
  out->k *= out->trial.planned;
  return HK_OK;
}

bool hk_static_factors(const hk_static *s)
{
  const hk_static_how *how = &s->on.model->solve.how;
  return hk_linear_factors(how->method, how->preconditioner, s->on.model->mesh, s->components,
                           s->on.device);
}

/* Sparse factors on the host with what makes them, estimated: nested dissection fills b^2 c n^(4/3) numbers in 3D and b^2 c n log2 n in 2D for n nodes of b
 * components (George 1973; Lipton, Rose, Tarjan 1979). c: measured with MUMPS and METIS, of hex8, hex27, tet4 and tri3, within a third. */
static double factor_bytes(const hk_static *s, double nodes)
{
  const double solid = 13, flat = 5.6;
  const hk_static_how *how = &s->on.model->solve.how;
  const hk_mesh *mesh = s->on.model->mesh;
  const hk_method *method = hk_linear_method(how->method);
  const hk_factor_desc factor = {.device = s->on.device,
                                 .library = how->library,
                                 .host = !method || method == &hk_method_direct};
  const double n = nodes * (double)mesh->node_count, b = s->components;
  if (!hk_static_factors(s) || (method && method->makes_dense) ||
      hk_factor_on_device(&factor, false))
    return 0;
  return 8 * b * b * (mesh->dim == 3 ? solid * pow(n, 4 / 3.) : flat * n * log2(n));
}

/* Results at nodes take no memory before they are written, after the last solution. */
static double results_bytes(const hk_static *s)
{
  const int values = 3 * s->components + s->tensor * (hk_static_solid(s) ? 2 : 1);
  return 8.0 * (double)s->on.model->mesh->node_count * values;
}

/* While results at nodes are made of those at points, and while fields are written: the first frame's room is filled when the means are gone. */
static double ending_bytes(const hk_static *s, const hk_trial *t, double room)
{
  return s->frames.count > 1 ? room + t->gathering : fmax(room, t->gathering);
}

/* The most that is held at a time, in a model with `nodes` times the nodes. held: bytes of this one; filled: those of them that are not empty before K is
 * made. Vectors fill with the first solution; steps and iterations with other constraints or another K make their solver with these in use. Transient
 * steps have the capacity as a second K. */
static double most_held(const hk_static *s, const needs *n, hk_count held, double filled,
                        double nodes)
{
  const hk_trial *t = &n->trial;
  const bool own = hk_device_describe(s->on.device)->own_memory,
             once = s->on.model->step_count == 1 && !hk_static_depends(s);
  const double k = (own ? 0 : n->k) * (hk_model_marches(s->on.model) ? 2 : 1),
               beside = t->beside_k * (hk_model_marches(s->on.model) ? 2 : 1),
               vectors = own ? 0 : (double)n->vectors, all = (double)held + vectors,
               bare = all - results_bytes(s), /* one frame's results are written once */
      means =
          8.0 * (double)s->on.model->mesh->node_count * s->tensor * (hk_static_solid(s) ? 2 : 1),
               room = hk_static_room(s), first = s->frames.count > 1 ? room : -means,
               making = nodes * filled + t->making + t->beside_k,
               creating = nodes * (once ? filled : bare) + beside + t->creating,
               solving = nodes * bare + beside + t->kept + t->checking,
               gathering = beside + t->kept + t->gathering,
               points = nodes * (all + first) + gathering + hk_static_points_room(s),
               writing = nodes * all + beside + t->kept + ending_bytes(s, t, nodes * room);
  return k + dense_bytes(s) + factor_bytes(s, nodes) +
         fmax(fmax(making, creating), fmax(solving, fmax(points, writing)));
}

/* Bytes of the device at most: while K is made, or while it is solved for. Transient steps make their capacity, as large as K, beside it. Whether a
 * library of the device factors is only asked where there are factors: its pages are resident from then on. */
static double on_device(const hk_static *s, const needs *n, double nodes)
{
  const hk_factor_desc factor = {.device = s->on.device, .library = s->on.model->solve.how.library};
  const bool marches = hk_model_marches(s->on.model);
  const double vectors = nodes * 2 * (double)hk_discretisation_bytes(&s->on),
               factors = hk_static_factors(s) && hk_factor_on_device(&factor, false)
                             ? factor_bytes(s, nodes)
                             : 0;
  return fmax(n->making + marches * n->on_device, (1 + marches) * n->on_device + vectors +
                                                      n->trial.device_solving + factors +
                                                      dense_bytes(s));
}

/* Of solutions that take `pass` seconds for a pass over K each time. An iteration passes over K once, with a preconditioner of several a few times. A run like it, of one
 * steady solution per step, tells more. nodes: of the model. */
static void predict_seconds(const hk_static *s, double pass, double nodes, hk_cost *out)
{
  const double kept = hk_model_marches(s->on.model) ? 0 : hk_stages_kept_solve(&s->on, nodes);
  out->seconds = kept > 0 ? kept : USUAL_PASSES * pass;
  out->seconds_low = kept > 0 ? kept / 2 : USUAL_PASSES / 5. * pass;
  out->seconds_high = fmax(2 * kept, MOST_PASSES * pass);
}

/* Of `nodes` times as many nodes. most: bytes held at most until
 * now; own: code, stacks and libraries. */
static hk_status predict(const hk_static *s, const hk_growth *growth, hk_count most, hk_count own,
                         hk_cost *out, double *device)
{
  const double nodes = growth ? growth->nodes : 1;
  const hk_count beside = growth ? growth->beside : 0, held = hk_memory_held() - beside;
  const double filled =
      fmin(fmax((double)(resident(s->on.device) - own - beside), 0), (double)held);
  needs n;
  double bandwidth;
  HK_PASS(find_needs(s, nodes, &n));
  HK_PASS(measure_bandwidth(s, nodes * (double)n.plan, &bandwidth));
  double solutions = 0;
  for (int i = 0; i < s->on.model->step_count; i++)
    solutions += (double)hk_static_increments(&s->on.model->step[i]);
  const double pass = nodes * (double)n.plan / (1e9 * bandwidth) * solutions,
               memory = (double)own + n.code + RUN_BYTES + most_held(s, &n, held, filled, nodes),
               before = (double)own +
                        (growth ? hk_growth_of_bytes(growth, s->on.model->mesh, (double)most)
                                : (double)most);
  *device = n.trial.failed ? n.making : on_device(s, &n, nodes);
  *out = (hk_cost){.memory = n.trial.failed ? NAN : fmax(memory, before),
                   .least = fmax(memory, before),
                   .before = before,
                   .disk = nodes * (double)hk_static_disk(s)};
  predict_seconds(s, pass, nearbyint(nodes * (double)s->on.model->mesh->node_count), out);
  return HK_OK;
}

/* sample: the session's model is a sample of a larger one, which has growth->nodes times as many nodes and whose memory, disk and seconds are
 * estimated; NULL: the model itself. */
static hk_status check(hk_session *session, const hk_case_sample *sample, const hk_growth *growth,
                       json_t *root)
{
  hk_status status = HK_OK;
  hk_static s = hk_static_of(session);
  hk_cost cost;
  double device;
  hk_memory_renew_peak();
  HK_TRY(hk_static_prepare(&s));
  const hk_count now = resident(s.on.device), /* all that is held is filled so far */
      own = now > hk_memory_held() ? now - hk_memory_held() : 0;
  HK_TRY(hk_static_vectors(&s));
  HK_TRY(hk_static_check_laws(&s));
  HK_TRY(try_steps(&s));
  check_dense(&s);
  hk_count most = hk_estimate_most(session->model);
  if (sample) most -= sample->held;
  if (sample && sample->memory > most) most = sample->memory;
  HK_TRY(predict(&s, growth, most, own, &cost, &device));
  hk_check_begin(&s.on, root);
  json_object_set_new(root, "rigid_body_modes", json_integer(0)); /* else the check has ended */
  hk_check_add_form(&s.on, root);
  if (!growth) hk_static_tell_advection(&s, root);
  hk_summary_count(root, "constrained_dofs", s.held.own.count);
  hk_summary_count(root, "steps", session->model->step_count);
  hk_check_add_cost(&cost, growth != NULL, root);
  hk_stages_add_kept(
      &s.on, nearbyint((growth ? growth->nodes : 1) * session->model->mesh->node_count), root);
  hk_check_room(&cost, session->list);
  hk_check_add_devices((hk_device *const[]){s.on.device}, 1, device,
                       "K, its vectors and its solver",
                       "use a device with more memory or a coarser mesh", session->list, root);
  if (hk_static_solid(&s) && !growth) hk_resolution_check_speeds(session->model, session->list);
cleanup:
  hk_static_clear(&s);
  return status;
}

hk_status hk_static_check(hk_session *session, json_t *root)
{
  return check(session, NULL, NULL, root);
}

/* What the sample takes, grown; what is held is in proportion to the surface. */
hk_status hk_static_ahead(hk_session *session, const hk_model_desc *of,
                          const hk_case_sample *sample, json_t *root, bool *complete)
{
  const hk_case_plan *plan = &sample->plan;
  const hk_mesh *mesh = session->model->mesh;
  const hk_growth growth = {.nodes = plan->nodes / (double)mesh->node_count,
                            .elements = plan->elements / (double)mesh->element_count,
                            .beside = sample->held};
  (void)of, *complete = false;
  HK_PASS(check(session, sample, &growth, root));
  const json_t *counts = json_object_get(root, "counts");
  const double held = json_number_value(json_object_get(counts, "constrained_dofs"));
  hk_ahead_scale_edges(sample, root);
  hk_ahead_count(plan, root);
  hk_summary_count(root, "constrained_dofs",
                   (hk_count)nearbyint(held * pow(growth.nodes, (plan->dim - 1.0) / plan->dim)));
  return HK_OK;
}
