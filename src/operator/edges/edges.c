/* The forms `edges` and `edges-packed`: K by pairs of nodes (K.2)-(K.4), on every device. Chooses the size of a patch so that GROUPS
 * groups share a multiprocessor's local memory, packs the lists by pack.h, makes the kernel of edges.k.h, and plans memory
 * from the means of means.h before anything is made. */
#include "element/element.h"
#include "operator/edges/means.h"
#include "operator/edges/pack.h"
#include "operator/list.h"

/* Of the host, whose variants are compiled for them; slots: OWNED per node, and one row of zeros for
 * padding. */
enum { PATCH = 1024, OWNED = 32, MAX_LOCAL = 16384 };
/* Where groups have threads: so many at once in the local memory, single and double; a small memory takes one. Measured on an H200. */
enum { GROUPS = 3, GROUPS_DOUBLE = 2, MOST_PATCH = 256 };

typedef struct edges {
  hk_buffer *list[HK_EDGES_LISTS];
  hk_edges_sizes size; /* what the kernel is compiled for */
  int threads;
  hk_kernel *kernel[HK_FORM_COUNT][HK_DAMPINGS];
} edges;

static hk_edges_format format_of(const hk_mesh *mesh, const hk_device *device,
                                 bool double_precision, bool packed)
{
  return (hk_edges_format){.dim = mesh->dim,
                           .width = hk_device_describe(device)->width,
                           .double_precision = double_precision,
                           .packed = packed};
}

/* The largest lists of a patch of the mesh, beside those of the mean one. */
static hk_edges_sizes estimate_sizes(const hk_mesh *mesh, hk_index patch, int width)
{
  const hk_edges_means mean = hk_edges_mean(mesh, patch);
  const double uneven = 1.15, padded = 1.5, slices = (double)patch / width;
  return (hk_edges_sizes){.staged = true,
                          .local = (hk_index)(patch * (1 + uneven * mean.halo)),
                          .pairs = (hk_index)(slices * uneven * (mean.pairs + mean.cut)),
                          .gathers = (hk_index)(slices * padded * (mean.pairs - mean.cut))};
}

/* Nodes of a patch: as many as leave room for the others that run at the same time. */
static hk_index patch_of(const hk_mesh *mesh, const hk_device *device,
                         const hk_edges_format *format)
{
  const hk_device_info *info = hk_device_describe(device);
  const hk_count all = info->multiprocessor.local_memory - info->multiprocessor.reserved;
  const hk_count memory = info->local_memory && info->local_memory < all ? info->local_memory : all;
  const int groups = !hk_device_has_room(info)  ? 1
                     : format->double_precision ? GROUPS_DOUBLE
                                                : GROUPS;
  hk_index patch = info->width;
  for (hk_index next = patch; next <= MOST_PATCH; next += info->width) {
    const hk_edges_sizes size = estimate_sizes(mesh, next, info->width);
    if (hk_edges_local(format, next, &size) <= memory / groups) patch = next;
  }
  return hk_kernel_size(info, patch, PATCH);
}

static hk_space_desc space_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                              bool packed)
{
  const hk_device_info *info = hk_device_describe(device);
  const hk_edges_format format = format_of(mesh, device, double_precision, packed);
  return (hk_space_desc){.patch = patch_of(mesh, device, &format),
                         .slice = info->width,
                         .sort_valence = true,
                         .leaving_twice = hk_device_has_groups(info)};
}

/* Lists as long as the longest of a slice. */
static const double PADDED = 1.02;

/* Of one material; each pair on an interface adds two twists. */
static hk_count plan_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                        bool packed)
{
  const double gathered = mesh->dim == 3 ? 1.1 : 1.03;
  const hk_edges_format format = format_of(mesh, device, double_precision, packed);
  const hk_edges_means mean = hk_edges_mean(mesh, patch_of(mesh, device, &format));
  const int dim = mesh->dim, real = double_precision ? 8 : 4;
  const double bytes = PADDED * (mean.pairs + mean.cut) * (hk_edges_block_bytes(&format) + 2) +
                       gathered * (mean.pairs - mean.cut) * 2 +
                       PADDED * mean.twists * ((2 * dim - 3) * real + 2) + mean.halo * 4 +
                       16.0 / format.width;
  return (hk_count)(bytes * (double)mesh->node_count);
}

static hk_count blocks_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                          bool packed)
{
  const hk_edges_format format = format_of(mesh, device, double_precision, packed);
  const hk_edges_means mean = hk_edges_mean(mesh, patch_of(mesh, device, &format));
  return (hk_count)(PADDED * (mean.pairs + mean.cut) * hk_edges_block_bytes(&format) *
                    (double)mesh->node_count);
}

/* Through which blocks pass to a device with a memory of its own; 0: they are written in place. */
static hk_count window_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                          bool packed)
{
  const hk_count blocks = blocks_of(mesh, device, double_precision, packed),
                 room = hk_memory_room(HK_EDGES_WINDOW);
  if (!hk_device_describe(device)->own_memory) return 0;
  return blocks < room ? blocks : room;
}

/* Of the plan, what the host holds until the device has it. */
static hk_count waiting_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                           bool packed)
{
  const hk_count plan = plan_of(mesh, device, double_precision, packed),
                 window = window_of(mesh, device, double_precision, packed);
  return window ? plan - blocks_of(mesh, device, double_precision, packed) + window : plan;
}

