/* Parts of what `hooke check` reports, for the analyses to put together: the model and the quality
 * of its mesh, form and sizes, costs, wave speeds and elements per wavelength of each region, and
 * the phase error of central differences (docs/theory/dispersion.md). Each part warns about bad
 * values. */
#include "run/estimate/estimate.h"
#include "base/json.h"
#include "model/unit_names.h"
#include "run/explicit/stage.h"
#include "run/session/session.h"
#include <math.h>

json_t *hk_check_quality(const hk_mesh *mesh, hk_messages *list)
{
  hk_mesh_quality q;
  if (hk_mesh_measure(mesh, &q) != HK_OK) return json_null();
  if (q.smallest_jacobian_ratio < 0.1)
    hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                    "element %lld is badly shaped: its Jacobian varies by a factor of %.3g",
                    (long long)hk_mesh_element_label(mesh, q.worst_element),
                    q.smallest_jacobian_ratio);
  return json_pack("{s:I, s:I, s:o, s:I, s:o, s:o, s:o}", "orphan_nodes",
                   (json_int_t)q.orphan_nodes, "parts", (json_int_t)q.parts,
                   "smallest_jacobian_ratio", hk_json_real(q.smallest_jacobian_ratio),
                   "worst_element", (json_int_t)hk_mesh_element_label(mesh, q.worst_element),
                   "shortest_edge", hk_json_real(q.shortest_edge), "longest_edge",
                   hk_json_real(q.longest_edge), "volume", hk_json_real(q.volume));
}

void hk_check_add_form(const hk_discretisation *on, json_t *root)
{
  json_object_set_new(root, "method", json_string(on->kind->name));
  json_object_set_new(root, "precision", json_string(on->double_precision ? "double" : "single"));
  json_object_set_new(root, "counts", hk_json_sizes(on));
}

void hk_check_begin(const hk_discretisation *on, json_t *root)
{
  hk_model_warn_idle(on->model, on->list);
  json_object_set_new(root, "model", json_string(on->model->path));
  hk_check_add_units(on->model, on->list, root);
  const hk_analysis *analysis = hk_analysis_of_model(on->model);
  if (!analysis->in_time) json_object_set_new(root, "analysis", json_string(analysis->name));
  json_object_set_new(root, "quality", hk_check_quality(on->model->mesh, on->list));
}

void hk_check_add_cost(const hk_cost *cost, bool estimated, json_t *root)
{
  json_object_set_new(root, "memory_bytes", hk_json_real(cost->memory));
  if (isnan(cost->memory))
    json_object_set_new(root, "memory_bytes_at_least", hk_json_real(cost->least));
  json_object_set_new(root, "memory_free_bytes", json_integer((json_int_t)hk_memory_available()));
  json_object_set_new(root, "check_memory_bytes", hk_json_real(cost->before));
  json_object_set_new(root, "disk_bytes", hk_json_real(cost->disk));
  json_object_set_new(root, "seconds", hk_json_real(cost->seconds));
  json_object_set_new(root, "seconds_low", hk_json_real(cost->seconds_low));
  json_object_set_new(root, "seconds_high", hk_json_real(cost->seconds_high));
  json_object_set_new(root, "estimated", json_boolean(estimated));
}

/* Of constants of a field: [least, largest] density and speeds, and the element with the fewest points per wavelength, added to the region. */
static json_t *with_ranges(const hk_model *model, int named, const hk_resolution *r, json_t *region)
{
  double range[3][2] = {{INFINITY, 0}, {INFINITY, 0}, {INFINITY, 0}};
  static const char *const key[] = {"density_range", "p_speed_range", "s_speed_range"};
  if (!model->region[named].spread) return region;
  for (int k = 0; k < model->region_count; k++) {
    const hk_region *own = &model->region[k];
    if (hk_model_named(model, k) != named) continue;
    const bool moving = hk_material_waves(&own->material);
    const double value[] = {own->material.density,
                            moving ? hk_region_fastest(own, model->mesh->dim) : 0,
                            moving ? hk_region_slowest(own, model->mesh->dim) : 0};
    for (int i = 0; i < 3; i++)
      range[i][0] = fmin(range[i][0], value[i]), range[i][1] = fmax(range[i][1], value[i]);
  }
  for (int i = 0; i < 3; i++)
    if (range[i][0] > 0 && !(i == 2 && model->region[named].material.fluid) &&
        !(i == 1 && model->region[named].plane == HK_ANTIPLANE))
      json_object_set_new(region, key[i], hk_json_reals(2, range[i]));
  if (r->worst >= 0)
    json_object_set_new(region, "coarsest_element",
                        json_integer((json_int_t)hk_mesh_element_label(model->mesh, r->worst)));
  return region;
}

