/* Matrices of coupled equations with any coefficients: one to five components per node, of every shape, on every device. */
#include "operator/element/coupled.h"
#include "operator/assembly/assembled.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "operator/list.h"
#include "support/dense.h"
#include <hooke/status.h>
#include <string.h>

enum { MOST_TERMS = HK_MOST_COEFFICIENTS + 2 };

typedef struct system {
  hk_mesh *mesh;
  hk_region region;
  hk_index *element_region;
  hk_coupled coupled;
  hk_coupled_term term[MOST_TERMS];
  hk_formula *by;
} system_of;

/* All coefficients at random, and one that varies where that is asked for. */
static void create(system_of *s, hk_mesh *mesh, int equations, bool varies)
{
  *s = (system_of){.mesh = mesh};
  s->coupled = (hk_coupled){.equations = equations, .term = s->term};
  for (int a = 0; a < equations; a++)
    for (int b = 0; b < equations; b++)
      for (int k = 0; k < 16; k++)
        s->term[s->coupled.count++] = (hk_coupled_term){.equation = (uint8_t)a,
                                                        .unknown = (uint8_t)b,
                                                        .i = (uint8_t)(k / 4),
                                                        .j = (uint8_t)(k % 4),
                                                        .value = uniform()};
  ok(hk_formula_read("1 + x * y", &s->by));
  if (varies)
    s->term[s->coupled.count++] =
        (hk_coupled_term){.unknown = (uint8_t)(equations - 1), .i = 1, .value = 2, .by = s->by};
  s->coupled.steady = s->coupled.count;
  s->region = (hk_region){.name = "all", .thickness = 1.5};
  s->region.material.coupled = &s->coupled;
  ok(hk_get(&s->element_region, mesh->element_count));
}

static void clear(system_of *s)
{
  hk_mesh_destroy(&s->mesh);
  hk_free(&s->element_region);
  hk_formula_destroy(&s->by);
}

/* Linear fields: f[a][0] + f[a][1] x + f[a][2] y + f[a][3] z. */
typedef double fields[HK_MOST_EQUATIONS][4];

static void make_fields(int dim, fields f)
{
  for (int a = 0; a < HK_MOST_EQUATIONS; a++)
    for (int d = 0; d < 4; d++) f[a][d] = d <= dim ? uniform() : 0;
}

static double value_of(const double f[4], const double x[3])
{
  return f[0] + f[1] * x[0] + f[2] * x[1] + f[3] * x[2];
}

/* integral of sum c[a][b][i][j] D_j u_b D_i v_a by the rule for products of shape functions */
static double integral_of(const system_of *s, fields u, fields v, double *size)
{
  const int dim = s->mesh->dim, equations = s->coupled.equations;
  double sum = 0, c[HK_MOST_COEFFICIENTS], x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES],
         n[HK_MOST_NODES];
  *size = 0;
  for (hk_count e = 0; e < s->mesh->element_count; e++) {
    const hk_block *block = hk_mesh_block_of(s->mesh, e);
    const hk_element *element = hk_element_of(block->shape);
    hk_element_gather(s->mesh, block, e - block->first, x);
    for (int q = 0; q < element->mass.points; q++) {
      double at[3];
      const double w = element->mass.weight[q] * (dim == 2 ? s->region.thickness : 1) *
                       hk_element_physical(element, element->mass.point[q], x, g);
      hk_element_functions(element, element->mass.point[q], n, NULL);
      hk_element_place(dim, element->nodes, n, x, at);
      hk_coupled_at(&s->coupled, 0, at, c);
      for (int a = 0; a < equations; a++)
        for (int b = 0; b < equations; b++)
          for (int i = 0; i <= dim; i++)
            for (int j = 0; j <= dim; j++) {
              const double one = w * c[(a * equations + b) * 16 + i * 4 + j] *
                                 (j ? u[b][j] : value_of(u[b], at)) *
                                 (i ? v[a][i] : value_of(v[a], at));
              sum += one, *size += fabs(one);
            }
    }
  }
  return sum;
}

