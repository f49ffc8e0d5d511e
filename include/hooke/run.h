/* Solves a model, and predicts what a run of it needs.
 *
 *   hk_run_desc how = {.output = "weld.hooke"};
 *   hk_messages *list = NULL;
 *   hk_model *model = NULL;
 *   char *json = NULL;
 *   hk_messages_create(&list);
 *   if (hk_model_read("weld.inp", NULL, 0, list, &model) == HK_OK &&
 *       hk_run(model, &how, list, &json) == HK_OK)
 *     puts(json);
 *   hk_text_free(&json);
 *   hk_model_destroy(&model);
 *   hk_messages_destroy(&list);
 */
#ifndef HOOKE_RUN_H
#define HOOKE_RUN_H
#include <hooke/model.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hk_precision { HK_PRECISION_DEFAULT, HK_SINGLE, HK_DOUBLE } hk_precision;

typedef struct hk_progress {
  const char *stage; /* "read", "mesh", "assemble", "solve", "output", then "pictures", "report" */
  hk_count step, steps;  /* solve */
  double time, end_time; /* simulated */
  double
      seconds_left; /* ETA, with pictures and report as the last run like it took; < 0: unknown */
  double dofs_per_second;
  double energy;       /* kinetic + strain */
  double energy_error; /* |balance| / largest energy so far */
  int iteration;       /* static steps: of the solver; 0: none */
  double residual;     /* then: |f - K u| / |f| */
} hk_progress;

typedef struct hk_run_desc {
  const char *output; /* result folder; created if missing */
  /* NULL or "auto"; "cpu", "cuda[:n]", "opencl[:n]"; several of one kind share shots or step one model: "cuda:0,cuda:1", or "all" that there
   * are, GPUs before the processor */
  const char *device;
  /* between several devices: "peers" or "memory"; NULL: peers where they reach one another. Given: shots are not shared out. Between ranks of MPI: "mpi",
   * "mpi-device" or "nccl"; NULL: the fastest */
  const char *link;
  const char *toolkit;      /* folder of a CUDA toolkit, searched first; may be NULL */
  const char *cache;        /* folder that keeps compiled kernels between runs; NULL: none */
  hk_precision precision;   /* default: single for explicit */
  int threads;              /* 0: as many as the machine has */
  const char *restart;      /* NULL: from the start; "auto": from the folder's checkpoint; or a
                                checkpoint's path */
  const char *blocks;       /* block file (hooke partition): the paper's method with its blocks; may
                                be NULL */
  bool force;               /* overwrite a finished run */
  const char *field_format; /* NULL or "vtkhdf"; "vtu" */
  bool no_pictures;         /* skip PNG pictures and report.html */
  double checkpoint_seconds; /* wall time between checkpoints; 0: 60 */
  hk_count checkpoint_steps; /* or steps between them; 0: by time */
  bool keep_checkpoint;      /* keep the one of the end: a restart can continue to a later end */
  double read_seconds;       /* spent in hk_model_read, for run.json */
  const char *command;       /* command line, kept in run.json; may be NULL */
  /* may be NULL; called when a stage begins, and at most 10 times a second while hooke solves */
  void (*progress)(const hk_progress *progress, void *user);
  bool (*stop)(void *user); /* may be NULL; true: write a checkpoint and return HK_STOPPED */
  void *user;
} hk_run_desc;

/* A function for the member `stop` of descriptors: returns *(bool *)user, which another thread sets to true. Bindings that use it need no
 * callback of their own. */
HK_API bool hk_stop_when_set(void *user);

/* Solves every step of the model and writes the result folder. *json (if json is not NULL) =
 * contents of run.json, also after a failure if the run had begun; owned by the caller, hk_text_free. */
HK_API hk_status hk_run(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                        char **json);

/* Checks before a model is read, which may take long: the result folder has a finished run or cannot be written, a checkpoint or block file is
 * missing, the machine does not have the device. hk_run makes the same checks. */
