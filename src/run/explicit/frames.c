/* Writes frames of fields in a thread of its own while the run steps on. A frame needs u_n and the
 * increments before and after it: velocity (u_n+1 - u_n-1) / 2 dt, acceleration their difference
 * over dt^2, pressure minus the rate of the potential (S.6). hk_frames_begin fetches the first two
 * from the device, hk_frames_complete the last one a step later. Two jobs alternate; the run waits
 * when both are in use. */
#include "run/explicit/frames.h"
#include "run/explicit/flow.h"
#include <pthread.h>
#include <string.h>

enum { JOBS = 2 };

typedef struct job {
  hk_count frame;
  double dt;
  /* u_n; what the solver keeps of the last increment at n and at n + 1: positions u_n-1, u_n+1. Those that are needed */
  hk_fetch *u, *before, *after, *integral;
} job;

typedef struct snapshot { /* reals in internal order; NULL: not taken */
  const void *u, *before, *after, *integral;
} snapshot;

typedef struct needs { /* u; the increments before and after; integrals of fluids */
  bool u, rates, integral;
} needs;

struct hk_frames {
  const hk_space *space;
  const hk_model *model;
  const hk_field_layout *layout;
  hk_field_file *file;
  bool double_precision, positions; /* of the solver's state */
  needs needs;
  job job[JOBS];
  int first, count; /* jobs handed over: job[first], ...; the next free one follows */
  job *begun;       /* the snapshot that waits for its last increment; NULL: none */
  bool ending, started;
  float *values;            /* [mesh node][components] */
  double *potential, *flow; /* [mesh node], [mesh node][dim + 1]: of fluids that flow; or NULL */
  hk_spectral_map *map;
  hk_failure failure; /* of the thread */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};

static double real_at(const hk_frames *f, const void *reals, hk_count i)
{
  return f->double_precision ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}

static double value_of(const hk_frames *f, const snapshot *at, double dt, char quantity, hk_count i)
{
  if (quantity == 'd') return real_at(f, at->u, i);
  if (quantity == 'p') return -value_of(f, at, dt, 'v', i);
  double after = real_at(f, at->after, i), before = real_at(f, at->before, i);
  if (f->positions) {
    const double u = real_at(f, at->u, i);
    after -= u, before = u - before;
  }
  return quantity == 'v' ? (after + before) / (2 * dt) : (after - before) / (dt * dt);
}

/* A quantity is of one medium, and zero in the other. */
static void fill_values(hk_frames *f, const snapshot *at, double dt, const hk_field_quantity *q)
{
  const int c = q->components;
  const char quantity = q->name[0];
  const hk_medium medium = quantity == 'p' ? HK_FLUID : HK_SOLID;
  for (hk_index i = 0; i < f->space->padded; i++) {
    const hk_index node = f->space->mesh_node[i];
    const bool there = node >= 0 && hk_model_acts(f->model, medium, node);
    for (int d = 0; d < c && node >= 0; d++)
      f->values[(hk_count)node * c + d] =
          there ? (float)value_of(f, at, dt, quantity, (hk_count)i * f->space->components + d) : 0;
  }
}

/* Displacement, velocity and acceleration of fluids, beside those of solids that are there. */
static hk_status fill_flow(hk_frames *f, const snapshot *at, double dt, const hk_field_quantity *q)
{
  hk_status status = HK_OK;
  const int dim = f->space->dim;
  const char name = q->name[0], of_potential = name == 'v' ? 'd' : 'v';
  for (hk_index i = 0; i < f->space->padded; i++) {
    const hk_index node = f->space->mesh_node[i];
    if (node >= 0)
      f->potential[node] =
          name == 'd' ? ((const double *)at->integral)[i]
                      : value_of(f, at, dt, of_potential, (hk_count)i * f->space->components);
  }
  HK_TRY(hk_flow_everywhere(f->model, f->potential, f->map, f->flow));
  for (hk_count n = 0; n < f->layout->mesh->node_count; n++)
    for (int c = 0; c < dim && f->model->media.fluid[n]; c++)
      f->values[n * dim + c] = (float)f->flow[n * (dim + 1) + c];
cleanup:
  return status;
}

