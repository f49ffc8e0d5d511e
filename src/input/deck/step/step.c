/* *STEP, *END STEP and the procedure between them: *DYNAMIC, EXPLICIT, *STATIC or *HEAT TRANSFER, one in a step and the same kind in
 * all. Data lines give the increment and the duration. Parameters that linear theory cannot obey are errors, those that
 * change nothing are told; SOLVER= chooses the method of static steps. */
#include "input/deck/parts.h"
#include <math.h>
#include <string.h>

hk_status hk_deck_read_step(deck *d, const hk_inp_line *line)
{
  char *text;
  size_t length;
  const int amplitude = hk_inp_choice(d->reader, line, "AMPLITUDE", HK_WORDS("STEP", "RAMP"), 0);
  const char *nlgeom = hk_inp_value(line, "NLGEOM");
  const bool bends = hk_inp_given(line, "NLGEOM") && !(nlgeom && hk_same_text(nlgeom, "NO"));
  if (!d->step.count) d->acts.model_motions = d->acts.motion.count;
  HK_PASS(hk_pool_more(&d->pool, &d->step));
  d->step.at[d->step.count++] = (deck_step){.place = line->place,
                                            .ramp = amplitude == 1,
                                            .nlgeom = bends,
                                            .perturbation = hk_inp_given(line, "PERTURBATION"),
                                            .most = hk_deck_parameter(d, line, "INC", 100),
                                            .loads = {d->acts.load.count, d->acts.load.count},
                                            .motions = {d->acts.motion.count, d->acts.motion.count},
                                            .traces = {d->asked.trace.count, d->asked.trace.count},
                                            .prints = {d->asked.print.count, d->asked.print.count}};
  d->in_step = true;
  do { /* a title may follow */
    HK_PASS(hk_inp_data(d->reader, &text, &length));
  } while (text);
  return HK_OK;
}

hk_status hk_deck_read_end_step(deck *d, const hk_inp_line *line)
{
  deck_step *s = hk_deck_step_now(d);
  if (s->procedure == DECK_NO_PROCEDURE && !hk_inp_errors(d->reader))
    hk_inp_error(d->reader, line->place,
                 "*END STEP: the step at line %lld has neither *STATIC nor *DYNAMIC, EXPLICIT: "
                 "hooke runs only such steps",
                 (long long)s->place.line);
  s->prints.last = d->asked.print.count;
  s->loads.last = d->acts.load.count, s->motions.last = d->acts.motion.count,
  s->traces.last = d->asked.trace.count;
  d->in_step = false;
  return HK_OK;
}

/* One procedure in a step, the same kind in all. */
static void begin_procedure(deck *d, const hk_inp_line *line, deck_procedure procedure)
{
  deck_step *s = hk_deck_step_now(d);
  if (s->procedure)
    hk_inp_error(d->reader, line->place, "*%s: the step already has a procedure",
                 line->keyword->name);
  for (hk_count i = 0; i + 1 < d->step.count; i++)
    if (d->step.at[i].procedure && d->step.at[i].procedure != procedure) {
      hk_inp_error(d->reader, line->place,
                   "*%s: the step at line %lld is of another kind: static and explicit steps "
                   "cannot be in one deck",
                   line->keyword->name, (long long)d->step.at[i].place.line);
      break;
    }
  s->procedure = procedure;
}

/* [increment], duration. Abaqus leaves the first empty unless DIRECT USER CONTROL is given;
 * CalculiX has the increment there. */
static hk_status read_times(deck *d, const hk_inp_line *line, deck_step *s)
{
  hk_inp_field field[DECK_FIELDS];
  int count;
  double least = 0, most = 0;
  HK_PASS(hk_deck_fields(d, line, field, 4, &count));
  if (count == -1 ||
      (count > 0 && !hk_inp_number(d->reader, field[0], "*DYNAMIC: increment", &s->dt)) ||
      (count > 1 && !hk_inp_number(d->reader, field[1], "*DYNAMIC: duration", &s->duration)) ||
      !hk_inp_number(d->reader, field[2], "*DYNAMIC: least increment", &least) ||
      (count > 3 && !hk_inp_number(d->reader, field[3], "*DYNAMIC: greatest increment", &most)))
    return HK_OK;
  const hk_place place = count == HK_INP_END ? line->place : hk_inp_here(d->reader);
  if (!(s->duration > 0))
    hk_inp_error(
        d->reader, place,
        "*DYNAMIC, EXPLICIT: give a duration above 0 as the second number of the data line");
  if (s->dt < 0 || (s->duration > 0 && s->dt > s->duration))
    hk_inp_error(d->reader, place,
                 "*DYNAMIC, EXPLICIT: increment %g: must be above 0 and not above the duration",
                 s->dt);
  if (hk_inp_given(line, "DIRECT USER CONTROL") && !(s->dt > 0))
    hk_inp_error(d->reader, place,
                 "*DYNAMIC, EXPLICIT, DIRECT USER CONTROL: the increment is "
                 "missing on the data line");
  if (s->dt == 0 && most > 0)
    hk_inp_say(d->reader, HK_WARNING, place,
               "*DYNAMIC, EXPLICIT: the greatest increment %g is ignored: hooke chooses the "
               "increment from the elements; DIRECT USER CONTROL fixes it",
               most);
  return HK_OK;
}

