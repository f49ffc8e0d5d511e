/* The sparsity scan of Keating (2019), section 3.3.2, Algorithm 4: for each element, the set S(v_r)
 * of each of its nodes is united with all its nodes; the sets joined are the columns of the matrix.
 * On the host one thread keeps each set as a sorted list. On a device (pattern.k.h) room is
 * counted, all pairs are stored with atomics, and each node then sorts its own and drops
 * duplicates. Both give the same lists; the parts are timed separately. */
#include "papers/scan_pattern.h"
#include "operator/assembly/scan.h"
#include <string.h>

enum { CHUNK = 128 };

static int nodes_of(const hk_pattern_desc *d, hk_count e)
{
  int nodes = 0;
  while (nodes < d->stride && d->node[e * d->stride + nodes] >= 0) nodes++;
  return nodes;
}

/* set[*members], ascending: + {value} */
static void unite(hk_index *set, hk_index *members, hk_index value)
{
  hk_index low = 0, high = *members;
  while (low < high) {
    const hk_index middle = (low + high) / 2;
    if (set[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < *members && set[low] == value) return;
  memmove(set + low + 1, set + low, (size_t)(*members - low) * sizeof *set);
  set[low] = value;
  ++*members;
}

/* at[nodes + 1]: room for the pairs of each node. */
static void find_room(const hk_pattern_desc *d, hk_count *at)
{
  for (hk_count e = 0; e < d->elements; e++) {
    const int nodes = nodes_of(d, e);
    for (int r = 0; r < nodes; r++) at[d->node[e * d->stride + r] + 1] += nodes;
  }
  for (hk_index i = 0; i < d->nodes; i++) at[i + 1] += at[i];
}

static hk_status scan_on_host(const hk_pattern_desc *d, hk_pattern *p)
{
  hk_status status = HK_OK;
  hk_count *at = NULL;
  hk_index *list = NULL, *members = NULL;
  double start = hk_seconds();
  HK_TRY(hk_get(&at, (hk_count)d->nodes + 1));
  find_room(d, at);
  HK_TRY(hk_get(&list, at[d->nodes]));
  HK_TRY(hk_get(&members, d->nodes));
  HK_TRY(hk_get(&p->begin, (hk_count)d->nodes + 1));
  p->seconds_allocation = hk_seconds() - start, start = hk_seconds();
  for (hk_count e = 0; e < d->elements; e++) {
    const hk_index *node = d->node + e * d->stride;
    const int nodes = nodes_of(d, e);
    for (int r = 0; r < nodes; r++)
      for (int s = 0; s < nodes; s++) unite(list + at[node[r]], &members[node[r]], node[s]);
  }
  for (hk_index i = 0; i < d->nodes; i++) p->begin[i + 1] = p->begin[i] + members[i];
  p->entries = p->begin[d->nodes];
  HK_TRY(hk_get(&p->column, p->entries));
  for (hk_index i = 0; i < d->nodes; i++)
    if (members[i])
      memcpy(p->column + p->begin[i], list + at[i], (size_t)members[i] * sizeof *list);
  p->seconds_scan = hk_seconds() - start;
cleanup:
  hk_free(&at);
  hk_free(&list);
  hk_free(&members);
  return status;
}

typedef struct on_device {
  hk_kernel *room, *put, *unite, *join;
  hk_scan *scan;
  hk_buffer *node, *count, *at, *list, *begin, *column;
} on_device;

static void clear(on_device *o)
{
  hk_kernel **const kernel[] = {&o->room, &o->put, &o->unite, &o->join};
  hk_buffer **const buffer[] = {&o->node, &o->count, &o->at, &o->list, &o->begin, &o->column};
  for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) hk_kernel_destroy(kernel[k]);
  for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) hk_buffer_destroy(buffer[k]);
  hk_scan_destroy(&o->scan);
}

static hk_status create_kernel(hk_device *device, const char *function, hk_kernel **out)
{
  return hk_kernel_create(
      device,
      &(hk_kernel_desc){.text = "pattern", .function = function, .define = {{"CHUNK", CHUNK}}},
      out);
}

