/* YAML or JSON text as a tree of maps, lists and scalars, each with its place. */
#pragma once
#include "base/base.h"

typedef enum hk_node_kind { HK_NODE_NONE, HK_NODE_SCALAR, HK_NODE_LIST, HK_NODE_MAP } hk_node_kind;

typedef struct hk_node hk_node;
struct hk_node {
  hk_node_kind kind; /* HK_NODE_NONE: "key:" without a value */
  int line, column;  /* 1-based; of the value */
  int key_line, key_column;
  int origin;       /* 0: the file; i: option i - 1 */
  bool refused;     /* by a check: absent to the readers */
  const char *key;  /* in a map, else NULL */
  const char *text; /* of a scalar, else NULL */
  double number;    /* set by the check, in the file's units */
  hk_node *child, *last, *next;
  int count; /* children */
};

typedef struct hk_tree {
  const char *path;          /* borrowed */
  const char *const *option; /* borrowed */
  hk_node *root;             /* NULL when the text could not be read */
  hk_count errors, repeated; /* repeated: of errors, those that the list had word for word */
  hk_count nodes;
  hk_pool pool; /* of nodes and texts */
} hk_tree;

/* Reads the file; errors (YAML's own, duplicate keys, too deep or too large by aliases) go to
 * `list` and are counted. tree->path must be set. */
hk_status hk_tree_read(hk_tree *tree, hk_messages *list);
/* The same of a text; tree->path is its name. */
hk_status hk_tree_read_text(hk_tree *tree, const char *text, hk_messages *list);
/* The same to nodes of their own, of the file (origin 0) or of option origin - 1; NULL where errors were added, or nothing is
 * there. */
hk_status hk_tree_parse(hk_tree *tree, const char *text, size_t length, int origin,
                        hk_messages *list, hk_node **root);
/* Adds a key with a plain value to the root, a map, which lacks it. */
hk_status hk_tree_add(hk_tree *tree, const char *key, const char *value);
/* Puts the overrides "a.b.0=value" in; value is YAML. */
hk_status hk_tree_override(hk_tree *tree, const char *const *option, int count, hk_messages *list);
void hk_tree_clear(hk_tree *tree);

/* Adds an error at the place of the node's value (of its key when at_key) and counts it. */
void hk_tree_error(hk_tree *tree, hk_messages *list, const hk_node *node, bool at_key,
                   const char *format, ...) HK_PRINTF(5, 6);

const hk_node *hk_node_find(const hk_node *map, const char *key);

void hk_node_append(hk_node *parent, hk_node *child);
