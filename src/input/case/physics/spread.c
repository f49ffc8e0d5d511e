/* Materials whose density, speeds or moduli are formulas, of the place and of fields. Each element has the constants at the middle of its nodes; elements
 * of equal constants share a region. The first of these regions is the one that the case names, the others stand behind all regions of the case and
 * know the first (hk_region.spread), so that forms of K, masses, bounds and boundaries see regions with constants of their own and nothing else. */
#include "field/field.h"
#include "input/case/physics/attenuation.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include <stdio.h>

/* Constants that may be formulas, in the order in which those behind may use those before by their keys. */
static const char *const keys[] = {"p_speed", "sound_speed", "s_speed", "density", "young",
                                   "poisson", "lambda",      "mu",      "bulk"};
enum { KEYS = sizeof keys / sizeof *keys, DENSITY_KEY = 3 };
#define OWN_NAMES                                                                                  \
  "; a constant of a material may use those before it in the order p_speed, sound_speed, "         \
  "s_speed, density, young, poisson, lambda, mu, bulk"

/* Where formulas of a material are evaluated, and the values of its constants there: formulas get `x`, the first member, and the constants that
 * they name are read beside it (own_at). */
typedef struct spot {
  double x[3];
  double value[KEYS];
} spot;

typedef struct own_constant { /* a constant of the material, by its key */
  hk_spatial field;           /* first */
  int key;
} own_constant;

typedef struct constant {
  const hk_node *node;  /* NULL: the material does not have it */
  const hk_formula *by; /* NULL: a number */
  double number;
} constant;

typedef struct spreading {
  hk_case *c;
  const hk_node *map; /* of the material */
  int region, medium; /* of the case; of elastic constants, -1: a fluid */
  bool turns;         /* by straight axes, whose rows are: */
  double row[3][3];
  bool loses; /* it has quality factors: */
  hk_quality quality;
  double error; /* of the fit */
  constant constant[KEYS];
  int varies, kind[KEYS]; /* constants that are formulas, and their keys */
  hk_count count;
  hk_index *element; /* element[count] of the region */
  double *value;     /* value[count][varies] */
} spreading;

bool hk_case_names_constant(const char *name)
{
  bool any = false;
  for (int k = 0; k < KEYS; k++) any = any || !strcmp(keys[k], name);
  return any;
}

bool hk_case_spreads(const hk_node *map)
{
  bool any = false;
  for (int k = 0; k < KEYS && map && map->kind == HK_NODE_MAP; k++) {
    const hk_node *n = hk_node_find(map, keys[k]);
    any = any || (n && n->kind == HK_NODE_MAP);
  }
  return any;
}

bool hk_case_spreads_any(const hk_case *c)
{
  static const char *const part[] = {"materials", "regions"};
  bool any = false;
  for (int i = 0; i < 2; i++) {
    const hk_node *map = hk_case_value(c->tree.root, part[i]);
    for (const hk_node *n = map ? map->child : NULL; n; n = n->next)
      any = any || hk_case_spreads(n);
  }
  return any;
}

static double own_at(const hk_spatial *field, const double *x)
{
  return ((const spot *)(const void *)x)->value[((const own_constant *)field)->key];
}

/* rho of the speed of pressure waves: Gardner, Gardner and Gregory 1974, 310 v^0.25; Nafe and Drake as Brocher 2005 (equation 1) fits them, v in km/s.
 * Both in SI. */
static void write_law(const hk_case *c, const char *law, const char *speed, size_t size, char *text)
{
  const double *si = c->model->units.si, v = si[HK_LENGTH] / si[HK_TIME],
               density = pow(si[HK_LENGTH], 3) / si[HK_MASS];
  if (!strcmp(law, "gardner")) {
    snprintf(text, size, "%.17g * (%.17g * %s)^0.25", 310 * density, v, speed);
    return;
  }
  char s[64];
  snprintf(s, sizeof s, "(%.17g * %s)", v / 1000, speed);
  snprintf(
      text, size,
      "%.17g * %s * (1.6612 + %s * (-0.4721 + %s * (0.0671 + %s * (-0.0043 + %s * 0.000106))))",
      1000 * density, s, s, s, s, s);
}

