/* A mesh as .vtu, VTK's XML file of an unstructured grid, with one piece and raw appended data (VTK User's Guide, "XML file formats"). The
 * head lists each array with its offset; behind the underscore each array stands as a UInt64 of its bytes and the values in the byte order of
 * this machine. The arrays are those of hk_vtk_arrays. */
#include <string.h>
#include "mesh/format/format.h"
#include "mesh/format/vtk_grid.h"

static void write_escaped(const char *text, hk_out *out)
{
  for (const char *p = text; *p; p++) {
    switch (*p) {
    case '<': hk_out_text(out, "&lt;"); break;
    case '>': hk_out_text(out, "&gt;"); break;
    case '&': hk_out_text(out, "&amp;"); break;
    case '"': hk_out_text(out, "&quot;"); break;
    default: hk_out_bytes(out, p, 1);
    }
  }
}

/* Offsets of cells are their ends in .vtu: the leading 0 is left out. */
static bool skips_first(const hk_vtk_array *array)
{
  return array->place == HK_VTK_CELLS && !strcmp(array->name, "offsets");
}

static size_t size_of(const hk_vtk_array *array)
{
  return (size_t)(array->count - skips_first(array)) * hk_vtk_type_size(array->type);
}

static void write_head(const hk_mesh *mesh, const hk_vtk_array *array, int count, hk_out *out)
{
  static const char *const place[] = {"Points", "Cells", "PointData", "CellData"};
  static const char *const type[] = {"Float64", "Int64", "UInt8"};
  const uint16_t one = 1;
  size_t offset = 0;
  hk_out_text(out,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
              "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
              "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n",
              *(const uint8_t *)&one ? "LittleEndian" : "BigEndian", (long long)mesh->node_count,
              (long long)mesh->element_count);
  for (int i = 0; i < count; i++) {
    if (i == 0 || array[i - 1].place != array[i].place)
      hk_out_text(out, "<%s>\n", place[array[i].place]);
    hk_out_text(out, "<DataArray type=\"%s\" Name=\"", type[array[i].type]);
    write_escaped(array[i].name, out);
    hk_out_text(out, "\"%s format=\"appended\" offset=\"%zu\"/>\n",
                array[i].place == HK_VTK_POINTS ? " NumberOfComponents=\"3\"" : "", offset);
    if (i + 1 == count || array[i + 1].place != array[i].place)
      hk_out_text(out, "</%s>\n", place[array[i].place]);
    offset += sizeof(uint64_t) + size_of(&array[i]);
  }
  hk_out_text(out, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

hk_status hk_mesh_write_vtu(const hk_mesh *mesh, const char *path)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_vtk_array *array;
  hk_out *out = NULL;
  char *data = NULL;
  int count = 0;
  HK_TRY(hk_vtk_arrays(mesh, &pool, &array, &count));
  HK_TRY(hk_out_open(path, &out));
  write_head(mesh, array, count, out);
  for (int i = 0; i < count; i++) {
    const uint64_t size = size_of(&array[i]);
    HK_TRY(hk_vtk_array_fill(mesh, &array[i], (void **)&data));
    hk_out_bytes(out, &size, sizeof size);
    hk_out_bytes(out, data + (skips_first(&array[i]) ? hk_vtk_type_size(array[i].type) : 0), size);
    hk_free(&data);
  }
  hk_out_text(out, "\n</AppendedData>\n</VTKFile>\n");
  HK_TRY(hk_out_finish(out));
cleanup:
  hk_free(&data);
  hk_out_close(&out);
  hk_pool_clear(&pool);
  return status;
}
