/* Case files: YAML or JSON text -> tree -> checked against the table of keys -> model.
 *
 * The three passes share one hk_case. Wrong input is added to the list of messages and counted, and
 * reading goes on, so that all errors are shown at once; a status is returned only where reading
 * cannot go on (no memory). A value that a pass has refused is marked and is absent to those after
 * it. */
#pragma once
#include "base/units.h"
#include "input/case/keys/rules.h"
#include "input/case/keys/tree.h"
#include "mesh/ties.h"
#include "model/model.h"

/* Reads a case, a file or a text, with the overrides desc->set ("solve.explicit.end=20 us"). HK_BAD_INPUT
 * when there is any error; all of them go to `list`, which may be NULL. */
hk_status hk_case_read(const hk_model_desc *desc, hk_messages *list, hk_model **out);

/* "method=cg" and so on, a key of solve.static and its value, into *how. HK_USAGE when there is no
 * such key or value. */
hk_status hk_static_how_set(hk_static_how *how, const char *setting);

/* The mesh that the model is filled with. Before a mesh is read or generated the model is filled with a draft of it, so that what is
 * wrong with the case is told at once; what depends on the mesh's own nodes is not judged with a draft. */
typedef enum hk_case_draft {
  HK_DRAFT_NONE,   /* the mesh itself */
  HK_DRAFT_BOX,    /* a grid of few cells: sets, dimension, shapes and the body are known */
  HK_DRAFT_COARSE, /* another generated mesh of few cells: sets, dimension and shapes are known */
  HK_DRAFT_OPEN    /* a mesh that is to be read first: every set may be there */
} hk_case_draft;

typedef struct hk_case_plan { /* of a generated mesh, without making it */
  bool box;                   /* a grid of equal cells */
  double volume, cells[3];    /* of a box */
  double nodes, elements;     /* 0: not known */
  double links;               /* nodes of elements, each counted in each */
  int unknowns, dim, order;   /* of a node: degrees of freedom; coordinates; of elements */
  const hk_node *by;          /* the key that asks for as many */
} hk_case_plan;

/* A smaller model of the same case, where its mesh is generated and large, else *out = NULL (wrong cases too: to read them tells why). Its
 * cells are `factor` times fewer in each direction: larger ones of the same body, or, patch: as large ones of a smaller box. */
typedef struct hk_case_sample {
  bool patch;
  hk_case_plan plan;
  double factor;
  hk_count held,
      memory; /* bytes held before it was read, and the most beside them meanwhile; hk_check_ahead finds them */
} hk_case_sample;
hk_status hk_case_read_sample(const hk_model_desc *desc, hk_messages *list, hk_case_sample *sample,
                              hk_model **out);

/* What its mesh was asked once: where points lie, and which nodes follow others where orders meet. */
typedef struct hk_case_asked {
  hk_locator *locator; /* NULL: no point was looked for */
  hk_ties ties;
  bool tied; /* the ties are known */
} hk_case_asked;

typedef struct hk_case {
  const hk_model_desc *desc; /* borrowed */
  hk_case_sample *sample;    /* wanted; NULL: the model itself */
  hk_tree tree;
  hk_unit_system system; /* the file's `units:` */
  bool plain;            /* units: none */
  bool wrong_units;      /* they were refused: where a number lies is not known */
  bool still;            /* a static solution is wanted, or heat conduction: */
  bool heat, marches;    /* of heat; transient */
  hk_model *model;       /* being filled, and its step: */
  hk_step *step;
  const hk_node **region_map; /* region_map[region]: of its material; NULL: it has an error */
  hk_pool *scratch; /* where targets are taken from that only a function needs; NULL: the model's */
  hk_case_asked asked; /* of its mesh */
  hk_case_draft draft; /* what its mesh is */
  bool sampling;       /* the sample is being made, as a draft */
  bool any_dim;        /* the dimension of an open draft is not known */
  bool named;          /* an open draft has sets of the names that the mesh will have */
  hk_case_plan plan;   /* found with the draft */
  int order;           /* of the elements, where `error` is given */
  hk_messages *list;
} hk_case;

/* Checks the tree against the table of keys: forms, dimensions, limits, unknown and missing keys.
 * Numbers are left in node->number, in the file's units. `units:` is taken up first. */
hk_status hk_case_check(hk_case *c);

