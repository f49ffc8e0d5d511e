/* What operators choose for devices that are not there: plans follow from hk_device_info alone. tests/data/plans/<device>.txt has a line for each
 * kernel that is asked for and for each plan of integration, as they were chosen on the devices on which they were measured. */
#include "device/table.h"
#include "operator/edges/pack.h"
#include "operator/integration/parts.h"
#include "operator/spectral/tune.h"
#include "support/body.h"
#include <math.h>

enum { LINE = 400 };

static FILE *made; /* a line for each plan */

static hk_status close_nothing(hk_device *device)
{
  (void)device;
  return HK_OK;
}

static hk_count available(const hk_device *device)
{
  return device->info.memory;
}

static hk_status take_memory(hk_buffer *buffer)
{
  return hk_memory_get(&buffer->memory, buffer->bytes, 1);
}

static void free_memory(hk_buffer *buffer)
{
  hk_memory_free(&buffer->memory);
}

static hk_status write_memory(hk_buffer *buffer, hk_count offset, hk_count bytes, const void *from)
{
  if (bytes) memcpy((char *)buffer->memory + offset, from, (size_t)bytes);
  return HK_OK;
}

static hk_status read_memory(const hk_buffer *buffer, hk_count offset, hk_count bytes, void *to)
{
  if (bytes) memcpy(to, (const char *)buffer->memory + offset, (size_t)bytes);
  return HK_OK;
}

static hk_status write_kernel(hk_kernel *kernel, const hk_kernel_desc *desc)
{
  fprintf(made, "  %s %s threads %d local %lld", desc->function,
          desc->double_precision ? "double" : "single", kernel->threads, (long long)desc->local);
  for (int i = 0; i < HK_MOST_DEFINES && desc->define[i].name; i++)
    fprintf(made, " %s=%d", desc->define[i].name, desc->define[i].value);
  fprintf(made, "\n");
  return HK_OK;
}

static void destroy_kernel(hk_kernel *kernel)
{
  (void)kernel;
}

static const hk_device_table table = {.name = "simulated",
                                      .finish = close_nothing,
                                      .available = available,
                                      .buffer_create = take_memory,
                                      .buffer_destroy = free_memory,
                                      .buffer_write = write_memory,
                                      .buffer_read = read_memory,
                                      .kernel_create = write_kernel,
                                      .kernel_destroy = destroy_kernel};

/* an H100 or H200, as its driver describes it */
static hk_device_info large(void)
{
  return (hk_device_info){.name = "large",
                          .backend = "cuda",
                          .memory = 80LL << 30,
                          .local_memory = 227 << 10,
                          .multiprocessor = {64 << 10, 228 << 10, 1 << 10, 2048},
                          .lanes = 1,
                          .width = 32,
                          .vector = 1,
                          .group_threads = 128,
                          .most_threads = 1024,
                          .lockstep = 32,
                          .team = 32,
                          .threads = 2,
                          .compiles = true,
                          .obeys_hints = true,
                          .ordered = true,
                          .own_memory = true,
                          .overlaps = true};
}

/* a processor that OpenCL plays a device on, as PoCL does */
static hk_device_info played(void)
{
  hk_device_info info = large();
  info.memory = 8LL << 30, info.local_memory = 512 << 10, info.vector = 8;
  info.most_threads = 4096, info.team = 1;
  info.unoptimised = true, info.obeys_hints = info.overlaps = false;
  snprintf(info.name, sizeof info.name, "played");
  snprintf(info.backend, sizeof info.backend, "opencl");
  return info;
}

/* a GPU of OpenCL with little local memory */
static hk_device_info small(void)
{
  hk_device_info info = large();
  info.memory = 8LL << 30, info.local_memory = 32 << 10;
  info.most_threads = 256, info.team = 1, info.obeys_hints = info.ordered = false;
  snprintf(info.name, sizeof info.name, "small");
  snprintf(info.backend, sizeof info.backend, "opencl");
  return info;
}

