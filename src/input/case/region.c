/* The keys `materials`, `regions`, `plane`, `thickness` and element: {integration: ...} of a case. A material has the elastic
 * constants of one medium (physics/elastic.c), a fluid's constants, conductivities; physics/material.c turns them into laws. Each element belongs to one region;
 * `all` takes what no other region names. Constants in straight axes are turned into the global ones here, those in cylindrical axes at each
 * element. */
#include "element/element.h"
#include "input/case/case.h"
#include "model/model.h"
#include <stdio.h>
#include <string.h>

enum { MOST_REGIONS = 32767, MOST_NAMES = 256 };

static bool has(const hk_node *map, const char *key)
{
  return hk_node_find(map, key) != NULL;
}

/* conductivity: one number, a formula, a table or a list, whose length is 3 or 6; in two dimensions 2 too, for what is across changes nothing. */
static hk_status read_conductivity(hk_case *c, const hk_node *map, hk_material *out)
{
  const hk_node *node = hk_case_value(map, "conductivity");
  double value[6];
  int count;
  if (!node) return HK_OK;
  const hk_node *table = node->kind == HK_NODE_MAP ? hk_node_find(node, "table") : NULL;
  if (table) {
    HK_PASS(hk_case_table(c, table, value, &out->at[HK_AT_CONDUCTIVITY]));
    return hk_material_conduct(1, value, out);
  }
  if (node->kind == HK_NODE_MAP) {
    static const double one = 1; /* of no use but to say that it conducts */
    HK_PASS(hk_case_formula(c, node, true, &out->by[HK_BY_CONDUCTIVITY]));
    return hk_material_conduct(1, &one, out);
  }
  if (node->kind == HK_NODE_SCALAR) return hk_material_conduct(1, &node->number, out);
  count = hk_case_numbers(node, 6, value);
  if (count == 2 && c->model->mesh->dim == 2) value[count++] = value[0];
  if (count == 3 || count == 6) return hk_material_conduct(count, value, out);
  hk_case_error(c, node, "conductivity has %d values: give 1%s, 3 or 6", count,
                c->model->mesh->dim == 2 ? ", 2" : "");
  return HK_OK;
}

/* specific_heat, where it is no number: a formula, a factor of 1, or a table. */
static hk_status read_specific_heat(hk_case *c, const hk_node *map, hk_material *out)
{
  const hk_node *heat = hk_case_value(map, "specific_heat");
  if (!heat || heat->kind != HK_NODE_MAP) return HK_OK;
  const hk_node *table = hk_node_find(heat, "table");
  if (table) return hk_case_table(c, table, &out->specific_heat, &out->at[HK_AT_SPECIFIC_HEAT]);
  out->specific_heat = 1;
  return hk_case_formula(c, heat, true, &out->by[HK_BY_SPECIFIC_HEAT]);
}

/* latent_heat: a peak of the specific heat between solidus and liquidus. */
static hk_status read_latent_heat(hk_case *c, const hk_node *map, hk_material *out)
{
  const hk_node *latent = hk_case_value(map, "latent_heat");
  const hk_node *value = hk_case_value(latent, "value"),
                *solidus = hk_case_value(latent, "solidus"),
                *liquidus = hk_case_value(latent, "liquidus");
  if (!value || !solidus || !liquidus) return HK_OK;
  const double width = liquidus->number - solidus->number;
  const hk_table **at = &out->at[HK_AT_SPECIFIC_HEAT];
  if (!(width > 0))
    hk_case_error(c, liquidus, "material %s: liquidus must be above solidus", map->key);
  else if (!(out->specific_heat > 0) || out->by[HK_BY_SPECIFIC_HEAT])
    hk_case_error(c, latent,
                  "material %s: latent_heat needs a specific_heat that is a number or a table",
                  map->key);
  else if (value->number > 0)
    return hk_table_add_peak(&c->model->pool, *at, solidus->number, liquidus->number,
                             value->number / width / out->specific_heat, at);
  return HK_OK;
}

