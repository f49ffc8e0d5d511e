/* The neighbours of a node of a triangle mesh, in the order in which its triangles follow one
 * another. */
#pragma once
#include "base/base.h"

/* The triangles (centre, edge[t][0], edge[t][1]), t < count, wound alike, as a list: the k-th with
 * the (k - 1)-th entry of `node` and the centre is triangle number triangle[k], -1 if there is none;
 * every triangle is there once. Triangles that follow one another share an edge with the centre;
 * each such fan ends with the centre itself, so that what lies between two fans has no area.
 *
 *        b --- a        one closed fan:   a b c d a centre      *cyclic = 4 = count: the first
 *        | \ / |                                                 entries alone, read cyclically,
 *        |  o  |        open, b c d:      b c d centre           are all triangles (the first of
 *        | / \ |        two fans:         a b centre c d centre  them between entries 3 and 0)
 *        c --- d
 *
 * node, triangle [3 count], used [count]; returns their number; *cyclic is that number if the list is not
 * one closed fan. O(count^2). A closed fan that is not cut: triangle[0] is -1. */
int hk_ring_chain(int count, const hk_index (*edge)[2], hk_index centre, hk_index *node,
                  hk_index *triangle, bool *used, int *cyclic);
