/* Devices: buffers and kernels behind one table of functions.
 *
 * A kernel is a text (*.k.h, beside what launches it) in the common dialect, specialised by defines; a device finds it
 * compiled (host) or compiles it. A launch runs groups [first, first + count); launches, writes and
 * copies of one device are carried out in order; a read waits for those before it.
 *
 *   hk_kernel_desc desc = {.text = "stored", .function = "stored_step", .define = {{"DIM", 3}}};
 *   HK_TRY(hk_kernel_create(device, &desc, &kernel));
 *   HK_TRY(hk_kernel_launch(kernel, 0, groups, HK_ARGUMENTS(u, n)));
 */
#pragma once
#include "device/arguments.h"
#include <assert.h>

typedef struct hk_device hk_device;
typedef struct hk_kernel hk_kernel;

enum { HK_MOST_DEFINES = 16 };

typedef struct hk_define {
  const char *name;
  int value;
} hk_define;

typedef struct hk_kernel_desc {
  const char *text;                  /* <text>.k.h */
  const char *function;              /* the KERNEL's name */
  bool double_precision;             /* DOUBLE */
  hk_define define[HK_MOST_DEFINES]; /* up to the first without a name; sorted by name */
  unsigned special;                  /* bit i: define[i] is of hk_kernel_specialise */
  hk_count local;                    /* bytes of its LOCAL memory, each array rounded up to 16 */
  int threads;                       /* per group; 0: hk_device_info.group_threads */
  int lanes;       /* 0: hk_device_info.lanes; else hk_device_info.vector: vectors of it */
  bool optimised;  /* much work: worth an optimised kernel where hk_device_info.unoptimised */
  bool early;      /* has GRID_WAIT(): may begin while the launch before it ends */
  const char *isa; /* NULL: that of the device; else a set that the host has by name for benches */
} hk_kernel_desc;

/* One more define; call in the order of names. */
static inline void hk_kernel_define(hk_kernel_desc *desc, const char *name, int value)
{
  int n = 0;
  while (n < HK_MOST_DEFINES && desc->define[n].name) n++;
  assert(n < HK_MOST_DEFINES);
  desc->define[n] = (hk_define){name, value};
}

/* As hk_kernel_define, of what kernels that were built beforehand leave to run time or to the text's default: they are found without it. */
static inline void hk_kernel_specialise(hk_kernel_desc *desc, const char *name, int value)
{
  int n = 0;
  while (n < HK_MOST_DEFINES && desc->define[n].name) n++;
  hk_kernel_define(desc, name, value);
  desc->special |= 1U << n;
}

/* What a LOCAL_ARRAY takes of hk_kernel_desc.local. */
static inline hk_count hk_local_bytes(hk_count count, int size)
{
  return (count * size + 15) / 16 * 16;
}

/* What the groups that run at once on one processor of the device share. */
typedef struct hk_multiprocessor {
  int registers;         /* of 32 bits */
  hk_count local_memory; /* bytes */
  hk_count reserved;     /* bytes of it that each group takes beside its LOCAL_ARRAYs */
  int threads;           /* of all groups, at most */
  int count;             /* of the device; 0: unknown */
} hk_multiprocessor;

/* Operators and solvers decide from properties, and never ask which device it is. */
typedef struct hk_device_info {
  char name[96], backend[16];       /* "AMD EPYC ...", "cpu"; as hk_device_open takes it */
  char isa[32];                     /* instruction set, architecture or version */
  char software[96];                /* versions of what compiles and runs its kernels */
  hk_count memory;                  /* bytes */
  hk_count local_memory;            /* bytes of LOCAL_ARRAYs that a group may have; 0: no bound */
  hk_multiprocessor multiprocessor; /* zeros where a group is one call */
  int lanes;                        /* nodes that one item of a kernel treats at once */
  int width;         /* nodes per slice of an interleaved list; a multiple of lanes */
  int vector;        /* reals that arithmetic of one thread takes at once */
  int group_threads; /* threads per group, where a kernel asks for no other number */
  int most_threads;  /* that it may ask for */
  int lockstep;      /* threads that run in lockstep: groups are best a multiple of it */
  int team;          /* threads whose sum a kernel makes without LOCAL memory (TEAM) */
  int threads;       /* of the host */
  bool compiles; /* kernels are compiled for any defines; else there are those that were built */
  /* optimising a kernel takes so long that few are worth it (hk_kernel_desc.optimised): kernels run slowly, and their times do not tell
   * which of them to take */
  bool unoptimised;
  /* GROUPS bounds a kernel's registers, FETCH asks ahead, hk_device_desc.local_share divides the cache */
  bool obeys_hints;
  /* groups of a launch begin in the order of their numbers, and others may wait for what these write (REPORT) */
  bool ordered;
  bool refills;    /* LOCAL memory is refilled by the device while a group computes (REFILL) */
  bool own_memory; /* buffers are not the host's memory */
  bool addressed;  /* MPI that is made for the vendor's devices sends from their buffers */
  bool overlaps;   /* computes beside the host's processor, and not on it */
} hk_device_info;

