/* The part of the table of keys (rules.h) that describes `solve`: explicit steps (central differences, (W.5) of docs/theory/waves.md), static
 * solutions and heat conduction. Words of methods, forms and libraries are read from the lists of those who implement them; members of
 * hk_step and hk_static_how are filled by the rules themselves. */
#include "input/case/keys/words.h"
#include "operator/words.h"
#include "solver/linear/words.h"
#include <string.h>

static const char *const dispersions[] = {[HK_DISPERSION_AUTO] = "auto",
                                          [HK_DISPERSION_REMOVE] = "remove",
                                          [HK_DISPERSION_KEEP] = "keep",
                                          NULL};
const hk_key hk_explicit_rules[] = {
    KEY("end", "time simulated", NUMBER, TIME, POSITIVE, REQUIRED, INTO(hk_step, duration)),
    KEY("dt", "time step; chosen from the mesh unless given", NUMBER, TIME, POSITIVE,
        INTO(hk_step, dt)),
    KEY("method", "form of the stiffness", WORDS(hk_operator_step_word), USUAL("auto")),
    KEY("time_dispersion",
        "phase error of the time steps in traces; auto: removed for elements of order 2 and above",
        CHOICE(dispersions), USUAL("auto")),
    KEY("shots_at_once",
        "shots that are stepped together; chosen by the device's memory unless given", INTEGER,
        FROM_TO(1, 1024), INTO(hk_step, shots_at_once)),
    END,
};
static const char *const orderings[] = {HK_ORDERING_WORDS, NULL};
static const char *const preconditioners[] = {HK_PRECONDITIONER_WORDS, NULL};
static const char *const relaxations[] = {HK_RELAXATION_WORDS, NULL};
static const char *const sweeps[] = {HK_SWEEP_WORDS, NULL};
static const char *const stops[] = {HK_STOP_WORDS, NULL};
#define SOLVER                                                                                     \
  KEY("method", "conjugate gradients, femses (element by element), or factors",                    \
      WORDS(hk_linear_method_word), USUAL("auto"), INTO(hk_static_how, method)),                   \
      KEY("preconditioner", "preconditioner of conjugate gradients", CHOICE(preconditioners),      \
          USUAL("auto"), INTO(hk_static_how, preconditioner)),                                     \
      KEY("relaxation", "of femses", CHOICE(relaxations), USUAL("multigrid"),                      \
          INTO(hk_static_how, relaxation)),                                                        \
      KEY("sweeps",                                                                                \
          "precision of the sweeps of femses, with residuals in double; that of the run "          \
          "unless given",                                                                          \
          CHOICE(sweeps), INTO(hk_static_how, sweeps)),                                            \
      KEY("stop",                                                                                  \
          "what is compared with tolerance; change: of jacobi and chebyshev of femses, the "       \
          "2-norm of a step's change relative to the first step's",                                \
          CHOICE(stops), USUAL("residual"), INTO(hk_static_how, stop)),                            \
      KEY("library", "library for the factors; the first that is installed unless given",          \
          WORDS(hk_factor_word), INTO(hk_static_how, library)),                                    \
      KEY("ordering", "order of the unknowns in sparse factors", CHOICE(orderings), USUAL("auto"), \
          INTO(hk_static_how, ordering)),                                                          \
      KEY("options", "of petsc, as on PETSc's command line: -ksp_type minres -pc_type hypre",      \
          TEXT, INTO(hk_static_how, options)),                                                     \
      KEY("tolerance",                                                                             \
          "residual relative to the load, or change (stop); where constants depend on "            \
          "temperature, iterations aim at a hundredth of nonlinear.tolerance, in single "          \
          "precision a tenth",                                                                     \
          NUMBER, FROM_TO(1e-15, 0.1), USUAL("1e-8"), INTO(hk_static_how, tolerance)),             \
      KEY("iterations", "largest number; chosen unless given", INTEGER, FROM_TO(1, 10000000),      \
          INTO(hk_static_how, iterations))
const hk_key hk_static_rules[] = {
    SOLVER,
    KEY("form", "form of the stiffness", WORDS(hk_operator_static_word), USUAL("auto"),
        INTO(hk_static_how, form)),
    END,
};
static const char *const capacities[] = {"consistent", "lumped", NULL};
static const char *const nonlinear_methods[] = {"picard", "newton", NULL};
static const hk_key nonlinear[] = {
    KEY("method",
        "picard: constants of the last temperatures; newton: with their derivatives, by solvers "
        "for a matrix that is not symmetric",
        CHOICE(nonlinear_methods), USUAL("picard")),
    KEY("tolerance",
        "of residual and largest change of the temperatures, both relative; 1e-8, in single "
        "precision 1e-4, unless given",
        NUMBER, FROM_TO(1e-14, 0.1)),
    KEY("iterations", "largest number in a step", INTEGER, FROM_TO(1, 100000), USUAL("100")),
    END,
};
static const hk_key heat_keys[] = {
    KEY("end", "transient: time simulated; steady unless given", NUMBER, TIME, POSITIVE),
    KEY("dt", "transient: time step", NUMBER, TIME, POSITIVE),
    KEY("theta",
        "transient: where in a step the equation holds, from 0.5 (Crank-Nicolson, of order 2) to 1 "
        "(backward Euler, of order 1)",
        NUMBER, FROM_TO(0.5, 1), USUAL("1")),
    KEY("capacity", "transient: matrix of density times specific_heat", CHOICE(capacities),
        USUAL("consistent")),
    KEY("nonlinear", "the iteration, where constants depend on temperature", MAP(nonlinear)),
    SOLVER,
    KEY("form", "form of the conductance", WORDS(hk_operator_heat_word), USUAL("auto"),
        INTO(hk_static_how, form)),
    END,
};
static const hk_key unknown = RULE("a name", TEXT);
static const hk_key coupled_keys[] = {
    KEY("unknowns",
        "names of the unknowns, one for each equation: letters, digits and _, as they are called "
        "in the results",
        LIST_OF(unknown), FROM_TO(1, HK_MOST_EQUATIONS), REQUIRED),
    KEY("end", "transient: time simulated; steady unless given", NUMBER, TIME, POSITIVE),
    KEY("dt", "transient: time step", NUMBER, TIME, POSITIVE),
    KEY("theta",
        "transient: where in a step the equations hold, from 0.5 (Crank-Nicolson, of order 2) to 1 "
        "(backward Euler, of order 1)",
        NUMBER, FROM_TO(0.5, 1), USUAL("1")),
    SOLVER,
    END,
};
const hk_key hk_solve_rules[] = {
    KEY("explicit", "central differences in time", MAP(hk_explicit_rules)),
    KEY("static", "static solution", MAP(hk_static_rules)),
    KEY("heat", "heat conduction, steady or transient", MAP(heat_keys)),
    KEY("coupled", "one to five coupled equations, steady or transient", MAP(coupled_keys)),
    END,
};

int hk_case_dispersion(const char *word)
{
  int k = 0;
  while (dispersions[k] && strcmp(word, dispersions[k])) k++;
  return dispersions[k] ? k : -1;
}
