/* The rows of blocks that the nodes of a mesh have, each once. */
#pragma once
#include "operator/congruent/describe.h"

typedef struct hk_dictionary hk_dictionary;

/* Borrows both. */
hk_status hk_dictionary_create(const hk_operator_desc *desc, const hk_shapes *shapes,
                               hk_dictionary **out);
void hk_dictionary_destroy(hk_dictionary **dictionary);
/* *row: the first block of the row with the description word[], which lives as long as the dictionary. */
hk_status hk_dictionary_find(hk_dictionary *dictionary, uint64_t hash, const hk_row_term *word,
                             hk_index *row);
/* Rows, and blocks, those of padding behind the last row included. */
hk_index hk_dictionary_rows(const hk_dictionary *dictionary);
hk_index hk_dictionary_blocks(const hk_dictionary *dictionary);
/* table[blocks][stride] reals: -K_ij of each, summed in double in the order of the descriptions, from the matrices of the elements that stand for
 * the shapes (hk_shapes.first). By all threads, whose number changes nothing. HK_BAD_INPUT: a folded element. */
hk_status hk_dictionary_fill(const hk_dictionary *dictionary, int threads, int stride, void *table);
