/* The list of libraries that factor a matrix, and one call for all of them (hk_factor_create, hk_factor_solve).
 * "auto" takes the first of `kinds` that is installed and serves. Factors that the caller may want to stop are made by a thread of their own:
 * the caller polls `stop`, and a library that cannot be interrupted is left to that thread, which frees the job when it ends (struct job). */
#include "solver/linear/direct/factor_parts.h"
#include "solver/linear/words.h"
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* In the order in which "auto" takes them. */
static const hk_factor_kind *const kinds[] = {&hk_factor_cudss,          &hk_factor_mumps,
                                              &hk_factor_cholmod,        &hk_factor_cusolver,
                                              &hk_factor_cusolver_dense, &hk_factor_lapack};
enum { KINDS = sizeof kinds / sizeof *kinds };

enum {
  LOOK = 100 * 1000 * 1000,
  STACK = 64 << 20
}; /* nanoseconds between two looks at stop; bytes */
static atomic_int running;

void hk_factor_matrix_clear(hk_factor_matrix *m)
{
  hk_free_matrix_clear(&m->entries);
  hk_free(&m->order);
  hk_dense_rows_clear(&m->rows);
  hk_dense_destroy(&m->dense);
}

static bool asks_order(const char *ordering)
{
  const int word = hk_ordering_of(ordering);
  return word == HK_ORDERING_RCM || word == HK_ORDERING_NATURAL;
}

/* "auto" may be bound to the host; a name never is. */
static bool may_serve(const hk_factor_desc *desc, bool dense, const hk_factor_kind *kind)
{
  return kind->dense == dense && !(desc->unsymmetric && !kind->unsymmetric) &&
         !(desc->host && hk_is_auto(desc->library) && kind->on_device);
}

/* Of sparse and dense factors, each name once. */
const char *hk_factor_word(int k)
{
  if (k == 0) return HK_AUTO;
  for (int i = 0; i < KINDS; i++) {
    bool again = false;
    for (int j = 0; j < i; j++) again = again || !strcmp(kinds[j]->name, kinds[i]->name);
    if (!again && --k == 0) return kinds[i]->name;
  }
  return NULL;
}

/* Whether the library is there; else *why. */
static bool is_there(const hk_factor_kind *kind, const hk_device *device, const char **why)
{
  if (kind->on_device) return hk_device_library_there(device, kind->vendor, why);
  *why = kind->absent;
  for (int k = 0; k < 2; k++)
    if (kind->library[k] && hk_host_library_load(kind->library[k])) return true;
  return false;
}

/* NULL with *why: none is there. */
static const hk_factor_kind *find_kind(const hk_factor_desc *desc, bool dense, const char **why)
{
  const char *first = NULL, *reason;
  for (int k = 0; k < KINDS; k++) {
    if (!may_serve(desc, dense, kinds[k])) continue;
    if (hk_is_auto(desc->library) ? kinds[k]->orders_itself && asks_order(desc->ordering)
                                  : strcmp(desc->library, kinds[k]->name) != 0)
      continue;
    if (is_there(kinds[k], desc->device, &reason)) return kinds[k];
    if (!first || !kinds[k]->on_device) first = reason;
  }
  *why = hk_factor_missing_room() ? "no memory to open a library for factors"
         : first                  ? first
                                  : "there is no such library for such a matrix";
  return NULL;
}

bool hk_factor_available(const hk_factor_desc *desc, bool dense, const char **why)
{
  return find_kind(desc, dense, why) != NULL;
}

/* "mumps, cholmod" of those that make such factors, or with `here` are also found; "none" */
static void list_kinds(const hk_factor_desc *desc, bool dense, bool here, char *text, size_t size)
{
  const char *why;
  size_t at = 0;
  snprintf(text, size, "none");
  for (int k = 0; k < KINDS && at < size; k++) {
    if (!may_serve(desc, dense, kinds[k])) continue;
    if (here && !is_there(kinds[k], desc->device, &why)) continue;
    at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", kinds[k]->name);
  }
}

/* Whether a library of that name makes such factors, there or not. */
static bool serves(const char *name, bool dense)
{
  for (int k = 0; k < KINDS; k++)
    if (kinds[k]->dense == dense && !strcmp(kinds[k]->name, name)) return true;
  return false;
}

hk_status hk_factor_check(const hk_factor_desc *desc, bool dense)
{
  const char *why, *kind = dense ? "dense" : "sparse";
  char all[128], here[128];
  if (find_kind(desc, dense, &why)) return HK_OK;
  const hk_count room =
      hk_is_auto(desc->library) || serves(desc->library, dense) ? hk_factor_missing_room() : 0;
  HK_NEED(!room, HK_NO_RESOURCES,
          "out of memory: opening a library for factors needs %.1f MB, and %.1f MB are free; "
          "raise the limit of the process (ulimit -v), or use the method cg",
          (double)room / 1e6, (double)hk_memory_available() / 1e6);
  list_kinds(desc, dense, false, all, sizeof all);
  list_kinds(desc, dense, true, here, sizeof here);
  HK_NEED(hk_is_auto(desc->library) || serves(desc->library, dense), HK_USAGE,
          "library %s has no %s factors: give auto or one of %s; found on this machine: %s",
          desc->library, kind, all, here);
  HK_NEED(false, HK_USAGE,
          "no library for %s factors%s%s: %s; libraries with such factors are %s; found on this "
          "machine: %s; give one of those, or the method cg",
          kind, hk_is_auto(desc->library) ? "" : ", not ",
          hk_is_auto(desc->library) ? "" : desc->library, why, all, here);
  return HK_OK;
}

