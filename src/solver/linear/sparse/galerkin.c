/* Products, transposes and diagonals of sparse matrices of blocks on a device, in double (kernels in sparse.k.h).
 * C = A B: a hash table per row collects the columns (in local memory where it fits, else in a scratch), counts are summed to `begin`, memory is
 * taken, columns are sorted, then each value is summed by one thread in the order of A's row: the same bits in each run. Kernels and scans are
 * kept in hk_galerkin_tools for all levels. */
#include "solver/linear/sparse/galerkin.h"

/* Threads of a group with several per row; HOST_TABLE: what the host's variants are compiled for. SCRATCH: bytes of tables outside local
 * memory. */
enum {
  THREADS = 128,
  HOST_TABLE = 1024,
  MOST_TABLE = 4096,
  SCRATCH = 64 << 20,
  HOST_SCRATCH = 4 << 20
};

void hk_galerkin_clear(hk_galerkin_matrix *m)
{
  hk_buffer_destroy(&m->begin);
  hk_buffer_destroy(&m->column);
  hk_buffer_destroy(&m->block);
  *m = (hk_galerkin_matrix){0};
}

void hk_galerkin_tools_clear(hk_galerkin_tools *tools)
{
  hk_scan_destroy(&tools->scan);
  hk_pool_clear(&tools->pool);
  *tools = (hk_galerkin_tools){.device = tools->device, .stop = tools->stop};
}

static bool same(const hk_kernel_desc *a, const hk_kernel_desc *b)
{
  bool all = hk_same_text(a->text, b->text) && hk_same_text(a->function, b->function) &&
             a->double_precision == b->double_precision && a->local == b->local &&
             a->threads == b->threads && a->early == b->early;
  for (int k = 0; all && k < HK_MOST_DEFINES && (a->define[k].name || b->define[k].name); k++)
    all = a->define[k].name && b->define[k].name &&
          hk_same_text(a->define[k].name, b->define[k].name) &&
          a->define[k].value == b->define[k].value;
  return all;
}

static hk_status find_kernel(hk_galerkin_tools *tools, const hk_kernel_desc *desc, hk_kernel **out)
{
  hk_made_kernel *made;
  for (hk_count k = 0; k < tools->made.count; k++)
    if (same(&tools->made.at[k].desc, desc)) {
      *out = tools->made.at[k].kernel;
      return HK_OK;
    }
  HK_PASS(hk_pool_more(&tools->pool, &tools->made));
  made = &tools->made.at[tools->made.count];
  made->desc = *desc;
  HK_PASS(hk_kernel_get(&tools->pool, tools->device, desc, &made->kernel));
  *out = made->kernel;
  tools->made.count++;
  return HK_OK;
}

hk_status hk_galerkin_run_groups(hk_galerkin_tools *tools, const hk_kernel_desc *desc,
                                 hk_count first, hk_count groups, const hk_argument *argument,
                                 int arguments)
{
  hk_kernel *kernel;
  HK_PASS(find_kernel(tools, desc, &kernel));
  return hk_kernel_launch(kernel, first, groups, argument, arguments);
}

hk_status hk_galerkin_run(hk_galerkin_tools *tools, const hk_kernel_desc *desc, hk_count count,
                          const hk_argument *argument, int arguments)
{
  return hk_galerkin_run_groups(tools, desc, 0, (count + HK_GALERKIN_CHUNK - 1) / HK_GALERKIN_CHUNK,
                                argument, arguments);
}

hk_status hk_galerkin_sum(hk_galerkin_tools *tools, const hk_buffer *count, hk_buffer *begin,
                          hk_count items, hk_count *total, hk_index *largest)
{
  if (!tools->scan || items > tools->items) {
    hk_scan_destroy(&tools->scan);
    HK_PASS(hk_scan_create(tools->device, items, &tools->scan));
    tools->items = items;
  }
  return hk_scan_run(tools->scan, count, begin, items, total, largest);
}

/* `wanted`, or 1 where kernels were built for that. */
static int several(const hk_galerkin_tools *tools, int wanted)
{
  return hk_kernel_size(hk_device_describe(tools->device), wanted, 1);
}

