/* Axisymmetric models (r = x, axis x = 0, along y; theory: (E.13)): the one place that says what they do not support. A mesh lies at r >= 0; on the
 * axis u_r is 0, as the field is single-valued there, and each step of displacements gets that condition unless it has it. Symmetry also
 * asks for loads that do not change around the axis: no gravity across it, no turning about another one, no force on it across. Fluids have no
 * displacements to hold. */
#include "element/element.h"
#include "model/model.h"
#include "physics/law.h"
#include <math.h>

typedef struct axis { /* nodes of elements at r = 0 */
  hk_index *node;
  hk_count count;
  bool *on;    /* on[mesh node] */
  double none; /* radii up to this are 0 */
} axis;

#define REFUSE(place, ...) return hk_model_error(model, list, place, HK_BAD_INPUT, __VA_ARGS__)

static const hk_place nowhere = {NULL, 0};

/* What a region is made of. */
static hk_status check_region(const hk_model *model, hk_messages *list, const hk_region *r)
{
  const char *name = r->name ? r->name : "(no name)";
  if (r->plane != HK_AXISYMMETRIC)
    REFUSE(nowhere,
           "region %s is plane and others are axisymmetric: a model has one kind of 2D elements",
           name);
  if (r->material.advection.flows)
    REFUSE(nowhere, "region %s: axisymmetric models do not support materials that move", name);
  if (hk_law_relaxes(r))
    REFUSE(nowhere,
           "region %s: axisymmetric models do not support attenuation of solids (q_s, q_p, "
           "kelvin_voigt): give damping, or mesh a wedge in 3D",
           name);
  return HK_OK;
}

/* Explicit steps run on the shapes with lumped masses above 0 at all nodes, also at those on the axis; of families the shapes of
 * hk_shape_on_axis have them. */
static hk_status check_shapes(const hk_model *model, hk_messages *list)
{
  const hk_mesh *mesh = model->mesh;
  const bool families = hk_mesh_quad_families(mesh);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_element *element = hk_element_of(mesh->block[b].shape);
    if (!families && !element->steps)
      REFUSE(nowhere,
             "explicit steps of axisymmetric models do not support %s elements: use tri3, quad4, "
             "tri6, quad8, or only quadrilaterals of one order with element: {order: 2 .. 10}",
             hk_shape_name(element->shape));
  }
  return HK_OK;
}

/* Whether exactly the nodes of this face of the element lie on the axis; none, where face is -1. */
static bool fits_axis(const hk_element *element, int face, const hk_index *node, const axis *a)
{
  int on = 0, there = 0;
  for (int n = 0; n < element->nodes; n++) on += a->on[node[n]];
  if (face < 0) return !on;
  for (int n = 0; n < element->face[face].nodes; n++)
    there += a->on[node[element->face[face].node[n]]];
  return on == there && there == element->face[face].nodes;
}

/* Of elements of order p: a face on the axis belongs to a shape with masses there. */
static hk_status check_axis(const hk_model *model, hk_messages *list, const axis *a)
{
  const hk_mesh *mesh = model->mesh;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    if (!fits_axis(element, hk_shape_axis(element->shape), hk_mesh_nodes_of(mesh, e), a))
      REFUSE(nowhere,
             "element %lld (%s) does not fit the axis x = 0: nodes of elements of order p with an "
             "edge there lie at Gauss-Lobatto-Jacobi points: give a linear mesh and element: "
             "{order: p}",
             (long long)hk_mesh_element_label(mesh, e), hk_shape_name(element->shape));
  }
  return HK_OK;
}

/* The lumped mass at a node is its volume: next to the axis a small one, and so is the limit of the time step. */
static void warn_of_narrow_holes(const hk_model *model, hk_messages *list)
{
  const hk_mesh *mesh = model->mesh;
  hk_count near = 0, first = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    double least = INFINITY, most = 0;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) {
      least = fmin(least, mesh->x[2 * (hk_count)node[n]]);
      most = fmax(most, mesh->x[2 * (hk_count)node[n]]);
    }
    if (least > 0 && least < 1e-3 * (most - least) && !near++) first = e;
  }
  if (near)
    hk_messages_add(list, HK_WARNING, model->path, 0, 0,
                    "%lld elements lie closer to the axis x = 0 than a thousandth of their width "
                    "(the first: element %lld), which needs small time steps: move these nodes to "
                    "x = 0 where the body has no hole",
                    (long long)near, (long long)hk_mesh_element_label(mesh, first));
}

