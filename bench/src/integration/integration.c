/* The tables and figures of Banas, Plaszewski and Maciol on prisms of order 1 to 7: sizes, launch
 * parameters, time of an element by stage, and rates, by kernel, precision and device, beside the
 * paper's; and rates of the device and the host at once (together.c). Elements are distorted linear prisms with a material each; useful operations are 63 N_Q
 * N_sh^2 (I.7). Each stage counts with its best time over repeated
 * runs. */
#include "integration/integration.h"
#include "integration/paper.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS, PLACES, PRECISIONS, WAYS, KINDS };
enum { ON_DEVICE = 1, ON_HOST = 2, SINGLE = 1, DOUBLE = 2, OF_PAPER = 1, OWN = 2 };

static const struct {
  const char *word;
  int kind, bit;
} words[] = {{"tables", PARTS, HK_INTEGRATION_TABLES},
             {"times", PARTS, HK_INTEGRATION_TIMES},
             {"together", PARTS, HK_INTEGRATION_TOGETHER},
             {"scaling", PARTS, HK_INTEGRATION_SCALING},
             {"device", PLACES, ON_DEVICE},
             {"host", PLACES, ON_HOST},
             {"single", PRECISIONS, SINGLE},
             {"double", PRECISIONS, DOUBLE},
             {"paper", WAYS, OF_PAPER},
             {"ours", WAYS, OWN}};

/* chosen[kind]: bits of the list above, 0: all; order[0]: one was named. */
typedef struct wanted {
  int chosen[KINDS];
  bool order[HK_PRISM_ORDERS + 1];
} wanted;

typedef hk_integration_body body;

enum { DEVICE_BYTES = 1536 << 20, HOST_BYTES = 48 << 20, EMULATED_BYTES = 2 << 20 };
static const double TOGETHER_BYTES = 8e9; /* more than a tenth of a second of a bus */

static const char *const stage_name[HK_INTEGRAL_STAGES] = {"prepare", "memory", "send", "kernel",
                                                           "fetch"};

json_t *hk_integration_row(const body *b, const char *table, const char *method)
{
  char name[32];
  snprintf(name, sizeof name, "prism, p = %d", b->order);
  json_t *row =
      hk_bench_row(name, table, method, hk_device_describe(b->device)->backend, b->real, 0, 0);
  hk_bench_set_integer(row, "order", b->order);
  hk_bench_set_integer(row, "shapes", b->reference.shapes);
  hk_bench_set_integer(row, "points", b->reference.points);
  return row;
}

static void set_stage(json_t *row, int stage, double microseconds)
{
  char key[24];
  snprintf(key, sizeof key, "%s_us", stage_name[stage]);
  hk_bench_set(row, key, microseconds);
}

/* In [-0.1, 0.1), the same in each run. */
static double shift(hk_count k)
{
  return (double)(hk_hash(&k, sizeof k, 0) >> 40) / 16777216.0 * 0.2 - 0.1;
}

hk_status hk_integration_make(body *b, double bytes)
{
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  const int size = 3 * b->reference.shapes;
  b->elements = (hk_count)(b->job->scale * bytes / (8.0 * size * size)) + 1;
  HK_PASS(hk_get(&b->x, b->elements * 18));
  HK_PASS(hk_get(&b->lame, b->elements * 2));
  for (hk_count k = 0; k < b->elements * 18; k++)
    b->x[k] = wedge->reference[k / 3 % 6][k % 3] + shift(k);
  for (hk_count k = 0; k < b->elements * 2; k++) b->lame[k] = 1 + shift(k);
  return HK_OK;
}

hk_integral_desc hk_integration_describe(const body *b, hk_integral_way way)
{
  const bool emulated = hk_device_describe(b->device)->unoptimised;
  return (hk_integral_desc){.device = b->device,
                            .double_precision = b->real,
                            .reference = &b->reference,
                            .elements = b->elements,
                            .x = b->x,
                            .coefficients = {3, true, HK_SPREAD_ELEMENT, b->lame},
                            .way = way,
                            .cache = emulated ? NULL : b->job->desc->cache};
}

