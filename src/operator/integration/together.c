/* The device and the host integrate one list of elements (together.h). A thread drives the device: it keeps two launches begun, sleeps while it
 * waits, so that the host's kernels keep the cores, and hands matrices over. The calling thread runs the host's chunks. Both take from the list
 * under a lock. If r elements are left, which take the device s seconds each and the host t, and what they have begun takes them b and h seconds
 * more, then they end at the same time if the device takes m of the r with
 *   b + m s = h + (r - m) t,
 * so near the end each takes no more than that: launches become small, and no one waits long for the other. */
#include "operator/integration/together.h"
#include "operator/integration/parts.h"
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
  LAUNCHES = 32, /* of the device if it had all elements */
  CHUNKS = 64,   /* of the host, as many */
  EACH = 4,      /* groups of a chunk for each thread, at least */
  TRIALS = 2,    /* runs of a sample: the first one warms up */
  QUARTER = 4,
  NAP = 20000, /* ns between two looks at a fetch */
  DEVICE = 0,
  HOST = 1
};

/* One of the two. */
typedef struct side {
  hk_integral *integral;
  double seconds;   /* of an element */
  double since;     /* when what is begun was, or the last of what is done */
  int threads;      /* of OpenMP, which prepare launches: the device's */
  hk_count begun;   /* elements taken and not handed over */
  hk_count done;    /* in this run */
  hk_count portion; /* elements that it takes at once */
  bool ended;       /* takes no more */
} side;

struct hk_together {
  side side[2];
  hk_count front, back; /* elements [front, back) are nobody's yet */
  pthread_mutex_t lock;
  hk_failure failure;
  bool failed;
  hk_integral_take *take;
  void *user;
};

hk_count hk_together_share(const hk_together *t)
{
  return t->side[DEVICE].done;
}

hk_count hk_together_portion(const hk_together *t, bool host)
{
  return t->side[host ? HOST : DEVICE].portion;
}

static int places_of(const side *s)
{
  return s->integral->arrays.matrix[1] ? 2 : 1;
}

static hk_status await(hk_integral *integral, int place, const void **matrix)
{
  hk_fetch *fetch = integral->arrays.fetch[place];
  bool ready = !fetch;
  while (!ready) {
    HK_PASS(hk_fetch_ready(fetch, &ready));
    if (!ready) nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
  }
  return hk_integral_await(integral, place, matrix);
}

hk_count hk_together_even(hk_count left, double busy, double seconds, double other_busy,
                          double other_seconds)
{
  const double even =
      (other_busy + (double)left * other_seconds - busy) / (seconds + other_seconds);
  return even >= (double)left ? left : even > 0 ? (hk_count)even : 0;
}

/* Seconds that what a side has begun is expected to take from now on. */
static double busy_of(const side *s, double now)
{
  return s->begun ? fmax(0, (double)s->begun * s->seconds - (now - s->since)) : 0;
}

/* Elements that side k may take; the host's are whole groups, because its lanes are elements. */
static hk_count portion_of(const hk_together *t, int k)
{
  const side *own = &t->side[k], *other = &t->side[!k];
  const hk_count left = t->back - t->front, group = own->integral->plan.per_group;
  const double now = hk_seconds();
  hk_count most = other->ended ? left
                               : hk_together_even(left, busy_of(own, now), own->seconds,
                                                  busy_of(other, now), other->seconds);
  if (k == HOST && most < left) most = most / group * group;
  return most < own->portion ? most : own->portion;
}

/* Takes elements [*first, *first + count) for side k; 0: there are none for it. A side that has none begun leaves what is left to the other one,
 * which has not ended, or takes it. */
static hk_count take_some(hk_together *t, int k, hk_count *first)
{
  side *own = &t->side[k];
  pthread_mutex_lock(&t->lock);
  const hk_count count = t->failed ? 0 : portion_of(t, k);
  if (k == DEVICE)
    *first = t->front, t->front += count;
  else
    *first = t->back -= count;
  if (!own->begun) own->since = hk_seconds();
  own->begun += count;
  if (!own->begun) own->ended = true;
  pthread_mutex_unlock(&t->lock);
  return count;
}

/* Elements of side k were handed over; those of a whole portion tell its speed. */
static void put_back(hk_together *t, int k, hk_count count)
{
  side *own = &t->side[k];
  const double now = hk_seconds();
  pthread_mutex_lock(&t->lock);
  own->begun -= count, own->done += count;
  if (count == own->portion) own->seconds = (now - own->since) / (double)count;
  own->since = now;
  pthread_mutex_unlock(&t->lock);
}

static void keep_failure(hk_together *t, hk_status status)
{
  if (status == HK_OK) return;
  hk_failure_keep(&t->failure, status);
  pthread_mutex_lock(&t->lock);
  t->failed = true;
  pthread_mutex_unlock(&t->lock);
}

typedef struct range {
  hk_count first, count;
} range;

static hk_status drive(hk_together *t)
{
  side *own = &t->side[DEVICE];
  const int places = places_of(own);
  range of[2] = {{0}};
  HK_PASS(hk_integral_reset(own->integral));
  for (int place = 0;; place = (place + 1) % places) {
    range *r = &of[place];
    if (r->count) {
      const void *matrix;
      HK_PASS(await(own->integral, place, &matrix));
      HK_PASS(t->take(t->user, r->first, r->count, matrix));
      put_back(t, DEVICE, r->count);
    }
    r->count = take_some(t, DEVICE, &r->first);
    if (r->count) HK_PASS(hk_integral_begin(own->integral, place, r->first, r->count));
    if (own->ended) return hk_integral_check(own->integral);
  }
}

