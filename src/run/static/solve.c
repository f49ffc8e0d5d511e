#include "element/face.h"
#include "run/static/static.h"
#include "solver/linear/words.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "solver/linear/product.h"
#include <math.h>
#include <string.h>

/* The same degrees of freedom are held in the same way; offsets may differ. */
static bool same_form(const hk_constraints *a, const hk_constraints *b)
{
  if (a->count != b->count || !a->begin || !b->begin || a->dofs != b->dofs) return false;
  const size_t entries = (size_t)a->begin[a->count];
  return !memcmp(a->dof, b->dof, (size_t)a->count * sizeof *a->dof) &&
         !memcmp(a->begin, b->begin, ((size_t)a->count + 1) * sizeof *a->begin) &&
         !memcmp(a->master, b->master, entries * sizeof *a->master) &&
         !memcmp(a->weight, b->weight, entries * sizeof *a->weight);
}

/* *to = the constraints with offset 0 */
static hk_status copy_form(const hk_constraints *from, hk_constraints *to)
{
  hk_status status = HK_OK;
  HK_TRY(hk_constraints_copy(from, to));
  for (hk_index i = 0; i < to->count; i++) to->offset[i] = 0;
cleanup:
  return status;
}

static hk_status keep_residual(hk_static *s, double residual)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&s->history, s->history_count + 1, &s->history_room));
  s->history[s->history_count++] = residual;
cleanup:
  return status;
}

static void on_iteration(int iteration, double residual, void *user)
{
  const hk_static *s = user;
  const hk_run_desc *desc = s->session->desc;
  const double now = hk_seconds();
  if (!desc->progress || now - s->session->last_progress < 0.1) return;
  s->session->last_progress = now;
  desc->progress(&(hk_progress){.stage = "solve",
                                .step = s->step + 1,
                                .steps = s->model->step_count,
                                .iteration = iteration,
                                .residual = residual,
                                .time = s->total_time,
                                .seconds_left = -1},
                 desc->user);
}

bool hk_static_wants_to_stop(void *user)
{
  const hk_static *s = user;
  return hk_session_stops(s->session);
}

static hk_status make_solver(hk_static *s)
{
  hk_status status = HK_OK;
  const double before = hk_seconds();
  const hk_static_how *how = &s->model->solve.how;
  if (s->linear && same_form(&s->held, &s->solved)) return HK_OK;
  hk_linear_destroy(&s->linear);
  s->probed = false;
  HK_TRY(copy_form(&s->held, &s->solved));
  HK_TRY(hk_linear_create(
      &(hk_linear_desc){.op = s->op,
                        .constraints = &s->solved,
                        .near_null = s->x,
                        .method = how->method,
                        .preconditioner = how->preconditioner,
                        .relaxation = how->relaxation,
                        .single_sweeps = hk_sweeps_of(how->sweeps) == HK_SWEEPS_SINGLE,
                        .library = how->library,
                        .ordering = how->ordering,
                        .tolerance = how->tolerance,
                        .iterations = how->iterations,
                        .progress = on_iteration,
                        .stop = hk_static_wants_to_stop,
                        .user = s},
      &s->linear));
cleanup:
  s->session->seconds.setup += hk_seconds() - before;
  return status;
}

/* right = f - K offset */
static hk_status make_right_side(hk_static *s)
{
  hk_status status = HK_OK;
  bool moved = false;
  memset(s->u, 0, (size_t)s->dofs * sizeof *s->u);
  for (hk_index i = 0; i < s->held.count; i++) {
    s->u[s->held.dof[i]] = s->held.offset[i];
    moved = moved || s->held.offset[i] != 0;
  }
  memcpy(s->right, s->f, (size_t)s->dofs * sizeof *s->right);
  if (!moved) return HK_OK;
  HK_TRY(hk_product(s->op, s->in, s->out, s->u, s->ku));
  for (hk_count i = 0; i < s->dofs; i++) s->right[i] -= s->ku[i];
cleanup:
  return status;
}

