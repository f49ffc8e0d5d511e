/* The laws of physics/list.k.h as a table. Laws of vectors (stress), of scalars (heat, fluids) and of three components in the plane are numbered apart, each in the order of the
 * list; these numbers select the kernels of a region. A region gets the first law that serves it, or only the law that its material names. The
 * counts of parameters and states are those of their names. */
#include "physics/law.h"
#include "physics/viscoelastic/fit.h"
#include <string.h>

#define EACH_LAW(name, components) &hk_law_##name,
static const hk_law *const laws[] = {
#include "physics/list.k.h"
};
#undef EACH_LAW
enum { LAWS = sizeof laws / sizeof *laws };

static int count_names(const char *const *name)
{
  int count = 0;
  while (name && name[count]) count++;
  return count;
}

int hk_law_parameters(const hk_law *law, int dim)
{
  return count_names(law->parameter[dim - 2]);
}

int hk_law_states(const hk_law *law, int dim)
{
  return count_names(law->state[dim - 2]);
}

int hk_law_most_states(int dim)
{
  int most = 0;
  for (int i = 0; i < LAWS; i++)
    if (hk_law_states(laws[i], dim) > most) most = hk_law_states(laws[i], dim);
  return most;
}

static int components_of(const hk_law *law)
{
  return law->scalar ? HK_LAW_SCALAR : law->spatial ? HK_LAW_SPATIAL : HK_LAW_VECTOR;
}

int hk_law_count(int components)
{
  int count = 0;
  for (int i = 0; i < LAWS; i++) count += components_of(laws[i]) == components;
  return count;
}

const hk_law *hk_law_at(int components, int number)
{
  for (int i = 0; i < LAWS; i++)
    if (components_of(laws[i]) == components && number-- == 0) return laws[i];
  return NULL;
}

int hk_law_components(const hk_region *region, int dim)
{
  return hk_region_is_scalar(region)         ? HK_LAW_SCALAR
         : hk_region_is_spatial(region, dim) ? HK_LAW_SPATIAL
                                             : HK_LAW_VECTOR;
}

bool hk_law_serves(const hk_law *law, const hk_region *region, int dim)
{
  const char *asked = region->material.law;
  return (asked ? !strcmp(asked, law->name) : law->linear || law->covers) &&
         law->serves(region, dim);
}

const hk_law *hk_law_of(int components, const hk_region *region, int dim)
{
  for (int i = 0; i < LAWS; i++)
    if (components_of(laws[i]) == components && hk_law_serves(laws[i], region, dim)) return laws[i];
  return NULL;
}

bool hk_law_relaxes(const hk_region *region)
{
  const char *asked = region->material.law;
  return asked && !strcmp(asked, hk_law_viscoelastic.name);
}

double hk_law_delay(const hk_region *region)
{
  return hk_law_relaxes(region) ? region->material.constant[HK_DELAY_AT] : 0;
}

hk_status hk_law_check(int components, const hk_region *region, int dim, const char *who,
                       const char *instead)
{
  const hk_material *m = &region->material;
  const char *name = m->name ? m->name : "without a name";
  if (!m->law) return HK_OK;
  const hk_law *law = hk_law_of(components, region, dim);
  HK_NEED(law, HK_BAD_INPUT, "material %s: the law \"%s\" does not serve it", name, m->law);
  HK_NEED(law->linear || !who || !hk_law_relaxes(region), HK_BAD_INPUT,
          "material %s: %s needs spectral elements: give element: {order: 2 .. 10} on "
          "quadrilaterals or hexahedra",
          name, hk_law_delay(region) > 0 ? "kelvin_voigt" : "attenuation (q_s)");
  HK_NEED(law->linear || !who, HK_BAD_INPUT,
          "material %s: %s supports linear laws only, and the law \"%s\" is not linear: %s", name,
          who, m->law, instead);
  return HK_OK;
}
