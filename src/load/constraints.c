/* Gaussian elimination of constraint rows sum coefficient u = value to u[dof] = offset + sum weight u[master] (A.1).
 * A row takes in what is known of its degrees of freedom (reduce), its largest free coefficient is the pivot; rows that vanish are redundant or
 * contradict. Afterwards substitute() goes back from the last row until masters are all free. Rows of one term come first. */
#include "load/constraints.h"
#include <math.h>
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

/* Room for so many rows and masters. */
static hk_status create(hk_count dofs, hk_count count, hk_count entries, hk_constraints *c)
{
  c->dofs = dofs;
  HK_PASS(hk_narrow(count, "the number of constraints", &c->count));
  HK_PASS(hk_narrow(entries, "the number of constraints' terms", &(hk_index){0}));
  HK_PASS(hk_get(&c->dof, count));
  HK_PASS(hk_get(&c->begin, count + 1));
  HK_PASS(hk_get(&c->offset, count));
  HK_PASS(hk_get(&c->master, entries));
  return hk_get(&c->weight, entries);
}

hk_status hk_constraints_copy(const hk_constraints *from, hk_constraints *to)
{
  const size_t count = (size_t)from->count, entries = count ? (size_t)from->begin[count] : 0;
  hk_constraints_clear(to);
  HK_PASS(create(from->dofs, from->count, (hk_count)entries, to));
  if (!count) return HK_OK;
  memcpy(to->dof, from->dof, count * sizeof *to->dof);
  memcpy(to->begin, from->begin, (count + 1) * sizeof *to->begin);
  memcpy(to->offset, from->offset, count * sizeof *to->offset);
  if (!entries) return HK_OK;
  memcpy(to->master, from->master, entries * sizeof *to->master);
  memcpy(to->weight, from->weight, entries * sizeof *to->weight);
  return HK_OK;
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
  hk_free(&rows->row.at);
  hk_free(&rows->term.at);
  *rows = (hk_constraint_rows){0};
}

hk_status hk_constraint_rows_add(hk_constraint_rows *r, int terms, const hk_index *dof,
                                 const double *coefficient, double value, const char *file,
                                 hk_count line)
{
  const hk_count begin = r->term.count;
  HK_PASS(hk_list_more(&r->row));
  for (int k = 0; k < terms; k++) {
    if (coefficient[k] == 0) continue;
    HK_PASS(hk_list_more(&r->term));
    r->term.at[r->term.count++] = (hk_constraint_term){dof[k], coefficient[k]};
  }
  r->row.at[r->row.count++] =
      (hk_constraint_row){begin, (int)(r->term.count - begin), value, file, line};
  return HK_OK;
}

typedef struct dependent { /* u[dof] = offset + sum of its terms */
  hk_index dof;
  hk_count begin, end;
  double offset;
} dependent;

/* A row on its way: a sparse vector with room for every dof. */
typedef struct work {
  hk_pool pool; /* of arrays[all] and `touched` */
  const hk_constraint_rows *rows;
  hk_count dofs, all; /* without and with the extra ones */
  double *sum;        /* sum[all], zero but for `touched` */
  bool *in;           /* in[all]: in the list of touched ones */
  HK_LIST(hk_index) touched;
  double value, largest; /* right side; largest coefficient that was ever added */
  double scale;          /* largest part of the right side */
  double *fixed;         /* fixed[all]: value of those held by themselves */
  /* holder[all]: 0 free, -1 held by itself, -2 likewise and kept as a master, r > 0: dependent of row r - 1 */
  hk_index *holder;
  bool keep;              /* those held by themselves stay masters; nothing is told */
  HK_LIST(dependent) row; /* in the order of their elimination */
  HK_LIST(hk_constraint_term) term;
  hk_count bad, differing;
  hk_messages *list;
} work;

static hk_status add_term(work *w, hk_index dof, double coefficient)
{
  if (!w->in[dof]) {
    HK_PASS(hk_pool_more(&w->pool, &w->touched));
    w->touched.at[w->touched.count++] = dof;
    w->in[dof] = true;
  }
  w->sum[dof] += coefficient;
  w->largest = fmax(w->largest, fabs(coefficient));
  return HK_OK;
}

