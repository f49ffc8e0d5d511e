/* The key `outputs` of a case (docs/reference/case.md): traces at nodes or points, and frames of fields, each with its quantities and how
 * often. What is not computed for the procedure or the medium is refused. Without outputs a run keeps 100 frames of displacement or, of
 * fluids, pressure. With shots only the frames of named shots are kept. */
#include "base/kinds.h"
#include "input/case/case.h"
#include "physics/law.h"
#include <string.h>

/* Whether some material's stress is not C : strain of the same moment. */
static bool remembers(const hk_case *c)
{
  for (int r = 0; r < c->model->region_count; r++) {
    const hk_region *region = &c->model->region[r];
    const hk_law *law = hk_law_of(false, region, c->model->mesh->dim);
    if (!region->material.fluid && law && !law->linear) return true;
  }
  return false;
}

static unsigned bit_of(const hk_node *word)
{
  for (int k = 0; k < HK_QUANTITY_COUNT; k++)
    if (!strcmp(hk_quantity_name((hk_quantity)k), word->text)) return 1u << k;
  return 0;
}

/* The words of a key may be some of the quantities alone. */
static unsigned take_quantity(hk_case *c, const hk_node *node)
{
  static const unsigned moving = 1u << HK_VELOCITY | 1u << HK_ACCELERATION | 1u << HK_DIVERGENCE |
                                 1u << HK_ROTATION | 1u << HK_STRAIN_RATE;
  static const unsigned flowing = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY | 1u << HK_ACCELERATION;
  static const unsigned warm = 1u << HK_TEMPERATURES | 1u << HK_HEAT_FLUX;
  if (node->refused) return 0;
  const unsigned bit = bit_of(node);
  if (hk_case_coupled(c)) {
    hk_case_error(c, node, "quantity: all unknowns of coupled equations are written: remove it");
    return 0;
  }
  if (c->heat ? !(bit & (warm | 1u << HK_REACTION)) : bit & warm) {
    hk_case_error(c, node, "quantity: %s is not computed here: must be %s", node->text,
                  c->heat ? "temperature, reaction, heat_flux"
                          : "a mechanical one; temperatures are for physics: heat");
    return 0;
  }
  if (c->heat) return bit;
  if (bit & 1u << HK_PRESSURE ? !c->model->media.fluid
                              : !c->still && hk_case_medium(c) == HK_FLUID && !(bit & flowing)) {
    hk_case_error(c, node, "quantity: %s is not computed here: %s", node->text,
                  c->model->media.fluid
                      ? "must be pressure, displacement, velocity or acceleration, as "
                        "the whole model is fluid"
                      : "pressure is for fluids, and the model has none");
    return 0;
  }
  if (bit & flowing && !c->still && !hk_case_flows(c)) {
    hk_case_error(c, node,
                  "quantity: %s of fluids needs quadrilaterals or hexahedra; triangles and "
                  "tetrahedra give only pressure, and so do linear elements of axisymmetric models",
                  node->text);
    return 0;
  }
  if (hk_case_antiplane(c) && bit & 1u << HK_DIVERGENCE)
    hk_case_error(c, node, "quantity: divergence is 0 with plane: antiplane: remove it");
  if (c->still && bit & moving)
    hk_case_error(c, node, "%s is %s in a static solution: remove it", node->text,
                  bit & (1u << HK_VELOCITY | 1u << HK_ACCELERATION) ? "0" : "not given");
  if (!c->still && bit & 1u << HK_STRESS && remembers(c))
    hk_case_error(c, node,
                  "quantity: stress of viscoelastic materials is not given: ask for strain");
  if (!c->still && bit & 1u << HK_REACTION)
    hk_case_error(c, node,
                  "quantity: reaction is not given by explicit steps: must be displacement, "
                  "velocity, acceleration, stress, strain, strain_rate, divergence, rotation, or "
                  "pressure of a fluid");
  return bit;
}

static unsigned default_quantity(const hk_case *c)
{
  if (c->heat || hk_case_coupled(c)) return 1u << HK_TEMPERATURES;
  return 1u << (hk_case_medium(c) == HK_FLUID ? HK_PRESSURE : HK_DISPLACEMENT);
}

unsigned hk_case_quantities(hk_case *c, const hk_node *map, unsigned otherwise)
{
  const hk_node *node = hk_case_value(map, "quantity");
  unsigned bits = 0;
  if (!node) return otherwise;
  if (node->kind == HK_NODE_SCALAR) return take_quantity(c, node);
  for (const hk_node *n = node->child; n; n = n->next) bits |= take_quantity(c, n);
  return bits;
}

static bool taken(const hk_step *step, const char *name)
{
  for (int i = 0; i < step->trace_count; i++)
    if (step->trace[i].name && strcmp(step->trace[i].name, name) == 0) return true;
  return false;
}

