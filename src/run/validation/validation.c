/* Compares the kernels of a device with those of the host the first time that they are used: both
 * run small_run.c with the shapes, the form of K and the precision of the model. A device whose
 * result differs by more than rounding is refused. A success is remembered in the cache folder, by
 * device, driver and version of hooke. */
#include "device/cache.h"
#include "element/element.h"
#include "element/gll.h"
#include "run/validation/validation.h"
#include "operator/list.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char words[] = "computes what the host computes";

/* What the answer depends on. */
static hk_cache_key key_of(const hk_device *device, const hk_small_run *t)
{
  const hk_device_info *info = hk_device_describe(device);
  char what[400], form[200];
  snprintf(what, sizeof what, "%s, %s, %s, hooke " HK_VERSION, info->name, info->isa,
           info->software);
  snprintf(form, sizeof form, "validation %s %s %s", t->method, hk_shape_name(t->shape),
           t->double_precision ? "double" : "single");
  return hk_cache_key_of(what, form);
}

/* Steps run on no others. */
static bool can_be_tried(hk_shape shape)
{
  return hk_element_of(shape)->steps || (shape > HK_QUAD_P && shape <= HK_HEX_P + HK_MOST_ORDER);
}

static bool remembered(const char *cache, hk_cache_key key)
{
  char *data = NULL;
  hk_count size;
  const bool known = hk_cache_read(cache, key, &data, &size);
  hk_free(&data);
  return known;
}

hk_status hk_validation_judge(const hk_device *device, const char *what, bool double_precision,
                              hk_count count, const double *mine, const double *theirs)
{
  const hk_device_info *info = hk_device_describe(device);
  double most = 0, error = 0;
  for (hk_count i = 0; i < count; i++) {
    most = fmax(most, fabs(mine[i]));
    error = hk_larger(error, fabs(mine[i] - theirs[i]));
  }
  if (error <= (double_precision ? 1e-11 : 1e-4) * most) return HK_OK;
  return hk_error_set(HK_NO_RESOURCES,
                      "device %s (%s) does not compute what the host computes (%s off by %.1e): "
                      "use another device, and report it to the vendor of its driver",
                      info->backend, info->name, what, error / most);
}

static hk_status compare(hk_device *device, const hk_small_run *small)
{
  hk_status status = HK_OK;
  hk_device *host = NULL;
  double *mine = NULL, *theirs = NULL, unused;
  char what[200];
  hk_count count;
  snprintf(what, sizeof what, "method %s, %s, %s:", small->method, hk_shape_name(small->shape),
           small->double_precision ? "double" : "single");
  HK_TRY(hk_device_open("cpu", 1, &host));
  HK_TRY(hk_run_small(host, small, &unused, &mine, &count));
  HK_TRY(hk_run_small(device, small, &unused, &theirs, &count));
  HK_TRY(hk_validation_judge(device, what, small->double_precision, count, mine, theirs));
cleanup:
  hk_free(&mine);
  hk_free(&theirs);
  hk_device_close(&host);
  return status;
}

static hk_status try_form(hk_device *device, const hk_validation *t, hk_shape shape,
                          const char *method)
{
  if (hk_shape_quad_family(shape) &&
      (!strcmp(method, hk_operator_stored.name) || !strcmp(method, hk_operator_assembled.name)))
    shape = hk_shape_linear(shape); /* rows of any element are stepped alike */
  const hk_small_run small = {.method = method,
                              .shape = shape,
                              .cells = hk_shape_listed(shape) ? 6 : 2,
                              .double_precision = t->double_precision,
                              .loaded = true};
  const hk_cache_key key = key_of(device, &small);
  if (!can_be_tried(shape) || remembered(t->cache, key)) return HK_OK;
  HK_PASS(compare(device, &small));
  hk_cache_write(t->cache, key, words, sizeof words);
  return HK_OK;
}

/* Of spectral elements both ways, of which the tuner takes one, where it times. That no form serves is told later. */
static hk_status try_shape(hk_device *device, const hk_validation *t, hk_shape shape)
{
  const char *method = hk_operator_for_shots(t->method, t->shots, t->mesh, device);
  const hk_operator_kind *kind = NULL;
  HK_PASS(hk_operator_for_shapes(method, t->mesh, t->element_region, device, &method));
  const hk_status status = try_form(device, t, shape, method);
  if (status != HK_OK || hk_device_describe(device)->unoptimised) return status;
  if (hk_operator_choose(method, t->mesh, device, &kind) != HK_OK) return HK_OK;
  if (kind != &hk_operator_spectral) return HK_OK;
  return try_form(device, t, shape, hk_operator_spectral_colours.name);
}

hk_status hk_validation_device(hk_device *device, void *user)
{
  const hk_validation *t = user;
  bool tried[HK_SHAPE_END] = {false};
  hk_status status = HK_OK;
  for (int b = 0; b < t->mesh->block_count && status == HK_OK; b++) {
    const hk_shape shape = t->mesh->block[b].shape;
    if (!tried[shape]) status = try_shape(device, t, shape);
    tried[shape] = true;
  }
  return status;
}

void hk_validation_passed_over(const char *name, const char *why, void *user)
{
  const hk_validation *t = user;
  hk_messages_add(t->list, HK_WARNING, NULL, 0, 0, "device %s is not used: %s", name, why);
}
