#include "solver/aggregate.h"
#include <math.h>
#include <string.h>

void hk_coarse_clear(hk_coarse *c)
{
  hk_block_matrix_clear(&c->p);
  hk_block_matrix_clear(&c->r);
  hk_block_matrix_clear(&c->a);
  hk_free(&c->near_null);
  hk_free(&c->x);
}

void hk_block_diagonal(const hk_block_matrix *a, double *diagonal)
{
  const int size = a->height * a->width;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      if (a->column[e] == i)
        memcpy(diagonal + (hk_count)i * size, a->block + e * size, (size_t)size * sizeof *diagonal);
}

int hk_near_null_modes(int components)
{
  return components == 1 ? 1 : components == 2 ? 3 : 6;
}

static void rigid_modes(int dim, hk_index n, const double *x, double *b)
{
  const int modes = hk_near_null_modes(dim);
  double middle[3] = {0}, extent = 0;
  for (int d = 0; d < dim; d++) {
    double least = n ? x[d] : 0, most = least;
    for (hk_index i = 0; i < n; i++) {
      const double at = x[(hk_count)i * dim + d];
      least = at < least ? at : least, most = at > most ? at : most;
    }
    middle[d] = (least + most) / 2, extent = hk_larger(extent, most - least);
  }
  const double scale = extent > 0 ? 1 / extent : 1;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < n; i++) {
    double *own = b + (hk_count)i * dim * modes, at[3];
    for (int c = 0; c < dim * modes; c++) own[c] = 0;
    for (int d = 0; d < dim; d++) {
      own[d * modes + d] = 1;
      at[d] = (x[(hk_count)i * dim + d] - middle[d]) * scale;
    }
    for (int r = 0; dim == 3 && r < 3; r++) { /* about axis r */
      own[(r + 1) % 3 * modes + 3 + r] = -at[(r + 2) % 3];
      own[(r + 2) % 3 * modes + 3 + r] = at[(r + 1) % 3];
    }
    if (dim == 2) own[2] = -at[1], own[modes + 2] = at[0];
  }
}

void hk_near_null(int components, hk_index n, const double *x, double *b)
{
  if (components > 1) rigid_modes(components, n, x, b);
  for (hk_index i = 0; components == 1 && i < n; i++) b[i] = 1;
}

static double square(const double *block, int size)
{
  double sum = 0;
  for (int q = 0; q < size; q++) sum += block[q] * block[q];
  return sum;
}

static double nearness(const hk_coarse_desc *k, hk_index i, hk_index j)
{
  double square = 0;
  for (int d = 0; d < k->dim; d++) {
    const double by = k->x[(hk_count)i * k->dim + d] - k->x[(hk_count)j * k->dim + d];
    square += by * by;
  }
  return square > 0 ? 1 / square : HUGE_VAL;
}

/* weight[e]: w_ij^2 / (w_ii w_jj) of strongly coupled nodes, else 0 */
static hk_status find_strong(const hk_coarse_desc *k, float *weight)
{
  hk_status status = HK_OK;
  const hk_block_matrix *a = k->a;
  const double least = k->strength * k->strength;
  double *sum = NULL;
  HK_TRY(hk_get(&sum, a->rows));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      if (a->column[e] != i) sum[i] += nearness(k, i, a->column[e]);
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++) {
      const hk_index j = a->column[e];
      const double w = i == j ? 0 : nearness(k, i, j), value = w / sum[i] * (w / sum[j]);
      weight[e] = i != j && !(value <= least) ? (float)(value < 1 ? value : 1) : 0;
    }
cleanup:
  hk_free(&sum);
  return status;
}

typedef struct grouping {
  const hk_block_matrix *a;
  const float *weight;
  hk_index *of; /* of[node]: its aggregate; FREE, or HELD for nodes without an unknown */
  hk_index count;
} grouping;
enum { FREE = -1, HELD = -2 };

static bool alone(const grouping *g, hk_index i)
{
  for (hk_count e = g->a->begin[i]; e < g->a->begin[i + 1]; e++)
    if (g->weight[e] > 0 && g->of[g->a->column[e]] >= 0) return false;
  return true;
}

