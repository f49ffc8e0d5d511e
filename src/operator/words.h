/* Words by which cases choose forms of K, read from operator/list.h. */
#pragma once

/* The k-th word: "auto", then the names of forms for explicit steps, for static steps, for heat; NULL behind the last. */
const char *hk_operator_step_word(int k);
const char *hk_operator_static_word(int k);
const char *hk_operator_heat_word(int k);
