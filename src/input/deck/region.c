/* Sections, materials and element types of a deck become regions. A section gives its elements a region for each combination of plane law
 * (CPE, CPS, CAX) and integration (full, reduced R, incompatible I) among them. Constants in Abaqus's order 11 22 33 12 13 23 become Voigt's xx yy
 * zz yz xz xy; those of an orientation that does not vary are turned into the global axes (physics/material.c). Elements and constants that
 * the procedure cannot compute are refused. */
#include "element/element.h"
#include "input/deck/parts.h"
#include "model/model.h"
#include <string.h>

static bool modified(const hk_inp_type *type)
{
  return type->variant && (type->shape == HK_TET10 || type->shape == HK_TRI6);
}

/* With displacements or temperatures as unknowns. */
static bool deforms(const hk_inp_type *type)
{
  return type->use == HK_INP_PLANE_STRAIN || type->use == HK_INP_PLANE_STRESS ||
         type->use == HK_INP_AXISYMMETRIC || type->use == HK_INP_SOLID;
}

/* What explicit steps can compute. */
static bool runs(const hk_inp_type *type)
{
  return deforms(type) && hk_element_of(type->shape)->steps && (!type->variant || modified(type));
}

static hk_integration integration_of(const hk_inp_type *type)
{
  if (type->reduced) return HK_INTEGRATION_REDUCED;
  return type->variant && !modified(type) ? HK_INTEGRATION_INCOMPATIBLE : HK_INTEGRATION_FULL;
}

static void warn_of_modified(deck *d, const hk_inp_group *group)
{
  if (modified(group->type))
    hk_inp_say(d->reader, HK_WARNING, group->place,
               "*ELEMENT, TYPE=%s: computed as the element without M, which is a little stiffer in "
               "bending",
               group->type->name);
}

static void check_explicit(deck *d, const hk_inp_group *group)
{
  const hk_inp_type *type = group->type;
  if (!runs(type))
    hk_inp_error(
        d->reader, group->place,
        "*ELEMENT, TYPE=%s: explicit steps need CPE3 to CPE8R, CPS3 to CPS8R, CAX3 to CAX8R, "
        "C3D4, C3D8, C3D8R, C3D10, C3D15, C3D20 or C3D20R",
        type->name);
  else if (type->reduced)
    hk_inp_say(d->reader, HK_WARNING, group->place,
               "*ELEMENT, TYPE=%s: computed with full integration, which is a little stiffer in "
               "bending and needs no hourglass control",
               type->name);
  else
    warn_of_modified(d, group);
}

static void check_static(deck *d, const hk_inp_group *group)
{
  const hk_inp_type *type = group->type;
  const bool heat = hk_deck_is_heat(d);
  if (heat && type->use != HK_INP_HEAT && type->use != HK_INP_HEAT_RING && !deforms(type))
    hk_inp_error(d->reader, group->place,
                 "*ELEMENT, TYPE=%s: heat conduction needs DC2D3 to DC2D8, DCAX3 to DCAX8, DC3D4 "
                 "to DC3D20, or "
                 "solid, plane and axisymmetric elements",
                 type->name);
  else if (!heat && !deforms(type))
    hk_inp_error(d->reader, group->place,
                 "*ELEMENT, TYPE=%s: static steps need solid elements (C3D4 to C3D20R), plane "
                 "(CPE3 to CPE8R, CPS3 to CPS8R) or axisymmetric ones (CAX3 to CAX8R)",
                 type->name);
  else if (type->reduced && type->shape == HK_HEX27)
    hk_inp_error(d->reader, group->place,
                 "*ELEMENT, TYPE=%s: there is no reduced integration of 27 nodes: give C3D27",
                 type->name);
  else if (heat && type->reduced && type->shape == HK_HEX8)
    hk_inp_say(d->reader, HK_WARNING, group->place,
               "*ELEMENT, TYPE=%s: hooke integrates conduction fully, as DC3D8 does; CalculiX uses "
               "one point, and its temperatures may oscillate",
               type->name);
  else if (!heat)
    warn_of_modified(d, group);
}

