/* A level of elements of a lower order below those of order p: mesh, space, K integrated anew in the form `assembled`, interpolation.
 * hk_constraints_coarse carries constraints down: a degree of freedom below is free, held, or keeps its constraint where each row that
 * it interpolates agrees (choose). Smoothing is by patches for families of order p, else by the blocks of the nodes. */
#include "solver/linear/multigrid/order.h"
#include "element/element.h"
#include "operator/assembly/assembled.h"
#include "operator/list.h"
#include "solver/linear/sparse/shared_rows.h"
#include <math.h>

void hk_order_level_clear(hk_order_level *v)
{
  hk_reduced_destroy(&v->a);
  hk_constraints_clear(&v->constraints);
  hk_operator_destroy(&v->op);
  hk_space_destroy(&v->space);
  hk_mesh_destroy(&v->mesh);
  hk_pool_clear(&v->pool);
}

/* Shapes that are of no family have no order between theirs and 1; functions of one order between are not among those of a mesh of several. */
int hk_order_below(const hk_mesh *mesh)
{
  const int order = hk_element_of(mesh->block[0].shape)->order;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_element *element = hk_element_of(mesh->block[b].shape);
    if (hk_shape_listed(element->shape) || element->order != order) return 1;
  }
  return (order + 1) / 2;
}

hk_status hk_order_level_smoother(hk_level *v, const hk_constraints *constraints)
{
  const hk_operator *op = v->a->op;
  const bool family = !hk_shape_listed(op->desc.space->mesh->block[0].shape);
  HK_PASS(family && op->kind == &hk_operator_assembled
              ? hk_level_find_patches(v, constraints)
              : hk_level_find_diagonal(v, constraints, false));
  return hk_level_measure(v);
}

hk_status hk_interpolation_pack(hk_galerkin_tools *tools, const hk_interpolation *p, int components,
                                bool double_precision, const hk_sharing *above, hk_sharing **share,
                                bool whole, hk_transfer *out)
{
  hk_status status = HK_OK;
  const hk_block_matrix own = {p->rows, p->columns, 1, 1, p->begin, p->column, p->weight};
  hk_galerkin_matrix a = {0}, transposed = {0};
  HK_TRY(hk_galerkin_send(tools->device, &own, &a));
  HK_TRY(hk_galerkin_transpose(tools, &a, &transposed));
  if (above) {
    HK_TRY(hk_shared_keep(tools, hk_sharing_first(above), hk_sharing_end(above), &a));
    HK_TRY(hk_shared_keep(tools, hk_sharing_first(*share), hk_sharing_end(*share), &transposed));
  }
  HK_TRY(hk_transfer_create(tools,
                            &(hk_transfer_desc){.p = &a,
                                                .r = &transposed,
                                                .components = components,
                                                .above = components,
                                                .below = components,
                                                .double_precision = double_precision,
                                                .share = above,
                                                .below_share = share,
                                                .whole = whole},
                            out));
cleanup:
  hk_galerkin_clear(&a);
  hk_galerkin_clear(&transposed);
  return status;
}

static hk_status create_space(const hk_operator_desc *above, int order, hk_order_level *v)
{
  const hk_operator_kind *kind = &hk_operator_assembled;
  HK_PASS(hk_coarse_mesh(above->space, order, &v->mesh));
  hk_space_desc numbering = kind->space(v->mesh, above->device, above->double_precision);
  numbering.components = above->space->components;
  numbering.coupled = above->space->unknowns == HK_UNKNOWNS_COUPLED;
  return hk_space_create(v->mesh, &numbering, &v->space);
}

static hk_status create_operator(const hk_operator_desc *above, const hk_interpolation *p,
                                 const hk_sharing *share, hk_order_level *v)
{
  hk_operator_desc desc = *above;
  desc.space = v->space, desc.share = share;
  HK_PASS(hk_interpolation_warmth(p, above->warm, &v->pool, &desc.warm));
  return hk_operator_create(&hk_operator_assembled, &desc, &v->op);
}

hk_status hk_order_level_create(hk_galerkin_tools *tools, const hk_operator_desc *above,
                                const hk_constraints *constraints, int order, hk_order_level *v,
                                hk_transfer *transfer)
{
  hk_status status = HK_OK;
  const int n = above->space->components;
  hk_interpolation p = {0};
  hk_sharing *share = NULL;
  HK_TRY(create_space(above, order, v));
  if (above->share) HK_TRY(hk_sharing_create(above->share->ranks, v->space->padded, &share));
  HK_TRY(hk_interpolation_create(above->space, v->mesh, v->space->node, v->space->padded, &p));
  HK_TRY(hk_interpolation_pack(tools, &p, n, above->double_precision, above->share, &share, false,
                               transfer));
  HK_TRY(create_operator(above, &p, transfer->share, v));
  HK_TRY(hk_constraints_coarse(constraints, &p, n, &v->constraints));
  HK_TRY(hk_reduced_create(v->op, &v->constraints, &v->a));
cleanup:
  hk_interpolation_clear(&p);
  hk_sharing_destroy(&share);
  return status;
}

