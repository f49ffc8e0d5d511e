/* The kernels that the host was built with: device/variants.txt lists units, each one text's variants. The build writes one .c for each
 * (cmake/variants/), which holds a table, and compiles it once per instruction set. */
#pragma once

/* Runs one group; value[k] is the address of argument k. */
typedef void hk_host_run(int group, void **value);

/* Tables end with a NULL key. */
typedef struct hk_host_kernel {
  const char *key;       /* "function f NAME=value ...": precision f or d, defines sorted by name */
  const char *arguments; /* their kinds, a letter each: pointer, int, float, double, n: integers */
  hk_host_run *run;
} hk_host_kernel;
