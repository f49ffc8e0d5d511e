/* A body of one mesh and many materials, and an operator K that runs on it. */
#pragma once
#include "operator/operator.h"
#include "support/mesh.h"

typedef enum materials {
  ONE,
  LAYERS,
  EVERY_ELEMENT,
  ANISOTROPIC,
  EVERY_KIND, /* isotropic, anisotropic, plane strain, plane stress, any thickness */
  MATERIALS
} materials;
enum { REGIONS = 300 };

typedef struct body {
  hk_mesh *mesh;
  hk_region *region;        /* [REGIONS] */
  hk_index *element_region; /* [elements] */
  hk_spring *spring;        /* [springs] */
  hk_count springs;
  const int *choice; /* hk_operator_desc.choice of a spectral form; or NULL */
} body;

/* A random stiffness of no symmetry that is positive definite. */
void anisotropic(hk_material *m);

/* A jittered and shuffled grid of the shape, coarser where it is of second order, dressed. */
void body_create(body *b, hk_shape shape, materials which);

/* The same of few elements. */
void body_create_small(body *b, hk_shape shape, materials which);

/* Materials for the elements of b->mesh. */
void body_dress(body *b, materials which);
void body_destroy(body *b);

/* True where the form of K knows the shape. */
bool serves(const char *method, hk_shape shape);

/* Closes *out and opens the k-th device of this machine; false behind the last. */
bool next_device(int k, hk_device **out);

/* Compilers of kernels are slow: where there is one, each n-th case, by turns over the shapes, stands for those that the host computes. */
bool left_out(const hk_device *device, int turn, int n);

/* K in one form on a mesh: its numbering and its operator. */
typedef struct stiffness {
  hk_space *space;
  hk_operator *op;
} stiffness;

/* The form of K with so many values at a node (0: the dimension); desc.space is filled in. */
hk_status stiffness_create(stiffness *f, const hk_operator_kind *kind, const hk_mesh *mesh,
                           int components, hk_operator_desc desc);
void stiffness_destroy(stiffness *f);

/* out[padded * components] = K u, both in the operator's numbering. */
void apply(hk_operator *op, const double *u, double *out);

/* A form of K with a state: u, out, v [dofs], b, a [padded] and losses, random and the same whatever the numbering. */
typedef struct run {
  hk_device *device, *own; /* own: opened by run_open */
  hk_space *space;
  hk_operator *op;
  hk_buffer *u, *out, *v, *b, *a, *loss;
  hk_count dofs;
} run;

hk_status run_create(run *r, const body *b, hk_device *device, const char *method, bool real);

/* The same on the host, with so many threads. */
void run_open(run *r, const body *b, const char *method, int threads, bool real);
void run_destroy(run *r);
hk_status run_steps(run *r, hk_form form, int damped, int steps);
/* Steps of increments with one A at all nodes: u, v and the loss have the same bits, read node by node or once. A device that compiles kernels. */
void run_alike(const body *b, hk_device *device, const char *method);

/* *values[mesh node][component], owned by the caller */
hk_status read_field(const run *r, const hk_buffer *buffer, double **values);
double *field_of(const run *r, const hk_buffer *buffer);
double total_loss(const run *r);

/* Steps both runs (HK_FORM_STORE: one) and ends them: the relative difference of u, or of the losses where that is larger. */
double run_difference(run *got, run *expected, hk_form form, bool damped, int steps);

/* The relative difference of two forms of K after these steps on the host. */
double forms_differ(const body *b, const char *got, const char *expected, hk_form form, bool damped,
                    int steps, bool real);
