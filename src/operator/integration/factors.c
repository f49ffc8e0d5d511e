/* Element matrices of prisms by sum factorisation (I.8) to (I.10): the plans, tables, kernel and launches of factorised.k.h. A plan says how many
 * functions of the triangle are a tile, how many rows and points are treated at once, and how many elements a group has. Plans that local memory
 * and registers allow are sorted by an estimate of their operations, idle threads included; the fastest is then found by timing (tune.c). On the
 * host the plan is that of the compiled variants. */
#include "operator/integration/parts.h"
#include <math.h>
#include <string.h>

enum {
  REGISTERS = 85,  /* of an item's thread */
  MOST_SUMS = 56,  /* of them */
  MOST_BLOCK = 40, /* entries of a block in registers */
  MOST_TILE = 12,
  MOST_CHUNK = 8,
  /* as the host's variants are built: device/variants.txt */
  HOST_CHUNK = 8,
  HOST_DEPTH = 10,
  HOST_ROWS = 2,
  HOST_LAYERS = 8
};

static const hk_device_info *info_of(const hk_integral *t)
{
  return hk_device_describe(t->desc.device);
}

bool hk_integral_factors(const hk_integral *t)
{
  const hk_factors *f = &t->desc.reference->factors;
  return f->nodes > 0 && t->desc.coefficients.spread != HK_SPREAD_POINT &&
         hk_kernel_fits(info_of(t), f->planes, HOST_DEPTH) &&
         hk_kernel_fits(info_of(t), f->layers, HOST_LAYERS);
}

static int host_tile(const hk_integral *t)
{
  return t->desc.coefficients.equations > 3 ? 2 : 4;
}

static int square_of(const hk_integral *t)
{
  return t->desc.coefficients.equations * t->desc.coefficients.equations;
}

static hk_count local_of(const hk_integral *t, const hk_integral_plan *plan)
{
  const hk_factors *f = &t->desc.reference->factors;
  const hk_count square = square_of(t), lanes = hk_integral_lanes(t), e = plan->most_elements;
  const hk_count across = (hk_count)plan->tile * t->desc.coefficients.equations;
  const hk_count gradients = e * plan->chunk * plan->planes * 2 * plan->tile * (t->directions + 3);
  const hk_count staged = e * plan->rows * across * (f->layers * across + 1);
  return hk_local_bytes(e * t->constants * lanes, t->real) +
         hk_local_bytes((hk_count)f->planes * 2 * (f->layers + plan->rows), t->real) +
         hk_local_bytes(e * f->planes * 4 * square * (plan->pairs | 1) * lanes, t->real) +
         hk_local_bytes((gradients > staged ? gradients : staged) * lanes, t->real);
}

/* Points at once, as many as local memory allows; false: none. */
static bool fit(const hk_integral *t, hk_integral_plan *plan)
{
  const hk_count limit = hk_integral_local_limit(t), share = hk_integral_local_share(t),
                 most = limit < share ? limit : share;
  const int points = t->desc.reference->factors.points;
  for (int chunk = MOST_CHUNK; chunk >= 1; chunk /= 2) {
    const int turns = (points + chunk - 1) / chunk;
    plan->chunk = (points + turns - 1) / turns;
    plan->local = local_of(t, plan);
    if (plan->local <= (chunk > 1 ? most : limit)) return true;
  }
  return false;
}

static void count_tiles(const hk_integral *t, hk_integral_plan *plan)
{
  const int nodes = t->desc.reference->factors.nodes;
  const int tiles = (nodes + plan->tile - 1) / plan->tile;
  plan->parts = t->symmetric ? tiles * (tiles + 1) / 2 : tiles * tiles;
  plan->pairs =
      tiles == 1 && t->symmetric ? plan->tile * (plan->tile + 1) / 2 : plan->tile * plan->tile;
  plan->per_group = (hk_count)plan->most_elements * hk_integral_lanes(t);
}

static int turns(int items, int threads)
{
  return (items + threads - 1) / threads;
}

/* Operations of a thread times threads for an element's matrix, phase by phase, where threads idle too; less latency is hidden where a
 * multiprocessor has few. */
