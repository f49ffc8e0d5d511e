/* Stage 3 of assembly, the values: K_ij = sum over e of K^e_n(i)n(j) (A.6). Element matrices are integrated by the kernels of integrate.k.h, a
 * chunk of elements at a time, and each row sums those of its elements in ascending order, without atomics (gather.k.h, dense.k.h), so that each
 * run gives the same bits. Rows of linear triangles and tetrahedra compute the integrals themselves (fans.k.h, A.7). Elements per group are chosen
 * so that few of its threads idle. Folded elements are found by the kernels and named by the host. */
#include "operator/assembly/parts.h"
#include "operator/element/element_of.h"

enum { ROUND = 8, GROUP_LOCAL = 48 << 10 };

static hk_count integrate_bytes(const hk_assembly *a, const hk_integrand *k, int per_group)
{
  return hk_integrate_bytes(k->element, k->rule, a->desc.on.space->components,
                            a->desc.on.double_precision, a->sent.t != NULL, per_group);
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
  const int half = (k->element->nodes + 1) / 2,
            threads = hk_assembly_threads(a, half * (half + 1) / 2 > 32 ? 64 : 32);
  int per_group = 1;
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const hk_count most = hk_assembly_local(a) < GROUP_LOCAL ? hk_assembly_local(a) : GROUP_LOCAL;
  for (int m = 1; hk_device_has_groups(info) && m * half * (half + 1) / 2 <= threads; m++)
    if (integrate_bytes(a, k, m) <= most &&
        use_of(k, threads, m) > use_of(k, threads, per_group) * 1.05)
      per_group = m;
  k->per_group = per_group * info->lanes;
  return hk_kernel_get(
      &a->pool, a->desc.on.device,
      &(hk_kernel_desc){
          .text = "integrate",
          .function = "integrate_elements",
          .double_precision = a->desc.on.double_precision,
          .define = {{"COMPONENTS", a->desc.on.space->components},
                     {"DEPENDS", a->sent.t != NULL},
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
  return a->sums.heavy ? 0 : hk_local_bytes(a->sums.span * dim * dim, (int)hk_assembly_real(a));
}

static hk_count gather_bytes(const hk_assembly *a)
{
  const hk_count list = (hk_count)a->sums.rows * ROUND;
  return hk_local_bytes(list, 8) + hk_local_bytes(list, 4) + sum_bytes(a);
}

static hk_count fans_bytes(const hk_assembly *a)
{
  const hk_count rows = a->sums.rows, list = rows * HK_FAN_STEP, dim = a->desc.on.space->dim;
  const int real = (int)hk_assembly_real(a);
  return hk_local_bytes(list, 4) + hk_local_bytes(list * (dim + 1), 4) +
         hk_local_bytes(list * ((dim + 1) * dim + 1), real) +
         hk_local_bytes(a->sums.span * dim * rows, real) +
         hk_local_bytes(a->sums.span * dim * dim * rows, real);
}

static hk_status create_rows(hk_assembly *a)
{
  const hk_device_info *info = hk_device_describe(a->desc.on.device);
  const int dim = a->desc.on.space->components,
            built = a->sums.fans ? HK_HOST_FAN_SPAN : HK_HOST_SPAN,
            span = a->sums.heavy ? 1 : hk_kernel_size(info, (int)a->sums.span, built);
  hk_kernel_desc desc = {
      .text = a->sums.fans ? "fans" : "gather",
      .function = a->sums.fans ? "fans_rows" : "gather_rows",
      .double_precision = a->desc.on.double_precision,
      .define = {{"DIM", dim}},
      .local = a->sums.fans ? fans_bytes(a) : gather_bytes(a),
      .threads = hk_assembly_threads(a, a->sums.fans ? HK_FAN_THREADS : HK_GATHER_THREADS)};
  if (a->sums.fans)
    hk_kernel_define(&desc, "LAW", HK_LAW);
  else {
    hk_kernel_define(&desc, "HEAVY", a->sums.heavy);
    hk_kernel_define(&desc, "ROUND", ROUND);
  }
  hk_kernel_define(&desc, "ROWS", a->sums.rows);
  hk_kernel_define(&desc, "SCALED", a->desc.scaled);
  hk_kernel_define(&desc, "SPAN", span);
  if (a->sums.fans) hk_kernel_define(&desc, "STEP", HK_FAN_STEP);
  hk_kernel_define(&desc, "VALUES", a->desc.format == HK_FORMAT_ELL ? HK_FORMAT_ELL : 0);
  return hk_kernel_get(&a->pool, a->desc.on.device, &desc, &a->sums.kernel);
}

static hk_status create_dense(hk_assembly *a)
{
  const int threads = hk_assembly_threads(a, 0);
  HK_PASS(hk_dense_kernel(&a->pool, &a->desc.on, "dense_rows", threads, &a->sums.kernel));
  return hk_dense_kernel(&a->pool, &a->desc.on, "dense_clear", threads, &a->sums.clear);
}

/* Whether a kernel integrates elements of an integrand: as hk_operator_plain, which gives the others to the host. */
static bool integrated(const hk_assembly *a, const hk_integrand *k)
{
  const hk_count local = hk_device_describe(a->desc.on.device)->local_memory;
  return k->element && hk_shape_listed(k->element->shape) &&
         a->desc.on.space->unknowns != HK_UNKNOWNS_COUPLED &&
         (!local || integrate_bytes(a, k, 1) <= local);
}

hk_status hk_assembly_prepare(hk_assembly *a)
{
  for (int k = 0; k < a->integrands && !a->sums.fans; k++)
    if (integrated(a, &a->integrand[k])) HK_PASS(create_integrate(a, &a->integrand[k]));
  if (a->desc.format == HK_FORMAT_ELEMENTS) return HK_OK;
  return a->desc.format == HK_FORMAT_DENSE ? create_dense(a) : create_rows(a);
}

static hk_count groups_of(hk_count rows, hk_count each)
{
  return (rows + each - 1) / each;
}

/* For kernels that read it where the assembly is scaled alone. */
static const hk_buffer *scale_of(const hk_assembly *a)
{
  return a->desc.scaled ? a->sent.scale : a->sent.law;
}

static hk_status launch_fans(hk_assembly *a)
{
  const hk_neighbours *n = a->neighbours;
  const hk_assembly_sent *s = &a->sent;
  return hk_kernel_launch(a->sums.kernel, 0, groups_of(a->rows, a->sums.rows),
                          HK_ARGUMENTS(n->around_begin, n->around, n->place, a->sums.where,
                                       n->begin, n->column, s->law_of, s->x, s->law, a->value,
                                       s->folded, scale_of(a), a->rows));
}

static hk_status launch_integrate(hk_assembly *a, const hk_buffer *list, hk_index first,
                                  hk_index count, int k)
{
  const hk_assembly_sent *s = &a->sent;
  const hk_integrand *own = &a->integrand[k];
  return hk_kernel_launch(own->kernel, 0, groups_of(count, own->per_group),
                          HK_ARGUMENTS(list, a->neighbours->node, s->law_of, s->kind, s->x, s->law,
                                       own->slope, own->weight, own->shape, a->matrix, s->folded,
                                       s->about, s->t ? s->t : s->law, first, count, k));
}

/* Rows of chunk c from the matrices of its elements. */
static hk_status launch_gather(hk_assembly *a, int c)
{
  const hk_neighbours *n = a->neighbours;
  const hk_assembly_sent *s = &a->sent;
  const hk_assembly_chunks *k = &a->chunks;
  const hk_index first = k->row[c], end = k->row[c + 1];
  const hk_count groups = groups_of(end - first, a->sums.rows);
  if (a->desc.format == HK_FORMAT_DENSE)
    return hk_kernel_launch(a->sums.kernel, 0, groups,
                            HK_ARGUMENTS(n->around_begin, n->around, n->place, k->slot, n->node,
                                         s->kind, s->about, a->matrix, s->given, a->value, first,
                                         end, a->rows * a->desc.on.space->components));
  return hk_kernel_launch(a->sums.kernel, 0, groups,
                          HK_ARGUMENTS(n->around_begin, n->around, n->place, k->slot, a->sums.where,
                                       n->begin, s->kind, s->about, a->matrix, s->given, a->value,
                                       n->collapsed, scale_of(a), first, end, a->rows));
}

/* Lines of the dense matrix begin at zero. */
static hk_status launch_clear(hk_assembly *a)
{
  const hk_count lines = (hk_count)a->rows * a->desc.on.space->components,
                 chunks = groups_of(lines, HK_DENSE_CHUNK);
  return hk_kernel_launch(a->sums.clear, 0, lines * chunks,
                          HK_ARGUMENTS(a->value, (int32_t)lines, (int32_t)chunks));
}

/* The lowest element without volume at some point, for the message: devices find any. */
static hk_status name_folded(const hk_assembly *a)
{
  const hk_mesh *mesh = a->desc.on.space->mesh;
  double x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES];
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_region *region = &a->desc.on.region[a->desc.on.element_region[e]];
    const bool conducts = !hk_space_solid(a->desc.on.space);
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
  int32_t folded = 0;
  const int32_t none = 0;
  HK_PASS(hk_buffer_read(a->sent.folded, 0, sizeof folded, &folded));
  if (!folded) return HK_OK;
  HK_PASS(hk_buffer_write(a->sent.folded, 0, sizeof none, &none));
  return name_folded(a);
}

/* The element matrices of chunk c; waits for what is before and for them where stages are timed. */
static hk_status integrate(hk_assembly *a, int c)
{
  hk_device *device = a->desc.on.device;
  if (a->desc.timed) HK_PASS(hk_device_finish(device));
  const double start = hk_device_seconds(device);
  for (int k = 0; k < a->integrands; k++)
    if (a->chunks.count[c] && a->integrand[k].kernel)
      HK_PASS(launch_integrate(a, a->chunks.list, a->chunks.first[c], a->chunks.count[c], k));
  if (a->desc.timed) HK_PASS(hk_device_finish(device));
  a->seconds_elements += hk_device_seconds(device) - start;
  return HK_OK;
}

hk_status hk_assembly_integrate(hk_assembly *a, const hk_buffer *list, hk_index first,
                                hk_index count)
{
  for (int k = 0; k < a->integrands; k++)
    if (a->integrand[k].kernel) HK_PASS(launch_integrate(a, list, first, count, k));
  return HK_OK;
}

hk_status hk_assembly_fill(hk_assembly *a)
{
  const double start = hk_device_seconds(a->desc.on.device);
  HK_PASS(hk_assembly_send_laws(a));
  HK_PASS(hk_assembly_send_given(a));
  a->seconds_elements = 0;
  if (a->sums.fans) HK_PASS(launch_fans(a));
  if (a->desc.format == HK_FORMAT_DENSE) HK_PASS(launch_clear(a));
  for (int c = 0; c < a->chunks.chunks; c++) {
    HK_PASS(integrate(a, c));
    HK_PASS(launch_gather(a, c));
  }
  HK_PASS(hk_assembly_check(a)); /* waits */
  a->seconds[2] = hk_device_seconds(a->desc.on.device) - start;
  return HK_OK;
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
