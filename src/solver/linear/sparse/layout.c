/* Finds the pattern of a layout and the terms of each of its numbers (layout.h).
 * (T^T K T)_wv = sum over i, j of T_iw K_ij T_jv: row w takes the rows i of K that depend on w, and an entry in column j of such a row goes to
 * each v that j depends on. A thread lists the terms of a row, sorts them by column and place, and counts; a second pass writes. Without
 * constraints each degree of freedom depends on itself. If every number is one value of K, weights and beginnings are left out. */
#include "solver/linear/sparse/layout.h"
#include <stdlib.h>

enum { CHUNK = 2048, ROWS = 64 };

typedef struct term {
  hk_index column;
  hk_count from;
  double weight;
} term;

/* What the threads share. */
typedef struct builder {
  const hk_layout_desc *desc;
  hk_layout *out;
  hk_index *free; /* free[dof]: number among the free; -1 - i: constraint i */
  /* the degrees of freedom that depend on a free one: source[source_begin[w] ...], ascending */
  hk_count *source_begin;
  hk_index *source;
  double *source_weight;
  hk_count *terms_begin;  /* terms_begin[rows + 1] */
  hk_count *begin, *from; /* begin[numbers + 1], from[terms]; those of lines apart */
  double *weight;
  hk_pool pool; /* all of these */
} builder;

/* One thread's own. */
typedef struct worker {
  term *list;
  hk_count count, room;
} worker;

static const hk_constraints *constraints_of(const builder *b)
{
  static const hk_constraints none = {0};
  return b->desc->constraints ? b->desc->constraints : &none;
}

/* free, and how many there are. */
static hk_status number(builder *b)
{
  const hk_layout_desc *d = b->desc;
  const hk_constraints *c = constraints_of(b);
  const hk_count dofs = (hk_count)d->nodes * d->components;
  hk_index next = 0;
  HK_PASS(hk_pool_get(&b->pool, &b->free, dofs));
  for (hk_index i = 0; i < c->count; i++) b->free[c->dof[i]] = -1 - i;
  for (hk_count i = 0; i < dofs; i++)
    if (b->free[i] >= 0) b->free[i] = next++;
  b->out->rows = next, b->out->size = 1;
  HK_PASS(hk_pool_get(&b->out->pool, &b->out->dof, next));
  for (hk_count i = 0; i < dofs; i++)
    if (b->free[i] >= 0) b->out->dof[b->free[i]] = (hk_index)i;
  return HK_OK;
}

/* The free degrees of freedom that one depends on. */
typedef struct image {
  hk_index count;
  hk_index own; /* of a free one: its number; master is NULL then */
  const hk_index *master;
  const double *weight;
} image;

static image image_of(const builder *b, hk_count i)
{
  static const double one = 1;
  if (b->free[i] >= 0) return (image){1, b->free[i], NULL, &one};
  const hk_constraints *c = constraints_of(b);
  const hk_index k = -1 - b->free[i];
  return (image){c->begin[k + 1] - c->begin[k], 0, c->master + c->begin[k],
                 c->weight + c->begin[k]};
}

static hk_index number_in(const builder *b, const image *of, hk_index k)
{
  return of->master ? b->free[of->master[k]] : of->own;
}

/* source: the transpose of the images. */
static hk_status find_sources(builder *b)
{
  const hk_count dofs = (hk_count)b->desc->nodes * b->desc->components, rows = b->out->rows;
  hk_count *next;
  HK_PASS(hk_pool_get(&b->pool, &b->source_begin, rows + 1));
  HK_PASS(hk_pool_get(&b->pool, &next, rows));
  for (hk_count i = 0; i < dofs; i++) {
    const image of = image_of(b, i);
    for (hk_index k = 0; k < of.count; k++) b->source_begin[number_in(b, &of, k) + 1]++;
  }
  for (hk_count w = 0; w < rows; w++) {
    next[w] = b->source_begin[w];
    b->source_begin[w + 1] += b->source_begin[w];
  }
  HK_PASS(hk_pool_get(&b->pool, &b->source, b->source_begin[rows]));
  HK_PASS(hk_pool_get(&b->pool, &b->source_weight, b->source_begin[rows]));
  for (hk_count i = 0; i < dofs; i++) {
    const image of = image_of(b, i);
    for (hk_index k = 0; k < of.count; k++) {
      const hk_count at = next[number_in(b, &of, k)]++;
      b->source[at] = (hk_index)i, b->source_weight[at] = of.weight[k];
    }
  }
  return HK_OK;
}

/* Adds weight K_sj, which is value[from], to row w. */
static hk_status add(const builder *b, worker *t, hk_count w, double weight, hk_count j,
                     hk_count from)
{
  const image of = image_of(b, j);
  HK_PASS(hk_reserve(&t->list, t->count + of.count, &t->room));
  for (hk_index k = 0; k < of.count; k++) {
    const hk_index column = number_in(b, &of, k);
    if (b->desc->lower && column > w) continue;
    t->list[t->count++] = (term){column, from, weight * of.weight[k]};
  }
  return HK_OK;
}

