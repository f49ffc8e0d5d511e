/* The level of vertices of multigrid: linear elements on the vertices of elements of order 2 and more, with the same laws and terms of elements.
 * Their matrix is assembled in sparse rows, which stay on a device that has its own memory; corrections reach all nodes by linear interpolation inside
 * each element. Integration is that of the linear shapes, in full where reduced integration was asked for, because linear elements would otherwise have
 * mechanisms. */
#include "operator/coarse/vertices.h"
#include "operator/assembly/assembled.h"
#include "operator/assembly/cut.h"
#include "element/element.h"
#include "mesh/mesh.h"
#include "operator/element/lumped.h"

bool hk_vertices_exist(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (hk_shape_linear(mesh->block[b].shape) != mesh->block[b].shape) return true;
  return false;
}

/* Of the pool; they own nothing. */
static hk_status copy_regions(const hk_operator_desc *desc, hk_pool *pool, hk_region **out)
{
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  HK_PASS(hk_pool_get(pool, out, regions));
  for (int r = 0; r < regions; r++) {
    (*out)[r] = desc->region[r];
    if ((*out)[r].integration == HK_INTEGRATION_REDUCED)
      (*out)[r].integration = HK_INTEGRATION_FULL;
  }
  return HK_OK;
}

/* Vertices belong to the ranks that have them as nodes. */
static hk_status share_vertices(const hk_sharing *share, hk_vertices *v)
{
  hk_status status = HK_OK;
  hk_index *cut = NULL, next = 0;
  HK_TRY(hk_get(&cut, share->count + 1));
  for (int k = 0; k <= share->count; k++) {
    while (next < v->count && v->node[next] < share->cut[k]) next++;
    cut[k] = next;
  }
  HK_TRY(hk_sharing_create_at(share->ranks, cut, &v->share));
cleanup:
  hk_free(&cut);
  return status;
}

/* Vertices have the numbers of the mesh. */
static hk_status create_space(const hk_operator_desc *desc, hk_vertices *v)
{
  hk_index *same;
  HK_PASS(hk_coarse_mesh(desc->space, 1, &v->mesh));
  const hk_index nodes = (hk_index)v->mesh->node_count;
  HK_PASS(hk_pool_get(&v->pool, &same, nodes));
  for (hk_index i = 0; i < nodes; i++) same[i] = i;
  v->space = (hk_space){.mesh = v->mesh,
                        .dim = v->mesh->dim,
                        .components = desc->space->components,
                        .unknowns = desc->space->unknowns,
                        .nodes = nodes,
                        .patch = nodes,
                        .patches = 1,
                        .padded = nodes,
                        .mesh_node = same,
                        .node = same};
  return HK_OK;
}

static hk_status assemble(const hk_operator_desc *desc, const hk_warmth *warm, hk_vertices *v)
{
  hk_region *region;
  HK_PASS(copy_regions(desc, &v->pool, &region));
  const hk_operator_desc low = {.device = desc->device,
                                .space = &v->space,
                                .region = region,
                                .element_region = desc->element_region,
                                .double_precision = true,
                                .terms = hk_terms_of_elements(&desc->terms),
                                .warm = warm,
                                .share = v->share};
  hk_operator_desc own = low;
  if (v->share) HK_PASS(hk_assembly_cut(&low, &v->pool, &own));
  if (v->share || !desc->device || !hk_device_describe(desc->device)->own_memory)
    return hk_csr_find(NULL, &own, &v->matrix);
  HK_PASS(hk_assembly_create(&(hk_assembly_desc){.on = low}, &v->rows));
  return hk_assembly_fill(v->rows);
}

hk_status hk_vertices_create(const hk_operator_desc *desc, hk_vertices *out)
{
  hk_status status = HK_OK;
  const hk_warmth *warm;
  HK_TRY(hk_coarse_vertices(desc->space, &out->count, &out->node));
  HK_TRY(create_space(desc, out));
  HK_TRY(hk_interpolation_create(desc->space, out->mesh, NULL, out->count, &out->up));
  HK_TRY(hk_interpolation_warmth(&out->up, desc->warm, &out->pool, &warm));
  if (desc->share) HK_TRY(share_vertices(desc->share, out));
  HK_TRY(assemble(desc, warm, out));
cleanup:
  if (status != HK_OK) hk_vertices_clear(out);
  return status;
}

void hk_vertices_clear(hk_vertices *v)
{
  hk_free(&v->node);
  hk_interpolation_clear(&v->up);
  hk_csr_clear(&v->matrix);
  hk_assembly_destroy(&v->rows);
  hk_sharing_destroy(&v->share);
  hk_mesh_destroy(&v->mesh);
  hk_pool_clear(&v->pool);
}
