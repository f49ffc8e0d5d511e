/* A matrix of a system in a sparse format (hooke/matrix.h). Nodes are numbered in the mesh's own order, so that what the device assembles is what
 * the user sees. Full matrices in CSR, COO and ELL are the arrays of the assembly (operator/assembly/assembly.h); a triangle, blocks and
 * T^T K T are a layout of its values (solver/linear/sparse/layout.h), filled by one more launch. */
#include "run/system/sparse.h"
#include <math.h>
#include <omp.h>

static const char *const format_names[HK_SPARSE_FORMATS] = {"csr", "coo", "ell", "bsr"};

const char *hk_sparse_format_name(hk_sparse_format format)
{
  return (unsigned)format < HK_SPARSE_FORMATS ? format_names[format] : NULL;
}

static bool is_double(const hk_sparse_matrix *m)
{
  return m->desc.precision != HK_SINGLE;
}

static bool is_direct(const hk_sparse_desc *d)
{
  return !d->symmetric && !d->reduced && !d->mass && d->format != HK_SPARSE_BSR;
}

/* Nodes that an element has, in the order of the mesh. */
static hk_status number(hk_sparse_matrix *m)
{
  const hk_system *y = m->system;
  return hk_space_create(y->session.model->mesh,
                         &(hk_space_desc){.components = y->on->space->components,
                                          .coupled = y->on->space->unknowns == HK_UNKNOWNS_COUPLED,
                                          .patch = 1,
                                          .slice = 1,
                                          .keep_order = true},
                         &m->space);
}

static hk_status assemble(hk_sparse_matrix *m)
{
  static const hk_matrix_format direct[HK_SPARSE_FORMATS] = {HK_FORMAT_CSR, HK_FORMAT_COO,
                                                             HK_FORMAT_ELL, HK_FORMAT_NODES};
  hk_assembly_desc desc = {.on = m->system->on->op->desc, .scaled = true};
  desc.on.space = m->space, desc.on.double_precision = is_double(m), desc.on.choice = NULL;
  desc.format = is_direct(&m->desc) ? direct[m->desc.format] : HK_FORMAT_NODES;
  return hk_assembly_create(&desc, &m->k);
}

/* The constraints of the system in the numbers of the matrix. */
static hk_status renumber(const hk_sparse_matrix *m, hk_constraints *out)
{
  hk_status status = HK_OK;
  const hk_constraints *held = &m->system->held;
  const hk_space *space = m->space;
  const int c = space->components;
  hk_constraints h = {.dofs = (hk_count)space->padded * c};
  hk_index used = 0;
  HK_TRY(hk_get(&h.dof, held->count));
  HK_TRY(hk_get(&h.offset, held->count));
  HK_TRY(hk_get(&h.begin, (hk_count)held->count + 1));
  HK_TRY(hk_get(&h.master, held->count ? held->begin[held->count] : 0));
  HK_TRY(hk_get(&h.weight, held->count ? held->begin[held->count] : 0));
  for (hk_index i = 0; i < held->count; i++) {
    const hk_index node = space->node[held->dof[i] / c];
    if (node < 0) continue; /* of no element */
    h.dof[h.count] = node * c + held->dof[i] % c, h.offset[h.count] = held->offset[i];
    for (hk_index k = held->begin[i]; k < held->begin[i + 1]; k++, used++) {
      h.master[used] = space->node[held->master[k] / c] * c + held->master[k] % c;
      h.weight[used] = held->weight[k];
    }
    h.begin[++h.count] = used;
  }
  *out = h, h = (hk_constraints){0};
cleanup:
  hk_constraints_clear(&h);
  return status;
}

static hk_status find_layout(hk_sparse_matrix *m)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_constraints held = {0};
  hk_count *begin = NULL;
  hk_index *column = NULL;
  if (m->k) {
    const hk_neighbours *n = m->k->neighbours;
    HK_TRY(hk_pool_get(&pool, &begin, (hk_count)m->space->padded + 1));
    HK_TRY(hk_pool_get(&pool, &column, n->entries));
    HK_TRY(hk_buffer_read(n->begin, 0, hk_buffer_bytes(n->begin), begin));
    HK_TRY(hk_buffer_read(n->column, 0, n->entries * 4, column));
  }
  if (m->desc.reduced) HK_TRY(renumber(m, &held));
  HK_TRY(hk_layout_create(&(hk_layout_desc){.device = m->system->on->device,
                                            .double_precision = is_double(m),
                                            .components = m->space->components,
                                            .nodes = m->space->padded,
                                            .begin = begin,
                                            .column = column,
                                            .constraints = m->desc.reduced ? &held : NULL,
                                            .lower = m->desc.symmetric,
                                            .blocks = m->desc.format == HK_SPARSE_BSR,
                                            .lines = m->desc.format == HK_SPARSE_ELL,
                                            .diagonal = m->desc.mass},
                          &m->layout));
