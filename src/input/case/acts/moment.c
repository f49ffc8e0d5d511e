/* Sources of seismology at a point: a moment tensor by its components, an explosion, a double couple. x is east, y is north and z is up
 * where a fault is told by strike, dip and rake (Aki and Richards 2002, 4.91), or a tensor by r (up), t (south) and p (east). */
#include "input/case/case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { X, Y, Z };

typedef struct component {
  const char *key;
  int row, column;
  double sign;
} component;

static const component here[] = {{"xx", X, X, 1}, {"yy", Y, Y, 1}, {"zz", Z, Z, 1},
                                 {"xy", X, Y, 1}, {"xz", X, Z, 1}, {"yz", Y, Z, 1}},
                       globe[] = {{"rr", Z, Z, 1},  {"tt", Y, Y, 1}, {"pp", X, X, 1},
                                  {"rt", Y, Z, -1}, {"rp", X, Z, 1}, {"tp", X, Y, -1}};
enum { COMPONENTS = sizeof here / sizeof *here };

/* Whether a tensor has parts that move nothing. */
static bool is_flat(const hk_case *c)
{
  return c->model->mesh->dim == 2 && !c->any_dim && !hk_case_spatial(c);
}

/* Whether the model has that component: a plane those in it or, where it moves across itself, those across; a body of revolution also the one around its axis, zz. */
static bool has_component(const hk_case *c, const component *k, bool catalogue)
{
  const int across = (k->row == Z) + (k->column == Z);
  if (!is_flat(c)) return true;
  if (hk_case_ring(c)) return !catalogue && across != 1;
  return across == hk_case_antiplane(c);
}

/* Those of one system that are given; false, with an error, where a plane lacks their axis. */
static bool take_components(hk_case *c, const hk_node *map, const component *of, double m[3][3],
                            int *given)
{
  bool good = true;
  for (int k = 0; k < COMPONENTS; k++) {
    const hk_node *node = hk_node_find(map, of[k].key);
    if (!node) continue;
    ++*given;
    if (!has_component(c, &of[k], of == globe)) {
      hk_case_error(c, node,
                    hk_case_antiplane(c) ? "moment: %s moves nothing across the plane: give xz, yz"
                    : hk_case_ring(c) ? "moment: %s is not axisymmetric: give xx (r), yy (z), zz "
                                        "(around the axis) or xy"
                                      : "moment: %s is for 3D: this mesh is 2D",
                    of[k].key);
      good = false;
    }
    m[of[k].row][of[k].column] = m[of[k].column][of[k].row] = of[k].sign * node->number;
    good = good && !node->refused;
  }
  return good;
}

static bool take_tensor(hk_case *c, const hk_node *map, double m[3][3])
{
  int own = 0, others = 0;
  const bool good = take_components(c, map, here, m, &own);
  if (!take_components(c, map, globe, m, &others) || !good) return false;
  if (own && others)
    hk_case_error(c, map, "moment has components along x, y, z and along r, t, p: give one kind");
  else if (!own && !others)
    hk_case_error(c, map, "moment is empty: give xx, yy, xy and so on");
  return !own != !others;
}

double hk_case_moment_of_magnitude(double magnitude, const double si[4])
{
  return pow(10, 1.5 * magnitude + 9.1) * si[HK_TIME] * si[HK_TIME] /
         (si[HK_MASS] * si[HK_LENGTH] * si[HK_LENGTH]);
}

void hk_case_put_component(const char *key, double value, double m[3][3])
{
  for (int k = 0; k < 2 * COMPONENTS; k++) {
    const component *of = k < COMPONENTS ? &here[k] : &globe[k - COMPONENTS];
    if (strcmp(of->key, key) == 0)
      m[of->row][of->column] = m[of->column][of->row] = of->sign * value;
  }
}