/* A given name must be new and able to name a group of run.h5; others get a number when they are
 * repeated: rx, rx_2, ... */
static hk_status name_trace(hk_case *c, const hk_node *map, const hk_step *step, const char **out)
{
  hk_status status = HK_OK;
  char *name = NULL;
  const hk_node *given = hk_case_value(map, "name");
  const char *base =
      given ? given->text
            : hk_case_text(map, "set", hk_node_find(map, "fibre") ? "fibre" : "points");
  HK_TRY(hk_copy_text(&name, base));
  if (!*base || strchr(base, '/') || strcmp(base, ".") == 0)
    hk_case_error(c, given ? given : map,
                  "\"%.60s\" cannot name a trace: must not be empty or have a slash", base);
  else if (given && taken(step, base))
    hk_case_error(c, given, "another trace is named \"%.60s\": rename one", base);
  for (int i = 2; !given && taken(step, name); i++) {
    hk_free(&name);
    HK_TRY(hk_format(&name, "%s_%d", base, i));
  }
  HK_TRY(hk_pool_text(&c->model->pool, name, out));
cleanup:
  hk_free(&name);
  return status;
}

/* A cable in place of points: its channels. */
static hk_status fill_fibre(hk_case *c, const hk_node *map, hk_trace_request *trace)
{
  const unsigned own = 1u << HK_STRAIN | 1u << HK_STRAIN_RATE;
  const hk_node *fibre = hk_node_find(map, "fibre"), *quantity = hk_node_find(map, "quantity");
  if (c->heat || hk_case_medium(c) == HK_FLUID || hk_case_antiplane(c))
    hk_case_error(c, fibre, "fibre: a cable measures the strain of solids in the plane or in 3D");
  else if (trace->quantities & ~own)
    hk_case_error(c, quantity, "quantity: a fibre gives strain and strain_rate along itself");
  return fibre->refused ? HK_OK : hk_case_fibre(c, fibre, trace);
}

static hk_status fill_trace(hk_case *c, const hk_node *map)
{
  hk_step *step = c->step;
  const char *name;
  const hk_node *set = hk_node_find(map, "set"), *at = hk_node_find(map, "at");
  HK_PASS(name_trace(c, map, step, &name));
  hk_trace_request *trace = &step->trace[step->trace_count++];
  trace->name = name;
  trace->place = hk_case_place(c, map);
  const bool cable = hk_node_find(map, "fibre");
  trace->quantities = hk_case_quantities(c, map, cable ? 1u << HK_STRAIN : default_quantity(c));
  if (c->heat && trace->quantities & ~(1u << HK_TEMPERATURES))
    hk_case_error(c, hk_node_find(map, "quantity"), "traces of heat conduction have temperature");
  hk_case_both(c, map, "every", "interval");
  hk_case_take(hk_trace_rules, map, trace);
  if (!set && !at && !cable) hk_case_error(c, map, "the trace lacks \"set\" or \"at\"");
  if (hk_case_both(c, map, "set", "at") || hk_case_both(c, map, "set", "fibre") ||
      hk_case_both(c, map, "at", "fibre"))
    return HK_OK;
  if (cable) {
    hk_case_refuse(c, map, HK_WORDS("order", "from"), "", " is for the nodes of a set: remove it");
    return fill_fibre(c, map, trace);
  }
  if (set && !set->refused) HK_PASS(hk_case_find_nodes(c, set, &trace->target));
  HK_PASS(hk_case_order_nodes(c, map, &trace->target));
  if (!at || at->refused) return HK_OK;
  double(*points)[3];
  hk_count count;
  HK_PASS(hk_case_points(c, &c->model->pool, at, &count, &points));
  trace->at = count ? points[0] : NULL, trace->point_count = count;
  return HK_OK;
}

/* Numbers of `shots:`, from 1 in the file. */
static hk_status read_shots(hk_case *c, const hk_node *node, int shots, hk_field_request *field)
{
  hk_status status = HK_OK;
  bool *named = NULL;
  const bool list = node->kind == HK_NODE_LIST;
  if (!shots) {
    hk_case_error(c, node, "the case has no shots");
    return HK_OK;
  }
  HK_TRY(hk_get(&named, shots));
  for (const hk_node *n = list ? node->child : node; n; n = list ? n->next : NULL) {
    if (n->refused || (c->draft && n->number > shots)) continue; /* of a set: not known yet */
    if (n->number > shots)
      hk_case_error(c, n, "there is no shot %.0f: the case has %d", n->number, shots);
    else
      named[(int)n->number - 1] = true;
  }
  HK_TRY(hk_pool_get(&c->model->pool, &field->shot, shots));
  for (int k = 0; k < shots; k++)
    if (named[k]) field->shot[field->shot_count++] = k;
cleanup:
  hk_free(&named);
  return status;
}

