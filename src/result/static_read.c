/* Finds the arrays of static solutions in run.h5: the datasets of /static/STEP and of
 * /static/STEP/points, each with unit, components and number of rows. Names of arrays at
 * integration points begin with points/. The layout is that of static_file.c
 * (docs/reference/results.md). */
#include "result/result.h"
#include <stdio.h>
#include <string.h>

static hk_status add_array(hk_result *r, const char *step, const char *name, hk_count *room)
{
  hk_hdf_array shape;
  HK_PASS(hk_reserve(&r->array, r->array_count + 1, room));
  hk_result_array *a = &r->array[r->array_count++];
  *a = (hk_result_array){0};
  HK_PASS(hk_copy_text(&a->step, step));
  HK_PASS(hk_copy_text(&a->name, name));
  HK_PASS(hk_format(&a->path, "/static/%s/%s", step, name));
  HK_PASS(hk_hdf_array_find(r->file, a->path, &shape));
  HK_NEED(shape.rank == 1 || shape.rank == 2, HK_BAD_INPUT,
          "%s has %d dimensions: node and component are expected", a->path, shape.rank);
  HK_NEED(shape.rank == 1 || (shape.size[1] >= 1 && shape.size[1] <= 9), HK_BAD_INPUT,
          "%s has %lld components: there are 1 to 9", a->path, (long long)shape.size[1]);
  a->rows = shape.size[0], a->count = shape.rank == 2 ? (int)shape.size[1] : 1;
  HK_PASS(hk_hdf_text_read(r->file, a->path, "unit", &a->unit));
  return hk_hdf_text_read(r->file, a->path, "components", &a->components);
}

/* The datasets of /static/<step>[/points]. */
static hk_status add_group(hk_result *r, const char *step, bool points, hk_count *room)
{
  hk_status status = HK_OK;
  char *group = NULL, **name = NULL, inner[64];
  int count = 0;
  HK_TRY(hk_format(&group, points ? "/static/%s/points" : "/static/%s", step));
  if (!hk_hdf_exists(r->file, group)) goto cleanup;
  HK_TRY(hk_hdf_names(r->file, group, &count, &name));
  for (int i = 0; i < count; i++) {
    if (!strcmp(name[i], "points")) continue;
    snprintf(inner, sizeof inner, "%s%.40s", points ? "points/" : "", name[i]);
    HK_TRY(add_array(r, step, inner, room));
  }
cleanup:
  hk_names_free(count, &name);
  hk_free(&group);
  return status;
}

hk_status hk_result_find_arrays(hk_result *r)
{
  hk_status status = HK_OK;
  char **step = NULL;
  int steps = 0;
  hk_count room = 0;
  HK_TRY(hk_hdf_names(r->file, "/static", &steps, &step));
  for (int i = 0; i < steps; i++) {
    if (step[i][0] < '0' || step[i][0] > '9') continue; /* node, coordinates */
    HK_TRY(add_group(r, step[i], false, &room));
    HK_TRY(add_group(r, step[i], true, &room));
  }
cleanup:
  hk_names_free(steps, &step);
  return status;
}

void hk_result_clear_arrays(hk_result *r)
{
  for (int i = 0; i < r->array_count; i++) {
    hk_result_array *a = &r->array[i];
    char **text[] = {&a->step, &a->name, &a->unit, &a->components, &a->path};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) hk_free(text[k]);
  }
  hk_free(&r->array);
  r->array_count = 0;
}
