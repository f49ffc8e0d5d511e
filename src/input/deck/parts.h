/* What the files deck*.c share: the model part of a deck as it is written, names not looked up yet.
 * hk_deck_make turns it into the model. */
#pragma once
#include "input/deck/mesh/deck.h"
#include "input/deck/mesh/reader.h"
#include "base/base.h"
#include "model/model.h"

typedef enum deck_elastic {
  DECK_NO_ELASTIC,
  DECK_ISOTROPIC,
  DECK_ENGINEERING,
  DECK_ORTHOTROPIC,
  DECK_ANISOTROPIC
} deck_elastic;

typedef struct deck_latent { /* of *LATENT HEAT: row[rows] of heat, solidus, liquidus */
  int rows;
  double (*row)[3];
  hk_place place;
} deck_latent;

typedef struct deck_material {
  const char *name;
  hk_place place, elastic_place;
  bool has_density;
  double density, mass_damping;
  int conductivities; /* 1, 3, 6; 0: not given */
  double conductivity[6];
  hk_table conductivity_at, specific_heat_at; /* factors of the first row; none: no rows */
  bool conductivity_varies;  /* with temperature, in another ratio for each constant */
  bool conductivity_refused; /* the error is told */
  double specific_heat;      /* 0: not given */
  hk_place specific_heat_place;
  deck_latent latent;
  hk_place conductivity_place;
  deck_elastic elastic;
  double constant[21]; /* in Abaqus's order */
  bool refused;        /* the constants; the error is told */
  const char *damping; /* that explicit steps cannot obey: BETA, ...; NULL: none */
  double damping_value;
  hk_place damping_place;
} deck_material;

typedef struct deck_axes { /* of *ORIENTATION and *TRANSFORM */
  bool cylindrical;   /* about the line from a to b; else x' to a, b in the plane of x' and y' */
  double point[3][3]; /* a, b, c (the origin of x' and y') */
  int turn_about;     /* local axis 0, 1, 2 */
  double turn_by;     /* radians */
} deck_axes;

typedef struct deck_ref { /* to nodes, elements or faces */
  const char *name;       /* set, surface or label; NULL: all */
  int scope;
  hk_place place;
} deck_ref;

typedef struct deck_orientation {
  const char *name;
  hk_place place;
  deck_axes axes;
} deck_orientation;

typedef struct deck_transform {
  deck_ref on;
  deck_axes axes;
} deck_transform;

typedef struct deck_term { /* of an equation */
  const char *node;        /* label or set */
  int component;
  double coefficient;
} deck_term;

typedef struct deck_equation {
  hk_count first, count; /* terms */
  deck_ref on;           /* scope and place alone */
} deck_equation;

typedef struct deck_section {
  deck_ref on;
  const char *material, *orientation;
  double thickness;
} deck_section;

typedef struct deck_amplitude {
  hk_signal signal; /* moved to the model */
  hk_place place;
  bool total_time, absolute;
} deck_amplitude;

typedef enum deck_load_type {
  DECK_CLOAD,
  DECK_DLOAD,
  DECK_DSLOAD,
  DECK_CFLUX,
  DECK_DFLUX,
  DECK_FILM,
  DECK_LOAD_TYPES
} deck_load_type;

const char *hk_deck_keyword(deck_load_type type); /* "*CLOAD" */

enum {
  DECK_TEMPERATURE = 10
}; /* component of *BOUNDARY: degree of freedom 11, in CalculiX also 0 */

typedef struct deck_load { /* a data line of *CLOAD, *DLOAD, *DSLOAD, *CFLUX, *DFLUX, *FILM */
  deck_load_type type;
  hk_load_kind kind;
  deck_ref on;
  const char *amplitude, *film_amplitude; /* film_amplitude: of FILM's coefficient */
  int component;                          /* of FORCE */
  int face;                               /* of DLOAD Pn, DFLUX Sn, FILM Fn, 0-based */
  bool surface;                           /* target is a surface: DSLOAD, DFLUX S */
  double vector[3];
  double at[3], omega2; /* of CENTRIF; at: of GRAV the direction */
  double film;
} deck_load;

typedef struct deck_motion { /* a data line of *BOUNDARY */
  hk_motion_kind kind;
  deck_ref on;
  const char *amplitude;
  int first, last; /* components, 0-based; may lie beyond the dimension */
  bool symmetry;   /* by name: components beyond the dimension are left out quietly */
  bool frozen;     /* FIXED */
  double value;
} deck_motion;

typedef struct deck_initial {
  hk_motion_kind kind;
  deck_ref on;
  int component;
  double value;
} deck_initial;

typedef struct deck_points { /* *TIME POINTS */
  const char *name;
  bool total_time;
  HK_LIST(double) time;
} deck_points;

