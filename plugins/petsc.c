/* The plug-in between hooke and PETSc (src/solver/linear/petsc/plugin.h), compiled with the MPI that PETSc was compiled with.
 *
 * A is a MATAIJ of blocks, or what -mat_type names. Defaults of the solver are set by calls, then the options of the model are read, so that they come
 * last. Those that nothing has asked for after the set-up are unknown, or of no use to what was chosen: they are refused by name. Options of the environment and of
 * .petscrc are not read: a model gives the same result wherever it runs. Errors of PETSc are kept as words; none is printed. */
#include "solver/linear/petsc/plugin.h"
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PETSC_USE_COMPLEX
#error "hooke needs PETSc with real scalars"
#endif
_Static_assert(sizeof(PetscScalar) == sizeof(double), "PETSc computes in double precision");

typedef struct solver {
  Mat a;
  KSP ksp;
  Vec right, x;
  void *test; /* of KSPConvergedDefault */
  int several, broken;
  int own_tolerance, own_iterations; /* the options name them */
  const hk_petsc_run *run;           /* now */
  int stopped;
} solver;

static char words[512];
static MPI_Comm all = MPI_COMM_NULL; /* a copy of MPI_COMM_WORLD; none: one process works */
static int opened, begun_here;

static const char *tell(void)
{
  return words;
}

static int fail(int kind, const char *text)
{
  snprintf(words, sizeof words, "%s", text);
  return kind;
}

/* The first error of a call is what went wrong; those behind it say where it came by. */
static PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *file,
                           PetscErrorCode code, PetscErrorType type, const char *message,
                           void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  const char *general = NULL;
  if (type != PETSC_ERROR_INITIAL) return code;
  PetscErrorMessage(code, &general, NULL);
  snprintf(words, sizeof words, "%s",
           message && message[0] && message[0] != ' ' ? message
           : general                                  ? general
                                                      : "an error");
  for (char *c = words; *c; c++)
    if (*c == '\n') *c = ' ';
  return code;
}

static int kind_of(PetscErrorCode code)
{
  switch (code) {
  case PETSC_ERR_MEM: return HK_PETSC_NO_MEMORY;
  case PETSC_ERR_NOT_CONVERGED:
  case PETSC_ERR_MAT_LU_ZRPVT:
  case PETSC_ERR_MAT_CH_ZRPVT: return HK_PETSC_UNSOLVED;
  default: return HK_PETSC_FAILED;
  }
}

static void name(char *text, size_t size)
{
  snprintf(text, size, "PETSc %d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
           PETSC_VERSION_SUBMINOR);
}

static void close_all(void)
{
  int ended = 0;
  MPI_Finalized(&ended);
  if (!opened || ended) return;
  opened = 0;
  PetscOptionsClear(NULL);
  PetscFinalize();
  if (all != MPI_COMM_NULL) MPI_Comm_free(&all);
  if (begun_here) MPI_Finalize();
}

/* A process of a launcher that is to work alone must not begin MPI: the others do not. */
static int begin_mpi(int several)
{
  const char *launched = getenv("OMPI_COMM_WORLD_SIZE");
  int begun = 0, level;
  MPI_Initialized(&begun);
  if (begun) return HK_PETSC_OK;
  if (!launched) launched = getenv("PMI_SIZE");
  if (!several && launched && atoi(launched) > 1)
    return fail(HK_PETSC_FAILED, "this process was started by a launcher of MPI and is to work "
                                 "alone: start it without the launcher");
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0); /* Open MPI: one process needs no daemon */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level))
    return fail(HK_PETSC_FAILED, "MPI cannot be begun");
  begun_here = 1;
  return HK_PETSC_OK;
}

