/* What the files of one library each share. */
#pragma once
#include "device/library.h"
#include "solver/linear/direct/factor.h"

enum { HK_MOST_SYMBOLS = 16 };

typedef struct hk_host_library { /* opened at the first question, and never closed */
  const char *const *names;      /* the first that opens is taken */
  struct {
    const char *name;
    void **to; /* of a pointer to the function */
  } symbol[HK_MOST_SYMBOLS];
  const char *title; /* as the method's name has it */
  bool tried, there; /* there: it is open, and has all symbols */
  void (*blas_threads)(int threads);
} hk_host_library;
/* Whether it is there. Any thread. */
bool hk_host_library_load(hk_host_library *library);

typedef struct hk_factor_kind {
  const char *name;
  bool dense, on_device;
  bool orders_itself; /* "auto" passes it over where an ordering is asked for that it cannot take */
  bool unsymmetric;   /* factors A = L U too */
  bool stops;         /* create looks at desc->stop itself */
  hk_library vendor;  /* of the device's vendor, on the device */
  hk_host_library *library[2]; /* of the host: either serves */
  const char *absent;          /* what to say where none is there */
  /* f->n, f->device and f->library are set; fills the rest. Frees what it no longer needs of the matrix. */
  hk_status (*create)(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor *f);
  hk_status (*solve)(hk_factor *f, double *x);
  void (*destroy)(hk_factor *f); /* also after a failure */
} hk_factor_kind;

struct hk_factor {
  const hk_factor_kind *kind;
  const hk_host_library *library;
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

/* Bytes without which a library was not opened; 0: none was passed over. */
hk_count hk_factor_missing_room(void);
/* Tells the BLAS of the factor's library how many threads to use, where it can be told; fewer where there is no room for them. */
void hk_factor_set_threads(const hk_factor *f);
