/* Stage 3 in other people's ways, to compare ours with (papers/elementwise.k.h): on meshes of one shape, of plain elements. */
#ifndef HK_PAPERS_ASSEMBLY_H
#define HK_PAPERS_ASSEMBLY_H
#include "operator/assembly/assembly.h"

typedef enum hk_assembly_way {
  HK_ASSEMBLE_SAME, /* Sanfui, Sharma: integration and assembly in one kernel, atomics; of conduction without reaction: Keating */
  HK_ASSEMBLE_SEPARATE, /* in two, with all element matrices in the device's memory between them */
  HK_ASSEMBLE_SHARED_NZ, /* Cecka, Lew, Darve: a thread per nonzero, element matrices in local memory; not into ELL */
  HK_ASSEMBLE_WAYS
} hk_assembly_way;

const char *hk_assembly_way_name(hk_assembly_way way);

/* Fills assembly->value that way; *seconds of the launches, set-up and compiling left out; *bytes of memory that the way wants beside
 * the matrix. The first two are bit-reproducible only where one thread adds. HK_BAD_INPUT: mixed shapes or elements that no kernel
 * integrates; HK_NO_RESOURCES. */
hk_status hk_assembly_fill_by(hk_assembly *assembly, hk_assembly_way way, double *seconds,
                              hk_count *bytes);
#endif