static int open_all(int several)
{
  char program[] = "hooke", no_file[] = "-skip_petscrc", no_signals[] = "-no_signal_handler";
  char *list[] = {program, no_file, no_signals, NULL}, **arguments = list;
  int count = 3, code;
  code = opened ? HK_PETSC_OK : begin_mpi(several);
  if (code) return code;
  if (several && all == MPI_COMM_NULL && MPI_Comm_dup(MPI_COMM_WORLD, &all))
    return fail(HK_PETSC_FAILED, "no communicator");
  if (opened) return HK_PETSC_OK;
  PETSC_COMM_WORLD = several ? all : MPI_COMM_SELF;
  if (PetscInitialize(&count, &arguments, NULL, NULL))
    return fail(HK_PETSC_FAILED, "PETSc cannot be begun");
  opened = 1;
  if (begun_here) atexit(close_all);
  PetscPushErrorHandler(keep, NULL);
  PetscOptionsClear(NULL);
  return HK_PETSC_OK;
}

/* Entries of each row of nodes, of columns in [first, end) and of the others. */
static void count_entries(const hk_petsc_rows *r, PetscInt *own, PetscInt *others)
{
  for (int64_t i = 0; i < r->rows; i++) {
    own[i] = others[i] = 0;
    for (int64_t e = r->begin[i]; e < r->begin[i + 1]; e++)
      if (r->column[e] >= r->first && r->column[e] < r->first + r->rows)
        own[i]++;
      else
        others[i]++;
  }
}

/* row[c][entries][c]: the blocks of a row side by side */
static void lay_out(const hk_petsc_rows *r, int64_t i, PetscInt *column, PetscScalar *row)
{
  const int c = r->components;
  const int64_t entries = r->begin[i + 1] - r->begin[i];
  for (int64_t e = 0; e < entries; e++) {
    const double *block = r->block + (r->begin[i] + e) * c * c;
    column[e] = r->column[r->begin[i] + e];
    for (int k = 0; k < c; k++)
      for (int q = 0; q < c; q++) row[(k * entries + e) * c + q] = block[k * c + q];
  }
}

static PetscErrorCode fill_matrix(const hk_petsc_rows *r, Mat a)
{
  int64_t most = 1;
  PetscInt *column;
  PetscScalar *row;
  PetscFunctionBeginUser;
  for (int64_t i = 0; i < r->rows; i++)
    if (r->begin[i + 1] - r->begin[i] > most) most = r->begin[i + 1] - r->begin[i];
  PetscCall(PetscMalloc2(most, &column, most * r->components * r->components, &row));
  for (int64_t i = 0; i < r->rows; i++) {
    const PetscInt number = (PetscInt)(r->first + i);
    lay_out(r, i, column, row);
    PetscCall(MatSetValuesBlocked(a, 1, &number, (PetscInt)(r->begin[i + 1] - r->begin[i]), column,
                                  row, INSERT_VALUES));
  }
  PetscCall(PetscFree2(column, row));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_matrix(const hk_petsc_rows *r, int symmetric, MPI_Comm comm, Mat *out)
{
  const PetscInt c = r->components, rows = (PetscInt)r->rows;
  PetscInt *own, *others;
  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, out));
  PetscCall(MatSetSizes(*out, rows * c, rows * c, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*out, c));
  PetscCall(MatSetType(*out, MATAIJ));
  PetscCall(MatSetFromOptions(*out));
  PetscCall(PetscMalloc2(rows, &own, rows, &others));
  count_entries(r, own, others);
  PetscCall(MatXAIJSetPreallocation(*out, c, own, others, NULL, NULL));
  PetscCall(PetscFree2(own, others));
  PetscCall(fill_matrix(r, *out));
  if (symmetric) PetscCall(MatSetOption(*out, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode give_modes(const hk_petsc_rows *r, Mat a)
{
  MatNullSpace modes;
  Vec x;
  PetscScalar *at;
  PetscFunctionBeginUser;
  if (!r->x) PetscFunctionReturn(0);
  PetscCall(MatCreateVecs(a, &x, NULL));
  PetscCall(VecSetBlockSize(x, r->components));
  PetscCall(VecGetArray(x, &at));
  memcpy(at, r->x, (size_t)(r->rows * r->components) * sizeof *at);
  PetscCall(VecRestoreArray(x, &at));
  PetscCall(MatNullSpaceCreateRigidBody(x, &modes));
  PetscCall(MatSetNearNullSpace(a, modes));
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

static PetscErrorCode progress(KSP ksp, PetscInt iteration, PetscReal residual, void *context)
{
  const solver *s = context;
  (void)ksp;
  if (s->run->progress) s->run->progress((int)iteration, residual, s->run->user);
  return 0;
}

/* As PETSc judges, or where some process is asked to stop. */
static PetscErrorCode judge(KSP ksp, PetscInt iteration, PetscReal residual,
                            KSPConvergedReason *reason, void *context)
{
  solver *s = context;
  int own, any;
  PetscFunctionBeginUser;
  PetscCall(KSPConvergedDefault(ksp, iteration, residual, reason, s->test));
  own = any = s->run->stop && s->run->stop(s->run->user);
  if (s->several) PetscCallMPI(MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, all));
  if (any) s->stopped = 1, *reason = KSP_DIVERGED_NULL;
  PetscFunctionReturn(0);
}

static PetscErrorCode is_given(const char *option, int *given)
{
  PetscBool there;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &there));
  *given = there;
  PetscFunctionReturn(0);
}

