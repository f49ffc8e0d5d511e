/* Gaussian elimination of constraint rows sum coefficient u = value to u[dof] = offset + sum weight u[master] (A.1).
 * A row takes in what is known of its degrees of freedom (reduce), its largest free coefficient is the pivot; rows that vanish are redundant or
 * contradict. Afterwards substitute() goes back from the last row until masters are all free. Rows of one term come first. */
#include "load/constraints.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Coefficients below this part of a row's largest are rounding. */
static const double ROUNDING = 1e-11;

void hk_constraints_clear(hk_constraints *c)
{
  hk_free(&c->dof);
  hk_free(&c->begin);
  hk_free(&c->master);
  hk_free(&c->weight);
  hk_free(&c->offset);
  c->count = 0;
}

hk_status hk_constraints_copy(const hk_constraints *from, hk_constraints *to)
{
  hk_status status = HK_OK;
  const hk_index count = from->count, entries = count ? from->begin[count] : 0;
  hk_constraints_clear(to);
  HK_TRY(hk_get(&to->dof, count));
  HK_TRY(hk_get(&to->begin, (hk_count)count + 1));
  HK_TRY(hk_get(&to->master, entries));
  HK_TRY(hk_get(&to->weight, entries));
  HK_TRY(hk_get(&to->offset, count));
  to->dofs = from->dofs, to->count = count;
  for (hk_index i = 0; i < count; i++) {
    to->dof[i] = from->dof[i], to->offset[i] = from->offset[i];
    to->begin[i + 1] = from->begin[i + 1];
  }
  for (hk_index p = 0; p < entries; p++) {
    to->master[p] = from->master[p];
    to->weight[p] = from->weight[p];
  }
cleanup:
  return status;
}

void hk_constraints_apply(const hk_constraints *c, double *u)
{
  for (hk_index i = 0; i < c->count; i++) {
    double sum = c->offset[i];
    for (hk_index k = c->begin[i]; k < c->begin[i + 1]; k++) sum += c->weight[k] * u[c->master[k]];
    u[c->dof[i]] = sum;
  }
}

void hk_constraints_transpose(const hk_constraints *c, double *f)
{
  for (hk_index i = 0; i < c->count; i++) {
    for (hk_index k = c->begin[i]; k < c->begin[i + 1]; k++)
      f[c->master[k]] += c->weight[k] * f[c->dof[i]];
    f[c->dof[i]] = 0;
  }
}

void hk_constraint_rows_clear(hk_constraint_rows *rows)
{
  hk_free(&rows->begin);
  hk_free(&rows->dof);
  hk_free(&rows->coefficient);
  hk_free(&rows->value);
  hk_free(&rows->file);
  hk_free(&rows->line);
  *rows = (hk_constraint_rows){0};
}

hk_status hk_constraint_rows_add(hk_constraint_rows *r, int terms, const hk_index *dof,
                                 const double *coefficient, double value, const char *file,
                                 hk_count line)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&r->begin, r->count + 2, &r->row_capacity[0]));
  HK_TRY(hk_reserve(&r->value, r->count + 1, &r->row_capacity[1]));
  HK_TRY(hk_reserve(&r->file, r->count + 1, &r->row_capacity[2]));
  HK_TRY(hk_reserve(&r->line, r->count + 1, &r->row_capacity[3]));
  HK_TRY(hk_reserve(&r->dof, r->entries + terms, &r->entry_capacity[0]));
  HK_TRY(hk_reserve(&r->coefficient, r->entries + terms, &r->entry_capacity[1]));
  for (int k = 0; k < terms; k++) {
    if (coefficient[k] == 0) continue;
    r->dof[r->entries] = dof[k];
    r->coefficient[r->entries++] = coefficient[k];
  }
  r->value[r->count] = value;
  r->file[r->count] = file;
  r->line[r->count++] = line;
  r->begin[r->count] = r->entries;
cleanup:
  return status;
}

