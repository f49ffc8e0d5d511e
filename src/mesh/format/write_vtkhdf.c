/* A mesh as .vtkhdf, VTK's HDF5 file of an unstructured grid without steps: one piece, version 1.0, which the oldest readers know (VTK,
 * "VTKHDF File Format"). The arrays are those of hk_vtk_arrays: points, connectivity, offsets, types, labels and sets. '/' and '%' in names of
 * sets become %2F and %25, as HDF5 keeps them for itself. The disk's space is reserved first, and the file gets its name when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "mesh/format/format.h"
#include "hdf/door.h"
#include "mesh/format/vtk_grid.h"

static bool write_attributes(hid_t group)
{
  static const char type_name[] = "UnstructuredGrid";
  const int64_t version[2] = {1, 0};
  const hsize_t two = 2;
  const hid_t pair = H5Screate_simple(1, &two, NULL), scalar = H5Screate(H5S_SCALAR);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, sizeof type_name - 1);
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  const hid_t a = H5Acreate2(group, "Version", H5T_STD_I64LE, pair, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t b = H5Acreate2(group, "Type", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = a >= 0 && b >= 0 && H5Awrite(a, H5T_NATIVE_INT64, version) >= 0 &&
                    H5Awrite(b, text, type_name) >= 0;
  if (a >= 0) H5Aclose(a);
  if (b >= 0) H5Aclose(b);
  H5Tclose(text);
  H5Sclose(pair);
  H5Sclose(scalar);
  return good;
}

static bool write_data(hid_t group, const char *name, hk_vtk_type type, const hsize_t shape[2],
                       int rank, const void *data)
{
  const hid_t in_file[] = {H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_U8LE};
  const hid_t in_memory[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT64, H5T_NATIVE_UINT8};
  const hid_t space = H5Screate_simple(rank, shape, NULL);
  const hid_t set =
      H5Dcreate2(group, name, in_file[type], space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const bool good =
      set >= 0 && H5Dwrite(set, in_memory[type], H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  return good;
}

static hk_status write_array(const hk_mesh *mesh, const char *path, const hk_vtk_array *array,
                             const hid_t group[4])
{
  static const char *const cells[][2] = {
      {"connectivity", "Connectivity"}, {"offsets", "Offsets"}, {"types", "Types"}};
  hk_status status = HK_OK;
  void *data = NULL;
  char *name = NULL;
  const bool points = array->place == HK_VTK_POINTS;
  const hsize_t shape[2] = {(hsize_t)(points ? array->count / 3 : array->count), 3};
  HK_TRY(hk_vtk_escape(array->name, &name));
  const char *called = name;
  for (int i = 0; array->place == HK_VTK_CELLS && i < 3; i++)
    if (!strcmp(name, cells[i][0])) called = cells[i][1];
  HK_TRY(hk_vtk_array_fill(mesh, array, &data));
  HK_CHECK(write_data(group[array->place], called, array->type, shape, points ? 2 : 1, data),
           HK_NOT_WRITABLE, "%s: the array %s cannot be written", path, array->name);
cleanup:
  hk_free(&data);
  hk_free(&name);
  return status;
}

static hk_status write_grid(const hk_mesh *mesh, const char *path, const hid_t group[4])
{
  static const char *const name[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_vtk_array *array;
  int count;
  HK_TRY(hk_vtk_arrays(mesh, &pool, &array, &count));
  const int64_t size[] = {mesh->node_count, mesh->element_count, array[1].count};
  bool good = write_attributes(group[0]);
  for (int i = 0; i < 3; i++)
    good =
        good && write_data(group[0], name[i], HK_VTK_INT64, (const hsize_t[2]){1, 1}, 1, &size[i]);
  HK_CHECK(good, HK_NOT_WRITABLE, "%s: cannot be written", path);
  for (int i = 0; i < count; i++) HK_TRY(write_array(mesh, path, &array[i], group));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Bytes that the file takes at most. */
static hk_status plan_file(const hk_mesh *mesh, hk_count *bytes)
{
  static const hk_count size[] = {[HK_VTK_FLOAT64] = 8, [HK_VTK_INT64] = 8, [HK_VTK_UINT8] = 1};
  hk_pool pool = {0};
  hk_vtk_array *array = NULL;
  int count = 0;
  const hk_status status = hk_vtk_arrays(mesh, &pool, &array, &count);
  *bytes = 16384 + 2048 * (hk_count)(count + 8);
  for (int i = 0; i < count; i++) *bytes += array[i].count * size[array[i].type];
  hk_pool_clear(&pool);
  return status;
}

/* H5Fcreate empties the file, so that its space is asked for once more. */
static hk_status write_file(const hk_mesh *mesh, const char *path, const char *part, int fd,
                            hk_count bytes)
{
  hk_status status = HK_OK;
  hid_t group[4] = {-1, -1, -1, -1};
  const hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  HK_CHECK(file >= 0, HK_NOT_WRITABLE, "%s: cannot be written", path);
  HK_TRY(hk_disk_reserve(path, fd, bytes, true));
  group[HK_VTK_POINTS] = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  group[HK_VTK_CELLS] = group[HK_VTK_POINTS];
  group[HK_VTK_POINT_DATA] =
      H5Gcreate2(group[0], "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  group[HK_VTK_CELL_DATA] = H5Gcreate2(group[0], "CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  HK_CHECK(group[0] >= 0 && group[2] >= 0 && group[3] >= 0, HK_NOT_WRITABLE,
           "%s: cannot be written", path);
  HK_TRY(write_grid(mesh, path, group));
  HK_CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, HK_NOT_WRITABLE,
           "%s: could not be written completely", path);
cleanup:
  if (group[3] >= 0) H5Gclose(group[3]);
  if (group[2] >= 0) H5Gclose(group[2]);
  if (group[0] >= 0) H5Gclose(group[0]);
  if (file >= 0 && H5Fclose(file) < 0 && status == HK_OK)
    status = hk_error_set(HK_NOT_WRITABLE, "%s: could not be written completely", path);
  return status;
}

hk_status hk_mesh_write_vtkhdf(const hk_mesh *mesh, const char *path)
{
  hk_status status = HK_OK;
  char *part = NULL;
  int fd = -1;
  hk_count bytes;
  hk_hdf_begin();
  HK_TRY(hk_format(&part, "%s.part", path));
  HK_TRY(plan_file(mesh, &bytes));
  unlink(part);
  HK_TRY(hk_open_output(part, O_CREAT | O_EXCL, &fd));
  HK_TRY(hk_disk_reserve(path, fd, bytes, false));
  HK_TRY(write_file(mesh, path, part, fd, bytes));
  HK_TRY(hk_disk_release(path, fd));
  HK_CHECK(rename(part, path) == 0, HK_NOT_WRITABLE, "%s: cannot be written: %s", path,
           strerror(errno));
cleanup:
  if (fd >= 0) close(fd);
  if (status != HK_OK && part) remove(part);
  hk_free(&part);
  hk_hdf_end();
  return status;
}
