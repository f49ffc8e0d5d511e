/* Assembly of a global matrix by methods of other authors, to be measured beside hooke's own:
 * element by element with atomics in one kernel or in two (Sanfui and Sharma, Algorithm 7; for temperatures Keating, Algorithm 3), and
 * SharedNZ of Cecka, Lew and Darve (2011), section 4.3. The kernels are in elementwise.k.h and fill
 * the values of an existing hk_assembly. Only meshes of one shape with full integration are
 * supported. The time is that of the launches, without compilation and set-up. */
#include "papers/assembly.h"
#include "operator/assembly/parts.h"

/* SHARED: bytes of local memory for matrices. */
enum {
  CHUNK = 64,
  SHARED_ROWS = 8,
  SHARED_THREADS = 128,
  SHARED = 96 << 10,
  MOST_BATCH = 64,
  HOST_LIST = 4096,
  HOST_BATCH = 4
};

typedef struct way {
  hk_assembly *a;
  hk_kernel *kernel[2];
  hk_buffer *matrix;
  hk_pool pool; /* kernels and matrix */
} way;

const char *hk_assembly_way_name(hk_assembly_way w)
{
  static const char *const names[HK_ASSEMBLE_WAYS] = {"same kernel", "separate kernels",
                                                      "SharedNZ"};
  return names[w];
}

static hk_status create_kernel(way *w, int number, hk_kernel **kernel)
{
  const hk_assembly *a = w->a;
  const hk_element *element = a->integrand[0].element;
  const int values = a->desc.format == HK_FORMAT_ELL ? HK_FORMAT_ELL : 0;
  return hk_kernel_get(&w->pool, a->desc.on.device,
                       &(hk_kernel_desc){.text = "elementwise",
                                         .function = "elementwise_step",
                                         .double_precision = a->desc.on.double_precision,
                                         .define = {{"CHUNK", CHUNK},
                                                    {"COMPONENTS", a->desc.on.space->components},
                                                    {"DIM", element->dim},
                                                    {"LAW", HK_LAW},
                                                    {"NODES", element->nodes},
                                                    {"VALUES", values},
                                                    {"WAY", number}},
                                         .threads = CHUNK},
                       kernel);
}

/* BATCH: as many matrices as fit, at least one. */
static hk_status create_shared(way *w, hk_kernel **kernel)
{
  const hk_assembly *a = w->a;
  const hk_element *element = a->integrand[0].element;
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const int real = (int)hk_assembly_real(a), size = element->nodes * element->dim,
            list = hk_kernel_size(info, a->neighbours->most_around * SHARED_ROWS, HOST_LIST);
  int batch = SHARED / (size * size * real);
  batch = batch < 1 ? 1 : batch > MOST_BATCH ? MOST_BATCH : batch;
  batch = hk_kernel_size(info, batch, HOST_BATCH);
  return hk_kernel_get(
      &w->pool, a->desc.on.device,
      &(hk_kernel_desc){.text = "elementwise",
                        .function = "elementwise_shared",
                        .double_precision = a->desc.on.double_precision,
                        .define = {{"BATCH", batch},
                                   {"CHUNK", CHUNK},
                                   {"DIM", element->dim},
                                   {"LAW", HK_LAW},
                                   {"LIST", list},
                                   {"NODES", element->nodes},
                                   {"ROWS", SHARED_ROWS},
                                   {"VALUES", 0},
                                   {"WAY", 3}},
                        .local = 2 * hk_local_bytes(list, 4) + hk_local_bytes(1, 4) +
                                 hk_local_bytes((hk_count)batch * size * size, real),
                        .threads = SHARED_THREADS},
      kernel);
}

static hk_status launch_step(const way *w, hk_kernel *kernel)
{
  const hk_assembly *a = w->a;
  const hk_neighbours *n = a->neighbours;
  const hk_integrand *k = &a->integrand[0];
  const hk_assembly_sent *s = &a->sent;
  return hk_kernel_launch(kernel, 0, (n->elements + CHUNK - 1) / CHUNK,
                          HK_ARGUMENTS(n->node, s->law_of, s->x, s->law, k->slope, k->weight,
                                       n->begin, n->column, a->value, w->matrix, n->elements,
                                       k->rule->points, a->rows));
}

