/* Graphs and fetches on every device: a graph does what its launches do; a fetch holds what was there when it began. */
#include "body.h"
#include "device/fetch.h"
#include "device/graph.h"
#include "device/table.h"
#include "load/excitation.h"
#include "operator/element/element_matrix.h"
#include "solver/explicit/explicit.h"

enum { CHUNK = 4096, GROUPS = 3, COUNT = CHUNK * GROUPS, LARGE = 100000 };

typedef struct stream { /* device/stream.k.h: array 3 = 2 array 2 - array 3 + array 0 * array 1 */
  hk_device *device;
  hk_kernel *step;
  hk_buffer *array[4];
  bool branched; /* the first group of a step runs beside the others */
} stream;

static void open_stream(stream *s, const char *name)
{
  float value[COUNT];
  const hk_kernel_desc desc = {
      .text = "stream", .function = "stream_step", .define = {{"CHUNK", CHUNK}}};
  memset(s, 0, sizeof *s);
  ok(hk_device_open(name, 2, &s->device));
  ok(hk_kernel_create(s->device, &desc, &s->step));
  for (int a = 0; a < 4; a++) {
    for (int i = 0; i < COUNT; i++) value[i] = (float)((i * (7 + a) + 3 * a) % 11 - 5);
    ok(hk_buffer_create(s->device, COUNT * 4, &s->array[a]));
    ok(hk_buffer_write(s->array[a], 0, COUNT * 4, value));
  }
}

static void close_stream(stream *s)
{
  for (int a = 0; a < 4; a++) hk_buffer_destroy(&s->array[a]);
  hk_kernel_destroy(&s->step);
  hk_device_close(&s->device);
}

static hk_status launch_twice(void *user)
{
  hk_status status = HK_OK;
  const stream *s = user;
  for (int k = 0; k < 2; k++) {
    hk_argument argument[4];
    for (int a = 0; a < 4; a++) argument[a] = hk_arg_buffer(s->array[a < 2 ? a : a ^ k]);
    if (s->branched) HK_TRY(hk_device_fork(s->device));
    HK_TRY(hk_kernel_launch(s->step, 0, 1, argument, 4));
    if (s->branched) HK_TRY(hk_device_back(s->device));
    HK_TRY(hk_kernel_launch(s->step, 1, GROUPS - 1, argument, 4));
    if (s->branched) HK_TRY(hk_device_join(s->device));
  }
cleanup:
  return status;
}

static void read_arrays(const stream *s, float value[2][COUNT])
{
  for (int a = 0; a < 2; a++) ok(hk_buffer_read(s->array[2 + a], 0, COUNT * 4, value[a]));
}

/* the host compares each launch with its kernel's signature: one argument less, or one of another kind, runs nothing */
static void arguments_are_checked(void **state)
{
  static float before[2][COUNT], after[2][COUNT];
  hk_argument argument[5];
  stream s;
  (void)state;
  open_stream(&s, "cpu");
  read_arrays(&s, before);
  for (int a = 0; a < 4; a++) argument[a] = hk_arg_buffer(s.array[a]);
  argument[4] = hk_arg_int(1);
  assert_int_equal(hk_kernel_launch(s.step, 0, 1, argument, 3), HK_INTERNAL);
  error_says("stream_step f CHUNK=4096\" has 4 arguments (pppp)");
  assert_int_equal(hk_kernel_launch(s.step, 0, 1, argument, 5), HK_INTERNAL);
  assert_int_equal(hk_kernel_launch(s.step, 0, 1, argument + 1, 4), HK_INTERNAL);
  error_says("argument 3 of pppp is launched as i");
  argument[4] = hk_arg_real(1);
  assert_int_equal(hk_kernel_launch(s.step, 0, 1, argument + 1, 4), HK_INTERNAL);
  error_says("launched as f");
  argument[4] = hk_arg_double(1);
  assert_int_equal(hk_kernel_launch(s.step, 0, 1, argument + 1, 4), HK_INTERNAL);
  error_says("launched as d");
  read_arrays(&s, after);
  assert_memory_equal(before, after, sizeof after);
  ok(hk_kernel_launch(s.step, 0, 1, argument, 4));
  close_stream(&s);
}

