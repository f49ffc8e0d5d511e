/* Steps in time: what one step launches, and many steps at once. launch_step() is the integrator's step, the kernel of K with its epilogue, then
 * forces, terms, prescribed motions, receivers. Some numbers of steps are recorded as graphs at create (hk_explicit_record), and
 * hk_explicit_advance plays the longest that fits until step `to`; an even number leaves u_n in x[0]. */
#include "solver/explicit/parts.h"

enum { EVERY_TASK = HK_TASKS_PUSH | HK_TASKS_RECEIVERS };

/* Steps of each graph. From one sample of the energies to the next a run takes 64 or 32 steps, the first two one by one. */
static const int recorded[HK_GRAPHS] = {2, 4, 8, 16, 30, 32};

static hk_status launch_terms(const hk_explicit *s, hk_phase phase, int from)
{
  for (int k = 0; k < HK_TERMS; k++) {
    const hk_term *term = &s->term[k];
    if (term->data && term->kind->launch && term->kind->phase == phase)
      HK_PASS(term->kind->launch(term, from));
  }
  return HK_OK;
}

/* Terms follow forces; where none acts on their nodes they may come first, so that sources and receivers are one launch. */
hk_status hk_explicit_follow(hk_explicit *s, int from, int tasks)
{
  bool loaded = false;
  for (int k = 0; k < HK_TERMS; k++) loaded = loaded || s->term[k].loaded;
  if (tasks & HK_TASKS_PUSH) {
    if (loaded) {
      HK_PASS(hk_sources_launch(s, from, tasks & HK_TASK_FORCE));
      tasks &= ~HK_TASK_FORCE;
    }
    HK_PASS(launch_terms(s, HK_PHASE_FORCES, from));
  }
  return hk_sources_launch(s, from, tasks);
}

hk_status hk_explicit_exchange(hk_explicit *s, hk_buffer *vector)
{
  if (!s->link) return HK_OK;
  HK_PASS(s->link->begin(s->link->user, vector));
  return s->link->end(s->link->user, vector);
}

static hk_status exchange_rates(hk_explicit *s)
{
  return s->link->rates && s->vector.v ? hk_explicit_exchange(s, s->vector.v) : HK_OK;
}

/* Sends and takes what a step has made of u, and of its rate where someone asks for that of ghosts. */
static hk_status exchange_step(hk_explicit *s, int from)
{
  HK_PASS(hk_explicit_exchange(s, s->vector.x[1 - from]));
  return exchange_rates(s);
}

bool hk_explicit_overlaps(const hk_explicit *s)
{
  return s->link && s->link->recorded && (!s->op->chained || s->shots == 1);
}

/* What is left of the exchange of u_n: its end, and its begin where sources or terms acted on rows that other parts read. */
static hk_status end_pending(hk_explicit *s, hk_buffer *u)
{
  if (!s->pending) return HK_OK;
  s->pending = false;
  if (s->late) HK_PASS(s->link->begin(s->link->user, u));
  HK_PASS(s->link->end(s->link->user, u));
  return exchange_rates(s);
}

/* Ends the exchange of the last step; all that follows waits for it. */
static hk_status settle(hk_explicit *s)
{
  if (!s->pending) return HK_OK;
  HK_PASS(hk_device_fork(s->device));
  HK_PASS(end_pending(s, s->vector.x[s->now]));
  HK_PASS(hk_device_back(s->device));
  return hk_device_join(s->device);
}

/* The boundary, and what follows K there: beside the exchange, unless it acts on what is sent. */
static hk_status launch_ahead(hk_explicit *s, int from, int tasks)
{
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_BOUNDARY));
  if (s->aside) HK_PASS(hk_device_fork(s->device));
  return s->ahead ? hk_explicit_follow(s, from, tasks) : HK_OK;
}

/* The exchange of u_n+1 runs beside the interior of the next step: the boundary of that step alone waits for it, and what comes behind the join for
 * the boundary and what follows K there. */
static hk_status launch_trailing(hk_explicit *s, int from, int tasks)
{
  HK_PASS(end_pending(s, s->vector.x[from]));
  HK_PASS(launch_ahead(s, from, tasks));
  HK_PASS(hk_device_mark(s->device));
  s->pending = true;
  return s->late ? HK_OK : s->link->begin(s->link->user, s->vector.x[1 - from]);
}

