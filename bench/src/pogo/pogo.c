/* The tables of Huthwaite (2014): partitions into blocks, and the time of a step by form of K,
 * device and precision, beside the paper's (Tables 1, 2 and 4), with the bandwidth by Appendix A.
 * It also compares the traces of each form with those of the default form in double precision.
 * Models are given decks, or rectangles of the area and number of nodes of the paper's models. */
#include "papers/pogo/arrange.h"
#include "papers/pogo/partition.h"
#include "model.h"
#include "pogo/traces.h"
#include "run/explicit/stage.h"
#include "base/file.h"
#include "solver/explicit/explicit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tables 1, 2 and 4. Aligned, greedy; single, double. */
typedef struct paper_case {
  const char *name;
  double nodes;         /* half of the degrees of freedom */
  double width, height; /* of the generated rectangle: the paper's area */
  const char *words;    /* the rest of the case file of the generated model */
  double efficiency[2], block_seconds[2], stepping_seconds[2][2], gb_per_s[2];
} paper_case;

/* Rectangles of the models' area, with their sources, time and materials: what they lack (holes, crack, four rocks) is in the
 * examples' own scripts, whose decks can be given instead. */
static const paper_case papers[] = {
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

enum { PARTITIONERS = HK_PARTITION_BISECTION + 1 };

/* One model, with the block files made of it. */
typedef struct bench_case {
  hk_bench_job *job;
  const char *name;
  const paper_case *paper; /* NULL: none of the paper's */
  hk_model *model;
  char *blocks[PARTITIONERS]; /* block file by partitioner; NULL: not made */
  double efficiency[PARTITIONERS];
} bench_case;

/* The paper's column of a method: aligned or greedy; -1: it has none. */
static int paper_column(const bench_case *c, int which)
{
  if (!c->paper) return -1;
  if (which == HK_PARTITION_GREEDY) return 1;
  return which == HK_PARTITION_ALIGNED || which == HK_PARTITION_ALIGNED_PAPER ? 0 : -1;
}

static json_t *row_of(const bench_case *c, const char *table, const char *method,
                      const char *device, bool double_precision)
{
  const hk_mesh *mesh = c->model->mesh;
  return hk_bench_row(c->name, table, method, device, double_precision,
                      mesh->node_count * mesh->dim, mesh->element_count);
}

static hk_status partition(bench_case *c, const hk_adjacency *graph, int which)
{
  hk_status status = HK_OK;
  hk_blocks *blocks = NULL;
  hk_partition_desc desc = {0};
  char name[64];
  desc.method = (hk_partition_method)which;
  hk_bench_say(c->job, "%s: %s blocks", c->name, hk_partition_method_name(which));
  const double start = hk_seconds();
  status = hk_blocks_partition(c->model->mesh, graph, &desc, &blocks);
  if (status == HK_USAGE) return HK_OK; /* METIS is not installed */
  HK_TRY(status);
  const double middle = hk_seconds();
  HK_TRY(hk_blocks_arrange(graph, blocks));
  const double end = hk_seconds();
  snprintf(name, sizeof name, "%.40s-%s.blocks", c->name, hk_partition_method_name(which));
  c->blocks[which] = hk_bench_path(c->job, name);
  HK_CHECK(c->blocks[which], HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_blocks_write(c->blocks[which], c->model->mesh, blocks));
  c->efficiency[which] = hk_blocks_efficiency(blocks);
  json_t *row = row_of(c, "2", hk_partition_method_name(which), "cpu", true);
  json_object_del(row, "precision");
  hk_bench_set(row, "seconds", end - start);
  hk_bench_set(row, "partition_seconds", middle - start);
  hk_bench_set(row, "arrange_seconds", end - middle);
  hk_bench_set_integer(row, "blocks", blocks->blocks);
  hk_bench_set(row, "efficiency", c->efficiency[which]);
  const int column = paper_column(c, which);
  if (column >= 0) {
    hk_bench_set(row, "paper_seconds", c->paper->block_seconds[column]);
    hk_bench_set(row, "paper_efficiency", c->paper->efficiency[column] / 100);
  }
  hk_bench_add(c->job, row);
cleanup:
  hk_blocks_destroy(&blocks);
  return status;
}

static hk_status partition_all(bench_case *c)
{
  hk_status status = HK_OK;
  hk_adjacency *graph = NULL;
  HK_TRY(hk_adjacency_create(c->model->mesh, &graph));
  for (int k = 0; k < PARTITIONERS; k++) HK_TRY(partition(c, graph, k));
cleanup:
  hk_adjacency_destroy(&graph);
  return status;
}

/* What is stepped: the model on a device, in one form of K. */
typedef struct trial {
  hk_problem *problem;
  hk_stage stage;
  hk_explicit *solver;
  double seconds_before; /* all that precedes the first step, reading aside */
} trial;

static void clear_trial(trial *t)
{
  hk_explicit_destroy(&t->solver);
  hk_stage_clear(&t->stage);
  hk_problem_destroy(&t->problem);
}

static hk_status create_trial(const bench_case *c, const char *method, const char *blocks,
                              const char *device, bool double_precision, trial *t)
{
  const hk_bench_desc *d = c->job->desc;
  const hk_run_desc how = {.device = device,
                           .toolkit = d->toolkit,
                           .cache = d->cache,
                           .threads = d->threads,
                           .blocks = blocks,
                           .precision = double_precision ? HK_DOUBLE : HK_SINGLE};
  const double start = hk_seconds();
  snprintf(c->model->solve.method, sizeof c->model->solve.method, "%s", method);
  HK_PASS(hk_problem_create(c->model, &how, c->job->list, &t->problem));
  HK_PASS(hk_stage_create(t->problem, 0, 0, 0, &t->stage));
  HK_PASS(hk_explicit_create(&(hk_explicit_desc){.op = t->problem->on.op,
                                                 .dt = t->stage.dt,
                                                 .steps = t->stage.steps,
                                                 .mass = t->problem->mass,
                                                 .damping = t->problem->damping,
                                                 .excitation = &t->stage.excitation,
                                                 .receivers = &t->stage.receivers,
                                                 .receiver_group = t->stage.receiver_group,
                                                 .group_count = t->stage.group_count},
                             &t->solver));
  HK_PASS(hk_explicit_start(t->solver, NULL, NULL));
  t->seconds_before = hk_seconds() - start;
  return HK_OK;
}

/* Bytes of a step: as the paper counts them for its own form (Appendix A, with the links that there are); else the operator's
 * lists, and state, mass and damping once. */
static double step_bytes(const trial *t)
{
  const hk_problem *p = t->problem;
  const double real = p->on.double_precision ? 8 : 4, vectors = p->on.double_precision ? 3 : 4;
  const double per_node = vectors * p->on.space->components + 1 + (p->damping != NULL);
  if (p->on.op->counted) return (double)p->on.op->counted;
  return (double)p->on.op->bytes + real * per_node * p->on.space->nodes;
}

static hk_status measure_steps(bench_case *c, const char *method, int which, const char *device,
                               bool double_precision)
{
  hk_status status = HK_OK;
  trial t = {0};
  double seconds;
  char name[64];
  const char *blocks = which < 0 ? NULL : c->blocks[which];
  if (which >= 0 && !blocks) return HK_OK;
  HK_TRY(create_trial(c, method, blocks, device, double_precision, &t));
  if (which < 0)
    snprintf(name, sizeof name, "%s", t.problem->on.kind->name);
  else
    snprintf(name, sizeof name, "blocks, %s", hk_partition_method_name(which));
  hk_bench_say(c->job, "%s: steps, %s, %s, %s", c->name, name, device,
               double_precision ? "double" : "single");
  HK_TRY(hk_bench_time_steps(t.solver, t.problem->on.device, c->job->seconds, &seconds, NULL));
  const double dofs = (double)t.problem->on.space->nodes * t.problem->on.space->components;
  json_t *row = row_of(c, "2", name, device, double_precision);
  hk_bench_set(row, "seconds_per_step", seconds);
  hk_bench_set(row, "gdof_per_s", dofs / seconds * 1e-9);
  hk_bench_set_bytes(c->job, !strcmp(device, "cpu"), row, step_bytes(&t), seconds);
  hk_bench_set(row, "setup_seconds", t.seconds_before);
  hk_bench_set(row, "stepping_seconds", seconds * (double)t.stage.steps);
  hk_bench_set_integer(row, "steps", t.stage.steps);
  if (which >= 0) hk_bench_set(row, "efficiency", c->efficiency[which]);
  const int column = paper_column(c, which);
  if (column >= 0) {
    hk_bench_set(row, "paper_stepping_seconds",
                 c->paper->stepping_seconds[column][double_precision]);
    if (column == 0) hk_bench_set(row, "paper_gb_per_s", c->paper->gb_per_s[double_precision]);
  }
  hk_bench_add(c->job, row);
cleanup:
  clear_trial(&t);
  return status;
}

static hk_status measure_device(bench_case *c, const char *device)
{
  for (int d = 0; d < 2; d++) {
    HK_PASS(measure_steps(c, "auto", -1, device, d));
    HK_PASS(measure_steps(c, "stored", -1, device, d));
    for (int k = 0; k < PARTITIONERS; k++) HK_PASS(measure_steps(c, "blocks", k, device, d));
  }
  return HK_OK;
}

static hk_status record(const bench_case *c, const char *method, const char *blocks,
                        bool double_precision, hk_count *steps, hk_traces *out)
{
  hk_status status = HK_OK;
  trial t = {0};
  double seconds;
  HK_TRY(create_trial(c, method, blocks, c->job->device, double_precision, &t));
  if (!*steps) { /* the first: as many as the time allows */
    HK_TRY(hk_bench_time_steps(t.solver, t.problem->on.device, 0.01 * c->job->trace_seconds,
                               &seconds, NULL));
    const double most = c->job->trace_seconds / seconds;
    *steps = most < (double)t.stage.steps ? (hk_count)most + 1 : t.stage.steps;
    HK_TRY(hk_explicit_start(t.solver, NULL, NULL));
  }
  HK_TRY(hk_traces_record(t.solver, &t.stage, t.problem->on.space->components, *steps, out));
  snprintf(out->method, sizeof out->method, "%s", t.problem->on.kind->name);
cleanup:
  clear_trial(&t);
  return status;
}

static hk_status compare(const bench_case *c, const hk_traces *reference, const hk_traces *other,
                         bool double_precision)
{
  hk_status status = HK_OK;
  char name[96], title[160], *path = NULL;
  const double relative = hk_traces_discrepancy(reference, other);
  json_t *row = row_of(c, "discrepancy", other->method, c->job->device, double_precision);
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
static hk_status trace_discrepancies(bench_case *c)
{
  hk_status status = HK_OK;
  hk_traces reference = {0}, other = {0};
  hk_count steps = 0;
  hk_bench_say(c->job, "%s: traces", c->name);
  HK_TRY(record(c, "auto", NULL, true, &steps, &reference));
  if (!reference.groups) goto cleanup; /* nothing to compare */
  for (int k = 0; k < 3; k++) {
    const bool blocks = k < 2, double_precision = k == 0;
    HK_TRY(record(c, blocks ? "blocks" : "auto", blocks ? c->blocks[0] : NULL, double_precision,
                  &steps, &other));
    HK_TRY(compare(c, &reference, &other, double_precision));
    hk_traces_clear(&other);
  }
cleanup:
  hk_traces_clear(&reference);
  hk_traces_clear(&other);
  return status;
}

static hk_status bench_model(hk_bench_job *job, const char *name, const paper_case *paper,
                             const char *path)
{
  hk_status status = HK_OK;
  bench_case c = {.job = job, .name = name, .paper = paper};
  hk_bench_say(job, "%s: reading", name);
  const double start = hk_seconds();
  HK_TRY(hk_model_read(path, NULL, 0, job->list, &c.model));
  HK_CHECK(c.model->mesh->dim == 2, HK_BAD_INPUT, "%s: the paper's method is for plane models only",
           path);
  json_t *row = row_of(&c, "1", "read", "cpu", true);
  json_object_del(row, "precision");
  hk_bench_set(row, "seconds", hk_seconds() - start);
  if (paper) hk_bench_set(row, "paper_dofs", 2 * paper->nodes);
  hk_bench_add(job, row);
  HK_TRY(partition_all(&c));
  HK_TRY(measure_device(&c, job->device));
  if (hk_bench_is_beside(job)) HK_TRY(measure_device(&c, "cpu"));
  HK_TRY(trace_discrepancies(&c));
cleanup:
  for (int k = 0; k < PARTITIONERS; k++) hk_free(&c.blocks[k]);
  hk_model_destroy(&c.model);
  return status;
}

/* A rectangle of the paper's area with its number of nodes, jittered and renumbered at random, as a case file. */
static hk_status bench_generated(hk_bench_job *job, const paper_case *paper)
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

hk_status hk_bench_pogo(hk_bench_job *job)
{
  for (int i = 0; i < job->desc->model_count; i++) HK_PASS(bench_file(job, job->desc->model[i]));
  for (int i = 0; i < PAPERS && !job->desc->model_count; i++)
    HK_PASS(bench_generated(job, &papers[i]));
  return HK_OK;
}
