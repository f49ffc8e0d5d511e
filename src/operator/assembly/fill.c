/* Stage 3 of assembly, the values: K_ij = sum over e of K^e_n(i)n(j) (A.6). Element matrices are integrated by the kernels of integrate.k.h, a
 * chunk of elements at a time, and each row sums those of its elements in ascending order, without atomics (gather.k.h, dense.k.h), so that each
 * run gives the same bits. Rows of linear triangles and tetrahedra compute the integrals themselves (fans.k.h, A.7). Elements per group are chosen
 * so that few of its threads idle. Folded elements are found by the kernels and named by the host. */
#include "operator/assembly/parts.h"
#include "operator/element/element_of.h"
#include <string.h>

enum { THREADS = 128, ROUND = 8, GROUP_LOCAL = 48 << 10 };

static hk_count integrate_bytes(const hk_assembly *a, const hk_integrand *k, int per_group)
{
  return hk_integrate_bytes(k->element, k->rule, a->desc.on.space->components,
                            a->desc.on.double_precision, per_group);
}

/* Part of its threads' rounds that a group of so many elements fills: of the sums over pairs and of the gradients, by their work. */
static double use_of(const hk_integrand *k, int threads, int per_group)
{
  const int half = (k->element->nodes + 1) / 2, pairs = per_group * half * (half + 1) / 2,
            points = per_group * k->rule->points, dim = k->element->dim;
  const double pair_work = 4.0 * dim * dim * k->rule->points,
               point_work = 2.0 * dim * dim * k->element->nodes;
  const int pair_rounds = (pairs + threads - 1) / threads,
            point_rounds = (points + threads - 1) / threads;
  const double done = pairs * pair_work + points * point_work;
  return done / ((pair_rounds * pair_work + point_rounds * point_work) * threads);
}

static hk_status create_integrate(hk_assembly *a, hk_integrand *k)
{
  const int half = (k->element->nodes + 1) / 2, threads = half * (half + 1) / 2 > 32 ? 64 : 32;
  int per_group = 1;
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const hk_count most = hk_assembly_local(a) < GROUP_LOCAL ? hk_assembly_local(a) : GROUP_LOCAL;
  for (int m = 1; hk_device_has_groups(info) && m * half * (half + 1) / 2 <= threads; m++)
    if (integrate_bytes(a, k, m) <= most &&
        use_of(k, threads, m) > use_of(k, threads, per_group) * 1.05)
      per_group = m;
  k->per_group = per_group * info->lanes;
  return hk_kernel_create(
      a->desc.on.device,
      &(hk_kernel_desc){
          .text = "integrate",
          .function = "integrate_elements",
          .double_precision = a->desc.on.double_precision,
          .define = {{"COMPONENTS", a->desc.on.space->components},
                     {"DIM", k->element->dim},
                     {"ELEMENTS", per_group},
                     {"EXACT", hk_kernel_size(info, true, false)},
                     {"LAW", HK_LAW},
                     {"NODES", hk_kernel_size(info, k->element->nodes, HK_LISTED_NODES)},
                     {"POINTS", hk_kernel_size(info, k->rule->points, HK_LISTED_POINTS)}},
          .local = integrate_bytes(a, k, per_group),
          .threads = threads},
      &k->kernel);
}

static hk_count sum_bytes(const hk_assembly *a)
{
  const hk_count dim = a->desc.on.space->components;
  return a->heavy ? 0 : hk_local_bytes(a->span * dim * dim, (int)hk_assembly_real(a));
}

static hk_count gather_bytes(const hk_assembly *a)
{
  const hk_count list = (hk_count)a->group_rows * ROUND;
  return hk_local_bytes(list, 8) + hk_local_bytes(list, 4) + sum_bytes(a);
}

static hk_count fans_bytes(const hk_assembly *a)
{
  const hk_count rows = a->group_rows, list = rows * HK_FAN_STEP, dim = a->desc.on.space->dim;
  const int real = (int)hk_assembly_real(a);
  return hk_local_bytes(list, 4) + hk_local_bytes(list * (dim + 1), 4) +
         hk_local_bytes(list * ((dim + 1) * dim + 1), real) +
         hk_local_bytes(a->span * dim * rows, real) +
         hk_local_bytes(a->span * dim * dim * rows, real);
}

