/* Measures the rate of one form of K: steps of central differences (positions, undamped) on a jittered grid in random
 * order or on a mesh from a file, and the speed of the memory in the same run.
 *
 *   operator_steps --mesh tet4 --nodes 1000000 --method edges --precision single --threads 2 --device cuda
 *   operator_steps --mesh-file box.msh --method stored --form increments --json
 *   operator_steps --mesh tri3 --shots 8        eight states at once, rates of all together
 *   operator_steps --mesh extruded|layers --method congruent    jittered squares extruded; squares in layers of three heights
 *   operator_steps --mesh hex8 --jitter 0   cells that are boxes; otherwise nodes are moved by up to 0.2 of a cell
 *   operator_steps --mesh hex20 --form store    K u, as conjugate gradients need it; tri6, quad8, tet10, hex20: a grid raised
 *
 * It prints GDOF/s (best of five runs of 20 steps; also per second of processor time), the bytes per degree of freedom that a step moves (lists, state),
 * their rate relative to the triad's, the set-up in steps (by processor time), and the peak memory per element. With --lock FILE, programs that run
 * at the same time measure one after the other. */
#include "device/bandwidth.h"
#include "operator/operator.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 20, DEVICE_STEPS = 200, RUNS = 5 };

typedef struct options {
  const char *mesh, *mesh_file, *method, *materials, *device, *lock;
  double nodes, jitter;
  bool double_precision, increments, store, json;
  int threads, shots;
} options;

static hk_status read_options(int count, char **word, options *o)
{
  hk_status status = HK_OK;
  *o = (options){.mesh = "tet4",
                 .method = "auto",
                 .materials = "one",
                 .device = "cpu",
                 .nodes = 1e6,
                 .jitter = 0.2,
                 .shots = 1};
  for (int i = 1; i < count; i += 2) {
    if (!strcmp(word[i], "--json")) {
      o->json = true;
      i--;
      continue;
    }
    HK_CHECK(i + 1 < count, HK_USAGE, "%s: give a value", word[i]);
    const char *value = word[i + 1];
    if (!strcmp(word[i], "--mesh"))
      o->mesh = value;
    else if (!strcmp(word[i], "--mesh-file"))
      o->mesh_file = value;
    else if (!strcmp(word[i], "--form"))
      o->increments = !strcmp(value, "increments"), o->store = !strcmp(value, "store");
    else if (!strcmp(word[i], "--method"))
      o->method = value;
    else if (!strcmp(word[i], "--nodes"))
      o->nodes = atof(value);
    else if (!strcmp(word[i], "--jitter"))
      o->jitter = atof(value);
    else if (!strcmp(word[i], "--precision"))
      o->double_precision = !strcmp(value, "double");
    else if (!strcmp(word[i], "--threads"))
      o->threads = atoi(value);
    else if (!strcmp(word[i], "--shots"))
      o->shots = atoi(value);
    else if (!strcmp(word[i], "--materials"))
      o->materials = value;
    else if (!strcmp(word[i], "--device"))
      o->device = value;
    else if (!strcmp(word[i], "--lock"))
      o->lock = value;
    else
      HK_CHECK(false, HK_USAGE,
               "%s: not known; --mesh SHAPE (tri3, tet10, ...) --form "
               "positions|increments|store --nodes N --method M --precision "
               "single|double --threads N --shots N --materials one|every --device cpu|cuda|opencl "
               "--lock FILE",
               word[i]);
  }
cleanup:
  return status;
}

/* Jittered squares, extruded: `extruded` in cells of one height, `layers` in three heights. */
static hk_status extrude(const options *o, hk_mesh **mesh)
{
  hk_status status = HK_OK;
  hk_mesh *flat = NULL;
  const hk_count n = (hk_count)(pow(o->nodes, 1. / 3) / 1.26), high = 2 * n;
  const bool layers = !strcmp(o->mesh, "layers");
  const hk_mesh_layer layer[3] = {{.height = 1, .cells = layers ? high / 3 : high},
                                  {.height = .75, .cells = high / 3},
                                  {.height = 1.5, .cells = high / 3}};
  HK_TRY(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 2,
                                             .to = {1, 1},
                                             .cells = {n, n},
                                             .shape = HK_QUAD4,
                                             .jitter = layers ? 0 : o->jitter,
                                             .shuffle = 1},
                             &flat));
  HK_TRY(hk_mesh_extrude(flat, 0, layers ? 3 : 1, layer, mesh));
