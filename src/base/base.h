/* What every folder stands on: the error idiom, memory, text.
 *
 * A function that owns something until its end has one way out, where all is freed; HK_TRY and HK_CHECK lead there. One that owns nothing passes
 * a failure on at once, by HK_PASS and HK_NEED.
 *
 *   hk_status hk_thing_create(hk_thing **out)
 *   {
 *     hk_status status = HK_OK;
 *     hk_thing *t = NULL;
 *     HK_TRY(hk_new(&t));
 *     HK_CHECK(n > 0, HK_BAD_INPUT, "n is %d: must be above 0", n);
 *     *out = t, t = NULL;
 *   cleanup:
 *     hk_thing_destroy(&t);
 *     return status;
 *   }
 *
 *   static hk_status fill(hk_pool *pool, hk_thing *t)
 *   {
 *     HK_NEED(t->n > 0, HK_BAD_INPUT, "n is %d: must be above 0", t->n);
 *     HK_PASS(hk_pool_get(pool, &t->x, t->n));
 *     return hk_pool_get(pool, &t->y, t->n);
 *   }
 */
#pragma once
#include <hooke/messages.h>
#include <hooke/status.h>
#include <hooke/text.h>
#include <stdbool.h>
#include <stddef.h>

#define HK_TRY(call)                                                                               \
  do {                                                                                             \
    status = (call);                                                                               \
    if (status != HK_OK) goto cleanup;                                                             \
  } while (0)

#define HK_CHECK(condition, code, ...)                                                             \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      status = hk_error_set(code, __VA_ARGS__);                                                    \
      goto cleanup;                                                                                \
    }                                                                                              \
  } while (0)

#define HK_PASS(call)                                                                              \
  do {                                                                                             \
    const hk_status passed = (call);                                                               \
    if (passed != HK_OK) return passed;                                                            \
  } while (0)

#define HK_NEED(condition, code, ...)                                                              \
  do {                                                                                             \
    if (!(condition)) return hk_error_set(code, __VA_ARGS__);                                      \
  } while (0)

/* Keeps the words for hk_error() and returns `code`. */
hk_status hk_error_set(hk_status code, const char *format, ...) HK_PRINTF(2, 3);
typedef struct hk_place { /* where in the input */
  const char *file;       /* borrowed: one of hk_model.file; NULL: the model's own */
  hk_count line;
} hk_place;

/* The last error as an error of the file: its "PATH:LINE: words" are taken apart. */
void hk_messages_add_error(hk_messages *list, const char *path);
/* Another call begins: what calls before it said may be said again. */
void hk_messages_renew(hk_messages *list);

/* The first failure among threads, each of which has its own last error. Zero to begin with. */
typedef struct hk_failure {
  hk_status status;
  char words[1024];
} hk_failure;
/* by any thread; HK_OK changes nothing */
void hk_failure_keep(hk_failure *failure, hk_status status);
/* What was kept, with its words as this thread's last error. */
hk_status hk_failure_tell(const hk_failure *failure);

/* What says whether to stop, looked at by the thread that was given it. */
typedef struct hk_stop {
  bool (*asked)(void *user); /* NULL: never */
  void *user;
} hk_stop;
bool hk_stop_asked(const hk_stop *stop); /* NULL: never */
/* HK_STOPPED, "stopped while `doing`", where it was asked. */
hk_status hk_stop_look(const hk_stop *stop, const char *doing);

/* Memory: zeroed, 64-byte aligned, counted; every byte of the library is obtained here. */

/* *p = array of n zeroed objects (n may be 0: *p is then still a valid pointer). HK_NO_RESOURCES
 * when there is no memory. */
#define hk_get(p, n) hk_memory_get((void **)(p), (n), sizeof **(p))
#define hk_new(p) hk_memory_get((void **)(p), 1, sizeof **(p))
/* *p grown or shrunk to n objects; the new ones are zero. *p may be NULL. On failure *p is as
 * before. */
#define hk_resize(p, n) hk_memory_resize((void **)(p), (n), sizeof **(p))
/* Room for at least n objects, grown by half: *capacity is updated. */
#define hk_reserve(p, n, capacity) hk_memory_reserve((void **)(p), (n), (capacity), sizeof **(p))
/* Frees *p and sets it to NULL. */
#define hk_free(p) hk_memory_free((void **)(p))