static void add_reactions(const hk_static *s, double *heat)
{
  const hk_mesh *mesh = s->model->mesh;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_region *region = &s->model->region[s->model->element_region[e]];
    const hk_block *block = hk_mesh_block_of(mesh, e);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    double x[3 * HK_MOST_NODES], t[HK_MOST_NODES], own[HK_MOST_NODES];
    if (!hk_material_reacts(&region->material)) continue;
    hk_element_gather(mesh, block, e - block->first, x);
    for (int n = 0; n < block->nodes; n++) t[n] = s->u[s->space->node[node[n]]], own[n] = 0;
    hk_element_react(region, hk_element_of(block->shape), x, t, own);
    for (int n = 0; n < block->nodes; n++) heat[s->space->node[node[n]]] += own[n];
  }
}

void hk_static_exchanged(const hk_static *s, double *heat)
{
  const hk_mesh *mesh = s->model->mesh;
  const int dim = mesh->dim;
  for (hk_count i = 0; i < s->assembled_count; i++) {
    const hk_exchange *e = &s->assembled[i];
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e->element)->shape);
    const hk_element_face *face = &element->face[e->face];
    const hk_region *region = &s->model->region[s->model->element_region[e->element]];
    const hk_index *node = hk_mesh_nodes_of(mesh, e->element);
    double x[3 * HK_MOST_FACE_NODES], m[HK_MOST_FACE_NODES * HK_MOST_FACE_NODES];
    memset(m, 0, (size_t)(face->nodes * face->nodes) * sizeof *m);
    for (int k = 0; k < face->nodes * dim; k++)
      x[k] = mesh->x[(hk_count)node[face->node[k / dim]] * dim + k % dim];
    hk_face_mass(element, face, hk_face_reduced(element, region->integration),
                 e->coefficient * (dim == 2 ? region->thickness : 1), e->by, x, m);
    for (int a = 0; a < face->nodes; a++)
      for (int b = 0; b < face->nodes; b++)
        heat[s->space->node[node[face->node[a]]]] +=
            m[a * face->nodes + b] * s->u[s->space->node[node[face->node[b]]]];
  }
  add_reactions(s, heat);
}

/* Energies, sums, and the largest displacement: NaN where there is one. */
static void measure(hk_static *s, hk_static_result *r)
{
  const int dim = s->space->components;
  for (hk_count i = 0; i < s->dofs; i++) {
    r->strain += .5 * s->u[i] * s->ku[i];
    r->work += .5 * s->f[i] * s->u[i];
    r->load[i % dim] += s->f[i];
    r->reaction[i % dim] += s->ku[i] - s->f[i];
    r->most = hk_larger(r->most, fabs(s->u[i]));
    r->most_force = hk_larger(r->most_force, hk_larger(fabs(s->f[i]), fabs(s->ku[i] - s->f[i])));
  }
  for (hk_index i = 0; i < s->extras.count; i++) {
    const hk_count at = s->extras.dof[i] - s->dofs;
    r->work += .5 * s->extra_load[at] * s->extras.offset[i];
    r->load[at % dim] += s->extra_load[at];
    r->reaction[at % dim] -= s->extra_load[at];
  }
}

/* Largest force on what is free. */
static hk_status measure_excitation(const hk_static *s, double *excitation)
{
  hk_status status = HK_OK;
  double *f = NULL;
  *excitation = 0;
  HK_TRY(hk_get(&f, s->dofs));
  memcpy(f, s->right, (size_t)s->dofs * sizeof *f);
  hk_constraints_transpose(&s->solved, f);
  for (hk_count i = 0; i < s->dofs; i++) *excitation = fmax(*excitation, fabs(f[i]));
cleanup:
  hk_free(&f);
  return status;
}