static hk_status write_job(hk_frames *f, const job *j)
{
  hk_status status = HK_OK;
  snapshot at = {0};
  if (j->u) HK_TRY(hk_fetch_wait(j->u, &at.u));
  if (j->before) HK_TRY(hk_fetch_wait(j->before, &at.before));
  if (j->after) HK_TRY(hk_fetch_wait(j->after, &at.after));
  if (j->integral) HK_TRY(hk_fetch_wait(j->integral, &at.integral));
  for (int q = 0; q < f->layout->quantity_count; q++) {
    fill_values(f, &at, j->dt, &f->layout->quantity[q]);
    if (f->flow && strchr("dva", f->layout->quantity[q].name[0]))
      HK_TRY(fill_flow(f, &at, j->dt, &f->layout->quantity[q]));
    HK_TRY(hk_field_file_write(f->file, j->frame, q, f->values));
  }
cleanup:
  return status;
}

static void *work(void *user)
{
  hk_frames *f = user;
  pthread_mutex_lock(&f->mutex);
  for (;;) {
    while (!f->count && !f->ending) pthread_cond_wait(&f->changed, &f->mutex);
    if (!f->count) break;
    const job *j = &f->job[f->first];
    pthread_mutex_unlock(&f->mutex);
    const hk_status status = f->failure.status == HK_OK ? write_job(f, j) : HK_OK;
    pthread_mutex_lock(&f->mutex);
    hk_failure_keep(&f->failure, status);
    f->first = (f->first + 1) % JOBS, f->count--;
    pthread_cond_broadcast(&f->changed);
  }
  pthread_mutex_unlock(&f->mutex);
  return NULL;
}

/* double keeps positions */
static bool keeps_positions(const hk_problem *problem)
{
  return problem->on.double_precision;
}

static unsigned quantities_of(const hk_field_layout *layout)
{
  unsigned bits = 0;
  for (int q = 0; q < layout->quantity_count; q++) {
    const char name = layout->quantity[q].name[0];
    bits |= 1u << (name == 'd'   ? HK_DISPLACEMENT
                   : name == 'v' ? HK_VELOCITY
                   : name == 'p' ? HK_PRESSURE
                                 : HK_ACCELERATION);
  }
  return bits;
}

static needs find_needs(const hk_problem *problem, unsigned quantities)
{
  enum { RATES = 1u << HK_VELOCITY | 1u << HK_ACCELERATION | 1u << HK_PRESSURE };
  const bool fluid = problem->on.model->media.fluid,
             solid = !fluid || problem->on.model->media.solid,
             displacement = quantities & 1u << HK_DISPLACEMENT;
  needs n = {.rates = quantities & RATES, .integral = fluid && displacement};
  n.u = (solid && displacement) || (fluid && quantities & 1u << HK_VELOCITY) ||
        (n.rates && keeps_positions(problem));
  return n;
}

static bool flows(const hk_problem *problem, unsigned quantities)
{
  enum { VECTORS = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY | 1u << HK_ACCELERATION };
  return quantities & VECTORS && problem->on.model->media.fluid;
}

static hk_count integral_bytes(const hk_problem *p)
{
  return p->on.space->padded * 8LL;
}

static hk_count job_bytes(const hk_problem *p, unsigned quantities)
{
  const needs n = find_needs(p, quantities);
  return (n.u + 2 * n.rates) * hk_discretisation_bytes(&p->on) + n.integral * integral_bytes(p);
}

static hk_status get_jobs(hk_frames *f, const hk_problem *problem)
{
  hk_status status = HK_OK;
  const hk_count bytes = hk_discretisation_bytes(&problem->on);
  for (int k = 0; k < JOBS; k++) {
    job *j = &f->job[k];
    if (f->needs.u) HK_TRY(hk_fetch_create(problem->on.device, bytes, &j->u));
    if (f->needs.rates) HK_TRY(hk_fetch_create(problem->on.device, bytes, &j->before));
    if (f->needs.rates) HK_TRY(hk_fetch_create(problem->on.device, bytes, &j->after));
    if (f->needs.integral)
      HK_TRY(hk_fetch_create(problem->on.device, integral_bytes(problem), &j->integral));
  }
cleanup:
  return status;
}

