/* The terms of K beside its elements: springs of cracks (W.21), and the coupling of fluids with
 * solids at the nodes where both meet (S.8). Components of the solid that are fixed in every shot
 * lose their part of the interface normal, and nodes at a free surface of the fluid are not
 * coupled. Springs in a fluid or at an interface are refused. */
#include "run/explicit/problem.h"
#include "operator/spectral/fsi.h"

/* What a motion holds at 0 in every shot: a free surface of the fluid, or components of the solid. */
static bool holds(const hk_motion *m, hk_medium medium)
{
  return m->medium == medium && m->kind == HK_MOVE_DISPLACEMENT && m->value == 0 && !m->values &&
         m->component >= 0 && !m->has_point;
}

/* held[mesh node]: bit c of solids, bit 0 of fluids. */
static void mark_held(const hk_model *model, uint8_t *held)
{
  for (int s = 0; s < model->step_count; s++)
    for (int k = 0; k < model->step[s].motion_count; k++) {
      const hk_motion *m = &model->step[s].motion[k];
      for (hk_count i = 0; i < m->target.count; i++) {
        const hk_index n = m->target.item[i];
        if (holds(m, model->media.fluid[n] ? HK_FLUID : HK_SOLID))
          held[n] |= (uint8_t)(1 << m->component);
      }
    }
}

hk_count hk_problem_pairs(const hk_problem *p)
{
  hk_count count;
  hk_terms_find(&p->on.terms, &hk_fsi_kind, &count);
  return count;
}

/* Nodes of elements of the layer. */
static void mark_layer(const hk_problem *p, bool *in)
{
  const hk_mesh *mesh = p->on.model->mesh;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    if (!hk_pml_has(mesh, &p->pml, e)) continue;
    for (int n = 0; n < hk_mesh_block_of(mesh, e)->nodes; n++) in[node[n]] = true;
  }
}

hk_status hk_problem_join_layer(const hk_problem *p, hk_count *pairs, hk_index (*joined)[2])
{
  hk_status status = HK_OK;
  bool *in = NULL;
  hk_count count;
  const hk_index *number = p->on.space->node;
  const hk_fsi *fsi = hk_terms_find(&p->on.terms, &hk_fsi_kind, &count);
  if (!p->pml.stretch || !count) return HK_OK;
  HK_TRY(hk_get(&in, p->on.model->mesh->node_count));
  mark_layer(p, in);
  for (hk_count k = 0; k < count; k++) /* all of a fluid node or none */
    if (in[fsi[k].solid]) in[fsi[k].fluid] = true;
  for (hk_count k = 0; k < count; k++) {
    if (!in[fsi[k].fluid]) continue;
    joined[*pairs][0] = number[fsi[k].fluid], joined[*pairs][1] = number[fsi[k].solid];
    ++*pairs;
  }
cleanup:
  hk_free(&in);
  return status;
}

hk_status hk_problem_find_terms(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  const hk_mesh *mesh = model->mesh;
  uint8_t *held = NULL;
  hk_count all, kept = 0;
  for (hk_count k = 0; k < model->spring.count && model->media.fluid; k++)
    HK_CHECK(!model->media.fluid[model->spring.at[k].node[0]] &&
                 !model->media.fluid[model->spring.at[k].node[1]],
             HK_BAD_INPUT, "%s: springs of a crack lie in a fluid: they join solids", model->path);
  p->on.terms.term[0] = (hk_operator_term){&hk_springs_kind, model->spring.at, model->spring.count};
  if (!model->media.fsi_count) return HK_OK;
  HK_TRY(hk_get(&held, mesh->node_count));
  HK_TRY(hk_pool_get(&p->pool, &p->on_fsi, mesh->node_count));
  HK_TRY(hk_fsi_find(mesh, model->region, model->element_region, model->media.fsi_count,
                     model->media.fsi, &all, &p->fsi));
  mark_held(model, held);
  for (hk_count k = 0; k < all; k++) {
    hk_fsi w = p->fsi[k];
    p->on_fsi[w.fluid] = p->on_fsi[w.solid] = true;
    for (int c = 0; c < 3; c++)
      if (held[w.solid] >> c & 1) w.normal[c] = 0;
    if (!held[w.fluid]) p->fsi[kept++] = w;
  }
  p->on.terms.term[1] = (hk_operator_term){&hk_fsi_kind, p->fsi, kept};
  for (hk_count k = 0; k < model->spring.count; k++)
    HK_CHECK(!p->on_fsi[model->spring.at[k].node[0]] && !p->on_fsi[model->spring.at[k].node[1]],
             HK_BAD_INPUT,
             "%s: springs of a crack act on nodes of a fluid-solid interface: end the springs an "
             "element before the fluid",
             model->path);
cleanup:
  hk_free(&held);
  return status;
}