static hk_status create_rows(hk_assembly *a)
{
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const int dim = a->desc.on.space->components, built = a->fans ? HK_HOST_FAN_SPAN : HK_HOST_SPAN,
            span = a->heavy ? 1 : hk_kernel_size(info, (int)a->span, built);
  hk_kernel_desc desc = {.text = a->fans ? "fans" : "gather",
                         .function = a->fans ? "fans_rows" : "gather_rows",
                         .double_precision = a->desc.on.double_precision,
                         .define = {{"DIM", dim}},
                         .local = a->fans ? fans_bytes(a) : gather_bytes(a),
                         .threads = a->fans ? HK_FAN_THREADS : THREADS};
  if (a->fans)
    hk_kernel_define(&desc, "LAW", HK_LAW);
  else {
    hk_kernel_define(&desc, "HEAVY", a->heavy);
    hk_kernel_define(&desc, "ROUND", ROUND);
  }
  hk_kernel_define(&desc, "ROWS", a->group_rows);
  hk_kernel_define(&desc, "SPAN", span);
  if (a->fans) hk_kernel_define(&desc, "STEP", HK_FAN_STEP);
  hk_kernel_define(&desc, "VALUES", a->desc.format == HK_FORMAT_ELL ? HK_FORMAT_ELL : 0);
  return hk_kernel_create(a->desc.on.device, &desc, &a->rows_kernel);
}

static hk_status create_dense(hk_assembly *a)
{
  hk_status status = HK_OK;
  const hk_operator_desc *on = &a->desc.on;
  HK_TRY(hk_dense_kernel(on->device, "dense_rows", on->space->components, on->double_precision,
                         &a->rows_kernel));
  HK_TRY(hk_dense_kernel(on->device, "dense_clear", on->space->components, on->double_precision,
                         &a->clear));
cleanup:
  return status;
}

hk_status hk_assembly_prepare(hk_assembly *a)
{
  hk_status status = HK_OK;
  for (int k = 0; k < a->integrands && !a->fans; k++)
    if (a->integrand[k].element && hk_shape_listed(a->integrand[k].element->shape))
      HK_TRY(create_integrate(a, &a->integrand[k]));
  if (a->desc.format == HK_FORMAT_ELEMENTS) return HK_OK;
  HK_TRY(a->desc.format == HK_FORMAT_DENSE ? create_dense(a) : create_rows(a));
cleanup:
  return status;
}

static hk_status launch_fans(hk_assembly *a)
{
  const hk_neighbours *n = a->neighbours;
  const hk_argument argument[] = {
      hk_arg_buffer(n->around_begin), hk_arg_buffer(n->around), hk_arg_buffer(n->place),
      hk_arg_buffer(a->where),        hk_arg_buffer(n->begin),  hk_arg_buffer(n->column),
      hk_arg_buffer(a->law_of),       hk_arg_buffer(a->x),      hk_arg_buffer(a->law),
      hk_arg_buffer(a->value),        hk_arg_buffer(a->folded), hk_arg_int(a->rows)};
  return hk_kernel_launch(a->rows_kernel, 0, (a->rows + a->group_rows - 1) / a->group_rows,
                          argument, sizeof argument / sizeof *argument);
}

static hk_status launch_integrate(hk_assembly *a, const hk_buffer *list, hk_index first,
                                  hk_index count, int k)
{
  const hk_neighbours *n = a->neighbours;
  const hk_integrand *own = &a->integrand[k];
  const hk_argument argument[] = {
      hk_arg_buffer(list),       hk_arg_buffer(n->node),     hk_arg_buffer(a->law_of),
      hk_arg_buffer(a->kind),    hk_arg_buffer(a->x),        hk_arg_buffer(a->law),
      hk_arg_buffer(own->slope), hk_arg_buffer(own->weight), hk_arg_buffer(own->shape),
      hk_arg_buffer(a->matrix),  hk_arg_buffer(a->folded),   hk_arg_buffer(a->about),
      hk_arg_int(first),         hk_arg_int(count),          hk_arg_int(k)};
  return hk_kernel_launch(own->kernel, 0, (count + own->per_group - 1) / own->per_group, argument,
                          sizeof argument / sizeof *argument);
}

