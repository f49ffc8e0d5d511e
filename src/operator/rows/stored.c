/* The form `stored`, the paper's (Huthwaite 2014, section 2.3): a row of blocks -K_ij per node, without the diagonal (K.1); of
 * axisymmetric solids with what the row sums to.
 * Two passes of rows.h count and pack; rows are sliced by WIDTH. Kernels (operator/rows/stored.k.h) read a block once for up to
 * MOST_SHOTS shots. */
#include "element/element.h"
#include "base/reals.h"
#include "graph/sliced.h"
#include "operator/rows/rows.h"
#include "operator/staged.h"
#include <math.h>
#include <string.h>

/* HOST_ROWS: what the host's variants are compiled for. MOST_SHOTS: at once; registers hold no more. */
enum { HOST_ROWS = 64, PATCH = 512, MOST_SHOTS = 8 };

typedef struct stored {
  hk_buffer *slice, *column, *block;
  hk_batches batches[HK_FORM_COUNT][HK_DAMPINGS];
  hk_index slices;
  int rows; /* slices per group */
} stored;

/* Where groups have threads, a thread has one node. */
static int rows_of(const hk_device_info *info)
{
  return hk_device_has_groups(info) ? info->group_threads * info->lanes / info->width : HOST_ROWS;
}

static hk_space_desc space_stored(const hk_mesh *mesh, const hk_device *device,
                                  bool double_precision)
{
  (void)mesh, (void)double_precision;
  return (hk_space_desc){
      .patch = PATCH, .slice = hk_device_describe(device)->width, .sort_valence = true};
}

static bool serves_stored(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    if (!hk_element_of(mesh->block[b].shape)->steps) return false;
  }
  return mesh->block_count > 0;
}

/* Mean neighbours of a node, 2 E / V, in a body of V nodes, E edges, F faces and T tetrahedra. B of the
 * faces lie on its surface, so that 2 F = 4 T + B. Euler's formula V - E + F - T = 1 then gives
 * E = V + T + B / 2, up to 1. B is that of a cube. */
static double tet_row(double nodes, double elements)
{
  return 2 * (1 + elements / nodes) + 12 / cbrt(nodes);
}

static bool only_tets(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].shape != HK_TET4) return false;
  return mesh->node_count > 0;
}

/* Entries of a row: a node shares elements with (2 p + 1)^2 nodes at a vertex, (p + 1) (2 p + 1) within an edge, (p + 1)^2 inside, which
 * are (p + 2)^2 in the mean. */
static double family_row(const hk_element *element)
{
  return (element->order + 2) * (element->order + 2);
}

/* Mean neighbours of a node: triangles 6, quads 8, tets beside other shapes 14.5 (Delaunay), hexes
 * 26; of second order in grids, which lack some at their sides. */
static hk_count plan_of(const hk_mesh *mesh, int components, bool double_precision)
{
  static const double row[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 6.3,   [HK_QUAD4] = 8,  [HK_TET4] = 14.6, [HK_HEX8] = 26,   [HK_TRI6] = 10.5,
      [HK_QUAD8] = 14.6, [HK_TET10] = 27, [HK_HEX20] = 55,  [HK_WEDGE15] = 41};
  double entries = 0;
  if (only_tets(mesh))
    entries =
        (double)mesh->node_count * tet_row((double)mesh->node_count, (double)mesh->element_count);
  else
    for (int b = 0; b < mesh->block_count; b++)
      entries +=
          (double)mesh->node_count * (double)mesh->block[b].count / (double)mesh->element_count *
          (hk_shape_listed(mesh->block[b].shape) ? row[mesh->block[b].shape]
                                                 : family_row(hk_element_of(mesh->block[b].shape)));
  return (hk_count)(entries * (components * components * (double_precision ? 8 : 4) + 4));
}

static hk_count plan_stored(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)device;
  return plan_of(mesh, mesh->dim, double_precision);
}

static hk_count plan_spatial(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  (void)device;
  return plan_of(mesh, 3, double_precision);
}

