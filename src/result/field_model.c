/* A mesh read back from a .vtkhdf field file, with the sets and regions of field_sides.h. Cells of one type in a row become a block: hooke writes its
 * files block by block. Node numbers and cell types were checked when the field was opened. */
#include "mesh/format/cell_type.h"
#include "mesh/format/vtk_grid.h"
#include "result/result.h"
#include <string.h>

struct hk_field_model {
  hk_mesh *mesh;
  int regions;
  char *names;       /* of the regions, one after another; each ends with 0 */
  const char **name; /* name[regions] */
  int64_t *of;       /* of[elements]: region from 1; NULL: none */
};

static hk_shape shape_at(const hk_field_grid *g, hk_count e)
{
  return hk_shape_of_cell(g->type[e], g->offset[e + 1] - g->offset[e]);
}

/* How many cells from the first on have its shape. */
static hk_count alike(const hk_field_grid *g, hk_count first)
{
  hk_count e = first + 1;
  while (e < g->cells && shape_at(g, e) == shape_at(g, first)) e++;
  return e - first;
}

static hk_status make_block(const hk_field_grid *g, hk_count first, hk_count count, hk_block *b)
{
  const hk_shape shape = shape_at(g, first);
  const hk_cell_type *cell = hk_shape_listed(shape) ? hk_cell_type_of((int)shape) : NULL;
  *b = (hk_block){shape, hk_element_of(shape)->nodes, first, count, NULL};
  HK_PASS(hk_get(&b->node, count * b->nodes));
  const int64_t *link = g->link + g->offset[first];
  for (hk_count i = 0; i < count; i++)
    for (int n = 0; n < b->nodes; n++)
      b->node[i * b->nodes + (cell ? cell->vtk_node[n] : n)] = (hk_index)link[i * b->nodes + n];
  return HK_OK;
}

static hk_status make_mesh(const hk_field_grid *g, hk_mesh *mesh)
{
  hk_count room = 0;
  HK_PASS(hk_get(&mesh->x, 3 * g->nodes));
  memcpy(mesh->x, g->point, (size_t)g->nodes * 3 * sizeof *mesh->x);
  mesh->node_count = g->nodes, mesh->element_count = g->cells;
  for (hk_count e = 0; e < g->cells; e += mesh->block[mesh->block_count - 1].count) {
    HK_PASS(hk_reserve(&mesh->block, mesh->block_count + 1, &room));
    HK_PASS(make_block(g, e, alike(g, e), &mesh->block[mesh->block_count]));
    mesh->block_count++;
  }
  return HK_OK;
}

/* Bits of a cell that are none of its faces. */
static hk_status check_faces(const hk_mesh *mesh, const char *name, hk_count e, int64_t bits)
{
  const int faces = hk_element_of(hk_mesh_block_of(mesh, e)->shape)->faces;
  HK_NEED(bits >= 0 && bits < 1 << faces, HK_BAD_INPUT,
          "%s: is damaged: cell %lld has the faces %lld", name, (long long)e, (long long)bits);
  return HK_OK;
}

/* value[rows]: not 0 for the members; of faces their bits. */
static hk_status add_members(hk_mesh *mesh, const char *name, hk_set_kind kind, hk_count rows,
                             const int64_t *value)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_count count = 0, room = rows;
  const bool of_faces = kind == HK_FACE_SET;
  if (of_faces) {
    room = 0;
    for (hk_count i = 0; i < rows; i++) {
      HK_TRY(check_faces(mesh, name, i, value[i]));
      room += __builtin_popcountll((unsigned long long)value[i]);
    }
    HK_TRY(hk_get(&face, room));
  }
  HK_TRY(hk_get(&item, room));
  for (hk_count i = 0; i < rows; i++)
    for (int f = 0; f < (of_faces ? 8 : 1); f++) {
      if (of_faces ? !(value[i] >> f & 1) : !value[i]) continue;
      if (of_faces) face[count] = (uint8_t)f;
      item[count++] = (hk_index)i;
    }
  if (count) HK_TRY(hk_mesh_add_set(mesh, name, kind, count, &item, &face));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

