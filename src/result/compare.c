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

static double relative(double part, double of)
{
  return part == 0 ? 0 : part / of;
}

typedef struct comparison {
  double tolerance;
  json_t *traces, *fields, *arrays;
  bool passed;
} comparison;

static hk_status append(json_t *list, json_t *item)
{
  if (item && json_array_append_new(list, item) == 0) return HK_OK;
  return hk_error_set(HK_NO_RESOURCES, "out of memory: comparison");
}

static hk_status add_entry(comparison *c, json_t *list, const char *name, const char *quantity,
                           const difference *d)
{
  const double most = relative(d->most, d->largest);
  const double l2 = relative(sqrt(d->square), sqrt(d->norm));
  if (!(most <= c->tolerance)) c->passed = false;
  return append(list, json_pack("{s:s s:s s:o s:o s:o s:o}", "name", name, "quantity", quantity,
                                "max_difference", hk_json_real(d->most), "max_relative",
                                hk_json_real(most), "l2_difference", hk_json_real(sqrt(d->square)),
                                "l2_relative", hk_json_real(l2)));
}

static hk_status add_missing(comparison *c, json_t *list, const char *name, const char *quantity,
                             const char *why)
{
  c->passed = false;
  return append(list,
                json_pack("{s:s s:s s:s}", "name", name, "quantity", quantity, "missing", why));
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
  double *ta = NULL, *tb = NULL;
  HK_TRY(hk_get(&ta, samples));
  HK_TRY(hk_get(&tb, samples));
  HK_TRY(hk_result_time(a, i, ta));
  HK_TRY(hk_result_time(b, j, tb));
  *same = same_times(samples, ta, tb);
cleanup:
  hk_free(&ta);
  hk_free(&tb);
  return status;
}

static hk_status measure_trace(hk_result *a, int i, hk_result *b, int j, difference *d)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &a->trace[i];
  const hk_count row = t->count * t->samples;
  const hk_count rows = row < CHUNK_ITEMS ? CHUNK_ITEMS / (row + 1) + 1 : 1;
  double *va = NULL, *vb = NULL;
  HK_TRY(hk_get(&va, rows * row));
  HK_TRY(hk_get(&vb, rows * row));
  for (hk_count r = 0; r < t->rows; r += rows) {
    const hk_count count = t->rows - r < rows ? t->rows - r : rows;
    HK_TRY(hk_result_values(a, i, r, count, va));
    HK_TRY(hk_result_values(b, j, r, count, vb));
    add_difference(d, count * row, va, vb);
  }
cleanup:
  hk_free(&va);
  hk_free(&vb);
  return status;
}

static hk_status compare_trace(comparison *c, hk_result *a, int i, hk_result *b)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &a->trace[i];
  difference d = {0};
  bool same = false;
  const int j = find_trace(b, t);
  if (j < 0) return add_missing(c, c->traces, t->request, t->quantity, "B has no such trace");
  const hk_result_trace *u = &b->trace[j];
  if (t->shots != u->shots)
    return add_missing(c, c->traces, t->request, t->quantity, "B has another number of shots");
  if (t->receivers != u->receivers || t->count != u->count)
    return add_missing(c, c->traces, t->request, t->quantity,
                       "B has another number of receivers or components");
  if (t->samples == u->samples) HK_TRY(same_sampling(a, i, b, j, &same));
  if (!same)
    return add_missing(c, c->traces, t->request, t->quantity, "B is sampled at other times");
  HK_TRY(measure_trace(a, i, b, j, &d));
  HK_TRY(add_entry(c, c->traces, t->request, t->quantity, &d));
cleanup:
  return status;
}

static const hk_result_array *find_array(const hk_result *r, const char *path)
{
  for (int i = 0; i < r->array_count; i++)
    if (!strcmp(r->array[i].path, path)) return &r->array[i];
  return NULL;
}

static hk_status measure_array(hk_result *a, hk_result *b, const hk_result_array *array,
                               difference *d)
{
  hk_status status = HK_OK;
  const hk_count rows = CHUNK_ITEMS / array->count + 1;
  double *va = NULL, *vb = NULL;
  HK_TRY(hk_get(&va, rows * array->count));
  HK_TRY(hk_get(&vb, rows * array->count));
  for (hk_count r = 0; r < array->rows; r += rows) {
    const hk_count count = array->rows - r < rows ? array->rows - r : rows;
    HK_TRY(hk_hdf_read(a->file, array->path, array->count, r, count, va));
    HK_TRY(hk_hdf_read(b->file, array->path, array->count, r, count, vb));
    add_difference(d, count * array->count, va, vb);
  }
cleanup:
  hk_free(&va);
  hk_free(&vb);
  return status;
}

