/* Texts of YAML (and JSON, which libyaml reads as YAML) become trees of maps, lists and scalars, each with its line and column. The depth is
 * checked by events first, as libyaml's work grows with its square. Aliases are copied, up to a limit. A text holds one document; a map has
 * each key once. Words after --set are parsed in the same way. */
#include "base/file.h"
#include "input/case/keys/json.h"
#include "input/case/keys/tree.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

enum {
  MOST_DEPTH = 32,
  MOST_COPIED = 100000 /* nodes that aliases may add */
};
static const hk_count most_bytes = INT64_C(1) << 30;

typedef struct loader {
  hk_tree *tree;
  hk_messages *list;
  yaml_document_t document;
  hk_count most_nodes;
  int origin;   /* 0: the file; i: option i - 1 */
  bool stopped; /* by an error that would repeat itself */
} loader;

/* A node without a value at a place in the text. */
static hk_node node_at(const loader *l, yaml_mark_t mark)
{
  return (hk_node){.line = (int)mark.line + 1, .column = (int)mark.column + 1, .origin = l->origin};
}

static hk_status new_node(loader *l, const yaml_node_t *from, hk_node **out)
{
  const hk_status status = hk_pool_few(&l->tree->pool, out, 1);
  if (status != HK_OK) return status;
  **out = node_at(l, from->start_mark);
  l->tree->nodes++;
  return HK_OK;
}

