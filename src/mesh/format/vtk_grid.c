/* VTK's unstructured grid as both .vtu and .vtkhdf hold it (vtk_grid.h), piece by piece into a raw mesh. Connectivity and offsets are checked
 * against the cell types. Wedges are taken in the order in which their volume is positive, as programs write both (cell_type.h). Arrays
 * "set:NAME" and "faces:NAME" are gathered as masks over all pieces and become sets at the end; integer arrays of regions that other programs
 * write become groups. */
#include "mesh/format/vtk_grid.h"
#include <stdio.h>
#include <string.h>
#include "element/element.h"

enum { MANY = 1 << 10 }; /* cells for which threads are worth it */

hk_vtk_role hk_vtk_role_of(const char *name, bool of_points, const char **set)
{
  static const char *const region[] = {"gmsh:physical", "medit:ref", "PhysicalIds", "MaterialIDs"};
  *set = NULL;
  if (!strncmp(name, "set:", 4) && name[4]) {
    *set = name + 4;
    return HK_VTK_SET;
  }
  if (of_points) return strcmp(name, "node_label") ? HK_VTK_OTHER : HK_VTK_LABEL;
  if (!strncmp(name, "faces:", 6) && name[6]) {
    *set = name + 6;
    return HK_VTK_FACES;
  }
  if (!strcmp(name, "element_label")) return HK_VTK_LABEL;
  for (size_t i = 0; i < sizeof region / sizeof *region; i++)
    if (!strcmp(name, region[i])) return HK_VTK_REGION;
  return HK_VTK_OTHER;
}

hk_status hk_vtk_escape(const char *name, char **out)
{
  HK_PASS(hk_get(out, 3 * (hk_count)strlen(name) + 1));
  char *to = *out;
  for (const char *p = name; *p; p++) {
    if (*p == '/' || *p == '%')
      to += sprintf(to, "%%%02X", (unsigned)*p);
    else
      *to++ = *p;
  }
  return HK_OK;
}

void hk_vtk_unescape(char *name)
{
  char *to = name;
  for (const char *p = name; *p; p++) {
    const bool slash = !strncmp(p, "%2F", 3), percent = !strncmp(p, "%25", 3);
    *to++ = (char)(slash ? '/' : *p);
    if (slash || percent) p += 2;
  }
  *to = 0;
}

int64_t **hk_vtk_piece_side(hk_vtk_piece *piece, hk_vtk_role role, bool of_points)
{
  if (of_points) return &piece->node_label;
  return role == HK_VTK_LABEL ? &piece->element_label : &piece->region;
}

void hk_vtk_grid_free(hk_vtk_grid *grid)
{
  hk_raw_mesh_free(&grid->raw);
}

/* Node k of the mirror image of a wedge of 6, 15 or 18 nodes is node mirror[k] of the wedge. */
static const uint8_t mirror[18] = {0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13, 17, 16, 15};

static bool is_wedge(int kind)
{
  return kind == HK_WEDGE6 || kind == HK_WEDGE15 || kind == HK_WEDGE18;
}

/* A wedge whose triangle 012 looks away from 345 has a negative volume in our order. */
static bool is_mirrored(const double *x, const hk_index *node)
{
  double a[3], b[3], c[3];
  for (int d = 0; d < 3; d++) {
    const double origin = x[3 * (hk_count)node[0] + d];
    a[d] = x[3 * (hk_count)node[1] + d] - origin;
    b[d] = x[3 * (hk_count)node[2] + d] - origin;
    c[d] = x[3 * (hk_count)node[3] + d] - origin;
  }
  return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] +
             (a[0] * b[1] - a[1] * b[0]) * c[2] <
         0;
}

static hk_status bad_type(const hk_raw_mesh *raw, hk_count cell, int type)
{
  return hk_error_set(
      HK_BAD_INPUT,
      "%s: cell %lld has the VTK type %d, which is not supported: triangles, quadrangles, "
      "tetrahedra, hexahedra and wedges of order 1 or 2 are (5, 9, 10, 12, 13, 22 to 26, 28, 29, "
      "32)",
      raw->path, (long long)cell, type);
}

