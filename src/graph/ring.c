/* Orders the triangles around a node as chains, in which each triangle shares an edge with the next
 * (ring.h has a drawing).
 * A chain starts at a triangle without predecessor, or anywhere if the triangles close a ring, and
 * follows the second node of each triangle to the first node of the next. O(count^2), since few
 * triangles meet at a node. */
#include "graph/ring.h"

/* A triangle that is not used yet and begins at `node`; -1: none. */
static int next_at(int count, const hk_index (*edge)[2], const bool *used, hk_index node)
{
  for (int t = 0; t < count; t++)
    if (!used[t] && edge[t][0] == node) return t;
  return -1;
}

static bool has_one_before(int count, const hk_index (*edge)[2], int t)
{
  for (int s = 0; s < count; s++)
    if (edge[s][1] == edge[t][0]) return true;
  return false;
}

int hk_ring_chain(int count, const hk_index (*edge)[2], hk_index centre, hk_index *node,
                  hk_index *triangle, bool *used, int *cyclic)
{
  int length = 0, fans = 0;
  for (int t = 0; t < count; t++) used[t] = false;
  for (int closed = 0; closed < 2; closed++) /* open fans begin where nothing is before them */
    for (int first = 0; first < count; first++) {
      if (used[first] || (!closed && has_one_before(count, edge, first))) continue;
      node[length] = edge[first][0], triangle[length++] = -1;
      for (int t = first; t >= 0; t = next_at(count, edge, used, edge[t][1])) {
        used[t] = true;
        node[length] = edge[t][1], triangle[length++] = t;
      }
      node[length] = centre, triangle[length++] = -1;
      fans++;
    }
  *cyclic = fans == 1 && node[0] == node[length - 2] ? count : length;
  return length;
}
