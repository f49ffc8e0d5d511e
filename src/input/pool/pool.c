#include "input/pool/pool.h"
#include <string.h>

enum { CHUNK_BYTES = 32768 };

struct hk_pool_chunk {
  struct hk_pool_chunk *next;
  size_t used, size;
  char data[];
};

hk_status hk_pool_take(hk_pool *pool, size_t bytes, void **out)
{
  bytes = (bytes + 15) / 16 * 16;
  struct hk_pool_chunk *c = pool->chunk;
  if (!c || c->size - c->used < bytes) {
    const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    const hk_status status = hk_memory_get((void **)&c, (hk_count)(sizeof *c + size), 1);
    if (status != HK_OK) return status;
    c->size = size, c->next = pool->chunk, pool->chunk = c;
  }
  *out = (char *)c->data + c->used;
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

void hk_pool_clear(hk_pool *pool)
{
  while (pool->chunk) {
    struct hk_pool_chunk *next = pool->chunk->next;
    hk_free(&pool->chunk);
    pool->chunk = next;
  }
}
