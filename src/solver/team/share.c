/* What a part takes of the description of a whole model. A row of forces, a dashpot or a motion belongs to the owner of its (first) node, a receiver to
 * that of the first node that it reads: the others are then its ghosts. Rows keep the order of the whole, but for forces and
 * dashpots, which ascend in the part's own numbers. */
#include "solver/team/parts.h"
#include <stdlib.h>
#include <string.h>

typedef struct taking {
  const hk_explicit_desc *desc;
  const hk_division *division;
  int part;
  hk_index components, padded, own_padded, own_rows;
  hk_share *out;
} taking;

static hk_index number_of(const taking *t, hk_index node)
{
  return hk_division_number(t->division, t->part, node);
}

static bool owns(const taking *t, hk_index node)
{
  const hk_index own = number_of(t, node);
  return own >= 0 && own < t->own_rows;
}

static hk_index node_of(const taking *t, hk_index dof)
{
  return dof / t->components % t->padded;
}

/* The same degree of freedom of the same shot in the part. */
static hk_index dof_of(const taking *t, hk_index dof)
{
  const hk_index shot = dof / t->components / t->padded;
  return (shot * t->own_padded + number_of(t, node_of(t, dof))) * t->components +
         dof % t->components;
}

typedef struct place {
  hk_index own, whole;
} place;

static int compare(const void *p, const void *q)
{
  const place *a = p, *b = q;
  return (a->own > b->own) - (a->own < b->own);
}

static hk_status take_forces(const taking *t)
{
  hk_status status = HK_OK;
  const hk_force_rows *from = &t->desc->excitation->force;
  hk_force_rows *to = &t->out->excitation.force;
  place *at = NULL;
  HK_TRY(hk_get(&at, from->rows));
  for (hk_index r = 0; r < from->rows; r++)
    if (owns(t, node_of(t, from->dof[r]))) at[to->rows++] = (place){dof_of(t, from->dof[r]), r};
  qsort(at, (size_t)to->rows, sizeof *at, compare);
  const hk_index entries = from->rows ? from->begin[from->rows] : 0;
  HK_TRY(hk_pool_get(&t->out->pool, &t->out->force, to->rows));
  HK_TRY(hk_pool_get(&t->out->pool, &to->dof, to->rows));
  HK_TRY(hk_pool_get(&t->out->pool, &to->begin, to->rows + 1));
  HK_TRY(hk_pool_get(&t->out->pool, &to->signal, entries));
  HK_TRY(hk_pool_get(&t->out->pool, &to->coefficient, entries));
  for (hk_index r = 0, used = 0; r < to->rows; r++) {
    t->out->force[r] = at[r].whole, to->dof[r] = at[r].own;
    for (hk_index k = from->begin[at[r].whole]; k < from->begin[at[r].whole + 1]; k++)
      to->signal[used] = from->signal[k], to->coefficient[used++] = from->coefficient[k];
    to->begin[r + 1] = used;
  }
cleanup:
  hk_free(&at);
  return status;
}

static hk_status get_motions(const taking *t, const hk_excitation *from, hk_excitation *to)
{
  hk_pool *pool = &t->out->pool;
  const hk_index rows = from->motion.rows, entries = rows ? from->motion.begin[rows] : 0;
  HK_PASS(hk_pool_get(pool, &t->out->motion, rows));
  HK_PASS(hk_pool_get(pool, &t->out->motion_entry, entries));
  HK_PASS(hk_pool_get(pool, &to->motion.begin, rows + 1));
  HK_PASS(hk_pool_get(pool, &to->motion.dof, entries));
  HK_PASS(hk_pool_get(pool, &to->motion.weight, entries));
  HK_PASS(hk_pool_get(pool, &to->motion_signal, rows));
  HK_PASS(hk_pool_get(pool, &to->motion_value, rows));
  HK_PASS(hk_pool_get(pool, &to->motion_base, rows));
  return hk_pool_get(pool, &to->motion_drift, rows);
}