static bool plain_null(const yaml_node_t *from)
{
  const char *text = (const char *)from->data.scalar.value;
  return from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
         (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static hk_status load_scalar(loader *l, const yaml_node_t *from, hk_node *node)
{
  const char *text = (const char *)from->data.scalar.value;
  const size_t length = from->data.scalar.length;
  if (memchr(text, 0, length)) {
    hk_tree_error(l->tree, l->list, node, false, "the text holds a zero byte");
    return HK_OK;
  }
  if (plain_null(from)) return HK_OK;
  node->kind = HK_NODE_SCALAR;
  return hk_pool_take_text(&l->tree->pool, text, length, &node->text);
}

static hk_status load_node(loader *l, int index, int depth, hk_node **out);

static hk_status load_list(loader *l, const yaml_node_t *from, int depth, hk_node *list)
{
  list->kind = HK_NODE_LIST;
  for (const yaml_node_item_t *i = from->data.sequence.items.start;
       i < from->data.sequence.items.top && !l->stopped; i++) {
    hk_node *item;
    HK_PASS(load_node(l, *i, depth + 1, &item));
    hk_node_append(list, item);
  }
  return HK_OK;
}

static hk_status load_map(loader *l, const yaml_node_t *from, int depth, hk_node *map)
{
  map->kind = HK_NODE_MAP;
  for (const yaml_node_pair_t *p = from->data.mapping.pairs.start;
       p < from->data.mapping.pairs.top && !l->stopped; p++) {
    hk_node *value;
    const yaml_node_t *key = yaml_document_get_node(&l->document, p->key);
    HK_PASS(load_node(l, p->value, depth + 1, &value));
    value->key_line = (int)key->start_mark.line + 1;
    value->key_column = (int)key->start_mark.column + 1;
    if (key->type != YAML_SCALAR_NODE ||
        memchr(key->data.scalar.value, 0, key->data.scalar.length)) {
      hk_tree_error(l->tree, l->list, value, true, "a key must be a plain text");
      continue;
    }
    HK_PASS(hk_pool_take_text(&l->tree->pool, (const char *)key->data.scalar.value,
                              key->data.scalar.length, &value->key));
    hk_node_append(map, value);
  }
  return HK_OK;
}

static int by_key(const void *a, const void *b)
{
  const hk_node *x = *(hk_node *const *)a, *y = *(hk_node *const *)b;
  const int order = strcmp(x->key, y->key);
  if (order) return order;
  return x->key_line != y->key_line ? x->key_line - y->key_line : x->key_column - y->key_column;
}

static hk_status check_duplicates(loader *l, const hk_node *map)
{
  hk_status status = HK_OK;
  hk_node **sorted = NULL;
  int n = 0;
  HK_TRY(hk_get(&sorted, map->count));
  for (hk_node *child = map->child; child; child = child->next) sorted[n++] = child;
  qsort(sorted, (size_t)n, sizeof *sorted, by_key);
  for (int i = 1; i < n; i++)
    if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
      hk_tree_error(l->tree, l->list, sorted[i], true,
                    "key \"%.80s\" appears twice: first in line %d; remove one", sorted[i]->key,
                    sorted[i - 1]->key_line);
cleanup:
  hk_free(&sorted);
  return status;
}

static hk_status load_node(loader *l, int index, int depth, hk_node **out)
{
  const yaml_node_t *from = yaml_document_get_node(&l->document, index);
  HK_PASS(new_node(l, from, out));
  if (depth > MOST_DEPTH || l->tree->nodes > l->most_nodes) {
    if (depth > MOST_DEPTH)
      hk_tree_error(l->tree, l->list, *out, false,
                    "nested more than %d levels deep (or an alias of itself)", MOST_DEPTH);
    else
      hk_tree_error(l->tree, l->list, *out, false, "aliases repeat more than %d values",
                    MOST_COPIED);
    l->stopped = true;
    return HK_OK;
  }
  if (from->type == YAML_SCALAR_NODE)
    HK_PASS(load_scalar(l, from, *out));
  else if (from->type == YAML_SEQUENCE_NODE)
    HK_PASS(load_list(l, from, depth, *out));
  else {
    HK_PASS(load_map(l, from, depth, *out));
    HK_PASS(check_duplicates(l, *out));
  }
  return HK_OK;
}

static void yaml_error(loader *l, const yaml_parser_t *parser)
{
  const yaml_mark_t begin = {0};
  const hk_node at = node_at(l, parser->error == YAML_READER_ERROR ? begin : parser->problem_mark);
  hk_tree_error(l->tree, l->list, &at, false, "not YAML: %s%s%s",
                parser->problem ? parser->problem : "damaged text", parser->context ? ", " : "",
                parser->context ? parser->context : "");
}

/* Only one document may stand in the text. */
static hk_status load_document(loader *l, yaml_parser_t *parser, hk_node **root)
{
  hk_status status = HK_OK;
  yaml_document_t after, *document = &l->document;
  if (!yaml_parser_load(parser, document)) {
    if (parser->error == YAML_MEMORY_ERROR)
      return hk_error_set(HK_NO_RESOURCES, "%s: out of memory", l->tree->path);
    yaml_error(l, parser);
    return HK_OK;
  }
  if (yaml_document_get_root_node(document)) {
    l->most_nodes =
        l->tree->nodes + (document->nodes.top - document->nodes.start) + (hk_count)MOST_COPIED;
    HK_TRY(load_node(l, 1, 0, root));
    if (!yaml_parser_load(parser, &after)) {
      yaml_error(l, parser);
      goto cleanup;
    }
    const yaml_node_t *more = yaml_document_get_root_node(&after);
    if (more) {
      const hk_node at = {.line = (int)more->start_mark.line + 1, .column = 1, .origin = l->origin};
      hk_tree_error(l->tree, l->list, &at, false,
                    "a second document begins here: a case file holds one");
    }
    yaml_document_delete(&after);
  }
cleanup:
  yaml_document_delete(document);
  return status;
}

static int depth_change(yaml_event_type_t type)
{
  const bool opens = type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
  const bool closes = type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
  return opens - closes;
}

/* libyaml's work grows with the square of the depth: the depth is looked at first, by events. */
static hk_status check_depth(loader *l, const char *text, size_t length, bool *good)
{
  yaml_parser_t parser;
  yaml_event_t event;
  int depth = 0;
  bool more = true;
  *good = true;
  if (!yaml_parser_initialize(&parser))
    return hk_error_set(HK_NO_RESOURCES, "%s: out of memory", l->tree->path);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  while (more && yaml_parser_parse(&parser, &event)) {
    depth += depth_change(event.type);
    *good = depth <= MOST_DEPTH;
    more = *good && event.type != YAML_STREAM_END_EVENT;
    const hk_node at = node_at(l, event.start_mark);
    yaml_event_delete(&event);
    if (!*good)
      hk_tree_error(l->tree, l->list, &at, false, "nested more than %d levels deep", MOST_DEPTH);
  }
  yaml_parser_delete(&parser);
  return HK_OK;
}

hk_status hk_tree_parse(hk_tree *tree, const char *text, size_t length, int origin,
                        hk_messages *list, hk_node **root)
{
  hk_status status = HK_OK;
  loader l = {.tree = tree, .list = list, .origin = origin};
  yaml_parser_t parser;
  char *joined = NULL;
  bool good;
  *root = NULL;
  HK_TRY(hk_json_join_pairs(text, length, &joined));
  if (joined) text = joined;
  HK_TRY(check_depth(&l, text, length, &good));
  if (!good) goto cleanup;
  HK_CHECK(yaml_parser_initialize(&parser), HK_NO_RESOURCES, "%s: out of memory", tree->path);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  status = load_document(&l, &parser, root);
  yaml_parser_delete(&parser);
cleanup:
  hk_free(&joined);
  return status;
}

static hk_status read_file(const char *path, char **text, size_t *length)
{
  hk_status status = HK_OK;
  char *bytes = NULL;
  struct stat info;
  FILE *file = NULL;
  HK_TRY(hk_open_input_stream(path, &file));
  HK_CHECK(fstat(fileno(file), &info) == 0, HK_BAD_INPUT, "%s: cannot be opened: %s", path,
           strerror(errno));
  HK_CHECK(info.st_size <= most_bytes, HK_BAD_INPUT, "%s: larger than 1 GB", path);
  HK_TRY(hk_get(&bytes, (hk_count)info.st_size));
  *length = fread(bytes, 1, (size_t)info.st_size, file);
  HK_CHECK(!ferror(file), HK_BAD_INPUT, "%s: cannot be read", path);
  *text = bytes, bytes = NULL;
cleanup:
  hk_free(&bytes);
  if (file) fclose(file);
  return status;
}

static hk_status take_root(hk_tree *tree, const char *text, size_t length, hk_messages *list)
{
  HK_PASS(hk_tree_parse(tree, text, length, 0, list, &tree->root));
  if (!tree->root && !tree->errors) {
    const hk_node at = {.line = 1, .column = 1};
    hk_tree_error(tree, list, &at, false, "the file is empty: a case file is a map of keys");
  }
  return HK_OK;
}

hk_status hk_tree_read(hk_tree *tree, hk_messages *list)
{
  hk_status status = HK_OK;
  char *text = NULL;
  size_t length = 0;
  status = read_file(tree->path, &text, &length);
  if (status == HK_BAD_INPUT) {
    hk_messages_add_error(list, tree->path);
    tree->errors++;
    status = HK_OK;
    goto cleanup;
  }
  if (status == HK_OK) status = take_root(tree, text, length, list);
cleanup:
  hk_free(&text);
  return status;
}

hk_status hk_tree_read_text(hk_tree *tree, const char *text, hk_messages *list)
{
  const size_t length = strlen(text);
  if ((hk_count)length <= most_bytes) return take_root(tree, text, length, list);
  hk_messages_add(list, HK_ERROR, tree->path, 0, 0, "larger than 1 GB");
  tree->errors++;
  return HK_OK;
}
