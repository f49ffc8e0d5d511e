/* Distance from points to a set of faces: triangles, segments, single nodes.
 *
 * Faces of four corners count as two triangles; sides of quadratic elements are taken straight. A
 * tree of boxes finds the nearest in O(log n). */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_distance hk_distance;

/* Of faces element[count], face[count]; or, face == NULL, of the nodes item[count] and of the
 * boundary faces whose corners are all among them. Borrows mesh. HK_NO_RESOURCES. */
hk_status hk_distance_create(const hk_mesh *mesh, hk_count count, const hk_index *item,
                             const uint8_t *face, hk_distance **out);
void hk_distance_destroy(hk_distance **distance);

/* The distance of x[dim] to the nearest, or `limit` when that is farther. Safe from several
 * threads. */
double hk_distance_to(const hk_distance *distance, const double *x, double limit);
