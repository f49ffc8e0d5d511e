/* The lists of solver/explicit/matched/pml.k.h: the elements of a perfectly matched layer, and their nodes. */
#pragma once
#include "operator/operator.h"

typedef struct hk_pml {
  double alpha;    /* 1 / time: slower waves than that are not absorbed, but held */
  double *stretch; /* d, stretch[mesh node][dim], 1 / time; 0 outside. NULL: there is no layer */
  double *
      around; /* axisymmetric models: d around the axis, around[mesh node] (S.18); NULL: of others */
  bool *held; /* held[mesh node]: on the outer faces */
  /* low and high ends across each axis: of the mesh, and of what the layers leave; the same where a side has none */
  double outer[2][3], inner[2][3];
} hk_pml;
void hk_pml_clear(hk_pml *pml);
/* Whether a point of the mesh is within a layer, its inner end not counted; and on a held outer face. */
bool hk_pml_covers(const hk_pml *pml, int dim, const double *x);
bool hk_pml_holds(const hk_pml *pml, int dim, const double *x);
/* d of the node in the three directions, the third in 2D around the axis, 0 in a plane. */
void hk_pml_stretch_at(const hk_pml *pml, int dim, hk_count node, double d[3]);
/* Whether the element is of the layer: it has a node with d > 0. */
bool hk_pml_has(const hk_mesh *mesh, const hk_pml *pml, hk_count element);

/* Arrays of reals on the device (solver/explicit/matched/pml.k.h). */
enum {
  HK_PML_SHAPE,
  HK_PML_LAW,
  HK_PML_STRETCH,
  HK_PML_LINE,
  HK_PML_TERM,
  HK_PML_FSI_NORMAL, /* operator/spectral/pml/pml_fsi.h; NULL where no fluid meets a solid, as its other arrays */
  HK_PML_FSI_RATES,
  HK_PML_BUFFERS
};

/* Places in hk_pml_lists.head (LIST_* of solver/explicit/matched/pml.k.h): numbers, where arrays begin, numbers of the solver. */
typedef enum hk_pml_place {
  HK_PML_SIDE,
  HK_PML_POINTS,
  HK_PML_NODES,
  HK_PML_BATCHES,
  HK_PML_SLOTS,
  HK_PML_FIRST_FSI,
  HK_PML_FSI_FLUIDS,
  HK_PML_PLACE,
  HK_PML_NODE,
  HK_PML_BEGIN,
  HK_PML_FROM,
  HK_PML_FSI_BEGIN,
  HK_PML_FSI_FLUID,
  HK_PML_FSI_SOLID,
  HK_PML_SHOTS,
  HK_PML_PADDED,
  HK_PML_FORCE_ROWS,
  HK_PML_ANY_LOADED,
  HK_PML_RELAXED, /* whether solids of the layer have attenuation */
  HK_PML_LINES
} hk_pml_place;

typedef struct hk_pml_lists {
  int side, points;                            /* nodes of an element along a line, and in all */
  hk_index nodes;                              /* of elements that have a node with d > 0 */
  hk_index *node;                              /* node[nodes]: internal, ascending */
  bool *held;                                  /* held[nodes] */
  hk_index batches, solids;                    /* batches of solids, which come first */
  hk_index *element;                           /* element[batches * lanes]: of the mesh; -1: none */
  hk_index slots;                              /* reals of one shot */
  hk_index fsi_fluids, fsi_entries, first_fsi; /* solver/explicit/matched/pml.k.h: pml_fsi */
  double fade, gain;                           /* a and c of w_1, w_2, w_3 */
  hk_integers head;  /* by hk_pml_place; the solver fills in its own numbers */
  hk_index *integer; /* integer[integers]: arrays, until they are sent */
  hk_count integers, room;
  hk_buffer *list; /* the same on the device */
  hk_buffer *buffer[HK_PML_BUFFERS];
} hk_pml_lists;

/* The numbers of the layer's elements, nodes and slots, without arrays on the device. Of a part of a model (space/part.h) the layer is the elements
 * that have an own node, and interfaces within it lie in one part each. *out is the caller's, also on failure. */
hk_status hk_pml_find(const hk_operator_desc *desc, const hk_pml *pml, hk_pml_lists *out);
/* All elements are spectral; those of axisymmetric models with an edge on the axis are of the shapes of hk_shape_on_axis. *out is the caller's, also on failure. mass[padded] */
hk_status hk_pml_pack(const hk_operator_desc *desc, const hk_pml *pml, const double *mass,
                      double dt, hk_pml_lists *out);
/* About the bytes on a device of these, and of the layer's state in so many shots (solver/explicit/matched/layer.c), relaxed: with attenuation; 0 where
 * there is no layer. */
hk_count hk_pml_plan(const hk_mesh *mesh, const hk_pml *pml, int components, bool double_precision,
                     bool relaxed, int shots);
void hk_pml_lists_clear(hk_pml_lists *lists);
/* Private to the folder: puts an array behind the integers, and where it begins into the head. */
hk_status hk_pml_put(hk_pml_lists *lists, hk_pml_place place, hk_count count,
                     const hk_index *value);
