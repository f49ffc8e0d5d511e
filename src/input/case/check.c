/* The tree of a case against the table of keys (keys/rules.h): unknown keys with the nearest known one, missing keys, the kind of each value,
 * numbers with their unit, dimension and range, and words of lists. A node at fault is marked, so that later passes tell nothing more of it.
 * `units` is read first, as plain numbers are in those units; the key of `solve` says which procedure the other keys must suit. */
#include "input/case/case.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 64 };

static void check(hk_case *c, const hk_key *rule, hk_node *node);

static void refuse(hk_case *c, hk_node *node, bool at_key, const char *format, ...) HK_PRINTF(4, 5);
static void refuse(hk_case *c, hk_node *node, bool at_key, const char *format, ...)
{
  char words[768];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  hk_tree_error(&c->tree, c->list, node, at_key, "%s", words);
  node->refused = true;
}

static const char *label(const hk_case *c, const hk_node *node)
{
  return node->key ? node->key : node == c->tree.root ? "the case" : "the item";
}

static void unknown_key(hk_case *c, const hk_key *rule, hk_node *node)
{
  const char *words[MOST_WORDS] = {NULL};
  char all[512], otherwise[560], text[768];
  int count = 0;
  for (const hk_key *r = rule->inside; r->key && count < MOST_WORDS; r++)
    if (r->form != HK_FORM_REFUSED) words[count++] = r->key;
  hk_case_join(words, count, all, sizeof all);
  snprintf(otherwise, sizeof otherwise, ": %s%s", count ? "known are " : "no keys are allowed here",
           all);
  hk_case_hint("unknown key", node->key, words, count, otherwise, text, sizeof text);
  refuse(c, node, true, "%s", text);
}

static void check_map(hk_case *c, const hk_key *rule, hk_node *node)
{
  int known = 0;
  for (hk_node *n = node->child; n; n = n->next) {
    const hk_key *r = rule->inside;
    while (r->key && strcmp(r->key, n->key) != 0) r++;
    if (!r->key)
      unknown_key(c, rule, n);
    else if (r->form == HK_FORM_REFUSED)
      refuse(c, n, true, "%s: %s", r->key, r->doc);
    else
      known++, check(c, r, n);
  }
  for (const hk_key *r = rule->inside; r->key; r++)
    if ((r->required || (r->required_in_time && !c->still)) && !hk_node_find(node, r->key))
      refuse(c, node, node->key != NULL, "%s lacks \"%s\": %s", label(c, node), r->key, r->doc);
  if (rule->one_of && known != 1 && known == node->count)
    refuse(c, node, false, "%s needs exactly one key: %d are given", label(c, node), known);
}

static void check_items(hk_case *c, const hk_key *rule, hk_node *node)
{
  const bool limited = rule->most > 0;
  if (limited && !(node->count >= rule->least && node->count <= rule->most))
    refuse(c, node, false,
           rule->least < rule->most ? "%s has %d items: must be %.0f to %.0f"
                                    : "%s has %d items: must be %.0f",
           label(c, node), node->count, rule->least, rule->most);
  for (hk_node *n = node->child; n; n = n->next) check(c, rule->inside, n);
}

/* A dimension given to a number of a case that has none. */
static bool unit_of_plain(const hk_case *c, const hk_key *rule, const hk_node *node)
{
  double number;
  const char *text = node->text + strspn(node->text, " \t");
  const size_t used = hk_parse_number(text, strlen(text), &number);
  return c->plain && used && text[used + strspn(text + used, " \t")] &&
         !hk_same_dimension(rule->dimension, (hk_dimension){{0}});
}

