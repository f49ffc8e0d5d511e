/* The words by which messages name unknowns, loads and matrices, in mechanics and in heat conduction. Both are solved by
 * the same code (docs/theory/static.md, "Heat"), which asks here what to call things. The last word is the key of run.json
 * that holds the largest value. */
#include "physics/words.h"

const hk_words *hk_words_of(bool heat)
{
  static const hk_words words[2] = {
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
  };
  return &words[heat];
}