static hk_status take_motions(const taking *t)
{
  const hk_excitation *from = t->desc->excitation;
  hk_excitation *to = &t->out->excitation;
  const hk_sparse *m = &from->motion;
  hk_index used = 0;
  HK_PASS(get_motions(t, from, to));
  for (hk_index r = 0; r < m->rows; r++) {
    const hk_index row = to->motion.rows;
    if (!owns(t, node_of(t, m->dof[m->begin[r]]))) continue;
    for (hk_index k = m->begin[r]; k < m->begin[r + 1]; k++) {
      HK_NEED(owns(t, node_of(t, m->dof[k])), HK_BAD_INPUT,
              "a prescribed motion holds nodes of two devices together: give one device");
      t->out->motion_entry[used] = k;
      to->motion.dof[used] = dof_of(t, m->dof[k]), to->motion.weight[used++] = m->weight[k];
    }
    t->out->motion[row] = r;
    to->motion_signal[row] = from->motion_signal[r], to->motion_value[row] = from->motion_value[r];
    to->motion_base[row] = from->motion_base[r], to->motion_drift[row] = from->motion_drift[r];
    to->motion.begin[++to->motion.rows] = used;
  }
  return HK_OK;
}

/* Signals are sampled by each part for itself; filtered values are shared. */
static hk_status take_signals(const taking *t)
{
  const hk_excitation *from = t->desc->excitation;
  hk_excitation *to = &t->out->excitation;
  to->signal_count = from->signal_count;
  HK_PASS(hk_pool_get(&t->out->pool, &to->signal, from->signal_count));
  if (from->signal_count)
    memcpy(to->signal, from->signal, (size_t)from->signal_count * sizeof *from->signal);
  return HK_OK;
}

static hk_status take_dashpots(const taking *t)
{
  hk_status status = HK_OK;
  const hk_dashpots *from = t->desc->dashpots;
  hk_dashpots *to = &t->out->dashpots;
  const hk_count block = (hk_count)t->components * t->components;
  place *at = NULL;
  if (!from) return HK_OK;
  HK_TRY(hk_get(&at, from->count));
  for (hk_index k = 0; k < from->count; k++)
    if (owns(t, from->node[k])) at[to->count++] = (place){number_of(t, from->node[k]), k};
  qsort(at, (size_t)to->count, sizeof *at, compare);
  HK_TRY(hk_pool_get(&t->out->pool, &t->out->dashpot, to->count));
  HK_TRY(hk_pool_get(&t->out->pool, &to->node, to->count));
  HK_TRY(hk_pool_get(&t->out->pool, &to->c, to->count * block));
  for (hk_index k = 0; k < to->count; k++) {
    t->out->dashpot[k] = at[k].whole, to->node[k] = at[k].own;
    memcpy(to->c + k * block, from->c + at[k].whole * block, (size_t)block * sizeof *to->c);
  }
cleanup:
  hk_free(&at);
  return status;
}

/* Rows that read nothing belong to the first part. */
static bool records(const taking *t, hk_index row)
{
  const hk_sparse *r = t->desc->receivers;
  return r->begin[row] == r->begin[row + 1] ? t->part == 0
                                            : owns(t, r->dof[r->begin[row]] / t->components);
}

static hk_status take_row(const taking *t, hk_index row, bool rate)
{
  const hk_sparse *from = t->desc->receivers;
  hk_sparse *to = &t->out->receivers;
  hk_index used = to->begin[to->rows];
  for (hk_index k = from->begin[row]; k < from->begin[row + 1]; k++) {
    const hk_index node = from->dof[k] / t->components, own = number_of(t, node);
    HK_NEED(own >= 0, HK_BAD_INPUT,
            "a receiver reads nodes that its device does not have: give one device");
    t->out->rates = t->out->rates || (rate && own >= t->own_rows);
    to->dof[used] = own * t->components + from->dof[k] % t->components;
    to->weight[used++] = from->weight[k];
  }
  if (t->out->of_rate) t->out->of_rate[to->rows] = t->desc->of_rate[row];
  t->out->row[to->rows] = row;
  to->begin[++to->rows] = used;
  return HK_OK;
}