static hk_status launch_gather(hk_assembly *a, int c)
{
  const hk_neighbours *n = a->neighbours;
  const hk_count rows = a->chunk_row[c + 1] - a->chunk_row[c];
  const hk_argument argument[] = {
      hk_arg_buffer(n->around_begin), hk_arg_buffer(n->around),        hk_arg_buffer(n->place),
      hk_arg_buffer(a->slot),         hk_arg_buffer(a->where),         hk_arg_buffer(n->begin),
      hk_arg_buffer(a->kind),         hk_arg_buffer(a->about),         hk_arg_buffer(a->matrix),
      hk_arg_buffer(a->given),        hk_arg_buffer(a->value),         hk_arg_buffer(n->collapsed),
      hk_arg_int(a->chunk_row[c]),    hk_arg_int(a->chunk_row[c + 1]), hk_arg_int(a->rows)};
  return hk_kernel_launch(a->rows_kernel, 0, (rows + a->group_rows - 1) / a->group_rows, argument,
                          sizeof argument / sizeof *argument);
}

static hk_status launch_dense(hk_assembly *a, int c)
{
  const hk_neighbours *n = a->neighbours;
  const hk_count rows = a->chunk_row[c + 1] - a->chunk_row[c];
  const hk_argument argument[] = {hk_arg_buffer(n->around_begin),
                                  hk_arg_buffer(n->around),
                                  hk_arg_buffer(n->place),
                                  hk_arg_buffer(a->slot),
                                  hk_arg_buffer(n->node),
                                  hk_arg_buffer(a->kind),
                                  hk_arg_buffer(a->about),
                                  hk_arg_buffer(a->matrix),
                                  hk_arg_buffer(a->given),
                                  hk_arg_buffer(a->value),
                                  hk_arg_int(a->chunk_row[c]),
                                  hk_arg_int(a->chunk_row[c + 1]),
                                  hk_arg_int(a->rows * a->desc.on.space->components)};
  return hk_kernel_launch(a->rows_kernel, 0, (rows + a->group_rows - 1) / a->group_rows, argument,
                          sizeof argument / sizeof *argument);
}

/* Lines of the dense matrix begin at zero. */
static hk_status launch_clear(hk_assembly *a)
{
  const hk_count lines = (hk_count)a->rows * a->desc.on.space->components,
                 chunks = (lines + HK_DENSE_CHUNK - 1) / HK_DENSE_CHUNK;
  return hk_kernel_launch(a->clear, 0, lines * chunks,
                          (hk_argument[]){hk_arg_buffer(a->value), hk_arg_int((int32_t)lines),
                                          hk_arg_int((int32_t)chunks)},
                          3);
}

/* The lowest element without volume at some point, for the message: devices find any. */
static hk_status name_folded(const hk_assembly *a)
{
  const hk_mesh *mesh = a->desc.on.space->mesh;
  double x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES];
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_region *region = &a->desc.on.region[a->desc.on.element_region[e]];
    const bool conducts = a->desc.on.space->components < mesh->dim;
    const hk_rule *rule = hk_element_rule(
        element, conducts ? hk_conduction_integration(element, region) : region->integration);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int k = 0; k < element->nodes * mesh->dim; k++)
      x[k] = mesh->x[(hk_count)node[k / mesh->dim] * mesh->dim + k % mesh->dim];
    for (int q = 0; q < rule->points; q++)
      if (!(hk_element_physical(element, rule->point[q], x, g) > 0))
        return hk_error_set(HK_BAD_INPUT, "element %lld is folded or has no volume: mesh it again",
                            (long long)hk_mesh_element_label(mesh, e));
  }
  return hk_error_set(HK_BAD_INPUT, "an element is too flat for this precision: mesh it again");
}

hk_status hk_assembly_check(hk_assembly *a)
{
  hk_status status = HK_OK;
  int32_t folded = 0;
  const int32_t none = 0;
  HK_TRY(hk_buffer_read(a->folded, 0, sizeof folded, &folded));
  if (!folded) return HK_OK;
  HK_TRY(hk_buffer_write(a->folded, 0, sizeof none, &none));
  HK_TRY(name_folded(a));
cleanup:
  return status;
}

