/* Allocation. Each piece has a header of 64 bytes with its size, so that the memory held and its
 * peak are known.
 * Pieces from 128 kB are mapped: they come zeroed without being touched, and go back to the system
 * when they are freed, so resident memory equals held memory. Pieces from 4 MB may use huge pages.
 * A request beyond the free memory is refused before it is made. Tests make the k-th allocation
 * fail (hk_memory_fail_at). */
#include "base/base.h"
#include <stdatomic.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 64, MAPPED_FROM = 128 << 10, LARGE_FROM = 4 << 20 };

typedef struct header {
  size_t bytes; /* of the caller */
  size_t whole; /* obtained, header included */
  bool mapped;
} header;

static _Atomic hk_count calls, held, peak, fail_at, limit;

hk_count hk_memory_calls(void)
{
  return calls;
}

hk_count hk_memory_held(void)
{
  return held;
}

hk_count hk_memory_peak(void)
{
  return peak;
}

void hk_memory_renew_peak(void)
{
  peak = held;
}

void hk_memory_fail_at(hk_count k)
{
  fail_at = k;
}

void hk_memory_limit(hk_count bytes)
{
  limit = bytes;
}

static bool injected_failure(void)
{
  return fail_at > 0 && atomic_fetch_sub(&fail_at, 1) == 1;
}

static void count_held(hk_count change)
{
  const hk_count now = atomic_fetch_add(&held, change) + change;
  hk_count top = peak;
  while (now > top && !atomic_compare_exchange_weak(&peak, &top, now)) {
  }
}

static header *header_of(void *p)
{
  return (header *)((char *)p - HEADER);
}

static void *map_pages(size_t whole)
{
  void *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
  if (whole >= LARGE_FROM) madvise(p, whole, MADV_HUGEPAGE);
#endif
  return p;
}

static void *obtain(size_t bytes)
{
  const size_t whole = (bytes + HEADER + 63) / 64 * 64;
  const bool mapped = whole >= MAPPED_FROM;
  char *p = mapped ? map_pages(whole) : aligned_alloc(64, whole);
  if (!p) return NULL;
  if (!mapped) memset(p, 0, whole);
  *(header *)p = (header){bytes, whole, mapped};
  return p + HEADER;
}

/* The system promises more than it has, and kills who takes it: large pieces are asked for first. */
static bool beyond_machine(size_t bytes)
{
  return bytes >= LARGE_FROM && (hk_count)bytes > hk_memory_available();
}

static hk_status refuse_bytes(size_t bytes)
{
  return hk_error_set(
      HK_NO_RESOURCES,
      "out of memory: hooke needs %.1f MB more; it holds %.1f MB, and %.1f MB are free",
      (double)bytes / 1e6, (double)held / 1e6, (double)hk_memory_available() / 1e6);
}

static hk_status count_bytes(hk_count count, size_t size, size_t *bytes)
{
  calls++;
  if (count < 0 || __builtin_mul_overflow((size_t)count, size, bytes) || *bytes > (size_t)1 << 60)
    return hk_error_set(HK_NO_RESOURCES, "out of memory: %lld objects of %zu bytes",
                        (long long)count, size);
  return injected_failure() ? refuse_bytes(*bytes) : HK_OK;
}

static hk_status get_bytes(void **p, size_t bytes)
{
  if ((limit && held + (hk_count)bytes > limit) || beyond_machine(bytes) || !(*p = obtain(bytes)))
    return refuse_bytes(bytes);
  count_held((hk_count)bytes);
  return HK_OK;
}

hk_status hk_memory_get(void **p, hk_count count, size_t size)
{
  size_t bytes;
  *p = NULL;
  const hk_status status = count_bytes(count, size, &bytes);
  return status != HK_OK ? status : get_bytes(p, bytes);
}

/* Pages are moved, not copied, so that a large array grows without being held twice. NULL: no
 * memory; *h is then as before. */
