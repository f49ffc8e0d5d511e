/* Spectral elements by patches are the same K and the same steps as by slots on the host: orders, precisions, maps, forms, damping, on every device with
 * groups; and the same bits again. What patches do not serve falls back to slots. */
#include "support/body.h"
#include "operator/spectral/patch.h"
#include "operator/spectral/tune.h"
#include <stdio.h>

typedef enum bend { NONE, STRAIGHT, BENT } bend;

static hk_mesh *mesh_of(int order, bend bent, hk_count cells)
{
  hk_mesh *mesh = make_grid((hk_mesh_grid){
      .cells = {cells + 1, cells, 0}, .shape = HK_QUAD4, .jitter = bent ? 0.15 : 0, .shuffle = 5});
  ok(hk_mesh_raise_to(mesh, order));
  for (hk_count n = 0; bent == BENT && n < mesh->node_count; n++)
    mesh->x[2 * n] += 0.03 * sin(5 * mesh->x[2 * n + 1]);
  return mesh;
}

enum { LARGEST = 160 << 10 };

/* Threads that share local memory, in which the largest patch of the test has room. */
static bool has_patches(const hk_device *device)
{
  const hk_device_info *info = hk_device_describe(device);
  return hk_device_has_groups(info) && (!info->local_memory || info->local_memory >= LARGEST);
}

static bool takes_patches(const run *r)
{
  const hk_buffer *slot = r->op->slots.slot;
  const hk_interior *by = r->space->interior;
  const hk_count real = r->op->desc.double_precision ? 8 : 4;
  const int order = hk_element_of(r->space->mesh->block[0].shape)->order;
  return hk_buffer_bytes(slot) < (hk_count)by->batches * 4 * order * 2 * real;
}

typedef struct subject {
  int order, option, steps;
  bend bent;
  bool real, damped;
  hk_form form;
  hk_count cells;
} subject;

static void compare(hk_device *device, const subject *s, bool patches)
{
  const int option[HK_SPECTRAL_FIELDS] = {[HK_SPECTRAL_PATCHES] = s->option};
  body b = {.mesh = mesh_of(s->order, s->bent, s->cells)};
  run mine, again, host;
  body_dress(&b, EVERY_ELEMENT);
  run_open(&host, &b, "spectral", 2, s->real);
  b.choice = option;
  ok(run_create(&mine, &b, device, "spectral", s->real));
  ok(run_create(&again, &b, device, "spectral", s->real));
  assert_int_equal(takes_patches(&mine), patches);
  const hk_count bytes = hk_buffer_bytes(mine.u);
  char *bits[2] = {NULL, NULL};
  ok(run_steps(&again, s->form, s->damped, s->steps));
  for (int k = 0; k < 2; k++) ok(hk_get(&bits[k], bytes));
  ok(hk_buffer_read(again.u, 0, bytes, bits[0]));
  run_destroy(&again);
  ok(run_create(&again, &b, device, "spectral", s->real));
  ok(run_steps(&again, s->form, s->damped, s->steps));
  ok(hk_buffer_read(again.u, 0, bytes, bits[1]));
  assert_memory_equal(bits[0], bits[1], bytes);
  run_destroy(&again);
  const double error = run_difference(&mine, &host, s->form, s->damped, s->steps),
               tolerance = s->real ? 1e-12 : 1e-5;
  if (!(error <= tolerance))
    fail_msg("%s, order %d, option %d, bend %d, double %d, form %d, damped %d: %.2e, allowed %.0e",
             hk_device_describe(device)->backend, s->order, s->option, (int)s->bent, s->real,
             (int)s->form, s->damped, error, tolerance);
  for (int k = 0; k < 2; k++) hk_free(&bits[k]);
  body_destroy(&b);
}

/* every order and precision of K u */
static void products_are_those_of_the_host(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++)
    for (int order = 2; order <= 10; order++)
      for (int real = 0; real < 2; real++) {
        const subject s = {.order = order,
                           .option = 1 + order % 3,
                           .steps = 1,
                           .bent = order % 2 ? STRAIGHT : NONE,
                           .real = real,
                           .cells = 40 / order + 3};
        if (has_patches(device) && !left_out(device, order + real, 3)) compare(device, &s, true);
      }
}

/* steps of every form, with and without damping */
static void steps_are_those_of_the_host(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++)
    for (int way = 0; way < 8; way++) {
      const subject s = {.order = way % 2 ? 7 : 4,
                         .option = 1,
                         .steps = 5,
                         .bent = way % 3 ? STRAIGHT : NONE,
                         .real = way % 4 > 1,
                         .damped = way > 3,
                         .form = way % 4 > 1 ? HK_FORM_POSITIONS : HK_FORM_INCREMENTS,
                         .cells = way % 2 ? 11 : 30};
      if (has_patches(device)) compare(device, &s, true);
    }
}

/* by patches, and by slots or colours where elements are curved */
static void damping_alike(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++)
    for (int curved = 0; curved < 2; curved++) {
      body b = {.mesh = mesh_of(4, curved ? BENT : NONE, curved ? 12 : 30)};
      body_dress(&b, EVERY_ELEMENT);
      if (has_patches(device)) run_alike(&b, device, "spectral");
      body_destroy(&b);
    }
}

static void curved_elements_fall_back(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    const subject s = {
        .order = 4, .option = 1, .steps = 2, .bent = BENT, .form = HK_FORM_INCREMENTS, .cells = 12};
    if (has_patches(device)) compare(device, &s, false);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_host),
                                     cmocka_unit_test(steps_are_those_of_the_host),
                                     cmocka_unit_test(damping_alike),
                                     cmocka_unit_test(curved_elements_fall_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
