/* *STEP, its procedure and what goes with it. */
#include "model/deck_parts.h"

hk_status hk_deck_read_step(deck *d, const hk_inp_line *line)
{
  static const char *const amplitudes[] = {"STEP", "RAMP"};
  hk_status status = HK_OK;
  char *text;
  size_t length;
  const int amplitude = hk_inp_choice(d->reader, line, "AMPLITUDE", amplitudes, 2, 0);
  const char *nlgeom = hk_inp_value(line, "NLGEOM");
  if (!d->steps) d->model_motions = d->motions;
  if (hk_inp_given(line, "PERTURBATION"))
    hk_inp_error(d->reader, line->place,
                 "*STEP, PERTURBATION: explicit steps continue the state; "
                 "remove it");
  if (hk_inp_given(line, "NLGEOM") && !(nlgeom && hk_same_text(nlgeom, "NO")) &&
      !d->told[line->id]) {
    hk_inp_say(d->reader, HK_NOTE, line->place,
               "*STEP, NLGEOM: displacements are taken as small against the model; the step is "
               "computed with linear theory");
    d->told[line->id] = true;
  }
  HK_TRY(hk_reserve(&d->step, d->steps + 1, &d->step_room));
  d->step[d->steps++] = (deck_step){.place = line->place,
                                    .ramp = amplitude == 1,
                                    .load_first = d->loads,
                                    .load_last = d->loads,
                                    .motion_first = d->motions,
                                    .motion_last = d->motions,
                                    .trace_first = d->traces,
                                    .trace_last = d->traces};
  d->in_step = true;
  do { /* a title may follow */
    HK_TRY(hk_inp_data(d->reader, &text, &length));
  } while (text);
cleanup:
  return status;
}

hk_status hk_deck_read_end_step(deck *d, const hk_inp_line *line)
{
  deck_step *s = &d->step[d->steps - 1];
  if (!s->explicit_dynamics && !hk_inp_errors(d->reader))
    hk_inp_error(d->reader, line->place,
                 "the step at line %lld has no *DYNAMIC, EXPLICIT: only such steps can be run",
                 (long long)s->place.line);
  s->load_last = d->loads, s->motion_last = d->motions, s->trace_last = d->traces;
  d->in_step = false;
  return HK_OK;
}

/* [increment], duration. Abaqus leaves the first empty unless DIRECT USER CONTROL is given;
 * CalculiX has the increment there. */
static hk_status read_times(deck *d, const hk_inp_line *line, deck_step *s)
{
  hk_status status = HK_OK;
  hk_inp_field field[8];
  char *text;
  size_t length;
  double most = 0;
  HK_TRY(hk_inp_data(d->reader, &text, &length));
  const int count = text ? hk_inp_split(d->reader, text, length, field, 8) : 0;
  if (count < 0 ||
      (count > 0 && !hk_inp_number(d->reader, field[0], "*DYNAMIC: increment", &s->dt)) ||
      (count > 1 && !hk_inp_number(d->reader, field[1], "*DYNAMIC: duration", &s->duration)) ||
      (count > 3 && !hk_inp_number(d->reader, field[3], "*DYNAMIC: greatest increment", &most)))
    goto cleanup;
  const hk_inp_place place = text ? hk_inp_here(d->reader) : line->place;
  if (!(s->duration > 0))
    hk_inp_error(d->reader, place,
                 "*DYNAMIC, EXPLICIT: a duration above 0 is needed as the second "
                 "number of the data line");
  if (s->dt < 0 || (s->duration > 0 && s->dt > s->duration))
    hk_inp_error(
        d->reader, place,
        "*DYNAMIC, EXPLICIT: the increment %g must lie above 0 and not beyond the duration", s->dt);
  if (hk_inp_given(line, "DIRECT USER CONTROL") && !(s->dt > 0))
    hk_inp_error(d->reader, place,
                 "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL: the increment is "
                 "missing on the data line");
  if (s->dt == 0 && most > 0)
    hk_inp_say(
        d->reader, HK_WARNING, place,
        "*DYNAMIC, EXPLICIT: the greatest increment %g is not obeyed: the increment is chosen "
        "from the elements; fix it with DIRECT USER CONTROL",
        most);
cleanup:
  return status;
}

hk_status hk_deck_read_dynamic(deck *d, const hk_inp_line *line)
{
  hk_status status = HK_OK;
  deck_step *s = &d->step[d->steps - 1];
  if (!hk_inp_given(line, "EXPLICIT")) {
    hk_inp_error(d->reader, line->place,
                 "*DYNAMIC without EXPLICIT: only *DYNAMIC, EXPLICIT steps can be run");
    return hk_inp_skip(d->reader);
  }
  if (s->explicit_dynamics)
    hk_inp_error(d->reader, line->place, "*DYNAMIC: the step has a procedure already");
  if (hk_inp_given(line, "ADIABATIC"))
    hk_inp_error(d->reader, line->place, "*DYNAMIC, ADIABATIC: temperatures are not computed");
  if (hk_inp_value(line, "SCALE FACTOR"))
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*DYNAMIC, SCALE FACTOR: not obeyed: the increment is chosen from the elements; fix "
               "it with DIRECT USER CONTROL");
  s->explicit_dynamics = true;
  HK_TRY(read_times(d, line, s));
cleanup:
  return status;
}

hk_status hk_deck_read_bulk_viscosity(deck *d, const hk_inp_line *line)
{
  if (!d->told[line->id])
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*BULK VISCOSITY: waves are computed without it, so they are damped a little less "
               "than in Abaqus");
  d->told[line->id] = true;
  return hk_inp_skip(d->reader);
}

hk_status hk_deck_read_mass_scaling(deck *d, const hk_inp_line *line)
{
  if (!d->told[line->id])
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*%s: masses are not scaled: the increment is chosen from the true ones",
               line->keyword->name);
  d->told[line->id] = true;
  return hk_inp_skip(d->reader);
}
