/* The tables of Huthwaite (2014): partitions into blocks, and the time of a step by form of K,
 * device and precision, beside the paper's (Tables 1, 2 and 4), with the bandwidth by Appendix A (steps.c).
 * It also compares the traces of each form with those of the default form in double precision.
 * Models are given decks, or rectangles of the area and number of nodes of the paper's models. */
#include "pogo/case.h"
#include "pogo/traces.h"
#include "model.h"
#include "base/file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rectangles of the models' area, with their sources, time and materials: what they lack (holes, crack, four rocks) is in the
 * examples' own scripts, whose decks can be given instead. */
static const hk_pogo_paper papers[] = {
    {.name = "weld",
     .nodes = 0.96e6,
     .width = 60,
     .height = 22,
     .words = "units: {length: mm, mass: kg, time: us}\n"
              "materials: {steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}\n"
              "regions: {all: steel}\n"
              "sources:\n"
              "  - {at: [15, 22], force: 1 N, direction: [1, -1], signal: {toneburst: {frequency: "
              "5 MHz, cycles: 5}}}\n"
              "outputs: {traces: [{name: rx, at: [[20, 22], [37, 22]]}]}\n"
              "solve: {explicit: {end: 40 us, dt: 1 ns}}\n",
     .efficiency = {95.0, 88.3},
     .block_seconds = {23.4, 1.9},
     .stepping_seconds = {{43.7, 75.3}, {43.1, 78.4}},
     .gb_per_s = {184, 197}},
    {.name = "gear",
     .nodes = 1.445e6,
     .width = 89.5,
     .height = 89.5,
     .words = "units: {length: mm, mass: kg, time: us}\n"
              "materials: {steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}\n"
              "regions: {all: steel}\n"
              "sources:\n"
              "  - {at: [89.5, 60], force: 1 N, direction: [-1, -0.8], signal: {toneburst: "
              "{frequency: 500 kHz, cycles: 2}}}\n"
              "outputs: {traces: [{name: rx, at: [[0, 30]]}]}\n"
              "solve: {explicit: {end: 1 ms, dt: 2 ns}}\n",
     .efficiency = {96.3, 81.7},
     .block_seconds = {50.0, 6.9},
     .stepping_seconds = {{822, 1476}, {925, 1588}},
     .gb_per_s = {184, 189}},
    {.name = "geophysics",
     .nodes = 1.01e6,
     .width = 6600,
     .height = 3300,
     .words = "materials: {rock: {density: 2600 kg/m^3, p_speed: 4000 m/s, s_speed: 2000 m/s}}\n"
              "regions: {all: rock}\n"
              "sources:\n"
              "  - {at: [2000, 3300], force: 1 MN, direction: [1, 4], signal: {gaussian: {a: 1000 "
              "1/s^2, t0: 0.25 s}}}\n"
              "absorb: {sets: [left, right, bottom], thickness: 700 m, d_max: 500 1/s}\n"
              "outputs: {traces: [{name: rx, at: [[3000, 3300]]}]}\n"
              "solve: {explicit: {end: 5 s, dt: 0.2 ms}}\n",
     .efficiency = {99.7, 84.4},
     .block_seconds = {16.7, 2.5},
     .stepping_seconds = {{27.3, 49.4}, {29.8, 54.6}},
     .gb_per_s = {191, 196}}};

enum { PAPERS = sizeof papers / sizeof *papers };

static const struct {
  const char *word;
  unsigned bit;
} words[] = {{"blocks", HK_POGO_BLOCKS}, {"steps", HK_POGO_STEPS},   {"sweep", HK_POGO_SWEEP},
             {"traces", HK_POGO_TRACES}, {"device", HK_POGO_DEVICE}, {"host", HK_POGO_HOST},
             {"solids", HK_POGO_SOLIDS}};

/* The bit of a word; 0: it is a model. */
static unsigned bit_of(const char *word)
{
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (!strcmp(word, words[k].word)) return words[k].bit;
  return 0;
}

