/* Dashpots on nodes: their blocks for dt, and what the device knows of them. The kernel is dashpots_step of solver/explicit/drive.k.h. */
#include "solver/explicit/parts.h"
#include <stdlib.h>
#include <string.h>

static int by_node(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

/* The dashpot on an internal node; -1: none. */
static hk_index find(const hk_dashpots *d, hk_index node)
{
  const hk_index *at = bsearch(&node, d->node, (size_t)d->count, sizeof node, by_node);
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
  const hk_sparse *m = &s->drive->motion;
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

/* s->resist [shots][count][dim][dim] = S = B C / (2 dt) */
static hk_status find_resistance(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  const hk_dashpots *d = desc->dashpots;
  const int dim = s->space->components;
  const hk_count block = dim * dim;
  HK_TRY(hk_get(&s->resist, s->shots * d->count * block));
  for (int k = 0; k < s->shots; k++)
    memcpy(s->resist + k * d->count * block, d->c, (size_t)(d->count * block) * sizeof *d->c);
  leave_held(s, d, s->resist);
  for (hk_count i = 0; i < s->shots * d->count; i++) {
    const hk_index node = d->node[i % d->count];
    const double c = desc->damping ? 0.5 * desc->damping[node] * s->dt : 0;
    for (int j = 0; j < block; j++)
      s->resist[i * block + j] *= 0.5 * s->dt / desc->mass[node] / (1 + c);
  }
cleanup:
  return status;
}

/* The upper triangles of G, in the solver's precision. */
static hk_status send_shares(hk_explicit *s)
{
  hk_status status = HK_OK;
  const int dim = s->space->components, pairs = dim * (dim + 1) / 2;
  const hk_count all = (hk_count)s->shots * s->dashpots;
  double *upper = NULL, g[9];
  HK_TRY(hk_get(&upper, all * pairs));
  for (hk_count i = 0, to = 0; i < all; i++) {
    share(dim, s->resist + i * dim * dim, g);
    for (int a = 0; a < dim; a++)
      for (int b = a; b < dim; b++) upper[to++] = 0.5 * (g[a * dim + b] + g[b * dim + a]);
  }
  HK_TRY(hk_buffer_create(s->device, all * pairs * (s->double_precision ? 8 : 4), &s->dash_share));
  HK_TRY(hk_buffer_write_reals(s->dash_share, s->double_precision, 0, all * pairs, upper));
cleanup:
  hk_free(&upper);
  return status;
}

hk_status hk_dashpots_create(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  const hk_dashpots *d = desc->dashpots;
  if (!d || !d->count) return HK_OK;
  const hk_count all = (hk_count)s->shots * d->count;
  hk_index unused;
  HK_TRY(hk_narrow(all * s->space->components, "dashpots of all shots", &unused));
  s->dashpots = d->count;
  HK_TRY(hk_get(&s->dash_at, d->count));
  memcpy(s->dash_at, d->node, (size_t)d->count * sizeof *d->node);
  HK_TRY(hk_buffer_create(s->device, (hk_count)d->count * 4, &s->dash_node));
  HK_TRY(hk_buffer_write(s->dash_node, 0, (hk_count)d->count * 4, d->node));
  HK_TRY(find_resistance(s, desc));
  HK_TRY(send_shares(s));
  HK_TRY(hk_drive_send_loaded(s, d->count, d->node, &s->dash_force, &s->dash_loaded));
  HK_TRY(hk_buffer_create(s->device, all * s->space->components * 8, &s->small[HK_DASH_LAST]));
  HK_TRY(hk_buffer_create(s->device, all * 8, &s->small[HK_DASH_LOSS]));
cleanup:
  return status;
}

hk_count hk_dashpot_dof(const hk_explicit *s, hk_count i)
{
  const int dim = s->space->components;
  const hk_count at = i / dim % s->dashpots, shot = i / dim / s->dashpots;
  return (shot * s->space->padded + s->dash_at[at]) * dim + i % dim;
}

void hk_dashpots_resist(const hk_explicit *s, int shot, const double *v0, const double *fading,
                        double *d)
{
  const int dim = s->space->components;
  for (hk_index i = 0; v0 && i < s->dashpots; i++) {
    const double *r = s->resist + ((hk_count)shot * s->dashpots + i) * dim * dim,
                 *v = v0 + (hk_count)s->dash_at[i] * dim;
    const double scale = 2 * s->dt / (1 + (fading ? fading[s->dash_at[i]] : 1));
    double *to = d + (hk_count)s->dash_at[i] * dim;
    for (int a = 0; a < dim; a++)
      for (int b = 0; b < dim; b++) to[a] += scale * r[a * dim + b] * v[b];
  }
}

hk_status hk_dashpots_set(hk_explicit *s, int shot, const double *d)
{
  hk_status status = HK_OK;
  const hk_count count = (hk_count)s->dashpots * s->space->components, first = shot * count,
                 origin = (hk_count)shot * s->space->padded * s->space->components;
  double *last = NULL;
  if (!count) return HK_OK;
  HK_TRY(hk_get(&last, count));
  for (hk_count i = 0; i < count; i++) last[i] = d[hk_dashpot_dof(s, first + i) - origin];
  HK_TRY(hk_buffer_write(s->small[HK_DASH_LAST], first * 8, count * 8, last));
cleanup:
  hk_free(&last);
  return status;
}

hk_status hk_dashpots_launch(hk_explicit *s, int from)
{
  const hk_count nodes = (hk_count)s->dashpots * s->shots;
  const hk_argument argument[] = {hk_arg_buffer(s->x[1 - from]),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[from]),
                                  hk_arg_buffer(s->b),
                                  hk_arg_buffer(s->a),
                                  hk_arg_buffer(s->dash_node),
                                  hk_arg_buffer(s->dash_share),
                                  hk_arg_buffer(s->dash_force),
                                  hk_arg_buffer(s->small[HK_DASH_LAST]),
                                  hk_arg_buffer(s->small[HK_DASH_LOSS]),
                                  hk_arg_buffer(s->force_now),
                                  hk_arg_buffer(s->small[HK_FORCE_LAST]),
                                  hk_arg_buffer(s->small[HK_FORCE_WORK]),
                                  hk_arg_int(s->dashpots),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded)};
  return hk_kernel_launch(s->dashing, 0, (nodes + s->group_rows - 1) / s->group_rows, argument,
                          sizeof argument / sizeof *argument);
}

void hk_dashpots_destroy(hk_explicit *s)
{
  hk_buffer_destroy(&s->dash_node);
  hk_buffer_destroy(&s->dash_share);
  hk_buffer_destroy(&s->dash_force);
  hk_kernel_destroy(&s->dashing);
  hk_free(&s->dash_at);
  hk_free(&s->resist);
}
