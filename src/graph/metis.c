/* METIS, opened at run time from libmetis.so.5: partition of a graph, k-way or by recursive
 * bisection, and nested dissection of a symmetric pattern.
 * The few declarations of metis.h that are needed stand here; a library with 64-bit integers is
 * refused. The seed is fixed, so results are reproducible. */
#include "graph/metis.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#ifndef HOOKE_METIS /* the name of a copy beside this library, where there is one */
#define HOOKE_METIS "libmetis.so.5"
#endif

/* metis.h of METIS 5 with 32-bit idx_t and real_t, as far as needed here. */
enum { OPTIONS = 40, OPTION_SEED = 8, OPTION_UFACTOR = 16, OPTION_NUMBERING = 17 };
enum { METIS_DONE = 1, METIS_NO_MEMORY = -3 };
typedef int set_defaults(int32_t *options);
typedef int part_graph(int32_t *nodes, int32_t *constraints, int32_t *begin, int32_t *node,
                       int32_t *weight, int32_t *size, int32_t *edge_weight, int32_t *parts,
                       float *targets, float *imbalance, int32_t *options, int32_t *cut,
                       int32_t *part);
typedef int node_nd(int32_t *nodes, int32_t *begin, int32_t *node, int32_t *weight,
                    int32_t *options, int32_t *order, int32_t *place);

static struct {
  set_defaults *defaults;
  part_graph *kway, *bisect;
  node_nd *dissect;
} metis;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  static const char *const names[] = {HOOKE_METIS, "libmetis.so.5", "libmetis.so"};
  void *library = NULL;
  for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++)
    library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&metis.defaults = dlsym(library, "METIS_SetDefaultOptions");
  *(void **)&metis.kway = dlsym(library, "METIS_PartGraphKway");
  *(void **)&metis.bisect = dlsym(library, "METIS_PartGraphRecursive");
  *(void **)&metis.dissect = dlsym(library, "METIS_NodeND");
}

/* The defaults are -1 in OPTIONS integers: how many bytes that are tells their width. */
static hk_status open_library(int32_t *options)
{
  pthread_once(&once, load);
  HK_NEED(metis.defaults && metis.kway && metis.bisect, HK_USAGE,
          "METIS is not installed: its library (libmetis.so.5; package libmetis5) was not found; "
          "install it, or use the method aligned or greedy");
  memset(options, 0, 2 * OPTIONS * sizeof *options);
  metis.defaults(options);
  HK_NEED(options[OPTIONS - 1] == -1 && options[OPTIONS] == 0, HK_USAGE,
          "the installed METIS has 64-bit integers, and hooke needs one with 32: use the method "
          "aligned or greedy");
  return HK_OK;
}

/* imbalance: in thousandths of the mean. */
static hk_status divide(bool kway, int imbalance, const hk_adjacency *graph, hk_index parts,
                        hk_index *part)
{
  int32_t options[2 * OPTIONS], nodes = graph->nodes, one = 1, cut = 0;
  HK_PASS(open_library(options));
  options[OPTION_SEED] = 1;
  options[OPTION_UFACTOR] = imbalance;
  options[OPTION_NUMBERING] = 0;
  part_graph *const function = kway ? metis.kway : metis.bisect;
  const int code = function(&nodes, &one, graph->begin, graph->node, NULL, NULL, NULL, &parts, NULL,
                            NULL, options, &cut, part);
  HK_NEED(code != METIS_NO_MEMORY, HK_NO_RESOURCES, "no memory for METIS");
  HK_NEED(code == METIS_DONE, HK_INTERNAL, "METIS failed (code %d)", code);
  return HK_OK;
}

hk_status hk_metis_parts(const hk_adjacency *graph, hk_index parts, hk_index *part)
{
  return divide(true, 10, graph, parts, part);
}

hk_status hk_metis_bisect(const hk_adjacency *graph, hk_index parts, hk_index *part)
{
  return divide(false, 1, graph, parts, part);
}

bool hk_metis_available(void)
{
  int32_t options[2 * OPTIONS];
  return open_library(options) == HK_OK && metis.dissect;
}

hk_status hk_order_metis(hk_index rows, const hk_count *begin, const hk_index *column,
                         hk_index *order)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_index *first, *neighbour, *place, entries;
  int32_t options[2 * OPTIONS], n = 0;
  HK_TRY(open_library(options));
  options[OPTION_SEED] = 1, options[OPTION_NUMBERING] = 0;
  HK_TRY(hk_narrow(begin[rows], "entries of a pattern to be ordered", &entries));
  HK_TRY(hk_pool_get(&pool, &first, rows + 1));
  HK_TRY(hk_pool_get(&pool, &neighbour, entries));
  HK_TRY(hk_pool_get(&pool, &place, rows));
  for (hk_index i = 0; i < rows; i++) {
    for (hk_count e = begin[i]; e < begin[i + 1]; e++)
      if (column[e] != i) neighbour[n++] = column[e];
    first[i + 1] = n;
  }
  const int code = metis.dissect(&rows, first, neighbour, NULL, options, order, place);
  HK_CHECK(code != METIS_NO_MEMORY, HK_NO_RESOURCES, "no memory for METIS");
  HK_CHECK(code == METIS_DONE, HK_INTERNAL, "METIS failed (code %d)", code);
cleanup:
  hk_pool_clear(&pool);
  return status;
}
