/* Smoothed aggregation on a device, step by step (kernels in aggregate.k.h): strong links (A.10), roots as a maximal set no two of
 * which are within two strong links (rounds of decide(), keys follow from node numbers), aggregates, the tentative P0 from the near-null
 * space made orthonormal in each, P = (I - omega D^-1 F) P0, and A_coarse = P^T A P (A.11) by galerkin.h. Bit-reproducible. */
#include "solver/linear/sparse/aggregate.h"
#include "solver/linear/sparse/aggregate_share.h"
#include "solver/linear/sparse/shared_rows.h"

/* Rounds of the search for roots between two looks at whether it is done. */
enum { ROUNDS = 3 };

typedef struct grouping {
  hk_galerkin_tools *tools;
  const hk_coarse_desc *desc;
  hk_halo *halo;                  /* of ranks: as desc->halo, with room for a diagonal block */
  hk_buffer *weight;              /* float, of A's entries */
  hk_buffer *key, *reach[2];      /* 64 bits */
  hk_buffer *of, *joined, *count; /* ints of nodes */
  hk_buffer *number;              /* sums of counts */
  hk_buffer *diagonal, *inverse;  /* blocks of A's diagonal, doubles */
  hk_pool pool;                   /* of these buffers */
  hk_galerkin_matrix p0, members; /* P0, and its transpose's pattern */
  hk_index aggregates;
} grouping;

static void clear(grouping *g)
{
  hk_pool_clear(&g->pool);
  hk_halo_destroy(&g->halo);
  hk_galerkin_clear(&g->p0);
  hk_galerkin_clear(&g->members);
}

void hk_coarse_clear(hk_coarse *c)
{
  hk_galerkin_clear(&c->p);
  hk_galerkin_clear(&c->r);
  hk_galerkin_clear(&c->a);
  hk_buffer_destroy(&c->near_null);
  hk_buffer_destroy(&c->x);
  hk_sharing_destroy(&c->share);
}

int hk_near_null_modes(int components, bool solid)
{
  return !solid ? components : components == 2 ? 3 : 6;
}

/* Of `count` rows or aggregates the groups that have own ones; share: NULL, all of them. */
static hk_status run(hk_galerkin_tools *tools, const char *function, int height, int modes,
                     const hk_sharing *share, hk_count count, const hk_argument *argument,
                     int arguments)
{
  const hk_share_groups own = hk_sharing_cover(share, HK_GALERKIN_CHUNK,
                                               (count + HK_GALERKIN_CHUNK - 1) / HK_GALERKIN_CHUNK);
  return hk_galerkin_run_groups(
      tools,
      &(hk_kernel_desc){
          .text = "aggregate",
          .function = function,
          .define = {{"CHUNK", HK_GALERKIN_CHUNK}, {"HEIGHT", height}, {"MODES", modes}}},
      own.first, own.count, argument, arguments);
}

hk_status hk_near_null_create(hk_galerkin_tools *tools, int components, bool solid, hk_index n,
                              const double *x, const hk_buffer *device_x, const hk_sharing *share,
                              hk_buffer **near_null)
{
  const int modes = hk_near_null_modes(components, solid), dim = components;
  double middle[3] = {0}, extent = 0;
  for (int d = 0; solid && d < dim; d++) {
    double least = n ? x[d] : 0, most = least;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
    for (hk_index i = 0; i < n; i++) {
      const double at = x[(hk_count)i * dim + d];
      least = at < least ? at : least, most = at > most ? at : most;
    }
    middle[d] = (least + most) / 2, extent = hk_larger(extent, most - least);
  }
  HK_PASS(hk_buffer_create(tools->device, (hk_count)n * components * modes * 8, near_null));
  return run(tools, "aggregate_modes", components, modes, share, n,
             HK_ARGUMENTS(device_x, *near_null, hk_arg_double(middle[0]), hk_arg_double(middle[1]),
                          hk_arg_double(middle[2]), hk_arg_double(extent > 0 ? 1 / extent : 1), n));
}

