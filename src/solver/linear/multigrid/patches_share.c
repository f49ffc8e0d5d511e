/* Patches with nodes of several ranks. Each rank that owns a node of a patch has the patch and steps all of it; rows of its matrix come from the owners of their nodes.
 * Ranks list the patches that they have together in the same order, so that mails need no heads. */
#include "solver/linear/multigrid/patches.h"
#include <string.h>

static bool is_of(const hk_sharing *s, int rank, hk_index node)
{
  return node >= s->cut[rank] && node < s->cut[rank + 1]; /* none: -1 */
}

static int count_nodes(const hk_sharing *s, int rank, const hk_index *patch)
{
  int count = 0;
  for (int n = 0; n < HK_PATCH_NODES; n++) count += is_of(s, rank, patch[n]);
  return count;
}

static int size_of(const hk_index *patch)
{
  int count = 0;
  for (int n = 0; n < HK_PATCH_NODES; n++) count += patch[n] >= 0;
  return count;
}

hk_status hk_patches_keep(const hk_sharing *s, hk_index *count, hk_index *inner, hk_index **list)
{
  hk_index *kept = NULL, next = 0;
  HK_PASS(hk_get(&kept, (hk_count)*count * HK_PATCH_NODES));
  for (int border = 0; border < 2; border++) {
    for (hk_index p = 0; p < *count; p++) {
      const hk_index *patch = *list + (hk_count)p * HK_PATCH_NODES;
      const int own = count_nodes(s, s->rank, patch);
      if (!own || (own < size_of(patch)) != border) continue;
      memcpy(kept + (hk_count)next++ * HK_PATCH_NODES, patch, HK_PATCH_NODES * sizeof *patch);
    }
    if (!border) *inner = next;
  }
  hk_free(list);
  *list = kept, *count = next;
  return HK_OK;
}

typedef struct mailing {
  const hk_sharing *share;
  const hk_index *list; /* list[count][HK_PATCH_NODES] */
  hk_count count;
  hk_count rows, node; /* rows of a matrix; numbers of a node's rows */
  double *a;           /* a[count][rows][rows] */
} mailing;

typedef enum { COUNT, PACK, UNPACK } walking;

/* The rows of nodes of `owner` in patches that rank k has too, from or to mail; their numbers. */
static hk_count walk(const mailing *m, int owner, int k, walking way, double *mail)
{
  hk_count at = 0;
  for (hk_count p = 0; p < m->count; p++) {
    const hk_index *patch = m->list + p * HK_PATCH_NODES;
    if (!count_nodes(m->share, k, patch)) continue;
    for (int n = 0; n < HK_PATCH_NODES; n++) {
      if (!is_of(m->share, owner, patch[n])) continue;
      double *row = m->a + p * m->rows * m->rows + n * m->node;
      if (way == PACK) memcpy(mail + at, row, (size_t)m->node * sizeof *row);
      if (way == UNPACK) memcpy(row, mail + at, (size_t)m->node * sizeof *row);
      at += m->node;
    }
  }
  return at;
}

static hk_status begin(const mailing *m, hk_pool *pool, hk_mail **send, hk_mail **take)
{
  const hk_sharing *s = m->share;
  HK_PASS(hk_pool_get(pool, send, s->count));
  HK_PASS(hk_pool_get(pool, take, s->count));
  for (int k = 0; k < s->count; k++) {
    const hk_count going = k == s->rank ? 0 : walk(m, s->rank, k, COUNT, NULL),
                   coming = k == s->rank ? 0 : walk(m, k, k, COUNT, NULL);
    double *out, *in;
    HK_PASS(hk_pool_get(pool, &out, going));
    HK_PASS(hk_pool_get(pool, &in, coming));
    if (going) walk(m, s->rank, k, PACK, out);
    (*send)[k] = (hk_mail){out, going * 8}, (*take)[k] = (hk_mail){in, coming * 8};
  }
  return HK_OK;
}

hk_status hk_patches_complete(const hk_sharing *share, const hk_index *list, hk_count count,
                              int components, double *a)
{
  hk_status status = HK_OK;
  const hk_count rows = (hk_count)components * HK_PATCH_NODES;
  const mailing m = {share, list, count, rows, components * rows, a};
  hk_pool pool = {0};
  hk_mail *send, *take;
  HK_TRY(hk_ranks_agree(begin(&m, &pool, &send, &take)));
  HK_TRY(hk_sharing_swap(share, send, take));
  for (int k = 0; k < share->count; k++)
    if (take[k].bytes) walk(&m, k, k, UNPACK, take[k].data);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_patches_halo(const hk_sharing *share, hk_device *device, const hk_index *list,
                          hk_count count, int components, hk_halo **out)
{
  hk_status status = HK_OK;
  uint8_t *needed = NULL;
  HK_TRY(hk_ranks_agree(hk_get(&needed, share->cut[share->count])));
  for (hk_count k = 0; k < count * HK_PATCH_NODES; k++)
    if (list[k] >= 0) needed[list[k]] = 1;
  HK_TRY(hk_halo_create(share, device, needed, components * 8LL, out));
cleanup:
  hk_free(&needed);
  return status;
}
