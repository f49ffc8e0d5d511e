/* K without a matrix: kernels/ring.k.h where all elements of a group are linear triangles, else
 * kernels/patch.k.h. */
#include "operator/matrix_free_pack.h"
#include "operator/rows.h"
#include <math.h>

/* Nodes of a patch: few enough for a fast memory of the device to hold what is around them. The bounds
 * are those that the host's variants are compiled for. */
enum { FLAT = 512, TETS = 512, CUBES = 1024, RING_LOCAL = 2048, LOCAL = 4096, SLOTS = 32768 };
/* Of a device that compiles: nodes of a patch in 3D by its local memory; sizes are rounded up to STEP;
 * slots have 16-bit numbers. */
enum {
  LARGE_PATCH = 128,
  SMALL_PATCH = 32,
  LARGE_MEMORY = 96 << 10,
  STEP = 64,
  MOST_SLOTS = 65536
};

typedef struct matrix_free {
  hk_group_limits size; /* what the kernels are compiled for */
  hk_buffer *buffer[HK_GROUPS_BUFFERS];
  hk_count groups[HK_GROUP_KINDS];
  hk_kernel *kernel[HK_GROUP_KINDS][HK_FORM_COUNT][2];
} matrix_free;

static bool has_shape(const hk_mesh *mesh, hk_shape shape)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape == shape) return true;
  return false;
}

static hk_space_desc space_matrix_free(const hk_mesh *mesh, const hk_device *device)
{
  const hk_device_info *info = hk_device_describe(device);
  hk_index patch = has_shape(mesh, HK_TET4) ? TETS : CUBES;
  if (info->compiles) patch = info->local_memory >= LARGE_MEMORY ? LARGE_PATCH : SMALL_PATCH;
  return (hk_space_desc){
      .patch = mesh->dim == 2 ? FLAT : patch, .slice = info->width, .sort_valence = true};
}

static bool serves_matrix_free(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    if (s != HK_TRI3 && s != HK_QUAD4 && s != HK_TET4 && s != HK_HEX8) return false;
  }
  return mesh->block_count > 0;
}

/* Of a compact patch: elements that touch it and halo nodes per node, one law. */
static hk_count plan_matrix_free(const hk_mesh *mesh, const hk_device *device,
                                 bool double_precision)
{
  static const double shorts[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 6.2, [HK_QUAD4] = 8.7, [HK_TET4] = 59, [HK_HEX8] = 22.1};
  static const double halo[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 0.19, [HK_QUAD4] = 0.19, [HK_TET4] = 0.9, [HK_HEX8] = 0.76};
  /* patches at the surface have less around them: a part of nodes^(-1/3) */
  static const double surface[HK_SHAPE_COUNT] = {[HK_TET4] = 2.4, [HK_HEX8] = 5.1};
  const int dim = mesh->dim, real = double_precision ? 8 : 4;
  double bytes = 0;
  (void)device;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    const double nodes =
        (double)mesh->node_count * (double)mesh->block[b].count / (double)mesh->element_count;
    const double whole = 1 - fmin(0.5, surface[s] / cbrt(nodes));
    bytes += whole * nodes * (shorts[s] * 2 + halo[s] * 4 + (1 + halo[s]) * dim * real + 0.6);
  }
  return (hk_count)bytes;
}

/* Node -> elements, and the lists of the patches with coordinates in double, which grow by halves. */
static hk_count making_matrix_free(const hk_mesh *mesh, const hk_device *device,
                                   bool double_precision)
{
  return hk_matrix_plan(mesh) + plan_matrix_free(mesh, device, double_precision) * 5 / 4;
}

static void destroy_matrix_free(hk_operator *op)
{
  matrix_free *s = op->data;
  if (!s) return;
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++) hk_buffer_destroy(&s->buffer[m]);
  for (int k = 0; k < HK_GROUP_KINDS; k++)
    for (int f = 0; f < HK_FORM_COUNT; f++)
      for (int d = 0; d < 2; d++) hk_kernel_destroy(&s->kernel[k][f][d]);
  hk_memory_free(&op->data);
}

static hk_index below(hk_count value, hk_index most)
{
  return value < most ? (hk_index)(value / STEP * STEP) : most;
}

static hk_index above(hk_index value)
{
  return (value + STEP - 1) / STEP * STEP;
}

