/* The stiffness matrix assembled on a device in three stages (Sanfui, Sharma): neighbour matrix, indices, values. Nothing but the mesh
 * and the laws of its regions go there.
 *
 *   hk_assembly *k = NULL;
 *   HK_TRY(hk_assembly_create(&(hk_assembly_desc){.on = {.device = device, .space = space, ...}}, &k));   stages 1, 2
 *   HK_TRY(hk_assembly_fill(k));                                                                          stage 3: as often as wanted
 *
 * Our way of stage 3 sums each row by its own threads, element after element in ascending order: the same bits in each run, no atomics.
 * Linear triangles and tetrahedra are integrated by the rows themselves (operator/assembly/fans.k.h); of other shapes each element is integrated
 * once per chunk of rows into a scratch (operator/assembly/integrate.k.h), from which rows gather (operator/assembly/gather.k.h). */
#pragma once
#include "element/element.h"
#include "operator/assembly/csr.h"
#include "operator/assembly/neighbour.h"

/* NODES: an index per pair of nodes; its values, laid out as in operator/assembly/indices.k.h, are those of COO and CSR. Behind the sparse ones,
 * DENSE: value[n][n], n = dim nodes, column by column, from the element matrices alone (operator/dense/dense.k.h);
 * ELEMENTS: no matrix, but those of elements, list by list (hk_assembly_integrate). */
typedef enum hk_matrix_format {
  HK_FORMAT_NODES,
  HK_FORMAT_COO,
  HK_FORMAT_CSR,
  HK_FORMAT_ELL,
  HK_FORMATS,
  HK_FORMAT_DENSE = HK_FORMATS,
  HK_FORMAT_ELEMENTS
} hk_matrix_format;

typedef struct hk_assembly_desc {
  hk_operator_desc on; /* the space's patches must be consecutive */
  hk_matrix_format format;
  hk_count scratch; /* bytes of element matrices held at once at most; 0: chosen */
  bool timed;       /* wait for each step, for seconds */
  bool no_fans;     /* tests, measurements: simplices go the way of other shapes */
  bool scaled;      /* K = sum of scale[e] K_e (hk_assembly_scale); not DENSE, not ELEMENTS */
  /* tests: entries of a group's rows that local memory holds at most; 0: as the device can */
  hk_count span;
  int threads; /* measurements: of a group that integrates elements or sums rows, where kernels are compiled; 0: chosen */
} hk_assembly_desc;

/* Elements that one launch integrates: of one shape and quadrature. */
typedef struct hk_integrand {
  const hk_element *element; /* NULL: springs */
  const hk_rule *rule;
  hk_buffer *slope, *weight, *shape; /* [nodes][dim][points], [points], [nodes][points] reals */
  bool reacts;                       /* some of their laws have a reaction */
  int per_group;                     /* elements of a group */
  hk_kernel *kernel;
} hk_integrand;

enum { HK_MOST_INTEGRANDS = 3 * HK_SHAPE_COUNT };
enum {
  HK_ABOUT_HEAD = 3,
  HK_ABOUT_EACH = 3,
  HK_ABOUT = HK_ABOUT_HEAD + HK_ABOUT_EACH * HK_MOST_INTEGRANDS
}; /* operator/assembly/lists.k.h */

/* Mesh and laws on the device. */
typedef struct hk_assembly_sent {
  hk_buffer *x;            /* [rows][dim] double */
  hk_buffer *law, *law_of; /* [laws][HK_LAW] reals, then tables; [elements] int */
  hk_buffer *t;            /* [rows][2] reals: desc.on.warm->t, before; NULL: no law has a table */
  hk_buffer *kind;         /* [elements] int: its integrand */
  hk_buffer *given_of; /* [elements] int: place in `given`, in units; -1: a kernel integrates it */
  hk_buffer *given, *about; /* matrices that no kernel integrates, block by block; [HK_ABOUT] int */
  hk_count *given_first;    /* [blocks + 2] reals: where those of a block begin, springs, the end */
  hk_count *given_count;    /* [blocks] elements that no kernel integrates; behind given_first */
  int unit;                 /* reals; `size` but where elements of a family stand beside others */
  hk_buffer *folded;        /* [1] int: not 0 if an element is folded */
  hk_buffer *scale;         /* desc.scaled: [elements, then springs] reals; else NULL */
  int laws, rows;           /* of all tables */
} hk_assembly_sent;