/* Kernels of one form for a body; none where the device has no room for them. */
static void plan_form(hk_device *device, const body *b, const char *method, bool real,
                      const int *choice)
{
  const hk_operator_kind *kind = NULL;
  hk_space *space = NULL;
  hk_operator *op = NULL;
  ok(hk_operator_choose(method, b->mesh, device, &kind));
  const hk_space_desc desc = choice ? hk_spectral_space(b->mesh, device, real, choice)
                                    : kind->space(b->mesh, device, real);
  fprintf(made, "%s, patch %d, %lld bytes\n", kind->name, desc.patch,
          (long long)kind->plan(b->mesh, device, real));
  ok(hk_space_create(b->mesh, &desc, &space));
  const hk_status status =
      hk_operator_create(kind,
                         &(hk_operator_desc){.device = device,
                                             .space = space,
                                             .region = b->region,
                                             .element_region = b->element_region,
                                             .double_precision = real,
                                             .choice = choice},
                         &op);
  if (status == HK_OK)
    ok(hk_operator_bind(op, real ? HK_FORM_POSITIONS : HK_FORM_INCREMENTS, false, 3));
  else
    fprintf(made, "  no room\n");
  assert_true(status == HK_OK || status == HK_NO_RESOURCES);
  hk_operator_destroy(&op);
  hk_space_destroy(&space);
}

/* each shape of explicit steps, each form that serves it, and the one that is taken by itself */
static void plan_shapes(hk_device *device)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  static const char *const methods[] = {"auto", "edges", "matrix-free", "stored"};
  for (int s = 0; s < 4; s++) {
    body b = {0};
    body_create(&b, shapes[s], ONE);
    for (int m = 0; m < 4; m++)
      for (int real = 0; real < 2; real++) plan_form(device, &b, methods[m], real, NULL);
    body_destroy(&b);
  }
}

/* spectral elements with each number of threads, and of registers at the first */
static void plan_spectral(hk_device *device)
{
  static const int orders[] = {2, 4, 7};
  for (int k = 0; k < 6; k++) {
    body b = {0};
    const int dim = 2 + k % 2;
    ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                           .to = {1, 1, 1},
                                           .cells = {3, 3, dim == 3 ? 3 : 0},
                                           .shape = dim == 3 ? HK_HEX8 : HK_QUAD4},
                           &b.mesh));
    ok(hk_mesh_raise_to(b.mesh, orders[k / 2]));
    body_dress(&b, ONE);
    for (int c = 0; c < 5; c++)
      plan_form(
          device, &b, "spectral", c % 2,
          (const int[HK_SPECTRAL_FIELDS]){
              [HK_SPECTRAL_ELEMENTS] = c < 3 ? c : 0, [HK_SPECTRAL_REGISTERS] = c < 3 ? 1 : c - 3});
    body_destroy(&b);
  }
}

static void write_plan(const hk_integral_plan *p)
{
  fprintf(made, "  threads %d parts %d blocks %d tile %d span %d chunk %d batch %d elements %d ",
          p->threads, p->parts, p->blocks, p->tile, p->span, p->chunk, p->batch, p->most_elements);
  fprintf(made, "rows %d planes %d pairs %d split %d local %lld\n", p->rows, p->planes, p->pairs,
          p->split, (long long)p->local);
}

/* The first candidates of integration over prisms. */
static void plan_integrals(hk_device *device)
{
  static const double lame[] = {1, 1};
  for (int p = 1; p <= 7; p += 2)
    for (int way = HK_INTEGRAL_PRODUCTS; way <= HK_INTEGRAL_FACTORISED; way++)
      for (int real = 0; real < 2; real++) {
        hk_reference reference;
        hk_integral_plan list[HK_INTEGRAL_CANDIDATES];
        ok(hk_reference_prism(p, p, HK_WEDGE6, &reference));
        hk_integral t = {.desc = {.device = device,
                                  .double_precision = real,
                                  .reference = &reference,
                                  .elements = 1000,
                                  .coefficients = {3, true, HK_SPREAD_SAME, lame}},
                         .real = real ? 8 : 4};
        t.plan.way = t.desc.way = (hk_integral_way)way;
        ok(hk_integral_examine(&t));
        const int count = hk_integral_candidates(&t, list);
        fprintf(made, "%s order %d %s, %d candidates\n", hk_integral_way_name(t.desc.way), p,
                real ? "double" : "single", count);
        for (int k = 0; k < count && k < 3; k++) write_plan(&list[k]);
        hk_reference_clear(&reference);
      }
}

