/* The names in a deck are looked up before its mesh is built from the text: sets, materials, orientations and amplitudes.
 * A large deck thus tells an unknown name of its last step without numbering a node. What depends on nodes and elements is
 * told by hk_deck_make. */
#include "input/deck/parts.h"

static void judge_set(deck *d, const char *what, const char *name, hk_set_kind kind, int scope,
                      hk_inp_place place)
{
  if (name && !hk_inp_is_label(d->inp, name))
    hk_inp_check_set(d->inp, place, what, name, kind, scope);
}

static void judge_amplitude(deck *d, const char *name, hk_inp_place place)
{
  if (name) hk_deck_find(d, place, name, DECK_AMPLITUDE);
}

static void judge_loads(deck *d)
{
  for (hk_count i = 0; i < d->acts.load.count; i++) {
    const deck_load *l = &d->acts.load.at[i];
    const hk_set_kind kind = l->type == DECK_CLOAD || l->type == DECK_CFLUX ? HK_NODE_SET
                             : l->type == DECK_DSLOAD                       ? HK_FACE_SET
                                                                            : HK_ELEMENT_SET;
    judge_amplitude(d, l->amplitude, l->place);
    judge_amplitude(d, l->film_amplitude, l->place);
    judge_set(d, hk_deck_keyword(l->type), l->target, kind, l->scope, l->place);
  }
  for (hk_count i = 0; i < d->acts.motion.count; i++) {
    const deck_motion *m = &d->acts.motion.at[i];
    judge_amplitude(d, m->amplitude, m->place);
    judge_set(d, "*BOUNDARY", m->target, HK_NODE_SET, m->scope, m->place);
  }
}

void hk_deck_judge(deck *d)
{
  for (hk_count i = 0; i < d->matter.section.count; i++) {
    const deck_section *s = &d->matter.section.at[i];
    hk_deck_find(d, s->place, s->material, DECK_MATERIAL);
    if (s->orientation) hk_deck_find(d, s->place, s->orientation, DECK_ORIENTATION);
    judge_set(d, "*SOLID SECTION", s->set, HK_ELEMENT_SET, s->scope, s->place);
  }
  judge_loads(d);
  for (hk_count i = 0; i < d->acts.initial.count; i++)
    judge_set(d, "*INITIAL CONDITIONS", d->acts.initial.at[i].target, HK_NODE_SET,
              d->acts.initial.at[i].scope, d->acts.initial.at[i].place);
  for (hk_count i = 0; i < d->asked.trace.count; i++)
    judge_set(d, "output", d->asked.trace.at[i].set, HK_NODE_SET, d->asked.trace.at[i].scope,
              d->asked.trace.at[i].place);
  for (hk_count i = 0; i < d->asked.print.count; i++)
    judge_set(d, d->asked.print.at[i].elements ? "*EL PRINT" : "*NODE PRINT",
              d->asked.print.at[i].set,
              d->asked.print.at[i].elements ? HK_ELEMENT_SET : HK_NODE_SET,
              d->asked.print.at[i].scope, d->asked.print.at[i].place);
}
