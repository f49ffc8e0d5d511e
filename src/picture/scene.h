/* What all pictures on one mesh share: what is seen of it, and where its corners lie. A run makes its scene once, for its pictures
 * and its report, beside its steps where a device computes them:
 *
 *   hk_scene_begin(mesh, threads, &s);   ... steps ...   hk_scene_end(s);   hk_pictures_draw(s, ...); */
#pragma once
#include "picture/figure.h"
#include "mesh/mesh.h"

typedef struct hk_scene hk_scene;

hk_status hk_scene_create(const hk_field_grid *grid, hk_scene **out);
/* Of the field files that a run on that mesh writes, by a thread with `threads` of OpenMP that begins now; 0: by the caller when it ends.
 * The mesh is borrowed until then. */
hk_status hk_scene_begin(const hk_mesh *mesh, int threads, hk_scene **out);
/* The scene is there. What the thread could not do is done again now. Nothing where it has ended before. */
hk_status hk_scene_end(hk_scene *scene);
/* Waits for the thread. */
void hk_scene_destroy(hk_scene **scene);

/* Whether the scene shows a grid: they have as many nodes, cells and links. */
bool hk_scene_shows(const hk_scene *scene, const hk_field_grid *grid);
const hk_surface *hk_scene_surface(const hk_scene *scene);
const double *hk_scene_corners(const hk_scene *scene); /* [corners][3] */
