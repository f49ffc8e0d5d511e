/* Figures 2 and 3 of Banas, Plaszewski and Maciol, one picture per order: the time of an element by
 * stages, and the rate of the kernel in useful operations (I.7), with a mark at the rate of all
 * operations performed. The paper's bars are faded, hooke's are below them. */
#include "element/prism.h"
#include "draw.h"
#include "integration/integration.h"
#include "integration/paper.h"
#include "operator/integration/integral.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 210, TOP = 64, ROOM = 110, PAPERS = 1 + 2 * HK_PAPER_WAYS };

static const char *const stage_name[HK_INTEGRAL_STAGES] = {"prepare", "memory", "send", "kernel",
                                                           "fetch"};
static const char *const useful_name[] = {"useful operations; the mark: all that are performed"};

static double number_of(const json_t *row, const char *key)
{
  return json_number_value(json_object_get(row, key));
}

static const char *text_of(const json_t *row, const char *key)
{
  const char *text = json_string_value(json_object_get(row, key));
  return text ? text : "";
}

static bool is_of(const json_t *row, int order)
{
  return !strcmp(text_of(row, "table"), "5, 6, 7") && (int)number_of(row, "order") == order;
}

/* Four digits, without powers of ten. */
static void put_words(hk_bench_bar *bar)
{
  const int digits = 3 - (int)floor(log10(bar->value));
  snprintf(bar->words, sizeof bar->words, "%.*f", digits > 0 ? digits : 0, bar->value);
}

static void put_time(hk_bench_bar *bar, const double stage[HK_INTEGRAL_STAGES])
{
  bar->value = 0;
  for (int s = 0; s < HK_INTEGRAL_STAGES; s++) bar->part[s] = stage[s], bar->value += stage[s];
  put_words(bar);
}

static void put_rate(hk_bench_bar *bar, double useful, double performed)
{
  bar->value = useful, bar->mark = performed, bar->part[0] = 1;
  put_words(bar);
}

/* The paper's: a processor, then each way on its two devices. */
static hk_bench_bar paper_bar(int order, int which, bool rate)
{
  const int p = order - 2, way = (which - 1) % HK_PAPER_WAYS;
  hk_bench_bar bar = {.faded = true};
  if (!which) {
    snprintf(bar.name, sizeof bar.name, "Xeon E5-2670, double");
    put_time(&bar, (const double[HK_INTEGRAL_STAGES]){[HK_INTEGRAL_KERNEL] = hk_paper_cpu_time[p]});
    if (rate) put_rate(&bar, hk_paper_cpu_gflop_per_s[p], 0);
    return bar;
  }
  const hk_paper_gpu *gpu = &hk_paper_gpus[(which - 1) / HK_PAPER_WAYS];
  const double kernel = gpu->kernel[way][p];
  snprintf(bar.name, sizeof bar.name, "%s, %s",
           hk_integral_way_name((hk_integral_way)(HK_INTEGRAL_REG_JAC + way)), gpu->name);
  if (rate)
    put_rate(&bar, hk_paper_cpu_mflop[p] / kernel * 1e3, gpu->gflop_per_s[way][p]);
  else
    put_time(&bar,
             (const double[HK_INTEGRAL_STAGES]){gpu->prepare[way % 2][p], gpu->memory_time[p],
                                                gpu->send[way % 2][p], kernel, gpu->fetch[p]});
  return bar;
}

static hk_bench_bar own_bar(const json_t *row, bool rate)
{
  hk_bench_bar bar = {0};
  double stage[HK_INTEGRAL_STAGES];
  snprintf(bar.name, sizeof bar.name, "%.16s, %.8s, %.16s", text_of(row, "method"),
           text_of(row, "device"), text_of(row, "precision"));
  for (int s = 0; s < HK_INTEGRAL_STAGES; s++) {
    char key[24];
    snprintf(key, sizeof key, "%s_us", stage_name[s]);
    stage[s] = number_of(row, key);
  }
  if (rate)
    put_rate(&bar, number_of(row, "useful_gflop_per_s"), number_of(row, "performed_gflop_per_s"));
  else
    put_time(&bar, stage);
  return bar;
}

static hk_status write_bars(const hk_bench_job *job, hk_bench_bars *bars, int order, bool rate)
{
  hk_status status = HK_OK;
  hk_canvas *c = NULL;
  char title[96], file[32];
  hk_bench_span_bars(bars);
  HK_TRY(hk_canvas_create(HK_BENCH_WIDTH, TOP + hk_bench_bars_height(bars), &c));
  snprintf(title, sizeof title, "prism, p = %d: %s%s", order,
           rate ? "GFLOP/s of the kernel" : "microseconds of an element, shared out by stages",
           order > 1 ? "; pale: the paper's" : "");
  hk_canvas_text(c, HK_BENCH_MARGIN, 26, 11, 0, false, title, hk_bench_ink);
  hk_bench_draw_legend(c, bars->parts, rate ? useful_name : stage_name, HK_BENCH_MARGIN, 36);
  hk_bench_draw_bars(c, bars, HK_BENCH_MARGIN, TOP, HK_BENCH_WIDTH - HK_BENCH_MARGIN - ROOM);
  snprintf(file, sizeof file, "%s_p%d.png", rate ? "rates" : "times", order);
  HK_TRY(hk_bench_write_canvas(job, c, file));
cleanup:
  hk_canvas_destroy(&c);
  return status;
}

static hk_status draw_order(const hk_bench_job *job, int order, bool rate)
{
  hk_status status = HK_OK;
  size_t i;
  const json_t *row;
  hk_bench_bars bars = {.parts = rate ? 1 : HK_INTEGRAL_STAGES, .names = NAMES};
  HK_TRY(hk_get(&bars.bar, (hk_count)json_array_size(job->rows) + PAPERS));
  for (int k = 0; k < PAPERS && order > 1; k++) bars.bar[bars.count++] = paper_bar(order, k, rate);
  const int papers = bars.count;
  json_array_foreach(job->rows, i, row)
  {
    if (is_of(row, order)) bars.bar[bars.count++] = own_bar(row, rate);
  }
  if (bars.count > papers) HK_TRY(write_bars(job, &bars, order, rate));
cleanup:
  hk_free(&bars.bar);
  return status;
}

hk_status hk_integration_draw(const hk_bench_job *job)
{
  hk_status status = HK_OK;
  for (int order = 1; order <= HK_PRISM_ORDERS; order++)
    for (int rate = 0; rate < 2; rate++) HK_TRY(draw_order(job, order, rate));
cleanup:
  return status;
}