static hk_status record(const hk_pogo_case *c, const char *method, const char *blocks,
                        bool double_precision, hk_count *steps, hk_traces *out)
{
  hk_status status = HK_OK;
  hk_pogo_trial t = {0};
  double seconds;
  HK_TRY(hk_pogo_trial_create(c, method, blocks, c->job->device, double_precision, &t));
  if (!*steps) { /* the first: as many as the time allows */
    HK_TRY(hk_bench_time_steps(t.solver, t.problem->on.device, 0.01 * c->job->trace_seconds,
                               &seconds, NULL));
    const double most = c->job->trace_seconds / seconds;
    *steps = most < (double)t.stage.steps ? (hk_count)most + 1 : t.stage.steps;
    HK_TRY(hk_explicit_start(t.solver, NULL, NULL));
  }
  HK_TRY(hk_traces_record(t.solver, &t.stage, t.problem->on.space, *steps, out));
  snprintf(out->method, sizeof out->method, "%s", t.problem->on.kind->name);
cleanup:
  hk_pogo_trial_clear(&t);
  return status;
}

static hk_status compare(const hk_pogo_case *c, const hk_traces *reference, const hk_traces *other,
                         bool double_precision)
{
  hk_status status = HK_OK;
  char name[96], title[160], *path = NULL;
  const double relative = hk_traces_discrepancy(reference, other);
  if (isnan(relative)) { /* nothing to compare */
    hk_bench_say(c->job, "%s: after %lld steps no receiver has a signal: no discrepancy", c->name,
                 (long long)reference->steps);
    return HK_OK;
  }
  json_t *row = hk_pogo_row(c, "discrepancy", other->method, c->job->device, double_precision);
  hk_bench_set_integer(row, "steps", reference->steps);
  hk_bench_set_text(row, "against", reference->method);
  hk_bench_set(row, "discrepancy", relative);
  hk_bench_add(c->job, row);
  snprintf(name, sizeof name, "%.40s-%.20s-%s.png", c->name, other->method,
           double_precision ? "double" : "single");
  snprintf(title, sizeof title, "%.40s: %.20s, %s, against %.20s, double", c->name, other->method,
           double_precision ? "double" : "single", reference->method);
  path = hk_bench_path(c->job, name);
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(
      hk_traces_plot(reference, other, title, c->model->units.time, c->model->units.length, path));
cleanup:
  hk_free(&path);
  return status;
}

/* The default form in double precision on the device is the reference. */
static hk_status trace_discrepancies(hk_pogo_case *c)
{
  hk_status status = HK_OK;
  hk_traces reference = {0}, other = {0};
  hk_count steps = 0;
  hk_bench_say(c->job, "%s: traces", c->name);
  HK_TRY(record(c, "auto", NULL, true, &steps, &reference));
  if (!reference.groups) goto cleanup; /* nothing to compare */
  for (int k = 0; k < 3; k++) {
    const bool blocks = k < 2, double_precision = k == 0;
    HK_TRY(record(c, blocks ? "blocks" : "auto",
                  blocks ? c->blocks[hk_partition_default(c->model->mesh->dim)].file : NULL,
                  double_precision, &steps, &other));
    HK_TRY(compare(c, &reference, &other, double_precision));
    hk_traces_clear(&other);
  }
cleanup:
  hk_traces_clear(&reference);
  hk_traces_clear(&other);
  return status;
}

static hk_status measure(hk_pogo_case *c)
{
  HK_PASS(hk_pogo_partition(c));
  if (c->wanted & HK_POGO_STEPS && c->wanted & HK_POGO_DEVICE)
    HK_PASS(hk_pogo_steps(c, c->job->device));
  if (c->wanted & HK_POGO_STEPS && c->wanted & HK_POGO_HOST) HK_PASS(hk_pogo_steps(c, "cpu"));
  if (c->wanted & HK_POGO_SWEEP) HK_PASS(hk_pogo_sweep(c));
  if (c->wanted & HK_POGO_TRACES) HK_PASS(trace_discrepancies(c));
  return HK_OK;
}

/* What the words want; without any, all. The processor is measured once where it is the device. */
static unsigned wanted_of(const hk_bench_job *job)
{
  const unsigned places = HK_POGO_DEVICE | HK_POGO_HOST,
                 parts = HK_POGO_BLOCKS | HK_POGO_STEPS | HK_POGO_SWEEP | HK_POGO_TRACES;
  unsigned wanted = 0;
  for (int i = 0; i < job->desc->model_count; i++) wanted |= bit_of(job->desc->model[i]);
  if (!(wanted & parts)) wanted |= parts;
  if (!(wanted & places)) wanted |= places;
  return hk_bench_is_beside(job) ? wanted : (wanted | HK_POGO_DEVICE) & ~(unsigned)HK_POGO_HOST;
}

