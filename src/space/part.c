/* The numbers of a part. A cell is an element, or of a space by elements a group of batches. Every cell that has nodes of this part and of others makes its
 * own nodes rows to be sent to each of the other parts, and the nodes of these its ghosts. Both are collected as pairs (part, number in the
 * whole), sorted, and taken once each, so that the sender's list and the receiver's are the same pairs seen from both sides. */
#include "space/part.h"
#include <stdlib.h>
#include <string.h>

typedef struct pair {
  int part;      /* the other */
  hk_index node; /* in the whole numbering */
} pair;

typedef HK_LIST(pair) pairs;

typedef struct making {
  const hk_space *whole;
  int part, parts;
  hk_pool pool;
  int *owner;     /* owner[runs of the whole] */
  hk_index *at;   /* at[runs of the whole]: the first number here; -1: not here */
  bool *computed; /* computed[groups of batches of the whole] */
  bool *boundary; /* boundary[runs of the whole] */
  bool *sent;     /* sent[runs of the whole]: those of it that others read, or with partners */
  hk_index *partner_begin, *partner; /* of joints, by whole numbers: partner_begin[padded + 1] */
  hk_index most_partners;            /* of a node */
  hk_index *cell;                    /* whole numbers of a cell in the making */
  hk_index filled;                   /* of them */
  bool *present;                     /* present[parts]: in the cell */
  int *there;                        /* those parts */
  pairs send, take;
} making;

static hk_index flat_of(const making *m)
{
  return hk_space_flat_runs(m->whole);
}

static hk_index groups_of(const making *m)
{
  return hk_space_runs(m->whole) - flat_of(m);
}

static int owner_of(const making *m, hk_index number)
{
  return m->owner[hk_space_run(m->whole, number)];
}

static hk_status add_pair(making *m, pairs *list, int part, hk_index node)
{
  HK_PASS(hk_pool_more(&m->pool, list));
  list->at[list->count++] = (pair){part, node};
  return HK_OK;
}

static int compare(const void *p, const void *q)
{
  const pair *a = p, *b = q;
  if (a->part != b->part) return a->part < b->part ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

static void sort_once(pairs *list)
{
  hk_count kept = 0;
  if (list->count) qsort(list->at, (size_t)list->count, sizeof *list->at, compare);
  for (hk_count k = 0; k < list->count; k++)
    if (!k || compare(&list->at[k], &list->at[k - 1])) list->at[kept++] = list->at[k];
  list->count = kept;
}

static void note(making *m, int part, int *parts)
{
  if (!m->present[part]) m->there[(*parts)++] = part;
  m->present[part] = true;
}

/* Adds a cell to the lists of nodes to send and to take; `parts` are those that own a node of it. */
static hk_status add_pairs(making *m, int parts)
{
  for (hk_index i = 0; i < m->filled; i++) {
    const int owner = owner_of(m, m->cell[i]);
    if (owner != m->part) HK_PASS(add_pair(m, &m->take, owner, m->cell[i]));
    for (int k = 0; k < parts && owner == m->part; k++)
      if (m->there[k] != m->part) HK_PASS(add_pair(m, &m->send, m->there[k], m->cell[i]));
  }
  return HK_OK;
}

/* also: a part that owns the cell whatever its nodes; -1: none. *own: this part has something of it. */
static hk_status add_cell(making *m, int also, bool *own)
{
  int parts = 0;
  if (also >= 0) note(m, also, &parts);
  for (hk_index i = 0; i < m->filled; i++) note(m, owner_of(m, m->cell[i]), &parts);
  *own = m->present[m->part];
  const hk_status status = *own && parts > 1 ? add_pairs(m, parts) : HK_OK;
  for (int k = 0; k < parts; k++) m->present[m->there[k]] = false;
  return status;
}

static hk_status add_element(making *m, const hk_index *node, int nodes)
{
  bool own;
  for (int i = 0; i < nodes; i++) m->cell[i] = m->whole->node[node[i]];
  m->filled = nodes;
  return add_cell(m, -1, &own);
}

/* Whether an element has nodes of this part and of others; owner[mesh node]. */
static bool mixes(const making *m, const hk_block *block, hk_count e, const int *owner)
{
  const hk_index *node = block->node + e * block->nodes;
  int own = 0;
  for (int i = 0; i < block->nodes; i++) own += owner[node[i]] == m->part;
  return own && own < block->nodes;
}

/* Few elements are at borders: all threads look for them. The order of the pairs does not count, as they are sorted. */
static hk_status find_element_pairs(making *m)
{
  const hk_mesh *mesh = m->whole->mesh;
  int *owner;
  bool *mixed; /* mixed[elements of a block] */
  hk_count most = 0;
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].count > most) most = mesh->block[b].count;
  HK_PASS(hk_pool_get(&m->pool, &owner, mesh->node_count));
  HK_PASS(hk_pool_get(&m->pool, &mixed, most));
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++)
    owner[n] = m->whole->node[n] < 0 ? -1 : owner_of(m, m->whole->node[n]);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++) mixed[e] = mixes(m, block, e, owner);
    for (hk_count e = 0; e < block->count; e++)
      if (mixed[e]) HK_PASS(add_element(m, block->node + e * block->nodes, block->nodes));
  }
  return HK_OK;
}

