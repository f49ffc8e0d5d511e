/* The model: what a deck or a case file says, in one form. Readers fill it, hk_run and hk_check
 * consume it.
 *
 * Everything is in the numbers of the mesh (0-based nodes and elements) and in the file's own
 * consistent units; `units` says what those are called ("" in a deck). Every item keeps the place
 * it came from, for messages. */
#pragma once
#include <hooke/model.h>
#include "base/base.h"
#include "base/units.h"
#include "load/signal.h"
#include "load/wave/wave.h"
#include "mesh/crack.h"
#include "mesh/mesh.h"
#include "physics/material.h"
#include "physics/spring.h"

/* Nodes, elements or faces that an item acts on: copies, so that sets may change between steps. */
typedef struct hk_target {
  hk_count count;
  hk_index *item; /* item[count]; items of a model may share an array */
  uint8_t *face;  /* face[count] or NULL */
} hk_target;

/* What an item acts on where a model has fluids: of a fluid node the unknown is a velocity potential q, with
 * p = -dq/dt and velocity grad q / density. */
typedef enum hk_medium { HK_SOLID, HK_FLUID } hk_medium;

typedef enum hk_load_kind {
  HK_LOAD_FORCE,    /* vector on each node of the target (nodes) */
  HK_LOAD_POINT,    /* vector at the point `at`, by shape functions */
  HK_LOAD_PRESSURE, /* vector[0] on faces, positive into the body */
  HK_LOAD_TRACTION, /* vector per area on faces */
  HK_LOAD_BODY,     /* vector per volume on elements */
  HK_LOAD_TOTAL,    /* vector in all, on faces by their area or on elements by their volume */
  HK_LOAD_GRAVITY,  /* acceleration vector on elements: density times it per volume */
  HK_LOAD_FLUX, /* of `component`: vector[0] per area on faces, into the body; forces are heat on nodes or at a point, vector[0] */
  HK_LOAD_HEAT, /* vector[0] per volume on elements */
  HK_LOAD_FILM, /* on faces: `film` times (T - vector[0]) per area leaves the body, T the unknown `component` */
  HK_LOAD_CENTRIFUGAL, /* on elements: density times omega2 times the distance vector from the axis
                         through `at` along the unit vector `vector`, per volume; static steps */
  HK_LOAD_PLANE_WAVE /* comes into the elements of the target (none: chosen by run/acts/inject.c) */
} hk_load_kind;

typedef struct hk_load { /* F(t) += pattern * signal(t - start - delay) */
  hk_load_kind kind;
  hk_medium medium; /* FLUID: FORCE and POINT, -vector[0] is the volume per time that enters */
  hk_target target;
  double at[3];
  double vector[3];
  double
      *vectors; /* FORCE: vectors[target.count][3], each node's own instead of `vector`; or NULL */
  /* POINT: moment[3][3], row by row, in place of the vector: F_a = moment . grad N_a at the point; or NULL */
  const double *moment;
  const hk_plane_wave *wave; /* PLANE_WAVE: with the signal of its displacement; else NULL */
  double omega2;             /* CENTRIFUGAL: angular velocity squared */
  int component;             /* FLUX, HEAT, FILM: of coupled equations, the equation; else 0 */
  /* FLUX, HEAT, FILM: vector[0] times this at each point; of hk_model.formula; or NULL */
  const hk_formula *by;
  double film;               /* FILM: heat per area and temperature, */
  const hk_formula *film_by; /* times this at each point; or NULL */
  int film_signal;           /* times this at the end of the step; -1: constant */
  bool film_total;           /* its time runs as total_time says */
  int signal;                /* index in hk_model.signal; -1: constant 1 from the step's start */
  double delay;              /* s, all nodes */
  double *delays;            /* delays[target.count], added to delay; or NULL */
  bool total_time; /* the signal's time runs from the start of the model, not of the step */
  hk_place place;
} hk_load;

typedef enum hk_motion_kind {
  HK_MOVE_DISPLACEMENT,
  HK_MOVE_VELOCITY,
  HK_MOVE_ACCELERATION
} hk_motion_kind;

