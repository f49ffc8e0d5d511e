/* The integral over time of component 0 of every node, kept beside the state (solver/explicit/vectors.k.h): of the potential of a fluid, whose slope
 * is its displacement. */
#include "solver/explicit/parts.h"

hk_status hk_integrals_create(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  if (!desc->integrals) return HK_OK;
  HK_TRY(hk_buffer_create(s->device, (hk_count)s->shots * s->space->padded * 8,
                          &s->small[HK_INTEGRAL]));
  HK_TRY(hk_kernel_create(s->device,
                          &(hk_kernel_desc){.text = "vectors",
                                            .function = "vectors_integrate",
                                            .double_precision = s->double_precision,
                                            .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                                       {"DAMPED", s->damped},
                                                       {"DIM", s->space->components},
                                                       {"FORM", (int)s->form}}},
                          &s->integrating));
cleanup:
  return status;
}

hk_status hk_integrals_clear(hk_explicit *s)
{
  hk_status status = HK_OK;
  double *zero = NULL;
  if (!s->small[HK_INTEGRAL]) return HK_OK;
  const hk_count bytes = s->space->padded * 8LL;
  HK_TRY(hk_get(&zero, s->space->padded));
  for (int k = 0; k < s->shots; k++)
    HK_TRY(hk_buffer_write(s->small[HK_INTEGRAL], k * bytes, bytes, zero));
cleanup:
  hk_free(&zero);
  return status;
}

hk_status hk_integrals_launch(hk_explicit *s, int from)
{
  const hk_argument argument[] = {hk_arg_buffer(s->x[from]), hk_arg_buffer(s->x[1 - from]),
                                  hk_arg_buffer(s->small[HK_INTEGRAL]),
                                  hk_arg_int(s->space->padded), hk_arg_double(0.5 * s->dt)};
  if (!s->integrating) return HK_OK;
  return hk_kernel_launch(s->integrating, 0, (hk_count)s->groups * s->shots, argument,
                          sizeof argument / sizeof *argument);
}

/* With the copy that a trial step is taken back by. */
hk_count hk_integrals_plan(const hk_space *space, int shots)
{
  return 2 * 8LL * space->padded * shots;
}
