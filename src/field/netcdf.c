/* Grids from netCDF-3 files: classic (CDF-1), 64-bit offsets (CDF-2) and 64-bit data (CDF-5), as "NetCDF Classic Format Specification" of Unidata
 * has them. A file is a list of dimensions, of attributes and of variables, then the numbers, all big-endian. Only what a grid needs is kept:
 * one variable without the record dimension, the variables with the names of its dimensions, and their attributes. */
#include "base/file.h"
#include "field/reader.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BYTE = 1, CHAR, SHORT, INT, FLOAT, DOUBLE, UBYTE, USHORT, UINT, INT64, UINT64, TYPES };
enum { MOST_DIMENSIONS = 1024, MOST_VARIABLES = 8192, MOST_RANK = 1024, NAME = 256 };
static const int type_size[TYPES] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

typedef struct variable {
  char name[NAME], unit[32];
  int type, rank;
  hk_count dimension[HK_GRID_AXES];
  hk_count begin;
  double factor, offset, fill, missing;
} variable;

typedef struct reader {
  const hk_grid_desc *desc;
  FILE *file;
  hk_count bytes; /* of the file */
  int version;
  hk_count dimensions, variables;
  char (*name)[NAME]; /* name[dimensions] */
  hk_count *size;
  variable *variable;
} reader;

static hk_status damaged(const reader *r)
{
  return hk_error_set(HK_BAD_INPUT, "%s: is a netCDF file that ends too early or is damaged",
                      r->desc->path);
}

static hk_status read_bytes(reader *r, void *to, size_t count)
{
  return fread(to, 1, count, r->file) == count ? HK_OK : damaged(r);
}

/* A whole number of 4 or 8 bytes, not below 0. */
static hk_status read_whole(reader *r, int bytes, hk_count *out)
{
  unsigned char b[8];
  HK_PASS(read_bytes(r, b, (size_t)bytes));
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | b[i];
  if (value > INT64_MAX) return damaged(r);
  *out = (hk_count)value;
  return HK_OK;
}

static hk_status read_count(reader *r, hk_count most, hk_count *out)
{
  HK_PASS(read_whole(r, r->version == 5 ? 8 : 4, out));
  return *out <= most ? HK_OK : damaged(r);
}

static hk_status skip(reader *r, hk_count bytes)
{
  if (bytes < 0 || bytes > r->bytes || fseeko(r->file, (off_t)bytes, SEEK_CUR) != 0)
    return damaged(r);
  return HK_OK;
}

static hk_status read_name(reader *r, char name[NAME])
{
  hk_count length;
  HK_PASS(read_count(r, NAME - 1, &length));
  HK_PASS(read_bytes(r, name, (size_t)length));
  name[length] = 0;
  return skip(r, (length + 3) / 4 * 4 - length);
}

/* `tag` and a count, or two zeros. */
static hk_status read_list(reader *r, int tag, hk_count most, hk_count *count)
{
  hk_count found = 0;
  HK_PASS(read_whole(r, 4, &found));
  HK_PASS(read_count(r, most, count));
  return found == tag || (found == 0 && *count == 0) ? HK_OK : damaged(r);
}

/* One number of a type, big-endian. */
static double number_of(int type, const unsigned char *b)
{
  uint64_t bits = 0;
  float single;
  double real;
  for (int i = 0; i < type_size[type]; i++) bits = bits << 8 | b[i];
  const uint32_t low = (uint32_t)bits;
  switch (type) {
  case BYTE: return (int8_t)bits;
  case SHORT: return (int16_t)bits;
  case INT: return (int32_t)bits;
  case INT64: return (double)(int64_t)bits;
  case FLOAT: memcpy(&single, &low, 4); return single;
  case DOUBLE: memcpy(&real, &bits, 8); return real;
  default: return (double)bits;
  }
}

