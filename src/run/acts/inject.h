/* An injection of a plane wave while its forces are made; private to the folder. incident.c has the incident wave at the nodes, inject.c the sides and
 * the forces. */
#pragma once
#include "load/stack.h"
#include "run/acts/push.h"

typedef struct hk_injection {
  hk_acts *acts;
  const hk_load *load;
  bool *inside;     /* inside[mesh node]: it has the total field */
  bool *chosen;     /* chosen[element]: of the total field */
  hk_index *across; /* across[across_count]: other elements with nodes inside, ascending */
  hk_count across_count;
  const hk_region
      *region; /* of the element at hand, and its body; until then those of the half-space */
  hk_wave_body body;
  hk_wave_layer *layer; /* layer[layers]: what is outside, from above; one where it is uniform */
  int layers;
  hk_wave_stack *stack; /* of layers and waves beyond the critical angle, else NULL */
  double from[3];
  hk_ray ray[HK_MOST_RAYS];
  int rays;
  double *start; /* start[node][rays], of nodes of `across` */
  hk_index *row; /* row[node][rays] of the table of signals */
} hk_injection;

/* HK_BAD_INPUT with these words at the load's place; or of an element outside the total field. */
hk_status hk_inject_refuse(const hk_injection *in, const char *words);
hk_status hk_inject_refuse_element(const hk_injection *in, hk_count e, const char *words);
/* Whether a node of the element is marked: mark[mesh node], or NULL. */
bool hk_inject_touches(const hk_injection *in, const bool *mark, hk_count e);

/* incident.c: from the sides on, everything down to `row` for a signal that begins at `start`. HK_BAD_INPUT as above. */
hk_status hk_inject_incident(hk_injection *in, double start);
