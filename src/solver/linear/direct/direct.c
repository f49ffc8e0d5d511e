/* Static solves by factors, A = L L^T, of an A that is not symmetric A = L U, with refinement: u += A^-1 T^T (f - K u) until corrections or residuals are small.
 * A comes from K in rows (make_sparse), dense on the device (make_dense), or dense and converted (convert). A dense K also gives the part of
 * prescribed values in the right side (eliminate), and the first solution is that of its own system (solve_eliminated). Diagonal blocks are minus the sum
 * of the others (balance), as operators apply K: a translation gives no force to the last digit. Unknowns are ordered by METIS, reverse
 * Cuthill-McKee or the library, from the graph of the nodes (order_nodes). */
#include "solver/linear/direct/direct.h"
#include "device/library.h"
#include "graph/cuthill.h"
#include "graph/metis.h"
#include "operator/assembly/assembled.h"
#include "solver/linear/product.h"
#include "solver/linear/scale.h"
#include "solver/linear/words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* order[rows] of a pattern; *order stays NULL where the library is to order. */
static hk_status order_pattern(const char *name, hk_index rows, const hk_count *begin,
                               const hk_index *column, hk_index **order)
{
  const int word = hk_ordering_of(name);
  const bool choose = word == HK_ORDERING_AUTO;
  if (choose && !hk_metis_available()) return HK_OK;
  HK_PASS(hk_get(order, rows));
  if (choose || word == HK_ORDERING_METIS) return hk_order_metis(rows, begin, column, *order);
  if (word == HK_ORDERING_RCM) return hk_order_rcm(rows, begin, column, *order);
  HK_NEED(word == HK_ORDERING_NATURAL, HK_USAGE,
          "unknown ordering %s: give auto, metis, rcm or natural", name);
  for (hk_index k = 0; k < rows; k++) (*order)[k] = k;
  return HK_OK;
}

/* order[n] of the unknowns dof[n] from one of their nodes' graph. */
static hk_status order_nodes(const char *name, const hk_csr *k, hk_index n, const hk_index *dof,
                             hk_index **order)
{
  hk_status status = HK_OK;
  hk_index *node = NULL, *first = NULL, count = 0;
  HK_TRY(order_pattern(name, (hk_index)k->rows, k->begin, k->column, &node));
  if (!node) return HK_OK;
  HK_TRY(hk_get(&first, k->rows + 1));
  HK_TRY(hk_get(order, n));
  for (hk_index i = 0; i < n; i++) first[dof[i] / k->components + 1]++;
  for (hk_count i = 0; i < k->rows; i++) first[i + 1] += first[i];
  for (hk_count i = 0; i < k->rows; i++)
    for (hk_index p = first[node[i]]; p < first[node[i] + 1]; p++) (*order)[count++] = p;
cleanup:
  hk_free(&node);
  hk_free(&first);
  return status;
}

/* K_ii = -sum over j of K_ij, as operators apply it: a translation gives no force, to the last digit. On slender bodies the rounding of a
 * sum of its own would be as large as what bends them. */
static void balance(bool differences, const hk_csr *k)
{
  const int c = k->components, size = c * c;
  if (!differences)
    return; /* heat, coupled equations, axisymmetric solids: operators apply K_ii itself */
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < k->rows; i++) {
    double sum[9] = {0}, *own = NULL;
    for (hk_count e = k->begin[i]; e < k->begin[i + 1]; e++) {
      double *block = k->block + e * size;
      if (k->column[e] == i) own = block;
      for (int q = 0; k->column[e] != i && q < size; q++) sum[q] -= block[q];
    }
    for (int q = 0; own && q < size; q++) own[q] = (sum[q] + sum[q % c * c + q / c]) / 2;
  }
}

static const hk_words *words_of(const hk_direct *d)
{
  return hk_reduced_words(d->a);
}

static double lap(const hk_direct *d, double *start)
{
  const double now = hk_device_seconds(d->a->op->desc.device), seconds = now - *start;
  *start = now;
  return seconds;
}

/* What comes next need not be begun. */
static hk_status look_at_stop(const hk_direct_desc *desc)
{
  return desc->factor.stop && desc->factor.stop(desc->factor.user)
             ? hk_error_set(HK_STOPPED, "stopped before the factorisation")
             : HK_OK;
}

