#include "operator/elements.h"
#include "graph/sliced.h"
#include "operator/element_of.h"
#include "operator/list.h"
#include "operator/staged.h"
#include <stdio.h>
#include <string.h>

/* PATCH: as of "assembled"; HOST_GROUP, elements and nodes of a group, and HOST_NODES are what the host's variants are compiled for. */
enum { PATCH = 32, HOST_GROUP = 64, HOST_NODES = 27, MOST_DOFS = 3 * HK_LISTED_NODES };
enum { BATCHES = 2 * HK_SHAPE_COUNT };

typedef struct batch { /* elements of one shape, all with differences or none */
  const hk_element *element;
  bool differences;
  hk_index count, padded; /* elements */
  hk_index from;          /* in the order of elements */
  hk_index first;         /* place of its corners */
  hk_buffer *node, *matrix;
  hk_kernel *product, *jacobi;
} batch;

typedef struct elements {
  batch batch[BATCHES];
  int batches;
  hk_buffer *corner, *slice, *list;
  hk_count corners; /* reals of a shot's */
  int shots;        /* that `corner` has room for */
  hk_kernel *step[HK_FORM_COUNT][2], *weigh;
  int group;
} elements;

bool hk_operator_has_elements(const hk_operator *op)
{
  return op->kind == &hk_operator_elements;
}

static int packed_of(int nodes, int components, bool differences)
{
  const int size = (nodes - differences) * components;
  return size * (size + 1) / 2;
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
    bytes += (double)mesh->block[b].count * (packed_of(nodes, components, true) * real +
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

/* The order of elements and the places of corners. */
static hk_count making_elements(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  hk_count corners = 0;
  (void)device, (void)double_precision;
  for (int b = 0; b < mesh->block_count; b++)
    corners += mesh->block[b].count * mesh->block[b].nodes;
  return mesh->element_count * 12 + mesh->node_count * 8 + corners * 4;
}

static void destroy_elements(hk_operator *op)
{
  elements *s = op->data;
  if (!s) return;
  for (int b = 0; b < s->batches; b++) {
    hk_buffer_destroy(&s->batch[b].node);
    hk_buffer_destroy(&s->batch[b].matrix);
    hk_kernel_destroy(&s->batch[b].product);
    hk_kernel_destroy(&s->batch[b].jacobi);
  }
  hk_buffer_destroy(&s->corner);
  hk_buffer_destroy(&s->slice);
  hk_buffer_destroy(&s->list);
  hk_kernel_destroy(&s->weigh);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < 2; d++) hk_kernel_destroy(&s->step[f][d]);
  hk_memory_free(&op->data);
}

/* order[element_count]: batch by batch, in each by the lowest of their nodes' internal numbers, so that elements lie as nodes do. */
typedef struct sorting {
  hk_index *lowest, *begin, *order;
} sorting;

static hk_index lowest_node(const hk_space *space, hk_count e)
{
  const hk_index *node = hk_mesh_nodes_of(space->mesh, e);
  hk_index lowest = space->node[node[0]];
  for (int n = 1; n < hk_mesh_block_of(space->mesh, e)->nodes; n++)
    if (space->node[node[n]] < lowest) lowest = space->node[node[n]];
  return lowest;
}

static int batch_of(const elements *s, const hk_operator_desc *desc, hk_count e)
{
  const hk_shape shape = hk_mesh_block_of(desc->space->mesh, e)->shape;
  const bool differences = hk_operator_translates(desc, e);
  int b = 0;
  while (b < s->batches &&
         (s->batch[b].element != hk_element_of(shape) || s->batch[b].differences != differences))
    b++;
  return b;
}

static void count_batches(elements *s, const hk_operator_desc *desc)
{
  const hk_mesh *mesh = desc->space->mesh;
  const int width = hk_device_describe(desc->device)->width;
  hk_index from = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const int b = batch_of(s, desc, e);
    if (b == s->batches) {
      s->batch[s->batches++] = (batch){.element = hk_element_of(hk_mesh_block_of(mesh, e)->shape),
                                       .differences = hk_operator_translates(desc, e)};
    }
    s->batch[b].count++;
  }
  for (int b = 0; b < s->batches; b++) {
    s->batch[b].from = from, from += s->batch[b].count;
    s->batch[b].padded = (s->batch[b].count + width - 1) / width * width;
  }
}