static hk_status run_nodes(const grouping *g, const char *function, const hk_argument *argument,
                           int arguments)
{
  const hk_coarse_desc *k = g->desc;
  return run(g->tools, function, k->a->height, k->modes, k->share, k->a->rows, argument, arguments);
}

static hk_status take(grouping *g, hk_count bytes, hk_buffer **out)
{
  return hk_buffer_get(&g->pool, g->tools->device, bytes, out);
}

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* values[rows][bytes]: ranks get those of the nodes that own rows read. */
static hk_status exchange(const grouping *g, hk_buffer *values, hk_count bytes)
{
  if (!g->desc->share) return HK_OK;
  HK_PASS(hk_ranks_agree(HK_OK));
  return hk_halo_exchange(g->halo, values, bytes);
}

static hk_status find_strong(grouping *g)
{
  const hk_coarse_desc *k = g->desc;
  const hk_galerkin_matrix *a = k->a;
  hk_buffer *nearest;
  HK_PASS(take(g, a->rows * 8LL, &nearest));
  HK_PASS(take(g, a->entries * 4, &g->weight));
  HK_PASS(exchange(g, k->x, k->dim * 8LL));
  HK_PASS(run_nodes(
      g, "aggregate_nearest",
      HK_ARGUMENTS(a->begin, a->column, k->x, a->block, g->diagonal, nearest, a->rows, k->dim)));
  HK_PASS(exchange(g, nearest, 8));
  return run_nodes(g, "aggregate_weigh",
                   HK_ARGUMENTS(a->begin, a->column, k->x, a->block, g->diagonal, nearest,
                                g->weight, hk_arg_double(k->strength * k->strength), a->rows,
                                k->dim));
}

/* The diagonal's blocks, and their inverse as levels have it. */
static hk_status find_diagonal(grouping *g)
{
  const hk_galerkin_matrix *a = g->desc->a;
  hk_device *device = g->tools->device;
  const int width = hk_device_describe(device)->width, size = a->height * a->height,
            group = hk_level_group(device);
  const hk_index nodes = (a->rows + width - 1) / width * width;
  const hk_share_groups own = hk_sharing_cover(g->desc->share, group, (nodes + group - 1) / group);
  hk_kernel *invert;
  HK_PASS(take(g, (hk_count)nodes * size * 8, &g->diagonal));
  HK_PASS(take(g, (hk_count)nodes * size * 8, &g->inverse));
  HK_PASS(hk_galerkin_diagonal(g->tools, a, true, g->diagonal));
  if (g->desc->share)
    HK_PASS(
        hk_shared_halo(g->desc->share, g->tools, a, larger(size, g->desc->dim) * 8LL, &g->halo));
  HK_PASS(exchange(g, g->diagonal, size * 8LL));
  HK_PASS(hk_level_kernel(&g->pool, device, "level_invert", a->height, a->height, true, &invert));
  return hk_kernel_launch(invert, own.first, own.count,
                          HK_ARGUMENTS(g->diagonal, g->inverse, 0, nodes));
}

/* One round: keys reach two links far, and what is decided by them. */
static hk_status decide(const grouping *g, hk_buffer *open)
{
  const hk_galerkin_matrix *a = g->desc->a;
  hk_buffer *const from[2] = {g->key, g->reach[0]};
  for (int k = 0; k < 2; k++) {
    HK_PASS(exchange(g, from[k], 8));
    HK_PASS(run_nodes(g, "aggregate_reach",
                      HK_ARGUMENTS(a->begin, a->column, g->weight, from[k], g->reach[k], a->rows)));
  }
  return run_nodes(g, "aggregate_decide", HK_ARGUMENTS(g->reach[1], g->key, open, a->rows));
}

