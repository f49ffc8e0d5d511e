/* .vtkhdf, VTK's HDF5 file of an unstructured grid (VTK, "VTKHDF File Format"). One or several pieces are read; of a file with steps the
 * pieces of the first step, by the offsets in the group Steps. Each piece goes to mesh/format/vtk_grid.c. Types and sizes of data sets are
 * checked before HDF5 reads them, and all together may unpack to 256 times the size of the file, so that a damaged file is refused in time. */
#include <hdf5.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "input/mesh/read.h"
#include "hdf/door.h"
#include "mesh/format/vtk_grid.h"

enum { MOST_PIECES = 4096, MOST_PACKING = 256 };

typedef struct reader {
  const char *path;
  hid_t group;
  hk_count budget; /* bytes that the file may still unpack to */
  hk_vtk_grid grid;
} reader;

typedef struct range {
  hk_count from, count;
} range;

static hk_status bad(const reader *r, const char *name, const char *why)
{
  return hk_error_set(HK_BAD_INPUT, "%s: VTKHDF/%s %s", r->path, name, why);
}

static bool exists(const reader *r, const char *name)
{
  const char *slash = strchr(name, '/');
  if (slash) {
    char parent[64];
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - name), name);
    if (H5Lexists(r->group, parent, hk_hdf_door()) <= 0) return false;
  }
  return H5Lexists(r->group, name, hk_hdf_door()) > 0;
}

/* Rows and columns of a dataset of one or two dimensions. */
static hk_status shape_of(const reader *r, const char *name, hid_t set, hsize_t shape[2])
{
  const hid_t space = H5Dget_space(set);
  const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  shape[0] = 0, shape[1] = 1;
  const bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
  if (space >= 0) H5Sclose(space);
  return good ? HK_OK : bad(r, name, "must have one or two dimensions");
}

/* Whether the file's numbers are of the class that the memory type stands for, and of its sizes: a
 * damaged type of millions of bytes would keep HDF5 busy for minutes. */
static bool fits(hid_t set, hid_t memory)
{
  const hid_t type = H5Dget_type(set);
  const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
  const bool small = type >= 0 && H5Tget_size(type) <= 8;
  if (type >= 0) H5Tclose(type);
  return small && (class == H5T_INTEGER || (class == H5T_FLOAT && memory == H5T_NATIVE_DOUBLE));
}

static hk_status read_rows(hid_t set, range rows, hsize_t columns, hid_t memory, void *data)
{
  const hsize_t from[2] = {(hsize_t)rows.from, 0}, count[2] = {(hsize_t)rows.count, columns};
  const hid_t space = H5Dget_space(set);
  const int rank = H5Sget_simple_extent_ndims(space);
  const hid_t local = H5Screate_simple(rank, count, NULL);
  const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                    H5Dread(set, memory, local, space, H5P_DEFAULT, data) >= 0;
  H5Sclose(local);
  H5Sclose(space);
  return good ? HK_OK : HK_BAD_INPUT;
}

/* *data = rows of `name`, as the memory type's objects of `size` bytes. rows NULL: all of them,
 * their number goes to *all. */
static hk_status read_data(reader *r, hk_pool *pool, const char *name, const range *rows,
                           hsize_t columns, hid_t memory, void **data, hk_count *all)
{
  hk_status status = HK_OK;
  hsize_t shape[2];
  const size_t size = H5Tget_size(memory);
  hid_t set = -1;
  *data = NULL;
  if (exists(r, name)) status = hk_hdf_dataset(r->group, r->path, name, &set);
  if (status != HK_OK) return status;
  if (set < 0) return bad(r, name, "is missing");
  HK_TRY(shape_of(r, name, set, shape));
  const range whole = {0, shape[0] < INT32_MAX ? (hk_count)shape[0] : INT32_MAX};
  const range part = rows ? *rows : whole;
  if (all) *all = part.count;
  if (part.from < 0 || part.count < 0 || (hsize_t)part.from > shape[0] ||
      (hsize_t)part.count > shape[0] - (hsize_t)part.from || shape[1] != columns)
    HK_TRY(
        bad(r, name, "does not have the dimensions that the numbers of points and cells require"));
  const hk_count bytes = part.count * (hk_count)columns * (hk_count)size;
  if (!fits(set, memory) || bytes / 8 > r->budget || (bytes && H5Dget_storage_size(set) == 0))
    HK_TRY(bad(r, name, "is not of the expected type, or the file is too small"));
  r->budget -= bytes / 8;
  HK_TRY(hk_pool_array(pool, part.count * (hk_count)columns, size, data));
  if (part.count && read_rows(set, part, columns, memory, *data) != HK_OK)
    status = bad(r, name, "cannot be read: the file is damaged");
cleanup:
  H5Dclose(set);
  return status;
}

