#include "solver/cluster.h"
#include "graph/order.h"
#include "operator/element_of.h"
#include <string.h>

/* PART: nodes whose rows are made together; TABLE: a power of 2, of elements whose matrices are at hand. */
enum { FLAT = 8, SOLID = 32, PART = 256, TABLE = 8192 };

typedef struct part { /* rows of PART nodes */
  hk_index *column;
  double *value;
  hk_count count, column_room, value_room;
} part;

typedef struct clusters {
  const hk_cluster_desc *desc;
  const hk_space *space;
  hk_index *begin, *around; /* around[begin[i]..]: elements of internal node i, ascending */
  bool *held;
  hk_index *of, *first; /* of[padded]: aggregate, -1: none; first[parts + 1]: of a part */
  hk_index parts;
  hk_index *order,
      *place;       /* nodes as clusters take them, place[node] in it; NULL: as they are numbered */
  int size, stride; /* nodes of a cluster; reals of an element's matrix */
  part *row;        /* row[parts] */
  hk_block_matrix *p;
} clusters;

typedef struct worker { /* one thread's own */
  hk_index *key, *used;
  hk_count count;
  double *matrix; /* matrix[TABLE][stride] */
  hk_index *node, *column;
  double *k, *value;
  hk_count entries, entry_room[2], columns, column_room[2];
} worker;

static void worker_clear(worker *w)
{
  hk_free(&w->key);
  hk_free(&w->used);
  hk_free(&w->matrix);
  hk_free(&w->node);
  hk_free(&w->k);
  hk_free(&w->column);
  hk_free(&w->value);
}

static hk_status worker_create(const clusters *c, worker *w)
{
  hk_status status = HK_OK;
  HK_TRY(hk_get(&w->key, TABLE));
  HK_TRY(hk_get(&w->used, TABLE));
  HK_TRY(hk_get(&w->matrix, (hk_count)TABLE * c->stride));
  for (int k = 0; k < TABLE; k++) w->key[k] = -1;
cleanup:
  return status;
}

static void forget(worker *w)
{
  for (hk_count k = 0; k < w->count; k++) w->key[w->used[k]] = -1;
  w->count = 0;
}

static hk_status find_matrix(const clusters *c, worker *w, hk_index e, const double **k)
{
  hk_status status = HK_OK;
  if (w->count > TABLE / 2) forget(w);
  uint32_t at = (uint32_t)e * 2654435769u % TABLE;
  while (w->key[at] >= 0 && w->key[at] != e) at = (at + 1) % TABLE;
  double *own = w->matrix + (hk_count)at * c->stride;
  if (w->key[at] < 0) {
    HK_TRY(hk_operator_element(c->desc->on, e, own));
    w->key[at] = e;
    w->used[w->count++] = (hk_index)at;
  }
  *k = own;
cleanup:
  return status;
}

/* value of `index` in list[*count], of which sum[] goes along: a new one is 0 */
static hk_status find_entry(hk_index index, hk_index **list, double **sum, hk_count *count,
                            hk_count *room, double **place)
{
  hk_status status = HK_OK;
  for (hk_count q = 0; q < *count; q++)
    if ((*list)[q] == index) {
      *place = *sum + q;
      return HK_OK;
    }
  HK_TRY(hk_reserve(list, *count + 1, &room[0]));
  HK_TRY(hk_reserve(sum, *count + 1, &room[1]));
  (*list)[*count] = index;
  (*sum)[*count] = 0;
  *place = *sum + (*count)++;
cleanup:
  return status;
}

