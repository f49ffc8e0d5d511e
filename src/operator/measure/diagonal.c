/* Diagonal blocks K_nn, one per node, without the other blocks of K: isotropic (lambda + mu) M + mu tr(M) I, M = sum w |J| g_n g_n^T, else by
 * the element's matrix; heat with what faces exchange. Parts of elements are computed in parallel, then added in the order of the elements.
 * diagonal[padded][components][components]. */
#include "operator/measure/diagonal.h"
#include "mesh/scatter.h"
#include "operator/element/element_of.h"
#include "operator/element/lumped.h"
#include "operator/element/stiffness.h"
#include <string.h>

enum { MOST_DOFS = 3 * HK_LISTED_NODES, BLOCK = HK_MOST_EQUATIONS * HK_MOST_EQUATIONS };

/* g[nodes][dim] at point q: |J| times the gradients of the shape functions; returns |J|. */
static double slopes_at(const hk_slopes *s, int q, const double *x, double *g)
{
  const int dim = s->element->dim, nodes = s->element->nodes;
  double j[3][3] = {{0}}, a[3][3], det = 0;
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < dim; c++)
      for (int d = 0; d < dim; d++) j[c][d] += x[n * dim + c] * s->dn[n * dim + d][q];
  for (int r = 0; r < dim; r++)
    for (int c = 0; c < dim; c++) {
      const int r1 = (r + 1) % dim, r2 = (r + 2) % dim, c1 = (c + 1) % dim, c2 = (c + 2) % dim;
      a[c][r] = dim == 2 ? (r == c ? j[r1][c1] : -j[c][r])
                         : j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
    }
  for (int d = 0; d < dim; d++) det += j[0][d] * a[d][0];
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < dim; c++) {
      double sum = 0;
      for (int d = 0; d < dim; d++) sum += s->dn[n * dim + d][q] * a[d][c];
      g[n * dim + c] = sum;
    }
  return det;
}

/* own[nodes][dim][dim] = K_nn of an isotropic law, M = sum_q w |J| g_n g_n^T:  (lambda + mu) M + mu tr(M) I. False when folded. */
static bool isotropic(const hk_slopes *s, const double *x, double lambda, double mu, double *own)
{
  const int dim = s->element->dim, nodes = s->element->nodes, size = dim * dim;
  double g[MOST_DOFS];
  for (int k = 0; k < nodes * size; k++) own[k] = 0;
  for (int q = 0; q < s->rule->points; q++) {
    const double det = slopes_at(s, q, x, g), weight = s->rule->weight[q] / det;
    if (!(det > 0)) return false;
    for (int n = 0; n < nodes; n++)
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++)
          own[n * size + c * dim + d] += weight * g[n * dim + c] * g[n * dim + d];
  }
  for (int n = 0; n < nodes; n++) {
    double *m = own + n * size, trace = 0;
    for (int c = 0; c < dim; c++) trace += m[c * (dim + 1)];
    for (int k = 0; k < size; k++) m[k] *= lambda + mu;
    for (int c = 0; c < dim; c++) m[c * (dim + 1)] += mu * trace;
  }
  return true;
}

static bool integrated(const hk_region *region, const hk_element *element, const double *x,
                       double *own)
{
  const int dim = hk_region_vector(region, element->dim), size = element->nodes * dim;
  double k[MOST_DOFS * MOST_DOFS];
  if (!(hk_element_integrate(region, element, x, k) > 0)) return false;
  for (int n = 0; n < element->nodes; n++)
    for (int c = 0; c < dim; c++)
      memcpy(own + (n * dim + c) * dim, k + (n * dim + c) * size + n * dim,
             (size_t)dim * sizeof *k);
  return true;
}

/* own[nodes][components][components]: of heat and coupled equations, with what faces exchange. */
static bool conducted(const hk_operator_desc *desc, hk_count e, int nodes, double *own)
{
  const int components = desc->space->components, size = nodes * components;
  double k[HK_LISTED_NODES * HK_LISTED_NODES * BLOCK];
  if (hk_operator_element(desc, e, k) != HK_OK) return false;
  for (int n = 0; n < nodes; n++)
    for (int c = 0; c < components; c++)
      memcpy(own + (n * components + c) * components,
             k + (n * components + c) * size + n * components, (size_t)components * sizeof *k);
  return true;
}