static void check_number(hk_case *c, const hk_key *rule, hk_node *node)
{
  if (unit_of_plain(c, rule, node)) {
    refuse(c, node, false,
           "%s is %.60s: the case has units: none, so give a plain number, or name units",
           label(c, node), node->text);
    return;
  }
  if (hk_quantity_parse(node->text, rule->dimension, &c->system, &node->number) != HK_OK) {
    refuse(c, node, false, "%s: %s", label(c, node), hk_error());
    return;
  }
  const double x = node->number;
  if (rule->angular && strstr(node->text, "Hz"))
    refuse(c, node, false,
           "%s is %.60s: an angular velocity is in radians per time, such as 100 rad/s (or 1/s): "
           "give 2 pi times the turns",
           label(c, node), node->text);
  else if (rule->range == HK_POSITIVE && !(x > 0))
    refuse(c, node, false, "%s is %.60s: must be above 0", label(c, node), node->text);
  else if (rule->range == HK_NOT_NEGATIVE && !(x >= 0))
    refuse(c, node, false, "%s is %.60s: must be 0 or above", label(c, node), node->text);
  else if (rule->most > rule->least && !(x >= rule->least && x <= rule->most))
    refuse(c, node, false, "%s is %.60s: must be from %g to %g", label(c, node), node->text,
           rule->least, rule->most);
}

static void check_integer(hk_case *c, const hk_key *rule, hk_node *node)
{
  const size_t length = strlen(node->text);
  const size_t used = hk_parse_number(node->text, length, &node->number);
  const double x = node->number;
  if (!used || used != length || !(fabs(x) <= 9007199254740992.0) || x != floor(x))
    refuse(c, node, false, "%s: \"%.60s\" is not a whole number", label(c, node), node->text);
  else if (!(x >= rule->least && x <= rule->most) && rule->least == rule->most)
    refuse(c, node, false, "%s is %.0f: only %.0f is supported", label(c, node), x, rule->least);
  else if (!(x >= rule->least && x <= rule->most))
    refuse(c, node, false, "%s is %.0f: must be from %.0f to %.0f", label(c, node), x, rule->least,
           rule->most);
}

static void check_choice(hk_case *c, const hk_key *rule, hk_node *node)
{
  const char *word[MOST_WORDS];
  char all[256], what[128], otherwise[280], text[768];
  int count = 0;
  for (; count < MOST_WORDS && (word[count] = hk_key_word(rule, count)); count++)
    if (strcmp(word[count], node->text) == 0) {
      node->number = count;
      return;
    }
  hk_case_join(word, count, all, sizeof all);
  snprintf(what, sizeof what, "%s: unknown word", label(c, node));
  snprintf(otherwise, sizeof otherwise, ": must be %s%s", count > 1 ? "one of " : "", all);
  hk_case_hint(what, node->text, word, count, otherwise, text, sizeof text);
  refuse(c, node, false, "%s", text);
}

static hk_node_kind kind_of(hk_key_form form)
{
  switch (form) {
  case HK_FORM_MAP:
  case HK_FORM_NAMED: return HK_NODE_MAP;
  case HK_FORM_LIST: return HK_NODE_LIST;
  default: return HK_NODE_SCALAR;
  }
}

static void wrong_kind(hk_case *c, const hk_key *rule, hk_node *node)
{
  static const char *const is[] = {"has no value", "is a plain value", "is a list", "is a map"};
  static const char *const want[] = {"", "a plain value", "a list", "a map of keys"};
  const hk_key *other = rule->other;
  refuse(c, node, node->kind == HK_NODE_NONE && node->key, "%s %s: must be %s%s%s (%s)",
         label(c, node), is[node->kind], want[kind_of(rule->form)], other ? " or " : "",
         other ? want[kind_of(other->form)] : "", rule->doc);
}

static void check(hk_case *c, const hk_key *rule, hk_node *node)
{
  const hk_key *r = rule;
  const bool empty = node->kind == HK_NODE_NONE && kind_of(rule->form) != HK_NODE_SCALAR;
  while (r && !empty && kind_of(r->form) != node->kind) r = r->other;
  if (!r) {
    wrong_kind(c, rule, node);
    return;
  }
  switch (r->form) {
  case HK_FORM_TEXT: break;
  case HK_FORM_NUMBER: check_number(c, r, node); break;
  case HK_FORM_INTEGER: check_integer(c, r, node); break;
  case HK_FORM_CHOICE: check_choice(c, r, node); break;
  case HK_FORM_MAP: check_map(c, r, node); break;
  case HK_FORM_NAMED:
  case HK_FORM_LIST: check_items(c, r, node); break;
  case HK_FORM_REFUSED: break;
  }
}

