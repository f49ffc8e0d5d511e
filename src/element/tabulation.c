/* Shape functions and their gradients at the quadrature points of each listed shape, for the full,
 * the reduced and the mass rule, and of families of order 1 and 2, whose three rules are one.
 * The tables are filled once, when the first of them is needed, and are shared by all threads.
 * Families of higher orders are evaluated at each point that is asked for. */
#include <assert.h>
#include <pthread.h>
#include "element/element.h"

enum { FAMILIES = 4, ORDERS = 2, OF_FAMILY = HK_QUAD_P - HK_TRI_P };

static pthread_once_t once = PTHREAD_ONCE_INIT, families_once = PTHREAD_ONCE_INIT;
static hk_tabulation table[HK_SHAPE_COUNT][HK_INTEGRATION_MASS + 1], family[FAMILIES][ORDERS];

static void fill_one(const hk_element *e, const hk_rule *rule, hk_tabulation *t)
{
  assert(e->nodes <= HK_LISTED_NODES && rule->points <= HK_LISTED_POINTS);
  for (int q = 0; q < rule->points; q++)
    hk_element_functions(e, rule->point[q], t->n + q * e->nodes, t->dn + q * e->nodes * e->dim);
}

static void fill(void)
{
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int i = 0; i <= HK_INTEGRATION_MASS; i++) {
      const hk_element *e = hk_element_of((hk_shape)s);
      fill_one(e, hk_element_rule(e, (hk_integration)i), &table[s][i]);
    }
}

static void fill_families(void)
{
  for (int f = 0; f < FAMILIES; f++)
    for (int p = 1; p <= ORDERS; p++) {
      const hk_element *e = hk_element_of((hk_shape)(HK_TRI_P + f * OF_FAMILY + p));
      fill_one(e, &e->full, &family[f][p - 1]);
    }
}

const hk_tabulation *hk_element_tabulation(const hk_element *element, hk_integration integration)
{
  if (!hk_shape_listed(element->shape)) {
    if (element->order > ORDERS || element->shape > HK_AXIS_P || integration > HK_INTEGRATION_MASS)
      return NULL;
    pthread_once(&families_once, fill_families);
    return &family[(element->shape - HK_TRI_P) / OF_FAMILY][element->order - 1];
  }
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