/* Tables 1 and 2. */
static void add_sizes(const body *b)
{
  const hk_reference *r = &b->reference;
  json_t *row = hk_integration_row(b, "1, 2", "sizes");
  hk_bench_set_integer(row, "quadrature_entries", 4LL * r->points);
  hk_bench_set_integer(row, "point_entries", 4LL * r->shapes);
  hk_bench_set_integer(row, "shape_entries", 4LL * r->points * r->shapes);
  hk_bench_set_integer(row, "blocks", (hk_count)r->shapes * r->shapes);
  const hk_paper_size *paper = &hk_paper_sizes[b->order - 1];
  hk_bench_set_integer(row, "paper_shapes", paper->shapes);
  hk_bench_set_integer(row, "paper_points", paper->points);
  hk_bench_set_integer(row, "paper_quadrature_entries", paper->quadrature_entries);
  hk_bench_set_integer(row, "paper_point_entries", paper->point_entries);
  hk_bench_set_integer(row, "paper_shape_entries", paper->shape_entries);
  hk_bench_set_integer(row, "paper_blocks", paper->blocks);
  hk_bench_add(b->job, row);
}

static void set_plan(json_t *row, const hk_integral_plan *plan)
{
  hk_bench_set_integer(row, "threads", plan->threads);
  hk_bench_set_integer(row, "parts", plan->parts);
  hk_bench_set_integer(row, "blocks_per_thread", plan->blocks);
  hk_bench_set_integer(row, "elements_per_launch", plan->launch);
  hk_bench_set_integer(row, "elements_per_group", plan->per_group);
  hk_bench_set_integer(row, "local_bytes", plan->local);
  hk_bench_set(row, "input_mb", (double)plan->input / (1 << 20));
  hk_bench_set(row, "output_mb", (double)plan->output / (1 << 20));
}

/* Tables 3 and 4: ours for the paper's devices, beside theirs. */
static hk_status add_parameters(const body *b)
{
  for (int g = 0; g < 2 && b->order > 1; g++)
    for (int w = 0; w < HK_PAPER_WAYS; w++) {
      const hk_paper_gpu *gpu = &hk_paper_gpus[g];
      const int p = b->order - 2;
      hk_integral_plan plan;
      const hk_integral_desc desc = {
          .device = b->device,
          .reference = &b->reference,
          .elements = gpu->elements[p],
          .coefficients = {3, true, HK_SPREAD_ELEMENT, b->lame},
          .way = (hk_integral_way)(HK_INTEGRAL_REG_JAC + w),
          .limits = {gpu->threads, gpu->local_memory, gpu->memory, gpu->groups}};
      HK_PASS(hk_integral_simulate(&desc, &plan));
      json_t *row = hk_integration_row(b, gpu->parameters, hk_integral_way_name(desc.way));
      hk_bench_set_text(row, "device", gpu->name);
      hk_bench_set_text(row, "precision", "single");
      set_plan(row, &plan);
      hk_bench_set_integer(row, "paper_parts", gpu->parts[w / 2][p]);
      hk_bench_set_integer(row, "paper_blocks_per_thread", w < 2 ? 1 : gpu->blocks[p]);
      hk_bench_set_integer(row, "paper_elements_per_launch", gpu->elements[p]);
      hk_bench_set_integer(row, "paper_elements_per_group", gpu->per_group[p]);
      hk_bench_set(row, "paper_input_mb", gpu->input[w % 2][p]);
      hk_bench_set(row, "paper_output_mb", gpu->output[p]);
      hk_bench_add(b->job, row);
    }
  return HK_OK;
}

