/* What the files of `hooke bench integration` share (Banas, Plaszewski, Maciol). Words after the name choose; none of a kind: all of it, but of
 * double precision the paper's ways only where it is named, as its GPUs were measured in single.
 *
 *   tables, times        Tables 1 to 4, sizes and launches; Tables 5 to 7 and Figures 2 and 3, measured
 *   together             the device and the host at once, beside each alone; where there is a device
 *   scaling              only if it is named: times by number of elements (5.4)
 *   device, host         where; without a device both are the processor
 *   single, double
 *   paper, ours          the four ways of the paper; points, products, ...
 *   p1 ... p7            orders */
#pragma once
#include "bench.h"
#include "operator/integration/integral.h"

enum {
  HK_INTEGRATION_TABLES = 1,
  HK_INTEGRATION_TIMES = 2,
  HK_INTEGRATION_TOGETHER = 4,
  HK_INTEGRATION_SCALING = 8
};

/* Distorted linear prisms of an order, with a material each. */
typedef struct hk_integration_body {
  hk_bench_job *job;
  hk_device *device;
  hk_reference reference;
  int order;
  bool real;   /* double precision */
  bool scaled; /* one number of elements of several */
  hk_count elements;
  double *x, *lame; /* [elements][6][3], [elements][2] */
} hk_integration_body;

/* As many elements as have so many bytes of matrices in double precision, times the job's scale. */
hk_status hk_integration_make(hk_integration_body *body, double bytes);
/* table, case, method, device, precision, order: what each row has. */
json_t *hk_integration_row(const hk_integration_body *body, const char *table, const char *method);
hk_integral_desc hk_integration_describe(const hk_integration_body *body, hk_integral_way way);
hk_status hk_integration_ignore(void *user, hk_count first, hk_count count, const void *matrix);

/* A row for body->real: elements of a second of the device, of the host and of both at once. beside: a host with a thread less. */
hk_status hk_integration_together(const hk_integration_body *body, hk_device *host,
                                  hk_device *beside);
