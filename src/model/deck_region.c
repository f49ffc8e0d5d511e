/* Sections, materials and element types to regions. */
#include "element/element.h"
#include "model/deck_parts.h"
#include <string.h>

/* What explicit steps can compute. */
static bool runs(const hk_inp_type *type)
{
  const hk_element *element = hk_element_of(type->shape);
  const bool shape = type->shape == HK_TRI3 || type->shape == HK_QUAD4 || type->shape == HK_TET4 ||
                     type->shape == HK_HEX8;
  const bool use = type->use == HK_INP_PLANE_STRAIN || type->use == HK_INP_PLANE_STRESS ||
                   type->use == HK_INP_SOLID;
  return shape && use && !type->variant && element->order == 1;
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
    if (!runs(group->type))
      hk_inp_error(d->reader, group->place,
                   "*ELEMENT, TYPE=%s: explicit steps are computed with CPE3, CPE4, CPS3, CPS4, "
                   "C3D4 and C3D8",
                   group->type->name);
    else if (group->type->reduced)
      hk_inp_say(d->reader, HK_WARNING, group->place,
                 "*ELEMENT, TYPE=%s: computed with full integration, which is a little stiffer in "
                 "bending and needs no hourglass control",
                 group->type->name);
  }
}

/* The material without axes. HK_BAD_INPUT: constants that no body has. */
static hk_status build_material(const deck_material *m, hk_material *out)
{
  hk_status status = HK_OK;
  static const int voigt[6] = {0, 1, 2, 5, 4, 3}; /* 11 22 33 12 13 23 in xx yy zz yz xz xy */
  const double *k = m->constant;
  HK_TRY(hk_copy_text(&out->name, m->name));
  out->density = m->has_density ? m->density : -1;
  out->mass_damping = m->mass_damping;
  if (m->refused) goto cleanup;
  if (m->elastic == DECK_ISOTROPIC) HK_TRY(hk_material_isotropic(k[0], k[1], out));
  if (m->elastic == DECK_ENGINEERING) HK_TRY(hk_material_engineering(k, out));
  if (m->elastic == DECK_ORTHOTROPIC || m->elastic == DECK_ANISOTROPIC) {
    /* columns of the upper triangle; ORTHOTROPIC has its shear terms on the diagonal only */
    int n = 0;
    for (int j = 0; j < 6; j++)
      for (int i = 0; i <= j; i++)
        if (m->elastic == DECK_ANISOTROPIC || j < 3 || i == j)
          out->c[voigt[i]][voigt[j]] = out->c[voigt[j]][voigt[i]] = k[n++];
    out->elastic = true, out->isotropic = false;
    HK_TRY(hk_material_validate(out));
  }
cleanup:
  return status;
}

/* Wrong constants of all materials, used or not. */
static hk_status check_constants(deck *d)
{
  for (hk_count i = 0; i < d->materials; i++) {
    deck_material *m = &d->material[i];
    hk_material material = {0};
    const hk_status status = build_material(m, &material);
    hk_material_clear(&material);
    m->refused = m->refused || status == HK_BAD_INPUT;
    if (status == HK_BAD_INPUT)
      hk_inp_error(d->reader, m->elastic_place, "*ELASTIC: %s", hk_error());
    else if (status != HK_OK)
      return status;
  }
  return HK_OK;
}

/* What every material that is used must have; told once. */
static void check_material(deck *d, const deck_material *m)
{
  if (!m->has_density)
    hk_inp_error(d->reader, m->place,
                 "*MATERIAL, NAME=%s: *DENSITY is missing; explicit steps need it", m->name);
  if (m->elastic == DECK_NO_ELASTIC)
    hk_inp_error(d->reader, m->place, "*MATERIAL, NAME=%s: *ELASTIC is missing", m->name);
}

/* Rows: local axes of the section in the k-th piece, in global coordinates. An orientation turns
 * with its instance. */
static void axes_of(const deck *d, const deck_section *s, const deck_orientation *o, int k,
                    double axes[3][3])
{
  double piece[3][3];
  hk_inp_piece_axes(d->inp, s->scope, k, piece);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      axes[i][j] = 0;
      for (int n = 0; n < 3; n++) axes[i][j] += o->axes[i][n] * piece[n][j];
    }
}

typedef struct regions {
  deck *d;
  hk_model *model;
  hk_count room;
  uint8_t *plane; /* plane[element] of plane meshes: hk_plane */
} regions;