/* The same, but the exchange ends within the step, where what follows K reads ghosts. */
static hk_status launch_ending(hk_explicit *s, int from, int tasks)
{
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_BOUNDARY));
  if (s->ahead) HK_PASS(hk_explicit_follow(s, from, tasks & HK_TASKS_PUSH));
  if (!s->late) HK_PASS(exchange_step(s, from));
  return s->ahead ? hk_explicit_follow(s, from, tasks & HK_TASKS_RECEIVERS) : HK_OK;
}

/* The boundary runs beside the interior, which reads no ghosts; sums of both come behind the join. */
static hk_status launch_beside(hk_explicit *s, int from, int tasks)
{
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_BEFORE));
  HK_PASS(hk_device_fork(s->device));
  HK_PASS(s->trailing ? launch_trailing(s, from, tasks) : launch_ending(s, from, tasks));
  HK_PASS(hk_device_back(s->device));
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_INTERIOR));
  HK_PASS(hk_device_join(s->device));
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_SUMMED));
  if (s->ahead) return HK_OK;
  if (s->trailing || !s->late) return hk_explicit_follow(s, from, tasks);
  HK_PASS(hk_explicit_follow(s, from, tasks & HK_TASKS_PUSH));
  HK_PASS(exchange_step(s, from));
  return hk_explicit_follow(s, from, tasks & HK_TASKS_RECEIVERS);
}

/* Of one part of a model, with the exchange of link.h; receivers may read ghosts. */
static hk_status launch_linked(hk_explicit *s, int from, int tasks)
{
  hk_buffer *next = s->vector.x[1 - from];
  if (hk_explicit_overlaps(s)) return launch_beside(s, from, tasks);
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_BEFORE | HK_PHASE_BOUNDARY));
  if (s->ahead) HK_PASS(hk_explicit_follow(s, from, tasks & HK_TASKS_PUSH));
  if (!s->late) HK_PASS(s->link->begin(s->link->user, next));
  HK_PASS(s->scheme.integrator->step(s, from, HK_PHASE_INTERIOR | HK_PHASE_SUMMED));
  if (!s->ahead) HK_PASS(hk_explicit_follow(s, from, tasks & HK_TASKS_PUSH));
  if (s->late) HK_PASS(s->link->begin(s->link->user, next));
  HK_PASS(s->link->end(s->link->user, next));
  HK_PASS(exchange_rates(s));
  return hk_explicit_follow(s, from, tasks & HK_TASKS_RECEIVERS);
}

/* The launches of a step, from x[from]. */
static hk_status launch_step(hk_explicit *s, int from, int tasks)
{
  if (s->link)
    HK_PASS(launch_linked(s, from, tasks));
  else {
    HK_PASS(s->scheme.integrator->step(s, from, HK_PHASES));
    HK_PASS(hk_explicit_follow(s, from, tasks));
  }
  if (tasks & HK_TASK_BEGIN) HK_PASS(launch_terms(s, HK_PHASE_SAMPLED, from));
  return HK_OK;
}

typedef struct steps {
  hk_explicit *solver;
  int count;
} steps;

static hk_status launch_steps(void *user)
{
  const steps *all = user;
  for (int k = 0; k < all->count; k++) HK_PASS(launch_step(all->solver, k % 2, EVERY_TASK));
  return HK_OK;
}

hk_status hk_explicit_record(hk_explicit *s)
{
  for (int k = 0; k < HK_GRAPHS; k++)
    HK_PASS(hk_graph_record(s->device, launch_steps, &(steps){s, recorded[k]}, &s->graph[k]));
  return HK_OK;
}

static hk_status step(hk_explicit *s, int tasks)
{
  HK_PASS(hk_sources_load(s, 1));
  HK_PASS(launch_step(s, s->now, tasks));
  s->now = 1 - s->now;
  s->n++;
  return HK_OK;
}

hk_status hk_explicit_one_step(hk_explicit *s, int tasks)
{
  HK_PASS(step(s, tasks));
  return settle(s);
}

/* The most recorded steps that are not beyond `to`; x[0] is u_n before and after. */
static hk_status many_steps(hk_explicit *s, hk_count to)
{
  int k = HK_GRAPHS - 1;
  while (to - s->n < recorded[k]) k--;
  HK_PASS(hk_sources_load(s, recorded[k]));
  HK_PASS(hk_graph_launch(s->graph[k]));
  s->n += recorded[k];
  return HK_OK;
}

hk_status hk_explicit_advance(hk_explicit *s, hk_count to)
{
  while (s->n < to)
    if (s->graph[0] && s->now == 0 && to - s->n >= 2)
      HK_PASS(many_steps(s, to));
    else
      HK_PASS(step(s, EVERY_TASK));
  return settle(s);
}