/* velocity: a number or a formula per direction; density and specific_heat make a = rho c v of it. */
static hk_status read_velocity(hk_case *c, const hk_node *map, hk_material *out)
{
  const hk_node *node = hk_case_value(map, "velocity"),
                *stabilisation = hk_case_value(map, "stabilisation");
  hk_advection *s = &out->advection;
  int count = 0;
  if (stabilisation && !node)
    hk_case_error(c, stabilisation, "stabilisation is for a material with a velocity: remove it");
  if (!node) return HK_OK;
  if (!c->heat) {
    hk_case_error(c, node, "the velocity of a material is for heat conduction: remove it");
    return HK_OK;
  }
  for (const hk_node *n = node->child; n && count < 3; n = n->next, count++)
    if (n->kind == HK_NODE_MAP)
      HK_PASS(hk_case_formula(c, n, false, &s->by[count]));
    else
      s->velocity[count] = n->number;
  if (count != c->model->mesh->dim)
    hk_case_error(c, node, "velocity has %d values: give %d, as the mesh has dimensions", count,
                  c->model->mesh->dim);
  if (!has(map, "density") || !has(map, "specific_heat"))
    hk_case_error(c, node, "material %s: a velocity needs %s, as heat is carried by rho c v",
                  map->key,
                  has(map, "specific_heat") ? "density"
                  : has(map, "density")     ? "specific_heat"
                                            : "density and specific_heat");
  s->flows = true;
  return HK_OK;
}

/* Keys of the constants that laws have beyond those of the medium (physics/list.k.h). */
static const struct {
  const char *law, *key;
} constants[] = {
#define EACH_CONSTANT(law, place, name, ...) {#law, #law "_" #name},
#include "physics/list.k.h"
#undef EACH_CONSTANT
    {NULL, NULL}};

/* Constants of a law ask for it: all of them are needed, and those of no other law. */
static void ask_for_law(hk_case *c, const hk_node *map, hk_material *out)
{
  for (int i = 0; constants[i].law; i++)
    if (has(map, constants[i].key)) {
      if (out->law && strcmp(out->law, constants[i].law))
        hk_case_error(c, hk_node_find(map, constants[i].key),
                      "material %s: %s belongs to the law \"%s\", and other constants to \"%s\": "
                      "give those of one law",
                      map->key, constants[i].key, constants[i].law, out->law);
      out->law = constants[i].law;
    }
  for (int i = 0; constants[i].law && out->law; i++)
    if (!strcmp(out->law, constants[i].law) && !has(map, constants[i].key))
      hk_case_error(c, map, "material %s: the law \"%s\" needs %s", map->key, out->law,
                    constants[i].key);
}

/* Axes change nothing where all directions are alike. */
static void check_axes(hk_case *c, const hk_node *map, const hk_material *m)
{
  const hk_node *conducts = hk_node_find(map, "conductivity");
  if (has(map, "axes") && (c->heat ? conducts->kind != HK_NODE_LIST : m->fluid || m->isotropic))
    hk_case_error(
        c, hk_node_find(map, "axes"),
        c->heat
            ? "axes are for several conductivities: an isotropic material has none"
            : "axes are for E1 to G23, vp0 to gamma and c11 to c66: this material is isotropic");
}

static bool any_refused(const hk_node *map)
{
  if (map->refused) return true;
  for (const hk_node *n = map->child; n; n = n->next)
    if (n->refused) return true;
  return false;
}

/* *good = the map is a material without errors, now in *out. */
static hk_status read_material(hk_case *c, const hk_node *map, const char *name, hk_material *out,
                               bool *good)
{
  hk_status status = HK_OK;
  *good = false;
  if (any_refused(map) || map->kind != HK_NODE_MAP) return HK_OK;
  if (hk_case_coupled(c)) {
    out->density = -1;
    HK_TRY(hk_pool_text(&c->model->pool, name, &out->name));
    return hk_case_read_coupled(c, map, out, good);
  }
  hk_case_refuse_coupled(c, map);
  const bool fluid = hk_case_is_fluid(map) && !hk_case_is_elastic(map);
  const bool elastic = !fluid && (!c->heat || hk_case_is_elastic(map));
  if (hk_case_is_fluid(map) && !fluid)
    hk_case_error(c, map, "material %s: a fluid has only sound_speed or bulk, and a density",
                  map->key);
  const int medium = elastic ? hk_case_medium_of(c, map) : -1;
  if (elastic && medium < 0) return HK_OK;
  if (c->heat && !has(map, "conductivity")) {
    hk_case_error(c, map, "material %s lacks \"conductivity\"", map->key);
    return HK_OK;
  }
  if (c->marches && !(has(map, "density") && has(map, "specific_heat")))
    hk_case_error(c, map, "material %s: transient heat conduction needs density and specific_heat",
                  map->key);
  out->density = -1;
  hk_case_take(hk_material_rules, map, out);
  ask_for_law(c, map, out);
  HK_TRY(hk_pool_text(&c->model->pool, name, &out->name));
  const bool spreads = hk_case_spreads(map);
  if (spreads) status = hk_case_check_spread(c, map, medium, out);
  if (elastic && !spreads) status = hk_case_read_elastic(c, map, medium, out);
  if (fluid && status == HK_OK) status = hk_case_read_fluid(c, map, out);
  check_axes(c, map, out);
  if (status == HK_OK && elastic) status = hk_material_validate(out);
  if (status == HK_OK) status = hk_case_read_attenuation(c, map, spreads, out);
  if (status == HK_OK) status = read_conductivity(c, map, out);
  if (status == HK_OK) status = read_specific_heat(c, map, out);
  if (status == HK_OK) status = read_latent_heat(c, map, out);
  const hk_node *reaction = hk_case_value(map, "reaction");
  if (status == HK_OK && reaction && reaction->kind == HK_NODE_MAP)
    status = hk_case_formula(c, reaction, true, &out->by[HK_BY_REACTION]);
  if (status == HK_OK) status = read_velocity(c, map, out);
  *good = status == HK_OK;
  status = hk_case_forgive(c, map, status);
cleanup:
  return status;
}

