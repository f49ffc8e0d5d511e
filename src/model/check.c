/* hk_check: what a run will take, without building anything large. */
#include "model/resolution.h"
#include "model/stage.h"
#include "device/bandwidth.h"
#include "model/frames.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of libraries, stacks and file buffers in a small run. */
static const double BASE_BYTES = 24e6;

typedef struct prediction {
  double memory, disk, seconds, bytes_per_step;
  hk_count steps;
} prediction;

static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *quality_of(const hk_mesh *mesh, hk_messages *list)
{
  hk_mesh_quality q;
  if (hk_mesh_measure(mesh, &q) != HK_OK) return json_null();
  if (q.smallest_jacobian_ratio < 0.1)
    hk_messages_add(
        list, HK_WARNING, NULL, 0, 0, "element %lld is badly shaped: its Jacobian varies by %.3g",
        (long long)hk_mesh_element_label(mesh, q.worst_element), q.smallest_jacobian_ratio);
  return json_pack(
      "{s:I, s:I, s:o, s:I, s:o, s:o, s:o}", "orphan_nodes", (json_int_t)q.orphan_nodes, "parts",
      (json_int_t)q.parts, "smallest_jacobian_ratio", number(q.smallest_jacobian_ratio),
      "worst_element", (json_int_t)hk_mesh_element_label(mesh, q.worst_element), "shortest_edge",
      number(q.shortest_edge), "longest_edge", number(q.longest_edge), "volume", number(q.volume));
}

static json_t *regions_of(const hk_model *model, const hk_resolution *r)
{
  json_t *list = json_array();
  for (int i = 0; i < model->region_count; i++)
    if (r[i].elements)
      json_array_append_new(
          list,
          json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "region",
                    model->region[i].name ? model->region[i].name : "", "material",
                    model->region[i].material.name ? model->region[i].material.name : "",
                    "elements", (json_int_t)r[i].elements, "p_speed", number(r[i].fastest),
                    "s_speed", number(r[i].slowest), "shortest_wavelength", number(r[i].wavelength),
                    "edge", number(r[i].edge), "points_per_wavelength", number(r[i].points),
                    "advised_edge", number(r[i].advised)));
  return list;
}

static double mesh_bytes(const hk_mesh *mesh)
{
  double sum = (double)mesh->node_count * mesh->dim * 8;
  if (mesh->node_label) sum += (double)mesh->node_count * 16;
  if (mesh->element_label) sum += (double)mesh->element_count * 16;
  for (int b = 0; b < mesh->block_count; b++)
    sum += (double)mesh->block[b].count * mesh->block[b].nodes * 4;
  for (int s = 0; s < mesh->set_count; s++)
    sum += (double)mesh->set[s].count * (mesh->set[s].face ? 5 : 4);
  return sum;
}

/* The larger of what is held while K is made (the connection of nodes and elements) and while it is stepped. */
static void predict_memory(const hk_problem *p, const hk_stage *stage, int count,
                           const hk_layouts *layouts, prediction *out)
{
  const hk_mesh *mesh = p->model->mesh;
  double making = (double)mesh->node_count * 4,
         stepping = (double)hk_explicit_plan(p->space, p->double_precision);
  double rings = 0;
  for (int b = 0; b < mesh->block_count; b++)
    making += (double)mesh->block[b].count * mesh->block[b].nodes * 4;
  for (int i = 0; i < count; i++)
    for (int w = 0; w < stage[i].watch_count; w++)
      rings += 3.0 * 8 * (double)(hk_watch_room(stage[i].watch[w].rows) * stage[i].watch[w].rows);
  if (layouts->field.frames) stepping += (double)hk_frames_plan(p);
  out->memory =
      BASE_BYTES + mesh_bytes(mesh) + 2.0 * (double)mesh->element_count +
      8.0 * (double)mesh->node_count + (double)p->kind->plan(mesh, p->device, p->double_precision) +
      (double)p->space->padded * 8 * (p->damping ? 2 : 1) + fmax(making, stepping + rings);
}