/* Local memory of a patch holds coordinates and displacements (two fifths of it) and slots. */
static hk_group_limits limits_of(const hk_operator_desc *desc)
{
  const hk_device_info *info = hk_device_describe(desc->device);
  const hk_count real = desc->double_precision ? 8 : 4, memory = info->local_memory;
  const hk_count record = (2 * desc->space->dim - 2) * real;
  if (!info->compiles)
    return (hk_group_limits){.local = {RING_LOCAL, RING_LOCAL, LOCAL}, .slots = SLOTS};
  const hk_index ring = below(memory / (4 * real), RING_LOCAL);
  const hk_index local = below(memory / 5 / record, LOCAL);
  return (hk_group_limits){.local = {ring, ring, local},
                           .slots = below((memory - 2 * local * record) / record, MOST_SLOTS)};
}

static hk_status create_matrix_free(hk_operator *op)
{
  hk_status status = HK_OK;
  matrix_free *s = NULL;
  const hk_group_limits limits = limits_of(&op->desc);
  HK_TRY(hk_new(&s));
  op->data = s;
  HK_TRY(hk_groups_pack(&op->desc, &limits, s->buffer, s->groups, &s->size));
  for (int k = 0; k < HK_GROUP_KINDS; k++) s->size.local[k] = above(s->size.local[k]);
  s->size.slots = above(s->size.slots);
  if (!hk_device_describe(op->desc.device)->compiles) s->size = limits;
  for (int k = 0; k < HK_GROUP_KINDS; k++) op->groups += s->groups[k];
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++) op->memory += hk_buffer_bytes(s->buffer[m]);
  op->bytes = op->memory;
cleanup:
  return status;
}

/* Bytes of a kernel's LOCAL_ARRAYs. */
static hk_count local_of(const hk_operator *op, int kind)
{
  const matrix_free *s = op->data;
  const int real = op->desc.double_precision ? 8 : 4;
  const hk_count record = 2 * op->desc.space->dim - 2;
  if (kind != HK_GROUP_PATCH) return hk_local_bytes((hk_count)s->size.local[kind] * 4, real);
  return 2 * hk_local_bytes(s->size.local[kind] * record, real) +
         hk_local_bytes(s->size.slots * record, real);
}

static hk_status bind_matrix_free(hk_operator *op, hk_form form, bool damped)
{
  hk_status status = HK_OK;
  matrix_free *s = op->data;
  for (int k = 0; k < HK_GROUP_KINDS; k++) {
    const bool patch = k == HK_GROUP_PATCH;
    hk_kernel_desc desc = {.text = patch ? "patch" : "ring",
                           .function = patch ? "patch_step" : "ring_step",
                           .double_precision = op->desc.double_precision,
                           .local = local_of(op, k)};
    const hk_define of_patch[] = {{"DAMPED", damped},
                                  {"DIM", op->desc.space->dim},
                                  {"FORM", (int)form},
                                  {"MAX_LOCAL", s->size.local[k]},
                                  {"MAX_SLOTS", s->size.slots}};
    const hk_define of_ring[] = {{"DAMPED", damped},
                                 {"FORM", (int)form},
                                 {"LAWS", k == HK_GROUP_RING_LAWS},
                                 {"MAX_LOCAL", s->size.local[k]}};
    if (s->groups[k] == 0 || s->kernel[k][form][damped]) continue;
    if (patch)
      for (int i = 0; i < 5; i++) desc.define[i] = of_patch[i];
    else
      for (int i = 0; i < 4; i++) desc.define[i] = of_ring[i];
    HK_TRY(hk_kernel_create(op->desc.device, &desc, &s->kernel[k][form][damped]));
  }
cleanup:
  return status;
}

static hk_status apply_matrix_free(hk_operator *op, const hk_epilogue *epilogue)
{
  hk_status status = HK_OK;
  const matrix_free *s = op->data;
  hk_argument argument[HK_STATE_ARGUMENTS + HK_GROUPS_BUFFERS];
  hk_count first = 0;
  hk_epilogue_arguments(op, epilogue, argument);
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++)
    argument[HK_STATE_ARGUMENTS + m] = hk_arg_buffer(s->buffer[m]);
  for (int k = 0; k < HK_GROUP_KINDS; k++) {
    if (s->groups[k])
      HK_TRY(hk_epilogue_launch(epilogue, s->kernel[k][epilogue->form][epilogue->damped], first,
                                s->groups[k], argument, HK_STATE_ARGUMENTS + HK_GROUPS_BUFFERS));
    first += s->groups[k];
  }
cleanup:
  return status;
}

const hk_operator_kind hk_operator_matrix_free = {
    .name = "matrix-free",
    .space = space_matrix_free,
    .serves = serves_matrix_free,
    .plan = plan_matrix_free,
    .making = making_matrix_free,
    .create = create_matrix_free,
    .bind = bind_matrix_free,
    .apply = apply_matrix_free,
    .destroy = destroy_matrix_free,
};
