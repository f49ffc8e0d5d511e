/* Numbers that depend on the place, and on the temperature there, as users write them.
 *
 *   sum     = product {(+|-) product}          product = signed {(*|/) signed}
 *   signed  = {+|-} power                      power   = item [^ signed]
 *   item    = number | x | y | z | T | pi | (sum) | f(sum) | min(sum, sum) | max(sum, sum)
 *   f       = sin cos tan exp log sqrt abs tanh
 *
 *   hk_formula *f = NULL;
 *   HK_TRY(hk_formula_read("300 + 10 * sin(pi * x)", &f));
 *   value = hk_formula_value(f, x);
 *   hk_formula_destroy(&f); */
#pragma once
#include "base/base.h"

typedef struct hk_formula hk_formula;

/* Of the place alone: T is refused. HK_BAD_INPUT says what is wrong in which column, or that it is too long; HK_NO_RESOURCES. */
hk_status hk_formula_read(const char *text, hk_formula **out);
/* Of the place and the temperature T. */
hk_status hk_formula_read_warm(const char *text, hk_formula **out);
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
