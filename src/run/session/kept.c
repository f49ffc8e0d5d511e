/* Keeps what the stages of a run took, so that `hooke check` can tell what a run like it will take
 * beside solving. Runs are alike that have the same analysis, form of K, shape, precision
 * and kinds of files on the same device with as many threads, and the same solver; static solutions are told by them too. A record
 * is a JSON text in the cache folder of the device, kept for each power of four of the number of
 * nodes; where that has none, the next smaller or larger counts. Seconds grow with the nodes: as between that record and a smaller one, where there is one, else in
 * proportion, but for a device that opens. Kernels are compiled once, and then lie in that folder: their stages are left out. */
#include "device/cache.h"
#include "base/json.h"
#include "run/session/session.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The kinds of the files that were read: they are read at different speeds. */
static void name_files(const hk_model *model, size_t room, char *text)
{
  *text = 0;
  for (hk_count i = 0; i < model->file.count; i++) {
    const char *dot = strrchr(model->file.at[i], '.');
    const size_t used = strlen(text);
    snprintf(text + used, room - used, " %.8s", dot ? dot + 1 : "");
  }
}

static int size_of(double nodes)
{
  return (int)(log2(fmax(nodes, 1)) / 2);
}

static hk_cache_key key_of(const hk_discretisation *on, int size)
{
  const hk_device_info *info = hk_device_describe(on->device);
  const hk_mesh *mesh = on->model->mesh;
  const hk_static_how *how = &on->model->solve.how;
  char what[320], files[160], kind[480];
  name_files(on->model, sizeof files, files);
  snprintf(what, sizeof what, "stages %s %s %s threads %d", info->name, info->isa, info->software,
           info->threads);
  snprintf(
      kind, sizeof kind, "%s %s dim %d shape %d components %d %s steps %d by %s %s size %d of%s",
      hk_analysis_of_model(on->model)->name, on->kind->name, mesh->dim, (int)mesh->block[0].shape,
      on->space->components, on->double_precision ? "double" : "single", on->model->step_count,
      how->method, how->preconditioner, size, files);
  return hk_cache_key_of(what, kind);
}

static bool is_compiling(const char *stage)
{
  const size_t length = strlen(stage), end = strlen("compile");
  return length >= end && strcmp(stage + length - end, "compile") == 0;
}

static bool is_solving(const char *stage)
{
  return strncmp(stage, "solve", strlen("solve")) == 0;
}

static json_t *read_size(const hk_discretisation *on, int size)
{
  const char *folder = hk_device_cache(on->device);
  char *data = NULL;
  hk_count bytes = 0;
  json_t *root = NULL;
  if (folder && hk_cache_read(folder, key_of(on, size), &data, &bytes))
    root = json_loadb(data, (size_t)bytes, 0, NULL);
  hk_free(&data);
  if (root && json_number_value(json_object_get(root, "nodes")) > 0) return root;
  json_decref(root);
  return NULL;
}

/* {nodes, stages} of that size, or of the next smaller or larger one; NULL: none is kept. */
static json_t *read_kept(const hk_discretisation *on, double nodes)
{
  static const int near[] = {0, -1, 1};
  json_t *root = NULL;
  for (size_t i = 0; !root && i < sizeof near / sizeof *near; i++)
    root = read_size(on, size_of(nodes) + near[i]);
  return root;
}

static double nodes_of(const json_t *kept)
{
  return json_number_value(json_object_get(kept, "nodes"));
}

static double stage_of(const json_t *kept, const char *name)
{
  return json_number_value(json_object_get(json_object_get(kept, "stages"), name));
}

/* The next record of fewer nodes than `kept`, at most 4^6 times fewer; NULL: none. */
static json_t *read_smaller(const hk_discretisation *on, const json_t *kept)
{
  enum { SIZES = 6 };
  json_t *root = NULL;
  const int size = size_of(nodes_of(kept));
  for (int i = 1; !root && i <= SIZES && i <= size; i++) root = read_size(on, size - i);
  if (root && !(2 * nodes_of(root) < nodes_of(kept))) json_decref(root), root = NULL;
  return root;
}

