/* The product y = A x of a matrix in compressed sparse rows (32-bit indices) by cuSPARSE's SpMV, in the matrix's own precision, on the device's
 * stream. The matrix and the vectors are described once at create; where the library is new enough, it also prepares the matrix then. Each product
 * reads and writes the buffers that were given at create. */
#include "device/cuda/parts.h"
#include "device/cuda/solvers.h"
#include <stdio.h>

/* cusparse.h, library_types.h */
enum { INDEX_32 = 2, FROM_ZERO = 0, AS_IT_IS = 0, REAL_32 = 0, REAL_64 = 1, ROWS_IN_ORDER = 2 };
enum { MAJOR_VERSION = 0, MINOR_VERSION = 1 };

typedef struct product {
  const hk_cuda_solvers *s;
  void *handle, *a, *x, *y;
  hk_buffer *room;
} product;

static const double one_zero[2] = {1, 0};
static const float one_zero_single[2] = {1, 0};

static bool there(const hk_device *device)
{
  return hk_cuda_solvers_load(hk_cuda_of(device)->code.nvrtc.path)->product;
}

static void *at(const hk_buffer *buffer)
{
  return (void *)(uintptr_t)hk_cuda_place(buffer, 0);
}

static hk_status failed(const hk_device_product *p, const char *doing, int code)
{
  return hk_error_set(HK_NO_RESOURCES, "device %s (%s): cuSPARSE failed %s: code %d",
                      p->desc.device->info.backend, p->desc.device->info.name, doing, code);
}
#define CALL(doing, call)                                                                          \
  do {                                                                                             \
    const int code_ = (call);                                                                      \
    if (code_) return failed(p, doing, code_);                                                     \
  } while (0)

/* 1 or 0 in the matrix's precision. */
static const void *factor_of(const hk_device_product *p, int k)
{
  return p->desc.double_precision ? (const void *)&one_zero[k] : &one_zero_single[k];
}

static int type_of(const hk_device_product *p)
{
  return p->desc.double_precision ? REAL_64 : REAL_32;
}

static hk_status describe(hk_device_product *p, product *own)
{
  const hk_cuda_solvers *s = own->s;
  const hk_device_product_desc *d = &p->desc;
  CALL("starting",
       s->cusparseCreateCsr(&own->a, d->n, d->n, d->entries, at(d->begin), at(d->column),
                            at(d->value), INDEX_32, INDEX_32, FROM_ZERO, type_of(p)));
  CALL("starting", s->cusparseCreateDnVec(&own->x, d->n, at(d->x), type_of(p)));
  CALL("starting", s->cusparseCreateDnVec(&own->y, d->n, at(d->y), type_of(p)));
  return HK_OK;
}

static hk_status create(hk_device_product *p)
{
  product *own = NULL;
  size_t room = 0;
  int major = 0, minor = 0;
  const hk_cuda *c = hk_cuda_enter(p->desc.device);
  HK_PASS(hk_new(&own));
  p->data = own;
  own->s = hk_cuda_solvers_load(c->code.nvrtc.path);
  own->s->cusparseGetProperty(MAJOR_VERSION, &major);
  own->s->cusparseGetProperty(MINOR_VERSION, &minor);
  snprintf(p->name, sizeof p->name, "cuSPARSE %d.%d", major, minor);
  CALL("starting", own->s->cusparseCreate(&own->handle));
  CALL("starting", own->s->cusparseSetStream(own->handle, c->stream));
  HK_PASS(describe(p, own));
  CALL("sizing its workspace",
       own->s->cusparseSpMV_bufferSize(own->handle, AS_IT_IS, factor_of(p, 0), own->a, own->x,
                                       factor_of(p, 1), own->y, type_of(p), ROWS_IN_ORDER, &room));
  HK_PASS(hk_buffer_create(p->desc.device, (hk_count)room + 16, &own->room));
  hk_cuda_enter(p->desc.device);
  if (own->s->cusparseSpMV_preprocess)
    CALL("preparing", own->s->cusparseSpMV_preprocess(own->handle, AS_IT_IS, factor_of(p, 0),
                                                      own->a, own->x, factor_of(p, 1), own->y,
                                                      type_of(p), ROWS_IN_ORDER, at(own->room)));
  return HK_OK;
}

static hk_status apply(hk_device_product *p)
{
  const product *own = p->data;
  hk_cuda_enter(p->desc.device);
  CALL("multiplying",
       own->s->cusparseSpMV(own->handle, AS_IT_IS, factor_of(p, 0), own->a, own->x, factor_of(p, 1),
                            own->y, type_of(p), ROWS_IN_ORDER, at(own->room)));
  return HK_OK;
}

static void destroy(hk_device_product *p)
{
  product *own = p->data;
  if (!own) return;
  hk_cuda_enter(p->desc.device);
  if (own->a) own->s->cusparseDestroySpMat(own->a);
  if (own->x) own->s->cusparseDestroyDnVec(own->x);
  if (own->y) own->s->cusparseDestroyDnVec(own->y);
  if (own->handle) own->s->cusparseDestroy(own->handle);
  hk_buffer_destroy(&own->room);
  hk_memory_free(&p->data);
}

const hk_product_table hk_cuda_product = {
    .there = there, .create = create, .apply = apply, .destroy = destroy};
