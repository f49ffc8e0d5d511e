/* Elements and sides of a part by kind (shapes and lines): their labels in one array, kind after kind, with a map from labels to numbers, and
 * their nodes as numbers of the part's nodes. Labels that are given twice and nodes that are not defined are told with the line of the
 * *ELEMENT that gave them. */
#include "element/wide.h"
#include "input/deck/mesh/parts.h"
#include <string.h>

int hk_inp_kind_of(const hk_inp_cells *cells, hk_count number)
{
  int kind = 0;
  while (number >= cells->first[kind + 1]) kind++;
  return kind;
}

hk_place hk_inp_place_of(const hk_inp_part *part, int kind, hk_count at)
{
  for (hk_count i = 0; i < part->run.count; i++) {
    const hk_inp_run *run = &part->run.at[i];
    if ((int)run->type->shape == kind && at >= run->first && at < run->first + run->count)
      return run->place;
  }
  return part->nodes;
}

/* Labels of all kinds in one array, in the order of the kinds. One kind's is taken as it is. */
static hk_status join_labels(hk_inp_cells *cells)
{
  int used = 0, only = 0;
  for (int k = 0; k < HK_INP_KINDS; k++) {
    cells->first[k + 1] = cells->first[k] + cells->pile[k].count;
    if (cells->pile[k].count) used++, only = k;
  }
  if (used == 1) {
    cells->label = cells->pile[only].label, cells->pile[only].label = NULL;
    return HK_OK;
  }
  HK_PASS(hk_get(&cells->label, cells->first[HK_INP_KINDS]));
  for (int k = 0; k < HK_INP_KINDS; k++) {
    hk_inp_pile *pile = &cells->pile[k];
    if (pile->count)
      memcpy(cells->label + cells->first[k], pile->label,
             (size_t)pile->count * sizeof *pile->label);
    hk_free(&pile->label);
  }
  return HK_OK;
}

hk_status hk_inp_index_cells(hk_inp *inp, hk_inp_part *part, hk_inp_cells *cells, bool *unique)
{
  hk_count repeated = -1;
  HK_PASS(join_labels(cells));
  const hk_count count = cells->first[HK_INP_KINDS];
  HK_PASS(hk_label_map_build(&cells->of, cells->label, count, &repeated));
  for (hk_count i = 0; cells == &part->side && i < count && repeated < 0; i++)
    if (hk_label_map_find(&part->element.of, cells->label[i]) >= 0) repeated = i;
  if (repeated < 0) return HK_OK;
  const int kind = hk_inp_kind_of(cells, repeated);
  hk_inp_error(inp->reader, hk_inp_place_of(part, kind, repeated - cells->first[kind]),
               "element %lld is given twice: remove or renumber one",
               (long long)cells->label[repeated]);
  *unique = false;
  return HK_OK;
}

/* Tells of the first nodes that are not defined: -label. They become -1. */
static void report_undefined(hk_inp *inp, hk_inp_part *part, hk_inp_cells *cells, int kind,
                             hk_count *reported)
{
  const int nodes = hk_inp_kind_nodes(kind);
  for (hk_count i = 0; i < cells->pile[kind].count * nodes; i++) {
    hk_index *node = &cells->pile[kind].node[i];
    if (*node >= 0) continue;
    if ((*reported)++ < HK_INP_MOST_REPORTED)
      hk_inp_error(inp->reader, hk_inp_place_of(part, kind, i / nodes),
                   "element %lld has node %lld, which is not defined",
                   (long long)cells->label[cells->first[kind] + i / nodes], -(long long)*node);
    *node = -1;
  }
}

HK_WIDE static void subtract(hk_index *label, hk_count count, hk_index low)
{
  for (hk_count i = 0; i < count; i++) label[i] -= low;
}

/* node[count] from labels to numbers; those that are not defined become -label and are counted. */
static hk_count number_some(const hk_label_map *of, hk_index *node, hk_count count)
{
  hk_count bad = 0;
  if (of->span && !of->table &&
      hk_numbers_within(node, count, (hk_index)of->low, (hk_index)of->span)) {
    subtract(node, count, (hk_index)of->low);
    return 0;
  }
  for (hk_count i = 0; i < count; i++) {
    const hk_index number = hk_label_map_find(of, node[i]);
    bad += number < 0;
    node[i] = number < 0 ? -node[i] : number;
  }
  return bad;
}

/* Labels begin at 1. */
void hk_inp_number_nodes(hk_inp *inp, hk_inp_part *part, hk_inp_cells *cells, hk_count *reported)
{
  enum { SOME = 1 << 13 }; /* they stay in the cache */
  for (int k = 0; k < HK_INP_KINDS; k++) {
    hk_index *node = cells->pile[k].node;
    const hk_count count = cells->pile[k].count * hk_inp_kind_nodes(k);
    hk_count bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad)
    for (hk_count i = 0; i < count; i += SOME)
      bad += number_some(&part->node_of, node + i, i + SOME < count ? SOME : count - i);
    if (bad) report_undefined(inp, part, cells, k, reported);
  }
}
