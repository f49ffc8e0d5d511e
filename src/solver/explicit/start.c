/* The state of step 0 from u_0 and v_0: the increment d- before the first step, that the integrator asks for (W.7).
 * That takes one product K~ u_0. Motion rows hold the increment (hold_increment), terms add theirs; where u_0 and v_0 are zero only
 * nodes that forces act on are written. hk_explicit_continue starts from a state of an earlier run instead. */
#include "solver/explicit/parts.h"
#include <string.h>

typedef struct range { /* of nodes of a shot */
  hk_index first, end;
} range;

static range every_node(const hk_explicit *s)
{
  return (range){0, s->space->padded};
}

static hk_status write_nodes(const hk_explicit *s, int shot, range nodes, hk_buffer *to,
                             const double *values)
{
  const hk_count first = (hk_count)nodes.first * s->space->components,
                 count = (hk_count)(nodes.end - nodes.first) * s->space->components;
  return hk_buffer_write_reals(to, s->double_precision, shot * hk_explicit_dofs(s) + first, count,
                               values + first);
}

/* The last increment lies in v, or is the difference of the two positions. */
static hk_status write_last_increment(hk_explicit *s, int shot, range nodes, const double *u,
                                      double *increment)
{
  const int c = s->space->components;
  if (s->scheme.form == HK_FORM_INCREMENTS)
    return write_nodes(s, shot, nodes, s->vector.v, increment);
  for (hk_count i = (hk_count)nodes.first * c; i < (hk_count)nodes.end * c; i++)
    increment[i] = u[i] - increment[i];
  return write_nodes(s, shot, nodes, s->vector.x[1 - s->now], increment);
}

static void add_forces(const hk_explicit *s, int shot, double *f)
{
  const hk_force_rows *rows = &s->sources.excitation->force;
  for (hk_index r = s->sources.force_first[shot]; r < s->sources.force_first[shot + 1]; r++)
    for (hk_index k = rows->begin[r]; k < rows->begin[r + 1]; k++)
      f[rows->dof[r] - shot * hk_explicit_dofs(s)] +=
          rows->coefficient[k] * s->sources.table[(hk_count)rows->signal[k] * HK_TABLE_STEPS];
}

/* Motion rows move with dt v_0 along themselves:  d_j += B_j weight_j (sum weight (dt v_0 - d)) / sum weight^2 B */
static void hold_increment(const hk_explicit *s, int shot, const double *v0, const double *b,
                           double *d)
{
  const hk_sparse *m = &s->sources.excitation->motion;
  const int c = s->space->components;
  for (hk_index r = s->sources.motion_first[shot]; r < s->sources.motion_first[shot + 1]; r++) {
    double missing = 0, compliance = 0;
    for (hk_index p = m->begin[r]; p < m->begin[r + 1]; p++) {
      const hk_count j = m->dof[p] - shot * hk_explicit_dofs(s);
      missing += m->weight[p] * ((v0 ? s->scheme.dt * v0[j] : 0) - d[j]);
      compliance += m->weight[p] * m->weight[p] * b[j / c];
    }
    for (hk_index p = m->begin[r]; p < m->begin[r + 1]; p++) {
      const hk_count j = m->dof[p] - shot * hk_explicit_dofs(s);
      d[j] += b[j / c] * m->weight[p] * missing / compliance;
    }
  }
}

static void widen(range *r, hk_index i)
{
  if (i < r->first) r->first = i;
  if (i >= r->end) r->end = i + 1;
}

/* Nodes of a shot that are driven. */
static range loaded_nodes(const hk_explicit *s, int shot)
{
  const hk_force_rows *f = &s->sources.excitation->force;
  const hk_sparse *m = &s->sources.excitation->motion;
  const int c = s->space->components;
  range r = {s->space->padded, 0};
  for (hk_index k = s->sources.force_first[shot]; k < s->sources.force_first[shot + 1]; k++)
    widen(&r, (hk_index)((f->dof[k] - shot * hk_explicit_dofs(s)) / c));
  for (hk_index k = s->sources.motion_first[shot]; k < s->sources.motion_first[shot + 1]; k++)
    for (hk_index p = m->begin[k]; p < m->begin[k + 1]; p++)
      widen(&r, (hk_index)((m->dof[p] - shot * hk_explicit_dofs(s)) / c));
  return r.end ? r : (range){0, 0};
}

/* d- = u_0 - u_-1. For central differences it gives u_1 = u_0 + dt v_0 + dt^2/2 a_0:  d- = (2 dt (1 + S) v_0 - B (F_0 - K u_0)) / (1 + A) (W.7), S of
 * dashpots.
 * v0, ku: NULL for zero; where both are d is zero but for driven nodes, and the others are not touched. */