/* A length and an offset per row, beside the elements of patches and their patterns. */
static hk_count making_stored(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  return hk_matrix_making(mesh, plan_stored(mesh, device, double_precision)) + 5 * mesh->node_count;
}

typedef struct packing {
  hk_index *length, *slice, *column; /* on the host */
  void *block;
  int width, dim; /* dim: components of a node */
  bool double_precision, diagonal;
} packing;

/* Without the diagonal, or with what its row sums to; padding has no row. */
static hk_index links_of(const packing *k, const hk_matrix_patch *patch, hk_index i)
{
  const hk_index entries = patch->begin[i + 1] - patch->begin[i];
  return entries > 0 ? entries - !k->diagonal : 0;
}

static hk_status count_rows(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  (void)p;
  for (hk_index i = 0; i < patch->count; i++) k->length[patch->first + i] = links_of(k, patch, i);
  return HK_OK;
}

static void put_block(const packing *k, hk_count entry, int lane, const double *block)
{
  const int size = k->dim * k->dim;
  for (int q = 0; q < size; q++) {
    const hk_count at = (entry * size + q) * k->width + lane;
    hk_put_real(k->block, k->double_precision, at, -block[q]);
  }
}

/* sum[dim][dim] of the blocks of a row: K times a translation, along z exactly nothing. */
static void sum_row(const hk_matrix_patch *patch, hk_index i, double sum[4])
{
  sum[0] = sum[1] = sum[2] = sum[3] = 0;
  for (hk_index q = patch->begin[i]; q < patch->begin[i + 1]; q++)
    for (int c = 0; c < 2; c++) sum[2 * c] += patch->block[(hk_count)q * 4 + 2 * c];
}

static hk_status pack_rows(const hk_matrix_patch *patch, hk_index p, void *user)
{
  const packing *k = user;
  const int w = k->width, size = k->dim * k->dim;
  double sum[4]; /* of 2D */
  (void)p;
  for (hk_index i = 0; i < patch->count; i++) {
    const hk_index row = patch->first + i, s = row / w;
    hk_count entry = k->slice[s];
    for (hk_index q = patch->begin[i]; q < patch->begin[i + 1]; q++) {
      const bool own = patch->column[q] == i;
      if (own && !k->diagonal) continue;
      if (own) sum_row(patch, i, sum);
      k->column[entry * w + row % w] = hk_local_node(patch->local, patch->column[q]);
      put_block(k, entry++, row % w, own ? sum : patch->block + (hk_count)q * size);
    }
    for (; entry < k->slice[s + 1]; entry++) k->column[entry * w + row % w] = row;
  }
  return HK_OK;
}

/* A row of padding. */
static void point_to_itself(const packing *k, hk_index i)
{
  const hk_index w = k->width;
  for (hk_count e = k->slice[i / w]; e < k->slice[i / w + 1]; e++) k->column[e * w + i % w] = i;
}

static hk_status fill(hk_operator *op, stored *s, hk_matrix *matrix, packing *k)
{
  hk_status status = HK_OK;
  hk_staged slice = {0}, column = {0}, block = {0};
  hk_device *device = op->desc.device;
  const hk_count entries = (hk_count)k->slice[s->slices] * k->width;
  const hk_count index = (hk_count)sizeof(hk_index), real = op->desc.double_precision ? 8 : 4;

  HK_TRY(hk_staged_keep(&op->pool, device, (s->slices + 1) * index, &s->slice, &slice));
  HK_TRY(hk_staged_keep(&op->pool, device, entries * index, &s->column, &column));
  HK_TRY(hk_staged_keep(&op->pool, device, entries * k->dim * k->dim * real, &s->block, &block));
  k->column = column.place, k->block = block.place;
  HK_TRY(hk_matrix_for_each(matrix, true, pack_rows, k));
  for (hk_index i = 0; i < s->slices * k->width; i++)
    if (op->desc.space->mesh_node[i] < 0) point_to_itself(k, i);
  memcpy(slice.place, k->slice, (size_t)hk_buffer_bytes(s->slice));
  HK_TRY(hk_staged_send(&slice));
  HK_TRY(hk_staged_send(&column));
  HK_TRY(hk_staged_send(&block));
  op->memory = hk_buffer_bytes(s->slice) + hk_buffer_bytes(s->column) + hk_buffer_bytes(s->block);
  op->bytes = op->memory;
cleanup:
  hk_staged_close(&slice);
  hk_staged_close(&column);
  hk_staged_close(&block);
  return status;
}

