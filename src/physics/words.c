/* The words by which messages name unknowns, loads and matrices, in mechanics, in heat conduction and of coupled equations. All are solved by
 * the same code (docs/theory/static.md, "Heat"), which asks here what to call things. The last word is the key of run.json
 * that holds the largest value. */
#include "physics/words.h"

const hk_words *hk_words_of(hk_unknowns unknowns)
{
  static const hk_words words[] = {
      {.value = "displacement",
       .values = "displacements",
       .load = "a force acts on",
       .matrix = "the stiffness matrix",
       .remedy = "check that every part is held and every material stable",
       .law = "elastic constants",
       .largest = "largest_displacement"},
      {.value = "temperature",
       .values = "temperatures",
       .load = "heat flows into",
       .matrix = "the matrix of heat conduction",
       .remedy = "check that every part has a prescribed temperature, a film or a reaction, each "
                 "of usual size",
       .law = "conductivity",
       .largest = "largest_temperature"},
      {.value = "unknown",
       .values = "unknowns",
       .load = "a source acts on",
       .matrix = "the matrix of the coupled equations",
       .remedy = "check that every unknown has a prescribed value, a film or a reaction, each of "
                 "usual size",
       .law = "terms of the coupled equations",
       .largest = "largest_value"},
  };
  return &words[unknowns];
}