typedef struct hk_motion { /* component c of the nodes follows value * signal(t - delay); value 0:
                              fixed */
  hk_motion_kind kind;
  hk_medium medium; /* FLUID: component 0 of the potential */
  hk_target target; /* nodes; empty with `has_point` */
  bool has_point;
  double at[3];
  double direction[3]; /* has_point or direction given: motion along this unit vector; else by
                          component */
  int component;       /* 0, 1, 2; -1: along `direction`, or `directions` where not NULL */
  double *directions;  /* directions[target.count][3]: unit vector of each node; or NULL */
  double value;
  double *values; /* values[target.count], each node's own instead of `value`; or NULL */
  bool frozen; /* static: held where the step before the one that gave it has ended; `value` is 0 */
  /* transient heat: linearly over the step, from the temperature at its beginning to `value` */
  bool grows;
  int signal; /* -1: constant from the step's start */
  double delay;
  double *delays;
  bool total_time;
  hk_place place;
} hk_motion;

typedef struct hk_initial { /* at t = 0 */
  hk_motion_kind kind;      /* displacement or velocity */
  hk_medium medium;         /* FLUID: velocity, -p */
  hk_target target;
  int component;
  double value;
  double *values; /* values[target.count]; or NULL */
  hk_place place;
} hk_initial;

typedef enum hk_absorb_kind { HK_ABSORB_LAYER, HK_ABSORB_STACEY, HK_ABSORB_PML } hk_absorb_kind;

/* stacey: load/absorb/stacey.h; pml: load/absorb/pml.h; layer: C = d M, d = d_max (x / L)^3, x the depth into the layer that begins L from the faces. */
typedef struct hk_absorb {
  hk_absorb_kind kind;
  hk_target target; /* faces or (face == NULL; layer) nodes */
  double thickness; /* L; <= 0: chosen */
  double d_max;     /* 1/s; <= 0: chosen from wave speed and L */
  hk_place place;
} hk_absorb;

typedef enum hk_quantity {
  HK_DISPLACEMENT,
  HK_VELOCITY,
  HK_ACCELERATION,
  HK_STRESS,
  HK_STRAIN,
  HK_REACTION,
  HK_TEMPERATURES,
  HK_HEAT_FLUX,
  HK_PRESSURE,    /* of fluids */
  HK_DIVERGENCE,  /* of the displacement of solids */
  HK_ROTATION,    /* half its curl */
  HK_STRAIN_RATE, /* of traces */
  HK_QUANTITY_COUNT
} hk_quantity;
const char *hk_quantity_name(hk_quantity quantity); /* "displacement", ... */

/* A cable that measures its strain over gauge lengths (distributed acoustic sensing): channel i is the mean over the straight pieces
 * begin[i] .. begin[i + 1), end[piece][2][3], of a length `gauge` in all. */
typedef struct hk_fibre {
  double gauge;
  hk_count *begin;
  double (*end)[2][3];
} hk_fibre;

typedef struct hk_trace_request {
  const char *name;
  hk_target target;     /* nodes */
  hk_count point_count; /* or points: at[point_count][3] */
  double *at;
  const hk_fibre *fibre; /* whose channels have their middles at the points; NULL: none */
  unsigned quantities;   /* bit set: 1u << hk_quantity */
  double interval;       /* time between samples; 0: by `every` */
  hk_count every;        /* steps between samples; 0 or 1: each step */
  hk_place place;
} hk_trace_request;

/* What the pictures of the run show (hk_picture_desc); zeroed: hooke chooses. */
typedef struct hk_picture_request {
  const char *quantity, *component, *section; /* NULL: none is named */
  double range[2];                            /* both 0: of the frames */
  double decibels, scale;                     /* 0: none */
} hk_picture_request;

typedef struct hk_field_request {
  unsigned quantities; /* 0: no frames */
  hk_count frames;     /* equally spaced, t = 0 aside; 0: by interval */
  bool asked;          /* their number was given */
  double interval;
  hk_count time_count; /* *TIME POINTS: times[time_count] */
  double *times;
  int shot_count; /* with shots: frames of shot[shot_count] alone, ascending, from 0 */
  int *shot;
  hk_place place;
} hk_field_request;

enum {
  HK_MOST_TABLES = 16,  /* of a request */
  HK_MECHANICAL = 0x80, /* beside HK_STRAIN: headed mechanical, which all strain is here */
};

