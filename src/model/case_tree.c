#include "model/case_tree.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

enum {
  CHUNK_BYTES = 32768,
  MOST_DEPTH = 32,
  MOST_COPIED = 100000 /* nodes that aliases may add */
};
static const hk_count most_bytes = INT64_C(1) << 30;

/* Nodes and texts lie in chunks that are freed together. */
struct hk_tree_chunk {
  hk_tree_chunk *next;
  size_t used, size;
  char data[];
};

static hk_status take(hk_tree *tree, size_t bytes, void **out)
{
  bytes = (bytes + 15) / 16 * 16;
  hk_tree_chunk *c = tree->chunk;
  if (!c || c->size - c->used < bytes) {
    const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    const hk_status status = hk_memory_get((void **)&c, (hk_count)(sizeof *c + size), 1);
    if (status != HK_OK) return status;
    c->size = size, c->next = tree->chunk, tree->chunk = c;
  }
  *out = (char *)c->data + c->used;
  c->used += bytes;
  return HK_OK;
}

static hk_status take_text(hk_tree *tree, const char *text, size_t length, const char **out)
{
  void *copy;
  const hk_status status = take(tree, length + 1, &copy);
  if (status != HK_OK) return status;
  memcpy(copy, text, length);
  ((char *)copy)[length] = 0;
  *out = copy;
  return HK_OK;
}

void hk_tree_clear(hk_tree *tree)
{
  while (tree->chunk) {
    hk_tree_chunk *next = tree->chunk->next;
    hk_free(&tree->chunk);
    tree->chunk = next;
  }
  tree->root = NULL;
}

void hk_tree_error(hk_tree *tree, hk_messages *list, const hk_node *node, bool at_key,
                   const char *words)
{
  char place[256];
  const char *file = tree->path;
  tree->errors++;
  const bool option = node && node->origin;
  const int line = !node || option ? 0 : at_key ? node->key_line : node->line;
  const int column = !node || option ? 0 : at_key ? node->key_column : node->column;
  if (option) {
    snprintf(place, sizeof place, "--set %.200s", tree->option[node->origin - 1]);
    file = place;
  }
  hk_messages_add(list, HK_ERROR, file, line, column, "%s", words);
}

const hk_node *hk_node_find(const hk_node *map, const char *key)
{
  if (!map || map->kind != HK_NODE_MAP) return NULL;
  for (const hk_node *n = map->child; n; n = n->next)
    if (strcmp(n->key, key) == 0) return n;
  return NULL;
}

typedef struct loader {
  hk_tree *tree;
  hk_messages *list;
  yaml_document_t document;
  hk_count most_nodes;
  int origin;
  bool stopped; /* by an error that would repeat itself */
} loader;

static hk_status new_node(loader *l, const yaml_node_t *from, hk_node **out)
{
  void *p;
  const hk_status status = take(l->tree, sizeof(hk_node), &p);
  if (status != HK_OK) return status;
  *out = p;
  **out = (hk_node){.line = (int)from->start_mark.line + 1,
                    .column = (int)from->start_mark.column + 1,
                    .origin = l->origin};
  l->tree->nodes++;
  return HK_OK;
}

static void append(hk_node *parent, hk_node *child)
{
  if (parent->last)
    parent->last->next = child;
  else
    parent->child = child;
  parent->last = child;
  parent->count++;
}

static void load_error(loader *l, const hk_node *node, bool at_key, const char *format, ...)
    HK_PRINTF(4, 5);
static void load_error(loader *l, const hk_node *node, bool at_key, const char *format, ...)
{
  char words[512];
  va_list args;
  va_start(args, format);
  vsnprintf(words, sizeof words, format, args);
  va_end(args);
  hk_tree_error(l->tree, l->list, node, at_key, words);
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
    load_error(l, node, false, "the text holds a zero byte");
    return HK_OK;
  }
  if (plain_null(from)) return HK_OK;
  node->kind = HK_NODE_SCALAR;
  return take_text(l->tree, text, length, &node->text);
}

static hk_status load_node(loader *l, int index, int depth, hk_node **out);

