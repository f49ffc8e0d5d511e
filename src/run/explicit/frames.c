/* Writes frames of fields in a thread of its own while the run steps on. A frame needs u_n and the
 * increments before and after it: velocity (u_n+1 - u_n-1) / 2 dt, acceleration their difference
 * over dt^2, pressure minus the rate of the potential (S.6), deformation of u_n alone (E.10). hk_frames_begin fetches the first two
 * from the device, hk_frames_complete the last one a step later. Two jobs alternate; the run waits
 * when both are in use. */
#include "mesh/scatter.h"
#include "operator/measure/deformation.h"
#include "run/explicit/stage.h"
#include "base/reals.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>

enum { JOBS = 2, MOST_THREADS = 4 };

/* What a frame is made of, in internal order: u_n; what the solver keeps of the last increment at n and at n + 1 (positions u_n-1, u_n+1);
 * integrals of fluids. */
enum { U, BEFORE, AFTER, INTEGRAL, PARTS };

typedef struct job {
  hk_count frame;
  double dt;
  hk_team_fetch *part[PARTS]; /* NULL: not needed */
} job;

typedef struct snapshot {
  double dt;
  const void *part[PARTS]; /* reals; NULL: not taken */
} snapshot;

typedef struct queue { /* of the thread that writes */
  job job[JOBS];
  int first, count; /* jobs handed over: job[first], ...; the next free one follows */
  job *begun;       /* the snapshot that waits for its last increment; NULL: none */
  bool ending, started;
  hk_failure failure; /* of the thread */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} queue;

struct hk_frames {
  const hk_space *space;
  const hk_model *model;
  const hk_field_layout *layout;
  hk_field_file *file;
  bool double_precision, positions; /* of the solver's state */
  int threads;  /* that put values in order: where the processor does not compute */
  hk_pool pool; /* of the arrays that follow */
  hk_quantity quantity[HK_FIELD_MOST];
  float *values;            /* [mesh node][components] */
  double *u, *deformation;  /* [mesh node][components of u], [mesh node][components]; or NULL */
  double *potential, *flow; /* [mesh node], [mesh node][dim + 1]: of fluids that flow; or NULL */
  hk_spectral_map *map;
  queue queue;
};

static double value_of(const hk_frames *f, const snapshot *at, hk_quantity quantity, hk_count i)
{
  if (quantity == HK_DISPLACEMENT) return hk_real_at(at->part[U], f->double_precision, i);
  if (quantity == HK_PRESSURE) return -value_of(f, at, HK_VELOCITY, i);
  double after = hk_real_at(at->part[AFTER], f->double_precision, i),
         before = hk_real_at(at->part[BEFORE], f->double_precision, i);
  if (f->positions) {
    const double u = hk_real_at(at->part[U], f->double_precision, i);
    after -= u, before = u - before;
  }
  return quantity == HK_VELOCITY ? (after + before) / (2 * at->dt)
                                 : (after - before) / (at->dt * at->dt);
}

/* A quantity is of one medium, and zero in the other. */
static void fill_values(hk_frames *f, const snapshot *at, hk_quantity quantity)
{
  const int c = quantity == HK_PRESSURE ? 1 : hk_model_vector(f->model);
  const hk_medium medium = quantity == HK_PRESSURE ? HK_FLUID : HK_SOLID;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < f->space->padded; i++) {
    const hk_index node = f->space->mesh_node[i];
    const bool there = node >= 0 && hk_model_acts(f->model, medium, node);
    for (int d = 0; d < c && node >= 0; d++)
      f->values[(hk_count)node * c + d] =
          there ? (float)value_of(f, at, quantity, (hk_count)i * f->space->components + d) : 0;
  }
}

/* Displacement, velocity and acceleration of fluids, beside those of solids that are there. */
static hk_status fill_flow(hk_frames *f, const snapshot *at, hk_quantity quantity)
{
  const int dim = f->space->dim;
  const hk_quantity of_potential = quantity == HK_VELOCITY ? HK_DISPLACEMENT : HK_VELOCITY;
  for (hk_index i = 0; i < f->space->padded; i++) {
    const hk_index node = f->space->mesh_node[i];
    if (node >= 0)
      f->potential[node] = quantity == HK_DISPLACEMENT
                               ? ((const double *)at->part[INTEGRAL])[i]
                               : value_of(f, at, of_potential, (hk_count)i * f->space->components);
  }
  HK_PASS(hk_flow_everywhere(f->model, f->potential, f->map, f->flow));
  for (hk_count n = 0; n < f->layout->mesh->node_count; n++)
    for (int c = 0; c < dim && f->model->media.fluid[n]; c++)
      f->values[n * dim + c] = (float)f->flow[n * (dim + 1) + c];
  return HK_OK;
}

