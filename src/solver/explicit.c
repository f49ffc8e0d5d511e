#include "solver/explicit_parts.h"
#include <stdlib.h>
#include <string.h>

static hk_status send(hk_device *device, hk_count bytes, const void *from, hk_buffer **out)
{
  hk_status status = HK_OK;
  HK_TRY(hk_buffer_create(device, bytes, out));
  if (from && bytes) HK_TRY(hk_buffer_write(*out, 0, bytes, from));
cleanup:
  return status;
}

/* A, B of kernels/epilogue.k.h and half the mass over dt^2. */
static hk_status create_coefficients(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  const hk_index padded = s->space->padded;
  const int real = s->double_precision ? 8 : 4;
  double *value = NULL;
  HK_TRY(hk_get(&value, padded));
  HK_TRY(hk_buffer_create(s->device, (hk_count)padded * real, &s->b));
  HK_TRY(hk_buffer_create(s->device, (hk_count)padded * real, &s->half_mass));
  for (hk_index i = 0; i < padded; i++)
    value[i] = i < s->space->nodes ? desc->mass[i] / (2 * s->dt * s->dt) : 0;
  HK_TRY(hk_buffer_write_reals(s->half_mass, s->double_precision, 0, padded, value));
  for (hk_index i = 0; i < padded; i++) {
    const double c = desc->damping ? 0.5 * desc->damping[i] * s->dt : 0;
    value[i] = i < s->space->nodes ? s->dt * s->dt / desc->mass[i] / (1 + c) : 1;
  }
  HK_TRY(hk_buffer_write_reals(s->b, s->double_precision, 0, padded, value));
  if (s->damped) {
    for (hk_index i = 0; i < padded; i++) {
      const double c = 0.5 * desc->damping[i] * s->dt;
      value[i] = i < s->space->nodes ? (1 - c) / (1 + c) : 1;
    }
    HK_TRY(hk_buffer_create(s->device, (hk_count)padded * real, &s->a));
    HK_TRY(hk_buffer_write_reals(s->a, s->double_precision, 0, padded, value));
  }
cleanup:
  hk_free(&value);
  return status;
}

static hk_status create_vectors(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_count bytes =
      (hk_count)s->space->padded * s->space->components * (s->double_precision ? 8 : 4);
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count lanes = (hk_count)info->group_threads * info->lanes;
  HK_TRY(hk_buffer_create(s->device, bytes, &s->x[0]));
  HK_TRY(hk_buffer_create(s->device, bytes, &s->x[1]));
  if (s->form == HK_FORM_INCREMENTS) HK_TRY(hk_buffer_create(s->device, bytes, &s->v));
  HK_TRY(hk_buffer_create(s->device, bytes, &s->ku));
  s->groups = (s->space->padded + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
  HK_TRY(hk_buffer_create(s->device, s->groups * lanes * 16, &s->sums));
  HK_TRY(hk_get(&s->sums_host, s->groups * lanes * 2));
  if (s->damped) HK_TRY(hk_buffer_create(s->device, s->op->groups * lanes * 8, &s->small[HK_LOSS]));
cleanup:
  return status;
}

static hk_status create_forces(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_force_rows *f = &s->drive->force;
  const hk_count rows = f->rows, entries = rows ? f->begin[rows] : 0;
  if (!rows) return HK_OK;
  HK_TRY(send(s->device, rows * 4, f->dof, &s->force_dof));
  HK_TRY(send(s->device, (rows + 1) * 4, f->begin, &s->force_begin));
  HK_TRY(send(s->device, entries * 4, f->signal, &s->force_signal));
  HK_TRY(send(s->device, entries * 8, f->coefficient, &s->force_coefficient));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->force_now));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->small[HK_FORCE_LAST]));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->small[HK_FORCE_WORK]));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->small[HK_FORCE_LOSS]));
cleanup:
  return status;
}

