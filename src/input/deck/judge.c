/* The names in a deck are looked up before its mesh is built from the text: sets, materials, orientations and amplitudes.
 * A large deck thus tells an unknown name of its last step without numbering a node. What depends on nodes and elements is
 * told by hk_deck_make. */
#include "input/deck/parts.h"

static void judge_set(deck *d, const char *what, const deck_ref *on, hk_set_kind kind)
{
  if (on->name && !hk_inp_is_label(d->inp, on->name))
    hk_inp_check_set(d->inp, on->place, what, on->name, kind, on->scope);
}

static void judge_name(deck *d, const char *name, hk_place place, deck_name_kind kind)
{
  if (name) hk_deck_find(d, place, name, kind);
}

static void judge_loads(deck *d)
{
  for (hk_count i = 0; i < d->acts.load.count; i++) {
    const deck_load *l = &d->acts.load.at[i];
    const hk_set_kind kind = l->type == DECK_CLOAD || l->type == DECK_CFLUX ? HK_NODE_SET
                             : l->type == DECK_DSLOAD                       ? HK_FACE_SET
                                                                            : HK_ELEMENT_SET;
    judge_name(d, l->amplitude, l->on.place, DECK_AMPLITUDE);
    judge_name(d, l->film_amplitude, l->on.place, DECK_AMPLITUDE);
    judge_set(d, hk_deck_keyword(l->type), &l->on, kind);
  }
  for (hk_count i = 0; i < d->acts.motion.count; i++) {
    const deck_motion *m = &d->acts.motion.at[i];
    judge_name(d, m->amplitude, m->on.place, DECK_AMPLITUDE);
    judge_set(d, "*BOUNDARY", &m->on, HK_NODE_SET);
  }
}

void hk_deck_judge(deck *d)
{
  for (hk_count i = 0; i < d->matter.section.count; i++) {
    const deck_section *s = &d->matter.section.at[i];
    judge_name(d, s->material, s->on.place, DECK_MATERIAL);
    judge_name(d, s->orientation, s->on.place, DECK_ORIENTATION);
    judge_set(d, "*SOLID SECTION", &s->on, HK_ELEMENT_SET);
  }
  judge_loads(d);
  for (hk_count i = 0; i < d->acts.initial.count; i++)
    judge_set(d, "*INITIAL CONDITIONS", &d->acts.initial.at[i].on, HK_NODE_SET);
  for (hk_count i = 0; i < d->asked.trace.count; i++)
    judge_set(d, "output", &d->asked.trace.at[i].on, HK_NODE_SET);
  for (hk_count i = 0; i < d->asked.print.count; i++) {
    const deck_print *p = &d->asked.print.at[i];
    judge_set(d, p->elements ? "*EL PRINT" : "*NODE PRINT", &p->on,
              p->elements ? HK_ELEMENT_SET : HK_NODE_SET);
  }
}
