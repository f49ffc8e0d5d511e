/* The keys of static solutions and heat alone (docs/static.md, docs/heat.md): solve: {static, heat}, `equations` and outputs: {print: ...}.
 * The keys of solve.static can be set beside a deck too. An equation is the sum of factor times displacement = value, a line of (A.1) of
 * docs/theory/static.md; sets in it are paired node by node, on raised elements also the nodes on edges and faces. A degree of freedom that
 * comes twice counts once, with the sum of its factors. */
#include "element/element.h"
#include "input/case/case.h"
#include <math.h>
#include <string.h>

/* Shares of a capacity by the squares of shape functions, which nodes of second order need, are not those of a field that varies over the element. */
static void warn_of_lumped(hk_case *c, const hk_node *word)
{
  for (int b = 0; c->model->mesh && b < c->model->mesh->block_count; b++) {
    const hk_element *element = hk_element_of(c->model->mesh->block[b].shape);
    if (element->order != 2 || !hk_shape_listed(element->shape)) continue;
    hk_messages_add(c->list, HK_WARNING, c->tree.path, word->line, 0,
                    "capacity: lumped is less accurate on elements of second order (%s): give "
                    "consistent",
                    element->name);
    return;
  }
}

/* Of transient heat; what belongs to it alone is refused elsewhere. */
static void fill_times(hk_case *c, const hk_node *map, hk_step *step)
{
  const hk_node *end = hk_node_find(map, "end"), *dt = hk_node_find(map, "dt"),
                *lumped = hk_case_value(map, "capacity");
  if (!c->marches) {
    hk_case_refuse(c, map, HK_WORDS("theta", "capacity"), "",
                   c->heat ? " is for transient heat conduction: give end and dt"
                           : " is for transient solutions: give end and dt");
    return;
  }
  if (!end || !dt) {
    hk_case_error(c, map, "a transient solution needs end and dt: %s is missing",
                  end ? "dt" : "end");
    return;
  }
  step->duration = hk_case_number(map, "end", 1), step->dt = hk_case_number(map, "dt", 1);
  step->theta = hk_case_number(map, "theta", 1);
  step->lumped = lumped && lumped->number == 1;
  if (step->lumped) warn_of_lumped(c, lumped);
  if (step->dt > step->duration && !dt->refused && !end->refused)
    hk_case_error(c, dt, "dt is longer than the simulated time");
}

hk_status hk_case_fill_static(hk_case *c, const hk_node *map)
{
  hk_step *step = c->step;
  hk_static_how *how = &c->model->solve.how;
  *how = (hk_static_how){.method = "auto",
                         .preconditioner = "auto",
                         .relaxation = "auto",
                         .sweeps = "auto",
                         .form = "auto",
                         .library = "auto",
                         .ordering = "auto"};
  step->kind = c->heat ? HK_STEP_HEAT : hk_case_coupled(c) ? HK_STEP_COUPLED : HK_STEP_STATIC;
  step->duration = 1;
  step->place = hk_case_place(c, map);
  hk_case_take(hk_static_rules, map, how);
  hk_case_check_options(c, map);
  const hk_node *nonlinear = hk_case_value(map, "nonlinear");
  const hk_node *newton = hk_case_value(nonlinear, "method");
  how->newton = newton && newton->number > 0;
  how->nonlinear_tolerance = hk_case_number(nonlinear, "tolerance", 0);
  how->nonlinear_iterations = (int)hk_case_number(nonlinear, "iterations", 0);
  if (c->heat || hk_case_coupled(c)) fill_times(c, map, step);
  if (!c->marches)
    hk_case_refuse(c, c->tree.root, HK_WORDS("initial"), "",
                   " has no meaning in a static solution: remove it");
  hk_case_refuse(c, c->tree.root, HK_WORDS("damping", "absorb", "shots"), "",
                 !c->marches ? " has no meaning in a static solution: remove it"
                 : c->heat   ? " is for waves, not for heat conduction: remove it"
                             : " is for waves, not for coupled equations: remove it");
  return HK_OK;
}

/* Whether the text is a value of the key, and as a number. */
static bool fits(const hk_key *rule, const char *text, double *number)
{
  if (rule->form == HK_FORM_CHOICE) {
    for (int i = 0; hk_key_word(rule, i); i++)
      if (strcmp(hk_key_word(rule, i), text) == 0) return true;
    return false;
  }
  if (rule->form == HK_FORM_TEXT) return strlen(text) < rule->size;
  return hk_parse_number(text, strlen(text), number) == strlen(text) && *number >= rule->least &&
         *number <= rule->most && (rule->form == HK_FORM_NUMBER || *number == floor(*number));
}

