/* What every JSON text of the library is made with. */
#pragma once
#include <jansson.h>
#include "base/base.h"

/* A real, or null where JSON has no number for it. */
json_t *hk_json_real(double value);
/* A list of them. */
json_t *hk_json_reals(hk_count count, const double *value);
/* *text = `root` with `digits` significant digits, owned by the caller (hk_text_free). */
hk_status hk_json_dump(const json_t *root, int digits, char **text);
