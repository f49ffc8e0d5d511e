/* Writes the frames of a field for ParaView, as NAME.vtkhdf (VTKHDF 2.0, one UnstructuredGrid) or
 * as NAME.pvd with one .vtu file per frame. A .vtkhdf file holds the mesh once. All its datasets
 * are made in full size before the first frame and filled with not-a-number, by a thread beside the
 * run if the layout says so: a frame overwrites it, or comes first, and an interrupted run leaves a
 * readable file. The .vtu format collects the quantities of a frame in
 * memory and writes the file when all are there. A reopened .vtkhdf file must have the shapes and
 * times that the model requires. */
#include "result/field_file.h"
#include "result/field_sides.h"
#include "base/file.h"
#include "result/run_file.h"
#include "result/vtu_file.h"
#include "result/written.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { CHUNK = 1 << 15 }; /* nodes that are written at once */

struct hk_field_file {
  hk_pool pool; /* of all its arrays and texts */
  bool vtu;
  hk_count nodes, frames;
  int quantities;
  int components[HK_FIELD_MOST]; /* given */
  /* vtkhdf */
  hk_hdf *hdf;
  hk_hdf_array data[HK_FIELD_MOST]; /* [frames * nodes][components in the file] */
  float *chunk;                     /* chunk[CHUNK][6] */
  const hk_field_mesh *mesh;        /* of a new file */
  const hk_field_sides *sides;      /* of it */
  const char *name[HK_FIELD_MOST];
  /* vtu */
  const char *folder, *field, *unit[HK_FIELD_MOST];
  hk_field_grid *grid;
  double *time;  /* time[frames] */
  bool *written; /* written[frames] */
  float *values[HK_FIELD_MOST];
  hk_count frame;   /* that `values` belongs to; -1: none */
  unsigned present; /* bit per quantity of that frame */
};

static const char *name_of(const hk_field_layout *layout)
{
  return layout->name ? layout->name : "field";
}

static hk_status copy_layout(const hk_field_layout *layout, hk_field_file *f)
{
  HK_NEED(layout->quantity_count >= 0 && layout->quantity_count <= HK_FIELD_MOST &&
              layout->frames >= 0,
          HK_INTERNAL, "a field file of %d quantities and %lld frames is not possible",
          layout->quantity_count, (long long)layout->frames);
  f->nodes = layout->mesh->node_count, f->frames = layout->frames;
  f->quantities = layout->quantity_count;
  f->frame = -1;
  for (int q = 0; q < f->quantities; q++) {
    const int n = layout->quantity[q].components;
    HK_NEED(n == 1 || n == 2 || n == 3 || n == 4 || n == 6, HK_INTERNAL,
            "a field of %d components is not possible: %s", n, layout->quantity[q].name);
    f->components[q] = n;
    HK_PASS(hk_pool_text(&f->pool, layout->quantity[q].name, &f->name[q]));
  }
  return HK_OK;
}

typedef struct visit { /* datasets made, or (make == false) compared with those of the file */
  hk_hdf *file;
  bool make;
} visit;

static hk_status visit_array(const visit *v, const char *name, hk_hdf_type type, int rank,
                             hk_count rows, hk_count columns, hk_hdf_array *out)
{
  return hk_layout_array(v->file, v->make, name, type, rank, (hk_count[]){rows, columns}, out);
}

enum { PARTS, POINTS_AT, CELLS_AT, LINKS_AT, PART_COUNT, STEP_ARRAYS };
enum { POINT_COUNT, CELL_COUNT, LINK_COUNT, COUNTS };

typedef struct vtkhdf { /* everything but the values */
  hk_hdf_array count[COUNTS], time, step[STEP_ARRAYS];
  hk_field_mesh mesh;
  hk_hdf_array start[HK_FIELD_MOST];
  hk_field_sides sides;
} vtkhdf;

static hk_status visit_mesh(const visit *v, const hk_mesh *mesh, vtkhdf *a)
{
  const hk_count links = hk_field_links(mesh);
  a->mesh.mesh = mesh;
  const struct {
    const char *name;
    hk_hdf_type type;
    int rank;
    hk_count rows;
    hk_hdf_array *to;
  } array[] = {{"NumberOfPoints", HK_I64, 1, 1, &a->count[POINT_COUNT]},
               {"NumberOfCells", HK_I64, 1, 1, &a->count[CELL_COUNT]},
               {"NumberOfConnectivityIds", HK_I64, 1, 1, &a->count[LINK_COUNT]},
               {"Points", HK_F64, 2, mesh->node_count, &a->mesh.points},
               {"Connectivity", HK_I64, 1, links, &a->mesh.links},
               {"Offsets", HK_I64, 1, mesh->element_count + 1, &a->mesh.offsets},
               {"Types", HK_U8, 1, mesh->element_count, &a->mesh.types}};
  char path[64];
  for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
    snprintf(path, sizeof path, "/VTKHDF/%s", array[k].name);
    HK_PASS(visit_array(v, path, array[k].type, array[k].rank, array[k].rows, 3, array[k].to));
  }
  return HK_OK;
}

