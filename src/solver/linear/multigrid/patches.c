/* Inverses of larger diagonal blocks, the patches of nodes that patches_group.c puts together: x += P (A_pp)^-1 P^T r.
 * The matrices are read from the assembled rows, held degrees of freedom zeroed, and inverted: by a device with its own memory in place (level_patches_invert),
 * else CHUNK patches at a time by the host. The step is level_patches of level.k.h. Of ranks that share rows, patches with nodes of others come last (patches_share.c). */
#include "solver/linear/multigrid/patches.h"
#include "operator/assembly/assembled.h"
#include "solver/linear/sparse/block_rows.h"

_Static_assert(HK_MOST_INVERTED >= HK_PATCH_NODES * HK_MOST_EQUATIONS, "rows of a patch");

enum { CHUNK = 1024 }; /* patches at a time, or the share of them */

/* What the matrices of patches are made of. */
typedef struct inverting {
  const hk_operator *op;
  const double *diagonal;
  const uint8_t *held; /* held[dofs] */
  const hk_index *list;
  int components, rows;
} inverting;

/* a[rows][rows] of a patch: own blocks from diagonal, what is held zero. */
static void restrict_to(const inverting *k, const hk_index *list, double *a)
{
  const int n = k->components;
  for (int i = 0; i < k->rows; i++)
    for (int j = 0; j < k->rows; j++) {
      const hk_index own = list[i / n], other = list[j / n];
      double *to = &a[i * k->rows + j];
      if (own < 0 || other < 0 ||
          (own != other &&
           (k->held[(hk_count)own * n + i % n] || k->held[(hk_count)other * n + j % n])))
        *to = 0;
      else if (own == other)
        *to = k->diagonal[(hk_count)own * n * n + i % n * n + j % n];
    }
}

