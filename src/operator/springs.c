/* Springs between pairs of nodes (W.21) behind the kernels of a form that does not hold them in its rows: f_i = sum_j k_ij (u_j - u_i), one row per node, rows in a fixed order.
 * With damping, increments before the step are kept (springs_before), so that the loss counts the whole increment. A group's rows are of one granule
 * (space/space.h), in the order of the whole numbering: losses are summed in the same groups whatever part of a model has them.
 * bound adds to the bound of the time step: each spring has at most |k| (1/m_0 + 1/m_1), masses shared out by norms. */
#include "operator/springs.h"
#include <math.h>
#include <stdlib.h>

enum { ROWS = 128 }; /* of a group; what the host's variants are compiled for */

typedef struct springs {
  hk_index rows;
  hk_count base, groups; /* of the operator's: base, base + 1, ... are ours */
  hk_buffer *node, *begin, *other, *block, *start, *before;
  int shots; /* that `before` is for */
  hk_kernel *step[HK_FORM_COUNT][HK_DAMPINGS], *keep[HK_FORM_COUNT];
  hk_pool pool; /* all these but `before` */
} springs;

const hk_spring *hk_springs_in(const hk_operator_desc *desc, hk_count *count)
{
  return hk_terms_find(&desc->terms, &hk_springs_kind, count);
}

static int by_nodes(const void *p, const void *q)
{
  const hk_spring_end *a = p, *b = q;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  return (a->spring > b->spring) - (a->spring < b->spring);
}

static int by_places(const void *p, const void *q)
{
  const hk_spring_end *a = p, *b = q;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return by_nodes(p, q);
}

static hk_status send_blocks(const hk_operator_desc *on, const hk_spring *spring, hk_count ends,
                             const hk_spring_end *list, springs *s)
{
  hk_status status = HK_OK;
  const int dim = on->space->dim;
  double *block = NULL;
  HK_TRY(hk_get(&block, ends * dim * dim));
  for (hk_count p = 0; p < ends; p++)
    for (int c = 0; c < dim; c++)
      for (int d = 0; d < dim; d++) block[(p * dim + c) * dim + d] = spring[list[p].spring].k[c][d];
  HK_TRY(hk_buffer_send_reals(&s->pool, on->device, on->double_precision, ends * dim * dim, block,
                              &s->block));
cleanup:
  hk_free(&block);
  return status;
}

/* Groups of the rows node[s->rows]: where each begins, and its first node. */
static hk_status send_groups(hk_operator *op, const hk_index *node, springs *s)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  hk_index *start = NULL, *first;
  HK_TRY(hk_get(&start, s->rows + 1));
  HK_TRY(hk_pool_get(&s->pool, &first, s->rows));
  for (hk_index r = 0; r < s->rows; r++)
    if (r == 0 || r - start[s->groups - 1] == ROWS ||
        hk_space_granule(space, node[r]) != hk_space_granule(space, node[r - 1]))
      first[s->groups] = node[r], start[s->groups++] = r;
  start[s->groups] = s->rows;
  s->base = op->groups, op->groups += s->groups;
  op->term_node = first;
  HK_TRY(hk_buffer_send(&s->pool, op->desc.device, (s->groups + 1) * (hk_count)sizeof *start, start,
                        &s->start));
cleanup:
  hk_free(&start);
  return status;
}

