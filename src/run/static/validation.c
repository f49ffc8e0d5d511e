/* A device's K beside the host's, before a static run believes it. */
#include "mesh/mesh.h"
#include "run/static/static.h"
#include <math.h>
#include <string.h>

enum { ELEMENTS = 200 }; /* of each block */

typedef struct part { /* the first elements of a model */
  hk_mesh *mesh;
  int16_t *region;
} part;

static void clear_part(part *p)
{
  hk_mesh_destroy(&p->mesh);
  hk_free(&p->region);
}

/* number[mesh node] + 1, where it is in the part */
static hk_status copy_block(const hk_model *model, int b, hk_index *number, part *p)
{
  hk_status status = HK_OK;
  const hk_block *from = &model->mesh->block[b];
  hk_block *to = &p->mesh->block[b];
  const hk_count count = from->count < ELEMENTS ? from->count : ELEMENTS;
  *to = *from, to->node = NULL, to->count = count, to->first = p->mesh->element_count;
  p->mesh->block_count++;
  HK_TRY(hk_get(&to->node, count * to->nodes));
  HK_TRY(hk_resize(&p->region, to->first + count));
  for (hk_count i = 0; i < count * from->nodes; i++) {
    hk_index *n = &number[from->node[i]];
    if (!*n) *n = (hk_index)++p->mesh->node_count;
    to->node[i] = *n - 1;
  }
  for (hk_count e = 0; e < count; e++)
    p->region[p->mesh->element_count++] = model->element_region[from->first + e];
cleanup:
  return status;
}

static hk_status cut(const hk_model *model, part *p)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = model->mesh;
  const int dim = mesh->dim;
  hk_index *number = NULL;
  HK_TRY(hk_get(&number, mesh->node_count));
  HK_TRY(hk_mesh_begin(dim, &p->mesh));
  HK_TRY(hk_get(&p->mesh->block, mesh->block_count));
  for (int b = 0; b < mesh->block_count; b++) HK_TRY(copy_block(model, b, number, p));
  HK_TRY(hk_get(&p->mesh->x, p->mesh->node_count * dim));
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int c = 0; c < dim && number[n]; c++)
      p->mesh->x[(hk_count)(number[n] - 1) * dim + c] = mesh->x[n * dim + c];
cleanup:
  hk_free(&number);
  return status;
}

/* product[mesh node][components] = K v of the part on a device, v a wave over its degrees of freedom */
static hk_status multiply(const hk_static *s, const part *p, hk_device *device, double *product)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  const hk_count count = p->mesh->node_count * s->components, real = s->double_precision ? 8 : 4;
  hk_static mine = *s;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  hk_buffer *in = NULL, *out = NULL;
  double *v = NULL;
  mine.device = device;
  HK_TRY(hk_static_form(&mine, p->mesh, &kind));
  hk_space_desc numbering = kind->space(p->mesh, device, s->double_precision);
  numbering.components = s->components;
  HK_TRY(hk_space_create(p->mesh, &numbering, &space));
  const hk_count dofs = (hk_count)space->padded * space->components;
  HK_TRY(hk_operator_create(kind,
                            &(hk_operator_desc){.device = device,
                                                .space = space,
                                                .region = s->model->region,
                                                .element_region = p->region,
                                                .double_precision = s->double_precision},
                            &op));
  HK_TRY(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  HK_TRY(hk_buffer_create(device, dofs * real, &in));
  HK_TRY(hk_buffer_create(device, dofs * real, &out));
  HK_TRY(hk_get(&v, dofs));
  for (hk_count i = 0; i < count; i++) product[i] = sin(1.7 * (double)i);
  hk_space_to_internal(space, space->components, product, v);
  HK_TRY(hk_buffer_write_reals(in, s->double_precision, 0, dofs, v));
  HK_TRY(hk_operator_apply(op, &(hk_epilogue){.form = HK_FORM_STORE, .u = in, .out = out}));
  HK_TRY(hk_buffer_read_reals(out, s->double_precision, 0, dofs, v));
  hk_space_from_internal(space, space->components, v, product);
cleanup:
  hk_free(&v);
  hk_buffer_destroy(&in);
  hk_buffer_destroy(&out);
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  return status;
}

hk_status hk_static_validation(hk_device *device, void *user)
{
  hk_status status = HK_OK;
  const hk_static *s = user;
  const hk_device_info *info = hk_device_describe(device);
  part p = {0};
  hk_device *host = NULL;
  double *theirs = NULL, *mine = NULL, most = 0, error = 0;
  HK_TRY(cut(s->model, &p));
  HK_TRY(hk_get(&theirs, p.mesh->node_count * s->components));
  HK_TRY(hk_get(&mine, p.mesh->node_count * s->components));
  HK_TRY(hk_device_open("cpu", 1, &host));
  HK_TRY(multiply(s, &p, host, mine));
  HK_TRY(multiply(s, &p, device, theirs));
  for (hk_count i = 0; i < p.mesh->node_count * s->components; i++) {
    most = fmax(most, fabs(mine[i]));
    error = hk_larger(error, fabs(mine[i] - theirs[i]));
  }
  HK_CHECK(error <= (s->double_precision ? 1e-11 : 1e-4) * most, HK_NO_RESOURCES,
           "device %s (%s) does not compute what the host computes (K of the first elements is off "
           "by %.1e): use another device, and report it to the vendor of its driver",
           info->backend, info->name, error / most);
cleanup:
  hk_free(&theirs);
  hk_free(&mine);
  hk_device_close(&host);
  clear_part(&p);
  return status;
}