/* Attributes of a variable (NULL: of the file). */
static hk_status read_attributes(reader *r, variable *v)
{
  hk_count count, type = 0, items = 0;
  char name[NAME];
  unsigned char value[64];
  HK_PASS(read_list(r, 12, 1 << 20, &count));
  for (hk_count i = 0; i < count; i++) {
    HK_PASS(read_name(r, name));
    HK_PASS(read_whole(r, 4, &type));
    if (type < BYTE || type >= TYPES) return damaged(r);
    HK_PASS(read_count(r, r->bytes, &items));
    const hk_count bytes = items * type_size[type], kept = bytes < 64 ? bytes : 64;
    HK_PASS(read_bytes(r, value, (size_t)kept));
    HK_PASS(skip(r, (bytes + 3) / 4 * 4 - kept));
    if (!v) continue;
    if (type == CHAR && (!strcmp(name, "units") || !strcmp(name, "unit")))
      snprintf(v->unit, sizeof v->unit, "%.*s", (int)(kept < 31 ? kept : 31), (const char *)value);
    if (type == CHAR || items != 1) continue;
    const double number = number_of((int)type, value);
    if (!strcmp(name, "scale_factor")) v->factor = number;
    if (!strcmp(name, "add_offset")) v->offset = number;
    if (!strcmp(name, "_FillValue")) v->fill = number;
    if (!strcmp(name, "missing_value")) v->missing = number;
  }
  return HK_OK;
}

static hk_status read_dimensions(reader *r)
{
  HK_PASS(read_list(r, 10, MOST_DIMENSIONS, &r->dimensions));
  HK_PASS(hk_get(&r->name, r->dimensions));
  HK_PASS(hk_get(&r->size, r->dimensions));
  for (hk_count i = 0; i < r->dimensions; i++) {
    HK_PASS(read_name(r, r->name[i]));
    HK_PASS(read_count(r, INT32_MAX, &r->size[i]));
  }
  return HK_OK;
}

static hk_status read_variable(reader *r, variable *v)
{
  hk_count rank, type = 0, bytes;
  *v = (variable){.factor = 1, .fill = NAN, .missing = NAN};
  HK_PASS(read_name(r, v->name));
  HK_PASS(read_count(r, MOST_RANK, &rank));
  v->rank = (int)rank;
  for (int k = 0; k < v->rank; k++) {
    hk_count which;
    HK_PASS(read_count(r, r->dimensions - 1, &which));
    if (k < HK_GRID_AXES) v->dimension[k] = which;
  }
  HK_PASS(read_attributes(r, v));
  HK_PASS(read_whole(r, 4, &type));
  if (type < BYTE || type >= TYPES) return damaged(r);
  v->type = (int)type;
  HK_PASS(read_count(r, INT64_MAX, &bytes));
  return read_whole(r, r->version == 1 ? 4 : 8, &v->begin);
}

static hk_status read_head(reader *r)
{
  unsigned char magic[4];
  HK_PASS(read_bytes(r, magic, 4));
  r->version = magic[3];
  HK_PASS(read_bytes(r, (unsigned char[8]){0}, r->version == 5 ? 8 : 4)); /* number of records */
  HK_PASS(read_dimensions(r));
  HK_PASS(read_attributes(r, NULL));
  HK_PASS(read_list(r, 11, MOST_VARIABLES, &r->variables));
  HK_PASS(hk_get(&r->variable, r->variables));
  for (hk_count i = 0; i < r->variables; i++) HK_PASS(read_variable(r, &r->variable[i]));
  return HK_OK;
}

static bool is_dimension(const reader *r, const char *name)
{
  for (hk_count i = 0; i < r->dimensions; i++)
    if (!strcmp(r->name[i], name)) return true;
  return false;
}

static hk_status find_values(const reader *r, const variable **out)
{
  const char *name = r->desc->name;
  *out = NULL;
  for (hk_count i = 0; i < r->variables; i++) {
    const variable *v = &r->variable[i];
    if (name ? strcmp(name, v->name) != 0 : v->type == CHAR || !v->rank || is_dimension(r, v->name))
      continue;
    HK_NEED(!*out, HK_BAD_INPUT,
            "%s: has several variables (%.60s and %.60s): give the name of one", r->desc->path,
            (*out)->name, v->name);
    *out = v;
  }
  HK_NEED(*out, HK_BAD_INPUT, "%s: has no variable %s", r->desc->path,
          name ? name : "beside those of its dimensions");
  return HK_OK;
}

