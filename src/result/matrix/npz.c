/* numpy's .npz: a zip archive, not compressed, of .npy files, with 64-bit sizes throughout (PKWARE APPNOTE 4.3, 4.5.3). CSR, COO and BSR
 * have the names that scipy.sparse.load_npz reads; ELL has column and value. node and component stand beside them, and are passed over by scipy. */
#include "base/file.h"
#include "result/matrix/matrix_file.h"
#include <string.h>
#include <zlib.h>

enum { MOST_MEMBERS = 12, HEADER = 256, ZIP64 = 45, ZIP64_EXTRA = 1 };

typedef struct member {
  char name[32];       /* "indptr.npy" */
  char header[HEADER]; /* of .npy */
  hk_count header_bytes, bytes;
  const void *data;
  uint32_t crc;
  uint64_t at; /* byte of the archive */
} member;

typedef struct archive {
  FILE *file;
  member member[MOST_MEMBERS];
  int members;
  uint64_t at;
} archive;

/* Little-endian, whatever the machine. */
static void put(archive *a, int bytes, uint64_t value)
{
  for (int k = 0; k < bytes; k++) fputc((int)(value >> 8 * k & 255), a->file);
  a->at += (uint64_t)bytes;
}

static void put_bytes(archive *a, const void *data, hk_count bytes)
{
  if (bytes) fwrite(data, 1, (size_t)bytes, a->file);
  a->at += (uint64_t)bytes;
}

static uint32_t crc_of(uint32_t crc, const void *data, hk_count bytes)
{
  enum { PART = 1 << 30 };
  for (hk_count at = 0; at < bytes; at += PART)
    crc = (uint32_t)crc32(crc, (const Bytef *)data + at,
                          (uInt)(bytes - at < PART ? bytes - at : PART));
  return crc;
}

/* Of the zip's file headers: "store", no date, sizes in the extra field. */
static void put_about(archive *a, const member *m)
{
  put(a, 2, ZIP64);
  put(a, 2, 0), put(a, 2, 0);
  put(a, 4, 0x00210000); /* 1980-01-01 */
  put(a, 4, m->crc);
  put(a, 4, UINT32_MAX), put(a, 4, UINT32_MAX);
  put(a, 2, strlen(m->name));
}

