/* Checks what is asked of a matrix before there is one, writes it to a file, and sums it up. */
#include "base/json.h"
#include "result/matrix/matrix_file.h"
#include "run/system/sparse.h"

hk_status hk_sparse_desc_check(const hk_sparse_desc *d, const char *path)
{
  HK_NEED(hk_sparse_format_name(d->format), HK_USAGE, "there is no matrix format %d",
          (int)d->format);
  HK_NEED((unsigned)d->precision <= HK_DOUBLE, HK_USAGE, "there is no precision %d",
          (int)d->precision);
  HK_NEED(!d->reduced || d->format != HK_SPARSE_BSR, HK_USAGE,
          "a reduced matrix has no blocks of whole nodes: take csr, coo or ell, or all unknowns");
  return path ? hk_matrix_file_check(path, d->format) : HK_OK;
}

/* "stiffness", what the matrix is. */
static const char *kind_of(const hk_sparse_matrix *m)
{
  const hk_model *model = m->system->session.model;
  return m->desc.mass                             ? "lumped mass"
         : model->step[0].kind == HK_STEP_HEAT    ? "conductance"
         : model->step[0].kind == HK_STEP_COUPLED ? "coupled equations"
                                                  : "stiffness";
}

static json_t *describe(const hk_sparse_matrix *m, const char *path)
{
  const hk_sparse_view v = hk_sparse_matrix_view(m);
  json_t *o = json_object();
  json_object_set_new(o, "kind", json_string("matrix"));
  json_object_set_new(o, "output", json_string(path));
  json_object_set_new(o, "matrix", json_string(kind_of(m)));
  json_object_set_new(o, "unknowns", json_string(m->desc.reduced ? "free" : "all"));
  json_object_set_new(o, "format", json_string(hk_sparse_format_name(v.format)));
  json_object_set_new(o, "triangle", json_string(v.symmetric ? "lower" : "both"));
  json_object_set_new(o, "precision", json_string(v.value_bytes == 8 ? "double" : "single"));
  json_object_set_new(o, "rows", json_integer((json_int_t)(v.rows * v.size)));
  json_object_set_new(o, "values", json_integer((json_int_t)(v.entries * v.size * v.size)));
  json_object_set_new(o, "device", json_string(hk_device_describe(m->system->on->device)->backend));
  return o;
}

hk_status hk_sparse_matrix_write(hk_sparse_matrix *m, const char *path, char **json)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = m->space->mesh;
  const int c = m->space->components;
  const hk_count unknowns = m->rows * m->size;
  hk_matrix_file file = {.unknowns = unknowns};
  hk_pool pool = {0};
  int64_t *node;
  int32_t *component;
  char *about = NULL;
  json_t *summary = NULL;
  HK_TRY(hk_sparse_matrix_read(m, &file.view));
  HK_TRY(hk_pool_get(&pool, &node, unknowns));
  HK_TRY(hk_pool_get(&pool, &component, unknowns));
  for (hk_count i = 0; i < unknowns; i++)
    node[i] = hk_mesh_node_label(mesh, m->dof[i] / c), component[i] = m->dof[i] % c + 1;
  HK_TRY(hk_format(&about, "hooke %s: %s, %s unknowns", HK_VERSION, kind_of(m),
                   m->desc.reduced ? "free" : "all"));
  file.node = node, file.component = component, file.about = about;
  HK_TRY(hk_matrix_file_write(path, &file));
  summary = describe(m, path);
  if (json) HK_TRY(hk_json_dump(summary, 6, json));
cleanup:
  json_decref(summary);
  hk_free(&about);
  hk_pool_clear(&pool);
  return status;
}