static hk_status entity_of_region(hk_raw_mesh *raw, int dim, int64_t value, hk_index *entity)
{
  hk_index group;
  HK_PASS(hk_raw_mesh_entity(raw, dim, value, entity));
  if (raw->entity.at[*entity].groups) return HK_OK;
  HK_PASS(hk_raw_mesh_group(raw, dim, value, NULL, &group));
  return hk_raw_mesh_join(raw, *entity, group);
}

static hk_status add_cell(hk_vtk_grid *grid, const hk_vtk_piece *p, hk_count cell, hk_count base)
{
  hk_raw_mesh *raw = &grid->raw;
  hk_index node[27], entity = -1;
  const int kind = hk_kind_of_vtk(p->type[cell]);
  if (kind < 0) return bad_type(raw, cell, p->type[cell]);
  const hk_cell_type *type = hk_cell_type_of(kind);
  const int64_t begin = p->offset[cell], end = p->offset[cell + 1];
  HK_NEED(begin >= 0 && end >= begin && end <= p->links && end - begin == type->nodes, HK_BAD_INPUT,
          "%s: cell %lld of VTK type %d has the offsets %lld to %lld: %d nodes within 0 to %lld "
          "were expected",
          raw->path, (long long)cell, p->type[cell], (long long)begin, (long long)end, type->nodes,
          (long long)p->links);
  for (int k = 0; k < type->nodes; k++) {
    const hk_index link = p->connectivity[begin + k];
    HK_NEED(link >= 0 && link < p->points, HK_BAD_INPUT,
            "%s: cell %lld refers to point %d: there are %lld", raw->path, (long long)cell, link,
            (long long)p->points);
    node[type->vtk_node[k]] = (hk_index)base + link;
  }
  if (is_wedge(kind) && is_mirrored(raw->x, node))
    for (int k = 0; k < type->nodes; k++)
      node[mirror[k]] = (hk_index)base + p->connectivity[begin + k];
  if (p->region) HK_PASS(entity_of_region(raw, type->dim, p->region[cell], &entity));
  HK_PASS(hk_raw_mesh_add_cell(
      raw, kind, p->element_label ? p->element_label[cell] : grid->cells + 1, entity, node));
  HK_PASS(hk_pool_reserve(&raw->pool, (void **)&grid->kind, grid->cells + 1, &grid->kind_room, 1));
  grid->kind[grid->cells++] = (uint8_t)kind;
  return HK_OK;
}

/* Where the cells end that have the type and the region of cell `first`. */
static hk_count end_of_alike(const hk_vtk_piece *p, hk_count first)
{
  hk_count end = first + 1;
  while (end < p->cells && p->type[end] == p->type[first] &&
         (!p->region || p->region[end] == p->region[first]))
    end++;
  return end;
}

/* node[count][type->nodes] of the cells from `first` on, base + point; false where one has other offsets or points than it should. */
static bool take_nodes(const hk_vtk_piece *p, const hk_cell_type *type, hk_count first,
                       hk_count count, hk_count base, hk_index *node)
{
  const int nodes = type->nodes;
  bool good = true;
#pragma omp parallel for schedule(static) reduction(&& : good) if (count > MANY)
  for (hk_count c = 0; c < count; c++) {
    const int64_t begin = p->offset[first + c], end = p->offset[first + c + 1];
    const bool fits = begin >= 0 && begin <= p->links - nodes && end - begin == nodes;
    for (int k = 0; k < nodes && fits; k++) {
      const hk_index link = p->connectivity[begin + k];
      good = good && link >= 0 && link < p->points;
      node[c * nodes + type->vtk_node[k]] = (hk_index)base + link;
    }
    good = good && fits;
  }
  return good;
}

/* Adds cells [first, end), which are alike, by all threads. *good = false, and none is added, where something is wrong with one of them or they are
 * wedges, which may be mirrored: add_cell is to add them. */
