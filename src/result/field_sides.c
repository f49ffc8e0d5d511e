/* The arrays of field_sides.h: listed from the mesh, laid out as datasets, and filled a piece at a time. All frames share them: their offsets in the
 * group Steps are 0, as VTK wants one for each step and array. */
#include "result/field_sides.h"
#include "base/file.h"
#include "mesh/format/vtk_grid.h"
#include <string.h>

enum { PIECE = 1 << 18 }; /* rows that are filled at a time */

static const char region_name[] = "region";

static bool is_kept(const hk_mesh *mesh, const hk_set *set)
{
  const hk_count all = set->kind == HK_NODE_SET ? mesh->node_count : mesh->element_count;
  return set->count && (set->kind == HK_FACE_SET || set->count < all);
}

int hk_field_sides_count(const hk_field_layout *layout, hk_count *bytes)
{
  const hk_mesh *mesh = layout->mesh;
  int count = 0;
  *bytes = 0;
  for (int s = 0; s < mesh->set_count && count < HK_FIELD_SETS; s++) {
    if (!is_kept(mesh, &mesh->set[s])) continue;
    *bytes += mesh->set[s].kind == HK_NODE_SET ? mesh->node_count : mesh->element_count;
    count++;
  }
  if (mesh->node_label) *bytes += 8 * mesh->node_count, count++;
  if (mesh->element_label) *bytes += 8 * mesh->element_count, count++;
  if (layout->regions.count) *bytes += mesh->element_count, count++;
  return count;
}

static hk_status add(hk_pool *pool, const hk_mesh *mesh, hk_field_sides *sides,
                     const hk_field_side *side)
{
  hk_field_side *to = &sides->at[sides->count++];
  *to = *side;
  to->rows = side->of_points ? mesh->node_count : mesh->element_count;
  return hk_pool_text(pool, side->name, &to->name);
}

static hk_status add_set(hk_pool *pool, const hk_mesh *mesh, const hk_set *set,
                         hk_field_sides *sides)
{
  hk_status status = HK_OK;
  char *escaped = NULL, *name = NULL;
  HK_TRY(hk_vtk_escape(set->name, &escaped));
  HK_TRY(hk_format(&name, "%s%s", set->kind == HK_FACE_SET ? "faces:" : "set:", escaped));
  HK_TRY(add(pool, mesh, sides,
             &(hk_field_side){.name = name, .of_points = set->kind == HK_NODE_SET, .set = set}));
cleanup:
  hk_free(&escaped);
  hk_free(&name);
  return status;
}

hk_status hk_field_sides_list(const hk_field_layout *layout, hk_pool *pool, hk_field_sides *out)
{
  const hk_mesh *mesh = layout->mesh;
  hk_count bytes;
  *out = (hk_field_sides){.regions = layout->regions};
  HK_PASS(hk_pool_get(pool, &out->at, hk_field_sides_count(layout, &bytes)));
  for (int s = 0; s < mesh->set_count && out->count < HK_FIELD_SETS; s++)
    if (is_kept(mesh, &mesh->set[s])) HK_PASS(add_set(pool, mesh, &mesh->set[s], out));
  if (mesh->node_label)
    HK_PASS(
        add(pool, mesh, out,
            &(hk_field_side){.name = "node_label", .of_points = true, .label = mesh->node_label}));
  if (mesh->element_label)
    HK_PASS(add(pool, mesh, out,
                &(hk_field_side){.name = "element_label", .label = mesh->element_label}));
  if (layout->regions.count) HK_PASS(add(pool, mesh, out, &(hk_field_side){.name = region_name}));
  return HK_OK;
}

/* The attribute `names`: a line for each region, a space for a line break in a name. */
static hk_status write_names(hk_hdf *file, const char *path, const hk_mesh_regions *regions)
{
  hk_status status = HK_OK;
  char *all = NULL, *more = NULL;
  HK_TRY(hk_copy_text(&all, ""));
  for (int r = 0; r < regions->count; r++) {
    HK_TRY(hk_format(&more, "%s%s%s", all, r ? "\n" : "", regions->name(regions->of, r)));
    for (char *p = more + strlen(all) + (r > 0); *p; p++)
      if (*p == '\n') *p = ' ';
    hk_free(&all);
    all = more, more = NULL;
  }
  HK_TRY(hk_hdf_text(file, path, "names", all));
cleanup:
  hk_free(&all);
  hk_free(&more);
  return status;
}

static hk_status lay_out(hk_hdf *file, hk_count frames, const hk_mesh_regions *regions,
                         hk_field_side *side)
{
  hk_status status = HK_OK;
  char *path = NULL;
  const char *group = side->of_points ? "PointData" : "CellData";
  const hk_hdf_type type = side->label ? HK_I64 : HK_U8;
  HK_TRY(hk_format(&path, "/VTKHDF/%s/%s", group, side->name));
  HK_TRY(hk_hdf_array_create(file, path, type, 1, &side->rows, &side->array));
  if (!side->label && !side->set) HK_TRY(write_names(file, path, regions));
  hk_free(&path);
  HK_TRY(hk_format(&path, "/VTKHDF/Steps/%sOffsets/%s", group, side->name));
  HK_TRY(hk_hdf_array_create(file, path, HK_I64, 1, &frames, &side->start));
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_field_sides_lay_out(hk_hdf *file, hk_count frames, hk_field_sides *sides)
{
  for (int i = 0; i < sides->count; i++)
    HK_PASS(lay_out(file, frames, &sides->regions, &sides->at[i]));
  return HK_OK;
}

/* byte[count] of a set's rows [from, from + count); *next: the first of its members that is not before them, moved on. */
static void fill_set(const hk_set *set, hk_count from, hk_count count, hk_count *next,
                     uint8_t *byte)
{
  memset(byte, 0, (size_t)count);
  for (; *next < set->count && set->item[*next] < from + count; ++*next)
    byte[set->item[*next] - from] |= (uint8_t)(set->face ? 1 << set->face[*next] : 1);
}

static void fill_regions(const hk_mesh_regions *regions, hk_count from, hk_count count,
                         uint8_t *byte)
{
#pragma omp parallel for schedule(static) if (count > PIECE / 32)
  for (hk_count i = 0; i < count; i++)
    byte[i] = (uint8_t)(1 + regions->region(regions->of, from + i));
}

static hk_status write_side(hk_hdf *file, const hk_field_side *side, const hk_mesh_regions *regions,
                            uint8_t *byte)
{
  hk_count next = 0, count;
  if (side->label) return hk_hdf_write(file, &side->array, 0, side->rows, side->label);
  for (hk_count from = 0; from < side->rows; from += count) {
    count = side->rows - from < PIECE ? side->rows - from : PIECE;
    if (side->set)
      fill_set(side->set, from, count, &next, byte);
    else
      fill_regions(regions, from, count, byte);
    HK_PASS(hk_hdf_write(file, &side->array, from, count, byte));
  }
  return HK_OK;
}

hk_count hk_field_sides_room(void)
{
  return PIECE;
}

hk_status hk_field_sides_write(hk_hdf *file, const hk_field_sides *sides)
{
  hk_status status = HK_OK;
  uint8_t *byte = NULL;
  HK_TRY(hk_get(&byte, PIECE));
  for (int i = 0; i < sides->count; i++)
    HK_TRY(write_side(file, &sides->at[i], &sides->regions, byte));
cleanup:
  hk_free(&byte);
  return status;
}
