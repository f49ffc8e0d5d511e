/* JSON that libyaml does not take. */
#pragma once
#include "base/base.h"

/* JSON writes a character beyond U+FFFF as two escapes, \uD83D\uDE00; YAML knows \U0001F600 alone. Of a text that begins with {
 * or [: a copy of the same length with such pairs joined, each string followed by the blanks that it lost, so that all behind it
 * keeps its line and column. *out stays NULL where there is nothing to join. Halves without their other half are left to the
 * reader, which refuses them; so is what stands behind a ' or # outside of strings, which is no JSON. */
hk_status hk_json_join_pairs(const char *text, size_t length, char **out);
