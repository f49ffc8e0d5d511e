/* A perfectly matched layer beside the operator: energies, restart, shots, devices, and the sides that it may lie at. */
#include "load/absorb/pml.h"
#include "run/march/balance.h"
#include "mesh/crack.h"
#include "operator/operator.h"
#include "operator/spectral/fsi.h"
#include "solver/explicit/explicit.h"
#include "support/check.h"

/* kind: bit 0 double, bit 1 3D, then a solid, a fluid, a solid above a fluid, whose border goes through the layers */
enum { STEPS = 57, KINDS = 12, SOLID = 0, FLUID, BOTH };

/* Of the solids; P waves of speed `fastest` for the layer. */
static double poisson = 0.25, fastest = 1.2;

/* A distorted block of spectral elements with layers on its right, its top (and in 3D its front), a force where two meet the inside, u_x of
 * a node in them held, of one on their outer faces moved, at random velocity. */
typedef struct body {
  hk_mesh *mesh;
  hk_region region[2]; /* the first of fluids where there are any */
  hk_index *element_region;
  hk_fsi *fsi;
  hk_count fsi_count;
  hk_space *space;
  hk_operator *op;
  double *mass, *damping, *v0, dt;
  hk_pml pml;
  hk_signal burst;
  hk_excitation excitation;
  hk_explicit *solver;
} body;

static hk_status find_layer(const body *b, hk_pml *out)
{
  static const char *const name[] = {"right", "top", "front"};
  hk_absorb_layer layer[3];
  const hk_absorb_wave wave = {.speed = fastest, .frequency = poisson > 0.4 ? 0 : 2};
  for (int i = 0; i < b->mesh->dim; i++) {
    const hk_set *set = hk_mesh_find_set(b->mesh, name[i], HK_FACE_SET);
    assert_non_null(set);
    layer[i] = (hk_absorb_layer){
        .count = set->count, .item = set->item, .face = set->face, .thickness = 0.5};
  }
  ok(hk_get(&out->stretch, b->mesh->node_count * b->mesh->dim));
  ok(hk_get(&out->held, b->mesh->node_count));
  out->alpha = 3;
  return hk_pml_profile(b->mesh, &wave, b->mesh->dim, layer, NULL, out->stretch, out->held);
}

/* The excitation of `shots` shots that are the same: forces on node `at`, u_x of node `held` 0, that of node `moved` moved steadily. */
static void make_excitation(body *b, int shots, hk_index at, hk_index held, hk_index moved)
{
  const int dim = b->space->components;
  const hk_index dofs = b->space->padded * dim;
  hk_excitation *d = &b->excitation;
  hk_force_entry entry[4];
  hk_count count = 0;
  hk_excitation_clear(d);
  *d = (hk_excitation){.signal_count = 1, .motion.rows = 2 * shots};
  ok(hk_get(&d->signal, 1));
  d->signal[0] = (hk_source_signal){.signal = &b->burst, .role = HK_ROLE_FORCE};
  ok(hk_get(&d->motion.begin, 2 * shots + 1));
  ok(hk_get(&d->motion.dof, 2 * shots));
  ok(hk_get(&d->motion.weight, 2 * shots));
  ok(hk_get(&d->motion_signal, 2 * shots));
  ok(hk_get(&d->motion_value, 2 * shots));
  ok(hk_get(&d->motion_base, 2 * shots));
  ok(hk_get(&d->motion_drift, 2 * shots));
  for (int k = 0; k < shots; k++) {
    for (int i = 2 * k; i < 2 * k + 2; i++) {
      d->motion.begin[i + 1] = i + 1, d->motion.dof[i] = k * dofs + (i % 2 ? moved : held) * dim;
      d->motion.weight[i] = 1, d->motion_signal[i] = -1, d->motion_drift[i] = i % 2 * 0.3;
    }
    for (int c = 0; c < (dim > 1 ? 2 : 1); c++)
      entry[count++] = (hk_force_entry){.dof = k * dofs + at * dim + c, .coefficient = 1 - 3 * c};
  }
  ok(hk_force_rows_build(entry, count, &d->motion, &d->force));
}

