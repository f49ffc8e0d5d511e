/* The excitation of a stage: rows of prescribed motions and of forces for each shot, from what acts
 * in every shot and what acts in one (run/acts/acts.h). Motion rows on one node are made
 * orthogonal: a row with the direction of an earlier one replaces it, and a row that is aslant to
 * rows at rest loses their part. Other motions that share nodes are refused. It also measures the
 * energy of one step of the full excitation, the scale below which energies are rounding. */
#include "run/explicit/stage.h"
#include <math.h>
#include <string.h>

typedef struct kept { /* a motion row of the excitation */
  hk_count row;       /* of the acts */
  hk_index next;      /* of the same node and across it, + 1; 0: none */
  bool follows;       /* it is such a one */
  bool used;          /* others rely on it to be at rest */
} kept;

typedef struct taking {
  const hk_problem *problem;
  hk_acts acts;
  kept *kept; /* kept[count] of all shots */
  hk_count count, room;
  hk_index *row_of_dof; /* of the shot: the first row kept on it, + 1; 0: none */
  hk_count own;         /* rows from here on are the shot's own */
} taking;

hk_status hk_stage_find_points(const hk_problem *problem, hk_stage *stage)
{
  hk_status status = HK_OK;
  const hk_step *step = stage->step;
  hk_shot *acts = NULL;
  HK_TRY(hk_get(&acts, 1 + step->shot_count));
  acts[0] = hk_step_acts(step);
  for (int k = 0; k < step->shot_count; k++) acts[1 + k] = step->shot[k];
  HK_TRY(hk_points_find(problem->on.model, problem->on.list, 1 + step->shot_count, acts,
                        &stage->points));
cleanup:
  hk_free(&acts);
  return status;
}

/* set: [mesh node], or NULL */
static bool is_of(const taking *t, const bool *set, hk_index dof)
{
  const hk_space *space = t->problem->on.space;
  const hk_index node = space->mesh_node[dof / space->components % space->padded];
  return set && node >= 0 && set[node];
}

static hk_status refuse(const taking *t, const hk_act_row *row, const char *words)
{
  return hk_model_error(t->problem->on.model, t->problem->on.list, row->place, HK_BAD_INPUT, "%s",
                        words);
}

static const char shared[] = "this motion shares nodes with another one: prescribe each node once";

/* Where no motion may act, or one along an axis alone. */
static hk_status check_place(const taking *t, const hk_act_row *row)
{
  const hk_index *dof = t->acts.dof.at + row->begin;
  const bool fixed = row->terms == 1 && row->signal < 0 && row->motion->component >= 0;
  for (hk_index k = 0; k < row->terms; k++)
    if (!fixed && is_of(t, t->problem->on_fsi, dof[k]))
      return refuse(t, row,
                    "this motion acts on nodes of a fluid-solid interface, which can only be fixed "
                    "along x, y, z: place it an element away");
  for (hk_index k = 0; k < row->terms; k++)
    if (row->terms > 1 && is_of(t, t->problem->in_layer, dof[k]))
      return refuse(t, row,
                    "a motion that couples several components or nodes acts on a node of the "
                    "perfectly matched layer: prescribe single components of nodes there");
  return HK_OK;
}

static const double tiny = 1e-12, parallel = 1e-6;

static const hk_act_row *row_kept(const taking *t, hk_index i)
{
  return &t->acts.row.at[t->kept[i - 1].row];
}

static bool one_node(const taking *t, const hk_act_row *r)
{
  const int components = t->problem->on.space->components;
  const hk_index *dof = t->acts.dof.at + r->begin;
  bool one = true;
  for (hk_index k = 1; k < r->terms; k++) one = one && dof[k] / components == dof[0] / components;
  return one;
}

static void direction_of(const taking *t, const hk_act_row *r, double w[3])
{
  w[0] = w[1] = w[2] = 0;
  for (hk_count k = r->begin; k < r->begin + r->terms; k++)
    w[t->acts.dof.at[k] % t->problem->on.space->components] = t->acts.weight.at[k];
}

/* other[*count]: the rows kept, + 1, that share degrees of freedom with a row, which is of one node as they are. HK_BAD_INPUT where one of
 * them is of several. Of one node there are at most three, for they are orthogonal. */
static hk_status find_others(const taking *t, const hk_act_row *r, hk_index other[3], int *count)
{
  const bool one = one_node(t, r);
  *count = 0;
  for (hk_count k = r->begin; k < r->begin + r->terms; k++)
    for (hk_index i = t->row_of_dof[t->acts.dof.at[k] - t->acts.first_dof]; i;
         i = t->kept[i - 1].next) {
      bool listed = false;
      if (!one || !one_node(t, row_kept(t, i))) return refuse(t, r, shared);
      for (int j = 0; j < *count; j++) listed = listed || other[j] == i;
      if (!listed) other[(*count)++] = i;
    }
  return HK_OK;
}

/* A row meets others of its node. Where one has the same direction it takes its place; where it is aslant to some, they are at rest, so that
 * they are taken out of it: along what is left the goal is the same. *done: its place was taken, or nothing is left. */