bool hk_factor_on_device(const hk_factor_desc *desc, bool dense)
{
  const char *why;
  const hk_factor_kind *kind = find_kind(desc, dense, &why);
  return kind && kind->on_device;
}

/* Factors being made by a thread: of both it and the caller, until one of them lets go. */
typedef struct job {
  pthread_mutex_t lock;
  pthread_cond_t end;
  bool ended, left; /* left: the thread frees it */
  hk_factor_desc desc;
  hk_factor_matrix matrix;
  hk_factor *factor;
  hk_status status;
  char words[512];
} job;

static void destroy_job(job **j)
{
  if (!*j) return;
  hk_factor_destroy(&(*j)->factor);
  hk_factor_matrix_clear(&(*j)->matrix);
  pthread_cond_destroy(&(*j)->end);
  pthread_mutex_destroy(&(*j)->lock);
  hk_free(j);
}

static hk_status make(job *j)
{
  const hk_status status = j->factor->kind->create(&j->desc, &j->matrix, j->factor);
  hk_factor_matrix_clear(&j->matrix);
  return status;
}

static void *work(void *user)
{
  job *j = user;
  omp_set_num_threads(j->factor->threads);
  j->status = make(j);
  if (j->status != HK_OK) snprintf(j->words, sizeof j->words, "%s", hk_error());
  pthread_mutex_lock(&j->lock);
  const bool left = j->left;
  j->ended = true;
  pthread_cond_signal(&j->end);
  pthread_mutex_unlock(&j->lock);
  if (left) {
    destroy_job(&j);
    running--;
  }
  return NULL;
}

static hk_status begin(job *j, pthread_t *thread)
{
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, STACK);
  const int code = pthread_create(thread, &how, work, j);
  pthread_attr_destroy(&how);
  HK_NEED(!code, HK_NO_RESOURCES, "no thread for the factorisation: %s", strerror(code));
  return HK_OK;
}

/* Looks at stop until the thread ends; true: it was left. */
static bool wait_or_leave(job *j)
{
  pthread_mutex_lock(&j->lock);
  while (!j->ended && !j->left) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    if (pthread_cond_timedwait(&j->end, &j->lock, &until) != ETIMEDOUT) continue;
    pthread_mutex_unlock(&j->lock);
    const bool stop = j->desc.stop(j->desc.user);
    pthread_mutex_lock(&j->lock);
    if (stop && !j->ended) j->left = true, running++;
  }
  const bool left = j->left;
  pthread_mutex_unlock(&j->lock);
  return left;
}

/* A thread makes them, where the library cannot be stopped midway. */
static hk_status make_apart(job **j)
{
  pthread_t thread;
  HK_PASS(begin(*j, &thread));
  if (wait_or_leave(*j)) {
    *j = NULL;
    pthread_detach(thread);
    return hk_error_set(HK_STOPPED, "stopped during the factorisation");
  }
  pthread_join(thread, NULL);
  if ((*j)->status != HK_OK) return hk_error_set((*j)->status, "%s", (*j)->words);
  return HK_OK;
}

static hk_index size_of(const hk_factor_matrix *m)
{
  return m->dense ? m->dense->n : m->rows.value ? m->rows.n : m->entries.n;
}

static hk_status create_job(const hk_factor_desc *desc, const hk_factor_kind *kind,
                            hk_factor_matrix *matrix, job **out)
{
  hk_status status = HK_OK;
  job *j = NULL;
  HK_TRY(hk_new(&j));
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->end, NULL);
  j->desc = *desc;
  if (!kind->on_device) j->desc.ordering = NULL; /* borrowed for the call: a thread may be left */
  j->desc.library = NULL;
  HK_TRY(hk_new(&j->factor));
  j->factor->kind = kind, j->factor->device = desc->device, j->factor->n = size_of(matrix);
  j->factor->threads = hk_device_describe(desc->device)->threads;
  j->factor->library =
      kind->library[0] && kind->library[0]->there ? kind->library[0] : kind->library[1];
  j->matrix = *matrix, *matrix = (hk_factor_matrix){0};
  *out = j, j = NULL;
cleanup:
  destroy_job(&j);
  return status;
}

hk_status hk_factor_create(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor **out)
{
  hk_status status = HK_OK;
  job *j = NULL;
  const char *why = "";
  const hk_factor_kind *kind = find_kind(desc, matrix->dense != NULL, &why);
  HK_TRY(hk_factor_check(desc, matrix->dense != NULL));
  HK_TRY(create_job(desc, kind, matrix, &j));
  HK_TRY(kind->stops || kind->on_device || !desc->stop ? make(j) : make_apart(&j));
  HK_CHECK(!desc->stop || !desc->stop(desc->user), HK_STOPPED, "stopped after the factorisation");
  *out = j->factor, j->factor = NULL;
cleanup:
  destroy_job(&j);
  hk_factor_matrix_clear(matrix);
  return status;
}

void hk_factor_destroy(hk_factor **factor)
{
  hk_factor *f = *factor;
  if (!f) return;
  f->kind->destroy(f);
  hk_factor_matrix_clear(&f->matrix);
  hk_free(factor);
}

hk_status hk_factor_solve(hk_factor *f, double *x)
{
  return f->kind->solve(f, x);
}

hk_count hk_factor_bytes(const hk_factor *f)
{
  return f->bytes;
}

const char *hk_factor_name(const hk_factor *f)
{
  return f->name;
}

int hk_factor_running(void)
{
  return running;
}