static hk_index nearest(const body *b, double x, double y)
{
  hk_index best = -1;
  double least = INFINITY;
  for (hk_count n = 0; n < b->mesh->node_count; n++) {
    const double *at = b->mesh->x + n * b->mesh->dim;
    double away = (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y);
    if (b->mesh->dim == 3) away += (at[2] - 0.4) * (at[2] - 0.4);
    if (away < least) least = away, best = b->space->node[n];
  }
  return best;
}

static void start(body *b, int shots)
{
  hk_explicit_destroy(&b->solver);
  make_excitation(b, shots, nearest(b, 0.6, 0.55), nearest(b, 0.95, 0.6), nearest(b, 1, 0.4));
  ok(hk_explicit_create(&(hk_explicit_desc){.op = b->op,
                                            .dt = b->dt,
                                            .steps = STEPS,
                                            .mass = b->mass,
                                            .damping = b->damping,
                                            .pml = &b->pml,
                                            .excitation = &b->excitation,
                                            .shots = shots},
                        &b->solver));
  ok(hk_explicit_start(b->solver, NULL, b->v0));
}

/* Fluids beside solids have component 0. */
static void set_nodes(body *b, const uint8_t *part)
{
  bool *fluid = NULL;
  const int dim = b->mesh->dim;
  const hk_index still = nearest(b, 0.95, 0.6);
  ok(hk_get(&fluid, b->mesh->node_count));
  for (hk_count e = 0; e < b->mesh->element_count; e++)
    for (int n = 0; n < b->mesh->block[0].nodes; n++)
      fluid[hk_mesh_nodes_of(b->mesh, e)[n]] = part[e];
  srand(4);
  for (hk_count n = 0; n < b->mesh->node_count; n++)
    for (int c = 0; c < dim; c++) {
      const hk_index i = b->space->node[n], components = b->space->components;
      const double x = 2.0 * rand() / RAND_MAX - 1;
      b->damping[i] += b->pml.stretch[n * dim + c];
      if (c < components && !(fluid[n] && c))
        b->v0[i * components + c] = b->pml.held[n] || i == still ? 0 : x;
    }
  hk_free(&fluid);
}

/* The lowest row of elements is of the fluid, with nodes of its own. */
static void separate(body *b, uint8_t *part, bool **apart)
{
  bool *fluid = NULL;
  hk_crack_face *face = NULL;
  hk_index *origin = NULL;
  hk_count faces, added;
  ok(hk_get(&fluid, b->mesh->element_count));
  for (hk_count e = 0; e < b->mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(b->mesh, e);
    double middle = 0;
    for (int n = 0; n < b->mesh->block[0].nodes; n++)
      middle += b->mesh->x[(hk_count)node[n] * b->mesh->dim + 1] / b->mesh->block[0].nodes;
    fluid[e] = middle < 0.25;
    part[e] = fluid[e], b->element_region[e] = !fluid[e];
  }
  ok(hk_mesh_meetings(b->mesh, fluid, &faces, &face));
  ok(hk_mesh_cut(b->mesh, faces, face, &added, &origin));
  ok(hk_fsi_find(b->mesh, b->region, b->element_region, faces, face, &b->fsi_count, &b->fsi));
  assert_true(b->fsi_count == added && added > 0);
  ok(hk_get(apart, b->mesh->node_count));
  for (hk_count k = 0; k < b->fsi_count; k++)
    (*apart)[b->fsi[k].fluid] = (*apart)[b->fsi[k].solid] = true;
  hk_free(&fluid);
  hk_free(&face);
  hk_free(&origin);
}

