/* hk_partition divides the nodes of a mesh, deck or case into blocks of threads, arranges them in
 * memory, and writes the block file and a picture (docs/partition.md). The result as JSON
 * has the number of blocks, their efficiency and the seconds of each part. A sweep does so for blocks of several sizes, counts what a step of them
 * reads and writes (papers/pogo/count.h), and writes no file. */
#include "papers/pogo/partition.h"
#include <hooke/run.h>
#include "papers/pogo/count.h"
#include "picture/block_picture.h"
#include "base/json.h"

enum { PICTURE_WIDTH = 1600 };

typedef struct work {
  hk_model *model;
  hk_mesh *read;       /* or a mesh alone */
  const hk_mesh *mesh; /* of either */
  hk_adjacency *graph;
  hk_blocks *blocks;
  const char *method; /* named, or the default of the mesh */
  hk_index cut;       /* blocks before the arrangement */
  hk_index kept;      /* of a file that is reused; else 0 */
  double seconds_read, seconds_graph, seconds_partition, seconds_arrange, seconds_write;
} work;

/* A case or a deck as a run numbers it; what is none is read as a mesh. */
static hk_status read_mesh(const char *path, hk_messages *list, work *w)
{
  const bool is_case =
      hk_ends_with(path, ".yaml") || hk_ends_with(path, ".yml") || hk_ends_with(path, ".json");
  const bool deck = hk_ends_with(path, ".inp") || hk_ends_with(path, ".inp.gz");
  if (is_case)
    HK_PASS(hk_model_read(path, NULL, 0, list, &w->model));
  else if (!deck || hk_model_read(path, NULL, 0, NULL, &w->model) != HK_OK)
    HK_PASS(hk_mesh_read(path, list, &w->read));
  w->mesh = w->model ? hk_model_mesh(w->model) : w->read;
  if (!w->method) w->method = hk_partition_method_name(hk_partition_default(w->mesh->dim));
  return HK_OK;
}

/* The blocks of a file as they are where the mesh has the same elements as its own; else those around which nothing changed. */
static hk_status reuse(const hk_partition_how *how, hk_messages *list, work *w)
{
  hk_status status = HK_OK;
  hk_blocks *old = NULL;
  uint64_t *mark = NULL;
  if (hk_blocks_read(how->reuse, w->mesh, &w->blocks) == HK_OK) {
    w->kept = w->blocks->blocks;
    return HK_OK;
  }
  HK_TRY(hk_blocks_read_other(how->reuse, &old, &mark));
  HK_TRY(hk_blocks_reuse(w->mesh, w->graph, old, mark, &w->kept, &w->blocks));
  if (!w->kept)
    hk_messages_add(
        list, HK_WARNING, how->reuse, 0, 0,
        "no block of this file is kept: nodes of the mesh for which it was written are "
        "found by their coordinates and elements, and each block has some that are not");
cleanup:
  hk_blocks_destroy(&old);
  hk_free(&mark);
  return status;
}

static hk_status cut(const hk_partition_how *how, hk_messages *list, work *w)
{
  hk_partition_desc desc = {.size = how->size};
  double start = hk_seconds();
  HK_PASS(hk_partition_method_of(w->method, &desc.method));
  HK_PASS(hk_adjacency_create(w->mesh, &w->graph));
  w->seconds_graph = hk_seconds() - start;
  start = hk_seconds();
  if (how->reuse)
    HK_PASS(reuse(how, list, w));
  else
    HK_PASS(hk_blocks_partition(w->mesh, w->graph, &desc, &w->blocks));
  w->cut = w->blocks->blocks;
  w->seconds_partition = hk_seconds() - start;
  start = hk_seconds();
  HK_PASS(hk_blocks_arrange_from(w->graph, w->kept, w->blocks));
  w->seconds_arrange = hk_seconds() - start;
  return HK_OK;
}

/* Blocks of one size: a line of the sweep. */
static hk_status count_size(const work *w, const hk_partition_desc *desc, json_t *lines)
{
  hk_status status = HK_OK;
  hk_blocks *blocks = NULL;
  hk_block_count count = {.components = w->mesh->dim};
  const double start = hk_seconds();
  HK_TRY(hk_blocks_partition(w->mesh, w->graph, desc, &blocks));
  HK_TRY(hk_blocks_arrange(w->graph, blocks));
  const double seconds = hk_seconds() - start;
  HK_TRY(hk_blocks_count_links(w->graph, blocks, &count));
  const double rows = (double)(count.blocks * count.layout.rows);
  const hk_count single = hk_blocks_count_bytes(&count, NULL);
  count.double_precision = true;
  json_array_append_new(lines, json_pack("{s:i, s:I, s:o, s:o, s:I, s:I, s:o}", "block_size",
                                         desc->size, "blocks", (json_int_t)count.blocks,
                                         "efficiency", hk_json_real(hk_blocks_efficiency(blocks)),
                                         "links", hk_json_real((double)count.warp_links / rows),
                                         "single_bytes", (json_int_t)single, "double_bytes",
                                         (json_int_t)hk_blocks_count_bytes(&count, NULL), "seconds",
                                         hk_json_real(seconds)));
cleanup:
  hk_blocks_destroy(&blocks);
  return status;
}

