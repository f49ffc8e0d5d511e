/* Loads on faces inside the body. The load of a face acts on its element, which is what a load on the surface means. Inside the body it acts on the nodes that both elements
 * share: a pressure on one side is a force that the model may not have, on both sides it cancels, and tractions, fluxes and films on both sides count twice. */
#include "model/inner_faces.h"
#include "mesh/topology.h"
#include <stdlib.h>
#include <string.h>

typedef struct surface { /* faces of one element alone, ascending */
  hk_count count;
  hk_index *element;
  uint8_t *face;
} surface;

typedef struct inner { /* a face by its vertices */
  hk_index vertex[HK_FACE_VERTICES];
} inner;

static bool acts_on_faces(const hk_load *l)
{
  return l->target.face && (l->kind == HK_LOAD_PRESSURE || l->kind == HK_LOAD_TRACTION ||
                            l->kind == HK_LOAD_FLUX || l->kind == HK_LOAD_FILM);
}

static void name_face(const hk_mesh *mesh, const hk_load *l, hk_count i, inner *out)
{
  const hk_index e = l->target.item[i];
  hk_mesh_face_vertices(hk_element_of(hk_mesh_block_of(mesh, e)->shape), hk_mesh_nodes_of(mesh, e),
                        l->target.face[i], out->vertex);
}

/* Marks the vertices of the faces of face loads; false: there are none. */
static bool mark_vertices(const hk_mesh *mesh, const hk_shot *acts, uint8_t *among)
{
  bool any = false;
  for (int k = 0; k < acts->load_count; k++) {
    const hk_load *l = &acts->load[k];
    if (!acts_on_faces(l)) continue;
    for (hk_count i = 0; i < l->target.count; i++) {
      inner name;
      name_face(mesh, l, i, &name);
      for (int v = 0; v < HK_FACE_VERTICES && name.vertex[v] >= 0; v++) among[name.vertex[v]] = 1;
      any = true;
    }
  }
  return any;
}

static bool is_outer(const surface *s, hk_index element, uint8_t face)
{
  hk_count low = 0, high = s->count;
  while (low < high) {
    const hk_count middle = low + (high - low) / 2;
    const bool before =
        s->element[middle] < element || (s->element[middle] == element && s->face[middle] < face);
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->count && s->element[low] == element && s->face[low] == face;
}

static int by_vertices(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(inner));
}

static void tell(const hk_load *l, hk_count faces, hk_count pairs, hk_messages *list)
{
  const hk_count sides = faces - 2 * pairs;
  if (pairs)
    hk_messages_add(list, HK_WARNING, l->place.file, l->place.line, 0,
                    "%lld faces of this load lie inside the body and have it on both sides: %s",
                    (long long)pairs,
                    l->kind == HK_LOAD_PRESSURE ? "the pressure cancels there"
                                                : "it acts there twice");
  if (sides)
    hk_messages_add(list, HK_WARNING, l->place.file, l->place.line, 0,
                    "%lld of %lld faces of this load lie inside the body: it acts there on the "
                    "element of the face as on a surface, and on the other side nothing does",
                    (long long)sides, (long long)l->target.count);
}

static hk_status check_load(const hk_mesh *mesh, const hk_load *l, const surface *s,
                            hk_messages *list)
{
  hk_status status = HK_OK;
  inner *name = NULL;
  hk_count count = 0, pairs = 0;
  HK_TRY(hk_get(&name, l->target.count));
  for (hk_count i = 0; i < l->target.count; i++)
    if (!is_outer(s, l->target.item[i], l->target.face[i])) name_face(mesh, l, i, &name[count++]);
  if (count) qsort(name, (size_t)count, sizeof *name, by_vertices);
  for (hk_count i = 1; i < count; i++)
    if (!by_vertices(&name[i - 1], &name[i])) pairs++, i++;
  tell(l, count, pairs, list);
cleanup:
  hk_free(&name);
  return status;
}

static hk_status check_acts(const hk_mesh *mesh, const hk_shot *acts, const surface *s,
                            hk_messages *list)
{
  for (int k = 0; k < acts->load_count; k++)
    if (acts_on_faces(&acts->load[k])) HK_PASS(check_load(mesh, &acts->load[k], s, list));
  return HK_OK;
}

hk_status hk_model_check_faces(const hk_model *model, hk_messages *list)
{
  hk_status status = HK_OK;
  surface s = {0};
  uint8_t *among = NULL;
  bool any = false;
  HK_TRY(hk_get(&among, model->mesh->node_count));
  for (int i = 0; i < model->step_count; i++) {
    const hk_step *step = &model->step[i];
    const hk_shot always = hk_step_acts(step);
    any |= mark_vertices(model->mesh, &always, among);
    for (int k = 0; k < step->shot_count; k++)
      any |= mark_vertices(model->mesh, &step->shot[k], among);
  }
  if (!any) goto cleanup;
  HK_TRY(hk_mesh_boundary_among(model->mesh, among, &s.count, &s.element, &s.face));
  for (int i = 0; i < model->step_count; i++) {
    const hk_step *step = &model->step[i];
    const hk_shot always = hk_step_acts(step);
    HK_TRY(check_acts(model->mesh, &always, &s, list));
    for (int k = 0; k < step->shot_count; k++)
      HK_TRY(check_acts(model->mesh, &step->shot[k], &s, list));
  }
cleanup:
  hk_free(&among);
  hk_free(&s.element);
  hk_free(&s.face);
  return status;
}