/* w->node, w->k: row i of K. */
static hk_status find_row(const clusters *c, worker *w, hk_index i)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = c->space->mesh;
  w->entries = 0;
  for (hk_index q = c->begin[i]; q < c->begin[i + 1]; q++) {
    const hk_index e = c->around[q], *of = hk_mesh_nodes_of(mesh, e);
    const int nodes = hk_mesh_block_of(mesh, e)->nodes;
    const double *k;
    double *to;
    int own = 0;
    HK_TRY(find_matrix(c, w, e, &k));
    while (c->space->node[of[own]] != i) own++;
    for (int n = 0; n < nodes; n++) {
      HK_TRY(find_entry(c->space->node[of[n]], &w->node, &w->k, &w->entries, w->entry_room, &to));
      *to += k[own * nodes + n];
    }
  }
cleanup:
  return status;
}

static double own_entry(const worker *w, hk_index i)
{
  for (hk_count q = 0; q < w->entries; q++)
    if (w->node[q] == i) return w->k[q];
  return 0;
}

/* w->column, w->value: row i of P. */
static hk_status prolong_row(const clusters *c, worker *w, hk_index i)
{
  hk_status status = HK_OK;
  double *to;
  if (c->of[i] < 0) return HK_OK;
  HK_TRY(find_row(c, w, i));
  const double factor = 4 / (3 * c->desc->most * own_entry(w, i));
  HK_TRY(find_entry(c->of[i], &w->column, &w->value, &w->columns, w->column_room, &to));
  *to = 1;
  for (hk_count q = 0; q < w->entries; q++) {
    if (c->of[w->node[q]] < 0) continue;
    HK_TRY(find_entry(c->of[w->node[q]], &w->column, &w->value, &w->columns, w->column_room, &to));
    *to -= factor * w->k[q];
  }
cleanup:
  return status;
}

/* The same of K P. */
static hk_status product_row(const clusters *c, worker *w, hk_index i)
{
  hk_status status = HK_OK;
  const hk_block_matrix *p = c->p;
  double *to;
  if (c->of[i] < 0) return HK_OK;
  HK_TRY(find_row(c, w, i));
  for (hk_count q = 0; q < w->entries; q++)
    for (hk_count e = p->begin[w->node[q]]; e < p->begin[w->node[q] + 1]; e++) {
      HK_TRY(find_entry(p->column[e], &w->column, &w->value, &w->columns, w->column_room, &to));
      *to += w->k[q] * p->block[e];
    }
cleanup:
  return status;
}

typedef hk_status make_row(const clusters *c, worker *w, hk_index i);

static hk_status make_part(clusters *c, worker *w, make_row *make, hk_index g, hk_count *length)
{
  hk_status status = HK_OK;
  part *own = &c->row[g];
  const hk_index first = g * PART,
                 end = first + PART < c->space->padded ? first + PART : c->space->padded;
  forget(w);
  for (hk_index i = first; i < end; i++) {
    w->columns = 0;
    HK_TRY(make(c, w, i));
    length[i] = w->columns;
    if (!w->columns) continue;
    HK_TRY(hk_reserve(&own->column, own->count + w->columns, &own->column_room));
    HK_TRY(hk_reserve(&own->value, own->count + w->columns, &own->value_room));
    memcpy(own->column + own->count, w->column, (size_t)w->columns * sizeof *w->column);
    memcpy(own->value + own->count, w->value, (size_t)w->columns * sizeof *w->value);
    own->count += w->columns;
  }
cleanup:
  return status;
}

static hk_status make_parts(clusters *c, make_row *make, hk_count *length)
{
  hk_failure failure = {0};
#pragma omp parallel
  {
    worker w = {0};
    hk_status own = worker_create(c, &w);
#pragma omp for schedule(dynamic, 4)
    for (hk_index g = 0; g < c->parts; g++)
      if (own == HK_OK) own = make_part(c, &w, make, g, length);
    worker_clear(&w);
    hk_failure_keep(&failure, own);
  }
  return hk_failure_tell(&failure);
}

static void clear_parts(clusters *c)
{
  for (hk_index g = 0; c->row && g < c->parts; g++) {
    hk_free(&c->row[g].column);
    hk_free(&c->row[g].value);
  }
  hk_free(&c->row);
}

