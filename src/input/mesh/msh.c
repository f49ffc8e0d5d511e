/* Gmsh's .msh files, versions 2.2 and 4.1, ASCII and binary (Gmsh reference manual, "MSH file format"). A file is a row of sections $NAME ...
 * $EndNAME; $MeshFormat gives the version, the kind and, in binary files, the number 1 by which the byte order is checked. $PhysicalNames
 * names groups. Nodes, elements and entities are read by msh2.c or msh4.c, value by value; unknown sections are skipped. A count that the file
 * is too small for is refused before memory is taken. */
#include "input/mesh/msh.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "input/mesh/read.h"

hk_status hk_msh_bad(hk_msh *s, const char *format, ...)
{
  char text[400], place[96];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const hk_count line = hk_source_line_number(s->source);
  const bool inside = s->binary && s->read > 0;
  if (inside)
    snprintf(place, sizeof place, " (byte %lld of the binary section $%s)", (long long)s->read,
             s->section);
  else
    place[0] = 0;
  return inside ? hk_error_set(HK_BAD_INPUT, "%s: %s%s", s->path, text, place)
                : hk_error_set(HK_BAD_INPUT, "%s:%lld: %s", s->path, (long long)line, text);
}

static bool blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* s->at = start of the next word. */
static hk_status next_word(hk_msh *s, const char *what)
{
  for (;;) {
    while (s->at < s->end && blank(*s->at)) s->at++;
    if (s->at < s->end) return HK_OK;
    size_t length;
    const hk_status status = hk_source_line(s->source, &s->at, &length);
    if (status != HK_OK) return status;
    if (!s->at) {
      s->end = NULL;
      return hk_msh_bad(s, "the file ends within $%s where %s was expected: it is cut short",
                        s->section, what);
    }
    s->end = s->at + length;
  }
}

static int word_length(const hk_msh *s)
{
  const char *p = s->at;
  while (p < s->end && !blank(*p) && p - s->at < 40) p++;
  return (int)(p - s->at);
}

static hk_status binary(hk_msh *s, const char *what, void *to, size_t size)
{
  if (hk_source_bytes(s->source, to, size) != HK_OK)
    return hk_msh_bad(s, "$%s: the file ends after %lld bytes of the section where %s was expected",
                      s->section, (long long)s->read, what);
  s->read += (hk_count)size;
  return HK_OK;
}

static hk_status integer(hk_msh *s, const char *what, int64_t *value)
{
  const hk_status status = next_word(s, what);
  if (status != HK_OK) return status;
  const size_t used = hk_parse_integer(s->at, (size_t)(s->end - s->at), value);
  if (!used || (s->at + used < s->end && !blank(s->at[used])))
    return hk_msh_bad(s, "$%s: \"%.*s\" is not %s: an integer was expected", s->section,
                      word_length(s), s->at, what);
  s->at += used;
  return HK_OK;
}

hk_status hk_msh_int(hk_msh *s, const char *what, int64_t *value)
{
  if (!s->binary) return integer(s, what, value);
  int32_t number = 0;
  const hk_status status = binary(s, what, &number, sizeof number);
  *value = number;
  return status;
}

hk_status hk_msh_size(hk_msh *s, const char *what, int64_t *value)
{
  if (!s->binary) return integer(s, what, value);
  return binary(s, what, value, sizeof *value);
}

hk_status hk_msh_double(hk_msh *s, const char *what, double *value)
{
  if (s->binary) return binary(s, what, value, sizeof *value);
  const hk_status status = next_word(s, what);
  if (status != HK_OK) return status;
  const size_t used = hk_parse_number(s->at, (size_t)(s->end - s->at), value);
  if (!used || (s->at + used < s->end && !blank(s->at[used])))
    return hk_msh_bad(s, "$%s: \"%.*s\" is not %s: a number was expected", s->section,
                      word_length(s), s->at, what);
  s->at += used;
  return HK_OK;
}

hk_status hk_msh_count(hk_msh *s, const char *what, int64_t count, int ascii, int binary_bytes,
                       hk_count *likely)
{
  const hk_count size = hk_source_size(s->source), each = s->binary ? binary_bytes : ascii;
  const hk_count most = size * (s->packed ? 1032 : 1) / each + 1;
  *likely = 0;
  if (count < 0 || count > most)
    return hk_msh_bad(s, "$%s: %lld %s are announced: the file of %lld bytes cannot hold them",
                      s->section, (long long)count, what, (long long)size);
  const hk_count trusted = size * (s->packed ? 8 : 1) / each + 1;
  *likely = count < trusted ? count : trusted;
  return HK_OK;
}

hk_status hk_msh_bad_type(hk_msh *s, int64_t type)
{
  int nodes;
  const char *name = hk_gmsh_type_name(type, &nodes);
  if (name)
    return hk_msh_bad(s,
                      "element type %lld (%s) is not supported: mesh with triangles, quadrangles, "
                      "tetrahedra, hexahedra or prisms of order 1 or 2",
                      (long long)type, name);
  return hk_msh_bad(s, "%lld is an unknown element type", (long long)type);
}

