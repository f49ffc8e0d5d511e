/* Libraries of hooke that are opened at run time, since what they link may be missing or come in several kinds: libhooke-NAME.so beside
 * libhooke, in the folder hooke/ there, or where the system looks for libraries. */
#pragma once
#include "base/base.h"

typedef struct hk_plugin {
  void *library; /* of dlopen */
  char path[1024];
} hk_plugin;

/* name: NAME, or a path. global: its symbols, and those of what it links, are made known to all. False, with why[size]: of the file that
 * is there but cannot be opened, or of the last that was tried. */
bool hk_plugin_open(const char *name, bool global, hk_plugin *plugin, char *why, size_t size);
