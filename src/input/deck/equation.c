/* *EQUATION: the number of terms, then node or set, degree of freedom and coefficient of each. Their sum is 0, a line of (A.1) of
 * docs/theory/static.md. The deck's terms are kept as they are read; later they get numbers of the mesh and global components, as a node with
 * a *TRANSFORM spreads one term over its axes. Sets are paired node by node. Displacements count as 0 in heat conduction, temperatures in
 * mechanics. */
#include "input/deck/make.h"
#include <stdlib.h>

enum { MOST_TERMS = 10000000 };

static bool is_known(deck *d, int component)
{
  const bool known = component <= 3 || component == DECK_TEMPERATURE + 1;
  if (!known)
    hk_inp_wrong(
        d->reader,
        "*EQUATION: degree of freedom %d: must be 1 to 3, displacements, or 11, the temperature",
        component);
  return known;
}

static hk_status add_term(deck *d, const hk_inp_field field[3], bool *good)
{
  int component = 0;
  double coefficient = 0;
  *good = field[0].length > 0;
  if (!*good)
    hk_inp_wrong(d->reader, "*EQUATION: a node or set is missing");
  else
    *good = hk_deck_integer(d, field[1], "*EQUATION: degree of freedom", 1, DECK_TEMPERATURE + 1,
                            &component) &&
            is_known(d, component) &&
            hk_deck_size(d, field[2], "*EQUATION: coefficient", &coefficient);
  if (!*good) return HK_OK;
  HK_PASS(hk_pool_more(&d->pool, &d->acts.term));
  d->acts.term.at[d->acts.term.count] =
      (deck_term){.component = component - 1, .coefficient = coefficient};
  HK_PASS(hk_inp_keep_field(d->reader, field[0], &d->acts.term.at[d->acts.term.count].node));
  d->acts.term.count++;
  return HK_OK;
}

/* Node, degree of freedom, coefficient, and so on over several lines. *good is false after an
 * error. */
static hk_status read_terms(deck *d, const hk_inp_line *line, hk_count wanted, bool *good)
{
  hk_inp_field field[HK_INP_MOST_FIELDS];
  for (hk_count have = 0; have < wanted && *good;) {
    int count;
    HK_PASS(hk_inp_fields(d->reader, field, &count));
    const bool end = count == HK_INP_END;
    *good = count > 0 && count % 3 == 0 && have + count / 3 <= wanted;
    if (count != -1 && !*good)
      hk_inp_error(d->reader, end ? line->place : hk_inp_here(d->reader),
                   "*EQUATION: give %lld terms of node, degree of freedom and coefficient%s",
                   (long long)wanted, end ? "" : ", and do not split a term between lines");
    for (int i = 0; i < count / 3 && *good; i++, have++) HK_PASS(add_term(d, field + 3 * i, good));
  }
  return HK_OK;
}

hk_status hk_deck_read_equation(deck *d, const hk_inp_line *line)
{
  hk_inp_field field[DECK_FIELDS];
  bool good = true;
  if (hk_deck_refuse(d, line, HK_WORDS("REMOVE"), "equations stay in later steps: remove it"))
    return hk_inp_skip(d->reader);
  if (hk_inp_value(line, "INPUT")) HK_PASS(hk_inp_push(d->reader, hk_inp_value(line, "INPUT")));
  while (good) {
    deck_equation e = {.first = d->acts.term.count};
    int count, terms;
    HK_PASS(hk_deck_fields(d, line, field, 1, &count));
    if (count == HK_INP_END) break;
    HK_PASS(hk_deck_refer(d, (hk_inp_field){0}, &e.on));
    good = count >= 0 &&
           hk_deck_integer(d, field[0], "*EQUATION: number of terms", 1, MOST_TERMS, &terms);
    if (good) HK_PASS(read_terms(d, line, terms, &good));
    if (!good) break;
    if (d->acts.term.at[e.first].coefficient == 0)
      hk_inp_error(d->reader, e.on.place,
                   "*EQUATION: the first coefficient is 0, so the equation cannot determine the "
                   "first term: remove that term");
    e.count = terms;
    HK_PASS(hk_pool_more(&d->pool, &d->acts.equation));
    d->acts.equation.at[d->acts.equation.count++] = e;
  }
  return hk_inp_skip(d->reader);
}

typedef struct terms { /* of one equation */
  hk_count count, room;
  struct term {
    hk_index node;
    uint8_t component;
    hk_count place; /* in order of reading */
    double coefficient;
  } * term;
} terms;

static hk_status add(terms *t, hk_index node, int component, double coefficient)
{
  if (coefficient == 0) return HK_OK;
  HK_PASS(hk_reserve(&t->term, t->count + 1, &t->room));
  t->term[t->count] = (struct term){node, (uint8_t)component, t->count, coefficient};
  t->count++;
  return HK_OK;
}

/* Components that plane models do not have are 0 there, and so are temperatures in mechanics, displacements in heat conduction. */
static hk_status add_local(const deck_maker *m, terms *t, hk_index node, const deck_term *from,
                           hk_place place)
{
  const int dim = m->model->mesh->dim;
  double row[3][3];
  const bool temperature = from->component == DECK_TEMPERATURE;
  if (hk_deck_is_heat(m->d)) return temperature ? add(t, node, 0, from->coefficient) : HK_OK;
  if (from->component >= dim) return HK_OK;
  if (!hk_deck_node_axes(m, node, row)) return add(t, node, from->component, from->coefficient);
  if (from->component < 2 && from->coefficient != 0 && hk_deck_on_axis(m, node))
    hk_deck_tell_axis(m, node, "*EQUATION", place);
  for (int c = 0; c < dim; c++)
    HK_PASS(add(t, node, c, from->coefficient * row[from->component][c]));
  return HK_OK;
}