hk_status hk_memory_get(void **p, hk_count count, size_t size);
hk_status hk_memory_resize(void **p, hk_count count, size_t size);
hk_status hk_memory_reserve(void **p, hk_count count, hk_count *capacity, size_t size);
void hk_memory_free(void **p);
/* gives the system back what freed small pieces leave: after many of them */
void hk_memory_trim(void);
/* Room for work that goes piece by piece: `most` bytes or places, which do not grow with the model. While this thread measures a part of a model to
 * tell what the whole takes (hk_memory_share), the part has its share of them, so that all that it takes grows alike; 1/64 of `most` at least. */
hk_count hk_memory_room(hk_count most);
/* The share, in (0, 1], of this thread from now on; returns the one before, to be put back. */
double hk_memory_share(double share);

/* Memory that lives as long as its owner: a member of an object, or a local of a function for all that it needs on the way. Pieces are taken
 * one by one and freed together, so that destroy, and the end of a function, are one call.
 *
 *   hk_pool pool = {0};
 *   HK_TRY(hk_pool_get(&pool, &x, n));
 *   HK_TRY(hk_pool_get(&pool, &y, n));
 * cleanup:
 *   hk_pool_clear(&pool); */
typedef struct hk_pool { /* zeroed: empty */
  struct hk_pool_chunk *chunk;
  struct hk_pool_thing *thing; /* thing[things]: of hk_pool_keep */
  hk_count things;
} hk_pool;

/* *p = array of n zeroed objects, aligned and refused as hk_get's; never freed alone. */
#define hk_pool_get(pool, p, n) hk_pool_array((pool), (n), sizeof **(p), (void **)(p))
hk_status hk_pool_array(hk_pool *pool, hk_count count, size_t size, void **out);
/* *p, NULL or an array of hk_pool_get, grown or shrunk to n objects, as by hk_resize. */
#define hk_pool_resize(pool, p, n) hk_pool_resize_array((pool), (n), sizeof **(p), (void **)(p))
hk_status hk_pool_resize_array(hk_pool *pool, hk_count count, size_t size, void **p);
hk_status hk_pool_reserve(hk_pool *pool, void **p, hk_count count, hk_count *capacity, size_t size);
/* Room for at least n objects in *p, NULL or an array of the pool, which knows its own room and grows by half. */
#define hk_pool_room(pool, p, n) hk_pool_room_array((pool), (n), sizeof **(p), (void **)(p))
hk_status hk_pool_room_array(hk_pool *pool, hk_count count, size_t size, void **p);
/* *p = array of a few small objects, zeroed, in a chunk that it shares with others. */
#define hk_pool_few(pool, p, n) hk_pool_take((pool), (size_t)(n) * sizeof **(p), (void **)(p))
/* A small piece, aligned to 16 bytes, of a chunk that it shares with others. */
hk_status hk_pool_take(hk_pool *pool, size_t bytes, void **out);
/* A copy of text[0..length), with a NUL behind it. */
hk_status hk_pool_take_text(hk_pool *pool, const char *text, size_t length, const char **out);
/* The same of a whole text; NULL stays NULL. */
hk_status hk_pool_text(hk_pool *pool, const char *text, const char **out);
/* Gives *object to the pool, whose clear calls destroy(*object): the last object first, all of them before memory. A failure destroys *object at
 * once and sets it to NULL. */
hk_status hk_pool_keep(hk_pool *pool, void (*destroy)(void *object), void **object);
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
/* The same of a list that lives in a pool. */
#define hk_pool_more(pool, list)                                                                   \
  hk_pool_reserve((pool), (void **)&(list)->at, (list)->count + 1, &(list)->room,                  \
                  sizeof *(list)->at)

HK_API hk_count hk_memory_calls(void); /* number of allocations so far: a step must not change it */
HK_API hk_count hk_memory_held(void);  /* bytes held now */
HK_API hk_count hk_memory_peak(void);  /* most bytes held since the start, or since: */
HK_API void hk_memory_renew_peak(void);
HK_API void hk_memory_fail_at(hk_count k); /* tests: the k-th allocation from now fails; 0: none */
/* allocations beyond this many held bytes fail; 0: no limit */
HK_API void hk_memory_limit(hk_count bytes);
/* Bytes that the machine, the control group and the limit of the process can still give. */
HK_API hk_count hk_memory_available(void);

/* Bytes of the process in the machine's memory, its libraries and stacks included; *peak: the most so far. */
HK_API void hk_memory_resident(hk_count *now, hk_count *peak);