static hk_status meet(taking *t, hk_count row, int count, const hk_index other[3], bool *done)
{
  hk_act_row *r = &t->acts.row.at[row];
  const int components = t->problem->on.space->components;
  const hk_index first = t->acts.dof.at[r->begin] / components * components;
  double w[3], v[3], size = 0;
  bool aslant = false;
  direction_of(t, r, w);
  for (int j = 0; j < count && !*done; j++) {
    kept *k = &t->kept[other[j] - 1];
    double dot = 0;
    direction_of(t, &t->acts.row.at[k->row], v);
    for (int c = 0; c < 3; c++) dot += v[c] * w[c];
    *done = fabs(fabs(dot) - 1) <= tiny;
    if (fabs(dot) <= tiny) continue;
    if (*done ? k->used && r->signal >= 0 : t->acts.row.at[k->row].signal >= 0)
      return refuse(t, r, shared);
    if (*done && (k->row >= t->own) == (row >= t->own)) /* a shot's own replace those of all */
      hk_acts_tell_replaced(&t->acts, k->row, row, dot);
    if (*done) k->row = row;
    for (int c = 0; c < 3 && !*done; c++) w[c] -= dot * v[c];
    k->used = k->used || !*done, aslant = !*done;
  }
  if (!aslant) return HK_OK;
  for (int c = 0; c < 3; c++) size = hypot(size, w[c]);
  *done = size <= parallel;
  if (*done) return r->signal < 0 ? HK_OK : refuse(t, r, shared);
  for (int c = 0; c < 3; c++) w[c] /= size;
  r->value /= size;
  return hk_acts_aim(&t->acts, r, first, w);
}

static hk_status keep(taking *t, hk_count row)
{
  const hk_act_row *r = &t->acts.row.at[row];
  hk_index other[3], last = 0;
  int count;
  bool done = false;
  HK_PASS(check_place(t, r));
  HK_PASS(find_others(t, r, other, &count));
  if (count) HK_PASS(meet(t, row, count, other, &done));
  if (done) return HK_OK;
  HK_PASS(hk_reserve(&t->kept, t->count + 1, &t->room));
  t->kept[t->count++] = (kept){.row = row};
  for (hk_count k = r->begin; k < r->begin + r->terms; k++) {
    hk_index *first = &t->row_of_dof[t->acts.dof.at[k] - t->acts.first_dof];
    for (hk_index i = *first; i; i = t->kept[i - 1].next) last = i;
    if (!*first) *first = (hk_index)t->count;
  }
  t->kept[t->count - 1].follows = last > 0;
  if (last) t->kept[last - 1].next = (hk_index)t->count;
  return HK_OK;
}

/* Rows of the acts from `first` on are those of one shot. */
static hk_status keep_rows(taking *t, hk_count first)
{
  const hk_acts *a = &t->acts;
  if (first == a->row.count) return HK_OK;
  if (!t->row_of_dof) HK_PASS(hk_get(&t->row_of_dof, hk_discretisation_dofs(&t->problem->on)));
  for (hk_count r = first; r < a->row.count; r++) HK_PASS(keep(t, r));
  for (hk_count p = a->row.at[first].begin; p < a->dof.count; p++)
    t->row_of_dof[a->dof.at[p] - a->first_dof] = 0;
  return HK_OK;
}

/* What acts in every shot, and what acts in this one. */
static hk_status take_shot(taking *t, const hk_shot *every, const hk_shot *own)
{
  hk_acts *a = &t->acts;
  const hk_count first = a->row.count;
  HK_PASS(hk_acts_move(a, every->motion_count, every->motion));
  t->own = a->row.count;
  HK_PASS(hk_acts_move(a, own->motion_count, own->motion));
  HK_PASS(keep_rows(t, first));
  HK_PASS(hk_acts_push(a, every->load_count, every->load));
  return hk_acts_push(a, own->load_count, own->load);
}

static void put_row(const taking *t, const hk_act_row *row, hk_excitation *d)
{
  hk_index *end = &d->motion.begin[d->motion.rows + 1];
  *end = d->motion.begin[d->motion.rows];
  for (hk_index k = 0; k < row->terms; k++) {
    d->motion.dof[*end] = t->acts.dof.at[row->begin + k];
    d->motion.weight[(*end)++] = t->acts.weight.at[row->begin + k];
  }
  d->motion_signal[d->motion.rows] = row->signal;
  d->motion_value[d->motion.rows++] = row->value;
}

/* The rows that are kept, those of one node that share degrees of freedom side by side. */
static hk_status fill_motions(const taking *t, hk_excitation *d)
{
  HK_PASS(hk_narrow(t->count, "rows of motions", &(hk_index){0}));
  HK_PASS(hk_narrow(t->acts.dof.count, "entries of motions", &(hk_index){0}));
  HK_PASS(hk_get(&d->motion.begin, t->count + 1));
  HK_PASS(hk_get(&d->motion.dof, t->acts.dof.count));
  HK_PASS(hk_get(&d->motion.weight, t->acts.dof.count));
  HK_PASS(hk_get(&d->motion_signal, t->count));
  HK_PASS(hk_get(&d->motion_value, t->count));
  HK_PASS(hk_get(&d->motion_base, t->count));
  HK_PASS(hk_get(&d->motion_drift, t->count));
  for (hk_count i = 0; i < t->count; i++)
    for (hk_count k = t->kept[i].follows ? 0 : i + 1; k; k = t->kept[k - 1].next)
      put_row(t, &t->acts.row.at[t->kept[k - 1].row], d);
  return HK_OK;
}

