/* Memory that lives as long as its owner: pieces are taken one by one and freed together.
 *
 *   hk_pool pool = {0};
 *   hk_pool_take(&pool, sizeof *node, (void **)&node);
 *   hk_pool_clear(&pool);
 */
#ifndef HK_INPUT_POOL_POOL_H
#define HK_INPUT_POOL_POOL_H
#include "base/base.h"

typedef struct hk_pool { /* zeroed: empty */
  struct hk_pool_chunk *chunk;
} hk_pool;

hk_status hk_pool_take(hk_pool *pool, size_t bytes, void **out);
/* A copy of text[0..length), with a NUL behind it. */
hk_status hk_pool_take_text(hk_pool *pool, const char *text, size_t length, const char **out);
void hk_pool_clear(hk_pool *pool);

/* A list of words, which ends with NULL. */
#define HK_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A list that grows at its end: hk_list_more makes room for one more at at[count]. Zeroed: empty. */
#define HK_LIST(type)                                                                              \
  struct {                                                                                         \
    type *at;                                                                                      \
    hk_count count, room;                                                                          \
  }
#define hk_list_more(list) hk_reserve(&(list)->at, (list)->count + 1, &(list)->room)
#endif
