/* The stiffness operator K of linear elasticity, of fluids, or the conductance of heat, in one of its forms, on a device; all that
 * a solver sees of it.
 *
 *   f = -K u,  K = sum over elements of  integral B^T D B  (times thickness in 2D)   (W.3)
 *   one component per node (space->components):  integral g^T k g, and faces' exchange, integral h N^T N; of fluids k = 1 / rho
 *
 * A kernel of the operator ends, per node, in an epilogue (operator/epilogue.k.h) that the solver
 * names: store K u, or a step of central differences. Arrays of state are
 * [space->padded][components] reals in internal order.
 *
 *   HK_TRY(hk_operator_create(&hk_operator_edges, &(hk_operator_desc){.device = device, .space = space}, &op));
 *   HK_TRY(hk_operator_bind(op, form, damped, 1));
 *   HK_TRY(hk_operator_apply(op, &(hk_epilogue){.form = form, .u = u, .out = next}));
 */
#pragma once
#include "link/sharing.h"
#include "operator/term.h"
#include "physics/warmth.h"

typedef struct hk_operator_desc {
  hk_device *device;              /* borrowed, outlives the operator; so are the others */
  const hk_space *space;          /* made with the method's own hk_space_desc */
  const hk_region *region;        /* region[..] */
  const hk_index *element_region; /* element_region[mesh element] */
  bool double_precision;
  hk_operator_terms terms;
  /* where laws of heat depend on temperature, read by create and refill; NULL: tables are taken as 1, formulas at 0 */
  const hk_warmth *warm;
  const int *choice; /* of hk_operator_kind.tune, borrowed for the call; NULL: as remembered */
  /* "assembled" alone, borrowed: ranks of MPI share the rows of K, and each makes and applies its own; NULL: all rows */
  const hk_sharing *share;
  /* the same K, on the same space and in the same form, in double, which outlives the operator: where a form can, it takes these numbers, rounded,
   * instead of integrating again. Read by create; NULL: none */
  const struct hk_operator *rounded;
} hk_operator_desc;

/* One form of K: a line in operator/list.h. */
typedef struct hk_operator_kind {
  const char *name;
  const char *elements; /* that `serves` accepts, in words for messages */
  bool by_name;         /* "auto" passes it over */
  bool steps, statics;  /* cases may name it for explicit steps; for static steps */
  bool scalar;          /* serves one component per node too */
  bool points;          /* computes any law at its points; the others, linear laws alone */
  bool unsymmetric;     /* serves K of materials that move heat, and tangents */
  bool rings;   /* serves axisymmetric solids, whose K times a translation along r is not 0 */
  bool coupled; /* serves coupled equations, of 1 to HK_MOST_EQUATIONS components */
  /* Whether parts of a model can be stepped (hk_operator.rows) on the mesh and device; NULL: never. */
  bool (*parts)(const hk_mesh *mesh, const hk_device *device);
  bool pairs; /* its rows hold the terms between pairs of nodes; others are launched behind them */
  /* the numbering that it wants */
  hk_space_desc (*space)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  bool (*serves)(const hk_mesh *mesh); /* all its shapes are known to it */
  /* bytes of device memory, from counts alone */
  hk_count (*plan)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  /* the same of one component per node; NULL: not told apart */
  hk_count (*plan_scalar)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  /* the same of three components per node on plane meshes; NULL: it does not serve them */
  hk_count (*plan_spatial)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  /* the same of solids that are not isotropic; NULL: not told apart */
  hk_count (*plan_anisotropic)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  /* bytes of the host's memory beside them at most while creating on the host */
  hk_count (*making)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  /* of the plan, the bytes that the host holds at most until a device with a memory of its own has been sent them; NULL: all */
  hk_count (*waiting)(const hk_mesh *mesh, const hk_device *device, bool double_precision);
  /* The diagonal mass that belongs to it, as hk_mass_lumped, and the element that limits dt most likely: the largest frequency is then
   * found by iteration. NULL: hk_mass_and_bound. */
  hk_status (*mass)(const hk_mesh *mesh, const hk_region *region, const hk_index *element_region,
                    double *mass, hk_index *element);
  /* Times candidates on a small piece of its own and remembers the fastest for the device (operator/tune.h), which `space` and `create` then
   * take. Nothing where kernels are not compiled or the device has no cache folder. NULL: there is nothing to choose. */
  hk_status (*tune)(const hk_mesh *mesh, hk_device *device, bool double_precision);
  hk_status (*create)(hk_operator *op); /* op->desc is set; fills the rest */
  hk_status (*bind)(hk_operator *op, hk_form form, int damped, int shots);
  /* K u, and the epilogue. phases: some of HK_PHASES but BEFORE where hk_operator.rows, then those alone; else all are asked for at once. */
  hk_status (*apply)(hk_operator *op, const hk_epilogue *epilogue, unsigned phases);
  void (*destroy)(hk_operator *op); /* NULL: all is in hk_operator.pool */
  /* out[padded][components][components] = K_ii, reals of the operator's precision, on the device. NULL: the host finds them
   * (operator/measure/diagonal.h). */
  hk_status (*diagonal)(hk_operator *op, hk_buffer *out);
  /* New parameters of the laws from desc.region as it is now, for steps of dt, without new numbering; which law serves an element stays.
   * NULL: the form has none. */
  hk_status (*set_parameters)(hk_operator *op, double dt);
  /* Whether parts of a model have no damping on the mesh and device; NULL: they do. */
  bool (*undamped)(const hk_mesh *mesh, const hk_device *device);
} hk_operator_kind;

