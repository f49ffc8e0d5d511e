/* The tables and figures of Sanfui and Sharma: time and memory of the stages of assembly by element, format and way, beside the paper's
 * K40c where it gives a number for a mesh like it. Its cylinder of HEX20 has more nodes for its elements than it says (ERRATA of the
 * paper): compare per element and per nonzero. */
#include "assembly/body.h"
#include "operator/assembly/assembled.h"
#include "papers/assembly.h"
#include <math.h>
#include <string.h>

static const char *const format_name[HK_FORMATS] = {"node blocks", "COO", "CSR", "ELL"};

json_t *hk_assembly_row(const hk_bench_body *b, const char *table, const char *method,
                        hk_matrix_format format, bool double_precision)
{
  json_t *row =
      hk_bench_row(b->name, table, method, hk_device_describe(b->device)->backend, double_precision,
                   (hk_count)b->space->nodes * b->space->dim, b->mesh->element_count);
  hk_bench_set_text(row, "format", format_name[format]);
  return row;
}

static json_t *row_of(const hk_bench_body *b, const hk_assembly *k, const char *table,
                      const char *method, double seconds)
{
  const double nonzeros = (double)hk_assembly_nonzeros(k);
  json_t *row = hk_assembly_row(b, table, method, k->desc.format, k->desc.on.double_precision);
  hk_bench_set_integer(row, "nonzeros", (hk_count)nonzeros);
  hk_bench_set(row, "seconds", seconds);
  hk_bench_set(row, "ns_per_element", seconds / (double)b->mesh->element_count * 1e9);
  hk_bench_set(row, "ns_per_nonzero", seconds / nonzeros * 1e9);
  hk_bench_set(row, "gnonzero_per_s", nonzeros / seconds * 1e-9);
  return row;
}

static double written(const hk_assembly *k)
{
  return (double)hk_buffer_bytes(k->value);
}

/* Of the kernels of a stage: the first also waits for the mesh. */
static double kernels(const hk_assembly *k, int stage, const double *seconds)
{
  double sum = 0;
  for (int s = 0; s < HK_NEIGHBOUR_STEPS; s++) sum += k->neighbours->seconds[s];
  return stage == 0 && sum > 0 ? sum : seconds[stage];
}

/* Tables 1, 3, 5, Figures 11, 14, 15: time, memory and bandwidth of the stages. */
static void add_stages(const hk_bench_body *b, const hk_assembly *k, const double *seconds)
{
  static const char *const stage[3] = {"stage 1, neighbours", "stage 2, indices",
                                       "stage 3, values"};
  for (int s = 0; s < 3; s++) {
    json_t *row = row_of(b, k, b->table, stage[s], seconds[s]);
    const double inside = kernels(k, s, seconds);
    hk_bench_set(row, "kernel_seconds", inside);
    hk_bench_set_bytes(b->job, b->place, row, hk_bench_traffic(k, s), inside);
    hk_bench_set_integer(row, "memory_bytes", hk_assembly_stage_bytes(k, s));
    if (b->paper.seconds[s] > 0) hk_bench_set(row, "paper_seconds", b->paper.seconds[s]);
    hk_bench_add(b->job, row);
  }
}

/* All stages, and Tables 2, 4: the functions of the first. */
static void add_whole(const hk_bench_body *b, const hk_assembly *k, double seconds)
{
  json_t *row = row_of(b, k, b->table, "stages 1 to 3", seconds);
  hk_bench_set_integer(row, "nodes", b->mesh->node_count);
  hk_bench_set_integer(row, "bytes", hk_assembly_bytes(k));
  hk_bench_set_integer(row, "scratch_bytes", k->matrix ? hk_buffer_bytes(k->matrix) : 0);
  hk_bench_set_integer(row, "value_bytes", hk_buffer_bytes(k->value));
  if (b->paper.nodes) hk_bench_set_integer(row, "paper_nodes", b->paper.nodes);
  if (b->paper.elements) hk_bench_set_integer(row, "paper_elements", b->paper.elements);
  if (b->paper.megabytes > 0) hk_bench_set(row, "paper_megabytes", b->paper.megabytes);
  hk_bench_add(b->job, row);
  for (int s = 0; s < HK_NEIGHBOUR_STEPS && k->desc.format == HK_FORMAT_NODES; s++)
    hk_bench_add(b->job, row_of(b, k, "2, 4", hk_neighbour_step_name((hk_neighbour_step)s),
                                k->neighbours->seconds[s]));
}