static void empty(work *w)
{
  for (hk_count k = 0; k < w->touched.count; k++)
    w->sum[w->touched.at[k]] = 0, w->in[w->touched.at[k]] = false;
  w->touched.count = 0;
  w->value = w->largest = w->scale = 0;
}

/* The touched dependent dof that was eliminated first: its masters may only depend on later rows. */
static hk_index earliest_dependent(const work *w)
{
  hk_index best = -1;
  for (hk_count k = 0; k < w->touched.count; k++) {
    const hk_index d = w->touched.at[k];
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
  hk_index d;
  while ((d = earliest_dependent(w)) >= 0) {
    const dependent row = w->row.at[w->holder[d] - 1];
    const double c = w->sum[d];
    w->sum[d] = 0;
    subtract(w, c * row.offset);
    for (hk_count k = row.begin; k < row.end; k++)
      HK_PASS(add_term(w, w->term.at[k].dof, c * w->term.at[k].coefficient));
  }
  for (hk_count k = 0; k < w->touched.count; k++) {
    d = w->touched.at[k];
    if (w->holder[d] != -1) continue;
    subtract(w, w->sum[d] * w->fixed[d]);
    w->sum[d] = 0;
  }
  return HK_OK;
}

static hk_status store(work *w, hk_index pivot)
{
  const hk_count begin = w->term.count;
  HK_PASS(hk_list_more(&w->row));
  for (hk_count k = 0; k < w->touched.count; k++) {
    const hk_index d = w->touched.at[k];
    if (d == pivot || fabs(w->sum[d]) <= ROUNDING * w->largest) continue;
    HK_PASS(hk_list_more(&w->term));
    w->term.at[w->term.count++] = (hk_constraint_term){d, -w->sum[d] / w->sum[pivot]};
  }
  w->row.at[w->row.count++] = (dependent){pivot, begin, w->term.count, w->value / w->sum[pivot]};
  w->holder[pivot] = (hk_index)w->row.count;
  return HK_OK;
}

static hk_index pivot_of(const work *w)
{
  hk_index best = -1;
  for (hk_count k = 0; k < w->touched.count; k++) {
    const hk_index d = w->touched.at[k];
    if (fabs(w->sum[d]) <= ROUNDING * w->largest || w->holder[d] == -2) continue;
    const bool extra = d >= w->dofs, best_extra = best >= w->dofs;
    if (best < 0 || (extra && !best_extra) ||
        (extra == best_extra && fabs(w->sum[d]) > fabs(w->sum[best])))
      best = d;
  }
  return best;
}

static hk_status eliminate(work *w, const hk_constraint_row *r)
{
  empty(w);
  subtract(w, -r->value);
  for (const hk_constraint_term *t = w->rows->term.at + r->begin;
       t < w->rows->term.at + r->begin + r->terms; t++)
    HK_PASS(add_term(w, t->dof, t->coefficient));
  HK_PASS(reduce(w));
  const hk_index pivot = pivot_of(w);
  if (pivot >= 0) {
    HK_PASS(store(w, pivot));
  } else if (w->keep) {
    return HK_OK;
  } else if (fabs(w->value) <= 1e-9 * w->scale) {
    hk_messages_add(w->list, HK_WARNING, r->file, r->line, 0,
                    "this constraint follows from others and is left out");
  } else {
    hk_messages_add(
        w->list, HK_ERROR, r->file, r->line, 0,
        "this constraint contradicts others: together they require 0 = %g: remove one of them",
        w->value);
    if (!w->bad++)
      hk_error_set(HK_BAD_INPUT, "%s:%lld: this constraint contradicts others: remove one of them",
                   r->file ? r->file : "model", (long long)r->line);
  }
  return HK_OK;
}

static void take_single(work *w, const hk_constraint_row *r)
{
  const hk_constraint_term term = w->rows->term.at[r->begin];
  const hk_index d = term.dof;
  const double u = r->value / term.coefficient;
  if (w->keep) {
    w->holder[d] = -2;
    return;
  }
  if (w->holder[d] == -1 && w->fixed[d] != u && w->differing++ == 0)
    hk_messages_add(
        w->list, HK_WARNING, r->file, r->line, 0,
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
  memset(&done.row, 0, sizeof done.row);
  memset(&done.term, 0, sizeof done.term);
  for (hk_count i = 0; i < w->row.count; i++) w->holder[w->row.at[i].dof] = 0;
  for (hk_count i = w->row.count - 1; i >= 0; i--) {
    const dependent row = w->row.at[i];
    empty(&done);
    HK_TRY(add_term(&done, row.dof, 1));
    done.value = row.offset;
    for (hk_count k = row.begin; k < row.end; k++)
      HK_TRY(add_term(&done, w->term.at[k].dof, -w->term.at[k].coefficient));
    HK_TRY(reduce(&done));
    HK_TRY(store(&done, row.dof));
  }
cleanup:
  hk_free(&w->row.at);
  hk_free(&w->term.at);
  *w = done;
  return status;
}

/* The rows of the dofs [from, to), ascending. */
static hk_status collect(const work *w, hk_count from, hk_count to, hk_constraints *out)
{
  hk_status status = HK_OK;
  hk_constraints c = {0};
  hk_count entries = 0, count = 0;
  for (hk_count d = from; d < to; d++) {
    const hk_index h = w->holder[d];
    count += h != 0 && h != -2;
    if (h > 0) entries += w->row.at[h - 1].end - w->row.at[h - 1].begin;
  }
  HK_TRY(create(to - from, count, entries, &c));
  count = entries = 0;
  for (hk_count d = from; d < to; d++) {
    const hk_index h = w->holder[d];
    if (h == 0 || h == -2) continue;
    c.dof[count] = (hk_index)d;
    const dependent row = h > 0 ? w->row.at[h - 1] : (dependent){.offset = w->fixed[d]};
    c.offset[count] = row.offset;
    for (hk_count k = row.begin; k < row.end; k++) {
      const hk_constraint_term term = w->term.at[k];
      if (term.dof >= w->dofs && !w->keep)
        continue; /* nothing holds it, and nothing depends on it: 0 */
      c.master[entries] = term.dof;
      c.weight[entries++] = term.coefficient;
    }
    c.begin[++count] = (hk_index)entries;
  }
  *out = c, c = (hk_constraints){0};
cleanup:
  hk_constraints_clear(&c);
  return status;
}

static hk_status build(work *w)
{
  const hk_constraint_row *row = w->rows->row.at, *end = row + w->rows->row.count;
  HK_PASS(hk_pool_get(&w->pool, &w->sum, w->all));
  HK_PASS(hk_pool_get(&w->pool, &w->in, w->all));
  HK_PASS(hk_pool_get(&w->pool, &w->fixed, w->all));
  HK_PASS(hk_pool_get(&w->pool, &w->holder, w->all));
  for (const hk_constraint_row *r = row; r < end; r++)
    if (r->terms == 1) take_single(w, r);
  for (const hk_constraint_row *r = row; r < end; r++)
    if (r->terms != 1) HK_PASS(eliminate(w, r));
  if (w->differing > 1)
    hk_messages_add(w->list, HK_WARNING, NULL, 0, 0, "%lld degrees of freedom are prescribed twice",
                    (long long)w->differing);
  return w->bad ? HK_BAD_INPUT : substitute(w);
}

static void clear_work(work *w)
{
  hk_free(&w->row.at);
  hk_free(&w->term.at);
  hk_pool_clear(&w->pool);
}

hk_status hk_constraints_build(const hk_constraint_rows *rows, hk_count dofs, hk_count extra,
                               hk_messages *list, hk_constraints *out, hk_constraints *extras)
{
  hk_status status = HK_OK;
  work w = {.rows = rows, .dofs = dofs, .all = dofs + extra, .list = list};
  hk_constraints c = {0};
  HK_TRY(build(&w));
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
  HK_TRY(build(&w));
  HK_TRY(collect(&w, 0, w.all, out));
cleanup:
  clear_work(&w);
  return status;
}
