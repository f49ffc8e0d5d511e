/* Where the arrays of a saved state lie in that of the whole model, section by section in the order of solver/explicit/arrays.c: losses of K's groups,
 * of forces and motions, of dashpots, what the matched layer keeps, integrals of fluids, peaks, and of receivers their integrals and rings. */
#include "operator/springs.h"
#include "solver/team/parts.h"
#include <assert.h>

enum { NUMBER = 8 }; /* bytes of a double */

/* A piece of the section that is being listed; one that goes on where the last one ends is put to it. */
static hk_status put(hk_places *p, hk_piece piece)
{
  hk_piece *last = p->piece.count ? &p->piece.at[p->piece.count - 1] : NULL;
  piece.own += p->own, piece.whole += p->whole;
  if (last && last->count == 1 && piece.count == 1 && last->own + last->bytes == piece.own &&
      last->whole + last->bytes == piece.whole) {
    last->bytes += piece.bytes;
    return HK_OK;
  }
  HK_PASS(hk_pool_more(&p->pool, &p->piece));
  p->piece.at[p->piece.count++] = piece;
  return HK_OK;
}

/* Number `own` of the section is number `whole` there; `size` bytes each. */
static hk_status put_number(hk_places *p, hk_count own, hk_count whole, hk_count size)
{
  return put(p, (hk_piece){.own = own * size, .whole = whole * size, .bytes = size, .count = 1});
}

/* The section ends: so many bytes of the part and of the whole. */
static void end(hk_places *p, hk_count own, hk_count whole)
{
  p->own += own, p->whole += whole;
}

/* `each` doubles for each of own[count]; all: of the whole. */
static hk_status add_rows(hk_places *p, hk_count all, int each, hk_index count, const hk_index *own)
{
  const hk_count size = (hk_count)each * NUMBER;
  for (hk_index r = 0; r < count; r++) HK_PASS(put_number(p, r, own[r], size));
  end(p, count * size, all * size);
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
    if (groups) each = any->op->form_groups / groups;
  }
  return each;
}

/* Groups of springs stand behind those of K, granule by granule; the whole has `groups` of K. */
static hk_status add_springs(const hk_team *t, const hk_division_part *part, hk_count groups,
                             hk_count size, hk_places *p, hk_count *all)
{
  hk_status status = HK_OK;
  const hk_operator *op = part->op;
  const hk_operator_desc whole = {.space = t->division->whole, .terms = t->division->terms};
  hk_index *first = NULL, last = -1, place = 0;
  if (op->kind->pairs) return HK_OK;
  HK_TRY(hk_springs_groups(&whole, &first));
  for (hk_count g = op->form_groups; g < op->groups; g++) {
    const hk_index granule = hk_space_granule(part->space, op->term_node[g - op->form_groups]);
    place = granule == last ? place + 1 : first[granule], last = granule;
    HK_TRY(put_number(p, g, groups + place, size));
  }
  *all = groups + first[hk_space_granules(whole.space)];
cleanup:
  hk_free(&first);
  return status;
}

static hk_status add_losses(const hk_team *t, int k, hk_places *p)
{
  const hk_division_part *part = &t->division->part[k];
  const hk_count size =
      (hk_count)hk_team_shots(t) * hk_loss_run(hk_device_describe(part->device)) * NUMBER;
  const hk_count each = t->losses, groups = hk_space_runs(t->division->whole) * each;
  hk_count all = groups;
  if (!t->desc.damping || !each) return HK_OK;
  for (hk_count g = 0; g < part->op->form_groups; g++) {
    const hk_count whole = whole_group(t, part, (hk_index)(g / each));
    if (whole >= 0) HK_PASS(put_number(p, g, whole * each + g % each, size));
  }
  HK_PASS(add_springs(t, part, groups, size, p, &all));
  end(p, part->op->groups * size, all * size);
  return HK_OK;
}

static hk_status add_changes(const hk_team *t, int k, hk_places *p)
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
static hk_status add_dashpots(const hk_team *t, int k, hk_places *p)
{
  const hk_share *own = &t->share[k];
  const hk_count all = t->desc.dashpots ? t->desc.dashpots->count : 0;
  const int components = t->division->whole->components;
  for (int i = 0; i < 2; i++)
    for (int shot = 0; shot < hk_team_shots(t); shot++)
      HK_PASS(add_rows(p, all, i ? 1 : components, own->dashpots.count, own->dashpot));
  return HK_OK;
}

