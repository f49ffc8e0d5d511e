/* What a device compiles: defines, its dialect, operator/epilogue.k.h, tangent.k.h, points.k.h and gll.k.h, the kernel's text. */
#pragma once
#include "device/device.h"

/* Text "stored", "epilogue", ... of <name>.k.h, or the name of a folder of devices: src/device/<name>/dialect.h.
 * Built into the library; NULL: none. */
const char *hk_kernel_text(const char *name);

/* The defines that a source begins with, which differ from kernel to kernel of one text: *out, owned by the caller (hk_free). */
hk_status hk_kernel_head(const hk_kernel_desc *desc, const hk_device_info *info, char **out);
/* *out, owned by the caller (hk_free):
 *   #define LANES, WIDTH, THREADS (of info), DOUBLE, desc's defines | dialect | epilogue | tangent | points | gll | text */
hk_status hk_kernel_source(const hk_kernel_desc *desc, const hk_device_info *info,
                           const char *dialect, char **out);