static hk_status sweep(const char *path, work *w, json_t **root)
{
  hk_partition_desc desc = {0};
  json_t *lines = json_array();
  *root = json_pack("{s:s, s:s, s:I, s:o}", "path", path, "method", w->method, "nodes",
                    (json_int_t)w->mesh->node_count, "sweep", lines);
  HK_PASS(hk_partition_method_of(w->method, &desc.method));
  HK_PASS(hk_adjacency_create(w->mesh, &w->graph));
  for (int k = 0; hk_block_sweep_size(k); k++) {
    desc.size = hk_block_sweep_size(k);
    HK_PASS(count_size(w, &desc, lines));
  }
  return HK_OK;
}

static hk_status draw(const hk_partition_how *how, const work *w)
{
  hk_status status = HK_OK;
  hk_canvas *canvas = NULL;
  char *title = NULL, *note = NULL;
  HK_TRY(hk_format(&title, "%s: %d blocks of %d", how->reuse ? "reuse" : w->method,
                   w->blocks->blocks, w->blocks->size));
  HK_TRY(hk_format(&note, "efficiency %.2f %%", 100 * hk_blocks_efficiency(w->blocks)));
  HK_TRY(hk_block_picture(w->mesh, w->graph, w->blocks, title, note, PICTURE_WIDTH, &canvas));
  HK_TRY(hk_canvas_write(canvas, how->picture));
cleanup:
  hk_canvas_destroy(&canvas);
  hk_free(&title);
  hk_free(&note);
  return status;
}

static json_t *result_of(const char *path, const hk_partition_how *how, const work *w)
{
  json_t *root = json_pack(
      "{s:s, s:s, s:I, s:i, s:I, s:I, s:b, s:o, s:o}", "path", path, "method", w->method, "nodes",
      (json_int_t)w->mesh->node_count, "block_size", w->blocks->size, "blocks",
      (json_int_t)w->blocks->blocks, "blocks_before_arrangement", (json_int_t)w->cut, "arranged",
      w->blocks->place != NULL, "efficiency", hk_json_real(hk_blocks_efficiency(w->blocks)),
      "seconds",
      json_pack("{s:o, s:o, s:o, s:o, s:o}", "read", hk_json_real(w->seconds_read), "graph",
                hk_json_real(w->seconds_graph), "partition", hk_json_real(w->seconds_partition),
                "arrange", hk_json_real(w->seconds_arrange), "write",
                hk_json_real(w->seconds_write)));
  if (how->reuse) {
    json_object_set_new(root, "method", json_string("reuse"));
    json_object_set_new(root, "reused", json_string(how->reuse));
    json_object_set_new(root, "blocks_kept", json_integer(w->kept));
  }
  if (how->output) json_object_set_new(root, "output", json_string(how->output));
  if (how->picture) json_object_set_new(root, "picture", json_string(how->picture));
  return root;
}

static hk_status partition(const char *path, const hk_partition_how *how, hk_messages *list,
                           work *w, json_t **root)
{
  HK_PASS(cut(how, list, w));
  const double start = hk_seconds();
  if (how->output) HK_PASS(hk_blocks_write(how->output, w->mesh, w->blocks));
  if (how->picture) HK_PASS(draw(how, w));
  w->seconds_write = hk_seconds() - start;
  *root = result_of(path, how, w);
  return HK_OK;
}

hk_status hk_partition(const char *path, const hk_partition_how *how, hk_messages *list,
                       char **json)
{
  hk_status status = HK_OK;
  work w = {.method = how->method};
  json_t *root = NULL;
  const double start = hk_seconds();

  HK_CHECK(!how->reuse || !(how->sweep || how->size || how->method), HK_USAGE,
           "reused blocks have the size of their file, and those made anew are bisected: leave out "
           "size, method and sweep");
  HK_CHECK(!how->sweep || !(how->size || how->output || how->picture), HK_USAGE,
           "a sweep takes its own sizes and writes no file: leave out size, output and picture");
  HK_TRY(read_mesh(path, list, &w));
  w.seconds_read = hk_seconds() - start;
  HK_TRY(how->sweep ? sweep(path, &w, &root) : partition(path, how, list, &w, &root));
  HK_TRY(hk_json_dump(root, 6, json));
cleanup:
  json_decref(root);
  hk_blocks_destroy(&w.blocks);
  hk_adjacency_destroy(&w.graph);
  hk_mesh_destroy(&w.read);
  hk_model_destroy(&w.model);
  return status;
}
