/* Divides the nodes of a mesh into blocks of at most `size` nodes by one of the methods of
 * docs/partition.md. Missing parameters follow the rules of
 * Huthwaite (2014), section 3.1, from the block size. The blocks of the aligned method are repaired
 * (repair.c), those of aligned-paper are not. Nodes without neighbours fill blocks that have
 * room. */
#include "papers/pogo/partition.h"
#include "papers/pogo/aligned.h"
#include "papers/pogo/arrange.h"
#include "papers/pogo/methods.h"
#include "graph/order.h"
#include <math.h>
#include <stdio.h>

/* Section 3.1: B between sqrt(n) and sqrt(2 n), R = 1.25 n / B, S_m = R B, S_l = 0.6 S_m,
 * S_u = 1.55 S_m for n nodes per block; the paper's own where n is 512. In 3D B = n^(2/3), the side of
 * a cube. */
static hk_status complete(int dim, const hk_partition_desc *desc, hk_partition_desc *rule)
{
  *rule = *desc;
  if (rule->size == 0) rule->size = HK_BLOCK_SIZE;
  HK_NEED(rule->size >= HK_BLOCK_COLUMNS && rule->size <= HK_BLOCK_MOST &&
              rule->size % HK_BLOCK_COLUMNS == 0,
          HK_BAD_INPUT, "%d nodes per block: must be a multiple of %d from %d to %d", rule->size,
          HK_BLOCK_COLUMNS, HK_BLOCK_COLUMNS, HK_BLOCK_MOST);
  if (rule->length == 0)
    rule->length = (int)lround(dim == 2 ? sqrt(2.0 * rule->size) : pow(rule->size, 2.0 / 3));
  HK_NEED(rule->length > 0 && rule->length <= rule->size, HK_BAD_INPUT,
          "first rows of %d nodes: must be from 1 to the size of a block, %d", rule->length,
          rule->size);
  if (rule->rows == 0) rule->rows = (int)lround(1.25 * rule->size / rule->length);
  HK_NEED(rule->rows > 0, HK_BAD_INPUT, "a trial of %d rows: must be at least 1", rule->rows);
  const double mean = (double)rule->rows * rule->length;
  const bool paper = rule->size == HK_BLOCK_SIZE && mean == 640;
  if (rule->least == 0) rule->least = paper ? 390 : (int)lround(0.6 * mean);
  if (rule->most == 0) rule->most = paper ? 1000 : (int)lround(1.55 * mean);
  HK_NEED(
      rule->least > 0 && rule->most > rule->least, HK_BAD_INPUT,
      "sizes from %d to %d after the trial: the second must be above the first, and that above 0",
      rule->least, rule->most);
  return HK_OK;
}

/* Nodes without neighbours go where there is room, lowest block first, then to new blocks. */
static hk_status place_rest(hk_blocks *b)
{
  hk_status status = HK_OK;
  hk_index *count = NULL, to = 0;
  hk_index last = 0;
  HK_TRY(hk_get(&count, (hk_count)b->nodes + 1));
  for (hk_index i = 0; i < b->nodes; i++)
    if (b->block[i] >= 0) count[b->block[i]]++;
  for (hk_index i = 0; i < b->nodes; i++) {
    if (b->block[i] >= 0) continue;
    while (count[to] == b->size) to++;
    b->block[i] = to;
    count[to]++;
    last = to;
  }
  if (last >= b->blocks) b->blocks = last + 1;
cleanup:
  hk_free(&count);
  return status;
}

/* Nodes with neighbours, in the order of bisection, `size` at a time. */
static hk_status bisect(const hk_mesh *mesh, const hk_adjacency *graph,
                        const hk_partition_desc *rule, hk_blocks *b)
{
  hk_status status = HK_OK;
  hk_index *order = NULL, count = 0;
  (void)rule;
  HK_TRY(hk_get(&order, b->nodes));
  for (hk_index i = 0; i < b->nodes; i++)
    if (graph->begin[i] < graph->begin[i + 1]) order[count++] = i;
  HK_TRY(hk_order_bisect(mesh->x, mesh->dim, b->size, count, order));
  for (hk_index i = 0; i < count; i++) b->block[order[i]] = i / b->size;
  b->blocks = (count + b->size - 1) / b->size;
cleanup:
  hk_free(&order);
  return status;
}

