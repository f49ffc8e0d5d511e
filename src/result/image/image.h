/* Images of an array's traces: B-scans, C-scans and the total focusing method (Holmes, Drinkwater and Wilcox 2005, NDT&E International 38, 701).
 *
 *   hk_capture c;
 *   hk_image i = {0};
 *   HK_TRY(hk_capture_read(result, trace, component, HK_CAPTURE_ALL, list, &c));
 *   HK_TRY(hk_image_focus(&c, &how, &i));
 *   HK_TRY(hk_image_write_h5(path, &i, ...)); */
#pragma once
#include "base/fft.h"
#include "result/result.h"

/* Which traces of [shot, receiver]: */
typedef enum hk_capture_part {
  HK_CAPTURE_ALL,
  HK_CAPTURE_OWN, /* of each receiver, in their order, that of the shot whose source is there: there are as many shots as receivers */
  HK_CAPTURE_FIRST /* and so on: HK_CAPTURE_FIRST + s, all of shot s */
} hk_capture_part;

typedef struct hk_capture { /* analytic signals of one component */
  hk_pool pool;
  int dim;
  hk_count shots, receivers, samples, rows;
  double (*source)[3];   /* source[shots]; in 2D the third is 0 */
  double (*receiver)[3]; /* receiver[receivers] */
  double start, step;    /* sample k: start + k step */
  hk_complex *signal;    /* signal[rows][samples]; rows: shots x receivers, shots, or receivers */
  const char *unit, *time_unit, *length_unit; /* "" where there is none */
} hk_capture;

/* Component number `component` of a trace, by all threads. Where run.json has no place for a shot's source, receivers are taken for the elements, in
 * the order of the shots. HK_BAD_INPUT: values that are not numbers, samples that are not even in time (a last one off the grid is
 * left out, which a warning says), parts that the trace does not have, or a receiver without a source of its own. `out` is to be cleared, on failure too. */
hk_status hk_capture_read(hk_result *result, int trace, int component, int part, hk_messages *list,
                          hk_capture *out);
/* Largest extent of the receivers along an axis. */
double hk_capture_size(const hk_capture *capture);
void hk_capture_clear(hk_capture *capture);
static inline double hk_capture_end(const hk_capture *c)
{
  return c->start + (double)(c->samples - 1) * c->step;
}

typedef struct hk_image_axis {
  const char *name, *unit; /* borrowed, or literals */
  hk_count count;
  double *at; /* at[count], ascending */
} hk_image_axis;

typedef struct hk_image {
  hk_pool pool;
  hk_image_axis axis[2]; /* across, and up or, of times, down */
  double *value;         /* value[axis[1].count][axis[0].count], 0 or more */
  const char *unit;
  bool down, plane; /* axis[1] goes down; both axes are lengths of the same scale */
} hk_image;
void hk_image_clear(hk_image *image);

typedef struct hk_image_how {
  double speed, delay;   /* of the waves; time of the middle of the pulse that is fired */
  double gate[2];        /* times; what lies outside counts as 0 */
  double from[3], to[3]; /* corners of the region: a rectangle along two axes */
  double spacing;        /* of its points */
} hk_image_how;
/* [element, sample]: the envelope of what each element hears of its own shot, in the gate. Of HK_CAPTURE_OWN. */
hk_status hk_image_bscan(const hk_capture *capture, const hk_image_how *how, hk_image *out);
/* At each receiver of a grid in a plane the largest envelope in the gate. HK_BAD_INPUT: the receivers form no grid along two axes. Of HK_CAPTURE_OWN or of
 * one shot. */
hk_status hk_image_cscan(const hk_capture *capture, const hk_image_how *how, hk_image *out);
/* Total focusing: at each point p of the region the size of the mean over shots s and receivers r of the signal of (s, r) at
 * delay + (|p - source s| + |p - receiver r|) / speed, linear between samples. By all threads, with the same bits for any number of them.
 * points x shots x receivers interpolations. Of HK_CAPTURE_ALL. */
hk_status hk_image_focus(const hk_capture *capture, const hk_image_how *how, hk_image *out);

/* place[2]: where the largest value lies. Returns that value. */
double hk_image_peak(const hk_image *image, double *place);

typedef struct
    hk_image_words { /* about an image, for its file; numbers that are not-a-number are left out */
  const char *method, *trace, *component;
  double speed, delay;
} hk_image_words;
/* The whole file, or none: /image, an array for each axis by its name, /speed and /delay, attributes of / (docs/reference/results.md). */
hk_status hk_image_write_h5(const char *path, const hk_image *image, const hk_image_words *words);