hk_status hk_static_how_set(hk_static_how *how, const char *setting)
{
  double number = 0;
  const size_t length = strcspn(setting, "=");
  const char *value = setting[length] ? setting + length + 1 : "";
  const hk_key *rule = hk_key_find(hk_static_rules, setting, length);
  HK_NEED(rule && *value, HK_USAGE, "--set solve.static.%s: must be one of its keys and a value",
          setting);
  HK_NEED(fits(rule, value, &number), HK_USAGE, "--set solve.static.%s: there is no such value: %s",
          setting, rule->doc);
  hk_key_put(rule, value, number, how);
  return HK_OK;
}

typedef struct reading { /* of one equation */
  int terms;
  hk_target *node;        /* node[terms] */
  const hk_node **factor; /* maps of the terms */
  hk_count equations;     /* one per node of the sets */
  hk_reach *reach;        /* of the first set, where elements were raised */
} reading;

static hk_status find_node(hk_case *c, const hk_node *number, hk_target *out)
{
  const hk_index node = c->draft ? 0 : hk_mesh_find_node(c->model->mesh, (int64_t)number->number);
  if (node < 0) {
    hk_case_error(c, number, "there is no node %.0f", number->number);
    return HK_OK;
  }
  HK_PASS(hk_pool_few(&c->model->pool, &out->item, 1));
  out->item[out->count++] = node;
  return HK_OK;
}

/* The nodes of the term's set in the order of hk_mesh_reach, which is that of the first set's. */
static hk_status put_in_pairs(hk_case *c, const hk_node *map, reading *r)
{
  hk_status status = HK_OK;
  hk_target *target = &r->node[r->terms - 1];
  hk_reach *reach = NULL;
  bool same = true;
  HK_TRY(hk_mesh_reach(c->model->mesh, target->count, target->item, &reach));
  for (hk_count i = 0; i < target->count; i++) target->item[i] = reach[i].node;
  for (hk_count i = 0; r->reach && same && target->count == r->equations && i < target->count; i++)
    same = hk_reach_compare(&reach[i], &r->reach[i]) == 0;
  if (!same) {
    hk_case_error(
        c, map,
        "the sets of the equation have different edges and faces between their vertices: it pairs "
        "vertices in ascending order of node number, and the nodes on edges and faces likewise");
    r->equations = 0;
  }
  if (!r->reach) r->reach = reach, reach = NULL;
cleanup:
  hk_free(&reach);
  return status;
}

static hk_status read_term(hk_case *c, const hk_node *map, reading *r)
{
  const hk_node *set = hk_node_find(map, "set"), *number = hk_node_find(map, "node");
  const hk_node *component = hk_case_value(map, "component");
  hk_target *target = &r->node[r->terms];
  r->factor[r->terms++] = map;
  if (component && component->number >= c->model->mesh->dim && !c->any_dim)
    hk_case_error(c, component, "component z: the mesh is 2D");
  const bool either = hk_case_either(c, map, "set", "node");
  if (either && set && !set->refused)
    HK_PASS(hk_case_find_leading(c, set, target));
  else if (either && number && !number->refused)
    HK_PASS(find_node(c, number, target));
  if (c->draft && target->count) target->count = 1; /* how many it will have is not known */
  if (!target->count || !component) {
    r->equations = 0;
    return HK_OK;
  }
  if (hk_case_raised(c) && target->count > 1) {
    HK_PASS(put_in_pairs(c, map, r));
    if (!r->equations) return HK_OK;
  }
  if (target->count > 1 && r->equations > 1 && target->count != r->equations) {
    hk_case_error(c, map,
                  "the set has %lld nodes, another one %lld: an equation pairs its sets node by "
                  "node, so they must have as many",
                  (long long)target->count, (long long)r->equations);
    r->equations = 0;
  } else if (target->count > 1 && r->equations)
    r->equations = target->count;
  return HK_OK;
}

/* A degree of freedom that comes twice counts once, with the sum of its factors. */
static void add_term(hk_equation *e, hk_index node, int component, double factor)
{
  for (int i = 0; i < e->terms; i++)
    if (e->node[i] == node && e->component[i] == component) {
      e->coefficient[i] += factor;
      return;
    }
  e->node[e->terms] = node, e->component[e->terms] = (uint8_t)component;
  e->coefficient[e->terms++] = factor;
}

static hk_status add_equation(hk_case *c, const hk_node *map, const reading *r, hk_count n)
{
  hk_equation *e;
  HK_PASS(hk_model_add_equation(c->model, r->terms, hk_case_place(c, map), &e));
  e->value = hk_case_number(map, "value", 0);
  for (int i = 0; i < r->terms; i++)
    add_term(e, r->node[i].item[r->node[i].count > 1 ? n : 0],
             (int)hk_case_value(r->factor[i], "component")->number,
             hk_case_number(r->factor[i], "factor", 1));
  return HK_OK;
}

