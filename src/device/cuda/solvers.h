/* cuSOLVER, cuSPARSE (its description of a matrix, its product) and cuDSS 1.x, found at run time; to find them no GPU is needed. Enumerations are passed
 * as ints: values beside their names in library.c. */
#pragma once
#include "device/cuda/driver.h"
#include <stdbool.h>
#include <stdint.h>

/* X(name, parameters); all return an int, 0 for success. cusolverDn.h, CUDA 11.1 and newer. */
#define CUSOLVER_DENSE_FUNCTIONS(X)                                                                \
  X(cusolverGetProperty, (int, int *))                                                             \
  X(cusolverDnCreate, (void **))                                                                   \
  X(cusolverDnDestroy, (void *))                                                                   \
  X(cusolverDnSetStream, (void *, cu_stream))                                                      \
  X(cusolverDnCreateParams, (void **))                                                             \
  X(cusolverDnDestroyParams, (void *))                                                             \
  X(cusolverDnXpotrf_bufferSize,                                                                   \
    (void *, void *, int, int64_t, int, const void *, int64_t, int, size_t *, size_t *))           \
  X(cusolverDnXpotrf, (void *, void *, int, int64_t, int, void *, int64_t, int, void *, size_t,    \
                       void *, size_t, int *))                                                     \
  X(cusolverDnXpotrs, (void *, void *, int, int64_t, int64_t, int, const void *, int64_t, int,     \
                       void *, int64_t, int *))

/* cusolverSp.h, and cusparse.h: handle, n, nnz, descr, values, row begins, columns, b, tolerance, reorder, x, *singularity (host) */
#define CUSOLVER_SPARSE_FUNCTIONS(X)                                                               \
  X(cusolverSpCreate, (void **))                                                                   \
  X(cusolverSpDestroy, (void *))                                                                   \
  X(cusolverSpSetStream, (void *, cu_stream))                                                      \
  X(cusolverSpDcsrlsvchol, (void *, int, int, void *, const double *, const int *, const int *,    \
                            const double *, double, int, double *, int *))
#define CUSPARSE_FUNCTIONS(X)                                                                      \
  X(cusparseCreateMatDescr, (void **))                                                             \
  X(cusparseDestroyMatDescr, (void *))

/* cusparse.h of CUDA 11.2 and newer: handle, operation, alpha, A, x, beta, y, type, algorithm, room; alpha and beta of the host */
#define CUSPARSE_PRODUCT_FUNCTIONS(X)                                                              \
  X(cusparseCreate, (void **))                                                                     \
  X(cusparseDestroy, (void *))                                                                     \
  X(cusparseSetStream, (void *, cu_stream))                                                        \
  X(cusparseGetProperty, (int, int *))                                                             \
  X(cusparseCreateCsr,                                                                             \
    (void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int, int))              \
  X(cusparseDestroySpMat, (void *))                                                                \
  X(cusparseCreateDnVec, (void **, int64_t, void *, int))                                          \
  X(cusparseDestroyDnVec, (void *))                                                                \
  X(cusparseSpMV_bufferSize,                                                                       \
    (void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *))         \
  X(cusparseSpMV,                                                                                  \
    (void *, int, const void *, void *, void *, const void *, void *, int, int, void *))
/* Of CUDA 12.4; NULL where it is not there. */
#define CUSPARSE_LATER_FUNCTIONS(X)                                                                \
  X(cusparseSpMV_preprocess,                                                                       \
    (void *, int, const void *, void *, void *, const void *, void *, int, int, void *))

/* cudss.h of cuDSS 1.0 */
#define CUDSS_FUNCTIONS(X)                                                                         \
  X(cudssGetProperty, (int, int *))                                                                \
  X(cudssCreate, (void **))                                                                        \
  X(cudssDestroy, (void *))                                                                        \
  X(cudssSetStream, (void *, cu_stream))                                                           \
  X(cudssConfigCreate, (void **))                                                                  \
  X(cudssConfigDestroy, (void *))                                                                  \
  X(cudssConfigSet, (void *, int, const void *, size_t))                                           \
  X(cudssDataCreate, (void *, void **))                                                            \
  X(cudssDataDestroy, (void *, void *))                                                            \
  X(cudssDataGet, (void *, void *, int, void *, size_t, size_t *))                                 \
  X(cudssMatrixCreateCsr, (void **, int64_t, int64_t, int64_t, const void *, const void *,         \
                           const void *, const void *, int, int, int, int, int, int))              \
  X(cudssMatrixCreateDn, (void **, int64_t, int64_t, int64_t, const void *, int, int))             \
  X(cudssMatrixDestroy, (void *))                                                                  \
  X(cudssExecute, (void *, int, void *, void *, void *, void *, void *))

typedef struct hk_cuda_solvers {
#define MEMBER(name, parameters) int(*name) parameters;
  CUSOLVER_DENSE_FUNCTIONS(MEMBER)
  CUSOLVER_SPARSE_FUNCTIONS(MEMBER)
  CUSPARSE_FUNCTIONS(MEMBER)
  CUSPARSE_PRODUCT_FUNCTIONS(MEMBER)
  CUSPARSE_LATER_FUNCTIONS(MEMBER)
  CUDSS_FUNCTIONS(MEMBER)
#undef MEMBER
  bool dense, sparse, cudss, product; /* all functions of it were found */
} hk_cuda_solvers;

/* Looked for once: beside NVRTC (its path, or a name without a folder), in the usual folders, the system's list, Python's nvidia packages. They
 * stay open. */
const hk_cuda_solvers *hk_cuda_solvers_load(const char *nvrtc);
/* Another library, looked for in the same places; names[]: newest first, NULL at the end. NULL: it is not there. */
void *hk_cuda_find_library(const char *nvrtc, const char *const *names);
