/* The rows of one process: the plug-in's solver, and the parts of right side and solution that go with it. */
#include "solver/linear/petsc/petsc.h"
#include <string.h>

hk_status hk_petsc_part_create(const hk_petsc_rows *rows, hk_petsc_how how, hk_petsc_part *p)
{
  const hk_count numbers = rows->rows * rows->components;
  how.several = hk_ranks_now() != NULL;
  p->rows = rows->rows, p->components = rows->components;
  HK_PASS(hk_petsc_open(&p->petsc));
  HK_PASS(hk_pool_get(&p->pool, &p->right, numbers));
  HK_PASS(hk_pool_get(&p->pool, &p->x, numbers));
  const int kind = p->petsc->create(rows, &how, &p->solver);
  return kind ? hk_petsc_fail(p->petsc, kind, how.options) : HK_OK;
}

hk_status hk_petsc_part_solve(hk_petsc_part *p, const hk_petsc_run *run, hk_petsc_result *result)
{
  memset(p->x, 0, (size_t)(p->rows * p->components) * sizeof *p->x);
  const int kind = p->petsc->solve(p->solver, run, p->right, p->x, result);
  return kind ? hk_petsc_fail(p->petsc, kind, "") : HK_OK;
}

void hk_petsc_part_destroy(hk_petsc_part *p)
{
  if (p->petsc) p->petsc->destroy(&p->solver);
  hk_pool_clear(&p->pool);
  *p = (hk_petsc_part){0};
}
