/* A static run in progress: K u = f, step by step. Heat conduction is one with one component per node: u are temperatures, f heat
 * per time, and faces that exchange heat add to K. Transient steps of heat are many such solutions (transient.c).
 *
 * A step's constraints give u = T w + offset. The solver is made for T alone and asked for
 *   T^T K (T w) = T^T (f - K offset),
 * so that it serves every step that holds the same degrees of freedom in the same way. Methods with a dense matrix are made for the first
 * step's offset too, and asked for T^T K (T w + first offset) = T^T (f - K (offset - first offset)). */
#pragma once
#include "load/constraints.h"
#include "load/rows.h"
#include "operator/assembly/assembled.h"
#include "result/field_file.h"
#include "run/acts/acts.h"
#include "run/estimate/estimate.h"
#include "run/session/discretisation.h"
#include "run/session/times.h"
#include "run/session/session.h"
#include "result/static_file.h"
#include "physics/words.h"
#include "solver/linear/linear.h"

struct hk_case_sample;
struct json_t;

typedef struct hk_static_result { /* of a step, for run.json */
  char method[64];
  int iterations;
  double change;                 /* of the last step, where it ended the iteration; else 0 */
  double damping;                /* of Jacobi's steps; 0: there were none */
  double error;                  /* of u, relative to the largest, estimated; 0: exact */
  double residual, strain, work; /* strain = u.K u / 2, work = f.u / 2 */
  double load[HK_MOST_EQUATIONS], reaction[HK_MOST_EQUATIONS]; /* sums of f and of K u - f */
  double most, most_force; /* largest displacement; component of f or K u - f on a node */
  int passes;              /* of the nonlinear iteration; 0: it is linear */
  double open, moved;      /* its last residual and change, relative */
  bool done;
} hk_static_result;

/* without an element, which equations name; their degrees of freedom follow those of the space */
typedef struct hk_extra_nodes {
  hk_index *node; /* node[count], ascending */
  hk_count count;
  double *load; /* load[count * components]: on those that are prescribed themselves */
  bool told;    /* that equations leave one of them open */
} hk_extra_nodes;

typedef struct hk_films { /* faces that exchange heat, ascending by element and face */
  hk_exchange *face;
  hk_count count;
} hk_films;

typedef struct hk_static_feedback { /* a face or element of a load that depends on temperature */
  hk_feedback entry;
  const hk_load *load;
} hk_static_feedback;

/* of Newton's method, ascending by element; entry[count], of[count] */
typedef struct hk_feedbacks {
  hk_feedback *entry;
  const hk_static_feedback *of;
  hk_count count;
} hk_feedbacks;

typedef struct hk_step_constraints { /* u = T w + offset of a step */
  hk_constraints own;                /* of the nodes of elements */
  hk_constraints extras;             /* of the extra ones */
  /* what follows which held one by equations (hk_constraints_lead); none: empty */
  hk_constraints lead;
} hk_step_constraints;

/* of all steps that hold the same degrees of freedom in the same way */
typedef struct hk_step_solver {
  hk_linear *linear;
  hk_constraints made_for;
  bool probed;             /* it has no mechanism */
  hk_null_modes mechanism; /* that ended the run; none: count 0 */
  hk_linear_report report; /* of the step */
  hk_count bytes;
  HK_LIST(double) residual; /* of all steps, one after the other; */
  hk_count *begin;          /* begin[step_count + 1] */
} hk_step_solver;

typedef struct hk_step_vectors { /* in internal order */
  hk_count dofs, all;            /* of the space; with extra nodes */
  double *f, *u, *ku;            /* [all] */
  double *right;                 /* [dofs] */
} hk_step_vectors;

typedef struct hk_static_frame { /* results that are written */
  int step;
  hk_count increment; /* of a transient step, from 1; else 1 */
  double time;        /* of the model */
} hk_static_frame;

typedef struct hk_static_frames {
  hk_static_frame *at; /* at[count]: the end of each step, and what is due before it */
  hk_count count, now; /* now: that is computed */
} hk_static_frames;

typedef struct hk_static_trace { /* temperatures of a request over time */
  const hk_trace_request *request;
  int step;
  hk_rows rows;
  hk_count every, samples; /* increments between samples; that there are */
  hk_count taken, written;
  double *value; /* value[receivers][samples] */
} hk_static_trace;

typedef struct hk_static_traces {
  hk_static_trace *at; /* at[count] */
  int count;
} hk_static_traces;