static hk_status first_of(reader *r, const char *name, hk_count missing, hk_count *value)
{
  hk_pool pool = {0};
  int64_t *data;
  *value = missing;
  if (!exists(r, name)) return HK_OK;
  hid_t set;
  hsize_t shape[2] = {0, 1};
  hk_status status = hk_hdf_dataset(r->group, r->path, name, &set);
  if (status != HK_OK) return status;
  if (set >= 0 && shape_of(r, name, set, shape) == HK_OK && shape[0] == 0) shape[1] = 0;
  if (set >= 0) H5Dclose(set);
  status =
      read_data(r, &pool, name, &(range){0, 1}, shape[1], H5T_NATIVE_INT64, (void **)&data, NULL);
  if (status == HK_OK) *value = data[0];
  hk_pool_clear(&pool);
  return status;
}

typedef struct place { /* where a piece's data begin */
  hk_count point, cell, link, offset;
} place;

static hk_status check_links(const reader *r, hid_t group, const char *name)
{
  H5O_info_t info;
  if (H5Oget_info_by_name(group, name, &info, hk_hdf_door()) < 0 || info.type != H5O_TYPE_DATASET)
    return bad(r, name, "is not a dataset");
  return HK_OK;
}

typedef struct side {
  reader *r;
  hid_t group;
  bool of_points;
  range rows;
  hk_count base;       /* of the piece in the grid */
  hk_vtk_piece *piece; /* labels and regions go there; NULL: marks into the grid */
} side;