/* What becomes of a degree of freedom below: free, held, or 1 + the number of the constraint that it keeps. */
enum { FREE = 0, HELD = -1 };

/* The column that row i takes its value from, alone; -1: there is none. */
static hk_index same_place(const hk_interpolation *p, hk_index i)
{
  hk_index found = -1;
  for (hk_count e = p->begin[i]; e < p->begin[i + 1]; e++) {
    if (fabs(p->weight[e] - 1) > 1e-9) return -1;
    found = p->column[e];
  }
  return found;
}

/* The column with most weight, if that is above a half; -1. */
static hk_index nearest(const hk_interpolation *p, hk_index i)
{
  for (hk_count e = p->begin[i]; e < p->begin[i + 1]; e++)
    if (p->weight[e] > 0.5 + 1e-9) return p->column[e];
  return -1;
}

static double weight_of(const hk_interpolation *p, hk_index node, hk_index column)
{
  for (hk_count e = p->begin[node]; e < p->begin[node + 1]; e++)
    if (p->column[e] == column) return p->weight[e];
  return 0;
}

/* Whether what is free in a column meets constraint i: its node's weight is the sum of its masters'. */
static bool meets(const hk_constraints *c, const hk_interpolation *p, int n, hk_index i,
                  hk_index column, const hk_index *fate)
{
  double sum = weight_of(p, c->dof[i] / n, column);
  if (fate[(hk_count)column * n + c->dof[i] % n] != FREE) return true;
  for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++)
    sum -= c->weight[e] * weight_of(p, c->master[e] / n, column);
  return fabs(sum) < 1e-9;
}

/* Whether all that is interpolated meets constraint i, such as that of a node where orders meet: then nothing need be held for it. */
static bool is_met(const hk_constraints *c, const hk_interpolation *p, int n, hk_index i,
                   const hk_index *fate)
{
  const hk_index node = c->dof[i] / n;
  bool met = c->begin[i] < c->begin[i + 1];
  for (hk_count e = p->begin[node]; met && e < p->begin[node + 1]; e++)
    met = meets(c, p, n, i, p->column[e], fate);
  for (hk_index k = c->begin[i]; met && k < c->begin[i + 1]; k++) {
    const hk_index master = c->master[k] / n;
    met = c->master[k] % n == c->dof[i] % n;
    for (hk_count e = p->begin[master]; met && e < p->begin[master + 1]; e++)
      met = meets(c, p, n, i, p->column[e], fate);
  }
  return met;
}

static void choose(const hk_constraints *c, const hk_interpolation *p, int n, hk_index *fate)
{
  for (hk_index i = 0; i < c->count; i++) {
    const hk_index to = same_place(p, c->dof[i] / n);
    if (to >= 0) fate[(hk_count)to * n + c->dof[i] % n] = i + 1;
  }
  for (hk_index i = 0; i < c->count; i++) {
    const hk_index node = c->dof[i] / n, to = nearest(p, node);
    if (to < 0 || same_place(p, node) >= 0) continue;
    hk_index *own = &fate[(hk_count)to * n + c->dof[i] % n];
    if (*own == FREE && !is_met(c, p, n, i, fate)) *own = HELD;
  }
}

/* Masters of constraint i below, behind the entries so far: all of them, or none. */
static hk_index put_masters(const hk_constraints *c, const hk_interpolation *p, int n, hk_index i,
                            const hk_index *fate, hk_constraints *out, hk_index entries)
{
  const hk_index first = entries;
  for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++) {
    const hk_index node = same_place(p, c->master[e] / n), dof = node * n + c->master[e] % n;
    if (node < 0 || fate[dof] != FREE) return first;
    out->master[entries] = dof;
    out->weight[entries++] = c->weight[e];
  }
  return entries;
}

hk_status hk_constraints_coarse(const hk_constraints *c, const hk_interpolation *p, int n,
                                hk_constraints *out)
{
  hk_status status = HK_OK;
  hk_index *fate = NULL, entries = 0;
  out->dofs = (hk_count)p->columns * n;
  HK_TRY(hk_get(&fate, out->dofs));
  HK_TRY(hk_get(&out->dof, c->count));
  HK_TRY(hk_get(&out->begin, c->count + 1));
  HK_TRY(hk_get(&out->master, c->count ? c->begin[c->count] : 0));
  HK_TRY(hk_get(&out->weight, c->count ? c->begin[c->count] : 0));
  HK_TRY(hk_get(&out->offset, c->count));
  choose(c, p, n, fate);
  for (hk_count k = 0; k < out->dofs; k++) {
    if (fate[k] == FREE) continue;
    out->dof[out->count] = (hk_index)k;
    if (fate[k] > 0) entries = put_masters(c, p, n, fate[k] - 1, fate, out, entries);
    out->begin[++out->count] = entries;
  }
cleanup:
  hk_free(&fate);
  return status;
}