static int by_index(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

/* The force row of each dof of the motion rows; -1: none. */
static hk_status find_loaded(const hk_drive *drive, hk_index **out)
{
  const hk_sparse *m = &drive->motion;
  const hk_force_rows *f = &drive->force;
  const hk_index entries = m->begin[m->rows];
  const hk_status status = hk_get(out, entries);
  for (hk_index p = 0; status == HK_OK && p < entries; p++) {
    const hk_index *row =
        f->rows ? bsearch(&m->dof[p], f->dof, (size_t)f->rows, sizeof *f->dof, by_index) : NULL;
    (*out)[p] = row ? (hk_index)(row - f->dof) : -1;
  }
  return status;
}

static hk_status create_motions(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_sparse *m = &s->drive->motion;
  const hk_count rows = m->rows, entries = rows ? m->begin[rows] : 0;
  hk_index *loaded = NULL;
  if (!rows) return HK_OK;
  HK_TRY(find_loaded(s->drive, &loaded));
  HK_TRY(send(s->device, entries * 4, loaded, &s->motion_loaded));
  HK_TRY(send(s->device, (rows + 1) * 4, m->begin, &s->motion_begin));
  HK_TRY(send(s->device, entries * 4, m->dof, &s->motion_dof));
  HK_TRY(send(s->device, entries * 8, m->weight, &s->motion_weight));
  HK_TRY(send(s->device, rows * 4, s->drive->motion_signal, &s->motion_signal));
  HK_TRY(send(s->device, rows * 8, s->drive->motion_value, &s->motion_value));
  HK_TRY(send(s->device, rows * 8, s->drive->motion_base, &s->motion_base));
  HK_TRY(send(s->device, rows * 8, s->drive->motion_drift, &s->motion_drift));
  HK_TRY(hk_buffer_create(s->device, entries * 8, &s->small[HK_MOTION_LAST]));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->small[HK_MOTION_WORK]));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->small[HK_REACTION]));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &s->small[HK_MOTION_LOSS]));
cleanup:
  hk_free(&loaded);
  return status;
}

static hk_status create_kernels(hk_explicit *s)
{
  hk_status status = HK_OK;
  hk_kernel_desc desc = {.text = "vectors",
                         .double_precision = s->double_precision,
                         .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                    {"DAMPED", s->damped},
                                    {"DIM", s->space->components},
                                    {"FORM", (int)s->form}}};
  const char *const name[] = {"vectors_energy", "vectors_force", "vectors_motion",
                              "vectors_sample"};
  hk_kernel **const kernel[] = {&s->energy, &s->force, &s->motion, &s->sample};
  for (int i = 0; i < 4; i++) {
    desc.function = name[i];
    HK_TRY(hk_kernel_create(s->device, &desc, kernel[i]));
  }
  HK_TRY(hk_operator_bind(s->op, s->form, s->damped));
  HK_TRY(hk_operator_bind(s->op, HK_FORM_STORE, false));
cleanup:
  return status;
}

static hk_status create_table(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_count size = (hk_count)s->drive->signal_count * HK_TABLE_STEPS;
  s->table_first = -1;
  HK_TRY(hk_get(&s->table, size));
  HK_TRY(hk_buffer_create(s->device, size * 8, &s->table_buffer));
  for (int i = 0; i < HK_SMALL_COUNT; i++)
    if (s->small[i])
      HK_TRY(hk_buffer_create(s->device, hk_buffer_bytes(s->small[i]), &s->shadow[i]));
cleanup:
  return status;
}

hk_status hk_explicit_create(const hk_explicit_desc *desc, hk_explicit **out)
{
  hk_status status = HK_OK;
  hk_explicit *s = NULL;

  HK_TRY(hk_new(&s));
  s->op = desc->op, s->device = desc->op->desc.device, s->space = desc->op->desc.space;
  s->drive = desc->drive;
  s->double_precision = desc->op->desc.double_precision;
  s->form = s->double_precision || desc->positions ? HK_FORM_POSITIONS : HK_FORM_INCREMENTS;
  s->damped = desc->damping != NULL;
  s->dt = desc->dt, s->steps = desc->steps;
  HK_TRY(create_coefficients(s, desc));
  HK_TRY(create_vectors(s));
  HK_TRY(create_forces(s));
  HK_TRY(create_motions(s));
  HK_TRY(create_table(s));
  HK_TRY(create_kernels(s));
  HK_TRY(hk_watch_create(s, desc));
  *out = s, s = NULL;
cleanup:
  hk_explicit_destroy(&s);
  return status;
}