/* Every material is read, used or not, so that its errors are shown. */
static hk_status check_materials(hk_case *c, const hk_node *materials)
{
  hk_status status = HK_OK;
  for (const hk_node *n = materials ? materials->child : NULL; n; n = n->next) {
    hk_material material = {0};
    bool good;
    status = read_material(c, n, n->key, &material, &good);
    if (status != HK_OK) break;
  }
  return status;
}

static hk_status material_of(hk_case *c, const hk_node *value, hk_material *out, bool *good)
{
  const hk_node *materials = hk_case_value(c->tree.root, "materials");
  *good = false;
  if (value->refused || value->kind == HK_NODE_NONE) return HK_OK;
  if (value->kind == HK_NODE_MAP) return read_material(c, value, value->key, out, good);
  const hk_node *map = hk_node_find(materials, value->text);
  if (!map) {
    const char *names[MOST_NAMES];
    hk_case_unknown(c, value, "undefined material", names,
                    hk_case_keys(materials, names, MOST_NAMES), ": define it in `materials:`");
    return HK_OK;
  }
  if (any_refused(map)) return HK_OK;
  const hk_count errors = c->tree.errors; /* were added when the material was checked */
  hk_messages *list = c->list;
  c->list = NULL;
  const hk_status status = read_material(c, map, map->key, out, good);
  c->list = list, c->tree.errors = errors;
  return status;
}

/* Elements of the set that have no region yet take this one; those of another are counted. Members of a set differ, so that each is one thread's. */
static hk_count claim(hk_model *m, const hk_target *elements, int region, bool rest)
{
  hk_count others = 0;
#pragma omp parallel for schedule(static) reduction(+ : others)
  for (hk_count i = 0; i < elements->count; i++) {
    hk_index *at = &m->element_region[elements->item[i]];
    if (*at < 0)
      *at = (hk_index)region;
    else
      others++;
  }
  return rest ? 0 : others;
}

static bool has_elements(const hk_model *m, int region)
{
  for (hk_count e = 0; e < m->mesh->element_count; e++)
    if (m->element_region[e] == region) return true;
  return false;
}

/* The map of the material that a region's value names or is. */
static const hk_node *map_of(const hk_case *c, const hk_node *value)
{
  if (value->kind == HK_NODE_MAP) return value;
  return hk_node_find(hk_case_value(c->tree.root, "materials"), value->text);
}

/* Constants in axes that do not vary are turned into the global ones. */
static void turn_material(hk_case *c, const hk_node *map, hk_region *r)
{
  static const double origin[3] = {0};
  bool given;
  double row[3][3];
  if (hk_case_coupled(c)) return;
  r->varies = hk_material_by_formula(&r->material);
  hk_case_axes(c, map, &r->axes, &given);
  if (!given) return;
  const bool round = r->axes.kind == HK_AXES_CYLINDRICAL;
  r->varies = r->varies || round;
  if (round && !c->still)
    hk_case_error(c, hk_node_find(map, "axes"),
                  "only static solutions support cylindrical axes of a material");
  if (round) return;
  hk_axes_at(&r->axes, origin, row);
  hk_material_rotate(&r->material, row);
}

