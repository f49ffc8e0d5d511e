/* Whether a step holds the model: each part has 6 motions without strain (3 in 2D; of heat one temperature), the constraints are rows on those of the
 * parts that they link, and what is left in the null space is told part by part (load/rigid.h). Joints, where parts meet in an edge or a node alone, are
 * looked at for hk_check (load/joints.h). Faces and supports can prove that a model has no mechanism. */
#include "element/element.h"
#include "load/joints.h"
#include "load/rigid.h"
#include "mesh/topology.h"
#include "run/static/static.h"
#include <math.h>
#include <stdio.h>

/* ": free along x, about z, and 1 others": as one body along and about its axes, and in other ways. */
static void name_motions(const hk_loose *l, char *text, size_t size)
{
  static const char *const axis[] = {"x", "y", "z"};
  size_t at = 0;
  int named = 0;
  text[0] = 0;
  for (int m = 0; m < 6 && at < size; m++)
    if (l->free & 1u << m)
      at += (size_t)snprintf(text + at, size - at, "%s%s %s", named++ ? ", " : ": free ",
                             m < 3 ? "along" : "about", axis[m % 3]);
  if (named && named < l->modes && at < size)
    snprintf(text + at, size - at, ", and %d others", l->modes - named);
}

static hk_rigid_desc rigid_desc(const hk_static *s)
{
  return (hk_rigid_desc){.space = s->on.space,
                         .constraints = &s->held.own,
                         .exchange = s->films.face,
                         .exchange_count = s->films.count,
                         .region = s->on.model->region,
                         .element_region = s->on.model->element_region,
                         .spring = s->on.model->spring.at,
                         .spring_count = s->on.model->spring.count};
}

hk_status hk_static_check_joints(const hk_static *s, bool *told)
{
  const hk_place place = s->on.model->step[s->step].place;
  const hk_rigid_desc desc = rigid_desc(s);
  hk_count modes;
  hk_index node;
  HK_PASS(hk_joints_find(&desc, &modes, &node));
  *told = modes > 0;
  if (*told)
    hk_messages_add(
        s->on.list, HK_WARNING, place.file, place.line, 0,
        "parts that meet only in an edge or a node (first: node %lld) can rotate there: %lld "
        "motion%s that nothing resists, and a run ends with 7: join them by a face, or hold them",
        (long long)hk_mesh_node_label(s->on.model->mesh, node), (long long)modes,
        modes > 1 ? "s" : "");
  return HK_OK;
}

hk_status hk_static_check_rigid(const hk_static *s)
{
  hk_status status = HK_OK;
  if (hk_static_coupled(s)) return hk_static_check_determined(s);
  enum { MOST = 10 };
  const hk_rigid_desc desc = rigid_desc(s);
  hk_count parts, count, modes = 0;
  hk_loose *loose = NULL;
  HK_TRY(hk_rigid_find(&desc, &parts, &count, &loose));
  for (hk_count i = 0; i < count; i++) {
    const hk_loose *l = &loose[i];
    char motions[160] = "", linked[64] = "";
    modes += l->modes;
    if (i >= MOST) continue;
    if (hk_static_solid(s)) name_motions(l, motions, sizeof motions);
    if (l->parts > 1)
      snprintf(linked, sizeof linked, " (%lld parts that equations link)", (long long)l->parts);
    hk_messages_add(
        s->on.list, HK_ERROR, s->on.model->step[s->step].place.file,
        s->on.model->step[s->step].place.line, 0,
        hk_static_heats(s)
            ? "%d temperature is not held%s: the part of element %lld%s with %lld elements%s"
            : "%d rigid-body modes are not held%s: the part of element %lld%s with %lld elements%s",
        l->modes, parts > 1 ? " of one part" : "",
        (long long)hk_mesh_element_label(s->on.model->mesh, l->element), linked,
        (long long)l->elements, motions);
  }
  HK_CHECK(!modes || hk_static_solid(s), HK_BAD_INPUT,
           "%s: %lld parts have no prescribed temperature, film or reaction, so their temperature "
           "is not determined: prescribe one",
           s->on.model->path, (long long)modes);
  HK_CHECK(!modes, HK_BAD_INPUT,
           "%s: %lld rigid-body modes are not held: prescribe displacements that hold the model",
           s->on.model->path, (long long)modes);
cleanup:
  hk_free(&loose);
  return status;
}

/* Of the principal values of C, mu and 3 lambda + 2 mu, and of lambda + 2 mu: the least and the most of all regions. */
static bool is_moderate(const hk_model *model)
{
  const double most_contrast = 1e6;
  double least = INFINITY, most = 0;
  for (int r = 0; r < model->region_count; r++) {
    const hk_material *m = &model->region[r].material;
    const double thickness = model->mesh->dim == 2 ? model->region[r].thickness : 1;
    if (!m->elastic || !m->isotropic || model->region[r].integration == HK_INTEGRATION_REDUCED)
      return false;
    const double shear = m->c[5][5], volume = m->c[0][0] + 2 * m->c[0][1];
    least = fmin(least, thickness * fmin(shear, volume));
    most = fmax(most, thickness * fmax(m->c[0][0], volume));
  }
  return most <= most_contrast * least;
}

/* Wedges of first order with two points of integration have a motion without strain, as elements of reduced integration do. */
static bool has_stiff_elements(const hk_static *s)
{
  const hk_model *model = s->on.model;
  bool all = true;
  for (int b = 0; b < model->mesh->block_count; b++)
    all = all && model->mesh->block[b].shape != HK_WEDGE6;
#pragma omp parallel for schedule(static) reduction(&& : all)
  for (hk_count e = 0; e < model->mesh->element_count; e++)
    all = all && model->element_region[e] >= 0;
  return all;
}

/* Narrow joints and supports with short arms are as weak as soft materials are: what they lack of 1 counts squared. */
hk_status hk_static_is_firm(const hk_static *s, bool *yes)
{
  hk_status status = HK_OK;
  const double narrow = 1e-3;
  hk_rigid_desc desc = rigid_desc(s);
  hk_count parts, loose = 0;
  hk_loose *list = NULL;
  desc.independent = narrow;
  *yes =
      hk_static_solid(s) && !desc.spring_count && is_moderate(s->on.model) && has_stiff_elements(s);
  if (*yes) HK_TRY(hk_mesh_is_one_piece(s->on.model->mesh, narrow, yes));
  if (*yes) HK_TRY(hk_rigid_find(&desc, &parts, &loose, &list));
  *yes = *yes && loose == 0;
cleanup:
  hk_free(&list);
  return status;
}