typedef struct hk_heat_sums { /* over time, of what the run has computed */
  bool counted;               /* there was a transient step */
  double stored;              /* integral of rho c dT */
  double supplied, exchanged; /* by loads; through films and by reactions, out of the body */
  double held;                /* in, where temperatures are prescribed */
} hk_heat_sums;

typedef struct hk_transient { /* of heat; t alone without transient steps */
  hk_region *region,
      *alone;  /* region[..] of the model, with M / (theta dt) as a reaction; that alone */
  double in_k; /* 1 / (theta dt) that K contains; 0: none */
  bool lumped; /* so M is in K */
  bool stores; /* the specific heat depends on temperature */
  hk_operator *capacity; /* M / (theta dt) */
  bool stands;           /* transient steps are taken at a time, at, as if they were steady */
  double at;
  hk_count increment; /* of the step that is held and loaded, from 1 */
  /* [dofs], nonlinear: temperatures of the last iteration, which K is made of; f of the step; the last change that a solution asked for */
  double *last, *load, *change;
  double *start;  /* [all]: temperatures at the beginning of the step */
  hk_warmth warm; /* of `last` */
  /* [dofs]: temperatures; of the increment M t0 and M (t - t0), over theta dt */
  double *t, *before, *rate;
  hk_heat_sums sums;
} hk_transient;

/* in mesh order: [node_count][components], or [node_count][tensor] */
typedef struct hk_nodal_results {
  double *displacement, *reaction, *internal; /* internal: K u */
  double *stress, *strain;                    /* of heat the flux, and NULL */
} hk_nodal_results;

/* Of each unknown of coupled equations. */
enum { HK_COUPLED_VALUE, HK_COUPLED_REACTION, HK_COUPLED_FLUX, HK_COUPLED_KINDS };

typedef struct hk_static_files {
  hk_static_file *run;
  hk_field_file *fields;
  hk_static_layout layout;
  hk_field_layout field_layout;
  double *frame_time; /* [step_count] */
  float *frame;       /* room for a field */
  bool printed;       /* NAME.dat was begun */
  char force_unit[HK_UNIT_TEXT], stress_unit[HK_UNIT_TEXT];
  const char *name[HK_MOST_EQUATIONS * HK_COUPLED_KINDS]; /* of coupled equations; of the pool */
} hk_static_files;

typedef struct hk_static {
  hk_session *session; /* borrowed */
  hk_discretisation on;
  hk_unknowns unknowns;
  int components; /* of a node: dim, or 1; of coupled equations their number */
  int tensor; /* of stress: 6, or 4 in 2D; of heat flux: dim; of coupled equations their number times dim */
  hk_pool pool; /* arrays that live as long as the run */
  hk_extra_nodes extra;
  hk_films films, in_k;  /* of the step; those that K contains */
  hk_feedbacks feedback; /* of all steps */
  hk_step_constraints held;
  hk_step_solver solver;
  hk_step_vectors vector;
  hk_nodal_results nodal;
  hk_static_files files;
  hk_transient time;
  hk_static_frames frames;
  hk_static_traces traces;
  hk_static_result *result; /* result[frames.count] */
  double total_time;        /* at the end of the step, or increment */
  int step;                 /* that is held and loaded */
} hk_static;

static inline bool hk_static_solid(const hk_static *s)
{
  return s->unknowns == HK_UNKNOWNS_DISPLACEMENTS;
}
static inline bool hk_static_heats(const hk_static *s)
{
  return s->unknowns == HK_UNKNOWNS_SCALAR;
}
static inline bool hk_static_coupled(const hk_static *s)
{
  return s->unknowns == HK_UNKNOWNS_COUPLED;
}

/* A run, or a system, of the session's model; to be prepared. */
hk_static hk_static_of(hk_session *session);
/* Checks the model, opens the device, numbers the nodes. HK_BAD_INPUT with all reasons in the list. */
hk_status hk_static_prepare(hk_static *s);
/* Room for the vectors of the host. */
hk_status hk_static_vectors(hk_static *s);
/* ranks.c. HK_BAD_INPUT on a rank of MPI that shares the rows of K and has another model than rank 0. */
hk_status hk_static_compare_ranks(const hk_static *s);
/* K, unless it is that of the step already. HK_NO_RESOURCES with what is needed and free. */
hk_status hk_static_assemble(hk_static *s);
void hk_static_clear(hk_static *s);
/* The form of K for a mesh on a device, as the model asks. */
hk_status hk_static_form(const hk_discretisation *on, int components, const hk_mesh *mesh,
                         const hk_operator_kind **kind);