typedef struct law {
  hk_slopes slopes;
  bool isotropic;
  double lambda, mu;
} law;

/* Of the elements [from, from + count) of a block: own[count][nodes][dim][dim]; the first folded one, or count. */
static hk_count part(const hk_operator_desc *desc, const hk_block *block, const law *laws,
                     hk_count from, hk_count count, double *own)
{
  const hk_mesh *mesh = desc->space->mesh;
  const hk_element *element = hk_element_of(block->shape);
  const int components = desc->space->components;
  const hk_count each = (hk_count)element->nodes * components * components;
  hk_count folded = count;
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_count i = 0; i < count; i++) {
    const hk_index r = desc->element_region[block->first + from + i];
    double x[MOST_DOFS];
    hk_element_gather(mesh, block, from + i, x);
    const bool good =
        !hk_space_solid(desc->space)
            ? conducted(desc, block->first + from + i, element->nodes, own + i * each)
        : laws[r].isotropic
            ? isotropic(&laws[r].slopes, x, laws[r].lambda, laws[r].mu, own + i * each)
            : integrated(desc->region + r, element, x, own + i * each);
    if (!good && i < folded) folded = i;
  }
  return folded;
}

/* Adds them in the order of the elements. */
static void add(const hk_space *space, const hk_index *node, hk_count places, const double *own,
                hk_scatter *by, double *diagonal)
{
  const int size = space->components * space->components;
  hk_scatter_sort(by, places, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = by->begin[o]; k < by->begin[o + 1]; k++) {
      double *to = diagonal + (hk_count)space->node[node[by->place[k]]] * size;
      for (int q = 0; q < size; q++) to[q] += own[(hk_count)by->place[k] * size + q];
    }
}

static void find_laws(const hk_operator_desc *desc, const hk_element *element, int regions,
                      law *laws)
{
  for (int r = 0; r < regions; r++) {
    const hk_region *region = &desc->region[r];
    laws[r].isotropic = hk_space_solid(desc->space) && hk_element_plain(region, element) &&
                        hk_region_lame(region, element->dim, &laws[r].lambda, &laws[r].mu);
    if (element->dim == 2) laws[r].lambda *= region->thickness, laws[r].mu *= region->thickness;
    hk_slopes_find(element, region->integration, &laws[r].slopes);
  }
}

/* Elements that are computed at a time: of `count` that are left. */
static hk_count part_of(hk_count count)
{
  const hk_count most = hk_memory_room(HK_ELEMENT_PART);
  return count < most ? count : most;
}

/* Nodes of the elements of a part. */
static hk_count most_places(const hk_mesh *mesh)
{
  hk_count most = 1;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_count own = part_of(mesh->block[b].count) * mesh->block[b].nodes;
    if (own > most) most = own;
  }
  return most;
}

static hk_status find_block(const hk_operator_desc *desc, const hk_block *block, const law *laws,
                            double *own, hk_scatter *by, double *diagonal)
{
  for (hk_count from = 0, count; from < block->count; from += count) {
    count = part_of(block->count - from);
    const hk_count folded = part(desc, block, laws, from, count, own);
    if (folded < count) HK_PASS(hk_element_folded(desc->space->mesh, block->first + from + folded));
    add(desc->space, block->node + from * block->nodes, count * block->nodes, own, by, diagonal);
  }
  return HK_OK;
}

hk_status hk_diagonal_find(const hk_operator_desc *desc, double *diagonal)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = desc->space->mesh;
  law *laws = NULL;
  double *own = NULL;
  hk_scatter *by = NULL;
  const int regions = hk_element_regions(mesh, desc->element_region);
  HK_TRY(hk_get(&laws, regions));
  const int components = desc->space->components;
  const hk_count places = most_places(mesh);
  HK_TRY(hk_get(&own, places * components * components));
  HK_TRY(hk_scatter_create(places, &by));
  memset(diagonal, 0,
         (size_t)desc->space->padded * (size_t)(components * components) * sizeof *diagonal);
  for (int b = 0; b < mesh->block_count; b++) {
    find_laws(desc, hk_element_of(mesh->block[b].shape), regions, laws);
    HK_TRY(find_block(desc, &mesh->block[b], laws, own, by, diagonal));
  }
cleanup:
  hk_scatter_destroy(&by);
  hk_free(&laws);
  hk_free(&own);
  return status;
}