static hk_status read_set(hk_hdf *file, const char *path, const char *dataset, bool of_points,
                          hk_mesh *mesh)
{
  hk_status status = HK_OK;
  char *name = NULL;
  const char *set;
  int64_t *value = NULL;
  const hk_count rows = of_points ? mesh->node_count : mesh->element_count;
  HK_TRY(hk_copy_text(&name, dataset));
  hk_vtk_unescape(name);
  const hk_vtk_role role = hk_vtk_role_of(name, of_points, &set);
  if (role != HK_VTK_SET && role != HK_VTK_FACES) goto cleanup;
  HK_TRY(hk_get(&value, rows));
  HK_TRY(hk_hdf_read_integers(file, path, 0, rows, value));
  HK_TRY(add_members(mesh, set,
                     of_points              ? HK_NODE_SET
                     : role == HK_VTK_FACES ? HK_FACE_SET
                                            : HK_ELEMENT_SET,
                     rows, value));
cleanup:
  hk_free(&name);
  hk_free(&value);
  return status;
}

static hk_status read_sets(hk_hdf *file, bool of_points, hk_mesh *mesh)
{
  hk_status status = HK_OK;
  const char *group = of_points ? "/VTKHDF/PointData" : "/VTKHDF/CellData";
  char **name = NULL, *path = NULL;
  int names = 0;
  HK_TRY(hk_hdf_names(file, group, &names, &name));
  for (int i = 0; i < names; i++) {
    hk_free(&path);
    HK_TRY(hk_format(&path, "%s/%s", group, name[i]));
    HK_TRY(read_set(file, path, name[i], of_points, mesh));
  }
cleanup:
  hk_free(&path);
  hk_names_free(names, &name);
  return status;
}

static hk_status split_names(hk_field_model *m)
{
  int count = 1;
  for (const char *p = m->names; *p; p++) count += *p == '\n';
  HK_PASS(hk_get(&m->name, count));
  for (char *p = m->names; p; m->regions++) {
    m->name[m->regions] = p;
    p = strchr(p, '\n');
    if (p) *p++ = 0;
  }
  return HK_OK;
}

static hk_status read_regions(hk_hdf *file, hk_field_model *m)
{
  static const char path[] = "/VTKHDF/CellData/region";
  if (!hk_hdf_exists(file, path)) return HK_OK;
  HK_PASS(hk_hdf_text_read(file, path, "names", &m->names));
  HK_PASS(split_names(m));
  HK_PASS(hk_get(&m->of, m->mesh->element_count));
  HK_PASS(hk_hdf_read_integers(file, path, 0, m->mesh->element_count, m->of));
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    HK_NEED(m->of[e] >= 0 && m->of[e] <= m->regions && m->regions <= HK_MOST_REGIONS, HK_BAD_INPUT,
            "%s: is damaged: cell %lld is in region %lld of %d", path, (long long)e,
            (long long)m->of[e], m->regions);
  return HK_OK;
}

hk_status hk_field_model_read(hk_field *field, hk_field_model **out)
{
  hk_status status = HK_OK;
  hk_field_model *m = NULL;
  *out = NULL;
  if (!field->file || !field->grid->offset) return HK_OK;
  HK_TRY(hk_new(&m));
  HK_TRY(hk_mesh_begin(3, &m->mesh));
  HK_TRY(make_mesh(field->grid, m->mesh));
  HK_TRY(read_sets(field->file, true, m->mesh));
  HK_TRY(read_sets(field->file, false, m->mesh));
  HK_TRY(read_regions(field->file, m));
  if (m->mesh->set_count || m->regions) *out = m, m = NULL;
cleanup:
  hk_field_model_destroy(&m);
  return status;
}

const hk_mesh *hk_field_model_mesh(const hk_field_model *m)
{
  return m->mesh;
}

static int region_of(const void *of, hk_count element)
{
  const hk_field_model *m = of;
  return (int)m->of[element] - 1;
}

static const char *name_of(const void *of, int region)
{
  return ((const hk_field_model *)of)->name[region];
}

hk_mesh_regions hk_field_model_regions(const hk_field_model *m)
{
  return (hk_mesh_regions){m->regions, m, region_of, name_of};
}

void hk_field_model_destroy(hk_field_model **model)
{
  hk_field_model *m = *model;
  if (!m) return;
  hk_mesh_destroy(&m->mesh);
  hk_free(&m->names);
  hk_free(&m->name);
  hk_free(&m->of);
  hk_free(model);
}