static double cost_of(const hk_integral *t, const hk_integral_plan *plan)
{
  const hk_factors *f = &t->desc.reference->factors;
  const int square = square_of(t), e = plan->most_elements, half = t->directions + 3;
  const int block = plan->rows * f->layers, rounds = turns(f->layers, plan->rows);
  const int written = plan->tile * t->desc.coefficients.equations;
  const int sum = turns(e * plan->planes * 2 * plan->pairs, plan->threads);
  const int find = turns(e * plan->chunk * plan->planes * 2, plan->threads);
  const int line = turns(e * square * plan->pairs, plan->threads);
  const int put = turns(e * plan->rows * written * f->layers * written, plan->threads);
  const double operations =
      sum * (f->points * (half * t->directions + 0.6 * (half + t->directions)) +
             (t->desc.coefficients.elastic ? 40 : 2 * half * half * square)) +
      find * turns(f->points, plan->chunk) * plan->tile * 25.0 +
      rounds * (line * f->planes * (8 + 4 * plan->rows + 2 * block) + put * 16.0);
  const double by_local =
      2.0 * (double)hk_integral_local_share(t) / (double)plan->local * plan->threads;
  const double together = fmin(by_local, hk_integral_resident(t, REGISTERS));
  return operations * plan->threads * plan->parts / e * (1 + 128 / together);
}

static void try_threads(const hk_integral *t, hk_integral_plan *plan, hk_integral_plan *list,
                        double *costs, int *count)
{
  const int most = hk_integral_threads(t, HK_INTEGRAL_THREADS),
            cross = t->directions * (t->directions + 3), lockstep = info_of(t)->lockstep;
  const int sums = plan->most_elements * plan->planes * 2 * plan->pairs;
  const int lines = plan->most_elements * square_of(t) * plan->pairs;
  int before = 0;
  for (int k = 0; k < 4; k++) {
    int threads = turns(turns(k < 2 ? sums : lines, k % 2 + 1), lockstep) * lockstep;
    if (threads > most) threads = most / lockstep * lockstep;
    if (threads < 1) threads = most;
    if (threads == before || (turns(sums, threads) > 1 && turns(sums, threads) * cross > MOST_SUMS))
      continue;
    plan->threads = before = threads;
    hk_integral_insert(plan, cost_of(t, plan), list, costs, count);
  }
}

int hk_integral_factors_candidates(const hk_integral *t,
                                   hk_integral_plan list[HK_INTEGRAL_CANDIDATES])
{
  const hk_factors *f = &t->desc.reference->factors;
  hk_integral_plan plan = t->plan;
  double costs[HK_INTEGRAL_CANDIDATES];
  int count = 0, before = 0;
  plan.way = HK_INTEGRAL_FACTORISED, plan.most_elements = 1, plan.planes = f->planes;
  plan.span = plan.batch = plan.split = 0, plan.blocks = 1;
  if (!hk_device_has_candidates(info_of(t))) {
    plan.tile = host_tile(t), plan.rows = HOST_ROWS, plan.chunk = HOST_CHUNK, plan.planes = 1;
    plan.threads = 1;
    count_tiles(t, &plan);
    plan.pairs = plan.tile * plan.tile;
    list[0] = plan;
    return 1;
  }
  for (int tiles = turns(f->nodes, MOST_TILE); tiles <= f->nodes; tiles++) {
    plan.tile = turns(f->nodes, tiles);
    if (plan.tile == before) continue;
    before = plan.tile;
    for (int rows = f->layers; rows >= 1; rows = rows > 1 ? (rows + 1) / 2 : 0) {
      if (rows * f->layers > MOST_BLOCK) continue;
      plan.rows = rows;
      for (plan.most_elements = 1; plan.most_elements <= 16; plan.most_elements *= 2) {
        count_tiles(t, &plan);
        if (!fit(t, &plan)) break;
        try_threads(t, &plan, list, costs, &count);
      }
    }
  }
  return count;
}