static hk_status find_pairs(making *m, const hk_granules *granules)
{
  for (hk_count k = 0; k < granules->couples; k++) HK_PASS(add_element(m, granules->couple[k], 2));
  return m->whole->interior ? HK_OK : find_element_pairs(m);
}

static hk_index joined(const making *m, const hk_granules *g, hk_count k, int side)
{
  return m->whole->node[g->joint[k][side]];
}

static hk_status find_partners(making *m, const hk_granules *g)
{
  hk_index *begin;
  HK_PASS(hk_pool_get(&m->pool, &begin, m->whole->padded + 2));
  HK_PASS(hk_pool_get(&m->pool, &m->partner, 2 * g->joints));
  m->partner_begin = begin;
  for (hk_count k = 0; k < g->joints; k++)
    for (int side = 0; side < 2; side++) begin[joined(m, g, k, side) + 2]++;
  for (hk_index i = 0; i < m->whole->padded; i++) {
    if (begin[i + 2] > m->most_partners) m->most_partners = begin[i + 2];
    begin[i + 2] += begin[i + 1];
  }
  for (hk_count k = 0; k < g->joints; k++)
    for (int side = 0; side < 2; side++)
      m->partner[begin[joined(m, g, k, side) + 1]++] = joined(m, g, k, 1 - side);
  return HK_OK;
}

static void add_partners(making *m)
{
  const hk_index nodes = m->filled;
  for (hk_index i = 0; i < nodes; i++)
    for (hk_index p = m->partner_begin[m->cell[i]]; p < m->partner_begin[m->cell[i] + 1]; p++)
      m->cell[m->filled++] = m->partner[p];
}

/* All numbers of a group of batches: surfaces of its elements with their partners, then the run of inner ones with its padding. */
static void fill_group(making *m, hk_index group)
{
  const hk_interior *by = m->whole->interior;
  const hk_mesh *mesh = m->whole->mesh;
  const hk_index inside = hk_space_inside(m->whole), elements = by->group * by->lanes;
  const hk_index first = hk_space_run_first(m->whole, flat_of(m) + group);
  m->filled = 0;
  for (hk_index p = group * elements; p < (group + 1) * elements; p++) {
    if (by->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(mesh, by->element[p]);
    for (int n = 0; n < mesh->block[0].nodes; n++) {
      const hk_index number = m->whole->node[node[n]];
      if (number < inside) m->cell[m->filled++] = number;
    }
  }
  add_partners(m);
  for (hk_index i = 0; i < by->unit; i++) m->cell[m->filled++] = first + i;
}

static hk_status find_groups(making *m)
{
  for (hk_index g = 0; g < groups_of(m); g++) {
    fill_group(m, g);
    HK_PASS(add_cell(m, m->owner[flat_of(m) + g], &m->computed[g]));
  }
  return HK_OK;
}

static hk_status find_owners(making *m, const hk_granules *granules)
{
  const hk_index runs = hk_space_runs(m->whole);
  HK_PASS(hk_pool_get(&m->pool, &m->owner, runs));
  HK_PASS(hk_pool_get(&m->pool, &m->at, runs));
  HK_PASS(hk_pool_get(&m->pool, &m->boundary, runs));
  HK_PASS(hk_pool_get(&m->pool, &m->sent, runs));
  HK_PASS(hk_pool_get(&m->pool, &m->computed, groups_of(m)));
  m->parts = m->part + 1;
  for (hk_index r = 0; r < runs; r++) m->at[r] = -1;
  for (hk_index g = 0; g < granules->count; g++) {
    if (granules->part[g] >= m->parts) m->parts = granules->part[g] + 1;
    for (hk_index p = granules->first_patch[g]; p < granules->first_patch[g + 1]; p++)
      m->owner[p] = granules->part[g];
  }
  HK_PASS(hk_pool_get(&m->pool, &m->present, m->parts));
  return hk_pool_get(&m->pool, &m->there, m->parts);
}

static hk_status get_cell(making *m)
{
  const hk_mesh *mesh = m->whole->mesh;
  const hk_interior *by = m->whole->interior;
  hk_count most = 2;
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].nodes > most) most = mesh->block[b].nodes;
  if (by) most = most * by->group * by->lanes * (1 + m->most_partners) + by->unit;
  return hk_pool_get(&m->pool, &m->cell, most);
}

