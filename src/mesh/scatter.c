/* A stable counting sort of places by the owner of their node. Each thread counts and then writes the places of one chunk, behind those of the
 * chunks before it. */
#include "mesh/scatter.h"
#include <assert.h>
#include <omp.h>

hk_status hk_scatter_create(hk_count most, hk_scatter **out)
{
  hk_status status = HK_OK;
  hk_scatter *s = NULL;
  HK_TRY(hk_new(&s));
  const hk_count room = hk_memory_room(HK_SCATTER_MOST);
  s->most = most < room ? most : room, s->chunks = omp_get_max_threads();
  HK_TRY(hk_get(&s->place, s->most));
  HK_TRY(hk_get(&s->at, s->chunks));
  *out = s, s = NULL;
cleanup:
  hk_scatter_destroy(&s);
  return status;
}

void hk_scatter_destroy(hk_scatter **scatter)
{
  if (!*scatter) return;
  hk_free(&(*scatter)->place);
  hk_free(&(*scatter)->at);
  hk_free(scatter);
}

hk_count hk_scatter_part(hk_count count, int nodes)
{
  const hk_count room = hk_memory_room(HK_SCATTER_MOST), most = room < nodes ? 1 : room / nodes;
  return count < most ? count : most;
}

static int owner_of(hk_index node)
{
  return node / HK_SCATTER_RUN % HK_SCATTER_OWNERS;
}

/* at[chunk][owner]: counts become the places where each chunk begins. */
static void find_begins(hk_scatter *s)
{
  hk_index sum = 0;
  for (int o = 0; o < HK_SCATTER_OWNERS; o++) {
    s->begin[o] = sum;
    for (int c = 0; c < s->chunks; c++) {
      const hk_index count = s->at[c][o];
      s->at[c][o] = sum, sum += count;
    }
  }
  s->begin[HK_SCATTER_OWNERS] = sum;
}

void hk_scatter_sort(hk_scatter *s, hk_count count, const hk_index *node)
{
  assert(count <= s->most);
#pragma omp parallel for schedule(static)
  for (int c = 0; c < s->chunks; c++) {
    hk_index *at = s->at[c];
    for (int o = 0; o < HK_SCATTER_OWNERS; o++) at[o] = 0;
    for (hk_count k = count * c / s->chunks; k < count * (c + 1) / s->chunks; k++)
      at[owner_of(node[k])]++;
  }
  find_begins(s);
#pragma omp parallel for schedule(static)
  for (int c = 0; c < s->chunks; c++)
    for (hk_count k = count * c / s->chunks; k < count * (c + 1) / s->chunks; k++)
      s->place[s->at[c][owner_of(node[k])]++] = (hk_index)k;
}
