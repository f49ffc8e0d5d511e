/* The phases of a step, in their order. K in its form, the terms of a model and the exchange between the parts of a model each have theirs:
 *
 *   BEFORE    nothing is launched yet
 *   BOUNDARY  K on the nodes that other parts read, to the end of their step; then the exchange begins
 *   INTERIOR  K on the other nodes, or on the elements that act on these alone; it needs nothing of BOUNDARY and may run beside it
 *   SLOTS     forces of elements lie in slots, of one shot, and are not summed yet
 *   SUMMED    the other nodes have all their forces, also those of elements of BOUNDARY, and their step; then every node has
 *   FORCES    sources have added their forces; prescribed motions follow, then the exchange ends
 *   SAMPLED   receivers have their samples
 *
 * A model of one part has no boundary: all its nodes are interior. */
#pragma once

typedef enum hk_phase { /* bits: K is asked for several at once */
                        HK_PHASE_BEFORE = 1,
                        HK_PHASE_BOUNDARY = 2,
                        HK_PHASE_INTERIOR = 4,
                        HK_PHASE_SLOTS = 8,
                        HK_PHASE_SUMMED = 16,
                        HK_PHASE_FORCES = 32,
                        HK_PHASE_SAMPLED = 64
} hk_phase;

/* Those of K. */
enum { HK_PHASES = HK_PHASE_BEFORE | HK_PHASE_BOUNDARY | HK_PHASE_INTERIOR | HK_PHASE_SUMMED };
