/* Numbers that depend on the place, as users write them.
 *
 *   sum     = product {(+|-) product}          product = signed {(*|/) signed}
 *   signed  = {+|-} power                      power   = item [^ signed]
 *   item    = number | x | y | z | pi | (sum) | f(sum) | min(sum, sum) | max(sum, sum)
 *   f       = sin cos tan exp log sqrt abs tanh
 *
 *   hk_formula *f = NULL;
 *   HK_TRY(hk_formula_read("300 + 10 * sin(pi * x)", &f));
 *   value = hk_formula_value(f, x);
 *   hk_formula_destroy(&f); */
#ifndef HK_BASE_FORMULA_H
#define HK_BASE_FORMULA_H
#include "base/base.h"

typedef struct hk_formula hk_formula;

/* HK_BAD_INPUT says what is wrong in which column, or that it is too long; HK_NO_RESOURCES. */
hk_status hk_formula_read(const char *text, hk_formula **out);
/* Its value at x[3]: not a number or infinite where it has none. */
double hk_formula_value(const hk_formula *formula, const double x[3]);
/* The text that it was read from. */
const char *hk_formula_text(const hk_formula *formula);
void hk_formula_destroy(hk_formula **formula);
#endif
