/* Whether a model's materials can take the place of those that a matrix was assembled from: the mesh is the same number by number, sections
 * join the same elements, and each element is integrated in the same way. */
#include "element/element.h"
#include "operator/element/element_matrix.h"
#include "operator/element/element_of.h"
#include "run/system/sparse.h"
#include <string.h>

static bool same_mesh(const hk_mesh *a, const hk_mesh *b)
{
  bool same = a->dim == b->dim && a->node_count == b->node_count &&
              a->element_count == b->element_count && a->block_count == b->block_count &&
              !memcmp(a->x, b->x, (size_t)(a->node_count * a->dim) * sizeof *a->x);
  for (int k = 0; same && k < a->block_count; k++) {
    const hk_block *p = &a->block[k], *q = &b->block[k];
    same = p->shape == q->shape && p->count == q->count &&
           !memcmp(p->node, q->node, (size_t)(p->count * p->nodes) * sizeof *p->node);
  }
  return same;
}

/* Tables by temperature of the same lengths, which the arrays of the device have room for. */
static bool same_tables(const hk_material *a, const hk_material *b)
{
  bool same = true;
  for (int k = 0; k < HK_TABLES; k++)
    same = same && (a->at[k] ? a->at[k]->rows : 0) == (b->at[k] ? b->at[k]->rows : 0);
  return same;
}

/* The first element that is integrated in another way by the regions of `laws`; -1: none. */
static hk_count find_other(const hk_sparse_matrix *m, const hk_model *laws)
{
  const hk_operator_desc *on = &m->k->desc.on;
  const hk_mesh *mesh = on->space->mesh;
  const bool heat = !hk_space_solid(on->space);
  hk_operator_desc other = *on;
  other.region = laws->region, other.element_region = laws->element_region;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_region *a = &on->region[on->element_region[e]],
                    *b = &laws->region[laws->element_region[e]];
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const bool rule =
        heat ? hk_conduction_integration(element, a) == hk_conduction_integration(element, b)
             : a->integration == b->integration;
    if (!rule || hk_operator_plain(on, e) != hk_operator_plain(&other, e) ||
        hk_material_reacts(&a->material) != hk_material_reacts(&b->material) ||
        a->material.advection.flows != b->material.advection.flows ||
        !same_tables(&a->material, &b->material) || a->material.fluid != b->material.fluid ||
        a->plane != b->plane)
      return e;
  }
  return -1;
}

hk_status hk_sparse_check_laws(const hk_sparse_matrix *m, const hk_model *laws)
{
  const hk_model *own = m->system->session.model;
  const hk_mesh *mesh = own->mesh;
  HK_NEED(same_mesh(mesh, laws->mesh), HK_BAD_INPUT,
          "%s: has another mesh than %s: a refill takes other materials of the same mesh",
          laws->path, own->path);
  HK_NEED(laws->step_count &&
              (laws->step[0].kind == HK_STEP_HEAT) == (own->step[0].kind == HK_STEP_HEAT),
          HK_BAD_INPUT, "%s: one of this model and %s conducts heat, the other deforms", laws->path,
          own->path);
  HK_NEED(own->step[0].kind != HK_STEP_COUPLED && laws->step[0].kind != HK_STEP_COUPLED,
          HK_BAD_INPUT, "%s: a matrix of coupled equations is not refilled: make a new one",
          laws->path);
  HK_NEED(own->region_count == laws->region_count &&
              !memcmp(own->element_region, laws->element_region,
                      (size_t)mesh->element_count * sizeof *own->element_region),
          HK_BAD_INPUT, "%s: its sections join other elements than those of %s", laws->path,
          own->path);
  const hk_count other = find_other(m, laws);
  HK_NEED(other < 0, HK_BAD_INPUT,
          "%s: the material of element %lld needs another integration than that of %s: make a new "
          "matrix",
          laws->path, (long long)hk_mesh_element_label(mesh, other), own->path);
  return HK_OK;
}