static bool take_size(hk_case *c, const hk_node *map, double *size)
{
  const hk_node *moment = hk_case_value(map, "moment"),
                *magnitude = hk_case_value(map, "magnitude");
  if (!hk_case_either(c, map, "moment", "magnitude")) return false;
  if (moment) *size = moment->number;
  if (!magnitude) return moment != NULL;
  *size = hk_case_moment_of_magnitude(magnitude->number, c->model->units.si);
  if (!c->plain) return true;
  hk_case_error(c, magnitude,
                "magnitude is of newton metres, and this file has no units: give moment");
  return false;
}

void hk_case_couple(const double angle[3], double size, double m[3][3])
{
  const double degree = 3.141592653589793 / 180, strike = degree * angle[0],
               dip = degree * angle[1], rake = degree * angle[2];
  const double along = sin(dip) * cos(rake), up = sin(2 * dip) * sin(rake);
  m[Y][Y] = -size * (along * sin(2 * strike) + up * sin(strike) * sin(strike));
  m[X][X] = size * (along * sin(2 * strike) - up * cos(strike) * cos(strike));
  m[Z][Z] = size * up;
  m[X][Y] = size * (along * cos(2 * strike) + up * sin(2 * strike) / 2);
  m[Y][Z] = size * (cos(dip) * cos(rake) * cos(strike) + cos(2 * dip) * sin(rake) * sin(strike));
  m[X][Z] = size * (cos(dip) * cos(rake) * sin(strike) - cos(2 * dip) * sin(rake) * cos(strike));
  m[Y][X] = m[X][Y], m[Z][Y] = m[Y][Z], m[Z][X] = m[X][Z];
}

static bool take_couple(hk_case *c, const hk_node *map, double m[3][3])
{
  const double angle[3] = {hk_case_number(map, "strike", 0), hk_case_number(map, "dip", 0),
                           hk_case_number(map, "rake", 0)};
  double size;
  if (is_flat(c)) {
    hk_case_error(c, map,
                  hk_case_ring(c)
                      ? "double_couple is not axisymmetric: give moment: {xx, yy, zz, xy}"
                      : "double_couple is for 3D and plane: three-components: in 2D give moment: "
                        "{xx, yy, xy}");
    return false;
  }
  if (!take_size(c, map, &size)) return false;
  hk_case_couple(angle, size, m);
  return true;
}

static bool take(hk_case *c, const hk_node *what, double m[3][3])
{
  if (what->refused || what->kind == HK_NODE_NONE) return false;
  if (strcmp(what->key, "moment") == 0) return take_tensor(c, what, m);
  if (strcmp(what->key, "double_couple") == 0) return take_couple(c, what, m);
  for (int d = 0; d < 3; d++) m[d][d] = what->number; /* zz in 2D: around an axis alone */
  return true;
}

const hk_node *hk_case_moment_of(const hk_node *map)
{
  static const char *const key[] = {"moment", "explosion", "double_couple"};
  const hk_node *found = NULL;
  for (int i = 0; i < 3 && !found; i++) found = hk_node_find(map, key[i]);
  return found;
}

hk_status hk_case_add_moment(hk_case *c, const hk_node *map, int signal, const hk_case_where *w)
{
  const hk_node *what = hk_case_moment_of(map);
  double m[3][3] = {{0}}, *kept;
  hk_load *l;
  char words[64];
  snprintf(words, sizeof words, "%s does not take ", what->key);
  hk_case_refuse(c, map, HK_WORDS("direction", "axes"), words, ": remove it");
  if (!w->point) {
    hk_case_error(c, what, "%s acts at a point: give at, not set", what->key);
    return HK_OK;
  }
  if (!take(c, what, m)) return HK_OK;
  HK_PASS(hk_step_add_load(c->model, c->step, HK_LOAD_POINT, signal, hk_case_place(c, map), &l));
  HK_PASS(hk_pool_get(&c->model->pool, &kept, 9));
  memcpy(kept, m, sizeof m);
  memcpy(l->at, w->at, sizeof l->at);
  l->moment = kept;
  return w->found ? hk_case_delay(c, map, NULL, &l->delay, &l->delays) : HK_OK;
}
