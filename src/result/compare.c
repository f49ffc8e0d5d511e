/* Difference of two results, dataset by dataset:
 *   max_difference = max |a - b|,  l2_difference = sqrt(sum (a - b)^2),
 * relative to max |a| and sqrt(sum a^2). Not-a-number in either stays and never passes. */
#include <hooke/result.h>
#include "base/json.h"
#include "result/result.h"
#include <math.h>
#include <string.h>

enum { CHUNK_ITEMS = 1 << 20 };

typedef struct difference {
  double most, largest; /* max |a - b|, max |a| */
  double square, norm;  /* sum (a - b)^2, sum a^2 */
} difference;

typedef struct side { /* one of the three: a trace, an array or a field */
  hk_result *result;
  int trace;
  const hk_result_array *array;
  hk_field *field;
  int quantity;
} side;

/* a dataset of A and that of B: rows of `row` numbers, read `some` at a time */
typedef struct pair {
  json_t *list;
  const char *name, *quantity;
  side a, b;
  hk_count rows, row, some;
} pair;

static hk_status read_rows(const side *s, hk_count first, hk_count count, double *values)
{
  if (s->field) return hk_field_read(s->field, first, s->quantity, values);
  if (s->array)
    return hk_hdf_read(s->result->file, s->array->path, s->array->count, first, count, values);
  return hk_result_values(s->result, s->trace, first, count, values);
}

static void add_difference(difference *d, hk_count count, const double *a, const double *b)
{
  for (hk_count i = 0; i < count; i++) {
    const double e = a[i] - b[i];
    d->most = hk_larger(d->most, fabs(e));
    d->largest = hk_larger(d->largest, fabs(a[i]));
    d->square += e * e;
    d->norm += a[i] * a[i];
  }
}

static hk_status measure(const pair *p, difference *d)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  double *va, *vb;
  HK_TRY(hk_pool_get(&pool, &va, p->some * p->row));
  HK_TRY(hk_pool_get(&pool, &vb, p->some * p->row));
  for (hk_count first = 0; first < p->rows; first += p->some) {
    const hk_count count = p->rows - first < p->some ? p->rows - first : p->some;
    HK_TRY(read_rows(&p->a, first, count, va));
    HK_TRY(read_rows(&p->b, first, count, vb));
    add_difference(d, count * p->row, va, vb);
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static double relative(double part, double of)
{
  return part == 0 ? 0 : part / of;
}

typedef struct comparison {
  double tolerance;
  json_t *traces, *fields, *arrays;
  bool passed;
} comparison;

/* The difference of a pair, or (missing) why there is none. */
static hk_status add_entry(comparison *c, const pair *p, const char *missing)
{
  difference d = {0};
  const hk_status status = missing ? HK_OK : measure(p, &d);
  const double most = relative(d.most, d.largest);
  const double l2 = relative(sqrt(d.square), sqrt(d.norm));
  if (status != HK_OK) return status;
  if (missing || !(most <= c->tolerance)) c->passed = false;
  json_t *item = missing ? json_pack("{s:s s:s s:s}", "name", p->name, "quantity", p->quantity,
                                     "missing", missing)
                         : json_pack("{s:s s:s s:o s:o s:o s:o}", "name", p->name, "quantity",
                                     p->quantity, "max_difference", hk_json_real(d.most),
                                     "max_relative", hk_json_real(most), "l2_difference",
                                     hk_json_real(sqrt(d.square)), "l2_relative", hk_json_real(l2));
  if (item && json_array_append_new(p->list, item) == 0) return HK_OK;
  return hk_error_set(HK_NO_RESOURCES, "out of memory: comparison");
}

static bool same_times(hk_count count, const double *a, const double *b)
{
  double end = 0;
  for (hk_count i = 0; i < count; i++) end = hk_larger(end, fabs(a[i]));
  for (hk_count i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-9 * end)) return false;
  return true;
}

static int find_trace(const hk_result *r, const hk_result_trace *t)
{
  for (int i = 0; i < r->count; i++)
    if (!strcmp(r->trace[i].path, t->path)) return i;
  return -1;
}

