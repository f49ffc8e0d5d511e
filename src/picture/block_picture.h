/* A picture of the blocks of a partition (Huthwaite 2014, Fig. 7): each node's area in the colour of
 * its block; neighbouring blocks differ. */
#pragma once
#include "papers/pogo/partition.h"
#include "picture/canvas.h"

/* About `width` pixels wide; 3D meshes are seen from outside. `title` and `note` are put above. */
hk_status hk_block_picture(const hk_mesh *mesh, const hk_adjacency *graph, const hk_blocks *blocks,
                           const char *title, const char *note, int width, hk_canvas **out);