/* The formula of a constant with the names of the constants before it. */
static hk_status read_formula(hk_case *c, const hk_node *map, const hk_node *node,
                              const hk_spatials *names, const hk_formula **out)
{
  const hk_node *law = hk_case_value(node, "law"), *formula = hk_case_value(node, "formula");
  const char *speed = hk_node_find(map, "p_speed") ? "p_speed" : "sound_speed";
  char text[512];
  if (law && !hk_node_find(map, speed)) {
    hk_case_error(
        c, law,
        "material %s: law: %s is of the speed of pressure waves: give p_speed or sound_speed",
        map->key, law->text);
    return HK_OK;
  }
  if (law && c->plain) {
    hk_case_error(c, law,
                  "material %s: law: %s has coefficients with units, and the case has units: none: "
                  "give a formula",
                  map->key, law->text);
    return HK_OK;
  }
  if (law) write_law(c, law->text, speed, sizeof text, text);
  if (!law && !formula) return HK_OK;
  return hk_case_forgive(
      c, node, hk_model_add_formula_with(c->model, law ? text : formula->text, false, names, out));
}

static hk_status read_constants(hk_case *c, const hk_node *map, constant of[KEYS])
{
  hk_status status = HK_OK;
  const hk_model *m = c->model;
  const hk_spatial **name = NULL;
  hk_spatials names = {0};
  static const char own[] = OWN_NAMES, beside[] = ", the names of `fields:`" OWN_NAMES;
  HK_TRY(hk_get(&name, KEYS + m->field.count));
  names.field = name;
  for (int k = 0; k < KEYS; k++) {
    const hk_node *n = hk_case_value(map, keys[k]);
    of[k].node = n;
    if (!n) continue;
    for (hk_count i = 0; i < m->field.count; i++) name[names.count + i] = m->field.at[i];
    const hk_spatials all = {names.count + m->field.count, name, m->field.count ? beside : own};
    of[k].number = n->kind == HK_NODE_SCALAR ? n->number : 0;
    if (n->kind == HK_NODE_MAP) HK_TRY(read_formula(c, map, n, &all, &of[k].by));
    own_constant *named;
    HK_TRY(hk_pool_few(&c->model->pool, &named, 1));
    *named = (own_constant){.field = {.name = keys[k], .at = own_at}, .key = k};
    name[names.count++] = &named->field;
  }
cleanup:
  hk_free(&name);
  return status;
}

/* Whether a formula is of another constant than the density. */
static bool moduli_vary(const constant of[KEYS])
{
  bool any = false;
  for (int k = 0; k < KEYS; k++) any = any || (of[k].by && k != DENSITY_KEY);
  return any;
}

hk_status hk_case_check_spread(hk_case *c, const hk_node *map, int medium, hk_material *out)
{
  constant of[KEYS] = {{0}};
  const double speeds[2] = {2, 1}, moduli[2] = {1, 0.25};
  const hk_node *density = hk_case_value(map, "density");
  if (c->heat || hk_case_coupled(c)) {
    hk_case_error(c, map,
                  "material %s: in heat conduction give conductivity and specific_heat a formula; "
                  "density, speeds and moduli are numbers there",
                  map->key);
    return HK_OK;
  }
  HK_PASS(read_constants(c, map, of));
  if (density && density->kind == HK_NODE_MAP) out->density = 1;
  if (medium < 0) return hk_material_fluid(1, out);
  if (!moduli_vary(of)) return hk_case_read_elastic(c, map, medium, out);
  return hk_case_make_medium(medium, hk_node_find(map, "p_speed") ? speeds : moduli,
                             c->model->mesh->dim, out);
}

static hk_status find_elements(spreading *s)
{
  const hk_model *m = s->c->model;
  HK_PASS(hk_get(&s->element, m->mesh->element_count));
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    if (m->element_region[e] == s->region) s->element[s->count++] = (hk_index)e;
  return HK_OK;
}

/* *at: the middle of the element i, and the constants of the material there, each after those that its formula may name. */
static void evaluate(const spreading *s, hk_count i, spot *at)
{
  hk_mesh_middle(s->c->model->mesh, s->element[i], at->x);
  for (int k = 0; k < KEYS; k++) {
    const constant *of = &s->constant[k];
    at->value[k] = of->by ? hk_formula_value(of->by, at->x) : of->number;
  }
}