void hk_explicit_destroy(hk_explicit **solver)
{
  hk_explicit *s = *solver;
  if (!s) return;
  hk_buffer **const all[] = {&s->x[0],
                             &s->x[1],
                             &s->v,
                             &s->ku,
                             &s->b,
                             &s->a,
                             &s->half_mass,
                             &s->sums,
                             &s->force_dof,
                             &s->force_begin,
                             &s->force_signal,
                             &s->force_coefficient,
                             &s->force_now,
                             &s->motion_begin,
                             &s->motion_dof,
                             &s->motion_weight,
                             &s->motion_signal,
                             &s->motion_value,
                             &s->motion_base,
                             &s->motion_drift,
                             &s->motion_loaded,
                             &s->table_buffer};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
  for (int i = 0; i < HK_SMALL_COUNT; i++) {
    hk_buffer_destroy(&s->small[i]);
    hk_buffer_destroy(&s->shadow[i]);
  }
  hk_watch_destroy(s);
  hk_kernel_destroy(&s->energy);
  hk_kernel_destroy(&s->force);
  hk_kernel_destroy(&s->motion);
  hk_kernel_destroy(&s->sample);
  hk_free(&s->table);
  hk_free(&s->sums_host);
  hk_free(solver);
}

hk_count hk_explicit_plan(const hk_space *space, bool double_precision, bool damped)
{
  const hk_count real = double_precision ? 8 : 4, vectors = double_precision ? 3 : 4;
  return space->padded * real * (vectors * space->components + 2 + damped);
}

hk_status hk_explicit_load_table(hk_explicit *s)
{
  const hk_count first = s->n / HK_TABLE_STEPS * HK_TABLE_STEPS;
  if (s->table_first == first || !s->drive->signal_count) return HK_OK;
  const hk_count from =
      s->table_first >= 0 && first > s->table_first ? s->table_first + HK_TABLE_STEPS : 0;
  for (hk_count k = from; k <= first; k += HK_TABLE_STEPS)
    hk_drive_sample(s->drive, s->dt, k, HK_TABLE_STEPS, HK_TABLE_STEPS, s->table);
  s->table_first = first;
  return hk_buffer_write(s->table_buffer, 0, hk_buffer_bytes(s->table_buffer), s->table);
}

static hk_count chunks(hk_count rows)
{
  return (rows + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
}

static hk_status push_forces(hk_explicit *s, hk_buffer *next)
{
  const hk_index rows = s->drive->force.rows;
  const hk_argument argument[] = {hk_arg_buffer(next),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->b),
                                  hk_arg_buffer(s->a),
                                  hk_arg_buffer(s->force_dof),
                                  hk_arg_buffer(s->force_begin),
                                  hk_arg_buffer(s->force_signal),
                                  hk_arg_buffer(s->force_coefficient),
                                  hk_arg_buffer(s->table_buffer),
                                  hk_arg_buffer(s->x[s->now]),
                                  hk_arg_buffer(s->small[HK_FORCE_LAST]),
                                  hk_arg_buffer(s->small[HK_FORCE_WORK]),
                                  hk_arg_buffer(s->small[HK_FORCE_LOSS]),
                                  hk_arg_buffer(s->force_now),
                                  hk_arg_int(rows),
                                  hk_arg_int(HK_TABLE_STEPS),
                                  hk_arg_int((int)(s->n - s->table_first))};
  return hk_kernel_launch(s->force, 0, chunks(rows), argument, sizeof argument / sizeof *argument);
}

static hk_status hold_motions(hk_explicit *s, hk_buffer *next)
{
  const hk_index rows = s->drive->motion.rows;
  const hk_argument argument[] = {hk_arg_buffer(next),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->b),
                                  hk_arg_buffer(s->a),
                                  hk_arg_buffer(s->motion_begin),
                                  hk_arg_buffer(s->motion_dof),
                                  hk_arg_buffer(s->motion_weight),
                                  hk_arg_buffer(s->motion_signal),
                                  hk_arg_buffer(s->motion_value),
                                  hk_arg_buffer(s->motion_base),
                                  hk_arg_buffer(s->motion_drift),
                                  hk_arg_buffer(s->table_buffer),
                                  hk_arg_buffer(s->x[s->now]),
                                  hk_arg_buffer(s->small[HK_MOTION_LAST]),
                                  hk_arg_buffer(s->small[HK_REACTION]),
                                  hk_arg_buffer(s->small[HK_MOTION_WORK]),
                                  hk_arg_buffer(s->small[HK_MOTION_LOSS]),
                                  hk_arg_buffer(s->motion_loaded),
                                  hk_arg_buffer(s->force_now),
                                  hk_arg_buffer(s->small[HK_FORCE_LAST]),
                                  hk_arg_int(rows),
                                  hk_arg_int(HK_TABLE_STEPS),
                                  hk_arg_int((int)(s->n - s->table_first)),
                                  hk_arg_double((double)(s->n + 1) * s->dt)};
  return hk_kernel_launch(s->motion, 0, chunks(rows), argument, sizeof argument / sizeof *argument);
}

