/* The key `axes` of a case (docs/reference/case.md): local axes by name. `straight` has x and, in 3D, a direction y in the plane of local x
 * and y; z is their cross product and y follows from z and x. `cylinder` has a point of its axis and, in 3D, its direction; its rows are
 * radial, tangential and axial, at each place. In 2D local z is z, but of straight axes of plane: three-components. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double c[3])
{
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double normalise(double a[3])
{
  const double length = hypot(hypot(a[0], a[1]), a[2]);
  for (int i = 0; i < 3; i++) a[i] /= length;
  return length;
}

bool hk_case_unit(hk_case *c, const hk_node *list, int dim, double vector[3])
{
  memset(vector, 0, 3 * sizeof *vector);
  const int d = hk_case_numbers(list, 3, vector);
  if (d < 0) return false;
  if (d != dim) {
    hk_case_error(c, list, "%s has %d components: %d are needed", list->key, d, dim);
    return false;
  }
  const double length = normalise(vector);
  if (length > 0 && isfinite(length)) return true;
  hk_case_error(c, list, "%s has no length", list->key);
  return false;
}

/* Any unit vector across z. */
static void across(const double z[3], double x[3])
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(z[i]) < fabs(z[least])) least = i;
  for (int i = 0; i < 3; i++) x[i] = (i == least) - z[least] * z[i];
  normalise(x);
}

static bool needed(hk_case *c, const hk_node *map, const char *key, bool plane)
{
  const hk_node *node = hk_node_find(map, key);
  if (!node == plane) return true;
  if (plane)
    hk_case_error(c, node,
                  "%s is for 3D and plane: three-components: this mesh is 2D, and its local z is z",
                  key);
  else
    hk_case_error(c, map, "%s lacks \"%s\", which %s needs", map->key, key,
                  hk_case_spatial(c) ? "plane: three-components" : "3D");
  return false;
}

static bool read_cylinder(hk_case *c, const hk_node *map, hk_axes *axes)
{
  const hk_node *at = hk_case_value(map, "at"), *along = hk_case_value(map, "along");
  axes->kind = HK_AXES_CYLINDRICAL;
  axes->row[2][2] = 1;
  if (!at || !needed(c, map, "along", c->model->mesh->dim == 2) ||
      !hk_case_vector(c, at, axes->origin) || (along && !hk_case_unit(c, along, 3, axes->row[2])))
    return false;
  across(axes->row[2], axes->row[0]);
  cross(axes->row[2], axes->row[0], axes->row[1]);
  return true;
}

static bool read_straight(hk_case *c, const hk_node *map, hk_axes *axes)
{
  const hk_node *x = hk_case_value(map, "x"), *y = hk_case_value(map, "y");
  const int dim = hk_case_spatial(c) ? 3 : c->model->mesh->dim;
  double second[3], (*row)[3] = axes->row;
  axes->kind = HK_AXES_RECTANGULAR;
  row[2][2] = 1;
  if (!x || !needed(c, map, "y", dim == 2) || !hk_case_unit(c, x, dim, row[0])) return false;
  if (y) {
    if (!hk_case_unit(c, y, 3, second)) return false;
    cross(row[0], second, row[2]);
    if (!(normalise(row[2]) > 1e-6)) {
      hk_case_error(c, y, "x and y are parallel");
      return false;
    }
  }
  cross(row[2], row[0], row[1]);
  return true;
}

/* The axes that a key defines. What they must have depends on the dimension. */
static bool read_axes(hk_case *c, const hk_node *found, hk_axes *axes)
{
  *axes = (hk_axes){.kind = HK_AXES_GLOBAL};
  if (c->any_dim) return false;
  const hk_node *cylinder = hk_case_value(found, "cylinder");
  const hk_node *straight = hk_case_value(found, "straight");
  if (found->refused || !cylinder == !straight) return false;
  return cylinder ? read_cylinder(c, cylinder, axes) : read_straight(c, straight, axes);
}

/* Something names these axes, where they are read. */
static bool is_named(const hk_node *from, const char *axes)
{
  bool named = from->key && strcmp(from->key, "axes") == 0 && from->kind == HK_NODE_SCALAR &&
               strcmp(from->text, axes) == 0;
  for (const hk_node *n = from->child; n && !named; n = n->next) named = is_named(n, axes);
  return named;
}

void hk_case_check_axes(hk_case *c)
{
  const hk_node *all = hk_case_value(c->tree.root, "axes");
  hk_axes axes;
  for (const hk_node *n = all ? all->child : NULL; n; n = n->next)
    if (!is_named(c->tree.root, n->key)) read_axes(c, n, &axes);
}

void hk_case_axes(hk_case *c, const hk_node *map, hk_axes *axes, bool *given)
{
  const hk_node *name = hk_case_value(map, "axes");
  const hk_node *all = hk_node_find(c->tree.root, "axes");
  const char *names[64];
  *given = false;
  *axes = (hk_axes){.kind = HK_AXES_GLOBAL};
  if (!name) return;
  const hk_node *found = hk_node_find(all, name->text);
  if (!found) {
    hk_case_unknown(c, name, "undefined axes", names, hk_case_keys(all, names, 64),
                    ": define them in `axes:`");
    return;
  }
  *given = read_axes(c, found, axes);
}

void hk_case_axes_at(const hk_case *c, const hk_axes *axes, hk_index node, double row[3][3])
{
  double x[3];
  hk_model_node_x(c->model, node, x);
  hk_axes_at(axes, x, row);
}
