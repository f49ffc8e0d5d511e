/* A static run in progress: K u = f, step by step. Steady heat conduction is one with one component per node: u are temperatures, f heat
 * per time, and faces that exchange heat add to K.
 *
 * A step's constraints give u = T w + offset. The solver is made for T alone and asked for
 *   T^T K (T w) = T^T (f - K offset),
 * so that it serves every step that holds the same degrees of freedom in the same way. */
#ifndef HK_RUN_STATIC_STATIC_H
#define HK_RUN_STATIC_STATIC_H
#include "load/constraints.h"
#include "run/estimate/predict.h"
#include "operator/operator.h"
#include "run/session/session.h"
#include "result/field_file.h"
#include "result/static_file.h"
#include "physics/words.h"
#include "solver/linear/linear.h"

typedef struct hk_static_result { /* of a step, for run.json */
  char method[64];
  int iterations;
  double damping;                /* of Jacobi's steps; 0: there were none */
  double error;                  /* of u, relative to the largest, estimated; 0: exact */
  double residual, strain, work; /* strain = u.K u / 2, work = f.u / 2 */
  double load[3], reaction[3];   /* sums of f and of K u - f */
  double most, most_force;       /* largest displacement; component of f or K u - f on a node */
  bool done;
} hk_static_result;

typedef struct hk_static {
  hk_session *session; /* borrowed */
  const hk_model *model;
  hk_messages *list;
  hk_device *device;
  const hk_operator_kind *kind;
  hk_space *space;
  hk_operator *op;
  bool double_precision;
  bool heat;
  int components;                    /* of a node: dim, or 1 */
  hk_exchange *exchange, *assembled; /* faces of films: of the step, ascending by element; in K */
  hk_count exchange_count, assembled_count;
  hk_count dofs;   /* padded * components */
  double *x;       /* x[padded][dim] */
  hk_index *extra; /* extra[extra_count]: nodes without an element that equations name, ascending */
  hk_count extra_count;
  bool open_told;              /* that equations leave one of them open */
  hk_constraints held, extras; /* of the step; extras: of the degrees of freedom from dofs on */
  hk_constraints
      lead; /* what follows which held one by equations (hk_constraints_lead); none: empty */
  hk_constraints solved; /* what `linear` was made for */
  hk_linear *linear;
  bool probed;             /* `linear` has no mechanism */
  hk_null_modes mechanism; /* that ended the run; none: count 0 */
  hk_linear_report report; /* of the step */
  double *f, *u, *ku;      /* [dofs + extra_count * components] */
  double *
      extra_load; /* [extra_count * components]: loads on extra nodes that are prescribed themselves */
  double *right; /* right[dofs] */
  hk_buffer *in, *out;
  double total_time;        /* at the step's end */
  int step, next;           /* that is held and loaded; the next one of a run */
  hk_static_result *result; /* result[step_count] */
  hk_count bytes;           /* of the solver */
  double *
      history; /* residuals of all steps, one after the other; begin: history_begin[step_count + 1] */
  hk_count history_count, history_room;
  hk_count *history_begin;
  /* results in mesh order: [node_count][components], or [node_count][tensor] */
  int tensor; /* components of stress: 6, or 4 in 2D; heat: of the flux, dim. strain: NULL */
  double *displacement, *reaction, *internal, *stress, *strain; /* internal: K u */
  bool printed;                                                 /* NAME.dat was begun */
  hk_static_layout layout;
  char force_unit[HK_UNIT_TEXT], stress_unit[HK_UNIT_TEXT], energy_unit[HK_UNIT_TEXT];
  hk_static_file *file;
  hk_field_layout fields;
  double *frame_time;
  float *frame;
  hk_field_file *field_file;
} hk_static;

