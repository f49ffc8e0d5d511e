/* A lane is a run of its own that shares files, queue and balances with the whole (march.h): its problem is that of the whole with K on another device,
 * its stage has the excitation of its own shots. The lock of the queue guards what lanes share. */
#include "run/march/lanes.h"
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct lane {
  hk_lanes *all;
  hk_march march;
  hk_problem problem;
  pthread_t thread;
  bool started, working, resting;
  bool seen; /* by the calling thread, since it last asked for that */
} lane;

struct hk_lanes {
  hk_march *whole;
  lane *lane; /* lane[count] */
  int count;
  pthread_mutex_t *lock; /* the queue's; the rest is under it */
  pthread_cond_t changed;
  bool rest, ending; /* asked of the lanes */
  bool watched;      /* a checkpoint may be due at any event */
  bool spoilt;       /* some state holds no numbers */
  hk_failure failure;
};

static hk_status assemble_lane(void *user, int k)
{
  hk_lanes *l = user;
  hk_problem *p = &l->lane[k].problem;
  if (p->on.op) return HK_OK;
  HK_PASS(hk_discretisation_room(
      &p->on, hk_discretisation_plan(&p->on) + hk_problem_state_plan(p, 1) + hk_frames_room(p),
      "K, the state and the frames"));
  return hk_discretisation_assemble(&p->on);
}

/* K is made on all devices at once, each by its own threads of the host. */
static hk_status assemble(hk_lanes *l)
{
  hk_status status = HK_OK;
  hk_crew *crew = NULL;
  int threads[HK_MOST_DEVICES];
  for (int k = 0; k < l->count; k++)
    threads[k] = hk_device_describe(l->lane[k].problem.on.device)->threads;
  HK_TRY(hk_crew_create(l->count, threads, &crew));
  HK_TRY(hk_crew_run(crew, assemble_lane, NULL, l));
cleanup:
  hk_crew_destroy(&crew);
  return status;
}

static int count_lanes(const hk_march *s)
{
  const hk_count batches = (s->shots.all + s->shots.at_once - 1) / s->shots.at_once,
                 most = s->checkpoint.resumes ? s->shots.all : batches;
  return most < s->problem->several.count ? (int)most : s->problem->several.count;
}

hk_status hk_lanes_create(hk_march *s, hk_lanes **out)
{
  hk_status status = HK_OK;
  hk_lanes *l = NULL;
  HK_TRY(hk_new(&l));
  pthread_cond_init(&l->changed, NULL);
  l->whole = s, l->count = count_lanes(s);
  HK_TRY(hk_get(&l->lane, l->count));
  for (int k = 0; k < l->count; k++) {
    hk_problem *p = &l->lane[k].problem;
    *p = *s->problem;
    p->on.device = s->problem->several.device[k];
    p->on.list = NULL; /* the whole has told all that there is to tell */
    p->several = (hk_several){0};
    if (k) p->on.op = NULL, p->on.in = p->on.out = NULL;
    l->lane[k].all = l;
  }
  HK_TRY(assemble(l));
  *out = l, l = NULL;
cleanup:
  hk_lanes_destroy(&l);
  return status;
}

void hk_lanes_destroy(hk_lanes **lanes)
{
  hk_lanes *l = *lanes;
  if (!l) return;
  for (int k = 1; l->lane && k < l->count; k++) hk_operator_destroy(&l->lane[k].problem.on.op);
  pthread_cond_destroy(&l->changed);
  hk_free(&l->lane);
  hk_free(lanes);
}

int hk_lanes_count(const hk_lanes *lanes)
{
  return lanes->count;
}