static void place_fields(const hk_space *space, fields f, double *values)
{
  const int dim = space->dim, components = space->components;
  for (hk_index i = 0; i < space->padded; i++)
    for (int a = 0; a < components; a++) {
      double x[3] = {0};
      const bool there = space->mesh_node[i] >= 0;
      if (there)
        memcpy(x, space->mesh->x + (hk_count)space->mesh_node[i] * dim, (size_t)dim * sizeof *x);
      values[i * components + a] = there ? value_of(f[a], x) : 0;
    }
}

/* v^T K u is the integral of linear fields, to 1e-12 of its parts; K read from the device is what it multiplies */
static void check_fields(hk_device *device, const system_of *s)
{
  fields u, v;
  double size, product = 0, *in = NULL, *out = NULL, *test = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  hk_csr k = {0}, host = {0};
  const int equations = s->coupled.equations;
  hk_space_desc numbering = hk_operator_assembled.space(s->mesh, device, true);
  numbering.components = equations, numbering.coupled = true;
  make_fields(s->mesh->dim, u);
  make_fields(s->mesh->dim, v);
  ok(hk_space_create(s->mesh, &numbering, &space));
  const hk_operator_desc desc = {.device = device,
                                 .space = space,
                                 .region = &s->region,
                                 .element_region = s->element_region,
                                 .double_precision = true};
  ok(hk_operator_create(&hk_operator_assembled, &desc, &op));
  assert_true(op->unsymmetric);
  const hk_count dofs = (hk_count)space->padded * equations;
  ok(hk_get(&in, dofs));
  ok(hk_get(&out, dofs));
  ok(hk_get(&test, dofs));
  place_fields(space, u, in);
  place_fields(space, v, test);
  apply(op, in, out);
  for (hk_count i = 0; i < dofs; i++) product += test[i] * out[i];
  const double exact = integral_of(s, u, v, &size);
  if (!(fabs(product - exact) <= 1e-12 * size))
    fail_msg("%s, %d equations: %.15g, expected %.15g", hk_shape_name(s->mesh->block[0].shape),
             equations, product, exact);
  ok(hk_assembled_read(op, &k));
  ok(hk_csr_assemble(&desc, &host));
  assert_int_equal(k.entries, host.entries);
  double most = 0, error = 0;
  for (hk_count e = 0; e < k.entries * equations * equations; e++) {
    most = fmax(most, fabs(host.block[e]));
    error = hk_larger(error, fabs(host.block[e] - k.block[e]));
  }
  assert_true(error <= 1e-12 * most);
  hk_csr_clear(&k);
  hk_csr_clear(&host);
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  hk_free(&in);
  hk_free(&out);
  hk_free(&test);
}

/* on every device, of every shape, for each number of equations; one coefficient by a formula, or all constant */
static void fields_have_their_integral(void **state)
{
  hk_device *device = NULL;
  (void)state;
  srand(1);
  for (int d = 0; next_device(d, &device); d++)
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
      for (int equations = 1; equations <= HK_MOST_EQUATIONS; equations++) {
        if (left_out(device, shape + 2 * equations, 29)) continue;
        system_of s;
        create(&s, make_patch((hk_shape)shape, .1), equations, (shape + equations) % 2);
        check_fields(device, &s);
        clear(&s);
      }
  hk_device_close(&device);
}

/* the same of prisms and hexahedra of order 3, whose constant coefficients the kernels of operator/integration take */
static void high_orders_have_their_integral(void **state)
{
  static const hk_shape shape[] = {HK_WEDGE6, HK_HEX8, HK_QUAD4};
  hk_device *device = NULL;
  (void)state;
  srand(2);
  for (int d = 0; next_device(d, &device); d++)
    for (int k = 0; k < 3; k++)
      for (int equations = 1; equations <= HK_MOST_EQUATIONS; equations++)
        for (int varies = 0; varies < 2; varies++) {
          if (left_out(device, k + 2 * equations + varies, 29)) continue;
          system_of s;
          hk_mesh *mesh = make_patch(shape[k], .1);
          ok(hk_mesh_raise_to(mesh, 3));
          create(&s, mesh, equations, varies);
          check_fields(device, &s);
          clear(&s);
        }
  hk_device_close(&device);
}