static hk_status predict_time(const hk_problem *p, prediction *out)
{
  hk_status status = HK_OK;
  hk_bandwidth stream;
  const double real = p->double_precision ? 8 : 4, vectors = p->double_precision ? 3 : 4;
  out->bytes_per_step =
      (double)p->kind->plan(p->model->mesh, p->device, p->double_precision) +
      p->space->padded * real * (vectors * p->space->components + 1 + (p->damping != NULL));
  HK_TRY(hk_bandwidth_measure(p->device, out->bytes_per_step < 16e6 ? 4 << 20 : 64 << 20, &stream));
  out->seconds = (double)out->steps * out->bytes_per_step / (0.85 * stream.step_gb_per_s * 1e9);
cleanup:
  return status;
}

static hk_status predict(hk_problem *p, bool vtu, hk_messages *list, prediction *out, json_t *root)
{
  hk_status status = HK_OK;
  hk_stage *stage = NULL;
  hk_layouts layouts = {0};
  double start = 0;
  int made = 0;
  HK_TRY(hk_get(&stage, p->model->step_count));
  for (; made < p->model->step_count; made++) {
    HK_TRY(hk_stage_create(p, made, start, list, &stage[made]));
    start += (double)stage[made].steps * stage[made].dt;
    out->steps += stage[made].steps;
  }
  HK_TRY(hk_layouts_create(p, stage, made, &layouts));
  predict_memory(p, stage, made, &layouts, out);
  HK_TRY(predict_time(p, out));
  out->disk = (double)hk_run_file_plan(&layouts.run);
  if (layouts.field.frames) out->disk += (double)hk_field_file_plan(&layouts.field, vtu);
  json_object_set_new(root, "dt", number(stage[0].dt));
  json_object_set_new(root, "end_time", number(start));
cleanup:
  hk_layouts_clear(&layouts);
  for (int i = 0; i < made; i++) hk_stage_clear(&stage[i]);
  hk_free(&stage);
  return status;
}

static void add_prediction(const hk_problem *p, const prediction *what, json_t *root)
{
  const hk_mesh *mesh = p->model->mesh;
  json_object_set_new(root, "dt_limit", number(2 / p->omega));
  json_object_set_new(root, "dt_element",
                      json_integer((json_int_t)hk_mesh_element_label(mesh, p->guilty)));
  json_object_set_new(root, "method", json_string(p->kind->name));
  json_object_set_new(root, "precision", json_string(p->double_precision ? "double" : "single"));
  json_object_set_new(root, "counts",
                      json_pack("{s:I, s:I, s:I, s:I}", "nodes", (json_int_t)mesh->node_count,
                                "elements", (json_int_t)mesh->element_count, "dofs",
                                (json_int_t)p->space->nodes * p->space->components, "steps",
                                (json_int_t)what->steps));
  json_object_set_new(root, "memory_bytes", number(what->memory));
  json_object_set_new(root, "memory_free_bytes", json_integer((json_int_t)hk_memory_available()));
  json_object_set_new(root, "disk_bytes", number(what->disk));
  json_object_set_new(root, "seconds", number(what->seconds));
}

hk_status hk_check(const hk_model *model, const hk_run_desc *desc, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  hk_problem *p = NULL;
  hk_resolution *resolution = NULL;
  prediction what = {0};
  double frequency;
  char *dump = NULL;
  json_t *root = json_object();
  const bool vtu = desc->field_format && !strcmp(desc->field_format, "vtu");

  HK_TRY(hk_get(&resolution, model->region_count));
  HK_TRY(hk_problem_prepare(model, desc, list, &p));
  json_object_set_new(root, "model", json_string(model->path));
  json_object_set_new(root, "quality", quality_of(model->mesh, list));
  HK_TRY(hk_resolution_measure(model, list, &frequency, resolution));
  json_object_set_new(root, "highest_frequency", number(frequency));
  json_object_set_new(root, "regions", regions_of(model, resolution));
  HK_TRY(predict(p, vtu, list, &what, root));
  add_prediction(p, &what, root);
  dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  HK_CHECK(dump, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_copy_text(json, dump));
cleanup:
  free(dump);
  json_decref(root);
  hk_free(&resolution);
  hk_problem_destroy(&p);
  return status;
}