hk_status hk_msh_cell(hk_msh *s, int kind, int64_t label, hk_index entity,
                      hk_status (*next)(hk_msh *, const char *, int64_t *))
{
  const hk_cell_type *type = hk_cell_type_of(kind);
  hk_index node[27];
  for (int k = 0; k < type->nodes; k++) {
    int64_t tag = 0;
    const hk_status status = next(s, "a node number", &tag);
    if (status != HK_OK) return status;
    const hk_index place = hk_label_map_find(&s->raw.node_of, tag);
    if (place < 0)
      return hk_msh_bad(s, "element %lld: there is no node %lld", (long long)label, (long long)tag);
    node[type->gmsh_node[k]] = place;
  }
  return hk_raw_mesh_add_cell(&s->raw, kind, label, entity, node);
}

/* The next line that is not empty; NULL at the end. */
static hk_status next_line(hk_msh *s, char **line, size_t *length)
{
  for (;;) {
    const hk_status status = hk_source_line(s->source, line, length);
    if (status != HK_OK || !*line) return status;
    while (*length && blank(**line)) (*line)++, (*length)--;
    while (*length && blank((*line)[*length - 1])) (*line)[--*length] = 0;
    if (*length) return HK_OK;
  }
}

static bool ends(const hk_msh *s, const char *line)
{
  return !strncmp(line, "$End", 4) && !strcmp(line + 4, s->section);
}

static hk_status expect_end(hk_msh *s)
{
  char *line;
  size_t length;
  const hk_status status = next_line(s, &line, &length);
  if (status != HK_OK) return status;
  if (!line) return hk_msh_bad(s, "the file ends where $End%s was expected", s->section);
  if (!ends(s, line))
    return hk_msh_bad(s, "\"%.40s\" stands where $End%s was expected: a count is wrong", line,
                      s->section);
  s->read = 0;
  return HK_OK;
}

static hk_status skip_section(hk_msh *s)
{
  char *line;
  size_t length;
  do {
    const hk_status status = hk_source_line(s->source, &line, &length);
    if (status != HK_OK) return status;
    if (!line) return hk_msh_bad(s, "the file ends where $End%s was expected", s->section);
    while (length && blank(line[length - 1])) line[--length] = 0;
  } while (!ends(s, line));
  return HK_OK;
}

static hk_status check_byte_order(hk_msh *s)
{
  int32_t one = 0;
  const hk_status status = binary(s, "the number 1", &one, sizeof one);
  if (status != HK_OK) return status;
  if (one == 0x01000000)
    return hk_msh_bad(s, "the binary file has the other byte order: save it again as ASCII (gmsh "
                         "FILE -save -o NEW.msh)");
  if (one != 1) return hk_msh_bad(s, "the number 1 was expected after the format line");
  return HK_OK;
}

static hk_status read_format(hk_msh *s)
{
  char *line;
  size_t length;
  double version = 0;
  int64_t type = 0, size = 0;
  hk_status status = next_line(s, &line, &length);
  if (status != HK_OK) return status;
  if (!line) return hk_msh_bad(s, "the file ends within $MeshFormat");
  s->at = line, s->end = line + length;
  if ((status = hk_msh_double(s, "the version", &version)) != HK_OK) return status;
  if ((status = integer(s, "the file type", &type)) != HK_OK) return status;
  if ((status = integer(s, "the data size", &size)) != HK_OK) return status;
  s->at = s->end = NULL;
  if (!(version >= 2 && version < 3) && version != 4.1)
    return hk_msh_bad(
        s, "version %g of Gmsh's format is not supported: save as 4.1 (gmsh -format msh41)",
        version);
  if (type != 0 && type != 1)
    return hk_msh_bad(s, "file type %lld: must be 0 (ASCII) or 1 (binary)", (long long)type);
  if (size != 8) return hk_msh_bad(s, "data size %lld: must be 8", (long long)size);
  s->version = version < 3 ? 2 : 4;
  s->raw.repeats = s->version == 2;
  s->binary = type == 1;
  if (s->binary && (status = check_byte_order(s)) != HK_OK) return status;
  return expect_end(s);
}

/* dim tag "name" */
static hk_status read_name(hk_msh *s)
{
  hk_index group;
  char *line;
  size_t length;
  int64_t dim = 0, tag = 0;
  hk_status status = next_line(s, &line, &length);
  if (status != HK_OK) return status;
  if (!line) return hk_msh_bad(s, "the file ends within $PhysicalNames");
  s->at = line, s->end = line + length;
  const bool was_binary = s->binary;
  s->binary = false;
  status = integer(s, "a dimension", &dim);
  if (status == HK_OK) status = integer(s, "a tag", &tag);
  s->binary = was_binary;
  if (status != HK_OK) return status;
  if (dim < 0 || dim > 3) return hk_msh_bad(s, "dimension %lld: must be 0 to 3", (long long)dim);
  char *name = s->at < s->end ? memchr(s->at, '"', (size_t)(s->end - s->at)) : NULL;
  char *last = strrchr(line, '"');
  if (!name || last <= name || last == name + 1)
    return hk_msh_bad(s, "a name between quotation marks was expected");
  *last = 0;
  s->at = s->end = NULL;
  return hk_raw_mesh_group(&s->raw, (int)dim, tag < 0 ? -tag : tag, name + 1, &group);
}