static void create(body *b, hk_device *device, int what)
{
  const int dim = what & 2 ? 3 : 2, medium = what / 4;
  const bool double_precision = what & 1;
  const hk_operator_kind *kind;
  double *nodal = NULL;
  uint8_t *part = NULL;
  bool *apart = NULL;
  hk_index unused;
  memset(b, 0, sizeof *b);
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                         .to = {1, 1, 1},
                                         .cells = {4, 4, 2},
                                         .shape = dim == 2 ? HK_QUAD4 : HK_HEX8,
                                         .jitter = 0.2},
                         &b->mesh));
  ok(hk_mesh_raise_to(b->mesh, dim == 2 ? 4 : 2));
  for (int k = 0; k < 2; k++) b->region[k].material.density = 1, b->region[k].thickness = 1;
  ok(medium ? hk_material_fluid(1, &b->region[0].material)
            : hk_material_isotropic(1, poisson, &b->region[0].material));
  ok(hk_material_isotropic(1, 0.25, &b->region[1].material));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  ok(hk_get(&part, b->mesh->element_count));
  for (hk_count e = 0; e < b->mesh->element_count; e++) part[e] = medium == FLUID;
  if (medium == BOTH) separate(b, part, &apart);
  ok(hk_operator_choose("spectral", b->mesh, device, &kind));
  hk_space_desc numbering = kind->space(b->mesh, device, double_precision);
  numbering.element_part = part, numbering.apart = apart;
  if (medium == FLUID) numbering.components = 1;
  ok(hk_space_create(b->mesh, &numbering, &b->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = device,
                                            .space = b->space,
                                            .region = b->region,
                                            .element_region = b->element_region,
                                            .double_precision = double_precision,
                                            .terms = {{{&hk_fsi_kind, b->fsi, b->fsi_count}}}},
                        &b->op));
  ok(hk_get(&nodal, b->mesh->node_count));
  ok(hk_get(&b->mass, b->space->padded));
  ok(hk_get(&b->damping, b->space->padded));
  ok(hk_get(&b->v0, (hk_count)b->space->padded * b->space->components));
  ok(kind->mass(b->mesh, b->region, b->element_region, nodal, &unused));
  hk_space_to_internal(b->space, 1, nodal, b->mass);
  for (hk_index i = 0; i < b->space->padded; i++)
    if (b->space->mesh_node[i] < 0) b->mass[i] = 1;
  hk_free(&nodal);
  ok(find_layer(b, &b->pml));
  b->dt = (dim == 2 ? 0.015 : 0.04) * 1.2 / fastest;
  b->burst = (hk_signal){
      .kind = HK_SIGNAL_TONEBURST, .frequency = 2, .cycles = 2, .hann = true, .scale = 0.2};
  set_nodes(b, part);
  start(b, 1);
  hk_free(&part);
  hk_free(&apart);
}

static void destroy(body *b)
{
  hk_explicit_destroy(&b->solver);
  hk_excitation_clear(&b->excitation);
  hk_operator_destroy(&b->op);
  hk_space_destroy(&b->space);
  hk_pml_clear(&b->pml);
  hk_free(&b->mass);
  hk_free(&b->damping);
  hk_free(&b->v0);
  hk_free(&b->element_region);
  hk_free(&b->fsi);
  hk_mesh_destroy(&b->mesh);
}

static hk_device *host(void)
{
  hk_device *device = NULL;
  ok(hk_device_open("cpu", 2, &device));
  return device;
}

/* kinetic + strain + damping - work = constant in every step, with a force and a condition on nodes of the layer, which takes most;
 * nothing but what a motion moves moves on the outer faces */