static hk_status find_roots(grouping *g)
{
  const hk_galerkin_matrix *a = g->desc->a;
  hk_buffer *open;
  const int32_t none = 0;
  int32_t left = 1;
  HK_PASS(take(g, 4, &open));
  HK_PASS(take(g, a->rows * 8LL, &g->key));
  for (int k = 0; k < 2; k++) HK_PASS(take(g, a->rows * 8LL, &g->reach[k]));
  HK_PASS(run_nodes(g, "aggregate_begin",
                    HK_ARGUMENTS(g->diagonal, g->key, a->rows, a->height * a->height)));
  while (left) {
    for (int k = 0; k < ROUNDS; k++) {
      HK_PASS(hk_buffer_write(open, 0, sizeof none, &none));
      HK_PASS(decide(g, open));
    }
    HK_PASS(hk_buffer_read(open, 0, sizeof left, &left));
    if (g->desc->share) HK_PASS(hk_coarse_any(g->desc->share, &left));
  }
  return exchange(g, g->key, 8);
}

/* g->number of own roots and of those that own rows read; aggregates belong to the owners of their roots, in whose order they are numbered. */
static hk_status number_roots(grouping *g, hk_sharing **share)
{
  const hk_coarse_desc *k = g->desc;
  hk_count aggregates;
  HK_PASS(run_nodes(g, "aggregate_roots", HK_ARGUMENTS(g->key, g->count, k->a->rows)));
  if (k->share) HK_PASS(hk_coarse_own_only(k->share, 0, g->count));
  HK_PASS(hk_galerkin_sum(g->tools, g->count, g->number, k->a->rows, &aggregates, NULL));
  if (k->share) HK_PASS(hk_coarse_number(k->share, g->number, &aggregates, share));
  HK_PASS(hk_narrow(aggregates, "aggregates", &g->aggregates));
  return exchange(g, g->number, 8);
}

/* g->joined: aggregate of each node; g->count: whether it has one. *share: of aggregates among ranks. */
static hk_status find_aggregates(grouping *g, hk_sharing **share)
{
  const hk_coarse_desc *k = g->desc;
  const hk_galerkin_matrix *a = k->a;
  HK_PASS(find_roots(g));
  HK_PASS(take(g, a->rows * 4LL, &g->of));
  HK_PASS(take(g, a->rows * 4LL, &g->joined));
  HK_PASS(take(g, a->rows * 4LL, &g->count));
  HK_PASS(take(g, (a->rows + 1) * 8LL, &g->number));
  HK_PASS(number_roots(g, share));
  HK_PASS(
      run_nodes(g, "aggregate_found",
                HK_ARGUMENTS(a->begin, a->column, g->weight, g->key, g->number, g->of, a->rows)));
  HK_PASS(exchange(g, g->of, 4));
  HK_PASS(run_nodes(
      g, "aggregate_join",
      HK_ARGUMENTS(a->begin, a->column, g->weight, g->key, g->of, g->joined, g->count, a->rows)));
  if (!k->share) return HK_OK;
  HK_PASS(hk_coarse_own_only(k->share, 0, g->count));
  return hk_coarse_own_only(k->share, -1, g->joined);
}

/* P0's pattern, and the nodes of each own aggregate. below: of ranks, which have the rows of P0 of these nodes then. */
static hk_status list_members(grouping *g, const hk_sharing *below)
{
  const hk_galerkin_matrix *a = g->desc->a;
  hk_device *device = g->tools->device;
  hk_galerkin_matrix *p = &g->p0;
  *p = (hk_galerkin_matrix){
      .rows = a->rows, .columns = g->aggregates, .height = a->height, .width = g->desc->modes};
  HK_PASS(hk_buffer_create(device, (a->rows + 1) * 8LL, &p->begin));
  HK_PASS(hk_galerkin_sum(g->tools, g->count, p->begin, a->rows, &p->entries, NULL));
  HK_PASS(hk_buffer_create(device, p->entries * 4, &p->column));
  HK_PASS(hk_buffer_create(device, p->entries * p->height * p->width * 8, &p->block));
  HK_PASS(run_nodes(g, "aggregate_list", HK_ARGUMENTS(p->begin, g->joined, p->column, a->rows)));
  if (below) HK_PASS(hk_coarse_send_members(g->tools, g->desc->share, below, p));
  return hk_galerkin_transpose_pattern(g->tools, p, &g->members);
}

