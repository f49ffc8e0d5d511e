/* The fastest variant of the spectral operator on a device: threads per group, a bound of registers, reading ahead, colours or slots. Each
 * candidate takes steps on a box of straight elements of the mesh's dimension and order, in the precision and state that runs take by default, and
 * the least time counts. The choice is remembered in the cache folder (operator/tune.h) for dimension, order and precision, and its time is kept
 * (operator/times.h). */
#include "operator/spectral/tune.h"
#include "device/cache.h"
#include "operator/list.h"
#include "operator/spectral/map.h"
#include "operator/spectral/patch.h"
#include "operator/times.h"
#include "operator/tune.h"
#include "physics/material.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIECE_NODES = 2000000, SAMPLES = 5, APPLIES = 8 };

/* The first ones are those of a prototype. */
static const int threads[] = {128, 64, 256}, registers[] = {0, 80, 64};
/* Of patches: as runs take them untimed, the shapes of operator/spectral/patch.h, none. */
enum { NO_PATCHES = HK_SPECTRAL_PATCH_SHAPES + 1 };
const int hk_spectral_options[HK_SPECTRAL_FIELDS] = {
    NO_PATCHES + 1, sizeof threads / sizeof *threads, sizeof registers / sizeof *registers, 2, 2};

typedef struct piece {
  hk_device *device;
  bool double_precision;
  int order;
  hk_mesh *mesh;
  hk_region region;
  hk_index *element_region;
  double least; /* seconds of a step with the best options so far; 0: none */
  hk_index timed[sizeof threads / sizeof *threads]; /* elements of a group that were timed */
} piece;

static hk_tune describe(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                        char form[64])
{
  hk_tune tune = {.device = device,
                  .cache = hk_device_cache(device),
                  .what = "spectral",
                  .form = form,
                  .fields = HK_SPECTRAL_FIELDS};
  snprintf(form, 64, "dim %d order %d %s", mesh->dim, hk_spectral_order(mesh),
           double_precision ? "double" : "single");
  memcpy(tune.options, hk_spectral_options, sizeof hk_spectral_options);
  return tune;
}

/* Of what was asked for. Colours that are asked for go before patches that are not. */
static int patches_of(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                      const int *option)
{
  const int wanted = option[HK_SPECTRAL_PATCHES], order = hk_spectral_order(mesh);
  if (wanted == NO_PATCHES || (!wanted && option[HK_SPECTRAL_COLOURS])) return 0;
  const int shape =
      wanted ? wanted : hk_spectral_patch_default(device, mesh->dim, order, double_precision);
  return hk_spectral_patch_shape(mesh->dim, order, double_precision, shape).elements ? shape : 0;
}

hk_spectral_choice hk_spectral_chosen(const hk_mesh *mesh, const hk_device *device,
                                      bool double_precision, const int *option)
{
  char form[64];
  int known[HK_SPECTRAL_FIELDS] = {0};
  const hk_tune tune = describe(mesh, device, double_precision, form);
  if (!option && hk_device_has_candidates(hk_device_describe(device)))
    hk_tune_remembered(&tune, known);
  if (!option) option = known;
  const int patches = patches_of(mesh, device, double_precision, option);
  return (hk_spectral_choice){.threads = threads[option[HK_SPECTRAL_ELEMENTS]],
                              .registers = registers[option[HK_SPECTRAL_REGISTERS]],
                              .ahead = option[HK_SPECTRAL_AHEAD] != 0,
                              .colours = option[HK_SPECTRAL_COLOURS] && !patches,
                              .patches = patches};
}

static hk_status make_piece(const hk_mesh *like, piece *p)
{
  const double nodes = hk_device_describe(p->device)->unoptimised ? 1000 : PIECE_NODES;
  const hk_count cells = (hk_count)ceil(pow(nodes, 1.0 / like->dim) / p->order);
  HK_PASS(hk_mesh_create_grid(&(hk_mesh_grid){.dim = like->dim,
                                              .to = {1, 1, 1},
                                              .cells = {cells, cells, like->dim == 3 ? cells : 0},
                                              .shape = like->dim == 3 ? HK_HEX8 : HK_QUAD4,
                                              .jitter = 0.2},
                              &p->mesh));
  HK_PASS(hk_mesh_raise_to(p->mesh, p->order));
  HK_PASS(hk_get(&p->element_region, p->mesh->element_count));
  p->region.material.density = 1, p->region.thickness = 1;
  return hk_material_isotropic(1, 0.3, &p->region.material);
}

