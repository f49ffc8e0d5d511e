/* Mechanisms: motions that nothing resists, null vectors of T^T K T, found by the solver's probe (solver/linear/probe.h) whether or not a load excites
 * them, unless faces and supports prove that there are none (hk_static_is_firm). A step that has one ends in HK_NOT_CONVERGED with how many, where and in which direction; their pictures are in the report. Where no factors
 * could be made, conjugate gradients look for them. */
#include <hooke/result.h>
#include "run/static/static.h"
#include "base/json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TOLD = 6, MOST_NODES = 3 };

/* The mesh node that moves most in a mode, `skip` others left out. */
static hk_index find_node(const hk_static *s, const double *mode, int skip, const hk_index *skipped)
{
  const int dim = s->components;
  hk_index best = -1;
  double most = 0;
  for (hk_index i = 0; i < s->on.space->padded; i++) {
    const hk_index node = s->on.space->mesh_node[i];
    double sum = 0;
    bool out = node < 0;
    for (int k = 0; k < skip; k++) out = out || skipped[k] == node;
    for (int c = 0; c < dim; c++) sum += mode[(hk_count)i * dim + c] * mode[(hk_count)i * dim + c];
    /* of those that move alike the first of the mesh, whatever the numbering */
    if (out || !(sum > most * (1 - 1e-6)) || (sum < most * (1 + 1e-6) && node > best)) continue;
    best = node, most = hk_larger(most, sum);
  }
  return best;
}

/* Of length 1; its largest component is positive. */
static void find_direction(const hk_static *s, const double *mode, hk_index node, double *direction)
{
  const int dim = s->components;
  const double *own = mode + (hk_count)s->on.space->node[node] * dim;
  double sum = 0;
  int most = 0;
  for (int c = 0; c < dim; c++) {
    sum += own[c] * own[c];
    if (fabs(own[c]) > fabs(own[most]) * (1 + 1e-6)) most = c;
  }
  for (int c = 0; c < dim; c++)
    direction[c] = sum > 0 ? (own[most] < 0 ? -1 : 1) * own[c] / sqrt(sum) : 0;
}

/* "x", or "(0.707, 0.707, 0)" */
static void name_direction(int dim, const double *direction, char *text, size_t size)
{
  static const char *const axis[] = {"x", "y", "z"};
  size_t at = 0;
  for (int c = 0; c < dim; c++)
    if (direction[c] > 0.999) {
      snprintf(text, size, "%s", axis[c]);
      return;
    }
  for (int c = 0; c < dim && at < size; c++)
    at += (size_t)snprintf(text + at, size - at, "%s%.3g", c ? ", " : "(",
                           fabs(direction[c]) < 5e-4 ? 0 : direction[c]);
  if (at < size) snprintf(text + at, size - at, ")");
}

/* "node 21 along z, node 22 along z" */
static void name_nodes(const hk_static *s, const double *mode, char *text, size_t size)
{
  hk_index node[MOST_NODES];
  size_t at = 0;
  text[0] = 0;
  for (int k = 0; k < MOST_NODES && at < size; k++) {
    char direction[64];
    double own[3];
    node[k] = find_node(s, mode, k, node);
    if (node[k] < 0) return;
    find_direction(s, mode, node[k], own);
    name_direction(s->components, own, direction, sizeof direction);
    at += (size_t)snprintf(text + at, size - at, "%snode %lld along %s", k ? ", " : "",
                           (long long)hk_mesh_node_label(s->on.model->mesh, node[k]), direction);
  }
}

static bool is_reduced(const hk_static *s)
{
  for (int r = 0; r < s->on.model->region_count; r++)
    if (s->on.model->region[r].integration == HK_INTEGRATION_REDUCED) return true;
  return false;
}

/* Always HK_NOT_CONVERGED. */
static hk_status tell(const hk_static *s)
{
  const hk_null_modes *m = &s->solver.mechanism;
  const hk_place place = s->on.model->step[s->step].place;
  char nodes[256];
  const bool many = m->count > 1;
  hk_error_set(HK_NOT_CONVERGED,
               "the stiffness matrix is singular: %s%d mechanism%s that nothing resists, whether "
               "or not a load excites %s: hold the moving part, or join it by a face%s; "
               "report.html shows how %s move%s",
               m->more ? "at least " : "", m->count, many ? "s" : "", many ? "them" : "it",
               is_reduced(s) ? ", or use elements with full instead of reduced integration" : "",
               many ? "they" : "it", many ? "" : "s");
  for (int k = 0; k < m->count && k < MOST_TOLD; k++) {
    name_nodes(s, m->mode + k * m->dofs, nodes, sizeof nodes);
    hk_messages_add(s->on.list, HK_ERROR, place.file, place.line, 0,
                    "mechanism %d of %s%d: these move most: %s", k + 1, m->more ? "at least " : "",
                    m->count, nodes);
  }
  hk_messages_add(s->on.list, HK_ERROR, place.file, place.line, 0, "%s", hk_error());
  return HK_NOT_CONVERGED;
}

hk_status hk_static_probe(hk_static *s)
{
  hk_status status = HK_OK;
  const double before = hk_seconds();
  bool firm = false;
  /* Of heat load/rigid.h finds all: a part whose temperature is held somewhere has a regular matrix. */
  if (!hk_static_solid(s) || s->solver.probed) return HK_OK;
  hk_null_modes_clear(&s->solver.mechanism);
  HK_TRY(hk_static_is_firm(s, &firm));
  if (!firm) HK_TRY(hk_linear_probe(s->solver.linear, &s->solver.mechanism));
  s->solver.probed = true;
  if (s->solver.mechanism.count) status = tell(s);
cleanup:
  hk_session_log(s->session, "%s for mechanisms: %.3g s", firm ? "faces and supports" : "probe",
                 hk_seconds() - before);
  return status;
}