static hk_status bench_model(hk_bench_job *job, const char *name, const hk_pogo_paper *paper,
                             const char *path)
{
  hk_status status = HK_OK;
  hk_pogo_case c = {.job = job, .name = name, .paper = paper, .wanted = wanted_of(job)};
  hk_bench_say(job, "%s: reading", name);
  const double start = hk_seconds();
  HK_TRY(hk_model_read(path, NULL, 0, job->list, &c.model));
  json_t *row = hk_pogo_row(&c, "1", "read", "cpu", true);
  json_object_del(row, "precision");
  hk_bench_set(row, "seconds", hk_seconds() - start);
  if (paper) hk_bench_set(row, "paper_dofs", 2 * paper->nodes);
  hk_bench_add(job, row);
  HK_TRY(measure(&c));
cleanup:
  for (int k = 0; k < HK_POGO_PARTITIONERS; k++) hk_free(&c.blocks[k].file);
  hk_model_destroy(&c.model);
  return status;
}

/* A rectangle of the paper's area with its number of nodes, jittered and renumbered at random, as a case file. */
static hk_status bench_generated(hk_bench_job *job, const hk_pogo_paper *paper)
{
  hk_status status = HK_OK;
  char name[64], *path = NULL, *text = NULL;
  const double element = sqrt(paper->width * paper->height / (paper->nodes * job->scale));
  HK_TRY(hk_format(
      &text,
      "title: a rectangle of the size of the %s of Huthwaite (2014)\n"
      "mesh: {rectangle: {size: [%g, %g], element: %.6g, shape: tri, jitter: 0.2, shuffle: 1}}\n"
      "plane: strain\n%s",
      paper->name, paper->width, paper->height, element, paper->words));
  snprintf(name, sizeof name, "%s.yaml", paper->name);
  path = hk_bench_path(job, name);
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_write_text_file(path, text));
  snprintf(name, sizeof name, "%s rectangle", paper->name);
  HK_TRY(bench_model(job, name, paper, path));
cleanup:
  hk_free(&path);
  hk_free(&text);
  return status;
}

/* "dir/weld_paper.inp" is the weld, any other file goes by its own name. */
static hk_status bench_file(hk_bench_job *job, const char *path)
{
  const char *base = hk_bench_base(path);
  char name[41];
  for (int i = 0; i < PAPERS; i++)
    if (!strncmp(base, papers[i].name, strlen(papers[i].name)))
      return bench_model(job, papers[i].name, &papers[i], path);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
  return bench_model(job, name, NULL, path);
}

/* A cube of steel, jittered and renumbered at random: a third of a million nodes, which the paper does not have. */
static hk_status bench_box(hk_bench_job *job, const char *shape)
{
  hk_status status = HK_OK;
  char name[64], *path = NULL, *text = NULL;
  const int cells = (int)fmax(4, lround(68 * cbrt(job->scale)));
  HK_TRY(hk_format(
      &text,
      "title: a cube of %s elements\n"
      "mesh: {box: {size: [1, 1, 1], cells: [%d, %d, %d], shape: %s, jitter: 0.2, shuffle: 1}}\n"
      "materials: {steel: {density: 7850 kg/m^3, young: 210 GPa, poisson: 0.3}}\n"
      "regions: {all: steel}\n"
      "sources:\n"
      "  - {at: [0.5, 0.5, 1], force: 1 N, direction: [1, 0, -1], signal: {toneburst: "
      "{frequency: 30 kHz, cycles: 3}}}\n"
      "outputs: {traces: [{name: rx, at: [[0.7, 0.6, 1]]}]}\n"
      "solve: {explicit: {end: 1 ms}}\n",
      shape, cells, cells, cells, shape));
  snprintf(name, sizeof name, "box_%s.yaml", shape);
  path = hk_bench_path(job, name);
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_write_text_file(path, text));
  snprintf(name, sizeof name, "box %s", shape);
  HK_TRY(bench_model(job, name, NULL, path));
cleanup:
  hk_free(&path);
  hk_free(&text);
  return status;
}

static hk_status bench_boxes(hk_bench_job *job)
{
  HK_PASS(bench_box(job, "tet"));
  return bench_box(job, "hex");
}

hk_status hk_bench_pogo(hk_bench_job *job)
{
  int models = 0;
  for (int i = 0; i < job->desc->model_count; i++) {
    if (bit_of(job->desc->model[i])) continue;
    HK_PASS(bench_file(job, job->desc->model[i]));
    models++;
  }
  if (!models && wanted_of(job) & HK_POGO_SOLIDS) return bench_boxes(job);
  for (int i = 0; i < PAPERS && !models; i++) HK_PASS(bench_generated(job, &papers[i]));
  return HK_OK;
}
