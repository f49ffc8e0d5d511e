/* Formulas of x, y, z and T, such as "1 + 0.2 * sin(pi * x)".
 * A recursive-descent parser (sum, product, sign, item) writes a formula in postfix order.
 * hk_formula_value evaluates it with a stack: each item pushes a number, each operation takes its
 * operands from the stack and pushes the result. Each number on the stack carries its derivative with
 * respect to T along (forward differentiation), which is 0 where T is not in it.
 * Errors state the column of the formula. */
#include "base/formula.h"
#include <math.h>
#include <string.h>

enum { MOST_ITEMS = 512, MOST_HELD = 32, MOST_NESTED = 64, MOST_FIELDS = 16 };

typedef enum act {
  NUMBER, /* value */
  PLACE,  /* x[which] */
  WARMTH, /* T */
  FIELD,  /* field[which] at x */
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  POWER,
  NEGATE,
  FUNCTION /* function[which] of one number, then of two */
} act;

typedef struct item {
  act act;
  int which;
  double value;
} item;

struct hk_formula {
  char *text;
  bool warm; /* T is in it */
  int count, fields;
  item item[MOST_ITEMS];
  const hk_spatial *field[MOST_FIELDS];
};

typedef struct reader {
  hk_formula *formula;
  const char *text, *at;
  int held, nested; /* numbers on the stack; brackets and signs around */
  bool warm;        /* T is known */
  const hk_spatials *fields;
} reader;

enum { UNARY = 8 };
static const char *const function[] = {"sin",  "cos", "tan",  "exp", "log",
                                       "sqrt", "abs", "tanh", "min", "max"};
enum { FUNCTIONS = sizeof function / sizeof *function };

static hk_status read_sum(reader *r);

static void pass_blanks(reader *r)
{
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n') r->at++;
}

static bool take(reader *r, char c)
{
  pass_blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static int column(const reader *r)
{
  return (int)(r->at - r->text) + 1;
}

/* pushed: numbers that the item adds to the stack */
static hk_status add(reader *r, item next, int pushed)
{
  r->held += pushed;
  HK_NEED(r->formula->count < MOST_ITEMS && r->held <= MOST_HELD, HK_BAD_INPUT,
          "formula \"%.40s\" is too long: at most %d numbers, names and operators", r->text,
          MOST_ITEMS);
  r->formula->item[r->formula->count++] = next;
  return HK_OK;
}

static hk_status expect(reader *r, char c)
{
  HK_NEED(take(r, c), HK_BAD_INPUT, "formula \"%.60s\", column %d: expected \"%c\"", r->text,
          column(r), c);
  return HK_OK;
}

static size_t name_length(const char *at)
{
  size_t n = 0;
  while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') ||
         (n && at[n] >= '0' && at[n] <= '9') || at[n] == '_')
    n++;
  return n;
}

static hk_status read_call(reader *r, int which)
{
  const int taken = which < UNARY ? 1 : 2;
  HK_PASS(expect(r, '('));
  HK_PASS(read_sum(r));
  if (taken == 2) {
    HK_PASS(expect(r, ','));
    HK_PASS(read_sum(r));
  }
  HK_PASS(expect(r, ')'));
  return add(r, (item){.act = FUNCTION, .which = which}, 1 - taken);
}

static const hk_spatial *find_field(const hk_spatials *fields, const char *name, size_t length)
{
  for (hk_count i = 0; fields && i < fields->count; i++)
    if (strlen(fields->field[i]->name) == length && !memcmp(fields->field[i]->name, name, length))
      return fields->field[i];
  return NULL;
}

static hk_status read_field(reader *r, const hk_spatial *field)
{
  hk_formula *f = r->formula;
  int which = 0;
  while (which < f->fields && f->field[which] != field) which++;
  HK_NEED(which < MOST_FIELDS, HK_BAD_INPUT, "formula \"%.60s\" uses more than %d fields", r->text,
          MOST_FIELDS);
  if (which == f->fields) f->field[f->fields++] = field;
  return add(r, (item){.act = FIELD, .which = which}, 1);
}