HK_API hk_status hk_run_ready(const hk_run_desc *desc, hk_messages *list);

/* Everything that `hooke check` prints, as one JSON object: mesh quality, points per
 * wavelength per material, dt and the element that sets it, predicted memory, disk space and time.
 * "memory_bytes" is null where a trial with a part of the mesh fails; a note says why, and "memory_bytes_at_least" is less than a run takes.
 * Warnings and errors go to `list`. */
HK_API hk_status hk_check(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                          char **json);

/* Predicts the same at once for a case with a large mesh, which is neither generated nor read. *json = NULL if there is no prediction (decks,
 * small or wrong models). *complete = true for an explicit run on a plain box or rectangle: nodes, elements, dt and quality are exact, and hk_check
 * would add nothing. Otherwise "estimated" is true, and hk_check finds the exact answer; *complete is true then where the memory that is free does
 * not hold the mesh ("check_memory_bytes"), which a warning says. For mesh files (.msh, .vtu) the result has the numbers of
 * nodes and elements that the file states, boundary elements included, and "memory_bytes_at_least", the memory of the mesh alone. */
HK_API hk_status hk_check_ahead(const hk_model_desc *model, const hk_run_desc *how,
                                hk_messages *list, char **json, bool *complete);

/* *json = the contents of a mesh, deck, case or result, in short. */
HK_API hk_status hk_info(const char *path, hk_messages *list, char **json);

typedef struct hk_partition_how {
  /* "aligned", "aligned-paper", "greedy", "metis", "bisection"; NULL: aligned for 2D meshes, bisection for 3D ones */
  const char *method;
  int size;            /* most nodes of a block, a multiple of 32; 0: 512 */
  const char *output;  /* block file; NULL: none */
  const char *picture; /* PNG of the blocks; NULL: none */
  bool sweep; /* count blocks of 64, 128, ..., 2048 nodes instead; size, output and picture unset */
  /* block file of the mesh that this one was changed from: blocks around which nothing changed are kept; method and size unset; NULL:
   * none */
  const char *reuse;
} hk_partition_how;

/* Partitions the nodes of a mesh, deck or case into blocks for thread groups, with their places in memory
 * (Huthwaite 2014, section 3). *json: nodes, blocks, efficiency = nodes / (blocks * size), seconds; of a sweep the list `sweep`: for each
 * size blocks, efficiency, links that a row of 32 nodes loads on average, bytes of a step by the paper's count in single and double
 * precision, seconds. HK_USAGE for a method that is unknown or not installed, or a sweep with a size or a file; HK_NOT_WRITABLE.
 * Where a file is reused blocks_kept of the blocks are its own. */
HK_API hk_status hk_partition(const char *path, const hk_partition_how *how, hk_messages *list,
                              char **json);

/* Writes the points at which the injections of a case need their waves into a CSV file, which `at: {file: ...}` of traces takes: the nodes of all elements
 * outside the sets that have nodes of the sets; about an axis their radius and height. *json: path, points, file. HK_BAD_INPUT: no injection, or
 * no element outside. */
HK_API hk_status hk_injection_points(const hk_model_desc *model, const char *file,
                                     hk_messages *list, char **json);

/* Devices found, the processor first, as a JSON list: device (the name for hk_run_desc), name, instruction_set,
 * memory_bytes, threads, copy_gb_per_s, stream_gb_per_s; device and error if it cannot be used. desc gives
 * threads, toolkit and cache. */
HK_API hk_status hk_devices(const hk_run_desc *desc, char **json);

/* Solves problems with known answers on desc->device, or on every device if that is NULL; *json = list of {device, test, error,
 * tolerance, passed}. HK_CHECK_FAILED if a test fails. */
HK_API hk_status hk_selftest(const hk_run_desc *desc, char **json);

#ifdef __cplusplus
}
#endif
#endif