/* All rows, of 1 x 1 blocks. */
static hk_status make_matrix(clusters *c, make_row *make, hk_block_matrix *m)
{
  hk_status status = HK_OK;
  const hk_index rows = c->space->padded;
  *m = (hk_block_matrix){.rows = rows, .columns = c->first[c->parts], .height = 1, .width = 1};
  HK_TRY(hk_get(&m->begin, rows + 1));
  HK_TRY(hk_get(&c->row, c->parts));
  HK_TRY(make_parts(c, make, m->begin + 1));
  for (hk_index i = 0; i < rows; i++) m->begin[i + 1] += m->begin[i];
  HK_TRY(hk_get(&m->column, m->begin[rows]));
  HK_TRY(hk_get(&m->block, m->begin[rows]));
#pragma omp parallel for schedule(static)
  for (hk_index g = 0; g < c->parts; g++) {
    const part *own = &c->row[g];
    const hk_count at = m->begin[g * PART];
    if (!own->count) continue;
    memcpy(m->column + at, own->column, (size_t)own->count * sizeof *own->column);
    memcpy(m->block + at, own->value, (size_t)own->count * sizeof *own->value);
  }
cleanup:
  clear_parts(c);
  return status;
}

/* Elements around nodes. */
static hk_status find_around(clusters *c)
{
  hk_status status = HK_OK;
  const hk_space *space = c->space;
  const hk_mesh *mesh = space->mesh;
  HK_TRY(hk_get(&c->begin, space->padded + 2));
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int size = block->nodes * block->nodes;
    if (size > c->stride) c->stride = size;
    for (hk_count k = 0; k < block->count * block->nodes; k++)
      c->begin[space->node[block->node[k]] + 2]++;
  }
  for (hk_index i = 0; i < space->padded; i++) c->begin[i + 2] += c->begin[i + 1];
  HK_TRY(hk_get(&c->around, c->begin[space->padded + 1]));
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count k = 0; k < block->count * block->nodes; k++)
      c->around[c->begin[space->node[block->node[k]] + 1]++] =
          (hk_index)(block->first + k / block->nodes);
  }
cleanup:
  return status;
}

static int root_of(const int *up, int k)
{
  while (up[k] != k) k = up[k];
  return k;
}

static hk_index node_at(const clusters *c, hk_index k)
{
  return c->order ? c->order[k] : k;
}

static hk_index place_of(const clusters *c, hk_index i)
{
  return c->place ? c->place[i] : i;
}

/* By bisection, where the numbering is none within a patch. */
static hk_status find_order(clusters *c)
{
  hk_status status = HK_OK;
  const hk_space *space = c->space;
  if (c->desc->ordered) return HK_OK;
  HK_TRY(hk_get(&c->order, space->padded));
  HK_TRY(hk_get(&c->place, space->padded));
  for (hk_index i = 0; i < space->padded; i++) c->order[i] = i;
  HK_TRY(hk_order_bisect(c->desc->x, space->dim, (hk_index)c->size, space->nodes, c->order));
  for (hk_index k = 0; k < space->padded; k++) c->place[c->order[k]] = k;
cleanup:
  return status;
}

/* The nodes of a cluster from `first` on, `count` of them, numbered from next on; those that elements do not link, apart. */
static hk_index divide(const clusters *c, hk_index first, int count, hk_index next)
{
  int up[SOLID];
  const hk_space *space = c->space;
  for (int k = 0; k < count; k++) up[k] = k;
  for (int k = 0; k < count; k++) {
    const hk_index i = node_at(c, first + k);
    for (hk_index q = c->begin[i]; !c->held[i] && q < c->begin[i + 1]; q++) {
      const hk_index *of = hk_mesh_nodes_of(space->mesh, c->around[q]);
      const int nodes = hk_mesh_block_of(space->mesh, c->around[q])->nodes;
      for (int n = 0; n < nodes; n++) {
        const hk_index other = place_of(c, space->node[of[n]]) - first;
        if (other < 0 || other >= count || c->held[space->node[of[n]]]) continue;
        const int a = root_of(up, k), b = root_of(up, (int)other);
        up[a > b ? a : b] = a > b ? b : a;
      }
    }
  }
  for (int k = 0; k < count; k++) {
    const int root = root_of(up, k);
    const hk_index i = node_at(c, first + k);
    const bool none = c->held[i] || c->begin[i] == c->begin[i + 1];
    c->of[i] = none ? -1 : root == k ? next++ : c->of[node_at(c, first + root)];
  }
  return next;
}