static hk_status read_name(reader *r)
{
  const size_t n = name_length(r->at);
  const char *const name = r->at;
  if (n == 1 && *name >= 'x' && *name <= 'z') {
    r->at += n;
    return add(r, (item){.act = PLACE, .which = *name - 'x'}, 1);
  }
  if (n == 1 && *name == 'T') {
    HK_NEED(r->warm, HK_BAD_INPUT,
            "formula \"%.60s\", column %d: this value cannot depend on the temperature T: only "
            "conductivity, specific_heat, reaction, heat, flux and the coefficient of a film can",
            r->text, column(r));
    r->at += n, r->formula->warm = true;
    return add(r, (item){.act = WARMTH}, 1);
  }
  if (n == 2 && !memcmp(name, "pi", n)) {
    r->at += n;
    return add(r, (item){.act = NUMBER, .value = M_PI}, 1);
  }
  for (int f = 0; f < (int)FUNCTIONS; f++)
    if (n == strlen(function[f]) && !memcmp(name, function[f], n)) {
      r->at += n;
      return read_call(r, f);
    }
  const hk_spatial *field = find_field(r->fields, name, n);
  if (n && field) {
    r->at += n;
    return read_field(r, field);
  }
  HK_NEED(n, HK_BAD_INPUT, "formula \"%.60s\", column %d: expected a number, x, y, z%s or (",
          r->text, column(r), r->warm ? ", T" : "");
  HK_NEED(false, HK_BAD_INPUT,
          "formula \"%.60s\", column %d: unknown name \"%.*s\": known are x, y, z,%s pi and sin, "
          "cos, tan, exp, log, sqrt, abs, tanh, min, max%s",
          r->text, column(r), (int)(n < 20 ? n : 20), name, r->warm ? " T," : "",
          !r->fields || (!r->fields->count && !r->fields->words) ? ""
          : r->fields->words                                     ? r->fields->words
                                                                 : ", and the names of `fields:`");
  return HK_OK;
}

static hk_status read_item(reader *r)
{
  double value;
  pass_blanks(r);
  if ((*r->at >= '0' && *r->at <= '9') || *r->at == '.') {
    const size_t used = hk_parse_number(r->at, strlen(r->at), &value);
    HK_NEED(used, HK_BAD_INPUT, "formula \"%.60s\", column %d: not a number", r->text, column(r));
    r->at += used;
    return add(r, (item){.act = NUMBER, .value = value}, 1);
  }
  if (!take(r, '(')) return read_name(r);
  HK_PASS(read_sum(r));
  return expect(r, ')');
}

static hk_status read_signed(reader *r)
{
  HK_NEED(r->nested < MOST_NESTED, HK_BAD_INPUT,
          "formula \"%.40s\": operators and brackets are nested more than %d deep", r->text,
          MOST_NESTED);
  r->nested++;
  if (take(r, '-')) {
    HK_PASS(read_signed(r));
    HK_PASS(add(r, (item){.act = NEGATE}, 0));
  } else if (take(r, '+'))
    HK_PASS(read_signed(r));
  else {
    HK_PASS(read_item(r));
    if (take(r, '^')) {
      HK_PASS(read_signed(r));
      HK_PASS(add(r, (item){.act = POWER}, -1));
    }
  }
  r->nested--;
  return HK_OK;
}

static hk_status read_product(reader *r)
{
  HK_PASS(read_signed(r));
  for (;;) {
    const bool times = take(r, '*');
    if (!times && !take(r, '/')) return HK_OK;
    HK_PASS(read_signed(r));
    HK_PASS(add(r, (item){.act = times ? MULTIPLY : DIVIDE}, -1));
  }
  return HK_OK;
}

static hk_status read_sum(reader *r)
{
  HK_PASS(read_product(r));
  for (;;) {
    const bool plus = take(r, '+');
    if (!plus && !take(r, '-')) return HK_OK;
    HK_PASS(read_product(r));
    HK_PASS(add(r, (item){.act = plus ? ADD : SUBTRACT}, -1));
  }
  return HK_OK;
}

hk_status hk_formula_read_with(const char *text, bool warm, const hk_spatials *fields,
                               hk_formula **out)
{
  hk_status status = HK_OK;
  hk_formula *f = NULL;
  HK_TRY(hk_new(&f));
  HK_TRY(hk_copy_text(&f->text, text));
  reader r = {.formula = f, .text = f->text, .at = f->text, .warm = warm, .fields = fields};
  HK_TRY(read_sum(&r));
  pass_blanks(&r);
  HK_CHECK(!*r.at, HK_BAD_INPUT, "formula \"%.60s\", column %d: expected +, -, *, / or ^", r.text,
           column(&r));
  *out = f, f = NULL;
cleanup:
  hk_formula_destroy(&f);
  return status;
}

hk_status hk_formula_read(const char *text, hk_formula **out)
{
  return hk_formula_read_with(text, false, NULL, out);
}

hk_status hk_formula_read_warm(const char *text, hk_formula **out)
{
  return hk_formula_read_with(text, true, NULL, out);
}