/* A form of hk_device_desc.validate for a hk_static: K of the model's first elements is what the host's is. */
hk_status hk_static_validation(hk_device *device, void *user);
/* Bytes of K, of the whole mesh; and with those that this share of it has those of the vectors, which take memory with the first K. K in rows is
 * counted row by row where `exact`, else by means of its shapes (operator/assembly/assembled.h).
 * HK_NO_RESOURCES. */
hk_status hk_static_plan(const hk_static *s, bool exact, hk_assembled_room *k, hk_count *all);
/* The part of K that this share of the mesh has; 1 of the whole. */
double hk_static_share(const hk_static *s);
/* Bytes of a K like that of k, of the whole or of a share, on a mesh of so many times the nodes. */
double hk_static_grow(const hk_assembled_room *k, double share, double nodes);

/* trial.c. Bytes of the host that a part of the mesh tells of the whole. */
typedef struct hk_trial {
  double
      planned; /* of K of the part, those that it took over those of its plan; on a device with memory of its own 1 */
  double making;   /* while K is made, beside it */
  double beside_k; /* what K has on the host where a device with a memory of its own holds it */
  double creating; /* while the solver is made, beside K; of factors 0, which grow otherwise */
  double kept;     /* of that from then on */
  double checking, gathering; /* beside them, while errors are estimated, and stresses found */
  double library;             /* code and tables of PETSc; else 0 */
  /* of the device: the most while K is made, over the bytes of its plan; bytes of K then beyond them; what the solver takes beside it at most */
  double device_making, device_k, device_solving;
  bool failed; /* the part could not be solved: the others are 0, and a note of the list says why */
} hk_trial;
/* check.c. Whether the model is solved by factors. */
bool hk_static_factors(const hk_static *s);
/* Of a model with `nodes` times the nodes; k: that of this one, planned exactly. HK_STOPPED; HK_BAD_INPUT and HK_USAGE, which a run would end with too. */
hk_status hk_static_try(const hk_static *s, const hk_assembled_room *k, double nodes,
                        hk_trial *out);
/* solve.c. What a solver of K is made of, as the model asks. constraints: with which offsets it says itself. */
hk_linear_desc hk_static_solver(const hk_static *s, hk_operator *op,
                                const hk_constraints *constraints);

/* Constraints, films and extra nodes of step number `step`, which begins at `start`, at its end, or at that of its increment time.increment. HK_BAD_INPUT where they contradict each other. */
hk_status hk_static_hold(hk_static *s, int step, double start);
/* f of the step that is held. */
hk_status hk_static_load(hk_static *s, double start);
/* HK_BAD_INPUT, with how many and where, when rigid-body modes are left free. */
hk_status hk_static_check_rigid(const hk_static *s);
/* Of displacements: a warning where parts that meet in an edge or a node alone can turn there; whether it was given. */
hk_status hk_static_check_joints(const hk_static *s, bool *told);
/* Whether a model that hk_static_check_rigid has passed has no mechanism for certain: one piece of elements that share faces, none of them narrow, without
 * springs, of isotropic elastic materials of moderate contrast, of elements that have no motions without strain but rigid ones (all without reduced
 * integration but wedges of first order), whose supports hold it with arms that are not short. O(elements + constraints). HK_NO_RESOURCES. */
hk_status hk_static_is_firm(const hk_static *s, bool *yes);
/* HK_BAD_INPUT, with where, when a law by formulas has no value or one that no material has. */
hk_status hk_static_check_laws(const hk_static *s);

/* extra.c. Which nodes they are; a warning, once, where the rows of the step leave some open; their loads go where equations lead. */
hk_status hk_extra_find(const hk_discretisation *on, hk_pool *pool, hk_extra_nodes *extra);
hk_status hk_extra_tell_open(hk_static *s, const hk_constraint_rows *rows);
hk_status hk_extra_load(hk_static *s);

/* frames.c. Increments of a step, 1 of what is not transient, and the length of each; the frames of the run (s->frames). HK_BAD_INPUT where they
 * are more than can be stored. */
hk_count hk_static_increments(const hk_step *step);
double hk_static_dt(const hk_step *step);
/* Ends of the increments. */
hk_times hk_static_times(const hk_step *step);
hk_status hk_static_find_frames(hk_static *s);

/* theta of a step; 0 of steady ones, and where time stands. */
double hk_static_theta(const hk_static *s, int step);

