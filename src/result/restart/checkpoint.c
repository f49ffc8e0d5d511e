/* Writes and reads checkpoints: the state of a run at one step in an HDF5 file with the datasets
 * /parts, /numbers, /reals and /state. The file is written as PATH.part and renamed, and the one
 * before stays as PATH.old, so that a kill never leaves the run without a whole checkpoint. A
 * checksum covers the numbers and the state; a file of another version of hooke, a damaged or a
 * shortened one is refused (docs/runs.md). */
#include "result/restart/checkpoint.h"
#include "hdf/hdf.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NUMBERS = 9, REALS = 3 + HK_CHECKPOINT_ENERGIES, PARTS = HK_CHECKPOINT_PARTS };

/* The version, and that of the state's layout. */
static uint64_t version_key(void)
{
  static const char text[] = HK_VERSION " layout 3";
  return hk_hash(text, sizeof text - 1, 0);
}

static uint64_t checksum(const int64_t *number, const double *real, const void *state,
                         hk_count bytes)
{
  const uint64_t sum = hk_hash(number, (NUMBERS - 1) * sizeof *number, 0);
  return hk_hash_large(state, (size_t)bytes, hk_hash(real, REALS * sizeof *real, sum));
}

static void collect(const hk_checkpoint *head, const void *state, int64_t *number, double *real)
{
  const uint64_t version = version_key(), key = hk_hash(head->part, sizeof head->part, 0);
  memcpy(&number[0], &version, 8);
  memcpy(&number[1], &key, 8);
  number[2] = head->stage, number[3] = head->step, number[4] = head->bytes;
  number[5] = head->first_shot, number[6] = head->shots;
  number[7] = head->others;
  real[0] = head->start;
  memcpy(real + 1, head->energy, sizeof head->energy);
  real[REALS - 2] = head->dt, real[REALS - 1] = head->steps;
  const uint64_t sum = checksum(number, real, state, head->bytes);
  memcpy(&number[NUMBERS - 1], &sum, 8);
}

static hk_status write_beside(const char *path, const hk_checkpoint *head, const int64_t *number,
                              const double *real, const void *state)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  hk_hdf_array keys, numbers, reals, states;
  const hk_count words = (head->bytes + 7) / 8;
  HK_TRY(hk_hdf_create(path, hk_hdf_plan(4, 8 * words + 1024), &file));
  HK_TRY(hk_hdf_array_create(file, "/parts", HK_I64, 1, (hk_count[]){PARTS}, &keys));
  HK_TRY(hk_hdf_array_create(file, "/numbers", HK_I64, 1, (hk_count[]){NUMBERS}, &numbers));
  HK_TRY(hk_hdf_array_create(file, "/reals", HK_F64, 1, (hk_count[]){REALS}, &reals));
  HK_TRY(hk_hdf_array_create(file, "/state", HK_I64, 1, &words, &states));
  HK_TRY(hk_hdf_lay_out(file));
  HK_TRY(hk_hdf_write(file, &keys, 0, PARTS, head->part));
  HK_TRY(hk_hdf_write(file, &numbers, 0, NUMBERS, number));
  HK_TRY(hk_hdf_write(file, &reals, 0, REALS, real));
  HK_TRY(hk_hdf_write(file, &states, 0, words, state));
  HK_TRY(hk_hdf_complete(file, false, NULL, NULL));
  status = hk_hdf_close(&file);
cleanup:
  if (file) hk_hdf_close(&file);
  return status;
}

static hk_status move(const char *from, const char *to)
{
  if (rename(from, to) == 0) return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE, "%s: cannot be renamed to %s: %s", from, to,
                      strerror(errno));
}

hk_status hk_checkpoint_write(const char *path, const hk_checkpoint *head, const void *state)
{
  hk_status status = HK_OK;
  char *beside = NULL, *old = NULL;
  int64_t number[NUMBERS];
  double real[REALS];
  struct stat info;

  collect(head, state, number, real);
  HK_TRY(hk_format(&beside, "%s.part", path));
  HK_TRY(hk_format(&old, "%s.old", path));
  HK_TRY(write_beside(beside, head, number, real, state));
  if (stat(path, &info) == 0) HK_TRY(move(path, old));
  HK_TRY(move(beside, path));
cleanup:
  if (status != HK_OK && beside) remove(beside);
  hk_free(&beside);
  hk_free(&old);
  return status;
}

static hk_status check(const char *path, const int64_t *part, const int64_t *number,
                       const double *real, const char *state)
{
  const uint64_t version = version_key(), sum = checksum(number, real, state, number[4]),
                 key = hk_hash(part, PARTS * sizeof *part, 0);
  HK_NEED(!memcmp(&number[0], &version, 8), HK_BAD_INPUT,
          "%s: another version than this hooke %s wrote it", path, HK_VERSION);
  HK_NEED(!memcmp(&number[NUMBERS - 1], &sum, 8) && !memcmp(&number[1], &key, 8), HK_BAD_INPUT,
          "%s: is damaged: its checksum is wrong", path);
  return HK_OK;
}

hk_status hk_checkpoint_read(const char *path, hk_checkpoint *head, char **out)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  hk_hdf_array keys, numbers, reals, states;
  int64_t number[NUMBERS], part[PARTS];
  double real[REALS];
  int64_t *state = NULL;

  HK_TRY(hk_hdf_open(path, false, &file));
  HK_TRY(hk_hdf_array_find(file, "/numbers", &numbers));
  HK_TRY(hk_hdf_array_find(file, "/reals", &reals));
  HK_TRY(hk_hdf_array_find(file, "/state", &states));
  HK_TRY(hk_hdf_array_find(file, "/parts", &keys));
  HK_CHECK(keys.count == PARTS && numbers.count == NUMBERS && reals.count == REALS &&
               states.type == HK_I64,
           HK_BAD_INPUT, "%s: is not a checkpoint of hooke", path);
  HK_TRY(hk_hdf_read_integers(file, "/parts", 0, PARTS, part));
  HK_TRY(hk_hdf_read_integers(file, "/numbers", 0, NUMBERS, number));
  HK_TRY(hk_hdf_read(file, "/reals", 1, 0, REALS, real));
  HK_CHECK(number[4] >= 0 && number[4] <= 8 * states.count, HK_BAD_INPUT, "%s: is cut short", path);
  HK_TRY(hk_get(&state, states.count));
  HK_TRY(hk_hdf_read_integers(file, "/state", 0, states.count, state));
  HK_TRY(check(path, part, number, real, (const char *)state));
  *head = (hk_checkpoint){.first_shot = number[5],
                          .shots = number[6],
                          .stage = number[2],
                          .step = number[3],
                          .start = real[0],
                          .dt = real[REALS - 2],
                          .steps = real[REALS - 1],
                          .bytes = number[4],
                          .others = number[7]};
  memcpy(head->energy, real + 1, sizeof head->energy);
  memcpy(head->part, part, sizeof head->part);
  *out = (char *)state, state = NULL;
cleanup:
  hk_free(&state);
  if (file) hk_hdf_close(&file);
  return status;
}