static void balance(void **state)
{
  (void)state;
  hk_device *device = host();
  for (int kind = 0; kind < KINDS; kind++) {
    const bool real = kind % 2;
    body b = {0};
    double first = 0, most = 0, *u = NULL;
    create(&b, device, kind);
    const int components = b.space->components;
    const hk_index moved = nearest(&b, 1, 0.4);
    hk_energy e = {0};
    for (int n = 0; n < STEPS; n++) {
      ok(hk_explicit_energy_step(b.solver, &e));
      const double sum = e.kinetic + e.strain + e.damping - e.work;
      if (n == 0) first = sum;
      most = fmax(most, e.kinetic + e.strain + e.damping);
      if (!(fabs(sum - first) <= (real ? 1e-12 : 2e-5) * most))
        fail_msg("%d: balance off by %.2e of %.2e in step %d", kind, sum - first, most, n);
    }
    assert_true(e.damping > 0.5 * most);
    ok(hk_get(&u, (hk_count)b.space->padded * components));
    ok(hk_explicit_read(b.solver, 0, HK_STATE_DISPLACEMENT, u));
    for (hk_count n = 0; n < b.mesh->node_count; n++)
      for (int c = 0; c < components && b.pml.held[n]; c++)
        if (b.space->node[n] != moved || c)
          assert_true(u[(hk_count)b.space->node[n] * components + c] == 0);
    assert_true(fabs(u[(hk_count)moved * components] - 0.3 * STEPS * b.dt) <= 1e-6);
    hk_free(&u);
    destroy(&b);
  }
  hk_device_close(&device);
  assert_int_equal(hk_memory_held(), 0);
}

/* The unknowns, work and loss after STEPS steps of shot `shot`, in the mesh's order: out[nodes * components + 2] */
static void finish(body *b, int shot, double *out)
{
  const int components = b->space->components;
  const hk_count count = b->mesh->node_count * components;
  double *internal = NULL;
  ok(hk_explicit_advance(b->solver, STEPS));
  ok(hk_get(&internal, (hk_count)b->space->padded * components));
  ok(hk_explicit_read(b->solver, shot, HK_STATE_DISPLACEMENT, internal));
  ok(hk_explicit_totals(b->solver, shot, &out[count], &out[count + 1]));
  hk_space_from_internal(b->space, components, internal, out);
  hk_free(&internal);
}

/* a saved state goes on bit by bit, and in a batch of two every shot is as alone bit by bit */
static void restart_and_shots(void **state)
{
  (void)state;
  hk_device *device = host();
  for (int kind = 0; kind < KINDS; kind++) {
    body b = {0};
    create(&b, device, kind);
    const size_t count = (size_t)(b.mesh->node_count * b.space->components + 2);
    double *a = malloc(count * 8), *c = malloc(count * 8);
    void *saved = malloc((size_t)hk_explicit_state_bytes(b.solver, true));
    ok(hk_explicit_advance(b.solver, 30));
    ok(hk_explicit_save(b.solver, saved));
    finish(&b, 0, a);
    assert_true(a[count - 1] > 0);
    ok(hk_explicit_restore(b.solver, 30, true, saved));
    finish(&b, 0, c);
    assert_memory_equal(a, c, count * 8);
    start(&b, 2);
    for (int k = 0; k < 2; k++) {
      finish(&b, k, c);
      assert_memory_equal(a, c, count * 8);
    }
    free(a), free(c), free(saved);
    destroy(&b);
  }
  hk_device_close(&device);
}

/* every other device as the host, to 1e-12 of the largest displacement in double, 1e-4 in single */
static void devices(void **state)
{
  char name[16];
  (void)state;
  for (int k = 1; hk_device_list(&(hk_device_desc){0}, k, name); k++)
    for (int kind = 0; kind < KINDS;
         kind += kind % 4 == 3 ? 1 : 3) { /* 2D in single, 3D in double */
      hk_device *device[2] = {host(), NULL};
      double *u[2] = {NULL, NULL}, most = 0, off = 0;
      size_t count = 0;
      ok(hk_device_open(name, 2, &device[1]));
      for (int i = 0; i < 2; i++) {
        body b = {0};
        create(&b, device[i], kind);
        count = (size_t)(b.mesh->node_count * b.space->components + 2);
        u[i] = malloc(count * 8);
        finish(&b, 0, u[i]);
        destroy(&b);
      }
      for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(u[0][i]));
        off = fmax(off, fabs(u[1][i] - u[0][i]));
      }
      if (!(off <= (kind % 2 ? 1e-12 : 1e-4) * most))
        fail_msg("%s, %d: off by %.2e of %.2e", name, kind, off, most);
      for (int i = 0; i < 2; i++) free(u[i]), hk_device_close(&device[i]);
    }
}

