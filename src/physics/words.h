/* What messages call things: in mechanics displacements and forces, in heat conduction temperatures and heat, of coupled equations unknowns. */
#pragma once
#include "base/kinds.h"

typedef struct hk_words {
  const char *value, *values; /* the unknown: "displacement", "displacements" */
  const char *load;           /* "a force acts on" a node */
  const char *matrix;         /* "the stiffness matrix" */
  const char *remedy;         /* of a matrix that is singular: "is every part held, ...?" */
  const char *law;            /* what a material must have: "elastic constants" */
  const char *largest;        /* key of run.json */
} hk_words;

const hk_words *hk_words_of(hk_unknowns unknowns);