static hk_status fill_equation(hk_case *c, const hk_node *map)
{
  hk_status status = HK_OK;
  const hk_node *terms = hk_case_value(map, "terms");
  hk_pool own = {0};
  reading r = {.equations = 1};
  if (!terms) return HK_OK;
  const hk_count errors = c->tree.errors;
  HK_TRY(hk_pool_get(&own, &r.node, terms->count));
  HK_TRY(hk_pool_get(&own, &r.factor, terms->count));
  for (const hk_node *n = terms->child; n; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) HK_TRY(read_term(c, n, &r));
  if (c->tree.errors > errors || r.terms < terms->count) goto cleanup;
  for (hk_count n = 0; n < r.equations; n++) HK_TRY(add_equation(c, map, &r, n));
cleanup:
  hk_free(&r.reach);
  hk_pool_clear(&own);
  return status;
}

hk_status hk_case_fill_equations(hk_case *c)
{
  const hk_node *list = hk_case_value(c->tree.root, "equations");
  if (list && hk_case_coupled(c)) {
    hk_case_error(c, list, "equations join displacements: coupled equations have none");
    return HK_OK;
  }
  if (list && c->heat) {
    hk_case_error(c, list, "equations between temperatures are not supported");
    return HK_OK;
  }
  if (list && !c->still) {
    hk_case_error(c, list,
                  "equations are for static solutions: explicit steps do not support them");
    return HK_OK;
  }
  return hk_case_each(c, list, fill_equation);
}

enum {
  OF_NODES = 1u << HK_DISPLACEMENT | 1u << HK_REACTION | 1u << HK_TEMPERATURES,
  OF_ELEMENTS = 1u << HK_STRESS | 1u << HK_STRAIN | 1u << HK_HEAT_FLUX,
  OF_STATICS = 1u << HK_DISPLACEMENT | 1u << HK_REACTION,
  OF_HEAT = 1u << HK_TEMPERATURES | 1u << HK_REACTION
};

static hk_status add_print(hk_case *c, const hk_node *map, unsigned quantities, const hk_axes *axes)
{
  const hk_node *set = hk_case_value(map, "set"), *totals = hk_case_value(map, "totals");
  hk_print_request *p = &c->step->print[c->step->print_count++];
  *p = (hk_print_request){.elements = (quantities & OF_ELEMENTS) != 0,
                          .totals = totals && totals->number > 0,
                          .only_totals = totals && totals->number > 1,
                          .place = hk_case_place(c, map)};
  hk_print_tables(quantities, p->table, &p->tables);
  HK_PASS(hk_pool_text(&c->model->pool, set->text, &p->set));
  HK_PASS(p->elements ? hk_case_find_elements(c, set, &p->target)
                      : hk_case_find_held(c, set, &p->target));
  if (!axes || p->elements || !p->target.count) return HK_OK;
  p->local = true;
  HK_PASS(hk_pool_get(&c->model->pool, &p->axes, 9 * p->target.count));
  for (hk_count i = 0; i < p->target.count; i++)
    hk_case_axes_at(c, axes, p->target.item[i], (double(*)[3])(p->axes + 9 * i));
  return HK_OK;
}

static hk_status fill_print(hk_case *c, const hk_node *map)
{
  hk_axes axes;
  bool local;
  const unsigned quantities = hk_case_quantities(c, map, c->heat ? OF_HEAT : OF_STATICS);
  hk_case_axes(c, map, &axes, &local);
  if (local && quantities & OF_ELEMENTS)
    hk_case_error(c, hk_node_find(map, "axes"), "stress and strain are printed in global axes");
  if (!hk_case_value(map, "set")) return HK_OK;
  if (quantities & OF_NODES)
    HK_PASS(add_print(c, map, quantities & OF_NODES, local ? &axes : NULL));
  if (quantities & OF_ELEMENTS) HK_PASS(add_print(c, map, quantities & OF_ELEMENTS, NULL));
  return HK_OK;
}

hk_status hk_case_fill_prints(hk_case *c, const hk_node *list)
{
  if (hk_case_coupled(c)) {
    hk_case_error(c, list, "print does not support coupled equations: run.h5 has all unknowns");
    return HK_OK;
  }
  if (!c->still) {
    hk_case_error(c, list, "print is for static solutions: give traces");
    return HK_OK;
  }
  HK_PASS(hk_pool_get(&c->model->pool, &c->step->print, 2 * (hk_count)list->count));
  return hk_case_each(c, list, fill_print);
}
