/* Fills what nothing was written to (fill.h). The thread goes from the last piece to the first, as runs write from the first frame on: what a run writes
 * meanwhile is not filled. */
#include "hdf/fill.h"
#include "base/file.h"
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20, FILL_BYTES = 1 << 16, SIGNATURE = 8 };
enum { EMPTY, TAKEN, FULL }; /* of pieces; taken: somebody is about to write it */

struct hk_hdf_fill {
  const char *path;
  int fd;
  hk_count arrays;
  const hk_hdf_array *array; /* array[arrays], by their places */
  hk_count *first;           /* first[arrays + 1]: piece of each */
  uint8_t *state;            /* state[pieces] */
  hk_count left;             /* pieces that are not full */
  double *wide;              /* FILL_BYTES of not-a-number */
  float *narrow;
  char *zero;
  hk_pool pool; /* of these arrays */
  hk_status (*work)(void *user);
  void *user;
  bool begun, started; /* the filling, its thread */
  hk_failure failure;  /* of whoever writes */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};

static const unsigned char signature[SIGNATURE] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

static int by_place(const void *a, const void *b)
{
  const hk_hdf_array *p = a, *q = b;
  return p->offset != q->offset ? (p->offset > q->offset) - (p->offset < q->offset)
                                : (p->count > q->count) - (p->count < q->count);
}

static hk_count bytes_of(const hk_hdf_array *a)
{
  return a->count * (hk_count)hk_hdf_type_size(a->type);
}

hk_status hk_hdf_put(const char *path, int fd, const void *data, size_t bytes, hk_count at)
{
  const char *byte = data;
  hk_count deleted = hk_files_deleted();
  while (bytes) {
    const ssize_t done = pwrite(fd, byte, bytes, (off_t)at);
    if (done < 0 && (errno == EINTR || hk_disk_freed(&deleted))) continue;
    HK_NEED(done > 0, HK_NOT_WRITABLE, "%s: cannot be written: %s", path,
            strerror(done ? errno : ENOSPC));
    byte += done, at += done, bytes -= (size_t)done;
  }
  return HK_OK;
}

bool hk_hdf_fill_done(int fd)
{
  static const char none[SIGNATURE];
  char there[SIGNATURE];
  return pread(fd, there, SIGNATURE, 0) != SIGNATURE || memcmp(there, none, SIGNATURE) != 0;
}

static hk_status get_fills(hk_hdf_fill *f)
{
  HK_PASS(hk_pool_get(&f->pool, &f->wide, FILL_BYTES / 8));
  HK_PASS(hk_pool_get(&f->pool, &f->narrow, FILL_BYTES / 4));
  HK_PASS(hk_pool_get(&f->pool, &f->zero, FILL_BYTES));
  for (int i = 0; i < FILL_BYTES / 8; i++) f->wide[i] = NAN;
  for (int i = 0; i < FILL_BYTES / 4; i++) f->narrow[i] = NAN;
  return HK_OK;
}

hk_status hk_hdf_fill_create(const char *path, int fd, hk_count count, hk_hdf_array *array,
                             hk_hdf_fill **out)
{
  static const char none[SIGNATURE];
  hk_status status = HK_OK;
  hk_hdf_fill *f = NULL;
  HK_TRY(hk_new(&f));
  pthread_mutex_init(&f->mutex, NULL);
  pthread_cond_init(&f->changed, NULL);
  f->path = path, f->fd = fd, f->arrays = count, f->array = array;
  if (count) qsort(array, (size_t)count, sizeof *array, by_place);
  HK_TRY(get_fills(f));
  HK_TRY(hk_pool_get(&f->pool, &f->first, count + 1));
  for (hk_count k = 0; k < count; k++)
    f->first[k + 1] = f->first[k] + (bytes_of(&array[k]) + PIECE_BYTES - 1) / PIECE_BYTES;
  f->left = f->first[count];
  HK_TRY(hk_pool_get(&f->pool, &f->state, f->left));
  HK_TRY(hk_hdf_put(path, fd, none, SIGNATURE, 0));
  *out = f, f = NULL;
cleanup:
  hk_hdf_fill_destroy(&f);
  return status;
}