static hk_status find_increment(hk_explicit *s, int shot, const double *v0, const double *ku,
                                double *d)
{
  hk_status status = HK_OK;
  const int c = s->space->components;
  const range nodes = v0 || ku ? every_node(s) : loaded_nodes(s, shot);
  const hk_index count = nodes.end - nodes.first;
  double *a = NULL, *b = NULL;
  HK_TRY(hk_get(&a, s->space->padded));
  HK_TRY(hk_get(&b, s->space->padded));
  HK_TRY(
      hk_buffer_read_reals(s->vector.b, s->double_precision, nodes.first, count, b + nodes.first));
  if (s->vector.a)
    HK_TRY(hk_buffer_read_reals(s->vector.a, s->double_precision, nodes.first, count,
                                a + nodes.first));
  for (hk_count i = (hk_count)nodes.first * c; i < (hk_count)nodes.end * c; i++)
    d[i] = ku ? -ku[i] : 0;
  add_forces(s, shot, d);
  for (hk_count i = (hk_count)nodes.first * c; i < (hk_count)nodes.end * c; i++) {
    const double damping = s->vector.a ? a[i / c] : 1;
    d[i] = s->scheme.integrator->first(s->scheme.dt, v0 ? v0[i] : 0, b[i / c] * d[i], damping);
  }
  for (int k = 0; k < HK_TERMS; k++)
    if (s->term[k].data && s->term[k].kind->begin)
      s->term[k].kind->begin(&s->term[k], shot, v0, s->vector.a ? a : NULL, d);
  hold_increment(s, shot, v0, b, d);
cleanup:
  hk_free(&a);
  hk_free(&b);
  return status;
}

/* State of a shot at step 0: u, and the last increment d, which is overwritten, of these nodes; the others have both already. */
static hk_status set_shot(hk_explicit *s, int shot, range nodes, const double *u, double *d)
{
  HK_PASS(write_nodes(s, shot, nodes, s->vector.x[0], u));
  HK_PASS(hk_sources_set(s, shot, d));
  for (int k = 0; k < HK_TERMS; k++)
    if (s->term[k].data && s->term[k].kind->set)
      HK_PASS(s->term[k].kind->set(&s->term[k], shot, d));
  return write_last_increment(s, shot, nodes, u, d);
}

/* The states are those of step 0; the increments at ghosts, which take forces there, come from the other parts. */
static hk_status begin(hk_explicit *s)
{
  HK_PASS(hk_explicit_exchange(s, s->vector.v ? s->vector.v : s->vector.x[1 - s->now]));
  HK_PASS(hk_sources_set_clock(s));
  return hk_explicit_follow(s, 1 - s->now, HK_TASK_BEGIN);
}

hk_status hk_explicit_start(hk_explicit *s, const double *u0, const double *v0)
{
  hk_status status = HK_OK;
  double *ku = NULL, *d = NULL, *zero = NULL;
  const bool zeros = !s->touched && !u0 && !v0;

  s->n = s->sources.table_end = 0, s->now = 0, s->finished = false, s->touched = true;
  HK_TRY(hk_get(&d, hk_explicit_dofs(s)));
  HK_TRY(hk_sources_load(s, 1));
  if (u0) {
    HK_TRY(hk_get(&ku, hk_explicit_dofs(s)));
    HK_TRY(write_nodes(s, 0, every_node(s), s->vector.x[0], u0));
    HK_TRY(s->scheme.integrator->multiply(s, 1, s->vector.x[0], s->vector.ku));
    HK_TRY(hk_device_finish(s->device));
    HK_TRY(hk_buffer_read_reals(s->vector.ku, s->double_precision, 0, hk_explicit_dofs(s), ku));
  } else {
    HK_TRY(hk_get(&zero, hk_explicit_dofs(s)));
  }
  for (int k = 0; k < s->shots; k++) {
    if (k) memset(d, 0, (size_t)hk_explicit_dofs(s) * sizeof *d);
    HK_TRY(find_increment(s, k, v0, ku, d));
    HK_TRY(set_shot(s, k, zeros ? loaded_nodes(s, k) : every_node(s), u0 ? u0 : zero, d));
  }
  HK_TRY(begin(s));
cleanup:
  hk_free(&ku);
  hk_free(&d);
  hk_free(&zero);
  return status;
}

hk_status hk_explicit_continue(hk_explicit *s, const double *u, const double *increment)
{
  hk_status status = HK_OK;
  double *d = NULL;
  s->n = s->sources.table_end = 0, s->now = 0, s->finished = false, s->touched = true;
  HK_TRY(hk_get(&d, hk_explicit_dofs(s)));
  HK_TRY(hk_sources_load(s, 1));
  for (int k = 0; k < s->shots; k++) {
    memcpy(d, increment + k * hk_explicit_dofs(s), (size_t)hk_explicit_dofs(s) * sizeof *d);
    HK_TRY(set_shot(s, k, every_node(s), u + k * hk_explicit_dofs(s), d));
  }
  HK_TRY(begin(s));
cleanup:
  hk_free(&d);
  return status;
}
