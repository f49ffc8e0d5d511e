/* Rates of time steps of spectral elements, by order, shape of elements, precision and state: increments (the default
 * in single precision) and positions. The solver is the one that runs use, with a smooth wave as its first state.
 * Beside the rates stand those of SPECFEM2D and of prototypes of the kernel, and what a launch takes of the device. */
#include "sem/sem.h"
#include "operator/spectral/tune.h"

enum { DEVICE_NODES = 6000000, HOST_NODES = 1000000, EMULATED_NODES = 2000 };

static const char *const map_name[] = {"affine", "straight", "curved"};

/* GDOF/s of the prototypes of this kernel (single, positions, straight). */
static const struct {
  int dim, order;
  double rate;
} prototype[] = {{2, 2, 49},   {2, 4, 72},   {2, 7, 95},   {3, 2, 34.1}, {3, 3, 54.5},
                 {3, 4, 60.5}, {3, 5, 64.7}, {3, 6, 66.6}, {3, 7, 86.4}, {3, 8, 66.4}};
enum { PROTOTYPES = sizeof prototype / sizeof *prototype };
/* GDOF/s of SPECFEM2D at order 4: "rates" of bench/results/specfem2d.json. */
static const double specfem2d_h200[] = {27.3, 17.4}; /* elastic, acoustic */
static const double specfem2d_thread[2][2] = {{0.069, 0.061}, {0.068, 0.057}};

static void add_peers(const hk_sem_body *b, bool positions, double rate, json_t *row)
{
  const hk_device_info *info = hk_device_describe(b->device);
  const bool host = !info->compiles;
  const double specfem = host ? specfem2d_thread[b->fluid][b->real] : specfem2d_h200[b->fluid];
  if (!b->attenuates && b->dim == 2 && b->order == 4 && (host || !b->real) &&
      (!host || info->threads == 1)) {
    hk_bench_set(row, "specfem2d_gdof_per_s", specfem);
    hk_bench_set(row, "over_specfem2d", rate / specfem);
  }
  for (int k = 0; k < PROTOTYPES; k++)
    if (!host && !b->real && !b->fluid && positions && b->map == HK_MAP_CORNERS &&
        prototype[k].dim == b->dim && prototype[k].order == b->order)
      hk_bench_set(row, "prototype_gdof_per_s", prototype[k].rate);
}

static void add_launch(const hk_sem_body *b, hk_form form, json_t *row)
{
  const hk_spectral_launch launch = hk_spectral_describe(b->op, form, false);
  const struct {
    const char *key;
    hk_count value;
  } all[] = {{"elements_per_group", launch.elements}, {"threads", launch.threads},
             {"groups_asked", launch.groups},         {"fetches", launch.ahead},
             {"local_bytes", launch.local},           {"registers", launch.cost.registers},
             {"spilled_bytes", launch.cost.spilled},  {"groups", launch.cost.groups}};
  const int first = hk_device_describe(b->device)->compiles ? 0 : 8, told = launch.cost.registers;
  for (int k = first; k < (told ? 8 : 5); k++) hk_bench_set_integer(row, all[k].key, all[k].value);
  hk_bench_set_integer(row, "host_threads", hk_device_describe(b->device)->threads);
}

/* Bytes of a step: the operator's arrays, state, mass once; what laws keep is read and written. */
static double step_bytes(const hk_sem_body *b, bool positions)
{
  const double real = b->real ? 8 : 4, vectors = positions ? 3 : 4;
  return (double)b->op->bytes + 2.0 * (double)b->op->state +
         real * (vectors * b->space->components + 1) * b->space->nodes;
}

static hk_status start(const hk_sem_body *b, hk_explicit *solver)
{
  hk_status status = HK_OK;
  double *u = NULL;
  HK_TRY(hk_sem_body_wave(b, &u));
  HK_TRY(hk_explicit_start(solver, u, NULL));
cleanup:
  hk_free(&u);
  return status;
}

/* Seconds (of a processor its own) and bytes over those of the elastic step before. */
static void add_attenuation(hk_sem_body *b, double bytes, double seconds, json_t *row)
{
  if (b->attenuates) {
    hk_bench_set(row, "over_elastic", seconds / b->elastic[0]);
    hk_bench_set(row, "bytes_over_elastic", bytes / b->elastic[1]);
  }
  if (!b->attenuates) b->elastic[0] = seconds, b->elastic[1] = bytes;
}