static header *move_pages(header *h, size_t bytes)
{
  const size_t before = h->bytes, whole = (bytes + HEADER + 63) / 64 * 64;
  header *moved = mremap(h, h->whole, whole, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return NULL;
  /* what a longer array left in the last page */
  const size_t page = (size_t)sysconf(_SC_PAGE_SIZE);
  const size_t end = (moved->whole + page - 1) / page * page - HEADER;
  if (before < bytes)
    memset((char *)moved + HEADER + before, 0, (end < bytes ? end : bytes) - before);
  moved->bytes = bytes, moved->whole = whole;
  return moved;
}

hk_status hk_memory_resize(void **p, hk_count count, size_t size)
{
  size_t bytes;
  void *next = NULL;
  header *h = *p ? header_of(*p) : NULL;
  if (!h) return hk_memory_get(p, count, size);
  const hk_status status = count_bytes(count, size, &bytes);
  if (status != HK_OK) return status;
  const size_t before = h->bytes;
  const bool moves = h->mapped && bytes + HEADER >= MAPPED_FROM;
  const hk_count more = (hk_count)bytes - (moves ? (hk_count)before : 0);
  if ((limit && held + more > limit) || (more > 0 && beyond_machine((size_t)more)))
    return refuse_bytes(bytes);
  if (moves) {
    if (!(h = move_pages(h, bytes))) return refuse_bytes(bytes);
    *p = (char *)h + HEADER;
    count_held((hk_count)bytes - (hk_count)before);
    return HK_OK;
  }
  if (!(next = obtain(bytes))) return refuse_bytes(bytes);
  count_held((hk_count)bytes);
  memcpy(next, *p, before < bytes ? before : bytes);
  hk_memory_free(p);
  *p = next;
  return HK_OK;
}

/* Room for at least `count` objects: half more than there was, 16 at the least. */
static hk_count grown(hk_count capacity, hk_count count)
{
  const hk_count room = capacity + capacity / 2;
  return room < count ? (count < 16 ? 16 : count) : (room < 16 ? 16 : room);
}

hk_status hk_memory_reserve(void **p, hk_count count, hk_count *capacity, size_t size)
{
  if (*p && count <= *capacity) return HK_OK;
  const hk_count room = grown(*capacity, count);
  const hk_status status = hk_memory_resize(p, room, size);
  if (status == HK_OK) *capacity = room;
  return status;
}

static _Thread_local double share_of_room = 1;

double hk_memory_share(double share)
{
  const double before = share_of_room;
  share_of_room = share;
  return before;
}

hk_count hk_memory_room(hk_count most)
{
  const hk_count room = (hk_count)(share_of_room * (double)most), least = most / 64;
  return room < least ? least : room;
}

void hk_memory_trim(void)
{
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void hk_memory_free(void **p)
{
  if (!*p) return;
  header *h = header_of(*p);
  count_held(-(hk_count)h->bytes);
  if (h->mapped)
    munmap(h, h->whole);
  else
    free(h);
  *p = NULL;
}

enum { CHUNK_BYTES = 32768 };

struct hk_pool_chunk {
  struct hk_pool_chunk *next, *before;
  size_t used, size;
  _Alignas(64) char data[];
};

struct hk_pool_thing {
  void (*destroy)(void *object);
  void *object;
};

static hk_status get_chunk(hk_count count, size_t size, struct hk_pool_chunk **out)
{
  size_t bytes;
  const hk_status status = count_bytes(count, size, &bytes);
  return status != HK_OK ? status : get_bytes((void **)out, sizeof **out + bytes);
}

/* The chunks beside it, or the pool, know where it is now. */
static void tie(hk_pool *pool, struct hk_pool_chunk *c)
{
  if (c->next) c->next->before = c;
  if (c->before)
    c->before->next = c;
  else
    pool->chunk = c;
}

static struct hk_pool_chunk *chunk_of(void *data)
{
  return (struct hk_pool_chunk *)(void *)((char *)data - offsetof(struct hk_pool_chunk, data));
}

hk_status hk_pool_array(hk_pool *pool, hk_count count, size_t size, void **out)
{
  struct hk_pool_chunk *c, *first = pool->chunk;
  const hk_status status = get_chunk(count, size, &c);
  *out = NULL;
  if (status != HK_OK) return status;
  *out = c->data;
  c->before = first; /* behind the first, which may have room for small pieces */
  c->next = first ? first->next : NULL;
  tie(pool, c);
  return HK_OK;
}

hk_status hk_pool_resize_array(hk_pool *pool, hk_count count, size_t size, void **p)
{
  size_t bytes;
  if (!*p) return hk_pool_array(pool, count, size, p);
  struct hk_pool_chunk *c = chunk_of(*p);
  hk_status status = count_bytes(count, size, &bytes);
  if (status == HK_OK) status = hk_memory_resize((void **)&c, (hk_count)(sizeof *c + bytes), 1);
  if (status != HK_OK) return status;
  tie(pool, c);
  *p = c->data;
  return HK_OK;
}

hk_status hk_pool_reserve(hk_pool *pool, void **p, hk_count count, hk_count *capacity, size_t size)
{
  if (*p && count <= *capacity) return HK_OK;
  const hk_count room = grown(*capacity, count);
  const hk_status status = hk_pool_resize_array(pool, room, size, p);
  if (status == HK_OK) *capacity = room;
  return status;
}

hk_status hk_pool_room_array(hk_pool *pool, hk_count count, size_t size, void **p)
{
  hk_count room = 0;
  if (*p) room = (hk_count)((header_of(chunk_of(*p))->bytes - sizeof(struct hk_pool_chunk)) / size);
  return hk_pool_reserve(pool, p, count, &room, size);
}

hk_status hk_pool_take(hk_pool *pool, size_t bytes, void **out)
{
  bytes = (bytes + 15) / 16 * 16;
  struct hk_pool_chunk *c = pool->chunk;
  if (!c || c->size - c->used < bytes) {
    const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    const hk_status status = get_chunk((hk_count)size, 1, &c);
    if (status != HK_OK) return status;
    c->size = size, c->next = pool->chunk;
    tie(pool, c);
  }
  *out = c->data + c->used;
  c->used += bytes;
  return HK_OK;
}

hk_status hk_pool_take_text(hk_pool *pool, const char *text, size_t length, const char **out)
{
  void *copy;
  const hk_status status = hk_pool_take(pool, length + 1, &copy);
  if (status != HK_OK) return status;
  memcpy(copy, text, length);
  ((char *)copy)[length] = 0;
  *out = copy;
  return HK_OK;
}

hk_status hk_pool_text(hk_pool *pool, const char *text, const char **out)
{
  *out = NULL;
  return text ? hk_pool_take_text(pool, text, strlen(text), out) : HK_OK;
}

hk_status hk_pool_keep(hk_pool *pool, void (*destroy)(void *object), void **object)
{
  const hk_status status = hk_resize(&pool->thing, pool->things + 1);
  if (status == HK_OK)
    pool->thing[pool->things++] = (struct hk_pool_thing){destroy, *object};
  else {
    destroy(*object);
    *object = NULL;
  }
  return status;
}

void hk_pool_clear(hk_pool *pool)
{
  while (pool->things) {
    const struct hk_pool_thing *last = &pool->thing[--pool->things];
    last->destroy(last->object);
  }
  hk_free(&pool->thing);
  while (pool->chunk) {
    struct hk_pool_chunk *next = pool->chunk->next;
    hk_free(&pool->chunk);
    pool->chunk = next;
  }
}