static hk_status make_sparse(const hk_direct_desc *desc, hk_direct *d, hk_factor_matrix *m)
{
  hk_status status = HK_OK;
  const hk_operator_desc *on = &desc->a->op->desc;
  hk_csr k = {0};
  double start = hk_device_seconds(d->a->op->desc.device);
  HK_TRY(hk_csr_find(desc->a->op, on, &k));
  balance(hk_operator_differences(on), &k);
  HK_TRY(hk_free_matrix_create(&k, desc->constraints, desc->factor.unsymmetric, &m->entries));
  d->n = m->entries.n, d->dof = m->entries.dof, m->entries.dof = NULL;
  d->stages.assembly = lap(d, &start);
  HK_TRY(look_at_stop(desc));
  if (!hk_factor_on_device(&desc->factor, false))
    HK_TRY(order_nodes(desc->ordering, &k, d->n, d->dof, &m->order));
  d->stages.ordering = lap(d, &start);
cleanup:
  hk_csr_clear(&k);
  return status;
}

/* A copy for the host's library, where the device has none and its memory is not the host's. */
static hk_status check_copy(const hk_direct_desc *desc, const hk_operator_desc *on)
{
  const double n = (double)on->space->padded * on->space->components,
               need = hk_dense_bytes(n, true), room = (double)hk_memory_available();
  if (hk_factor_on_device(&desc->factor, true) || !hk_device_describe(on->device)->own_memory)
    return HK_OK;
  HK_NEED(need <= room, HK_NO_RESOURCES,
          "a dense matrix of %.0f unknowns needs %.3f GB of host memory, and %.3f GB are free: "
          "use the method cholesky or cg",
          n, need / 1e9, room / 1e9);
  return HK_OK;
}

/* The four steps of Keating's section 2.4.3 on the device, with the right side 0: the steps are linear in it, and loads come with solutions.
 * lift_i = -sum of a_ij U_j, lift_j = U_j, where values U_j are near 1. */