/* one equation of diffusion and reaction is heat conduction, to 1e-14 of the largest entry, of every shape */
static void one_equation_is_heat(void **state)
{
  double mine[HK_LISTED_NODES * HK_LISTED_NODES], theirs[HK_LISTED_NODES * HK_LISTED_NODES];
  const double k[6] = {2, 3, 1.5, .4, -.3, .2};
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  (void)state;
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int reacts = 0; reacts < 2; reacts++) {
      const hk_element *element = hk_element_of((hk_shape)shape);
      double x[3 * HK_LISTED_NODES], most = 0, error = 0;
      hk_region heat = {.thickness = 1.5}, other = {.thickness = 1.5};
      hk_coupled_term term[10];
      hk_coupled coupled = {.equations = 1, .term = term};
      place_element(element, .1, x);
      ok(hk_material_conduct(6, k, &heat.material));
      heat.material.reaction = reacts * .7;
      for (int i = 0; i < 9; i++)
        term[coupled.count++] = (hk_coupled_term){
            .i = (uint8_t)(i / 3 + 1), .j = (uint8_t)(i % 3 + 1), .value = k[place[i / 3][i % 3]]};
      if (reacts) term[coupled.count++] = (hk_coupled_term){.value = .7};
      coupled.steady = coupled.count;
      other.material.coupled = &coupled;
      assert_true(hk_element_conduct(&heat, element, x, NULL, theirs) > 0);
      assert_true(hk_element_couple(&other, element, x, mine) > 0);
      for (int i = 0; i < element->nodes * element->nodes; i++) {
        most = fmax(most, fabs(theirs[i]));
        error = hk_larger(error, fabs(mine[i] - theirs[i]));
      }
      if (!(error <= 1e-14 * most)) fail_msg("%s: %g of %g", element->name, error, most);
    }
}

/* the flux of linear fields is -(c grad u + a u) at any place */
static void fluxes_are_those_of_linear_fields(void **state)
{
  (void)state;
  srand(5);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    const hk_element *element = hk_element_of((hk_shape)shape);
    const int dim = element->dim, equations = 3;
    double x[3 * HK_LISTED_NODES], u[HK_LISTED_NODES * 3], flux[9], c[HK_MOST_COEFFICIENTS],
        n[HK_LISTED_NODES], at[3];
    fields f;
    system_of s;
    create(&s, make_patch((hk_shape)shape, .1), equations, true);
    place_element(element, .1, x);
    make_fields(dim, f);
    for (int i = 0; i < element->nodes; i++)
      for (int b = 0; b < equations; b++)
        u[i * equations + b] =
            value_of(f[b], (double[3]){x[i * dim], x[i * dim + 1], dim == 3 ? x[i * dim + 2] : 0});
    const double *xi = element->mass.point[0];
    hk_element_functions(element, xi, n, NULL);
    hk_element_place(dim, element->nodes, n, x, at);
    hk_coupled_at(&s.coupled, 0, at, c);
    hk_element_coupled_flux(&s.region, element, x, xi, u, flux);
    for (int a = 0; a < equations; a++)
      for (int i = 0; i < dim; i++) {
        double sum = 0;
        for (int b = 0; b < equations; b++)
          for (int j = 0; j <= dim; j++)
            sum -=
                c[(a * equations + b) * 16 + (i + 1) * 4 + j] * (j ? f[b][j] : value_of(f[b], at));
        assert_true(fabs(flux[a * dim + i] - sum) <= 1e-11);
      }
    clear(&s);
  }
}

