/* Which shapes a form of K knows, for tests over the lists of both. */
#ifndef TESTS_SERVES_H
#define TESTS_SERVES_H
#include "operator/operator.h"

static inline bool serves(const char *method, hk_shape shape)
{
  const hk_operator_kind *kind;
  hk_block block = {.shape = shape};
  const hk_mesh mesh = {.block = &block, .block_count = 1};
  return hk_operator_choose(method, &mesh, NULL, &kind) == HK_OK;
}
#endif