cleanup:
  hk_mesh_destroy(&flat);
  return status;
}

static hk_status make_mesh(const options *o, hk_mesh **mesh)
{
  hk_status status = HK_OK;
  if (!strcmp(o->mesh, "extruded") || !strcmp(o->mesh, "layers")) return extrude(o, mesh);
  if (o->mesh_file) return hk_mesh_read(o->mesh_file, NULL, mesh);
  static const struct {
    hk_shape of;
    double nodes; /* of the raised mesh per cell of the grid */
  } raised[HK_SHAPE_COUNT] = {[HK_TRI6] = {HK_TRI3, 4},
                              [HK_QUAD8] = {HK_QUAD4, 3},
                              [HK_TET10] = {HK_TET4, 8},
                              [HK_HEX20] = {HK_HEX8, 4}};
  hk_mesh_grid grid = {.shape = HK_SHAPE_COUNT, .to = {1, 1, 1}, .jitter = o->jitter, .shuffle = 1};
  double per_cell = 0;
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    if (!strcmp(hk_shape_name((hk_shape)s), o->mesh)) {
      per_cell = raised[s].nodes;
      grid.shape = per_cell > 0 ? raised[s].of : (hk_shape)s;
    }
  grid.dim = grid.shape == HK_TRI3 || grid.shape == HK_QUAD4 ? 2 : 3;
  for (int d = 0; d < 3; d++)
    grid.cells[d] = (hk_count)pow(o->nodes / (per_cell > 0 ? per_cell : 1), 1.0 / grid.dim);
  HK_CHECK(grid.shape != HK_SHAPE_COUNT, HK_USAGE, "--mesh %s: not known", o->mesh);
  HK_TRY(hk_mesh_create_grid(&grid, mesh));
  if (per_cell > 0) HK_TRY(hk_mesh_raise(*mesh));
cleanup:
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
  double create, create_processor;
  hk_count peak; /* bytes held at most, before the memory's speed is measured */
  hk_bandwidth memory;
} rates;

static hk_status measure_steps(hk_operator *op, hk_form form, int shots, rates *r)
{
  hk_status status = HK_OK;
  hk_buffer *u[2] = {0}, *b = NULL, *v = NULL;
  const hk_space *space = op->desc.space;
  const hk_count dofs = (hk_count)space->padded * space->components * shots;
  const hk_count real = op->desc.double_precision ? 8 : 4;
  const int count = hk_device_describe(op->desc.device)->compiles ? DEVICE_STEPS : STEPS;
  const bool steps = form != HK_FORM_STORE;
  for (int k = 0; k < 2; k++) {
    HK_TRY(hk_buffer_create(op->desc.device, dofs * real, &u[k]));
    HK_TRY(fill(u[k], op->desc.double_precision, dofs, 1));
  }
  HK_TRY(hk_buffer_create(op->desc.device, space->padded * real, &b));
  HK_TRY(fill(b, op->desc.double_precision, space->padded, 1e-6));
  if (form == HK_FORM_INCREMENTS) HK_TRY(hk_buffer_create(op->desc.device, dofs * real, &v));
  HK_TRY(hk_operator_bind(op, form, false, shots));
  r->seconds = r->processor = 1e30;
  for (int run = 0; run <= RUNS; run++) {
    const double start = hk_seconds();
    const clock_t before = clock();
    for (int n = 0; n < count; n++)
      HK_TRY(hk_operator_apply(op, &(hk_epilogue){.form = form,
                                                  .shots = shots,
                                                  .u = u[steps ? n % 2 : 0],
                                                  .out = u[steps ? (n + 1) % 2 : 1],
                                                  .v = v,
                                                  .b = b}));
    HK_TRY(hk_device_finish(op->desc.device));
    const double time = (hk_seconds() - start) / count;
    const double processor = (double)(clock() - before) / CLOCKS_PER_SEC / count;
    if (run && time < r->seconds) r->seconds = time;
    if (run && processor < r->processor) r->processor = processor;
  }
cleanup:
  hk_buffer_destroy(&u[0]);
  hk_buffer_destroy(&u[1]);
  hk_buffer_destroy(&b);
  hk_buffer_destroy(&v);
  return status;
}

