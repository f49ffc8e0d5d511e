/* Compares K of a device with K of the host before a static run uses the device. Both multiply a
 * wave over a part of the model, which the nodes of the first elements of each block span, in the
 * model's own form of K, precision and materials. Differences above rounding refuse the device. */
#include "mesh/mesh.h"
#include "run/static/static.h"
#include "run/validation/validation.h"
#include "solver/linear/product.h"
#include <math.h>

enum { ELEMENTS = 200 }; /* of each block */

static hk_status cut(const hk_model *model, hk_part_mesh *part)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = model->mesh;
  hk_index *number = NULL, nodes = 0;
  HK_TRY(hk_get(&number, mesh->node_count));
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++) number[n] = -1;
  for (const hk_block *b = mesh->block; b < mesh->block + mesh->block_count; b++)
    for (hk_count i = 0; i < b->nodes * (b->count < ELEMENTS ? b->count : ELEMENTS); i++)
      if (number[b->node[i]] < 0) number[b->node[i]] = nodes++;
  HK_TRY(hk_part_mesh_cut(model, number, nodes, part));
cleanup:
  hk_free(&number);
  return status;
}

/* product[mesh node][components] = K v of the part on a device, v a wave over its degrees of freedom */
static hk_status multiply(const hk_static *s, const hk_part_mesh *part, hk_device *device,
                          double *product)
{
  hk_status status = HK_OK;
  hk_discretisation on = {
      .model = s->on.model, .device = device, .double_precision = s->on.double_precision};
  double *v = NULL;
  HK_TRY(hk_static_form(&on, s->components, part->mesh, &on.kind));
  hk_space_desc numbering = on.kind->space(part->mesh, device, on.double_precision);
  numbering.components = s->components, numbering.coupled = hk_static_coupled(s);
  HK_TRY(hk_space_create(part->mesh, &numbering, &on.space));
  hk_operator_desc desc = hk_discretisation_desc(&on);
  desc.element_region = part->region;
  HK_TRY(hk_operator_create(on.kind, &desc, &on.op));
  HK_TRY(hk_operator_bind(on.op, HK_FORM_STORE, false, 1));
  HK_TRY(hk_discretisation_vectors(&on));
  HK_TRY(hk_get(&v, hk_discretisation_dofs(&on)));
  for (hk_count i = 0; i < part->mesh->node_count * s->components; i++)
    product[i] = sin(1.7 * (double)i);
  hk_space_to_internal(on.space, s->components, product, v);
  HK_TRY(hk_product(on.op, on.in, on.out, v, v));
  hk_space_from_internal(on.space, s->components, v, product);
cleanup:
  on.device = NULL; /* the caller's */
  hk_free(&v);
  hk_discretisation_clear(&on);
  return status;
}

hk_status hk_static_validation(hk_device *device, void *user)
{
  hk_status status = HK_OK;
  const hk_static *s = user;
  hk_part_mesh p = {0};
  hk_pool pool = {0};
  hk_device *host = NULL;
  double *theirs, *mine;
  HK_TRY(cut(s->on.model, &p));
  const hk_count count = p.mesh->node_count * s->components;
  HK_TRY(hk_pool_get(&pool, &theirs, count));
  HK_TRY(hk_pool_get(&pool, &mine, count));
  HK_TRY(hk_device_open("cpu", 1, &host));
  HK_TRY(multiply(s, &p, host, mine));
  HK_TRY(multiply(s, &p, device, theirs));
  HK_TRY(hk_validation_judge(device, "K of the first elements is", s->on.double_precision, count,
                             mine, theirs));
cleanup:
  hk_pool_clear(&pool);
  hk_device_close(&host);
  hk_part_mesh_clear(&p);
  return status;
}