static hk_status find_clusters(clusters *c)
{
  hk_status status = HK_OK;
  const hk_index padded = c->space->padded;
  HK_TRY(hk_get(&c->of, padded));
  HK_TRY(hk_get(&c->first, c->parts + 1));
#pragma omp parallel for schedule(static)
  for (hk_index g = 0; g < c->parts; g++)
    for (hk_index i = g * PART; i < (g + 1) * PART && i < padded; i += c->size)
      c->first[g + 1] = divide(c, i, padded - i < c->size ? padded - i : c->size, c->first[g + 1]);
  for (hk_index g = 0; g < c->parts; g++) c->first[g + 1] += c->first[g];
#pragma omp parallel for schedule(static)
  for (hk_index k = 0; k < padded; k++)
    if (c->of[node_at(c, k)] >= 0) c->of[node_at(c, k)] += c->first[k / PART];
cleanup:
  return status;
}

/* Middles of the aggregates, and 1 on each. */
static hk_status find_modes(const clusters *c, hk_coarse *out)
{
  hk_status status = HK_OK;
  const int dim = c->space->dim;
  const hk_index count = c->first[c->parts];
  hk_index *members = NULL;
  HK_TRY(hk_get(&members, count));
  HK_TRY(hk_get(&out->x, (hk_count)count * dim));
  HK_TRY(hk_get(&out->near_null, count));
  for (hk_index i = 0; i < c->space->padded; i++) {
    if (c->of[i] < 0) continue;
    members[c->of[i]]++;
    for (int d = 0; d < dim; d++)
      out->x[(hk_count)c->of[i] * dim + d] += c->desc->x[(hk_count)i * dim + d];
  }
  for (hk_index g = 0; g < count; g++) {
    out->near_null[g] = 1;
    for (int d = 0; d < dim; d++) out->x[(hk_count)g * dim + d] /= members[g];
  }
cleanup:
  hk_free(&members);
  return status;
}

hk_status hk_cluster_create(const hk_cluster_desc *desc, hk_coarse *out)
{
  hk_status status = HK_OK;
  const hk_space *space = desc->on->space;
  hk_block_matrix product = {0};
  hk_coarse own = {0};
  clusters c = {.desc = desc,
                .space = space,
                .size = space->dim == 2 ? FLAT : SOLID,
                .parts = (space->padded + PART - 1) / PART,
                .p = &own.p};
  HK_TRY(hk_get(&c.held, space->padded));
  for (hk_index i = 0; i < desc->constraints->count; i++) c.held[desc->constraints->dof[i]] = true;
  HK_TRY(find_around(&c));
  HK_TRY(find_order(&c));
  HK_TRY(find_clusters(&c));
  HK_TRY(find_modes(&c, &own));
  HK_TRY(make_matrix(&c, prolong_row, &own.p));
  HK_TRY(make_matrix(&c, product_row, &product));
  HK_TRY(hk_block_transpose(&own.p, &own.r));
  HK_TRY(hk_block_multiply(&own.r, &product, &own.a));
  *out = own, own = (hk_coarse){0};
cleanup:
  hk_coarse_clear(&own);
  hk_block_matrix_clear(&product);
  hk_free(&c.held);
  hk_free(&c.begin);
  hk_free(&c.around);
  hk_free(&c.of);
  hk_free(&c.order);
  hk_free(&c.place);
  hk_free(&c.first);
  return status;
}
