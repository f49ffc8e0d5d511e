/* What a deck names is looked up before its mesh is built from the text: a large deck tells an unknown set, material or amplitude of its last
 * step without numbering a node. What depends on nodes and elements is told by hk_deck_make. */
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
  static const char *const what[] = {"*CLOAD", "*DLOAD", "*DSLOAD", "*CFLUX", "*DFLUX", "*FILM"};
  for (hk_count i = 0; i < d->loads; i++) {
    const deck_load *l = &d->load[i];
    const hk_set_kind kind = l->type == DECK_CLOAD || l->type == DECK_CFLUX ? HK_NODE_SET
                             : l->type == DECK_DSLOAD                       ? HK_FACE_SET
                                                                            : HK_ELEMENT_SET;
    judge_amplitude(d, l->amplitude, l->place);
    judge_amplitude(d, l->film_amplitude, l->place);
    judge_set(d, what[l->type], l->target, kind, l->scope, l->place);
  }
  for (hk_count i = 0; i < d->motions; i++) {
    const deck_motion *m = &d->motion[i];
    judge_amplitude(d, m->amplitude, m->place);
    judge_set(d, "*BOUNDARY", m->target, HK_NODE_SET, m->scope, m->place);
  }
}

void hk_deck_judge(deck *d)
{
  for (hk_count i = 0; i < d->sections; i++) {
    const deck_section *s = &d->section[i];
    hk_deck_find(d, s->place, s->material, DECK_MATERIAL);
    if (s->orientation) hk_deck_find(d, s->place, s->orientation, DECK_ORIENTATION);
    judge_set(d, "*SOLID SECTION", s->set, HK_ELEMENT_SET, s->scope, s->place);
  }
  judge_loads(d);
  for (hk_count i = 0; i < d->initials; i++)
    judge_set(d, "*INITIAL CONDITIONS", d->initial[i].target, HK_NODE_SET, d->initial[i].scope,
              d->initial[i].place);
  for (hk_count i = 0; i < d->traces; i++)
    judge_set(d, "output", d->trace[i].set, HK_NODE_SET, d->trace[i].scope, d->trace[i].place);
  for (hk_count i = 0; i < d->prints; i++)
    judge_set(d, d->print[i].elements ? "*EL PRINT" : "*NODE PRINT", d->print[i].set,
              d->print[i].elements ? HK_ELEMENT_SET : HK_NODE_SET, d->print[i].scope,
              d->print[i].place);
}