typedef struct deck_timing { /* when output is written; all zero: not said */
  bool by_default; /* every increment, unless *OUTPUT, FREQUENCY= of the step says otherwise */
  hk_count frames, every;
  double interval;
  const char *points; /* name of *TIME POINTS */
} deck_timing;

typedef struct deck_trace {
  deck_ref on;
  unsigned quantities;
  deck_timing timing;
} deck_trace;

typedef struct deck_names { /* quantities of data lines: table[count], again where given again */
  uint8_t table[HK_MOST_TABLES]; /* hk_quantity (| HK_MECHANICAL) */
  int count;
} deck_names;

typedef struct deck_print { /* *NODE PRINT, *EL PRINT of a static step */
  bool elements, totals, only_totals, local;
  hk_count every; /* FREQUENCY=; 0: not given */
  deck_ref on;
  deck_names names;
} deck_print;

typedef enum deck_procedure {
  DECK_NO_PROCEDURE,
  DECK_EXPLICIT,
  DECK_STATIC,
  DECK_HEAT
} deck_procedure;

typedef struct deck_range {
  hk_count first, last; /* [first, last) */
} deck_range;

typedef struct deck_field { /* *OUTPUT, FIELD and the files of a step */
  bool given;
  unsigned quantities;
  deck_timing timing;
  hk_place place;
} deck_field;

typedef struct deck_step {
  hk_place place;
  deck_procedure procedure;
  bool ramp, nlgeom, perturbation;
  double dt, duration;
  bool marches;                /* of transient heat */
  double most;                 /* increments, INC= */
  bool renew[DECK_LOAD_TYPES]; /* OP=NEW */
  bool renew_motion;
  deck_range loads, motions, traces, prints; /* those given in the step */
  bool has_print[2];                         /* of nodes, of elements */
  bool has_history;
  deck_field field;
  hk_count every; /* *OUTPUT, FREQUENCY= without FIELD and HISTORY; 0: not given */
} deck_step;

typedef struct deck_matter { /* what the elements are made of */
  HK_LIST(deck_material) material;
  HK_LIST(deck_orientation) orientation;
  HK_LIST(deck_section) section;
  int now; /* material being given; -1: none */
} deck_matter;

typedef struct deck_acts { /* what acts on the model */
  HK_LIST(deck_amplitude) amplitude;
  HK_LIST(deck_load) load;
  HK_LIST(deck_motion) motion;
  hk_count model_motions; /* motion[0..model_motions): before the first step */
  HK_LIST(deck_initial) initial;
  HK_LIST(deck_transform) transform;
  HK_LIST(deck_term) term;
  HK_LIST(deck_equation) equation;
} deck_acts;

typedef struct deck_asked { /* what is to be written */
  HK_LIST(deck_points) points;
  HK_LIST(deck_trace) trace;
  HK_LIST(deck_print) print;
  bool history;           /* the *OUTPUT that is open: HISTORY, else FIELD */
  bool output;            /* one of FIELD or HISTORY is open */
  deck_timing timing;     /* of it */
  hk_place local_file[2]; /* GLOBAL=NO of a field of nodes, of elements; file NULL: none */
} deck_asked;

typedef struct deck {
  /* holds the lists and what is in them; inp and names are freed apart, the reader is of inp */
  hk_pool pool;
  hk_inp *inp;
  hk_inp_reader *reader;
  hk_messages *list;
  const char *path;
  bool in_step;
  deck_matter matter;
  deck_acts acts;
  deck_asked asked;
  hk_static_how how;
  HK_LIST(deck_step) step;
  hk_inp_names names;         /* kind: deck_name_kind */
  hk_count held;              /* by loads and traces: nodes, elements, faces */
  bool told[HK_INP_ID_COUNT]; /* keyword without influence, told once */
} deck;

typedef enum deck_name_kind {
  DECK_MATERIAL,
  DECK_ORIENTATION,
  DECK_AMPLITUDE,
  DECK_POINTS
} deck_name_kind;

/* Number of the named thing; -1 after an error at `place`. */
int hk_deck_find(deck *d, hk_place place, const char *name, deck_name_kind kind);
/* Keeps a name, borrowed; an error when there is one of that kind. */
hk_status hk_deck_name(deck *d, hk_place place, const char *name, deck_name_kind kind,
                       hk_count number);
deck_step *hk_deck_step_now(deck *d);
/* True when the step that is being read is static or of heat conduction. */
bool hk_deck_in_static(const deck *d);
/* True unless it is explicit: its procedure may be unknown, where it was refused. */
bool hk_deck_may_be_static(const deck *d);
/* True when the deck has such steps (all of them are, unless an error is told). */
bool hk_deck_is_static(const deck *d);
/* True when the deck has steps of heat conduction, and when the step that is being read is one. */
bool hk_deck_is_heat(const deck *d);
/* True when some step is of transient heat. */
bool hk_deck_marches(const deck *d);
bool hk_deck_in_heat(const deck *d);