/* The march of a lane: what it changes is its own. */
static hk_status prepare(lane *own)
{
  hk_march *m = &own->march;
  const hk_march *s = own->all->whole;
  const hk_stage *stage = &s->stage[0];
  *m = *s;
  m->pool = (hk_pool){0}, m->problem = &own->problem, m->stage = NULL, m->steps.done = 0;
  m->steps.updates = 0, m->files.room = NULL, m->files.room_count = 0, m->energy.sample = NULL;
  m->snapshots = NULL, m->snapshots_count = 0, m->stage_count = 0;
  HK_PASS(hk_pool_get(&m->pool, &m->stage, 1));
  *m->stage = *stage;
  m->stage->excitation = (hk_excitation){0}, m->stage->pool = (hk_pool){0};
  m->stage->energies.reference = NULL, m->stage->group_output = NULL;
  m->stage_count = 1;
  HK_PASS(hk_pool_get(&m->pool, &m->stage->group_output, stage->group_count));
  for (int w = 0; w < stage->group_count; w++) m->stage->group_output[w] = stage->group_output[w];
  HK_PASS(hk_pool_get(&m->pool, &m->snapshots, s->snapshots_count));
  m->snapshots_count = s->snapshots_count;
  for (int i = 0; i < m->snapshots_count; i++) m->snapshots[i] = s->snapshots[i];
  return hk_march_get_room(m);
}

static void clear(lane *own)
{
  hk_march *m = &own->march;
  hk_team_destroy(&m->solver);
  if (m->stage_count) hk_excitation_clear(&m->stage->excitation), hk_pool_clear(&m->stage->pool);
  hk_pool_clear(&m->pool);
}

/* Under the lock: until the calling thread has looked whether a checkpoint is due. */
static void wait_to_be_seen(lane *own)
{
  hk_lanes *l = own->all;
  own->seen = false;
  pthread_cond_broadcast(&l->changed);
  while (!own->seen && !l->rest && !l->ending) pthread_cond_wait(&l->changed, l->lock);
}

/* Between two events: saves the state and waits, where that is asked for. */
static hk_status look(lane *own, bool *ends)
{
  hk_status status = HK_OK;
  hk_lanes *l = own->all;
  bool good = true;
  pthread_mutex_lock(l->lock);
  const bool rests = l->rest;
  *ends = l->ending;
  if (l->watched && !rests) wait_to_be_seen(own);
  pthread_mutex_unlock(l->lock);
  if (!rests || *ends) return HK_OK;
  status = hk_march_save(&own->march, &good);
  if (status != HK_OK) return status;
  pthread_mutex_lock(l->lock);
  l->spoilt = l->spoilt || !good;
  own->resting = true;
  pthread_cond_broadcast(&l->changed);
  while (l->rest && !l->ending) pthread_cond_wait(&l->changed, l->lock);
  own->resting = false;
  *ends = l->ending;
  pthread_mutex_unlock(l->lock);
  return HK_OK;
}

/* The state of the end, for a later one. */
static bool keeps(const hk_march *m)
{
  return m->session->desc->keep_checkpoint && hk_team_step(m->solver) == m->stage->steps;
}

static hk_status step_batches(lane *own)
{
  hk_march *m = &own->march;
  bool ends = false, good;
  HK_PASS(hk_march_next_batch(m));
  while (!m->over && !ends) {
    HK_PASS(hk_march_forward(m));
    if (m->over) break;
    if (keeps(m)) HK_PASS(hk_march_save(m, &good));
    HK_PASS(look(own, &ends));
  }
  return hk_snapshots_wait(m);
}

/* Which shots were lost is said where the device is to blame. */
static hk_status name_failure(const lane *own, hk_status status)
{
  const hk_march *m = &own->march;
  if (status != HK_NO_RESOURCES || !m->solver) return status;
  return hk_error_set(
      status, "device %d of %d (%s), shots %lld to %lld: %s", (int)(own - own->all->lane) + 1,
      own->all->count, hk_device_describe(m->problem->on.device)->backend,
      (long long)m->shots.first + 1, (long long)m->shots.first + m->shots.batch, hk_error());
}

static void *work(void *user)
{
  lane *own = user;
  hk_lanes *l = own->all;
  omp_set_num_threads(hk_device_describe(own->problem.on.device)->threads);
  hk_status status = step_batches(own);
  status = name_failure(own, status);
  pthread_mutex_lock(l->lock);
  hk_failure_keep(&l->failure, status);
  own->working = false;
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(l->lock);
  return NULL;
}

