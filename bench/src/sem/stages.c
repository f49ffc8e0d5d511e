/* The product of Carrascal-Manzanares et al. (2017) as their section 3 changes it (papers/stages.k.h), on a square of cells: operations and
 * accesses (Table 1), elements and computed points (Table 2), cycles per point by order, lanes, threads and instruction set (Figures 3 to 8),
 * and on a GPU their method, an element per thread, colour by colour (Table 4), with our product beside it. The arrays of a number of lanes
 * serve all numbers of threads: what was first written by the threads of one device is read by those of another. */
#include "sem/sem.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { WAYS = 3, COLOURS = 4, BATCHES = 64, HOST_POINTS = 4000000, DEVICE_POINTS = 16000000 };
enum { EMULATED_POINTS = 2000, MOST_SIMD_ORDER = 5, ROUNDS = 3, MOST_TEAMS = 12 };

/* Instruction sets that hooke-bench may have kernels of; with threads: those of Figures 5, 7 and 8. */
static const struct {
  const char *name;
  int lanes;
  bool threads;
} sets[] = {{"x86_sse4_2", 1, true},   {"x86_sse4_2", 4, true},   {"x86_avx2", 8, false},
            {"x86_avx2_fma", 8, true}, {"x86_avx512", 16, false}, {"x86_avx512_fma", 16, true}};
enum { SETS = sizeof sets / sizeof *sets };

static const char *const way_name[WAYS] = {"as found", "memory layout", "loops"};

/* Table 1, order 2, of all stages. Table 4 by order 2 to 5: a GTX Titan, and a socket of a Haswell Xeon. */
static const double paper_operations[WAYS] = {432, 360, 369}, paper_accesses[WAYS] = {819, 540, 27};
static const struct {
  int registers, threads, warps;
  double gpu_seconds, cpu_seconds;
} paper_gpu[] = {{71, 32 * 28, 28, 1.57, 1.00},
                 {101, 32 * 16, 16, 1.82, 0.81},
                 {135, 32 * 12, 12, 2.20, 0.73},
                 {181, 32 * 8, 8, 2.98, 0.74}};

/* The processor with 1, 2, 4 ... threads up to its own number, which is the last; or that, or another device, alone. */
typedef struct teams {
  hk_device *device[MOST_TEAMS];
  int count;
} teams;

typedef struct square {
  hk_bench_job *job;
  hk_device *device; /* that holds the arrays */
  const char *isa;   /* NULL: the device's own */
  int order, lanes;
  bool silent; /* no rows */
  hk_count cells, points, elements;
  hk_index begin[COLOURS + 1]; /* batches */
  hk_buffer *u, *out, *node, *map, *column, *coefficient;
} square;

static double cycles_now(void)
{
#if defined(__x86_64__)
  return (double)__rdtsc();
#else
  return 0;
#endif
}

static void clear(square *s)
{
  hk_buffer *all[] = {s->u, s->out, s->node, s->map, s->column, s->coefficient};
  for (int k = 0; k < 6; k++) hk_buffer_destroy(&all[k]);
}

static int batches_of(const square *s, int colour)
{
  const hk_count across = (s->cells + 1 - colour % 2) / 2, up = (s->cells + 1 - colour / 2) / 2;
  return (int)((across * up + s->lanes - 1) / s->lanes);
}

/* node[batches][N^2][lanes] of all colours; the last node is the padding's. */
static void write_nodes(const square *s, hk_index *node)
{
  const int side = s->order + 1, all = side * side;
  for (int colour = 0; colour < COLOURS; colour++) {
    const hk_count begin = (hk_count)s->begin[colour] * s->lanes, x = colour % 2, y = colour / 2;
    const hk_count end = (hk_count)s->begin[colour + 1] * s->lanes;
    const hk_count across = (s->cells + 1 - x) / 2, count = across * ((s->cells + 1 - y) / 2);
#pragma omp parallel for
    for (hk_count e = 0; e < end - begin; e++) {
      const hk_count i = 2 * (e % across) + x, j = 2 * (e / across) + y, at = begin + e;
      for (int n = 0; n < all; n++)
        node[(at / s->lanes * all + n) * s->lanes + at % s->lanes] =
            (hk_index)(e < count ? (j * s->order + n / side) * (s->cells * s->order + 1) +
                                       i * s->order + n % side
                                 : s->points);
    }
  }
}