/* Checks the model, opens the device, numbers the nodes. HK_BAD_INPUT with all reasons in the list. */
hk_status hk_static_prepare(hk_static *s);
/* Room for the vectors of the host. */
hk_status hk_static_vectors(hk_static *s);
/* K, unless it is that of the step already. HK_NO_RESOURCES with what is needed and free. */
hk_status hk_static_assemble(hk_static *s);
void hk_static_clear(hk_static *s);
/* The form of K for a mesh on s->device, as the model asks. */
hk_status hk_static_form(const hk_static *s, const hk_mesh *mesh, const hk_operator_kind **kind);
/* A form of hk_device_desc.validate for a hk_static: K of the model's first elements is what the host's is. */
hk_status hk_static_validation(hk_device *device, void *user);
/* Bytes of K; and with them those of the vectors. K in rows is counted row by row where `exact`, else by means of its shapes (operator/assembly/assembled.h).
 * HK_NO_RESOURCES. */
hk_status hk_static_plan(const hk_static *s, bool exact, hk_count *k, hk_count *all);

/* held, extras and exchange of a step. HK_BAD_INPUT where they contradict each other. */
hk_status hk_static_hold(hk_static *s, int step, double start);
/* HK_BAD_INPUT, with how many and where, when rigid-body modes are left free. */
hk_status hk_static_check_rigid(const hk_static *s);
/* Of displacements: a warning where parts that meet in an edge or a node alone can turn there; whether it was given. */
hk_status hk_static_check_joints(const hk_static *s, bool *told);
/* HK_BAD_INPUT, with where, when a law by formulas has no value or one that no material has. */
hk_status hk_static_check_laws(const hk_static *s);
/* f of a step whose constraints are known. */
hk_status hk_static_load(hk_static *s, int step, double start);
/* u of the step, with K u, energies and sums in its result. */
hk_status hk_static_solve(hk_static *s);

/* HK_NOT_CONVERGED, with how many, the nodes and directions that move most, when the step's matrix has null vectors; once per solver. */
hk_status hk_static_probe(hk_static *s);
/* After a step that ended so: in place of HK_NOT_CONVERGED's words those about the mechanism, where there is one. Returns `ended`, or
 * HK_STOPPED. */
hk_status hk_static_name_mechanism(hk_static *s, hk_status ended);
/* Its modes as files of the result folder, with their pictures and the report; nothing where there is none. */
#define HK_MECHANISM_FIELD "field_mechanism"
hk_status hk_static_show_mechanism(const hk_static *s);
/* [{node, direction}, ...] of its modes. */
struct json_t *hk_static_mechanisms(const hk_static *s);
/* Whether the caller wants the run to stop; user: hk_static. */
bool hk_static_wants_to_stop(void *user);

/* heat[dofs] += integral of N h T over the faces of films, h T_sink left out, and of N beta T over elements with a reaction. */
void hk_static_exchanged(const hk_static *s, double *heat);

/* Files: opened for all steps; what the step gave. */
hk_status hk_static_open(hk_static *s);
hk_status hk_static_write(hk_static *s);
hk_status hk_static_close(hk_static *s);
/* Whether NAME.dat, where something is printed, may be written: HK_NOT_WRITABLE where it is a file of the user's. */
hk_status hk_static_print_ready(const hk_static *s);
/* The same of the pictures of the steps. */
hk_status hk_static_pictures_ready(const hk_static *s);
/* Appends the step's prints to NAME.dat. */
hk_status hk_static_print(hk_static *s);
/* Bytes of the files. */
hk_count hk_static_disk(const hk_static *s);
/* run.json as text; owned by the caller. */
hk_status hk_static_summary(const void *run, char **json);

/* Bytes of K, k in this model, on a mesh of so many times the nodes. */
double hk_static_grow(const hk_static *s, hk_count k, double nodes);

/* Whether the steps are static ones, or steady heat conduction. */
bool hk_model_is_static(const hk_model *model);
/* hk_check of such models. growth: of the larger model that this one is a sample of; memory, disk and seconds are that one's, estimated. NULL: the model itself. */
hk_status hk_static_predict(const hk_model *model, const hk_run_desc *desc, const hk_growth *growth,
                            hk_messages *list, char **json);
#endif
