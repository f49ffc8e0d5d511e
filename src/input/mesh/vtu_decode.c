/* The values of a .vtu array (VTK User's Guide, "XML file formats"): text, base64 in place, or appended data, raw or base64. Binary data begin
 * with their number of bytes; compressed data begin with the number of blocks, the size of a block, that of the last one, and the packed size
 * of each, and every block is unpacked by zlib when its bytes are needed. Values of any type of VTK become doubles, indices, 64-bit integers
 * or bytes; those that do not fit are refused. The numbers announced are checked against the size of the file before memory is taken. */
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include "input/mesh/vtu.h"

typedef struct bytes { /* raw or base64 bytes, one after the other */
  const uint8_t *at, *end;
  bool base64;
  uint8_t held[3];
  int next, count; /* held[next..count) is decoded and not yet taken */
} bytes;

typedef struct stream { /* the values' bytes, blocks unpacked */
  const hk_vtu_file *file;
  const hk_vtu_array *array;
  bytes data, sizes; /* compressed: the blocks, and their sizes in the header */
  uint64_t blocks, block_size, last_size, block;
  hk_pool pool; /* holds: */
  uint8_t *packed, *block_data;
  hk_count packed_room, data_room, at, end;
} stream;

static int digit_of(uint8_t c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes the next four characters; padding ends a group, and another may follow. */
static bool next_group(bytes *b)
{
  uint32_t word = 0;
  int digits = 0, pads = 0;
  while (digits + pads < 4 && b->at < b->end) {
    const uint8_t c = *b->at;
    const int digit = digit_of(c);
    if (digit < 0 && c != '=' && c != ' ' && c != '\n' && c != '\r' && c != '\t') return false;
    b->at++;
    if (digit >= 0 && !pads) word = word << 6 | (uint32_t)digit, digits++;
    if (c == '=') word <<= 6, pads++;
  }
  if (digits + pads < 4 || pads > 2) return false;
  b->held[0] = (uint8_t)(word >> 16), b->held[1] = (uint8_t)(word >> 8), b->held[2] = (uint8_t)word;
  b->next = 0, b->count = 3 - pads;
  return true;
}

static bool take(bytes *b, void *to, size_t size)
{
  uint8_t *out = to;
  if (!b->base64) {
    if ((size_t)(b->end - b->at) < size) return false;
    memcpy(out, b->at, size);
    b->at += size;
    return true;
  }
  while (size) {
    if (b->next == b->count && !next_group(b)) return false;
    *out++ = b->held[b->next++], size--;
  }
  return true;
}

static bool take_size(const stream *s, bytes *b, uint64_t *value)
{
  uint32_t small;
  if (s->file->header == 8) return take(b, value, 8);
  if (!take(b, &small, 4)) return false;
  *value = small;
  return true;
}

static hk_status bad(const hk_vtu_file *file, const hk_vtu_array *array, const char *why)
{
  return hk_error_set(HK_BAD_INPUT, "%s:%lld: the array \"%s\" %s", file->path,
                      (long long)hk_vtu_line(file, array->text), array->name, why);
}

static hk_status open_packed(stream *s, size_t size)
{
  const uint64_t left = (uint64_t)(s->data.end - s->data.at);
  bytes *header = &s->data;
  if (!take_size(s, header, &s->blocks) || !take_size(s, header, &s->block_size) ||
      !take_size(s, header, &s->last_size))
    return bad(s->file, s->array, "is cut short in its header");
  if (s->blocks > left || s->block_size > (left + 64) * 1032 || s->last_size > s->block_size)
    return bad(s->file, s->array, "has a header larger than the file");
  s->sizes = *header;
  uint64_t sum = 0, packed;
  for (uint64_t b = 0; b < s->blocks; b++) {
    if (!take_size(s, header, &packed)) return bad(s->file, s->array, "is cut short in its header");
    if (packed > left - sum) return bad(s->file, s->array, "is cut short: blocks are missing");
    sum += packed;
  }
  header->next = header->count = 0; /* base64: the blocks start a new group */
  const uint64_t full = s->blocks && s->last_size ? s->blocks - 1 : s->blocks;
  if (full * s->block_size + s->last_size != size && (s->blocks || size))
    return bad(s->file, s->array, "does not contain the expected number of values");
  return HK_OK;
}

static hk_status open_plain(stream *s, size_t size)
{
  uint64_t given;
  if (!take_size(s, &s->data, &given)) return bad(s->file, s->array, "is cut short in its header");
  if (given != size)
    return bad(s->file, s->array, "does not contain the expected number of values");
  if (size > (uint64_t)(s->data.end - s->data.at) + 3)
    return bad(s->file, s->array, "is cut short");
  return HK_OK;
}

static hk_status open_stream(stream *s, size_t size)
{
  const hk_vtu_file *file = s->file;
  const hk_vtu_array *array = s->array;
  const bool appended = array->format == 'A';
  const char *begin = appended ? file->appended : array->text;
  const char *end = appended ? file->end : array->end;
  if (!begin) return bad(file, array, "is in the appended data, which the file lacks");
  if (appended && (array->offset < 0 || array->offset > end - begin))
    return bad(file, array, "starts behind the end of the file");
  if (appended) begin += array->offset;
  s->data = (bytes){.at = (const uint8_t *)begin,
                    .end = (const uint8_t *)end,
                    .base64 = !appended || file->appended_base64};
  return file->compressed ? open_packed(s, size) : open_plain(s, size);
}

static hk_status next_block(stream *s)
{
  uint64_t packed = 0;
  const bool partial = s->block + 1 == s->blocks && s->last_size;
  const uint64_t size = partial ? s->last_size : s->block_size;
  if (s->block == s->blocks || !take_size(s, &s->sizes, &packed))
    return bad(s->file, s->array, "is cut short");
  s->block++;
  HK_PASS(hk_pool_reserve(&s->pool, (void **)&s->packed, (hk_count)packed, &s->packed_room, 1));
  HK_PASS(hk_pool_reserve(&s->pool, (void **)&s->block_data, (hk_count)size, &s->data_room, 1));
  if (!take(&s->data, s->packed, packed)) return bad(s->file, s->array, "is cut short");
  uLongf got = size;
  if (uncompress(s->block_data, &got, s->packed, packed) != Z_OK || got != size || !size)
    return bad(s->file, s->array, "is damaged: a compressed block cannot be decompressed");
  s->at = 0, s->end = (hk_count)size;
  return HK_OK;
}

static hk_status read_stream(stream *s, uint8_t *to, size_t size)
{
  if (!s->file->compressed)
    return take(&s->data, to, size) ? HK_OK : bad(s->file, s->array, "is cut short");
  while (size) {
    if (s->at == s->end) {
      const hk_status status = next_block(s);
      if (status != HK_OK) return status;
    }
    const size_t have = (size_t)(s->end - s->at), part = have < size ? have : size;
    memcpy(to, s->block_data + s->at, part);
    s->at += (hk_count)part, to += part, size -= part;
  }
  return HK_OK;
}

static int64_t integer_at(const uint8_t *from, char kind, int size)
{
  int64_t wide;
  int32_t whole;
  int16_t half;
  switch (size) {
  case 1: return kind == 'i' ? (int8_t)*from : *from;
  case 2: memcpy(&half, from, 2); return kind == 'i' ? half : (uint16_t)half;
  case 4: memcpy(&whole, from, 4); return kind == 'i' ? whole : (int64_t)(uint32_t)whole;
  default: memcpy(&wide, from, 8); return wide;
  }
}

static double float_at(const uint8_t *from, char kind, int size)
{
  double wide;
  float narrow;
  if (kind != 'f') return (double)integer_at(from, kind, size);
  if (size == 4) {
    memcpy(&narrow, from, 4);
    return narrow;
  }
  memcpy(&wide, from, 8);
  return wide;
}

/* Stores an integer at data[i]; false when it does not fit. */
static bool store(void *data, hk_count i, hk_vtu_to to, int64_t value)
{
  switch (to) {
  case HK_VTU_DOUBLE: ((double *)data)[i] = (double)value; return true;
  case HK_VTU_INDEX: ((hk_index *)data)[i] = (hk_index)value; return value == (hk_index)value;
  case HK_VTU_INT64: ((int64_t *)data)[i] = value; return true;
  default: ((uint8_t *)data)[i] = (uint8_t)value; return value == (uint8_t)value;
  }
}

static hk_status decode_binary(const hk_vtu_file *file, const hk_vtu_array *array, hk_count count,
                               hk_vtu_to to, void *data)
{
  hk_status status = HK_OK;
  enum { CHUNK = 512 };
  uint8_t chunk[CHUNK * 8];
  stream s = {.file = file, .array = array};
  HK_TRY(open_stream(&s, (size_t)count * (size_t)array->size));
  for (hk_count i = 0; i < count;) {
    const hk_count part = count - i < CHUNK ? count - i : CHUNK;
    HK_TRY(read_stream(&s, chunk, (size_t)part * (size_t)array->size));
    for (hk_count k = 0; k < part; k++, i++) {
      const uint8_t *from = chunk + k * array->size;
      if (to == HK_VTU_DOUBLE)
        ((double *)data)[i] = float_at(from, array->kind, array->size);
      else if (!store(data, i, to, integer_at(from, array->kind, array->size)))
        HK_TRY(bad(file, array, "has a value that is too large"));
    }
  }
cleanup:
  hk_pool_clear(&s.pool);
  return status;
}

static hk_status decode_text(const hk_vtu_file *file, const hk_vtu_array *array, hk_count count,
                             hk_vtu_to to, void *data)
{
  const char *p = array->text;
  for (hk_count i = 0; i <= count; i++) {
    while (p < array->end && hk_vtu_blank(*p)) p++;
    if (p == array->end || i == count) {
      if (p == array->end && i == count) return HK_OK;
      return bad(file, array, "does not contain the expected number of values");
    }
    double number;
    int64_t integer;
    const size_t left = (size_t)(array->end - p);
    const size_t used = to == HK_VTU_DOUBLE ? hk_parse_number(p, left, &number)
                                            : hk_parse_integer(p, left, &integer);
    if (!used || (used < left && !hk_vtu_blank(p[used])))
      return bad(file, array,
                 to == HK_VTU_DOUBLE ? "has a word that is not a number"
                                     : "has a word that is not an integer");
    if (to == HK_VTU_DOUBLE)
      ((double *)data)[i] = number;
    else if (!store(data, i, to, integer))
      return bad(file, array, "has a value that is too large");
    p += used;
  }
  return HK_OK;
}

/* No more is obtained than the bytes there are could hold. */
static bool possible(hk_vtu_file *file, const hk_vtu_array *array, hk_count count)
{
  if (count < 0) return false;
  if (array->format == 'a') return count <= array->end - array->text;
  const hk_count limit = file->compressed ? file->budget : file->end - file->begin;
  if (count > limit / array->size || count * array->size > file->budget) return false;
  file->budget -= count * array->size;
  return true;
}

/* Pages of the file count as memory of the process until they are left; the system keeps them. */
static void leave(const hk_vtu_file *file)
{
  madvise((void *)file->begin, (size_t)(file->end - file->begin), MADV_DONTNEED);
}

hk_status hk_vtu_decode(hk_vtu_file *file, const hk_vtu_array *array, hk_count count, hk_vtu_to to,
                        hk_pool *pool, void **data)
{
  static const size_t size[] = {sizeof(double), sizeof(hk_index), sizeof(int64_t), 1};
  *data = NULL;
  if (!possible(file, array, count))
    return bad(file, array, "cannot contain the announced number of values");
  if (to != HK_VTU_DOUBLE && array->kind == 'f')
    return bad(file, array, "must be of an integer type");
  HK_PASS(hk_pool_array(pool, count, size[to], data));
  HK_PASS(array->format == 'a' ? decode_text(file, array, count, to, *data)
                               : decode_binary(file, array, count, to, *data));
  leave(file);
  return HK_OK;
}