static void take_unit(hk_case *c, hk_node *map, int d, char name[16])
{
  static const char *const key[HK_BASE_UNITS] = {"length", "mass", "time", "temperature"};
  hk_unit unit;
  char is[HK_DIMENSION_TEXT];
  hk_node *node = map->child;
  while (node && strcmp(node->key, key[d]) != 0) node = node->next;
  if (!node || node->kind != HK_NODE_SCALAR) return;
  const hk_status status = hk_unit_parse(node->text, &unit);
  const hk_count before = c->tree.errors;
  if (status != HK_OK)
    refuse(c, node, false, "%s: %s", key[d], hk_error());
  else if (!hk_same_dimension(unit.dimension, c->system.base[d].dimension)) {
    hk_dimension_text(unit.dimension, is);
    refuse(c, node, false, "%s: \"%.60s\" is %s: must be a unit of %s", key[d], node->text, is,
           key[d]);
  } else if (strlen(node->text) > 15)
    refuse(c, node, false, "%s: \"%.60s\" is longer than 15 letters", key[d], node->text);
  else {
    c->system.base[d] = unit;
    memcpy(name, node->text, strlen(node->text) + 1);
  }
  c->wrong_units = c->wrong_units || c->tree.errors > before;
}

static void take_units(hk_case *c)
{
  hk_units *u = &c->model->units;
  char(*name[HK_BASE_UNITS])[16] = {&u->length, &u->mass, &u->time, &u->temperature};
  static const char *const si[HK_BASE_UNITS] = {"m", "kg", "s", "K"};
  hk_node *map = (hk_node *)hk_node_find(c->tree.root, "units");
  c->system = hk_unit_system_si();
  c->plain = map && map->kind == HK_NODE_SCALAR && strcmp(map->text, "none") == 0;
  c->wrong_units = map && map->kind != HK_NODE_MAP && !c->plain;
  for (int d = 0; d < HK_BASE_UNITS; d++) {
    if (!c->plain) memcpy(*name[d], si[d], strlen(si[d]) + 1);
    if (map && map->kind == HK_NODE_MAP) take_unit(c, map, d, *name[d]);
    u->si[d] = hk_unit_si(&c->system.base[d]);
  }
}

const char *hk_case_still_key(const hk_case *c)
{
  return c->heat ? "heat" : hk_case_coupled(c) ? "coupled" : "static";
}

hk_status hk_case_check(hk_case *c)
{
  take_units(c);
  const hk_node *solve = hk_node_find(c->tree.root, "solve");
  const bool in_time = !solve || hk_node_find(solve, "explicit");
  c->heat = !in_time && hk_node_find(solve, "heat") && !hk_node_find(solve, "static");
  c->still = c->heat || hk_case_coupled(c) || (!in_time && hk_node_find(solve, "static"));
  const hk_node *how = c->still ? hk_node_find(solve, hk_case_still_key(c)) : NULL;
  c->marches =
      (c->heat || hk_case_coupled(c)) && (hk_node_find(how, "end") || hk_node_find(how, "dt"));
  check(c, &hk_case_rule, c->tree.root);
  const hk_node *physics = hk_case_value(c->tree.root, "physics");
  if (solve && (physics ? physics->number == 1 : c->heat) != c->heat)
    hk_case_error(
        c, physics,
        c->heat
            ? "physics: solve.heat solves heat conduction: give physics: heat, or remove the key"
            : "physics: heat needs solve: {heat: {}}");
  if (solve && physics && (physics->number == 3) != hk_case_coupled(c))
    hk_case_error(c, physics,
                  hk_case_coupled(c) ? "physics: solve.coupled solves coupled equations: give "
                                       "physics: coupled, or remove the key"
                                     : "physics: coupled needs solve: {coupled: {unknowns: ...}}");
  if (c->still && !c->heat && physics && physics->number == 2)
    hk_case_error(c, physics, "physics: acoustic is computed in time: give solve: {explicit: ...}");
  return HK_OK;
}
