/* The form `elements`: element matrices packed per shape, [batches][packed][WIDTH], lower triangles (of an unsymmetric K whole); y = K u in two launches, elements.k.h (matrix
 * times values, left at corners) and operator/patches/scatter.k.h (nodes sum corners in order). Where K u uses differences, the first node's rows
 * are not stored. Gives D, and Jacobi's sweep to solver/linear/femses. */
#include "operator/elements/elements.h"
#include "operator/assembly/assembled.h"
#include "operator/elements/parts.h"
#include "operator/list.h"

/* PATCH: as of "assembled"; HOST_GROUP, elements and nodes of a group, and HOST_NODES are what the host's variants are compiled for. */
enum { PATCH = 32, HOST_GROUP = 64, HOST_NODES = 27 };
bool hk_operator_has_elements(const hk_operator *op)
{
  return op->kind == &hk_operator_elements;
}

static hk_space_desc space_elements(const hk_mesh *mesh, const hk_device *device,
                                    bool double_precision)
{
  (void)mesh, (void)device, (void)double_precision;
  return (hk_space_desc){.patch = PATCH, .slice = PATCH};
}

static bool serves_elements(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (!hk_shape_listed(mesh->block[b].shape)) return false;
  return mesh->block_count > 0;
}

/* Matrices, nodes, corners, and the lists of corners, which are as long as the longest of a slice. */
static hk_count plan_of(const hk_mesh *mesh, int components, const hk_device *device,
                        bool double_precision)
{
  const double uneven = mesh->dim == 3 ? 1.4 : 1.25;
  const int real = double_precision ? 8 : 4;
  double bytes = 4.0 * (double)mesh->node_count / hk_device_describe(device)->width;
  for (int b = 0; b < mesh->block_count; b++) {
    const int nodes = mesh->block[b].nodes;
    bytes +=
        (double)mesh->block[b].count * (hk_elements_packed(nodes, components, true, false) * real +
                                        nodes * (4 + components * real + 4 * uneven));
  }
  return (hk_count)bytes;
}

static hk_count plan_elements(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, mesh->dim, device, double_precision);
}

static hk_count plan_scalar(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, 1, device, double_precision);
}

/* What assembly sends, and the lists that elements are ordered and corners found by, which may be the host's memory too. */
static hk_count making_elements(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  hk_count corners = 0;
  for (int b = 0; b < mesh->block_count; b++)
    corners += mesh->block[b].count * mesh->block[b].nodes;
  return hk_assembled_making(mesh, device, double_precision) + mesh->element_count * 28 +
         mesh->node_count * 32 + corners * 6;
}

static void destroy_elements(hk_operator *op)
{
  hk_elements *s = op->data;
  if (!s) return;
  hk_buffer_destroy(&s->corner);
  hk_pool_clear(&s->pool);
  hk_memory_free(&op->data);
}

static hk_status element_kernel(const hk_operator *op, hk_pool *pool, const hk_element_batch *b,
                                const char *function, hk_kernel **out)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const int nodes = b->element->nodes, components = op->desc.space->components;
  const bool built = b->differences && components == 1 && (nodes == 3 || nodes == 4);
  return hk_kernel_get(
      pool, op->desc.device,
      &(hk_kernel_desc){
          .text = "elements",
          .function = function,
          .double_precision = op->desc.double_precision,
          .define = {{"DIFFERENCES", b->differences},
                     {"DIM", components},
                     {"ELEMENTS", ((hk_elements *)op->data)->group},
                     {"EXACT", hk_kernel_size(info, true, built)},
                     {"NODES", hk_kernel_size(info, nodes, built ? nodes : HOST_NODES)},
                     {"TRIANGLES", !b->whole}}},
      out);
}

static hk_status corner_kernel(const hk_operator *op, hk_pool *pool, const char *function,
                               hk_form form, int damped, hk_kernel **out)
{
  return hk_kernel_get(pool, op->desc.device,
                       &(hk_kernel_desc){.text = "scatter",
                                         .function = function,
                                         .double_precision = op->desc.double_precision,
                                         .define = {{"DAMPED", damped},
                                                    {"DIM", op->desc.space->components},
                                                    {"FORM", (int)form},
                                                    {"NODES", ((hk_elements *)op->data)->group}}},
                       out);
}

static void count_bytes(hk_operator *op)
{
  const hk_elements *s = op->data;
  const hk_count lists = hk_buffer_bytes(s->slice) + hk_buffer_bytes(s->list);
  op->memory = lists + hk_buffer_bytes(s->corner);
  op->bytes = lists + 2 * s->corners * (op->desc.double_precision ? 8 : 4);
  for (int b = 0; b < s->batches; b++) {
    const hk_count own = hk_buffer_bytes(s->batch[b].node) + hk_buffer_bytes(s->batch[b].matrix);
    op->memory += own, op->bytes += own;
  }
}

/* Corners of so many states at once. */
static hk_status make_room(hk_operator *op, int shots)
{
  hk_elements *s = op->data;
  if (shots <= s->shots) return HK_OK;
  s->shots = 0;
  hk_buffer_destroy(&s->corner);
  HK_PASS(hk_buffer_create(op->desc.device,
                           shots * s->corners * (op->desc.double_precision ? 8 : 4), &s->corner));
  s->shots = shots;
  count_bytes(op);
  return HK_OK;
}

