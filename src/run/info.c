/* hk_info describes a file as JSON: sizes, shapes, sets and quality of a mesh, materials and steps
 * of a deck or case, traces and arrays of a result. The kind of file follows from its name. A deck
 * that cannot be read as a model, because it has no materials or no step, is described as a mesh. */
#include <hooke/run.h>
#include "run/session/session.h"
#include "base/json.h"
#include "result/result.h"
#include <sys/stat.h>
#include <math.h>

static json_t *sets_of(const hk_mesh *mesh)
{
  static const char *const kind[] = {"nodes", "elements", "faces"};
  json_t *list = json_array();
  for (int i = 0; i < mesh->set_count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "name", mesh->set[i].name, "of",
                                          kind[mesh->set[i].kind], "count",
                                          (json_int_t)mesh->set[i].count));
  return list;
}

static hk_status describe_mesh(const hk_mesh *mesh, json_t *root)
{
  hk_mesh_quality q;
  json_t *shapes = json_object(), *box = json_array();
  for (int b = 0; b < mesh->block_count; b++)
    json_object_set_new(shapes, hk_shape_name(mesh->block[b].shape),
                        json_integer((json_int_t)mesh->block[b].count));
  json_object_set_new(root, "dimension", json_integer(mesh->dim));
  json_object_set_new(root, "nodes", json_integer((json_int_t)mesh->node_count));
  json_object_set_new(root, "elements", json_integer((json_int_t)mesh->element_count));
  json_object_set_new(root, "shapes", shapes);
  json_object_set_new(root, "sets", sets_of(mesh));
  json_object_set_new(root, "box", box);
  HK_PASS(hk_mesh_measure(mesh, &q));
  for (int i = 0; i < 2; i++) json_array_append_new(box, hk_json_reals(mesh->dim, q.box[i]));
  json_object_set_new(root, "shortest_edge", hk_json_real(q.shortest_edge));
  json_object_set_new(root, "longest_edge", hk_json_real(q.longest_edge));
  json_object_set_new(root, "volume", hk_json_real(q.volume));
  json_object_set_new(root, "parts", json_integer((json_int_t)q.parts));
  json_object_set_new(root, "orphan_nodes", json_integer((json_int_t)q.orphan_nodes));
  return HK_OK;
}

/* Where the density is not the same in all elements of the region, the least and the largest one. */
static void add_density_range(const hk_model *model, int named, json_t *material)
{
  double range[2] = {INFINITY, 0};
  for (int k = 0; k < model->region_count; k++) {
    const double density = model->region[k].material.density;
    if (hk_model_named(model, k) != named) continue;
    range[0] = fmin(range[0], density), range[1] = fmax(range[1], density);
  }
  if (range[0] > 0 && range[0] < range[1])
    json_object_set_new(material, "density_range", hk_json_reals(2, range));
}

static json_t *materials_of(const hk_model *model)
{
  json_t *list = json_array();
  const int regions = hk_model_named_regions(model);
  for (int i = 0; i < regions; i++) {
    const hk_region *r = &model->region[i];
    double slowest, fastest;
    hk_model_speeds(model, i, &slowest, &fastest);
    const bool moving = hk_material_waves(&r->material);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:o, s:b, s:o, s:o}", "region", r->name ? r->name : "",
                        "material", r->material.name ? r->material.name : "", "density",
                        r->material.density > 0 ? hk_json_real(r->material.density) : json_null(),
                        "isotropic", r->material.isotropic, "p_speed",
                        moving ? hk_json_real(fastest) : json_null(), "s_speed",
                        moving && r->material.elastic ? hk_json_real(slowest) : json_null()));
    if (r->spread) add_density_range(model, i, json_array_get(list, (size_t)i));
  }
  return list;
}

static json_t *steps_of(const hk_model *model)
{
  json_t *list = json_array();
  for (int i = 0; i < model->step_count; i++) {
    const hk_step *s = &model->step[i];
    json_t *step = json_pack("{s:s, s:o, s:i, s:i, s:i}", "kind", hk_analysis_of(s->kind)->name,
                             "duration", hk_json_real(s->duration), "loads", s->load_count,
                             "motions", s->motion_count, "traces", s->trace_count);
    if (s->shot_count) json_object_set_new(step, "shots", json_integer(s->shot_count));
    json_array_append_new(list, step);
  }
  return list;
}

static hk_status describe_model(const char *path, hk_messages *list, json_t *root)
{
  hk_status status = HK_OK;
  hk_model *model = NULL;
  HK_TRY(hk_model_read(path, NULL, 0, list, &model));
  json_object_set_new(root, "kind", json_string("model"));
  if (model->title) json_object_set_new(root, "title", json_string(model->title));
  HK_TRY(describe_mesh(model->mesh, root));
  json_object_set_new(root, "materials", materials_of(model));
  json_object_set_new(root, "steps", steps_of(model));
cleanup:
  hk_model_destroy(&model);
  return status;
}

static hk_status describe_result(const char *path, json_t *root)
{
  hk_status status = HK_OK;
  hk_result *result = NULL;
  json_t *traces = json_array(), *arrays = json_array();
  HK_TRY(hk_result_open(path, &result));
  json_object_set_new(root, "kind", json_string("result"));
  for (int i = 0; i < result->count; i++) {
    const hk_result_trace *t = &result->trace[i];
    json_t *trace = json_pack("{s:s, s:s, s:s, s:I, s:i, s:I}", "name", t->request, "quantity",
                              t->quantity, "unit", t->unit, "receivers", (json_int_t)t->receivers,
                              "components", t->count, "samples", (json_int_t)t->samples);
    if (t->shots) json_object_set_new(trace, "shots", json_integer((json_int_t)t->shots));
    json_array_append_new(traces, trace);
  }
  for (int i = 0; i < result->array_count; i++) {
    const hk_result_array *a = &result->array[i];
    json_array_append_new(arrays, json_pack("{s:s, s:s, s:s, s:I, s:i}", "step", a->step,
                                            "quantity", a->name, "unit", a->unit, "rows",
                                            (json_int_t)a->rows, "components", a->count));
  }
  json_object_set_new(root, "energy_samples", json_integer((json_int_t)result->energies));
  json_object_set(root, "run", result->run);
cleanup:
  json_object_set_new(root, "traces", traces);
  json_object_set_new(root, "static", arrays);
  hk_result_close(&result);
  return status;
}

/* A deck that is a mesh alone (no materials, no step) is told as a mesh. */
static hk_status describe_file(const char *path, hk_messages *list, json_t *root)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  static const char *const model_ends[] = {".yaml", ".yml", ".json"};
  for (int i = 0; i < 3; i++)
    if (hk_ends_with(path, model_ends[i])) return describe_model(path, list, root);
  if (hk_ends_with(path, ".inp") || hk_ends_with(path, ".inp.gz")) {
    status = describe_model(path, NULL, root);
    if (status == HK_OK) return status;
    json_object_clear(root);
  }
  HK_TRY(hk_mesh_read(path, list, &mesh));
  json_object_set_new(root, "kind", json_string("mesh"));
  HK_TRY(describe_mesh(mesh, root));
cleanup:
  hk_mesh_destroy(&mesh);
  return status;
}

hk_status hk_info(const char *path, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  struct stat info;
  json_t *root = json_object();
  const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);

  status = folder || hk_ends_with(path, ".h5") ? describe_result(path, root)
                                               : describe_file(path, list, root);
  HK_TRY(status);
  json_object_set_new(root, "path", json_string(path));
  HK_TRY(hk_json_dump(root, 12, json));
cleanup:
  json_decref(root);
  return status;
}
