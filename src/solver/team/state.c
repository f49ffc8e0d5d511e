/* States of the whole model from those of its parts, and back. A saved state is two vectors [shots][padded][components] of reals, then arrays of doubles
 * (solver/explicit/arrays.c): losses of K's groups, of forces and motions, of dashpots, integrals of fluids, and of receivers their integrals
 * and rings, in this order. Each array is a list of sections here, of which a table says where each number of a part lies in the whole. */
#include "solver/team/parts.h"
#include <string.h>

static int shots_of(const hk_team *t)
{
  return t->desc.shots ? t->desc.shots : 1;
}

static hk_count real_of(const hk_team *t)
{
  return t->division->part[t->first].op->desc.double_precision ? 8 : 4;
}

static hk_count vector_bytes(const hk_team *t, const hk_space *space)
{
  return (hk_count)space->padded * space->components * real_of(t) * shots_of(t);
}

/* Doubles of a part in the order in which it saves them: at[count] their places among those of the whole; -1: they have none. */
typedef struct places {
  hk_pool pool;
  HK_LIST(hk_count) at;
  hk_count whole; /* so many doubles of the whole come before the next section */
} places;

static hk_status add(places *p, hk_count whole)
{
  HK_PASS(hk_pool_more(&p->pool, &p->at));
  p->at.at[p->at.count++] = p->whole + whole;
  return HK_OK;
}

/* A double that the whole does not have. */
static hk_status add_none(places *p)
{
  HK_PASS(hk_pool_more(&p->pool, &p->at));
  p->at.at[p->at.count++] = -1;
  return HK_OK;
}

/* `each` numbers for each of own[count]; all: of the whole. */
static hk_status add_rows(places *p, hk_count all, int each, hk_index count, const hk_index *own)
{
  for (hk_index r = 0; r < count; r++)
    for (int c = 0; c < each; c++) HK_PASS(add(p, (hk_count)own[r] * each + c));
  p->whole += all * each;
  return HK_OK;
}

/* Groups of K in a part: those of elements, if it is numbered by them, then those of patches. */
static hk_index element_groups(const hk_division_part *p)
{
  return p->part->units + p->part->again;
}

/* The group of the whole; -1: of elements that count in another part. */
static hk_count whole_group(const hk_team *t, const hk_division_part *p, hk_index g)
{
  const hk_space *whole = t->division->whole;
  const hk_index elements = element_groups(p);
  if (g >= elements)
    return hk_space_runs(whole) - hk_space_flat_runs(whole) + p->part->patch[g - elements];
  return g < p->part->units ? p->part->unit[g] : -1;
}

hk_count hk_team_losses(const hk_team *t)
{
  hk_count each = 0; /* a part may have none */
  for (int i = t->first; i < t->first + t->own; i++) {
    const hk_division_part *any = &t->division->part[i];
    const hk_index groups = element_groups(any) + any->part->patches;
    if (groups) each = any->op->groups / groups;
  }
  return each;
}

static hk_status add_losses(const hk_team *t, int k, places *p)
{
  const hk_division_part *part = &t->division->part[k];
  const hk_count run = (hk_count)shots_of(t) * hk_loss_run(hk_device_describe(part->device));
  const hk_count each = t->losses;
  if (!t->desc.damping || !each) return HK_OK;
  for (hk_count g = 0; g < part->op->groups; g++) {
    const hk_count whole = whole_group(t, part, (hk_index)(g / each));
    for (hk_count i = 0; i < run; i++)
      HK_PASS(whole < 0 ? add_none(p) : add(p, (whole * each + g % each) * run + i));
  }
  p->whole += hk_space_runs(t->division->whole) * each * run;
  return HK_OK;
}

