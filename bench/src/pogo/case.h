/* What the parts of the bench of Huthwaite (2014) share: the paper's figures of a model, the model with its blocks, and a solver of it. */
#pragma once
#include "bench.h"
#include "papers/pogo/count.h"
#include "run/explicit/stage.h"

/* Tables 1, 2 and 4. Aligned, greedy; single, double. */
typedef struct hk_pogo_paper {
  const char *name;
  double nodes;         /* half of the degrees of freedom */
  double width, height; /* of the generated rectangle: the paper's area */
  const char *words;    /* the rest of the case file of the generated model */
  double efficiency[2], block_seconds[2], stepping_seconds[2][2], gb_per_s[2];
} hk_pogo_paper;

enum { HK_POGO_PARTITIONERS = HK_PARTITION_BISECTION + 1 };

/* What is measured. */
typedef enum hk_pogo_wanted {
  HK_POGO_BLOCKS = 1, /* partitions, without steps */
  HK_POGO_STEPS = 2,
  HK_POGO_SWEEP = 4, /* steps over the size of the blocks */
  HK_POGO_TRACES = 8,
  HK_POGO_DEVICE = 16, /* steps and sweep on the device, on the processor beside it */
  HK_POGO_HOST = 32,
  HK_POGO_SOLIDS = 64 /* boxes of tetrahedra and hexahedra instead of the paper's models */
} hk_pogo_wanted;

/* Blocks in a file. */
typedef struct hk_pogo_blocks {
  char name[64]; /* of the rows of its steps */
  char *file;    /* NULL: not made */
  double efficiency, partition_seconds, arrange_seconds;
  hk_block_count count;
} hk_pogo_blocks;

/* One model, with the block files made of it. */
typedef struct hk_pogo_case {
  hk_bench_job *job;
  const char *name;
  const hk_pogo_paper *paper; /* NULL: none of the paper's */
  unsigned wanted;            /* hk_pogo_wanted */
  hk_model *model;
  hk_pogo_blocks blocks[HK_POGO_PARTITIONERS]; /* of 512 nodes, by partitioner */
} hk_pogo_case;

/* What is stepped: the model on a device, in one form of K. */
typedef struct hk_pogo_trial {
  hk_problem *problem;
  hk_stage stage;
  hk_explicit *solver;
  double seconds_before; /* all that precedes the first step, reading aside */
} hk_pogo_trial;

json_t *hk_pogo_row(const hk_pogo_case *c, const char *table, const char *method,
                    const char *device, bool double_precision);
/* blocks: a file for the form `blocks`; NULL: none. *t zero on entry. */
hk_status hk_pogo_trial_create(const hk_pogo_case *c, const char *method, const char *blocks,
                               const char *device, bool double_precision, hk_pogo_trial *t);
void hk_pogo_trial_clear(hk_pogo_trial *t);

/* Fills c->blocks, with a row each (Table 2); METIS's where it is installed. */
hk_status hk_pogo_partition(hk_pogo_case *c);
/* Steps by form of K and precision on one device (Tables 2, 4 and A.5). */
hk_status hk_pogo_steps(const hk_pogo_case *c, const char *device);
/* Efficiency, bytes and steps of aligned blocks by their size, from 64 to 2048 nodes or the most that the device holds. */
hk_status hk_pogo_sweep(const hk_pogo_case *c);