typedef struct layers { /* of the whole and of a part */
  hk_pml_lists whole, own;
  hk_index *element; /* element[mesh element]: its place in whole.element */
  hk_index *node;    /* node[own.nodes]: their places in whole.node */
  int lanes;
} layers;

static hk_status find_layers(const hk_team *t, int k, layers *out)
{
  const hk_division_part *part = &t->division->part[k];
  hk_operator_desc desc = part->op->desc;
  hk_index at = 0, *place = NULL;
  hk_status status = HK_OK;
  out->lanes = hk_device_describe(desc.device)->lanes;
  HK_TRY(hk_pml_find(&desc, t->desc.pml, &out->own));
  desc.space = t->division->whole, desc.terms = t->division->terms;
  HK_TRY(hk_pml_find(&desc, t->desc.pml, &out->whole));
  HK_TRY(hk_get(&out->element, desc.space->mesh->element_count));
  HK_TRY(hk_get(&out->node, out->own.nodes));
  HK_TRY(hk_get(&place, desc.space->padded));
  for (hk_index i = 0; i < out->whole.batches * out->lanes; i++)
    if (out->whole.element[i] >= 0) out->element[out->whole.element[i]] = i;
  for (hk_index n = 0; n < out->whole.nodes; n++) place[out->whole.node[n]] = at++;
  for (hk_index n = 0; n < out->own.nodes; n++)
    out->node[n] = place[part->part->whole[out->own.node[n]]];
cleanup:
  hk_free(&place);
  return status;
}

static void layers_clear(layers *l)
{
  hk_pml_lists_clear(&l->own);
  hk_pml_lists_clear(&l->whole);
  hk_free(&l->element);
  hk_free(&l->node);
}

/* memory [shots][batches][points][dim components][lanes] of solver/explicit/matched/pml.k.h, and the room behind it; elements of several parts have the same.
 * Solids with attenuation have more of it (RELAXED there), but are not divided (run/explicit/problem.c). */
static hk_status add_memory(const hk_team *t, const layers *l, hk_places *p)
{
  const hk_space *whole = t->division->whole;
  const hk_count real = hk_team_real(t), lanes = l->lanes, shots = hk_team_shots(t),
                 each = (hk_count)l->own.points * whole->dim * whole->components;
  assert(!l->own.head.at[HK_PML_RELAXED] && !l->whole.head.at[HK_PML_RELAXED]);
  for (hk_count shot = 0; shot < shots; shot++)
    for (hk_index i = 0; i < l->own.batches * l->lanes; i++) {
      if (l->own.element[i] < 0) continue;
      const hk_index j = l->element[l->own.element[i]];
      const hk_count own = (shot * l->own.batches + i / lanes) * each * lanes + i % lanes,
                     all = (shot * l->whole.batches + j / lanes) * each * lanes + j % lanes;
      HK_PASS(put(p, (hk_piece){.own = own * real,
                                .whole = all * real,
                                .bytes = lanes == 1 ? each * real : real,
                                .count = lanes == 1 ? 1 : each,
                                .stride = lanes * real}));
    }
  end(p, shots * l->own.slots * whole->dim * real, shots * l->whole.slots * whole->dim * real);
  return HK_OK;
}

/* [shots][nodes] of `size` bytes; ghosts: of those too. */
static hk_status add_nodes(const hk_team *t, int k, const layers *l, hk_count size, bool ghosts,
                           hk_places *p)
{
  const hk_index rows = t->division->part[k].part->rows;
  const hk_count shots = hk_team_shots(t);
  for (hk_count shot = 0; shot < shots; shot++)
    for (hk_index n = 0; n < l->own.nodes; n++)
      if (ghosts || l->own.node[n] < rows)
        HK_PASS(put_number(p, shot * l->own.nodes + n, shot * l->whole.nodes + l->node[n], size));
  end(p, shots * l->own.nodes * size, shots * l->whole.nodes * size);
  return HK_OK;
}

