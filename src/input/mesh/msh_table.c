/* Long tables of Gmsh's files by all threads: records of integers and numbers. In binary files they have a fixed size and are taken from the
 * bytes at hand, in ASCII files hk_rows parses those that stand in a line each. Node numbers are looked up while records are taken in. Whatever
 * is wrong is found out value by value by the caller, so that messages do not depend on the way a table is read. */
#include "element/wide.h"
#include "input/mesh/msh.h"
#include <omp.h>
#include <string.h>

enum { FEW = 1 << 10 }; /* records for which threads are not worth it */

static bool line_is_done(const hk_msh *s)
{
  const char *p = s->at;
  while (p < s->end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
  return p == s->end;
}

static hk_status find_rows(hk_msh *s, hk_msh_table *t, hk_count most,
                           bool (*serves)(const void *user, const int64_t *integer),
                           const void *user)
{
  hk_rows *rows = &s->rows;
  if (!line_is_done(s)) return HK_OK;
  s->at = s->end = NULL; /* the buffer may move */
  rows->integers = t->integers, rows->numbers = t->numbers;
  rows->low = INT64_MIN, rows->high = INT64_MAX;
  rows->serves = serves, rows->user = user;
  rows->count = 0;
  HK_PASS(hk_rows_read(rows, s->source, '$', most));
  t->count = rows->count, t->length = 0, t->width = 8;
  t->integer = (const char *)rows->integer, t->integer_step = 8LL * t->integers;
  t->number = (const char *)rows->number, t->number_step = 8LL * t->numbers;
  return HK_OK;
}

hk_status hk_msh_table_find(hk_msh *s, hk_msh_table *t, hk_count most,
                            bool (*serves)(const void *user, const int64_t *integer),
                            const void *user)
{
  t->count = 0;
  if (most < 1) return HK_OK;
  if (!s->binary) return find_rows(s, t, most, serves, user);
  const hk_count size = (hk_count)t->width * t->integers + 8LL * t->numbers;
  hk_count at_hand;
  HK_PASS(hk_source_peek_bytes(s->source, size, &t->integer, &at_hand));
  t->count = at_hand / size < most ? at_hand / size : most;
  t->length = t->count * size;
  t->number = t->integer + (hk_count)t->width * t->integers;
  t->integer_step = t->number_step = size;
  return HK_OK;
}

void hk_msh_pass(hk_msh *s, const hk_msh_table *t)
{
  if (!t->length) return;
  hk_source_pass(s->source, (size_t)t->length, 0);
  s->read += t->length;
}

int64_t hk_msh_integer_of(const hk_msh_table *t, hk_count i, int k)
{
  const char *at = t->integer + i * t->integer_step + (hk_count)k * t->width;
  int64_t wide;
  int32_t narrow;
  if (t->width == 4) {
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, at, sizeof wide);
  return wide;
}

bool hk_msh_has_nodes(const hk_msh *s, const int64_t *tag, int nodes)
{
  for (int k = 0; k < nodes; k++)
    if (hk_label_map_find(&s->raw.node_of, tag[k]) < 0) return false;
  return true;
}

void hk_msh_take_nodes(hk_msh *s, const hk_msh_table *t, hk_count first)
{
  int64_t *label = s->raw.label + s->raw.node_count + first;
  double *x = s->raw.x + 3 * (s->raw.node_count + first);
#pragma omp parallel for schedule(static) if (t->count > FEW)
  for (hk_count i = 0; i < t->count; i++) {
    if (t->integers) label[i] = hk_msh_integer_of(t, i, 0);
    if (t->numbers) memcpy(x + 3 * i, t->number + i * t->number_step, 3 * sizeof *x);
  }
}

/* As look_up, for records [first, end), where node numbers are consecutive: a node is its number less the first one. order: of the nodes; NULL:
 * as they stand. */
static inline __attribute__((always_inline)) bool
subtract(const hk_msh_table *t, int nodes, const uint8_t *order, const hk_label_map *of,
         hk_count first, hk_count end, int64_t *label, hk_index *node)
{
  const uint64_t low = (uint64_t)of->low, span = (uint64_t)of->span;
  const char *record = t->integer + first * t->integer_step;
  const int skipped = (t->integers - nodes) * 8;
  bool good = true;
  for (hk_count i = first; i < end; i++, record += t->integer_step) {
    uint64_t tag[27];
    memcpy(&label[i], record, 8);
    memcpy(tag, record + skipped, 8 * (size_t)nodes);
    for (int k = 0; k < nodes; k++) {
      const uint64_t place = tag[k] - low;
      node[i * nodes + (order ? order[k] : k)] = (hk_index)place;
      good &= place < span;
    }
  }
  return good;
}

/* Gmsh lists the nodes of cells with 4 and 8 nodes in Abaqus's order. */
HK_WIDE static bool subtract_first(const hk_msh_table *t, const hk_cell_type *type,
                                   const hk_label_map *of, hk_count first, hk_count end,
                                   int64_t *label, hk_index *node)
{
  if (type->nodes == 4) return subtract(t, 4, NULL, of, first, end, label, node);
  if (type->nodes == 8) return subtract(t, 8, NULL, of, first, end, label, node);
  return subtract(t, type->nodes, type->gmsh_node, of, first, end, label, node);
}

/* label[count] and node[count][nodes] of the records; false where a node is not there. */
static bool look_up(const hk_msh *s, const hk_cell_type *type, const hk_msh_table *t,
                    int64_t *label, hk_index *node)
{
  bool good = true;
  const int first = t->integers - type->nodes;
  const hk_label_map *of = &s->raw.node_of;
  const hk_count parts = t->count > FEW ? omp_get_max_threads() : 1;
  const bool plain = t->width == 8 && of->span && !of->table;
#pragma omp parallel for schedule(static) reduction(&& : good) if (parts > 1)
  for (hk_count p = 0; p < (plain ? parts : 0); p++)
    good = good && subtract_first(t, type, of, t->count * p / parts, t->count * (p + 1) / parts,
                                  label, node);
#pragma omp parallel for schedule(static) reduction(&& : good) if (parts > 1)
  for (hk_count i = 0; i < (plain ? 0 : t->count); i++) {
    label[i] = hk_msh_integer_of(t, i, 0);
    for (int k = 0; k < type->nodes; k++) {
      const hk_index place = hk_label_map_find(&s->raw.node_of, hk_msh_integer_of(t, i, first + k));
      node[i * type->nodes + type->gmsh_node[k]] = place;
      good = good && place >= 0;
    }
  }
  return good;
}

static int64_t tag_of(const hk_msh_cells *cells, const hk_msh_table *t, hk_count i)
{
  return cells->tag < 0 ? 0 : hk_msh_integer_of(t, i, cells->tag);
}

hk_status hk_msh_take_cells(hk_msh *s, const hk_msh_cells *cells, const hk_msh_table *t, bool *good)
{
  const hk_cell_type *type = hk_cell_type_of(cells->kind);
  hk_raw_pile *pile = &s->raw.pile[cells->kind];
  HK_PASS(hk_raw_mesh_reserve_cells(&s->raw, cells->kind, t->count));
  *good = look_up(s, type, t, pile->label + pile->count, pile->node + pile->count * type->nodes);
  if (!*good) return HK_OK;
  for (hk_count i = 0, end; i < t->count; i = end) {
    hk_index entity = cells->entity;
    const int64_t tag = tag_of(cells, t, i);
    end = cells->tag < 0 ? t->count : i + 1;
    while (end < t->count && tag_of(cells, t, end) == tag) end++;
    if (cells->find) HK_PASS(cells->find(s, type->dim, tag, &entity));
    HK_PASS(hk_raw_mesh_accept_cells(&s->raw, cells->kind, entity, end - i));
  }
  return HK_OK;
}
