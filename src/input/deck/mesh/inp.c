/* The keywords of a deck that make its mesh: *NODE, *ELEMENT, *NSET, *ELSET and *SURFACE, and *PART, *INSTANCE and *ASSEMBLY around them. A
 * flat deck is one part and one piece of it; each *INSTANCE is a piece, moved by its data lines and turned about an axis by Rodrigues'
 * formula. A deck can also be read as a mesh alone: other keywords are then skipped. */
#include "input/mesh/read.h"
#include "input/deck/mesh/parts.h"
#include <math.h>
#include <string.h>

enum { MOST_PARTS = 1000 };

static void clear_cells(hk_inp_cells *cells)
{
  for (int k = 0; k < HK_INP_KINDS; k++) {
    hk_free(&cells->pile[k].label);
    hk_free(&cells->pile[k].node);
  }
  hk_free(&cells->label);
  hk_label_map_free(&cells->of);
}

static void clear_part(hk_inp_part *p)
{
  hk_free(&p->label);
  hk_free(&p->x);
  clear_cells(&p->element);
  clear_cells(&p->side);
  hk_label_map_free(&p->node_of);
}

void hk_inp_destroy(hk_inp **inp)
{
  hk_inp *i = *inp;
  if (!i) return;
  hk_inp_reader_destroy(&i->reader);
  for (hk_count p = 0; p < i->part.count; p++) clear_part(&i->part.at[p]);
  hk_free(&i->boundary.element);
  hk_free(&i->boundary.face);
  hk_face_match_free(&i->sides.match);
  hk_pool_clear(&i->pool);
  hk_free(inp);
}

static hk_status add_part(hk_inp *inp, const char *name)
{
  HK_PASS(hk_pool_more(&inp->pool, &inp->part));
  hk_inp_part *part = &inp->part.at[inp->part.count];
  memset(part, 0, sizeof *part);
  HK_PASS(hk_inp_keep(inp->reader, name, &part->name));
  inp->part.count++;
  return HK_OK;
}

static hk_status add_piece(hk_inp *inp, const char *name, int part, hk_place place)
{
  HK_PASS(hk_pool_more(&inp->pool, &inp->piece));
  hk_inp_piece *piece = &inp->piece.at[inp->piece.count];
  *piece = (hk_inp_piece){.part = part, .place = place};
  for (int d = 0; d < 3; d++) piece->axes[d][d] = 1;
  HK_PASS(hk_inp_keep(inp->reader, name, &piece->name));
  inp->piece.count++;
  return HK_OK;
}

hk_status hk_inp_create(const char *path, hk_pool *files, hk_messages *list, hk_inp **out)
{
  hk_status status = HK_OK;
  hk_inp *inp = NULL;
  HK_TRY(hk_new(&inp));
  inp->list = list;
  inp->inside = HK_INP_HEADING;
  HK_TRY(hk_pool_text(&inp->pool, path, &inp->path));
  HK_TRY(hk_inp_reader_create(path, files, list, &inp->reader));
  HK_TRY(add_part(inp, ""));
  HK_TRY(add_piece(inp, "", HK_INP_ROOT, (hk_place){inp->path, 0}));
  *out = inp, inp = NULL;
cleanup:
  hk_inp_destroy(&inp);
  return status;
}

hk_inp_reader *hk_inp_reader_of(hk_inp *inp)
{
  return inp->reader;
}

int hk_inp_scope(const hk_inp *inp)
{
  return inp->now;
}

const char *hk_inp_title(const hk_inp *inp)
{
  return inp->title;
}

static hk_status read_heading(hk_inp *inp, const hk_inp_line *line)
{
  char *text;
  size_t length;
  (void)line;
  HK_PASS(hk_inp_data(inp->reader, &text, &length));
  if (text && !inp->title) HK_PASS(hk_pool_text(&inp->pool, text, &inp->title));
  return hk_inp_skip(inp->reader);
}

