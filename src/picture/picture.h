/* Pictures of a field, frame by frame: colours, colour bar, outline, time. All frames of a quantity
 * share one range, so that they can be compared: its end is the median over the frames of their
 * largest values, and what lies beyond has the end's colour. */
#ifndef HK_PICTURE_PICTURE_H
#define HK_PICTURE_PICTURE_H
#include "picture/figure.h"
#include "result/result.h"

typedef struct hk_gallery_range {
  hk_map map;
  double low, high;
  bool beyond;
} hk_gallery_range;

typedef struct hk_gallery {
  hk_pool pool; /* of its arrays */
  hk_field *field;
  hk_surface *surface;
  json_t *run;
  char *time_unit;
  int count;               /* of pictures */
  hk_count *frame;         /* frame[count]: their numbers in the file */
  hk_gallery_range *range; /* range[quantity] */
  double displacement_scale;
  double *corner; /* corner[corners][3] */
  double *nodal;  /* nodal[nodes][9] */
  double *spread; /* spread[corners][9] */
  double *moved;  /* moved[corners][3]: displacement of a static step; NULL: waves */
  double *value;  /* value[corners] */
} hk_gallery;

/* At most `frames` of the frames that were written of a field (hk_field_list), evenly spaced, the last
 * among them. *out = NULL when there is no such field, or no frame. */
hk_status hk_gallery_create(const char *run, const char *field, int frames, hk_gallery **out);
void hk_gallery_destroy(hk_gallery **gallery);
/* Whether a quantity has pictures of its own: stress of static steps is seen as von_mises. */
bool hk_gallery_shows(const hk_gallery *gallery, int quantity);
/* The frame that is number k of `count` which are drawn of so many. */
hk_count hk_gallery_pick(hk_count frames, hk_count count, hk_count k);
double hk_gallery_time(const hk_gallery *gallery, int k);
/* k-th picture of a quantity, about `width` pixels wide. */
hk_status hk_gallery_draw(hk_gallery *gallery, int quantity, int k, int width, hk_canvas **out);
#endif
