/* Several devices of one kind for one run. */
#pragma once
#include <hooke/run.h>
#include "device/device.h"
#include "link/link.h"
#include "link/ranks.h"

enum { HK_MOST_DEVICES = 16 };

typedef struct hk_several {
  int count; /* of this process */
  int parts; /* of all processes */
  hk_device *device[HK_MOST_DEVICES];
  const char *link; /* hk_run_desc.link; once the model is stepped, that which is taken */
  int trials;       /* of links between ranks */
  hk_link_trial trial[HK_LINK_TRIALS];
  bool queued; /* each steps shots of its own; else all of them step one model */
} hk_several;

/* Whether two devices compute with the same bits. */
bool hk_several_alike(const hk_device_info *a, const hk_device_info *b);
/* Whether --device names more than one: a list with commas, or all. */
bool hk_several_named(const char *device);
/* Names of the k-th device of such a list; false behind the last. all: every CUDA GPU, else every OpenCL device beside the host's processor, else cpu. */
bool hk_several_name(const hk_run_desc *how, int k, char name[16]);
/* HK_USAGE: a list says auto, or nothing between two commas. */
hk_status hk_several_check(const hk_run_desc *how, const char *name);
/* Opens all of them, each trusted as `trust` says. The host's threads are shared out among processors. HK_USAGE: they are not of one
 * kind, or too many, or the link that is named does not serve them. */
hk_status hk_several_open(const hk_run_desc *how, const hk_device_desc *trust, hk_several *out);
/* ranks.c: the one of this rank. Without a name, or with all, rank k of a host takes its k-th GPU, or the processor; of a list the k-th. Tells in `list`
 * which rank has which. HK_USAGE: they are not of one kind, or two ranks would share a GPU that is not named for both. */
hk_status hk_several_open_rank(hk_ranks *ranks, const hk_run_desc *how, const hk_device_desc *trust,
                               hk_messages *list, hk_several *out);
void hk_several_close(hk_several *several);