/* Fill the model from the checked tree: the mesh, or, where c->draft is not HK_DRAFT_NONE, a draft of it. */
hk_status hk_case_fill_mesh(hk_case *c);
/* mesh/draft.c: fills another model by `fill` with a draft of the mesh; what is wrong goes to `told`. */
hk_status hk_case_try(hk_case *c, hk_status (*fill)(hk_case *c), hk_messages *told);
/* Adds to the plan a mesh of cells[3] (the third 0 in a plane), each of one element of that shape, or of the simplices it is split into.
 * An error beyond what can be numbered; then false, but for a draft. */
bool hk_case_plan_mesh(hk_case *c, const hk_node *node, const char *what, hk_shape shape,
                       const double cells[3]);
bool hk_case_check_plan(hk_case *c, const hk_node *node, const char *what);
/* Whether a sample of the model is worth it; c->sample then says which, and c->draft and c->sampling are set. After hk_case_try. */
bool hk_case_samples(hk_case *c);
/* Whether the mesh is read or made in an instant, so that its own errors are told with those of the draft. After hk_case_try. */
bool hk_case_small(const hk_case *c);
/* A stand-in for a mesh file that has not been read: one element for each region. dim 0: the dimension is not known either. */
hk_status hk_case_open_draft(hk_case *c, int dim);
/* What the file of an open draft tells of itself: names of sets, the plan. */
hk_status hk_case_look_at_file(hk_case *c, const hk_node *node);
/* Coordinates, nodes of elements, the set of all elements and the elements' regions: what is held at the least. */
double hk_case_mesh_bytes(const hk_case_plan *plan);
/* HK_NO_RESOURCES where the planned mesh alone takes more memory than there is; an error where its unknowns cannot be numbered. */
hk_status hk_case_check_room(hk_case *c);
/* mesh/blocks.c: mesh: {blocks: ...}. */
hk_status hk_case_make_blocks(hk_case *c, const hk_node *map);
/* mesh/map.c: each node of the mesh goes where the formulas x, y, z of the map say (those of a draft stay), in the file's units; a coordinate
 * without a formula stays. The elements are judged again. */
hk_status hk_case_move_nodes(hk_case *c, const hk_node *map);
/* mesh/place.c: adds the sets of `sets:`, which lie in the places that it tells. */
hk_status hk_case_fill_sets(hk_case *c);
/* mesh/crack.c: cuts the mesh, and fills the springs; before anything else is looked up in it. */
hk_status hk_case_fill_cracks(hk_case *c);
hk_status hk_case_fill_regions(hk_case *c);
hk_status hk_case_fill_boundary(hk_case *c);
hk_status hk_case_fill_sources(hk_case *c);
hk_status hk_case_fill_shots(hk_case *c);
hk_status hk_case_fill_initial(hk_case *c);
hk_status hk_case_fill_absorb(hk_case *c);
hk_status hk_case_fill_outputs(hk_case *c);
/* case/form.c: errors where the form of K, or explicit steps, do not serve the elements. */
hk_status hk_case_judge_form(hk_case *c, const hk_node *solve);
/* Errors for keys of `solve: {static: ...}` that its method does not look at. */
void hk_case_check_options(hk_case *c, const hk_node *map);
/* case/static.c: what static solutions alone have. */
hk_status hk_case_fill_static(hk_case *c, const hk_node *map);
hk_status hk_case_fill_equations(hk_case *c);
hk_status hk_case_fill_prints(hk_case *c, const hk_node *list);

/* The delay of the map's signal, of each node where it is a list (nodes NULL: there it is an error). */
hk_status hk_case_delay(hk_case *c, const hk_node *map, const hk_target *nodes, double *delay,
                        double **delays);

/* case/axes.c: the axes that the map's `axes` names; *given is false without them or after an
 * error. */
void hk_case_axes(hk_case *c, const hk_node *map, hk_axes *axes, bool *given);
/* Errors of axes that nothing names; those of others are told where they are read. */
void hk_case_check_axes(hk_case *c);
/* Rows of the axes at a node of the mesh. */
void hk_case_axes_at(const hk_case *c, const hk_axes *axes, hk_index node, double row[3][3]);
/* Unit vector of a list of numbers; false, with an error, when it has no length. `dim` components
 * are wanted. */
bool hk_case_unit(hk_case *c, const hk_node *list, int dim, double vector[3]);

