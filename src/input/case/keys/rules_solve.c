/* Keys of `solve:`. */
#include "input/case/keys/rules.h"
#include "input/case/keys/words.h"
#include "model/model.h"
#include <stddef.h>
#include <string.h>

static const char *const methods[] = {"auto",     "stored",           "matrix-free",
                                      "edges",    "edges-packed",     "blocks",
                                      "spectral", "spectral-colours", NULL};
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
     .choice = methods},
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
static const char *const static_methods[] = {"auto",     "cg",    "femses",          "direct",
                                             "cholesky", "dense", "dense-to-sparse", NULL};
static const char *const libraries[] = {"auto",     "mumps", "cholmod", "lapack",
                                        "cusolver", "cudss", NULL};
static const char *const orderings[] = {"auto", "metis", "rcm", "natural", NULL};
static const char *const preconditioners[] = {"auto",      "jacobi",    "block-jacobi",
                                              "chebyshev", "multigrid", NULL};
static const char *const relaxations[] = {"auto",      "jacobi",    "chebyshev",
                                          "conjugate", "multigrid", NULL};
static const char *const sweeps[] = {"auto", "single", NULL};
static const char *const forms[] = {"auto",        "assembled", "stored", "edges",
                                    "matrix-free", "elements",  NULL};
#define SOLVER                                                                                     \
  {.key = "method",                                                                                \
   .doc = "conjugate gradients, femses (element by element), or factors",                          \
   .usual = "auto",                                                                                \
   .form = HK_FORM_CHOICE,                                                                         \
   .choice = static_methods},                                                                      \
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
       .choice = libraries},                                                                       \
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
                                       .choice = forms},
                                      END};
static const char *const heat_forms[] = {"auto", "assembled", "elements", "matrix-free", NULL};
static const hk_rule heat_keys[] = {SOLVER,
                                    {.key = "form",
                                     .doc = "form of the conductance",
                                     .usual = "auto",
                                     .form = HK_FORM_CHOICE,
                                     .choice = heat_forms},
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