/* Of u_n, in the numbering of the mesh. */
static hk_status fill_deformation(hk_frames *f, const snapshot *at, hk_deformation kind)
{
  const hk_model *m = f->model;
  const int dim = hk_model_vector(m),
            n = hk_deformation_components(kind, f->space->dim, m->region[0].plane);
  const hk_deformed body = {m->mesh, m->region, m->region_count, m->element_region};
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < f->space->padded; i++) {
    const hk_index node = f->space->mesh_node[i];
    const bool there = node >= 0 && hk_model_acts(m, HK_SOLID, node);
    for (int d = 0; d < dim && there; d++)
      f->u[(hk_count)node * dim + d] =
          value_of(f, at, HK_DISPLACEMENT, (hk_count)i * f->space->components + d);
  }
  HK_PASS(hk_deformation_nodes(&body, kind, f->u, f->deformation));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < m->mesh->node_count * n; i++) f->values[i] = (float)f->deformation[i];
  return HK_OK;
}

static hk_status fill(hk_frames *f, const snapshot *at, hk_quantity quantity)
{
  hk_deformation kind;
  if (hk_quantity_deforms(quantity, &kind)) return fill_deformation(f, at, kind);
  fill_values(f, at, quantity);
  return f->flow && quantity != HK_PRESSURE ? fill_flow(f, at, quantity) : HK_OK;
}

static hk_status write_job(hk_frames *f, const job *j)
{
  snapshot at = {.dt = j->dt};
  for (int k = 0; k < PARTS; k++)
    if (j->part[k]) HK_PASS(hk_team_fetch_wait(j->part[k], &at.part[k]));
  for (int q = 0; q < f->layout->quantity_count; q++) {
    HK_PASS(fill(f, &at, f->quantity[q]));
    HK_PASS(hk_field_file_write(f->file, j->frame, q, f->values));
  }
  return HK_OK;
}

static void *work(void *user)
{
  hk_frames *f = user;
  queue *q = &f->queue;
  omp_set_num_threads(f->threads); /* of all loops that this thread begins */
  pthread_mutex_lock(&q->mutex);
  for (;;) {
    while (!q->count && !q->ending) pthread_cond_wait(&q->changed, &q->mutex);
    if (!q->count) break;
    const job *j = &q->job[q->first];
    pthread_mutex_unlock(&q->mutex);
    const hk_status status = q->failure.status == HK_OK ? write_job(f, j) : HK_OK;
    pthread_mutex_lock(&q->mutex);
    hk_failure_keep(&q->failure, status);
    q->first = (q->first + 1) % JOBS, q->count--;
    pthread_cond_broadcast(&q->changed);
  }
  pthread_mutex_unlock(&q->mutex);
  return NULL;
}

/* double keeps positions */
static bool keeps_positions(const hk_problem *problem)
{
  return problem->on.double_precision;
}

static hk_quantity quantity_of(const hk_field_quantity *field)
{
  int q = 0;
  while (strcmp(hk_quantity_name((hk_quantity)q), field->name)) q++;
  return (hk_quantity)q;
}

static unsigned quantities_of(const hk_field_layout *layout)
{
  unsigned bits = 0;
  for (int q = 0; q < layout->quantity_count; q++) bits |= 1u << quantity_of(&layout->quantity[q]);
  return bits;
}

enum { DEFORMATIONS = 1u << HK_STRESS | 1u << HK_STRAIN | 1u << HK_DIVERGENCE | 1u << HK_ROTATION };

/* The most components of the quantities. */
static int widest(const hk_field_layout *layout)
{
  int most = 0;
  for (int q = 0; q < layout->quantity_count; q++)
    if (layout->quantity[q].components > most) most = layout->quantity[q].components;
  return most;
}

/* bytes[PARTS] of what quantities need; 0: not needed. */
static void find_bytes(const hk_problem *problem, unsigned quantities, hk_count *bytes)
{
  enum { RATES = 1u << HK_VELOCITY | 1u << HK_ACCELERATION | 1u << HK_PRESSURE };
  const hk_count vector = hk_discretisation_bytes(&problem->on);
  const bool fluid = problem->on.model->media.fluid,
             solid = !fluid || problem->on.model->media.solid,
             displacement = quantities & 1u << HK_DISPLACEMENT,
             deformed = quantities & DEFORMATIONS, rates = quantities & RATES,
             u = (solid && (displacement || deformed)) ||
                 (fluid && quantities & 1u << HK_VELOCITY) || (rates && keeps_positions(problem));
  bytes[U] = u * vector, bytes[BEFORE] = bytes[AFTER] = rates * vector;
  bytes[INTEGRAL] = (fluid && displacement) * problem->on.space->padded * 8LL;
}