/* acts/body.c: gravity, body_force or centrifugal of a source; *taken is false when it has none. */
hk_status hk_case_fill_body(hk_case *c, const hk_node *map, bool *taken);

/* acts/wave.c: plane_wave of a source; *taken is false when it has none. */
hk_status hk_case_fill_wave(hk_case *c, const hk_node *map, bool *taken);

/* case/point_file.c: points of a CSV file beside the case file. HK_BAD_INPUT with file:line. */
hk_status hk_case_point_file(hk_case *c, hk_pool *pool, const char *name, hk_count *count,
                             double (**out)[3]);
enum { HK_COLUMN_TEXT = 32 };
/* A name of a column of a CSV file, in lower case, and the unit in brackets behind it, "" where there is none; returns what follows. */
const char *hk_case_column(const char *at, char word[HK_COLUMN_TEXT], char unit[HK_COLUMN_TEXT]);
/* Sets *factor to the size of the unit `word` in units of the model. False where `word` is not a unit of that dimension. */
bool hk_case_unit_of(const hk_case *c, const char *word, hk_dimension dimension, double *factor);

/* acts/injection.c: likewise injection. */
hk_status hk_case_fill_injection(hk_case *c, const hk_node *map, bool *taken);

/* acts/total.c: total_force of a source; *taken is false when it has none. fired: by the elements of an array, which is an error. */
hk_status hk_case_fill_total(hk_case *c, const hk_node *map, bool fired, bool *taken);

/* The elements of the map's set; without one all of them. */
hk_status hk_case_find_volume(hk_case *c, const hk_node *map, hk_target *target);

/* case/physics/heat.c: an item of boundary, or of sources, in heat conduction; elsewhere errors for the keys of heat. */
hk_status hk_case_fill_heat_condition(hk_case *c, const hk_node *map);
hk_status hk_case_fill_heat_source(hk_case *c, const hk_node *map);
/* The formula of a value that is {formula: ...}, now the model's; *out = NULL after an error. warm: T may be in it. */
hk_status hk_case_formula(hk_case *c, const hk_node *value, bool warm, const hk_formula **out);
/* *amount by the formula *by at each point; one that is not given, an error told already, is 0. */
hk_status hk_case_amount(hk_case *c, const hk_node *value, bool warm, double *amount,
                         const hk_formula **by);
/* {temperature: [...], value: [...]}: the first value, and factors of it; an error where temperatures do not ascend. */
hk_status hk_case_table(hk_case *c, const hk_node *map, double *first, const hk_table **out);
/* A number, or values[nodes->count] by a formula at each node. */
hk_status hk_case_node_values(hk_case *c, const hk_node *what, const hk_target *nodes,
                              double *value, double **values);
/* Add to the step what a condition says, `what` its value: of the unknown at the nodes of a set; flux or film on its faces. */
hk_status hk_case_add_value(hk_case *c, const hk_node *map, const hk_node *what, int unknown,
                            int signal);
hk_status hk_case_add_on_faces(hk_case *c, const hk_node *map, const hk_node *what, int unknown,
                               int signal);
void hk_case_refuse_heat(hk_case *c, const hk_node *map);
/* Errors for keys of mechanics, and for signals of what is steady. physics: "heat conduction" */
void hk_case_refuse_mechanics(hk_case *c, const hk_node *map, const char *physics);

/* case/physics/coupled.c: whether coupled equations are solved; their unknowns become the model's. */
bool hk_case_coupled(const hk_case *c);
hk_status hk_case_take_unknowns(hk_case *c);
/* The coefficients of a material; *good stays where there was an error. */
hk_status hk_case_read_coupled(hk_case *c, const hk_node *map, hk_material *out, bool *good);
/* An item of boundary, of sources, of initial; elsewhere errors for the keys of coupled equations. */
hk_status hk_case_fill_coupled_condition(hk_case *c, const hk_node *map);
hk_status hk_case_fill_coupled_source(hk_case *c, const hk_node *map);
hk_status hk_case_fill_coupled_state(hk_case *c, const hk_node *map);
void hk_case_refuse_coupled(hk_case *c, const hk_node *map);
/* The key of `solve:` by which the case is solved where it is no explicit one: "static", "heat", "coupled". */
const char *hk_case_still_key(const hk_case *c);