static hk_status write_counts(hk_hdf *file, const hk_mesh *mesh, const vtkhdf *a)
{
  const int64_t count[COUNTS] = {mesh->node_count, mesh->element_count, hk_field_links(mesh)};
  for (int k = 0; k < COUNTS; k++) HK_PASS(hk_hdf_write(file, &a->count[k], 0, 1, &count[k]));
  return HK_OK;
}

/* By the thread that completes the file. */
static hk_status write_mesh(void *file)
{
  const hk_field_file *f = file;
  HK_PASS(hk_field_mesh_write(f->hdf, f->mesh));
  return hk_field_sides_write(f->hdf, f->sides);
}

/* All frames share the mesh: every offset is 0 but those of the values. */
static hk_status visit_steps(const visit *v, const hk_field_layout *layout, vtkhdf *a)
{
  static const char *const name[STEP_ARRAYS] = {"PartOffsets", "PointOffsets", "CellOffsets",
                                                "ConnectivityIdOffsets", "NumberOfParts"};
  char path[64];
  HK_PASS(visit_array(v, "/VTKHDF/Steps/Values", HK_F64, 1, layout->frames, 1, &a->time));
  for (int k = 0; k < STEP_ARRAYS; k++) {
    const int rank = k == CELLS_AT || k == LINKS_AT ? 2 : 1;
    snprintf(path, sizeof path, "/VTKHDF/Steps/%s", name[k]);
    HK_PASS(visit_array(v, path, HK_I64, rank, layout->frames, 1, &a->step[k]));
  }
  return HK_OK;
}

