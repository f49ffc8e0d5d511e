/* The form of K of Huthwaite (2014): a group of threads computes one block of nodes and keeps the
 * displacements that it reads in a tile of local memory. This file makes the operator: its
 * numbering by blocks, its memory, its kernels (blocks.k.h) and the bytes of a step by the paper's
 * own count (K.7). blocks_pack.c makes the lists. docs/blocks.md lists what differs from the paper,
 * docs/theory/stiffness.md gives the product (K.1). */
#include "papers/blocks.h"
#include "papers/pogo/count.h"
#include "element/element.h"
#include "operator/rows/rows.h"
#include <math.h>
#include <string.h>

/* HOST_LOCAL: tile that the host's variants are compiled for. DOUBLE_REGISTERS: of a thread in double precision, at least. */
enum { SIZE = 512, HOST_LOCAL = 5120, DOUBLE_REGISTERS = 42, ROW = HK_BLOCK_COLUMNS };

typedef struct block_form {
  hk_block_lists list;
  int threads; /* of a group */
  hk_kernel *kernel[HK_FORM_COUNT][2];
} block_form;

static hk_space_desc space_blocks(const hk_mesh *mesh, const hk_device *device,
                                  bool double_precision)
{
  (void)double_precision;
  (void)mesh, (void)device;
  return (hk_space_desc){
      .patch = SIZE, .slice = ROW, .blocks = true, .partition = HK_PARTITION_ALIGNED};
}

static bool serves_blocks(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->dim != 2 || !hk_element_of(mesh->block[b].shape)->steps) return false;
  return mesh->block_count > 0;
}

/* Of blocks that are full, with so many numbers per link; links of the node with most of 32. */
static hk_count plan_lists(const hk_mesh *mesh, int numbers, bool double_precision)
{
  static const double of[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 6.4, [HK_QUAD4] = 8, [HK_TRI6] = 11, [HK_QUAD8] = 15};
  const hk_block_layout layout = hk_block_layout_of(mesh->dim, SIZE);
  const double blocks = ceil((double)mesh->node_count / SIZE);
  double links = 0;
  for (int b = 0; b < mesh->block_count; b++)
    links += of[mesh->block[b].shape] * (double)mesh->block[b].count / (double)mesh->element_count;
  return (hk_count)(blocks * (SIZE * links * (2 + numbers * (double_precision ? 8 : 4)) +
                              4 * (layout.loads + layout.rows)));
}

static hk_count plan_blocks(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)device;
  return plan_lists(mesh, 4, double_precision);
}

static hk_count plan_scalar(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)device;
  return plan_lists(mesh, 1, double_precision);
}

/* Node -> elements or, once it is freed, the patterns of about as many bytes; the numbers block by block. */
static hk_count making_blocks(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)device, (void)double_precision;
  return hk_matrix_plan(mesh) + 8 * mesh->node_count;
}

/* Bytes that a tile takes of local memory. */
static hk_count tile_bytes(const hk_operator *op)
{
  const hk_block_layout *k = &op->desc.space->links->layout;
  return hk_local_bytes((hk_count)(k->size + k->linked) * op->desc.space->components,
                        op->desc.double_precision ? 8 : 4);
}

static hk_status check_tile(const hk_operator *op)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_block_layout *k = &op->desc.space->links->layout;
  const bool held = !info->local_memory || tile_bytes(op) <= info->local_memory;
  if (held && hk_kernel_fits(info, k->size + k->linked, HOST_LOCAL)) return HK_OK;
  return hk_error_set(HK_NO_RESOURCES,
                      "blocks of %d nodes are too large for the local memory of device %s; "
                      "partition into smaller ones (`hooke partition --size=512`)",
                      k->size, info->backend);
}

/* A thread per node, as in the paper, where the device has so many. */
static int threads_of(const hk_operator *op)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const int size = op->desc.space->links->layout.size;
  return size <= info->most_threads ? size : info->group_threads;
}