static hk_count most_entries(const hk_explicit_desc *desc)
{
  hk_count sum = 0;
  for (int g = 0; g < desc->group_count; g++) {
    const hk_receiver_group *w = &desc->receiver_group[g];
    sum += desc->receivers->begin[w->first_row + w->rows] - desc->receivers->begin[w->first_row];
  }
  return sum;
}

/* Rows group by group; a row of several groups is taken for each. */
static hk_status take_receivers(const taking *t)
{
  const hk_explicit_desc *desc = t->desc;
  hk_share *out = t->out;
  const int shots = desc->shots ? desc->shots : 1;
  hk_count rows = 0;
  if (!desc->group_count) return HK_OK;
  for (int g = 0; g < desc->group_count; g++) rows += desc->receiver_group[g].rows;
  const hk_count entries = most_entries(desc);
  HK_PASS(hk_pool_get(&out->pool, &out->group, desc->group_count));
  HK_PASS(hk_pool_get(&out->pool, &out->group_row, desc->group_count + 1));
  HK_PASS(hk_pool_get(&out->pool, &out->row, rows));
  if (desc->of_rate) HK_PASS(hk_pool_get(&out->pool, &out->of_rate, rows));
  HK_PASS(hk_pool_get(&out->pool, &out->receivers.begin, rows + 1));
  HK_PASS(hk_pool_get(&out->pool, &out->receivers.dof, entries));
  HK_PASS(hk_pool_get(&out->pool, &out->receivers.weight, entries));
  for (int g = 0; g < desc->group_count; g++) {
    const hk_receiver_group *w = &desc->receiver_group[g];
    out->group_row[g] = out->receivers.rows;
    for (hk_index r = w->first_row; r < w->first_row + w->rows; r++)
      if (records(t, r)) HK_PASS(take_row(t, r, w->kind != HK_RECEIVER_DISPLACEMENT));
    out->group[g] = *w;
    out->group[g].first_row = out->group_row[g];
    out->group[g].rows = out->receivers.rows - out->group_row[g];
    out->group[g].room = hk_receiver_room((hk_count)w->rows * shots);
  }
  out->group_row[desc->group_count] = out->receivers.rows;
  return HK_OK;
}

void hk_share_vector(const hk_division *division, int part, int components, const double *whole,
                     double *values)
{
  const hk_part *p = division->part[part].part;
  const hk_index count = p->rows + p->ghosts;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < count; i++)
    for (int c = 0; c < components; c++)
      values[(hk_count)i * components + c] = whole[(hk_count)p->whole[i] * components + c];
}

static hk_status take_nodes(const taking *t)
{
  const hk_division_part *p = &t->division->part[t->part];
  hk_share *out = t->out;
  HK_PASS(hk_pool_get(&out->pool, &out->mass, t->own_padded));
  hk_share_vector(t->division, t->part, 1, t->desc->mass, out->mass);
  for (hk_index i = p->part->rows + p->part->ghosts; i < t->own_padded; i++) out->mass[i] = 1;
  if (!t->desc->damping) return HK_OK;
  HK_PASS(hk_pool_get(&out->pool, &out->damping, t->own_padded));
  hk_share_vector(t->division, t->part, 1, t->desc->damping, out->damping);
  return HK_OK;
}

hk_status hk_share_create(const hk_explicit_desc *desc, const hk_division *division, int part,
                          hk_share *out)
{
  const hk_space *own = division->part[part].space;
  const taking t = {.desc = desc,
                    .division = division,
                    .part = part,
                    .components = own->components,
                    .padded = division->whole->padded,
                    .own_padded = own->padded,
                    .own_rows = hk_space_rows(own),
                    .out = out};
  out->rates = division->part[part].rates;
  HK_PASS(take_nodes(&t));
  HK_PASS(take_signals(&t));
  HK_PASS(take_forces(&t));
  HK_PASS(take_motions(&t));
  HK_PASS(take_dashpots(&t));
  return take_receivers(&t);
}
