/* Names of a model's units for messages and for `hooke check`. */
#pragma once
#include "model/model.h"
#include <jansson.h>

/* Each with a blank before it, to stand behind a number: " mm"; "" where the model has no units. */
typedef struct hk_unit_words {
  char length[HK_UNIT_TEXT + 1], time[HK_UNIT_TEXT + 1], speed[HK_UNIT_TEXT + 1],
      acceleration[HK_UNIT_TEXT + 1], frequency[HK_UNIT_TEXT + 1], rate[HK_UNIT_TEXT + 1];
} hk_unit_words;
hk_unit_words hk_unit_words_of(const hk_units *units);

/* Adds what `hooke check` says of units: "units", as in run.json, and "unit", the unit of each number of `root` by its key. Nothing where
 * the model has none. A thickness of 1 m, which 2D models have unless it is given, is told where forces act at points. */
void hk_check_add_units(const hk_model *model, hk_messages *list, json_t *root);
/* {"length": "mm", ...} */
json_t *hk_json_units(const hk_units *units);
/* Thickness of a 2D model, a list by region where they differ; NULL in 3D. */
json_t *hk_json_thickness(const hk_model *model);