/* Microseconds of an element by stage. */
static void find_parts(const hk_paper_gpu *gpu, int way, int p, double parts[HK_INTEGRAL_STAGES])
{
  parts[HK_INTEGRAL_PREPARE] = gpu->prepare[way % 2][p];
  parts[HK_INTEGRAL_MEMORY] = gpu->memory_time[p];
  parts[HK_INTEGRAL_SEND] = gpu->send[way % 2][p];
  parts[HK_INTEGRAL_KERNEL] = gpu->kernel[way][p];
  parts[HK_INTEGRAL_FETCH] = gpu->fetch[p];
}

/* What bench/draw.py draws beside the rows: paper.json, an object for each way, GPU and order. */
static hk_status write_paper(const hk_bench_job *job)
{
  json_t *rows = json_array();
  for (int k = 0; k < HK_PAPER_ORDERS * 2 * HK_PAPER_WAYS; k++) {
    const int p = k / (2 * HK_PAPER_WAYS), w = k % HK_PAPER_WAYS;
    const hk_paper_gpu *gpu = &hk_paper_gpus[k / HK_PAPER_WAYS % 2];
    json_t *row = json_pack("{s:s, s:s, s:i, s:f, s:f}", "method",
                            hk_integral_way_name((hk_integral_way)(HK_INTEGRAL_REG_JAC + w)),
                            "device", gpu->name, "order", p + 2, "useful_gflop_per_s",
                            hk_paper_cpu_mflop[p] / gpu->kernel[w][p] * 1e3,
                            "performed_gflop_per_s", gpu->gflop_per_s[w][p]);
    double parts[HK_INTEGRAL_STAGES];
    find_parts(gpu, w, p, parts);
    for (int s = 0; s < HK_INTEGRAL_STAGES; s++) set_stage(row, s, parts[s]);
    json_array_append_new(rows, row);
  }
  return hk_bench_write(job, "paper.json", rows);
}

static void set_paper(const body *b, json_t *row, hk_integral_way way)
{
  const int p = b->order - 2, w = (int)way - HK_INTEGRAL_REG_JAC;
  if (p < 0) return;
  hk_bench_set(row, "xeon_us", hk_paper_cpu_time[p]);
  hk_bench_set(row, "xeon_mflop", hk_paper_cpu_mflop[p]);
  hk_bench_set(row, "xeon_gflop_per_s", hk_paper_cpu_gflop_per_s[p]);
  for (int g = 0; g < 2 && w < HK_PAPER_WAYS; g++) {
    const hk_paper_gpu *gpu = &hk_paper_gpus[g];
    double parts[HK_INTEGRAL_STAGES];
    find_parts(gpu, w, p, parts);
    const char *prefix = g ? "hd5870" : "gtx580";
    char key[48];
    for (int s = 0; s < HK_INTEGRAL_STAGES; s++) {
      snprintf(key, sizeof key, "%s_%s_us", prefix, stage_name[s]);
      hk_bench_set(row, key, parts[s]);
    }
    snprintf(key, sizeof key, "%s_mflop", prefix);
    hk_bench_set(row, key, gpu->mflop[w][p]);
    snprintf(key, sizeof key, "%s_gflop_per_s", prefix);
    hk_bench_set(row, key, gpu->gflop_per_s[w][p]);
  }
}

hk_status hk_integration_ignore(void *user, hk_count first, hk_count count, const void *matrix)
{
  (void)user, (void)first, (void)count, (void)matrix;
  return HK_OK;
}

