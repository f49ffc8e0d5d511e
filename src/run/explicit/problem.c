/* Makes a model ready for steps in time: device, form of K and numbering, mass-proportional damping
 * with absorbing layers, lumped mass, bound of the largest frequency, and K. The bound is that of
 * the elements (W.11) plus the springs'; elements of order p and fluids have theirs from an iteration
 * on K with a margin. hk_problem_prepare does all but K, which needs most of the memory; room is
 * checked before it is assembled. */
#include "run/explicit/stage.h"
#include "run/validation/validation.h"
#include "model/inner_faces.h"
#include "model/unit_names.h"
#include "load/absorb/absorb.h"
#include "physics/law.h"
#include "operator/element/element_matrix.h"
#include "operator/list.h"
#include "solver/explicit/explicit.h"
#include <math.h>
#include <omp.h>
#include <string.h>

hk_status hk_model_highest_frequency(const hk_model *model, double *frequency)
{
  double end = 0, f;
  *frequency = 0;
  for (int s = 0; s < model->step_count; s++) end += model->step[s].duration;
  for (int i = 0; i < model->signal.count; i++) {
    HK_PASS(hk_signal_highest_frequency(&model->signal.at[i], end, &f));
    if (f > *frequency) *frequency = f;
  }
  return HK_OK;
}

hk_status hk_model_centre_frequency(const hk_model *model, double *frequency)
{
  double highest;
  *frequency = 0;
  for (int i = 0; i < model->signal.count; i++)
    if (model->signal.at[i].frequency > *frequency) *frequency = model->signal.at[i].frequency;
  if (*frequency > 0) return HK_OK;
  HK_PASS(hk_model_highest_frequency(model, &highest));
  *frequency = 0.5 * highest;
  return HK_OK;
}

static hk_status check_steps(const hk_model *model, hk_messages *list)
{
  for (int s = 0; s < model->step_count; s++)
    if (model->step[s].kind != HK_STEP_EXPLICIT) {
      hk_messages_add(list, HK_ERROR, model->step[s].place.file, model->step[s].place.line, 0,
                      "this step is not explicit dynamics: this function runs only such steps");
      return hk_error_set(HK_BAD_INPUT, "%s: only explicit dynamics can be run", model->path);
    }
  if (!model->step_count)
    return hk_error_set(HK_BAD_INPUT, "%s: the model has no step to run", model->path);
  return HK_OK;
}

static double fastest_speed(const hk_model *model)
{
  double fastest = 0;
  for (int r = 0; r < model->region_count; r++) {
    const hk_material *m = &model->region[r].material;
    const double c =
        hk_material_waves(m) ? hk_region_fastest(&model->region[r], model->mesh->dim) : 0;
    if (c > fastest) fastest = c;
  }
  return fastest;
}

static bool any_layer(const hk_model *model)
{
  bool any = false;
  for (int i = 0; i < model->absorb.count; i++)
    any = any || model->absorb.at[i].kind != HK_ABSORB_STACEY;
  return any;
}

/* Layers on top of the materials' own damping: d[mesh node]. */
static hk_status add_layers(hk_problem *p, double *d)
{
  const hk_model *model = p->on.model;
  hk_absorb_layer *layer;
  const hk_unit_words unit = hk_unit_words_of(&model->units);
  hk_absorb_wave wave = {.speed = fastest_speed(model), .unit = unit.length};
  int count = 0;
  if (!any_layer(model)) return HK_OK;
  HK_PASS(hk_model_centre_frequency(model, &wave.frequency));
  HK_PASS(hk_pool_get(&p->pool, &layer, model->absorb.count));
  for (int i = 0; i < model->absorb.count; i++) {
    const hk_absorb *a = &model->absorb.at[i];
    if (a->kind != HK_ABSORB_LAYER) continue;
    layer[count] = (hk_absorb_layer){.count = a->target.count,
                                     .item = a->target.item,
                                     .face = a->target.face,
                                     .thickness = a->thickness,
                                     .d_max = a->d_max,
                                     .file = a->place.file,
                                     .line = a->place.line};
    count++;
  }
  for (int r = 0; r < model->region_count; r++)
    if (hk_material_waves(&model->region[r].material))
      wave.backward = fmax(wave.backward, hk_region_backward(&model->region[r], model->mesh->dim));
  HK_PASS(hk_absorb_profile(model->mesh, &wave, count, layer, p->on.list, d));
  for (int i = 0; i < count; i++)
    if (wave.frequency > 0)
      hk_messages_add(p->on.list, HK_NOTE, layer[i].file, layer[i].line, 0,
                      "absorbing layer of depth %.4g%s with d_max %.4g%s: reflects %.2g %% of the "
                      "fastest wave at normal "
                      "incidence and frequency %.4g%s",
                      layer[i].thickness, unit.length, layer[i].d_max, unit.rate,
                      100 * layer[i].reflection, wave.frequency, unit.frequency);
  p->damping_layer = layer, p->damping_layers = count;
  return hk_problem_find_pml(p, &wave, d);
}

