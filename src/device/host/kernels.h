/* The kernels that the host was built with: for each text of kernels/ one file
 * src/device/host/kernels/<text>.c, compiled once per instruction set, holds a table of variants.
 */
#ifndef HK_DEVICE_HOST_KERNELS_H
#define HK_DEVICE_HOST_KERNELS_H

/* Runs one group; value[k] is the address of argument k. */
typedef void hk_host_run(int group, void **value);

typedef struct hk_host_kernel {
  const char *key; /* "function f NAME=value ...": precision f or d, defines sorted by name */
  hk_host_run *run;
} hk_host_kernel;

/* Every text that has a file in kernels/; each file defines one table per instruction set, ended by
 * a NULL key. */
#define HK_HOST_FORMS(X)                                                                           \
  X(stored)                                                                                        \
  X(edges)                                                                                         \
  X(ring) X(patch) X(blocks) X(product) X(corners) X(slots) X(springs) X(wet) X(stages) X(tets)
#define HK_HOST_STEPS(X) X(vectors) X(drive) X(stream) X(krylov) X(level) X(elements) X(relax)
#define HK_HOST_STAGES(X)                                                                          \
  X(scan)                                                                                          \
  X(neighbour) X(indices) X(integrate) X(gather) X(fans) X(dense) X(pattern)
#define HK_HOST_INTEGRALS(X) X(products) X(factorised)
#define HK_HOST_LEVELS(X) X(sparse) X(aggregate) X(packing)
#define HK_HOST_SPECTRAL(X) X(spectral2) X(spectral3) X(fluid2) X(fluid3) X(wet2) X(wet3)
#define HK_HOST_TEXTS(X)                                                                           \
  HK_HOST_FORMS(X)                                                                                 \
  HK_HOST_STEPS(X)                                                                                 \
  HK_HOST_STAGES(X) HK_HOST_INTEGRALS(X) HK_HOST_LEVELS(X) X(elementwise) HK_HOST_SPECTRAL(X) X(pml)
#endif
