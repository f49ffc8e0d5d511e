/* Pieces of the JSON that hk_check and hk_check_ahead tell. */
#ifndef HK_RUN_ESTIMATE_CHECK_H
#define HK_RUN_ESTIMATE_CHECK_H
#include "run/estimate/predict.h"
#include "run/estimate/resolution.h"

struct json_t;

/* What every check says of a model first: its path, units, the analysis where time stands still, quality of the mesh; with warnings, where
 * nothing drives the model too. */
void hk_check_begin(const hk_discretisation *on, struct json_t *root);
/* Its method, precision and counts. */
void hk_check_add_form(const hk_discretisation *on, struct json_t *root);
/* What a run takes; estimated: of a larger model. */
void hk_check_add_cost(const hk_cost *cost, bool estimated, struct json_t *root);
/* Quality of a mesh, with warnings. */
struct json_t *hk_check_quality(const hk_mesh *mesh, hk_messages *list);
struct json_t *hk_check_regions(const hk_model *model, const hk_resolution *resolution);
void hk_check_add_prediction(const hk_problem *p, const hk_prediction *what, struct json_t *root);
/* What central differences do to the phase of the slowest waves of the highest frequency, as computed and as the traces have it; a
 * warning where that is left in them. */
void hk_check_add_dispersion(const hk_problem *problem, const hk_prediction *what, double frequency,
                             const hk_resolution *resolution, hk_messages *list,
                             struct json_t *root);
/* Warns where a run on the host needs more memory than is free. */
void hk_check_room(const hk_prediction *what, const hk_device *device, hk_messages *list);
#endif