/* Each name once, at the first *ELEMENT that has it. */
static void check_types(deck *d)
{
  const int groups = hk_inp_group_count(d->inp);
  const hk_inp_type *told[64];
  int count = 0;
  for (int g = 0; g < groups; g++) {
    const hk_inp_group *group = hk_inp_group_at(d->inp, g);
    bool known = group->count == 0 || count == 64;
    for (int i = 0; i < count && !known; i++) known = told[i] == group->type;
    if (known) continue;
    told[count++] = group->type;
    if (hk_deck_is_static(d))
      check_static(d, group);
    else
      check_explicit(d, group);
  }
}

/* The material without axes. HK_BAD_INPUT: constants that no body has. */
static hk_status build_material(const deck *d, const deck_material *m, hk_material *out)
{
  static const int voigt[6] = {0, 1, 2, 5, 4, 3}; /* 11 22 33 12 13 23 in xx yy zz yz xz xy */
  const double *k = m->constant;
  out->name = m->name;
  out->density = m->has_density ? m->density : -1;
  out->mass_damping = m->mass_damping;
  out->specific_heat = m->specific_heat;
  if (m->refused) return HK_OK;
  if (m->conductivities && !m->conductivity_refused && hk_deck_is_heat(d))
    HK_PASS(hk_material_conduct(m->conductivities, m->conductivity, out));
  if (m->elastic == DECK_ISOTROPIC) HK_PASS(hk_material_isotropic(k[0], k[1], out));
  if (m->elastic == DECK_ENGINEERING) HK_PASS(hk_material_engineering(k, out));
  if (m->elastic == DECK_ORTHOTROPIC || m->elastic == DECK_ANISOTROPIC) {
    /* columns of the upper triangle; ORTHOTROPIC has its shear terms on the diagonal only */
    int n = 0;
    for (int j = 0; j < 6; j++)
      for (int i = 0; i <= j; i++)
        if (m->elastic == DECK_ANISOTROPIC || j < 3 || i == j)
          out->c[voigt[i]][voigt[j]] = out->c[voigt[j]][voigt[i]] = k[n++];
    out->elastic = true, out->isotropic = false;
    HK_PASS(hk_material_validate(out));
  }
  return HK_OK;
}

/* Wrong constants of all materials, used or not. */
static hk_status check_constants(deck *d)
{
  for (hk_count i = 0; i < d->matter.material.count; i++) {
    deck_material *m = &d->matter.material.at[i];
    hk_material material = {0};
    const hk_status status = build_material(d, m, &material);
    const bool conducts =
        material.conducts || !m->conductivities || m->conductivity_refused || !hk_deck_is_heat(d);
    m->refused = m->refused || status == HK_BAD_INPUT;
    if (status == HK_BAD_INPUT)
      hk_inp_error(d->reader, conducts ? m->elastic_place : m->conductivity_place, "*%s: %s",
                   conducts ? "ELASTIC" : "CONDUCTIVITY", hk_error());
    else if (status != HK_OK)
      return status;
  }
  return HK_OK;
}

