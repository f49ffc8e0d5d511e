/* The form `assembled`: K in rows of blocks, made on the device by assembly.h, applied by operator/rows/product.k.h.
 * Chooses rows per group and threads per row from the lengths of the rows, gives K's diagonal blocks and dense blocks of node lists
 * to preconditioners, reads K for the host (hk_csr), and refills values where a law has changed. An operator in single precision can share the rows of
 * one in double, and has its values, rounded. */
#include "operator/assembly/assembled.h"
#include "operator/assembly/cut.h"
#include "operator/assembly/parts.h"
#include "operator/element/coupled.h"
#include "operator/list.h"

/* PATCH: the bisection goes down to so few nodes, that a group's rows lie close together. HOST_ROWS: what the host's variants are
 * compiled for. */
enum { PATCH = 32, HOST_ROWS = 32, THREADS = 64, SHORT_THREADS = 256, SHORT_BYTES = 24 << 10 };

typedef struct assembled {
  hk_assembly *own;          /* NULL: the rows are another operator's */
  const hk_assembly *matrix; /* own, or that which is shared */
  hk_buffer *value;          /* of the matrix, or rounded */
  hk_kernel *kernel[HK_FORM_COUNT][HK_DAMPINGS];
  int rows, spread; /* of a group; threads per row */
  hk_count groups;  /* of a launch */
  int span;         /* most entries of a group whose products local memory keeps; 0: it does not */
} assembled;

static hk_space_desc space_assembled(const hk_mesh *mesh, const hk_device *device,
                                     bool double_precision)
{
  (void)mesh, (void)device, (void)double_precision;
  return (hk_space_desc){.patch = PATCH, .slice = PATCH};
}

static bool serves_assembled(const hk_mesh *mesh)
{
  return mesh->block_count > 0;
}

/* The mesh in the space's numbers, and coordinates. */
hk_count hk_assembled_making(const hk_mesh *mesh, const hk_device *device, bool double_precision)
{
  hk_count stride = 1;
  (void)device, (void)double_precision;
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].nodes > stride) stride = mesh->block[b].nodes;
  return mesh->element_count * (stride + 3) * 4 + mesh->node_count * mesh->dim * 8;
}

static void destroy_assembled(hk_operator *op)
{
  assembled *s = op->data;
  if (!s) return;
  hk_assembly_destroy(&s->own);
}

/* Of the rows of K: entries of all of them, and of the longest. */
typedef struct lengths {
  hk_count entries, longest;
} lengths;

/* Ranks that share rows find those of one process: sums in rows then run in the same order. */
static hk_status find_lengths(const hk_operator_desc *desc, const hk_assembly *matrix, lengths *out)
{
  hk_status status = HK_OK;
  const hk_sharing *share = desc->share;
  const hk_neighbours *n = matrix->neighbours;
  hk_count own[2] = {0}, *all = NULL;
  *out = (lengths){n->entries, n->longest};
  if (!share || !hk_device_has_groups(hk_device_describe(desc->device))) return HK_OK;
  status = hk_get(&all, share->count);
  if (status == HK_OK) status = hk_buffer_read(n->begin, hk_sharing_first(share) * 8LL, 8, &own[0]);
  if (status == HK_OK) status = hk_buffer_read(n->begin, hk_sharing_end(share) * 8LL, 8, &own[1]);
  own[1] -= own[0];
  HK_TRY(hk_ranks_agree(status));
  HK_TRY(hk_ranks_largest(share->ranks, &out->longest, 1));
  HK_TRY(hk_sharing_collect(share, &own[1], 1, all));
  out->entries = 0;
  for (int k = 0; k < share->count; k++) out->entries += all[k];
cleanup:
  hk_free(&all);
  return status;
}

/* Threads per row: few enough that none idles in short rows. */
static int spread_of(const hk_assembly *matrix, const lengths *rows, int dim)
{
  const double mean_row = (double)rows->entries * dim / matrix->rows;
  return mean_row > 64 ? 16 : dim == 3 ? 8 : 4;
}

/* Of a group. */
static int threads_of(const assembled *s)
{
  return s->span ? s->rows : THREADS;
}

/* Local memory has room for `longest` entries of each row, rounded up to a multiple of STEP where a group may have so much: meshes share few kernels,
 * so that installed ones serve. */
static int span_of(hk_count longest, int rows, int real)
{
  enum { STEP = 4 };
  const hk_count room = (longest + STEP - 1) / STEP * STEP * rows, most = SHORT_BYTES / real;
  return (int)(room < most ? room : most);
}