/* Adds an array data[..] of numpy's type; shape: "(3, 4)", "()". */
static void add(archive *a, const char *name, const char *type, const char *shape, const void *data,
                hk_count bytes)
{
  member *m = &a->member[a->members++];
  snprintf(m->name, sizeof m->name, "%s.npy", name);
  char text[HEADER - 10];
  const int length = snprintf(
      text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
  const int padded = (10 + length + 1 + 63) / 64 * 64;
  memcpy(m->header, "\x93NUMPY\x01\x00", 8);
  m->header[8] = (char)((padded - 10) & 255), m->header[9] = (char)((padded - 10) >> 8);
  memset(m->header + 10, ' ', (size_t)padded - 10);
  memcpy(m->header + 10, text, (size_t)length);
  m->header[padded - 1] = '\n';
  m->header_bytes = padded, m->bytes = bytes, m->data = data, m->at = a->at;
  m->crc = crc_of(crc_of(0, m->header, padded), data, bytes);
  put(a, 4, 0x04034b50);
  put_about(a, m);
  put(a, 2, 20);
  put_bytes(a, m->name, (hk_count)strlen(m->name));
  put(a, 2, ZIP64_EXTRA), put(a, 2, 16);
  put(a, 8, (uint64_t)(padded + bytes)), put(a, 8, (uint64_t)(padded + bytes));
  put_bytes(a, m->header, padded);
  put_bytes(a, data, bytes);
}

static void add_vector(archive *a, const char *name, const char *type, int size, hk_count count,
                       const void *data)
{
  char shape[32];
  snprintf(shape, sizeof shape, "(%lld,)", (long long)count);
  add(a, name, type, shape, data, count * size);
}

static void end(archive *a)
{
  const uint64_t first = a->at;
  for (int k = 0; k < a->members; k++) {
    const member *m = &a->member[k];
    put(a, 4, 0x02014b50);
    put(a, 2, ZIP64);
    put_about(a, m);
    put(a, 2, 28);
    put(a, 2, 0), put(a, 2, 0), put(a, 2, 0), put(a, 4, 0);
    put(a, 4, UINT32_MAX);
    put_bytes(a, m->name, (hk_count)strlen(m->name));
    put(a, 2, ZIP64_EXTRA), put(a, 2, 24);
    put(a, 8, (uint64_t)(m->header_bytes + m->bytes));
    put(a, 8, (uint64_t)(m->header_bytes + m->bytes));
    put(a, 8, m->at);
  }
  const uint64_t last = a->at;
  put(a, 4, 0x06064b50), put(a, 8, 44);
  put(a, 2, ZIP64), put(a, 2, ZIP64);
  put(a, 4, 0), put(a, 4, 0);
  put(a, 8, (uint64_t)a->members), put(a, 8, (uint64_t)a->members);
  put(a, 8, last - first), put(a, 8, first);
  put(a, 4, 0x07064b50), put(a, 4, 0), put(a, 8, last), put(a, 4, 1);
  put(a, 4, 0x06054b50), put(a, 2, 0), put(a, 2, 0);
  put(a, 2, (uint64_t)a->members), put(a, 2, (uint64_t)a->members);
  put(a, 4, UINT32_MAX), put(a, 4, UINT32_MAX), put(a, 2, 0);
}

static void add_indices(archive *a, const hk_sparse_view *v)
{
  if (v->format == HK_SPARSE_COO) {
    add_vector(a, "row", "<i4", 4, v->entries, v->row);
    add_vector(a, "col", "<i4", 4, v->entries, v->column);
  } else {
    add_vector(a, "indptr", "<i8", 8, v->rows + 1, v->row_start);
    add_vector(a, "indices", "<i4", 4, v->entries, v->column);
  }
}

static void add_matrix(archive *a, const hk_sparse_view *v)
{
  const char *const real = v->value_bytes == 8 ? "<f8" : "<f4";
  char shape[80];
  if (v->format == HK_SPARSE_ELL) {
    snprintf(shape, sizeof shape, "(%d, %lld)", v->width, (long long)v->rows);
    add(a, "column", "<i4", shape, v->column, v->entries * 4);
    add(a, "value", real, shape, v->value, v->entries * v->value_bytes);
  } else {
    if (v->format == HK_SPARSE_BSR)
      snprintf(shape, sizeof shape, "(%lld, %d, %d)", (long long)v->entries, v->size, v->size);
    else
      snprintf(shape, sizeof shape, "(%lld,)", (long long)v->entries);
    add_indices(a, v);
    add(a, "data", real, shape, v->value, v->entries * v->size * v->size * v->value_bytes);
  }
}

hk_status hk_matrix_write_npz(const char *path, const hk_matrix_file *file)
{
  const hk_sparse_view *v = &file->view;
  const int64_t shape[2] = {file->unknowns, file->unknowns};
  const uint8_t symmetric = v->symmetric;
  hk_stream stream = {0};
  const hk_status status = hk_stream_begin(path, &stream);
  if (status != HK_OK) return status;
  archive a = {.file = stream.file};
  add(&a, "format", "|S3", "()", hk_sparse_format_name(v->format), 3);
  add(&a, "shape", "<i8", "(2,)", shape, sizeof shape);
  add_matrix(&a, v);
  add(&a, "symmetric", "|b1", "()", &symmetric, 1);
  add_vector(&a, "node", "<i8", 8, file->unknowns, file->node);
  add_vector(&a, "component", "<i4", 4, file->unknowns, file->component);
  end(&a);
  return hk_stream_end(&stream, HK_OK);
}
