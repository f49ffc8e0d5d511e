/* The files of a result folder, read back: run.h5, run.json, field.vtkhdf or field.pvd. */
#ifndef HK_OUTPUT_RESULT_H
#define HK_OUTPUT_RESULT_H
#include "output/hdf.h"
#include "output/field_grid.h"
#include <jansson.h>

typedef struct hk_result_trace { /* /traces/<request>/<quantity> */
  char *request, *quantity, *unit, *components, *time_unit;
  char *path; /* of the dataset */
  hk_count receivers, samples;
  int count; /* components */
} hk_result_trace;

typedef struct hk_result {
  char *folder; /* NULL: a lone .h5 file */
  hk_hdf *file;
  json_t *run; /* run.json; an empty object when there is none */
  int count;
  hk_result_trace *trace; /* in the order of names: quantities of a request follow each other */
  hk_count energies;      /* samples of /energy; 0: none */
} hk_result;

/* A result folder, or a .h5 file of that form. HK_BAD_INPUT when it has no readable run.h5. */
hk_status hk_result_open(const char *path, hk_result **out);
void hk_result_close(hk_result **result);
/* time[samples] */
hk_status hk_result_time(hk_result *result, int trace, double *time);
/* values[count][components][samples] of receivers [first, first + count) */
hk_status hk_result_values(hk_result *result, int trace, hk_count first, hk_count count,
                           double *values);
/* *text = "node 17" or "point (2, 3)"; owned by the caller. */
hk_status hk_result_receiver(hk_result *result, int trace, hk_count receiver, char **text);
/* /energy/<name>: values[energies]; name "time" too. */
hk_status hk_result_energy(hk_result *result, const char *name, double *values);
/* The c-th word of a list of components: text[16]. */
void hk_component_name(const char *components, int c, char *text);

typedef struct hk_field_info {
  char *name, *unit, *components;
  int wide; /* components in the file */
} hk_field_info;

typedef struct hk_field { /* frames on a mesh */
  hk_field_grid *grid;
  hk_count frames;
  double *time; /* time[frames] */
  int count;
  hk_field_info *quantity;
  hk_hdf *file; /* vtkhdf */
  char **vtu;   /* or one file per frame: vtu[frames] */
} hk_field;

/* *out = NULL when the folder has no field. */
hk_status hk_field_open(const char *folder, hk_field **out);
void hk_field_close(hk_field **field);
/* values[node][wide] of one frame: not-a-number where the run did not come so far. */
hk_status hk_field_read(hk_field *field, hk_count frame, int quantity, double *values);
#endif
