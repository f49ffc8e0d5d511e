/* Numbers that depend on the place, and on the temperature there, as users write them.
 *
 *   sum     = product {(+|-) product}          product = signed {(*|/) signed}
 *   signed  = {+|-} power                      power   = item [^ signed]
 *   item    = number | x | y | z | T | pi | field | (sum) | f(sum) | min(sum, sum) | max(sum, sum)
 *   f       = sin cos tan exp log sqrt abs tanh
 *
 *   hk_formula *f = NULL;
 *   HK_TRY(hk_formula_read("300 + 10 * sin(pi * x)", &f));
 *   value = hk_formula_value(f, x);
 *   hk_formula_destroy(&f); */
#pragma once
#include "base/base.h"

typedef struct hk_formula hk_formula;

/* A number at each place that is no formula: a grid, a random medium. Those who make one put this first in a struct of their own. */
typedef struct hk_spatial hk_spatial;
struct hk_spatial {
  const char *name;
  /* Its value at x[3]; not a number where it has none. By several threads at once. */
  double (*at)(const hk_spatial *field, const double x[3]);
  void (*destroy)(hk_spatial *field);
};
void hk_spatial_destroy(hk_spatial **field);
/* Fields, and the names by which formulas use them. */
typedef struct hk_spatials {
  hk_count count;
  const hk_spatial *const *field;
  const char *
      words; /* how messages tell them, behind the names that all formulas know; NULL: those of `fields:`, if there are any */
} hk_spatials;
/* Whether `name` means something else in a formula, or is no name there (a letter, then letters, digits and _). */
bool hk_formula_reserves(const char *name);

/* Of the place alone: T is refused. HK_BAD_INPUT says what is wrong in which column, or that it is too long; HK_NO_RESOURCES. */
hk_status hk_formula_read(const char *text, hk_formula **out);
/* Of the place and the temperature T. */
hk_status hk_formula_read_warm(const char *text, hk_formula **out);
/* With fields, which outlive the formula. */
hk_status hk_formula_read_with(const char *text, bool warm, const hk_spatials *fields,
                               hk_formula **out);
/* The first of its fields that has no value at x[3]; NULL: each has one. */
const hk_spatial *hk_formula_outside(const hk_formula *formula, const double x[3]);
/* Whether T is in it; NULL: no. */
bool hk_formula_warm(const hk_formula *formula);
/* Its value at x[3]: not a number or infinite where it has none. */
double hk_formula_value(const hk_formula *formula, const double x[3]);
/* At x[3] and the temperature t; *slope (may be NULL) is its derivative with respect to t, of min, max and abs that of the part that applies. */
double hk_formula_value_warm(const hk_formula *formula, const double x[3], double t, double *slope);
/* Messages are to call it by this name, where it was made of something else: hk_formula_text is then the name. HK_NO_RESOURCES. */
hk_status hk_formula_call(hk_formula *formula, const char *name);
/* The text that it was read from, or its name. */
const char *hk_formula_text(const hk_formula *formula);
void hk_formula_destroy(hk_formula **formula);
