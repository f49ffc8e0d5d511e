/* Nodes of fluids with attenuation (V.5). A fluid's modulus K(w) makes the mass of its nodes one of frequency, M K_U / K(w) = M (1 + sum b r / (r + i w)),
 * with M of the modulus for a sudden strain: damping g = b r M of each mechanism, and a force by its past. Nodes on a solid, which are solved together
 * with it, keep the modulus of the reference frequency instead. */
#include "run/explicit/problem.h"
#include "operator/element/element_matrix.h"
#include "physics/viscoelastic/fit.h"

static bool relaxes(const hk_region *region)
{
  return region->material.fluid && region->material.constant[0] > 0;
}

/* What region r alone adds to the masses of nodes: others weigh next to nothing. */
static hk_status masses_of(const hk_problem *p, int r, hk_region *region, double *mass)
{
  const double stiff = 1e300;
  const hk_model *model = p->on.model;
  hk_index unused;
  for (int k = 0; k < model->region_count; k++) {
    region[k] = model->region[k];
    if (k != r) region[k].material.bulk = stiff;
  }
  if (p->on.kind->mass)
    return p->on.kind->mass(model->mesh, region, model->element_region, mass, &unused);
  return hk_mass_lumped(model->mesh, region, model->element_region, mass);
}

/* Whether internal node i is of region r, whose masses these are. */
static bool is_of(const hk_problem *p, hk_index i, const double *mass)
{
  const hk_index n = p->on.space->mesh_node[i];
  return n >= 0 && p->on.model->media.fluid[n] && mass[n] > 1e-12 * p->mass[i];
}

static bool on_solid(const hk_problem *p, hk_index i)
{
  return p->on_fsi && p->on_fsi[p->on.space->mesh_node[i]];
}

/* length[padded] += the mechanisms of the region at each node. */
static void count_region(const hk_problem *p, const double *mass, hk_index *length)
{
  for (hk_index i = 0; i < p->on.space->padded; i++)
    if (is_of(p, i, mass) && !on_solid(p, i)) length[i] += HK_MECHANISMS;
}

/* Writes them, the next one of node i at place[i]; softer[padded] += what nodes on solids are heavier by. */
static void fill_region(hk_problem *p, const hk_material *m, const double *mass, hk_index *place,
                        double *softer)
{
  for (hk_index i = 0; i < p->on.space->padded; i++) {
    if (!is_of(p, i, mass)) continue;
    const double own = mass[p->on.space->mesh_node[i]];
    if (on_solid(p, i)) softer[i] += own * (m->constant[2 * HK_MECHANISMS] - 1);
    for (int l = 0; l < HK_MECHANISMS && !on_solid(p, i); l++, place[i]++) {
      p->relaxing.rate[place[i]] = m->constant[l];
      p->relaxing.weight[place[i]] = own * m->constant[HK_MECHANISMS + l] * m->constant[l];
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

static hk_status check(const hk_problem *p)
{
  HK_NEED(!p->pml.stretch, HK_BAD_INPUT,
          "a perfectly matched layer does not support a fluid with attenuation (q_p) in the model: "
          "use kind stacey or layer");
  HK_NEED(p->several.parts < 2 || p->several.queued, HK_BAD_INPUT,
          "several devices cannot step a model of a fluid with attenuation (q_p) yet: give one "
          "device");
  return HK_OK;
}

hk_status hk_problem_find_relaxing(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  hk_region *region = NULL;
  double *mass = NULL, *softer = NULL;
  hk_index *place = NULL;
  bool any = false;
  for (int r = 0; r < model->region_count; r++) any = any || relaxes(&model->region[r]);
  if (!any) return HK_OK;
  HK_TRY(check(p));
  HK_TRY(hk_get(&region, model->region_count));
  HK_TRY(hk_get(&mass, model->mesh->node_count));
  HK_TRY(hk_get(&softer, p->on.space->padded));
  HK_TRY(hk_get(&place, p->on.space->padded));
  for (int pass = 0; pass < 2; pass++) {
    for (int r = 0; r < model->region_count; r++) {
      if (!relaxes(&model->region[r])) continue;
      HK_TRY(masses_of(p, r, region, mass));
      if (!pass) count_region(p, mass, place);
      if (pass) fill_region(p, &model->region[r].material, mass, place, softer);
    }
    if (!pass) HK_TRY(make_lists(p, place));
  }
  for (hk_index i = 0; i < p->on.space->padded; i++) p->mass[i] += softer[i];
cleanup:
  hk_free(&region);
  hk_free(&mass);
  hk_free(&softer);
  hk_free(&place);
  return status;
}
