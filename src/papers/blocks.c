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

/* HOST_LOCAL: nodes of the tile that the host's variants are compiled for. */
enum { SIZE = HK_BLOCK_SIZE, HOST_LOCAL = 5120, ROW = HK_BLOCK_COLUMNS };

typedef struct block_form {
  hk_block_lists list;
  int threads; /* of a group */
  hk_kernel *kernel[HK_FORM_COUNT][HK_DAMPINGS];
} block_form;

/* Bytes that a tile takes of local memory: a node has a record of 1, 2 or 4 reals. */
static hk_count tile_bytes(const hk_block_layout *k, int components, bool double_precision)
{
  const int record = components == 1 ? 1 : 2 * components - 2;
  return hk_local_bytes((hk_count)(k->size + k->linked) * record, double_precision ? 8 : 4);
}

/* The paper's 512 nodes, or as many as the device's local memory holds with what they are linked to. */
static int size_of(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_count most = hk_device_describe(device)->local_memory;
  for (int size = SIZE; size > ROW; size /= 2) {
    const hk_block_layout k = hk_block_layout_of(mesh->dim, size);
    if (!most || tile_bytes(&k, mesh->dim, double_precision) <= most) return size;
  }
  return ROW;
}

static hk_space_desc space_blocks(const hk_mesh *mesh, const hk_device *device,
                                  bool double_precision)
{
  return (hk_space_desc){.patch = size_of(mesh, device, double_precision),
                         .slice = ROW,
                         .blocks = true,
                         .partition = hk_partition_default(mesh->dim)};
}

static bool serves_blocks(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (!hk_element_of(mesh->block[b].shape)->steps) return false;
  return mesh->block_count > 0;
}

/* Of blocks that are full, with so many numbers per link; links of the node with most of 32. */
static hk_count plan_lists(const hk_mesh *mesh, int numbers, const hk_device *device,
                           bool double_precision)
{
  static const double of[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 6.4, [HK_QUAD4] = 8,  [HK_TET4] = 14.2, [HK_HEX8] = 26,   [HK_TRI6] = 12.5,
      [HK_QUAD8] = 16, [HK_TET10] = 36, [HK_HEX20] = 59,  [HK_WEDGE15] = 47};
  const int size = size_of(mesh, device, double_precision);
  const hk_block_layout layout = hk_block_layout_of(mesh->dim, size);
  const double blocks = ceil((double)mesh->node_count / size);
  double links = 0;
  for (int b = 0; b < mesh->block_count; b++)
    links += of[mesh->block[b].shape] * (double)mesh->block[b].count / (double)mesh->element_count;
  return (hk_count)(blocks * (size * links * (2 + numbers * (double_precision ? 8 : 4)) +
                              4 * (layout.loads + layout.rows)));
}

static hk_count plan_blocks(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_lists(mesh, mesh->dim * mesh->dim, device, double_precision);
}

static hk_count plan_scalar(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_lists(mesh, 1, device, double_precision);
}

/* The numbers block by block, beside the elements of patches and their patterns. */
static hk_count making_blocks(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return hk_matrix_making(mesh, plan_blocks(mesh, device, double_precision)) + 8 * mesh->node_count;
}

static hk_count tile_of(const hk_operator *op)
{
  const hk_space *space = op->desc.space;
  return tile_bytes(&space->links->layout, space->components, op->desc.double_precision);
}

static hk_status check_tile(const hk_operator *op)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_block_layout *k = &op->desc.space->links->layout;
  const bool held = !info->local_memory || tile_of(op) <= info->local_memory;
  if (held && hk_kernel_fits(info, k->size + k->linked, HOST_LOCAL)) return HK_OK;
  return hk_error_set(HK_NO_RESOURCES,
                      "blocks of %d nodes are too large for the local memory of device %s; "
                      "partition into smaller ones (`hooke partition --size=%d`)",
                      k->size, info->backend,
                      size_of(op->desc.space->mesh, op->desc.device, op->desc.double_precision));
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

/* Groups that share a multiprocessor: all its threads, or fewer so that each has registers for its sums and the blocks in flight. */
static int resident_groups(const hk_operator *op, int threads)
{
  static const int registers[2][2] = {{32, 42}, {42, 64}}; /* at least; of solids in 3D */
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_multiprocessor *on = &info->multiprocessor;
  const int least = registers[op->desc.space->components == 3][op->desc.double_precision];
  const int most = on->registers / least / info->lockstep * info->lockstep;
  const int all = most < on->threads ? most : on->threads;
  return all < threads ? 1 : all / threads;
}

static hk_status bind_blocks(hk_operator *op, hk_form form, int damped, int shots)
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
      .local = tile_of(op)};
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
    .elements = "tri3, quad4, tet4, hex8, tri6, quad8, tet10, hex20 and wedge15",
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
