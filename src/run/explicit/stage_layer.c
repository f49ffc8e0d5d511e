/* What a step lets act or be recorded inside a layer that absorbs: waves there are damped, and in a perfectly matched layer its coordinates
 * are stretched too. It is warned of, once for each line of the input and kind of layer. A force that acts on the held outer faces of a
 * perfectly matched layer alone does nothing and is refused. */
#include "run/explicit/stage.h"
#include "element/element.h"
#include "load/absorb/distance.h"
#include <stdio.h>

typedef enum layer_kind { MATCHED, DAMPING, KINDS } layer_kind;

typedef struct looking {
  const hk_problem *problem;
  hk_distance **distance; /* distance[damping_layers of the problem]: from their faces */
  bool shots;             /* their entries of one line are warned of once */
  hk_place last[KINDS];   /* warned of */
} looking;

typedef struct found { /* of what one entry of the input acts on */
  hk_count all, held, within[KINDS];
  double at[KINDS][3]; /* the first one within */
} found;

/* As hk_pml_covers: what lies at the inner end of a layer is outside. */
static bool is_damped(const looking *l, const double *x)
{
  const hk_problem *p = l->problem;
  bool within = false;
  for (int i = 0; i < p->damping_layers; i++) {
    const double depth = p->damping_layer[i].thickness;
    within = within || hk_distance_to(l->distance[i], x, depth) < depth * (1 - 1e-9);
  }
  return within;
}

static void take(const looking *l, const double *x, bool held, found *f)
{
  const hk_problem *p = l->problem;
  const int dim = p->on.model->mesh->dim;
  const bool within[KINDS] = {[MATCHED] =
                                  held || (p->pml.stretch && hk_pml_covers(&p->pml, dim, x)),
                              [DAMPING] = is_damped(l, x)};
  for (layer_kind k = 0; k < KINDS; k++) {
    for (int c = 0; within[k] && !f->within[k] && c < dim; c++) f->at[k][c] = x[c];
    f->within[k] += within[k];
  }
  f->all++, f->held += held;
}

static void take_node(const looking *l, hk_index node, found *f)
{
  const hk_pml *pml = &l->problem->pml;
  const hk_mesh *mesh = l->problem->on.model->mesh;
  take(l, mesh->x + (hk_count)node * mesh->dim, pml->stretch && pml->held[node], f);
}

/* A point acts on the nodes of its element: on a held face, on held ones alone. */
static void take_point(const looking *l, const double *x, found *f)
{
  const hk_pml *pml = &l->problem->pml;
  take(l, x, pml->stretch && hk_pml_holds(pml, l->problem->on.model->mesh->dim, x), f);
}

