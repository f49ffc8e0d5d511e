/* Stage 1 of assembly: from node[elements][stride] the elements around each node, then the nodes around each (the paper's nInd, nNum), on the
 * device. Counts, sums (scan.h), lists; candidates of a row go through a hash table, in local memory where that has room for ROWS of them, else
 * in a scratch, and each takes the place of its rank. */
#include "operator/assembly/neighbour.h"

/* HOST_...: what the host's variants are compiled for. */
enum { CHUNK = 128, HOST_TABLE = 1024, GROUP_ROWS = 8, HEAVY_GROUPS = 64 };

/* While it is made. */
typedef struct making {
  const hk_neighbours_desc *desc;
  hk_neighbours *n;
  hk_buffer *count, *scratch;
  hk_kernel *kernel;
  hk_pool pool;
  hk_index slots; /* of a row's table */
  bool heavy;     /* tables do not fit local memory */
} making;

const char *hk_neighbour_step_name(hk_neighbour_step step)
{
  static const char *const names[HK_NEIGHBOUR_STEPS] = {
      "count elements", "scan elements", "fill elements", "sort elements",
      "count nodes",    "scan nodes",    "fill nodes"};
  return names[step];
}

/* Time since *start goes to the step, and *start is now. */
static hk_status stop_clock(making *m, hk_neighbour_step step, double *start)
{
  if (!m->desc->timed) return HK_OK;
  const hk_status status = hk_device_finish(m->desc->device);
  m->n->seconds[step] += hk_seconds() - *start;
  *start = hk_seconds();
  return status;
}

static hk_status start_kernel(making *m, const char *function)
{
  return hk_kernel_get(&m->pool, m->desc->device,
                       &(hk_kernel_desc){.text = "neighbour",
                                         .function = function,
                                         .define = {{"CHUNK", CHUNK}, {"ROWS", 1}, {"SLOTS", 1}}},
                       &m->kernel);
}

static hk_count groups_of(hk_count items)
{
  return (items + CHUNK - 1) / CHUNK;
}

static hk_status count_elements(making *m)
{
  hk_neighbours *n = m->n;
  HK_PASS(start_kernel(m, "neighbour_count"));
  double start = hk_seconds();
  HK_PASS(hk_kernel_launch(m->kernel, 0, groups_of(n->elements),
                           HK_ARGUMENTS(n->node, m->count, n->elements, n->stride)));
  HK_PASS(stop_clock(m, HK_COUNT_ELEMENTS, &start));
  HK_PASS(hk_scan_run(n->scan, m->count, n->around_begin, n->nodes, &n->around_entries,
                      &n->most_around));
  return stop_clock(m, HK_SCAN_ELEMENTS, &start);
}

static hk_status list_elements(making *m)
{
  static const int32_t none = 0;
  hk_neighbours *n = m->n;
  HK_PASS(hk_buffer_get(&n->pool, m->desc->device, n->around_entries * 4, &n->around));
  HK_PASS(hk_buffer_get(&n->pool, m->desc->device, n->around_entries * 2, &n->place));
  HK_PASS(hk_buffer_send(&n->pool, m->desc->device, sizeof none, &none, &n->collapsed));
  HK_PASS(start_kernel(m, "neighbour_fill"));
  double start = hk_seconds();
  HK_PASS(hk_kernel_launch(
      m->kernel, 0, groups_of(n->elements),
      HK_ARGUMENTS(n->node, n->around_begin, m->count, n->around, n->elements, n->stride)));
  HK_PASS(stop_clock(m, HK_FILL_ELEMENTS, &start));
  HK_PASS(start_kernel(m, "neighbour_sort"));
  start = hk_seconds();
  HK_PASS(hk_kernel_launch(m->kernel, 0, groups_of(n->nodes),
                           HK_ARGUMENTS(n->node, n->around_begin, n->around, n->place, n->collapsed,
                                        n->nodes, n->stride)));
  return stop_clock(m, HK_SORT_ELEMENTS, &start);
}

/* Tables of a power of 2 that hold every candidate of a row; in local memory where ROWS of them and their lists fit. */
static hk_status choose_tables(making *m)
{
  const hk_device_info *info = hk_device_describe(m->desc->device);
  const hk_count candidates = (hk_count)m->n->most_around * m->n->stride;
  hk_count slots = 32, most = INT32_MAX;
  while (slots < candidates) slots *= 2;
  HK_PASS(hk_narrow(slots, "candidates around a node", &m->slots));
  if (info->local_memory) most = info->local_memory / 4 * 3 / (8 * GROUP_ROWS);
  if (m->desc->table) most = m->desc->table;
  m->heavy = slots > most || !hk_kernel_fits(info, slots, HOST_TABLE);
  if (m->heavy)
    HK_PASS(hk_buffer_get(&m->pool, m->desc->device,
                          slots * 8 * hk_kernel_size(info, GROUP_ROWS, 1) * HEAVY_GROUPS,
                          &m->scratch));
  return HK_OK;
}