/* recorded launches do nothing; a graph launched three times = the launches three times, bit by bit; also with two branches */
static void graph_repeats_launches(void **state)
{
  static float before[2][COUNT], after[2][COUNT];
  char name[16];
  (void)state;
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k / 2, name); k++) {
    stream plain, recorded;
    hk_graph *graph = NULL;
    open_stream(&plain, name);
    open_stream(&recorded, name);
    recorded.branched = k % 2;
    read_arrays(&recorded, before);
    ok(hk_graph_record(recorded.device, launch_twice, &recorded, &graph));
    read_arrays(&recorded, after);
    assert_memory_equal(before, after, sizeof after);
    for (int t = 0; t < 3; t++) ok(launch_twice(&plain));
    for (int t = 0; t < 3; t++) ok(hk_graph_launch(graph));
    read_arrays(&plain, before);
    read_arrays(&recorded, after);
    assert_memory_equal(before, after, sizeof after);
    hk_graph_destroy(&graph);
    close_stream(&plain);
    close_stream(&recorded);
  }
}

static hk_status launch_and_fail(void *user)
{
  const hk_status status = launch_twice(user);
  return status == HK_OK ? hk_error_set(HK_INTERNAL, "on purpose") : status;
}

/* launches that fail while they are recorded: their status, no graph, and the device goes on */
static void recording_fails(void **state)
{
  char name[16];
  (void)state;
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    stream s;
    hk_graph *graph = NULL;
    open_stream(&s, name);
    assert_int_equal(hk_graph_record(s.device, launch_and_fail, &s, &graph), HK_INTERNAL);
    assert_null(graph);
    ok(launch_twice(&s));
    ok(hk_device_finish(s.device));
    close_stream(&s);
  }
}

static int spoiled, destroyed; /* recordings to be spoiled; graphs that were destroyed */

static hk_status record_nothing(hk_device *device)
{
  (void)device;
  return HK_OK;
}

static hk_status recorded_unless_spoiled(hk_device *device, void **graph)
{
  if (spoiled-- <= 0) *graph = device;
  return HK_OK;
}

static void destroy_nothing(hk_device *device, void *graph)
{
  assert_ptr_equal(device, graph);
  destroyed++;
}

static hk_status fail_while_spoiled(void *user)
{
  ++*(int *)user;
  return spoiled > 0 ? hk_error_set(HK_NO_RESOURCES, "spoiled") : HK_OK;
}

/* a recording that is spoiled is made again, also if its launches failed; one that always is ends in an error */
static void spoiled_recordings_are_made_again(void **state)
{
  hk_device_table table = hk_device_host;
  hk_device *device = NULL;
  hk_graph *graph = NULL;
  int trials = 0;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  const hk_device_table *own = device->table;
  table.record = record_nothing, table.recorded = recorded_unless_spoiled;
  table.graph_destroy = destroy_nothing;
  device->table = &table;
  spoiled = 3;
  ok(hk_graph_record(device, fail_while_spoiled, &trials, &graph));
  hk_graph_destroy(&graph);
  assert_true(trials == 4 && destroyed == 1);
  spoiled = 1000;
  assert_int_equal(hk_graph_record(device, fail_while_spoiled, &trials, &graph), HK_NO_RESOURCES);
  error_says("recordings of launches are spoiled");
  assert_null(graph);
  device->table = own;
  hk_device_close(&device);
}

