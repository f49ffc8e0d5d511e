/* Result folders: report, pictures, exports, comparison. All functions need only the files of a result, not its model.
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
 * (NULL: RUN/). frames > 0: at most so many pictures of each quantity of a field, 0: six of all fields together, evenly over the frames;
 * below 0: every frame. */
HK_API hk_status hk_pictures_write(const char *run, const char *folder, int frames);

/* FOLDER/FIELD_QUANTITY.apng: all frames of each quantity that has pictures as one animated PNG, 12 a second. The compressed frames of a quantity are
 * held in memory. HK_BAD_INPUT: the run has no frames. */
HK_API hk_status hk_movies_write(const char *run, const char *folder);

typedef struct hk_export_desc {
  bool csv, vtu, png;
  bool su, segy, sac, mseed; /* traces in seismological formats (docs/export.md) */
  /* fields are packed: .vtu by zlib if vtu is set, else copies of the .vtkhdf files by HDF5's deflate */
  bool compress;
  bool movie;        /* animated PNG of all frames */
  hk_messages *list; /* receives notes on what a format rounds; may be NULL */
} hk_export_desc;
/* Writes to RUN/export/. A new run in RUN removes this folder if it has no other files. HK_BAD_INPUT: the run does not contain what is
 * requested; HK_USAGE: nothing is requested. */
HK_API hk_status hk_export(const char *run, const hk_export_desc *desc);

/* Compares run.h5 (and field.vtkhdf if both have it) of two result folders, or two .h5 files.
 * *json = per trace and field: the largest difference relative to the largest value of A, and the L2 difference relative to the norm of
 * A. With tolerance > 0 it also states whether all passed; HK_CHECK_FAILED if a relative largest difference is not <= tolerance
 * (not-a-number fails) or if B lacks a dataset. */
HK_API hk_status hk_compare(const char *a, const char *b, double tolerance, char **json);

/* *json = {kind, path, arrays: [{path, type, size, offset, unit, components}, ...]}: every array of numbers of an HDF5 file, such as
 * run.h5 or field.vtkhdf. size: slowest index first. offset: the byte at which the array begins, if it is contiguous and in the number format of
 * this machine; otherwise null. Owned by the caller (hk_text_free). */
HK_API hk_status hk_arrays(const char *path, char **json);

#ifdef __cplusplus
}
#endif
#endif
