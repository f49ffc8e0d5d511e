/* Reads fields back, from .vtkhdf files and from the .pvd and .vtu files that field_file.c and
 * vtu_file.c write. The reader of .vtu searches the XML header for the attributes that hooke writes
 * and reads the appended raw data by offset; it is no general XML reader. Counts, cell types and
 * node numbers are checked, so that a damaged file gives a message. Here is also the list of the
 * fields of a result folder, ordered by shot. */
#include "base/file.h"
#include "mesh/format/vtk_grid.h"
#include "result/result.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = HK_MOST_NODES }; /* nodes of a cell */

static hk_status read_count(hk_hdf *file, const char *name, hk_count *out)
{
  return hk_hdf_read_integers(file, name, 0, 1, out);
}

static hk_status check_cells(const hk_field_grid *g, const char *path)
{
  HK_NEED(g->offset[0] == 0 && g->offset[g->cells] == g->links, HK_BAD_INPUT,
          "%s: the cells are damaged", path);
  for (hk_count e = 0; e < g->cells; e++) {
    const hk_shape shape = hk_shape_of_cell(g->type[e], g->offset[e + 1] - g->offset[e]);
    HK_NEED(shape != HK_SHAPE_COUNT, HK_BAD_INPUT,
            "%s: cell %lld of VTK type %d is damaged or unknown", path, (long long)e, g->type[e]);
  }
  for (hk_count i = 0; i < g->links; i++)
    HK_NEED(g->link[i] >= 0 && g->link[i] < g->nodes, HK_BAD_INPUT,
            "%s: a cell refers to node %lld: there are %lld", path, (long long)g->link[i],
            (long long)g->nodes);
  return HK_OK;
}

static hk_status get_grid(hk_field_grid *g)
{
  HK_NEED(g->nodes >= 0 && g->cells >= 0 && g->links >= 0 && g->nodes < INT32_MAX &&
              g->cells < INT32_MAX && g->links < (hk_count)INT32_MAX * MOST_LINKS,
          HK_BAD_INPUT, "a field with %lld nodes and %lld cells is not possible",
          (long long)g->nodes, (long long)g->cells);
  return hk_field_grid_get(g, g->nodes, g->cells, g->links);
}

static hk_status read_counts(hk_hdf *file, hk_field_grid *g)
{
  HK_PASS(read_count(file, "/VTKHDF/NumberOfPoints", &g->nodes));
  HK_PASS(read_count(file, "/VTKHDF/NumberOfCells", &g->cells));
  return read_count(file, "/VTKHDF/NumberOfConnectivityIds", &g->links);
}

static hk_status read_grid(hk_hdf *file, const char *path, hk_field_grid *g)
{
  hk_status status = HK_OK;
  int64_t *type = NULL;
  HK_TRY(get_grid(g));
  HK_TRY(hk_get(&type, g->cells));
  HK_TRY(hk_hdf_read(file, "/VTKHDF/Points", 3, 0, g->nodes, g->point));
  HK_TRY(hk_hdf_read_integers(file, "/VTKHDF/Offsets", 0, g->cells + 1, g->offset));
  HK_TRY(hk_hdf_read_integers(file, "/VTKHDF/Connectivity", 0, g->links, g->link));
  HK_TRY(hk_hdf_read_integers(file, "/VTKHDF/Types", 0, g->cells, type));
  for (hk_count e = 0; e < g->cells; e++) g->type[e] = (uint8_t)type[e];
  HK_TRY(check_cells(g, path));
cleanup:
  hk_free(&type);
  return status;
}