static hk_count making_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                          bool packed)
{
  const hk_edges_format format = format_of(mesh, device, double_precision, packed);
  return hk_edges_making(mesh, patch_of(mesh, device, &format), format.width,
                         double_precision ? 8 : 4,
                         waiting_of(mesh, device, double_precision, packed),
                         window_of(mesh, device, double_precision, packed));
}

static bool is_packed(const hk_operator *op)
{
  return op->kind == &hk_operator_edges_packed;
}

static hk_status create_edges(hk_operator *op)
{
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_space *space = op->desc.space;
  const hk_edges_limits limits = {.local = MAX_LOCAL,
                                  .owned = OWNED,
                                  .stages = hk_device_has_groups(info),
                                  .packed = is_packed(op),
                                  .memory = info->local_memory};
  edges *s = NULL;
  HK_PASS(hk_pool_get(&op->pool, &s, 1));
  op->data = s;
  s->threads = info->group_threads;
  if (space->patch <= info->most_threads) s->threads = space->patch;
  op->rows = true;
  op->groups = space->patches * hk_loss_groups(info, s->threads);
  HK_PASS(hk_edges_pack(&op->desc, &op->pool, limits, s->list, &s->size));
  s->size.local = hk_kernel_size(info, s->size.local, MAX_LOCAL);
  s->size.slots = hk_kernel_size(info, s->size.slots, OWNED * PATCH + info->width);
  for (int m = 0; m < HK_EDGES_LISTS; m++) op->memory += hk_buffer_bytes(s->list[m]);
  op->bytes = op->memory;
  return HK_OK;
}

static hk_status bind_edges(hk_operator *op, hk_form form, int damped, int shots)
{
  (void)shots;
  edges *s = op->data;
  const hk_operator_desc *d = &op->desc;
  const hk_index patch = d->space->patch;
  const hk_edges_format format =
      format_of(d->space->mesh, d->device, d->double_precision, is_packed(op));
  hk_kernel_desc desc = {.text = "edges",
                         .function = "edges_step",
                         .early = true,
                         .double_precision = d->double_precision,
                         .define = {{"DAMPED", damped},
                                    {"DIM", format.dim},
                                    {"FORM", (int)form},
                                    {"MAX_LOCAL", s->size.local},
                                    {"MAX_SLOTS", s->size.slots},
                                    {"PACKED", format.packed},
                                    {"PATCH", patch}},
                         .local = hk_edges_local(&format, patch, &s->size),
                         .threads = s->threads};
  if (s->kernel[form][damped]) return HK_OK;
  hk_kernel_specialise(&desc, "MAX_GATHERS", s->size.gathers);
  hk_kernel_specialise(&desc, "MAX_PAIRS", s->size.pairs);
  hk_kernel_specialise(&desc, "STAGED", s->size.staged);
  return hk_kernel_get(&op->pool, d->device, &desc, &s->kernel[form][damped]);
}

static hk_status apply_edges(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  edges *s = op->data;
  hk_argument argument[HK_STATE_ARGUMENTS + HK_EDGES_LISTS];
  hk_epilogue_arguments(op, epilogue, argument);
  for (int m = 0; m < HK_EDGES_LISTS; m++)
    argument[HK_STATE_ARGUMENTS + m] = hk_arg_buffer(s->list[m]);
  return hk_epilogue_launch(epilogue, s->kernel[epilogue->form][epilogue->damped],
                            hk_groups_of_rows(op, phases, op->desc.space->patch), argument,
                            HK_STATE_ARGUMENTS + HK_EDGES_LISTS);
}

static hk_space_desc space_full(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return space_of(mesh, device, double_precision, false);
}

static hk_count plan_full(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, device, double_precision, false);
}

static hk_count waiting_full(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return waiting_of(mesh, device, double_precision, false);
}

static hk_count making_full(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return making_of(mesh, device, double_precision, false);
}

static hk_space_desc space_packed(const hk_mesh *mesh, const hk_device *device,
                                  bool double_precision)
{
  return space_of(mesh, device, double_precision, true);
}

static hk_count plan_packed(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return plan_of(mesh, device, double_precision, true);
}

static hk_count waiting_packed(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return waiting_of(mesh, device, double_precision, true);
}

static hk_count making_packed(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return making_of(mesh, device, double_precision, true);
}

static bool serves_full(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (!hk_shape_listed(mesh->block[b].shape)) return false;
  return mesh->block_count > 0;
}

static bool serves_packed(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape != HK_TET4 && mesh->block[b].shape != HK_HEX8) return false;
  return mesh->block_count > 0;
}

const hk_operator_kind hk_operator_edges = {
    .name = "edges",
    .elements = "all shapes but spectral ones",
    .parts = hk_operator_in_rows,
    .steps = true,
    .statics = true,
    .space = space_full,
    .serves = serves_full,
    .plan = plan_full,
    .making = making_full,
    .waiting = waiting_full,
    .create = create_edges,
    .bind = bind_edges,
    .apply = apply_edges,
};

const hk_operator_kind hk_operator_edges_packed = {
    .name = "edges-packed",
    .elements = "tet4 and hex8",
    .parts = hk_operator_in_rows,
    .steps = true,
    .space = space_packed,
    .serves = serves_packed,
    .plan = plan_packed,
    .making = making_packed,
    .waiting = waiting_packed,
    .create = create_edges,
    .bind = bind_edges,
    .apply = apply_edges,
};
