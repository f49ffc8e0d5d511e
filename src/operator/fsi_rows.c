/* The launches of fsi_rows.k.h behind a form of K that makes the step of each node at once: lists of fluid nodes with their solid nodes and normals (S.9),
 * increments before the step, and the groups whose losses are summed with those of the operator. */
#include "operator/fsi_rows.h"
#include "base/reals.h"
#include "base/sort.h"
#include <stdlib.h>

enum { ROWS = 128 }; /* of a group; what the host's variants are compiled for */

typedef struct fsi_rows {
  hk_index fluids, entries;
  hk_count base, groups; /* of the operator's: base, base + 1, ... are ours */
  hk_buffer *node, *begin, *normal, *before;
  int shots; /* that `before` is for */
  hk_kernel *step[HK_FORM_COUNT][HK_DAMPINGS], *keep[HK_FORM_COUNT];
  hk_pool pool; /* all these but `before` */
} fsi_rows;

/* node[fluids + entries], begin[fluids + 1] */
static hk_status write_lists(const hk_operator_term *term, const hk_space *space, hk_pool *pool,
                             fsi_rows *s, hk_index **node, hk_index **begin)
{
  const hk_fsi *fsi = term->entry;
  HK_PASS(hk_narrow(term->count, "interface nodes", &s->entries));
  for (hk_index j = 0; j < s->entries; j++) s->fluids += !j || fsi[j].fluid != fsi[j - 1].fluid;
  HK_PASS(hk_pool_get(pool, node, (hk_count)s->fluids + s->entries));
  HK_PASS(hk_pool_get(pool, begin, (hk_count)s->fluids + 1));
  for (hk_index j = 0, p = 0; j < s->entries; j++) {
    if (!j || fsi[j].fluid != fsi[j - 1].fluid)
      (*begin)[p] = j, (*node)[p++] = space->node[fsi[j].fluid];
    (*node)[s->fluids + j] = space->node[fsi[j].solid];
  }
  (*begin)[s->fluids] = s->entries;
  return HK_OK;
}

/* Two fluid nodes would change the increments of one solid node. */
static hk_status check_pairs(const hk_operator_term *term, const hk_mesh *mesh, hk_pool *pool)
{
  const hk_fsi *fsi = term->entry;
  bool *seen;
  HK_PASS(hk_pool_get(pool, &seen, mesh->node_count));
  for (hk_count j = 0; j < term->count; j++) {
    HK_NEED(
        !seen[fsi[j].solid], HK_BAD_INPUT,
        "node %lld of a solid touches two fluids that are apart there: let them share the node, "
        "or part them by an element",
        (long long)hk_mesh_node_label(mesh, fsi[j].solid));
    seen[fsi[j].solid] = true;
  }
  return HK_OK;
}

static hk_status send_normals(hk_operator *op, const hk_operator_term *term, hk_pool *pool,
                              fsi_rows *s)
{
  const hk_fsi *fsi = term->entry;
  const int dim = op->desc.space->dim;
  double *normal;
  HK_PASS(hk_pool_get(pool, &normal, term->count * dim));
  for (hk_count i = 0; i < term->count * dim; i++) normal[i] = fsi[i / dim].normal[i % dim];
  return hk_buffer_send_reals(&s->pool, op->desc.device, op->desc.double_precision,
                              term->count * dim, normal, &s->normal);
}

