/* What run.json tells of the body, for those who make images of what its waves met: its box, and the speeds of waves in each region. */
#include "base/json.h"
#include "run/march/march.h"
#include <math.h>

json_t *hk_march_box(const hk_mesh *mesh)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  json_t *box = json_array();
#pragma omp parallel for schedule(static) reduction(min : low[:3]) reduction(max : high[:3])
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int d = 0; d < mesh->dim; d++) {
      const double x = mesh->x[n * mesh->dim + d];
      if (x < low[d]) low[d] = x;
      if (x > high[d]) high[d] = x;
    }
  json_array_append_new(box, hk_json_reals(mesh->dim, low));
  json_array_append_new(box, hk_json_reals(mesh->dim, high));
  return box;
}

/* P waves have one speed, at all places and in all directions. */
static bool is_uniform(const hk_region *r, int dim)
{
  double lambda, mu;
  const bool varies = r->varies && r->plane != HK_AXISYMMETRIC; /* there it is set for 2 pi x */
  return !varies && !r->spread && (r->material.fluid || hk_region_lame(r, dim, &lambda, &mu));
}

json_t *hk_march_speeds(const hk_model *model)
{
  json_t *list = json_array();
  const int dim = model->mesh->dim;
  const int regions = hk_model_named_regions(model);
  for (int i = 0; i < regions; i++) {
    const hk_region *r = &model->region[i];
    double slowest, fastest;
    hk_model_speeds(model, i, &slowest, &fastest);
    const bool moving = hk_material_waves(&r->material),
               pressure = moving && r->plane != HK_ANTIPLANE;
    json_array_append_new(
        list, json_pack("{s:s, s:o, s:o, s:o}", "region", r->name ? r->name : "", "p_speed",
                        pressure ? hk_json_real(fastest) : json_null(), "s_speed",
                        moving && r->material.elastic ? hk_json_real(slowest) : json_null(),
                        "uniform", pressure ? json_boolean(is_uniform(r, dim)) : json_null()));
  }
  return list;
}
