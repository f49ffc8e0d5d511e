/* Assembly of a global matrix by methods of other authors, to be measured beside hooke's own:
 * element by element with atomics in one kernel or in two (Sanfui and Sharma, Algorithm 7; for temperatures Keating, Algorithm 3),
 * SharedNZ of Cecka, Lew and Darve (2011), section 4.3, and colour by colour. The kernels are in elementwise.k.h and fill
 * the values of an existing hk_assembly. Only meshes of one shape with full integration are
 * supported. The time is that of the launches, without compilation and set-up. */
#include "papers/assembly.h"
#include "base/sort.h"
#include "graph/colour.h"
#include "operator/assembly/parts.h"

/* SHARED: bytes of local memory for matrices. */
enum {
  CHUNK = 64,
  SHARED_ROWS = 8,
  SHARED_THREADS = 256,
  SHARED = 96 << 10,
  MOST_BATCH = 64,
  HOST_LIST = 4096,
  HOST_BATCH = 4
};

typedef struct way {
  hk_assembly *a;
  hk_kernel *kernel[2];
  hk_buffer *matrix, *list; /* list[elements]: by colour */
  hk_index colours, *begin; /* begin[colours + 1], of list */
  hk_pool pool;             /* its arrays, buffers and kernels */
} way;

const char *hk_assembly_way_name(hk_assembly_way w)
{
  static const char *const names[HK_ASSEMBLE_WAYS] = {"same kernel", "separate kernels", "SharedNZ",
                                                      "colours"};
  return names[w];
}

/* VALUES of the kernels. */
static int values_of(const hk_assembly *a)
{
  return a->desc.format == HK_FORMAT_ELL ? HK_FORMAT_ELL : 0;
}

static hk_status create_kernel(way *w, int number, hk_kernel **kernel)
{
  const hk_assembly *a = w->a;
  const hk_element *element = a->integrand[0].element;
  return hk_kernel_get(&w->pool, a->desc.on.device,
                       &(hk_kernel_desc){.text = "elementwise",
                                         .function = "elementwise_step",
                                         .double_precision = a->desc.on.double_precision,
                                         .define = {{"CHUNK", CHUNK},
                                                    {"COMPONENTS", a->desc.on.space->components},
                                                    {"DIM", element->dim},
                                                    {"LAW", HK_LAW},
                                                    {"NODES", element->nodes},
                                                    {"VALUES", values_of(a)},
                                                    {"WAY", number}},
                                         .threads = CHUNK},
                       kernel);
}

/* Elements of a batch: as many as fit, at least one. */
static int batch_of(const hk_assembly *a)
{
  const hk_integrand *k = &a->integrand[0];
  const hk_count size = (hk_count)k->element->nodes * k->element->dim,
                 reals = size * size + k->rule->points * (size + 1),
                 each = reals * hk_assembly_real(a) + (k->element->nodes + SHARED_ROWS) * 4,
                 fit = SHARED / each;
  const int batch = fit < 1 ? 1 : fit > MOST_BATCH ? MOST_BATCH : (int)fit;
  return hk_kernel_size(hk_device_describe(a->desc.on.device), batch, HOST_BATCH);
}

static hk_status create_shared(way *w, hk_kernel **kernel)
{
  const hk_assembly *a = w->a;
  const hk_integrand *k = &a->integrand[0];
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const int real = (int)hk_assembly_real(a), size = k->element->nodes * k->element->dim,
            points = hk_kernel_size(info, k->rule->points, HK_LISTED_POINTS),
            list = hk_kernel_size(info, a->neighbours->most_around * SHARED_ROWS, HOST_LIST);
  const hk_count batch = batch_of(a);
  return hk_kernel_get(&w->pool, a->desc.on.device,
                       &(hk_kernel_desc){.text = "elementwise",
                                         .function = "elementwise_shared",
                                         .double_precision = a->desc.on.double_precision,
                                         .define = {{"BATCH", (int)batch},
                                                    {"CHUNK", CHUNK},
                                                    {"DIM", k->element->dim},
                                                    {"LAW", HK_LAW},
                                                    {"LIST", list},
                                                    {"NODES", k->element->nodes},
                                                    {"POINTS", points},
                                                    {"ROWS", SHARED_ROWS},
                                                    {"VALUES", values_of(a)},
                                                    {"WAY", 3}},
                                         .local = 2 * hk_local_bytes(list, 4) +
                                                  hk_local_bytes(1, 4) +
                                                  hk_local_bytes(batch * k->element->nodes, 4) +
                                                  hk_local_bytes(batch * SHARED_ROWS, 4) +
                                                  hk_local_bytes(batch * points, real) +
                                                  hk_local_bytes(batch * points * size, real) +
                                                  hk_local_bytes(batch * size * size, real),
                                         .threads = SHARED_THREADS},
                       kernel);
}