/* Best of the fills that fit into the time, three at least; the first warms. */
static hk_status time_fill(const hk_bench_body *b, hk_assembly *k, double *best)
{
  double spent = 0;
  HK_PASS(hk_assembly_fill(k));
  *best = HUGE_VAL;
  for (int n = 0; n < 3 || spent < b->job->seconds; n++) {
    HK_PASS(hk_assembly_fill(k));
    *best = fmin(*best, k->seconds[2]);
    spent += k->seconds[2];
  }
  return HK_OK;
}

static hk_assembly_desc desc_of(const hk_bench_body *b, hk_matrix_format format, bool real)
{
  return (hk_assembly_desc){.on = {b->device, b->space, b->region, b->element_region, real},
                            .format = format,
                            .timed = true};
}

/* Made twice: the first compiles. */
static hk_status make_matrix(const hk_bench_body *b, hk_matrix_format format, bool real,
                             hk_assembly **k)
{
  const hk_assembly_desc desc = desc_of(b, format, real);
  HK_PASS(hk_assembly_create(&desc, k));
  HK_PASS(hk_assembly_fill(*k));
  hk_assembly_destroy(k);
  return hk_assembly_create(&desc, k);
}

/* Figures 12, 17: the ways of stage 3 beside ours. */
static hk_status measure_ways(const hk_bench_body *b, hk_assembly *k, double ours)
{
  json_t *row = row_of(b, k, "figures 12, 17", k->sums.fans ? "ours, fans" : "ours, gather", ours);
  hk_bench_set_bytes(b->job, b->place, row, written(k), ours);
  hk_bench_add(b->job, row);
  for (int w = 0; w < HK_ASSEMBLE_WAYS; w++) {
    hk_assembly_filled filled;
    double best = HUGE_VAL;
    hk_bench_say(b->job, "%s: %s, %s", b->name, hk_assembly_way_name((hk_assembly_way)w),
                 format_name[k->desc.format]);
    for (int n = 0; n == 0 || (n == 1 && best < 1); n++) { /* slow ones once */
      HK_PASS(hk_assembly_fill_by(k, (hk_assembly_way)w, &filled));
      best = fmin(best, filled.seconds);
    }
    row = row_of(b, k, "figures 12, 17", hk_assembly_way_name((hk_assembly_way)w), best);
    hk_bench_set_bytes(b->job, b->place, row, written(k), best);
    hk_bench_set_integer(row, "scratch_bytes", filled.bytes);
    hk_bench_set(row, "times_ours", best / ours);
    if (filled.colours) {
      hk_bench_set_integer(row, "colours", filled.colours);
      hk_bench_set(row, "colouring_seconds", filled.colouring);
    }
    hk_bench_add(b->job, row);
  }
  return HK_OK;
}

static hk_status measure_format(const hk_bench_body *b, hk_matrix_format format, bool real)
{
  hk_status status = HK_OK;
  hk_assembly *k = NULL;
  double best;
  hk_bench_say(b->job, "%s: %s, %s", b->name, format_name[format], real ? "double" : "single");
  HK_TRY(make_matrix(b, format, real, &k));
  HK_TRY(time_fill(b, k, &best));
  add_stages(b, k, (double[]){k->seconds[0], k->seconds[1], best});
  add_whole(b, k, k->seconds[0] + k->seconds[1] + best);
  if (b->ways && real && (format == HK_FORMAT_ELL || (b->full && format == HK_FORMAT_NODES)))
    HK_TRY(measure_ways(b, k, best));
cleanup:
  hk_assembly_destroy(&k);
  return status;
}

/* New values with a factor for each element beside a matrix that is made anew (hooke/matrix.h). */
static hk_status measure_refill(const hk_bench_body *b, bool real)
{
  hk_status status = HK_OK;
  hk_assembly_desc desc = desc_of(b, HK_FORMAT_CSR, real);
  hk_assembly *k = NULL;
  double best, fresh = 0;
  desc.scaled = true;
  hk_bench_say(b->job, "%s: refill, %s", b->name, real ? "double" : "single");
  for (int n = 0; n < 2; n++) { /* the first compiles */
    hk_assembly_destroy(&k);
    fresh = hk_seconds();
    HK_TRY(hk_assembly_create(&desc, &k));
    HK_TRY(hk_assembly_fill(k));
    fresh = hk_seconds() - fresh;
  }
  HK_TRY(time_fill(b, k, &best));
  json_t *row = row_of(b, k, "", "refill with factors", best);
  hk_bench_set_bytes(b->job, b->place, row, written(k), best);
  hk_bench_set(row, "fresh_seconds", fresh);
  hk_bench_set(row, "times_faster", fresh / best);
  hk_bench_add(b->job, row);
cleanup:
  hk_assembly_destroy(&k);
  return status;
}

