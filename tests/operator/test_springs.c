/* Springs beside every form of K are those in the rows of the assembled K, in every form of the state, with damping, on order p too. */
#include "operator/assembly/assembled.h"
#include "support/body.h"
#include "operator/springs.h"

/* k = sum of w w^T between nodes far apart and near, some of them with several springs */
static void add_springs(body *b)
{
  const hk_index nodes = (hk_index)b->mesh->node_count;
  const int dim = b->mesh->dim;
  b->springs = 300;
  ok(hk_get(&b->spring, b->springs));
  srand(7);
  for (hk_count s = 0; s < b->springs; s++) {
    hk_spring *own = &b->spring[s];
    const hk_index first = (hk_index)(rand() % (nodes / 2));
    *own = (hk_spring){.node = {s % 7 ? first : 5, nodes / 2 + (hk_index)(rand() % (nodes / 2))}};
    for (int k = 0; k < 2; k++) {
      const double w[3] = {uniform(), uniform(), dim == 3 ? uniform() : 0};
      for (int i = 0; i < 9; i++) own->k[i / 3][i % 3] += w[i / 3] * w[i % 3];
    }
  }
}

static void create(body *b, hk_shape shape, int order)
{
  *b = (body){0};
  if (order == 1) {
    body_create(b, shape, LAYERS);
  } else {
    b->mesh = make_grid(
        (hk_mesh_grid){.dim = shape == HK_QUAD4 ? 2 : 3, .cells = {7, 6, 5}, .shape = shape});
    ok(hk_mesh_raise_to(b->mesh, order));
    body_dress(b, ONE);
  }
  add_springs(b);
}

static void are_those_of_the_rows(void **state)
{
  static const struct {
    const char *method;
    hk_shape shape;
  } cases[] = {{"stored", HK_TET4},
               {"edges", HK_TRI3},
               {"edges-packed", HK_HEX8},
               {"matrix-free", HK_HEX8},
               {"blocks", HK_QUAD4}};
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    body b = {0};
    create(&b, cases[c].shape, 1);
    for (int form = 0; form < HK_FORM_COUNT; form++)
      for (int damped = 0; damped < (form ? 2 : 1); damped++) {
        const double error =
            forms_differ(&b, cases[c].method, "assembled", (hk_form)form, damped, 3, form != 2);
        if (!(error <= (form == 2 ? 2e-5 : 1e-11)))
          fail_msg("%s, form %d, damped %d: off by %g", cases[c].method, form, damped, error);
      }
    body_destroy(&b);
  }
}

/* beside spectral elements: K with springs = K without + the springs' own, spring by spring */
static void add_to_spectral_elements(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    body b = {0};
    run with, without;
    create(&b, dim == 2 ? HK_QUAD4 : HK_HEX8, 3);
    const hk_count springs = b.springs, dofs = b.mesh->node_count * dim;
    run_open(&with, &b, "spectral", 2, true);
    b.springs = 0;
    run_open(&without, &b, "spectral", 2, true);
    double *u = field_of(&with, with.u);
    ok(run_steps(&with, HK_FORM_STORE, false, 1));
    ok(run_steps(&without, HK_FORM_STORE, false, 1));
    double *got = field_of(&with, with.u), *expected = field_of(&without, without.u);
    for (hk_count s = 0; s < springs; s++)
      for (int i = 0; i < dim * dim; i++) {
        const hk_count p = (hk_count)b.spring[s].node[0] * dim,
                       q = (hk_count)b.spring[s].node[1] * dim;
        const double f = b.spring[s].k[i / dim][i % dim] * (u[p + i % dim] - u[q + i % dim]);
        expected[p + i / dim] += f, expected[q + i / dim] -= f;
      }
    const double error = difference_of(got, expected, dofs);
    if (!(error <= 1e-13)) fail_msg("%d dimensions: off by %g", dim, error);
    hk_free(&u);
    hk_free(&got);
    hk_free(&expected);
    run_destroy(&with);
    run_destroy(&without);
    body_destroy(&b);
  }
}

/* rows of the host = rows of the device */
static void host_rows_hold_them(void **state)
{
  body b = {0};
  run r;
  hk_csr host = {0}, device = {0};
  (void)state;
  create(&b, HK_QUAD4, 2);
  run_open(&r, &b, "assembled", 2, true);
  ok(hk_csr_assemble(&r.op->desc, &host));
  ok(hk_assembled_read(r.op, &device));
  assert_int_equal(host.entries, device.entries);
  assert_memory_equal(host.column, device.column, (size_t)host.entries * sizeof *host.column);
  const double error = difference_of(device.block, host.block, host.entries * 4);
  if (!(error <= 1e-14)) fail_msg("off by %g", error);
  hk_csr_clear(&host);
  hk_csr_clear(&device);
  run_destroy(&r);
  body_destroy(&b);
}

/* the bound is not below u^T k u / u^T m u of any motion, and is exact for one spring */
static void bound_holds(void **state)
{
  body b = {0};
  double lambda, *mass = NULL, *u = NULL;
  (void)state;
  create(&b, HK_QUAD4, 2);
  ok(hk_get(&mass, b.mesh->node_count));
  ok(hk_get(&u, b.mesh->node_count * 2));
  for (hk_count n = 0; n < b.mesh->node_count; n++) mass[n] = 1.5 + uniform();
  ok(hk_terms_bound(&(hk_operator_terms){{{&hk_springs_kind, b.spring, b.springs}}}, b.mesh, mass,
                    &lambda));
  for (int trial = 0; trial < 50; trial++) {
    double energy = 0, inertia = 0;
    for (hk_count i = 0; i < b.mesh->node_count * 2; i++)
      u[i] = i / 2 == 5 || trial % 2 ? uniform() : 0, inertia += mass[i / 2] * u[i] * u[i];
    for (hk_count s = 0; s < b.springs; s++)
      for (int i = 0; i < 4; i++) {
        const hk_index *n = b.spring[s].node;
        energy += b.spring[s].k[i / 2][i % 2] * (u[2 * n[0] + i / 2] - u[2 * n[1] + i / 2]) *
                  (u[2 * n[0] + i % 2] - u[2 * n[1] + i % 2]);
      }
    assert_true(energy <= lambda * inertia && energy > 0);
  }
  const hk_spring one = {{0, 1}, {{3, 0, 0}, {0, 1, 0}, {0, 0, 0}}};
  ok(hk_terms_bound(&(hk_operator_terms){{{&hk_springs_kind, &one, 1}}}, b.mesh, mass, &lambda));
  assert_true(fabs(lambda - 3 * (1 / mass[0] + 1 / mass[1])) <= 1e-14 * lambda);
  hk_free(&mass);
  hk_free(&u);
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(are_those_of_the_rows),
      cmocka_unit_test(add_to_spectral_elements),
      cmocka_unit_test(host_rows_hold_them),
      cmocka_unit_test(bound_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
