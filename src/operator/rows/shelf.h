/* Pieces of memory that are made in a first pass over the patches and taken in a second one, in about the same order. Each thread lays them one after
 * the other into boxes of a megabyte; a box goes back to the system with its last piece. So the pieces of patches that are done leave the machine's
 * memory while what is made of them fills it, which small pieces of malloc would not.
 *
 *   HK_TRY(hk_shelf_create(threads, &shelf));
 *   ... first pass:  HK_PASS(hk_shelf_put(shelf, omp_get_thread_num(), bytes, &piece));
 *   ... second pass: hk_shelf_drop(&piece); */
#pragma once
#include "base/base.h"

typedef struct hk_shelf hk_shelf;

hk_status hk_shelf_create(int threads, hk_shelf **out);
/* Frees the pieces that are left. */
void hk_shelf_destroy(hk_shelf **shelf);
/* *piece: zeroed, aligned to 16 bytes, of the shelf until it is dropped. Threads call it side by side, each with a number of its own. */
hk_status hk_shelf_put(hk_shelf *shelf, int thread, hk_count bytes, void **piece);
/* Takes NULL; *piece = NULL. Any thread may call it once all pieces are there. */
void hk_shelf_drop(void **piece);