/* case/physics/elastic.c: whether the map of a material has elastic constants. */
bool hk_case_is_elastic(const hk_node *map);
/* The number of the medium whose constants the material gives; -1: an error was reported. */
int hk_case_medium_of(hk_case *c, const hk_node *map);
/* C of that medium from the values of its keys. */
hk_status hk_case_read_elastic(hk_case *c, const hk_node *map, int medium, hk_material *out);
/* C from the values of the keys of a medium that the table of media has. */
hk_status hk_case_make_medium(int medium, const double *value, int dim, hk_material *out);
/* case/physics/field.c: `fields:` become the model's. */
hk_status hk_case_fill_fields(hk_case *c);
/* case/physics/spread.c: whether density, a speed or a modulus of the material is a formula; of some material of the case. */
bool hk_case_spreads(const hk_node *map);
bool hk_case_spreads_any(const hk_case *c);
/* Whether formulas of materials know a constant of the material by this name. */
bool hk_case_names_constant(const char *name);
/* Errors of such formulas; *out gets other constants in their place until hk_case_spread. Where only the density is a formula, C is that of a
 * density of 1, with the material's own axes. medium: of hk_case_medium_of; -1: a fluid. */
hk_status hk_case_check_spread(hk_case *c, const hk_node *map, int medium, hk_material *out);
/* Gives the elements of the region the constants of the material at their middles: regions of one field (hk_region.spread). */
hk_status hk_case_spread(hk_case *c, const hk_node *map, int region);
/* case/physics/attenuation.c: the law of a material that has a quality factor, and its C for a sudden strain. spreads: its constants are not known
 * yet, and what does not depend on them is checked. */
hk_status hk_case_read_attenuation(hk_case *c, const hk_node *map, bool spreads, hk_material *out);
/* case/physics/antiplane.c: whether it has plane: antiplane, or plane: three-components of a 2D mesh; a motion or force, which has three numbers there, of antiplane
 * z alone, else hk_case_vector. */
bool hk_case_antiplane(const hk_case *c);
bool hk_case_spatial(const hk_case *c);
bool hk_case_motion(hk_case *c, const hk_node *list, double *vector);
/* Errors there for what acts in the plane, for materials and for procedures that it does not have. */
void hk_case_refuse_plane(hk_case *c, const hk_node *map);
void hk_case_check_antiplane(hk_case *c, const hk_node *map, const hk_material *m);
void hk_case_check_procedure(hk_case *c);
/* case/physics/fluid.c: whether the map of a material is of a fluid; its law, after the density. */
bool hk_case_is_fluid(const hk_node *map);
hk_status hk_case_read_fluid(hk_case *c, const hk_node *map, hk_material *out);
/* Which nodes are of fluids, after the regions, on a mesh that serves them. */
hk_status hk_case_fill_media(hk_case *c);
/* HK_FLUID where the whole model is. */
hk_medium hk_case_medium(const hk_case *c);
/* Whether velocities of the model's fluids are computed: they are of quadrilaterals and hexahedra, but about an axis. */
bool hk_case_flows(const hk_case *c);
/* False, with an error at the node, where the model has no fluid. */
bool hk_case_needs_fluid(hk_case *c, const hk_node *node, const char *what);
/* Errors for what acts on solids alone in a model of fluids. */
void hk_case_refuse_fluid(hk_case *c, const hk_node *map);

typedef struct hk_case_where { /* of a source */
  hk_target nodes;             /* those of its set; or */
  double at[3];
  bool point, found;
} hk_case_where;

/* Adds what a map of `sources:` does to the step's loads or motions, which have room for it; where:
 * NULL reads it from the map. */
hk_status hk_case_fill_source(hk_case *c, const hk_node *map, const hk_case_where *where);
/* acts/apodise.c: (*weight)[nodes->count] of the force on each node of the set, by `apodisation` and `aperture`; NULL: 1 everywhere. And errors where these keys do not belong. */
hk_status hk_case_apodise(hk_case *c, const hk_node *map, const hk_target *nodes, double **weight);
void hk_case_check_apodisation(hk_case *c, const hk_node *map, bool on_set);
/* acts/moment.c: the key of a moment, an explosion or a double couple that the map has; NULL: none. And that source added. */
const hk_node *hk_case_moment_of(const hk_node *map);
hk_status hk_case_add_moment(hk_case *c, const hk_node *map, int signal,
                             const hk_case_where *where);
