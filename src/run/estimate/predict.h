/* What a run will take, told before it is begun. */
#ifndef HK_RUN_ESTIMATE_PREDICT_H
#define HK_RUN_ESTIMATE_PREDICT_H
#include "run/explicit/problem.h"

typedef struct hk_cost {
  double memory; /* bytes: the most that is resident at any time of the run, pictures left out */
  double disk;   /* bytes */
  double seconds, seconds_low, seconds_high; /* of stepping, or of solving */
} hk_cost;

typedef struct hk_prediction {
  hk_cost cost;
  double dt, end_time; /* of the first step; of the last */
  hk_count steps;      /* of each shot */
  hk_count shots;      /* 0: the model has none */
  int at_once;         /* shots that are stepped together */
  const char *kept;    /* why time dispersion stays in the traces; NULL: it is removed */
} hk_prediction;

/* A larger model of which the problem's is a sample. */
typedef struct hk_growth {
  double nodes, elements;      /* so many times those of the sample */
  double cells[3], sampled[3]; /* along the sides of a box, and of its sample; 0: no box */
  int order;                   /* of its elements */
} hk_growth;

/* To be called as soon as `p` has been prepared: up to there a run does the same, so that what has been resident is measured, and only what comes after is
 * planned. About 0.5 s. growth: the problem's model is a sample of a larger one, whose dt its step has: what that one takes, sets of nodes growing with the
 * surface. NULL: the model itself. */
hk_status hk_predict(hk_problem *p, const hk_run_desc *desc, const hk_growth *growth,
                     hk_prediction *out);
#endif