static hk_status read_values(reader *r, const variable *v, hk_count count, double *to)
{
  enum { SOME = 4096 };
  unsigned char part[SOME * 8];
  const int size = type_size[v->type];
  HK_NEED(v->type != CHAR, HK_BAD_INPUT, "%s: %s is a text", r->desc->path, v->name);
  if (v->begin > r->bytes || count > (r->bytes - v->begin) / size ||
      fseeko(r->file, (off_t)v->begin, SEEK_SET) != 0)
    return damaged(r);
  for (hk_count i = 0; i < count; i += SOME) {
    const hk_count some = count - i < SOME ? count - i : SOME;
    HK_PASS(read_bytes(r, part, (size_t)(some * size)));
    for (hk_count k = 0; k < some; k++) {
      const double value = number_of(v->type, part + k * size);
      const bool none = value == v->fill || value == v->missing || value == HK_GRID_UNWRITTEN;
      to[i + k] = none ? NAN : value * v->factor + v->offset;
    }
  }
  return HK_OK;
}

static hk_status read_axis(reader *r, hk_count dimension, hk_grid_axis *axis)
{
  const variable *v = NULL;
  for (hk_count i = 0; i < r->variables; i++)
    if (!strcmp(r->variable[i].name, r->name[dimension]) && r->variable[i].rank == 1 &&
        r->variable[i].dimension[0] == dimension)
      v = &r->variable[i];
  HK_NEED(v, HK_BAD_INPUT,
          "%s: dimension %.60s has no coordinates: a variable of its name and dimension is missing",
          r->desc->path, r->name[dimension]);
  axis->count = r->size[dimension];
  HK_PASS(hk_get(&axis->at, axis->count));
  snprintf(axis->unit, sizeof axis->unit, "%s", v->unit);
  return read_values(r, v, axis->count, axis->at);
}

static hk_status read_grid(reader *r, hk_grid *grid)
{
  const variable *v;
  hk_count count = 1;
  HK_PASS(read_head(r));
  HK_PASS(find_values(r, &v));
  HK_NEED(v->rank >= 1 && v->rank <= HK_GRID_AXES, HK_BAD_INPUT,
          "%s: %s has %d dimensions: one to three are possible", r->desc->path, v->name, v->rank);
  for (int a = 0; a < v->rank; a++) {
    const hk_count d = v->dimension[a];
    HK_NEED(r->size[d] > 0, HK_BAD_INPUT,
            "%s: dimension %.60s of %.60s is unlimited or empty: write it with a fixed size",
            r->desc->path, r->name[d], v->name);
    HK_PASS(hk_grid_direct(r->desc, r->name[d], a, v->rank, grid));
    HK_PASS(read_axis(r, d, &grid->axis[a]));
    grid->axes = a + 1;
    if (__builtin_mul_overflow(count, r->size[d], &count) || count > r->bytes) return damaged(r);
  }
  snprintf(grid->unit, sizeof grid->unit, "%s", v->unit);
  HK_PASS(hk_get(&grid->value, count));
  return read_values(r, v, count, grid->value);
}

hk_status hk_grid_read_netcdf(const hk_grid_desc *desc, hk_grid *grid)
{
  hk_status status = HK_OK;
  reader r = {.desc = desc};
  struct stat info;
  HK_TRY(hk_open_input_stream(desc->path, &r.file));
  HK_CHECK(fstat(fileno(r.file), &info) == 0, HK_BAD_INPUT, "%s: cannot be read", desc->path);
  r.bytes = (hk_count)info.st_size;
  HK_TRY(read_grid(&r, grid));
cleanup:
  if (r.file) fclose(r.file);
  hk_free(&r.name);
  hk_free(&r.size);
  hk_free(&r.variable);
  return status;
}