static void found_around(grouping *g, hk_index i)
{
  g->of[i] = g->count;
  for (hk_count e = g->a->begin[i]; e < g->a->begin[i + 1]; e++)
    if (g->weight[e] > 0 && g->of[g->a->column[e]] == FREE) g->of[g->a->column[e]] = g->count;
  g->count++;
}

/* Nodes whose strong neighbours are all free found an aggregate; the others join the neighbour they are coupled with most; what is left
 * founds its own. */
static hk_status group(grouping *g)
{
  hk_status status = HK_OK;
  hk_index *joined = NULL;
  HK_TRY(hk_get(&joined, g->a->rows));
  for (hk_index i = 0; i < g->a->rows; i++)
    if (g->of[i] == FREE && alone(g, i)) found_around(g, i);
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < g->a->rows; i++) {
    float most = 0;
    joined[i] = g->of[i];
    for (hk_count e = g->a->begin[i]; g->of[i] == FREE && e < g->a->begin[i + 1]; e++)
      if (g->weight[e] > most && g->of[g->a->column[e]] >= 0)
        most = g->weight[e], joined[i] = g->of[g->a->column[e]];
  }
  for (hk_index i = 0; i < g->a->rows; i++) g->of[i] = joined[i];
  for (hk_index i = 0; i < g->a->rows; i++)
    if (g->of[i] == FREE) found_around(g, i);
cleanup:
  hk_free(&joined);
  return status;
}

static hk_status find_aggregates(const hk_block_matrix *a, const float *weight, hk_index *of,
                                 hk_index *count)
{
  hk_status status = HK_OK;
  const int size = a->height * a->width;
  grouping g = {.a = a, .weight = weight, .of = of};
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++) {
    of[i] = HELD;
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      if (a->column[e] == i && square(a->block + e * size, size) > 0) of[i] = FREE;
  }
  HK_TRY(group(&g));
  *count = g.count;
cleanup:
  return status;
}

/* q[rows][modes], the columns made orthonormal in place (Gram and Schmidt, twice), r[modes][modes]: columns that depend on those before are
 * zero in both. */
static void orthonormalise(hk_index rows, int modes, double *q, double *r)
{
  for (int k = 0; k < modes; k++) {
    double norm = 0, before = 0;
    for (hk_index i = 0; i < rows; i++) before += q[i * modes + k] * q[i * modes + k];
    for (int twice = 0; twice < 2; twice++)
      for (int j = 0; j < k; j++) {
        double dot = 0;
        for (hk_index i = 0; i < rows; i++) dot += q[i * modes + j] * q[i * modes + k];
        for (hk_index i = 0; i < rows; i++) q[i * modes + k] -= dot * q[i * modes + j];
        r[j * modes + k] += dot;
      }
    for (hk_index i = 0; i < rows; i++) norm += q[i * modes + k] * q[i * modes + k];
    const bool dependent = !(norm > 1e-16 * before) || !(norm > 0);
    r[k * modes + k] = dependent ? 0 : sqrt(norm);
    for (hk_index i = 0; i < rows; i++)
      q[i * modes + k] = dependent ? 0 : q[i * modes + k] / r[k * modes + k];
  }
}

typedef struct members { /* nodes of each aggregate */
  hk_index *begin, *node;
} members;

static hk_status list_members(const hk_index *of, hk_index nodes, hk_index count, members *m)
{
  hk_status status = HK_OK;
  HK_TRY(hk_get(&m->begin, count + 2));
  HK_TRY(hk_get(&m->node, nodes));
  for (hk_index i = 0; i < nodes; i++)
    if (of[i] >= 0) m->begin[of[i] + 2]++;
  for (hk_index g = 0; g < count; g++) m->begin[g + 2] += m->begin[g + 1];
  for (hk_index i = 0; i < nodes; i++)
    if (of[i] >= 0) m->node[m->begin[of[i] + 1]++] = i;
cleanup:
  return status;
}