/* Bytes of the last cache of the processor; 32 MB where the system does not tell. */
hk_count hk_cache_size(void);

/* *out = new string (owned by the caller, hk_free). */
hk_status hk_format(char **out, const char *format, ...) HK_PRINTF(2, 3);
hk_status hk_copy_text(char **out, const char *text);

/* Number of single-character edits between a and b, letters compared without case. */
int hk_text_distance(const char *a, const char *b);
bool hk_same_text(const char *a, const char *b);      /* without case (ASCII) */
bool hk_ends_with(const char *text, const char *end); /* without case */

/* Number in text[0..length): C and Fortran (1.D-3, 1., .5, +2), independent of the locale. Returns
 * the characters used, 0 if none. */
size_t hk_parse_number(const char *text, size_t length, double *value);
size_t hk_parse_integer(const char *text, size_t length, int64_t *value);

/* Words by which users choose. */

/* The word, as also no word, for: hooke chooses. */
#define HK_AUTO "auto"

static inline bool hk_is_auto(const char *word)
{
  return !word || !word[0] || hk_same_text(word, HK_AUTO);
}

/* The index of a word in word[count], compared without case; -1 if the list lacks it. */
static inline int hk_find_word(const char *word, const char *const *words, int count)
{
  for (int k = 0; word && k < count; k++)
    if (hk_same_text(word, words[k])) return k;
  return -1;
}

/* checked narrowing: HK_BAD_INPUT naming `what` when value does not fit hk_index */
hk_status hk_narrow(hk_count value, const char *what, hk_index *out);

/* 64-bit FNV-1a of size bytes, continued from seed (0: start). */
uint64_t hk_hash(const void *data, size_t size, uint64_t seed);
/* Another hash, for large data: pieces of words by all threads; the same for any number of them. A changed word changes it. */
uint64_t hk_hash_large(const void *data, size_t size, uint64_t seed);

/* Disk: HDF5 cannot be stopped cleanly on a full one, so that space is asked for beforehand. */

/* Space for `bytes` of an open file, from a file system that knows how to promise it (others are
 * taken at their word); keep_size: the file stays as long as it is. HK_NOT_WRITABLE. */
hk_status hk_disk_reserve(const char *path, int fd, hk_count bytes, bool keep_size);
/* Gives back what was promised beyond the end of the file. HK_NOT_WRITABLE. */
hk_status hk_disk_release(const char *path, int fd);

double hk_seconds(void); /* monotonic wall clock */

/* Where the seconds of a call go. A clock is a tree of named stages, one of which runs; each second counts for that one alone, so that all stages
 * add up to the whole. Functions of any folder name their stages to the clock of the calling thread, where it has one:
 *
 *   const int before = hk_clock_begin("numbering");
 *   HK_TRY(number(space));
 *   hk_clock_end(before);
 *
 * Where a failure skips the end, whoever began a stage above ends it with its own. */
enum { HK_CLOCK_STAGES = 64 };

typedef struct hk_clock_stage {
  /* as long as the program lives; those of HK_CLOCK_STAGES and more count for the stage above */
  const char *name;
  int parent;     /* 0: the root */
  double seconds; /* without those of the stages below */
} hk_clock_stage;

typedef struct hk_clock {
  hk_clock_stage stage[HK_CLOCK_STAGES]; /* the first is the root, the whole */
  int count, now;
  double since; /* when `now` last began to count */
} hk_clock;

/* Zeroes the clock and makes it the calling thread's; returns the thread's before, which is put back by hk_clock_use. */
hk_clock *hk_clock_start(hk_clock *clock);
hk_clock *hk_clock_use(hk_clock *clock);
/* From now on seconds count for the stage of that name below the present one (top: below the root); returns what hk_clock_end goes back to. */
int hk_clock_begin(const char *name);
int hk_clock_begin_top(const char *name);
/* The present stage ends, and the one of that name follows it below the same one. */
void hk_clock_next(const char *name);
void hk_clock_end(int before);
/* The running stage has its seconds until now. */
void hk_clock_settle(hk_clock *clock);
/* Seconds of a stage with those below it; by its name, of one below the root: 0 where there is none. */
double hk_clock_of(const hk_clock *clock, int stage);
double hk_clock_named(const hk_clock *clock, const char *name);

/* The larger one; not-a-number in either stays: for errors, which must not pass by it. */
double hk_larger(double a, double b);
