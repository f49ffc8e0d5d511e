#include "solver/explicit/parts.h"
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

/* A and B of operator/epilogue.k.h, and half the mass over dt^2. */
typedef enum factor { A, B, HALF_MASS } factor;

/* Of internal node i; padding keeps still. */
static double factor_of(const hk_explicit *s, const hk_explicit_desc *desc, factor which,
                        hk_index i)
{
  const bool node = s->space->mesh_node[i] >= 0;
  const double c = desc->damping ? 0.5 * desc->damping[i] * s->dt : 0;
  if (which == A) return node ? (1 - c) / (1 + c) : 1;
  if (which == B) return node ? s->dt * s->dt / desc->mass[i] / (1 + c) : 1;
  return node ? desc->mass[i] / (2 * s->dt * s->dt) : 0;
}

/* *out [padded], written part by part. */
static hk_status create_factor(hk_explicit *s, const hk_explicit_desc *desc, factor which,
                               hk_buffer **out)
{
  hk_status status = HK_OK;
  const hk_index padded = s->space->padded;
  double *value = NULL;
  HK_TRY(hk_get(&value, HK_PART_REALS));
  HK_TRY(hk_buffer_create(s->device, (hk_count)padded * (s->double_precision ? 8 : 4), out));
  for (hk_index first = 0; first < padded; first += HK_PART_REALS) {
    const hk_index count = padded - first < HK_PART_REALS ? padded - first : HK_PART_REALS;
    for (hk_index k = 0; k < count; k++) value[k] = factor_of(s, desc, which, first + k);
    HK_TRY(hk_buffer_write_reals(*out, s->double_precision, first, count, value));
  }
cleanup:
  hk_free(&value);
  return status;
}

static hk_status create_factors(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  HK_TRY(create_factor(s, desc, HALF_MASS, &s->half_mass));
  HK_TRY(create_factor(s, desc, B, &s->b));
  if (s->damped) HK_TRY(create_factor(s, desc, A, &s->a));
cleanup:
  return status;
}

static hk_status create_vectors(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_count bytes =
      (hk_count)s->space->padded * s->space->components * s->shots * (s->double_precision ? 8 : 4);
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count losses = s->op->groups * s->shots * hk_loss_run(info);
  HK_TRY(hk_buffer_create(s->device, bytes, &s->x[0]));
  HK_TRY(hk_buffer_create(s->device, bytes, &s->x[1]));
  if (s->form == HK_FORM_INCREMENTS) HK_TRY(hk_buffer_create(s->device, bytes, &s->v));
  HK_TRY(hk_buffer_create(s->device, bytes, &s->ku));
  if (s->damped) HK_TRY(hk_buffer_create(s->device, losses * 8, &s->small[HK_LOSS]));
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

/* Where the rows of each shot begin; dof[rows]: ascending shots. */
static hk_status find_firsts(const hk_explicit *s, hk_index rows, const hk_index *begin,
                             const hk_index *dof, hk_index **first)
{
  const hk_index dofs = s->space->padded * s->space->components;
  const hk_status status = hk_get(first, s->shots + 1);
  if (status != HK_OK) return status;
  for (hk_index r = 0; r < rows; r++) (*first)[dof[begin ? begin[r] : r] / dofs + 1]++;
  for (int k = 0; k < s->shots; k++) (*first)[k + 1] += (*first)[k];
  return HK_OK;
}

static hk_status create_kernels(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_kernel_desc desc = {.text = "drive",
                               .function = "drive_step",
                               .threads = hk_drive_threads(hk_device_describe(s->device)),
                               .early = true,
                               .double_precision = s->double_precision,
                               .define = {{"CHUNK", HK_VECTOR_CHUNK},
                                          {"DAMPED", s->damped},
                                          {"DIM", s->space->components},
                                          {"FORM", (int)s->form},
                                          {"STEPS", HK_TABLE_STEPS}}};
  HK_TRY(hk_kernel_create(s->device, &desc, &s->after));
  hk_kernel_desc dashing = desc;
  dashing.function = "dashpots_step";
  if (s->dashpots) HK_TRY(hk_kernel_create(s->device, &dashing, &s->dashing));
  HK_TRY(hk_operator_bind(s->op, s->form, s->damped, s->shots));
  HK_TRY(hk_operator_bind(s->op, HK_FORM_STORE, false, s->shots));
cleanup:
  return status;
}

static hk_status create_shadows(hk_explicit *s)
{
  hk_status status = HK_OK;
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
  const hk_space *space = desc->op->desc.space;
  const hk_count dofs = (hk_count)space->padded * space->components;
  hk_index counted;

  HK_TRY(hk_narrow(dofs * (desc->shots ? desc->shots : 1), "degrees of freedom of all shots",
                   &counted)); /* kernels count them so */
  HK_TRY(hk_new(&s));
  s->op = desc->op, s->device = desc->op->desc.device, s->space = space;
  s->drive = desc->drive;
  s->double_precision = desc->op->desc.double_precision;
  s->form = s->double_precision || desc->positions ? HK_FORM_POSITIONS : HK_FORM_INCREMENTS;
  s->damped = desc->damping != NULL;
  s->dt = desc->dt, s->steps = desc->steps;
  s->shots = desc->shots ? desc->shots : 1;
  HK_TRY(find_firsts(s, s->drive->force.rows, NULL, s->drive->force.dof, &s->force_first));
  HK_TRY(find_firsts(s, s->drive->motion.rows, s->drive->motion.begin, s->drive->motion.dof,
                     &s->motion_first));
  HK_TRY(create_factors(s, desc));
  HK_TRY(create_vectors(s));
  HK_TRY(create_forces(s));
  HK_TRY(create_motions(s));
  HK_TRY(hk_dashpots_create(s, desc));
  HK_TRY(hk_layer_create(s, desc));
  HK_TRY(hk_drive_create(s));
  HK_TRY(hk_energy_create(s));
  HK_TRY(hk_integrals_create(s, desc));
  HK_TRY(create_kernels(s));
  HK_TRY(hk_watch_create(s, desc));
  HK_TRY(create_shadows(s));
  HK_TRY(hk_explicit_record(s));
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
                             &s->clock,
                             &s->table_buffer};
  for (int k = 0; k < HK_GRAPHS; k++) hk_graph_destroy(&s->graph[k]);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
  for (int i = 0; i < HK_SMALL_COUNT; i++) {
    hk_buffer_destroy(&s->small[i]);
    hk_buffer_destroy(&s->shadow[i]);
  }
  hk_watch_destroy(s);
  hk_energy_destroy(s);
  hk_dashpots_destroy(s);
  hk_layer_destroy(s);
  hk_kernel_destroy(&s->after);
  hk_kernel_destroy(&s->integrating);
  hk_free(&s->table);
  hk_free(&s->force_first);
  hk_free(&s->motion_first);
  hk_free(solver);
}

hk_count hk_explicit_plan(const hk_space *space, bool double_precision, bool damped, int shots)
{
  const hk_count real = double_precision ? 8 : 4, vectors = double_precision ? 3 : 4;
  return space->padded * real * (vectors * shots * space->components + 2 + damped);
}