static hk_status add_changes(const hk_team *t, int k, places *p)
{
  enum { OF_FORCES = 4, OF_MOTIONS = 5 };
  const hk_share *own = &t->share[k];
  const hk_excitation *all = t->desc.excitation;
  const hk_sparse *motion = &own->excitation.motion;
  for (int i = 0; i < OF_FORCES; i++)
    HK_PASS(add_rows(p, all->force.rows, 1, own->excitation.force.rows, own->force));
  for (int i = 0; i < OF_MOTIONS; i++)
    HK_PASS(add_rows(p, all->motion.rows, 1, motion->rows, own->motion));
  return add_rows(p, all->motion.rows ? all->motion.begin[all->motion.rows] : 0, 1,
                  motion->rows ? motion->begin[motion->rows] : 0, own->motion_entry);
}

/* Increments of each shot, then losses of each. */
static hk_status add_dashpots(const hk_team *t, int k, places *p)
{
  const hk_share *own = &t->share[k];
  const hk_count all = t->desc.dashpots ? t->desc.dashpots->count : 0;
  const int components = t->division->whole->components;
  for (int i = 0; i < 2; i++)
    for (int shot = 0; shot < shots_of(t); shot++)
      HK_PASS(add_rows(p, all, i ? 1 : components, own->dashpots.count, own->dashpot));
  return HK_OK;
}

/* Of each node its own number; ghosts are integrated by their owner. */
static hk_status add_integrals(const hk_team *t, int k, places *p)
{
  const hk_division_part *part = &t->division->part[k];
  const hk_index rows = part->part->rows, padded = t->division->whole->padded;
  for (int shot = 0; shot < shots_of(t) && t->desc.integrals; shot++) {
    for (hk_index i = 0; i < part->space->padded; i++)
      HK_PASS(i < rows ? add(p, part->part->whole[i]) : add_none(p));
    p->whole += padded;
  }
  return HK_OK;
}

/* Whether a solver of these receivers keeps integrals of theirs (solver/explicit/receivers.c). */
static bool integrates(const hk_team *t, const hk_receiver_group *group, const bool *of_rate)
{
  bool any = false;
  for (int g = 0; of_rate && g < t->desc.group_count; g++)
    for (hk_index r = 0; r < group[g].rows && group[g].kind == HK_RECEIVER_DISPLACEMENT; r++)
      any = any || of_rate[group[g].first_row + r];
  return any;
}

/* One of each line, which is a row of a group, and shot. */
static hk_status add_receiver_integrals(const hk_team *t, int k, places *p)
{
  const hk_share *own = &t->share[k];
  const bool some = integrates(t, own->group, own->of_rate);
  hk_count lines = 0;
  if (!integrates(t, t->desc.receiver_group, t->desc.of_rate)) return HK_OK;
  for (int g = 0; g < t->desc.group_count; g++) lines += t->desc.receiver_group[g].rows;
  for (int shot = 0; shot < shots_of(t) && some; shot++) {
    hk_count first = shot * lines;
    for (int g = 0; g < t->desc.group_count; g++) {
      const hk_receiver_group *w = &t->desc.receiver_group[g];
      for (hk_index r = own->group_row[g]; r < own->group_row[g + 1]; r++)
        HK_PASS(add(p, first + own->row[r] - w->first_row));
      first += w->rows;
    }
  }
  p->whole += lines * shots_of(t);
  return HK_OK;
}

static hk_status add_rings(const hk_team *t, int k, places *p)
{
  const hk_share *own = &t->share[k];
  const int shots = shots_of(t);
  for (int g = 0; g < t->desc.group_count; g++) {
    const hk_receiver_group *w = &t->desc.receiver_group[g];
    const hk_count lines = own->group[g].room * shots;
    for (hk_count i = 0; i < lines; i++)
      for (hk_index r = own->group_row[g]; r < own->group_row[g + 1]; r++)
        HK_PASS(add(p, i * w->rows + own->row[r] - w->first_row));
    p->whole += lines * w->rows;
  }
  return HK_OK;
}

static hk_status list_places(const hk_team *t, int k, bool receivers, places *p)
{
  HK_PASS(add_losses(t, k, p));
  HK_PASS(add_changes(t, k, p));
  HK_PASS(add_dashpots(t, k, p));
  HK_PASS(add_integrals(t, k, p));
  if (!receivers) return HK_OK;
  HK_PASS(add_receiver_integrals(t, k, p));
  return add_rings(t, k, p);
}