static bool any_wave(const hk_shot *every, const hk_shot *own, int shots)
{
  bool any = false;
  for (int i = 0; i < every->load_count; i++) any = any || every->load[i].wave;
  for (int k = 0; own && k < shots; k++)
    for (int i = 0; i < own[k].load_count; i++) any = any || own[k].load[i].wave;
  return any;
}

/* *excitation: of `shots` shots, each with what acts in every one, and its own from own[] (NULL: nothing). */
static hk_status build(const hk_problem *problem, const hk_stage *stage, const hk_shot *every,
                       const hk_shot *own, int shots, hk_excitation *excitation)
{
  hk_status status = HK_OK;
  const hk_space *space = problem->on.space;
  const hk_shot none = {0};
  bool *absorbs = NULL;
  hk_acts_on on = {.model = problem->on.model,
                   .list = problem->on.list,
                   .space = space,
                   .fsi = problem->on_fsi,
                   .start = stage->start};
  taking t = {.problem = problem, .acts = {.on = &on, .points = &stage->points}};
  if (any_wave(every, own, shots)) HK_TRY(hk_stage_mark_absorbing(problem, &absorbs));
  on.absorbs = absorbs;
  for (int k = 0; k < shots; k++) {
    t.acts.first_dof = k * space->padded * space->components;
    HK_TRY(take_shot(&t, every, own ? &own[k] : &none));
  }
  HK_TRY(fill_motions(&t, excitation));
  HK_TRY(hk_force_rows_build(t.acts.force.at, t.acts.force.count, &excitation->motion,
                             &excitation->force));
  excitation->signal = t.acts.signal.at, t.acts.signal.at = NULL;
  excitation->signal_count = (int)t.acts.signal.count;
  excitation->tables = t.acts.pool, t.acts.pool = (hk_pool){0};
cleanup:
  hk_free(&absorbs);
  hk_acts_clear(&t.acts);
  hk_free(&t.kept);
  hk_free(&t.row_of_dof);
  return status;
}

/* Energy of one step of the full excitation: 1/2 m d^2 / dt^2 with d = dt^2 F / m, or with the prescribed displacement. */
hk_status hk_stage_measure(const hk_problem *problem, hk_stage *stage)
{
  const hk_excitation *d = &stage->excitation;
  const double dt = stage->dt, *mass = problem->mass;
  const int components = problem->on.space->components;
  const hk_index dofs = problem->on.space->padded * components;
  double **energy = &stage->energies.reference;
  const hk_status status = hk_pool_resize(&stage->pool, energy, stage->shots);
  if (status != HK_OK) return status;
  memset(*energy, 0, (size_t)stage->shots * sizeof **energy);
  for (hk_index r = 0; r < d->force.rows; r++) {
    double sum = 0;
    for (hk_index k = d->force.begin[r]; k < d->force.begin[r + 1]; k++)
      sum += fabs(d->force.coefficient[k]);
    const hk_index dof = d->force.dof[r];
    (*energy)[dof / dofs] += 0.5 * sum * sum * dt * dt / mass[dof % dofs / components];
  }
  for (hk_index r = 0; r < d->motion.rows; r++) {
    const hk_index dof = d->motion.dof[d->motion.begin[r]];
    if (d->motion_signal[r] < 0) continue;
    const double scale[] = {
        [HK_ROLE_DISPLACEMENT] = 0.01, [HK_ROLE_VELOCITY] = dt, [HK_ROLE_ACCELERATION] = dt * dt};
    const double u = d->motion_value[r] * scale[d->signal[d->motion_signal[r]].role];
    (*energy)[dof / dofs] += 0.5 * mass[dof % dofs / components] * u * u / (dt * dt);
  }
  return HK_OK;
}

hk_status hk_stage_take(hk_problem *problem, hk_count first, int shots, hk_stage *s)
{
  const hk_shot every = hk_step_acts(s->step);
  hk_excitation_clear(&s->excitation);
  s->first_shot = first, s->shots = shots;
  for (int w = 0; w < s->group_count; w++) s->group_output[w].written = 0;
  HK_PASS(build(problem, s, &every, s->step->shot_count ? s->step->shot + first : NULL, shots,
                &s->excitation));
  if (s->dt > 0) HK_PASS(hk_stage_measure(problem, s));
  return HK_OK;
}

hk_status hk_stage_hold_common(const hk_problem *problem, const hk_stage *stage,
                               hk_excitation *held)
{
  const hk_shot every = {.motion = stage->step->motion, .motion_count = stage->step->motion_count};
  return build(problem, stage, &every, NULL, 1, held);
}