static found find_target(const looking *l, const hk_target *t, bool elements)
{
  const hk_mesh *mesh = l->problem->on.model->mesh;
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

static void print_point(const looking *l, const double *x, size_t room, char *text)
{
  if (l->problem->on.model->mesh->dim == 2)
    snprintf(text, room, "[%.6g, %.6g]", x[0], x[1]);
  else
    snprintf(text, room, "[%.6g, %.6g, %.6g]", x[0], x[1], x[2]);
}

static void warn_of(looking *l, hk_place place, const char *what, layer_kind kind, const found *f)
{
  static const char *const name[KINDS] = {"perfectly matched", "absorbing"},
                           *const wave[KINDS] = {"damped and stretched", "damped"};
  hk_place *last = &l->last[kind];
  char at[100], more[60] = "";
  const bool again = l->shots && place.line == last->line && place.file == last->file;
  if (!f->within[kind] || again) return;
  *last = place;
  print_point(l, f->at[kind], sizeof at, at);
  if (f->within[kind] > 1)
    snprintf(more, sizeof more, " and %lld more places", (long long)f->within[kind] - 1);
  hk_messages_add(
      l->problem->on.list, HK_WARNING, place.file, place.line, 0,
      "%s inside the %s layer, at %s%s: waves there are %s, and the result is not that of the "
      "material; stay outside the layer, or make the mesh larger by its thickness",
      what, name[kind], at, more, wave[kind]);
}

static void warn(looking *l, hk_place place, const char *what, const found *f)
{
  for (layer_kind k = 0; k < KINDS; k++) warn_of(l, place, what, k, f);
}

static hk_status refuse_held(const looking *l, hk_place place, const found *f)
{
  char at[100];
  if (!f->all || f->held < f->all) return HK_OK;
  print_point(l, f->at[MATCHED], sizeof at, at);
  return hk_model_error(
      l->problem->on.model, l->problem->on.list, place, HK_BAD_INPUT,
      "this acts only on the outer face of the perfectly matched layer (at %s), which is fixed, so "
      "it does nothing: place it inside the body, or use kind stacey there",
      at);
}

static hk_status look_at_load(looking *l, const hk_load *load)
{
  found f = {0};
  if (load->kind == HK_LOAD_PLANE_WAVE) return HK_OK; /* run/acts/inject.c looks */
  const bool spread = load->kind != HK_LOAD_FORCE && load->kind != HK_LOAD_POINT;
  if (load->kind == HK_LOAD_POINT)
    take_point(l, load->at, &f);
  else
    f = find_target(l, &load->target, spread);
  HK_PASS(refuse_held(l, load->place, &f));
  warn(l, load->place, spread ? "this load acts" : "this source acts", &f);
  return HK_OK;
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
  for (hk_count i = 0; i < r->point_count; i++) take_point(l, r->at + 3 * i, &f);
  if (!r->point_count) f = find_target(l, &r->target, false);
  for (layer_kind k = 0; k < KINDS; k++) {
    char what[120];
    snprintf(what, sizeof what, "trace %.40s: %lld of %lld receivers lie", r->name,
             (long long)f.within[k], (long long)f.all);
    warn_of(l, r->place, what, k, &f);
  }
}

static hk_status look_at_initial(looking *l, const hk_initial *v)
{
  const found f = find_target(l, &v->target, false);
  if (!v->values && v->value == 0) return HK_OK;
  HK_PASS(refuse_held(l, v->place, &f));
  warn(l, v->place, "these initial values are", &f);
  return HK_OK;
}

static hk_status look_at_shot(looking *l, const hk_shot *shot)
{
  for (int i = 0; i < shot->load_count; i++) HK_PASS(look_at_load(l, &shot->load[i]));
  for (int i = 0; i < shot->motion_count; i++) look_at_motion(l, &shot->motion[i]);
  return HK_OK;
}

static hk_status look_at_step(looking *l, int index)
{
  const hk_model *model = l->problem->on.model;
  const hk_step *step = &model->step[index];
  const hk_shot every = hk_step_acts(step);
  HK_PASS(look_at_shot(l, &every));
  l->shots = true;
  for (layer_kind k = 0; k < KINDS; k++) l->last[k] = (hk_place){0};
  for (int k = 0; k < step->shot_count; k++) HK_PASS(look_at_shot(l, &step->shot[k]));
  l->shots = false;
  for (int t = 0; t < step->trace_count; t++) look_at_trace(l, &step->trace[t]);
  for (int i = 0; index == 0 && i < model->initial.count; i++)
    HK_PASS(look_at_initial(l, &model->initial.at[i]));
  return HK_OK;
}

static hk_status create_distances(looking *l)
{
  const hk_problem *p = l->problem;
  HK_PASS(hk_get(&l->distance, p->damping_layers));
  for (int i = 0; i < p->damping_layers; i++) {
    const hk_absorb_layer *layer = &p->damping_layer[i];
    HK_PASS(hk_distance_create(p->on.model->mesh, layer->count, layer->item, layer->face,
                               &l->distance[i]));
  }
  return HK_OK;
}

static void destroy_distances(looking *l)
{
  for (int i = 0; l->distance && i < l->problem->damping_layers; i++)
    hk_distance_destroy(&l->distance[i]);
  hk_free(&l->distance);
}

hk_status hk_stage_mark_absorbing(const hk_problem *problem, bool **absorbs)
{
  hk_status status = HK_OK;
  looking l = {.problem = problem};
  const hk_space *space = problem->on.space;
  const hk_mesh *mesh = problem->on.model->mesh;
  HK_TRY(create_distances(&l));
  HK_TRY(hk_get(absorbs, mesh->node_count));
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double x[3];
    hk_model_node_x(problem->on.model, n, x);
    (*absorbs)[n] = (problem->in_layer && problem->in_layer[n]) || is_damped(&l, x);
  }
  for (hk_index i = 0; i < problem->dashpots.count; i++)
    (*absorbs)[space->mesh_node[problem->dashpots.node[i]]] = true;
cleanup:
  destroy_distances(&l);
  return status;
}

hk_status hk_stage_check_layer(const hk_problem *problem, int index)
{
  hk_status status = HK_OK;
  looking l = {.problem = problem};
  if (!problem->pml.stretch && !problem->damping_layers) return HK_OK;
  HK_TRY(create_distances(&l));
  HK_TRY(look_at_step(&l, index));
cleanup:
  destroy_distances(&l);
  return status;
}
