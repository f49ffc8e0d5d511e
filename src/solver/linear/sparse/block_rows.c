/* Rows of blocks on a device, sliced by the device's width: the matrices of levels and the interpolation between them.
 * A slice is as long as its longest row; lists are interleaved, so that threads side by side read side by side. Packed by the host in
 * parallel, in place where it can address the device's memory. y = A x or y = from + sign A x is one launch of level.k.h. */
#include "solver/linear/sparse/block_rows.h"
#include "graph/sliced.h"

enum { HOST_GROUP = 64, GROUP = 256 };

int hk_level_group(const hk_device *device)
{
  return hk_kernel_size(hk_device_describe(device), GROUP, HOST_GROUP);
}

hk_status hk_level_kernel(hk_device *device, const char *function, int block, int columns,
                          bool double_precision, hk_kernel **out)
{
  return hk_kernel_create(
      device,
      &(hk_kernel_desc){.text = "level",
                        .function = function,
                        .double_precision = double_precision,
                        .define = {{"BLOCK", block},
                                   {"COLUMNS", columns},
                                   {"NODES", hk_level_group(device)},
                                   {"ROWS", block}},
                        .local = hk_local_bytes((hk_count)hk_level_group(device) * block,
                                                double_precision ? 8 : 4)},
      out);
}

/* A group has a slice, and a thread one of the rows of a node; or, where kernels were built for that, a group several slices and a thread
 * all rows of its nodes. */
hk_status hk_block_rows_finish(hk_device *device, int height, int width, bool real,
                               hk_block_rows *rows)
{
  const hk_device_info *info = hk_device_describe(device);
  rows->bytes =
      hk_buffer_bytes(rows->slice) + hk_buffer_bytes(rows->column) + hk_buffer_bytes(rows->block);
  const int nodes = hk_kernel_size(info, info->width, HOST_GROUP);
  rows->groups = (rows->nodes + nodes - 1) / nodes;
  return hk_kernel_create(device,
                          &(hk_kernel_desc){.text = "level",
                                            .function = "level_multiply",
                                            .double_precision = real,
                                            .define = {{"BLOCK", height},
                                                       {"COLUMNS", width},
                                                       {"NODES", nodes},
                                                       {"ROWS", hk_kernel_size(info, 1, height)}},
                                            .threads = info->width * height},
                          &rows->multiply);
}

typedef struct packing {
  const hk_block_matrix *matrix;
  const hk_index *slice;
  int width;
  bool double_precision;
  hk_index *column;
  void *block;
} packing;

static void pack_row(const packing *k, hk_index i)
{
  const hk_block_matrix *m = k->matrix;
  const int w = k->width, size = m->height * m->width;
  const hk_count first = i < m->rows ? m->begin[i] : 0,
                 length = i < m->rows ? m->begin[i + 1] - first : 0;
  hk_count entry = k->slice[i / w];
  for (hk_count e = 0; e < length; e++, entry++) {
    const double *from = m->block + (first + e) * size;
    k->column[entry * w + i % w] = m->column[first + e];
    for (int q = 0; q < size; q++) {
      const hk_count to = (entry * size + q) * w + i % w;
      if (k->double_precision)
        ((double *)k->block)[to] = from[q];
      else
        ((float *)k->block)[to] = (float)from[q];
    }
  }
}

/* Lists in memory that the host can address are made in place. */
static hk_status place_of(hk_buffer *buffer, void **own, void **place)
{
  hk_status status = HK_OK;
  *place = hk_buffer_host(buffer);
  if (!*place) {
    HK_TRY(hk_memory_get(own, hk_buffer_bytes(buffer), 1));
    *place = *own;
  }
cleanup:
  return status;
}

