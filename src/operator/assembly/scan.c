/* Exclusive sums on a device: begin[i] = sum of count[k], k < i, in 64 bits, as the lists of (A.4) need them, and the largest count. Three
 * launches of scan.k.h compute them: each group sums its counts, one group sums these sums, and each group spreads them. Memory is taken at create
 * for a number of items; the total and the largest count are read back where asked. */
#include "operator/assembly/scan.h"

enum { RUN = 16 };

struct hk_scan {
  hk_count chunk; /* counts per group */
  hk_buffer *part, *most;
  hk_kernel *parts, *total, *spread;
  hk_pool pool; /* all these */
};

static hk_status create_kernel(hk_pool *pool, hk_device *device, const char *function,
                               hk_kernel **kernel)
{
  const int threads = hk_device_describe(device)->group_threads;
  const hk_kernel_desc desc = {.text = "scan",
                               .function = function,
                               .define = {{"RUN", RUN}},
                               .local = hk_local_bytes(threads, 8) + hk_local_bytes(threads, 4)};
  return hk_kernel_get(pool, device, &desc, kernel);
}

/* counts per group */
static hk_count chunk_of(const hk_device *device)
{
  return (hk_count)RUN * hk_device_describe(device)->group_threads;
}

hk_count hk_scan_plan(const hk_device *device, hk_count items)
{
  return (items / chunk_of(device) + 2) * (8 + 4);
}

hk_status hk_scan_create(hk_device *device, hk_count items, hk_scan **out)
{
  hk_status status = HK_OK;
  hk_scan *s = NULL;
  HK_TRY(hk_new(&s));
  s->chunk = chunk_of(device);
  const hk_count groups = items / s->chunk + 1;
  HK_TRY(hk_buffer_get(&s->pool, device, (groups + 1) * 8, &s->part));
  HK_TRY(hk_buffer_get(&s->pool, device, (groups + 1) * 4, &s->most));
  HK_TRY(create_kernel(&s->pool, device, "scan_parts", &s->parts));
  HK_TRY(create_kernel(&s->pool, device, "scan_total", &s->total));
  HK_TRY(create_kernel(&s->pool, device, "scan_spread", &s->spread));
  *out = s, s = NULL;
cleanup:
  hk_scan_destroy(&s);
  return status;
}

void hk_scan_destroy(hk_scan **scan)
{
  hk_scan *s = *scan;
  if (!s) return;
  hk_pool_clear(&s->pool);
  hk_free(scan);
}

hk_count hk_scan_bytes(const hk_scan *s)
{
  return hk_buffer_bytes(s->part) + hk_buffer_bytes(s->most);
}

hk_status hk_scan_run(hk_scan *s, const hk_buffer *count, hk_buffer *begin, hk_count items,
                      hk_count *total, hk_index *largest)
{
  const hk_count groups = (items + s->chunk - 1) / s->chunk;
  if (groups)
    HK_PASS(hk_kernel_launch(s->parts, 0, groups,
                             HK_ARGUMENTS(count, s->part, s->most, (int32_t)items)));
  HK_PASS(hk_kernel_launch(s->total, 0, 1, HK_ARGUMENTS(s->part, s->most, (int32_t)groups)));
  if (groups)
    HK_PASS(hk_kernel_launch(s->spread, 0, groups,
                             HK_ARGUMENTS(count, s->part, begin, (int32_t)items)));
  if (total) HK_PASS(hk_buffer_read(s->part, groups * 8, 8, total));
  if (largest) HK_PASS(hk_buffer_read(s->most, groups * 4, 4, largest));
  return HK_OK;
}