/* What is loaded or moved and stays zero everywhere is no result, and neither is what is no number. */
static hk_status check_result(const hk_static *s, const hk_static_result *r)
{
  hk_status status = HK_OK;
  double excitation, loaded = 0;
  HK_CHECK(isfinite(r->most) && isfinite(r->most_force), HK_NOT_CONVERGED,
           "the %s are not numbers: the matrix is singular", hk_words_of(s->heat)->values);
  if (r->most > 0) return HK_OK;
  HK_TRY(measure_excitation(s, &excitation));
  HK_CHECK(excitation == 0, HK_INTERNAL,
           "the result is zero everywhere although the model is loaded");
  for (hk_count i = 0; i < s->dofs; i++) loaded = fmax(loaded, fabs(s->f[i]));
  hk_messages_add(s->list, HK_WARNING, s->model->step[s->step].place.file,
                  s->model->step[s->step].place.line, 0, "this step's result is zero: %s",
                  loaded > 0 ? "its loads act only on held degrees of freedom" : "it has no load");
cleanup:
  return status;
}

/* The step's error is told, and where it is too large is one. */
static hk_status check_error(hk_static *s, hk_static_result *r)
{
  hk_status status = HK_OK;
  const hk_place place = s->model->step[s->step].place;
  const hk_words *words = hk_words_of(s->heat);
  const double no_digit = 1e-2, few = s->double_precision ? 1e-6 : 1e-3;
  const char *advice = s->double_precision ? "the method direct, or a smaller tolerance, may help"
                                           : "give --precision=double";
  HK_TRY(hk_linear_error(s->linear, s->f, s->u, &r->error));
  HK_CHECK(r->error <= no_digit, HK_NOT_CONVERGED,
           "the estimated relative error of the %s is %.2g: rounding leaves almost no digit, "
           "because %s is nearly singular; %s; %s",
           words->values, r->error, words->matrix, advice, words->remedy);
  if (r->error > few)
    hk_messages_add(s->list, HK_WARNING, place.file, place.line, 0,
                    "the estimated relative error of the %s is %.2g: %s is ill-conditioned "
                    "(slender or weakly held parts, very different materials); %s",
                    words->values, r->error, words->matrix, advice);
cleanup:
  return status;
}

static hk_status solve(hk_static *s)
{
  hk_status status = HK_OK;
  hk_static_result *r = &s->result[s->step];
  HK_TRY(make_solver(s));
  HK_TRY(make_right_side(s));
  hk_linear_report_clear(&s->report);
  status = hk_linear_solve(s->linear, s->right, s->u, &s->report);
  memcpy(r->method, s->report.method, sizeof r->method);
  r->iterations = s->report.iterations, r->residual = s->report.residual;
  r->damping = s->report.damping;
  s->bytes = s->report.bytes;
  for (int i = 0; status == HK_OK && i < s->report.history_count; i++)
    status = keep_residual(s, s->report.history[i]);
  s->history_begin[s->step + 1] = s->history_count;
  if (s->report.note[0]) hk_messages_add(s->list, HK_NOTE, NULL, 0, 0, "%s", s->report.note);
  HK_TRY(status);
  hk_constraints_apply(&s->held, s->u);
  HK_TRY(hk_product(s->op, s->in, s->out, s->u, s->ku));
  measure(s, r);
  HK_TRY(check_result(s, r));
  HK_TRY(hk_static_probe(s));
  HK_TRY(check_error(s, r));
  r->done = true;
  if (!s->heat) return HK_OK;
  memset(s->right, 0, (size_t)s->dofs * sizeof *s->right);
  /* what films take away beside their sinks' part, which is in f, and what reactions do */
  hk_static_exchanged(s, s->right);
  for (hk_count i = 0; i < s->dofs; i++) r->load[0] -= s->right[i];
cleanup:
  return status;
}

hk_status hk_static_solve(hk_static *s)
{
  return hk_static_name_mechanism(s, solve(s));
}
