/* What the files of one library each share. */
#ifndef HK_SOLVER_LINEAR_DIRECT_FACTOR_PARTS_H
#define HK_SOLVER_LINEAR_DIRECT_FACTOR_PARTS_H
#include "solver/linear/direct/factor.h"

typedef struct hk_factor_kind {
  const char *name;
  bool dense, on_device;
  bool orders_itself; /* "auto" passes it over where an ordering is asked for that it cannot take */
  bool stops;         /* create looks at desc->stop itself */
  bool (*available)(const hk_device *device, const char **why);
  /* f->n and f->device are set; fills the rest. Frees what it no longer needs of the matrix. */
  hk_status (*create)(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor *f);
  hk_status (*solve)(hk_factor *f, double *x);
  void (*destroy)(hk_factor *f); /* also after a failure */
} hk_factor_kind;

struct hk_factor {
  const hk_factor_kind *kind;
  hk_device *device;
  int threads;
  hk_index n;
  hk_count bytes;
  char name[40];
  hk_factor_matrix matrix; /* what the factors still need of it */
  void *data;              /* the library's own */
};

extern const hk_factor_kind hk_factor_mumps, hk_factor_cholmod, hk_factor_lapack,
    hk_factor_cusolver_dense, hk_factor_cusolver, hk_factor_cudss;

/* Symbols of a library: the first of names[] (NULL at the end) that opens; NULL: none, or no room for it. Stays open. */
void *hk_factor_open(const char *const *names);
/* Bytes without which a library was not opened; 0: none was passed over. */
hk_count hk_factor_missing_room(void);
/* Tells the BLAS of a library how many threads to use (set NULL: it cannot be told); fewer where there is no room for them. */
void hk_factor_set_threads(void (*set)(int threads), int threads);
#endif
