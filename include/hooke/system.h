/* The discrete system of a model: matrices and vectors on the degrees of freedom of its nodes.
 *
 *  static steps, heat   K u = f
 *  explicit steps       M u'' + K u = f(t)     (damping and boundaries that absorb are not part of it)
 *  what is held         u = T w + offset,      w: the free degrees of freedom
 *
 * so that a static solution is u = T w + offset with  (T^T K T) w = T^T (f - K offset).
 * Degree of freedom  node * components + component  is a displacement, a temperature, or the potential of a fluid, of a node of
 * hk_model_mesh (its nodes inside edges, faces and elements of higher orders too). Nodes of no element have empty rows, and no mass.
 * Units are the model's. All vectors are of the host, in double.
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
  HK_MATRIX_FREE    /* T^T K T: one row per free degree of freedom, of which dof[] is the list */
} hk_matrix_kind;

typedef struct hk_matrix { /* square, in compressed rows; everything is owned */
  hk_count rows, entries;
  int size;            /* of the blocks: 1, or components */
  hk_count *row_start; /* row_start[rows + 1] */
  hk_index *column;    /* column[entries], ascending in a row */
  double *value;       /* value[entries][size][size], row-major */
  hk_index *dof;       /* FREE: dof[rows], ascending; else NULL */
} hk_matrix;

typedef struct
    hk_held { /* u[dof[i]] = offset[i] + sum of weight[k] u[master[k]], begin[i] <= k < begin[i + 1] */
  hk_index count;
  const hk_index *dof; /* dof[count], ascending; a value is prescribed where there are no masters */
  const hk_index *begin;  /* begin[count + 1] */
  const hk_index *master; /* free ones */
  const double *weight, *offset;
} hk_held;

/* The system of the model's first step (hk_system_take). Of `how` (NULL: nothing given) device, toolkit, cache, precision (of the
 * products with K; double unless single is asked for), threads and blocks are taken, and stop, progress and user for
 * hk_system_solve. Model and list (may be NULL) are borrowed, and outlive the system. K is made in the form that a run would take.
 * HK_BAD_INPUT with all reasons in the list: what a run would refuse, and a fluid beside a solid; else as hk_run. */
HK_API hk_status hk_system_create(const hk_model *model, const hk_run_desc *how, hk_messages *list,
                                  hk_system **out);
HK_API void hk_system_destroy(hk_system **system);

/* Frees the arrays; a matrix of zeros is empty. */
HK_API void hk_matrix_clear(hk_matrix *matrix);

HK_API const hk_mesh *hk_system_mesh(const hk_system *system); /* hk_model_mesh */
HK_API int hk_system_components(const hk_system *system);      /* of a node: dim, or 1 */
HK_API hk_count hk_system_dofs(const hk_system *system);       /* nodes * components */
HK_API const char *hk_system_form(const hk_system *system);    /* of K: "edges", "assembled", ... */

/* What holds and acts: hk_system_held and hk_system_load, valid until the next hk_system_take. */
HK_API hk_held hk_system_held(const hk_system *system);
/* f[dofs]. In explicit steps nothing on what is prescribed. */
HK_API const double *hk_system_load(const hk_system *system);
/* dt of a run of the explicit step; 0: it is none. */
HK_API double hk_system_time_step(const hk_system *system);

/* Takes constraints, load and films (which are part of K) of a step, from 0: of static ones at their end, of explicit ones at `time`
 * from their beginning, of the first of shots, prescribed velocities and accelerations summed as a run does.
 * HK_USAGE: no such step; a step that holds what the one before it left, before that one was solved. HK_BAD_INPUT as hk_run. On a failure
 * the system can only be destroyed, or asked for another step. */
HK_API hk_status hk_system_take(hk_system *system, int step, double time);

/* ku[dofs] = K u[dofs] on the device; they must differ. Bit-reproducible. */
HK_API hk_status hk_system_apply(hk_system *system, const double *u, double *ku);

/* K in rows, by element matrices in ascending order of elements: equal to hk_system_apply to rounding. *out is overwritten.
 * HK_BAD_INPUT: explicit steps on elements of order p, whose K is never a matrix. HK_NOT_CONVERGED, FREE: a free degree of freedom
 * without stiffness. */
HK_API hk_status hk_system_matrix(hk_system *system, hk_matrix_kind kind, hk_matrix *out);

/* m[dofs]: the lumped mass, of fluids volume / bulk modulus. HK_BAD_INPUT: heat, materials without a density, static steps on elements
 * of order p. */
HK_API hk_status hk_system_mass(hk_system *system, double *m);

/* *omega: the largest of K v = omega^2 M v, by iteration, from below to 1e-3; central differences are stable up to dt = 2 / omega.
 * Explicit steps: with what they prescribe at rest; static ones: with nothing held. HK_BAD_INPUT as hk_system_mass; HK_NOT_CONVERGED. */
HK_API hk_status hk_system_frequency(hk_system *system, double *omega);

/* b[dofs] = T^T (f - K offset): the right side of the free matrix at its dof[], zero elsewhere. */
HK_API hk_status hk_system_right(hk_system *system, double *b);
/* u[dofs] = T w + offset, in place: from the free ones to what is held. */
HK_API void hk_system_fill(const hk_system *system, double *u);

/* u[dofs]: the solution of the static or heat step by the method that the model names, as hk_run finds it. HK_USAGE: an explicit
 * step; HK_BAD_INPUT where rigid-body modes are free; HK_NOT_CONVERGED, HK_STOPPED. */
HK_API hk_status hk_system_solve(hk_system *system, double *u);

#ifdef __cplusplus
}
#endif
#endif
