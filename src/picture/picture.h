/* Pictures of a field, frame by frame: colours, colour bar, outline, time. All frames of a quantity
 * share one range, so that they can be compared: its end is the median over the frames of their
 * largest values, and what lies beyond has the end's colour. */
#pragma once
#include <hooke/result.h>
#include "picture/scene.h"
#include "result/result.h"

typedef struct hk_gallery_range {
  hk_map map;
  double low, high;
  bool beyond_low, beyond_high;
  double reference; /* of decibels: the largest size; 0: values as they are */
} hk_gallery_range;

/* How many pictures are drawn of a field: of each quantity at most `frames`, in all at most `pictures`. */
typedef struct hk_gallery_most {
  int frames, pictures; /* HK_GALLERY_ALL: any number */
} hk_gallery_most;
enum { HK_GALLERY_ALL = INT32_MAX };

/* *out = what is given, over what the run's case says (run.json); both may be NULL. The case's component and colours count only for its own
 * quantity; "size" is no component. Texts are borrowed from them. HK_USAGE where it makes no sense. */
hk_status hk_picture_choose(const json_t *run, const hk_picture_desc *given, hk_picture_desc *out);
/* Peak maps are norms over all time: a component or a time leaves them out. */
bool hk_picture_leaves_out(const hk_picture_desc *choice, const char *field);
/* What is given now must mean something for the run: HK_USAGE if it is about frames and no field of the run has such, or none the quantity; if it is
 * about sections and no trace is drawn as one. given: may be NULL. */
hk_status hk_picture_check_fields(const char *run, int fields, char *const *field,
                                  const hk_picture_desc *given);
hk_status hk_picture_check_sections(const hk_result *result, const hk_picture_desc *given);

/* The number of a component in the file; -1: the quantity has none of that name. */
int hk_scalar_component(const hk_field_info *quantity, const char *name);
/* of[count] from values[count][wide]: a component, or for -1 the size. */
void hk_scalars(const hk_field_info *quantity, int component, hk_count count, const double *values,
                double *of);
/* "|velocity|", "velocity y" */
void hk_scalar_name(const hk_field_info *quantity, int component, char *text, size_t size);
/* of[count] = 20 log10(|of| / reference), at least -2 span */
void hk_scalars_decibels(hk_count count, double reference, double span, double *of);

struct hk_sketch;

typedef struct hk_gallery {
  hk_pool pool; /* of its arrays */
  int sketches; /* of threads, kept from task to task: */
  struct hk_sketch *sketch;
  hk_picture_desc choice;
  hk_field *field;
  hk_scene *own;             /* NULL: the caller's */
  const hk_surface *surface; /* of the scene, as is corner */
  json_t *run;
  char *time_unit;
  int shown;               /* quantities that have pictures: */
  int *quantity;           /* quantity[shown]: their numbers in the field */
  int count;               /* of pictures of each */
  hk_count *frame;         /* frame[count]: their numbers in the file */
  hk_gallery_range *range; /* range[quantity of the field] */
  double displacement_scale;
  const double *corner; /* corner[corners][3] */
  bool peak;            /* the largest norms over time of field_peak, */
  bool shots;           /* a frame for each shot */
  bool moves; /* bodies of static steps are drawn where they are displaced to; else waves */
} hk_gallery;

/* What a thread needs to draw pictures of a gallery, one after the other. */
typedef struct hk_sketch {
  hk_pool pool;   /* of its arrays */
  double *nodal;  /* nodal[nodes][wide] */
  double *spread; /* spread[corners][wide] */
  double *moved;  /* moved[corners][3]: displacement of a static step */
  double *value;  /* value[corners] */
  hk_raster *raster;
} hk_sketch;

/* Six pictures of a run in all, shared out among its fields: those of one. */
hk_gallery_most hk_gallery_usual(int fields, int field);
/* The most for a field of quantities with these names: how many quantities have pictures, the first by name, and how many frames of each. */
typedef struct hk_gallery_choice {
  int quantities, frames;
} hk_gallery_choice;
hk_gallery_choice hk_gallery_choose(hk_gallery_most most, int count, const char *const *name);
/* Whether a quantity is among them. Stress beside von_mises, its picture, has none of its own. */
bool hk_gallery_draws(hk_gallery_choice choice, int count, const char *const *name, int quantity);
/* The frame that is number k of `count` which are drawn of so many: evenly spaced, the last among them; not the first, in which nothing
 * is seen yet, where there are more than are drawn. */
hk_count hk_gallery_pick(hk_count frames, hk_count count, hk_count k);

/* Of the frames that were written of a field (hk_field_list), as `choice` (may be NULL) and the run's case say. *out = NULL when there is no such field, no frame, or no picture is wanted. scene: of the
 * field's mesh, borrowed; NULL, or another: it is made from the file. */
hk_status hk_gallery_create(const char *run, const char *field, const hk_scene *scene,
                            hk_gallery_most most, const hk_picture_desc *choice, hk_gallery **out);
/* HK_USAGE, as hk_gallery_create would tell it, where the choice suits no picture of the field: before anything is read or drawn. */
hk_status hk_gallery_check(const char *run, const char *field, const hk_picture_desc *choice);
void hk_gallery_destroy(hk_gallery **gallery);
double hk_gallery_time(const hk_gallery *gallery, int k);
/* What a picture says: "velocity y"; "t = 3 us", "step 2", "shot 4"; the unit of its values, "" for none, "dB", and of lengths. */
void hk_gallery_name(const hk_gallery *gallery, int quantity, char *name, size_t size);
void hk_gallery_when(const hk_gallery *gallery, int quantity, int k, char *time, size_t size);
const char *hk_gallery_unit(const hk_gallery *gallery, int quantity);
const char *hk_gallery_length_unit(const hk_gallery *gallery);
/* sketch->value[corners] = what the k-th picture shows, in the unit of its range. */
hk_status hk_gallery_load(const hk_gallery *gallery, struct hk_sketch *sketch, int quantity, int k);
/* k-th picture of a quantity of the field, about `width` pixels wide. */
hk_status hk_gallery_draw(const hk_gallery *gallery, hk_sketch *sketch, int quantity, int k,
                          int width, hk_canvas **out);
/* Calls task(gallery, sketch, i, user) for i = 0, ..., tasks - 1, by all threads, each with a sketch of its own, in any order; fewer threads
 * where the sketches of all would not fit into a quarter of the free memory. Threads that are left share the loops within a task on a large surface. The first failure of them is returned. */
typedef hk_status (*hk_gallery_task)(const hk_gallery *gallery, hk_sketch *sketch, hk_count i,
                                     void *user);
hk_status hk_gallery_each(hk_gallery *gallery, hk_count tasks, hk_gallery_task task, void *user);