static hk_status read_names(hk_msh *s)
{
  char *line;
  size_t length;
  int64_t count = 0;
  hk_status status = next_line(s, &line, &length);
  if (status != HK_OK) return status;
  if (!line || !hk_parse_integer(line, length, &count) || count < 0)
    return hk_msh_bad(s, "$PhysicalNames: their number was expected");
  for (int64_t i = 0; i < count; i++)
    if ((status = read_name(s)) != HK_OK) return status;
  return expect_end(s);
}

static hk_status read_nodes(hk_msh *s)
{
  if (s->nodes_done) return hk_msh_bad(s, "a second $Nodes section");
  hk_status status = s->version == 2 ? hk_msh2_nodes(s) : hk_msh4_nodes(s);
  if (status != HK_OK) return status;
  s->nodes_done = true;
  return hk_raw_mesh_index(&s->raw);
}

static hk_status read_elements(hk_msh *s)
{
  if (!s->nodes_done) return hk_msh_bad(s, "$Elements stands before $Nodes");
  return s->version == 2 ? hk_msh2_elements(s) : hk_msh4_elements(s);
}

static hk_status read_section(hk_msh *s)
{
  static const struct {
    const char *name;
    int version; /* 0: both */
    hk_status (*read)(hk_msh *s);
  } known[] = {{"Entities", 4, hk_msh4_entities},
               {"PartitionedEntities", 4, hk_msh4_partitioned_entities},
               {"Nodes", 0, read_nodes},
               {"Elements", 0, read_elements}};
  if (!strcmp(s->section, "PhysicalNames")) return read_names(s);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(s->section, known[i].name) != 0) continue;
    if (known[i].version && known[i].version != s->version) break;
    s->at = s->end = NULL;
    s->read = 0, s->rows.next = 0;
    const hk_status status = known[i].read(s);
    if (status != HK_OK) return status;
    while (!s->binary && s->at < s->end && blank(*s->at)) s->at++;
    if (!s->binary && s->at < s->end)
      return hk_msh_bad(s, "\"%.*s\" stands where $End%s was expected: a count is wrong",
                        word_length(s), s->at, s->section);
    return expect_end(s);
  }
  return skip_section(s);
}

static hk_status read_sections(hk_msh *s)
{
  bool format = false;
  for (;;) {
    char *line;
    size_t length;
    hk_status status = next_line(s, &line, &length);
    if (status != HK_OK) return status;
    if (!line) break;
    if (line[0] != '$' || length < 2 || length > sizeof s->section)
      return hk_msh_bad(s, "\"%.40s\" stands where a section ($Nodes ...) was expected", line);
    strcpy(s->section, line + 1);
    if (!strcmp(s->section, "NOD") || !strcmp(s->section, "NOE"))
      return hk_msh_bad(
          s, "version 1 of Gmsh's format is not supported: save as 4.1 (gmsh -format msh41)");
    if (!strcmp(s->section, "MeshFormat")) {
      if (format) return hk_msh_bad(s, "a second $MeshFormat section");
      format = true;
      status = read_format(s);
    } else if (!format && !strcmp(s->section, "Comments")) {
      status = skip_section(s);
    } else if (!format) {
      return hk_msh_bad(s, "$%s stands before $MeshFormat", s->section);
    } else {
      status = read_section(s);
    }
    if (status != HK_OK) return status;
  }
  if (!format) return hk_msh_bad(s, "the file has no $MeshFormat section");
  if (!s->nodes_done) return hk_msh_bad(s, "the file has no $Nodes section");
  return HK_OK;
}

hk_status hk_mesh_read_msh(const char *path, hk_messages *list, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_msh s = {.path = path, .list = list, .raw = {.path = path, .list = list}};
  HK_TRY(hk_is_gzip(path, &s.packed));
  HK_TRY(hk_source_open(path, &s.source));
  HK_TRY(read_sections(&s));
  hk_source_close(&s.source);
  hk_rows_free(&s.rows);
  HK_TRY(hk_raw_mesh_convert(&s.raw, &mesh));
  HK_TRY(hk_mesh_finish(mesh, path, list));
  *out = mesh, mesh = NULL;
cleanup:
  hk_source_close(&s.source);
  hk_rows_free(&s.rows);
  hk_raw_mesh_free(&s.raw);
  hk_mesh_destroy(&mesh);
  return status;
}
