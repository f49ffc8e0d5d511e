/* Element matrices by quadrature (I.1), for any coefficients, on any device (Banas, Plaszewski, Maciol):
 *   A[(n, iE)][(m, jE)] = sum over q, iD, jD of w_q |J_q| c[iE][jE][iD][jD] psi_n[iD] psi_m[jD],  psi = (N, dN/dx_0, dN/dx_1, dN/dx_2)
 * n and iE are those of the test function; mass is iD = jD = 0, convection iD = 0, diffusion and elasticity iD, jD >= 1.
 *
 *   HK_TRY(hk_reference_prism(p, p, HK_WEDGE6, &reference));
 *   HK_TRY(hk_integral_create(&(hk_integral_desc){.device = device, .double_precision = true, .reference = &reference, .elements = count,
 *       .x = x, .coefficients = {.equations = 3, .elastic = true, .c = lame}}, &integral));
 *   HK_TRY(hk_integral_run(integral, false, take, user));     to the host, or
 *   HK_TRY(hk_integral_fill(integral, 0, count, matrix, 0));  to a buffer of the device */
#pragma once
#include "device/device.h"
#include "operator/integration/reference.h"

/* HK_INTEGRAL_AUTO: points where coefficients vary in elements; else on the host factorised where the reference element has factors, else
 * products; on devices products, or of both what was timed to be the fastest where there is a cache folder. */
typedef enum hk_integral_way {
  HK_INTEGRAL_AUTO,
  HK_INTEGRAL_REG_JAC, /* the paper's four, Algorithms 3 and 4; not on the host */
  HK_INTEGRAL_REG_NOJAC,
  HK_INTEGRAL_SHM_JAC,
  HK_INTEGRAL_SHM_NOJAC,
  HK_INTEGRAL_POINTS, /* Algorithm 2, any coefficients: operator/integration/products.k.h, POINTWISE */
  /* coefficients the same at all points of an element; few shape functions on devices: operator/integration/whole.k.h */
  HK_INTEGRAL_PRODUCTS,
  HK_INTEGRAL_FACTORISED, /* the same, of reference elements with factors: operator/integration/factorised.k.h */
  HK_INTEGRAL_WAYS
} hk_integral_way;
const char *hk_integral_way_name(hk_integral_way way);

typedef enum hk_spread { HK_SPREAD_SAME, HK_SPREAD_ELEMENT, HK_SPREAD_POINT } hk_spread;

typedef struct hk_coefficients {
  int equations; /* N_E, 1..5 */
  bool elastic;  /* isotropic elasticity, 3 equations: c is lambda, mu */
  hk_spread spread;
  /* SAME: [equations][equations][4][4] or [2]; ELEMENT: [elements] of these; POINT: [elements][points] of these. Borrowed. */
  const double *c;
} hk_coefficients;

/* What a device may use; 0: what it has. Smaller ones simulate a smaller device. */
typedef struct hk_integral_limits {
  int threads;           /* per group */
  hk_count local_memory; /* bytes */
  hk_count memory;       /* bytes of the matrices of a launch */
  hk_count groups;       /* of a launch, of the paper's kernels */
  hk_count launch;       /* elements of a launch */
} hk_integral_limits;

typedef struct hk_integral_desc {
  hk_device *device;
  bool double_precision;
  const hk_reference *reference; /* borrowed */
  hk_count elements;
  const double *x; /* [elements][corners][3]; borrowed */
  hk_coefficients coefficients;
  hk_integral_way way;
  hk_integral_limits limits;
  bool resident; /* for hk_integral_fill alone: no memory for matrices of its own */
  /* folder that keeps what was tuned; NULL: nothing is. Timed once, where the matrices fill 64 MB */
  const char *cache;
} hk_integral_desc;

/* How kernels are launched (section 4.2). */
typedef struct hk_integral_plan {
  hk_integral_way way; /* never AUTO */
  int threads;         /* per group */
  int parts;           /* of a matrix; ours: pairs of tiles */
  int blocks;          /* per thread and part */
  int tile, span, chunk, batch,
      most_elements;       /* ours: operator/integration/products.k.h, elements per group */
  int rows, planes, pairs; /* operator/integration/factorised.k.h */
  int split;               /* operator/integration/whole.k.h, where above 0 */
  hk_count launch;         /* elements of a launch */
  hk_count per_group;      /* elements of a group */
  hk_count local;          /* bytes of LOCAL memory */
  hk_count input, output;  /* bytes of a launch */
} hk_integral_plan;

typedef enum hk_integral_stage {
  HK_INTEGRAL_PREPARE, /* Jacobians, coordinates and coefficients on the host */
  HK_INTEGRAL_MEMORY,  /* of the device, taken at create */
  HK_INTEGRAL_SEND,
  HK_INTEGRAL_KERNEL,
  HK_INTEGRAL_FETCH,
  HK_INTEGRAL_STAGES
} hk_integral_stage;

typedef struct hk_integral hk_integral;

/* HK_BAD_INPUT: coefficients that the way does not serve; HK_NO_RESOURCES. */
hk_status hk_integral_create(const hk_integral_desc *desc, hk_integral **out);
void hk_integral_destroy(hk_integral **integral);
const hk_integral_plan *hk_integral_describe(const hk_integral *integral);
/* The plan of a device with desc->limits, which need not be there: what the device of desc has is no bound, and is not used. */
hk_status hk_integral_simulate(const hk_integral_desc *desc, hk_integral_plan *plan);

/* Takes matrix[count][shapes * equations][shapes * equations] of elements first, first + 1, ..., in the kernel's precision; not kept. */
typedef hk_status hk_integral_take(void *user, hk_count first, hk_count count, const void *matrix);

/* Matrices of all elements in their order, as many launches as memory asks for; those of a launch are brought to the host while the next
 * one runs. `timed`: one after the other instead, for hk_integral_seconds. HK_BAD_INPUT: names an element whose |J| is not above 0. */
hk_status hk_integral_run(hk_integral *integral, bool timed, hk_integral_take *take, void *user);
/* Seconds of a stage of the last timed run. */
double hk_integral_seconds(const hk_integral *integral, hk_integral_stage stage);

/* Matrices of elements [first, first + count) to the buffer from its matrix `at` on; they stay on the device. Errors as above. */
hk_status hk_integral_fill(hk_integral *integral, hk_count first, hk_count count, hk_buffer *matrix,
                           hk_count at);

/* Floating point operations of an element. Useful: 63 N_Q N_sh^2, what Algorithm 2 takes for elasticity (elsewhere 2 per product and
 * sum); performed as the paper counts: of all threads, idle ones too, and repeated gradients; ours: of its own algorithm. */
void hk_integral_operations(const hk_integral *integral, double *useful, double *performed);

/* Elements by order, and by colour where there are colours (may be NULL): element[count] in that sequence, set[0..*sets] where each set
 * begins; both are the caller's (hk_free). HK_NO_RESOURCES. */
hk_status hk_integral_sets(hk_count count, const int8_t *order, const int32_t *colour,
                           hk_index **element, hk_index **set, hk_count *sets);