/* One thread per row. */
static hk_status run_rows(hk_galerkin_tools *tools, const char *function, bool double_precision,
                          hk_count rows, const hk_argument *argument, int arguments)
{
  return hk_galerkin_run(tools,
                         &(hk_kernel_desc){.text = "sparse",
                                           .function = function,
                                           .double_precision = double_precision,
                                           .define = {{"CHUNK", HK_GALERKIN_CHUNK}, {"ROWS", 1}}},
                         rows, argument, arguments);
}

/* `spread` threads per row, where kernels are compiled. */
static hk_status run_spread(hk_galerkin_tools *tools, const char *function, bool double_precision,
                            hk_count count, const hk_argument *argument, int arguments)
{
  enum { SPREAD = 8 };
  hk_kernel *kernel;
  const int rows = several(tools, THREADS / SPREAD);
  HK_PASS(find_kernel(tools,
                      &(hk_kernel_desc){.text = "sparse",
                                        .function = function,
                                        .double_precision = double_precision,
                                        .define = {{"CHUNK", HK_GALERKIN_CHUNK}, {"ROWS", rows}},
                                        .threads = THREADS},
                      &kernel));
  return hk_kernel_launch(kernel, 0, (count + rows - 1) / rows, argument, arguments);
}

/* begin, and the memory of `entries`. */
static hk_status take_entries(hk_device *device, hk_galerkin_matrix *m)
{
  HK_PASS(hk_buffer_create(device, m->entries * 4, &m->column));
  return hk_buffer_create(device, m->entries * m->height * m->width * 8, &m->block);
}

hk_status hk_galerkin_send(hk_device *device, const hk_block_matrix *from, hk_galerkin_matrix *to)
{
  *to = (hk_galerkin_matrix){.rows = from->rows,
                             .columns = from->columns,
                             .height = from->height,
                             .width = from->width,
                             .entries = from->begin[from->rows]};
  HK_PASS(hk_buffer_create(device, ((hk_count)to->rows + 1) * 8, &to->begin));
  HK_PASS(take_entries(device, to));
  HK_PASS(hk_buffer_write(to->begin, 0, hk_buffer_bytes(to->begin), from->begin));
  HK_PASS(hk_buffer_write(to->column, 0, hk_buffer_bytes(to->column), from->column));
  return hk_buffer_write(to->block, 0, hk_buffer_bytes(to->block), from->block);
}

hk_status hk_galerkin_read(const hk_galerkin_matrix *from, hk_block_matrix *to)
{
  hk_status status = HK_OK;
  *to = (hk_block_matrix){
      .rows = from->rows, .columns = from->columns, .height = from->height, .width = from->width};
  HK_TRY(hk_get(&to->begin, (hk_count)from->rows + 1));
  HK_TRY(hk_get(&to->column, from->entries));
  HK_TRY(hk_get(&to->block, from->entries * from->height * from->width));
  HK_TRY(hk_buffer_read(from->begin, 0, hk_buffer_bytes(from->begin), to->begin));
  HK_TRY(hk_buffer_read(from->column, 0, hk_buffer_bytes(from->column), to->column));
  HK_TRY(hk_buffer_read(from->block, 0, hk_buffer_bytes(from->block), to->block));
cleanup:
  if (status != HK_OK) hk_block_matrix_clear(to);
  return status;
}

typedef struct product {
  const hk_galerkin_matrix *a, *b;
  const hk_buffer *weight;
  hk_galerkin_matrix *c;
  hk_buffer *count, *scratch;
  hk_index slots; /* of a row's table */
  int table;      /* that the kernel has room for; 0: tables lie in scratch */
  int rows;       /* of a group */
} product;

/* Bytes of tables outside local memory: threads of the host have a few rows each. */
static hk_count scratch_of(const hk_galerkin_tools *tools, hk_index slots)
{
  enum { EACH = 16 };
  const hk_device_info *info = hk_device_describe(tools->device);
  const hk_count needed = 8LL * slots * EACH * info->threads;
  if (hk_device_has_groups(info) || needed > SCRATCH) return SCRATCH;
  return needed > hk_memory_room(HOST_SCRATCH) ? needed : hk_memory_room(HOST_SCRATCH);
}