/* step/field.c: fields of data lines. Each returns false after an error at the line. */
enum { DECK_FIELDS = HK_INP_MOST_FIELDS };
/* The next data line of the keyword as fields, empty where there are fewer; *count is -1 where the
 * line is faulty or says more than `most` things, HK_INP_END at the last. */
hk_status hk_deck_fields(deck *d, const hk_inp_line *line, hk_inp_field field[DECK_FIELDS],
                         int most, int *count);
/* Gives each data line that is not faulty to `take`; INPUT= names a file with the first ones. */
typedef hk_status deck_row(deck *d, const hk_inp_line *line, const hk_inp_field *field, void *to);
hk_status hk_deck_each_row(deck *d, const hk_inp_line *line, int most, deck_row *take, void *to);
/* Gives each field of the keyword's data lines that says something to `take`. */
typedef void deck_take(deck *d, const hk_inp_line *line, hk_inp_field name, void *to);
hk_status hk_deck_each_name(deck *d, const hk_inp_line *line, deck_take *take, void *to);
/* True where nothing is said beyond the first `most` fields: of lines whose kind decides how many. */
bool hk_deck_no_more(deck *d, const hk_inp_line *line, const hk_inp_field field[DECK_FIELDS],
                     int most);
bool hk_deck_integer(deck *d, hk_inp_field field, const char *what, int least, int most,
                     int *value);
/* A number that must be there. */
bool hk_deck_size(deck *d, hk_inp_field field, const char *what, double *value);
/* The name or number in a field of the line, or a parameter's value (NULL: all), here or at the keyword. */
hk_status hk_deck_refer(deck *d, hk_inp_field field, deck_ref *to);
hk_status hk_deck_refer_value(deck *d, const hk_inp_line *line, const char *name, deck_ref *to);
/* The name or number at the beginning of a line is there. */
bool hk_deck_needs_name(deck *d, const hk_inp_line *line, hk_inp_field field);
/* field[0..3) as a unit vector. */
bool hk_deck_direction(deck *d, const hk_inp_field *field, const char *what, double vector[3]);
/* True, with errors, when one of the parameters is given. */
bool hk_deck_refuse(deck *d, const hk_inp_line *line, const char *const *names, const char *why);
/* The parameter's number; `value` where it is not given. */
double hk_deck_parameter(deck *d, const hk_inp_line *line, const char *name, double value);

/* Each reads a keyword and its data lines. */
#define DECK_READ(id, name) hk_status hk_deck_read_##name(deck *d, const hk_inp_line *line);
#include "input/deck/handlers.h"
#undef DECK_READ

/* deck/axes.c */
/* The axes in the k-th piece of a part, in global coordinates. */
void hk_deck_axes(const deck *d, const deck_axes *from, int scope, int k, hk_axes *out);
/* step/print.c: of static steps. */
hk_status hk_deck_read_static_print(deck *d, const hk_inp_line *line);
/* Adds quantities to the field of the step. */
void hk_deck_add_static_field(deck *d, const hk_inp_line *line, bool elements,
                              const deck_names *names);
hk_status hk_deck_add_print(deck *d, const hk_inp_line *line, bool elements,
                            const deck_names *names);
/* Adds those of the data lines; others are warned of. */
hk_status hk_deck_static_names(deck *d, const hk_inp_line *line, bool elements, deck_names *names);

/* deck/make.c: d->inp is finished and model->mesh set; fills the rest. Errors are reported. */
hk_status hk_deck_make(deck *d, hk_model *model);
/* deck/region.c */
hk_status hk_deck_make_regions(deck *d, hk_model *model);
/* step/print.c: refuses fields in local axes, where there are such. */
void hk_deck_check_local_fields(deck *d, const hk_model *model);
/* step/request.c: traces and frames of step s. */
hk_status hk_deck_make_outputs(deck *d, hk_model *model, int s);
/* Nodes that a label or set names, in all pieces of `scope`, into a pool. Empty after an error. */
hk_status hk_deck_nodes(deck *d, hk_pool *pool, const char *what, const deck_ref *on,
                        hk_target *out);
/* Like it, in the order of the deck, and again where they are listed again; `sorted`: in the order
 * that Abaqus takes for equations. */
hk_status hk_deck_listed_nodes(deck *d, hk_pool *pool, const char *what, const deck_ref *on,
                               bool sorted, hk_target *out);
/* deck/judge.c: errors for names that are not there, before the mesh is built. */
void hk_deck_judge(deck *d);