static void *drive_device(void *user)
{
  hk_together *t = user;
  omp_set_num_threads(t->side[DEVICE].threads); /* of this thread */
  keep_failure(t, drive(t));
  return NULL;
}

static hk_status run_host(hk_together *t)
{
  side *own = &t->side[HOST];
  hk_count first, count;
  HK_PASS(hk_integral_reset(own->integral));
  while ((count = take_some(t, HOST, &first)) > 0) {
    const void *matrix;
    HK_PASS(hk_integral_begin(own->integral, 0, first, count));
    HK_PASS(hk_integral_await(own->integral, 0, &matrix));
    HK_PASS(t->take(t->user, first, count, matrix));
    put_back(t, HOST, count);
  }
  return hk_integral_check(own->integral);
}

hk_status hk_together_run(hk_together *t, hk_integral_take *take, void *user)
{
  pthread_t thread;
  const int threads = omp_get_max_threads();
  t->take = take, t->user = user;
  t->front = 0, t->back = t->side[DEVICE].integral->desc.elements;
  t->failure = (hk_failure){0}, t->failed = false;
  for (int k = 0; k < 2; k++) t->side[k].begun = t->side[k].done = 0, t->side[k].ended = false;
  const int error = pthread_create(&thread, NULL, drive_device, t);
  HK_NEED(!error, HK_NO_RESOURCES, "no thread for the device beside the host: %s", strerror(error));
  omp_set_num_threads(
      1); /* to prepare chunks: threads that wait for more would keep cores from the kernels */
  keep_failure(t, run_host(t));
  omp_set_num_threads(threads);
  pthread_join(thread, NULL);
  return hk_failure_tell(&t->failure);
}

/* Seconds of an element from a portion of the elements, and of them those in which one thread prepares the launch. A folded element is told by the
 * run. */
static hk_status time_side(side *s, double *prepare)
{
  for (int trial = 0; trial < TRIALS; trial++) {
    const double start = hk_seconds();
    const void *matrix;
    HK_PASS(hk_integral_begin(s->integral, 0, 0, s->portion));
    *prepare = (hk_seconds() - start) / (double)s->portion;
    HK_PASS(await(s->integral, 0, &matrix));
    s->seconds = (hk_seconds() - start) / (double)s->portion;
  }
  return HK_OK;
}

/* With one thread of OpenMP; and as many threads as prepare a launch of the device in a quarter of its time. */
static hk_status time_sides(hk_together *t, int threads)
{
  side *device = &t->side[DEVICE];
  double prepare;
  HK_PASS(time_side(&t->side[HOST], &prepare));
  HK_PASS(time_side(device, &prepare));
  const double needed = QUARTER * prepare / device->seconds;
  device->threads = needed < threads ? (int)needed + 1 : threads;
  return HK_OK;
}

/* Whole groups, enough of them for all threads, as many as a launch has. */
static hk_count chunk_of(const hk_integral_desc *desc, const hk_integral_plan *plan, int threads)
{
  const hk_count group = plan->per_group, launch = plan->launch / group * group;
  const hk_count least = (EACH * threads + plan->parts - 1) / plan->parts * group;
  const hk_count part = (desc->elements / CHUNKS + group - 1) / group * group;
  const hk_count chunk = part > least ? part : least;
  return chunk < launch ? chunk : launch ? launch : plan->launch;
}

hk_status hk_together_create(const hk_integral_desc *desc, hk_device *host, hk_together **out)
{
  hk_status status = HK_OK;
  hk_together *t = NULL;
  const int threads = omp_get_max_threads();
  const hk_count launch = desc->elements / LAUNCHES + 1;
  hk_integral_desc device = *desc, beside = *desc;
  if (!device.limits.launch || device.limits.launch > launch) device.limits.launch = launch;
  beside.device = host, beside.cache = NULL;
  beside.limits = (hk_integral_limits){.launch = launch};
  if (beside.way < HK_INTEGRAL_POINTS) beside.way = HK_INTEGRAL_AUTO;
  HK_TRY(hk_new(&t));
  pthread_mutex_init(&t->lock, NULL);
  HK_TRY(hk_integral_create(&device, &t->side[DEVICE].integral));
  HK_TRY(hk_integral_create(&beside, &t->side[HOST].integral));
  t->side[DEVICE].portion = hk_integral_describe(t->side[DEVICE].integral)->launch;
  t->side[HOST].portion = chunk_of(desc, hk_integral_describe(t->side[HOST].integral),
                                   hk_device_describe(host)->threads);
  t->side[DEVICE].threads = 1;
  omp_set_num_threads(1);
  if (desc->elements) HK_TRY(time_sides(t, threads));
  *out = t, t = NULL;
cleanup:
  omp_set_num_threads(threads);
  hk_together_destroy(&t);
  return status;
}

void hk_together_destroy(hk_together **together)
{
  hk_together *t = *together;
  if (!t) return;
  for (int k = 0; k < 2; k++) hk_integral_destroy(&t->side[k].integral);
  pthread_mutex_destroy(&t->lock);
  hk_free(together);
}
