/* K by pairs of nodes: kernels/edges.k.h. */
#include "operator/edges_pack.h"
#include "operator/rows.h"
#include <math.h>

/* Of the host, whose variants are compiled for them; slots: OWNED per node, and one row of zeros for
 * padding. */
enum { PATCH = 1024, OWNED = 16, MAX_LOCAL = 16384 };
/* Of a device that compiles: so many groups at once in its local memory, single and double, of at most
 * MOST_SHARED; a small memory takes one. Measured on an H200. */
enum { GROUPS = 3, GROUPS_DOUBLE = 2, MOST_PATCH = 256, LARGE_MEMORY = 96 << 10 };
enum { MOST_SHARED = 227 << 10 };

typedef struct edges {
  hk_buffer *list[HK_EDGES_LISTS];
  hk_edges_sizes size; /* what the kernel is compiled for */
  int threads;
  hk_kernel *kernel[HK_FORM_COUNT][2];
} edges;

static bool serves_edges(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    if (s != HK_TRI3 && s != HK_QUAD4 && s != HK_TET4 && s != HK_HEX8) return false;
  }
  return mesh->block_count > 0;
}

/* What a node has on average, from Euler's formula for a solid (disk) without holes; C cells, F faces,
 * B faces (2D: edges) on the boundary:
 *   2D  E = V + F, B = 2 V - tri - 2 quad;  pairs = E + 2 quad
 *   3D  E = V + F - C, 2 F = 4 tet + 6 hex + B;  pairs = E + 2 per quadrilateral + 4 hex
 * B of hexes = 2 (V - hex); of tets that of a cube. A pair cut by patches is held twice: `cut` per node
 * of a large mesh in patches of PATCH, measured, less where patches end at the boundary. */
typedef struct node_means {
  double pairs, cut, halo, twists;
} node_means;

static node_means estimate_means(const hk_mesh *mesh, hk_index patch)
{
  static const node_means by_shape[HK_SHAPE_COUNT] = {[HK_TRI3] = {1, 0.12, 0.16, 2},
                                                      [HK_QUAD4] = {3, 0.145, 0.17, 2},
                                                      [HK_TET4] = {1, 1.67, 0.9, 3},
                                                      [HK_HEX8] = {12, 3.1, 1.02, 8}};
  const double nodes = (double)mesh->node_count, dim = mesh->dim;
  const double inside =
      fmax(0, 1 - pow(patch / nodes, 1 / dim)) * pow((double)PATCH / (double)patch, 1 / dim);
  node_means mean = {.pairs = 1};
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const node_means *m = &by_shape[block->shape];
    const double part = (double)block->count / (double)mesh->element_count;
    const double per_node = (double)block->count / nodes;
    double boundary = 0;
    switch (block->shape) {
    case HK_TRI3: boundary = fmax(0, 2 * part - per_node); break;
    case HK_QUAD4: boundary = fmax(0, 2 * (part - per_node)); break;
    case HK_TET4: boundary = part * 12 / cbrt(nodes); break;
    default: boundary = fmax(0, 2 * (part - per_node));
    }
    mean.pairs += m->pairs * per_node;
    if (dim == 3) mean.pairs += boundary * (block->shape == HK_TET4 ? 0.5 : 1.5);
    mean.cut += part * m->cut * inside;
    mean.halo += part * m->halo * inside;
    mean.twists += boundary * m->twists;
  }
  return mean;
}

/* The largest lists of a patch of the mesh, beside those of the mean one. */
static hk_edges_sizes estimate_sizes(const hk_mesh *mesh, hk_index patch, int width)
{
  const node_means mean = estimate_means(mesh, patch);
  const double uneven = 1.15, padded = 1.5, slices = (double)patch / width;
  return (hk_edges_sizes){.staged = true,
                          .local = (hk_index)(patch * (1 + uneven * mean.halo)),
                          .pairs = (hk_index)(slices * uneven * (mean.pairs + mean.cut)),
                          .gathers = (hk_index)(slices * padded * (mean.pairs - mean.cut))};
}

/* Nodes of a patch: as many as leave room for the others that run at the same time. */
static hk_index patch_of(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  const int real = double_precision ? 8 : 4, w = info->width;
  const bool bound = info->local_memory && info->local_memory < MOST_SHARED;
  const hk_count memory = bound ? info->local_memory : MOST_SHARED;
  const int groups = memory < LARGE_MEMORY ? 1 : double_precision ? GROUPS_DOUBLE : GROUPS;
  hk_index patch = w;
  if (!info->compiles) return PATCH;
  for (hk_index next = w; next <= MOST_PATCH; next += w) {
    const hk_edges_sizes size = estimate_sizes(mesh, next, w);
    if (hk_edges_local(mesh->dim, real, w, next, &size) <= memory / groups) patch = next;
  }
  return patch;
}

static hk_space_desc space_edges(const hk_mesh *mesh, const hk_device *device,
                                 bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  return (hk_space_desc){.patch = patch_of(mesh, device, double_precision),
                         .slice = info->width,
                         .sort_valence = true,
                         .leaving_twice = info->compiles};
}