static bool flows(const hk_problem *problem, unsigned quantities)
{
  enum { VECTORS = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY | 1u << HK_ACCELERATION };
  return quantities & VECTORS && problem->on.model->media.fluid;
}

static hk_count job_bytes(const hk_problem *p, unsigned quantities)
{
  hk_count bytes[PARTS], sum = 0;
  find_bytes(p, quantities, bytes);
  for (int k = 0; k < PARTS; k++) sum += bytes[k];
  return sum;
}

static hk_status get_jobs(hk_frames *f, const hk_problem *problem)
{
  hk_count bytes[PARTS];
  find_bytes(problem, quantities_of(f->layout), bytes);
  for (int j = 0; j < JOBS; j++)
    for (int k = 0; k < PARTS; k++)
      if (bytes[k])
        HK_PASS(hk_team_fetch_create(problem->on.device, problem->division, bytes[k],
                                     &f->queue.job[j].part[k]));
  return HK_OK;
}

hk_status hk_frames_create(const hk_problem *problem, const hk_field_layout *layout,
                           hk_field_file *file, hk_frames **out)
{
  hk_status status = HK_OK;
  const int dim = problem->on.space->dim;
  const hk_count nodes = layout->mesh->node_count;
  hk_frames *f = NULL;
  HK_TRY(hk_new(&f));
  f->model = problem->on.model, f->space = problem->on.space, f->layout = layout, f->file = file,
  f->double_precision = problem->on.double_precision, f->positions = keeps_positions(problem);
  const hk_device_info *info = hk_device_describe(problem->on.device);
  f->threads = !info->overlaps ? 1 : info->threads < MOST_THREADS ? info->threads : MOST_THREADS;
  pthread_mutex_init(&f->queue.mutex, NULL);
  pthread_cond_init(&f->queue.changed, NULL);
  HK_TRY(get_jobs(f, problem));
  for (int q = 0; q < layout->quantity_count; q++)
    f->quantity[q] = quantity_of(&layout->quantity[q]);
  HK_TRY(hk_pool_get(&f->pool, &f->values, nodes * widest(layout)));
  if (quantities_of(layout) & DEFORMATIONS) {
    HK_TRY(hk_pool_get(&f->pool, &f->u, nodes * hk_model_vector(problem->on.model)));
    HK_TRY(hk_pool_get(&f->pool, &f->deformation, nodes * widest(layout)));
  }
  if (flows(problem, quantities_of(layout))) {
    HK_TRY(hk_pool_get(&f->pool, &f->map, 1));
    HK_TRY(hk_pool_get(&f->pool, &f->potential, nodes));
    HK_TRY(hk_pool_get(&f->pool, &f->flow, nodes * (dim + 1)));
  }
  HK_CHECK(pthread_create(&f->queue.thread, NULL, work, f) == 0, HK_NO_RESOURCES,
           "the output thread could not be started");
  f->queue.started = true;
  *out = f, f = NULL;
cleanup:
  hk_frames_destroy(&f);
  return status;
}

/* Under the lock: what the thread waits for has changed. */
static void tell(queue *q, int jobs, bool ending)
{
  pthread_mutex_lock(&q->mutex);
  q->count += jobs, q->ending = ending;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->mutex);
}

void hk_frames_destroy(hk_frames **frames)
{
  hk_frames *f = *frames;
  if (!f) return;
  queue *q = &f->queue;
  if (q->started) {
    tell(q, 0, true);
    pthread_join(q->thread, NULL);
  }
  pthread_mutex_destroy(&q->mutex);
  pthread_cond_destroy(&q->changed);
  for (int k = 0; k < JOBS * PARTS; k++) hk_team_fetch_destroy(&q->job[k / PARTS].part[k % PARTS]);
  hk_pool_clear(&f->pool);
  hk_free(frames);
}

bool hk_frames_pending(const hk_frames *f)
{
  return f && f->queue.begun;
}

