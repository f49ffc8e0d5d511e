/* The form `matrix-free`: elements without a matrix. Meshes of linear triangles run operator/patches/ring.k.h, of other linear elements
 * patch.k.h or, where threads share a large local memory, cubes.k.h (hexahedra of isotropic solids), heat of tetrahedra operator/fans/tets.h; with elements of second order operator/gauss/gauss.h. Chooses nodes per patch and threads per group from the device's local memory (struct tuning),
 * plans memory, packs (pack.h), and launches: patches, then (PARTS) the nodes that patches share, shot by shot. Of a part of a model the groups that act on
 * the boundary and its nodes come first, and the nodes that these share with others last. */
#include "graph/order.h"
#include "operator/element/element_of.h"
#include "operator/element/lumped.h"
#include "operator/gauss/gauss.h"
#include "operator/patches/pack.h"
#include "operator/rows/rows.h"
#include "operator/fans/tets.h"
#include <math.h>
#include <string.h>

/* Nodes of a patch: few enough for a fast memory of the device to hold what is around them. The bounds
 * are those that the host's variants are compiled for. */
enum { FLAT = 512, TETS = 512, CUBES = 1024, RING_LOCAL = 2048, LOCAL = 4096, SLOTS = 32768 };
/* Where groups have threads, by the local memory: nodes of a patch, threads of its group, and how many groups are to run at once (of which
 * the registers of a thread follow). Measured on an H200; a small memory takes small patches. Sizes are rounded up to STEP; slots have
 * 16-bit numbers. */
typedef struct tuning {
  hk_index patch;
  int threads, groups;
} tuning;
static const tuning triangles[2] = {{512, 128, 1}, {512, 128, 5}},
                    squares[2] = {{512, 256, 4}, {256, 128, 6}},
                    solids[2] = {{192, 128, 4}, {192, 128, 2}}, small_solids = {32, 128, 1},
                    cubes[2] = {{512, 128, 4}, {512, 64, 4}},
                    boxes[2] = {{512, 128, 6}, {512, 128, 3}}; /* parallelepipeds */
enum { STEP = 16, MOST_SLOTS = 65536 };

typedef struct matrix_free {
  hk_group_limits size; /* what the kernels are compiled for */
  hk_groups_parts parts;
  hk_buffer *partial; /* partial[parts][record] */
  hk_kernel *shared[HK_FORM_COUNT][HK_DAMPINGS];
  hk_buffer *buffer[HK_GROUPS_BUFFERS];
  hk_count groups[HK_GROUP_KINDS]; /* of these size.boundary, which come first */
  tuning tuning, cubes;            /* of cubes.k.h; threads 0: it does not serve */
  hk_kernel *kernel[HK_GROUP_KINDS][HK_FORM_COUNT][HK_DAMPINGS];
  hk_tets *tets;   /* of tetrahedra that conduct heat, instead of all the others */
  hk_gauss *gauss; /* of elements of second order, likewise */
} matrix_free;

static bool has_shape(const hk_mesh *mesh, hk_shape shape)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape == shape) return true;
  return false;
}

static bool only(const hk_mesh *mesh, hk_shape shape)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape != shape) return false;
  return true;
}

/* Which rings serve. */
static bool only_triangles(const hk_mesh *mesh)
{
  return only(mesh, HK_TRI3);
}

static tuning tune(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  tuning found = small_solids;
  if (only_triangles(mesh))
    found = triangles[double_precision];
  else if (mesh->dim == 2)
    found = squares[double_precision];
  else if (hk_device_has_room(info))
    found = solids[double_precision];
  if (found.threads > info->most_threads) found.threads = info->group_threads;
  return found;
}

/* Of cubes.k.h. */
static tuning tune_cubes(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  const tuning found = cubes[double_precision];
  if (!hk_device_has_groups(info) || !hk_device_has_room(info) || !only(mesh, HK_HEX8) ||
      boxes[double_precision].threads > info->most_threads)
    return (tuning){0};
  return found;
}