/* a face that exchanges the unknown b adds integral h N N to the entries of (b, b) alone */
static void films_act_on_their_unknown(void **state)
{
  hk_device *device = NULL;
  (void)state;
  srand(4);
  ok(hk_device_open("cpu", 1, &device));
  for (int b = 0; b < 3; b++) {
    system_of s;
    hk_space *space = NULL;
    hk_csr with = {0}, without = {0};
    create(&s, make_patch(HK_HEX8, 0), 3, false);
    const hk_exchange exchange[] = {
        {.element = 0, .face = 0, .coefficient = 2, .component = (uint8_t)b, .components = 3}};
    hk_space_desc numbering = hk_operator_assembled.space(s.mesh, device, true);
    numbering.components = 3, numbering.coupled = true;
    ok(hk_space_create(s.mesh, &numbering, &space));
    hk_operator_desc desc = {.device = device,
                             .space = space,
                             .region = &s.region,
                             .element_region = s.element_region,
                             .double_precision = true};
    ok(hk_csr_assemble(&desc, &without));
    desc.terms = (hk_operator_terms){{{&hk_exchange_kind, exchange, 1}}};
    ok(hk_csr_assemble(&desc, &with));
    double sum[9] = {0}, x[24], face[12], area = 0;
    for (hk_count e = 0; e < with.entries * 9; e++) sum[e % 9] += with.block[e] - without.block[e];
    hk_element_gather(s.mesh, &s.mesh->block[0], 0, x);
    const hk_element *hex = hk_element_of(HK_HEX8);
    for (int n = 0; n < 4; n++) memcpy(face + 3 * n, x + 3 * hex->face[0].node[n], sizeof face / 4);
    for (int n = 0; n < 4;
         n++) /* a planar quadrilateral: half the cross product of its diagonals */
      area = fabs((face[6] - face[0]) * (face[10] - face[4]) -
                  (face[7] - face[1]) * (face[9] - face[3])) /
             2;
    for (int k = 0; k < 9; k++) assert_true(fabs(sum[k] - (k == b * 4 ? 2 * area : 0)) <= 1e-13);
    hk_csr_clear(&with);
    hk_csr_clear(&without);
    hk_space_destroy(&space);
    clear(&s);
  }
  hk_device_close(&device);
}

/* other forms of K, coefficients that are no numbers, and materials of another number of equations are refused by name */
static void what_cannot_be_is_refused(void **state)
{
  hk_device *device = NULL;
  hk_operator *op = NULL;
  system_of s;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  create(&s, make_patch(HK_TRI3, .1), 2, false);
  hk_space *space = NULL;
  hk_space_desc numbering = hk_operator_elements.space(s.mesh, device, true);
  numbering.components = 2, numbering.coupled = true;
  ok(hk_space_create(s.mesh, &numbering, &space));
  hk_operator_desc desc = {.device = device,
                           .space = space,
                           .region = &s.region,
                           .element_region = s.element_region,
                           .double_precision = true};
  assert_int_equal(hk_operator_create(&hk_operator_elements, &desc, &op), HK_BAD_INPUT);
  error_says("does not compute coupled equations");
  s.term[3].value = NAN;
  assert_int_equal(hk_operator_create(&hk_operator_assembled, &desc, &op), HK_BAD_INPUT);
  error_says("not a finite number");
  s.coupled.equations = 1;
  assert_int_equal(hk_operator_create(&hk_operator_assembled, &desc, &op), HK_BAD_INPUT);
  error_says("has 1 coupled equations, and the model 2");
  hk_space_destroy(&space);
  clear(&s);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fields_have_their_integral),
                                     cmocka_unit_test(high_orders_have_their_integral),
                                     cmocka_unit_test(one_equation_is_heat),
                                     cmocka_unit_test(fluxes_are_those_of_linear_fields),
                                     cmocka_unit_test(films_act_on_their_unknown),
                                     cmocka_unit_test(what_cannot_be_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
