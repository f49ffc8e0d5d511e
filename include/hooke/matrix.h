/* A matrix of a system in a sparse format, on the system's device, and new values in the same pattern.
 *
 *  K = sum over elements e of s_e K_e, and springs      s: factors of a refill, 1 at first
 *  reduced: T^T K T of the constraints u = T w + offset
 *
 * K_e is the stiffness or conductance of an element with the heat exchange at its faces. A refill of K repeats stage 3 of the assembly alone: it
 * neither allocates on the device nor compiles, and gives the bits that a new matrix would have.
 *
 * Rows are the degrees of freedom of nodes that an element has, ascending (hk_sparse_view.dof). Arrays by format:
 *
 *  CSR  row_start[rows + 1], column[entries], value[entries]                 columns ascend in a row
 *  COO  row[entries], column[entries], value[entries]                        in the order of CSR
 *  ELL  column[width][rows], value[width][rows]                              -1 and 0 behind the end of a row
 *  BSR  row_start[rows + 1], column[entries], value[entries][size][size]     rows are nodes, size = components
 *
 *   hk_model_desc desc = {NULL};
 *   hk_sparse_desc half = {HK_SPARSE_CSR, HK_DOUBLE, true, true, false};
 *   hk_model *model = NULL;
 *   hk_system *system = NULL;
 *   hk_sparse_matrix *k = NULL;
 *   double scale[4] = {1, 0.5, 0.5, 1};
 *   desc.text = "mesh: {rectangle: {size: [2, 1], cells: [4, 1]}}\n"
 *               "materials: {steel: {density: 7800, young: 210 GPa, poisson: 0.3}}\n"
 *               "boundary: [{set: left, fix: [x, y]}, {set: right, traction: [1 kPa, 0]}]\n"
 *               "solve: {static: {}}\n";
 *   if (hk_model_create(&desc, NULL, &model) == HK_OK && hk_system_create(model, NULL, NULL, &system) == HK_OK &&
 *       hk_sparse_matrix_create(system, &half, &k) == HK_OK && hk_sparse_matrix_refill(k, scale, NULL) == HK_OK)
 *     printf("%lld entries\n", (long long)hk_sparse_matrix_view(k).entries);
 *   hk_sparse_matrix_destroy(&k);
 *   hk_system_destroy(&system);
 *   hk_model_destroy(&model);
 */
#ifndef HOOKE_MATRIX_H
#define HOOKE_MATRIX_H
#include <hooke/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_sparse_matrix hk_sparse_matrix;

typedef enum hk_sparse_format {
  HK_SPARSE_CSR,
  HK_SPARSE_COO,
  HK_SPARSE_ELL,
  HK_SPARSE_BSR,
  HK_SPARSE_FORMATS /* how many */
} hk_sparse_format;

typedef struct hk_sparse_desc {
  hk_sparse_format format;
  hk_precision precision; /* of the values; default: double */
  /* the lower triangle, diagonal included; BSR: blocks on and below the diagonal, whole */
  bool symmetric;
  bool reduced; /* T^T K T: free degrees of freedom alone; not BSR */
  bool mass;    /* the lumped mass, a diagonal matrix, in place of K; it has no refill */
} hk_sparse_desc;

typedef struct hk_sparse_view { /* arrays that the matrix owns; NULL where the format has none */
  hk_sparse_format format;
  bool symmetric;
  int value_bytes; /* of a number: 8 or 4 */
  int size;        /* of a block: 1, or components */
  /* where the arrays are but dof, in the numbers of DLPack: 1 host, 2 CUDA, 4 OpenCL (then each is a cl_mem) */
  int device, device_number;
  hk_index width;         /* ELL */
  hk_count rows, entries; /* ELL: entries = width * rows */
  const hk_count *row_start;
  const hk_index *row, *column;
  const void *value;
  /* dof[rows * size] on the host: node * components + component, as in hk_system */
  const hk_index *dof;
} hk_sparse_view;

/* "csr", ...; NULL: there is no such format. */
HK_API const char *hk_sparse_format_name(hk_sparse_format format);
/* What hk_sparse_matrix_create and _write would refuse whatever the model: to be asked before it is read. path (may be NULL): the file.
 * HK_USAGE, HK_NOT_WRITABLE. */
HK_API hk_status hk_sparse_desc_check(const hk_sparse_desc *desc, const char *path);

/* Assembles on the system's device: K of the step that is taken, without forces and prescribed values. The system is borrowed and must outlive the matrix.
 * HK_USAGE as hk_sparse_desc_check; HK_BAD_INPUT as hk_system_matrix and hk_system_mass; HK_NO_RESOURCES. */
HK_API hk_status hk_sparse_matrix_create(hk_system *system, const hk_sparse_desc *desc,
                                         hk_sparse_matrix **out);
HK_API void hk_sparse_matrix_destroy(hk_sparse_matrix **matrix);

/* New values in place; what reads the old ones must be done. scale[elements of hk_system_mesh], or NULL: 1. laws (may be NULL: those of the system's
 * model) is a model of the same mesh and sections with other materials or thicknesses. Both hold for this refill alone.
 * HK_USAGE: a mass matrix; the system has taken another step since. HK_BAD_INPUT: factors that are not finite, a model that differs in more than
 * numbers of its materials. After a failure the values are undefined. */
HK_API hk_status hk_sparse_matrix_refill(hk_sparse_matrix *matrix, const double *scale,
                                         const hk_model *laws);

/* Without a copy, on the device; valid as long as the matrix. Launches that fill it are done. */
HK_API hk_sparse_view hk_sparse_matrix_view(const hk_sparse_matrix *matrix);
/* The same on the host: copied where the device has memory of its own; valid until the next read or refill. HK_NO_RESOURCES. */
HK_API hk_status hk_sparse_matrix_read(hk_sparse_matrix *matrix, hk_sparse_view *out);

/* Writes the file whose format the extension of path selects (docs/matrix.md): .mtx, Matrix Market, of COO alone, with the nodes of
 * rows in NAME.unknowns.csv beside it; .npz for numpy and scipy; .h5. *json (may be NULL): a summary, the caller's (hk_text_free).
 * HK_USAGE: another extension, or a format that the file does not hold; HK_NOT_WRITABLE. */
HK_API hk_status hk_sparse_matrix_write(hk_sparse_matrix *matrix, const char *path, char **json);

#ifdef __cplusplus
}
#endif
#endif