static hk_status set_materials(const options *o, hk_operator_desc *desc, hk_region *region,
                               hk_index *element_region)
{
  enum { REGIONS = 100 };
  hk_status status = HK_OK;
  const bool every = !strcmp(o->materials, "every");
  for (int r = 0; r < REGIONS; r++) {
    region[r].thickness = 1, region[r].material.density = 1;
    HK_TRY(hk_material_isotropic(1 + 0.01 * r, 0.3 - 0.001 * r, &region[r].material));
  }
  for (hk_count e = 0; e < desc->space->mesh->element_count; e++)
    element_region[e] = (hk_index)(every ? e * 2654435761 % REGIONS : 0);
  desc->region = region, desc->element_region = element_region;
cleanup:
  return status;
}

/* What is derived of a measurement. Nominal: each array once per step for the stored form, by the mean number of neighbours of the
 * shape (6, 8, 14, 26 blocks and column numbers), and three vectors. */
typedef struct figures {
  double dofs, bytes, nominal, share, nominal_share, list_bytes, planned, peak;
} figures;

static figures derive(const hk_operator *op, hk_form form, int shots, const rates *r,
                      hk_count planned)
{
  static const int neighbours[HK_SHAPE_COUNT] = {
      [HK_TRI3] = 6, [HK_QUAD4] = 8, [HK_TET4] = 14, [HK_HEX8] = 26};
  const hk_space *space = op->desc.space;
  const double real = op->desc.double_precision ? 8 : 4, c = space->components;
  const double vectors = form == HK_FORM_INCREMENTS ? 4
                         : form == HK_FORM_STORE    ? 2
                                                    : 3,
               speed = r->memory.step_gb_per_s * 1e9;
  figures f = {.dofs = space->nodes * c * shots};
  f.bytes = ((double)op->bytes + (vectors * c * shots + 1) * real * space->nodes) / f.dofs;
  f.nominal = (neighbours[space->mesh->block[0].shape] * (c * c * real + 4) + 3 * c * real) / c;
  f.share = f.bytes * f.dofs / r->seconds / speed;
  f.nominal_share = f.nominal * f.dofs / r->seconds / speed;
  f.list_bytes = (double)op->memory / space->nodes;
  f.planned = (double)planned / (double)op->memory;
  f.peak = (double)r->peak / (double)space->mesh->element_count;
  return f;
}

static const char *const form_name[] = {"store", "positions", "increments"};