static hk_status send_lists(hk_operator *op, const hk_spring *spring, hk_count ends,
                            const hk_spring_end *list, springs *s)
{
  const hk_operator_desc *on = &op->desc;
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_index *node, *begin, *other, counted;
  const hk_count size = (hk_count)sizeof *node;
  HK_TRY(hk_narrow(ends * on->space->dim * on->space->dim, "springs", &counted));
  HK_TRY(hk_pool_get(&pool, &node, ends));
  HK_TRY(hk_pool_get(&pool, &begin, ends + 1));
  HK_TRY(hk_pool_get(&pool, &other, ends));
  for (hk_count p = 0; p < ends; p++) {
    if (p == 0 || list[p].node != list[p - 1].node)
      node[s->rows] = list[p].node, begin[s->rows++] = (hk_index)p;
    other[p] = list[p].other;
  }
  begin[s->rows] = (hk_index)ends;
  HK_TRY(hk_buffer_send(&s->pool, on->device, s->rows * size, node, &s->node));
  HK_TRY(hk_buffer_send(&s->pool, on->device, (s->rows + 1) * size, begin, &s->begin));
  HK_TRY(hk_buffer_send(&s->pool, on->device, ends * size, other, &s->other));
  HK_TRY(send_groups(op, node, s));
  HK_TRY(send_blocks(on, spring, ends, list, s));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_springs_ends(const hk_operator_desc *on, hk_spring_end **out)
{
  const hk_space *space = on->space;
  hk_count count;
  const hk_spring *spring = hk_springs_in(on, &count);
  const hk_status status = hk_get(out, 2 * count);
  if (status != HK_OK) return status;
  for (hk_count k = 0; k < count; k++)
    for (int side = 0; side < 2; side++) {
      const hk_index node = space->node[spring[k].node[side]],
                     other = space->node[spring[k].node[1 - side]];
      const bool own = node >= 0 && node < hk_space_rows(space);
      (*out)[2 * k + side] =
          (hk_spring_end){.node = own ? node : INT32_MAX,
                          .other = other,
                          .place = !own           ? INT32_MAX
                                   : space->order ? space->order[node]
                                                  : node,
                          .order = space->order && other >= 0 ? space->order[other] : other,
                          .spring = k};
    }
  qsort(*out, (size_t)(2 * count), sizeof **out, by_nodes);
  return HK_OK;
}

hk_status hk_springs_groups(const hk_operator_desc *whole, hk_index **first)
{
  hk_status status = HK_OK;
  const hk_index granules = hk_space_granules(whole->space);
  hk_spring_end *list = NULL;
  hk_index *rows = NULL;
  hk_count count;
  hk_springs_in(whole, &count);
  HK_TRY(hk_springs_ends(whole, &list));
  HK_TRY(hk_get(&rows, granules));
  HK_TRY(hk_get(first, granules + 1));
  for (hk_count p = 0; p < 2 * count && list[p].node != INT32_MAX; p++)
    if (p == 0 || list[p].node != list[p - 1].node)
      rows[hk_space_granule(whole->space, list[p].node)]++;
  for (hk_index g = 0; g < granules; g++)
    (*first)[g + 1] = (*first)[g] + (rows[g] + ROWS - 1) / ROWS;
cleanup:
  hk_free(&rows);
  hk_free(&list);
  return status;
}

hk_count hk_springs_of(const hk_operator_desc *on, const hk_spring_end *end, hk_index node,
                       hk_count *first)
{
  hk_count count;
  hk_springs_in(on, &count);
  hk_count low = 0, high = 2 * count;
  while (low < high) {
    const hk_count middle = low + (high - low) / 2;
    if (end[middle].node < node)
      low = middle + 1;
    else
      high = middle;
  }
  *first = low;
  while (low < 2 * count && end[low].node == node) low++;
  return low;
}

static hk_status create(hk_operator *op, const hk_operator_term *term, void **data)
{
  hk_status status = HK_OK;
  springs *s = NULL;
  hk_spring_end *list = NULL;
  const hk_operator_desc *on = &op->desc;
  HK_CHECK(hk_space_solid(on->space), HK_BAD_INPUT,
           "springs join displacements: heat conduction has none");
  HK_TRY(hk_new(&s));
  *data = s;
  HK_TRY(hk_springs_ends(on, &list));
  hk_count ends = 2 * term->count;
  while (ends && list[ends - 1].node == INT32_MAX) ends--;
  qsort(list, (size_t)ends, sizeof *list, by_places);
  HK_TRY(send_lists(op, term->entry, ends, list, s));
  const hk_count bytes = hk_buffer_bytes(s->node) + hk_buffer_bytes(s->begin) +
                         hk_buffer_bytes(s->other) + hk_buffer_bytes(s->block);
  op->memory += bytes, op->bytes += bytes;
cleanup:
  hk_free(&list);
  return status;
}

static void destroy(void *data)
{
  springs *s = data;
  hk_buffer_destroy(&s->before);
  hk_pool_clear(&s->pool);
}

static hk_status create_kernel(const hk_operator *op, hk_pool *pool, const char *function,
                               hk_form form, int damped, hk_kernel **out)
{
  if (*out) return HK_OK;
  return hk_kernel_get(pool, op->desc.device,
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

static hk_status bind(hk_operator *op, void *data, hk_form form, int damped, int shots)
{
  springs *s = data;
  HK_PASS(create_kernel(op, &s->pool, "springs_step", form, damped, &s->step[form][damped]));
  if (!damped || form == HK_FORM_STORE) return HK_OK;
  HK_PASS(create_kernel(op, &s->pool, "springs_before", form, HK_DAMPED, &s->keep[form]));
  if (shots > s->shots) {
    hk_buffer_destroy(&s->before);
    HK_PASS(hk_buffer_create(op->desc.device,
                             (hk_count)shots * s->rows * op->desc.space->dim *
                                 (op->desc.double_precision ? 8 : 4),
                             &s->before));
    s->shots = shots;
  }
  return HK_OK;
}

/* Keeps the increments before the step, of which the loss is counted anew. */
static hk_status launch_keep(const hk_operator *op, const springs *s, const hk_epilogue *epilogue)
{
  if (!epilogue->damped || epilogue->form == HK_FORM_STORE) return HK_OK;
  return hk_epilogue_run(op, epilogue, s->keep[epilogue->form], (hk_groups){s->base, s->groups},
                         HK_ARGUMENTS(s->node, s->before, s->start, (int32_t)s->base));
}

static hk_status launch_step(const hk_operator *op, const springs *s, const hk_epilogue *epilogue)
{
  return hk_epilogue_run(
      op, epilogue, s->step[epilogue->form][epilogue->damped], (hk_groups){s->base, s->groups},
      HK_ARGUMENTS(s->node, s->begin, s->other, s->block, s->before, s->start, (int32_t)s->base));
}

static hk_status launch(const hk_operator *op, const void *data, hk_phase phase,
                        const hk_epilogue *epilogue, int shot)
{
  (void)shot;
  if (phase == HK_PHASE_BEFORE) return launch_keep(op, data, epilogue);
  return phase == HK_PHASE_SUMMED ? launch_step(op, data, epilogue) : HK_OK;
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
static hk_status bound(const hk_operator_term *term, const hk_mesh *mesh, const double *mass,
                       double *lambda)
{
  hk_status status = HK_OK;
  const hk_count count = term->count;
  const hk_spring *spring = term->entry;
  double *sum = NULL;
  *lambda = 0;
  HK_TRY(hk_get(&sum, mesh->node_count));
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

/* Numbers are hashed one by one: structures may have holes. */
static void hash(const hk_operator_term *term, uint64_t *key)
{
  const hk_spring *spring = term->entry;
  *key = hk_hash(&term->count, sizeof term->count, *key);
  for (hk_count k = 0; k < term->count; k++) {
    *key = hk_hash(spring[k].node, sizeof spring[k].node, *key);
    *key = hk_hash(spring[k].k, sizeof spring[k].k, *key);
  }
}

const hk_operator_term_kind hk_springs_kind = {.name = "the springs of cracks",
                                               .pairs = true,
                                               .joins = true,
                                               .bound = bound,
                                               .hash = hash,
                                               .create = create,
                                               .bind = bind,
                                               .launch = launch,
                                               .destroy = destroy};