/* The element matrices of chunk c; waits for what is before and for them where stages are timed. */
static hk_status integrate(hk_assembly *a, int c)
{
  hk_status status = HK_OK;
  hk_device *device = a->desc.on.device;
  if (a->desc.timed) HK_TRY(hk_device_finish(device));
  const double start = hk_device_seconds(device);
  for (int k = 0; k < a->integrands; k++)
    if (a->chunk_count[c] && a->integrand[k].kernel)
      HK_TRY(launch_integrate(a, a->list, a->chunk_first[c], a->chunk_count[c], k));
  if (a->desc.timed) HK_TRY(hk_device_finish(device));
  a->seconds_elements += hk_device_seconds(device) - start;
cleanup:
  return status;
}

hk_status hk_assembly_integrate(hk_assembly *a, const hk_buffer *list, hk_index first,
                                hk_index count)
{
  hk_status status = HK_OK;
  for (int k = 0; k < a->integrands; k++)
    if (a->integrand[k].kernel) HK_TRY(launch_integrate(a, list, first, count, k));
cleanup:
  return status;
}

hk_status hk_assembly_fill(hk_assembly *a)
{
  hk_status status = HK_OK;
  const double start = hk_device_seconds(a->desc.on.device);
  HK_TRY(hk_assembly_send_laws(a));
  HK_TRY(hk_assembly_send_given(a));
  a->seconds_elements = 0;
  if (a->fans) HK_TRY(launch_fans(a));
  if (a->desc.format == HK_FORMAT_DENSE) HK_TRY(launch_clear(a));
  for (int c = 0; c < a->chunks; c++) {
    HK_TRY(integrate(a, c));
    HK_TRY(a->desc.format == HK_FORMAT_DENSE ? launch_dense(a, c) : launch_gather(a, c));
  }
  HK_TRY(hk_assembly_check(a)); /* waits */
  a->seconds[2] = hk_device_seconds(a->desc.on.device) - start;
cleanup:
  return status;
}

/* Rows [first, end) as [c][q][d], of operator/assembly/indices.k.h, into blocks. */
static void order_values(const hk_csr *k, hk_count first, hk_count end, const double *value)
{
  const int dim = k->components;
#pragma omp parallel for schedule(static)
  for (hk_count i = first; i < end; i++) {
    const hk_count length = k->begin[i + 1] - k->begin[i];
    const double *from = value + (k->begin[i] - k->begin[first]) * dim * dim;
    double *to = k->block + k->begin[i] * dim * dim;
    for (hk_count q = 0; q < length; q++)
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++)
          to[(q * dim + c) * dim + d] = from[(c * length + q) * dim + d];
  }
}

/* A part at a time, so that the memory between stays small and warm. */
static hk_status read_values(const hk_assembly *a, hk_csr *k)
{
  enum { PART = 1 << 20 }; /* entries */
  hk_status status = HK_OK;
  const int size = k->components * k->components;
  double *value = NULL;
  hk_count capacity = 0, end;
  for (hk_count first = 0; first < k->rows; first = end) {
    for (end = first + 1; end < k->rows && k->begin[end + 1] - k->begin[first] <= PART;) end++;
    const hk_count count = (k->begin[end] - k->begin[first]) * size;
    HK_TRY(hk_reserve(&value, count, &capacity));
    HK_TRY(hk_buffer_read_reals(a->value, a->desc.on.double_precision, k->begin[first] * size,
                                count, value));
    order_values(k, first, end, value);
  }
cleanup:
  hk_free(&value);
  return status;
}

hk_status hk_assembly_read(const hk_assembly *a, hk_csr *out)
{
  hk_status status = HK_OK;
  const hk_neighbours *n = a->neighbours;
  hk_csr k = {.rows = a->rows, .entries = n->entries, .components = a->desc.on.space->components};
  const hk_count count = hk_assembly_nonzeros(a);
  HK_CHECK(a->desc.format < HK_FORMAT_ELL, HK_USAGE,
           "only matrices in sparse rows can be read, not ELL or dense ones");
  HK_TRY(hk_get(&k.begin, k.rows + 1));
  HK_TRY(hk_get(&k.column, k.entries));
  HK_TRY(hk_get(&k.block, count));
  HK_TRY(hk_buffer_read(n->begin, 0, hk_buffer_bytes(n->begin), k.begin));
  HK_TRY(hk_buffer_read(n->column, 0, hk_buffer_bytes(n->column), k.column));
  HK_TRY(read_values(a, &k));
  *out = k, k = (hk_csr){0};
cleanup:
  hk_csr_clear(&k);
  return status;
}
