/* Iterations for A w = b on a device in rounds, A = T^T K T (solver/linear/reduced.h): what conjugate gradients and IDR share. Iterations carry
 * the residual r on, which drifts; a round ends where r . r is small enough, and the next one begins from r = T^T (f - K x) computed anew.
 *
 *   s->kind = &kind, s->a = a, s->m = m;
 *   HK_TRY(hk_rounds_create(s, iterations));
 *   HK_TRY(hk_graph_record(s->on.device, record, s, &s->on.graph));
 *   HK_TRY(hk_rounds_solve(s, run, f, u, report));
 *   hk_iteration_clear(&s->on); */
#pragma once
#include "solver/linear/krylov.h"
#include "solver/linear/method.h"

typedef struct hk_preconditioner {
  bool double_precision; /* of r and z; cg converts */
  int every;             /* iterations between two looks at r . r: a cheap one has many */
  hk_count bytes;
  hk_status (*apply)(void *data, const hk_buffer *r, hk_buffer *z); /* z = M r: launches alone */
  void (*destroy)(void *data);
  void *data;
} hk_preconditioner;
void hk_preconditioner_destroy(hk_preconditioner *preconditioner);

enum { HK_MOST_SCALARS = 38 };

typedef struct hk_rounds hk_rounds;
typedef struct hk_rounds_kind {
  int sums;    /* of a group at a time, 2 at least */
  int most;    /* rounds */
  int scalars; /* numbers that iterations pass on, HK_SCALAR_... first; HK_MOST_SCALARS at most */
  bool ahead;  /* where the device computes beside the host, iterations go on while it looks */
  /* launches behind which recurrences begin anew; NULL: none */
  hk_status (*restart)(const hk_rounds *s);
  /* launches: the first r . r of a round from the sums of groups */
  hk_status (*fold)(const hk_rounds *s);
  /* the error of iterations that ended without a solution, for HK_SCALAR_DONE */
  hk_status (*refuse)(const hk_rounds *s, const hk_solve_run *run, const hk_linear_report *report,
                      int reason);
} hk_rounds_kind;

struct hk_rounds {
  const hk_rounds_kind *kind;
  const hk_reduced *a;        /* borrowed */
  const hk_preconditioner *m; /* borrowed */
  hk_iteration on;
  hk_buffer *f, *x, *r, *z, *q;               /* z = M r, q = A by some vector */
  hk_kernel *dots, *dot, *advance, *residual; /* of krylov.k.h */
};

/* kind, a and m are set, the rest is zero; iterations: at most. hk_iteration_clear(&s->on) also after a failure. */
hk_status hk_rounds_create(hk_rounds *s, int iterations);
/* f[n], u[n]: u is filled and satisfies the constraints before and after. Fills iterations, residual, history of the report, which is
 * empty. */
hk_status hk_rounds_solve(hk_rounds *s, const hk_solve_run *run, const double *f, double *u,
                          hk_linear_report *report);