/* Tables 5 to 7, figures 2 and 3: the best time of each stage. */
static hk_status measure_way(const body *b, hk_integral_way way)
{
  hk_status status = HK_OK;
  hk_integral *t = NULL;
  double best[HK_INTEGRAL_STAGES], useful, performed, spent = 0, total = 0;
  const bool emulated = hk_device_describe(b->device)->unoptimised;
  hk_bench_say(b->job, "order %d: %s, %s, %s", b->order, hk_integral_way_name(way),
               b->real ? "double" : "single", hk_device_describe(b->device)->backend);
  const hk_integral_desc desc = hk_integration_describe(b, way);
  HK_TRY(hk_integral_create(&desc, &t));
  for (int s = 0; s < HK_INTEGRAL_STAGES; s++) best[s] = HUGE_VAL;
  for (int n = 0; n < (emulated ? 1 : 3) || spent < b->job->seconds; n++) {
    const double start = hk_seconds();
    HK_TRY(hk_integral_run(t, true, hk_integration_ignore, NULL));
    for (int s = 0; s < HK_INTEGRAL_STAGES; s++)
      best[s] = fmin(best[s], hk_integral_seconds(t, (hk_integral_stage)s));
    spent += hk_seconds() - start;
  }
  json_t *row = hk_integration_row(b, b->scaled ? "scaling" : "5, 6, 7", hk_integral_way_name(way));
  hk_bench_set_integer(row, "elements", b->elements);
  set_plan(row, hk_integral_describe(t));
  for (int s = 0; s < HK_INTEGRAL_STAGES; s++) {
    set_stage(row, s, best[s] / (double)b->elements * 1e6);
    total += best[s];
  }
  const double kernel = best[HK_INTEGRAL_KERNEL] / (double)b->elements;
  hk_integral_operations(t, &useful, &performed);
  hk_bench_set(row, "seconds", total / (double)b->elements);
  hk_bench_set(row, "useful_mflop", useful * 1e-6);
  hk_bench_set(row, "performed_mflop", performed * 1e-6);
  hk_bench_set(row, "useful_gflop_per_s", useful / kernel * 1e-9);
  hk_bench_set(row, "performed_gflop_per_s", performed / kernel * 1e-9);
  set_paper(b, row, way);
  hk_bench_add(b->job, row);
cleanup:
  hk_integral_destroy(&t);
  return status;
}

static bool is_chosen(const wanted *w, int kind, int bit)
{
  return !w->chosen[kind] || (w->chosen[kind] & bit);
}

static bool is_wanted(const wanted *w, hk_integral_way way, bool real)
{
  const bool paper = way < HK_INTEGRAL_POINTS;
  return is_chosen(w, WAYS, paper ? OF_PAPER : OWN) &&
         is_chosen(w, PRECISIONS, real ? DOUBLE : SINGLE) &&
         (!paper || !real || w->chosen[PRECISIONS]);
}

/* Of `part` of the bytes that their matrices take else. */
static hk_status measure_ways(body *b, const wanted *w, double part)
{
  const hk_device_info *info = hk_device_describe(b->device);
  HK_PASS(hk_integration_make(b, part * (info->unoptimised ? EMULATED_BYTES
                                         : info->compiles  ? DEVICE_BYTES
                                                           : HOST_BYTES)));
  for (int real = 0; real < 2; real++)
    for (int k = info->compiles ? HK_INTEGRAL_REG_JAC : HK_INTEGRAL_POINTS; k < HK_INTEGRAL_WAYS;
         k++) {
      b->real = real;
      if (is_wanted(w, (hk_integral_way)k, b->real)) HK_PASS(measure_way(b, (hk_integral_way)k));
    }
  return HK_OK;
}

static void clear_elements(body *b)
{
  hk_free(&b->x);
  hk_free(&b->lame);
}

/* 5.4: times by number of elements. */
static hk_status measure_scaling(body *b, const wanted *w)
{
  enum { MOST_DIVISION = 64 };
  b->scaled = true;
  for (int division = MOST_DIVISION; division >= 1; division /= 4) {
    clear_elements(b);
    HK_PASS(measure_ways(b, w, 1.0 / division));
  }
  return HK_OK;
}

static hk_status measure_together(body *b, const wanted *w)
{
  hk_status status = HK_OK;
  hk_device *host = NULL, *beside = NULL;
  const bool emulated = hk_device_describe(b->device)->unoptimised;
  HK_TRY(hk_bench_open(b->job, "cpu", 0, 0, &host));
  const int threads = hk_device_describe(host)->threads;
  HK_TRY(hk_device_open("cpu", threads > 1 ? threads - 1 : 1, &beside));
  HK_TRY(hk_integration_make(b, emulated ? EMULATED_BYTES : TOGETHER_BYTES));
  for (int real = 0; real < 2; real++) {
    b->real = real;
    if (is_chosen(w, PRECISIONS, real ? DOUBLE : SINGLE))
      HK_TRY(hk_integration_together(b, host, beside));
  }
cleanup:
  hk_device_close(&beside);
  hk_device_close(&host);
  return status;
}

