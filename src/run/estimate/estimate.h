/* What a run will take, told before it is begun: cost, resolution, models that nothing drives, and the JSON of hk_check. */
#pragma once
#include "model/model.h"
#include "run/explicit/problem.h"
#include "input/case/case.h"

struct json_t;

typedef struct hk_resolution { /* of one region */
  hk_count elements;
  double slowest, fastest; /* wave speeds */
  double wavelength;       /* slowest / highest frequency; 0: frequency not known */
  double edge;             /* longest edge of its elements, 95th percentile */
  double points;           /* wavelength / edge */
  double least;            /* points below which it is warned of */
  double advised;          /* edge length for 10 points per wavelength */
  /* of constants of a field: wavelength, edge, points and advised are of this element, which has fewest points; -1: constants are the same everywhere */
  hk_index worst;
} hk_resolution;

/* resolution[named regions] (hk_model_named_regions); *frequency: highest of the sources (-40 dB), 0 if not known. Warns of regions below 8 points, and where units
 * seem to be forgotten: speeds outside 10 to 20 000 m/s, less than one point per wavelength, thousands of wavelengths across the model or
 * none. Models without units are not asked. */
hk_status hk_resolution_measure(const hk_model *model, hk_messages *list, double *frequency,
                                hk_resolution *resolution);
/* The same for a model whose mesh is a part of a larger body; `body` is a mesh of that body. */
hk_status hk_resolution_measure_part(const hk_model *model, const hk_mesh *body, hk_messages *list,
                                     double *frequency, hk_resolution *resolution);
/* Which elements to prefer, where the mesh has those of second order with lumped masses (W.4): a note of `hooke check`. */
void hk_resolution_advise(const hk_model *model, hk_messages *list);
/* The question about speeds alone, of regions that have a density: of static models. */
void hk_resolution_check_speeds(const hk_model *model, hk_messages *list);

/* Models that nothing drives. */

/* Whether no load, no prescribed motion (zero ones apart), no equation and no initial value acts in the step: its result is zero, or what the step
 * before left. shot: -1 of the step alone. A signal acts if it is not 0 at some of 1001 times of the step; in static and
 * heat steps each one does. */
bool hk_model_idle(const hk_model *model, int step, int shot);

/* Warns of an explicit model that nothing drives as a whole, or in some of its shots; of each static step without a load. */
void hk_model_warn_idle(const hk_model *model, hk_messages *list);

/* What a step costs, told by a part of the mesh that is small enough to be asked. */

typedef struct hk_timing {
  hk_index nodes;                     /* of the part */
  double operator_bytes, state_bytes; /* of K and of the state, moved by one step of it */
  double warm;                        /* seconds of one step of it after another: the least */
  /* of one step of it that finds nothing in the caches: median, quartiles */
  double cold, least, most;
} hk_timing;

/* A part of about 65 000 nodes that lie together, with the problem's own elements, form of K, device
 * and precision, is stepped for about 0.3 s from rest. A larger mesh comes from memory anew each step: that
 * is what steps of the part cost after a sweep through the caches. `p` needs no operator. */
hk_status hk_timing_measure(const hk_problem *p, hk_timing *out);

/* What a run will take, told before it is begun. */

typedef struct hk_cost {
  double
      memory; /* bytes: the most that is resident at any time of the run, pictures left out; of the host; NAN: not known */
  double least;  /* bytes that are needed where the memory is not known; 0: nothing is known */
  double before; /* the most until K is made, which `hooke check` takes too */
  double disk;   /* bytes */
  double seconds, seconds_low, seconds_high; /* of stepping, or of solving */
} hk_cost;

typedef struct hk_prediction {
  hk_cost cost;
  double dt, end_time; /* of the first step; of the last */
  hk_count steps;      /* of each shot */
  hk_count shots;      /* 0: the model has none */
  int at_once;         /* shots that are stepped together */
  double device;       /* bytes of device memory: K, and the state with the frames */
  const char *kept;    /* why time dispersion stays in the traces; NULL: it is removed */
} hk_prediction;