bool hk_formula_warm(const hk_formula *formula)
{
  return formula && formula->warm;
}

/* A number and its derivative with respect to T. */
typedef struct dual {
  double v, d;
} dual;

/* A derivative of 0 stays 0, also of what has no slope there, such as sqrt(0). */
static double chain(double slope, double d)
{
  return d == 0 ? 0 : slope * d;
}

static dual call(int which, const dual *a)
{
  const double v = a->v, d = a->d;
  switch (which) {
  case 0: return (dual){sin(v), chain(cos(v), d)};
  case 1: return (dual){cos(v), chain(-sin(v), d)};
  case 2: return (dual){tan(v), chain(1 + tan(v) * tan(v), d)};
  case 3: return (dual){exp(v), chain(exp(v), d)};
  case 4: return (dual){log(v), chain(1 / v, d)};
  case 5: return (dual){sqrt(v), chain(0.5 / sqrt(v), d)};
  case 6: return (dual){fabs(v), v < 0 ? -d : d};
  case 7: return (dual){tanh(v), chain(1 - tanh(v) * tanh(v), d)};
  case 8: return v < a[1].v || isnan(v) ? a[0] : a[1]; /* fmin would hide not-a-number */
  default: return v > a[1].v || isnan(v) ? a[0] : a[1];
  }
}

/* a^b: d(a^b) = b a^(b-1) da + a^b log(a) db */
static dual power(dual a, dual b)
{
  const double v = pow(a.v, b.v);
  return (dual){v, chain(b.v * pow(a.v, b.v - 1), a.d) + chain(v * log(a.v), b.d)};
}

static dual operate(act what, dual a, dual b)
{
  switch (what) {
  case ADD: return (dual){a.v + b.v, a.d + b.d};
  case SUBTRACT: return (dual){a.v - b.v, a.d - b.d};
  case MULTIPLY: return (dual){a.v * b.v, chain(b.v, a.d) + chain(a.v, b.d)};
  case DIVIDE: return (dual){a.v / b.v, chain(1 / b.v, a.d) - chain(a.v / b.v / b.v, b.d)};
  default: return power(a, b);
  }
}

double hk_formula_value_warm(const hk_formula *formula, const double x[3], double t, double *slope)
{
  dual held[MOST_HELD + 1] = {{0}};
  dual *top = held; /* one above the last */
  for (int i = 0; i < formula->count; i++) {
    const item *it = &formula->item[i];
    switch (it->act) {
    case NUMBER: *top++ = (dual){it->value, 0}; break;
    case PLACE: *top++ = (dual){x[it->which], 0}; break;
    case WARMTH: *top++ = (dual){t, 1}; break;
    case FIELD:
      *top++ = (dual){formula->field[it->which]->at(formula->field[it->which], x), 0};
      break;
    case NEGATE: top[-1] = (dual){-top[-1].v, -top[-1].d}; break;
    case FUNCTION:
      top -= it->which < UNARY ? 1 : 2;
      *top = call(it->which, top), top++;
      break;
    default: top--, top[-1] = operate(it->act, top[-1], top[0]); break;
    }
  }
  if (slope) *slope = held[0].d;
  return held[0].v;
}

double hk_formula_value(const hk_formula *formula, const double x[3])
{
  return hk_formula_value_warm(formula, x, 0, NULL);
}

const hk_spatial *hk_formula_outside(const hk_formula *formula, const double x[3])
{
  for (int i = 0; i < formula->fields; i++)
    if (isnan(formula->field[i]->at(formula->field[i], x))) return formula->field[i];
  return NULL;
}

bool hk_formula_reserves(const char *name)
{
  static const char *const word[] = {"x", "y", "z", "T", "pi"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    if (!strcmp(name, word[i])) return true;
  for (int i = 0; i < (int)FUNCTIONS; i++)
    if (!strcmp(name, function[i])) return true;
  return !*name || name_length(name) != strlen(name);
}

void hk_spatial_destroy(hk_spatial **field)
{
  if (*field) (*field)->destroy(*field);
  *field = NULL;
}

hk_status hk_formula_call(hk_formula *formula, const char *name)
{
  char *text = NULL;
  HK_PASS(hk_copy_text(&text, name));
  hk_free(&formula->text);
  formula->text = text;
  return HK_OK;
}

const char *hk_formula_text(const hk_formula *formula)
{
  return formula->text;
}

void hk_formula_destroy(hk_formula **formula)
{
  if (!*formula) return;
  hk_free(&(*formula)->text);
  hk_free(formula);
}
