/* The tree of a case: maps, lists and scalars with their places, and errors at them. `--set KEY=VALUE` walks along KEY, a path of keys and
 * numbers of list items between points, makes what is missing, and puts the parsed VALUE there; its errors are told at the option. Nodes and
 * texts live in the tree's pool. */
#include "input/case/keys/tree.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hk_tree_clear(hk_tree *tree)
{
  hk_pool_clear(&tree->pool);
  tree->root = NULL;
}

void hk_node_append(hk_node *parent, hk_node *child)
{
  if (parent->last)
    parent->last->next = child;
  else
    parent->child = child;
  parent->last = child;
  parent->count++;
}

void hk_tree_error(hk_tree *tree, hk_messages *list, const hk_node *node, bool at_key,
                   const char *format, ...)
{
  char place[256], words[768];
  va_list args;
  const char *file = tree->path;
  const bool option = node && node->origin;
  const int line = !node || option ? 0 : at_key ? node->key_line : node->line;
  const int column = !node || option ? 0 : at_key ? node->key_column : node->column;
  tree->errors++;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  if (option) {
    snprintf(place, sizeof place, "--set %.200s", tree->option[node->origin - 1]);
    file = place;
  }
  const hk_count before = hk_messages_total(list, HK_ERROR);
  hk_messages_add(list, HK_ERROR, file, line, column, "%s", words);
  if (list) tree->repeated += hk_messages_total(list, HK_ERROR) == before;
}

const hk_node *hk_node_find(const hk_node *map, const char *key)
{
  if (!map || map->kind != HK_NODE_MAP) return NULL;
  for (const hk_node *n = map->child; n; n = n->next)
    if (strcmp(n->key, key) == 0) return n;
  return NULL;
}

/* A new child with that key and without a value. */
static hk_status add_key(hk_tree *tree, hk_node *map, const char *key, size_t length, int origin,
                         hk_node **out)
{
  HK_PASS(hk_pool_few(&tree->pool, out, 1));
  (*out)->origin = origin;
  HK_PASS(hk_pool_take_text(&tree->pool, key, length, &(*out)->key));
  hk_node_append(map, *out);
  return HK_OK;
}

hk_status hk_tree_add(hk_tree *tree, const char *key, const char *value)
{
  hk_node *n;
  HK_PASS(add_key(tree, tree->root, key, strlen(key), 0, &n));
  n->kind = HK_NODE_SCALAR;
  return hk_pool_text(&tree->pool, value, &n->text);
}

typedef struct override {
  hk_tree *tree;
  hk_messages *list;
  int origin;
} override;

/* The child of `at` that the word names: a key, or an index of a list. Makes missing keys. */
static hk_status step_into(const override *o, hk_node *at, const char *word, size_t length,
                           hk_node **out)
{
  int64_t index = 0;
  *out = NULL;
  if (at->kind == HK_NODE_LIST) {
    const bool number = hk_parse_integer(word, length, &index) == length;
    hk_node *item = number && index >= 0 && index < at->count ? at->child : NULL;
    for (int64_t i = 0; item && i < index; i++) item = item->next;
    const hk_node here = {.origin = o->origin};
    if (!item)
      hk_tree_error(o->tree, o->list, &here, false,
                    "\"%.*s\" is not an item of a list of %d: counted from 0",
                    (int)(length < 60 ? length : 60), word, at->count);
    *out = item;
    return HK_OK;
  }
  if (at->kind == HK_NODE_SCALAR) {
    const hk_node here = {.origin = o->origin};
    hk_tree_error(o->tree, o->list, &here, false,
                  "\"%.60s\" has the value \"%.60s\", so no key \"%.*s\"", at->key ? at->key : "",
                  at->text, (int)(length < 60 ? length : 60), word);
    return HK_OK;
  }
  at->kind = HK_NODE_MAP;
  for (hk_node *n = at->child; n; n = n->next)
    if (strlen(n->key) == length && memcmp(n->key, word, length) == 0) {
      *out = n;
      return HK_OK;
    }
  return add_key(o->tree, at, word, length, o->origin, out);
}

static void replace(hk_node *at, const hk_node *value, int origin)
{
  hk_node *next = at->next;
  const char *key = at->key;
  if (value)
    *at = *value;
  else
    *at = (hk_node){.kind = HK_NODE_NONE};
  at->origin = origin;
  at->next = next;
  at->key = key;
}

static hk_status override_one(const override *o, const char *option)
{
  const char *equals = strchr(option, '=');
  hk_node *at = o->tree->root, *value = NULL;
  const hk_node here = {.origin = o->origin};
  if (!equals || equals == option) {
    hk_tree_error(o->tree, o->list, &here, false,
                  "must be KEY=VALUE, such as solve.explicit.end=20 us");
    return HK_OK;
  }
  for (const char *word = option; word < equals && at;) {
    const char *end = memchr(word, '.', (size_t)(equals - word));
    if (!end) end = equals;
    HK_PASS(step_into(o, at, word, (size_t)(end - word), &at));
    word = end + 1;
  }
  if (!at) return HK_OK;
  HK_PASS(hk_tree_parse(o->tree, equals + 1, strlen(equals + 1), o->origin, o->list, &value));
  replace(at, value, o->origin);
  return HK_OK;
}

hk_status hk_tree_override(hk_tree *tree, const char *const *option, int count, hk_messages *list)
{
  tree->option = option;
  for (int i = 0; i < count && tree->root; i++) {
    const override o = {.tree = tree, .list = list, .origin = i + 1};
    const hk_status status = override_one(&o, option[i]);
    if (status != HK_OK) return status;
  }
  return HK_OK;
}