/* Rows of a group: of one component and short, or with threads of their own each. */
static void choose_rows(assembled *s, const hk_device_info *info, const lengths *rows,
                        int components, int real)
{
  const hk_count longest = rows->longest;
  s->spread = hk_device_has_groups(info) ? spread_of(s->matrix, rows, components) : 1;
  s->rows = hk_device_has_groups(info) ? THREADS / s->spread : HOST_ROWS;
  if (!hk_device_has_groups(info) || components > 1 || longest * real * THREADS > SHORT_BYTES)
    return;
  s->rows = SHORT_THREADS;
  while (longest * real * s->rows > SHORT_BYTES || s->rows > info->most_threads) s->rows /= 2;
  s->span = span_of(longest, s->rows, real);
}

static hk_groups groups_of(const hk_operator *op)
{
  const assembled *s = op->data;
  const hk_share_groups own = hk_sharing_groups(op->desc.share, 1, s->rows, s->groups);
  return (hk_groups){own.first, own.count};
}

static hk_status make_rows(hk_operator *op, assembled *s)
{
  hk_operator_desc on = op->desc;
  if (op->desc.share) HK_PASS(hk_assembly_cut(&op->desc, &op->pool, &on));
  HK_PASS(hk_assembly_create(
      &(hk_assembly_desc){.on = on, .timed = hk_device_metered(op->desc.device)->runs}, &s->own));
  HK_PASS(hk_assembly_fill(s->own));
  s->matrix = s->own, s->value = s->own->value;
  op->memory = hk_assembly_bytes(s->own);
  return HK_OK;
}

/* Whether the operator whose numbers are offered has them where the host reads them. */
static bool can_share(const hk_operator_desc *desc)
{
  const hk_operator *from = desc->rounded;
  return from && from->kind == &hk_operator_assembled && from->desc.space == desc->space &&
         from->desc.share == desc->share && from->desc.double_precision &&
         !desc->double_precision && !hk_device_describe(desc->device)->own_memory;
}

static hk_status share_rows(hk_operator *op, assembled *s)
{
  const hk_assembly *from = hk_assembled_matrix(op->desc.rounded);
  const hk_count count = hk_buffer_bytes(from->value) / 8;
  HK_PASS(hk_buffer_get(&op->pool, op->desc.device, count * 4, &s->value));
  const double *value = hk_buffer_host(from->value);
  float *to = hk_buffer_host(s->value);
#pragma omp parallel for schedule(static)
  for (hk_count k = 0; k < count; k++) to[k] = (float)value[k];
  s->matrix = from, op->memory = hk_buffer_bytes(s->value);
  return HK_OK;
}

static hk_status create_assembled(hk_operator *op)
{
  assembled *s = NULL;
  lengths rows;
  const hk_device_info *info = hk_device_describe(op->desc.device);
  HK_PASS(hk_pool_get(&op->pool, &s, 1));
  op->data = s;
  if (op->desc.space->unknowns == HK_UNKNOWNS_COUPLED)
    HK_PASS(hk_coupled_check(&op->desc, &op->unsymmetric));
  HK_PASS(can_share(&op->desc) ? share_rows(op, s) : make_rows(op, s));
  HK_PASS(find_lengths(&op->desc, s->matrix, &rows));
  choose_rows(s, info, &rows, op->desc.space->components, op->desc.double_precision ? 8 : 4);
  s->groups = (s->matrix->rows + s->rows - 1) / s->rows;
  op->groups = s->groups * hk_loss_groups(info, threads_of(s));
  op->bytes = hk_buffer_bytes(s->value) + hk_buffer_bytes(s->matrix->neighbours->column) +
              hk_buffer_bytes(s->matrix->neighbours->begin);
  return HK_OK;
}

static hk_status create_kernel(const hk_operator *op, hk_pool *pool, const char *function,
                               hk_form form, int damped, hk_kernel **out)
{
  const assembled *s = op->data;
  const int dim = op->desc.space->components;
  hk_kernel_desc desc = {.text = "product",
                         .function = function,
                         .double_precision = op->desc.double_precision,
                         .define = {{"DAMPED", damped},
                                    {"DIFFERENCES", hk_operator_differences(&op->desc)},
                                    {"DIM", dim},
                                    {"FORM", (int)form},
                                    {"ROWS", s->rows},
                                    {"RUN", dim}},
                         .local = hk_local_bytes(s->span ? s->span : (hk_count)dim * THREADS,
                                                 op->desc.double_precision ? 8 : 4),
                         .threads = threads_of(s)};
  if (s->span) hk_kernel_define(&desc, "SPAN", s->span);
  hk_kernel_define(&desc, "SPREAD", s->spread);
  return hk_kernel_get(pool, op->desc.device, &desc, out);
}

