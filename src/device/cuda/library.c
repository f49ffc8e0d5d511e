/* Factors and solutions of symmetric positive definite matrices in double precision by NVIDIA's libraries, on the device's stream: dense ones by
 * Cholesky in cuSOLVER (potrf, potrs), sparse rows by cuSOLVER's csrlsvchol, which factorises at each solution, or by cuDSS, which analyses and
 * factorises once. A pivot that is not above zero is reported as a singular matrix. The libraries are found at run time (cuda/solvers.h). */
#include "device/cuda/parts.h"
#include "device/cuda/solvers.h"
#include <stdio.h>

/* cublas_api.h, library_types.h, cusolver_common.h, cudss_data_types.h (1.0) */
enum { FILL_LOWER = 0, REAL_64 = 1, INT_32 = 10, MAJOR_VERSION = 0, MINOR_VERSION = 1 };
enum { CUDSS_SPD = 3, CUDSS_VIEW_FULL = 0, CUDSS_FROM_ZERO = 0, CUDSS_COLUMNS = 0 };
enum { CUDSS_ANALYSIS = 3, CUDSS_FACTORIZATION = 4, CUDSS_SOLVE = 0x3f0 };
enum { CUDSS_CONFIG_DETERMINISTIC = 24, CUDSS_DATA_INFO = 0, CUDSS_DATA_ENTRIES = 1 };
enum { ALLOC_FAILED = 2 }; /* of both */

typedef struct factor {
  const hk_cuda_solvers *s;
  void *handle, *params, *description; /* cuSOLVER's; cuSPARSE's */
  void *config, *data, *a, *b, *x;     /* cuDSS's */
  hk_buffer *info, *room, *right;      /* right: b, where x is not in place */
} factor;

static const hk_cuda_solvers *solvers_of(const hk_device *device)
{
  return hk_cuda_solvers_load(hk_cuda_of(device)->code.nvrtc.path);
}

static bool there(const hk_device *device, hk_library library, const char **why)
{
  const hk_cuda_solvers *s = solvers_of(device);
  static const char *const missing[] = {
      [HK_LIBRARY_DENSE] = "cuSOLVER is not installed (libcusolver.so.12 or .11)",
      [HK_LIBRARY_CUSOLVER] =
          "cuSOLVER with cusolverSpDcsrlsvchol, and cuSPARSE, are not installed "
          "(libcusolver.so.12 or .11, libcusparse.so.12)",
      [HK_LIBRARY_CUDSS] = "cuDSS is not installed (libcudss.so.1)"};
  *why = missing[library];
  return library == HK_LIBRARY_DENSE   ? s->dense
         : library == HK_LIBRARY_CUDSS ? s->cudss
                                       : s->sparse;
}

static hk_status failed(const hk_device_factor *f, const char *doing, int code)
{
  return hk_error_set(HK_NO_RESOURCES, "device %s (%s): %s failed %s: code %d%s",
                      f->desc.device->info.backend, f->desc.device->info.name, f->name, doing, code,
                      code == ALLOC_FAILED ? " (no memory)" : "");
}
#define CALL(doing, call)                                                                          \
  do {                                                                                             \
    const int code_ = (call);                                                                      \
    if (code_) return failed(f, doing, code_);                                                     \
  } while (0)

static void *at(const hk_buffer *buffer)
{
  return (void *)(uintptr_t)hk_cuda_place(buffer, 0);
}

static hk_status singular(const hk_device_factor *f, int pivot)
{
  return hk_error_set(HK_NOT_CONVERGED,
                      "the matrix is singular or not positive definite: pivot %d of %d", pivot,
                      (int)f->desc.n);
}

static void take_name(hk_device_factor *f, const char *name, int (*property)(int, int *))
{
  int major = 0, minor = 0;
  property(MAJOR_VERSION, &major), property(MINOR_VERSION, &minor);
  snprintf(f->name, sizeof f->name, "%s %d.%d", name, major, minor);
}

