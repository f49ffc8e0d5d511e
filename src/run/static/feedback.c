/* Loads of heat conduction that depend on temperature, as entries of the term that Newton's tangent has (operator/element/feedback.c): all faces and
 * elements of all steps once, those of other steps than the one that is held with the scale 0. */
#include "run/static/static.h"
#include <stdlib.h>

static bool depends(const hk_load *load)
{
  return (load->kind == HK_LOAD_HEAT || load->kind == HK_LOAD_FLUX) && hk_formula_warm(load->by);
}

/* In the order of elements; of one element as they were given. */
static int by_element(const void *a, const void *b)
{
  const hk_static_feedback *x = a, *y = b;
  if (x->entry.element != y->entry.element)
    return (x->entry.element > y->entry.element) - (x->entry.element < y->entry.element);
  return (x->load > y->load) - (x->load < y->load);
}

hk_status hk_static_find_feedback(hk_static *s)
{
  const hk_model *model = s->on.model;
  hk_static_feedback *all = NULL;
  hk_count count = 0;
  for (const hk_step *step = model->step; step < model->step + model->step_count; step++)
    for (const hk_load *l = step->load; l < step->load + step->load_count; l++)
      if (depends(l)) count += l->target.count;
  if (!count) return HK_OK;
  HK_PASS(hk_pool_get(&s->pool, &all, count));
  HK_PASS(hk_pool_get(&s->pool, &s->feedback.entry, count));
  for (const hk_step *step = model->step; step < model->step + model->step_count; step++)
    for (const hk_load *l = step->load; l < step->load + step->load_count; l++)
      for (hk_count k = 0; depends(l) && k < l->target.count; k++)
        all[s->feedback.count++] = (hk_static_feedback){
            {l->target.item[k], l->kind == HK_LOAD_FLUX ? l->target.face[k] : -1, 0, l->by}, l};
  qsort(all, (size_t)count, sizeof *all, by_element);
  for (hk_count i = 0; i < count; i++) s->feedback.entry[i] = all[i].entry;
  s->feedback.of = all;
  return HK_OK;
}

void hk_static_scale_feedback(hk_static *s, const hk_acts_on *on, const hk_step *step)
{
  for (hk_count i = 0; i < s->feedback.count; i++) {
    const hk_load *l = s->feedback.of[i].load;
    const bool acts = l >= step->load && l < step->load + step->load_count;
    s->feedback.entry[i].scale = acts ? l->vector[0] * hk_acts_scale(on, l) : 0;
  }
}
