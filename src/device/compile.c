/* Compiling ahead: hk_compile_begin puts a source on a list, and threads take from it in order, while the caller goes on. Who needs a kernel
 * whose program no thread has begun makes it itself, and else waits for the thread that makes it. Threads are started as programs come, up to
 * the number that the device has on the host, and end with the device. Kernels of one source share a program. The list grows in the caller's
 * thread alone; a lock guards the list and the states. */
#include "device/compile.h"
#include "device/source.h"
#include <pthread.h>
#include <string.h>

enum { MOST_THREADS = 8 };

struct hk_compile {
  hk_device *device;
  pthread_mutex_t mutex;
  pthread_cond_t change; /* of a state, or of `ends` */
  bool ends;
  pthread_t thread[MOST_THREADS];
  int threads, idle;
  HK_LIST(hk_program *) programs;
  hk_kernel *waiting; /* kernels that were begun and not awaited, by hk_kernel.next */
  double waited;
};

static hk_program *first_queued(const hk_compile *c)
{
  for (hk_count i = 0; i < c->programs.count; i++)
    if (c->programs.at[i]->state == HK_PROGRAM_QUEUED) return c->programs.at[i];
  return NULL;
}

/* With the lock, which is free meanwhile. A program that failed keeps its source to be tried again. */
static void make(hk_compile *c, hk_program *p)
{
  hk_failure failure = {0};
  p->state = HK_PROGRAM_BEGUN;
  pthread_mutex_unlock(&c->mutex);
  hk_failure_keep(&failure, c->device->table->compiler->make(p));
  pthread_mutex_lock(&c->mutex);
  p->failure = failure;
  if (p->code) hk_free(&p->source);
  p->state = HK_PROGRAM_ENDED;
  pthread_cond_broadcast(&c->change);
}

static void *work(void *user)
{
  hk_compile *c = user;
  pthread_mutex_lock(&c->mutex);
  while (!c->ends) {
    hk_program *p = first_queued(c);
    if (p) {
      make(c, p);
    } else {
      c->idle++;
      pthread_cond_wait(&c->change, &c->mutex);
      c->idle--;
    }
  }
  pthread_mutex_unlock(&c->mutex);
  return NULL;
}

static hk_status open_list(hk_device *device)
{
  if (device->compile) return HK_OK;
  HK_PASS(hk_new(&device->compile));
  device->compile->device = device;
  pthread_mutex_init(&device->compile->mutex, NULL);
  pthread_cond_init(&device->compile->change, NULL);
  return HK_OK;
}

/* With the lock. Where no thread can be started, who needs the program makes it. */
static void start_thread(hk_compile *c)
{
  const int own = c->device->info.threads, most = own < MOST_THREADS ? own : MOST_THREADS;
  int queued = 0;
  for (hk_count i = 0; i < c->programs.count; i++)
    queued += c->programs.at[i]->state == HK_PROGRAM_QUEUED;
  if (queued <= c->idle || c->threads == most) return;
  if (!pthread_create(&c->thread[c->threads], NULL, work, c)) c->threads++;
}

/* With the lock. Takes *key over. */
static hk_status add_program(hk_compile *c, const hk_kernel_desc *desc, char **key,
                             hk_program **out)
{
  hk_status status = HK_OK;
  hk_program *p = NULL;
  HK_TRY(hk_list_more(&c->programs));
  HK_TRY(hk_new(&p));
  *p = (hk_program){.device = c->device, .function = desc->function};
  HK_TRY(hk_kernel_source(desc, &c->device->info, c->device->table->compiler->dialect, &p->source));
  p->plain = c->device->info.unoptimised && !desc->optimised;
  p->key = *key, *key = NULL;
  c->programs.at[c->programs.count++] = p;
  *out = p, p = NULL;
  start_thread(c);
cleanup:
  hk_free(&p);
  return status;
}

/* The program of this key; one that failed is tried again. Sources are long, and solvers that are made anew in each iteration ask for the same
 * kernels: a source is written only where its program is new. Takes *key over then. */
