/* Rate of one form of K: steps of central differences (positions, not damped) on a jittered, shuffled
 * grid, beside a stream triad measured in the same run.
 *
 *   operator_steps --mesh tet4 --nodes 1000000 --method edges --precision single --threads 2
 *
 * Printed: GDOF/s (best of five runs of 20 steps; also per second of processor time), bytes per degree of freedom that a step moves (lists, state), their
 * rate as a part of the triad's, set-up in steps, peak memory per element. */
#include "operator/operator.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 20, RUNS = 5 };

typedef struct options {
  const char *mesh, *method, *materials;
  double nodes;
  bool double_precision;
  int threads;
} options;

static hk_status read_options(int count, char **word, options *o)
{
  hk_status status = HK_OK;
  *o = (options){.mesh = "tet4", .method = "auto", .materials = "one", .nodes = 1e6};
  for (int i = 1; i < count; i += 2) {
    HK_CHECK(i + 1 < count, HK_USAGE, "%s: give a value", word[i]);
    const char *value = word[i + 1];
    if (!strcmp(word[i], "--mesh"))
      o->mesh = value;
    else if (!strcmp(word[i], "--method"))
      o->method = value;
    else if (!strcmp(word[i], "--nodes"))
      o->nodes = atof(value);
    else if (!strcmp(word[i], "--precision"))
      o->double_precision = !strcmp(value, "double");
    else if (!strcmp(word[i], "--threads"))
      o->threads = atoi(value);
    else if (!strcmp(word[i], "--materials"))
      o->materials = value;
    else
      HK_CHECK(false, HK_USAGE,
               "%s: not known; --mesh tri3|quad4|tet4|hex8 --nodes N --method M --precision "
               "single|double --threads N --materials one|every",
               word[i]);
  }
cleanup:
  return status;
}

static hk_status make_mesh(const options *o, hk_mesh **mesh)
{
  hk_status status = HK_OK;
  hk_mesh_grid grid = {.shape = HK_SHAPE_COUNT, .to = {1, 1, 1}, .jitter = 0.2, .shuffle = 1};
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    if (!strcmp(hk_shape_name((hk_shape)s), o->mesh)) grid.shape = (hk_shape)s;
  grid.dim = grid.shape == HK_TRI3 || grid.shape == HK_QUAD4 ? 2 : 3;
  for (int d = 0; d < 3; d++) grid.cells[d] = (hk_count)pow(o->nodes, 1.0 / grid.dim);
  HK_CHECK(grid.shape != HK_SHAPE_COUNT, HK_USAGE, "--mesh %s: not known", o->mesh);
  HK_TRY(hk_mesh_create_grid(&grid, mesh));
cleanup:
  return status;
}

/* Bytes per second of c = a + s b. */
static hk_status measure_triad(int threads, double *rate)
{
  enum { SIZE = 24 << 20 };
  hk_status status = HK_OK;
  float *a = NULL, *b = NULL, *c = NULL;
  double best = 1e30;
  HK_TRY(hk_get(&a, SIZE));
  HK_TRY(hk_get(&b, SIZE));
  HK_TRY(hk_get(&c, SIZE));
  for (int run = 0; run < 8; run++) {
    const double start = hk_seconds();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (hk_index i = 0; i < SIZE; i++) c[i] = a[i] + 3 * b[i];
    const double time = hk_seconds() - start;
    if (run && time < best) best = time;
  }
  *rate = 12.0 * SIZE / best;
cleanup:
  hk_free(&a);
  hk_free(&b);
  hk_free(&c);
  return status;
}

static hk_status fill(hk_buffer *buffer, bool double_precision, hk_count count, double scale)
{
  hk_status status = HK_OK;
  double *value = NULL;
  HK_TRY(hk_get(&value, count));
  for (hk_count i = 0; i < count; i++)
    value[i] = scale * (1 + 1e-3 * (double)(i * 2654435761 % 1000));
  HK_TRY(hk_buffer_write_reals(buffer, double_precision, 0, count, value));
cleanup:
  hk_free(&value);
  return status;
}

typedef struct rates {
  double seconds; /* of one step */
  double
      processor; /* of one step, all threads together: what remains comparable on a busy machine */
  double create, triad;
} rates;

