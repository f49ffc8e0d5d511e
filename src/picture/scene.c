/* The scene of pictures: the surface of a mesh and the places of its corners. The thread that makes it beside a run is of low priority and has its
 * own threads of OpenMP, which inherit that: where others compute, it waits. What it cannot do, for want of memory, is done when the run has ended. */
#include "picture/scene.h"
#include <omp.h>
#include <pthread.h>
#include <sys/resource.h>

enum { LOW = 19 }; /* nice */

struct hk_scene {
  hk_pool pool;                 /* of corner */
  hk_count nodes, cells, links; /* of the grid */
  hk_surface *surface;          /* NULL: not made yet */
  double *corner;
  const hk_mesh *mesh;
  int threads;
  bool started;
  pthread_t thread;
};

/* Of a new scene; on failure it stays without a surface. */
static hk_status show(const hk_field_grid *grid, hk_scene *s)
{
  hk_status status = HK_OK;
  hk_surface *surface = NULL;
  HK_TRY(hk_surface_create(grid, &surface));
  HK_TRY(hk_pool_get(&s->pool, &s->corner, surface->corners * 3));
  hk_surface_spread(surface, 3, grid->point, s->corner);
  s->nodes = grid->nodes, s->cells = grid->cells, s->links = grid->links;
  s->surface = surface, surface = NULL;
cleanup:
  hk_surface_destroy(&surface);
  return status;
}

static hk_status show_mesh(hk_scene *s)
{
  hk_status status = HK_OK;
  hk_field_grid *grid = NULL;
  HK_TRY(hk_field_grid_create(s->mesh, &grid));
  HK_TRY(show(grid, s));
cleanup:
  hk_field_grid_destroy(&grid);
  return status;
}

static void *work(void *scene)
{
  hk_scene *s = scene;
  (void)setpriority(PRIO_PROCESS, 0, LOW); /* of this thread and those that it begins */
  omp_set_num_threads(s->threads);
  (void)show_mesh(s); /* a failure leaves the work to hk_scene_end */
  return NULL;
}

hk_status hk_scene_create(const hk_field_grid *grid, hk_scene **out)
{
  hk_status status = HK_OK;
  hk_scene *s = NULL;
  HK_TRY(hk_new(&s));
  HK_TRY(show(grid, s));
  *out = s, s = NULL;
cleanup:
  hk_scene_destroy(&s);
  return status;
}

hk_status hk_scene_begin(const hk_mesh *mesh, int threads, hk_scene **out)
{
  hk_scene *s = NULL;
  HK_PASS(hk_new(&s));
  s->mesh = mesh, s->threads = threads;
  s->started = threads > 0 && pthread_create(&s->thread, NULL, work, s) == 0;
  *out = s;
  return HK_OK;
}

static void wait_for(hk_scene *s)
{
  if (s->started) pthread_join(s->thread, NULL);
  s->started = false;
}

hk_status hk_scene_end(hk_scene *s)
{
  wait_for(s);
  return s->surface ? HK_OK : show_mesh(s);
}

void hk_scene_destroy(hk_scene **scene)
{
  hk_scene *s = *scene;
  if (!s) return;
  wait_for(s);
  hk_surface_destroy(&s->surface);
  hk_pool_clear(&s->pool);
  hk_free(scene);
}

bool hk_scene_shows(const hk_scene *s, const hk_field_grid *grid)
{
  return s->nodes == grid->nodes && s->cells == grid->cells && s->links == grid->links;
}

const hk_surface *hk_scene_surface(const hk_scene *s)
{
  return s->surface;
}

const double *hk_scene_corners(const hk_scene *s)
{
  return s->corner;
}
