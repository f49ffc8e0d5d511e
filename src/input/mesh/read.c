/* The list of readers of mesh files. The format is recognised by the first bytes of the file, unpacked if it is gzipped: HDF5's signature,
 * <VTKFile, $NAME of Gmsh, * of a deck. The ending of the name does not matter.
 * A new format is a line in `readers`, a function that recognises its head, and a file with its reader. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/file.h"
#include "input/mesh/read.h"

typedef struct head { /* first bytes, unpacked */
  char text[4096];
  int length;
  bool packed;
} head;

static hk_status read_head(const char *path, head *h)
{
  hk_status status = HK_OK;
  gzFile file = NULL;
  int fd = -1;
  HK_TRY(hk_open_input(path, &fd));
  file = gzdopen(fd, "rb");
  HK_CHECK(file, HK_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  fd = -1;
  h->length = gzread(file, h->text, sizeof h->text - 1);
  if (h->length < 0) h->length = 0;
  h->text[h->length] = 0;
  h->packed = !gzdirect(file);
cleanup:
  if (file) gzclose(file);
  if (fd >= 0) close(fd);
  return status;
}

hk_status hk_is_gzip(const char *path, bool *out)
{
  head h = {.length = 0};
  const hk_status status = read_head(path, &h);
  *out = h.packed;
  return status;
}

static const char *skip_blank(const char *p)
{
  if (!strncmp(p, "\xef\xbb\xbf", 3)) p += 3;
  while (isspace((unsigned char)*p)) p++;
  return p;
}

static bool is_msh(const head *h)
{
  const char *p = skip_blank(h->text);
  return p[0] == '$' && isalpha((unsigned char)p[1]);
}

static bool is_inp(const head *h)
{
  return skip_blank(h->text)[0] == '*';
}

static bool is_vtkhdf(const head *h)
{
  return h->length >= 8 && !memcmp(h->text, "\x89HDF\r\n\x1a\n", 8);
}

static bool is_vtu(const head *h)
{
  return skip_blank(h->text)[0] == '<' && strstr(h->text, "<VTKFile");
}

typedef struct reader {
  bool (*matches)(const head *h);
  hk_status (*read)(const char *path, hk_messages *list, hk_mesh **out);
} reader;

static const reader readers[] = {{is_vtkhdf, hk_mesh_read_vtkhdf},
                                 {is_vtu, hk_mesh_read_vtu},
                                 {is_msh, hk_mesh_read_msh},
                                 {is_inp, hk_mesh_read_inp}};

static hk_status read_known(const char *path, hk_messages *list, hk_mesh **out)
{
  head h = {.length = 0};
  const hk_status status = read_head(path, &h);
  if (status != HK_OK) return status;
  if (!h.length) return hk_error_set(HK_BAD_INPUT, "%s: the file is empty", path);
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    if (readers[i].matches(&h)) return readers[i].read(path, list, out);
  return hk_error_set(HK_BAD_INPUT,
                      "%s: is not a known mesh file: hooke reads .msh (Gmsh 2.2 or 4.1), .inp "
                      "(Abaqus, CalculiX), .vtu and .vtkhdf",
                      path);
}

hk_status hk_mesh_read(const char *path, hk_messages *list, hk_mesh **out)
{
  const hk_count before = hk_messages_total(list, HK_ERROR);
  hk_messages_renew(list);
  *out = NULL;
  const hk_status status = read_known(path, list, out);
  if (status == HK_BAD_INPUT && hk_messages_total(list, HK_ERROR) == before)
    hk_messages_add_error(list, path);
  return status;
}