static hk_status load_list(loader *l, const yaml_node_t *from, int depth, hk_node *list)
{
  hk_status status = HK_OK;
  list->kind = HK_NODE_LIST;
  for (const yaml_node_item_t *i = from->data.sequence.items.start;
       i < from->data.sequence.items.top && !l->stopped; i++) {
    hk_node *item;
    HK_TRY(load_node(l, *i, depth + 1, &item));
    append(list, item);
  }
cleanup:
  return status;
}

static hk_status load_map(loader *l, const yaml_node_t *from, int depth, hk_node *map)
{
  hk_status status = HK_OK;
  map->kind = HK_NODE_MAP;
  for (const yaml_node_pair_t *p = from->data.mapping.pairs.start;
       p < from->data.mapping.pairs.top && !l->stopped; p++) {
    hk_node *value;
    const yaml_node_t *key = yaml_document_get_node(&l->document, p->key);
    HK_TRY(load_node(l, p->value, depth + 1, &value));
    value->key_line = (int)key->start_mark.line + 1;
    value->key_column = (int)key->start_mark.column + 1;
    if (key->type != YAML_SCALAR_NODE ||
        memchr(key->data.scalar.value, 0, key->data.scalar.length)) {
      load_error(l, value, true, "a key must be a plain text");
      continue;
    }
    HK_TRY(take_text(l->tree, (const char *)key->data.scalar.value, key->data.scalar.length,
                     &value->key));
    append(map, value);
  }
cleanup:
  return status;
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
      load_error(l, sorted[i], true, "key \"%.80s\" appears twice: first in line %d; remove one",
                 sorted[i]->key, sorted[i - 1]->key_line);
cleanup:
  hk_free(&sorted);
  return status;
}

static hk_status load_node(loader *l, int index, int depth, hk_node **out)
{
  hk_status status = HK_OK;
  const yaml_node_t *from = yaml_document_get_node(&l->document, index);
  HK_TRY(new_node(l, from, out));
  if (depth > MOST_DEPTH || l->tree->nodes > l->most_nodes) {
    if (depth > MOST_DEPTH)
      load_error(l, *out, false, "nested more than %d levels deep (or an alias of itself)",
                 MOST_DEPTH);
    else
      load_error(l, *out, false, "aliases repeat more than %d values", MOST_COPIED);
    l->stopped = true;
    goto cleanup;
  }
  if (from->type == YAML_SCALAR_NODE)
    HK_TRY(load_scalar(l, from, *out));
  else if (from->type == YAML_SEQUENCE_NODE)
    HK_TRY(load_list(l, from, depth, *out));
  else {
    HK_TRY(load_map(l, from, depth, *out));
    HK_TRY(check_duplicates(l, *out));
  }
cleanup:
  return status;
}

static void yaml_error(loader *l, const yaml_parser_t *parser)
{
  hk_node at = {.line = (int)parser->problem_mark.line + 1,
                .column = (int)parser->problem_mark.column + 1,
                .origin = l->origin};
  if (parser->error == YAML_READER_ERROR)
    at = (hk_node){.line = 1, .column = 1, .origin = l->origin};
  load_error(l, &at, false, "not YAML: %s%s%s", parser->problem ? parser->problem : "damaged text",
             parser->context ? ", " : "", parser->context ? parser->context : "");
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
      load_error(l, &at, false, "a second document begins here: a case file holds one");
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
    const hk_node at = {.line = (int)event.start_mark.line + 1,
                        .column = (int)event.start_mark.column + 1,
                        .origin = l->origin};
    yaml_event_delete(&event);
    if (!*good) load_error(l, &at, false, "nested more than %d levels deep", MOST_DEPTH);
  }
  yaml_parser_delete(&parser);
  return HK_OK;
}

static hk_status load_text(loader *l, const char *text, size_t length, hk_node **root)
{
  yaml_parser_t parser;
  bool good;
  hk_status status = check_depth(l, text, length, &good);
  *root = NULL;
  if (status != HK_OK || !good) return status;
  if (!yaml_parser_initialize(&parser))
    return hk_error_set(HK_NO_RESOURCES, "%s: out of memory", l->tree->path);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  status = load_document(l, &parser, root);
  yaml_parser_delete(&parser);
  return status;
}