static hk_status create_stored(hk_operator *op)
{
  hk_status status = HK_OK;
  hk_matrix *matrix = NULL;
  stored *s = NULL;
  const hk_space *space = op->desc.space;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  packing k = {.width = info->width,
               .dim = space->components,
               .double_precision = op->desc.double_precision,
               .diagonal = !hk_operator_differences(&op->desc)};

  HK_TRY(hk_pool_get(&op->pool, &s, 1));
  op->data = s;
  s->slices = hk_space_rows(space) / k.width;
  s->rows = rows_of(info);
  op->rows = true;
  op->groups = (s->slices + s->rows - 1) / s->rows;
  HK_TRY(hk_matrix_create(&op->desc, &matrix));
  HK_TRY(hk_get(&k.length, hk_space_rows(space)));
  HK_TRY(hk_get(&k.slice, s->slices + 1));
  HK_TRY(hk_matrix_for_each(matrix, false, count_rows, &k));
  HK_TRY(hk_sliced_offsets(k.length, hk_space_rows(space), k.width, k.slice));
  HK_TRY(fill(op, s, matrix, &k));
cleanup:
  hk_free(&k.length);
  hk_free(&k.slice);
  hk_matrix_destroy(&matrix);
  return status;
}

/* Groups of a multiprocessor that registers are given out for, by components and precision: fastest with eight shots at once. */
static int groups_of(const hk_operator *op)
{
  static const int groups[2][2] = {{7, 4}, {4, 3}};
  return groups[op->desc.space->components - 2][op->desc.double_precision];
}

static hk_status bind_stored(hk_operator *op, hk_form form, int damped, int shots)
{
  stored *s = op->data;
  hk_kernel_desc desc = {.text = "stored",
                         .function = "stored_step",
                         .early = true,
                         .double_precision = op->desc.double_precision,
                         .define = {{"DAMPED", damped}}};
  if (!hk_operator_differences(&op->desc)) hk_kernel_define(&desc, "DIAGONAL", 1);
  hk_kernel_define(&desc, "DIM", op->desc.space->components);
  hk_kernel_define(&desc, "FORM", (int)form);
  hk_kernel_specialise(&desc, "GROUPS", groups_of(op));
  hk_kernel_define(&desc, "ROWS", s->rows);
  return hk_batches_create(op, &desc, shots, MOST_SHOTS, &s->batches[form][damped]);
}

static hk_status apply_stored(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  stored *s = op->data;
  hk_argument argument[HK_STATE_ARGUMENTS + 5];
  const hk_index span = s->rows * hk_device_describe(op->desc.device)->width;
  hk_epilogue_arguments(op, epilogue, argument);
  argument[HK_STATE_ARGUMENTS] = hk_arg_buffer(s->slice);
  argument[HK_STATE_ARGUMENTS + 1] = hk_arg_buffer(s->column);
  argument[HK_STATE_ARGUMENTS + 2] = hk_arg_buffer(s->block);
  argument[HK_STATE_ARGUMENTS + 3] = hk_arg_int(s->slices);
  return hk_batches_launch(op, epilogue, &s->batches[epilogue->form][epilogue->damped],
                           hk_groups_of_rows(op, phases, span), argument, HK_STATE_ARGUMENTS + 4);
}

const hk_operator_kind hk_operator_stored = {
    .name = "stored",
    .elements = "tri3, quad4, tet4, hex8, tri6, quad8, tet10, hex20 and wedge15",
    .parts = hk_operator_in_rows,
    .steps = true,
    .statics = true,
    .rings = true,
    .space = space_stored,
    .serves = serves_stored,
    .plan = plan_stored,
    .plan_spatial = plan_spatial,
    .making = making_stored,
    .create = create_stored,
    .bind = bind_stored,
    .apply = apply_stored,
};
