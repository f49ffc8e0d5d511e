/* Each thread has a seat with one word, which says all that passes between it and the caller: the caller puts READY, and
 * who turns that into IDLE, the thread or the caller, does the part. READY is thus always of the present run. Seat 0 is
 * the caller's: READY there says that the last part is done. */
#include "device/host/threads.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum word { IDLE, ASLEEP, READY, STOP };

/* A part: kept by the caller, offered to a thread that is awake, to one that slept. */
enum offer { KEPT, OFFERED, WOKEN };

/* Seconds: of spinning; for which a thread whose wake-up was in vain is left asleep. */
static const double patience = 20e-6, sleep_after_vain = 1e-3;

typedef struct seat {
  _Alignas(64) _Atomic int word;
  _Atomic int processor; /* where its thread last looked at it */
  hk_threads *threads;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t woken;
  enum offer offer; /* the caller's: what it did with the part */
  double from;      /* the caller's: time before which it does not wake the thread */
} seat;

struct hk_threads {
  seat *seat; /* seat[threads] */
  int threads, seats, started;
  hk_threads_work *work; /* the present run: */
  void *user;
  hk_count first, count;
  int parts;
  _Alignas(64) _Atomic int left; /* parts that are not done */
};

static void rest(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static bool spin(const seat *s)
{
  const double end = hk_seconds() + patience;
  do {
    for (int k = 0; k < 16; k++, rest())
      if (s->word != IDLE) return true;
  } while (hk_seconds() < end);
  return false;
}

/* Returns when the word is no longer IDLE, or was not for a while. */
static void wait_at(seat *s)
{
  int idle = IDLE;
  if (spin(s)) return;
  pthread_mutex_lock(&s->mutex);
  if (atomic_compare_exchange_strong(&s->word, &idle, ASLEEP))
    while (s->word == ASLEEP) pthread_cond_wait(&s->woken, &s->mutex);
  pthread_mutex_unlock(&s->mutex);
}

/* Whether the thread was asleep. */
static bool put(seat *s, enum word word)
{
  if (atomic_exchange(&s->word, word) != ASLEEP) return false;
  pthread_mutex_lock(&s->mutex); /* from here on it waits, or sees the word */
  pthread_mutex_unlock(&s->mutex);
  pthread_cond_signal(&s->woken);
  return true;
}

static bool take(seat *s)
{
  int ready = READY;
  return s->word == READY && atomic_compare_exchange_strong(&s->word, &ready, IDLE);
}

static enum offer offer(seat *s)
{
  if (s->word == ASLEEP && s->from > 0 && hk_seconds() < s->from) return KEPT;
  return put(s, READY) ? WOKEN : OFFERED;
}

/* Whether the caller is to do the part. A thread was woken in vain if it comes too late, or if it came by pushing the
 * caller off its processor. */
static bool reclaim(seat *s)
{
  if (s->offer == KEPT) return true;
  const bool late = take(s);
  if (s->offer == WOKEN)
    s->from = late || s->processor == sched_getcpu() ? hk_seconds() + sleep_after_vain : 0;
  return late;
}

static void do_part(const hk_threads *p, int part)
{
  const hk_count length = p->count / p->parts, longer = p->count % p->parts;
  const hk_count first = length * part + (part < longer ? part : longer);
  p->work(p->user, p->first + first, length + (part < longer));
}

static void *serve(void *user)
{
  seat *s = user;
  hk_threads *p = s->threads;
  for (;;) {
    wait_at(s);
    s->processor = sched_getcpu();
    if (s->word == STOP) return NULL;
    if (!take(s)) continue;
    do_part(p, (int)(s - p->seat));
    if (atomic_fetch_sub(&p->left, 1) == 1) put(&p->seat[0], READY);
  }
}

void hk_threads_run(hk_threads *p, hk_count first, hk_count count, hk_threads_work *work,
                    void *user)
{
  int mine = 1;
  if (count <= 0) return;
  p->work = work, p->user = user, p->first = first, p->count = count;
  p->parts = count < p->threads ? (int)count : p->threads;
  p->left = p->parts;
  for (int k = 1; k < p->parts; k++) p->seat[k].offer = offer(&p->seat[k]);
  do_part(p, 0);
  for (int k = 1; k < p->parts; k++)
    if (reclaim(&p->seat[k])) {
      do_part(p, k);
      mine++;
    }
  if (atomic_fetch_sub(&p->left, mine) == mine) return;
  while (!take(&p->seat[0])) wait_at(&p->seat[0]);
}

/* Where OMP_PROC_BIND binds threads, thread k goes to OpenMP's thread k, which has packed its part of the lists. */
static void bind_threads(const hk_threads *p)
{
  if (omp_get_proc_bind() == omp_proc_bind_false) return;
#pragma omp parallel num_threads(p->threads)
  {
    const int k = omp_get_thread_num();
    cpu_set_t set;
    if (k && !pthread_getaffinity_np(pthread_self(), sizeof set, &set))
      pthread_setaffinity_np(p->seat[k].thread, sizeof set, &set);
  }
}

/* LOCAL arrays of kernels lie on the stack: threads have room for them where the process's own limit is smaller. */
static hk_status start_threads(hk_threads *p)
{
  hk_status status = HK_OK;
  const size_t least = 2 << 20;
  pthread_attr_t attributes;
  size_t stack = 0;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &stack);
  if (stack < least) pthread_attr_setstacksize(&attributes, least);
  for (int k = 1; k < p->threads; k++, p->started++) {
    const int error = pthread_create(&p->seat[k].thread, &attributes, serve, &p->seat[k]);
    HK_CHECK(!error, HK_NO_RESOURCES, "thread %d of %d cannot be started (%s): give fewer threads",
             k + 1, p->threads, strerror(error));
  }
cleanup:
  pthread_attr_destroy(&attributes);
  return status;
}

hk_status hk_threads_create(int threads, hk_threads **out)
{
  hk_status status = HK_OK;
  hk_threads *p = NULL;
  HK_TRY(hk_new(&p));
  HK_TRY(hk_get(&p->seat, threads));
  p->threads = threads;
  for (; p->seats < threads; p->seats++) {
    seat *s = &p->seat[p->seats];
    s->threads = p;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->woken, NULL);
  }
  HK_TRY(start_threads(p));
  bind_threads(p);
  *out = p, p = NULL;
cleanup:
  hk_threads_destroy(&p);
  return status;
}

void hk_threads_destroy(hk_threads **threads)
{
  hk_threads *p = *threads;
  if (!p) return;
  for (int k = 1; k <= p->started; k++) put(&p->seat[k], STOP);
  for (int k = 1; k <= p->started; k++) pthread_join(p->seat[k].thread, NULL);
  for (int k = 0; k < p->seats; k++) {
    pthread_mutex_destroy(&p->seat[k].mutex);
    pthread_cond_destroy(&p->seat[k].woken);
  }
  hk_free(&p->seat);
  hk_free(threads);
}