hk_count hk_team_state_bytes(const hk_team *t, bool receivers)
{
  places p = {0};
  if (!t->division) return hk_explicit_state_bytes(t->solver[0], receivers);
  const bool listed = list_places(t, t->first, receivers, &p) == HK_OK;
  hk_pool_clear(&p.pool);
  return listed ? 2 * vector_bytes(t, t->division->whole) + p.whole * 8 : 0;
}

/* Copies the rows of a vector of a part to those of the whole; back: the other way, ghosts too. */
static void copy_rows(const hk_team *t, int k, char *whole, char *own, bool back)
{
  const hk_division_part *p = &t->division->part[k];
  const hk_space *all = t->division->whole;
  const hk_count node = all->components * real_of(t);
  const hk_index count = p->part->rows + (back ? p->part->ghosts : 0);
  for (int shot = 0; shot < shots_of(t); shot++)
    for (hk_index i = 0; i < count; i++) {
      char *in = whole + ((hk_count)shot * all->padded + p->part->whole[i]) * node,
           *of = own + ((hk_count)shot * p->space->padded + i) * node;
      memcpy(back ? of : in, back ? in : of, (size_t)node);
    }
}

static hk_status copy_state(const hk_team *t, int k, bool receivers, char *whole, char *own,
                            bool back)
{
  hk_status status = HK_OK;
  const hk_count of_whole = vector_bytes(t, t->division->whole),
                 of_own = vector_bytes(t, t->division->part[k].space);
  places p = {0};
  HK_TRY(list_places(t, k, receivers, &p));
  HK_CHECK(2 * of_own + p.at.count * 8 == hk_explicit_state_bytes(t->solver[k], receivers),
           HK_INTERNAL, "the state of a part is not what it is taken for");
  for (int i = 0; i < 2; i++) copy_rows(t, k, whole + i * of_whole, own + i * of_own, back);
  for (hk_count i = 0; i < p.at.count; i++) {
    if (p.at.at[i] < 0) continue;
    char *in = whole + 2 * of_whole + p.at.at[i] * 8, *of = own + 2 * of_own + i * 8;
    memcpy(back ? of : in, back ? in : of, 8);
  }
cleanup:
  hk_pool_clear(&p.pool);
  return status;
}

static hk_status save_own(const hk_team *t, char *state)
{
  hk_status status = HK_OK;
  char *own = NULL;
  for (int k = t->first; k < t->first + t->own; k++) {
    HK_TRY(hk_get(&own, hk_explicit_state_bytes(t->solver[k], true)));
    HK_TRY(hk_explicit_save(t->solver[k], own));
    HK_TRY(copy_state(t, k, true, state, own, false));
    hk_free(&own);
  }
cleanup:
  hk_free(&own);
  return status;
}

/* A part's rows of both vectors, then its doubles with their places in the whole. */
static hk_status send_state(const hk_team *t)
{
  hk_status status = HK_OK;
  const hk_division_part *p = &t->division->part[t->first];
  const hk_count node = t->division->whole->components * real_of(t),
                 of_own = vector_bytes(t, p->space);
  char *own = NULL;
  places at = {0};
  HK_TRY(hk_get(&own, hk_explicit_state_bytes(t->solver[t->first], true)));
  HK_TRY(hk_explicit_save(t->solver[t->first], own));
  HK_TRY(list_places(t, t->first, true, &at));
  for (int i = 0; i < 2 * shots_of(t); i++)
    HK_TRY(hk_team_send_rows(t, own + (hk_count)i * p->space->padded * node, node));
  HK_TRY(hk_ranks_send(t->ranks, 0, &at.at.count, sizeof at.at.count));
  HK_TRY(hk_ranks_send(t->ranks, 0, at.at.at, at.at.count * 8));
  HK_TRY(hk_ranks_send(t->ranks, 0, own + 2 * of_own, at.at.count * 8));
cleanup:
  hk_pool_clear(&at.pool);
  hk_free(&own);
  return status;
}