/* Unknowns that are held take no part in B. */
static void gather(const hk_block_matrix *a, const double *near_null, int modes, hk_index i,
                   double *to)
{
  const int c = a->height;
  for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
    for (int k = 0; a->column[e] == i && k < c; k++)
      for (int m = 0; m < modes; m++)
        to[k * modes + m] = a->block[e * c * c + k * (c + 1)] > 0
                                ? near_null[((hk_count)i * c + k) * modes + m]
                                : 0;
}

static hk_status orthonormalise_all(const hk_block_matrix *a, const double *near_null,
                                    const members *list, hk_index count, hk_block_matrix *p,
                                    double *coarse_null)
{
  hk_failure failure = {0};
  const int modes = p->width, size = p->height * modes;
#pragma omp parallel
  {
    hk_status status = HK_OK;
    double *q = NULL;
    hk_count capacity = 0;
#pragma omp for schedule(dynamic, 16)
    for (hk_index g = 0; g < count; g++) {
      const hk_index first = list->begin[g], nodes = list->begin[g + 1] - first;
      if (status == HK_OK) status = hk_reserve(&q, (hk_count)nodes * size, &capacity);
      if (status != HK_OK) continue;
      for (hk_index k = 0; k < nodes; k++)
        gather(a, near_null, modes, list->node[first + k], q + (hk_count)k * size);
      orthonormalise(nodes * p->height, modes, q, coarse_null + (hk_count)g * modes * modes);
      for (hk_index k = 0; k < nodes; k++)
        memcpy(p->block + p->begin[list->node[first + k]] * size, q + (hk_count)k * size,
               (size_t)size * sizeof *q);
    }
    hk_free(&q);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* P0: one block in the row of each node of an aggregate. */
static hk_status find_tentative(const hk_block_matrix *a, const double *near_null, int modes,
                                const hk_index *of, hk_index count, hk_block_matrix *p,
                                double *coarse_null)
{
  hk_status status = HK_OK;
  members list = {0};
  *p = (hk_block_matrix){.rows = a->rows, .columns = count, .height = a->height, .width = modes};
  HK_TRY(hk_get(&p->begin, p->rows + 1));
  for (hk_index i = 0; i < p->rows; i++) p->begin[i + 1] = p->begin[i] + (of[i] >= 0);
  HK_TRY(hk_get(&p->column, p->begin[p->rows]));
  HK_TRY(hk_get(&p->block, p->begin[p->rows] * p->height * modes));
  for (hk_index i = 0; i < p->rows; i++)
    if (of[i] >= 0) p->column[p->begin[i]] = of[i];
  HK_TRY(list_members(of, a->rows, count, &list));
  HK_TRY(orthonormalise_all(a, near_null, &list, count, p, coarse_null));
cleanup:
  hk_free(&list.begin);
  hk_free(&list.node);
  return status;
}

/* to[c][modes] = -omega d[c][c] to */
static void scale(int c, int modes, double omega, const double *d, double *to)
{
  double old[HK_MOST_BLOCK * HK_MOST_BLOCK];
  memcpy(old, to, (size_t)(c * modes) * sizeof *to);
  for (int i = 0; i < c; i++)
    for (int m = 0; m < modes; m++) {
      double sum = 0;
      for (int k = 0; k < c; k++) sum += d[i * c + k] * old[k * modes + m];
      to[i * modes + m] = -omega * sum;
    }
}

/* p, F P0 on entry, becomes P0 - omega D^-1 F P0. */
static void smooth(const hk_block_matrix *a, const hk_block_matrix *tentative, double omega,
                   hk_block_matrix *p)
{
  const int c = a->height, modes = p->width, size = c * modes;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++) {
    double d[HK_MOST_BLOCK * HK_MOST_BLOCK] = {0};
    const hk_count own = tentative->begin[i];
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      if (a->column[e] == i) memcpy(d, a->block + e * c * c, (size_t)(c * c) * sizeof *d);
    hk_block_invert(c, d);
    for (hk_count e = p->begin[i]; e < p->begin[i + 1]; e++) {
      scale(c, modes, omega, d, p->block + e * size);
      if (own < tentative->begin[i + 1] && tentative->column[own] == p->column[e])
        for (int q = 0; q < size; q++) p->block[e * size + q] += tentative->block[own * size + q];
    }
  }
}

/* F, of A's pattern without what is weak. */
static hk_status filter(const hk_block_matrix *a, const float *weight, hk_block_matrix *f)
{
  hk_status status = HK_OK;
  const int size = a->height * a->width;
  *f = (hk_block_matrix){
      .rows = a->rows, .columns = a->columns, .height = a->height, .width = a->width};
  HK_TRY(hk_get(&f->begin, f->rows + 1));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      f->begin[i + 1] += a->column[e] == i || weight[e] > 0;
  for (hk_index i = 0; i < a->rows; i++) f->begin[i + 1] += f->begin[i];
  HK_TRY(hk_get(&f->column, f->begin[f->rows]));
  HK_TRY(hk_get(&f->block, f->begin[f->rows] * size));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++) {
    hk_count to = f->begin[i], own = to;
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      if (a->column[e] == i || weight[e] > 0) {
        if (a->column[e] == i) own = to;
        f->column[to] = a->column[e];
        memcpy(f->block + to++ * size, a->block + e * size, (size_t)size * sizeof *f->block);
      }
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      for (int q = 0; a->column[e] != i && !(weight[e] > 0) && q < size; q++)
        f->block[own * size + q] += a->block[e * size + q];
  }
cleanup:
  if (status != HK_OK) hk_block_matrix_clear(f);
  return status;
}

