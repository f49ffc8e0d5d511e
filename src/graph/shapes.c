/* Shapes of elements (shapes.h). An element's coordinates relative to its first node, weighed and summed, fall into a bucket that is wider than
 * two elements of one shape can lie apart, so that a shape is in the element's own bucket or in one of its neighbours; all coordinates are then
 * compared. Runs of CHUNK elements have tables of their own, by threads side by side, and their shapes are joined in the order of the runs. */
#include "graph/shapes.h"
#include "element/element.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 17, MOST_NUMBERS = 3 * (HK_LISTED_NODES - 1), SAMPLE = 4096 };

typedef struct table {
  const hk_mesh *mesh;
  double tolerance, width; /* of a bucket */
  hk_index count, *first;  /* first[count]: the element of a shape */
  int64_t *bucket;         /* bucket[count] */
  double *x;               /* x[count][stride]: coordinates relative to the first node's */
  int stride, numbers;     /* numbers: of the element that is looked for */
  hk_index *slot, slots;   /* shape + 1, or 0; slots: a power of 2, above 2 count */
  hk_count first_room, bucket_room, x_room;
} table;

static void table_free(table *t)
{
  hk_free(&t->first);
  hk_free(&t->bucket);
  hk_free(&t->x);
  hk_free(&t->slot);
}

static int block_number(const hk_mesh *mesh, hk_count e)
{
  return (int)(hk_mesh_block_of(mesh, e) - mesh->block);
}

/* d[(nodes - 1) dim]: places of an element's nodes relative to the first one; their number. */
static int find_places(const hk_mesh *mesh, hk_count e, double *d)
{
  const int dim = mesh->dim, nodes = hk_mesh_block_of(mesh, e)->nodes;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const double *from = mesh->x + (hk_count)node[0] * dim;
  for (int n = 1; n < nodes; n++)
    for (int c = 0; c < dim; c++)
      d[(n - 1) * dim + c] = mesh->x[(hk_count)node[n] * dim + c] - from[c];
  return (nodes - 1) * dim;
}

/* Weights between 1/2 and 3/2 that no symmetry of an element shares. */
static double weight(int k)
{
  return 0.5 + fmod(0.6180339887498949 * (k + 1), 1);
}

static double widest_bucket(int numbers, double tolerance)
{
  double sum = 0;
  for (int k = 0; k < numbers; k++) sum += weight(k);
  return 2 * tolerance * sum;
}

static int64_t bucket_of(const table *t, const double *d, int numbers)
{
  double sum = 0;
  for (int k = 0; k < numbers; k++) sum += weight(k) * d[k];
  return (int64_t)fmax(-9e18, fmin(9e18, floor(sum / t->width)));
}

