/* Nodes of fluids with attenuation (V.5). A fluid's modulus K(w) makes the mass of its nodes one of frequency, M K_U / K(w) = M (1 + sum b r / (r + i w)),
 * with M of the modulus for a sudden strain: damping g = b r M of each mechanism, and a force by its past. Nodes on a solid, which are solved together
 * with it, keep the modulus of the reference frequency instead. A node on several regions has the mechanisms of each: their masses are those of a mesh whose
 * regions share no node, found in one pass. */
#include "run/explicit/problem.h"
#include "operator/element/element_matrix.h"
#include "mesh/mesh.h"
#include "physics/viscoelastic/fit.h"
#include <string.h>

static bool relaxes(const hk_region *region)
{
  return region->material.fluid && region->material.constant[0] > 0;
}

/* What one region adds to the mass of one of its nodes. */
typedef struct share {
  hk_index node; /* of the mesh */
  int region;
} share;

/* The mesh, torn: node `whole + k` is that of share k, so that the masses of nodes are those of regions apart. Regions that do not relax keep the nodes
 * of the mesh. The shares of a node ascend with the region. */
typedef struct torn {
  hk_mesh mesh; /* x and the nodes of its blocks are its own */
  hk_count whole;
  HK_LIST(share) share;
  hk_index *order; /* order[ordered]: elements of regions that relax, by region */
  hk_count ordered;
  double *mass; /* mass[share] */
} torn;

static void destroy_torn(torn *t)
{
  for (int b = 0; t->mesh.block && b < t->mesh.block_count; b++) hk_free(&t->mesh.block[b].node);
  hk_free(&t->mesh.block);
  hk_free(&t->mesh.x);
  hk_free(&t->share.at);
  hk_free(&t->order);
  hk_free(&t->mass);
}

static hk_status order_elements(const hk_model *model, torn *t)
{
  hk_status status = HK_OK;
  const hk_count elements = model->mesh->element_count;
  hk_index *begin = NULL;
  HK_TRY(hk_get(&begin, (hk_count)model->region_count + 1));
  HK_TRY(hk_get(&t->order, elements));
  for (hk_count e = 0; e < elements; e++) begin[model->element_region[e] + 1]++;
  for (int r = 0; r < model->region_count; r++)
    begin[r + 1] = begin[r] + (relaxes(&model->region[r]) ? begin[r + 1] : 0);
  t->ordered = begin[model->region_count];
  for (hk_count e = 0; e < elements; e++) {
    const int r = model->element_region[e];
    if (relaxes(&model->region[r])) t->order[begin[r]++] = (hk_index)e;
  }
cleanup:
  hk_free(&begin);
  return status;
}

static hk_status copy_blocks(const hk_mesh *mesh, torn *t)
{
  t->mesh = *mesh, t->mesh.x = NULL, t->mesh.block = NULL, t->mesh.node_label = NULL;
  t->whole = mesh->node_count;
  HK_PASS(hk_get(&t->mesh.block, mesh->block_count));
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *from = &mesh->block[b];
    hk_block *to = &t->mesh.block[b];
    *to = *from, to->node = NULL;
    HK_PASS(hk_get(&to->node, from->count * from->nodes));
    memcpy(to->node, from->node, (size_t)(from->count * from->nodes) * sizeof *to->node);
  }
  return HK_OK;
}

/* Makes the shares and gives their nodes to the elements. */
static hk_status tear(const hk_model *model, torn *t)
{
  hk_status status = HK_OK;
  hk_index *last = NULL; /* last[node]: 1 + its latest share */
  HK_TRY(hk_get(&last, t->whole));
  for (hk_count k = 0; k < t->ordered; k++) {
    const int r = model->element_region[t->order[k]];
    const hk_block *block = hk_mesh_block_of(&t->mesh, t->order[k]);
    hk_index *node = block->node + (t->order[k] - block->first) * block->nodes;
    for (int n = 0; n < block->nodes; n++) {
      hk_index *own = &last[node[n]], unused;
      if (!*own || t->share.at[*own - 1].region != r) {
        HK_TRY(hk_narrow(t->whole + t->share.count + 1, "nodes of regions of fluids", &unused));
        HK_TRY(hk_list_more(&t->share));
        t->share.at[t->share.count++] = (share){.node = node[n], .region = r};
        *own = (hk_index)t->share.count;
      }
      node[n] = (hk_index)t->whole + *own - 1;
    }
  }
cleanup:
  hk_free(&last);
  return status;
}