/* Shapes of which the wanted integration means nothing are computed as meshed, with a warning. */
static void check_integration(hk_case *c)
{
  const hk_node *node = hk_case_value(hk_case_value(c->tree.root, "element"), "integration");
  const hk_mesh *mesh = c->model->mesh;
  if (!node || node->number == 0) return;
  if (!c->still || c->heat || hk_case_coupled(c)) {
    hk_case_error(c, node, "integration: %s support only full integration",
                  c->heat              ? "matrices of heat conduction"
                  : hk_case_coupled(c) ? "coupled equations"
                                       : "explicit steps");
    return;
  }
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape shape = mesh->block[b].shape;
    const hk_element *element = hk_element_of(shape);
    const bool full_only = element->reduced.points == element->full.points;
    const bool linear = shape == HK_QUAD4 || shape == HK_HEX8;
    if (node->number == HK_INTEGRATION_REDUCED ? full_only : !linear)
      hk_messages_add(c->list, HK_WARNING, c->tree.path, node->line, node->column,
                      "%s elements have no %s integration: hooke integrates them fully",
                      hk_shape_name(shape), node->text);
  }
}

static hk_status check_plane_law(hk_case *c, const hk_node *map, const hk_region *r,
                                 const hk_target *elements)
{
  hk_status status = HK_OK;
  char *words = NULL;
  if (c->any_dim || hk_case_coupled(c)) return HK_OK;
  HK_TRY(hk_plane_left(c->model->mesh, r, elements->count, elements->item, c->heat, &words));
  if (words)
    hk_case_error(
        c, map, "material %s: %s%s", r->material.name ? r->material.name : map->key, words,
        !c->still && r->plane == HK_PLANE_STRAIN ? ", or give plane: three-components" : "");
cleanup:
  hk_free(&words);
  return status;
}

/* Whether the elements of each set are those of the mesh itself: not in a draft of a mesh that is read, nor in one of few cells where sets are told
 * by place. */
static bool knows_elements(const hk_case *c)
{
  const bool few = c->draft && !c->sampling;
  return c->draft != HK_DRAFT_OPEN && !(few && hk_node_find(c->tree.root, "sets"));
}

static hk_status add_region(hk_case *c, const hk_node *value, const char *name,
                            const hk_target *elements, bool rest)
{
  hk_model *m = c->model;
  bool good;
  hk_region *r = &m->region[m->region_count];
  HK_PASS(hk_pool_text(&m->pool, name, &r->name));
  const int index = m->region_count++;
  r->thickness = hk_case_thickness(c);
  hk_case_take(hk_case_rule.inside, c->tree.root, r);
  hk_case_take(hk_element_rules, hk_case_value(c->tree.root, "element"), r);
  HK_PASS(material_of(c, value, &r->material, &good));
  if (good) {
    turn_material(c, map_of(c, value), r);
    c->region_map[index] = map_of(c, value);
    if (r->plane == HK_AXISYMMETRIC) r->varies = true, r->thickness = 1;
    HK_PASS(check_plane_law(c, map_of(c, value), r, elements));
    hk_case_check_antiplane(c, map_of(c, value), &r->material);
  }
  const hk_count taken = claim(m, elements, index, rest);
  if (rest && elements->count && !c->draft && !has_elements(m, index))
    hk_messages_add(c->list, HK_WARNING, c->tree.path, value->line, 0,
                    "region %s has no elements: all of them are in other regions", name);
  if (taken && knows_elements(c))
    hk_case_error(c, value, "%lld elements of \"%.60s\" are in another region too",
                  (long long)taken, name);
  return HK_OK;
}

static hk_status add_named_regions(hk_case *c, const hk_node *regions, bool rest)
{
  for (const hk_node *n = regions->child; n; n = n->next) {
    hk_target elements = {0};
    if (hk_same_text(n->key, "all") != rest) continue;
    HK_PASS(hk_case_find_elements_of_key(c, n, &elements));
    HK_PASS(add_region(c, n, n->key, &elements, rest));
    hk_pool_clear(c->scratch);
  }
  return HK_OK;
}

static hk_status add_only_region(hk_case *c)
{
  hk_target elements = {0};
  const hk_node *materials = hk_case_value(c->tree.root, "materials");
  hk_node name = {.text = "all"};
  if (!materials && hk_node_find(c->tree.root, "materials")) return HK_OK; /* told already */
  if (materials && !materials->count) {
    hk_case_error(c, materials, "materials is empty: say what the elements are made of");
    return HK_OK;
  }
  if (!materials || materials->count != 1) {
    hk_case_error(c, c->tree.root, "the case lacks \"regions\": %s",
                  materials ? "which element set is of which material"
                            : "and \"materials\": what the elements are made of");
    return HK_OK;
  }
  HK_PASS(hk_target_all(c->scratch, c->model->mesh->element_count, &elements));
  name = *materials->child;
  name.kind = HK_NODE_SCALAR, name.text = materials->child->key;
  return add_region(c, &name, "all", &elements, true);
}

