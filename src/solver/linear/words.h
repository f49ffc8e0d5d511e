/* Words of the options of solvers: read from the lists of methods and libraries, or listed here alone, in the order of their enumeration. */
#pragma once
#include "base/base.h"

/* The k-th word: "auto", then the names of methods (solver/linear/list.h), of libraries (solver/linear/direct/factor.c); NULL behind the last. */
const char *hk_linear_method_word(int k);
const char *hk_factor_word(int k);

/* of conjugate gradients; auto: multigrid */
#define HK_PRECONDITIONER_WORDS HK_AUTO, "jacobi", "block-jacobi", "chebyshev", "multigrid"
/* of femses; auto: multigrid */
#define HK_RELAXATION_WORDS HK_AUTO, "jacobi", "chebyshev", "conjugate", "multigrid"
/* precision of femses' sweeps; auto: that of the run */
#define HK_SWEEP_WORDS HK_AUTO, "single"
/* what ends femses' jacobi and chebyshev: the residual, or the change of a step */
#define HK_STOP_WORDS "residual", "change"
/* of the unknowns of sparse factors; auto: metis where it is installed, else the library's own */
#define HK_ORDERING_WORDS HK_AUTO, "metis", "rcm", "natural"

typedef enum hk_preconditioner_word {
  HK_PRECONDITIONER_AUTO,
  HK_PRECONDITIONER_JACOBI,
  HK_PRECONDITIONER_BLOCK_JACOBI,
  HK_PRECONDITIONER_CHEBYSHEV,
  HK_PRECONDITIONER_MULTIGRID
} hk_preconditioner_word;

typedef enum hk_relaxation_word {
  HK_RELAXATION_AUTO,
  HK_RELAXATION_JACOBI,
  HK_RELAXATION_CHEBYSHEV,
  HK_RELAXATION_CONJUGATE,
  HK_RELAXATION_MULTIGRID
} hk_relaxation_word;

typedef enum hk_sweep_word { HK_SWEEPS_AUTO, HK_SWEEPS_SINGLE } hk_sweep_word;

typedef enum hk_stop_word { HK_STOP_RESIDUAL, HK_STOP_CHANGE } hk_stop_word;

typedef enum hk_ordering_word {
  HK_ORDERING_AUTO,
  HK_ORDERING_METIS,
  HK_ORDERING_RCM,
  HK_ORDERING_NATURAL
} hk_ordering_word;

/* Place of a word in its list; no word is "auto"; -1: none of them. */
#define HK_WORD_OF(name, list)                                                                     \
  static inline int name(const char *word)                                                         \
  {                                                                                                \
    static const char *const words[] = {list};                                                     \
    return hk_is_auto(word) ? 0 : hk_find_word(word, words, sizeof words / sizeof *words);         \
  }
HK_WORD_OF(hk_preconditioner_of, HK_PRECONDITIONER_WORDS)
HK_WORD_OF(hk_relaxation_of, HK_RELAXATION_WORDS)
HK_WORD_OF(hk_sweeps_of, HK_SWEEP_WORDS)
HK_WORD_OF(hk_stop_of, HK_STOP_WORDS)
HK_WORD_OF(hk_ordering_of, HK_ORDERING_WORDS)
#undef HK_WORD_OF

/* Whether the preconditioner is multigrid's levels. */
static inline bool hk_has_levels(const char *preconditioner)
{
  const int word = hk_preconditioner_of(preconditioner);
  return word == HK_PRECONDITIONER_AUTO || word == HK_PRECONDITIONER_MULTIGRID;
}
