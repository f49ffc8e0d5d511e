/* How fluids flow, from their potential q (model.h): velocity = grad q / density, acceleration = grad dq/dt / density. At a node the mean over
 * its elements, each with its volume there; at a point that of its element, interpolated between the nodes. Spectral elements. */
#ifndef HK_RUN_EXPLICIT_FLOW_H
#define HK_RUN_EXPLICIT_FLOW_H
#include "model/model.h"
#include "operator/spectral/map.h"

typedef struct
    hk_flow { /* flow_c(receiver i) = sum_k weight[k][c] q[node[k]], k in begin[i] .. begin[i + 1) */
  hk_count receivers;
  hk_count *begin; /* begin[receivers + 1]; none in solids */
  hk_index *node;  /* of the mesh */
  double *weight;  /* weight[begin[receivers]][dim] */
} hk_flow;
hk_status hk_flow_of_nodes(const hk_model *model, hk_count count, const hk_index *node,
                           hk_flow *out);
hk_status hk_flow_of_points(const hk_model *model, hk_count count, const double *at, hk_flow *out);
void hk_flow_clear(hk_flow *flow);

/* flow[mesh node][dim + 1] of q[mesh node]; nodes of solids: zero. What follows the components is scratch, and so is the map. */
hk_status hk_flow_everywhere(const hk_model *model, const double *q, hk_spectral_map *map,
                             double *flow);
#endif
