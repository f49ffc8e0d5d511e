/* What the user chose about pictures: what is given now, over what the run's case says (`picture` of run.json). A choice that contradicts
 * itself is refused before anything is read or drawn. */
#include "picture/picture.h"
#include <math.h>
#include <string.h>

static const char *text_of(const json_t *from, const char *key, const char *given)
{
  return given ? given : json_string_value(json_object_get(from, key));
}

static double number_of(const json_t *from, const char *key, double given)
{
  return given != 0 ? given : json_number_value(json_object_get(from, key));
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
  return HK_OK;
}

hk_status hk_picture_choose(const json_t *run, const hk_picture_desc *given, hk_picture_desc *out)
{
  const json_t *from = json_object_get(run, "picture");
  hk_picture_desc p = given ? *given : (hk_picture_desc){0};
  p.quantity = text_of(from, "quantity", p.quantity);
  p.component = text_of(from, "component", p.component);
  p.section = text_of(from, "section", p.section);
  p.scale = number_of(from, "scale", p.scale);
  choose_colours(from, &p);
  HK_PASS(check(&p));
  *out = p;
  return HK_OK;
}