/* d_x = d_max (1 - away / L)^2 at the right, a tenth of it added across; refused: faces within the box, a part of a side, layers that fill the
 * mesh or hold no nodes but those of the side */
static void profile(void **state)
{
  (void)state;
  hk_device *device = host();
  body b = {0};
  create(&b, device, 1);
  const double most = 2 * 1.2 * log(400) / 0.5;
  for (hk_count n = 0; n < b.mesh->node_count; n++) {
    const double *x = b.mesh->x + 2 * n, dx = fmax(0, 2 * x[0] - 1), dy = fmax(0, 2 * x[1] - 1);
    assert_true(fabs(b.pml.stretch[2 * n] - most * (dx * dx * dx + 0.02 * dy * dy * dy)) <=
                1e-9 * most);
    assert_true(b.pml.held[n] == (x[0] > 1 - 1e-9 || x[1] > 1 - 1e-9));
  }
  const hk_index item = 5; /* of the second row and column: inside */
  const uint8_t face = 0;
  const hk_absorb_wave wave = {.speed = 1};
  hk_absorb_layer inside = {.count = 1, .item = &item, .face = &face};
  assert_int_equal(hk_pml_profile(b.mesh, &wave, 1, &inside, NULL, b.pml.stretch, b.pml.held),
                   HK_BAD_INPUT);
  error_says("not on a side of the box");
  const hk_set *right = hk_mesh_find_set(b.mesh, "right", HK_FACE_SET);
  hk_absorb_layer thick = {
      .count = right->count, .item = right->item, .face = right->face, .thickness = 1};
  assert_int_equal(hk_pml_profile(b.mesh, &wave, 1, &thick, NULL, b.pml.stretch, b.pml.held),
                   HK_BAD_INPUT);
  error_says("fills the mesh");
  for (int k = 0; k < 2; k++) {
    thick.thickness = k ? 1e-12 : 0.01;
    assert_int_equal(hk_pml_profile(b.mesh, &wave, 1, &thick, NULL, b.pml.stretch, b.pml.held),
                     HK_BAD_INPUT);
    error_says("contains only the nodes of its faces");
  }
  memset(b.pml.held, 0, (size_t)b.mesh->node_count);
  thick.thickness = 0.5, thick.count--;
  assert_int_equal(hk_pml_profile(b.mesh, &wave, 1, &thick, NULL, b.pml.stretch, b.pml.held),
                   HK_BAD_INPUT);
  error_says("name all faces of that side");
  destroy(&b);
  hk_device_close(&device);
}

/* In a nearly incompressible body a layer as steep as its P waves ask for grows: the balance finds that while the balance closes, says that
 * it is the layer. Such layers are refused by the model */
static void growth(void **state)
{
  (void)state;
  hk_device *device = host();
  body b = {0};
  hk_energy e;
  hk_balance balance = {0};
  hk_balance_verdict verdict = HK_BALANCE_SOUND;
  poisson = 0.4999, fastest = sqrt((1 - poisson) / (1 + poisson) / (1 - 2 * poisson));
  const hk_balance_bounds bounds = {.floor = 1e-18, .hidden = 1e4, .counted = 1, .noise = 1e-10};
  create(&b, device, 1);
  for (int n = 64; n <= 400000 && verdict == HK_BALANCE_SOUND; n += 64) {
    ok(hk_explicit_energy_step(b.solver, &e));
    verdict = hk_balance_add(&balance, &e, &bounds);
    ok(hk_explicit_advance(b.solver, n));
  }
  assert_int_equal(verdict, HK_BALANCE_EXCESS);
  assert_true(hk_balance_blames_layer(&balance, verdict));
  assert_true(fabs(balance.balance) <= 1e-9 * balance.largest);
  poisson = 0.25, fastest = 1.2;
  destroy(&b);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(balance), cmocka_unit_test(restart_and_shots),
                                     cmocka_unit_test(devices), cmocka_unit_test(profile),
                                     cmocka_unit_test(growth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
