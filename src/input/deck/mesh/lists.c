/* *NODE and *ELEMENT, the long lists of a deck: nearly the whole of a large one. All threads read lines that are plain (input/mesh/rows.h); others
 * are read one by one, with numbers taken straight from the line.
 * A node has its number and up to three coordinates; a normal behind them is passed over. An element goes on over lines that end with a comma
 * or hold 16 items. Elements are kept in a pile for each shape, still with the deck's node numbers. A keyword tells at most ten faults. */
#include "input/deck/mesh/parts.h"
#include <math.h>
#include <string.h>

enum { MOST_ITEMS = 16, MOST_REPORTED = 10 }; /* items of a full line; faults told per keyword */

typedef struct cursor {
  const char *at, *end;
  bool comma; /* the last item was followed by a comma */
} cursor;

static void skip_blanks(cursor *c)
{
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t')) c->at++;
}

static void pass_comma(cursor *c)
{
  skip_blanks(c);
  c->comma = c->at < c->end && *c->at == ',';
  if (c->comma) c->at++;
  skip_blanks(c);
}

/* Takes the next item, a label or, where `label` is NULL, a number. 1: read; 0: the item is empty; -1: it is neither. */
static int take(cursor *c, int64_t *label, double *value)
{
  skip_blanks(c);
  if (c->at == c->end || *c->at == ',') {
    pass_comma(c);
    return 0;
  }
  const size_t left = (size_t)(c->end - c->at);
  const size_t used =
      label ? hk_parse_integer(c->at, left, label) : hk_parse_number(c->at, left, value);
  c->at += used;
  skip_blanks(c);
  if (!used || (c->at < c->end && *c->at != ',') || (!label && !isfinite(*value))) return -1;
  pass_comma(c);
  return 1;
}

static bool good_label(int64_t label)
{
  return label >= 1 && label <= HK_INP_MOST_LABEL;
}

/* Tells the fault of the line unless too many of this keyword were told. */
static void report(hk_inp *inp, int *reported, const char *what, const char *text)
{
  if (++*reported <= MOST_REPORTED) hk_inp_wrong(inp->reader, "\"%.60s\": %s", text, what);
}

/* What may follow the coordinates: three numbers, the normal of shells and beams, which solids do not
 * have. Whole numbers alone are coordinates with decimal commas. */
static void take_normal(cursor *c, const char **fault)
{
  const char *first = c->at;
  double normal[3] = {0};
  bool good = true;
  for (int d = 0; d < 3; d++) good = good && take(c, NULL, &normal[d]) >= 0;
  while (c->at < c->end && *c->at == ',') c->at++, skip_blanks(c);
  bool whole = true;
  for (const char *p = first; p < c->end; p++) whole = whole && !strchr(".EeDd", *p);
  if (!good || whole || c->at < c->end)
    *fault = "*NODE: expected a number and three coordinates, found more; decimals have a point";
}

static void read_node(hk_inp_part *part, cursor *c, const char **fault)
{
  int64_t label = 0;
  double x[3] = {0};
  *fault = NULL;
  if (take(c, &label, NULL) <= 0 || !good_label(label))
    *fault = "a node begins with its number, 1 to 2147483646";
  for (int d = 0; d < 3 && !*fault; d++)
    if (take(c, NULL, &x[d]) < 0) *fault = "a coordinate is not a number";
  if (!*fault && c->at < c->end) take_normal(c, fault);
  if (*fault) return;
  part->label[part->node_count] = label;
  for (int d = 0; d < 3; d++) part->x[3 * part->node_count + d] = x[d];
  part->node_count++;
}

/* Plain lines of nodes, by all threads. */
static hk_status take_nodes(hk_inp *inp, hk_inp_part *part, hk_count *next)
{
  hk_rows rows = {.integers = 1,
                  .numbers = 3,
                  .commas = true,
                  .low = 1,
                  .high = HK_INP_MOST_LABEL,
                  .count = part->node_count,
                  .integer = part->label,
                  .number = part->x,
                  .integer_room = part->label_room,
                  .number_room = part->x_room,
                  .next = *next};
  const hk_status status = hk_inp_rows(inp->reader, &rows, INT32_MAX / 4 - part->node_count);
  part->node_count = rows.count, part->label = rows.integer, part->x = rows.number;
  part->label_room = rows.integer_room, part->x_room = rows.number_room;
  *next = rows.next;
  return status;
}

