/* The key of a checkpoint: one hash for each part of the model that a restart must match (mesh,
 * materials, loads, signals, time step ...). If keys differ, the message names the parts that
 * differ, without those that only follow from others. The last parts, end, traces and frames, may
 * change (carry.c). Numbers are hashed one by one, because structures may have padding. */
#include "run/march/march.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(part) (1u << HK_KEY_##part)

/* follows: of parts that differ because of those; then these alone are told. */
static const struct {
  const char *name;
  unsigned follows;
} parts[HK_KEY_PARTS] = {
    [HK_KEY_PRECISION] = {"precision", 0},
    [HK_KEY_METHOD] = {"method or element order", 0},
    [HK_KEY_MESH] = {"mesh", 0},
    [HK_KEY_NUMBERING] = {"numbering of the nodes (device or blocks)",
                          BIT(PRECISION) | BIT(METHOD) | BIT(MESH)},
    [HK_KEY_MATERIALS] = {"materials", BIT(MESH)},
    [HK_KEY_SPRINGS] = {"springs", BIT(MESH)},
    [HK_KEY_MASS] = {"mass", BIT(MESH) | BIT(NUMBERING) | BIT(MATERIALS)},
    [HK_KEY_ABSORB] = {"absorbing boundaries", BIT(MESH) | BIT(NUMBERING) | BIT(MATERIALS)},
    [HK_KEY_DAMPING] = {"damping", BIT(MESH) | BIT(NUMBERING) | BIT(MATERIALS) | BIT(ABSORB)},
    [HK_KEY_INITIAL] = {"initial values", BIT(MESH)},
    [HK_KEY_SIGNALS] = {"signals", 0},
    [HK_KEY_LOADS] = {"loads", BIT(MESH) | BIT(NUMBERING) | BIT(MATERIALS)},
    [HK_KEY_MOTIONS] = {"prescribed motions", BIT(MESH) | BIT(NUMBERING)},
    [HK_KEY_STEP] = {"time step", BIT(MESH) | BIT(METHOD) | BIT(MATERIALS) | BIT(SPRINGS) |
                                      BIT(MASS) | BIT(ABSORB) | BIT(DAMPING) | BIT(DURATION)},
    [HK_KEY_DURATION] = {"lengths of the steps before the last", 0},
    [HK_KEY_SHOTS] = {"number of shots", 0},
    [HK_KEY_PEAKS] = {"peak maps", 0},
    [HK_KEY_END] = {"end time", 0},
    [HK_KEY_TRACES] = {"traces", BIT(MESH) | BIT(NUMBERING) | BIT(STEP)},
    [HK_KEY_FRAMES] = {"frames of fields", BIT(STEP) | BIT(END)}};

/* Numbers are hashed one by one: structures may have holes. */
static void add(uint64_t *key, const void *data, hk_count bytes)
{
  if (bytes > 0) *key = hk_hash_large(data, (size_t)bytes, *key);
}

static void add_integers(uint64_t *key, int count, const int64_t *number)
{
  add(key, number, count * (hk_count)sizeof *number);
}

static void add_mesh(uint64_t *key, const hk_model *model)
{
  const hk_mesh *mesh = model->mesh;
  add_integers(key, 3, (int64_t[]){mesh->dim, mesh->node_count, mesh->element_count});
  add(key, mesh->x, mesh->node_count * mesh->dim * 8);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    add_integers(key, 1, (int64_t[]){block->shape});
    add(key, block->node, block->count * block->nodes * (hk_count)sizeof *block->node);
  }
}

/* Constants are in global axes; the material's part of the damping is in that of the nodes. */
static void add_region(uint64_t *key, const hk_region *region)
{
  add(key, region->material.c, sizeof region->material.c);
  add(key, (double[]){region->material.bulk, region->material.density, region->thickness}, 3 * 8);
  add_integers(key, 2, (int64_t[]){region->plane, region->integration});
  if (!region->material.law) return;
  add(key, region->material.law, (hk_count)strlen(region->material.law));
  add(key, region->material.constant, sizeof region->material.constant);
}

static void add_materials(uint64_t *key, const hk_model *model)
{
  for (int r = 0; r < model->region_count; r++) add_region(key, &model->region[r]);
  add(key, model->element_region,
      model->mesh->element_count * (hk_count)sizeof *model->element_region);
}

static void add_initial(uint64_t *key, const hk_initial *v)
{
  add_integers(key, 4, (int64_t[]){v->kind, v->component, v->medium, v->target.count});
  add(key, &v->value, sizeof v->value);
  add(key, v->target.item, v->target.count * (hk_count)sizeof *v->target.item);
  if (v->values) add(key, v->values, v->target.count * 8);
}