hk_status hk_explicit_bare_step(hk_explicit *s)
{
  hk_status status = HK_OK;
  hk_buffer *next = s->x[1 - s->now];
  HK_TRY(hk_explicit_load_table(s));
  HK_TRY(hk_operator_apply(s->op, &(hk_epilogue){.form = s->form,
                                                 .damped = s->damped,
                                                 .u = s->x[s->now],
                                                 .out = next,
                                                 .v = s->v,
                                                 .b = s->b,
                                                 .a = s->a,
                                                 .loss = s->small[HK_LOSS]}));
  if (s->drive->force.rows) HK_TRY(push_forces(s, next));
  if (s->drive->motion.rows) HK_TRY(hold_motions(s, next));
  s->now = 1 - s->now;
  s->n++;
cleanup:
  return status;
}

hk_status hk_explicit_advance(hk_explicit *s, hk_count to)
{
  hk_status status = HK_OK;
  while (s->n < to) {
    HK_TRY(hk_explicit_bare_step(s));
    HK_TRY(hk_watch_complete(s, s->n - 1));
    HK_TRY(hk_watch_begin(s));
  }
cleanup:
  return status;
}

static hk_status sum_buffer(const hk_buffer *buffer, double *sum)
{
  *sum = 0;
  if (!buffer) return HK_OK;
  const hk_count count = hk_buffer_bytes(buffer) / 8;
  double part[512];
  for (hk_count i = 0; i < count; i += 512) {
    const hk_count n = count - i < 512 ? count - i : 512;
    const hk_status status = hk_buffer_read(buffer, i * 8, n * 8, part);
    if (status != HK_OK) return status;
    for (hk_count k = 0; k < n; k++) *sum += part[k];
  }
  return HK_OK;
}

hk_status hk_explicit_totals(const hk_explicit *s, double *work, double *damping)
{
  hk_status status = HK_OK;
  double part[HK_SMALL_COUNT] = {0};
  HK_TRY(hk_device_finish(s->device));
  for (int i = 0; i < HK_SMALL_COUNT; i++) HK_TRY(sum_buffer(s->small[i], &part[i]));
  *work = part[HK_FORCE_WORK] + part[HK_MOTION_WORK];
  *damping = part[HK_LOSS] + part[HK_FORCE_LOSS] + part[HK_MOTION_LOSS];
cleanup:
  return status;
}

hk_status hk_explicit_energy_step(hk_explicit *s, hk_energy *energy)
{
  hk_status status = HK_OK;
  const hk_count count = hk_buffer_bytes(s->sums) / 8;

  HK_TRY(hk_operator_apply(s->op,
                           &(hk_epilogue){.form = HK_FORM_STORE, .u = s->x[s->now], .out = s->ku}));
  HK_TRY(hk_explicit_advance(s, s->n + 1));
  const hk_argument argument[] = {hk_arg_buffer(s->x[s->now]),     hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[1 - s->now]), hk_arg_buffer(s->ku),
                                  hk_arg_buffer(s->half_mass),     hk_arg_buffer(s->sums),
                                  hk_arg_int(s->space->padded)};
  HK_TRY(hk_kernel_launch(s->energy, 0, s->groups, argument, 7));
  HK_TRY(hk_device_finish(s->device));
  HK_TRY(hk_buffer_read(s->sums, 0, count * 8, s->sums_host));
  *energy = (hk_energy){.time = ((double)s->n - 0.5) * s->dt};
  for (hk_count i = 0; i < count; i += 2)
    energy->kinetic += s->sums_host[i], energy->strain += s->sums_host[i + 1];
  HK_TRY(hk_explicit_totals(s, &energy->work, &energy->damping));
cleanup:
  return status;
}
