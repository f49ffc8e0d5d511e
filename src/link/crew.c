/* Each thread waits for the number of the piece of work to change, does it and counts itself off; the caller waits until all have. */
#include "link/crew.h"
#include <omp.h>
#include <pthread.h>

typedef struct member {
  hk_crew *crew;
  int number, threads;
  pthread_t thread;
} member;

struct hk_crew {
  member *member; /* member[members] */
  int members, started;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  hk_count piece; /* number of the present piece of work; under the lock, as the rest */
  int left;       /* members that have not done it */
  bool ending;
  hk_status (*work)(void *user, int member);
  void (*failed)(void *user);
  void *user;
  hk_failure failure, stopped; /* stopped: of those that gave up because of another */
};

static void do_piece(hk_crew *c, int number)
{
  const hk_status status = c->work(c->user, number);
  if (status != HK_OK && c->failed) c->failed(c->user);
  pthread_mutex_lock(&c->mutex);
  hk_failure_keep(status == HK_STOPPED ? &c->stopped : &c->failure, status);
  if (--c->left == 0) pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
}

static void *serve(void *user)
{
  const member *own = user;
  hk_crew *c = own->crew;
  omp_set_num_threads(own->threads);
  for (hk_count done = 0;; done++) {
    pthread_mutex_lock(&c->mutex);
    while (c->piece == done && !c->ending) pthread_cond_wait(&c->changed, &c->mutex);
    const bool ending = c->ending;
    pthread_mutex_unlock(&c->mutex);
    if (ending) return NULL;
    do_piece(c, own->number);
  }
}

hk_status hk_crew_create(int members, const int *threads, hk_crew **out)
{
  hk_status status = HK_OK;
  hk_crew *c = NULL;
  HK_TRY(hk_new(&c));
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->changed, NULL);
  HK_TRY(hk_get(&c->member, members));
  for (; c->started < members; c->started++) {
    member *m = &c->member[c->started];
    *m = (member){.crew = c, .number = c->started, .threads = threads[c->started]};
    HK_CHECK(pthread_create(&m->thread, NULL, serve, m) == 0, HK_NO_RESOURCES,
             "thread %d of %d for the devices cannot be started", c->started + 1, members);
  }
  c->members = members;
  *out = c, c = NULL;
cleanup:
  hk_crew_destroy(&c);
  return status;
}

void hk_crew_destroy(hk_crew **crew)
{
  hk_crew *c = *crew;
  if (!c) return;
  pthread_mutex_lock(&c->mutex);
  c->ending = true;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
  for (int k = 0; k < c->started; k++) pthread_join(c->member[k].thread, NULL);
  pthread_mutex_destroy(&c->mutex);
  pthread_cond_destroy(&c->changed);
  hk_free(&c->member);
  hk_free(crew);
}

hk_status hk_crew_run(hk_crew *c, hk_status (*work)(void *user, int member),
                      void (*failed)(void *user), void *user)
{
  pthread_mutex_lock(&c->mutex);
  c->work = work, c->failed = failed, c->user = user;
  c->failure = c->stopped = (hk_failure){0};
  c->left = c->members;
  c->piece++;
  pthread_cond_broadcast(&c->changed);
  while (c->left) pthread_cond_wait(&c->changed, &c->mutex);
  pthread_mutex_unlock(&c->mutex);
  HK_PASS(hk_failure_tell(&c->failure));
  return hk_failure_tell(&c->stopped);
}