/* Of what a signal is, wherever it lies in memory. */
static uint64_t hash_signal(const hk_signal *s)
{
  uint64_t key = 0;
  add_integers(&key, 4, (int64_t[]){s->kind, s->hann, s->smooth, s->count});
  add(&key, (double[]){s->frequency, s->cycles, s->t0, s->a, s->period, s->scale}, 6 * 8);
  if (s->time) add(&key, s->time, s->count * 8);
  add(&key, s->value, s->count * 8);
  return key;
}

typedef struct named { /* row `row` of the sampled table has that signal */
  const hk_signal *signal;
  int row;
} named;

static int by_signal(const void *a, const void *b)
{
  const uintptr_t x = (uintptr_t)((const named *)a)->signal,
                  y = (uintptr_t)((const named *)b)->signal;
  return (x > y) - (x < y);
}

/* hash[signal_count] of the signals of the rows: each is read once, though thousands of rows (a plane wave on a surface, a fault) share a table. */
static hk_status hash_signals(const hk_excitation *d, uint64_t *hash)
{
  hk_status status = HK_OK;
  named *row = NULL;
  HK_TRY(hk_get(&row, d->signal_count));
  for (int i = 0; i < d->signal_count; i++) row[i] = (named){d->signal[i].signal, i};
  if (d->signal_count) qsort(row, (size_t)d->signal_count, sizeof *row, by_signal);
  for (int i = 0; i < d->signal_count; i++) {
    const bool same = i && row[i].signal == row[i - 1].signal;
    hash[row[i].row] = same ? hash[row[i - 1].row] : row[i].signal ? hash_signal(row[i].signal) : 0;
  }
cleanup:
  hk_free(&row);
  return status;
}

static hk_status add_signals(uint64_t *key, const hk_excitation *d)
{
  hk_status status = HK_OK;
  uint64_t *hash = NULL;
  HK_TRY(hk_get(&hash, d->signal_count));
  HK_TRY(hash_signals(d, hash));
  add_integers(key, 1, (int64_t[]){d->signal_count});
  for (int i = 0; i < d->signal_count; i++) {
    const hk_source_signal *s = &d->signal[i];
    add_integers(key, 2, (int64_t[]){s->role, s->signal != NULL});
    add(key, &s->start, sizeof s->start);
  }
  add(key, hash, d->signal_count * (hk_count)sizeof *hash);
cleanup:
  hk_free(&hash);
  return status;
}

static void add_sparse(uint64_t *key, const hk_sparse *s)
{
  const hk_count entries = s->rows ? s->begin[s->rows] : 0;
  add_integers(key, 1, (int64_t[]){s->rows});
  if (s->rows) add(key, s->begin, (s->rows + 1) * (hk_count)sizeof *s->begin);
  add(key, s->dof, entries * (hk_count)sizeof *s->dof);
  add(key, s->weight, entries * 8);
}

static void add_forces(uint64_t *key, const hk_force_rows *f)
{
  const hk_count entries = f->rows ? f->begin[f->rows] : 0;
  add_integers(key, 1, (int64_t[]){f->rows});
  if (f->rows) add(key, f->begin, (f->rows + 1) * (hk_count)sizeof *f->begin);
  add(key, f->dof, f->rows * (hk_count)sizeof *f->dof);
  add(key, f->signal, entries * (hk_count)sizeof *f->signal);
  add(key, f->coefficient, entries * 8);
}

static hk_status add_excitation(uint64_t *key, const hk_excitation *d)
{
  uint64_t *motions = &key[HK_KEY_MOTIONS];
  HK_PASS(add_signals(&key[HK_KEY_SIGNALS], d));
  add_forces(&key[HK_KEY_LOADS], &d->force);
  add_sparse(motions, &d->motion);
  add(motions, d->motion_signal, d->motion.rows * (hk_count)sizeof *d->motion_signal);
  add(motions, d->motion_value, d->motion.rows * 8);
  return HK_OK;
}

static void add_traces(uint64_t *key, const hk_stage *t)
{
  add_integers(key, 1, (int64_t[]){t->group_count});
  add_sparse(key, &t->receivers);
  for (int w = 0; w < t->group_count; w++)
    add_integers(key, 5,
                 (int64_t[]){t->receiver_group[w].first_row, t->receiver_group[w].rows,
                             t->receiver_group[w].kind, t->receiver_group[w].every,
                             t->group_output[w].every});
}

static hk_status add_stage(uint64_t *key, const hk_stage *t, bool last)
{
  add(&key[HK_KEY_STEP], &t->dt, sizeof t->dt);
  add(&key[last ? HK_KEY_END : HK_KEY_DURATION], &t->step->duration, sizeof t->step->duration);
  add_integers(&key[HK_KEY_SIGNALS], 1, (int64_t[]){t->kept == NULL}); /* filtered */
  HK_PASS(add_excitation(key, &t->excitation));
  add_traces(&key[HK_KEY_TRACES], t);
  add_integers(&key[HK_KEY_FRAMES], 1, (int64_t[]){t->frames.count});
  add(&key[HK_KEY_FRAMES], t->frames.step, t->frames.count * (hk_count)sizeof *t->frames.step);
  return HK_OK;
}

