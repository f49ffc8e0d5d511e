/* The files of a result folder, read back: run.h5, run.json, field.vtkhdf or field.pvd. */
#pragma once
#include "hdf/hdf.h"
#include "result/field_grid.h"
#include <jansson.h>

typedef struct hk_result_trace { /* /traces/<request>/<quantity> */
  char *request, *quantity, *unit, *components, *time_unit;
  char *path;             /* of the dataset */
  hk_count shots;         /* 0: no shot axis */
  hk_count receivers;     /* of each shot */
  hk_count rows, samples; /* rows: receivers of all shots, shot by shot */
  int count;              /* components */
} hk_result_trace;

typedef struct hk_result_array { /* /static/<step>/<name>: rows of components */
  char *step, *name;             /* "0001"; "displacement", ..., "points/stress", ... */
  char *unit, *components;
  char *path; /* of the dataset */
  hk_count rows;
  int count; /* components */
} hk_result_array;

typedef struct hk_result {
  char *folder; /* NULL: a lone .h5 file */
  hk_hdf *file;
  json_t *run; /* run.json; an empty object when there is none */
  int count;
  hk_result_trace *trace; /* in the order of names: quantities of a request follow each other */
  hk_count energies;      /* samples of /energy; 0: none */
  hk_count shots;         /* of traces and energies; 0: no shot axis */
  int array_count;        /* of static steps, step by step */
  hk_result_array *array;
} hk_result;

/* *out = run.json of a folder; an empty object when there is none, or no folder (NULL). */
hk_status hk_run_json_read(const char *folder, json_t **out);
/* A result folder, or a .h5 file of that form. HK_BAD_INPUT when it has no readable run.h5. */
hk_status hk_result_open(const char *path, hk_result **out);
void hk_result_close(hk_result **result);
/* time[samples] */
hk_status hk_result_time(hk_result *result, int trace, double *time);
/* values[count][components][samples] of rows [first, first + count) */
hk_status hk_result_values(hk_result *result, int trace, hk_count first, hk_count count,
                           double *values);
/* Two samples or more, one after the other in equal steps, to 1e-4 of a step. */
bool hk_result_is_even(const double *time, hk_count count);
/* at[receivers]: places of a trace's receivers in *dim dimensions; what is beyond is 0. HK_BAD_INPUT: the file has no such list. */
hk_status hk_result_places(hk_result *result, int trace, int *dim, double (*at)[3]);
/* x: the place of a shot's source, by `sources` of run.json. Returns how many coordinates it has; 0: not told, and x is 0. */
int hk_result_source(const hk_result *result, hk_count shot, double x[3]);
/* *text = "node 17" or "point (2, 3)"; owned by the caller. */
hk_status hk_result_receiver(hk_result *result, int trace, hk_count receiver, char **text);
/* /energy/<name> of a shot (0 without shots): values[energies]; name "time" too, with shot 0. */
hk_status hk_result_energy(hk_result *result, const char *name, hk_count shot, double *values);
/* Finds the arrays of static steps; used by hk_result_open. */
hk_status hk_result_find_arrays(hk_result *result);
void hk_result_clear_arrays(hk_result *result);
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

/* The fields of a folder: "field", or one per shot that has frames, "field_shot0003". name[*count], in
 * the order of shots, owned by the caller (hk_names_free). */
hk_status hk_field_list(const char *folder, int *count, char ***name);
/* *out = NULL when the folder has no such field, or one without frames. */
hk_status hk_field_open(const char *folder, const char *name, hk_field **out);
/* For readers of values alone: of a .vtkhdf file only the counts of its grid are read, which has no arrays then. */
hk_status hk_field_open_values(const char *folder, const char *name, hk_field **out);
void hk_field_close(hk_field **field);
/* The mesh of a field file with its sets and regions, as far as the file tells them, for the report of a finished run. */
typedef struct hk_field_model hk_field_model;
/* *out = NULL for .vtu files, .vtkhdf files without region and sets, and fields open for values alone. The field is borrowed. HK_BAD_INPUT: damaged. */
hk_status hk_field_model_read(hk_field *field, hk_field_model **out);
const hk_mesh *hk_field_model_mesh(const hk_field_model *model);
hk_mesh_regions hk_field_model_regions(const hk_field_model *model);
void hk_field_model_destroy(hk_field_model **model);
/* values[node][wide] of one frame: not-a-number where the run did not come so far. */
hk_status hk_field_read(hk_field *field, hk_count frame, int quantity, double *values);
