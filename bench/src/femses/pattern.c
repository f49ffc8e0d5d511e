/* The matrix of a small mesh of triangles, jittered and renumbered, and the orders in which it may be factored: as it is
 * numbered, reverse Cuthill-McKee, nested dissection where METIS is there. bench/draw.py draws the graph, the pattern
 * and that of each order's factor from them (Keating 2019, Figures 3.4 to 3.6). */
#include "femses/femses.h"
#include "graph/adjacency.h"
#include "graph/cuthill.h"
#include "graph/metis.h"

enum { CELLS = 16 };

static json_t *list_of(hk_count n, const hk_index *value)
{
  json_t *list = json_array();
  for (hk_count k = 0; k < n; k++) json_array_append_new(list, json_integer(value[k]));
  return list;
}

static json_t *points_of(const hk_mesh *mesh)
{
  json_t *list = json_array();
  for (hk_count n = 0; n < mesh->node_count; n++)
    json_array_append_new(list, json_pack("[f, f]", mesh->x[2 * n], mesh->x[2 * n + 1]));
  return list;
}

static hk_status add_orders(const hk_adjacency *graph, const hk_count *begin, json_t *orders)
{
  hk_status status = HK_OK;
  const hk_index n = graph->nodes;
  hk_index *order = NULL;
  HK_TRY(hk_get(&order, n));
  HK_TRY(hk_order_rcm(n, begin, graph->node, order));
  json_object_set_new(orders, "reverse Cuthill-McKee", list_of(n, order));
  if (!hk_metis_available()) goto cleanup;
  HK_TRY(hk_order_metis(n, begin, graph->node, order));
  json_object_set_new(orders, "nested dissection", list_of(n, order));
cleanup:
  hk_free(&order);
  return status;
}

hk_status hk_femses_write_pattern(const hk_bench_job *job)
{
  hk_status status = HK_OK;
  hk_mesh *mesh = NULL;
  hk_adjacency *graph = NULL;
  hk_count *begin = NULL;
  json_t *orders = json_object();
  HK_TRY(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 2,
                                             .to = {1, 1},
                                             .cells = {CELLS, CELLS},
                                             .shape = HK_TRI3,
                                             .jitter = 0.15,
                                             .shuffle = 1},
                             &mesh));
  HK_TRY(hk_adjacency_create(mesh, &graph));
  HK_TRY(hk_get(&begin, (hk_count)graph->nodes + 1));
  for (hk_index i = 0; i <= graph->nodes; i++) begin[i] = graph->begin[i];
  HK_TRY(add_orders(graph, begin, orders));
  HK_TRY(hk_bench_write(job, "pattern.json",
                        json_pack("{s:o, s:o, s:o, s:O}", "points", points_of(mesh), "begin",
                                  list_of((hk_count)graph->nodes + 1, graph->begin), "column",
                                  list_of(graph->begin[graph->nodes], graph->node), "orders",
                                  orders)));
cleanup:
  json_decref(orders);
  hk_free(&begin);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
  return status;
}
