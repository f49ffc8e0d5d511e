/* Finds the analysis that runs a model: the list of all analyses is searched by the kind of the
 * model's first step. Every other file that depends on the analysis asks the one found here. A
 * model without steps gets the first of the list, which refuses it. */
#include "run/session/session.h"

static const hk_analysis *const list_of_all[] = {HK_ANALYSIS_LIST};

const hk_analysis *hk_analysis_of(hk_step_kind kind)
{
  for (size_t i = 0; i < sizeof list_of_all / sizeof *list_of_all; i++)
    if (list_of_all[i]->kind == kind) return list_of_all[i];
  return NULL;
}

const hk_analysis *hk_analysis_of_model(const hk_model *model)
{
  return model->step_count ? hk_analysis_of(model->step[0].kind) : list_of_all[0];
}