/* A of both directions: its columns and coefficients, row by row. */
static hk_status send_gradient(square *s)
{
  hk_status status = HK_OK;
  const hk_gll *g = hk_gll_of(s->order);
  const int side = s->order + 1, all = side * side, entries = 2 * all * side;
  hk_index *column = NULL;
  double *coefficient = NULL;
  HK_TRY(hk_get(&column, entries));
  HK_TRY(hk_get(&coefficient, entries));
  for (int k = 0; k < entries; k++) {
    const int m = k % side, n = k / side % all, i = n % side, j = n / side, last = k / side / all;
    column[k] = last ? m * side + i : j * side + m;
    coefficient[k] = g->d[(last ? j : i) * side + m];
  }
  HK_TRY(hk_buffer_create(s->device, entries * 4LL, &s->column));
  HK_TRY(hk_buffer_write(s->column, 0, entries * 4LL, column));
  HK_TRY(hk_buffer_create(s->device, entries * 4LL, &s->coefficient));
  HK_TRY(hk_buffer_write_reals(s->coefficient, false, 0, entries, coefficient));
cleanup:
  hk_free(&column);
  hk_free(&coefficient);
  return status;
}

static hk_status create(square *s, double points)
{
  hk_status status = HK_OK;
  const int all = (s->order + 1) * (s->order + 1);
  hk_index *node = NULL;
  double *value = NULL;
  s->cells = (hk_count)(sqrt(points) / s->order) + 1;
  s->elements = s->cells * s->cells;
  s->points = (s->cells * s->order + 1) * (s->cells * s->order + 1);
  for (int c = 0; c < COLOURS; c++) s->begin[c + 1] = s->begin[c] + batches_of(s, c);
  const hk_count lanes = (hk_count)s->begin[COLOURS] * s->lanes;
  HK_TRY(hk_get(&node, lanes * all));
  HK_TRY(hk_get(&value, s->points + 1 > lanes * 4 ? s->points + 1 : lanes * 4));
  write_nodes(s, node);
  HK_TRY(hk_buffer_create(s->device, lanes * all * 4, &s->node));
  HK_TRY(hk_buffer_write(s->node, 0, lanes * all * 4, node));
  HK_TRY(hk_buffer_create(s->device, lanes * 4 * 4, &s->map));
#pragma omp parallel for
  for (hk_count k = 0; k < lanes * 4; k++) { /* half a cell; not quite along the axes */
    const int m = (int)(k / s->lanes % 4);
    value[k] = m == 0 || m == 3 ? 0.5 / (double)s->cells : 0.05 / (double)s->cells;
  }
  HK_TRY(hk_buffer_write_reals(s->map, false, 0, lanes * 4, value));
#pragma omp parallel for
  for (hk_count k = 0; k <= s->points; k++) value[k] = sin(1e-3 * (double)k);
  HK_TRY(hk_buffer_create(s->device, (s->points + 1) * 4, &s->u));
  HK_TRY(hk_buffer_create(s->device, (s->points + 1) * 4, &s->out));
  HK_TRY(hk_buffer_write_reals(s->u, false, 0, s->points + 1, value));
  HK_TRY(send_gradient(s));
cleanup:
  hk_free(&node);
  hk_free(&value);
  return status;
}

/* Of one element as the text has them, and reads and writes of arrays; what is in scalars is not counted. */
static void count(int order, int way, double *operations, double *accesses)
{
  const double n = order + 1, points = n * n, products = 2 * points * n;
  if (way == 0) {
    *operations = 2 * 2 * products + 20 * points + points;
    *accesses = 2 * points + (4 * products + 2 * points) + 8 * points + (4 * products + points) +
                3 * points;
  } else if (way == 1) {
    *operations = 2 * 2 * products + 9 * points + 17 + 2 * points;
    *accesses = 3 * points + 2 * (4 * products + 2 * points) + 4 * points + 7 + 4 * points;
  } else {
    *operations = 2 * 2 * points * (2 * n - 1) + 9 * points + 17 + 2 * points;
    *accesses = points + 4 + 2 * points;
  }
}

static hk_status apply(const square *s, hk_device *device, hk_kernel *kernel, int batches)
{
  for (int c = 0; c < COLOURS; c++) {
    const int size = s->begin[c + 1] - s->begin[c];
    const hk_argument argument[] = {
        hk_arg_buffer(s->u),   hk_arg_buffer(s->out),    hk_arg_buffer(s->node),
        hk_arg_buffer(s->map), hk_arg_buffer(s->column), hk_arg_buffer(s->coefficient),
        hk_arg_real(1),        hk_arg_int(s->begin[c]),  hk_arg_int(s->begin[c + 1])};
    HK_PASS(hk_kernel_launch(kernel, 0, (size + batches - 1) / batches, argument, 9));
  }
  return hk_device_finish(device);
}

