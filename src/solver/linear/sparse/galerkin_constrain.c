/* a = T^T a T on a device: T is built on the host as rows of blocks (a free degree of freedom is itself, a dependent one
 * its masters with weights, a held one an empty row), sent, and multiplied from both sides by the products of galerkin.h.
 * Rows and columns of dependent degrees of freedom end up zero. Where ranks share the rows of a, each makes its own of a T, and sends those of nodes
 * that depend on nodes of others to these, which make their rows of T^T (a T). */
#include "solver/linear/sparse/galerkin.h"
#include "solver/linear/sparse/shared_rows.h"
#include <string.h>

/* Adds to row i of T, whose entries so far end at *end, ascending. */
static void add_to_row(hk_block_matrix *t, hk_index i, hk_count *end, hk_index column, int place,
                       double value)
{
  const int size = t->height * t->width;
  hk_count e = t->begin[i];
  while (e < *end && t->column[e] < column) e++;
  if (e == *end || t->column[e] != column) {
    memmove(t->column + e + 1, t->column + e, (size_t)(*end - e) * sizeof *t->column);
    memmove(t->block + (e + 1) * size, t->block + e * size,
            (size_t)((*end - e) * size) * sizeof *t->block);
    memset(t->block + e * size, 0, (size_t)size * sizeof *t->block);
    t->column[e] = column;
    ++*end;
  }
  t->block[e * size + place] += value;
}

/* T as blocks of the host: free degrees of freedom themselves, dependent ones their masters. */
static hk_status find_reduction(const hk_constraints *c, int n, hk_block_matrix *t)
{
  const hk_index nodes = (hk_index)(c->dofs / n);
  hk_index next = 0;
  hk_count end = 0;
  *t = (hk_block_matrix){.rows = nodes, .columns = nodes, .height = n, .width = n};
  HK_PASS(hk_get(&t->begin, (hk_count)nodes + 1));
  HK_PASS(hk_get(&t->column, nodes + (hk_count)c->begin[c->count]));
  HK_PASS(hk_get(&t->block, (nodes + (hk_count)c->begin[c->count]) * n * n));
  for (hk_index i = 0; i < nodes; i++) {
    t->begin[i] = end;
    for (int k = 0; k < n; k++) {
      const bool dependent = next < c->count && c->dof[next] == (hk_count)i * n + k;
      add_to_row(t, i, &end, i, k * (n + 1), dependent ? 0 : 1);
      for (hk_index q = dependent ? c->begin[next] : 0; dependent && q < c->begin[next + 1]; q++)
        add_to_row(t, i, &end, c->master[q] / n, k * n + c->master[q] % n, c->weight[q]);
      next += dependent;
    }
  }
  t->begin[nodes] = end;
  return HK_OK;
}

/* Rows of a T that own rows of T^T read of others; of T^T own rows. */
static hk_status share_reduction(hk_galerkin_tools *tools, const hk_sharing *share,
                                 const hk_galerkin_matrix *t, hk_galerkin_matrix *product,
                                 hk_galerkin_matrix *transposed)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_row_list *list;
  HK_TRY(hk_ranks_agree(hk_shared_by_columns(share, share, tools, t, &pool, &list)));
  HK_TRY(hk_shared_send(share, tools, list, product));
  HK_TRY(hk_shared_keep(tools, hk_sharing_first(share), hk_sharing_end(share), transposed));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* a = T^T a T */
static hk_status reduce(hk_galerkin_tools *tools, const hk_constraints *c, const hk_sharing *share,
                        hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_block_matrix rows = {0};
  hk_galerkin_matrix t = {0}, transposed = {0}, product = {0};
  HK_TRY(find_reduction(c, a->height, &rows));
  HK_TRY(hk_galerkin_send(tools->device, &rows, &t));
  HK_TRY(hk_galerkin_multiply(tools, a, &t, NULL, &product));
  HK_TRY(hk_galerkin_transpose(tools, &t, &transposed));
  if (share) HK_TRY(share_reduction(tools, share, &t, &product, &transposed));
  hk_galerkin_clear(a);
  HK_TRY(hk_galerkin_multiply(tools, &transposed, &product, NULL, a));
cleanup:
  hk_block_matrix_clear(&rows);
  hk_galerkin_clear(&t);
  hk_galerkin_clear(&transposed);
  hk_galerkin_clear(&product);
  return status;
}

hk_status hk_galerkin_constrain(hk_galerkin_tools *tools, const hk_constraints *c,
                                const hk_sharing *share, hk_galerkin_matrix *a)
{
  return c->count && c->begin[c->count] ? reduce(tools, c, share, a)
                                        : hk_galerkin_hold(tools, c->dof, c->count, a);
}
