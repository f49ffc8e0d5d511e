/* `plane: antiplane` of a case: the body moves across its plane alone, u_x = u_y = 0, with u_z of x and y (SH waves; docs/theory/waves.md (W.23)). Vectors of such a
 * case have three numbers, and the first two must be 0. What acts in the plane is refused, and so is what this physics does not have. Also `plane: three-components`,
 * whose body moves in its plane and across it (W.30) and whose vectors have three numbers. */
#include "input/case/case.h"

static bool has_plane(const hk_case *c, hk_plane word)
{
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  return plane && plane->number == word;
}

bool hk_case_antiplane(const hk_case *c)
{
  return has_plane(c, HK_ANTIPLANE);
}

bool hk_case_spatial(const hk_case *c)
{
  return has_plane(c, HK_SPATIAL) && c->model->mesh->dim == 2;
}

bool hk_case_motion(hk_case *c, const hk_node *list, double *vector)
{
  const bool spatial = hk_case_spatial(c) && !c->any_dim;
  if (!hk_case_antiplane(c) && !spatial) return hk_case_vector(c, list, vector);
  const int count = hk_case_numbers(list, 3, vector);
  if (count < 0) return false;
  if (spatial && count != 3)
    hk_case_error(c, list, "%s has %d components: plane: three-components needs 3, x, y and z",
                  list->key ? list->key : "the vector", count);
  if (spatial) return count == 3;
  if (count == 3 && vector[0] == 0 && vector[1] == 0) return true;
  hk_case_error(c, list,
                "%s: plane: antiplane moves along z alone: give [0, 0, z], with three numbers",
                list->key ? list->key : "the vector");
  return false;
}

void hk_case_refuse_plane(hk_case *c, const hk_node *map)
{
  if (hk_case_antiplane(c))
    hk_case_refuse(c, map,
                   HK_WORDS("pressure", "explosion", "double_couple", "centrifugal", "axes"), "",
                   " acts in the plane, and plane: antiplane moves across it: remove it");
}

/* What is computed in another way, or not at all. */
static const char *reason_of_spatial(const hk_material *m)
{
  if (m->fluid) return "is a fluid, which plane: three-components does not compute";
  return m->law ? "has attenuation, which plane: three-components does not support" : NULL;
}

static const char *reason(const hk_material *m)
{
  const double c44 = m->c[3][3], c55 = m->c[4][4], same = 1e-12 * (c44 + c55);
  if (m->fluid) return "is a fluid, which plane: antiplane does not move";
  if (m->law && !m->isotropic)
    return "has attenuation and is not isotropic, which plane: antiplane does not support: give "
           "density, p_speed and s_speed";
  const double apart = c44 - c55, across = m->c[3][4];
  if (!(apart <= same && -apart <= same && across <= same && -across <= same))
    return "has c44, c55, c45 by which waves of plane: antiplane depend on direction, which hooke "
           "does not support: give c44 = c55 and c45 = 0, or plane: three-components";
  return NULL;
}

void hk_case_check_antiplane(hk_case *c, const hk_node *map, const hk_material *m)
{
  const char *words = hk_case_antiplane(c) ? reason(m)
                      : hk_case_spatial(c) ? reason_of_spatial(m)
                                           : NULL;
  if (words) hk_case_error(c, map, "material %s %s", m->name ? m->name : map->key, words);
}

void hk_case_check_procedure(hk_case *c)
{
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  const bool still = c->still || c->heat || hk_case_coupled(c), springs = c->model->spring.count;
  if (hk_case_spatial(c) && still)
    hk_case_error(c, plane,
                  "plane: three-components is of explicit steps: give solve: {explicit: ...}, or "
                  "physics: coupled with three equations");
  if (hk_case_spatial(c) && springs)
    hk_case_error(c, plane,
                  "plane: three-components does not support springs of cracks: give the crack no "
                  "springs");
  if (!hk_case_antiplane(c) || c->any_dim) return;
  if (still)
    hk_case_error(c, plane,
                  "plane: antiplane is of explicit steps: give solve: {explicit: ...}; its static "
                  "equation is that of physics: heat, with the shear modulus as conductivity");
  if (springs)
    hk_case_error(c, plane,
                  "plane: antiplane does not support springs of cracks: give the crack no springs");
}
