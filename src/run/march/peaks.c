/* Peak maps: the largest norm at every node over all steps, from the squares that the solver keeps (solver/explicit/peaks/peaks.c): of the displacement,
 * velocity (u_n+1 - u_n-1) / 2 dt and acceleration, their difference over dt^2, and of the pressure, minus the rate of the potential (S.6), as traces and
 * frames have them. Velocity and acceleration at the last step need the increment after it, which a trial step gives: they are added here. A
 * quantity is of one medium, and zero in the other.
 *
 * field_peak.vtkhdf (or .pvd with one .vtu) has its full size before the first step, and is filled when the last one was made; steps that only traces need
 * (dispersion) come after it. A restart before that makes the file anew; of shots, which have a frame each, it goes on with the file. */
#include "base/reals.h"
#include "run/march/march.h"
#include <math.h>

/* What is fetched: squares; of the last step the state as frames take it (frames.c). */
enum { SQUARE, U, BEFORE, AFTER, PARTS };

typedef struct maps {
  const hk_problem *problem;
  hk_team *solver; /* at the last step */
  hk_team_fetch *fetch[PARTS];
  const void *part[PARTS]; /* reals, but for the squares */
  int shot;                /* of the batch */
  double dt;
  float *values; /* [mesh node] */
} maps;

/* The square at the last step of what the kernel compares, of internal node i. */
static double square_at_end(const maps *m, hk_peak kind, hk_count i)
{
  const bool wide = m->problem->on.double_precision; /* keeps positions */
  const int c = m->problem->on.space->components;
  double sum = 0;
  for (hk_count o = i * c; o < (i + 1) * c; o++) {
    double before = hk_real_at(m->part[BEFORE], wide, o),
           after = hk_real_at(m->part[AFTER], wide, o);
    if (wide) {
      const double u = hk_real_at(m->part[U], wide, o);
      before = u - before, after -= u;
    }
    const double value = kind == HK_PEAK_VELOCITY ? before + after : after - before;
    sum += value * value;
  }
  return sum;
}

static void fill(const maps *m, hk_quantity quantity)
{
  const hk_space *space = m->problem->on.space;
  const hk_medium medium = quantity == HK_PRESSURE ? HK_FLUID : HK_SOLID;
  const hk_peak kind = hk_peak_of(quantity);
  const double *square = m->part[SQUARE], scale = kind == HK_PEAK_DISPLACEMENT ? 1
                                                  : kind == HK_PEAK_VELOCITY   ? 0.5 / m->dt
                                                                             : 1 / (m->dt * m->dt);
  for (hk_index i = 0; i < space->padded; i++) {
    const hk_index node = space->mesh_node[i];
    if (node < 0) continue;
    const bool there = hk_model_acts(m->problem->on.model, medium, node);
    const double end = there && kind & HK_PEAK_RATES ? square_at_end(m, kind, i) : 0;
    m->values[node] = there ? (float)(sqrt(fmax(square[i], end)) * scale) : 0;
  }
}

static hk_status take(maps *m, int part, hk_state_part of, bool next, hk_count bytes)
{
  const hk_problem *p = m->problem;
  if (!m->fetch[part])
    HK_PASS(hk_team_fetch_create(p->on.device, p->division, bytes, &m->fetch[part]));
  HK_PASS(hk_team_fetch_begin(m->solver, m->shot, of, next, m->fetch[part]));
  return hk_team_fetch_wait(m->fetch[part], &m->part[part]);
}

static hk_status take_end(maps *m)
{
  const bool positions = m->problem->on.double_precision;
  const hk_count bytes = hk_discretisation_bytes(&m->problem->on);
  if (positions) HK_PASS(take(m, U, HK_STATE_DISPLACEMENT, false, bytes));
  HK_PASS(take(m, BEFORE, HK_STATE_LAST, false, bytes));
  return take(m, AFTER, positions ? HK_STATE_DISPLACEMENT : HK_STATE_LAST, true, bytes);
}

static hk_state_part state_of(hk_peak kind)
{
  return kind == HK_PEAK_DISPLACEMENT ? HK_STATE_PEAK_DISPLACEMENT
         : kind == HK_PEAK_VELOCITY   ? HK_STATE_PEAK_VELOCITY
                                      : HK_STATE_PEAK_ACCELERATION;
}

/* The maps of a shot of the batch into frame `frame` of the file, which lanes of other shots share: `lock`. */
static hk_status write_shot(maps *m, pthread_mutex_t *lock, hk_count frame, hk_field_file *file)
{
  const hk_problem *p = m->problem;
  int number = 0;
  if (hk_peaks_kept(p) & HK_PEAK_RATES) HK_PASS(take_end(m));
  for (int q = 0; q < HK_QUANTITY_COUNT; q++) {
    if (!(p->on.model->step[0].peaks >> q & 1)) continue;
    HK_PASS(
        take(m, SQUARE, state_of(hk_peak_of((hk_quantity)q)), false, p->on.space->padded * 8LL));
    fill(m, (hk_quantity)q);
    pthread_mutex_lock(lock);
    const hk_status status = hk_field_file_write(file, frame, number++, m->values);
    pthread_mutex_unlock(lock);
    HK_PASS(status);
  }
  return HK_OK;
}

static hk_status write_maps(hk_march *s, double dt)
{
  hk_status status = HK_OK;
  maps m = {.problem = s->problem, .solver = s->solver, .dt = dt};
  HK_TRY(hk_get(&m.values, s->model->mesh->node_count));
  for (m.shot = 0; m.shot < s->shots.batch; m.shot++)
    HK_TRY(write_shot(&m, &s->queue->lock, s->shots.first + m.shot, s->files.peak));
  pthread_mutex_lock(&s->queue->lock);
  status = hk_field_file_flush(s->files.peak);
  pthread_mutex_unlock(&s->queue->lock);
cleanup:
  for (int k = 0; k < PARTS; k++) hk_team_fetch_destroy(&m.fetch[k]);
  hk_free(&m.values);
  return status;
}

static bool has_steps(const hk_march *s)
{
  const hk_march_checkpoint *c = &s->checkpoint;
  if (s->files.layouts.run.shots) return c->resumes;
  return c->resumes && c->head.step >= s->stage[s->stage_count - 1].steps;
}

hk_status hk_march_peaks_open(hk_march *s)
{
  hk_field_layout *layout = &s->files.layouts.peak;
  if (!layout->frames) return HK_OK;
  layout->beside = hk_device_describe(s->problem->on.device)->overlaps;
  return hk_field_file_open(s->session->desc->output, hk_session_wants_vtu(s->session),
                            has_steps(s), layout, &s->files.peak);
}

hk_status hk_march_peaks_write(hk_march *s, hk_count before)
{
  const hk_stage *stage = &s->stage[s->current];
  if (!s->files.peak || before >= stage->steps || hk_team_step(s->solver) < stage->steps)
    return HK_OK;
  return write_maps(s, stage->dt);
}
