/* Terms of  M a + C v + K u + sum of terms = F(t)  that have launches of their own beside the kernel of K: dashpots, a matched layer, and what
 * else a model has. A kind of term is a file and its name in the list below; the solver knows none by name. */
#pragma once
#include "solver/explicit/explicit.h"

typedef struct hk_term_kind hk_term_kind;

typedef struct hk_term {
  const hk_term_kind *kind;
  hk_explicit *solver; /* borrowed */
  void *data;          /* NULL: the model has none of it */
  bool loaded;         /* forces act on its nodes, so that it comes after them */
  bool sent;           /* it acts on rows that other parts read */
  bool ahead;          /* on rows of the boundary alone */
} hk_term;

struct hk_term_kind {
  const char *name;
  hk_phase phase; /* FORCES: before prescribed motions; SAMPLED: of a step that is no trial */
  /* Fills data where desc has such a term: lists, kernels, its state (state.h) and what it takes from the energies (hk_sum_add). */
  hk_status (*create)(hk_term *term, const hk_explicit_desc *desc);
  /* About the bytes that create takes on the device; NULL: few. */
  hk_count (*plan)(const hk_explicit_size *size);
  /* Adds its part of the increment d before the first step: v0 [padded][components] and A, fading [padded], may be NULL; NULL: none. */
  void (*begin)(const hk_term *term, int shot, const double *v0, const double *fading, double *d);
  /* Tells the device the last increment d [padded][components] of a shot whose steps begin; NULL: it need not know. */
  hk_status (*set)(hk_term *term, int shot, const double *d);
  /* The launches of the step from x[from] to x[1 - from]; NULL: none. */
  hk_status (*launch)(const hk_term *term, int from);
  /* The launches that bring what it takes from the energies to the step that was made; NULL: each step does. */
  hk_status (*sample)(const hk_term *term);
  /* Takes what create left, also where that failed midway; its state is the solver's. */
  void (*destroy)(hk_term *term);
};

extern const hk_term_kind hk_term_dashpots, hk_term_layer, hk_term_relax, hk_term_integral,
    hk_term_laws, hk_term_peaks;
/* Every kind, in the order of launches. */
#define HK_TERM_LIST                                                                               \
  &hk_term_dashpots, &hk_term_layer, &hk_term_relax, &hk_term_integral, &hk_term_laws,             \
      &hk_term_peaks
enum { HK_TERMS = 6 };
#define HK_INTEGRAL "integral over time" /* the state that HK_STATE_INTEGRAL reads */
/* The states that HK_STATE_PEAK_DISPLACEMENT and the next two read. */
#define HK_PEAK_NAMES "largest displacement", "largest velocity", "largest acceleration"