/* transient.c. With M (t1 - t0) / dt + K t = f,  t = t0 + theta (t1 - t0), the solution is that of (K + M / (theta dt)) t = f + M t0 / (theta dt)
 * (A.21). 1 / (theta dt) of the step that is held; 0: it is steady. */
double hk_transient_storage(const hk_static *s);
/* Temperatures at t = 0, and regions with room for M. */
hk_status hk_transient_begin(hk_static *s);
/* K and M of the step: regions that K is made of, M / (theta dt) as an operator. */
hk_status hk_transient_take(hk_static *s);
hk_status hk_transient_make_capacity(hk_static *s);
/* f += M t0 / (theta dt), before the solution; f and K u without it, after it, and rate = M (t - t0) / (theta dt). */
hk_status hk_transient_store(hk_static *s);
hk_status hk_transient_release(hk_static *s);
/* t1 of the solution; sums. Of a steady step t = u. */
void hk_transient_advance(hk_static *s);
/* Stored heat that nothing brought, 0 but for errors of the solution; and a warning where it is more than 1e-3 of the largest sum. */
double hk_heat_open(const hk_heat_sums *sums);
void hk_transient_warn(const hk_static *s);
/* K u without the rate, in place. */
void hk_transient_conducted(hk_static *s);
void hk_transient_clear(hk_transient *time);

/* guess.c. Where the first step is steady: temperatures that the iteration begins with, the mean of those that are prescribed, so that formulas have a value. */
hk_status hk_static_guess(hk_static *s);
/* Where nothing holds the temperature at s->time.last, so that K is singular: a film of the step whose coefficient depends on temperature and is 0 on all its
 * faces. NULL: there is none, or another film, a reaction or a prescribed temperature holds it. *warm: whether a film depends on temperature. */
const hk_load *hk_static_idle_film(const hk_static *s, bool *warm);
/* s->time.last of a steady step where films depend on temperature: better ones in the first step where nothing is prescribed, and where K is singular. */
hk_status hk_static_guess_films(hk_static *s);

/* nonlinear.c. Whether constants of materials, sources or fluxes depend on temperature. u of the step or increment that is held and loaded, by Picard's
 * iteration (A.23) or Newton's (A.25): K and M are made anew of the last temperatures, `solve` gives the next, until residual and change are small.
 * HK_NOT_CONVERGED. */
bool hk_static_depends(const hk_static *s);
/* hk_linear_desc.aim of the equations that a nonlinear iteration solves, so that its changes can fall below its own tolerance; 0: it does not iterate. */
double hk_static_linear_aim(const hk_static *s);
hk_status hk_static_iterate(hk_static *s, hk_status (*solve)(hk_static *s));

/* traces.c. What traces read, and their layouts in run.h5 (of the pool); a sample after `increment` increments of the step; what is new to the file. */
hk_status hk_static_find_traces(hk_static *s);
hk_status hk_static_lay_out_traces(hk_static *s, hk_static_layout *layout);
void hk_static_sample(hk_static *s, hk_count increment);
hk_status hk_static_write_traces(hk_static *s);
void hk_static_clear_traces(hk_static *s);

/* films.c. The films of a step; whether two are the same; a copy. */
hk_status hk_films_find(const hk_acts_on *on, const hk_step *step, hk_films *films);
/* HK_BAD_INPUT where a coefficient that depends on temperature has no value, or one below 0, at the temperatures on->t. */
hk_status hk_films_check(const hk_acts_on *on, const hk_step *step);
bool hk_films_same(const hk_films *a, const hk_films *b);
hk_status hk_films_copy(const hk_films *from, hk_films *to);
/* Integral of h over the faces of films whose coefficient has this formula, at the temperatures t, in internal order. */
double hk_films_conductance(const hk_discretisation *on, const hk_films *films,
                            const hk_formula *by, const double *t);
/* heat[dofs] += integral of N h T over the faces of films, h T_sink left out, and of N beta T over elements with a reaction. T: in internal order. */
void hk_films_heat(const hk_discretisation *on, const hk_films *films, const double *t,
                   double *heat);

/* feedback.c. Loads that depend on temperature, of all steps, where Newton's method needs them; those of a step get their scales, others 0. */
hk_status hk_static_find_feedback(hk_static *s);
void hk_static_scale_feedback(hk_static *s, const hk_acts_on *on, const hk_step *step);

/* advection.c. Of heat: what streamline stabilisation adds to f of the step's heat in elements; heat[dofs] += what moving materials carry away of T, in
 * internal order; "advection" in *root where a material moves. */
