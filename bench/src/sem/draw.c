/* Curves over the order of elements, of the rows that were measured: rates, cycles per point (Figures 3 and 6 of
 * Carrascal-Manzanares et al. 2017) and cycles per degree of freedom. Rows of one method, precision and state, or of
 * one number of lanes and threads, are one curve. */
#include "draw.h"
#include "sem/sem.h"
#include <stdio.h>
#include <string.h>

/* What a picture is of: rows of a table on a device, a value of theirs. */
typedef struct picture {
  const char *table, *value, *name, *device;
  int dim; /* 0: any */
} picture;

static const char *text_of(const json_t *row, const char *key)
{
  const char *text = json_string_value(json_object_get(row, key));
  return text ? text : "";
}

static int integer_of(const json_t *row, const char *key)
{
  return (int)json_integer_value(json_object_get(row, key));
}

static bool is_of(const picture *p, const json_t *row)
{
  return !strcmp(text_of(row, "table"), p->table) && !strcmp(text_of(row, "device"), p->device) &&
         (!p->dim || integer_of(row, "dimension") == p->dim) && json_object_get(row, p->value);
}

/* A row's curve. */
static void name_curve(const json_t *row, char name[64])
{
  const int lanes = integer_of(row, "lanes");
  const char *state = text_of(row, "state");
  if (lanes)
    snprintf(name, 64, "%.24s, %d lanes, %d threads", text_of(row, "method"), lanes,
             integer_of(row, "host_threads"));
  else
    snprintf(name, 64, "%.16s, %.8s, %.12s", text_of(row, "method"), text_of(row, "precision"),
             state);
}

static hk_status add_curve(const picture *p, const json_t *rows, const char *name,
                           hk_curves *curves)
{
  double x[HK_MOST_ORDER], y[HK_MOST_ORDER];
  int count = 0;
  size_t i;
  const json_t *row;
  char other[64];
  json_array_foreach(rows, i, row)
  {
    name_curve(row, other);
    if (!is_of(p, row) || strcmp(other, name) != 0 || count == HK_MOST_ORDER) continue;
    x[count] = integer_of(row, "order");
    y[count++] = json_number_value(json_object_get(row, p->value));
  }
  return count > 1 ? hk_curves_add(curves, name, count, x, y, 2 * HK_MOST_ORDER) : HK_OK;
}

static bool is_there(const hk_curves *curves, const char *name)
{
  for (int k = 0; k < curves->count; k++)
    if (!strcmp(curves->curve[k].label, name)) return true;
  return false;
}

static const char *suffix_of(int dim, const char *of_2d, const char *of_3d)
{
  return dim == 2 ? of_2d : dim == 3 ? of_3d : "";
}

static hk_status draw(const hk_bench_job *job, const picture *p)
{
  hk_status status = HK_OK;
  hk_curves *curves = NULL;
  size_t i;
  const json_t *row;
  char name[64], title[64], file[96];
  HK_TRY(hk_curves_create(&curves));
  curves->across = "order";
  json_array_foreach(job->rows, i, row)
  {
    if (!is_of(p, row) || curves->count == HK_MOST_CURVES) continue;
    name_curve(row, name);
    if (!is_there(curves, name)) HK_TRY(add_curve(p, job->rows, name, curves));
  }
  snprintf(title, sizeof title, "%s%s, %.16s", p->table, suffix_of(p->dim, ", 2D", ", 3D"),
           p->device);
  snprintf(file, sizeof file, "%s_%s%s_%.12s.png", p->table, p->value,
           suffix_of(p->dim, "_2d", "_3d"), p->device);
  HK_TRY(hk_bench_write_curves(job, curves, title, p->name, file));
cleanup:
  hk_curves_destroy(&curves);
  return status;
}

hk_status hk_sem_draw(const hk_bench_job *job)
{
  hk_status status = HK_OK;
  const char *devices[] = {job->device, "cpu"};
  for (int d = 0; d < (strcmp(job->device, "cpu") ? 2 : 1); d++) {
    const picture all[] = {{"rates", "gdof_per_s", "GDOF/s", devices[d], 2},
                           {"rates", "gdof_per_s", "GDOF/s", devices[d], 3},
                           {"stages", "gdof_per_s", "GDOF/s", devices[d], 0},
                           {"stages", "cycles_per_point", "cycles per point", devices[d], 0},
                           {"stages", "cycles_per_dof", "cycles per dof", devices[d], 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) HK_TRY(draw(job, &all[k]));
  }
cleanup:
  return status;
}