cleanup:
  hk_constraints_clear(&held);
  hk_pool_clear(&pool);
  return status;
}

static hk_status send(hk_sparse_matrix *m, hk_count bytes, const void *from, const hk_buffer **out)
{
  hk_buffer *b = NULL;
  HK_PASS(hk_buffer_send(&m->pool, m->system->on->device, bytes, from, &b));
  *out = b;
  return HK_OK;
}

static hk_status send_rows(hk_sparse_matrix *m)
{
  hk_status status = HK_OK;
  const hk_layout *l = m->layout;
  hk_index *row = NULL;
  HK_TRY(hk_get(&row, l->entries));
  for (hk_count i = 0; i < l->rows; i++)
    for (hk_count k = l->row_start[i]; k < l->row_start[i + 1]; k++) row[k] = (hk_index)i;
  HK_TRY(send(m, l->entries * 4, row, &m->row));
cleanup:
  hk_free(&row);
  return status;
}

static hk_status take_layout(hk_sparse_matrix *m)
{
  const hk_layout *l = m->layout;
  hk_buffer *value = NULL;
  m->rows = l->rows, m->entries = l->entries, m->size = l->size;
  m->width = m->desc.format == HK_SPARSE_ELL ? l->width : 0;
  HK_PASS(send(m, l->entries * 4, l->column, &m->column));
  if (m->desc.format == HK_SPARSE_COO) HK_PASS(send_rows(m));
  if (m->desc.format == HK_SPARSE_CSR || m->desc.format == HK_SPARSE_BSR)
    HK_PASS(send(m, (l->rows + 1) * 8, l->row_start, &m->row_start));
  HK_PASS(hk_buffer_get(&m->pool, m->system->on->device,
                        l->entries * l->size * l->size * (is_double(m) ? 8 : 4), &value));
  m->value = value;
  return HK_OK;
}

static void take_assembly(hk_sparse_matrix *m)
{
  const hk_assembly *k = m->k;
  m->rows = (hk_count)k->rows * m->space->components, m->size = 1;
  m->width = m->desc.format == HK_SPARSE_ELL ? k->width : 0;
  m->entries = m->width ? m->width * m->rows : hk_assembly_nonzeros(k);
  m->row_start = k->row_begin, m->row = k->row_of, m->column = k->column_of, m->value = k->value;
}

static hk_status find_dofs(hk_sparse_matrix *m)
{
  const int c = m->space->components;
  const bool blocks = m->desc.format == HK_SPARSE_BSR;
  HK_PASS(hk_pool_get(&m->pool, &m->dof, m->rows * m->size));
  for (hk_count i = 0; i < m->rows * m->size; i++) {
    const hk_count own = m->layout && !blocks ? m->layout->dof[i] : i;
    m->dof[i] = (hk_index)(m->space->mesh_node[own / c] * c + own % c);
  }
  return HK_OK;
}

/* value from the values of k, or from the mass. */
static hk_status lay_out(const hk_sparse_matrix *m)
{
  if (!m->layout) return HK_OK;
  return hk_layout_fill(m->layout, m->k ? m->k->value : m->mass, (hk_buffer *)m->value);
}

static hk_status send_mass(hk_sparse_matrix *m)
{
  hk_status status = HK_OK;
  hk_system *y = (hk_system *)m->system;
  const hk_count dofs = (hk_count)m->space->padded * m->space->components;
  double *whole = NULL, *own = NULL;
  HK_TRY(hk_get(&whole, hk_system_dofs(y)));
  HK_TRY(hk_get(&own, dofs));
  HK_TRY(hk_system_mass(y, whole));
  hk_space_to_internal(m->space, m->space->components, whole, own);
  HK_TRY(hk_buffer_send_reals(&m->pool, y->on->device, is_double(m), dofs, own, &m->mass));
cleanup:
  hk_free(&whole);
  hk_free(&own);
  return status;
}

static hk_status create(hk_sparse_matrix *m)
{
  HK_PASS(number(m));
  if (m->desc.mass)
    HK_PASS(send_mass(m));
  else {
    HK_PASS(hk_system_check_assembled(m->system));
    HK_NEED(!hk_model_is_spatial(m->system->session.model), HK_BAD_INPUT,
            "%s: K of plane: three-components is not written as a sparse matrix: in Python "
            "system().matrix() has it",
            m->system->session.model->path);
    HK_PASS(assemble(m));
    HK_PASS(hk_assembly_fill(m->k));
  }
  if (is_direct(&m->desc))
    take_assembly(m);
  else {
    HK_PASS(find_layout(m));
    HK_PASS(take_layout(m));
  }
  HK_PASS(find_dofs(m));
  return lay_out(m);
}