static hk_status measure_steps(hk_operator *op, rates *r)
{
  hk_status status = HK_OK;
  hk_buffer *u[2] = {0}, *b = NULL;
  const hk_space *space = op->desc.space;
  const hk_count dofs = (hk_count)space->padded * space->components;
  const hk_count real = op->desc.double_precision ? 8 : 4;
  for (int k = 0; k < 2; k++) {
    HK_TRY(hk_buffer_create(op->desc.device, dofs * real, &u[k]));
    HK_TRY(fill(u[k], op->desc.double_precision, dofs, 1));
  }
  HK_TRY(hk_buffer_create(op->desc.device, space->padded * real, &b));
  HK_TRY(fill(b, op->desc.double_precision, space->padded, 1e-6));
  HK_TRY(hk_operator_bind(op, HK_FORM_POSITIONS, false));
  r->seconds = r->processor = 1e30;
  for (int run = 0; run <= RUNS; run++) {
    const double start = hk_seconds();
    const clock_t before = clock();
    for (int n = 0; n < STEPS; n++)
      HK_TRY(hk_operator_apply(
          op,
          &(hk_epilogue){.form = HK_FORM_POSITIONS, .u = u[n % 2], .out = u[(n + 1) % 2], .b = b}));
    HK_TRY(hk_device_finish(op->desc.device));
    const double time = (hk_seconds() - start) / STEPS;
    const double processor = (double)(clock() - before) / CLOCKS_PER_SEC / STEPS;
    if (run && time < r->seconds) r->seconds = time;
    if (run && processor < r->processor) r->processor = processor;
  }
cleanup:
  hk_buffer_destroy(&u[0]);
  hk_buffer_destroy(&u[1]);
  hk_buffer_destroy(&b);
  return status;
}

static hk_status set_materials(const options *o, hk_operator_desc *desc, hk_region *region,
                               int16_t *element_region)
{
  enum { REGIONS = 100 };
  hk_status status = HK_OK;
  const bool every = !strcmp(o->materials, "every");
  for (int r = 0; r < REGIONS; r++) {
    region[r].thickness = 1, region[r].material.density = 1;
    HK_TRY(hk_material_isotropic(1 + 0.01 * r, 0.3 - 0.001 * r, &region[r].material));
  }
  for (hk_count e = 0; e < desc->space->mesh->element_count; e++)
    element_region[e] = (int16_t)(every ? e * 2654435761 % REGIONS : 0);
  desc->region = region, desc->element_region = element_region;
cleanup:
  return status;
}

static void print(const hk_operator *op, const rates *r, hk_count planned, hk_count peak)
{
  const hk_space *space = op->desc.space;
  const double dofs = (double)space->nodes * space->components;
  const double state = (3 * space->components + 1) * (op->desc.double_precision ? 8.0 : 4.0);
  const double bytes = (double)op->bytes + state * space->nodes;
  printf("%-11s %s %8d nodes  %.4f GDOF/s (%.4f per processor second)  %6.1f B/dof  lists %6.1f "
         "B/node (planned %+.1f %%)  "
         "%2.0f %% of triad %.1f GB/s  create %.0f steps (%.2f s)  peak %.0f B/element\n",
         op->kind->name, op->desc.double_precision ? "double" : "single", (int)space->nodes,
         dofs / r->seconds * 1e-9, dofs / r->processor * 1e-9, bytes / dofs,
         (double)op->memory / space->nodes, 100 * ((double)planned / (double)op->memory - 1),
         100 * bytes / r->seconds / r->triad, r->triad * 1e-9, r->create / r->seconds, r->create,
         (double)peak / (double)space->mesh->element_count);
}

int main(int count, char **word)
{
  hk_status status = HK_OK;
  options o;
  hk_mesh *mesh = NULL;
  hk_device *device = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  hk_region region[100] = {0};
  int16_t *element_region = NULL;
  const hk_operator_kind *kind;
  rates r = {0};

  HK_TRY(read_options(count, word, &o));
  HK_TRY(hk_device_open("cpu", o.threads, &device));
  HK_TRY(make_mesh(&o, &mesh));
  HK_TRY(hk_get(&element_region, mesh->element_count));
  HK_TRY(hk_operator_choose(o.method, mesh, device, &kind));
  const hk_space_desc numbering = kind->space(mesh, device);
  const double start = hk_seconds();
  HK_TRY(hk_space_create(mesh, &numbering, &space));
  hk_operator_desc desc = {
      .device = device, .space = space, .double_precision = o.double_precision};
  HK_TRY(set_materials(&o, &desc, region, element_region));
  HK_TRY(hk_operator_create(kind, &desc, &op));
  r.create = hk_seconds() - start;
  HK_TRY(measure_steps(op, &r));
  const hk_count planned = kind->plan(mesh, device, o.double_precision);
  const hk_count peak = hk_memory_peak();
  HK_TRY(measure_triad(hk_device_describe(device)->threads, &r.triad));
  print(op, &r, planned, peak);
cleanup:
  if (status != HK_OK) fprintf(stderr, "%s\n", hk_error());
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  hk_device_close(&device);
  hk_mesh_destroy(&mesh);
  hk_free(&element_region);
  return status == HK_OK ? 0 : 1;
}