/* Nodes (elements) read since `from` become a member of the set. */
static hk_status join_set(hk_inp *inp, const hk_inp_line *line, const char *name, hk_set_kind kind,
                          hk_inp_member member)
{
  hk_inp_set *set;
  if (!name || member.from == member.to) return HK_OK;
  member.piece = -1;
  HK_PASS(hk_inp_open_set(inp, name, kind, line->place, &set));
  return hk_inp_add_member(inp, set, member);
}

hk_status hk_inp_read_nodes(hk_inp *inp, const hk_inp_line *line)
{
  hk_inp_part *part = &inp->part.at[inp->now];
  const hk_count first = part->node_count;
  hk_count next = 0;
  int reported = 0;
  part->nodes = line->place;
  if (hk_inp_choice(inp->reader, line, "SYSTEM", HK_WORDS("R"), 0) < 0)
    return hk_inp_skip(inp->reader);
  if (hk_inp_value(line, "INPUT")) HK_PASS(hk_inp_push(inp->reader, hk_inp_value(line, "INPUT")));
  for (;;) {
    char *text;
    const char *fault;
    cursor c = {0};
    size_t length;
    for (hk_count before = -1; before < part->node_count;) {
      before = part->node_count;
      HK_PASS(take_nodes(inp, part, &next));
    }
    HK_PASS(hk_inp_data(inp->reader, &text, &length));
    if (!text) break;
    HK_NEED(part->node_count < INT32_MAX / 4, HK_BAD_INPUT, "%s: more than %d nodes", inp->path,
            INT32_MAX / 4);
    HK_PASS(hk_reserve(&part->label, part->node_count + 1, &part->label_room));
    HK_PASS(hk_reserve(&part->x, 3 * (part->node_count + 1), &part->x_room));
    c.at = text, c.end = text + length;
    read_node(part, &c, &fault);
    if (fault) report(inp, &reported, fault, text);
  }
  return join_set(inp, line, hk_inp_value(line, "NSET"), HK_NODE_SET,
                  (hk_inp_member){.kind = HK_INP_NODES,
                                  .from = (int32_t)first,
                                  .to = (int32_t)part->node_count});
}

/* An element from as many lines as its nodes need: a line ends with a comma or holds 16 items where
 * it goes on. */
static hk_status read_element(hk_inp *inp, hk_inp_pile *pile, int nodes, char *text, size_t length,
                              int *reported)
{
  cursor c = {text, text + length, false};
  int64_t label = 0, node = 0;
  int items = 1, n = 0;
  const char *fault = NULL;
  hk_index *to = &pile->node[nodes * pile->count];
  if (take(&c, &label, NULL) <= 0 || !good_label(label))
    fault = "an element begins with its number, 1 to 2147483646";
  while (!fault && n < nodes) {
    if (c.at == c.end) {
      if (!c.comma && items != MOST_ITEMS) break;
      HK_PASS(hk_inp_data(inp->reader, &text, &length));
      if (!text) break;
      c = (cursor){text, text + length, false}, items = 0;
    }
    if (take(&c, &node, NULL) <= 0 || !good_label(node))
      fault = "a node of an element is a number, 1 to 2147483646";
    else
      to[n++] = (hk_index)node, items++;
  }
  if (!fault && n < nodes) {
    if (++*reported <= MOST_REPORTED)
      hk_inp_wrong(inp->reader, "element %lld has %d nodes where %d are needed", (long long)label,
                   n, nodes);
  } else if (!fault && c.at < c.end) {
    fault = "more nodes than the element has";
  }
  if (fault) report(inp, reported, fault, text ? text : "");
  if (!fault && n == nodes) pile->label[pile->count++] = label;
  return HK_OK;
}

