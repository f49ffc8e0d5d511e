/* The model as an object. It begins empty, owns one pool that holds its arrays and texts, and is destroyed with it. Errors
 * at a place of the input are told with the model's own file where the place names none. What a model holds is described
 * in model.h. */
#include "model/model.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hk_status hk_model_begin(const char *path, hk_model **out)
{
  hk_status status = HK_OK;
  hk_model *m = NULL;
  HK_TRY(hk_new(&m));
  HK_TRY(hk_pool_text(&m->pool, path, &m->path));
  strcpy(m->solve.method, "auto");
  *out = m, m = NULL;
cleanup:
  hk_model_destroy(&m);
  return status;
}

void hk_model_destroy(hk_model **model)
{
  hk_model *m = *model;
  if (!m) return;
  for (hk_count i = 0; i < m->formula.count; i++) hk_formula_destroy(&m->formula.at[i]);
  for (hk_count i = 0; i < m->field.count; i++) hk_spatial_destroy(&m->field.at[i]);
  hk_mesh_destroy(&m->mesh);
  hk_free(&m->media.fsi);
  hk_free(&m->spring.at);
  hk_pool_clear(&m->pool);
  hk_free(model);
}

const hk_mesh *hk_model_mesh(const hk_model *model)
{
  return model->mesh;
}

void hk_model_node_x(const hk_model *model, hk_count node, double x[3])
{
  for (int d = 0; d < 3; d++)
    x[d] = d < model->mesh->dim ? model->mesh->x[node * model->mesh->dim + d] : 0;
}

double hk_model_step_start(const hk_model *model, int step)
{
  double start = 0;
  for (int k = 0; k < step; k++) start += model->step[k].duration;
  return start;
}

void hk_units_name(const hk_units *units, hk_dimension dimension, char *out)
{
  hk_unit_name((const char *const[]){units->length, units->mass, units->time, units->temperature},
               dimension, out);
}

hk_status hk_model_error(const hk_model *model, hk_messages *list, hk_place place, hk_status code,
                         const char *format, ...)
{
  const char *file = place.file ? place.file : model->path;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hk_messages_add(list, HK_ERROR, file, place.line, 0, "%s", text);
  return place.line > 0 ? hk_error_set(code, "%s:%lld: %s", file, (long long)place.line, text)
                        : hk_error_set(code, "%s: %s", file, text);
}