static hk_status eliminate(const hk_direct_desc *desc, hk_dense *k, hk_direct *d)
{
  hk_status status = HK_OK;
  const hk_reduced *a = desc->a;
  const double *offset = desc->constraints->offset;
  hk_pool pool = {0};
  hk_buffer *b = NULL, *value = NULL;
  double *scaled;
  for (hk_index i = 1; i < a->count; i++)
    if (fabs(offset[i]) > fabs(offset[d->largest])) d->largest = i;
  if (a->count && offset[d->largest] != 0) {
    HK_TRY(hk_pool_get(&pool, &scaled, a->count));
    hk_scale_by(-hk_scale_find(offset, a->count), offset, a->count, scaled);
    d->prescribed = scaled[d->largest];
    HK_TRY(hk_buffer_send(&pool, k->device, a->count * 8LL, scaled, &value));
    HK_TRY(hk_buffer_get(&pool, k->device, k->n * 8LL, &b));
    HK_TRY(hk_pool_get(&d->pool, &d->lift, k->n));
  }
  HK_TRY(hk_dense_eliminate(k, &(hk_dense_held){a->count, a->dof, value}, b));
  if (b) HK_TRY(hk_buffer_read(b, 0, k->n * 8LL, d->lift));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* A of all degrees of freedom: what is not free has a one on the diagonal. */
static hk_status make_dense(const hk_direct_desc *desc, hk_direct *d, hk_dense **out)
{
  hk_status status = HK_OK;
  const hk_reduced *a = desc->a;
  hk_operator_desc on = a->op->desc;
  hk_dense *k = NULL;
  on.double_precision = true;
  if (desc->way == HK_DIRECT_DENSE) HK_TRY(check_copy(desc, &on));
  HK_TRY(hk_dense_assemble(&on, true, &k));
  double start = hk_device_seconds(d->a->op->desc.device);
  if (!a->plain)
    HK_TRY(hk_dense_fold(k, &(hk_dense_masters){a->masters, a->master_dof, a->master_begin,
                                                a->dependent, a->master_weight}));
  HK_TRY(eliminate(desc, k, d));
  d->n = k->n;
  HK_TRY(hk_get(&d->dof, d->n));
  for (hk_index i = 0; i < d->n; i++) d->dof[i] = i;
  d->stages.transfer = k->seconds_transfer, d->stages.elements = k->seconds_elements;
  d->stages.assembly = k->seconds_assembly + lap(d, &start);
  *out = k, k = NULL;
cleanup:
  hk_dense_destroy(&k);
  return status;
}

/* The lower triangle of rows on the device, of an unsymmetric matrix all of them, and the order of its unknowns. */
static hk_status read_rows(const hk_direct_desc *desc, const hk_dense_rows *rows, hk_direct *d,
                           hk_factor_matrix *m)
{
  hk_status status = HK_OK;
  const bool whole = desc->factor.unsymmetric;
  hk_free_matrix *e = &m->entries;
  hk_pool pool = {0};
  hk_count *begin;
  hk_index *column;
  double *value, start = hk_device_seconds(d->a->op->desc.device);
  HK_TRY(hk_pool_get(&pool, &begin, (hk_count)rows->n + 1));
  HK_TRY(hk_pool_get(&pool, &column, rows->entries));
  HK_TRY(hk_pool_get(&pool, &value, rows->entries));
  HK_TRY(hk_buffer_read(rows->begin, 0, ((hk_count)rows->n + 1) * 8, begin));
  HK_TRY(hk_buffer_read(rows->column, 0, rows->entries * 4, column));
  HK_TRY(hk_buffer_read(rows->value, 0, rows->entries * 8, value));
  HK_TRY(hk_get(&e->row, rows->entries));
  HK_TRY(hk_get(&e->column, rows->entries));
  HK_TRY(hk_get(&e->value, rows->entries));
  e->n = rows->n;
  for (hk_index i = 0; i < rows->n; i++)
    for (hk_count q = begin[i]; q < begin[i + 1] && (whole || column[q] <= i); q++) {
      e->row[e->entries] = i + 1, e->column[e->entries] = column[q] + 1;
      e->value[e->entries++] = value[q];
    }
  d->stages.conversion += lap(d, &start);
  HK_TRY(order_pattern(desc->ordering, rows->n, begin, column, &m->order));
  d->stages.ordering = lap(d, &start);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status convert(const hk_direct_desc *desc, hk_dense **dense, hk_direct *d,
                         hk_factor_matrix *m)
{
  hk_status status = HK_OK;
  hk_dense_rows rows = {0};
  double start = hk_device_seconds(d->a->op->desc.device);
  HK_TRY(hk_dense_to_rows(*dense, &rows));
  hk_dense_destroy(dense);
  d->stages.conversion = lap(d, &start);
  if (hk_factor_on_device(&desc->factor, false))
    m->rows = rows, rows = (hk_dense_rows){0};
  else
    HK_TRY(read_rows(desc, &rows, d, m));
cleanup:
  hk_dense_rows_clear(&rows);
  return status;
}

static hk_status make_matrix(const hk_direct_desc *desc, hk_direct *d, hk_factor_matrix *m)
{
  if (desc->way == HK_DIRECT_SPARSE) return make_sparse(desc, d, m);
  HK_PASS(make_dense(desc, d, &m->dense));
  HK_PASS(look_at_stop(desc));
  if (desc->way == HK_DIRECT_CONVERTED) HK_PASS(convert(desc, &m->dense, d, m));
  return HK_OK;
}

/* That the factors of a GPU's method are made beside it. */
static void tell_place(const hk_direct_desc *desc, hk_direct *d)
{
  const bool dense = desc->way == HK_DIRECT_DENSE;
  const char *why;
  if (desc->factor.host || hk_factor_on_device(&desc->factor, dense) ||
      !hk_device_has_libraries(desc->factor.device))
    return;
  if (!hk_device_library_there(desc->factor.device, dense ? HK_LIBRARY_DENSE : HK_LIBRARY_CUDSS,
                               &why))
    snprintf(d->note, sizeof d->note, "%s: the host computes the factors", why);
}

hk_status hk_direct_create(const hk_direct_desc *desc, hk_direct *d)
{
  hk_status status = HK_OK;
  const hk_operator_desc *on = &desc->a->op->desc;
  const hk_count real = on->double_precision ? 8 : 4;
  hk_factor_matrix m = {0};
  d->a = desc->a, d->constraints = desc->constraints;
  HK_TRY(hk_factor_check(&desc->factor, desc->way == HK_DIRECT_DENSE));
  tell_place(desc, d);
  HK_TRY(make_matrix(desc, d, &m));
  double start = hk_device_seconds(d->a->op->desc.device);
  if (d->n) status = hk_factor_create(&desc->factor, &m, &d->factor);
  if (status == HK_NOT_CONVERGED) hk_error_set(status, "%s; %s", hk_error(), words_of(d)->remedy);
  HK_TRY(status);
  d->stages.factors = lap(d, &start);
  HK_TRY(hk_buffer_get(&d->pool, on->device, desc->a->dofs * real, &d->x));
  HK_TRY(hk_buffer_get(&d->pool, on->device, desc->a->dofs * real, &d->q));
  HK_TRY(hk_pool_get(&d->pool, &d->r, desc->a->dofs));
  HK_TRY(hk_pool_get(&d->pool, &d->b, d->n));
cleanup:
  hk_factor_matrix_clear(&m);
  return status;
}

void hk_direct_destroy(hk_direct *d)
{
  hk_factor_destroy(&d->factor);
  hk_free(&d->dof);
  hk_pool_clear(&d->pool);
  *d = (hk_direct){0};
}

static hk_status find_residual(hk_direct *d, const double *f, const double *u, double *norm)
{
  return hk_residual(d->a->op, d->constraints, d->x, d->q, f, u, d->r, norm);
}

/* u += A^-1 b; *size: the largest component of the correction. There is no factor where no unknown is free. */
static hk_status add_solution(hk_direct *d, double *u, double *size)
{
  *size = 0;
  if (d->factor) HK_PASS(hk_factor_solve(d->factor, d->b));
  for (hk_index i = 0; i < d->n; i++) {
    u[d->dof[i]] += d->b[i];
    *size = hk_larger(*size, fabs(d->b[i]));
  }
  if (!d->a->plain) hk_constraints_apply(d->constraints, u);
  return HK_OK;
}

static hk_status correct(hk_direct *d, double *u, double *size)
{
  for (hk_index i = 0; i < d->n; i++) d->b[i] = d->r[d->dof[i]];
  return add_solution(d, u, size);
}

/* The prescribed values as a multiple of those that lift is made of: the caller scales them all, or holds all at 0. */
static double find_multiple(const hk_direct *d)
{
  return d->lift ? d->constraints->offset[d->largest] / d->prescribed : 0;
}

/* u = A^-1 b with b_i = (T^T f)_i - sum of a_ij U_j, b_j = U_j (Keating, section 2.4.3); U_j is `multiple` times that of lift. */
static hk_status solve_eliminated(hk_direct *d, double multiple, const double *f, double *u,
                                  double *size)
{
  memcpy(d->r, f, (size_t)d->n * sizeof *f);
  hk_constraints_transpose(d->constraints, d->r);
  for (hk_index i = 0; i < d->n; i++) d->b[i] = d->r[i] + multiple * d->lift[i], u[i] = 0;
  return add_solution(d, u, size);
}

/* Of slender bodies corrections still shrink where residuals, all rounding, do not. */
hk_status hk_direct_solve(hk_direct *d, double tolerance, const double *f, double *u,
                          hk_linear_report *report)
{
  enum { MOST_CORRECTIONS = 10 };
  double scale, norm, size, size_before = INFINITY;
  HK_PASS(hk_get(&report->history, MOST_CORRECTIONS + 1));
  HK_PASS(find_residual(d, f, u, &scale));
  HK_NEED(isfinite(scale), HK_NOT_CONVERGED, "the load or the prescribed %s is not a finite number",
          words_of(d)->value);
  report->residual = report->history[0] = scale > 0, report->history_count = 1;
  while (!(report->residual <= tolerance)) {
    const double before = report->residual, multiple = report->iterations ? 0 : find_multiple(d);
    HK_PASS(multiple != 0 ? solve_eliminated(d, multiple, f, u, &size) : correct(d, u, &size));
    HK_PASS(find_residual(d, f, u, &norm));
    report->residual = report->history[report->history_count++] = norm / scale;
    report->iterations++;
    HK_NEED(report->residual <= tolerance ||
                ((report->residual < 0.5 * before || size < 0.5 * size_before) &&
                 report->iterations < MOST_CORRECTIONS),
            HK_NOT_CONVERGED,
            "the residual of the direct solution is %.3g, the tolerance %.3g: %s is singular or "
            "nearly so; %s",
            report->residual, tolerance, words_of(d)->matrix, words_of(d)->remedy);
    size_before = size;
  }
  return HK_OK;
}

hk_count hk_direct_bytes(const hk_direct *d)
{
  if (!d->a) return 0;
  const hk_count vectors =
      2 * hk_buffer_bytes(d->x) + d->a->dofs * 8 + d->n * (d->lift ? 16LL : 8LL);
  return d->factor ? vectors + hk_factor_bytes(d->factor) : vectors;
}

const char *hk_direct_name(const hk_direct *d)
{
  return d->factor ? hk_factor_name(d->factor) : "no unknown is free";
}
