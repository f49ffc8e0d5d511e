/* Receivers along a cable (distributed acoustic sensing). The strain of a channel is the mean of t . strain . t over its gauge length, with t along the
 * cable. As t . strain . t = d(t . u)/ds on a straight piece, its integral is the difference of t . u between the ends of the piece:
 *
 *   strain = sum over pieces of  t . (u(to) - u(from)) / gauge                                   (E.15)
 *
 * u at an end is that of the shape functions there, in the solid where it meets a fluid, so a channel is one row of weights. */
#include "load/rows.h"
#include "run/explicit/stage.h"
#include <math.h>

/* The part of one end: sign -1 of `from`, 1 of `to`; t[3] over the gauge. */
static hk_status add_end(const hk_model *model, const hk_rows *rows, hk_index end, double sign,
                         const double t[3], hk_pool *pool, hk_deformation_rows *out)
{
  for (hk_count k = rows->begin[end]; k < rows->begin[end + 1]; k++) {
    HK_NEED(hk_model_acts(model, HK_SOLID, rows->node[k]), HK_BAD_INPUT,
            "the fibre ends a piece in an element of a fluid: a cable measures the strain of "
            "solids: move it into the solid");
    HK_PASS(hk_pool_more(pool, &out->entry));
    hk_deformation_entry *entry = &out->entry.at[out->entry.count++];
    *entry = (hk_deformation_entry){.node = rows->node[k]};
    for (int d = 0; d < model->mesh->dim; d++) entry->weight[0][d] = sign * rows->weight[k] * t[d];
  }
  return HK_OK;
}

static hk_status add_piece(const hk_model *model, const hk_fibre *fibre, hk_count piece,
                           const hk_rows *rows, hk_pool *pool, hk_deformation_rows *out)
{
  double t[3], length = 0;
  const double(*end)[3] = fibre->end[piece];
  for (int d = 0; d < 3; d++) t[d] = end[1][d] - end[0][d], length = hypot(length, t[d]);
  for (int d = 0; d < 3; d++) t[d] /= length * fibre->gauge;
  for (int k = 0; k < 2; k++)
    HK_PASS(add_end(model, rows, (hk_index)(2 * piece + k), k ? 1 : -1, t, pool, out));
  return HK_OK;
}

hk_status hk_fibre_rows(const hk_model *model, const hk_fibre *fibre, hk_count channels,
                        hk_pool *pool, hk_deformation_rows *out)
{
  hk_status status = HK_OK;
  hk_rows rows = {0};
  *out = (hk_deformation_rows){0};
  HK_TRY(hk_pool_get(pool, &out->begin, channels + 1));
  HK_TRY(hk_rows_of_points_in(model->mesh, model->media.fluid, false, 2 * fibre->begin[channels],
                              channels ? fibre->end[0][0] : NULL, &rows));
  for (hk_count i = 0; i < channels; i++) {
    for (hk_count p = fibre->begin[i]; p < fibre->begin[i + 1]; p++)
      HK_TRY(add_piece(model, fibre, p, &rows, pool, out));
    out->begin[i + 1] = out->entry.count;
  }
cleanup:
  hk_rows_clear(&rows);
  return status;
}