static const hk_inp_type *find_type(hk_inp *inp, const hk_inp_line *line)
{
  const char *name = hk_inp_need(inp->reader, line, "TYPE");
  const hk_inp_type *type = name ? hk_inp_type_of(name) : NULL;
  if (!name || type) return type;
  const char *near = hk_inp_suggests(inp->reader) ? hk_inp_type_near(name) : NULL;
  hk_inp_error(inp->reader, line->place,
               "*ELEMENT, TYPE=%s: hooke does not read this element; it reads plane, axisymmetric "
               "and solid ones of first and second order%s",
               name, hk_inp_meant(inp->reader, near));
  return NULL;
}

static hk_status open_run(hk_inp *inp, const hk_inp_line *line, const hk_inp_type *type)
{
  hk_inp_part *part = &inp->part.at[inp->now];
  const hk_status status = hk_pool_more(&inp->pool, &part->run);
  if (status == HK_OK)
    part->run.at[part->run.count++] =
        (hk_inp_run){type, line->place, part->element.pile[type->shape].count, 0};
  return status;
}

static hk_status reserve_elements(hk_inp_pile *pile, int nodes, hk_count more)
{
  HK_PASS(hk_reserve(&pile->label, pile->count + more, &pile->label_room));
  return hk_reserve(&pile->node, nodes * (pile->count + more), &pile->node_room);
}

/* Plain lines of elements, by all threads. */
static hk_status take_elements(hk_inp *inp, hk_inp_pile *pile, int nodes, hk_count *next)
{
  hk_rows rows = {.integers = 1 + nodes,
                  .commas = true,
                  .low = 1,
                  .high = HK_INP_MOST_LABEL,
                  .apart = true,
                  .count = pile->count,
                  .integer = pile->label,
                  .index = pile->node,
                  .integer_room = pile->label_room,
                  .index_room = pile->node_room,
                  .next = *next};
  const hk_status status = hk_inp_rows(inp->reader, &rows, INT32_MAX / 4 - pile->count);
  pile->count = rows.count, pile->label = rows.integer, pile->node = rows.index;
  pile->label_room = rows.integer_room, pile->node_room = rows.index_room;
  *next = rows.next;
  return status;
}

static hk_status read_pile(hk_inp *inp, hk_inp_pile *pile, int nodes)
{
  hk_count next = 0;
  int reported = 0;
  for (;;) {
    char *text;
    size_t length;
    for (hk_count before = -1; before < pile->count;) {
      before = pile->count;
      HK_PASS(take_elements(inp, pile, nodes, &next));
    }
    HK_PASS(hk_inp_data(inp->reader, &text, &length));
    if (!text) return HK_OK;
    HK_NEED(pile->count < INT32_MAX / 4, HK_BAD_INPUT, "%s: more than %d elements", inp->path,
            INT32_MAX / 4);
    HK_PASS(reserve_elements(pile, nodes, 1));
    HK_PASS(read_element(inp, pile, nodes, text, length, &reported));
  }
}

hk_status hk_inp_read_elements(hk_inp *inp, const hk_inp_line *line)
{
  hk_inp_part *part = &inp->part.at[inp->now];
  const hk_inp_type *type = find_type(inp, line);
  if (!type) return hk_inp_skip(inp->reader);
  hk_inp_pile *pile = &part->element.pile[type->shape];
  const hk_count first = pile->count;
  HK_PASS(open_run(inp, line, type));
  if (hk_inp_value(line, "INPUT")) HK_PASS(hk_inp_push(inp->reader, hk_inp_value(line, "INPUT")));
  HK_PASS(read_pile(inp, pile, hk_inp_kind_nodes((int)type->shape)));
  part->run.at[part->run.count - 1].count = pile->count - first;
  return join_set(inp, line, hk_inp_value(line, "ELSET"), HK_ELEMENT_SET,
                  (hk_inp_member){.kind = HK_INP_ELEMENTS,
                                  .from = (int32_t)first,
                                  .to = (int32_t)pile->count,
                                  .step = (int32_t)type->shape});
}