static hk_status take_doubles(const hk_team *t, int k, char *whole)
{
  hk_status status = HK_OK;
  const hk_count room =
      (hk_team_state_bytes(t, true) - 2 * vector_bytes(t, t->division->whole)) / 8;
  hk_count count = 0, *at = NULL;
  double *value = NULL;
  HK_TRY(hk_ranks_take(t->ranks, k, &count, sizeof count));
  HK_TRY(hk_get(&at, count));
  HK_TRY(hk_get(&value, count));
  HK_TRY(hk_ranks_take(t->ranks, k, at, count * 8));
  HK_TRY(hk_ranks_take(t->ranks, k, value, count * 8));
  for (hk_count i = 0; i < count; i++) {
    HK_CHECK(at[i] < room, HK_INTERNAL, "the state of rank %d is not what it is taken for", k);
    if (at[i] >= 0) memcpy(whole + at[i] * 8, &value[i], 8);
  }
cleanup:
  hk_free(&at);
  hk_free(&value);
  return status;
}

static hk_status take_states(const hk_team *t, void *state)
{
  const hk_count node = t->division->whole->components * real_of(t),
                 vector = t->division->whole->padded * node;
  char *whole = state;
  for (int i = 0; i < 2 * shots_of(t); i++) HK_PASS(hk_team_take_rows(t, whole + i * vector, node));
  for (int k = 1; k < t->parts; k++)
    HK_PASS(take_doubles(t, k, whole + 2 * vector_bytes(t, t->division->whole)));
  return HK_OK;
}

hk_status hk_team_save(const hk_team *t, void *state)
{
  if (!t->division) return hk_explicit_save(t->solver[0], state);
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_SAVE}));
  if (hk_team_helps(t)) return hk_team_tear(t, send_state(t));
  memset(state, 0, (size_t)hk_team_state_bytes(t, true));
  HK_PASS(hk_team_tear(t, save_own(t, state)));
  return t->ranks ? hk_team_tear(t, take_states(t, state)) : HK_OK;
}

static hk_status restore_own(hk_team *t, hk_count step, bool receivers, char *state)
{
  hk_status status = HK_OK;
  char *own = NULL;
  for (int k = t->first; k < t->first + t->own; k++) {
    HK_TRY(hk_get(&own, hk_explicit_state_bytes(t->solver[k], receivers)));
    HK_TRY(copy_state(t, k, receivers, state, own, true));
    HK_TRY(hk_explicit_restore(t->solver[k], step, receivers, own));
    hk_free(&own);
  }
cleanup:
  hk_free(&own);
  return status;
}

/* The others get the whole state, and take what is theirs. */
static hk_status restore_ranks(hk_team *t, hk_count step, bool receivers, const void *state)
{
  hk_status status = HK_OK;
  char *copy = NULL;
  const hk_count bytes = hk_team_state_bytes(t, receivers);
  HK_TRY(hk_team_tell(t, &(hk_command){.what = HK_TEAM_RESTORE, .first = step, .flag = receivers}));
  if (hk_team_helps(t)) HK_TRY(hk_get(&copy, bytes));
  HK_TRY(hk_ranks_broadcast(t->ranks, copy ? copy : (char *)state, bytes));
  status = restore_own(t, step, receivers, copy ? copy : (char *)state);
cleanup:
  hk_free(&copy);
  return hk_team_agree(t, status);
}

hk_status hk_team_restore(hk_team *t, hk_count step, bool receivers, const void *state)
{
  if (!t->division) return hk_explicit_restore(t->solver[0], step, receivers, state);
  return t->ranks ? restore_ranks(t, step, receivers, state)
                  : restore_own(t, step, receivers, (char *)state);
}