static hk_status pack(hk_device *device, const hk_block_matrix *m, bool real, hk_index *slice,
                      hk_block_rows *rows)
{
  hk_status status = HK_OK;
  const int w = hk_device_describe(device)->width;
  const hk_index slices = rows->nodes / w;
  const hk_count entries = (hk_count)slice[slices] * w;
  void *own[2] = {NULL}, *place[2];
  HK_TRY(hk_buffer_create(device, (slices + 1) * 4LL, &rows->slice));
  HK_TRY(hk_buffer_create(device, entries * 4, &rows->column));
  HK_TRY(hk_buffer_create(device, entries * m->height * m->width * (real ? 8 : 4), &rows->block));
  HK_TRY(place_of(rows->column, &own[0], &place[0]));
  HK_TRY(place_of(rows->block, &own[1], &place[1]));
  const packing k = {m, slice, w, real, place[0], place[1]};
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < rows->nodes; i++) pack_row(&k, i);
  HK_TRY(hk_buffer_write(rows->slice, 0, (slices + 1) * 4LL, slice));
  if (own[0]) HK_TRY(hk_buffer_write(rows->column, 0, hk_buffer_bytes(rows->column), own[0]));
  if (own[1]) HK_TRY(hk_buffer_write(rows->block, 0, hk_buffer_bytes(rows->block), own[1]));
cleanup:
  hk_memory_free(&own[0]);
  hk_memory_free(&own[1]);
  return status;
}

static hk_status create_lists(hk_device *device, const hk_block_matrix *m, bool double_precision,
                              hk_block_rows *rows)
{
  hk_status status = HK_OK;
  const int w = hk_device_describe(device)->width;
  hk_index *length = NULL, *slice = NULL;
  rows->nodes = (m->rows + w - 1) / w * w;
  HK_TRY(hk_get(&length, rows->nodes));
  HK_TRY(hk_get(&slice, rows->nodes / w + 1));
  for (hk_index i = 0; i < m->rows; i++) length[i] = (hk_index)(m->begin[i + 1] - m->begin[i]);
  HK_TRY(hk_sliced_offsets(length, rows->nodes, w, slice));
  HK_TRY(pack(device, m, double_precision, slice, rows));
  rows->bytes =
      hk_buffer_bytes(rows->slice) + hk_buffer_bytes(rows->column) + hk_buffer_bytes(rows->block);
cleanup:
  hk_free(&length);
  hk_free(&slice);
  return status;
}

hk_status hk_block_rows_create(hk_device *device, const hk_block_matrix *m, bool double_precision,
                               hk_block_rows *rows)
{
  hk_status status = HK_OK;
  HK_TRY(create_lists(device, m, double_precision, rows));
  HK_TRY(hk_block_rows_finish(device, m->height, m->width, double_precision, rows));
cleanup:
  return status;
}

hk_status hk_block_rows_create_weights(hk_device *device, const hk_block_matrix *m, int components,
                                       bool double_precision, hk_block_rows *rows)
{
  hk_status status = HK_OK;
  HK_TRY(create_lists(device, m, double_precision, rows));
  HK_TRY(hk_level_kernel(device, "level_transfer", components, components, double_precision,
                         &rows->multiply));
  rows->weights = true;
  rows->groups = (rows->nodes + hk_level_group(device) - 1) / hk_level_group(device);
cleanup:
  return status;
}

void hk_block_rows_destroy(hk_block_rows *rows)
{
  hk_buffer_destroy(&rows->slice);
  hk_buffer_destroy(&rows->column);
  hk_buffer_destroy(&rows->block);
  hk_kernel_destroy(&rows->multiply);
  *rows = (hk_block_rows){0};
}

hk_status hk_block_rows_multiply(const hk_block_rows *rows, const hk_buffer *x,
                                 const hk_buffer *from, double sign, hk_buffer *y)
{
  const hk_argument argument[] = {hk_arg_buffer(rows->slice), hk_arg_buffer(rows->column),
                                  hk_arg_buffer(rows->block), hk_arg_buffer(x),
                                  hk_arg_buffer(from),        hk_arg_buffer(y),
                                  hk_arg_real(sign),          hk_arg_int(rows->nodes)};
  const hk_argument weights[] = {argument[0], argument[1], argument[2],
                                 argument[3], argument[5], hk_arg_int(from != NULL),
                                 argument[7]};
  return rows->weights ? hk_kernel_launch(rows->multiply, 0, rows->groups, weights, 7)
                       : hk_kernel_launch(rows->multiply, 0, rows->groups, argument, 8);
}