static hk_status unite(making *m, bool fill, double *start)
{
  hk_neighbours *n = m->n;
  const hk_device_info *info = hk_device_describe(m->desc->device);
  const int rows = hk_kernel_size(info, GROUP_ROWS, 1),
            table = m->heavy ? 1 : hk_kernel_size(info, m->slots, HOST_TABLE);
  const hk_kernel_desc desc = {
      .text = "neighbour",
      .function = "neighbour_unite",
      .define =
          {{"CHUNK", CHUNK}, {"FILL", fill}, {"HEAVY", m->heavy}, {"ROWS", rows}, {"SLOTS", table}},
      .local =
          hk_local_bytes(rows, 4) + (m->heavy ? 0 : 2 * hk_local_bytes((hk_count)rows * table, 4))};
  const hk_count groups = (n->nodes + rows - 1) / rows, at_once = m->heavy ? HEAVY_GROUPS : groups;
  HK_PASS(hk_kernel_get(&m->pool, m->desc->device, &desc, &m->kernel));
  *start = hk_seconds();
  for (hk_count first = 0; first < groups; first += at_once)
    HK_PASS(hk_kernel_launch(m->kernel, first, groups - first < at_once ? groups - first : at_once,
                             (hk_argument[]){hk_arg_buffer(n->node), hk_arg_buffer(n->around_begin),
                                             hk_arg_buffer(n->around), hk_arg_buffer(n->begin),
                                             hk_arg_buffer(m->count), hk_arg_buffer(n->column),
                                             hk_arg_buffer(m->scratch), hk_arg_int((int32_t)first),
                                             hk_arg_int(n->nodes), hk_arg_int(n->stride),
                                             hk_arg_int(m->slots)},
                             11));
  return HK_OK;
}

static hk_status list_nodes(making *m)
{
  hk_neighbours *n = m->n;
  double start = 0;
  HK_PASS(choose_tables(m));
  HK_PASS(unite(m, false, &start));
  HK_PASS(stop_clock(m, HK_COUNT_NODES, &start));
  HK_PASS(hk_scan_run(n->scan, m->count, n->begin, n->nodes, &n->entries, &n->longest));
  HK_PASS(stop_clock(m, HK_SCAN_NODES, &start));
  HK_PASS(hk_buffer_get(&n->pool, m->desc->device, n->entries * 4, &n->column));
  HK_PASS(unite(m, true, &start));
  return stop_clock(m, HK_FILL_NODES, &start);
}

hk_status hk_neighbours_create(const hk_neighbours_desc *desc, hk_neighbours **out)
{
  hk_status status = HK_OK;
  hk_neighbours *n = NULL;
  making m = {.desc = desc};
  const hk_count items = desc->nodes > desc->elements ? desc->nodes : desc->elements;
  HK_TRY(hk_new(&n));
  m.n = n;
  n->nodes = desc->nodes, n->elements = desc->elements, n->stride = desc->stride;
  if (desc->taken)
    n->node = *desc->taken, *desc->taken = NULL;
  else {
    HK_TRY(hk_buffer_create(desc->device, (hk_count)n->elements * n->stride * 4, &n->node));
    HK_TRY(hk_buffer_write(n->node, 0, hk_buffer_bytes(n->node), desc->node));
  }
  HK_TRY(hk_buffer_get(&m.pool, desc->device, (hk_count)n->nodes * 4, &m.count));
  HK_TRY(hk_buffer_get(&n->pool, desc->device, ((hk_count)n->nodes + 1) * 8, &n->around_begin));
  if (!desc->elements_only)
    HK_TRY(hk_buffer_get(&n->pool, desc->device, ((hk_count)n->nodes + 1) * 8, &n->begin));
  HK_TRY(hk_scan_create(desc->device, items, &n->scan));
  HK_TRY(count_elements(&m));
  HK_TRY(list_elements(&m));
  if (!desc->elements_only) HK_TRY(list_nodes(&m));
  *out = n, n = NULL;
cleanup:
  hk_pool_clear(&m.pool);
  hk_neighbours_destroy(&n);
  return status;
}

void hk_neighbours_destroy(hk_neighbours **neighbours)
{
  hk_neighbours *n = *neighbours;
  if (!n) return;
  hk_buffer_destroy(&n->node);
  hk_pool_clear(&n->pool);
  hk_scan_destroy(&n->scan);
  hk_free(neighbours);
}

hk_count hk_neighbours_bytes(const hk_neighbours *n)
{
  return hk_buffer_bytes(n->node) + hk_buffer_bytes(n->around_begin) + hk_buffer_bytes(n->begin) +
         hk_buffer_bytes(n->around) + hk_buffer_bytes(n->column) + hk_buffer_bytes(n->place) +
         hk_scan_bytes(n->scan);
}