hk_status hk_frames_create(const hk_problem *problem, const hk_field_layout *layout,
                           hk_field_file *file, hk_frames **out)
{
  hk_status status = HK_OK;
  hk_frames *f = NULL;
  HK_TRY(hk_new(&f));
  f->model = problem->on.model, f->space = problem->on.space, f->layout = layout, f->file = file,
  f->double_precision = problem->on.double_precision, f->positions = keeps_positions(problem);
  f->needs = find_needs(problem, quantities_of(layout));
  pthread_mutex_init(&f->mutex, NULL);
  pthread_cond_init(&f->changed, NULL);
  HK_TRY(get_jobs(f, problem));
  HK_TRY(hk_get(&f->values, layout->mesh->node_count * problem->on.space->dim));
  if (flows(problem, quantities_of(layout))) {
    HK_TRY(hk_new(&f->map));
    HK_TRY(hk_get(&f->potential, layout->mesh->node_count));
    HK_TRY(hk_get(&f->flow, layout->mesh->node_count * (problem->on.space->dim + 1)));
  }
  HK_CHECK(pthread_create(&f->thread, NULL, work, f) == 0, HK_NO_RESOURCES,
           "the output thread could not be started");
  f->started = true;
  *out = f, f = NULL;
cleanup:
  hk_frames_destroy(&f);
  return status;
}

void hk_frames_destroy(hk_frames **frames)
{
  hk_frames *f = *frames;
  if (!f) return;
  if (f->started) {
    pthread_mutex_lock(&f->mutex);
    f->ending = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
    pthread_join(f->thread, NULL);
  }
  pthread_mutex_destroy(&f->mutex);
  pthread_cond_destroy(&f->changed);
  for (int k = 0; k < JOBS; k++) {
    hk_fetch_destroy(&f->job[k].u);
    hk_fetch_destroy(&f->job[k].before);
    hk_fetch_destroy(&f->job[k].after);
    hk_fetch_destroy(&f->job[k].integral);
  }
  hk_free(&f->values);
  hk_free(&f->map);
  hk_free(&f->potential);
  hk_free(&f->flow);
  hk_free(frames);
}

bool hk_frames_pending(const hk_frames *f)
{
  return f && f->begun;
}

/* Waits until at most `most` jobs are in hand; *next: the one that may be begun. */
static hk_status wait_until(hk_frames *f, int most, job **next)
{
  pthread_mutex_lock(&f->mutex);
  while (f->count > most) pthread_cond_wait(&f->changed, &f->mutex);
  const hk_status status = hk_failure_tell(&f->failure);
  *next = &f->job[(f->first + f->count) % JOBS];
  pthread_mutex_unlock(&f->mutex);
  return status;
}

hk_status hk_frames_begin(hk_frames *f, const hk_explicit *solver, int shot, hk_count frame,
                          double dt)
{
  hk_status status = HK_OK;
  job *j;
  HK_TRY(wait_until(f, JOBS - 1, &j));
  j->frame = frame, j->dt = dt;
  if (j->u) HK_TRY(hk_explicit_fetch(solver, shot, HK_STATE_DISPLACEMENT, j->u));
  if (j->before) HK_TRY(hk_explicit_fetch(solver, shot, HK_STATE_LAST, j->before));
  if (j->integral) HK_TRY(hk_explicit_fetch(solver, shot, HK_STATE_INTEGRAL, j->integral));
  f->begun = j;
cleanup:
  return status;
}

hk_status hk_frames_complete(hk_frames *f, hk_explicit *solver, int shot, bool at_end)
{
  hk_status status = HK_OK;
  job *j = f->begun;
  const hk_state_part after = f->positions ? HK_STATE_DISPLACEMENT : HK_STATE_LAST;
  if (j->after)
    HK_TRY((at_end ? hk_explicit_fetch_next(solver, shot, after, j->after)
                   : hk_explicit_fetch(solver, shot, after, j->after)));
  f->begun = NULL;
  pthread_mutex_lock(&f->mutex);
  f->count++;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->mutex);
cleanup:
  return status;
}

hk_status hk_frames_wait(hk_frames *f)
{
  job *next;
  return f ? wait_until(f, 0, &next) : HK_OK;
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
  return find_needs(problem, asked_for(problem->on.model)).integral;
}

/* A device keeps the copies that are on their way; on the host they are all there is. */
hk_count hk_frames_room(const hk_problem *problem)
{
  return JOBS * job_bytes(problem, asked_for(problem->on.model));
}

hk_count hk_frames_plan(const hk_problem *problem, const hk_field_layout *layout)
{
  const hk_space *s = problem->on.space;
  const unsigned quantities = quantities_of(layout);
  return JOBS * job_bytes(problem, quantities) + (hk_count)s->dim * s->mesh->node_count * 4 +
         (flows(problem, quantities)
              ? (s->dim + 2) * 8LL * s->mesh->node_count + (hk_count)sizeof(hk_spectral_map)
              : 0);
}
