/* The figures of Banas, Plaszewski and Maciol, orders 2 to 7 (their tables have none of order 1). Microseconds of an element in single
 * precision on the GPUs, in double on the Xeon's eight cores. */
#pragma once

enum { HK_PAPER_ORDERS = 6, HK_PAPER_WAYS = 4 }; /* REG_JAC, REG_NOJAC, SHM_JAC, SHM_NOJAC */

typedef struct hk_paper_gpu {
  const char *name, *parameters, *table; /* numbers of its tables */
  /* as simulated: section 5.3; groups of a launch as in its table of parameters */
  int threads, groups;
  long long local_memory, memory;
  int parts[2][HK_PAPER_ORDERS]; /* REG, SHM */
  int blocks[HK_PAPER_ORDERS];   /* per thread, SHM */
  int elements[HK_PAPER_ORDERS]; /* of a launch */
  int per_group[HK_PAPER_ORDERS];
  /* MB of a launch; [0] JAC, [1] NOJAC */
  double input[2][HK_PAPER_ORDERS], output[HK_PAPER_ORDERS];
  double prepare[2][HK_PAPER_ORDERS], memory_time[HK_PAPER_ORDERS], send[2][HK_PAPER_ORDERS],
      fetch[HK_PAPER_ORDERS]; /* [0] JAC, [1] NOJAC */
  double kernel[HK_PAPER_WAYS][HK_PAPER_ORDERS], mflop[HK_PAPER_WAYS][HK_PAPER_ORDERS],
      gflop_per_s[HK_PAPER_WAYS][HK_PAPER_ORDERS];
} hk_paper_gpu;

extern const hk_paper_gpu hk_paper_gpus[2];

/* Tables 1 and 2, orders 1 to 7: functions, points; entries of points and weights, of phi at a point and at all; blocks of A. */
typedef struct hk_paper_size {
  int shapes, points, quadrature_entries, point_entries, shape_entries, blocks;
} hk_paper_size;
extern const hk_paper_size hk_paper_sizes[HK_PAPER_ORDERS + 1];

/* Table 5, Xeon E5-2670; its header means 1e-6. */
extern const double hk_paper_cpu_mflop[HK_PAPER_ORDERS], hk_paper_cpu_time[HK_PAPER_ORDERS],
    hk_paper_cpu_gflop_per_s[HK_PAPER_ORDERS];