/* Tables of a power of 2 that hold every column of a row. */
static hk_status choose_tables(hk_galerkin_tools *tools, product *p)
{
  const hk_device_info *info = hk_device_describe(tools->device);
  hk_index most;
  hk_count slots = 32;
  HK_PASS(run_rows(
      tools, "sparse_candidates", false, p->a->rows,
      HK_ARGUMENTS(p->a->begin, p->a->column, p->weight, p->b->begin, p->count, p->a->rows)));
  HK_PASS(hk_galerkin_sum(tools, p->count, p->c->begin, p->a->rows, NULL, &most));
  while (slots < most && slots < p->b->columns) slots *= 2;
  p->slots = (hk_index)slots;
  p->table = hk_kernel_size(info, 64, HOST_TABLE);
  while (p->table < slots) p->table *= 4;
  p->rows = several(tools, p->table <= 256 ? 4 : 1);
  if (p->table > MOST_TABLE || !hk_kernel_fits(info, p->table, HOST_TABLE) ||
      (info->local_memory && 8LL * p->rows * p->table + 64 > info->local_memory)) {
    p->table = 0, p->rows = 1;
    HK_PASS(hk_buffer_create(tools->device, scratch_of(tools, p->slots), &p->scratch));
  }
  return HK_OK;
}

static hk_status unite(hk_galerkin_tools *tools, const product *p, bool fill)
{
  hk_kernel *kernel;
  const hk_count groups = (p->a->rows + p->rows - 1) / p->rows,
                 at_once = p->table ? groups : hk_buffer_bytes(p->scratch) / (8LL * p->slots),
                 list = hk_local_bytes((hk_count)p->rows * p->table, 4);
  HK_NEED(at_once > 0, HK_NO_RESOURCES, "a row of the product would have %lld entries, too many",
          (long long)p->slots);
  HK_PASS(find_kernel(tools,
                      &(hk_kernel_desc){.text = "sparse",
                                        .function = "sparse_unite",
                                        .define = {{"CHUNK", HK_GALERKIN_CHUNK},
                                                   {"FILL", fill},
                                                   {"HEAVY", !p->table},
                                                   {"ROWS", p->rows},
                                                   {"SLOTS", p->table ? p->table : HOST_TABLE}},
                                        .local = hk_local_bytes(p->rows, 4) + 2 * list,
                                        .threads = THREADS},
                      &kernel));
  for (hk_count first = 0; first < groups; first += at_once) {
    HK_PASS(hk_kernel_launch(kernel, first, groups - first < at_once ? groups - first : at_once,
                             HK_ARGUMENTS(p->a->begin, p->a->column, p->weight, p->b->begin,
                                          p->b->column, p->c->begin, p->count, p->c->column,
                                          p->scratch, (int32_t)first, p->a->rows, p->slots)));
  }
  return HK_OK;
}

static hk_status find_values(hk_galerkin_tools *tools, const product *p)
{
  hk_kernel *kernel;
  const hk_device_info *info = hk_device_describe(tools->device);
  const int height = p->a->height, spread = height * p->b->width > 1 ? 32 : 8,
            rows = several(tools, THREADS / spread);
  HK_PASS(find_kernel(tools,
                      &(hk_kernel_desc){.text = "sparse",
                                        .function = "sparse_multiply",
                                        .define = {{"CHUNK", HK_GALERKIN_CHUNK},
                                                   {"COLUMNS", p->b->width},
                                                   {"HEIGHT", height},
                                                   {"INNER", p->a->width},
                                                   {"LINES", hk_kernel_size(info, 1, height)},
                                                   {"ROWS", rows}},
                                        .threads = THREADS},
                      &kernel));
  return hk_kernel_launch(kernel, 0, (p->a->rows + rows - 1) / rows,
                          HK_ARGUMENTS(p->a->begin, p->a->column, p->weight, p->a->block,
                                       p->b->begin, p->b->column, p->b->block, p->c->begin,
                                       p->c->column, p->c->block, p->a->rows));
}

hk_status hk_galerkin_look(const hk_galerkin_tools *tools)
{
  return hk_stop_look(tools->stop, "the multigrid levels were built");
}

