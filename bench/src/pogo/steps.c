/* Blocks of a model by every partitioner and of several sizes, and the time of a step in each of them and in other forms of K
 * (Huthwaite 2014, Tables 2, 4 and A.5; section 2.3 for other sizes). Bytes of the form `blocks` are those that
 * Appendix A counts, line by line, from the partition and the links of the mesh. */
#include "pogo/case.h"
#include <stdio.h>
#include <string.h>

/* The paper's column of a method: aligned or greedy; -1: it has none. */
static int paper_column(const hk_pogo_case *c, int which)
{
  if (!c->paper) return -1;
  if (which == HK_PARTITION_GREEDY) return 1;
  return which == HK_PARTITION_ALIGNED || which == HK_PARTITION_ALIGNED_PAPER ? 0 : -1;
}

json_t *hk_pogo_row(const hk_pogo_case *c, const char *table, const char *method,
                    const char *device, bool double_precision)
{
  const hk_mesh *mesh = c->model->mesh;
  return hk_bench_row(c->name, table, method, device, double_precision,
                      mesh->node_count * mesh->dim, mesh->element_count);
}

/* Partitions, arranges, counts and writes a file. out->file stays NULL without METIS. */
static hk_status make_blocks(const hk_pogo_case *c, const hk_adjacency *graph,
                             const hk_partition_desc *desc, hk_pogo_blocks *out)
{
  hk_status status = HK_OK;
  hk_blocks *blocks = NULL;
  char name[128];
  const double start = hk_seconds();
  status = hk_blocks_partition(c->model->mesh, graph, desc, &blocks);
  if (status == HK_USAGE) return HK_OK;
  HK_TRY(status);
  const double middle = hk_seconds();
  HK_TRY(hk_blocks_arrange(graph, blocks));
  out->arrange_seconds = hk_seconds() - middle, out->partition_seconds = middle - start;
  out->efficiency = hk_blocks_efficiency(blocks);
  HK_TRY(hk_blocks_count_links(graph, blocks, &out->count));
  out->count.components = c->model->mesh->dim;
  snprintf(name, sizeof name, "%.40s-%s-%d.blocks", c->name, hk_partition_method_name(desc->method),
           blocks->size);
  out->file = hk_bench_path(c->job, name);
  HK_CHECK(out->file, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_blocks_write(out->file, c->model->mesh, blocks));
cleanup:
  hk_blocks_destroy(&blocks);
  return status;
}

static hk_status partition(hk_pogo_case *c, const hk_adjacency *graph, int which)
{
  hk_pogo_blocks *b = &c->blocks[which];
  const hk_partition_desc desc = {.method = (hk_partition_method)which};
  const char *method = hk_partition_method_name(which);
  hk_bench_say(c->job, "%s: %s blocks", c->name, method);
  HK_PASS(make_blocks(c, graph, &desc, b));
  if (!b->file) return HK_OK;
  snprintf(b->name, sizeof b->name, "blocks, %s", method);
  json_t *row = hk_pogo_row(c, "2", method, "cpu", true);
  json_object_del(row, "precision");
  hk_bench_set(row, "seconds", b->partition_seconds + b->arrange_seconds);
  hk_bench_set(row, "partition_seconds", b->partition_seconds);
  hk_bench_set(row, "arrange_seconds", b->arrange_seconds);
  hk_bench_set_integer(row, "blocks", b->count.blocks);
  hk_bench_set(row, "efficiency", b->efficiency);
  const int column = paper_column(c, which);
  if (column >= 0) {
    hk_bench_set(row, "paper_seconds", c->paper->block_seconds[column]);
    hk_bench_set(row, "paper_efficiency", c->paper->efficiency[column] / 100);
  }
  hk_bench_add(c->job, row);
  return HK_OK;
}

/* Fronts of solids take as long as all else. */
static bool takes_part(const hk_pogo_case *c, int which)
{
  return c->model->mesh->dim == 2 || which == HK_PARTITION_GREEDY ||
         which == HK_PARTITION_BISECTION;
}

hk_status hk_pogo_partition(hk_pogo_case *c)
{
  hk_status status = HK_OK;
  hk_adjacency *graph = NULL;
  HK_TRY(hk_adjacency_create(c->model->mesh, &graph));
  for (int k = 0; k < HK_POGO_PARTITIONERS; k++)
    if (takes_part(c, k)) HK_TRY(partition(c, graph, k));
cleanup:
  hk_adjacency_destroy(&graph);
  return status;
}

void hk_pogo_trial_clear(hk_pogo_trial *t)
{
  hk_explicit_destroy(&t->solver);
  hk_stage_clear(&t->stage);
  hk_problem_destroy(&t->problem);
}

hk_status hk_pogo_trial_create(const hk_pogo_case *c, const char *method, const char *blocks,
                               const char *device, bool double_precision, hk_pogo_trial *t)
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
static double step_bytes(const hk_pogo_trial *t)
{
  const hk_problem *p = t->problem;
  const double real = p->on.double_precision ? 8 : 4, vectors = p->on.double_precision ? 3 : 4;
  const double per_node = vectors * p->on.space->components + 1 + (p->damping != NULL);
  if (p->on.op->counted) return (double)p->on.op->counted;
  return (double)p->on.op->bytes + real * per_node * p->on.space->nodes;
}