/* The excitations of the shots after the first, which add_stage has. */
static hk_status add_shots(uint64_t *key, hk_march *s)
{
  for (hk_count k = 1; k < s->shots.all; k++) {
    HK_PASS(hk_stage_take(s->problem, k, 1, &s->stage[0]));
    HK_PASS(add_excitation(key, &s->stage[0].excitation));
  }
  return HK_OK;
}

static void add_absorb(uint64_t *key, const hk_problem *p)
{
  const hk_dashpots *d = &p->dashpots;
  const int components = p->on.space->components;
  add_integers(key, 2, (int64_t[]){d->count, p->pml.stretch != NULL});
  add(key, d->node, d->count * (hk_count)sizeof *d->node);
  add(key, d->c, (hk_count)d->count * components * components * 8);
  if (!p->pml.stretch) return;
  add(key, p->pml.stretch, p->on.model->mesh->node_count * p->on.model->mesh->dim * 8);
  add(key, p->pml.held, p->on.model->mesh->node_count * (hk_count)sizeof *p->pml.held);
  add(key, &p->pml.alpha, sizeof p->pml.alpha);
}

static void add_problem(uint64_t *key, const hk_problem *p)
{
  const hk_space *space = p->on.space;
  add_integers(&key[HK_KEY_PRECISION], 1, (int64_t[]){p->on.double_precision});
  add(&key[HK_KEY_METHOD], p->on.kind->name, (hk_count)strlen(p->on.kind->name));
  add_mesh(&key[HK_KEY_MESH], p->on.model);
  add_integers(&key[HK_KEY_NUMBERING], 2,
               (int64_t[]){space->patch, hk_device_describe(p->on.device)->width});
  add(&key[HK_KEY_NUMBERING], space->mesh_node, space->padded * (hk_count)sizeof *space->mesh_node);
  if (p->on.op && p->on.op->state) /* of laws, as operator/spectral/spectral.k.h lays it out: 2 */
    add_integers(&key[HK_KEY_NUMBERING], 3,
                 (int64_t[]){2, p->on.op->state, p->on.op->state_batches});
  add_materials(&key[HK_KEY_MATERIALS], p->on.model);
  hk_terms_hash(&p->on.terms, &key[HK_KEY_SPRINGS]);
  add(&key[HK_KEY_MASS], p->mass, space->padded * 8);
  if (p->damping) add(&key[HK_KEY_DAMPING], p->damping, space->padded * 8);
  if (p->relaxing.count)
    add(&key[HK_KEY_DAMPING], p->relaxing.rate, p->relaxing.begin[p->relaxing.count] * 8LL);
  add_absorb(&key[HK_KEY_ABSORB], p);
}

hk_status hk_march_key(hk_march *s, uint64_t key[HK_KEY_PARTS])
{
  memset(key, 0, HK_KEY_PARTS * sizeof *key);
  add_problem(key, s->problem);
  for (int i = 0; i < s->model->initial.count; i++)
    add_initial(&key[HK_KEY_INITIAL], &s->model->initial.at[i]);
  add_integers(&key[HK_KEY_DURATION], 1, (int64_t[]){s->stage_count});
  for (int i = 0; i < s->stage_count; i++)
    HK_PASS(add_stage(key, &s->stage[i], i == s->stage_count - 1));
  add_integers(&key[HK_KEY_SHOTS], 1, (int64_t[]){s->files.layouts.run.shots});
  add_integers(&key[HK_KEY_PEAKS], 1, (int64_t[]){s->model->step[0].peaks});
  return add_shots(key, s);
}

bool hk_march_outputs_differ(const uint64_t a[HK_KEY_PARTS], const uint64_t b[HK_KEY_PARTS])
{
  return memcmp(a + HK_KEY_END, b + HK_KEY_END, (HK_KEY_PARTS - HK_KEY_END) * sizeof *a) != 0;
}

bool hk_march_differs(const uint64_t a[HK_KEY_PARTS], const uint64_t b[HK_KEY_PARTS], char *words,
                      size_t size)
{
  unsigned differ = 0;
  size_t at = 0;
  for (int k = 0; k < HK_KEY_END; k++)
    if (a[k] != b[k]) differ |= 1u << k;
  words[0] = 0;
  for (int k = 0; k < HK_KEY_END && at < size; k++)
    if ((differ >> k & 1) && !(differ & parts[k].follows))
      at += (size_t)snprintf(words + at, size - at, "%s%s", at ? ", " : "", parts[k].name);
  return differ != 0;
}
