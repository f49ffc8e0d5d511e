/* Attenuation of materials of a case: what its keys say, and the fit of the mechanisms for given constants of a medium. Regions whose constants are
 * formulas fit them for each of their materials. */
#pragma once
#include "input/case/case.h"
#include "physics/viscoelastic/fit.h"

/* Whether the keys of the map ask for quality factors, now in *q; false too after an error, which is told. */
bool hk_case_quality(hk_case *c, const hk_node *map, const hk_material *m, hk_quality *q);
/* The first of these keys; NULL: there is none. */
const hk_node *hk_case_quality_key(const hk_node *map);

typedef struct hk_case_fit { /* a fit, of one hk_quality, that the next material may use again */
  double ratio;              /* it was made for; 0: none was */
  hk_relaxation relaxation;
} hk_case_fit;

/* Gives the material of C, or of a bulk modulus, the mechanisms that have q, and its constants for a sudden strain. HK_BAD_INPUT as hk_quality_fit.
 * Nothing of a case is touched: by several threads at once, each with a fit of its own. */
hk_status hk_case_attenuate(const hk_quality *q, int dim, hk_case_fit *fit, hk_material *out);
/* Warns where that error of a fit is large. */
void hk_case_judge_fit(hk_case *c, const hk_node *map, double error);
