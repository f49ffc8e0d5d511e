/* Keys of `solve:`. */
#include "input/case/keys/rules.h"
#include "input/case/keys/words.h"
#include "model/model.h"
#include "operator/words.h"
#include "solver/linear/words.h"
#include <stddef.h>
#include <string.h>

static const char *const dispersions[] = {[HK_DISPERSION_AUTO] = "auto",
                                          [HK_DISPERSION_REMOVE] = "remove",
                                          [HK_DISPERSION_KEEP] = "keep",
                                          NULL};
static const hk_rule explicit_keys[] = {
    KEY("end", "time simulated", NUMBER, TIME, POSITIVE, REQUIRED),
    KEY("dt", "time step; chosen from the mesh unless given", NUMBER, TIME, POSITIVE),
    KEY("method", "form of the stiffness", WORDS(hk_operator_step_word), USUAL("auto")),
    KEY("time_dispersion",
        "phase error of the time steps in traces; auto: removed for elements of order 2 and above",
        CHOICE(dispersions), USUAL("auto")),
    KEY("shots_at_once",
        "shots that are stepped together; chosen by the device's memory unless given", INTEGER,
        FROM_TO(1, 1024)),
    END,
};
static const char *const orderings[] = {HK_ORDERING_WORDS, NULL};
static const char *const preconditioners[] = {HK_PRECONDITIONER_WORDS, NULL};
static const char *const relaxations[] = {HK_RELAXATION_WORDS, NULL};
static const char *const sweeps[] = {HK_SWEEP_WORDS, NULL};
#define SOLVER                                                                                     \
  KEY("method", "conjugate gradients, femses (element by element), or factors",                    \
      WORDS(hk_linear_method_word), USUAL("auto")),                                                \
      KEY("preconditioner", "preconditioner of conjugate gradients", CHOICE(preconditioners),      \
          USUAL("auto")),                                                                          \
      KEY("relaxation", "of femses", CHOICE(relaxations), USUAL("multigrid")),                     \
      KEY("sweeps",                                                                                \
          "precision of the sweeps of femses, with residuals in double; that of the run "          \
          "unless given",                                                                          \
          CHOICE(sweeps)),                                                                         \
      KEY("library", "library for the factors; the first that is installed unless given",          \
          WORDS(hk_factor_word)),                                                                  \
      KEY("ordering", "order of the unknowns in sparse factors", CHOICE(orderings),                \
          USUAL("auto")),                                                                          \
      KEY("tolerance", "residual relative to the load", NUMBER, FROM_TO(1e-15, 0.1),               \
          USUAL("1e-8")),                                                                          \
      KEY("iterations", "largest number; chosen unless given", INTEGER, FROM_TO(1, 10000000))
static const hk_rule static_keys[] = {
    SOLVER,
    KEY("form", "form of the stiffness", WORDS(hk_operator_static_word), USUAL("auto")),
    END,
};
static const hk_rule heat_keys[] = {
    SOLVER,
    KEY("form", "form of the conductance", WORDS(hk_operator_heat_word), USUAL("auto")),
    END,
};
const hk_rule hk_solve_rules[] = {
    KEY("explicit", "central differences in time", MAP(explicit_keys)),
    KEY("static", "static solution", MAP(static_keys)),
    KEY("heat", "steady heat conduction", MAP(heat_keys)),
    END,
};

int hk_case_dispersion(const char *word)
{
  int k = 0;
  while (dispersions[k] && strcmp(word, dispersions[k])) k++;
  return dispersions[k] ? k : -1;
}
