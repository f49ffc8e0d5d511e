/* What a kind of device provides. src/device/<name>/ defines one hk_device_table; device.c lists
 * them. */
#pragma once
#include "device/device.h"
#include "device/fetch.h"
#include "device/graph.h"
#include "device/library.h"
#include "device/wire.h"

/* Libraries of the vendor. */
typedef struct hk_library_table {
  bool (*there)(const hk_device *device, hk_library library, const char **why);
  hk_status (*create)(hk_device_factor *factor); /* desc is set; fills the rest */
  hk_status (*solve)(hk_device_factor *factor, hk_buffer *x);
  void (*destroy)(hk_device_factor *factor); /* also of a factor that was created in part */
} hk_library_table;

typedef struct hk_product_table {
  bool (*there)(const hk_device *device);
  hk_status (*create)(hk_device_product *product); /* desc is set; fills the rest */
  hk_status (*apply)(hk_device_product *product);
  void (*destroy)(hk_device_product *product); /* also of a product that was created in part */
} hk_product_table;

typedef struct hk_wire_table { /* wire.h */
  bool (*there)(const hk_device *device, const char **why);
  hk_status (*make_key)(hk_device *device, char key[HK_WIRE_KEY]);
  /* device is set; fills the rest */
  hk_status (*create)(hk_wire *wire, const char key[HK_WIRE_KEY], int rank, int ranks);
  void (*destroy)(hk_wire *wire, bool torn); /* also of a wire that was created in part */
  hk_status (*exchange)(hk_wire *wire, const hk_wire_piece *send, int sends,
                        const hk_wire_piece *take, int takes);
} hk_wire_table;

/* Of a kernel's source, shared by the kernels of that source (compile.h). */
typedef struct hk_program {
  hk_device *device;
  char *source,
      *key; /* key: the source's head and the name of its text, which tell sources of a device apart */
  const char *function; /* that asked first: messages name it */
  hk_kernel_from from;  /* once it was made */
  bool plain;           /* is not worth an optimised program (hk_device_info.unoptimised) */
  void *code;           /* the device's own; NULL: not made */
  enum { HK_PROGRAM_QUEUED, HK_PROGRAM_BEGUN, HK_PROGRAM_ENDED } state;
  hk_failure failure;
} hk_program;

typedef struct hk_compiler_table {
  const char *dialect; /* hk_kernel_source */
  /* fills code, and from where it is not compiled; several threads at once, each with its program */
  hk_status (*make)(hk_program *program);
  void (*destroy)(hk_program *program); /* whose code was made */
  hk_status (*take)(hk_kernel *kernel); /* its code out of that of its program */
  /* Bytes of the host that code of the compiler takes, which is read as it is needed; NULL: not known. */
  hk_count (*resident)(const hk_device *device);
} hk_compiler_table;

typedef struct hk_compile hk_compile;