/* The large model that a small one, the problem's, stands for. */
typedef struct hk_growth {
  double nodes, elements;      /* so many times those of the sample */
  double cells[3], sampled[3]; /* along the sides of a box, and of its sample; 0: no box */
  int order;                   /* of its elements */
  hk_count beside;             /* bytes held that belong to neither */
  double receivers;            /* hk_predict finds it */
  double
      rows; /* so many times the rows of vectors, padding counted: patches that are cut between layers are fuller where there are more of them */
} hk_growth;

/* Predicts the time and memory of a run. Call it as soon as `p` is prepared: up to there a run does the same, so that the memory in use is measured,
 * and only later memory is planned. Takes about 0.5 s. most: the most bytes that were held at any time while the model was read and prepared
 * (hk_estimate_most). growth: the problem's model is a sample of a larger one, which is predicted; the sample steps
 * with that one's dt, and sets of nodes grow with the surface. NULL: predicts the model itself. */
hk_status hk_predict(hk_problem *p, const hk_run_desc *desc, hk_count most, const hk_growth *growth,
                     hk_prediction *out);
/* Of a model that was prepared since hk_memory_renew_peak. */
hk_count hk_estimate_most(const hk_model *model);
/* hk_growth.rows of a problem, a sample, that grows so. */
double hk_growth_of_rows(const hk_growth *growth, const hk_discretisation *on);
/* How many times the bytes of a sample the larger model takes, whose elements grow by more than its nodes: by the share of the mesh's elements. */
double hk_growth_of_bytes(const hk_growth *growth, const hk_mesh *mesh, double bytes);

/* Pieces of the JSON that hk_check and hk_check_ahead tell. */

/* What every check says of a model first: its path, units, the analysis where time stands still, quality of the mesh; with warnings, where
 * nothing drives the model too. */
void hk_check_begin(const hk_discretisation *on, struct json_t *root);
/* Its method, precision and counts. */
void hk_check_add_form(const hk_discretisation *on, struct json_t *root);
/* "shapes" of elements, null: above 65536, not of first order, or axisymmetric; "shapes_change": what one element for each shape changes in K, relative. */
void hk_check_add_shapes(const hk_discretisation *on, struct json_t *root);
/* What a run takes; estimated: of a larger model. */
void hk_check_add_cost(const hk_cost *cost, bool estimated, struct json_t *root);
/* Quality of a mesh, with warnings. */
struct json_t *hk_check_quality(const hk_mesh *mesh, hk_messages *list);
struct json_t *hk_check_regions(const hk_model *model, const hk_resolution *resolution);
/* "attenuation": how well the quality factors of each material hold over their band, the speeds and moduli that go with them; nothing where no material
 * has any. Of Kelvin-Voigt solids t, and Q at the centre of the sources' spectrum. curves: with Q at frequencies over the band and beyond, for the report. */
void hk_check_add_attenuation(const hk_model *model, bool curves, struct json_t *root);
void hk_check_add_prediction(const hk_problem *p, const hk_prediction *what, struct json_t *root);
/* How many receivers each trace has. */
void hk_check_add_traces(const hk_model *model, struct json_t *root);
/* What central differences do to the phase of the slowest waves of the highest frequency, as computed and as the traces have it; a
 * warning where that is left in them. */
void hk_check_add_dispersion(const hk_problem *problem, const hk_prediction *what, double frequency,
                             const hk_resolution *resolution, hk_messages *list,
                             struct json_t *root);
/* "devices": each holds so many bytes at most, of `what`, and so many are free there; warns with the advice where that is not enough. */
void hk_check_add_devices(hk_device *const *device, int count, double each, const char *what,
                          const char *advice, hk_messages *list, struct json_t *root);
/* The same of an explicit model: K, the state and the frames. Ghosts are not counted. */
void hk_check_add_devices_of(const hk_problem *p, const hk_prediction *what, hk_messages *list,
                             struct json_t *root);
/* Warns where a run needs more memory of the host than is free. */
void hk_check_room(const hk_cost *cost, hk_messages *list);

/* What the analyses tell of a case whose mesh is not made, from a sample of it (hk_analysis.ahead). */

/* counts: nodes, elements and dofs of the whole. */
void hk_ahead_count(const hk_case_plan *plan, struct json_t *root);
/* quality: edges as long as those of the whole; no element is the worst. */
void hk_ahead_scale_edges(const hk_case_sample *sample, struct json_t *root);