/* made = the lines of the file */
static void compare_lines(const char *name)
{
  char path[300], expected[LINE], got[LINE];
  snprintf(path, sizeof path, TEST_DATA "/plans/%s.txt", name);
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("%s cannot be read", path);
  rewind(made);
  for (int line = 1;; line++) {
    const bool more = fgets(expected, LINE, file) != NULL;
    if (more != (fgets(got, LINE, made) != NULL)) fail_msg("%s has another end", path);
    if (!more) break;
    if (strcmp(got, expected) != 0) fail_msg("%s:%d: got %sexpected %s", path, line, got, expected);
  }
  fclose(file);
}

static void plan_all(hk_device_info info)
{
  hk_device device = {.table = &table, .info = info};
  made = tmpfile();
  assert_non_null(made);
  plan_shapes(&device);
  plan_spectral(&device);
  plan_integrals(&device);
  compare_lines(info.name);
  fclose(made);
}

/* plans of a large GPU are those that were measured on it */
static void plans_of_large(void **state)
{
  (void)state;
  plan_all(large());
}

/* plans of a GPU with little local memory fit it */
static void plans_of_small(void **state)
{
  (void)state;
  plan_all(small());
}

/* plans of a processor that plays a device are those of vectors */
static void plans_of_played(void **state)
{
  (void)state;
  plan_all(played());
}

typedef struct sample {
  hk_shape shape;
  int cells, order;
  double jitter;
  int components; /* 1: of a fluid; 0: of a solid */
  materials which;
} sample;

static void hold(hk_device *device, const sample *of, const char *method, bool real)
{
  body b = {0};
  hk_space *s = NULL;
  hk_operator *op = NULL;
  uint8_t *part = NULL; /* 1: a fluid */
  const int dim = hk_element_of(of->shape)->dim;
  hk_mesh_grid grid = {.dim = dim, .to = {1, 1, 1}, .shape = of->shape, .jitter = of->jitter};
  for (int d = 0; d < dim; d++) grid.cells[d] = of->cells;
  ok(hk_mesh_create_grid(&grid, &b.mesh));
  if (of->order > 1) ok(hk_mesh_raise_to(b.mesh, of->order));
  body_dress(&b, of->which);
  for (int r = 0; r < REGIONS && of->components == 1; r++)
    ok(hk_material_fluid(2, &b.region[r].material)), b.region[r].material.density = 1;
  const hk_operator_kind *kind = hk_operator_find(method);
  hk_space_desc numbering = kind->space(b.mesh, device, real);
  ok(hk_get(&part, b.mesh->element_count));
  memset(part, of->components, (size_t)b.mesh->element_count);
  numbering.components = of->components, numbering.element_part = part;
  ok(hk_space_create(b.mesh, &numbering, &s));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = device,
                                            .space = s,
                                            .region = b.region,
                                            .element_region = b.element_region,
                                            .double_precision = real},
                        &op));
  const double plan = (double)(of->which == ANISOTROPIC
                                   ? kind->plan_anisotropic(b.mesh, device, real)
                                   : hk_operator_plan(kind, b.mesh, s->components, device, real)),
               ratio = plan / (double)op->memory;
  if (!(fabs(ratio - 1) <= 0.05))
    fail_msg("%s, %s, %d cells, order %d: planned %.3f of the memory", method,
             hk_shape_name(of->shape), of->cells, of->order, ratio);
  hk_operator_destroy(&op);
  hk_space_destroy(&s);
  hk_free(&part);
  body_destroy(&b);
}

/* plan = memory of K to 5 % on a large GPU */
static void plans_are_held(void **state)
{
  static const sample cubes[] = {{HK_HEX8, 39, 1, 0, 0, ONE},
                                 {HK_HEX8, 44, 1, 0, 0, ONE},
                                 {HK_HEX8, 41, 1, 0.2, 0, ONE},
                                 {HK_HEX8, 39, 1, 0.2, 0, ANISOTROPIC}},
                      families[] = {{HK_HEX8, 12, 4, 0, 0, ONE},
                                    {HK_HEX8, 12, 4, 0.2, 0, ONE},
                                    {HK_HEX8, 20, 2, 0, 1, ONE},
                                    {HK_QUAD4, 60, 4, 0.1, 0, ONE}};
  hk_device device = {.table = &table, .info = large()};
  (void)state;
  for (int i = 0; i < 4; i++) {
    hold(&device, &cubes[i], "matrix-free", i % 2);
    hold(&device, &families[i], "spectral", i % 2);
  }
}