hk_status hk_galerkin_multiply(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                               const hk_galerkin_matrix *b, const hk_buffer *weight,
                               hk_galerkin_matrix *c)
{
  hk_status status = HK_OK;
  product p = {.a = a, .b = b, .weight = weight, .c = c};
  *c = (hk_galerkin_matrix){
      .rows = a->rows, .columns = b->columns, .height = a->height, .width = b->width};
  HK_TRY(hk_galerkin_look(tools));
  HK_TRY(hk_buffer_create(tools->device, ((hk_count)a->rows + 1) * 8, &c->begin));
  HK_TRY(hk_buffer_create(tools->device, (hk_count)a->rows * 4, &p.count));
  HK_TRY(choose_tables(tools, &p));
  HK_TRY(unite(tools, &p, false));
  HK_TRY(hk_galerkin_sum(tools, p.count, c->begin, a->rows, &c->entries, NULL));
  HK_TRY(take_entries(tools->device, c));
  HK_TRY(unite(tools, &p, true));
  HK_TRY(hk_galerkin_look(tools));
  HK_TRY(find_values(tools, &p));
cleanup:
  hk_buffer_destroy(&p.count);
  hk_buffer_destroy(&p.scratch);
  return status;
}

hk_status hk_galerkin_transpose_pattern(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                                        hk_galerkin_matrix *t)
{
  hk_status status = HK_OK;
  hk_buffer *count = NULL;
  *t = (hk_galerkin_matrix){.rows = a->columns,
                            .columns = a->rows,
                            .height = a->width,
                            .width = a->height,
                            .entries = a->entries};
  HK_TRY(hk_buffer_create(tools->device, ((hk_count)t->rows + 1) * 8, &t->begin));
  HK_TRY(hk_buffer_create(tools->device, t->entries * 4, &t->column));
  HK_TRY(hk_buffer_create(tools->device, (hk_count)t->rows * 4, &count));
  HK_TRY(run_rows(tools, "sparse_tally", false, a->rows,
                  HK_ARGUMENTS(a->begin, a->column, count, a->rows)));
  HK_TRY(hk_galerkin_sum(tools, count, t->begin, t->rows, NULL, NULL));
  HK_TRY(run_rows(tools, "sparse_scatter", false, a->rows,
                  HK_ARGUMENTS(a->begin, a->column, t->begin, count, t->column, a->rows)));
  HK_TRY(
      run_rows(tools, "sparse_order", false, t->rows, HK_ARGUMENTS(t->begin, t->column, t->rows)));
cleanup:
  hk_buffer_destroy(&count);
  return status;
}

hk_status hk_galerkin_transpose(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                                hk_galerkin_matrix *t)
{
  HK_PASS(hk_galerkin_transpose_pattern(tools, a, t));
  HK_PASS(hk_buffer_create(tools->device, t->entries * t->height * t->width * 8, &t->block));
  return run_spread(tools, "sparse_flip", false, t->rows,
                    HK_ARGUMENTS(a->begin, a->column, a->block, t->begin, t->column, t->block,
                                 t->rows, a->height, a->width));
}

hk_status hk_galerkin_hold(hk_galerkin_tools *tools, const hk_index *dof, hk_index count,
                           hk_galerkin_matrix *a)
{
  hk_status status = HK_OK;
  hk_buffer *list = NULL, *held = NULL;
  HK_TRY(hk_buffer_create(tools->device, (hk_count)count * 4, &list));
  HK_TRY(hk_buffer_create(tools->device, (hk_count)a->rows * a->height * 4, &held));
  HK_TRY(hk_buffer_write(list, 0, (hk_count)count * 4, dof));
  HK_TRY(run_rows(tools, "sparse_mark", false, count, HK_ARGUMENTS(list, held, count)));
  HK_TRY(run_spread(tools, "sparse_hold", false, a->rows,
                    HK_ARGUMENTS(a->begin, a->column, held, a->block, a->rows, a->height)));
cleanup:
  hk_buffer_destroy(&list);
  hk_buffer_destroy(&held);
  return status;
}

