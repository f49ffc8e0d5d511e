/* Elements of a grid are alike but for rounding: one whose eigenvalue was compared stands for those after it. */
#pragma once
#include "operator/measure/eigenvalue.h"

/* An element to compare others with; {0}: none. */
typedef struct hk_alike {
  const hk_region_law *law;
  double x[3 * HK_LISTED_NODES]; /* of its nodes, relative to the first */
  double share[HK_LISTED_NODES]; /* factors that its nodes' own masses get */
  double closeness;              /* coordinates may differ by so much; 0: not known yet */
} hk_alike;

/* An element like one whose eigenvalue is below lambda has its own below HK_ALIKE_MARGIN lambda. */
#define HK_ALIKE_MARGIN (1 + 1e-5)

/* Whether elements of the shape and law are compared: eigenvalues of order 1 that are costly, and do not depend on where the element lies, as those of
 * rings do. */
bool hk_alike_pays(const hk_slopes *slopes, const hk_region_law *law);

/* Keeps an element with nodes x[nodes][dim], whose own masses are multiplied by share[nodes]. */
void hk_alike_keep(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                   const double *share, hk_alike *alike);

/* Whether the shares of an element are those of the one that was kept, to 1e-6. */
bool hk_alike_shares(const hk_alike *alike, const hk_region_law *law, int nodes,
                     const double *share);

/* Whether an element with such shares is like it: its nodes lie as the other's do, to 1e-9 of its smallest thickness. */
bool hk_alike_places(hk_alike *alike, const hk_slopes *slopes, const double *x);