/* With shots frames are kept of those alone that are named. */
static void check_frames(hk_case *c, const hk_node *map)
{
  hk_step *step = c->step;
  if (!step->shot_count || step->field.shot_count || !step->field.quantities) return;
  if (!hk_node_find(map, "shots"))
    hk_messages_add(c->list, HK_WARNING, c->tree.path, map->line, 0,
                    "field names no shots, so hooke keeps no frames: give shots: [1]");
  step->field.quantities = 0;
}

static void fill_field(hk_case *c, const hk_node *map, hk_field_request *field)
{
  hk_case_both(c, map, "frames", "interval");
  field->quantities = hk_case_quantities(c, map, default_quantity(c));
  if (field->quantities & 1u << HK_STRAIN_RATE)
    hk_case_error(c, hk_node_find(map, "quantity"),
                  "quantity: strain_rate is of traces: ask a field for strain");
  hk_case_take(hk_field_rules, map, field);
  field->asked = field->frames > 0;
  if (!field->frames && !(field->interval > 0)) field->frames = 100;
  field->place = hk_case_place(c, map);
}

/* Refused: what has no steps in time, and vectors of fluids, which the solver does not keep. */
static void fill_peak(hk_case *c, const hk_node *map)
{
  enum { VECTORS = 1u << HK_DISPLACEMENT | 1u << HK_VELOCITY | 1u << HK_ACCELERATION };
  const hk_node *quantity = hk_case_value(map, "quantity");
  const bool fluid = hk_case_medium(c) == HK_FLUID;
  if ((c->still || c->heat || hk_case_coupled(c))) {
    hk_case_error(c, map, "peak: peak maps are of explicit steps: remove it");
    return;
  }
  const unsigned asked = hk_case_quantities(c, map, 1u << (fluid ? HK_PRESSURE : HK_VELOCITY));
  if (fluid && asked & VECTORS)
    hk_case_error(c, quantity, "peak: peak maps of fluids are of pressure");
  c->step->peaks = asked;
}

static hk_status fill_static(hk_case *c, const hk_node *outputs)
{
  hk_step *step = c->step;
  const hk_node *field = hk_node_find(outputs, "field"), *print = hk_case_value(outputs, "print");
  const hk_node *traces = hk_node_find(outputs, "traces"), *peak = hk_node_find(outputs, "peak");
  const unsigned all = c->heat ? 1u << HK_TEMPERATURES | 1u << HK_REACTION | 1u << HK_HEAT_FLUX
                               : 1u << HK_DISPLACEMENT | 1u << HK_REACTION | 1u << HK_STRESS;
  step->field = (hk_field_request){.frames = 1, .quantities = all};
  if (traces)
    hk_case_error(c, traces,
                  "traces are for solutions in time: a static solution has print and field");
  if (peak && !peak->refused) fill_peak(c, peak);
  if (field && !field->refused) {
    step->field.quantities = hk_case_quantities(c, field, all);
    step->field.place = hk_case_place(c, field);
    hk_case_refuse(c, field, HK_WORDS("frames", "interval", "shots"), "",
                   ": a static solution has one frame");
  }
  return print ? hk_case_fill_prints(c, print) : HK_OK;
}

/* The components of a quantity, as its file names them; "": it is a number. */
static const char *components_of(const hk_case *c, hk_quantity quantity)
{
  const bool flat = c->model->mesh->dim == 2 && !hk_case_spatial(c);
  if (hk_case_antiplane(c)) /* u_z is a number; xz and yz lie as a vector in files */
    return quantity == HK_STRESS || quantity == HK_STRAIN || quantity == HK_ROTATION ? "x y" : "";
  switch (quantity) {
  case HK_STRESS:
  case HK_STRAIN: return flat ? "xx yy zz xy" : "xx yy zz xy xz yz";
  case HK_ROTATION: return flat ? "" : "x y z";
  case HK_TEMPERATURES:
  case HK_PRESSURE:
  case HK_DIVERGENCE: return "";
  case HK_REACTION: return c->heat ? "" : flat ? "x y" : "x y z";
  default: return flat ? "x y" : "x y z";
  }
}

static bool has_word(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (const char *w = words; *w; w += strcspn(w, " "), w += strspn(w, " "))
    if (strcspn(w, " ") == length && !strncmp(w, word, length)) return true;
  return false;
}

/* The quantity that is named, or the only one; none, after an error, where a component or a range suits no single one. Peak maps have no
 * components. */