/* A row on its way: a sparse vector with room for every dof. */
typedef struct work {
  const hk_constraint_rows *rows;
  hk_count dofs, all; /* without and with the extra ones */
  double *sum;        /* sum[all], zero but for `touched` */
  bool *in;           /* in[all]: in the list of touched ones */
  hk_index *touched;
  hk_count touched_count, touched_capacity;
  double value, largest; /* right side; largest coefficient that was ever added */
  double scale;          /* largest part of the right side */
  double *fixed;         /* fixed[all]: value of those held by themselves */
  hk_index *
      holder; /* holder[all]: 0 free, -1 held by itself, -2 likewise and kept as a master, r > 0: dependent of row r - 1 */
  bool keep;  /* those held by themselves stay masters; nothing is told */
  hk_index count; /* dependent rows, in the order of their elimination: */
  hk_index *dof;
  hk_count *begin, entries;
  hk_index *master;
  double *weight, *offset;
  hk_count row_capacity[3], entry_capacity[2];
  hk_count bad, differing;
  hk_messages *list;
} work;

static void clear_work(work *w)
{
  hk_free(&w->sum);
  hk_free(&w->in);
  hk_free(&w->touched);
  hk_free(&w->fixed);
  hk_free(&w->holder);
  hk_free(&w->dof);
  hk_free(&w->begin);
  hk_free(&w->master);
  hk_free(&w->weight);
  hk_free(&w->offset);
}

static hk_status add_term(work *w, hk_index dof, double coefficient)
{
  hk_status status = HK_OK;
  if (!w->in[dof]) {
    HK_TRY(hk_reserve(&w->touched, w->touched_count + 1, &w->touched_capacity));
    w->touched[w->touched_count++] = dof;
    w->in[dof] = true;
  }
  w->sum[dof] += coefficient;
  w->largest = fmax(w->largest, fabs(coefficient));
cleanup:
  return status;
}

static void empty(work *w)
{
  for (hk_count k = 0; k < w->touched_count; k++)
    w->sum[w->touched[k]] = 0, w->in[w->touched[k]] = false;
  w->touched_count = 0;
  w->value = w->largest = w->scale = 0;
}

/* The touched dependent dof that was eliminated first: its masters may only depend on later rows. */
static hk_index earliest_dependent(const work *w)
{
  hk_index best = -1;
  for (hk_count k = 0; k < w->touched_count; k++) {
    const hk_index d = w->touched[k];
    if (w->holder[d] > 0 && w->sum[d] != 0 && (best < 0 || w->holder[d] < w->holder[best]))
      best = d;
  }
  return best;
}

static void subtract(work *w, double part)
{
  w->value -= part;
  w->scale = fmax(w->scale, fabs(part));
}

/* Puts what is known of its dofs into the row; only free ones stay. */
static hk_status reduce(work *w)
{
  hk_status status = HK_OK;
  hk_index d;
  while ((d = earliest_dependent(w)) >= 0) {
    const hk_index row = w->holder[d] - 1;
    const double c = w->sum[d];
    w->sum[d] = 0;
    subtract(w, c * w->offset[row]);
    for (hk_count k = w->begin[row]; k < w->begin[row + 1]; k++)
      HK_TRY(add_term(w, w->master[k], c * w->weight[k]));
  }
  for (hk_count k = 0; k < w->touched_count; k++) {
    d = w->touched[k];
    if (w->holder[d] != -1) continue;
    subtract(w, w->sum[d] * w->fixed[d]);
    w->sum[d] = 0;
  }
cleanup:
  return status;
}

static hk_status store(work *w, hk_index pivot)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&w->dof, w->count + 1, &w->row_capacity[0]));
  HK_TRY(hk_reserve(&w->offset, w->count + 1, &w->row_capacity[1]));
  HK_TRY(hk_reserve(&w->begin, w->count + 2, &w->row_capacity[2]));
  HK_TRY(hk_reserve(&w->master, w->entries + w->touched_count, &w->entry_capacity[0]));
  HK_TRY(hk_reserve(&w->weight, w->entries + w->touched_count, &w->entry_capacity[1]));
  for (hk_count k = 0; k < w->touched_count; k++) {
    const hk_index d = w->touched[k];
    if (d == pivot || fabs(w->sum[d]) <= ROUNDING * w->largest) continue;
    w->master[w->entries] = d;
    w->weight[w->entries++] = -w->sum[d] / w->sum[pivot];
  }
  w->dof[w->count] = pivot;
  w->offset[w->count++] = w->value / w->sum[pivot];
  w->begin[w->count] = w->entries;
  w->holder[pivot] = w->count;