json_t *hk_check_regions(const hk_model *model, const hk_resolution *r)
{
  json_t *list = json_array();
  const int regions = hk_model_named_regions(model);
  for (int i = 0; i < regions; i++)
    if (r[i].elements)
      json_array_append_new(
          list, with_ranges(
                    model, i, &r[i],
                    json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "region",
                              model->region[i].name ? model->region[i].name : "", "material",
                              model->region[i].material.name ? model->region[i].material.name : "",
                              "elements", (json_int_t)r[i].elements, "p_speed",
                              model->region[i].plane == HK_ANTIPLANE ? json_null()
                                                                     : hk_json_real(r[i].fastest),
                              "s_speed", hk_json_real(r[i].slowest), "shortest_wavelength",
                              hk_json_real(r[i].wavelength), "edge", hk_json_real(r[i].edge),
                              "points_per_wavelength", hk_json_real(r[i].points), "advised_edge",
                              hk_json_real(r[i].advised))));
  return list;
}

void hk_check_room(const hk_cost *cost, hk_messages *list)
{
  const double room = (double)hk_memory_available(),
               need = isnan(cost->memory) ? cost->least : cost->memory;
  if (need > room)
    hk_messages_add(
        list, HK_WARNING, NULL, 0, 0,
        "a run needs %.3g GB of memory, and %.3g GB are free: this machine cannot run it",
        need / 1e9, room / 1e9);
}

void hk_check_add_devices(hk_device *const *device, int count, double each, const char *what,
                          const char *advice, hk_messages *list, json_t *root)
{
  json_t *devices = json_array();
  for (int k = 0; k < count; k++) {
    const hk_device_info *info = hk_device_describe(device[k]);
    const double room = (double)hk_device_available(device[k]);
    json_array_append_new(devices,
                          json_pack("{s:s, s:I, s:I}", "device", info->backend, "memory_bytes",
                                    (json_int_t)each, "memory_free_bytes", (json_int_t)room));
    if (info->own_memory && each > room)
      hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                      "%s take %.3g GB of device %s, which has %.3g GB free: %s", what, each / 1e9,
                      info->backend, room / 1e9, advice);
  }
  json_object_set_new(root, "devices", devices);
}

void hk_check_add_devices_of(const hk_problem *p, const hk_prediction *what, hk_messages *list,
                             json_t *root)
{
  const hk_several *all = &p->several;
  const int parts = all->parts > 1 && !all->queued ? all->parts : 1;
  hk_check_add_devices(all->count ? all->device : &p->on.device, all->count ? all->count : 1,
                       what->device / parts, "K, the state and the frames",
                       "divide the model among more devices (--device)", list, root);
}

void hk_check_add_prediction(const hk_problem *p, const hk_prediction *what, json_t *root)
{
  json_object_set_new(root, "dt", hk_json_real(what->dt));
  json_object_set_new(root, "end_time", hk_json_real(what->end_time));
  json_object_set_new(root, "dt_limit", hk_json_real(hk_problem_dt_limit(p)));
  json_object_set_new(
      root, "dt_element",
      json_integer((json_int_t)hk_mesh_element_label(p->on.model->mesh, hk_problem_guilty(p))));
  hk_check_add_form(&p->on, root);
  hk_check_add_shapes(&p->on, root);
  hk_summary_count(root, "steps", what->steps);
  if (!what->shots) return;
  hk_summary_count(root, "shots", what->shots);
  hk_summary_count(root, "shots_at_once", what->at_once);
}

void hk_check_add_traces(const hk_model *model, json_t *root)
{
  json_t *list = json_array();
  for (int s = 0; s < model->step_count; s++)
    for (int t = 0; t < model->step[s].trace_count; t++) {
      const hk_trace_request *r = &model->step[s].trace[t];
      json_array_append_new(
          list, json_pack("{s:s, s:I}", "trace", r->name ? r->name : "", "receivers",
                          (json_int_t)(r->point_count ? r->point_count : r->target.count)));
    }
  json_object_set_new(root, "traces", list);
}

/* Of the slowest waves, which take longest. */
void hk_check_add_dispersion(const hk_problem *problem, const hk_prediction *what, double frequency,
                             const hk_resolution *r, hk_messages *list, json_t *root)
{
  const hk_model *model = problem->on.model;
  const char *rest = hk_dispersion_rest(problem);
  hk_dispersion d;
  double slowest = 0;
  for (int i = 0; i < model->region_count; i++)
    if (r[i].elements && r[i].slowest > 0 && (!(slowest > 0) || r[i].slowest < slowest))
      slowest = r[i].slowest;
  hk_dispersion_foretell(problem, what->kept, frequency, slowest, what->dt, what->end_time, list,
                         &d);
  json_object_set_new(root, "time_dispersion",
                      json_pack("{s:b, s:s, s:o, s:o, s:o, s:o}", "removed", d.kept == NULL, "why",
                                d.kept ? d.kept
                                : rest ? rest
                                       : "",
                                "path", d.path < 0 ? json_null() : hk_json_real(d.path), "time",
                                hk_json_real(d.time), "phase_error_computed",
                                hk_json_real(d.computed), "phase_error", hk_json_real(d.left)));
}
