/* Graphs: launches that are recorded once and carried out many times, for steps that take less time than their launches.
 *
 *   HK_TRY(hk_graph_record(device, launch_steps, solver, &graph));
 *   HK_TRY(hk_graph_launch(graph));
 *
 * A CUDA device keeps a graph of its own; others keep the list of launches. */
#pragma once
#include "device/device.h"

typedef struct hk_graph hk_graph;

/* Calls `launches`, whose launches on the device are recorded and not carried out; it does nothing else with the device.
 * Kernels and buffers of the launches outlive the graph. */
hk_status hk_graph_record(hk_device *device, hk_status (*launches)(void *user), void *user,
                          hk_graph **out);
void hk_graph_destroy(hk_graph **graph);
/* All recorded launches, in order with other launches of the device. Nothing is allocated. */
hk_status hk_graph_launch(const hk_graph *graph);