hk_status hk_fsi_rows_create(hk_operator *op, const hk_operator_term *term, void **data)
{
  hk_status status = HK_OK;
  fsi_rows *s = NULL;
  hk_pool pool = {0};
  hk_index *node, *begin, *first;
  const hk_operator_desc *on = &op->desc;
  const hk_count size = (hk_count)sizeof *node;
  HK_CHECK(op->rows && !op->term_node, HK_BAD_INPUT,
           "form of K \"%s\" does not couple fluids and solids%s", op->kind->name,
           op->term_node ? " beside springs of cracks" : ": give form: auto");
  HK_TRY(hk_new(&s));
  *data = s;
  HK_TRY(check_pairs(term, on->space->mesh, &pool));
  HK_TRY(write_lists(term, on->space, &pool, s, &node, &begin));
  HK_TRY(hk_buffer_send(&s->pool, on->device, ((hk_count)s->fluids + s->entries) * size, node,
                        &s->node));
  HK_TRY(hk_buffer_send(&s->pool, on->device, ((hk_count)s->fluids + 1) * size, begin, &s->begin));
  HK_TRY(send_normals(op, term, &pool, s));
  s->groups = (s->fluids + ROWS - 1) / ROWS, s->base = op->groups, op->groups += s->groups;
  HK_TRY(hk_pool_get(&s->pool, &first, s->groups));
  for (hk_count g = 0; g < s->groups; g++) first[g] = node[g * ROWS];
  op->term_node = first;
  const hk_count bytes =
      hk_buffer_bytes(s->node) + hk_buffer_bytes(s->begin) + hk_buffer_bytes(s->normal);
  op->memory += bytes, op->bytes += bytes;
cleanup:
  hk_pool_clear(&pool);
  return status;
}

void hk_fsi_rows_destroy(void *data)
{
  fsi_rows *s = data;
  hk_buffer_destroy(&s->before);
  hk_pool_clear(&s->pool);
}

static hk_status create_kernel(const hk_operator *op, hk_pool *pool, const char *function,
                               hk_form form, int damped, hk_kernel **out)
{
  if (*out) return HK_OK;
  return hk_kernel_get(pool, op->desc.device,
                       &(hk_kernel_desc){.text = "fsi_rows",
                                         .function = function,
                                         .early = true,
                                         .double_precision = op->desc.double_precision,
                                         .define = {{"DAMPED", damped},
                                                    {"DIM", op->desc.space->dim},
                                                    {"FORM", (int)form},
                                                    {"ROWS", ROWS}}},
                       out);
}

hk_status hk_fsi_rows_bind(hk_operator *op, void *data, hk_form form, int damped, int shots)
{
  fsi_rows *s = data;
  if (form == HK_FORM_STORE) return HK_OK;
  HK_PASS(create_kernel(op, &s->pool, "fsi_rows_step", form, damped, &s->step[form][damped]));
  HK_PASS(create_kernel(op, &s->pool, "fsi_rows_before", form, HK_UNDAMPED, &s->keep[form]));
  if (shots <= s->shots) return HK_OK;
  hk_buffer_destroy(&s->before);
  HK_PASS(hk_buffer_create(op->desc.device,
                           (hk_count)shots * ((hk_count)s->fluids + s->entries) *
                               op->desc.space->dim * (op->desc.double_precision ? 8 : 4),
                           &s->before));
  s->shots = shots;
  return HK_OK;
}

hk_status hk_fsi_rows_launch(const hk_operator *op, const void *data, hk_phase phase,
                             const hk_epilogue *epilogue)
{
  const fsi_rows *s = data;
  const hk_groups groups = {s->base, s->groups};
  if (epilogue->form == HK_FORM_STORE) return HK_OK;
  if (phase == HK_PHASE_BEFORE)
    return hk_epilogue_run(
        op, epilogue, s->keep[epilogue->form], groups,
        HK_ARGUMENTS(s->node, s->begin, s->before, (int32_t)s->fluids, (int32_t)s->base));
  if (phase != HK_PHASE_SUMMED) return HK_OK;
  return hk_epilogue_run(op, epilogue, s->step[epilogue->form][epilogue->damped], groups,
                         HK_ARGUMENTS(s->node, s->begin, s->normal, s->before,
                                      epilogue->dt > 0 ? 0.5 / epilogue->dt : 0, (int32_t)s->fluids,
                                      (int32_t)s->base));
}
