/* Writes one frame as a .vtu file, an UnstructuredGrid of VTK's XML format (file version 1.0) with
 * appended raw data, and the .pvd file that lists the frames with their times. Each piece of
 * appended data is preceded by its length in 8 bytes. Hexahedra of order p get the edge order of
 * version 1 files (lagrange.c). */
#include "result/vtu_file.h"
#include "base/file.h"
#include "result/written.h"
#include <stdio.h>
#include <string.h>

typedef struct part { /* one piece of appended data */
  const void *data;
  uint64_t bytes;
} part;

static void list_parts(const hk_field_grid *grid, int count, const hk_vtu_array *array, part *parts)
{
  parts[0] = (part){grid->point, (uint64_t)grid->nodes * 24};
  parts[1] = (part){grid->link, (uint64_t)grid->links * 8};
  parts[2] = (part){grid->offset + 1, (uint64_t)grid->cells * 8};
  parts[3] = (part){grid->type, (uint64_t)grid->cells};
  for (int a = 0; a < count; a++)
    parts[4 + a] = (part){array[a].values, (uint64_t)grid->nodes * (uint64_t)array[a].wide * 4};
}

static void describe(FILE *to, const hk_field_grid *grid, int count, const hk_vtu_array *array,
                     const part *parts)
{
  static const char *const cells[][2] = {
      {"Int64", "connectivity"}, {"Int64", "offsets"}, {"UInt8", "types"}};
  uint64_t at = 8 + parts[0].bytes;
  const int one = 1;
  fprintf(to,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
          "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n"
          "<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" "
          "format=\"appended\" offset=\"0\"/>\n</Points>\n<Cells>\n",
          *(const char *)&one ? "LittleEndian" : "BigEndian", (long long)grid->nodes,
          (long long)grid->cells);
  for (int k = 0; k < 3; k++, at += 8 + parts[k].bytes)
    fprintf(to, "<DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%llu\"/>\n",
            cells[k][0], cells[k][1], (unsigned long long)at);
  fprintf(to, "</Cells>\n<PointData>\n");
  for (int a = 0; a < count; at += 8 + parts[4 + a].bytes, a++)
    fprintf(to,
            "<DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"%d\" unit=\"%s\" "
            "components=\"%s\" format=\"appended\" offset=\"%llu\"/>\n",
            array[a].name, array[a].wide, array[a].unit, array[a].components,
            (unsigned long long)at);
  fprintf(to, "</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

hk_status hk_vtu_write(const char *path, const hk_field_grid *grid, int count,
                       const hk_vtu_array *array)
{
  hk_status status = HK_OK;
  part *parts = NULL;
  int64_t *link = NULL;
  hk_stream stream = {0};

  HK_TRY(hk_get(&parts, 4 + count));
  list_parts(grid, count, array, parts);
  if (hk_lagrange_any(grid)) {
    HK_TRY(hk_get(&link, grid->links));
    memcpy(link, grid->link, (size_t)grid->links * sizeof *link);
    hk_lagrange_swap(grid, link);
    parts[1].data = link;
  }
  HK_TRY(hk_written_stream(path, &stream));
  describe(stream.file, grid, count, array, parts);
  for (int k = 0; k < 4 + count; k++) {
    fwrite(&parts[k].bytes, 8, 1, stream.file);
    if (parts[k].bytes) fwrite(parts[k].data, 1, parts[k].bytes, stream.file);
  }
  fprintf(stream.file, "\n</AppendedData>\n</VTKFile>\n");
cleanup:
  status = hk_stream_end(&stream, status);
  hk_free(&parts);
  hk_free(&link);
  return status;
}

hk_status hk_pvd_write(const char *folder, const char *field, hk_count frames, const double *time,
                       const bool *written)
{
  hk_status status = HK_OK;
  char number[32], *path = NULL;
  hk_stream stream = {0};
  HK_TRY(hk_format(&path, "%s/%s.pvd", folder, field));
  HK_TRY(hk_written_stream(path, &stream));
  fprintf(stream.file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                       "<Collection>\n");
  for (hk_count k = 0; k < frames; k++)
    if (written[k])
      fprintf(stream.file, "<DataSet timestep=\"%s\" file=\"%s_%04lld.vtu\"/>\n",
              hk_number_text(number, 17, time[k]), field, (long long)k);
  fprintf(stream.file, "</Collection>\n</VTKFile>\n");
cleanup:
  status = hk_stream_end(&stream, status);
  hk_free(&path);
  return status;
}

hk_status hk_vtu_path(char **out, const char *folder, const char *field, hk_count frame)
{
  return hk_format(out, "%s/%s_%04lld.vtu", folder, field, (long long)frame);
}