static hk_status find_program(hk_compile *c, const hk_kernel_desc *desc, char **key,
                              hk_program **out)
{
  hk_status status = HK_OK;
  *out = NULL;
  pthread_mutex_lock(&c->mutex);
  for (hk_count i = 0; i < c->programs.count && !*out; i++)
    if (!strcmp(c->programs.at[i]->key, *key)) *out = c->programs.at[i];
  if (!*out)
    status = add_program(c, desc, key, out);
  else if ((*out)->state == HK_PROGRAM_ENDED && (*out)->failure.status != HK_OK)
    (*out)->state = HK_PROGRAM_QUEUED;
  pthread_cond_broadcast(&c->change);
  pthread_mutex_unlock(&c->mutex);
  return status;
}

hk_status hk_compile_begin(hk_kernel *kernel, const hk_kernel_desc *desc)
{
  hk_status status = HK_OK;
  hk_device *device = kernel->device;
  char *head = NULL, *key = NULL;
  HK_TRY(hk_kernel_head(desc, &device->info, &head));
  HK_TRY(hk_format(&key, "%s%s", head, desc->text));
  HK_TRY(open_list(device));
  HK_TRY(find_program(device->compile, desc, &key, &kernel->program));
  kernel->function = desc->function;
  kernel->next = device->compile->waiting, device->compile->waiting = kernel;
cleanup:
  hk_free(&head);
  hk_free(&key);
  return status;
}

void hk_compile_leave(hk_kernel *kernel)
{
  hk_compile *c = kernel->device->compile;
  for (hk_kernel **at = c ? &c->waiting : NULL; at && *at; at = &(*at)->next)
    if (*at == kernel) {
      *at = kernel->next;
      return;
    }
}

hk_status hk_compile_await(hk_kernel *kernel)
{
  hk_compile *c = kernel->device->compile;
  hk_program *p = kernel->program;
  const double start = hk_seconds();
  if (kernel->code || !p) return HK_OK;
  const int before = hk_clock_begin("compile");
  pthread_mutex_lock(&c->mutex);
  if (p->state == HK_PROGRAM_QUEUED) make(c, p);
  while (p->state != HK_PROGRAM_ENDED) pthread_cond_wait(&c->change, &c->mutex);
  pthread_mutex_unlock(&c->mutex);
  hk_clock_end(before);
  c->waited += hk_seconds() - start;
  HK_PASS(hk_failure_tell(&p->failure));
  HK_PASS(kernel->device->table->compiler->take(kernel));
  hk_compile_leave(kernel);
  return HK_OK;
}

hk_status hk_compile_await_all(hk_device *device)
{
  hk_compile *c = device->compile;
  while (c && c->waiting) HK_PASS(hk_compile_await(c->waiting));
  return HK_OK;
}

void hk_kernel_count(const hk_device *device, hk_count count[HK_FROM_COUNT])
{
  hk_compile *c = device->compile;
  memset(count, 0, HK_FROM_COUNT * sizeof *count);
  if (!c) return;
  pthread_mutex_lock(&c->mutex);
  for (hk_count i = 0; i < c->programs.count; i++)
    count[c->programs.at[i]->from] += c->programs.at[i]->code != NULL;
  pthread_mutex_unlock(&c->mutex);
}

double hk_compile_waited(const hk_device *device)
{
  return device->compile ? device->compile->waited : 0;
}

void hk_compile_close(hk_device *device)
{
  hk_compile *c = device->compile;
  if (!c) return;
  pthread_mutex_lock(&c->mutex);
  c->ends = true;
  pthread_cond_broadcast(&c->change);
  pthread_mutex_unlock(&c->mutex);
  for (int t = 0; t < c->threads; t++) pthread_join(c->thread[t], NULL);
  for (hk_count i = 0; i < c->programs.count; i++) {
    if (c->programs.at[i]->code) device->table->compiler->destroy(c->programs.at[i]);
    hk_free(&c->programs.at[i]->source);
    hk_free(&c->programs.at[i]->key);
    hk_free(&c->programs.at[i]);
  }
  hk_free(&c->programs.at);
  pthread_cond_destroy(&c->change);
  pthread_mutex_destroy(&c->mutex);
  hk_free(&device->compile);
}
