/* Keys of coupled equations (docs/coupled.md): the names of the unknowns, `terms` of materials, and the items of boundary, sources and initial. A term
 * belongs to an equation, named by the unknown whose test function multiplies it, and to the unknown in it; it becomes entries c[a][b][i][j] of
 * (A.40). Values are plain numbers in the file's units, or formulas of the place. Keys of other physics are refused here, and these elsewhere. */
#include "input/case/case.h"
#include <ctype.h>
#include <string.h>

static const char *const key_of_its_own[] = {"unknown", "value", "source", "terms", NULL};
static const hk_node *solve_of(const hk_case *c)
{
  const hk_node *solve = hk_node_find(c->tree.root, "solve");
  const bool other = hk_node_find(solve, "explicit") || hk_node_find(solve, "static") ||
                     hk_node_find(solve, "heat");
  return other ? NULL : hk_node_find(solve, "coupled");
}

bool hk_case_coupled(const hk_case *c)
{
  return solve_of(c) != NULL;
}

void hk_case_refuse_coupled(hk_case *c, const hk_node *map)
{
  hk_case_refuse(c, map, key_of_its_own, "",
                 " is for coupled equations: give solve: {coupled: {unknowns: [...]}}");
}

static void refuse_others(hk_case *c, const hk_node *map)
{
  hk_case_refuse_mechanics(c, map, "coupled equations");
  hk_case_refuse(c, map, HK_WORDS("heat", "temperature"), "",
                 " is not for coupled equations: remove it");
}

/* Names begin with a letter and go on with letters, digits and _: they name datasets of run.h5. */
static bool is_name(const char *text)
{
  bool good = isalpha((unsigned char)text[0]) && strlen(text) < HK_NAME_TEXT;
  for (const char *t = text; *t; t++) good = good && (isalnum((unsigned char)*t) || *t == '_');
  return good && strncmp(text, "reaction_", 9) != 0 && strncmp(text, "flux_", 5) != 0 &&
         strcmp(text, "points") != 0;
}

hk_status hk_case_take_unknowns(hk_case *c)
{
  const hk_node *list = hk_case_value(solve_of(c), "unknowns");
  hk_names *names = &c->model->solve.unknown;
  if (!list) return HK_OK; /* told already */
  for (const hk_node *n = list->child; n && names->count < HK_MOST_EQUATIONS; n = n->next) {
    bool twice = false;
    if (n->refused || n->kind != HK_NODE_SCALAR) continue;
    for (int b = 0; b < names->count; b++) twice = twice || !strcmp(names->name[b], n->text);
    if (twice || !is_name(n->text))
      hk_case_error(c, n,
                    twice
                        ? "unknowns: \"%.60s\" is there twice"
                        : "unknowns: \"%.60s\" is no name of an unknown: give a letter, then up to "
                          "30 letters, digits and _; not points, reaction_... or flux_...",
                    n->text);
    HK_PASS(hk_pool_text(&c->model->pool, n->text, &names->name[names->count++]));
  }
  return HK_OK;
}

/* The number of the unknown that the key of the map names; `otherwise` without the key. -1, with an error, where there is none. */
static int number_of(hk_case *c, const hk_node *map, const char *key, int otherwise)
{
  const hk_names *names = &c->model->solve.unknown;
  const hk_node *word = hk_node_find(map, key);
  if (word && word->refused) return -1;
  if (!word && otherwise < 0) hk_case_error(c, map, "%s is missing: name one of the unknowns", key);
  if (!word) return otherwise;
  for (int b = 0; b < names->count; b++)
    if (!strcmp(names->name[b], word->text)) return b;
  hk_case_unknown(c, word, "unknown", names->name, names->count,
                  " is not in solve: {coupled: {unknowns: ...}}");
  return -1;
}

/* Where there is one unknown alone it need not be named. */
static int only(const hk_case *c)
{
  return c->model->solve.unknown.count == 1 ? 0 : -1;
}

