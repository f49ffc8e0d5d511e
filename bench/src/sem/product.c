/* K u alone of hooke's spectral kernels, by slots and by colours, beside the paper's product of as many points: a
 * fluid in 2D, affine elements, single precision. The best of several runs of
 * products counts. */
#include "sem/sem.h"

/* Bytes that a product moves for each node, every array once: K's own, u read, out written. Theirs: the nodes and the map of elements, u, out
 * read and written. */
static void add_bytes(const hk_sem_body *b, json_t *row)
{
  const double nodes = (double)b->space->nodes, elements = (double)b->mesh->element_count;
  const int points = (b->order + 1) * (b->order + 1);
  hk_bench_set(row, "bytes_per_dof", (double)b->op->bytes / nodes + 8);
  hk_bench_set(row, "paper_bytes_per_dof", elements * (4 * points + 16) / nodes + 12);
}

static hk_status measure(hk_sem_body *b, double theirs)
{
  hk_status status = HK_OK;
  hk_buffer *u = NULL, *out = NULL;
  double seconds;
  hk_bench_say(b->job, "order %d: K u by %s, %s", b->order, hk_sem_scatter_name[b->scatter],
               hk_device_describe(b->device)->backend);
  HK_TRY(hk_sem_body_assemble(HK_MAP_AFFINE, false, NULL, b));
  HK_TRY(hk_buffer_create(b->device, b->space->padded * 4LL, &u));
  HK_TRY(hk_buffer_create(b->device, b->space->padded * 4LL, &out));
  HK_TRY(hk_bench_time_product(b->job, b->op, u, out, &seconds));
  json_t *row = hk_sem_row(b, "product", hk_sem_scatter_name[b->scatter]);
  const double rate = (double)b->space->nodes / seconds * 1e-9;
  hk_bench_set(row, "seconds", seconds);
  hk_bench_set(row, "gdof_per_s", rate);
  hk_bench_set(row, "paper_gdof_per_s", theirs);
  hk_bench_set(row, "over_paper", rate / theirs);
  add_bytes(b, row);
  hk_bench_set_integer(row, "host_threads", hk_device_describe(b->device)->threads);
  hk_bench_add(b->job, row);
cleanup:
  hk_buffer_destroy(&u);
  hk_buffer_destroy(&out);
  return status;
}

hk_status hk_sem_products(hk_bench_job *job, hk_device *device, int order, double points,
                          double theirs)
{
  hk_status status = HK_OK;
  hk_sem_body b = {.job = job, .device = device, .dim = 2, .order = order, .fluid = true};
  HK_TRY(hk_sem_body_create(points, &b));
  for (b.scatter = HK_SEM_SLOTS; b.scatter <= HK_SEM_COLOURS; b.scatter++)
    HK_TRY(measure(&b, theirs));
cleanup:
  hk_sem_body_clear(&b);
  return status;
}
