/* Fields of data lines and parameters of keyword lines that steps share: integers within limits, numbers that must be there, names, directions
 * (normalised to 1, with a warning where they are not), and parameters that are not supported. Each function tells the error at the line and
 * says what was expected. */
#include "input/deck/parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

double hk_deck_parameter(deck *d, const hk_inp_line *line, const char *name, double value)
{
  const char *text = hk_inp_value(line, name);
  if (text && (hk_parse_number(text, strlen(text), &value) != strlen(text) || !isfinite(value)))
    hk_inp_error(d->reader, line->place, "*%s, %s=%s: must be a number", line->keyword->name, name,
                 text);
  return value;
}

bool hk_deck_refuse(deck *d, const hk_inp_line *line, const char *const *names, const char *why)
{
  bool refused = false;
  for (int i = 0; names[i]; i++)
    if (hk_inp_given(line, names[i])) {
      hk_inp_error(d->reader, line->place, "*%s, %s: %s", line->keyword->name, names[i], why);
      refused = true;
    }
  return refused;
}

hk_status hk_deck_fields(deck *d, const hk_inp_line *line, hk_inp_field field[DECK_FIELDS],
                         int most, int *count)
{
  const hk_status status = hk_inp_fields(d->reader, field, count);
  for (int i = *count < 0 ? 0 : *count; i < DECK_FIELDS; i++) field[i] = (hk_inp_field){"", 0};
  if (*count >= 0 && !hk_deck_no_more(d, line, field, most)) *count = -1;
  return status;
}

hk_status hk_deck_each_row(deck *d, const hk_inp_line *line, int most, deck_row *take, void *to)
{
  hk_inp_field field[DECK_FIELDS];
  int count;
  if (hk_inp_value(line, "INPUT")) HK_PASS(hk_inp_push(d->reader, hk_inp_value(line, "INPUT")));
  for (;;) {
    HK_PASS(hk_deck_fields(d, line, field, most, &count));
    if (count == HK_INP_END) break;
    if (count >= 0) HK_PASS(take(d, line, field, to));
  }
  return HK_OK;
}

hk_status hk_deck_each_name(deck *d, const hk_inp_line *line, deck_take *take, void *to)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  for (;;) {
    int count;
    HK_PASS(hk_inp_fields(d->reader, field, &count));
    if (count == HK_INP_END) break;
    for (int i = 0; i < count; i++)
      if (field[i].length) take(d, line, field[i], to);
  }
  return HK_OK;
}

bool hk_deck_no_more(deck *d, const hk_inp_line *line, const hk_inp_field field[DECK_FIELDS],
                     int most)
{
  char what[80];
  snprintf(what, sizeof what, "*%s", line->keyword->name);
  return hk_inp_no_more(d->reader, field, DECK_FIELDS, most, what);
}

bool hk_deck_integer(deck *d, hk_inp_field field, const char *what, int least, int most, int *value)
{
  int64_t got = INT64_MIN;
  if (!hk_inp_integer(d->reader, field, what, &got)) return false;
  if (got >= least && got <= most) {
    *value = (int)got;
    return true;
  }
  return hk_inp_wrong(d->reader, "%s: \"%.*s\" must be %d to %d", what, hk_inp_shown(field, 40),
                      field.text, least, most);
}

bool hk_deck_size(deck *d, hk_inp_field field, const char *what, double *value)
{
  if (field.length) return hk_inp_number(d->reader, field, what, value);
  return hk_inp_wrong(d->reader, "%s is missing", what);
}

hk_status hk_deck_refer(deck *d, hk_inp_field field, deck_ref *to)
{
  *to = (deck_ref){.scope = hk_inp_scope(d->inp), .place = hk_inp_here(d->reader)};
  return field.length ? hk_inp_keep_field(d->reader, field, &to->name) : HK_OK;
}

hk_status hk_deck_refer_value(deck *d, const hk_inp_line *line, const char *name, deck_ref *to)
{
  *to = (deck_ref){.scope = hk_inp_scope(d->inp), .place = line->place};
  return hk_inp_keep(d->reader, hk_inp_value(line, name), &to->name);
}

bool hk_deck_needs_name(deck *d, const hk_inp_line *line, hk_inp_field field)
{
  if (field.length) return true;
  return hk_inp_wrong(d->reader, "*%s: a set or number is missing", line->keyword->name);
}

bool hk_deck_direction(deck *d, const hk_inp_field *field, const char *what, double vector[3])
{
  double length = 0;
  for (int i = 0; i < 3; i++) {
    vector[i] = 0;
    if (!hk_inp_number(d->reader, field[i], what, &vector[i])) return false;
    length += vector[i] * vector[i];
  }
  length = sqrt(length);
  if (!(length > 0) || !isfinite(length))
    return hk_inp_wrong(d->reader, "%s: its direction is missing", what);
  if (fabs(length - 1) > 1e-6)
    hk_inp_say(d->reader, HK_WARNING, hk_inp_here(d->reader),
               "%s: the direction has length %g and is normalised to 1", what, length);
  for (int i = 0; i < 3; i++) vector[i] /= length;
  return true;
}
