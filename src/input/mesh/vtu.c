/* .vtu, VTK's XML file of an unstructured grid (VTK User's Guide, "XML file formats"). The file is mapped and its tags are scanned without a
 * tree, as raw appended data make it no proper XML. The outline lists pieces and their arrays; then vtu_decode.c decodes points, cells,
 * labels, regions and sets of each piece for mesh/format/vtk_grid.c. Files of the other byte order, of a compressor other than zlib, or
 * gzipped as a whole are refused. */
#include "base/file.h"
#include "input/mesh/vtu.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input/mesh/read.h"
#include "mesh/format/format.h"
#include "mesh/format/vtk_grid.h"

typedef struct tag {
  const char *name, *name_end, *at, *end; /* at..end: the attributes */
  bool closing, alone;                    /* </name>, <name/> */
} tag;

typedef struct piece {
  int64_t points, cells;
} piece;

typedef struct reader {
  hk_vtu_file file;
  const char *at;
  bool grid;    /* within UnstructuredGrid */
  char place;   /* of the arrays that come, 0: none */
  hk_pool pool; /* holds the lists */
  HK_LIST(piece) piece;
  HK_LIST(hk_vtu_array) array;
} reader;

hk_count hk_vtu_line(const hk_vtu_file *file, const char *at)
{
  hk_count line = 1;
  for (const char *p = file->begin; p < at; p++) line += *p == '\n';
  return line;
}

static hk_status bad(const reader *r, const char *at, const char *why)
{
  const hk_count line = hk_vtu_line(&r->file, at);
  return hk_error_set(HK_BAD_INPUT, "%s:%lld: %s", r->file.path, (long long)line, why);
}