static double distance(const double *a, const double *b, int numbers)
{
  double most = 0;
  for (int k = 0; k < numbers; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static bool is_alike(const table *t, hk_index shape, int block, const double *d, int numbers)
{
  return block_number(t->mesh, t->first[shape]) == block &&
         distance(t->x + (hk_count)shape * t->stride, d, numbers) <= t->tolerance;
}

static hk_index slot_of(const table *t, int64_t bucket)
{
  return (hk_index)(hk_shapes_mix((uint64_t)bucket) & (uint64_t)(t->slots - 1));
}

static void put_slot(table *t, hk_index shape)
{
  hk_index s = slot_of(t, t->bucket[shape]);
  while (t->slot[s]) s = (s + 1) & (t->slots - 1);
  t->slot[s] = shape + 1;
}

static hk_status make_room(table *t)
{
  enum { LEAST = 64 };
  if (2 * (t->count + 1) < t->slots) return HK_OK;
  const hk_index slots = t->slots ? 2 * t->slots : LEAST;
  hk_free(&t->slot);
  HK_PASS(hk_get(&t->slot, slots));
  t->slots = slots;
  for (hk_index s = 0; s < t->count; s++) put_slot(t, s);
  return HK_OK;
}

/* The shape that lies in this bucket; -1: none. */
static hk_index look_in(const table *t, int64_t bucket, int block, const double *d, int numbers)
{
  for (hk_index s = slot_of(t, bucket); t->slot[s]; s = (s + 1) & (t->slots - 1)) {
    const hk_index shape = t->slot[s] - 1;
    if (t->bucket[shape] == bucket && is_alike(t, shape, block, d, numbers)) return shape;
  }
  return -1;
}

/* The shape of element e, which is added where it is new; `last` is tried first. */
static hk_status find_shape(table *t, hk_count e, hk_index last, hk_index *shape)
{
  double d[MOST_NUMBERS];
  const int numbers = find_places(t->mesh, e, d), block = block_number(t->mesh, e);
  *shape = last;
  if (last >= 0 && is_alike(t, last, block, d, numbers)) return HK_OK;
  HK_PASS(make_room(t));
  const int64_t bucket = bucket_of(t, d, numbers);
  for (int k = 0; k < 3; k++) {
    *shape = look_in(t, bucket + (k + 1) % 3 - 1, block, d, numbers);
    if (*shape >= 0) return HK_OK;
  }
  HK_PASS(hk_reserve(&t->first, t->count + 1, &t->first_room));
  HK_PASS(hk_reserve(&t->bucket, t->count + 1, &t->bucket_room));
  HK_PASS(hk_reserve(&t->x, ((hk_count)t->count + 1) * t->stride, &t->x_room));
  t->first[t->count] = (hk_index)e, t->bucket[t->count] = bucket;
  memcpy(t->x + (hk_count)t->count * t->stride, d, (size_t)numbers * sizeof *d);
  *shape = t->count++;
  put_slot(t, *shape);
  return HK_OK;
}

/* The shapes of elements [begin, end) in a table of their own, until there are more than `most`. */
static hk_status find_chunk(table *t, hk_count begin, hk_count end, hk_index most, hk_index *of)
{
  hk_index shape = -1;
  for (hk_count e = begin; e < end && t->count <= most; e++) {
    HK_PASS(find_shape(t, e, shape, &shape));
    of[e] = shape;
  }
  return HK_OK;
}

/* Smallest extent of elements here and there, and the largest coordinate. */
static void find_scales(const hk_mesh *mesh, double *extent, double *largest)
{
  const hk_count step = mesh->element_count / SAMPLE + 1, numbers = mesh->node_count * mesh->dim;
  double d[MOST_NUMBERS], most = 0;
  *extent = INFINITY;
  for (hk_count e = 0; e < mesh->element_count; e += step) {
    double size = 0;
    for (int k = find_places(mesh, e, d) - 1; k >= 0; k--) size = fmax(size, fabs(d[k]));
    *extent = fmin(*extent, size);
  }
#pragma omp parallel for schedule(static) reduction(max : most)
  for (hk_count k = 0; k < numbers; k++) most = fmax(most, fabs(mesh->x[k]));
  *largest = most;
}

static table table_for(const hk_mesh *mesh, double extent, double largest)
{
  table t = {.mesh = mesh};
  for (int b = 0; b < mesh->block_count; b++)
    if ((mesh->block[b].nodes - 1) * mesh->dim > t.stride)
      t.stride = (mesh->block[b].nodes - 1) * mesh->dim;
  t.tolerance = fmax(1e-12 * extent, 8 * DBL_EPSILON * largest);
  t.width = widest_bucket(t.stride, t.tolerance);
  return t;
}

/* Shapes of the runs become those of `all`, in the order of the runs: number[run][shape of the run]. */
static hk_status join(const table *run, hk_count runs, hk_index most, table *all, hk_index **number)
{
  for (hk_count c = 0; c < runs; c++) {
    if (run[c].count > most) all->count = most + 1;
    if (all->count > most) return HK_OK;
    HK_PASS(hk_get(&number[c], run[c].count));
    for (hk_index s = 0; s < run[c].count && all->count <= most; s++)
      HK_PASS(find_shape(all, run[c].first[s], -1, &number[c][s]));
  }
  return HK_OK;
}

/* Elements get the numbers of `all`, and the largest difference is found, of the first element that has it. */
static void number_elements(const table *all, hk_index *const *number, hk_count runs,
                            hk_shapes *out)
{
  const hk_count elements = all->mesh->element_count;
#pragma omp parallel for schedule(static)
  for (hk_count c = 0; c < runs; c++) {
    double d[MOST_NUMBERS], most = 0;
    hk_count worst = -1;
    for (hk_count e = c * CHUNK; e < elements && e < (c + 1) * CHUNK; e++) {
      out->of[e] = number[c][out->of[e]];
      const int numbers = find_places(all->mesh, e, d);
      const double off = distance(all->x + (hk_count)out->of[e] * all->stride, d, numbers);
      if (off > most) most = off, worst = e;
    }
#pragma omp critical
    if (worst >= 0 && (most > out->difference || (most == out->difference && worst < out->worst)))
      out->difference = most, out->worst = (hk_index)worst;
  }
}

hk_status hk_shapes_find(const hk_mesh *mesh, hk_index most, hk_shapes *out)
{
  hk_status status = HK_OK;
  const hk_count runs = (mesh->element_count + CHUNK - 1) / CHUNK;
  table *run = NULL, all;
  hk_index **number = NULL;
  hk_failure failure = {0};
  double largest;
  bool many = false;
  *out = (hk_shapes){.worst = -1};
  find_scales(mesh, &out->extent, &largest);
  all = table_for(mesh, out->extent, largest);
  HK_TRY(hk_get(&run, runs));
  HK_TRY(hk_get(&number, runs));
  HK_TRY(hk_pool_get(&out->pool, &out->of, mesh->element_count));
#pragma omp parallel for schedule(dynamic, 1)
  for (hk_count c = 0; c < runs; c++) {
    bool enough;
#pragma omp atomic read
    enough = many;
    if (enough) continue;
    run[c] = table_for(mesh, out->extent, largest);
    const hk_count end = (c + 1) * CHUNK;
    hk_failure_keep(&failure, find_chunk(&run[c], c * CHUNK,
                                         end < mesh->element_count ? end : mesh->element_count,
                                         most, out->of));
    if (run[c].count > most) {
#pragma omp atomic write
      many = true;
    }
  }
  HK_TRY(hk_failure_tell(&failure));
  if (many)
    all.count = most + 1;
  else
    HK_TRY(join(run, runs, most, &all, number));
  out->count = all.count > most ? most + 1 : all.count;
  if (out->count > most) {
    hk_pool_clear(&out->pool);
    out->of = NULL;
  } else {
    number_elements(&all, number, runs, out);
    HK_TRY(hk_pool_get(&out->pool, &out->first, all.count));
    memcpy(out->first, all.first, (size_t)all.count * sizeof *all.first);
  }
cleanup:
  for (hk_count c = 0; c < runs; c++) {
    if (run) table_free(&run[c]);
    if (number) hk_free(&number[c]);
  }
  table_free(&all);
  hk_free(&run);
  hk_free(&number);
  if (status != HK_OK) hk_shapes_clear(out);
  return status;
}

void hk_shapes_clear(hk_shapes *shapes)
{
  hk_pool_clear(&shapes->pool);
  *shapes = (hk_shapes){.worst = -1};
}

/* word[node]: the sum over its elements of a word for the kind of element and the place in it. */
static void add_words(const hk_mesh *mesh, const hk_shapes *shapes, const hk_index *region,
                      uint64_t *word)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
#pragma omp parallel for schedule(static)
    for (hk_count k = 0; k < block->count; k++) {
      const hk_count e = block->first + k;
      const uint64_t kind =
          hk_shapes_mix((uint64_t)shapes->of[e] << 32 | (uint32_t)(region ? region[e] : 0));
      for (int n = 0; n < block->nodes; n++) {
        const uint64_t own = hk_shapes_mix(kind + (uint64_t)n + 1);
#pragma omp atomic
        word[block->node[k * block->nodes + n]] += own;
      }
    }
  }
}

hk_status hk_shapes_count_nodes(const hk_mesh *mesh, const hk_shapes *shapes,
                                const hk_index *region, hk_index most, hk_index *count)
{
  hk_status status = HK_OK;
  uint64_t *word = NULL, *seen = NULL, last = 0;
  hk_count slots = 64;
  if (most > mesh->node_count) most = (hk_index)mesh->node_count;
  while (slots < 4 * ((hk_count)most + 1)) slots *= 2;
  *count = 0;
  HK_TRY(hk_get(&word, mesh->node_count));
  HK_TRY(hk_get(&seen, slots));
  add_words(mesh, shapes, region, word);
  for (hk_count i = 0; i < mesh->node_count && *count <= most; i++) {
    if (word[i] == last || word[i] == 0) continue; /* 0: of no element */
    last = word[i];
    hk_count s = (hk_count)(hk_shapes_mix(last) & (uint64_t)(slots - 1));
    while (seen[s] && seen[s] != last) s = (s + 1) & (slots - 1);
    *count += seen[s] == 0;
    seen[s] = last;
  }
cleanup:
  hk_free(&word);
  hk_free(&seen);
  return status;
}
