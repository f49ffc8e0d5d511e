/* Spectral elements: kernels/spectral.k.h, then kernels/slots.k.h. */
#include "operator/element_matrix.h"
#include "operator/list.h"
#include "operator/spectral_map.h"
#include "operator/spectral_pack.h"
#include <math.h>
#include <string.h>

/* Nodes of a group of the host that sums slots: what its variants are compiled for. Nodes of a chunk, whose slots stay in a cache; a GPU has
 * one chunk. Threads of a GPU's group, about. */
enum { SPAN = 256, CHUNK_NODES = 32768, THREADS = 128, TEAM = 32 };

typedef struct shape { /* of the groups */
  int order, elements, threads;
  hk_index span, chunk;
  hk_count local; /* bytes */
} shape;

typedef struct spectral {
  shape size;
  int kinds;
  hk_index groups;
  hk_buffer *buffer[HK_SPECTRAL_BUFFERS];
  hk_kernel *inside[HK_FORM_COUNT][2], *slots[HK_FORM_COUNT][2];
} spectral;

/* Bytes of LOCAL memory of a group where an item has one lane. */
static hk_count local_of(int dim, int order, int elements, bool double_precision)
{
  const int side = order + 1, row = side | 1, real = double_precision ? 8 : 4;
  const hk_count one = (hk_count)(dim == 3 ? side : 1) * elements * side * row;
  return 2 * hk_local_bytes(dim * one, real) + hk_local_bytes(dim * (dim == 3 ? one : 16), real);
}

static shape shape_of(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  const int order = hk_spectral_order(mesh), columns = (int)pow(order + 1, mesh->dim - 1);
  shape s = {.order = order, .elements = 1, .threads = info->group_threads, .span = SPAN};
  if (!info->compiles) {
    const hk_index chunk = (hk_index)(CHUNK_NODES / pow(order, mesh->dim));
    s.chunk = (chunk / info->lanes + 1) * info->lanes;
    return s;
  }
  const int most = info->most_threads < THREADS ? info->most_threads : THREADS;
  if (columns < most) s.elements = most / columns;
  while (s.elements > 1 && info->local_memory &&
         local_of(mesh->dim, order, s.elements, double_precision) > info->local_memory)
    s.elements--;
  s.threads = (s.elements * columns + TEAM - 1) / TEAM * TEAM;
  s.span = s.threads;
  s.local = local_of(mesh->dim, order, s.elements, double_precision);
  return s;
}

static hk_space_desc space_spectral(const hk_mesh *mesh, const hk_device *device,
                                    bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  const shape s = shape_of(mesh, device, double_precision);
  return (hk_space_desc){.patch = s.span,
                         .slice = info->width,
                         .element_lanes = info->lanes,
                         .element_group = s.elements,
                         .element_chunk = s.chunk};
}

static bool serves_spectral(const hk_mesh *mesh)
{
  return hk_spectral_order(mesh) > 0;
}

/* Straight elements of isotropic materials. */
static hk_count plan_spectral(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_count real = double_precision ? 8 : 4, dim = mesh->dim;
  const int order = hk_spectral_order(mesh);
  (void)device;
  const hk_count surface = hk_spectral_surface(mesh->dim, order);
  return mesh->element_count * (surface * (8 + dim * real) + ((dim << dim) + 2) * real + 8);
}

/* The kinds of elements, lengths of lists, and a map with its lines per thread. */
static hk_count making_spectral(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)double_precision;
  return mesh->element_count + 4 * mesh->node_count +
         hk_device_describe(device)->threads * (hk_count)(sizeof(hk_spectral_map) * 2);
}

static void destroy_spectral(hk_operator *op)
{
  spectral *s = op->data;
  if (!s) return;
  for (int m = 0; m < HK_SPECTRAL_BUFFERS; m++) hk_buffer_destroy(&s->buffer[m]);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < 2; d++) {
      hk_kernel_destroy(&s->inside[f][d]);
      hk_kernel_destroy(&s->slots[f][d]);
    }
  hk_memory_free(&op->data);
}

static hk_status check(const hk_operator *op, const shape *s)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_space *space = op->desc.space;
  HK_CHECK(space->insides, HK_INTERNAL, "spectral elements: the nodes are not numbered for them");
  HK_CHECK(!info->compiles || !info->local_memory || s->local <= info->local_memory,
           HK_NO_RESOURCES,
           "spectral elements of order %d need %lld bytes of local memory, device %s has %lld: "
           "take a lower order, single precision or device cpu",
           s->order, (long long)s->local, info->backend, (long long)info->local_memory);
  HK_TRY(hk_element_plain_check(space->mesh, op->desc.region, op->desc.element_region,
                                op->kind->name));
cleanup:
  return status;
}

static hk_status create_spectral(hk_operator *op)
{
  hk_status status = HK_OK;
  spectral *s = NULL;
  const hk_space *space = op->desc.space;
  HK_TRY(hk_new(&s));
  op->data = s;
  s->size = shape_of(space->mesh, op->desc.device, op->desc.double_precision);
  HK_TRY(check(op, &s->size));
  HK_TRY(hk_spectral_pack(&op->desc, s->size.elements, s->buffer, &s->kinds));
  const hk_insides *by = space->insides;
  s->groups = by->batches / s->size.elements;
  op->groups = (s->groups + by->chunk_node[by->chunks + 1] / s->size.span) *
               hk_loss_groups(hk_device_describe(op->desc.device), s->size.threads);
  for (int m = 0; m < HK_SPECTRAL_BUFFERS; m++) op->memory += hk_buffer_bytes(s->buffer[m]);
  op->bytes = op->memory + hk_buffer_bytes(s->buffer[HK_SPECTRAL_SLOT]);
cleanup:
  return status;
}

