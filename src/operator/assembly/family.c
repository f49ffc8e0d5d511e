/* Element matrices of the families of order p, integrated on the device by operator/integration and written to the memory from which assembly sums
 * rows (A.6), so that the host integrates none of them. The elements of a mesh come in blocks of one shape and order, as the sets of Banas et al.,
 * 4.2: each is integrated by itself. It serves if all elements of a block that no kernel of assembly integrates have the same rule, a constant law, and
 * no terms; otherwise the host computes these matrices. Rows are summed without atomics, so that colours are not needed. Coefficients are lambda and mu where all laws are isotropic
 * (I.6), else c[i][j][a][b] of (I.4). */
#include "device/cache.h"
#include "operator/assembly/parts.h"
#include "operator/element/element_matrix.h"
#include "operator/element/element_of.h"
#include "operator/integration/integral.h"
#include <string.h>

/* The elements of a block that no kernel of assembly integrates, in ascending order. */
struct hk_assembly_family {
  hk_count first, end; /* elements of the block */
  hk_count at;         /* of the first matrix in sent.given, in matrices */
  const hk_element *element;
  const hk_rule *rule;
  hk_count count;
  bool isotropic;
  int constants; /* of an element: lambda, mu or [equations][equations][4][4] */
  double *x, *c; /* [count][nodes][3], [count][constants] */
  hk_reference reference;
  hk_integral *integral;
};

static bool conducts(const hk_assembly *a)
{
  return !hk_space_solid(a->desc.on.space);
}

static bool is_coupled(const hk_assembly *a)
{
  return a->desc.on.space->unknowns == HK_UNKNOWNS_COUPLED;
}

static const hk_region *region_of(const hk_assembly *a, hk_count e)
{
  return &a->desc.on.region[a->desc.on.element_region[e]];
}

/* What is not known to operator/integration/integral.h: laws that vary, exchange, reaction. */
static bool serves(const hk_assembly *a, hk_count e, hk_assembly_family *f)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(a->desc.on.space->mesh, e)->shape);
  const hk_region *region = region_of(a, e);
  const hk_rule *rule = hk_element_rule(
      element, conducts(a) ? hk_conduction_integration(element, region) : region->integration);
  if (hk_shape_listed(element->shape) || element->dim != 3 || region->varies) return false;
  if (is_coupled(a)) {
    if (hk_coupled_varies(region->material.coupled) || hk_terms_touch(&a->desc.on.terms, e))
      return false;
  } else if (!hk_operator_translates(&a->desc.on, e))
    return false;
  if (conducts(a) && hk_material_by_temperature(&region->material)) return false;
  if (f->element && (f->element != element || f->rule != rule)) return false;
  f->element = element, f->rule = rule, f->count++;
  return true;
}

/* Whether all elements of the block that no kernel of assembly integrates are of a family, their matrices one behind the other. */
static bool find_family(const hk_assembly *a, int block, hk_assembly_family *f)
{
  for (hk_count e = f->first; a->sent.given_count[block] && e < f->end; e++)
    if (!hk_operator_plain(&a->desc.on, e) && !serves(a, e, f)) return false;
  const int size = f->element ? f->element->nodes * a->desc.on.space->components : 0;
  const hk_block *of = &a->desc.on.space->mesh->block[block];
  if (size < 1 || hk_assembly_given_size(a, of) != size * size) return false;
  f->at = a->sent.given_first[block] / ((hk_count)size * size);
  return true;
}

/* Whether each element has lambda and mu. */
static bool is_isotropic(const hk_assembly *a, const hk_assembly_family *f)
{
  double lambda, mu;
  if (conducts(a)) return false;
  for (hk_count e = f->first; e < f->end; e++)
    if (!hk_operator_plain(&a->desc.on, e) && !hk_region_lame(region_of(a, e), 3, &lambda, &mu))
      return false;
  return true;
}