hk_status hk_deck_read_dynamic(deck *d, const hk_inp_line *line)
{
  deck_step *s = hk_deck_step_now(d);
  if (!hk_inp_given(line, "EXPLICIT"))
    return hk_inp_refuse(
        d->reader, line->place,
        "*DYNAMIC without EXPLICIT: hooke steps in time only by *DYNAMIC, EXPLICIT");
  begin_procedure(d, line, DECK_EXPLICIT);
  if (s->perturbation)
    hk_inp_error(d->reader, s->place,
                 "*STEP, PERTURBATION: explicit steps continue the state; remove it");
  if (s->nlgeom && !d->told[HK_INP_STEP]) {
    hk_inp_say(d->reader, HK_NOTE, s->place,
               "*STEP, NLGEOM: hooke computes the step with linear theory, for displacements that "
               "are small beside the model");
    d->told[HK_INP_STEP] = true;
  }
  hk_deck_refuse(d, line, HK_WORDS("RELATIVE TO ABSOLUTE"),
                 "is not supported: the step begins from the state of the step before");
  if (hk_deck_parameter(d, line, "ALPHA", 0) != 0)
    hk_inp_say(
        d->reader, HK_WARNING, line->place,
        "*DYNAMIC, ALPHA: ignored: central differences have no numerical damping; give *DAMPING");
  if (hk_inp_given(line, "ADIABATIC"))
    hk_inp_error(d->reader, line->place,
                 "*DYNAMIC, ADIABATIC: explicit steps do not compute temperatures");
  if (hk_inp_value(line, "SCALE FACTOR"))
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*DYNAMIC, SCALE FACTOR: ignored: hooke chooses the increment from the elements; "
               "DIRECT USER CONTROL fixes it");
  return read_times(d, line, s);
}

/* SOLVER= in words of solve.static.method. False after an error. */
static bool read_solver(deck *d, const hk_inp_line *line)
{
  const int solver = hk_inp_choice(d->reader, line, "SOLVER",
                                   HK_WORDS("ITERATIVE SCALING", "ITERATIVE CHOLESKY", "SPOOLES",
                                            "PARDISO", "PASTIX", "SGI", "TAUCS"),
                                   7);
  if (solver < 0) return false;
  d->how = (hk_static_how){0};
  if (solver < 7) strcpy(d->how.method, solver < 2 ? "cg" : "direct");
  if (solver == 0) strcpy(d->how.preconditioner, "jacobi");
  return true;
}

static void tell_static(deck *d, const hk_inp_line *line)
{
  const deck_step *s = hk_deck_step_now(d);
  const char *stabilize = hk_inp_given(line, "STABILIZE") ? "STABILIZE" : NULL;
  if (s->nlgeom)
    hk_inp_error(d->reader, s->place,
                 "*STEP, NLGEOM: static steps use linear theory: remove NLGEOM if rotations and "
                 "strains are small");
  if (s->perturbation && d->step.count > 1)
    hk_inp_error(d->reader, s->place,
                 "*STEP, PERTURBATION: hooke does not perturb the state of earlier steps: give "
                 "only these loads, in a first step");
  else if (s->perturbation)
    hk_inp_say(d->reader, HK_NOTE, s->place,
               "*STEP, PERTURBATION: the step is linear anyway; it is ignored");
  if (stabilize || hk_inp_given(line, "ALLSDTOL"))
    hk_inp_say(d->reader, HK_NOTE, line->place,
               "*STATIC, STABILIZE: a linear step needs no damping; it is ignored");
}

static hk_status read_duration(deck *d, const hk_inp_line *line, deck_step *s)
{
  hk_inp_field field[DECK_FIELDS];
  int count;
  static const char *const what[] = {"increment",          "duration",
                                     "least increment",    "greatest increment",
                                     "temperature change", "rate of temperature"};
  double unused;
  HK_PASS(hk_deck_fields(d, line, field, line->id == HK_INP_STATIC ? 4 : 6, &count));
  if (count < 0) return HK_OK;
  for (int i = 0; i < 6; i++)
    if (i != 1 && !hk_inp_number(d->reader, field[i], what[i], &unused)) return HK_OK;
  if (field[1].length && hk_inp_number(d->reader, field[1], "duration", &s->duration) &&
      !(s->duration > 0)) {
    hk_inp_wrong(d->reader, "*%s: duration %g must be above 0", line->keyword->name, s->duration);
    s->duration = 1;
  }
  return HK_OK;
}

