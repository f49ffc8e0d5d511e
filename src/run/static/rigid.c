/* Whether a step holds the model: each part has 6 motions without strain (3 in 2D; of heat one temperature), the constraints are rows on those of the
 * parts that they link, and what is left in the null space is told part by part (load/rigid.h). Joints, where parts meet in an edge or a node alone, are
 * looked at for hk_check (load/joints.h). */
#include "load/joints.h"
#include "load/rigid.h"
#include "run/static/static.h"
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
