/* What a step lets act or be recorded inside a perfectly matched layer, where coordinates are stretched: waves there are no waves of the
 * material. A force that acts on its held outer faces alone does nothing and is refused; all else is warned of, once for each line of the input. */
#include "model/stage.h"
#include "element/element.h"
#include <math.h>
#include <stdio.h>

typedef struct looking {
  const hk_problem *problem;
  hk_messages *list;
  bool shots;    /* their entries of one line are warned of once */
  hk_place last; /* warned of */
} looking;

typedef struct found { /* of what one entry of the input acts on */
  hk_count all, within, held;
  double at[3]; /* the first one within */
} found;

static void take(const looking *l, const double *x, bool held, found *f)
{
  const int dim = l->problem->model->mesh->dim;
  const bool within = held || hk_pml_covers(&l->problem->pml, dim, x);
  for (int c = 0; within && !f->within && c < dim; c++) f->at[c] = x[c];
  f->all++, f->within += within, f->held += held;
}

static void take_node(const looking *l, hk_index node, found *f)
{
  const hk_mesh *mesh = l->problem->model->mesh;
  take(l, mesh->x + (hk_count)node * mesh->dim, l->problem->pml.held[node], f);
}

/* A point acts on the nodes of its element: on a held face, on held ones alone. */
static void take_point(const looking *l, const double *x, found *f)
{
  const hk_mesh *mesh = l->problem->model->mesh;
  take(l, x, hk_pml_holds(&l->problem->pml, mesh->dim, x), f);
}

static found find_target(const looking *l, const hk_target *t, bool elements)
{
  const hk_mesh *mesh = l->problem->model->mesh;
  found f = {0};
  for (hk_count i = 0; i < t->count; i++) {
    if (!elements) {
      take_node(l, t->item[i], &f);
      continue;
    }
    const hk_block *block = hk_mesh_block_of(mesh, t->item[i]);
    const hk_element_face *face = t->face ? &hk_element_of(block->shape)->face[t->face[i]] : NULL;
    const hk_index *node = hk_mesh_nodes_of(mesh, t->item[i]);
    for (int k = 0; k < (face ? face->nodes : block->nodes); k++)
      take_node(l, node[face ? face->node[k] : k], &f);
  }
  return f;
}

static void print_point(const looking *l, const found *f, size_t room, char *text)
{
  if (l->problem->model->mesh->dim == 2)
    snprintf(text, room, "[%.6g, %.6g]", f->at[0], f->at[1]);
  else
    snprintf(text, room, "[%.6g, %.6g, %.6g]", f->at[0], f->at[1], f->at[2]);
}

static void warn(looking *l, hk_place place, const char *what, const found *f)
{
  char at[100], more[60] = "";
  const bool again = l->shots && place.line == l->last.line && place.file == l->last.file;
  if (!f->within || again) return;
  l->last = place;
  print_point(l, f, sizeof at, at);
  if (f->within > 1) snprintf(more, sizeof more, " and %lld more places", (long long)f->within - 1);
  hk_messages_add(l->list, HK_WARNING, place.file, place.line, 0,
                  "%s inside the perfectly matched layer, at %s%s: waves there are damped and "
                  "stretched, the result is not that of the material; keep outside the layer, or "
                  "make the mesh larger by its thickness",
                  what, at, more);
}

static hk_status refuse_held(const looking *l, hk_place place, const found *f)
{
  char at[100];
  if (!f->all || f->held < f->all) return HK_OK;
  print_point(l, f, sizeof at, at);
  return hk_model_error(l->problem->model, l->list, place, HK_BAD_INPUT,
                        "this acts on the outer face of the perfectly matched layer alone (at %s), "
                        "which is held: it does nothing; place it inside the body, or take kind "
                        "stacey there",
                        at);
}

static hk_status look_at_load(looking *l, const hk_load *load)
{
  hk_status status = HK_OK;
  found f = {0};
  const bool spread = load->kind != HK_LOAD_FORCE && load->kind != HK_LOAD_POINT;
  if (load->kind == HK_LOAD_POINT)
    take_point(l, load->at, &f);
  else
    f = find_target(l, &load->target, spread);
  HK_TRY(refuse_held(l, load->place, &f));
  warn(l, load->place, spread ? "this load acts" : "this source acts", &f);
cleanup:
  return status;
}

/* Conditions that hold are none: walls may go through the layer. */
static void look_at_motion(looking *l, const hk_motion *m)
{
  found f = {0};
  if (m->value == 0 && !m->values) return;
  if (m->has_point)
    take_point(l, m->at, &f);
  else
    f = find_target(l, &m->target, false);
  warn(l, m->place, "this motion acts", &f);
}

static void look_at_trace(looking *l, const hk_trace_request *r)
{
  found f = {0};
  char what[120];
  for (hk_count i = 0; i < r->point_count; i++) take_point(l, r->at + 3 * i, &f);
  if (!r->point_count) f = find_target(l, &r->target, false);
  snprintf(what, sizeof what, "trace %.40s: %lld of %lld receivers lie", r->name,
           (long long)f.within, (long long)f.all);
  warn(l, r->place, what, &f);
}

static hk_status look_at_initial(looking *l, const hk_initial *v)
{
  hk_status status = HK_OK;
  const found f = find_target(l, &v->target, false);
  if (!v->values && v->value == 0) return HK_OK;
  HK_TRY(refuse_held(l, v->place, &f));
  warn(l, v->place, "these initial values are", &f);
cleanup:
  return status;
}

static hk_status look_at_shot(looking *l, const hk_shot *shot)
{
  hk_status status = HK_OK;
  for (int i = 0; i < shot->load_count; i++) HK_TRY(look_at_load(l, &shot->load[i]));
  for (int i = 0; i < shot->motion_count; i++) look_at_motion(l, &shot->motion[i]);
cleanup:
  return status;
}

hk_status hk_stage_check_layer(const hk_problem *problem, int index, hk_messages *list)
{
  hk_status status = HK_OK;
  const hk_model *model = problem->model;
  const hk_step *step = &model->step[index];
  looking l = {.problem = problem, .list = list};
  if (!problem->pml.stretch) return HK_OK;
  HK_TRY(look_at_shot(&l, &(hk_shot){.load = step->load,
                                     .motion = step->motion,
                                     .load_count = step->load_count,
                                     .motion_count = step->motion_count}));
  l.shots = true, l.last = (hk_place){0};
  for (int k = 0; k < step->shot_count; k++) HK_TRY(look_at_shot(&l, &step->shot[k]));
  l.shots = false;
  for (int t = 0; t < step->trace_count; t++) look_at_trace(&l, &step->trace[t]);
  for (int i = 0; index == 0 && i < model->initial_count; i++)
    HK_TRY(look_at_initial(&l, &model->initial[i]));
cleanup:
  return status;
}