/* numbers printed at the end of a static step, or of increments of a transient one (.dat) */
typedef struct hk_print_request {
  bool elements; /* at integration points of elements; else at nodes */
  hk_target target;
  uint8_t table[HK_MOST_TABLES]; /* table[tables]: hk_quantity (| HK_MECHANICAL), in order */
  int tables;
  bool totals; /* the sum over the target too */
  bool only_totals;
  bool local;      /* in the nodes' axes (`axes`), or in those of the elements' regions */
  double *axes;    /* nodes: axes[target.count][3][3], rows are the local axes; NULL: global ones */
  uint8_t *marked; /* nodes: marked[target.count], 1: its row ends in L, for local; NULL: none */
  const char *set; /* its name in the deck */
  hk_count every;  /* transient heat: increments between tables; 0: those of frames */
  hk_place place;
} hk_print_request;
/* Adds to table[count] those of the quantities (bits 1u << hk_quantity) that it lacks. */
void hk_print_tables(unsigned quantities, uint8_t table[HK_MOST_TABLES], int *count);

typedef struct hk_equation { /* sum of coefficient[i] u[node[i]][component[i]] = value */
  int terms;
  hk_index *node;
  uint8_t *component;
  double *coefficient;
  double value;
  hk_place place;
} hk_equation;

typedef struct hk_static_how { /* how static steps are solved; "" is "auto", 0 the default */
  char method[16];             /* auto, or a name of solver/linear/list.h */
  char preconditioner[16];     /* auto, jacobi, block-jacobi, chebyshev, multigrid */
  char relaxation[16];         /* of femses: auto, jacobi, chebyshev, conjugate, multigrid */
  char sweeps[16];             /* of femses: auto, single */
  char stop[16];               /* of femses: residual, change */
  double tolerance;            /* of the relative residual, or change */
  bool newton;                 /* Newton's method instead of Picard's iteration */
  double nonlinear_tolerance;  /* of residual and change of the nonlinear iteration; 0: chosen */
  int nonlinear_iterations;
  int iterations;
  char form[16];      /* auto, or a name of operator/list.h */
  char library[16];   /* of factors: auto, or a name of solver/linear/direct/factor.h */
  char ordering[16];  /* of sparse factors: auto, metis, rcm, natural */
  char options[1024]; /* of petsc */
} hk_static_how;

typedef struct hk_shot { /* what acts in it, besides what acts in every shot of the step */
  hk_load *load;
  hk_motion *motion;
  int load_count, motion_count;
} hk_shot;

/* HEAT: conduction; motions of component 0 are temperatures, forces are heat. COUPLED: coupled equations; component b is unknown b. */
typedef enum hk_step_kind {
  HK_STEP_EXPLICIT,
  HK_STEP_STATIC,
  HK_STEP_HEAT,
  HK_STEP_COUPLED
} hk_step_kind;

typedef struct hk_step {
  hk_step_kind kind; /* STATIC: loads and motions by their value at the step's end */
  double duration;
  double dt; /* 0: chosen */
  /* HEAT: of the implicit steps of dt, 1/2 (Crank-Nicolson) to 1 (backward Euler); 0: steady */
  double theta;
  bool lumped; /* with the lumped capacity (E.12) instead of the consistent one */
  hk_load *load;
  hk_motion *motion; /* fixed ones included */
  /* all that act in this step: persisting ones are repeated by the reader */
  int load_count, motion_count;
  hk_shot *shot; /* the same step, once for each of shot[shot_count]; 0: once, no shots */
  int shot_count;
  int shots_at_once; /* 0: chosen */
  hk_trace_request *trace;
  int trace_count;
  hk_print_request *print; /* of static steps */
  int print_count;
  hk_field_request field;
  hk_picture_request picture;
  unsigned peaks; /* quantities whose largest values over time are kept */
  hk_place place;
} hk_step;

/* What acts in every shot of the step. */
static inline hk_shot hk_step_acts(const hk_step *step)
{
  return (hk_shot){step->load, step->motion, step->load_count, step->motion_count};
}

typedef struct hk_units { /* names for `unit` attributes; "" in a deck */
  char length[16], mass[16], time[16], temperature[16];
  double si[4]; /* SI value of one unit of each; 1 in a deck */
} hk_units;
/* hk_unit_name in these units: out[HK_UNIT_TEXT] */
void hk_units_name(const hk_units *units, hk_dimension dimension, char *out);

