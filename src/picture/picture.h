/* Pictures of a field, frame by frame: colours, colour bar, outline, time. All frames of a quantity
 * share one range, so that they can be compared: its end is the median over the frames of their
 * largest values, and what lies beyond has the end's colour. */
#ifndef HK_PICTURE_PICTURE_H
#define HK_PICTURE_PICTURE_H
#include "picture/canvas.h"
#include "result/result.h"

typedef struct hk_gallery hk_gallery;

/* At most `frames` of the frames that were written of a field (hk_field_list), evenly spaced, the last
 * among them. *out = NULL when there is no such field, or no frame. */
hk_status hk_gallery_create(const char *run, const char *field, int frames, hk_gallery **out);
void hk_gallery_destroy(hk_gallery **gallery);
int hk_gallery_quantities(const hk_gallery *gallery);
const char *hk_gallery_name(const hk_gallery *gallery, int quantity);
/* Whether a quantity has pictures of its own: stress of static steps is seen as von_mises. */
bool hk_gallery_shows(const hk_gallery *gallery, int quantity);
int hk_gallery_count(const hk_gallery *gallery);
/* The frame that is number k of `count` which are drawn of so many. */
hk_count hk_gallery_pick(hk_count frames, hk_count count, hk_count k);
hk_count hk_gallery_frame(const hk_gallery *gallery, int k); /* number in the file */
double hk_gallery_time(const hk_gallery *gallery, int k);
/* k-th picture of a quantity, about `width` pixels wide. */
hk_status hk_gallery_draw(hk_gallery *gallery, int quantity, int k, int width, hk_canvas **out);
#endif
