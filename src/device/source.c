/* The source of a kernel that a device compiles: defines of the device (LANES, WIDTH, THREADS), of precision, and of the kernel itself; then the
 * dialect, which gives the words of the kernel language their meaning on the device; then the texts that several kernels share; then the kernel's
 * own text. Compiled code is kept by the whole source. */
#include "device/source.h"
#include <stdio.h>

static void write_defines(const hk_kernel_desc *desc, char *text, size_t size)
{
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < HK_MOST_DEFINES && desc->define[i].name && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "#define %s %d\n", desc->define[i].name,
                             desc->define[i].value);
}

hk_status hk_kernel_head(const hk_kernel_desc *desc, const hk_device_info *info, char **out)
{
  char defines[HK_MOST_DEFINES * 64];
  write_defines(desc, defines, sizeof defines);
  return hk_format(out,
                   "#define LANES %d\n#define WIDTH %d\n#define THREADS %d\n#define LOSS_THREADS "
                   "%d\n%s%s%s",
                   desc->lanes ? desc->lanes : info->lanes, info->width,
                   desc->threads ? desc->threads : info->group_threads, info->group_threads,
                   desc->double_precision ? "#define DOUBLE\n" : "",
                   desc->optimised ? "#define OPTIMISED\n" : "", defines);
}

hk_status hk_kernel_source(const hk_kernel_desc *desc, const hk_device_info *info,
                           const char *dialect, char **out)
{
  hk_status status = HK_OK;
  const char *text = hk_kernel_text(desc->text);
  char *head = NULL;
  HK_CHECK(text, HK_INTERNAL, "no kernel text \"%s\"", desc->text);
  HK_CHECK(hk_kernel_text(dialect), HK_INTERNAL, "no dialect src/device/%s/dialect.h", dialect);
  HK_TRY(hk_kernel_head(desc, info, &head));
  HK_TRY(hk_format(out, "%s%s%s%s%s%s%s%s%s%s%s", head, hk_kernel_text(dialect),
                   hk_kernel_text("epilogue"), hk_kernel_text("increments"),
                   hk_kernel_text("tangent"), hk_kernel_text("points"), hk_kernel_text("gll"),
                   hk_kernel_text("lists"), hk_kernel_text("sums"), hk_kernel_text("rims"), text));
cleanup:
  hk_free(&head);
  return status;
}
