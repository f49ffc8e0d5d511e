/* A system on this process, or on all ranks. Rank 0 has all of A: it cuts the rows where about as many entries are on each side, commands the others to make a part,
 * sends each its rows, and makes its own; a solution sends parts of the right side and takes those of x. All agree after what may fail. */
#include "solver/linear/petsc/petsc.h"
#include <stdio.h>
#include <string.h>

struct hk_petsc_system {
  hk_petsc_part part; /* of this process */
  hk_ranks *ranks;    /* NULL: there is one */
  hk_count all;       /* rows */
  hk_count *cut;      /* cut[ranks + 1]: first rows */
  bool made;          /* on all ranks */
};

typedef struct header { /* of HK_PETSC_CREATE, for all ranks */
  int64_t all;
  int32_t components, modes, symmetric;
  char options[HK_PETSC_OPTIONS];
} header;

typedef struct amounts { /* of a rank */
  int64_t first, rows, entries;
} amounts;

typedef struct numbers { /* of HK_PETSC_SOLVE */
  double tolerance;
  int64_t iterations;
} numbers;

static int count_of(const hk_petsc_system *s)
{
  return s->ranks ? s->ranks->place.ranks : 1;
}

/* Each rank has the rows up to its share of all entries, and as many nodes of empty ones. */
static void cut_rows(const hk_block_matrix *a, int parts, hk_count *cut)
{
  hk_index row = 0;
  for (int k = 1; k < parts; k++) {
    const hk_count share = (a->begin[a->rows] + a->rows) * k / parts;
    while (row < a->rows && a->begin[row + 1] + row + 1 <= share) row++;
    cut[k] = row;
  }
  cut[parts] = a->rows;
}

static hk_status send_part(hk_petsc_system *s, const hk_block_matrix *a, const double *x, int to)
{
  hk_ranks *r = s->ranks;
  const hk_count first = s->cut[to], from = a->begin[first], size = a->height * a->width;
  const amounts own = {first, s->cut[to + 1] - first, a->begin[s->cut[to + 1]] - from};
  HK_PASS(hk_ranks_send(r, to, &own, sizeof own));
  HK_PASS(hk_ranks_send(r, to, a->begin + first, (own.rows + 1) * (hk_count)sizeof *a->begin));
  HK_PASS(hk_ranks_send(r, to, a->column + from, own.entries * (hk_count)sizeof *a->column));
  HK_PASS(hk_ranks_send(r, to, a->block + from * size,
                        own.entries * size * (hk_count)sizeof *a->block));
  if (!x) return HK_OK;
  return hk_ranks_send(r, to, x + first * a->height, own.rows * a->height * (hk_count)sizeof *x);
}

static hk_status send_matrix(hk_petsc_system *s, const hk_block_matrix *a, const double *x,
                             const hk_petsc_how *how)
{
  header h = {
      .all = a->rows, .components = a->height, .modes = x != NULL, .symmetric = how->symmetric};
  memcpy(h.options, how->options, strlen(how->options) + 1);
  HK_PASS(hk_ranks_command(s->ranks, &(hk_command){.what = HK_PETSC_CREATE}));
  HK_PASS(hk_ranks_broadcast(s->ranks, &h, sizeof h));
  for (int k = 1; k < count_of(s); k++) HK_PASS(send_part(s, a, x, k));
  return HK_OK;
}

/* Messages that fail leave the others waiting. */
static hk_status torn(hk_ranks *ranks, hk_status status)
{
  return ranks ? hk_ranks_tear(ranks, status) : status;
}

hk_status hk_petsc_create(const hk_block_matrix *a, const double *x, const hk_petsc_how *how,
                          hk_petsc_system **out)
{
  hk_status status = HK_OK;
  hk_petsc_system *s = NULL;
  HK_TRY(hk_new(&s));
  s->ranks = hk_ranks_now(), s->all = a->rows;
  HK_TRY(hk_get(&s->cut, count_of(s) + 1));
  cut_rows(a, count_of(s), s->cut);
  if (s->ranks) HK_TRY(torn(s->ranks, send_matrix(s, a, x, how)));
  status = hk_petsc_part_create(&(hk_petsc_rows){.all = a->rows,
                                                 .rows = s->cut[1],
                                                 .components = a->height,
                                                 .begin = a->begin,
                                                 .column = a->column,
                                                 .block = a->block,
                                                 .x = x},
                                *how, &s->part);
  HK_TRY(hk_ranks_agree(status));
  s->made = true;
  *out = s, s = NULL;
cleanup:
  hk_petsc_destroy(&s);
  return status;
}

/* Between the vector of all rows and those of the ranks. */
static hk_status send_right(hk_petsc_system *s, const double *right)
{
  const int c = s->part.components;
  memcpy(s->part.right, right, (size_t)(s->part.rows * c) * sizeof *right);
  for (int k = 1; k < count_of(s); k++)
    HK_PASS(hk_ranks_send(s->ranks, k, right + s->cut[k] * c,
                          (s->cut[k + 1] - s->cut[k]) * c * (hk_count)sizeof *right));
  return HK_OK;
}