static hk_status measure(hk_sem_body *b, const char *table, bool positions)
{
  hk_status status = HK_OK;
  const hk_form form = positions ? HK_FORM_POSITIONS : HK_FORM_INCREMENTS;
  hk_explicit *solver = NULL;
  hk_excitation excitation = {0};
  double seconds, processor;
  hk_bench_say(b->job, "%dD, order %d: %s, %s, %s, %s, %s, %s", b->dim, b->order,
               b->fluid        ? "acoustic"
               : b->attenuates ? "attenuation"
                               : "elastic",
               map_name[b->map], hk_sem_scatter_name[b->scatter], b->real ? "double" : "single",
               positions ? "positions" : "increments", hk_device_describe(b->device)->backend);
  HK_TRY(hk_force_rows_build(NULL, 0, &excitation.motion, &excitation.force));
  HK_TRY(
      hk_explicit_create(&(hk_explicit_desc){.op = b->op,
                                             .dt = 0.1 / ((double)b->cells * b->order * b->order),
                                             .steps = 1 << 30,
                                             .mass = b->mass,
                                             .excitation = &excitation,
                                             .positions = positions},
                         &solver));
  HK_TRY(start(b, solver));
  HK_TRY(hk_bench_time_steps(solver, b->device, b->job->seconds, &seconds, &processor));
  json_t *row = hk_sem_row(b, table,
                           b->attenuates ? "attenuation"
                           : b->scatter  ? hk_sem_scatter_name[b->scatter]
                                         : map_name[b->map]);
  const double dofs = (double)b->space->nodes * b->space->components, rate = dofs / seconds * 1e-9;
  double own = rate; /* of a processor: by the thread's own time */
  hk_bench_set_text(row, "state", positions ? "positions" : "increments");
  hk_bench_set(row, "seconds_per_step", seconds);
  hk_bench_set(row, "gdof_per_s", rate);
  if (!hk_device_describe(b->device)->compiles)
    hk_bench_set(row, "own_gdof_per_s", own = dofs / processor * 1e-9);
  hk_bench_set_bytes(b->job, b->place, row, step_bytes(b, positions), seconds);
  add_peers(b, positions, rate, row);
  add_launch(b, form, row);
  add_attenuation(b, step_bytes(b, positions), own == rate ? seconds : processor, row);
  if (b->scatter == HK_SEM_SLOTS) b->slots_rate = own;
  if (b->scatter == HK_SEM_COLOURS) hk_bench_set(row, "over_slots", own / b->slots_rate);
  hk_bench_add(b->job, row);
cleanup:
  hk_explicit_destroy(&solver);
  hk_excitation_clear(&excitation);
  return status;
}

static double nodes_of(const hk_sem_body *b)
{
  const hk_device_info *info = hk_device_describe(b->device);
  return b->job->scale * (info->unoptimised ? EMULATED_NODES
                          : info->compiles  ? DEVICE_NODES
                                            : HOST_NODES);
}

static hk_status measure_order(hk_sem_body *b)
{
  HK_PASS(hk_sem_body_create(nodes_of(b), b));
  for (int real = 0; real < 2; real++)
    for (hk_map_class map = HK_MAP_AFFINE; map <= HK_MAP_CURVED; map++) {
      HK_PASS(hk_sem_body_assemble(map, real, NULL, b));
      if (!real) HK_PASS(measure(b, "rates", false));
      HK_PASS(measure(b, "rates", true));
    }
  return HK_OK;
}

static hk_status measure_scatters(hk_sem_body *b)
{
  HK_PASS(hk_sem_body_create(nodes_of(b), b));
  for (int real = 0; real < 2; real++)
    for (b->scatter = HK_SEM_SLOTS; b->scatter <= HK_SEM_COLOURS; b->scatter++) {
      HK_PASS(hk_sem_body_assemble(HK_MAP_CORNERS, real, NULL, b));
      HK_PASS(measure(b, "scatter", real));
    }
  return HK_OK;
}