/* d of a node: the mean of its elements' by their number, which is theirs to the bit where they are alike, and the largest of the layers'. */
static hk_status create_damping(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  const hk_mesh *mesh = model->mesh;
  hk_pool pool = {0};
  double *d;
  int *count;
  bool any = model->media.mass_damping > 0 || any_layer(model);
  for (int r = 0; r < model->region_count; r++)
    any = any || model->region[r].material.mass_damping > 0;
  if (!any) return HK_OK;
  HK_TRY(hk_pool_get(&pool, &d, mesh->node_count));
  HK_TRY(hk_pool_get(&pool, &count, mesh->node_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_block *block = hk_mesh_block_of(mesh, e);
    const hk_index *node = block->node + (e - block->first) * block->nodes;
    for (int n = 0; n < block->nodes; n++) {
      const double of_element = model->region[model->element_region[e]].material.mass_damping;
      d[node[n]] += (of_element - d[node[n]]) / ++count[node[n]];
    }
  }
  for (hk_count n = 0; n < mesh->node_count; n++) d[n] += model->media.mass_damping;
  HK_TRY(add_layers(p, d));
  HK_TRY(hk_pool_get(&p->pool, &p->damping, p->on.space->padded));
  hk_space_to_internal(p->on.space, 1, d, p->damping);
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Whether some nodes have one unknown: of fluids, or all, where the body moves across its plane. */
static bool is_scalar(const hk_model *model)
{
  return model->media.fluid || hk_model_is_antiplane(model);
}

/* Fluids beside solids. */
static bool is_both(const hk_model *model)
{
  return model->media.fluid && model->media.solid;
}

/* Whether the bound is found by iteration on K: of elements of order p, and where a node has not as many unknowns as the mesh has dimensions. */
static bool finds_bound(const hk_problem *p)
{
  const hk_model *m = p->on.model;
  return p->on.kind->mass || hk_mesh_quad_families(m->mesh) || is_scalar(m) ||
         hk_model_is_spatial(m);
}

/* By iteration on K, which comes from below, and a margin. */
static hk_status find_bound(hk_problem *p)
{
  const double margin = 1.01, unsure = 1.05;
  hk_index none = 0;
  hk_sparse held = {.begin = &none};
  bool converged;
  if (hk_model_is_axisymmetric(p->on.model) && p->on.model->media.solid)
    HK_PASS(hk_sparse_of_axis(p->on.space, p->on.model->media.fluid, &p->pool, &held));
  HK_PASS(hk_problem_bound_delay(p, &held, margin, unsure));
  HK_PASS(hk_problem_assemble(p));
  HK_PASS(hk_largest_frequency(p->on.op, p->mass, &held, HK_FREQUENCY_ITERATIONS,
                               HK_FREQUENCY_OF_STEP, &p->omega, &converged));
  if (!converged)
    hk_messages_add(p->on.list, HK_WARNING, p->on.model->path, 0, 0,
                    "the iteration for the largest frequency has not converged in %d steps: the "
                    "time step is taken %.0f %% below its limit",
                    HK_FREQUENCY_ITERATIONS, 100 * (unsure - 1));
  p->omega *= converged ? margin : unsure;
  return HK_OK;
}

/* lambda: omega^2 of the springs alone. Three quarters of all halve the time step. */
static void tell_of_springs(hk_problem *p, double lambda)
{
  p->stiff_springs = lambda > 0.75 * p->omega * p->omega;
  if (!p->stiff_springs) return;
  hk_messages_add(
      p->on.list, HK_WARNING, p->on.model->path, 0, 0,
      "springs of a crack set the time step: they are far stiffer than the elements beside them, "
      "almost as if there were no crack: give a smaller stiffness, or closed: yes");
}

static hk_status create_mass_and_bound(hk_problem *p)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  double *nodal = NULL, lambda = 0;
  HK_TRY(hk_get(&nodal, model->mesh->node_count));
  if (p->on.kind->mass) {
    HK_TRY(p->on.kind->mass(model->mesh, model->region, model->element_region, nodal, &p->guilty));
  } else if (hk_model_is_spatial(model) && hk_mesh_quad_families(model->mesh)) {
    HK_TRY(hk_operator_spectral.mass(model->mesh, model->region, model->element_region, nodal,
                                     &p->guilty));
  } else if (finds_bound(p)) {
    HK_TRY(hk_mass_lumped(model->mesh, model->region, model->element_region, nodal));
    if (hk_mesh_quad_families(model->mesh))
      p->guilty = hk_element_tightest(model->mesh, model->region, model->element_region);
  } else {
    HK_TRY(hk_mass_and_bound(model->mesh, model->region, model->element_region, nodal, &p->omega,
                             &p->guilty));
  }
  HK_TRY(hk_terms_bound(&p->on.terms, model->mesh, nodal, &lambda));
  HK_TRY(hk_pool_get(&p->pool, &p->mass, p->on.space->padded));
  hk_space_to_internal(p->on.space, 1, nodal, p->mass);
  for (hk_index i = 0; i < p->on.space->padded; i++)
    if (p->on.space->mesh_node[i] < 0) p->mass[i] = 1;
  if (finds_bound(p))
    HK_TRY(find_bound(p));
  else
    p->omega = sqrt(p->omega * p->omega + lambda);
  tell_of_springs(p, lambda);
cleanup:
  hk_free(&nodal);
  return status;
}

static int most_shots(const hk_model *model)
{
  int most = 1;
  for (int s = 0; s < model->step_count; s++)
    if (model->step[s].shot_count > most) most = model->step[s].shot_count;
  return most;
}

hk_status hk_problem_number(const hk_problem *p, const hk_mesh *mesh,
                            const hk_index *element_region, const hk_blocks *blocks, hk_space **out)
{
  hk_status status = HK_OK;
  uint8_t *part = NULL;
  const hk_model *model = p->on.model;
  hk_space_desc desc = p->on.kind->space(mesh, p->on.device, p->on.double_precision);
  desc.given = blocks;
  if (hk_model_is_spatial(model)) desc.components = hk_model_vector(model);
  if (is_scalar(model)) {
    HK_CHECK(p->on.kind->mass || p->on.kind == &hk_operator_assembled ||
                 p->on.kind == &hk_operator_blocks || is_both(model),
             HK_BAD_INPUT,
             "method %s does not compute waves %s: give auto; spectral or spectral-colours "
             "on quadrilaterals and hexahedra; assembled and blocks on linear triangles and "
             "tetrahedra; assembled on axisymmetric elements of order p",
             p->on.kind->name, model->media.fluid ? "in fluids" : "of plane: antiplane");
    HK_TRY(hk_get(&part, mesh->element_count));
    for (hk_count e = 0; e < mesh->element_count; e++)
      part[e] = hk_region_is_scalar(&model->region[element_region[e]]);
    desc.element_part = part, desc.components = is_both(model) ? 0 : 1;
    desc.apart = mesh == model->mesh ? p->on_fsi : NULL;
  }
  HK_TRY(hk_space_create(mesh, &desc, out));
cleanup:
  hk_free(&part);
  return status;
}

/* Of ranks the first measures, and the others find what it has kept: all number alike. */
static hk_status tune(const hk_problem *p)
{
  const hk_ranks *ranks = hk_ranks_now();
  hk_status status = HK_OK;
  for (int turn = 0; turn < (ranks ? 2 : 1) && status == HK_OK; turn++) {
    if (!ranks || (ranks->place.rank > 0) == turn)
      status = p->on.kind->tune(p->on.model->mesh, p->on.device, p->on.double_precision);
    status = hk_ranks_agree(status);
  }
  return status;
}

/* The form where some are not served: one unknown per node on linear elements, and axisymmetric models. HK_BAD_INPUT: one of those is named for the latter. */
static hk_status choose_only(const hk_model *model, const char **method)
{
  const bool ring = hk_model_is_axisymmetric(model),
             fluid = is_scalar(model) && !(ring && is_both(model));
  const hk_operator_kind *named;
  if (hk_model_is_spatial(model)) HK_PASS(hk_operator_check_spatial(*method, model->mesh));
  if (hk_is_auto(*method) && hk_model_is_spatial(model)) *method = hk_operator_spatial(model->mesh);
  if (hk_is_auto(*method) && ring && !fluid) *method = hk_operator_stored.name;
  if (hk_is_auto(*method) && fluid && (ring || !hk_operator_spectral.serves(model->mesh)))
    *method = hk_operator_assembled.name;
  named = ring ? hk_operator_find(*method) : NULL;
  HK_NEED(!named || (fluid ? named == &hk_operator_assembled || named == &hk_operator_blocks
                           : named == &hk_operator_stored),
          HK_BAD_INPUT,
          "%s: explicit steps of axisymmetric models do not support the form of K \"%s\": give "
          "method: auto",
          model->path, *method);
  return HK_OK;
}

/* The form of K and its numbering; by the blocks of a file where one is given. */
static hk_status create_space(hk_problem *p, const char *blocks_path)
{
  hk_status status = HK_OK;
  hk_blocks *blocks = NULL;
  const hk_model *model = p->on.model;
  const char *method = model->solve.method;
  if (blocks_path) {
    HK_CHECK(hk_is_auto(method) || hk_operator_find(method) == &hk_operator_blocks, HK_USAGE,
             "--blocks %s: goes with method blocks, not with %s", blocks_path, method);
    method = hk_operator_blocks.name;
  }
  HK_TRY(choose_only(model, &method));
  method = hk_operator_for_shots(method, most_shots(model), model->mesh, p->on.device);
  method = hk_operator_for_regions(method, model->region_count, model->mesh, p->on.device);
  HK_TRY(hk_operator_for_shapes(method, model->mesh, model->element_region, p->on.device, &method));
  if (hk_model_is_spatial(model))
    p->on.kind = hk_operator_find(method);
  else
    HK_TRY(
        hk_model_is_axisymmetric(model) && hk_mesh_quad_families(model->mesh)
            ? hk_operator_choose_rings(method, model->media.fluid && !is_both(model), &p->on.kind)
            : hk_operator_choose(method, model->mesh, p->on.device, &p->on.kind));
  if (p->on.kind->tune && !hk_device_describe(p->on.device)->unoptimised) {
    HK_TRY(tune(p));
    hk_memory_renew_peak(); /* what the model takes is measured: the pieces that are timed are none of it */
  }
  HK_TRY(hk_problem_find_terms(p));
  if (blocks_path) HK_TRY(hk_blocks_read(blocks_path, model->mesh, &blocks));
  HK_TRY(hk_problem_number(p, model->mesh, model->element_region, blocks, &p->on.space));
cleanup:
  hk_blocks_destroy(&blocks);
  return status;
}

/* One device, or several: the first serves for all that concerns the whole model. */
static hk_status open_devices(hk_problem *p, const hk_run_desc *desc, const hk_device_desc *trust)
{
  hk_ranks *ranks = hk_ranks_now();
  if (!ranks && !hk_several_named(desc->device)) return hk_discretisation_open(&p->on, desc, trust);
  const hk_status status = ranks ? hk_several_open_rank(ranks, desc, trust, p->on.list, &p->several)
                                 : hk_several_open(desc, trust, &p->several);
  p->on.device = p->several.count ? p->several.device[0] : NULL;
  return status;
}

/* Shots are shared out where each device holds the whole model, and where no link is asked for, which only parts of a model need. Processors share
 * one memory. */
static bool queues(const hk_problem *p)
{
  const hk_count one =
      hk_discretisation_plan(&p->on) + hk_problem_state_plan(p, 1) + hk_frames_room(p);
  const bool host = !hk_device_describe(p->on.device)->own_memory;
  const int shots = most_shots(p->on.model);
  const hk_count held = host ? (shots < p->several.count ? shots : p->several.count) : 1;
  return shots > 1 && !p->several.link && one * held <= hk_device_available(p->on.device);
}

/* What several devices do not serve is refused before anything large is made. */
static hk_status check_several(hk_problem *p)
{
  const hk_operator_desc whole = hk_discretisation_desc(&p->on);
  if (p->several.parts < 2) return HK_OK;
  p->several.queued = p->several.count > 1 && queues(p);
  if (p->several.queued) return HK_OK;
  HK_NEED(!hk_problem_pairs(p) || !hk_model_is_axisymmetric(p->on.model), HK_BAD_INPUT,
          "several devices cannot step an axisymmetric model of fluids beside solids yet: give one "
          "device");
  HK_PASS(hk_division_check(p->on.kind, p->on.model->mesh, p->on.device, &p->on.terms,
                            p->damping != NULL));
  HK_NEED(!hk_operator_state(&whole, 0), HK_BAD_INPUT,
          "several devices cannot step a model with attenuation (q_s, kelvin_voigt) yet: give one "
          "device");
  HK_NEED(!hk_problem_relaxes(p), HK_BAD_INPUT,
          "several devices cannot step a model of a fluid with attenuation (q_p) yet: give one "
          "device");
  return HK_OK;
}

/* hk_law.surplus, the largest of all regions. */
static double surplus_of(const hk_model *model)
{
  double most = 1;
  for (int r = 0; r < model->region_count; r++) {
    const hk_region *region = &model->region[r];
    const hk_law *law =
        region->material.law
            ? hk_law_of(hk_law_components(region, model->mesh->dim), region, model->mesh->dim)
            : NULL;
    if (law && law->surplus) most = fmax(most, law->surplus(region, model->mesh->dim));
  }
  return most;
}

hk_status hk_problem_prepare(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                             hk_problem **out)
{
  hk_status status = HK_OK;
  hk_problem *p = NULL;
  const int before = hk_clock_begin("device");
  const int threads_before = omp_get_max_threads(); /* the caller's, put back */
  const char *named = model->solve.method;
  if (hk_is_auto(named) && hk_model_is_axisymmetric(model)) named = hk_operator_stored.name;
  if (hk_is_auto(named) && hk_model_is_spatial(model)) named = hk_operator_spatial(model->mesh);
  hk_validation validate = {.method = desc->blocks ? hk_operator_blocks.name : named,
                            .mesh = model->mesh,
                            .element_region = model->element_region,
                            .shots = most_shots(model),
                            .double_precision = desc->precision == HK_DOUBLE,
                            .cache = desc->cache,
                            .list = list};

  HK_TRY(check_steps(model, list));
  HK_TRY(hk_model_check_regions(model, list));
  HK_TRY(hk_model_check_faces(model, list));
  HK_TRY(hk_operator_check_explicit(model->mesh));
  HK_TRY(hk_new(&p));
  p->on = (hk_discretisation){
      .model = model, .list = list, .double_precision = desc->precision == HK_DOUBLE};
  p->integrator = hk_integrator_first();
  HK_TRY(open_devices(p, desc,
                      &(hk_device_desc){.validate = hk_validation_device,
                                        .passed_over = hk_validation_passed_over,
                                        .user = &validate}));
  hk_clock_next("numbering");
  HK_TRY(create_space(p, desc->blocks));
  hk_clock_next("damping");
  HK_TRY(create_damping(p));
  HK_TRY(check_several(p));
  p->surplus = surplus_of(model);
  HK_TRY(hk_problem_find_dashpots(p));
  hk_clock_next("dt");
  hk_problem_find_delay(p);
  HK_TRY(create_mass_and_bound(p));
  HK_TRY(hk_problem_find_relaxing(p));
  hk_clock_end(before);
  *out = p, p = NULL;
cleanup:
  omp_set_num_threads(threads_before);
  hk_problem_destroy(&p);
  return status;
}

hk_count hk_problem_state_plan(const hk_problem *p, int shots)
{
  const hk_operator_desc desc = hk_discretisation_desc(&p->on);
  return hk_explicit_plan(&(hk_explicit_size){.space = p->on.space,
                                              .pml = &p->pml,
                                              .double_precision = p->on.double_precision,
                                              .damped = p->damping != NULL,
                                              .integrals = hk_frames_integrate(p),
                                              .peaks = hk_peaks_kept(p),
                                              .shots = shots,
                                              .laws = hk_operator_state(&desc, 0),
                                              .relaxing = p->relaxing.count});
}

hk_count hk_problem_bound_plan(const hk_problem *p)
{
  return finds_bound(p) ? hk_largest_frequency_plan(p->on.space, p->on.double_precision) : 0;
}

/* Room is asked for before the large pieces are taken: the system may promise them and stop the process later. The iteration for the largest
 * frequency gives its vectors back before there is a state. */
hk_status hk_problem_assemble(hk_problem *p)
{
  if (p->on.op) return HK_OK;
  const hk_count stepping = hk_problem_state_plan(p, 1) + hk_frames_room(p),
                 bound = hk_problem_bound_plan(p);
  HK_PASS(hk_discretisation_room(
      &p->on, hk_discretisation_plan(&p->on) + (stepping > bound ? stepping : bound),
      "K, the state and the frames"));
  return hk_discretisation_assemble(&p->on);
}

/* Two nodes of each row that holds nodes of several granules, as pairs. */
static hk_status list_joined(const hk_problem *p, int rows, const hk_sparse *const *held,
                             hk_pool *pool, hk_count *pairs, hk_index (**joined)[2])
{
  const hk_space *s = p->on.space;
  hk_count most = 0;
  for (int i = 0; i < rows; i++) most += held[i]->rows ? held[i]->begin[held[i]->rows] : 0;
  HK_PASS(hk_pool_get(pool, joined, most + hk_problem_pairs(p)));
  for (int i = 0; i < rows; i++)
    for (hk_index r = 0; r < held[i]->rows; r++)
      for (hk_index k = held[i]->begin[r] + 1; k < held[i]->begin[r + 1]; k++) {
        hk_index *pair = (*joined)[(*pairs)++];
        pair[0] = held[i]->dof[k - 1] / s->components % s->padded;
        pair[1] = held[i]->dof[k] / s->components % s->padded;
      }
  return hk_problem_join_layer(p, pairs, *joined);
}

/* Each device takes about its share of K, of the state and of the frames. */
static hk_status check_rooms(hk_problem *p)
{
  const hk_count all =
      hk_discretisation_plan(&p->on) + hk_problem_state_plan(p, 1) + hk_frames_room(p);
  hk_discretisation one = p->on;
  for (int k = 0; k < p->several.count; k++) {
    one.device = p->several.device[k];
    const bool host = !hk_device_describe(one.device)->own_memory;
    HK_PASS(hk_discretisation_room(&one, host ? all : all / p->several.parts,
                                   "its part of K, of the state and of the frames"));
  }
  return HK_OK;
}

hk_status hk_problem_divide(hk_problem *p, int rows, const hk_sparse *const *held, bool *acted)
{
  hk_status status = HK_OK;
  const int before = hk_clock_begin_top("assemble");
  const hk_operator_desc whole = hk_discretisation_desc(&p->on);
  hk_pool pool = {0};
  hk_count pairs = 0;
  hk_index(*joined)[2] = NULL;
  hk_operator_destroy(&p->on.op);
  HK_TRY(check_rooms(p));
  HK_TRY(list_joined(p, rows, held, &pool, &pairs, &joined));
  for (hk_index k = 0; k < p->dashpots.count; k++) acted[p->dashpots.node[k]] = true;
  HK_TRY(hk_division_create(&(hk_division_desc){.parts = p->several.count,
                                                .device = p->several.device,
                                                .ranks = hk_ranks_now(),
                                                .kind = p->on.kind,
                                                .whole = &whole,
                                                .link = p->several.link,
                                                .pairs = pairs,
                                                .joined = (const hk_index(*)[2])joined,
                                                .acted = acted},
                            &p->division));
  hk_memory_trim();
cleanup:
  hk_clock_end(before);
  hk_pool_clear(&pool);
  return status;
}

hk_count hk_problem_operator_bytes(const hk_problem *p, bool read)
{
  hk_count sum = 0;
  if (p->on.op) return read ? p->on.op->bytes : p->on.op->memory;
  for (int k = 0; p->division && k < p->division->parts; k++)
    sum += read ? p->division->part[k].bytes : p->division->part[k].memory;
  return sum;
}

hk_status hk_problem_create(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                            hk_problem **out)
{
  hk_status status = HK_OK;
  HK_TRY(hk_problem_prepare(model, desc, list, out));
  status = hk_problem_assemble(*out);
  if (status != HK_OK) hk_problem_destroy(out);
cleanup:
  return status;
}

void hk_problem_destroy(hk_problem **problem)
{
  hk_problem *p = *problem;
  if (!p) return;
  hk_division_destroy(&p->division);
  if (p->several.count) p->on.device = NULL;
  hk_discretisation_clear(&p->on);
  hk_several_close(&p->several);
  hk_dashpots_clear(&p->dashpots);
  hk_pml_clear(&p->pml);
  hk_free(&p->fsi);
  hk_pool_clear(&p->pool);
  hk_free(problem);
}