bool hk_vtu_blank(char c)
{
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static const char *find(const char *at, const char *end, const char *what)
{
  const char *p = memmem(at, (size_t)(end - at), what, strlen(what));
  return p ? p : end;
}

/* Next tag behind r->at; comments and declarations are passed over. *found = false at the end. */
static hk_status next_tag(reader *r, tag *t, bool *found)
{
  const char *end = r->file.end;
  for (;;) {
    const char *open = memchr(r->at, '<', (size_t)(end - r->at));
    *found = open != NULL;
    if (!open) return HK_OK;
    if (end - open >= 4 && !memcmp(open, "<!--", 4)) {
      r->at = find(open, end, "-->");
      continue;
    }
    const char *close = open;
    for (char quote = 0; close < end && (quote || *close != '>'); close++) {
      if (quote && *close == quote)
        quote = 0;
      else if (!quote && (*close == '"' || *close == '\''))
        quote = *close;
    }
    if (close == end) return bad(r, open, "a tag is not closed: the file is cut short");
    r->at = close + 1;
    if (open[1] == '?' || open[1] == '!') continue;
    *t = (tag){.name = open + 1, .end = close};
    if (*t->name == '/') t->closing = true, t->name++;
    if (t->end > t->name && t->end[-1] == '/') t->alone = true, t->end--;
    for (t->name_end = t->name; t->name_end < t->end && !hk_vtu_blank(*t->name_end);) t->name_end++;
    t->at = t->name_end;
    return HK_OK;
  }
}

static bool is(const tag *t, const char *name)
{
  return (size_t)(t->name_end - t->name) == strlen(name) && !memcmp(t->name, name, strlen(name));
}

/* Value of an attribute: its length, -1 if it is not there. */
static int attribute(const tag *t, const char *name, const char **value)
{
  const size_t length = strlen(name);
  const char *p = t->at;
  while (p < t->end) {
    while (p < t->end && hk_vtu_blank(*p)) p++;
    const char *word = p;
    while (p < t->end && *p != '=' && !hk_vtu_blank(*p)) p++;
    const size_t word_length = (size_t)(p - word);
    while (p < t->end && (hk_vtu_blank(*p) || *p == '=')) p++;
    if (p == t->end || (*p != '"' && *p != '\'')) return -1;
    const char *last = memchr(p + 1, *p, (size_t)(t->end - p - 1));
    if (!last || last - p > 1 << 20) return -1;
    if (word_length == length && !memcmp(word, name, length)) {
      *value = p + 1;
      return (int)(last - p - 1);
    }
    p = last + 1;
  }
  return -1;
}

static bool attribute_is(const tag *t, const char *name, const char *wanted)
{
  const char *value;
  const int length = attribute(t, name, &value);
  return length >= 0 && (size_t)length == strlen(wanted) && !memcmp(value, wanted, (size_t)length);
}

static bool attribute_integer(const tag *t, const char *name, int64_t *out)
{
  const char *value;
  const int length = attribute(t, name, &value);
  return length > 0 && hk_parse_integer(value, (size_t)length, out) == (size_t)length;
}

/* *out = the text with &lt; and its like replaced. */
static hk_status unescape(hk_pool *pool, const char *text, int length, const char **out)
{
  static const struct {
    const char *word;
    char letter;
  } entity[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  char *to;
  const hk_status status = hk_pool_few(pool, &to, length + 1);
  if (status != HK_OK) return status;
  *out = to;
  for (int i = 0; i < length;) {
    size_t used = 1;
    *to = text[i];
    for (size_t k = 0; text[i] == '&' && k < sizeof entity / sizeof *entity; k++) {
      const size_t size = strlen(entity[k].word);
      if ((size_t)(length - i) >= size && !memcmp(text + i, entity[k].word, size))
        *to = entity[k].letter, used = size;
    }
    i += (int)used, to++;
  }
  *to = 0;
  return HK_OK;
}

static hk_status read_file_tag(reader *r, const tag *t)
{
  const char *value;
  const uint16_t one = 1;
  const bool little = *(const uint8_t *)&one == 1;
  if (!attribute_is(t, "type", "UnstructuredGrid"))
    return bad(r, t->name, "hooke reads only files of the type UnstructuredGrid");
  if (attribute(t, "byte_order", &value) >= 0 &&
      !attribute_is(t, "byte_order", little ? "LittleEndian" : "BigEndian"))
    return bad(r, t->name, "the file has the other byte order: save it again as ascii");
  r->file.header = attribute_is(t, "header_type", "UInt64") ? 8 : 4;
  r->file.compressed = attribute(t, "compressor", &value) > 0;
  if (r->file.compressed && !attribute_is(t, "compressor", "vtkZLibDataCompressor"))
    return bad(r, t->name,
               "the file's compressor is not zlib: save it again with zlib or without compression");
  return HK_OK;
}

static bool read_type(const tag *t, hk_vtu_array *array)
{
  static const struct {
    const char *name;
    char kind;
    int size;
  } type[] = {{"Int8", 'i', 1},    {"UInt8", 'u', 1},  {"Int16", 'i', 2}, {"UInt16", 'u', 2},
              {"Int32", 'i', 4},   {"UInt32", 'u', 4}, {"Int64", 'i', 8}, {"UInt64", 'u', 8},
              {"Float32", 'f', 4}, {"Float64", 'f', 8}};
  for (size_t i = 0; i < sizeof type / sizeof *type; i++)
    if (attribute_is(t, "type", type[i].name)) {
      array->kind = type[i].kind, array->size = type[i].size;
      return true;
    }
  return false;
}

static hk_status read_array_tag(reader *r, const tag *t)
{
  const char *name = NULL;
  int64_t components = 1;
  hk_vtu_array a = {.piece = r->piece.count - 1, .place = r->place, .offset = 0, .text = r->at};
  const int length = attribute(t, "Name", &name);
  attribute_integer(t, "NumberOfComponents", &components);
  a.components = components >= 1 && components < 1000 ? (int)components : 1;
  a.format = attribute_is(t, "format", "appended") ? 'A'
             : attribute_is(t, "format", "binary") ? 'b'
                                                   : 'a';
  a.end = a.text;
  if (!t->alone) a.end = r->at = find(r->at, r->file.end, "<");
  if (!read_type(t, &a)) return HK_OK; /* strings and bits hold no mesh */
  if (a.format == 'A' && !attribute_integer(t, "offset", &a.offset))
    return bad(r, t->name, "an appended array needs its offset");
  HK_PASS(unescape(&r->pool, length < 0 ? "" : name, length < 0 ? 0 : length, &a.name));
  HK_PASS(hk_pool_more(&r->pool, &r->array));
  r->array.at[r->array.count++] = a;
  return HK_OK;
}

static hk_status read_piece_tag(reader *r, const tag *t)
{
  piece p = {0};
  if (!attribute_integer(t, "NumberOfPoints", &p.points) ||
      !attribute_integer(t, "NumberOfCells", &p.cells) || p.points < 0 || p.cells < 0 ||
      p.points > INT32_MAX || p.cells > INT32_MAX)
    return bad(r, t->name, "a piece needs NumberOfPoints and NumberOfCells, below 2147483648");
  const hk_status status = hk_pool_more(&r->pool, &r->piece);
  if (status == HK_OK) r->piece.at[r->piece.count++] = p;
  return status;
}

static hk_status read_appended(reader *r, const tag *t)
{
  r->file.appended_base64 = attribute_is(t, "encoding", "base64");
  const char *p = r->at;
  while (p < r->file.end && hk_vtu_blank(*p)) p++;
  if (p == r->file.end || *p != '_') return bad(r, p, "appended data must start with '_'");
  r->file.appended = p + 1;
  return HK_OK;
}

static hk_status read_outline(reader *r)
{
  static const struct {
    const char *name;
    char place;
  } places[] = {{"Points", 'P'}, {"Cells", 'C'}, {"PointData", 'p'}, {"CellData", 'c'}};
  bool found = false, known = false;
  for (;;) {
    tag t = {0};
    hk_status status = next_tag(r, &t, &found);
    if (status != HK_OK) return status;
    if (!found) break;
    for (size_t i = 0; i < 4; i++)
      if (is(&t, places[i].name)) r->place = t.closing || t.alone ? 0 : places[i].place;
    if (is(&t, "UnstructuredGrid")) r->grid = !t.closing;
    if (t.closing) continue;
    if (is(&t, "VTKFile")) known = true, status = read_file_tag(r, &t);
    if (is(&t, "Piece") && r->grid) status = read_piece_tag(r, &t);
    if (is(&t, "DataArray") && r->piece.count && r->place) status = read_array_tag(r, &t);
    if (status != HK_OK) return status;
    if (is(&t, "AppendedData")) return read_appended(r, &t);
  }
  if (!known) return bad(r, r->file.begin, "the file has no VTKFile element");
  return HK_OK;
}

static const hk_vtu_array *array_of(const reader *r, hk_count p, char place, const char *name)
{
  for (hk_count i = 0; i < r->array.count; i++)
    if (r->array.at[i].piece == p && r->array.at[i].place == place &&
        (!name || !strcmp(r->array.at[i].name, name)))
      return &r->array.at[i];
  return NULL;
}

static hk_status decode_cells(reader *r, hk_count p, hk_vtk_piece *out)
{
  int64_t *end;
  const hk_vtu_array *links = array_of(r, p, 'C', "connectivity");
  const hk_vtu_array *offsets = array_of(r, p, 'C', "offsets");
  const hk_vtu_array *types = array_of(r, p, 'C', "types");
  if (!links || !offsets || !types)
    return bad(r, r->file.begin, "the cells need the arrays connectivity, offsets and types");
  HK_PASS(
      hk_vtu_decode(&r->file, types, out->cells, HK_VTU_UINT8, &out->pool, (void **)&out->type));
  HK_PASS(hk_vtu_decode(&r->file, offsets, out->cells, HK_VTU_INT64, &out->pool, (void **)&end));
  HK_PASS(hk_pool_get(&out->pool, &out->offset, out->cells + 1));
  if (out->cells) memcpy(out->offset + 1, end, (size_t)out->cells * sizeof *end);
  out->links = out->offset[out->cells];
  return hk_vtu_decode(&r->file, links, out->links, HK_VTU_INDEX, &out->pool,
                       (void **)&out->connectivity);
}

static hk_status decode_side_array(reader *r, const hk_vtu_array *a, hk_vtk_piece *out)
{
  const char *set;
  const bool of_points = a->place == 'p';
  const hk_vtk_role role = hk_vtk_role_of(a->name, of_points, &set);
  const hk_count count = of_points ? out->points : out->cells;
  int64_t **to = hk_vtk_piece_side(out, role, of_points);
  if ((role != HK_VTK_LABEL && role != HK_VTK_REGION) || a->components != 1 || a->kind == 'f' ||
      *to)
    return HK_OK;
  return hk_vtu_decode(&r->file, a, count, HK_VTU_INT64, &out->pool, (void **)to);
}

static hk_status read_marks(reader *r, const hk_vtu_array *a, const piece *p, hk_count first[2],
                            hk_vtk_grid *grid)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  void *value;
  const char *set;
  const bool of_points = a->place == 'p';
  const hk_vtk_role role = hk_vtk_role_of(a->name, of_points, &set);
  const hk_count count = of_points ? p->points : p->cells;
  if ((role != HK_VTK_SET && role != HK_VTK_FACES) || a->components != 1) return HK_OK;
  HK_TRY(hk_vtu_decode(&r->file, a, count, HK_VTU_UINT8, &pool, &value));
  HK_TRY(hk_vtk_grid_mark(grid, set, role, of_points, first[of_points ? 0 : 1], count, value));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status read_piece(reader *r, hk_count p, hk_vtk_grid *grid)
{
  hk_status status = HK_OK;
  hk_count first[2] = {grid->raw.node_count, grid->cells};
  hk_vtk_piece out = {.points = r->piece.at[p].points, .cells = r->piece.at[p].cells};
  const hk_vtu_array *points = array_of(r, p, 'P', NULL);
  if (!out.points && !out.cells) return HK_OK;
  if (!points || points->components != 3)
    return bad(r, r->file.begin, "a piece needs Points of three components");
  HK_TRY(
      hk_vtu_decode(&r->file, points, 3 * out.points, HK_VTU_DOUBLE, &out.pool, (void **)&out.x));
  HK_TRY(decode_cells(r, p, &out));
  for (hk_count i = 0; i < r->array.count; i++)
    if (r->array.at[i].piece == p && (r->array.at[i].place == 'p' || r->array.at[i].place == 'c'))
      HK_TRY(decode_side_array(r, &r->array.at[i], &out));
  HK_TRY(hk_vtk_grid_add(grid, &out));
  hk_pool_clear(&out.pool);
  for (hk_count i = 0; i < r->array.count; i++)
    if (r->array.at[i].piece == p && (r->array.at[i].place == 'p' || r->array.at[i].place == 'c'))
      HK_TRY(read_marks(r, &r->array.at[i], &r->piece.at[p], first, grid));
cleanup:
  hk_pool_clear(&out.pool);
  return status;
}

static hk_status map_file(const char *path, hk_vtu_file *file)
{
  hk_status status = HK_OK;
  struct stat info;
  int fd = -1;
  HK_TRY(hk_open_input(path, &fd));
  HK_CHECK(fstat(fd, &info) == 0, HK_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  HK_CHECK(info.st_size > 0, HK_BAD_INPUT, "%s: the file is empty", path);
  void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  HK_CHECK(map != MAP_FAILED, HK_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
  file->begin = map, file->end = file->begin + info.st_size;
cleanup:
  if (fd >= 0) close(fd);
  return status;
}

static void unmap(hk_vtu_file *file)
{
  if (file->begin) munmap((void *)file->begin, (size_t)(file->end - file->begin));
  file->begin = file->end = NULL;
}

hk_status hk_mesh_read_vtu(const char *path, hk_messages *list, hk_mesh **out)
{
  hk_status status = HK_OK;
  bool packed = false;
  reader r = {.file = {.path = path}};
  hk_vtk_grid grid = {.raw = {.path = path, .list = list}};
  HK_TRY(hk_is_gzip(path, &packed));
  HK_CHECK(!packed, HK_BAD_INPUT, "%s: is compressed by gzip: decompress it first", path);
  HK_TRY(map_file(path, &r.file));
  r.at = r.file.begin;
  r.file.budget = (r.file.end - r.file.begin) * HK_VTU_MOST_PACKING;
  HK_TRY(read_outline(&r));
  for (hk_count p = 0; p < r.piece.count; p++) HK_TRY(read_piece(&r, p, &grid));
  unmap(&r.file); /* its pages count as memory of the process until then */
  HK_TRY(hk_vtk_grid_finish(&grid, out));
cleanup:
  hk_vtk_grid_free(&grid);
  hk_pool_clear(&r.pool);
  unmap(&r.file);
  return status;
}