/* a fetch, small or large, in two parts: values as they were, though the buffer is overwritten before it is waited for */
static void fetch_keeps_what_was(void **state)
{
  static int value[LARGE], other[LARGE];
  char name[16];
  (void)state;
  for (int i = 0; i < LARGE; i++) value[i] = 3 * i, other[i] = -i;
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    hk_device *device = NULL;
    ok(hk_device_open(name, 1, &device));
    for (int large = 0; large < 2; large++) {
      const hk_count count = large ? LARGE : 10, half = count / 2 * 4;
      hk_buffer *buffer = NULL;
      hk_fetch *fetch = NULL;
      const void *data = NULL;
      ok(hk_buffer_create(device, count * 4, &buffer));
      ok(hk_fetch_create(device, count * 4, &fetch));
      ok(hk_buffer_write(buffer, 0, count * 4, value));
      ok(hk_fetch_begin(fetch, half, buffer, 0, half)); /* halves exchanged */
      ok(hk_fetch_begin(fetch, 0, buffer, half, half));
      ok(hk_buffer_write(buffer, 0, count * 4, other));
      for (bool ready = false; !ready;) ok(hk_fetch_ready(fetch, &ready)); /* in the end */
      ok(hk_fetch_wait(fetch, &data));
      assert_memory_equal(data, value + count / 2, (size_t)half);
      assert_memory_equal((const char *)data + half, value, (size_t)half);
      assert_int_equal(hk_fetch_begin(fetch, 4, buffer, 0, count * 4), HK_INTERNAL);
      hk_fetch_destroy(&fetch);
      hk_buffer_destroy(&buffer);
    }
    hk_device_close(&device);
  }
}

/* u after 333 steps, at once (graphs) or step by step (launches) */
static void step_on(const body *b, hk_device *device, bool at_once, double *u)
{
  run r;
  hk_explicit *solver = NULL;
  hk_force_entry entry = {.dof = 6, .coefficient = 1};
  hk_excitation excitation = {.signal_count = 1};
  double *mass = NULL, *nodal = NULL, omega;
  hk_index guilty;
  ok(run_create(&r, b, device, "edges", false));
  ok(hk_get(&excitation.signal, 1));
  excitation.signal[0] = (hk_source_signal){.start = 0.01, .role = HK_ROLE_FORCE};
  ok(hk_force_rows_build(&entry, 1, &excitation.motion, &excitation.force));
  ok(hk_get(&nodal, b->mesh->node_count));
  ok(hk_get(&mass, r.space->padded));
  ok(hk_mass_lumped(b->mesh, b->region, b->element_region, nodal));
  for (hk_index i = 0; i < r.space->padded; i++) mass[i] = 1;
  hk_space_to_internal(r.space, 1, nodal, mass);
  ok(hk_element_bound(b->mesh, b->region, b->element_region, &omega, &guilty));
  ok(hk_explicit_create(
      &(hk_explicit_desc){
          .op = r.op, .dt = 1.5 / omega, .steps = 333, .mass = mass, .excitation = &excitation},
      &solver));
  ok(hk_explicit_start(solver, NULL, NULL));
  for (hk_count n = at_once ? 333 : 1; n <= 333; n++) ok(hk_explicit_advance(solver, n));
  ok(hk_explicit_read(solver, 0, HK_STATE_DISPLACEMENT, u));
  hk_explicit_destroy(&solver);
  hk_excitation_clear(&excitation);
  hk_free(&mass);
  hk_free(&nodal);
  run_destroy(&r);
}

/* a run by graphs = the run by launches, bit by bit */
static void steps_of_a_graph_are_steps(void **state)
{
  char name[16];
  body b = {0};
  (void)state;
  layers_create(&b, HK_TRI3, false);
  for (int k = 0; hk_device_list(&(hk_device_desc){0}, k, name); k++) {
    static double u[2][1 << 14];
    hk_device *device = NULL;
    ok(hk_device_open(name, 2, &device));
    memset(u, 0, sizeof u);
    for (int at_once = 0; at_once < 2; at_once++) step_on(&b, device, at_once, u[at_once]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    double most = 0;
    for (int i = 0; i < 1 << 14; i++) most = fmax(most, fabs(u[0][i]));
    assert_true(most > 1e-6);
    hk_device_close(&device);
  }
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments_are_checked), cmocka_unit_test(graph_repeats_launches),
      cmocka_unit_test(recording_fails),       cmocka_unit_test(spoiled_recordings_are_made_again),
      cmocka_unit_test(fetch_keeps_what_was),  cmocka_unit_test(steps_of_a_graph_are_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