/* Defaults: those that a method of the model's own choice may not support are left to PETSc. */
static PetscErrorCode choose(solver *s, int symmetric)
{
  int method, preconditioner;
  PC pc;
  PetscFunctionBeginUser;
  PetscCall(is_given("-ksp_type", &method));
  PetscCall(is_given("-pc_type", &preconditioner));
  PetscCall(is_given("-ksp_rtol", &s->own_tolerance));
  PetscCall(is_given("-ksp_max_it", &s->own_iterations));
  PetscCall(KSPGetPC(s->ksp, &pc));
  if (!method) {
    PetscCall(KSPSetType(s->ksp, symmetric ? KSPCG : KSPGMRES));
    PetscCall(KSPSetNormType(s->ksp, KSP_NORM_UNPRECONDITIONED));
    if (!symmetric) PetscCall(KSPSetPCSide(s->ksp, PC_RIGHT));
    if (!symmetric) PetscCall(KSPGMRESSetRestart(s->ksp, 100));
  }
  if (!preconditioner && symmetric) PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPConvergedDefaultCreate(&s->test));
  PetscCall(KSPSetConvergenceTest(s->ksp, judge, s, NULL));
  PetscCall(KSPMonitorSet(s->ksp, progress, s, NULL));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode make(const hk_petsc_rows *r, const hk_petsc_how *how, solver *s)
{
  MPI_Comm comm = how->several ? all : MPI_COMM_SELF;
  PetscFunctionBeginUser;
  s->several = how->several;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, how->options));
  PetscCall(create_matrix(r, how->symmetric, comm, &s->a));
  PetscCall(give_modes(r, s->a));
  PetscCall(MatCreateVecs(s->a, &s->x, &s->right));
  PetscCall(KSPCreate(comm, &s->ksp));
  PetscCall(KSPSetOperators(s->ksp, s->a, s->a));
  PetscCall(choose(s, how->symmetric));
  PetscCall(KSPSetUp(s->ksp));
  PetscCall(KSPSetUpOnBlocks(s->ksp));
  PetscFunctionReturn(0);
}

