/* Compares K of a device with K of the host before a static run uses the device. Both multiply a
 * wave over a part of the model, which the nodes of the first elements of each block span, in the
 * model's own form of K, precision and materials. Differences above rounding refuse the device. */
#include "mesh/mesh.h"
#include "run/static/static.h"
#include "solver/linear/product.h"
#include <math.h>

enum { ELEMENTS = 200 }; /* of each block */

static hk_status cut(const hk_model *model, hk_part_mesh *part)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = model->mesh;
  hk_index *number = NULL, nodes = 0;
  HK_TRY(hk_get(&number, mesh->node_count));
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
  hk_buffer *in = NULL, *out = NULL;
  double *v = NULL;
  HK_TRY(hk_static_form(&on, s->components, part->mesh, &on.kind));
  hk_space_desc numbering = on.kind->space(part->mesh, device, on.double_precision);
  numbering.components = s->components;
  HK_TRY(hk_space_create(part->mesh, &numbering, &on.space));
  hk_operator_desc desc = hk_discretisation_desc(&on);
  desc.element_region = part->region;
  HK_TRY(hk_operator_create(on.kind, &desc, &on.op));
  HK_TRY(hk_operator_bind(on.op, HK_FORM_STORE, false, 1));
  HK_TRY(hk_buffer_create(device, hk_discretisation_bytes(&on), &in));
  HK_TRY(hk_buffer_create(device, hk_discretisation_bytes(&on), &out));
  HK_TRY(hk_get(&v, hk_discretisation_dofs(&on)));
  for (hk_count i = 0; i < part->mesh->node_count * s->components; i++)
    product[i] = sin(1.7 * (double)i);
  hk_space_to_internal(on.space, s->components, product, v);
  HK_TRY(hk_product(on.op, in, out, v, v));
  hk_space_from_internal(on.space, s->components, v, product);
cleanup:
  on.device = NULL; /* the caller's */
  hk_free(&v);
  hk_buffer_destroy(&in);
  hk_buffer_destroy(&out);
  hk_discretisation_clear(&on);
  return status;
}

hk_status hk_static_validation(hk_device *device, void *user)
{
  hk_status status = HK_OK;
  const hk_static *s = user;
  const hk_device_info *info = hk_device_describe(device);
  hk_part_mesh p = {0};
  hk_device *host = NULL;
  double *theirs = NULL, *mine = NULL, most = 0, error = 0;
  HK_TRY(cut(s->on.model, &p));
  HK_TRY(hk_get(&theirs, p.mesh->node_count * s->components));
  HK_TRY(hk_get(&mine, p.mesh->node_count * s->components));
  HK_TRY(hk_device_open("cpu", 1, &host));
  HK_TRY(multiply(s, &p, host, mine));
  HK_TRY(multiply(s, &p, device, theirs));
  for (hk_count i = 0; i < p.mesh->node_count * s->components; i++) {
    most = fmax(most, fabs(mine[i]));
    error = hk_larger(error, fabs(mine[i] - theirs[i]));
  }
  HK_CHECK(error <= (s->on.double_precision ? 1e-11 : 1e-4) * most, HK_NO_RESOURCES,
           "device %s (%s) does not compute what the host computes (K of the first elements is off "
           "by %.1e): use another device, and report it to the vendor of its driver",
           info->backend, info->name, error / most);
cleanup:
  hk_free(&theirs);
  hk_free(&mine);
  hk_device_close(&host);
  hk_part_mesh_clear(&p);
  return status;
}
