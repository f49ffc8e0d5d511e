/* States of the whole model from those of its parts, and back. A saved state is two vectors [shots][padded][components] of reals, then arrays
 * (solver/explicit/arrays.c) whose bytes have places in the whole (places.c). Ranks send rank 0 what they have, and get all. */
#include "solver/team/parts.h"
#include <string.h>

static hk_count vector_bytes(const hk_team *t, const hk_space *space)
{
  return (hk_count)space->padded * space->components * hk_team_real(t) * hk_team_shots(t);
}

hk_count hk_team_state_bytes(const hk_team *t, bool receivers)
{
  hk_places p = {0};
  if (!t->division) return hk_explicit_state_bytes(t->solver[0], receivers);
  const bool listed = hk_team_list_places(t, t->first, receivers, &p) == HK_OK;
  hk_pool_clear(&p.pool);
  return listed ? 2 * vector_bytes(t, t->division->whole) + p.whole : 0;
}

/* Copies the rows of a vector of a part to those of the whole; back: the other way, ghosts too. */
static void copy_rows(const hk_team *t, int k, char *whole, char *own, bool back)
{
  const hk_division_part *p = &t->division->part[k];
  const hk_space *all = t->division->whole;
  const hk_count node = all->components * hk_team_real(t);
  const hk_index count = p->part->rows + (back ? p->part->ghosts : 0);
  for (int shot = 0; shot < hk_team_shots(t); shot++)
    for (hk_index i = 0; i < count; i++) {
      char *in = whole + ((hk_count)shot * all->padded + p->part->whole[i]) * node,
           *of = own + ((hk_count)shot * p->space->padded + i) * node;
      memcpy(back ? of : in, back ? in : of, (size_t)node);
    }
}

/* Copies pieces of a part's arrays to those of the whole; back: the other way. */
static void copy_pieces(hk_count pieces, const hk_piece *piece, char *whole, char *own, bool back)
{
  for (hk_count k = 0; k < pieces; k++)
    for (hk_count i = 0; i < piece[k].count; i++) {
      char *in = whole + piece[k].whole + i * piece[k].stride,
           *of = own + piece[k].own + i * piece[k].stride;
      memcpy(back ? of : in, back ? in : of, (size_t)piece[k].bytes);
    }
}

static hk_status copy_state(const hk_team *t, int k, bool receivers, char *whole, char *own,
                            bool back)
{
  hk_status status = HK_OK;
  const hk_count of_whole = vector_bytes(t, t->division->whole),
                 of_own = vector_bytes(t, t->division->part[k].space);
  hk_places p = {0};
  HK_TRY(hk_team_list_places(t, k, receivers, &p));
  HK_CHECK(2 * of_own + p.own == hk_explicit_state_bytes(t->solver[k], receivers), HK_INTERNAL,
           "the state of a part is not what it is taken for");
  for (int i = 0; i < 2; i++) copy_rows(t, k, whole + i * of_whole, own + i * of_own, back);
  copy_pieces(p.piece.count, p.piece.at, whole + 2 * of_whole, own + 2 * of_own, back);
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

/* A part's rows of both vectors, then its arrays with their places in the whole. */
static hk_status send_state(const hk_team *t)
{
  hk_status status = HK_OK;
  const hk_division_part *p = &t->division->part[t->first];
  const hk_count node = t->division->whole->components * hk_team_real(t),
                 of_own = vector_bytes(t, p->space);
  char *own = NULL;
  hk_places at = {0};
  HK_TRY(hk_get(&own, hk_explicit_state_bytes(t->solver[t->first], true)));
  HK_TRY(hk_explicit_save(t->solver[t->first], own));
  HK_TRY(hk_team_list_places(t, t->first, true, &at));
  for (int i = 0; i < 2 * hk_team_shots(t); i++)
    HK_TRY(hk_team_send_rows(t, own + (hk_count)i * p->space->padded * node, node));
  const hk_count head[] = {at.piece.count, at.own};
  HK_TRY(hk_ranks_send(t->ranks, 0, head, sizeof head));
  HK_TRY(hk_ranks_send(t->ranks, 0, at.piece.at, at.piece.count * (hk_count)sizeof *at.piece.at));
  HK_TRY(hk_ranks_send(t->ranks, 0, own + 2 * of_own, at.own));
cleanup:
  hk_pool_clear(&at.pool);
  hk_free(&own);
  return status;
}

/* Whether a piece lies within arrays of so many bytes of a part and of the whole. */
static bool fits(const hk_piece *p, hk_count own, hk_count whole)
{
  const hk_count end = (p->count - 1) * p->stride + p->bytes;
  return p->count > 0 && p->own >= 0 && p->own + end <= own && p->whole >= 0 &&
         p->whole + end <= whole;
}

static hk_status take_arrays(const hk_team *t, int k, char *whole)
{
  hk_status status = HK_OK;
  const hk_count room = hk_team_state_bytes(t, true) - 2 * vector_bytes(t, t->division->whole);
  hk_count head[2] = {0, 0};
  hk_piece *piece = NULL;
  char *own = NULL;
  HK_TRY(hk_ranks_take(t->ranks, k, head, sizeof head));
  HK_TRY(hk_get(&piece, head[0]));
  HK_TRY(hk_get(&own, head[1]));
  HK_TRY(hk_ranks_take(t->ranks, k, piece, head[0] * (hk_count)sizeof *piece));
  HK_TRY(hk_ranks_take(t->ranks, k, own, head[1]));
  for (hk_count i = 0; i < head[0]; i++)
    HK_CHECK(fits(&piece[i], head[1], room), HK_INTERNAL,
             "the state of rank %d is not what it is taken for", k);
  copy_pieces(head[0], piece, whole, own, false);
cleanup:
  hk_free(&piece);
  hk_free(&own);
  return status;
}

static hk_status take_states(const hk_team *t, void *state)
{
  const hk_count node = t->division->whole->components * hk_team_real(t),
                 vector = t->division->whole->padded * node;
  char *whole = state;
  for (int i = 0; i < 2 * hk_team_shots(t); i++)
    HK_PASS(hk_team_take_rows(t, whole + i * vector, node));
  for (int k = 1; k < t->parts; k++)
    HK_PASS(take_arrays(t, k, whole + 2 * vector_bytes(t, t->division->whole)));
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