static hk_status sort(elements *s, const hk_operator_desc *desc, sorting *k)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->space;
  const hk_index count = (hk_index)space->mesh->element_count;
  hk_index next[BATCHES];
  HK_TRY(hk_get(&k->lowest, count));
  HK_TRY(hk_get(&k->begin, space->padded + 1));
  HK_TRY(hk_get(&k->order, 2 * (hk_count)count));
#pragma omp parallel for schedule(static)
  for (hk_index e = 0; e < count; e++) k->lowest[e] = lowest_node(space, e);
  for (hk_index e = 0; e < count; e++) k->begin[k->lowest[e] + 1]++;
  for (hk_index i = 0; i < space->padded; i++) k->begin[i + 1] += k->begin[i];
  for (hk_index e = 0; e < count; e++) k->order[count + k->begin[k->lowest[e]]++] = e;
  count_batches(s, desc);
  for (int b = 0; b < s->batches; b++) next[b] = s->batch[b].from;
  for (hk_index q = 0; q < count; q++)
    k->order[next[batch_of(s, desc, k->order[count + q])]++] = k->order[count + q];
cleanup:
  return status;
}

static void put(void *place, bool real, hk_count at, double value)
{
  if (real)
    ((double *)place)[at] = value;
  else
    ((float *)place)[at] = (float)value;
}

/* Lane w of slice `slice`: the lower triangle of k. */
static void pack(const batch *b, int components, int width, hk_count at, const double *k, bool real,
                 void *place)
{
  const int size = b->element->nodes * components, first = b->differences ? components : 0;
  for (int i = first; i < size; i++)
    for (int j = first; j <= i; j++, at += width) put(place, real, at, k[i * size + j]);
}

/* Nodes and matrices of the elements of slice s of a batch. */
static hk_status fill_slice(const hk_operator_desc *desc, const batch *b, const hk_index *order,
                            hk_index s, hk_index *node, void *matrix)
{
  hk_status status = HK_OK;
  const int width = hk_device_describe(desc->device)->width, nodes = b->element->nodes,
            components = desc->space->components,
            packed = packed_of(nodes, components, b->differences);
  double k[MOST_DOFS * MOST_DOFS];
  for (int w = 0; w < width; w++) {
    const hk_index at = s * width + w, last = b->count - 1,
                   e = order[b->from + (at < last ? at : last)];
    const hk_index *of = hk_mesh_nodes_of(desc->space->mesh, e);
    for (int n = 0; n < nodes; n++)
      node[((hk_count)s * nodes + n) * width + w] = desc->space->node[of[n]];
    if (at > last) continue;
    HK_TRY(hk_operator_element(desc, e, k));
    pack(b, components, width, (hk_count)s * packed * width + w, k, desc->double_precision, matrix);
  }
cleanup:
  return status;
}

static hk_status fill_batch(const hk_operator_desc *desc, batch *b, const hk_index *order)
{
  hk_status status = HK_OK;
  const int nodes = b->element->nodes, width = hk_device_describe(desc->device)->width;
  const hk_count packed = packed_of(nodes, desc->space->components, b->differences);
  hk_staged node = {0}, matrix = {0};
  hk_failure failure = {0};
  HK_TRY(hk_staged_open(desc->device, (hk_count)b->padded * nodes * 4, &b->node, &node));
  HK_TRY(hk_staged_open(desc->device, b->padded * packed * (desc->double_precision ? 8 : 4),
                        &b->matrix, &matrix));
#pragma omp parallel
  {
    hk_status own = HK_OK;
#pragma omp for schedule(static)
    for (hk_index s = 0; s < b->padded / width; s++)
      if (own == HK_OK) own = fill_slice(desc, b, order, s, node.place, matrix.place);
    hk_failure_keep(&failure, own);
  }
  HK_TRY(hk_failure_tell(&failure));
  HK_TRY(hk_staged_send(&node));
  HK_TRY(hk_staged_send(&matrix));
cleanup:
  hk_staged_close(&node);
  hk_staged_close(&matrix);
  return status;
}