/* What becomes of the error of phase of central differences; AUTO: removed from traces of elements of order 2 and above. */
typedef enum hk_time_dispersion {
  HK_DISPERSION_AUTO,
  HK_DISPERSION_REMOVE,
  HK_DISPERSION_KEEP
} hk_time_dispersion;

/* Damping of all materials, and where a model with fluids has which medium. */
typedef struct hk_media {
  double mass_damping; /* added to each material's own, 1/s */
  bool *fluid;         /* fluid[node]: of an element of a fluid; NULL: there is none */
  bool solid;          /* with fluids: some element is of a solid */
  hk_crack_face *fsi;  /* fsi[fsi_count]: where elements of both meet; they share no nodes */
  hk_count fsi_count;
} hk_media;

enum { HK_NAME_TEXT = 32 }; /* of a name and its end */
typedef struct hk_names {   /* of the unknowns of coupled equations */
  int count;
  const char *name[HK_MOST_EQUATIONS];
} hk_names;

typedef struct hk_solve { /* how steps are solved */
  hk_names unknown;       /* of steps COUPLED */
  hk_static_how how;      /* static ones and heat conduction */
  char method[24];        /* solve.explicit.method: "auto" or a name of operator/list.h */
  hk_time_dispersion time_dispersion;
  hk_place orders; /* what gives element sets orders of their own */
} hk_solve;

typedef struct hk_reading { /* what hk_model_create took */
  hk_clock clock;           /* seconds by stages */
  hk_count memory;          /* most bytes held at any time, beside those before */
} hk_reading;

struct hk_model {
  hk_pool pool; /* holds the arrays and texts of the model; the mesh, media.fsi, spring.at and the
                   formulas are freed apart */
  const char *title, *path;
  HK_LIST(const char *) file; /* every file read; hk_place.file is one of these texts */
  hk_units units;
  hk_mesh *mesh;
  hk_region *region;
  int region_count;
  hk_index *element_region; /* element_region[element]; -1: none (an error by the time the model is
                              returned) */
  hk_media media;
  HK_LIST(hk_signal) signal;
  HK_LIST(hk_formula *) formula; /* what loads and materials borrow */
  HK_LIST(hk_spatial *) field;   /* what formulas borrow, by names of the file */
  HK_LIST(hk_initial) initial;
  HK_LIST(hk_absorb) absorb;
  HK_LIST(hk_equation) equation;
  struct {
    hk_spring *at;
    hk_count count;
  } spring; /* between the sides of cracks */
  hk_solve solve;
  hk_step *step;
  int step_count;
  const hk_reading *read; /* NULL: not made by hk_model_create */
};

/* A model without a mesh, of the file `path`, solved as by "auto". */
hk_status hk_model_begin(const char *path, hk_model **out);

/* complete.c: HK_BAD_INPUT, with all reasons in the list, where elements have no material, or one without what the first step's kind needs. */
hk_status hk_model_check_regions(const hk_model *model, hk_messages *list);

/* How many elements have no region; *first is the first of them. */
hk_count hk_model_bare(const hk_model *model, hk_count *first);
/* Regions that the file names; those behind them are of these names too, with other constants of a field (hk_region.spread). */
int hk_model_named_regions(const hk_model *model);
/* Of these the one whose name the region has. */
static inline int hk_model_named(const hk_model *model, int region)
{
  return model->region[region].spread ? model->region[region].spread - 1 : region;
}
/* The regions that the file names, where there are not more than HK_MOST_REGIONS. */
hk_mesh_regions hk_model_regions(const hk_model *model);
/* Least and largest wave speed of all regions of a name; 0 where none has waves. */
void hk_model_speeds(const hk_model *model, int named, double *slowest, double *fastest);
/* The material of an element of the target that has no density above 0; NULL: there is none. */
const hk_material *hk_model_weightless(const hk_model *model, const hk_target *target);
/* x[3] of a node; what 2D lacks is 0. */
void hk_model_node_x(const hk_model *model, hk_count node, double x[3]);
/* Whether some step is of transient heat. */
bool hk_model_marches(const hk_model *model);
/* The time at which a step begins: the sum of the durations before it. */
double hk_model_step_start(const hk_model *model, int step);