/* Of a double couple whose strike, dip and rake are angle[3], in degrees; in the units of si[4] the moment of a magnitude, Mw = 2/3 (log10 M0 - 9.1), M0 in N m;
 * one component by its key, with those that are equal to it. */
void hk_case_couple(const double angle[3], double size, double m[3][3]);
double hk_case_moment_of_magnitude(double magnitude, const double si[4]);
void hk_case_put_component(const char *key, double value, double m[3][3]);
/* acts/fault.c: fault of a source; *taken is false when it has none. */
hk_status hk_case_fill_fault(hk_case *c, const hk_node *map, bool *taken);
/* The source is fired by the elements of `shots: {array: ...}` in turn, and by nothing else. */
bool hk_case_fires(const hk_case *c, const hk_node *source);

/* case/sequence.c: the nodes of the set of a trace, or of an array, in the order that the map says. */
hk_status hk_case_order_nodes(hk_case *c, const hk_node *map, hk_target *nodes);

/* Bit set of `quantity:`, `otherwise` without it; errors for those that the solution does not have. */
unsigned hk_case_quantities(hk_case *c, const hk_node *map, unsigned otherwise);

enum { HK_CASE_PLACE_TEXT = 64 };
/* "[x, y]" of a point x[3], or "[x, y, z]" where the mesh has three dimensions, into text[HK_CASE_PLACE_TEXT], which it returns. */
const char *hk_case_place_text(const hk_case *c, const double *x, char *text);
/* Adds an error at the node. */
void hk_case_error(hk_case *c, const hk_node *node, const char *format, ...) HK_PRINTF(3, 4);
/* Adds an error at each of the keys (ending with NULL) that the map has: `before`, the key, `after`. */
void hk_case_refuse(hk_case *c, const hk_node *map, const char *const *keys, const char *before,
                    const char *after);
/* HK_BAD_INPUT of a callee becomes an error at the node, with the callee's words; others pass. */
hk_status hk_case_forgive(hk_case *c, const hk_node *node, hk_status status);
/* Likewise, where the callee may have added its errors to c->list, which had `before` of them: an error at the node if it added none. */
hk_status hk_case_told(hk_case *c, const hk_node *node, hk_count before, hk_status status);

hk_place hk_case_place(const hk_case *c, const hk_node *node);

/* Adds the error: `what` "word" is not known; did you mean the nearest of words[count]? Else `otherwise` stands behind it. */
void hk_case_unknown(hk_case *c, const hk_node *word, const char *what, const char *const *words,
                     int count, const char *otherwise);
/* "WHAT "WORD": did you mean "NEAREST"?", else `otherwise` behind WHAT "WORD" */
void hk_case_hint(const char *what, const char *word, const char *const *words, int count,
                  const char *otherwise, char *out, size_t size);
/* "a, b, c" */
void hk_case_join(const char *const *words, int count, char *out, size_t size);
/* The keys of a map, `most` of them at most; their number. */
int hk_case_keys(const hk_node *map, const char **words, int most);

/* Whether the map has both keys: then there is an error at the second. */
bool hk_case_both(hk_case *c, const hk_node *map, const char *a, const char *b);
/* Whether the map has one of both keys; else an error. */
bool hk_case_either(hk_case *c, const hk_node *map, const char *a, const char *b);

/* Calls `fill` for each map of a list, or for the map that `node` is; those that were refused are left out. NULL: nothing is done. */
hk_status hk_case_each(hk_case *c, const hk_node *node,
                       hk_status (*fill)(hk_case *c, const hk_node *map));

/* Value of a key of a map; NULL when it is absent or was refused. */
const hk_node *hk_case_value(const hk_node *map, const char *key);
double hk_case_number(const hk_node *map, const char *key, double otherwise);
const char *hk_case_text(const hk_node *map, const char *key, const char *otherwise);

/* Puts the plain values of the map into the members of *out that their rules name; the others stay as they are. */
void hk_case_take(const hk_key *keys, const hk_node *map, void *out);

/* Thickness of a 2D model: as given, else 1 m whatever the file's units are (1 with units: none). */
double hk_case_thickness(const hk_case *c);

/* *path = the file's path: beside the case file unless it is absolute. Owned by the caller. */
hk_status hk_case_beside(const hk_case *c, const char *name, char **path);