static hk_status find_planes(regions *r)
{
  const hk_status status = hk_get(&r->plane, r->model->mesh->element_count);
  if (status != HK_OK) return status;
  for (int g = 0; g < hk_inp_group_count(r->d->inp); g++) {
    const hk_inp_group *group = hk_inp_group_at(r->d->inp, g);
    if (group->type->use == HK_INP_PLANE_STRESS)
      memset(r->plane + group->first, HK_PLANE_STRESS, (size_t)group->count);
  }
  return HK_OK;
}

static hk_status add_region(regions *r, const deck_section *s, const deck_material *m,
                            const deck_orientation *o, int k, hk_plane plane)
{
  hk_status status = HK_OK;
  hk_model *model = r->model;
  double axes[3][3];
  HK_CHECK(model->region_count < INT16_MAX, HK_BAD_INPUT, "%s:%lld: more than %d sections",
           s->place.file, (long long)s->place.line, INT16_MAX);
  HK_TRY(hk_reserve(&model->region, model->region_count + 1, &r->room));
  hk_region *region = &model->region[model->region_count];
  *region = (hk_region){.plane = plane, .thickness = s->thickness};
  model->region_count++;
  HK_TRY(hk_copy_text(&region->name, s->set));
  HK_TRY(build_material(m, &region->material));
  if (o) {
    axes_of(r->d, s, o, k, axes);
    hk_material_rotate(&region->material, axes);
  }
cleanup:
  return status;
}

/* Elements of the set with that plane law get a region of their own. */
static hk_status assign(regions *r, const deck_section *s, const hk_set *set,
                        const deck_material *m, const deck_orientation *o, int k, hk_plane plane)
{
  hk_status status = HK_OK;
  hk_model *model = r->model;
  hk_count count = 0, twice = 0;
  hk_index first = -1;
  for (hk_count i = 0; i < set->count; i++) count += r->plane[set->item[i]] == plane;
  if (!count) return HK_OK;
  HK_TRY(add_region(r, s, m, o, k, plane));
  for (hk_count i = 0; i < set->count; i++) {
    const hk_index e = set->item[i];
    if (r->plane[e] != plane) continue;
    if (model->element_region[e] >= 0 && !twice++) first = e;
    model->element_region[e] = (int16_t)(model->region_count - 1);
  }
  if (twice)
    hk_inp_error(r->d->reader, s->place,
                 "*SOLID SECTION, ELSET=%s: %lld elements have a section already (first: element "
                 "%lld)",
                 s->set, (long long)twice, (long long)hk_mesh_element_label(model->mesh, first));
cleanup:
  return status;
}

static hk_status make_section(regions *r, const deck_section *s, bool *material_checked)
{
  hk_status status = HK_OK;
  deck *d = r->d;
  const int material = hk_deck_find(d, s->place, s->material, DECK_MATERIAL);
  const int orientation =
      s->orientation ? hk_deck_find(d, s->place, s->orientation, DECK_ORIENTATION) : -1;
  const deck_orientation *o = orientation >= 0 ? &d->orientation[orientation] : NULL;
  const int pieces = hk_inp_piece_count(d->inp, s->scope);
  if (material >= 0 && !material_checked[material]) check_material(d, &d->material[material]);
  if (material >= 0) material_checked[material] = true;
  for (int k = 0; k < pieces; k++) {
    const hk_set *set =
        hk_inp_find_set(d->inp, s->place, "*SOLID SECTION", s->set, HK_ELEMENT_SET, s->scope, k);
    if (!set || material < 0) continue;
    if (!set->count)
      hk_inp_say(d->reader, HK_WARNING, s->place, "*SOLID SECTION: element set %s is empty",
                 s->set);
    HK_TRY(assign(r, s, set, &d->material[material], o, k, HK_PLANE_STRAIN));
    HK_TRY(assign(r, s, set, &d->material[material], o, k, HK_PLANE_STRESS));
  }
cleanup:
  return status;
}

static void check_elements(deck *d, const hk_model *model)
{
  hk_count without = 0, first = 0;
  for (hk_count e = 0; e < model->mesh->element_count; e++)
    if (model->element_region[e] < 0 && !without++) first = e;
  if (!without) return;
  hk_inp_place place = {d->path, 0};
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
  HK_TRY(hk_get(&checked, d->materials + 1));
  HK_TRY(find_planes(&r));
  HK_TRY(hk_get(&model->element_region, model->mesh->element_count));
  memset(model->element_region, -1,
         (size_t)model->mesh->element_count * sizeof *model->element_region);
  const hk_count before = hk_inp_errors(d->reader);
  for (hk_count i = 0; i < d->sections; i++) HK_TRY(make_section(&r, &d->section[i], checked));
  if (hk_inp_errors(d->reader) == before) check_elements(d, model);
cleanup:
  hk_free(&checked);
  hk_free(&r.plane);
  return status;
}
