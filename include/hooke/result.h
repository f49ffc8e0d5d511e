/* Result folders: report, pictures, exports, comparison. All functions need only the files of a result, not its model.
 *
 *   hk_report_write("weld.hooke", NULL, NULL);
 */
#ifndef HOOKE_RESULT_H
#define HOOKE_RESULT_H
#include <hooke/messages.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What pictures show; zeroed, or NULL in place of one: what the case says (`outputs: {picture: ...}`), else what hooke chooses. A quantity that is
 * not the case's drops the case's component, range and decibels. HK_USAGE: words or numbers that make no sense, that the run does not have, or that change nothing. */
typedef struct hk_picture_desc {
  const char *quantity; /* of fields, "velocity": this one alone */
  const char *
      component; /* "y", "xy": with its sign; NULL: the size of vectors and tensors, von Mises of stresses; "size": that whatever the case says */
  double low, high; /* ends of the colours, in the run's units; both 0: of the frames */
  double decibels;  /* 20 log10(size / largest size of the frames), so many of them */
  bool at_time;     /* only the frame nearest to `time`; with `until`: */
  bool until;       /* only those from `time` to `last_time` */
  double time, last_time;
  const char *
      section; /* of more than eight traces: "wiggle", "density"; NULL: wiggles where there is room */
  double
      scale; /* of sections: the value of one spacing of wiggles, or of full colour; 0: the upper quartile of the peaks */
  double frame_rate; /* of moving pictures: frames a second; 0: 12 */
} hk_picture_desc;

/* Writes `path` (NULL: RUN/report.html): model, mesh, dt, energies, traces as SVG, frames with a
 * slider; needs no network. */
HK_API hk_status hk_report_write(const char *run, const char *path, const hk_picture_desc *choice);

/* PNG pictures of fields (colour map, colour bar, deformed outline) and of traces into `folder`
 * (NULL: RUN/). frames > 0: at most so many pictures of each quantity of a field, 0: six of all fields together, evenly over the frames;
 * below 0: every frame. */
HK_API hk_status hk_pictures_write(const char *run, const char *folder, int frames,
                                   const hk_picture_desc *choice);

/* HK_USAGE where the choice suits no frame or trace of the run, with what hk_pictures_write(..., -1, ...) and hk_movies_write would say: nothing is drawn
 * or written. */
HK_API hk_status hk_pictures_check(const char *run, const hk_picture_desc *choice);

/* FOLDER/FIELD_QUANTITY.apng: all frames of each quantity that has pictures as one animated PNG. HK_BAD_INPUT: the run has no frames; HK_USAGE: one
 * time instead of two, or a frame rate below 0.2 or above 1000. */
HK_API hk_status hk_movies_write(const char *run, const char *folder,
                                 const hk_picture_desc *choice);

/* All frames of one quantity as a moving picture; the ending of `path` says how: .apng or .png by hooke; .gif (at most 50 frames a second), .mp4 (H.264) or
 * .webm (VP9) by the program ffmpeg, which is looked for along PATH. The last frame stays for a second. The file is whole or not there. shot: whose frames, from 1;
 * 0: of the only field. HK_USAGE: another ending, several quantities or shots of which none is named, or a choice that does not suit films; HK_BAD_INPUT: no frames, or
 * no ffmpeg; HK_NOT_WRITABLE: ffmpeg failed, with its words. */
HK_API hk_status hk_film_write(const char *run, const char *path, int shot,
                               const hk_picture_desc *choice);

typedef struct hk_export_desc {
  bool csv, vtu, png;
  bool su, segy, sac, mseed, asdf; /* traces in seismological formats (docs/export.md) */
  bool spectra;                    /* amplitude spectra of traces as CSV */
  /* fields are packed: .vtu by zlib if vtu is set, else copies of the .vtkhdf files by HDF5's deflate */
  bool compress;
  bool movie;                     /* animated PNG of all frames */
  hk_messages *list;              /* receives notes on what a format rounds; may be NULL */
  const hk_picture_desc *picture; /* of png and movie; NULL: hooke chooses */
} hk_export_desc;
/* Writes to RUN/export/. A new run in RUN removes this folder if it has no other files. HK_BAD_INPUT: the run does not contain what is
 * requested; HK_USAGE: nothing is requested. */
HK_API hk_status hk_export(const char *run, const hk_export_desc *desc);

/* Compares run.h5 (and field.vtkhdf if both have it) of two result folders, or two .h5 files.
 * *json = per trace and field: the largest difference relative to the largest value of A, and the L2 difference relative to the norm of
 * A. With tolerance > 0 it also states whether all passed; HK_CHECK_FAILED if a relative largest difference is not <= tolerance
 * (not-a-number fails) or if B lacks a dataset. HK_USAGE where it is below 0 or not a number. */
HK_API hk_status hk_compare(const char *a, const char *b, double tolerance, char **json);

/* *json = {kind, path, arrays: [{path, type, size, offset, unit, components}, ...]}: every array of numbers of an HDF5 file, such as
 * run.h5 or field.vtkhdf. size: slowest index first. offset: the byte at which the array begins, if it is contiguous and in the number format of
 * this machine; otherwise null. Owned by the caller (hk_text_free). */
HK_API hk_status hk_arrays(const char *path, char **json);

/* An image of an array's traces, its elements fired one by one as shots while receivers listen. All lengths and times are in the run's units.
 *   bscan  the envelopes of what each element hears of its own shot, whose source is at the receiver
 *   cscan  the largest envelope in the gate at each receiver of a grid in a plane, of its own shot or of one shot
 *   tfm    total focusing: at each point of a rectangle the size of the mean over shots s and receivers r of the analytic signal of trace (s, r) at
 *          delay + (|p - source s| + |p - receiver r|) / speed, linear between samples (Holmes, Drinkwater and Wilcox 2005)
 * One speed holds everywhere and in all directions. */
typedef struct hk_image_desc {
  const char *method;    /* "bscan", "cscan", "tfm" */
  const char *trace;     /* "array/displacement", or "array"; NULL: the only one of the run */
  const char *component; /* "y"; NULL: the only one of the trace */
  double
      speed; /* 0: the speed of P waves, or of sound, of a model with one speed in all directions */
  double delay;            /* time of the middle of the pulse that is fired */
  int dimension;           /* how many numbers from and to have each */
  const double *from, *to; /* corners of the rectangle; NULL: in 2D the box of the model */
  double spacing;          /* of its points; 0: a 200th of its longer side */
  const double *gate;      /* gate[2]: first and last time that counts; NULL: the whole record */
  int shot;                /* of cscan: from 1; 0: each element's own */
  double span;             /* decibels that the picture shows; 0: 40 */
  const char *output; /* the .h5 file, beside it the picture as .png; NULL: RUN/image_METHOD.h5 */
} hk_image_desc;
/* Writes the image as HDF5 and as PNG. *json = {method, trace, component, speed, delay, points, spacing, largest, at, unit, image, picture}: `at` is the
 * place of the largest value, which the picture has at 0 dB. Owned by the caller (hk_text_free). The same bytes for any number of threads.
 * Memory: 16 bytes a sample of the traces that it takes. HK_USAGE: unknown or missing words of desc; HK_BAD_INPUT: the run does not have what the image needs;
 * HK_NOT_WRITABLE: `output` is another file than an image of hooke's, or the picture beside it would replace one. A speed that is 20 times off is warned of. */
HK_API hk_status hk_image_write(const char *run, const hk_image_desc *desc, hk_messages *list,
                                char **json);

#ifdef __cplusplus
}
#endif
#endif
