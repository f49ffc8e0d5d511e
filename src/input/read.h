/* What a model is read from (hk_model_create). */
#pragma once
#include "model/model.h"

/* Whether the desc is of a case, not of a deck. */
bool hk_model_is_case(const hk_model_desc *desc);