/* Of one material; each pair on an interface adds two twists. */
static hk_count plan_edges(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const double padded = 1.02, gathered = mesh->dim == 3 ? 1.1 : 1.03;
  const node_means mean = estimate_means(mesh, patch_of(mesh, device, double_precision));
  const int dim = mesh->dim, real = double_precision ? 8 : 4, block = dim * (dim + 1) / 2 * real;
  const double bytes = padded * (mean.pairs + mean.cut) * (block + 2) +
                       gathered * (mean.pairs - mean.cut) * 2 +
                       padded * mean.twists * ((2 * dim - 3) * real + 2) + mean.halo * 4 +
                       16.0 / hk_device_describe(device)->width;
  return (hk_count)(bytes * (double)mesh->node_count);
}

/* Of rows.c, and the places of pairs. Elements touched by a patch are those of its nodes and of half of its halo. */
static double pattern_bytes(const hk_mesh *mesh, const node_means *mean)
{
  double bytes = (double)mesh->node_count * (4 * mean->halo + 4 + 4 * (1 + 2 * mean->pairs));
  for (int b = 0; b < mesh->block_count; b++)
    bytes += (double)mesh->block[b].count * (4 + 2 * mesh->block[b].nodes) * (1 + mean->halo / 2);
  return bytes;
}

/* The patterns; with them first node -> elements (K is not touched by then), then the slices' offsets and the
 * twists a second time. What each thread has of one patch is in place of patterns that are freed. */
static hk_count making_edges(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const node_means mean = estimate_means(mesh, patch_of(mesh, device, double_precision));
  const int dim = mesh->dim, real = double_precision ? 8 : 4;
  const double packing = (double)mesh->node_count * (16.0 / hk_device_describe(device)->width +
                                                     mean.twists * ((2 * dim - 3) * real + 2)),
               first = (double)(hk_matrix_plan(mesh) - plan_edges(mesh, device, double_precision));
  return (hk_count)(pattern_bytes(mesh, &mean) + fmax(first, packing));
}

static void destroy_edges(hk_operator *op)
{
  edges *s = op->data;
  if (!s) return;
  for (int m = 0; m < HK_EDGES_LISTS; m++) hk_buffer_destroy(&s->list[m]);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < 2; d++) hk_kernel_destroy(&s->kernel[f][d]);
  hk_memory_free(&op->data);
}

static hk_status create_edges(hk_operator *op)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_space *space = op->desc.space;
  const hk_edges_limits limits = {
      .local = MAX_LOCAL, .owned = OWNED, .stages = info->compiles, .memory = info->local_memory};
  edges *s = NULL;
  HK_TRY(hk_new(&s));
  op->data = s;
  s->threads = info->group_threads;
  if (info->compiles && space->patch <= info->most_threads) s->threads = space->patch;
  op->groups = space->patches * hk_loss_groups(info, s->threads);
  HK_TRY(hk_edges_pack(&op->desc, limits, s->list, &s->size));
  if (!info->compiles)
    s->size = (hk_edges_sizes){.local = MAX_LOCAL, .slots = OWNED * PATCH + info->width};
  for (int m = 0; m < HK_EDGES_LISTS; m++) op->memory += hk_buffer_bytes(s->list[m]);
  op->bytes = op->memory;
cleanup:
  return status;
}

static hk_status bind_edges(hk_operator *op, hk_form form, bool damped, int shots)
{
  (void)shots;
  edges *s = op->data;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const int dim = op->desc.space->dim, real = op->desc.double_precision ? 8 : 4;
  const hk_index patch = op->desc.space->patch;
  hk_kernel_desc desc = {.text = "edges",
                         .function = "edges_step",
                         .double_precision = op->desc.double_precision,
                         .define = {{"DAMPED", damped},
                                    {"DIM", dim},
                                    {"FORM", (int)form},
                                    {"MAX_LOCAL", s->size.local},
                                    {"MAX_SLOTS", s->size.slots},
                                    {"PATCH", patch}},
                         .local = hk_edges_local(dim, real, info->width, patch, &s->size)};
  if (s->kernel[form][damped]) return HK_OK;
  if (info->compiles) {
    desc.define[6] = (hk_define){"MAX_GATHERS", s->size.gathers};
    desc.define[7] = (hk_define){"MAX_PAIRS", s->size.pairs};
    desc.define[8] = (hk_define){"STAGED", s->size.staged};
    desc.threads = s->threads;
  } else
    desc.local = 0;
  return hk_kernel_create(op->desc.device, &desc, &s->kernel[form][damped]);
}

static hk_status apply_edges(hk_operator *op, const hk_epilogue *epilogue)
{
  edges *s = op->data;
  hk_argument argument[HK_STATE_ARGUMENTS + HK_EDGES_LISTS];
  hk_epilogue_arguments(op, epilogue, argument);
  for (int m = 0; m < HK_EDGES_LISTS; m++)
    argument[HK_STATE_ARGUMENTS + m] = hk_arg_buffer(s->list[m]);
  return hk_epilogue_launch(epilogue, s->kernel[epilogue->form][epilogue->damped], 0,
                            op->desc.space->patches, argument, HK_STATE_ARGUMENTS + HK_EDGES_LISTS);
}

const hk_operator_kind hk_operator_edges = {
    .name = "edges",
    .space = space_edges,
    .serves = serves_edges,
    .plan = plan_edges,
    .making = making_edges,
    .create = create_edges,
    .bind = bind_edges,
    .apply = apply_edges,
    .destroy = destroy_edges,
};
