/* The numbers of a part: every element that has nodes of this part and of others makes its own nodes rows to be sent to each of the other
 * parts, and the nodes of these its ghosts. Both are collected as pairs (part, number in the whole), sorted, and taken once each, so that the
 * sender's list and the receiver's are the same pairs seen from both sides. */
#include "space/part.h"
#include <stdlib.h>

typedef struct pair {
  int part;      /* the other */
  hk_index node; /* in the whole numbering */
} pair;

typedef HK_LIST(pair) pairs;

typedef struct making {
  const hk_space *whole;
  int part;
  hk_pool pool;
  int *owner;      /* owner[patches of the whole] */
  hk_index *place; /* place[patches of the whole]: among the part's own */
  pairs send, take;
} making;

static int owner_of(const making *m, hk_index number)
{
  return m->owner[number / m->whole->patch];
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

/* What one element, with nodes of this part and of others, adds to both lists. */
static hk_status add_element(making *m, const hk_index *node, int nodes)
{
  bool borders = false;
  const int first = owner_of(m, m->whole->node[node[0]]);
  for (int i = 1; i < nodes; i++)
    borders = borders || owner_of(m, m->whole->node[node[i]]) != first;
  for (int i = 0; i < nodes && borders; i++) {
    const hk_index own = m->whole->node[node[i]];
    if (owner_of(m, own) != m->part) continue;
    for (int j = 0; j < nodes; j++) {
      const hk_index other = m->whole->node[node[j]];
      const int part = owner_of(m, other);
      if (part == m->part) continue;
      HK_PASS(add_pair(m, &m->send, part, own));
      HK_PASS(add_pair(m, &m->take, part, other));
    }
  }
  return HK_OK;
}

static hk_status find_pairs(making *m, const hk_granules *granules)
{
  const hk_mesh *mesh = m->whole->mesh;
  for (hk_count k = 0; k < granules->couples; k++) HK_PASS(add_element(m, granules->couple[k], 2));
  for (int b = 0; b < mesh->block_count; b++)
    for (hk_count e = 0; e < mesh->block[b].count; e++)
      HK_PASS(add_element(m, mesh->block[b].node + e * mesh->block[b].nodes, mesh->block[b].nodes));
  sort_once(&m->send);
  sort_once(&m->take);
  return HK_OK;
}

static hk_status find_owners(making *m, const hk_granules *granules)
{
  HK_PASS(hk_pool_get(&m->pool, &m->owner, m->whole->patches));
  HK_PASS(hk_pool_get(&m->pool, &m->place, m->whole->patches));
  for (hk_index g = 0; g < granules->count; g++)
    for (hk_index p = granules->first_patch[g]; p < granules->first_patch[g + 1]; p++)
      m->owner[p] = granules->part[g];
  return HK_OK;
}

/* The own patches, boundary first, and the place of each. */
static hk_status order_patches(making *m, hk_part *part)
{
  bool *boundary = NULL;
  HK_PASS(hk_pool_get(&m->pool, &boundary, m->whole->patches));
  for (hk_index k = 0; k < m->send.count; k++)
    boundary[m->send.at[k].node / m->whole->patch] = true;
  for (hk_index p = 0; p < m->whole->patches; p++) part->patches += m->owner[p] == m->part;
  HK_PASS(hk_pool_get(&part->pool, &part->patch, part->patches));
  hk_index next = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (hk_index p = 0; p < m->whole->patches; p++)
      if (m->owner[p] == m->part && boundary[p] == !pass)
        m->place[p] = next, part->patch[next++] = p;
    if (!pass) part->boundary = next;
  }
  part->rows = part->patches * m->whole->patch;
  return HK_OK;
}

static hk_index number_of(const making *m, hk_index whole)
{
  const hk_index patch = m->whole->patch;
  return m->place[whole / patch] * patch + whole % patch;
}

static hk_status list_numbers(const making *m, hk_part *part)
{
  const hk_index patch = m->whole->patch;
  part->ghosts = m->take.count;
  HK_PASS(hk_pool_get(&part->pool, &part->whole, (hk_count)part->rows + part->ghosts));
  for (hk_index i = 0; i < part->rows; i++)
    part->whole[i] = part->patch[i / patch] * patch + i % patch;
  for (hk_index k = 0; k < part->ghosts; k++) part->whole[part->rows + k] = m->take.at[k].node;
  return HK_OK;
}

/* Two parts that share an element read each other's nodes, so both lists name the same parts. */
static hk_status list_neighbours(const making *m, hk_part *part)
{
  const pair *take = m->take.at, *send = m->send.at;
  for (hk_index k = 0; k < m->take.count; k++)
    part->neighbours += !k || take[k].part != take[k - 1].part;
  HK_PASS(hk_pool_get(&part->pool, &part->neighbour, part->neighbours));
  HK_PASS(hk_pool_get(&part->pool, &part->take_begin, part->neighbours + 1));
  HK_PASS(hk_pool_get(&part->pool, &part->send_begin, part->neighbours + 1));
  HK_PASS(hk_pool_get(&part->pool, &part->send, m->send.count));
  for (hk_index k = 0; k < m->send.count; k++) part->send[k] = number_of(m, send[k].node);
  part->take_begin[0] = part->rows;
  for (hk_index n = 0, taken = 0, sent = 0; n < part->neighbours; n++) {
    const int other = part->neighbour[n] = take[taken].part;
    while (taken < m->take.count && take[taken].part == other) taken++;
    while (sent < m->send.count && send[sent].part == other) sent++;
    part->take_begin[n + 1] = part->rows + taken, part->send_begin[n + 1] = sent;
  }
  return HK_OK;
}

hk_status hk_part_create(const hk_space *whole, const hk_granules *granules, int part,
                         hk_part **out)
{
  hk_status status = HK_OK;
  making m = {.whole = whole, .part = part};
  hk_part *made = NULL;
  HK_CHECK(!whole->blocks && !whole->interior, HK_BAD_INPUT,
           "parts are made of consecutive patches alone");
  HK_TRY(hk_new(&made));
  HK_TRY(find_owners(&m, granules));
  HK_TRY(find_pairs(&m, granules));
  HK_TRY(order_patches(&m, made));
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

hk_status hk_space_create_part(const hk_space *whole, const hk_part *part, hk_space **out)
{
  hk_status status = HK_OK;
  const hk_index patch = whole->patch, numbers = part->rows + part->ghosts;
  hk_index most;
  hk_space *s = NULL;
  HK_TRY(hk_new(&s));
  s->mesh = whole->mesh, s->dim = whole->dim, s->components = whole->components;
  s->patch = patch, s->patches = part->patches, s->boundary = part->boundary;
  s->granule = whole->granule;
  s->ghosts = (part->ghosts + patch - 1) / patch * patch;
  s->padded = part->rows + s->ghosts, s->order = part->whole;
  HK_TRY(hk_narrow((hk_count)s->padded * s->components, "degrees of freedom", &most));
  HK_TRY(hk_pool_get(&s->pool, &s->mesh_node, s->padded));
  HK_TRY(hk_pool_get(&s->pool, &s->node, whole->mesh->node_count));
  for (hk_index i = 0; i < s->padded; i++)
    s->mesh_node[i] = i < numbers ? whole->mesh_node[part->whole[i]] : -1;
  for (hk_index i = 0; i < part->rows; i++) s->nodes += s->mesh_node[i] >= 0;
  hk_space_number_back(s);
  *out = s, s = NULL;
cleanup:
  hk_space_destroy(&s);
  return status;
}
