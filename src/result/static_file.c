/* Writes run.h5 of a static run: /static/node and /static/coordinates, and a group per step,
 * /static/0001 on, with its nodal quantities and, under points, the labels and quantities of
 * integration points (docs/reference/results.md). All datasets are made in full size before the
 * first step is written. Labels and coordinates of nodes are written by the thread that fills the file. */
#include "result/static_file.h"
#include "hdf/hdf.h"
#include <stdio.h>

typedef struct step_place {
  hk_hdf_array nodal[HK_STATIC_MOST], element, number, point[HK_STATIC_MOST];
} step_place;

typedef struct trace_place {
  hk_hdf_array time, node, coordinates, value;
} trace_place;

enum { LABELS = 1 << 17 }; /* that are written at a time: whole pieces of hdf/fill.c */

struct hk_static_file {
  hk_hdf *hdf;
  const hk_mesh *mesh;
  hk_hdf_array node, coordinates;
  int64_t *label;     /* label[LABELS] */
  trace_place *trace; /* trace[layout.trace_count] */
  int steps;
  step_place *step; /* step[steps] */
};

/* A dataset [rows][columns] with its unit and the names of its components. */
static hk_status make(hk_hdf *hdf, const char *group, const hk_static_quantity *q, hk_count rows,
                      hk_hdf_array *out)
{
  hk_status status = HK_OK;
  char *path = NULL;
  HK_TRY(hk_format(&path, "%s/%s", group, q->name));
  HK_TRY(hk_hdf_array_create(hdf, path, HK_F64, 2, (hk_count[]){rows, q->count}, out));
  HK_TRY(hk_hdf_text(hdf, path, "unit", q->unit ? q->unit : ""));
  HK_TRY(hk_hdf_text(hdf, path, "components", q->components ? q->components : ""));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status make_points(hk_hdf *hdf, const char *group, const hk_static_layout *layout,
                             step_place *place)
{
  char path[64];
  HK_PASS(hk_hdf_group(hdf, group));
  snprintf(path, sizeof path, "%s/element", group);
  HK_PASS(hk_hdf_array_create(hdf, path, HK_I64, 1, &layout->points, &place->element));
  snprintf(path, sizeof path, "%s/point", group);
  HK_PASS(hk_hdf_array_create(hdf, path, HK_I64, 1, &layout->points, &place->number));
  for (int q = 0; q < layout->point_count; q++)
    HK_PASS(make(hdf, group, &layout->point[q], layout->points, &place->point[q]));
  return HK_OK;
}

static hk_status make_step(hk_hdf *hdf, int step, const hk_static_layout *layout, step_place *place)
{
  char group[32];
  snprintf(group, sizeof group, "/static/%04d", step + 1);
  HK_PASS(hk_hdf_group(hdf, group));
  for (int q = 0; q < layout->nodal_count; q++)
    HK_PASS(make(hdf, group, &layout->nodal[q], layout->mesh->node_count, &place->nodal[q]));
  snprintf(group, sizeof group, "/static/%04d/points", step + 1);
  if (layout->points) HK_PASS(make_points(hdf, group, layout, place));
  return HK_OK;
}

/* The datasets of a trace. */
static hk_status make_trace(hk_hdf *hdf, hk_pool *pool, const hk_trace_layout *t, trace_place *to)
{
  const hk_trace_quantity *q = &t->quantity[0];
  char *path;
  HK_PASS(hk_trace_path(pool, &path, t->name, NULL));
  HK_NEED(!hk_hdf_exists(hdf, path), HK_BAD_INPUT, "two trace requests are named \"%s\"", t->name);
  HK_PASS(hk_hdf_group(hdf, path));
  HK_PASS(hk_trace_path(pool, &path, t->name, "time"));
  HK_PASS(hk_layout_array(hdf, true, path, HK_F64, 1, &t->samples, &to->time));
  HK_PASS(hk_hdf_text(hdf, path, "unit", t->time_unit));
  HK_PASS(hk_trace_path(pool, &path, t->name, "node"));
  HK_PASS(hk_layout_array(hdf, true, path, HK_I64, 1, &t->receivers, &to->node));
  HK_PASS(hk_trace_path(pool, &path, t->name, "coordinates"));
  HK_PASS(hk_layout_array(hdf, true, path, HK_F64, 2, (hk_count[]){t->receivers, t->dim},
                          &to->coordinates));
  HK_PASS(hk_trace_path(pool, &path, t->name, q->name));
  HK_PASS(hk_layout_array(hdf, true, path, HK_F64, 3, (hk_count[]){t->receivers, 1, t->samples},
                          &to->value));
  HK_PASS(hk_hdf_text(hdf, path, "unit", q->unit));
  return hk_hdf_text(hdf, path, "components", q->components);
}

static hk_status make_traces(hk_static_file *f, const hk_static_layout *layout)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  if (!layout->trace_count) return HK_OK;
  HK_TRY(hk_get(&f->trace, layout->trace_count));
  HK_TRY(hk_hdf_group(f->hdf, "/traces"));
  HK_TRY(hk_hdf_text(f->hdf, "/traces", "samples", "as computed"));
  for (int i = 0; i < layout->trace_count; i++)
    HK_TRY(make_trace(f->hdf, &pool, &layout->trace[i], &f->trace[i]));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Times and receivers, which are known before the first step. */
static hk_status write_head(hk_hdf *hdf, const hk_trace_layout *t, const trace_place *to)
{
  HK_PASS(hk_hdf_write(hdf, &to->node, 0, t->receivers, t->node));
  HK_PASS(hk_hdf_write(hdf, &to->coordinates, 0, t->receivers * t->dim, t->coordinates));
  for (hk_count k = 0; k < t->samples; k++) {
    const double time = t->start + (double)(k * t->every) * t->dt;
    HK_PASS(hk_hdf_write(hdf, &to->time, k, 1, &time));
  }
  return HK_OK;
}

hk_count hk_static_file_plan(const hk_static_layout *layout)
{
  const hk_count nodes = layout->mesh->node_count;
  hk_count objects = 8, step = 0;
  for (int q = 0; q < layout->nodal_count; q++) step += nodes * layout->nodal[q].count;
  for (int q = 0; q < layout->point_count; q++) step += layout->points * layout->point[q].count;
  step += 2 * layout->points;
  objects += layout->steps * (4 + layout->nodal_count + layout->point_count);
  hk_count traces = 0;
  for (int i = 0; i < layout->trace_count; i++) {
    const hk_trace_layout *t = &layout->trace[i];
    traces += t->samples * (1 + t->receivers) + t->receivers * (1 + t->dim), objects += 6;
  }
  return hk_hdf_plan(objects,
                     8 * (layout->steps * step + nodes * (1 + layout->mesh->dim) + traces));
}

/* By the thread that completes the file. */
static hk_status write_places(void *file)
{
  hk_static_file *f = file;
  const hk_mesh *mesh = f->mesh;
  for (hk_count n = 0; n < mesh->node_count; n += LABELS) {
    const hk_count left = mesh->node_count - n, count = left < LABELS ? left : LABELS;
    for (hk_count i = 0; i < count; i++) f->label[i] = hk_mesh_node_label(mesh, n + i);
    HK_PASS(hk_hdf_write(f->hdf, &f->node, n, count, f->label));
  }
  return hk_hdf_write(f->hdf, &f->coordinates, 0, mesh->node_count * mesh->dim, mesh->x);
}

hk_status hk_static_file_create(const char *path, const hk_static_layout *layout,
                                hk_static_file **out)
{
  hk_status status = HK_OK;
  hk_static_file *f = NULL;
  const hk_mesh *mesh = layout->mesh;
  const hk_static_quantity place = {"coordinates", layout->length_unit,
                                    mesh->dim == 2 ? "x y" : "x y z", mesh->dim};
  HK_CHECK(layout->steps >= 1 && layout->steps <= 9999, HK_BAD_INPUT,
           "%d static steps: at most 9999 can be stored", layout->steps);
  HK_TRY(hk_new(&f));
  HK_TRY(hk_get(&f->step, layout->steps));
  HK_TRY(hk_get(&f->label, LABELS));
  f->steps = layout->steps, f->mesh = mesh;
  HK_TRY(hk_hdf_create(path, hk_static_file_plan(layout), &f->hdf));
  HK_TRY(hk_hdf_group(f->hdf, "/static"));
  HK_TRY(hk_hdf_array_create(f->hdf, "/static/node", HK_I64, 1, &mesh->node_count, &f->node));
  HK_TRY(make(f->hdf, "/static", &place, mesh->node_count, &f->coordinates));
  for (int s = 0; s < f->steps; s++) HK_TRY(make_step(f->hdf, s, layout, &f->step[s]));
  HK_TRY(make_traces(f, layout));
  HK_TRY(hk_hdf_lay_out(f->hdf));
  for (int i = 0; i < layout->trace_count; i++)
    HK_TRY(write_head(f->hdf, &layout->trace[i], &f->trace[i]));
  HK_TRY(hk_hdf_complete(f->hdf, layout->beside, write_places, f));
  *out = f, f = NULL;
cleanup:
  hk_static_file_close(&f);
  return status;
}

hk_status hk_static_file_write(hk_static_file *f, int step, int quantity, const double *values)
{
  const hk_hdf_array *a = &f->step[step].nodal[quantity];
  return hk_hdf_write(f->hdf, a, 0, a->count, values);
}

hk_status hk_static_file_write_labels(hk_static_file *f, int step, hk_count first, hk_count count,
                                      const int64_t *element, const int64_t *point)
{
  const hk_status status = hk_hdf_write(f->hdf, &f->step[step].element, first, count, element);
  return status != HK_OK ? status
                         : hk_hdf_write(f->hdf, &f->step[step].number, first, count, point);
}

hk_status hk_static_file_write_points(hk_static_file *f, int step, int quantity, hk_count first,
                                      hk_count count, const double *values)
{
  const hk_hdf_array *a = &f->step[step].point[quantity];
  return hk_hdf_write(f->hdf, a, first * a->size[1], count * a->size[1], values);
}

hk_status hk_static_file_write_trace(hk_static_file *f, int trace, hk_index receiver,
                                     hk_count first, hk_count count, const double *values)
{
  const hk_hdf_array *a = &f->trace[trace].value;
  return hk_hdf_write(f->hdf, a, receiver * a->size[2] + first, count, values);
}

hk_status hk_static_file_flush(hk_static_file *f)
{
  return hk_hdf_flush(f->hdf);
}

hk_status hk_static_file_close(hk_static_file **file)
{
  hk_static_file *f = *file;
  hk_status status = HK_OK;
  if (!f) return HK_OK;
  if (f->hdf) status = hk_hdf_close(&f->hdf);
  hk_free(&f->label);
  hk_free(&f->step);
  hk_free(&f->trace);
  hk_free(file);
  return status;
}
