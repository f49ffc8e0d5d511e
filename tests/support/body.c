/* Bodies of many materials, and operators that run on them. */
#include "support/body.h"
#include "operator/spectral/tune.h"

void anisotropic(hk_material *m)
{
  double root[6][6];
  for (int i = 0; i < 36; i++) root[i / 6][i % 6] = uniform();
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      m->c[i][j] = i == j;
      for (int k = 0; k < 6; k++) m->c[i][j] += root[i][k] * root[j][k];
    }
}

void body_dress(body *b, materials which)
{
  b->choice = NULL;
  srand(11);
  b->spring = NULL, b->springs = 0;
  ok(hk_get(&b->region, REGIONS));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  for (int r = 0; r < REGIONS; r++) {
    b->region[r].thickness = 0.7, b->region[r].material.density = 1;
    if (which == EVERY_KIND)
      b->region[r].plane = r % 3 ? HK_PLANE_STRESS : HK_PLANE_STRAIN,
      b->region[r].thickness = 1 + uniform();
    if (which == ANISOTROPIC || (which == EVERY_KIND && r % 2))
      anisotropic(&b->region[r].material);
    else
      ok(hk_material_isotropic(r == 0 ? 1 : 2.5 + uniform(), r == 0 ? 0.3 : 0.25 + 0.2 * uniform(),
                               &b->region[r].material));
  }
  for (hk_count e = 0; e < b->mesh->element_count; e++) {
    const double y = b->mesh->x[(hk_count)hk_mesh_nodes_of(b->mesh, e)[0] * b->mesh->dim + 1];
    b->element_region[e] =
        (hk_index)(which == LAYERS                                  ? y > 0.55
                   : which >= EVERY_ELEMENT && which != ANISOTROPIC ? rand() % REGIONS
                                                                    : 0);
  }
}

/* so many cells in x, y and z of a solid, and in x and y of a sheet */
static void make_body(body *b, hk_shape shape, materials which, const int solid[3],
                      const int sheet[2])
{
  const bool flat = hk_element_of(shape)->dim == 2;
  const hk_mesh_grid grid = {
      .cells = {flat ? sheet[0] : solid[0], flat ? sheet[1] : solid[1], solid[2]},
      .shape = hk_shape_linear(shape),
      .jitter = 0.2,
      .shuffle = 5};
  b->mesh = shape == HK_WEDGE15 ? make_prisms(grid, 1, &(hk_mesh_layer){.height = 1, .cells = 2})
                                : make_grid(grid);
  if (hk_element_of(shape)->order == 2) ok(hk_mesh_raise(b->mesh));
  body_dress(b, which);
}

void body_create(body *b, hk_shape shape, materials which)
{
  if (hk_element_of(shape)->order == 2)
    make_body(b, shape, which, (int[]){4, 4, 3}, (int[]){19, 13});
  else
    make_body(b, shape, which, (int[]){15, 12, 11}, (int[]){61, 40});
}

void body_create_small(body *b, hk_shape shape, materials which)
{
  make_body(b, shape, which, (int[]){3, 2, 2}, (int[]){7, 5});
}

void body_destroy(body *b)
{
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->region);
  hk_free(&b->element_region);
  hk_free(&b->spring);
}

bool serves(const char *method, hk_shape shape)
{
  const hk_operator_kind *kind;
  hk_block block = {.shape = shape};
  const hk_mesh mesh = {.block = &block, .block_count = 1};
  return hk_operator_choose(method, &mesh, NULL, &kind) == HK_OK;
}

bool next_device(int k, hk_device **out)
{
  char name[16];
  hk_device_close(out);
  if (!hk_device_list(&(hk_device_desc){0}, k, name)) return false;
  ok(hk_device_open(name, 2, out));
  return true;
}

bool left_out(const hk_device *device, int turn, int n)
{
  return hk_device_describe(device)->compiles && turn % n != 0;
}

hk_status stiffness_create(stiffness *f, const hk_operator_kind *kind, const hk_mesh *mesh,
                           int components, hk_operator_desc desc)
{
  hk_status status = HK_OK;
  hk_space_desc numbering =
      desc.choice ? hk_spectral_space(mesh, desc.device, desc.double_precision, desc.choice)
                  : kind->space(mesh, desc.device, desc.double_precision);
  *f = (stiffness){0};
  if (components) numbering.components = components;
  HK_TRY(hk_space_create(mesh, &numbering, &f->space));
  desc.space = f->space;
  HK_TRY(hk_operator_create(kind, &desc, &f->op));
cleanup:
  if (status != HK_OK) stiffness_destroy(f);
  return status;
}