/* What every material that is used must have; told once. */
static void check_material(deck *d, const deck_material *m)
{
  const bool heat = hk_deck_is_heat(d);
  if (heat && m->conductivity_varies)
    hk_inp_error(
        d->reader, m->conductivity_place,
        "*CONDUCTIVITY: constants above 0 that change with temperature must all do so in the "
        "same ratio");
  if (hk_deck_marches(d) && (!(m->specific_heat > 0) || !m->has_density))
    hk_inp_error(d->reader, m->place,
                 "*MATERIAL, NAME=%s: transient heat conduction needs *DENSITY and *SPECIFIC HEAT",
                 m->name);
  if (m->specific_heat > 0 && !hk_deck_marches(d) && !d->told[HK_INP_SPECIFIC_HEAT]) {
    hk_inp_say(d->reader, HK_NOTE, m->specific_heat_place,
               "*SPECIFIC HEAT changes nothing in a step without temperatures");
    d->told[HK_INP_SPECIFIC_HEAT] = true;
  }
  if (m->latent.rows && !hk_deck_marches(d) && !d->told[HK_INP_LATENT_HEAT]) {
    hk_inp_say(d->reader, HK_NOTE, m->latent.place,
               "*LATENT HEAT changes nothing without transient steps of heat conduction");
    d->told[HK_INP_LATENT_HEAT] = true;
  }
  if (!heat && m->conductivities && !d->told[HK_INP_CONDUCTIVITY]) {
    hk_inp_say(d->reader, HK_NOTE, m->conductivity_place,
               "*CONDUCTIVITY changes nothing in a step without temperatures");
    d->told[HK_INP_CONDUCTIVITY] = true;
  }
  if (m->damping && !hk_deck_is_static(d))
    hk_inp_error(d->reader, m->damping_place,
                 "*DAMPING, %s=%g: explicit steps support only mass-proportional damping (ALPHA); "
                 "set it to 0",
                 m->damping, m->damping_value);
  if (!m->has_density && !hk_deck_is_static(d))
    hk_inp_error(d->reader, m->place,
                 "*MATERIAL, NAME=%s: *DENSITY is missing; explicit steps need it", m->name);
  if (heat) {
    if (!m->conductivities)
      hk_inp_error(d->reader, m->place, "*MATERIAL, NAME=%s: *CONDUCTIVITY is missing", m->name);
  } else if (m->elastic == DECK_NO_ELASTIC)
    hk_inp_error(d->reader, m->place, "*MATERIAL, NAME=%s: *ELASTIC is missing", m->name);
}

typedef struct regions {
  deck *d;
  hk_model *model;
  hk_count room; /* of the model's regions */
  uint8_t *law;  /* law[element]: its type's plane law and integration, as law_of gives them */
} regions;

enum { LAWS = 3 * HK_PLANES };

static uint8_t law_of(hk_plane plane, hk_integration integration)
{
  return (uint8_t)(HK_PLANES * (int)integration + (int)plane);
}

static hk_status find_laws(regions *r)
{
  const hk_status status = hk_get(&r->law, r->model->mesh->element_count);
  const bool still = hk_deck_is_static(r->d);
  if (status != HK_OK) return status;
  for (int g = 0; g < hk_inp_group_count(r->d->inp); g++) {
    const hk_inp_group *group = hk_inp_group_at(r->d->inp, g);
    const hk_inp_use use = group->type->use;
    const bool ring = use == HK_INP_AXISYMMETRIC || use == HK_INP_HEAT_RING;
    const hk_plane plane = use == HK_INP_PLANE_STRESS ? HK_PLANE_STRESS
                           : ring                     ? HK_AXISYMMETRIC
                                                      : HK_PLANE_STRAIN;
    const hk_integration integration = still ? integration_of(group->type) : HK_INTEGRATION_FULL;
    memset(r->law + group->first, law_of(plane, integration), (size_t)group->count);
  }
  return HK_OK;
}

/* Anisotropic materials are turned into global axes, where those do not vary. */
static hk_status turn_material(regions *r, const deck_section *s, const deck_orientation *o, int k,
                               hk_region *region)
{
  static const double origin[3] = {0};
  double row[3][3];
  HK_PASS(hk_pool_text(&r->model->pool, o->name, &region->axes_name));
  hk_deck_axes(r->d, &o->axes, s->on.scope, k, &region->axes);
  if (hk_deck_is_heat(r->d) ? hk_material_conducts_evenly(&region->material)
                            : region->material.isotropic)
    return HK_OK;
  region->varies = region->axes.kind == HK_AXES_CYLINDRICAL;
  if (region->varies && !hk_deck_is_static(r->d))
    hk_inp_error(r->d->reader, s->on.place,
                 "*SOLID SECTION, ORIENTATION=%s: only static steps support cylindrical axes of an "
                 "anisotropic material",
                 o->name);
  if (region->varies) return HK_OK;
  hk_axes_at(&region->axes, origin, row);
  hk_material_rotate(&region->material, row);
  return HK_OK;
}