static void check_picture(hk_case *c, const hk_node *map, unsigned frames, unsigned peaks)
{
  const hk_node *named = hk_case_value(map, "quantity"), *part = hk_case_value(map, "component");
  const hk_node *of_one = part ? part : hk_case_value(map, "range");
  const unsigned quantities = part ? frames : frames | peaks;
  int only = -1, count = 0;
  for (int k = 0; k < HK_QUANTITY_COUNT; k++)
    if (quantities & 1u << k) only = k, count++;
  if (named && (hk_case_coupled(c) || !(quantities & 1u << (unsigned)named->number))) {
    hk_case_error(
        c, named, "quantity: the field does not have %s%s", named->text,
        part && peaks & 1u << (unsigned)named->number ? ", and peak maps have no components" : "");
    return;
  }
  if (named) only = (int)named->number, count = 1;
  if (!of_one) return;
  if (count != 1 || hk_case_coupled(c))
    hk_case_error(c, of_one,
                  count ? "the field has several quantities: name one with quantity"
                        : "the case keeps no frames of a field: request them with field");
  else if (part && !has_word(components_of(c, (hk_quantity)only), part->text))
    hk_case_error(c, part, "component: %s has %s", hk_quantity_name((hk_quantity)only),
                  *components_of(c, (hk_quantity)only) ? components_of(c, (hk_quantity)only)
                                                       : "none");
}

/* Sections are drawn of many receivers. Of a draft's sets the nodes are not known yet. */
static void check_section(hk_case *c, const hk_node *map)
{
  const hk_node *section = hk_case_value(map, "section"), *scale = hk_case_value(map, "scale");
  bool fits = c->draft;
  for (int i = 0; i < c->step->trace_count; i++) {
    const hk_trace_request *t = &c->step->trace[i];
    fits = fits || t->target.count + t->point_count > HK_MOST_CURVES;
  }
  if (!fits && (section || scale))
    hk_case_error(
        c, section ? section : scale,
        "%s: changes nothing: only traces of more than %d receivers are drawn as sections, "
        "and the case has none",
        section ? "section" : "scale", HK_MOST_CURVES);
}

static hk_status fill_picture(hk_case *c, const hk_node *map)
{
  hk_picture_request *p = &c->step->picture;
  hk_pool *pool = &c->model->pool;
  const hk_node *range = hk_case_value(map, "range");
  hk_case_both(c, map, "range", "decibels");
  hk_case_take(hk_picture_rules, map, p);
  HK_PASS(hk_pool_text(pool, hk_case_text(map, "quantity", NULL), &p->quantity));
  HK_PASS(hk_pool_text(pool, hk_case_text(map, "component", NULL), &p->component));
  HK_PASS(hk_pool_text(pool, hk_case_text(map, "section", NULL), &p->section));
  if (range) hk_case_numbers(range, 2, p->range);
  if (range && !(p->range[0] < p->range[1]))
    hk_case_error(c, range, "range: its second number must be above the first");
  check_picture(c, map, c->step->field.quantities, c->step->peaks);
  check_section(c, map);
  return HK_OK;
}

static hk_status fill_results(hk_case *c, const hk_node *outputs)
{
  hk_step *step = c->step;
  if (c->still && !c->marches) return fill_static(c, outputs);
  if (hk_case_value(outputs, "print"))
    HK_PASS(hk_case_fill_prints(c, hk_case_value(outputs, "print")));
  if (!outputs) {
    hk_messages_add(
        c->list, HK_WARNING, c->tree.path, 0, 0,
        step->shot_count
            ? "the case requests no outputs: hooke keeps only energies"
            : "the case requests no outputs: hooke keeps 100 frames of %s, and energies",
        hk_case_coupled(c)              ? "the unknowns"
        : c->heat                       ? "temperature"
        : hk_case_medium(c) == HK_FLUID ? "pressure"
                                        : "displacement");
    if (!step->shot_count) step->field.quantities = default_quantity(c), step->field.frames = 100;
  }
  const hk_node *field = hk_node_find(outputs, "field"), *traces = hk_case_value(outputs, "traces");
  if (field && !field->refused) {
    const hk_node *shots = hk_case_value(field, "shots");
    fill_field(c, field, &step->field);
    if (shots) HK_PASS(read_shots(c, shots, step->shot_count, &step->field));
    check_frames(c, field);
  }
  const hk_node *peak = hk_node_find(outputs, "peak");
  if (peak && !peak->refused) fill_peak(c, peak);
  if (!traces) return HK_OK;
  if (hk_case_coupled(c)) {
    hk_case_error(c, traces,
                  "traces do not support coupled equations: give field: {interval: ...}");
    return HK_OK;
  }
  HK_PASS(hk_pool_get(&c->model->pool, &step->trace, traces->count));
  return hk_case_each(c, traces, fill_trace);
}

hk_status hk_case_fill_outputs(hk_case *c)
{
  const hk_node *outputs = hk_node_find(c->tree.root, "outputs");
  const hk_node *picture = hk_case_value(outputs, "picture");
  HK_PASS(fill_results(c, outputs));
  return picture ? fill_picture(c, picture) : HK_OK;
}
