/* Springs between pairs of nodes (W.21) behind any form's kernels: f_i = sum_j k_ij (u_j - u_i), one row per node, rows in a fixed order.
 * With damping, increments before the step are kept (springs_before), so that the loss counts the whole increment.
 * hk_springs_bound adds to the bound of the time step: each spring has at most |k| (1/m_0 + 1/m_1), masses shared out by norms. */
#include "operator/springs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 128 }; /* of a group; what the host's variants are compiled for */

struct hk_springs {
  hk_index rows;
  hk_count base, groups; /* of the operator's: base, base + 1, ... are ours */
  hk_buffer *node, *begin, *other, *block, *before;
  int shots; /* that `before` is for */
  hk_kernel *step[HK_FORM_COUNT][2], *keep[HK_FORM_COUNT];
};

static int by_nodes(const void *p, const void *q)
{
  const hk_spring_end *a = p, *b = q;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->other != b->other) return a->other < b->other ? -1 : 1;
  return (a->spring > b->spring) - (a->spring < b->spring);
}

static hk_status send(hk_device *device, hk_count count, const hk_index *from, hk_buffer **out)
{
  hk_status status = HK_OK;
  HK_TRY(hk_buffer_create(device, count * (hk_count)sizeof *from, out));
  HK_TRY(hk_buffer_write(*out, 0, count * (hk_count)sizeof *from, from));
cleanup:
  return status;
}

static hk_status send_blocks(const hk_operator_desc *on, hk_count ends, const hk_spring_end *list,
                             hk_springs *s)
{
  hk_status status = HK_OK;
  const int dim = on->space->dim;
  double *block = NULL;
  HK_TRY(hk_get(&block, ends * dim * dim));
  for (hk_count p = 0; p < ends; p++)
    for (int c = 0; c < dim; c++)
      for (int d = 0; d < dim; d++)
        block[(p * dim + c) * dim + d] = on->spring[list[p].spring].k[c][d];
  HK_TRY(
      hk_buffer_create(on->device, ends * dim * dim * (on->double_precision ? 8 : 4), &s->block));
  HK_TRY(hk_buffer_write_reals(s->block, on->double_precision, 0, ends * dim * dim, block));
cleanup:
  hk_free(&block);
  return status;
}

static hk_status send_lists(const hk_operator_desc *on, hk_count ends, const hk_spring_end *list,
                            hk_springs *s)
{
  hk_status status = HK_OK;
  hk_index *node = NULL, *begin = NULL, *other = NULL, counted;
  HK_TRY(hk_narrow(ends * on->space->dim * on->space->dim, "springs", &counted));
  HK_TRY(hk_get(&node, ends));
  HK_TRY(hk_get(&begin, ends + 1));
  HK_TRY(hk_get(&other, ends));
  for (hk_count p = 0; p < ends; p++) {
    if (p == 0 || list[p].node != list[p - 1].node)
      node[s->rows] = list[p].node, begin[s->rows++] = (hk_index)p;
    other[p] = list[p].other;
  }
  begin[s->rows] = (hk_index)ends;
  HK_TRY(send(on->device, s->rows, node, &s->node));
  HK_TRY(send(on->device, s->rows + 1, begin, &s->begin));
  HK_TRY(send(on->device, ends, other, &s->other));
  HK_TRY(send_blocks(on, ends, list, s));
cleanup:
  hk_free(&node);
  hk_free(&begin);
  hk_free(&other);
  return status;
}

hk_status hk_springs_ends(const hk_operator_desc *on, hk_spring_end **out)
{
  const hk_index *internal = on->space->node;
  const hk_status status = hk_get(out, 2 * on->spring_count);
  if (status != HK_OK) return status;
  for (hk_count k = 0; k < on->spring_count; k++)
    for (int side = 0; side < 2; side++)
      (*out)[2 * k + side] = (hk_spring_end){.node = internal[on->spring[k].node[side]],
                                             .other = internal[on->spring[k].node[1 - side]],
                                             .spring = k};
  qsort(*out, (size_t)(2 * on->spring_count), sizeof **out, by_nodes);
  return HK_OK;
}

hk_count hk_springs_of(const hk_operator_desc *on, const hk_spring_end *end, hk_index node,
                       hk_count *first)
{
  hk_count low = 0, high = 2 * on->spring_count;
  while (low < high) {
    const hk_count middle = low + (high - low) / 2;
    if (end[middle].node < node)
      low = middle + 1;
    else
      high = middle;
  }
  *first = low;
  while (low < 2 * on->spring_count && end[low].node == node) low++;
  return low;
}

hk_status hk_springs_create(hk_operator *op, hk_springs **out)
{
  hk_status status = HK_OK;
  hk_springs *s = NULL;
  hk_spring_end *list = NULL;
  const hk_operator_desc *on = &op->desc;
  *out = NULL;
  if (!on->spring_count) return HK_OK;
  HK_CHECK(on->space->components == on->space->dim, HK_BAD_INPUT,
           "springs join displacements: heat conduction has none");
  HK_TRY(hk_new(&s));
  HK_TRY(hk_springs_ends(on, &list));
  HK_TRY(send_lists(on, 2 * on->spring_count, list, s));
  s->base = op->groups, s->groups = (s->rows + ROWS - 1) / ROWS;
  op->groups += s->groups;
  const hk_count bytes = hk_buffer_bytes(s->node) + hk_buffer_bytes(s->begin) +
                         hk_buffer_bytes(s->other) + hk_buffer_bytes(s->block);
  op->memory += bytes, op->bytes += bytes;
  *out = s, s = NULL;
cleanup:
  hk_free(&list);
  hk_springs_destroy(&s);
  return status;
}