void stiffness_destroy(stiffness *f)
{
  hk_operator_destroy(&f->op);
  hk_space_destroy(&f->space);
}

void apply(hk_operator *op, const double *u, double *out)
{
  const hk_operator_desc *d = &op->desc;
  const bool real = d->double_precision;
  const hk_count dofs = (hk_count)d->space->padded * d->space->components;
  hk_buffer *in = NULL, *to = NULL;
  ok(hk_buffer_create(d->device, dofs * (real ? 8 : 4), &in));
  ok(hk_buffer_create(d->device, dofs * (real ? 8 : 4), &to));
  ok(hk_buffer_write_reals(in, real, 0, dofs, u));
  ok(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  ok(hk_operator_apply(op, &(hk_epilogue){.form = HK_FORM_STORE, .u = in, .out = to}));
  ok(hk_buffer_read_reals(to, real, 0, dofs, out));
  hk_buffer_destroy(&in);
  hk_buffer_destroy(&to);
}

/* The same value at a node of the mesh whatever its internal number; in [least, least + 1]. */
static hk_status write_field(const run *r, hk_buffer *buffer, int components, int seed,
                             double least)
{
  hk_status status = HK_OK;
  const hk_count count = r->space->mesh->node_count * components,
                 padded = (hk_count)r->space->padded * components;
  double *values = NULL, *internal = NULL;
  HK_TRY(hk_get(&values, count));
  HK_TRY(hk_get(&internal, padded));
  srand((unsigned)seed);
  for (hk_count i = 0; i < count; i++) values[i] = least + uniform() + 0.5;
  hk_space_to_internal(r->space, components, values, internal);
  for (hk_count i = 0; i < padded; i++) /* b of padding may not be 0 */
    if (r->space->mesh_node[i / components] < 0) internal[i] = least > 0;
  HK_TRY(hk_buffer_write_reals(buffer, r->op->desc.double_precision, 0, padded, internal));
cleanup:
  hk_free(&values);
  hk_free(&internal);
  return status;
}

hk_status run_create(run *r, const body *b, hk_device *device, const char *method, bool real)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  stiffness f;
  memset(r, 0, sizeof *r);
  r->device = device;
  HK_TRY(hk_operator_choose(method, b->mesh, device, &kind));
  HK_TRY(
      stiffness_create(&f, kind, b->mesh, 0,
                       (hk_operator_desc){.device = device,
                                          .region = b->region,
                                          .element_region = b->element_region,
                                          .double_precision = real,
                                          .choice = b->choice,
                                          .terms = {{{&hk_springs_kind, b->spring, b->springs}}}}));
  r->space = f.space, r->op = f.op;
  r->dofs = (hk_count)r->space->padded * r->space->components;
  const hk_count size = real ? 8 : 4, lanes = hk_loss_run(hk_device_describe(device));
  HK_TRY(hk_buffer_create(device, r->dofs * size, &r->u));
  HK_TRY(hk_buffer_create(device, r->dofs * size, &r->out));
  HK_TRY(hk_buffer_create(device, r->dofs * size, &r->v));
  HK_TRY(hk_buffer_create(device, r->space->padded * size, &r->b));
  HK_TRY(hk_buffer_create(device, r->space->padded * size, &r->a));
  HK_TRY(hk_buffer_create(device, r->op->groups * lanes * 8, &r->loss));
  HK_TRY(write_field(r, r->u, r->space->components, 1, 0));
  HK_TRY(write_field(r, r->out, r->space->components, 2, 0));
  HK_TRY(write_field(r, r->v, r->space->components, 3, 0));
  HK_TRY(write_field(r, r->b, 1, 4, 0.01));
  HK_TRY(write_field(r, r->a, 1, 5, 0.2));
cleanup:
  return status;
}

void run_open(run *r, const body *b, const char *method, int threads, bool real)
{
  hk_device *device = NULL;
  ok(hk_device_open("cpu", threads, &device));
  ok(run_create(r, b, device, method, real));
  r->own = device;
}

void run_destroy(run *r)
{
  hk_buffer_destroy(&r->u);
  hk_buffer_destroy(&r->out);
  hk_buffer_destroy(&r->v);
  hk_buffer_destroy(&r->b);
  hk_buffer_destroy(&r->a);
  hk_buffer_destroy(&r->loss);
  hk_operator_destroy(&r->op);
  hk_space_destroy(&r->space);
  hk_device_close(&r->own);
}

