#include "model/frames.h"
#include <pthread.h>

enum { JOBS = 2 };

typedef struct job {
  hk_count frame;
  double dt;
  void *u, *before, *after; /* reals in internal order; those that are asked for */
} job;

struct hk_frames {
  const hk_space *space;
  const hk_field_layout *layout;
  hk_field_file *file;
  bool double_precision, rates;
  job job[JOBS];
  int first, count; /* jobs handed over: job[first], ...; the next free one follows */
  job *begun;       /* the snapshot that waits for its last increment; NULL: none */
  bool ending, started;
  float *values;      /* [mesh node][components] */
  hk_failure failure; /* of the thread */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};

static double real_at(const hk_frames *f, const void *reals, hk_count i)
{
  return f->double_precision ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}

static double value_of(const hk_frames *f, const job *j, const char *quantity, hk_count i)
{
  if (quantity[0] == 'd') return real_at(f, j->u, i);
  const double after = real_at(f, j->after, i), before = real_at(f, j->before, i);
  return quantity[0] == 'v' ? (after + before) / (2 * j->dt) : (after - before) / (j->dt * j->dt);
}

static hk_status write_job(hk_frames *f, const job *j)
{
  const int c = f->space->components;
  for (int q = 0; q < f->layout->quantity_count; q++) {
    for (hk_index i = 0; i < f->space->padded; i++)
      for (int d = 0; d < c && f->space->mesh_node[i] >= 0; d++)
        f->values[(hk_count)f->space->mesh_node[i] * c + d] =
            (float)value_of(f, j, f->layout->quantity[q].name, (hk_count)i * c + d);
    const hk_status status = hk_field_file_write(f->file, j->frame, q, f->values);
    if (status != HK_OK) return status;
  }
  return HK_OK;
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

/* What a snapshot holds: u, and the increments before and after. */
static void find_needs(const hk_field_layout *layout, bool *displacement, bool *rates)
{
  *displacement = *rates = false;
  for (int q = 0; q < layout->quantity_count; q++)
    *(layout->quantity[q].name[0] == 'd' ? displacement : rates) = true;
}

static hk_status get_jobs(hk_frames *f)
{
  hk_status status = HK_OK;
  const hk_count bytes =
      (hk_count)f->space->padded * f->space->components * (f->double_precision ? 8 : 4);
  bool displacement;
  find_needs(f->layout, &displacement, &f->rates);
  for (int k = 0; k < JOBS; k++) {
    if (displacement) HK_TRY(hk_memory_get(&f->job[k].u, bytes, 1));
    if (f->rates) HK_TRY(hk_memory_get(&f->job[k].before, bytes, 1));
    if (f->rates) HK_TRY(hk_memory_get(&f->job[k].after, bytes, 1));
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
  f->space = problem->space, f->layout = layout, f->file = file,
  f->double_precision = problem->double_precision;
  pthread_mutex_init(&f->mutex, NULL);
  pthread_cond_init(&f->changed, NULL);
  HK_TRY(get_jobs(f));
  HK_TRY(hk_get(&f->values, layout->mesh->node_count * problem->space->components));
  HK_CHECK(pthread_create(&f->thread, NULL, work, f) == 0, HK_NO_RESOURCES,
           "no thread could be made for the output");
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
    hk_memory_free(&f->job[k].u);
    hk_memory_free(&f->job[k].before);
    hk_memory_free(&f->job[k].after);
  }
  hk_free(&f->values);
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

hk_status hk_frames_begin(hk_frames *f, const hk_explicit *solver, hk_count frame, double dt)
{
  hk_status status = HK_OK;
  job *j;
  HK_TRY(wait_until(f, JOBS - 1, &j));
  j->frame = frame, j->dt = dt;
  if (j->u) HK_TRY(hk_explicit_read_reals(solver, HK_STATE_DISPLACEMENT, j->u));
  if (j->before) HK_TRY(hk_explicit_read_reals(solver, HK_STATE_INCREMENT, j->before));
  f->begun = j;
cleanup:
  return status;
}

hk_status hk_frames_complete(hk_frames *f, hk_explicit *solver, bool at_end)
{
  hk_status status = HK_OK;
  job *j = f->begun;
  if (j->after && at_end) HK_TRY(hk_explicit_peek(solver, j->after));
  if (j->after && !at_end) HK_TRY(hk_explicit_read_reals(solver, HK_STATE_INCREMENT, j->after));
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

hk_count hk_frames_plan(const hk_problem *problem, const hk_field_layout *layout)
{
  const hk_space *s = problem->space;
  bool displacement, rates;
  find_needs(layout, &displacement, &rates);
  const hk_count vectors = JOBS * (displacement + 2 * rates);
  return s->components *
         (s->padded * (problem->double_precision ? 8 : 4) * vectors + s->mesh->node_count * 4);
}
