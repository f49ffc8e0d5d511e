/* *NSET, *ELSET and *SURFACE as the deck gives them: labels, names of sets, GENERATE with first, last and increment, ELSET= for the nodes of
 * elements, UNSORTED, INSTANCE=, and faces S1 to S6. Nothing is looked up here, as members may be defined later; members.c makes the sets of
 * the mesh. Labels that follow one another are kept as one range. Lines of labels alone are taken from the lines at hand. */
#include "input/deck/mesh/parts.h"
#include "input/mesh/plain_row.h"
#include <string.h>

enum { MOST_SETS = 200000, MOST_FACE = 6 };

hk_status hk_inp_open_set(hk_inp *inp, const char *name, hk_set_kind kind, hk_place place,
                          hk_inp_set **out)
{
  hk_inp_part *part = &inp->part.at[inp->now];
  const int known = hk_inp_names_find(&part->names, name, (int)kind);
  if (known >= 0) {
    *out = &part->set.at[known];
    return HK_OK;
  }
  HK_NEED(part->set.count < MOST_SETS, HK_BAD_INPUT, "%s:%lld: more than %d sets", place.file,
          (long long)place.line, MOST_SETS);
  HK_PASS(hk_pool_more(&inp->pool, &part->set));
  hk_inp_set *set = &part->set.at[part->set.count];
  *set = (hk_inp_set){.kind = kind, .place = place};
  HK_PASS(hk_inp_keep(inp->reader, name, &set->name));
  part->set.count++;
  HK_PASS(
      hk_inp_names_add(&inp->pool, &part->names, set->name, (int)kind, (int)part->set.count - 1));
  *out = set;
  return HK_OK;
}

/* Listed labels that follow one another become one member. */
hk_status hk_inp_add_member(hk_inp *inp, hk_inp_set *set, hk_inp_member member)
{
  if (set->count && member.kind == HK_INP_LISTED) {
    hk_inp_member *last = &set->member[set->count - 1];
    if (last->kind == HK_INP_LISTED && last->to + 1 == member.from && last->face == member.face &&
        last->piece == member.piece) {
      last->to = member.to;
      return HK_OK;
    }
  }
  HK_PASS(hk_pool_reserve(&inp->pool, (void **)&set->member, set->count + 1, &set->capacity,
                          sizeof *set->member));
  set->member[set->count++] = member;
  return HK_OK;
}

static hk_status add_text(hk_inp *inp, hk_inp_field field, int32_t *number)
{
  HK_PASS(hk_pool_more(&inp->pool, &inp->text));
  HK_PASS(hk_inp_keep_field(inp->reader, field, &inp->text.at[inp->text.count]));
  *number = (int32_t)inp->text.count++;
  return HK_OK;
}

static int32_t short_line(hk_count line)
{
  return line > INT32_MAX ? INT32_MAX : (int32_t)line;
}

static hk_inp_member member_here(const hk_inp *inp, int piece)
{
  return (hk_inp_member){.line = short_line(hk_inp_here(inp->reader).line),
                         .file = (int16_t)hk_inp_file(inp->reader),
                         .piece = (int16_t)piece};
}

/* A label, or the name of a set. */
static hk_status add_field(hk_inp *inp, hk_inp_set *set, hk_inp_field field, hk_inp_member member)
{
  int64_t label;
  if (hk_inp_label(field, &label)) {
    if (label < 1 || label > HK_INP_MOST_LABEL) {
      hk_inp_wrong(inp->reader, "set %s: %.*s is not the number of a %s", set->name,
                   (int)field.length, field.text, set->kind == HK_NODE_SET ? "node" : "element");
      return HK_OK;
    }
    member.kind = HK_INP_LISTED, member.from = member.to = (int32_t)label;
  } else {
    member.kind = HK_INP_SET;
    HK_PASS(add_text(inp, field, &member.from));
  }
  return hk_inp_add_member(inp, set, member);
}

