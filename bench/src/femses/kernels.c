/* Measures the parts of whole solutions one by one: sparsity scans (Keating 2019, Figure 5.5d),
 * element matrices and assembly (5.5, 5.14, 5.16, 5.20), Keating's sweep, and products with K by
 * form, also that of the vendor's library. A row holds the mean of several runs with its interval.
 * A product of the vendor's library counts only if it equals hooke's to rounding. */
#include "device/library.h"
#include "femses/femses.h"
#include "operator/assembly/assembled.h"
#include "operator/assembly/assembly.h"
#include "operator/dense/dense_matrix.h"
#include "operator/elements/elements.h"
#include "operator/list.h"
#include "papers/scan_pattern.h"
#include <math.h>
#include <string.h>

typedef struct samples {
  double value[HK_FEMSES_RUNS];
} samples;

static json_t *add_row(const hk_femses_body *b, const char *table, const char *figures,
                       const char *method, const samples *s)
{
  json_t *row = hk_femses_row(b, table, method);
  hk_bench_set_text(row, "figures", figures);
  hk_bench_set_interval(row, "seconds", hk_interval_of(s->value, HK_FEMSES_RUNS));
  hk_bench_add(b->job, row);
  return row;
}

/* device NULL: the paper's one thread of the host. */
static hk_status scan(const hk_femses_body *b, hk_device *device, const char *name)
{
  hk_status status = HK_OK;
  const hk_block *block = &b->mesh->block[0];
  const hk_pattern_desc desc = {.device = device,
                                .nodes = (hk_index)b->mesh->node_count,
                                .elements = (hk_index)block->count,
                                .stride = block->nodes,
                                .node = block->node};
  samples s;
  hk_pattern p = {0};
  for (int k = -1; k < HK_FEMSES_RUNS; k++) {
    hk_pattern_clear(&p);
    HK_TRY(hk_pattern_scan(&desc, &p));
    if (k >= 0) s.value[k] = p.seconds_scan;
  }
  json_t *row = add_row(b, "sparsity scan", "5.5d", name, &s);
  hk_bench_set_integer(row, "nonzeros", p.entries);
cleanup:
  hk_pattern_clear(&p);
  return status;
}

/* The neighbour matrix, beside the scan. */
static hk_status scan_neighbours(const hk_femses_body *b)
{
  hk_status status = HK_OK;
  const hk_block *block = &b->mesh->block[0];
  hk_neighbours *n = NULL;
  samples s;
  for (int k = -1; k < HK_FEMSES_RUNS; k++) {
    hk_neighbours_destroy(&n);
    HK_TRY(hk_neighbours_create(&(hk_neighbours_desc){.device = b->device,
                                                      .nodes = (hk_index)b->mesh->node_count,
                                                      .elements = (hk_index)block->count,
                                                      .stride = block->nodes,
                                                      .node = block->node,
                                                      .timed = true},
                                &n));
    double sum = 0;
    for (int step = 0; step < HK_NEIGHBOUR_STEPS; step++) sum += n->seconds[step];
    if (k >= 0) s.value[k] = sum;
  }
  json_t *row = add_row(b, "sparsity scan", "5.5d", "neighbour matrix", &s);
  hk_bench_set_integer(row, "nonzeros", n->entries);
cleanup:
  hk_neighbours_destroy(&n);
  return status;
}

/* Element matrices apart from their sums; fused: rows integrate themselves, as they do by default. */
static hk_status assemble_rows(const hk_femses_body *b, bool fused)
{
  hk_status status = HK_OK;
  const hk_assembly_desc desc = {.on = hk_femses_desc(b, hk_femses_find(b, "assembled"), true),
                                 .format = HK_FORMAT_NODES,
                                 .timed = true,
                                 .no_fans = !fused};
  hk_assembly *k = NULL;
  samples elements, sums, all;
  HK_TRY(hk_assembly_create(&desc, &k));
  for (int n = -1; n < HK_FEMSES_RUNS; n++) {
    HK_TRY(hk_assembly_fill(k));
    if (n < 0) continue;
    all.value[n] = k->seconds[2], elements.value[n] = k->seconds_elements;
    sums.value[n] = k->seconds[2] - k->seconds_elements;
  }
  if (fused) {
    add_row(b, "main kernel", "5.20a", "rows, fused", &all);
  } else {
    add_row(b, "element matrices", "5.5c, 5.14", "integration", &elements);
    add_row(b, "assembly", "5.5a, 5.16a", "rows", &sums);
    add_row(b, "main kernel", "5.20a", "rows", &all);
  }
cleanup:
  hk_assembly_destroy(&k);
  return status;
}