/* Forces of elements in a form that sums them node by node (operator/spectral/slots.k.h); terms write theirs into slots of their own. */
typedef struct hk_operator_slots {
  const hk_buffer *slice, *from, *slot; /* borrowed of the form; slot NULL: it has none */
  hk_index first;                       /* offset of the terms' slots */
  int threads;                          /* of a group that sums nodes */
  hk_index span;                        /* its nodes */
} hk_operator_slots;

struct hk_operator {
  const hk_operator_kind *kind;
  hk_operator_desc desc;
  hk_count groups; /* of `loss`: hk_loss_groups per group of the kernels that end in the epilogue */
  /* group_node[groups]: a node of the granule of its losses, -1: it has none of a part; NULL: as many groups for each patch, or unknown */
  const hk_index *group_node;
  /* groups of the form alone; those of terms stand behind them, and term_node tells a node of each one's granule */
  hk_count form_groups;
  const hk_index *term_node;
  hk_count memory; /* bytes of the operator's own arrays on the device */
  hk_count bytes;  /* of those, read by one apply */
  /* bytes that the laws of one shot keep from step to step, 0 at first (hk_epilogue.state) */
  hk_count state;
  int state_batches; /* how many batches a group of it has */
  hk_count counted;  /* bytes of a whole step as the method's paper counts them; 0: it does not */
  /* K is not symmetric, or not definite: a material of the model moves or a tangent is wanted (hk_operator_check_advection), or
   * equations are coupled so (hk_coupled_check) */
  bool unsymmetric;
  void *data;   /* the form's own */
  hk_pool pool; /* buffers and kernels of the form that live as long */
  /* each row's force comes from u alone: apply launches single phases, and parts of a model exchange rows of u */
  bool rows;
  /* slots or partial sums hold the forces of one shot: several shots follow one another, all in BOUNDARY */
  bool chained;
  hk_operator_slots slots;
  void *term_data[HK_OPERATOR_TERMS]; /* of desc.terms; NULL: no launches of its own */
};

/* method: a name of the list, or "auto": the fastest known for the mesh and device. HK_USAGE for an
 * unknown name, HK_BAD_INPUT for shapes that it does not serve. */
hk_status hk_operator_choose(const char *method, const hk_mesh *mesh, const hk_device *device,
                             const hk_operator_kind **out);
/* The same of a form that a case names, for explicit steps or for static ones, of heat or of displacements: the message names those that it may give
 * instead. */
hk_status hk_operator_check(const char *method, const hk_mesh *mesh, bool steps, bool heat);
/* HK_BAD_INPUT: elements that explicit dynamics does not run on, whatever its form of K serves: all but those with hk_element.steps, and
 * quadrilaterals and hexahedra of one order p of a family. */
hk_status hk_operator_check_explicit(const hk_mesh *mesh);
/* The form for explicit steps of axisymmetric models with quadrilaterals of order p: `stored` where there are solids, `assembled` of fluids; HK_BAD_INPUT: another
 * one is named. */
hk_status hk_operator_choose_rings(const char *method, bool fluid, const hk_operator_kind **out);
/* The form for explicit steps of plane: three-components. HK_BAD_INPUT: the form that is named does not compute it, or does not serve the mesh. */
const char *hk_operator_spatial(const hk_mesh *mesh);
hk_status hk_operator_check_spatial(const char *method, const hk_mesh *mesh);
/* Whether a mesh has elements of second order. */
bool hk_operator_second_order(const hk_mesh *mesh);

/* hk_operator_kind.parts of forms that always compute row by row. */
bool hk_operator_in_rows(const hk_mesh *mesh, const hk_device *device);

/* The method to choose for steps of so many states at once: `method` itself, but for "auto" where a form reads K once for all, and on elements of
 * second order, whose pairs are read faster than rows. */
const char *hk_operator_for_shots(const char *method, int shots, const hk_mesh *mesh,
                                  const hk_device *device);