/* a[count][rows][rows] of patches [first, first + count). */
static hk_status read_chunk(const inverting *k, hk_count first, hk_count count, double *a)
{
  hk_status status = HK_OK;
  hk_device *device = k->op->desc.device;
  const bool real = k->op->desc.double_precision;
  const hk_count size = (hk_count)k->rows * k->rows, nodes = count * HK_PATCH_NODES;
  hk_pool pool = {0};
  hk_buffer *list, *block;
  HK_TRY(hk_buffer_get(&pool, device, nodes * 4, &list));
  HK_TRY(hk_buffer_get(&pool, device, count * size * (real ? 8 : 4), &block));
  HK_TRY(hk_buffer_write(list, 0, nodes * 4, k->list + first * HK_PATCH_NODES));
  HK_TRY(hk_assembled_blocks(k->op, list, count, HK_PATCH_NODES, block));
  HK_TRY(hk_buffer_read_reals(block, real, 0, count * size, a));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status send_inverses(const inverting *k, hk_count first, hk_count count, double *a,
                               hk_buffer *inverse)
{
  const hk_count size = (hk_count)k->rows * k->rows;
#pragma omp parallel for schedule(static)
  for (hk_count p = 0; p < count; p++) {
    restrict_to(k, k->list + (first + p) * HK_PATCH_NODES, a + p * size);
    hk_block_invert(k->rows, a + p * size);
  }
  return hk_buffer_write_reals(inverse, k->op->desc.double_precision, first * size, count * size,
                               a);
}

/* Patches [first, first + count). */
static hk_status invert_chunk(const inverting *k, hk_count first, hk_count count,
                              hk_buffer *inverse)
{
  hk_status status = HK_OK;
  double *a = NULL;
  HK_TRY(hk_get(&a, count * k->rows * k->rows));
  HK_TRY(read_chunk(k, first, count, a));
  HK_TRY(send_inverses(k, first, count, a, inverse));
cleanup:
  hk_free(&a);
  return status;
}

/* Of these patches each rank has the rows of its nodes. */
static hk_status invert_border(const inverting *k, hk_count first, hk_count count,
                               hk_buffer *inverse)
{
  hk_status status = HK_OK;
  double *a = NULL;
  status = hk_get(&a, count * k->rows * k->rows);
  if (status == HK_OK && count) status = read_chunk(k, first, count, a);
  HK_TRY(hk_ranks_agree(status));
  HK_TRY(hk_patches_complete(k->op->desc.share, k->list + first * HK_PATCH_NODES, count,
                             k->components, a));
  HK_TRY(send_inverses(k, first, count, a, inverse));
cleanup:
  hk_free(&a);
  return status;
}

static hk_status invert_all(const inverting *k, hk_index count, hk_index inner, hk_buffer *inverse)
{
  const hk_count most = hk_memory_room(CHUNK);
  for (hk_count first = 0; first < inner; first += most)
    HK_PASS(invert_chunk(k, first, inner - first < most ? inner - first : most, inverse));
  return k->op->desc.share ? invert_border(k, inner, count - inner, inverse) : HK_OK;
}

/* Bytes of LOCAL memory of level_patches_invert. */
static hk_count local_of(int rows)
{
  return hk_local_bytes((hk_count)rows * (rows + 1), 8) + 3 * hk_local_bytes(rows, 8);
}

/* A device with a memory of its own inverts its blocks itself. Single precision would lose digits of the inverses. */
static bool inverts_there(const inverting *k)
{
  const hk_device_info *info = hk_device_describe(k->op->desc.device);
  return info->own_memory && k->op->desc.double_precision && !k->op->desc.share &&
         (info->local_memory == 0 || local_of(k->rows) <= info->local_memory);
}

static hk_status invert_there(const inverting *k, const hk_patches *p)
{
  hk_status status = HK_OK;
  hk_device *device = k->op->desc.device;
  const int n = k->components;
  const hk_count bytes = (hk_count)k->op->desc.space->padded * n * n * 8;
  hk_pool pool = {0};
  hk_buffer *diagonal;
  hk_kernel *invert;
  HK_TRY(hk_kernel_get(
      &pool, device,
      &(hk_kernel_desc){
          .text = "level",
          .function = "level_patches_invert",
          .double_precision = true,
          .define = {{"BLOCK", n}, {"COLUMNS", n}, {"NODES", hk_level_group(device)}, {"ROWS", n}},
          .local = local_of(k->rows)},
      &invert));
  HK_TRY(hk_buffer_get(&pool, device, bytes, &diagonal));
  HK_TRY(hk_buffer_write(diagonal, 0, bytes, k->diagonal));
  HK_TRY(hk_assembled_blocks(k->op, p->list, p->count, HK_PATCH_NODES, p->inverse));
  HK_TRY(hk_kernel_launch(invert, 0, p->count, HK_ARGUMENTS(p->list, diagonal, p->inverse)));
  HK_TRY(hk_device_finish(device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status create_kernel(hk_device *device, int components, bool real, hk_patches *p)
{
  const hk_count places = (hk_count)p->count * HK_PATCH_NODES, group = hk_level_group(device);
  p->groups = (places + group - 1) / group;
  p->bytes = hk_buffer_bytes(p->list) + hk_buffer_bytes(p->inverse);
  return hk_level_kernel(&p->pool, device, "level_patches", components, components, real, &p->step);
}

hk_status hk_patches_create(const hk_operator *op, const hk_constraints *constraints,
                            const double *diagonal, hk_patches *p)
{
  hk_status status = HK_OK;
  hk_device *device = op->desc.device;
  const hk_sharing *share = op->desc.share;
  const bool real = op->desc.double_precision;
  const int n = op->desc.space->components, rows = n * HK_PATCH_NODES;
  hk_index *list = NULL, inner;
  uint8_t *held = NULL;
  HK_TRY(hk_patches_group(op->desc.space, &p->count, &list));
  inner = p->count;
  if (share) HK_TRY(hk_patches_keep(share, &p->count, &inner, &list));
  HK_TRY(hk_get(&held, constraints->dofs));
  for (hk_index i = 0; i < constraints->count; i++) held[constraints->dof[i]] = 1;
  const hk_count places = (hk_count)p->count * HK_PATCH_NODES;
  HK_TRY(hk_buffer_get(&p->pool, device, places * 4, &p->list));
  HK_TRY(hk_buffer_write(p->list, 0, places * 4, list));
  HK_TRY(hk_buffer_get(&p->pool, device, (hk_count)p->count * rows * rows * (real ? 8 : 4),
                       &p->inverse));
  const inverting k = {op, diagonal, held, list, n, rows};
  HK_TRY(inverts_there(&k) ? invert_there(&k, p) : invert_all(&k, p->count, inner, p->inverse));
  HK_TRY(create_kernel(device, n, real, p));
  if (share) HK_TRY(hk_patches_halo(share, device, list, p->count, n, &p->halo));
cleanup:
  hk_free(&list);
  hk_free(&held);
  return status;
}

void hk_patches_destroy(hk_patches *p)
{
  hk_pool_clear(&p->pool);
  hk_halo_destroy(&p->halo);
  *p = (hk_patches){0};
}

hk_status hk_patches_step(const hk_patches *p, const hk_buffer *r, hk_buffer *d, hk_buffer *x,
                          double c1, double c2, int mode)
{
  return hk_kernel_launch(p->step, 0, p->groups,
                          HK_ARGUMENTS(r, d, x, p->list, p->inverse, c1, c2, mode, p->count));
}