/* One point and incompatible modes of linear quadrilaterals. */
static hk_status check_integration(const hk_model *model, hk_messages *list)
{
  if (model->step[0].kind == HK_STEP_HEAT) return HK_OK;
  for (int b = 0; b < model->mesh->block_count; b++) {
    const hk_block *block = &model->mesh->block[b];
    for (hk_count e = block->first; e < block->first + block->count; e++) {
      const int r = model->element_region[e];
      if (block->shape != HK_QUAD4 || r < 0 || !model->region[r].integration) continue;
      REFUSE(nowhere,
             "element %lld has one integration point or incompatible modes, which axisymmetric "
             "models do not support: give CAX4 (integration: full), or elements of second order",
             (long long)hk_mesh_element_label(model->mesh, e));
    }
  }
  return HK_OK;
}

/* Whether a tensor at a point of the axis is the same whatever the angle around it: xx (r) and zz (around) are one number, xy is 0. */
static bool is_round(const double *moment)
{
  return fabs(moment[0] - moment[8]) <= 1e-9 * (fabs(moment[0]) + fabs(moment[8])) &&
         moment[1] == 0;
}

static hk_status check_load(const hk_model *model, hk_messages *list, const hk_load *load)
{
  if (load->kind == HK_LOAD_GRAVITY && load->vector[0] != 0)
    REFUSE(load->place, "axisymmetric models support gravity along the axis (y) alone");
  const bool about = fabs(load->vector[0]) + fabs(load->vector[2]) < 1e-12 && load->at[0] == 0;
  if (load->kind == HK_LOAD_CENTRIFUGAL && !about)
    REFUSE(load->place, "axisymmetric models rotate about their own axis alone: the line x = 0");
  if (load->moment && load->at[0] <= hk_mesh_axis_tolerance(model->mesh) && !is_round(load->moment))
    REFUSE(load->place,
           "a moment tensor on the axis of an axisymmetric model has xx = zz and no xy: of a "
           "tensor in 3D give the mean of both components across the axis as xx and zz");
  return HK_OK;
}

/* Forces across the axis, which u_r = 0 would swallow. */
static hk_status check_force(const hk_model *model, hk_messages *list, const axis *a,
                             const hk_load *load)
{
  static const char words[] = "a force on the axis of an axisymmetric model acts along it (y) "
                              "alone: u_r is 0 there, and x has no direction";
  if (load->medium == HK_FLUID || load->moment) return HK_OK;
  if (load->kind == HK_LOAD_POINT && load->vector[0] != 0 && load->at[0] <= a->none)
    REFUSE(load->place, words);
  for (hk_count i = 0; load->kind == HK_LOAD_FORCE && i < load->target.count; i++)
    if (a->on[load->target.item[i]] &&
        (load->vectors ? load->vectors[3 * i] : load->vector[0]) != 0)
      REFUSE(load->place, words);
  return HK_OK;
}

static hk_status check_steps(const hk_model *model, hk_messages *list)
{
  for (const hk_step *s = model->step; s < model->step + model->step_count; s++) {
    if (s->kind == HK_STEP_COUPLED)
      REFUSE(s->place, "coupled equations do not support axisymmetric models: multiply the "
                       "coefficients by x instead");
    if (s->kind == HK_STEP_EXPLICIT) HK_PASS(check_shapes(model, list));
    for (int l = 0; l < s->load_count; l++) HK_PASS(check_load(model, list, &s->load[l]));
    for (int k = 0; k < s->shot_count; k++)
      for (int l = 0; l < s->shot[k].load_count; l++)
        HK_PASS(check_load(model, list, &s->shot[k].load[l]));
  }
  return HK_OK;
}