static hk_status take_x(hk_petsc_system *s, double *x)
{
  const int c = s->part.components;
  memcpy(x, s->part.x, (size_t)(s->part.rows * c) * sizeof *x);
  for (int k = 1; k < count_of(s); k++)
    HK_PASS(hk_ranks_take(s->ranks, k, x + s->cut[k] * c,
                          (s->cut[k + 1] - s->cut[k]) * c * (hk_count)sizeof *x));
  return HK_OK;
}

hk_status hk_petsc_solve(hk_petsc_system *s, const hk_petsc_run *run, const double *right,
                         double *x, hk_petsc_result *result)
{
  numbers n = {run->tolerance, run->iterations};
  if (s->ranks) HK_PASS(hk_ranks_command(s->ranks, &(hk_command){.what = HK_PETSC_SOLVE}));
  if (s->ranks) HK_PASS(torn(s->ranks, hk_ranks_broadcast(s->ranks, &n, sizeof n)));
  HK_PASS(torn(s->ranks, send_right(s, right)));
  HK_PASS(hk_ranks_agree(hk_petsc_part_solve(&s->part, run, result)));
  return torn(s->ranks, take_x(s, x));
}

void hk_petsc_describe(const hk_petsc_system *s, char *text, size_t size)
{
  char name[40] = "";
  text[0] = 0;
  if (!s->part.solver) return;
  s->part.petsc->name(name, sizeof name);
  s->part.petsc->describe(s->part.solver, text, size);
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "; %s", name);
}

/* Where the run has failed the others have left, and PETSc ends with the process. */
void hk_petsc_destroy(hk_petsc_system **system)
{
  hk_petsc_system *s = *system;
  if (!s) return;
  const bool all = s->ranks && s->made &&
                   hk_ranks_command(s->ranks, &(hk_command){.what = HK_PETSC_DESTROY}) == HK_OK;
  if (s->ranks && !all) s->part.solver = NULL;
  hk_petsc_part_destroy(&s->part);
  hk_free(&s->cut);
  hk_free(system);
}

/* What the other ranks take and make. */
static hk_status take_rows(hk_ranks *r, const header *h, hk_pool *pool, hk_petsc_rows *rows)
{
  const int c = h->components;
  amounts own;
  int64_t *begin;
  int32_t *column;
  double *block, *x = NULL;
  HK_PASS(hk_ranks_take(r, 0, &own, sizeof own));
  HK_PASS(hk_pool_get(pool, &begin, own.rows + 1));
  HK_PASS(hk_pool_get(pool, &column, own.entries));
  HK_PASS(hk_pool_get(pool, &block, own.entries * c * c));
  HK_PASS(hk_ranks_take(r, 0, begin, (own.rows + 1) * (hk_count)sizeof *begin));
  HK_PASS(hk_ranks_take(r, 0, column, own.entries * (hk_count)sizeof *column));
  HK_PASS(hk_ranks_take(r, 0, block, own.entries * c * c * (hk_count)sizeof *block));
  if (h->modes) HK_PASS(hk_pool_get(pool, &x, own.rows * c));
  if (h->modes) HK_PASS(hk_ranks_take(r, 0, x, own.rows * c * (hk_count)sizeof *x));
  for (int64_t i = own.rows; i >= 0; i--) begin[i] -= begin[0];
  *rows = (hk_petsc_rows){h->all, own.first, own.rows, c, begin, column, block, x};
  return HK_OK;
}

static hk_status serve_create(hk_ranks *r, hk_petsc_part *part)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  header h;
  hk_petsc_rows rows;
  hk_petsc_part_destroy(part);
  HK_TRY(torn(r, hk_ranks_broadcast(r, &h, sizeof h)));
  HK_TRY(torn(r, take_rows(r, &h, &pool, &rows)));
  status = hk_petsc_part_create(
      &rows, (hk_petsc_how){.symmetric = h.symmetric, .options = h.options}, part);
  status = hk_ranks_agree(status);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status serve_solve(hk_ranks *r, int (*stop)(void *user), void *user, hk_petsc_part *p)
{
  const hk_count bytes = p->rows * p->components * (hk_count)sizeof *p->x;
  numbers n;
  hk_petsc_result result = {0};
  HK_PASS(torn(r, hk_ranks_broadcast(r, &n, sizeof n)));
  HK_PASS(torn(r, hk_ranks_take(r, 0, p->right, bytes)));
  const hk_petsc_run run = {
      .tolerance = n.tolerance, .iterations = (int)n.iterations, .stop = stop, .user = user};
  HK_PASS(hk_ranks_agree(hk_petsc_part_solve(p, &run, &result)));
  return torn(r, hk_ranks_send(r, 0, p->x, bytes));
}

hk_status hk_petsc_serve(const hk_command *command, int (*stop)(void *user), void *user,
                         hk_petsc_part *part)
{
  hk_ranks *r = hk_ranks_now();
  switch (command->what) {
  case HK_PETSC_CREATE: return serve_create(r, part);
  case HK_PETSC_SOLVE: return serve_solve(r, stop, user, part);
  case HK_PETSC_DESTROY: hk_petsc_part_destroy(part); return HK_OK;
  default: return hk_error_set(HK_INTERNAL, "a rank does not know the command %d", command->what);
  }
}