static hk_status measure_order(hk_bench_job *job, hk_device *device, const wanted *w, int order)
{
  hk_status status = HK_OK;
  body b = {.job = job, .device = device, .order = order};
  HK_TRY(hk_reference_prism(order, order, HK_WEDGE6, &b.reference));
  if (w->chosen[PARTS] == HK_INTEGRATION_TABLES) {
    add_sizes(&b);
    HK_TRY(add_parameters(&b));
  } else if (w->chosen[PARTS] == HK_INTEGRATION_TIMES)
    HK_TRY(measure_ways(&b, w, 1));
  else
    HK_TRY(w->chosen[PARTS] == HK_INTEGRATION_SCALING ? measure_scaling(&b, w)
                                                      : measure_together(&b, w));
cleanup:
  hk_reference_clear(&b.reference);
  clear_elements(&b);
  return status;
}

static hk_status measure(hk_bench_job *job, hk_device *device, int place, void *data)
{
  const wanted *w = data;
  (void)place;
  for (int order = 1; order <= HK_PRISM_ORDERS; order++)
    if (!w->order[0] || w->order[order]) HK_PASS(measure_order(job, device, w, order));
  return HK_OK;
}

static hk_status take_word(const char *word, wanted *w)
{
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (!strcmp(word, words[k].word)) {
      w->chosen[words[k].kind] |= words[k].bit;
      return HK_OK;
    }
  if (word[0] == 'p' && word[1] >= '1' && word[1] <= '0' + HK_PRISM_ORDERS && !word[2]) {
    w->order[word[1] - '0'] = w->order[0] = true;
    return HK_OK;
  }
  return hk_error_set(HK_USAGE,
                      "bench integration: unknown word %s: there are tables, times, together, "
                      "scaling, device, host, "
                      "single, double, paper, ours and p1 to p%d; it makes its own elements",
                      word, HK_PRISM_ORDERS);
}

static hk_status measure_part(hk_bench_job *job, int place, const wanted *w, int part)
{
  wanted only = *w;
  only.chosen[PARTS] = part;
  return hk_bench_on(job, place, measure, &only);
}

static hk_status measure_places(hk_bench_job *job, const wanted *w, int part)
{
  const bool beside = hk_bench_is_beside(job);
  if (!beside || is_chosen(w, PLACES, ON_DEVICE)) HK_PASS(measure_part(job, 0, w, part));
  if (beside && is_chosen(w, PLACES, ON_HOST)) HK_PASS(measure_part(job, 1, w, part));
  return HK_OK;
}

hk_status hk_bench_integration(hk_bench_job *job)
{
  const bool beside = hk_bench_is_beside(job);
  wanted w = {0};
  for (int i = 0; i < job->desc->model_count; i++) HK_PASS(take_word(job->desc->model[i], &w));
  if (is_chosen(&w, PARTS, HK_INTEGRATION_TABLES))
    HK_PASS(measure_part(job, 1, &w, HK_INTEGRATION_TABLES));
  if (beside && is_chosen(&w, PARTS, HK_INTEGRATION_TOGETHER))
    HK_PASS(measure_part(job, 0, &w, HK_INTEGRATION_TOGETHER));
  if (w.chosen[PARTS] & HK_INTEGRATION_SCALING)
    HK_PASS(measure_places(job, &w, HK_INTEGRATION_SCALING));
  if (!is_chosen(&w, PARTS, HK_INTEGRATION_TIMES)) return HK_OK;
  HK_PASS(measure_places(job, &w, HK_INTEGRATION_TIMES));
  return write_paper(job);
}