void hk_integral_factors_kernel(const hk_integral *t, hk_kernel_desc *out)
{
  const hk_integral_plan *plan = &t->plan;
  const hk_factors *f = &t->desc.reference->factors;
  *out = (hk_kernel_desc){.text = "factorised",
                          .function = "factorised_elements",
                          .double_precision = t->desc.double_precision,
                          .define = {{"CHUNK", plan->chunk},
                                     {"DEPTH", hk_kernel_size(info_of(t), f->planes, HOST_DEPTH)},
                                     {"DIRECTIONS", t->directions},
                                     {"ELASTIC", t->desc.coefficients.elastic},
                                     {"ELEMENTS", plan->most_elements},
                                     {"EQUATIONS", t->desc.coefficients.equations},
                                     {"LAYERS", hk_kernel_size(info_of(t), f->layers, 0)},
                                     {"PAIRS", plan->pairs},
                                     {"PLANES", plan->planes},
                                     {"ROWS", plan->rows},
                                     {"TILE", plan->tile}},
                          .local = plan->local,
                          .threads = plan->threads,
                          .lanes = hk_integral_lanes(t)};
}

/* triangle[points][3][stride] and line[planes][2][layers of the kernel + rows], zero behind the last function. */
hk_status hk_integral_factors_send(hk_integral *t)
{
  hk_status status = HK_OK;
  hk_device *device = t->desc.device;
  const bool real = t->desc.double_precision;
  hk_integral_tables *to = &t->tables;
  const hk_factors *f = &t->desc.reference->factors;
  const int tile = t->plan.tile;
  const int table = hk_kernel_size(info_of(t), f->layers, HOST_LAYERS) + t->plan.rows;
  const hk_count places = (hk_count)f->nodes * f->layers;
  hk_pool pool = {0};
  double *triangle, *line;
  to->stride = turns(f->nodes, tile) * tile;
  const hk_count triangles = (hk_count)f->points * 3 * to->stride,
                 lines = (hk_count)f->planes * 2 * table;
  HK_TRY(hk_pool_get(&pool, &triangle, triangles));
  HK_TRY(hk_pool_get(&pool, &line, lines));
  for (int k = 0; k < f->points * 3; k++)
    memcpy(triangle + (hk_count)k * to->stride, f->triangle + (hk_count)k * f->nodes,
           (size_t)f->nodes * sizeof *triangle);
  for (int k = 0; k < f->planes * 2; k++)
    memcpy(line + (hk_count)k * table, f->line + (hk_count)k * f->layers,
           (size_t)f->layers * sizeof *line);
  HK_TRY(hk_buffer_send_reals(&t->pool, device, real, triangles, triangle, &to->triangle));
  HK_TRY(hk_buffer_send_reals(&t->pool, device, real, lines, line, &to->line));
  HK_TRY(hk_buffer_send(&t->pool, device, places * 4, f->place, &to->place_of));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_integral_factors_launch(hk_integral *t, hk_count count, hk_buffer *matrix, hk_count at)
{
  const hk_factors *f = &t->desc.reference->factors;
  const hk_integral_plan *plan = &t->plan;
  const hk_count groups = (count + plan->per_group - 1) / plan->per_group * plan->parts;
  const hk_integral_tables *of = &t->tables;
  const hk_integral_arrays *on = &t->arrays;
  return hk_kernel_launch(t->kernel, 0, groups,
                          HK_ARGUMENTS(of->triangle, of->line, of->place_of, on->jacobian, on->c,
                                       matrix, (int32_t)at, (int32_t)count, f->nodes, of->stride,
                                       f->layers, f->points, f->planes,
                                       (int32_t)hk_integral_constants(t), t->symmetric));
}

double hk_integral_factors_operations(const hk_integral *t)
{
  const hk_factors *f = &t->desc.reference->factors;
  const hk_integral_plan *plan = &t->plan;
  const double half = t->directions + 3, square = square_of(t), nodes = f->nodes;
  const double pairs = t->symmetric ? nodes * (nodes + 1) / 2 : nodes * nodes;
  const double law = t->desc.coefficients.elastic ? 4 * 36 : 2 * half * half * square;
  const double layers = turns(f->layers, plan->rows) * plan->rows;
  const double line = square * layers * (6 + 4.0 * f->layers);
  const double gradients = 2.0 * plan->parts * plan->tile * 15 * f->points;
  return f->planes * (pairs * (2 * half * half * f->points + law + line) + gradients);
}