hk_status hk_lanes_start(hk_march *s)
{
  hk_lanes *l = s->queue->lanes;
  const hk_run_desc *desc = s->session->desc;
  l->lock = &s->queue->lock;
  l->watched =
      desc->checkpoint_steps > 0 || (desc->checkpoint_seconds > 0 && desc->checkpoint_seconds < 1);
  for (int k = 0; k < l->count; k++) HK_PASS(prepare(&l->lane[k]));
  for (int k = 0; k < l->count; k++) {
    lane *own = &l->lane[k];
    own->working = true;
    own->started = pthread_create(&own->thread, NULL, work, own) == 0;
    if (!own->started) own->working = false;
    HK_NEED(own->started, HK_NO_RESOURCES, "thread %d of %d for the devices cannot be started",
            k + 1, l->count);
  }
  return HK_OK;
}

/* Under the lock: lanes that have batches left; those of them that do not rest. */
static int working(const hk_lanes *l)
{
  int count = 0;
  for (int k = 0; k < l->count; k++) count += l->lane[k].working;
  return count;
}

static int stepping(const hk_lanes *l)
{
  int count = 0;
  for (int k = 0; k < l->count; k++) count += l->lane[k].working && !l->lane[k].resting;
  return count;
}

/* Under the lock: steps of all lanes, and the shots that are being stepped, for progress and run.json. */
static void count_steps(hk_march *s)
{
  const hk_lanes *l = s->queue->lanes;
  hk_count ended = 0;
  s->steps.done = s->steps.before, s->steps.updates = 0;
  for (int k = 0; k < l->count; k++) {
    s->steps.done += l->lane[k].march.steps.done;
    s->steps.updates += l->lane[k].march.steps.updates;
  }
  while (ended < s->queue->count - 1 && s->queue->batch[ended].ended) ended++;
  s->shots.first = ended * s->shots.at_once;
}

static void wait_a_while(hk_lanes *l)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_cond_timedwait(&l->changed, l->lock, &until);
}

/* The others come to rest, and what they hold is written. */
static hk_status fail(hk_march *s)
{
  const hk_failure failure = s->queue->lanes->failure;
  if (failure.status != HK_UNSTABLE) hk_march_checkpoint_write(s);
  return hk_failure_tell(&failure);
}

hk_status hk_lanes_wait(hk_march *s)
{
  hk_lanes *l = s->queue->lanes;
  pthread_mutex_lock(l->lock);
  if (working(l)) wait_a_while(l);
  for (int k = 0; k < l->count; k++) l->lane[k].seen = true;
  if (l->watched) pthread_cond_broadcast(&l->changed);
  s->over = !working(l);
  count_steps(s);
  const bool failed = l->failure.status != HK_OK;
  pthread_mutex_unlock(l->lock);
  if (!failed) return HK_OK;
  s->over = false;
  return fail(s);
}

hk_status hk_lanes_rest(hk_march *s, bool *good)
{
  hk_lanes *l = s->queue->lanes;
  pthread_mutex_lock(l->lock);
  l->rest = true, l->spoilt = false;
  pthread_cond_broadcast(&l->changed);
  while (stepping(l)) pthread_cond_wait(&l->changed, l->lock);
  count_steps(s);
  *good = !l->spoilt;
  pthread_mutex_unlock(l->lock);
  return HK_OK;
}

void hk_lanes_go_on(hk_march *s)
{
  hk_lanes *l = s->queue->lanes;
  pthread_mutex_lock(l->lock);
  l->rest = false;
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(l->lock);
}

hk_status hk_lanes_end(hk_march *s)
{
  hk_status status = HK_OK;
  hk_lanes *l = s->queue ? s->queue->lanes : NULL;
  if (!l || !l->lock) return HK_OK;
  pthread_mutex_lock(l->lock);
  l->ending = true;
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(l->lock);
  for (int k = 0; k < l->count; k++) {
    lane *own = &l->lane[k];
    if (own->started) pthread_join(own->thread, NULL);
    own->started = false;
    const hk_status frames = hk_snapshots_release(&own->march);
    if (status == HK_OK) status = frames;
    clear(own);
  }
  l->lock = NULL;
  return status;
}
