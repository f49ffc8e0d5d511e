/* What the files of `hooke bench sem` share (Carrascal-Manzanares et al. 2017). Words after the name choose: 2d, 3d; p1 ... p10; rates, stages, tuner, bp5,
 * scatter, sets, precision, products, patches, attenuation; elastic, acoustic; whole.
 * None of a kind: all of it.
 *
 *   body     the unit square or cube of cells of order p: affine; straight but not parallel; curved
 *   places   0: the device, 1: the processor beside it, at order 4 alone */
#pragma once
#include "element/gll.h"
#include "bench.h"
#include "operator/spectral/map.h"

enum {
  HK_SEM_RATES = 1,
  HK_SEM_STAGES = 2,
  HK_SEM_TUNER = 4,
  HK_SEM_BP5 = 8,
  HK_SEM_SCATTER = 16,
  HK_SEM_SETS = 32,
  HK_SEM_PRECISION = 64,
  HK_SEM_PRODUCTS = 128,
  HK_SEM_PATCHES = 256, /* of the tuner's alone */
  HK_SEM_ATTENUATION = 512,
  HK_SEM_PARTS = 1023 - HK_SEM_PATCHES
};

typedef struct hk_sem_wanted {
  bool dim[4], order[HK_MOST_ORDER + 1];
  bool whole;         /* of a processor all threads alone */
  int parts, physics; /* bits: of the list above; elastic, acoustic */
} hk_sem_wanted;

/* How the forces of elements come together: as runs take it, or one of the two. */
typedef enum hk_sem_scatter { HK_SEM_CHOSEN, HK_SEM_SLOTS, HK_SEM_COLOURS } hk_sem_scatter;
extern const char *const hk_sem_scatter_name[];

typedef struct hk_sem_body {
  hk_bench_job *job;
  hk_device *device; /* borrowed */
  int place, dim, order;
  hk_map_class map;
  bool real;  /* double precision */
  bool fluid; /* one component */
  hk_sem_scatter scatter;
  bool attenuates;   /* solids alone */
  double slots_rate; /* of the last step by slots; of a processor by its own time */
  double elastic[2]; /* seconds and bytes of the last step without attenuation */
  hk_mesh *mesh;
  double *x; /* x[node][dim] of the affine mesh */
  hk_region region;
  hk_index *element_region;
  hk_count cells; /* along an edge */
  hk_space *space;
  hk_operator *op;
  double *mass; /* mass[padded] */
} hk_sem_body;

/* Mesh of about `nodes` nodes; *b has job, device, place, dim and order, and is else zero. */
hk_status hk_sem_body_create(double nodes, hk_sem_body *b);
/* A smooth wave, u[padded][components], so that numbers are as in a run; the caller frees it. */
hk_status hk_sem_body_wave(const hk_sem_body *b, double **u);
/* The operator and mass of a map and a precision; option: of operator/spectral/tune.h, NULL as runs take it. */
hk_status hk_sem_body_assemble(hk_map_class map, bool real, const int *option, hk_sem_body *b);
void hk_sem_body_clear(hk_sem_body *b);

/* case, table, method, device, precision, order, dofs, elements; by colours their number. */
json_t *hk_sem_row(const hk_sem_body *b, const char *table, const char *method);

/* The paper's product in 2D: on the processor in 1, 2, 4 ... threads up to the device's. Its loops by instruction set, from order 2 on, where
 * hooke-bench has their kernels (-DHOOKE_BENCH_SETS=ON). */
hk_status hk_sem_stages(hk_bench_job *job, hk_device *device, const hk_sem_wanted *wanted);
/* Our product of about so many points beside theirs, in GDOF/s. */
hk_status hk_sem_products(hk_bench_job *job, hk_device *device, int order, double points,
                          double theirs);
/* Runs on a body of each dimension, order and physics that is wanted, and clears it. */
hk_status hk_sem_each_order(hk_bench_job *job, hk_device *device, int place,
                            const hk_sem_wanted *wanted, hk_status (*run)(hk_sem_body *b));
/* Steps in single precision against double, on the processor. */
hk_status hk_sem_precision(hk_bench_job *job, hk_device *device, int place,
                           const hk_sem_wanted *wanted);
/* CEED's BP5 in 3D, double. */
hk_status hk_sem_bp5(hk_bench_job *job, hk_device *device, int place, const hk_sem_wanted *wanted);
/* Rates of straight elements with each option of operator/spectral/tune.h, where kernels are compiled. */
hk_status hk_sem_tuner(hk_bench_job *job, hk_device *device, int place,
                       const hk_sem_wanted *wanted);
/* The same of the options of patches alone. */
hk_status hk_sem_patches(hk_bench_job *job, hk_device *device, int place,
                         const hk_sem_wanted *wanted);
/* Rates of steps of straight elements by slots and by colours. */
hk_status hk_sem_scatters(hk_bench_job *job, hk_device *device, int place,
                          const hk_sem_wanted *wanted);
/* Rates of steps of straight solid elements without attenuation and with it. */
hk_status hk_sem_attenuation(hk_bench_job *job, hk_device *device, int place,
                             const hk_sem_wanted *wanted);
/* Rates of steps on a device. */
hk_status hk_sem_rates(hk_bench_job *job, hk_device *device, int place,
                       const hk_sem_wanted *wanted);
