/* Which numbers of each summed array belong to which granule (space/space.h), as lists for solver/explicit/vectors.k.h: ascending in the whole
 * numbering, whatever numbers the part of a model has, so that each granule sums in the same order on any number of devices. An
 * array without nodes is shared out evenly; a model in parts has none. */
#include "solver/explicit/parts.h"
#include "base/sort.h"
#include <stdlib.h>

typedef struct item {
  hk_index granule, whole, index; /* granule: among the solver's own */
} item;

typedef HK_LIST(item) items;

static int compare(const void *p, const void *q)
{
  const item *a = p, *b = q;
  if (a->granule != b->granule) return a->granule < b->granule ? -1 : 1;
  if (a->whole != b->whole) return a->whole < b->whole ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* The own granule of a number. */
static hk_index granule_of(const hk_explicit *s, hk_index number)
{
  const hk_energies *e = &s->energies;
  const hk_index granule = hk_space_granule(s->space, number);
  const hk_index *at =
      bsearch(&granule, e->granule, (size_t)e->granules, sizeof granule, hk_compare_index);
  return at ? (hk_index)(at - e->granule) : 0;
}

/* Appends what was collected, and where each granule begins. */
static hk_status flush(hk_sum_lists *l, items *all, hk_index granules)
{
  hk_count next = 0;
  if (all->count) qsort(all->at, (size_t)all->count, sizeof *all->at, compare);
  for (hk_index g = 0; g < granules; g++) {
    HK_PASS(hk_pool_more(&l->pool, &l->begin));
    l->begin.at[l->begin.count++] = (hk_index)l->item.count;
    for (; next < all->count && all->at[next].granule == g; next++) {
      HK_PASS(hk_pool_more(&l->pool, &l->item));
      l->item.at[l->item.count++] = all->at[next].index;
    }
  }
  all->count = 0;
  return HK_OK;
}

static hk_status add_item(hk_sum_lists *l, items *all, item one)
{
  HK_PASS(hk_pool_more(&l->pool, all));
  all->at[all->count++] = one;
  return HK_OK;
}

static hk_status list_sum(const hk_explicit *s, const hk_sum *sum, int shot, hk_sum_lists *l,
                          items *all)
{
  const hk_index granules = s->energies.granules, first = sum->first[shot],
                 count = sum->first[shot + 1] - first;
  for (hk_index i = 0; i < count; i++) {
    const hk_index at = (hk_index)(first - sum->first[0] + i);
    const hk_index number = sum->number ? sum->number[at % sum->period] : 0;
    if (sum->number && number >= hk_space_rows(s->space)) continue; /* a ghost: its owner's */
    const hk_index whole = sum->number && s->space->order ? s->space->order[number] : number;
    HK_PASS(add_item(
        l, all,
        (item){sum->number ? granule_of(s, number) : (hk_index)((hk_count)i * granules / count),
               whole, first + i}));
  }
  return flush(l, all, granules);
}

/* A node of the granule of a group of K, by what the form or a term tells, else by patches where the form has as many groups for each. */
static bool find_node(const hk_operator *op, hk_count group, hk_index *node)
{
  const hk_space *space = op->desc.space;
  const hk_count each = space->patches && op->form_groups % space->patches == 0
                            ? op->form_groups / space->patches
                            : 0;
  *node = 0;
  if (group >= op->form_groups)
    *node = op->term_node[group - op->form_groups];
  else if (op->group_node)
    *node = op->group_node[group];
  else if (each)
    *node = (hk_index)(group / each) * space->patch;
  return group >= op->form_groups || op->group_node || each;
}

/* The groups of K whose losses a granule sums. */
static hk_status list_groups(const hk_explicit *s, hk_sum_lists *l, items *all)
{
  const hk_space *space = s->space;
  const hk_count groups = s->scheme.damped ? s->op->groups : 0;
  for (hk_count g = 0; g < groups; g++) {
    hk_index number;
    const bool known = find_node(s->op, g, &number);
    if (number < 0) continue;
    const hk_index own =
        known ? granule_of(s, number) : (hk_index)(g * s->energies.granules / groups);
    HK_PASS(
        add_item(l, all, (item){own, space->order ? space->order[number] : number, (hk_index)g}));
  }
  return flush(l, all, s->energies.granules);
}

hk_status hk_sum_lists_create(const hk_explicit *s, hk_sum_lists *l)
{
  const hk_energies *e = &s->energies;
  items all = {0};
  for (int k = 0; k < HK_MOST_SUMS; k++)
    for (int shot = 0; shot < s->shots; shot++)
      HK_PASS(k < e->sums ? list_sum(s, &e->sum[k], shot, l, &all) : flush(l, &all, e->granules));
  HK_PASS(list_groups(s, l, &all));
  HK_PASS(hk_pool_more(&l->pool, &l->begin));
  l->begin.at[l->begin.count++] = (hk_index)l->item.count;
  return HK_OK;
}

/* The runs of a solver in the order of the whole numbering: `whole` the first number there, `index` the run here. */
static hk_status list_own_runs(hk_explicit *s, hk_sum_lists *l, items *all)
{
  const hk_space *space = s->space;
  for (hk_index r = 0; r < hk_space_runs(space); r++) {
    const hk_index first = hk_space_run_first(space, r);
    if (hk_space_run_first(space, r + 1) == first) continue;
    HK_PASS(add_item(
        l, all,
        (item){hk_space_granule(space, first), space->order ? space->order[first] : first, r}));
  }
  if (all->count) qsort(all->at, (size_t)all->count, sizeof *all->at, compare);
  return HK_OK;
}

static hk_status add_number(hk_sum_lists *l, hk_index number)
{
  HK_PASS(hk_pool_more(&l->pool, &l->item));
  l->item.at[l->item.count++] = number;
  return HK_OK;
}

/* Pieces of at most a patch: first number, count. */
static hk_status add_pieces(const hk_space *space, hk_index run, hk_sum_lists *l)
{
  const hk_index end = hk_space_run_first(space, run + 1);
  for (hk_index i = hk_space_run_first(space, run); i < end; i += space->patch) {
    HK_PASS(add_number(l, i));
    HK_PASS(add_number(l, end - i < space->patch ? end - i : space->patch));
  }
  return HK_OK;
}

static hk_status begin_granule(hk_sum_lists *l)
{
  HK_PASS(hk_pool_more(&l->pool, &l->begin));
  l->begin.at[l->begin.count++] = (hk_index)(l->item.count / 2);
  return HK_OK;
}

hk_status hk_granules_list(hk_explicit *s, hk_sum_lists *l)
{
  hk_energies *e = &s->energies;
  items all = {0};
  HK_PASS(list_own_runs(s, l, &all));
  HK_PASS(hk_get(&e->granule, all.count));
  for (hk_count k = 0; k < all.count; k++) {
    const item *i = &all.at[k];
    if (!e->granules || i->granule != e->granule[e->granules - 1]) {
      e->granule[e->granules++] = i->granule;
      HK_PASS(begin_granule(l));
    }
    HK_PASS(add_pieces(s->space, i->index, l));
  }
  return begin_granule(l);
}
