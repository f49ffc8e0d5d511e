/* Faces that exchange heat with the surroundings, q = h (T - T_sink), as (A.13): the term integral
 * h N^T N of K, which is assembled anew when the films of a step differ, and h T_sink in f. For
 * reports the heat that films take away is integrated again from the temperatures, together with
 * the reaction terms of the elements. */
#include "base/formula.h"
#include "element/face.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "run/static/static.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_element(const void *a, const void *b)
{
  const hk_exchange *x = a, *y = b;
  return x->element != y->element ? (x->element > y->element) - (x->element < y->element)
                                  : (x->face > y->face) - (x->face < y->face);
}

/* The formula of a film's coefficient at the points of a face and the temperatures on.t: *some where it is above 0 at one. HK_BAD_INPUT where it
 * has no value, or one below 0. */
static hk_status check_film(const hk_acts_on *on, const hk_load *load, hk_count k, bool *some)
{
  const hk_mesh *mesh = on->model->mesh;
  const hk_count e = load->target.item[k];
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_element_face *face = &element->face[load->target.face[k]];
  const hk_region *region = &on->model->region[on->model->element_region[e]];
  const bool reduced = hk_face_reduced(element, region->integration);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_FACE_NODES], n[HK_MOST_FACE_NODES], normal[3], at[3];
  *some = false;
  for (int i = 0; i < face->nodes * mesh->dim; i++)
    x[i] = mesh->x[(hk_count)node[face->node[i / mesh->dim]] * mesh->dim + i % mesh->dim];
  for (int q = 0; q < hk_face_points(element, face, reduced); q++) {
    hk_face_point(element, face, reduced, q, x, n, normal);
    hk_element_place(mesh->dim, face->nodes, n, x, at);
    double t = 0;
    for (int i = 0; on->t && i < face->nodes; i++) t += n[i] * on->t[node[face->node[i]]];
    const double value = hk_formula_value_warm(load->film_by, at, t, NULL);
    *some = *some || value > 0;
    if (isfinite(value) && value >= 0) continue;
    HK_PASS(
        hk_model_error(on->model, on->list, load->place, HK_BAD_INPUT,
                       "film: the coefficient %s is %g at (%g, %g, %g), on element %lld: must be "
                       "finite and 0 or above",
                       hk_formula_text(load->film_by), value, at[0], at[1], at[2],
                       (long long)hk_mesh_element_label(mesh, e)));
  }
  return HK_OK;
}

hk_status hk_films_check(const hk_acts_on *on, const hk_step *step)
{
  bool some;
  for (const hk_load *load = step->load; load < step->load + step->load_count; load++)
    for (hk_count k = 0; hk_formula_warm(load->film_by) && k < load->target.count; k++)
      HK_PASS(check_film(on, load, k, &some));
  return HK_OK;
}

hk_status hk_films_find(const hk_acts_on *on, const hk_step *step, hk_films *films)
{
  hk_count count = 0;
  films->count = 0;
  for (int i = 0; i < step->load_count; i++)
    if (step->load[i].kind == HK_LOAD_FILM) count += step->load[i].target.count;
  HK_PASS(hk_resize(&films->face, count));
  for (const hk_load *load = step->load; load < step->load + step->load_count; load++) {
    double film;
    if (load->kind != HK_LOAD_FILM) continue;
    const double sink = load->vector[0] * hk_acts_scale(on, load);
    HK_PASS(hk_acts_film(on, load, &film));
    for (hk_count k = 0; k < load->target.count; k++) {
      const bool warm = hk_formula_warm(load->film_by);
      bool some = true;
      if (load->film_by && !warm) HK_PASS(check_film(on, load, k, &some));
      films->face[films->count++] = (hk_exchange){.element = load->target.item[k],
                                                  .face = load->target.face[k],
                                                  .component = (uint8_t)load->component,
                                                  .components = (uint8_t)on->space->components,
                                                  .coefficient = some ? film : 0,
                                                  .by = load->film_by,
                                                  .sink = warm ? sink : 0,
                                                  .sink_by = load->by};
    }
  }
  if (count) qsort(films->face, (size_t)count, sizeof *films->face, by_element);
  return HK_OK;
}

