/* The graph of granules: those of the nodes of each element are neighbours, noted in a table of each with each, as there are few. Granules that must stay
 * together are merged before the graph is cut. */
#include "space/owner.h"
#include "graph/metis.h"

typedef struct making {
  const hk_space *space;
  hk_pool pool;
  hk_index granules;
  hk_index *group; /* group[granules]: the vertex of each */
  hk_index groups;
  bool *meet; /* meet[groups][groups]: an element has nodes of both */
} making;

static hk_index group_of(const making *m, hk_index node)
{
  return m->group[hk_space_granule(m->space, m->space->node[node])];
}

static hk_status find_meetings(making *m)
{
  const hk_mesh *mesh = m->space->mesh;
  HK_PASS(hk_pool_get(&m->pool, &m->meet, (hk_count)m->groups * m->groups));
  for (int b = 0; b < mesh->block_count; b++)
    for (hk_count e = 0; e < mesh->block[b].count; e++) {
      const hk_index *node = mesh->block[b].node + e * mesh->block[b].nodes;
      for (int i = 1; i < mesh->block[b].nodes; i++) {
        const hk_index one = group_of(m, node[i]);
        for (int j = 0; j < i; j++) {
          const hk_index other = group_of(m, node[j]);
          if (one == other) continue;
          m->meet[(hk_count)one * m->groups + other] = true;
          m->meet[(hk_count)other * m->groups + one] = true;
        }
      }
    }
  return HK_OK;
}

static hk_index root_of(const hk_index *parent, hk_index g)
{
  while (parent[g] != g) g = parent[g];
  return g;
}

/* The granules of joined nodes are one vertex; vertices in the order of their first granules. */
static hk_status find_groups(making *m, hk_count pairs, const hk_index (*joined)[2])
{
  hk_index *parent;
  HK_PASS(hk_pool_get(&m->pool, &parent, m->granules));
  HK_PASS(hk_pool_get(&m->pool, &m->group, m->granules));
  for (hk_index g = 0; g < m->granules; g++) parent[g] = g;
  for (hk_count k = 0; k < pairs; k++) {
    const hk_index a = root_of(parent, hk_space_granule(m->space, joined[k][0])),
                   b = root_of(parent, hk_space_granule(m->space, joined[k][1]));
    parent[a > b ? a : b] = a > b ? b : a;
  }
  for (hk_index g = 0; g < m->granules; g++) {
    const hk_index root = root_of(parent, g);
    m->group[g] = root == g ? m->groups++ : m->group[root];
  }
  return HK_OK;
}

static hk_status cut(making *m, int parts, hk_index *part)
{
  hk_adjacency graph = {.nodes = m->groups};
  hk_count entries = 0;
  const hk_count all = (hk_count)m->groups * m->groups;
  for (hk_count k = 0; k < all; k++) entries += m->meet[k];
  HK_PASS(hk_pool_get(&m->pool, &graph.begin, m->groups + 1));
  HK_PASS(hk_pool_get(&m->pool, &graph.node, entries));
  for (hk_count k = 0, at = 0; k < all; k++) {
    if (m->meet[k]) graph.node[at++] = (hk_index)(k % m->groups);
    graph.begin[k / m->groups + 1] = (hk_index)at;
  }
  return hk_metis_parts(&graph, parts, part);
}

/* By METIS where it is there and vertices are enough for it; else runs of about as many granules. */
static hk_status choose_parts(making *m, int parts, hk_index *part)
{
  enum { LEAST = 8 }; /* vertices per part */
  if (parts > 1 && m->groups >= LEAST * parts && hk_metis_available()) {
    HK_PASS(find_meetings(m));
    return cut(m, parts, part);
  }
  for (hk_index g = 0; g < m->groups; g++) part[g] = (hk_index)((hk_count)g * parts / m->groups);
  return HK_OK;
}

hk_status hk_granules_share(const hk_space *space, int parts, hk_count pairs,
                            const hk_index (*joined)[2], hk_pool *pool, hk_granules *out)
{
  hk_status status = HK_OK;
  making m = {.space = space, .granules = (space->patches + space->granule - 1) / space->granule};
  hk_index *first, *part;
  int *owner;
  HK_CHECK(!space->blocks && !space->interior, HK_BAD_INPUT,
           "this form of K cannot be stepped in parts");
  HK_TRY(hk_pool_get(pool, &first, m.granules + 1));
  HK_TRY(hk_pool_get(pool, &owner, m.granules));
  HK_TRY(hk_pool_get(&m.pool, &part, m.granules));
  HK_TRY(find_groups(&m, pairs, joined));
  HK_TRY(choose_parts(&m, parts, part));
  for (hk_index g = 0; g < m.granules; g++) {
    first[g] = g * space->granule;
    owner[g] = (int)part[m.group[g]];
  }
  first[m.granules] = space->patches;
  *out = (hk_granules){.count = m.granules, .first_patch = first, .part = owner};
cleanup:
  hk_pool_clear(&m.pool);
  return status;
}
