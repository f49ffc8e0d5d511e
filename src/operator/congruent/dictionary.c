/* Rows by their descriptions (dictionary.h): a table of hashes finds those that are there; at the end the blocks of each are summed from
 * matrices of elements, of which each thread keeps those that it used last. */
#include "operator/congruent/dictionary.h"
#include "base/reals.h"
#include "operator/element/lumped.h"
#include "operator/element/stiffness.h"
#include <string.h>

enum { KEPT = 256, MOST_SIZE = 24 }; /* matrices of a thread; rows and columns of one */

typedef struct row {
  uint64_t hash;
  const hk_row_term *word;
  hk_index block; /* its first */
} row;

struct hk_dictionary {
  const hk_operator_desc *desc;
  const hk_shapes *shapes;
  HK_LIST(row) row;
  hk_index *slot, slots; /* row + 1, or 0; slots: a power of 2, above twice the rows */
  hk_index blocks, longest;
};

hk_status hk_dictionary_create(const hk_operator_desc *desc, const hk_shapes *shapes,
                               hk_dictionary **out)
{
  hk_dictionary *d = NULL;
  HK_PASS(hk_new(&d));
  d->desc = desc, d->shapes = shapes;
  *out = d;
  return HK_OK;
}

void hk_dictionary_destroy(hk_dictionary **dictionary)
{
  if (!*dictionary) return;
  hk_free(&(*dictionary)->row.at);
  hk_free(&(*dictionary)->slot);
  hk_free(dictionary);
}

hk_index hk_dictionary_rows(const hk_dictionary *d)
{
  return (hk_index)d->row.count;
}

hk_index hk_dictionary_blocks(const hk_dictionary *d)
{
  return d->blocks + d->longest;
}

/* Words of a description. */
static size_t length_of(const hk_row_term *word)
{
  size_t at = 1;
  for (uint64_t n = 0; n < word[0]; n++) at += 1 + (size_t)word[at];
  return at;
}

static hk_index first_slot(const hk_dictionary *d, uint64_t hash)
{
  return (hk_index)(hash & (uint64_t)(d->slots - 1));
}

static hk_status grow(hk_dictionary *d)
{
  enum { LEAST = 256 };
  if (2 * (d->row.count + 1) < d->slots) return HK_OK;
  const hk_index slots = d->slots ? 2 * d->slots : LEAST;
  hk_free(&d->slot);
  HK_PASS(hk_get(&d->slot, slots));
  d->slots = slots;
  for (hk_index r = 0; r < d->row.count; r++) {
    hk_index s = first_slot(d, d->row.at[r].hash);
    while (d->slot[s]) s = (s + 1) & (slots - 1);
    d->slot[s] = r + 1;
  }
  return HK_OK;
}

hk_status hk_dictionary_find(hk_dictionary *d, uint64_t hash, const hk_row_term *word,
                             hk_index *block)
{
  HK_PASS(grow(d));
  hk_index s = first_slot(d, hash);
  for (; d->slot[s]; s = (s + 1) & (d->slots - 1)) {
    const row *r = &d->row.at[d->slot[s] - 1];
    if (r->hash != hash || r->word[0] != word[0]) continue;
    const size_t length = length_of(word);
    *block = r->block;
    if (length == length_of(r->word) && !memcmp(r->word, word, length * sizeof *word)) return HK_OK;
  }
  const hk_index neighbours = (hk_index)word[0];
  hk_index sum;
  HK_PASS(hk_narrow((hk_count)d->blocks + neighbours, "blocks of the dictionary", &sum));
  HK_PASS(hk_list_more(&d->row));
  d->row.at[d->row.count++] = (row){hash, word, d->blocks};
  d->slot[s] = (hk_index)d->row.count;
  *block = d->blocks;
  d->blocks = sum;
  if (neighbours > d->longest) d->longest = neighbours;
  return HK_OK;
}

/* Matrices of kinds of elements, by the last digits of the kind. */
typedef struct kept {
  uint64_t kind; /* + 1; 0: none */
  double k[MOST_SIZE * MOST_SIZE];
} kept;

static hk_status find_matrix(const hk_dictionary *d, uint64_t kind, kept *own)
{
  const hk_mesh *mesh = d->desc->space->mesh;
  const hk_index e = d->shapes->first[kind % (uint64_t)d->shapes->count];
  const hk_region *region = &d->desc->region[kind / (uint64_t)d->shapes->count];
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[MOST_SIZE];
  if (own->kind == kind + 1) return HK_OK;
  for (int n = 0; n < block->nodes; n++)
    memcpy(x + n * mesh->dim, mesh->x + (hk_count)node[n] * mesh->dim,
           (size_t)mesh->dim * sizeof *x);
  own->kind = 0;
  if (!(hk_element_integrate(region, hk_element_of(block->shape), x, own->k) > 0))
    return hk_element_folded(mesh, e);
  own->kind = kind + 1;
  return HK_OK;
}

/* block[dim][dim] += the terms [begin, end), which are of one block of one matrix; k_ji = k_ij^T. */
static void add_terms(const hk_row_term *begin, const hk_row_term *end, const double *k, int size,
                      int dim, double *block)
{
  const int low = hk_row_low(*begin), high = hk_row_high(*begin);
  double sum[9] = {0};
  for (const hk_row_term *t = begin; t < end; t++)
    for (int c = 0; c < dim; c++)
      for (int b = 0; b < dim; b++)
        sum[c * dim + b] += *t & 1 ? k[(low * dim + b) * size + high * dim + c]
                                   : k[(low * dim + c) * size + high * dim + b];
  for (int c = 0; c < dim * dim; c++) block[c] += sum[c];
}

static hk_status fill_row(const hk_dictionary *d, const row *r, int stride, void *table, kept *of)
{
  const hk_mesh *mesh = d->desc->space->mesh;
  const int dim = mesh->dim;
  const hk_row_term *t = r->word + 1;
  for (uint64_t n = 0; n < r->word[0]; n++) {
    const hk_row_term *end = t + 1 + *t, *next;
    double block[9] = {0};
    for (t++; t < end; t = next) {
      for (next = t + 1; next < end && *next >> 1 == *t >> 1;) next++;
      const uint64_t kind = hk_row_kind(*t);
      kept *own = &of[kind % KEPT];
      HK_PASS(find_matrix(d, kind, own));
      const hk_index e = d->shapes->first[kind % (uint64_t)d->shapes->count];
      add_terms(t, next, own->k, hk_mesh_block_of(mesh, e)->nodes * dim, dim, block);
    }
    for (int c = 0; c < dim * dim; c++)
      hk_put_real(table, d->desc->double_precision, ((hk_count)r->block + (hk_count)n) * stride + c,
                  -block[c]);
  }
  return HK_OK;
}

hk_status hk_dictionary_fill(const hk_dictionary *d, int threads, int stride, void *table)
{
  hk_failure failure = {0};
#pragma omp parallel num_threads(threads)
  {
    kept *of = NULL;
    hk_status status = hk_get(&of, KEPT);
#pragma omp for schedule(dynamic, 64)
    for (hk_count r = 0; r < d->row.count; r++)
      if (status == HK_OK) status = fill_row(d, &d->row.at[r], stride, table, of);
    hk_free(&of);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}