cleanup:
  return status;
}

static hk_index pivot_of(const work *w)
{
  hk_index best = -1;
  for (hk_count k = 0; k < w->touched_count; k++) {
    const hk_index d = w->touched[k];
    if (fabs(w->sum[d]) <= ROUNDING * w->largest || w->holder[d] == -2) continue;
    const bool extra = d >= w->dofs, best_extra = best >= w->dofs;
    if (best < 0 || (extra && !best_extra) ||
        (extra == best_extra && fabs(w->sum[d]) > fabs(w->sum[best])))
      best = d;
  }
  return best;
}

static hk_status eliminate(work *w, hk_count row)
{
  hk_status status = HK_OK;
  const hk_constraint_rows *r = w->rows;
  empty(w);
  subtract(w, -r->value[row]);
  for (hk_count k = r->begin[row]; k < r->begin[row + 1]; k++)
    HK_TRY(add_term(w, r->dof[k], r->coefficient[k]));
  HK_TRY(reduce(w));
  const hk_index pivot = pivot_of(w);
  if (pivot >= 0) {
    HK_TRY(store(w, pivot));
  } else if (w->keep) {
    return HK_OK;
  } else if (fabs(w->value) <= 1e-9 * w->scale) {
    hk_messages_add(w->list, HK_WARNING, r->file[row], r->line[row], 0,
                    "this constraint follows from others and is left out");
  } else {
    hk_messages_add(
        w->list, HK_ERROR, r->file[row], r->line[row], 0,
        "this constraint contradicts others: together they require 0 = %g: remove one of them",
        w->value);
    if (!w->bad++)
      hk_error_set(HK_BAD_INPUT, "%s:%lld: this constraint contradicts others: remove one of them",
                   r->file[row] ? r->file[row] : "model", (long long)r->line[row]);
  }
cleanup:
  return status;
}

static bool is_single(const hk_constraint_rows *r, hk_count row)
{
  return r->begin[row + 1] - r->begin[row] == 1;
}

static void take_single(work *w, hk_count row)
{
  const hk_constraint_rows *r = w->rows;
  const hk_index d = r->dof[r->begin[row]];
  const double u = r->value[row] / r->coefficient[r->begin[row]];
  if (w->keep) {
    w->holder[d] = -2;
    return;
  }
  if (w->holder[d] == -1 && w->fixed[d] != u && w->differing++ == 0)
    hk_messages_add(
        w->list, HK_WARNING, r->file[row], r->line[row], 0,
        "a degree of freedom is prescribed twice, as %g and as %g: the last value is used",
        w->fixed[d], u);
  w->fixed[d] = u;
  w->holder[d] = -1;
}

/* Rows still have masters that later rows made dependent: from the last one back none is left. */
static hk_status substitute(work *w)
{
  hk_status status = HK_OK;
  work done = *w;
  done.count = 0, done.entries = 0, done.dof = NULL, done.offset = NULL;
  done.begin = NULL, done.master = NULL, done.weight = NULL;
  memset(done.row_capacity, 0, sizeof done.row_capacity);
  memset(done.entry_capacity, 0, sizeof done.entry_capacity);
  for (hk_index i = 0; i < w->count; i++) w->holder[w->dof[i]] = 0;
  for (hk_index i = w->count - 1; i >= 0; i--) {
    empty(&done);
    HK_TRY(add_term(&done, w->dof[i], 1));
    done.value = w->offset[i];
    for (hk_count k = w->begin[i]; k < w->begin[i + 1]; k++)
      HK_TRY(add_term(&done, w->master[k], -w->weight[k]));
    HK_TRY(reduce(&done));
    HK_TRY(store(&done, w->dof[i]));
  }
cleanup:
  hk_free(&w->dof);
  hk_free(&w->offset);
  hk_free(&w->begin);
  hk_free(&w->master);
  hk_free(&w->weight);
  *w = done;
  return status;
}

