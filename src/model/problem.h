/* A model made ready for a device: numbering, operator, mass, damping, and the largest stable step. */
#ifndef HK_MODEL_PROBLEM_H
#define HK_MODEL_PROBLEM_H
#include <hooke/run.h>
#include "model/model.h"
#include "operator/operator.h"

typedef struct hk_problem {
  const hk_model *model; /* borrowed */
  hk_device *device;
  const hk_operator_kind *kind;
  hk_space *space;
  hk_operator *op;
  bool double_precision;
  double *mass;    /* mass[padded], internal order */
  double *damping; /* damping[padded], 1/s; NULL: none */
  double omega;    /* bound of the largest frequency, rad per unit of time */
  hk_index guilty; /* element that sets it */
  double seconds_mesh, seconds_assemble;
} hk_problem;

/* HK_BAD_INPUT when the model cannot be run (elements, materials, absorbing layers), with all reasons in `list`. */
hk_status hk_problem_create(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                            hk_problem **out);
/* The same without the operator: `op` is NULL, but where the bound is found with it. Runs with the device's number of threads throughout. */
hk_status hk_problem_prepare(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                             hk_problem **out);
/* The operator, if it is not there yet. */
hk_status hk_problem_assemble(hk_problem *problem);
/* Bytes of device memory that the operator will take; blocks that are not full take as much as full
 * ones. */
hk_count hk_problem_plan(const hk_problem *problem);
void hk_problem_destroy(hk_problem **problem);

/* Highest frequency of the signals of all steps (-40 dB); 0: none known. Private to the model folder. */
hk_status hk_model_highest_frequency(const hk_model *model, double *frequency);
#endif
