/* An injection of a wave while its forces are made; private to the folder. incident.c has a plane wave at the nodes, recorded.c that of a file,
 * inject.c the sides and the forces. */
#pragma once
#include "load/wave/stack.h"
#include "run/acts/push.h"

typedef struct hk_recorded_sums { /* of a recorded wave: forces as splines */
  hk_index nodes, *number,
      *node;       /* number[mesh node]: of those of `across`, else -1; node[nodes] */
  hk_index *point; /* point[nodes]: of the file */
  int components;  /* unknowns of a node */
  double start;
  double *sum; /* sum[nodes][components][samples + 2], of the pool of acts */
} hk_recorded_sums;

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
  bool isotropic; /* else with c[i][j][k][l], the stiffness of the element at hand */
  double c[3][3][3][3];
  hk_wave_layer *layer; /* layer[layers]: what is outside, from above; one where it is uniform */
  int layers;
  hk_wave_stack *stack; /* of layers and waves beyond the critical angle, else NULL */
  double from[3];
  hk_ray ray[HK_MOST_RAYS];
  int rays;
  double *start;          /* start[node][rays], of nodes of `across` */
  hk_index *row;          /* row[node][rays] of the table of signals */
  hk_recorded_sums *sums; /* of a recorded wave, which has none of the five above; else NULL */
} hk_injection;

/* HK_BAD_INPUT with these words at the load's place; or of an element outside the total field. */
hk_status hk_inject_refuse(const hk_injection *in, const char *words);
hk_status hk_inject_refuse_element(const hk_injection *in, hk_count e, const char *words);
/* Whether a node of the element is marked: mark[mesh node], or NULL. */
bool hk_inject_touches(const hk_injection *in, const bool *mark, hk_count e);

/* incident.c: from the sides on, everything down to `row` for a signal that begins at `start`. HK_BAD_INPUT as above. */
hk_status hk_inject_incident(hk_injection *in, double start);

/* recorded.c: `sums`, 0 so far, of a wave of a file that begins at `start`. HK_BAD_INPUT: times, points or materials that do not fit. */
hk_status hk_inject_recorded(hk_injection *in, double start);
/* Sum of `node` += sign K u0(other), as push_pair. */
void hk_inject_add_recorded(hk_injection *in, hk_index node, hk_index other, double sign,
                            const double *k, bool turned);
/* The sums become forces, each with a signal of its own. */
hk_status hk_inject_push_recorded(hk_injection *in);
void hk_recorded_sums_destroy(hk_recorded_sums **sums);