static hk_status factor_dense(hk_device_factor *f, factor *own, void **here)
{
  const hk_cuda_solvers *s = own->s;
  hk_device *device = f->desc.device;
  const hk_cuda *c = hk_cuda_enter(device);
  const int64_t n = f->desc.n;
  size_t there_bytes = 0, here_bytes = 0;
  int info = 0;
  CALL("starting", s->cusolverDnCreate(&own->handle));
  CALL("starting", s->cusolverDnSetStream(own->handle, c->stream));
  CALL("starting", s->cusolverDnCreateParams(&own->params));
  CALL("sizing its workspace",
       s->cusolverDnXpotrf_bufferSize(own->handle, own->params, FILL_LOWER, n, REAL_64,
                                      at(f->desc.value), n, REAL_64, &there_bytes, &here_bytes));
  HK_PASS(hk_buffer_create(device, (hk_count)there_bytes, &own->room));
  HK_PASS(hk_buffer_create(device, sizeof info, &own->info));
  HK_PASS(hk_memory_get(here, (hk_count)here_bytes, 1));
  CALL("factorising",
       s->cusolverDnXpotrf(own->handle, own->params, FILL_LOWER, n, REAL_64, at(f->desc.value), n,
                           REAL_64, at(own->room), there_bytes, *here, here_bytes, at(own->info)));
  HK_PASS(hk_buffer_read(own->info, 0, sizeof info, &info)); /* waits */
  hk_buffer_destroy(&own->room);
  return info < 0 ? failed(f, "factorising", info) : info > 0 ? singular(f, info) : HK_OK;
}

static hk_status create_dense(hk_device_factor *f, factor *own)
{
  void *here = NULL;
  const hk_status status = factor_dense(f, own, &here);
  hk_memory_free(&here);
  return status;
}

static hk_status create_sparse(hk_device_factor *f, factor *own)
{
  const hk_cuda_solvers *s = own->s;
  const hk_cuda *c = hk_cuda_enter(f->desc.device);
  CALL("starting", s->cusolverSpCreate(&own->handle));
  CALL("starting", s->cusolverSpSetStream(own->handle, c->stream));
  CALL("starting",
       s->cusparseCreateMatDescr(&own->description)); /* general, from 0: both triangles */
  return hk_buffer_create(f->desc.device, (hk_count)f->desc.n * 8, &own->right);
}

static hk_status create_cudss_matrices(hk_device_factor *f, factor *own)
{
  const hk_cuda_solvers *s = own->s;
  const hk_device_factor_desc *d = &f->desc;
  HK_PASS(hk_buffer_create(d->device, (hk_count)d->n * 8, &own->right));
  HK_PASS(hk_buffer_create(d->device, (hk_count)d->n * 8, &own->room));
  hk_cuda_enter(d->device);
  CALL("starting", s->cudssMatrixCreateCsr(&own->a, d->n, d->n, d->entries, at(d->begin), NULL,
                                           at(d->column), at(d->value), INT_32, INT_32, REAL_64,
                                           CUDSS_SPD, CUDSS_VIEW_FULL, CUDSS_FROM_ZERO));
  CALL("starting",
       s->cudssMatrixCreateDn(&own->b, d->n, 1, d->n, at(own->right), REAL_64, CUDSS_COLUMNS));
  CALL("starting",
       s->cudssMatrixCreateDn(&own->x, d->n, 1, d->n, at(own->room), REAL_64, CUDSS_COLUMNS));
  return HK_OK;
}

static hk_status create_cudss(hk_device_factor *f, factor *own)
{
  const hk_cuda_solvers *s = own->s;
  const hk_cuda *c = hk_cuda_enter(f->desc.device);
  const int yes = 1;
  int info = 0;
  int64_t entries = 0;
  size_t written = 0;
  CALL("starting", s->cudssCreate(&own->handle));
  CALL("starting", s->cudssSetStream(own->handle, c->stream));
  CALL("starting", s->cudssConfigCreate(&own->config));
  s->cudssConfigSet(own->config, CUDSS_CONFIG_DETERMINISTIC, &yes, sizeof yes); /* where it can */
  CALL("starting", s->cudssDataCreate(own->handle, &own->data));
  HK_PASS(create_cudss_matrices(f, own));
  CALL("analysing", s->cudssExecute(own->handle, CUDSS_ANALYSIS, own->config, own->data, own->a,
                                    own->x, own->b));
  CALL("factorising", s->cudssExecute(own->handle, CUDSS_FACTORIZATION, own->config, own->data,
                                      own->a, own->x, own->b));
  HK_PASS(hk_device_finish(f->desc.device));
  CALL("factorising",
       s->cudssDataGet(own->handle, own->data, CUDSS_DATA_INFO, &info, sizeof info, &written));
  if (!s->cudssDataGet(own->handle, own->data, CUDSS_DATA_ENTRIES, &entries, sizeof entries,
                       &written))
    f->bytes = (hk_count)entries * 8;
  return info ? singular(f, info) : HK_OK;
}