/* The array that holds the byte, or the next one before it; -1: none. */
static hk_count find_array(const hk_hdf_fill *f, hk_count at)
{
  hk_count low = 0, high = f->arrays;
  while (low < high) {
    const hk_count middle = (low + high) / 2;
    if (f->array[middle].offset <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

/* Bytes [*at, *at + returned) of the file: a piece of the k-th array. */
static hk_count place_of(const hk_hdf_fill *f, hk_count k, hk_count piece, hk_count *at)
{
  const hk_count begin = (piece - f->first[k]) * PIECE_BYTES, left = bytes_of(&f->array[k]) - begin;
  *at = f->array[k].offset + begin;
  return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static hk_status fill_piece(const hk_hdf_fill *f, hk_count k, hk_count piece)
{
  hk_count at;
  const void *fill = f->array[k].type == HK_F64   ? (const void *)f->wide
                     : f->array[k].type == HK_F32 ? (const void *)f->narrow
                                                  : (const void *)f->zero;
  for (hk_count left = place_of(f, k, piece, &at), some; left; left -= some, at += some) {
    some = left < FILL_BYTES ? left : FILL_BYTES;
    HK_PASS(hk_hdf_put(f->path, f->fd, fill, (size_t)some, at));
  }
  return HK_OK;
}

/* True: it was empty, and is the caller's now. Waits for others that have it. */
static bool take(hk_hdf_fill *f, hk_count piece)
{
  pthread_mutex_lock(&f->mutex);
  while (f->state[piece] == TAKEN) pthread_cond_wait(&f->changed, &f->mutex);
  const bool own = f->state[piece] == EMPTY;
  if (own) f->state[piece] = TAKEN;
  pthread_mutex_unlock(&f->mutex);
  return own;
}

static void give(hk_hdf_fill *f, hk_count piece, hk_status status)
{
  pthread_mutex_lock(&f->mutex);
  hk_failure_keep(&f->failure, status);
  if (f->state[piece] == TAKEN) {
    f->state[piece] = FULL, f->left--;
    pthread_cond_broadcast(&f->changed);
  }
  pthread_mutex_unlock(&f->mutex);
}

static hk_status fill_taken(hk_hdf_fill *f, hk_count k, hk_count piece)
{
  const hk_status status = fill_piece(f, k, piece);
  give(f, piece, status);
  return status;
}

typedef struct
    range { /* pieces [first, end) of array k that bytes of the file overlap; those of [covered, covered_end) lie in them */
  hk_count k, first, end, covered, covered_end;
} range;

static range find_range(const hk_hdf_fill *f, hk_count at, hk_count bytes)
{
  range r = {.k = find_array(f, at)};
  if (!bytes || r.k < 0 || at >= f->array[r.k].offset + bytes_of(&f->array[r.k])) return (range){0};
  const hk_count from = at - f->array[r.k].offset, to = from + bytes,
                 all = bytes_of(&f->array[r.k]), begin = f->first[r.k];
  r.first = begin + from / PIECE_BYTES, r.end = begin + (to + PIECE_BYTES - 1) / PIECE_BYTES;
  r.covered = begin + (from + PIECE_BYTES - 1) / PIECE_BYTES;
  r.covered_end = to == all ? r.end : begin + to / PIECE_BYTES;
  return r;
}

static bool is_covered(const range *r, hk_count piece)
{
  return piece >= r->covered && piece < r->covered_end;
}

/* Where a piece beside them cannot be filled, those that were taken for the caller are given back. */
hk_status hk_hdf_fill_take(hk_hdf_fill *f, hk_count at, hk_count bytes)
{
  const range r = find_range(f, at, bytes);
  hk_status status = HK_OK;
  for (hk_count p = r.first; p < r.end && status == HK_OK; p++) {
    if (take(f, p) && !is_covered(&r, p)) status = fill_taken(f, r.k, p);
    for (hk_count q = r.covered; status != HK_OK && q < p; q++)
      if (is_covered(&r, q)) give(f, q, status);
  }
  return status;
}

void hk_hdf_fill_give(hk_hdf_fill *f, hk_count at, hk_count bytes, bool written)
{
  const range r = find_range(f, at, bytes);
  for (hk_count p = r.covered; p < r.covered_end; p++)
    give(f, p, written ? HK_OK : HK_NOT_WRITABLE);
}

static void wait_for_writers(hk_hdf_fill *f)
{
  pthread_mutex_lock(&f->mutex);
  while (f->left) pthread_cond_wait(&f->changed, &f->mutex);
  pthread_mutex_unlock(&f->mutex);
}

static hk_status sync_file(const hk_hdf_fill *f)
{
  HK_NEED(fsync(f->fd) == 0 || errno == EINVAL, HK_NOT_WRITABLE, "%s: cannot be written: %s",
          f->path, strerror(errno));
  return HK_OK;
}

static hk_status fill_all(hk_hdf_fill *f)
{
  if (f->work) HK_PASS(f->work(f->user));
  for (hk_count k = f->arrays - 1; k >= 0; k--)
    for (hk_count p = f->first[k + 1] - 1; p >= f->first[k]; p--)
      if (take(f, p)) HK_PASS(fill_taken(f, k, p));
  wait_for_writers(f);
  HK_PASS(hk_failure_tell(&f->failure));
  HK_PASS(hk_disk_release(f->path, f->fd));
  HK_PASS(sync_file(f));
  HK_PASS(hk_hdf_put(f->path, f->fd, signature, SIGNATURE, 0));
  return sync_file(f);
}

static void *fill_beside(void *fill)
{
  hk_hdf_fill *f = fill;
  omp_set_num_threads(1); /* the others are the solver's */
  const hk_status status = fill_all(f);
  pthread_mutex_lock(&f->mutex);
  hk_failure_keep(&f->failure, status);
  pthread_mutex_unlock(&f->mutex);
  return NULL;
}

hk_status hk_hdf_fill_run(hk_hdf_fill *f, bool beside, hk_status (*work)(void *user), void *user)
{
  f->work = work, f->user = user, f->begun = true;
  f->started = beside && pthread_create(&f->thread, NULL, fill_beside, f) == 0;
  if (f->started) return HK_OK;
  const hk_status status = fill_all(f);
  hk_failure_keep(&f->failure, status);
  return status;
}

bool hk_hdf_fill_begun(const hk_hdf_fill *f)
{
  return f && f->begun;
}

hk_status hk_hdf_fill_wait(hk_hdf_fill *f)
{
  if (f->started) pthread_join(f->thread, NULL);
  f->started = false;
  HK_NEED(f->begun, HK_INTERNAL, "%s: was not filled", f->path);
  return hk_failure_tell(&f->failure);
}

void hk_hdf_fill_destroy(hk_hdf_fill **fill)
{
  hk_hdf_fill *f = *fill;
  if (!f) return;
  if (f->started) pthread_join(f->thread, NULL);
  pthread_mutex_destroy(&f->mutex);
  pthread_cond_destroy(&f->changed);
  hk_pool_clear(&f->pool);
  hk_free(fill);
}
