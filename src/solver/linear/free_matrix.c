/* Entries of A = T^T K T over the free degrees of freedom, lower triangle or all, from K in rows of blocks (hk_csr).
 * A degree of freedom goes to itself (free), to nothing (held) or to its masters with weights: an entry K_ij becomes
 * weight_p K_ij weight_q at each pair of masters p, q. Counted first, then filled; several entries of one place add up (hk_free_matrix_rows). */
#include "solver/linear/free_matrix.h"

/* Where each degree of freedom goes: column i of T^T. */
typedef struct image {
  const hk_constraints *constraints;
  /* place[dofs]: k >= 0: free, number k; -1: held, no row; -2 - i: constraint i */
  const hk_index *place;
  bool whole; /* entries above the diagonal too */
} image;

typedef struct terms {
  hk_index count, free;
  const hk_index *master;
  const double *weight;
} terms;

static terms image_of(const image *t, hk_count dof)
{
  static const double one = 1;
  const hk_index place = t->place[dof];
  if (place >= 0) return (terms){1, place, NULL, &one};
  if (place == -1) return (terms){0};
  const hk_constraints *c = t->constraints;
  const hk_index i = -2 - place;
  return (terms){c->begin[i + 1] - c->begin[i], 0, c->master + c->begin[i],
                 c->weight + c->begin[i]};
}

static hk_index number_of(const image *t, const terms *of, hk_index k)
{
  return of->master ? t->place[of->master[k]] : of->free;
}

/* Entries of row `dof` of K; written where row is not NULL. */
static hk_count expand_row(const hk_csr *k, const image *t, hk_count dof, int32_t *row,
                           int32_t *column, double *value)
{
  const int c = k->components;
  const terms left = image_of(t, dof);
  hk_count n = 0;
  for (hk_count e = k->begin[dof / c]; left.count && e < k->begin[dof / c + 1]; e++)
    for (int d = 0; d < c; d++) {
      const terms right = image_of(t, (hk_count)k->column[e] * c + d);
      const double entry = k->block[(e * c + dof % c) * c + d];
      for (hk_index p = 0; p < left.count; p++)
        for (hk_index q = 0; q < right.count; q++) {
          const hk_index i = number_of(t, &left, p), j = number_of(t, &right, q);
          if (i < j && !t->whole) continue;
          if (row)
            row[n] = i + 1, column[n] = j + 1, value[n] = left.weight[p] * entry * right.weight[q];
          n++;
        }
    }
  return n;
}

static hk_status number(const hk_csr *k, const hk_constraints *c, hk_index *place,
                        hk_free_matrix *m)
{
  const hk_count dofs = k->rows * k->components;
  for (hk_count i = 0; i < dofs; i++)
    place[i] = k->begin[i / k->components + 1] > k->begin[i / k->components] ? 0 : -1;
  for (hk_index i = 0; i < c->count; i++) place[c->dof[i]] = -2 - i;
  for (hk_count i = 0; i < dofs; i++)
    if (place[i] == 0) place[i] = m->n++;
  HK_PASS(hk_get(&m->dof, m->n));
  for (hk_count i = 0; i < dofs; i++)
    if (place[i] >= 0) m->dof[place[i]] = (hk_index)i;
  return HK_OK;
}

static hk_status fill(const hk_csr *k, const image *t, hk_free_matrix *m)
{
  hk_status status = HK_OK;
  const hk_count dofs = k->rows * k->components;
  hk_count *begin = NULL;
  HK_TRY(hk_get(&begin, dofs + 1));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < dofs; i++) begin[i + 1] = expand_row(k, t, i, NULL, NULL, NULL);
  for (hk_count i = 0; i < dofs; i++) begin[i + 1] += begin[i];
  m->entries = begin[dofs];
  HK_TRY(hk_get(&m->row, m->entries));
  HK_TRY(hk_get(&m->column, m->entries));
  HK_TRY(hk_get(&m->value, m->entries));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < dofs; i++)
    expand_row(k, t, i, m->row + begin[i], m->column + begin[i], m->value + begin[i]);
cleanup:
  hk_free(&begin);
  return status;
}

static hk_status check_diagonal(const hk_csr *k, const hk_free_matrix *m)
{
  hk_status status = HK_OK;
  double *own = NULL;
  HK_TRY(hk_get(&own, m->n));
  for (hk_count e = 0; e < m->entries; e++)
    if (m->row[e] == m->column[e]) own[m->row[e] - 1] += m->value[e];
  for (hk_index i = 0; i < m->n; i++)
    HK_CHECK(own[i] > 0, HK_NOT_CONVERGED,
             "the matrix is singular: component %d of internal node %d has %g on the diagonal",
             (int)(m->dof[i] % k->components) + 1, (int)(m->dof[i] / k->components), own[i]);
cleanup:
  hk_free(&own);
  return status;
}