static hk_space_desc space_matrix_free(const hk_mesh *mesh, const hk_device *device,
                                       bool double_precision)
{
  const hk_device_info *info = hk_device_describe(device);
  hk_index patch = mesh->dim == 2 ? FLAT : has_shape(mesh, HK_TET4) ? TETS : CUBES;
  const tuning cubes_tuning = tune_cubes(mesh, device, double_precision);
  if (hk_device_has_groups(info)) patch = tune(mesh, device, double_precision).patch;
  if (cubes_tuning.threads) patch = cubes_tuning.patch;
  return (hk_space_desc){
      .patch = patch, .slice = info->width, .sort_valence = true, .gaps = cubes_tuning.threads > 0};
}

static bool serves_matrix_free(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    if (!hk_element_of(mesh->block[b].shape)->steps) return false;
  }
  return mesh->block_count > 0;
}

/* Of cubes.k.h, per node of a cube of nodes in layers, whose patches are cubes of layers. Each element belongs to one patch, which has one layer of nodes
 * more than its own but at the end of the cube; threads without an element have a place in the list too. *partial: bytes of partial sums, which are of
 * these and have no copy on the host. */
static double plan_cubes(const hk_mesh *mesh, const tuning *by, int real, double *partial)
{
  enum { CORNERS = 8, WORDS = 17, RIM = 4, NEAR = 8 }; /* a patch reports to those around it */
  const double nodes = (double)mesh->node_count, side = cbrt(nodes);
  const hk_index layers = (hk_index)nearbyint(side);
  const double patches = (double)hk_order_grid_patches((const hk_index[]){layers, layers, layers},
                                                       (const double[]){1, 1, 1}, 3, by->patch),
               each = nodes / patches, more = fmax(0, 1 / cbrt(each) - 1 / side),
               local = pow(1 + more, 3), shared = 1 - pow(1 - more, 3),
               passes = ceil((double)mesh->element_count / patches / by->threads);
  const double lists = 2 * local + 2 * CORNERS * passes * by->threads / each;
  *partial = nodes * 4 * (local - 1) * real;
  return nodes * (4 * (WORDS + RIM + NEAR) / each + 4 * (local - 1) + lists + 4 * local +
                  16 * shared + 3 * local * real) +
         *partial;
}

/* Of a compact patch: elements that touch it and halo nodes per node, one law. */
static hk_count plan_patches(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  static const double shorts[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 6.2, [HK_QUAD4] = 8.7, [HK_TET4] = 60, [HK_HEX8] = 22.1};
  static const double halo[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 0.19, [HK_QUAD4] = 0.19, [HK_TET4] = 0.9, [HK_HEX8] = 0.76};
  /* patches at the surface have less around them: a part of nodes^(-1/3) */
  static const double surface[HK_SHAPE_COUNT] = {[HK_TET4] = 2.4, [HK_HEX8] = 5.1};
  /* with parts: bytes of numbers, and reals, per node, measured */
  static const double numbers[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 20, [HK_QUAD4] = 18.9, [HK_TET4] = 140, [HK_HEX8] = 62};
  static const double reals[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 2.9, [HK_QUAD4] = 3.65, [HK_TET4] = 13.1, [HK_HEX8] = 11};
  static const double surface_of_parts[HK_SHAPE_COUNT] = {[HK_TET4] = 3.6};
  const bool parts = hk_device_has_groups(hk_device_describe(device)) && !only_triangles(mesh);
  const int dim = mesh->dim, real = double_precision ? 8 : 4;
  double bytes = 0;
  if (hk_operator_second_order(mesh)) return hk_gauss_plan(mesh, double_precision);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    const double nodes =
        (double)mesh->node_count * (double)mesh->block[b].count / (double)mesh->element_count;
    const double whole = 1 - fmin(0.5, (parts ? surface_of_parts[s] : surface[s]) / cbrt(nodes));
    if (parts)
      bytes += whole * nodes * (numbers[s] + reals[s] * real);
    else
      bytes += whole * nodes * (shorts[s] * 2 + halo[s] * 4 + (1 + halo[s]) * dim * real + 0.6);
  }
  return (hk_count)bytes;
}

static hk_count plan_matrix_free(const hk_mesh *mesh, const hk_device *device,
                                 bool double_precision)
{
  const tuning by = tune_cubes(mesh, device, double_precision);
  double partial;
  return by.threads ? (hk_count)plan_cubes(mesh, &by, double_precision ? 8 : 4, &partial)
                    : plan_patches(mesh, device, double_precision);
}

