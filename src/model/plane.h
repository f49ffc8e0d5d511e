/* 2D models whose materials would move them, or carry heat, across their plane. */
#ifndef HK_MODEL_PLANE_H
#define HK_MODEL_PLANE_H
#include "model/model.h"

/* The reason, to stand behind "material NAME", in *words (the caller frees it): NULL of 3D models and where the plane is enough. Of a region that
 * varies each element of element[count] is looked at in its middle. */
hk_status hk_plane_left(const hk_mesh *mesh, const hk_region *region, hk_count count,
                        const hk_index *element, bool heat, char **words);
#endif