hk_status run_steps(run *r, hk_form form, int damped, int steps)
{
  hk_status status = HK_OK;
  HK_TRY(hk_operator_bind(r->op, form, damped, 1));
  for (int n = 0; n < steps; n++) {
    HK_TRY(hk_operator_apply(r->op, &(hk_epilogue){.form = form,
                                                   .damped = damped,
                                                   .u = r->u,
                                                   .out = r->out,
                                                   .v = form == HK_FORM_INCREMENTS ? r->v : NULL,
                                                   .b = r->b,
                                                   .a = damped ? r->a : NULL,
                                                   .loss = damped ? r->loss : NULL}));
    hk_buffer *swap = r->u;
    r->u = r->out, r->out = swap;
  }
  HK_TRY(hk_device_finish(r->device));
cleanup:
  return status;
}

hk_status read_field(const run *r, const hk_buffer *buffer, double **values)
{
  hk_status status = HK_OK;
  double *internal = NULL;
  HK_TRY(hk_get(&internal, r->dofs));
  HK_TRY(hk_get(values, r->space->mesh->node_count * r->space->components));
  HK_TRY(hk_buffer_read_reals(buffer, r->op->desc.double_precision, 0, r->dofs, internal));
  hk_space_from_internal(r->space, r->space->components, internal, *values);
cleanup:
  hk_free(&internal);
  return status;
}

double *field_of(const run *r, const hk_buffer *buffer)
{
  double *values = NULL;
  ok(read_field(r, buffer, &values));
  return values;
}

double total_loss(const run *r)
{
  double sum = 0, *part = NULL;
  const hk_count count = hk_buffer_bytes(r->loss) / 8;
  ok(hk_get(&part, count));
  ok(hk_buffer_read(r->loss, 0, count * 8, part));
  for (hk_count i = 0; i < count; i++) sum += part[i];
  hk_free(&part);
  return sum;
}

double run_difference(run *got, run *expected, hk_form form, bool damped, int steps)
{
  if (form == HK_FORM_STORE) steps = 1;
  ok(run_steps(got, form, damped, steps));
  ok(run_steps(expected, form, damped, steps));
  double *u = field_of(got, got->u), *v = field_of(expected, expected->u);
  double error = difference_of(u, v, got->space->mesh->node_count * got->space->components);
  if (damped) error = hk_larger(error, fabs(total_loss(got) / total_loss(expected) - 1));
  hk_free(&u);
  hk_free(&v);
  run_destroy(got);
  run_destroy(expected);
  return error;
}

void run_alike(const body *b, hk_device *device, const char *method)
{
  enum { STEPS = 3 };
  char *bits[2][3] = {0};
  hk_count bytes[3];
  for (int k = 0; k < 2; k++) {
    run r;
    double *a = NULL;
    ok(run_create(&r, b, device, method, false));
    hk_buffer *const all[] = {r.u, r.v, r.loss};
    ok(hk_get(&a, r.space->padded));
    for (hk_index i = 0; i < r.space->padded; i++) a[i] = 0.75;
    ok(hk_buffer_write_reals(r.a, false, 0, k ? 1 : r.space->padded, a));
    ok(run_steps(&r, HK_FORM_INCREMENTS, k ? HK_DAMPED_ALIKE : HK_DAMPED, STEPS));
    assert_true(total_loss(&r) > 0);
    for (int m = 0; m < 3; m++) {
      bytes[m] = hk_buffer_bytes(all[m]);
      ok(hk_get(&bits[k][m], bytes[m]));
      ok(hk_buffer_read(all[m], 0, bytes[m], bits[k][m]));
    }
    run_destroy(&r);
    hk_free(&a);
  }
  for (int m = 0; m < 3; m++) {
    if (memcmp(bits[0][m], bits[1][m], (size_t)bytes[m]))
      fail_msg("%s: array %d differs", method, m);
    hk_free(&bits[0][m]);
    hk_free(&bits[1][m]);
  }
}

double forms_differ(const body *b, const char *got, const char *expected, hk_form form, bool damped,
                    int steps, bool real)
{
  run mine, theirs;
  run_open(&mine, b, got, 2, real);
  run_open(&theirs, b, expected, 2, real);
  return run_difference(&mine, &theirs, form, damped, steps);
}
