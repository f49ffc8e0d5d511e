/* Working with result folders after the run: report, pictures, exports, comparison. All of these
 * read the files alone.
 *
 *   hk_report_write("weld.hooke", NULL);
 */
#ifndef HOOKE_RESULT_H
#define HOOKE_RESULT_H
#include <hooke/messages.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes `path` (NULL: RUN/report.html): model, mesh, dt, energies, traces as SVG, frames with a
 * slider; needs no network. */
HK_API hk_status hk_report_write(const char *run, const char *path);

/* PNG pictures of fields (colour map, colour bar, deformed outline) and of traces into `folder`
 * (NULL: RUN/). At most `frames` pictures per field (0: 12). */
HK_API hk_status hk_pictures_write(const char *run, const char *folder, int frames);

typedef struct hk_export_desc {
  bool csv, vtu, png;
  bool su, sac;      /* traces for programs of seismology (docs/export.md) */
  hk_messages *list; /* what a format cannot hold exactly; NULL: not told */
} hk_export_desc;
/* Into RUN/export/, which a run that begins anew in RUN removes if nothing else lies in it. HK_BAD_INPUT where the run has not what is
 * asked for, HK_USAGE where nothing is. */
HK_API hk_status hk_export(const char *run, const hk_export_desc *desc);

/* Compares run.h5 (and field.vtkhdf where both have it) of two result folders, or two .h5 files.
 * *json = per trace and field: largest and L2 difference, relative to the largest value and norm of
 * A. tolerance > 0: whether all passed, and HK_CHECK_FAILED if a relative largest difference is not <= tolerance
 * (not-a-number fails) or a dataset is missing in B. */
HK_API hk_status hk_compare(const char *a, const char *b, double tolerance, char **json);

/* *json = {kind, path, arrays: [{path, type, size, offset, unit, components}, ...]}: every array of numbers of an HDF5 file, such as
 * run.h5 or field.vtkhdf. size: slowest index first. offset: the byte of the file from which on it lies in one piece, as numbers of
 * this machine; null where it does not. Owned by the caller (hk_text_free). */
HK_API hk_status hk_arrays(const char *path, char **json);

#ifdef __cplusplus
}
#endif
#endif