/* Regions that the lists of matrix-free can name, in 16 bits. */
enum { HK_MOST_LISTED_REGIONS = UINT16_MAX };
/* The method for a model of so many regions: `method` itself, but for "auto" where it would be matrix-free and these are too many for its lists. */
const char *hk_operator_for_regions(const char *method, int regions, const hk_mesh *mesh,
                                    const hk_device *device);
/* *out: the method for a mesh whose elements may repeat: `method` itself, but for "auto" on GPUs where few rows of K differ (graph/shapes.h) and a
 * dictionary of them is faster than what auto would be. element_region as in hk_operator_desc. O(elements) where it may be so. HK_NO_RESOURCES. */
hk_status hk_operator_for_shapes(const char *method, const hk_mesh *mesh,
                                 const hk_index *element_region, const hk_device *device,
                                 const char **out);
/* Bytes of device memory that the form will take with so many components per node. */
hk_count hk_operator_plan(const hk_operator_kind *kind, const hk_mesh *mesh, int components,
                          const hk_device *device, bool double_precision);
hk_status hk_operator_create(const hk_operator_kind *kind, const hk_operator_desc *desc,
                             hk_operator **out);
void hk_operator_destroy(hk_operator **op);
/* Whether a translation along any axis needs no force, so that a form may sum K_ij (u_j - u_i). False for displacements of axisymmetric
 * regions, whose rings a motion along r stretches. O(elements) in 2D. */
bool hk_operator_differences(const hk_operator_desc *desc);
/* *unsymmetric: whether materials of the elements move, of an operator for heat (physics/advection.h), or tangents are wanted (hk_warmth.newton). HK_BAD_INPUT where the form cannot compute that:
 * it is symmetric by construction, or elements have more than HK_LISTED_NODES. */
hk_status hk_operator_check_advection(const hk_operator_kind *kind, const hk_operator_desc *desc,
                                      bool *unsymmetric);
/* Bytes that the laws of one shot keep from step to step, groups having so many batches of elements, 0: those of the numbering. 0: no element has a law with state. */
hk_count hk_operator_state(const hk_operator_desc *desc, int batches);
/* Of a group: rows of points, with those of padding; of a row: values, which are the state of its points, then HK_LAW_SUMS, the energy lost first
 * (operator/spectral/spectral.k.h). */
int hk_operator_state_rows(const hk_space *space, int batches);
int hk_operator_state_values(const hk_space *space);
/* Finds the kernels for a form, damping (HK_UNDAMPED ...) and so many shots (0 stands for 1), once, before apply. */
hk_status hk_operator_bind(hk_operator *op, hk_form form, int damped, int shots);
/* One pass: every node's force, and the epilogue. Reads u, writes out (they must differ).
 * Bit-reproducible. */
hk_status hk_operator_apply(hk_operator *op, const hk_epilogue *epilogue);
/* Some of HK_PHASES alone. Whoever asks for them one by one asks for all, in their order; the launches of BOUNDARY and of INTERIOR may run beside
 * one another unless the form is chained and there are several shots. */
hk_status hk_operator_apply_phases(hk_operator *op, const hk_epilogue *epilogue, unsigned phases);
/* Groups of these phases, where the first `boundary` of `all` belong to the boundary. */
hk_groups hk_groups_of(unsigned phases, hk_count boundary, hk_count all);
/* The same of groups of `span` rows each; one with rows of both belongs to the boundary. */
hk_groups hk_groups_of_rows(const hk_operator *op, unsigned phases, hk_index span);

/* Kernels of one form that read their lists once for 1, 2, 4, 8 shots (operator/epilogue.k.h, BATCH). Where kernels are not compiled
 * one, the first, takes any number, side by side. */
enum { HK_BATCHES = 4 };
typedef struct hk_batches {
  hk_kernel *kernel[HK_BATCHES];
} hk_batches;

/* Those that `shots` need, at most `most` (a power of 2) at once; what is there stays. BATCH is added to desc->define. */
hk_status hk_batches_create(hk_operator *op, const hk_kernel_desc *desc, int shots, int most,
                            hk_batches *batches);
/* Launches these groups for every shot; argument[argument_count + 1]: the last place is for the shot. */
hk_status hk_batches_launch(const hk_operator *op, const hk_epilogue *epilogue,
                            const hk_batches *batches, hk_groups groups, hk_argument *argument,
                            int argument_count);

/* Losses that a group of group_threads keeps. */
static inline int hk_loss_run(const hk_device_info *info)
{
  return info->group_threads / info->team * info->lanes;
}

/* Groups of group_threads that hold the losses of a group of so many threads. */
static inline hk_count hk_loss_groups(const hk_device_info *info, int threads)
{
  return (threads + info->group_threads - 1) / info->group_threads;
}

/* Names of the list, for messages and tests; NULL at the end. */
const char *hk_operator_name(int i);
/* The form of that name; NULL: none. */
const hk_operator_kind *hk_operator_find(const char *name);
