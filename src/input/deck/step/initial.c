/* *INITIAL CONDITIONS: velocities, displacements and temperatures of nodes at t = 0, a data line for each set or node and component.
 * Temperatures change nothing without transient heat conduction, which is told; stresses and hardening, which hooke cannot begin with, are errors. Names are looked up when the
 * model is made (deck/make.c). */
#include "input/deck/parts.h"
#include <string.h>

/* Types that cannot be obeyed are told. */
static bool passed_over(deck *d, const hk_inp_line *line, const char *type)
{
  static const char *const preset[] = {"STRESS", "PLASTIC STRAIN", "HARDENING"};
  for (int i = 0; i < 3; i++)
    if (hk_inp_same(type, strlen(type), preset[i])) {
      hk_inp_error(d->reader, line->place,
                   "*INITIAL CONDITIONS, TYPE=%s: hooke starts without stress: remove it to "
                   "compute only the loads",
                   preset[i]);
      return true;
    }
  return false;
}

static hk_status take_row(deck *d, const hk_inp_line *line, const hk_inp_field *field, void *to)
{
  deck_initial i = {.kind = *(const hk_motion_kind *)to};
  int dof;
  if (!hk_deck_needs_name(d, line, field[0]) ||
      !hk_deck_integer(d, field[1], "*INITIAL CONDITIONS: degree of freedom", 1, 3, &dof) ||
      !hk_deck_size(d, field[2], "*INITIAL CONDITIONS: value", &i.value))
    return HK_OK;
  i.component = dof - 1;
  HK_PASS(hk_deck_refer(d, field[0], &i.on));
  HK_PASS(hk_pool_more(&d->pool, &d->acts.initial));
  d->acts.initial.at[d->acts.initial.count++] = i;
  return HK_OK;
}

/* Set or node, temperature. */
static hk_status take_temperature(deck *d, const hk_inp_line *line, const hk_inp_field *field,
                                  void *to)
{
  deck_initial i = {.kind = HK_MOVE_DISPLACEMENT, .component = DECK_TEMPERATURE};
  (void)to;
  if (!hk_deck_needs_name(d, line, field[0]) ||
      !hk_deck_size(d, field[1], "*INITIAL CONDITIONS: temperature", &i.value))
    return HK_OK;
  HK_PASS(hk_deck_refer(d, field[0], &i.on));
  HK_PASS(hk_pool_more(&d->pool, &d->acts.initial));
  d->acts.initial.at[d->acts.initial.count++] = i;
  return HK_OK;
}

hk_status hk_deck_read_initial(deck *d, const hk_inp_line *line)
{
  static const hk_motion_kind kinds[] = {HK_MOVE_VELOCITY, HK_MOVE_DISPLACEMENT};
  const char *given = hk_inp_need(d->reader, line, "TYPE");
  if (!given || hk_deck_refuse(d, line, HK_WORDS("USER"), "hooke cannot call user subroutines") ||
      passed_over(d, line, given))
    return hk_inp_skip(d->reader);
  if (hk_same_text(given, "TEMPERATURE"))
    return hk_deck_each_row(d, line, DECK_FIELDS, take_temperature, NULL);
  const int type = hk_inp_choice(d->reader, line, "TYPE", HK_WORDS("VELOCITY", "DISPLACEMENT"), 0);
  if (type < 0) return hk_inp_skip(d->reader);
  hk_motion_kind kind = kinds[type];
  return hk_deck_each_row(d, line, 3, take_row, &kind);
}
