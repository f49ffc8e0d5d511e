/* A bound of the largest eigenvalue of D^-1 K from element matrices (A.17): it is the largest of D_e^-1 K_e over the elements, where D_e is the
 * diagonal of K_e. That of X = D_e^-1/2 K_e D_e^-1/2 is bounded by |X^32|_F^(1/32), computed by five squarings, each scaled so that nothing
 * overflows. The relaxation by elements takes its damping from it (A.18). */
#include "operator/elements/elements.h"
#include "operator/element/element_of.h"
#include <math.h>
#include <string.h>

enum { MOST_DOFS = 3 * HK_LISTED_NODES, SQUARINGS = 5 };

/* a := a a / |a|_F; the norm it was divided by. */
static double square(int size, double *a, double *work)
{
  double norm = 0;
  for (int i = 0; i < size * size; i++) norm += a[i] * a[i];
  norm = sqrt(norm);
  if (!(norm > 0)) return norm;
  for (int i = 0; i < size; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < size; k++) sum += a[i * size + k] * a[j * size + k];
      work[i * size + j] = work[j * size + i] = sum / (norm * norm);
    }
  memcpy(a, work, (size_t)(size * size) * sizeof *a);
  return norm;
}

/* As |a^p|_F^(1/p) is never below the largest eigenvalue, nor above size^(1/2p) times it, p = 2^SQUARINGS. */
static double largest(int size, double *a, double *work)
{
  double log_most = 0, power = 1;
  for (int s = 0; s < SQUARINGS; s++, power /= 2) {
    const double norm = square(size, a, work);
    if (!(norm > 0)) return 0;
    log_most += power * log(norm);
  }
  double norm = 0;
  for (int i = 0; i < size * size; i++) norm += a[i] * a[i];
  return norm > 0 ? exp(log_most + power * log(sqrt(norm))) : 0;
}

static hk_status bound_element(const hk_operator_desc *desc, hk_count e, double *work, double *most)
{
  const int size = hk_mesh_block_of(desc->space->mesh, e)->nodes * desc->space->components;
  double *k = work, root[MOST_DOFS];
  HK_PASS(hk_operator_element(desc, e, k));
  for (int i = 0; i < size; i++) root[i] = k[i * (size + 1)] > 0 ? 1 / sqrt(k[i * (size + 1)]) : 0;
  for (int i = 0; i < size * size; i++) k[i] *= root[i / size] * root[i % size];
  *most = hk_larger(*most, largest(size, k, work + MOST_DOFS * MOST_DOFS));
  return HK_OK;
}

hk_status hk_elements_bound(const hk_operator_desc *desc, double *most)
{
  hk_failure failure = {0};
  double all = 0;
#pragma omp parallel reduction(max : all)
  {
    hk_status own = HK_OK;
    double *work = NULL, mine = 0;
    own = hk_get(&work, 2 * MOST_DOFS * MOST_DOFS);
#pragma omp for schedule(static)
    for (hk_count e = 0; e < desc->space->mesh->element_count; e++)
      if (own == HK_OK) own = bound_element(desc, e, work, &mine);
    hk_free(&work);
    hk_failure_keep(&failure, own);
    all = mine;
  }
  *most = all;
  return hk_failure_tell(&failure);
}