typedef struct hk_device_table {
  const char *name;
  int dlpack; /* hk_address.kind */
  /* Devices that there are; with the name "auto" those that it would never take may be left out. */
  int (*count)(const hk_device_desc *desc);
  /* number: 0 ... count - 1, or beyond: fails in words. Fills device->info, but for threads. On failure
   * close is called. */
  hk_status (*open)(hk_device *device, const hk_device_desc *desc, int number);
  void (*close)(hk_device *device);
  hk_status (*finish)(hk_device *device);
  hk_status (*fork)(hk_device *device); /* NULL: in order; and then mark, back and join too */
  hk_status (*mark)(hk_device *device);
  hk_status (*back)(hk_device *device);
  hk_status (*join)(hk_device *device);
  hk_count (*available)(const hk_device *device);
  /* Whether kernels of the device write into buffers of another one of its kind, from now on. NULL: they do not. */
  bool (*reaches)(hk_device *device, hk_device *other);
  hk_status (*buffer_create)(hk_buffer *buffer); /* bytes and device are set */
  void (*buffer_destroy)(hk_buffer *buffer);
  hk_status (*buffer_write)(hk_buffer *buffer, hk_count offset, hk_count bytes, const void *from);
  hk_status (*buffer_read)(const hk_buffer *buffer, hk_count offset, hk_count bytes, void *to);
  hk_status (*buffer_copy)(hk_buffer *to, const hk_buffer *from);
  /* NULL: kernels are found among those that were built, by kernel_create */
  const hk_compiler_table *compiler;
  hk_status (*kernel_create)(hk_kernel *kernel, const hk_kernel_desc *desc);
  void (*kernel_destroy)(hk_kernel *kernel);                 /* whose code is there */
  hk_kernel_cost (*kernel_measure)(const hk_kernel *kernel); /* NULL: it does not tell */
  /* value[k]: address of argument k (of a pointer, an int, a float or a double), size[k] its bytes */
  hk_status (*launch)(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                      const size_t *size, int arguments);
  /* Launches are recorded from record to recorded, which ends that also when it fails. NULL: graph.c keeps a list. */
  hk_status (*record)(hk_device *device);
  /* *graph stays NULL where other work of the process has spoiled the recording */
  hk_status (*recorded)(hk_device *device, void **graph);
  hk_status (*graph_launch)(hk_device *device, void *graph);
  void (*graph_destroy)(hk_device *device, void *graph);
  /* fetch->memory is the host's; NULL: plain memory, and reads that wait. */
  hk_status (*fetch_create)(hk_fetch *fetch); /* bytes and device are set */
  bool fetches_aside; /* a fetch has a buffer of its size, which later launches do not write to */
  void (*fetch_destroy)(hk_fetch *fetch); /* also of a fetch that was created in part */
  hk_status (*fetch_begin)(hk_fetch *fetch, hk_count at, const hk_buffer *buffer, hk_count offset,
                           hk_count bytes);
  hk_status (*fetch_ready)(const hk_fetch *fetch, bool *ready);
  hk_status (*fetch_wait)(hk_fetch *fetch);
  const hk_library_table *library; /* NULL: none */
  const hk_product_table *product; /* NULL: none */
  const hk_wire_table *wire;       /* NULL: none */
} hk_device_table;

struct hk_device {
  const hk_device_table *table;
  hk_device_info info;
  char *cache; /* of the description, a copy */
  hk_device_meter meter;
  _Atomic hk_count held, peak; /* bytes of buffers, and the most so far */
  hk_graph *recording;         /* takes the launches; NULL: they are carried out */
  hk_compile *compile; /* of compile.c; NULL: no kernel was asked for, or none is compiled */
  void *data;          /* the device's own */
};

struct hk_buffer {
  hk_device *device;
  hk_count bytes;
  void *memory; /* the device's address */
};

struct hk_kernel {
  hk_device *device;
  bool double_precision;
  hk_count local; /* hk_kernel_desc.local */
  int threads;    /* per group */
  bool early;     /* hk_kernel_desc.early */
  /* the device's own; where kernels are compiled it is there once the kernel was awaited */
  const void *code;
  /* where they are: its name in the program, and the next kernel that nobody awaited */
  const char *function;
  hk_program *program;
  hk_kernel *next;
  /* Of the variant, and the kinds of its arguments, which each launch is compared with: a letter each, as
   * hk_host_kernel.arguments; NULL: not known. */
  const char *key, *arguments;
  bool launched; /* once before, of OpenCL */
};

struct hk_fetch {
  hk_device *device;
  hk_count bytes;
  void *memory; /* of the host */
  void *data;   /* the device's own */
};

struct hk_device_factor {
  hk_device_factor_desc desc;
  hk_count bytes;
  char name[40];
  void *data; /* the library's own */
};

struct hk_device_product {
  hk_device_product_desc desc;
  char name[40];
  void *data; /* the library's own */
};

struct hk_wire {
  hk_device *device;
  char name[40];
  void *data; /* the library's own */
};

/* Keeps a launch in device->recording, in the words of hk_device_table.launch. */
hk_status hk_graph_keep(hk_kernel *kernel, hk_count first, hk_count count, void **value,
                        const size_t *size, int arguments);

/* Fails where hk_device_fail_at asks for it; called before whatever a device may refuse. */
hk_status hk_device_permit(const hk_device *device, const char *doing);

/* Whether hk_device_lose_at asks for this launch to be lost. */
bool hk_device_loses(const hk_device *device);

extern const hk_device_table hk_device_host, hk_device_cuda, hk_device_opencl;
