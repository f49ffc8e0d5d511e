/* Items of a model, added one by one: each list doubles where its count reaches a power of two, so that no list keeps its room. */
#include "model/model.h"

static hk_status grow(void **list, int count, size_t size)
{
  const bool full = !(count & (count - 1));
  return full ? hk_memory_resize(list, count ? 2 * (hk_count)count : 1, size) : HK_OK;
}

#define ADD(list, out, ...)                                                                        \
  hk_status status = HK_OK;                                                                        \
  HK_TRY(grow((void **)&(list), list##_count, sizeof *(list)));                                    \
  *(out) = &(list)[list##_count++];                                                                \
  **(out) = (__VA_ARGS__);                                                                         \
  cleanup:                                                                                         \
  return status

hk_status hk_step_add_load(hk_step *step, hk_load_kind kind, int signal, hk_place place,
                           hk_load **out)
{
  ADD(step->load, out,
      (hk_load){.kind = kind, .signal = signal, .film_signal = -1, .place = place});
}

hk_status hk_step_add_motion(hk_step *step, hk_motion_kind kind, int signal, hk_place place,
                             hk_motion **out)
{
  ADD(step->motion, out, (hk_motion){.kind = kind, .signal = signal, .place = place});
}

hk_status hk_model_add_initial(hk_model *model, hk_motion_kind kind, hk_place place,
                               hk_initial **out)
{
  ADD(model->initial, out, (hk_initial){.kind = kind, .place = place});
}

hk_status hk_model_add_absorb(hk_model *model, hk_absorb_kind kind, hk_place place, hk_absorb **out)
{
  ADD(model->absorb, out, (hk_absorb){.kind = kind, .place = place});
}