static hk_status create_elements(hk_operator *op)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  hk_elements *s = NULL;
  HK_PASS(hk_new(&s));
  op->data = s;
  s->group = hk_kernel_size(info, info->group_threads * info->lanes, HOST_GROUP);
  HK_PASS(hk_elements_make(op, s));
  for (int b = 0; b < s->batches; b++)
    HK_PASS(element_kernel(op, &s->pool, &s->batch[b], "elements_product", &s->batch[b].product));
  op->groups = (op->desc.space->padded + s->group - 1) / s->group;
  return make_room(op, 1);
}

static hk_status bind_elements(hk_operator *op, hk_form form, int damped, int shots)
{
  hk_elements *s = op->data;
  HK_PASS(make_room(op, shots));
  if (!s->step[form][damped])
    HK_PASS(corner_kernel(op, &s->pool, "scatter_step", form, damped, &s->step[form][damped]));
  return HK_OK;
}

static hk_count groups_of(const hk_elements *s, hk_index count)
{
  return (count + s->group - 1) / s->group;
}

static hk_status apply_elements(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  const hk_elements *s = op->data;
  const hk_space *space = op->desc.space;
  const int shots = epilogue->shots ? epilogue->shots : 1;
  (void)phases;
  for (int b = 0; b < s->batches; b++) {
    const hk_element_batch *own = &s->batch[b];
    const hk_argument product[] = {hk_arg_buffer(own->node),
                                   hk_arg_buffer(own->matrix),
                                   hk_arg_buffer(epilogue->u),
                                   hk_arg_buffer(s->corner),
                                   hk_arg_int(own->first),
                                   hk_arg_int(own->padded),
                                   hk_arg_int(own->element->nodes),
                                   hk_arg_int(shots),
                                   hk_arg_int(space->padded * space->components),
                                   hk_arg_int((int32_t)s->corners)};
    HK_PASS(hk_epilogue_launch(epilogue, own->product, (hk_groups){0, groups_of(s, own->padded)},
                               product, 10));
  }
  return hk_epilogue_run(
      op, epilogue, s->step[epilogue->form][epilogue->damped], (hk_groups){0, op->groups},
      HK_ARGUMENTS(s->slice, s->list, s->corner, space->padded, (int32_t)s->corners));
}

/* Component by component through the corners of the product. */
static hk_status diagonal_part(hk_operator *op, hk_kernel *const *kernel, hk_kernel *sum, int place,
                               hk_buffer *out)
{
  const hk_elements *s = op->data;
  const int components = op->desc.space->components;
  for (int b = 0; b < s->batches; b++) {
    const hk_element_batch *own = &s->batch[b];
    HK_PASS(hk_kernel_launch(kernel[b], 0, groups_of(s, own->padded),
                             HK_ARGUMENTS(own->matrix, s->corner, own->first, own->padded,
                                          own->element->nodes, place / components,
                                          place % components)));
  }
  return hk_kernel_launch(sum, 0, op->groups,
                          HK_ARGUMENTS(s->slice, s->list, s->corner, out, op->desc.space->padded,
                                       components * components, place));
}

static hk_status diagonal_elements(hk_operator *op, hk_buffer *out)
{
  hk_status status = HK_OK;
  const hk_elements *s = op->data;
  const int components = op->desc.space->components;
  hk_pool pool = {0};
  hk_kernel *kernel[HK_ELEMENT_BATCHES], *sum;
  HK_TRY(corner_kernel(op, &pool, "scatter_sum", HK_FORM_STORE, false, &sum));
  for (int b = 0; b < s->batches; b++)
    HK_TRY(element_kernel(op, &pool, &s->batch[b], "elements_diagonal", &kernel[b]));
  for (int place = 0; place < components * components; place++)
    HK_TRY(diagonal_part(op, kernel, sum, place, out));
  HK_TRY(hk_device_finish(op->desc.device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_elements_prepare(hk_operator *op)
{
  hk_elements *s = op->data;
  for (int b = 0; b < s->batches; b++)
    if (!s->batch[b].jacobi)
      HK_PASS(element_kernel(op, &s->pool, &s->batch[b], "elements_jacobi", &s->batch[b].jacobi));
  if (!s->weigh)
    HK_PASS(corner_kernel(op, &s->pool, "scatter_weigh", HK_FORM_STORE, false, &s->weigh));
  return HK_OK;
}

hk_status hk_elements_jacobi(hk_operator *op, const hk_buffer *u, const hk_buffer *f,
                             const hk_buffer *inverse, hk_buffer *out)
{
  const hk_elements *s = op->data;
  for (int b = 0; b < s->batches; b++) {
    const hk_element_batch *own = &s->batch[b];
    HK_PASS(hk_kernel_launch(own->jacobi, 0, groups_of(s, own->padded),
                             HK_ARGUMENTS(own->node, own->matrix, u, f, inverse, s->corner,
                                          own->first, own->padded, own->element->nodes)));
  }
  return hk_kernel_launch(
      s->weigh, 0, op->groups,
      HK_ARGUMENTS(s->slice, s->list, s->corner, inverse, u, out, op->desc.space->padded));
}

const hk_operator_kind hk_operator_elements = {
    .name = "elements",
    .elements = "all shapes but spectral ones",
    .statics = true,
    .by_name = true,
    .scalar = true,
    .unsymmetric = true,
    .rings = true,
    .space = space_elements,
    .serves = serves_elements,
    .plan = plan_elements,
    .plan_scalar = plan_scalar,
    .making = making_elements,
    .create = create_elements,
    .bind = bind_elements,
    .apply = apply_elements,
    .destroy = destroy_elements,
    .diagonal = diagonal_elements,
};