static hk_status create_blocks(hk_operator *op)
{
  block_form *s = NULL;
  hk_buffer *const *buffer;

  HK_PASS(hk_pool_get(&op->pool, &s, 1));
  op->data = s, buffer = s->list.buffer;
  s->threads = threads_of(op);
  op->groups =
      op->desc.space->patches * hk_loss_groups(hk_device_describe(op->desc.device), s->threads);
  HK_PASS(check_tile(op));
  HK_PASS(hk_blocks_pack(&op->desc, &op->pool, &s->list));
  for (int m = 0; m < HK_BLOCK_BUFFERS; m++) op->memory += hk_buffer_bytes(buffer[m]);
  op->bytes = op->memory;
  op->counted =
      hk_blocks_count_bytes(&(hk_block_count){.layout = op->desc.space->links->layout,
                                              .blocks = op->desc.space->patches,
                                              .links = s->list.links,
                                              .warp_links = s->list.warp_links,
                                              .components = op->desc.space->components,
                                              .double_precision = op->desc.double_precision},
                            NULL);
  return HK_OK;
}

/* Groups that share a multiprocessor: all its threads, in double precision fewer so that registers suffice. */
static int resident_groups(const hk_operator *op, int threads)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_multiprocessor *on = &info->multiprocessor;
  const int most = on->registers / DOUBLE_REGISTERS / info->lockstep * info->lockstep;
  const int all = op->desc.double_precision && most < on->threads ? most : on->threads;
  return all < threads ? 1 : all / threads;
}

static hk_status bind_blocks(hk_operator *op, hk_form form, bool damped, int shots)
{
  block_form *s = op->data;
  const hk_block_layout *k = &op->desc.space->links->layout;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  hk_kernel_desc desc = {
      .text = "blocks",
      .function = "blocks_step",
      .early = true,
      .double_precision = op->desc.double_precision,
      .threads = s->threads,
      .define = {{"DAMPED", damped}, {"DIM", op->desc.space->components}, {"FORM", (int)form}},
      .local = tile_bytes(op)};
  (void)shots;
  if (s->kernel[form][damped]) return HK_OK;
  hk_kernel_specialise(&desc, "GROUPS", resident_groups(op, s->threads));
  hk_kernel_define(&desc, "MAX_LOCAL", hk_kernel_size(info, k->size + k->linked, HOST_LOCAL));
  hk_kernel_specialise(&desc, "MAX_SIZE", k->size);
  return hk_kernel_get(&op->pool, op->desc.device, &desc, &s->kernel[form][damped]);
}

static hk_status apply_blocks(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  block_form *s = op->data;
  const hk_block_layout *k = &op->desc.space->links->layout;
  const hk_index blocks = op->desc.space->patches;
  hk_argument argument[HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS + 3];
  const hk_argument number[] = {hk_arg_int(blocks), hk_arg_int(k->size),
                                hk_arg_int(k->load[0] | k->load[1] << 10 | k->load[2] << 20)};
  (void)phases;
  hk_epilogue_arguments(op, epilogue, argument);
  for (int m = 0; m < HK_BLOCK_BUFFERS; m++)
    argument[HK_STATE_ARGUMENTS + m] = hk_arg_buffer(s->list.buffer[m]);
  memcpy(argument + HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS, number, sizeof number);
  return hk_epilogue_launch(epilogue, s->kernel[epilogue->form][epilogue->damped],
                            (hk_groups){0, blocks}, argument,
                            HK_STATE_ARGUMENTS + HK_BLOCK_BUFFERS + 3);
}

const hk_operator_kind hk_operator_blocks = {
    .name = "blocks",
    .elements = "tri3, quad4, tri6 and quad8",
    .steps = true,
    .scalar = true,
    .space = space_blocks,
    .serves = serves_blocks,
    .plan = plan_blocks,
    .plan_scalar = plan_scalar,
    .making = making_blocks,
    .create = create_blocks,
    .bind = bind_blocks,
    .apply = apply_blocks,
};