static void find_middles(const hk_coarse_desc *k, const hk_index *of, hk_index count, double *x,
                         hk_index *counts)
{
  for (hk_index i = 0; i < k->a->rows; i++) {
    if (of[i] < 0) continue;
    counts[of[i]]++;
    for (int d = 0; d < k->dim; d++)
      x[(hk_count)of[i] * k->dim + d] += k->x[(hk_count)i * k->dim + d];
  }
  for (hk_index g = 0; g < count; g++)
    for (int d = 0; d < k->dim; d++) x[(hk_count)g * k->dim + d] /= counts[g];
}

/* P, from P0; the matrix in between is large. */
static hk_status find_prolongation(const hk_coarse_desc *k, const float *weight, const hk_index *of,
                                   hk_index count, hk_coarse *c)
{
  hk_status status = HK_OK;
  hk_block_matrix tentative = {0}, f = {0};
  hk_index *counts = NULL;
  HK_TRY(hk_get(&c->near_null, (hk_count)count * k->modes * k->modes));
  HK_TRY(hk_get(&c->x, (hk_count)count * k->dim));
  HK_TRY(hk_get(&counts, count));
  find_middles(k, of, count, c->x, counts);
  HK_TRY(find_tentative(k->a, k->near_null, k->modes, of, count, &tentative, c->near_null));
  HK_TRY(filter(k->a, weight, &f));
  HK_TRY(hk_block_multiply(&f, &tentative, &c->p));
  smooth(k->a, &tentative, 4 / (3 * k->most), &c->p);
cleanup:
  hk_block_matrix_clear(&tentative);
  hk_block_matrix_clear(&f);
  hk_free(&counts);
  return status;
}

hk_status hk_coarse_create(const hk_coarse_desc *desc, hk_coarse *out)
{
  hk_status status = HK_OK;
  const hk_block_matrix *a = desc->a;
  hk_coarse c = {0};
  hk_block_matrix product = {0};
  float *weight = NULL;
  hk_index *of = NULL, count;
  HK_TRY(hk_get(&weight, a->begin[a->rows]));
  HK_TRY(hk_get(&of, a->rows));
  HK_TRY(find_strong(desc, weight));
  HK_TRY(find_aggregates(a, weight, of, &count));
  HK_TRY(find_prolongation(desc, weight, of, count, &c));
  HK_TRY(hk_block_multiply(a, &c.p, &product));
  HK_TRY(hk_block_transpose(&c.p, &c.r));
  HK_TRY(hk_block_multiply(&c.r, &product, &c.a));
  *out = c, c = (hk_coarse){0};
cleanup:
  hk_coarse_clear(&c);
  hk_block_matrix_clear(&product);
  hk_free(&weight);
  hk_free(&of);
  return status;
}
