/* The limit of the time step beside Kelvin-Voigt solids (V.8). With C = sum over elements of t_e K_e the steps are stable while
 *   dt^2 w^2 + 2 dt tau <= limit^2,   w^2 = lambda_max(M^-1 K),   tau = lambda_max(M^-1 C),
 * since lambda_max of dt^2 K + 2 dt C is at most the sum of both. One t for all elements gives tau = t w^2. Otherwise tau is found as w is: K of
 * the regions with their stiffness times t, and Lanczos's iteration. */
#include "run/explicit/problem.h"
#include "operator/element/element_matrix.h"
#include "physics/law.h"
#include <math.h>
#include <string.h>

enum { PARTS = 1000000000 }; /* least part of the largest t that a region counts with: no K is 0 */

/* Stiffness times `by`; of a fluid 1 / density, which is on the side of its stiffness. */
static void scale(hk_region *region, double by)
{
  for (int i = 0; i < 36; i++) region->material.c[i / 6][i % 6] *= by;
  if (region->material.fluid) region->material.density /= by;
}

static hk_status create_scaled(const hk_problem *p, hk_region **out)
{
  const hk_model *model = p->on.model;
  HK_PASS(hk_get(out, model->region_count));
  for (int r = 0; r < model->region_count; r++) {
    (*out)[r] = model->region[r];
    scale(*out + r, fmax(hk_law_delay(&model->region[r]), p->delay.most / PARTS));
  }
  return HK_OK;
}

/* The element whose t c^2 / length^2 is largest, as the masses and their element are found. */
static hk_status find_element(hk_problem *p, const hk_region *region)
{
  hk_status status = HK_OK;
  const hk_model *model = p->on.model;
  double *nodal = NULL;
  if (p->on.kind->mass) {
    HK_TRY(hk_get(&nodal, model->mesh->node_count));
    HK_TRY(p->on.kind->mass(model->mesh, region, model->element_region, nodal, &p->delay.guilty));
  } else {
    p->delay.guilty = hk_element_tightest(model->mesh, region, model->element_region);
  }
cleanup:
  hk_free(&nodal);
  return status;
}

void hk_problem_find_delay(hk_problem *p)
{
  const hk_model *model = p->on.model;
  double least = INFINITY;
  for (int r = 0; r < model->region_count; r++) {
    const double t = hk_law_delay(&model->region[r]);
    p->delay.most = fmax(p->delay.most, t), least = fmin(least, t);
  }
  p->delay.rate = INFINITY;
  p->delay.varies = p->delay.most > least;
}

hk_status hk_problem_bound_delay(hk_problem *p, const hk_sparse *held, double margin, double unsure)
{
  hk_status status = HK_OK;
  const hk_operator_terms terms = p->on.terms;
  hk_region *scaled = NULL;
  double root;
  bool converged;
  if (!p->delay.varies) return HK_OK;
  HK_TRY(create_scaled(p, &scaled));
  HK_TRY(find_element(p, scaled));
  p->on.region = scaled;
  memset(&p->on.terms, 0, sizeof p->on.terms);
  HK_TRY(hk_problem_assemble(p));
  HK_TRY(hk_largest_frequency(p->on.op, p->mass, held, HK_FREQUENCY_ITERATIONS,
                              HK_FREQUENCY_OF_STEP, &root, &converged));
  root *= converged ? margin : unsure;
  p->delay.rate = root * root;
cleanup:
  hk_operator_destroy(&p->on.op);
  p->on.region = NULL, p->on.terms = terms;
  hk_free(&scaled);
  return status;
}

/* tau for the largest frequency `omega`; never above t w^2 of the largest t. */
static double rate_below(const hk_problem *p, double omega)
{
  return p->delay.most > 0 ? fmin(p->delay.most * omega * omega, p->delay.rate) : 0;
}

double hk_problem_dt_below(const hk_problem *p, double omega)
{
  const double limit = p->integrator->limit, rate = rate_below(p, omega);
  return rate > 0 ? limit * limit / (rate + hypot(rate, limit * omega)) : limit / omega;
}

double hk_problem_dt_limit(const hk_problem *p)
{
  return hk_problem_dt_below(p, p->omega);
}

hk_index hk_problem_guilty(const hk_problem *p)
{
  const double dt = hk_problem_dt_limit(p);
  const bool lags = p->delay.varies && 2 * rate_below(p, p->omega) > dt * p->omega * p->omega;
  return lags ? p->delay.guilty : p->guilty;
}