/* Places, near-null space and diagonal of the nodes of own aggregates, which may be farther than own rows read. */
static hk_status fetch_members(const grouping *g)
{
  hk_status status = HK_OK;
  const hk_coarse_desc *k = g->desc;
  const int size = k->a->height * k->a->height, modes = k->a->height * k->modes;
  hk_halo *halo = NULL;
  HK_TRY(hk_shared_halo(k->share, g->tools, &g->members, larger(larger(size, modes), k->dim) * 8LL,
                        &halo));
  HK_TRY(hk_halo_exchange(halo, k->x, k->dim * 8LL));
  HK_TRY(hk_halo_exchange(halo, k->near_null, modes * 8LL));
  HK_TRY(hk_halo_exchange(halo, g->diagonal, size * 8LL));
cleanup:
  hk_halo_destroy(&halo);
  return status;
}

/* P0 of the nodes of own aggregates; of ranks then that of the nodes that own rows of A read. */
static hk_status find_tentative(grouping *g, hk_coarse *c)
{
  const hk_coarse_desc *k = g->desc;
  const hk_count count = g->aggregates;
  const hk_buffer *begin = g->members.begin, *node = g->members.column;
  HK_PASS(hk_buffer_create(g->tools->device, count * k->dim * 8, &c->x));
  HK_PASS(hk_buffer_create(g->tools->device, count * k->modes * k->modes * 8, &c->near_null));
  if (k->share) HK_PASS(fetch_members(g));
  HK_PASS(run(g->tools, "aggregate_middle", k->a->height, k->modes, c->share, count,
              HK_ARGUMENTS(begin, node, k->x, c->x, g->aggregates, k->dim)));
  HK_PASS(run(g->tools, "aggregate_orthonormalise", k->a->height, k->modes, c->share, count,
              HK_ARGUMENTS(begin, node, g->p0.begin, g->diagonal, k->near_null, g->p0.block,
                           c->near_null, g->aggregates)));
  return k->share ? hk_coarse_send_tentative(g->tools, k, &g->p0) : HK_OK;
}

static hk_status find_prolongation(grouping *g, hk_galerkin_matrix *p)
{
  const hk_coarse_desc *k = g->desc;
  HK_PASS(hk_galerkin_multiply(g->tools, k->a, &g->p0, g->weight, p));
  return run_nodes(g, "aggregate_smooth",
                   HK_ARGUMENTS(k->a->begin, k->a->block, g->weight, g->p0.begin, g->joined,
                                g->p0.block, g->inverse, p->begin, p->column, p->block,
                                hk_arg_double(4 / (3 * k->most)), k->a->rows));
}

/* A_coarse = P^T A P */
static hk_status find_matrix(hk_galerkin_tools *tools, const hk_coarse_desc *desc, hk_coarse *c)
{
  hk_status status = HK_OK;
  hk_galerkin_matrix product = {0};
  HK_TRY(hk_galerkin_multiply(tools, desc->a, &c->p, NULL, &product));
  HK_TRY(hk_galerkin_transpose(tools, &c->p, &c->r));
  HK_TRY(hk_galerkin_multiply(tools, &c->r, &product, NULL, &c->a));
cleanup:
  hk_galerkin_clear(&product);
  return status;
}

hk_status hk_coarse_create(hk_galerkin_tools *tools, const hk_coarse_desc *desc, hk_coarse *out)
{
  hk_status status = HK_OK;
  grouping g = {.tools = tools, .desc = desc};
  hk_coarse c = {0};
  HK_TRY(find_diagonal(&g));
  HK_TRY(find_strong(&g));
  HK_TRY(find_aggregates(&g, &c.share));
  if (!g.aggregates) goto cleanup;
  HK_TRY(list_members(&g, c.share));
  HK_TRY(find_tentative(&g, &c));
  HK_TRY(find_prolongation(&g, &c.p));
  clear(&g);
  HK_TRY(desc->share ? hk_coarse_multiply(tools, desc, &c) : find_matrix(tools, desc, &c));
  *out = c, c = (hk_coarse){0};
cleanup:
  hk_coarse_clear(&c);
  clear(&g);
  return status;
}
