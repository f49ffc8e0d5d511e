/* Solving a model, and asking beforehand what that will take.
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
  const char *stage;     /* "read", "mesh", "assemble", "solve", "output" */
  hk_count step, steps;  /* solve */
  double time, end_time; /* simulated */
  double seconds_left;   /* ETA; < 0: unknown */
  double dofs_per_second;
  double energy;       /* kinetic + strain */
  double energy_error; /* |balance| / largest energy so far */
  int iteration;       /* static steps: of the solver; 0: none */
  double residual;     /* then: |f - K u| / |f| */
} hk_progress;

typedef struct hk_run_desc {
  const char *output;       /* result folder; made if it is not there */
  const char *device;       /* NULL or "auto"; "cpu", "cuda[:n]", "opencl[:n]" */
  const char *toolkit;      /* folder of a CUDA toolkit to look into first; may be NULL */
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
  bool keep_checkpoint;      /* at the end too: a restart can go on to a later end */
  double read_seconds;       /* spent in hk_model_read, for run.json */
  const char *command;       /* command line, kept in run.json; may be NULL */
  void (*progress)(const hk_progress *progress,
                   void *user); /* may be NULL; as each stage begins, and at most 10 times a second
                                   while it solves */
  bool (*stop)(void *user);     /* may be NULL; true: write a checkpoint and return HK_STOPPED */
  void *user;
} hk_run_desc;

/* A `stop` of descriptors: *user is a bool that another thread sets to true. Bindings need not call back for it. */
HK_API bool hk_stop_when_set(void *user);

/* Solves every step of the model and writes the result folder. *json (if json is not NULL) =
 * contents of run.json, also on failure where a run began; owned by the caller, hk_text_free. */
HK_API hk_status hk_run(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                        char **json);

/* What can be told before a model is read, which may take long: a folder that holds a finished run or cannot be written, a checkpoint or block
 * file that is not there, a device that this machine does not have. hk_run asks the same. */
HK_API hk_status hk_run_ready(const hk_run_desc *desc, hk_messages *list);

/* hk_check: everything that `hooke check` prints, as one JSON object: mesh quality, points per
 * wavelength per material, dt and the element that sets it, memory, disk and time predicted.
 * Warnings and errors go to `list`. */
HK_API hk_status hk_check(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                          char **json);

/* The same of a case whose mesh is large, in an instant: the mesh is not made or read. *json = NULL where there is nothing to tell ahead (decks,
 * small or wrong models). *complete: a plain box or rectangle in time, of which nodes, elements, dt and quality are exact and hk_check
 * would add nothing; else "estimated" is true: hk_check finds the exact answer. Of mesh files (.msh, .vtu) nodes and elements are told as
 * the file announces them, elements of boundaries too, and "memory_bytes_at_least", of the mesh alone. */
HK_API hk_status hk_check_ahead(const hk_model_desc *model, const hk_run_desc *how,
                                hk_messages *list, char **json, bool *complete);

/* What is in a mesh, deck, case or result, as JSON. */
HK_API hk_status hk_info(const char *path, hk_messages *list, char **json);

typedef struct hk_partition_how {
  const char *method;  /* NULL or "aligned"; "greedy", "metis", "bisection" */
  int size;            /* most nodes of a block, a multiple of 32; 0: 512 */
  const char *output;  /* block file; NULL: none */
  const char *picture; /* PNG of the blocks; NULL: none */
} hk_partition_how;

/* Puts the nodes of a mesh, deck or case into blocks of threads (Huthwaite 2014, section 3), arranged
 * in memory. *json: nodes, blocks, efficiency = nodes / (blocks * size), seconds. HK_USAGE for a
 * method that is unknown or not installed, HK_NOT_WRITABLE. */
HK_API hk_status hk_partition(const char *path, const hk_partition_how *how, hk_messages *list,
                              char **json);

/* Devices found, the processor first, as a JSON list: device (the name for hk_run_desc), name, instruction_set,
 * memory_bytes, threads, copy_gb_per_s, stream_gb_per_s; or device and error where one cannot be used. Of desc
 * threads, toolkit and cache are taken. */
HK_API hk_status hk_devices(const hk_run_desc *desc, char **json);

/* Known answers on desc->device, or on every device where that is NULL; *json = list of {device, test, error,
 * tolerance, passed}. HK_CHECK_FAILED if one fails. */
HK_API hk_status hk_selftest(const hk_run_desc *desc, char **json);

#ifdef __cplusplus
}
#endif
#endif
