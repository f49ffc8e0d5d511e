/* Smoothed aggregation on a device, step by step (kernels in aggregate.k.h): strong links (A.10), roots as a maximal set no two of
 * which are within two strong links (rounds of decide(), keys follow from node numbers), aggregates, the tentative P0 from the near-null
 * space made orthonormal in each, P = (I - omega D^-1 F) P0, and A_coarse = P^T A P (A.11) by galerkin.h. Bit-reproducible. */
#include "solver/linear/sparse/aggregate.h"

/* Rounds of the search for roots between two looks at whether it is done. */
enum { ROUNDS = 3 };

typedef struct grouping {
  hk_galerkin_tools *tools;
  const hk_coarse_desc *desc;
  hk_buffer *weight;              /* float, of A's entries */
  hk_buffer *key, *reach[2];      /* 64 bits */
  hk_buffer *of, *joined, *count; /* ints of nodes */
  hk_buffer *number;              /* sums of counts */
  hk_buffer *diagonal, *inverse;  /* blocks of A's diagonal, doubles */
  hk_galerkin_matrix p0, members; /* P0, and its transpose's pattern */
  hk_index aggregates;
} grouping;

static void clear(grouping *g)
{
  hk_buffer **const buffer[] = {&g->weight, &g->key,   &g->reach[0], &g->reach[1], &g->of,
                                &g->joined, &g->count, &g->number,   &g->diagonal, &g->inverse};
  for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) hk_buffer_destroy(buffer[k]);
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
}

int hk_near_null_modes(int components)
{
  return components == 1 ? 1 : components == 2 ? 3 : 6;
}

static hk_status run(hk_galerkin_tools *tools, const char *function, int height, int modes,
                     hk_count count, const hk_argument *argument, int arguments)
{
  return hk_galerkin_run(
      tools,
      &(hk_kernel_desc){
          .text = "aggregate",
          .function = function,
          .define = {{"CHUNK", HK_GALERKIN_CHUNK}, {"HEIGHT", height}, {"MODES", modes}}},
      count, argument, arguments);
}

hk_status hk_near_null_create(hk_galerkin_tools *tools, int components, hk_index n, const double *x,
                              const hk_buffer *device_x, hk_buffer **near_null)
{
  hk_status status = HK_OK;
  const int modes = hk_near_null_modes(components), dim = components;
  double middle[3] = {0}, extent = 0;
  for (int d = 0; dim > 1 && d < dim; d++) {
    double least = n ? x[d] : 0, most = least;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
    for (hk_index i = 0; i < n; i++) {
      const double at = x[(hk_count)i * dim + d];
      least = at < least ? at : least, most = at > most ? at : most;
    }
    middle[d] = (least + most) / 2, extent = hk_larger(extent, most - least);
  }
  HK_TRY(hk_buffer_create(tools->device, (hk_count)n * components * modes * 8, near_null));
  HK_TRY(run(tools, "aggregate_modes", components, modes, n,
             (hk_argument[]){hk_arg_buffer(device_x), hk_arg_buffer(*near_null),
                             hk_arg_double(middle[0]), hk_arg_double(middle[1]),
                             hk_arg_double(middle[2]), hk_arg_double(extent > 0 ? 1 / extent : 1),
                             hk_arg_int(n)},
             7));
cleanup:
  return status;
}

static hk_status run_nodes(const grouping *g, const char *function, const hk_argument *argument,
                           int arguments)
{
  const hk_coarse_desc *k = g->desc;
  return run(g->tools, function, k->a->height, k->modes, k->a->rows, argument, arguments);
}

static hk_status find_strong(grouping *g)
{
  hk_status status = HK_OK;
  const hk_coarse_desc *k = g->desc;
  const hk_argument begin = hk_arg_buffer(k->a->begin), column = hk_arg_buffer(k->a->column),
                    x = hk_arg_buffer(k->x), a = hk_arg_buffer(k->a->block),
                    diagonal = hk_arg_buffer(g->diagonal), rows = hk_arg_int(k->a->rows),
                    dim = hk_arg_int(k->dim);
  hk_buffer *nearest = NULL;
  HK_TRY(hk_buffer_create(g->tools->device, (hk_count)k->a->rows * 8, &nearest));
  HK_TRY(hk_buffer_create(g->tools->device, k->a->entries * 4, &g->weight));
  HK_TRY(run_nodes(
      g, "aggregate_nearest",
      (hk_argument[]){begin, column, x, a, diagonal, hk_arg_buffer(nearest), rows, dim}, 8));
  HK_TRY(run_nodes(g, "aggregate_weigh",
                   (hk_argument[]){begin, column, x, a, diagonal, hk_arg_buffer(nearest),
                                   hk_arg_buffer(g->weight),
                                   hk_arg_double(k->strength * k->strength), rows, dim},
                   10));
cleanup:
  hk_buffer_destroy(&nearest);
  return status;
}

