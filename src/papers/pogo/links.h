/* The linked data pointer table of one block (papers/pogo/arrange.h): which sections are loaded. */
#pragma once
#include "papers/pogo/arrange.h"

/* A row of a neighbouring block and its sections that are needed, bit s: columns 8 s to 8 s + 7. */
typedef struct hk_needed_row {
  hk_index block;
  uint8_t row, sections;
} hk_needed_row;

/* Words of 64 sections, for the 256 that an entry of a table can name. */
enum { HK_NEEDED_WORDS = 4 };

/* What a block needs; reused from block to block. */
typedef struct hk_needed {
  hk_index count, neighbours,
      *neighbour;     /* blocks that it touches, ascending after hk_needed_finish */
  hk_needed_row *row; /* row[count], of the neighbours in order */
  /* private */
  hk_index *slot; /* slot[block]: 1 + its number among the neighbours; 0: none */
  uint64_t *bits; /* bits[neighbours][HK_NEEDED_WORDS]: sections needed */
  hk_pool pool;   /* all these arrays */
} hk_needed;

void hk_needed_clear(hk_needed *needed);                       /* frees */
hk_status hk_needed_start(hk_needed *needed, hk_index blocks); /* forgets the last block */
hk_status hk_needed_add(hk_needed *needed, hk_index block, int place);
hk_status hk_needed_finish(hk_needed *needed);

/* Fills table[layout->loads]: sections of 32 by the priorities of Fig. 5(d), of 16 two by two and
 * then singly, of 8 for what is left. Uses needed->row up. False: sections are left over. */
bool hk_needed_assign(hk_needed *needed, const hk_block_layout *layout, uint32_t *table);