bool hk_films_same(const hk_films *a, const hk_films *b)
{
  bool same = a->count == b->count;
  for (hk_count i = 0; same && i < a->count; i++) {
    const hk_exchange *x = &a->face[i], *y = &b->face[i];
    same = x->element == y->element && x->face == y->face && x->component == y->component &&
           x->coefficient == y->coefficient && x->by == y->by && x->sink == y->sink &&
           x->sink_by == y->sink_by;
  }
  return same;
}

hk_status hk_films_copy(const hk_films *from, hk_films *to)
{
  HK_PASS(hk_resize(&to->face, from->count));
  to->count = from->count;
  for (hk_count i = 0; i < to->count; i++) to->face[i] = from->face[i];
  return HK_OK;
}

static bool any_reacts(const hk_model *model)
{
  for (int r = 0; r < model->region_count; r++)
    if (hk_material_reacts(&model->region[r].material)) return true;
  return false;
}

static void add_reactions(const hk_discretisation *on, const double *t, double *heat)
{
  const hk_mesh *mesh = on->model->mesh;
  if (!any_reacts(on->model)) return;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_region *region = &on->model->region[on->model->element_region[e]];
    const hk_block *block = hk_mesh_block_of(mesh, e);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    double x[3 * HK_MOST_NODES], at[HK_MOST_NODES], own[HK_MOST_NODES];
    if (!hk_material_reacts(&region->material)) continue;
    hk_element_gather(mesh, block, e - block->first, x);
    for (int n = 0; n < block->nodes; n++) at[n] = t[on->space->node[node[n]]], own[n] = 0;
    hk_element_react(region, hk_element_of(block->shape), x, at, own);
    for (int n = 0; n < block->nodes; n++) heat[on->space->node[node[n]]] += own[n];
  }
}

static hk_index dof_of(const hk_discretisation *on, const hk_exchange *e, hk_index node)
{
  return on->space->node[node] * on->space->components + e->component;
}

/* m = integral of h N N^T over a face, of its nodes dof[nodes]. */
static int find_exchange(const hk_discretisation *on, const hk_exchange *e, const double *t,
                         hk_index *dof, double *m)
{
  const hk_mesh *mesh = on->model->mesh;
  const int dim = mesh->dim;
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e->element)->shape);
  const hk_element_face *face = &element->face[e->face];
  const hk_region *region = &on->model->region[on->model->element_region[e->element]];
  const hk_index *node = hk_mesh_nodes_of(mesh, e->element);
  double x[3 * HK_MOST_FACE_NODES], own[HK_MOST_FACE_NODES];
  memset(m, 0, (size_t)(face->nodes * face->nodes) * sizeof *m);
  for (int k = 0; k < face->nodes * dim; k++)
    x[k] = mesh->x[(hk_count)node[face->node[k / dim]] * dim + k % dim];
  for (int k = 0; k < face->nodes; k++) {
    dof[k] = dof_of(on, e, node[face->node[k]]);
    own[k] = t[dof[k]];
  }
  hk_face_mass(element, face, hk_face_reduced(element, region->integration),
               e->coefficient * (dim == 2 ? region->thickness : 1),
               &(hk_face_factor){
                   .by = e->by, .t = own, .ring = dim == 2 && region->plane == HK_AXISYMMETRIC},
               x, m);
  return face->nodes;
}

double hk_films_conductance(const hk_discretisation *on, const hk_films *films,
                            const hk_formula *by, const double *t)
{
  double m[HK_MOST_FACE_NODES * HK_MOST_FACE_NODES], sum = 0;
  hk_index dof[HK_MOST_FACE_NODES];
  for (const hk_exchange *e = films->face; e < films->face + films->count; e++) {
    if (e->by != by) continue;
    const int nodes = find_exchange(on, e, t, dof, m);
    for (int k = 0; k < nodes * nodes; k++) sum += m[k];
  }
  return sum;
}

void hk_films_heat(const hk_discretisation *on, const hk_films *films, const double *t,
                   double *heat)
{
  double m[HK_MOST_FACE_NODES * HK_MOST_FACE_NODES];
  hk_index dof[HK_MOST_FACE_NODES];
  for (hk_count i = 0; i < films->count; i++) {
    const int nodes = find_exchange(on, &films->face[i], t, dof, m);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++) heat[dof[a]] += m[a * nodes + b] * t[dof[b]];
  }
  add_reactions(on, t, heat);
}
