/* Several states stepped at once are each, bit by bit, what stepping it alone gives, on each device. */
#include "body.h"

enum { STEPS = 3 };
static const int shot_counts[] = {3, 10}; /* less than a group takes, and more */

typedef struct states { /* of `shots` shots */
  hk_buffer *u[2], *v, *loss;
} states;

static void create(run *r, int shots, states *s)
{
  const hk_device_info *info = hk_device_describe(r->device);
  const hk_count bytes = r->dofs * (r->op->desc.double_precision ? 8 : 4) * shots;
  for (int k = 0; k < 2; k++) ok(hk_buffer_create(r->device, bytes, &s->u[k]));
  ok(hk_buffer_create(r->device, bytes, &s->v));
  ok(hk_buffer_create(r->device, r->op->groups * shots * hk_loss_run(info) * 8, &s->loss));
}

static void destroy(states *s)
{
  hk_buffer_destroy(&s->u[0]);
  hk_buffer_destroy(&s->u[1]);
  hk_buffer_destroy(&s->v);
  hk_buffer_destroy(&s->loss);
}

/* The state of shot `shot` as shot `place` of s. */
static void fill(run *r, states *s, int shot, int place)
{
  const bool real = r->op->desc.double_precision;
  double *value = NULL;
  ok(hk_get(&value, r->dofs));
  for (int k = 0; k < 3; k++) {
    srand((unsigned)(1 + shot * 3 + k));
    for (hk_count i = 0; i < (hk_count)r->dofs; i++)
      value[i] = r->space->mesh_node[i / r->space->components] < 0 ? 0 : uniform();
    ok(hk_buffer_write_reals(k < 2 ? s->u[k] : s->v, real, place * r->dofs, r->dofs, value));
  }
  hk_free(&value);
}

static void step(run *r, states *s, hk_form form, bool damped, int shots)
{
  for (int n = 0; n < STEPS; n++)
    ok(hk_operator_apply(r->op, &(hk_epilogue){.form = form,
                                               .damped = damped,
                                               .shots = shots,
                                               .u = s->u[n % 2],
                                               .out = s->u[(n + 1) % 2],
                                               .v = form == HK_FORM_INCREMENTS ? s->v : NULL,
                                               .b = r->b,
                                               .a = damped ? r->a : NULL,
                                               .loss = damped ? s->loss : NULL}));
  ok(hk_device_finish(r->device));
}

/* part [first, first + count) of x = part [second, ...) of y; whether not all of it is zero */
static bool same(const hk_buffer *x, hk_count first, const hk_buffer *y, hk_count second,
                 hk_count count)
{
  char *a = NULL, *b = NULL;
  hk_count nonzero = 0;
  ok(hk_get(&a, count));
  ok(hk_get(&b, count));
  ok(hk_buffer_read(x, first, count, a));
  ok(hk_buffer_read(y, second, count, b));
  for (hk_count i = 0; i < count; i++) nonzero += a[i] != 0;
  assert_memory_equal(a, b, (size_t)count);
  hk_free(&a);
  hk_free(&b);
  return nonzero > 0;
}

static void check(run *r, hk_form form, bool damped, int shots)
{
  states all = {.v = NULL}, one = {.v = NULL};
  const hk_device_info *info = hk_device_describe(r->device);
  const hk_count bytes = r->dofs * (r->op->desc.double_precision ? 8 : 4),
                 part = (hk_count)hk_loss_run(info) * 8;
  ok(hk_operator_bind(r->op, form, damped, shots));
  create(r, shots, &all);
  for (int k = 0; k < shots; k++) fill(r, &all, k, k);
  step(r, &all, form, damped, shots);
  for (int k = 0; k < shots; k++) {
    create(r, 1, &one);
    fill(r, &one, k, 0);
    step(r, &one, form, damped, 0);
    assert_true(same(all.u[STEPS % 2], k * bytes, one.u[STEPS % 2], 0, bytes));
    bool any = !damped;
    for (hk_count g = 0; damped && g < r->op->groups; g++)
      any = same(all.loss, (g * shots + k) * part, one.loss, g * part, part) || any;
    assert_true(any);
    destroy(&one);
  }
  destroy(&all);
}

static void check_shape(hk_device *device, const char *method, hk_shape shape)
{
  const bool slow = hk_device_describe(device)->unoptimised;
  body b = {0};
  layers_create(&b, shape, false);
  for (int real = 0; real < 2; real++) {
    run r;
    ok(run_create(&r, &b, device, method, real));
    for (int k = 0; k < 2; k++) {
      check(&r, HK_FORM_INCREMENTS, shape % 2, shot_counts[k]);
      if (slow) continue;
      check(&r, HK_FORM_STORE, false, shot_counts[k]);
      check(&r, HK_FORM_POSITIONS, true, shot_counts[k]);
    }
    run_destroy(&r);
  }
  body_destroy(&b);
}

static void equal_alone(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  const char *method = *state;
  char name[16];
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    hk_device *device = NULL;
    ok(hk_device_open(name, 2, &device));
    for (int s = 0; s < 4; s++)
      if (serves(method, shapes[s])) check_shape(device, method, shapes[s]);
    hk_device_close(&device);
  }
}

int main(void)
{
  int failed = 0;
  for (int i = 0; hk_operator_name(i); i++) {
    const struct CMUnitTest test[] = {
        {"equal_alone", equal_alone, NULL, NULL, (void *)(uintptr_t)hk_operator_name(i)}};
    failed += cmocka_run_group_tests_name(hk_operator_name(i), test, NULL, NULL);
  }
  return failed;
}