/* K u, what conjugate gradients ask for. */
static hk_status measure_product(const hk_bench_body *b, bool real)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  hk_operator *op = NULL;
  hk_buffer *u = NULL, *out = NULL;
  const hk_count bytes = (hk_count)b->space->padded * b->space->dim * (real ? 8 : 4);
  const hk_operator_desc desc = desc_of(b, HK_FORMAT_NODES, real).on;
  double seconds;
  hk_bench_say(b->job, "%s: product, %s", b->name, real ? "double" : "single");
  HK_TRY(hk_operator_choose("assembled", b->mesh, b->device, &kind));
  HK_TRY(hk_operator_create(kind, &desc, &op));
  HK_TRY(hk_buffer_create(b->device, bytes, &u));
  HK_TRY(hk_buffer_create(b->device, bytes, &out));
  HK_TRY(hk_bench_time_product(b->job, op, u, out, &seconds));
  json_t *row = hk_assembly_row(b, "", "product", HK_FORMAT_NODES, real);
  hk_bench_set(row, "seconds", seconds);
  hk_bench_set(row, "gdof_per_s", (double)b->space->nodes * b->space->dim / seconds * 1e-9);
  hk_bench_set_bytes(b->job, b->place, row, (double)op->bytes + 2.0 * (double)bytes, seconds);
  hk_bench_add(b->job, row);
cleanup:
  hk_buffer_destroy(&u);
  hk_buffer_destroy(&out);
  hk_operator_destroy(&op);
  return status;
}

static hk_status measure_body(const hk_bench_body *b)
{
  for (int f = 0; f < HK_FORMATS; f++)
    if (b->full || f == HK_FORMAT_NODES || f == HK_FORMAT_ELL)
      HK_PASS(measure_format(b, (hk_matrix_format)f, true));
  if (b->full) {
    HK_PASS(measure_format(b, HK_FORMAT_NODES, false));
    HK_PASS(measure_product(b, true));
    HK_PASS(measure_product(b, false));
    HK_PASS(measure_refill(b, true));
  }
  if (b->solved) HK_PASS(hk_bench_share(b));
  return HK_OK;
}

/* A plan of a rod, or a deck. */
static hk_status measure_file(hk_bench_job *job, const char *path, hk_device *device, int place)
{
  const char *end = strrchr(path, '.');
  hk_bench_body b = {0};
  hk_status status =
      end && !strcmp(end, ".msh")
          ? hk_bench_body_draw(job, path, device, place, &b)
          : hk_bench_body_read(job, path, place ? "cpu" : job->desc->device, place, &b);
  if (status == HK_OK) status = measure_body(&b);
  hk_bench_body_clear(&b);
  return status;
}

static hk_status measure_generated(hk_bench_job *job, const hk_bench_chosen *chosen,
                                   hk_device *device, int place)
{
  hk_status status = HK_OK;
  for (int c = 0; c < HK_BENCH_BODIES && status == HK_OK; c++) {
    hk_bench_body b = {0};
    if (!hk_bench_body_is(c, chosen)) continue;
    status = hk_bench_body_generate(job, c, device, place, &b);
    if (status == HK_OK) status = measure_body(&b);
    hk_bench_body_clear(&b);
  }
  return status;
}

/* The place that a word chooses; NULL: the name of a file. */
static bool *place_of(hk_bench_chosen *chosen, const char *word)
{
  return !strcmp(word, "boxes")    ? &chosen->boxes
         : !strcmp(word, "tubes")  ? &chosen->tubes
         : !strcmp(word, "device") ? &chosen->device
         : !strcmp(word, "host")   ? &chosen->host
                                   : NULL;
}

static hk_status measure(hk_bench_job *job, hk_device *device, int place, void *data)
{
  hk_bench_chosen *chosen = data;
  int files = 0;
  for (int i = 0; i < job->desc->model_count; i++)
    if (!place_of(chosen, job->desc->model[i])) {
      HK_PASS(measure_file(job, job->desc->model[i], device, place));
      files++;
    }
  if (files && !chosen->boxes && !chosen->tubes) return HK_OK;
  return measure_generated(job, chosen, device, place);
}

hk_status hk_bench_assembly(hk_bench_job *job)
{
  hk_bench_chosen chosen = {0};
  for (int i = 0; i < job->desc->model_count; i++) {
    bool *place = place_of(&chosen, job->desc->model[i]);
    if (place) *place = true;
  }
  const bool beside = hk_bench_is_beside(job), both = chosen.device == chosen.host;
  if (!beside || both || chosen.device) HK_PASS(hk_bench_on(job, 0, measure, &chosen));
  if (beside && (both || chosen.host)) HK_PASS(hk_bench_on(job, 1, measure, &chosen));
  return HK_OK;
}