static hk_status create(const hk_pattern_desc *d, on_device *o)
{
  const hk_count nodes = d->nodes;
  HK_PASS(create_kernel(d->device, "pattern_room", &o->room));
  HK_PASS(create_kernel(d->device, "pattern_put", &o->put));
  HK_PASS(create_kernel(d->device, "pattern_unite", &o->unite));
  HK_PASS(create_kernel(d->device, "pattern_join", &o->join));
  HK_PASS(hk_scan_create(d->device, nodes, &o->scan));
  HK_PASS(hk_buffer_create(d->device, (hk_count)d->elements * d->stride * 4, &o->node));
  HK_PASS(hk_buffer_create(d->device, nodes * 4, &o->count));
  HK_PASS(hk_buffer_create(d->device, (nodes + 1) * 8, &o->at));
  return hk_buffer_create(d->device, (nodes + 1) * 8, &o->begin);
}

/* The sets, and where the rows begin: o->begin. */
static hk_status unite_sets(const hk_pattern_desc *d, on_device *o, hk_pattern *p)
{
  const hk_count chunks = ((hk_count)d->elements + CHUNK - 1) / CHUNK,
                 rows = ((hk_count)d->nodes + CHUNK - 1) / CHUNK;
  const hk_argument node = hk_arg_buffer(o->node), count = hk_arg_buffer(o->count),
                    at = hk_arg_buffer(o->at), elements = hk_arg_int(d->elements),
                    stride = hk_arg_int(d->stride), nodes = hk_arg_int(d->nodes);
  hk_count room;
  HK_PASS(hk_kernel_launch(o->room, 0, chunks, (hk_argument[]){node, count, elements, stride}, 4));
  HK_PASS(hk_scan_run(o->scan, o->count, o->at, d->nodes, &room, NULL));
  const double start = hk_seconds();
  HK_PASS(hk_buffer_create(d->device, room * 4, &o->list));
  p->seconds_allocation += hk_seconds() - start;
  const hk_argument list = hk_arg_buffer(o->list);
  HK_PASS(hk_kernel_launch(o->put, 0, chunks,
                           (hk_argument[]){node, at, count, list, elements, stride}, 6));
  HK_PASS(hk_kernel_launch(o->unite, 0, rows, (hk_argument[]){at, list, count, nodes}, 4));
  HK_PASS(hk_scan_run(o->scan, o->count, o->begin, d->nodes, &p->entries, NULL));
  HK_PASS(hk_buffer_create(d->device, p->entries * 4, &o->column));
  HK_PASS(hk_kernel_launch(
      o->join, 0, rows,
      (hk_argument[]){at, list, hk_arg_buffer(o->begin), hk_arg_buffer(o->column), nodes}, 5));
  return hk_device_finish(d->device);
}

static hk_status scan_on_device(const hk_pattern_desc *d, hk_pattern *p)
{
  hk_status status = HK_OK;
  on_device o = {0};
  HK_TRY(create(d, &o));
  double start = hk_seconds();
  HK_TRY(hk_buffer_write(o.node, 0, hk_buffer_bytes(o.node), d->node));
  HK_TRY(hk_device_finish(d->device));
  p->seconds_transfer = hk_seconds() - start, start = hk_seconds();
  HK_TRY(unite_sets(d, &o, p));
  p->seconds_scan = hk_seconds() - start - p->seconds_allocation, start = hk_seconds();
  HK_TRY(hk_get(&p->begin, (hk_count)d->nodes + 1));
  HK_TRY(hk_get(&p->column, p->entries));
  HK_TRY(hk_buffer_read(o.begin, 0, hk_buffer_bytes(o.begin), p->begin));
  HK_TRY(hk_buffer_read(o.column, 0, hk_buffer_bytes(o.column), p->column));
  p->seconds_transfer += hk_seconds() - start;
cleanup:
  clear(&o);
  return status;
}

hk_status hk_pattern_scan(const hk_pattern_desc *desc, hk_pattern *out)
{
  hk_status status = HK_OK;
  hk_pattern p = {.nodes = desc->nodes};
  HK_TRY(desc->device ? scan_on_device(desc, &p) : scan_on_host(desc, &p));
  *out = p, p = (hk_pattern){0};
cleanup:
  hk_pattern_clear(&p);
  return status;
}

void hk_pattern_clear(hk_pattern *p)
{
  hk_free(&p->begin);
  hk_free(&p->column);
  *p = (hk_pattern){0};
}
