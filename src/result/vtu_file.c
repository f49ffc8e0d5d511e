/* Writes one frame as a .vtu file, an UnstructuredGrid of VTK's XML format (file version 1.0) with
 * appended raw data, and the .pvd file that lists the frames with their times. Each piece of
 * appended data is preceded by its length in 8 bytes; compressed data instead by the number of its
 * blocks, the bytes of a block, those of the last if it is shorter, else 0, and the packed bytes of
 * each. Hexahedra of order p get the edge order of version 1 files (lagrange.c). */
#include "result/vtu_file.h"
#include "base/file.h"
#include "result/written.h"
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 1 << 17, LEVEL = 4 };

typedef struct part { /* one piece of appended data, with what precedes it */
  const void *data;
  uint64_t bytes;
  uint64_t *head; /* head[heads] */
  int64_t heads;
} part;

static uint64_t size_of(const part *p)
{
  return p->bytes + 8 * (uint64_t)p->heads;
}

static void list_parts(const hk_field_grid *grid, int count, const hk_vtu_array *array, part *parts)
{
  parts[0] = (part){.data = grid->point, .bytes = (uint64_t)grid->nodes * 24};
  parts[1] = (part){.data = grid->link, .bytes = (uint64_t)grid->links * 8};
  parts[2] = (part){.data = grid->offset + 1, .bytes = (uint64_t)grid->cells * 8};
  parts[3] = (part){.data = grid->type, .bytes = (uint64_t)grid->cells};
  for (int a = 0; a < count; a++)
    parts[4 + a] = (part){.data = array[a].values,
                          .bytes = (uint64_t)grid->nodes * (uint64_t)array[a].wide * 4};
}

static hk_status head_plain(hk_pool *pool, part *p)
{
  p->heads = 1;
  HK_PASS(hk_pool_few(pool, &p->head, 1));
  p->head[0] = p->bytes;
  return HK_OK;
}

/* Packs the data by all threads, block by block, and closes the gaps between the packed blocks. */
static hk_status pack(hk_pool *pool, part *p)
{
  const int64_t blocks = (int64_t)((p->bytes + BLOCK - 1) / BLOCK);
  const uint64_t room = compressBound(BLOCK);
  uint64_t at = 0;
  uint8_t *packed = NULL;
  bool good = true;
  p->heads = 3 + blocks;
  HK_PASS(hk_pool_get(pool, &p->head, p->heads));
  HK_PASS(hk_pool_get(pool, &packed, blocks * (int64_t)room));
  p->head[0] = (uint64_t)blocks, p->head[1] = BLOCK, p->head[2] = p->bytes % BLOCK;
#pragma omp parallel for schedule(dynamic) reduction(&& : good)
  for (int64_t k = 0; k < blocks; k++) {
    const uint64_t first = (uint64_t)k * BLOCK, left = p->bytes - first;
    uLongf size = (uLongf)room;
    good = compress2(packed + (uint64_t)k * room, &size, (const Bytef *)p->data + first,
                     left < BLOCK ? left : BLOCK, LEVEL) == Z_OK &&
           good;
    p->head[3 + k] = size;
  }
  HK_NEED(good, HK_NO_RESOURCES, "zlib cannot pack the data of a frame");
  for (int64_t k = 0; k < blocks; at += p->head[3 + k], k++)
    memmove(packed + at, packed + (uint64_t)k * room, p->head[3 + k]);
  p->data = packed, p->bytes = at;
  return HK_OK;
}

static void describe(FILE *to, const hk_field_grid *grid, int count, const hk_vtu_array *array,
                     const part *parts, bool compress)
{
  static const char *const cells[][2] = {
      {"Int64", "connectivity"}, {"Int64", "offsets"}, {"UInt8", "types"}};
  uint64_t at = size_of(&parts[0]);
  const int one = 1;
  fprintf(to,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"%s\" header_type=\"UInt64\"%s>\n<UnstructuredGrid>\n"
          "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n<Points>\n"
          "<DataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\" "
          "format=\"appended\" offset=\"0\"/>\n</Points>\n<Cells>\n",
          *(const char *)&one ? "LittleEndian" : "BigEndian",
          compress ? " compressor=\"vtkZLibDataCompressor\"" : "", (long long)grid->nodes,
          (long long)grid->cells);
  for (int k = 0; k < 3; at += size_of(&parts[1 + k]), k++)
    fprintf(to, "<DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%llu\"/>\n",
            cells[k][0], cells[k][1], (unsigned long long)at);
  fprintf(to, "</Cells>\n<PointData>\n");
  for (int a = 0; a < count; at += size_of(&parts[4 + a]), a++)
    fprintf(to,
            "<DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"%d\" unit=\"%s\" "
            "components=\"%s\" format=\"appended\" offset=\"%llu\"/>\n",
            array[a].name, array[a].wide, array[a].unit, array[a].components,
            (unsigned long long)at);
  fprintf(to, "</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

hk_status hk_vtu_write(const char *path, const hk_field_grid *grid, int count,
                       const hk_vtu_array *array, bool compress)
{
  hk_status status = HK_OK;
  part *parts;
  int64_t *link;
  hk_pool pool = {0};
  hk_stream stream = {0};

  HK_TRY(hk_pool_get(&pool, &parts, 4 + count));
  list_parts(grid, count, array, parts);
  if (hk_lagrange_any(grid)) {
    HK_TRY(hk_pool_get(&pool, &link, grid->links));
    memcpy(link, grid->link, (size_t)grid->links * sizeof *link);
    hk_lagrange_swap(grid, link);
    parts[1].data = link;
  }
  for (int k = 0; k < 4 + count; k++) HK_TRY((compress ? pack : head_plain)(&pool, &parts[k]));
  HK_TRY(hk_written_stream(path, &stream));
  describe(stream.file, grid, count, array, parts, compress);
  for (int k = 0; k < 4 + count; k++) {
    fwrite(parts[k].head, 8, (size_t)parts[k].heads, stream.file);
    if (parts[k].bytes) fwrite(parts[k].data, 1, parts[k].bytes, stream.file);
  }
  fprintf(stream.file, "\n</AppendedData>\n</VTKFile>\n");
cleanup:
  status = hk_stream_end(&stream, status);
  hk_pool_clear(&pool);
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