static void put_coefficients(const hk_assembly *a, const hk_region *region, bool isotropic,
                             double *c)
{
  static const int voigt[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
  double law[36];
  static const double anywhere[3] = {0};
  if (is_coupled(a)) {
    hk_coupled_at(region->material.coupled, region->material.stored, anywhere, c);
  } else if (isotropic) {
    hk_region_lame(region, 3, &c[0], &c[1]);
  } else if (conducts(a)) {
    hk_region_conductivity(region, 3, law);
    for (int k = 0; k < 9; k++) c[(k / 3 + 1) * 4 + k % 3 + 1] = law[k];
  } else {
    hk_region_stiffness(region, 3, law);
    for (int k = 0; k < 81; k++) {
      const int i = k / 27, j = k / 9 % 3, d = k / 3 % 3, b = k % 3;
      c[(i * 3 + j) * 16 + (d + 1) * 4 + b + 1] = law[voigt[i][d] * 6 + voigt[j][b]];
    }
  }
}

static hk_status gather_places(const hk_assembly *a, hk_assembly_family *f)
{
  const hk_mesh *mesh = a->desc.on.space->mesh;
  const int nodes = f->element->nodes;
  double *x;
  HK_PASS(hk_get(&f->x, f->count * nodes * 3));
  x = f->x;
  for (hk_count e = f->first; e < f->end; e++) {
    if (hk_operator_plain(&a->desc.on, e)) continue;
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < nodes; n++, x += 3)
      memcpy(x, mesh->x + (hk_count)node[n] * 3, 3 * sizeof *x);
  }
  return HK_OK;
}

static void gather_coefficients(const hk_assembly *a, hk_assembly_family *f)
{
  double *c = f->c;
  for (hk_count e = f->first; e < f->end; e++) {
    if (hk_operator_plain(&a->desc.on, e)) continue;
    put_coefficients(a, region_of(a, e), f->isotropic, c);
    c += f->constants;
  }
}

void hk_assembly_family_destroy(hk_assembly_family **family)
{
  hk_assembly_family *f = *family;
  if (!f) return;
  hk_integral_destroy(&f->integral);
  hk_reference_clear(&f->reference);
  hk_free(&f->x);
  hk_free(&f->c);
  hk_free(family);
}

hk_status hk_assembly_family_create(const hk_assembly *a, int block, hk_assembly_family **out)
{
  hk_status status = HK_OK;
  const hk_block *of = &a->desc.on.space->mesh->block[block];
  const int equations = a->desc.on.space->components;
  const bool untimed = hk_device_describe(a->desc.on.device)->unoptimised;
  hk_assembly_family *f = NULL;
  HK_TRY(hk_new(&f));
  f->first = of->first, f->end = of->first + of->count;
  if (!find_family(a, block, f)) goto cleanup;
  f->isotropic = is_isotropic(a, f);
  f->constants = f->isotropic ? 2 : equations * equations * 16;
  HK_TRY(hk_get(&f->c, f->count * f->constants));
  HK_TRY(gather_places(a, f));
  gather_coefficients(a, f);
  HK_TRY(hk_reference_element(f->element, f->rule, &f->reference));
  HK_TRY(hk_integral_create(
      &(hk_integral_desc){.device = a->desc.on.device,
                          .double_precision = a->desc.on.double_precision,
                          .reference = &f->reference,
                          .elements = f->count,
                          .x = f->x,
                          .coefficients = {equations, f->isotropic, HK_SPREAD_ELEMENT, f->c},
                          .resident = true,
                          .cache = untimed ? NULL : hk_device_cache(a->desc.on.device)},
      &f->integral));
  *out = f, f = NULL;
cleanup:
  hk_assembly_family_destroy(&f);
  return status;
}

hk_status hk_assembly_family_fill(const hk_assembly *a, hk_assembly_family *f, bool *done)
{
  *done = false;
  if (f->isotropic != is_isotropic(a, f)) return HK_OK;
  gather_coefficients(a, f);
  const hk_status status = hk_integral_fill(f->integral, 0, f->count, a->sent.given, f->at);
  *done = status == HK_OK;
  return status == HK_BAD_INPUT ? HK_OK : status; /* folded: the host says which one */
}
