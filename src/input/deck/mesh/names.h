/* Names without regard to case, each with a kind and a number. */
#ifndef HK_INPUT_DECK_MESH_NAMES_H
#define HK_INPUT_DECK_MESH_NAMES_H
#include "input/deck/mesh/reader.h"

typedef struct hk_inp_names { /* zeroed: empty */
  struct hk_inp_entry *entry; /* entry[count] */
  hk_count count, capacity;
  hk_index *slot; /* slot[slots]: entry + 1; 0: free */
  hk_count slots;
} hk_inp_names;

/* `name` is borrowed; the table grows in the pool. */
hk_status hk_inp_names_add(hk_pool *pool, hk_inp_names *names, const char *name, int kind,
                           int value);
int hk_inp_names_find(const hk_inp_names *names, const char *name, int kind); /* -1: none */
/* "; did you mean NAME?" of the name of that kind nearest to `name` when it may be a typing error (valid until the next call); "": none, or
 * the reader has enough errors already. */
const char *hk_inp_near(hk_inp_reader *reader, const hk_inp_names *names, const char *name,
                        int kind);
#endif
