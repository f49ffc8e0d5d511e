/* The graph of granules: those of the nodes of each element are neighbours, noted in a table of each with each, as there are few. Granules that must stay
 * together are merged before the graph is cut. Of a space by elements the graph is that of the granules of inner nodes, whose elements are the
 * work; granules of surfaces go where most of the elements around them are. */
#include "space/owner.h"
#include "graph/metis.h"

typedef struct making {
  const hk_space *space;
  hk_pool pool;
  hk_index granules,
      flat;        /* the first `flat` are of surfaces where there are inner nodes; else 0 */
  hk_index *group; /* group[granules]: the vertex of each; -1: it has none */
  hk_index *root;  /* root[granules]: the lowest one of those that must stay together */
  hk_index groups;
  bool *meet; /* meet[groups][groups]: an element has nodes of both */
} making;

static hk_index granule_of(const making *m, hk_index node)
{
  return hk_space_granule(m->space, m->space->node[node]);
}

static void note_meeting(making *m, hk_index one, hk_index other)
{
  if (one == other || one < 0 || other < 0) return;
#pragma omp atomic write
  m->meet[(hk_count)one * m->groups + other] = true;
#pragma omp atomic write
  m->meet[(hk_count)other * m->groups + one] = true;
}

/* Each two vertices of the nodes of an element; most elements have one alone. */
static void meet_around(making *m, int nodes, const hk_index *node, const hk_index *vertex)
{
  int next = 1;
  while (next < nodes && vertex[node[next]] == vertex[node[0]]) next++;
  for (int i = next; i < nodes; i++)
    for (int j = 0; j < i; j++) note_meeting(m, vertex[node[i]], vertex[node[j]]);
}

/* Elements of consecutive patches. */
static hk_status meet_by_elements(making *m)
{
  const hk_mesh *mesh = m->space->mesh;
  hk_index *vertex; /* vertex[mesh node] */
  HK_PASS(hk_pool_get(&m->pool, &vertex, mesh->node_count));
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++)
    vertex[n] = m->space->node[n] < 0 ? -1 : m->group[granule_of(m, (hk_index)n)];
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      meet_around(m, block->nodes, block->node + e * block->nodes, vertex);
  }
  return HK_OK;
}

/* The vertex of the element at place p of the numbering by elements. */
static hk_index group_at(const making *m, hk_index p)
{
  const hk_interior *by = m->space->interior;
  return m->group[m->flat + p / by->lanes / by->group / by->granule];
}

/* Elements that have a node together: each with the last one that came to it. */
static hk_status meet_by_nodes(making *m)
{
  const hk_interior *by = m->space->interior;
  const hk_mesh *mesh = m->space->mesh;
  hk_index *last; /* vertex + 1 */
  HK_PASS(hk_pool_get(&m->pool, &last, mesh->node_count));
  for (hk_index p = 0; p < by->batches * by->lanes; p++) {
    if (by->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(mesh, by->element[p]);
    for (int n = 0; n < mesh->block[0].nodes; n++) {
      note_meeting(m, group_at(m, p), last[node[n]] - 1);
      last[node[n]] = group_at(m, p) + 1;
    }
  }
  return HK_OK;
}

static hk_status find_meetings(making *m)
{
  HK_PASS(hk_pool_get(&m->pool, &m->meet, (hk_count)m->groups * m->groups));
  if (m->space->interior) return meet_by_nodes(m);
  return meet_by_elements(m);
}

static hk_index root_of(const hk_index *parent, hk_index g)
{
  while (parent[g] != g) g = parent[g];
  return g;
}

/* The granules of joined nodes are one vertex, if they have one; vertices in the order of their first granules. */
static hk_status find_groups(making *m, hk_count pairs, const hk_index (*joined)[2])
{
  hk_index *parent;
  HK_PASS(hk_pool_get(&m->pool, &parent, m->granules));
  HK_PASS(hk_pool_get(&m->pool, &m->group, m->granules));
  m->root = parent;
  for (hk_index g = 0; g < m->granules; g++) parent[g] = g, m->group[g] = -1;
  for (hk_count k = 0; k < pairs; k++) {
    const hk_index a = root_of(parent, hk_space_granule(m->space, joined[k][0])),
                   b = root_of(parent, hk_space_granule(m->space, joined[k][1]));
    parent[a > b ? a : b] = a > b ? b : a;
  }
  for (hk_index g = 0; g < m->granules; g++) parent[g] = root_of(parent, g);
  for (hk_index g = m->flat; g < m->granules; g++)
    if (m->group[parent[g]] < 0) m->group[parent[g]] = m->groups++;
  for (hk_index g = 0; g < m->granules; g++) m->group[g] = m->group[parent[g]];
  return HK_OK;
}

/* owner[granule] of those on surfaces alone: the part that has the most of the elements around them. */
static hk_status share_surfaces(making *m, int parts, const hk_index *part, int *owner)
{
  const hk_interior *by = m->space->interior;
  const hk_mesh *mesh = m->space->mesh;
  hk_index *votes;
  HK_PASS(hk_pool_get(&m->pool, &votes, (hk_count)m->flat * parts));
  for (hk_index p = 0; p < by->batches * by->lanes; p++) {
    if (by->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(mesh, by->element[p]);
    for (int n = 0; n < mesh->block[0].nodes; n++) {
      const hk_index g = m->root[granule_of(m, node[n])];
      if (m->group[g] < 0) votes[(hk_count)g * parts + part[group_at(m, p)]]++;
    }
  }
  for (hk_index g = 0; g < m->flat; g++) {
    const hk_index *own = votes + (hk_count)m->root[g] * parts;
    for (int k = 1; k < parts && m->group[g] < 0; k++)
      if (own[k] > own[owner[g]]) owner[g] = k;
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
  return hk_metis_bisect(&graph, parts, part);
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

/* Runs of the granules of one range, which has so many, from granule *g and run `begin` to `end`. */
static void list_runs(hk_index granule, hk_index begin, hk_index end, hk_index *first, hk_index *g)
{
  for (hk_index r = begin; r < end; r += granule) first[(*g)++] = r;
}

hk_status hk_granules_share(const hk_space *space, int parts, hk_count pairs,
                            const hk_index (*joined)[2], hk_pool *pool, hk_granules *out)
{
  hk_status status = HK_OK;
  const hk_index flat = hk_space_flat_runs(space), runs = hk_space_runs(space);
  making m = {.space = space};
  hk_index *first, *part, listed = 0;
  int *owner;
  HK_CHECK(hk_space_divides(space), HK_BAD_INPUT, "this form of K cannot be stepped in parts");
  m.granules = hk_space_granules(space);
  m.flat = space->interior ? hk_space_granule_of_run(space, flat) : 0;
  HK_TRY(hk_pool_get(pool, &first, m.granules + 1));
  HK_TRY(hk_pool_get(pool, &owner, m.granules));
  HK_TRY(hk_pool_get(&m.pool, &part, m.granules));
  HK_TRY(find_groups(&m, pairs, joined));
  HK_TRY(choose_parts(&m, parts, part));
  list_runs(space->granule, 0, flat, first, &listed);
  if (space->interior) list_runs(space->interior->granule, flat, runs, first, &listed);
  first[m.granules] = runs;
  for (hk_index g = 0; g < m.granules; g++) owner[g] = m.group[g] < 0 ? 0 : (int)part[m.group[g]];
  if (m.flat) HK_TRY(share_surfaces(&m, parts, part, owner));
  *out = (hk_granules){.count = m.granules, .first_patch = first, .part = owner};
cleanup:
  hk_pool_clear(&m.pool);
  return status;
}
