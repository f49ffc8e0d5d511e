/* Cholesky factors on a device by libraries of its vendor, opened at run time, in double precision:
 *   HK_LIBRARY_DENSE      cuSOLVER: cusolverDnXpotrf, Xpotrs
 *   HK_LIBRARY_CUSOLVER   cusolverSpDcsrlsvchol, which factors anew with each solution; called deprecated by NVIDIA
 *   HK_LIBRARY_CUDSS      cuDSS 1.x
 *
 *   HK_TRY(hk_device_factor_create(&(hk_device_factor_desc){.library = HK_LIBRARY_DENSE, .n = n, .value = a, ...}, &factor));
 *   HK_TRY(hk_device_factor_solve(factor, b)); */
#pragma once
#include "device/device.h"

typedef enum hk_library { HK_LIBRARY_DENSE, HK_LIBRARY_CUSOLVER, HK_LIBRARY_CUDSS } hk_library;

/* Of cusolverSpDcsrlsvchol. */
typedef enum hk_library_order {
  HK_ORDER_NONE,
  HK_ORDER_RCM,
  HK_ORDER_AMD,
  HK_ORDER_METIS
} hk_library_order;

typedef struct hk_device_factor_desc {
  hk_device *device;
  hk_library library;
  hk_index n;
  hk_count entries; /* sparse, at most 2^31 - 1 */
  /* sparse: ints begin[n + 1], column[entries] from 0, both triangles, ascending in a row */
  const hk_buffer *begin, *column;
  /* doubles: value[entries], or dense value[n][n], whose one triangle is overwritten; all borrowed, outlive the factor */
  hk_buffer *value;
  hk_library_order order;
} hk_device_factor_desc;

typedef struct hk_device_factor hk_device_factor;

/* Whether the device's vendor has such libraries at all; and whether this one is there, else *why (static text). */
bool hk_device_has_libraries(const hk_device *device);
bool hk_device_library_there(const hk_device *device, hk_library library, const char **why);

/* HK_NO_RESOURCES, also where the library fails, with its code; HK_NOT_CONVERGED where the matrix is not positive definite (cusolver: solve). */
hk_status hk_device_factor_create(const hk_device_factor_desc *desc, hk_device_factor **out);
void hk_device_factor_destroy(hk_device_factor **factor);
/* x[n] doubles: b in, A^-1 b out. */
hk_status hk_device_factor_solve(hk_device_factor *factor, hk_buffer *x);
hk_count hk_device_factor_bytes(const hk_device_factor *factor); /* beside the matrix */
const char *hk_device_factor_name(const hk_device_factor *factor);

/* y = A x by the vendor's product of sparse rows (cuSPARSE: cusparseSpMV), what ours is measured against. */
typedef struct hk_device_product_desc {
  hk_device *device;
  bool double_precision;
  hk_index n;
  hk_count entries; /* at most 2^31 - 1 */
  /* ints begin[n + 1], column[entries] from 0; reals; all borrowed, outlive the product */
  hk_buffer *begin, *column, *value;
  hk_buffer *x, *y; /* reals x[n], y[n], borrowed too */
} hk_device_product_desc;

typedef struct hk_device_product hk_device_product;

bool hk_device_product_there(const hk_device *device);
/* HK_USAGE where there is none; HK_NO_RESOURCES, also where the library fails, with its code. */
hk_status hk_device_product_create(const hk_device_product_desc *desc, hk_device_product **out);
void hk_device_product_destroy(hk_device_product **product);
/* One launch, in order with others of the device. */
hk_status hk_device_product_apply(hk_device_product *product);
const char *hk_device_product_name(const hk_device_product *product); /* "cuSPARSE 12.5" */
