/* What ranks of MPI that share the rows of K must have alike, as each prepares the model for itself: the mesh and its numbering, laws, what is held and loaded, and how
 * it is solved. Each hashes what it has, and the one that has something else than rank 0 says so before K is made. */
#include "link/sharing.h"
#include "run/static/static.h"
#include <string.h>

static void add(uint64_t *key, const void *data, hk_count bytes)
{
  if (bytes > 0) *key = hk_hash_large(data, (size_t)bytes, *key);
}

static void add_mesh(uint64_t *key, const hk_mesh *mesh)
{
  add(key, mesh->x, mesh->node_count * mesh->dim * 8);
  for (int b = 0; b < mesh->block_count; b++)
    add(key, mesh->block[b].node,
        mesh->block[b].count * mesh->block[b].nodes * (hk_count)sizeof *mesh->block[b].node);
}

/* A formula's values at three nodes and two temperatures. */
static void add_formula(uint64_t *key, const hk_formula *f, const hk_mesh *mesh)
{
  enum { PLACES = 3 };
  for (int k = 0; f && mesh->node_count && k < 2 * PLACES; k++) {
    const hk_count n = k / 2 * (mesh->node_count - 1) / (PLACES - 1);
    double x[3] = {0};
    memcpy(x, mesh->x + n * mesh->dim, (size_t)mesh->dim * sizeof *x);
    const double value = hk_formula_value_warm(f, x, 1 + k % 2, NULL);
    add(key, &value, sizeof value);
  }
}

/* The coefficients of coupled equations at three nodes, with the capacity and without. */
static void add_coupled(uint64_t *key, const hk_coupled *coupled, const hk_mesh *mesh)
{
  enum { PLACES = 3 };
  for (int k = 0; coupled && mesh->node_count && k < 2 * PLACES; k++) {
    const hk_count n = k / 2 * (mesh->node_count - 1) / (PLACES - 1);
    double x[3] = {0}, c[HK_MOST_COEFFICIENTS];
    memcpy(x, mesh->x + n * mesh->dim, (size_t)mesh->dim * sizeof *x);
    hk_coupled_at(coupled, k % 2, x, c);
    add(key, c, (hk_count)coupled->equations * coupled->equations * 16 * 8);
  }
}

static void add_material(uint64_t *key, const hk_material *m, const hk_mesh *mesh)
{
  add(key, m->c, sizeof m->c);
  add(key, m->conductivity, sizeof m->conductivity);
  add(key, (double[]){m->density, m->specific_heat, m->reaction, m->stored, m->lumped}, 5 * 8);
  add(key, m->advection.velocity, sizeof m->advection.velocity);
  for (int t = 0; t < HK_TABLES; t++)
    if (m->at[t]) add(key, m->at[t]->row, m->at[t]->rows * (hk_count)sizeof *m->at[t]->row);
  for (int b = 0; b < HK_FORMULAS; b++) add_formula(key, m->by[b], mesh);
  for (int c = 0; c < 3; c++) add_formula(key, m->advection.by[c], mesh);
  add_coupled(key, m->coupled, mesh);
}

static void add_laws(uint64_t *key, const hk_model *model)
{
  for (int r = 0; r < model->region_count; r++) {
    const hk_region *region = &model->region[r];
    add_material(key, &region->material, model->mesh);
    add(key, (double[]){region->thickness, region->integration, region->plane}, 3 * 8);
  }
  add(key, model->element_region,
      model->mesh->element_count * (hk_count)sizeof *model->element_region);
  hk_terms_hash(&(hk_operator_terms){{{&hk_springs_kind, model->spring.at, model->spring.count}}},
                key);
}

/* A film enters K, not f. */
static void add_films(uint64_t *key, const hk_step *step, const hk_mesh *mesh)
{
  for (int i = 0; i < step->load_count; i++) {
    const hk_load *load = &step->load[i];
    if (load->kind != HK_LOAD_FILM) continue;
    add(key, (double[]){load->film, load->vector[0], load->component}, 3 * 8);
    add_formula(key, load->film_by, mesh);
    add_formula(key, load->by, mesh);
    add(key, load->target.item, load->target.count * (hk_count)sizeof *load->target.item);
    add(key, load->target.face, load->target.count);
  }
}

static void add_step(uint64_t *key, const hk_static *s)
{
  const hk_constraints *held = &s->held.own;
  const hk_static_how *how = &s->on.model->solve.how;
  add(key, held->dof, held->count * (hk_count)sizeof *held->dof);
  add(key, held->offset, held->count * (hk_count)sizeof *held->offset);
  add(key, s->vector.f, s->vector.all * 8);
  add(key, (double[]){how->tolerance, how->iterations, s->on.double_precision, how->newton}, 4 * 8);
  add(key, (double[]){how->nonlinear_tolerance, how->nonlinear_iterations}, 2 * 8);
  add(key, how->preconditioner, (hk_count)strlen(how->preconditioner));
  add(key, how->method, (hk_count)strlen(how->method));
  for (int i = 0; i < s->on.model->step_count; i++) {
    const hk_step *step = &s->on.model->step[i];
    add(key, (double[]){step->duration, step->dt, step->theta, step->lumped}, 4 * 8);
    add_films(key, step, s->on.model->mesh);
  }
}

hk_status hk_static_compare_ranks(const hk_static *s)
{
  hk_status status = HK_OK;
  const hk_sharing *share = s->on.share;
  uint64_t key = 0;
  hk_count *all = NULL;
  add_mesh(&key, s->on.model->mesh);
  add(&key, s->on.space->mesh_node, s->on.space->padded * (hk_count)sizeof *s->on.space->mesh_node);
  add_laws(&key, s->on.model);
  add_step(&key, s);
  HK_TRY(hk_ranks_agree(hk_get(&all, share->count)));
  HK_TRY(hk_sharing_collect(share, &(hk_count){(hk_count)key}, 1, all));
  HK_CHECK(all[share->rank] == all[0], HK_BAD_INPUT,
           "this rank has another model than rank 0: give all the same files and the same hooke");
cleanup:
  hk_free(&all);
  return status;
}