static hk_status create(hk_device_factor *f)
{
  factor *own = NULL;
  HK_PASS(hk_new(&own));
  f->data = own;
  own->s = solvers_of(f->desc.device);
  hk_cuda_enter(f->desc.device);
  if (f->desc.library == HK_LIBRARY_CUDSS)
    take_name(f, "cuDSS", own->s->cudssGetProperty);
  else
    take_name(f, "cuSOLVER", own->s->cusolverGetProperty);
  return f->desc.library == HK_LIBRARY_DENSE      ? create_dense(f, own)
         : f->desc.library == HK_LIBRARY_CUSOLVER ? create_sparse(f, own)
                                                  : create_cudss(f, own);
}

static void destroy(hk_device_factor *f)
{
  factor *own = f->data;
  if (!own) return;
  const hk_cuda_solvers *s = own->s;
  hk_cuda_enter(f->desc.device);
  if (own->a) s->cudssMatrixDestroy(own->a);
  if (own->b) s->cudssMatrixDestroy(own->b);
  if (own->x) s->cudssMatrixDestroy(own->x);
  if (own->data) s->cudssDataDestroy(own->handle, own->data);
  if (own->config) s->cudssConfigDestroy(own->config);
  if (own->description) s->cusparseDestroyMatDescr(own->description);
  if (own->params) s->cusolverDnDestroyParams(own->params);
  if (own->handle)
    (f->desc.library == HK_LIBRARY_DENSE      ? s->cusolverDnDestroy
     : f->desc.library == HK_LIBRARY_CUSOLVER ? s->cusolverSpDestroy
                                              : s->cudssDestroy)(own->handle);
  hk_buffer_destroy(&own->info);
  hk_buffer_destroy(&own->room);
  hk_buffer_destroy(&own->right);
  hk_memory_free(&f->data);
}

static hk_status solve_dense(hk_device_factor *f, factor *own, hk_buffer *x)
{
  int info = 0;
  CALL("solving", own->s->cusolverDnXpotrs(own->handle, own->params, FILL_LOWER, f->desc.n, 1,
                                           REAL_64, at(f->desc.value), f->desc.n, REAL_64, at(x),
                                           f->desc.n, at(own->info)));
  HK_PASS(hk_buffer_read(own->info, 0, sizeof info, &info));
  return info ? failed(f, "solving", info) : HK_OK;
}

static hk_status solve_sparse(hk_device_factor *f, factor *own, hk_buffer *x)
{
  int pivot = -1;
  HK_PASS(hk_buffer_copy(own->right, x));
  CALL("solving",
       own->s->cusolverSpDcsrlsvchol(own->handle, f->desc.n, (int)f->desc.entries, own->description,
                                     at(f->desc.value), at(f->desc.begin), at(f->desc.column),
                                     at(own->right), 0, (int)f->desc.order, at(x), &pivot));
  HK_PASS(hk_device_finish(f->desc.device));
  return pivot >= 0 ? singular(f, pivot) : HK_OK;
}

static hk_status solve_cudss(hk_device_factor *f, factor *own, hk_buffer *x)
{
  HK_PASS(hk_buffer_copy(own->right, x));
  CALL("solving", own->s->cudssExecute(own->handle, CUDSS_SOLVE, own->config, own->data, own->a,
                                       own->x, own->b));
  HK_PASS(hk_buffer_copy(x, own->room));
  return hk_device_finish(f->desc.device);
}

static hk_status solve(hk_device_factor *f, hk_buffer *x)
{
  factor *own = f->data;
  hk_cuda_enter(f->desc.device);
  return f->desc.library == HK_LIBRARY_DENSE      ? solve_dense(f, own, x)
         : f->desc.library == HK_LIBRARY_CUSOLVER ? solve_sparse(f, own, x)
                                                  : solve_cudss(f, own, x);
}

const hk_library_table hk_cuda_library = {
    .there = there, .create = create, .solve = solve, .destroy = destroy};