static hk_status check_contents(const hk_model *model, hk_messages *list)
{
  for (int r = 0; r < model->region_count; r++)
    HK_PASS(check_region(model, list, &model->region[r]));
  if (model->mesh->dim != 2) REFUSE(nowhere, "axisymmetric models need a 2D mesh");
  HK_PASS(check_steps(model, list));
  HK_PASS(check_integration(model, list));
  if (model->spring.count)
    REFUSE(nowhere, "axisymmetric models do not support the springs of cracks");
  return HK_OK;
}

/* Nodes of elements that lie on the axis; their x becomes 0. HK_BAD_INPUT: beyond it. */
static hk_status find_axis(const hk_model *model, hk_messages *list, axis *a)
{
  const hk_mesh *mesh = model->mesh;
  a->none = hk_mesh_axis_tolerance(mesh);
  hk_mesh_snap_axis(model->mesh);
  HK_PASS(hk_get(&a->on, mesh->node_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) {
      const double r = mesh->x[2 * (hk_count)node[n]];
      if (r < 0)
        REFUSE(nowhere,
               "node %lld has r = x = %g: an axisymmetric model lies at r >= 0, and its axis is "
               "the line x = 0",
               (long long)hk_mesh_node_label(mesh, node[n]), r);
      if (r > 0 || a->on[node[n]]) continue;
      a->on[node[n]] = true;
      a->count++;
    }
  }
  HK_PASS(hk_get(&a->node, a->count));
  a->count = 0;
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (a->on[n]) a->node[a->count++] = (hk_index)n;
  return HK_OK;
}

/* Whether the motion of its i-th node is that along r alone. */
static bool along_r(const hk_motion *m, hk_count i)
{
  if (m->component >= 0) return m->component == 0;
  const double *direction = m->directions ? m->directions + 3 * i : m->direction;
  return fabs(direction[1]) < 1e-12;
}

/* Whether the motion of its i-th node has a part along r: explicit steps prescribe both components. */
static bool partly_along_r(const hk_motion *m, hk_count i)
{
  if (m->component >= 0) return m->component == 0;
  const double *direction = m->directions ? m->directions + 3 * i : m->direction;
  return fabs(direction[0]) > 1e-12;
}

/* HK_BAD_INPUT: it moves the axis along r. held[mesh node], may be NULL: set where it holds u_r of a node on the axis at 0. */
static hk_status look_at_motion(const hk_model *model, hk_messages *list, const hk_motion *m,
                                const axis *a, bool explicitly, bool *held)
{
  static const char words[] =
      "lies on the axis of an axisymmetric model, where u_r is 0: prescribe "
      "no motion along x there";
  if (m->frozen || m->medium == HK_FLUID) return HK_OK;
  if (m->has_point && m->at[0] <= a->none && m->direction[0] != 0)
    REFUSE(m->place, "(%g, %g) %s", m->at[0], m->at[1], words);
  for (hk_count i = 0; !m->has_point && i < m->target.count; i++) {
    const hk_index node = m->target.item[i];
    if (!a->on[node] || !(explicitly ? partly_along_r(m, i) : along_r(m, i))) continue;
    if ((m->values ? m->values[i] : m->value) != 0)
      REFUSE(m->place, "node %lld %s", (long long)hk_mesh_node_label(model->mesh, node), words);
    if (held) held[node] = true;
  }
  return HK_OK;
}

/* held[mesh node]: the step has u_r = 0 there, or the node is of a fluid. HK_BAD_INPUT: it moves the axis, or pushes it across. */
static hk_status find_held(const hk_model *model, hk_messages *list, const hk_step *step,
                           const axis *a, bool *held)
{
  const bool explicitly = step->kind == HK_STEP_EXPLICIT;
  for (hk_count n = 0; n < model->mesh->node_count; n++)
    held[n] = model->media.fluid && model->media.fluid[n];
  for (const hk_motion *m = step->motion; m < step->motion + step->motion_count; m++)
    HK_PASS(look_at_motion(model, list, m, a, explicitly, held));
  for (int l = 0; explicitly && l < step->load_count; l++)
    HK_PASS(check_force(model, list, a, &step->load[l]));
  for (const hk_shot *s = step->shot; s < step->shot + step->shot_count; s++) {
    for (int k = 0; k < s->motion_count; k++)
      HK_PASS(look_at_motion(model, list, &s->motion[k], a, explicitly, NULL));
    for (int l = 0; l < s->load_count; l++) HK_PASS(check_force(model, list, a, &s->load[l]));
  }
  return HK_OK;
}