/* [increment], [duration]: only the time of its end matters. */
hk_status hk_deck_read_static(deck *d, const hk_inp_line *line)
{
  deck_step *s = hk_deck_step_now(d);
  begin_procedure(d, line, DECK_STATIC);
  tell_static(d, line);
  s->duration = 1;
  if (hk_deck_refuse(d, line,
                     HK_WORDS("RIKS", "FULLY PLASTIC", "CONTINUE", "TIME RESET",
                              "TOTAL TIME AT START", "EXPLICIT"),
                     "is not supported: a static step is linear, and its time begins where the "
                     "step before it ends") ||
      !read_solver(d, line))
    return hk_inp_skip(d->reader);
  return read_duration(d, line, s);
}

/* increment, duration of a transient step: all increments are as long as the first. */
static hk_status read_increments(deck *d, const hk_inp_line *line, deck_step *s)
{
  hk_inp_field field[DECK_FIELDS];
  int count;
  double unused[2];
  HK_PASS(hk_deck_fields(d, line, field, 6, &count));
  const hk_place place = count == HK_INP_END ? line->place : hk_inp_here(d->reader);
  if (count < 0 && count != HK_INP_END) return HK_OK;
  s->duration = s->dt = 0;
  if (!hk_inp_number(d->reader, field[0], "*HEAT TRANSFER: increment", &s->dt) ||
      !hk_inp_number(d->reader, field[1], "*HEAT TRANSFER: duration", &s->duration) ||
      !hk_inp_number(d->reader, field[2], "*HEAT TRANSFER: least increment", &unused[0]) ||
      !hk_inp_number(d->reader, field[3], "*HEAT TRANSFER: greatest increment", &unused[1]))
    return HK_OK;
  s->marches = true;
  if (!(s->dt > 0) || !(s->duration >= s->dt)) {
    hk_inp_error(d->reader, place,
                 "*HEAT TRANSFER: give the increment and the duration of the transient step, the "
                 "increment above 0 and not above the duration");
    s->dt = s->duration = 1;
  }
  if (s->duration / s->dt > s->most * (1 + 1e-9))
    hk_inp_error(
        d->reader, place,
        "*HEAT TRANSFER: %.0f increments as long as the first are more than *STEP, INC=%.0f "
        "allows (100 unless given), and hooke does not choose their length: give a longer "
        "increment, or a larger INC",
        ceil(s->duration / s->dt * (1 - 1e-9)), s->most);
  if (!hk_inp_given(line, "DIRECT"))
    hk_inp_say(d->reader, HK_NOTE, line->place,
               "*HEAT TRANSFER: all increments are as long as the first: hooke does not choose "
               "their length");
  return HK_OK;
}

/* *HEAT TRANSFER. A transient step takes increments of backward Euler. STEADY STATE has a line [increment], [duration]; the duration only
 * sets the time at the end of the step. */
hk_status hk_deck_read_heat_transfer(deck *d, const hk_inp_line *line)
{
  deck_step *s = hk_deck_step_now(d);
  begin_procedure(d, line, DECK_HEAT);
  s->duration = 1;
  if (hk_deck_refuse(d, line,
                     HK_WORDS("TIME RESET", "TOTAL TIME AT START", "FREQUENCY", "MODAL DYNAMIC"),
                     "is not supported") ||
      !read_solver(d, line))
    return hk_inp_skip(d->reader);
  return hk_inp_given(line, "STEADY STATE") ? read_duration(d, line, s)
                                            : read_increments(d, line, s);
}

hk_status hk_deck_read_bulk_viscosity(deck *d, const hk_inp_line *line)
{
  if (!d->told[line->id])
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*BULK VISCOSITY: ignored: waves are damped a little less than in Abaqus");
  d->told[line->id] = true;
  return hk_inp_skip(d->reader);
}

hk_status hk_deck_read_mass_scaling(deck *d, const hk_inp_line *line)
{
  if (!d->told[line->id])
    hk_inp_say(
        d->reader, HK_WARNING, line->place,
        "*%s: ignored: hooke does not scale masses, and chooses the increment from the true ones",
        line->keyword->name);
  d->told[line->id] = true;
  return hk_inp_skip(d->reader);
}