hk_status hk_galerkin_take(hk_galerkin_tools *tools, const hk_assembly *k, hk_galerkin_matrix *a)
{
  const hk_neighbours *n = k->neighbours;
  const int components = k->desc.on.space->components;
  *a = (hk_galerkin_matrix){.rows = n->nodes,
                            .columns = n->nodes,
                            .height = components,
                            .width = components,
                            .entries = n->entries};
  HK_PASS(hk_buffer_create(tools->device, hk_buffer_bytes(n->begin), &a->begin));
  HK_PASS(take_entries(tools->device, a));
  HK_PASS(hk_buffer_copy(a->begin, n->begin));
  HK_PASS(hk_buffer_copy(a->column, n->column));
  return run_spread(tools, "sparse_take", k->desc.on.double_precision, a->rows,
                    HK_ARGUMENTS(n->begin, k->value, a->block, a->rows, components));
}

hk_status hk_galerkin_move(hk_galerkin_tools *tools, const hk_buffer *run, hk_count runs,
                           const hk_galerkin_matrix *from, hk_galerkin_matrix *to)
{
  hk_index count;
  HK_PASS(hk_narrow(runs, "rows that are moved", &count));
  return run_spread(tools, "sparse_move", false, runs,
                    HK_ARGUMENTS(run, from->column, from->block, to->column, to->block, count,
                                 from->height * from->width));
}

hk_status hk_galerkin_spans(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, hk_index low,
                            hk_index high, hk_buffer *span)
{
  return run_rows(tools, "sparse_spans", false, a->rows,
                  HK_ARGUMENTS(a->begin, a->column, span, a->rows, low, high));
}

hk_status hk_galerkin_need(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, hk_buffer *need)
{
  return run_spread(tools, "sparse_need", false, a->rows,
                    HK_ARGUMENTS(a->begin, a->column, need, a->rows));
}

hk_status hk_galerkin_diagonal(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                               bool double_precision, hk_buffer *diagonal)
{
  return run_rows(tools, "sparse_diagonal", double_precision, a->rows,
                  HK_ARGUMENTS(a->begin, a->column, a->block, diagonal, a->rows, a->height));
}

/* rows->slice; entries per lane. */
static hk_status find_slices(hk_galerkin_tools *tools, const hk_galerkin_matrix *a,
                             hk_block_rows *rows, hk_count *entries)
{
  hk_status status = HK_OK;
  const hk_index slices = rows->nodes / hk_device_describe(tools->device)->width;
  hk_pool pool = {0};
  hk_buffer *count, *sum;
  hk_index last;
  HK_TRY(hk_buffer_get(&pool, tools->device, slices * 4LL, &count));
  HK_TRY(hk_buffer_get(&pool, tools->device, (slices + 1) * 8LL, &sum));
  HK_TRY(hk_buffer_get(&rows->pool, tools->device, (slices + 1) * 4LL, &rows->slice));
  HK_TRY(run_rows(tools, "sparse_slices", false, slices,
                  HK_ARGUMENTS(a->begin, count, a->rows, slices)));
  HK_TRY(hk_galerkin_sum(tools, count, sum, slices, entries, NULL));
  HK_TRY(hk_narrow(*entries, "list entries per lane", &last));
  HK_TRY(run_rows(tools, "sparse_narrow", false, slices + 1,
                  HK_ARGUMENTS(sum, rows->slice, slices + 1)));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_galerkin_pack(hk_galerkin_tools *tools, const hk_galerkin_matrix *a, int components,
                           bool double_precision, hk_block_rows *rows)
{
  hk_device *device = tools->device;
  const int width = hk_device_describe(device)->width, size = a->height * a->width,
            real = double_precision ? 8 : 4;
  hk_count entries;
  rows->components = components;
  rows->nodes = (a->rows + width - 1) / width * width;
  HK_PASS(find_slices(tools, a, rows, &entries));
  HK_PASS(hk_buffer_get(&rows->pool, device, entries * width * 4, &rows->column));
  HK_PASS(hk_buffer_get(&rows->pool, device, entries * width * size * real, &rows->block));
  HK_PASS(run_rows(tools, "sparse_pack", double_precision, a->rows,
                   HK_ARGUMENTS(a->begin, a->column, a->block, rows->slice, rows->column,
                                rows->block, a->rows, size)));
  return hk_block_rows_finish(device, a->height, a->width, double_precision, rows);
}
