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

static void add_laws(uint64_t *key, const hk_model *model)
{
  for (int r = 0; r < model->region_count; r++) {
    const hk_region *region = &model->region[r];
    add(key, region->material.c, sizeof region->material.c);
    add(key, region->material.conductivity, sizeof region->material.conductivity);
    add(key, (double[]){region->thickness, region->integration}, 2 * 8);
  }
  add(key, model->element_region,
      model->mesh->element_count * (hk_count)sizeof *model->element_region);
}

static void add_step(uint64_t *key, const hk_static *s)
{
  const hk_constraints *held = &s->held.own;
  const hk_static_how *how = &s->on.model->solve.how;
  add(key, held->dof, held->count * (hk_count)sizeof *held->dof);
  add(key, held->offset, held->count * (hk_count)sizeof *held->offset);
  add(key, s->vector.f, s->vector.all * 8);
  add(key, (double[]){how->tolerance, how->iterations, s->on.double_precision}, 3 * 8);
  add(key, how->preconditioner, (hk_count)strlen(how->preconditioner));
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
