/* A shelf (shelf.h): boxes in a list, each with the number of its pieces. A piece has the address of its box before it. Boxes are added and removed
 * under a lock, pieces are laid and counted without: a thread has its own box. */
#include "operator/rows/shelf.h"
#include <pthread.h>
#include <stdatomic.h>

enum { BOX_BYTES = 1 << 20, ALIGNED = 16 };

typedef struct box {
  struct box *next, *before;
  hk_shelf *shelf;
  _Atomic hk_index pieces;
  hk_count used, size;
  _Alignas(ALIGNED) char data[];
} box;

struct hk_shelf {
  pthread_mutex_t lock;
  box *first;  /* of the list */
  int threads; /* open[threads] */
  box **open;  /* the box that a thread lays into */
};

hk_status hk_shelf_create(int threads, hk_shelf **out)
{
  hk_status status = HK_OK;
  hk_shelf *s = NULL;
  HK_TRY(hk_new(&s));
  pthread_mutex_init(&s->lock, NULL);
  s->threads = threads;
  HK_TRY(hk_get(&s->open, threads));
  *out = s, s = NULL;
cleanup:
  hk_shelf_destroy(&s);
  return status;
}

void hk_shelf_destroy(hk_shelf **shelf)
{
  hk_shelf *s = *shelf;
  if (!s) return;
  while (s->first) {
    box *next = s->first->next;
    hk_free(&s->first);
    s->first = next;
  }
  hk_free(&s->open);
  pthread_mutex_destroy(&s->lock);
  hk_free(shelf);
}

static hk_status open_box(hk_shelf *s, int thread, hk_count bytes)
{
  void *piece;
  const hk_count size =
      bytes > BOX_BYTES - (hk_count)sizeof(box) ? bytes : BOX_BYTES - (hk_count)sizeof(box);
  HK_PASS(hk_memory_get(&piece, (hk_count)sizeof(box) + size, 1));
  box *b = piece;
  b->shelf = s, b->size = size;
  pthread_mutex_lock(&s->lock);
  b->next = s->first;
  if (s->first) s->first->before = b;
  s->first = s->open[thread] = b;
  pthread_mutex_unlock(&s->lock);
  return HK_OK;
}

hk_status hk_shelf_put(hk_shelf *s, int thread, hk_count bytes, void **piece)
{
  const hk_count need = ALIGNED + (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  *piece = NULL;
  if (!s->open[thread] || s->open[thread]->size - s->open[thread]->used < need)
    HK_PASS(open_box(s, thread, need));
  box *b = s->open[thread];
  char *at = b->data + b->used;
  b->used += need, b->pieces++;
  *(box **)(void *)at = b;
  *piece = at + ALIGNED;
  return HK_OK;
}

static void remove_box(box *b)
{
  hk_shelf *s = b->shelf;
  pthread_mutex_lock(&s->lock);
  if (b->next) b->next->before = b->before;
  if (b->before)
    b->before->next = b->next;
  else
    s->first = b->next;
  for (int t = 0; t < s->threads; t++)
    if (s->open[t] == b) s->open[t] = NULL;
  pthread_mutex_unlock(&s->lock);
  hk_free(&b);
}

void hk_shelf_drop(void **piece)
{
  if (!*piece) return;
  box *b = *(box **)(void *)((char *)*piece - ALIGNED);
  *piece = NULL;
  if (atomic_fetch_sub(&b->pieces, 1) == 1) remove_box(b);
}
