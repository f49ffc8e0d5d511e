/* What the host does before a launch of an integration: it finds whether the coefficients c[i][j][a][b] of (I.4) are symmetric and whether some
 * act on the functions themselves (DIRECTIONS of points.k.h), lays out coordinates relative to the first corner, and, where the kernel does not,
 * computes the Jacobian terms dxi/dx and |J| of each point. It also sorts elements into sets of one order and colour. */
#include "operator/integration/parts.h"

static hk_count sets_of(const hk_integral_desc *d)
{
  return d->coefficients.spread == HK_SPREAD_SAME      ? 1
         : d->coefficients.spread == HK_SPREAD_ELEMENT ? d->elements
                                                       : d->elements * d->reference->points;
}

/* c[equations][equations][4][4]: whether the functions themselves have coefficients, and whether it is symmetric. */
static void examine(const double *c, int equations, bool *values, bool *symmetric)
{
  for (int i = 0; i < equations; i++)
    for (int j = 0; j < equations; j++)
      for (int k = 0; k < 16; k++) {
        const double here = c[(i * equations + j) * 16 + k];
        const double there = c[(j * equations + i) * 16 + k % 4 * 4 + k / 4];
        if (here != 0 && (k < 4 || k % 4 == 0)) *values = true;
        if (here != there) *symmetric = false;
      }
}

hk_status hk_integral_examine(hk_integral *t)
{
  const hk_coefficients *k = &t->desc.coefficients;
  bool values = false;
  HK_NEED(k->equations >= 1 && k->equations <= 5, HK_BAD_INPUT,
          "%d equations: coefficients have 1 to 5", k->equations);
  HK_NEED(!k->elastic || k->equations == 3, HK_BAD_INPUT,
          "isotropic elasticity has 3 equations, not %d", k->equations);
  t->constants = k->elastic ? 2 : k->equations * k->equations * 16;
  t->symmetric = true;
  for (hk_count s = 0; !k->elastic && s < sets_of(&t->desc); s++)
    examine(k->c + s * t->constants, k->equations, &values, &t->symmetric);
  t->directions = values || k->equations == 2 || k->equations > 3 ? 4 : 3;
  HK_NEED(t->desc.way < HK_INTEGRAL_PRODUCTS || k->spread != HK_SPREAD_POINT, HK_BAD_INPUT,
          "%s: the coefficients must be constant in each element; if they vary, use another "
          "method (auto)",
          hk_integral_way_name(t->desc.way));
  HK_NEED(t->desc.way != HK_INTEGRAL_FACTORISED || hk_integral_factors(t), HK_BAD_INPUT,
          "factorised integrates prisms of order p by their own rules; otherwise use another "
          "method (auto)");
  return HK_OK;
}

hk_status hk_integral_prepare(hk_integral *t, hk_count first, hk_count count)
{
  const hk_reference *r = t->desc.reference;
  const int corners = r->corners * 3;
  const bool given = t->plan.way < HK_INTEGRAL_POINTS && hk_integral_reads_jacobians(t);
  hk_count folded = -1;
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < count; e++) {
    const double *x = t->desc.x + (first + e) * corners;
    for (int k = 0; k < corners; k++) t->arrays.place[e * corners + k] = x[k] - x[k % 3];
    for (int q = 0; given && q < r->points; q++) {
      double *terms = t->arrays.terms + (e * r->points + q) * 10;
      hk_reference_jacobian(r, q, t->arrays.place + e * corners, terms);
      if (!(terms[9] > 0)) {
#pragma omp critical(hk_integral_folded)
        folded = first + e;
      }
    }
  }
  return folded < 0
             ? HK_OK
             : hk_error_set(
                   HK_BAD_INPUT,
                   "element %lld is folded: its Jacobian is not above 0 at a quadrature point",
                   (long long)folded + 1);
}

hk_status hk_integral_sets(hk_count count, const int8_t *order, const int32_t *colour,
                           hk_index **element, hk_index **set, hk_count *sets)
{
  hk_status status = HK_OK;
  hk_index *out = NULL, *begin = NULL;
  hk_count *at = NULL, colours = 1, used = 0;
  enum { ORDERS = 128 };
  for (hk_count e = 0; colour && e < count; e++)
    if (colour[e] >= colours) colours = (hk_count)colour[e] + 1;
  HK_TRY(hk_get(&out, count));
  HK_TRY(hk_get(&at, ORDERS * colours + 1));
  for (hk_count e = 0; e < count; e++) at[order[e] * colours + (colour ? colour[e] : 0) + 1]++;
  for (hk_count k = 0; k < ORDERS * colours; k++) used += at[k + 1] > 0;
  HK_TRY(hk_get(&begin, used + 1));
  *sets = 0;
  for (hk_count k = 0; k < ORDERS * colours; k++) {
    if (at[k + 1] > 0) begin[(*sets)++] = (hk_index)at[k];
    at[k + 1] += at[k];
  }
  begin[*sets] = (hk_index)count;
  for (hk_count e = 0; e < count; e++)
    out[at[order[e] * colours + (colour ? colour[e] : 0)]++] = (hk_index)e;
  *element = out, *set = begin, out = NULL, begin = NULL;
cleanup:
  hk_free(&out);
  hk_free(&begin);
  hk_free(&at);
  return status;
}