/* Finds `media.fluid` and `media.solid` from the regions. */
hk_status hk_model_find_media(hk_model *model);
/* Whether an item of that medium acts on the node. */
static inline bool hk_model_acts(const hk_model *model, hk_medium medium, hk_count node)
{
  return (model->media.fluid && model->media.fluid[node]) == (medium == HK_FLUID);
}
/* Whether waves run in a material: its density and its law are given. */
static inline bool hk_material_waves(const hk_material *m)
{
  return (m->elastic || m->fluid) && m->density > 0;
}

/* add.c: one more item of a list, *out, which holds until the next; what is not named is 0. A load's `film_signal` is -1. */
hk_status hk_step_add_load(hk_model *model, hk_step *step, hk_load_kind kind, int signal,
                           hk_place place, hk_load **out);
hk_status hk_step_add_motion(hk_model *model, hk_step *step, hk_motion_kind kind, int signal,
                             hk_place place, hk_motion **out);
hk_status hk_model_add_initial(hk_model *model, hk_motion_kind kind, hk_place place,
                               hk_initial **out);
hk_status hk_model_add_absorb(hk_model *model, hk_absorb_kind kind, hk_place place,
                              hk_absorb **out);
/* With room for so many terms. */
hk_status hk_model_add_equation(hk_model *model, hk_count terms, hk_place place, hk_equation **out);
hk_status hk_model_add_file(hk_model *model, const char *path);
/* A copy of the signal, of that number. */
hk_status hk_model_add_signal(hk_model *model, const hk_signal *signal, int *number);
/* The formula of a text; warm: T may be in it. HK_BAD_INPUT: it is none. */
hk_status hk_model_add_formula(hk_model *model, const char *text, bool warm,
                               const hk_formula **out);
/* The same with these fields instead of the model's. */
hk_status hk_model_add_formula_with(hk_model *model, const char *text, bool warm,
                                    const hk_spatials *fields, const hk_formula **out);

/* target.c: targets whose arrays lie in a pool: a copy, the members of a set, and all of 0 .. count - 1. */
hk_status hk_target_copy(hk_pool *pool, const hk_target *from, hk_target *to);
hk_status hk_target_of_set(hk_pool *pool, const hk_set *set, hk_target *to);
hk_status hk_target_all(hk_pool *pool, hk_count count, hk_target *to);

/* Adds an error at `place` (in the model's own file where it names none) to `list`, keeps
 * "file:line: words" for hk_error(), and returns `code`. */
hk_status hk_model_error(const hk_model *model, hk_messages *list, hk_place place, hk_status code,
                         const char *format, ...) HK_PRINTF(5, 6);

/* 2D models whose materials would move them, or carry heat, across their plane. */

/* The reason, to stand behind "material NAME", in *words (the caller frees it): NULL of 3D models and where the plane is enough. Of a region that
 * varies each element of element[count] is looked at in its middle. */
hk_status hk_plane_left(const hk_mesh *mesh, const hk_region *region, hk_count count,
                        const hk_index *element, bool heat, char **words);

/* Whether its elements are those of a body of revolution; all of them are, or none. */
bool hk_model_is_axisymmetric(const hk_model *model);
/* Whether it moves across its plane alone: explicit steps then have one unknown per node, u_z. All of its regions do, or none. */
bool hk_model_is_antiplane(const hk_model *model);
/* Whether it moves in its plane and across it: three unknowns per node. All of its regions do, or none. */
bool hk_model_is_spatial(const hk_model *model);
/* Components of vectors that are recorded at nodes: those of the mesh, z alone, or all three. */
static inline int hk_model_vector(const hk_model *model)
{
  return hk_model_is_antiplane(model) ? 1 : hk_model_is_spatial(model) ? 3 : model->mesh->dim;
}
/* plane.c: explicit steps of elements of order p of a spatial model have their stiffness at the points of their masses. */
void hk_model_complete_spatial(hk_model *model);
/* axisymmetric.c: of a model with axisymmetric regions, looks for what axisymmetry does not support and nodes at r < 0, and holds u_r of the
 * nodes on the axis in each step of displacements, with a note. HK_BAD_INPUT with messages. Of other models: nothing. */
hk_status hk_model_complete_axisymmetric(hk_model *model, hk_messages *list);