/* values: of the whole; a rank but the first sends its rows. */
static hk_status read_own(const hk_team *t, int k, int shot, hk_state_part part, double *values)
{
  hk_status status = HK_OK;
  double *own = NULL;
  const int c = t->division->whole->components;
  const hk_division_part *p = &t->division->part[k];
  HK_TRY(hk_get(&own, (hk_count)p->space->padded * c));
  HK_TRY(hk_explicit_read(t->solver[k], shot, part, own));
  if (hk_team_helps(t)) HK_TRY(hk_team_send_rows(t, own, c * 8));
  for (hk_index i = 0; values && i < p->rows; i++)
    memcpy(values + (hk_count)p->whole[i] * c, own + (hk_count)i * c, (size_t)c * sizeof *own);
cleanup:
  hk_free(&own);
  return status;
}

hk_status hk_team_read(const hk_team *t, int shot, hk_state_part part, double *values)
{
  const int c = t->division ? t->division->whole->components : 0;
  if (!t->division) return hk_explicit_read(t->solver[0], shot, part, values);
  HK_PASS(hk_team_tell(t, &(hk_command){.what = HK_TEAM_READ, .shot = shot, .part = (int)part}));
  if (values)
    memset(values, 0, (size_t)((hk_count)t->division->whole->padded * c) * sizeof *values);
  for (int k = t->first; k < t->first + t->own; k++)
    HK_PASS(hk_team_tear(t, read_own(t, k, shot, part, values)));
  return t->ranks && !hk_team_helps(t) ? hk_team_tear(t, hk_team_take_rows(t, values, c * 8))
                                       : HK_OK;
}

/* Of the numbers [first, first + count) of the whole, which lie in one run; values NULL: of another rank than the first, which sends its own. */
static hk_status read_run(const hk_team *t, const hk_command *what, hk_count first, hk_count count,
                          double *values)
{
  const hk_space *all = t->division->whole;
  const int c = all->components;
  const hk_index run = hk_space_run(all, (hk_index)(first / c)),
                 end = run < hk_space_runs(all) ? hk_space_run_first(all, run + 1) : 0;
  hk_index node = run < hk_space_runs(all) ? hk_space_run_first(all, run) : 0;
  while (node < end && all->mesh_node[node] < 0) node++; /* padding has no place in a part */
  if (node >= end) {
    memset(values, 0, (size_t)count * sizeof *values);
    return HK_OK;
  }
  const int k = hk_division_owner(t->division, node);
  if (!t->solver[k])
    return hk_team_helps(t) ? HK_OK : hk_ranks_take(t->ranks, k, values, count * 8);
  const hk_count shift = (hk_count)(hk_division_number(t->division, k, node) - node) * c;
  HK_PASS(hk_explicit_read_some(t->solver[k], what->shot, (hk_state_part)what->part, first + shift,
                                count, values));
  return hk_team_helps(t) ? hk_ranks_send(t->ranks, 0, values, count * 8) : HK_OK;
}

static hk_status read_runs(const hk_team *t, const hk_command *what, double *values)
{
  const hk_space *all = t->division->whole;
  const hk_count first = what->first, count = what->count;
  for (hk_count at = 0, next; at < count; at = next) {
    const hk_index run = hk_space_run(all, (hk_index)((first + at) / all->components));
    next = run < hk_space_runs(all)
               ? (hk_count)hk_space_run_first(all, run + 1) * all->components - first
               : count;
    if (next > count) next = count;
    HK_PASS(read_run(t, what, first + at, next - at, values + at));
  }
  return HK_OK;
}

hk_status hk_team_read_some(const hk_team *t, int shot, hk_state_part part, hk_count first,
                            hk_count count, double *values)
{
  const hk_command what = {
      .what = HK_TEAM_READ_SOME, .shot = shot, .part = (int)part, .first = first, .count = count};
  if (!t->division) return hk_explicit_read_some(t->solver[0], shot, part, first, count, values);
  HK_PASS(hk_team_tell(t, &what));
  return hk_team_tear(t, read_runs(t, &what, values));
}