/* the same of parts of patches, and of patches of spectral elements, which devices with refills have */
static void plans_of_parts_are_held(void **state)
{
  static const sample parts[] = {{HK_TET4, 22, 1, 0.2, 0, ONE},
                                 {HK_TET4, 32, 1, 0.2, 0, ONE},
                                 {HK_QUAD4, 150, 1, 0.2, 0, ONE}},
                      patches[] = {{HK_QUAD4, 100, 4, 0.1, 0, ONE},
                                   {HK_QUAD4, 100, 2, 0, 0, ONE},
                                   {HK_QUAD4, 80, 7, 0, 0, ONE}};
  hk_device device = {.table = &table, .info = large()};
  (void)state;
  for (int i = 0; i < 6; i++) hold(&device, &parts[i / 2], "matrix-free", i % 2);
  device.info.refills = true;
  for (int i = 0; i < 6; i++) hold(&device, &patches[i / 2], "spectral", i % 2);
}

/* Lists of a shuffled cube of tetrahedra; *most: bytes that the host held at once beside them. share: of the window that blocks pass through. */
static void pack_edges(hk_device *device, const body *b, const hk_space *s, double share,
                       hk_pool *pool, hk_buffer **list, hk_count *most)
{
  const hk_edges_limits limits = {.local = 4096, .owned = 32, .stages = true};
  const hk_operator_desc desc = {
      .device = device, .space = s, .region = b->region, .element_region = b->element_region};
  hk_edges_sizes sizes;
  const double before = hk_memory_share(share);
  const hk_count held = hk_memory_held();
  hk_memory_renew_peak();
  ok(hk_edges_pack(&desc, pool, limits, list, &sizes));
  *most = hk_memory_peak() - held;
  hk_memory_share(before);
}

/* blocks that pass through a window in parts = blocks that are sent at once, bit by bit; the host holds a window of them less the rest */
static void blocks_pass_through_a_window(void **state)
{
  hk_device device = {.table = &table, .info = large()};
  hk_buffer *whole[HK_EDGES_LISTS], *parts[HK_EDGES_LISTS];
  hk_pool pool = {0};
  hk_count most_whole, most_parts;
  hk_space *s = NULL;
  body b = {0};
  (void)state;
  ok(hk_mesh_create_grid(
      &(hk_mesh_grid){
          .dim = 3, .to = {1, 1, 1}, .cells = {36, 36, 36}, .shape = HK_TET4, .jitter = 0.2},
      &b.mesh));
  body_dress(&b, ONE);
  const hk_space_desc numbering = hk_operator_find("edges")->space(b.mesh, &device, false);
  ok(hk_space_create(b.mesh, &numbering, &s));
  pack_edges(&device, &b, s, 1, &pool, whole, &most_whole);
  pack_edges(&device, &b, s, 0, &pool, parts, &most_parts);
  for (int m = 0; m < HK_EDGES_LISTS; m++) {
    assert_int_equal(hk_buffer_bytes(whole[m]), hk_buffer_bytes(parts[m]));
    assert_memory_equal(whole[m]->memory, parts[m]->memory, (size_t)hk_buffer_bytes(whole[m]));
  }
  const hk_count blocks = hk_buffer_bytes(whole[HK_EDGES_BLOCK]);
  assert_true(blocks > 4 << 20); /* several windows of 2 MB, the least */
  assert_true(most_whole - most_parts > blocks / 2);
  hk_pool_clear(&pool);
  hk_space_destroy(&s);
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_of_large),          cmocka_unit_test(plans_of_small),
      cmocka_unit_test(plans_of_played),         cmocka_unit_test(plans_are_held),
      cmocka_unit_test(plans_of_parts_are_held), cmocka_unit_test(blocks_pass_through_a_window)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
