/* The heads of mesh files, for checks before a large mesh is read. The file is mapped, so that only what is looked at is read: $PhysicalNames
 * and the counts behind $Nodes and $Elements of Gmsh's MSH 2.2 and 4.1, NumberOfPoints and NumberOfCells of <Piece> in .vtu. Counts that need
 * more bytes than the file has are dropped; the reader tells what is wrong. */
#include "input/mesh/look.h"
#include "base/file.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 65536, LEAST_BYTES = 8 }; /* of VTK's tags; of a node or an element in any file */
static const ptrdiff_t MOST_SEARCHED = (ptrdiff_t)4
                                       << 30; /* bytes, for $Elements: about a second */

typedef struct text {
  const char *at, *end;
} text;

static const char *find(const char *at, const char *end, const char *what)
{
  return at < end ? memmem(at, (size_t)(end - at), what, strlen(what)) : NULL;
}

/* Behind the line `what`, which begins a line; NULL where there is none. */
static const char *find_line(text t, const char *what)
{
  const size_t length = strlen(what);
  for (const char *p = t.at; (p = find(p, t.end, what)); p += length) {
    const char *next = p + length;
    if (p > t.at && p[-1] != '\n') continue;
    while (next < t.end && (*next == '\r' || *next == ' ')) next++;
    if (next < t.end && *next == '\n') return next + 1;
  }
  return NULL;
}

/* Integers of a line. */
static int read_integers(const char *at, const char *end, int most, int64_t *value)
{
  int count = 0;
  while (count < most) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    const size_t used = hk_parse_integer(at, (size_t)(end - at), &value[count]);
    if (!used) break;
    at += used, count++;
  }
  return count;
}

/* dim tag "name" */
static hk_status read_name(const char *line, const char *end, hk_mesh_look *out)
{
  int64_t head[2];
  const char *name = memchr(line, '"', (size_t)(end - line));
  const char *last = name ? memrchr(name, '"', (size_t)(end - name)) : NULL;
  if (!last || last < name + 2 || read_integers(line, name, 2, head) < 2 || head[0] < 0 ||
      head[0] > 3) {
    out->named = false;
    return HK_OK;
  }
  HK_PASS(hk_resize(&out->name, out->names + 1));
  HK_PASS(hk_resize(&out->dim, out->names + 1));
  HK_PASS(hk_format(&out->name[out->names], "%.*s", (int)(last - name - 1), name + 1));
  out->dim[out->names++] = (int)head[0];
  return HK_OK;
}

static hk_status read_names(const char *at, const char *end, hk_mesh_look *out)
{
  int64_t count = 0;
  const char *line = memchr(at, '\n', (size_t)(end - at));
  out->named = line && read_integers(at, line, 1, &count) == 1;
  for (int64_t i = 0; i < count && out->named; i++) {
    const char *begin = ++line;
    line = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    out->named = line != NULL;
    if (line) HK_PASS(read_name(begin, line, out));
  }
  out->named = out->named && line && find_line((text){line, end}, "$EndPhysicalNames");
  return HK_OK;
}

typedef struct msh {
  int version; /* 2 or 4 */
  bool binary;
} msh;

static bool read_format(text t, msh *m)
{
  const char *at =
      find_line((text){t.at, t.end - t.at > HEAD ? t.at + HEAD : t.end}, "$MeshFormat");
  double version = 0;
  const size_t used = at ? hk_parse_number(at, (size_t)(t.end - at), &version) : 0;
  int64_t rest[2];
  if (!used || read_integers(at + used, t.end, 2, rest) < 2) return false;
  m->version = version >= 2 && version < 3 ? 2 : version == 4.1 ? 4 : 0;
  m->binary = rest[0] == 1;
  return m->version > 0;
}

/* The count that a section of nodes or elements begins with: alone on its line, or the second of four. */
static double read_count(const msh *m, const char *at, const char *end)
{
  int64_t value[2] = {0, 0};
  if (m->version == 4 && m->binary) {
    if (end - at < 16) return 0;
    memcpy(value, at, sizeof value);
    return (double)value[1];
  }
  const char *line = memchr(at, '\n', (size_t)(end - at));
  const int wanted = m->version == 4 ? 2 : 1;
  if (!line || read_integers(at, line, wanted, value) < wanted) return 0;
  return (double)value[wanted - 1];
}

static hk_status look_at_msh(text t, hk_mesh_look *out)
{
  msh m = {0};
  if (!read_format(t, &m)) return HK_OK;
  const char *nodes = find_line(t, "$Nodes");
  if (!nodes) return HK_OK;
  const char *names = find_line((text){t.at, nodes}, "$PhysicalNames");
  if (names) HK_PASS(read_names(names, nodes, out));
  out->nodes = read_count(&m, nodes, t.end);
  if (t.end - t.at > MOST_SEARCHED) return HK_OK;
  const char *elements = find_line((text){nodes, t.end}, "$Elements");
  if (elements) out->elements = read_count(&m, elements, t.end);
  return HK_OK;
}

static double attribute(const char *at, const char *end, const char *name)
{
  const char *p = find(at, end, name);
  int64_t value = 0;
  if (!p) return 0;
  p += strlen(name);
  return p < end && (*p == '"' || *p == '\'') && read_integers(p + 1, end, 1, &value)
             ? (double)value
             : 0;
}

/* Of a file of one piece. */
static void look_at_vtu(text t, hk_mesh_look *out)
{
  const char *end = t.end - t.at > HEAD ? t.at + HEAD : t.end, *tag = find(t.at, end, "<Piece"),
             *close = tag ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
  if (!close || find(close, end, "<Piece")) return;
  out->nodes = attribute(tag, close, "NumberOfPoints=");
  out->elements = attribute(tag, close, "NumberOfCells=");
}

static hk_status look(text t, hk_mesh_look *out)
{
  const char *head = t.end - t.at > 4096 ? t.at + 4096 : t.end;
  if (find(t.at, head, "$MeshFormat"))
    HK_PASS(look_at_msh(t, out));
  else if (find(t.at, head, "<VTKFile"))
    look_at_vtu(t, out);
  const double most = (double)(t.end - t.at) / LEAST_BYTES;
  if (!(out->nodes > 0 && out->nodes <= most && out->elements >= 0 && out->elements <= most))
    out->nodes = out->elements = 0; /* damaged: the reader says how */
  return HK_OK;
}

hk_status hk_mesh_look_at(const char *path, hk_mesh_look *out)
{
  hk_status status = HK_OK;
  hk_mesh_look found = {0};
  struct stat info;
  int fd = -1;
  void *map = MAP_FAILED;
  size_t size = 0;
  *out = found;
  if (hk_open_input(path, &fd) != HK_OK) return HK_OK;
  if (fstat(fd, &info) != 0 || info.st_size <= 0) goto cleanup;
  size = (size_t)info.st_size;
  map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED) goto cleanup;
  HK_TRY(look((text){map, (const char *)map + size}, &found));
  if (!found.named) {
    const double nodes = found.nodes, elements = found.elements;
    hk_mesh_look_clear(&found);
    found.nodes = nodes, found.elements = elements;
  }
  *out = found, found = (hk_mesh_look){0};
cleanup:
  if (map != MAP_FAILED) munmap(map, size);
  if (fd >= 0) close(fd);
  hk_mesh_look_clear(&found);
  return status;
}

void hk_mesh_look_clear(hk_mesh_look *look)
{
  for (int i = 0; i < look->names; i++) hk_free(&look->name[i]);
  hk_free(&look->name);
  hk_free(&look->dim);
  *look = (hk_mesh_look){0};
}
