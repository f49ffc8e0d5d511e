/* `fields:` of a case: grids from files and random media (field/field.h) become fields of the model, which formulas use by name. */
#include "field/field.h"
#include "input/case/case.h"
#include <math.h>
#include <string.h>

/* {correlation, std, ...} */
static hk_status read_random(hk_case *c, const hk_node *node, const char *name, hk_spatial **out)
{
  const hk_node *length = hk_case_value(node, "correlation"), *kind = hk_case_value(node, "kind");
  hk_random_desc desc = {.dim = c->model->mesh->dim,
                         .kind = kind ? (hk_random_kind)kind->number : HK_RANDOM_GAUSSIAN,
                         .std = hk_case_number(node, "std", 0),
                         .hurst = hk_case_number(node, "hurst", 0.3),
                         .seed = (int64_t)hk_case_number(node, "seed", 0),
                         .modes = (int)hk_case_number(node, "modes", 1000)};
  if (!length || node->refused) return HK_OK;
  if (length->kind == HK_NODE_SCALAR)
    for (int d = 0; d < 3; d++) desc.correlation[d] = length->number;
  else if (!hk_case_vector(c, length, desc.correlation))
    return HK_OK;
  if (c->any_dim) desc.dim = length->kind == HK_NODE_LIST ? length->count : 2;
  return hk_random_create(&desc, name, out);
}

static hk_status read_grid(hk_case *c, const hk_node *map, const hk_node *file, hk_spatial **out)
{
  hk_status status = HK_OK;
  char *path = NULL, axes[4] = "";
  const hk_node *list = hk_case_value(map, "axes");
  for (const hk_node *n = list ? list->child : NULL; n; n = n->next)
    if (!n->refused) axes[strlen(axes)] = n->text[0];
  const hk_grid_desc desc = {
      .name = hk_case_text(map, "name", NULL),
      .axes = list ? axes : NULL,
      .unit = hk_case_text(map, "unit", NULL),
      .axis_unit = hk_case_text(map, "axis_unit", NULL),
      .units = c->plain ? NULL : c->model->units.si,
      .nearest_outside = !strcmp(hk_case_text(map, "outside", "refuse"), "nearest"),
      .nearest = !strcmp(hk_case_text(map, "interpolation", "linear"), "nearest")};
  HK_TRY(hk_case_beside(c, file->text, &path));
  HK_TRY(hk_model_add_file(c->model, path));
  hk_grid_desc with = desc;
  with.path = path;
  HK_TRY(hk_case_forgive(c, file, hk_grid_read(&with, map->key, out)));
cleanup:
  hk_free(&path);
  return status;
}

static bool any_refused(const hk_node *map)
{
  bool refused = map->refused || map->kind != HK_NODE_MAP;
  for (const hk_node *n = map->child; n; n = n->next) refused = refused || n->refused;
  return refused;
}

static void refuse_units(hk_case *c, const hk_node *map)
{
  if (c->plain)
    hk_case_refuse(c, map, HK_WORDS("unit", "axis_unit"), "", ": the case has units: none");
}

static double nowhere(const hk_spatial *field, const double x[3])
{
  (void)field, (void)x;
  return NAN;
}

static void forget(hk_spatial *field)
{
  hk_free(&field->name);
  hk_free(&field);
}

/* Stands for a field that could not be read, so that formulas know its name. */
static hk_status create_empty(const char *name, hk_spatial **out)
{
  HK_PASS(hk_new(out));
  (*out)->at = nowhere, (*out)->destroy = forget;
  return hk_copy_text((char **)&(*out)->name, name);
}

static hk_status add_field(hk_case *c, const hk_node *map)
{
  static const char *const of_grids[] = {"name",    "axes",          "unit", "axis_unit",
                                         "outside", "interpolation", NULL};
  hk_spatial *field = NULL;
  if (hk_formula_reserves(map->key)) {
    hk_case_error(c, map,
                  "field \"%.60s\": the name must be letters, digits and _, a letter first, and no "
                  "word of formulas",
                  map->key);
    return HK_OK;
  }
  if (hk_case_names_constant(map->key))
    hk_case_error(
        c, map,
        "field \"%s\": in the formulas of a material this is the material's own constant: "
        "give the field another name",
        map->key);
  HK_PASS(hk_pool_more(&c->model->pool, &c->model->field));
  if (!any_refused(map) && hk_case_either(c, map, "file", "random")) {
    const hk_node *file = hk_case_value(map, "file"), *random = hk_case_value(map, "random");
    refuse_units(c, map);
    if (random) hk_case_refuse(c, map, of_grids, "", " is for a grid: remove it, or give file");
    if (file) HK_PASS(read_grid(c, map, file, &field));
    if (random) HK_PASS(read_random(c, random, map->key, &field));
  }
  if (!field) HK_PASS(create_empty(map->key, &field));
  c->model->field.at[c->model->field.count++] = field;
  return HK_OK;
}

hk_status hk_case_fill_fields(hk_case *c)
{
  const hk_node *fields = hk_case_value(c->tree.root, "fields");
  for (const hk_node *n = fields ? fields->child : NULL; n; n = n->next) HK_PASS(add_field(c, n));
  return HK_OK;
}
