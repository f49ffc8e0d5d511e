/* The level of vertices of multigrid: linear elements on the vertices of elements of order 2 and more, with the same laws and terms of elements.
 * Their matrix is assembled in sparse rows, and corrections reach all nodes by linear interpolation inside each element. Integration is that of
 * the linear shapes, in full where reduced integration was asked for, because linear elements would otherwise have mechanisms. */
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

static hk_status copy_regions(const hk_operator_desc *desc, hk_region **out)
{
  const int regions = hk_element_regions(desc->space->mesh, desc->element_region);
  HK_PASS(hk_get(out, regions));
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

static hk_status assemble(const hk_operator_desc *desc, const hk_mesh *mesh, const hk_warmth *warm,
                          const hk_sharing *share, hk_csr *out)
{
  hk_status status = HK_OK;
  const hk_index nodes = (hk_index)mesh->node_count;
  hk_index *same = NULL;
  hk_pool pool = {0};
  hk_region *region = NULL; /* owns nothing of its own */
  HK_TRY(hk_get(&same, nodes));
  HK_TRY(copy_regions(desc, &region));
  for (hk_index i = 0; i < nodes; i++) same[i] = i;
  const hk_space space = {.mesh = mesh,
                          .dim = mesh->dim,
                          .components = desc->space->components,
                          .unknowns = desc->space->unknowns,
                          .nodes = nodes,
                          .patch = nodes,
                          .patches = 1,
                          .padded = nodes,
                          .mesh_node = same,
                          .node = same};
  const hk_operator_desc low = {.device = desc->device,
                                .space = &space,
                                .region = region,
                                .element_region = desc->element_region,
                                .double_precision = true,
                                .terms = hk_terms_of_elements(&desc->terms),
                                .warm = warm,
                                .share = share};
  hk_operator_desc own = low;
  if (share) HK_TRY(hk_assembly_cut(&low, &pool, &own));
  HK_TRY(hk_csr_find(NULL, &own, out));
cleanup:
  hk_pool_clear(&pool);
  hk_free(&same);
  hk_free(&region);
  return status;
}

hk_status hk_vertices_create(const hk_operator_desc *desc, hk_vertices *out)
{
  hk_status status = HK_OK;
  hk_vertices v = {0};
  hk_mesh *mesh = NULL;
  hk_pool pool = {0};
  const hk_warmth *warm;
  HK_TRY(hk_coarse_vertices(desc->space, &v.count, &v.node));
  HK_TRY(hk_coarse_mesh(desc->space, 1, &mesh));
  HK_TRY(hk_interpolation_create(desc->space, mesh, NULL, v.count, &v.up));
  HK_TRY(hk_interpolation_warmth(&v.up, desc->warm, &pool, &warm));
  if (desc->share) HK_TRY(share_vertices(desc->share, &v));
  HK_TRY(assemble(desc, mesh, warm, v.share, &v.matrix));
  *out = v, v = (hk_vertices){0};
cleanup:
  hk_vertices_clear(&v);
  hk_mesh_destroy(&mesh);
  hk_pool_clear(&pool);
  return status;
}

void hk_vertices_clear(hk_vertices *v)
{
  hk_free(&v->node);
  hk_interpolation_clear(&v->up);
  hk_csr_clear(&v->matrix);
  hk_sharing_destroy(&v->share);
}
