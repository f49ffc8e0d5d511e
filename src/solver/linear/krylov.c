/* What iterations on a device share. Every kernel of conjugate gradients (A.8) and of relaxations has the same defines: CHUNK numbers per group,
 * LIST entries of a short list per group, and local memory for two double sums per thread and lane. hk_iteration holds the sums of groups, the
 * numbers that iterations pass on, the history of residuals, and the graph of recorded iterations with two fetches of those numbers. */
#include "solver/linear/krylov.h"
#include <string.h>

hk_status hk_krylov_kernel(hk_pool *pool, hk_device *device, const char *text, const char *function,
                           bool double_precision, hk_kernel **out)
{
  const hk_device_info *info = hk_device_describe(device);
  const hk_count sums = (hk_count)info->group_threads * info->lanes;
  return hk_kernel_get(
      pool, device,
      &(hk_kernel_desc){.text = text,
                        .function = function,
                        .double_precision = double_precision,
                        .define = {{"CHUNK", HK_KRYLOV_CHUNK}, {"LIST", HK_KRYLOV_LIST}},
                        .local = 2 * hk_local_bytes(sums, 8)},
      out);
}

static hk_status take(hk_iteration *on, hk_count bytes, hk_buffer **out)
{
  on->bytes += bytes;
  return hk_buffer_get(&on->pool, on->device, bytes, out);
}

hk_status hk_iteration_vector(hk_iteration *on, bool double_precision, hk_buffer **out)
{
  return take(on, (hk_count)on->n * (double_precision ? 8 : 4), out);
}

static int components_of(const hk_iteration *on)
{
  return on->share ? (int)(on->n / on->share->cut[on->share->count]) : 1;
}

/* Most groups of a rank. */
static hk_count most_groups(const hk_sharing *share, int components, hk_index groups)
{
  hk_count most = 0;
  for (int k = 0; k < share->count; k++) {
    const hk_count own = hk_sharing_groups_of(share, k, components, HK_KRYLOV_CHUNK, groups).count;
    if (own > most) most = own;
  }
  return most;
}

hk_count hk_sums_room(const hk_sharing *share, int components, hk_index groups, int sums)
{
  return (share->count + 1) * sums * most_groups(share, components, groups) +
         (hk_count)sums * groups;
}

/* value[sums][groups]: the sums of this rank's groups become those of all. */
static hk_status join(const hk_sharing *share, int components, hk_index groups, int sums,
                      double *value, double *mail)
{
  const hk_count most = most_groups(share, components, groups), each = most * sums;
  const hk_share_groups own =
      hk_sharing_groups_of(share, share->rank, components, HK_KRYLOV_CHUNK, groups);
  double *all = mail + each;
  for (int s = 0; s < sums; s++)
    memcpy(mail + s * most, value + (hk_count)s * groups + own.first, (size_t)own.count * 8);
  HK_PASS(hk_ranks_join(share->ranks, mail, (int)(each * 8), all));
  for (int k = 0; k < share->count; k++) {
    const hk_share_groups of = hk_sharing_groups_of(share, k, components, HK_KRYLOV_CHUNK, groups);
    for (int s = 0; s < sums; s++)
      memcpy(value + (hk_count)s * groups + of.first, all + k * each + s * most,
             (size_t)of.count * 8);
  }
  return HK_OK;
}

/* Through a copy in mail, where the buffer is not the host's memory. */
hk_status hk_sums_join(const hk_sharing *share, int components, hk_index groups, int sums,
                       hk_buffer *part, double *mail)
{
  double *value = hk_buffer_host(part), *rest = mail + (hk_count)sums * groups;
  const hk_count bytes = (hk_count)sums * groups * 8;
  if (value) return join(share, components, groups, sums, value, mail);
  HK_PASS(hk_ranks_tear(share->ranks, hk_buffer_read(part, 0, bytes, mail)));
  HK_PASS(join(share, components, groups, sums, mail, rest));
  return hk_ranks_tear(share->ranks, hk_buffer_write(part, 0, bytes, mail));
}

hk_status hk_iteration_join(const hk_iteration *on, int sums)
{
  return on->share
             ? hk_sums_join(on->share, components_of(on), on->groups, sums, on->part, on->mail)
             : HK_OK;
}

hk_status hk_iteration_record(hk_iteration *on, hk_status (*launches)(void *user), void *user)
{
  on->launches = launches, on->user = user;
  return on->share ? HK_OK : hk_graph_record(on->device, launches, user, &on->graph);
}

hk_status hk_iteration_create(hk_iteration *on, hk_count dofs, hk_count history)
{
  HK_PASS(hk_narrow(dofs, "degrees of freedom, padding counted,", &on->n));
  on->groups = hk_krylov_groups(dofs);
  HK_PASS(take(on, on->groups * on->sums * 8LL, &on->part));
  HK_PASS(take(on, on->scalars * 8LL, &on->scalar));
  HK_PASS(take(on, history * 8, &on->history));
  for (int k = 0; k < 2; k++)
    HK_PASS(hk_fetch_create(on->device, on->scalars * 8LL, &on->fetch[k]));
  on->own = hk_sharing_groups(on->share, components_of(on), HK_KRYLOV_CHUNK, on->groups);
  if (!on->share) return HK_OK;
  return hk_pool_get(&on->pool, &on->mail,
                     hk_sums_room(on->share, components_of(on), on->groups, on->sums));
}

void hk_iteration_clear(hk_iteration *on)
{
  hk_graph_destroy(&on->graph);
  for (int k = 0; k < 2; k++) hk_fetch_destroy(&on->fetch[k]);
  hk_pool_clear(&on->pool);
}

hk_status hk_iteration_launch(const hk_iteration *on, int which)
{
  HK_PASS(on->share ? on->launches(on->user) : hk_graph_launch(on->graph));
  return hk_fetch_begin(on->fetch[which], 0, on->scalar, 0, on->scalars * 8LL);
}

hk_status hk_iteration_look(const hk_iteration *on, int which, double *scalar)
{
  const void *data;
  HK_PASS(hk_fetch_wait(on->fetch[which], &data));
  memcpy(scalar, data, (size_t)on->scalars * 8);
  return HK_OK;
}