/* The rows of the dofs [from, to), ascending. */
static hk_status collect(const work *w, hk_count from, hk_count to, hk_constraints *out)
{
  hk_status status = HK_OK;
  hk_constraints c = {.dofs = to - from};
  hk_count entries = 0, count = 0;
  for (hk_count d = from; d < to; d++) {
    const hk_index h = w->holder[d];
    count += h != 0 && h != -2;
    if (h > 0) entries += w->begin[h] - w->begin[h - 1];
  }
  HK_TRY(hk_narrow(count, "the number of constraints", &c.count));
  HK_TRY(hk_narrow(entries, "the number of constraints' terms", &(hk_index){0}));
  HK_TRY(hk_get(&c.dof, count));
  HK_TRY(hk_get(&c.begin, count + 1));
  HK_TRY(hk_get(&c.offset, count));
  HK_TRY(hk_get(&c.master, entries));
  HK_TRY(hk_get(&c.weight, entries));
  count = entries = 0;
  for (hk_count d = from; d < to; d++) {
    const hk_index h = w->holder[d];
    if (h == 0 || h == -2) continue;
    c.dof[count] = (hk_index)d;
    c.offset[count] = h < 0 ? w->fixed[d] : w->offset[h - 1];
    for (hk_count k = h > 0 ? w->begin[h - 1] : 0; h > 0 && k < w->begin[h]; k++) {
      if (w->master[k] >= w->dofs && !w->keep)
        continue; /* nothing holds it, and nothing depends on it: 0 */
      c.master[entries] = w->master[k];
      c.weight[entries++] = w->weight[k];
    }
    c.begin[++count] = (hk_index)entries;
  }
  *out = c, c = (hk_constraints){0};
cleanup:
  hk_constraints_clear(&c);
  return status;
}

static hk_status create_work(work *w)
{
  hk_status status = HK_OK;
  HK_TRY(hk_get(&w->sum, w->all));
  HK_TRY(hk_get(&w->in, w->all));
  HK_TRY(hk_get(&w->fixed, w->all));
  HK_TRY(hk_get(&w->holder, w->all));
  HK_TRY(hk_reserve(&w->begin, 1, &w->row_capacity[2]));
cleanup:
  return status;
}

hk_status hk_constraints_build(const hk_constraint_rows *rows, hk_count dofs, hk_count extra,
                               hk_messages *list, hk_constraints *out, hk_constraints *extras)
{
  hk_status status = HK_OK;
  work w = {.rows = rows, .dofs = dofs, .all = dofs + extra, .list = list};
  hk_constraints c = {0};
  HK_TRY(create_work(&w));
  for (hk_count row = 0; row < rows->count; row++)
    if (is_single(rows, row)) take_single(&w, row);
  for (hk_count row = 0; row < rows->count; row++)
    if (!is_single(rows, row)) HK_TRY(eliminate(&w, row));
  if (w.differing > 1)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0, "%lld degrees of freedom are prescribed twice",
                    (long long)w.differing);
  if (w.bad) {
    status = HK_BAD_INPUT;
    goto cleanup;
  }
  HK_TRY(substitute(&w));
  HK_TRY(collect(&w, 0, dofs, &c));
  if (extras) HK_TRY(collect(&w, dofs, w.all, extras));
  *out = c, c = (hk_constraints){0};
cleanup:
  hk_constraints_clear(&c);
  clear_work(&w);
  return status;
}

hk_status hk_constraints_lead(const hk_constraint_rows *rows, hk_count dofs, hk_count extra,
                              hk_constraints *out)
{
  hk_status status = HK_OK;
  work w = {.rows = rows, .dofs = dofs, .all = dofs + extra, .keep = true};
  HK_TRY(create_work(&w));
  for (hk_count row = 0; row < rows->count; row++)
    if (is_single(rows, row)) take_single(&w, row);
  for (hk_count row = 0; row < rows->count; row++)
    if (!is_single(rows, row)) HK_TRY(eliminate(&w, row));
  HK_TRY(substitute(&w));
  HK_TRY(collect(&w, 0, w.all, out));
cleanup:
  clear_work(&w);
  return status;
}