/* The least of the samples, each of some applies. */
static hk_status time_applies(hk_operator *op, double *seconds)
{
  hk_status status = HK_OK;
  const hk_form form = op->desc.double_precision ? HK_FORM_POSITIONS : HK_FORM_INCREMENTS;
  const hk_count real = op->desc.double_precision ? 8 : 4;
  const hk_count dofs = (hk_count)op->desc.space->padded * op->desc.space->components;
  hk_buffer *u[2] = {0}, *v = NULL, *b = NULL;
  hk_device *device = op->desc.device;
  HK_TRY(hk_operator_bind(op, form, false, 1));
  for (int k = 0; k < 2; k++) HK_TRY(hk_buffer_create(device, dofs * real, &u[k]));
  HK_TRY(hk_buffer_create(device, dofs * real, &v));
  HK_TRY(hk_buffer_create(device, op->desc.space->padded * real, &b));
  *seconds = HUGE_VAL;
  for (int sample = 0; sample <= SAMPLES; sample++) { /* the first warms */
    const double start = hk_seconds();
    for (int k = 0; k < APPLIES; k++)
      HK_TRY(hk_operator_apply(op, &(hk_epilogue){.form = form,
                                                  .u = u[k % 2],
                                                  .out = u[1 - k % 2],
                                                  .v = form == HK_FORM_INCREMENTS ? v : NULL,
                                                  .b = b}));
    HK_TRY(hk_device_finish(device));
    if (sample) *seconds = fmin(*seconds, hk_seconds() - start);
  }
cleanup:
  for (int k = 0; k < 2; k++) hk_buffer_destroy(&u[k]);
  hk_buffer_destroy(&v);
  hk_buffer_destroy(&b);
  return status;
}

/* Registers and what is asked ahead are options of devices that obey hints. Numbers of threads that give the elements of one before them are passed over. */
static bool is_new(piece *p, const int *option, hk_index elements)
{
  const int first = option[HK_SPECTRAL_ELEMENTS];
  const int own = hk_spectral_patch_default(p->device, p->mesh->dim, p->order, p->double_precision),
            wanted = option[HK_SPECTRAL_PATCHES];
  if (wanted == NO_PATCHES && !own) return false;
  if (wanted && wanted != NO_PATCHES &&
      (wanted == own || !hk_device_describe(p->device)->obeys_hints ||
       !hk_spectral_patch_shape(p->mesh->dim, p->order, p->double_precision, wanted).elements))
    return false;
  if (hk_spectral_chosen(p->mesh, p->device, p->double_precision, option).patches)
    return !option[HK_SPECTRAL_ELEMENTS] && !option[HK_SPECTRAL_REGISTERS] &&
           !option[HK_SPECTRAL_AHEAD] && !option[HK_SPECTRAL_COLOURS];
  if (option[HK_SPECTRAL_COLOURS]) return true;
  if (option[HK_SPECTRAL_REGISTERS] || option[HK_SPECTRAL_AHEAD])
    return hk_device_describe(p->device)->obeys_hints;
  p->timed[first] = elements;
  for (int k = 0; k < first; k++)
    if (p->timed[k] == elements) return false;
  return true;
}

static hk_status time_candidate(void *user, const int *option, double *seconds)
{
  hk_status status = HK_OK;
  piece *p = user;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  const hk_space_desc desc = hk_spectral_space(p->mesh, p->device, p->double_precision, option);
  *seconds = HUGE_VAL;
  if (!is_new(p, option, desc.element_group)) return HK_OK;
  HK_TRY(hk_space_create(p->mesh, &desc, &space));
  HK_TRY(hk_operator_create(&hk_operator_spectral,
                            &(hk_operator_desc){.device = p->device,
                                                .space = space,
                                                .region = &p->region,
                                                .element_region = p->element_region,
                                                .double_precision = p->double_precision,
                                                .choice = option},
                            &op));
  HK_TRY(time_applies(op, seconds));
  if (!p->least || *seconds < p->least) {
    p->least = *seconds;
    hk_times_keep(&(hk_times_of){.op = op, .shots = 1}, *seconds / APPLIES);
  }
cleanup:
  if (status == HK_NO_RESOURCES) *seconds = HUGE_VAL, status = HK_OK; /* does not fit: not taken */
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  return status;
}

hk_status hk_spectral_tune(const hk_mesh *mesh, hk_device *device, bool double_precision)
{
  hk_status status = HK_OK;
  piece p = {
      .device = device, .double_precision = double_precision, .order = hk_spectral_order(mesh)};
  char form[64];
  int option[HK_SPECTRAL_FIELDS];
  hk_tune tune = describe(mesh, device, double_precision, form);
  tune.time = time_candidate, tune.user = &p;
  if (!tune.cache || !hk_device_has_candidates(hk_device_describe(device))) return HK_OK;
  if (hk_tune_remembered(&tune, option)) return HK_OK;
  HK_TRY(make_piece(mesh, &p));
  HK_TRY(hk_tune_find(&tune, option));
cleanup:
  if (status == HK_NO_RESOURCES) status = HK_OK; /* no room for the piece: the first options */
  hk_mesh_destroy(&p.mesh);
  hk_free(&p.element_region);
  return status;
}