/* With conjugate gradients, which need no factors. */
static hk_status seek(hk_static *s)
{
  hk_status status = HK_OK;
  static const char *const preconditioner[] = {"multigrid", "block-jacobi"};
  enum { MOST_ITERATIONS = 2000 };
  hk_linear_desc desc = {.op = s->on.op,
                         .constraints = &s->solver.made_for,
                         .method = "cg",
                         .iterations = MOST_ITERATIONS,
                         .stop = hk_static_wants_to_stop,
                         .user = s};
  for (int k = 0; k < 2 && !s->solver.mechanism.count; k++) {
    hk_linear *linear = NULL;
    desc.preconditioner = preconditioner[k];
    status = hk_linear_create(&desc, &linear);
    if (status == HK_OK) status = hk_linear_probe(linear, &s->solver.mechanism);
    hk_linear_destroy(&linear);
    if (status == HK_STOPPED || status == HK_NO_RESOURCES) return status;
  }
  return HK_OK;
}

hk_status hk_static_name_mechanism(hk_static *s, hk_status ended)
{
  char words[1024];
  if (ended != HK_NOT_CONVERGED || !hk_static_solid(s) || s->solver.mechanism.count || !s->on.op)
    return ended;
  snprintf(words, sizeof words, "%s", hk_error());
  if (seek(s) == HK_STOPPED) return HK_STOPPED;
  return s->solver.mechanism.count ? tell(s) : hk_error_set(ended, "%s", words);
}

/* values[mesh node][components]: 0 for nodes that belong to no element and are not tied */
static void spread(const hk_static *s, const double *mode, double *all, double *values)
{
  const int dim = s->components;
  const hk_constraints *extras = &s->held.extras;
  memcpy(all, mode, (size_t)s->vector.dofs * sizeof *all);
  memset(all + s->vector.dofs, 0, (size_t)(s->vector.all - s->vector.dofs) * sizeof *all);
  hk_space_from_internal(s->on.space, dim, all, values);
  for (hk_index i = 0; i < extras->count; i++) {
    const hk_count at = extras->dof[i] - s->vector.dofs;
    double sum = 0;
    for (hk_index k = extras->begin[i]; k < extras->begin[i + 1]; k++)
      sum += extras->weight[k] * all[extras->master[k]];
    values[(hk_count)s->extra.node[at / dim] * dim + at % dim] = sum;
  }
}

static hk_status write_field(const hk_static *s)
{
  hk_status status = HK_OK;
  const hk_null_modes *m = &s->solver.mechanism;
  const hk_count values = s->on.model->mesh->node_count * s->components;
  hk_pool pool = {0};
  double *all, *mode, *number;
  float *frame;
  hk_field_file *file = NULL;
  HK_TRY(hk_pool_get(&pool, &all, s->vector.all));
  HK_TRY(hk_pool_get(&pool, &mode, values));
  HK_TRY(hk_pool_get(&pool, &frame, values));
  HK_TRY(hk_pool_get(&pool, &number, m->count));
  for (int k = 0; k < m->count; k++) number[k] = k + 1;
  HK_TRY(hk_field_file_open(s->session->desc->output, hk_session_wants_vtu(s->session), false,
                            &(hk_field_layout){.mesh = s->on.model->mesh,
                                               .regions = hk_model_regions(s->on.model),
                                               .frames = m->count,
                                               .time = number,
                                               .name = HK_MECHANISM_FIELD,
                                               .quantity_count = 1,
                                               .quantity = {{"mechanism", "", s->components}}},
                            &file));
  for (int k = 0; k < m->count; k++) {
    spread(s, m->mode + k * m->dofs, all, mode);
    for (hk_count i = 0; i < values; i++) frame[i] = (float)mode[i];
    HK_TRY(hk_field_file_write(file, k, 0, frame));
    HK_TRY(hk_field_file_flush(file));
  }
cleanup:
  if (file) {
    const hk_status closed = hk_field_file_close(&file);
    if (status == HK_OK) status = closed;
  }
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_static_show_mechanism(void *run)
{
  const hk_static *s = run;
  const hk_run_desc *desc = s->session->desc;
  if (!s->solver.mechanism.count) return HK_OK;
  HK_PASS(write_field(s));
  if (desc->no_pictures) return HK_OK;
  HK_PASS(hk_pictures_write(desc->output, NULL, 0, NULL));
  return hk_report_write(desc->output, NULL, NULL);
}

json_t *hk_static_mechanisms(const hk_static *s)
{
  json_t *list = json_array();
  for (int k = 0; k < s->solver.mechanism.count; k++) {
    const double *mode = s->solver.mechanism.mode + k * s->solver.mechanism.dofs;
    const hk_index node = find_node(s, mode, 0, NULL);
    double direction[3] = {0};
    find_direction(s, mode, node, direction);
    json_array_append_new(list, json_pack("{s:I, s:o}", "node",
                                          (json_int_t)hk_mesh_node_label(s->on.model->mesh, node),
                                          "direction", hk_json_reals(s->components, direction)));
  }
  return list;
}