typedef struct reading {
  hk_coupled *to;
  hk_coupled_term next; /* its equation and unknown */
  bool capacity;        /* which terms are taken in this pass */
} reading;

/* One entry of c: a number, or a formula. */
static hk_status add_entry(hk_case *c, reading *r, const hk_node *value, int i, int j)
{
  if (value->refused) return HK_OK;
  HK_PASS(hk_pool_room(&c->model->pool, &r->to->term, r->to->count + 1));
  hk_coupled_term *t = &r->to->term[r->to->count];
  *t = r->next, t->i = (uint8_t)i, t->j = (uint8_t)j;
  t->value = value->kind == HK_NODE_MAP ? 1 : value->number;
  if (value->kind == HK_NODE_MAP) HK_PASS(hk_case_formula(c, value, false, &t->by));
  if (t->by || t->value != 0) r->to->count++;
  return HK_OK;
}

/* One for all directions, one for each, or dim x dim, row by row. */
static hk_status add_diffusion(hk_case *c, reading *r, const hk_node *node)
{
  const int dim = c->model->mesh->dim;
  int k = 0;
  if (node->kind != HK_NODE_LIST) {
    for (int d = 1; d <= dim; d++) HK_PASS(add_entry(c, r, node, d, d));
    return HK_OK;
  }
  if (node->count != dim && node->count != dim * dim && !c->any_dim) {
    hk_case_error(c, node, "diffusion has %d values: give 1, %d along the axes, or %d row by row",
                  node->count, dim, dim * dim);
    return HK_OK;
  }
  for (const hk_node *n = node->child; n && k < dim * dim; n = n->next, k++)
    HK_PASS(node->count == dim ? add_entry(c, r, n, k + 1, k + 1)
                               : add_entry(c, r, n, k / dim + 1, k % dim + 1));
  return HK_OK;
}

/* One for each direction: of the derivatives of the unknown, or of the test function. */
static hk_status add_vector(hk_case *c, reading *r, const hk_node *node, bool conservative)
{
  const int dim = c->model->mesh->dim;
  int k = 1;
  if (node->count != dim && !c->any_dim) {
    hk_case_error(c, node, "%s has %d values: give %d, as the mesh has dimensions", node->key,
                  node->count, dim);
    return HK_OK;
  }
  for (const hk_node *n = node->child; n && k <= dim; n = n->next, k++)
    HK_PASS(conservative ? add_entry(c, r, n, k, 0) : add_entry(c, r, n, 0, k));
  return HK_OK;
}

static hk_status add_term(hk_case *c, const hk_node *map, reading *r)
{
  const int equation = number_of(c, map, "equation", only(c)),
            unknown = equation < 0 ? -1 : number_of(c, map, "unknown", equation);
  const hk_node *diffusion = hk_case_value(map, "diffusion"),
                *convection = hk_case_value(map, "convection"),
                *conservative = hk_case_value(map, "conservative_convection"),
                *reaction = hk_case_value(map, "reaction"),
                *capacity = hk_case_value(map, "capacity");
  if (unknown < 0) return HK_OK;
  r->next = (hk_coupled_term){.equation = (uint8_t)equation, .unknown = (uint8_t)unknown};
  if (r->capacity) return capacity ? add_entry(c, r, capacity, 0, 0) : HK_OK;
  if (!diffusion && !convection && !conservative && !reaction && !hk_node_find(map, "capacity"))
    hk_case_error(c, map,
                  "the term is empty: give diffusion, convection, conservative_convection, "
                  "reaction or capacity");
  if (diffusion) HK_PASS(add_diffusion(c, r, diffusion));
  if (convection) HK_PASS(add_vector(c, r, convection, false));
  if (conservative) HK_PASS(add_vector(c, r, conservative, true));
  return reaction ? add_entry(c, r, reaction, 0, 0) : HK_OK;
}