static hk_status add_alike(hk_vtk_grid *grid, const hk_vtk_piece *p, hk_count first, hk_count end,
                           hk_count base, bool *good)
{
  hk_raw_mesh *raw = &grid->raw;
  hk_index entity = -1;
  const int kind = hk_kind_of_vtk(p->type[first]);
  const hk_count count = end - first;
  *good = kind >= 0 && !is_wedge(kind);
  if (!*good) return HK_OK;
  const hk_cell_type *type = hk_cell_type_of(kind);
  hk_raw_pile *pile = &raw->pile[kind];
  *good = count * type->nodes <= p->links;
  if (!*good) return HK_OK;
  HK_PASS(hk_raw_mesh_reserve_cells(raw, kind, count));
  *good = take_nodes(p, type, first, count, base, pile->node + pile->count * type->nodes);
  if (!*good) return HK_OK;
  int64_t *label = pile->label + pile->count;
  uint8_t *kinds = grid->kind + grid->cells;
#pragma omp parallel for schedule(static) if (count > MANY)
  for (hk_count c = 0; c < count; c++) {
    label[c] = p->element_label ? p->element_label[first + c] : grid->cells + c + 1;
    kinds[c] = (uint8_t)kind;
  }
  if (p->region) HK_PASS(entity_of_region(raw, type->dim, p->region[first], &entity));
  grid->cells += count;
  return hk_raw_mesh_accept_cells(raw, kind, entity, count);
}

/* Room in the piles for all cells of the piece. */
static hk_status reserve_piles(hk_vtk_grid *grid, const hk_vtk_piece *p)
{
  hk_count count[HK_KIND_COUNT] = {0};
  for (hk_count cell = 0; cell < p->cells; cell++) {
    const int kind = hk_kind_of_vtk(p->type[cell]);
    if (kind < 0) return bad_type(&grid->raw, cell, p->type[cell]);
    count[kind]++;
  }
  for (int kind = 0; kind < HK_KIND_COUNT; kind++)
    if (count[kind] && count[kind] * hk_cell_type_of(kind)->nodes <= p->links)
      HK_PASS(hk_raw_mesh_reserve_cells(&grid->raw, kind, count[kind]));
  return HK_OK;
}

hk_status hk_vtk_grid_add(hk_vtk_grid *grid, const hk_vtk_piece *p)
{
  const hk_count base = grid->raw.node_count;
  HK_PASS(hk_raw_mesh_reserve_nodes(&grid->raw, p->points));
  HK_PASS(hk_pool_reserve(&grid->raw.pool, (void **)&grid->kind, grid->cells + p->cells,
                          &grid->kind_room, 1));
  for (hk_count i = 0; i < p->points; i++)
    HK_PASS(hk_raw_mesh_add_node(&grid->raw, p->node_label ? p->node_label[i] : base + i + 1,
                                 p->x + 3 * i));
  HK_PASS(reserve_piles(grid, p));
  for (hk_count cell = 0, end; cell < p->cells; cell = end) {
    bool good;
    end = end_of_alike(p, cell);
    HK_PASS(add_alike(grid, p, cell, end, base, &good));
    for (hk_count c = cell; c < end && !good; c++) HK_PASS(add_cell(grid, p, c, base));
  }
  return HK_OK;
}

static hk_status mark_of(hk_vtk_grid *grid, const char *name, hk_set_kind kind, hk_vtk_mark **out)
{
  for (hk_count m = 0; m < grid->mark.count; m++)
    if (grid->mark.at[m].kind == kind && !strcmp(grid->mark.at[m].name, name)) {
      *out = &grid->mark.at[m];
      return HK_OK;
    }
  HK_NEED(grid->mark.count < HK_VTK_MOST_SETS, HK_BAD_INPUT, "%s: more than %d sets",
          grid->raw.path, HK_VTK_MOST_SETS);
  HK_PASS(hk_pool_more(&grid->raw.pool, &grid->mark));
  *out = &grid->mark.at[grid->mark.count++];
  **out = (hk_vtk_mark){.kind = kind};
  return hk_pool_text(&grid->raw.pool, name, &(*out)->name);
}