void hk_springs_destroy(hk_springs **springs)
{
  hk_springs *s = *springs;
  if (!s) return;
  hk_buffer_destroy(&s->node);
  hk_buffer_destroy(&s->begin);
  hk_buffer_destroy(&s->other);
  hk_buffer_destroy(&s->block);
  hk_buffer_destroy(&s->before);
  for (int f = 0; f < HK_FORM_COUNT; f++) {
    hk_kernel_destroy(&s->keep[f]);
    for (int d = 0; d < 2; d++) hk_kernel_destroy(&s->step[f][d]);
  }
  hk_free(springs);
}

static hk_status create_kernel(const hk_operator *op, const char *function, hk_form form,
                               bool damped, hk_kernel **out)
{
  if (*out) return HK_OK;
  return hk_kernel_create(op->desc.device,
                          &(hk_kernel_desc){.text = "springs",
                                            .function = function,
                                            .early = true,
                                            .double_precision = op->desc.double_precision,
                                            .define = {{"DAMPED", damped},
                                                       {"DIM", op->desc.space->dim},
                                                       {"FORM", (int)form},
                                                       {"ROWS", ROWS}}},
                          out);
}

hk_status hk_springs_bind(hk_operator *op, hk_form form, bool damped, int shots)
{
  hk_status status = HK_OK;
  hk_springs *s = op->springs;
  if (!s) return HK_OK;
  HK_TRY(create_kernel(op, "springs_step", form, damped, &s->step[form][damped]));
  if (!damped || form == HK_FORM_STORE) goto cleanup;
  HK_TRY(create_kernel(op, "springs_before", form, true, &s->keep[form]));
  if (shots > s->shots) {
    hk_buffer_destroy(&s->before);
    HK_TRY(hk_buffer_create(op->desc.device,
                            (hk_count)shots * s->rows * op->desc.space->dim *
                                (op->desc.double_precision ? 8 : 4),
                            &s->before));
    s->shots = shots;
  }
cleanup:
  return status;
}

hk_status hk_springs_before(const hk_operator *op, const hk_epilogue *epilogue)
{
  const hk_springs *s = op->springs;
  hk_argument argument[HK_STATE_ARGUMENTS + 4], *own = argument + HK_STATE_ARGUMENTS;
  if (!s || !epilogue->damped || epilogue->form == HK_FORM_STORE) return HK_OK;
  hk_epilogue_arguments(op, epilogue, argument);
  own[0] = hk_arg_buffer(s->node), own[1] = hk_arg_buffer(s->before);
  own[2] = hk_arg_int(s->rows), own[3] = hk_arg_int((int32_t)s->base);
  return hk_epilogue_launch(epilogue, s->keep[epilogue->form], s->base, s->groups, argument,
                            HK_STATE_ARGUMENTS + 4);
}

hk_status hk_springs_apply(const hk_operator *op, const hk_epilogue *epilogue)
{
  const hk_springs *s = op->springs;
  hk_argument argument[HK_STATE_ARGUMENTS + 7], *own = argument + HK_STATE_ARGUMENTS;
  if (!s) return HK_OK;
  hk_epilogue_arguments(op, epilogue, argument);
  own[0] = hk_arg_buffer(s->node), own[1] = hk_arg_buffer(s->begin);
  own[2] = hk_arg_buffer(s->other), own[3] = hk_arg_buffer(s->block);
  own[4] = hk_arg_buffer(s->before);
  own[5] = hk_arg_int(s->rows), own[6] = hk_arg_int((int32_t)s->base);
  return hk_epilogue_launch(epilogue, s->step[epilogue->form][epilogue->damped], s->base, s->groups,
                            argument, HK_STATE_ARGUMENTS + 7);
}

/* The row sum that bounds the largest eigenvalue of a symmetric matrix. */
static double norm_of(const double k[3][3])
{
  double most = 0;
  for (int c = 0; c < 3; c++) most = fmax(most, fabs(k[c][0]) + fabs(k[c][1]) + fabs(k[c][2]));
  return most;
}

/* The element theorem, with each node's mass shared out to its springs by their norms: a spring k with masses m_0, m_1 has at most
 * |k| (1 / m_0 + 1 / m_1). */
hk_status hk_springs_bound(const hk_mesh *mesh, hk_count count, const hk_spring *spring,
                           const double *mass, double *lambda)
{
  hk_status status = HK_OK;
  double *sum = NULL;
  *lambda = 0;
  HK_TRY(hk_get(&sum, count ? mesh->node_count : 0));
  for (hk_count k = 0; k < count; k++)
    for (int side = 0; side < 2; side++) sum[spring[k].node[side]] += norm_of(spring[k].k);
  for (hk_count k = 0; k < count; k++) {
    const hk_index *n = spring[k].node;
    *lambda = fmax(*lambda, sum[n[0]] / mass[n[0]] + sum[n[1]] / mass[n[1]]);
  }
cleanup:
  hk_free(&sum);
  return status;
}
