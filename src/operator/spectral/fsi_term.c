/* The term of the forces between a fluid and a solid (physics/fsi.h): m q'' = f + a . u', m u'' = f - a q' (S.8). The rates are those of the step
 * that is computed, so that both sides are solved together, node by node (S.9), by fsi.k.h. The host writes lists of the fluid nodes with their
 * solid nodes and normals a; the launch follows the forces of the elements, and its forces go to slots that the operator sums. Forms without slots
 * have operator/fsi_rows.h instead. */
#include "operator/operator.h"
#include "base/reals.h"
#include "operator/fsi_rows.h"
#include "operator/staged.h"

typedef struct interface {
  hk_index fluids;
  hk_buffer *list, *normal;
  hk_kernel *step[HK_FORM_COUNT][HK_DAMPINGS];
} interface;

static hk_index count_fluids(const hk_operator_term *term)
{
  const hk_fsi *fsi = term->entry;
  hk_index fluids = 0;
  for (hk_count j = 0; j < term->count; j++) fluids += j == 0 || fsi[j].fluid != fsi[j - 1].fluid;
  return fluids;
}

/* begin[fluids + 1], fluid[fluids], solid[entries] of internal nodes */
static void write_lists(const hk_operator_term *term, const hk_space *space, hk_index *begin,
                        hk_index *fluid, hk_index *solid)
{
  const hk_fsi *fsi = term->entry;
  hk_index fluids = 0;
  for (hk_count j = 0; j < term->count; j++) {
    if (j == 0 || fsi[j].fluid != fsi[j - 1].fluid)
      begin[fluids] = (hk_index)j, fluid[fluids++] = space->node[fsi[j].fluid];
    solid[j] = space->node[fsi[j].solid];
  }
  begin[fluids] = (hk_index)term->count;
}

/* Those of the fluid nodes, then those of the entries. */
static hk_status slots(const hk_operator_term *term, const hk_space *space, hk_count *count,
                       hk_index **node)
{
  hk_status status = HK_OK;
  const hk_index fluids = count_fluids(term);
  hk_index checked, *begin = NULL, *out = NULL;
  HK_TRY(hk_narrow(term->count, "interface nodes", &checked));
  HK_TRY(hk_get(&begin, fluids + 1));
  HK_TRY(hk_get(&out, fluids + term->count));
  write_lists(term, space, begin, out, out + fluids);
  *count = fluids + term->count;
  *node = out, out = NULL;
cleanup:
  hk_free(&begin);
  hk_free(&out);
  return status;
}

static void write_normals(const hk_operator_term *term, int dim, bool double_precision,
                          void *normal)
{
  const hk_fsi *fsi = term->entry;
  for (hk_count i = 0; i < term->count * dim; i++)
    hk_put_real(normal, double_precision, i, fsi[i / dim].normal[i % dim]);
}

static hk_status create_slots(hk_operator *op, const hk_operator_term *term, void **data)
{
  enum { LISTS = 2, HEAD = 2 };
  hk_status status = HK_OK;
  hk_staged list[LISTS] = {{0}};
  interface *own = NULL;
  const hk_space *space = op->desc.space;
  const hk_count real = op->desc.double_precision ? 8 : 4, count = term->count;
  HK_TRY(hk_new(&own));
  *data = own;
  own->fluids = count_fluids(term);
  const hk_count bytes = (HEAD + 2LL * own->fluids + 1 + count) * 4;
  HK_TRY(hk_staged_open(op->desc.device, bytes, &own->list, &list[0]));
  HK_TRY(hk_staged_open(op->desc.device, count * space->dim * real, &own->normal, &list[1]));
  hk_index *head = list[0].place, *begin = head + HEAD, *node = begin + own->fluids + 1;
  head[0] = own->fluids, head[1] = op->slots.first;
  write_lists(term, space, begin, node, node + own->fluids);
  write_normals(term, space->dim, op->desc.double_precision, list[1].place);
  for (int k = 0; k < LISTS; k++) HK_TRY(hk_staged_send(&list[k]));
  op->memory += hk_buffer_bytes(own->list) + hk_buffer_bytes(own->normal);
  op->bytes += hk_buffer_bytes(own->list) + hk_buffer_bytes(own->normal);
cleanup:
  for (int k = 0; k < LISTS; k++) hk_staged_close(&list[k]);
  return status;
}