static hk_status read_side(side *s, const char *dataset)
{
  hk_status status = HK_OK;
  char name[512], place_of[600];
  const char *set;
  hk_pool pool = {0};
  uint8_t *mask;
  if (strlen(dataset) >= sizeof name) return HK_OK;
  snprintf(name, sizeof name, "%s", dataset);
  hk_vtk_unescape(name);
  const hk_vtk_role role = hk_vtk_role_of(name, s->of_points, &set);
  const bool is_mark = role == HK_VTK_SET || role == HK_VTK_FACES;
  if (role == HK_VTK_OTHER || is_mark != !s->piece) return HK_OK;
  HK_TRY(check_links(s->r, s->group, dataset));
  snprintf(place_of, sizeof place_of, "%s/%s", s->of_points ? "PointData" : "CellData", dataset);
  if (s->piece) {
    int64_t **to = hk_vtk_piece_side(s->piece, role, s->of_points);
    if (!*to)
      HK_TRY(read_data(s->r, &s->piece->pool, place_of, &s->rows, 1, H5T_NATIVE_INT64, (void **)to,
                       NULL));
    goto cleanup;
  }
  HK_TRY(read_data(s->r, &pool, place_of, &s->rows, 1, H5T_NATIVE_UINT8, (void **)&mask, NULL));
  HK_TRY(hk_vtk_grid_mark(&s->r->grid, set, role, s->of_points, s->base, s->rows.count, mask));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status read_sides(reader *r, bool of_points, range rows, hk_count base,
                            hk_vtk_piece *piece)
{
  hk_status status = HK_OK;
  const char *folder = of_points ? "PointData" : "CellData";
  side s = {.r = r, .of_points = of_points, .rows = rows, .base = base, .piece = piece};
  H5G_info_t info;
  if (!exists(r, folder)) return HK_OK;
  s.group = H5Gopen2(r->group, folder, hk_hdf_group_door());
  if (s.group < 0) return bad(r, folder, "is not a group");
  if (H5Gget_info(s.group, &info) < 0) info.nlinks = 0;
  for (hsize_t i = 0; i < info.nlinks && i < HK_VTK_MOST_SETS; i++) {
    char name[512];
    const ssize_t length = H5Lget_name_by_idx(s.group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                              sizeof name, hk_hdf_door());
    if (length > 0 && length < (ssize_t)sizeof name) HK_TRY(read_side(&s, name));
  }
cleanup:
  H5Gclose(s.group);
  return status;
}

static hk_status read_piece(reader *r, place *at, const hk_count size[3])
{
  hk_status status = HK_OK;
  hk_vtk_piece p = {.points = size[0], .cells = size[1], .links = size[2]};
  const range points = {at->point, p.points}, cells = {at->cell, p.cells};
  const hk_count base[2] = {r->grid.raw.node_count, r->grid.cells};
  HK_TRY(read_data(r, &p.pool, "Points", &points, 3, H5T_NATIVE_DOUBLE, (void **)&p.x, NULL));
  HK_TRY(read_data(r, &p.pool, "Connectivity", &(range){at->link, p.links}, 1, H5T_NATIVE_INT32,
                   (void **)&p.connectivity, NULL));
  HK_TRY(read_data(r, &p.pool, "Offsets", &(range){at->offset, p.cells + 1}, 1, H5T_NATIVE_INT64,
                   (void **)&p.offset, NULL));
  HK_TRY(read_data(r, &p.pool, "Types", &cells, 1, H5T_NATIVE_UINT8, (void **)&p.type, NULL));
  HK_TRY(read_sides(r, true, points, base[0], &p));
  HK_TRY(read_sides(r, false, cells, base[1], &p));
  HK_TRY(hk_vtk_grid_add(&r->grid, &p));
  hk_pool_clear(&p.pool);
  HK_TRY(read_sides(r, true, points, base[0], NULL));
  HK_TRY(read_sides(r, false, cells, base[1], NULL));
  at->point += size[0], at->cell += size[1], at->link += size[2], at->offset += size[1] + 1;
cleanup:
  hk_pool_clear(&p.pool);
  return status;
}

static hk_status read_pieces(reader *r)
{
  static const char *const name[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};
  hk_status status = HK_OK;
  hk_pool pool = {0};
  int64_t *count[3];
  hk_count all[3] = {0}, first = 0, pieces = 0;
  place at = {0};
  for (int i = 0; i < 3; i++)
    HK_TRY(read_data(r, &pool, name[i], NULL, 1, H5T_NATIVE_INT64, (void **)&count[i], &all[i]));
  pieces = all[0];
  if (exists(r, "Steps")) {
    HK_TRY(first_of(r, "Steps/PartOffsets", 0, &first));
    HK_TRY(first_of(r, "Steps/NumberOfParts", 1, &pieces));
    HK_TRY(first_of(r, "Steps/PointOffsets", 0, &at.point));
    HK_TRY(first_of(r, "Steps/CellOffsets", 0, &at.cell));
    HK_TRY(first_of(r, "Steps/ConnectivityIdOffsets", 0, &at.link));
    at.offset = at.cell + first;
  }
  HK_CHECK(all[0] == all[1] && all[0] == all[2] && first >= 0 && pieces >= 0 && first <= all[0] &&
               pieces <= all[0] - first && pieces <= MOST_PIECES,
           HK_BAD_INPUT, "%s: the counts of the VTKHDF pieces contradict each other or exceed %d",
           r->path, MOST_PIECES);
  for (hk_count p = first; p < first + pieces; p++) {
    const hk_count size[] = {count[0][p], count[1][p], count[2][p]};
    for (int i = 0; i < 3; i++)
      HK_CHECK(size[i] >= 0 && size[i] <= INT64_C(27) * INT32_MAX, HK_BAD_INPUT,
               "%s: VTKHDF/%s has the value %lld", r->path, name[i], (long long)size[i]);
    if (size[0] || size[1]) HK_TRY(read_piece(r, &at, size));
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static bool is_unstructured(int fd, hid_t group)
{
  char text[64] = "";
  return H5Aexists(group, "Type") > 0 &&
         hk_hdf_attribute_text(fd, group, "Type", text, sizeof text) &&
         !strcmp(text, "UnstructuredGrid");
}

hk_status hk_mesh_read_vtkhdf(const char *path, hk_messages *list, hk_mesh **out)
{
  hk_status status = HK_OK;
  struct stat info;
  int fd = -1;
  hid_t file = -1;
  reader r = {.path = path, .group = -1, .grid = {.raw = {.path = path, .list = list}}};
  hk_hdf_begin();
  HK_TRY(hk_open_input(path, &fd));
  HK_CHECK(fstat(fd, &info) == 0, HK_BAD_INPUT, "%s: cannot be opened", path);
  r.budget = (hk_count)info.st_size * MOST_PACKING / 8;
  file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  HK_CHECK(file >= 0, HK_BAD_INPUT, "%s: is not a complete HDF5 file", path);
  if (H5Lexists(file, "VTKHDF", hk_hdf_door()) > 0)
    r.group = H5Gopen2(file, "VTKHDF", hk_hdf_group_door());
  HK_CHECK(r.group >= 0, HK_BAD_INPUT, "%s: the HDF5 file has no group VTKHDF", path);
  HK_CHECK(is_unstructured(fd, r.group), HK_BAD_INPUT,
           "%s: the attribute Type of VTKHDF must be UnstructuredGrid", path);
  HK_TRY(read_pieces(&r));
  HK_TRY(hk_vtk_grid_finish(&r.grid, out));
cleanup:
  hk_vtk_grid_free(&r.grid);
  if (r.group >= 0) H5Gclose(r.group);
  if (file >= 0) H5Fclose(file);
  if (fd >= 0) close(fd);
  hk_hdf_end();
  return status;
}