hk_status hk_sparse_matrix_create(hk_system *system, const hk_sparse_desc *desc,
                                  hk_sparse_matrix **out)
{
  hk_status status = HK_OK;
  const int threads = hk_discretisation_threads(system->on);
  hk_sparse_matrix *m = NULL;
  HK_TRY(hk_system_check(system));
  HK_TRY(hk_sparse_desc_check(desc, NULL));
  HK_CHECK(!desc->symmetric || desc->mass || !system->on->op->unsymmetric, HK_BAD_INPUT,
           "K is not symmetric, so one of its triangles does not tell the other: take both");
  HK_TRY(hk_new(&m));
  m->system = system, m->desc = *desc, m->takes = system->takes;
  HK_TRY(create(m));
  *out = m, m = NULL;
cleanup:
  hk_sparse_matrix_destroy(&m);
  omp_set_num_threads(threads);
  return status;
}

void hk_sparse_matrix_destroy(hk_sparse_matrix **matrix)
{
  hk_sparse_matrix *m = *matrix;
  if (!m) return;
  hk_layout_destroy(&m->layout);
  hk_assembly_destroy(&m->k);
  hk_space_destroy(&m->space);
  hk_pool_clear(&m->copies);
  hk_pool_clear(&m->pool);
  hk_free(matrix);
}

static hk_status check_scale(const hk_mesh *mesh, const double *scale)
{
  for (hk_count e = 0; scale && e < mesh->element_count; e++)
    HK_NEED(isfinite(scale[e]), HK_BAD_INPUT, "the factor of element %lld is %g: must be finite",
            (long long)hk_mesh_element_label(mesh, e), scale[e]);
  return HK_OK;
}

hk_status hk_sparse_matrix_refill(hk_sparse_matrix *m, const double *scale, const hk_model *laws)
{
  hk_status status = HK_OK;
  const hk_system *y = m->system;
  const int threads = hk_discretisation_threads(y->on);
  HK_CHECK(m->k, HK_USAGE, "a mass matrix has no refill: make a new one");
  HK_CHECK(m->takes == y->takes, HK_USAGE,
           "the system has taken another step since this matrix was made: make a new one");
  HK_TRY(check_scale(m->space->mesh, scale));
  if (laws) HK_TRY(hk_sparse_check_laws(m, laws));
  HK_TRY(hk_assembly_scale(m->k, scale));
  m->k->desc.on.region = laws ? laws->region : y->on->op->desc.region;
  status = hk_assembly_fill(m->k);
  m->k->desc.on.region = y->on->op->desc.region;
  HK_TRY(status);
  HK_TRY(lay_out(m));
cleanup:
  omp_set_num_threads(threads);
  return status;
}

static const void *address(const hk_buffer *buffer)
{
  return buffer ? hk_buffer_address(buffer).memory : NULL;
}

hk_sparse_view hk_sparse_matrix_view(const hk_sparse_matrix *m)
{
  const hk_address at = hk_buffer_address(m->value);
  return (hk_sparse_view){.format = m->desc.format,
                          .symmetric = m->desc.symmetric,
                          .value_bytes = is_double(m) ? 8 : 4,
                          .size = m->size,
                          .device = at.kind,
                          .device_number = at.number,
                          .width = m->width,
                          .rows = m->rows,
                          .entries = m->entries,
                          .row_start = address(m->row_start),
                          .row = address(m->row),
                          .column = address(m->column),
                          .value = at.memory,
                          .dof = m->dof};
}

/* *to: what the buffer (may be NULL) holds, on the host. */
static hk_status copy(hk_sparse_matrix *m, const hk_buffer *buffer, const void **to)
{
  char *place = NULL;
  if (!buffer) return HK_OK;
  HK_PASS(hk_pool_get(&m->copies, &place, hk_buffer_bytes(buffer)));
  HK_PASS(hk_buffer_read(buffer, 0, hk_buffer_bytes(buffer), place));
  *to = place;
  return HK_OK;
}

hk_status hk_sparse_matrix_read(hk_sparse_matrix *m, hk_sparse_view *out)
{
  enum { HOST = 1 };
  hk_sparse_view v = hk_sparse_matrix_view(m);
  hk_pool_clear(&m->copies);
  if (v.device != HOST) {
    const void *row_start = NULL, *row = NULL, *column = NULL;
    HK_PASS(copy(m, m->row_start, &row_start));
    HK_PASS(copy(m, m->row, &row));
    HK_PASS(copy(m, m->column, &column));
    HK_PASS(copy(m, m->value, &v.value));
    v.row_start = row_start, v.row = row, v.column = column;
    v.device = HOST, v.device_number = 0;
  }
  *out = v;
  return HK_OK;
}
