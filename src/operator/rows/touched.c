/* A stable counting sort of elements by the patches of their nodes. Each thread counts and then lists the elements of one chunk, behind those of
 * the chunks before it. */
#include "operator/rows/touched.h"
#include "element/element.h"
#include <omp.h>

enum { AHEAD = 12 }; /* elements whose nodes' numbers a loop asks for before it comes to them */

/* at[p] counts the elements [from, to) of the block that touch patch p; with a list it is where the next of them goes. */
static void visit(const hk_space *s, const hk_block *block, hk_count from, hk_count to,
                  hk_count *at, hk_index *list)
{
  const uint32_t size = (uint32_t)s->patch, patches = (uint32_t)s->patches;
  const int nodes = block->nodes;
  uint32_t patch[HK_MOST_NODES];
  for (hk_count e = from; e < to; e++) {
    const hk_index *node = block->node + e * nodes;
    for (int n = 0; n < nodes && e + AHEAD < to; n++)
      __builtin_prefetch(&s->node[node[AHEAD * nodes + n]]);
    for (int n = 0; n < nodes; n++) {
      int same = 0;
      patch[n] = (uint32_t)s->node[node[n]] / size;
      while (patch[same] != patch[n]) same++;
      if (same < n || patch[n] >= patches) continue;
      if (list) list[at[patch[n]]] = (hk_index)(block->first + e);
      at[patch[n]]++;
    }
  }
}

/* Of the elements [first, last) of the mesh. */
static void visit_chunk(const hk_space *s, hk_count first, hk_count last, hk_count *at,
                        hk_index *list)
{
  for (int b = 0; b < s->mesh->block_count; b++) {
    const hk_block *block = &s->mesh->block[b];
    const hk_count from = first > block->first ? first - block->first : 0,
                   to = last < block->first + block->count ? last - block->first : block->count;
    if (from < to) visit(s, block, from, to, at, list);
  }
}

/* at[chunk][patch]: counts become the places where each chunk begins. */
static void find_begins(const hk_space *s, int chunks, hk_count *at, hk_count *begin)
{
  hk_count sum = 0;
  for (hk_index p = 0; p < s->patches; p++) {
    begin[p] = sum;
    for (int c = 0; c < chunks; c++) {
      const hk_count count = at[(hk_count)c * s->patches + p];
      at[(hk_count)c * s->patches + p] = sum, sum += count;
    }
  }
  begin[s->patches] = sum;
}

hk_status hk_touched_find(const hk_space *space, hk_touched *out)
{
  hk_status status = HK_OK;
  const hk_count elements = space->mesh->element_count;
  const int chunks = omp_get_max_threads();
  hk_touched t = {0};
  hk_count *at = NULL;
  HK_TRY(hk_get(&t.begin, (hk_count)space->patches + 1));
  HK_TRY(hk_get(&at, (hk_count)space->patches * chunks));
#pragma omp parallel for schedule(static)
  for (int c = 0; c < chunks; c++)
    visit_chunk(space, elements * c / chunks, elements * (c + 1) / chunks,
                at + (hk_count)c * space->patches, NULL);
  find_begins(space, chunks, at, t.begin);
  HK_TRY(hk_get(&t.element, t.begin[space->patches]));
#pragma omp parallel for schedule(static)
  for (int c = 0; c < chunks; c++)
    visit_chunk(space, elements * c / chunks, elements * (c + 1) / chunks,
                at + (hk_count)c * space->patches, t.element);
  *out = t, t = (hk_touched){0};
cleanup:
  hk_free(&at);
  hk_touched_clear(&t);
  return status;
}

void hk_touched_clear(hk_touched *touched)
{
  hk_free(&touched->begin);
  hk_free(&touched->element);
}