/* Patches on whose nodes what follows K acts, where at least half of the own ones stay for the interior: it hides what comes after the boundary. */
static hk_status mark_acted(making *m, const bool *acted)
{
  const hk_index flat = flat_of(m), patch = m->whole->patch;
  hk_index own = 0, marked = 0;
  bool *with; /* with[patches]: the boundary with those */
  if (!acted || m->whole->interior) return HK_OK;
  HK_PASS(hk_pool_get(&m->pool, &with, flat));
  for (hk_index p = 0; p < flat; p++) {
    if (m->owner[p] != m->part) continue;
    with[p] = m->boundary[p];
    for (hk_index i = p * patch; i < (p + 1) * patch; i++) with[p] = with[p] || acted[i];
    own++, marked += with[p];
  }
  if (2 * (hk_count)marked <= own) memcpy(m->boundary, with, (size_t)flat * sizeof *with);
  return HK_OK;
}

/* Patches that others read, or whose nodes have partners. */
static void mark_patches(making *m)
{
  for (hk_index k = 0; k < m->send.count; k++)
    m->boundary[hk_space_run(m->whole, m->send.at[k].node)] = true;
  for (hk_index i = 0; i < m->whole->padded; i++)
    if (m->partner_begin[i + 1] > m->partner_begin[i])
      m->boundary[hk_space_run(m->whole, i)] = true;
}

/* Groups of batches wait for no exchange unless they act on such patches. */
static void mark_groups(making *m)
{
  for (hk_index g = 0; g < groups_of(m); g++) {
    if (m->owner[flat_of(m) + g] != m->part) continue;
    fill_group(m, g);
    for (hk_index i = 0; i < m->filled; i++)
      if (m->boundary[hk_space_run(m->whole, m->cell[i])]) m->boundary[flat_of(m) + g] = true;
  }
}

/* The own runs of [first, end) from number *next on, sent ones first, then the rest of the boundary: list[..] counts from `first`; ends[2]: of these two. */
static void order_runs(making *m, hk_index first, hk_index end, hk_index *list, hk_index *ends,
                       hk_index *next)
{
  hk_index count = 0;
  for (int pass = 0; pass < 3; pass++) {
    for (hk_index r = first; r < end; r++)
      if (m->owner[r] == m->part && 2 - m->sent[r] - m->boundary[r] == pass) {
        m->at[r] = *next, list[count++] = r - first;
        *next += hk_space_run_first(m->whole, r + 1) - hk_space_run_first(m->whole, r);
      }
    if (pass < 2) ends[pass] = count;
  }
}

/* Groups of others that are computed here, by owners, from number *next on. */
static void order_again(making *m, hk_part *part, hk_index *next)
{
  const hk_index flat = flat_of(m);
  for (int owner = 0; owner < m->parts; owner++)
    for (hk_index g = 0; g < groups_of(m); g++)
      if (owner != m->part && m->owner[flat + g] == owner && m->computed[g]) {
        part->unit[part->units + part->again++] = g;
        m->at[flat + g] = *next, *next += m->whole->interior->unit;
      }
}

static hk_status order_patches(making *m, const hk_granules *granules, hk_part *part)
{
  const hk_index flat = flat_of(m), runs = hk_space_runs(m->whole);
  hk_index next = 0, all = 0, ends[2], unit_ends[2];
  mark_patches(m);
  mark_groups(m);
  memcpy(m->sent, m->boundary, (size_t)runs * sizeof *m->sent);
  HK_PASS(mark_acted(m, granules->acted));
  for (hk_index r = 0; r < runs; r++) {
    part->patches += r < flat && m->owner[r] == m->part;
    part->units += r >= flat && m->owner[r] == m->part;
    all += r >= flat && m->computed[r - flat];
  }
  HK_PASS(hk_pool_get(&part->pool, &part->patch, part->patches));
  HK_PASS(hk_pool_get(&part->pool, &part->unit, all));
  order_runs(m, 0, flat, part->patch, ends, &next);
  order_runs(m, flat, runs, part->unit, unit_ends, &next);
  part->sent = ends[0] * m->whole->patch, part->boundary = ends[1];
  part->boundary_units = unit_ends[1];
  part->rows = next;
  order_again(m, part, &next);
  part->ghosts = next - part->rows;
  return HK_OK;
}