static void add_paper(const square *s, int way, json_t *row)
{
  const int k = s->order - 2;
  if (s->order == 2) {
    hk_bench_set(row, "paper_operations", paper_operations[way]);
    hk_bench_set(row, "paper_accesses", paper_accesses[way]);
  }
  if (!hk_device_describe(s->device)->compiles || k < 0 || k >= 4) return;
  hk_bench_set_integer(row, "paper_registers", paper_gpu[k].registers);
  hk_bench_set_integer(row, "paper_threads", paper_gpu[k].threads);
  hk_bench_set_integer(row, "paper_warps", paper_gpu[k].warps);
  hk_bench_set(row, "paper_seconds", paper_gpu[k].gpu_seconds);
  hk_bench_set(row, "paper_cpu_seconds", paper_gpu[k].cpu_seconds);
}

static void add_row(const square *s, const hk_device_info *info, int way, int threads,
                    const hk_kernel_cost *cost, double seconds, double cycles)
{
  const double computed = (double)s->elements * (s->order + 1) * (s->order + 1);
  double operations, accesses;
  char name[32];
  count(s->order, way, &operations, &accesses);
  snprintf(name, sizeof name, "2D acoustic, p = %d", s->order);
  json_t *row = hk_bench_row(name, s->isa ? "sets" : "stages", way_name[way], info->backend, false,
                             s->points, s->elements);
  hk_bench_set_integer(row, "order", s->order);
  hk_bench_set_integer(row, "lanes", s->lanes);
  if (s->isa) hk_bench_set_text(row, "instruction_set", s->isa);
  hk_bench_set_integer(row, "host_threads", info->compiles ? 0 : info->threads);
  hk_bench_set_integer(row, "computed", (hk_count)computed);
  hk_bench_set(row, "seconds", seconds);
  hk_bench_set(row, "gdof_per_s", (double)s->points / seconds * 1e-9);
  hk_bench_set(row, "gflop_per_s", operations * (double)s->elements / seconds * 1e-9);
  if (cycles > 0 && !info->compiles) {
    hk_bench_set(row, "cycles_per_point", cycles / computed);
    hk_bench_set(row, "cycles_per_dof", cycles / (double)s->points);
  }
  hk_bench_set(row, "operations", operations);
  hk_bench_set(row, "accesses", accesses);
  hk_bench_set(row, "intensity", operations / accesses);
  hk_bench_set_integer(row, "threads", threads);
  if (cost->registers) {
    hk_bench_set_integer(row, "registers", cost->registers);
    hk_bench_set_integer(row, "groups", cost->groups);
    hk_bench_set_integer(row, "warps", cost->groups * threads / 32);
  }
  add_paper(s, way, row);
  hk_bench_add(s->job, row);
}

static void describe(const square *s, int way, hk_kernel_desc *desc)
{
  *desc = (hk_kernel_desc){.text = "stages", .function = "stages_product", .isa = s->isa};
  const bool compiles = hk_device_describe(s->device)->compiles;
  desc->threads = compiles ? BATCHES : 1;
  hk_kernel_define(desc, "BATCHES", BATCHES);
  hk_kernel_define(desc, "ORDER", s->order);
  if (!compiles) hk_kernel_define(desc, "SIMD", s->lanes);
  hk_kernel_define(desc, "WAY", way);
}

/* *rate: GDOF/s */
static hk_status measure(const square *s, hk_device *device, int way, double *rate)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(device);
  hk_kernel *kernel = NULL;
  hk_kernel_desc desc;
  double seconds = HUGE_VAL, cycles = HUGE_VAL, spent = 0;
  describe(s, way, &desc);
  hk_bench_say(s->job, "order %d: %s, %d lanes, %s, %d threads", s->order, way_name[way], s->lanes,
               s->isa ? s->isa : info->backend, info->threads);
  HK_TRY(hk_kernel_create(device, &desc, &kernel));
  for (int k = 0; k <= ROUNDS || spent < s->job->seconds; k++) { /* the first warms */
    const double start = hk_seconds(), cycle = cycles_now();
    HK_TRY(apply(s, device, kernel, BATCHES));
    const double took = hk_seconds() - start;
    if (k) seconds = fmin(seconds, took), cycles = fmin(cycles, cycles_now() - cycle);
    spent += took;
  }
  const hk_kernel_cost cost = hk_kernel_measure(kernel);
  if (!s->silent) add_row(s, info, way, desc.threads, &cost, seconds, cycles);
  *rate = (double)s->points / seconds * 1e-9;
cleanup:
  hk_kernel_destroy(&kernel);
  return status;
}

static double points_of(const hk_device_info *info)
{
  return info->unoptimised ? EMULATED_POINTS : info->compiles ? DEVICE_POINTS : HOST_POINTS;
}

/* The ways from first_way on with the first team, the loops with the others up to `most`. */
static hk_status measure_teams(square *s, const teams *t, int most, int first_way)
{
  hk_status status = HK_OK;
  double rate = 0;
  HK_TRY(create(s, s->job->scale * points_of(hk_device_describe(s->device))));
  for (int k = 0; k < most; k++)
    for (int way = k ? WAYS - 1 : first_way; way < WAYS; way++)
      HK_TRY(measure(s, t->device[k], way, &rate));
cleanup:
  clear(s);
  return status;
}