static void print_json(const hk_operator *op, hk_form form, const rates *r, const figures *f)
{
  const hk_device_info *device = hk_device_describe(op->desc.device);
  printf("{\"device\": \"%s\", \"method\": \"%s\", \"precision\": \"%s\", \"form\": \"%s\", "
         "\"threads\": %d, "
         "\"nodes\": %d, "
         "\"elements\": %lld, \"dofs\": %.0f, \"seconds_per_step\": %.9f, \"gdof_per_s\": %.6f, "
         "\"bytes\": %.0f, \"bytes_per_dof\": %.2f, \"copy_gb_per_s\": %.3f, "
         "\"stream_gb_per_s\": %.3f, \"share_of_stream\": %.4f, \"share_of_copy\": %.4f, "
         "\"nominal_bytes_per_dof\": %.1f, \"nominal_share_of_stream\": %.4f, "
         "\"list_bytes_per_node\": %.1f, \"planned_over_held\": %.4f, \"create_seconds\": %.4f, "
         "\"create_steps\": %.1f, \"library_peak_bytes_per_element\": %.1f, "
         "\"counted_bytes\": %lld, \"efficiency\": %.4f}\n",
         device->name, op->kind->name, op->desc.double_precision ? "double" : "single",
         form_name[form], device->threads, (int)op->desc.space->nodes,
         (long long)op->desc.space->mesh->element_count, f->dofs, r->seconds,
         f->dofs / r->seconds * 1e-9, f->bytes * f->dofs, f->bytes, r->memory.copy_gb_per_s,
         r->memory.step_gb_per_s, f->share,
         f->share * r->memory.step_gb_per_s / r->memory.copy_gb_per_s, f->nominal, f->nominal_share,
         f->list_bytes, f->planned, r->create, r->create_processor / r->processor, f->peak,
         (long long)op->counted, (double)op->desc.space->nodes / op->desc.space->padded);
}

static void print(const hk_operator *op, const rates *r, const figures *f)
{
  printf("%-11s %s %8d nodes  %.4f GDOF/s (%.4f per processor second)  %6.1f B/dof  lists %6.1f "
         "B/node (planned %+.1f %%)  %2.0f %% of stream %.1f GB/s  create %.0f steps (%.2f s)  "
         "peak %.0f B/element\n",
         op->kind->name, op->desc.double_precision ? "double" : "single",
         (int)op->desc.space->nodes, f->dofs / r->seconds * 1e-9, f->dofs / r->processor * 1e-9,
         f->bytes, f->list_bytes, 100 * (f->planned - 1), 100 * f->share, r->memory.step_gb_per_s,
         r->create_processor / r->processor, r->create, f->peak);
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
  hk_index *element_region = NULL;
  FILE *lock = NULL;
  const hk_operator_kind *kind;
  rates r = {0};

  HK_TRY(read_options(count, word, &o));
  if (o.threads) omp_set_num_threads(o.threads);
  HK_TRY(hk_device_open(o.device, o.threads, &device));
  HK_TRY(make_mesh(&o, &mesh));
  HK_TRY(hk_get(&element_region, mesh->element_count));
  HK_TRY(hk_operator_choose(o.method, mesh, device, &kind));
  const hk_space_desc numbering = kind->space(mesh, device, o.double_precision);
  const double start = hk_seconds();
  const clock_t before = clock();
  HK_TRY(hk_space_create(mesh, &numbering, &space));
  hk_operator_desc desc = {
      .device = device, .space = space, .double_precision = o.double_precision};
  HK_TRY(set_materials(&o, &desc, region, element_region));
  HK_TRY(hk_operator_create(kind, &desc, &op));
  r.create = hk_seconds() - start;
  r.create_processor = (double)(clock() - before) / CLOCKS_PER_SEC;
  const hk_form form = o.store        ? HK_FORM_STORE
                       : o.increments ? HK_FORM_INCREMENTS
                                      : HK_FORM_POSITIONS;
  if (o.lock) lock = fopen(o.lock, "a");
  if (lock) flock(fileno(lock), LOCK_EX);
  HK_TRY(measure_steps(op, form, o.shots, &r));
  r.peak = hk_memory_peak();
  HK_TRY(hk_bandwidth_measure(device, hk_device_describe(device)->compiles ? 1 << 30 : 128 << 20,
                              &r.memory));
  if (lock) flock(fileno(lock), LOCK_UN);
  const figures f = derive(op, form, o.shots, &r, kind->plan(mesh, device, o.double_precision));
  if (o.json)
    print_json(op, form, &r, &f);
  else
    print(op, &r, &f);
cleanup:
  if (status != HK_OK) fprintf(stderr, "%s\n", hk_error());
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
  hk_device_close(&device);
  hk_mesh_destroy(&mesh);
  hk_free(&element_region);
  if (lock) fclose(lock);
  return status == HK_OK ? 0 : 1;
}
