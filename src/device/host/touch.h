/* Where the memory of a machine of several sockets holds a buffer. Linux puts a page into the memory of the socket whose thread writes it first. */
#pragma once
#include "base/base.h"

/* Writes 0 into each page of memory[bytes], which is zero: threads take equal parts in their order, as they take the groups of a launch. */
void hk_touch(void *memory, hk_count bytes, int threads);

/* Whether `list` names several nodes of memory: "0-1", "0,8"; Linux has it in this file. */
#define HK_NODES_FILE "/sys/devices/system/node/has_memory"
bool hk_touch_several(const char *list);

/* hk_touch of large memory, where this machine has several nodes. */
void hk_touch_new(void *memory, hk_count bytes, int threads);