/* The options that nothing has asked for, by name. */
static int check_options(void)
{
  PetscInt count = 0;
  char **names, **values, list[256] = "";
  size_t at = 0;
  if (PetscOptionsLeftGet(NULL, &count, &names, &values)) return HK_PETSC_FAILED;
  for (PetscInt k = 0; k < count && at < sizeof list; k++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s-%s", k ? ", " : "", names[k]);
  PetscOptionsLeftRestore(NULL, &count, &names, &values);
  if (!at) return HK_PETSC_OK;
  snprintf(words, sizeof words,
           "%s: PETSc does not know this option, or the solver that the options choose has no use "
           "for it",
           list);
  return HK_PETSC_BAD_OPTIONS;
}

static void destroy(void **out)
{
  solver *s = *out;
  *out = NULL;
  if (!s) return;
  if (!s->broken && opened) { /* after an error PETSc promises nothing: what it holds is left */
    KSPDestroy(&s->ksp);
    if (s->test) KSPConvergedDefaultDestroy(s->test);
    VecDestroy(&s->x);
    VecDestroy(&s->right);
    MatDestroy(&s->a);
  }
  free(s);
}

static int create(const hk_petsc_rows *rows, const hk_petsc_how *how, void **out)
{
  const int64_t most = PETSC_MAX_INT,
                entries = rows->begin[rows->rows] * rows->components * rows->components;
  solver *s = calloc(1, sizeof *s);
  if (!s) return fail(HK_PETSC_NO_MEMORY, "no memory");
  *out = s;
  if (rows->all * rows->components > most || entries > most)
    return fail(HK_PETSC_NO_MEMORY, "more unknowns or entries than this PETSc, whose integers have "
                                    "32 bits, can number: give more ranks");
  const PetscErrorCode code = make(rows, how, s);
  s->broken = code != 0;
  const int kind = kind_of(code);
  if (code) return how->options[0] && kind == HK_PETSC_FAILED ? HK_PETSC_BAD_OPTIONS : kind;
  return check_options();
}

static void describe(void *of, char *text, size_t size)
{
  const solver *s = of;
  KSPType method = "";
  PCType preconditioner = "";
  PC pc;
  if (KSPGetType(s->ksp, &method) || KSPGetPC(s->ksp, &pc) || PCGetType(pc, &preconditioner))
    return;
  snprintf(text, size, "%s, %s", method, preconditioner);
}

static PetscErrorCode iterate(solver *s, const double *right, double *x, hk_petsc_result *result)
{
  KSPConvergedReason reason;
  PetscInt count, size;
  PetscScalar *to;
  const PetscScalar *from;
  PetscFunctionBeginUser;
  PetscCall(KSPSetTolerances(s->ksp, s->own_tolerance ? PETSC_DEFAULT : s->run->tolerance,
                             PETSC_DEFAULT, PETSC_DEFAULT,
                             s->own_iterations ? PETSC_DEFAULT : s->run->iterations));
  PetscCall(VecGetLocalSize(s->right, &size));
  PetscCall(VecGetArray(s->right, &to));
  memcpy(to, right, (size_t)size * sizeof *to);
  PetscCall(VecRestoreArray(s->right, &to));
  PetscCall(KSPSolve(s->ksp, s->right, s->x));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &count));
  PetscCall(VecGetArrayRead(s->x, &from));
  memcpy(x, from, (size_t)size * sizeof *from);
  PetscCall(VecRestoreArrayRead(s->x, &from));
  result->iterations = (int)count;
  snprintf(result->reason, sizeof result->reason, "%s", KSPConvergedReasons[reason]);
  PetscFunctionReturn(0);
}

static int solve(void *of, const hk_petsc_run *run, const double *right, double *x,
                 hk_petsc_result *result)
{
  solver *s = of;
  s->run = run, s->stopped = 0;
  const PetscErrorCode code = iterate(s, right, x, result);
  s->run = NULL, s->broken = code != 0;
  result->stopped = s->stopped;
  return code ? kind_of(code) : HK_PETSC_OK;
}

extern const hk_petsc hk_petsc_plugin;
const hk_petsc hk_petsc_plugin = {.version = HK_PETSC_VERSION,
#ifdef OPEN_MPI
                                  .mpi = "Open MPI",
#elif defined(MPICH_VERSION)
                                  .mpi = "MPICH",
#else
                                  .mpi = "",
#endif
                                  .name = name,
                                  .open = open_all,
                                  .close = close_all,
                                  .create = create,
                                  .describe = describe,
                                  .solve = solve,
                                  .destroy = destroy,
                                  .words = tell};