/* Hexahedra that cubes.k.h does not serve have halves of the patches that are made for it: per node, measured. */
static hk_count plan_anisotropic(const hk_mesh *mesh, const hk_device *device,
                                 bool double_precision)
{
  const double numbers = 52.2, reals = 9.4;
  if (!tune_cubes(mesh, device, double_precision).threads)
    return plan_matrix_free(mesh, device, double_precision);
  return (hk_count)((double)mesh->node_count * (numbers + reals * (double_precision ? 8 : 4)));
}

static hk_count plan_heat(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return mesh->dim == 3 ? hk_tets_plan(mesh, double_precision)
                        : plan_matrix_free(mesh, device, double_precision);
}

/* The elements that touch each patch, 4 bytes each, of `by` nodes per patch: a layer more than the patch has. */
static double touched_bytes(const hk_mesh *mesh, hk_index patch)
{
  return 4 * (double)mesh->element_count * pow(1 + pow(patch, -1. / mesh->dim), mesh->dim);
}

/* Of the bytes of all lists those of the longest, which is joined while the others are still in pieces. */
static double longest_share(const hk_mesh *mesh, bool of_cubes)
{
  static const double share[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 0.53, [HK_QUAD4] = 0.61, [HK_TET4] = 0.81, [HK_HEX8] = 0.64};
  const double share_of_cubes = 0.42;
  double most = of_cubes ? share_of_cubes : 0;
  for (int b = 0; b < mesh->block_count && !of_cubes; b++)
    most = fmax(most, share[mesh->block[b].shape]);
  return most;
}

/* Elements of second order have no patches: node -> elements, and lists that grow by halves. */
static double making_of_gauss(const hk_mesh *mesh, double lists)
{
  return fmax((double)hk_matrix_plan(mesh), lists) + 0.25 * lists;
}

/* What lists in pieces take for each byte of them, as pieces grow; measured. Those of tetrahedra are long, and leave more behind when they move. */
static double grown_pieces(const hk_mesh *mesh)
{
  return mesh->block[0].shape == HK_TET4 ? 1.15 : 1.05;
}

/* The lists of the patches in pieces, and beside them the elements of patches, or the first lists that are joined of the pieces. */
static hk_count making_matrix_free(const hk_mesh *mesh, const hk_device *device,
                                   bool double_precision)
{
  const tuning by = tune_cubes(mesh, device, double_precision);
  double partial = 0;
  const double plan = by.threads ? plan_cubes(mesh, &by, double_precision ? 8 : 4, &partial)
                                 : (double)plan_matrix_free(mesh, device, double_precision),
               lists = plan - partial;
  if (hk_operator_second_order(mesh)) return (hk_count)making_of_gauss(mesh, lists);
  const hk_index patch = space_matrix_free(mesh, device, double_precision).patch;
  return (hk_count)(fmax(touched_bytes(mesh, patch), longest_share(mesh, by.threads > 0) * lists) +
                    grown_pieces(mesh) * lists - plan);
}

static void destroy_matrix_free(hk_operator *op)
{
  matrix_free *s = op->data;
  if (!s) return;
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++) hk_buffer_destroy(&s->buffer[m]);
  hk_buffer_destroy(&s->partial);
  hk_tets_destroy(&s->tets);
  hk_gauss_destroy(&s->gauss);
  for (int f = 0; f < HK_FORM_COUNT; f++)
    for (int d = 0; d < HK_DAMPINGS; d++) {
      hk_kernel_destroy(&s->shared[f][d]);
      for (int k = 0; k < HK_GROUP_KINDS; k++) hk_kernel_destroy(&s->kernel[k][f][d]);
    }
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

/* Of a node in cubes.k.h: coordinates, u and force. */
static int cube_bytes(bool double_precision)
{
  return double_precision ? 9 * 8 : 10 * 4;
}

/* Local memory of a patch holds coordinates and displacements (a quarter of it), slots, and lists (a quarter); a small one an eighth, and no
 * lists. */