static hk_status launch_shared(const way *w)
{
  const hk_assembly *a = w->a;
  const hk_neighbours *n = a->neighbours;
  const hk_integrand *k = &a->integrand[0];
  const hk_assembly_sent *s = &a->sent;
  return hk_kernel_launch(w->kernel[0], 0, (a->rows + SHARED_ROWS - 1) / SHARED_ROWS,
                          HK_ARGUMENTS(n->around_begin, n->around, n->node, s->law_of, s->x, s->law,
                                       k->slope, k->weight, n->begin, n->column, a->value,
                                       k->rule->points, a->rows));
}

/* Zeroes value: a launch of the copy from a buffer of zeros would need as much memory again. */
static hk_status clear_values(hk_assembly *a)
{
  hk_status status = HK_OK;
  hk_kernel *kernel = NULL;
  const hk_count bytes = hk_buffer_bytes(a->value), words = bytes / 4;
  HK_TRY(hk_kernel_create(
      a->desc.on.device,
      &(hk_kernel_desc){
          .text = "indices",
          .function = "indices_clear",
          .define = {{"CHUNK", 128}, {"DIM", 3}, {"FORMAT", 0}, {"ROWS", hk_assembly_rows(a)}}},
      &kernel));
  HK_TRY(
      hk_kernel_launch(kernel, 0, (words + 2047) / 2048,
                       HK_ARGUMENTS(a->value, (int32_t)(words % 2048), (int32_t)(words / 2048))));
cleanup:
  hk_kernel_destroy(&kernel);
  return status;
}

hk_status hk_assembly_fill_by(hk_assembly *a, hk_assembly_way how, double *seconds, hk_count *bytes)
{
  hk_status status = HK_OK;
  way w = {.a = a};
  const hk_count size = a->size;
  const int kernels = how == HK_ASSEMBLE_SEPARATE ? 2 : 1;
  *bytes = 0;
  HK_CHECK(a->integrands == 1 && !hk_buffer_bytes(a->sent.given), HK_BAD_INPUT,
           "method %s supports only meshes of one shape, with full integration",
           hk_assembly_way_name(how));
  HK_CHECK(a->desc.on.space->components == a->integrand[0].element->dim ||
               (how == HK_ASSEMBLE_SAME && !a->integrand[0].reacts),
           HK_BAD_INPUT, "method %s does not assemble heat conduction with this model",
           hk_assembly_way_name(how));
  HK_CHECK(how != HK_ASSEMBLE_SHARED_NZ || a->desc.format != HK_FORMAT_ELL, HK_BAD_INPUT,
           "method SharedNZ does not write the format ELL");
  if (how == HK_ASSEMBLE_SEPARATE) {
    *bytes = a->neighbours->elements * size * hk_assembly_real(a);
    HK_TRY(hk_buffer_get(&w.pool, a->desc.on.device, *bytes, &w.matrix));
  }
  if (how == HK_ASSEMBLE_SHARED_NZ)
    HK_TRY(create_shared(&w, &w.kernel[0]));
  else
    for (int k = 0; k < kernels; k++)
      HK_TRY(create_kernel(&w, how == HK_ASSEMBLE_SAME ? 0 : 1 + k, &w.kernel[k]));
  HK_TRY(hk_assembly_send_laws(a));
  HK_TRY(hk_device_finish(a->desc.on.device));
  const double start = hk_seconds();
  if (how == HK_ASSEMBLE_SHARED_NZ)
    HK_TRY(launch_shared(&w));
  else {
    HK_TRY(clear_values(a));
    for (int k = 0; k < kernels; k++) HK_TRY(launch_step(&w, w.kernel[k]));
  }
  HK_TRY(hk_device_finish(a->desc.on.device));
  *seconds = hk_seconds() - start;
cleanup:
  hk_pool_clear(&w.pool);
  return status;
}
