/* Dashpots on nodes: the force -C v of absorbing faces, implicit in its node. With S = B C / (2 dt), the increment
 * d becomes (1 + S)^-1 of what it would be without; the device reads G = (1 + S)^-1 S (W.18), a symmetric block per node, upper triangle.
 * Directions that motion rows hold are projected out of C (leave_held). The kernel is dashpots_step of solver/explicit/sources.k.h. */
#include "solver/explicit/parts.h"
#include "base/sort.h"
#include <stdlib.h>
#include <string.h>

typedef struct dashpots {
  hk_index count, *node; /* internal, ascending */
  /* resist[shots][count][components][components]: S of solver/explicit/sources.k.h */
  double *resist;
  hk_index *first;               /* first[shots + 1] */
  hk_buffer *at, *share, *force; /* nodes, G, force rows on their degrees of freedom */
  hk_buffer *last, *loss;        /* borrowed of the state */
  hk_kernel *kernel;
} dashpots;

/* The dashpot on an internal node; -1: none. */
static hk_index find(const hk_dashpots *d, hk_index node)
{
  const hk_index *at = bsearch(&node, d->node, (size_t)d->count, sizeof node, hk_compare_index);
  return at ? (hk_index)(at - d->node) : -1;
}

/* c <- P c P,  P = 1 - w w^T / |w|^2 */
static void take_out(int dim, double *c, const double *w)
{
  double size = 0;
  for (int i = 0; i < dim; i++) size += w[i] * w[i];
  for (int side = 0; side < 2 && size > 0; side++)
    for (int j = 0; j < dim; j++) {
      const int step = side ? 1 : dim, from = side ? j * dim : j; /* along a column, along a row */
      double along = 0;
      for (int i = 0; i < dim; i++) along += w[i] * c[from + i * step];
      for (int i = 0; i < dim; i++) c[from + i * step] -= w[i] * along / size;
    }
}

/* A dashpot does not act along what motion rows hold: there the row's own force has the last word. c [shots][count][dim][dim] */
static void leave_held(const hk_explicit *s, const hk_dashpots *d, double *c)
{
  const hk_sparse *m = &s->sources.excitation->motion;
  const int dim = s->space->components;
  const hk_index padded = s->space->padded;
  for (hk_index r = 0; r < m->rows; r++)
    for (hk_index p = m->begin[r], end; p < m->begin[r + 1];
         p = end) { /* a node's entries lie side by side */
      double w[3] = {0};
      for (end = p; end < m->begin[r + 1] && m->dof[end] / dim == m->dof[p] / dim; end++)
        w[m->dof[end] % dim] = m->weight[end];
      const hk_index at = find(d, m->dof[p] / dim % padded), shot = m->dof[p] / dim / padded;
      if (at >= 0) take_out(dim, c + ((hk_count)shot * d->count + at) * dim * dim, w);
    }
}

/* g = (1 + s)^-1 s (W.18) of a symmetric s >= 0, by elimination without pivots. */
static void share(int dim, const double *s, double *g)
{
  double a[9];
  memcpy(g, s, (size_t)(dim * dim) * sizeof *g);
  for (int i = 0; i < dim * dim; i++) a[i] = s[i] + (i % (dim + 1) == 0);
  for (int p = 0; p < dim; p++)
    for (int i = 0; i < dim; i++) {
      const double factor = a[i * dim + p] / a[p * dim + p];
      if (i == p) continue;
      for (int j = 0; j < dim; j++) {
        a[i * dim + j] -= factor * a[p * dim + j];
        g[i * dim + j] -= factor * g[p * dim + j];
      }
    }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) g[i * dim + j] /= a[i * dim + i];
}

/* resist [shots][count][dim][dim] = S = B C / (2 dt) */
static hk_status find_resistance(const hk_explicit *s, const hk_explicit_desc *desc, dashpots *own)
{
  const hk_dashpots *d = desc->dashpots;
  const int dim = s->space->components;
  const hk_count block = dim * dim;
  HK_PASS(hk_get(&own->resist, s->shots * d->count * block));
  for (int k = 0; k < s->shots; k++)
    memcpy(own->resist + k * d->count * block, d->c, (size_t)(d->count * block) * sizeof *d->c);
  leave_held(s, d, own->resist);
  for (hk_count i = 0; i < s->shots * d->count; i++) {
    const hk_index node = d->node[i % d->count];
    const double c = desc->damping ? 0.5 * desc->damping[node] * s->scheme.dt : 0;
    for (int j = 0; j < block; j++)
      own->resist[i * block + j] *= 0.5 * s->scheme.dt / desc->mass[node] / (1 + c);
  }
  return HK_OK;
}

/* The upper triangles of G, in the solver's precision. */
static hk_status send_shares(const hk_explicit *s, dashpots *own)
{
  hk_status status = HK_OK;
  const int dim = s->space->components, pairs = dim * (dim + 1) / 2;
  const hk_count all = (hk_count)s->shots * own->count;
  double *upper = NULL, g[9];
  HK_TRY(hk_get(&upper, all * pairs));
  for (hk_count i = 0, to = 0; i < all; i++) {
    share(dim, own->resist + i * dim * dim, g);
    for (int a = 0; a < dim; a++)
      for (int b = a; b < dim; b++) upper[to++] = 0.5 * (g[a * dim + b] + g[b * dim + a]);
  }
  HK_TRY(hk_buffer_create(s->device, all * pairs * (s->double_precision ? 8 : 4), &own->share));
  HK_TRY(hk_buffer_write_reals(own->share, s->double_precision, 0, all * pairs, upper));
cleanup:
  hk_free(&upper);
  return status;
}

