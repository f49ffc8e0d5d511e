/* What a kernel of an operator does with the force on a node once it is summed (operator/epilogue.k.h), and its launches. */
#pragma once
#include "device/device.h"

typedef struct hk_operator hk_operator;

typedef enum hk_form {
  HK_FORM_STORE,
  HK_FORM_POSITIONS,
  HK_FORM_INCREMENTS,
  HK_FORM_COUNT
} hk_form;

/* Mass-proportional damping: none, an A of each node, or one A for all nodes, which kernels read at the first node. */
enum { HK_UNDAMPED, HK_DAMPED, HK_DAMPED_ALIKE, HK_DAMPINGS };

typedef struct hk_epilogue {
  hk_form form;
  int damped;         /* HK_UNDAMPED ... */
  int shots;          /* 0 stands for 1: u, out, v are [shots][padded][components] */
  const hk_buffer *u; /* read */
  hk_buffer *out;     /* store: K u; positions: u_prev in, u_next out; increments: u_next */
  hk_buffer *v;       /* increments, in place; else NULL */
  hk_buffer *b, *a;   /* per node; a NULL without damping */
  double dt;          /* of a step, where fluids meet solids */
  /* of the laws, hk_operator.state bytes a shot, moved on by the step; NULL: u is not of a step, as if it were 0 */
  hk_buffer *state;
  hk_buffer *loss; /* [hk_operator.groups][shots][hk_loss_run] double; NULL without damping */
} hk_epilogue;

/* The arguments of STATE_PARAMS: argument[HK_STATE_ARGUMENTS]. */
void hk_epilogue_arguments(const hk_operator *op, const hk_epilogue *epilogue,
                           hk_argument *argument);
enum { HK_STATE_ARGUMENTS = 8 };
typedef struct hk_groups { /* [first, first + count) of a launch */
  hk_count first, count;
} hk_groups;
/* Launches these groups of a kernel for every shot. */
hk_status hk_epilogue_launch(const hk_epilogue *epilogue, hk_kernel *kernel, hk_groups groups,
                             const hk_argument *argument, int argument_count);
/* The same of a kernel that has STATE_PARAMS, then arguments of its own (HK_ARGUMENTS). */
hk_status hk_epilogue_run(const hk_operator *op, const hk_epilogue *epilogue, hk_kernel *kernel,
                          hk_groups groups, const hk_argument *own, int count);