static hk_status find_values(spreading *s)
{
  HK_PASS(hk_get(&s->value, s->count * s->varies));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < s->count; i++) {
    spot at;
    evaluate(s, i, &at);
    for (int v = 0; v < s->varies; v++) s->value[i * s->varies + v] = at.value[s->kind[v]];
  }
  return HK_OK;
}

/* Poisson's ratio and Lame's first constant may be below 0. */
static bool is_possible(int key, double value)
{
  const bool positive = strcmp(keys[key], "poisson") != 0 && strcmp(keys[key], "lambda") != 0;
  return isfinite(value) && (!positive || value > 0);
}

/* The box of a grid that does not reach x, as words. */
static void describe(const hk_spatial *field, int dim, size_t size, char *text)
{
  double low[3], high[3];
  int used = 0;
  *text = 0;
  if (!hk_grid_box(field, low, high)) return;
  for (int d = 0; d < dim; d++)
    if (isfinite(low[d]))
      used += snprintf(text + used, size - (size_t)used, "%s%c from %.6g to %.6g",
                       used ? ", " : " covers ", 'x' + d, low[d], high[d]);
}

static void tell_wrong(spreading *s, int v, hk_count first, hk_count count)
{
  hk_case *c = s->c;
  char place[HK_CASE_PLACE_TEXT], box[160];
  spot at;
  const constant *k = &s->constant[s->kind[v]];
  const double value = s->value[first * s->varies + v];
  evaluate(s, first, &at);
  const hk_spatial *outside = isnan(value) ? hk_formula_outside(k->by, at.x) : NULL;
  const long long label = hk_mesh_element_label(c->model->mesh, s->element[first]);
  hk_case_place_text(c, at.x, place);
  if (outside) describe(outside, c->model->mesh->dim, sizeof box, box);
  if (outside)
    hk_case_error(
        c, k->node,
        "material %s: %lld of %lld elements lie outside of the field %s, the first is "
        "element %lld with its middle at %s; %s%s: make the grid larger, or give outside: nearest",
        s->map->key, (long long)count, (long long)s->count, outside->name, label, place,
        outside->name, box);
  else
    hk_case_error(
        c, k->node,
        "material %s: %s is %g in element %lld at %s (wrong in %lld of %lld elements): must be %s",
        s->map->key, keys[s->kind[v]], value, label, place, (long long)count, (long long)s->count,
        is_possible(s->kind[v], -1) ? "a finite number" : "a finite number above 0");
}

/* Of the first constant that is wrong, as those behind may follow from it. */
static bool check_values(spreading *s)
{
  for (int v = 0; v < s->varies; v++) {
    hk_count wrong = 0, first = s->count;
    for (hk_count i = s->count - 1; i >= 0; i--)
      if (!is_possible(s->kind[v], s->value[i * s->varies + v])) wrong++, first = i;
    if (wrong) tell_wrong(s, v, first, wrong);
    if (wrong) return false;
  }
  return true;
}

/* Warns of speeds beyond those that Nafe and Drake's curve was fitted to (Brocher 2005). */
static void judge_law(const spreading *s)
{
  const double *si = s->c->model->units.si, low = 1500, high = 8500,
               unit = si[HK_LENGTH] / si[HK_TIME];
  const constant *density = &s->constant[DENSITY_KEY];
  const hk_node *law = density->by ? hk_case_value(density->node, "law") : NULL;
  const int key = s->constant[0].node ? 0 : 1; /* as read_formula */
  hk_count beyond = 0;
  if (!law || strcmp(law->text, "nafe_drake")) return;
  for (hk_count i = 0; i < s->count; i++) {
    double speed = s->constant[key].number;
    for (int v = 0; v < s->varies; v++)
      if (s->kind[v] == key) speed = s->value[i * s->varies + v];
    beyond += !(speed * unit >= low * (1 - 1e-9) && speed * unit <= high * (1 + 1e-9));
  }
  if (beyond)
    hk_messages_add(
        s->c->list, HK_WARNING, s->c->tree.path, law->line, law->column,
        "material %s: law: nafe_drake holds for speeds from 1.5 to 8.5 km/s, and %lld of "
        "%lld elements have others",
        s->map->key, (long long)beyond, (long long)s->count);
}

