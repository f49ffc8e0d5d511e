/* Folders and files for the tests of output. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new empty folder; the name is kept in folder[64]. */
static inline void new_folder(char *folder)
{
  strcpy(folder, "/tmp/hooke_output_XXXXXX");
  if (!mkdtemp(folder)) abort();
}

static inline void remove_folder(const char *folder)
{
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (strncmp(folder, "/tmp/hooke_output_", 18) != 0 || system(command) != 0) abort();
}

static inline const char *in(const char *folder, const char *name)
{
  static char path[8][160];
  static int next;
  next = (next + 1) % 8;
  snprintf(path[next], sizeof *path, "%s/%s", folder, name);
  return path[next];
}

/* The file's bytes (free), *size of them; NULL when it is not there. */
static inline char *slurp(const char *path, long *size)
{
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char *bytes = calloc(1, (size_t)*size + 1);
  if (fread(bytes, 1, (size_t)*size, file) != (size_t)*size) abort();
  fclose(file);
  return bytes;
}
