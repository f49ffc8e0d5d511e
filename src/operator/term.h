/* What a model adds to the integrals over its elements in K: springs between nodes, exchange of heat at faces, forces between a fluid and a solid.
 * A kind of term is a file and its name in the list below; the operator and its users go through a list of terms and know none by name.
 *
 *   hk_operator_terms terms = {{{&hk_springs_kind, spring, springs}, {&hk_fsi_kind, fsi, fsis}}};
 */
#pragma once
#include "element/element.h"
#include "operator/epilogue.h"
#include "operator/phase.h"
#include "physics/exchange.h"
#include "physics/fsi.h"
#include "physics/material.h"
#include "physics/spring.h"
#include "physics/warmth.h"
#include "space/space.h"

typedef struct hk_operator_term_kind hk_operator_term_kind;

typedef struct hk_operator_term {
  const hk_operator_term_kind *kind; /* NULL: an empty place */
  const void *entry;                 /* entry[count], of the kind's own type; borrowed */
  hk_count count;
} hk_operator_term;

struct hk_operator_term_kind {
  const char *name; /* in messages: "the springs of cracks" */
  bool pairs; /* blocks between pairs of nodes, which rows of K may hold (hk_operator_kind.pairs) */
  bool joins; /* nodes that no element joins: levels of other elements do not have it */
  /* Where the term acts in elements: entries of so many bytes, which begin with their element (hk_index) and ascend by it. Adds an entry's part to
   * its element's matrix k, of nodes x[nodes][dim] with the temperatures of warm (or NULL). */
  size_t bytes;
  void (*add)(const void *entry, const hk_region *region, const hk_element *element,
              const double *x, const hk_warmth *warm, double *k);
  /* *node[*count], owned by the caller: the internal node of each slot that the term's forces are written to, of a form that sums slots. */
  hk_status (*slots)(const hk_operator_term *term, const hk_space *space, hk_count *count,
                     hk_index **node);
  /* A bound of the largest eigenvalue of the term over the mass[mesh node]: to be added to that of the rest of K. */
  hk_status (*bound)(const hk_operator_term *term, const hk_mesh *mesh, const double *mass,
                     double *lambda);
  /* *key, hashed on with all entries; NULL: mesh, materials and motions tell them. */
  void (*hash)(const hk_operator_term *term, uint64_t *key);
  /* Of a term with launches of its own; the rest NULL. create adds its groups to op->groups and its bytes to op->memory and op->bytes; *data is
   * the caller's also on failure. */
  hk_status (*create)(hk_operator *op, const hk_operator_term *term, void **data);
  hk_status (*bind)(hk_operator *op, void *data, hk_form form, int damped, int shots);
  /* In phases BEFORE, SLOTS and SUMMED. */
  hk_status (*launch)(const hk_operator *op, const void *data, hk_phase phase,
                      const hk_epilogue *epilogue, int shot);
  void (*destroy)(void *data);
};

extern const hk_operator_term_kind hk_springs_kind, hk_exchange_kind, hk_feedback_kind, hk_fsi_kind;
enum { HK_OPERATOR_TERMS = 3 };

typedef struct hk_operator_terms {
  hk_operator_term term[HK_OPERATOR_TERMS]; /* at most one of a kind */
} hk_operator_terms;

/* entry[*count] of the term of that kind. */
const void *hk_terms_find(const hk_operator_terms *terms, const hk_operator_term_kind *kind,
                          hk_count *count);
/* Element e is touched; its matrix k gets their parts; some nodes are joined that no element joins. */
bool hk_terms_touch(const hk_operator_terms *terms, hk_count e);
void hk_terms_add(const hk_operator_terms *terms, const hk_region *region,
                  const hk_element *element, hk_count e, const double *x, const hk_warmth *warm,
                  double *k);
bool hk_terms_join(const hk_operator_terms *terms);
/* Those alone that matrices of elements hold. */
hk_operator_terms hk_terms_of_elements(const hk_operator_terms *terms);
/* *lambda: the sum of the terms' bounds. */
hk_status hk_terms_bound(const hk_operator_terms *terms, const hk_mesh *mesh, const double *mass,
                         double *lambda);
void hk_terms_hash(const hk_operator_terms *terms, uint64_t *key);
/* *node[*count]: of all slots of terms, in the order of their numbers. */
hk_status hk_terms_slots(const hk_operator_terms *terms, const hk_space *space, hk_count *count,
                         hk_index **node);

/* Private to the folder: the terms of an operator that have launches, bound and launched with it. */
hk_status hk_terms_create(hk_operator *op);
void hk_terms_destroy(hk_operator *op);
hk_status hk_terms_bind(hk_operator *op, hk_form form, int damped, int shots);
/* shot: of HK_PHASE_SLOTS; else all of the epilogue are meant. */
hk_status hk_terms_launch(const hk_operator *op, hk_phase phase, const hk_epilogue *epilogue,
                          int shot);
