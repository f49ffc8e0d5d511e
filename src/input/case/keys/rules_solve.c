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
    {.key = "end", .doc = "time simulated", NUMBER, TIME, .range = HK_POSITIVE, .required = true},
    {.key = "dt",
     .doc = "time step; chosen from the mesh unless given",
     NUMBER,
     TIME,
     .range = HK_POSITIVE},
    {.key = "method",
     .doc = "form of the stiffness",
     .usual = "auto",
     .form = HK_FORM_CHOICE,
     .word = hk_operator_step_word},
    {.key = "time_dispersion",
     .doc =
         "phase error of the time steps in traces; auto: removed for elements of order 2 and above",
     .usual = "auto",
     .form = HK_FORM_CHOICE,
     .choice = dispersions},
    {.key = "shots_at_once",
     .doc = "shots that are stepped together; chosen by the device's memory unless given",
     INTEGER,
     .least = 1,
     .most = 1024},
    END};
static const char *const orderings[] = {HK_ORDERING_WORDS, NULL};
static const char *const preconditioners[] = {HK_PRECONDITIONER_WORDS, NULL};
static const char *const relaxations[] = {HK_RELAXATION_WORDS, NULL};
static const char *const sweeps[] = {HK_SWEEP_WORDS, NULL};
#define SOLVER                                                                                     \
  {.key = "method",                                                                                \
   .doc = "conjugate gradients, femses (element by element), or factors",                          \
   .usual = "auto",                                                                                \
   .form = HK_FORM_CHOICE,                                                                         \
   .word = hk_linear_method_word},                                                                 \
      {.key = "preconditioner",                                                                    \
       .doc = "preconditioner of conjugate gradients",                                             \
       .usual = "auto",                                                                            \
       .form = HK_FORM_CHOICE,                                                                     \
       .choice = preconditioners},                                                                 \
      {.key = "relaxation",                                                                        \
       .doc = "of femses",                                                                         \
       .usual = "multigrid",                                                                       \
       .form = HK_FORM_CHOICE,                                                                     \
       .choice = relaxations},                                                                     \
      {.key = "sweeps",                                                                            \
       .doc = "precision of the sweeps of femses, with residuals in double; that of the run "      \
              "unless given",                                                                      \
       .form = HK_FORM_CHOICE,                                                                     \
       .choice = sweeps},                                                                          \
      {.key = "library",                                                                           \
       .doc = "library for the factors; the first that is installed unless given",                 \
       .form = HK_FORM_CHOICE,                                                                     \
       .word = hk_factor_word},                                                                    \
      {.key = "ordering",                                                                          \
       .doc = "order of the unknowns in sparse factors",                                           \
       .usual = "auto",                                                                            \
       .form = HK_FORM_CHOICE,                                                                     \
       .choice = orderings},                                                                       \
      {.key = "tolerance",                                                                         \
       .doc = "residual relative to the load",                                                     \
       .usual = "1e-8",                                                                            \
       NUMBER,                                                                                     \
       .least = 1e-15,                                                                             \
       .most = 0.1},                                                                               \
  {                                                                                                \
    .key = "iterations", .doc = "largest number; chosen unless given", INTEGER, .least = 1,        \
    .most = 10000000                                                                               \
  }
static const hk_rule static_keys[] = {SOLVER,
                                      {.key = "form",
                                       .doc = "form of the stiffness",
                                       .usual = "auto",
                                       .form = HK_FORM_CHOICE,
                                       .word = hk_operator_static_word},
                                      END};
static const hk_rule heat_keys[] = {SOLVER,
                                    {.key = "form",
                                     .doc = "form of the conductance",
                                     .usual = "auto",
                                     .form = HK_FORM_CHOICE,
                                     .word = hk_operator_heat_word},
                                    END};
const hk_rule hk_solve_rules[] = {
    {.key = "explicit", .doc = "central differences in time", MAP(explicit_keys)},
    {.key = "static", .doc = "static solution", MAP(static_keys)},
    {.key = "heat", .doc = "steady heat conduction", MAP(heat_keys)},
    END};

int hk_case_dispersion(const char *word)
{
  int k = 0;
  while (dispersions[k] && strcmp(word, dispersions[k])) k++;
  return dispersions[k] ? k : -1;
}
