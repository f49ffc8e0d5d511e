/* The picture of an image of an array's traces: decibels below its largest value as colours, axes, colour bar, words. */
#pragma once
#include "picture/canvas.h"
#include "result/image/image.h"

typedef struct hk_image_picture {
  const hk_image *image; /* with a value above 0 */
  const char *title, *note;
  double span; /* decibels from the last colour to the first */
} hk_image_picture;
/* About `width` pixels wide. */
hk_status hk_image_draw(const hk_image_picture *picture, int width, hk_canvas **out);