static hk_status place_corners(elements *s, const hk_operator_desc *desc)
{
  hk_status status = HK_OK;
  const int components = desc->space->components;
  hk_index end;
  for (int b = 0; b < s->batches; b++) {
    s->batch[b].first = (hk_index)s->corners;
    s->corners += (hk_count)s->batch[b].padded * s->batch[b].element->nodes * components;
    HK_TRY(hk_narrow(s->corners, "values at the corners of elements", &end));
  }
  s->corners += (hk_count)components * hk_device_describe(desc->device)->width; /* of padding: 0 */
  HK_TRY(hk_narrow(s->corners, "values at the corners of elements", &end));
cleanup:
  return status;
}

typedef struct listing {
  hk_index *length, *slice;
} listing;

/* Place in `corner` of node n of the q-th element of a batch. */
static hk_index corner_of(const batch *b, int components, int width, hk_index q, int n)
{
  return b->first + ((q / width * b->element->nodes + n) * components) * width + q % width;
}

static hk_status list_corners(elements *s, const hk_operator_desc *desc, const hk_index *order,
                              listing *k)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->space;
  const int width = hk_device_describe(desc->device)->width;
  hk_staged list = {0};
  HK_TRY(hk_get(&k->length, space->padded));
  HK_TRY(hk_get(&k->slice, space->padded / width + 1));
  for (int b = 0; b < s->batches; b++)
    for (hk_index q = 0; q < s->batch[b].count; q++)
      for (int n = 0; n < s->batch[b].element->nodes; n++)
        k->length[space->node[hk_mesh_nodes_of(space->mesh, order[s->batch[b].from + q])[n]]]++;
  HK_TRY(hk_sliced_offsets(k->length, space->padded, width, k->slice));
  const hk_count entries = (hk_count)k->slice[space->padded / width] * width;
  HK_TRY(hk_staged_open(desc->device, entries * 4, &s->list, &list));
  hk_index *to = list.place;
  for (hk_count p = 0; p < entries; p++)
    to[p] = (hk_index)(s->corners - (hk_count)space->components * width);
  memset(k->length, 0, (size_t)space->padded * sizeof *k->length);
  for (int b = 0; b < s->batches; b++)
    for (hk_index q = 0; q < s->batch[b].count; q++)
      for (int n = 0; n < s->batch[b].element->nodes; n++) {
        const hk_index i =
            space->node[hk_mesh_nodes_of(space->mesh, order[s->batch[b].from + q])[n]];
        to[((hk_count)k->slice[i / width] + k->length[i]++) * width + i % width] =
            corner_of(&s->batch[b], space->components, width, q, n);
      }
  HK_TRY(hk_staged_send(&list));
  HK_TRY(hk_buffer_create(desc->device, (space->padded / width + 1) * 4LL, &s->slice));
  HK_TRY(hk_buffer_write(s->slice, 0, (space->padded / width + 1) * 4LL, k->slice));
cleanup:
  hk_staged_close(&list);
  return status;
}

static hk_status element_kernel(const hk_operator *op, const batch *b, const char *function,
                                hk_kernel **out)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const int nodes = b->element->nodes, components = op->desc.space->components;
  const bool exact =
      info->compiles || (b->differences && components == 1 && (nodes == 3 || nodes == 4));
  return hk_kernel_create(op->desc.device,
                          &(hk_kernel_desc){.text = "elements",
                                            .function = function,
                                            .double_precision = op->desc.double_precision,
                                            .define = {{"DIFFERENCES", b->differences},
                                                       {"DIM", components},
                                                       {"ELEMENTS", ((elements *)op->data)->group},
                                                       {"EXACT", exact},
                                                       {"NODES", exact ? nodes : HOST_NODES}}},
                          out);
}