static bool open_block(hk_inp *inp, const hk_inp_line *line)
{
  const bool inner = line->id == HK_INP_INSTANCE;
  if (inp->inside != HK_INP_HEADING && !(inner && inp->inside == HK_INP_ASSEMBLY))
    return hk_inp_error(
        inp->reader, line->place,
        "*%s: the block that begins at line %lld is not closed (*END PART, *END INSTANCE "
        "or *END ASSEMBLY is missing)",
        line->keyword->name, (long long)inp->inside_place.line);
  inp->inside = line->id, inp->inside_place = line->place;
  return true;
}

static hk_status begin_part(hk_inp *inp, const hk_inp_line *line)
{
  if (!open_block(inp, line)) return HK_OK;
  const char *name = hk_inp_need(inp->reader, line, "NAME");
  if (!name) name = "";
  if (hk_inp_names_find(&inp->part_names, name, 0) >= 0)
    hk_inp_error(inp->reader, line->place, "*PART, NAME=%s: another part has this name", name);
  HK_NEED(inp->part.count <= MOST_PARTS, HK_BAD_INPUT, "%s:%lld: more than %d parts",
          line->place.file, (long long)line->place.line, MOST_PARTS);
  HK_PASS(add_part(inp, name));
  inp->now = (int)inp->part.count - 1;
  return hk_inp_names_add(&inp->pool, &inp->part_names, inp->part.at[inp->now].name, 0, inp->now);
}

static hk_status begin_assembly(hk_inp *inp, const hk_inp_line *line)
{
  open_block(inp, line);
  return HK_OK;
}

/* Turns by `angle` degrees about the axis from a[0..2] to a[3..5]; rows of axes are the turned unit
 * vectors (Rodrigues: v cos + (k x v) sin + k (k . v) (1 - cos)). */
static bool set_rotation(hk_inp_piece *piece, const double a[7])
{
  double k[3], length = 0;
  for (int d = 0; d < 3; d++) k[d] = a[3 + d] - a[d], length += k[d] * k[d];
  length = sqrt(length);
  if (!(length > 0) || !isfinite(length)) return false;
  const double angle = a[6] * acos(-1.0) / 180, c = cos(angle), s = sin(angle);
  for (int d = 0; d < 3; d++) k[d] /= length, piece->about[d] = a[d];
  for (int i = 0; i < 3; i++) {
    const double v[3] = {i == 0, i == 1, i == 2};
    const double cross[3] = {k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2],
                             k[0] * v[1] - k[1] * v[0]};
    for (int d = 0; d < 3; d++) piece->axes[i][d] = v[d] * c + cross[d] * s + k[d] * k[i] * (1 - c);
  }
  return true;
}

static hk_status read_placement(hk_inp *inp, hk_inp_piece *piece)
{
  double a[7] = {0};
  int count;
  HK_PASS(hk_inp_number_line(inp->reader, "translation of the instance", piece->shift, 3, &count));
  if (count < 0) return HK_OK;
  HK_PASS(hk_inp_number_line(inp->reader, "rotation of the instance", a, 7, &count));
  if (count >= 0 && (count < 7 || !set_rotation(piece, a)))
    hk_inp_wrong(
        inp->reader,
        "rotation of the instance: give two different points of the axis and an angle (7 numbers)");
  return HK_OK;
}

static hk_status begin_instance(hk_inp *inp, const hk_inp_line *line)
{
  hk_inp_reader *r = inp->reader;
  if (!open_block(inp, line)) return hk_inp_skip(r);
  const char *name = hk_inp_need(r, line, "NAME"), *part = hk_inp_need(r, line, "PART");
  int number = -1;
  if (!name || !part) return hk_inp_skip(r);
  if (hk_inp_names_find(&inp->piece_names, name, 0) >= 0)
    hk_inp_error(r, line->place, "*INSTANCE, NAME=%s: another instance has this name", name);
  number = hk_inp_names_find(&inp->part_names, part, 0);
  if (number < 0)
    return hk_inp_refuse(r, line->place,
                         "*INSTANCE, PART=%s: there is no *PART of that name before it%s", part,
                         hk_inp_near(r, &inp->part_names, part, 0));
  HK_NEED(inp->piece.count <= MOST_PARTS, HK_BAD_INPUT, "%s:%lld: more than %d instances",
          line->place.file, (long long)line->place.line, MOST_PARTS);
  HK_PASS(add_piece(inp, name, number, line->place));
  hk_inp_piece *piece = &inp->piece.at[inp->piece.count - 1];
  HK_PASS(
      hk_inp_names_add(&inp->pool, &inp->piece_names, piece->name, 0, (int)inp->piece.count - 1));
  return read_placement(inp, piece);
}