static hk_status visit_values(const visit *v, const hk_field_layout *layout, int q, vtkhdf *a,
                              hk_hdf_array *data)
{
  hk_status status = HK_OK;
  char *path = NULL;
  const hk_field_quantity *quantity = &layout->quantity[q];
  HK_TRY(hk_format(&path, "/VTKHDF/PointData/%s", quantity->name));
  HK_TRY(visit_array(v, path, HK_F32, quantity->components > 1 ? 2 : 1,
                     layout->frames * layout->mesh->node_count,
                     hk_vtk_components(quantity->components), data));
  if (v->make) {
    HK_TRY(hk_hdf_text(v->file, path, "unit", quantity->unit ? quantity->unit : ""));
    HK_TRY(hk_hdf_text(v->file, path, "components", hk_vtk_component_names(quantity->components)));
  }
  hk_free(&path);
  HK_TRY(hk_format(&path, "/VTKHDF/Steps/PointDataOffsets/%s", quantity->name));
  HK_TRY(visit_array(v, path, HK_I64, 1, layout->frames, 1, &a->start[q]));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status make_groups(hk_hdf *file, hk_count frames)
{
  static const char *const group[] = {"/VTKHDF",
                                      "/VTKHDF/PointData",
                                      "/VTKHDF/CellData",
                                      "/VTKHDF/Steps",
                                      "/VTKHDF/Steps/PointDataOffsets",
                                      "/VTKHDF/Steps/CellDataOffsets"};
  for (size_t k = 0; k < sizeof group / sizeof *group; k++) HK_PASS(hk_hdf_group(file, group[k]));
  HK_PASS(hk_hdf_integers(file, "/VTKHDF", "Version", 2, (int64_t[]){2, 0}));
  HK_PASS(hk_hdf_ascii(file, "/VTKHDF", "Type", "UnstructuredGrid"));
  return hk_hdf_integers(file, "/VTKHDF/Steps", "NSteps", 0, &frames);
}

static hk_status write_steps(hk_hdf *file, const hk_field_layout *layout, const vtkhdf *a)
{
  const int64_t one = 1;
  HK_PASS(hk_hdf_write(file, &a->time, 0, layout->frames, layout->time));
  for (hk_count k = 0; k < layout->frames; k++) {
    const int64_t start = k * layout->mesh->node_count;
    HK_PASS(hk_hdf_write(file, &a->step[PART_COUNT], k, 1, &one));
    for (int q = 0; q < layout->quantity_count; q++)
      HK_PASS(hk_hdf_write(file, &a->start[q], k, 1, &start));
  }
  return HK_OK;
}

/* An existing file must hold these times (the mesh is compared by its sizes). */
static hk_status compare_times(hk_hdf *file, const hk_field_layout *layout)
{
  hk_status status = HK_OK;
  double *time = NULL;
  HK_TRY(hk_get(&time, layout->frames));
  HK_TRY(hk_hdf_read(file, "/VTKHDF/Steps/Values", 1, 0, layout->frames, time));
  for (hk_count k = 0; k < layout->frames; k++)
    HK_CHECK(time[k] == layout->time[k], HK_BAD_INPUT,
             "frame %lld of %s.vtkhdf is at another time than this model requires: it comes from "
             "another model",
             (long long)k, name_of(layout));
cleanup:
  hk_free(&time);
  return status;
}

/* Of a new file that is laid out: all but the values, which are filled. */
static hk_status write_rest(const hk_field_layout *layout, const vtkhdf *a, hk_field_file *f)
{
  f->mesh = &a->mesh, f->sides = &a->sides;
  HK_PASS(write_counts(f->hdf, layout->mesh, a));
  HK_PASS(write_steps(f->hdf, layout, a));
  return hk_hdf_complete(f->hdf, layout->beside, write_mesh, f);
}

static hk_status open_vtkhdf(const char *folder, bool reopen, const hk_field_layout *layout,
                             hk_field_file *f)
{
  hk_status status = HK_OK;
  char *path = NULL;
  vtkhdf *a;

  HK_TRY(hk_pool_get(&f->pool, &a, 1));
  HK_TRY(hk_pool_get(&f->pool, &f->chunk, CHUNK * 6));
  HK_TRY(hk_format(&path, "%s/%s.vtkhdf", folder, name_of(layout)));
  if (!reopen) HK_TRY(hk_written_claim(path));
  HK_TRY(reopen ? hk_hdf_open(path, true, &f->hdf)
                : hk_hdf_create(path, hk_field_file_plan(layout, false), &f->hdf));
  const visit v = {f->hdf, !reopen};
  if (!reopen) HK_TRY(make_groups(f->hdf, layout->frames));
  HK_TRY(visit_mesh(&v, layout->mesh, a));
  HK_TRY(visit_steps(&v, layout, a));
  for (int q = 0; q < f->quantities; q++) HK_TRY(visit_values(&v, layout, q, a, &f->data[q]));
  if (!reopen) HK_TRY(hk_field_sides_list(layout, &f->pool, &a->sides));
  if (!reopen) HK_TRY(hk_field_sides_lay_out(f->hdf, layout->frames, &a->sides));
  if (reopen) HK_TRY(compare_times(f->hdf, layout));
  HK_TRY(hk_hdf_lay_out(f->hdf));
  if (!reopen) HK_TRY(write_rest(layout, a, f));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status write_vtkhdf(hk_field_file *f, hk_count frame, int q, const float *values)
{
  const int given = f->components[q], wide = hk_vtk_components(given);
  for (hk_count n = 0; n < f->nodes; n += CHUNK) {
    const hk_count count = f->nodes - n < CHUNK ? f->nodes - n : CHUNK;
    hk_vtk_pad(given, count, values + n * given, f->chunk);
    HK_PASS(
        hk_hdf_write(f->hdf, &f->data[q], (frame * f->nodes + n) * wide, count * wide, f->chunk));
  }
  return HK_OK;
}

static void clear_frame(hk_field_file *f, hk_count frame)
{
  for (int q = 0; q < f->quantities; q++)
    for (hk_count i = 0; i < f->nodes * hk_vtk_components(f->components[q]); i++)
      f->values[q][i] = NAN;
  f->frame = frame, f->present = 0;
}

static hk_status frame_write(hk_field_file *f)
{
  hk_status status = HK_OK;
  char *path = NULL;
  hk_vtu_array array[HK_FIELD_MOST];

  if (f->frame < 0 || !f->present) goto cleanup;
  for (int q = 0; q < f->quantities; q++)
    array[q] = (hk_vtu_array){f->name[q], f->unit[q], hk_vtk_component_names(f->components[q]),
                              hk_vtk_components(f->components[q]), f->values[q]};
  HK_TRY(hk_vtu_path(&path, f->folder, f->field, f->frame));
  HK_TRY(hk_vtu_write(path, f->grid, f->quantities, array, false));
  f->written[f->frame] = true;
  f->present = 0;
  HK_TRY(hk_pvd_write(f->folder, f->field, f->frames, f->time, f->written));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status open_vtu(const char *folder, bool reopen, const hk_field_layout *layout,
                          hk_field_file *f)
{
  hk_status status = HK_OK;
  char *path = NULL;

  HK_TRY(hk_pool_text(&f->pool, folder, &f->folder));
  HK_TRY(hk_pool_text(&f->pool, name_of(layout), &f->field));
  HK_TRY(hk_field_grid_create(layout->mesh, &f->grid));
  HK_TRY(hk_pool_get(&f->pool, &f->time, f->frames));
  HK_TRY(hk_pool_get(&f->pool, &f->written, f->frames));
  for (int q = 0; q < f->quantities; q++) {
    const hk_field_quantity *quantity = &layout->quantity[q];
    HK_TRY(hk_pool_text(&f->pool, quantity->unit ? quantity->unit : "", &f->unit[q]));
    HK_TRY(
        hk_pool_get(&f->pool, &f->values[q], f->nodes * hk_vtk_components(quantity->components)));
  }
  for (hk_count k = 0; k < f->frames; k++) {
    f->time[k] = layout->time[k];
    hk_free(&path);
    HK_TRY(hk_vtu_path(&path, folder, f->field, k));
    if (!reopen) HK_TRY(hk_written_check(path));
    f->written[k] = reopen && access(path, R_OK) == 0;
  }
  HK_TRY(hk_pvd_write(f->folder, f->field, f->frames, f->time, f->written));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status write_vtu(hk_field_file *f, hk_count frame, int q, const float *values)
{
  if (f->frame != frame) {
    HK_PASS(frame_write(f));
    clear_frame(f, frame);
  }
  hk_vtk_pad(f->components[q], f->nodes, values, f->values[q]);
  f->present |= 1u << q;
  if (f->present == (1u << f->quantities) - 1) HK_PASS(frame_write(f));
  return HK_OK;
}

bool hk_field_format_vtu(const char *format)
{
  return format && !strcmp(format, "vtu");
}

hk_status hk_field_file_open(const char *folder, bool vtu, bool reopen,
                             const hk_field_layout *layout, hk_field_file **out)
{
  hk_status status = HK_OK;
  hk_field_file *f = NULL;
  HK_TRY(hk_new(&f));
  f->vtu = vtu;
  HK_TRY(copy_layout(layout, f));
  HK_TRY((vtu ? open_vtu : open_vtkhdf)(folder, reopen, layout, f));
  *out = f, f = NULL;
cleanup:
  hk_field_file_close(&f);
  return status;
}

hk_status hk_field_file_write(hk_field_file *f, hk_count frame, int quantity, const float *values)
{
  if (frame < 0 || frame >= f->frames || quantity < 0 || quantity >= f->quantities)
    return hk_error_set(HK_INTERNAL, "there is no frame %lld with a quantity %d", (long long)frame,
                        quantity);
  bool large = false;
#pragma omp parallel for schedule(static) reduction(|| : large) if (f->nodes > CHUNK)
  for (hk_count i = 0; i < f->nodes * f->components[quantity]; i++)
    large = large || isinf(values[i]);
  HK_NEED(!large, HK_BAD_INPUT,
          "%s: a value is above 3.4e38, the largest that the single precision of field files can "
          "hold: check the input, or choose larger units",
          f->name[quantity]);
  return (f->vtu ? write_vtu : write_vtkhdf)(f, frame, quantity, values);
}

hk_status hk_field_file_flush(hk_field_file *f)
{
  return f->vtu ? frame_write(f) : hk_hdf_flush(f->hdf);
}

hk_status hk_field_file_close(hk_field_file **pointer)
{
  hk_field_file *f = *pointer;
  hk_status status = HK_OK;
  if (!f) return HK_OK;
  if (f->vtu) status = frame_write(f);
  if (f->hdf) status = hk_hdf_close(&f->hdf);
  hk_field_grid_destroy(&f->grid);
  hk_pool_clear(&f->pool);
  hk_free(pointer);
  return status;
}

hk_count hk_field_file_plan(const hk_field_layout *layout, bool vtu)
{
  const hk_mesh *mesh = layout->mesh;
  const hk_count fixed = hk_field_grid_plan(mesh);
  hk_count values = 0;
  for (int q = 0; q < layout->quantity_count; q++)
    values += 8 + mesh->node_count * 4 * hk_vtk_components(layout->quantity[q].components);
  if (vtu) return layout->frames * (4096 + fixed + values);
  hk_count bytes;
  const int sides = hk_field_sides_count(layout, &bytes);
  return hk_hdf_plan(24 + 2 * (layout->quantity_count + sides),
                     fixed + bytes + layout->frames * (48 + 8 * sides + values));
}

hk_count hk_field_file_room(const hk_field_layout *layout, bool vtu, bool opening)
{
  const hk_mesh *mesh = layout->mesh;
  hk_count values = 0;
  for (int q = 0; vtu && q < layout->quantity_count; q++)
    values += mesh->node_count * 4 * hk_vtk_components(layout->quantity[q].components);
  return (vtu       ? hk_field_grid_plan(mesh)
          : opening ? hk_field_mesh_room() + hk_field_sides_room()
                    : 0) +
         values;
}