static hk_status same_sampling(hk_result *a, int i, hk_result *b, int j, bool *same)
{
  hk_status status = HK_OK;
  const hk_count samples = a->trace[i].samples;
  hk_pool pool = {0};
  double *ta, *tb;
  HK_TRY(hk_pool_get(&pool, &ta, samples));
  HK_TRY(hk_pool_get(&pool, &tb, samples));
  HK_TRY(hk_result_time(a, i, ta));
  HK_TRY(hk_result_time(b, j, tb));
  *same = same_times(samples, ta, tb);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status compare_trace(comparison *c, hk_result *a, int i, hk_result *b)
{
  const hk_result_trace *t = &a->trace[i];
  const int j = find_trace(b, t);
  const hk_result_trace *u = j < 0 ? t : &b->trace[j];
  const hk_count row = t->count * t->samples;
  bool same = false;
  if (j >= 0 && t->samples == u->samples) HK_PASS(same_sampling(a, i, b, j, &same));
  return add_entry(c,
                   &(pair){c->traces, t->request, t->quantity, .a = {.result = a, .trace = i},
                           .b = {.result = b, .trace = j}, .rows = t->rows, .row = row,
                           .some = row < CHUNK_ITEMS ? CHUNK_ITEMS / (row + 1) + 1 : 1},
                   j < 0                  ? "B has no such trace"
                   : t->shots != u->shots ? "B has another number of shots"
                   : t->receivers != u->receivers || t->count != u->count
                       ? "B has another number of receivers or components"
                   : !same ? "B is sampled at other times"
                           : NULL);
}

static const hk_result_array *find_array(const hk_result *r, const char *path)
{
  for (int i = 0; i < r->array_count; i++)
    if (!strcmp(r->array[i].path, path)) return &r->array[i];
  return NULL;
}

static hk_status compare_array(comparison *c, hk_result *a, const hk_result_array *array,
                               hk_result *b)
{
  const hk_result_array *other = find_array(b, array->path);
  const pair p = {c->arrays,
                  array->step,
                  array->name,
                  .a = {.result = a, .array = array},
                  .b = {.result = b, .array = array},
                  .rows = array->rows,
                  .row = array->count,
                  .some = CHUNK_ITEMS / array->count + 1};
  return add_entry(c, &p,
                   !other ? "B has no such array"
                   : other->rows != array->rows || other->count != array->count
                       ? "B has another number of nodes, points or components"
                       : NULL);
}

static int find_quantity(const hk_field *f, const char *name)
{
  for (int q = 0; q < f->count; q++)
    if (!strcmp(f->quantity[q].name, name)) return q;
  return -1;
}

/* b: NULL where there is no such field. */
static hk_status compare_quantity(comparison *c, const char *name, hk_field *a, int i, hk_field *b)
{
  const hk_field_info *q = &a->quantity[i];
  const int j = b ? find_quantity(b, q->name) : -1;
  const pair p = {c->fields,
                  name,
                  q->name,
                  .a = {.field = a, .quantity = i},
                  .b = {.field = b, .quantity = j},
                  .rows = a->frames,
                  .row = a->grid->nodes * q->wide,
                  .some = 1};
  return add_entry(c, &p,
                   j < 0 || b->quantity[j].wide != q->wide ? "B has no such field"
                   : a->grid->nodes != b->grid->nodes      ? "B has another mesh"
                   : a->frames != b->frames || !same_times(a->frames, a->time, b->time)
                       ? "B has frames at other times"
                       : NULL);
}

static hk_status compare_field(comparison *c, const char *name, const char *a, const char *b)
{
  hk_status status = HK_OK;
  hk_field *fa = NULL, *fb = NULL;
  HK_TRY(hk_field_open(a, name, &fa));
  HK_TRY(hk_field_open(b, name, &fb));
  for (int q = 0; fa && q < fa->count; q++) HK_TRY(compare_quantity(c, name, fa, q, fb));
cleanup:
  hk_field_close(&fa);
  hk_field_close(&fb);
  return status;
}

static hk_status compare_fields(comparison *c, const char *a, const char *b)
{
  hk_status status = HK_OK;
  char **name = NULL;
  int names = 0;
  HK_TRY(hk_field_list(a, &names, &name));
  for (int i = 0; i < names; i++) HK_TRY(compare_field(c, name[i], a, b));
cleanup:
  hk_names_free(names, &name);
  return status;
}

static hk_status finish_json(comparison *c, char **json)
{
  json_t *all =
      json_pack("{s:O s:O s:O}", "traces", c->traces, "static", c->arrays, "fields", c->fields);
  if (all && c->tolerance > 0)
    json_object_set_new(all, "passed", json_boolean(c->passed)); /* nothing was asked for else */
  const hk_status status = hk_json_dump(all, 17, json);
  json_decref(all);
  return status;
}

hk_status hk_compare(const char *a, const char *b, double tolerance, char **json)
{
  hk_status status = HK_OK;
  hk_result *ra = NULL, *rb = NULL;
  comparison c = {tolerance, json_array(), json_array(), json_array(), true};

  HK_CHECK(tolerance >= 0, HK_USAGE, "tolerance %g: must be above 0, or 0 for none", tolerance);
  HK_CHECK(c.traces && c.fields && c.arrays, HK_NO_RESOURCES, "out of memory: comparison");
  HK_TRY(hk_result_open(a, &ra));
  HK_TRY(hk_result_open(b, &rb));
  for (int i = 0; i < ra->count; i++) HK_TRY(compare_trace(&c, ra, i, rb));
  for (int i = 0; i < ra->array_count; i++) HK_TRY(compare_array(&c, ra, &ra->array[i], rb));
  if (ra->folder && rb->folder) HK_TRY(compare_fields(&c, a, b));
  HK_TRY(finish_json(&c, json));
  HK_CHECK(c.passed || !(tolerance > 0), HK_CHECK_FAILED,
           "%s and %s differ by more than %g of the largest value, or the second lacks what the "
           "first has",
           a, b, tolerance);
cleanup:
  hk_result_close(&ra);
  hk_result_close(&rb);
  json_decref(c.traces);
  json_decref(c.fields);
  json_decref(c.arrays);
  return status;
}