static hk_status read_file(const char *path, char **text, size_t *length)
{
  hk_status status = HK_OK;
  char *bytes = NULL;
  struct stat info;
  FILE *file = fopen(path, "rb");
  HK_CHECK(file && fstat(fileno(file), &info) == 0, HK_BAD_INPUT, "%s: cannot be opened: %s", path,
           strerror(errno));
  HK_CHECK(S_ISREG(info.st_mode), HK_BAD_INPUT, "%s: is not a file", path);
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
  hk_status status = HK_OK;
  loader l = {.tree = tree, .list = list};
  HK_TRY(load_text(&l, text, length, &tree->root));
  if (!tree->root && !tree->errors) {
    const hk_node at = {.line = 1, .column = 1};
    load_error(&l, &at, false, "the file is empty: a case file is a map of keys");
  }
cleanup:
  return status;
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

hk_status hk_tree_add(hk_tree *tree, const char *key, const char *value)
{
  hk_status status = HK_OK;
  void *fresh = NULL;
  HK_TRY(take(tree, sizeof(hk_node), &fresh));
  hk_node *n = fresh;
  *n = (hk_node){.kind = HK_NODE_SCALAR};
  HK_TRY(take_text(tree, key, strlen(key), &n->key));
  HK_TRY(take_text(tree, value, strlen(value), &n->text));
  append(tree->root, n);
cleanup:
  return status;
}

/* The child of `at` that the word names: a key, or an index of a list. Makes missing keys. */
static hk_status step_into(loader *l, hk_node *at, const char *word, size_t length, hk_node **out)
{
  hk_status status = HK_OK;
  int64_t index = 0;
  void *fresh = NULL;
  *out = NULL;
  if (at->kind == HK_NODE_LIST) {
    const bool number = hk_parse_integer(word, length, &index) == length;
    hk_node *item = number && index >= 0 && index < at->count ? at->child : NULL;
    for (int64_t i = 0; item && i < index; i++) item = item->next;
    const hk_node here = {.origin = l->origin};
    if (!item)
      load_error(l, &here, false, "\"%.*s\" is not an item of a list of %d: counted from 0",
                 (int)(length < 60 ? length : 60), word, at->count);
    *out = item;
    return HK_OK;
  }
  if (at->kind == HK_NODE_SCALAR) {
    const hk_node here = {.origin = l->origin};
    load_error(l, &here, false, "\"%.60s\" has the value \"%.60s\", so no key \"%.*s\"",
               at->key ? at->key : "", at->text, (int)(length < 60 ? length : 60), word);
    return HK_OK;
  }
  at->kind = HK_NODE_MAP;
  for (hk_node *n = at->child; n; n = n->next)
    if (strlen(n->key) == length && memcmp(n->key, word, length) == 0) {
      *out = n;
      return HK_OK;
    }
  HK_TRY(take(l->tree, sizeof(hk_node), &fresh));
  hk_node *n = fresh;
  *n = (hk_node){.origin = l->origin};
  HK_TRY(take_text(l->tree, word, length, &n->key));
  append(at, n);
  *out = n;
cleanup:
  return status;
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

static hk_status override_one(loader *l, const char *option)
{
  hk_status status = HK_OK;
  const char *equals = strchr(option, '=');
  hk_node *at = l->tree->root, *value = NULL;
  const hk_node here = {.origin = l->origin};
  if (!equals || equals == option) {
    load_error(l, &here, false, "must be KEY=VALUE, such as solve.explicit.end=20 us");
    return HK_OK;
  }
  for (const char *word = option; word < equals && at;) {
    const char *end = memchr(word, '.', (size_t)(equals - word));
    if (!end) end = equals;
    HK_TRY(step_into(l, at, word, (size_t)(end - word), &at));
    word = end + 1;
  }
  if (!at) goto cleanup;
  HK_TRY(load_text(l, equals + 1, strlen(equals + 1), &value));
  replace(at, value, l->origin);
cleanup:
  return status;
}

hk_status hk_tree_override(hk_tree *tree, const char *const *option, int count, hk_messages *list)
{
  tree->option = option;
  for (int i = 0; i < count && tree->root; i++) {
    loader l = {.tree = tree, .list = list, .origin = i + 1};
    const hk_status status = override_one(&l, option[i]);
    if (status != HK_OK) return status;
  }
  return HK_OK;
}