static hk_status weigh(const hk_problem *p, torn *t)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  const int dim = model->mesh->dim;
  double *mass = NULL;
  hk_index unused;
  t->mesh.node_count = t->whole + t->share.count;
  HK_TRY(hk_get(&mass, t->mesh.node_count));
  HK_TRY(hk_get(&t->mass, t->share.count));
  HK_TRY(hk_get(&t->mesh.x, t->mesh.node_count * dim));
  memcpy(t->mesh.x, model->mesh->x, (size_t)(t->whole * dim) * sizeof *t->mesh.x);
  for (hk_count k = 0; k < t->share.count; k++)
    memcpy(&t->mesh.x[(t->whole + k) * dim], &model->mesh->x[(hk_count)t->share.at[k].node * dim],
           (size_t)dim * sizeof *t->mesh.x);
  if (p->on.kind->mass)
    HK_TRY(p->on.kind->mass(&t->mesh, model->region, model->element_region, mass, &unused));
  else
    HK_TRY(hk_mass_lumped(&t->mesh, model->region, model->element_region, mass));
  memcpy(t->mass, mass + t->whole, (size_t)t->share.count * sizeof *mass);
cleanup:
  hk_free(&mass);
  return status;
}

/* The internal node of a share; -1: a node whose unknowns are those of a solid. */
static hk_index node_of(const hk_problem *p, const share *own)
{
  return p->on.model->media.fluid[own->node] ? p->on.space->node[own->node] : -1;
}

static bool on_solid(const hk_problem *p, const share *own)
{
  return p->on_fsi && p->on_fsi[own->node];
}

/* length[padded] += the mechanisms at each node. */
static void count_mechanisms(const hk_problem *p, const torn *t, hk_index *length)
{
  for (hk_count k = 0; k < t->share.count; k++) {
    const share *own = &t->share.at[k];
    const hk_index i = node_of(p, own);
    if (i >= 0 && !on_solid(p, own)) length[i] += HK_MECHANISMS;
  }
}

/* Writes them, the next one of node i at place[i]; softer[padded] += what nodes on solids are heavier by. */
static void fill(hk_problem *p, const torn *t, hk_index *place, double *softer)
{
  for (hk_count k = 0; k < t->share.count; k++) {
    const share *own = &t->share.at[k];
    const double *constant = p->on.model->region[own->region].material.constant;
    const hk_index i = node_of(p, own);
    if (i < 0) continue;
    if (on_solid(p, own)) softer[i] += t->mass[k] * (constant[2 * HK_MECHANISMS] - 1);
    for (int l = 0; l < HK_MECHANISMS && !on_solid(p, own); l++, place[i]++) {
      p->relaxing.rate[place[i]] = constant[l];
      p->relaxing.weight[place[i]] = t->mass[k] * constant[HK_MECHANISMS + l] * constant[l];
      p->damping[i] += p->relaxing.weight[place[i]] / p->mass[i];
    }
  }
}

/* Lists of the nodes that have mechanisms; place[padded] becomes where those of each begin. */
static hk_status make_lists(hk_problem *p, hk_index *place)
{
  hk_relaxing *to = &p->relaxing;
  const hk_index padded = p->on.space->padded;
  hk_count entries = 0;
  hk_index unused;
  for (hk_index i = 0; i < padded; i++) to->count += place[i] > 0, entries += place[i];
  HK_PASS(hk_narrow(entries, "mechanisms of fluids", &unused));
  HK_PASS(hk_pool_get(&p->pool, &to->node, to->count));
  HK_PASS(hk_pool_get(&p->pool, &to->begin, to->count + 1));
  HK_PASS(hk_pool_get(&p->pool, &to->rate, entries));
  HK_PASS(hk_pool_get(&p->pool, &to->weight, entries));
  for (hk_index i = 0, k = 0, at = 0; i < padded; i++) {
    const hk_index own = place[i];
    place[i] = at;
    if (own) to->node[k] = i, at += own, to->begin[++k] = at;
  }
  if (!p->damping) HK_PASS(hk_pool_get(&p->pool, &p->damping, padded));
  return HK_OK;
}

bool hk_problem_relaxes(const hk_problem *p)
{
  bool any = false;
  for (int r = 0; r < p->on.model->region_count; r++) any = any || relaxes(&p->on.model->region[r]);
  return any;
}

hk_status hk_problem_find_relaxing(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  torn t = {0};
  double *softer = NULL;
  hk_index *place = NULL;
  if (!hk_problem_relaxes(p)) return HK_OK;
  HK_CHECK(
      !p->pml.stretch, HK_BAD_INPUT,
      "a perfectly matched layer does not support a fluid with attenuation (q_p) in the model: "
      "use kind stacey or layer");
  HK_TRY(hk_get(&softer, p->on.space->padded));
  HK_TRY(hk_get(&place, p->on.space->padded));
  HK_TRY(copy_blocks(model->mesh, &t));
  HK_TRY(order_elements(model, &t));
  if (!t.ordered) goto cleanup;
  HK_TRY(tear(model, &t));
  HK_TRY(weigh(p, &t));
  count_mechanisms(p, &t, place);
  HK_TRY(make_lists(p, place));
  fill(p, &t, place, softer);
  for (hk_index i = 0; i < p->on.space->padded; i++) p->mass[i] += softer[i];
cleanup:
  destroy_torn(&t);
  hk_free(&softer);
  hk_free(&place);
  return status;
}
