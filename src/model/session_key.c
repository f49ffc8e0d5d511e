#include "model/session.h"
#include <string.h>

/* Numbers are hashed one by one: structures may have holes. */
static void add(uint64_t *key, const void *data, hk_count bytes)
{
  if (bytes > 0) *key = hk_hash(data, (size_t)bytes, *key);
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
  for (int r = 0; r < model->region_count; r++) {
    const hk_region *region = &model->region[r];
    add(key, region->material.c, sizeof region->material.c);
    add(key, &region->material.bulk, sizeof region->material.bulk);
    add_integers(key, 1, (int64_t[]){region->plane});
    add(key, &region->thickness, sizeof region->thickness);
  }
  for (hk_count k = 0; k < model->spring_count; k++) {
    add(key, model->spring[k].node, sizeof model->spring[k].node);
    add(key, model->spring[k].k, sizeof model->spring[k].k);
  }
  add(key, model->element_region, mesh->element_count * (hk_count)sizeof *model->element_region);
}

static void add_initial(uint64_t *key, const hk_initial *v)
{
  add_integers(key, 4, (int64_t[]){v->kind, v->component, v->medium, v->target.count});
  add(key, &v->value, sizeof v->value);
  add(key, v->target.item, v->target.count * (hk_count)sizeof *v->target.item);
  if (v->values) add(key, v->values, v->target.count * 8);
}

static void add_signal(uint64_t *key, const hk_drive_signal *d)
{
  const hk_signal *s = d->signal;
  add_integers(key, 2, (int64_t[]){d->role, s != NULL});
  add(key, &d->start, sizeof d->start);
  if (!s) return;
  add_integers(key, 4, (int64_t[]){s->kind, s->hann, s->smooth, s->count});
  add(key, (double[]){s->frequency, s->cycles, s->t0, s->a, s->period, s->scale}, 6 * 8);
  add(key, s->time, s->count * 8);
  add(key, s->value, s->count * 8);
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

static void add_drive(uint64_t *key, const hk_drive *d)
{
  add_integers(key, 1, (int64_t[]){d->signal_count});
  for (int i = 0; i < d->signal_count; i++) add_signal(key, &d->signal[i]);
  add_forces(key, &d->force);
  add_sparse(key, &d->motion);
  add(key, d->motion_signal, d->motion.rows * (hk_count)sizeof *d->motion_signal);
  add(key, d->motion_value, d->motion.rows * 8);
}

static void add_stage(uint64_t *key, const hk_stage *t)
{
  add(key, &t->dt, sizeof t->dt);
  add_integers(key, 3, (int64_t[]){t->steps, t->watch_count, t->frame_count});
  add_drive(key, &t->drive);
  add_sparse(key, &t->receivers);
  for (int w = 0; w < t->watch_count; w++)
    add_integers(
        key, 4,
        (int64_t[]){t->watch[w].first_row, t->watch[w].rows, t->watch[w].kind, t->watch[w].every});
  add(key, t->frame, t->frame_count * (hk_count)sizeof *t->frame);
}

/* The drives of the shots after the first, which add_stage has. */
static hk_status add_shots(uint64_t *key, hk_session *s)
{
  hk_status status = HK_OK;
  for (hk_count k = 1; k < s->shots; k++) {
    HK_TRY(hk_stage_take(s->problem, k, 1, s->list, &s->stage[0]));
    add_drive(key, &s->stage[0].drive);
  }
cleanup:
  return status;
}

hk_status hk_session_key(hk_session *s, uint64_t *out)
{
  hk_status status = HK_OK;
  const hk_problem *p = s->problem;
  uint64_t key = hk_hash(p->kind->name, strlen(p->kind->name), 0);
  add_integers(&key, 4,
               (int64_t[]){p->double_precision, p->space->patch, s->stage_count,
                           hk_device_describe(p->device)->width});
  add_mesh(&key, s->model);
  add(&key, p->space->mesh_node, p->space->padded * (hk_count)sizeof *p->space->mesh_node);
  add(&key, p->mass, p->space->padded * 8);
  if (p->damping) add(&key, p->damping, p->space->padded * 8);
  const hk_dashpots *d = &p->dashpots;
  const int components = p->space->components;
  add_integers(&key, 1, (int64_t[]){d->count});
  if (p->pml.stretch) {
    add(&key, p->pml.stretch, p->model->mesh->node_count * p->model->mesh->dim * 8);
    add(&key, p->pml.held, p->model->mesh->node_count * (hk_count)sizeof *p->pml.held);
    add(&key, &p->pml.alpha, sizeof p->pml.alpha);
  }
  add(&key, d->node, d->count * (hk_count)sizeof *d->node);
  add(&key, d->c, (hk_count)d->count * components * components * 8);
  for (int i = 0; i < s->model->initial_count; i++) add_initial(&key, &s->model->initial[i]);
  for (int i = 0; i < s->stage_count; i++) add_stage(&key, &s->stage[i]);
  add_integers(&key, 1, (int64_t[]){s->layouts.run.shots});
  HK_TRY(add_shots(&key, s));
  *out = key;
cleanup:
  return status;
}
