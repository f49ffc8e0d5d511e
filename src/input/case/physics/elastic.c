/* Elastic media of a case: a material has the constants of one of them (table `media`) or c11 to c66, and physics/material.c makes C of those.
 * A medium needs all of its constants. */
#include "input/case/case.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool has(const hk_node *map, const char *key)
{
  return hk_node_find(map, key) != NULL;
}

static bool has_stiffness(const hk_node *map)
{
  for (const hk_node *n = map->child; n; n = n->next)
    if (n->key[0] == 'c' && n->key[1] >= '1' && n->key[1] <= '6') return true;
  return false;
}

/* Plane stress eliminates the directions across the plane: one that is coupled to others needs its own stiffness. */
static void check_across(hk_case *c, const hk_node *map, const hk_material *m)
{
  static const char *const key[] = {"c33", "c44", "c55"};
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  for (int i = 2; i < 5 && plane && plane->number == HK_PLANE_STRESS; i++)
    for (int j = 0; j < 6 && !has(map, key[i - 2]); j++)
      if (j != i && m->c[i][j] != 0) {
        hk_case_error(c, map, "material %s: plane stress needs %s beside c%d%d", map->key,
                      key[i - 2], i < j ? i + 1 : j + 1, i < j ? j + 1 : i + 1);
        break;
      }
}

/* Rings are strained around the axis too: direction 3. */
static void check_around(hk_case *c, const hk_node *map)
{
  static const char *const key[] = {"c13", "c23", "c33"};
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  for (int i = 0; i < 3 && plane && plane->number == HK_AXISYMMETRIC; i++)
    if (!has(map, key[i]))
      hk_case_error(c, map, "material %s: plane: axisymmetric needs %s (1: r, 2: z, 3: around)",
                    map->key, key[i]);
}

/* Waves across the plane go by these alone. */
static void check_shear(hk_case *c, const hk_node *map)
{
  static const char *const key[] = {"c44", "c55"};
  for (int i = 0; i < 2 && hk_case_antiplane(c); i++)
    if (!has(map, key[i]))
      hk_case_error(c, map, "material %s: plane: antiplane needs %s", map->key, key[i]);
}

/* A body that moves in space has all of them. */
static void check_all(hk_case *c, const hk_node *map)
{
  static const char *const key[] = {"c13", "c23", "c33", "c44", "c55"};
  for (int i = 0; i < 5 && hk_case_spatial(c); i++)
    if (!has(map, key[i]))
      hk_case_error(c, map, "material %s: plane: three-components needs %s", map->key, key[i]);
}

/* c11 to c66. In plane strain, and where nothing is coupled to it, the stiffness across the plane plays no part and may be
 * left out: it is then made positive. */
static void set_constants(hk_case *c, const hk_node *map, hk_material *m)
{
  m->elastic = true;
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++) {
      char key[4];
      snprintf(key, sizeof key, "c%d%d", i + 1, j + 1);
      m->c[i][j] = m->c[j][i] = hk_case_number(map, key, 0);
    }
  if (c->model->mesh->dim == 3) return;
  check_across(c, map, m);
  check_around(c, map);
  check_shear(c, map);
  check_all(c, map);
  if (!has(map, "c33")) m->c[2][2] = m->c[1][1];
  if (!has(map, "c44")) m->c[3][3] = m->c[5][5];
  if (!has(map, "c55")) m->c[4][4] = m->c[5][5];
}

static hk_status make_isotropic(const double *value, int dim, hk_material *out)
{
  (void)dim;
  return hk_material_isotropic(value[0], value[1], out);
}

static hk_status make_from_speeds(const double *value, int dim, hk_material *out)
{
  (void)dim;
  return hk_material_from_speeds(value[0], value[1], out);
}

static hk_status make_lame(const double *value, int dim, hk_material *out)
{
  (void)dim;
  return hk_material_lame(value[0], value[1], out);
}

static hk_status make_engineering(const double *value, int dim, hk_material *out)
{
  (void)dim;
  return hk_material_engineering(value, out);
}

/* The axis is the last one of the space: upwards. */
static hk_status make_thomsen(const double *value, int dim, hk_material *out)
{
  return hk_material_thomsen(value, dim - 1, out);
}

/* Elastic media: the keys of their constants, which are needed together, and what makes C of the values. */
enum { MOST_CONSTANTS = 9 };
static const struct {
  const char *words, *key[MOST_CONSTANTS + 1]; /* up to NULL */
  hk_status (*make)(const double *value, int dim, hk_material *out);
} media[] = {{"young and poisson", {"young", "poisson"}, make_isotropic},
             {"p_speed and s_speed", {"p_speed", "s_speed"}, make_from_speeds},
             {"lambda and mu", {"lambda", "mu"}, make_lame},
             {"E1 to G23",
              {"E1", "E2", "E3", "nu12", "nu13", "nu23", "G12", "G13", "G23"},
              make_engineering},
             {"vp0 to gamma", {"vp0", "vs0", "epsilon", "delta", "gamma"}, make_thomsen}};
enum { MEDIA = sizeof media / sizeof *media };

/* The first of a medium's keys that the material has, or lacks; or NULL. */
static const char *first_key(const hk_node *map, int medium, bool given)
{
  for (const char *const *key = media[medium].key; *key; key++)
    if (has(map, *key) == given) return *key;
  return NULL;
}

bool hk_case_is_elastic(const hk_node *map)
{
  for (int i = 0; i < MEDIA; i++)
    if (first_key(map, i, true)) return true;
  return has_stiffness(map);
}

int hk_case_medium_of(hk_case *c, const hk_node *map)
{
  int found = has_stiffness(map) ? MEDIA : -1, kinds = found == MEDIA, used = 0;
  char words[40 * MEDIA];
  for (int i = 0; i < MEDIA; i++) {
    const char *given = first_key(map, i, true), *missing = first_key(map, i, false);
    if (given && missing) {
      hk_case_error(c, map, "material %s: %s needs %s", map->key, given, missing);
      return -1;
    }
    if (given) found = i, kinds++;
    used += snprintf(words + used, sizeof words - (size_t)used, "%s, ", media[i].words);
  }
  if (kinds == 1) return found;
  hk_case_error(c, map, "material %s: give %s of %sor c11 to c66", map->key,
                kinds ? "only one" : "one", words);
  return -1;
}

hk_status hk_case_make_medium(int medium, const double *value, int dim, hk_material *out)
{
  assert(medium >= 0 && medium < MEDIA);
  return media[medium].make(value, dim, out);
}

hk_status hk_case_read_elastic(hk_case *c, const hk_node *map, int medium, hk_material *out)
{
  double value[MOST_CONSTANTS];
  if (medium == MEDIA) {
    set_constants(c, map, out);
    return HK_OK;
  }
  for (int i = 0; media[medium].key[i]; i++)
    value[i] = hk_case_number(map, media[medium].key[i], 0);
  return media[medium].make(value, c->model->mesh->dim, out);
}