hk_status hk_vtk_grid_mark(hk_vtk_grid *grid, const char *name, hk_vtk_role role, bool of_points,
                           hk_count first, hk_count count, const uint8_t *value)
{
  const hk_set_kind kind = of_points              ? HK_NODE_SET
                           : role == HK_VTK_FACES ? HK_FACE_SET
                                                  : HK_ELEMENT_SET;
  hk_vtk_mark *mark = NULL;
  HK_PASS(mark_of(grid, name, kind, &mark));
  HK_PASS(hk_pool_reserve(&grid->raw.pool, (void **)&mark->mask, first + count, &mark->room, 1));
  memcpy(mark->mask + first, value, (size_t)count);
  return HK_OK;
}

static bool marked(const hk_vtk_mark *mark, hk_count i)
{
  return i < mark->room && mark->mask[i];
}

/* Element number of each cell goes to element[cells]; -1: not of the mesh's dimension. */
static hk_status number_cells(const hk_vtk_grid *grid, const hk_mesh *mesh, hk_index **element)
{
  hk_count next[HK_KIND_COUNT];
  const hk_status status = hk_get(element, grid->cells);
  if (status != HK_OK) return status;
  for (int kind = 0; kind < HK_KIND_COUNT; kind++) next[kind] = -1;
  for (int b = 0; b < mesh->block_count; b++) next[mesh->block[b].shape] = mesh->block[b].first;
  for (hk_count cell = 0; cell < grid->cells; cell++) {
    hk_count *place = &next[grid->kind[cell]];
    (*element)[cell] = *place < 0 ? -1 : (hk_index)(*place)++;
  }
  return HK_OK;
}

static hk_status add_mark(const hk_vtk_grid *grid, const hk_vtk_mark *mark, const hk_index *element,
                          hk_mesh *mesh)
{
  hk_status status = HK_OK;
  hk_index *item = NULL;
  uint8_t *face = NULL;
  hk_count count = 0, members = 0;
  const bool of_nodes = mark->kind == HK_NODE_SET, of_faces = mark->kind == HK_FACE_SET;
  const hk_count all = of_nodes ? mesh->node_count : grid->cells;
  for (hk_count i = 0; i < all; i++)
    if (marked(mark, i)) members += of_faces ? __builtin_popcount(mark->mask[i]) : 1;
  HK_TRY(hk_get(&item, members));
  if (of_faces) HK_TRY(hk_get(&face, members));
  for (hk_count i = 0; i < all; i++) {
    const hk_index number = of_nodes ? (hk_index)i : element[i];
    if (!marked(mark, i) || number < 0) continue;
    for (int f = 0; of_faces && f < 8; f++) {
      if (!(mark->mask[i] >> f & 1)) continue;
      HK_CHECK(f < hk_element_of((hk_shape)grid->kind[i])->faces, HK_BAD_INPUT,
               "%s: face set \"%s\": cell %lld has no face %d", grid->raw.path, mark->name,
               (long long)i, f + 1);
      item[count] = number, face[count++] = (uint8_t)f;
    }
    if (!of_faces) item[count++] = number;
  }
  if (count) HK_TRY(hk_mesh_add_set(mesh, mark->name, mark->kind, count, &item, &face));
cleanup:
  hk_free(&item);
  hk_free(&face);
  return status;
}

hk_status hk_vtk_grid_finish(hk_vtk_grid *grid, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_index *element = NULL;
  grid->raw.repeats = !grid->mark.count; /* regions that were made of MSH 2's groups */
  HK_TRY(hk_raw_mesh_convert(&grid->raw, &mesh));
  HK_TRY(number_cells(grid, mesh, &element));
  for (hk_count m = 0; m < grid->mark.count; m++)
    HK_TRY(add_mark(grid, &grid->mark.at[m], element, mesh));
  HK_TRY(hk_mesh_finish(mesh, grid->raw.path, grid->raw.list));
  *out = mesh, mesh = NULL;
cleanup:
  hk_free(&element);
  hk_mesh_destroy(&mesh);
  return status;
}