static hk_status compare_array(comparison *c, hk_result *a, const hk_result_array *array,
                               hk_result *b)
{
  hk_status status = HK_OK;
  difference d = {0};
  const hk_result_array *other = find_array(b, array->path);
  if (!other) return add_missing(c, c->arrays, array->step, array->name, "B has no such array");
  if (other->rows != array->rows || other->count != array->count)
    return add_missing(c, c->arrays, array->step, array->name,
                       "B has another number of nodes, points or components");
  HK_TRY(measure_array(a, b, array, &d));
  HK_TRY(add_entry(c, c->arrays, array->step, array->name, &d));
cleanup:
  return status;
}

static int find_quantity(const hk_field *f, const char *name)
{
  for (int q = 0; q < f->count; q++)
    if (!strcmp(f->quantity[q].name, name)) return q;
  return -1;
}

static hk_status measure_field(hk_field *a, int i, hk_field *b, int j, difference *d)
{
  hk_status status = HK_OK;
  const hk_count items = a->grid->nodes * a->quantity[i].wide;
  double *va = NULL, *vb = NULL;
  HK_TRY(hk_get(&va, items));
  HK_TRY(hk_get(&vb, items));
  for (hk_count k = 0; k < a->frames; k++) {
    HK_TRY(hk_field_read(a, k, i, va));
    HK_TRY(hk_field_read(b, k, j, vb));
    add_difference(d, items, va, vb);
  }
cleanup:
  hk_free(&va);
  hk_free(&vb);
  return status;
}

static hk_status compare_quantity(comparison *c, const char *name, hk_field *a, int i, hk_field *b)
{
  hk_status status = HK_OK;
  const hk_field_info *q = &a->quantity[i];
  difference d = {0};
  const int j = find_quantity(b, q->name);
  if (j < 0 || b->quantity[j].wide != q->wide)
    return add_missing(c, c->fields, name, q->name, "B has no such field");
  if (a->grid->nodes != b->grid->nodes)
    return add_missing(c, c->fields, name, q->name, "B has another mesh");
  if (a->frames != b->frames || !same_times(a->frames, a->time, b->time))
    return add_missing(c, c->fields, name, q->name, "B has frames at other times");
  HK_TRY(measure_field(a, i, b, j, &d));
  HK_TRY(add_entry(c, c->fields, name, q->name, &d));
cleanup:
  return status;
}

static hk_status compare_field(comparison *c, const char *name, const char *a, const char *b)
{
  hk_status status = HK_OK;
  hk_field *fa = NULL, *fb = NULL;
  HK_TRY(hk_field_open(a, name, &fa));
  HK_TRY(hk_field_open(b, name, &fb));
  for (int q = 0; fa && q < fa->count; q++)
    HK_TRY(fb ? compare_quantity(c, name, fa, q, fb)
              : add_missing(c, c->fields, name, fa->quantity[q].name, "B has no such field"));
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

  HK_CHECK(c.traces && c.fields && c.arrays, HK_NO_RESOURCES, "out of memory: comparison");
  HK_TRY(hk_result_open(a, &ra));
  HK_TRY(hk_result_open(b, &rb));
  for (int i = 0; i < ra->count; i++) HK_TRY(compare_trace(&c, ra, i, rb));
  for (int i = 0; i < ra->array_count; i++) HK_TRY(compare_array(&c, ra, &ra->array[i], rb));
  if (ra->folder && rb->folder) HK_TRY(compare_fields(&c, a, b));
  HK_TRY(finish_json(&c, json));
  HK_CHECK(c.passed || !(tolerance > 0), HK_CHECK_FAILED,
           "%s and %s differ by more than %g of the largest value, or one lacks what the other has",
           a, b, tolerance);
cleanup:
  hk_result_close(&ra);
  hk_result_close(&rb);
  json_decref(c.traces);
  json_decref(c.fields);
  json_decref(c.arrays);
  return status;
}
