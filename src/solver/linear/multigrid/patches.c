/* Inverses of larger diagonal blocks, the patches of nodes that patches_group.c puts together: x += P (A_pp)^-1 P^T r.
 * The matrices are read CHUNK patches at a time from the assembled rows, held degrees of freedom zeroed, inverted on the host
 * and sent; the step is level_patches of level.k.h. */
#include "solver/linear/multigrid/patches.h"
#include "operator/assembly/assembled.h"
#include "solver/linear/sparse/block_rows.h"

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

/* Patches [first, first + count). */
static hk_status invert_chunk(const inverting *k, hk_count first, hk_count count,
                              hk_buffer *inverse)
{
  hk_status status = HK_OK;
  hk_device *device = k->op->desc.device;
  const bool real = k->op->desc.double_precision;
  const hk_count size = (hk_count)k->rows * k->rows, nodes = count * HK_PATCH_NODES;
  hk_pool pool = {0};
  hk_buffer *list, *block;
  double *a;
  HK_TRY(hk_buffer_get(&pool, device, nodes * 4, &list));
  HK_TRY(hk_buffer_get(&pool, device, count * size * (real ? 8 : 4), &block));
  HK_TRY(hk_pool_get(&pool, &a, count * size));
  HK_TRY(hk_buffer_write(list, 0, nodes * 4, k->list + first * HK_PATCH_NODES));
  HK_TRY(hk_assembled_blocks(k->op, list, count, HK_PATCH_NODES, block));
  HK_TRY(hk_buffer_read_reals(block, real, 0, count * size, a));
#pragma omp parallel for schedule(static)
  for (hk_count p = 0; p < count; p++) {
    restrict_to(k, k->list + (first + p) * HK_PATCH_NODES, a + p * size);
    hk_block_invert(k->rows, a + p * size);
  }
  HK_TRY(hk_buffer_write_reals(inverse, real, first * size, count * size, a));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_patches_create(const hk_operator *op, const hk_constraints *constraints,
                            const double *diagonal, hk_patches *p)
{
  hk_status status = HK_OK;
  hk_device *device = op->desc.device;
  const bool real = op->desc.double_precision;
  const int n = op->desc.space->components, rows = n * HK_PATCH_NODES;
  hk_index *list = NULL;
  uint8_t *held = NULL;
  HK_TRY(hk_patches_group(op->desc.space, &p->count, &list));
  HK_TRY(hk_get(&held, constraints->dofs));
  for (hk_index i = 0; i < constraints->count; i++) held[constraints->dof[i]] = 1;
  const hk_count places = (hk_count)p->count * HK_PATCH_NODES;
  HK_TRY(hk_buffer_get(&p->pool, device, places * 4, &p->list));
  HK_TRY(hk_buffer_write(p->list, 0, places * 4, list));
  HK_TRY(hk_buffer_get(&p->pool, device, (hk_count)p->count * rows * rows * (real ? 8 : 4),
                       &p->inverse));
  p->bytes = hk_buffer_bytes(p->list) + hk_buffer_bytes(p->inverse);
  const inverting k = {op, diagonal, held, list, n, rows};
  const hk_count most = hk_memory_room(CHUNK);
  for (hk_count first = 0; first < p->count; first += most)
    HK_TRY(invert_chunk(&k, first, p->count - first < most ? p->count - first : most, p->inverse));
  HK_TRY(hk_level_kernel(&p->pool, device, "level_patches", n, n, real, &p->step));
  p->groups = (places + hk_level_group(device) - 1) / hk_level_group(device);
cleanup:
  hk_free(&list);
  hk_free(&held);
  return status;
}

void hk_patches_destroy(hk_patches *p)
{
  hk_pool_clear(&p->pool);
  *p = (hk_patches){0};
}

hk_status hk_patches_step(const hk_patches *p, const hk_buffer *r, hk_buffer *d, hk_buffer *x,
                          double c1, double c2, int mode)
{
  return hk_kernel_launch(p->step, 0, p->groups,
                          HK_ARGUMENTS(r, d, x, p->list, p->inverse, c1, c2, mode, p->count));
}
