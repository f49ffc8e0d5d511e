/* Host variant of kernels/scan.k.h. */
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define RUN 16
#include "scan.k.h"

static void parts_run(int group, void **v)
{
  scan_parts(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(int *)v[3]);
}

static void total_run(int group, void **v)
{
  scan_total(group, *(long **)v[0], *(int **)v[1], *(int *)v[2]);
}

static void spread_run(int group, void **v)
{
  scan_spread(group, *(int **)v[0], *(long **)v[1], *(long **)v[2], *(int *)v[3]);
}

const hk_host_kernel JOIN(hk_host_scan, HOST_ISA)[] = {{"scan_parts f RUN=16", parts_run},
                                                       {"scan_total f RUN=16", total_run},
                                                       {"scan_spread f RUN=16", spread_run},
                                                       {0}};
