/* Who owns which granule of a model (space/space.h) among parts of about equal work with short borders. */
#pragma once
#include "space/part.h"

/* granules->part[granule] of `parts` parts by METIS on the graph of granules, of which two that share elements are neighbours; without METIS by runs of
 * the numbering, which follows space. Arrays live in the pool.
 * joined[pairs][2], internal numbers: nodes that one part must own together, as a motion of several holds them. Reproducible.
 * HK_BAD_INPUT for spaces that cannot be divided (hk_space_divides). */
hk_status hk_granules_share(const hk_space *space, int parts, hk_count pairs,
                            const hk_index (*joined)[2], hk_pool *pool, hk_granules *out);