/* The elements by colour: list, and where colours begin in it. */
static hk_status colour_elements(way *w)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = w->a->desc.on.space->mesh;
  hk_pool pool = {0};
  hk_index *colour, *list;
  uint64_t *key;
  HK_TRY(hk_pool_get(&pool, &colour, mesh->element_count));
  HK_TRY(hk_pool_get(&pool, &list, mesh->element_count));
  HK_TRY(hk_pool_get(&pool, &key, mesh->element_count));
  HK_TRY(hk_elements_colour(mesh, colour, &w->colours));
  HK_TRY(hk_pool_get(&w->pool, &w->begin, w->colours + 1));
  for (hk_index e = 0; e < mesh->element_count; e++) {
    key[e] = (uint64_t)colour[e], list[e] = e;
    w->begin[colour[e] + 1]++;
  }
  for (hk_index c = 0; c < w->colours; c++) w->begin[c + 1] += w->begin[c];
  HK_TRY(hk_mesh_sort(mesh->element_count, key, list));
  HK_TRY(hk_buffer_send(&w->pool, w->a->desc.on.device, mesh->element_count * 4, list, &w->list));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* `elements` of them: those of the list from `first` on, or all. */
static hk_status launch_step(const way *w, hk_kernel *kernel, hk_index first, hk_index elements)
{
  const hk_assembly *a = w->a;
  const hk_neighbours *n = a->neighbours;
  const hk_integrand *k = &a->integrand[0];
  const hk_assembly_sent *s = &a->sent;
  return hk_kernel_launch(kernel, 0, (elements + CHUNK - 1) / CHUNK,
                          HK_ARGUMENTS(n->node, s->law_of, s->x, s->law, k->slope, k->weight,
                                       n->begin, n->column, a->value, w->matrix, w->list, first,
                                       elements, k->rule->points, a->rows));
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

static hk_status check_way(const hk_assembly *a, hk_assembly_way how)
{
  HK_NEED(a->integrands == 1 && !hk_buffer_bytes(a->sent.given), HK_BAD_INPUT,
          "method %s supports only meshes of one shape, with full integration",
          hk_assembly_way_name(how));
  HK_NEED(hk_space_solid(a->desc.on.space) || (how == HK_ASSEMBLE_SAME && !a->integrand[0].reacts),
          HK_BAD_INPUT, "method %s does not assemble heat conduction with this model",
          hk_assembly_way_name(how));
  return HK_OK;
}

static hk_status prepare(way *w, hk_assembly_way how, hk_assembly_filled *out)
{
  hk_assembly *a = w->a;
  const hk_count bytes = a->neighbours->elements * (hk_count)a->size * hk_assembly_real(a);
  const double start = hk_seconds();
  if (how == HK_ASSEMBLE_SHARED_NZ) return create_shared(w, &w->kernel[0]);
  if (how == HK_ASSEMBLE_COLOURS) {
    HK_PASS(colour_elements(w));
    out->colouring = hk_seconds() - start;
    out->colours = w->colours, out->bytes = hk_buffer_bytes(w->list);
    return create_kernel(w, 4, &w->kernel[0]);
  }
  if (how == HK_ASSEMBLE_SAME) return create_kernel(w, 0, &w->kernel[0]);
  out->bytes = bytes;
  HK_PASS(hk_buffer_get(&w->pool, a->desc.on.device, bytes, &w->matrix));
  HK_PASS(create_kernel(w, 1, &w->kernel[0]));
  return create_kernel(w, 2, &w->kernel[1]);
}

static hk_status launch(const way *w, hk_assembly_way how)
{
  const hk_index elements = w->a->neighbours->elements;
  if (how == HK_ASSEMBLE_SHARED_NZ) return launch_shared(w);
  HK_PASS(clear_values(w->a));
  for (hk_index c = 0; c < w->colours; c++)
    HK_PASS(launch_step(w, w->kernel[0], w->begin[c], w->begin[c + 1] - w->begin[c]));
  for (int k = 0; k < 2 && !w->colours && w->kernel[k]; k++)
    HK_PASS(launch_step(w, w->kernel[k], 0, elements));
  return HK_OK;
}

hk_status hk_assembly_fill_by(hk_assembly *a, hk_assembly_way how, hk_assembly_filled *out)
{
  hk_status status = HK_OK;
  way w = {.a = a};
  *out = (hk_assembly_filled){0};
  HK_TRY(check_way(a, how));
  HK_TRY(prepare(&w, how, out));
  HK_TRY(hk_assembly_send_laws(a));
  HK_TRY(hk_device_finish(a->desc.on.device));
  const double start = hk_seconds();
  HK_TRY(launch(&w, how));
  HK_TRY(hk_device_finish(a->desc.on.device));
  out->seconds = hk_seconds() - start;
cleanup:
  hk_pool_clear(&w.pool);
  return status;
}
