/* Local numbers of the nodes of a patch and of its halo.
 * A patch's own nodes are consecutive, so their local number is a difference. Halo nodes lie in a
 * hash table with open addressing that doubles when it is half full; at the end the halo is sorted,
 * so its numbers ascend with the global ones, or with those of the whole model where the nodes are numbered by its parts. */
#include "graph/local.h"
#include "base/sort.h"
#include "graph/digits.h"
#include <string.h>

enum { FIRST_TABLE = 1024 };

static hk_status make_table(hk_local *l, hk_index size)
{
  HK_PASS(hk_pool_resize(&l->pool, &l->key, size));
  HK_PASS(hk_pool_resize(&l->pool, &l->value, size));
  memset(l->key, 0, (size_t)size * sizeof *l->key);
  l->table = size;
  return HK_OK;
}

hk_status hk_local_create(hk_local **out)
{
  hk_status status = HK_OK;
  hk_local *l = NULL;
  HK_TRY(hk_new(&l));
  HK_TRY(make_table(l, FIRST_TABLE));
  *out = l, l = NULL;
cleanup:
  hk_local_destroy(&l);
  return status;
}

void hk_local_destroy(hk_local **local)
{
  if (*local) hk_pool_clear(&(*local)->pool);
  hk_free(local);
}

void hk_local_start(hk_local *l, hk_index first, hk_index count)
{
  l->first = first, l->count = count, l->halos = 0;
  memset(l->key, 0, (size_t)l->table * sizeof *l->key);
}

/* Where the node is or would be; keys are node + 1, 0 is empty. */
static hk_index place_of(const hk_local *l, hk_index node)
{
  hk_index at = (hk_index)((uint32_t)node * 2654435761u >> 7) & (l->table - 1);
  while (l->key[at] && l->key[at] != node + 1) at = (at + 1) & (l->table - 1);
  return at;
}

static hk_status grow(hk_local *l)
{
  const hk_status status = make_table(l, 2 * l->table);
  if (status != HK_OK) return status;
  for (hk_index k = 0; k < l->halos; k++) l->key[place_of(l, l->halo[k])] = l->halo[k] + 1;
  return HK_OK;
}

hk_status hk_local_add(hk_local *l, hk_index node)
{
  if (node >= l->first && node < l->first + l->count) return HK_OK;
  const hk_index at = place_of(l, node);
  if (l->key[at]) return HK_OK;
  HK_PASS(hk_pool_reserve(&l->pool, (void **)&l->halo, l->halos + 1, &l->halo_capacity,
                          sizeof *l->halo));
  l->key[at] = node + 1;
  l->halo[l->halos++] = node;
  if (2 * l->halos > l->table) HK_PASS(grow(l));
  return HK_OK;
}

static void sort_halo(hk_local *l)
{
  hk_index most = 0;
  for (hk_index k = 0; k < l->halos; k++)
    if (l->halo[k] > most) most = l->halo[k];
  hk_sort_digits(l->halo, l->value, l->halos, most);
}

static hk_status sort_halo_by(hk_local *l, const hk_index *order)
{
  HK_PASS(
      hk_pool_reserve(&l->pool, (void **)&l->rank, l->halos, &l->rank_capacity, sizeof *l->rank));
  for (hk_index k = 0; k < l->halos; k++) l->rank[k] = (uint64_t)order[l->halo[k]];
  return hk_mesh_sort(l->halos, l->rank, l->halo);
}

hk_status hk_local_finish(hk_local *l, const hk_index *order)
{
  if (order)
    HK_PASS(sort_halo_by(l, order));
  else
    sort_halo(l);
  for (hk_index k = 0; k < l->halos; k++) l->value[place_of(l, l->halo[k])] = l->count + k;
  return HK_OK;
}

hk_index hk_local_find(const hk_local *l, hk_index node)
{
  if (node >= l->first && node < l->first + l->count) return node - l->first;
  return l->value[place_of(l, node)];
}

hk_index hk_local_node(const hk_local *l, hk_index number)
{
  return number < l->count ? l->first + number : l->halo[number - l->count];
}
