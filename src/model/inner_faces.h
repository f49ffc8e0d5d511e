/* What loads on faces inside the body do (inner_faces.c). */
#pragma once
#include "model/model.h"

/* Warns of pressures, tractions, fluxes and films on faces inside the body, from one side or from both. O(elements) where there are any such loads. */
hk_status hk_model_check_faces(const hk_model *model, hk_messages *list);