static hk_status corner_kernel(const hk_operator *op, const char *function, hk_form form,
                               bool damped, hk_kernel **out)
{
  return hk_kernel_create(op->desc.device,
                          &(hk_kernel_desc){.text = "corners",
                                            .function = function,
                                            .double_precision = op->desc.double_precision,
                                            .define = {{"DAMPED", damped},
                                                       {"DIM", op->desc.space->components},
                                                       {"FORM", (int)form},
                                                       {"NODES", ((elements *)op->data)->group}}},
                          out);
}

static void count_bytes(hk_operator *op)
{
  const elements *s = op->data;
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
  hk_status status = HK_OK;
  elements *s = op->data;
  if (shots <= s->shots) return HK_OK;
  s->shots = 0;
  hk_buffer_destroy(&s->corner);
  HK_TRY(hk_buffer_create(op->desc.device, shots * s->corners * (op->desc.double_precision ? 8 : 4),
                          &s->corner));
  s->shots = shots;
  count_bytes(op);
cleanup:
  return status;
}

static hk_status create_elements(hk_operator *op)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  elements *s = NULL;
  sorting k = {0};
  listing l = {0};
  HK_TRY(hk_new(&s));
  op->data = s;
  s->group = info->compiles ? info->group_threads * info->lanes : HOST_GROUP;
  HK_TRY(sort(s, &op->desc, &k));
  for (int b = 0; b < s->batches; b++) HK_TRY(fill_batch(&op->desc, &s->batch[b], k.order));
  HK_TRY(place_corners(s, &op->desc));
  HK_TRY(list_corners(s, &op->desc, k.order, &l));
  for (int b = 0; b < s->batches; b++)
    HK_TRY(element_kernel(op, &s->batch[b], "elements_product", &s->batch[b].product));
  op->groups = (op->desc.space->padded + s->group - 1) / s->group;
  HK_TRY(make_room(op, 1));
cleanup:
  hk_free(&k.lowest);
  hk_free(&k.begin);
  hk_free(&k.order);
  hk_free(&l.length);
  hk_free(&l.slice);
  return status;
}

static hk_status bind_elements(hk_operator *op, hk_form form, bool damped, int shots)
{
  hk_status status = HK_OK;
  elements *s = op->data;
  HK_TRY(make_room(op, shots));
  if (!s->step[form][damped])
    HK_TRY(corner_kernel(op, "corners_step", form, damped, &s->step[form][damped]));
cleanup:
  return status;
}

static hk_count groups_of(const elements *s, hk_index count)
{
  return (count + s->group - 1) / s->group;
}

static hk_status apply_elements(hk_operator *op, const hk_epilogue *epilogue)
{
  hk_status status = HK_OK;
  const elements *s = op->data;
  const hk_space *space = op->desc.space;
  const int shots = epilogue->shots ? epilogue->shots : 1;
  hk_argument argument[HK_STATE_ARGUMENTS + 5];
  for (int b = 0; b < s->batches; b++) {
    const batch *own = &s->batch[b];
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
    HK_TRY(hk_epilogue_launch(epilogue, own->product, 0, groups_of(s, own->padded), product, 10));
  }
  hk_epilogue_arguments(op, epilogue, argument);
  argument[HK_STATE_ARGUMENTS] = hk_arg_buffer(s->slice);
  argument[HK_STATE_ARGUMENTS + 1] = hk_arg_buffer(s->list);
  argument[HK_STATE_ARGUMENTS + 2] = hk_arg_buffer(s->corner);
  argument[HK_STATE_ARGUMENTS + 3] = hk_arg_int(space->padded);
  argument[HK_STATE_ARGUMENTS + 4] = hk_arg_int((int32_t)s->corners);
  HK_TRY(hk_epilogue_launch(epilogue, s->step[epilogue->form][epilogue->damped], 0, op->groups,
                            argument, HK_STATE_ARGUMENTS + 5));
cleanup:
  return status;
}