hk_status hk_free_matrix_create(const hk_csr *k, const hk_constraints *c, bool whole,
                                hk_free_matrix *out)
{
  hk_status status = HK_OK;
  hk_free_matrix m = {.whole = whole};
  hk_index *place = NULL;
  HK_TRY(hk_get(&place, k->rows * k->components));
  HK_TRY(number(k, c, place, &m));
  const image t = {c, place, whole};
  HK_TRY(fill(k, &t, &m));
  if (!whole) HK_TRY(check_diagonal(k, &m));
  *out = m, m = (hk_free_matrix){0};
cleanup:
  hk_free_matrix_clear(&m);
  hk_free(&place);
  return status;
}

void hk_free_matrix_clear(hk_free_matrix *m)
{
  hk_free(&m->dof);
  hk_free(&m->row);
  hk_free(&m->column);
  hk_free(&m->value);
  *m = (hk_free_matrix){0};
}

/* Entries of rows, in any order and several of a place. */
static hk_status spread(const hk_free_matrix *m, hk_rows_of *r)
{
  hk_status status = HK_OK;
  hk_count *to = NULL;
  HK_TRY(hk_get(&to, m->n));
  HK_TRY(hk_get(&r->begin, (hk_count)m->n + 1));
  for (hk_count e = 0; e < m->entries; e++) {
    r->begin[m->row[e]]++;
    if (m->row[e] != m->column[e] && !m->whole) r->begin[m->column[e]]++;
  }
  for (hk_index i = 0; i < m->n; i++) to[i] = r->begin[i], r->begin[i + 1] += r->begin[i];
  HK_TRY(hk_get(&r->column, r->begin[m->n]));
  HK_TRY(hk_get(&r->value, r->begin[m->n]));
  for (hk_count e = 0; e < m->entries; e++) {
    const hk_index i = m->row[e] - 1, j = m->column[e] - 1;
    r->column[to[i]] = j, r->value[to[i]++] = m->value[e];
    if (i != j && !m->whole) r->column[to[j]] = i, r->value[to[j]++] = m->value[e];
  }
cleanup:
  hk_free(&to);
  return status;
}

/* r := its transpose, rows ascending: a symmetric matrix is itself. */
static hk_status transpose(hk_rows_of *r)
{
  hk_status status = HK_OK;
  hk_rows_of t = {0};
  hk_count *to = NULL;
  HK_TRY(hk_get(&to, r->n));
  HK_TRY(hk_get(&t.begin, (hk_count)r->n + 1));
  HK_TRY(hk_get(&t.column, r->begin[r->n]));
  HK_TRY(hk_get(&t.value, r->begin[r->n]));
  for (hk_count e = 0; e < r->begin[r->n]; e++) t.begin[r->column[e] + 1]++;
  for (hk_index i = 0; i < r->n; i++) to[i] = t.begin[i], t.begin[i + 1] += t.begin[i];
  for (hk_index i = 0; i < r->n; i++)
    for (hk_count e = r->begin[i]; e < r->begin[i + 1]; e++) {
      const hk_index j = r->column[e];
      t.column[to[j]] = i, t.value[to[j]++] = r->value[e];
    }
  t.n = r->n;
  hk_rows_of_clear(r);
  *r = t, t = (hk_rows_of){0};
cleanup:
  hk_free(&to);
  hk_rows_of_clear(&t);
  return status;
}

static void add_up(hk_rows_of *r)
{
  hk_count kept = 0, end = 0;
  for (hk_index i = 0; i < r->n; i++) {
    const hk_count first = kept, from = end;
    end = r->begin[i + 1];
    for (hk_count e = from; e < end; e++)
      if (kept > first && r->column[kept - 1] == r->column[e])
        r->value[kept - 1] += r->value[e];
      else
        r->column[kept] = r->column[e], r->value[kept++] = r->value[e];
    r->begin[i + 1] = kept;
  }
}

hk_status hk_free_matrix_rows(const hk_free_matrix *m, hk_rows_of *out)
{
  hk_status status = HK_OK;
  hk_rows_of r = {.n = m->n};
  HK_TRY(spread(m, &r));
  HK_TRY(transpose(&r));
  if (m->whole) HK_TRY(transpose(&r));
  add_up(&r);
  *out = r, r = (hk_rows_of){0};
cleanup:
  hk_rows_of_clear(&r);
  return status;
}

void hk_rows_of_clear(hk_rows_of *r)
{
  hk_free(&r->begin);
  hk_free(&r->column);
  hk_free(&r->value);
  *r = (hk_rows_of){0};
}
