/* The readers are fuzzed without the forms of K and the solvers: no form is judged (src/input/case/form.c), and their words are few. */
#include "input/case/case.h"
#include "operator/words.h"
#include "solver/linear/words.h"

hk_status hk_case_judge_form(hk_case *c, const hk_node *solve)
{
  (void)c, (void)solve;
  return HK_OK;
}

void hk_case_check_options(hk_case *c, const hk_node *solve)
{
  (void)c, (void)solve;
}

static const char *word_of(int k)
{
  static const char *const words[] = {HK_AUTO, "assembled", "cg", NULL};
  return words[k];
}

const char *hk_linear_method_word(int k)
{
  return word_of(k);
}

const char *hk_factor_word(int k)
{
  return word_of(k);
}

const char *hk_operator_step_word(int k)
{
  return word_of(k);
}

const char *hk_operator_static_word(int k)
{
  return word_of(k);
}

const char *hk_operator_heat_word(int k)
{
  return word_of(k);
}