/* The default state of either precision. */
static hk_status measure_attenuation(hk_sem_body *b)
{
  if (b->fluid) return HK_OK;
  HK_PASS(hk_sem_body_create(nodes_of(b), b));
  for (int k = 0; k < 4; k++) {
    b->attenuates = k % 2;
    HK_PASS(hk_sem_body_assemble(HK_MAP_CORNERS, k / 2, NULL, b));
    HK_PASS(measure(b, "attenuation", k / 2));
  }
  return HK_OK;
}

/* The default state of either precision. */
static hk_status measure_options(hk_sem_body *b)
{
  int option[HK_SPECTRAL_FIELDS], all = 1;
  const int none = hk_spectral_options[HK_SPECTRAL_PATCHES] - 1;
  for (int f = 0; f < HK_SPECTRAL_FIELDS; f++)
    if (f != HK_SPECTRAL_PATCHES) all *= hk_spectral_options[f];
  HK_PASS(hk_sem_body_create(nodes_of(b), b));
  for (int k = 0; k < 2 * all; k++) {
    option[HK_SPECTRAL_PATCHES] = none;
    for (int f = 0, rest = k / 2; f < HK_SPECTRAL_FIELDS; f++)
      if (f != HK_SPECTRAL_PATCHES)
        option[f] = rest % hk_spectral_options[f], rest /= hk_spectral_options[f];
    if (option[HK_SPECTRAL_COLOURS] && (option[HK_SPECTRAL_REGISTERS] || option[HK_SPECTRAL_AHEAD]))
      continue;
    HK_PASS(hk_sem_body_assemble(HK_MAP_CORNERS, k % 2, option, b));
    HK_PASS(measure(b, "tuner", k % 2));
  }
  return HK_OK;
}

/* The default state of either precision. */
static hk_status measure_patches(hk_sem_body *b)
{
  HK_PASS(hk_sem_body_create(nodes_of(b), b));
  for (int k = 0; k < 2 * hk_spectral_options[HK_SPECTRAL_PATCHES]; k++) {
    const int option[HK_SPECTRAL_FIELDS] = {[HK_SPECTRAL_PATCHES] = k / 2};
    HK_PASS(hk_sem_body_assemble(HK_MAP_CORNERS, k % 2, option, b));
    HK_PASS(measure(b, "patches", k % 2));
  }
  return HK_OK;
}

hk_status hk_sem_each_order(hk_bench_job *job, hk_device *device, int place,
                            const hk_sem_wanted *wanted, hk_status (*run)(hk_sem_body *b))
{
  hk_status status = HK_OK;
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 2 * HK_MOST_ORDER; k++) {
      const int order = k / 2 + 1;
      hk_sem_body b = {
          .job = job, .device = device, .place = place, .dim = dim, .order = order, .fluid = k % 2};
      if (!wanted->dim[dim] || !wanted->order[order] || !(wanted->physics & (1 << k % 2))) continue;
      status = run(&b);
      hk_sem_body_clear(&b);
      HK_TRY(status);
    }
cleanup:
  return status;
}

hk_status hk_sem_rates(hk_bench_job *job, hk_device *device, int place, const hk_sem_wanted *wanted)
{
  return hk_sem_each_order(job, device, place, wanted, measure_order);
}

hk_status hk_sem_scatters(hk_bench_job *job, hk_device *device, int place,
                          const hk_sem_wanted *wanted)
{
  return hk_sem_each_order(job, device, place, wanted, measure_scatters);
}

hk_status hk_sem_attenuation(hk_bench_job *job, hk_device *device, int place,
                             const hk_sem_wanted *wanted)
{
  return hk_sem_each_order(job, device, place, wanted, measure_attenuation);
}

hk_status hk_sem_patches(hk_bench_job *job, hk_device *device, int place,
                         const hk_sem_wanted *wanted)
{
  if (!hk_device_describe(device)->compiles) return HK_OK;
  return hk_sem_each_order(job, device, place, wanted, measure_patches);
}

hk_status hk_sem_tuner(hk_bench_job *job, hk_device *device, int place, const hk_sem_wanted *wanted)
{
  if (!hk_device_describe(device)->compiles) return HK_OK;
  return hk_sem_each_order(job, device, place, wanted, measure_options);
}
