/* Bytes that the stages of assembly read and write (Sanfui and Sharma, Figures 11 and 15): each array that a kernel takes or gives is counted
 * once for that kernel, whatever its caches save or its searches repeat; the tables of laws and shape functions are left out. Kernels and their
 * arrays: operator/assembly/neighbour.k.h, indices.k.h, fans.k.h, integrate.k.h, gather.k.h. */
#include "assembly/body.h"

static double bytes_of(const hk_buffer *buffer)
{
  return buffer ? (double)hk_buffer_bytes(buffer) : 0;
}

/* Counts are written, added up (scan), counted down and counted again: 7 times of 4 bytes for each node. */
static double neighbours(const hk_neighbours *n)
{
  return 5 * bytes_of(n->node) + 7.0 * 4 * n->nodes + 5 * bytes_of(n->around_begin) +
         5 * bytes_of(n->around) + bytes_of(n->place) + 2 * bytes_of(n->begin) +
         bytes_of(n->column);
}

/* The lists of the chunks: two passes that mark, scan and list, one that finds slots. */
static double lists(const hk_assembly *k)
{
  enum { PASS = 4 + 12 + 16, SLOTS = 12 }; /* bytes of flag, before and given_of for each element */
  const hk_neighbours *n = k->neighbours;
  const double passes = 2.0 * PASS * n->elements * k->chunks.chunks, slots = SLOTS * n->elements;
  return passes + slots + 3 * (bytes_of(n->around_begin) + bytes_of(n->around)) +
         2 * bytes_of(k->chunks.list) + bytes_of(k->chunks.slot);
}

static double indices(const hk_assembly *k)
{
  const hk_neighbours *n = k->neighbours;
  const double row = bytes_of(n->begin) + bytes_of(n->column),
               where = bytes_of(n->node) + bytes_of(n->around_begin) + bytes_of(n->around) + row +
                       bytes_of(k->sums.where),
               format = k->column_of ? row + bytes_of(k->row_begin) + bytes_of(k->row_of) +
                                           bytes_of(k->column_of)
                                     : 0;
  return where + format + (k->sums.fans ? 0 : bytes_of(n->begin) + lists(k));
}

/* What each row asks for, whether it integrates or gathers. */
static double rows(const hk_assembly *k)
{
  const hk_neighbours *n = k->neighbours;
  return bytes_of(n->around_begin) + bytes_of(n->around) + bytes_of(n->place) +
         bytes_of(k->sums.where) + bytes_of(n->begin) + bytes_of(k->value);
}

static double values(const hk_assembly *k)
{
  const hk_neighbours *n = k->neighbours;
  const hk_assembly_sent *s = &k->sent;
  const double integrated = bytes_of(k->chunks.list) / 4,
               real = k->desc.on.double_precision ? 8 : 4, matrices = integrated * k->size * real;
  if (k->sums.fans) return rows(k) + bytes_of(n->column) + bytes_of(s->law_of) + bytes_of(s->x);
  /* of an element: its number, nodes, law and kind */
  return integrated * (4 + 4.0 * n->stride + 8) + bytes_of(s->x) + 2 * matrices + rows(k) +
         bytes_of(k->chunks.slot) + bytes_of(s->kind);
}

double hk_bench_traffic(const hk_assembly *k, int stage)
{
  return stage == 0 ? neighbours(k->neighbours) : stage == 1 ? indices(k) : values(k);
}