/* The diagonal's blocks, and their inverse as levels have it. */
static hk_status find_diagonal(grouping *g)
{
  hk_status status = HK_OK;
  const hk_galerkin_matrix *a = g->desc->a;
  hk_device *device = g->tools->device;
  const int width = hk_device_describe(device)->width, size = a->height * a->height,
            group = hk_level_group(device);
  const hk_index nodes = (a->rows + width - 1) / width * width;
  hk_kernel *invert = NULL;
  HK_TRY(hk_buffer_create(device, (hk_count)nodes * size * 8, &g->diagonal));
  HK_TRY(hk_buffer_create(device, (hk_count)nodes * size * 8, &g->inverse));
  HK_TRY(hk_galerkin_diagonal(g->tools, a, true, g->diagonal));
  HK_TRY(hk_level_kernel(device, "level_invert", a->height, a->height, true, &invert));
  HK_TRY(hk_kernel_launch(invert, 0, (nodes + group - 1) / group,
                          (hk_argument[]){hk_arg_buffer(g->diagonal), hk_arg_buffer(g->inverse),
                                          hk_arg_int(0), hk_arg_int(nodes)},
                          4));
  HK_TRY(hk_device_finish(device)); /* before the kernel goes */
cleanup:
  hk_kernel_destroy(&invert);
  return status;
}

/* One round: keys reach two links far, and what is decided by them. */
static hk_status decide(const grouping *g, hk_buffer *open)
{
  hk_status status = HK_OK;
  const hk_galerkin_matrix *a = g->desc->a;
  const hk_buffer *const from[2] = {g->key, g->reach[0]};
  const hk_argument rows = hk_arg_int(a->rows);
  for (int k = 0; k < 2; k++)
    HK_TRY(run_nodes(g, "aggregate_reach",
                     (hk_argument[]){hk_arg_buffer(a->begin), hk_arg_buffer(a->column),
                                     hk_arg_buffer(g->weight), hk_arg_buffer(from[k]),
                                     hk_arg_buffer(g->reach[k]), rows},
                     6));
  HK_TRY(run_nodes(
      g, "aggregate_decide",
      (hk_argument[]){hk_arg_buffer(g->reach[1]), hk_arg_buffer(g->key), hk_arg_buffer(open), rows},
      4));
cleanup:
  return status;
}

static hk_status find_roots(grouping *g)
{
  hk_status status = HK_OK;
  const hk_galerkin_matrix *a = g->desc->a;
  hk_device *device = g->tools->device;
  hk_buffer *open = NULL;
  const int32_t none = 0;
  int32_t left = 1;
  HK_TRY(hk_buffer_create(device, 4, &open));
  HK_TRY(hk_buffer_create(device, a->rows * 8LL, &g->key));
  for (int k = 0; k < 2; k++) HK_TRY(hk_buffer_create(device, a->rows * 8LL, &g->reach[k]));
  HK_TRY(run_nodes(g, "aggregate_begin",
                   (hk_argument[]){hk_arg_buffer(g->diagonal), hk_arg_buffer(g->key),
                                   hk_arg_int(a->rows), hk_arg_int(a->height * a->height)},
                   4));
  while (left) {
    for (int k = 0; k < ROUNDS; k++) {
      HK_TRY(hk_buffer_write(open, 0, sizeof none, &none));
      HK_TRY(decide(g, open));
    }
    HK_TRY(hk_buffer_read(open, 0, sizeof left, &left));
  }
cleanup:
  hk_buffer_destroy(&open);
  return status;
}

/* g->joined: aggregate of each node; g->p0's rows. */
static hk_status find_aggregates(grouping *g)
{
  hk_status status = HK_OK;
  const hk_galerkin_matrix *a = g->desc->a;
  hk_device *device = g->tools->device;
  hk_count aggregates;
  const hk_argument begin = hk_arg_buffer(a->begin), column = hk_arg_buffer(a->column),
                    rows = hk_arg_int(a->rows);
  HK_TRY(find_roots(g));
  HK_TRY(hk_buffer_create(device, a->rows * 4LL, &g->of));
  HK_TRY(hk_buffer_create(device, a->rows * 4LL, &g->joined));
  HK_TRY(hk_buffer_create(device, a->rows * 4LL, &g->count));
  HK_TRY(hk_buffer_create(device, (a->rows + 1) * 8LL, &g->number));
  const hk_argument weight = hk_arg_buffer(g->weight), key = hk_arg_buffer(g->key),
                    number = hk_arg_buffer(g->number), of = hk_arg_buffer(g->of),
                    count = hk_arg_buffer(g->count), joined = hk_arg_buffer(g->joined);
  HK_TRY(run_nodes(g, "aggregate_roots", (hk_argument[]){key, count, rows}, 3));
  HK_TRY(hk_galerkin_sum(g->tools, g->count, g->number, a->rows, &aggregates, NULL));
  HK_TRY(hk_narrow(aggregates, "aggregates", &g->aggregates));
  HK_TRY(run_nodes(g, "aggregate_found",
                   (hk_argument[]){begin, column, weight, key, number, of, rows}, 7));
  HK_TRY(run_nodes(g, "aggregate_join",
                   (hk_argument[]){begin, column, weight, key, of, joined, count, rows}, 8));
cleanup:
  return status;
}

