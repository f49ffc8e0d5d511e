/* What the files of the form "elements" share. */
#pragma once
#include "element/element.h"
#include "operator/operator.h"

enum { HK_ELEMENT_BATCHES = 2 * HK_SHAPE_COUNT };

typedef struct hk_element_batch { /* elements of one shape, all with differences or none */
  const hk_element *element;
  bool differences,
      whole;              /* whole: of an unsymmetric K, matrices row by row instead of triangles */
  hk_index count, padded; /* elements */
  hk_index from;          /* in the order of elements */
  hk_index first;         /* place of its corners */
  hk_buffer *node, *matrix;
  hk_kernel *product, *jacobi;
} hk_element_batch;

typedef struct hk_elements {
  hk_element_batch batch[HK_ELEMENT_BATCHES];
  int batches;
  hk_buffer *corner, *slice, *list;
  hk_count corners; /* reals of a shot's */
  int shots;        /* that `corner` has room for */
  hk_kernel *step[HK_FORM_COUNT][HK_DAMPINGS], *weigh;
  int group;
  hk_pool pool; /* buffers and kernels, but for `corner` */
} hk_elements;

/* Numbers that are kept of a matrix. */
static inline int hk_elements_packed(int nodes, int components, bool differences, bool whole)
{
  const int size = (nodes - differences) * components;
  return whole ? size * size : size * (size + 1) / 2;
}

/* Batches with their nodes and matrices, and the lists of corners, of an operator whose desc is set: on the device, the same bits in each run.
 * HK_BAD_INPUT names an element without section, or a folded one. */
hk_status hk_elements_make(const hk_operator *op, hk_elements *elements);
