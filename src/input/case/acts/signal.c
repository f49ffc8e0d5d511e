/* `signal:` of a condition or source becomes a function of time (load/signal.h): a toneburst, a Gaussian, Ricker's wavelet, a step, or a table
 * from a list or a CSV file. Exactly one kind is given, with an optional scale. Keys that only copy a number are taken by
 * their rule in keys/rules_signal.c. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

static hk_status read_lists(hk_case *c, const hk_node *map, const hk_node *time,
                            const hk_node *value, hk_signal *out)
{
  hk_count i = 0;
  if (time->count != value->count || !time->count) {
    hk_case_error(c, map,
                  "table has %d times and %d values: give as many values as times, at least one",
                  time->count, value->count);
    return HK_OK;
  }
  HK_PASS(hk_get(&out->time, time->count));
  HK_PASS(hk_get(&out->value, time->count));
  out->count = time->count;
  const hk_node *v = value->child;
  for (const hk_node *t = time->child; t; t = t->next, v = v->next, i++) {
    out->time[i] = t->number, out->value[i] = v->number;
    if (t->refused || (t->next && t->next->refused) || !t->next || t->next->number >= t->number)
      continue;
    hk_case_error(c, t->next, "times must ascend: %s comes after %s", t->next->text, t->text);
    break;
  }
  return HK_OK;
}

static hk_status read_table_file(hk_case *c, const hk_node *map, const hk_node *file,
                                 hk_signal *out)
{
  hk_status status = HK_OK;
  char *path = NULL;
  double unit = 1;
  const hk_node *time_unit = hk_case_value(map, "time_unit");
  if (time_unit && c->plain) {
    hk_case_error(c, time_unit, "time_unit: the case has units: none");
    return HK_OK;
  }
  if (time_unit) {
    hk_unit parsed;
    const hk_dimension time = c->system.base[HK_TIME].dimension;
    const hk_status known = hk_unit_parse(time_unit->text, &parsed);
    if (known != HK_OK || !hk_same_dimension(parsed.dimension, time)) {
      hk_case_error(c, time_unit, "time_unit: \"%.40s\" is not a unit of time", time_unit->text);
      return HK_OK;
    }
    unit = hk_unit_si(&parsed) / c->model->units.si[HK_TIME];
  }
  HK_TRY(hk_case_beside(c, file->text, &path));
  HK_TRY(hk_model_add_file(c->model, path));
  HK_TRY(hk_case_forgive(c, file, hk_signal_read_csv(path, unit, out)));
cleanup:
  hk_free(&path);
  return status;
}

static hk_status read_table(hk_case *c, const hk_node *map, hk_signal *out)
{
  const hk_node *file = hk_node_find(map, "file"), *time = hk_node_find(map, "time"),
                *value = hk_node_find(map, "value");
  if (file ? time || value : !time || !value) {
    hk_case_error(c, map, "table needs either file, or time and value");
    return HK_OK;
  }
  out->kind = HK_SIGNAL_TABLE;
  if (file && !file->refused) return read_table_file(c, map, file, out);
  if (!file && !time->refused && !value->refused) return read_lists(c, map, time, value, out);
  return HK_OK;
}

static void read_gaussian(hk_case *c, const hk_node *map, hk_signal *out)
{
  const hk_node *a = hk_node_find(map, "a"), *width = hk_node_find(map, "width");
  const double w = hk_case_number(map, "width", 1);
  out->kind = HK_SIGNAL_GAUSSIAN;
  if (!a == !width)
    hk_case_error(c, map, "gaussian needs a or width, %s", a ? "not both" : "one of them");
  else if (width)
    out->a = 4 * log(2) / (w * w);
}

static hk_status read_kind(hk_case *c, const hk_node *map, hk_signal *out)
{
  hk_case_take(hk_key_find(hk_signal_rules, map->key, strlen(map->key))->inside, map, out);
  if (strcmp(map->key, "table") == 0) return read_table(c, map, out);
  if (strcmp(map->key, "gaussian") == 0) read_gaussian(c, map, out);
  if (strcmp(map->key, "toneburst") == 0) {
    const hk_node *window = hk_case_value(map, "window");
    out->kind = HK_SIGNAL_TONEBURST;
    out->hann = !window || window->number == 0;
  }
  if (strcmp(map->key, "ricker") == 0) {
    out->kind = HK_SIGNAL_RICKER;
    if (!hk_case_value(map, "t0") && out->frequency > 0) out->t0 = 1.2 / out->frequency;
  }
  return HK_OK;
}

static hk_status read_signal(hk_case *c, const hk_node *node, hk_signal *out)
{
  const hk_node *kind = NULL;
  int kinds = 0;
  out->scale = 1;
  out->kind = HK_SIGNAL_STEP;
  if (node->kind == HK_NODE_SCALAR) return HK_OK; /* "step" */
  for (const hk_node *n = node->child; n; n = n->next)
    if (strcmp(n->key, "scale") != 0) kind = n, kinds++;
  if (kinds != 1) {
    hk_case_error(c, node,
                  "signal has %d kinds: give one of toneburst, gaussian, ricker, step, table",
                  kinds);
    return HK_OK;
  }
  hk_case_take(hk_signal_rules, node, out);
  return kind->refused ? HK_OK : read_kind(c, kind, out);
}

hk_status hk_case_signal(hk_case *c, const hk_node *map, int *index)
{
  hk_status status = HK_OK;
  hk_signal signal = {0};
  const hk_node *node = hk_node_find(map, "signal");
  *index = -1;
  if (!node || node->refused) return HK_OK;
  if (c->still && !c->marches) {
    hk_case_error(c, node, "a static solution has no time: remove signal");
    return HK_OK;
  }
  HK_TRY(read_signal(c, node, &signal));
  HK_TRY(hk_model_add_signal(c->model, &signal, index));
cleanup:
  hk_signal_clear(&signal);
  return status;
}