static hk_status add_range(hk_inp *inp, hk_inp_set *set, const hk_inp_field *field, int count,
                           hk_inp_member member)
{
  int64_t range[3] = {0, 0, 1};
  if (!hk_inp_no_more(inp->reader, field, count, 3, "GENERATE")) return HK_OK;
  bool good = count >= 2;
  for (int i = 0; good && i < count && i < 3; i++)
    good = hk_inp_integer(inp->reader, field[i], "GENERATE", &range[i]);
  for (int i = 0; good && i < 3; i++) good = range[i] >= 1 && range[i] <= HK_INP_MOST_LABEL;
  if (!good || range[1] < range[0]) {
    hk_inp_wrong(inp->reader,
                 "set %s, GENERATE: give first, last and increment, with 1 <= first <= last and an "
                 "increment of at least 1",
                 set->name);
    return HK_OK;
  }
  member.kind = HK_INP_GENERATED;
  member.from = (int32_t)range[0], member.to = (int32_t)range[1], member.step = (int32_t)range[2];
  return hk_inp_add_member(inp, set, member);
}

/* Number of the piece that INSTANCE= names; -1 if it is not given; -2 after an error. */
static int piece_of(hk_inp *inp, const hk_inp_line *line)
{
  const char *name = hk_inp_value(line, "INSTANCE");
  if (!name) return -1;
  const int piece = hk_inp_names_find(&inp->piece_names, name, 0);
  if (piece >= 0 && inp->now == HK_INP_ROOT) return piece;
  hk_inp_error(inp->reader, line->place, "*%s, INSTANCE=%s: there is no such *INSTANCE%s",
               line->keyword->name, name, hk_inp_near(inp->reader, &inp->piece_names, name, 0));
  return -2;
}

/* Adds label[count] of a line, but those that follow run->to, which `run` takes in: it has what was not added yet. */
static hk_status add_labels(hk_inp *inp, hk_inp_set *set, int count, const int64_t *label,
                            int32_t line, hk_inp_member *run)
{
  for (int i = 0; i < count; i++) {
    const int32_t own = (int32_t)label[i];
    if (run->to && own == run->to + 1) {
      run->to = own;
      continue;
    }
    if (run->to) HK_PASS(hk_inp_add_member(inp, set, *run));
    run->from = run->to = own, run->line = line;
  }
  return HK_OK;
}

static bool all_positive(int count, const int64_t *label)
{
  for (int i = 0; i < count; i++)
    if (label[i] < 1) return false;
  return true;
}

/* Lines at hand that hold labels of up to 8 digits and nothing else. */
static hk_status take_labels(hk_inp *inp, hk_inp_set *set, int piece)
{
  hk_inp_lines lines;
  int64_t label[HK_INP_MOST_FIELDS];
  hk_count count = 0;
  HK_PASS(hk_inp_peek(inp->reader, &lines));
  const char *at = lines.text, *next, *end = lines.length ? at + lines.length : at;
  hk_inp_member run = {.kind = HK_INP_LISTED, .file = (int16_t)lines.file, .piece = (int16_t)piece};
  for (int labels; lines.length; at = next, count++) {
    labels = hk_plain_integers(at, end, HK_INP_MOST_FIELDS, label, &next);
    if (!labels || !all_positive(labels, label)) break;
    HK_PASS(add_labels(inp, set, labels, label, short_line(lines.line + count), &run));
  }
  if (run.to) HK_PASS(hk_inp_add_member(inp, set, run));
  hk_inp_pass(inp->reader, (size_t)(at - lines.text), count);
  return HK_OK;
}

static hk_status read_members(hk_inp *inp, hk_inp_set *set, bool generate, int piece)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  for (;;) {
    int count;
    if (!generate) HK_PASS(take_labels(inp, set, piece));
    HK_PASS(hk_inp_fields(inp->reader, field, &count));
    if (count == HK_INP_END) break;
    const hk_inp_member member = member_here(inp, piece);
    if (generate && count >= 0) HK_PASS(add_range(inp, set, field, count, member));
    for (int i = 0; i < count && !generate; i++)
      if (field[i].length) HK_PASS(add_field(inp, set, field[i], member));
  }
  return HK_OK;
}

