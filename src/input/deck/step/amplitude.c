/* *AMPLITUDE: pairs of time and value become a table (load/signal.h), linear between its points, or smooth with
 * DEFINITION=SMOOTH STEP. TIME= says whether time counts from the step or from the start, VALUE=ABSOLUTE that values are
 * magnitudes; SHIFTX and SHIFTY move all points, INPUT= names a file with them. */
#include "input/deck/parts.h"

static hk_status add_point(deck *d, deck_amplitude *a, hk_count *room, double time, double value)
{
  hk_signal *s = &a->signal;
  hk_count same = *room;
  if (s->count && !(time > s->time[s->count - 1])) {
    hk_inp_wrong(d->reader,
                 "*AMPLITUDE, NAME=%s: time %g is not above the one before, %g: times must ascend",
                 s->name, time, s->time[s->count - 1]);
    return HK_OK;
  }
  HK_PASS(hk_pool_reserve(&d->pool, (void **)&s->time, s->count + 1, &same, sizeof *s->time));
  HK_PASS(hk_pool_reserve(&d->pool, (void **)&s->value, s->count + 1, room, sizeof *s->value));
  s->time[s->count] = time, s->value[s->count++] = value;
  return HK_OK;
}

static hk_status read_points(deck *d, deck_amplitude *a, double shift_x, double shift_y)
{
  hk_count room = 0;
  for (;;) {
    double value[8];
    int count;
    HK_PASS(hk_inp_number_line(d->reader, "*AMPLITUDE", value, 8, &count));
    if (count == HK_INP_END) break;
    if (count > 0 && count % 2)
      hk_inp_wrong(d->reader, "*AMPLITUDE, NAME=%s: give pairs of time and value", a->signal.name);
    for (int i = 0; i + 1 < count; i += 2)
      HK_PASS(add_point(d, a, &room, value[i] + shift_x, value[i + 1] + shift_y));
  }
  return HK_OK;
}

hk_status hk_deck_read_amplitude(deck *d, const hk_inp_line *line)
{
  const char *name = hk_inp_need(d->reader, line, "NAME");
  const int definition =
      hk_inp_choice(d->reader, line, "DEFINITION", HK_WORDS("TABULAR", "SMOOTH STEP"), 0);
  const int time = hk_inp_choice(d->reader, line, "TIME",
                                 HK_WORDS("STEP TIME", "TOTAL TIME", "STEP", "TOTAL"), 0);
  const int value = hk_inp_choice(d->reader, line, "VALUE", HK_WORDS("RELATIVE", "ABSOLUTE"), 0);
  if (hk_deck_refuse(d, line, HK_WORDS("USER"),
                     "hooke cannot call user subroutines: give points of time and value") ||
      !name || definition < 0 || time < 0 || value < 0)
    return hk_inp_skip(d->reader);
  if (hk_deck_parameter(d, line, "SMOOTH", 0) != 0)
    hk_inp_say(d->reader, HK_WARNING, line->place,
               "*AMPLITUDE, SMOOTH: ignored: the table is used as it is, without rounded corners");
  HK_PASS(hk_pool_more(&d->pool, &d->acts.amplitude));
  deck_amplitude *a = &d->acts.amplitude.at[d->acts.amplitude.count];
  *a = (deck_amplitude){.signal = {.kind = HK_SIGNAL_TABLE, .smooth = definition == 1, .scale = 1},
                        .place = line->place,
                        .total_time = time % 2 == 1,
                        .absolute = value == 1};
  d->acts.amplitude.count++;
  HK_PASS(hk_pool_text(&d->pool, name, &a->signal.name));
  HK_PASS(
      hk_deck_name(d, line->place, a->signal.name, DECK_AMPLITUDE, d->acts.amplitude.count - 1));
  if (hk_inp_value(line, "INPUT")) HK_PASS(hk_inp_push(d->reader, hk_inp_value(line, "INPUT")));
  HK_PASS(read_points(d, a, hk_deck_parameter(d, line, "SHIFTX", 0),
                      hk_deck_parameter(d, line, "SHIFTY", 0)));
  if (!a->signal.count)
    hk_inp_error(d->reader, line->place, "*AMPLITUDE, NAME=%s: it has no points of time and value",
                 name);
  return HK_OK;
}