/* Copies the first numbers of a list into to[most]. Returns how many the list holds, or -1 if one of them was refused when it was read. */
int hk_case_numbers(const hk_node *list, int most, double *to);

/* Components of a vector of the mesh's dimension; false, with an error, when there are more or
 * fewer. */
bool hk_case_vector(hk_case *c, const hk_node *list, double *vector);

/* The nodes (faces, elements) of the set that the node names; an undefined set is an error that
 * lists near names. Nodes: of a node set, of the faces of a face set, or of the elements of an
 * element set, ascending; `all` is everything where the mesh has no such set. On an error
 * target->item stays NULL. */
hk_status hk_case_find_nodes(hk_case *c, const hk_node *name, hk_target *target);
/* The order of the elements that the case asks for, where no set has another; 1: they stay as they were meshed. */
int hk_case_order(const hk_case *c);
/* The order that elements will have, before their sets are known, at the least. parts: a list of maps with names, the sets of what is planned, whose
 * member of that name (NULL: none) it is; NULL: no sets are known. */
int hk_case_planned_order(const hk_case *c, const hk_node *parts, const char *name);
/* case/order.c: *order for `wanted`, the value of element: {error: ...}, of a model with elements of order 1; a note of it goes to `list`. An
 * error where no order reaches it. */
hk_status hk_case_choose_order(hk_case *c, const hk_node *wanted, hk_messages *list, int *order);
/* Whether that, or the order of a set, is 2 or more. */
bool hk_case_raised(const hk_case *c);
/* Whether it has plane: axisymmetric. */
bool hk_case_ring(const hk_case *c);
/* The nodes of hk_case_find_nodes that are vertices where elements were raised, all of them elsewhere: for forces and volume rates, which act on
 * each node of a set, receivers and the elements of an array. None of a set of other nodes alone: an error. */
hk_status hk_case_find_vertices(hk_case *c, const hk_node *name, hk_target *target);
/* The same as hk_case_find_nodes; where elements were raised a set of nodes has the nodes of the faces of its name too, if there are and they have the same vertices, else
 * those inside edges, faces and elements whose vertices are all in the set: for what is prescribed, equations and prints. Where orders meet, faces and
 * elements have the nodes of lower order too that their own follow on common edges and faces (mesh/ties.h). */
hk_status hk_case_find_held(hk_case *c, const hk_node *name, hk_target *target);
/* Those of hk_case_find_held without nodes whose values follow from others of the set: for equations, which have one for each. */
hk_status hk_case_find_leading(hk_case *c, const hk_node *name, hk_target *target);
/* Lets gmsh mesh the geometry where hk_model_desc.run_gmsh says so and its text has no commands that reach beyond it. *made: the mesh
 * file, to be removed and freed by the caller; NULL after an error, which is then in the list. */
hk_status hk_case_mesh_geometry(hk_case *c, const hk_node *node, const char *path, char **made);
hk_status hk_case_find_faces(hk_case *c, const hk_node *name, hk_target *target);
hk_status hk_case_find_elements(hk_case *c, const hk_node *name, hk_target *target);
/* Those of the set that is the key of an entry, as in regions and orders. */
hk_status hk_case_find_elements_of_key(hk_case *c, const hk_node *entry, hk_target *target);
/* c->asked is empty, for another mesh. */
void hk_case_forget_mesh(hk_case *c);

/* Index in the model's signals of the one that `signal:` of the map says; -1 without one. */
hk_status hk_case_signal(hk_case *c, const hk_node *map, int *index);
/* hk_locator_find in the mesh of the case, which has the locator from then on. */
hk_status hk_case_locate(hk_case *c, hk_count count, const double *at, hk_index *element,
                         double *xi);
/* case/points.c: the points that `at` lists, or that a line, an arc, a circle or a grid has: (*out)[*count][3], of the pool. Errors for those
 * outside the mesh. */
hk_status hk_case_points(hk_case *c, hk_pool *pool, const hk_node *at, hk_count *count,
                         double (**out)[3]);
/* case/fibre.c: the channels of a cable, from the map of `fibre:`; errors where there are none. */
hk_status hk_case_fibre(hk_case *c, const hk_node *map, hk_trace_request *trace);
/* Point within the mesh that the list of coordinates says; false, with an error, when none is. */
hk_status hk_case_point(hk_case *c, const hk_node *list, double at[3], bool *found);