static hk_status send_loaded(const hk_explicit *s, hk_term *term, dashpots *own)
{
  hk_status status = HK_OK;
  const hk_count all = (hk_count)s->shots * own->count * s->space->components;
  hk_index *loaded = NULL;
  HK_CHECK(!own->count || own->node[own->count - 1] < hk_space_rows(s->space), HK_BAD_INPUT,
           "a dashpot acts on a node of another part: give it to that part alone");
  HK_TRY(hk_get(&loaded, all));
  hk_explicit_place(term, own->count, own->node);
  term->loaded = hk_sources_find_loaded(s, own->count, own->node, loaded);
  HK_TRY(hk_explicit_send(s, all * 4, loaded, &own->force));
cleanup:
  hk_free(&loaded);
  return status;
}

static hk_status add_state(hk_explicit *s, dashpots *own)
{
  const hk_count all = (hk_count)s->shots * own->count;
  HK_PASS(hk_get(&own->first, s->shots + 1));
  for (int k = 0; k < s->shots; k++) own->first[k + 1] = own->first[k] + own->count;
  HK_PASS(hk_state_add(&s->state, s->device, "increments at dashpots", HK_ARRAY_TRIAL,
                       all * s->space->components * 8, &own->last));
  HK_PASS(
      hk_state_add(&s->state, s->device, "loss in dashpots", HK_ARRAY_TRIAL, all * 8, &own->loss));
  return hk_sum_add(s, &(hk_sum){.kind = HK_SUM_LOSS,
                                 .array = own->loss,
                                 .first = own->first,
                                 .number = own->node,
                                 .period = own->count});
}

static hk_status create(hk_term *term, const hk_explicit_desc *desc)
{
  hk_explicit *s = term->solver;
  const hk_dashpots *d = desc->dashpots;
  dashpots *own = NULL;
  hk_index unused;
  if (!d || !d->count) return HK_OK;
  HK_PASS(hk_narrow((hk_count)s->shots * d->count * s->space->components, "dashpots of all shots",
                    &unused));
  HK_PASS(hk_new(&own));
  term->data = own;
  own->count = d->count;
  HK_PASS(hk_get(&own->node, d->count));
  memcpy(own->node, d->node, (size_t)d->count * sizeof *d->node);
  HK_PASS(hk_explicit_send(s, (hk_count)d->count * 4, d->node, &own->at));
  HK_PASS(find_resistance(s, desc, own));
  HK_PASS(send_shares(s, own));
  HK_PASS(send_loaded(s, term, own));
  HK_PASS(add_state(s, own));
  return hk_explicit_kernel(s, "dashpots_step", hk_sources_threads(hk_device_describe(s->device)),
                            0, 0, &own->kernel);
}

/* d += 2 dt S v0 / (1 + A) */
static void begin(const hk_term *term, int shot, const double *v0, const double *fading, double *d)
{
  const hk_explicit *s = term->solver;
  const dashpots *own = term->data;
  const int dim = s->space->components;
  for (hk_index i = 0; v0 && i < own->count; i++) {
    const double *r = own->resist + ((hk_count)shot * own->count + i) * dim * dim,
                 *v = v0 + (hk_count)own->node[i] * dim;
    const double scale = 2 * s->scheme.dt / (1 + (fading ? fading[own->node[i]] : 1));
    double *to = d + (hk_count)own->node[i] * dim;
    for (int a = 0; a < dim; a++)
      for (int b = 0; b < dim; b++) to[a] += scale * r[a * dim + b] * v[b];
  }
}

static hk_status set(hk_term *term, int shot, const double *d)
{
  const dashpots *own = term->data;
  return hk_explicit_send_last(term->solver, shot, own->count, own->node, d, own->last);
}

static hk_status launch(const hk_term *term, int from)
{
  const hk_explicit *s = term->solver;
  const dashpots *own = term->data;
  const hk_index rows = s->sources.group_rows;
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[1 - from]),
                                  hk_arg_buffer(s->vector.v),
                                  hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.b),
                                  hk_arg_buffer(s->vector.a),
                                  hk_arg_buffer(own->at),
                                  hk_arg_buffer(own->share),
                                  hk_arg_buffer(own->force),
                                  hk_arg_buffer(own->last),
                                  hk_arg_buffer(own->loss),
                                  hk_arg_buffer(s->sources.change),
                                  hk_arg_int(s->sources.excitation->force.rows),
                                  hk_arg_int(own->count),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded)};
  return hk_kernel_launch(own->kernel, 0, ((hk_count)own->count * s->shots + rows - 1) / rows,
                          argument, sizeof argument / sizeof *argument);
}

static void destroy(hk_term *term)
{
  dashpots *own = term->data;
  hk_buffer_destroy(&own->at);
  hk_buffer_destroy(&own->share);
  hk_buffer_destroy(&own->force);
  hk_kernel_destroy(&own->kernel);
  hk_free(&own->node);
  hk_free(&own->first);
  hk_free(&own->resist);
}

const hk_term_kind hk_term_dashpots = {.name = "dashpots",
                                       .phase = HK_PHASE_FORCES,
                                       .create = create,
                                       .begin = begin,
                                       .set = set,
                                       .launch = launch,
                                       .destroy = destroy};
