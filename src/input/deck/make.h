/* Loads and motions as they act in each step.
 *
 * A load or motion given in step t acts until a later step gives another one for the same node and
 * component (element and face), or renews all with OP=NEW. One that follows a step-time amplitude
 * keeps its last value in later steps. Loads of one step on the same node add up. */
#pragma once
#include "input/deck/parts.h"

enum { DECK_SLOTS = 33, DECK_MOST_ITEMS = 2000000 }; /* loads and motions of all steps */

typedef struct deck_active { /* a load that may act */
  hk_load load;
  hk_count room;         /* of its target */
  const deck_load *from; /* the first line that gave it */
  int step;
  bool told; /* a later line took its place otherwise than in CalculiX */
} deck_active;

typedef struct deck_setting { /* a motion that may act; own[] says which nodes follow it */
  hk_motion motion;
  const deck_motion *from;
  int step;
  hk_count nodes; /* that follow it now */
} deck_setting;

typedef struct deck_maker {
  hk_pool pool; /* holds the lists and arrays; `d` and `model` are borrowed */
  deck *d;
  hk_model *model;
  HK_LIST(deck_active) load;
  HK_LIST(deck_setting) setting;
  HK_LIST(hk_axes) axes; /* of *TRANSFORM */
  hk_index *axes_of;     /* axes_of[node] = number in `axes` + 1; 0: global; NULL: all global */
  double near_axis;      /* distance from an axis below which a node lies on it */
  hk_index *own[3];      /* own[component][node] = setting + 1; 0: free; NULL: none given yet */
  int16_t *given[DECK_SLOTS]; /* given[slot][node or element] = last step that gave a load; NULL */
  hk_index *film[6]; /* film[face][element] = place in load[] of its film + 1; 0: none; NULL */
  int renewed[DECK_LOAD_TYPES]; /* loads of steps before this one are gone */
  hk_count items;               /* loads and motions so far */
} deck_maker;

/* deck/target.c: names to numbers in a pool; targets stay empty after an error, which is reported. */
hk_status hk_deck_find_elements(deck_maker *m, hk_pool *pool, const deck_load *from,
                                hk_target *out);
hk_status hk_deck_find_faces(deck_maker *m, hk_pool *pool, const deck_load *from, hk_target *out);
/* Where a set lists members again and CalculiX loads them again. */
void hk_deck_warn_of_twice(const deck_maker *m, const deck_load *from);

typedef struct deck_use { /* of an amplitude by a line */
  int signal;             /* -1: none */
  bool total, absolute;
  double value[3]; /* of the line */
  hk_place place;
} deck_use;
/* Where CalculiX does not obey the amplitude of a line of step s. */
void hk_deck_warn_of_amplitude(const deck_maker *m, const deck_use *use, int s);
/* The signal that a line follows: its amplitude's, else `otherwise`. False after an error. */
bool hk_deck_signal(deck_maker *m, const char *amplitude, hk_place place, int otherwise,
                    int *signal, bool *total, bool *absolute);
/* Value of the signal at the end of a step, where a step-time amplitude stops. */
double hk_deck_last_value(const deck_maker *m, int signal, int step);

/* step/act.c: what step s gives, then what acts in it, into model->step[s]. `ramp`: signal of lines
 * without an amplitude. */
hk_status hk_deck_act_loads(deck_maker *m, int s, int ramp);
/* step/move.c */
hk_status hk_deck_act_motions(deck_maker *m, int s, int ramp);
/* Counts nodes, elements or faces that loads and traces hold: HK_BAD_INPUT beyond what a deck can
 * mean. */
hk_status hk_deck_count(deck *d, const hk_mesh *mesh, hk_count more, hk_place place);
/* deck/local.c */
hk_status hk_deck_make_transforms(deck_maker *m);
/* Rows: the node's local axes; false where it has the global ones. */
bool hk_deck_node_axes(const deck_maker *m, hk_index node, double row[3][3]);
/* Whether it lies on the axis of its *TRANSFORM, TYPE=C, where no direction is radial or tangential; the error that it is used there. */
bool hk_deck_on_axis(const deck_maker *m, hk_index node);
void hk_deck_tell_axis(const deck_maker *m, hk_index node, const char *keyword, hk_place place);
/* Where nodes of the forces have axes of their own: load->vectors. */
hk_status hk_deck_turn_forces(const deck_maker *m, hk_load *load);
/* deck/equation.c */
hk_status hk_deck_make_equations(deck_maker *m);
/* step/print.c: prints and fields of the static step s. */
hk_status hk_deck_make_prints(deck_maker *m, int s);
