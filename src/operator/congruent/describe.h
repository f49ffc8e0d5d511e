/* Descriptions of the rows of K: for each neighbour of a node, the blocks of element matrices that the entry sums. Nodes with the same
 * description have the same row bit by bit.
 *
 * Description of a row with n neighbours: n, then for each: m, and m terms. A term is one element with both nodes: its kind (the shape and the
 * region), the lower and the higher of the two places in the element, and whether the row's node has the higher one. Terms ascend; neighbours
 * are sorted by their terms, and by their local numbers where these are the same. */
#pragma once
#include "graph/shapes.h"
#include "operator/rows/rows.h"

typedef uint64_t hk_row_term;

static inline hk_row_term hk_row_term_of(uint64_t kind, int own, int other)
{
  const int low = own < other ? own : other, high = own < other ? other : own;
  return kind << 11 | (uint64_t)low << 6 | (uint64_t)high << 1 | (own > other);
}
static inline uint64_t hk_row_kind(hk_row_term term)
{
  return term >> 11;
}
static inline int hk_row_low(hk_row_term term)
{
  return (int)(term >> 6 & 31);
}
static inline int hk_row_high(hk_row_term term)
{
  return (int)(term >> 1 & 31);
}

/* The rows of one patch; one per thread. */
typedef struct hk_described {
  hk_pool pool;
  hk_row_term *word; /* word[first[count]]: descriptions, node by node */
  hk_index *first;   /* first[count + 1] */
  uint64_t *hash;    /* hash[count]: of the description */
  uint16_t *
      near; /* near[patch->begin[i] - i ..]: neighbours of node i in the order of its description */
  uint64_t *lead; /* lead[count]: the first node of the same hash */
  hk_index *
      lane; /* lane[count]: nodes by falling length, then by the first of their row, then as they come */
  struct hk_row_entry *entry; /* private: terms of a row */
  struct hk_row_link *link;   /* private: neighbours of a row */
} hk_described;

hk_status hk_described_create(hk_described **out);
void hk_described_destroy(hk_described **described);
/* Describes the rows of a patch, of which a pattern is enough. */
hk_status hk_rows_describe(const hk_operator_desc *desc, const hk_shapes *shapes,
                           const hk_matrix_patch *patch, hk_described *out);

/* Whether nodes a and b of the patch have the same description. */
bool hk_described_alike(const hk_described *d, hk_index a, hk_index b);