/* Latent heat is a peak of the specific heat between solidus and liquidus. */
static hk_status add_latent(hk_model *model, const deck_material *m, hk_material *to)
{
  for (int r = 0; r < m->latent.rows && m->specific_heat > 0; r++) {
    const double *row = m->latent.row[r];
    if (row[0] > 0)
      HK_PASS(hk_table_add_peak(&model->pool, to->at[HK_AT_SPECIFIC_HEAT], row[1], row[2],
                                row[0] / (row[2] - row[1]) / m->specific_heat,
                                &to->at[HK_AT_SPECIFIC_HEAT]));
  }
  return HK_OK;
}

/* Tables of one row are constants. */
static hk_status copy_tables(hk_model *model, const deck_material *m, hk_material *to)
{
  const hk_table *from[HK_TABLES] = {&m->conductivity_at, &m->specific_heat_at};
  for (int k = 0; k < HK_TABLES; k++) {
    bool varies = false;
    hk_table *copy;
    for (int r = 0; r < from[k]->rows; r++) varies = varies || from[k]->row[r][1] != 1;
    if (!varies) continue;
    HK_PASS(hk_pool_few(&model->pool, &copy, 1));
    HK_PASS(hk_pool_get(&model->pool, &copy->row, from[k]->rows));
    copy->rows = from[k]->rows;
    memcpy(copy->row, from[k]->row, (size_t)copy->rows * sizeof *copy->row);
    to->at[k] = copy;
  }
  return add_latent(model, m, to);
}

static hk_status add_region(regions *r, const deck_section *s, const deck_material *m,
                            const deck_orientation *o, int k, int law)
{
  hk_model *model = r->model;
  HK_NEED(model->region_count < INT16_MAX, HK_BAD_INPUT, "%s:%lld: more than %d sections",
          s->on.place.file, (long long)s->on.place.line, INT16_MAX);
  HK_PASS(hk_pool_reserve(&model->pool, (void **)&model->region, model->region_count + 1, &r->room,
                          sizeof *model->region));
  hk_region *region = &model->region[model->region_count];
  *region = (hk_region){.plane = (hk_plane)(law % HK_PLANES),
                        .integration = (hk_integration)(law / HK_PLANES),
                        .thickness = s->thickness};
  model->region_count++;
  HK_PASS(hk_pool_text(&model->pool, s->on.name, &region->name));
  HK_PASS(build_material(r->d, m, &region->material));
  HK_PASS(hk_pool_text(&model->pool, m->name, &region->material.name));
  if (hk_deck_is_heat(r->d)) HK_PASS(copy_tables(model, m, &region->material));
  if (o) HK_PASS(turn_material(r, s, o, k, region));
  if (region->plane != HK_AXISYMMETRIC) return HK_OK;
  region->varies = true;
  if (s->thickness != 1)
    hk_inp_say(r->d->reader, HK_WARNING, s->on.place,
               "*SOLID SECTION, ELSET=%s: axisymmetric elements have no thickness: %g is ignored, "
               "loads and results are of the whole ring",
               s->on.name, s->thickness);
  region->thickness = 1;
  return HK_OK;
}

/* A law of the plane that leaves something out is refused; of the elements of that law in the set. */
static hk_status check_plane(regions *r, const deck_section *s, const hk_set *set, int law)
{
  hk_status status = HK_OK;
  const hk_region *region = &r->model->region[r->model->region_count - 1];
  hk_index *own = NULL;
  char *words = NULL;
  hk_count count = 0;
  if (r->model->mesh->dim == 3) return HK_OK;
  HK_TRY(hk_get(&own, set->count));
  for (hk_count i = 0; i < set->count; i++)
    if (r->law[set->item[i]] == law) own[count++] = set->item[i];
  HK_TRY(hk_plane_left(r->model->mesh, region, count, own, hk_deck_is_heat(r->d), &words));
  if (words)
    hk_inp_error(r->d->reader, s->on.place, "*SOLID SECTION, ELSET=%s: material %s: %s", s->on.name,
                 region->material.name, words);
cleanup:
  hk_free(&own);
  hk_free(&words);
  return status;
}