static hk_status read_quantity(hk_hdf *file, const char *name, hk_field *f, hk_field_info *q)
{
  hk_status status = HK_OK;
  hk_hdf_array array;
  char *path = NULL;
  HK_TRY(hk_copy_text(&q->name, name));
  HK_TRY(hk_format(&path, "/VTKHDF/PointData/%s", name));
  HK_TRY(hk_hdf_array_find(file, path, &array));
  const hk_count wide = array.rank > 1 ? array.size[1] : 1;
  HK_CHECK(array.size[0] >= f->frames * f->grid->nodes && wide >= 1 && wide <= 9, HK_BAD_INPUT,
           "%s has %lld rows of %lld: %lld frames of %lld nodes are expected", path,
           (long long)array.size[0], (long long)wide, (long long)f->frames,
           (long long)f->grid->nodes);
  q->wide = (int)wide;
  HK_TRY(hk_hdf_text_read(file, path, "unit", &q->unit));
  HK_TRY(hk_hdf_text_read(file, path, "components", &q->components));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status open_vtkhdf(const char *path, bool whole, hk_field *f)
{
  hk_status status = HK_OK;
  char **name = NULL;
  const char *set;
  int names = 0;
  HK_TRY(hk_hdf_open(path, false, &f->file));
  HK_TRY(read_counts(f->file, f->grid));
  if (whole) HK_TRY(read_grid(f->file, path, f->grid));
  HK_TRY(hk_hdf_integer_read(f->file, "/VTKHDF/Steps", "NSteps", 0, &f->frames));
  HK_CHECK(f->frames >= 0, HK_BAD_INPUT, "%s: is damaged: it has %lld frames", path,
           (long long)f->frames);
  HK_TRY(hk_get(&f->time, f->frames));
  HK_TRY(hk_hdf_read(f->file, "/VTKHDF/Steps/Values", 1, 0, f->frames, f->time));
  HK_TRY(hk_hdf_names(f->file, "/VTKHDF/PointData", &names, &name));
  HK_TRY(hk_get(&f->quantity, names));
  for (int i = 0; i < names; i++)
    if (hk_vtk_role_of(name[i], true, &set) == HK_VTK_OTHER)
      HK_TRY(read_quantity(f->file, name[i], f, &f->quantity[f->count++]));
cleanup:
  hk_names_free(names, &name);
  return status;
}

/* .pvd and .vtu as hooke writes them: appended raw data. */

enum { HEADER_BYTES = 1 << 16 };

/* value[size] = the attribute's text within the tag that begins at `tag`; "" if it has none. */
static void attribute(const char *tag, const char *name, char *value, size_t size)
{
  char key[64];
  const char *end = strchr(tag, '>');
  snprintf(key, sizeof key, " %s=\"", name);
  const char *at = strstr(tag, key);
  value[0] = 0;
  if (!at || !end || at > end) return;
  at += strlen(key);
  snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
}

static hk_count attribute_number(const char *tag, const char *name)
{
  char text[64];
  int64_t value = -1;
  attribute(tag, name, text, sizeof text);
  return hk_parse_integer(text, strlen(text), &value) ? value : -1;
}

/* The tag of the data array of that name; NULL if there is none. */
static const char *find_array(const char *header, const char *name)
{
  char found[64];
  for (const char *tag = strstr(header, "<DataArray"); tag; tag = strstr(tag + 1, "<DataArray")) {
    attribute(tag, "Name", found, sizeof found);
    if (!strcmp(found, name)) return tag;
  }
  return NULL;
}

typedef struct vtu_file {
  int fd;
  const char *path;
  char *header;
  hk_count data; /* where the appended data begins */
} vtu_file;

static void vtu_close(vtu_file *v)
{
  if (v->fd >= 0) close(v->fd);
  v->fd = -1;
  hk_free(&v->header);
}

static hk_status vtu_open(const char *path, vtu_file *v)
{
  hk_status status = HK_OK;
  *v = (vtu_file){-1, path, NULL, 0};
  HK_TRY(hk_open_input(path, &v->fd));
  HK_TRY(hk_get(&v->header, HEADER_BYTES + 1));
  const ssize_t got = pread(v->fd, v->header, HEADER_BYTES, 0);
  HK_CHECK(got > 0, HK_BAD_INPUT, "%s: cannot be read", path);
  char *end = strstr(v->header, "<AppendedData encoding=\"raw\">");
  char *mark = end ? strchr(end, '_') : NULL;
  HK_CHECK(mark, HK_BAD_INPUT, "%s: is not one of hooke's own .vtu files", path);
  v->data = mark + 1 - v->header;
  *end = 0;
cleanup:
  if (status != HK_OK) vtu_close(v);
  return status;
}

static hk_status vtu_read(const vtu_file *v, const char *name, const char *type, size_t bytes,
                          void *to)
{
  char found[16];
  uint64_t size = 0;
  const char *tag = find_array(v->header, name);
  HK_NEED(tag, HK_BAD_INPUT, "%s: has no %s", v->path, name);
  attribute(tag, "type", found, sizeof found);
  const hk_count at = attribute_number(tag, "offset");
  HK_NEED(!strcmp(found, type) && at >= 0, HK_BAD_INPUT, "%s: %s is not appended %s", v->path, name,
          type);
  HK_NEED(pread(v->fd, &size, 8, (off_t)(v->data + at)) == 8 && size == bytes, HK_BAD_INPUT,
          "%s: %s is cut or has another size", v->path, name);
  for (size_t done = 0; done < bytes;) {
    const ssize_t got =
        pread(v->fd, (char *)to + done, bytes - done, (off_t)(v->data + at + 8 + (hk_count)done));
    HK_NEED(got > 0, HK_BAD_INPUT, "%s: %s is cut", v->path, name);
    done += (size_t)got;
  }
  return HK_OK;
}

static hk_status vtu_grid(const vtu_file *v, hk_field_grid *g)
{
  hk_status status = HK_OK;
  int64_t *end = NULL;
  const char *piece = strstr(v->header, "<Piece");
  HK_CHECK(piece, HK_BAD_INPUT, "%s: has no <Piece>", v->path);
  g->nodes = attribute_number(piece, "NumberOfPoints");
  g->cells = attribute_number(piece, "NumberOfCells");
  HK_CHECK(g->cells >= 0 && g->cells < INT32_MAX, HK_BAD_INPUT, "%s: is damaged: it has %lld cells",
           v->path, (long long)g->cells);
  HK_TRY(hk_get(&end, g->cells));
  HK_TRY(vtu_read(v, "offsets", "Int64", (size_t)g->cells * 8, end));
  g->links = g->cells ? end[g->cells - 1] : 0;
  HK_TRY(get_grid(g));
  memcpy(g->offset + 1, end, (size_t)g->cells * 8);
  HK_TRY(vtu_read(v, "Points", "Float64", (size_t)g->nodes * 24, g->point));
  HK_TRY(vtu_read(v, "connectivity", "Int64", (size_t)g->links * 8, g->link));
  HK_TRY(vtu_read(v, "types", "UInt8", (size_t)g->cells, g->type));
  HK_TRY(check_cells(g, v->path));
  hk_lagrange_swap(g, g->link);
cleanup:
  hk_free(&end);
  return status;
}

static hk_status vtu_quantities(const vtu_file *v, hk_field *f)
{
  char text[64];
  const char *tag = strstr(v->header, "<PointData");
  HK_PASS(hk_get(&f->quantity, 8));
  while (tag && f->count < 8 && (tag = strstr(tag + 1, "<DataArray"))) {
    hk_field_info *q = &f->quantity[f->count++];
    attribute(tag, "Name", text, sizeof text);
    HK_PASS(hk_copy_text(&q->name, text));
    attribute(tag, "unit", text, sizeof text);
    HK_PASS(hk_copy_text(&q->unit, text));
    attribute(tag, "components", text, sizeof text);
    HK_PASS(hk_copy_text(&q->components, text));
    const hk_count wide = attribute_number(tag, "NumberOfComponents");
    HK_NEED(wide >= 1 && wide <= 9, HK_BAD_INPUT, "%s: is damaged: it has %lld components of %s",
            v->path, (long long)wide, q->name);
    q->wide = (int)wide;
  }
  return HK_OK;
}

static hk_status list_frames(const char *folder, const char *text, hk_field *f)
{
  char value[256];
  hk_count times = 0, files = 0;
  for (const char *tag = strstr(text, "<DataSet"); tag; tag = strstr(tag + 1, "<DataSet")) {
    HK_PASS(hk_reserve(&f->time, f->frames + 1, &times));
    HK_PASS(hk_reserve(&f->vtu, f->frames + 1, &files));
    attribute(tag, "timestep", value, sizeof value);
    hk_parse_number(value, strlen(value), &f->time[f->frames]);
    attribute(tag, "file", value, sizeof value);
    HK_PASS(hk_format(&f->vtu[f->frames], "%s/%s", folder, value));
    f->frames++;
  }
  return HK_OK;
}

static hk_status read_text(const char *path, char **out)
{
  hk_status status = HK_OK;
  char *text = NULL;
  FILE *file = NULL;
  HK_TRY(hk_open_input_stream(path, &file));
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  HK_CHECK(size >= 0, HK_BAD_INPUT, "%s: cannot be read", path);
  HK_TRY(hk_get(&text, size + 1));
  HK_CHECK(fread(text, 1, (size_t)size, file) == (size_t)size, HK_BAD_INPUT, "%s: cannot be read",
           path);
  *out = text, text = NULL;
cleanup:
  hk_free(&text);
  if (file) fclose(file);
  return status;
}

static hk_status open_pvd(const char *folder, const char *path, hk_field *f)
{
  hk_status status = HK_OK;
  char *text = NULL;
  vtu_file first = {.fd = -1};
  HK_TRY(read_text(path, &text));
  HK_TRY(list_frames(folder, text, f));
  if (!f->frames) goto cleanup;
  HK_TRY(vtu_open(f->vtu[0], &first));
  HK_TRY(vtu_grid(&first, f->grid));
  HK_TRY(vtu_quantities(&first, f));
cleanup:
  vtu_close(&first);
  hk_free(&text);
  return status;
}

static hk_status read_vtu_frame(hk_field *f, hk_count frame, const hk_field_info *q, double *values)
{
  hk_status status = HK_OK;
  const hk_count count = f->grid->nodes * q->wide;
  float *narrow = NULL;
  vtu_file v = {.fd = -1};
  HK_TRY(hk_get(&narrow, count));
  HK_TRY(vtu_open(f->vtu[frame], &v));
  HK_TRY(vtu_read(&v, q->name, "Float32", (size_t)count * 4, narrow));
  for (hk_count i = 0; i < count; i++) values[i] = narrow[i];
cleanup:
  vtu_close(&v);
  hk_free(&narrow);
  return status;
}

/* "field.vtkhdf", "field_shot0003.pvd", "field_mechanism.vtkhdf", "field_peak.vtkhdf": the length of the name before the point; 0: no field. */
static size_t field_name(const char *file)
{
  const char *end = strrchr(file, '.');
  if (!end || (strcmp(end, ".vtkhdf") && strcmp(end, ".pvd"))) return 0;
  const bool is = !strncmp(file, "field.", 6) || !strncmp(file, "field_shot", 10) ||
                  !strncmp(file, "field_mechanism.", 16) || !strncmp(file, "field_peak.", 11);
  return is ? (size_t)(end - file) : 0;
}

/* Shorter numbers first. */
static int by_shot(const void *a, const void *b)
{
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  const size_t n = strlen(x), m = strlen(y);
  return n != m ? (n < m ? -1 : 1) : strcmp(x, y);
}

static bool listed(char *const *name, int count, const char *file, size_t length)
{
  for (int i = 0; i < count; i++)
    if (strlen(name[i]) == length && !strncmp(name[i], file, length)) return true;
  return false;
}

hk_status hk_field_list(const char *folder, int *count, char ***out)
{
  hk_status status = HK_OK;
  char **name = NULL;
  hk_count capacity = 0;
  int n = 0;
  DIR *files = opendir(folder);
  const struct dirent *entry;
  while (files && (entry = readdir(files))) {
    const size_t length = field_name(entry->d_name);
    if (!length || listed(name, n, entry->d_name, length)) continue;
    HK_TRY(hk_reserve(&name, n + 1, &capacity));
    HK_TRY(hk_format(&name[n], "%.*s", (int)length, entry->d_name));
    n++;
  }
  if (n) qsort(name, (size_t)n, sizeof *name, by_shot);
  *out = name, *count = n;
  name = NULL, n = 0;
cleanup:
  hk_names_free(n, &name);
  if (files) closedir(files);
  return status;
}

/* whole: with the arrays of the grid. */
static hk_status open_field(const char *folder, const char *name, bool whole, hk_field **out)
{
  hk_status status = HK_OK;
  hk_field *f = NULL;
  char *hdf = NULL, *pvd = NULL;

  *out = NULL;
  HK_TRY(hk_format(&hdf, "%s/%s.vtkhdf", folder, name));
  HK_TRY(hk_format(&pvd, "%s/%s.pvd", folder, name));
  const bool has_hdf = access(hdf, F_OK) == 0;
  if (!has_hdf && access(pvd, F_OK) != 0) goto cleanup;
  HK_TRY(hk_new(&f));
  HK_TRY(hk_new(&f->grid));
  HK_TRY(has_hdf ? open_vtkhdf(hdf, whole, f) : open_pvd(folder, pvd, f));
  if (f->frames && f->count) *out = f, f = NULL;
cleanup:
  hk_free(&hdf);
  hk_free(&pvd);
  hk_field_close(&f);
  return status;
}

hk_status hk_field_open(const char *folder, const char *name, hk_field **out)
{
  return open_field(folder, name, true, out);
}

hk_status hk_field_open_values(const char *folder, const char *name, hk_field **out)
{
  return open_field(folder, name, false, out);
}

void hk_field_close(hk_field **field)
{
  hk_field *f = *field;
  if (!f) return;
  for (int q = 0; f->quantity && q < f->count; q++) {
    hk_free(&f->quantity[q].name);
    hk_free(&f->quantity[q].unit);
    hk_free(&f->quantity[q].components);
  }
  for (hk_count k = 0; f->vtu && k < f->frames; k++) hk_free(&f->vtu[k]);
  hk_free(&f->vtu);
  hk_free(&f->quantity);
  hk_free(&f->time);
  hk_field_grid_destroy(&f->grid);
  hk_hdf_close(&f->file);
  hk_free(field);
}

hk_status hk_field_read(hk_field *f, hk_count frame, int quantity, double *values)
{
  hk_status status = HK_OK;
  char *path = NULL;
  const hk_field_info *q = &f->quantity[quantity];
  if (f->vtu) return read_vtu_frame(f, frame, q, values);
  HK_TRY(hk_format(&path, "/VTKHDF/PointData/%s", q->name));
  HK_TRY(hk_hdf_read(f->file, path, q->wide, frame * f->grid->nodes, f->grid->nodes, values));
cleanup:
  hk_free(&path);
  return status;
}
