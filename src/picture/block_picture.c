/* The picture of a partition: each node has the colour of its block, and blocks that touch have
 * different colours where the number of classes allows it (hk_blocks_colour). The surface of the
 * mesh is drawn as a field of class numbers, without a colour bar of values (docs/partition.md). */
#include "picture/block_picture.h"
#include "picture/figure.h"
#include <math.h>

/* value[surface->corners]: the class of each node's block; not-a-number at centres of polygons. */
static hk_status find_classes(const hk_adjacency *graph, const hk_blocks *blocks,
                              const hk_surface *surface, hk_pool *pool, double **value)
{
  uint8_t *colour;
  HK_PASS(hk_pool_get(pool, &colour, blocks->blocks));
  HK_PASS(hk_pool_get(pool, value, surface->corners));
  HK_PASS(hk_blocks_colour(graph, blocks, HK_CLASSES, colour));
  for (hk_count i = 0; i < surface->corners; i++)
    (*value)[i] = i < surface->nodes
                      ? (colour[blocks->block[hk_surface_node(surface, i)]] + .5) / HK_CLASSES
                      : NAN;
  return HK_OK;
}

hk_status hk_block_picture(const hk_mesh *mesh, const hk_adjacency *graph, const hk_blocks *blocks,
                           const char *title, const char *note, int width, hk_canvas **out)
{
  hk_status status = HK_OK;
  hk_field_grid *grid = NULL;
  hk_surface *surface = NULL;
  hk_raster *raster = NULL;
  hk_pool pool = {0};
  double *corner, *value;

  HK_TRY(hk_field_grid_create(mesh, &grid));
  HK_TRY(hk_surface_create(grid, &surface));
  HK_TRY(hk_pool_get(&pool, &corner, surface->corners * 3));
  hk_surface_spread(surface, 3, grid->point, corner);
  HK_TRY(find_classes(graph, blocks, surface, &pool, &value));
  const hk_figure figure = {.surface = surface,
                            .corner = corner,
                            .value = value,
                            .title = title,
                            .time = note,
                            .name = "blocks",
                            .length_unit = "",
                            .map = HK_MAP_CLASSES,
                            .low = 0,
                            .high = 1,
                            .classes = true};
  HK_TRY(hk_figure_draw(&figure, width, &raster, out));
cleanup:
  hk_raster_destroy(&raster);
  hk_field_grid_destroy(&grid);
  hk_surface_destroy(&surface);
  hk_pool_clear(&pool);
  return status;
}