/* Where it fits, and a copy of it. */
static hk_status assemble_dense(const hk_femses_body *b)
{
  hk_status status = HK_OK;
  const hk_operator_desc desc = hk_femses_desc(b, hk_femses_find(b, "assembled"), true);
  hk_dense *dense = NULL;
  samples sums, all;
  if (2 * hk_dense_bytes(desc.space->padded, true) > (double)hk_device_available(b->device))
    return HK_OK;
  for (int n = -1; n < HK_FEMSES_RUNS; n++) {
    hk_dense_destroy(&dense);
    HK_TRY(hk_dense_assemble(&desc, true, &dense));
    if (n < 0) continue;
    sums.value[n] = dense->seconds_assembly;
    all.value[n] = dense->seconds_assembly + dense->seconds_elements;
  }
  json_t *row = add_row(b, "assembly", "5.5b, 5.16b", "dense", &sums);
  hk_bench_set_integer(row, "bytes", (hk_count)hk_dense_bytes(desc.space->padded, true));
  add_row(b, "main kernel", "5.20b", "dense", &all);
cleanup:
  hk_dense_destroy(&dense);
  return status;
}

typedef struct sweeping {
  const hk_femses_body *b;
  hk_operator *op;
  hk_buffer *u, *f, *inverse, *out;
  hk_buffer *begin; /* of the vendor's product */
  hk_device_product *product;
} sweeping;

/* u[n] in [1, 2), the same in each run. */
static hk_status fill_state(const sweeping *s, hk_count n, bool real)
{
  hk_status status = HK_OK;
  double *u = NULL;
  HK_TRY(hk_get(&u, n));
  for (hk_count i = 0; i < n; i++) u[i] = 1 + (double)(hk_hash(&i, sizeof i, 0) >> 40) / 16777216.0;
  HK_TRY(hk_buffer_write_reals(s->u, real, 0, n, u));
cleanup:
  hk_free(&u);
  return status;
}

static hk_status begin_sweeping(sweeping *s, const hk_femses_numbering *numbering, bool real)
{
  hk_status status = HK_OK;
  const hk_operator_desc desc = hk_femses_desc(s->b, numbering, real);
  const hk_count n = numbering->space->padded, bytes = n * (real ? 8 : 4);
  hk_buffer **const all[] = {&s->u, &s->f, &s->inverse, &s->out};
  double *diagonal = NULL;
  HK_TRY(hk_operator_create(numbering->kind, &desc, &s->op));
  HK_TRY(hk_operator_bind(s->op, HK_FORM_STORE, false, 1));
  for (int k = 0; k < 4; k++) HK_TRY(hk_buffer_create(desc.device, bytes, all[k]));
  HK_TRY(fill_state(s, n, real));
  if (!hk_operator_has_elements(s->op)) goto cleanup;
  HK_TRY(hk_elements_prepare(s->op));
  HK_TRY(hk_get(&diagonal, n));
  HK_TRY(s->op->kind->diagonal(s->op, s->inverse));
  HK_TRY(hk_buffer_read_reals(s->inverse, real, 0, n, diagonal));
  for (hk_count i = 0; i < n; i++) diagonal[i] = diagonal[i] > 0 ? 1 / diagonal[i] : 0;
  for (hk_index i = 0; i < numbering->held.count; i++) diagonal[numbering->held.dof[i]] = 0;
  HK_TRY(hk_buffer_write_reals(s->inverse, real, 0, n, diagonal));
cleanup:
  hk_free(&diagonal);
  return status;
}

