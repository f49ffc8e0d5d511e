/* The data of a .vtu file's arrays: text, base64 or raw bytes, these in blocks by zlib or not. */
#pragma once
#include "base/base.h"

typedef struct hk_vtu_array {
  hk_count piece; /* number of the piece */
  char place;     /* 'P' Points, 'C' Cells, 'p' PointData, 'c' CellData */
  const char *name;
  char kind; /* 'f' float, 'i' integer, 'u' unsigned */
  int size;  /* bytes per value: 1, 2, 4, 8 */
  int components;
  char format;            /* 'a' ascii, 'b' base64 in place, 'A' appended */
  int64_t offset;         /* into the appended data */
  const char *text, *end; /* content, borrowed */
} hk_vtu_array;

/* A file may unpack to this many times its size: more is no mesh. */
enum { HK_VTU_MOST_PACKING = 256 };

typedef struct hk_vtu_file {
  const char *path;
  const char *begin, *end; /* the whole file, mapped */
  int header;              /* bytes of a header's integers: 4 or 8 */
  bool compressed;
  const char *appended; /* behind the '_'; NULL: none */
  bool appended_base64;
  hk_count budget; /* bytes that the file may still unpack to */
} hk_vtu_file;

/* What the values are turned into. */
typedef enum hk_vtu_to { HK_VTU_DOUBLE, HK_VTU_INDEX, HK_VTU_INT64, HK_VTU_UINT8 } hk_vtu_to;

/* data[count] from the array, in the pool. HK_BAD_INPUT when it holds another number of values or ones that do not fit. */
hk_status hk_vtu_decode(hk_vtu_file *file, const hk_vtu_array *array, hk_count count, hk_vtu_to to,
                        hk_pool *pool, void **data);

bool hk_vtu_blank(char c);

/* 1-based line of a place in the file. */
hk_count hk_vtu_line(const hk_vtu_file *file, const char *at);
