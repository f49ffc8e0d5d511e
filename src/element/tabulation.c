/* Shape functions and their gradients at the quadrature points of each listed shape, for the full,
 * the reduced and the mass rule.
 * The tables are filled once, when the first of them is needed, and are shared by all threads.
 * Families of order p have tables of their own. */
#include <pthread.h>
#include "element/element.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_tabulation table[HK_SHAPE_COUNT][3]; /* full, reduced, mass */

static void fill(const hk_element *element, const hk_rule *rule, hk_tabulation *out)
{
  for (int q = 0; q < rule->points; q++) {
    element->shape_functions(rule->point[q], out->n + q * element->nodes);
    element->gradients(rule->point[q], out->dn + q * element->nodes * element->dim);
  }
}

static void fill_all(void)
{
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = hk_element_of((hk_shape)s);
    fill(element, &element->full, &table[s][0]);
    fill(element, &element->reduced, &table[s][1]);
    fill(element, &element->mass, &table[s][2]);
  }
}

const hk_tabulation *hk_element_tabulation(const hk_element *element, hk_integration integration)
{
  if (!hk_shape_listed(element->shape)) return NULL;
  pthread_once(&once, fill_all);
  switch (integration) {
  case HK_INTEGRATION_REDUCED: return &table[element->shape][1];
  case HK_INTEGRATION_MASS: return &table[element->shape][2];
  default: return &table[element->shape][0];
  }
}

const double *hk_element_n(const hk_element *element, hk_integration integration, int q,
                           hk_values *own)
{
  const hk_tabulation *t = hk_element_tabulation(element, integration);
  if (t) return t->n + q * element->nodes;
  element->shape_functions(hk_element_rule(element, integration)->point[q], own->n);
  return own->n;
}

const double *hk_element_dn(const hk_element *element, hk_integration integration, int q,
                            hk_values *own)
{
  const hk_tabulation *t = hk_element_tabulation(element, integration);
  if (t) return t->dn + q * element->nodes * element->dim;
  element->gradients(hk_element_rule(element, integration)->point[q], own->dn);
  return own->dn;
}