/* Nodes that the arrangement has room for at the border of a block. */
static hk_index border_of(const hk_mesh *mesh, int size)
{
  return hk_block_layout_of(mesh->dim, size).boundary * HK_BLOCK_COLUMNS;
}

/* block[nodes], -1 where there is none yet, and the number of blocks by one method. */
typedef hk_status fill(const hk_mesh *mesh, const hk_adjacency *graph,
                       const hk_partition_desc *rule, hk_blocks *b);

static hk_status fill_as_paper(const hk_mesh *mesh, const hk_adjacency *graph,
                               const hk_partition_desc *rule, hk_blocks *b)
{
  return hk_partition_aligned(mesh, graph, rule, b->block, &b->blocks);
}

static hk_status fill_aligned(const hk_mesh *mesh, const hk_adjacency *graph,
                              const hk_partition_desc *rule, hk_blocks *b)
{
  HK_PASS(fill_as_paper(mesh, graph, rule, b));
  return hk_blocks_repair(mesh, graph, b->size, border_of(mesh, b->size), b->block, &b->blocks);
}

static hk_status fill_greedy(const hk_mesh *mesh, const hk_adjacency *graph,
                             const hk_partition_desc *rule, hk_blocks *b)
{
  (void)mesh, (void)rule;
  return hk_partition_greedy(graph, b->size, b->block, &b->blocks);
}

static hk_status fill_by_metis(const hk_mesh *mesh, const hk_adjacency *graph,
                               const hk_partition_desc *rule, hk_blocks *b)
{
  (void)mesh, (void)rule;
  return hk_partition_metis(graph, b->size, b->block, &b->blocks);
}

static const struct {
  const char *name;
  fill *fill;
} method[] = {[HK_PARTITION_ALIGNED] = {"aligned", fill_aligned},
              [HK_PARTITION_ALIGNED_PAPER] = {"aligned-paper", fill_as_paper},
              [HK_PARTITION_GREEDY] = {"greedy", fill_greedy},
              [HK_PARTITION_METIS] = {"metis", fill_by_metis},
              [HK_PARTITION_BISECTION] = {"bisection", bisect}};
enum { METHODS = sizeof method / sizeof *method };

hk_partition_method hk_partition_default(int dim)
{
  return dim == 3 ? HK_PARTITION_BISECTION : HK_PARTITION_ALIGNED;
}

const char *hk_partition_method_name(int m)
{
  return m < METHODS ? method[m].name : NULL;
}

hk_status hk_partition_method_of(const char *word, hk_partition_method *out)
{
  char all[64];
  size_t used = 0;
  for (int m = 0; m < METHODS; m++) {
    if (hk_same_text(word, method[m].name)) return *out = (hk_partition_method)m, HK_OK;
    if (used < sizeof all)
      used +=
          (size_t)snprintf(all + used, sizeof all - used, "%s%s", m ? ", " : "", method[m].name);
  }
  return hk_error_set(HK_USAGE, "unknown method \"%s\": give one of %s", word, all);
}

hk_status hk_blocks_partition(const hk_mesh *mesh, const hk_adjacency *graph,
                              const hk_partition_desc *desc, hk_blocks **out)
{
  hk_status status = HK_OK;
  hk_blocks *b = NULL;
  hk_partition_desc rule;

  HK_TRY(complete(mesh->dim, desc, &rule));
  HK_CHECK(graph->nodes > 0, HK_BAD_INPUT, "a mesh without nodes has no blocks");
  HK_TRY(hk_new(&b));
  b->nodes = graph->nodes, b->dim = mesh->dim, b->size = rule.size;
  HK_TRY(hk_get(&b->block, graph->nodes));
  for (hk_index i = 0; i < b->nodes; i++) b->block[i] = -1;
  HK_TRY(method[rule.method].fill(mesh, graph, &rule, b));
  HK_TRY(place_rest(b));
  *out = b, b = NULL;
cleanup:
  hk_blocks_destroy(&b);
  return status;
}

void hk_blocks_destroy(hk_blocks **blocks)
{
  if (!*blocks) return;
  hk_free(&(*blocks)->block);
  hk_free(&(*blocks)->place);
  hk_free(blocks);
}

double hk_blocks_efficiency(const hk_blocks *blocks)
{
  return blocks->nodes / ((double)blocks->blocks * blocks->size);
}
