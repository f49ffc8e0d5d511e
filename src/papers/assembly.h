/* Stage 3 in other people's ways, to compare ours with (papers/elementwise.k.h): on meshes of one shape, of plain elements. */
#pragma once
#include "operator/assembly/assembly.h"

typedef enum hk_assembly_way {
  HK_ASSEMBLE_SAME, /* Sanfui, Sharma: integration and assembly in one kernel, atomics; of conduction without reaction: Keating */
  HK_ASSEMBLE_SEPARATE, /* in two, with all element matrices in the device's memory between them */
  HK_ASSEMBLE_SHARED_NZ, /* Cecka, Lew, Darve: a thread per nonzero, element matrices in local memory */
  HK_ASSEMBLE_COLOURS, /* Cecka, Lew, Darve; Komatitsch: elements of one colour at once, a thread each, without atomics */
  HK_ASSEMBLE_WAYS
} hk_assembly_way;

const char *hk_assembly_way_name(hk_assembly_way way);

typedef struct hk_assembly_filled {
  double seconds; /* of the launches; set-up and compiling left out */
  /* COLOURS: seconds that the host took to colour the elements, part of the set-up */
  double colouring;
  hk_count bytes;   /* of device memory that the way wants beside the matrix */
  hk_index colours; /* COLOURS: launches of a fill */
} hk_assembly_filled;

/* Fills assembly->value that way. The atomics of the first two are bit-reproducible only where one thread adds. HK_BAD_INPUT: mixed shapes or
 * elements that no kernel integrates; HK_NO_RESOURCES. */
hk_status hk_assembly_fill_by(hk_assembly *assembly, hk_assembly_way way, hk_assembly_filled *out);