/* Rows whose elements' matrices fit the scratch, chunk by chunk. */
typedef struct hk_assembly_chunks {
  int chunks;
  hk_index *row;           /* [chunks + 1] */
  hk_index *first, *count; /* [chunks], of `list` */
  hk_buffer *list, *slot;  /* elements of the chunks; the place of each row's element in `matrix` */
} hk_assembly_chunks;

/* How a group of threads sums rows. */
typedef struct hk_assembly_sums {
  bool fans;  /* rows integrate for themselves */
  bool heavy; /* rows too long for local memory */
  int rows;   /* of a group */
  hk_count span;
  hk_buffer *where;          /* [around_entries][stride] uint16: places in rows */
  hk_kernel *kernel, *clear; /* fans, gather or dense; DENSE */
} hk_assembly_sums;

typedef struct hk_assembly {
  hk_assembly_desc desc;
  hk_neighbours *neighbours;
  hk_index rows;                             /* nodes: space->padded */
  hk_index width;                            /* ELL: entries of a line */
  hk_buffer *row_begin, *row_of, *column_of; /* of the format; NULL where it has none */
  hk_buffer *value;  /* reals: dim^2 entries; ELL: width dim rows; DENSE: (dim rows)^2 */
  double seconds[3]; /* of the stages, the last of the latest fill; compiling left out */
  /* of the last, where timed: element matrices, where rows do not integrate themselves */
  double seconds_elements;

  /* private: */
  hk_assembly_sent sent;
  struct hk_assembly_family *
      *family; /* family[block] integrates what `sent.given` holds of it; NULL: the host */
  int integrands;
  hk_integrand *integrand; /* [integrands] */
  int size;                /* reals of an element's matrix */
  hk_buffer *matrix;       /* [..][size] reals: element matrices of a chunk or a list */
  hk_index listed;         /* ELEMENTS: that `matrix` has room for */
  hk_assembly_chunks chunks;
  hk_assembly_sums sums;
  hk_pool pool; /* its arrays, buffers and kernels, but for `value` */
} hk_assembly;

/* HK_BAD_INPUT: an element without section; HK_NO_RESOURCES. */
hk_status hk_assembly_create(const hk_assembly_desc *desc, hk_assembly **out);
void hk_assembly_destroy(hk_assembly **assembly);

/* Stage 3, from the regions as they are now (the mesh, and which region has a law that varies, as they were). HK_BAD_INPUT names a folded
 * element. Neither allocates on the device nor compiles. */
hk_status hk_assembly_fill(hk_assembly *assembly);

/* desc.scaled: the factors of the next fills, scale[element of the mesh]; NULL: 1, as they are at first. Those of springs stay 1. */
hk_status hk_assembly_scale(hk_assembly *assembly, const double *scale);

/* Format ELEMENTS: matrix [count][size] of the elements list[first ...] of the device, but of those that are given (given_of), whose
 * matrices stay as they are; count is at most `listed`. */
hk_status hk_assembly_integrate(hk_assembly *assembly, const hk_buffer *list, hk_index first,
                                hk_index count);
/* Waits; HK_BAD_INPUT names an element that was folded. */
hk_status hk_assembly_check(hk_assembly *assembly);

/* The matrix in host order; NODES, COO and CSR alone. */
hk_status hk_assembly_read(const hk_assembly *assembly, hk_csr *out);

/* Bytes on the device that a stage keeps: 0 the lists of neighbours; 1 indices and what stage 3 looks up; 2 values, and element matrices at
 * work; 3: mesh and laws, which were sent before. */
enum { HK_ASSEMBLY_SENT = 3, HK_ASSEMBLY_PARTS };
hk_count hk_assembly_stage_bytes(const hk_assembly *assembly, int stage);
hk_count hk_assembly_bytes(const hk_assembly *assembly); /* all of them */
/* Numbers that K has: dim^2 entries. */
static inline hk_count hk_assembly_nonzeros(const hk_assembly *k)
{
  return k->neighbours->entries * k->desc.on.space->components * k->desc.on.space->components;
}

/* Reals of a law on the device (physics/tangent.k.h). */
enum { HK_LAW = 39 };