static int by_dof(const void *a, const void *b)
{
  const struct term *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  if (x->component != y->component) return x->component < y->component ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
  return ((const struct term *)a)->place < ((const struct term *)b)->place ? -1 : 1;
}

/* Each degree of freedom once, where it stood first. */
static void join_terms(terms *t)
{
  hk_count kept = 0;
  if (t->count) qsort(t->term, (size_t)t->count, sizeof *t->term, by_dof);
  for (hk_count i = 0; i < t->count; i++) {
    struct term *last = kept ? &t->term[kept - 1] : NULL;
    if (last && last->node == t->term[i].node && last->component == t->term[i].component)
      last->coefficient += t->term[i].coefficient;
    else
      t->term[kept++] = t->term[i];
  }
  t->count = kept;
  if (kept) qsort(t->term, (size_t)kept, sizeof *t->term, by_place);
}

static hk_status keep(deck_maker *m, const deck_equation *from, const terms *t)
{
  hk_equation *to;
  HK_PASS(hk_model_add_equation(m->model, t->count, from->on.place, &to));
  for (hk_count i = 0; i < t->count; i++) {
    if (t->term[i].coefficient == 0) continue;
    to->node[to->terms] = t->term[i].node;
    to->component[to->terms] = t->term[i].component;
    to->coefficient[to->terms++] = t->term[i].coefficient;
  }
  if (to->terms) return HK_OK;
  hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
             "*EQUATION: in this model it reads 0 = 0 and is ignored");
  m->model->equation.count--;
  return HK_OK;
}

/* Nodes of each term. Sets give one equation per node, beside single nodes. */
static hk_status find_nodes(deck_maker *m, hk_pool *pool, const deck_equation *from,
                            hk_target *target, hk_count *equations)
{
  *equations = 1;
  for (hk_count i = 0; i < from->count; i++) {
    const char *name = m->d->acts.term.at[from->first + i].node;
    HK_PASS(hk_deck_listed_nodes(m->d, pool, "*EQUATION",
                                 &(deck_ref){name, from->on.scope, from->on.place}, true,
                                 &target[i]));
    const hk_count count = target[i].count;
    HK_PASS(hk_deck_count(m->d, m->model->mesh, count, from->on.place));
    if (!count) *equations = 0;
    if (count <= 1 || *equations == 0) continue;
    if (*equations != 1 && *equations != count) {
      hk_inp_error(m->d->reader, from->on.place,
                   "*EQUATION: set %s has %lld nodes, another one %lld: an equation pairs its sets "
                   "node by node, so they must have as many",
                   name, (long long)count, (long long)*equations);
      *equations = 0;
    } else
      *equations = count;
  }
  return HK_OK;
}

/* Terms that count as 0 among others that do not. */
static void warn_of_mixture(const deck_maker *m, const deck_equation *from)
{
  hk_count temperatures = 0;
  for (hk_count i = 0; i < from->count; i++)
    temperatures += m->d->acts.term.at[from->first + i].component == DECK_TEMPERATURE;
  if (temperatures == 0 || temperatures == from->count) return;
  hk_inp_say(m->d->reader, HK_WARNING, from->on.place,
             "*EQUATION: it links temperatures to displacements: this step takes its %s as 0",
             hk_deck_is_heat(m->d) ? "displacements" : "temperatures");
}

static hk_status make_equation(deck_maker *m, const deck_equation *from)
{
  hk_status status = HK_OK;
  hk_pool own = {0};
  hk_target *target = NULL;
  terms t = {0};
  hk_count equations;
  warn_of_mixture(m, from);
  HK_TRY(hk_pool_get(&own, &target, from->count));
  HK_TRY(find_nodes(m, &own, from, target, &equations));
  HK_TRY(hk_deck_count(m->d, m->model->mesh, equations * from->count, from->on.place));
  for (hk_count n = 0; n < equations; n++) {
    t.count = 0;
    for (hk_count i = 0; i < from->count; i++)
      HK_TRY(add_local(m, &t, target[i].item[target[i].count > 1 ? n : 0],
                       &m->d->acts.term.at[from->first + i], from->on.place));
    join_terms(&t);
    HK_TRY(keep(m, from, &t));
  }
cleanup:
  hk_pool_clear(&own);
  hk_free(&t.term);
  return status;
}

hk_status hk_deck_make_equations(deck_maker *m)
{
  deck *d = m->d;
  if (d->acts.equation.count && !hk_deck_is_static(d)) {
    hk_inp_error(d->reader, d->acts.equation.at[0].on.place,
                 "*EQUATION: explicit steps do not support constraints between degrees of freedom: "
                 "mesh the parts as one");
    return HK_OK;
  }
  for (hk_count i = 0; i < d->acts.equation.count; i++)
    HK_PASS(make_equation(m, &d->acts.equation.at[i]));
  return HK_OK;
}