/* Whether threads share the work and the LOCAL memory of a group; else a group is one call. */
static inline bool hk_device_has_groups(const hk_device_info *info)
{
  return info->group_threads > 1;
}

/* Whether kernels can be compiled for whatever a caller chooses, so that candidates can be timed; else there are those of variants.txt. */
static inline bool hk_device_has_candidates(const hk_device_info *info)
{
  return info->compiles;
}

/* What to compile a kernel for, the length of an array or the items of a group: `needed`, or what kernels that were built beforehand
 * have, `built`. */
static inline int hk_kernel_size(const hk_device_info *info, int needed, int built)
{
  return info->compiles ? needed : built;
}

/* Whether a kernel of hk_kernel_size has room for `needed`. */
static inline bool hk_kernel_fits(const hk_device_info *info, hk_count needed, int built)
{
  return info->compiles || needed <= built;
}

/* Whether groups with much LOCAL memory can run side by side; on other devices they take small patches. */
static inline bool hk_device_has_room(const hk_device_info *info)
{
  enum { LARGE = 96 << 10 };
  return info->local_memory == 0 || info->local_memory >= LARGE;
}

typedef struct hk_device_desc {
  const char *name;    /* NULL or "auto", "cpu", "cuda[:n]", "opencl[:n]" */
  int threads;         /* of the host; 0: all */
  const char *toolkit; /* folder of a CUDA toolkit to look into first (CUDA_PATH); may be NULL */
  const char *cache;   /* folder that keeps compiled kernels; NULL: none */
  /* Asked of a device beside the host that was opened: HK_OK if it computes right. NULL: it is believed. */
  hk_status (*validate)(hk_device *device, void *user);
  /* Told of each device that "auto" passes over because it cannot be opened or does not compute right. NULL: nobody. */
  void (*passed_over)(const char *name, const char *why, void *user);
  void *user;        /* of both */
  bool emulated;     /* "auto" may take a device on the host's own processor (tests) */
  int group_threads; /* hk_device_info.group_threads, where kernels are compiled: a multiple of 32; 0: the device's own */
  const char *
      kernels; /* CUDA: folder of kernels compiled beforehand; NULL: hooke/cuda-kernels beside the library */
  int local_share; /* CUDA: percent of a multiprocessor's cache that LOCAL memory is to have rather than the cache; 0: as the driver chooses */
} hk_device_desc;

/* "auto" takes the first that passes hk_device_check and desc->validate: cuda, opencl on something else than a CPU, cpu.
 * HK_NO_RESOURCES says what was looked for where there is no such device; HK_USAGE where the name is none of these. */
hk_status hk_device_create(const hk_device_desc *desc, hk_device **out);
hk_status hk_device_open(const char *name, int threads, hk_device **out);
/* Whether there is the device that desc names, without opening it. */
bool hk_device_found(const hk_device_desc *desc);
/* Name of the k-th device that there is, as hk_device_create takes it; false behind the last. */
bool hk_device_list(const hk_device_desc *desc, int k, char name[16]);
/* Compiles and runs a kernel whose answer is known: HK_CHECK_FAILED where it is another. */
hk_status hk_device_check(hk_device *device);
void hk_device_close(hk_device **device);
const hk_device_info *hk_device_describe(const hk_device *device);
hk_status hk_device_finish(hk_device *device); /* waits for every launch */
/* Launches between fork and back may run beside those between back and join; what follows join waits for all of them. Launches alone, no copies. A device
 * without such streams runs them one after another. A second fork before mark: launches from there to mark run beside those from mark to back. */
hk_status hk_device_fork(hk_device *device);
/* What follows join does not wait for the launches from here to back; those of the next fork do. */
hk_status hk_device_mark(hk_device *device);
hk_status hk_device_back(hk_device *device);
hk_status hk_device_join(hk_device *device);
/* Whether kernels of the device can write into buffers of another one, which they are allowed to from now on. Two that are one and the same
 * machine do not, where a kernel of one could keep the other from running. */
bool hk_device_reaches(hk_device *device, hk_device *other);
hk_count hk_device_available(const hk_device *device); /* bytes that buffers can still take */
hk_count hk_device_peak(const hk_device *device);      /* most bytes of buffers held so far */
/* Tests: the k-th call of any device from now on that can fail does; -k: and every one after it, as of a device that is lost; 0: none. */
void hk_device_fail_at(hk_count k);
/* Tests: the k-th launch or graph from now on of any device but the host is lost without a word; 0: none. */
void hk_device_lose_at(hk_count k);

/* Which kernels runs ask for, to be compiled beforehand (kernels/): `asked` is told of each one of a device that compiles. With `like`, devices of
 * OpenCL have its processors and local memory, and so are asked for what that device would be asked for. Set while no device is open. */
