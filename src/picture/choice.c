/* What the user chose about pictures: what is given now, over what the run's case says (`picture` of run.json). A choice that contradicts
 * itself is refused before anything is read or drawn. */
#include "picture/picture.h"
#include "picture/trace_plot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *from, const char *key, const char *given)
{
  return given ? given : json_string_value(json_object_get(from, key));
}

static double number_of(const json_t *from, const char *key, double given)
{
  return given != 0 ? given : json_number_value(json_object_get(from, key));
}

/* What the case says of one quantity does not suit another that is named now. */
static bool of_another(const json_t *from, const char *quantity)
{
  const char *own = json_string_value(json_object_get(from, "quantity"));
  return own && quantity && strcmp(own, quantity) != 0;
}

/* Decibels that are given now stand in place of a range of the case, and a range in place of its decibels. */
static void choose_colours(const json_t *from, hk_picture_desc *p)
{
  const json_t *range = json_object_get(from, "range");
  if (p->low != 0 || p->high != 0 || p->decibels != 0) return;
  p->decibels = number_of(from, "decibels", 0);
  if (json_array_size(range) != 2) return;
  p->low = json_number_value(json_array_get(range, 0));
  p->high = json_number_value(json_array_get(range, 1));
}

static hk_status check(const hk_picture_desc *p)
{
  const bool fixed = p->low != 0 || p->high != 0;
  HK_NEED(!fixed || (p->low < p->high && isfinite(p->high - p->low)), HK_USAGE,
          "range from %g to %g: its second number must be above the first", p->low, p->high);
  HK_NEED(p->decibels >= 0 && isfinite(p->decibels), HK_USAGE, "decibels %g: must be above 0",
          p->decibels);
  HK_NEED(!fixed || p->decibels == 0, HK_USAGE,
          "range and decibels: give one of them, colours have one scale");
  HK_NEED(!p->section || !strcmp(p->section, "wiggle") || !strcmp(p->section, "density"), HK_USAGE,
          "section \"%s\": must be one of wiggle, density", p->section);
  HK_NEED(p->scale >= 0 && isfinite(p->scale), HK_USAGE, "scale %g: must be above 0", p->scale);
  HK_NEED(!p->at_time || isfinite(p->time), HK_USAGE, "time %g: must be a number", p->time);
  HK_NEED(!p->until || (p->at_time && p->time < p->last_time && isfinite(p->last_time)), HK_USAGE,
          "time from %g to %g: its second number must be above the first", p->time, p->last_time);
  HK_NEED(p->frame_rate >= 0 && isfinite(p->frame_rate), HK_USAGE, "frame rate %g: must be above 0",
          p->frame_rate);
  return HK_OK;
}

hk_status hk_picture_choose(const json_t *run, const hk_picture_desc *given, hk_picture_desc *out)
{
  const json_t *from = json_object_get(run, "picture");
  hk_picture_desc p = given ? *given : (hk_picture_desc){0};
  const json_t *of_one = of_another(from, p.quantity) ? NULL : from;
  p.quantity = text_of(from, "quantity", p.quantity);
  p.component = text_of(of_one, "component", p.component);
  if (p.component && !strcmp(p.component, "size")) p.component = NULL;
  p.section = text_of(from, "section", p.section);
  p.scale = number_of(from, "scale", p.scale);
  choose_colours(of_one, &p);
  HK_PASS(check(&p));
  *out = p;
  return HK_OK;
}

bool hk_picture_leaves_out(const hk_picture_desc *choice, const char *field)
{
  return !strcmp(field, "field_peak") && (choice->component || choice->at_time);
}

static bool speaks_of_frames(const hk_picture_desc *p)
{
  return p && (p->quantity || p->component || p->at_time || p->decibels != 0 || p->low != 0 ||
               p->high != 0);
}

/* *found: the field has the quantity; message: for a run none of whose fields does. */
static hk_status look_for(const char *run, const char *field, const char *quantity, bool *found,
                          char *message, size_t size)
{
  hk_field *f = NULL;
  HK_PASS(hk_field_open_values(run, field, &f));
  if (!f) return HK_OK;
  for (int q = 0; q < f->count && !*found; q++) *found = !strcmp(f->quantity[q].name, quantity);
  if (f->count && !*message)
    snprintf(message, size, "%.60s%s", f->quantity[0].name, f->count > 1 ? " and others" : "");
  hk_field_close(&f);
  return HK_OK;
}

hk_status hk_picture_check_fields(const char *run, int fields, char *const *field,
                                  const hk_picture_desc *given)
{
  hk_status status = HK_OK;
  hk_picture_desc p;
  json_t *json = NULL;
  char have[80] = "";
  int left = 0;
  bool found = false;
  if (!speaks_of_frames(given)) return HK_OK;
  HK_TRY(hk_run_json_read(run, &json));
  HK_TRY(hk_picture_choose(json, given, &p));
  for (int i = 0; i < fields && !found; i++) {
    if (hk_picture_leaves_out(&p, field[i])) continue;
    left++;
    if (p.quantity) HK_TRY(look_for(run, field[i], p.quantity, &found, have, sizeof have));
  }
  HK_CHECK(left, HK_USAGE,
           "%s: has no frames of fields: choose no quantity, component, time or colours", run);
  HK_CHECK(found || !p.quantity || !*have, HK_USAGE, "quantity \"%s\": the frames have %s",
           p.quantity, have);
cleanup:
  json_decref(json);
  return status;
}

hk_status hk_picture_check_sections(const hk_result *r, const hk_picture_desc *given)
{
  bool fits = false;
  if (!given || !(given->section || given->scale != 0)) return HK_OK;
  for (int i = 0; i < r->count; i++) fits = fits || hk_section_fits(&r->trace[i]);
  HK_NEED(fits, HK_USAGE,
          "%s: changes nothing here: only traces of more than eight receivers are drawn as "
          "sections, and the run has none",
          given->section ? "section" : "scale");
  return HK_OK;
}