/* Seconds of a stage with `nodes` nodes. smaller: NULL, or a record of fewer nodes than `kept`. */
static double grow(const json_t *kept, const json_t *smaller, const char *name, double nodes)
{
  static const char constant[] = "mesh/device";
  const double seconds = stage_of(kept, name), most = seconds / nodes_of(kept);
  double rate = strncmp(name, constant, sizeof constant - 1) ? most : 0;
  if (smaller)
    rate = fmin(
        rate, fmax(0, (seconds - stage_of(smaller, name)) / (nodes_of(kept) - nodes_of(smaller))));
  return seconds + rate * (nodes - nodes_of(kept));
}

enum { DRAWN = 2 };
static const char *const drawn[DRAWN] = {"output/pictures", "output/report"};

/* Of a run that drew no pictures: those that the last run like it drew. */
static void keep_pictures(const hk_discretisation *on, double nodes, json_t *stages)
{
  json_t *kept = read_kept(on, nodes);
  const double grown = kept ? nodes / json_number_value(json_object_get(kept, "nodes")) : 0;
  for (int i = 0; i < DRAWN; i++) {
    const json_t *seconds = json_object_get(json_object_get(kept, "stages"), drawn[i]);
    json_object_del(stages, drawn[i]);
    if (seconds)
      json_object_set_new(stages, drawn[i], hk_json_real(grown * json_number_value(seconds)));
  }
  json_decref(kept);
}

void hk_stages_keep(const hk_session *s, const hk_discretisation *on)
{
  const char *folder = hk_device_cache(on->device), *name;
  const hk_count nodes = s->model->mesh->node_count;
  char *text = NULL;
  json_t *all = hk_summary_stages(s), *kept = json_object(), *value,
         *root = json_pack("{s:I, s:o}", "nodes", (json_int_t)nodes, "stages", kept);
  double solving = 0;
  json_object_foreach(all, name, value)
  {
    if (is_solving(name))
      solving += json_number_value(value);
    else if (!is_compiling(name))
      json_object_set(kept, name, value);
  }
  if (s->desc->no_pictures) keep_pictures(on, (double)nodes, kept);
  json_object_set_new(kept, "solve", hk_json_real(solving));
  if (folder && hk_json_dump(root, 12, &text) == HK_OK)
    hk_cache_write(folder, key_of(on, size_of((double)nodes)), text, (hk_count)strlen(text));
  hk_free(&text);
  json_decref(root);
  json_decref(all);
}

hk_session_rest hk_stages_kept_rest(const hk_session *s, const hk_discretisation *on)
{
  double seconds[DRAWN] = {0};
  const double nodes = (double)s->model->mesh->node_count;
  json_t *kept = s->desc->no_pictures ? NULL : read_kept(on, nodes);
  const double grown = kept ? nodes / json_number_value(json_object_get(kept, "nodes")) : 0;
  for (int i = 0; i < DRAWN; i++)
    seconds[i] =
        grown * json_number_value(json_object_get(json_object_get(kept, "stages"), drawn[i]));
  json_decref(kept);
  return (hk_session_rest){seconds[0], seconds[1]};
}

double hk_stages_kept_solve(const hk_discretisation *on, double nodes)
{
  json_t *kept = read_kept(on, nodes), *smaller = kept ? read_smaller(on, kept) : NULL;
  const double seconds = kept ? grow(kept, smaller, "solve", nodes) : 0;
  json_decref(smaller);
  json_decref(kept);
  return seconds;
}

void hk_stages_add_kept(const hk_discretisation *on, double nodes, json_t *root)
{
  const char *name;
  double all = 0;
  json_t *kept = read_kept(on, nodes), *smaller = kept ? read_smaller(on, kept) : NULL,
         *list = json_object(), *value;
  json_object_foreach(json_object_get(kept, "stages"), name, value)
  {
    if (is_solving(name)) continue;
    const double seconds = grow(kept, smaller, name, nodes);
    json_object_set_new(list, name, hk_json_real(seconds));
    all += seconds;
  }
  json_object_set_new(root, "seconds_beside", kept ? hk_json_real(all) : json_null());
  if (kept) json_object_set(root, "stages", list);
  json_decref(list);
  json_decref(smaller);
  json_decref(kept);
}