/* Waits until at most `most` jobs are in hand; *next: the one that may be begun. */
static hk_status wait_until(queue *q, int most, job **next)
{
  pthread_mutex_lock(&q->mutex);
  while (q->count > most) pthread_cond_wait(&q->changed, &q->mutex);
  const hk_status status = hk_failure_tell(&q->failure);
  *next = &q->job[(q->first + q->count) % JOBS];
  pthread_mutex_unlock(&q->mutex);
  return status;
}

hk_status hk_frames_begin(hk_frames *f, hk_team *solver, int shot, hk_count frame, double dt)
{
  static const hk_state_part state[PARTS] = {
      [U] = HK_STATE_DISPLACEMENT, [BEFORE] = HK_STATE_LAST, [INTEGRAL] = HK_STATE_INTEGRAL};
  job *j;
  HK_PASS(wait_until(&f->queue, JOBS - 1, &j));
  j->frame = frame, j->dt = dt;
  for (int k = 0; k < PARTS; k++)
    if (k != AFTER && j->part[k])
      HK_PASS(hk_team_fetch_begin(solver, shot, state[k], false, j->part[k]));
  f->queue.begun = j;
  return HK_OK;
}

hk_status hk_frames_complete(hk_frames *f, hk_team *solver, int shot, bool at_end)
{
  hk_team_fetch *after = f->queue.begun->part[AFTER];
  const hk_state_part state = f->positions ? HK_STATE_DISPLACEMENT : HK_STATE_LAST;
  if (after) HK_PASS(hk_team_fetch_begin(solver, shot, state, at_end, after));
  f->queue.begun = NULL;
  tell(&f->queue, 1, false);
  return HK_OK;
}

hk_status hk_frames_wait(hk_frames *f)
{
  job *next;
  return f ? wait_until(&f->queue, 0, &next) : HK_OK;
}

/* Of all steps that keep frames. */
static unsigned asked_for(const hk_model *model)
{
  unsigned quantities = 0;
  for (int i = 0; i < model->step_count; i++)
    if (!model->step[i].shot_count || model->step[i].field.shot_count)
      quantities |= model->step[i].field.quantities;
  return quantities;
}

bool hk_frames_integrate(const hk_problem *problem)
{
  hk_count bytes[PARTS];
  find_bytes(problem, asked_for(problem->on.model), bytes);
  return bytes[INTEGRAL] > 0;
}

/* A device may keep the copies that are on their way; on the host they are all there is. */
hk_count hk_frames_room(const hk_problem *problem)
{
  const hk_count bytes = JOBS * job_bytes(problem, asked_for(problem->on.model));
  return hk_device_describe(problem->on.device)->own_memory
             ? hk_fetch_plan(problem->on.device, bytes)
             : bytes;
}

/* Memory of the means at nodes (operator/measure/stress_nodes.c): the elements around each node, a sum for each node and material (most nodes have one
 * material), and the values of those elements that are summed at a time. */
static hk_count deformation_bytes(const hk_mesh *mesh, const hk_field_layout *layout)
{
  const hk_count nodes = mesh->node_count, wide = widest(layout), entries = hk_mesh_entries(mesh);
  const hk_count part = entries < HK_SCATTER_MOST ? entries : HK_SCATTER_MOST;
  return nodes * (8 * (mesh->dim + 2 * wide) + 18) + entries * 4 + part * (8 * wide + 4);
}

hk_count hk_frames_plan(const hk_problem *problem, const hk_field_layout *layout)
{
  const hk_space *s = problem->on.space;
  const unsigned quantities = quantities_of(layout);
  return JOBS * job_bytes(problem, quantities) +
         (hk_count)widest(layout) * s->mesh->node_count * 4 +
         (quantities & DEFORMATIONS ? deformation_bytes(s->mesh, layout) : 0) +
         (flows(problem, quantities)
              ? (s->dim + 2) * 8LL * s->mesh->node_count + (hk_count)sizeof(hk_spectral_map)
              : 0);
}

hk_peak hk_peak_of(hk_quantity quantity)
{
  return quantity == HK_DISPLACEMENT   ? HK_PEAK_DISPLACEMENT
         : quantity == HK_ACCELERATION ? HK_PEAK_ACCELERATION
                                       : HK_PEAK_VELOCITY;
}

unsigned hk_peaks_kept(const hk_problem *problem)
{
  const hk_model *m = problem->on.model;
  unsigned kept = 0;
  for (int q = 0; m->step_count && q < HK_QUANTITY_COUNT; q++)
    if (m->step[0].peaks >> q & 1) kept |= hk_peak_of((hk_quantity)q);
  return kept;
}