/* Elements of the set with that law get a region of their own. */
static hk_status assign(regions *r, const deck_section *s, const hk_set *set,
                        const deck_material *m, const deck_orientation *o, int k, int law)
{
  hk_model *model = r->model;
  hk_count count = 0, twice = 0;
  hk_index first = -1;
  for (hk_count i = 0; i < set->count; i++) count += r->law[set->item[i]] == law;
  if (!count) return HK_OK;
  HK_PASS(add_region(r, s, m, o, k, law));
  HK_PASS(check_plane(r, s, set, law));
  for (hk_count i = 0; i < set->count; i++) {
    const hk_index e = set->item[i];
    if (r->law[e] != law) continue;
    if (model->element_region[e] >= 0 && !twice++) first = e;
    model->element_region[e] = (hk_index)(model->region_count - 1);
  }
  if (twice)
    hk_inp_error(r->d->reader, s->on.place,
                 "*SOLID SECTION, ELSET=%s: %lld elements have a section already (first: element "
                 "%lld)",
                 s->on.name, (long long)twice,
                 (long long)hk_mesh_element_label(model->mesh, first));
  return HK_OK;
}

static hk_status make_section(regions *r, const deck_section *s, bool *material_checked)
{
  deck *d = r->d;
  const int material = hk_deck_find(d, s->on.place, s->material, DECK_MATERIAL);
  const int orientation =
      s->orientation ? hk_deck_find(d, s->on.place, s->orientation, DECK_ORIENTATION) : -1;
  const deck_orientation *o = orientation >= 0 ? &d->matter.orientation.at[orientation] : NULL;
  const int pieces = hk_inp_piece_count(d->inp, s->on.scope);
  if (material >= 0 && !material_checked[material])
    check_material(d, &d->matter.material.at[material]);
  if (material >= 0) material_checked[material] = true;
  for (int k = 0; k < pieces; k++) {
    const hk_set *set = hk_inp_find_set(d->inp, s->on.place, "*SOLID SECTION", s->on.name,
                                        HK_ELEMENT_SET, s->on.scope, k);
    if (!set || material < 0) continue;
    if (!set->count)
      hk_inp_say(d->reader, HK_WARNING, s->on.place, "*SOLID SECTION: element set %s is empty",
                 s->on.name);
    for (int law = 0; law < LAWS; law++)
      HK_PASS(assign(r, s, set, &d->matter.material.at[material], o, k, law));
  }
  return HK_OK;
}

static void check_elements(deck *d, const hk_model *model)
{
  hk_count first = 0;
  const hk_count without = hk_model_bare(model, &first);
  if (!without) return;
  hk_place place = {d->path, 0};
  for (int g = 0; g < hk_inp_group_count(d->inp); g++) {
    const hk_inp_group *group = hk_inp_group_at(d->inp, g);
    if (first >= group->first && first < group->first + group->count) place = group->place;
  }
  hk_inp_error(d->reader, place, "%lld elements have no *SOLID SECTION (first: element %lld)",
               (long long)without, (long long)hk_mesh_element_label(model->mesh, first));
}

hk_status hk_deck_make_regions(deck *d, hk_model *model)
{
  hk_status status = HK_OK;
  regions r = {.d = d, .model = model};
  bool *checked = NULL;
  check_types(d);
  HK_TRY(check_constants(d));
  HK_TRY(hk_get(&checked, d->matter.material.count + 1));
  HK_TRY(find_laws(&r));
  HK_TRY(hk_pool_get(&model->pool, &model->element_region, model->mesh->element_count));
  memset(model->element_region, -1,
         (size_t)model->mesh->element_count * sizeof *model->element_region);
  const hk_count before = hk_inp_errors(d->reader);
  for (hk_count i = 0; i < d->matter.section.count; i++)
    HK_TRY(make_section(&r, &d->matter.section.at[i], checked));
  if (hk_inp_errors(d->reader) == before) check_elements(d, model);
cleanup:
  hk_free(&checked);
  hk_free(&r.law);
  return status;
}