static hk_status end_block(hk_inp *inp, const hk_inp_line *line)
{
  const hk_inp_id opens = line->id == HK_INP_END_PART       ? HK_INP_PART
                          : line->id == HK_INP_END_ASSEMBLY ? HK_INP_ASSEMBLY
                                                            : HK_INP_INSTANCE;
  if (inp->inside != opens) {
    hk_inp_error(inp->reader, line->place, "*%s: there is nothing to close here",
                 line->keyword->name);
    return HK_OK;
  }
  inp->inside = opens == HK_INP_INSTANCE ? HK_INP_ASSEMBLY : HK_INP_HEADING;
  inp->now = HK_INP_ROOT;
  return HK_OK;
}

typedef hk_status (*handler)(hk_inp *inp, const hk_inp_line *line);
static const handler handlers[HK_INP_ID_COUNT] = {
    [HK_INP_HEADING] = read_heading,
    [HK_INP_NODE] = hk_inp_read_nodes,
    [HK_INP_ELEMENT] = hk_inp_read_elements,
    [HK_INP_NSET] = hk_inp_read_set,
    [HK_INP_ELSET] = hk_inp_read_set,
    [HK_INP_SURFACE] = hk_inp_read_surface,
    [HK_INP_PART] = begin_part,
    [HK_INP_END_PART] = end_block,
    [HK_INP_ASSEMBLY] = begin_assembly,
    [HK_INP_END_ASSEMBLY] = end_block,
    [HK_INP_INSTANCE] = begin_instance,
    [HK_INP_END_INSTANCE] = end_block,
};

hk_status hk_inp_mesh_keyword(hk_inp *inp, const hk_inp_line *line, bool *taken)
{
  *taken = true;
  const bool ends = line->id == HK_INP_END_INSTANCE || line->id == HK_INP_END_ASSEMBLY;
  if (line->keyword->level == HK_INP_LEVEL_STOP && line->keyword->where & HK_INP_IN_MESH)
    return hk_inp_refuse(inp->reader, line->place, "*%s: %s", line->keyword->name,
                         line->keyword->advice);
  if (inp->inside == HK_INP_INSTANCE && !ends)
    return hk_inp_refuse(inp->reader, line->place,
                         "*%s stands within *INSTANCE: move it to the *PART or to the *ASSEMBLY",
                         line->keyword->name);
  if (!handlers[line->id]) {
    *taken = false;
    return HK_OK;
  }
  return handlers[line->id](inp, line);
}

hk_status hk_mesh_read_inp(const char *path, hk_messages *list, hk_mesh **out)
{
  hk_status status = HK_OK;
  hk_inp *inp = NULL;
  hk_mesh *mesh = NULL;
  hk_inp_line line;
  hk_pool files = {0};
  bool taken;
  HK_TRY(hk_inp_create(path, &files, list, &inp));
  for (;;) {
    HK_TRY(hk_inp_next(inp->reader, &line));
    if (!line.keyword) break;
    HK_TRY(hk_inp_mesh_keyword(inp, &line, &taken));
    if (!taken) HK_TRY(hk_inp_skip(inp->reader));
  }
  HK_TRY(hk_inp_finish(inp, &mesh));
  HK_TRY(hk_inp_verdict(inp->reader));
  *out = mesh, mesh = NULL;
cleanup:
  hk_mesh_destroy(&mesh);
  hk_inp_destroy(&inp);
  hk_pool_clear(&files);
  return status;
}