static hk_status measure_stages(hk_bench_job *job, const teams *t, int order)
{
  const bool compiles = hk_device_describe(t->device[0])->compiles;
  for (int lanes = 1; lanes <= (compiles ? 1 : 8); lanes *= 2) {
    const bool all = lanes == 1 || lanes == 8;
    square s = {.job = job, .device = t->device[t->count - 1], .order = order, .lanes = lanes};
    if (!all && order > MOST_SIMD_ORDER) continue;
    HK_PASS(measure_teams(&s, t, all ? t->count : 1, all && !compiles ? 0 : WAYS - 1));
  }
  return HK_OK;
}

/* Ours beside their loops, with the least and the most threads. */
static hk_status measure_products(hk_bench_job *job, const teams *t, int order)
{
  hk_status status = HK_OK;
  const int last = t->count - 1;
  const hk_device_info *info = hk_device_describe(t->device[last]);
  square s = {
      .job = job, .device = t->device[last], .order = order, .lanes = info->lanes, .silent = true};
  double rate = 0;
  HK_TRY(create(&s, job->scale * points_of(info)));
  for (int k = 0; k < t->count; k += last ? last : 1) {
    HK_TRY(measure(&s, t->device[k], WAYS - 1, &rate));
    HK_TRY(hk_sem_products(job, t->device[k], order, (double)s.points, rate));
  }
cleanup:
  clear(&s);
  return status;
}

static bool has_set(const square *s)
{
  hk_kernel *kernel = NULL;
  hk_kernel_desc desc;
  describe(s, WAYS - 1, &desc);
  const bool has = hk_kernel_create(s->device, &desc, &kernel) == HK_OK;
  hk_kernel_destroy(&kernel);
  return has;
}

/* Sets of as many lanes share the arrays. */
static hk_status measure_sets_of(square *s, const teams *t, int *found)
{
  hk_status status = HK_OK;
  double rate;
  for (int k = 0; k < SETS; k++) {
    s->isa = sets[k].name;
    if (sets[k].lanes != s->lanes || !has_set(s)) continue;
    if (!s->u) HK_TRY(create(s, s->job->scale * points_of(hk_device_describe(s->device))));
    for (int n = 0; n < (sets[k].threads ? t->count : 1); n++)
      HK_TRY(measure(s, t->device[n], WAYS - 1, &rate));
    ++*found;
  }
cleanup:
  clear(s);
  return status;
}

static hk_status measure_sets(hk_bench_job *job, const teams *t, int order)
{
  int found = 0;
  for (int lanes = 1; lanes <= 16 && order > 1; lanes *= 2) {
    square s = {.job = job, .device = t->device[t->count - 1], .order = order, .lanes = lanes};
    HK_PASS(measure_sets_of(&s, t, &found));
  }
  if (!found && order > 1)
    hk_bench_say(job, "sets: left out, hooke was built without -DHOOKE_BENCH_SETS=ON");
  return HK_OK;
}

static hk_status open_teams(hk_device *device, bool whole, teams *t)
{
  const hk_device_info *info = hk_device_describe(device);
  for (int threads = 1;
       !info->compiles && !whole && threads < info->threads && t->count < MOST_TEAMS - 1;
       threads *= 2)
    HK_PASS(hk_device_open("cpu", threads, &t->device[t->count++]));
  t->device[t->count++] = device;
  return HK_OK;
}

hk_status hk_sem_stages(hk_bench_job *job, hk_device *device, const hk_sem_wanted *wanted)
{
  hk_status status = HK_OK;
  teams t = {0};
  const hk_device_info *info = hk_device_describe(device);
  int parts = wanted->dim[2] ? wanted->parts : 0;
  if (info->compiles) parts &= ~HK_SEM_SETS;
  if (!strcmp(info->isa, "x86-64-v2")) {
    hk_bench_say(job, "stages, products: left out, their kernels need AVX2");
    parts &= HK_SEM_SETS;
  }
  HK_TRY(open_teams(device, wanted->whole, &t));
  for (int order = 1; order <= HK_MOST_ORDER; order++) {
    if (!wanted->order[order]) continue;
    if (parts & HK_SEM_STAGES) HK_TRY(measure_stages(job, &t, order));
    if (parts & HK_SEM_PRODUCTS) HK_TRY(measure_products(job, &t, order));
    if (parts & HK_SEM_SETS) HK_TRY(measure_sets(job, &t, order));
  }
cleanup:
  for (int k = 0; k + 1 < t.count; k++) hk_device_close(&t.device[k]);
  return status;
}
