/* Terms: what a model adds to K beside its elements, such as springs of cracks, heat exchange at faces, the fluid-solid interface. A list holds
 * one term of each kind, and the functions here ask each of them: what it adds to an element's matrix, whether it joins nodes, by how much it
 * raises the largest eigenvalue (bounds add up), which slots it needs. Terms that a form does not hold in its own matrix have launches of their
 * own beside it. */
#include "operator/operator.h"
#include <string.h>

#define FOR_TERMS(t, terms)                                                                        \
  for (const hk_operator_term *t = (terms)->term; t < (terms)->term + HK_OPERATOR_TERMS; t++)

const void *hk_terms_find(const hk_operator_terms *terms, const hk_operator_term_kind *kind,
                          hk_count *count)
{
  *count = 0;
  FOR_TERMS(t, terms)
  if (t->kind == kind) return *count = t->count, t->entry;
  return NULL;
}

static hk_index element_of(const hk_operator_term *t, hk_count i)
{
  hk_index element;
  memcpy(&element, (const char *)t->entry + (size_t)i * t->kind->bytes, sizeof element);
  return element;
}

/* The first entry of the element, or where it would stand. */
static hk_count first_of(const hk_operator_term *t, hk_count e)
{
  hk_count low = 0, high = t->count;
  while (low < high) {
    const hk_count middle = (low + high) / 2;
    if (element_of(t, middle) < e)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool touches(const hk_operator_term *t, hk_count e)
{
  const hk_count i = first_of(t, e);
  return i < t->count && element_of(t, i) == e;
}

bool hk_terms_touch(const hk_operator_terms *terms, hk_count e)
{
  FOR_TERMS(t, terms)
  if (t->count && t->kind->add && touches(t, e)) return true;
  return false;
}

void hk_terms_add(const hk_operator_terms *terms, const hk_region *region,
                  const hk_element *element, hk_count e, const double *x, const hk_warmth *warm,
                  double *k)
{
  FOR_TERMS(t, terms)
  if (t->count && t->kind->add)
    for (hk_count i = first_of(t, e); i < t->count && element_of(t, i) == e; i++)
      t->kind->add((const char *)t->entry + (size_t)i * t->kind->bytes, region, element, x, warm,
                   k);
}

bool hk_terms_join(const hk_operator_terms *terms)
{
  FOR_TERMS(t, terms)
  if (t->count && t->kind->joins) return true;
  return false;
}

hk_operator_terms hk_terms_of_elements(const hk_operator_terms *terms)
{
  hk_operator_terms out = {0};
  for (int k = 0; k < HK_OPERATOR_TERMS; k++)
    if (terms->term[k].count && terms->term[k].kind->add) out.term[k] = terms->term[k];
  return out;
}

hk_status hk_terms_bound(const hk_operator_terms *terms, const hk_mesh *mesh, const double *mass,
                         double *lambda)
{
  *lambda = 0;
  FOR_TERMS(t, terms)
  {
    double own = 0;
    if (t->count && t->kind->bound) HK_PASS(t->kind->bound(t, mesh, mass, &own));
    *lambda += own;
  }
  return HK_OK;
}

void hk_terms_hash(const hk_operator_terms *terms, uint64_t *key)
{
  FOR_TERMS(t, terms)
  if (t->kind && t->kind->hash) t->kind->hash(t, key);
}

hk_status hk_terms_slots(const hk_operator_terms *terms, const hk_space *space, hk_count *count,
                         hk_index **node)
{
  *count = 0;
  FOR_TERMS(t, terms)
  if (t->count && t->kind->slots) {
    HK_NEED(!*count, HK_INTERNAL,
            "only one kind of term can write forces to slots, and this model has two");
    HK_PASS(t->kind->slots(t, space, count, node));
  }
  return HK_OK;
}

/* Whether the term has launches beside this form. */
static bool is_launched(const hk_operator *op, const hk_operator_term *t)
{
  return t->count && t->kind->create && !(t->kind->pairs && op->kind->pairs);
}

hk_status hk_terms_create(hk_operator *op)
{
  for (int k = 0; k < HK_OPERATOR_TERMS; k++) {
    const hk_operator_term *t = &op->desc.terms.term[k];
    if (is_launched(op, t)) HK_PASS(t->kind->create(op, t, &op->term_data[k]));
  }
  return HK_OK;
}

void hk_terms_destroy(hk_operator *op)
{
  for (int k = 0; k < HK_OPERATOR_TERMS; k++) {
    if (op->term_data[k]) op->desc.terms.term[k].kind->destroy(op->term_data[k]);
    hk_memory_free(&op->term_data[k]);
  }
}

hk_status hk_terms_bind(hk_operator *op, hk_form form, int damped, int shots)
{
  for (int k = 0; k < HK_OPERATOR_TERMS; k++)
    if (op->term_data[k])
      HK_PASS(op->desc.terms.term[k].kind->bind(op, op->term_data[k], form, damped, shots));
  return HK_OK;
}

hk_status hk_terms_launch(const hk_operator *op, hk_phase phase, const hk_epilogue *epilogue,
                          int shot)
{
  for (int k = 0; k < HK_OPERATOR_TERMS; k++)
    if (op->term_data[k])
      HK_PASS(op->desc.terms.term[k].kind->launch(op, op->term_data[k], phase, epilogue, shot));
  return HK_OK;
}
