/* What the files of `hooke bench integration` share (Banas, Plaszewski, Maciol). Words after the name choose; none of a kind: all of it, but of
 * double precision the paper's ways only where it is named, as its GPUs were measured in single.
 *
 *   tables, times        Tables 1 to 4, sizes and launches; Tables 5 to 7 and Figures 2 and 3, measured
 *   device, host         where; without a device both are the processor
 *   single, double
 *   paper, ours          the four ways of the paper; points, products, ...
 *   p1 ... p7            orders */
#ifndef HK_BENCH_INTEGRATION_INTEGRATION_H
#define HK_BENCH_INTEGRATION_INTEGRATION_H
#include "bench.h"

enum { HK_INTEGRATION_TABLES = 1, HK_INTEGRATION_TIMES = 2 };

#endif
