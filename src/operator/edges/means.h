/* What the lists of operator/edges/edges.k.h will hold, from counts of the mesh alone. */
#pragma once
#include "mesh/mesh.h"

/* Per node: pairs, those of them cut by patches, nodes beyond the patch, twists (of one material; each pair on an
 * interface adds two). */
typedef struct hk_edges_means {
  double pairs, cut, halo, twists;
} hk_edges_means;

hk_edges_means hk_edges_mean(const hk_mesh *mesh, hk_index patch);
/* A device with a memory of its own is sent so many bytes of blocks at a time. */
enum { HK_EDGES_WINDOW = 128 << 20 };

/* Bytes of the host's memory beside the lists while they are made: the elements of patches and the patterns of rows.c with the pairs' places, the
 * slices' offsets, and the twists a second time. What each thread has of one patch is in place of patterns that are freed, as the `planned` bytes of the lists
 * are, but for the window of so many bytes, which is full at once. */
hk_count hk_edges_making(const hk_mesh *mesh, hk_index patch, int width, int real, hk_count planned,
                         hk_count window);