/* Component by component through the corners of the product. */
static hk_status diagonal_part(hk_operator *op, hk_kernel *const *kernel, hk_kernel *sum, int place,
                               hk_buffer *out)
{
  hk_status status = HK_OK;
  const elements *s = op->data;
  const int components = op->desc.space->components;
  for (int b = 0; b < s->batches; b++) {
    const batch *own = &s->batch[b];
    const hk_argument argument[] = {hk_arg_buffer(own->matrix),      hk_arg_buffer(s->corner),
                                    hk_arg_int(own->first),          hk_arg_int(own->padded),
                                    hk_arg_int(own->element->nodes), hk_arg_int(place / components),
                                    hk_arg_int(place % components)};
    HK_TRY(hk_kernel_launch(kernel[b], 0, groups_of(s, own->padded), argument, 7));
  }
  const hk_argument argument[] = {hk_arg_buffer(s->slice),
                                  hk_arg_buffer(s->list),
                                  hk_arg_buffer(s->corner),
                                  hk_arg_buffer(out),
                                  hk_arg_int(op->desc.space->padded),
                                  hk_arg_int(components * components),
                                  hk_arg_int(place)};
  HK_TRY(hk_kernel_launch(sum, 0, op->groups, argument, 7));
cleanup:
  return status;
}

static hk_status diagonal_elements(hk_operator *op, hk_buffer *out)
{
  hk_status status = HK_OK;
  const elements *s = op->data;
  const int components = op->desc.space->components;
  hk_kernel *kernel[BATCHES] = {0}, *sum = NULL;
  HK_TRY(corner_kernel(op, "corners_sum", HK_FORM_STORE, false, &sum));
  for (int b = 0; b < s->batches; b++)
    HK_TRY(element_kernel(op, &s->batch[b], "elements_diagonal", &kernel[b]));
  for (int place = 0; place < components * components; place++)
    HK_TRY(diagonal_part(op, kernel, sum, place, out));
  HK_TRY(hk_device_finish(op->desc.device));
cleanup:
  hk_kernel_destroy(&sum);
  for (int b = 0; b < BATCHES; b++) hk_kernel_destroy(&kernel[b]);
  return status;
}

hk_status hk_elements_prepare(hk_operator *op)
{
  hk_status status = HK_OK;
  elements *s = op->data;
  for (int b = 0; b < s->batches; b++)
    if (!s->batch[b].jacobi)
      HK_TRY(element_kernel(op, &s->batch[b], "elements_jacobi", &s->batch[b].jacobi));
  if (!s->weigh) HK_TRY(corner_kernel(op, "corners_weigh", HK_FORM_STORE, false, &s->weigh));
cleanup:
  return status;
}

hk_status hk_elements_jacobi(hk_operator *op, const hk_buffer *u, const hk_buffer *f,
                             const hk_buffer *inverse, hk_buffer *out)
{
  hk_status status = HK_OK;
  const elements *s = op->data;
  for (int b = 0; b < s->batches; b++) {
    const batch *own = &s->batch[b];
    const hk_argument argument[] = {
        hk_arg_buffer(own->node), hk_arg_buffer(own->matrix), hk_arg_buffer(u),
        hk_arg_buffer(f),         hk_arg_buffer(inverse),     hk_arg_buffer(s->corner),
        hk_arg_int(own->first),   hk_arg_int(own->padded),    hk_arg_int(own->element->nodes)};
    HK_TRY(hk_kernel_launch(own->jacobi, 0, groups_of(s, own->padded), argument, 9));
  }
  const hk_argument argument[] = {hk_arg_buffer(s->slice),
                                  hk_arg_buffer(s->list),
                                  hk_arg_buffer(s->corner),
                                  hk_arg_buffer(inverse),
                                  hk_arg_buffer(u),
                                  hk_arg_buffer(out),
                                  hk_arg_int(op->desc.space->padded)};
  HK_TRY(hk_kernel_launch(s->weigh, 0, op->groups, argument, 7));
cleanup:
  return status;
}

const hk_operator_kind hk_operator_elements = {
    .name = "elements",
    .by_name = true,
    .scalar = true,
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