static int compare(const void *a, const void *b)
{
  const term *x = a, *y = b;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

static void sort(worker *t)
{
  hk_count k = 1;
  while (k < t->count && compare(&t->list[k - 1], &t->list[k]) < 0) k++;
  if (k < t->count) qsort(t->list, (size_t)t->count, sizeof *t->list, compare);
}

/* The terms of row w, sorted. */
static hk_status list_row(const builder *b, worker *t, hk_count w)
{
  const hk_layout_desc *d = b->desc;
  const int c = d->components;
  t->count = 0;
  for (hk_count p = b->source_begin[w]; p < b->source_begin[w + 1]; p++) {
    const hk_index s = b->source[p], i = s / c, r = s % c;
    if (d->diagonal) {
      HK_PASS(add(b, t, w, b->source_weight[p], s, s));
      continue;
    }
    const hk_count length = d->begin[i + 1] - d->begin[i], first = d->begin[i] * c * c;
    for (hk_count q = 0; q < length; q++)
      for (int e = 0; e < c; e++)
        HK_PASS(add(b, t, w, b->source_weight[p], (hk_count)d->column[d->begin[i] + q] * c + e,
                    first + (r * length + q) * c + e));
  }
  sort(t);
  return HK_OK;
}

/* The terms of the blocks of node i, one each, in the order of its numbers. */
static hk_status list_blocks(const builder *b, worker *t, hk_count i)
{
  const hk_layout_desc *d = b->desc;
  const int c = d->components;
  const hk_count length = d->diagonal ? 1 : d->begin[i + 1] - d->begin[i];
  t->count = 0;
  HK_PASS(hk_reserve(&t->list, length * c * c, &t->room));
  for (hk_count q = 0; q < length; q++) {
    const hk_index j = d->diagonal ? (hk_index)i : d->column[d->begin[i] + q];
    if (d->lower && j > i) break;
    for (int r = 0; r < c; r++)
      for (int e = 0; e < c; e++) {
        const hk_count from = d->diagonal ? (r == e ? i * c + r : -1)
                                          : d->begin[i] * c * c + (r * length + q) * c + e;
        t->list[t->count++] = (term){j, from, 1};
      }
  }
  return HK_OK;
}

/* Whether term k begins another entry. */
static bool begins(const builder *b, const worker *t, hk_count k)
{
  const int size = b->out->size;
  return b->desc->blocks ? k % ((hk_count)size * size) == 0
                         : k == 0 || t->list[k].column != t->list[k - 1].column;
}

static void count_row(builder *b, const worker *t, hk_count w)
{
  hk_count entries = 0;
  for (hk_count k = 0; k < t->count; k++) entries += begins(b, t, k);
  b->out->row_start[w + 1] = entries, b->terms_begin[w + 1] = t->count;
}

static void write_row(builder *b, const worker *t, hk_count w)
{
  const hk_count first = b->terms_begin[w];
  hk_count entry = b->out->row_start[w] - 1;
  for (hk_count k = 0; k < t->count; k++) {
    if (begins(b, t, k)) {
      b->out->column[++entry] = t->list[k].column;
      if (!b->desc->blocks) b->begin[entry] = first + k;
    }
    if (b->desc->blocks) b->begin[first + k] = first + k;
    b->from[first + k] = t->list[k].from, b->weight[first + k] = t->list[k].weight;
  }
}

static hk_status for_rows(builder *b, bool write)
{
  const hk_count rows = b->out->rows;
  hk_failure failure = {0};
#pragma omp parallel
  {
    worker t = {0};
    hk_status status = HK_OK;
#pragma omp for schedule(dynamic, ROWS)
    for (hk_count w = 0; w < rows; w++) {
      if (status != HK_OK) continue;
      status = b->desc->blocks ? list_blocks(b, &t, w) : list_row(b, &t, w);
      if (status == HK_OK && write) write_row(b, &t, w);
      if (status == HK_OK && !write) count_row(b, &t, w);
    }
    hk_free(&t.list);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

static hk_status find_pattern(builder *b)
{
  hk_layout *o = b->out;
  const hk_count size2 = (hk_count)o->size * o->size;
  HK_PASS(hk_pool_get(&o->pool, &o->row_start, o->rows + 1));
  HK_PASS(hk_pool_get(&b->pool, &b->terms_begin, o->rows + 1));
  HK_PASS(for_rows(b, false));
  for (hk_count w = 0; w < o->rows; w++) {
    const hk_count length = o->row_start[w + 1];
    if (length > o->width) o->width = (hk_index)length;
    o->row_start[w + 1] += o->row_start[w], b->terms_begin[w + 1] += b->terms_begin[w];
  }
  o->entries = o->row_start[o->rows];
  const hk_count terms = b->terms_begin[o->rows];
  HK_PASS(hk_pool_get(&o->pool, &o->column, o->entries));
  HK_PASS(hk_pool_get(&b->pool, &b->begin, o->entries * size2 + 1));
  HK_PASS(hk_pool_get(&b->pool, &b->from, terms));
  HK_PASS(hk_pool_get(&b->pool, &b->weight, terms));
  b->begin[o->entries * size2] = terms;
  return for_rows(b, true);
}

/* Columns and terms in the order of lines: number m rows + i is entry m of row i, or nothing. */
static hk_status turn_into_lines(builder *b)
{
  hk_layout *o = b->out;
  const hk_count entries = o->width * o->rows, terms = b->terms_begin[o->rows];
  hk_index *column;
  hk_count *begin, *from, at = 0;
  double *weight;
  HK_PASS(hk_pool_get(&o->pool, &column, entries));
  HK_PASS(hk_pool_get(&b->pool, &begin, entries + 1));
  HK_PASS(hk_pool_get(&b->pool, &from, terms));
  HK_PASS(hk_pool_get(&b->pool, &weight, terms));
  for (hk_count k = 0; k < entries; k++) {
    const hk_count i = k % o->rows, entry = o->row_start[i] + k / o->rows;
    const bool there = entry < o->row_start[i + 1];
    column[k] = there ? o->column[entry] : -1;
    for (hk_count p = there ? b->begin[entry] : 0; there && p < b->begin[entry + 1]; p++)
      from[at] = b->from[p], weight[at++] = b->weight[p];
    begin[k + 1] = at;
  }
  o->column = column, o->entries = entries;
  b->begin = begin, b->from = from, b->weight = weight;
  return HK_OK;
}

/* Whether each number is one value or none. */
static bool is_plain(const builder *b)
{
  const hk_count numbers = b->out->entries * b->out->size * b->out->size;
  bool plain = true;
#pragma omp parallel for schedule(static) reduction(&& : plain)
  for (hk_count k = 0; k < numbers; k++) {
    const hk_count terms = b->begin[k + 1] - b->begin[k];
    plain = plain && terms <= 1 && (terms == 0 || b->weight[b->begin[k]] == 1);
  }
  return plain;
}

static hk_status send_plain(builder *b)
{
  hk_layout *o = b->out;
  const hk_count numbers = o->entries * o->size * o->size;
  hk_count *from;
  HK_PASS(hk_pool_get(&b->pool, &from, numbers));
  for (hk_count k = 0; k < numbers; k++)
    from[k] = b->begin[k + 1] > b->begin[k] ? b->from[b->begin[k]] : -1;
  return hk_buffer_send(&o->pool, o->device, numbers * 8, from, &o->from);
}

static hk_status send(builder *b)
{
  hk_layout *o = b->out;
  const hk_count numbers = o->entries * o->size * o->size, terms = b->begin[numbers];
  const bool plain = b->desc->blocks || is_plain(b), real = b->desc->double_precision;
  if (plain)
    HK_PASS(send_plain(b));
  else {
    HK_PASS(hk_buffer_send(&o->pool, o->device, (numbers + 1) * 8, b->begin, &o->begin));
    HK_PASS(hk_buffer_send(&o->pool, o->device, terms * 8, b->from, &o->from));
    HK_PASS(hk_buffer_send_reals(&o->pool, o->device, real, terms, b->weight, &o->weight));
  }
  return hk_kernel_get(&o->pool, o->device,
                       &(hk_kernel_desc){.text = "layout",
                                         .function = plain ? "layout_pick" : "layout_fold",
                                         .double_precision = real,
                                         .define = {{"CHUNK", CHUNK}}},
                       &o->kernel);
}

hk_status hk_layout_create(const hk_layout_desc *desc, hk_layout **out)
{
  hk_status status = HK_OK;
  hk_layout *o = NULL;
  builder b = {.desc = desc};
  HK_TRY(hk_new(&o));
  b.out = o, o->device = desc->device;
  if (desc->blocks) {
    o->rows = desc->nodes, o->size = desc->components;
    HK_TRY(hk_pool_get(&o->pool, &o->dof, o->rows));
    for (hk_index i = 0; i < desc->nodes; i++) o->dof[i] = i;
  } else {
    HK_TRY(number(&b));
    HK_TRY(find_sources(&b));
  }
  HK_TRY(find_pattern(&b));
  if (desc->lines) HK_TRY(turn_into_lines(&b));
  HK_TRY(send(&b));
  *out = o, o = NULL;
cleanup:
  hk_pool_clear(&b.pool);
  hk_layout_destroy(&o);
  return status;
}

void hk_layout_destroy(hk_layout **layout)
{
  if (!*layout) return;
  hk_pool_clear(&(*layout)->pool);
  hk_free(layout);
}

hk_status hk_layout_fill(const hk_layout *o, const hk_buffer *value, hk_buffer *out)
{
  const hk_count numbers = o->entries * o->size * o->size, groups = (numbers + CHUNK - 1) / CHUNK;
  const int32_t runs = (int32_t)(numbers / CHUNK), rest = (int32_t)(numbers % CHUNK);
  if (o->weight)
    HK_PASS(hk_kernel_launch(o->kernel, 0, groups,
                             HK_ARGUMENTS(value, o->begin, o->from, o->weight, out, rest, runs)));
  else
    HK_PASS(hk_kernel_launch(o->kernel, 0, groups, HK_ARGUMENTS(value, o->from, out, rest, runs)));
  return hk_device_finish(o->device);
}