static bool is_inside(const making *m, hk_index number)
{
  return number >= hk_space_inside(m->whole);
}

static hk_index number_of(const making *m, hk_index whole)
{
  const hk_index run = hk_space_run(m->whole, whole);
  return m->at[run] + whole - hk_space_run_first(m->whole, run);
}

static hk_status list_numbers(const making *m, hk_part *part)
{
  hk_index inner = part->ghosts;
  for (hk_index k = 0; k < m->take.count; k++) part->ghosts += !is_inside(m, m->take.at[k].node);
  HK_PASS(hk_pool_get(&part->pool, &part->whole, (hk_count)part->rows + part->ghosts));
  for (hk_index r = 0; r < hk_space_runs(m->whole); r++) {
    const hk_index first = hk_space_run_first(m->whole, r),
                   count = hk_space_run_first(m->whole, r + 1) - first;
    for (hk_index i = 0; i < count && m->at[r] >= 0; i++) part->whole[m->at[r] + i] = first + i;
  }
  for (hk_index k = 0; k < m->take.count; k++)
    if (!is_inside(m, m->take.at[k].node)) part->whole[part->rows + inner++] = m->take.at[k].node;
  return HK_OK;
}

/* Two parts that share a cell read each other's nodes, so both lists name the same parts. */
static hk_status list_neighbours(const making *m, hk_part *part)
{
  const pair *take = m->take.at, *send = m->send.at;
  hk_index inside = part->rows, surface = inside;
  for (hk_index k = 0; k < m->take.count; k++)
    part->neighbours += !k || take[k].part != take[k - 1].part;
  HK_PASS(hk_pool_get(&part->pool, &part->neighbour, part->neighbours));
  HK_PASS(hk_pool_get(&part->pool, &part->take_begin, part->neighbours + 1));
  HK_PASS(hk_pool_get(&part->pool, &part->inside_begin, part->neighbours + 1));
  HK_PASS(hk_pool_get(&part->pool, &part->send_begin, part->neighbours + 1));
  HK_PASS(hk_pool_get(&part->pool, &part->send, m->send.count));
  for (hk_index k = 0; k < m->send.count; k++) part->send[k] = number_of(m, send[k].node);
  if (m->whole->interior) surface += part->again * m->whole->interior->unit;
  part->take_begin[0] = surface, part->inside_begin[0] = inside;
  for (hk_index n = 0, taken = 0, sent = 0; n < part->neighbours; n++) {
    const int other = part->neighbour[n] = take[taken].part;
    for (; taken < m->take.count && take[taken].part == other; taken++)
      is_inside(m, take[taken].node) ? inside++ : surface++;
    while (sent < m->send.count && send[sent].part == other) sent++;
    part->take_begin[n + 1] = surface, part->inside_begin[n + 1] = inside;
    part->send_begin[n + 1] = sent;
  }
  return HK_OK;
}

hk_status hk_part_create(const hk_space *whole, const hk_granules *granules, int part,
                         hk_part **out)
{
  hk_status status = HK_OK;
  making m = {.whole = whole, .part = part};
  hk_part *made = NULL;
  HK_CHECK(
      hk_space_divides(whole), HK_BAD_INPUT,
      "parts are made of consecutive patches, or by elements, and this numbering is by blocks");
  HK_CHECK(!granules->joints || whole->interior, HK_INTERNAL,
           "parts of consecutive patches have no joints");
  HK_TRY(hk_new(&made));
  HK_TRY(find_owners(&m, granules));
  HK_TRY(find_partners(&m, granules));
  HK_TRY(get_cell(&m));
  HK_TRY(find_pairs(&m, granules));
  HK_TRY(find_groups(&m));
  sort_once(&m.send);
  sort_once(&m.take);
  HK_TRY(order_patches(&m, granules, made));
  HK_TRY(list_numbers(&m, made));
  HK_TRY(list_neighbours(&m, made));
  *out = made, made = NULL;
cleanup:
  hk_part_destroy(&made);
  hk_pool_clear(&m.pool);
  return status;
}

void hk_part_destroy(hk_part **part)
{
  if (*part) hk_pool_clear(&(*part)->pool);
  hk_free(part);
}
