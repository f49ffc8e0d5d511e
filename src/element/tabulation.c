/* Shape functions and their gradients at the quadrature points of each listed shape, for the full,
 * the reduced and the mass rule.
 * The tables are filled once, when the first of them is needed, and are shared by all threads.
 * Families of order p have tables of their own. */
#include <assert.h>
#include <pthread.h>
#include "element/element.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hk_tabulation table[HK_SHAPE_COUNT][HK_INTEGRATION_MASS + 1];

static void fill(void)
{
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int i = 0; i <= HK_INTEGRATION_MASS; i++) {
      const hk_element *e = hk_element_of((hk_shape)s);
      const hk_rule *rule = hk_element_rule(e, (hk_integration)i);
      for (int q = 0; q < rule->points; q++)
        hk_element_functions(e, rule->point[q], table[s][i].n + q * e->nodes,
                             table[s][i].dn + q * e->nodes * e->dim);
    }
}

const hk_tabulation *hk_element_tabulation(const hk_element *element, hk_integration integration)
{
  if (!hk_shape_listed(element->shape)) return NULL;
  assert(integration <= HK_INTEGRATION_MASS); /* HK_INTEGRATION_NODES is of families */
  pthread_once(&once, fill);
  return &table[element->shape][integration];
}

const double *hk_element_n(const hk_element *element, hk_integration integration, int q,
                           hk_values *own)
{
  const hk_tabulation *t = hk_element_tabulation(element, integration);
  if (t) return t->n + q * element->nodes;
  hk_element_functions(element, hk_element_rule(element, integration)->point[q], own->n, NULL);
  return own->n;
}

const double *hk_element_dn(const hk_element *element, hk_integration integration, int q,
                            hk_values *own)
{
  const hk_tabulation *t = hk_element_tabulation(element, integration);
  if (t) return t->dn + q * element->nodes * element->dim;
  hk_element_functions(element, hk_element_rule(element, integration)->point[q], NULL, own->dn);
  return own->dn;
}