static hk_group_limits limits_of(const hk_operator_desc *desc)
{
  const hk_device_info *info = hk_device_describe(desc->device);
  const int dim = desc->space->dim;
  const hk_count real = desc->double_precision ? 8 : 4, memory = info->local_memory;
  const bool small = !hk_device_has_room(info);
  const int ring = hk_kernel_size(info, below(memory / (8 * real), RING_LOCAL), RING_LOCAL);
  const int threads = tune_cubes(desc->space->mesh, desc->device, desc->double_precision).threads;
  const hk_index patch = below(memory / (small ? 8 : 4) / (2 * dim * real), LOCAL),
                 slots = below(memory / 4 * (small ? 3 : 2) / (dim * real), MOST_SLOTS),
                 cube = below(memory / cube_bytes(desc->double_precision), LOCAL);
  return (hk_group_limits){.local = {ring, ring, hk_kernel_size(info, patch, LOCAL), cube, cube},
                           .parts =
                               hk_device_has_groups(info) && !only_triangles(desc->space->mesh),
                           .slots = hk_kernel_size(info, slots, SLOTS),
                           .threads = threads,
                           .box_threads = boxes[desc->double_precision].threads,
                           .teams = info->team > 1 && info->team == info->width};
}

static hk_status create_parts(hk_operator *op)
{
  matrix_free *s = op->data;
  const hk_count real = op->desc.double_precision ? 8 : 4, record = 2 * op->desc.space->dim - 2;
  if (!s->size.parts) return HK_OK;
  HK_PASS(hk_buffer_create(op->desc.device, s->parts.parts * record * real, &s->partial));
  op->memory += hk_buffer_bytes(s->partial);
  op->bytes += 2 * hk_buffer_bytes(s->partial);
  return HK_OK;
}

/* Of entries [begin, end) of the shared nodes. */
static hk_count shared_groups(const matrix_free *s, hk_index begin, hk_index end)
{
  return (end - begin + s->tuning.threads - 1) / s->tuning.threads;
}

static hk_count all_shared_groups(const matrix_free *s)
{
  return shared_groups(s, s->parts.second, s->parts.later) +
         shared_groups(s, s->parts.later, s->parts.nodes);
}

/* Temperatures: linear triangles or tetrahedra alone, whose conductivity is the same all over a region, without faces that exchange heat. */
static hk_status check_heat(const hk_operator_desc *desc)
{
  const hk_mesh *mesh = desc->space->mesh;
  if (hk_space_solid(desc->space)) return HK_OK;
  HK_NEED(only_triangles(mesh) || only(mesh, HK_TET4), HK_BAD_INPUT,
          "method matrix-free computes heat conduction only on linear triangles or linear "
          "tetrahedra: give elements or assembled");
  for (hk_count e = 0; e < mesh->element_count; e++)
    HK_NEED(desc->element_region[e] >= 0 && hk_operator_translates(desc, e) &&
                !desc->region[desc->element_region[e]].varies,
            HK_BAD_INPUT,
            "method matrix-free: element %lld has a film, a reaction, a varying conductivity, or "
            "no section: give elements or assembled",
            (long long)hk_mesh_element_label(mesh, e));
  return HK_OK;
}

static hk_status check_regions(const hk_operator_desc *desc)
{
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  HK_NEED(regions <= HK_MOST_LISTED_REGIONS, HK_BAD_INPUT,
          "method matrix-free supports %d different materials, and the elements have %d: give auto "
          "or stored",
          HK_MOST_LISTED_REGIONS, regions);
  return HK_OK;
}