static void end_sweeping(sweeping *s)
{
  hk_device_product_destroy(&s->product);
  hk_buffer_destroy(&s->begin);
  hk_buffer_destroy(&s->u);
  hk_buffer_destroy(&s->f);
  hk_buffer_destroy(&s->inverse);
  hk_buffer_destroy(&s->out);
  hk_operator_destroy(&s->op);
}

static hk_status multiply(void *data)
{
  const sweeping *s = data;
  return hk_operator_apply(s->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = s->u, .out = s->out});
}

static hk_status sweep(void *data)
{
  const sweeping *s = data;
  return hk_elements_jacobi(s->op, s->u, s->f, s->inverse, s->out);
}

static hk_status multiply_by_vendor(void *data)
{
  const sweeping *s = data;
  return hk_device_product_apply(s->product);
}

/* Its rows begin at 32 bits. */
static hk_status begin_vendor(sweeping *s, bool real)
{
  hk_status status = HK_OK;
  const hk_assembly *k = hk_assembled_matrix(s->op);
  const hk_count n = (hk_count)k->rows + 1;
  hk_count *wide = NULL;
  hk_index *begin = NULL, last;
  HK_TRY(hk_narrow(k->neighbours->entries, "entries of a matrix", &last));
  HK_TRY(hk_get(&wide, n));
  HK_TRY(hk_get(&begin, n));
  HK_TRY(hk_buffer_read(k->neighbours->begin, 0, n * 8, wide));
  for (hk_count i = 0; i < n; i++) begin[i] = (hk_index)wide[i];
  HK_TRY(hk_buffer_create(s->b->device, n * 4, &s->begin));
  HK_TRY(hk_buffer_write(s->begin, 0, n * 4, begin));
  HK_TRY(hk_device_product_create(&(hk_device_product_desc){.device = s->b->device,
                                                            .double_precision = real,
                                                            .n = k->rows,
                                                            .entries = last,
                                                            .begin = s->begin,
                                                            .column = k->neighbours->column,
                                                            .value = k->value,
                                                            .x = s->u,
                                                            .y = s->out},
                                  &s->product));
cleanup:
  hk_free(&wide);
  hk_free(&begin);
  return status;
}

/* How far the vendor's product is from ours, of its largest number. */
static hk_status compare_vendor(sweeping *s, bool real, double *difference)
{
  hk_status status = HK_OK;
  const hk_count n = hk_femses_find(s->b, "assembled")->space->padded;
  double *ours = NULL, *theirs = NULL, most = 0;
  HK_TRY(hk_get(&ours, n));
  HK_TRY(hk_get(&theirs, n));
  HK_TRY(multiply(s));
  HK_TRY(hk_buffer_read_reals(s->out, real, 0, n, ours));
  HK_TRY(multiply_by_vendor(s));
  HK_TRY(hk_buffer_read_reals(s->out, real, 0, n, theirs));
  *difference = 0;
  for (hk_count i = 0; i < n; i++) {
    most = fmax(most, fabs(ours[i]));
    *difference = hk_larger(*difference, fabs(ours[i] - theirs[i]));
  }
  *difference /= most;
cleanup:
  hk_free(&ours);
  hk_free(&theirs);
  return status;
}

/* `vectors` that the launches read or write, each once per launch. */
static hk_status measure_launches(sweeping *s, const char *table, const char *name, bool real,
                                  int vectors, hk_status (*launch)(void *data))
{
  samples taken;
  HK_PASS(hk_bench_time(s->b->job, s->b->device, launch, s, HK_FEMSES_RUNS, taken.value));
  json_t *row = add_row(s->b, table, "", name, &taken);
  const double seconds = hk_interval_of(taken.value, HK_FEMSES_RUNS).mean,
               bytes = (double)s->op->bytes + (double)vectors * (double)hk_buffer_bytes(s->u);
  hk_bench_set_text(row, "precision", real ? "double" : "single");
  hk_bench_set(row, "gdof_per_s", s->b->dofs / seconds * 1e-9);
  hk_bench_set_integer(row, "memory_bytes", s->op->memory);
  hk_bench_set_bytes(s->b->job, s->b->place, row, bytes, seconds);
  return HK_OK;
}