/* Initial values along r are 0 on the axis; those of heat are temperatures. */
static hk_status check_initial(const hk_model *model, hk_messages *list, const axis *a)
{
  if (model->step[0].kind != HK_STEP_EXPLICIT) return HK_OK;
  for (const hk_initial *v = model->initial.at; v < model->initial.at + model->initial.count; v++)
    for (hk_count i = 0; v->medium == HK_SOLID && v->component == 0 && i < v->target.count; i++)
      if (a->on[v->target.item[i]] && (v->values ? v->values[i] : v->value) != 0)
        REFUSE(v->place,
               "node %lld lies on the axis of an axisymmetric model, where u_r is 0: give no "
               "initial values along x there",
               (long long)hk_mesh_node_label(model->mesh, v->target.item[i]));
  return HK_OK;
}

/* Returns in *count how many nodes the step did not hold. */
static hk_status hold(hk_model *model, hk_step *step, const axis *a, const bool *held,
                      hk_count *count)
{
  hk_motion *m;
  *count = 0;
  for (hk_count i = 0; i < a->count; i++) *count += !held[a->node[i]];
  if (!*count) return HK_OK;
  /* readers of decks keep no room behind their motions */
  HK_PASS(hk_pool_resize_array(&model->pool, step->motion_count + 1, sizeof *step->motion,
                               (void **)&step->motion));
  m = &step->motion[step->motion_count++];
  *m = (hk_motion){.kind = HK_MOVE_DISPLACEMENT, .signal = -1, .place = step->place};
  HK_PASS(hk_pool_get(&model->pool, &m->target.item, *count));
  for (hk_count i = 0; i < a->count; i++)
    if (!held[a->node[i]]) m->target.item[m->target.count++] = a->node[i];
  return HK_OK;
}

static hk_status hold_axis(hk_model *model, hk_messages *list, const axis *a)
{
  hk_status status = HK_OK;
  bool *held = NULL;
  hk_count count = 0, most = 0;
  if (model->media.fluid && !model->media.solid) goto cleanup;
  HK_TRY(check_initial(model, list, a));
  HK_TRY(hk_get(&held, model->mesh->node_count));
  for (hk_step *s = model->step; s < model->step + model->step_count; s++) {
    if (s->kind == HK_STEP_HEAT) continue;
    HK_TRY(find_held(model, list, s, a, held));
    HK_TRY(hold(model, s, a, held, &count));
    most = count > most ? count : most;
  }
  if (most)
    hk_messages_add(list, HK_NOTE, model->path, 0, 0,
                    "u_r = 0 is held at %lld nodes on the axis of the axisymmetric model",
                    (long long)most);
cleanup:
  hk_free(&held);
  return status;
}

bool hk_model_is_axisymmetric(const hk_model *model)
{
  bool any = false;
  for (int r = 0; r < model->region_count; r++)
    any = any || model->region[r].plane == HK_AXISYMMETRIC;
  return any;
}

/* Explicit steps of elements of order p have their stiffness at the points of their masses. */
static hk_status complete_families(hk_model *model, hk_messages *list, const axis *a)
{
  if (model->step[0].kind != HK_STEP_EXPLICIT || !hk_mesh_quad_families(model->mesh)) return HK_OK;
  HK_PASS(check_axis(model, list, a));
  warn_of_narrow_holes(model, list);
  for (int r = 0; r < model->region_count; r++) model->region[r].integration = HK_INTEGRATION_NODES;
  return HK_OK;
}

hk_status hk_model_complete_axisymmetric(hk_model *model, hk_messages *list)
{
  hk_status status = HK_OK;
  axis a = {0};
  if (!hk_model_is_axisymmetric(model)) return HK_OK;
  HK_TRY(check_contents(model, list));
  HK_TRY(find_axis(model, list, &a));
  HK_TRY(complete_families(model, list, &a));
  if (a.count) HK_TRY(hold_axis(model, list, &a));
cleanup:
  hk_free(&a.on);
  hk_free(&a.node);
  return status;
}