static hk_status create_matrix_free(hk_operator *op)
{
  matrix_free *s = NULL;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const hk_group_limits limits = limits_of(&op->desc);
  hk_count groups = 0;
  HK_PASS(hk_new(&s));
  op->data = s;
  HK_PASS(check_regions(&op->desc));
  HK_PASS(check_heat(&op->desc));
  if (!hk_space_solid(op->desc.space) && op->desc.space->dim == 3) {
    HK_PASS(hk_tets_create(&op->desc, &s->tets, &op->memory, &groups));
    op->groups = groups * hk_loss_groups(info, info->group_threads);
    op->bytes = op->memory;
    return HK_OK;
  }
  if (hk_space_solid(op->desc.space))
    HK_PASS(hk_element_plain_check(op->desc.space->mesh, op->desc.region, op->desc.element_region,
                                   op->kind->name));
  if (hk_operator_second_order(op->desc.space->mesh)) return hk_gauss_create(op, &s->gauss);
  HK_PASS(hk_groups_pack(&op->desc, &limits, s->buffer, s->groups, &s->size, &s->parts));
  s->tuning = (tuning){.threads = info->group_threads};
  if (hk_device_has_groups(info))
    s->tuning = tune(op->desc.space->mesh, op->desc.device, op->desc.double_precision);
  s->cubes = tune_cubes(op->desc.space->mesh, op->desc.device, op->desc.double_precision);
  for (int k = 0; k < HK_GROUP_KINDS; k++) {
    s->size.local[k] =
        hk_kernel_size(info, above(s->size.local[k] + !s->groups[k]), limits.local[k]);
    s->size.halo[k] = above(s->size.halo[k] + 1); /* a halo of none has no array */
  }
  s->size.slots = hk_kernel_size(info, above(s->size.slots + !s->size.slots), limits.slots);
  for (int k = 0; k < HK_GROUP_KINDS; k++) groups += s->groups[k];
  op->groups = (groups + all_shared_groups(s)) *
               hk_loss_groups(info, s->tuning.threads > s->cubes.threads ? s->tuning.threads
                                                                         : s->cubes.threads);
  for (int m = 0; m < HK_GROUPS_BUFFERS; m++)
    if (s->buffer[m]) op->memory += hk_buffer_bytes(s->buffer[m]);
  op->bytes = op->memory;
  op->rows = true, op->chained = limits.parts;
  return create_parts(op);
}

/* Own nodes of a group, at most; fewer than a patch has where patches are made for other groups. */
static hk_index own_nodes(const hk_operator *op, int kind)
{
  const matrix_free *s = op->data;
  return s->cubes.threads && s->size.own[kind] ? s->size.own[kind] : op->desc.space->patch;
}

/* Nodes of a rim at most, rounded up so that fewer kernels are made. */
static hk_index rim_of(const matrix_free *s)
{
  enum { RIM = 64 };
  return (s->parts.rim + RIM - 1) / RIM * RIM;
}

/* Bytes of a kernel's LOCAL memory; with its list and state, where `staged`. */
static hk_count local_of(const hk_operator *op, int kind, bool staged, int damped)
{
  const matrix_free *s = op->data;
  const hk_group_limits *size = &s->size;
  const int real = op->desc.double_precision ? 8 : 4, dim = op->desc.space->dim;
  const int width = hk_device_describe(op->desc.device)->width;
  const hk_count patch = own_nodes(op, kind), local = size->local[kind];
  const hk_count lists = staged * (64 + hk_local_bytes((hk_count)size->list[kind] * width, 2) +
                                   patch * (dim + 1 + (damped == HK_DAMPED)) * real);
  if (kind > HK_GROUP_PATCH)
    return 4 * HK_GROUP_WORDS + hk_local_bytes(local * 6, real) +
           hk_local_bytes(local * (real == 8 ? 3 : 4), real);
  if (kind != HK_GROUP_PATCH)
    return lists + hk_local_bytes(local * 4, real) + hk_local_bytes(patch / width + 1, 4);
  return lists + 2 * hk_local_bytes(local * dim, real) +
         hk_local_bytes((hk_count)size->slots * dim, real) + hk_local_bytes(local / width + 2, 4) +
         hk_local_bytes(local, 4);
}

static void describe_cubes(const hk_operator *op, int kind, hk_form form, int damped,
                           hk_kernel_desc *desc)
{
  const matrix_free *s = op->data;
  const tuning *by = kind == HK_GROUP_BOXES ? &boxes[op->desc.double_precision] : &s->cubes;
  *desc = (hk_kernel_desc){.text = "cubes",
                           .function = "cubes_step",
                           .early = true,
                           .double_precision = op->desc.double_precision,
                           .local = local_of(op, kind, false, damped),
                           .threads = by->threads};
  hk_kernel_define(desc, "BOXES", kind == HK_GROUP_BOXES);
  hk_kernel_define(desc, "DAMPED", damped);
  hk_kernel_define(desc, "FORM", (int)form);
  hk_kernel_specialise(desc, "GROUPS", by->groups);
  hk_kernel_define(desc, "MAX_LOCAL", s->size.local[kind]);
  hk_kernel_define(desc, "PARTS", 1);
  hk_kernel_define(desc, "PATCH", own_nodes(op, kind));
  hk_kernel_define(desc, "RIMS", rim_of(s));
}

