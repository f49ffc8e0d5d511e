/* The discrete system of a model: matrices and vectors on the degrees of freedom of its nodes.
 *
 *  static steps, heat   K u = f             (transient heat: M u' + K u = f(t))
 *  explicit steps       M u'' + K u = f(t)     (without damping and absorbing boundaries)
 *  constraints          u = T w + offset,      w: the free degrees of freedom
 *
 * A static solution is u = T w + offset with  (T^T K T) w = T^T (f - K offset).
 * Degree of freedom  node * components + component  is a displacement, a temperature, an unknown of coupled equations or a fluid potential at a node of
 * hk_model_mesh, which includes the nodes inside edges, faces and elements of higher order. Nodes without elements have empty rows and no mass.
 * Units are those of the model. All vectors lie in host memory, in double precision.
 *
 *   hk_model_desc desc = {NULL};
 *   hk_model *model = NULL;
 *   hk_system *system = NULL;
 *   hk_matrix k = {0, 0, 0, NULL, NULL, NULL, NULL};
 *   desc.text = "mesh: {rectangle: {size: [2, 1], cells: 4}}\n"
 *               "materials: {steel: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
 *               "boundary: [{set: left, fix: [x, y]}, {set: right, traction: [1 kPa, 0]}]\n"
 *               "solve: {static: {}}\n";
 *   if (hk_model_create(&desc, NULL, &model) == HK_OK && hk_system_create(model, NULL, NULL, &system) == HK_OK &&
 *       hk_system_matrix(system, HK_MATRIX_ROWS, &k) == HK_OK)
 *     printf("%lld unknowns, %lld entries\n", (long long)k.rows, (long long)k.entries);
 *   hk_matrix_clear(&k);
 *   hk_system_destroy(&system);
 *   hk_model_destroy(&model);
 */
#ifndef HOOKE_SYSTEM_H
#define HOOKE_SYSTEM_H
#include <hooke/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_system hk_system;

typedef enum hk_matrix_kind {
  HK_MATRIX_ROWS,   /* K: one row per degree of freedom */
  HK_MATRIX_BLOCKS, /* K: one row per node, of blocks of components x components */
  HK_MATRIX_FREE    /* T^T K T: one row per free degree of freedom; dof[] lists them */
} hk_matrix_kind;

typedef struct hk_matrix { /* square, compressed sparse rows; owns its arrays */
  hk_count rows, entries;
  int size;            /* of the blocks: 1, or components */
  hk_count *row_start; /* row_start[rows + 1] */
  hk_index *column;    /* column[entries], ascending in a row */
  double *value;       /* value[entries][size][size], row-major */
  hk_index *dof;       /* FREE: dof[rows], ascending; else NULL */
} hk_matrix;

/* u[dof[i]] = offset[i] + sum of weight[k] u[master[k]], begin[i] <= k < begin[i + 1] */
typedef struct hk_held {
  hk_index count;
  const hk_index *dof;    /* dof[count], ascending; without masters its value is prescribed */
  const hk_index *begin;  /* begin[count + 1] */
  const hk_index *master; /* free ones */
  const double *weight, *offset;
} hk_held;

/* Creates the system of the model's first step; hk_system_take selects another one. `how` (may be NULL) gives device, toolkit, cache, threads, blocks,
 * the precision of products with K (default: double), and stop, progress and user for hk_system_solve. Model and list (may be NULL) are
 * borrowed and must outlive the system. K has the form that a run would use.
 * HK_BAD_INPUT, with all reasons in the list: models that a run would refuse, and a fluid beside a solid; other errors as hk_run. */
HK_API hk_status hk_system_create(const hk_model *model, const hk_run_desc *how, hk_messages *list,
                                  hk_system **out);
HK_API void hk_system_destroy(hk_system **system);

/* Frees the arrays; a matrix of zeros is empty. */
HK_API void hk_matrix_clear(hk_matrix *matrix);

HK_API const hk_mesh *hk_system_mesh(const hk_system *system); /* hk_model_mesh */
/* per node: dim, 1, or the number of coupled equations */
HK_API int hk_system_components(const hk_system *system);
HK_API hk_count hk_system_dofs(const hk_system *system);    /* nodes * components */
HK_API const char *hk_system_form(const hk_system *system); /* of K: "edges", "assembled", ... */
/* Whether K is symmetric: not where a material has a velocity. */
HK_API bool hk_system_symmetric(const hk_system *system);

/* Constraints; valid, like the load, until the next hk_system_take. */
HK_API hk_held hk_system_held(const hk_system *system);
/* f[dofs]. In explicit steps it is 0 at prescribed degrees of freedom. */
HK_API const double *hk_system_load(const hk_system *system);
/* dt of a run of this explicit step; 0 for other steps. */
HK_API double hk_system_time_step(const hk_system *system);

/* Selects a step, counted from 0: its constraints, its load and its film conditions, which are part of K. Static steps are taken at their end, transient heat at
 * `time` after the beginning of the step, explicit steps too and for their first shot; prescribed velocities and accelerations are summed as in a run.
 * HK_USAGE: there is no such step, or the step starts from the result of the one before it, which has not been solved. HK_BAD_INPUT as hk_run. After a
 * failure the system can only be destroyed, or set to another step. */
HK_API hk_status hk_system_take(hk_system *system, int step, double time);

/* ku[dofs] = K u[dofs] on the device; the arrays must not overlap. Bit-reproducible. */
HK_API hk_status hk_system_apply(hk_system *system, const double *u, double *ku);

/* K in rows, summed from element matrices in ascending order of elements; equal to hk_system_apply up to rounding. *out is overwritten.
 * HK_BAD_INPUT: explicit steps on elements of order p, whose K is not assembled. HK_NOT_CONVERGED (HK_MATRIX_FREE): a free degree of freedom
 * has no stiffness. */
HK_API hk_status hk_system_matrix(hk_system *system, hk_matrix_kind kind, hk_matrix *out);

/* m[dofs]: the lumped mass; for fluids volume / bulk modulus, for transient heat the lumped capacity. HK_BAD_INPUT: steady heat, a specific heat that varies,
 * materials without density, static steps on elements of order p. */
HK_API hk_status hk_system_mass(hk_system *system, double *m);

/* *omega: the largest frequency of K v = omega^2 M v, by iteration from below, to 1e-3. Central differences are stable up to dt = 2 / omega.
 * In explicit steps prescribed degrees of freedom are at rest; in static steps nothing is constrained. HK_BAD_INPUT as hk_system_mass;
 * HK_NOT_CONVERGED. */
HK_API hk_status hk_system_frequency(hk_system *system, double *omega);

/* b[dofs] = T^T (f - K offset): the right-hand side of the free matrix at its dof[], zero elsewhere. */
HK_API hk_status hk_system_right(hk_system *system, double *b);
/* u[dofs] = T w + offset, in place: computes the constrained degrees of freedom from the free ones. */
HK_API void hk_system_fill(const hk_system *system, double *u);

/* u[dofs]: the solution of the static or heat step, by the model's method and as hk_run finds it. Where constants depend on temperature K, f and b are
 * those of the temperatures that the iteration begins with, and afterwards those of the solution. HK_USAGE: an explicit
 * step; HK_BAD_INPUT: unconstrained rigid-body modes; HK_NOT_CONVERGED, HK_STOPPED. */
HK_API hk_status hk_system_solve(hk_system *system, double *u);

#ifdef __cplusplus
}
#endif
#endif
