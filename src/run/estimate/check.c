/* Pieces of what hk_check tells. */
#include "run/estimate/check.h"
#include "run/explicit/dispersion.h"
#include "run/estimate/resolution.h"
#include "model/unit_names.h"
#include "base/json.h"
#include <string.h>

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

json_t *hk_check_regions(const hk_model *model, const hk_resolution *r)
{
  json_t *list = json_array();
  for (int i = 0; i < model->region_count; i++)
    if (r[i].elements)
      json_array_append_new(
          list, json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "region",
                          model->region[i].name ? model->region[i].name : "", "material",
                          model->region[i].material.name ? model->region[i].material.name : "",
                          "elements", (json_int_t)r[i].elements, "p_speed",
                          hk_json_real(r[i].fastest), "s_speed", hk_json_real(r[i].slowest),
                          "shortest_wavelength", hk_json_real(r[i].wavelength), "edge",
                          hk_json_real(r[i].edge), "points_per_wavelength",
                          hk_json_real(r[i].points), "advised_edge", hk_json_real(r[i].advised)));
  return list;
}

void hk_check_room(const hk_prediction *what, const hk_device *device, hk_messages *list)
{
  const double room = (double)hk_memory_available();
  if (what->memory > room && !hk_device_describe(device)->own_memory)
    hk_messages_add(
        list, HK_WARNING, NULL, 0, 0,
        "a run needs %.3g GB of memory, and %.3g GB are free: this machine cannot run it",
        what->memory / 1e9, room / 1e9);
}

void hk_check_add_prediction(const hk_problem *p, const hk_prediction *what, json_t *root)
{
  const hk_mesh *mesh = p->model->mesh;
  json_object_set_new(root, "dt", hk_json_real(what->dt));
  json_object_set_new(root, "end_time", hk_json_real(what->end_time));
  json_object_set_new(root, "dt_limit", hk_json_real(2 / p->omega));
  json_object_set_new(root, "dt_element",
                      json_integer((json_int_t)hk_mesh_element_label(mesh, p->guilty)));
  json_object_set_new(root, "method", json_string(p->kind->name));
  json_object_set_new(root, "precision", json_string(p->double_precision ? "double" : "single"));
  json_t *counts = json_pack("{s:I, s:I, s:I, s:I}", "nodes", (json_int_t)mesh->node_count,
                             "elements", (json_int_t)mesh->element_count, "dofs",
                             (json_int_t)p->space->nodes * p->space->components, "steps",
                             (json_int_t)what->steps);
  if (what->shots) {
    json_object_set_new(counts, "shots", json_integer((json_int_t)what->shots));
    json_object_set_new(counts, "shots_at_once", json_integer(what->at_once));
  }
  json_object_set_new(root, "counts", counts);
  json_object_set_new(root, "memory_bytes", hk_json_real(what->memory));
  json_object_set_new(root, "memory_free_bytes", json_integer((json_int_t)hk_memory_available()));
  json_object_set_new(root, "disk_bytes", hk_json_real(what->disk));
  json_object_set_new(root, "seconds", hk_json_real(what->seconds));
  json_object_set_new(root, "seconds_low", hk_json_real(what->seconds_low));
  json_object_set_new(root, "seconds_high", hk_json_real(what->seconds_high));
}

/* Of the slowest waves, which take longest. */
void hk_check_add_dispersion(const hk_model *model, const hk_prediction *what, double frequency,
                             const hk_resolution *r, hk_messages *list, json_t *root)
{
  hk_dispersion d;
  double slowest = 0;
  for (int i = 0; i < model->region_count; i++)
    if (r[i].elements && r[i].slowest > 0 && (!(slowest > 0) || r[i].slowest < slowest))
      slowest = r[i].slowest;
  hk_dispersion_foretell(model, what->kept, frequency, slowest, what->dt, what->end_time, list, &d);
  json_object_set_new(root, "time_dispersion",
                      json_pack("{s:b, s:s, s:o, s:o, s:o, s:o}", "removed", d.kept == NULL, "why",
                                d.kept ? d.kept : "", "path",
                                d.path < 0 ? json_null() : hk_json_real(d.path), "time",
                                hk_json_real(d.time), "phase_error_computed",
                                hk_json_real(d.computed), "phase_error", hk_json_real(d.left)));
}