/* bytes_u_previous, ..., bytes_u_next: the lines of Table A.5, which add up to `bytes`. */
static void set_parts(json_t *row, const hk_pogo_blocks *b, bool double_precision)
{
  hk_count part[HK_BLOCK_PARTS];
  hk_block_count of = b->count;
  char key[64];
  of.double_precision = double_precision;
  hk_blocks_count_bytes(&of, part);
  for (int k = 0; k < HK_BLOCK_PARTS; k++) {
    snprintf(key, sizeof key, "bytes_%s", hk_block_part_name(k));
    hk_bench_set_integer(row, key, part[k]);
  }
  hk_bench_set_integer(row, "block_size", of.layout.size);
  hk_bench_set_integer(row, "blocks", of.blocks);
  hk_bench_set(row, "links", (double)of.warp_links / (double)(of.blocks * of.layout.rows));
  hk_bench_set(row, "efficiency", b->efficiency);
}

/* Steps in one form of K and precision on one device: *out is a row. */
static hk_status measure_steps(const hk_pogo_case *c, const char *table, const char *method,
                               const hk_pogo_blocks *blocks, const char *device,
                               bool double_precision, json_t **out)
{
  hk_status status = HK_OK;
  hk_pogo_trial t = {0};
  double seconds;
  HK_TRY(
      hk_pogo_trial_create(c, method, blocks ? blocks->file : NULL, device, double_precision, &t));
  const char *name = blocks ? blocks->name : t.problem->on.kind->name;
  hk_bench_say(c->job, "%s: steps, %s, %s, %s", c->name, name, device,
               double_precision ? "double" : "single");
  HK_TRY(hk_bench_time_steps(t.solver, t.problem->on.device, c->job->seconds, &seconds, NULL));
  const double dofs = (double)t.problem->on.space->nodes * t.problem->on.space->components;
  json_t *row = hk_pogo_row(c, table, name, device, double_precision);
  hk_bench_set(row, "seconds_per_step", seconds);
  hk_bench_set(row, "gdof_per_s", dofs / seconds * 1e-9);
  hk_bench_set_bytes(c->job, !strcmp(device, "cpu"), row, step_bytes(&t), seconds);
  hk_bench_set(row, "setup_seconds", t.seconds_before);
  hk_bench_set(row, "stepping_seconds", seconds * (double)t.stage.steps);
  hk_bench_set_integer(row, "steps", t.stage.steps);
  if (blocks) set_parts(row, blocks, double_precision);
  *out = row;
cleanup:
  hk_pogo_trial_clear(&t);
  return status;
}

/* which: a partitioner; -1: the form `method` without a file. */
static hk_status measure_form(const hk_pogo_case *c, const char *method, int which,
                              const char *device, bool double_precision)
{
  json_t *row = NULL;
  const hk_pogo_blocks *blocks = which < 0 ? NULL : &c->blocks[which];
  const int column = which < 0 ? -1 : paper_column(c, which);
  if (blocks && !blocks->file) return HK_OK;
  HK_PASS(measure_steps(c, "2", method, blocks, device, double_precision, &row));
  if (column >= 0)
    hk_bench_set(row, "paper_stepping_seconds",
                 c->paper->stepping_seconds[column][double_precision]);
  if (column == 0) hk_bench_set(row, "paper_gb_per_s", c->paper->gb_per_s[double_precision]);
  hk_bench_add(c->job, row);
  return HK_OK;
}

hk_status hk_pogo_steps(const hk_pogo_case *c, const char *device)
{
  for (int d = 0; d < 2; d++) {
    HK_PASS(measure_form(c, c->model->mesh->dim == 2 ? "auto" : "matrix-free", -1, device, d));
    HK_PASS(measure_form(c, "stored", -1, device, d));
    for (int k = 0; k < HK_POGO_PARTITIONERS; k++) HK_PASS(measure_form(c, "blocks", k, device, d));
  }
  return HK_OK;
}

/* One size, on the devices that are wanted, in both precisions. A device that cannot hold the tile has no row. */
static hk_status sweep_size(const hk_pogo_case *c, const hk_adjacency *graph, int size)
{
  hk_status status = HK_OK;
  hk_pogo_blocks blocks = {0};
  const hk_partition_desc desc = {.method = hk_partition_default(c->model->mesh->dim),
                                  .size = size};
  HK_TRY(make_blocks(c, graph, &desc, &blocks));
  snprintf(blocks.name, sizeof blocks.name, "blocks of %d", size);
  for (int k = 0; k < 4; k++) {
    json_t *row = NULL;
    const bool host = k & 2;
    if (!(c->wanted & (host ? HK_POGO_HOST : HK_POGO_DEVICE))) continue;
    status =
        measure_steps(c, "sweep", "blocks", &blocks, host ? "cpu" : c->job->device, k & 1, &row);
    if (status == HK_NO_RESOURCES) continue;
    HK_TRY(status);
    hk_bench_add(c->job, row);
  }
  status = HK_OK;
cleanup:
  hk_free(&blocks.file);
  return status;
}

hk_status hk_pogo_sweep(const hk_pogo_case *c)
{
  hk_status status = HK_OK;
  hk_adjacency *graph = NULL;
  HK_TRY(hk_adjacency_create(c->model->mesh, &graph));
  for (int k = 0; hk_block_sweep_size(k); k++) HK_TRY(sweep_size(c, graph, hk_block_sweep_size(k)));
cleanup:
  hk_adjacency_destroy(&graph);
  return status;
}