/* Capacities come behind all others. What is wrong with a term is told in the first pass. */
static hk_status add_terms(hk_case *c, const hk_node *list, reading *r)
{
  const hk_count errors = c->tree.errors;
  hk_status status = HK_OK;
  for (const hk_node *n = list->child; n && status == HK_OK; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) status = add_term(c, n, r);
  if (status != HK_OK || c->tree.errors > errors) return status;
  r->to->steady = r->to->count, r->capacity = true;
  for (const hk_node *n = list->child; n && status == HK_OK; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) status = add_term(c, n, r);
  return status;
}

hk_status hk_case_read_coupled(hk_case *c, const hk_node *map, hk_material *out, bool *good)
{
  const hk_node *list = hk_case_value(map, "terms");
  const hk_count errors = c->tree.errors;
  hk_coupled *coupled;
  for (const hk_node *n = map->child; n; n = n->next)
    if (strcmp(n->key, "terms"))
      hk_case_error(c, n, "material %s: %s is not for coupled equations: give terms", map->key,
                    n->key);
  if (!hk_node_find(map, "terms"))
    hk_case_error(c, map, "material %s lacks \"terms\", the coefficients of the equations",
                  map->key);
  if (!list || !c->model->solve.unknown.count) return HK_OK;
  HK_PASS(hk_pool_few(&c->model->pool, &coupled, 1));
  coupled->equations = c->model->solve.unknown.count;
  reading r = {.to = coupled};
  HK_PASS(add_terms(c, list, &r));
  out->coupled = coupled;
  *good = c->tree.errors == errors;
  return HK_OK;
}

hk_status hk_case_fill_coupled_condition(hk_case *c, const hk_node *map)
{
  static const char *const key[] = {"value", "flux", "film"};
  const hk_node *what = NULL;
  int given = 0, signal;
  refuse_others(c, map);
  const int unknown = number_of(c, map, "unknown", only(c));
  for (int k = 0; k < 3; k++) {
    if (!hk_node_find(map, key[k])) continue;
    given++, what = hk_case_value(map, key[k]);
  }
  if (given != 1)
    hk_case_error(c, map, "the condition has %d of value, flux, film: give exactly one", given);
  HK_PASS(hk_case_signal(c, map, &signal));
  if (given != 1 || unknown < 0 || !what || !hk_case_value(map, "set")) return HK_OK;
  return hk_node_find(map, "value") ? hk_case_add_value(c, map, what, unknown, signal)
                                    : hk_case_add_on_faces(c, map, what, unknown, signal);
}

hk_status hk_case_fill_coupled_source(hk_case *c, const hk_node *map)
{
  const hk_node *source = hk_case_value(map, "source");
  hk_load *l;
  int signal;
  refuse_others(c, map);
  const int equation = number_of(c, map, "unknown", only(c));
  if (!hk_node_find(map, "source")) hk_case_error(c, map, "the source lacks \"source\"");
  if (!source || equation < 0) return HK_OK;
  HK_PASS(hk_case_signal(c, map, &signal));
  HK_PASS(hk_step_add_load(c->model, c->step, HK_LOAD_HEAT, signal, hk_case_place(c, map), &l));
  l->component = equation;
  HK_PASS(hk_case_amount(c, source, false, l->vector, &l->by));
  HK_PASS(hk_case_delay(c, map, NULL, &l->delay, &l->delays));
  return hk_case_find_volume(c, map, &l->target);
}

hk_status hk_case_fill_coupled_state(hk_case *c, const hk_node *map)
{
  const hk_node *set = hk_case_value(map, "set"), *given = hk_case_value(map, "value");
  hk_initial *state;
  refuse_others(c, map);
  const int unknown = number_of(c, map, "unknown", only(c));
  if (!hk_node_find(map, "value")) hk_case_error(c, map, "the initial state is empty: give value");
  if (!set || !given || unknown < 0) return HK_OK;
  HK_PASS(hk_model_add_initial(c->model, HK_MOVE_DISPLACEMENT, hk_case_place(c, given), &state));
  state->component = unknown;
  HK_PASS(hk_case_find_held(c, set, &state->target));
  return hk_case_node_values(c, given, &state->target, &state->value, &state->values);
}
