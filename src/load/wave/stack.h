/* A plane wave that comes from below into layers on a half-space with a free surface. At the frequency w each layer has waves that run up and
 * down with the slowness p along it, of both kinds where they are coupled (W.28); their amplitudes follow from the continuity of displacement and traction at
 * the interfaces and from the free surface (W.29). Amplitudes are those at the side from which a wave comes, so that no exponential grows
 * (as in global matrix methods). Beyond critical angles waves decay instead of running. Frequencies have a small imaginary part, which
 * keeps what comes after the period of the transform out of it.
 *
 *   HK_TRY(hk_wave_stack_create(&desc, &pool, &stack));
 *   HK_TRY(hk_wave_stack_at(stack, height, 0, &signal));     along `level` (SH: across it), over the time since the wave passed `from` */
#pragma once
#include "load/signal.h"
#include "load/wave/wave.h"

enum { HK_WAVE_LAYERS = 64 }; /* at most */

typedef struct hk_wave_layer {
  double top; /* height of its upper side, the first that of the free surface; falling */
  hk_wave_body body;
} hk_wave_layer;

typedef struct hk_wave_stack_desc { /* borrowed for the life of the stack */
  const hk_plane_wave *wave;
  int layers; /* the last is the half-space, in which the wave comes */
  const hk_wave_layer *layer;
  double from;             /* height of the point that the wave passes at time 0 */
  const hk_signal *signal; /* of its displacement */
  double end;              /* times up to this are wanted */
} hk_wave_stack_desc;

typedef struct hk_wave_stack hk_wave_stack;
/* HK_BAD_INPUT: a signal without a highest frequency. O(layers^3) for each of some thousand frequencies. */
hk_status hk_wave_stack_create(const hk_wave_stack_desc *desc, hk_pool *pool, hk_wave_stack **out);
void hk_wave_stack_destroy(hk_wave_stack **stack);
/* Slowness along the layers. */
double hk_wave_stack_slowness(const hk_wave_stack *stack);
/* *out = a table of the displacement along `level` (component 0; of SH across it) or up (1) at that height, above or below the point `from`, with 64 points
 * or more in the shortest period. Its arrays lie in the pool of create; all tables share their times. A transform. */
hk_status hk_wave_stack_at(hk_wave_stack *stack, double height, int component, hk_signal *out);
