/* What the files of an assembly share. */
#pragma once
#include "operator/assembly/assembly.h"
#include "operator/springs.h"

/* HOST_...: what the host's variants are compiled for. Scratch: bytes of element matrices (measured). */
enum {
  HK_HOST_SPAN = 1024,
  HK_HOST_FAN_ROWS = 8,
  HK_HOST_FAN_SPAN = 128,
  HK_INDEX_ROWS = 4,
  HK_FAN_THREADS = 64,
  HK_FAN_ROWS = 16,
  HK_FAN_STEP = 4,
  HK_GATHER_THREADS = 128,
  HK_LOCAL_LISTS = 24 << 10, /* of local memory that sums must leave */
  HK_SCRATCH_SHARE = 64,     /* of the device's memory: a 64th */
  HK_DENSE_ROWS = 32,        /* of a group of operator/dense/dense.k.h */
  HK_DENSE_CHUNK = 256,
  HK_HOST_SCRATCH = 64 << 20
};

/* Rows of a group of indices.k.h. */
static inline int hk_assembly_rows(const hk_assembly *a)
{
  return hk_kernel_size(hk_device_describe(a->desc.on.device), HK_INDEX_ROWS, 1);
}

/* Threads of a group: those that are asked for, or its own number. */
static inline int hk_assembly_threads(const hk_assembly *a, int own)
{
  return hk_device_describe(a->desc.on.device)->compiles && a->desc.threads ? a->desc.threads : own;
}

static inline hk_count hk_assembly_real(const hk_assembly *a)
{
  return a->desc.on.double_precision ? 8 : 4;
}

/* Those of the mesh, then springs. */
static inline hk_count hk_assembly_elements(const hk_assembly *a)
{
  hk_count springs;
  hk_springs_in(&a->desc.on, &springs);
  return a->desc.on.space->mesh->element_count + springs;
}

/* Bytes of local memory that a group's sums may have. */
hk_count hk_assembly_local(const hk_assembly *a);

/* Bytes of element matrices at once. */
hk_count hk_assembly_scratch(const hk_device *device);

/* What goes to the device: nodes in the space's numbering, coordinates, laws, kinds; room for matrices of elements that no kernel integrates. */
hk_status hk_assembly_send(hk_assembly *a, hk_index **node, int *stride);
/* What a fill takes from the regions. */
hk_status hk_assembly_send_laws(hk_assembly *a);
hk_status hk_assembly_send_given(hk_assembly *a);
/* Reals of the place of a given matrix of a block. */
int hk_assembly_given_size(const hk_assembly *a, const hk_block *block);
/* Whether elements of a family stand beside others with matrices of other sizes. */
bool hk_assembly_mixes(const hk_mesh *mesh);
/* The matrices of hk_assembly_send_given of a block by kernels (operator/integration/integral.h), where it is a family of solids with plain laws and
 * one rule, from the regions as they are now. *out stays as it is where it is not. *done: whether they are in sent.given, none is folded and no
 * law that was isotropic is another. */
typedef struct hk_assembly_family hk_assembly_family;
hk_status hk_assembly_family_create(const hk_assembly *a, int block, hk_assembly_family **out);
void hk_assembly_family_destroy(hk_assembly_family **family);
hk_status hk_assembly_family_fill(const hk_assembly *a, hk_assembly_family *family, bool *done);
/* Of operator/dense/dense.k.h; threads: of a group, with a row each; 0: the device's own, HK_DENSE_ROWS rows. */
hk_status hk_dense_kernel(hk_pool *pool, const hk_operator_desc *on, const char *function,
                          int threads, hk_kernel **out);
/* Kernels of stage 3, and their scratch. */
hk_status hk_assembly_prepare(hk_assembly *a);