void hk_static_load_advection(hk_static *s);
void hk_static_carried(const hk_static *s, const double *t, double *heat);
void hk_static_tell_advection(const hk_static *s, struct json_t *root);

/* coupled.c. HK_BAD_INPUT where nothing but its gradient is asked of an unknown in a connected part of the mesh. */
hk_status hk_static_check_determined(const hk_static *s);
/* flux[mesh node][N][dim] of nodal.displacement: means over the elements around a node. */
hk_status hk_static_coupled_fluxes(const hk_static *s, double *flux);
/* Names of the quantities; layouts of the files with them; what a frame has, into the files. */
hk_status hk_static_coupled_names(hk_static *s);
void hk_static_coupled_layout(const hk_static *s, hk_static_files *f);
hk_status hk_static_coupled_write(hk_static *s);

/* u of the step, with K u, energies and sums in its result. */
hk_status hk_static_solve(hk_static *s);
/* HK_NOT_CONVERGED, with how many, the nodes and directions that move most, when the step's matrix has null vectors; once per solver. */
hk_status hk_static_probe(hk_static *s);
/* output/sums.c. Adds energies, sums of f and K u - f, and the largest values of u, f and K u - f: NaN where there is one; the same bits with any number of threads. */
void hk_static_measure(const hk_static *s, hk_static_result *r);
/* load -= sums of flow[dofs]. */
void hk_static_unload(const hk_static *s, const double *flow, hk_static_result *r);
/* After a step that ended so: in place of HK_NOT_CONVERGED's words those about the mechanism, where there is one. Returns `ended`, or
 * HK_STOPPED. */
hk_status hk_static_name_mechanism(hk_static *s, hk_status ended);
/* Its modes as files of the result folder, with their pictures and the report; nothing where there is none. */
#define HK_MECHANISM_FIELD "field_mechanism"
hk_status hk_static_show_mechanism(void *run); /* hk_analysis.explain */
/* [{node, direction}, ...] of its modes. */
struct json_t *hk_static_mechanisms(const hk_static *s);
/* Whether the caller wants the run to stop; user: hk_static. */
bool hk_static_wants_to_stop(void *user);

/* files.c. Places of the quantities in run.h5 and the field file; heat has the first of each: temperature, reaction, flux. */
enum { HK_NODAL_DISPLACEMENT, HK_NODAL_REACTION, HK_NODAL_STRESS, HK_NODAL_STRAIN };
enum { HK_POINT_COORDINATES, HK_POINT_STRESS, HK_POINT_STRAIN, HK_POINT_QUANTITIES };
enum { HK_FIELD_DISPLACEMENT, HK_FIELD_REACTION, HK_FIELD_STRESS, HK_FIELD_MISES };
/* Opened for all steps; closed. */
hk_status hk_static_open(hk_static *s);
hk_status hk_static_close(hk_static_files *files);
/* HK_NOT_WRITABLE where a picture of the steps would overwrite a file of the user's. */
hk_status hk_static_pictures_ready(const hk_static *s);
hk_count hk_static_disk(const hk_static *s); /* bytes of the files */
double hk_static_room(const hk_static *s);   /* bytes of memory for them from their opening on */
double hk_static_points_room(const hk_static *s); /* and while results of points are computed */

/* What the step gave at nodes, in mesh order (nodal.c): the unknowns and reactions; stress and strain of the displacement, or flux. Then in the files (write.c). */
hk_status hk_static_gather(hk_static *s);
hk_status hk_static_means(hk_static *s);
hk_status hk_static_write(hk_static *s);
/* The integration rule of an element, and stress (heat: flux), strain (not of heat) and coordinates at its points: [points][tensor], [..][tensor],
 * [..][dim]. */
const hk_rule *hk_static_rule(const hk_static *s, hk_index e);
hk_status hk_static_points(const hk_static *s, hk_index e, double *stress, double *strain,
                           double *x);
/* Whether NAME.dat, where something is printed, may be written: HK_NOT_WRITABLE where it is a file of the user's. */
hk_status hk_static_print_ready(const hk_static *s);
/* Appends the step's prints to NAME.dat. */
hk_status hk_static_print(hk_static *s);

/* hk_analysis.summary, .check and .ahead. */
void hk_static_summary(const void *run, struct json_t *root);
hk_status hk_static_check(hk_session *session, struct json_t *root);
hk_status hk_static_ahead(hk_session *session, const hk_model_desc *of,
                          const struct hk_case_sample *sample, struct json_t *root, bool *complete);
