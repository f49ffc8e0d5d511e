/* The builder of models: readers of cases and of decks add loads, motions, states, signals and equations one by one with it. All of them live in
 * the model's pool. Lists that are handed on as they are (loads and motions of a step, of a shot) double where their count reaches a power of two,
 * so that they keep no room beside their count. */
#include "model/model.h"
#include <string.h>

static hk_status grow(hk_pool *pool, void **list, int count, size_t size)
{
  const bool full = !(count & (count - 1));
  return full ? hk_pool_resize_array(pool, count ? 2 * (hk_count)count : 1, size, list) : HK_OK;
}

#define ADD(room, item, out, ...)                                                                  \
  const hk_status status = (room);                                                                 \
  if (status != HK_OK) return status;                                                              \
  *(out) = &(item);                                                                                \
  **(out) = (__VA_ARGS__);                                                                         \
  return HK_OK

hk_status hk_step_add_load(hk_model *model, hk_step *step, hk_load_kind kind, int signal,
                           hk_place place, hk_load **out)
{
  ADD(grow(&model->pool, (void **)&step->load, step->load_count, sizeof *step->load),
      step->load[step->load_count++], out,
      (hk_load){.kind = kind, .signal = signal, .film_signal = -1, .place = place});
}

hk_status hk_step_add_motion(hk_model *model, hk_step *step, hk_motion_kind kind, int signal,
                             hk_place place, hk_motion **out)
{
  ADD(grow(&model->pool, (void **)&step->motion, step->motion_count, sizeof *step->motion),
      step->motion[step->motion_count++], out,
      (hk_motion){.kind = kind, .signal = signal, .place = place});
}

hk_status hk_model_add_initial(hk_model *model, hk_motion_kind kind, hk_place place,
                               hk_initial **out)
{
  ADD(hk_pool_more(&model->pool, &model->initial), model->initial.at[model->initial.count++], out,
      (hk_initial){.kind = kind, .place = place});
}

hk_status hk_model_add_absorb(hk_model *model, hk_absorb_kind kind, hk_place place, hk_absorb **out)
{
  ADD(hk_pool_more(&model->pool, &model->absorb), model->absorb.at[model->absorb.count++], out,
      (hk_absorb){.kind = kind, .place = place});
}

hk_status hk_model_add_equation(hk_model *model, hk_count terms, hk_place place, hk_equation **out)
{
  hk_equation e = {.place = place};
  hk_status status = hk_pool_few(&model->pool, &e.node, terms);
  if (status == HK_OK) status = hk_pool_few(&model->pool, &e.component, terms);
  if (status == HK_OK) status = hk_pool_few(&model->pool, &e.coefficient, terms);
  if (status == HK_OK) status = hk_pool_more(&model->pool, &model->equation);
  if (status != HK_OK) return status;
  *out = &model->equation.at[model->equation.count++];
  **out = e;
  return HK_OK;
}

hk_status hk_model_add_file(hk_model *model, const char *path)
{
  hk_status status = hk_pool_more(&model->pool, &model->file);
  if (status == HK_OK)
    status = hk_pool_text(&model->pool, path, &model->file.at[model->file.count]);
  model->file.count += status == HK_OK;
  return status;
}

/* *to = a copy of count numbers; NULL stays NULL. */
static hk_status copy_numbers(hk_pool *pool, hk_count count, const double *from, double **to)
{
  *to = NULL;
  if (!from) return HK_OK;
  const hk_status status = hk_pool_get(pool, to, count);
  if (status == HK_OK && count) memcpy(*to, from, (size_t)count * sizeof *from);
  return status;
}

hk_status hk_model_add_signal(hk_model *model, const hk_signal *signal, int *number)
{
  hk_signal copy = *signal;
  HK_PASS(hk_pool_text(&model->pool, signal->name, &copy.name));
  HK_PASS(copy_numbers(&model->pool, signal->count, signal->time, &copy.time));
  HK_PASS(copy_numbers(&model->pool, signal->count, signal->value, &copy.value));
  HK_PASS(hk_pool_more(&model->pool, &model->signal));
  *number = (int)model->signal.count;
  model->signal.at[model->signal.count++] = copy;
  return HK_OK;
}

hk_status hk_model_add_formula(hk_model *model, const char *text, bool warm, const hk_formula **out)
{
  const hk_spatials fields = {model->field.count, (const hk_spatial *const *)model->field.at, NULL};
  return hk_model_add_formula_with(model, text, warm, &fields, out);
}

hk_status hk_model_add_formula_with(hk_model *model, const char *text, bool warm,
                                    const hk_spatials *fields, const hk_formula **out)
{
  HK_PASS(hk_pool_more(&model->pool, &model->formula));
  HK_PASS(hk_formula_read_with(text, warm, fields, &model->formula.at[model->formula.count]));
  *out = model->formula.at[model->formula.count++];
  return HK_OK;
}
