/* Threads of a rank: the processors that it may run on, shared with the ranks of its host that may run on some of them too. A launcher that binds its
 * ranks gives each its own; one that does not gives all of them to all. */
#include "link/ranks.h"
#include <sched.h>
#include <string.h>
#include <unistd.h>

typedef struct binding {
  char host[64];
  cpu_set_t processors;
} binding;

static bool meet(const binding *a, const binding *b)
{
  cpu_set_t both;
  CPU_AND(&both, &a->processors, &b->processors);
  return !memcmp(a->host, b->host, sizeof a->host) && CPU_COUNT(&both) > 0;
}

static binding find_binding(void)
{
  binding own;
  memset(&own, 0, sizeof own);
  gethostname(own.host, sizeof own.host - 1);
  if (sched_getaffinity(0, sizeof own.processors, &own.processors)) CPU_SET(0, &own.processors);
  return own;
}

hk_status hk_ranks_share_threads(hk_ranks *r, int *threads)
{
  hk_status status = HK_OK;
  const binding own = find_binding();
  binding *all = NULL;
  int sharing = 0;
  HK_TRY(hk_get(&all, r->place.ranks));
  HK_TRY(hk_ranks_collect(r, &own, sizeof own, all));
  for (int k = 0; k < r->place.ranks; k++) sharing += meet(&own, &all[k]);
  *threads = sharing > 0 ? CPU_COUNT(&own.processors) / sharing : 1;
  if (*threads < 1) *threads = 1;
cleanup:
  hk_free(&all);
  return status;
}