static void describe_kernel(const hk_operator *op, int kind, hk_form form, int damped,
                            hk_kernel_desc *desc)
{
  const matrix_free *s = op->data;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  const bool patch = kind == HK_GROUP_PATCH;
  const bool staged = !info->local_memory || local_of(op, kind, true, damped) <= info->local_memory;
  *desc = (hk_kernel_desc){.text = patch ? "patch" : "ring",
                           .function = patch ? "patch_step" : "ring_step",
                           .early = true,
                           .double_precision = op->desc.double_precision};
  if (op->desc.space->components == 1) hk_kernel_define(desc, "COMPONENTS", 1);
  hk_kernel_define(desc, "DAMPED", damped);
  if (patch) hk_kernel_define(desc, "DIM", op->desc.space->dim);
  hk_kernel_define(desc, "FORM", (int)form);
  if (!patch) hk_kernel_define(desc, "LAWS", kind == HK_GROUP_RING_LAWS);
  hk_kernel_define(desc, "MAX_LOCAL", s->size.local[kind]);
  if (patch) hk_kernel_define(desc, "MAX_SLOTS", s->size.slots);
  if (s->tuning.groups > 1) hk_kernel_specialise(desc, "GROUPS", s->tuning.groups);
  if (patch) hk_kernel_specialise(desc, "KINDS", s->size.kinds);
  hk_kernel_specialise(desc, "MAX_HALO", s->size.halo[kind]);
  hk_kernel_specialise(desc, "MAX_LIST", s->size.list[kind]);
  if (patch) hk_kernel_specialise(desc, "PARTS", s->size.parts);
  hk_kernel_specialise(desc, "PATCH", own_nodes(op, kind));
  hk_kernel_specialise(desc, "STAGED", staged);
  desc->local = local_of(op, kind, staged, damped);
  desc->threads = s->tuning.threads;
}

static hk_status bind_matrix_free(hk_operator *op, hk_form form, int damped, int shots)
{
  matrix_free *s = op->data;
  hk_kernel_desc desc;
  if (s->tets) return hk_tets_bind(s->tets, form);
  if (s->gauss) return hk_gauss_bind(op, s->gauss, form, damped, shots);
  for (int k = 0; k < HK_GROUP_KINDS; k++) {
    if (s->groups[k] == 0 || s->kernel[k][form][damped]) continue;
    (k > HK_GROUP_PATCH ? describe_cubes : describe_kernel)(op, k, form, damped, &desc);
    HK_PASS(hk_kernel_create(op->desc.device, &desc, &s->kernel[k][form][damped]));
  }
  if (!all_shared_groups(s) || s->shared[form][damped]) return HK_OK;
  describe_kernel(op, HK_GROUP_PATCH, form, damped, &desc);
  desc.function = "patch_shared";
  desc.local = 0;
  return hk_kernel_create(op->desc.device, &desc, &s->shared[form][damped]);
}

/* Nodes [begin, end) of those that patches share, of one shot, by groups from `base` on. */
static hk_status apply_shared(hk_operator *op, const hk_epilogue *epilogue, hk_index begin,
                              hk_index end, hk_count base, int shot)
{
  enum { OWN = 6 };
  const matrix_free *s = op->data;
  hk_argument argument[HK_STATE_ARGUMENTS + OWN];
  hk_epilogue_arguments(op, epilogue, argument);
  const hk_argument own[OWN] = {hk_arg_buffer(s->buffer[HK_GROUPS_SHARED]),
                                hk_arg_buffer(s->partial),
                                hk_arg_int(begin),
                                hk_arg_int(end),
                                hk_arg_int((int32_t)base),
                                hk_arg_int(shot)};
  memcpy(argument + HK_STATE_ARGUMENTS, own, sizeof own);
  return hk_kernel_launch(s->shared[epilogue->form][epilogue->damped], base,
                          shared_groups(s, begin, end), argument, HK_STATE_ARGUMENTS + OWN);
}