/* group[i]: the number of the values of element i among the different ones, in the order in which elements first have them; *groups, and
 * first[groups]: an element of each. */
static hk_status group_values(const spreading *s, hk_index *group, hk_index *first,
                              hk_index *groups)
{
  hk_status status = HK_OK;
  const size_t bytes = (size_t)s->varies * sizeof *s->value;
  hk_index *slot = NULL; /* group + 1 */
  hk_count room = 16;
  while (room < 2 * s->count) room *= 2;
  HK_TRY(hk_get(&slot, room));
  *groups = 0;
  for (hk_count i = 0; i < s->count; i++) {
    uint64_t hash = 0;
    const double *value = s->value + i * s->varies;
    for (int v = 0; v < s->varies; v++) {
      uint64_t bits;
      memcpy(&bits, &value[v], sizeof bits);
      hash = (hash ^ bits) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
    }
    hk_count at = (hk_count)(hash & (uint64_t)(room - 1));
    while (slot[at] &&
           memcmp(s->value + (hk_count)first[slot[at] - 1] * s->varies, value, bytes) != 0)
      at = (at + 1) & (room - 1);
    if (!slot[at]) first[*groups] = (hk_index)i, slot[at] = ++*groups;
    group[i] = slot[at] - 1;
  }
cleanup:
  hk_free(&slot);
  return status;
}

/* C of an isotropic medium, whose two constants stand in the order of its keys. */
static hk_status make_isotropic(const spreading *s, const double number[KEYS], hk_material *m)
{
  double value[2];
  int n = 0;
  for (int k = 0; k < KEYS; k++)
    if (k != DENSITY_KEY && s->constant[k].node && n < 2) value[n++] = number[k];
  assert(n == 2);
  return hk_case_make_medium(s->medium, value, s->c->model->mesh->dim, m);
}

/* The material of the element i. */
static hk_status make_material(const spreading *s, hk_count i, hk_case_fit *fit, hk_material *m)
{
  double number[KEYS];
  for (int k = 0; k < KEYS; k++) number[k] = s->constant[k].number;
  for (int v = 0; v < s->varies; v++) number[s->kind[v]] = s->value[i * s->varies + v];
  if (s->constant[DENSITY_KEY].node) m->density = number[DENSITY_KEY];
  if (s->medium < 0) {
    const double speed = number[1];
    HK_PASS(
        hk_material_fluid(s->constant[1].node ? m->density * speed * speed : number[KEYS - 1], m));
  } else {
    HK_PASS(moduli_vary(s->constant) ? make_isotropic(s, number, m)
                                     : hk_case_read_elastic(s->c, s->map, s->medium, m));
    HK_PASS(hk_material_validate(m));
  }
  if (s->loses) HK_PASS(hk_case_attenuate(&s->quality, s->c->model->mesh->dim, fit, m));
  if (s->turns) hk_material_rotate(m, s->row);
  return HK_OK;
}

/* Why the group, the first wrong one, is none, and of how many elements the material is wrong. */
static hk_status tell_wrong_material(const spreading *s, const hk_index *group,
                                     const hk_index *first, const bool *wrong, hk_index bad)
{
  hk_case *c = s->c;
  hk_case_fit fit = {0};
  hk_material m = c->model->region[s->region].material;
  char place[HK_CASE_PLACE_TEXT], name[128];
  double x[3];
  hk_count count = 0;
  const hk_status status = make_material(s, first[bad], &fit, &m);
  if (status != HK_BAD_INPUT) return status;
  const char *words = hk_error();
  const hk_node *node = NULL;
  for (int v = 0; v < s->varies; v++)
    if (!node || s->kind[v] != DENSITY_KEY) node = s->constant[s->kind[v]].node;
  if (!strncmp(words, "q_", 2)) node = hk_case_quality_key(s->map);
  snprintf(name, sizeof name, "material %s: ", m.name ? m.name : "");
  if (!strncmp(words, name, strlen(name))) words += strlen(name);
  for (hk_count i = 0; i < s->count; i++) count += wrong[group[i]];
  hk_mesh_middle(c->model->mesh, s->element[first[bad]], x);
  hk_case_error(
      c, node, "material %s is wrong in %lld of %lld elements, the first is element %lld at %s: %s",
      s->map->key, (long long)count, (long long)s->count,
      (long long)hk_mesh_element_label(c->model->mesh, s->element[first[bad]]),
      hk_case_place_text(c, x, place), words);
  return HK_OK;
}