static hk_kernel_desc describe(const hk_operator *op, bool damped)
{
  const spectral *s = op->data;
  return (hk_kernel_desc){.threads = s->size.threads,
                          .early = true,
                          .double_precision = op->desc.double_precision,
                          .define = {{"DAMPED", damped}, {"DIM", op->desc.space->dim}}};
}

static hk_status bind_spectral(hk_operator *op, hk_form form, bool damped, int shots)
{
  (void)shots;
  hk_status status = HK_OK;
  spectral *s = op->data;
  const bool compiles = hk_device_describe(op->desc.device)->compiles;
  hk_kernel_desc inside = describe(op, damped), slots = inside;
  if (s->slots[form][damped]) return HK_OK;
  inside.text = "spectral", inside.function = "spectral_step", inside.local = s->size.local;
  if (compiles) hk_kernel_define(&inside, "ELEMS", s->size.elements);
  hk_kernel_define(&inside, "FORM", (int)form);
  if (compiles) hk_kernel_define(&inside, "KINDS", s->kinds);
  hk_kernel_define(&inside, "ORDER", s->size.order);
  hk_kernel_define(&inside, "PARTS", 1);
  slots.text = "slots", slots.function = "slots_step";
  hk_kernel_define(&slots, "FORM", (int)form);
  hk_kernel_define(&slots, "PARTS", 1);
  hk_kernel_define(&slots, "SPAN", s->size.span);
  if (!s->inside[form][damped])
    HK_TRY(hk_kernel_create(op->desc.device, &inside, &s->inside[form][damped]));
  HK_TRY(hk_kernel_create(op->desc.device, &slots, &s->slots[form][damped]));
cleanup:
  return status;
}

/* One shot, chunk by chunk: the elements, then the nodes whose slots they alone write; the others last. */
static hk_status apply_shot(const hk_operator *op, hk_kernel *inside, hk_kernel *slots,
                            const hk_argument *elements, const hk_argument *nodes)
{
  hk_status status = HK_OK;
  const spectral *s = op->data;
  const hk_insides *by = op->desc.space->insides;
  const int size = s->size.elements;
  for (hk_index c = 0; c <= by->chunks; c++) {
    if (c < by->chunks)
      HK_TRY(hk_kernel_launch(inside, by->chunk_batch[c] / size,
                              (by->chunk_batch[c + 1] - by->chunk_batch[c]) / size, elements,
                              HK_STATE_ARGUMENTS + 6));
    const hk_index first = by->chunk_node[c] / s->size.span,
                   end = by->chunk_node[c + 1] / s->size.span;
    if (end > first)
      HK_TRY(
          hk_kernel_launch(slots, s->groups + first, end - first, nodes, HK_STATE_ARGUMENTS + 5));
  }
cleanup:
  return status;
}

static hk_status apply_spectral(hk_operator *op, const hk_epilogue *epilogue)
{
  hk_status status = HK_OK;
  const spectral *s = op->data;
  const hk_insides *by = op->desc.space->insides;
  hk_argument elements[HK_STATE_ARGUMENTS + 6], nodes[HK_STATE_ARGUMENTS + 5];
  hk_argument *own = elements + HK_STATE_ARGUMENTS, *sum = nodes + HK_STATE_ARGUMENTS;
  hk_epilogue_arguments(op, epilogue, elements);
  memcpy(nodes, elements, HK_STATE_ARGUMENTS * sizeof *nodes);
  for (int m = 0; m <= HK_SPECTRAL_SLOT; m++) own[m] = hk_arg_buffer(s->buffer[m]);
  own[4] = hk_arg_int(by->chunk_node[by->chunks + 1]);
  sum[0] = hk_arg_buffer(s->buffer[HK_SPECTRAL_SLICE]);
  sum[1] = hk_arg_buffer(s->buffer[HK_SPECTRAL_FROM]);
  sum[2] = hk_arg_buffer(s->buffer[HK_SPECTRAL_SLOT]);
  sum[3] = hk_arg_int(s->groups);
  for (int shot = 0; shot < (epilogue->shots ? epilogue->shots : 1); shot++) {
    own[5] = sum[4] = hk_arg_int(shot);
    HK_TRY(apply_shot(op, s->inside[epilogue->form][epilogue->damped],
                      s->slots[epilogue->form][epilogue->damped], elements, nodes));
  }
cleanup:
  return status;
}

const hk_operator_kind hk_operator_spectral = {
    .name = "spectral",
    .space = space_spectral,
    .serves = serves_spectral,
    .plan = plan_spectral,
    .making = making_spectral,
    .mass = hk_spectral_mass,
    .create = create_spectral,
    .bind = bind_spectral,
    .apply = apply_spectral,
    .destroy = destroy_spectral,
};
