/* Descriptions of rows (describe.h): the terms of a row are gathered element by element, sorted within each neighbour, and neighbours are sorted by
 * a hash of their terms. No number of K is computed here. */
#include "operator/congruent/describe.h"
#include <stdlib.h>
#include <string.h>

struct hk_row_entry {
  hk_index neighbour; /* position in the row */
  hk_row_term term;
};

struct hk_row_link {
  uint64_t hash;         /* of its terms */
  hk_index first, count; /* entries */
  uint16_t node;
};

hk_status hk_described_create(hk_described **out)
{
  return hk_new(out);
}

void hk_described_destroy(hk_described **described)
{
  if (!*described) return;
  hk_pool_clear(&(*described)->pool);
  hk_free(described);
}

static int by_entry(const void *a, const void *b)
{
  const struct hk_row_entry *p = a, *q = b;
  if (p->neighbour != q->neighbour) return p->neighbour < q->neighbour ? -1 : 1;
  return p->term < q->term ? -1 : p->term > q->term;
}

static int by_link(const void *a, const void *b)
{
  const struct hk_row_link *p = a, *q = b;
  if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
  return p->node - q->node;
}

static hk_index find_column(const hk_matrix_patch *p, hk_index i, hk_index column)
{
  hk_index low = p->begin[i], high = p->begin[i + 1];
  while (low + 1 < high) {
    const hk_index middle = (low + high) / 2;
    if (p->column[middle] <= column)
      low = middle;
    else
      high = middle;
  }
  return low - p->begin[i];
}

/* entry[*count]: the terms of row i, as elements come. */
static hk_status gather(const hk_operator_desc *desc, const hk_shapes *shapes,
                        const hk_matrix_patch *p, hk_index i, hk_described *d, hk_index *count)
{
  hk_index room = 0, last = -1;
  *count = 0;
  for (hk_index c = p->around_begin[i]; c < p->around_begin[i + 1]; c++) {
    const hk_index k = p->around[c], nodes = p->start[k + 1] - p->start[k];
    room += nodes * nodes;
  }
  HK_PASS(hk_pool_room(&d->pool, &d->entry, room));
  for (hk_index c = p->around_begin[i]; c < p->around_begin[i + 1]; c++) {
    const hk_index k = p->around[c], e = p->element[k], nodes = p->start[k + 1] - p->start[k];
    const uint16_t *node = p->node + p->start[k];
    const uint64_t kind =
        (uint64_t)desc->element_region[e] * (uint64_t)shapes->count + (uint64_t)shapes->of[e];
    if (k == last) continue; /* it has the node twice */
    last = k;
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes && node[a] == i; b++)
        if (node[b] != i)
          d->entry[(*count)++] =
              (struct hk_row_entry){find_column(p, i, node[b]), hk_row_term_of(kind, a, b)};
  }
  return HK_OK;
}

/* Sorts the terms of a row, and its neighbours into link[*links]. */
static hk_status sort_row(const hk_matrix_patch *p, hk_index i, hk_index terms, hk_described *d,
                          hk_index *links)
{
  qsort(d->entry, (size_t)terms, sizeof *d->entry, by_entry);
  HK_PASS(hk_pool_room(&d->pool, &d->link, terms));
  *links = 0;
  for (hk_index t = 0; t < terms; t++) {
    struct hk_row_link *link = &d->link[*links];
    if (t == 0 || d->entry[t].neighbour != d->entry[t - 1].neighbour) {
      *link =
          (struct hk_row_link){.first = t, .node = p->column[p->begin[i] + d->entry[t].neighbour]};
      (*links)++;
    } else
      link--;
    link->count++;
    link->hash = hk_shapes_mix(link->hash + d->entry[t].term + 1);
  }
  qsort(d->link, (size_t)*links, sizeof *d->link, by_link);
  return HK_OK;
}

/* The description of row i behind those before it, and its neighbours. */
static hk_status describe(const hk_operator_desc *desc, const hk_shapes *shapes,
                          const hk_matrix_patch *p, hk_index i, hk_described *d)
{
  hk_index terms, links, at = d->first[i];
  HK_PASS(gather(desc, shapes, p, i, d, &terms));
  HK_PASS(sort_row(p, i, terms, d, &links));
  HK_PASS(hk_pool_room(&d->pool, &d->word, at + 1 + links + terms));
  d->word[at++] = (uint64_t)links;
  d->hash[i] = (uint64_t)links;
  for (hk_index n = 0; n < links; n++) {
    const struct hk_row_link *link = &d->link[n];
    d->near[p->begin[i] - i + n] = link->node;
    d->word[at++] = (uint64_t)link->count;
    for (hk_index t = 0; t < link->count; t++) d->word[at++] = d->entry[link->first + t].term;
    d->hash[i] = hk_shapes_mix(d->hash[i] + link->hash);
  }
  d->first[i + 1] = at;
  return HK_OK;
}

/* lane[count]: nodes by falling length, key and number; runs of 1, 2, 4 ... nodes are merged in work[count]. */
static void sort_lanes(hk_described *d, hk_index count, const uint64_t *key, hk_index *work)
{
  for (hk_index step = 1; step < count; step *= 2)
    for (hk_index from = 0; from < count; from += 2 * step) {
      const hk_index middle = from + step < count ? from + step : count,
                     end = from + 2 * step < count ? from + 2 * step : count;
      hk_index a = from, b = middle, to = from;
      memcpy(work + from, d->lane + from, (size_t)(end - from) * sizeof *work);
      while (a < middle || b < end) {
        bool left = b >= end;
        if (a < middle && b < end) {
          const hk_index p = work[a], q = work[b];
          const uint64_t of_p = d->word[d->first[p]], of_q = d->word[d->first[q]];
          left = of_p != of_q ? of_p > of_q : key[p] <= key[q];
        }
        d->lane[to++] = work[left ? a++ : b++];
      }
    }
}

hk_status hk_rows_describe(const hk_operator_desc *desc, const hk_shapes *shapes,
                           const hk_matrix_patch *patch, hk_described *d)
{
  const hk_index count = patch->count;
  HK_PASS(hk_pool_room(&d->pool, &d->first, count + 1));
  HK_PASS(hk_pool_room(&d->pool, &d->hash, count + 1));
  HK_PASS(hk_pool_room(&d->pool, &d->lead, count + 1));
  HK_PASS(hk_pool_room(&d->pool, &d->lane, 2 * (hk_count)count + 1));
  HK_PASS(hk_pool_room(&d->pool, &d->near, patch->begin[count] + 1));
  d->first[0] = 0;
  for (hk_index i = 0; i < count; i++) {
    HK_PASS(describe(desc, shapes, patch, i, d));
    d->lane[i] = i;
  }
  sort_lanes(d, count, d->hash, d->lane + count);
  for (hk_index l = 0; l < count; l++) {
    const hk_index node = d->lane[l], before = l ? d->lane[l - 1] : 0;
    d->lead[node] = l && d->hash[node] == d->hash[before] ? d->lead[before] : (uint64_t)node;
  }
  sort_lanes(d, count, d->lead, d->lane + count);
  return HK_OK;
}

bool hk_described_alike(const hk_described *d, hk_index a, hk_index b)
{
  const hk_index length = d->first[a + 1] - d->first[a];
  return d->hash[a] == d->hash[b] && length == d->first[b + 1] - d->first[b] &&
         !memcmp(d->word + d->first[a], d->word + d->first[b], (size_t)length * sizeof *d->word);
}