/* wrong[g] = no material can be made of the group g. */
static hk_status make_regions(spreading *s, const hk_index *first, hk_index groups, hk_region *of,
                              bool *wrong)
{
  hk_status worst = HK_OK;
  const hk_region base = s->c->model->region[s->region];
#pragma omp parallel
  {
    hk_case_fit fit = {0};
#pragma omp for schedule(static)
    for (hk_index g = 0; g < groups; g++) {
      of[g] = base;
      of[g].spread = s->region + 1;
      const hk_status status = make_material(s, first[g], &fit, &of[g].material);
      wrong[g] = status == HK_BAD_INPUT;
      if (status != HK_OK && status != HK_BAD_INPUT)
#pragma omp atomic write
        worst = status;
      if (!g && s->loses && status == HK_OK) s->error = fit.relaxation.error;
    }
  }
  return worst;
}

/* One region more for each group but the first, which has the region of the case. */
static hk_status add_regions(spreading *s, const hk_index *group, const hk_index *first,
                             hk_index groups)
{
  hk_status status = HK_OK;
  hk_model *m = s->c->model;
  const hk_index before = m->region_count, own = s->region;
  bool *wrong = NULL;
  hk_region *made = NULL;
  hk_index bad = 0;
  HK_TRY(hk_get(&wrong, groups));
  HK_TRY(hk_get(&made, groups));
  HK_TRY(make_regions(s, first, groups, made, wrong));
  while (bad < groups && !wrong[bad]) bad++;
  if (bad < groups) {
    status = tell_wrong_material(s, group, first, wrong, bad);
    goto cleanup;
  }
  HK_TRY(hk_pool_resize_array(&m->pool, (hk_count)before + groups - 1, sizeof *m->region,
                              (void **)&m->region));
  m->region[own] = made[0];
  if (groups > 1) memcpy(m->region + before, made + 1, (size_t)(groups - 1) * sizeof *made);
  for (hk_count i = 0; i < s->count; i++)
    m->element_region[s->element[i]] = group[i] ? before + group[i] - 1 : own;
  m->region_count = before + groups - 1;
  if (s->loses) hk_case_judge_fit(s->c, s->map, s->error);
cleanup:
  hk_free(&wrong);
  hk_free(&made);
  return status;
}

static hk_status spread(spreading *s)
{
  hk_status status = HK_OK;
  hk_index *group = NULL, *first = NULL, groups = 0;
  HK_TRY(find_elements(s));
  if (!s->count) goto cleanup;
  HK_TRY(find_values(s));
  if (!check_values(s)) goto cleanup;
  judge_law(s);
  HK_TRY(hk_get(&group, s->count));
  HK_TRY(hk_get(&first, s->count));
  HK_TRY(group_values(s, group, first, &groups));
  HK_TRY(add_regions(s, group, first, groups));
cleanup:
  hk_free(&group);
  hk_free(&first);
  hk_free(&s->element);
  hk_free(&s->value);
  return status;
}

hk_status hk_case_spread(hk_case *c, const hk_node *map, int region)
{
  const hk_material *m = &c->model->region[region].material;
  spreading s = {.c = c, .map = map, .region = region, .medium = -1};
  static const double origin[3] = {0};
  hk_axes axes;
  HK_PASS(read_constants(c, map, s.constant));
  if (!m->fluid) s.medium = hk_case_medium_of(c, map);
  s.loses = hk_case_quality(c, map, m, &s.quality);
  hk_case_axes(c, map, &axes, &s.turns);
  s.turns = s.turns && axes.kind != HK_AXES_CYLINDRICAL; /* those turn at each element */
  if (s.turns) hk_axes_at(&axes, origin, s.row);
  for (int k = 0; k < KEYS; k++)
    if (s.constant[k].by) s.kind[s.varies++] = k;
  return spread(&s);
}