static void check_cover(hk_case *c, const hk_node *regions)
{
  const hk_model *m = c->model;
  hk_count first = -1;
  const hk_count missing = hk_model_bare(m, &first);
  if (missing)
    hk_case_error(c, regions,
                  "%lld of %lld elements are in no region (first: element %lld): name their set, "
                  "or give `all` a material",
                  (long long)missing, (long long)m->mesh->element_count,
                  (long long)hk_mesh_element_label(m->mesh, first));
}

/* `plane:` where no solid is: strain and stress. */
static void check_solids(hk_case *c)
{
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  bool solid = false;
  for (int i = 0; i < c->model->region_count && !c->heat && !hk_case_coupled(c); i++)
    solid = solid || !c->model->region[i].material.fluid;
  if (plane && !hk_case_ring(c) && c->model->mesh->dim == 2 && !c->any_dim && !solid &&
      !c->tree.errors)
    hk_case_error(c, plane, "plane is for elastic solids, and %s: remove it",
                  c->heat              ? "this is heat conduction"
                  : hk_case_coupled(c) ? "these are coupled equations"
                                       : "the whole model is fluid");
}

/* Materials that no region has. */
static void note_unused(hk_case *c)
{
  const hk_node *materials = hk_case_value(c->tree.root, "materials");
  for (const hk_node *n = materials ? materials->child : NULL; n && !c->tree.errors; n = n->next) {
    bool used = false;
    for (int i = 0; i < c->model->region_count && !used; i++) {
      const char *name = c->model->region[i].material.name;
      used = name && strcmp(name, n->key) == 0;
    }
    if (!used)
      hk_messages_add(c->list, HK_NOTE, c->tree.path, n->key_line, 0, "no region uses material %s",
                      n->key);
  }
}

static void check_plane(hk_case *c)
{
  static const char *const key[] = {"plane", "thickness"};
  for (int i = 0; i < 2; i++) {
    const hk_node *node = hk_case_value(c->tree.root, key[i]);
    if (node && c->model->mesh->dim == 3 && !c->any_dim)
      hk_case_error(c, node, "%s is for 2D: this mesh is 3D", key[i]);
    if (node && i == 1 && hk_case_ring(c))
      hk_case_error(c, node,
                    "plane: axisymmetric has no thickness: integrals are over the whole "
                    "ring; remove one of the two keys");
  }
}

/* Of the regions of the case, behind which others are added. */
static hk_status spread_materials(hk_case *c)
{
  const int regions = c->model->region_count;
  for (int r = 0; r < regions; r++)
    if (hk_case_spreads(c->region_map[r])) HK_PASS(hk_case_spread(c, c->region_map[r], r));
  return HK_OK;
}

hk_status hk_case_fill_regions(hk_case *c)
{
  hk_status status = HK_OK;
  hk_model *m = c->model;
  hk_pool scratch = {0};
  const hk_node *regions = hk_node_find(c->tree.root, "regions");
  check_plane(c);
  hk_case_check_procedure(c);
  check_integration(c);
  HK_TRY(hk_pool_get(&m->pool, &m->element_region, m->mesh->element_count));
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < m->mesh->element_count; e++) m->element_region[e] = -1;
  HK_TRY(check_materials(c, hk_case_value(c->tree.root, "materials")));
  if (regions && (regions->kind != HK_NODE_MAP || regions->refused)) goto cleanup;
  HK_CHECK(!regions || regions->count <= MOST_REGIONS, HK_BAD_INPUT, "%d regions: at most %d",
           regions->count, MOST_REGIONS);
  const hk_count errors = c->tree.errors;
  const hk_count most = regions ? regions->count : 1;
  HK_TRY(hk_pool_get(&m->pool, &m->region, most));
  HK_TRY(hk_pool_get(&m->pool, &c->region_map, most));
  c->scratch = &scratch;
  if (regions) {
    HK_TRY(add_named_regions(c, regions, false));
    HK_TRY(add_named_regions(c, regions, true));
  } else
    HK_TRY(add_only_region(c));
  if (c->tree.errors == errors && knows_elements(c))
    check_cover(c, regions ? regions : c->tree.root);
  check_solids(c);
  if (!c->draft) note_unused(c);
  if (!c->draft && !c->tree.errors) HK_TRY(spread_materials(c));
cleanup:
  c->scratch = NULL;
  hk_pool_clear(&scratch);
  return hk_case_forgive(c, regions, status);
}
