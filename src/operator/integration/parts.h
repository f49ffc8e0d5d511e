/* What the files of hk_integral share. */
#pragma once
#include "device/fetch.h"
#include "operator/integration/integral.h"

enum {
  HK_INTEGRAL_CANDIDATES = 8,
  HK_INTEGRAL_TERMS = 128, /* TERMS of the kernels */
  HK_INTEGRAL_THREADS = 256
};

/* The reference element on the device. */
typedef struct hk_integral_tables {
  hk_buffer *phi, *slope, *weight, *sizes;
  int stride;                            /* of phi, or of triangle */
  hk_buffer *triangle, *line, *place_of; /* of factorised */
} hk_integral_tables;

/* What the elements of a launch need, and their matrices: two launches' worth in turn where one runs while the other is fetched. */
typedef struct hk_integral_arrays {
  double *place, *terms; /* prepared */
  hk_buffer *x, *jacobian, *c, *matrix[2];
  hk_fetch *fetch[2];
  hk_pool pool; /* all these but the fetches */
} hk_integral_arrays;

struct hk_integral {
  hk_integral_desc desc;
  hk_integral_plan plan;
  bool simulated;                   /* the limits of desc are the device */
  int directions;                   /* 3: no coefficient of the functions themselves */
  bool symmetric;                   /* c[iE][jE][iD][jD] = c[jE][iE][jD][iD] throughout */
  int constants;                    /* reals of c of a point */
  int real;                         /* bytes */
  hk_count size;                    /* reals of a matrix */
  hk_kernel *kernel, *terms_kernel; /* the second: ours, of kernels that read Jacobian terms */
  hk_integral_tables tables;
  hk_integral_arrays arrays;
  hk_buffer *folded; /* [1] int: 1 + an element whose |J| is not above 0 */
  hk_pool pool;      /* kernels, tables, folded */
  double seconds[HK_INTEGRAL_STAGES];
};

/* Launch parameters of plan->way; ours: of the best of hk_integral_candidates. HK_NO_RESOURCES: local memory is too small. */
hk_status hk_integral_plan_make(hk_integral *integral);
/* input and output of plan->launch elements. */
void hk_integral_count_bytes(hk_integral *integral);
/* NOJAC; ours where the geometry has many nodes, or tiles would compute the terms many times. */
bool hk_integral_reads_jacobians(const hk_integral *integral);
/* CORNERS of the kernels. */
int hk_integral_corners(const hk_integral *integral);
/* LANES of ours: the host's, 8 where a processor emulates a device, else 1. */
int hk_integral_lanes(const hk_integral *integral);
/* Reals of c of an element of its own; 0: all have the same. */
hk_count hk_integral_constants(const hk_integral *integral);
/* Plans of ours in the order in which they are expected to be fast; their number. */
int hk_integral_candidates(const hk_integral *integral,
                           hk_integral_plan plan[HK_INTEGRAL_CANDIDATES]);
/* What operator/integration/products.k.h asks of local memory. */
hk_count hk_integral_local(const hk_integral *integral, const hk_integral_plan *plan);

/* What the device may use: threads of a group, at most `most`; bytes of LOCAL memory. */
int hk_integral_threads(const hk_integral *integral, int most);
hk_count hk_integral_local_limit(const hk_integral *integral);
/* Bytes of LOCAL memory of a group, so that two share a multiprocessor and leave an eighth of its memory to the cache. */
hk_count hk_integral_local_share(const hk_integral *integral);
/* Threads that a multiprocessor has at once where each takes so many registers, in whole teams. */
int hk_integral_resident(const hk_integral *integral, int registers);

/* operator/integration/factorised.k.h: whether it serves the reference element and the coefficients. */
bool hk_integral_factors(const hk_integral *integral);
/* Plans in the order in which they are expected to be fast; their number. */
int hk_integral_factors_candidates(const hk_integral *integral,
                                   hk_integral_plan plan[HK_INTEGRAL_CANDIDATES]);
/* plan[*count] in ascending order of cost; the last falls out where there is no place. */
void hk_integral_insert(const hk_integral_plan *plan, double cost, hk_integral_plan *list,
                        double *costs, int *count);

/* operator/integration/whole.k.h: plans in the order in which they are expected to be fast; their number, 0 where matrices are too large for LOCAL memory. */
int hk_integral_whole_candidates(const hk_integral *integral,
                                 hk_integral_plan plan[HK_INTEGRAL_CANDIDATES]);
void hk_integral_whole_kernel(const hk_integral *integral, hk_kernel_desc *out);
hk_status hk_integral_whole_launch(hk_integral *integral, hk_count first, hk_count count,
                                   hk_buffer *matrix, hk_count at);

void hk_integral_factors_kernel(const hk_integral *integral, hk_kernel_desc *out);
hk_status hk_integral_factors_send(hk_integral *integral);
hk_status hk_integral_factors_launch(hk_integral *integral, hk_count count, hk_buffer *matrix,
                                     hk_count at);
double hk_integral_factors_operations(const hk_integral *integral);

/* Begins the matrices of elements first on, whose data are on the device, at matrix `at` of the buffer. */
hk_status hk_integral_launch(hk_integral *integral, hk_count first, hk_count count,
                             hk_buffer *matrix, hk_count at);

/* A run by hand: no folded element was found; begins the matrices of elements [first, first + count), at most plan.launch, at place 0 or 1
 * (if arrays.matrix[1] is there); waits for those of a place, which stay until the next begin; HK_BAD_INPUT: names a folded element. */
hk_status hk_integral_reset(hk_integral *integral);
hk_status hk_integral_begin(hk_integral *integral, int place, hk_count first, hk_count count);
hk_status hk_integral_await(hk_integral *integral, int place, const void **matrix);
hk_status hk_integral_check(const hk_integral *integral);

/* directions, symmetric, constants; checks the coefficients. */
hk_status hk_integral_examine(hk_integral *integral);
/* place and terms of elements [first, first + count); HK_BAD_INPUT: NOJAC and folded. */
hk_status hk_integral_prepare(hk_integral *integral, hk_count first, hk_count count);

/* Replaces integral->plan by the fastest candidate: from the cache folder, or by timing them. */
hk_status hk_integral_tune(hk_integral *integral);
/* As hk_integral_create, with a plan of hk_integral_candidates (NULL: choose). */
hk_status hk_integral_make(const hk_integral_desc *desc, const hk_integral_plan *plan,
                           hk_integral **out);