/* Memory, past, increments, losses (solver/explicit/matched/layer.c): the past of ghosts is that of their owners. */
static hk_status add_layer(const hk_team *t, int k, hk_places *p)
{
  hk_status status = HK_OK;
  const hk_space *whole = t->division->whole;
  layers l = {0};
  if (!t->desc.pml || !t->desc.pml->stretch) return HK_OK;
  HK_TRY(find_layers(t, k, &l));
  HK_TRY(add_memory(t, &l, p));
  HK_TRY(add_nodes(t, k, &l, (hk_count)whole->components * whole->dim * hk_team_real(t), true, p));
  HK_TRY(add_nodes(t, k, &l, (hk_count)whole->components * NUMBER, false, p));
  HK_TRY(add_nodes(t, k, &l, NUMBER, false, p));
cleanup:
  layers_clear(&l);
  return status;
}

/* Of each node its own number; ghosts are integrated by their owner. */
static hk_status add_integrals(const hk_team *t, int k, hk_places *p)
{
  const hk_division_part *part = &t->division->part[k];
  for (int shot = 0; shot < hk_team_shots(t) && t->desc.integrals; shot++) {
    for (hk_index i = 0; i < part->part->rows; i++)
      HK_PASS(put_number(p, i, part->part->whole[i], NUMBER));
    end(p, (hk_count)part->space->padded * NUMBER, (hk_count)t->division->whole->padded * NUMBER);
  }
  return HK_OK;
}

/* Of each node the squares of the peaks, and the last increment (solver/explicit/peaks/peaks.c). */
static hk_status add_peaks(const hk_team *t, int k, hk_places *p)
{
  const hk_division_part *part = &t->division->part[k];
  const hk_count vector = t->division->whole->components * hk_team_real(t);
  for (int array = 0; array < 4; array++) { /* displacement, velocity, acceleration, increment */
    const int bit = array < 3 ? 1 << array : HK_PEAK_RATES;
    const hk_count size = array < 3 ? NUMBER : vector;
    for (int shot = 0; shot < hk_team_shots(t) && t->desc.peaks & (unsigned)bit; shot++) {
      for (hk_index i = 0; i < part->part->rows; i++)
        HK_PASS(put_number(p, i, part->part->whole[i], size));
      end(p, (hk_count)part->space->padded * size, (hk_count)t->division->whole->padded * size);
    }
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
static hk_status add_receiver_integrals(const hk_team *t, int k, hk_places *p)
{
  const hk_share *own = &t->share[k];
  const bool some = integrates(t, own->group, own->of_rate);
  hk_count lines = 0, at = 0;
  if (!integrates(t, t->desc.receiver_group, t->desc.of_rate)) return HK_OK;
  for (int g = 0; g < t->desc.group_count; g++) lines += t->desc.receiver_group[g].rows;
  for (int shot = 0; shot < hk_team_shots(t) && some; shot++) {
    hk_count first = shot * lines;
    for (int g = 0; g < t->desc.group_count; g++) {
      const hk_receiver_group *w = &t->desc.receiver_group[g];
      for (hk_index r = own->group_row[g]; r < own->group_row[g + 1]; r++)
        HK_PASS(put_number(p, at++, first + own->row[r] - w->first_row, NUMBER));
      first += w->rows;
    }
  }
  end(p, at * NUMBER, lines * hk_team_shots(t) * NUMBER);
  return HK_OK;
}

static hk_status add_rings(const hk_team *t, int k, hk_places *p)
{
  const hk_share *own = &t->share[k];
  for (int g = 0; g < t->desc.group_count; g++) {
    const hk_receiver_group *w = &t->desc.receiver_group[g];
    const hk_index first = own->group_row[g], rows = own->group_row[g + 1] - first;
    const hk_count lines = own->group[g].room * hk_team_shots(t);
    for (hk_count i = 0; i < lines; i++)
      for (hk_index r = 0; r < rows; r++)
        HK_PASS(
            put_number(p, i * rows + r, i * w->rows + own->row[first + r] - w->first_row, NUMBER));
    end(p, lines * rows * NUMBER, lines * w->rows * NUMBER);
  }
  return HK_OK;
}

hk_status hk_team_list_places(const hk_team *t, int part, bool receivers, hk_places *out)
{
  HK_PASS(add_losses(t, part, out));
  HK_PASS(add_changes(t, part, out));
  HK_PASS(add_dashpots(t, part, out));
  HK_PASS(add_layer(t, part, out));
  HK_PASS(add_integrals(t, part, out));
  HK_PASS(add_peaks(t, part, out));
  if (!receivers) return HK_OK;
  HK_PASS(add_receiver_integrals(t, part, out));
  return add_rings(t, part, out);
}