static hk_status bind_assembled(hk_operator *op, hk_form form, int damped, int shots)
{
  assembled *s = op->data;
  (void)shots;
  const bool lines = s->spread == 1 && op->desc.space->components > 1 && form == HK_FORM_STORE;
  if (s->kernel[form][damped]) return HK_OK;
  return create_kernel(op, &op->pool,
                       lines     ? "product_lines"
                       : s->span ? "product_short"
                                 : "product_step",
                       form, damped, &s->kernel[form][damped]);
}

static hk_status diagonal_assembled(hk_operator *op, hk_buffer *out)
{
  hk_status status = HK_OK;
  const assembled *s = op->data;
  hk_pool pool = {0};
  hk_kernel *kernel;
  HK_TRY(create_kernel(op, &pool, "product_diagonal", HK_FORM_STORE, false, &kernel));
  const hk_groups own = groups_of(op);
  HK_TRY(hk_kernel_launch(kernel, own.first, own.count,
                          HK_ARGUMENTS(s->matrix->neighbours->begin, s->matrix->neighbours->column,
                                       s->value, out, s->matrix->rows)));
  HK_TRY(hk_device_finish(op->desc.device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_assembled_blocks(const hk_operator *op, const hk_buffer *list, hk_count lists,
                              int size, hk_buffer *out)
{
  hk_status status = HK_OK;
  const assembled *s = op->data;
  const hk_neighbours *n = s->matrix->neighbours;
  hk_pool pool = {0};
  hk_kernel *kernel;
  HK_TRY(create_kernel(op, &pool, "product_blocks", HK_FORM_STORE, false, &kernel));
  HK_TRY(hk_kernel_launch(kernel, 0, lists,
                          HK_ARGUMENTS(n->begin, n->column, s->value, list, out, size)));
  HK_TRY(hk_device_finish(op->desc.device));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status apply_assembled(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  const assembled *s = op->data;
  const hk_assembly *k = s->matrix;
  (void)phases;
  return hk_epilogue_run(
      op, epilogue, s->kernel[epilogue->form][epilogue->damped], groups_of(op),
      HK_ARGUMENTS(k->neighbours->begin, k->neighbours->column, s->value, k->rows));
}

const hk_assembly *hk_assembled_matrix(const hk_operator *op)
{
  return ((const assembled *)op->data)->matrix;
}

hk_status hk_assembled_read(hk_operator *op, hk_csr *out)
{
  return hk_assembly_read(((const assembled *)op->data)->matrix, out);
}

hk_status hk_csr_find(hk_operator *op, const hk_operator_desc *desc, hk_csr *out)
{
  hk_status status = HK_OK;
  hk_operator *own = NULL;
  hk_operator_desc real = *desc;
  const bool ready =
      op && op->kind == &hk_operator_assembled && op->desc.double_precision && !op->desc.share;
  real.double_precision = true, real.share = NULL;
  if (ready) return hk_assembled_read(op, out);
  if (!desc->device || !hk_device_describe(desc->device)->own_memory || desc->space->blocks)
    return hk_csr_assemble(desc, out);
  HK_TRY(hk_operator_create(&hk_operator_assembled, &real, &own));
  HK_TRY(hk_assembled_read(own, out));
cleanup:
  hk_operator_destroy(&own);
  return status;
}

hk_status hk_assembled_refill(hk_operator *op)
{
  assembled *s = op->data;
  HK_NEED(s->own, HK_INTERNAL, "the rows of K are those of another operator");
  return hk_assembly_fill(s->own);
}

const hk_operator_kind hk_operator_assembled = {
    .name = "assembled",
    .elements = "all shapes",
    .statics = true,
    .by_name = true,
    .scalar = true,
    .unsymmetric = true,
    .rings = true,
    .coupled = true,
    .pairs = true,
    .space = space_assembled,
    .serves = serves_assembled,
    .plan = hk_assembled_guess,
    .making = hk_assembled_making,
    .create = create_assembled,
    .bind = bind_assembled,
    .apply = apply_assembled,
    .destroy = destroy_assembled,
    .diagonal = diagonal_assembled,
};
