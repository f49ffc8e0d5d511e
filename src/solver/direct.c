#include "solver/direct.h"
#include "graph/metis.h"
#include "operator/assembled.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* order[n] of the unknowns from nested dissection of the nodes' graph; NULL where METIS is not installed: MUMPS then orders. */
static hk_status find_order(const hk_csr *k, const hk_free_matrix *m, hk_index **order)
{
  hk_status status = HK_OK;
  hk_index *node = NULL, *first = NULL, n = 0;
  *order = NULL;
  if (!hk_metis_available()) return HK_OK;
  HK_TRY(hk_get(&node, k->rows));
  HK_TRY(hk_get(&first, k->rows + 1));
  HK_TRY(hk_get(order, m->n));
  HK_TRY(hk_order_metis((hk_index)k->rows, k->begin, k->column, node));
  for (hk_index i = 0; i < m->n; i++) first[m->dof[i] / k->components + 1]++;
  for (hk_count i = 0; i < k->rows; i++) first[i + 1] += first[i];
  for (hk_count i = 0; i < k->rows; i++)
    for (hk_index p = first[node[i]]; p < first[node[i] + 1]; p++) (*order)[n++] = p;
cleanup:
  hk_free(&node);
  hk_free(&first);
  return status;
}

/* K_ii = -sum over j of K_ij, as operators apply it: a translation gives no force, to the last digit. On slender bodies the rounding of a
 * sum of its own would be as large as what bends them. */
static void balance(const hk_csr *k)
{
  const int c = k->components, size = c * c;
  if (c == 1) return; /* heat, which faces exchange: operators apply K_ii itself */
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

hk_status hk_direct_create(const hk_reduced *a, hk_constraints *constraints, hk_direct *d)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &a->op->desc;
  const hk_count real = desc->double_precision ? 8 : 4;
  hk_csr k = {0};
  hk_index *order = NULL;
  d->a = a, d->constraints = constraints;
  HK_TRY(hk_csr_find(a->op, desc, &k));
  balance(&k);
  HK_TRY(hk_free_matrix_create(&k, constraints, &d->matrix));
  HK_TRY(find_order(&k, &d->matrix, &order));
  hk_csr_clear(&k);
  if (d->matrix.n)
    HK_TRY(
        hk_factor_create(&d->matrix, order, hk_device_describe(desc->device)->threads, &d->factor));
  for (hk_count i = 0; i < d->matrix.entries; i++)
    d->largest = fmax(d->largest, fabs(d->matrix.value[i]));
  hk_free(&d->matrix.row);
  hk_free(&d->matrix.column);
  hk_free(&d->matrix.value);
  HK_TRY(hk_buffer_create(desc->device, a->dofs * real, &d->x));
  HK_TRY(hk_buffer_create(desc->device, a->dofs * real, &d->q));
  HK_TRY(hk_get(&d->r, a->dofs));
  HK_TRY(hk_get(&d->b, d->matrix.n));
cleanup:
  hk_csr_clear(&k);
  hk_free(&order);
  return status;
}

void hk_direct_destroy(hk_direct *d)
{
  hk_factor_destroy(&d->factor);
  hk_free_matrix_clear(&d->matrix);
  hk_buffer_destroy(&d->x);
  hk_buffer_destroy(&d->q);
  hk_free(&d->r);
  hk_free(&d->b);
  *d = (hk_direct){0};
}

/* r = T^T (f - K u); its norm */
static hk_status find_residual(hk_direct *d, const double *f, const double *u, double *norm)
{
  hk_status status = HK_OK;
  const bool real = d->a->double_precision;
  double sum = 0;
  HK_TRY(hk_buffer_write_reals(d->x, real, 0, d->a->dofs, u));
  HK_TRY(
      hk_operator_apply(d->a->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = d->x, .out = d->q}));
  HK_TRY(hk_buffer_read_reals(d->q, real, 0, d->a->dofs, d->r));
  for (hk_count i = 0; i < d->a->dofs; i++) d->r[i] = f[i] - d->r[i];
  hk_constraints_transpose(d->constraints, d->r);
  for (hk_index i = 0; i < d->matrix.n; i++) sum += d->r[d->matrix.dof[i]] * d->r[d->matrix.dof[i]];
  *norm = sqrt(sum);
cleanup:
  return status;
}

static hk_status correct(hk_direct *d, double *u)
{
  hk_status status = HK_OK;
  for (hk_index i = 0; i < d->matrix.n; i++) d->b[i] = d->r[d->matrix.dof[i]];
  HK_TRY(hk_factor_solve(d->factor, d->b));
  for (hk_index i = 0; i < d->matrix.n; i++) u[d->matrix.dof[i]] += d->b[i];
  hk_constraints_apply(d->constraints, u);
cleanup:
  return status;
}

/* Slender bodies: f is small beside the parts that K u is the sum of, and its residual cannot come below their rounding. What is
 * singular has residuals that are not small even so. */
static bool at_rounding(const hk_direct *d, const double *u, double residual, double norm)
{
  double sum = 0;
  for (hk_index i = 0; i < d->matrix.n; i++) sum += u[d->matrix.dof[i]] * u[d->matrix.dof[i]];
  return d->a->double_precision
             ? residual <= 1e-5 && norm <= 1e-13 * d->largest * sqrt(sum)
             : residual <= 0.1 && norm <= 1e-5 * d->largest * sqrt(sum); /* factors are in double */
}

hk_status hk_direct_solve(hk_direct *d, double tolerance, const double *f, double *u,
                          hk_linear_report *report)
{
  enum { MOST_CORRECTIONS = 5 };
  hk_status status = HK_OK;
  double scale, norm;
  HK_TRY(hk_get(&report->history, MOST_CORRECTIONS + 1));
  HK_TRY(find_residual(d, f, u, &scale));
  HK_CHECK(isfinite(scale), HK_NOT_CONVERGED,
           "the load or the prescribed displacement is not a finite number");
  report->residual = report->history[0] = scale > 0, report->history_count = 1;
  while (!(report->residual <= tolerance)) {
    const double before = report->residual;
    HK_TRY(correct(d, u));
    HK_TRY(find_residual(d, f, u, &norm));
    report->residual = report->history[report->history_count++] = norm / scale;
    report->iterations++;
    HK_CHECK(
        report->residual <= tolerance ||
            (report->residual < 0.5 * before && report->iterations < MOST_CORRECTIONS) ||
            at_rounding(d, u, report->residual, norm),
        HK_NOT_CONVERGED,
        "residual %.3g of the direct solution, asked for %.3g: the stiffness matrix is singular or "
        "nearly so; is every part held?",
        report->residual, tolerance);
    if (!(report->residual < 0.5 * before) || report->iterations == MOST_CORRECTIONS) break;
  }
  if (report->residual > tolerance)
    snprintf(report->note, sizeof report->note,
             "residual %.2g of the direct solution: all that rounding in %s precision allows here",
             report->residual, d->a->double_precision ? "double" : "single");
cleanup:
  return status;
}

hk_count hk_direct_bytes(const hk_direct *d)
{
  if (!d->a) return 0;
  const hk_count vectors = 2 * hk_buffer_bytes(d->x) + d->a->dofs * 8 + d->matrix.n * 8LL;
  return d->factor ? vectors + hk_factor_bytes(d->factor) : vectors;
}

const char *hk_direct_name(const hk_direct *d)
{
  return d->factor ? hk_factor_name(d->factor) : "nothing is free";
}
