/* kernels/points.k.h for one variant of a text that includes itself, NAME its own; device/host/points_end.h ends it. */
#define points_stretch JOIN(points_stretch, NAME)
#define points_invert JOIN(points_invert, NAME)
#define points_jacobian JOIN(points_jacobian, NAME)
#define points_terms JOIN(points_terms, NAME)
#define points_gradient JOIN(points_gradient, NAME)
#define points_left JOIN(points_left, NAME)
#define points_contract JOIN(points_contract, NAME)
#include "points.k.h"