static hk_status bind_slots(hk_operator *op, void *data, hk_form form, int damped, int shots)
{
  interface *own = data;
  hk_kernel_desc d = {.text = "fsi",
                      .function = "fsi_step",
                      .threads = op->slots.threads,
                      .early = true,
                      .double_precision = op->desc.double_precision,
                      .define = {{"DAMPED", damped}, {"DIM", op->desc.space->components}}};
  (void)shots;
  if (own->step[form][damped]) return HK_OK;
  hk_kernel_specialise(&d, "COLOURS", op->desc.space->interior->coloured);
  hk_kernel_define(&d, "FORM", (int)form);
  hk_kernel_define(&d, "PARTS", 1);
  hk_kernel_define(&d, "SPAN", op->slots.span);
  return hk_kernel_create(op->desc.device, &d, &own->step[form][damped]);
}

/* Between interface nodes, once all elements have theirs. */
static hk_status launch_slots(const hk_operator *op, const void *data, hk_phase phase,
                              const hk_epilogue *e, int shot)
{
  enum { OWN = 8 };
  const interface *s = data;
  const hk_operator_slots *slots = &op->slots;
  hk_argument argument[HK_STATE_ARGUMENTS + OWN], *own = argument + HK_STATE_ARGUMENTS;
  if (phase != HK_PHASE_SLOTS) return HK_OK;
  hk_epilogue_arguments(op, e, argument);
  own[0] = hk_arg_buffer(s->list), own[1] = hk_arg_buffer(s->normal);
  own[2] = hk_arg_buffer(slots->slice), own[3] = hk_arg_buffer(slots->from);
  own[4] = hk_arg_buffer(slots->slot);
  own[5] = hk_arg_real(e->dt > 0 ? 0.5 / e->dt : 0), own[6] = hk_arg_int(shot);
  own[7] = hk_arg_int(op->desc.space->interior->coloured);
  return hk_kernel_launch(s->step[e->form][e->damped], 0,
                          (s->fluids + slots->span - 1) / slots->span, argument,
                          HK_STATE_ARGUMENTS + OWN);
}

static void destroy_slots(void *data)
{
  interface *own = data;
  hk_buffer_destroy(&own->list);
  hk_buffer_destroy(&own->normal);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < HK_DAMPINGS; d++) hk_kernel_destroy(&own->step[f][d]);
}

/* Which of the two it is, and the data of that one. */
typedef struct either {
  bool rows;
  void *data;
} either;

static hk_status create(hk_operator *op, const hk_operator_term *term, void **data)
{
  either *e;
  HK_PASS(hk_new(&e));
  *data = e;
  e->rows = !op->slots.slot;
  return (e->rows ? hk_fsi_rows_create : create_slots)(op, term, &e->data);
}

static hk_status bind(hk_operator *op, void *data, hk_form form, int damped, int shots)
{
  const either *e = data;
  return (e->rows ? hk_fsi_rows_bind : bind_slots)(op, e->data, form, damped, shots);
}

static hk_status launch(const hk_operator *op, const void *data, hk_phase phase,
                        const hk_epilogue *epilogue, int shot)
{
  const either *e = data;
  return e->rows ? hk_fsi_rows_launch(op, e->data, phase, epilogue)
                 : launch_slots(op, e->data, phase, epilogue, shot);
}

static void destroy(void *data)
{
  either *e = data;
  if (e->data) (e->rows ? hk_fsi_rows_destroy : destroy_slots)(e->data);
  hk_memory_free(&e->data);
}

const hk_operator_term_kind hk_fsi_kind = {.name = "the fluid-solid interface",
                                           .joins = true,
                                           .slots = slots,
                                           .create = create,
                                           .bind = bind,
                                           .launch = launch,
                                           .destroy = destroy};