hk_status hk_inp_read_set(hk_inp *inp, const hk_inp_line *line)
{
  const bool nodes = line->id == HK_INP_NSET;
  const char *name = hk_inp_need(inp->reader, line, nodes ? "NSET" : "ELSET");
  const int piece = piece_of(inp, line);
  hk_inp_set *set;
  if (!name || piece == -2) return hk_inp_skip(inp->reader);
  HK_PASS(hk_inp_open_set(inp, name, nodes ? HK_NODE_SET : HK_ELEMENT_SET, line->place, &set));
  if (hk_inp_given(line, "UNSORTED"))
    set->unsorted = true;
  else
    set->sorted = true;
  if (nodes && set->sorted && set->unsorted)
    hk_inp_say(inp->reader, HK_WARNING, line->place,
               "set %s: some of its lines are UNSORTED: the whole set keeps the given order", name);
  if (nodes && hk_inp_value(line, "ELSET")) {
    const char *elements = hk_inp_value(line, "ELSET");
    hk_inp_member member = member_here(inp, piece);
    member.kind = HK_INP_NODES_OF_ELSET;
    HK_PASS(add_text(inp, (hk_inp_field){elements, strlen(elements)}, &member.from));
    HK_PASS(hk_inp_add_member(inp, set, member));
  }
  return read_members(inp, set, hk_inp_given(line, "GENERATE"), piece);
}

/* "S3": 2; an empty field: HK_INP_FREE; -1: neither. */
static int face_of(hk_inp_field field)
{
  if (!field.length) return HK_INP_FREE;
  if (field.length != 2 || (field.text[0] != 'S' && field.text[0] != 's')) return -1;
  const int face = field.text[1] - '1';
  return face >= 0 && face < MOST_FACE ? face : -1;
}

static hk_status read_faces(hk_inp *inp, hk_inp_set *set)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  for (;;) {
    int count;
    HK_PASS(hk_inp_fields(inp->reader, field, &count));
    if (count == HK_INP_END) break;
    double weight = 0; /* of a node, for contact */
    if (count < 1 || !hk_inp_no_more(inp->reader, field, count, 2, "*SURFACE")) continue;
    if (set->kind == HK_NODE_SET && count > 1 &&
        !hk_inp_number(inp->reader, field[1], "*SURFACE, TYPE=NODE: area", &weight))
      continue;
    const int face = count > 1 && set->kind == HK_FACE_SET ? face_of(field[1]) : HK_INP_FREE;
    if (!field[0].length)
      hk_inp_wrong(inp->reader,
                   "surface %s: a set or number is missing; hooke does not read an empty line as "
                   "the whole free surface: name an element set",
                   set->name);
    else if (face < 0)
      hk_inp_wrong(inp->reader,
                   "surface %s: \"%.*s\" is not a face of a solid element: give S1 to S6",
                   set->name, (int)field[1].length, field[1].text);
    else {
      hk_inp_member member = member_here(inp, -1);
      member.face = (uint8_t)face;
      HK_PASS(add_field(inp, set, field[0], member));
    }
  }
  return HK_OK;
}

hk_status hk_inp_read_surface(hk_inp *inp, const hk_inp_line *line)
{
  const char *name = hk_inp_need(inp->reader, line, "NAME");
  const int type = hk_inp_choice(inp->reader, line, "TYPE", HK_WORDS("ELEMENT", "NODE"), 0);
  hk_inp_set *set;
  if (hk_inp_value(line, "COMBINE"))
    hk_inp_error(inp->reader, line->place,
                 "*SURFACE, COMBINE: hooke does not combine surfaces: list the faces");
  if (!name || type < 0 || hk_inp_value(line, "COMBINE")) return hk_inp_skip(inp->reader);
  HK_PASS(hk_inp_open_set(inp, name, type ? HK_NODE_SET : HK_FACE_SET, line->place, &set));
  return read_faces(inp, set);
}