typedef struct hk_device_watch {
  void (*asked)(const hk_kernel_desc *desc, void *user);
  void *user;
  const hk_device_info *like; /* NULL: their own */
} hk_device_watch;
void hk_device_watched(const hk_device_watch *watch); /* borrowed; NULL: none */

/* Zeroed. HK_NO_RESOURCES with what is needed and free. */
hk_status hk_buffer_create(hk_device *device, hk_count bytes, hk_buffer **out);
void hk_buffer_destroy(hk_buffer **buffer);
/* The same of a pool, whose clear destroys it. */
hk_status hk_buffer_get(hk_pool *pool, hk_device *device, hk_count bytes, hk_buffer **out);
/* A buffer of the pool, filled with what `from` holds; with `count` doubles, kept as the kernel's reals. */
hk_status hk_buffer_send(hk_pool *pool, hk_device *device, hk_count bytes, const void *from,
                         hk_buffer **out);
hk_status hk_buffer_send_reals(hk_pool *pool, hk_device *device, bool double_precision,
                               hk_count count, const double *from, hk_buffer **out);
hk_count hk_buffer_bytes(const hk_buffer *buffer);
hk_status hk_buffer_write(hk_buffer *buffer, hk_count offset, hk_count bytes, const void *from);
hk_status hk_buffer_read(const hk_buffer *buffer, hk_count offset, hk_count bytes, void *to);
hk_status hk_buffer_copy(hk_buffer *to, const hk_buffer *from); /* of equal size */
/* The buffer's memory where the host can address it, else NULL: lists are then built in place. */
void *hk_buffer_host(hk_buffer *buffer);

/* Where a buffer lies, in the numbers of DLPack. */
typedef struct hk_address {
  int kind;     /* 1: the host, 2: CUDA, 4: OpenCL */
  int number;   /* of the device among those of its kind */
  void *memory; /* its address; of OpenCL the cl_mem */
} hk_address;
hk_address hk_buffer_address(const hk_buffer *buffer);

/* What memory costs, in seconds and bytes since the meter was started. While it runs, an allocation or a copy between host and device waits
 * for the launches before it and for its own end, so that what is counted is its own; stages that are told apart where a meter runs wait too. */
typedef struct hk_device_meter {
  bool runs;
  double allocation, transfer;
  hk_count allocated, sent, read;
  hk_count held, peak; /* of buffers made since the start */
} hk_device_meter;
void hk_device_meter_start(hk_device *device);
void hk_device_meter_stop(hk_device *device);
const hk_device_meter *hk_device_metered(const hk_device *device);
/* A clock that stands still during what the meter counts and while a kernel is waited for: stages timed by it, allocation and transfer
 * add up. */
double hk_device_seconds(const hk_device *device);

/* Doubles of the host, kept as the kernel's reals. */
hk_status hk_buffer_write_reals(hk_buffer *buffer, bool double_precision, hk_count first,
                                hk_count count, const double *from);
hk_status hk_buffer_read_reals(const hk_buffer *buffer, bool double_precision, hk_count first,
                               hk_count count, double *to);

/* HK_INTERNAL if the host was not built with this variant. A device that compiles begins to, and this returns at once: the first launch waits for
 * the kernel, as do hk_kernel_measure and hk_graph_record, and fails if it does not compile. So create kernels ahead of other work. */
hk_status hk_kernel_create(hk_device *device, const hk_kernel_desc *desc, hk_kernel **out);
void hk_kernel_destroy(hk_kernel **kernel);
/* The same of a pool, whose clear destroys it. */
hk_status hk_kernel_get(hk_pool *pool, hk_device *device, const hk_kernel_desc *desc,
                        hk_kernel **out);
/* What a group takes of the device; 0 where it does not tell. */
typedef struct hk_kernel_cost {
  int registers, spilled; /* of a thread; bytes of a thread that went to memory */
  int groups;             /* that a multiprocessor holds at once */
} hk_kernel_cost;
hk_kernel_cost hk_kernel_measure(hk_kernel *kernel);
/* Where the code of a kernel was found. */
typedef enum hk_kernel_from {
  HK_FROM_COMPILER,
  HK_FROM_CACHE,     /* of the user */
  HK_FROM_INSTALLED, /* with hooke */
  HK_FROM_COUNT
} hk_kernel_from;
/* Kernels of the device that were made so far, by place; those of one source count once. */
void hk_kernel_count(const hk_device *device, hk_count count[HK_FROM_COUNT]);

/* Waits until the kernel is compiled. HK_NO_RESOURCES with the compiler's words. */
hk_status hk_kernel_await(hk_kernel *kernel);
hk_status hk_kernel_launch(hk_kernel *kernel, hk_count first, hk_count count,
                           const hk_argument *argument, int argument_count);