/* One shot of patches with parts, then the nodes that they share unless they finish these too. argument[ARGUMENTS]: all is there. */
enum { ARGUMENTS = HK_STATE_ARGUMENTS + HK_GROUPS_PATCH_BUFFERS + 4 };
static hk_status apply_part(hk_operator *op, const hk_epilogue *epilogue, unsigned phases, int shot,
                            const hk_argument *argument)
{
  const matrix_free *s = op->data;
  const hk_groups_parts *p = &s->parts;
  hk_count first = 0;
  for (int k = HK_GROUP_PATCH; k < HK_GROUP_KINDS; first += s->groups[k++]) {
    const hk_groups groups = hk_groups_of(phases, s->size.boundary[k], s->groups[k]);
    if (groups.count)
      HK_PASS(hk_kernel_launch(s->kernel[k][epilogue->form][epilogue->damped], first + groups.first,
                               groups.count, argument, ARGUMENTS - 2 * !p->rim));
  }
  if (phases & HK_PHASE_BOUNDARY)
    HK_PASS(apply_shared(op, epilogue, p->second, p->later, first, shot));
  if (!(phases & HK_PHASE_SUMMED)) return HK_OK;
  first += shared_groups(s, p->second, p->later);
  return apply_shared(op, epilogue, p->later, p->nodes, first, shot);
}

/* Shot by shot: the parts are those of one. argument[ARGUMENTS]: the state and the lists are there. */
static hk_status apply_parts(hk_operator *op, const hk_epilogue *epilogue, unsigned phases,
                             hk_argument *argument)
{
  const matrix_free *s = op->data;
  const int shots = epilogue->shots ? epilogue->shots : 1;
  hk_argument *own = argument + HK_STATE_ARGUMENTS + HK_GROUPS_PATCH_BUFFERS;
  own[0] = hk_arg_buffer(s->partial);
  own[2] = hk_arg_buffer(s->buffer[HK_GROUPS_RIM]);
  own[3] = hk_arg_buffer(s->buffer[HK_GROUPS_SHARED]);
  if (shots > 1) phases = phases & HK_PHASE_BOUNDARY ? HK_PHASES : 0;
  for (int shot = 0; shot < shots && phases; shot++) {
    own[1] = hk_arg_int(shot);
    HK_PASS(apply_part(op, epilogue, phases, shot, argument));
  }
  return HK_OK;
}

static hk_status apply_matrix_free(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  const matrix_free *s = op->data;
  hk_argument argument[ARGUMENTS];
  hk_count first = 0;
  if (s->tets) return hk_tets_apply(op, s->tets, epilogue);
  if (s->gauss) return hk_gauss_apply(op, s->gauss, epilogue);
  hk_epilogue_arguments(op, epilogue, argument);
  for (int m = 0; m < HK_GROUPS_PATCH_BUFFERS; m++)
    argument[HK_STATE_ARGUMENTS + m] = hk_arg_buffer(s->buffer[m]);
  if (s->size.parts) return apply_parts(op, epilogue, phases, argument);
  for (int k = 0; k < HK_GROUP_KINDS; k++) {
    hk_groups groups = hk_groups_of(phases, s->size.boundary[k], s->groups[k]);
    groups.first += first;
    HK_PASS(hk_epilogue_launch(epilogue, s->kernel[k][epilogue->form][epilogue->damped], groups,
                               argument, HK_STATE_ARGUMENTS + HK_GROUPS_RING_BUFFERS));
    first += s->groups[k];
  }
  return HK_OK;
}

static bool in_parts(const hk_mesh *mesh, const hk_device *device)
{
  (void)device;
  return !hk_operator_second_order(mesh);
}

/* The sums of nodes that groups share know no granules. */
static bool parts_undamped(const hk_mesh *mesh, const hk_device *device)
{
  return hk_device_has_groups(hk_device_describe(device)) && !only_triangles(mesh);
}

const hk_operator_kind hk_operator_matrix_free = {
    .name = "matrix-free",
    .elements = "tri3, quad4, tet4, hex8, tri6, quad8, tet10, hex20 and wedge15",
    .parts = in_parts,
    .undamped = parts_undamped,
    .steps = true,
    .statics = true,
    .scalar = true,
    .space = space_matrix_free,
    .serves = serves_matrix_free,
    .plan = plan_matrix_free,
    .plan_scalar = plan_heat,
    .plan_anisotropic = plan_anisotropic,
    .making = making_matrix_free,
    .create = create_matrix_free,
    .bind = bind_matrix_free,
    .apply = apply_matrix_free,
    .destroy = destroy_matrix_free,
};