/* P0's pattern, and the nodes of each aggregate. */
static hk_status list_members(grouping *g)
{
  hk_status status = HK_OK;
  const hk_galerkin_matrix *a = g->desc->a;
  hk_device *device = g->tools->device;
  hk_galerkin_matrix *p = &g->p0;
  *p = (hk_galerkin_matrix){
      .rows = a->rows, .columns = g->aggregates, .height = a->height, .width = g->desc->modes};
  HK_TRY(hk_buffer_create(device, (a->rows + 1) * 8LL, &p->begin));
  HK_TRY(hk_galerkin_sum(g->tools, g->count, p->begin, a->rows, &p->entries, NULL));
  HK_TRY(hk_buffer_create(device, p->entries * 4, &p->column));
  HK_TRY(hk_buffer_create(device, p->entries * p->height * p->width * 8, &p->block));
  HK_TRY(run_nodes(g, "aggregate_list",
                   (hk_argument[]){hk_arg_buffer(p->begin), hk_arg_buffer(g->joined),
                                   hk_arg_buffer(p->column), hk_arg_int(a->rows)},
                   4));
  HK_TRY(hk_galerkin_transpose_pattern(g->tools, p, &g->members));
cleanup:
  return status;
}

static hk_status find_tentative(grouping *g, hk_coarse *c)
{
  hk_status status = HK_OK;
  const hk_coarse_desc *k = g->desc;
  const hk_count count = g->aggregates;
  const hk_argument begin = hk_arg_buffer(g->members.begin),
                    node = hk_arg_buffer(g->members.column);
  HK_TRY(hk_buffer_create(g->tools->device, count * k->dim * 8, &c->x));
  HK_TRY(hk_buffer_create(g->tools->device, count * k->modes * k->modes * 8, &c->near_null));
  HK_TRY(run(g->tools, "aggregate_middle", k->a->height, k->modes, count,
             (hk_argument[]){begin, node, hk_arg_buffer(k->x), hk_arg_buffer(c->x),
                             hk_arg_int(g->aggregates), hk_arg_int(k->dim)},
             6));
  HK_TRY(run(g->tools, "aggregate_orthonormalise", k->a->height, k->modes, count,
             (hk_argument[]){begin, node, hk_arg_buffer(g->p0.begin), hk_arg_buffer(g->diagonal),
                             hk_arg_buffer(k->near_null), hk_arg_buffer(g->p0.block),
                             hk_arg_buffer(c->near_null), hk_arg_int(g->aggregates)},
             8));
cleanup:
  return status;
}

static hk_status find_prolongation(grouping *g, hk_galerkin_matrix *p)
{
  hk_status status = HK_OK;
  const hk_coarse_desc *k = g->desc;
  HK_TRY(hk_galerkin_multiply(g->tools, k->a, &g->p0, g->weight, p));
  HK_TRY(run_nodes(g, "aggregate_smooth",
                   (hk_argument[]){hk_arg_buffer(k->a->begin), hk_arg_buffer(k->a->block),
                                   hk_arg_buffer(g->weight), hk_arg_buffer(g->p0.begin),
                                   hk_arg_buffer(g->joined), hk_arg_buffer(g->p0.block),
                                   hk_arg_buffer(g->inverse), hk_arg_buffer(p->begin),
                                   hk_arg_buffer(p->column), hk_arg_buffer(p->block),
                                   hk_arg_double(4 / (3 * k->most)), hk_arg_int(k->a->rows)},
                   12));
cleanup:
  return status;
}

hk_status hk_coarse_create(hk_galerkin_tools *tools, const hk_coarse_desc *desc, hk_coarse *out)
{
  hk_status status = HK_OK;
  grouping g = {.tools = tools, .desc = desc};
  hk_coarse c = {0};
  hk_galerkin_matrix product = {0};
  HK_TRY(find_diagonal(&g));
  HK_TRY(find_strong(&g));
  HK_TRY(find_aggregates(&g));
  if (!g.aggregates) goto cleanup;
  HK_TRY(list_members(&g));
  HK_TRY(find_tentative(&g, &c));
  HK_TRY(find_prolongation(&g, &c.p));
  clear(&g);
  HK_TRY(hk_galerkin_multiply(tools, desc->a, &c.p, NULL, &product));
  HK_TRY(hk_galerkin_transpose(tools, &c.p, &c.r));
  HK_TRY(hk_galerkin_multiply(tools, &c.r, &product, NULL, &c.a));
  *out = c, c = (hk_coarse){0};
cleanup:
  hk_coarse_clear(&c);
  hk_galerkin_clear(&product);
  clear(&g);
  return status;
}