/* Refused where it does not give what ours gives; the rest goes on without it. */
static hk_status measure_vendor(sweeping *s, bool real, int vectors)
{
  double difference;
  HK_PASS(begin_vendor(s, real));
  HK_PASS(compare_vendor(s, real, &difference));
  HK_NEED(difference <= (real ? 1e-12 : 1e-4), HK_NO_RESOURCES,
          "%s: its product differs from ours by %.2g of the largest number",
          hk_device_product_name(s->product), difference);
  return measure_launches(s, "product", hk_device_product_name(s->product), real, vectors,
                          multiply_by_vendor);
}

/* A sweep reads u, f, D^-1 in its first step, D^-1 and u in its second, and writes u. */
static hk_status measure_form(const hk_femses_body *b, const char *form, bool real)
{
  enum { OF_PRODUCT = 2, OF_SWEEP = 6 };
  hk_status status = HK_OK;
  sweeping s = {.b = b};
  const bool elements = !strcmp(form, "elements");
  hk_bench_say(b->job, "%s, %d unknowns: sweeps of %s", b->name, (int)b->dofs, form);
  HK_TRY(begin_sweeping(&s, hk_femses_find(b, form), real));
  HK_TRY(measure_launches(&s, "product", form, real, OF_PRODUCT, multiply));
  if (elements) HK_TRY(measure_launches(&s, "sweep", "two-step", real, OF_SWEEP, sweep));
  if (!elements && hk_device_product_there(b->device) &&
      measure_vendor(&s, real, OF_PRODUCT) != HK_OK)
    hk_bench_say(b->job, "no row for the vendor's product: %.110s", hk_error());
cleanup:
  end_sweeping(&s);
  return status;
}

/* Of linear simplices: from their geometry alone, where nothing speaks against it. */
static hk_status measure_geometry(const hk_femses_body *b, bool real)
{
  enum { OF_PRODUCT = 2 };
  hk_status status = HK_OK;
  sweeping s = {.b = b};
  hk_femses_numbering own = {.kind = &hk_operator_matrix_free};
  hk_space_desc numbering = own.kind->space(b->mesh, b->device, real);
  numbering.components = 1;
  if (!own.kind->serves(b->mesh)) return HK_OK;
  hk_bench_say(b->job, "%s, %d unknowns: products from geometry", b->name, (int)b->dofs);
  HK_TRY(hk_space_create(b->mesh, &numbering, &own.space));
  status = begin_sweeping(&s, &own, real);
  if (status == HK_BAD_INPUT) {
    hk_bench_say(b->job, "no row for matrix-free: %.110s", hk_error());
    status = HK_OK;
    goto cleanup;
  }
  HK_TRY(status);
  HK_TRY(measure_launches(&s, "product", own.kind->name, real, OF_PRODUCT, multiply));
cleanup:
  end_sweeping(&s);
  hk_space_destroy(&own.space);
  return status;
}

hk_status hk_femses_kernels(const hk_femses_body *b)
{
  hk_bench_say(b->job, "%s, %d unknowns: stages", b->name, (int)b->dofs);
  if (b->full) {
    if (!strcmp(hk_device_describe(b->device)->backend, "cpu"))
      HK_PASS(scan(b, NULL, "one pass, one thread"));
    HK_PASS(scan(b, b->device, "one pass"));
    HK_PASS(scan_neighbours(b));
    HK_PASS(assemble_rows(b, false));
    HK_PASS(assemble_rows(b, true));
    HK_PASS(assemble_dense(b));
  }
  for (int real = 0; real < 2; real++) {
    HK_PASS(measure_form(b, "assembled", real));
    HK_PASS(measure_form(b, "elements", real));
    HK_PASS(measure_geometry(b, real));
  }
  return HK_OK;
}
